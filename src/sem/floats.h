/* SPDX-License-Identifier: Apache-2.0
 *
 * What the floating-point families share beside lanes.h: results that follow the NaN rules of the
 * hardware, saturation, and the choice among a meaning's variants by modifier. Every helper is
 * branch-free, so that a loop over lanes stays vector code.
 *
 * Rounding and flushing follow insn.fp, which decode gives: an FLANE meaning runs under it, by the operations of
 * host_floats.h.
 * Meanings that compute on bits flush explicitly, and are chosen by flushes().
 */
#ifndef PTXSIM_SEM_FLOATS_H
#define PTXSIM_SEM_FLOATS_H

#include "number/half.h"
#include "number/ieee.h"
#include "sem/lanes.h"

/* f32: every NaN that arithmetic returns is the same one. */
static inline f32 one_nan(f32 x) { return x == x ? x : f32_of_bits(F32_NAN); }
/* .sat: to [+0, 1]; NaN and -0 become +0. */
static inline f32 saturate32(f32 x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static inline f64 saturate64(f64 x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

static inline f64 quiet(f64 x) { return f64_of_bits(bits_of_f64(x) | F64_QUIET); }
/* f64: a NaN operand goes through, the first one named here wins; one made from numbers is F64_NAN. */
static inline f64 nan_of1(f64 result, f64 a)
{
	const f64 made = result == result ? result : f64_of_bits(F64_NAN);
	return a == a ? made : quiet(a);
}
static inline f64 nan_of2(f64 result, f64 first, f64 second)
{
	return first == first ? nan_of1(result, second) : quiet(first);
}
static inline f64 nan_of3(f64 result, f64 first, f64 second, f64 third)
{
	return first == first ? nan_of2(result, second, third) : quiet(first);
}

/* Whether f32 subnormals count as zero: .ftz, and always before sm_20. */
static inline bool flushes(const struct form *f) { return form_has(f, M_ftz); }

/* pick_NAME for one meaning, and for those with a second one for a modifier or a condition. */
#define PICK1(NAME)                                                    \
	static const struct meaning *pick_##NAME(const struct form *f) \
	{                                                              \
		(void)f;                                               \
		return &NAME;                                          \
	}
#define PICK2(NAME, CONDITION, OTHER) \
	static const struct meaning *pick_##NAME(const struct form *f) { return (CONDITION) ? &OTHER : &NAME; }

#endif
