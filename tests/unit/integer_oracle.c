/* SPDX-License-Identifier: Apache-2.0
 *
 * The oracle of test_sem_integer: slow and plain. Opcodes of one kind share a function.
 */
#include "integer_oracle.h"

#include <math.h>
#include <string.h>

static bool is(const struct integer_case *c, const char *opcode) { return !strcmp(c->opcode, opcode); }
static bool has(const struct integer_case *c, int token) { return form_has(c->f, token); }
static int type_of(const struct integer_case *c, u32 k) { return form_type(c->f, k); }

static u64 low(u64 v, u32 bits) { return bits >= 64 ? v : v & ((1ull << bits) - 1); }
static s128 number(u64 v, u32 bits, bool is_signed)
{
	v = low(v, bits);
	return is_signed && v >> (bits - 1) & 1 ? (s128)v - ((s128)1 << bits) : (s128)v;
}
static s128 clamp(s128 v, s128 least, s128 most) { return v < least ? least : v > most ? most : v; }

/* --- Arithmetic -------------------------------------------------------------------------- */

static s128 plain(const struct integer_case *c, s128 a, s128 b, s128 third)
{
	if (is(c, "add"))
		return a + b;
	if (is(c, "sub"))
		return a - b;
	if (is(c, "sad"))
		return third + (a > b ? a - b : b - a);
	if (is(c, "abs"))
		return a < 0 ? -a : a;
	if (is(c, "neg"))
		return -a;
	if (is(c, "div"))
		return b == 0 ? -1 : a / b;
	if (is(c, "rem"))
		return b == 0 ? -1 : a % b;
	const s128 chosen = is(c, "min") == (a < b) ? a : b;
	return has(c, M_relu) && chosen < 0 ? 0 : chosen;
}

static bool arithmetic(struct integer_case *c)
{
	static const char *const opcodes[] = {"add", "sub", "sad", "abs", "neg", "div", "rem", "min", "max"};
	const int type = type_of(c, 0);
	const bool is_signed = type_class(type) == 's', pair = type == T_u16x2 || type == T_s16x2;
	const u32 bits = pair ? 16 : type_bits(type);
	bool known = false;

	for (u32 k = 0; k < COUNT_OF(opcodes); k++)
		known |= is(c, opcodes[k]);
	if (!known || has(c, M_cc))
		return false;
	c->out[0] = 0;
	for (u32 at = 0; at < type_bits(type); at += bits) {
		s128 v = plain(c, number(c->in[0] >> at, bits, is_signed), number(c->in[1] >> at, bits, is_signed),
			       number(c->in[2] >> at, bits, is_signed));
		if (has(c, M_sat))
			v = clamp(v, INT32_MIN, INT32_MAX);
		c->out[0] |= low((u64)v, bits) << at;
	}
	return true;
}

/* mul, mad, mul24, mad24, and all that reads or writes the carry flag. */
static bool products(struct integer_case *c)
{
	const bool is_24 = strstr(c->opcode, "24"), is_mad = !strncmp(c->opcode, "mad", 3);
	const bool is_sum = !strncmp(c->opcode, "add", 3), is_sub = !strncmp(c->opcode, "sub", 3);
	const bool carries = c->opcode[strlen(c->opcode) - 1] == 'c';
	const int type = type_of(c, 0);
	const u32 bits = type_bits(type), width = has(c, M_wide) ? 2 * bits : bits;
	const bool is_signed = type_class(type) == 's';

	if (!is_mad && strncmp(c->opcode, "mul", 3) && !is_sum && !is_sub)
		return false;
	/* Modulo 2^128 the product is right for both signs. */
	u128 x = (u128)number(c->in[0], is_24 ? 24 : bits, is_signed) *
		 (u128)number(c->in[1], is_24 ? 24 : bits, is_signed);
	x = has(c, M_hi) ? x >> (is_24 ? 16 : bits) : x;
	u64 y = is_mad ? c->in[2] : 0;
	if (is_sum || is_sub) {
		x = c->in[0];
		y = is_sub ? low(~c->in[1], bits) : c->in[1];
	}
	/* madc.hi.sat is madc.hi. */
	if (has(c, M_sat) && !(carries && is_mad)) {
		const s128 carry = carries ? c->carry : 0;
		c->out[0] = low(
			(u64)clamp(number((u64)x, 32, true) + number(y, 32, true) + carry, INT32_MIN, INT32_MAX), 32);
		return true;
	}
	const u128 sum = (u128)low((u64)x, width) + low(y, width) + (carries ? c->carry : is_sub ? 1 : 0);
	c->out[0] = low((u64)sum, width);
	if (has(c, M_cc))
		c->carry = sum >> width & 1;
	return true;
}

static bool dots(struct integer_case *c)
{
	const bool is_4 = is(c, "dp4a");
	s128 sum = (s128)c->in[2];

	if (!is_4 && !is(c, "dp2a"))
		return false;
	for (u32 k = 0; k < (is_4 ? 4 : 2); k++) {
		const u32 size = is_4 ? 8 : 16, byte = k + (has(c, M_hi) ? 2 : 0);
		sum += number(c->in[0] >> size * k, size, type_of(c, 0) == T_s32) *
		       number(c->in[1] >> 8 * byte, 8, type_of(c, 1) == T_s32);
	}
	c->out[0] = low((u64)sum, 32);
	return true;
}

/* --- Bits -------------------------------------------------------------------------------- */

static u64 bit(u64 v, u32 k) { return v >> k & 1; }

static bool counts(struct integer_case *c)
{
	const u32 bits = type_bits(type_of(c, 0));
	const u64 a = c->in[0];
	u32 ones = 0, highest = UINT32_MAX;
	u64 turned = 0;
	const u64 sign = type_class(type_of(c, 0)) == 's' ? bit(a, bits - 1) : 0;

	for (u32 k = 0; k < bits; k++) {
		ones += (u32)bit(a, k);
		turned |= bit(a, k) << (bits - 1 - k);
		highest = bit(a, k) != sign ? k : highest;
	}
	if (is(c, "popc"))
		c->out[0] = ones;
	else if (is(c, "brev"))
		c->out[0] = turned;
	else if (is(c, "clz"))
		c->out[0] = highest == UINT32_MAX ? bits : bits - 1 - highest;
	else if (is(c, "bfind"))
		c->out[0] = highest == UINT32_MAX || !has(c, M_shiftamt) ? highest : bits - 1 - highest;
	else
		return false;
	return true;
}

static bool fields(struct integer_case *c)
{
	const u32 bits = type_bits(type_of(c, 0));
	const bool insert = is(c, "bfi");
	const u64 taken = bits == 64 ? UINT32_MAX : 0xff; /* outside 0 to 255: seen on hardware */
	const u64 position = c->in[insert ? 2 : 1] & taken, length = c->in[insert ? 3 : 2] & taken;

	if (insert) {
		c->out[0] = c->in[1];
		for (u32 k = 0; k < length && position + k < bits; k++)
			c->out[0] = (c->out[0] & ~(1ull << (position + k))) | bit(c->in[0], k) << (position + k);
		return true;
	}
	if (!is(c, "bfe"))
		return false;
	const u64 last = position + length - 1 < bits ? position + length - 1 : bits - 1;
	const u64 sign = type_class(type_of(c, 0)) == 's' && length ? bit(c->in[0], (u32)last) : 0;
	c->out[0] = 0;
	for (u32 k = 0; k < bits; k++)
		c->out[0] |= (k < length && position + k < bits ? bit(c->in[0], (u32)position + k) : sign) << k;
	return true;
}

static bool masks(struct integer_case *c)
{
	const u64 a = has(c, M_wrap) ? c->in[0] & 31 : c->in[0], b = has(c, M_wrap) ? c->in[1] & 31 : c->in[1];

	c->out[0] = 0;
	for (u64 k = 0; k < 32; k++) {
		if (is(c, "bmsk"))
			c->out[0] |= (u64)(k >= a && k < a + b) << k;
		else if (is(c, "szext"))
			c->out[0] |= (k < b                         ? bit(c->in[0], (u32)k)
				      : b && type_of(c, 0) == T_s32 ? bit(c->in[0], (u32)b - 1)
								    : 0)
				     << k;
		else
			return false;
	}
	return true;
}

static bool nth_set(struct integer_case *c)
{
	const s64 base = (s64)c->in[1], offset = (s32)c->in[2];
	s64 count = (offset < 0 ? -offset : offset) - 1;

	if (!is(c, "fns"))
		return false;
	c->out[0] = offset == INT32_MIN ? 0 : UINT32_MAX;
	for (s64 at = base; offset != INT32_MIN && at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
		if (offset == 0 && !bit(c->in[0], (u32)at))
			break;
		if (bit(c->in[0], (u32)at) && count-- <= 0) {
			c->out[0] = (u64)at;
			break;
		}
	}
	return true;
}

/* --- Logic and shifts -------------------------------------------------------------------- */

static bool logic(struct integer_case *c)
{
	const u32 bits = type_bits(type_of(c, 0));
	const u64 a = c->in[0], b = c->in[1];

	c->out[0] = 0;
	for (u32 k = 0; k < bits; k++) {
		const u64 index = bit(a, k) << 2 | bit(b, k) << 1 | bit(c->in[2], k);
		const u64 one = is(c, "and")    ? bit(a, k) & bit(b, k)
				: is(c, "or")   ? bit(a, k) | bit(b, k)
				: is(c, "xor")  ? bit(a, k) ^ bit(b, k)
				: is(c, "not")  ? !bit(a, k)
				: is(c, "cnot") ? k == 0 && a == 0
				: is(c, "lop3") ? bit(c->table, (u32)index)
						: 2;
		if (one == 2)
			return false;
		c->out[0] |= one << k;
	}
	if (has(c, M_and))
		c->out[1] = c->out[0] && c->in[3];
	if (has(c, M_or))
		c->out[1] = c->out[0] || c->in[3];
	return true;
}

static bool shifts(struct integer_case *c)
{
	const u32 bits = type_bits(type_of(c, 0));
	const u64 a = c->in[0], n = c->in[1];
	const u64 sign = type_class(type_of(c, 0)) == 's' ? bit(a, bits - 1) : 0;

	if (is(c, "shf")) {
		const u64 both = c->in[1] << 32 | a, m = has(c, M_wrap) ? c->in[2] & 31 : c->in[2] > 32 ? 32 : c->in[2];
		c->out[0] = low(has(c, M_l) ? both << m >> 32 : both >> m, 32);
		return true;
	}
	c->out[0] = 0;
	for (u64 k = 0; k < bits; k++) {
		if (is(c, "shl"))
			c->out[0] |= (k >= n ? bit(a, (u32)(k - n)) : 0) << k;
		else if (is(c, "shr"))
			c->out[0] |= (k + n < bits ? bit(a, (u32)(k + n)) : sign) << k;
		else
			return false;
	}
	return true;
}

static bool permute(struct integer_case *c)
{
	/* Bytes from the lowest, for c & 3 = 0 to 3. */
	static const struct {
		int mode;
		u8 bytes[4][4];
	} modes[] = {
		{M_f4e, {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}},
		{M_b4e, {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}},
		{M_rc8, {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
		{M_ecl, {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}},
		{M_ecr, {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}},
		{M_rc16, {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}},
	};
	const u64 both = c->in[1] << 32 | c->in[0];

	if (!is(c, "prmt"))
		return false;
	c->out[0] = 0;
	for (u32 k = 0; k < 4; k++) {
		u64 selector = c->in[2] >> 4 * k & 15;
		for (u32 m = 0; m < COUNT_OF(modes); m++)
			if (has(c, modes[m].mode))
				selector = modes[m].bytes[c->in[2] & 3][k];
		const u64 byte = both >> 8 * (selector & 7) & 0xff;
		c->out[0] |= (selector & 8 ? (byte >> 7) * 0xff : byte) << 8 * k;
	}
	return true;
}

/* --- Comparison and selection ------------------------------------------------------------ */

static double real(const struct integer_case *c, u64 v, int type)
{
	const u32 bits = type_bits(type), fraction = type == T_f16 ? 10 : type == T_bf16 ? 7 : bits == 32 ? 23 : 52;
	const s32 top = (1 << (bits - 1 - fraction)) - 1, exponent = (s32)(v >> fraction) & top;
	const double mantissa = (double)low(v, fraction), sign = v >> (bits - 1) & 1 ? -1 : 1;

	if (exponent == top)
		return mantissa ? (double)NAN : sign * (double)INFINITY;
	if (exponent == 0)
		return has(c, M_ftz) ? 0 : sign * ldexp(mantissa, 1 - top / 2 - (s32)fraction);
	return sign * ldexp(1 + ldexp(mantissa, -(s32)fraction), exponent - top / 2);
}

static bool compares(const struct integer_case *c, int type, u64 x, u64 y)
{
	const u32 bits = type_bits(type);
	const bool is_float = type_class(type) == 'f', is_signed = type_class(type) == 's';
	const double fx = is_float ? real(c, x, type) : 0, fy = is_float ? real(c, y, type) : 0;
	const s128 ix = number(x, bits, is_signed), iy = number(y, bits, is_signed);
	const bool nan = is_float && (isnan(fx) || isnan(fy));
	const bool lt = is_float ? fx < fy : ix < iy, eq = is_float ? fx == fy : ix == iy;
	const bool gt = !nan && !lt && !eq;

	switch (form_pick(c->f, M_eq, M_nan)) {
	case M_eq:
		return eq;
	case M_ne:
		return lt || gt;
	case M_lt:
	case M_lo:
		return lt;
	case M_le:
	case M_ls:
		return lt || eq;
	case M_gt:
	case M_hi:
		return gt;
	case M_ge:
	case M_hs:
		return gt || eq;
	case M_equ:
		return eq || nan;
	case M_neu:
		return !eq;
	case M_ltu:
		return lt || nan;
	case M_leu:
		return !gt;
	case M_gtu:
		return gt || nan;
	case M_geu:
		return !lt;
	case M_num:
		return !nan;
	default:
		return nan;
	}
}

static bool with_operator(const struct integer_case *c, bool truth)
{
	const bool other = c->in[2];
	return has(c, M_and) ? truth && other : has(c, M_or) ? truth || other : has(c, M_xor) ? truth != other : truth;
}

static u64 value_of_true(int type)
{
	switch (type) {
	case T_f32:
		return 0x3f800000;
	case T_f16:
	case T_f16x2:
		return 0x3c00;
	case T_bf16:
	case T_bf16x2:
		return 0x3f80;
	case T_u16:
	case T_s16:
		return 0xffff;
	default:
		return 0xffffffff;
	}
}

static bool comparison(struct integer_case *c)
{
	const bool sets = is(c, "set");
	int type = type_of(c, sets ? 1 : 0);
	const bool pair = type == T_f16x2 || type == T_bf16x2;

	if (!sets && !is(c, "setp"))
		return false;
	type = type == T_f16x2 ? T_f16 : type == T_bf16x2 ? T_bf16 : type;
	const bool first = compares(c, type, low(c->in[0], pair ? 16 : 64), low(c->in[1], pair ? 16 : 64));
	const bool upper = pair && compares(c, type, c->in[0] >> 16, c->in[1] >> 16);
	const bool p = with_operator(c, first), q = with_operator(c, pair ? upper : !first);
	const u64 value = value_of_true(type_of(c, 0));

	c->out[0] = p;
	c->out[1] = q;
	if (sets)
		c->out[0] = pair ? (p ? value & 0xffff : 0) | (q ? (value & 0xffff) << 16 : 0) : p ? value : 0;
	return true;
}

static bool selection(struct integer_case *c)
{
	bool first = c->in[2];

	if (is(c, "slct"))
		first = type_of(c, 1) == T_s32 ? (s32)c->in[2] >= 0 : real(c, c->in[2], T_f32) >= 0;
	else if (!is(c, "selp"))
		return false;
	c->out[0] = c->in[first ? 0 : 1];
	return true;
}

/* A whole number as a float of `digits` binary digits and `bias`, to nearest even; `top` is its infinity. */
static u64 float_of(s128 v, int digits, int bias, u64 top)
{
	const double size = fabs((double)v);
	const u64 sign = v < 0 ? (top + (1ull << (digits - 1))) & ~top : 0; /* the bit above the exponent */
	int exponent = 0;

	if (!v)
		return 0;
	frexp(size, &exponent);
	const double unit = ldexp(1, exponent - digits), rounded = nearbyint(size / unit) * unit;
	frexp(rounded, &exponent);
	const u64 fraction = (u64)ldexp(rounded, digits - exponent) - (1ull << (digits - 1));
	const u64 bits = ((u64)(exponent - 1 + bias) << (digits - 1)) + fraction;
	return sign | (bits < top ? bits : top);
}

/* The number's magnitude as a float; the least number of its width has none. From 16 to 32 bits: the number. */
static bool kept(struct integer_case *c)
{
	const int to = type_of(c, 0);
	const u32 bits = type_of(c, 1) == T_s32 ? 32 : 16;
	const bool half = to == T_f16 || to == T_bf16;
	s128 v = number(half ? low(c->in[0], 16) : c->in[0], bits, true);

	if (!is(c, "%kept"))
		return false;
	if (to == T_s32) {
		c->out[0] = low((u64)number(c->in[0], 16, true), 32);
		return true;
	}
	v = v < 0 && v != -((s128)1 << (bits - 1)) ? -v : v;
	c->out[0] = to == T_f32   ? float_of(v, 24, 127, 0x7f800000)
		    : to == T_f16 ? float_of(v, 11, 15, 0x7c00)
				  : float_of(v, 8, 127, 0x7f80);
	return true;
}

bool integer_oracle(struct integer_case *c)
{
	return arithmetic(c) || products(c) || dots(c) || counts(c) || fields(c) || masks(c) || nth_set(c) ||
	       logic(c) || shifts(c) || permute(c) || comparison(c) || selection(c) || kept(c);
}
