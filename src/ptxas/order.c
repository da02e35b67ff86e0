/* SPDX-License-Identifier: Apache-2.0
 *
 * Of operands that may change places ptxas 13.0 puts the value that was defined first in front, where `a` stands, as
 * 60 recorded kernels show for add, sub, mul, fma, min and max of f64, from loads, arithmetic and earlier blocks; a copy
 * is defined where its source is. It shows in what becomes of two NaNs. A register with several definitions has
 * the last one in the block, or is older than what the block defines; of two such the text's order stays. So it does for
 * what a branch over at most 8 instructions may have left as it was, which the assembler takes for guarded ones.
 */
#include "ptxas/ptxas.h"

#define NO_VALUE (~0ull)
#define OLDER    (~1ull)

/* What a register holds at a place: where that was defined, instructions times OPERANDS plus operand. */
enum { OPERANDS = 64, SKIPPED_MOST = 8 };
struct held {
	u64 value; /* the last definition that was passed */
	u32 block; /* where that was, plus 1 */
};

struct ordering {
	struct rewriting rewriting;
	const struct ir_function *function;
	struct matched *matched;
	struct held *held;
	const u32 *definitions; /* of each register in the function */
};

static u64 value_of(const struct ordering *o, u32 slot, u32 block)
{
	const struct held *h = &o->held[slot];

	return h->block == block + 1 || (o->definitions[slot] == 1 && h->block) ? h->value : OLDER;
}

/* Whether the second of two values was defined first. */
static bool is_turned(u64 first, u64 second, u64 block_begin)
{
	if (first >= OLDER || second == NO_VALUE)
		return false;
	return second == OLDER ? first >= block_begin : second < first;
}

/* A negation or magnitude is one, too, since it becomes a modifier of the operand. */
static bool is_copy(const struct matched *m)
{
	const bool signs =
		m->form.row && form_type(&m->form, 0) == T_f64 && (matched_is(m, OP_neg) || matched_is(m, OP_abs));

	return m->use_count == 2 && !m->has_list_shape && (signs || matched_is(m, OP_mov)) &&
	       use_is_register(&m->uses[0]) && use_is_register(&m->uses[1]) && m->uses[0].bits == m->uses[1].bits;
}

static void pass(struct ordering *o, u32 k, u32 block)
{
	const struct matched *m = &o->matched[k];
	const bool copies = is_copy(m), guarded = o->function->body.items[k].guard != NULL;
	const u64 copied = copies ? value_of(o, m->uses[1].reg, block) : 0;

	if (copies && m->uses[0].reg == m->uses[1].reg)
		return;
	for (u32 u = 0; u < m->use_count; u++)
		if (use_is_register(&m->uses[u]) && m->uses[u].written) {
			struct held *h = &o->held[m->uses[u].reg];
			h->block = block + 1;
			h->value = guarded ? NO_VALUE : copies ? copied : (u64)k * OPERANDS + u;
		}
}

/* Whether operands 1 and 2 may change places. */
static bool commutes(const struct matched *m)
{
	return m->form.row && m->form.row->traits & TRAIT_COMMUTES && use_is_register(&m->uses[1]) &&
	       use_is_register(&m->uses[2]);
}

/* A difference whose operands have changed places is still one of a and b, of NaNs a's goes first. */
static void turn_around(struct ordering *o, struct matched *m)
{
	const int rounding = form_pick(&m->form, M_rn, M_rp);
	const char *texts[2] = {rounding ? token_text((u16)rounding) : "f64", "f64"};
	struct use *uses = ARENA_ARRAY(o->rewriting.arena, 3, struct use);

	for (u32 u = 0; u < 3; u++)
		uses[u] = m->uses[u];
	if (matched_is(m, OP_sub)) {
		matched_become(&o->rewriting, m, OP_internal_sub, texts, rounding ? 2 : 1, uses, 3);
		return;
	}
	m->uses[1] = uses[2];
	m->uses[2] = uses[1];
}

/* After a branch over block b - 1 to b, its results may be those or older ones. */
static void pass_skipped(struct ordering *o, const struct flow *flow, u32 b)
{
	const struct flow_block *to = &flow->blocks[b], *skipped = to - 1;

	if (b < 2 || to->predecessor_count != 2 || skipped->predecessor_count != 1 || skipped->successor_count != 1 ||
	    skipped->successors[0] != b || skipped[-1].successor_count != 2 ||
	    (skipped[-1].successors[0] != b && skipped[-1].successors[1] != b) ||
	    skipped->end - skipped->first > SKIPPED_MOST)
		return;
	for (u32 k = skipped->first; k < skipped->end; k++)
		for (u32 u = 0; u < o->matched[k].use_count; u++) {
			const struct use *use = &o->matched[k].uses[u];
			if (use_is_register(use) && use->written && o->definitions[use->reg] > 1)
				o->held[use->reg] = (struct held){.value = NO_VALUE, .block = b + 1};
		}
}

void order_operands(const struct assembling *a)
{
	const struct ir_function *f = a->function;
	const struct flow *flow = a->flow;
	struct arena *arena = a->rewriting.arena;
	struct matched *matched = a->matched;
	struct ordering o = {.rewriting = a->rewriting, .function = f, .matched = matched};
	u32 slots;

	o.definitions = matched_definitions(matched, (u32)f->body.count, arena, &slots);
	o.held = ARENA_ARRAY(arena, slots + 1, struct held);
	for (u32 b = 0; b < flow->block_count; b++) {
		pass_skipped(&o, flow, b);
		for (u32 k = flow->blocks[b].first; k < flow->blocks[b].end; k++) {
			struct matched *m = &matched[k];
			if (commutes(m)) {
				const u64 first = value_of(&o, m->uses[1].reg, b),
					  second = value_of(&o, m->uses[2].reg, b);
				if (is_turned(first, second, (u64)flow->blocks[b].first * OPERANDS))
					turn_around(&o, m);
			}
			pass(&o, k, b);
		}
	}
}
