/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses at distances from lane to lane that are known, upwards and downwards, by all lanes and by some, where those that do not run would go
 * outside, and where those that run do: native code beside the interpreter, by memory, counts and faults.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "main.h"
#include "native_there.h"
#include "same_outcome.h"
#include "session_of.h"

enum { NEAR_BYTES = 4608, FAR_BYTES = 8192, OUT_WORDS = 4096, OFFSETS = 7 };

/* Lanes whose bit of x is set load by r4 and r4 + 8, then store by r4 + 16: of shared memory, or by d2 of global. */
static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry k(.param .u64 from, .param .u64 to, .param .s32 n, .param .u32 x)\n{\n"
	".shared .align 16 .b8 near[4608]; .reg .pred p, q; .reg .b16 h<8>; .reg .b32 r<20>; .reg .b64 d<12>;\n"
	"mov.u32 r0, %%tid.x; mov.u32 r1, %%ntid.x; mov.u32 r7, %%laneid; mov.u32 r13, near;\n"
	"ld.param.u64 d0, [from]; ld.param.u64 d1, [to]; ld.param.s32 r14, [n]; ld.param.u32 r15, [x];\n"
	"mov.u32 r5, r0; fill: mad.lo.u32 r4, r5, 4, r13; mul.lo.u32 r6, r5, 0x9e3779b1; st.shared.u32 [r4], r6;\n"
	"add.u32 r5, r5, r1; setp.lt.u32 q, r5, 1152; @q bra fill; bar.sync 0;\n"
	"shr.u32 r3, r15, r7; and.b32 r3, r3, 1; setp.eq.u32 p, r3, 0; mul.lo.s32 r4, r7, %d; add.s32 r4, r4, r14;\n"
	"cvt.s64.s32 d2, r4; add.s64 d2, d2, d0; add.u32 r4, r4, r13;\n"
	"mov.u32 r9, 7; @p bra over; ld.%s.%s %s5, [%s]; ld.%s.%s %s6, [%s+8]; %s over: bar.sync 0;\n"
	"mul.lo.u32 r3, r7, 0x01000193; cvt.u64.u32 d4, r3; cvt.u16.u32 h4, r3; mov.u32 r3, r3;\n"
	"@p bra past; st.%s.%s [%s+16], %s; past: bar.sync 0;\n"
	"mul.wide.u32 d3, r0, 4; add.s64 d3, d1, d3; st.global.u32 [d3], r9;\n"
	"mov.u32 r5, r0; copy: mad.lo.u32 r4, r5, 4, r13; ld.shared.u32 r6, [r4]; mul.wide.u32 d3, r5, 4;\n"
	"add.s64 d3, d1, d3; st.global.u32 [d3+1024], r6; add.u32 r5, r5, r1; setp.lt.u32 q, r5, 1152; @q bra copy; "
	"ret;\n}\n";

static const struct kind {
	const char *type, *loaded, *stored, *mixed;
	s32 bytes;
} kinds[] = {
	{"u8", "r", "r3", "mad.lo.u32 r9, r5, 3, r6;", 1},
	{"u8", "h", "r3", "mad.lo.u16 h5, h5, 3, h6; cvt.u32.u16 r9, h5;", 1},
	{"u16", "h", "h4", "mad.lo.u16 h5, h5, 3, h6; cvt.u32.u16 r9, h5;", 2},
	{"u32", "r", "r3", "mad.lo.u32 r9, r5, 3, r6;", 4},
	{"u64", "d", "d4", "mad.lo.u64 d5, d5, 3, d6; shr.u64 d6, d5, 32; add.u64 d5, d5, d6; cvt.u32.u64 r9, d5;", 8},
};

/* In elements. */
static const s32 steps[] = {-1, 1, 2, 3, -3, 5, 8, 9, -9, 33, -33, 34, -34, 130};

static const u32 masks[] = {0xffffffff, 0, 1, 0x80000000, 0x000fff00, 0x0f0f3c01, 0x55555555, 0xfffffffe};

struct params {
	u64 from, to;
	s32 n;
	u32 x;
};

struct outcome {
	struct launch_end end;
	u32 out[OUT_WORDS];
	u8 from[FAR_BYTES];
};

struct made {
	struct session session;
	struct params params;
};

static void make(struct made *m, const struct kind *z, s32 step, bool far)
{
	const char *space = far ? "global" : "shared", *base = far ? "d2" : "r4";
	struct session *s = &m->session;
	char source[4096];

	snprintf(source, sizeof source, text, step * z->bytes, space, z->type, z->loaded, base, space, z->type,
		 z->loaded, base, z->mixed, space, z->type, base, z->stored);
	session_of(s, "steps.ptx", source);
	m->params.from = memory_allocate(&s->memory, FAR_BYTES, 256, "from", 0);
	m->params.to = memory_allocate(&s->memory, sizeof(u32) * OUT_WORDS, 256, "to", 0);
}

static void run(struct made *m, enum native_mode mode, u32 threads, u32 mask, s32 n, struct outcome *o)
{
	struct session *s = &m->session;
	char message[256] = "";
	u8 *from = memory_find(&s->memory, m->params.from, 1)->host,
	   *to = memory_find(&s->memory, m->params.to, 1)->host;
	struct launch l = {.program = s->program,
			   .kernel = program_kernel(s->program, "k"),
			   .memory = &s->memory,
			   .grid = {1, 1, 1},
			   .block = {threads, 1, 1},
			   .params = (const u8 *)&m->params,
			   .jobs = 1};

	m->params.n = n;
	m->params.x = mask;
	l.native = session_native(s, s->program, l.kernel, mode);
	for (u32 k = 0; k < FAR_BYTES; k++)
		from[k] = (u8)(k * 167 >> 3);
	memset(to, 0, sizeof o->out);
	o->end.status = launch_run(&l, &o->end.stats, &o->end.fault, message, sizeof message);
	memcpy(o->out, to, sizeof o->out);
	memcpy(o->from, from, sizeof o->from);
}

/* All lanes within reach; then those that run from the very first byte on, and up to the last, one element further each, at a place that is not
 * aligned, and such that numbers wrap around. */
static void find_offsets(s32 to[OFFSETS], const struct kind *z, s32 step, u32 mask, s32 size)
{
	const s32 first = mask ? __builtin_ctz(mask) : 0, last = mask ? 31 - __builtin_clz(mask) : 0;
	const s32 low = (step < 0 ? last : first) * step, high = (step < 0 ? first : last) * step + 16 + z->bytes;

	to[0] = step < 0 ? -31 * step : 0;
	to[1] = -low;
	to[2] = -low - z->bytes;
	to[3] = size - high;
	to[4] = size - high + z->bytes;
	to[5] = to[0] + 1;
	to[6] = INT32_MIN + 64;
}

/* What some warps have stored before another faults is not compared. */
static void compare(const struct outcome *a, const struct outcome *b, u32 threads, const char *what)
{
	same_end(&a->end, &b->end, what);
	if (a->end.status != LAUNCH_OK && threads > 32)
		return;
	ck_assert_msg(!memcmp(a->out, b->out, sizeof a->out), "%s: results", what);
	ck_assert_msg(!memcmp(a->from, b->from, sizeof a->from), "%s: memory", what);
}

static void steps_agree(const struct kind *z, s32 step, bool far, u32 threads)
{
	static struct outcome interpreted, native;
	struct made plain, fast;
	s32 offsets[OFFSETS];
	char what[128];

	make(&plain, z, step, far);
	make(&fast, z, step, far);
	for (u32 k = 0; k < COUNT_OF(masks); k++) {
		find_offsets(offsets, z, step * z->bytes, masks[k], far ? FAR_BYTES : NEAR_BYTES);
		for (u32 n = 0; n < OFFSETS; n++) {
			snprintf(what, sizeof what, "%s into %s, %d apart, %s, lanes %08x of %u threads from %d on",
				 z->type, z->loaded, step * z->bytes, far ? "global" : "shared", masks[k], threads,
				 offsets[n]);
			run(&plain, NATIVE_OFF, threads, masks[k], offsets[n], &interpreted);
			run(&fast, NATIVE_ALWAYS, threads, masks[k], offsets[n], &native);
			compare(&interpreted, &native, threads, what);
		}
	}
	session_close(&plain.session);
	session_close(&fast.session);
}

START_TEST(known_steps_agree)
{
	const struct kind *z = &kinds[(size_t)_i % COUNT_OF(kinds)];
	const s32 step = steps[(size_t)_i / COUNT_OF(kinds)];

	if (!native_is_there())
		return;
	for (u32 far = 0; far < 2; far++)
		steps_agree(z, step, far, 32);
	steps_agree(z, step, false, 64);
}
END_TEST

UNIT_TESTS("native_steps", 120) { tcase_add_loop_test(unit, known_steps_agree, 0, COUNT_OF(kinds) * COUNT_OF(steps)); }
