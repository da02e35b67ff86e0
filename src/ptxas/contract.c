/* SPDX-License-Identifier: Apache-2.0
 *
 * Contraction, as ptxas 13.0 does it (read off the machine code that it makes for probes of each case, and
 * off what an H200 computed for random programs):
 * - add or sub, and mul, of one type, without a rounding modifier, with the same .ftz; the mul
 *   without .sat and without a guard; add may have .sat and a guard;
 * - in one stretch of code (stretches.c) that is entered at its head only, every use of the product being such an add or
 *   sub, also through copies, negations (not those of bf16x2), and abs of a square of f32 that is added;
 * - anywhere in the function, behind branches, in and out of loops, where a factor is a constant or is loaded from a
 *   fixed place in constant memory or the parameters, also negated or without its sign;
 * - m + m is left alone; of two products the first operand's is fused and the other one added;
 * - div.approx.f32 and div.full.f32 end in such a mul, of the dividend and the divisor's reciprocal, both scaled;
 * - not in modules of `.target ..., debug`, which the assembler does not optimise.
 * Products that are left of f32 (a mul without a rounding modifier, .sat and guard), and are used once, by a mul with 2, 4, 8
 * or one of their reciprocals, anywhere in the function, are scaled before they are rounded (FMUL.M2 to FMUL.D8):
 * that mul may have .rn, .sat, .ftz and a guard, but no other rounding.
 *
 * The assembler works on values, so that an operand of the mul may be overwritten before the sum (`mul a,a,b;
 * add d,a,c`). Then the mul becomes a copy that carries the operand to the sum in the product's register.
 * Where both of its operands are overwritten nothing is fused; the assembler would.
 */
#include "ptxas/ptxas.h"

#include <string.h>

/* The instructions that read or write register r, or only those that write it, in order: at[from[r] .. from[r + 1]). */
struct places {
	u32 *at, *from;
};

struct contraction {
	struct rewriting rewriting;
	const struct ir_function *function;
	const struct flow *flow; /* its blocks end where stretches do */
	const bool *ends;        /* by instruction: a stretch ends behind it */
	struct matched *matched;
	/* Rewriting only takes some from a register, so these stay enough to look at. */
	struct places touched, written;
	const u32 *definitions; /* of each register in the function */
	struct dominators dominators;
	bool *seen; /* room for a walk over the blocks */
	u32 *stack;
	bool scales; /* looks for multiplications with powers of two, not for sums */
};

/* A sum that a product goes into, or the multiplication that scales it. */
struct addition {
	u32 at;
	u32 operand;  /* 1 or 2: where the product comes in */
	bool negated; /* on the way from the product */
	struct addition *next;
};

static bool is_float_op(const struct matched *m, enum opcode opcode)
{
	static const u16 types[] = {T_f32, T_f64, T_f16, T_f16x2, T_bf16, T_bf16x2};

	if (!m->form.row || m->form.type_count != 1 || form_pick(&m->form, M_rn, M_rp) || !matched_is(m, opcode))
		return false;
	for (size_t k = 0; k < COUNT_OF(types); k++)
		if (form_type(&m->form, 0) == types[k])
			return true;
	return false;
}

static bool is_sum(const struct matched *m)
{
	return m->use_count == 3 && (is_float_op(m, OP_add) || is_float_op(m, OP_sub));
}

/* Does it end in the multiplication of a product that sums may take up? A division by a constant has become a mul. */
static bool is_product(const struct matched *m)
{
	if (m->use_count != 3 || form_has(&m->form, M_sat) || m->uses[0].kind != USE_REGISTER)
		return false;
	return is_float_op(m, OP_mul) || (is_float_op(m, OP_div) && form_type(&m->form, 0) == T_f32);
}

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

/* Does m take the sign from the product of a register with itself, which has none, for sums that add it alone? Of f32 only. */
static bool is_plain_square(const struct contraction *c, const struct matched *product, const struct matched *m)
{
	const u32 slot = m->uses[0].reg;

	if (!is_float_op(m, OP_abs) || form_type(&m->form, 0) != T_f32 || form_type(&product->form, 0) != T_f32 ||
	    !matched_is(product, OP_mul) || !use_is_register(&product->uses[1]) ||
	    !use_is_register(&product->uses[2]) || product->uses[1].reg != product->uses[2].reg ||
	    m->uses[1].reg != product->uses[0].reg || form_has(&m->form, M_ftz) != form_has(&product->form, M_ftz))
		return false;
	for (u32 k = c->touched.from[slot]; k < c->touched.from[slot + 1]; k++) {
		const struct matched *sum = &c->matched[c->touched.at[k]];
		if (reads(sum, slot) && !(is_sum(sum) && (matched_is(sum, OP_add) || sum->uses[1].reg == slot)))
			return false;
	}
	return true;
}

/* A copy from register to register, or a negation of the product's type: the product's value goes on in it. */
static bool passes_on(const struct contraction *c, u32 k, const struct matched *product, bool *negates)
{
	const struct matched *m = &c->matched[k];

	if (c->function->body.items[k].guard || m->use_count != 2 || m->has_list_shape ||
	    m->uses[0].kind != USE_REGISTER || m->uses[1].kind != USE_REGISTER)
		return false;
	*negates = is_float_op(m, OP_neg) && form_type(&product->form, 0) != T_bf16x2 &&
		   form_type(&m->form, 0) == form_type(&product->form, 0) &&
		   form_has(&m->form, M_ftz) == form_has(&product->form, M_ftz);
	return *negates || is_plain_square(c, product, m) ||
	       (matched_is(m, OP_mov) && m->uses[1].bits == m->uses[0].bits);
}

static bool is_register(const struct use *u, u32 slot) { return u->kind == USE_REGISTER && u->reg == slot; }

/* The one instruction that writes the register, without a guard; NULL: there are others. */
static const struct matched *only_definition(const struct contraction *c, const struct use *u)
{
	if (!use_is_register(u) || c->definitions[u->reg] != 1)
		return NULL;
	const u32 at = c->written.at[c->written.from[u->reg]];
	return c->function->body.items[at].guard ? NULL : &c->matched[at];
}

/* A number in the text, or a register that only holds one: its bits in *value. */
static bool is_number(const struct contraction *c, const struct use *u, u64 *value)
{
	const struct matched *m = only_definition(c, u);

	if (m && matched_is(m, OP_mov) && m->use_count == 2)
		u = &m->uses[1];
	*value = u->low;
	return u->kind == USE_CONSTANT && !u->negated;
}

/* Is m the product in `slot` times 2, 4, 8 or one of their reciprocals? */
static bool scales_product(const struct contraction *c, const struct matched *m, u32 slot)
{
	static const u32 powers[] = {0x3e000000, 0x3e800000, 0x3f000000, 0x40000000, 0x40800000, 0x41000000};
	u64 value;

	if (!m->form.row || m->form.type_count != 1 || form_type(&m->form, 0) != T_f32 || !matched_is(m, OP_mul) ||
	    m->use_count != 3)
		return false;
	const int rounding = form_pick(&m->form, M_rn, M_rp);
	const bool first = is_register(&m->uses[1], slot);
	if ((rounding && rounding != M_rn) || first == is_register(&m->uses[2], slot) ||
	    !is_number(c, &m->uses[first ? 2 : 1], &value))
		return false;
	for (size_t k = 0; k < COUNT_OF(powers); k++)
		if (value == powers[k])
			return true;
	return false;
}

/* Does the product in `slot` go into m as a summand, or as what is scaled? */
static bool fits(const struct contraction *c, const struct matched *product, const struct matched *sum, u32 slot)
{
	if (c->scales)
		return scales_product(c, sum, slot);
	return is_sum(sum) && form_type(&sum->form, 0) == form_type(&product->form, 0) &&
	       form_has(&sum->form, M_ftz) == form_has(&product->form, M_ftz) &&
	       !(sum->uses[1].kind == USE_REGISTER && sum->uses[2].kind == USE_REGISTER &&
		 sum->uses[1].reg == sum->uses[2].reg);
}

static bool overwrites(const struct contraction *c, u32 k, u32 slot)
{
	return !c->function->body.items[k].guard && writes(&c->matched[k], slot);
}

/* The first of the register's places from k on, before `end`; `end`: none. */
static u32 next_place(const struct places *p, u32 slot, u32 k, u32 end)
{
	u32 low = p->from[slot], high = p->from[slot + 1];
	const u32 last = high;

	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		if (p->at[middle] < k)
			low = middle + 1;
		else
			high = middle;
	}
	return low < last && p->at[low] < end ? p->at[low] : end;
}

/* Is the register read from instruction k on, before `end` and before it is overwritten? */
static bool read_before_overwritten(const struct contraction *c, u32 slot, u32 *k, u32 end)
{
	for (*k = next_place(&c->touched, slot, *k, end); *k < end; *k = next_place(&c->touched, slot, *k + 1, end)) {
		if (reads(&c->matched[*k], slot))
			return true;
		if (overwrites(c, *k, slot))
			return false;
	}
	return false;
}

/* Can a value that the register has at the end of block b be read later on? */
static bool live_after(const struct contraction *c, u32 b, u32 slot)
{
	const struct flow *flow = c->flow;
	u32 waiting = 0;

	memset(c->seen, 0, flow->block_count * sizeof *c->seen);
	c->stack[waiting++] = b;
	while (waiting) {
		const struct flow_block *from = &flow->blocks[c->stack[--waiting]];
		for (u32 s = 0; s < from->successor_count; s++) {
			const u32 to = from->successors[s];
			u32 k = flow->blocks[to].first;
			if (c->seen[to])
				continue;
			c->seen[to] = true;
			if (read_before_overwritten(c, slot, &k, flow->blocks[to].end))
				return true;
			if (k == flow->blocks[to].end)
				c->stack[waiting++] = to;
		}
	}
	return false;
}

static void add_sum(const struct contraction *c, u32 x, u32 slot, bool negated, struct addition **sums)
{
	struct addition *sum = ARENA_NEW(c->rewriting.arena, struct addition);
	const u32 operand = is_register(&c->matched[x].uses[1], slot) ? 1 : 2;

	*sum = (struct addition){.at = x, .operand = operand, .negated = negated, .next = *sums};
	*sums = sum;
}

static bool only_summed(const struct contraction *c, u32 product, u32 slot, u32 k, u32 end, bool negated,
			struct addition **sums);

/* Does instruction x, which reads the product's value in `slot`, sum it or pass it on to sums only? */
static bool sums_up(const struct contraction *c, u32 product, u32 slot, u32 x, u32 end, bool negated,
		    struct addition **sums)
{
	const struct matched *mul = &c->matched[product], *m = &c->matched[x];
	bool negates;

	if (!fits(c, mul, m, slot))
		return passes_on(c, x, mul, &negates) && !(negates && c->scales) &&
		       only_summed(c, product, m->uses[0].reg, x, end, negated ^ negates, sums);
	add_sum(c, x, slot, negated, sums);
	return true;
}

/* Adds to `sums` those that the value in `slot` goes into after instruction k. False if it goes elsewhere too. */
static bool only_summed(const struct contraction *c, u32 product, u32 slot, u32 k, u32 end, bool negated,
			struct addition **sums)
{
	for (u32 x = next_place(&c->touched, slot, k + 1, end); x < end;
	     x = next_place(&c->touched, slot, x + 1, end)) {
		if (reads(&c->matched[x], slot) && !sums_up(c, product, slot, x, end, negated, sums))
			return false;
		if (overwrites(c, x, slot))
			return true;
		if (writes(&c->matched[x], slot))
			return false; /* under a guard: from here on it is one value or the other */
	}
	return !live_after(c, c->flow->block_of[end - 1], slot);
}

/* --- Anywhere in the function -------------------------------------------------------------------------------------- */

/* Is the operand the same wherever it is read: a constant, or loaded from a fixed place of constant memory or of the kernel's
 * parameters; also negated, or without its sign? */
static bool is_fixed(const struct contraction *c, const struct use *u)
{
	for (u32 steps = 0; u->kind != USE_CONSTANT; steps++) {
		const struct matched *m = only_definition(c, u);
		if (!m || !m->form.row || steps == 8)
			return false;
		if (matched_is(m, OP_ld)) {
			bool fixed = form_has(&m->form, M_const) ||
				     (m->form.row->flags & ISA_PARAM && m->form.param == PARAM_OF_KERNEL);
			for (u32 k = 0; k < m->use_count; k++)
				fixed &= !(m->uses[k].kind == USE_REGISTER && m->uses[k].read);
			return fixed;
		}
		if (m->use_count != 2 || m->has_list_shape ||
		    !(matched_is(m, OP_mov) || is_float_op(m, OP_neg) || is_float_op(m, OP_abs)))
			return false;
		u = &m->uses[1];
	}
	return true;
}

/* The same as only_summed for a value with one definition, over the whole function. */
static bool only_summed_anywhere(const struct contraction *c, u32 product, u32 slot, bool negated,
				 struct addition **sums)
{
	const u32 end = (u32)c->function->body.count;
	bool negates;

	if (c->definitions[slot] != 1)
		return false;
	for (u32 x = next_place(&c->touched, slot, 0, end); x < end; x = next_place(&c->touched, slot, x + 1, end)) {
		const struct matched *m = &c->matched[x];
		if (!reads(m, slot))
			continue;
		if (fits(c, &c->matched[product], m, slot))
			add_sum(c, x, slot, negated, sums);
		else if (!passes_on(c, x, &c->matched[product], &negates) || (negates && c->scales) ||
			 !only_summed_anywhere(c, product, m->uses[0].reg, negated ^ negates, sums))
			return false;
	}
	return *sums != NULL;
}

/* Is each of the sums reached through the product only? */
static bool dominates(const struct contraction *c, u32 product, const struct addition *sums)
{
	const u32 *block_of = c->flow->block_of;

	for (const struct addition *s = sums; s; s = s->next)
		if (!flow_dominates(&c->dominators, block_of[product], block_of[s->at]) ||
		    (block_of[s->at] == block_of[product] && s->at < product))
			return false;
	return true;
}

static bool goes_anywhere(const struct contraction *c, u32 product, struct addition **sums)
{
	const struct matched *m = &c->matched[product];

	return (c->scales || is_fixed(c, &m->uses[1]) || is_fixed(c, &m->uses[2])) &&
	       only_summed_anywhere(c, product, m->uses[0].reg, false, sums) && dominates(c, product, *sums);
}

/* --- Fusing ------------------------------------------------------------------------------------------------------- */

/* Is the product's operand overwritten from k on, before x? */
static bool changed(const struct contraction *c, const struct use *u, u32 k, u32 x)
{
	if (u->kind != USE_REGISTER)
		return u->kind != USE_CONSTANT && u->kind != USE_SREG;
	for (u32 n = next_place(&c->written, u->reg, k, x); n < x; n = next_place(&c->written, u->reg, n + 1, x))
		if (writes(&c->matched[n], u->reg))
			return true;
	return false;
}

/* Of a product: a * b, or a divided by b. */
struct factors {
	struct use a, b;
	bool divides, full; /* full: div.full, not div.approx */
};

/* Makes the sum that of the quotient, or of minus the quotient. */
static void fuse_quotient(struct contraction *c, const struct addition *s, bool negated, const struct factors *f)
{
	struct matched *sum = &c->matched[s->at];
	const bool subtracts = matched_is(sum, OP_sub), ftz = form_has(&sum->form, M_ftz);
	const char *texts[] = {"rn", ftz ? "ftz" : "f32", "f32"};
	struct use *uses = ARENA_ARRAY(c->rewriting.arena, 4, struct use);
	s64 bits = 0;

	if (f->full)
		bits |= QUOTIENT_FULL;
	if (negated != (subtracts && s->operand == 2))
		bits |= QUOTIENT_MINUS;
	if (subtracts && s->operand == 1)
		bits |= QUOTIENT_MINUS_ADDEND;
	if (form_has(&sum->form, M_sat))
		bits |= QUOTIENT_SATURATES;
	uses[0] = sum->uses[0];
	uses[1] = f->a;
	uses[2] = f->b;
	uses[3] = sum->uses[3 - s->operand];
	if (!matched_become(&c->rewriting, sum, OP_internal_quotient_sum, texts, ftz ? 3 : 2, uses, 4))
		return;
	sum->form.immediate_count = 1;
	sum->form.immediates[0] = bits;
}

/* Makes the multiplication with a power of two that of the product, which is scaled before it is rounded. */
static void fuse_scaled(struct contraction *c, const struct addition *s, const struct factors *f)
{
	struct matched *scaling = &c->matched[s->at];
	const char *texts[4] = {"rn"};
	struct use *uses = ARENA_ARRAY(c->rewriting.arena, 4, struct use);
	u32 count = 1;

	if (form_has(&scaling->form, M_ftz))
		texts[count++] = "ftz";
	if (form_has(&scaling->form, M_sat))
		texts[count++] = "sat";
	texts[count++] = "f32";
	uses[0] = scaling->uses[0];
	uses[1] = f->a;
	uses[2] = f->b;
	uses[3] = scaling->uses[3 - s->operand];
	matched_become(&c->rewriting, scaling, OP_internal_mul_scaled, texts, count, uses, 4);
}

/* Makes the sum the fused form of the product, or of minus the product. */
static void fuse(struct contraction *c, const struct addition *s, bool negated, const struct factors *f)
{
	const struct matched *sum = &c->matched[s->at];
	const bool subtracts = matched_is(sum, OP_sub);
	const bool minus_product = negated != (subtracts && s->operand == 2);
	const bool minus_addend = subtracts && s->operand == 1;
	const enum opcode opcode = minus_product  ? minus_addend ? OP_internal_fnms : OP_internal_fnm
				   : minus_addend ? OP_internal_fms
						  : OP_fma;
	const char *texts[4] = {"rn"};
	struct use *uses = ARENA_ARRAY(c->rewriting.arena, 4, struct use);
	u32 count = 1;

	if (c->scales) {
		fuse_scaled(c, s, f);
		return;
	}
	if (f->divides) {
		fuse_quotient(c, s, negated, f);
		return;
	}
	if (form_has(&sum->form, M_ftz))
		texts[count++] = "ftz";
	if (form_has(&sum->form, M_sat))
		texts[count++] = "sat";
	texts[count++] = token_text(form_type(&sum->form, 0));
	uses[0] = sum->uses[0];
	uses[1] = f->a;
	uses[2] = f->b;
	uses[3] = sum->uses[3 - s->operand];
	matched_become(&c->rewriting, &c->matched[s->at], opcode, texts, count, uses, 4);
}

/* The products of the function, found one stretch of code after the other. */
struct products {
	u32 first, end;         /* of the stretch */
	struct addition **sums; /* by instruction: the sums that its product goes into; NULL: not to be fused */
	bool *first_fuses;      /* by instruction: a sum whose first operand is such a product */
	bool *anywhere;         /* by instruction: the sums need not be in its stretch */
};

/* Of two products that are added, the first one is fused. */
static bool is_taken(const struct products *p, const struct addition *s)
{
	return s->operand == 1 || !p->first_fuses[s->at];
}

/* One operand is overwritten on the way: the mul turns into its copy, which reaches every sum. */
static void carry(struct contraction *c, const struct products *p, u32 k, u32 operand, const struct factors *f)
{
	const struct use kept = operand == 1 ? f->a : f->b, other = operand == 1 ? f->b : f->a;
	const bool square = other.kind == USE_REGISTER && other.reg == kept.reg;
	const u32 bits = type_bits(form_type(&c->matched[k].form, 0));
	const char *type = bits == 16 ? "b16" : bits == 32 ? "b32" : "b64"; /* mov has no types of halves */
	struct use *copy = ARENA_ARRAY(c->rewriting.arena, 2, struct use);

	for (const struct addition *s = p->sums[k]; s; s = s->next)
		if (!is_taken(p, s))
			return;
	copy[0] = c->matched[k].uses[0];
	copy[1] = kept;
	if (!matched_become(&c->rewriting, &c->matched[k], OP_mov, &type, 1, copy, 2))
		return;
	for (const struct addition *s = p->sums[k]; s; s = s->next) {
		const struct use carrier = c->matched[s->at].uses[s->operand];
		struct factors carried = *f;
		const bool divisor = f->divides && operand == 2;
		carried.a = divisor && !square ? other : carrier;
		carried.b = divisor || square ? carrier : other;
		fuse(c, s, square && s->negated, &carried);
	}
}

/* Is the product's operand another one at any of the sums? What has one definition never changes on the way from a product
 * that it dominates to sums that the product dominates. */
static bool any_changed(const struct contraction *c, const struct products *p, const struct use *u, u32 k)
{
	const struct addition *sums = p->sums[k];

	if (p->anywhere[k])
		return u->kind != USE_CONSTANT && u->kind != USE_SREG &&
		       !(use_is_register(u) && c->definitions[u->reg] == 1);
	for (const struct addition *s = sums; s; s = s->next)
		if (changed(c, u, k, s->at))
			return true;
	return false;
}

static void fuse_product(struct contraction *c, const struct products *p, u32 k)
{
	const struct matched *m = &c->matched[k];
	const struct factors f = {m->uses[1], m->uses[2], matched_is(m, OP_div), form_has(&m->form, M_full)};
	const bool first = any_changed(c, p, &f.a, k), second = any_changed(c, p, &f.b, k);

	if (first != second || (first && f.a.reg == f.b.reg)) {
		if ((first ? f.a : f.b).kind == USE_REGISTER)
			carry(c, p, k, first ? 1 : 2, &f);
	} else if (!first) {
		for (const struct addition *s = p->sums[k]; s; s = s->next)
			if (is_taken(p, s))
				fuse(c, s, s->negated, &f);
	}
}

/* Can the product of this instruction be fused with what uses it? */
static bool is_candidate(const struct contraction *c, u32 k)
{
	const struct matched *m = &c->matched[k];

	if (!is_product(m) || c->function->body.items[k].guard)
		return false;
	return !c->scales || (matched_is(m, OP_mul) && form_type(&m->form, 0) == T_f32);
}

static void find_sums(const struct contraction *c, struct products *p, u32 k)
{
	if (!only_summed(c, k, c->matched[k].uses[0].reg, k, p->end, false, &p->sums[k])) {
		p->sums[k] = NULL;
		p->anywhere[k] = goes_anywhere(c, k, &p->sums[k]);
		if (!p->anywhere[k])
			p->sums[k] = NULL;
	}
	/* What is scaled in one place and used in another is rounded on its own. */
	if (c->scales && p->sums[k] && p->sums[k]->next)
		p->sums[k] = NULL;
	for (const struct addition *s = p->sums[k]; s; s = s->next)
		p->first_fuses[s->at] |= s->operand == 1;
}

/* Does block b only ever go on with the one after it, which nothing else enters, in one stretch? */
static bool goes_on(const struct contraction *c, u32 b)
{
	const struct flow *flow = c->flow;

	return b + 1 < flow->block_count && flow->blocks[b].successor_count == 1 &&
	       flow->blocks[b].successors[0] == b + 1 && flow->blocks[b + 1].predecessor_count == 1 &&
	       !c->ends[flow->blocks[b].end - 1];
}

/* Counts first, then fills in: an instruction stands once for each operand, which does no harm. */
static struct places find_places(const struct contraction *c, bool reads_too, struct arena *arena)
{
	const u32 slots = c->function->register_slots, count = (u32)c->function->body.count;
	struct places p = {.from = ARENA_ARRAY(arena, slots + 2ull, u32)};
	u32 *next = p.from;

	for (u32 pass = 0; pass < 2; pass++) {
		for (u32 k = 0; k < count; k++)
			for (u32 u = 0; u < c->matched[k].use_count; u++) {
				const struct use *use = &c->matched[k].uses[u];
				if (use->kind != USE_REGISTER || !(reads_too || use->written))
					continue;
				if (pass)
					p.at[next[use->reg + 1]++] = k;
				else
					next[use->reg + 2]++;
			}
		if (pass)
			break;
		for (u32 s = 0; s < slots; s++)
			next[s + 2] += next[s + 1];
		p.at = ARENA_ARRAY(arena, next[slots + 1], u32);
	}
	return p;
}

static void contract_function(struct contraction *c)
{
	const struct flow *flow = c->flow;
	const u32 count = (u32)c->function->body.count;
	struct arena *arena = c->rewriting.arena;
	struct products p = {.sums = ARENA_ARRAY(arena, count + 1ull, struct addition *),
			     .first_fuses = ARENA_ARRAY(arena, count + 1ull, bool),
			     .anywhere = ARENA_ARRAY(arena, count + 1ull, bool)};

	for (u32 b = 0; b < flow->block_count; b++) {
		p.first = flow->blocks[b].first;
		while (goes_on(c, b))
			b++;
		p.end = flow->blocks[b].end;
		for (u32 k = p.first; k < p.end; k++)
			if (is_candidate(c, k))
				find_sums(c, &p, k);
	}
	for (u32 k = 0; k < count; k++)
		if (p.sums[k] && is_candidate(c, k)) /* not scaled meanwhile */
			fuse_product(c, &p, k);
}

void contract_products(const struct assembling *a)
{
	const struct ir_function *f = a->function;
	const bool *ends = stretches_end(a);
	const struct flow *flow = stretches_part(a, ends);
	struct arena *arena = a->rewriting.arena;
	u32 slots;
	struct contraction c = {
		.rewriting = a->rewriting,
		.function = f,
		.flow = flow,
		.ends = ends,
		.matched = a->matched,
		.definitions = matched_definitions(a->matched, (u32)f->body.count, arena, &slots),
		.dominators = flow_dominators(flow, arena),
		.seen = ARENA_ARRAY(arena, flow->block_count, bool),
		.stack = ARENA_ARRAY(arena, flow->block_count + 1, u32),
	};

	c.touched = find_places(&c, true, arena);
	c.written = find_places(&c, false, arena);
	contract_function(&c);
	c.touched = find_places(&c, true, arena);
	c.written = find_places(&c, false, arena);
	c.scales = true;
	contract_function(&c);
}
