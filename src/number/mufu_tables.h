/* SPDX-License-Identifier: Apache-2.0
 *
 * The coefficient tables of the special-function unit: for each segment of an argument c0, c1 and
 * c2 of its quadratic, each column an array of its own so that a vector loop can gather from it.
 * number/mufu.h says how they are used and on what scale. Solved from recordings of an H200; the
 * rows of rcp, rsqrt, ex2, lg2 and sin are also those that envytools (nvhw/sfu_tab.c, Marcin
 * Kościelnicki, MIT licence) found in the G80. The interpolator is Oberman and Siu's (2005).
 */
#ifndef PTXSIM_NUMBER_MUFU_TABLES_H
#define PTXSIM_NUMBER_MUFU_TABLES_H

#include "base/types.h"

extern const s32 mufu_table_rcp[3][128];
extern const s32 mufu_table_rsqrt[3][128];
extern const s32 mufu_table_sqrt[3][128];
extern const s32 mufu_table_ex2[3][64];
extern const s32 mufu_table_lg2[3][64];
extern const s32 mufu_table_sin[3][64];
extern const s32 mufu_table_tanh[3][51];

/* The same with the three of a segment side by side, and a zero, for hosts that load them lane by lane. */
extern const s32 mufu_pieces_rcp[128][4] __attribute__((aligned(16)));
extern const s32 mufu_pieces_rsqrt[128][4] __attribute__((aligned(16)));
extern const s32 mufu_pieces_sqrt[128][4] __attribute__((aligned(16)));
extern const s32 mufu_pieces_ex2[64][4] __attribute__((aligned(16)));
extern const s32 mufu_pieces_lg2[64][4] __attribute__((aligned(16)));
extern const s32 mufu_pieces_sin[64][4] __attribute__((aligned(16)));

/* For each exponent from -8 to 2: leading mantissa bits in tanh's segment number, first segment. */
extern const s32 mufu_tanh_bits[11];
extern const s32 mufu_tanh_first[11];

#endif
