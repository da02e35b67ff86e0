/* SPDX-License-Identifier: Apache-2.0
 *
 * The approximate functions, bit for bit as the special-function unit of an H200 computes them and
 * as CUDA 13.0 lowers the PTX forms onto it. Everything is integer arithmetic on small tables
 * (number/mufu_tables.h) and f32 operations on bits; results do not depend on the host. A NaN
 * operand gives 0x7fffffff (f32) or 0x7fff (f16, bf16). ftz selects the .ftz form.
 */
#ifndef PTXSIM_NUMBER_MUFU_H
#define PTXSIM_NUMBER_MUFU_H

#include "base/types.h"

/* The unit itself (SASS MUFU.*): subnormal operands and results are zeros. sin and cos take the
 * angle in revolutions; the 64H functions take and give the high word of an f64. */
u32 mufu_rcp(u32 a);
u32 mufu_rsqrt(u32 a);
u32 mufu_sqrt(u32 a);
u32 mufu_ex2(u32 a);
u32 mufu_lg2(u32 a);
u32 mufu_sin(u32 a);
u32 mufu_cos(u32 a);
u32 mufu_tanh(u32 a);
u32 mufu_rcp64h(u32 a);
u32 mufu_rsqrt64h(u32 a);

/* The PTX instructions. sin, cos and tanh have one form for both values of .ftz. */
u32 f32_rcp_approx(u32 a, bool ftz);
u32 f32_rsqrt_approx(u32 a, bool ftz);
u32 f32_sqrt_approx(u32 a, bool ftz);
u32 f32_ex2_approx(u32 a, bool ftz);
u32 f32_lg2_approx(u32 a, bool ftz);
u32 f32_sin_approx(u32 a);
u32 f32_cos_approx(u32 a);
u32 f32_tanh_approx(u32 a);
u32 f32_div_approx(u32 a, u32 b, bool ftz);
u32 f32_div_full(u32 a, u32 b, bool ftz);

u64 f64_rcp_approx_ftz(u64 a);
u64 f64_rsqrt_approx_ftz(u64 a);
u64 f64_rsqrt_approx(u64 a);

u16 f16_ex2_approx(u16 a);
u16 f16_tanh_approx(u16 a);
u16 bf16_ex2_approx(u16 a); /* ex2.approx.ftz.bf16: the only form */
u16 bf16_tanh_approx(u16 a);

#endif
