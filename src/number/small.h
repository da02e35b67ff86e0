/* SPDX-License-Identifier: Apache-2.0
 *
 * The formats of 4 to 8 bits (e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0), tf32, and stochastic rounding
 * (.rs): the cvt forms that have them, one element at a time, on bits. Integer code: the host's
 * floating-point environment does not matter. fp8 and tf32 agree with recordings of an H200; the
 * rest is for sm_100 and later and follows the PTX ISA manual, section on cvt.
 */
#ifndef PTXSIM_NUMBER_SMALL_H
#define PTXSIM_NUMBER_SMALL_H

#include "base/types.h"
#include "number/round.h"

enum small_format { SMALL_E4M3, SMALL_E5M2, SMALL_E2M3, SMALL_E3M2, SMALL_E2M1 };

/*
 * cvt.rn.satfinite{.relu}: to nearest even; too large (infinity too) gives the greatest finite
 * number. NaN: 0x7f in e4m3 and e5m2; the others have none and give the greatest positive number.
 * Six- and four-bit formats lie in the low bits. relu: negative numbers become +0; NaN stays.
 * A bf16 operand: widen it to f32 first.
 */
u8 small_from_f32(enum small_format format, u32 a, bool relu);
u8 small_from_f16(enum small_format format, u16 a, bool relu);

/* cvt.rn{.relu}.f16x2: exact. NaN gives 0x7fff. */
u16 f16_from_small(enum small_format format, u8 a, bool relu);

/*
 * cvt.rs: the discarded part of the significand and the random bits are added as binary fractions,
 * and the carry rounds away from zero. `random` holds the element's own random bits:
 *   f16x2           13 bits: rbits[28:16] for a, rbits[12:0] for b
 *   bf16x2          16 bits: rbits[31:16] for a, rbits[15:0] for b
 *   8- and 6-bit x4 16 bits: rbits[31:16] for a and b, rbits[15:0] for e and f
 *   e2m1x4           8 bits: rbits[31:24] for a, rbits[15:8] for b, rbits[23:16] for e, rbits[7:0]
 *                    for f; the manual leaves open which of each pair goes to which element
 */
u8 small_from_f32_rs(enum small_format format, u32 a, bool relu, u32 random);
u16 f16_from_f32_rs(u32 a, bool relu, bool satfinite, u32 random);
u16 bf16_from_f32_rs(u32 a, bool relu, bool satfinite, u32 random);

/*
 * ue8m0: a power of two, 2^(n - 127); 0xff is NaN. The operand's sign is ignored. round is
 * ROUND_RZ or ROUND_RP. Infinity and what rounds above 2^127 give 0xff, with satfinite 0xfe.
 */
u8 ue8m0_from_f32(u32 a, enum round round, bool satfinite);
u8 ue8m0_from_bf16(u16 a, enum round round, bool satfinite);
u16 bf16_from_ue8m0(u8 a);

/*
 * cvt.{rn,rz,rna}.tf32.f32: f32 with the low 13 bits zero. NaN: 0x7fffe000, but .rna only cuts the
 * low bits off (0xff800001 becomes -inf), and .rna.satfinite then takes 0x2000 away from whatever
 * has the exponent field full.
 */
u32 tf32_from_f32(u32 a, enum round round, bool satfinite, bool relu);

#endif
