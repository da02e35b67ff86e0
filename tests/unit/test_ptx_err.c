/* SPDX-License-Identifier: Apache-2.0
 *
 * Refused PTX and its exact diagnostics: every case in tests/err (see the README there).
 * With PTXSIM_ERR_ACTUAL set, prints each file with the diagnostics that come instead of checking.
 */
#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "main.h"

static const char module_head[] = ".version 9.0 .target sm_90a .address_size 64\n";
static const char body_head[] =
	".version 9.0 .target sm_90a .address_size 64 .func f(.param .b32 a); .global .b32 g[4]; "
	".entry k(.param .u64 p) { .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>; .reg .f32 %f<9>;\n";

struct text {
	char *bytes;
	size_t length;
};

static void append(struct text *t, const char *bytes, size_t length)
{
	t->bytes = realloc(t->bytes, t->length + length + 1);
	memcpy(t->bytes + t->length, bytes, length);
	t->length += length;
	t->bytes[t->length] = 0;
}

/* \xNN is the byte with that code. */
static void append_unescaped(struct text *t, const char *from, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char byte = from[i];
		if (byte == '\\' && i + 3 < length && from[i + 1] == 'x') {
			const char digits[3] = {from[i + 2], from[i + 3], 0};
			byte = (char)strtol(digits, NULL, 16);
			i += 3;
		}
		append(t, &byte, 1);
	}
}

static void append_diagnostics(struct text *t, const struct diags *d)
{
	static const char *const words[] = {"error", "warning", "note"};
	char line[1000];

	for (size_t i = 0; i < d->list.count; i++) {
		const struct diag *g = &d->list.items[i];
		u32 row, column;
		source_place(d->sources->files.items[0], g->span.begin, &row, &column);
		int n = snprintf(line, sizeof line, "%u:%u: %s: %s\n", row, column, words[g->severity], g->message);
		append(t, line, (size_t)n);
		n = snprintf(line, sizeof line, "  hint: %s\n", g->hint ? g->hint : "");
		if (g->hint)
			append(t, line, (size_t)n);
	}
}

/* Reads a case's text, lowers it where the kind says so, and gives the diagnostics as text. */
static struct text diagnose(const char *kind, const char *text, size_t length)
{
	static const char lowered[] = "lowered ";
	const struct lower_options options = {.all_functions = true};
	struct session session;
	struct text whole = {0}, result = {0};
	const bool lower = !strncmp(kind, lowered, strlen(lowered));

	kind += lower ? strlen(lowered) : 0;
	const bool in_body = !strncmp(kind, "body", 4);
	if (strncmp(kind, "whole", 5))
		append(&whole, in_body ? body_head : module_head, strlen(in_body ? body_head : module_head));
	append_unescaped(&whole, text, length);
	if (in_body)
		append(&whole, "\n}\n", 3);
	append(&whole, "", 0);
	ck_assert(session_open(&session));
	ck_assert(!SESSION_ENTER(&session));
	session_add_text(&session, "case", whole.bytes, whole.length);
	if (lower)
		session_build(&session, &options);
	append(&result, "", 0);
	append_diagnostics(&result, &session.diags);
	session_close(&session);
	free(whole.bytes);
	return result;
}

static char *load(const char *name)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/%s", ERR_DIR, name);
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "cannot open %s", path);
	fseek(f, 0, SEEK_END);
	const size_t length = (size_t)ftell(f);
	rewind(f);
	char *text = calloc(1, length + 2);
	ck_assert_uint_eq(fread(text, 1, length, f), length);
	fclose(f);
	return text;
}

/* One case from "=== " on; returns the next case, or NULL. */
static char *check_case(const char *file, char *at, bool print)
{
	char *kind = at + 4, *title_end = strchr(kind, '\n');
	char *next = strstr(title_end, "\n=== ");
	char *split = strstr(title_end, "\n---\n");

	ck_assert_msg(split && (!next || split < next), "%s: no '---' after %.40s", file, at);
	char *expected = split + 5;
	const size_t expected_length = next ? (size_t)(next + 1 - expected) : strlen(expected);
	const char *text = title_end + 1;
	const struct text got = diagnose(kind, text, split > title_end ? (size_t)(split - text) : 0);
	if (print)
		printf("%.*s%s", (int)(expected - at), at, got.bytes);
	else
		ck_assert_msg(got.length == expected_length && !memcmp(got.bytes, expected, got.length),
			      "%s: %.*s\nexpected:\n%.*sgot:\n%s", file, (int)(title_end - kind), kind,
			      (int)expected_length, expected, got.bytes);
	ck_assert_msg(print || strstr(got.bytes, "error:"), "%s: %.40s is not refused", file, kind);
	free(got.bytes);
	return next ? next + 1 : NULL;
}

START_TEST(refused_with_these_words)
{
	DIR *d = opendir(ERR_DIR);
	const bool print = getenv("PTXSIM_ERR_ACTUAL") != NULL;
	u32 cases = 0;

	ck_assert_msg(d != NULL, "cannot open %s", ERR_DIR);
	for (const struct dirent *e; (e = readdir(d));) {
		const char *dot = strrchr(e->d_name, '.');
		if (!dot || strcmp(dot, ".err"))
			continue;
		char *text = load(e->d_name);
		if (print)
			printf("##### %s\n", e->d_name);
		for (char *at = strstr(text, "=== "); at; cases++)
			at = check_case(e->d_name, at, print);
		free(text);
	}
	closedir(d);
	ck_assert_uint_ge(cases, 60);
}
END_TEST

UNIT_TESTS("ptx_err", 60) { UNIT_TEST(refused_with_these_words); }
