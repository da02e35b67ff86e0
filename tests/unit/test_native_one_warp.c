/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of one warp, whose barriers native code passes, and launches of the same kernels with other blocks: native code beside the
 * interpreter, by memory, counts, faults and deadlocks.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "main.h"
#include "native/build.h"
#include "native_there.h"
#include "same_outcome.h"
#include "session_of.h"

enum { WORDS = 2048 };

/* Its part makes r9 of a thread of its number in the block (r0), the number of threads (r2), its block's (r1), and n (r8). */
static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to, .param .u32 n)\n{\n"
	".shared .align 16 .b8 near[4096]; .reg .pred p, q; .reg .b32 r<20>; .reg .b64 d<6>;\n"
	"mov.u32 r0, %%tid.x; mov.u32 r3, %%tid.y; mov.u32 r4, %%ntid.x; mov.u32 r5, %%ntid.y; mul.lo.u32 r2, r4, r5;\n"
	"mad.lo.u32 r0, r3, r4, r0; mov.u32 r1, %%ctaid.x; ld.param.u64 d0, [to]; ld.param.u32 r8, [n];\n"
	"mad.lo.u32 r10, r1, r2, r0; mul.wide.u32 d1, r10, 4; add.s64 d1, d0, d1; mov.u32 r9, r10;\n"
	"mov.u32 r13, near; mad.lo.u32 r12, r0, 4, r13; mov.u32 r11, 0;\n"
	"%s\n"
	"st.global.u32 [d1], r9; ret;\n}\n";

static const char *const parts[] = {
	/* Neighbours' words, again and again. */
	"turn: st.shared.u32 [r12], r9; bar.sync 0; ld.shared.u32 r5, [r12+4]; bar.sync 0; mad.lo.u32 r9, r5, 3, r9; "
	"add.u32 r11, r11, 1; setp.lt.u32 p, r11, 9; @p bra turn;",
	/* Along the diagonals of a matrix, by the lanes that are on them. */
	"mad.lo.u32 r14, r0, 64, r13; turn: sub.u32 r5, r11, r0; setp.gt.u32 p, r5, 31; @p bra over; "
	"mad.lo.u32 r6, r5, -60, r14; mad.lo.u32 r6, r5, 64, r6; ld.shared.u32 r7, [r6]; mad.lo.u32 r9, r7, 3, r9; "
	"st.shared.u32 [r6+64], r9; over: bar.sync 0; add.u32 r11, r11, 1; setp.lt.u32 p, r11, 40; @p bra turn;",
	/* In a branch that all take, or some; those that do not, come to another barrier, or to none. */
	"st.shared.u32 [r12], r9; setp.gt.u32 p, r8, 3; @p bra over; bar.sync 0; ld.shared.u32 r9, [r12+4]; over: "
	"bar.sync 1; ld.shared.u32 r5, [r12]; mad.lo.u32 r9, r9, 3, r5;",
	"st.shared.u32 [r12], r9; setp.gt.u32 p, r0, r8; @p bra other; bar.sync 0; ld.shared.u32 r5, [r12+4]; "
	"mad.lo.u32 r9, r9, 3, r5; bra past; other: bar.sync 0; ld.shared.u32 r5, [r12+8]; mad.lo.u32 r9, r9, 5, r5; "
	"past: add.u32 r9, r9, 1; bar.sync 0; add.u32 r9, r9, 2;",
	"st.shared.u32 [r12], r9; setp.gt.u32 p, r0, r8; @p bra other; bar.sync 0; add.u32 r9, r9, 7; bra past; other: "
	"bar.sync 1; add.u32 r9, r9, 5; past: add.u32 r9, r9, 1;",
	"st.shared.u32 [r12], r9; setp.gt.u32 p, r0, r8; @p bra past; bar.sync 0; ld.shared.u32 r9, [r12+4]; past: "
	"add.u32 r9, r9, 1;",
	/* Some have ended before. */
	"setp.gt.u32 p, r0, r8; @p bra end; turn: st.shared.u32 [r12], r9; bar.sync 0; ld.shared.u32 r5, [r12+4]; "
	"bar.sync 0; mad.lo.u32 r9, r5, 3, r9; add.u32 r11, r11, 1; setp.lt.u32 p, r11, 5; @p bra turn; bra more; end: "
	"ret; more: add.u32 r9, r9, 1;",
	/* Guards, numbers that nobody knows, or that are none, and counts of threads. */
	"setp.gt.u32 q, r8, 3; st.shared.u32 [r12], r9; @q bar.sync 0; ld.shared.u32 r5, [r12+4]; @!q bar.sync 3; "
	"mad.lo.u32 r9, r5, 3, r9;",
	"st.shared.u32 [r12], r9; and.b32 r5, r8, 7; bar.sync r5; ld.shared.u32 r6, [r12+4]; bar.sync r8; add.u32 r9, "
	"r6, r9;",
	"st.shared.u32 [r12], r9; bar.sync 2, r2; ld.shared.u32 r5, [r12+4]; bar.sync 15; mad.lo.u32 r9, r5, 3, r9;",
	"st.shared.u32 [r12], r9; bar.arrive 1, 64; add.u32 r9, r9, 1; bar.sync 1; ld.shared.u32 r5, [r12+4]; bar.sync "
	"0; mad.lo.u32 r9, r5, 3, r9;",
	/* The second completes what the first has begun, and the third waits for ever. */
	"st.shared.u32 [r12], r9; bar.arrive 1, 64; mad.lo.u32 r9, r9, 3, r9; xor.b32 r9, r9, r8; bar.sync 1; "
	"mad.lo.u32 r9, r9, 5, r0; xor.b32 r9, r9, r2; add.u32 r9, r9, 1; bar.sync 1, 64;",
	"st.shared.u32 [r12], r9; setp.gt.u32 p, r0, r8; bar.red.popc.u32 r5, 0, p; bar.sync 0; ld.shared.u32 r6, "
	"[r12+4]; mad.lo.u32 r9, r5, 3, r6;",
	/* Sums, and exchanges between lanes. */
	"and.b32 r5, r0, 3; mad.lo.u32 r5, r5, 4, r13; red.shared.add.u32 [r5], r9; bar.sync 0; ld.shared.u32 r6, "
	"[r5]; "
	"bar.sync 0; red.shared.max.u32 [r5], r9; bar.sync 0; ld.shared.u32 r7, [r5]; mad.lo.u32 r9, r6, 3, r7;",
	"turn: st.shared.u32 [r12], r9; bar.warp.sync 0xffffffff; ld.shared.u32 r5, [r12+4]; bar.sync 0; "
	"shfl.sync.bfly.b32 r6, r9, 5, 31, 0xffffffff; mad.lo.u32 r9, r5, 3, r6; add.u32 r11, r11, 1; setp.lt.u32 p, "
	"r11, 5; @p bra turn;",
	/* A fault behind barriers, by one lane, and an end in the middle. */
	"turn: st.shared.u32 [r12], r9; bar.sync 0; mad.lo.u32 r5, r11, 512, r12; ld.shared.u32 r6, [r5]; bar.sync 0; "
	"add.u32 r9, r6, r9; add.u32 r11, r11, 1; setp.le.u32 p, r11, r8; @p bra turn;",
	"turn: st.shared.u32 [r12], r9; bar.sync 0; add.u32 r9, r9, 1; bar.sync 0; add.u32 r11, r11, 1; setp.lt.u32 p, "
	"r11, 100; @p bra turn;",
};

static const struct {
	u32 block[2], n;
	u64 limit;
} launches[] = {
	{{32, 1}, 0, 0},   {{32, 1}, 5, 0},  {{8, 4}, 31, 0},  {{16, 2}, 17, 0}, {{32, 1}, 12, 300},
	{{64, 1}, 40, 0},  {{32, 1}, 2, 0},  {{16, 1}, 9, 0},  {{40, 1}, 33, 0}, {{32, 2}, 5, 0},
	{{32, 1}, 100, 0}, {{128, 1}, 2, 0}, {{1, 32}, 30, 0}, {{32, 1}, 1, 99},
};
enum { LAUNCHES = COUNT_OF(launches), BLOCKS = 5 };

struct outcome {
	struct launch_end end;
	u32 memory[WORDS];
};
static struct outcome interpreted[LAUNCHES], native[LAUNCHES];

struct made {
	struct session session;
	struct {
		u64 to;
		u32 n;
	} params;
};

static void make(struct made *m, const char *part)
{
	struct session *s = &m->session;
	char source[4096];

	snprintf(source, sizeof source, text, part);
	session_of(s, "one_warp.ptx", source);
	m->params.to = memory_allocate(&s->memory, sizeof(u32) * WORDS, 256, "memory", 0);
}

static struct native_kernel *run_one(struct made *m, enum native_mode mode, u32 k, struct outcome *o)
{
	struct session *s = &m->session;
	u32 *words = (u32 *)(void *)memory_find(&s->memory, m->params.to, 4)->host;
	char message[256] = "";
	struct launch l = launch_in(s, mode, &m->params, 1);

	memcpy(l.grid, (const u32[]){BLOCKS, 1, 1}, sizeof l.grid);
	memcpy(l.block, (const u32[]){launches[k].block[0], launches[k].block[1], 1}, sizeof l.block);
	l.instruction_limit = launches[k].limit;
	m->params.n = launches[k].n;
	memset(words, 0, sizeof o->memory);
	o->end.status = launch_run(&l, &o->end.stats, &o->end.fault, message, sizeof message);
	memcpy(o->memory, words, sizeof o->memory);
	return l.native;
}

static void run(enum native_mode mode, const char *part, u32 first, struct outcome to[LAUNCHES])
{
	struct made m;

	make(&m, part);
	for (u32 k = 0; k < LAUNCHES; k++)
		run_one(&m, mode, (first + k) % LAUNCHES, &to[(first + k) % LAUNCHES]);
	session_close(&m.session);
}

/* What blocks of several warps have done before one of them faults is not compared. */
static void compare(u32 k, const char *part)
{
	const struct outcome *a = &interpreted[k], *b = &native[k];

	same_end(&a->end, &b->end, part);
	if (a->end.status == LAUNCH_OK || launches[k].block[0] * launches[k].block[1] <= 32)
		ck_assert_msg(!memcmp(a->memory, b->memory, sizeof a->memory), "launch %u: %s", k, part);
}

/* Code is made for the first launch's blocks: of one warp, and of several. */
START_TEST(blocks_of_one_warp_agree)
{
	if (!native_is_there())
		return;
	run(NATIVE_OFF, parts[_i], 0, interpreted);
	for (u32 first = 0; first < LAUNCHES; first += 5) {
		run(NATIVE_ALWAYS, parts[_i], first, native);
		for (u32 k = 0; k < LAUNCHES; k++)
			compare(k, parts[_i]);
	}
}
END_TEST

/* The first part is one region for blocks of one warp, and is made again, with the same shapes, for those of several. */
START_TEST(barriers_end_no_region)
{
	struct made m;

	if (!native_is_there())
		return;
	make(&m, parts[0]);
	const struct kernel_code *one = (const void *)run_one(&m, NATIVE_ALWAYS, 0, &native[0])->ready;
	ck_assert_ptr_nonnull(one);
	ck_assert(one->one_warp && one->entry_count == 1);
	run_one(&m, NATIVE_ALWAYS, 5, &native[0]);
	const struct kernel_code *several = (const void *)run_one(&m, NATIVE_ALWAYS, 5, &native[0])->ready;
	ck_assert_ptr_ne(one, several);
	ck_assert(!several->one_warp && several->entry_count > 1 && several->row_threads == 32);
	run_one(&m, NATIVE_ALWAYS, 0, &native[0]);
	ck_assert_ptr_eq(several, (const void *)run_one(&m, NATIVE_ALWAYS, 0, &native[0])->ready);
	session_close(&m.session);
}
END_TEST

UNIT_TESTS("native_one_warp", 60)
{
	tcase_add_loop_test(unit, blocks_of_one_warp_agree, 0, COUNT_OF(parts));
	UNIT_TEST(barriers_end_no_region);
}
