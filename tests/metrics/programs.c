/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the programs of programs.csv (pack,case,metric,value) with the accounting on, checks their
 * results as golden-run does, and sets the counters beside the recorded ones.
 */
#include "tests/metrics/programs.h"

#include <stdlib.h>
#include <string.h>

#include "observe/counters.h"
#include "tests/metrics/recorded.h"

struct page {
	FILE *to;
	struct arena arena;
	const char *packs;
	struct recorded table;
	u32 same, differ, unexplained, failed;
};

/* --- Why values differ ------------------------------------------------------------------------ */

#define MACHINE    "PTX instructions here, machine instructions there"
#define PREDICATED "the assembler predicates what PTX branches around, and it runs without an active lane, too"
#define JOINED     "the assembler joins neighbouring loads or stores into wider ones"
#define UNROLLED \
	"the assembler unrolls the loop further, so that lanes that go round it a different number of times part"
#define SCHEDULE "which thread finds a vertex first depends on the order in which warps run"
#define BYPASS   "the source counters of cp.async.cg follow no rule found"

/* Shell patterns of program and metric; the first that fits. */
static const struct reason reasons[] = {
	{"graph.bfs.*", "*", SCHEDULE},
	{"*", "smsp__inst_executed.sum", MACHINE},
	{"*", "smsp__thread_inst_executed*", MACHINE},
	{"memory.spmv_csr.*", "*", UNROLLED},
	{"memory.reduce_interleaved.*", "*shared*", JOINED},
	{"memory.reduce_interleaved.*", "l1tex__data_bank_conflicts_pipe_lsu.sum", JOINED},
	{"memory.bitonic_block.*", "*shared*", JOINED},
	{"memory.bitonic_block.*", "l1tex__data_bank_conflicts_pipe_lsu.sum", JOINED},
	{"matmul.mm_f64.*", "*shared*", JOINED},
	{"matmul.mm_f32.*", "*shared*", JOINED},
	{"access.matvec.*", "*shared*", JOINED},
	{"matmul.mm_f64.*", "l1tex__data_bank_conflicts_pipe_lsu.sum", JOINED},
	{"tensor.gemm_mma.*", "*_st.sum", JOINED},
	{"tensor.gemm_mma.*", "l1tex__data_bank_conflicts_pipe_lsu.sum", JOINED},
	{"tensor.gemm_mma.*", "smsp__sass_inst_executed_op_global.sum", JOINED},
	{"tensor.gemm_mma.*", "memory_l1_tag_requests_global", JOINED},
	{"*", "smsp__sass_*_ldgsts*", BYPASS},
	{"async.cpasync_mix.*", "memory_*", BYPASS},
	{"tensor.gemm_mma.*", "memory_*", BYPASS},
	{"async.cpasync_mix.*", "l1tex__data_bank_conflicts_*", REASON_MEETING},
	{"*", "l1tex__data_bank_conflicts_pipe_lsu.sum", REASON_MEETING},
	{"*", "l1tex__t_output_wavefronts_pipe_lsu_mem_local_*", REASON_FRAMES},
	{"*", "smsp__inst_executed_op_*", PREDICATED},
};

/* --- One program ------------------------------------------------------------------------------ */

/* False with a message. */
static bool measure(const struct page *p, struct session *s, const struct recorded_row *r, struct measured *m,
		    char message[CASE_MESSAGE])
{
	const struct lower_options lower = {.allow_unmodelled = true, .arch = "sm_90"};
	const struct accounting_options counting = {.caches = ACCOUNT_CACHES_COLD};
	const struct pack *pack = pack_read(&s->arena, arena_printf(&s->arena, "%s/%s", p->packs, r->pack));
	const struct pack_case *c = recorded_case(pack, r->name);
	struct bytes text;

	snprintf(message, CASE_MESSAGE, "the pack or its module cannot be read");
	if (!c || !c->module ||
	    !pack_read_file(&s->arena, arena_printf(&s->arena, "%s/%s", p->packs, c->module), &text))
		return false;
	session_add_text(s, c->module, (const char *)text.data, text.size);
	if (!session_build(s, &lower))
		return false;
	return measured_run(m, s, pack, c, &counting, message);
}

static void print_row(struct page *p, const struct recorded_row *r, const struct account_run *run)
{
	const struct counter *c = counters_find(r->metric);

	if (!c)
		return;
	const double counted = counter_value(c, run);
	const char *why = reason_find(reasons, COUNT_OF(reasons), r);
	if (counted == r->recorded) {
		p->same++;
		if (counted != 0)
			fprintf(p->to, "| `%s` | %.10g | %.10g | |\n", r->metric, r->recorded, counted);
		return;
	}
	p->differ++;
	p->unexplained += !why;
	fprintf(p->to, "| `%s` | %.10g | %.10g | %s |\n", r->metric, r->recorded, counted, why ? why : "not explained");
}

static void print_heading(FILE *to)
{
	fputs("# Whole programs: recorded and counted\n\n"
	      "What Nsight Compute read on an H200 while these programs ran, and what `ptxsim` counts for the same "
	      "PTX, on sm_90,\n"
	      "for every metric of the recordings that has a counter ([counters.md](counters.md)); a metric that is 0 "
	      "on "
	      "both sides\n"
	      "is left out. The profiler sees machine code, which the assembler made of the PTX; the last column says "
	      "what it\n"
	      "did where values differ. Hits and misses (`_lookup_`) are the estimate of `--caches`.\n\n"
	      "This page is the output of `metrics-run --programs tests/golden/metrics/programs.csv tests/golden`.\n",
	      to);
}

static void print_program(struct page *p, size_t first, size_t end)
{
	const struct recorded_row *r = &p->table.items[first];
	struct measured m = {0};
	char message[CASE_MESSAGE];
	struct session s;

	if (!session_open(&s) || SESSION_ENTER(&s)) {
		p->failed++;
		return;
	}
	fprintf(p->to, "\n## %s\n\n", r->name);
	if (measure(p, &s, r, &m, message)) {
		fprintf(p->to, "| metric | recorded | counted | why they differ |\n| --- | ---: | ---: | --- |\n");
		for (size_t k = first; k < end; k++)
			print_row(p, &p->table.items[k], m.run);
	} else {
		fprintf(p->to, "Did not run: %s\n", message);
		p->failed++;
	}
	measured_free(&m);
	session_close(&s);
}

int programs_run(FILE *to, const char *table, const char *packs)
{
	struct page p = {.to = to, .packs = packs};

	arena_init(&p.arena, NULL);
	if (!recorded_read(&p.table, &p.arena, table)) {
		fprintf(stderr, "metrics-run: %s cannot be read\n", table);
		return 2;
	}
	print_heading(to);
	for (size_t k = 0, end; k < p.table.count; k = end) {
		end = recorded_end(&p.table, k);
		print_program(&p, k, end);
	}
	fprintf(to, "\n## In all\n\n%u values are equal, %u differ", p.same, p.differ);
	fprintf(to, p.unexplained ? ", %u of these for no known reason.\n" : ".\n", p.unexplained);
	fprintf(stderr, "%u passed, %u failed\n", p.same + p.differ - p.unexplained, p.unexplained + p.failed);
	arena_free(&p.arena);
	return p.failed || p.unexplained ? 1 : 0;
}
