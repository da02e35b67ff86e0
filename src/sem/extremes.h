/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of a warp's f32 is the least or the greatest: for redux of PTX and CREDUX of machine code alike.
 */
#ifndef PTXSIM_SEM_EXTREMES_H
#define PTXSIM_SEM_EXTREMES_H

#include "exec/warp.h"

/* A float's place in the order -inf < ... < -0 < +0 < ... < inf, as an integer; its own inverse. */
static inline s32 float_order(u32 bits) { return (s32)(bits ^ ((u32)((s32)bits >> 31) >> 1)); }

/* By the manual: NaN operands are left out, unless .NaN, where one makes the result NaN; .abs first. */
static inline u32 extreme_of_floats(const u32 *value, u32 lanes, bool is_max, bool absolute, bool keep_nan)
{
	s32 r = is_max ? INT32_MIN : INT32_MAX;
	bool any = false, any_nan = false;

	for (u32 left = lanes; left; left &= left - 1) {
		const u32 bits = value[__builtin_ctz(left)], x = absolute ? bits & 0x7fffffff : bits;
		if ((x & 0x7fffffff) > 0x7f800000) {
			any_nan = true;
			continue;
		}
		const s32 order = float_order(x);
		r = !any || (is_max ? order > r : order < r) ? order : r;
		any = true;
	}
	return !any || (any_nan && keep_nan) ? 0x7fffffff : (u32)float_order((u32)r);
}

#endif
