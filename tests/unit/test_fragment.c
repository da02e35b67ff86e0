/* SPDX-License-Identifier: Apache-2.0
 *
 * Fragments shown as matrices: whole pictures of small ones, and for all shapes that a matrix whose
 * elements tell their own place comes out in order.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "number/half.h"
#include "report/fragment.h"
#include "main.h"

#define HEAD                                                                   \
	".version 8.7\n.target %s\n.address_size 64\n.visible .entry k()\n{\n" \
	".reg .b32 a<8>, b<8>, c<8>, d<8>; .reg .f32 f<8>, g<8>; .reg .f64 x<8>, y<8>; .reg .pred p; .reg .b64 s;\n"

static char *show_on(const char *arch, const char *body, char letter, void (*fill)(struct fragment *x))
{
	struct session s;
	struct fragment x;
	const struct lower_options options = {.arch = arch};
	char text[2048], *shown = NULL;
	size_t length;

	snprintf(text, sizeof text, HEAD "%s\nret;\n}\n", arch, body);
	ck_assert(session_open(&s));
	session_add_text(&s, "test.ptx", text, strlen(text));
	ck_assert_msg(session_build(&s, &options), "%s", session_diagnostics(&s, false));
	const struct code *code = program_kernel(s.program, "k")->code;
	u8 *frame = aligned_alloc(64, (code->frame_bytes + 127) & ~63u);
	memset(frame, 0, (code->frame_bytes + 127) & ~63u);
	u32 insn = 0;
	while (insn < code->insn_count && !fragment_find(&x, code, insn, frame, 5, letter))
		insn++;
	if (insn < code->insn_count) {
		FILE *to = open_memstream(&shown, &length);
		fill(&x);
		fragment_print(to, &x);
		fclose(to);
	}
	free(frame);
	session_close(&s);
	return shown;
}

static char *show(const char *body, char letter, void (*fill)(struct fragment *x))
{
	return show_on("sm_90a", body, letter, fill);
}

/* Element number k of register r in lane l: 32 r + l in the low element, its negative in the next. */
static void fill_f16(struct fragment *x)
{
	for (u32 r = 0; r < x->count; r++)
		for (u32 l = 0; l < WARP_LANES; l++) {
			const u16 value = f16_from_f32_rn(bits_of_f32((f32)(32 * r + l)));
			((u32 *)(uintptr_t)x->rows[r])[l] = value | (u32)(value ^ HALF_SIGN) << 16;
		}
}

static void fill_s32(struct fragment *x)
{
	for (u32 r = 0; r < x->count; r++)
		for (u32 l = 0; l < WARP_LANES; l++)
			((u32 *)(uintptr_t)x->rows[r])[l] = 32 * r + l;
}

static void fill_f64(struct fragment *x)
{
	for (u32 r = 0; r < x->count; r++)
		for (u32 l = 0; l < WARP_LANES; l++)
			((f64 *)(uintptr_t)x->rows[r])[l] = 32 * r + l + 0.5;
}

START_TEST(shows_half_factor)
{
	char *text =
		show("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {a0,a1}, {b0}, {f0,f1,f2,f3};",
		     'A', fill_f16);

	ck_assert_ptr_nonnull(text);
	ck_assert_msg(
		!strncmp(text,
			 "A 16x8 f16\n       0   1   2   3   4   5   6   7\n  0    0  -0   1  -1   2  -2   3  -3\n"
			 "  1    4  -4   5  -5   6  -6   7  -7\n",
			 100),
		"%s", text);
	ck_assert_msg(strstr(text, "\n  8   32 -32  33 -33  34 -34  35 -35\n"), "%s", text);
	free(text);
}
END_TEST

START_TEST(shows_integer_sum)
{
	char *text = show(
		"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {d0,d1,d2,d3}, {a0,a1,a2,a3}, {b0,b1}, {c0,c1,c2,c3};",
		'C', fill_s32);

	ck_assert_ptr_nonnull(text);
	ck_assert_msg(strstr(text, "C 16x8 s32\n") && strstr(text, "\n  0    0  32   1  33   2  34   3  35\n") &&
			      strstr(text, "\n 15   92 124  93 125  94 126  95 127\n"),
		      "%s", text);
	free(text);
}
END_TEST

START_TEST(shows_doubles)
{
	char *text =
		show("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {x0,x1}, {y0}, {y1}, {x0,x1};", 'B', fill_f64);

	ck_assert_ptr_nonnull(text);
	ck_assert_msg(strstr(text, "B 4x8 f64\n") && strstr(text, "\n  3   3.5  7.5 11.5 15.5 19.5 23.5 27.5 31.5\n"),
		      "%s", text);
	free(text);
}
END_TEST

START_TEST(shows_octets_and_groups)
{
	char *text = show("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {f0,f1,f2,f3,f4,f5,f6,f7}, {a0,a1}, "
			  "{b0,b1}, {f0,f1,f2,f3,f4,f5,f6,f7};",
			  'A', fill_f16);

	ck_assert_ptr_nonnull(text);
	ck_assert_msg(strstr(text, "A 8x4 f16 of lanes 0 to 3 and 16 to 19\n") &&
			      strstr(text, "\n  0    0  -0  32 -32\n") &&
			      strstr(text, "A 8x4 f16 of lanes 12 to 15 and 28 to 31\n"),
		      "%s", text);
	free(text);
	text = show("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0,f1,f2,f3}, s, s, p, 1, 1, 0, 0;", 'D',
		    fill_s32);
	ck_assert_ptr_nonnull(text);
	ck_assert_msg(strstr(text, "D 16x8 f32, rows from 16 of 64\n"), "%s", text);
	free(text);
	ck_assert_ptr_null(show("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0,f1,f2,f3}, s, s, p, 1, 1, 0, 0;",
				'A', fill_s32));
	ck_assert_ptr_null(show("add.u32 a0, a1, a2;", 'A', fill_s32));
}
END_TEST

#define NARROW                                                                                                     \
	"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32 {f0,f1,f2,f3}, {a0,a1,a2,a3}, {b0,b1}, " \
	"{f4,f5,f6,f7};"
#define SCALED                                                                                                         \
	"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 {f0,f1,f2,f3}" \
	", {a0,a1,a2,a3}, {b0,b1}, {f4,f5,f6,f7}, {c0}, {0, 0}, {c1}, {0, 0};"

START_TEST(shows_narrow_factors)
{
	static const struct {
		const char *body;
		char letter;
		const char *head;
	} cases[] = {
		{NARROW, 'A', "A 16x32 e4m3\n"}, {NARROW, 'B', "B 32x8 e2m1\n"},  {NARROW, 'C', "C 16x8 f32\n"},
		{NARROW, 'D', "D 16x8 f32\n"},   {SCALED, 'A', "A 16x64 e2m1\n"}, {SCALED, 'B', "B 64x8 e2m1\n"},
		{SCALED, 'C', "C 16x8 f32\n"},
	};

	for (size_t k = 0; k < COUNT_OF(cases); k++) {
		char *text = show_on("sm_120a", cases[k].body, cases[k].letter, fill_s32);
		ck_assert_msg(text && !strncmp(text, cases[k].head, strlen(cases[k].head)), "%s: %s", cases[k].head,
			      text ? text : "nothing is shown");
		free(text);
	}
}
END_TEST

UNIT_TESTS("fragment", 0)
{
	UNIT_TEST(shows_half_factor);
	UNIT_TEST(shows_integer_sum);
	UNIT_TEST(shows_doubles);
	UNIT_TEST(shows_octets_and_groups);
	UNIT_TEST(shows_narrow_factors);
}
