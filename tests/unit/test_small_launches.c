/* SPDX-License-Identifier: Apache-2.0
 *
 * Small launches after one another, whose worker uses the memory of the launch before: nothing of that is to be seen, whatever the
 * other launch was and however it ended, and what a large one took is not kept.
 */
#include <check.h>
#include <string.h>

#include "api/session.h"
#include "main.h"

enum { THREADS = 64, BLOCKS = 5000, LARGE = 1024 };

/* `k` stores thread number + `plus` + what it finds in its shared and local memory, which it then stains; the registers of `other` lie where
 * those of `k` do. `large` has much shared and local memory, `bad` stores where nothing is. */
static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry k(.param .u64 to, .param .u32 plus)\n{\n"
	".shared .align 4 .b8 near[256]; .local .align 4 .b8 own[64]; .reg .b32 r<8>; .reg .b64 d<4>;\n"
	"ld.param.u64 d0, [to]; ld.param.u32 r0, [plus]; mov.u32 r1, %tid.x;\n"
	"mul.wide.u32 d1, r1, 4; add.u64 d0, d0, d1; mov.u32 r4, near;\n"
	"mad.lo.u32 r4, r1, 4, r4; ld.shared.u32 r5, [r4]; ld.local.u32 r6, [own+60]; add.u32 r5, r5, r6;\n"
	"add.u32 r5, r5, r1; add.u32 r5, r5, r0; st.global.u32 [d0], r5;\n"
	"st.shared.u32 [r4], 0xa5a5a5a5; st.local.u32 [own+60], 0xa5a5a5a5; ret;\n}\n"
	".visible .entry other(.param .u64 to, .param .u32 plus)\n{\n"
	".reg .b32 r<40>; .reg .b64 d<2>;\n"
	"ld.param.u64 d0, [to]; ld.param.u32 r0, [plus]; not.b32 r1, r0; mov.u32 r2, 0xa5a5a5a5; xor.b32 r39, r1, r2;\n"
	"st.global.u32 [d0], r39; ret;\n}\n"
	".visible .entry large(.param .u64 to, .param .u32 plus)\n{\n"
	".shared .align 4 .b8 near[40000]; .local .align 4 .b8 own[64]; .reg .b32 r<8>;\n"
	"mov.u32 r1, near; mov.u32 r2, 0xa5a5a5a5; st.shared.u32 [r1], r2; st.shared.u32 [r1+39996], r2; st.local.u32 "
	"[own], r2; ret;\n}\n"
	".visible .entry bad(.param .u64 to, .param .u32 plus)\n{\n"
	".reg .b32 r<8>; .reg .b64 d<2>;\n"
	"mov.b64 d0, 12; mov.u32 r2, 0xa5a5a5a5; st.global.u32 [d0], r2; ret;\n}\n";

static struct session s;
static u64 to;

static void set_up(void)
{
	ck_assert(session_open(&s));
	session_add_text(&s, "small.ptx", text, strlen(text));
	ck_assert_msg(session_build(&s, &(struct lower_options){0}), "%.2000s", session_diagnostics(&s, false));
	ck_assert(session_reset_memory(&s));
	to = memory_allocate(&s.memory, THREADS * 4, 256, "to", 0);
	ck_assert_uint_ne(to, 0);
}

static void tear_down(void) { session_close(&s); }

static enum launch_status launch(const char *kernel, u32 blocks, u32 threads, u32 plus)
{
	struct launch_stats stats;
	struct fault fault;
	char message[256];
	struct {
		u64 to;
		u32 plus;
	} params = {to, plus};
	struct launch l = {.program = s.program,
			   .kernel = program_kernel(s.program, kernel),
			   .memory = &s.memory,
			   .threads = &s.threads,
			   .grid = {blocks, 1, 1},
			   .block = {threads, 1, 1},
			   .params = (const u8 *)&params,
			   .jobs = 4};

	return launch_run(&l, &stats, &fault, message, sizeof message);
}

static void expect_k(u32 plus)
{
	ck_assert_int_eq(launch("k", 1, THREADS, plus), LAUNCH_OK);
	const u32 *out = (const u32 *)(const void *)memory_find(&s.memory, to, 4)->host;
	for (u32 n = 0; n < THREADS; n++)
		ASSERT_EACH(out[n] == n + plus, "thread %u: %#x", n, out[n]);
}

START_TEST(the_next_launch_has_the_memory)
{
	expect_k(3);
	const struct worker *room = s.threads.room;
	ck_assert_ptr_nonnull(room);
	for (u32 turn = 0; turn < 20; turn++) {
		expect_k(turn);
		ck_assert_ptr_eq(s.threads.room, room);
	}
}
END_TEST

/* Of other kernels, of faults, of launches that are refused, and of those with other host threads. */
START_TEST(nothing_is_left_of_the_launch_before)
{
	for (u32 turn = 0; turn < 3; turn++) {
		ck_assert_int_eq(launch("other", 1, 32, turn), LAUNCH_OK);
		expect_k(1);
		ck_assert_int_eq(launch("bad", 1, 32, turn), LAUNCH_FAULT);
		expect_k(2);
		ck_assert_int_eq(launch("k", 1, 4096, turn), LAUNCH_BAD_CONFIG);
		expect_k(3);
		ck_assert_int_eq(launch("other", BLOCKS, 32, turn), LAUNCH_OK);
		expect_k(4);
		ck_assert_ptr_nonnull(s.threads.room);
	}
}
END_TEST

START_TEST(what_a_large_launch_took_is_not_kept)
{
	expect_k(3);
	ck_assert_int_eq(launch("large", 1, LARGE, 0), LAUNCH_OK);
	ck_assert_ptr_null(s.threads.room);
	expect_k(3);
	ck_assert_ptr_nonnull(s.threads.room);
}
END_TEST

/* What the launch before has looked up may be gone. */
START_TEST(memory_that_is_freed_is_not_remembered)
{
	expect_k(3);
	ck_assert(memory_release(&s.memory, to));
	ck_assert_int_eq(launch("k", 1, THREADS, 3), LAUNCH_FAULT);
}
END_TEST

UNIT_TESTS("small launches", 0)
{
	tcase_add_checked_fixture(unit, set_up, tear_down);
	tcase_add_test(unit, the_next_launch_has_the_memory);
	tcase_add_test(unit, nothing_is_left_of_the_launch_before);
	tcase_add_test(unit, what_a_large_launch_took_is_not_kept);
	tcase_add_test(unit, memory_that_is_freed_is_not_remembered);
}
