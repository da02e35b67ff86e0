/* SPDX-License-Identifier: Apache-2.0
 *
 * Short regions, whose functions run all warps of a gang and whose blocks follow one another: native code beside the interpreter, by memory,
 * counts and faults. Warps that count other than those before them, lanes that part in the middle of a gang or of a launch, accesses of
 * one place that have one range test, launches with other parameters and blocks in the same code, limits, and an interrupt.
 */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/session.h"
#include "main.h"
#include "native_there.h"
#include "same_outcome.h"
#include "session_of.h"

enum { WORDS = 8192, SPARE = 32 };

/* Its part works on memory by the thread's number in the grid, r3; r4 is the warp's. n and x are the launch's. */
static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry k(.param .u64 from, .param .u64 to, .param .u64 fixed, .param .u32 n, .param .u32 x)\n{\n"
	".shared .align 4 .b8 near[4096]; .reg .pred p, q; .reg .b16 h<4>; .reg .b32 r<20>; .reg .f32 f<4>; .reg .b64 "
	"d<12>;\n"
	"mov.u32 r0, %%tid.x; mov.u32 r1, %%ctaid.x; mov.u32 r2, %%ntid.x; mad.lo.u32 r3, r1, r2, r0; shr.u32 r4, r3, "
	"5;\n"
	"ld.param.u64 d0, [from]; ld.param.u64 d1, [to]; ld.param.u64 d2, [fixed]; ld.param.u32 r5, [n]; ld.param.u32 "
	"r6, [x];\n"
	"mul.wide.u32 d3, r3, 4; add.s64 d4, d0, d3; add.s64 d5, d1, d3; add.s64 d6, d2, d3;\n"
	"%s\nend: ret;\n}\n";

static const char *const parts[] = {
	/* In place, up to a bound in any warp or lane. */
	"setp.ge.u32 p, r3, r5; @p bra end; ld.global.f32 f0, [d4]; ld.global.f32 f1, [d5]; fma.rn.f32 f1, f0, f0, f1;"
	"st.global.f32 [d5], f1;",
	/* Warps go different ways, each with all of its lanes; or only one of them does. */
	"and.b32 r7, r4, 1; setp.eq.u32 p, r7, 1; ld.global.u32 r8, [d4]; @p bra odd; add.u32 r8, r8, 1; mul.lo.u32 "
	"r8, r8, 3;"
	"odd: add.u32 r8, r8, r3; st.global.u32 [d5], r8;",
	"setp.ne.u32 p, r4, r5; ld.global.u32 r8, [d4]; @p bra most; add.u32 r8, r8, 1; mul.lo.u32 r8, r8, 3; xor.b32 "
	"r8, r8, r3;"
	"most: st.global.u32 [d5], r8;",
	/* Lanes part in one warp, and in all. */
	"setp.eq.u32 p, r3, r5; ld.global.u32 r8, [d4]; @!p bra meet; add.u32 r8, r8, 77; meet: st.global.u32 [d5], "
	"r8;",
	"and.b32 r7, r0, 3; setp.eq.u32 p, r7, 2; ld.global.u32 r8, [d4]; @!p bra meet; add.u32 r8, r8, 77; meet: "
	"st.global.u32 "
	"[d5], r8;",
	"setp.lt.u32 p, r3, r5; @p ld.global.u32 r8, [d4]; @p add.u32 r8, r8, 5; @p st.global.u32 [d5], r8;",
	/* Several accesses of one place, of one size and others, with a store elsewhere or a change of the address in between. */
	"ld.global.u32 r8, [d5]; add.u32 r8, r8, r3; st.global.u32 [d5], r8; ld.global.u32 r9, [d5]; mul.lo.u32 r9, "
	"r9, 3;"
	"st.global.u32 [d5], r9; ld.global.u32 r10, [d4+4]; ld.global.f32 f0, [d5]; mov.b32 r11, f0; add.u32 r10, r10, "
	"r11; "
	"st.global.u32 [d5], r10;",
	"ld.global.u32 r8, [d6]; st.global.u32 [d5], r8; add.s64 d6, d6, 128; ld.global.u32 r9, [d6]; add.u32 r9, r9, "
	"r8; "
	"st.global.u32 [d4], r9; st.global.u32 [d5], r9;",
	"mul.wide.u32 d7, r3, 2; add.s64 d8, d1, d7; ld.global.u16 h0, [d8]; add.u16 h0, h0, 9; st.global.u16 [d8], "
	"h0; "
	"ld.global.u8 r8, [d8]; st.global.u32 [d4], r8;",
	"shl.b64 d7, d3, 1; add.s64 d8, d0, d7; ld.global.u64 d9, [d8]; add.s64 d9, d9, 11; st.global.u64 [d8], d9; "
	"ld.global.u64 d10, "
	"[d8]; st.global.u32 [d5], d10;",
	/* Memory that may only be read: loads do, and the store of one warp faults. */
	"ld.global.u32 r8, [d6]; st.global.u32 [d5], r8; setp.ne.u32 p, r4, r5; @p bra end; st.global.u32 [d6], r8;",
	"ld.global.u32 r8, [d6]; setp.eq.u32 p, r4, r5; selp.b64 d7, d6, d5, p; ld.global.u32 r9, [d7]; add.u32 r9, "
	"r9, r8;"
	"st.global.u32 [d7], r9;",
	"add.s64 d7, d6, 0; setp.lt.u32 p, r5, 20; @p bra store; add.s64 d7, d5, 0; store: ld.global.u32 r8, [d7]; "
	"add.u32 r8, r8, 1; st.global.u32 [d7], r8;",
	/* A warp, or a lane, goes where nothing is; addresses that are not aligned in one launch. */
	"setp.eq.u32 p, r4, r5; mov.b64 d7, 12; selp.b64 d7, d7, d5, p; ld.global.u32 r8, [d4]; st.global.u32 [d7], "
	"r8;",
	"setp.eq.u32 p, r3, r5; mov.b64 d7, 12; selp.b64 d7, d7, d5, p; ld.global.u32 r8, [d4]; st.global.u32 [d7], "
	"r8;",
	"cvt.u64.u32 d7, r6; add.s64 d5, d5, d7; ld.global.u32 r8, [d5]; add.u32 r8, r8, 3; st.global.u32 [d5], r8;",
	"cvt.u64.u32 d7, r5; shl.b64 d7, d7, 4; add.s64 d5, d5, d7; ld.global.u32 r8, [d5]; add.u32 r8, r8, 3; "
	"st.global.u32 [d5], "
	"r8;",
	/* Regions on both sides of a barrier: another warp goes first behind it. */
	"mov.u32 r12, near; mad.lo.u32 r12, r0, 4, r12; ld.global.u32 r8, [d4]; st.shared.u32 [r12], r8; bar.sync 0; "
	"xor.b32 r13, r0, "
	"31; mov.u32 r14, near; mad.lo.u32 r14, r13, 4, r14; setp.eq.u32 p, r4, r5; ld.shared.u32 r9, [r14]; @p bra "
	"end; "
	"add.u32 r9, r9, 1; add.u32 r9, r9, r3; st.global.u32 [d5], r9;",
	/* A loop of all lanes, whose turns the warp's number says. */
	"and.b32 r7, r4, 3; turn: mad.lo.u32 r8, r8, 3, r7; sub.u32 r7, r7, 1; setp.gt.s32 p, r7, 0; @p bra turn; "
	"st.global.u32 [d5], "
	"r8;",
};

/* Grids and blocks of launches that follow one another. n: some in the middle of the grid, at its ends, and none. */
static const struct {
	u32 grid, block, n, x;
	u64 limit;
} launches[] = {{32, 256, 8000, 0, 0}, {32, 256, 0, 0, 0},  {32, 256, 100000, 4, 0}, {64, 128, 100, 0, 0},
		{7, 96, 15, 2, 0},     {40, 32, 37, 0, 0},  {9, 100, 441, 0, 0},     {3, 1024, 64, 0, 0},
		{32, 256, 255, 0, 0},  {32, 256, 40, 1, 0}, {32, 256, 131, 0, 0},    {3, 640, 19, 0, 0},
		{32, 256, 0, 8, 900}};
enum { LAUNCHES = COUNT_OF(launches) };

struct outcome {
	struct launch_end end[LAUNCHES];
	u32 memory[LAUNCHES][3][WORDS + SPARE];
};

struct made {
	struct session session;
	struct {
		u64 memory[3];
		u32 n, x;
	} params;
};

static void make(struct made *m, const char *part)
{
	struct session *s = &m->session;
	char source[8192];

	snprintf(source, sizeof source, text, part);
	session_of(s, "warps.ptx", source);
	for (u32 k = 0; k < 3; k++) {
		m->params.memory[k] = memory_allocate(&s->memory, 4 * (WORDS + SPARE), 256, "memory",
						      k == 2 ? ALLOCATION_READ_ONLY : 0);
		u32 *words = (u32 *)(void *)memory_find(&s->memory, m->params.memory[k], 4)->host;
		for (u32 n = 0; n < WORDS + SPARE; n++)
			words[n] = (k + 1) * n * 2654435761u >> (k ? 20 : 3);
	}
}

static struct launch launch_of(struct made *m, enum native_mode mode, u32 jobs, const u32 grid, const u32 block)
{
	struct launch l = launch_in(&m->session, mode, &m->params, jobs);

	memcpy(l.grid, (const u32[]){grid, 1, 1}, sizeof l.grid);
	memcpy(l.block, (const u32[]){block, 1, 1}, sizeof l.block);
	return l;
}

static void run(enum native_mode mode, u32 jobs, const char *part, struct outcome *o)
{
	char message[256] = "";
	struct made m;

	make(&m, part);
	for (u32 n = 0; n < LAUNCHES; n++) {
		struct launch l = launch_of(&m, mode, jobs, launches[n].grid, launches[n].block);
		m.params.n = launches[n].n;
		m.params.x = launches[n].x;
		l.instruction_limit = launches[n].limit;
		o->end[n].status = launch_run(&l, &o->end[n].stats, &o->end[n].fault, message, sizeof message);
		for (u32 k = 0; k < 3; k++)
			memcpy(o->memory[n][k], memory_find(&m.session.memory, m.params.memory[k], 1)->host,
			       sizeof o->memory[n][k]);
	}
	session_close(&m.session);
}

static struct outcome interpreted, native;

/* What blocks behind a fault have done on other host threads is not compared, nor which of them comes first to a limit. */
static void compare(const char *part, bool one_thread)
{
	for (u32 n = 0; n < LAUNCHES; n++) {
		if (!one_thread && launches[n].limit)
			return;
		same_end(&interpreted.end[n], &native.end[n], part);
		if (!one_thread && interpreted.end[n].status != LAUNCH_OK)
			return;
		ck_assert_msg(!memcmp(interpreted.memory[n], native.memory[n], sizeof native.memory[n]),
			      "launch %u: %s", n, part);
	}
}

START_TEST(warps_agree)
{
	if (!native_is_there())
		return;
	run(NATIVE_OFF, 1, parts[_i], &interpreted);
	run(NATIVE_ALWAYS, 1, parts[_i], &native);
	compare(parts[_i], true);
	run(NATIVE_ALWAYS, 3, parts[_i], &native);
	compare(parts[_i], false);
}
END_TEST

static volatile bool stop;

static void *stop_soon(void *unused)
{
	const struct timespec soon = {.tv_nsec = 30000000};

	nanosleep(&soon, NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	return unused;
}

/* So many blocks would take an hour. */
START_TEST(an_interrupt_ends_blocks_that_follow)
{
	struct launch_stats stats;
	struct fault fault;
	char message[256] = "";
	pthread_t thread;
	struct made m;

	make(&m, "and.b32 r3, r3, 127; mul.wide.u32 d3, r3, 4; add.s64 d5, d1, d3; st.global.u32 [d5], r3;");
	struct launch l = launch_of(&m, native_is_there() ? NATIVE_ALWAYS : NATIVE_OFF, 1, 0x7fffffff, 1024);
	l.stop = &stop;
	stop = false;
	ck_assert(!pthread_create(&thread, NULL, stop_soon, NULL));
	ck_assert_int_eq(launch_run(&l, &stats, &fault, message, sizeof message), LAUNCH_INTERRUPTED);
	ck_assert(!pthread_join(thread, NULL));
	ck_assert_uint_lt(stats.blocks, 0x7fffffff);
	session_close(&m.session);
}
END_TEST

UNIT_TESTS("native_warps", 60)
{
	tcase_add_loop_test(unit, warps_agree, 0, COUNT_OF(parts));
	UNIT_TEST(an_interrupt_ends_blocks_that_follow);
}
