/* SPDX-License-Identifier: Apache-2.0
 *
 * The layouts of wgmma's A and B in shared memory: what a matrix descriptor says, and where an
 * element lies. Pure functions; called by the meanings of the matrix family and by whoever counts
 * what an instruction reads.
 */
#ifndef PTXSIM_NUMBER_TENSOR_SHARED_H
#define PTXSIM_NUMBER_TENSOR_SHARED_H

#include "base/types.h"
#include "number/tensor.h"
#include "number/tensor_fragments.h"

/* A wgmma shared-memory matrix descriptor, taken apart. Addresses and strides in bytes. */
struct wgmma_descriptor {
	u32 start; /* in the shared window */
	u32 leading_stride, stride;
	u32 base_offset; /* 0 to 7, in units of 128 bytes: where the swizzle pattern starts */
	u32 swizzle;     /* bytes of a swizzled span: 128, 64, 32; 16: none */
};

struct wgmma_descriptor wgmma_descriptor_decode(u64 bits);

/*
 * Address in the shared window of the 16 bytes that hold element (line, k): `line` is the row of A
 * or the column of B. The element itself is `*offset` bytes in. `k` counts stored elements.
 * `transposed`: lines, not k, are next to each other in memory (16-bit formats only).
 */
u32 wgmma_chunk_address(const struct wgmma_descriptor *d, u32 element_bits, bool transposed, u32 line, u32 k,
			u32 *offset);

/*
 * A (or B) of a wgmma from shared memory, its lines from `first` on: as many as the form has rows (or
 * columns), so that a warp with a form of 16 rows takes its own part. `shared` is the window's bytes [0, bytes). False, with
 * the first address beyond in `*fault`, if an element lies outside.
 */
bool wgmma_matrix_load(const struct tensor_form *form, enum tensor_role role, u32 first,
		       const struct wgmma_descriptor *d, bool transposed, const u8 *shared, u32 bytes, u32 *matrix,
		       u32 *fault);

#endif
