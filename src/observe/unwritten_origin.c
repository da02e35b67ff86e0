/* SPDX-License-Identifier: Apache-2.0
 *
 * Origins of undefined values.
 */
#include "observe/unwritten_origin.h"

#include <stdio.h>

#include "isa/form.h"
#include "observe/classes.h"
#include "observe/defined_rows.h"
#include "observe/texels.h"
#include "observe/unwritten_products.h"

enum { ORIGIN_TEXT = CHECK_PLACE_TEXT + 100 };

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
static void describe_register(const struct check_sites *where, u32 *site, char text[ORIGIN_TEXT])
{
	u32 insn, writer;
	const struct code *code = check_site_code(where, *site, &insn);
	char place[CHECK_PLACE_TEXT];

	check_site_place(where, *site, place);
	snprintf(text, ORIGIN_TEXT, "a register that nothing had written when it was read at %s", place);
	if (!find_guarded_writer(code, insn, &writer))
		return;
	*site = where->bases[code->index] + writer;
	check_site_place(where, *site, place);
	snprintf(text, ORIGIN_TEXT, "a register that %s writes for other lanes only", place);
}

static void describe_origin(const struct check_sites *where, u32 origin, char text[ORIGIN_TEXT])
{
	u32 insn;
	const struct code *code = check_site_code(where, origin, &insn);
	const struct form *f = &code->forms[code->origin[insn]];
	char place[CHECK_PLACE_TEXT];

	check_site_place(where, origin, place);
	if (f->row->traits & TRAIT_SHUFFLES)
		snprintf(text, ORIGIN_TEXT, "what the shuffle at %s takes from a lane that takes no part in it", place);
	else if (f->row->flags & ISA_MEMORY || f->row->traits & (TRAIT_COPIES | TRAIT_UNSEEN) ||
		 unwritten_is_product(f) || texels_use(f) != TEXEL_NONE)
		snprintf(text, ORIGIN_TEXT, "memory that nothing had written when it was read at %s", place);
	else
		snprintf(text, ORIGIN_TEXT, "a register that nothing had written when it was read at %s", place);
}

/* `site` has read it. Of a register it becomes the instruction that writes it for other lanes, if there is one. */
static void describe(const struct check_sites *where, bool is_register, u32 *site, char text[ORIGIN_TEXT])
{
	if (is_register)
		describe_register(where, site, text);
	else
		describe_origin(where, *site, text);
}

void unwritten_tell(struct unwritten *u, const struct warp *w, u32 site, u32 lanes, u32 origin, const char *what)
{
	char text[ORIGIN_TEXT];

	const bool is_register = origin == NO_SITE;
	origin = is_register ? site : origin & ~(u32)DEFINED_COMPUTED;
	struct fault *f = check_tell(u->findings, FAULT_UNWRITTEN, w, site, lanes, origin);
	if (!f)
		return;
	describe(u->where, is_register, &origin, text);
	snprintf(f->detail, sizeof f->detail, "%s depends on %s", what, text);
	check_tell_other(f, u->where, FAULT_ROLE_READS, origin, w->block->index, w->index * WARP_LANES + f->lane);
}
