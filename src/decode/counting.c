/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops only count: the registers that decide when lanes leave come from nothing but registers, constants and the
 * kernel's parameters. Such a loop ends by itself, whatever atomics and calls stand in it, so its lanes wait for nobody and
 * those that have left it wait where the text lets them meet, as on the hardware.
 *
 * The slice is found backwards from the loop's exits, without regard to order: a register that an instruction of the slice
 * reads, and the branches that decide whether the instruction is executed. Too large a slice only gives the answer "may wait".
 */
#include "decode/lowering.h"

enum { WORK_MAX = 1 << 20 }; /* instructions looked at, in all loops of a function */

struct slice {
	struct emitter *e;
	u32 first, last;
	bool *registers; /* by slot: decides when lanes leave */
	bool *places;    /* by instruction from `first` on: whether it is executed decides it */
	bool grown, counts;
};

static void need_register(struct slice *s, u32 slot)
{
	s->grown |= !s->registers[slot];
	s->registers[slot] = true;
}

static void need_place(struct slice *s, u32 k)
{
	s->grown |= !s->places[k - s->first];
	s->places[k - s->first] = true;
}

/* What each lane computes for itself from what no other thread writes. */
static bool computes(const struct matched *m)
{
	const u32 odd = ISA_SYNC | ISA_CALL | ISA_RET | ISA_EXIT | ISA_BRANCH | ISA_ATOMIC | ISA_ORDERED | ISA_STORE |
			ISA_CROSS_LANE | ISA_UNMODELLED | ISA_LATE;
	const u32 flags = m->form.row->flags;

	for (u32 u = 0; u < m->use_count; u++)
		if (m->uses[u].kind == USE_SREG_READ)
			return false;
	if (flags & odd)
		return false;
	return !(flags & ISA_MEMORY) || (flags & ISA_PARAM && m->form.param == PARAM_OF_KERNEL);
}

/* Instruction k, if it writes a register of the slice. */
static void follow_writer(struct slice *s, u32 k)
{
	const struct matched *m = &s->e->matched[k];
	bool writes = false;

	for (u32 u = 0; u < m->use_count; u++)
		writes |= m->uses[u].kind == USE_REGISTER && m->uses[u].written && s->registers[m->uses[u].reg];
	if (!writes)
		return;
	s->counts &= computes(m);
	need_place(s, k);
	for (u32 u = 0; u < m->use_count; u++)
		if (m->uses[u].kind == USE_REGISTER && m->uses[u].read)
			need_register(s, m->uses[u].reg);
}

/* Does a branch at k to `target` decide whether some place of the slice is executed, or how often? */
static bool decides(const struct slice *s, u32 k, u32 target)
{
	const u32 from = target > k ? k + 1 : target, to = target > k ? target : k + 1;

	for (u32 p = from < s->first ? s->first : from; p < to && p <= s->last; p++)
		if (s->places[p - s->first])
			return true;
	return false;
}

/* A branch at k: out of the loop, or around a place of the slice. */
static void follow_branch(struct slice *s, u32 k)
{
	const struct matched *m = &s->e->matched[k];
	const struct ir_label *const *labels = NULL;
	const u32 count =
		flow_targets(s->e->function, &s->e->function->body.items[k], &m->form, &labels, s->e->low->scratch);
	bool matters = k == s->last;

	for (u32 t = 0; t < count; t++)
		matters |=
			labels[t]->target < s->first || labels[t]->target > s->last || decides(s, k, labels[t]->target);
	if (!matters)
		return;
	need_place(s, k);
	for (u32 u = 0; u < m->use_count; u++)
		if (m->uses[u].kind == USE_REGISTER && m->uses[u].read)
			need_register(s, m->uses[u].reg);
}

static void follow(struct slice *s, u32 k)
{
	const struct matched *m = &s->e->matched[k];
	const struct ir_instruction *x = &s->e->function->body.items[k];

	if (!m->form.row)
		return;
	follow_writer(s, k);
	if (m->form.row->flags & ISA_BRANCH)
		follow_branch(s, k);
	else if (m->form.row->flags & (ISA_RET | ISA_EXIT))
		need_place(s, k);
	if (x->guard && s->places[k - s->first])
		need_register(s, ir_guard_slot(x));
}

bool counting_loop(struct emitter *e, u32 first, u32 last)
{
	struct arena *scratch = e->low->scratch;
	struct slice s = {.e = e, .first = first, .last = last, .grown = true, .counts = true};
	const u64 size = last - first + 1ull;

	if (e->counting_work + size > WORK_MAX)
		return false;
	s.registers = ARENA_ARRAY(scratch, e->function->register_slots + 1ull, bool);
	s.places = ARENA_ARRAY(scratch, size, bool);
	while (s.grown && s.counts) {
		s.grown = false;
		e->counting_work += size;
		if (e->counting_work > WORK_MAX)
			return false;
		for (u32 k = last + 1; k-- > first;)
			follow(&s, k);
	}
	return s.counts;
}
