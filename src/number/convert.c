/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversions between integers and floats and between floats of different width, in integers.
 */
#include "number/convert.h"
#include "number/half.h"
#include "number/ieee.h"
#include "number/soft.h"

static struct soft from_s64(s64 a) { return soft_from_u64(a < 0 ? 0 - (u64)a : (u64)a, a < 0); }
static struct soft from_u64(u64 a) { return soft_from_u64(a, false); }

u16 f16_from_u64(u64 a, enum round round) { return (u16)soft_pack(&soft_f16, from_u64(a), round, false); }
u16 f16_from_s64(s64 a, enum round round) { return (u16)soft_pack(&soft_f16, from_s64(a), round, false); }
u16 bf16_from_u64(u64 a, enum round round) { return (u16)soft_pack(&soft_bf16, from_u64(a), round, false); }
u16 bf16_from_s64(s64 a, enum round round) { return (u16)soft_pack(&soft_bf16, from_s64(a), round, false); }
u32 f32_from_u64(u64 a, enum round round) { return (u32)soft_pack(&soft_f32, from_u64(a), round, false); }
u32 f32_from_s64(s64 a, enum round round) { return (u32)soft_pack(&soft_f32, from_s64(a), round, false); }
u64 f64_from_u64(u64 a, enum round round) { return soft_pack(&soft_f64, from_u64(a), round, false); }
u64 f64_from_s64(s64 a, enum round round) { return soft_pack(&soft_f64, from_s64(a), round, false); }

/* Clamp a rounded magnitude (fits: it is below 2^64) into the range of the destination. */
static u64 clamp_integer(bool sign, bool fits, u64 magnitude, unsigned bits, bool is_signed)
{
	u64 top = 1ull << (bits - 1);
	if (is_signed) {
		u64 limit = sign ? top : top - 1;
		u64 value = fits && magnitude < limit ? magnitude : limit;
		return sign ? 0 - value : value;
	}
	u64 limit = top | (top - 1);
	return sign ? 0 : fits && magnitude < limit ? magnitude : limit;
}

/* Only the top bit of the destination, extended if the type is signed. */
static u64 top_bit(unsigned bits, bool is_signed)
{
	u64 top = 1ull << (bits - 1);
	return is_signed ? 0 - top : top;
}

static u64 int_from_soft(struct soft v, unsigned bits, bool is_signed, enum round round)
{
	u64 magnitude = 0;
	bool fits = soft_to_integer(v, round, &magnitude);
	return clamp_integer(v.sign, fits, magnitude, bits, is_signed);
}

u64 int_from_f32(u32 a, unsigned bits, bool is_signed, enum round round, bool ftz)
{
	a = f32_flush_if(a, ftz);
	if (f32_is_nan(a))
		return bits == 64 ? top_bit(bits, is_signed) : 0;
	if ((a & ~F32_SIGN) == F32_INF)
		return clamp_integer(a >> 31, false, 0, bits, is_signed);
	return int_from_soft(soft_unpack(&soft_f32, a), bits, is_signed, round);
}

u64 int_from_f64(u64 a, unsigned bits, bool is_signed, enum round round)
{
	if (f64_is_nan(a))
		return top_bit(bits, is_signed);
	if ((a & ~F64_SIGN) == F64_INF)
		return clamp_integer(a >> 63, false, 0, bits, is_signed);
	return int_from_soft(soft_unpack(&soft_f64, a), bits, is_signed, round);
}

u64 f64_from_f32(u32 a, bool ftz)
{
	u64 sign = (u64)(a & F32_SIGN) << 32;
	if (f32_is_nan(a))
		a = ftz ? F32_NAN : a;
	if (f32_is_nan(a))
		return (ftz ? 0 : sign) | F64_INF | F64_QUIET | (u64)(a & 0x007fffff) << 29;
	if ((a & ~F32_SIGN) == F32_INF)
		return sign | F64_INF;
	return soft_pack(&soft_f64, soft_unpack(&soft_f32, f32_flush_if(a, ftz)), ROUND_RN, false);
}

u32 f32_from_f64(u64 a, enum round round, bool ftz)
{
	u32 sign = (u32)(a >> 32) & F32_SIGN;
	if (f64_is_nan(a))
		return sign | F32_INF | 0x00400000 | (u32)(a >> 29 & 0x007fffff);
	if ((a & ~F64_SIGN) == F64_INF)
		return sign | F32_INF;
	return (u32)soft_pack(&soft_f32, soft_unpack(&soft_f64, a), round, ftz);
}

u64 f64_from_f16(u16 a)
{
	u64 sign = (u64)(a & HALF_SIGN) << 48;
	if (f16_is_nan(a))
		return sign | F64_INF | F64_QUIET | (u64)(a & 0x03ff) << 42;
	return f64_from_f32(f32_from_f16(a), false);
}

u64 f64_from_bf16(u16 a) { return f64_from_f32(f32_from_bf16(a), false); }

u16 f16_from_f64(u64 a, enum round round)
{
	u16 sign = (u16)(a >> 48) & HALF_SIGN;
	if (f64_is_nan(a))
		return (u16)(sign | F16_INF | 0x0200 | (a >> 42 & 0x03ff));
	if ((a & ~F64_SIGN) == F64_INF)
		return sign | F16_INF;
	return (u16)soft_pack(&soft_f16, soft_unpack(&soft_f64, a), round, false);
}

u16 bf16_from_f64(u64 a, enum round round)
{
	u16 sign = (u16)(a >> 48) & HALF_SIGN;
	if (f64_is_nan(a))
		return (u16)(sign | BF16_INF | 0x0040 | (a >> 45 & 0x007f));
	if ((a & ~F64_SIGN) == F64_INF)
		return sign | BF16_INF;
	return (u16)soft_pack(&soft_bf16, soft_unpack(&soft_f64, a), round, false);
}
