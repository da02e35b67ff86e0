/* SPDX-License-Identifier: Apache-2.0 */
#include "same_counts.h"

#include <check.h>
#include <string.h>

#include "main.h"

static void same_sample(const char *what, u32 site, const struct account_sample *x, const struct account_sample *y)
{
	ck_assert_msg(x->taken == y->taken, "%s: site %u: only one has a sample", what, site);
	if (!x->taken)
		return;
	ck_assert_msg(x->space == y->space && x->mask == y->mask && x->excess == y->excess && x->cost == y->cost &&
			      x->order == y->order,
		      "%s: site %u: another sample", what, site);
	for (u32 l = 0; l < WARP_LANES; l++)
		ck_assert_msg(!(x->mask >> l & 1) || x->address[l] == y->address[l],
			      "%s: site %u: lane %u of the sample", what, site, l);
}

static void same_account(const char *what, u32 site, const struct account *x, const struct account *y)
{
	for (u32 k = 0; k < ACCOUNT_FIELD_COUNT; k++)
		ck_assert_msg(x->n[k] == y->n[k], "%s: site %u: %s is %llu and %llu", what, site,
			      account_field_name((enum account_field)k), (unsigned long long)x->n[k],
			      (unsigned long long)y->n[k]);
	for (u32 k = 0; k <= WARP_LANES; k++)
		ck_assert_msg(x->degree[k] == y->degree[k], "%s: site %u: degree %u", what, site, k);
	for (u32 k = 0; k < COUNT_OF(x->banks); k++)
		ck_assert_msg(x->banks[k] == y->banks[k], "%s: site %u: bank %u", what, site, k);
	same_sample(what, site, &x->worst, &y->worst);
}

static void same_flow(const char *what, const struct code *code, const struct flow_count *x, const struct flow_count *y)
{
	for (u32 k = 0; k < code->function->body.count; k++)
		ck_assert_msg(!memcmp(&x[k], &y[k], sizeof x[k]),
			      "%s: %s, instruction %u: executed %llu and %llu, lanes %llu and %llu, off %llu and %llu, "
			      "branches %llu and %llu, divergent %llu and %llu",
			      what, code->name, k, (unsigned long long)x[k].executed, (unsigned long long)y[k].executed,
			      (unsigned long long)x[k].lanes, (unsigned long long)y[k].lanes,
			      (unsigned long long)x[k].off, (unsigned long long)y[k].off,
			      (unsigned long long)x[k].branches, (unsigned long long)y[k].branches,
			      (unsigned long long)x[k].divergent, (unsigned long long)y[k].divergent);
}

/* The occupancy, by an estimate of registers that depends on what was hoisted. */
static bool is_estimate(u32 fact) { return fact >= FACT_thread_registers && fact <= FACT_gpu_blocks; }

void same_counts(const char *what, const struct accounting *a, const struct account_run *x, const struct accounting *b,
		 const struct account_run *y)
{
	const struct account_site *sites_a, *sites_b;
	const u32 count = accounting_sites(a, &sites_a);
	const struct program *p = accounting_program(a);

	ck_assert_uint_eq(count, accounting_sites(b, &sites_b));
	for (u32 s = 0; s < count; s++)
		same_account(what, s, &x->sites[s], &y->sites[s]);
	for (u32 k = 0; k < ACCOUNT_OPERATIONS; k++)
		same_account(what, count + k, &x->operations[k], &y->operations[k]);
	for (u32 c = 0; c < p->code_count; c++)
		same_flow(what, p->codes[c], x->flow[c], y->flow[c]);
	for (u32 k = 0; k < FACT_COUNT; k++)
		ck_assert_msg(is_estimate(k) || x->facts[k] == y->facts[k], "%s: fact %u is %llu and %llu", what, k,
			      (unsigned long long)x->facts[k], (unsigned long long)y->facts[k]);
	for (u32 k = 0; k < TIMELINE_WARPS; k++)
		ck_assert_msg(!memcmp(&x->timelines[k], &y->timelines[k], sizeof x->timelines[k]),
			      "%s: timeline of warp %u", what, k);
	ck_assert_uint_eq(x->stats.warp_instructions, y->stats.warp_instructions);
	ck_assert_uint_eq(x->stats.thread_instructions, y->stats.thread_instructions);
	ck_assert_uint_eq(x->stats.branches, y->stats.branches);
	ck_assert_uint_eq(x->stats.divergent_branches, y->stats.divergent_branches);
	/* What the observer puts together is what the launch itself counts. */
	ck_assert_uint_eq(x->facts[FACT_instructions], x->stats.warp_instructions);
	ck_assert_uint_eq(x->facts[FACT_lanes], x->stats.thread_instructions);
}
