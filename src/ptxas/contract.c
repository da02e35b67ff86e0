/* SPDX-License-Identifier: Apache-2.0
 *
 * Contraction, as ptxas 13.0 does it (read off the machine code that it makes for probes of each case, and
 * off what an H200 computed for random programs):
 * - add or sub, and mul, of one type, without a rounding modifier, with the same .ftz; the mul
 *   without .sat and without a guard; add may have .sat and a guard;
 * - in one stretch of code that is entered at its head only, every use of the product being such an add or
 *   sub, also through copies and negations (not those of bf16x2);
 * - m + m is left alone; of two products the first operand's is fused and the other one added;
 * - div.approx.f32 and div.full.f32 end in such a mul, of the dividend and the divisor's reciprocal, both scaled;
 * - not in modules of `.target ..., debug`, which the assembler does not optimise.
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
	const struct flow *flow;
	struct matched *matched;
	/* Rewriting only takes some from a register, so these stay enough to look at. */
	struct places touched, written;
	bool *seen; /* room for a walk over the blocks */
	u32 *stack;
};

/* A sum that a product goes into. */
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
	return *negates || (matched_is(m, OP_mov) && m->uses[1].bits == m->uses[0].bits);
}

static bool fits(const struct matched *product, const struct matched *sum)
{
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

static bool only_summed(const struct contraction *c, u32 product, u32 slot, u32 k, u32 end, bool negated,
			struct addition **sums);

/* Does instruction x, which reads the product's value in `slot`, sum it or pass it on to sums only? */
static bool sums_up(const struct contraction *c, u32 product, u32 slot, u32 x, u32 end, bool negated,
		    struct addition **sums)
{
	const struct matched *mul = &c->matched[product], *m = &c->matched[x];
	bool negates;

	if (!fits(mul, m))
		return passes_on(c, x, mul, &negates) &&
		       only_summed(c, product, m->uses[0].reg, x, end, negated ^ negates, sums);
	struct addition *sum = ARENA_NEW(c->rewriting.arena, struct addition);
	const bool first = m->uses[1].kind == USE_REGISTER && m->uses[1].reg == slot;
	*sum = (struct addition){.at = x, .operand = first ? 1 : 2, .negated = negated, .next = *sums};
	*sums = sum;
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

/* The products of a stretch of code. */
struct products {
	u32 first, end;
	struct addition **sums; /* by instruction: the sums that its product goes into; NULL: not to be fused */
	bool *first_fuses;      /* by instruction: a sum whose first operand is such a product */
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

static bool any_changed(const struct contraction *c, const struct use *u, u32 k, const struct addition *sums)
{
	for (const struct addition *s = sums; s; s = s->next)
		if (changed(c, u, k, s->at))
			return true;
	return false;
}

static void fuse_product(struct contraction *c, const struct products *p, u32 k)
{
	const struct matched *m = &c->matched[k];
	const struct factors f = {m->uses[1], m->uses[2], matched_is(m, OP_div), form_has(&m->form, M_full)};
	const bool first = any_changed(c, &f.a, k, p->sums[k]);
	const bool second = any_changed(c, &f.b, k, p->sums[k]);

	if (first != second || (first && f.a.reg == f.b.reg)) {
		if ((first ? f.a : f.b).kind == USE_REGISTER)
			carry(c, p, k, first ? 1 : 2, &f);
	} else if (!first) {
		for (const struct addition *s = p->sums[k]; s; s = s->next)
			if (is_taken(p, s))
				fuse(c, s, s->negated, &f);
	}
}

static void contract_stretch(struct contraction *c, struct products *p)
{
	bool any = false;

	for (u32 k = p->first; k < p->end; k++) {
		const struct matched *m = &c->matched[k];
		if (!is_product(m) || c->function->body.items[k].guard)
			continue;
		if (!only_summed(c, k, m->uses[0].reg, k, p->end, false, &p->sums[k]))
			p->sums[k] = NULL;
		for (const struct addition *s = p->sums[k]; s; s = s->next)
			p->first_fuses[s->at] |= s->operand == 1;
		any |= p->sums[k] != NULL;
	}
	for (u32 k = p->first; any && k < p->end; k++)
		if (p->sums[k])
			fuse_product(c, p, k);
}

/* Does block b only ever go on with the one after it, which nothing else enters? */
static bool goes_on(const struct flow *flow, u32 b)
{
	return b + 1 < flow->block_count && flow->blocks[b].successor_count == 1 &&
	       flow->blocks[b].successors[0] == b + 1 && flow->blocks[b + 1].predecessor_count == 1;
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

void contract_products(const struct assembling *a)
{
	const struct ir_function *f = a->function;
	const struct flow *flow = a->flow;
	struct arena *arena = a->rewriting.arena;
	struct contraction c = {
		.rewriting = a->rewriting,
		.function = f,
		.flow = flow,
		.matched = a->matched,
		.seen = ARENA_ARRAY(arena, flow->block_count, bool),
		.stack = ARENA_ARRAY(arena, flow->block_count + 1, u32),
	};
	struct products p = {.sums = ARENA_ARRAY(arena, f->body.count + 1, struct addition *),
			     .first_fuses = ARENA_ARRAY(arena, f->body.count + 1, bool)};

	c.touched = find_places(&c, true, arena);
	c.written = find_places(&c, false, arena);
	for (u32 b = 0; b < flow->block_count; b++) {
		p.first = flow->blocks[b].first;
		while (goes_on(flow, b))
			b++;
		p.end = flow->blocks[b].end;
		contract_stretch(&c, &p);
	}
}
