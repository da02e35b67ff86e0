/* SPDX-License-Identifier: Apache-2.0
 *
 * The accounting observer: which instructions it watches, the workers' sums, and their merging.
 *
 *      tally of a worker   | head | sums, by site | counts, by point of flow | memos, by site | fixed |
 *
 *      a watched insn      watches[code][insn] = {site, point}
 *        site              an access: count_access() adds to sums[site], through memos[site]
 *        point             the end of a straight run, a branch, a guard: flow_before() adds to counts[point]
 *
 *      accounting_end      merges the tallies by worker number: the sums do not depend on which worker ran what
 */
#include "observe/accounting.h"

#include <string.h>

#include "exec/cut.h"
#include "exec/gang.h"
#include "observe/blocks.h"
#include "observe/count.h"
#include "observe/sites.h"

_Static_assert(ACCOUNT_FIELD_COUNT <= 128, "counters name fields by bits of a word");

enum { WORKERS = 256 };

/* What one worker has counted, in one piece of memory, so that it can be saved and restored whole. */
struct tally {
	u64 blocks, warps, threads;
	u32 lock;                  /* the lock-load now running: its site + 1; else 0 */
	struct account *sums;      /* by site; behind the struct, as the others */
	struct flow_count *counts; /* by point of the flow */
	struct memo *memos;        /* by site */
	struct fixed_count *fixed; /* by account_site.fixed - 1 */
	struct native_log **logs;  /* by site; where native code has met none that may have one, or never: NULL */
	struct flow_count **cut;   /* of runs that a fault cut short, by code and body instruction; or NULL */
};

/* What is watched at a decoded instruction. */
struct watch {
	u32 site;  /* + 1, SITE_GUARD; or 0 */
	u32 point; /* of the flow, + 1; or 0 */
};

struct accounting {
	struct observer observer;
	struct arena *arena;
	const struct program *program;
	struct accounting_options options;
	struct counting counting;
	struct site_list sites;
	struct flow *flow;
	struct watch **watches; /* by code and decoded instruction */
	size_t tally_bytes;
	struct arena arenas[WORKERS];
	struct tally *tallies[WORKERS]; /* NULL until the worker has run a block */
	struct blocks *blocks;          /* counted apart, or NULL */
};

enum { DUMMY_LOADS = 3 };

/* --- During the run --------------------------------------------------------------------------- */

/* Counts an access for its site, and for its block, which is counted apart. */
static void count_apart(const struct accounting *a, const struct tally *t, u32 site, const struct warp *w,
			const struct insn *i, const u8 *rows, u32 mask, bool is_guard)
{
	const struct account_site *s = &a->sites.items[site];
	struct block_account *to = blocks_find(a->blocks, w->block);
	struct account one;

	memset(&one, 0, sizeof one);
	count_alone(&a->counting, s, &one, w, i, rows, mask, is_guard);
	account_add(&t->sums[site], &one);
	/* What accounting_end adds to the whole. */
	one.n[ACCOUNT_shared_dummy_loads] += s->first_copy && !is_guard ? DUMMY_LOADS : 0;
	blocks_add(to, s->operation, &one);
}

/* Runs before each watched instruction of a single warp. */
static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct accounting *a = context;
	const u32 code = w->frame->code->index;
	const struct watch watch = a->watches[code][i - w->grid->insns[code]];
	struct tally *t = a->tallies[w->worker->number];

	t->lock = 0;
	if (a->options.one_block && w->block->index != a->options.block)
		return;
	if (watch.point)
		flow_before(a->flow, t->counts, watch.point - 1, w, i, rows, mask);
	if (!watch.site)
		return;
	const u32 site = (watch.site & ~SITE_GUARD) - 1;
	if (a->sites.items[site].is_lock)
		t->lock = site + 1;
	if (a->blocks && blocks_find(a->blocks, w->block)) {
		count_apart(a, t, site, w, i, rows, mask, watch.site & SITE_GUARD);
		return;
	}
	count_access(&a->counting, &a->sites.items[site], &t->sums[site], &t->memos[site], w, i, rows, mask,
		     watch.site & SITE_GUARD);
}

static struct fixed_count *fixed_of(const struct accounting *a, const struct tally *t, u32 site)
{
	const u32 fixed = a->sites.items[site].fixed;

	return fixed ? &t->fixed[fixed - 1] : NULL;
}

/* The same for all warps of a gang at once. */
static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	const struct accounting *a = context;
	const struct watch watch = a->watches[g->code->index][i - g->plain];
	struct tally *t = a->tallies[g->worker->number];

	if (a->options.one_block && g->block->index != a->options.block)
		return;
	if (watch.point)
		flow_gang_before(a->flow, t->counts, watch.point - 1, g, i);
	if (!watch.site)
		return;
	const u32 site = (watch.site & ~SITE_GUARD) - 1;
	count_gang(&a->counting, &a->sites.items[site], &t->sums[site], &t->memos[site], fixed_of(a, t, site), g, i,
		   watch.site & SITE_GUARD);
}

/* Native code does not count blocks apart. */
static bool natively(void *context, const struct block *b)
{
	(void)b;
	return !((const struct accounting *)context)->options.one_block;
}

static bool times(void *context, const struct block *b)
{
	(void)context;
	return flow_times(b);
}

static void timed(void *context, const struct warp *w, const struct code *code, u32 insn, u32 mask)
{
	const struct accounting *a = context;

	flow_timed(a->flow, a->watches[code->index][insn].point - 1, w, mask);
}

static bool tallies(void *context, const struct code *code, u32 insn)
{
	const struct accounting *a = context;
	const struct watch *watch = &a->watches[code->index][insn];

	return (!watch->site || watch->site & SITE_GUARD) && (!watch->point || flow_tallies(a->flow, watch->point - 1));
}

static void tallied(void *context, const struct worker *k, const struct code *code, u32 insn,
		    const struct native_tally *sums)
{
	const struct accounting *a = context;
	const struct watch *watch = &a->watches[code->index][insn];
	const struct tally *t = a->tallies[k->number];

	if (watch->point)
		flow_tallied(a->flow, t->counts, watch->point - 1, sums);
	if (watch->site)
		t->sums[(watch->site & ~SITE_GUARD) - 1].n[ACCOUNT_executed_empty] += sums->none;
}

/* Addresses that are the same in every block. */
static bool repeats(void *context, const struct code *code, u32 insn)
{
	const struct accounting *a = context;
	const struct watch *watch = &a->watches[code->index][insn];

	return watch->site && !(watch->site & SITE_GUARD) && !watch->point && a->sites.items[watch->site - 1].fixed;
}

static void repeated(void *context, const struct warp *w, const struct insn *i, const u8 *rows, u64 times)
{
	const struct accounting *a = context;
	const u32 code = w->grid->kernel->code->index;
	const u32 site = a->watches[code][i - w->grid->insns[code]].site - 1;

	count_repeated(&a->counting, &a->sites.items[site], &a->tallies[w->worker->number]->sums[site], w, i, rows,
		       times);
}

/* Of what costs the same by the same pattern of addresses. */
static bool likens(void *context, const struct code *code, u32 insn, bool *tallies)
{
	const struct accounting *a = context;
	const struct watch *watch = &a->watches[code->index][insn];

	*tallies = watch->point;
	return watch->site && !(watch->site & SITE_GUARD) && !a->sites.items[watch->site - 1].sync &&
	       (!watch->point || flow_tallies(a->flow, watch->point - 1));
}

/* A lock-load that has run: one round of a loop. */
static void add_lock_round(struct account *to, const struct warp *w)
{
	to->n[ACCOUNT_lock_loops] += w->lock_rounds == 1;
	to->n[ACCOUNT_lock_rounds]++;
	to->n[ACCOUNT_lock_retries] += w->lock_rounds > 1;
	to->n[ACCOUNT_lock_attempts] += (u64)__builtin_popcount(w->lock_tried);
	to->n[ACCOUNT_lock_failures] += (u64)__builtin_popcount(w->lock_tried & ~w->lock_got);
	to->n[ACCOUNT_lock_false] += (u64)__builtin_popcount(w->lock_false);
	to->n[ACCOUNT_lock_worst] = max_u64(to->n[ACCOUNT_lock_worst], w->lock_rounds);
}

/* A lock-load: what its lanes came to. Where it stands is known from before: a call or a return would
 * have changed the frame. */
static void after(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct accounting *a = context;
	const struct tally *t = a->tallies[w->worker->number];

	(void)i;
	(void)rows;
	(void)mask;
	if (!t->lock || w->stop == STOP_FAULT)
		return;
	add_lock_round(&t->sums[t->lock - 1], w);
	struct block_account *apart = a->blocks ? blocks_find(a->blocks, w->block) : NULL;
	if (apart) {
		struct account one;
		memset(&one, 0, sizeof one);
		add_lock_round(&one, w);
		blocks_add(apart, a->sites.items[t->lock - 1].operation, &one);
	}
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct accounting *a = context;
	const struct watch *watch = &a->watches[code->index][insn];

	return watch->site || watch->point;
}

static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* Lays a worker's tally out.
 * One piece of memory, each part on a line of its own: history copies it as a whole (accounting_state). */
static struct tally *tally_new(const struct accounting *a, struct arena *arena)
{
	u8 *at = arena_alloc(arena, a->tally_bytes);
	struct tally *t = (struct tally *)(void *)at;

	at += aligned(sizeof *t);
	t->sums = (struct account *)(void *)at;
	at += aligned(a->sites.count * sizeof *t->sums);
	t->counts = (struct flow_count *)(void *)at;
	at += aligned(flow_points(a->flow) * sizeof *t->counts);
	t->memos = (struct memo *)(void *)at;
	at += aligned(a->sites.count * sizeof *t->memos);
	t->fixed = (struct fixed_count *)(void *)at;
	return t;
}

/* Memory that runs out ends the launch as everywhere in a worker.
 * Tallies are made by the worker itself when it runs its first block. */
static struct tally *own_tally(struct accounting *a, const struct worker *w)
{
	const u32 k = w->number;

	if (!a->tallies[k]) {
		arena_init(&a->arenas[k], w->arena.out_of_memory);
		a->tallies[k] = tally_new(a, &a->arenas[k]);
	}
	return a->tallies[k];
}

/* The site's log; NULL: it has none. */
static struct native_log *log_of(struct accounting *a, u32 worker, u32 site)
{
	struct arena *arena = &a->arenas[worker];
	struct tally *t = a->tallies[worker];

	if (!count_logs(&a->counting, &a->sites.items[site]))
		return NULL;
	if (!t->logs)
		t->logs = ARENA_ARRAY(arena, a->sites.count, struct native_log *);
	if (!t->logs[site])
		t->logs[site] = ARENA_NEW(arena, struct native_log);
	return t->logs[site];
}

static struct native_pattern *pattern(void *context, const struct worker *k, const struct code *code, u32 insn)
{
	struct accounting *a = context;
	const u32 site = a->watches[code->index][insn].site - 1;
	struct tally *t = own_tally(a, k);
	struct native_pattern *p = memo_pattern(&t->memos[site]);

	/* Native code takes the lanes of affine rows to be as far apart as its launch's blocks have them. */
	memo_drop(&t->memos[site], &t->sums[site]);
	p->log = log_of(a, k->number, site);
	return p;
}

static void block_start(void *context, struct block *b)
{
	struct accounting *a = context;
	struct tally *t = own_tally(a, b->worker);

	if (a->counting.caches)
		caches_block(a->counting.caches, b);
	if (a->options.one_block && b->index != a->options.block)
		return;
	if (a->blocks)
		blocks_start(a->blocks, b);
	t->blocks++;
	t->warps += b->warp_count;
	t->threads += b->thread_count;
}

/* Few launches end early: room is made when one does.
 * A fault ends a straight run early: what of it was executed is kept apart, since counts go by whole runs. */
static void cut(void *context, const struct warp *w, const struct code *code, u32 first, u32 end, u32 mask)
{
	struct accounting *a = context;
	struct tally *t = a->tallies[w->worker->number];

	if (!t || (a->options.one_block && w->block->index != a->options.block))
		return;
	if (!t->cut)
		t->cut = flow_result(a->flow, &a->arenas[w->worker->number]);
	flow_cut(a->flow, t->cut[code->index] + first, w, end - first, mask);
}

/* --- Around the run ------------------------------------------------------------------------- */

static void find_watches(struct accounting *a)
{
	const struct program *p = a->program;

	a->watches = ARENA_ARRAY(a->arena, p->code_count + 1, struct watch *);
	for (u32 c = 0; c < p->code_count; c++) {
		a->watches[c] = ARENA_ARRAY(a->arena, p->codes[c]->insn_count + 1, struct watch);
		for (u32 k = 0; k < p->codes[c]->insn_count; k++)
			a->watches[c][k] = (struct watch){a->sites.slots[c][k], flow_point(a->flow, p->codes[c], k)};
	}
}

struct accounting *accounting_new(struct arena *arena, const struct program *program,
				  const struct accounting_options *options)
{
	struct accounting *a = ARENA_NEW(arena, struct accounting);

	a->arena = arena;
	a->program = program;
	if (options)
		a->options = *options;
	a->options.banks = true;
	a->observer = (struct observer){
		.context = a, .wants = wants, .before = before, .block_start = block_start, .cut = cut};
	/* A cache's hits depend on the order of accesses, which gangs change. */
	if (a->options.caches == ACCOUNT_CACHES_NONE && !a->options.blocks_apart)
		a->observer.gang_before = gang_before;
	a->observer.natively = natively;
	a->observer.tallies = tallies;
	a->observer.tallied = tallied;
	a->observer.times = times;
	a->observer.timed = timed;
	a->observer.repeats = repeats;
	a->observer.repeated = repeated;
	a->observer.likens = likens;
	a->observer.pattern = pattern;
	if (a->options.blocks_apart)
		a->blocks = blocks_new(arena, a->options.blocks_apart);
	a->sites = sites_find(arena, program, &a->options);
	for (u32 k = 0; k < a->sites.count; k++)
		if (a->sites.items[k].is_lock)
			a->observer.after = after; /* which costs something at every watched instruction, and gangs */
	a->flow = flow_new(arena, program);
	a->counting = (struct counting){.arch = program->arch, .options = &a->options};
	alike_choose(NULL, &a->counting.alike);
	if (a->options.caches != ACCOUNT_CACHES_NONE)
		a->counting.caches = caches_new(arena, program->arch, a->options.caches == ACCOUNT_CACHES_WARM);
	a->tally_bytes = aligned(sizeof(struct tally)) + aligned(a->sites.count * sizeof(struct account)) +
			 aligned(flow_points(a->flow) * sizeof(struct flow_count)) +
			 aligned(a->sites.count * sizeof(struct memo)) +
			 aligned(a->sites.fixed * sizeof(struct fixed_count));
	find_watches(a);
	return a;
}

void accounting_free(struct accounting *a)
{
	if (a->counting.caches)
		caches_free(a->counting.caches);
	if (a->blocks)
		blocks_free(a->blocks);
	for (u32 k = 0; k < WORKERS; k++)
		if (a->arenas[k].chunks) {
			arena_free(&a->arenas[k]);
			a->tallies[k] = NULL;
		}
}

struct observer *accounting_observer(struct accounting *a) { return &a->observer; }

const struct program *accounting_program(const struct accounting *a) { return a->program; }

const struct instruction_facts *accounting_facts(const struct accounting *a, const struct code *code)
{
	return flow_facts(a->flow, code);
}

const struct arch *accounting_arch(const struct accounting *a) { return a->program->arch; }

enum bank_mode accounting_bank_mode(const struct accounting *a) { return a->options.bank_mode; }

void accounting_cost(const struct accounting *a, const struct account_site *site, const struct warp *w,
		     struct account_sample *sample)
{
	count_cost(&a->counting, site, w, sample);
}

u32 accounting_sites(const struct accounting *a, const struct account_site **sites)
{
	*sites = a->sites.items;
	return a->sites.count;
}

u8 *accounting_state(const struct accounting *a, size_t *bytes)
{
	*bytes = a->tally_bytes;
	return (u8 *)a->tallies[0];
}

/* The head's pointers stay, all sums are cleared. */
void accounting_begin(struct accounting *a)
{
	for (u32 k = 0; k < WORKERS; k++) {
		struct tally *t = a->tallies[k];
		if (!t)
			continue;
		const size_t head = aligned(sizeof *t);
		memset((u8 *)t + head, 0, a->tally_bytes - head);
		t->blocks = t->warps = t->threads = t->lock = 0;
		t->cut = NULL;
	}
	flow_begin(a->flow);
	if (a->blocks)
		blocks_begin(a->blocks);
	if (a->counting.caches)
		caches_begin(a->counting.caches);
}

/* Sums are added, maxima kept; of samples the costliest wins, then the earliest. */
void account_add(struct account *to, const struct account *from)
{
	const struct account_sample *s = &from->worst, *kept = &to->worst;

	for (u32 k = 0; k < ACCOUNT_FIELD_COUNT; k++)
		to->n[k] = account_takes_most((enum account_field)k) ? max_u64(to->n[k], from->n[k])
								     : to->n[k] + from->n[k];
	for (u32 k = 0; k <= WARP_LANES; k++)
		to->degree[k] += from->degree[k];
	for (u32 k = 0; k < COUNT_OF(to->banks); k++)
		to->banks[k] += from->banks[k];
	if (s->taken &&
	    (!kept->taken || s->excess > kept->excess || (s->excess == kept->excess && s->order < kept->order)))
		to->worst = *s;
}

/* What the launch as a whole did. */
static void fill_flow(const struct accounting *a, struct arena *arena, struct account_run *run, const struct launch *l)
{
	run->timelines = ARENA_ARRAY(arena, TIMELINE_WARPS, struct flow_timeline);
	memcpy(run->timelines, flow_timelines(a->flow), TIMELINE_WARPS * sizeof *run->timelines);
	for (u32 k = 0; k < WORKERS; k++) {
		const struct tally *t = a->tallies[k];
		if (!t)
			continue;
		flow_merge(a->flow, t->counts, run->flow);
		if (t->cut)
			flow_add(a->flow, t->cut, run->flow);
		run->facts[FACT_blocks] += t->blocks;
		run->facts[FACT_warps] += t->warps;
		run->facts[FACT_threads] += t->threads;
	}
	for (u32 c = 0; c < a->program->code_count; c++)
		facts_add_flow(run->facts, a->program->codes[c], run->flow[c],
			       flow_facts(a->flow, a->program->codes[c]));
	run->occupancy = facts_occupancy(run->facts, l, a->options.registers);
	opcodes_count(arena, a->program, run->flow, &run->opcodes);
	run->operations[ACCOUNT_STORE].n[ACCOUNT_global_data_writes] += run->opcodes.order_passes;
}

/* The assembler puts three loads without an address before the first cp.async of a basic block, as
 * the recordings show. */
static void add_dummy_loads(struct account_run *run, u32 site, const struct account_site *s)
{
	const u64 executed = run->flow[s->code->index][s->code->origin[s->insn]].executed;

	run->sites[site].n[ACCOUNT_shared_dummy_loads] += DUMMY_LOADS * executed;
	run->operations[s->operation].n[ACCOUNT_shared_dummy_loads] += DUMMY_LOADS * executed;
}

/* What is within straight runs is in run->flow. */
static void fill_run(const struct accounting *a, struct arena *arena, struct account_run *run, const struct launch *l,
		     const struct launch_stats *stats)
{
	run->kernel = l->kernel;
	memcpy(run->grid, l->grid, sizeof run->grid);
	memcpy(run->block, l->block, sizeof run->block);
	run->stats = *stats;
	run->sites = ARENA_ARRAY(arena, a->sites.count + 1, struct account);
	for (u32 s = 0; s < a->sites.count; s++) {
		for (u32 k = 0; k < WORKERS; k++) {
			struct tally *t = a->tallies[k];
			if (!t)
				continue;
			count_finish(&a->counting, &a->sites.items[s], &t->memos[s], fixed_of(a, t, s), &t->sums[s]);
			account_add(&run->sites[s], &t->sums[s]);
		}
		struct account *sum = &run->operations[a->sites.items[s].operation];
		account_add(sum, &run->sites[s]);
		sum->worst.taken = false;
	}
	fill_flow(a, arena, run, l);
	for (u32 s = 0; s < a->sites.count; s++)
		if (a->sites.items[s].first_copy)
			add_dummy_loads(run, s, &a->sites.items[s]);
	run->block_count = min_u64(a->options.blocks_apart, run->facts[FACT_grid_blocks]);
	run->blocks = ARENA_ARRAY(arena, run->block_count + 1, struct account_run *);
	for (u64 k = 0; k < run->block_count; k++)
		run->blocks[k] = blocks_run(a->blocks, arena, k);
}

struct account_run *accounting_end(const struct accounting *a, struct arena *arena, const struct launch *l,
				   const struct launch_stats *stats)
{
	struct account_run *run = ARENA_NEW(arena, struct account_run);

	run->flow = flow_result(a->flow, arena);
	fill_run(a, arena, run, l, stats);
	return run;
}

struct open_runs {
	const struct accounting *a;
	struct flow_count **flow;
};

static void count_open_run(void *context, struct warp *w, const struct code *code, u32 first, u32 end, u32 mask)
{
	const struct open_runs *to = context;

	if (!to->a->options.one_block || w->block->index == to->a->options.block)
		flow_count_run(to->flow[code->index] + first, end - first, mask);
}

/* For a suspended launch: what its warps have executed of the straight runs that they are in is added, too. */
struct account_run *accounting_so_far(const struct accounting *a, struct arena *arena, const struct launch *l,
				      const struct block *const *blocks, u32 count)
{
	struct account_run *run = ARENA_NEW(arena, struct account_run);
	struct open_runs open = {a, flow_result(a->flow, arena)};

	run->flow = open.flow;
	for (u32 k = 0; k < count; k++)
		block_open_runs(blocks[k], count_open_run, &open);
	fill_run(a, arena, run, l, &(struct launch_stats){0});
	return run;
}

/* --- Several processes ---------------------------------------------------------------------- */

/* A packed tally: its head, the sites' sums, the points' counts, and the timelines of the launch's first warps. */
struct packed {
	u64 blocks, warps, threads;
};

static size_t packed_at_counts(const struct accounting *a)
{
	return aligned(sizeof(struct packed)) + aligned(a->sites.count * sizeof(struct account));
}

static size_t packed_at_timelines(const struct accounting *a)
{
	return packed_at_counts(a) + aligned(flow_points(a->flow) * sizeof(struct flow_count));
}

size_t accounting_packed_bytes(const struct accounting *a)
{
	return packed_at_timelines(a) + TIMELINE_WARPS * sizeof(struct flow_timeline);
}

/* What one process sends to another (src/ranks): sums without pointers, in a fixed layout. */
static void pack_tally(const struct accounting *a, struct tally *t, u8 *to)
{
	struct packed *head = (struct packed *)(void *)to;
	struct account *sums = (struct account *)(void *)(to + aligned(sizeof *head));
	struct flow_count *counts = (struct flow_count *)(void *)(to + packed_at_counts(a));

	head->blocks += t->blocks;
	head->warps += t->warps;
	head->threads += t->threads;
	for (u32 s = 0; s < a->sites.count; s++) {
		count_finish(&a->counting, &a->sites.items[s], &t->memos[s], fixed_of(a, t, s), &t->sums[s]);
		account_add(&sums[s], &t->sums[s]);
	}
	for (u32 k = 0; k < flow_points(a->flow); k++)
		flow_count_add(&counts[k], &t->counts[k]);
}

void accounting_pack(const struct accounting *a, u8 *to)
{
	memset(to, 0, accounting_packed_bytes(a));
	for (u32 k = 0; k < WORKERS; k++)
		if (a->tallies[k])
			pack_tally(a, a->tallies[k], to);
	memcpy(to + packed_at_timelines(a), flow_timelines(a->flow), TIMELINE_WARPS * sizeof(struct flow_timeline));
}

/* Adds what another process has packed. Both must have lowered the same program. */
void accounting_absorb(struct accounting *a, const u8 *from)
{
	const struct packed *head = (const struct packed *)(const void *)from;
	const struct account *sums = (const struct account *)(const void *)(from + aligned(sizeof *head));
	const struct flow_count *counts = (const struct flow_count *)(const void *)(from + packed_at_counts(a));

	if (!a->tallies[0]) {
		arena_init(&a->arenas[0], a->arena->out_of_memory);
		a->tallies[0] = tally_new(a, &a->arenas[0]);
	}
	struct tally *t = a->tallies[0];
	t->blocks += head->blocks;
	t->warps += head->warps;
	t->threads += head->threads;
	for (u32 s = 0; s < a->sites.count; s++)
		account_add(&t->sums[s], &sums[s]);
	for (u32 k = 0; k < flow_points(a->flow); k++)
		flow_count_add(&t->counts[k], &counts[k]);
	flow_absorb(a->flow, (const struct flow_timeline *)(const void *)(from + packed_at_timelines(a)));
}

/* --- Names and places ----------------------------------------------------------------------- */

const char *account_field_name(enum account_field field)
{
	static const char *const names[] = {
#define X(name) #name,
		ACCOUNT_FIELDS(X)
#undef X
	};

	return names[field];
}

const char *account_operation_name(enum account_operation operation)
{
	static const char *const names[ACCOUNT_OPERATIONS] = {
		[ACCOUNT_LOAD] = "load",         [ACCOUNT_STORE] = "store",
		[ACCOUNT_ATOM] = "atomic",       [ACCOUNT_RED] = "reduction",
		[ACCOUNT_LDMATRIX] = "ldmatrix", [ACCOUNT_STMATRIX] = "stmatrix",
		[ACCOUNT_ASYNC] = "async",       [ACCOUNT_ASYNC_BYPASS] = "async_bypass"};

	return names[operation];
}

struct place_of accounting_place(const struct account_site *site)
{
	return place_find(site->code, site->code->origin[site->insn]);
}
