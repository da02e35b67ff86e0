/* SPDX-License-Identifier: Apache-2.0
 *
 * Going back: checkpoints and running again. A run is deterministic, so a position is reached
 * again by restoring the nearest checkpoint before it and running from there. A checkpoint holds
 * the grid, its worker, the worker's arena and the guest's memory, page by page; a page that is
 * as in the checkpoint before is shared with it. When checkpoints take more room than they may,
 * every other one is dropped and the spacing doubles, so that the memory is bounded and what is
 * run again stays in proportion to what has been run.
 *
 *      position   0 ------- S ------- 2S ------ 3S -- now        S: spacing, in warp instructions
 *      list       newest -> [3S] -> [2S] -> [S] -> [0]           pages equal to the older neighbour's are shared
 *      `goto p`   restore the checkpoint at or before p, run p - position instructions
 *      search     from each checkpoint up to `end`, the newest first; the last match of a stretch wins
 *
 * Restoring writes into the same host addresses that were saved: pointers inside the arena and between grid and worker
 * stay valid, so nothing has to be relocated.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/internal.h"

enum { PAGE = 4096, SPACING_MIN = 1 << 20, BYTES_FOR_AN_INSTRUCTION = 32, FINE = 1 << 14, FINE_KEPT = 4 };

struct page {
	u32 uses;
	u8 bytes[PAGE];
};

/* Bytes that were at `host`; pages NULL are all zero. */
struct image {
	u8 *host;
	u64 base; /* guest memory: its address */
	u64 size;
	struct page **pages;
	struct allocation allocation; /* guest memory */
};

struct checkpoint {
	u64 position;
	bool fine; /* made while going back: dropped first */
	u64 serial;
	struct grid grid;
	struct worker worker;
	struct arena_mark mark;
	struct image *chunks, *memory;
	u32 chunk_count, memory_count;
	struct memory table; /* list not used */
	size_t output_length;
	u64 direct_block;
	u32 direct_warp;
	bool has_direct;
	struct image counters; /* size 0: none */
	struct checkpoint *older;
};

struct history {
	struct checkpoint *newest; /* by position, the latest first */
	u64 count, bytes, limit, spacing, serial;
	bool on, fixed_spacing;
};

static const u8 zeros[PAGE];

/* --- Pages --------------------------------------------------------------------------------------- */

/* Pages are counted: neighbouring checkpoints share those that did not change. `bytes` counts what is really
 * allocated. */
static void drop_page(struct history *h, struct page *p)
{
	if (!p || --p->uses)
		return;
	h->bytes -= sizeof *p;
	free(p);
}

static void drop_image(struct history *h, struct image *i)
{
	for (u64 k = 0; i->pages && k < (i->size + PAGE - 1) / PAGE; k++)
		drop_page(h, i->pages[k]);
	h->bytes -= i->pages ? (i->size + PAGE - 1) / PAGE * sizeof *i->pages : 0;
	free(i->pages);
	i->pages = NULL;
}

/* A copy of the bytes at i->host; pages equal to those of `before` are shared. False: no memory. */
static bool take_image(struct history *h, struct image *i, const struct image *before)
{
	const u64 count = (i->size + PAGE - 1) / PAGE;

	i->pages = calloc(count + 1, sizeof *i->pages);
	if (!i->pages)
		return false;
	h->bytes += count * sizeof *i->pages;
	for (u64 k = 0; k < count; k++) {
		const u8 *from = i->host + k * PAGE;
		const size_t size = min_u64(PAGE, i->size - k * PAGE);
		struct page *old = before && before->size == i->size ? before->pages[k] : NULL;
		if (old && !memcmp(old->bytes, from, size)) {
			old->uses++;
			i->pages[k] = old;
			continue;
		}
		if (!memcmp(zeros, from, size))
			continue;
		struct page *p = malloc(sizeof *p);
		if (!p)
			return false;
		p->uses = 1;
		memcpy(p->bytes, from, size);
		memset(p->bytes + size, 0, PAGE - size);
		h->bytes += sizeof *p;
		i->pages[k] = p;
	}
	return true;
}

/* Pages that are as they were are not touched, so that the host need not make room for them. */
static void put_image(const struct image *i, u8 *host)
{
	for (u64 k = 0; k < (i->size + PAGE - 1) / PAGE; k++) {
		const size_t size = min_u64(PAGE, i->size - k * PAGE);
		const u8 *from = i->pages[k] ? i->pages[k]->bytes : zeros;
		if (memcmp(host + k * PAGE, from, size))
			memcpy(host + k * PAGE, from, size);
	}
}

/* --- Checkpoints --------------------------------------------------------------------------------- */

static void drop(struct history *h, struct checkpoint *c)
{
	for (u32 k = 0; k < c->chunk_count; k++)
		drop_image(h, &c->chunks[k]);
	for (u32 k = 0; k < c->memory_count; k++)
		drop_image(h, &c->memory[k]);
	drop_image(h, &c->counters);
	free(c->chunks);
	free(c->memory);
	free(c->mark.chunks);
	h->bytes -= sizeof *c;
	h->count--;
	free(c);
}

static void unlink_and_drop(struct history *h, struct checkpoint **at)
{
	struct checkpoint *c = *at;

	*at = c->older;
	drop(h, c);
}

/* Guest memory is found by its address (host bytes may have moved), chunks of the arena by where they lie. */
static const struct image *find_image(const struct image *list, u32 count, const u8 *host, u64 base)
{
	for (u32 k = 0; k < count; k++)
		if (list[k].base == base && (base || list[k].host == host))
			return &list[k];
	return NULL;
}

/* The arena holds blocks, warps, frames and registers: all that the launch allocated so far. */
static bool take_chunks(struct debug *d, struct checkpoint *c, const struct checkpoint *before)
{
	const struct arena *a = &d->grid.workers[0].arena;
	const size_t count = arena_chunk_count(a);

	c->mark.chunks = calloc(count + 1, sizeof *c->mark.chunks);
	c->chunks = calloc(count + 1, sizeof *c->chunks);
	if (!c->mark.chunks || !c->chunks)
		return false;
	arena_mark(a, &c->mark);
	for (size_t k = 0; k < count; k++) {
		struct image *i = &c->chunks[k];
		size_t bytes;
		i->host = arena_chunk_bytes(c->mark.chunks[k], &bytes);
		i->size = bytes;
		c->chunk_count++;
		if (!take_image(d->history, i,
				before ? find_image(before->chunks, before->chunk_count, i->host, 0) : NULL))
			return false;
	}
	return true;
}

/* All allocations with their bytes; emptied places of the list are skipped. */
static bool take_memory(struct debug *d, struct checkpoint *c, const struct checkpoint *before)
{
	const struct memory *m = d->launch.memory;

	c->table = *m;
	c->memory = calloc(m->count + 1, sizeof *c->memory);
	if (!c->memory)
		return false;
	for (u32 k = 0; k < m->count; k++) {
		struct image *i = &c->memory[c->memory_count];
		if (!m->list[k].size)
			continue;
		i->allocation = m->list[k];
		i->host = m->list[k].host;
		i->base = m->list[k].base;
		i->size = m->list[k].size;
		c->memory_count++;
		if (!take_image(d->history, i,
				before ? find_image(before->memory, before->memory_count, NULL, i->base) : NULL))
			return false;
	}
	return true;
}

static bool take_counters(struct debug *d, struct checkpoint *c, const struct checkpoint *before)
{
	size_t bytes;

	c->counters.host = accounting_state(d->accounting, &bytes);
	c->counters.size = c->counters.host ? bytes : 0;
	return take_image(d->history, &c->counters, before ? &before->counters : NULL);
}

/* Counters go back with the launch, so that lines do not count twice what runs again. */
static void put_counters(struct debug *d, const struct checkpoint *c)
{
	size_t bytes;
	u8 *host = accounting_state(d->accounting, &bytes);

	if (host && c->counters.size)
		put_image(&c->counters, host);
	else if (host)
		memset(host, 0, bytes);
}

/* The checkpoint at or before a position. */
static struct checkpoint **nearest(struct history *h, u64 position)
{
	struct checkpoint **at = &h->newest;

	while (*at && (*at)->position > position)
		at = &(*at)->older;
	return at;
}

/* On failure nothing is kept, and the launch goes on without this checkpoint (debug_no_memory() says so). */
static bool take(struct debug *d, bool fine)
{
	struct history *h = d->history;
	struct checkpoint **at = nearest(h, d->position);
	struct checkpoint *c = calloc(1, sizeof *c);

	d->no_memory |= !c;
	if (!c)
		return false;
	h->bytes += sizeof *c;
	h->count++;
	c->position = d->position;
	c->fine = fine;
	c->serial = ++h->serial;
	c->grid = d->grid;
	c->worker = d->grid.workers[0];
	c->output_length = d->output.length;
	c->has_direct = d->direct != NULL;
	if (d->direct) {
		c->direct_block = d->direct->block->index;
		c->direct_warp = d->direct->index;
	}
	if (!take_chunks(d, c, *at) || !take_memory(d, c, *at) || !take_counters(d, c, *at)) {
		drop(h, c);
		d->no_memory = true;
		return false;
	}
	c->older = *at;
	*at = c;
	return true;
}

/* --- Restoring ----------------------------------------------------------------------------------- */

static bool in_checkpoint(const struct checkpoint *c, const struct allocation *a)
{
	const struct image *i = find_image(c->memory, c->memory_count, NULL, a->base);

	return i && i->size == a->size;
}

/* Allocations made since the checkpoint go, those released since then come back at their addresses. */
static bool put_memory(struct memory *m, const struct checkpoint *c)
{
	for (u32 k = m->count; k-- > 0;)
		if (!in_checkpoint(c, &m->list[k]))
			memory_forget(m, m->list[k].base);
	for (u32 k = 0; k < c->memory_count; k++) {
		const struct image *i = &c->memory[k];
		const struct allocation *a = memory_find(m, i->base, i->size);
		if (!a && memory_map(m, i->base, i->size, NULL, i->allocation.name, i->allocation.flags))
			a = memory_find(m, i->base, i->size);
		if (!a)
			return false;
		put_image(i, a->host);
	}
	m->next = c->table.next;
	m->generation++;
	return true;
}

/* The arena keeps its chunks of now (`aside`), so that chunks allocated later can be used again when the run comes
 * there. */
static bool restore(struct debug *d, const struct checkpoint *c)
{
	struct worker *k = &d->grid.workers[0];
	struct arena_chunk *aside = k->arena.aside, *chunks = k->arena.chunks;

	d->grid = c->grid;
	*k = c->worker;
	k->arena.aside = aside;
	k->arena.chunks = chunks;
	arena_restore(&k->arena, &c->mark);
	for (u32 n = 0; n < c->chunk_count; n++)
		put_image(&c->chunks[n], c->chunks[n].host);
	memset(k->allocations, 0, sizeof k->allocations);
	d->output.length = c->output_length;
	d->state = DEBUG_STOPPED;
	d->position = c->position;
	d->current = d->run.last = (struct standing){0};
	d->at_stop = false;
	d->run.stopped = false;
	d->direct = c->has_direct ? run_find_warp(d, c->direct_block, c->direct_warp) : NULL;
	memset(&d->fault, 0, sizeof d->fault);
	put_counters(d, c);
	return put_memory(d->launch.memory, c);
}

/* --- When --------------------------------------------------------------------------------------- */

/* One instruction writes about BYTES_FOR_AN_INSTRUCTION: with larger memory checkpoints cost more, and come less
 * often. */
void history_open(struct debug *d)
{
	struct history *h = d->history;

	if (!h) {
		h = d->history = ARENA_NEW(d->arena, struct history);
		h->on = !d->options.no_history;
		h->limit = d->options.history_bytes ? d->options.history_bytes : (u64)DEBUG_HISTORY_DEFAULT_MIB << 20;
	}
	h->fixed_spacing = d->options.history_spacing != 0;
	h->spacing = max_u64(SPACING_MIN, d->launch.memory->total_bytes / BYTES_FOR_AN_INSTRUCTION);
	if (h->fixed_spacing)
		h->spacing = d->options.history_spacing;
}

void history_close(struct debug *d)
{
	while (d->history && d->history->newest)
		unlink_and_drop(d->history, &d->history->newest);
}

/* The user changed the past (a register, a schedule): what lay ahead of it is no longer true. */
void history_truncate(struct debug *d)
{
	struct history *h = d->history;

	while (h->newest && h->newest->position > d->position && h->newest->older)
		unlink_and_drop(h, &h->newest);
	while (d->inputs.count && d->inputs.items[d->inputs.count - 1].position > d->position)
		d->inputs.count--;
	d->furthest = d->position;
	d->output.shown = d->output.length;
}

/* The position of the next checkpoint; the run stops there of its own accord. */
u64 history_due(const struct debug *d)
{
	struct history *h = d->history;

	if (!h->on)
		return UINT64_MAX;
	const struct checkpoint *c = *nearest(h, d->position);
	if (!c)
		return d->position;
	/* What lies ahead has its checkpoints already. */
	const u64 due = c->position + h->spacing;
	return h->newest->position >= due ? UINT64_MAX : max_u64(due, h->newest->position + h->spacing);
}

/* Too much memory: every other checkpoint goes, but never the first. */
static void thin(struct history *h)
{
	bool keep = true;

	while (h->bytes > h->limit && h->count > 2) {
		for (struct checkpoint **at = &h->newest; *at && (*at)->older;) {
			keep = !keep;
			if (!keep || (*at)->fine)
				unlink_and_drop(h, at);
			else
				at = &(*at)->older;
		}
		h->spacing *= 2;
	}
}

void history_note(struct debug *d)
{
	struct history *h = d->history;

	if (!h->on || d->state != DEBUG_STOPPED || d->position < history_due(d))
		return;
	if (*nearest(h, d->position) && (*nearest(h, d->position))->position == d->position)
		return;
	if (take(d, false) && h->bytes > h->limit)
		thin(h);
}

/* --- Going --------------------------------------------------------------------------------------- */

/* Going back step by step asks for one position after another just before the last: a checkpoint near them makes each
 * step short. The FINE_KEPT newest ones are kept. */
static void note_fine(struct debug *d)
{
	struct history *h = d->history;
	struct checkpoint **oldest = NULL;
	u32 count = 0;

	take(d, true);
	for (struct checkpoint **at = &h->newest; *at; at = &(*at)->older)
		if ((*at)->fine) {
			count++;
			if (!oldest || (*at)->serial < (*oldest)->serial)
				oldest = at;
		}
	if (count > FINE_KEPT)
		unlink_and_drop(h, oldest);
}

/* From the restored checkpoint to the position; on a long way, with a checkpoint shortly before it. */
static bool run_from(struct debug *d, u64 position, struct search *s)
{
	if (position - d->position > 4 * FINE) {
		/* The last stop before may lie a little earlier or later than asked for. */
		if (run_past(d, position - FINE, s) != RAN_STOPPED)
			return d->position == position;
		if (d->position < position)
			note_fine(d);
	}
	return run_to(d, position, s);
}

/* False: there is no checkpoint before the position, or memory ran out in restoring it. */
bool history_go(struct debug *d, u64 position)
{
	struct checkpoint *c = *nearest(d->history, position);

	if (!c)
		return false;
	if (d->at_stop && d->position == position)
		return true;
	/* Forwards from here, if that is no further than from the checkpoint. */
	if ((!d->at_stop || d->position > position || d->position < c->position) && !restore(d, c))
		return false;
	return run_from(d, position, NULL);
}

bool history_find_last(struct debug *d, u64 before, struct search *s, u64 *found)
{
	u64 end = before;

	/* Checkpoints may come and go meanwhile: each round looks for its own. */
	while (end) {
		const struct checkpoint *c = *nearest(d->history, end - 1);
		const u64 from = c ? c->position : 0;
		s->any = false;
		if (!c || !restore(d, c))
			return false;
		run_from(d, end, s);
		if (d->run.interrupted)
			return false;
		if (s->any) {
			*found = s->found;
			return true;
		}
		end = from;
	}
	return false;
}

/* --- Settings ------------------------------------------------------------------------------------ */

struct debug_history debug_history(const struct debug *d)
{
	const struct history *h = d->history;
	struct debug_history r = {.on = !d->options.no_history, .limit_bytes = d->options.history_bytes};

	if (!h)
		return r;
	r = (struct debug_history){h->on, h->count, h->bytes, h->limit, h->spacing, 0};
	for (const struct checkpoint *c = h->newest; c; c = c->older)
		r.first = c->position;
	return r;
}

bool debug_set_history(struct debug *d, bool on)
{
	d->options.no_history = !on;
	if (!d->history)
		return true;
	if (!on)
		history_close(d);
	d->history->on = on;
	if (on)
		history_note(d);
	return true;
}

bool debug_set_history_limit(struct debug *d, u64 bytes)
{
	if (bytes < 1 << 20)
		return debug_fail(d, "at least 1 MiB is needed");
	d->options.history_bytes = bytes;
	if (d->history) {
		d->history->limit = bytes;
		thin(d->history);
	}
	return true;
}
