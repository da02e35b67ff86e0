/* SPDX-License-Identifier: Apache-2.0
 *
 * Where lowering put an instruction's operands: the one place that knows it beside emit.c, which puts them there. For
 * instructions of PTX that are neither branches nor calls; isa/sass.h says where SASS has its own.
 */
#ifndef PTXSIM_DECODE_OPERANDS_H
#define PTXSIM_DECODE_OPERANDS_H

#include "decode/program.h"

/* What stands for flattened operand k of the form, of which `i` was made: the offset of its row in the frame, or
 * NO_OPERAND if it was left out. An address counts two operands, its base and its byte offset; of the second one the
 * offset itself. Immediate-only operands do not count. k is below form->operand_count. */
static inline u32 insn_operand(const struct code *code, const struct form *f, const struct insn *i, u32 k)
{
	const u32 direct[] = {i->d, i->a, i->b, i->c}, around[] = {i->d, i->b, i->c};
	const bool is_memory = f->layout == LAYOUT_MEMORY || f->layout == LAYOUT_MEMORY_LIST;
	const u32 skip = f->has_result ? 0 : 1;

	if (is_memory && k - f->base_at < 2)
		return k == f->base_at ? i->a : (u32)i->imm;
	if (is_memory && k > f->base_at)
		k -= 2;
	switch ((enum operand_layout)f->layout) {
	case LAYOUT_DIRECT:
		return direct[(k + skip) % COUNT_OF(direct)];
	case LAYOUT_MEMORY:
		return around[(k + skip) % COUNT_OF(around)];
	case LAYOUT_MEMORY_LIST:
		return code->operands[i->b + k];
	default:
		return code->operands[(u32)i->imm + k];
	}
}

/* A lane's address: what is in its part of the row `base`, of 64 bits or 32, plus an offset. */
static inline u64 row_address(const u8 *rows, u32 base, s32 offset, bool wide, u32 lane)
{
	return wide ? ((const u64 *)(const void *)(rows + base))[lane] + (u64)(s64)offset
		    : ((const u32 *)(const void *)(rows + base))[lane] + (u32)offset;
}
static inline void row_addresses(const u8 *rows, u32 base, s32 offset, bool wide, u64 address[WARP_LANES])
{
	if (wide)
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = row_address(rows, base, offset, true, l);
	else
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = row_address(rows, base, offset, false, l);
}

/* Whether the lanes access neighbouring elements in order: then one range stands for all. */
static inline bool addresses_are_dense(const u64 address[WARP_LANES], u32 bytes)
{
	u64 differs = 0;

	for (u32 l = 0; l < WARP_LANES; l++)
		differs |= address[l] ^ (address[0] + (u64)l * bytes);
	return !differs;
}

#endif
