/* SPDX-License-Identifier: Apache-2.0
 *
 * What a stopped launch holds: blocks, warps, their splits and frames, and one number for all of it.
 *
 * Everything here is read off the grid while it stands still; warps and splits are where the scheduler keeps them, in
 * queues by state, and are shown in one form (struct debug_split), whatever queue they are in.
 */
#include <stdio.h>
#include <string.h>

#include "debug/internal.h"

enum debug_state debug_state(const struct debug *d) { return d->state; }

const struct launch *debug_launch(const struct debug *d) { return run_is_open(d) ? &d->launch : NULL; }
u32 debug_launch_number(const struct debug *d) { return d->launch_number; }
u64 debug_position(const struct debug *d) { return d->position; }
u64 debug_furthest(const struct debug *d) { return d->furthest; }
const struct fault *debug_fault(const struct debug *d) { return d->state == DEBUG_FAULTED ? &d->fault : NULL; }
struct debug_focus debug_focus(const struct debug *d) { return d->focus; }
const struct warp *debug_current_warp(const struct debug *d) { return d->current.w; }

const struct warp *debug_warp(const struct debug *d, u64 block, u32 warp) { return run_find_warp(d, block, warp); }

/* False, with a message: there is no such block, warp, lane or frame. The focus stays as it was. */
bool debug_set_focus(struct debug *d, struct debug_focus focus)
{
	const struct warp *w = run_find_warp(d, focus.block, focus.warp);
	struct debug_frame frames[1];

	if (!run_is_open(d))
		return debug_fail(d, "no kernel is running");
	if (!w && !run_find_warp(d, focus.block, 0))
		return debug_fail(d,
				  run_has_ended(d)
					  ? "block %llu has ended, and another one took its place: go back to see it"
					  : "block %llu is not resident: it has ended, or not begun",
				  (unsigned long long)focus.block);
	if (!w)
		return debug_fail(d, "block %llu has no warp %u", (unsigned long long)focus.block, focus.warp);
	if (focus.lane >= WARP_LANES || !(w->initial_mask >> focus.lane & 1))
		return debug_fail(d, "warp %u has no lane %u", focus.warp, focus.lane);
	const struct debug_focus before = d->focus;
	d->focus = focus;
	if (focus.frame && debug_frames(d, frames, 1) <= focus.frame) {
		d->focus = before;
		return debug_fail(d, "there is no frame %u", focus.frame);
	}
	return true;
}

void debug_block_index(const struct debug *d, u64 block, u32 ctaid[3])
{
	const u32 *grid = d->grid.size;

	ctaid[0] = (u32)(block % grid[0]);
	ctaid[1] = (u32)(block / grid[0] % grid[1]);
	ctaid[2] = (u32)(block / grid[0] / grid[1]);
}

void debug_thread_index(const struct debug *d, u32 warp, u32 lane, u32 tid[3])
{
	const u32 *shape = d->launch.block, t = warp * WARP_LANES + lane;

	tid[0] = t % shape[0];
	tid[1] = t / shape[0] % shape[1];
	tid[2] = t / shape[0] / shape[1];
}

/* Resident blocks: how many there are, of which the first `room` are listed. */
u32 debug_blocks(const struct debug *d, const struct block **blocks, u32 room)
{
	u32 count = 0;

	if (!run_is_open(d))
		return 0;
	for (const struct cluster *c = run_clusters(d); c; c = c->next)
		for (u32 r = 0; r < c->count; r++, count++)
			if (count < room)
				blocks[count] = c->blocks[r];
	return count;
}

/* --- Splits ------------------------------------------------------------------------------------- */

/* A barrier parks its lanes behind itself; for the user they stand at it. */
static void fill_split(const struct debug *d, const struct warp *w, const struct split *s, struct debug_split *to)
{
	static const enum debug_lanes states[] = {[SPLIT_READY] = DEBUG_READY,
						  [SPLIT_AT_WARP_SYNC] = DEBUG_AT_WARP_SYNC,
						  [SPLIT_AT_BARRIER] = DEBUG_AT_BARRIER,
						  [SPLIT_AT_CLUSTER] = DEBUG_AT_CLUSTER,
						  [SPLIT_AT_CONVERGENCE] = DEBUG_AT_WARP_SYNC};
	const bool behind =
		s->state == SPLIT_AT_BARRIER || s->state == SPLIT_AT_CLUSTER || s->state == SPLIT_AT_CONVERGENCE;
	const struct code *code = s->frame->code;
	const u32 at = (u32)(s->pc - grid_entry(w->grid, code));

	*to = (struct debug_split){
		.mask = s->mask, .state = states[s->state], .frame = s->frame, .join = s->join, .barrier = s->barrier};
	if (behind && code->origin[at - 1] < code->function->body.count)
		to->place = (struct debug_place){code, code->origin[at - 1]};
	else
		to->place = place_of_insn(d, code, at);
	if (s->state == SPLIT_AT_WARP_SYNC)
		to->waits_for = s->member_mask & w->live & ~s->mask;
}

/* Lanes that are executing while a condition is asked are in no queue. */
static u32 asking_split(const struct debug *d, const struct warp *w, struct debug_split *splits)
{
	const struct standing *s = &d->points.asking;

	if (s->w != w)
		return 0;
	*splits = (struct debug_split){.mask = s->mask,
				       .state = DEBUG_READY,
				       .next = true,
				       .frame = w->frame,
				       .join = w->join,
				       .place = place_of_insn(d, s->code, s->insn)};
	return 1;
}

/* The lanes that a fault stopped are in no queue. */
static u32 faulted_split(const struct debug *d, const struct warp *w, struct debug_split *splits, u32 count)
{
	const struct fault *f = &d->fault;
	u32 queued = 0;

	for (u32 k = 0; k < count; k++)
		queued |= splits[k].mask;
	if (d->state != DEBUG_FAULTED || w->block->index != f->block || w->index != f->warp || !w->frame ||
	    w->mask & queued || !w->mask)
		return count;
	memmove(splits + 1, splits, count * sizeof *splits);
	splits[0] = (struct debug_split){.mask = w->mask,
					 .state = DEBUG_READY,
					 .next = true,
					 .frame = w->frame,
					 .join = w->join,
					 .place = place_of_insn(d, f->code, (u32)(f->insn - f->code->insns))};
	if (splits[0].place.code && f->code->origin[f->insn - f->code->insns] < f->code->function->body.count)
		splits[0].place.instruction = f->code->origin[f->insn - f->code->insns];
	return count + 1;
}

struct debug_place debug_stack_place(const struct debug *d, const struct warp *w, size_t k)
{
	return place_of_pc(d, w->entry_frame->code, w->stack[k].pc);
}

/* A listing's lanes that wait on the reconvergence stack, the topmost entry first. */
static u32 stacked_splits(const struct debug *d, const struct warp *w, struct debug_split *splits, u32 count)
{
	u32 left = w->live;

	for (u32 k = 0; k < count; k++)
		left &= ~splits[k].mask;
	for (size_t k = w->stack_depth; k > 0 && left && count < WARP_LANES; k--) {
		const struct stack_entry *e = &w->stack[k - 1];
		if (!(e->mask & left))
			continue;
		splits[count++] = (struct debug_split){.mask = e->mask & left,
						       .state = DEBUG_ON_STACK,
						       .frame = w->entry_frame,
						       .stack = e->kind,
						       .place = debug_stack_place(d, w, k - 1)};
		left &= ~e->mask;
	}
	return count;
}

/* All lanes of the warp that live, each once, in this order: those that execute next, other ready ones, those that
 * wait, those at joins, and, of a listing, those on the stack. */
u32 debug_splits(const struct debug *d, const struct warp *w, struct debug_split splits[WARP_LANES])
{
	u32 count = asking_split(d, w, splits);

	for (const struct split *s = w->ready_head; s && count < WARP_LANES; s = s->next)
		fill_split(d, w, s, &splits[count++]);
	if (count)
		splits[0].next = true;
	for (const struct split *s = w->waiting; s && count < WARP_LANES; s = s->next)
		fill_split(d, w, s, &splits[count++]);
	for (const struct join *j = w->open_joins; j && count < WARP_LANES; j = j->next_open)
		if (j->arrived)
			splits[count++] = (struct debug_split){.mask = j->arrived,
							       .state = DEBUG_AT_JOIN,
							       .frame = j->frame,
							       .join = j,
							       .waits_for = j->expected & ~j->arrived,
							       .place = place_of_pc(d, j->frame->code, j->pc)};
	count = count < WARP_LANES ? faulted_split(d, w, splits, count) : count;
	return stacked_splits(d, w, splits, count);
}

/* The number of a join in the order of debug_joins; -1: it is none of the first `room`. */
static s32 number_of_join(const struct warp *w, const struct join *wanted, u32 room)
{
	s32 number = 0;

	for (const struct join *j = w->open_joins; j && (u32)number < room; j = j->next_open, number++)
		if (j == wanted)
			return number;
	return -1;
}

u32 debug_joins(const struct debug *d, const struct warp *w, struct debug_join *joins, u32 room)
{
	u32 count = 0;

	for (const struct join *j = w->open_joins; j; j = j->next_open, count++)
		if (count < room)
			joins[count] = (struct debug_join){.expected = j->expected,
							   .arrived = j->arrived,
							   .parent = number_of_join(w, j->parent, room),
							   .is_return = j->is_return,
							   .place = place_of_pc(d, j->frame->code, j->pc),
							   .join = j};
	return count;
}

bool debug_focus_split(const struct debug *d, struct debug_split *split)
{
	const struct warp *w = run_find_warp(d, d->focus.block, d->focus.warp);
	struct debug_split splits[WARP_LANES];
	const u32 count = w ? debug_splits(d, w, splits) : 0;

	for (u32 k = 0; k < count; k++)
		if (splits[k].mask >> d->focus.lane & 1) {
			*split = splits[k];
			return true;
		}
	return false;
}

/* --- Frames ------------------------------------------------------------------------------------- */

/* Where the caller of `f` goes on, and for which lanes: the join at which its call returns. */
static const struct join *return_of(const struct warp *w, const struct frame *f)
{
	for (const struct join *j = w->open_joins; j; j = j->next_open)
		if (j->is_return && j->callee == f)
			return j;
	return NULL;
}

/* A lane that has exited left its registers in the kernel's frame: it stands at the kernel's end. */
static bool ended_frame(const struct debug *d, const struct warp *w, struct debug_frame *to)
{
	const struct frame *f = w ? w->entry_frame : NULL;

	if (!f || w->live >> d->focus.lane & 1 || !(w->initial_mask >> d->focus.lane & 1) ||
	    !f->code->function->body.count)
		return false;
	*to = (struct debug_frame){{f->code, (u32)f->code->function->body.count - 1}, f, w->initial_mask & ~w->live};
	return true;
}

/* From the innermost frame out. The caller is found by the join at which the call returns; its place is the call. */
u32 debug_frames(const struct debug *d, struct debug_frame *frames, u32 room)
{
	const struct warp *w = run_find_warp(d, d->focus.block, d->focus.warp);
	struct debug_frame last;
	struct debug_split s;
	u32 count = 0;

	if (!w || !debug_focus_split(d, &s)) {
		if (!ended_frame(d, w, room ? frames : &last))
			return 0;
		return 1;
	}
	struct debug_frame at = {s.place, s.frame, s.mask};
	for (const struct frame *f = s.frame;;) {
		if (count < room)
			frames[count] = at;
		count++;
		const struct join *j = return_of(w, f);
		if (!j)
			return count;
		const u32 call = (u32)(j->pc - grid_entry(w->grid, j->frame->code)) - 1;
		f = j->frame;
		at = (struct debug_frame){{f->code, f->code->origin[call]}, f, j->expected};
	}
}

/* The focused frame; false: there is none. */
static bool focus_frame(const struct debug *d, struct debug_frame *to)
{
	const struct warp *w = run_find_warp(d, d->focus.block, d->focus.warp);
	struct debug_split s;

	if (!w || !debug_focus_split(d, &s))
		return !d->focus.frame && ended_frame(d, w, to);
	*to = (struct debug_frame){s.place, s.frame, s.mask};
	for (u32 n = d->focus.frame; n > 0; n--) {
		const struct join *j = return_of(w, to->frame);
		if (!j)
			return false;
		const u32 call = (u32)(j->pc - grid_entry(w->grid, j->frame->code)) - 1;
		*to = (struct debug_frame){{j->frame->code, j->frame->code->origin[call]}, j->frame, j->expected};
	}
	return true;
}

bool debug_focus_frame(const struct debug *d, struct debug_frame *frame) { return focus_frame(d, frame); }

bool debug_focus_place(const struct debug *d, struct debug_place *place)
{
	struct debug_frame f;

	if (!focus_frame(d, &f) || !f.place.code)
		return false;
	*place = f.place;
	return true;
}

/* The frame of given depth that these lanes are in, wherever they stand; NULL: they are not that deep. Used to apply a
 * recorded change of a register again. */
struct frame *state_frame(const struct warp *w, u32 lanes, u32 depth)
{
	struct frame *f = NULL;

	for (const struct split *s = w->ready_head; s && !f; s = s->next)
		if (s->mask & lanes)
			f = s->frame;
	for (const struct split *s = w->waiting; s && !f; s = s->next)
		if (s->mask & lanes)
			f = s->frame;
	for (const struct join *j = w->open_joins; j && !f; j = j->next_open)
		if (j->arrived & lanes)
			f = j->frame;
	if (!f && w->mask & lanes)
		f = w->frame;
	while (f && f->depth > depth)
		f = f->caller;
	return f && f->depth == depth ? f : NULL;
}

/* --- The hash ----------------------------------------------------------------------------------- */

static u64 mix(u64 h, const void *bytes, size_t length)
{
	const u8 *p = bytes;
	u64 word;

	for (; length >= 8; p += 8, length -= 8) {
		memcpy(&word, p, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	word = length;
	if (length)
		memcpy(&word, p, length);
	h = (h ^ word) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 32;
}

static u64 mix_word(u64 h, u64 word) { return mix(h, &word, sizeof word); }

static u64 mix_pc(u64 h, const struct warp *w, const struct frame *f, const struct insn *pc)
{
	h = mix_word(h, f->code->index);
	return mix_word(h, (u64)(pc - grid_entry(w->grid, f->code)));
}

static u64 mix_frames(u64 h, const struct frame *f)
{
	for (; f; f = f->caller) {
		h = mix(h, f->rows, f->code->register_bytes);
		h = mix_word(h, f->local_base ^ f->local_top << 32);
	}
	return h;
}

static u64 mix_split(u64 h, const struct warp *w, const struct split *s)
{
	h = mix_pc(h, w, s->frame, s->pc);
	h = mix_word(h, s->mask | (u64)s->state << 32 | (u64)s->resumed << 40);
	if (s->state == SPLIT_AT_WARP_SYNC || s->resumed)
		h = mix(h, s->exchange, sizeof s->exchange);
	return mix_frames(h, s->frame);
}

static u64 mix_warp(u64 h, const struct warp *w)
{
	h = mix_word(h, w->live | (u64)w->carry << 32);
	h = mix_word(h, w->issued);
	for (const struct split *s = w->ready_head; s; s = s->next)
		h = mix_split(h, w, s);
	for (const struct split *s = w->waiting; s; s = s->next)
		h = mix_split(h, w, s);
	for (const struct join *j = w->open_joins; j; j = j->next_open) {
		h = mix_pc(h, w, j->frame, j->pc);
		h = mix_word(h, j->expected | (u64)j->arrived << 32);
		h = mix_frames(h, j->frame);
	}
	return w->local ? mix(h, w->local, w->local_bytes * WARP_LANES) : h;
}

static u64 mix_block(u64 h, const struct block *b)
{
	h = mix_word(h, b->index);
	h = mix_word(h, b->live_threads);
	for (u32 k = 0; k < BARRIERS_PER_BLOCK; k++) {
		h = mix_word(h, b->barriers[k].arrived | (u64)b->barriers[k].expected << 32);
		h = mix_word(h, b->barriers[k].phase);
	}
	h = mix(h, b->shared, b->shared_bytes);
	for (u32 k = 0; k < b->warp_count; k++)
		h = mix_warp(h, &b->warps[k]);
	return h;
}

/* Equal for equal states, on any machine: program counters are hashed as indices, never host addresses. Tests compare
 * it before and after going back. */
u64 debug_state_hash(struct debug *d)
{
	u64 h = mix_word(d->launch_number, d->output.length);

	h = mix(h, d->output.text, d->output.length);
	if (!run_is_open(d))
		return h;
	for (const struct cluster *c = d->grid.workers[0].active; c; c = c->next) {
		h = mix_word(h, c->arrived | c->phase << 32);
		for (u32 r = 0; r < c->count; r++)
			h = mix_block(h, c->blocks[r]);
	}
	h = mix_word(h, d->grid.next_cluster ^ d->launch.memory->heap_bytes << 20);
	for (u32 k = 0; k < d->launch.memory->count; k++) {
		const struct allocation *a = &d->launch.memory->list[k];
		if (!a->size)
			continue;
		h = mix_word(h, a->base);
		h = mix(h, a->host, a->size);
	}
	return h;
}
