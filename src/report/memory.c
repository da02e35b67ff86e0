/* SPDX-License-Identifier: Apache-2.0
 *
 * The text report of a launch.
 *
 *      verdict and findings     print_findings: the worst first (report/findings.c)
 *      memory instructions      print_row, by excess
 *      source lines             report_source_lines (report/lines.c)
 *      occupancy, classes, pipes, totals
 */
#include "report/memory.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "report/costs.h"
#include "report/findings.h"
#include "report/lines.h"
#include "report/summary.h"

/* How many findings, and how many rows of the table, are printed. */
enum { FINDINGS = 10, ROWS = 40, TEXT_COLUMNS = 44 };

struct row {
	const struct account_site *site;
	const struct account *account;
	struct memory_cost cost;
};

/* By excess, then by place. */
static int by_excess(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	const u64 x = memory_excess(&a->cost), y = memory_excess(&b->cost);

	if (x != y)
		return x < y ? 1 : -1;
	return a->site < b->site ? -1 : a->site > b->site;
}

/* The instruction's text on one line, cut short with dots. */
static const char *one_line(const struct place_of *p, char *text, size_t size)
{
	size_t used = 0;

	for (u32 k = 0; k < p->length && used + 4 < size; k++) {
		const char c = p->text[k];
		const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
		if (c == ';' || (blank && (!used || text[used - 1] == ' ')))
			continue;
		text[used++] = blank ? ' ' : c;
	}
	if (used + 4 >= size)
		used += (size_t)snprintf(text + used, size - used, "...");
	text[used] = 0;
	return text;
}

static u32 most_degree(const struct account *a)
{
	for (u32 k = WARP_LANES; k > 0; k--)
		if (a->degree[k])
			return k;
	return 0;
}

/* Each part is an execution of its own: see observe/narrow.h. Constants are always loaded so. */
static void print_parts(FILE *to, const struct account_site *s)
{
	if (!s->parts.count || s->space == SPACE_CONST)
		return;
	fprintf(to, "      nothing reads the rest of the vector: the assembler loads ");
	for (u32 k = 0; k < s->parts.count; k++)
		fprintf(to, "%s%u bytes at +%u", k ? ", " : "", s->parts.part[k].bytes, s->parts.part[k].offset);
	fprintf(to, "\n");
}

static void print_finding(FILE *to, const struct finding *f)
{
	char text[TEXT_COLUMNS];

	if (f->has_place)
		fprintf(to, "  line %u, `%s`: %s", f->place.line, one_line(&f->place, text, sizeof text), f->text);
	else
		fprintf(to, "  %s", f->text);
	if (f->has_place && f->place.loc_file)
		fprintf(to, " (%s:%u)", f->place.loc_file, f->place.loc_line);
	fprintf(to, "\n");
	if (f->site)
		print_parts(to, f->site);
	if (*f->cause)
		fprintf(to, "      %s\n", f->cause);
	if (*f->remedy)
		fprintf(to, "      %s\n", f->remedy);
}

/* Of a lock-load, or an atomic that becomes a loop of lock-loads. */
static void print_locks(FILE *to, const struct account *a)
{
	const u64 *n = a->n;
	char c[6][32];

	if (!n[ACCOUNT_lock_rounds])
		return;
	fprintf(to,
		"          lock loops %s, rounds %s (retries %s, longest loop %llu), tries by lanes %s (failed %s, for "
		"another word %s)\n",
		report_count(n[ACCOUNT_lock_loops], c[0], sizeof c[0]),
		report_count(n[ACCOUNT_lock_rounds], c[1], sizeof c[1]),
		report_count(n[ACCOUNT_lock_retries], c[2], sizeof c[2]), (unsigned long long)n[ACCOUNT_lock_worst],
		report_count(n[ACCOUNT_lock_attempts], c[3], sizeof c[3]),
		report_count(n[ACCOUNT_lock_failures], c[4], sizeof c[4]),
		report_count(n[ACCOUNT_lock_false], c[5], sizeof c[5]));
}

static void print_row(FILE *to, const struct row *r)
{
	const struct place_of place = accounting_place(r->site);
	char text[TEXT_COLUMNS], a[32], b[32], c[32];
	const u32 degree = r->cost.space == SPACE_SHARED ? most_degree(r->account) : 0;

	fprintf(to, "  %6u  %-*s %-8s %13s %14s %14s", place.line, TEXT_COLUMNS - 1,
		one_line(&place, text, sizeof text), memory_space_name(r->cost.space),
		report_count(r->cost.executed, a, sizeof a), report_count(r->cost.cost, b, sizeof b),
		report_count(r->cost.ideal, c, sizeof c));
	if (degree)
		fprintf(to, " %6u", degree);
	fprintf(to, "\n");
	print_locks(to, r->account);
}

/* Rows of the table in the order of printing; to be freed. */
static struct row *collect(struct arena *arena, const struct accounting *a, const struct account_run *run, u32 *count)
{
	const struct account_site *sites;
	const u32 site_count = accounting_sites(a, &sites);
	struct row *rows = calloc((size_t)site_count * MEMORY_SPACES + 1, sizeof *rows);

	if (!rows)
		arena_out_of_memory(arena);

	*count = 0;
	for (u32 s = 0; s < site_count; s++) {
		struct memory_cost costs[MEMORY_SPACES];
		const u32 spaces = memory_costs(&run->sites[s], costs);
		for (u32 k = 0; k < spaces; k++)
			rows[(*count)++] = (struct row){&sites[s], &run->sites[s], costs[k]};
	}
	if (rows)
		qsort(rows, *count, sizeof *rows, by_excess);
	return rows;
}

/* What ran, and how many blocks an SM would hold. */
static void print_launch(FILE *to, const struct account_run *run)
{
	const u64 *f = run->facts;
	bool first = true;

	fprintf(to, "  occupancy %llu of %llu warps an SM (%llu block%s), limited by %s; %llu registers a thread\n",
		(unsigned long long)f[FACT_sm_warps], (unsigned long long)f[FACT_sm_warps_most],
		(unsigned long long)f[FACT_sm_blocks], f[FACT_sm_blocks] == 1 ? "" : "s",
		arch_limit_name(run->occupancy.limit), (unsigned long long)f[FACT_thread_registers]);
	for (u32 c = 0; c < CLASS_COUNT; c++) {
		const u64 n = f[FACT_classes + c];
		if (!n)
			continue;
		fprintf(to, "%s%s %.1f %%", first ? "  instructions: " : ", ", instruction_class_name(c),
			100 * (double)n / (double)f[FACT_instructions]);
		first = false;
	}
	fprintf(to, first ? "" : "\n");
}

/* The mix by pipes, of `sum` instructions. False: nothing ran. */
static bool print_pipes(FILE *to, const struct opcode_counts *all, u64 sum)
{
	bool first = true;

	for (u32 p = 0; sum && opcodes_pipe_name(p); p++) {
		u64 n = 0;
		for (size_t k = 0; k < all->items.count; k++)
			if (!strcmp(opcodes_pipe(&all->items.items[k]), opcodes_pipe_name(p)))
				n += all->items.items[k].executed;
		if (!n)
			continue;
		fprintf(to, "%s%s %.1f %%", first ? "  pipes: " : ", ", opcodes_pipe_name(p),
			100 * (double)n / (double)sum);
		first = false;
	}
	fprintf(to, first ? "" : "\n");
	return !first;
}

/* Machine code: which opcodes and pipes it kept busy, and what the assembler spilled. */
static void print_opcodes(FILE *to, const struct account_run *run)
{
	enum { OPCODES = 12 };
	const struct opcode_counts *all = &run->opcodes;
	u64 sum = 0;

	for (size_t k = 0; k < all->items.count; k++)
		sum += all->items.items[k].executed;
	if (print_pipes(to, all, sum))
		fprintf(to, "  %-32s %14s %14s\n", "opcode", "by warps", "by threads");
	for (size_t k = 0; k < all->items.count && k < OPCODES; k++) {
		const struct opcode_count *c = &all->items.items[k];
		char warps[32], threads[32];
		fprintf(to, "  %-32s %14s %14s %6.1f %%\n", c->name, report_count(c->executed, warps, sizeof warps),
			report_count(c->threads, threads, sizeof threads), 100 * (double)c->executed / (double)sum);
	}
	if (all->items.count > OPCODES)
		fprintf(to, "  and %zu more opcodes\n", all->items.count - OPCODES);
	if (all->spilled)
		fprintf(to, "  spilled: %u place%s of the stack, %llu stores and %llu loads by warps\n", all->spilled,
			all->spilled == 1 ? "" : "s", (unsigned long long)all->spill_stores,
			(unsigned long long)all->spill_loads);
}

static void print_totals(FILE *to, const struct account_run *run)
{
	static const char *const names[] = {
		"shared.wavefronts",      "shared.wavefronts_ideal", "shared.conflicts",        "global.sectors",
		"global.sectors_ideal",   "global.load.efficiency",  "global.store.efficiency", "local.sectors",
		"constant.requests",      "constant.replays",        "branch.efficiency",       "branch.divergent",
		"launch.warp_efficiency", "launch.predicated_off",   "barrier.arrivals",        "warp.shuffles",
		"registers.reads",        "registers.writes"};

	for (size_t k = 0; k < COUNT_OF(names); k++) {
		const struct counter *c = counters_find(names[k]);
		const double value = counter_value(c, run);
		char text[32];
		if (value == 0)
			continue;
		if (c->scale != 0)
			fprintf(to, "  %-26s %15.1f %s\n", c->name, value, c->unit);
		else
			fprintf(to, "  %-26s %15s %s\n", c->name, report_count((u64)value, text, sizeof text), c->unit);
	}
}

/* The instruction that runs most. */
static void print_busiest(FILE *to, const struct accounting *a, const struct account_run *run)
{
	const struct program *p = accounting_program(a);
	const struct code *code = NULL;
	u32 at = 0;
	u64 most = 0;
	char text[TEXT_COLUMNS], n[32];

	for (u32 c = 0; c < p->code_count; c++)
		for (u32 k = 0; k < p->codes[c]->function->body.count; k++)
			if (run->flow[c][k].executed > most) {
				code = p->codes[c];
				at = k;
				most = run->flow[c][k].executed;
			}
	if (!code || run->facts[FACT_instructions] == 0)
		return;
	const struct place_of place = place_find(code, at);
	fprintf(to, "  most often executed: line %u, `%s`, %s time%s", place.line, one_line(&place, text, sizeof text),
		report_count(most, n, sizeof n), plural_s(most));
	if (place.loc_file)
		fprintf(to, " (%s:%u)", place.loc_file, place.loc_line);
	fprintf(to, "\n");
}

/* The verdict, and the findings. */
static void print_findings(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run)
{
	u32 count;
	const struct finding *findings = findings_find(arena, a, run, &count);

	demangle_print(to, run->kernel->name);
	fprintf(to, " on %s", accounting_arch(a)->name);
	if (run->fault_count && !run->faults[0].times)
		fprintf(to, ", stopped by a fault, counts so far");
	if (!run->facts[FACT_instructions] && !count)
		fprintf(to, ": nothing was executed\n");
	else if (!count)
		fprintf(to, ": nothing costs more than it must\n");
	else
		fprintf(to, ": %u finding%s%s\n", count, count == 1 ? "" : "s", count == 1 ? "" : ", the worst first");
	for (u32 k = 0; k < count && k < FINDINGS; k++)
		print_finding(to, &findings[k]);
	if (count > FINDINGS)
		fprintf(to, "  and %u more\n", count - FINDINGS);
}

void report_memory(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run)
{
	u32 count;
	struct row *rows = collect(arena, a, run, &count);

	print_findings(to, arena, a, run);
	if (count)
		fprintf(to, "  %6s  %-*s %-8s %13s %14s %14s %6s\n", "line", TEXT_COLUMNS - 1, "instruction", "space",
			"executed", "cost", "ideal", "degree");
	for (u32 k = 0; k < count && k < ROWS; k++)
		print_row(to, &rows[k]);
	if (count > ROWS)
		fprintf(to, "  and %u more\n", count - ROWS);
	report_source_lines(to, arena, a, run);
	print_busiest(to, a, run);
	print_launch(to, run);
	print_opcodes(to, run);
	print_totals(to, run);
	free(rows);
}

/* Those that only machine code has. Returns how many the pattern names. */
static u32 print_opcode_metrics(FILE *to, const struct account_run *run, const char *pattern)
{
	u32 found = 0;
	u64 value;

	for (u32 k = 0; run->opcodes.items.count && opcodes_metric_name(k); k++) {
		const char *name = opcodes_metric_name(k);
		if (fnmatch(pattern, name, 0) || counters_find(name))
			continue;
		found++;
		opcodes_metric(&run->opcodes, name, &value);
		fprintf(to, "%s %s %llu\n", run->kernel->name, name, (unsigned long long)value);
	}
	return found;
}

bool report_metrics(FILE *to, const struct account_run *run, const char *names, const char **bad, size_t *bad_length)
{
	for (const char *at = names; *at;) {
		char pattern[160];
		const size_t length = strcspn(at, ",");
		u32 found = 0;
		snprintf(pattern, sizeof pattern, "%.*s", (int)min_u64(length, sizeof pattern - 1), at);
		for (u32 k = 0; length && k < counters_count(); k++) {
			const struct counter *c = counters_get(k);
			if (!counter_matches(c, pattern))
				continue;
			found++;
			fprintf(to, "%s %s %.17g\n", run->kernel->name, c->name, counter_value(c, run));
		}
		found += length ? print_opcode_metrics(to, run, pattern) : 0;
		if (length && !found) {
			*bad = at;
			*bad_length = length;
			return false;
		}
		at += length + (at[length] == ',');
	}
	return true;
}
