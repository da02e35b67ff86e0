/* SPDX-License-Identifier: Apache-2.0
 *
 * Contraction, as ptxas 13.0 does it (read off the machine code it makes for probes of each case):
 * - add or sub, and mul, of one type, without a rounding modifier, with the same .ftz; the mul
 *   without .sat and without a guard; add may have .sat and a guard;
 * - in one basic block, every use of the product being such an add or sub;
 * - m + m is left alone; of two products the first operand's is fused and the other one added.
 * - not in modules of `.target ..., debug`, which the assembler does not optimise.
 * Operands that change between the two instructions prevent it here (the assembler renames them).
 */
#include "decode/contract.h"

#include <string.h>

struct contraction {
	const struct isa *isa;
	const struct ir_function *function;
	struct matched *matched;
	u32 arch;
	struct arena *kept;
};

static bool is_float_op(const struct matched *m, const char *opcode)
{
	static const u16 types[] = {T_f32, T_f64, T_f16, T_f16x2, T_bf16, T_bf16x2};

	if (!m->form.row || m->form.type_count != 1 || form_pick(&m->form, M_rn, M_rp) || m->use_count != 3)
		return false;
	const size_t length = strlen(opcode);
	if (strncmp(m->form.row->form, opcode, length) || !strchr("([.", m->form.row->form[length]))
		return false;
	for (size_t k = 0; k < COUNT_OF(types); k++)
		if (form_type(&m->form, 0) == types[k])
			return true;
	return false;
}

static bool is_sum(const struct matched *m) { return is_float_op(m, "add") || is_float_op(m, "sub"); }

static bool reads(const struct matched *m, u32 slot)
{
	for (u32 u = 0; u < m->use_count; u++)
		if (m->uses[u].kind == USE_REGISTER && m->uses[u].read && m->uses[u].reg == slot)
			return true;
	return false;
}

static bool writes(const struct matched *m, u32 slot)
{
	for (u32 u = 0; u < m->use_count; u++)
		if (m->uses[u].kind == USE_REGISTER && m->uses[u].written && m->uses[u].reg == slot)
			return true;
	return false;
}

static bool fits(const struct matched *product, const struct matched *sum)
{
	return is_sum(sum) && form_type(&sum->form, 0) == form_type(&product->form, 0) &&
	       form_has(&sum->form, M_ftz) == form_has(&product->form, M_ftz) &&
	       !(sum->uses[1].kind == USE_REGISTER && sum->uses[2].kind == USE_REGISTER &&
		 sum->uses[1].reg == sum->uses[2].reg);
}

/* Is every use of the product that instruction k computes a sum of the same block that fits? */
static bool only_summed(const struct contraction *c, u32 k, u32 end)
{
	const struct matched *product = &c->matched[k];
	const u32 slot = product->uses[0].reg;
	u32 inside = 0, everywhere = 0, x = k + 1;

	for (; x < end; x++) {
		if (reads(&c->matched[x], slot)) {
			if (!fits(product, &c->matched[x]))
				return false;
			inside++;
		}
		if (writes(&c->matched[x], slot))
			break;
	}
	if (x < end)
		return inside > 0;
	for (u32 n = 0; n < c->function->body.count; n++)
		everywhere += reads(&c->matched[n], slot);
	return inside > 0 && inside == everywhere;
}

/* Is the product's operand unchanged from k to x? */
static bool unchanged(const struct contraction *c, const struct use *u, u32 k, u32 x)
{
	if (u->kind != USE_REGISTER)
		return u->kind == USE_CONSTANT || u->kind == USE_SREG;
	for (u32 n = k; n < x; n++)
		if (writes(&c->matched[n], u->reg))
			return false;
	return true;
}

/* Makes the sum x the fused form of product k, which is its operand 1 or 2. */
static void fuse(struct contraction *c, u32 k, u32 x, u32 operand, struct use *room)
{
	struct matched *sum = &c->matched[x];
	const struct matched *product = &c->matched[k];
	const bool subtracts = !strncmp(sum->form.row->form, "sub", 3);
	const char *opcode = !subtracts ? "fma" : operand == 1 ? "%fms" : "%fnm";
	const char *texts[4] = {"rn"};
	u32 count = 1, row, bad;
	struct form form = {0};

	if (form_has(&sum->form, M_ftz))
		texts[count++] = "ftz";
	if (form_has(&sum->form, M_sat))
		texts[count++] = "sat";
	texts[count++] = token_text(form_type(&sum->form, 0));
	if (isa_match_form(c->isa, opcode, texts, count, 0, &form, &row, &bad) != ISA_MATCHED)
		return;
	form.arch = c->arch;
	room[0] = sum->uses[0];
	room[1] = product->uses[1];
	room[2] = product->uses[2];
	room[3] = sum->uses[3 - operand];
	sum->form = form;
	sum->uses = room;
	sum->use_count = 4;
	sum->form.operand_count = 4;
	u8 *bits = ARENA_ARRAY(c->kept, FORM_OPERANDS, u8);
	for (u32 u = 0; u < 4; u++)
		bits[u] = room[u].type_bits;
	sum->form.operand_bits = bits;
}

/* The product, in the block from `first` on, that operand `u` of instruction x takes; NO_OPERAND if none. */
static u32 product_of(const struct contraction *c, const struct use *u, u32 first, u32 x,
		      const bool *fusable)
{
	for (u32 n = x; n-- > first;)
		if (u->kind == USE_REGISTER && writes(&c->matched[n], u->reg))
			return fusable[n] && fits(&c->matched[n], &c->matched[x]) &&
					       unchanged(c, &c->matched[n].uses[1], n, x) &&
					       unchanged(c, &c->matched[n].uses[2], n, x)
				       ? n
				       : NO_OPERAND;
	return NO_OPERAND;
}

static void contract_block(struct contraction *c, u32 first, u32 end, bool *fusable, struct arena *arena)
{
	bool any = false;

	for (u32 k = first; k < end; k++) {
		const struct matched *m = &c->matched[k];
		fusable[k] = is_float_op(m, "mul") && !form_has(&m->form, M_sat) && !c->function->body.items[k].guard &&
			     m->uses[0].kind == USE_REGISTER && only_summed(c, k, end);
		any |= fusable[k];
	}
	for (u32 x = first; any && x < end; x++) {
		if (!is_sum(&c->matched[x]))
			continue;
		for (u32 operand = 1; operand <= 2; operand++) {
			const u32 k = product_of(c, &c->matched[x].uses[operand], first, x, fusable);
			if (k == NO_OPERAND)
				continue;
			fuse(c, k, x, operand, ARENA_ARRAY(arena, 4, struct use));
			break;
		}
	}
}

void contract_products(const struct isa *isa, const struct ir_function *f, const struct flow *flow,
		       struct matched *matched, u32 arch, struct arena *arena, struct arena *kept)
{
	struct contraction c = {.isa = isa, .function = f, .matched = matched, .arch = arch, .kept = kept};
	bool *fusable = ARENA_ARRAY(arena, f->body.count + 1, bool);

	for (u32 b = 0; b < flow->block_count; b++)
		contract_block(&c, flow->blocks[b].first, flow->blocks[b].end, fusable, arena);
}
