/* SPDX-License-Identifier: Apache-2.0
 *
 * Video instructions against the manual's pseudocode (PTX ISA 9.7.17) in wide integers: random forms with all their
 * selectors, types and modifiers, on values where something changes. Where the assembler builds them otherwise
 * (src/sem/video.c says how), the recordings have the answer (scalar-video, mixed-forms) and `built_otherwise` leaves
 * the lane out.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_run.h"
#include "main.h"

typedef __int128 wide;

enum { KERNELS = 60, FORMS = 40, INPUTS = 8 };
enum operation { ADD, SUB, ABSDIFF, MIN, MAX, AVRG, SET, SHL, SHR, MAD };
enum secondary { NONE, PLUS, LESSER, GREATER };

static const char *const operations[] = {"vadd",  "vsub", "vabsdiff", "vmin", "vmax",
					 "vavrg", "vset", "vshl",     "vshr", "vmad"};
static const char *const comparisons[] = {".eq", ".ne", ".lt", ".le", ".gt", ".ge"};
static const char *const parts[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};

struct video {
	enum operation op;
	bool d_signed, a_signed, b_signed, sat, wrap, po, minus_a, minus_b, minus_c;
	enum secondary second;
	uint32_t compare, shift;
	uint32_t a, b, c;                /* inputs */
	uint32_t d_part, a_part, b_part; /* of a scalar: indices of `parts` */
	uint32_t elements;               /* 2 or 4; 0: scalar */
	uint32_t d_mask, a_pick[4], b_pick[4];
};

/* --- The oracle ------------------------------------------------------------------------------------------- */

static wide extended(uint64_t bits, uint32_t width, bool is_signed)
{
	const wide value = (wide)(bits & ((1ull << width) - 1));

	return is_signed && value >> (width - 1) & 1 ? value - ((wide)1 << width) : value;
}

static wide part_of(uint32_t v, uint32_t part, bool is_signed)
{
	if (part == 0)
		return extended(v, 32, is_signed);
	return part <= 4 ? extended(v >> 8 * (part - 1), 8, is_signed) : extended(v >> 16 * (part - 5), 16, is_signed);
}

static wide clamped(wide v, uint32_t width, bool is_signed)
{
	const wide high = ((wide)1 << (width - is_signed)) - 1, low = is_signed ? -high - 1 : 0;

	return v < low ? low : v > high ? high : v;
}

static bool compares(uint32_t compare, wide a, wide b)
{
	const bool truths[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};

	return truths[compare];
}

static wide basic(const struct video *v, wide a, wide b)
{
	const uint32_t count = v->wrap ? (uint32_t)b & 31 : b > 32 ? 32 : (uint32_t)b;

	switch (v->op) {
	case ADD:
		return a + b;
	case SUB:
		return a - b;
	case ABSDIFF:
		return a > b ? a - b : b - a;
	case MIN:
		return a < b ? a : b;
	case MAX:
		return a > b ? a : b;
	case AVRG:
		return (a + b + (a + b >= 0)) >> 1;
	case SHL:
		return a * ((wide)1 << count);
	case SHR:
		return a >> count;
	default:
		return compares(v->compare, a, b);
	}
}

static uint32_t scalar(const struct video *v, uint32_t a, uint32_t b, uint32_t c)
{
	wide value = basic(v, part_of(a, v->a_part, v->a_signed), part_of(b, v->b_part, v->b_signed));
	const uint32_t width = v->d_part == 0 ? 32 : v->d_part <= 4 ? 8 : 16;
	const uint32_t shift = v->d_part == 0 ? 0 : v->d_part <= 4 ? 8 * (v->d_part - 1) : 16 * (v->d_part - 5);

	if (v->sat)
		value = clamped(value, width, v->d_signed);
	const wide other = extended(c, 32, v->d_signed);
	if (v->second == PLUS)
		value += (wide)c;
	else if (v->second)
		value = (value < other) == (v->second == LESSER) ? value : other;
	if (v->d_part == 0)
		return (uint32_t)value;
	const uint32_t ones = (uint32_t)(((1ull << width) - 1) << shift);
	return (c & ~ones) | ((uint32_t)value << shift & ones);
}

static uint32_t multiplied(const struct video *v, uint32_t a, uint32_t b, uint32_t c)
{
	const bool minus = v->minus_a != v->minus_b;
	const bool is_signed = v->a_signed || v->b_signed || minus || v->minus_c;
	const wide product = part_of(a, v->a_part, v->a_signed) * part_of(b, v->b_part, v->b_signed);
	const wide addend = extended(c, 32, is_signed);
	wide value = (minus ? -product : product) + (v->minus_c ? -addend : addend) + v->po;

	value >>= v->shift;
	return (uint32_t)(v->sat ? clamped(value, 32, is_signed) : value);
}

static uint32_t in_elements(const struct video *v, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t width = 32 / v->elements, ones = (uint32_t)((1ull << width) - 1);
	const uint64_t both = (uint64_t)b << 32 | a;
	uint32_t result = c;

	for (uint32_t k = 0; k < v->elements; k++) {
		if (!(v->d_mask >> k & 1))
			continue;
		wide value = basic(v, extended(both >> width * v->a_pick[k], width, v->a_signed),
				   extended(both >> width * v->b_pick[k], width, v->b_signed));
		if (v->sat)
			value = clamped(value, width, v->d_signed);
		if (v->second)
			result += (uint32_t)value;
		else
			result = (result & ~(ones << width * k)) | ((uint32_t)value & ones) << width * k;
	}
	return result;
}

/* Whether the assembler makes something else of it than the manual says, for these values. */
static bool built_otherwise(const struct video *v, uint32_t a, uint32_t b, uint32_t c)
{
	const wide x = part_of(a, v->a_part, v->a_signed), y = part_of(b, v->b_part, v->b_signed);
	const wide top = (wide)1 << 31;

	if (v->elements)
		return false;
	if (v->op == MAD) {
		const bool is_signed = v->a_signed || v->b_signed || v->minus_a != v->minus_b || v->minus_c;
		return x >= top || y >= top || (!is_signed && c >> 31);
	}
	const wide value = basic(v, x, y);
	const bool shifts = v->op == SHL || v->op == SHR;
	if (v->d_part == 6 || (v->sat && shifts && (v->d_part || v->op == SHL)))
		return true;
	if (v->sat && (v->d_part ? value < 0 : !v->d_signed && value >= 2 * top))
		return true;
	if (v->second == LESSER || v->second == GREATER)
		return v->op == SET ? v->a_signed : value < (v->d_signed ? -top : 0) || value >= top;
	return false;
}

/* --- Forms ------------------------------------------------------------------------------------------------ */

static struct video random_scalar(uint64_t *r)
{
	static const enum operation choice[] = {ADD, SUB, ABSDIFF, MIN, MAX, SET, SHL, SHR, MAD};
	struct video v = {.op = choice[random_below(r, 9)]};

	v.d_signed = v.op != SET && random_below(r, 2);
	v.a_signed = random_below(r, 2);
	v.b_signed = v.op != SHL && v.op != SHR && random_below(r, 2);
	v.a_part = random_below(r, 7);
	v.b_part = random_below(r, 7);
	v.compare = random_below(r, 6);
	v.wrap = random_below(r, 2);
	v.sat = v.op != SET && random_below(r, 2);
	if (v.op == MAD) {
		v.po = random_below(r, 3) == 0;
		v.minus_a = !v.po && random_below(r, 4) == 0;
		v.minus_b = !v.po && random_below(r, 4) == 0;
		v.minus_c = !v.po && !v.minus_a && !v.minus_b && random_below(r, 3) == 0;
		v.shift = (const uint32_t[]){0, 7, 15}[random_below(r, 3)];
	} else if (random_below(r, 2)) {
		v.d_part = random_below(r, 7);
	} else {
		v.second = random_below(r, 4);
	}
	return v;
}

static struct video random_elements(uint64_t *r)
{
	static const enum operation choice[] = {ADD, SUB, ABSDIFF, MIN, MAX, AVRG, SET};
	struct video v = {.op = choice[random_below(r, 7)], .elements = random_below(r, 2) ? 2 : 4};

	v.d_signed = random_below(r, 2);
	v.a_signed = random_below(r, 2);
	v.b_signed = random_below(r, 2);
	v.compare = random_below(r, 6);
	v.second = random_below(r, 3) == 0 ? PLUS : NONE;
	v.sat = !v.second && v.op != SET && random_below(r, 2);
	v.d_mask = random_below(r, 2) ? (1u << v.elements) - 1 : 1 + random_below(r, (1u << v.elements) - 1);
	for (uint32_t k = 0; k < 4; k++) {
		v.a_pick[k] = random_below(r, 2 * v.elements);
		v.b_pick[k] = random_below(r, 2 * v.elements);
	}
	return v;
}

static const char *sign(bool is_signed) { return is_signed ? ".s32" : ".u32"; }

static void write_picks(struct kernel_text *t, const struct video *v, const uint32_t pick[4])
{
	kernel_add(t, v->elements == 2 ? ".h" : ".b");
	for (uint32_t k = v->elements; k-- > 0;)
		kernel_add(t, "%u", pick[k]);
}

static void write_elements(struct kernel_text *t, const struct video *v)
{
	kernel_add(t, "%s%u", operations[v->op], v->elements);
	if (v->op == SET)
		kernel_add(t, "%s%s%s", sign(v->a_signed), sign(v->b_signed), comparisons[v->compare]);
	else
		kernel_add(t, "%s%s%s%s", sign(v->d_signed), sign(v->a_signed), sign(v->b_signed),
			   v->sat ? ".sat" : "");
	kernel_add(t, "%s %%d%s", v->second ? ".add" : "", v->elements == 2 ? ".h" : ".b");
	for (uint32_t k = v->elements; k-- > 0;)
		if (v->d_mask >> k & 1)
			kernel_add(t, "%u", k);
	kernel_add(t, ", %%r%u", v->a);
	write_picks(t, v, v->a_pick);
	kernel_add(t, ", %%r%u", v->b);
	write_picks(t, v, v->b_pick);
	kernel_add(t, ", %%r%u;\n", v->c);
}

static void write_scalar(struct kernel_text *t, const struct video *v)
{
	static const char *const seconds[] = {"", ".add", ".min", ".max"};

	kernel_add(t, "%s", operations[v->op]);
	if (v->op == SET)
		kernel_add(t, "%s%s%s", sign(v->a_signed), sign(v->b_signed), comparisons[v->compare]);
	else
		kernel_add(t, "%s%s%s", sign(v->d_signed), sign(v->a_signed), sign(v->b_signed));
	kernel_add(t, "%s%s", v->po ? ".po" : "", v->sat ? ".sat" : "");
	if (v->op == SHL || v->op == SHR)
		kernel_add(t, v->wrap ? ".wrap" : ".clamp");
	kernel_add(t, "%s%s", v->shift == 7 ? ".shr7" : v->shift ? ".shr15" : "", seconds[v->second]);
	kernel_add(t, " %%d%s, %s%%r%u%s, %s%%r%u%s", parts[v->d_part], v->minus_a ? "-" : "", v->a, parts[v->a_part],
		   v->minus_b ? "-" : "", v->b, parts[v->b_part]);
	if (v->op == MAD || v->second || v->d_part)
		kernel_add(t, ", %s%%r%u", v->minus_c ? "-" : "", v->c);
	kernel_add(t, ";\n");
}

/* --- Runs ------------------------------------------------------------------------------------------------- */

static void write_kernel(struct kernel_text *t, struct video forms[FORMS], uint64_t *r)
{
	kernel_add(
		t,
		".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n"
		".reg .b32 %%r<%d>, %%t, %%d; .reg .b64 %%i, %%o, %%w;\n"
		"ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out]; mov.u32 %%t, %%tid.x;\n"
		"mul.wide.u32 %%w, %%t, %d; add.u64 %%i, %%i, %%w; mul.wide.u32 %%w, %%t, 4; add.u64 %%o, %%o, %%w;\n",
		INPUTS, 4 * INPUTS);
	for (int k = 0; k < INPUTS; k++)
		kernel_add(t, "ld.global.u32 %%r%d, [%%i+%d];\n", k, 4 * k);
	for (int k = 0; k < FORMS; k++) {
		forms[k] = random_below(r, 5) < 3 ? random_scalar(r) : random_elements(r);
		forms[k].a = random_below(r, INPUTS);
		forms[k].b = random_below(r, INPUTS);
		forms[k].c = random_below(r, INPUTS);
		(forms[k].elements ? write_elements : write_scalar)(t, &forms[k]);
		kernel_add(t, "st.global.u32 [%%o+%d], %%d;\n", k * KERNEL_LANES * 4);
	}
	kernel_add(t, "ret; }\n");
}

static uint32_t compare(const struct video *v, const uint32_t x[INPUTS], uint32_t got)
{
	const uint32_t a = x[v->a], b = x[v->b], c = x[v->c];
	struct kernel_text form = {NULL, 0, 0};

	if (built_otherwise(v, a, b, c))
		return 0;
	const uint32_t want = v->elements    ? in_elements(v, a, b, c)
			      : v->op == MAD ? multiplied(v, a, b, c)
					     : scalar(v, a, b, c);
	if (got != want)
		(v->elements ? write_elements : write_scalar)(&form, v);
	ck_assert_msg(got == want, "%sa %#x b %#x c %#x: %#x, not %#x", form.text, a, b, c, got, want);
	return 1;
}

START_TEST(forms_are_as_the_manual_says)
{
	uint64_t r = 0x9e3779b97f4a7c15;
	uint32_t compared = 0;

	for (int kernel = 0; kernel < KERNELS; kernel++) {
		struct kernel_text t = {NULL, 0, 0};
		struct video forms[FORMS];
		uint32_t in[KERNEL_LANES][INPUTS], out[FORMS][KERNEL_LANES];
		char error[200] = "";
		write_kernel(&t, forms, &r);
		for (int l = 0; l < KERNEL_LANES; l++)
			for (int k = 0; k < INPUTS; k++)
				in[l][k] = (uint32_t)random_value(&r, 32);
		ck_assert_msg(kernel_run(&t, in, sizeof in, out, sizeof out, KERNEL_LANES, error), "%s", error);
		for (int k = 0; k < FORMS; k++)
			for (int l = 0; l < KERNEL_LANES; l++)
				compared += compare(&forms[k], in[l], out[k][l]);
		kernel_free(&t);
	}
	ck_assert_uint_ge(compared, KERNELS * FORMS * KERNEL_LANES / 2);
}
END_TEST

UNIT_TESTS("oracle_video", 120) { UNIT_TEST(forms_are_as_the_manual_says); }
