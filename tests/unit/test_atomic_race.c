/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic operations of several host threads on the same words, in any order of blocks, natively and interpreted (sem/atomic_race.h): none
 * is lost, and where each leaves another value, the values before are those of one operation after the other.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "main.h"
#include "native_there.h"
#include "number/half.h"
#include "number/ieee.h"
#include "session_of.h"

enum { BLOCKS = 64, THREADS = 128, ALL = BLOCKS * THREADS, ROUNDS = 8, PLACES = 64, JOBS = 4 };

/* d2: the thread's place; d3: where the value before goes; r10, d10: its own value; r11: the round, from ROUNDS down to 1. */
static const char text[] =
	".version 8.3\n.target sm_90\n.address_size 64\n"
	".visible .entry k(.param .u64 p, .param .u64 r, .param .u32 how)\n{\n"
	".reg .pred p<4>; .reg .f32 f<4>; .reg .f64 g<4>; .reg .b32 r<30>; .reg .b64 d<12>;\n"
	"ld.param.u64 d0, [p]; ld.param.u64 d1, [r]; ld.param.u32 r0, [how];\n"
	"mov.u32 r1, %%ctaid.x; mov.u32 r2, %%tid.x; mov.u32 r3, %%ntid.x; mad.lo.u32 r4, r1, r3, r2; and.b32 r6, r2, "
	"31;\n"
	"mul.lo.u32 r7, r4, 2654435769; mov.u32 r5, 0;\n"
	"setp.eq.u32 p0, r0, 1; @p0 div.u32 r5, r6, 5; setp.eq.u32 p0, r0, 2; @p0 mov.u32 r5, r6;\n"
	"setp.eq.u32 p0, r0, 3; @p0 add.u32 r5, r6, 1; setp.ge.u32 p0, r0, 4; @p0 shr.u32 r5, r7, 27;\n"
	"mul.wide.u32 d2, r5, %u; add.s64 d2, d0, d2; mul.wide.u32 d3, r4, %u; add.s64 d3, d1, d3; mov.u32 r11, %u;\n"
	"setp.eq.u32 p1, r0, 5; shr.u32 r8, r7, 10; and.b32 r8, r8, 3; setp.ne.and.u32 p1, r8, 0, p1; @p1 bra end;\n"
	"turn: %s\n%s\n%s\n"
	"add.s64 d3, d3, 8; sub.u32 r11, r11, 1; setp.ne.u32 p2, r11, 0; @p2 bra turn;\n"
	"end: ret;\n}\n";
enum how { AT_ONE, IN_RUNS, NEIGHBOURS, ODD_NEIGHBOURS, SCATTERED, SOME_SCATTERED, HOWS };

/* By place: the number of it, and whether the thread takes part. */
static u32 place_of(enum how how, u32 thread)
{
	const u32 lane = thread % 32, hash = thread * 2654435769u;

	switch (how) {
	case IN_RUNS:
		return lane / 5;
	case NEIGHBOURS:
		return lane;
	case ODD_NEIGHBOURS:
		return lane + 1;
	case SCATTERED:
	case SOME_SCATTERED:
		return hash >> 27;
	default:
		return 0;
	}
}
static bool takes_part(enum how how, u32 thread) { return how != SOME_SCATTERED || !(thread * 2654435769u >> 10 & 3); }

/* --- Operations --------------------------------------------------------------------------------- */

enum values { SMALL, OWN, ONES };

static const char *const value_texts[] = {
	[SMALL] = "and.b32 r10, r4, 7; add.u32 r10, r10, 1; cvt.u64.u32 d10, r10;",
	[OWN] = "mad.lo.u32 r10, r4, 8, r11; mul.wide.u32 d10, r10, 2147483647;",
	[ONES] = "setp.lt.u32 p3, r4, 128; setp.eq.and.u32 p3, r11, 1, p3; selp.b32 r10, 1, 0, p3;",
};
static u64 value_of(enum values values, u32 thread, u32 round, u32 bytes)
{
	const u32 own = thread * 8 + round;

	switch (values) {
	case SMALL:
		return thread % 8 + 1;
	case OWN:
		return bytes == 4 ? own : (u64)own * INT32_MAX;
	default:
		return thread < 128 && round == 1;
	}
}

static u64 in_halves(u16 half) { return half | (u32)half << 16; }

static u64 add(u64 a, u64 b) { return a + b; }
static u64 one_more(u64 a, u64 b) { return a + (b != 0); }
static u64 one_less(u64 a, u64 b) { return a - (b != 0); }
static u64 bits_of_both(u64 a, u64 b) { return a & b; }
static u64 bits_of_either(u64 a, u64 b) { return a | b; }
static u64 bits_of_one(u64 a, u64 b) { return a ^ b; }
static u64 least(u64 a, u64 b) { return a < b ? a : b; }
static u64 greatest(u64 a, u64 b) { return a > b ? a : b; }
static u64 second(u64 a, u64 b) { return (void)a, b; }
static u64 add_f32(u64 a, u64 b) { return bits_of_f32(f32_of_bits((u32)a) + (f32)b); }
static u64 add_f64(u64 a, u64 b) { return bits_of_f64(f64_of_bits(a) + (f64)b); }
static u64 add_f16x2(u64 a, u64 b) { return in_halves(f16_add((u16)a, b ? 0x3c00 : 0, false, false)); }
static u64 add_bf16x2(u64 a, u64 b) { return in_halves(bf16_add((u16)a, b ? 0x3f80 : 0)); }

/* In a row: each operation leaves a value that none did before, so the values before tell the order. All others give the same in
 * every order. */
static const struct operation {
	const char *text;
	u32 bytes;
	enum values values;
	u64 (*new_value)(u64 old, u64 value);
	u64 initial;
	bool in_a_row;
} operations[] = {
	{"atom.global.add.u32 r12, [d2], r10;", 4, SMALL, add, 0, true},
	{"atom.global.add.u64 d5, [d2], d10;", 8, SMALL, add, 0, true},
	{"red.global.add.u32 [d2], r10;", 4, OWN, add, 7, false},
	{"red.global.add.u64 [d2], d10;", 8, OWN, add, 7, false},
	{"atom.global.inc.u32 r12, [d2], 0xffffffff;", 4, SMALL, one_more, 5, true},
	{"atom.global.dec.u32 r12, [d2], 0xffffffff;", 4, SMALL, one_less, 5, true},
	{"atom.global.exch.b32 r12, [d2], r10;", 4, OWN, second, 0, true},
	{"atom.global.exch.b64 d5, [d2], d10;", 8, OWN, second, 0, true},
	{"atom.global.and.b32 r12, [d2], r10;", 4, OWN, bits_of_both, UINT32_MAX, false},
	{"atom.global.and.b64 d5, [d2], d10;", 8, OWN, bits_of_both, UINT64_MAX, false},
	{"atom.global.or.b32 r12, [d2], r10;", 4, OWN, bits_of_either, 0, false},
	{"atom.global.or.b64 d5, [d2], d10;", 8, OWN, bits_of_either, 0, false},
	{"atom.global.xor.b32 r12, [d2], r10;", 4, OWN, bits_of_one, 3, false},
	{"atom.global.xor.b64 d5, [d2], d10;", 8, OWN, bits_of_one, 3, false},
	{"atom.global.min.u32 r12, [d2], r10;", 4, OWN, least, UINT32_MAX, false},
	{"atom.global.max.u32 r12, [d2], r10;", 4, OWN, greatest, 0, false},
	{"atom.global.min.s32 r12, [d2], r10;", 4, OWN, least, INT32_MAX, false},
	{"atom.global.max.s32 r12, [d2], r10;", 4, OWN, greatest, 1, false},
	{"atom.global.min.u64 d5, [d2], d10;", 8, OWN, least, UINT64_MAX, false},
	{"atom.global.max.u64 d5, [d2], d10;", 8, OWN, greatest, 0, false},
	{"atom.global.min.s64 d5, [d2], d10;", 8, OWN, least, INT64_MAX, false},
	{"atom.global.max.s64 d5, [d2], d10;", 8, OWN, greatest, 1, false},
	{"ld.relaxed.gpu.global.u32 r12, [d2]; again: mov.u32 r13, r12; add.u32 r14, r13, r10; "
	 "atom.global.cas.b32 r12, [d2], r13, r14; setp.ne.u32 p3, r12, r13; @p3 bra again;",
	 4, SMALL, add, 0, true},
	{"ld.relaxed.gpu.global.u64 d5, [d2]; again: mov.u64 d6, d5; add.u64 d7, d6, d10; "
	 "atom.global.cas.b64 d5, [d2], d6, d7; setp.ne.u64 p3, d5, d6; @p3 bra again;",
	 8, SMALL, add, 0, true},
	{"cvt.rn.f32.u32 f1, r10; atom.global.add.f32 f2, [d2], f1; mov.b32 r12, f2;", 4, SMALL, add_f32, 0, true},
	{"cvt.rn.f64.u32 g1, r10; atom.global.add.f64 g2, [d2], g1; mov.b64 d5, g2;", 8, SMALL, add_f64, 0, true},
	{"mul.lo.u32 r10, r10, 0x3c003c00; red.global.add.noftz.f16x2 [d2], r10;", 4, ONES, add_f16x2, 0, false},
	{"mul.lo.u32 r10, r10, 0x3f803f80; red.global.add.noftz.bf16x2 [d2], r10;", 4, ONES, add_bf16x2, 0, false},
};

/* --- What must have happened -------------------------------------------------------------------- */

static u64 olds[ALL][ROUNDS];

struct step {
	u64 old, new_value;
};

static int by_old(const void *x, const void *y)
{
	const struct step *a = x, *b = y;

	return a->old < b->old ? -1 : a->old > b->old;
}

static u32 steps_at(const struct operation *o, enum how how, u32 place, struct step *steps)
{
	u32 count = 0;

	for (u32 t = 0; t < ALL; t++)
		for (u32 n = 0; n < ROUNDS && takes_part(how, t) && place_of(how, t) == place; n++) {
			const u64 value = value_of(o->values, t, ROUNDS - n, o->bytes);
			u64 after = o->new_value(olds[t][n], value);
			if (o->bytes == 4)
				after = (u32)after;
			steps[count++] = (struct step){olds[t][n], after};
		}
	return count;
}

/* The last value of those that follow from one another. */
static u64 in_a_row(const struct operation *o, enum how how, u32 place)
{
	static struct step steps[ALL * ROUNDS];
	const u32 count = steps_at(o, how, place, steps);
	u64 value = o->initial;

	qsort(steps, count, sizeof *steps, by_old);
	for (u32 n = 0; n < count; n++) {
		const struct step key = {.old = value}, *next = bsearch(&key, steps, count, sizeof *steps, by_old);
		ck_assert_msg(next != NULL, "%s, %u: nothing follows %llx", o->text, how, (unsigned long long)value);
		value = next->new_value;
	}
	return value;
}

static u64 in_any_order(const struct operation *o, enum how how, u32 place)
{
	u64 value = o->initial;

	for (u32 t = 0; t < ALL; t++)
		for (u32 n = ROUNDS; n && takes_part(how, t) && place_of(how, t) == place; n--)
			value = o->new_value(value, value_of(o->values, t, n, o->bytes));
	return o->bytes == 4 ? (u32)value : value;
}

struct made {
	struct session session;
	struct {
		u64 p, r;
		u32 how;
	} params;
};

static u8 *host_of(struct made *m, u64 address)
{
	const struct allocation *a = memory_find(&m->session.memory, address, 4);

	return a->host + (address - a->base);
}

static void make(struct made *m, const struct operation *o)
{
	char source[8192];

	snprintf(source, sizeof source, text, o->bytes, ROUNDS * 8, ROUNDS, value_texts[o->values], o->text,
		 strncmp(o->text, "red", 3) && !strstr(o->text, "; red")
			 ? o->bytes == 4 ? "cvt.u64.u32 d5, r12; st.global.u64 [d3], d5;" : "st.global.u64 [d3], d5;"
			 : "");
	session_of(&m->session, "race.ptx", source);
	m->params.p = memory_allocate(&m->session.memory, PLACES * 8, 256, "places", 0);
	m->params.r = memory_allocate(&m->session.memory, sizeof olds, 256, "olds", 0);
}

static void run(struct made *m, const struct operation *o, enum native_mode mode, enum how how)
{
	struct session *s = &m->session;
	struct launch_stats stats;
	struct fault fault;
	char message[256] = "";

	m->params.how = how;
	struct launch l = launch_in(s, mode, &m->params, JOBS);
	memcpy(l.grid, (const u32[]){BLOCKS, 1, 1}, sizeof l.grid);
	memcpy(l.block, (const u32[]){THREADS, 1, 1}, sizeof l.block);
	l.any_order = true;
	for (u32 k = 0; k < PLACES; k++)
		memcpy(host_of(m, m->params.p) + (size_t)k * o->bytes, &o->initial, o->bytes);
	ck_assert_msg(launch_run(&l, &stats, &fault, message, sizeof message) == LAUNCH_OK, "%s", message);
	if (o->in_a_row) /* else it is for the launch to judge whether several pay */
		ck_assert_uint_gt(stats.jobs, 1);
	memcpy(olds, host_of(m, m->params.r), sizeof olds);
}

START_TEST(no_change_is_lost)
{
	const struct operation *o = &operations[_i];
	const enum native_mode modes[] = {NATIVE_OFF, NATIVE_ALWAYS};
	struct made m;

	make(&m, o);
	for (u32 n = 0; n < HOWS * COUNT_OF(modes); n++) {
		const enum how how = (enum how)(n / COUNT_OF(modes));
		if (modes[n % COUNT_OF(modes)] == NATIVE_ALWAYS && !native_is_there())
			continue;
		run(&m, o, modes[n % COUNT_OF(modes)], how);
		for (u32 place = 0; place < PLACES; place++) {
			u64 got = 0, want = (o->in_a_row ? in_a_row : in_any_order)(o, how, place);
			memcpy(&got, host_of(&m, m.params.p) + (size_t)place * o->bytes, o->bytes);
			ck_assert_msg(got == want, "%s, way %u, place %u: %llx, not %llx", o->text, n, place,
				      (unsigned long long)got, (unsigned long long)want);
		}
	}
	session_close(&m.session);
}
END_TEST

UNIT_TESTS("atomic_race", 120) { tcase_add_loop_test(unit, no_change_is_lost, 0, COUNT_OF(operations)); }
