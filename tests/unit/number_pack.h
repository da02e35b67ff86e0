/* SPDX-License-Identifier: Apache-2.0
 *
 * Recording packs as the tests of the arithmetic read them: kernels of one instruction, so a case
 * is a form and arrays of operands and results. For the test programs of number/ only.
 */
#ifndef PTXSIM_TESTS_UNIT_NUMBER_PACK_H
#define PTXSIM_TESTS_UNIT_NUMBER_PACK_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/types.h"

enum { FORM_WORDS = 12, FORM_WORD = 16, FORM_NAME = 96, PACK_LINE = 1024 };

/* A form taken apart at its dots; use is what follows a slash ("/dst64"), or "". */
struct form {
	char name[FORM_NAME];
	char word[FORM_WORDS][FORM_WORD];
	int count;
	char use[FORM_WORD];
};

struct recorded {
	struct form form;
	const u8 *in, *out;
	size_t elements, in_size, out_size; /* sizes of one element */
};

static inline bool form_has(const struct form *f, const char *word)
{
	for (int i = 1; i < f->count; i++)
		if (!strcmp(f->word[i], word))
			return true;
	return false;
}

/* The last word but `back`. */
static inline const char *form_last(const struct form *f, int back) { return f->word[f->count - 1 - back]; }

static inline void form_parse(struct form *f, const char *text)
{
	char copy[FORM_NAME];

	*f = (struct form){.count = 0};
	snprintf(f->name, sizeof f->name, "%s", text);
	snprintf(copy, sizeof copy, "%s", text);
	char *slash = strchr(copy, '/');
	if (slash) {
		snprintf(f->use, sizeof f->use, "%s", slash + 1);
		*slash = 0;
	}
	for (char *word = strtok(copy, "."); word; word = strtok(NULL, "."))
		snprintf(f->word[f->count++], FORM_WORD, "%s", word);
}

static inline void pack_path(char *path, const char *stem, const char *end)
{
	const char *source = getenv("srcdir");

	snprintf(path, PACK_LINE, "%s/tests/golden/%s%s", source ? source : ".", stem, end);
}

/* A whole file, compressed or not; the caller frees it. */
static inline u8 *pack_load(const char *stem, const char *end)
{
	char path[PACK_LINE];
	const size_t room = 8 << 20;
	u8 *data = malloc(room);

	pack_path(path, stem, end);
	gzFile f = gzopen(path, "rb");
	ck_assert_msg(f != NULL, "cannot open %s", path);
	ck_assert_ptr_nonnull(data);
	const int got = gzread(f, data, (unsigned)room);
	ck_assert_int_gt(got, 0);
	gzclose(f);
	return data;
}

/* Calls `visit` for every case of the pack; returns how many there were. */
static inline int pack_each(const char *stem, void (*visit)(const struct recorded *))
{
	char path[PACK_LINE], line[PACK_LINE], form[FORM_NAME];
	int cases = 0;
	size_t in, in_length, out, out_length, grid, block;
	u8 *in_bytes = pack_load(stem, ".in.gz"), *out_bytes = pack_load(stem, ".out.gz");

	pack_path(path, stem, ".cases.gz");
	gzFile f = gzopen(path, "rb");
	ck_assert_msg(f != NULL, "cannot open %s", path);
	while (gzgets(f, line, sizeof line)) {
		if (strncmp(line, "case ", 5) != 0)
			continue;
		int read = sscanf(strstr(line, " grid="), " grid=%zu,1,1 block=%zu,1,1 smem=0 form=%95s", &grid, &block,
				  form);
		read += sscanf(strstr(line, " args="), " args=in@%zu+%zu;out@%zu+%zu", &in, &in_length, &out,
			       &out_length);
		ck_assert_int_eq(read, 7);
		struct recorded r = {
			.in = in_bytes + in,
			.out = out_bytes + out,
			.elements = grid * block,
			.in_size = in_length / (grid * block),
			.out_size = out_length / (grid * block),
		};
		form_parse(&r.form, form);
		visit(&r);
		cases++;
	}
	gzclose(f);
	free(in_bytes);
	free(out_bytes);
	return cases;
}

/* A little-endian number of `size` bytes. */
static inline u64 bytes_at(const u8 *p, size_t size)
{
	u64 value = 0;

	memcpy(&value, p, size);
	return value;
}

#endif
