/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks' own sums. A block runs on one worker, so nothing is shared between workers but the table of pointers,
 * of which each is written by one.
 */
#include "observe/blocks.h"

#include <string.h>

enum { WORKERS = 256 };

struct blocks {
	u64 count;
	struct block_account **accounts; /* by block; NULL until it has started in some launch */
	bool *started;                   /* in this launch */
	struct arena arenas[WORKERS];
};

struct blocks *blocks_new(struct arena *arena, u64 count)
{
	struct blocks *b = ARENA_NEW(arena, struct blocks);

	b->count = count;
	b->accounts = arena_array(arena, count, sizeof(struct block_account *));
	b->started = arena_array(arena, count, sizeof(bool));
	return b;
}

void blocks_free(struct blocks *b)
{
	for (u32 k = 0; k < WORKERS; k++)
		if (b->arenas[k].chunks)
			arena_free(&b->arenas[k]);
}

void blocks_begin(struct blocks *b)
{
	memset(b->started, 0, b->count * sizeof(bool));
	for (u64 k = 0; k < b->count; k++)
		if (b->accounts[k])
			memset(b->accounts[k], 0, sizeof(struct block_account));
}

void blocks_start(struct blocks *b, const struct block *block)
{
	struct arena *arena = &b->arenas[block->worker->number];

	if (block->index >= b->count)
		return;
	if (!b->accounts[block->index]) {
		if (!arena->chunks)
			arena_init(arena, &block->worker->out_of_memory);
		b->accounts[block->index] = ARENA_NEW(arena, struct block_account);
	}
	b->started[block->index] = true;
	b->accounts[block->index]->warps = block->warp_count;
	b->accounts[block->index]->threads = block->thread_count;
}

struct block_account *blocks_find(const struct blocks *b, const struct block *block)
{
	return block->index < b->count ? b->accounts[block->index] : NULL;
}

void blocks_add(struct block_account *to, enum account_operation operation, const struct account *from)
{
	u64 *n = to->n[operation];

	for (u32 k = 0; k < ACCOUNT_FIELD_COUNT; k++)
		n[k] = account_takes_most((enum account_field)k) ? max_u64(n[k], from->n[k]) : n[k] + from->n[k];
}

struct account_run *blocks_run(const struct blocks *b, struct arena *arena, u64 k)
{
	struct account_run *run;

	if (!b || k >= b->count || !b->started[k])
		return NULL;
	run = ARENA_NEW(arena, struct account_run);
	run->facts[FACT_blocks] = 1;
	run->facts[FACT_warps] = b->accounts[k]->warps;
	run->facts[FACT_threads] = b->accounts[k]->threads;
	for (u32 o = 0; o < ACCOUNT_OPERATIONS; o++)
		memcpy(run->operations[o].n, b->accounts[k]->n[o], sizeof run->operations[o].n);
	return run;
}
