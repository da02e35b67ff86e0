/* SPDX-License-Identifier: Apache-2.0
 *
 * The accounting observer on whole kernels: known counts, the same with one worker and two, and
 * for each kernel that must be reported a twin about which the report must stay silent.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "report/advice.h"
#include "report/memory.h"
#include "main.h"

/* One access to `in` or to shared memory a warp; the address is tid * STRIDE + OFFSET. */
#define KERNEL(NAME, BODY)                                                                          \
	".visible .entry " NAME "(.param .u64 in)\n{\n"                                             \
	" .reg .pred p, q; .reg .b32 t, a, v, w; .reg .b64 b, g, c; .reg .f32 x, y; .reg .f64 z;\n" \
	" .shared .align 128 .b8 tile[8192]; .local .align 4 .b8 mine[128];\n"                      \
	" ld.param.u64 b, [in]; mov.u32 t, %tid.x; mov.u32 a, tile; mov.u32 v, 1;\n" BODY " ret;\n}\n"

static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 table[128];\n" KERNEL(
	"column",
	"mad.lo.u32 a, t, 128, a; st.shared.u32 [a], v;\n") KERNEL("padded",
								   "mad.lo.u32 a, t, 132, a; st.shared.u32 [a], v;\n")
	KERNEL("strided", "mad.wide.u32 b, t, 8, b; ld.global.u32 v, [b];\n") KERNEL(
		"straight",
		"mad.wide.u32 b, t, 4, b; "
		"ld.global.u32 v, [b];\n") KERNEL("shifted",
						  "mad.wide.u32 b, t, 4, b; ld.global.u32 v, "
						  "[b+4];\n") KERNEL("generic",
								     "mad.lo.u32 a, t, 4, a; "
								     "cvt.u64.u32 g, a; "
								     "cvta.shared.u64 g, g; "
								     "mad.wide.u32 b, t, 4, b;\n"
								     "setp.lt.u32 p, t, 16; "
								     "selp.b64 g, g, b, p; "
								     "ld.u32 v, [g];\n") KERNEL("guarded",
												"setp.gt.u32 p, t, 99; "
												"@p ld.shared.u32 v, "
												"[a]; setp.lt.u32 q, "
												"t, 8; @q "
												"st.shared.u32 [a], "
												"v;\n")
		KERNEL("adding",
		       "mad.wide.u32 b, t, 0, b; red.global.add.u32 [b], "
		       "t;\n") KERNEL("combined",
				      "red.global.add.u32 [b], t; "
				      "red.global.inc.u32 [b], t; "
				      "atom.global.max.s32 w, [b+4], t; "
				      "atom.global.add.u32 v, [b+8], 1; "
				      "atom.global.add.u32 w, [b+12], t; "
				      "st.global.u32 [b+16], v;\n") KERNEL("counting",
									   "red.shared.add.u32 [a], 1; "
									   "atom.shared.add.u32 v, [a], t; "
									   "st.shared.u32 "
									   "[a], v;\n") KERNEL("private",
											       "mov.u32 w, mine; "
											       "st.local.u32 [w], v; "
											       "ld.local.u32 v, [w];\n")
			KERNEL("indexed",
			       "mul.wide.u32 c, t, 4; mov.u64 g, table; add.u64 g, g, c; "
			       "ld.const.u32 v, [g];\n") KERNEL("wide",
								"mad.wide.u32 b, t, 16, b; ld.global.v4.u32 {v, w, t, "
								"a}, [b];\n") KERNEL("again",
										     "mad.wide.u32 b, t, 4, b; "
										     "ld.global.u32 v, [b]; "
										     "ld.global.u32 w, [b];\n")
				KERNEL("past",
				       "mad.wide.u32 b, t, 4, b; ld.global.cg.u32 v, [b]; "
				       "ld.volatile.global.u32 w, [b];\n") KERNEL("varied",
										  "shl.b32 w, t, 2; add.u32 a, a, w; "
										  "and.b32 v, t, 7; shl.b32 v, v, 5;\n"
										  "N: st.shared.u32 [a], t; "
										  "ld.shared.u16 w, [a+2]; "
										  "atom.shared.add.u32 w, [a], w;\n"
										  "cvta.shared.u64 g, 0; cvt.u64.u32 "
										  "c, v; add.u64 c, b, c; "
										  "ld.global.u32 w, [c];\n"
										  "ld.u32 w, [c+4]; red.global.add.u32 "
										  "[c], w; add.u32 a, a, 4; add.u32 v, "
										  "v, 36;\n"
										  "and.b32 v, v, 1020; and.b32 w, v, "
										  "8; sub.u32 w, w, 4; setp.lt.u32 p, "
										  "v, 900;\n"
										  "setp.lt.u32 q, t, v; @q "
										  "st.shared.u8 [a+1], t; @p bra N;\n")
					KERNEL("gathered",
					       "mul.lo.u32 w, t, t; mad.lo.u32 w, w, 148, t; and.b32 w, w, 8188; "
					       "add.u32 a, a, w;\n"
					       "ld.shared.u32 v, [a];\n") KERNEL("together",
										 "and.b32 w, t, 7; mad.lo.u32 a, w, 4, "
										 "a; atom.shared.add.u32 v, [a], t;\n"
										 "st.global.u32 [b], v;\n")
						KERNEL("taking",
						       "and.b32 w, t, 7; mad.lo.u32 a, w, 4, a; atom.shared.exch.b32 "
						       "v, [a], t;\n"
						       "st.global.u32 [b], v;\n") KERNEL("copied",
											 "mad.lo.u32 a, t, 64, a; "
											 "mad.wide.u32 b, t, 16, b; "
											 "setp.lt.u32 p, t, 8;\n"
											 "selp.u32 w, 16, 0, p; "
											 "cp.async.ca.shared.global "
											 "[a], [b], 16;\n"
											 "cp.async.cg.shared.global "
											 "[a], [b], 16, w; "
											 "cp.async.wait_all;\n")
							KERNEL("partly",
							       "setp.lt.u32 p, t, 8; mad.wide.u32 b, t, 4, b; @p "
							       "atom.global.add.u32 v, [b], t;\n"
							       "st.global.u32 [b], v;\n") KERNEL("halves",
												 "mad.wide.u32 b, t, "
												 "2, b; .reg .b16 h; "
												 "cvt.u16.u32 h, t;\n"
												 "atom.global.add."
												 "noftz.f16 h, [b], h; "
												 "st.global.u16 [b], "
												 "h;\n")
								KERNEL("looping", "LOOP: setp.lt.u32 p, v, t; add.u32 "
										  "v, v, 1; @p bra LOOP;\n")
									KERNEL("leaving",
									       "setp.lt.u32 p, t, 8; @p ret; "
									       "bar.warp.sync 0xffffff00;\n"
									       "shfl.sync.bfly.b32 v, t, 1, 0x1f, "
									       "0xffffff00;\n"
									       "setp.lt.u32 q, t, 12; @q add.u32 "
									       "v, v, 1; bar.sync 0;\n")
										KERNEL("choosing",
										       "ts: .branchtargets A, B, A;\n"
										       "rem.u32 v, t, 3; brx.idx v, "
										       "ts;\n"
										       "A: add.u32 w, t, 1; bra C;\n"
										       "B: fma.rn.f32 x, y, y, y; C: "
										       "add.f64 "
										       "z, z, z;\n")
											KERNEL("matrices",
											       "ldmatrix.sync.aligned."
											       "m8n8.x1."
											       "shared.b16 {v}, [a];\n"
											       "mma.sync.aligned."
											       "m16n8k8.row."
											       "col.f16.f16.f16.f16 "
											       "{v, w}, "
											       "{v, w}, {v}, {v, w};\n"
											       "mma.sync.aligned."
											       "m8n8k16.row."
											       "col.s32.s8.s8.s32 {v, "
											       "w}, {v}, "
											       "{w}, {v, w};\n")
												KERNEL("vectors",
												       ".reg .b32 "
												       "k<10>; "
												       "mul.lo.u32 w, "
												       "t, 16; add.u32 "
												       "a, a, w; "
												       "mad.wide.u32 "
												       "b, t, 16, b; "
												       "ld.shared.v4."
												       "u32 {k0, k1, "
												       "k2, k3}, [a]; "
												       "ld.global.v4."
												       "u32 {k4, k5, "
												       "_, k7}, [b]; "
												       "ld.const.v2."
												       "u32 {k8, k9}, "
												       "[table]; "
												       "add.u32 v, k1, "
												       "k2; add.u32 v, "
												       "v, k4; "
												       "add.u32 v, v, "
												       "k8; add.u32 v, "
												       "v, k9; "
												       "st.shared.u32 "
												       "[a], v;\n");

struct fixture {
	struct session session;
	struct accounting *accounting;
};

static void open_fixture(struct fixture *f)
{
	const struct lower_options options = {.arch = "sm_90"};

	ck_assert(session_open(&f->session));
	session_add_text(&f->session, "test.ptx", text, sizeof text - 1);
	ck_assert_msg(session_build(&f->session, &options), "%s", session_diagnostics(&f->session, false));
	f->accounting = accounting_new(&f->session.arena, f->session.program, NULL);
}

static void close_fixture(struct fixture *f)
{
	accounting_free(f->accounting);
	session_close(&f->session);
}

static struct account_run *run(struct fixture *f, const char *kernel, u32 blocks, u32 jobs)
{
	struct observer *const observers[] = {accounting_observer(f->accounting), NULL};
	struct launch_stats stats;
	struct fault fault;
	char message[256] = "";

	ck_assert(session_reset_memory(&f->session));
	const u64 in = memory_allocate(&f->session.memory, 4096, 65536, "in", 0);
	const struct launch l = {.program = f->session.program,
				 .kernel = program_kernel(f->session.program, kernel),
				 .memory = &f->session.memory,
				 .grid = {blocks, 1, 1},
				 .block = {32, 1, 1},
				 .params = (const u8 *)&in,
				 .jobs = jobs,
				 .any_order = true,
				 .observers = observers};
	accounting_begin(f->accounting);
	ck_assert_int_eq(launch_run(&l, &stats, &fault, message, sizeof message), LAUNCH_OK);
	struct account_run *r = accounting_end(f->accounting, &f->session.arena, &l, &stats);
	/* What is put together from straight runs is what the launch itself counts. */
	ck_assert_uint_eq(r->facts[FACT_blocks], stats.blocks);
	ck_assert_uint_eq(r->facts[FACT_warps], stats.warps);
	ck_assert_uint_eq(r->facts[FACT_instructions], stats.warp_instructions);
	ck_assert_uint_eq(r->facts[FACT_lanes], stats.thread_instructions);
	ck_assert_uint_eq(r->facts[FACT_branches], stats.branches);
	ck_assert_uint_eq(r->facts[FACT_divergent], stats.divergent_branches);
	return r;
}

static const struct {
	const char *kernel, *counter;
	double value; /* for one block */
} wanted[] = {
	{"column", "shared.store.wavefronts", 32},
	{"column", "shared.store.conflicts", 31},
	{"column", "shared.wavefronts_ideal", 1},
	{"column", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 31},
	{"column", "shared_st_bank_conflict", 31},
	{"column", "shared_efficiency", 100.0 / 32},
	{"column", "global.sectors", 0},
	{"padded", "shared.store.wavefronts", 1},
	{"padded", "shared.conflicts", 0},
	{"strided", "global.load.sectors", 8},
	{"strided", "global.sectors_ideal", 4},
	{"strided", "gld_efficiency", 50},
	{"strided", "shared.wavefronts", 0},
	{"straight", "global.load.sectors", 4},
	{"straight", "gld_efficiency", 100},
	{"straight", "global.load.requests", 1},
	{"straight", "global.store.requests", 0},
	{"shifted", "global.load.sectors", 5},
	{"shifted", "global.lines", 2},
	{"shifted", "global.sectors_ideal", 4},
	{"generic", "shared.load.wavefronts", 1},
	{"generic", "global.load.sectors", 2},
	{"generic", "shared.load.instructions", 0},
	{"generic", "global.load.instructions", 0},
	/* Lanes 64 bytes apart meet in banks 0 and 16 of each quarter-warp: 4 for one. */
	{"copied", "shared.async_ca.wavefronts", 16},
	{"copied", "shared.async.conflicts", 12},
	/* With the zeros that cp.async.cg fills in: 3 quarters of them. */
	{"copied", "shared.async_moved.conflicts", 21},
	{"copied", "global.async.sectors", 16},
	{"copied", "global.async.cg_sectors", 8},
	/* A gang ends before it, and has run its guard. */
	{"partly", "global.atomic.requests", 1},
	{"partly", "global.atomic.sectors", 1},
	/* Two lanes of a word: a load and two rounds, the first with two visits to both sectors. */
	{"halves", "global.atomic.requests", 2},
	{"halves", "global.atomic.sectors", 6},
	{"halves", "global.load.requests", 1},
	{"halves", "global.load.sectors", 2},
	{"guarded", "shared.load.instructions", 1},
	{"guarded", "shared.load.wavefronts", 0},
	{"guarded", "shared.store.instructions", 1},
	{"guarded", "shared.store.wavefronts", 1},
	/* Two words of the vector, 16 bytes apart from lane to lane; then one. */
	{"vectors", "shared.load.instructions", 2},
	{"vectors", "shared.load.wavefronts", 4 + 4},
	{"vectors", "global.load.requests", 1},
	{"vectors", "global.load.efficiency", 25},
	{"vectors", "global_local.wavefronts", 4},
	{"vectors", "constant.requests", 2},
	{"generic", "shared.ld.instructions", 1},
	{"generic", "global.ld.instructions", 1},
	{"adding", "global.reduction.sectors", 32},
	{"adding", "global.reduction.requests", 1},
	{"adding", "global.atomic.requests", 0},
	/* inc is not combined; the last add's result is not read */
	{"combined", "global.reduction.sectors", 1 + 32 + 1 + 1},
	{"combined", "global.reduction.requests", 4},
	{"combined", "global.atomic.sectors", 1},
	{"counting", "shared.atomic.wavefronts", 1 + 32},
	{"counting", "shared.atomic.conflicts", 31},
	{"counting", "shared.atomic.instructions", 2},
	{"private", "local.store.sectors", 4},
	{"private", "local.load.requests", 1},
	{"private", "global.sectors", 0},
	{"indexed", "constant.requests", 32},
	{"indexed", "constant.replays", 31},
	{"wide", "global.load.sectors", 16},
	{"wide", "global.load.requests", 1},
	{"wide", "global.load.efficiency", 100},
	{"column", "launch.instructions", 7},
	{"column", "launch.warp_efficiency", 100},
	{"column", "inst_integer", 32},
	{"column", "instructions.memory", 2},
	{"column", "instructions.misc", 3},
	{"column", "registers.reads", 2 + 2},
	{"column", "registers.writes", 2 + 1 + 1 + 1 + 1},
	{"column", "occupancy.limit_blocks", 32},
	{"column", "launch__shared_mem_per_block_static", 8192},
	{"guarded", "launch.predicated_off", 32 + 24},
	{"guarded", "launch.warp_efficiency", 100},
	{"guarded", "inst_compute_ld_st", 32 + 8},
	{"looping", "branch.executed", 30 + 1},
	{"looping", "branch.divergent", 30},
	{"looping", "branch_efficiency", 100.0 / 31},
	{"looping", "launch.predicated_off", 31 + 1},
	{"leaving", "branch.divergent", 1},
	{"leaving", "warp.shuffles", 1},
	{"leaving", "barrier.warp", 1},
	{"leaving", "barrier.arrivals", 1},
	{"leaving", "barrier.thread_arrivals", 24},
	{"leaving", "launch.predicated_off", 24 + 20},
	{"leaving", "thread_instructions.exchange", 24},
	{"matrices", "matrix.f16.instructions", 1},
	{"matrices", "matrix.f16.multiply_adds", 16 * 8 * 8},
	{"matrices", "matrix.int8.multiply_adds", 8 * 8 * 16},
	{"matrices", "matrix.fragment_loads", 1},
	{"matrices", "matrix.fp8.instructions", 0},
	{"choosing", "branch.divergent", 1},
	{"choosing", "inst_fp_32", 11},
	{"choosing", "inst_fp_64", 32},
	{"choosing", "registers.writes", 2 + 1 + 1 + 1 + 1 + 1 + 1 + 2},
};

START_TEST(counts_what_is_known)
{
	struct fixture f;

	open_fixture(&f);
	for (size_t k = 0; k < COUNT_OF(wanted); k++) {
		const struct counter *c = counters_find(wanted[k].counter);
		ck_assert_msg(c != NULL, "no counter %s", wanted[k].counter);
		const double got = counter_value(c, run(&f, wanted[k].kernel, 1, 1));
		ck_assert_msg(got == wanted[k].value, "%s %s: %g, wanted %g", wanted[k].kernel, wanted[k].counter, got,
			      wanted[k].value);
	}
	close_fixture(&f);
}
END_TEST

/* With caches: what is read again is found again, by sector; each SM has a first level of its own. */
/* As cuMemAlloc returned them, modulo 64 KiB. */
START_TEST(buffers_lie_where_the_driver_puts_them)
{
	static const struct {
		u64 bytes;
		u32 low;
	} sizes[] = {
		{16, 0},         {100, 0x200},     {512, 0x400},     {513, 0x600}, {3000, 0xa00},     {4, 0x1600},
		{65536, 0x1800}, {1, 0x1800},      {5 << 20, 0},     {16, 0x1a00}, {2000000, 0x1c00}, {1500000, 0},
		{600000, 0},     {600000, 0x2800}, {600000, 0x5000}, {600000, 0},  {600000, 0x2800},
	};
	struct memory m;

	memory_init(&m, 0x7f0000000000, 0x7fff00000000, UINT64_MAX, BOUNDS_DEFAULT);
	for (size_t k = 0; k < COUNT_OF(sizes); k++) {
		const u64 at = memory_allocate_buffer(&m, sizes[k].bytes, "a buffer");
		ck_assert_uint_ne(at, 0);
		ck_assert_uint_eq(at & 0xffff, sizes[k].low);
	}
	memory_free(&m);
}
END_TEST

static const struct {
	const char *kernel, *counter;
	u32 blocks;
	double value;
} estimated[] = {
	{"again", "l1.global.load.misses", 1, 4},
	{"again", "l1.global.load.hits", 1, 4},
	{"again", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", 1, 50},
	{"again", "l2.read.misses", 1, 4},
	{"again", "l2.read.hits", 1, 0},
	{"again", "l1.global.load.hits", 2, 8},
	{"again", "l2.read.hits", 2, 4},
	{"again", "l2_tex_read_hit_rate", 2, 50},
	{"again", "l1.global.load.misses", 132, 4 * 132},
	{"again", "l1.global.load.misses", 264, 4 * 132}, /* two blocks on each SM */
	{"past", "l1.global.load.hits", 1, 0},
	{"past", "l1.global.load.misses", 1, 0},
	{"past", "l2.read.hits", 1, 4},
	{"private", "l1.local.load.hits", 1, 4},
	{"private", "l1.local.store.misses", 1, 4},
	{"adding", "l2.write.misses", 1, 1},
};

/* Accesses that look like the ones before are counted together, but not with caches: the same sums. */
START_TEST(repeats_add_up)
{
	static const char *const kernels[] = {"varied", "column", "generic", "private", "indexed", "again", "guarded"};
	const struct accounting_options options = {.caches = ACCOUNT_CACHES_COLD};
	const struct account_site *sites;
	struct fixture f;

	open_fixture(&f);
	struct accounting *plain = f.accounting, *each = accounting_new(&f.session.arena, f.session.program, &options);
	const u32 count = accounting_sites(plain, &sites);
	for (size_t k = 0; k < COUNT_OF(kernels); k++) {
		f.accounting = plain;
		const struct account_run *a = run(&f, kernels[k], 40, 1);
		f.accounting = each;
		const struct account_run *b = run(&f, kernels[k], 40, 1);
		for (u32 s = 0; s < count; s++) {
			for (u32 n = 0; n < ACCOUNT_global_l1_hits; n++)
				ck_assert_msg(
					a->sites[s].n[n] == b->sites[s].n[n], "%s, %.*s: %s %llu, %llu", kernels[k], 40,
					accounting_place(&sites[s]).text, account_field_name((enum account_field)n),
					(unsigned long long)a->sites[s].n[n], (unsigned long long)b->sites[s].n[n]);
			ck_assert_mem_eq(a->sites[s].degree, b->sites[s].degree, sizeof a->sites[s].degree);
			ck_assert_mem_eq(a->sites[s].banks, b->sites[s].banks, sizeof a->sites[s].banks);
			ck_assert_mem_eq(&a->sites[s].worst, &b->sites[s].worst, sizeof a->sites[s].worst);
		}
	}
	accounting_free(each);
	f.accounting = plain;
	close_fixture(&f);
}
END_TEST

START_TEST(estimates_caches)
{
	const struct accounting_options options = {.caches = ACCOUNT_CACHES_COLD};
	struct fixture f;

	open_fixture(&f);
	accounting_free(f.accounting);
	f.accounting = accounting_new(&f.session.arena, f.session.program, &options);
	for (size_t k = 0; k < COUNT_OF(estimated); k++) {
		const struct counter *c = counters_find(estimated[k].counter);
		ck_assert_msg(c != NULL, "no counter %s", estimated[k].counter);
		const double got = counter_value(c, run(&f, estimated[k].kernel, estimated[k].blocks, 1));
		ck_assert_msg(got == estimated[k].value, "%s %s: %g, wanted %g", estimated[k].kernel,
			      estimated[k].counter, got, estimated[k].value);
	}
	close_fixture(&f);
}
END_TEST

/* Many blocks on one worker and on two: all sums and samples are the same, and so many times one
 * block's. Enough of them that the second worker has started before the first is through. */
enum { MANY = 16384 };

START_TEST(does_not_depend_on_workers)
{
	static const char *const kernels[] = {"column", "strided", "generic", "indexed", "guarded"};
	const struct account_site *sites;
	struct fixture f;

	open_fixture(&f);
	const u32 count = accounting_sites(f.accounting, &sites);
	for (size_t k = 0; k < COUNT_OF(kernels); k++) {
		const struct account_run *once = run(&f, kernels[k], 1, 1), *one = run(&f, kernels[k], MANY, 1),
					 *two = run(&f, kernels[k], MANY, 2);
		ck_assert_uint_ne(count, 0);
		ck_assert_uint_eq(two->stats.jobs, 2);
		ck_assert_mem_eq(one->operations, two->operations, sizeof one->operations);
		for (u32 s = 0; s < count; s++) {
			ck_assert_mem_eq(one->sites[s].n, two->sites[s].n, sizeof one->sites[s].n);
			ck_assert_mem_eq(one->sites[s].degree, two->sites[s].degree, sizeof one->sites[s].degree);
			ck_assert_uint_eq(one->sites[s].worst.order, two->sites[s].worst.order);
			ck_assert_uint_eq(one->sites[s].worst.excess, two->sites[s].worst.excess);
			for (u32 n = 0; n < ACCOUNT_FIELD_COUNT; n++)
				ck_assert_uint_eq(one->sites[s].n[n], MANY * once->sites[s].n[n]);
		}
	}
	close_fixture(&f);
}
END_TEST

/* The text report of one block; to be freed. */
static char *report_of(struct fixture *f, const char *kernel)
{
	char *out = NULL;
	size_t size;
	FILE *to = open_memstream(&out, &size);

	ck_assert_ptr_nonnull(to);
	report_memory(to, &f->session.arena, f->accounting, run(f, kernel, 1, 1));
	fclose(to);
	return out;
}

static const struct {
	const char *kernel;
	const char *says[3]; /* none: the report stays silent */
	const char *says_not;
} reports[] = {
	{"column",
	 {"32-way bank conflict, 31 wavefronts more", "all 32 lanes in bank 0: stride 32 words",
	  "rows of 33 words instead of 32): 1 wavefront\n"},
	 NULL},
	/* Padding that helps these addresses need not help the next. */
	{"gathered", {"bank conflict", "no single stride"}, "padding"},
	{"together",
	 {"4-way", "up to 4 lanes meet at one address", "one of them acting for all: 1 wavefront\n"},
	 "padding"},
	{"taking", {"up to 4 lanes meet at one address", "One such lane acting for all: 1 wavefront\n"}, "Combining"},
	{"padded", {NULL}, NULL},
	{"strided",
	 {"4 sectors more than needed", "stride 8 bytes, of which each lane uses 4",
	  "Neighbouring lanes at neighbouring elements: 4 sectors"},
	 NULL},
	{"straight", {NULL}, NULL},
	{"shifted",
	 {"1 sector more than needed", "4 bytes into a sector of 32", "Starting at a multiple of 128 bytes: 4"},
	 NULL},
	{"wide", {NULL}, NULL},
	{"vectors",
	 {"`ld.shared.v4.u32 {k0, k1, k2, k3}, [a]`: 4-way",
	  "nothing reads the rest of the vector: the assembler loads 4 bytes at +4, 4 bytes at +8\n",
	  "the assembler loads 4 bytes at +0\n"},
	 "+12"},
	{"adding",
	 {"up to 32 lanes wait for each other", "one of them acting for all: 1 sector\n",
	  "`red.global.add.u32 [b], t`"},
	 NULL},
	{"indexed", {"32 different addresses", "The same table in global memory: 4 sectors", "31 requests more"}, NULL},
	{"private", {"local memory: ", "indexed at run time, or spilled registers"}, NULL},
};

START_TEST(reports_what_is_wrong_and_no_more)
{
	struct fixture f;

	open_fixture(&f);
	for (size_t k = 0; k < COUNT_OF(reports); k++) {
		char *said = report_of(&f, reports[k].kernel);
		const bool silent = strstr(said, "nothing costs more than it must") != NULL;
		ck_assert_msg(silent == !reports[k].says[0], "%s: %s", reports[k].kernel, said);
		for (u32 s = 0; s < COUNT_OF(reports[k].says) && reports[k].says[s]; s++)
			ck_assert_msg(strstr(said, reports[k].says[s]) != NULL, "%s lacks '%s': %s", reports[k].kernel,
				      reports[k].says[s], said);
		if (reports[k].says_not)
			ck_assert_msg(!strstr(said, reports[k].says_not), "%s: %s", reports[k].kernel, said);
		free(said);
	}
	close_fixture(&f);
}
END_TEST

/* No name or alias stands for two counters. */
START_TEST(names_are_unique)
{
	for (u32 k = 0; k < counters_count(); k++) {
		const struct counter *c = counters_get(k);
		char aliases[512];
		ck_assert_ptr_eq(counters_find(c->name), c);
		ck_assert_uint_lt(strlen(c->aliases), sizeof aliases);
		strcpy(aliases, c->aliases);
		for (char *rest = NULL, *a = strtok_r(aliases, " ", &rest); a; a = strtok_r(NULL, " ", &rest))
			ck_assert_msg(counters_find(a) == c, "%s is an alias of two", a);
	}
	ck_assert_ptr_null(counters_find("no.such"));
	ck_assert(counter_matches(counters_find("gld_efficiency"), "gld_*"));
	ck_assert(!counter_matches(counters_find("gld_efficiency"), "gst_*"));
}
END_TEST

/* docs/counters.md is what the table prints. */
START_TEST(page_is_the_table)
{
	const char *source = getenv("srcdir");
	char path[512], *out = NULL;
	size_t size, at = 0;
	FILE *to = open_memstream(&out, &size);

	counters_print(to);
	fclose(to);
	snprintf(path, sizeof path, "%s/docs/counters.md", source ? source : ".");
	FILE *page = fopen(path, "r");
	ck_assert_msg(page != NULL, "%s", path);
	for (int c; (c = getc(page)) != EOF; at++)
		ck_assert_msg(at < size && (char)c == out[at], "docs/counters.md differs at byte %zu", at);
	ck_assert_uint_eq(at, size);
	fclose(page);
	free(out);
}
END_TEST

UNIT_TESTS("observe", 0)
{
	UNIT_TEST(counts_what_is_known);
	UNIT_TEST(estimates_caches);
	UNIT_TEST(buffers_lie_where_the_driver_puts_them);
	UNIT_TEST(repeats_add_up);
	UNIT_TEST(does_not_depend_on_workers);
	UNIT_TEST(reports_what_is_wrong_and_no_more);
	UNIT_TEST(names_are_unique);
	UNIT_TEST(page_is_the_table);
}
