/* SPDX-License-Identifier: Apache-2.0
 *
 * The formats of 4 to 8 bits (e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0), tf32, and stochastic rounding
 * (.rs): the cvt forms that have them, one element at a time, on bits. Integer code: the host's
 * floating-point environment does not matter. fp8 and tf32 agree with recordings of an H200; the
 * rest is for sm_100 and later and follows the PTX ISA manual.
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
 */
u8 small_from_f32(enum small_format format, u32 a, bool relu);
u8 small_from_f16(enum small_format format, u16 a, bool relu);

/* cvt.rn{.relu}.f16x2: exact. NaN gives 0x7fff. */
u16 f16_from_small(enum small_format format, u8 a, bool relu);

/*
 * cvt.rs: the discarded part of the significand, to the width of `random`, is added to it, and the
 * carry decides. random holds random_bits bits (13 for f16, 16 for bf16 and e5m2, ...), taken by
 * the caller out of rbits as the manual lays it out.
 */
u8 small_from_f32_rs(enum small_format format, u32 a, bool relu, u32 random, unsigned random_bits);
u16 f16_from_f32_rs(u32 a, bool relu, bool satfinite, u32 random);
u16 bf16_from_f32_rs(u32 a, bool relu, bool satfinite, u32 random);

/* ue8m0: a power of two, 2^(n-127); 0xff is NaN. round is ROUND_RZ or ROUND_RP. */
u8 ue8m0_from_f32(u32 a, enum round round, bool satfinite);
u8 ue8m0_from_bf16(u16 a, enum round round, bool satfinite);
u16 bf16_from_ue8m0(u8 a);

/* cvt.{rn,rz,rna}.tf32.f32: f32 with the low 13 bits zero. */
u32 tf32_from_f32(u32 a, enum round round, bool satfinite, bool relu);

#endif
