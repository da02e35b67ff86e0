/* SPDX-License-Identifier: Apache-2.0
 *
 * Motions: what step, next, finish and the others wait for, forwards and backwards. A motion is a
 * question asked at each place where a warp is about to execute an instruction.
 *
 * Forwards: move_once() sets the question, run_grid() asks it at each place of the focused warp (asks_motion) and stops
 * at the first yes; breakpoints and watchpoints may stop it before. Backwards: back_once() has history_find_last() run
 * from checkpoints up to the present, and keeps the last place where the question holds. `step`, `next` and the others
 * are the same questions either way, but for lines (search_line) and `finish` (search_call).
 */
#include <stdio.h>
#include <string.h>

#include "debug/internal.h"

static bool is_focus(const struct debug *d, const struct standing *s)
{
	return s->w->block->index == d->focus.block && s->w->index == d->focus.warp;
}

static struct debug_place place_of(const struct standing *s)
{
	return (struct debug_place){s->code, s->code->origin[s->insn]};
}

static u32 depth_of(const struct standing *s) { return s->w->frame->depth; }

/* The focused warp has ended, or given its place to that of another block. */
static bool focus_gone(const struct debug *d)
{
	const struct warp *w = run_find_warp(d, d->focus.block, d->focus.warp);

	return !w || !w->live;
}

/* By the lines of the source (.loc) where both places have one, unless the user steps by PTX lines. */
static bool same_line(const struct debug *d, const struct debug_line *a, const struct debug_line *b)
{
	if (a->loc_file && b->loc_file && !d->motion.by_text)
		return a->loc_line == b->loc_line && !strcmp(a->loc_file, b->loc_file);
	return a->line == b->line && a->file == b->file;
}

/* --- Questions ----------------------------------------------------------------------------------- */

typedef bool question(struct debug *d, const struct standing *s);

static bool asks_step(struct debug *d, const struct standing *s) { return is_focus(d, s); }

static bool asks_next(struct debug *d, const struct standing *s)
{
	return is_focus(d, s) && depth_of(s) <= d->motion.depth;
}

static bool asks_line(struct debug *d, const struct standing *s)
{
	const struct debug_place p = place_of(s);
	const struct debug_line line = debug_line(&p);

	/* Line 0 is what the compiler put in: it belongs to the line before. */
	if (line.loc_file && !line.loc_line && !d->motion.by_text && depth_of(s) == d->motion.depth)
		return false;
	return is_focus(d, s) && (depth_of(s) != d->motion.depth || !same_line(d, &line, &d->motion.line));
}

static bool asks_next_line(struct debug *d, const struct standing *s)
{
	return is_focus(d, s) && depth_of(s) <= d->motion.depth && asks_line(d, s);
}

/* A later line of the function, or its caller: a loop's end is not gone back from. */
static bool asks_past_line(struct debug *d, const struct standing *s)
{
	const struct debug_place p = place_of(s);
	const struct debug_line line = debug_line(&p);

	if (!asks_next_line(d, s))
		return false;
	if (depth_of(s) < d->motion.depth)
		return true;
	if (line.loc_file && d->motion.line.loc_file && !d->motion.by_text)
		return line.loc_line > d->motion.line.loc_line;
	return line.line > d->motion.line.line;
}

static bool asks_finish(struct debug *d, const struct standing *s)
{
	return is_focus(d, s) && depth_of(s) < d->motion.depth && s->mask >> d->focus.lane & 1;
}

static bool asks_barrier(struct debug *d, const struct standing *s)
{
	const struct debug_place p = place_of(s);

	return is_focus(d, s) && place_is_barrier(&p);
}

static bool asks_other_warp(struct debug *d, const struct standing *s) { return !is_focus(d, s); }

static bool asks_reconvergence(struct debug *d, const struct standing *s)
{
	return is_focus(d, s) && s->mask == s->w->live;
}

static bool asks_until(struct debug *d, const struct standing *s)
{
	const struct debug_place p = place_of(s);

	if (!is_focus(d, s) || depth_of(s) > d->motion.depth)
		return false;
	for (u32 k = 0; k < d->motion.until_count; k++)
		if (same_place(&p, &d->motion.until[k]))
			return true;
	return false;
}

static bool asks_any(struct debug *d, const struct standing *s)
{
	(void)d;
	(void)s;
	return true;
}

static question *question_of(enum debug_motion motion)
{
	switch (motion) {
	case DEBUG_STEP:
		return asks_step;
	case DEBUG_NEXT:
		return asks_next;
	case DEBUG_STEP_LINE:
		return asks_line;
	case DEBUG_NEXT_LINE:
		return asks_next_line;
	case DEBUG_PAST_LINE:
		return asks_past_line;
	case DEBUG_FINISH:
		return asks_finish;
	case DEBUG_TO_BARRIER:
		return asks_barrier;
	case DEBUG_TO_OTHER_WARP:
		return asks_other_warp;
	case DEBUG_TO_RECONVERGENCE:
		return asks_reconvergence;
	default:
		return NULL;
	}
}

/* The motion's question, or that its warp is gone. */
static bool asks_motion(struct debug *d, const struct standing *s)
{
	if (d->motion.question(d, s)) {
		d->run.event.reason = DEBUG_STEPPED;
		return true;
	}
	if (is_focus(d, s) || !focus_gone(d))
		return false;
	d->run.event.reason = DEBUG_WARP_ENDED;
	return true;
}

/* --- Events -------------------------------------------------------------------------------------- */

struct debug_event debug_failed(struct debug *d)
{
	return (struct debug_event){.reason = DEBUG_FAILED, .position = d->position, .text = d->message};
}

/* The focus follows what stopped, and its lane the lanes that are there. */
static void focus_on(struct debug *d, const struct warp *w, u32 lanes)
{
	const bool same = d->focus.block == w->block->index && d->focus.warp == w->index;

	d->focus.frame = 0;
	if (same && (!lanes || lanes >> d->focus.lane & 1))
		return;
	d->focus.block = w->block->index;
	d->focus.warp = w->index;
	if (lanes && !(lanes >> d->focus.lane & 1))
		d->focus.lane = (u32)__builtin_ctz(lanes);
}

static void say_fault(struct debug *d)
{
	fault_describe(d->launch.memory, &d->launch, &d->fault, d->text, sizeof d->text);
	for (size_t n = strlen(d->text); n && d->text[n - 1] == '\n';)
		d->text[--n] = 0;
}

/* A watchpoint may have been hit by the launch's very last instruction: that is then what is reported. */
static struct debug_event event_of_end(struct debug *d, enum ran ran)
{
	const bool watched =
		d->run.stopped && (d->run.event.reason == DEBUG_WATCHED || d->run.event.reason == DEBUG_CAUGHT);
	struct debug_event e = watched ? d->run.event : (struct debug_event){.reason = DEBUG_LAUNCH_ENDED};

	d->run.stopped = false;
	e.position = d->position;
	if (ran != RAN_FAULTED) {
		/* What can still be looked at are the blocks that ended last. */
		const struct cluster *last = run_clusters(d);
		if (!run_find_warp(d, d->focus.block, d->focus.warp) && last)
			d->focus = (struct debug_focus){.block = last->blocks[0]->index};
		d->focus.frame = 0;
		return e;
	}
	const struct fault *f = &d->fault;
	const u32 at = (u32)(f->insn - f->code->insns);
	say_fault(d);
	e = (struct debug_event){.reason = DEBUG_FAULT,
				 .position = d->position,
				 .lanes = f->lanes,
				 .block = f->block,
				 .warp = f->warp,
				 .text = d->text,
				 .place = place_of_insn(d, f->code, at)};
	d->focus = (struct debug_focus){f->block, f->warp, f->lane, 0};
	for (struct debug_point *p = d->points.first; p; p = p->next)
		if (p->enabled && p->kind == DEBUG_CATCH && p->catch == DEBUG_CATCH_FAULT && !e.number) {
			p->hits++;
			e.number = p->number;
		}
	return e;
}

/* What is reported of a watchpoint is the instruction that hit it, which may lie before the place where the launch
 * stands. */
static struct debug_event event_of_stop(struct debug *d)
{
	const struct standing *s = &d->current;
	struct debug_event e = d->run.event;

	if (d->run.interrupted && !d->run.user_stop)
		e.reason = DEBUG_INTERRUPTED;
	d->run.interrupted = false;
	e.position = d->position;
	if (e.reason != DEBUG_WATCHED && e.reason != DEBUG_CAUGHT) {
		e.block = s->w->block->index;
		e.warp = s->w->index;
		e.place = place_of(s);
		if (!e.lanes)
			e.lanes = s->mask;
		focus_on(d, s->w, e.lanes);
	} else if (run_find_warp(d, e.block, e.warp)) {
		focus_on(d, run_find_warp(d, e.block, e.warp), e.lanes);
	}
	return e;
}

/* --- Forwards ------------------------------------------------------------------------------------- */

/* Takes the next launch from the script and stops before its first instruction. asks_any: any warp will do. */
static struct debug_event begin_launch(struct debug *d)
{
	d->refused = false;
	if (!run_begin(d)) {
		struct debug_event e = debug_failed(d);
		if (d->launch_number && !d->refused)
			e.reason = DEBUG_OVER;
		return e;
	}
	d->run.ask = asks_any;
	const enum ran ran = run_grid(d, true);
	d->run.ask = NULL;
	if (ran != RAN_STOPPED)
		return event_of_end(d, ran);
	d->run.event.reason = DEBUG_LAUNCHED;
	d->focus = (struct debug_focus){d->current.w->block->index, d->current.w->index, 0, 0};
	history_note(d);
	watch_refresh(d);
	return event_of_stop(d);
}

bool debug_breaks_here(struct debug *d, struct debug_event *e)
{
	if (d->state != DEBUG_STOPPED || !d->at_stop || !points_at_stop(d, &d->current))
		return false;
	*e = event_of_stop(d);
	return true;
}

/* Which warp is to go on, by the lock and the recorded past. False: it cannot. */
static bool choose_warp(struct debug *d)
{
	struct warp *w = d->motion.locked ? run_find_warp(d, d->focus.block, d->focus.warp) : NULL;

	if (d->position < d->furthest)
		return true; /* as it was */
	if (d->motion.locked && (!w || !w->live || !(w->ready_head || (w->open_joins && d->grid.independent))))
		return false;
	run_schedule(d, w);
	return true;
}

/* One motion: from here to the first yes, a breakpoint, or the end. With a locked scheduler only the focused warp runs,
 * and RAN_STOPPED with `held` means that it waits for others. */
static struct debug_event move_once(struct debug *d, question *q)
{
	struct debug_split s;

	if (!choose_warp(d))
		return (struct debug_event){.reason = DEBUG_BLOCKED,
					    .position = d->position,
					    .block = d->focus.block,
					    .warp = d->focus.warp};
	d->motion.question = q;
	d->motion.depth = debug_focus_split(d, &s) ? s.frame->depth : 0;
	struct debug_place p;
	d->motion.line = debug_focus_place(d, &p) ? debug_line(&p) : (struct debug_line){0};
	if (q == asks_finish && !d->motion.depth) {
		debug_fail(d, "a kernel has no caller to return to: 'continue' runs it to its end");
		return debug_failed(d);
	}
	d->run.ask = q ? asks_motion : NULL;
	d->run.hold = d->motion.locked && d->direct;
	const enum ran ran = run_grid(d, q != NULL);
	d->run.hold = false;
	d->run.ask = NULL;
	watch_refresh(d);
	if (ran == RAN_STOPPED && d->run.held)
		return (struct debug_event){.reason = focus_gone(d) ? DEBUG_WARP_ENDED : DEBUG_BLOCKED,
					    .position = d->position,
					    .block = d->focus.block,
					    .warp = d->focus.warp};
	return ran == RAN_STOPPED ? event_of_stop(d) : event_of_end(d, ran);
}

/* Each warp of the block that can go on executes one instruction. */
static struct debug_event step_block(struct debug *d)
{
	const struct debug_focus focus = d->focus;
	const bool locked = d->motion.locked;
	struct debug_event e = debug_failed(d);
	u32 moved = 0;

	d->motion.locked = true;
	for (u32 k = 0; run_find_warp(d, focus.block, k); k++) {
		const struct warp *w = run_find_warp(d, focus.block, k);
		if (!w->live || !w->ready_head)
			continue;
		d->focus = (struct debug_focus){focus.block, k, (u32)__builtin_ctz(w->ready_head->mask), 0};
		e = move_once(d, asks_step);
		moved++;
		if (e.reason != DEBUG_STEPPED && e.reason != DEBUG_WARP_ENDED && e.reason != DEBUG_BLOCKED)
			break;
	}
	d->motion.locked = false;
	/* None of them can: the block has ended, or waits for another one. */
	if (!moved)
		e = move_once(d, asks_any);
	d->motion.locked = locked;
	if (!moved)
		return e;
	if (e.reason != DEBUG_STEPPED && e.reason != DEBUG_WARP_ENDED && e.reason != DEBUG_BLOCKED)
		return e;
	const struct warp *w = run_find_warp(d, focus.block, focus.warp);
	if (!w || !w->live)
		return e;
	struct debug_split splits[WARP_LANES];
	d->focus = focus;
	if (debug_splits(d, w, splits)) {
		focus_on(d, w, splits[0].mask);
		e.reason = DEBUG_STEPPED;
		e.place = splits[0].place;
		e.lanes = splits[0].mask;
		e.block = focus.block;
		e.warp = focus.warp;
	}
	return e;
}

static struct debug_event to_launch(struct debug *d)
{
	struct debug_event e = move_once(d, NULL);

	while (e.reason == DEBUG_AT_BREAKPOINT || e.reason == DEBUG_CAUGHT || e.reason == DEBUG_WATCHED)
		return e;
	return e.reason == DEBUG_LAUNCH_ENDED ? begin_launch(d) : e;
}

/* A count repeats the motion; anything but a finished step ends the count, except that `continue N` passes N - 1
 * breakpoints. */
struct debug_event debug_go(struct debug *d, enum debug_motion motion, u64 count)
{
	struct debug_event e = debug_failed(d);

	d->run.interrupted = false;
	if (d->state == DEBUG_ENDED)
		return (struct debug_event){.reason = DEBUG_OVER};
	if (d->state == DEBUG_FAULTED) {
		debug_fail(d, "the kernel has failed and cannot go on; go back, or start again");
		return debug_failed(d);
	}
	if (d->state != DEBUG_STOPPED)
		return begin_launch(d);
	if (motion == DEBUG_TO_LAUNCH)
		return to_launch(d);
	for (u64 k = 0; k < (count ? count : 1); k++) {
		e = motion == DEBUG_STEP_BLOCK ? step_block(d) : move_once(d, question_of(motion));
		const bool stop =
			e.reason == DEBUG_AT_BREAKPOINT || e.reason == DEBUG_WATCHED || e.reason == DEBUG_CAUGHT;
		if (d->state != DEBUG_STOPPED || (e.reason != DEBUG_STEPPED && !(stop && motion == DEBUG_CONTINUE)))
			break;
	}
	return e;
}

struct debug_event debug_until(struct debug *d, const struct debug_place *places, u32 count)
{
	d->run.interrupted = false;
	if (d->state != DEBUG_STOPPED)
		return debug_go(d, DEBUG_CONTINUE, 1);
	d->motion.until = places;
	d->motion.until_count = count;
	const struct debug_event e = move_once(d, asks_until);
	d->motion.until = NULL;
	d->motion.until_count = 0;
	return e;
}

struct debug_event debug_restart(struct debug *d)
{
	run_close(d);
	if (!d->source.restart || !d->source.restart(d->source.context)) {
		debug_fail(d, "the launches cannot be started again");
		return debug_failed(d);
	}
	d->state = DEBUG_IDLE;
	d->launch_number = 0;
	d->run.interrupted = false;
	return begin_launch(d);
}

void debug_end_launch(struct debug *d)
{
	run_close(d);
	d->state = DEBUG_IDLE;
}

/* Called from a signal handler or another thread: a store each, no lock. */
void debug_interrupt(struct debug *d)
{
	d->run.interrupted = true;
	if (d->grid.workers)
		d->grid.workers[0].pause_at = 0;
}

void debug_step_by_text(struct debug *d, bool on) { d->motion.by_text = on; }
void debug_lock_scheduler(struct debug *d, bool on) { d->motion.locked = on; }
bool debug_scheduler_locked(const struct debug *d) { return d->motion.locked; }

/* --- Backwards ------------------------------------------------------------------------------------ */

/* Searching back: the place where the motion would have stopped last. */
static bool search_question(struct debug *d, const struct standing *s, void *context)
{
	question *const *q = context;

	return (*q)(d, s);
}

/* A line's beginning: its first instruction after another line, or after another function. */
struct line_search {
	struct debug_line before;
	u32 depth_before;
	bool any, over_calls;
	u64 at;
};

static bool search_line(struct debug *d, const struct standing *s, void *context)
{
	struct line_search *l = context;
	const struct debug_place p = place_of(s);
	const struct debug_line line = debug_line(&p);

	if (!is_focus(d, s) || (l->over_calls && depth_of(s) > d->motion.depth))
		return false;
	if (line.loc_file && !line.loc_line && !d->motion.by_text)
		return false;
	const bool begins =
		!l->any || !same_line(d, &line, &l->before) || depth_of(s) != l->depth_before || s->position < l->at;
	l->any = true;
	l->at = s->position;
	l->before = line;
	l->depth_before = depth_of(s);
	return begins;
}

/* finish, backwards: the call. */
static bool search_call(struct debug *d, const struct standing *s, void *context)
{
	(void)context;
	return is_focus(d, s) && depth_of(s) < d->motion.depth && s->mask >> d->focus.lane & 1;
}

static bool search_points(struct debug *d, const struct standing *s, void *context)
{
	struct debug_event *e = context;

	if (!points_at_stop(d, s) && !watch_at_stop(d, s))
		return false;
	*e = d->run.event;
	d->run.event = (struct debug_event){.reason = DEBUG_FAILED};
	return true;
}

/* Goes to a position that was found, and reports it as if the launch had just stopped there. */
static struct debug_event arrive(struct debug *d, u64 position, struct debug_event e)
{
	if (!history_go(d, position)) {
		debug_fail(d, "position %llu cannot be reached again", (unsigned long long)position);
		return debug_failed(d);
	}
	watch_refresh(d);
	if (d->state != DEBUG_STOPPED)
		return event_of_end(d, d->state == DEBUG_FAULTED ? RAN_FAULTED : RAN_ENDED);
	e.position = d->position;
	e.block = d->current.w->block->index;
	e.warp = d->current.w->index;
	e.place = place_of(&d->current);
	if (!e.lanes)
		e.lanes = d->current.mask;
	focus_on(d, d->current.w, e.lanes);
	return e;
}

static struct debug_event at_start(struct debug *d)
{
	const struct debug_history h = debug_history(d);

	return arrive(d, h.first, (struct debug_event){.reason = DEBUG_AT_START});
}

static bool can_go_back(struct debug *d)
{
	if (!debug_launch(d))
		return debug_fail(d, "no kernel is running");
	if (d->state == DEBUG_ENDED)
		return debug_fail(d, "the last launch is over: what it left can be looked at; 'run' starts again");
	if (!debug_history(d).on)
		return debug_fail(d, "there is no history: \"set history on\" keeps it");
	return true;
}

static struct debug_event back_once(struct debug *d, enum debug_motion motion)
{
	struct debug_split split;
	struct line_search line = {.over_calls = motion == DEBUG_NEXT_LINE};
	question *q = question_of(motion);
	struct debug_event hit = {.reason = DEBUG_STEPPED};
	struct search s = {.matches = search_question, .context = &q};
	const u64 from = d->position;
	u64 found;

	d->motion.depth = debug_focus_split(d, &split) ? split.frame->depth : 0;
	if (motion == DEBUG_STEP_LINE || motion == DEBUG_NEXT_LINE) {
		s = (struct search){.matches = search_line, .context = &line};
	} else if (motion == DEBUG_FINISH) {
		s.matches = search_call;
	} else if (motion == DEBUG_CONTINUE) {
		s = (struct search){.matches = search_points, .accesses = watch_search, .context = &hit};
	} else if (motion == DEBUG_STEP_BLOCK) {
		q = asks_any;
	}
	const bool any = history_find_last(d, from, &s, &found);
	if (d->run.interrupted) {
		d->run.interrupted = false;
		return arrive(d, from, (struct debug_event){.reason = DEBUG_INTERRUPTED});
	}
	return any ? arrive(d, found, hit) : at_start(d);
}

struct debug_event debug_back(struct debug *d, enum debug_motion motion, u64 count)
{
	struct debug_event e = debug_failed(d);

	d->run.interrupted = false;
	if (!can_go_back(d))
		return debug_failed(d);
	if (motion == DEBUG_TO_START)
		return at_start(d);
	if (motion == DEBUG_TO_LAUNCH) {
		debug_fail(d, "earlier launches are reached by starting again");
		return debug_failed(d);
	}
	/* From the end of a launch no warp is in focus: the last place of all comes first. */
	for (u64 k = 0; k < (count ? count : 1); k++) {
		const bool over = d->state != DEBUG_STOPPED && motion != DEBUG_CONTINUE;
		e = back_once(d, over && d->state == DEBUG_BETWEEN ? DEBUG_STEP_BLOCK : motion);
		if (e.reason == DEBUG_AT_START || e.reason == DEBUG_FAILED || e.reason == DEBUG_INTERRUPTED)
			break;
	}
	return e;
}

/* Positions count warp instructions. Where the launch cannot stop at this one, it goes to the next at which it can. */
struct debug_event debug_goto(struct debug *d, u64 position)
{
	d->run.interrupted = false;
	if (!can_go_back(d))
		return debug_failed(d);
	const u64 first = debug_history(d).first;
	if (position < first) {
		debug_fail(d, "the history begins at position %llu", (unsigned long long)first);
		return debug_failed(d);
	}
	if (history_go(d, position))
		return arrive(d, position, (struct debug_event){.reason = DEBUG_STEPPED});
	/* It went past: to the end, or to the next position that there is. */
	return d->state == DEBUG_STOPPED ? event_of_stop(d)
					 : event_of_end(d, d->state == DEBUG_FAULTED ? RAN_FAULTED : RAN_ENDED);
}

/* Searches back for the last write to a register or to memory. If there is none, the launch is put back where it
 * was. */
struct debug_event debug_who_wrote(struct debug *d, const char *what)
{
	struct debug_event hit = {.reason = DEBUG_STEPPED};
	struct search s = {.accesses = watch_search_one, .context = &hit};
	u64 found;

	d->run.interrupted = false;
	if (!can_go_back(d) || !watch_search_begin(d, what))
		return debug_failed(d);
	const u64 from = d->position;
	const bool any = history_find_last(d, from, &s, &found);
	watch_search_end(d);
	if (!any) {
		arrive(d, from, hit);
		debug_fail(d, "nothing in this launch has written it before");
		return debug_failed(d);
	}
	return arrive(d, found, hit);
}
