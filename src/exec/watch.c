/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers. A watched instruction has another handler in the run's own copy of the code, so an unwatched one costs
 * nothing, and a run without observers shares the program's code:
 *
 *     grid->insns        | fn | fn | watched() | fn |          watched(): tell those of `watchers`, run the handler that
 *     grid->originals                  | fn |                  `originals` keeps, tell again
 *     grid->watchers                 | 0b101 |                 bit k: observer k asked for it when the launch began
 *
 * A gang's observers get one event for all its warps, before the gang runs the instruction. If the gang then parts there,
 * some of its warps execute the same instruction again, one by one. Observers must not see it twice:
 *
 *     gang of warps 0 to 3 at i:   gang_before(i) ... the handler parts the gang, done = 2
 *     warps 0, 1                   have run i: go on behind it
 *     warps 2, 3                   told = told_last = i: watched() skips `before`, clears the mark, and runs i
 *
 * A guard and the instruction that it guards are one to the gang, which can part at the second after both were told of:
 * then told = the guard, told_last = what it guards.
 */
#include <string.h>

#include "exec/gang.h"
#include "exec/in_order.h"
#include "exec/internal.h"
#include "exec/launch.h"

/* The handler of each watched instruction: `before` of all who asked, the handler itself, `after`. A fault that an
 * observer raises in `before` stops the warp before the instruction. */
static const struct insn *watched(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct grid *grid = w->grid;
	const struct code *code = w->frame->code;
	const size_t at = (size_t)(i - grid->insns[code->index]);
	const bool told = w->told && i >= w->told && i <= w->told_last;
	const u16 who = grid->watchers[code->index][at];
	struct observer *const *list = grid->observers;

	if (!told || i == w->told_last)
		w->told = NULL;
	for (u32 k = 0; k < grid->observer_count; k++)
		if (who >> k & 1 && list[k]->before && !told)
			list[k]->before(list[k]->context, w, i, rows, mask);
	if (__builtin_expect(w->stop == STOP_FAULT, 0))
		return NULL;
	const struct insn *next = grid->originals[code->index][at](w, i, rows, mask);
	if (told)
		w->told = NULL; /* the guard held for no lane: what it guards does not run */
	for (u32 k = 0; k < grid->observer_count; k++)
		if (who >> k & 1 && list[k]->after)
			list[k]->after(list[k]->context, w, i, rows, mask);
	return next;
}

/* Marks one warp that has not yet run i, so that its own watched() does not report it again. */
static void tell(const struct gang *g, struct warp *w, const struct insn *i)
{
	if (w < g->warps + g->done)
		return;
	/* An instruction that ends gangs is not watched in the gang's code: not reported yet. */
	const struct insn *last = g->parted->gang == gang_end ? i : g->parted;

	w->told = gang_plain(g, i);
	w->told_last = gang_plain(g, last);
}

/* After the gang parted at i, or at the instruction that the guard i guards: marks the members that will execute it
 * individually. Members are the warps from `on` to `on_end`, or all of the gang if there is no such list. */
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

/* `on` is saved first: a handler that parts the gang clears the list of members, and note_told() needs it. */
static const struct insn *watched_gang(struct gang *g, const struct insn *i)
{
	const struct grid *grid = g->grid;
	const size_t at = (size_t)(i - g->insns);
	const u16 who = grid->watchers[g->code->index][at];
	struct observer *const *list = grid->observers;
	const struct gang_member *const on = g->on, *const on_end = g->on_end;

	for (u32 k = 0; k < grid->observer_count; k++)
		if (who >> k & 1)
			list[k]->gang_before(list[k]->context, g, gang_plain(g, i));
	/* One of them now watches all, of which the copy of the code that has native regions knows nothing. */
	if (grid->watches_all && g->insns != grid->gang_insns)
		i = gang_change_code(g, i, grid->gang_insns);
	const struct insn *next = grid->gang_originals[at](g, i);
	if (__builtin_expect(!next, 0))
		note_told(g, i, on, on_end);
	return next;
}

static bool is_watched(const struct gang *g, const struct insn *i)
{
	return g->grid->gang_originals && i->gang == watched_gang;
}

const struct insn *gang_resume(struct gang *g, const struct insn *i)
{
	if (!is_watched(g, i))
		return i->gang(g, i);
	const struct insn *next = g->grid->gang_originals[i - g->insns](g, i);
	if (!next)
		note_told(g, i, NULL, NULL);
	return next;
}

void gang_note_told(const struct gang *g, u32 k, const struct insn *i)
{
	if (is_watched(g, i))
		g->warps[k].told = g->warps[k].told_last = gang_plain(g, i);
}

/* Instructions hoisted to once a launch are skipped by gangs. A watched one must still be seen in its place, so skips end
 * there. */
static void skip_to_watched(struct insn *insns, const struct code *code, const u16 *watchers)
{
	u32 next = code->insn_count - 1;

	for (u32 k = code->insn_count; k-- > 0;) {
		if (code->once[k])
			insns[k].imm = (s32)(next - k);
		if (!code->once[k] || watchers[k])
			next = k;
	}
}

/* A copy of the gang's code with watched_gang() where any observer asked. Where a gang must end there is nothing to
 * observe yet: each warp reports for itself. */
static void watch_gangs(struct grid *grid, struct arena *arena)
{
	const struct code *code = grid->kernel->code;
	const u16 *watchers = grid->watchers[code->index];
	struct insn *insns = ARENA_ARRAY(arena, code->insn_count, struct insn);

	memcpy(insns, code->gang_insns, code->insn_count * sizeof *insns);
	grid->gang_originals = ARENA_ARRAY(arena, code->insn_count, gang_fn *);
	for (u32 k = 0; k < code->insn_count; k++) {
		grid->gang_originals[k] = insns[k].gang;
		if (watchers[k] && insns[k].gang != gang_end)
			insns[k].gang = watched_gang;
	}
	if (code->once)
		skip_to_watched(insns, code, watchers);
	grid->gang_insns = grid->watched_gang_insns = insns;
}

/* The launch's observers, and whether all of them can watch gangs. */
static bool find_observers(struct grid *grid, struct arena *arena)
{
	struct observer *const *given = grid->launch->observers;
	bool gangs = true;
	u32 count = 0;

	while (given && given[count])
		count++;
	if (count || grid->async == ASYNC_STRICT || grid->in_order)
		grid->observers = ARENA_ARRAY(arena, count + 2, struct observer *);
	/* First: of what it refuses, the checks say nothing. */
	if (grid->async == ASYNC_STRICT)
		grid->observers[grid->observer_count++] = grid->async_checker->prepare(grid, arena);
	for (u32 k = 0; k < count; k++)
		grid->observers[grid->observer_count++] = given[k];
	if (grid->in_order)
		grid->observers[grid->observer_count++] = in_order_observer(grid->in_order);
	for (u32 k = 0; k < grid->observer_count; k++)
		gangs &= grid->observers[k]->gang_before || !(grid->observers[k]->before || grid->observers[k]->after);
	return gangs;
}

/* Sums are enough if they are for all who watch the instruction. */
static enum native_telling telling(const struct grid *grid, const struct code *code, u32 insn)
{
	const u16 who = grid->watchers[code->index][insn];
	bool tallies = who, repeats = who, likens = false, sums = false;

	for (u32 k = 0; k < grid->observer_count; k++) {
		const struct observer *o = grid->observers[k];
		if (!(who >> k & 1))
			continue;
		if (!o->natively)
			return NATIVE_ENDS;
		tallies &= o->tallies && o->tallies(o->context, code, insn);
		repeats &= o->repeats && o->repeats(o->context, code, insn);
		likens = who == 1u << k && o->likens && o->likens(o->context, code, insn, &sums);
	}
	if (tallies)
		return NATIVE_TALLIES;
	if (repeats)
		return likens && !sums ? NATIVE_REPEATS_OR_LIKENS : NATIVE_REPEATS;
	if (likens)
		return sums ? NATIVE_LIKENS_AND_TALLIES : NATIVE_LIKENS;
	return who ? NATIVE_TELLS : NATIVE_SILENT;
}

static struct native_pattern *pattern_of(const struct worker *k, const struct code *code, u32 insn)
{
	const struct grid *grid = k->grid;
	const struct observer *o = grid->observers[__builtin_ctz(grid->watchers[code->index][insn])];

	return o->pattern(o->context, k, code, insn);
}

/* Room for what native code counts; of a worker, once a launch. */
static void make_tallies(struct worker *k)
{
	const struct grid *grid = k->grid;
	const struct code *code = grid->kernel->code;
	struct native_repeats *r = &k->repeats;

	k->tallies = ARENA_ARRAY(&k->arena, code->insn_count, struct native_tally);
	k->patterns = ARENA_ARRAY(&k->arena, code->insn_count, struct native_pattern *);
	for (u32 n = 0; n < code->insn_count; n++) {
		const enum native_telling how = telling(grid, code, n);
		r->count += native_repeats(how);
		if (native_likens(how))
			k->patterns[n] = pattern_of(k, code, n);
	}
	r->insns = ARENA_ARRAY(&k->arena, r->count + 1, u32);
	r->times = ARENA_ARRAY(&k->arena, (size_t)r->count * grid->warps_per_block + 1, u64);
	r->rows = ARENA_ARRAY(&k->arena, (size_t)r->count * grid->warps_per_block + 1, u8 *);
	r->count = 0;
	for (u32 n = 0; n < code->insn_count; n++)
		if (native_repeats(telling(grid, code, n)))
			r->insns[r->count++] = n;
}

static void give_repeats(struct worker *k)
{
	const struct grid *grid = k->grid;
	const struct code *code = grid->kernel->code;
	const struct native_repeats *r = &k->repeats;

	for (size_t n = 0; n < (size_t)r->count * grid->warps_per_block; n++) {
		const u32 insn = r->insns[n % r->count];
		const struct insn *i = grid->insns[code->index] + insn;
		for (u32 o = 0; r->times[n] > 1 && o < grid->observer_count; o++)
			if (grid->watchers[code->index][insn] >> o & 1)
				grid->observers[o]->repeated(grid->observers[o]->context, k->all_warps, i,
							     r->rows[n] - i->a, r->times[n] - 1);
		r->times[n] = r->times[n] != 0;
	}
}

/* Gives observers the sums of what the worker has run natively, and begins anew. */
void worker_give_tallies(struct worker *k)
{
	const struct grid *grid = k->grid;
	const struct code *code = grid->kernel->code;

	for (u32 n = 0; k->tallies && n < code->insn_count; n++) {
		struct native_tally *t = &k->tallies[n];
		for (u32 o = 0; t->executed && o < grid->observer_count; o++)
			if (grid->watchers[code->index][n] >> o & 1)
				grid->observers[o]->tallied(grid->observers[o]->context, k, code, n, t);
		*t = (struct native_tally){0};
	}
	if (k->tallies)
		give_repeats(k);
}

/* A warp with all its lanes has come to the instruction, as observers know. */
void native_note_repeat(struct native_repeats *r, const struct warp *w, const struct insn *i, u32 insn, const u8 *rows)
{
	enum { ROW_BYTES = 256 };
	u32 low = 0, high = r->count;

	while (low + 1 < high) {
		const u32 middle = low + (high - low) / 2;
		*(r->insns[middle] <= insn ? &low : &high) = middle;
	}
	const size_t at = (size_t)w->index * r->count + low;
	if (r->times[at]++)
		return;
	const u32 bytes = min_u32(ROW_BYTES, w->frame->code->frame_bytes - i->a);
	r->rows[at] = arena_alloc(&w->worker->arena, ROW_BYTES);
	memcpy(r->rows[at], rows + i->a, bytes);
}

/* The kernel's native code for this launch, which tells the observers what they want to know, or ends where it cannot; NULL:
 * there is none, or one of them is told of what has been done. */
struct native_kernel *grid_watch_native(struct grid *grid, struct arena *arena, struct native_kernel *kernel)
{
	const struct code *code = grid->kernel->code;

	if (!kernel || !grid->observer_count)
		return kernel ? kernel->begin(kernel, NULL, grid, &grid->compiling) : NULL;
	for (u32 k = 0; k < grid->observer_count; k++)
		if (grid->observers[k]->after)
			return NULL;
	u8 *told = ARENA_ARRAY(arena, code->insn_count, u8);
	for (u32 k = 0; k < code->insn_count; k++)
		told[k] = (u8)telling(grid, code, k);
	const struct native_watch watch = {grid->watched_gang_insns, told};
	return kernel->begin(kernel, &watch, grid, &grid->compiling);
}

bool block_natively(const struct block *b)
{
	const struct grid *grid = b->grid;
	struct worker *worker = b->worker;

	if (grid->watches_all)
		return false;
	for (u32 k = 0; k < grid->observer_count; k++)
		if (grid->observers[k]->natively && !grid->observers[k]->natively(grid->observers[k]->context, b))
			return false;
	if (!grid->observer_count)
		return true;
	if (!worker->tallies) {
		make_tallies(worker);
		worker->first_native = b->index;
	}
	return b->index >= worker->first_native;
}

/* Called once, when the launch begins. With observers that cannot see gangs, a debugger's hooks, or explored schedules,
 * gangs are off (gang_limit = 0). `wants` is asked once for each decoded instruction, never while the launch runs. */
void grid_watch(struct grid *grid, struct arena *arena)
{
	const u32 codes = grid->program->code_count;

	if (!find_observers(grid, arena) || grid->hooks || grid->launch->schedule.mode)
		grid->gang_limit = 0;
	if (!grid->observer_count && !grid->hooks && !grid->launch->schedule.mode)
		return;
	struct observer *const *list = grid->observers;
	grid->insns = ARENA_ARRAY(arena, codes + 1, struct insn *);
	grid->originals = ARENA_ARRAY(arena, codes + 1, meaning_fn **);
	grid->watchers = ARENA_ARRAY(arena, codes + 1, u16 *);
	for (u32 c = 0; c < codes; c++) {
		const struct code *code = grid->program->codes[c];
		grid->insns[c] = ARENA_ARRAY(arena, code->insn_count, struct insn);
		grid->originals[c] = ARENA_ARRAY(arena, code->insn_count, meaning_fn *);
		grid->watchers[c] = ARENA_ARRAY(arena, code->insn_count, u16);
		memcpy(grid->insns[c], code->insns, code->insn_count * sizeof *code->insns);
		for (u32 k = 0; k < code->insn_count; k++) {
			grid->originals[c][k] = code->insns[k].fn;
			for (u32 o = 0; o < grid->observer_count; o++)
				if (list[o]->wants(list[o]->context, code, k))
					grid->watchers[c][k] |= (u16)(1u << o);
			if (grid->watchers[c][k])
				grid->insns[c][k].fn = watched;
		}
	}
	if (grid->gang_limit)
		watch_gangs(grid, arena);
}

/* From now on, in the blocks that have begun, too. There is one worker. */
static void interpret_all(struct grid *grid)
{
	grid->watches_all = true;
	for (const struct cluster *c = grid->workers->active; c; c = c->next)
		for (u32 n = 0; n < c->count; n++) {
			struct block *b = c->blocks[n];
			b->native = NULL;
			b->gang_insns = grid->gang_insns;
		}
}

/* Adds observer o to every instruction of a running launch: for a checker that finds only then that it must see
 * everything. */
void grid_watch_all(struct grid *grid, const struct observer *o)
{
	u16 bit = 0;

	for (u32 k = 0; k < grid->observer_count; k++)
		bit |= grid->observers[k] == o ? (u16)(1u << k) : 0;
	for (u32 c = 0; c < grid->program->code_count; c++)
		for (u32 k = 0; k < grid->program->codes[c]->insn_count; k++) {
			grid->watchers[c][k] |= bit;
			grid->insns[c][k].fn = watched;
		}
	if (!grid->gang_limit)
		return;
	interpret_all(grid);
	const struct code *code = grid->kernel->code;
	struct insn *insns = grid->watched_gang_insns;
	for (u32 k = 0; k < code->insn_count; k++)
		if (insns[k].gang != gang_end)
			insns[k].gang = watched_gang;
	if (code->once)
		skip_to_watched(insns, code, grid->watchers[code->index]);
}
