/* SPDX-License-Identifier: Apache-2.0
 *
 * The operations of atomic_list.h as functions: NAME_op, and for floats in global memory NAME_global_op.
 */
#ifndef PTXSIM_SEM_ATOMIC_OPS_H
#define PTXSIM_SEM_ATOMIC_OPS_H

#include "sem/atomic_list.h"
#include "sem/floats.h"

typedef u16 op_u16(u16 old, u16 b, u16 c);
typedef u32 op_u32(u32 old, u32 b, u32 c);
typedef u64 op_u64(u64 old, u64 b, u64 c);
typedef u128 op_u128(u128 old, u128 b, u128 c);

/* Of a warp's lanes, each at its place: see atomic_race.h. */
typedef void atomic_race_fn(u8 *const place[WARP_LANES], const void *b, const void *c, void *old, u32 mask);

#define ATOMIC_OPERATION(NAME, T, EXPR)            \
	static inline T NAME##_op(T old, T b, T c) \
	{                                          \
		(void)c;                           \
		(void)old;                         \
		return (EXPR);                     \
	}

/* Floats: recorded (warp-atomics). f32 and the halves give their one NaN. f64 keeps an operand's: in
 * global memory as it stands, that which is added first; in shared memory quieted, memory's first. */
static inline u32 add_f32_bits(u32 a, u32 b, bool flush)
{
	const u32 sum = bits_of_f32(one_nan(f32_of_bits(f32_flush_if(a, flush)) + f32_of_bits(f32_flush_if(b, flush))));

	return f32_flush_if(sum, flush);
}
static inline u64 add_f64_bits(u64 old, u64 b, bool global)
{
	const f64 sum = f64_of_bits(old) + f64_of_bits(b);

	if (f64_is_nan(old) || f64_is_nan(b)) {
		if (global)
			return f64_is_nan(b) ? b : old;
		return (f64_is_nan(old) ? old : b) | F64_QUIET;
	}
	return sum == sum ? bits_of_f64(sum) : F64_NAN;
}
/* A function of two halves, on both halves of a word. */
#define HALVES(FUNCTION, ...)                                         \
	((u32)FUNCTION((u16)old, (u16)b __VA_OPT__(, ) __VA_ARGS__) | \
	 (u32)FUNCTION((u16)(old >> 16), (u16)(b >> 16) __VA_OPT__(, ) __VA_ARGS__) << 16)

#define X(NAME, T, TAKES_C, JOINS, EXPR) ATOMIC_OPERATION(NAME, T, EXPR)
ATOMIC_INTEGERS(X)
#undef X
#define X(NAME, T, EXPR)                                  \
	ATOMIC_OPERATION(NAME, T, EXPR)                   \
	static inline T NAME##_global_op(T old, T b, T c) \
	{                                                 \
		(void)c;                                  \
		return NAME##_op(old, b, 1);              \
	}
ATOMIC_FLOATS(X)
#undef X

#endif
