/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of the integer arithmetic: numbers taken apart, and the one place where a number is
 * rounded into a binary format. Used by the sources of this folder only. Nothing here knows NaN or
 * infinity: callers deal with those first.
 */
#ifndef PTXSIM_NUMBER_SOFT_H
#define PTXSIM_NUMBER_SOFT_H

#include "base/types.h"
#include "number/round.h"

/*
 * (-1)^sign * sig * 2^(exp - 63). sig has bit 63 set, or is 0. Bit 0 may stand for any nonzero
 * rest below it; that is exact enough for every format of up to 61 significant bits.
 */
struct soft {
	bool sign;
	int exp;
	u64 sig;
};

/* The same with 128 bits: sig has bit 126 set (one bit of room for a sum), or is 0. */
struct soft_wide {
	bool sign;
	int exp; /* of bit 126 */
	u128 sig;
};

/* A binary format with an implicit leading bit, subnormals, and infinity above the numbers. */
struct soft_format {
	int exp_bits;
	int man_bits;
};

extern const struct soft_format soft_f16, soft_bf16, soft_f32, soft_f64;

/* Take finite bits apart; the sign is the bit above the exponent. */
struct soft soft_unpack(const struct soft_format *f, u64 bits);

/*
 * Round into the format. Too large: infinity or the greatest number by direction. ftz: zero of the
 * sign if below the least normal number after rounding with an unbounded exponent.
 */
u64 soft_pack(const struct soft_format *f, struct soft v, enum round round, bool ftz);

/*
 * The magnitude's exponent field and mantissa for a format whose least normal exponent is `least`,
 * with an exponent field as wide as it takes: the caller deals with what is too large.
 */
u64 soft_encode(int least, int man_bits, struct soft v, enum round round);

/* Whether a magnitude with last kept bit `odd`, next bit `half` and nonzero rest `rest` goes up. */
static inline bool soft_rounds_up(enum round round, bool sign, bool odd, bool half, bool rest)
{
	switch (round) {
	case ROUND_RN:
		return half & (rest | odd);
	case ROUND_RZ:
		return false;
	case ROUND_RM:
		return sign && (half | rest);
	case ROUND_RP:
		return !sign && (half | rest);
	case ROUND_RNA:
		return half;
	}
	return false;
}

/* An integer as a number. */
struct soft soft_from_u64(u64 magnitude, bool sign);

/* Exact sums and products, narrowed with a sticky bit. A zero sum of numbers of unlike sign is
 * negative under ROUND_RM and else positive. */
struct soft_wide soft_widen(struct soft v);
struct soft_wide soft_product(struct soft a, struct soft b);
struct soft soft_sum(struct soft_wide a, struct soft_wide b, enum round round);
struct soft soft_quotient(struct soft a, struct soft b); /* b nonzero */
struct soft soft_square_root(struct soft a);             /* a not negative */
struct soft soft_narrow(struct soft_wide v);

/* The magnitude rounded to an integer; false if it does not fit *value. */
bool soft_to_integer(struct soft v, enum round round, u64 *value);

#endif
