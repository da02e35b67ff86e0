/* SPDX-License-Identifier: Apache-2.0
 *
 * Agents. To know an agent up to a time is to come after all that it began until then. So operations that are waited for
 * apart have different agents, as far as their numbers last; where they share one, that errs towards order.
 */
#include "observe/race_async.h"

enum agent {
	AGENT_BULK,      /* bulk groups: what they write */
	AGENT_BULK_READ, /* what they read, which can be waited for alone */
	AGENT_WGMMA,
	AGENT_COUNTED, /* and those behind it: of operations that mbarriers count, one after the other */
	AGENTS = 1 << RACE_AGENT_BITS
};

static u32 agent_block(const struct async_op *op, enum agent agent)
{
	return RACE_AGENT | (u32)op->warp->block->index << RACE_AGENT_BITS | agent;
}

static enum agent agent_of(const struct async_op *op, bool is_store)
{
	switch (op->kind) {
	case ASYNC_BULK:
		return is_store ? AGENT_BULK : AGENT_BULK_READ;
	case ASYNC_WGMMA:
		return AGENT_WGMMA;
	default:
		return AGENT_COUNTED + op->id % (AGENTS - AGENT_COUNTED);
	}
}

void race_async_range(struct race_memory *r, struct warp *w, const struct insn *i, u32 site, struct async_op *op,
		      const struct race_async_bytes *bytes)
{
	if (!op->time)
		op->time = ++r->clocks.now;
	const struct race_touch a = {.r = r,
				     .own = race_block_of(r, w->block),
				     .w = w,
				     .i = i,
				     .site = site,
				     .reads = !bytes->is_store,
				     .writes = bytes->is_store,
				     .scope = op->reduces && bytes->is_store ? RACE_GPU : RACE_WEAK,
				     .apart = true,
				     .agent = agent_block(op, agent_of(op, bytes->is_store)),
				     .began = op->time,
				     /* Of machine code, these fences are not known. */
				     .by_proxy = !bytes->is_store && bytes->space == SPACE_GLOBAL &&
						 !op->code->function->machine};

	race_resume(&r->clocks, a.own, w);
	if (bytes->space == SPACE_SHARED)
		race_touch_shared(&a, bytes->lane, bytes->address, bytes->size);
	else
		race_touch_range(&a, bytes->lane, bytes->address, bytes->size);
}

static struct race_set *ended(struct race_memory *r, const struct async_op *op, enum agent agent, u32 lanes)
{
	return race_set_of_lanes(&r->clocks.sets, agent_block(op, agent), op->warp->index, lanes, op->time);
}

void race_async_waited(struct race_memory *r, struct warp *w, const struct async_op *op, u32 lanes, bool reading)
{
	struct race_block *own = race_block_of(r, w->block);
	const u32 told = op->kind == ASYNC_WGMMA ? w->live : lanes;

	if (!op->time)
		return;
	race_resume(&r->clocks, own, w);
	struct race_set *s = ended(r, op, agent_of(op, false), lanes);
	race_learn(&r->clocks, own, w, told, s);
	race_set_drop(&r->clocks.sets, s);
	if (reading || op->kind != ASYNC_BULK)
		return;
	s = ended(r, op, AGENT_BULK, lanes);
	race_learn(&r->clocks, own, w, told, s);
	race_set_drop(&r->clocks.sets, s);
}

void race_async_counted(struct race_memory *r, const struct async_op *op)
{
	const u64 key = (u64)(uintptr_t)op->mbarrier;
	const u32 life = race_block_of(r, op->home)->life;
	struct race_location *at = op->time ? race_location_find(&r->clocks, key, life) : NULL;

	if (!op->time)
		return;
	if (!at)
		at = race_location_new(&r->clocks, key, life);
	struct race_set *s = ended(r, op, agent_of(op, false), op->counted);
	race_set_add(&r->clocks.sets, &at->done, s);
	race_set_drop(&r->clocks.sets, s);
}
