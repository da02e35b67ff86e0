/* SPDX-License-Identifier: Apache-2.0
 *
 * Annotated source, and pictures of single executions.
 */
#include "report/picture.h"

#include "report/advice.h"
#include "report/memory.h"

static bool has_run(const struct account *a)
{
	return a->n[ACCOUNT_executed] || a->n[ACCOUNT_executed_empty];
}

/* The costs of all accesses of a function on one line; false if there are none. */
static bool print_costs(FILE *to, const struct account_site *sites, const struct account_run *run, u32 first,
                        u32 end, u32 line)
{
	u64 executed = 0, cost = 0, ideal = 0;
	const char *unit = "";

	for (u32 s = first; s < end; s++) {
		struct memory_cost costs[MEMORY_SPACES];
		if (!has_run(&run->sites[s]) || accounting_place(&sites[s]).line != line)
			continue;
		const u32 count = memory_costs(&run->sites[s], costs);
		for (u32 k = 0; k < count; k++) {
			executed += costs[k].executed;
			cost += costs[k].cost;
			ideal += costs[k].ideal;
			unit = costs[k].unit;
		}
	}
	if (!executed)
		return false;
	fprintf(to, "%10llu %10llu %-9s %10llu ", (unsigned long long)executed, (unsigned long long)cost,
	        unit, (unsigned long long)(cost > ideal ? cost - ideal : 0));
	return true;
}

static void annotate_function(FILE *to, const struct accounting *a, const struct account_run *run, u32 first,
                              u32 end)
{
	const struct account_site *sites;
	accounting_sites(a, &sites);
	const struct ir_function *f = sites[first].code->function;
	const struct source *s = f->module->sources->files.items[f->span.file];
	const struct ir_instruction *last = &f->body.items[f->body.count - 1];
	u32 from, to_line, column;

	source_place(s, f->span.begin, &from, &column);
	source_place(s, last->span.end, &to_line, &column);
	fprintf(to, "%s, %s\n%10s %10s %-9s %10s\n", s->name, f->name, "executed", "cost", "in", "excess");
	for (u32 line = from; line <= to_line && line <= s->line_count; line++) {
		const u32 begin = s->line_starts[line - 1];
		const u32 stop = line < s->line_count ? s->line_starts[line] - 1 : (u32)s->length;
		if (!print_costs(to, sites, run, first, end, line))
			fprintf(to, "%43s", "");
		fprintf(to, "%5u  %.*s\n", line, (int)(stop - begin), s->text + begin);
	}
}

void report_annotate(FILE *to, const struct accounting *a, const struct account_run *run)
{
	const struct account_site *sites;
	const u32 count = accounting_sites(a, &sites);

	for (u32 s = 0, end; s < count; s = end) {
		bool any = false;
		for (end = s; end < count && sites[end].code == sites[s].code; end++)
			any |= has_run(&run->sites[end]);
		if (any)
			annotate_function(to, a, run, s, end);
	}
}

/* --- One execution -------------------------------------------------------------------------- */

static void explain_shared(FILE *to, const struct accounting *a, const struct account_site *site,
                           const struct account_sample *s)
{
	const struct bank_access access = {site->bank_kind, accounting_bank_mode(a), site->width, s->mask};
	const u32 banks = accounting_arch(a)->banks, bytes = accounting_arch(a)->bank_bytes;
	u32 offset[WARP_LANES];
	struct bank_detail detail;
	struct bank_count n;

	for (u32 l = 0; l < WARP_LANES; l++)
		offset[l] = (u32)s->address[l] & ((1u << SHARED_RANK_SHIFT) - 1);
	banks_count(accounting_arch(a), &access, offset, &n, &detail);
	fprintf(to, "  lane    address  bank  unit  wavefront\n");
	for (u32 l = 0; l < WARP_LANES; l++)
		if (s->mask >> l & 1)
			fprintf(to, "  %4u %#10x  %4u  %4u  %9u\n", l, offset[l], offset[l] / bytes % banks,
			        detail.unit[l], detail.wavefront[l]);
	for (u32 b = 0; b < banks; b++)
		if (detail.bank_words[b])
			fprintf(to, "  bank %2u: %.*s %u\n", b, (int)min_u32(detail.bank_words[b], 64),
			        "################################################################",
			        detail.bank_words[b]);
}

static void explain_global(FILE *to, const struct accounting *a, const struct account_site *site,
                           const struct account_sample *s)
{
	const struct sector_access access = {site->sector_kind, site->width, s->mask, site->through_l1};
	struct sector_detail detail;
	struct sector_count n;

	sectors_count_global(accounting_arch(a), &access, s->address, &n, &detail);
	fprintf(to, "  lane            address  sector of line  transaction  tag wavefront\n");
	for (u32 l = 0; l < WARP_LANES; l++)
		if (s->mask >> l & 1)
			fprintf(to, "  %4u %#18llx  %14u  %11u  %13u\n", l, (unsigned long long)s->address[l],
			        (u32)(s->address[l] % 128 / 32), detail.transaction[l],
			        detail.tag_wavefront[l]);
}

bool report_explain(FILE *to, const struct accounting *a, const struct account_run *run, u32 line)
{
	const struct account_site *sites;
	const u32 count = accounting_sites(a, &sites);
	bool found = false;

	for (u32 k = 0; k < count; k++) {
		const struct account_sample *s = &run->sites[k].worst;
		const struct account_place p = accounting_place(&sites[k]);
		struct advice advice;
		if (p.line != line || !s->taken)
			continue;
		found = true;
		advice_find(a, &sites[k], s, &advice);
		fprintf(to, "%s, line %u: %.*s\n  block %llu, warp %llu: cost %u, ideal %u%s%s\n",
		        run->kernel->name, line, (int)p.length, p.text, (unsigned long long)(s->order >> 8),
		        (unsigned long long)(s->order & 0xff), s->cost, s->cost - s->excess,
		        s->excess ? ": " : "", s->excess ? advice.cause : "");
		if (s->space == SPACE_SHARED)
			explain_shared(to, a, &sites[k], s);
		else if (s->space == SPACE_GLOBAL)
			explain_global(to, a, &sites[k], s);
		else
			for (u32 l = 0; l < WARP_LANES; l++)
				if (s->mask >> l & 1)
					fprintf(to, "  lane %2u: %#llx\n", l,
					        (unsigned long long)s->address[l]);
	}
	return found;
}
