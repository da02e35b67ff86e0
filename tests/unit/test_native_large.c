/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of thousands of instructions: that compiling them stays within bounds, what is loops comes first, and the lean code that they
 * become does what the interpreter does.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "main.h"
#include "native/costs.h"
#include "native_there.h"

enum { REGISTERS = 24, WORDS = 1 << 15, LINE_ROOM = 400, LARGE = 16000, LEAN = 1200, LOOP_INSNS = 200 };

enum kind { STRAIGHT, BRANCHES, LOOPS, KINDS };

struct writer {
	char *text;
	size_t length, room;
	u64 state; /* of random numbers */
	u32 insns, labels;
};

static void put(struct writer *w, const char *line)
{
	const size_t length = strlen(line);

	if (w->room - w->length <= length + LINE_ROOM) {
		w->room = 2 * w->room + length + LINE_ROOM + 1;
		w->text = realloc(w->text, w->room);
		ck_assert_ptr_nonnull(w->text);
	}
	memcpy(w->text + w->length, line, length + 1);
	w->length += length;
}

static u32 pick(struct writer *w, u32 count)
{
	w->state = w->state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(w->state >> 33) % count;
}

/* Of any register; f0 to f3 hold whatever bits integers leave, NaNs among them. */
static void put_arithmetic(struct writer *w)
{
	static const char *const ways[] = {
		"add.u32 r%u, r%u, r%u;\n",
		"mad.lo.u32 r%u, r%u, r%u, r1;\n",
		"xor.b32 r%u, r%u, r%u;\n",
		"shf.l.wrap.b32 r%u, r%u, r%u, 7;\n",
		"{ .reg .pred q; setp.lt.s32 q, r%2$u, r%3$u; selp.b32 r%1$u, r%2$u, r%3$u, q; }\n",
		"{ .reg .f32 f<3>; mov.b32 f0, r%2$u; mov.b32 f1, r%3$u; fma.rn.f32 f0, f0, f1, f1; mov.b32 r%1$u, f0; "
		"}\n",
		"{ .reg .b64 d<2>; mul.wide.u32 d0, r%2$u, r%3$u; shr.u64 d0, d0, 9; cvt.u32.u64 r%1$u, d0; }\n",
		"{ .reg .f32 f; cvt.rn.f32.s32 f, r%2$u; cvt.rzi.u32.f32 r%1$u, f; popc.b32 r%1$u, r%1$u; add.u32 "
		"r%1$u, r%1$u, "
		"r%3$u; }\n",
		"{ .reg .pred q; setp.ne.u32 q, r%2$u, r%3$u; @q sub.u32 r%1$u, r%2$u, r%3$u; }\n"};
	char line[LINE_ROOM];

	snprintf(line, sizeof line, ways[pick(w, COUNT_OF(ways))], pick(w, REGISTERS), pick(w, REGISTERS),
		 pick(w, REGISTERS));
	put(w, line);
	w->insns++;
}

/* Rows, one place, vectors, whatever a register says, and shared memory, all in bounds. No thread writes what another one reads. */
static void put_access(struct writer *w)
{
	static const char *const ways[] = {"ld.global.u32 r%1$u, [d1+%3$u];\n",
					   "st.global.u32 [d3+%4$u], r%2$u;\n",
					   "ld.global.u32 r%1$u, [d3+%4$u];\n",
					   "ld.global.u32 r%1$u, [d0+%3$u];\n",
					   "ld.global.v2.u32 {r%1$u, r%2$u}, [d2+%3$u];\n",
					   "{ .reg .b64 e; and.b32 r%1$u, r%2$u, 0x3fff; mul.wide.u32 e, r%1$u, 4; "
					   "add.u64 e, e, d0; ld.global.u32 r%1$u, [e]; }\n",
					   "st.shared.u32 [s+%3$u], r%2$u;\n",
					   "ld.shared.u32 r%1$u, [s+%3$u];\n"};
	char line[LINE_ROOM];
	const u32 first = pick(w, REGISTERS), place = pick(w, 32);

	snprintf(line, sizeof line, ways[pick(w, COUNT_OF(ways))], first,
		 (first + 1 + pick(w, REGISTERS - 1)) % REGISTERS, place * 512, place * 2048);
	put(w, line);
	w->insns++;
}

static void put_run(struct writer *w, u32 insns)
{
	for (u32 k = 0; k < insns; k++)
		if (k % 15 == 7)
			put_access(w);
		else
			put_arithmetic(w);
}

static void put_branch(struct writer *w)
{
	char line[LINE_ROOM];
	const u32 label = w->labels++;

	snprintf(line, sizeof line, "and.b32 t, r%u, 7; setp.lt.u32 p, t, %u; @p bra else%u;\n", pick(w, REGISTERS),
		 pick(w, 9), label);
	put(w, line);
	put_run(w, 20);
	snprintf(line, sizeof line, "bra meet%u;\nelse%u:\n", label, label);
	put(w, line);
	put_run(w, 10);
	snprintf(line, sizeof line, "meet%u:\n", label);
	put(w, line);
	put_run(w, 20);
}

/* Of a number of rounds that differs among lanes. */
static void put_loop(struct writer *w, u32 insns)
{
	char line[LINE_ROOM];
	const u32 label = w->labels++;

	snprintf(line, sizeof line, "and.b32 t, r%u, 3; mov.u32 n, 0;\nround%u:\n", pick(w, REGISTERS), label);
	put(w, line);
	put_run(w, insns);
	snprintf(line, sizeof line, "add.u32 n, n, 1; setp.le.u32 p, n, t; @p bra round%u;\n", label);
	put(w, line);
}

/* d0: words that are only read; d1, d2: those of a thread, 4 and 8 bytes apart; d3: where it writes; s: its own in shared memory. */
static void put_kernel(struct writer *w, enum kind kind, u32 insns, const char *end)
{
	char line[LINE_ROOM];

	put(w,
	    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 words)\n{\n"
	    ".shared .align 16 .b8 near[16896]; .reg .pred p; .reg .b32 r<24>, t, n, s; .reg .b64 d<4>;\n"
	    "ld.param.u64 d0, [words]; mov.u32 t, %ctaid.x; mov.u32 n, %tid.x; mad.lo.u32 t, t, 128, n;\n"
	    "mov.u32 s, near; mad.lo.u32 s, n, 4, s; mul.wide.u32 d1, t, 4; add.u64 d2, d0, d1; add.u64 d2, d2, d1;\n"
	    "add.u64 d1, d0, d1; add.u64 d3, d1, 65536; ld.global.u32 n, [d1];\n");
	for (u32 k = 0; k < REGISTERS; k++) {
		snprintf(line, sizeof line, "xor.b32 r%u, n, %u;\n", k, k * 77);
		put(w, line);
	}
	for (u32 k = 0; k < 33; k++) {
		snprintf(line, sizeof line, "st.shared.u32 [s+%u], r1;\n", 512 * (k % 32));
		put(w, line);
	}
	while (w->insns < insns) {
		if (kind == STRAIGHT)
			put_run(w, 50);
		if (kind == BRANCHES || kind == LOOPS)
			put_branch(w);
		if (kind == LOOPS && pick(w, 3) == 0)
			put_loop(w, 40);
	}
	put(w, end);
	for (u32 k = 0; k < REGISTERS; k++) {
		snprintf(line, sizeof line, "st.global.u32 [d3+%u], r%u;\n", 2048 * k, k);
		put(w, line);
	}
	put(w, "ret;\n}\n");
}

static void make(struct session *s, enum kind kind, u32 insns, const char *end)
{
	struct writer w = {.state = 7};
	const struct lower_options options = {0};

	put_kernel(&w, kind, insns, end);
	ck_assert(session_open(s));
	session_add_text(s, "large.ptx", w.text, w.length);
	free(w.text);
	ck_assert_msg(session_build(s, &options), "%.2000s", session_diagnostics(s, false));
	ck_assert(session_reset_memory(s));
}

/* --- Bounds ----------------------------------------------------------------------------------- */

struct choice {
	struct session session;
	struct arena arena;
	const struct code_flow *flow;
	struct regions regions;
};

static void choose(struct choice *c, enum kind kind, u32 insns, const char *end)
{
	make(&c->session, kind, insns, end);
	const struct program *p = c->session.program;
	arena_init(&c->arena, NULL);
	c->flow = code_flow_build(&c->arena, p->isa, program_kernel(p, "k")->code, NULL, false);
	ck_assert_ptr_nonnull(c->flow);
	c->regions = regions_choose(c->flow);
}

static void choice_free(struct choice *c)
{
	arena_free(&c->arena);
	session_close(&c->session);
}

START_TEST(what_is_compiled_of_a_large_kernel_is_bounded)
{
	enum { REGION_MOST = 2000, SHARE_LEAST = 4 };
	struct choice c;
	u64 cost = 0, taken = 0;

	choose(&c, (enum kind)_i, LARGE, "");
	for (u32 k = 0; k < c.regions.count; k++) {
		const struct region *r = &c.regions.items[k];
		ck_assert(r->lean);
		ck_assert_uint_le(r->size, REGION_MOST);
		cost += r->left ? 0 : r->cost;
		taken += r->left ? 0 : r->size;
	}
	ck_assert_uint_le(cost, regions_budget(c.flow));
	ck_assert_uint_gt(taken, c.regions.insns / SHARE_LEAST);
	choice_free(&c);
}
END_TEST

START_TEST(a_small_kernel_is_compiled_in_full)
{
	struct choice c;

	choose(&c, LOOPS, 100, "");
	ck_assert_uint_gt(c.regions.count, 0);
	for (u32 k = 0; k < c.regions.count; k++)
		ck_assert(!c.regions.items[k].lean && !c.regions.items[k].left);
	choice_free(&c);
}
END_TEST

/* The only loop of the kernel stands at its end. */
START_TEST(loops_come_first)
{
	struct writer w = {.state = 9};
	struct choice c;
	u32 left = 0, loops = 0;

	put_loop(&w, LOOP_INSNS);
	choose(&c, BRANCHES, LARGE, w.text);
	free(w.text);
	for (u32 k = 0; k < c.regions.count; k++) {
		const struct region *r = &c.regions.items[k];
		bool loop = false;
		left += r->left;
		for (u32 b = 0; b < r->block_count; b++)
			loop |= r->blocks[b].backward;
		ck_assert(!loop || !r->left);
		loops += loop;
	}
	ck_assert_uint_gt(left, 0);
	ck_assert_uint_gt(loops, 0);
	choice_free(&c);
}
END_TEST

/* --- Lean code --------------------------------------------------------------------------------- */

struct outcome {
	u32 words[WORDS];
	struct launch_stats stats;
	struct fault fault;
	enum launch_status result;
};

static void run(enum native_mode mode, enum kind kind, const char *end, struct outcome *o)
{
	struct session s;
	char message[256] = "";

	make(&s, kind, LEAN, end);
	const u64 words = memory_allocate(&s.memory, sizeof o->words, 256, "words", 0);
	u32 *at = (u32 *)(void *)memory_find(&s.memory, words, 4)->host;
	for (u32 k = 0; k < WORDS; k++)
		at[k] = k * 2654435761u;
	struct launch l = {.program = s.program,
			   .kernel = program_kernel(s.program, "k"),
			   .memory = &s.memory,
			   .grid = {3, 1, 1},
			   .block = {128, 1, 1},
			   .params = (const u8 *)&words,
			   .jobs = 1};
	l.native = session_native(&s, s.program, l.kernel, mode);
	o->result = launch_run(&l, &o->stats, &o->fault, message, sizeof message);
	memcpy(o->words, at, sizeof o->words);
	if (mode == NATIVE_ALWAYS)
		ck_assert_uint_gt(native_report_of(l.native)->covered, LEAN / 2);
	session_close(&s);
}

static void compare(enum kind kind, const char *end, int result)
{
	static struct outcome interpreted, native;
	struct choice c;

	if (!native_is_there())
		return;
	choose(&c, kind, LEAN, end);
	ck_assert(c.regions.items[0].lean);
	choice_free(&c);
	run(NATIVE_OFF, kind, end, &interpreted);
	run(NATIVE_ALWAYS, kind, end, &native);
	ck_assert_int_eq(interpreted.result, result);
	ck_assert_int_eq(native.result, result);
	ck_assert_uint_eq(native.fault.address, interpreted.fault.address);
	ck_assert_uint_eq(native.fault.lanes, interpreted.fault.lanes);
	ck_assert_uint_eq(native.fault.warp, interpreted.fault.warp);
	/* How far other warps have come where one faults depends on native code. */
	if (result != LAUNCH_OK)
		return;
	ck_assert_mem_eq(native.words, interpreted.words, sizeof native.words);
	ck_assert_uint_eq(native.stats.warp_instructions, interpreted.stats.warp_instructions);
	ck_assert_uint_eq(native.stats.thread_instructions, interpreted.stats.thread_instructions);
	ck_assert_uint_eq(native.stats.branches, interpreted.stats.branches);
	ck_assert_uint_eq(native.stats.divergent_branches, interpreted.stats.divergent_branches);
}

START_TEST(lean_code_does_the_same) { compare((enum kind)_i, "", LAUNCH_OK); }
END_TEST

START_TEST(lean_code_faults_alike)
{
	compare((enum kind)_i,
		"and.b32 t, r3, 7; setp.lt.u32 p, t, 3; @p bra off; st.global.u32 [d1+1048576], r3; off:\n",
		LAUNCH_FAULT);
}
END_TEST

UNIT_TESTS("native_large", 300)
{
	tcase_add_loop_test(unit, what_is_compiled_of_a_large_kernel_is_bounded, 0, KINDS);
	UNIT_TEST(a_small_kernel_is_compiled_in_full);
	UNIT_TEST(loops_come_first);
	tcase_add_loop_test(unit, lean_code_does_the_same, BRANCHES, KINDS);
	tcase_add_loop_test(unit, lean_code_faults_alike, BRANCHES, KINDS);
}
