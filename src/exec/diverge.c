/* SPDX-License-Identifier: Apache-2.0
 *
 * Divergence: splits, joins, calls, exits, and the waiting of .sync instructions.
 *
 * Joins form a tree by `parent`. A join's `expected` lanes are those that diverged below it and
 * have not exited; when all have arrived they go on as one split. On targets with independent
 * thread scheduling a join also gives way: when nothing else in the warp can run, or the rest
 * only spins, those that have arrived go on alone.
 */
#include <string.h>

#include "exec/internal.h"

/* --- Storage ------------------------------------------------------------------------------- */

static struct split *new_split(struct warp *w)
{
	struct split *s = w->free_splits;

	if (s)
		w->free_splits = s->next;
	else
		s = ARENA_NEW(&w->worker->arena, struct split);
	s->next = NULL;
	s->resumed = false;
	s->state = SPLIT_READY;
	return s;
}

static void free_split(struct warp *w, struct split *s)
{
	s->next = w->free_splits;
	w->free_splits = s;
}

static struct join *new_join(struct warp *w)
{
	struct join *j = w->free_joins;

	if (j)
		w->free_joins = j->parent;
	else
		j = ARENA_NEW(&w->worker->arena, struct join);
	memset(j, 0, sizeof *j);
	j->next_open = w->open_joins;
	w->open_joins = j;
	return j;
}

static void free_join(struct warp *w, struct join *j)
{
	struct join **at = &w->open_joins;

	while (*at != j)
		at = &(*at)->next_open;
	*at = j->next_open;
	if (j->is_return)
		frame_free(w, j->callee);
	j->parent = w->free_joins;
	w->free_joins = j;
}

/* --- Ready splits -------------------------------------------------------------------------- */

static void push_ready(struct warp *w, struct split *s)
{
	s->state = SPLIT_READY;
	s->next = w->ready_head;
	w->ready_head = s;
	if (!w->ready_tail)
		w->ready_tail = s;
}

static void append_ready(struct warp *w, struct split *s)
{
	s->state = SPLIT_READY;
	s->next = NULL;
	if (w->ready_tail)
		w->ready_tail->next = s;
	else
		w->ready_head = s;
	w->ready_tail = s;
}

static void make_ready(struct warp *w, const struct insn *pc, u32 mask, struct join *join, struct frame *frame)
{
	struct split *s = new_split(w);

	s->pc = pc;
	s->mask = mask;
	s->join = join;
	s->frame = frame;
	push_ready(w, s);
}

/* Moves the running split into storage, to go on at pc. */
static struct split *store_running(struct warp *w, const struct insn *pc)
{
	struct split *s = new_split(w);

	s->pc = pc;
	s->mask = w->mask;
	s->join = w->join;
	s->frame = w->frame;
	return s;
}

static const struct insn *load_split(struct warp *w, struct split *s)
{
	const struct insn *pc = s->pc;

	w->mask = s->mask;
	w->join = s->join;
	w->frame = s->frame;
	w->rows = s->frame->rows;
	w->resumed = s->resumed;
	w->member_mask = s->member_mask;
	if (s->resumed)
		memcpy(w->exchange, s->exchange, sizeof s->exchange);
	free_split(w, s);
	return pc;
}

/* Lets lanes that wait at incomplete joins go on alone. True if there were any. */
static bool release_joins(struct warp *w)
{
	bool any = false;

	for (struct join *j = w->open_joins, *next; j; j = next) {
		next = j->next_open;
		const u32 lanes = j->arrived;
		if (!lanes)
			continue;
		any = true;
		j->expected &= ~lanes;
		j->arrived = 0;
		make_ready(w, j->pc, lanes, j->parent, j->frame);
		if (!j->expected)
			free_join(w, j);
	}
	return any;
}

const struct insn *warp_next(struct warp *w)
{
	w->resumed = false;
	if (!w->ready_head && w->live && w->machine->independent)
		release_joins(w);
	struct split *s = w->ready_head;
	if (s) {
		w->ready_head = s->next;
		if (!w->ready_head)
			w->ready_tail = NULL;
		return load_split(w, s);
	}
	w->mask = 0;
	w->stop = w->live ? STOP_WAITING : STOP_FINISHED;
	return NULL;
}

const struct insn *warp_yield(struct warp *w, const struct insn *pc)
{
	append_ready(w, store_running(w, pc));
	if (w->machine->independent)
		release_joins(w);
	w->mask = 0;
	w->resumed = false;
	w->stop = STOP_YIELD;
	return NULL;
}

const struct insn *warp_suspend(struct warp *w, const struct insn *i, s32 done)
{
	push_ready(w, store_running(w, i));
	w->worker->elapsed += w->issued + (u64)done - w->counted;
	w->counted = w->issued + (u64)done;
	w->mask = 0;
	w->suspended = true;
	w->stop = STOP_SUSPENDED;
	return NULL;
}

/* --- Branches ------------------------------------------------------------------------------ */

const struct insn *warp_diverge(struct warp *w, u32 taken, const struct insn *target, const struct insn *next,
				const struct insn *join_pc)
{
	const u32 rest = w->mask & ~taken;
	struct join *j = w->join;

	w->divergent_branches++;
	if (join_pc && !(j && j->pc == join_pc && !j->is_return)) {
		j = new_join(w);
		j->pc = join_pc;
		j->expected = w->mask;
		j->parent = w->join;
		j->frame = w->frame;
		w->join = j;
	}
	if (j && !j->is_return && target == j->pc)
		j->arrived |= taken;
	else
		make_ready(w, target, taken, j, w->frame);
	w->mask = rest;
	return next;
}

void warp_split(struct warp *w, u32 lanes, const struct insn *pc)
{
	make_ready(w, pc, lanes, w->join, w->frame);
	w->mask &= ~lanes;
}

/* A join whose last lane has arrived or exited. */
static void complete_join(struct warp *w, struct join *j)
{
	if (j->arrived && j->arrived == j->expected) {
		make_ready(w, j->is_return ? j->pc : j->pc + 1, j->arrived, j->parent, j->frame);
		free_join(w, j);
	} else if (!j->expected) {
		free_join(w, j);
	}
}

const struct insn *warp_arrive(struct warp *w)
{
	struct join *j = w->join;

	j->arrived |= w->mask;
	if (j->arrived != j->expected)
		return warp_next(w);
	const struct insn *pc = j->is_return ? j->pc : j->pc + 1;
	w->mask = j->arrived;
	w->join = j->parent;
	w->frame = j->frame;
	w->rows = w->frame->rows;
	free_join(w, j);
	return pc;
}

const struct insn *warp_exit(struct warp *w)
{
	const u32 lanes = w->mask;
	struct join *j = w->join;

	w->live &= ~lanes;
	while (j) {
		struct join *parent = j->parent;
		j->expected &= ~lanes;
		complete_join(w, j);
		j = parent;
	}
	warp_recheck_sync(w);
	block_lanes_exited(w, lanes);
	return warp_next(w);
}

/* --- Waiting ------------------------------------------------------------------------------- */

struct split *warp_store(struct warp *w, const struct insn *pc, enum split_state state)
{
	struct split *s = store_running(w, pc);

	s->state = state;
	s->next = w->waiting;
	w->waiting = s;
	return s;
}

const struct insn *warp_park(struct warp *w, const struct insn *pc, enum split_state state)
{
	warp_store(w, pc, state);
	return warp_next(w);
}

void warp_wake(struct warp *w, struct split *s)
{
	struct split **at = &w->waiting;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	append_ready(w, s);
}

/* Are all lanes of `members` that still live parked at a .sync instruction with that mask? */
static bool sync_complete(const struct warp *w, u32 members)
{
	u32 there = 0;

	for (const struct split *s = w->waiting; s; s = s->next)
		if (s->state == SPLIT_AT_WARP_SYNC && s->member_mask == members)
			there |= s->mask;
	return (members & w->live & ~there) == 0 && there;
}

static void sync_release(struct warp *w, u32 members)
{
	u64 exchange[WARP_LANES] = {0};
	u32 there = 0;

	for (const struct split *s = w->waiting; s; s = s->next)
		if (s->state == SPLIT_AT_WARP_SYNC && s->member_mask == members) {
			there |= s->mask;
			for (int l = 0; l < WARP_LANES; l++)
				if (s->mask >> l & 1)
					exchange[l] = s->exchange[l];
		}
	for (struct split *s = w->waiting, *next; s; s = next) {
		next = s->next;
		if (s->state != SPLIT_AT_WARP_SYNC || s->member_mask != members)
			continue;
		memcpy(s->exchange, exchange, sizeof exchange);
		s->resumed = true;
		s->member_mask = there;
		warp_wake(w, s);
	}
}

void warp_recheck_sync(struct warp *w)
{
	for (struct split *s = w->waiting; s; s = s->next)
		if (s->state == SPLIT_AT_WARP_SYNC && sync_complete(w, s->member_mask)) {
			sync_release(w, s->member_mask);
			s = w->waiting;
			if (!s)
				return;
		}
}

static void save_operand(struct split *s, const struct insn *i, const u8 *row, u32 bits)
{
	for (u32 l = 0; l < WARP_LANES; l++)
		s->exchange[l] = bits == 64   ? ((const u64 *)row)[l]
				 : bits == 32 ? ((const u32 *)row)[l]
					      : (*(const u32 *)row >> l ^ i->aux) & 1;
}

bool warp_sync(struct warp *w, const struct insn *i, u32 mask, u32 members, const u8 *rows, u32 operand, u32 bits,
	       const struct insn **next)
{
	if (w->resumed) {
		w->resumed = false;
		w->exchanging = true;
		return true;
	}
	w->exchanging = false;
	warp_account(w, i);
	if ((members & mask) != mask) {
		*next = warp_fault(w, i, FAULT_BAD_MASK, mask & ~members,
				   "the member mask is 0x%08x, the executing lanes are 0x%08x", members, mask);
		return false;
	}
	w->member_mask = members & w->live;
	if ((members & w->live & ~mask) == 0)
		return true;
	struct split *s = warp_store(w, i, SPLIT_AT_WARP_SYNC);
	s->member_mask = members;
	if (operand != NO_OPERAND)
		save_operand(s, i, rows + operand, bits);
	if (sync_complete(w, members))
		sync_release(w, members);
	*next = warp_next(w);
	return false;
}

/* --- Calls --------------------------------------------------------------------------------- */

static void transfer(struct warp *w, u32 mask, const struct call_transfer *t, const u8 *from_rows, u64 from_base,
		     u32 from, u8 *to_rows, u64 to_base, u32 to, u32 from_bits, u32 to_bits)
{
	u32 count = t->bytes;

	if (t->predicate) {
		u32 *bits = (u32 *)(to_rows + to);
		*bits = (*bits & ~mask) | (*(const u32 *)(from_rows + from) & mask);
		return;
	}
	/* A prototype may have wider registers than the function that is called through it. */
	if (t->from_register)
		count = min_u32(count, from_bits / 8);
	if (t->to_register)
		count = min_u32(count, to_bits / 8);
	for (u32 l = 0; l < WARP_LANES; l++) {
		u8 bytes[16] = {0};
		if (!(mask >> l & 1))
			continue;
		for (u32 at = 0; at < count; at += 4) {
			const u32 step = min_u32(4, count - at);
			if (t->from_kernel_param)
				memcpy(bytes, w->machine->launch->params + from + at, step);
			else if (!t->from_register)
				memcpy(bytes, local_word(w, from_base + from + at, l), step);
			else
				memcpy(bytes, from_rows + from + (size_t)l * (from_bits / 8) + at, step);
			if (t->to_register)
				memcpy(to_rows + to + (size_t)l * (to_bits / 8) + at, bytes, step);
			else
				memcpy(local_word(w, to_base + to + at, l), bytes, step);
		}
	}
}

/* A register operand's lane width, from the bytes that travel. */
static u32 lane_bits(u32 bytes) { return bytes <= 4 ? 32 : bytes <= 8 ? 64 : 128; }

/* Where the callee keeps a parameter or result that a transfer names; NULL: it has no such register. */
static const struct row_place *formal_place(const struct call_site *site, const struct code *callee, u32 register_index,
					    u32 element, bool is_result)
{
	const struct ir_function *f = callee->function;
	const size_t count = is_result ? f->return_registers.count : f->param_registers.count;

	if (!site->is_indirect)
		return &callee->registers[register_index + element];
	if (register_index >= count)
		return NULL;
	const struct ir_register *r =
		is_result ? f->return_registers.items[register_index] : f->param_registers.items[register_index];
	return r && element < r->vector ? &callee->registers[r->index + element] : NULL;
}

static void copy_in(struct warp *w, const struct call_site *site, const struct frame *caller,
		    const struct frame *callee, u32 mask)
{
	for (u32 k = 0; k < site->in_count; k++) {
		const struct call_transfer *t = &site->in[k];
		const struct row_place *p =
			t->to_register ? formal_place(site, callee->code, t->to, t->element, false) : NULL;
		if (t->to_register && !p)
			continue; /* called through a prototype that is not the function's */
		transfer(w, mask, t, caller->rows, caller->local_base, t->from, callee->rows, callee->local_base,
			 p ? p->offset : t->to, lane_bits(t->bytes), p ? p->bits : 0);
	}
}

static void copy_out(struct warp *w, const struct call_site *site, const struct frame *caller,
		     const struct frame *callee, u32 mask)
{
	for (u32 k = 0; k < site->out_count; k++) {
		const struct call_transfer *t = &site->out[k];
		const struct row_place *p =
			t->from_register ? formal_place(site, callee->code, t->from, t->element, true) : NULL;
		if (t->from_register && !p)
			continue;
		transfer(w, mask, t, callee->rows, callee->local_base, p ? p->offset : t->from, caller->rows,
			 caller->local_base, t->to, p ? p->bits : 0, lane_bits(t->bytes));
	}
}

const struct insn *warp_call(struct warp *w, const struct insn *i, const struct call_site *site,
			     const struct code *target, u32 mask)
{
	struct frame *caller = w->frame;

	if (caller->depth >= CALL_DEPTH_MAX)
		return warp_fault(w, i, FAULT_STACK_OVERFLOW, mask, "calls are nested more than %d deep",
				  CALL_DEPTH_MAX);
	const u64 base = (caller->local_top + target->local_align - 1) & ~(target->local_align - 1);
	u64 bytes = target->local_bytes;
	for (u32 k = 0; k < site->in_count && site->is_indirect; k++)
		bytes = max_u64(bytes, site->in[k].to_register ? 0 : (u64)site->in[k].to + site->in[k].bytes);
	for (u32 k = 0; k < site->out_count && site->is_indirect; k++)
		bytes = max_u64(bytes, site->out[k].from_register ? 0 : (u64)site->out[k].from + site->out[k].bytes);
	if (!warp_local_reserve(w, i, base + bytes))
		return NULL;
	struct frame *callee = frame_new(w, target, base);
	callee->caller = caller;
	callee->depth = caller->depth + 1;
	copy_in(w, site, caller, callee, mask);
	struct join *j = new_join(w);
	j->pc = i + 1;
	j->expected = mask;
	j->parent = w->join;
	j->frame = caller;
	j->callee = callee;
	j->is_return = true;
	j->site = site;
	w->join = j;
	w->frame = callee;
	w->rows = callee->rows;
	return machine_entry(w->machine, target);
}

const struct insn *warp_return(struct warp *w)
{
	/* Joins of the function itself that are still open above its return no longer wait for these lanes:
	 * a return inside a divergent region. */
	for (struct join *j = w->join; j && !j->is_return;) {
		struct join *parent = j->parent;
		j->expected &= ~w->mask;
		complete_join(w, j);
		w->join = parent;
		j = parent;
	}
	const struct join *j = w->join;
	copy_out(w, j->site, j->frame, w->frame, w->mask);
	return warp_arrive(w);
}

void warp_start(struct warp *w, const struct code *code)
{
	w->ready_head = w->ready_tail = w->waiting = NULL;
	w->open_joins = NULL;
	w->stack_depth = 0;
	w->lock_loop = NULL;
	w->mask = 0;
	w->join = NULL;
	w->frame = NULL;
	w->entry_frame->local_top = code->local_bytes;
	w->fresh = w->local_bytes >= code->local_bytes || warp_local_reserve(w, code->insns, code->local_bytes);
	/* Whoever looks at a launch that is stepped through sees splits. */
	if (w->fresh && !w->machine->gang_limit)
		warp_enter(w);
}

void warp_enter(struct warp *w)
{
	w->fresh = false;
	warp_stand(w, machine_entry(w->machine, w->machine->kernel->code));
}

void warp_stand_apart(struct warp *w, const struct insn *pc, u32 mask, struct join *join)
{
	make_ready(w, pc, mask, join, w->entry_frame);
}

struct join *warp_open_join(struct warp *w, const struct insn *pc, u32 expected, u32 arrived, struct join *parent)
{
	struct join *j = new_join(w);

	j->pc = pc;
	j->expected = expected;
	j->arrived = arrived;
	j->parent = parent;
	j->frame = w->entry_frame;
	return j;
}

void warp_stand(struct warp *w, const struct insn *pc) { make_ready(w, pc, w->live, NULL, w->entry_frame); }

const struct insn *warp_stands(const struct warp *w)
{
	const struct split *s = w->ready_head;

	if (!s || s->next || w->waiting || w->open_joins || s->resumed || s->mask != w->live ||
	    s->frame != w->entry_frame)
		return NULL;
	return s->pc;
}

void warp_give_way(struct warp *w)
{
	struct split *s = w->ready_head;

	w->ready_head = s->next;
	if (!w->ready_head)
		w->ready_tail = NULL;
	append_ready(w, s);
	if (w->machine->independent)
		release_joins(w);
}

bool warp_is_whole(const struct warp *w)
{
	return w->mask == w->live && w->frame == w->entry_frame && !w->join && !w->stack_depth;
}

const struct insn *warp_rest(struct warp *w, const struct insn *pc)
{
	push_ready(w, store_running(w, pc));
	w->mask = 0;
	w->resumed = false;
	w->spins = 0;
	w->stop = STOP_YIELD;
	return NULL;
}

void warp_take(struct warp *w)
{
	free_split(w, w->ready_head);
	w->ready_head = w->ready_tail = NULL;
}
