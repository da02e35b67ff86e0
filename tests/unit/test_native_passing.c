/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of short kernels that pass in native code (exec/blocks.h), told from each other by %ctaid alone, and branches on which all lanes of the
 * first block agree: native code beside the interpreter, by memory, counts and faults, in grids of one to three dimensions.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "main.h"
#include "native_there.h"
#include "same_outcome.h"
#include "session_of.h"

enum { WORDS = 32768 };

/* Its part has the block's coordinates in r1 to r3, the thread's in r4 and r5, the grid's in r6 and r7, the block's sizes in r8 and r9, the
 * number of the block in r10 and of the thread in the launch in r12, and the address of the thread's word in d2. */
static const char text[] =
	".version 8.3\n.target sm_90\n.address_size 64\n"
	".visible .entry k(.param .u64 to, .param .u32 n, .param .u32 x)\n{\n"
	".shared .align 4 .b8 near[4096]; .reg .pred p, q; .reg .b16 h<4>; .reg .b32 r<30>; .reg .b64 d<8>;\n"
	"mov.u32 r1, %%ctaid.x; mov.u32 r2, %%ctaid.y; mov.u32 r3, %%ctaid.z; mov.u32 r4, %%tid.x; mov.u32 r5, "
	"%%tid.y;\n"
	"mov.u32 r6, %%nctaid.x; mov.u32 r7, %%nctaid.y; mov.u32 r8, %%ntid.x; mov.u32 r9, %%ntid.y;\n"
	"mad.lo.u32 r10, r3, r7, r2; mad.lo.u32 r10, r10, r6, r1; mul.lo.u32 r11, r8, r9; mad.lo.u32 r12, r5, r8, r4; "
	"mad.lo.u32 r12, r10, r11, r12;\n"
	"ld.param.u64 d0, [to]; ld.param.u32 r13, [n]; ld.param.u32 r14, [x]; mul.wide.u32 d1, r12, 4; add.s64 d2, d0, "
	"d1;\n"
	"%s\nend: ret;\n}\n";

static const char *const parts[] = {
	"mad.lo.u32 r20, r2, 1000, r1; mad.lo.u32 r20, r3, 100000, r20; st.global.u32 [d2], r20;",
	/* What is read of a block besides, by which it may not pass. */
	"mov.u32 r20, %clusterid.x; mad.lo.u32 r20, r20, 7, r1; st.global.u32 [d2], r20;",
	"mov.u32 r20, %smid; add.u32 r20, r20, r2; st.global.u32 [d2], r20;",
	/* Handlers, which read rows in the frame, and the clock. */
	"setp.eq.u32 q, r4, 3; lop3.or.b32 r20|p, r1, r2, r3, 0x96, q; selp.u32 r21, 1000, 0, p; add.u32 r20, r20, "
	"r21; st.global.u32 [d2], r20;",
	"mov.u32 r20, %clock; and.b32 r20, r20, 0; lop3.or.b32 r20|p, r2, r20, r1, 0x1e, p; st.global.u32 [d2], r20;",
	/* Shared memory is zero where a block begins. */
	"mov.u32 r20, near; mad.lo.u32 r23, r5, r8, r4; mad.lo.u32 r20, r23, 4, r20; ld.shared.u32 r21, [r20]; add.u32 "
	"r21, r21, r12; st.shared.u32 "
	"[r20], r21; ld.shared.u32 r22, [r20]; st.global.u32 [d2], r22;",
	/* A bound by the thread, the warp or the block; two of them, at ragged edges. */
	"setp.ge.u32 p, r12, r13; @p bra end; st.global.u32 [d2], r12;",
	"shr.u32 r20, r12, 5; setp.ge.u32 p, r20, r13; @p bra end; st.global.u32 [d2], r12;",
	"setp.ge.u32 p, r10, r13; @p bra end; st.global.u32 [d2], r12;",
	"mad.lo.u32 r20, r1, r8, r4; mad.lo.u32 r21, r2, r9, r5; setp.ge.u32 p, r20, r13; @p bra end; setp.ge.u32 q, "
	"r21, r14; @q bra end; mad.lo.u32 r22, r21, 1000, r20; st.global.u32 [d2], r22;",
	/* Both sides of a branch, at which lanes of later blocks part; a loop by the block's number, another by the thread's. */
	"ld.global.u32 r20, [d2]; setp.ge.u32 p, r12, r13; @p bra big; add.u32 r20, r20, 3; big: mul.lo.u32 r20, r20, "
	"5; "
	"add.u32 r20, r20, r12; st.global.u32 [d2], r20;",
	"and.b32 r20, r10, 3; turn: add.u32 r21, r21, r20; sub.u32 r20, r20, 1; setp.gt.s32 p, r20, 0; @p bra turn; "
	"st.global.u32 [d2], r21;",
	"shr.u32 r20, r12, 6; and.b32 r20, r20, 3; turn: add.u32 r21, r21, r12; sub.u32 r20, r20, 1; setp.gt.s32 p, "
	"r20, 0; @p bra turn; st.global.u32 [d2], r21;",
	"sub.u32 r20, r12, r13; shr.u32 r20, r20, 27; turn: add.u32 r21, r21, r12; sub.u32 r20, r20, 9; setp.gt.s32 p, "
	"r20, "
	"0; @p bra turn; st.global.u32 [d2], r21;",
	/* A block, a warp or a lane goes where nothing is. */
	"setp.eq.u32 p, r10, r13; mov.b64 d3, 12; selp.b64 d2, d3, d2, p; st.global.u32 [d2], r12;",
	"shr.u32 r20, r12, 5; setp.eq.u32 p, r20, r13; mov.b64 d3, 12; selp.b64 d2, d3, d2, p; st.global.u32 [d2], "
	"r12;",
	"setp.eq.u32 p, r12, r13; mov.b64 d3, 12; selp.b64 d2, d3, d2, p; st.global.u32 [d2], r12;",
	/* Rows of a matrix whose width the launch says: parts of a warp in different ones, along them and at one place; all lanes, and some, which
	 * store there, too. */
	"and.b32 r20, r13, 63; mad.lo.u32 r21, r5, r20, 5; mad.lo.u32 r22, r5, r20, r4; and.b32 r22, r22, 4095; "
	"mul.wide.u32 d3, r21, 4; add.s64 d3, d0, d3; mul.wide.u32 d4, r22, 4; add.s64 d4, d0, d4; ld.global.u32 r23, "
	"[d3]; ld.global.u32 r24, [d4]; ld.global.u16 h0, [d3+114688]; cvt.u32.u16 r25, h0; mad.lo.u32 r23, r23, 3, "
	"r24; "
	"add.u32 r23, r23, r25; st.global.u32 [d2+32768], r23;",
	"and.b32 r20, r13, 63; mad.lo.u32 r21, r5, r20, 7; and.b32 r21, r21, 1023; mul.wide.u32 d3, r21, 8; add.s64 "
	"d3, "
	"d0, d3; mad.lo.u32 r22, r10, 16, r5; mad.lo.u32 r22, r22, 16, r4; and.b32 r22, r22, 2047; mul.wide.u32 d4, "
	"r22, "
	"8; add.s64 d4, d0, d4; and.b32 r25, r4, 5; setp.eq.u32 p, r25, 1; ld.global.u64 d5, [d3+114688]; @p bra end; "
	"ld.global.u64 d6, [d3+114688]; add.s64 d5, d5, d6; st.global.u64 [d4], d5; st.global.u32 [d2+32768], r22;",
	/* The same word from each block, so that the last one's is left. */
	"mul.wide.u32 d1, r4, 4; add.s64 d2, d0, d1; st.global.u32 [d2], r10;",
};

/* The later ones with an end in the middle of a block, again and again. */
static const struct {
	u32 grid[3], block[2], n, x;
	u64 limit;
} launches[] = {
	{{64, 1, 1}, {64, 1}, 100000, 100000, 0}, {{5, 3, 2}, {64, 1}, 1000, 100, 0},
	{{1, 7, 1}, {32, 4}, 20, 11, 0},          {{3, 1, 9}, {16, 16}, 17, 5, 0},
	{{6, 5, 1}, {16, 16}, 90, 75, 0},         {{4, 4, 4}, {32, 1}, 37, 1, 0},
	{{2, 2, 2}, {256, 1}, 0, 0, 0},           {{40, 1, 1}, {48, 1}, 333, 1, 0},
	{{40, 1, 1}, {128, 1}, 3000, 1, 0},       {{1, 40, 1}, {128, 1}, 3000, 20, 0},
	{{13, 3, 1}, {64, 4}, 50, 9, 0},          {{13, 3, 1}, {64, 4}, 50, 9, 77},
	{{13, 3, 1}, {64, 4}, 50, 9, 1500},
};
enum { LAUNCHES = COUNT_OF(launches), ROUNDS = 3 };

struct outcome {
	struct launch_end end;
	u32 memory[WORDS];
};
static struct outcome interpreted[ROUNDS][LAUNCHES], native[ROUNDS][LAUNCHES];

struct made {
	struct session session;
	struct {
		u64 to;
		u32 n, x;
	} params;
};

static u32 *words_of(struct made *m) { return (u32 *)(void *)memory_find(&m->session.memory, m->params.to, 4)->host; }

static void make(struct made *m, const char *part)
{
	struct session *s = &m->session;
	char source[8192];

	snprintf(source, sizeof source, text, part);
	session_of(s, "passing.ptx", source);
	m->params.to = memory_allocate(&s->memory, sizeof interpreted[0][0].memory, 256, "memory", 0);
}

static void run_one(struct made *m, enum native_mode mode, u32 jobs, u32 k, struct outcome *o)
{
	struct session *s = &m->session;
	char message[256] = "";
	struct launch l = {.program = s->program,
			   .kernel = program_kernel(s->program, "k"),
			   .memory = &s->memory,
			   .block = {launches[k].block[0], launches[k].block[1], 1},
			   .params = (const u8 *)&m->params,
			   .instruction_limit = launches[k].limit,
			   .jobs = jobs};

	memcpy(l.grid, launches[k].grid, sizeof l.grid);
	m->params.n = launches[k].n;
	m->params.x = launches[k].x;
	l.native = session_native(s, s->program, l.kernel, mode);
	for (u32 n = 0; n < WORDS; n++)
		words_of(m)[n] = 2654435761u * n;
	o->end.status = launch_run(&l, &o->end.stats, &o->end.fault, message, sizeof message);
	memcpy(o->memory, words_of(m), sizeof o->memory);
}

static void run(enum native_mode mode, u32 jobs, const char *part, struct outcome to[ROUNDS][LAUNCHES])
{
	struct made m;

	make(&m, part);
	for (u32 round = 0; round < ROUNDS; round++)
		for (u32 k = 0; k < LAUNCHES; k++)
			run_one(&m, mode, jobs, k, &to[round][k]);
	session_close(&m.session);
}

/* What blocks behind a fault have done on other host threads is not compared, nor which of them comes first to a limit. */
static void compare(const struct outcome *a, const struct outcome *b, u32 jobs, u32 k, const char *part)
{
	if (jobs > 1 && launches[k].limit)
		return;
	same_end(&a->end, &b->end, part);
	if (jobs == 1 || a->end.status == LAUNCH_OK)
		ck_assert_msg(!memcmp(a->memory, b->memory, sizeof a->memory), "launch %u, %u threads: %s", k, jobs,
			      part);
}

/* The last part depends on which block comes last. */
START_TEST(blocks_agree)
{
	const u32 most = _i + 1 == COUNT_OF(parts) ? 1 : 3;

	if (!native_is_there())
		return;
	run(NATIVE_OFF, 1, parts[_i], interpreted);
	for (u32 jobs = 1; jobs <= most; jobs += 2) {
		run(NATIVE_ALWAYS, jobs, parts[_i], native);
		for (u32 round = 0; round < ROUNDS; round++)
			for (u32 k = 0; k < LAUNCHES; k++)
				compare(&interpreted[round][k], &native[round][k], jobs, k, parts[_i]);
	}
}
END_TEST

UNIT_TESTS("native_passing", 60) { tcase_add_loop_test(unit, blocks_agree, 0, COUNT_OF(parts)); }
