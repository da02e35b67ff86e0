/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers taken apart, combined exactly and rounded once. See soft.h for the forms; the sticky bit
 * (bit 0 standing for everything shifted out) is what keeps single rounding right.
 */
#include "number/soft.h"

const struct soft_format soft_f16 = {5, 10};
const struct soft_format soft_bf16 = {8, 7};
const struct soft_format soft_f32 = {8, 23};
const struct soft_format soft_f64 = {11, 52};

static int soft_bias(const struct soft_format *f) { return (1 << (f->exp_bits - 1)) - 1; }

/* Move the leading bit to bit 63. */
static struct soft soft_normalise(struct soft v)
{
	if (v.sig) {
		int shift = __builtin_clzll(v.sig);
		v.sig <<= shift;
		v.exp -= shift;
	}
	return v;
}

struct soft soft_unpack(const struct soft_format *f, u64 bits)
{
	u64 man = bits & ((1ull << f->man_bits) - 1);
	int field = (int)(bits >> f->man_bits) & ((1 << f->exp_bits) - 1);
	struct soft v = {
		.sign = (bits >> (f->man_bits + f->exp_bits)) & 1,
		.exp = (field ? field : 1) - soft_bias(f),
		.sig = (man | (field ? 1ull << f->man_bits : 0)) << (63 - f->man_bits),
	};
	return soft_normalise(v);
}

struct soft soft_from_u64(u64 magnitude, bool sign)
{
	return soft_normalise((struct soft){.sign = sign, .exp = 63, .sig = magnitude});
}

/* sig without its low `drop` bits (at least 1, any number), rounded. */
static u64 round_off(u64 sig, int drop, bool sign, enum round round)
{
	u64 kept = drop > 63 ? 0 : sig >> drop;
	bool half = drop > 64 ? false : (sig >> (drop - 1)) & 1;
	bool rest = drop > 64 ? sig != 0 : (sig & ((1ull << (drop - 1)) - 1)) != 0;
	return kept + soft_rounds_up(round, sign, kept & 1, half, rest);
}

static u64 pack_overflow(const struct soft_format *f, bool sign, enum round round)
{
	u64 inf = ((1ull << f->exp_bits) - 1) << f->man_bits;
	bool away = round == ROUND_RN || round == ROUND_RNA || round == (sign ? ROUND_RM : ROUND_RP);
	return away ? inf : inf - 1;
}

u64 soft_encode(int least, int man_bits, struct soft v, enum round round)
{
	int drop = 63 - man_bits;
	if (!v.sig)
		return 0;
	if (v.exp < least) {
		int deep = least - v.exp > 64 ? 64 : least - v.exp;
		return round_off(v.sig, drop + deep, v.sign, round);
	}
	/* The implicit bit adds the one that the exponent field starts from. */
	return ((u64)(v.exp - least) << man_bits) + round_off(v.sig, drop, v.sign, round);
}

u64 soft_pack(const struct soft_format *f, struct soft v, enum round round, bool ftz)
{
	int least = 1 - soft_bias(f);
	u64 sign_bit = (u64)v.sign << (f->man_bits + f->exp_bits);
	u64 top = 1ull << f->man_bits, inf = ((1ull << f->exp_bits) - 1) << f->man_bits;
	if (v.sig && v.exp < least && ftz) {
		u64 unbounded = round_off(v.sig, 63 - f->man_bits, v.sign, round);
		return sign_bit | (v.exp == least - 1 && unbounded == 2 * top ? top : 0);
	}
	if (v.exp > soft_bias(f) && v.sig)
		return sign_bit | pack_overflow(f, v.sign, round);
	u64 magnitude = soft_encode(least, f->man_bits, v, round);
	return sign_bit | (magnitude >= inf ? pack_overflow(f, v.sign, round) : magnitude);
}

struct soft_wide soft_widen(struct soft v)
{
	return (struct soft_wide){.sign = v.sign, .exp = v.exp, .sig = (u128)v.sig << 63};
}

struct soft_wide soft_product(struct soft a, struct soft b)
{
	/* 64-bit significands of at most 53 bits: the product's low bit is zero, so >> 1 is exact.
	 * The product's leading bit is 127 or 126 before that. */
	u128 sig = (u128)a.sig * b.sig;
	int exp = a.exp + b.exp + 1;
	if (!(sig >> 127)) {
		sig <<= 1;
		exp--;
	}
	return (struct soft_wide){.sign = a.sign ^ b.sign, .exp = exp, .sig = sig >> 1};
}

static u128 shift_sticky(u128 sig, int shift)
{
	if (shift > 127)
		return sig != 0;
	u128 kept = sig >> shift;
	return kept | (kept << shift != sig);
}

struct soft soft_narrow(struct soft_wide v)
{
	if (!v.sig)
		return (struct soft){.sign = v.sign};
	u64 high = (u64)(v.sig >> 64), low = (u64)v.sig;
	int shift = high ? __builtin_clzll(high) : 64 + __builtin_clzll(low);
	u128 sig = v.sig << shift;
	return (struct soft){
		.sign = v.sign,
		.exp = v.exp + 1 - shift,
		.sig = (u64)(sig >> 64) | ((u64)sig != 0),
	};
}

struct soft soft_sum(struct soft_wide a, struct soft_wide b, enum round round)
{
	if (!a.sig || (b.sig && b.exp > a.exp)) {
		struct soft_wide t = a;
		a = b;
		b = t;
	}
	u128 small = b.sig ? shift_sticky(b.sig, a.exp - b.exp) : 0;
	if (a.sign == b.sign) {
		a.sig += small;
		return soft_narrow(a);
	}
	if (!a.sig && !b.sig)
		return (struct soft){.sign = round == ROUND_RM};
	if (a.sig == small)
		return (struct soft){.sign = round == ROUND_RM};
	if (a.sig < small) {
		a.sign = b.sign;
		a.sig = small - a.sig;
	} else {
		a.sig -= small;
	}
	return soft_narrow(a);
}

struct soft soft_quotient(struct soft a, struct soft b)
{
	struct soft q = {.sign = a.sign ^ b.sign, .exp = a.exp - b.exp};
	if (!a.sig)
		return q;
	bool below = a.sig < b.sig;
	u128 dividend = (u128)a.sig << (below ? 64 : 63);
	u128 sig = dividend / b.sig;
	q.exp -= below;
	q.sig = (u64)sig | (sig * b.sig != dividend);
	return q;
}

struct soft soft_square_root(struct soft a)
{
	if (!a.sig)
		return a;
	/* sqrt(sig * 2^odd * 2^63): 64 bits, found from the top bit down. */
	int odd = a.exp & 1;
	u128 square = (u128)a.sig << (63 + odd), root = 0, rest = square;
	for (int bit = 63; bit >= 0; bit--) {
		u128 step = (root << (bit + 1)) + ((u128)1 << (2 * bit));
		if (rest >= step) {
			rest -= step;
			root += (u128)1 << bit;
		}
	}
	return (struct soft){.exp = (a.exp - odd) / 2, .sig = (u64)root | (rest != 0)};
}

bool soft_to_integer(struct soft v, enum round round, u64 *value)
{
	if (v.exp > 63)
		return false;
	if (v.exp == 63) {
		*value = v.sig;
		return true;
	}
	int drop = 63 - v.exp;
	*value = v.sig ? round_off(v.sig, drop > 65 ? 65 : drop, v.sign, round) : 0;
	return true;
}
