/* SPDX-License-Identifier: Apache-2.0
 *
 * Float operations under the instruction's mode (insn.fp). On x86 and AArch64 they are the host's own: its control word has
 * rounding and flushing, and fp_enter() has set it. Elsewhere (WebAssembly has neither) the host's operations serve rounding
 * to nearest, flushing is done beside them, and the other modes are number/ieee.h's, on bits. The choice does not depend
 * on the lane, so that the compiler takes it out of the loop.
 */
#ifndef PTXSIM_SEM_HOST_FLOATS_H
#define PTXSIM_SEM_HOST_FLOATS_H

#include "decode/program.h"
#include "number/convert.h"
#include "number/ieee.h"

#if defined __SSE2__ || defined __aarch64__
enum { HOST_HAS_MODES = 1 };
#else
enum { HOST_HAS_MODES = 0 };
#endif
#if defined __FMA__ || defined __aarch64__
enum { HOST_HAS_FUSED = 1 };
#else
enum { HOST_HAS_FUSED = 0 };
#endif

#define MODE_ROUND(i)   ((enum round)((i)->fp & 3)) /* enum round has fp_mode's order */
#define MODE_FLUSHES(i) (((i)->fp & FP_FTZ) != 0)
/* The host's operation is the instruction's. */
#define HOST_SERVES(i) (HOST_HAS_MODES || (i)->fp == FP_RN)

static inline f32 flush32(f32 x) { return f32_of_bits(f32_flush(bits_of_f32(x))); }

/* An operand as the instruction sees it: a value of any type, of which f32 alone is ever flushed. */
static inline f32 seen32(const struct insn *i, f32 x) { return !HOST_HAS_MODES && MODE_FLUSHES(i) ? flush32(x) : x; }
#define SEEN(i, x) _Generic((x), f32 : seen32(i, (f32)(x)), default : (x))

/* What is exact but for a last bit that stands for all below it, rounded to nearest. Flushed is what lies below the least
 * normal number after rounding with an unbounded exponent. */
static inline f32 narrow32(f64 x, bool ftz)
{
	const f32 r = (f32)x;
	const bool tiny = __builtin_fabs(x) < 0x1p-126 * (1 - 0x1p-25);

	return ftz && tiny ? __builtin_copysignf(0.0f, r) : r;
}

/* a + b, with the last bit set if anything was lost: what is rounded to f32 from it is rounded once. */
static inline f64 sum_to_odd(f64 a, f64 b)
{
	const f64 s = a + b, t = s - a, lost = (a - (s - t)) + (b - t);
	const u64 bits = bits_of_f64(s), outwards = (lost > 0) == (s > 0) ? 1 : ~0ull;
	const bool moves = (lost < 0 || lost > 0) && !(bits & 1);

	return f64_of_bits(moves ? bits + outwards : bits);
}

static inline f32 add32(const struct insn *i, f32 a, f32 b)
{
	if (HOST_SERVES(i))
		return a + b;
	if (i->fp == (FP_RN | FP_FTZ))
		return flush32(flush32(a) + flush32(b)); /* a sum below the normal numbers is exact */
	return f32_of_bits(f32_add(bits_of_f32(a), bits_of_f32(b), MODE_ROUND(i), MODE_FLUSHES(i), false));
}
static inline f32 sub32(const struct insn *i, f32 a, f32 b)
{
	if (HOST_SERVES(i))
		return a - b;
	if (i->fp == (FP_RN | FP_FTZ))
		return flush32(flush32(a) - flush32(b));
	return f32_of_bits(f32_sub(bits_of_f32(a), bits_of_f32(b), MODE_ROUND(i), MODE_FLUSHES(i), false));
}
static inline f32 mul32(const struct insn *i, f32 a, f32 b)
{
	if (HOST_SERVES(i))
		return a * b;
	if (i->fp == (FP_RN | FP_FTZ))
		return narrow32((f64)flush32(a) * (f64)flush32(b), true);
	return f32_of_bits(f32_mul(bits_of_f32(a), bits_of_f32(b), MODE_ROUND(i), MODE_FLUSHES(i), false));
}
static inline f32 div32(const struct insn *i, f32 a, f32 b)
{
	if (HOST_SERVES(i))
		return a / b;
	return f32_of_bits(f32_div(bits_of_f32(a), bits_of_f32(b), MODE_ROUND(i), MODE_FLUSHES(i)));
}
static inline f32 sqrt32(const struct insn *i, f32 a)
{
	if (HOST_SERVES(i))
		return __builtin_sqrtf(a);
	return f32_of_bits(f32_sqrt(bits_of_f32(a), MODE_ROUND(i), MODE_FLUSHES(i)));
}

/* Fused multiply-add. The library's may round twice or miss the flushing. */
static inline f32 fma32(const struct insn *i, f32 a, f32 b, f32 c)
{
	if (HOST_HAS_FUSED && HOST_SERVES(i))
		return __builtin_fmaf(a, b, c);
	if (i->fp == FP_RN)
		return narrow32(sum_to_odd((f64)a * (f64)b, c), false);
	if (!HOST_HAS_MODES && i->fp == (FP_RN | FP_FTZ))
		return narrow32(sum_to_odd((f64)flush32(a) * (f64)flush32(b), flush32(c)), true);
	return f32_of_bits(
		f32_fma(bits_of_f32(a), bits_of_f32(b), bits_of_f32(c), MODE_ROUND(i), MODE_FLUSHES(i), false));
}
static inline f64 fma64(const struct insn *i, f64 a, f64 b, f64 c)
{
	if (HOST_HAS_FUSED && HOST_SERVES(i))
		return __builtin_fma(a, b, c);
	return f64_of_bits(f64_fma(bits_of_f64(a), bits_of_f64(b), bits_of_f64(c), MODE_ROUND(i)));
}

static inline f64 add64(const struct insn *i, f64 a, f64 b)
{
	return HOST_SERVES(i) ? a + b : f64_of_bits(f64_add(bits_of_f64(a), bits_of_f64(b), MODE_ROUND(i)));
}
static inline f64 sub64(const struct insn *i, f64 a, f64 b)
{
	return HOST_SERVES(i) ? a - b : f64_of_bits(f64_sub(bits_of_f64(a), bits_of_f64(b), MODE_ROUND(i)));
}
static inline f64 mul64(const struct insn *i, f64 a, f64 b)
{
	return HOST_SERVES(i) ? a * b : f64_of_bits(f64_mul(bits_of_f64(a), bits_of_f64(b), MODE_ROUND(i)));
}
static inline f64 div64(const struct insn *i, f64 a, f64 b)
{
	return HOST_SERVES(i) ? a / b : f64_of_bits(f64_div(bits_of_f64(a), bits_of_f64(b), MODE_ROUND(i)));
}
static inline f64 sqrt64(const struct insn *i, f64 a)
{
	return HOST_SERVES(i) ? __builtin_sqrt(a) : f64_of_bits(f64_sqrt(bits_of_f64(a), MODE_ROUND(i)));
}

/* Conversions that round. An integer is u64, or fits s64. */
static inline f32 f32_of_f64(const struct insn *i, f64 a)
{
	return HOST_SERVES(i) ? (f32)a : f32_of_bits(f32_from_f64(bits_of_f64(a), MODE_ROUND(i), MODE_FLUSHES(i)));
}
#define FLOAT_OF_INT(T, i, a)                                                                   \
	(HOST_SERVES(i) ? (T)(a)                                                                \
			: T##_of_bits(_Generic((a), u64                                         \
					       : T##_from_u64((u64)(a), MODE_ROUND(i)), default \
					       : T##_from_s64((s64)(a), MODE_ROUND(i)))))

#endif
