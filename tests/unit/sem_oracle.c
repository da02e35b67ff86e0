/* SPDX-License-Identifier: Apache-2.0
 *
 * See sem_oracle.h.
 */
#include "sem_oracle.h"

#define A ((u32)o->in[1])
#define B ((u32)o->in[2])
#define C ((u32)o->in[3])

static bool has(const struct oracle *o, int token) { return form_has(o->f, token); }
static bool is(const struct oracle *o, const char *opcode)
{
	const size_t length = strcspn(o->f->row->form, ".[(");

	return strlen(opcode) == length && !strncmp(o->f->row->form, opcode, length);
}
static int type(const struct oracle *o, u32 k) { return form_type(o->f, k); }

enum round oracle_round(const struct form *f)
{
	static const struct {
		int token;
		enum round round;
	} names[] = {{M_rz, ROUND_RZ}, {M_rzi, ROUND_RZ}, {M_rm, ROUND_RM},  {M_rmi, ROUND_RM},
		     {M_rp, ROUND_RP}, {M_rpi, ROUND_RP}, {M_rna, ROUND_RNA}};

	for (u32 k = 0; k < COUNT_OF(names); k++)
		if (form_has(f, names[k].token))
			return names[k].round;
	return ROUND_RN;
}

/* --- arithmetic ------------------------------------------------------------------------------- */

/* a * b * c: every step but the last is done in f64. */
static u32 scaled_product(u32 a, u32 b, u32 c, enum round r, bool ftz, bool sat)
{
	const u64 ab = f64_mul(f64_from_f32(f32_mul(a, 0x3f800000, ROUND_RN, ftz, false), false),
			       f64_from_f32(f32_mul(b, 0x3f800000, ROUND_RN, ftz, false), false), r);
	const u64 abc = f64_mul(ab, f64_from_f32(f32_mul(c, 0x3f800000, ROUND_RN, ftz, false), false), r);

	return f32_mul(f32_from_f64(abc, r, ftz), 0x3f800000, ROUND_RN, ftz, sat);
}

static bool f32_operation(const struct oracle *o, u32 a, u32 b, u32 c, u64 *out)
{
	const enum round r = oracle_round(o->f);
	const bool ftz = has(o, M_ftz), sat = has(o, M_sat), nan = has(o, M_NaN), abs = has(o, M_abs);
	const bool three = o->f->operand_count == 4;

	if (is(o, "add"))
		*out = f32_add(a, b, r, ftz, sat);
	else if (is(o, "sub"))
		*out = f32_sub(a, b, r, ftz, sat);
	else if (is(o, "mul"))
		*out = f32_mul(a, b, r, ftz, sat);
	else if (is(o, "fma") || is(o, "mad"))
		*out = f32_fma(a, b, c, r, ftz, sat);
	else if (is(o, "%mul_scaled"))
		*out = scaled_product(a, b, c, r, ftz, sat);
	else if (is(o, "%fms"))
		*out = f32_fma(a, b, c ^ 1u << 31, r, ftz, sat);
	else if (is(o, "%fnm"))
		*out = f32_fma(a ^ 1u << 31, b, c, r, ftz, sat);
	else if (is(o, "%fnms"))
		*out = f32_fma(a ^ 1u << 31, b, c ^ 1u << 31, r, ftz, sat);
	else if (is(o, "div"))
		*out = f32_div(a, b, r, ftz);
	else if (is(o, "rcp"))
		*out = f32_rcp(a, r, ftz);
	else if (is(o, "sqrt"))
		*out = f32_sqrt(a, r, ftz);
	else if (is(o, "min"))
		*out = three ? f32_min3(a, b, c, ftz, nan, abs) : f32_min(a, b, ftz, nan, has(o, M_xorsign));
	else if (is(o, "max"))
		*out = three ? f32_max3(a, b, c, ftz, nan, abs) : f32_max(a, b, ftz, nan, has(o, M_xorsign));
	else if (is(o, "abs"))
		*out = f32_abs(a, ftz);
	else if (is(o, "neg"))
		*out = f32_neg(a, ftz);
	else if (is(o, "copysign"))
		*out = f32_copysign(a, b);
	else
		return false;
	return true;
}

/* The sign changed, but for a NaN, which goes through as it is. */
static u64 unless_nan_negated(u64 x) { return (x & ~(1ull << 63)) > 0x7ffull << 52 ? x : x ^ 1ull << 63; }

static bool f64_operation(struct oracle *o)
{
	const enum round r = oracle_round(o->f);
	const u64 a = o->in[1], b = o->in[2], c = o->in[3];

	if (is(o, "add"))
		o->out = f64_add(a, b, r);
	else if (is(o, "sub"))
		o->out = f64_sub(a, b, r);
	else if (is(o, "%sub"))
		o->out = (a & ~(1ull << 63)) > 0x7ffull << 52 ? a | 1ull << 51 : f64_sub(a, b, r);
	else if (is(o, "mul"))
		o->out = f64_mul(a, b, r);
	else if (is(o, "fma") || is(o, "mad"))
		o->out = f64_fma(a, b, c, r);
	else if (is(o, "%fms"))
		o->out = f64_fma(a, b, unless_nan_negated(c), r);
	else if (is(o, "%fnm"))
		o->out = f64_fma(unless_nan_negated(a), b, c, r);
	else if (is(o, "%fnms"))
		o->out = f64_fma(unless_nan_negated(a), b, unless_nan_negated(c), r);
	else if (is(o, "div"))
		o->out = f64_div(a, b, r);
	else if (is(o, "rcp"))
		o->out = f64_rcp(a, r);
	else if (is(o, "sqrt"))
		o->out = f64_sqrt(a, r);
	else if (is(o, "min"))
		o->out = f64_min(a, b);
	else if (is(o, "max"))
		o->out = f64_max(a, b);
	else if (is(o, "abs"))
		o->out = f64_abs(a);
	else if (is(o, "neg"))
		o->out = f64_neg(a);
	else if (is(o, "copysign"))
		o->out = f64_copysign(a, b);
	else
		return false;
	return true;
}

static bool testp(struct oracle *o)
{
	const enum testp property = (enum testp)(form_pick(o->f, M_finite, M_subnormal) - M_finite);

	o->out = type(o, 0) == T_f64 ? f64_testp(o->in[1], property) : f32_testp(A, property);
	return true;
}

static bool f16_operation(const struct oracle *o, u16 a, u16 b, u16 c, u16 *out)
{
	const bool ftz = has(o, M_ftz), sat = has(o, M_sat), nan = has(o, M_NaN), x = has(o, M_xorsign);

	if (is(o, "add"))
		*out = f16_add(a, b, ftz, sat);
	else if (is(o, "sub"))
		*out = f16_sub(a, b, ftz, sat);
	else if (is(o, "mul"))
		*out = f16_mul(a, b, ftz, sat);
	else if (is(o, "fma"))
		*out = !has(o, M_oob) ? f16_fma(a, b, c, ftz, sat, has(o, M_relu))
		       : sat          ? f16_fma_oob_sat(a, b, c)
				      : f16_fma_oob(a, b, c, has(o, M_relu));
	else if (is(o, "%fms"))
		*out = f16_fma(a, b, c ^ 0x8000, ftz, sat, false);
	else if (is(o, "%fnm"))
		*out = f16_fma(a ^ 0x8000, b, c, ftz, sat, false);
	else if (is(o, "%fnms"))
		*out = f16_fma(a ^ 0x8000, b, c ^ 0x8000, ftz, sat, false);
	else if (is(o, "min"))
		*out = f16_min(a, b, ftz, nan, x);
	else if (is(o, "max"))
		*out = f16_max(a, b, ftz, nan, x);
	else if (is(o, "abs"))
		*out = f16_abs(a, ftz);
	else if (is(o, "neg"))
		*out = f16_neg(a, ftz);
	else if (is(o, "ex2"))
		*out = f16_ex2_approx(a);
	else if (is(o, "tanh"))
		*out = f16_tanh_approx(a);
	else
		return false;
	return true;
}

static bool bf16_operation(const struct oracle *o, u16 a, u16 b, u16 c, u16 *out)
{
	const bool nan = has(o, M_NaN), x = has(o, M_xorsign);

	if (is(o, "add"))
		*out = bf16_add(a, b);
	else if (is(o, "sub"))
		*out = bf16_sub(a, b);
	else if (is(o, "mul"))
		*out = bf16_mul(a, b);
	else if (is(o, "fma"))
		*out = has(o, M_oob) ? bf16_fma_oob(a, b, c, has(o, M_relu)) : bf16_fma(a, b, c, has(o, M_relu));
	else if (is(o, "%fms"))
		*out = bf16_fma(a, b, c ^ 0x8000, false);
	else if (is(o, "%fnm"))
		*out = bf16_fma(a ^ 0x8000, b, c, false);
	else if (is(o, "%fnms"))
		*out = bf16_fma(a ^ 0x8000, b, c ^ 0x8000, false);
	else if (is(o, "min"))
		*out = bf16_min(a, b, nan, x);
	else if (is(o, "max"))
		*out = bf16_max(a, b, nan, x);
	else if (is(o, "abs"))
		*out = bf16_abs(a);
	else if (is(o, "neg"))
		*out = bf16_neg(a);
	else if (is(o, "ex2"))
		*out = bf16_ex2_approx(a);
	else if (is(o, "tanh"))
		*out = bf16_tanh_approx(a);
	else
		return false;
	return true;
}

static bool half_operation(struct oracle *o)
{
	const int t = type(o, 0);
	const bool bf16 = t == T_bf16 || t == T_bf16x2, x2 = t == T_f16x2 || t == T_bf16x2;
	u16 low = 0, high = 0;

	for (u32 k = 0; k < 1u + x2; k++) {
		const u32 shift = 16 * k;
		if (!(bf16 ? bf16_operation : f16_operation)(o, (u16)(A >> shift), (u16)(B >> shift), (u16)(C >> shift),
							     k ? &high : &low))
			return false;
	}
	o->out = low | (u32)high << 16;
	return true;
}

static u32 widened(int from, u64 v) { return from == T_bf16 ? f32_from_bf16((u16)v) : f32_from_f16((u16)v); }

static bool mixed(struct oracle *o)
{
	const int from = type(o, 1);
	const bool fma = is(o, "fma");

	return f32_operation(o, widened(from, A), fma ? widened(from, B) : B, C, &o->out);
}

static bool pairs(struct oracle *o)
{
	u64 low, high;

	if (!f32_operation(o, A, B, C, &low) ||
	    !f32_operation(o, (u32)(o->in[1] >> 32), (u32)(o->in[2] >> 32), (u32)(o->in[3] >> 32), &high))
		return false;
	o->out = low | high << 32;
	return true;
}

/* c + a * (1 / b), as of div.approx; no bits of enum quotient are set in a form of this table. */
static u64 quotient_sum(u32 a, u32 b, u32 c, bool ftz)
{
	const struct mufu_factors f = mufu_scale_division(a, b, false, ftz);

	return f32_fma(bits_of_f32(f.reciprocal), bits_of_f32(f.dividend), c, ROUND_RN, ftz, false);
}

static bool approx32(struct oracle *o)
{
	const bool ftz = has(o, M_ftz);

	if (is(o, "div"))
		o->out = has(o, M_full) ? f32_div_full(A, B, ftz) : f32_div_approx(A, B, ftz);
	else if (is(o, "%quotient_sum"))
		o->out = quotient_sum(A, B, C, ftz);
	else if (is(o, "rcp"))
		o->out = f32_rcp_approx(A, ftz);
	else if (is(o, "sqrt"))
		o->out = f32_sqrt_approx(A, ftz);
	else if (is(o, "rsqrt"))
		o->out = f32_rsqrt_approx(A, ftz);
	else if (is(o, "lg2"))
		o->out = f32_lg2_approx(A, ftz);
	else if (is(o, "ex2"))
		o->out = f32_ex2_approx(A, ftz);
	else if (is(o, "sin"))
		o->out = f32_sin_approx(A);
	else if (is(o, "cos"))
		o->out = f32_cos_approx(A);
	else if (is(o, "tanh"))
		o->out = f32_tanh_approx(A);
	else
		return false;
	return true;
}

static bool approx64(struct oracle *o)
{
	if (is(o, "rcp"))
		o->out = f64_rcp_approx_ftz(o->in[1]);
	else
		o->out = has(o, M_ftz) ? f64_rsqrt_approx_ftz(o->in[1]) : f64_rsqrt_approx(o->in[1]);
	return true;
}

/* --- cvt -------------------------------------------------------------------------------------- */

static bool is_float(int t) { return type_class(t) == 'f'; }
static bool is_signed(int t) { return type_class(t) == 's'; }

static u64 extended(int t, u64 v)
{
	const u32 gone = 64 - type_bits(t);

	return is_signed(t) ? (u64)((s64)(v << gone) >> gone) : v << gone >> gone;
}

static u64 clamped(int to, int from, u64 v)
{
	const u32 bits = type_bits(to);
	const s128 value = is_signed(from) ? (s128)(s64)v : (s128)v;
	const s128 low = is_signed(to) ? -((s128)1 << (bits - 1)) : 0;
	const s128 high = ((s128)1 << (bits - is_signed(to))) - 1;

	return (u64)(value < low ? low : value > high ? high : value);
}

static bool int_to_float(struct oracle *o, u64 v)
{
	const enum round r = oracle_round(o->f);
	const bool s = is_signed(type(o, 1)), sat = has(o, M_sat);

	switch (type(o, 0)) {
	case T_f16:
		o->out = s ? f16_from_s64((s64)v, r) : f16_from_u64(v, r);
		o->out = sat ? f16_saturate((u16)o->out) : o->out;
		return true;
	case T_bf16:
		o->out = s ? bf16_from_s64((s64)v, r) : bf16_from_u64(v, r);
		return true;
	case T_f32:
		o->out = s ? f32_from_s64((s64)v, r) : f32_from_u64(v, r);
		o->out = sat ? f32_saturate((u32)o->out) : o->out;
		return true;
	default:
		o->out = s ? f64_from_s64((s64)v, r) : f64_from_u64(v, r);
		o->out = sat ? f64_saturate(o->out) : o->out;
		return true;
	}
}

static bool float_to_int(struct oracle *o)
{
	const int to = type(o, 0), from = type(o, 1);
	const enum round r = oracle_round(o->f);
	const u32 bits = type_bits(to);

	if (from == T_f64)
		o->out = int_from_f64(o->in[1], bits, is_signed(to), r);
	else
		o->out = int_from_f32(from == T_f32 ? A : widened(from, A), bits, is_signed(to), r, has(o, M_ftz));
	o->out = extended(to, o->out);
	return true;
}

static u16 half_clamps(const struct oracle *o, bool bf16, u16 v)
{
	if (has(o, M_satfinite))
		v = bf16 ? bf16_satfinite(v) : f16_satfinite(v);
	if (has(o, M_relu))
		v = bf16 ? bf16_relu(v) : f16_relu(v);
	return has(o, M_sat) ? f16_saturate(v) : v;
}

static u16 half_of_f32(const struct oracle *o, bool bf16, u32 v, u32 random)
{
	const enum round r = oracle_round(o->f);

	if (has(o, M_rs))
		return bf16 ? bf16_from_f32_rs(v, has(o, M_relu), has(o, M_satfinite), random)
			    : f16_from_f32_rs(v, has(o, M_relu), has(o, M_satfinite), random & 0x1fff);
	if (bf16)
		return half_clamps(o, true, bf16_from_f32_exact(f32_flush_if(v, has(o, M_ftz)), r));
	return half_clamps(o, false, f16_from_f32_exact(v, r));
}

static bool same_type(struct oracle *o)
{
	const bool integral = form_pick(o->f, M_rni, M_rpi) != TOKEN_NONE, ftz = has(o, M_ftz), sat = has(o, M_sat);
	const enum round r = oracle_round(o->f);
	const u64 a = o->in[1];

	switch (type(o, 0)) {
	case T_f16:
		o->out = integral ? f16_round_integral((u16)a, r) : f16_is_nan((u16)a) ? HALF_NAN : a;
		o->out = sat ? f16_saturate((u16)o->out) : o->out;
		return true;
	case T_bf16:
		o->out = integral ? bf16_round_integral((u16)a, r) : bf16_is_nan((u16)a) ? HALF_NAN : a;
		return true;
	case T_f32:
		o->out = integral ? f32_round_integral(A, r, ftz) : ftz ? f32_flush(f32_canonical(A)) : A;
		o->out = sat ? f32_saturate((u32)o->out) : o->out;
		return true;
	default:
		o->out = integral ? f64_round_integral(a, r) : a;
		o->out = sat ? f64_saturate(o->out) : o->out;
		return true;
	}
}

static bool to_f32(struct oracle *o)
{
	const bool ftz = has(o, M_ftz);

	switch (type(o, 1)) {
	case T_f16:
		o->out = f32_from_f16((u16)A);
		break;
	case T_bf16:
		o->out = ftz ? f32_from_bf16_ftz((u16)A) : f32_from_bf16((u16)A);
		break;
	default:
		o->out = f32_from_f64(o->in[1], oracle_round(o->f), ftz);
		break;
	}
	o->out = has(o, M_sat) ? f32_saturate((u32)o->out) : o->out;
	return true;
}

static bool to_f64(struct oracle *o)
{
	const int from = type(o, 1);

	o->out = from == T_f16    ? f64_from_f16((u16)A)
		 : from == T_bf16 ? f64_from_bf16((u16)A)
				  : f64_from_f32(A, has(o, M_ftz));
	o->out = has(o, M_sat) ? f64_saturate(o->out) : o->out;
	return true;
}

static bool to_half(struct oracle *o)
{
	const int from = type(o, 1);
	const bool bf16 = type(o, 0) == T_bf16;
	const enum round r = oracle_round(o->f);

	if (from == T_f32)
		o->out = half_of_f32(o, bf16, A, 0);
	else if (from == T_f64)
		o->out = half_clamps(o, bf16, bf16 ? bf16_from_f64(o->in[1], r) : f16_from_f64(o->in[1], r));
	else
		o->out = bf16 ? bf16_from_f16((u16)A, r) : f16_from_bf16((u16)A, r);
	return true;
}

static enum small_format small_format(int t)
{
	switch (t) {
	case T_e4m3x2:
	case T_e4m3x4:
		return SMALL_E4M3;
	case T_e5m2x2:
	case T_e5m2x4:
		return SMALL_E5M2;
	case T_e2m3x2:
	case T_e2m3x4:
		return SMALL_E2M3;
	case T_e3m2x2:
	case T_e3m2x4:
		return SMALL_E3M2;
	default:
		return SMALL_E2M1;
	}
}

/* Pairs and fours of small values: the first source goes to the top. */
static bool packed_small(struct oracle *o)
{
	const int to = type(o, 0), from = type(o, 1);
	const bool relu = has(o, M_relu), finite = has(o, M_satfinite);
	const enum round r = oracle_round(o->f);

	if (to == T_ue8m0x2 && from == T_f32)
		o->out = (u32)ue8m0_from_f32(A, r, finite) << 8 | ue8m0_from_f32(B, r, finite);
	else if (to == T_ue8m0x2)
		o->out = (u32)ue8m0_from_bf16((u16)(A >> 16), r, finite) << 8 | ue8m0_from_bf16((u16)A, r, finite);
	else if (has(o, M_rs)) {
		const u32 bits = to == T_e2m1x4 ? 4 : 8, rbits = (u32)o->in[5];
		const u32 shifts[2][4] = {{16, 16, 0, 0}, {24, 8, 16, 0}};
		for (u32 e = 0; e < 4; e++) {
			const u32 random = rbits >> shifts[bits == 4][e] & (bits == 4 ? 0xff : 0xffff);
			o->out = o->out << bits | small_from_f32_rs(small_format(to), (u32)o->in[1 + e], relu, random);
		}
	} else {
		const u32 bits = to == T_e2m1x2 ? 4 : 8;
		const enum small_format format = small_format(to);
		const u8 high =
			from == T_f32 ? small_from_f32(format, A, relu) : small_from_f16(format, (u16)(A >> 16), relu);
		const u8 low = from == T_f32 ? small_from_f32(format, B, relu) : small_from_f16(format, (u16)A, relu);
		o->out = (u32)high << bits | low;
	}
	return true;
}

static bool packed_half(struct oracle *o)
{
	const bool bf16 = type(o, 0) == T_bf16x2;
	const int from = type(o, 1);
	const u32 bits = from == T_e2m1x2 ? 4 : 8, low = A & ((1u << bits) - 1), high = A >> bits & ((1u << bits) - 1);

	if (from == T_f32)
		o->out = (u32)half_of_f32(o, bf16, A, C >> 16) << 16 | half_of_f32(o, bf16, B, C & 0xffff);
	else if (from == T_ue8m0x2)
		o->out = (u32)bf16_from_ue8m0((u8)high) << 16 | bf16_from_ue8m0((u8)low);
	else
		o->out = (u32)f16_from_small(small_format(from), (u8)high, has(o, M_relu)) << 16 |
			 f16_from_small(small_format(from), (u8)low, has(o, M_relu));
	return true;
}

static bool pack_ints(struct oracle *o)
{
	const int to = type(o, 0);
	const u32 bits = type_bits(to), ones = (u32)((1ull << bits) - 1);
	const u32 a = (u32)clamped(to, T_s32, extended(T_s32, A)), b = (u32)clamped(to, T_s32, extended(T_s32, B));

	o->out = (a & ones) << bits | (b & ones);
	if (o->f->operand_count == 4)
		o->out |= (u32)(C << 2 * bits);
	return true;
}

static bool cvt(struct oracle *o)
{
	const int to = type(o, 0), from = type(o, 1);

	if (has(o, M_pack))
		return pack_ints(o);
	if (!is_float(to) && !is_float(from)) {
		const u64 v = extended(from, o->in[1]);
		o->out = extended(to, has(o, M_sat) ? clamped(to, from, v) : v);
		return true;
	}
	if (!is_float(to))
		return float_to_int(o);
	if (!is_float(from))
		return int_to_float(o, extended(from, o->in[1]));
	switch (to) {
	case T_tf32:
		o->out = tf32_from_f32(A, oracle_round(o->f), has(o, M_satfinite), has(o, M_relu));
		return true;
	case T_f16x2:
	case T_bf16x2:
		return packed_half(o);
	case T_f16:
	case T_bf16:
		return to == from ? same_type(o) : to_half(o);
	case T_f32:
		return to == from ? same_type(o) : to_f32(o);
	case T_f64:
		return to == from ? same_type(o) : to_f64(o);
	default:
		return packed_small(o);
	}
}

bool oracle_run(struct oracle *o)
{
	if (is(o, "cvt"))
		return cvt(o);
	if (is(o, "testp"))
		return testp(o);
	switch (type(o, 0)) {
	case T_f32:
		if (has(o, M_approx) || has(o, M_full) || o->f->row->last == 13 || is(o, "%quotient_sum"))
			return approx32(o);
		return type(o, 1) == TOKEN_NONE ? f32_operation(o, A, B, C, &o->out) : mixed(o);
	case T_f64:
		return has(o, M_approx) || !strncmp(o->f->row->form, "rsqrt", 5) ? approx64(o) : f64_operation(o);
	case T_f32x2:
		return pairs(o);
	default:
		return half_operation(o);
	}
}
