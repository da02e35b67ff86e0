/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code beside the interpreter where rows are affine in the lane, or taken to be: blocks of which a row is a whole warp and others,
 * numbers that wrap around among the lanes, lanes that part, and values that share a place in the frame.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "main.h"
#include "native_there.h"
#include "session_of.h"

enum { WORDS = 4096, BLOCKS = 3, SHAPES = 7 };

static const u32 shapes[SHAPES][3] = {{128, 1, 1}, {16, 8, 1}, {32, 4, 1}, {64, 1, 2},
				      {20, 3, 1},  {8, 8, 2},  {16, 3, 2}};

/* Its part computes r9 of a thread from its place (r0 to r3, r10) and from[]. */
static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
	".shared .align 16 .b8 near[8192]; .reg .pred p, q; .reg .b32 r<20>; .reg .f32 f<4>; .reg .b64 d<9>;\n"
	"mov.u32 r0, %%tid.x; mov.u32 r1, %%ctaid.x; mov.u32 r2, %%ntid.x; mad.lo.u32 r3, r1, r2, r0;\n"
	"mov.u32 r10, %%tid.y; mov.u32 r11, %%tid.z; mov.u32 r12, %%ntid.y;\n"
	"ld.param.u64 d0, [from]; ld.param.u64 d1, [to]; mov.u32 r9, 0; mov.u32 r13, near;\n"
	"%s\n"
	"mad.lo.u32 r4, r11, r12, r10; mad.lo.u32 r4, r4, r2, r0; mad.lo.u32 r4, r1, 128, r4;\n"
	"mul.wide.u32 d2, r4, 4; add.u64 d2, d1, d2; st.global.u32 [d2], r9; ret;\n}\n";

static const char *const parts[] = {
	/* A row of memory, one place, every second word, downwards, vectors. */
	"mul.wide.u32 d2, r3, 4; add.u64 d2, d0, d2; ld.global.u32 r9, [d2+64]; ld.global.u32 r5, [d0+8];"
	"add.u32 r9, r9, r5; ld.global.u32 r6, [d2]; xor.b32 r9, r9, r6;",
	"shl.b32 r4, r3, 3; cvt.u64.u32 d2, r4; add.u64 d2, d2, d0; ld.global.v2.u32 {r5, r6}, [d2];"
	"ld.global.u32 r7, [d2+4]; mad.lo.u32 r9, r5, 3, r6; add.u32 r9, r9, r7;",
	"sub.u32 r4, 1000, r3; mul.wide.u32 d2, r4, 4; add.u64 d2, d0, d2; ld.global.u32 r9, [d2];",
	"mul.wide.s32 d2, r1, 16; add.u64 d2, d0, d2; ld.global.v4.u32 {r4, r5, r6, r7}, [d2]; add.u32 r9, r4, r7;",
	/* Numbers that wrap around among the lanes, without sign and with. */
	"add.u32 r4, r3, 0xfffffff5; mul.wide.u32 d2, r4, 4; shr.u64 d2, d2, 5; cvt.u32.u64 r9, d2;",
	"add.u32 r4, r3, 0x7fffffe9; mul.wide.s32 d2, r4, 12; shr.u64 d2, d2, 7; cvt.u32.u64 r9, d2;",
	"sub.u32 r4, 9, r3; cvt.u64.u32 d2, r4; shr.u64 d2, d2, 9; cvt.u32.u64 r9, d2;",
	"sub.u32 r4, 9, r3; cvt.s64.s32 d2, r4; shr.s64 d2, d2, 1; cvt.u32.u64 r9, d2;",
	"mov.u32 r4, r3; loop: add.u32 r4, r4, 0x1fffffff; cvt.u64.u32 d2, r4; cvt.u32.u64 r5, d2; shr.u64 d3, d2, 4;"
	"cvt.u32.u64 r6, d3; xor.b32 r9, r9, r6; add.u32 r9, r9, r5; add.u32 r7, r7, 1; setp.lt.u32 p, r7, 9; @p bra "
	"loop;",
	/* Numbers of lanes and warps, by their bits; what is not one for a warp of other blocks. */
	"and.b32 r4, r0, 31; shr.u32 r5, r0, 5; mad.lo.u32 r9, r5, 100, r4; setp.eq.u32 p, r5, 1; @!p bra over;"
	"mul.lo.u32 r9, r9, 7; setp.lt.u32 q, r4, 9; @q bra over; add.u32 r9, r9, 1; over: xor.b32 r9, r9, r5;",
	"and.b32 r4, r0, 96; or.b32 r5, r4, 3; xor.b32 r6, r0, r4; not.b32 r7, r0; and.b32 r8, r0, 15; shr.s32 r14, "
	"r7, 5;"
	"add.u32 r9, r5, r6; mad.lo.u32 r9, r7, 3, r9; mad.lo.u32 r9, r8, 5, r9; mad.lo.u32 r9, r14, 11, r9;",
	"lop3.b32 r4, r0, r1, 32, 0xd8; shr.u32 r5, r4, 1; mad.lo.u32 r9, r4, 77, r5;",
	"mov.u32 r4, %laneid; mad.lo.u32 r9, r4, 5, r10; mad.lo.u32 r9, r11, 1000, r9;",
	/* At other than equal distances: numbers that wrap around among the lanes, bits that differ one way or the other, a window of
	 * shared words from both ends. */
	"and.b32 r4, r0, 5; add.u32 r4, r4, 0xfffffffd; cvt.u64.u32 d2, r4; shr.u64 d2, d2, 3; cvt.u32.u64 r9, d2;",
	"and.b32 r4, r0, 5; sub.u32 r4, r1, r4; mul.wide.s32 d2, r4, 3; shr.u64 d2, d2, 9; cvt.u32.u64 r9, d2;"
	"cvt.u64.u32 d3, r4; shr.u64 d3, d3, 3; cvt.u32.u64 r5, d3; mad.lo.u32 r9, r9, 3, r5;",
	"and.b32 r4, r0, 1; mul.lo.u32 r4, r4, 3; lop3.b32 r5, r4, r1, 2, 0x94; mad.lo.u32 r9, r5, 7, r0;",
	"mad.lo.u32 r4, r10, r2, r0; shl.b32 r4, r4, 2; add.u32 r4, r4, r13; st.shared.u32 [r4], r3; bar.sync 0;"
	"and.b32 r5, r0, 64; and.b32 r6, r0, 3; shl.b32 r6, r6, 3; sub.u32 r5, r5, r6; and.b32 r6, r0, 16; add.u32 r5, "
	"r5, r6;"
	"mad.lo.u32 r5, r5, 4, r13; ld.shared.u32 r9, [r5+96]; bar.sync 0; setp.gt.u32 p, r9, 70; @p bra over;"
	"mad.lo.u32 r9, r9, 3, r0; over: xor.b32 r9, r9, r5;",
	/* Loops and branches that all lanes go through alike. */
	"add.u32 r4, r1, 3; mov.u32 r5, 0; again: mad.lo.u32 r9, r9, 3, r3; add.u32 r5, r5, 1; setp.lt.u32 p, r5, r4;"
	"@p bra again; add.u32 r9, r9, r5;",
	"setp.eq.u32 p, r1, 1; selp.b32 r4, 5, 9, p; @p bra one; mul.lo.u32 r9, r3, r4; bra both; one: shl.b32 r9, r3, "
	"2;"
	"both: add.u32 r9, r9, r4;",
	"setp.eq.u32 p, r1, 1; setp.gt.u32 q, r2, 40; xor.pred p, p, q; not.pred q, p; selp.b32 r9, r3, 7, q;",
	/* Lanes part: what some of them write is not one row any more. */
	"mov.u32 r4, r3; setp.lt.u32 p, r0, 5; @p bra side; add.u32 r4, r3, 10; side: mul.wide.u32 d2, r4, 4;"
	"add.u64 d2, d0, d2; ld.global.u32 r9, [d2];",
	"mov.u32 r4, 1; setp.lt.u32 p, r0, 5; @p bra side; mov.u32 r4, 2; mov.u32 r5, 8; bra meet; side: mov.u32 r5, 9;"
	"meet: mad.lo.u32 r9, r4, 16, r5;",
	"mov.u32 r4, 0; and.b32 r5, r0, 7; turn: add.u32 r4, r4, 1; mad.lo.u32 r9, r4, r4, r9; setp.le.u32 p, r4, r5;"
	"@p bra turn; mad.lo.u32 r9, r4, 1000, r9;",
	"mov.u32 r4, 7; setp.lt.u32 p, r0, 5; @p add.u32 r4, r4, 1; @!p mov.u32 r5, 3; add.u32 r9, r4, r5;",
	"and.b32 r5, r0, 3; mov.u32 r4, 0; setp.eq.u32 p, r5, 2; @p bra in; bra out; in: add.u32 r4, r1, 4; mov.u32 "
	"r6, 0;"
	"round: add.u32 r6, r6, 2; add.u32 r9, r9, r6; setp.lt.u32 q, r6, r4; @q bra round; out: add.u32 r9, r9, r3;",
	/* Shared memory: a row written, places read. */
	"mad.lo.u32 r4, r10, r2, r0; mad.lo.u32 r4, r4, 4, r13; st.shared.u32 [r4], r3; mov.u32 r5, 77;"
	"st.shared.u32 [r4+4096], r5; bar.sync 0; ld.shared.u32 r6, [r13+16]; ld.shared.v4.u32 {r7, r8, r14, r15}, "
	"[r13+32];"
	"mad.lo.u32 r16, r0, 4, r13; ld.shared.u32 r16, [r16]; add.u32 r9, r6, r7; add.u32 r9, r9, r15; add.u32 r9, "
	"r9, r16;",
	/* Other distances, of one word and of several, upwards, by places that memory gives. */
	"mul.wide.u32 d2, r3, 12; add.u64 d2, d0, d2; ld.global.u32 r4, [d2]; ld.global.u32 r5, [d2+20]; mul.wide.u32 "
	"d3, r3, 24;"
	"add.u64 d3, d0, d3; ld.global.u64 d4, [d3+8]; cvt.u32.u64 r6, d4; shr.u64 d4, d4, 32; cvt.u32.u64 r7, d4;"
	"mad.lo.u32 r9, r4, 3, r5; mad.lo.u32 r9, r9, 5, r6; add.u32 r9, r9, r7; ld.global.u8 r8, [d2+3]; add.u32 r9, "
	"r9, r8;",
	"ld.global.u32 r4, [d0+12]; and.b32 r4, r4, 15; mad.lo.u32 r5, r4, 4, r3; mul.wide.u32 d2, r5, 32; add.u64 d2, "
	"d0, d2;"
	"ld.global.v4.u32 {r5, r6, r7, r8}, [d2]; ld.global.v2.u32 {r14, r15}, [d2+16]; add.u32 r9, r5, r8; mad.lo.u32 "
	"r9, r9, 3, r6;"
	"mad.lo.u32 r9, r9, 7, r7; xor.b32 r9, r9, r14; mad.lo.u32 r9, r9, 3, r15; add.u32 r9, r9, r4;",
	"mad.lo.u32 r4, r10, r2, r0; mad.lo.u32 r5, r4, 16, r13; st.shared.v2.u32 [r5], {r3, r0}; mad.lo.u32 r6, r4, "
	"12, r13;"
	"bar.sync 0; ld.shared.u32 r7, [r5+4]; bar.sync 0; st.shared.u32 [r6+8], r4; bar.sync 0; ld.shared.u32 r8, "
	"[r6+8];"
	"ld.shared.v2.u32 {r14, r15}, [r5]; mad.lo.u32 r9, r7, 3, r8; mad.lo.u32 r9, r9, 5, r14; add.u32 r9, r9, r15;",
	/* Members of structs: words at small distances, loaded and stored, up to the last word of the memory. */
	"mul.wide.u32 d2, r3, 8; add.u64 d2, d0, d2; ld.global.u32 r4, [d2+4]; mul.wide.u32 d3, r3, 16; add.u64 d3, "
	"d0, "
	"d3; ld.global.f32 f0, [d3+8]; mul.wide.u32 d4, r3, 20; add.u64 d4, d0, d4; ld.global.s32 r5, [d4]; "
	"ld.global.u32 "
	"r6, [d4+16]; mul.wide.u32 d5, r3, 28; add.u64 d5, d0, d5; ld.global.u32 r7, [d5+12]; mul.wide.u32 d6, r3, 32; "
	"add.u64 d6, d0, d6; ld.global.u32 r8, [d6+28]; mov.b32 r9, f0; mad.lo.u32 r9, r9, 3, r4; mad.lo.u32 r9, r9, "
	"5, "
	"r5; mad.lo.u32 r9, r9, 7, r6; mad.lo.u32 r9, r9, 9, r7; add.u32 r9, r9, r8; mul.wide.u32 d7, r3, 36; add.u64 "
	"d7, d0, d7; ld.global.u32 r4, [d7]; xor.b32 r9, r9, r4;",
	"mad.lo.u32 r4, r11, r12, r10; mad.lo.u32 r4, r4, r2, r0; mad.lo.u32 r4, r1, 128, r4; mul.wide.u32 d2, r4, 8; "
	"add.u64 d2, d1, d2; st.global.u32 [d2+13312], r4; mul.wide.u32 d3, r4, 12; add.u64 d3, d1, d3; add.u32 r5, "
	"r4, "
	"7; st.global.u32 [d3+2048], r5; mul.wide.u32 d4, r4, 16; add.u64 d4, d1, d4; st.global.f32 [d4+6664], f0; "
	"add.u32 r6, r4, 9; st.global.u32 [d4+6668], r6; ld.global.u32 r7, [d4+6668]; ld.global.u32 r8, [d3+2048]; "
	"mad.lo.u32 r9, r7, 3, r8;",
	"mad.lo.u32 r4, r11, r12, r10; mad.lo.u32 r4, r4, r2, r0; mad.lo.u32 r5, r4, 28, r13; st.shared.u32 [r5], r3; "
	"mad.lo.u32 r6, r4, 32, r13; "
	"bar.sync 0; ld.shared.u32 r7, [r5]; bar.sync 0; st.shared.u32 [r6+28], r4; st.shared.u32 [r6+4], r7; bar.sync "
	"0; ld.shared.u32 r8, [r6+28]; ld.shared.u32 r14, [r6]; setp.lt.u32 p, r0, 11; @p st.shared.u32 [r6], r8; "
	"ld.shared.u32 r15, [r6]; mad.lo.u32 r9, r7, 3, r8; mad.lo.u32 r9, r9, 5, r14; add.u32 r9, r9, r15;",
	/* What lies at one place: by all lanes, by some, in a loop, and in memory that each lane has for itself. */
	"setp.lt.u32 p, r0, 5; mov.u32 r4, 3; @p ld.global.u32 r4, [d0+16]; mov.u32 r5, 4; @p bra side; ld.global.u32 "
	"r5, [d0+20];"
	"side: mad.lo.u32 r9, r4, 3, r5;",
	"mov.u32 r4, 0; mov.u64 d2, d0; turn: ld.global.u32 r5, [d2]; and.b32 r5, r5, 12; cvt.u64.u32 d3, r5; add.u64 "
	"d2, d2, d3;"
	"add.u64 d2, d2, 4; ld.global.f32 f0, [d2]; mov.b32 r6, f0; mad.lo.u32 r9, r9, 3, r6; add.u32 r9, r9, r3; "
	"add.u32 r4, r4, 1;"
	"setp.lt.u32 p, r4, 6; @p bra turn;",
	"{ .local .align 4 .b8 own[16]; mov.u32 r4, own; st.local.u32 [r4+4], r3; ld.local.u32 r5, [r4+4]; "
	"mov.u64 d2, own; cvta.local.u64 d2, d2; ld.u32 r7, [d2+4]; mad.lo.u32 r9, r5, 3, r7; }",
	/* Many values in turn, more than there are places for: each has another step. */
	"mul.lo.u32 r4, r3, 3; shl.b32 r4, r4, 2; add.u32 r4, r4, r1; xor.b32 r5, r4, 9; shl.b32 r5, r5, 1; mul.lo.u32 "
	"r5, r5, r5;"
	"mov.u32 r6, r1; shl.b32 r6, r6, 4; add.u32 r6, r6, r0; mul.lo.u32 r6, r6, 5; add.u32 r9, r5, r6; "
	"cvt.rn.f32.u32 f0, r9;"
	"fma.rn.f32 f0, f0, f0, f0; mov.b32 r7, f0; add.u32 r9, r9, r7; mov.u32 r8, r1; mad.lo.u32 r9, r8, 3, r9;",
};

struct trial {
	u32 out[SHAPES][WORDS];
};

/* The kernel of that part, with its memory. */
struct made {
	struct session session;
	u64 params[2];
};

static void make(struct made *m, const char *part)
{
	struct session *s = &m->session;
	char source[8192];

	snprintf(source, sizeof source, text, part);
	session_of(s, "affine.ptx", source);
	m->params[0] = memory_allocate(&s->memory, 4 * WORDS, 256, "from", 0);
	m->params[1] = memory_allocate(&s->memory, 4 * WORDS, 256, "to", 0);
	u32 *from = (u32 *)(void *)memory_find(&s->memory, m->params[0], 4)->host;
	for (u32 k = 0; k < WORDS; k++)
		from[k] = k * 2654435761u;
}

static int run_shape(struct made *m, enum native_mode mode, const u32 shape[3], struct fault *fault)
{
	struct session *s = &m->session;
	struct launch_stats stats;
	char message[256] = "";
	struct launch l = {.program = s->program,
			   .kernel = program_kernel(s->program, "k"),
			   .memory = &s->memory,
			   .grid = {BLOCKS, 1, 1},
			   .params = (const u8 *)m->params,
			   .jobs = 1};

	memcpy(l.block, shape, sizeof l.block);
	l.native = session_native(s, s->program, l.kernel, mode);
	return launch_run(&l, &stats, fault, message, sizeof message);
}

/* From the shape `first` on. */
static void run(enum native_mode mode, const char *part, u32 first, struct trial *t)
{
	struct fault fault;
	struct made m;

	make(&m, part);
	for (u32 k = 0; k < SHAPES; k++) {
		const u32 n = (first + k) % SHAPES;
		memset(memory_find(&m.session.memory, m.params[1], 1)->host, 0, sizeof t->out[n]);
		ck_assert_int_eq(run_shape(&m, mode, shapes[n], &fault), LAUNCH_OK);
		memcpy(t->out[n], memory_find(&m.session.memory, m.params[1], 1)->host, sizeof t->out[n]);
	}
	session_close(&m.session);
}

/* Code that the first launch asks for is made for its blocks; the others have other ones. */
START_TEST(affine_rows_agree)
{
	static struct trial interpreted, native;

	if (!native_is_there())
		return;
	run(NATIVE_OFF, parts[_i], 0, &interpreted);
	for (u32 first = 0; first < SHAPES; first++) {
		run(NATIVE_ALWAYS, parts[_i], first, &native);
		for (u32 n = 0; n < SHAPES; n++)
			ck_assert_msg(!memcmp(interpreted.out[n], native.out[n], sizeof native.out[n]),
				      "blocks of %u x %u x %u, from shape %u on: %s", shapes[n][0], shapes[n][1],
				      shapes[n][2], first, parts[_i]);
	}
}
END_TEST

/* Both sides name the same access: whose, and where. */
static void run_to_fault(enum native_mode mode, const char *part, char *what, size_t size)
{
	struct fault fault = {0};
	struct made m;

	make(&m, part);
	ck_assert_int_ne(run_shape(&m, mode, shapes[0], &fault), LAUNCH_OK);
	snprintf(what, size, "%llu of warp %u, lanes %x", (unsigned long long)fault.address, fault.warp, fault.lanes);
	session_close(&m.session);
}

/* Rows that end outside, at equal distances and at others, and one of which every second word is half of two. */
static const char *const faults[] = {
	"mul.wide.u32 d2, r3, 4; add.u64 d2, d0, d2; ld.global.u32 r9, [d2+15900];",
	"and.b32 r4, r0, 3; mad.lo.u32 r4, r4, 8, r13; ld.shared.u32 r9, [r4+8172];",
	"and.b32 r4, r0, 3; mul.lo.u32 r4, r4, 8; sub.u32 r4, r13, r4; st.shared.u32 [r4+20], r0;",
	"and.b32 r4, r0, 1; mad.lo.u32 r4, r4, 2, r13; ld.shared.u32 r9, [r4];",
	"and.b32 r4, r0, 6; mad.lo.u32 r4, r4, 4, r13; ld.shared.u32 r5, [r4+8000]; add.u32 r9, r5, r3; div.u32 r6, "
	"r9, "
	"3; ld.shared.u32 r7, [r4+8180]; add.u32 r9, r6, r7;"};

START_TEST(rows_that_end_outside_fault)
{
	char interpreted[256], native[256];

	if (!native_is_there())
		return;
	run_to_fault(NATIVE_OFF, faults[_i], interpreted, sizeof interpreted);
	run_to_fault(NATIVE_ALWAYS, faults[_i], native, sizeof native);
	ck_assert_str_eq(interpreted, native);
}
END_TEST

UNIT_TESTS("native_affine", 60)
{
	tcase_add_loop_test(unit, affine_rows_agree, 0, COUNT_OF(parts));
	tcase_add_loop_test(unit, rows_that_end_outside_fault, 0, COUNT_OF(faults));
}
