/* SPDX-License-Identifier: Apache-2.0
 *
 * The records of asynchronous operations: entering one, finding it by its number, ending it, and naming it in messages. Both
 * halves of the strict checker use them: async_check.c, which enters and judges, and async_watch.c, which sees ordinary
 * instructions.
 */
#include <stdio.h>
#include <string.h>

#include "observe/async_records.h"

void async_place(const struct code *code, u32 insn, char text[ASYNC_PLACE_TEXT])
{
	const u32 origin = insn < code->insn_count ? code->origin[insn] : NO_OPERAND;
	char name[108], source[FAULT_SOURCE_TEXT];
	struct fault_place p;

	if (origin >= code->function->body.count) {
		snprintf(text, ASYNC_PLACE_TEXT, "an instruction of %.100s", code->name);
		return;
	}
	fault_find_place(code, insn, &p);
	fault_place_source(&p, source);
	isa_form_text(&code->forms[origin], name, sizeof name);
	snprintf(text, ASYNC_PLACE_TEXT, "'%s' at %.60s:%u:%u%s", name, fault_path_end(p.file, 60), p.line, p.column,
		 source);
}

const struct code *async_site_code(const struct grid *grid, u32 site, u32 *insn)
{
	u32 c = grid->program->code_count - 1;

	while (c && grid->async_watch->bases[c] > site)
		c--;
	*insn = site - grid->async_watch->bases[c];
	return grid->program->codes[c];
}

void async_site_place(const struct grid *grid, u32 site, char text[ASYNC_PLACE_TEXT])
{
	u32 insn;
	const struct code *code = async_site_code(grid, site, &insn);

	async_place(code, insn, text);
}

struct fault_act async_act(const struct async_op *op)
{
	const u32 lanes = op->pending | op->reading | op->held | op->held_reading;

	return (struct fault_act){op->code, op->insn, op->warp->block->index,
				  op->warp->index * WARP_LANES + (lanes ? (u32)__builtin_ctz(lanes) : 0)};
}

struct async_op *async_find(const struct async_records *c, u32 id)
{
	struct async_op *op = c->buckets[id % ASYNC_BUCKETS];

	while (op && op->id != id)
		op = op->next_of_bucket;
	return op;
}

/* From the free list, keeping the memory of its list of ranges. Numbers wrap after 2^27: a shadow entry that old means
 * nothing. */
struct async_op *async_record_new(struct async_records *c)
{
	struct async_op *op = c->unused;

	if (op)
		c->unused = op->next;
	else
		op = ARENA_NEW(c->arena, struct async_op);
	const struct async_bytes *items = op->global.items;
	const size_t capacity = op->global.capacity;
	memset(op, 0, sizeof *op);
	op->global.items = (struct async_bytes *)(uintptr_t)items;
	op->global.capacity = capacity;
	op->low = UINT64_MAX;
	op->id = ++c->newest & (UINT32_MAX >> ASYNC_LANE_BITS);
	if (!op->id)
		op->id = c->newest = 1;
	op->next_of_bucket = c->buckets[op->id % ASYNC_BUCKETS];
	c->buckets[op->id % ASYNC_BUCKETS] = op;
	op->next = c->live;
	if (c->live)
		c->live->previous = op;
	c->live = op;
	c->touched = true;
	return op;
}

void async_record_end(struct async_records *c, struct async_op *op)
{
	struct async_op **at = &c->buckets[op->id % ASYNC_BUCKETS];

	while (*at != op)
		at = &(*at)->next_of_bucket;
	*at = op->next_of_bucket;
	if (op->previous)
		op->previous->next = op->next;
	else
		c->live = op->next;
	if (op->next)
		op->next->previous = op->previous;
	op->next = c->unused;
	c->unused = op;
}

/* A record lives as long as any lane's bytes are held. */
static void end_if_over(struct async_records *c, struct async_op *op)
{
	if (!op->held && !op->held_reading)
		async_record_end(c, op);
}

/* The warp has executed something that orders memory: what it waited for is now free for others. */
void async_meet(struct warp *w)
{
	struct async_records *c = async_records_of(w);

	async_warp(w)->sync_time = ++c->now;
	for (struct async_op *op = c->live, *next; op; op = next) {
		next = op->next;
		if (op->counted && op->home == w->block && op->seen >> w->index & 1) {
			op->pending &= ~op->counted;
			op->reading &= ~op->counted;
			op->held &= ~op->counted;
			op->held_reading &= ~op->counted;
		}
		if (op->warp == w) {
			op->held = op->pending;
			op->held_reading = op->reading;
		}
		end_if_over(c, op);
	}
}
