/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels in whose results the order of blocks shows, on several host threads (exec/in_order.h): memory, counts and faults
 * are those of one thread, natively and interpreted; and where blocks can run side by side, several threads are used.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "main.h"
#include "native_there.h"
#include "same_outcome.h"
#include "session_of.h"

enum { BLOCKS = 500, THREADS = 128, WORDS = BLOCKS * THREADS, ROUNDS = 4 };

/* Two buffers: each thread's word is at d2, the results at d1 (r) and at d4 (q), whose memory may be the same. r1: the
 * block, r2: the thread, r10: a number that took a while. */
static const char text[] =
	".version 8.3\n.target sm_90\n.address_size 64\n.global .align 8 .u32 counter[2];\n"
	".visible .entry k(.param .u64 p, .param .u64 r, .param .u64 q)\n{\n"
	".shared .align 8 .b8 near[1024]; .reg .pred p<4>, zero; .reg .f32 f<8>; .reg .b32 r<30>; .reg .b64 d<12>;\n"
	"mov.u32 r1, %%ctaid.x; mov.u32 r2, %%tid.x; mov.u32 r3, %%ntid.x; mad.lo.u32 r4, r1, r3, r2; setp.eq.u32 "
	"zero, r2, 0;\n"
	"ld.param.u64 d0, [p]; ld.param.u64 d1, [r]; ld.param.u64 d4, [q]; mul.wide.u32 d3, r4, 4; add.s64 d2, d0, "
	"d3;\n"
	"ld.global.nc.u32 r10, [d2]; mov.u32 r11, 0;\n"
	"turn: mad.lo.u32 r10, r10, 1664525, 1013904223; add.u32 r11, r11, 1; setp.lt.u32 p0, r11, 40; @p0 bra turn;\n"
	"%s\nend: ret;\n}\n";

enum expected { SIDE_BY_SIDE, ALONE, ANY };
static const struct {
	const char *name, *part;
	enum expected expected;
	bool same_memory, fails;
} cases[] = {
	{"a float for each block", "cvt.rn.f32.u32 f1, r10; @!zero bra end; atom.global.add.f32 f2, [d1], f1;", ANY,
	 false, false},
	{"a float for each thread behind a barrier",
	 "cvt.rn.f32.u32 f1, r10; bar.sync 0; red.global.add.f32 [d1], f1; bar.sync 0; turn2: mad.lo.u32 r10, r10, "
	 "1664525, 1013904223; sub.u32 r11, r11, 1; setp.ne.u32 p0, r11, 0; @p0 bra turn2; st.global.u32 [d2+256000], "
	 "r10;",
	 SIDE_BY_SIDE, false, false},
	{"a float for each thread, and other kinds of reductions, at the end",
	 "setp.gt.u32 p0, r4, 63990; @p0 bra end; cvt.rn.f32.u32 f1, r10; red.global.add.f32 [d1], f1; "
	 "red.global.add.u32 [d4], r10; @zero red.global.xor.b32 [d4], r11;",
	 SIDE_BY_SIDE, false, false},
	{"a ticket",
	 "@!zero bra got; atom.global.add.u32 r12, [d1], 1; st.shared.u32 [near], r12;\ngot: bar.sync 0; ld.shared.u32 "
	 "r13, [near]; mad.lo.u32 r14, r13, r3, r2; mul.wide.u32 d5, r14, 4; add.s64 d5, d0, d5; turn2: mad.lo.u32 "
	 "r10, r10, 1664525, 1013904223; sub.u32 r11, r11, 1; setp.ne.u32 p0, r11, 0; @p0 bra turn2; st.global.u32 "
	 "[d5+256000], r10;",
	 SIDE_BY_SIDE, false, false},
	{"a ticket of the module's, and states that are looked back at",
	 "mov.u64 d6, counter; @!zero bra got; atom.global.add.u32 r12, [d6], 1; st.shared.u32 [near], r12;\ngot: "
	 "bar.sync 0; ld.shared.u32 r13, [near]; turn2: mad.lo.u32 r10, r10, 1664525, 1013904223; sub.u32 r11, r11, 1; "
	 "setp.ne.u32 p0, r11, 0; @p0 bra turn2; bar.sync 0; @!zero bra known; mul.wide.u32 d5, r13, 8; add.s64 d5, "
	 "d1, d5; mov.u32 r15, 0; setp.eq.u32 p1, r13, 0; @p1 bra first;\nlook: ld.volatile.global.u64 d7, [d5+-8]; "
	 "setp.eq.u64 p1, d7, 0; @p1 bra look; cvt.u32.u64 r15, d7;\nfirst: add.u32 r15, r15, r10; or.b32 r15, r15, 1; "
	 "cvt.u64.u32 d7, r15; st.volatile.global.u64 [d5], d7; st.shared.u32 [near+8], r15;\nknown: bar.sync 0; "
	 "ld.shared.u32 r16, [near+8]; add.u32 r16, r16, r10; st.global.u32 [d2+256000], r16;",
	 SIDE_BY_SIDE, false, false},
	{"the last block adds",
	 "@!zero bra end; mul.wide.u32 d5, r1, 4; add.s64 d5, d4, d5; st.global.u32 [d5], r10; membar.gl; "
	 "atom.global.inc.u32 r12, [d1], 499; setp.ne.u32 p0, r12, 499; @p0 bra end; mov.u32 r13, 0; mov.u32 r14, "
	 "0;\nsum: mul.wide.u32 d5, r14, 4; add.s64 d5, d4, d5; ld.global.u32 r15, [d5]; mad.lo.u32 r13, r13, 3, r15; "
	 "add.u32 r14, r14, 1; setp.ne.u32 p1, r14, 500; @p1 bra sum; st.global.u32 [d1+8], r13;",
	 ANY, false, false},
	{"a queue",
	 "atom.global.add.u32 r12, [d1], 1; and.b32 r12, r12, 4095; mul.wide.u32 d5, r12, 4; add.s64 d5, d1, "
	 "d5; st.global.u32 [d5+64], r4;",
	 ANY, false, false},
	{"first come, looked at before",
	 "mov.u32 r20, 0;\nmore: mad.lo.u32 r10, r10, 1664525, 1013904223; shr.u32 r12, r10, 20; mul.wide.u32 d5, r12, "
	 "4; add.s64 d5, d1, d5; ld.global.u32 r13, [d5]; setp.ne.u32 p0, r13, 0; @p0 bra next; atom.global.cas.b32 "
	 "r14, [d5], 0, r4; setp.ne.u32 p0, r14, 0; @p0 bra next; atom.global.add.u32 r15, [d4], 1; and.b32 r15, r15, "
	 "8191; mul.wide.u32 d6, r15, 4; add.s64 d6, d4, d6; st.global.u32 [d6+64], r4;\nnext: add.u32 r20, r20, 1; "
	 "setp.lt.u32 p1, r20, 8; @p1 bra more;",
	 ANY, false, false},
	{"two pointers into one allocation",
	 "@!zero bra end; atom.global.add.u32 r12, [d1], 1; mad.lo.u32 r12, r12, 5, r1; turn2: mad.lo.u32 r12, r12, "
	 "1664525, 1013904223; sub.u32 r11, r11, 1; setp.ne.u32 p0, r11, 0; @p0 bra turn2; shr.u32 r12, r12, 30; "
	 "mul.wide.u32 d5, r12, 4; add.s64 d5, d4, d5; atom.global.exch.b32 r13, [d5], r4;",
	 ANY, true, false},
	{"weak loads of what atomic operations write",
	 "ld.global.u32 r12, [d1]; turn2: mad.lo.u32 r10, r10, 1664525, r12; sub.u32 r11, r11, 1; setp.ne.u32 p0, r11, "
	 "0; @p0 bra turn2; st.global.u32 [d2+256000], r10; @!zero bra end; atom.global.exch.b32 r13, [d1], r10;",
	 ANY, false, false},
	{"an index of 64 bits that comes from a parameter, too",
	 "cvt.rn.f32.u32 f1, r10; shr.u64 d5, d4, 60; mad.lo.u64 d5, d5, 4, d1; bar.sync 0; @zero red.global.add.f32 "
	 "[d5], f1; bar.sync 0; turn2: mad.lo.u32 r10, r10, 1664525, 1013904223; sub.u32 r11, r11, 1; setp.ne.u32 p0, "
	 "r11, 0; @p0 bra turn2; st.global.u32 [d2+256000], r10;",
	 SIDE_BY_SIDE, false, false},
	{"a pointer from a parameter that one from memory replaces",
	 "cvt.rn.f32.u32 f1, r10; @zero st.shared.u64 [near+8], d4; red.global.add.f32 [d4], f1; red.global.add.u32 "
	 "[d4+4], 1; bar.sync 0; mov.u64 d5, d1; mov.u32 r20, 0;\nwalk: red.global.add.f32 [d5], f1; "
	 "red.global.add.u32 [d5+4], 1; ld.shared.u64 d5, [near+8]; add.u32 r20, r20, 1; setp.lt.u32 p0, r20, 2; @p0 "
	 "bra walk; bar.sync 0; mov.u32 r11, 0;\nturn2: mad.lo.u32 r10, r10, 1664525, 1013904223; add.u32 r11, r11, 1; "
	 "setp.lt.u32 p0, r11, 100; @p0 bra turn2; st.global.u32 [d2+256000], r10;",
	 ANY, false, false},
	{"a loaded pointer, or one to shared memory",
	 "@zero st.global.u64 [d1+16], d4; bar.sync 0; ld.global.u64 d7, [d1+16]; mov.u64 d6, near; "
	 "cvta.shared.u64 d6, d6; setp.eq.u32 p1, r1, 9999; selp.b64 d8, d6, d7, p1; atom.add.u32 r12, [d8], "
	 "1; xor.b32 r10, r10, r12; mov.u32 r11, 0; turn2: mad.lo.u32 r10, r10, 1664525, 1013904223; add.u32 "
	 "r11, r11, 1; setp.lt.u32 p0, r11, 100; @p0 bra turn2; st.global.u32 [d2+256000], r10;",
	 ANY, false, false},
	{"some warps pass a barrier of their own while others are still to add",
	 "cvt.rn.f32.u32 f1, r10; setp.gt.u32 p1, r2, 95; @p1 bra rounds; red.global.add.f32 [d1+8], f1; "
	 "bar.sync 1, 96; setp.gt.u32 p1, r2, 63; @p1 bra rounds; bar.sync 3, 64; bra rest;\nrounds: bar.sync "
	 "2, 64; bar.sync 2, 64; bar.sync 2, 64; bar.sync 2, 64; bar.sync 2, 64; bar.sync 2, 64; bar.sync 2, "
	 "64; bar.sync 2, 64; mov.u32 r11, 0;\nturn3: mad.lo.u32 r10, r10, 1664525, 1013904223; add.u32 r11, "
	 "r11, 1; setp.lt.u32 p0, r11, 100; @p0 bra turn3; cvt.rn.f32.u32 f1, r10; red.global.add.f32 [d1], "
	 "f1;\nrest: mov.u32 r11, 0; turn2: mad.lo.u32 r10, r10, 1664525, 1013904223; add.u32 r11, r11, 1; "
	 "setp.lt.u32 p0, r11, 100; @p0 bra turn2; st.global.u32 [d2+256000], r10;",
	 ANY, false, false},
	{"a clock",
	 "mov.u32 r12, %clock; st.global.u32 [d2+256000], r12; bar.sync 0; @!zero bra end; cvt.rn.f32.u32 f1, r10; "
	 "atom.global.add.f32 f2, [d1], f1;",
	 ALONE, false, false},
	{"all wait for the last block",
	 "setp.ne.u32 p0, r1, 499; @p0 bra wait; @zero st.volatile.global.u32 [d1], 1;\nwait: ld.volatile.global.u32 "
	 "r12, [d1]; setp.eq.u32 p1, r12, 0; @p1 bra wait; st.global.u32 [d2+256000], r12;",
	 ALONE, false, false},
	{"memory that is nowhere, in two of the blocks",
	 "and.b32 r12, r1, 509; setp.eq.u32 p0, r12, 301; selp.u64 d5, 12, d1, p0; @!zero bra end; "
	 "atom.global.add.f32 f2, [d5], f1;",
	 ANY, false, true},
	{"one waits for what never comes",
	 "bar.sync 0; @!zero bra end; setp.ne.u32 p0, r1, 400; @p0 bra end;\nwait: ld.volatile.global.u32 r12, [d1]; "
	 "setp.eq.u32 p1, r12, 0; @p1 bra wait; st.global.u32 [d2+256000], r12;",
	 ANY, false, true},
};

struct outcome {
	struct launch_end end;
	u32 own[WORDS], results[WORDS], others[WORDS];
};
static struct outcome alone, several;

struct made {
	struct session session;
	struct {
		u64 p, r, q;
	} params;
};

static u32 *words_at(struct made *m, u64 address)
{
	const struct allocation *a = memory_find(&m->session.memory, address, 4);

	return (u32 *)(void *)(a->host + (address - a->base));
}

static void make(struct made *m, const char *part, bool same_memory)
{
	struct memory *memory = &m->session.memory;
	char source[8192];

	snprintf(source, sizeof source, text, part);
	session_of(&m->session, "in-order.ptx", source);
	m->params.p = memory_allocate(memory, 2 * sizeof alone.own, 256, "own", 0);
	m->params.r = memory_allocate(memory, 2 * sizeof alone.results, 256, "results", 0);
	m->params.q = same_memory ? m->params.r : memory_allocate(memory, sizeof alone.others, 256, "others", 0);
}

static void run(struct made *m, enum native_mode mode, u32 jobs, struct outcome *o)
{
	struct session *s = &m->session;
	char message[256] = "";
	struct launch l = launch_in(s, mode, &m->params, jobs);

	memcpy(l.grid, (const u32[]){BLOCKS, 1, 1}, sizeof l.grid);
	memcpy(l.block, (const u32[]){THREADS, 1, 1}, sizeof l.block);
	ck_assert(memory_load_program(&s->memory, s->program));
	memset(words_at(m, m->params.r), 0, sizeof o->results);
	memset(words_at(m, m->params.q), 0, sizeof o->others);
	for (u32 k = 0; k < 2 * WORDS; k++)
		words_at(m, m->params.p)[k] = 2654435761u * k;
	o->end.status = launch_run(&l, &o->end.stats, &o->end.fault, message, sizeof message);
	memcpy(o->own, words_at(m, m->params.p) + WORDS, sizeof o->own);
	memcpy(o->results, words_at(m, m->params.r), sizeof o->results);
	memcpy(o->others, words_at(m, m->params.q), sizeof o->others);
}

static void same(const char *name, const char *what)
{
	ck_assert_msg(alone.end.status == several.end.status, "%s, %s: ends otherwise", name, what);
	same_end(&alone.end, &several.end, name);
	if (alone.end.status != LAUNCH_OK)
		return;
	ck_assert_msg(!memcmp(alone.own, several.own, sizeof alone.own), "%s, %s", name, what);
	ck_assert_msg(!memcmp(alone.results, several.results, sizeof alone.results), "%s, %s", name, what);
	ck_assert_msg(!memcmp(alone.others, several.others, sizeof alone.others), "%s, %s", name, what);
}

START_TEST(results_are_those_of_one_thread)
{
	static const u32 jobs[] = {2, 3, 7};
	const enum native_mode modes[] = {NATIVE_OFF, NATIVE_ALWAYS};
	struct made m;
	u32 most = 1;

	make(&m, cases[_i].part, cases[_i].same_memory);
	run(&m, NATIVE_OFF, 1, &alone);
	ck_assert_uint_eq(alone.end.stats.jobs, 1);
	ck_assert_int_eq(alone.end.status == LAUNCH_OK, !cases[_i].fails);
	for (u32 n = 0; n < COUNT_OF(modes) * COUNT_OF(jobs) * ROUNDS; n++) {
		const enum native_mode mode = modes[n % COUNT_OF(modes)];
		const u32 threads = jobs[n / COUNT_OF(modes) % COUNT_OF(jobs)];
		char what[64];
		if (mode == NATIVE_ALWAYS && !native_is_there())
			continue;
		snprintf(what, sizeof what, "%u threads, %s", threads, mode == NATIVE_OFF ? "interpreted" : "natively");
		run(&m, mode, threads, &several);
		same(cases[_i].name, what);
		most = max_u32(most, several.end.stats.jobs);
	}
	if (cases[_i].expected != ANY)
		ck_assert_msg((most > 1) == (cases[_i].expected == SIDE_BY_SIDE), "%s: by %u threads", cases[_i].name,
			      most);
	session_close(&m.session);
}
END_TEST

/* Blocks that wait for later ones, though the first does not: the order cannot be kept, but all get to their ends, and no
 * atomic operation is lost. */
START_TEST(later_blocks_are_waited_for)
{
	static const char part[] =
		"red.global.add.u32 [d4], 1; bar.sync 0; red.global.add.u32 [d4], 1; and.b32 r12, r1, 31; setp.ne.u32 "
		"p0, r12, 7; mul.wide.u32 d5, r1, 4; add.s64 d5, d1, d5; "
		"@!zero bra end; st.volatile.global.u32 [d5], 1; @p0 bra end;\nwait: ld.volatile.global.u32 r12, "
		"[d5+4]; setp.eq.u32 p1, r12, 0; @p1 bra wait; st.global.u32 [d2+256000], r12;";
	struct made m;

	make(&m, part, false);
	for (u32 k = 0; k < 2 * ROUNDS; k++) {
		run(&m, k % 2 && native_is_there() ? NATIVE_ALWAYS : NATIVE_OFF, 1 + k, &several);
		ck_assert_int_eq(several.end.status, LAUNCH_OK);
		for (u32 b = 7; b < BLOCKS; b += 32)
			ck_assert_uint_eq(several.own[b * THREADS], 1);
		ck_assert_uint_eq(several.others[0], 2 * WORDS);
	}
	session_close(&m.session);
}
END_TEST

UNIT_TESTS("in_order", 120)
{
	tcase_add_loop_test(unit, results_are_those_of_one_thread, 0, COUNT_OF(cases));
	tcase_add_test(unit, later_blocks_are_waited_for);
}
