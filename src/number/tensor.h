/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic of the matrix instructions: D = A * B + C on whole small matrices, bit for bit as
 * an H200's matrix unit (or ptxas's replacement for it, where the chip has none) leaves D. Pure
 * functions; who holds which element in which register is tensor_fragments.h's business, which
 * instruction means which form is the caller's.
 *
 * Matrices are plain arrays, elements along M (or N) next to each other, K packed into words as
 * registers pack it:
 *
 *	A  u32[words][m]   word w of row i holds the stored elements of K from w * (32 / bits) on,
 *	                   the first of them in the low bits
 *	B  u32[words][n]   the same of column j; always all of K
 *	C  u32[n][m]       one word an element, an f16 in the low half; D likewise
 *
 * With f64, elements are u64: A [k][m], B [k][n], C and D [n][m]. The arrays need the alignment of
 * their elements only.
 */
#ifndef PTXSIM_NUMBER_TENSOR_H
#define PTXSIM_NUMBER_TENSOR_H

#include "base/types.h"
#include "number/round.h"

enum tensor_format {
	TENSOR_F16,
	TENSOR_BF16,
	TENSOR_TF32, /* a 32-bit word whose low 13 bits do not matter */
	TENSOR_E4M3,
	TENSOR_E5M2,
	TENSOR_F32,
	TENSOR_F64,
	TENSOR_S8,
	TENSOR_U8,
	TENSOR_S4,
	TENSOR_U4,
	TENSOR_B1,
	TENSOR_S32,
	TENSOR_E3M2, /* in the low bits of a byte, as TENSOR_E2M3 */
	TENSOR_E2M3,
	TENSOR_E2M1,
	TENSOR_E2M1_CENTRAL, /* in the four central bits of a byte */
};

/* The PTX instruction a form belongs to; mma and mma.sp, wgmma and wgmma.sp differ in `sparse`. */
enum tensor_family {
	TENSOR_MMA,
	TENSOR_WGMMA,
	TENSOR_WMMA,
};

enum tensor_bit_op {
	TENSOR_XOR_POPC,
	TENSOR_AND_POPC,
};

/* How the sums are formed; tensor_form_resolve chooses. */
enum tensor_arith {
	TENSOR_FUSED,        /* one step over K, F = 25 */
	TENSOR_FUSED_NARROW, /* one step over K, F = 13; an f32 result keeps 13 fraction bits */
	TENSOR_FUSED_HALVES, /* two steps, each over half of K in order */
	TENSOR_FP8_PAIRS,    /* two steps, over every other pair of K; then C, rounded */
	TENSOR_FMA_F32,      /* m8n8k4 f16: scalar f32 arithmetic */
	TENSOR_FMA_F64,      /* a chain of f64 fused multiply-adds along K */
	TENSOR_INTEGER,
	TENSOR_BITS,
	TENSOR_NARROW, /* tensor_narrow.h */
};

/*
 * One matrix instruction without its registers. Fill everything above `arith` (names give fields as
 * PTX writes them; k is the instruction's K also when sparse), then call tensor_form_resolve.
 */
struct tensor_form {
	enum tensor_family family;
	u16 m, n, k;
	enum tensor_format a, b, c, d;
	bool sparse;               /* A holds k / 2 elements a row, metadata says which */
	bool satfinite;            /* integers: clamp instead of wrapping */
	bool negate;               /* the products change sign: imm-scale-a != imm-scale-b */
	enum round round;          /* f64 only */
	enum tensor_bit_op bit_op; /* b1 only */
	bool narrow;               /* mma with .kind: any narrow floats, TENSOR_NARROW */
	u8 scales;                 /* of a row of A and a column of B, each for as many elements: 0, 1, 2 or 4 */
	bool ue4m3;                /* scales are ue4m3, not ue8m0 */

	enum tensor_arith arith;
	u8 group;   /* elements of K that a metadata nibble chooses from, 0 when dense */
	u8 a_words; /* words (f64: elements) a row of A and a column of B */
	u8 b_words;
};

/* Largest M, and words of K in A or B, of any form; N is at most 256. */
enum { TENSOR_MAX_M = 64, TENSOR_MAX_N = 256, TENSOR_MAX_WORDS = 16 };

/*
 * The arrays of one multiplication; see the head of this file. `d` may be `c`, nothing else may
 * overlap it. Sparse: `meta` is [k / group][m], a nibble each in bits 0-3, which names the places
 * of two stored elements (tf32: one) in the group; the caller finds them in the lanes' registers.
 * Two equal indices in a nibble (PTX: undefined) give some result. With 4-bit elements a group is 8
 * elements and an index names a pair of them.
 *
 * Forms with scales: `a_scales` is [scales][m], `b_scales` [scales][n].
 */
struct tensor_operands {
	const void *a;
	const void *b;
	const void *c; /* NULL: zero (scale-d 0) */
	void *d;
	const u8 *meta;
	const u8 *a_scales, *b_scales;
};

/*
 * Fills the fields from `arith` on. False when sm_90 has no such multiplication: the formats do not
 * fit, K is not one of theirs, or M and N are out of range. Legal shapes beyond that are the
 * instruction table's to check.
 */
bool tensor_form_resolve(struct tensor_form *form);

/* Bits of an element as A or B holds it. */
u32 tensor_format_bits(enum tensor_format format);

/*
 * One multiplication. The variants differ in speed only; a variant may run only where the host has
 * its instructions. They leave the host's floating-point control as they find it and do not depend
 * on it.
 */
typedef void tensor_mma_fn(const struct tensor_form *form, const struct tensor_operands *o);
tensor_mma_fn tensor_mma_baseline;
#ifdef __x86_64__
tensor_mma_fn tensor_mma_avx2;
tensor_mma_fn tensor_mma_avx512;
#endif

/* The fastest variant that this host runs. */
tensor_mma_fn *tensor_mma_for_host(void);

#endif
