/* SPDX-License-Identifier: Apache-2.0
 *
 * What the accounting of memory needs to know of machine code beyond the rows of PTX that it became. Nothing is estimated
 * here: which loads the assembler cut, and of which atomics it made loops, stands in the code.
 */
#include "observe/accounting.h"
#include "sass/registers.h"

static bool instruction_of(const struct account_site *s, struct sass_insn *i)
{
	return sass_instruction_at(s->code->function, s->code->origin[s->insn], i);
}

bool account_describe_bank(struct account_site *s)
{
	static const u8 bytes[] = {1, 1, 2, 2, 4, 8, 16};
	struct sass_insn i;

	if (!instruction_of(s, &i) || i.opcode != SASS_OP_LDC || i.operand_count < 2)
		return false;
	const struct sass_operand *o = &i.operands[1];
	const u32 size = sass_modifier(&i, MOD_LDC_SIZE);

	s->operation = ACCOUNT_LOAD;
	s->space = SPACE_CONST;
	s->width = bytes[size < COUNT_OF(bytes) ? size : 4];
	s->in_bank = true;
	s->at_fixed_place = o->base == SASS_RZ && o->uniform == SASS_NO_REGISTER && o->arg != ARG_UCONSTANT;
	s->bank_offset = s->at_fixed_place ? (u32)o->value & 0xffff : (u32)o->value;
	return true;
}

/* ATOMS.POPC.INC adds up the lanes of each word first; a compare and swap passes twice; all else is one pass for the lanes that
 * meet in no bank, whatever its width. */
void account_describe_machine_atomic(struct account_site *s)
{
	struct sass_insn i;

	if (!instruction_of(s, &i))
		return;
	const bool swaps = form_has(s->form, M_cas), reduces = i.opcode == SASS_OP_RED || i.opcode == SASS_OP_REDG;

	s->operation = reduces ? ACCOUNT_RED : ACCOUNT_ATOM;
	s->bank_kind = sass_counts_lanes(&i)         ? BANK_ATOM_COUNT
		       : sass_modifier(&i, MOD_SPIN) ? BANK_ATOM_SPIN
		       : swaps                       ? BANK_ATOM_CAS
						     : BANK_ATOM;
	s->sector_kind = swaps ? SECTOR_ATOM_CAS : reduces ? SECTOR_RED : SECTOR_ATOM;
	s->combines = !swaps && !form_has(s->form, M_exch);
}
