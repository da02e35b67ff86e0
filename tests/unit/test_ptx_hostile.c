/* SPDX-License-Identifier: Apache-2.0
 *
 * The PTX reader and hostile texts: none makes it crash, hang or grow.
 */
#include <check.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_reading.h"
#include "main.h"

/* Whatever the text, reading ends in memory proportional to it. */
static u32 read_hostile(const char *text, size_t length)
{
	struct reading r;

	read_bytes(&r, text, length);
	size_t used = r.arena.used_bytes;

	for (const struct arena *child = r.arena.children; child; child = child->sibling)
		used += child->used_bytes;
	ck_assert_msg(used < (4 << 20) + 256 * length, "%zu bytes for %zu", used, length);
	for (size_t i = 0; i < r.diags.list.count; i++)
		ck_assert_uint_le(r.diags.list.items[i].span.end, length);
	const u32 errors = r.diags.error_count;
	arena_free(&r.arena);
	return errors;
}

START_TEST(truncated_at_every_byte)
{
	static const char *const names[] = {"declarations.ptx", "operands.ptx"};
	size_t length;

	for (size_t k = 0; k < COUNT_OF(names); k++) {
		char *text = load(PTX_DIR, names[k], &length);
		for (size_t i = 0; i < length; i++)
			read_hostile(text, i);
		free(text);
	}
}
END_TEST

static u64 random_next(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* One to four changes: a byte, a stretch removed, doubled, or replaced by a stretch from elsewhere. */
static size_t mutate(char *text, size_t length, size_t room, u64 *state)
{
	static const char alphabet[] = "{}()[];:,.@!%<>=+-*/|&^~?\"\\_ \n0123456789abxXfFU$\xff\x80\x01";

	for (u64 n = random_next(state) % 4 + 1; n; n--) {
		const size_t at = random_next(state) % length, from = random_next(state) % length;
		size_t count = random_next(state) % 40 + 1;
		if (count > length - at)
			count = length - at;
		switch (random_next(state) % 4) {
		case 0:
			text[at] = alphabet[random_next(state) % sizeof alphabet];
			break;
		case 1:
			if (length - count < 100)
				break;
			memmove(text + at, text + at + count, length - at - count);
			length -= count;
			break;
		case 2:
			if (length + count > room)
				break;
			memmove(text + at + count, text + at, length - at);
			length += count;
			break;
		case 3:
			if (from + count <= length)
				memmove(text + at, text + from, count);
			break;
		}
	}
	return length;
}

START_TEST(mutated_ten_thousand_times)
{
	static const char *const names[] = {"declarations.ptx", "operands.ptx"};
	u64 state = 88172645463325252u;
	u32 refused = 0;
	size_t length;

	for (size_t k = 0; k < COUNT_OF(names); k++) {
		char *text = load(PTX_DIR, names[k], &length);
		char *copy = malloc(2 * length);
		for (u32 i = 0; i < 5000; i++) {
			memcpy(copy, text, length);
			refused += read_hostile(copy, mutate(copy, length, 2 * length, &state)) != 0;
		}
		free(copy);
		free(text);
	}
	ck_assert_uint_gt(refused, 5000); /* the changes do something */
}
END_TEST

START_TEST(repeated_without_end)
{
	static const char *const prefixes[] = {
		"", ".version 9.0\n.target sm_90\n", ".version 9.0\n.target sm_90\n.entry k() {\n.reg .b32 %r<9>;\n",
		".version 9.0\n.target sm_90\n.entry k() {\n.reg .b32 %r<9>;\nmov.b32 %r1, ",
		".version 9.0\n.target sm_90\n.global .b8 x[] = "};
	static const char *const units[] = {" ",    "\n",     "{",  "}",    "(",     ")",   "[",  ";",     ":",  "-",
					    "1",    "a",      ".",  ".x",   "{1,",   "1?",  "1+", "@",     "/*", "\"",
					    "\xff", "(.s64)", "1,", "%r1|", "//@\n", "L: ", "{}", ".b32 ", "0x"};
	enum { BYTES = 300000 };
	char *text = malloc(BYTES + 200);

	for (size_t p = 0; p < COUNT_OF(prefixes); p++)
		for (size_t u = 0; u < COUNT_OF(units); u++) {
			size_t length = (size_t)sprintf(text, "%s", prefixes[p]);
			for (size_t unit = strlen(units[u]); length + unit < BYTES; length += unit)
				memcpy(text + length, units[u], unit);
			read_hostile(text, length);
		}
	memset(text, 0, BYTES);
	ck_assert_uint_gt(read_hostile(text, BYTES), 0);
	free(text);
}
END_TEST

/* The linker sends the program's calls of calloc and malloc here: the one that `failing` counts
 * down to fails, and all after it. */
void *__real_calloc(size_t count, size_t bytes);
void *__real_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_malloc(size_t bytes);
static bool counting;
static long failing;

void *__wrap_calloc(size_t count, size_t bytes)
{
	return counting && --failing <= 0 ? NULL : __real_calloc(count, bytes);
}

void *__wrap_malloc(size_t bytes) { return counting && --failing <= 0 ? NULL : __real_malloc(bytes); }

/* True if the text was read to its end with the nth allocation failing. */
static bool read_with_failure(const char *text, size_t length, long nth)
{
	struct reading r = {0};
	jmp_buf out_of_memory;

	if (setjmp(out_of_memory)) {
		counting = false;
		arena_free(&r.arena);
		return false;
	}
	failing = nth;
	counting = true;
	arena_init(&r.arena, &out_of_memory);
	r.sources.arena = &r.arena;
	strings_init(&r.strings, &r.arena);
	diags_init(&r.diags, &r.arena, &r.sources);
	ptx_read(&r.arena, &r.strings, &r.diags, source_add(&r.sources, "text.ptx", text, length));
	counting = false;
	const bool complete = r.diags.error_count == 0;
	arena_free(&r.arena);
	return complete;
}

START_TEST(memory_that_ends)
{
	size_t length;
	char *text = load(PTX_DIR, "declarations.ptx", &length);
	long nth = 1;

	while (nth < 1000 && !read_with_failure(text, length, nth))
		nth++;
	ck_assert_int_gt(nth, 3);
	ck_assert_int_lt(nth, 1000);
	free(text);
}
END_TEST

START_TEST(errors_are_limited)
{
	char text[4000] = ".version 9.0\n.target sm_90\n.entry k() {\n";
	struct reading r = {0};

	for (size_t i = strlen(text); i + 8 < sizeof text; i = strlen(text))
		strcat(text, "a 1 2;\n");
	arena_init(&r.arena, NULL);
	r.sources.arena = &r.arena;
	strings_init(&r.strings, &r.arena);
	diags_init(&r.diags, &r.arena, &r.sources);
	r.diags.error_limit = 5;
	ptx_read(&r.arena, &r.strings, &r.diags, source_add(&r.sources, "text.ptx", text, strlen(text)));
	ck_assert_uint_eq(r.diags.list.count, 5);
	ck_assert_uint_eq(r.diags.error_count, 6); /* reading stops at the first that is not kept */
	arena_free(&r.arena);
	read_bytes(&r, text, strlen(text));
	ck_assert_uint_gt(r.diags.error_count, 400);
	arena_free(&r.arena);
}
END_TEST

START_TEST(a_hundred_megabytes_of_blanks)
{
	const size_t length = (size_t)100 << 20;
	char *text = malloc(length);

	memset(text, ' ', length);
	ck_assert_uint_gt(read_hostile(text, length), 0);
	free(text);
}
END_TEST

UNIT_TESTS("ptx_hostile", 120)
{
	UNIT_TEST(truncated_at_every_byte);
	UNIT_TEST(mutated_ten_thousand_times);
	UNIT_TEST(repeated_without_end);
	UNIT_TEST(memory_that_ends);
	UNIT_TEST(errors_are_limited);
	UNIT_TEST(a_hundred_megabytes_of_blanks);
}
