/* SPDX-License-Identifier: Apache-2.0
 *
 * Straight runs that lanes are within.
 */
#include "exec/cut.h"

#include "exec/run.h"

/* Body instructions that accounting points before `insn` cover: see observe/flow.c, which numbers them so, too. */
static u32 counted_before(const struct code *code, u32 insn)
{
	u32 covered = 0;

	for (u32 k = 0; k < insn; k++)
		covered += code->insns[k].run;
	return covered;
}

/* The body instruction that `insn` is part of, or the next that there is. */
static u32 origin_of(const struct code *code, u32 insn)
{
	while (insn < code->insn_count && code->origin[insn] == NO_OPERAND)
		insn++;
	return insn < code->insn_count ? code->origin[insn] : (u32)code->function->body.count;
}

static void count_cut(void *context, struct warp *w, const struct code *code, u32 first, u32 end, u32 mask)
{
	struct grid *grid = w->grid;

	(void)context;
	w->worker->stats.warp_instructions += end - first;
	w->worker->stats.thread_instructions += (u64)(end - first) * (u32)__builtin_popcount(mask);
	for (u32 k = 0; k < grid->observer_count; k++)
		if (grid->observers[k]->cut)
			grid->observers[k]->cut(grid->observers[k]->context, w, code, first, end, mask);
}

/* Tells of the run that `insn` stands in, if it has begun. */
static void tell_run(struct warp *w, const struct code *code, u32 insn, u32 mask, open_run_fn *tell, void *context)
{
	const u32 first = counted_before(code, insn), end = origin_of(code, insn);

	if (end > first && mask)
		tell(context, w, code, first, end, mask);
}

void warp_cut(struct warp *w, const struct code *code, u32 insn, u32 mask)
{
	tell_run(w, code, insn, mask, count_cut, NULL);
}

static void tell_splits(struct warp *w, const struct split *s, open_run_fn *tell, void *context)
{
	for (; s; s = s->next) {
		const struct code *code = s->frame->code;
		/* One that waits for other lanes was counted when it came. */
		if (s->state != SPLIT_AT_WARP_SYNC)
			tell_run(w, code, (u32)(s->pc - grid_entry(w->grid, code)), s->mask, tell, context);
	}
}

void block_open_runs(const struct block *b, open_run_fn *tell, void *context)
{
	for (u32 k = 0; k < b->warp_count && !b->intact; k++) {
		tell_splits(&b->warps[k], b->warps[k].ready_head, tell, context);
		tell_splits(&b->warps[k], b->warps[k].waiting, tell, context);
	}
}

void block_cut(struct block *b) { block_open_runs(b, count_cut, NULL); }
