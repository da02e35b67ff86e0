/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that gangs run one warp after the other (exec/gang_turns.c): those with an atomic operation in a loop whose old value is
 * read. Which warp gets which value shows in what order they come; in a gang's order, one instruction after the other for
 * all, no native code could run such a loop, and what lanes do with the values parts them anyway.
 *
 * A loop that may wait for other threads keeps its kernel in gangs: warps that wait for each other should take turns often.
 */
#include "decode/lowering.h"

/* An old value that some instruction reads. */
static bool gives_back(const struct matched *m, const bool *read)
{
	const struct use *d = m->use_count ? m->uses : NULL;

	return m->form.row && m->form.row->flags & ISA_ATOMIC && d && d->written && d->kind == USE_REGISTER &&
	       read[d->reg];
}

static bool *registers_read(const struct emitter *e)
{
	bool *read = ARENA_ARRAY(e->low->scratch, e->function->register_slots + 1ull, bool);

	for (u32 k = 0; k < e->function->body.count; k++) {
		const struct matched *m = &e->matched[k];
		for (u32 u = 0; u < m->use_count; u++)
			if (m->uses[u].kind == USE_REGISTER && m->uses[u].read)
				read[m->uses[u].reg] = true;
		if (e->function->body.items[k].guard)
			read[ir_guard_slot(&e->function->body.items[k])] = true;
	}
	return read;
}

/* The first instruction of a loop that branch k closes; past k if it closes none. */
static u32 loop_start(const struct emitter *e, u32 k)
{
	const struct ir_label *const *labels = NULL;
	const u32 targets =
		flow_targets(e->function, &e->function->body.items[k], &e->matched[k].form, &labels, e->low->scratch);
	u32 first = k + 1;

	for (u32 t = 0; t < targets; t++)
		first = min_u32(first, labels[t]->target);
	return first;
}

bool runs_one_by_one(const struct emitter *e)
{
	const u32 count = (u32)e->function->body.count;
	u32 *before = NULL; /* by instruction: how many such operations stand before it */
	bool found = false;

	for (u32 k = 0; k < count; k++)
		found |= e->matched[k].form.row && e->matched[k].form.row->flags & ISA_ATOMIC;
	if (!found || e->spins)
		return false;
	const bool *read = registers_read(e);
	before = ARENA_ARRAY(e->low->scratch, count + 1ull, u32);
	for (u32 k = 0; k < count; k++)
		before[k + 1] = before[k] + gives_back(&e->matched[k], read);
	for (u32 k = 0; k < count; k++) {
		const struct form *f = &e->matched[k].form;
		if (!f->row || !(f->row->flags & ISA_BRANCH))
			continue;
		const u32 first = loop_start(e, k);
		if (first <= k && before[k] > before[first])
			return true;
	}
	return false;
}
