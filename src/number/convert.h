/* SPDX-License-Identifier: Apache-2.0
 *
 * cvt between integers and floats and between floats of different width, on bits. All are integer
 * code: the host's floating-point environment does not matter. Integers narrower than 64 bits are
 * widened by the caller (sign or zero extension is exact); .sat on a float destination is
 * f16_saturate, f32_saturate or f64_saturate of the result, .relu is f16_relu or bf16_relu.
 * Conversions among f16, bf16 and f32 are in number/half.h, the 4- to 8-bit formats and tf32 in
 * number/small.h.
 */
#ifndef PTXSIM_NUMBER_CONVERT_H
#define PTXSIM_NUMBER_CONVERT_H

#include "base/types.h"
#include "number/round.h"

/* Integer to float: rounded once; too large for f16 gives infinity or the greatest number, by
 * the direction of rounding. Zero is +0. */
u16 f16_from_u64(u64 a, enum round round);
u16 f16_from_s64(s64 a, enum round round);
u16 bf16_from_u64(u64 a, enum round round);
u16 bf16_from_s64(s64 a, enum round round);
u32 f32_from_u64(u64 a, enum round round);
u32 f32_from_s64(s64 a, enum round round);
u64 f64_from_u64(u64 a, enum round round);
u64 f64_from_s64(s64 a, enum round round);

/*
 * Float to integer of `bits` (8, 16, 32, 64) bits, clamped to its range with or without .sat; the
 * result is extended to 64 bits by its sign. f16 and bf16 operands: widen to f32 first (exact).
 * NaN: 0 from f32 into 8, 16, 32 bits; otherwise (from f64, or into 64 bits) only the top bit of
 * the destination set, for unsigned types too. ftz: a subnormal operand counts as zero.
 */
u64 int_from_f32(u32 a, unsigned bits, bool is_signed, enum round round, bool ftz);
u64 int_from_f64(u64 a, unsigned bits, bool is_signed, enum round round);

/*
 * Float to float. From or to f64 a NaN keeps its sign and the top of its payload and turns quiet.
 * ftz works on the f32 side only: a subnormal f32 operand or result becomes zero of its sign, and
 * an f32 NaN operand counts as 0x7fffffff.
 */
u64 f64_from_f32(u32 a, bool ftz);
u32 f32_from_f64(u64 a, enum round round, bool ftz);
u64 f64_from_f16(u16 a);
u64 f64_from_bf16(u16 a);
u16 f16_from_f64(u64 a, enum round round);
u16 bf16_from_f64(u64 a, enum round round);

#endif
