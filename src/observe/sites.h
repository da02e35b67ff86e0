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

#endif
