/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer arithmetic of single lanes beyond what C writes in one operator: bit counts and fields,
 * saturation, halves in a word, division by PTX's rules. Called by the lane loops, so everything is
 * inline; what can be is branch-free, so that a loop over lanes becomes vector code.
 *
 * Shift counts, field positions and divisors of any value are defined here; nothing overflows in
 * the sense of C.
 */
#ifndef PTXSIM_NUMBER_INTEGER_H
#define PTXSIM_NUMBER_INTEGER_H

#include "base/types.h"

static inline s32 int_clamp_s32(s64 v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (s32)v; }

/* --- Products and sums ------------------------------------------------------------------ */

static inline u64 int_mul_hi_u64(u64 a, u64 b) { return (u64)(((u128)a * b) >> 64); }
static inline u64 int_mul_hi_s64(u64 a, u64 b) { return (u64)(((s128)(s64)a * (s64)b) >> 64); }

/* A number as unsigned, at least 32 bits wide, so that it wraps. */
#define INT_UNSIGNED(a) _Generic((a), u64 : (u64)(a), s64 : (u64)(a), default : (u32)(a))

/* The upper half of a product, by the operands' type. */
static inline u32 int_mul_hi_u16(u32 a, u32 b) { return a * b >> 16; }
static inline u32 int_mul_hi_s16(s32 a, s32 b) { return (u32)(a * b) >> 16; }
static inline u32 int_mul_hi_u32(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
static inline u32 int_mul_hi_s32(s32 a, s32 b) { return (u32)((u64)((s64)a * b) >> 32); }
#define int_mul_hi(a, b) INT_BY_TYPE(a, int_mul_hi_)(a, b)
/* The function of a name for the type of a. */
#define INT_BY_TYPE(a, name)      \
	_Generic((a), u16         \
		 : name##u16, s16 \
		 : name##s16, u32 \
		 : name##u32, s32 \
		 : name##s32, u64 \
		 : name##u64, s64 \
		 : name##s64)

static inline s32 int_low24_s32(u32 a) { return (s32)(a << 8) >> 8; }
static inline u32 int_low24_u32(u32 a) { return a & 0xffffffu; }

/* Sums of products of bytes: the signedness of a's and b's elements is apart. */
static inline u32 int_byte_of(u32 v, u32 k, bool is_signed)
{
	const u32 byte = v >> 8 * k & 0xff;
	return is_signed ? (u32)(s8)byte : byte;
}
static inline u32 int_half_of(u32 v, u32 k, bool is_signed)
{
	const u32 half = v >> 16 * k & 0xffff;
	return is_signed ? (u32)(s16)half : half;
}
static inline u32 int_dot4(u32 a, u32 b, u32 c, bool a_signed, bool b_signed)
{
	for (u32 k = 0; k < 4; k++)
		c += int_byte_of(a, k, a_signed) * int_byte_of(b, k, b_signed);
	return c;
}
/* a: two halves; b: bytes 0 and 1, or 2 and 3 if `high`. */
static inline u32 int_dot2(u32 a, u32 b, u32 c, bool a_signed, bool b_signed, bool high)
{
	for (u32 k = 0; k < 2; k++)
		c += int_half_of(a, k, a_signed) * int_byte_of(b, k + (high ? 2 : 0), b_signed);
	return c;
}

/* --- Two halves in a word ----------------------------------------------------------------- */

static inline u32 int_add_x2(u32 a, u32 b) { return ((a + b) & 0xffff) | ((a & 0xffff0000u) + (b & 0xffff0000u)); }
static inline u32 int_join_x2(u32 low, u32 high) { return (low & 0xffff) | high << 16; }
static inline s32 int_min_s32(s32 a, s32 b) { return a < b ? a : b; }
static inline s32 int_max_s32(s32 a, s32 b) { return a > b ? a : b; }
static inline u32 int_min_u16x2(u32 a, u32 b)
{
	return int_join_x2(min_u32(a & 0xffff, b & 0xffff), min_u32(a >> 16, b >> 16));
}
static inline u32 int_max_u16x2(u32 a, u32 b)
{
	return int_join_x2(max_u32(a & 0xffff, b & 0xffff), max_u32(a >> 16, b >> 16));
}
static inline u32 int_min_s16x2(u32 a, u32 b)
{
	return int_join_x2((u32)int_min_s32((s16)a, (s16)b), (u32)int_min_s32((s32)a >> 16, (s32)b >> 16));
}
static inline u32 int_max_s16x2(u32 a, u32 b)
{
	return int_join_x2((u32)int_max_s32((s16)a, (s16)b), (u32)int_max_s32((s32)a >> 16, (s32)b >> 16));
}

/* --- Division: by zero all ones, for the quotient and the remainder alike; MIN / -1 wraps. --- */

/* The quotient of two numbers below 2^32 in magnitude, by way of f64: a quotient that is no whole
 * number is at least 2^-32 of itself away from one, so no rounding mode of the host moves it over. */
static inline s64 int_quotient32(s64 a, s64 b) { return (s64)((f64)a / (f64)(b ? b : 1)); }

static inline u32 int_div_u32(u32 a, u32 b) { return b ? (u32)int_quotient32(a, b) : UINT32_MAX; }
static inline u32 int_div_s32(s32 a, s32 b) { return b ? (u32)int_quotient32(a, b) : UINT32_MAX; }
static inline u32 int_rem_u32(u32 a, u32 b) { return b ? a - (u32)int_quotient32(a, b) * b : UINT32_MAX; }
static inline u32 int_rem_s32(s32 a, s32 b) { return b ? (u32)a - (u32)int_quotient32(a, b) * (u32)b : UINT32_MAX; }
static inline u64 int_div_u64(u64 a, u64 b) { return b ? a / b : UINT64_MAX; }
static inline u64 int_rem_u64(u64 a, u64 b) { return b ? a % b : UINT64_MAX; }
static inline u64 int_div_s64(s64 a, s64 b) { return b == 0 ? UINT64_MAX : b == -1 ? 0 - (u64)a : (u64)(a / b); }
static inline u64 int_rem_s64(s64 a, s64 b) { return b == 0 ? UINT64_MAX : b == -1 ? 0 : (u64)(a % b); }

#define int_div_u16   int_div_u32
#define int_div_s16   int_div_s32
#define int_rem_u16   int_rem_u32
#define int_rem_s16   int_rem_s32
#define int_div(a, b) INT_BY_TYPE(a, int_div_)(a, b)
#define int_rem(a, b) INT_BY_TYPE(a, int_rem_)(a, b)

/* --- Counting and moving bits --------------------------------------------------------------- */

static inline u32 int_popc32(u32 v)
{
	v -= v >> 1 & 0x55555555u;
	v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0fu;
	return v * 0x01010101u >> 24;
}
static inline u32 int_popc64(u64 v) { return int_popc32((u32)v) + int_popc32((u32)(v >> 32)); }
static inline u32 int_clz32(u32 v) { return v ? (u32)__builtin_clz(v) : 32; }
static inline u32 int_clz64(u64 v) { return v ? (u32)__builtin_clzll(v) : 64; }

static inline u32 int_brev32(u32 v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
	return v >> 16 | v << 16;
}
static inline u64 int_brev64(u64 v) { return (u64)int_brev32((u32)v) << 32 | int_brev32((u32)(v >> 32)); }

/* bfind: the place of the highest bit that is not the sign; all ones if there is none. The
 * .shiftamt form gives the shift that brings it to the top. */
static inline u32 int_bfind32(u32 v) { return v ? 31 - int_clz32(v) : UINT32_MAX; }
static inline u32 int_bfind64(u64 v) { return v ? 63 - int_clz64(v) : UINT32_MAX; }
static inline u32 int_bfind_shift32(u32 v) { return v ? int_clz32(v) : UINT32_MAX; }
static inline u32 int_bfind_shift64(u64 v) { return v ? int_clz64(v) : UINT32_MAX; }
/* A negative number's search is that of its complement. */
static inline u32 int_unsign32(u32 v) { return v ^ (u32)((s32)v >> 31); }
static inline u64 int_unsign64(u64 v) { return v ^ (u64)((s64)v >> 63); }

/* Shifts that clamp: counts are unsigned numbers of 32 bits. */
static inline u32 int_shl32(u32 a, u32 n) { return n > 31 ? 0 : a << (n & 31); }
static inline u32 int_shr32(u32 a, u32 n) { return n > 31 ? 0 : a >> (n & 31); }
static inline s32 int_sar32(s32 a, u32 n) { return a >> (n > 31 ? 31 : n); }
static inline u64 int_shl64(u64 a, u32 n) { return n > 63 ? 0 : a << (n & 63); }
static inline u64 int_shr64(u64 a, u32 n) { return n > 63 ? 0 : a >> (n & 63); }
static inline s64 int_sar64(s64 a, u32 n) { return a >> (n > 63 ? 63 : n); }

/* shf: b:a shifted by n in 0..32; the upper word of a left shift, the lower of a right one. */
static inline u32 int_funnel_left(u32 a, u32 b, u32 n)
{
	const u32 shift = n & 31;
	const u32 joined = b << shift | a >> 1 >> (31 - shift);

	return n > 31 ? a : joined;
}
static inline u32 int_funnel_right(u32 a, u32 b, u32 n)
{
	const u32 shift = n & 31;
	const u32 joined = a >> shift | b << 1 << (31 - shift);

	return n > 31 ? b : joined;
}

/* The low `n` bits, n of any value. */
static inline u32 int_ones32(u32 n) { return n > 31 ? UINT32_MAX : (1u << (n & 31)) - 1; }
static inline u64 int_ones64(u32 n) { return n > 63 ? UINT64_MAX : (1ull << (n & 63)) - 1; }

/* Fields. Bits that a field takes from beyond the word are zeros, or the sign for signed types.
 * 32-bit forms read the low byte of position and length, 64-bit forms the whole number (seen on
 * hardware; the ISA defines 0 to 255). */
static inline u32 int_bfe_u32(u32 a, u32 position, u32 length)
{
	return int_shr32(a, position & 0xff) & int_ones32(length & 0xff);
}
static inline u64 int_bfe_u64(u64 a, u32 position, u32 length) { return int_shr64(a, position) & int_ones64(length); }
static inline u32 int_bfe_s32(s32 a, u32 position, u32 length)
{
	const u32 n = length & 0xff, spare = n > 31 ? 0 : 32 - n;
	const u32 field = (u32)int_sar32(a, position & 0xff);
	return n ? (u32)((s32)(field << (spare & 31)) >> (spare & 31)) : 0;
}
static inline u64 int_bfe_s64(s64 a, u32 position, u32 length)
{
	const u32 spare = length > 63 ? 0 : 64 - length;
	const u64 field = (u64)int_sar64(a, position);
	return length ? (u64)((s64)(field << (spare & 63)) >> (spare & 63)) : 0;
}
/* a's low bits put into b. */
static inline u32 int_bfi_b32(u32 a, u32 b, u32 position, u32 length)
{
	const u32 field = int_shl32(int_ones32(length & 0xff), position & 0xff);
	return (b & ~field) | (int_shl32(a, position & 0xff) & field);
}
static inline u64 int_bfi_b64(u64 a, u64 b, u32 position, u32 length)
{
	const u64 field = int_shl64(int_ones64(length), position);
	return (b & ~field) | (int_shl64(a, position) & field);
}
/* bmsk: `length` ones from `position` up. */
static inline u32 int_bmsk_clamp(u32 position, u32 length) { return int_shl32(int_ones32(length), position); }
static inline u32 int_bmsk_wrap(u32 position, u32 length) { return int_ones32(length & 31) << (position & 31); }
/* szext: the low n bits, extended; .wrap takes n modulo 32, .clamp takes at most 32. */
static inline u32 int_szext_u32(u32 a, u32 n) { return a & int_ones32(n); }
static inline u32 int_szext_s32(u32 a, u32 n)
{
	const u32 spare = n > 31 ? 0 : 32 - n;
	return n ? (u32)((s32)(a << (spare & 31)) >> (spare & 31)) : 0;
}

/* fns: the place of the n-th set bit from `base` on, upwards for n > 0, downwards for n < 0; base
 * itself for 0 if its bit is set. All ones if there is none. */
static inline u32 int_find_nth_set(u32 bits, u32 base, s32 n)
{
	s64 left = n < 0 ? -(s64)n : n;

	if (n == INT32_MIN)
		return 0; /* as the hardware has it, whatever the bits */
	if (base > 31)
		return UINT32_MAX;
	if (n == 0)
		return bits >> base & 1 ? base : UINT32_MAX;
	for (s32 at = (s32)base; at >= 0 && at < 32; at += n < 0 ? -1 : 1)
		if (bits >> at & 1 && --left == 0)
			return (u32)at;
	return UINT32_MAX;
}

/* prmt: a selector's low three bits name a byte of b:a, its fourth replicates that byte's sign. */
static inline u32 int_permute_byte(u64 ba, u32 selector)
{
	const u32 byte = (u32)(ba >> 8 * (selector & 7)) & 0xff;
	return selector & 8 ? (0u - (byte >> 7)) & 0xff : byte;
}
static inline u32 int_permute_bytes(u32 a, u32 b, u32 selectors)
{
	const u64 ba = (u64)b << 32 | a;
	return int_permute_byte(ba, selectors) | int_permute_byte(ba, selectors >> 4) << 8 |
	       int_permute_byte(ba, selectors >> 8) << 16 | int_permute_byte(ba, selectors >> 12) << 24;
}

/* lop3: bit k of `table` is the result where the bits of a, b, c spell k. */
static inline u32 int_lop3(u32 a, u32 b, u32 c, u32 table)
{
	/* For each value of a and b: what c makes of it. */
	const u32 k0 = (table & 1 ? ~c : 0) | (table & 2 ? c : 0), k1 = (table & 4 ? ~c : 0) | (table & 8 ? c : 0);
	const u32 k2 = (table & 16 ? ~c : 0) | (table & 32 ? c : 0);
	const u32 k3 = (table & 64 ? ~c : 0) | (table & 128 ? c : 0);
	return (~a & ((~b & k0) | (b & k1))) | (a & ((~b & k2) | (b & k3)));
}

#endif
