/* SPDX-License-Identifier: Apache-2.0
 *
 * Origins of undefined values.
 */
#include "observe/unwritten_origin.h"

#include <stdio.h>

#include "isa/form.h"
#include "observe/classes.h"

/* A guarded instruction that writes what instruction `reader` reads: it does so for some lanes only. */
static bool find_guarded_writer(const struct code *code, u32 reader, u32 *writer)
{
	const struct ir_function *f = code->function;

	for (u32 k = 0; k < code->insn_count; k++) {
		const u32 origin = code->origin[k];
		if (origin == NO_OPERAND || origin == code->origin[reader])
			continue;
		const struct ir_instruction *x = &f->body.items[origin];
		const struct ir_operand *d = x->guard && x->operand_count ? &x->operands[0] : NULL;
		if (d && code->forms[origin].has_result && d->kind == OPERAND_REGISTER && d->symbol &&
		    d->symbol->kind == SYM_REGISTER &&
		    instruction_reads(&f->body.items[code->origin[reader]], &code->forms[code->origin[reader]],
				      d->symbol->reg)) {
			*writer = k;
			return true;
		}
	}
	return false;
}

/* Of a register; *site becomes the instruction that writes it for other lanes, if there is one. */
static void describe_register(const struct check_sites *where, u32 *site, char text[UNWRITTEN_ORIGIN_TEXT])
{
	u32 insn, writer;
	const struct code *code = check_site_code(where, *site, &insn);
	char place[CHECK_PLACE_TEXT];

	check_site_place(where, *site, place);
	snprintf(text, UNWRITTEN_ORIGIN_TEXT, "a register that nothing had written when it was read at %s", place);
	if (!find_guarded_writer(code, insn, &writer))
		return;
	*site = where->bases[code->index] + writer;
	check_site_place(where, *site, place);
	snprintf(text, UNWRITTEN_ORIGIN_TEXT, "a register that %s writes for other lanes only", place);
}

static void describe_origin(const struct check_sites *where, u32 origin, char text[UNWRITTEN_ORIGIN_TEXT])
{
	u32 insn;
	const struct code *code = check_site_code(where, origin, &insn);
	const struct form *f = &code->forms[code->origin[insn]];
	char place[CHECK_PLACE_TEXT];

	check_site_place(where, origin, place);
	if (f->row->traits & TRAIT_SHUFFLES)
		snprintf(text, UNWRITTEN_ORIGIN_TEXT,
			 "what the shuffle at %s takes from a lane that takes no part in it", place);
	else if (f->row->flags & ISA_MEMORY || f->row->traits & (TRAIT_COPIES | TRAIT_UNSEEN))
		snprintf(text, UNWRITTEN_ORIGIN_TEXT, "memory that nothing had written when it was read at %s", place);
	else
		snprintf(text, UNWRITTEN_ORIGIN_TEXT, "a register that nothing had written when it was read at %s",
			 place);
}

void unwritten_origin(const struct check_sites *where, bool is_register, u32 *site, char text[UNWRITTEN_ORIGIN_TEXT])
{
	if (is_register)
		describe_register(where, site, text);
	else
		describe_origin(where, *site, text);
}
