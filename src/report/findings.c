/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings: each kind is looked for by itself, then all are ordered.
 */
#include "report/findings.h"

#include <stdlib.h>
#include <string.h>

#include "report/advice.h"
#include "report/costs.h"
#include "report/lanes.h"
#include "report/summary.h"

/* What idle lanes must come to at least, as a part of all lanes, to be worth telling: 1 in so many. */
enum { IDLE_WORTH = 200 };

struct list {
	struct arena *arena;
	const struct accounting *a;
	const struct account_run *run;
	VEC_OF(struct finding) items;
};

static const struct {
	const char *name, *counter;
	u32 slots; /* of a unit of its cost */
} kinds[] = {
	[FINDING_DIVERGENCE] = {"divergence", "launch.idle_lanes", 1},
	[FINDING_BLOCK_SHAPE] = {"block_shape", "launch.idle_lanes", 1},
	[FINDING_SHARED] = {"shared", "shared.conflicts", 4},
	[FINDING_GLOBAL] = {"global", "global.sectors", 2},
	[FINDING_LOCAL] = {"local", "local.sectors", 1},
	[FINDING_CONSTANT] = {"constant", "constant.replays", 1},
};

const char *finding_kind_name(enum finding_kind kind) { return kinds[kind].name; }
const char *finding_counter(enum finding_kind kind) { return kinds[kind].counter; }

static enum finding_kind kind_of(enum ir_space space)
{
	return space == SPACE_SHARED  ? FINDING_SHARED
	       : space == SPACE_LOCAL ? FINDING_LOCAL
	       : space == SPACE_CONST ? FINDING_CONSTANT
				      : FINDING_GLOBAL;
}

/* --- Memory --------------------------------------------------------------------------------- */

static u32 most_degree(const struct account *a)
{
	for (u32 k = WARP_LANES; k > 0; k--)
		if (a->degree[k])
			return k;
	return 0;
}

static u64 excess_of(const struct memory_cost *c) { return c->cost > c->ideal ? c->cost - c->ideal : 0; }

static void advise(struct list *l, struct finding *f, const struct account *account, const struct memory_cost *cost)
{
	const struct account_sample *s = &account->worst;
	struct advice advice;

	f->cause = f->remedy = "";
	if (!s->taken || s->space != cost->space)
		return;
	advice_find(l->a, f->site, s, &advice);
	f->cause = arena_printf(l->arena, "the worst takes %u %s%s where %u would do: %s", s->cost, cost->unit,
				s->cost == 1 ? "" : "s", s->cost - s->excess, advice.cause);
	f->remedy = arena_copy_text(l->arena, advice.remedy, strlen(advice.remedy));
}

static void add_excess(struct list *l, const struct account_site *site, const struct account *account,
		       const struct memory_cost *cost)
{
	const u64 excess = excess_of(cost);
	const u32 degree = most_degree(account);
	char n[32], m[32], conflict[48] = "";
	struct finding f = {.kind = kind_of(cost->space), .has_place = true, .site = site};

	if (cost->space == SPACE_SHARED && degree > 1)
		snprintf(conflict, sizeof conflict, "%u-way bank conflict, ", degree);
	f.slots = excess * kinds[f.kind].slots;
	f.place = accounting_place(site);
	f.text = arena_printf(l->arena, "%s%s %s%s more than needed in %s execution%s", conflict,
			      report_count(excess, n, sizeof n), cost->unit, excess == 1 ? "" : "s",
			      report_count(cost->executed, m, sizeof m), cost->executed == 1 ? "" : "s");
	advise(l, &f, account, cost);
	VEC_PUSH(l->arena, &l->items, f);
}

/* Local memory is spills, and arrays that are indexed at run time: registers would do without all of it. One finding
 * for the launch, at the instruction that moves most. */
static void add_local(struct list *l)
{
	const struct account_site *sites;
	const u32 count = accounting_sites(l->a, &sites);
	const struct account_run *run = l->run;
	u64 sectors = 0, executed = 0;
	u32 most = 0, instructions = 0;
	char n[32], m[32];

	for (u32 k = 0; k < count; k++) {
		const u64 own = run->sites[k].n[ACCOUNT_local_sectors];
		sectors += own;
		executed += run->sites[k].n[ACCOUNT_local_instructions];
		instructions += own != 0;
		most = own > run->sites[most].n[ACCOUNT_local_sectors] ? k : most;
	}
	if (!sectors)
		return;
	struct finding f = {.kind = FINDING_LOCAL,
			    .slots = executed + sectors * kinds[FINDING_LOCAL].slots,
			    .has_place = true,
			    .place = accounting_place(&sites[most]),
			    .site = &sites[most],
			    .remedy = "Arrays whose indices are known when compiling (unrolled loops) live in "
				      "registers; so do fewer live values"};
	f.text = arena_printf(l->arena, "local memory: %s access%s %s sector%s", report_count(executed, n, sizeof n),
			      executed == 1 ? " moves" : "es move", report_count(sectors, m, sizeof m),
			      plural_s(sectors));
	f.cause = arena_printf(l->arena,
			       "%u instruction%s access%s arrays of a thread that are indexed at run time, or spilled "
			       "registers; this one most",
			       instructions, instructions == 1 ? "" : "s", instructions == 1 ? "es" : "");
	VEC_PUSH(l->arena, &l->items, f);
}

static void add_accesses(struct list *l)
{
	const struct account_site *sites;
	const u32 count = accounting_sites(l->a, &sites);

	for (u32 s = 0; s < count; s++) {
		struct memory_cost costs[MEMORY_SPACES];
		const u32 spaces = memory_costs(&l->run->sites[s], costs);
		for (u32 k = 0; k < spaces; k++)
			if (excess_of(&costs[k]))
				add_excess(l, &sites[s], &l->run->sites[s], &costs[k]);
	}
}

/* --- Lanes ---------------------------------------------------------------------------------- */

static bool is_worth(const struct list *l, u64 lanes)
{
	return lanes > l->run->facts[FACT_lanes_possible] / IDLE_WORTH;
}

/* A branch with its guard, which the instruction's own text begins behind. */
static struct place_of branch_place(const struct code *code, u32 branch)
{
	struct place_of p = place_find(code, branch);
	const struct ir_instruction *x = &code->function->body.items[branch];
	u32 back = 0;

	while (x->guard && back < x->span.begin && !strchr("@;{}:\n", p.text[-(s64)back]))
		back++;
	if (x->guard && p.text[-(s64)back] == '@') {
		p.text -= back;
		p.length += back;
	}
	return p;
}

static void add_divergence(struct list *l)
{
	u32 count;
	const struct lanes_lost *lost = lanes_find(l->arena, l->run, accounting_program(l->a), &count);
	char n[32], m[32];

	for (u32 k = 0; k < count; k++) {
		const struct lanes_lost *x = &lost[k];
		struct finding f = {.kind = FINDING_DIVERGENCE, .has_place = true};
		if (!x->instructions || !is_worth(l, x->lost))
			continue;
		f.slots = x->lost / WARP_LANES;
		f.place = branch_place(x->code, x->branch);
		f.text = arena_printf(l->arena,
				      "divergence: %.1f of 32 lanes active in the %s instruction%s that it splits; %s "
				      "lane%s idle (%.0f %% of the launch)",
				      (double)x->lanes / (double)x->instructions,
				      report_count(x->instructions, n, sizeof n), plural_s(x->instructions),
				      report_count(x->lost, m, sizeof m), plural_s(x->lost),
				      100 * (double)x->lost / (double)l->run->facts[FACT_lanes_possible]);
		f.cause = arena_printf(l->arena, "lanes of one warp went different ways %s time%s of %s",
				       report_count(x->diverged, n, sizeof n), plural_s(x->diverged),
				       report_count(x->branches, m, sizeof m));
		f.remedy = "Threads of a warp that take the same way keep its lanes busy: branch on the warp, or give "
			   "neighbouring threads like work";
		VEC_PUSH(l->arena, &l->items, f);
	}
}

/* Lanes that no thread has: the last warp of a block whose size is not a multiple of 32. */
static void add_block_shape(struct list *l)
{
	const u32 *b = l->run->block;
	const u64 threads = (u64)b[0] * b[1] * b[2], warps = (threads + WARP_LANES - 1) / WARP_LANES;
	const u64 empty = warps * WARP_LANES - threads, instructions = l->run->facts[FACT_instructions];
	const u64 idle = instructions / warps * empty;
	struct finding f = {.kind = FINDING_BLOCK_SHAPE, .slots = idle / WARP_LANES};

	if (!empty || !is_worth(l, idle))
		return;
	f.text = arena_printf(l->arena, "blocks of %llu thread%s leave %llu of %llu lanes without a thread",
			      (unsigned long long)threads, threads == 1 ? "" : "s", (unsigned long long)empty,
			      (unsigned long long)(warps * WARP_LANES));
	f.cause = arena_printf(l->arena, "a block has whole warps of 32 lanes: %llu of them here",
			       (unsigned long long)warps);
	f.remedy = "Blocks of a multiple of 32 threads";
	VEC_PUSH(l->arena, &l->items, f);
}

/* --- All ------------------------------------------------------------------------------------ */

/* By slots, then by place. */
static int by_slots(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	if (a->slots != b->slots)
		return a->slots < b->slots ? 1 : -1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return a->place.line < b->place.line ? -1 : a->place.line > b->place.line;
}

const struct finding *findings_find(struct arena *arena, const struct accounting *a, const struct account_run *run,
				    u32 *count)
{
	struct list l = {.arena = arena, .a = a, .run = run};

	add_accesses(&l);
	add_local(&l);
	add_divergence(&l);
	add_block_shape(&l);
	if (l.items.count)
		qsort(l.items.items, l.items.count, sizeof *l.items.items, by_slots);
	*count = (u32)l.items.count;
	return l.items.items;
}
