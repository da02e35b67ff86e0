/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs programs of machine code with the accounting on, and compares.
 */
#include "tests/metrics/opcodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/counters.h"
#include "observe/opcodes.h"
#include "tests/metrics/recorded.h"

struct runner {
	struct arena arena;
	const char *packs, *cubins;
	struct recorded table;
	u32 passed, failed, known, equal, differ, unknown, apart, absent;
};

/* False: there is no such cubin. */
static bool read_cubin(struct session *s, const struct runner *r, const char *module)
{
	const char *dot = strrchr(module, '.');
	const int stem = dot ? (int)(dot - module) : (int)strlen(module);
	struct bytes text;

	if (!pack_read_file(&s->arena, arena_printf(&s->arena, "%s/%.*s.cubin", r->cubins, stem, module), &text))
		return false;
	session_add_text(s, module, (const char *)text.data, text.size);
	return true;
}

static bool measure(struct session *s, const struct pack *pack, const struct pack_case *c, struct measured *m,
		    char message[CASE_MESSAGE])
{
	const struct lower_options lower = {.allow_unmodelled = true};
	const struct accounting_options counting = {.caches = ACCOUNT_CACHES_NONE};

	snprintf(message, CASE_MESSAGE, "the module cannot be built");
	if (!session_build(s, &lower))
		return false;
	return measured_run(m, s, pack, c, &counting, message);
}

/* Counters of PTX's branches, by another rule than the profiler's of machine code; and totals by threads where the profiler's
 * own counts by opcode say something else. */
static bool is_comparable(const char *metric, bool threads_agree)
{
	return strncmp(metric, "smsp__sass_branch_targets_threads", 33) != 0 &&
	       (threads_agree || (strcmp(metric, "smsp__thread_inst_executed.sum") != 0 &&
				  strcmp(metric, "smsp__thread_inst_executed_pred_on.sum") != 0));
}

/* Whether the counters that begin so add up to one of the program's others. */
static bool adds_up(const struct runner *r, size_t first, size_t end, const char *parts, const char *whole)
{
	double sum = 0, all = -1;

	for (size_t k = first; k < end; k++) {
		if (!strncmp(r->table.items[k].metric, parts, strlen(parts)))
			sum += r->table.items[k].recorded;
		if (!strcmp(r->table.items[k].metric, whole))
			all = r->table.items[k].recorded;
	}
	return sum == all;
}

static bool value_of(const struct measured *m, const char *metric, double *value)
{
	const struct counter *c = counters_find(metric);
	u64 sum;

	if (opcodes_metric(&m->run->opcodes, metric, &sum)) {
		*value = (double)sum;
		return true;
	}
	if (c)
		*value = counter_value(c, m->run);
	return c != NULL;
}

static void compare(struct runner *r, const struct measured *m, size_t first, size_t end)
{
	const bool agree =
		adds_up(r, first, end, "thread_inst_executed_true:", "smsp__thread_inst_executed_pred_on.sum");
	const u32 before = r->differ;

	for (size_t k = first; k < end; k++) {
		const struct recorded_row *row = &r->table.items[k];
		double counted;
		if (!is_comparable(row->metric, agree) || !value_of(m, row->metric, &counted)) {
			r->unknown++;
		} else if (counted == row->recorded) {
			r->equal++;
		} else {
			r->differ++;
			printf("%s:%s: %s: recorded %.10g, counted %.10g\n", row->pack, row->name, row->metric,
			       row->recorded, counted);
		}
	}
	r->passed += r->differ == before;
	r->failed += r->differ != before;
}

/* Programs whose counts are not those of the recording, and why. */
static const struct {
	const char *name, *why;
} known[] = {
	{"graph.components.1", "which thread joins two components first depends on the order of warps"},
	{"fractal.mandelbrot.1",
	 "lanes leave the loop one by one, and which of them meet at BSYNC first depends on time"},
};

static const char *known_reason(const char *name)
{
	for (size_t k = 0; k < COUNT_OF(known); k++)
		if (!strcmp(known[k].name, name))
			return known[k].why;
	return NULL;
}

static void run_program(struct runner *r, size_t first, size_t end)
{
	const struct recorded_row *row = &r->table.items[first];
	struct measured m = {0};
	char message[CASE_MESSAGE];
	struct session s;

	if (!session_open(&s) || SESSION_ENTER(&s)) {
		r->failed++;
		return;
	}
	const struct pack *pack = pack_read(&s.arena, arena_printf(&s.arena, "%s/%s", r->packs, row->pack));
	const struct pack_case *c = recorded_case(pack, row->name);
	if (!c || !c->module || !read_cubin(&s, r, c->module)) {
		r->absent++;
	} else if (known_reason(row->name)) {
		r->known++;
	} else if (measure(&s, pack, c, &m, message)) {
		compare(r, &m, first, end);
	} else {
		r->failed++;
		printf("%s:%s: %s\n", row->pack, row->name, message);
	}
	measured_free(&m);
	session_close(&s);
}

int opcodes_run(const char *table, const char *packs, const char *cubins)
{
	struct runner r = {.packs = packs, .cubins = cubins};

	arena_init(&r.arena, NULL);
	if (!recorded_read(&r.table, &r.arena, table)) {
		fprintf(stderr, "metrics-run: %s cannot be read\n", table);
		return 2;
	}
	for (size_t k = 0, end; k < r.table.count; k = end) {
		end = recorded_end(&r.table, k);
		if (adds_up(&r, k, end, "inst_executed:", "smsp__inst_executed.sum"))
			run_program(&r, k, end);
		else
			r.apart++;
	}
	fprintf(stderr,
		"%u values equal, %u differ, %u of metrics without a counter; %u programs of two different runs, %u "
		"without a cubin\n",
		r.equal, r.differ, r.unknown, r.apart, r.absent);
	fprintf(stderr, "%u passed, %u failed, %u depend on the order of warps\n", r.passed, r.failed, r.known);
	arena_free(&r.arena);
	return r.failed ? 1 : 0;
}
