/* SPDX-License-Identifier: Apache-2.0
 *
 * Random kernels with gangs and without: the same memory, the same counts, watched or not, the same fault. The kernels
 * have no races; what they have is what parts gangs and lets them form again: branches on lanes, warps
 * and data, loops, guards, barriers, shuffles, atomic operations, scattered and faulting accesses.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "same_counts.h"
#include "main.h"
#include "native_there.h"

enum {
	KERNELS = 300,
	NATIVE_KERNELS = 3,
	WORDS = 8,
	DOUBLES = 4,
	FLOATS = 4,
	THREADS_MAX = 3 * 256,
	IN_WORDS = 4096,
	OUT_STRIDE = 64,
	FRESH = 256,
	ORDERS = 256
};

/* --- The generator -------------------------------------------------------------------------- */

struct writer {
	char text[65536];
	size_t length;
	u64 state;
	u32 labels, depth, left;
	u32 fresh;       /* registers that only one instruction writes */
	u32 orders;      /* words whose old values show which warp came first, each for one instruction */
	bool faults;     /* one access may go astray */
	bool loops, met; /* within a loop; after a barrier: which warp comes first is not the same */
};

#include "random_writer.h"

static u32 word(struct writer *g) { return draw(g, WORDS); }

static void compute(struct writer *g)
{
	static const char *const two[] = {"add.u32", "sub.s32", "mul.lo.u32", "xor.b32", "and.b32", "or.b32",
					  "min.s32", "max.u32", "mul.hi.s32", "shl.b32", "shr.s32", "div.u32"};

	switch (draw(g, 12)) {
	case 0:
	case 1:
	case 2:
		put(g, "%s r%u, r%u, r%u;\n", two[draw(g, COUNT_OF(two))], word(g), word(g), word(g));
		break;
	case 3:
		put(g, "%s r%u, r%u, %u;\n", draw(g, 2) ? "shl.b32" : "shr.u32", word(g), word(g), draw(g, 40));
		break;
	case 4:
		put(g, "mad.lo.s32 r%u, r%u, %d, r%u;\n", word(g), word(g), (int)draw(g, 2000) - 1000, word(g));
		break;
	case 5:
		put(g, "mad.wide.u32 d%u, r%u, %u, d%u;\n", draw(g, DOUBLES), word(g), draw(g, 100), draw(g, DOUBLES));
		break;
	case 6:
		put(g, "cvt.u32.u64 r%u, d%u;\n", word(g), draw(g, DOUBLES));
		break;
	case 7:
		put(g, "fma.rn.f32 f%u, f%u, f%u, f%u;\n", draw(g, FLOATS), draw(g, FLOATS), draw(g, FLOATS),
		    draw(g, FLOATS));
		break;
	case 8:
		put(g, "cvt.rn.f32.u32 f%u, r%u; add.rz.f32 f%u, f%u, f%u;\n", draw(g, FLOATS), word(g),
		    draw(g, FLOATS), draw(g, FLOATS), draw(g, FLOATS));
		break;
	case 9:
		put(g, "shl.b64 d%u, d%u, %u; shr.s64 d%u, d%u, %u;\n", draw(g, DOUBLES), draw(g, DOUBLES), draw(g, 70),
		    draw(g, DOUBLES), draw(g, DOUBLES), draw(g, 70));
		break;
	case 10:
		put(g, "setp.lt.u32 p, r%u, r%u; selp.b32 r%u, r%u, r%u, p;\n", word(g), word(g), word(g), word(g),
		    word(g));
		break;
	default:
		put(g, "setp.gt.s32 q, r%u, r%u; %sq xor.b32 r%u, r%u, r%u;\n", word(g), word(g),
		    draw(g, 2) ? "@" : "@!", word(g), word(g), word(g));
	}
}

static void access_memory(struct writer *g)
{
	static const char *const operations[] = {"add.u32", "exch.b32", "inc.u32", "max.u32", "xor.b32"};
	const u32 r = word(g), what = draw(g, 15), other = (what == 8 || what == 14) && g->met ? 7 : what;

	/* A loop with atomic operations lets others run at times: when, is not the same. */
	switch (g->loops && ((other >= 6 && other <= 8) || other == 14) ? 2 : other) {
	case 0:
		put(g, "and.b32 a, r%u, %u; mad.wide.u32 e, a, 4, in; ld.global.u32 r%u, [e];\n", r, IN_WORDS - 1,
		    word(g));
		break;
	case 1:
		put(g, "mad.wide.u32 e, thread, 4, in; ld.global.u32 r%u, [e+%u];\n", word(g), 4 * draw(g, 64));
		break;
	case 2:
		put(g, "ld.global.u32 r%u, [in+%u];\n", word(g), 4 * draw(g, 64));
		break;
	case 3:
		put(g,
		    "shl.b32 a, tid, 2; mov.u32 b, tile; add.u32 a, a, b; st.shared.u32 [a], r%u; ld.shared.u32 r%u, "
		    "[a];\n",
		    r, word(g));
		break;
	case 4:
		put(g, "mov.u32 b, mine; st.local.u32 [b+%u], r%u; ld.local.u32 r%u, [b+%u];\n", 4 * draw(g, 8), r,
		    word(g), 4 * draw(g, 8));
		break;
	case 5:
		put(g, "and.b32 a, r%u, 1020; mad.wide.u32 e, a, 4, in; ld.global.v2.u32 {r%u, r%u}, [e];\n", r,
		    word(g), word(g));
		break;
	case 6:
		put(g, "red.global.add.u32 [counters+%u], r%u;\n", 4 * draw(g, 4), r);
		break;
	case 9: /* guarded */
		put(g, "setp.lt.u32 q, r%u, r%u; @%sq ld.global.u32 r%u, [in+%u];\n", word(g), word(g),
		    draw(g, 2) ? "!" : "", word(g), 4 * draw(g, 64));
		put(g,
		    "shl.b32 a, tid, 2; mov.u32 b, tile; add.u32 a, a, b; @q st.shared.u32 [a], r%u; @!q ld.shared.u32 "
		    "r%u, [a];\n",
		    r, word(g));
		break;
	case 10: /* in two allocations */
		put(g,
		    "setp.lt.u32 q, r%u, r%u; mad.wide.u32 e, thread, %d, out; selp.b64 e, in, e, q; ld.global.u32 "
		    "r%u, [e+%u];\n",
		    r, word(g), OUT_STRIDE, word(g), 4 * draw(g, OUT_STRIDE / 4));
		break;
	case 11: /* narrow */
		put(g, "and.b32 a, r%u, 4094; cvt.u64.u32 e, a; add.u64 e, e, in; ld.global.%s r%u, [e];\n", r,
		    draw(g, 2) ? "s16" : "s8", word(g));
		put(g,
		    "and.b32 a, r%u, 4092; cvt.u64.u32 e, a; add.u64 e, e, in; ld.global.v4.u8 {r%u, r%u, r%u, r%u}, "
		    "[e];\n",
		    word(g), word(g), word(g), word(g), word(g));
		break;
	case 12: /* local, each lane elsewhere */
		put(g,
		    "and.b32 a, r%u, 28; mov.u32 b, mine; add.u32 b, a, b; st.local.u32 [b], r%u; ld.local.u32 r%u, "
		    "[b];\n",
		    r, word(g), word(g));
		put(g,
		    "and.b32 a, r%u, 30; mov.u32 b, mine; add.u32 b, a, b; st.local.u8 [b+1], r%u; ld.local.%s r%u, "
		    "[b];\n",
		    r, word(g), draw(g, 2) ? "u16" : "u8", word(g));
		break;
	case 13: /* over its own address */
		put(g,
		    "and.b32 a, r%u, 2040; cvt.u64.u32 e, a; add.u64 e, e, in; ld.global.u64 e, [e]; cvt.u32.u64 r%u, "
		    "e;\n",
		    r, word(g));
		break;
	case 7:
		put(g, "and.b32 a, r%u, 60; mov.u32 b, sums; add.u32 a, a, b; atom.shared.add.u32 b, [a], r%u;\n", r,
		    word(g));
		break;
	case 14: /* by a generic address */
		put(g,
		    "mov.u32 b, order; cvt.u64.u32 e, b; cvta.shared.u64 e, e; atom.add.f32 f%u, [e+%u], 0f3F800000;\n",
		    draw(g, FLOATS), 4 * g->orders++);
		break;
	default:
		put(g, "mov.u32 b, order; atom.shared.%s r%u, [b+%u], r%u;\n",
		    operations[draw(g, COUNT_OF(operations))], word(g), 4 * g->orders++, word(g));
	}
}

static void statements(struct writer *g, u32 count, bool together);

/* Something that is the same in every block, first in a basic block. */
static void hoistable(struct writer *g)
{
	const u32 fresh = g->fresh++ % FRESH;

	put(g, "mad.lo.u32 h%u, once, %u, %u; xor.b32 r%u, r%u, h%u;\n", fresh, draw(g, 1000), draw(g, 1000), word(g),
	    word(g), fresh);
}

static void branch(struct writer *g, bool together)
{
	static const char *const conditions[] = {"setp.lt.u32 p, lane, %u;\n", "setp.lt.u32 p, warp, %u;\n",
						 "setp.lt.u32 p, r0, %u;\n", "setp.lt.u32 p, ctaid, %u;\n"};
	const u32 which = draw(g, COUNT_OF(conditions)), label = g->labels++;
	char text[64];

	snprintf(text, sizeof text, conditions[which], draw(g, which == 0 ? 33 : which == 2 ? 0x7fffffff : 4));
	put(g, "%s@p bra ELSE%u;\n", text, label);
	statements(g, 1 + draw(g, 4), together && which == 3);
	put(g, "bra END%u;\nELSE%u:\n", label, label);
	hoistable(g);
	statements(g, 1 + draw(g, 3), together && which == 3);
	put(g, "END%u:\n", label);
}

/* Several ways, by lane, by warp or by data. */
static void choose(struct writer *g, bool together)
{
	static const char *const indices[] = {"lane", "warp", "r0", "ctaid"};
	const u32 which = draw(g, COUNT_OF(indices)), label = g->labels++;

	put(g, "and.b32 a, %s, 3;\nWAYS%u: .branchtargets WAY%u_0, WAY%u_1, WAY%u_2, WAY%u_1;\nbrx.idx a, WAYS%u;\n",
	    indices[which], label, label, label, label, label, label);
	for (u32 k = 0; k < 3; k++) {
		put(g, "WAY%u_%u:\n", label, k);
		statements(g, 1 + draw(g, 3), together && which == 3);
		if (k < 2)
			put(g, "bra MET%u;\n", label);
	}
	put(g, "MET%u:\n", label);
}

static void loop(struct writer *g, bool together)
{
	const u32 label = g->labels++;
	static const char *const counts[] = {"mov.u32 n%u, %u;\n", "and.b32 n%u, lane, %u;\n",
					     "and.b32 n%u, warp, %u;\n"};
	const u32 which = draw(g, 3);
	char text[64];

	snprintf(text, sizeof text, counts[which], g->depth, 1 + draw(g, 5));
	put(g, "%sLOOP%u:\n", text, label);
	const bool outer = g->loops;
	g->loops = true;
	hoistable(g);
	statements(g, 1 + draw(g, 4), together && which == 0);
	g->loops = outer;
	put(g, "setp.ne.u32 p, n%u, 0; sub.u32 n%u, n%u, 1;\n@p bra LOOP%u;\n", g->depth, g->depth, g->depth, label);
}

/* Some lanes, or whole warps, leave early. */
static void leave(struct writer *g)
{
	if (draw(g, 2))
		put(g, "setp.gt.u32 p, lane, %u;\n@p exit;\n", 8 + draw(g, 24));
	else
		put(g, "setp.gt.u32 p, warp, %u;\n@p bra OUT;\n", 1 + draw(g, 3));
}

/* Only where all threads of the block come, all lanes of a warp at once. */
static void meet(struct writer *g)
{
	static const char *const modes[] = {"bfly", "down", "idx"};

	switch (draw(g, 3)) {
	case 0:
		put(g, "shfl.sync.%s.b32 r%u, r%u, %u, 31, members;\n", modes[draw(g, 3)], word(g), word(g),
		    draw(g, 32));
		break;
	case 1:
		put(g, "setp.lt.u32 p, r%u, r%u; vote.sync.ballot.b32 r%u, p, members;\n", word(g), word(g), word(g));
		break;
	default:
		g->met = true;
		put(g,
		    "bar.sync 0; shl.b32 a, tid, 2; mov.u32 b, tile; add.u32 a, a, b; st.shared.u32 [a], r%u; bar.sync "
		    "%u;\n",
		    word(g), draw(g, 3));
		put(g,
		    "add.u32 c, tid, %u; rem.u32 c, c, threads; shl.b32 c, c, 2; add.u32 c, c, b; ld.shared.u32 r%u, "
		    "[c]; bar.sync 0;\n",
		    draw(g, 300), word(g));
	}
}

static void statements(struct writer *g, u32 count, bool together)
{
	g->depth++;
	for (u32 k = 0; k < count; k++) {
		const u32 what = draw(g, 20);
		if (what < 10)
			compute(g);
		else if (what < 14)
			access_memory(g);
		else if (what < 16 && g->depth < 4)
			(draw(g, 4) ? branch : choose)(g, together);
		else if (what < 17 && g->depth < 4)
			loop(g, together);
		else if (together && what == 19 && g->depth == 1 && !draw(g, 3))
			leave(g);
		else if (together)
			meet(g);
		else
			compute(g);
	}
	g->depth--;
}

/* One thread's store past the end, somewhere. */
static void stray(struct writer *g)
{
	const bool apart = draw(g, 2);

	if (apart)
		put(g, "setp.lt.u32 p, lane, %u;\n@p bra CLEAN;\n", draw(g, 32));
	put(g,
	    "setp.eq.u32 p, thread, %u;\n@p add.u64 d0, in, 1000000;\n@!p mad.wide.u32 d0, thread, 4, in;\n"
	    "%s ld.global.u32 r1, [d0];\n%s",
	    draw(g, THREADS_MAX), draw(g, 2) ? "" : "@p", apart ? "CLEAN:\n" : "");
}

static void write_kernel(struct writer *g)
{
	put(g,
	    ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .b8 counters[16];\n"
	    ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
	    ".reg .pred p, q; .reg .b32 r<%d>, h<%d>, n<8>, a, b, c, tid, lane, warp, ctaid, thread, threads, members, "
	    "once;\n"
	    ".reg .b64 d<%d>, e, in, out; .reg .f32 f<%d>;\n"
	    ".shared .align 4 .b8 tile[4096]; .shared .align 4 .b8 sums[64]; .shared .align 4 .b8 order[%d];\n"
	    ".local .align 4 .b8 mine[32];\n",
	    WORDS, FRESH, DOUBLES, FLOATS, 4 * ORDERS);
	put(g, "ld.param.u64 in, [from]; ld.param.u64 out, [to];\nmov.u32 tid, %%tid.x; mov.u32 a, %%tid.y; mov.u32 b, "
	       "%%ntid.x;\n"
	       "mad.lo.u32 tid, a, b, tid; mov.u32 c, %%ntid.y; mul.lo.u32 threads, b, c; mov.u32 ctaid, %%ctaid.x;\n"
	       "mad.lo.u32 thread, ctaid, threads, tid; and.b32 lane, tid, 31; shr.u32 warp, tid, 5; activemask.b32 "
	       "members;\n"
	       "mov.u32 once, %%tid.x;\n");
	for (u32 k = 0; k < WORDS; k++)
		put(g, "mad.lo.u32 r%u, thread, %u, %u;\n", k, 1 + 2 * draw(g, 10000), draw(g, 100));
	for (u32 k = 0; k < DOUBLES; k++)
		put(g, "cvt.u64.u32 d%u, r%u;\n", k, k);
	for (u32 k = 0; k < FLOATS; k++)
		put(g, "cvt.rn.f32.s32 f%u, r%u;\n", k, k);
	statements(g, 10 + draw(g, 20), true);
	if (g->faults)
		stray(g);
	statements(g, 10 + draw(g, 20), true);
	ck_assert_uint_le(g->orders, ORDERS);
	put(g, "mad.wide.u32 e, thread, %d, out;\n", OUT_STRIDE);
	for (u32 k = 0; k < WORDS; k++)
		put(g, "st.global.u32 [e+%u], r%u;\n", 4 * k, k);
	for (u32 k = 0; k < FLOATS; k++)
		put(g, "st.global.f32 [e+%u], f%u;\n", 32 + 4 * k, k);
	put(g, "xor.b64 d0, d0, d1; xor.b64 d2, d2, d3; st.global.v2.u64 [e+48], {d0, d2};\nOUT:\nret;\n}\n");
}

/* --- Running -------------------------------------------------------------------------------- */

struct outcome {
	enum launch_status status;
	struct launch_stats stats;
	struct fault fault;
	u32 place; /* of the fault */
	struct session session;
	struct accounting *accounting; /* NULL: nobody watched */
	const struct account_run *counts;
	u8 out[THREADS_MAX * OUT_STRIDE], counters[16];
};

enum way { INTERPRETED, WATCHED, ONE_WARP, ONE_WARP_WATCHED, NATIVE, NATIVE_WATCHED };

/* Runs the kernel, watched or not. */
static void launch(struct outcome *o, struct launch *l, bool watched)
{
	struct observer *observers[2] = {NULL, NULL};
	char message[256] = "";

	if (watched) {
		o->accounting = accounting_new(&o->session.arena, o->session.program, NULL);
		observers[0] = accounting_observer(o->accounting);
		accounting_begin(o->accounting);
		l->observers = observers;
	}
	o->status = launch_run(l, &o->stats, &o->fault, message, sizeof message);
	ck_assert_msg(o->status == LAUNCH_OK || o->status == LAUNCH_FAULT, "%s", message);
	if (watched)
		o->counts = accounting_end(o->accounting, &o->session.arena, l, &o->stats);
}

static void run(const struct writer *g, enum way way, const u32 block[2], struct outcome *o)
{
	const bool one_warp = way == ONE_WARP || way == ONE_WARP_WATCHED;
	const bool watched = way == WATCHED || way == ONE_WARP_WATCHED || way == NATIVE_WATCHED;
	const struct lower_options options = {.one_warp = one_warp};
	struct session *const s = &o->session;
	u64 counters = 0, size = 0;

	memset(o, 0, sizeof *o);
	ck_assert(session_open(s));
	session_add_text(s, "random.ptx", g->text, g->length);
	ck_assert_msg(session_build(s, &options), "%.2000s", session_diagnostics(s, false));
	ck_assert(session_reset_memory(s));
	const u64 params[2] = {memory_allocate(&s->memory, 4 * IN_WORDS + 256, 256, "in", 0),
			       memory_allocate(&s->memory, sizeof o->out, 256, "out", 0)};
	u32 *in = (u32 *)(void *)memory_find(&s->memory, params[0], 4)->host;
	for (u32 k = 0; k < IN_WORDS + 64; k++)
		in[k] = k * 2654435761u;
	struct launch l = {.program = s->program,
			   .kernel = program_kernel(s->program, "k"),
			   .memory = &s->memory,
			   .grid = {3, 1, 1},
			   .block = {block[0], block[1], 1},
			   .params = (const u8 *)params,
			   .jobs = 1};
	ck_assert_int_eq(!l.kernel->code->gang_insns, one_warp);
	if (way == NATIVE || way == NATIVE_WATCHED)
		l.native = session_native(s, s->program, l.kernel, NATIVE_ALWAYS);
	launch(o, &l, watched);
	if (o->status == LAUNCH_FAULT)
		o->place = (u32)(o->fault.insn - o->fault.code->insns);
	memcpy(o->out, memory_find(&s->memory, params[1], 1)->host, sizeof o->out);
	ck_assert(program_variable(s->program, "counters", &counters, &size));
	memcpy(o->counters, memory_find(&s->memory, counters, 1)->host, sizeof o->counters);
}

static void end(struct outcome *o)
{
	if (o->accounting)
		accounting_free(o->accounting);
	session_close(&o->session);
}

static const u32 blocks[][2] = {{256, 1}, {128, 1}, {16, 16}, {100, 1}, {32, 1}, {8, 12}};

static void expect(const struct writer *g, bool same, const char *what)
{
	if (!same)
		fprintf(stderr, "%s", g->text);
	ck_assert_msg(same, "%s differ", what);
}

static void same(const struct writer *g, const struct outcome *x, const struct outcome *y)
{
	expect(g, x->status == y->status, "status");
	if (x->status == LAUNCH_FAULT) {
		ck_assert_int_eq(x->fault.kind, y->fault.kind);
		ck_assert_uint_eq(x->fault.block, y->fault.block);
		ck_assert_uint_eq(x->fault.warp, y->fault.warp);
		ck_assert_uint_eq(x->fault.lanes, y->fault.lanes);
		ck_assert_uint_eq(x->fault.address, y->fault.address);
		ck_assert_uint_eq(x->place, y->place);
		return;
	}
	expect(g, !memcmp(x->out, y->out, sizeof x->out), "results");
	expect(g, !memcmp(x->counters, y->counters, sizeof x->counters), "counters");
	ck_assert_uint_eq(x->stats.warp_instructions, y->stats.warp_instructions);
	ck_assert_uint_eq(x->stats.thread_instructions, y->stats.thread_instructions);
	ck_assert_uint_eq(x->stats.branches, y->stats.branches);
	ck_assert_uint_eq(x->stats.divergent_branches, y->stats.divergent_branches);
}

static const u32 *kernel_of(struct writer *g, u64 seed, bool faults)
{
	memset(g, 0, sizeof *g);
	g->state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	g->faults = faults;
	write_kernel(g);
	return blocks[seed % COUNT_OF(blocks)];
}

static void compare(u64 seed, bool faults)
{
	static struct outcome with, without, watched, apart;
	static struct writer g;
	const u32 *block = kernel_of(&g, seed, faults);

	run(&g, INTERPRETED, block, &with);
	run(&g, ONE_WARP, block, &without);
	run(&g, WATCHED, block, &watched);
	run(&g, ONE_WARP_WATCHED, block, &apart);
	same(&g, &with, &without);
	same(&g, &with, &watched);
	if (with.status == LAUNCH_OK)
		same_counts("random kernel", watched.accounting, watched.counts, apart.accounting, apart.counts);
	end(&with);
	end(&without);
	end(&watched);
	end(&apart);
}

START_TEST(agree)
{
	for (u32 k = 0; k < KERNELS / 10; k++)
		compare((u64)_i * (KERNELS / 10) + k, false);
}
END_TEST

START_TEST(same_faults)
{
	for (u32 k = 0; k < KERNELS / 10; k++)
		compare(100000 + (u64)_i * (KERNELS / 10) + k, true);
}
END_TEST

static void compare_native(u64 seed, bool faults)
{
	static struct outcome with, native, watched, native_watched;
	static struct writer g;
	const u32 *block = kernel_of(&g, seed, faults);

	run(&g, INTERPRETED, block, &with);
	run(&g, NATIVE, block, &native);
	run(&g, WATCHED, block, &watched);
	run(&g, NATIVE_WATCHED, block, &native_watched);
	same(&g, &with, &native);
	same(&g, &with, &native_watched);
	if (with.status == LAUNCH_OK)
		same_counts("random kernel", watched.accounting, watched.counts, native_watched.accounting,
			    native_watched.counts);
	end(&with);
	end(&native);
	end(&watched);
	end(&native_watched);
}

START_TEST(native_agrees)
{
	for (u32 k = 0; native_is_there() && k < NATIVE_KERNELS; k++)
		compare_native(200000 + (u64)_i * NATIVE_KERNELS + k, _i & 1);
}
END_TEST

/* Warps that wait for each other, and lanes of one warp: the same sum with gangs and without. */
static const char *const waits[] = {
	/* Each thread takes a lock. */
	"TRY: atom.shared.cas.b32 r0, [lock], 0, 1; setp.ne.u32 p, r0, 0; @p bra TRY;\n"
	"ld.volatile.shared.u32 r1, [sum]; add.u32 r1, r1, 1; st.volatile.shared.u32 [sum], r1;\n"
	"membar.cta; atom.shared.exch.b32 r0, [lock], 0;\n",
	/* One lane of each warp waits for the next warp, or for the one before. */
	"setp.ne.u32 p, lane, 3; @p bra ON;\nTRY: ld.volatile.shared.u32 r0, [sum]; sub.u32 r1, last, warp;\n"
	"setp.ne.u32 p, r0, r1; @p bra TRY;\nadd.u32 r0, r0, 1; st.volatile.shared.u32 [sum], r0;\nON:\n",
	"setp.ne.u32 p, lane, 30; @p bra ON;\nTRY: ld.volatile.shared.u32 r0, [sum];\n"
	"setp.ne.u32 p, r0, warp; @p bra TRY;\nadd.u32 r0, r0, 1; st.volatile.shared.u32 [sum], r0;\nON:\n",
	/* The last warp does what the others wait for, in a loop with barriers. */
	"mov.u32 n0, 5;\nAGAIN: setp.ne.u32 p, warp, last; @p bra TRY; add.u32 r0, r0, 7; st.volatile.shared.u32 "
	"[sum], 1; bra ON;\n"
	"TRY: ld.volatile.shared.u32 r0, [sum]; setp.eq.u32 p, r0, 0; @p bra TRY;\nON: bar.sync 0; "
	"st.volatile.shared.u32 [sum], 0;\n"
	"bar.sync 0; sub.u32 n0, n0, 1; setp.ne.u32 p, n0, 0; @p bra AGAIN;\n",
	/* A part of the warps meets at a barrier of its own until another warp says stop. */
	"setp.eq.u32 p, warp, last; @p bra STOP; shl.b32 r1, last, 5;\n"
	"TRY: bar.sync 1, r1; setp.ne.u32 p, warp, 0; @p bra SAME; ld.volatile.shared.u32 r0, [sum];\n"
	"st.volatile.shared.u32 [lock], r0; SAME: bar.sync 2, r1; ld.volatile.shared.u32 r0, [lock];\n"
	"setp.eq.u32 p, r0, 0; @p bra TRY; bra ON;\n"
	"STOP: st.volatile.shared.u32 [sum], 1;\nON:\n",
};

START_TEST(nobody_waits_forever)
{
	static struct outcome with, without;
	static struct writer g;

	memset(&g, 0, sizeof g);
	put(&g,
	    ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .b8 counters[16];\n"
	    ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n.shared .align 4 .b8 lock[4]; .shared .align 4 "
	    ".b8 sum[4];\n"
	    ".reg .pred p; .reg .b32 r<2>, n<1>, tid, lane, warp, last; .reg .b64 out;\n"
	    "mov.u32 tid, %%tid.x; and.b32 lane, tid, 31; shr.u32 warp, tid, 5; mov.u32 last, %%ntid.x; shr.u32 last, "
	    "last, 5;\n"
	    "sub.u32 last, last, 1;\n%sbar.sync 0; ld.param.u64 out, [to]; mad.wide.u32 out, tid, 4, out;\n"
	    "ld.shared.u32 r0, [sum]; st.global.u32 [out], r0; ret;\n}\n",
	    waits[_i]);
	run(&g, INTERPRETED, blocks[0], &with);
	run(&g, ONE_WARP, blocks[0], &without);
	ck_assert_int_eq(with.status, LAUNCH_OK);
	ck_assert_int_eq(without.status, LAUNCH_OK);
	expect(&g, !memcmp(with.out, without.out, sizeof with.out), "results");
	end(&with);
	end(&without);
}
END_TEST

/* How many loads a launch does once. */
static u32 loads_once(const char *text)
{
	const struct lower_options options = {0};
	struct session s;
	u32 count = 0;

	ck_assert(session_open(&s));
	session_add_text(&s, "constants.ptx", text, strlen(text));
	ck_assert_msg(session_build(&s, &options), "%.2000s", session_diagnostics(&s, false));
	const struct code *code = program_kernel(s.program, "k")->code;
	for (u32 k = 0; k < code->insn_count; k++)
		if (code->once && code->once[k] && code->origin[k] != NO_OPERAND)
			count += (code->forms[code->origin[k]].row->flags & (ISA_MEMORY | ISA_PARAM)) == ISA_MEMORY;
	session_close(&s);
	return count;
}

#define CONSTANTS(CODE)                                                                                       \
	".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .u32 c[4];\n"                         \
	".visible .entry k(.param .u64 to)\n{\n.reg .b32 r<4>; .reg .b64 d<4>; ld.param.u64 d0, [to];\n" CODE \
	"st.global.u32 [d0], r0; st.global.u32 [d0+4], r1; ret;\n}\n"

/* Those of constants, but beyond their variable's end, through registers, and where its address is taken. */
START_TEST(constants_are_loaded_once)
{
	ck_assert_uint_eq(loads_once(CONSTANTS("ld.const.u32 r0, [c]; ld.const.u8 r1, [c+15];\n")), 2);
	ck_assert_uint_eq(loads_once(CONSTANTS("ld.const.u32 r0, [c+16]; ld.const.u32 r1, [c+2];\n")), 0);
	ck_assert_uint_eq(loads_once(CONSTANTS("ld.const.u32 r0, [c]; mov.u64 d1, c; ld.const.u32 r1, [d1+4];\n")), 0);
}
END_TEST

UNIT_TESTS("gang", 300)
{
	tcase_add_test(unit, constants_are_loaded_once);
	tcase_add_loop_test(unit, agree, 0, 10);
	tcase_add_loop_test(unit, same_faults, 0, 10);
	tcase_add_loop_test(unit, native_agrees, 0, 6);
	tcase_add_loop_test(unit, nobody_waits_forever, 0, COUNT_OF(waits));
}
