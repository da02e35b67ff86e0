/* SPDX-License-Identifier: Apache-2.0
 *
 * Which lane holds which element in which register: the fragments of the matrix instructions,
 * sparse metadata, and the 8x8 matrices of ldmatrix. Pure functions between rows of registers and
 * the matrices of tensor.h; called by the meanings of the matrix family and by whoever wants to
 * show a fragment. The layouts of wgmma's operands in shared memory are in tensor_shared.h.
 *
 * A row of registers is what one register holds in the 32 lanes: u32[32], with f64 u64[32]. Lane l
 * = 4g + t is member t of group g throughout. All 32 lanes take part.
 */
#ifndef PTXSIM_NUMBER_TENSOR_FRAGMENTS_H
#define PTXSIM_NUMBER_TENSOR_FRAGMENTS_H

#include "base/types.h"
#include "number/tensor.h"

enum tensor_role {
	TENSOR_ROLE_A,
	TENSOR_ROLE_B,
	TENSOR_ROLE_C,
	TENSOR_ROLE_D,
};

/* Registers of a fragment, at most (wgmma's accumulator in f32), and of A or B. */
enum { TENSOR_MAX_REGISTERS = 128, TENSOR_MAX_FACTOR_REGISTERS = 8 };

/*
 * Registers that PTX gives the operand in each lane. For wmma with f16 A and B that is 8, more than
 * the elements need: the upper ones repeat the lower ones when loaded and are not read.
 */
u32 tensor_fragment_registers(const struct tensor_form *form, enum tensor_role role);

/* Elements in a register: 2 for f16, 8 for s4, 1 for f64, ... */
u32 tensor_fragment_elements(const struct tensor_form *form, enum tensor_role role);

/*
 * A place in a matrix: of A row and k (when sparse: stored k), of B k and column, of C and D row
 * and column.
 */
struct tensor_place {
	u16 row, column;
};

/*
 * The place of element `element` of register `reg` in lane `lane`; for wgmma `lane` counts to 127
 * over the four warps. For every form but m8n8k4 with f16 (TENSOR_FMA_F32), which has
 * tensor_octet_place.
 */
struct tensor_place tensor_fragment_place(const struct tensor_form *form, enum tensor_role role, u32 reg, u32 lane,
					  u32 element);

/*
 * Rows of registers to a matrix of tensor_operands and back, for the roles' whole fragments. `warp`
 * is 0, or with wgmma the warp's number in its group: A, C and D get or give the 16 rows of that
 * warp. Not for TENSOR_FMA_F32.
 */
void tensor_fragment_gather(const struct tensor_form *form, enum tensor_role role, u32 warp, const void *const *rows,
			    void *matrix);
void tensor_fragment_scatter(const struct tensor_form *form, u32 warp, const void *d, void *const *rows);

/*
 * The metadata operand of sparse forms to the nibbles of tensor_operands. `selector` is the
 * instruction's: 0 to 3 where a quarter of the lanes holds it all, 0 or 1 where half does, else 0.
 */
void tensor_metadata_gather(const struct tensor_form *form, u32 warp, const u32 *lanes, u32 selector, u8 *meta);

/*
 * m8n8k4 with f16: four multiplications in a warp, each on 8 lanes (an octet): 4 * octet + 0..3 and
 * the same + 16. `transposed`: A in column-major, B in row-major layout. Elements as for
 * tensor_fragment_place, `lane` in the warp; the octet is lane / 4 % 4.
 */
struct tensor_place tensor_octet_place(const struct tensor_form *form, enum tensor_role role, bool transposed, u32 reg,
				       u32 lane, u32 element);

/*
 * Where the scales of A or B are (PTX ISA, "Block Scaling for mma.sync"): in bytes from `byte` on of a register; of A's
 * rows r and r + 8 in lanes 4r + 2 thread and the next, of B's column c in lane 4c + thread.
 */
struct tensor_scales {
	const u32 *lanes;
	u32 byte, thread;
};

/* The registers of one instruction: arrays of rows. `d` may name the same rows as `c`. */
struct tensor_registers {
	const void *const *a, *const *b, *const *c;
	const u32 *meta; /* sparse only */
	void *const *d;
	u32 selector;
	struct tensor_scales a_scales, b_scales; /* forms with scales only */
	bool a_column_major, b_row_major;        /* m8n8k4 with f16 only */
};

/* mma.sync, mma.sp and wmma.mma, whole: gather, multiply, scatter. */
void tensor_warp_mma(const struct tensor_form *form, tensor_mma_fn *mma, const struct tensor_registers *r);

/*
 * The 8x8 matrices of ldmatrix, stmatrix and movmatrix. Lane l holds row l / 4, columns 2 (l % 4)
 * and the next, the even one in the low half; transposed: column l / 4 of rows 2 (l % 4) and the
 * next. Rows in memory are 16 bytes, with no need for alignment here.
 */
void tensor_matrix_to_lanes(const u8 *const rows[8], bool transposed, u32 lanes[WARP_LANES]);
void tensor_matrix_from_lanes(const u32 lanes[WARP_LANES], bool transposed, u8 *const rows[8]);
void tensor_matrix_transpose(const u32 from[WARP_LANES], u32 to[WARP_LANES]);

#endif
