/* SPDX-License-Identifier: Apache-2.0
 *
 * An element of A or B, or a scale, is taken apart into a significand with three bits behind the point and an exponent.
 * An element times its block's scale has six such bits, a product twelve.
 */
#include "number/tensor_narrow.h"

#include "number/ieee.h"
#include "number/soft.h"

enum { ROWS = 16, COLUMNS = 8, MAX_K = 128 };

enum {
	POINT = 3,              /* bits of a significand behind the point */
	FRACTION_BITS = 25,     /* what an aligned addend keeps */
	LEAST_REFERENCE = -133, /* as tensor_fused.h has it */
	NO_REFERENCE = -(1 << 20),
};

enum narrow_state {
	ABSENT, /* a place of a sparse row that holds nothing: not even 0 * inf */
	FINITE,
	INFINITE,
	NOT_A_NUMBER,
};

/* significand * 2^(exp - POINT), or twice POINT once it is scaled. */
struct narrow {
	s16 exp;
	u8 significand;
	u8 state;
	bool negative;
};

/* Bits of a format from the sign down, and where it lies in what holds it. */
struct narrow_layout {
	u8 exponent_bits, fraction_bits, bias, at;
	bool has_nan; /* all ones; e5m2 has infinity besides */
};

static struct narrow_layout layout_of(enum tensor_format format)
{
	switch (format) {
	case TENSOR_E5M2:
		return (struct narrow_layout){5, 2, 15, 0, true};
	case TENSOR_E3M2:
		return (struct narrow_layout){3, 2, 3, 0, false};
	case TENSOR_E2M3:
		return (struct narrow_layout){2, 3, 1, 0, false};
	case TENSOR_E2M1:
		return (struct narrow_layout){2, 1, 1, 0, false};
	case TENSOR_E2M1_CENTRAL:
		return (struct narrow_layout){2, 1, 1, 2, false};
	default:
		return (struct narrow_layout){4, 3, 7, 0, true};
	}
}

static struct narrow narrow_decode(const struct narrow_layout *l, u32 bits)
{
	const u32 top = (1u << l->exponent_bits) - 1, ones = (1u << l->fraction_bits) - 1;
	const u32 fraction = bits >> l->at & ones, field = bits >> (l->at + l->fraction_bits) & top;
	struct narrow n = {
		.exp = (s16)((field ? (s32)field : 1) - l->bias),
		.significand = (u8)((fraction | (field ? ones + 1 : 0)) << (POINT - l->fraction_bits)),
		.state = FINITE,
		.negative = bits >> (l->at + l->fraction_bits + l->exponent_bits) & 1,
	};

	if (l->has_nan && field == top && (l->fraction_bits == 2 || fraction == ones))
		n.state = fraction ? NOT_A_NUMBER : INFINITE;
	return n;
}

/* ue8m0 is a power of two; ue4m3 is e4m3 without its sign. */
static void narrow_scale(struct narrow *n, u8 scale, bool ue4m3)
{
	if (n->state == ABSENT)
		return;
	if (ue4m3) {
		const struct narrow_layout e4m3 = {4, 3, 7, 0, true};
		const struct narrow s = narrow_decode(&e4m3, scale & 0x7f);
		n->significand = (u8)(n->significand * s.significand);
		n->exp = (s16)(n->exp + s.exp);
		if (s.state == NOT_A_NUMBER)
			n->state = NOT_A_NUMBER;
		return;
	}
	n->significand = (u8)(n->significand << POINT);
	n->exp = (s16)(n->exp + scale - 127);
	if (scale == 0xff)
		n->state = NOT_A_NUMBER;
}

/* Which place of K the stored element of a sparse row has: a group's nibble names two of four elements, of 4-bit ones two
 * of four pairs. */
static u32 sparse_place(const struct tensor_form *form, const u8 *meta, u32 row, u32 stored)
{
	const u32 pair = form->group / 4, group = stored / (2 * pair);
	const u32 nibble = meta[group * form->m + row] >> (stored / pair % 2 ? 2 : 0) & 3;

	return group * form->group + nibble * pair + stored % pair;
}

/* A row of A or a column of B, with its scales. */
static void line_decode(const struct tensor_form *form, const struct tensor_operands *o, bool is_a, u32 line,
			struct narrow to[MAX_K])
{
	const struct narrow_layout layout = layout_of(is_a ? form->a : form->b);
	const u32 bits = tensor_format_bits(is_a ? form->a : form->b), per_word = 32 / bits;
	const u32 lines = is_a ? form->m : form->n, words = is_a ? form->a_words : form->b_words;
	const u32 *from = is_a ? o->a : o->b;
	const u8 *scales = is_a ? o->a_scales : o->b_scales;

	for (u32 k = 0; k < form->k; k++)
		to[k].state = ABSENT;
	for (u32 e = 0; e < words * per_word; e++) {
		const u32 k = is_a && form->sparse ? sparse_place(form, o->meta, line, e) : e;
		to[k] = narrow_decode(&layout, from[e / per_word * lines + line] >> e % per_word * bits);
	}
	for (u32 k = 0; k < form->k; k++)
		narrow_scale(&to[k], form->scales ? scales[k * form->scales / form->k * lines + line] : 127,
			     form->scales && form->ue4m3);
}

/* The accumulator's element as an addend: magnitude * 2^(exp - FRACTION_BITS). */
struct narrow_addend {
	s32 exp;
	u32 magnitude;
	u8 state;
	bool negative;
};

static struct narrow_addend addend_decode(u32 bits, bool half)
{
	const u32 stored = half ? 10 : 23, top = half ? 31 : 255;
	const u32 field = bits >> stored & top, fraction = bits & ((1u << stored) - 1);

	return (struct narrow_addend){
		.exp = (field ? (s32)field : 1) - (half ? 15 : 127),
		.magnitude = (fraction | (field ? 1u << stored : 0)) << (FRACTION_BITS - stored),
		.state = field < top ? FINITE
			 : fraction  ? NOT_A_NUMBER
				     : INFINITE,
		.negative = bits >> (half ? 15 : 31) & 1,
	};
}

/* What infinities and NaNs make of a sum; false: there are none. */
static bool special_sum(const struct tensor_form *form, const struct narrow *a, const struct narrow *b,
			const struct narrow_addend *c, u32 *result)
{
	const bool half = form->d == TENSOR_F16;
	bool nan = c->state == NOT_A_NUMBER, inf[2] = {false, false};

	inf[c->negative] = c->state == INFINITE;
	for (u32 k = 0; k < form->k; k++) {
		if (a[k].state == ABSENT || (a[k].state == FINITE && b[k].state == FINITE))
			continue;
		if (a[k].state == NOT_A_NUMBER || b[k].state == NOT_A_NUMBER ||
		    (a[k].state == FINITE && !a[k].significand) || (b[k].state == FINITE && !b[k].significand))
			nan = true;
		else
			inf[a[k].negative ^ b[k].negative] = true;
	}
	if (nan || (inf[0] && inf[1]))
		*result = half ? 0x7fff : 0x7fffffff;
	else
		*result = (half ? 0x7c00u : 0x7f800000u) | (u32)inf[1] << (half ? 15 : 31);
	return nan || inf[0] || inf[1];
}

/* magnitude * 2^unit: f32 toward zero, f16 to nearest; a zero is +0, what is too large infinity. */
static u32 sum_round(s64 sum, s32 unit, bool half)
{
	struct soft v = soft_from_u64(sum < 0 ? (u64)-sum : (u64)sum, sum < 0);

	if (!sum)
		return 0;
	v.exp += unit;
	if (half)
		return (u32)soft_pack(&soft_f16, v, ROUND_RN, false);
	if (v.exp > 127)
		return 0x7f800000u | (u32)v.sign << 31;
	const u32 bits = (u32)soft_pack(&soft_f32, v, ROUND_RZ, false);
	return bits & 0x7fffffff ? bits : 0;
}

static u32 element(const struct tensor_form *form, const struct narrow *a, const struct narrow *b, u32 c)
{
	const bool half = form->d == TENSOR_F16;
	const struct narrow_addend acc = addend_decode(c, half);
	s32 reference = max_s32(LEAST_REFERENCE, acc.magnitude ? acc.exp : NO_REFERENCE);
	u32 special;
	s64 sum = 0;

	if (special_sum(form, a, b, &acc, &special))
		return special;
	for (u32 k = 0; k < form->k; k++)
		if (a[k].state != ABSENT && a[k].significand && b[k].significand)
			reference = max_s32(reference, a[k].exp + b[k].exp);
	for (u32 k = 0; k < form->k; k++) {
		if (a[k].state == ABSENT)
			continue;
		const s32 lost = reference - a[k].exp - b[k].exp;
		const u64 product = (u64)a[k].significand * b[k].significand << (FRACTION_BITS - 4 * POINT);
		const s64 term = product && lost < 64 ? (s64)(product >> lost) : 0;
		sum += a[k].negative ^ b[k].negative ? -term : term;
	}
	const s32 lost = reference - acc.exp;
	const s64 term = acc.magnitude && lost < 32 ? acc.magnitude >> lost : 0;
	sum += acc.negative ? -term : term;
	return sum_round(sum, reference - FRACTION_BITS, half);
}

void tensor_mma_narrow(const struct tensor_form *form, const struct tensor_operands *o)
{
	struct narrow a[ROWS][MAX_K], b[COLUMNS][MAX_K];
	const u32 *c = o->c;
	u32 *d = o->d;

	for (u32 row = 0; row < ROWS; row++)
		line_decode(form, o, true, row, a[row]);
	for (u32 column = 0; column < COLUMNS; column++)
		line_decode(form, o, false, column, b[column]);
	for (u32 column = 0; column < COLUMNS; column++)
		for (u32 row = 0; row < ROWS; row++)
			d[column * ROWS + row] = element(form, a[row], b[column], c ? c[column * ROWS + row] : 0);
}
