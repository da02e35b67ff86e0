/* SPDX-License-Identifier: Apache-2.0
 *
 * Of operands that may change places ptxas 13.0 puts the value that was defined first in front, where `a` stands, as
 * 60 recorded kernels and its code for 60 more show for add, sub, mul, fma, min and max of f64; a copy is defined where
 * its source is. It shows in what becomes of two NaNs. Behind all these stand
 * - values that come together where ways join, also around a loop, and results of what the assembler computes in
 *   several blocks (division, reciprocals and roots): of two such the one whose register is defined first in the text
 *   stands behind;
 * - what bitwise instructions, selp and rsqrt.approx.ftz give a single instruction, which are moved there;
 * - a kernel's parameters, which instructions take from constant memory.
 */
#include "ptxas/ptxas.h"

#include <string.h>

/* A value is known by its rank: of two, the one of the lower rank stands in front. */
enum { OPERANDS = 64 }; /* of an instruction: its results' ranks are its number times this, plus the operand */
#define LATE       (1ull << 62)
#define MOVED      (LATE + (1ull << 61))
#define PARAMETER  (LATE << 1)
#define NONE       (~0ull) /* not known */
#define TRACK_MOST ((u64)1 << 22)
enum { ROUNDS_MOST = 64 };

struct ordering {
	struct rewriting rewriting;
	const struct ir_function *function;
	const struct flow *flow;
	struct matched *matched;
	const u32 *definitions; /* of each register in the function */
	u32 *first;             /* where a register is defined first */
	u32 *reads;             /* how many operands read it */
	u64 *single;            /* ranks of the values of registers with one definition */
	u32 *tracked;           /* the others, numbered from 1; 0: not one of them */
	u32 tracked_count;
	u32 *slot_of; /* of each tracked one */
	u64 *now;     /* ranks of the tracked ones' values, at the instruction */
	u64 *ends;    /* and at the ends of blocks */
};

static u64 rank_late(u32 k) { return LATE + (UINT32_MAX - k); }

static u64 value_of(const struct ordering *o, u32 slot)
{
	return o->tracked[slot] ? o->now[o->tracked[slot] - 1] : o->definitions[slot] == 1 ? o->single[slot] : NONE;
}

static void hold(struct ordering *o, u32 slot, u64 rank)
{
	if (o->tracked[slot])
		o->now[o->tracked[slot] - 1] = rank;
	else if (o->definitions[slot] == 1)
		o->single[slot] = rank;
}

/* A negation or magnitude is one, too, since it becomes a modifier of the operand. */
static bool is_copy(const struct matched *m)
{
	const bool signs =
		m->form.row && form_type(&m->form, 0) == T_f64 && (matched_is(m, OP_neg) || matched_is(m, OP_abs));

	return m->use_count == 2 && !m->has_list_shape && (signs || matched_is(m, OP_mov)) &&
	       use_is_register(&m->uses[0]) && use_is_register(&m->uses[1]) && m->uses[0].bits == m->uses[1].bits;
}

/* Its result comes out of one of several blocks. */
static bool is_expanded(const struct matched *m)
{
	return m->form.row && form_type(&m->form, 0) == T_f64 && !form_has(&m->form, M_ftz) &&
	       (matched_is(m, OP_div) || matched_is(m, OP_rcp) || matched_is(m, OP_sqrt) || matched_is(m, OP_rsqrt));
}

/* How often the value that instruction k gives the register is read, as far as its block shows. */
static u32 reads_of(const struct ordering *o, u32 k, u32 slot)
{
	const u32 end = o->flow->blocks[o->flow->block_of[k]].end;
	u32 reads = 0;

	if (o->definitions[slot] == 1)
		return o->reads[slot];
	for (u32 n = k + 1; n < end; n++) {
		bool written = false;
		for (u32 u = 0; u < o->matched[n].use_count; u++) {
			const struct use *use = &o->matched[n].uses[u];
			if (use_is_register(use) && use->reg == slot) {
				reads += use->read;
				written |= use->written;
			}
		}
		if (written || reads > 1)
			break;
	}
	return reads;
}

/* It is moved down to the only instruction that reads its result. */
static bool is_moved(const struct ordering *o, u32 k)
{
	const struct matched *m = &o->matched[k];
	const int type = m->form.row ? form_type(&m->form, 0) : 0;

	if (type == T_f64 ? !matched_is(m, OP_selp) && !(matched_is(m, OP_rsqrt) && form_has(&m->form, M_ftz))
			  : type != T_b64 || !(matched_is(m, OP_and) || matched_is(m, OP_or) || matched_is(m, OP_xor)))
		return false;
	return m->use_count && use_is_register(&m->uses[0]) && reads_of(o, k, m->uses[0].reg) == 1;
}

static bool loads_parameter(const struct ordering *o, const struct matched *m)
{
	return o->function->is_entry && matched_is(m, OP_ld) && form_has(&m->form, M_param);
}

static u64 rank_of_result(const struct ordering *o, u32 k, u32 operand)
{
	const struct matched *m = &o->matched[k];

	if (o->function->body.items[k].guard)
		return (u64)k * OPERANDS + operand;
	if (is_copy(m))
		return value_of(o, m->uses[1].reg);
	return is_expanded(m)          ? rank_late(k)
	       : is_moved(o, k)        ? MOVED
	       : loads_parameter(o, m) ? PARAMETER
				       : (u64)k * OPERANDS + operand;
}

static void pass(struct ordering *o, u32 k)
{
	const struct matched *m = &o->matched[k];

	for (u32 u = 0; u < m->use_count; u++)
		if (use_is_register(&m->uses[u]) && m->uses[u].written)
			hold(o, m->uses[u].reg, rank_of_result(o, k, u));
}

/* What the tracked registers hold where block b begins. */
static void enter(struct ordering *o, u32 b)
{
	const struct flow_block *block = &o->flow->blocks[b];

	for (u32 t = 0; t < o->tracked_count; t++)
		o->now[t] = NONE;
	for (u32 p = 0; p < block->predecessor_count; p++) {
		const u64 *from = o->ends + (u64)block->predecessors[p] * o->tracked_count;
		for (u32 t = 0; t < o->tracked_count; t++)
			if (from[t] != NONE && from[t] != o->now[t])
				o->now[t] = o->now[t] == NONE ? from[t] : rank_late(o->first[o->slot_of[t]]);
	}
}

/* Until nothing changes any more: ranks only go from none to a value's to that of several. */
static void follow(struct ordering *o)
{
	const u32 count = o->tracked_count;
	bool changed = true;

	for (u32 round = 0; changed && round < ROUNDS_MOST; round++) {
		changed = false;
		for (u32 b = 0; b < o->flow->block_count; b++) {
			u64 *end = o->ends + (u64)b * count;
			enter(o, b);
			for (u32 k = o->flow->blocks[b].first; k < o->flow->blocks[b].end; k++)
				pass(o, k);
			changed |= memcmp(end, o->now, count * sizeof *end) != 0;
			memcpy(end, o->now, count * sizeof *end);
		}
	}
}

/* f64 instructions, and what carries such numbers. */
static bool holds_numbers(const struct matched *m)
{
	const int type = m->form.row ? form_type(&m->form, 0) : 0;

	return type == T_f64 || (m->use_count == 2 && matched_is(m, OP_mov) && m->uses[0].bits == 64);
}

/* Where registers are defined first, how often read, and which of those that hold numbers have several definitions. */
static void find_tracked(struct ordering *o)
{
	for (u32 k = (u32)o->function->body.count; k-- > 0;) {
		const struct matched *m = &o->matched[k];
		for (u32 u = 0; u < m->use_count; u++) {
			const struct use *use = &m->uses[u];
			if (!use_is_register(use))
				continue;
			if (use->written)
				o->first[use->reg] = k;
			o->reads[use->reg] += use->read;
			if (holds_numbers(m) && o->definitions[use->reg] > 1 && !o->tracked[use->reg]) {
				o->slot_of[o->tracked_count] = use->reg;
				o->tracked[use->reg] = ++o->tracked_count;
			}
		}
	}
}

/* Numbers the registers to follow, if there is room for them. */
static void track(struct ordering *o, u32 slots)
{
	struct arena *arena = o->rewriting.arena;
	const size_t room = slots + (size_t)1;

	o->first = ARENA_ARRAY(arena, room, u32);
	o->reads = ARENA_ARRAY(arena, room, u32);
	o->single = ARENA_ARRAY(arena, room, u64);
	o->tracked = ARENA_ARRAY(arena, room, u32);
	o->slot_of = ARENA_ARRAY(arena, room, u32);
	memset(o->single, 0xff, room * sizeof *o->single);
	find_tracked(o);
	if ((u64)o->tracked_count * o->flow->block_count > TRACK_MOST) {
		memset(o->tracked, 0, room * sizeof *o->tracked);
		o->tracked_count = 0;
	}
	const size_t cells = (size_t)o->tracked_count * o->flow->block_count + 1;
	o->now = ARENA_ARRAY(arena, o->tracked_count + (size_t)1, u64);
	o->ends = ARENA_ARRAY(arena, cells, u64);
	memset(o->ends, 0xff, cells * sizeof *o->ends);
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

static void order_block(struct ordering *o, u32 b)
{
	enter(o, b);
	for (u32 k = o->flow->blocks[b].first; k < o->flow->blocks[b].end; k++) {
		struct matched *m = &o->matched[k];
		if (commutes(m)) {
			const u64 first = value_of(o, m->uses[1].reg), second = value_of(o, m->uses[2].reg);
			if (first != NONE && second < first)
				turn_around(o, m);
		}
		pass(o, k);
	}
}

static bool has_any(const struct assembling *a)
{
	for (size_t k = 0; k < a->function->body.count; k++)
		if (commutes(&a->matched[k]))
			return true;
	return false;
}

void order_operands(const struct assembling *a)
{
	struct ordering o = {
		.rewriting = a->rewriting, .function = a->function, .flow = a->flow, .matched = a->matched};
	u32 slots;

	if (!has_any(a))
		return;
	o.definitions = matched_definitions(a->matched, (u32)a->function->body.count, a->rewriting.arena, &slots);
	track(&o, slots);
	follow(&o);
	for (u32 b = 0; b < a->flow->block_count; b++)
		order_block(&o, b);
}
