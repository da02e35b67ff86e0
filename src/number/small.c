/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversions to and from the narrow formats, in integers. Each format is a row; what a format has
 * in place of infinity is all that differs.
 */
#include "number/small.h"
#include "number/half.h"
#include "number/ieee.h"
#include "number/soft.h"

struct small_row {
	struct soft_format format;
	int least; /* exponent of the least normal number */
	u8 max;    /* the greatest finite number */
	u8 nan;    /* what a NaN becomes */
	u8 inf;    /* from this magnitude on not finite; above 0x7f: all are */
};

static const struct small_row small_rows[] = {
	[SMALL_E4M3] = {{4, 3}, -6, 0x7e, 0x7f, 0x7f}, [SMALL_E5M2] = {{5, 2}, -14, 0x7b, 0x7f, 0x7c},
	[SMALL_E2M3] = {{2, 3}, 0, 0x1f, 0x1f, 0xff},  [SMALL_E3M2] = {{3, 2}, -2, 0x1f, 0x1f, 0xff},
	[SMALL_E2M1] = {{2, 1}, 0, 0x07, 0x07, 0xff},
};

static int small_sign_shift(const struct small_row *r) { return r->format.exp_bits + r->format.man_bits; }

/* Saturate a magnitude of any size and add the sign. */
static u8 small_finish(const struct small_row *r, u64 magnitude, bool sign, bool relu)
{
	u8 finite = magnitude > r->max ? r->max : (u8)magnitude;
	if (sign && relu)
		return 0;
	return (u8)(finite | sign << small_sign_shift(r));
}

u8 small_from_f32(enum small_format format, u32 a, bool relu)
{
	const struct small_row *r = &small_rows[format];
	u32 magnitude = a & ~F32_SIGN;
	if (magnitude > F32_INF)
		return r->nan;
	struct soft v = soft_unpack(&soft_f32, magnitude);
	u64 code = magnitude == F32_INF ? r->max : soft_encode(r->least, r->format.man_bits, v, ROUND_RN);
	return small_finish(r, code, a >> 31, relu);
}

u8 small_from_f16(enum small_format format, u16 a, bool relu) { return small_from_f32(format, f32_from_f16(a), relu); }

u16 f16_from_small(enum small_format format, u8 a, bool relu)
{
	const struct small_row *r = &small_rows[format];
	u8 magnitude = a & ((1u << small_sign_shift(r)) - 1);
	bool sign = (a >> small_sign_shift(r)) & 1;
	if (magnitude >= r->inf) {
		bool infinite = format == SMALL_E5M2 && magnitude == r->inf;
		u16 bits = infinite ? (u16)(sign << 15 | F16_INF) : HALF_NAN;
		return relu ? f16_relu(bits) : bits;
	}
	u16 bits = (u16)soft_pack(&soft_f16, soft_unpack(&r->format, a), ROUND_RZ, false);
	return relu ? f16_relu(bits) : bits;
}

/* soft_encode, with the direction from the carry of the discarded bits plus the random ones. */
static u64 encode_rs(int least, int man_bits, struct soft v, u32 random, int random_bits)
{
	int drop = 63 - man_bits + (v.exp < least ? least - v.exp : 0);
	u64 kept = soft_encode(least, man_bits, v, ROUND_RZ);
	/* The discarded bits as a fraction of 64 bits. Only the upper 32 can meet random ones. */
	u64 fraction = drop < 64 ? v.sig << (64 - drop) : drop < 128 ? v.sig >> (drop - 64) : 0;
	u64 sum = (fraction >> 32) + ((u64)random << (32 - random_bits));
	return kept + (sum >> 32);
}

u8 small_from_f32_rs(enum small_format format, u32 a, bool relu, u32 random)
{
	const struct small_row *r = &small_rows[format];
	u32 magnitude = a & ~F32_SIGN;
	int random_bits = format == SMALL_E2M1 ? 8 : 16;
	if (magnitude > F32_INF)
		return r->nan;
	struct soft v = soft_unpack(&soft_f32, magnitude);
	u64 code = magnitude == F32_INF ? r->max : encode_rs(r->least, r->format.man_bits, v, random, random_bits);
	return small_finish(r, code, a >> 31, relu);
}

/* Into f16 or bf16, whose infinity is inf. */
static u16 half_from_f32_rs(int least, int man_bits, u16 inf, u32 a, bool satfinite, u32 random, int random_bits)
{
	u32 magnitude = a & ~F32_SIGN;
	if (magnitude > F32_INF)
		return HALF_NAN;
	struct soft v = soft_unpack(&soft_f32, magnitude);
	u64 code = magnitude == F32_INF ? inf : encode_rs(least, man_bits, v, random, random_bits);
	u16 top = satfinite ? inf - 1 : inf;
	return (u16)((a >> 16 & HALF_SIGN) | (code > top ? top : code));
}

u16 f16_from_f32_rs(u32 a, bool relu, bool satfinite, u32 random)
{
	u16 d = half_from_f32_rs(-14, 10, F16_INF, a, satfinite, random & 0x1fff, 13);
	return relu ? f16_relu(d) : d;
}

u16 bf16_from_f32_rs(u32 a, bool relu, bool satfinite, u32 random)
{
	u16 d = half_from_f32_rs(-126, 7, BF16_INF, a, satfinite, random & 0xffff, 16);
	return relu ? bf16_relu(d) : d;
}

u8 ue8m0_from_f32(u32 a, enum round round, bool satfinite)
{
	u32 magnitude = a & ~F32_SIGN, code = magnitude >> 23;
	if (magnitude > F32_INF)
		return 0xff;
	/* 2^-127, code 0, is the f32 subnormal 0x00400000; all below it become 0. */
	if (round == ROUND_RP && code < 255 && (magnitude & 0x7fffff) && magnitude > 0x00400000)
		code++;
	return (u8)(satfinite && code == 255 ? 254 : code);
}

u8 ue8m0_from_bf16(u16 a, enum round round, bool satfinite)
{
	return ue8m0_from_f32(f32_from_bf16(a), round, satfinite);
}

u16 bf16_from_ue8m0(u8 a) { return a == 0xff ? HALF_NAN : a == 0 ? 0x0040 : (u16)(a << 7); }

static u32 tf32_rounded(u32 a, enum round round)
{
	u32 cut = a & ~0x1fffu;
	switch (round) {
	case ROUND_RN:
		return (a + 0xfff + (a >> 13 & 1)) & ~0x1fffu;
	case ROUND_RNA:
		return (a + 0x1000) & ~0x1fffu;
	case ROUND_RM:
		return a >> 31 && cut != a ? cut + 0x2000 : cut;
	case ROUND_RP:
		return !(a >> 31) && cut != a ? cut + 0x2000 : cut;
	case ROUND_RZ:
		break;
	}
	return cut;
}

u32 tf32_from_f32(u32 a, enum round round, bool satfinite, bool relu)
{
	bool full = (a & F32_INF) == F32_INF;
	if (f32_is_nan(a) && round != ROUND_RNA)
		return F32_NAN & ~0x1fffu;
	u32 d = full ? a & ~0x1fffu : tf32_rounded(a, round);
	if (satfinite && (d & F32_INF) == F32_INF)
		d -= 0x2000;
	return relu && d >> 31 ? 0 : d;
}
