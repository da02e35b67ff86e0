/* SPDX-License-Identifier: Apache-2.0
 *
 * The instructions that access memory, found before the run. A part of the accounting observer.
 */
#ifndef PTXSIM_OBSERVE_SITES_H
#define PTXSIM_OBSERVE_SITES_H

#include "decode/operands.h"
#include "observe/accounting.h"

/* In a slot: the decoded instruction is the guard of the site's. */
enum { SITE_GUARD = 1u << 31 };

struct site_list {
	struct account_site *items;
	u32 count;
	u32 fixed;   /* sites that are fixed */
	u32 **slots; /* by code and decoded instruction: site + 1, or 0 */
};

/* Is it the instruction of the text, and not one that lowering put before or after it? */
bool sites_is_own(const struct code *code, u32 insn);

struct site_list sites_find(struct arena *arena, const struct program *program,
			    const struct accounting_options *options);

/* Of lane addresses that stand as flattened operands k and k + 1. */
static inline void operand_addresses(const struct account_site *s, const struct insn *i, const u8 *rows, u32 k,
				     u64 address[WARP_LANES])
{
	row_addresses(rows, insn_operand(s->code, s->form, i, k), (s32)insn_operand(s->code, s->form, i, k + 1),
		      s->form->operand_bits[k] == 64, address);
}

/* What a lane's cp.async reads of its source: the rest of what it writes is zeros. */
static inline u32 copy_source_bytes(const struct account_site *s, const struct insn *i, const u8 *rows, u32 lane)
{
	const u32 bits = s->form->operand_count > 4 ? s->form->operand_bits[4] : 0;
	const u32 *row = (const u32 *)(const void *)(rows + (bits ? insn_operand(s->code, s->form, i, 4) : 0));

	if (bits == 1)
		return (*row >> lane ^ i->aux) & 1 ? 0 : s->width;
	return bits == 32 && row[lane] < s->width ? row[lane] : s->width;
}

#endif
