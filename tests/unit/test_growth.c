/* SPDX-License-Identifier: Apache-2.0
 *
 * Large texts: four times the text takes about four times as long to read and lower, whatever it is that there is
 * much of. Time is the processor's, so that a busy machine does not matter.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/session.h"
#include "main.h"

enum { SMALL = 10000, LARGE = 4 * SMALL, UNIT_BYTES = 100 };
static const double RATIO = 9; /* of a square it would be 16 */

/* Each format is written so many times, with a number: in the module, in a kernel upwards, then downwards. */
static const struct {
	const char *what, *module, *up, *down;
} shapes[] = {
	{"constants", "", "mov.u32 r, %1$u;\n", ""},
	{"registers", "", ".reg .b32 r%1$u; mov.u32 r%1$u, 7;\n", ""},
	{"ranges", "", ".reg .b32 q%1$uy<2>; mov.u32 q%1$uy1, 7;\n", ""},
	{"variables", ".global .u32 v%1$u;\n", "mov.u64 d, v%1$u;\n", ""},
	{"shared variables", ".shared .b8 s%1$u[4];\n", "st.shared.u32 [s%1$u], r;\n", ""},
	{"local variables", "", "{ .local .b8 x[4]; st.local.u32 [x], r; }\n", ""},
	{"functions", ".func f%1$u() { ret; }\n", "call f%1$u;\n", ""},
	{"kernels", ".entry k%1$u() { ret; }\n", "", ""},
	{"prototypes", ".func f%1$u() { ret; }\n", "P%1$u: .callprototype _ (); call d, P%1$u;\n", ""},
	{"products", "", ".reg .f32 b%1$u; mul.f32 b%1$u, f, f;\n", "add.f32 f, b%1$u, f;\n"},
	{"nested loops", "", "L%1$u: add.u32 r, r, 1;\n", "@p bra L%1$u;\n"},
	{"jumps from scopes", "", "{ bra E%1$u; }\n", "E%1$u:\n"},
};

/* All formats have at most one number. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static size_t repeat(char *to, const char *format, u32 count, bool down)
{
	size_t length = 0;

	for (u32 k = 0; *format && k < count; k++)
		length += (size_t)snprintf(to + length, UNIT_BYTES, format, down ? count - 1 - k : k);
	return length;
}

static double seconds(size_t shape, u32 count)
{
	static const char *const head = ".version 9.0\n.target sm_90\n.address_size 64\n";
	char *const text = malloc(3ull * UNIT_BYTES * count + 1000);
	struct session s;
	size_t length = (size_t)sprintf(text, "%s", head);

	length += repeat(text + length, shapes[shape].module, count, false);
	length +=
		(size_t)sprintf(text + length, ".entry k() {\n.reg .pred p; .reg .b32 r; .reg .b64 d; .reg .f32 f;\n");
	length += repeat(text + length, shapes[shape].up, count, false);
	length += repeat(text + length, shapes[shape].down, count, true);
	length += (size_t)sprintf(text + length, "ret;\n}\n");
	ck_assert(session_open(&s));
	const clock_t start = clock();
	session_add_text(&s, "large.ptx", text, length);
	const bool built = session_build(&s, &(struct lower_options){.allow_unmodelled = true});
	const double taken = (double)(clock() - start) / CLOCKS_PER_SEC;
	ck_assert_msg(built, "%s: %.1000s", shapes[shape].what, session_diagnostics(&s, false));
	session_close(&s);
	free(text);
	return taken;
}

START_TEST(grows_with_the_text)
{
	double least = 1e9, ratio = 0;

	for (u32 try = 0; try < 3; try++) {
		const double small = seconds(_i, SMALL), large = seconds(_i, LARGE);
		least = small < least ? small : least;
		ratio = large / (least > 0.005 ? least : 0.005);
		if (ratio < RATIO)
			return;
	}
	ck_abort_msg("%s: four times the text takes %.1f times as long", shapes[_i].what, ratio);
}
END_TEST

UNIT_TESTS("growth", 0) { tcase_add_loop_test(unit, grows_with_the_text, 0, COUNT_OF(shapes)); }
