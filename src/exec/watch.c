/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers. A watched instruction has another handler in the run's own copy of the
 * code, so an unwatched one costs nothing, and a run without observers shares the program's code.
 *
 * A gang's observers get one event for all its warps, before the gang runs the instruction. If the gang then parts
 * there, some warps execute the same instruction again one by one. Observers must not see it twice, so these
 * warps carry told..told_last, the instructions already reported; watched() skips the event and clears the mark.
 */
#include <string.h>

#include "exec/gang.h"
#include "exec/internal.h"
#include "exec/launch.h"

static const struct insn *watched(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct machine *m = w->machine;
	const struct code *code = w->frame->code;
	const size_t at = (size_t)(i - m->insns[code->index]);
	const bool told = w->told && i >= w->told && i <= w->told_last;
	const u8 who = m->watchers[code->index][at];
	struct observer *const *list = m->observers;

	if (!told || i == w->told_last)
		w->told = NULL;
	for (u32 k = 0; k < m->observer_count; k++)
		if (who >> k & 1 && list[k]->before && !told)
			list[k]->before(list[k]->context, w, i, rows, mask);
	if (__builtin_expect(w->stop == STOP_FAULT, 0))
		return NULL;
	const struct insn *next = m->originals[code->index][at](w, i, rows, mask);
	if (told)
		w->told = NULL; /* the guard held for no lane: what it guards does not run */
	for (u32 k = 0; k < m->observer_count; k++)
		if (who >> k & 1 && list[k]->after)
			list[k]->after(list[k]->context, w, i, rows, mask);
	return next;
}

static void tell(const struct gang *g, struct warp *w, const struct insn *i)
{
	if (w < g->warps + g->done)
		return;
	/* An instruction that ends gangs is not watched in the gang's code: not reported yet. */
	const struct insn *last = g->parted->gang == gang_end ? i : g->parted;

	w->told = gang_plain(g, i);
	w->told_last = gang_plain(g, last);
}

/* After the gang parted at i, or at the instruction that the guard i guards: marks the members that will execute it individually. Members are the warps from `on` to `on_end`, or all of the gang if there is no such list. */
static void note_told(const struct gang *g, const struct insn *i, const struct gang_member *on,
		      const struct gang_member *on_end)
{
	if (g->parted != i && g->parted != i + 1)
		return;
	for (; on != on_end; on++)
		tell(g, on->warp, i);
	for (u32 k = 0; !on_end && k < g->count; k++)
		tell(g, &g->warps[k], i);
}

static const struct insn *watched_gang(struct gang *g, const struct insn *i)
{
	const struct machine *m = g->machine;
	const size_t at = (size_t)(i - m->gang_insns);
	const u8 who = m->watchers[g->code->index][at];
	struct observer *const *list = m->observers;
	const struct gang_member *const on = g->on, *const on_end = g->on_end;

	for (u32 k = 0; k < m->observer_count; k++)
		if (who >> k & 1)
			list[k]->gang_before(list[k]->context, g, gang_plain(g, i));
	const struct insn *next = m->gang_originals[at](g, i);
	if (__builtin_expect(!next, 0))
		note_told(g, i, on, on_end);
	return next;
}

/* Instructions hoisted to once a launch are skipped by gangs. A watched one must still be seen in its place, so skips end there. */
static void skip_to_watched(struct insn *insns, const struct code *code, const u8 *watchers)
{
	u32 next = code->insn_count - 1;

	for (u32 k = code->insn_count; k-- > 0;) {
		if (code->once[k])
			insns[k].imm = (s32)(next - k);
		if (!code->once[k] || watchers[k])
			next = k;
	}
}

static void watch_gangs(struct machine *m, struct arena *arena)
{
	const struct code *code = m->kernel->code;
	const u8 *watchers = m->watchers[code->index];
	struct insn *insns = ARENA_ARRAY(arena, code->insn_count, struct insn);

	memcpy(insns, code->gang_insns, code->insn_count * sizeof *insns);
	m->gang_originals = ARENA_ARRAY(arena, code->insn_count, gang_fn *);
	for (u32 k = 0; k < code->insn_count; k++) {
		m->gang_originals[k] = insns[k].gang;
		if (watchers[k] && insns[k].gang != gang_end)
			insns[k].gang = watched_gang;
	}
	if (code->once)
		skip_to_watched(insns, code, watchers);
	m->gang_insns = m->watched_gang_insns = insns;
}

/* The launch's observers, and whether all of them can watch gangs. */
static bool find_observers(struct machine *m, struct arena *arena)
{
	struct observer *const *given = m->launch->observers;
	bool gangs = true;
	u32 count = 0;

	while (given && given[count])
		count++;
	m->observers = ARENA_ARRAY(arena, count + 2, struct observer *);
	for (u32 k = 0; k < count; k++)
		m->observers[m->observer_count++] = given[k];
	if (m->async == ASYNC_STRICT)
		m->observers[m->observer_count++] = m->async_checker->prepare(m, arena);
	for (u32 k = 0; k < m->observer_count; k++)
		gangs &= m->observers[k]->gang_before || !(m->observers[k]->before || m->observers[k]->after);
	return gangs;
}

void machine_watch(struct machine *m, struct arena *arena)
{
	const u32 codes = m->program->code_count;

	if (!find_observers(m, arena) || m->hooks)
		m->gang_limit = 0;
	if (!m->observer_count && !m->hooks)
		return;
	struct observer *const *list = m->observers;
	m->insns = ARENA_ARRAY(arena, codes + 1, struct insn *);
	m->originals = ARENA_ARRAY(arena, codes + 1, meaning_fn **);
	m->watchers = ARENA_ARRAY(arena, codes + 1, u8 *);
	for (u32 c = 0; c < codes; c++) {
		const struct code *code = m->program->codes[c];
		m->insns[c] = ARENA_ARRAY(arena, code->insn_count, struct insn);
		m->originals[c] = ARENA_ARRAY(arena, code->insn_count, meaning_fn *);
		m->watchers[c] = ARENA_ARRAY(arena, code->insn_count, u8);
		memcpy(m->insns[c], code->insns, code->insn_count * sizeof *code->insns);
		for (u32 k = 0; k < code->insn_count; k++) {
			m->originals[c][k] = code->insns[k].fn;
			for (u32 o = 0; o < m->observer_count; o++)
				if (list[o]->wants(list[o]->context, code, k))
					m->watchers[c][k] |= (u8)(1u << o);
			if (m->watchers[c][k])
				m->insns[c][k].fn = watched;
		}
	}
	if (m->gang_limit)
		watch_gangs(m, arena);
}

void machine_watch_all(struct machine *m, const struct observer *o)
{
	u8 bit = 0;

	for (u32 k = 0; k < m->observer_count; k++)
		bit |= m->observers[k] == o ? (u8)(1u << k) : 0;
	for (u32 c = 0; c < m->program->code_count; c++)
		for (u32 k = 0; k < m->program->codes[c]->insn_count; k++) {
			m->watchers[c][k] |= bit;
			m->insns[c][k].fn = watched;
		}
	if (!m->gang_limit)
		return;
	const struct code *code = m->kernel->code;
	struct insn *insns = m->watched_gang_insns;
	for (u32 k = 0; k < code->insn_count; k++)
		if (insns[k].gang != gang_end)
			insns[k].gang = watched_gang;
	if (code->once)
		skip_to_watched(insns, code, m->watchers[code->index]);
}
