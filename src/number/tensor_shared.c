/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma's operands in shared memory. Memory is cut into core matrices of 8 times 16 bytes. What
 * lies along the 16 bytes is the major dimension: K, or with a transposed operand the lines.
 */
#include "number/tensor_shared.h"

#include <string.h>

enum { CHUNK = 16, CORE_LINES = 8 };

struct wgmma_descriptor wgmma_descriptor_decode(u64 bits)
{
	static const u8 spans[] = {16, 128, 64, 32};
	return (struct wgmma_descriptor){
		.start = (u32)(bits & 0x3fff) << 4,
		.leading_stride = (u32)(bits >> 16 & 0x3fff) << 4,
		.stride = (u32)(bits >> 32 & 0x3fff) << 4,
		.base_offset = (u32)(bits >> 49 & 7),
		.swizzle = spans[bits >> 62],
	};
}

/*
 * The swizzle exchanges 16-byte chunks of a span by the number of its 128-byte line in the pattern.
 */
static u32 swizzled(const struct wgmma_descriptor *d, u32 address)
{
	u32 lines = (address >> 7) - d->base_offset;
	return address ^ ((lines & (d->swizzle / CHUNK - 1)) << 4);
}

/* Address of the chunk that holds byte `major` of line `minor` of the operand. */
static inline u32 chunk_address(const struct wgmma_descriptor *d, bool transposed, u32 minor, u32 major)
{
	u32 span = d->swizzle, shift = (u32)__builtin_ctz(span);
	u32 cores = minor / CORE_LINES, spans = major >> shift;
	u32 in_core = (minor % CORE_LINES << shift) + (major & (span - 1) & ~(CHUNK - 1u));
	bool exchanged = span == CHUNK && transposed;
	u32 by_core = exchanged ? d->leading_stride : d->stride;
	u32 by_span = exchanged ? d->stride : d->leading_stride;
	return swizzled(d, d->start + in_core + cores * by_core + spans * by_span);
}

u32 wgmma_chunk_address(const struct wgmma_descriptor *d, u32 element_bits, bool transposed, u32 line, u32 k,
			u32 *offset)
{
	u32 major = (transposed ? line : k) * element_bits / 8;
	*offset = major % CHUNK;
	return chunk_address(d, transposed, transposed ? k : line, major);
}

/* A chunk of shared memory; false if it is not all inside. */
static inline bool chunk_read(const u8 *shared, u32 bytes, u32 address, void *to)
{
	if (address > bytes || bytes - address < CHUNK)
		return false;
	memcpy(to, shared + address, CHUNK);
	return true;
}

/* K along the chunks: four words of one line in each. */
static bool load_straight(const struct wgmma_descriptor *d, u32 first, u32 lines, u32 words, const u8 *shared,
			  u32 bytes, u32 *matrix, u32 *fault)
{
	for (u32 w = 0; w < words; w += 4) {
		for (u32 line = 0; line < lines; line++) {
			u32 chunk[4];
			*fault = chunk_address(d, false, first + line, 4 * w);
			if (!chunk_read(shared, bytes, *fault, chunk))
				return false;
			for (u32 i = 0; i < 4; i++)
				matrix[(w + i) * lines + line] = chunk[i];
		}
	}
	return true;
}

/*
 * Lines along the chunks: eight lines of one place in K in each, so two chunks make a word of each.
 */
static bool load_transposed(const struct wgmma_descriptor *d, u32 first, u32 lines, u32 words, const u8 *shared,
			    u32 bytes, u32 *matrix, u32 *fault)
{
	for (u32 w = 0; w < words; w++) {
		for (u32 line = 0; line < lines; line += 8) {
			u16 even[8], odd[8];
			*fault = chunk_address(d, true, 2 * w, 2 * (first + line));
			if (!chunk_read(shared, bytes, *fault, even))
				return false;
			*fault = chunk_address(d, true, 2 * w + 1, 2 * (first + line));
			if (!chunk_read(shared, bytes, *fault, odd))
				return false;
			for (u32 i = 0; i < 8; i++)
				matrix[w * lines + line + i] = even[i] | (u32)odd[i] << 16;
		}
	}
	return true;
}

bool wgmma_matrix_load(const struct tensor_form *form, enum tensor_role role, u32 first,
		       const struct wgmma_descriptor *d, bool transposed, const u8 *shared, u32 bytes, u32 *matrix,
		       u32 *fault)
{
	bool is_a = role == TENSOR_ROLE_A;
	u32 lines = is_a ? form->m : form->n, words = is_a ? form->a_words : form->b_words;
	return (transposed ? load_transposed : load_straight)(d, first, lines, words, shared, bytes, matrix, fault);
}
