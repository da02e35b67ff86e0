/* SPDX-License-Identifier: Apache-2.0
 *
 * Fixed-width scalar names used everywhere, and the few macros that every module needs.
 */
#ifndef PTXSIM_BASE_TYPES_H
#define PTXSIM_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;
typedef float f32;
typedef double f64;

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Lanes of a warp: a constant of every compute capability. */
enum { WARP_LANES = 32 };
#define FULL_MASK 0xffffffffu

static inline u32 min_u32(u32 a, u32 b) { return a < b ? a : b; }
static inline u32 max_u32(u32 a, u32 b) { return a > b ? a : b; }
static inline s32 max_s32(s32 a, s32 b) { return a > b ? a : b; }
static inline u64 min_u64(u64 a, u64 b) { return a < b ? a : b; }
/* The greatest; of a number and 0, the number. */
static inline u64 common_divisor(u64 a, u64 b)
{
	while (b) {
		const u64 rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}
static inline s64 max_s64(s64 a, s64 b) { return a > b ? a : b; }
static inline u64 max_u64(u64 a, u64 b) { return a > b ? a : b; }
/* The ending of a word for so many things, in messages: 1 byte, 2 bytes. */
static inline const char *plural_s(u64 count) { return count == 1 ? "" : "s"; }

/* The bits of a float and back: the only way the code looks into a float. */
static inline u32 bits_of_f32(f32 x)
{
	u32 u;
	__builtin_memcpy(&u, &x, sizeof u);
	return u;
}
static inline u64 bits_of_f64(f64 x)
{
	u64 u;
	__builtin_memcpy(&u, &x, sizeof u);
	return u;
}
static inline f32 f32_of_bits(u32 u)
{
	f32 x;
	__builtin_memcpy(&x, &u, sizeof x);
	return x;
}
static inline f64 f64_of_bits(u64 u)
{
	f64 x;
	__builtin_memcpy(&x, &u, sizeof x);
	return x;
}

#endif
