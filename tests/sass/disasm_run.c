/* SPDX-License-Identifier: Apache-2.0
 *
 * disasm-run --arch sm_XX FILE...: decodes and prints each instruction of recorded listings, compares the text, and counts.
 * A listing has lines "M MODULE", "F FUNCTION", "LOW HIGH TEXT" (an instruction, addresses ascending by 16 from 0 in each
 * function) and "X refused ENCODING" (bits that are not an instruction); files may be packed with gzip.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "sass/instruction.h"

enum { LINE_BYTES = 1024, ROUNDS = 20 };

struct encoding {
	u64 low, high;
};

struct disasm_run {
	struct arena arena;
	struct sass_decoder *decoder;
	u32 sm, most_shown;
	bool speed;
	u64 instructions, differ, undecoded, refused, accepted;
	u32 shown;
	u32 address;
	bool gaps;                  /* the disassembler left out instructions of this function: addresses are unknown */
	struct encoding *encodings; /* with --speed */
	u64 count, capacity;
};

static const struct argp_option options[] = {
	{"arch", 't', "sm_XX", 0, "Target of the listings", 0},
	{"show", 's', "N", 0, "Show N differences at most (default: 10)", 0},
	{"speed", 'p', NULL, 0, "Measure decoding, too", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct disasm_run *r = state->input;

	switch (key) {
	case 't':
		r->sm = (u32)strtoul(strncmp(text, "sm_", 3) ? text : text + 3, NULL, 10);
		return 0;
	case 's':
		r->most_shown = (u32)strtoul(text, NULL, 10);
		return 0;
	case 'p':
		r->speed = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void show(struct disasm_run *r, u64 low, u64 high, const char *want, const char *got)
{
	if (r->shown++ < r->most_shown)
		printf("%016llx %016llx\n  want  %s\n  got   %s\n", (unsigned long long)low, (unsigned long long)high,
		       want, got);
}

/* Where addresses are unknown, targets cannot be compared: the last word of a branch. */
static bool same(const struct disasm_run *r, const struct sass_insn *i, const char *want, const char *got)
{
	const char *a = strrchr(want, ' '), *b = strrchr(got, ' ');
	bool has_target = false;

	for (u32 k = 0; k < i->operand_count; k++)
		has_target |= i->operands[k].arg == ARG_TARGET;
	if (!strcmp(want, got))
		return true;
	return r->gaps && has_target && a && b && a - want == b - got && !strncmp(want, got, (size_t)(a - want));
}

static void keep(struct disasm_run *r, u64 low, u64 high)
{
	if (r->count == r->capacity) {
		struct encoding *more = ARENA_ARRAY(&r->arena, 2 * r->capacity + 1024, struct encoding);

		if (r->count)
			memcpy(more, r->encodings, r->count * sizeof *more);
		r->encodings = more;
		r->capacity = 2 * r->capacity + 1024;
	}
	r->encodings[r->count++] = (struct encoding){low, high};
}

static void compare_instruction(struct disasm_run *r, u64 low, u64 high, const char *want)
{
	char got[SASS_TEXT];
	struct sass_insn i = {.operand_count = 0};

	r->instructions++;
	if (r->speed)
		keep(r, low, high);
	if (!sass_decode(r->decoder, low, high, r->address, &i)) {
		r->undecoded++;
		show(r, low, high, want, "(unknown encoding)");
	} else {
		sass_print(r->decoder, &i, got);
		if (!same(r, &i, want, got)) {
			r->differ++;
			show(r, low, high, want, got);
		}
	}
	r->address += 16;
}

/* ENCODING is all 128 bits without leading zeros. */
static void compare_refused(struct disasm_run *r, const char *digits)
{
	const size_t length = strlen(digits), high_digits = length > 16 ? length - 16 : 0;
	char high[32] = "0", got[SASS_TEXT];
	struct sass_insn i;

	if (high_digits && high_digits < sizeof high)
		snprintf(high, sizeof high, "%.*s", (int)high_digits, digits);
	r->refused++;
	if (!sass_decode(r->decoder, strtoull(digits + high_digits, NULL, 16), strtoull(high, NULL, 16), 0, &i))
		return;
	r->accepted++;
	sass_print(r->decoder, &i, got);
	show(r, i.low, i.high, "(refused)", got);
}

static void read_line(struct disasm_run *r, const char *line)
{
	unsigned long long low, high;
	int text = 0;
	u32 skipped;

	if (*line == 'F') {
		r->address = 0;
		r->gaps = !strcmp(line, "F g"); /* variations: refused ones are listed apart */
	} else if (!strncmp(line, "X refused ", 10)) {
		compare_refused(r, line + 10);
	} else if (sscanf(line, "X address %x instead", &skipped) == 1) {
		r->address = skipped;
	} else if (*line == 'X') {
		r->gaps = true;
	} else if (sscanf(line, "%llx %llx %n", &low, &high, &text) == 2 && text) {
		compare_instruction(r, low, high, line + text);
	}
}

static bool read_file(struct disasm_run *r, const char *path)
{
	gzFile file = gzopen(path, "rb");
	char line[LINE_BYTES];

	if (!file) {
		fprintf(stderr, "disasm-run: %s cannot be read\n", path);
		return false;
	}
	while (gzgets(file, line, sizeof line)) {
		line[strcspn(line, "\n")] = 0;
		read_line(r, line);
	}
	gzclose(file);
	return true;
}

static void measure(const struct disasm_run *r)
{
	struct timespec from, to;
	struct sass_insn i;
	u64 decoded = 0;
	f64 seconds;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (u32 round = 0; round < ROUNDS; round++)
		for (u64 k = 0; k < r->count; k++)
			decoded += sass_decode(r->decoder, r->encodings[k].low, r->encodings[k].high, 0, &i);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	seconds = (f64)(to.tv_sec - from.tv_sec) + (f64)(to.tv_nsec - from.tv_nsec) * 1e-9;
	printf("decoding: %.1f million instructions a second\n", (f64)decoded / seconds * 1e-6);
}

int main(int count, char **words)
{
	static const struct argp argp = {.options = options, .parser = parse_option, .args_doc = "FILE..."};
	struct disasm_run r = {.most_shown = 10};
	int first;
	bool ok = true;

	arena_init(&r.arena, NULL);
	argp_parse(&argp, count, words, 0, &first, &r);
	r.decoder = sass_decoder_new(&r.arena, r.sm);
	if (!r.decoder) {
		fprintf(stderr, "disasm-run: --arch names no target of sm_75 or later\n");
		return EXIT_FAILURE;
	}
	for (; first < count; first++)
		ok &= read_file(&r, words[first]);
	printf("sm_%u: %llu instructions, %llu differ, %llu unknown; %llu to be refused, %llu decoded all the same\n",
	       r.sm, (unsigned long long)r.instructions, (unsigned long long)r.differ, (unsigned long long)r.undecoded,
	       (unsigned long long)r.refused, (unsigned long long)r.accepted);
	if (r.speed)
		measure(&r);
	ok &= r.instructions + r.refused && !r.differ && !r.undecoded && !r.accepted;
	arena_free(&r.arena);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
