/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches of many blocks, which follow one another in the same objects: each has its own place in the grid and its own zeroed
 * shared memory, whatever the block before it did, and is counted once. One by one, as gangs and natively, on one host thread
 * and on several; and where one block in the middle faults.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "main.h"
#include "native_there.h"

enum { X = 37, Y = 5, Z = 3, BLOCKS = X * Y * Z, THREADS = 64, STEP = 7, NEVER = 0xffffffff };

/* Of every STEP-th block some lanes add 1000, of the one behind it the warps go around a loop each as often as its number says.
 * The block with the number `bad` stores where nothing is. */
static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry k(.param .u64 to, .param .u32 bad)\n{\n"
	".shared .align 4 .b8 near[256]; .reg .pred p, q; .reg .b32 r<16>; .reg .b64 d<4>;\n"
	"mov.u32 r0, %tid.x; mov.u32 r1, %ctaid.x; mov.u32 r2, %ctaid.y; mov.u32 r3, %ctaid.z;\n"
	"mov.u32 r4, %nctaid.x; mov.u32 r5, %nctaid.y; mad.lo.u32 r6, r3, r5, r2; mad.lo.u32 r6, r6, r4, r1;\n"
	"ld.param.u64 d0, [to]; ld.param.u32 r7, [bad]; mad.lo.u32 r8, r6, 64, r0; mul.wide.u32 d1, r8, 4;\n"
	"add.u64 d0, d0, d1; mov.u32 r9, near; mad.lo.u32 r9, r0, 4, r9; ld.shared.u32 r10, [r9];\n"
	"st.shared.u32 [r9], r8; rem.u32 r11, r6, 7; setp.ne.u32 p, r11, 0; @p bra even;\n"
	"and.b32 r12, r0, 5; setp.ne.u32 p, r12, 1; @p bra even; add.u32 r10, r10, 1000;\n"
	"even: bar.sync 0; setp.ne.u32 p, r11, 1; @p bra done; shr.u32 r12, r0, 5; add.u32 r12, r12, r1;\n"
	"loop: add.u32 r10, r10, 3; sub.u32 r12, r12, 1; setp.gt.s32 q, r12, 0; @q bra loop;\n"
	"done: setp.eq.u32 p, r6, r7; @p mov.b64 d0, 12; xor.b32 r13, r0, 63; shl.b32 r13, r13, 2; mov.u32 r14, near;\n"
	"add.u32 r14, r14, r13; ld.shared.u32 r14, [r14]; add.u32 r10, r10, r14; st.global.u32 [d0], r10; ret;\n}\n";

static u32 expected(u32 block, u32 thread)
{
	u32 value = block * THREADS + (thread ^ (THREADS - 1));
	const u32 turns = block % X + thread / 32;

	if (block % STEP == 0 && (thread & 5) == 1)
		value += 1000;
	if (block % STEP == 1)
		value += 3 * (turns ? turns : 1);
	return value;
}

struct outcome {
	enum launch_status status;
	struct launch_stats stats;
	u64 bad_block;
	u32 out[BLOCKS * THREADS];
};

static void run(enum native_mode mode, bool one_warp, u32 jobs, u32 bad, struct outcome *o)
{
	const struct lower_options options = {.one_warp = one_warp};
	struct session s;
	struct fault fault;
	char message[256] = "";

	ck_assert(session_open(&s));
	session_add_text(&s, "blocks.ptx", text, strlen(text));
	ck_assert_msg(session_build(&s, &options), "%.2000s", session_diagnostics(&s, false));
	ck_assert(session_reset_memory(&s));
	struct {
		u64 to;
		u32 bad;
	} params = {memory_allocate(&s.memory, sizeof o->out, 256, "to", 0), bad};
	struct launch l = {.program = s.program,
			   .kernel = program_kernel(s.program, "k"),
			   .memory = &s.memory,
			   .grid = {X, Y, Z},
			   .block = {THREADS, 1, 1},
			   .params = (const u8 *)&params,
			   .jobs = jobs};
	l.native = session_native(&s, s.program, l.kernel, mode);
	o->status = launch_run(&l, &o->stats, &fault, message, sizeof message);
	o->bad_block = fault.block;
	ck_assert_int_eq(fault.kind, o->status == LAUNCH_OK ? FAULT_NONE : FAULT_NULL_POINTER);
	memcpy(o->out, memory_find(&s.memory, params.to, 1)->host, sizeof o->out);
	session_close(&s);
}

static const struct {
	enum native_mode mode;
	bool one_warp;
	u32 jobs;
} ways[] = {{NATIVE_OFF, true, 1},   {NATIVE_OFF, false, 1},    {NATIVE_OFF, false, 3},
	    {NATIVE_AUTO, false, 1}, {NATIVE_ALWAYS, false, 1}, {NATIVE_ALWAYS, false, 3}};

static struct outcome got, first;

START_TEST(each_block_is_itself)
{
	run(ways[0].mode, ways[0].one_warp, ways[0].jobs, NEVER, &first);
	run(ways[_i].mode, ways[_i].one_warp, ways[_i].jobs, NEVER, &got);
	ck_assert_int_eq(got.status, LAUNCH_OK);
	for (u32 k = 0; k < BLOCKS * THREADS; k++)
		ASSERT_EACH(got.out[k] == expected(k / THREADS, k % THREADS), "block %u, thread %u: %u, not %u",
			    k / THREADS, k % THREADS, got.out[k], expected(k / THREADS, k % THREADS));
	ck_assert_uint_eq(got.stats.blocks, BLOCKS);
	ck_assert_uint_eq(got.stats.warps, BLOCKS * THREADS / 32);
	ck_assert_uint_eq(got.stats.warp_instructions, first.stats.warp_instructions);
	ck_assert_uint_eq(got.stats.thread_instructions, first.stats.thread_instructions);
	ck_assert_uint_eq(got.stats.branches, first.stats.branches);
	ck_assert_uint_eq(got.stats.divergent_branches, first.stats.divergent_branches);
}
END_TEST

/* Whatever its kind, at the end of a row, and the last one. */
static const u32 bad_blocks[] = {0, 1, X - 1, X, 7 * 30, 7 * 30 + 1, BLOCKS - 1};

START_TEST(blocks_before_a_fault_have_run)
{
	for (size_t n = 0; n < sizeof bad_blocks / sizeof *bad_blocks; n++) {
		run(ways[_i].mode, ways[_i].one_warp, ways[_i].jobs, bad_blocks[n], &got);
		ck_assert_int_eq(got.status, LAUNCH_FAULT);
		ck_assert_uint_eq(got.bad_block, bad_blocks[n]);
		for (u32 k = 0; k < bad_blocks[n] * THREADS; k++)
			ASSERT_EACH(got.out[k] == expected(k / THREADS, k % THREADS), "block %u, thread %u",
				    k / THREADS, k % THREADS);
	}
}
END_TEST

UNIT_TESTS("blocks", 60)
{
	tcase_add_loop_test(unit, each_block_is_itself, 0, sizeof ways / sizeof *ways);
	tcase_add_loop_test(unit, blocks_before_a_fault_have_run, 0, sizeof ways / sizeof *ways);
	if (!native_is_there())
		fprintf(stderr, "blocks run interpreted alone\n");
}
