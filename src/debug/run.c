/* SPDX-License-Identifier: Apache-2.0
 *
 * The launch under way: beginning and ending it, which instructions are hooked, and running to the
 * next stop, with what the user has done in the past applied again where it was done.
 *
 * run_on() is what all motions stand on (motion.c):
 *
 *  until, inputs, checkpoints due    which comes first decides how far the next piece goes
 *    run_hooks                       all instructions are hooked, or only those with breakpoints
 *    run_once                        stepping_run: the scheduler runs until a hook says stop (on_stop), a
 *                                    checkpoint is due between turns, or the launch ends
 *    run_apply_inputs                what the user has changed at this position, in his past
 *    history_note                    a checkpoint, if one is due
 *
 * Positions count warp instructions of the launch. With all instructions hooked every position can be stopped at; else
 * only breakpoints are seen, at full speed. Going back is a checkpoint and run_past() (history.c).
 */
#include <stdlib.h>
#include <string.h>

#include "debug/internal.h"

/* --- Output ------------------------------------------------------------------------------------- */

/* What a launch prints is kept, so that going back takes it back; it is shown once. */
static void on_print(void *context, const char *text, size_t length)
{
	struct debug *d = context;

	if (!length)
		return;
	if (d->output.room - d->output.length < length) {
		const size_t room = 2 * d->output.room + length + 256;
		char *more = realloc(d->output.text, room);
		if (!more)
			return;
		d->output.text = more;
		d->output.room = room;
	}
	memcpy(d->output.text + d->output.length, text, length);
	d->output.length += length;
	if (d->output.length <= d->output.shown)
		return;
	if (d->source.print)
		d->source.print(d->source.context, d->output.text + d->output.shown,
				d->output.length - d->output.shown);
	d->output.shown = d->output.length;
}

const char *debug_output(const struct debug *d, size_t *length)
{
	*length = d->output.length;
	return d->output.text ? d->output.text : "";
}

/* --- Hooks -------------------------------------------------------------------------------------- */

/* Called by a hooked instruction before it runs. True: the warp is suspended there. *done: how many instructions of the
 * straight run before it have been executed and not yet been counted.
 *
 * A motion does not stop where it began (resumed_at). `quiet` runs, those that repeat the past, ask about no
 * breakpoints. */
static bool on_stop(void *context, struct warp *w, const struct insn *i, u32 mask, s32 *done)
{
	struct debug *d = context;
	const struct code *code = w->frame->code;
	const struct stops *stops = &d->stops[code->index];
	const u32 insn = (u32)(i - grid_entry(w->grid, code));
	struct standing s = {.w = w, .code = code, .insn = insn, .mask = mask};

	*done = stops->done[insn];
	s.position = stepping_now(w, *done);
	const bool searched = d->run.search && d->run.search->matches && s.position < d->run.until;
	if (searched && d->run.search->matches(d, &s, d->run.search->context)) {
		d->run.search->found = s.position;
		d->run.search->any = true;
	}
	bool stop = false;
	if (s.position != d->run.resumed_at) {
		stop = s.position >= d->run.until || d->run.interrupted;
		if (d->run.stopped ||
		    (!d->run.quiet && d->run.until &&
		     (points_at_stop(d, &s) || watch_at_stop(d, &s) || (d->run.ask && d->run.ask(d, &s)))))
			stop = d->run.user_stop = true;
	}
	if (!stop && d->run.all_hooked)
		access_note(d, &s);
	d->run.last = s;
	if (stop) {
		d->current = s;
		d->at_stop = true;
	}
	return stop;
}

static u32 hook_of(const struct debug *d, const struct code *code, u32 insn, bool all)
{
	const struct stops *s = &d->stops[code->index];
	const bool is_stop = s->next[insn] == insn;
	u32 hook = is_stop && (all || s->breaks[insn]) ? HOOK_STOP : 0;

	/* The access hook stands at the instruction itself, behind its guard. */
	const u32 origin = code->origin[insn];
	if (d->run.access_hooked && origin < code->function->body.count &&
	    (s->real[origin] == insn || s->of[origin] == insn || s->last[origin] == insn) &&
	    (s->real[origin] == insn || code->function->machine))
		hook |= HOOK_ACCESS;
	return hook;
}

/* Sets the hooks anew if what is to be hooked has changed. Copies of the code belong to the grid, so the program stays
 * as it is. */
void run_hooks(struct debug *d, bool all)
{
	const bool access = watch_wants_access(d) || (d->run.search && d->run.search->accesses);

	if (!d->run.hooks_stale && d->run.all_hooked == all && d->run.access_hooked == access)
		return;
	d->run.access_hooked = access;
	d->run.all_hooked = all;
	d->run.hooks_stale = false;
	for (u32 c = 0; c < d->program->code_count; c++) {
		const struct code *code = d->program->codes[c];
		for (u32 k = 0; k < code->insn_count; k++)
			stepping_hook(&d->grid, code, k, hook_of(d, code, k, all || access));
	}
}

/* --- Beginning and ending a launch --------------------------------------------------------------- */

/* Prepares the launch for stepping: one thread, the engine's hooks, an arena of its own that checkpoints can keep. */
static bool open_grid(struct debug *d)
{
	char why[512] = "";
	jmp_buf out_of_memory;
	u32 count = 0;

	if (d->options.counters) {
		accounting_begin(d->accounting);
		d->observers[count++] = accounting_observer(d->accounting);
	}
	d->observers[count] = NULL;
	d->launch.observers = count ? d->observers : NULL;
	d->launch.print = on_print;
	d->launch.print_error = NULL;
	d->launch.print_context = d;
	d->launch.jobs = 1;
	d->launch.stop = NULL;
	d->hooks = (struct hooks){.context = d, .stop = on_stop, .before = watch_before, .after = watch_after};
	arena_init(&d->run_arena, &out_of_memory);
	enum launch_status status = LAUNCH_NO_MEMORY;
	if (!setjmp(out_of_memory))
		status = stepping_open(&d->grid, &d->launch, &d->hooks, &d->run_arena, why, sizeof why);
	d->run_arena.out_of_memory = NULL;
	if (status == LAUNCH_OK)
		return true;
	arena_free(&d->run_arena);
	d->no_memory |= status == LAUNCH_NO_MEMORY;
	return debug_fail(d, "%s", status == LAUNCH_NO_MEMORY ? "no memory left to run the kernel" : why);
}

/* Whether there is a grid whose warps and memory can be looked at. */
bool run_is_open(const struct debug *d)
{
	return d->state == DEBUG_STOPPED || d->state == DEBUG_FAULTED || d->state == DEBUG_BETWEEN || d->end_told;
}

/* Whoever gave the launch may say what came of it; all that it holds stays as it is. */
static void tell_end(struct debug *d)
{
	struct fault fault;

	if (!run_is_open(d) || d->end_told)
		return;
	d->end_told = true;
	const enum launch_status status = stepping_result(&d->grid, &d->stats, &fault);
	if (d->source.done)
		d->source.done(d->source.context, d->state == DEBUG_STOPPED ? LAUNCH_INTERRUPTED : status, &d->stats,
			       &fault);
}

/* Ends a launch, wherever it stands. Watchpoints on registers, local and shared memory end with it, since what they
 * watch is gone. */
void run_close(struct debug *d)
{
	if (run_is_open(d)) {
		tell_end(d);
		history_close(d);
		stepping_close(&d->grid);
		d->end_told = false;
		arena_free(&d->run_arena);
		for (struct debug_point *p = d->points.first; p; p = p->next)
			if (p->kind == DEBUG_WATCH && (p->of_register || p->space != SPACE_GLOBAL))
				p->enabled = false;
	}
	d->state = DEBUG_IDLE;
	d->current.w = NULL;
	d->at_stop = false;
}

/* Takes the next launch from the source and stops before its first instruction. */
bool run_begin(struct debug *d)
{
	tell_end(d);
	if (!d->source.next(d->source.context, &d->launch)) {
		d->state = DEBUG_ENDED;
		return debug_fail(d, "there are no more launches");
	}
	run_close(d);
	if (!open_grid(d)) {
		d->state = DEBUG_ENDED;
		d->refused = true;
		return false;
	}
	d->launch_number++;
	d->state = DEBUG_STOPPED;
	d->position = d->furthest = 0;
	d->current = d->run.last = (struct standing){0};
	d->at_stop = false;
	d->direct = NULL;
	d->run.hooks_stale = true;
	d->run.resumed_at = UINT64_MAX;
	d->inputs.count = 0;
	d->output.length = d->output.shown = 0;
	d->shown.site = NULL;
	/* Warps and frames of this launch may lie where those of the last one did. */
	memset(d->points.found_registers, 0, sizeof d->points.found_registers);
	memset(&d->fault, 0, sizeof d->fault);
	history_open(d);
	return true;
}

/* --- Running ------------------------------------------------------------------------------------ */

bool run_has_ended(const struct debug *d) { return d->state == DEBUG_BETWEEN || d->state == DEBUG_ENDED; }

/* After a launch's end those that ended last hold what they held: no other block has taken their place. */
const struct cluster *run_clusters(const struct debug *d)
{
	const struct worker *k = &d->grid.workers[0];

	return run_has_ended(d) ? k->spare : k->active;
}

struct warp *run_find_warp(const struct debug *d, u64 block, u32 warp)
{
	if (!run_is_open(d))
		return NULL;
	for (const struct cluster *c = run_clusters(d); c; c = c->next)
		for (u32 r = 0; r < c->count; r++)
			if (c->blocks[r]->index == block)
				return warp < c->blocks[r]->warp_count ? &c->blocks[r]->warps[warp] : NULL;
	return NULL;
}

/* The position of the instruction that failed. */
static u64 fault_position(const struct debug *d)
{
	const struct fault *f = &d->grid.fault;
	const u32 insn = f->code ? d->stops[f->code->index].next[f->insn - f->code->insns] : NO_POINT;

	/* Behind the stop before the instruction, whether or not that has been counted. */
	return d->grid.workers[0].elapsed + 1 + (u64)(insn == NO_POINT ? 0 : d->stops[f->code->index].done[insn]);
}

/* After the end of the grid's run: by a fault, or done. */
static enum ran ended(struct debug *d)
{
	d->at_stop = false;
	d->current = (struct standing){0};
	d->direct = NULL;
	if (d->grid.faulted) {
		d->fault = d->grid.fault;
		d->no_memory |= d->fault.kind == FAULT_OUT_OF_MEMORY;
		d->position = fault_position(d);
		d->state = DEBUG_FAULTED;
		return RAN_FAULTED;
	}
	d->position = d->grid.workers[0].elapsed;
	d->state = DEBUG_BETWEEN;
	return RAN_ENDED;
}

/* One run of the grid: until a hook suspends it, a checkpoint is due between turns, or the end. */
static enum ran run_once(struct debug *d)
{
	struct worker *k = &d->grid.workers[0];
	bool over;

	d->run.resumed_at = d->at_stop ? d->position : UINT64_MAX;
	d->at_stop = false;
	d->run.stopped = d->run.user_stop = d->run.held = false;
	if (d->direct) {
		struct warp *w = d->direct;
		over = stepping_run_warp(&d->grid, w);
		if (!over && !d->at_stop) {
			d->direct = NULL; /* its turn is over: the others go on, unless they are locked */
			if (d->run.hold)
				d->run.until = 0;
			over = stepping_run(&d->grid);
			d->run.held = d->run.hold && d->at_stop;
		}
	} else {
		over = stepping_run(&d->grid);
	}
	if (over)
		return ended(d);
	d->position = d->at_stop ? d->current.position : k->elapsed;
	return d->at_stop ? RAN_STOPPED : RAN_PAUSED;
}

/* The first input at `position` or behind it. Inputs are in the order of their positions: what lies ahead of a new one
 * is forgotten. */
static size_t first_input(const struct debug *d, u64 position)
{
	size_t low = 0, high = d->inputs.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (d->inputs.items[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The position of the next input that is still to be applied. */
static u64 next_input(const struct debug *d)
{
	const size_t k = first_input(d, d->at_stop ? d->position + 1 : d->position);

	return k < d->inputs.count ? d->inputs.items[k].position : UINT64_MAX;
}

/* Runs to a stop of the user's, or the first place at or after `until`. Inputs are applied and
 * checkpoints taken on the way. `all`: every place is asked about. */
static enum ran run_on(struct debug *d, u64 until, bool all)
{
	d->run.event = (struct debug_event){.reason = DEBUG_FAILED};
	for (;;) {
		const u64 input = next_input(d), due = history_due(d);
		const bool every = all || input != UINT64_MAX || until != UINT64_MAX;
		run_hooks(d, every);
		d->run.until = min_u64(until, every ? min_u64(input, max_u64(due, d->position + 1)) : input);
		d->grid.workers[0].pause_at = d->run.interrupted ? 0 : every ? UINT64_MAX : due;
		const enum ran ran = run_once(d);
		if (d->position > d->furthest)
			d->furthest = d->position;
		if (ran == RAN_FAULTED || ran == RAN_ENDED)
			return ran;
		if (ran == RAN_STOPPED)
			run_apply_inputs(d);
		history_note(d);
		if (ran == RAN_STOPPED &&
		    (d->run.user_stop || d->run.held || d->run.interrupted || d->position >= until))
			return ran;
		/* Interrupted between turns: on to the next place where a warp can be seen. */
		if (d->run.interrupted)
			until = d->position;
	}
}

enum ran run_grid(struct debug *d, bool all) { return run_on(d, UINT64_MAX, all); }

enum ran run_past(struct debug *d, u64 position, struct search *search)
{
	const bool quiet = d->run.quiet;

	d->run.quiet = true;
	d->run.search = search;
	const enum ran ran = run_on(d, position, true);
	d->run.search = NULL;
	d->run.quiet = quiet;
	return ran;
}

bool run_to(struct debug *d, u64 position, struct search *search)
{
	if (d->at_stop && d->position == position)
		return true;
	return run_past(d, position, search) != RAN_PAUSED && d->position == position;
}

/* --- Inputs ------------------------------------------------------------------------------------- */

/* A value that the user has set, in a register, or in memory for each of the lanes. */
static void apply_write(struct debug *d, const struct input *in)
{
	struct warp *w = run_find_warp(d, in->block, in->warp);

	if (in->space != SPACE_REG) {
		for (u32 l = 0; l < WARP_LANES; l++)
			if (in->lanes >> l & 1)
				state_write_memory(d, w, in->space, in->address, l, in->bytes, in->size);
		return;
	}
	struct frame *f = w ? state_frame(w, in->lanes, in->depth) : NULL;
	if (f)
		state_write_row(f->rows + in->address, in->bits, in->lanes, in->bytes);
}

void run_apply_inputs(struct debug *d)
{
	for (size_t k = first_input(d, d->position); k < d->inputs.count && d->inputs.items[k].position == d->position;
	     k++) {
		const struct input *in = &d->inputs.items[k];
		if (in->kind == INPUT_WRITE)
			apply_write(d, in);
		else
			d->direct = in->block == NO_BLOCK_INDEX ? NULL : run_find_warp(d, in->block, in->warp);
	}
}

/* Keeps something that the user does at this position, so that it can be done again when time comes past it. What lay
 * ahead of it is no longer what will happen: history_truncate forgets it. */
void run_note_input(struct debug *d, const struct input *in)
{
	struct input copy = *in;

	history_truncate(d);
	if (in->bytes) {
		copy.bytes = arena_alloc(d->arena, in->size + 1);
		memcpy(copy.bytes, in->bytes, in->size);
	}
	copy.position = d->position;
	VEC_PUSH(d->arena, &d->inputs, copy);
	run_apply_inputs(d);
}

/* The user lets a warp run first; NULL: the scheduler's order again. */
void run_schedule(struct debug *d, struct warp *w)
{
	if (d->direct == w)
		return;
	run_note_input(d, &(struct input){.kind = INPUT_SCHEDULE,
					  .block = w ? w->block->index : NO_BLOCK_INDEX,
					  .warp = w ? w->index : 0});
}
