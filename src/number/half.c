/* SPDX-License-Identifier: Apache-2.0
 *
 * The f16 and bf16 operations with a rounding mode of their own, in integers.
 */
#include "number/half.h"
#include "number/soft.h"

/* f32 bits into a 16-bit format whose infinity is inf. */
static u16 half_from_f32(const struct soft_format *f, u16 inf, u32 a, enum round round)
{
	u32 magnitude = a & ~F32_SIGN;
	if (magnitude > F32_INF)
		return HALF_NAN;
	if (magnitude == F32_INF)
		return (u16)(((a >> 16) & HALF_SIGN) | inf);
	return (u16)soft_pack(f, soft_unpack(&soft_f32, a), round, false);
}

u16 f16_from_f32_exact(u32 a, enum round round) { return half_from_f32(&soft_f16, F16_INF, a, round); }

u16 bf16_from_f32_exact(u32 a, enum round round) { return half_from_f32(&soft_bf16, BF16_INF, a, round); }

u16 f16_from_bf16(u16 a, enum round round) { return f16_from_f32_exact(f32_from_bf16(a), round); }
u16 bf16_from_f16(u16 a, enum round round) { return bf16_from_f32_exact(f32_from_f16(a), round); }

/* An f16 or bf16 number's integral neighbours are numbers of the format, so f32's serves. */
u16 f16_round_integral(u16 a, enum round round)
{
	return f16_from_f32_exact(f32_round_integral(f32_from_f16(a), round, false), ROUND_RZ);
}

u16 bf16_round_integral(u16 a, enum round round)
{
	return bf16_from_f32_exact(f32_round_integral(f32_from_bf16(a), round, false), ROUND_RZ);
}
