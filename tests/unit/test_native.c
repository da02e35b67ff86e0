/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code beside the interpreter: accesses of whole warps and of some lanes in every shape that native code has a
 * way of its own for, choices between lanes, and tiers that are closed while their compiler works.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/session.h"
#include "main.h"
#include "native/flow.h"
#include "native_there.h"

enum { WORDS = 4096, THREADS = 128 };

/* Its two parts say which lanes take part (p), and which word is a lane's (r2). No two warps have one. */
static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
	".shared .align 16 .b8 near[16384]; .reg .pred p; .reg .b32 r<12>; .reg .f32 f<4>; .reg .b64 d<8>;\n"
	"mov.u32 r0, %%tid.x; and.b32 r1, r0, 31; ld.param.u64 d0, [from]; ld.param.u64 d1, [to];\n"
	"mul.wide.u32 d2, r0, 4; add.u64 d2, d1, d2; mul.lo.u32 r9, r0, 77; mov.b32 r10, 5;\n"
	/* All of shared memory is written first: what a store leaves alone shows. */
	"mov.u32 r3, near; mad.lo.u32 r4, r0, 4, r3; mov.b32 r5, 0;\n"
	"fill: st.shared.u32 [r4], r9; add.u32 r4, r4, 512; add.u32 r5, r5, 1; setp.lt.u32 p, r5, 32; @p bra fill;\n"
	"bar.sync 0;\n%s\n%s\n"
	"shl.b32 r4, r2, 2; add.u32 r4, r4, r3; mul.wide.u32 d3, r2, 4; add.u64 d4, d0, d3; add.u64 d5, d1, d3;\n"
	"mov.b32 r6, 1; mov.b32 r7, 2; mov.b32 r8, 3; mov.b32 r11, 4;\n"
	"@!p bra over;\n"
	"ld.global.u32 r6, [d4]; ld.shared.u32 r7, [r4]; add.u32 r6, r6, r7; st.shared.u32 [r4], r6;\n"
	"st.global.u32 [d5+4096], r6; ld.global.u8 r8, [d4+1]; st.global.u16 [d5+8192], r8;\n"
	"ld.shared.u32 r11, [r4]; selp.b32 r11, r11, r9, p; cvt.rn.f32.u32 f0, r11; fma.rn.f32 f1, f0, f0, f0;\n"
	"st.global.f32 [d5+4096], f1;\n"
	"over: and.b32 r10, r9, 63; setp.gt.u32 p, r10, 20; selp.b32 r10, r6, r7, p; xor.b32 r10, r10, r8; xor.b32 "
	"r10, r10, r11;\n"
	"bar.sync 0; ld.shared.u32 r5, [r4]; add.u32 r10, r10, r5; st.global.u32 [d2], r10; ret;\n}\n";

static const char *const masks[] = {"setp.ge.u32 p, r1, 0;", "setp.eq.u32 p, r1, 7;", "setp.lt.u32 p, r1, 16;",
				    "and.b32 r5, r1, 1; setp.eq.u32 p, r5, 0;", "setp.gt.u32 p, r0, 40;"};
static const char *const places[] = {
	"mov.b32 r2, r0;",     /* a row */
	"xor.b32 r2, r0, 16;", /* two half rows */
	"and.b32 r2, r0, 96;", /* one place */
	"xor.b32 r2, r0, 21;", /* near, in disorder */
	"shl.b32 r2, r0, 1;",  /* every second word */
	/* The lower ones of pairs, in disorder. */
	"shl.b32 r2, r0, 1; and.b32 r5, r0, 7; sub.u32 r2, r2, r5; xor.b32 r2, r2, 1;",
	"shl.b32 r2, r0, 1; add.u32 r2, r2, 3841;",                  /* every second word, to the very last */
	"mul.lo.u32 r2, r0, 31;",                                    /* a column */
	"shl.b32 r2, r0, 5; add.u32 r2, r2, 31;",                    /* one to the very last word */
	"mul.lo.u32 r2, r0, 31; sub.u32 r2, 4000, r2;",              /* one downwards */
	"mul.lo.u32 r2, r0, 7; rem.u32 r2, r2, 1021;",               /* anywhere */
	"mov.b32 r2, r0; selp.b32 r2, r2, 1000, p;",                 /* others elsewhere */
	"and.b32 r2, r0, 120; mul.lo.u32 r2, r2, 5;",                /* quarters at one place each */
	"shl.b32 r2, r0, 1; and.b32 r5, r0, 7; sub.u32 r2, r2, r5;", /* quarters in a row each */
	"shl.b32 r2, r0, 1; and.b32 r5, r0, 3; sub.u32 r2, r2, r5; xor.b32 r2, r2, 4;", /* near each quarter's first or before it */
};

/* Vectors: r2 is a lane's place, in pairs of words. */
static const char vectors_text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
	".shared .align 16 .b8 near[16384]; .reg .pred p; .reg .b32 r<16>; .reg .b64 d<8>;\n"
	"mov.u32 r0, %%tid.x; and.b32 r1, r0, 31; ld.param.u64 d1, [to]; mul.wide.u32 d2, r0, 4; add.u64 d2, d1, d2;\n"
	"mov.u32 r3, near; mad.lo.u32 r4, r0, 4, r3; mov.b32 r5, 0; mul.lo.u32 r9, r0, 77;\n"
	"fill: mad.lo.u32 r9, r9, 1664525, 1013904223; st.shared.u32 [r4], r9; add.u32 r4, r4, 512; add.u32 r5, r5, "
	"1;\n"
	"setp.lt.u32 p, r5, 32; @p bra fill;\n"
	"bar.sync 0;\n%s\n%s\n"
	"shl.b32 r4, r2, 3; add.u32 r4, r4, r3; mov.b32 r6, 1; mov.b32 r7, 2; mov.b32 r8, 3; mov.b32 r11, 4;\n"
	"mov.b32 r12, 5; mov.b32 r13, 6;\n"
	"@!p bra over;\n"
	"ld.shared.v2.u32 {r12, r13}, [r4+8]; shl.b32 r5, r2, 4; and.b32 r5, r5, 8191; add.u32 r5, r5, r3;\n"
	"ld.shared.v4.u32 {r6, r7, r8, r11}, [r5+8176];\n"
	"over: mul.lo.u32 r6, r6, 3; mad.lo.u32 r6, r7, 5, r6; mad.lo.u32 r6, r8, 7, r6; mad.lo.u32 r6, r11, 11, r6;\n"
	"mad.lo.u32 r6, r12, 13, r6; mad.lo.u32 r6, r13, 17, r6; st.global.u32 [d2], r6; ret;\n}\n";
static const char *const vector_places[] = {
	"mov.b32 r2, r0;",                              /* a row */
	"and.b32 r2, r0, 96;",                          /* one place */
	"and.b32 r2, r0, 112;",                         /* two */
	"and.b32 r2, r0, 15; shl.b32 r2, r2, 1;",       /* both halves the same, at twice the distance */
	"mul.lo.u32 r2, r0, 5;",                        /* further apart */
	"mul.lo.u32 r2, r0, 16; min.u32 r2, r2, 2046;", /* the last at the very end */
	"sub.u32 r2, 200, r0;",                         /* downwards */
	"mul.lo.u32 r2, r0, 7; rem.u32 r2, r2, 1021;",  /* anywhere */
};

static void build_kernel(struct session *s, const char *pattern, const char *lanes, const char *place)
{
	const struct lower_options options = {0};
	char source[8192];

	ck_assert(session_open(s));
	const int length = snprintf(source, sizeof source, pattern, lanes, place);
	session_add_text(s, "native.ptx", source, (size_t)length);
	ck_assert_msg(session_build(s, &options), "%.2000s", session_diagnostics(s, false));
}

static void launch_kernel(struct session *s, enum native_mode mode, u32 out[WORDS])
{
	struct fault fault;
	struct launch_stats stats;
	char message[256] = "";

	ck_assert(session_reset_memory(s));
	const u64 params[2] = {memory_allocate(&s->memory, 4 * WORDS, 256, "from", 0),
			       memory_allocate(&s->memory, 8 * WORDS, 256, "to", 0)};
	u32 *from = (u32 *)(void *)memory_find(&s->memory, params[0], 4)->host;
	for (u32 k = 0; k < WORDS; k++)
		from[k] = k * 2654435761u;
	struct launch l = {.program = s->program,
			   .kernel = program_kernel(s->program, "k"),
			   .memory = &s->memory,
			   .grid = {1, 1, 1},
			   .block = {THREADS, 1, 1},
			   .params = (const u8 *)params,
			   .jobs = 1};
	l.native = session_native(s, s->program, l.kernel, mode);
	ck_assert_msg(launch_run(&l, &stats, &fault, message, sizeof message) == LAUNCH_OK, "%s", message);
	memcpy(out, memory_find(&s->memory, params[1], 1)->host, 4 * WORDS);
}

static void run(enum native_mode mode, const char *pattern, const char *lanes, const char *place, u32 out[WORDS])
{
	struct session s;

	build_kernel(&s, pattern, lanes, place);
	launch_kernel(&s, mode, out);
	session_close(&s);
}

/* The kernel leaves the same natively and interpreted, by lanes of that mask. */
static void agree(const char *kernel, const char *mask, const char *place)
{
	static u32 interpreted[WORDS], native[WORDS];

	run(NATIVE_OFF, kernel, mask, place, interpreted);
	run(NATIVE_ALWAYS, kernel, mask, place, native);
	ck_assert_msg(!memcmp(interpreted, native, sizeof native), "lanes '%s', places '%s'", mask, place);
}

START_TEST(accesses_of_some_lanes_agree)
{
	for (u32 place = 0; native_is_there() && place < COUNT_OF(places); place++)
		agree(text, masks[_i], places[place]);
}
END_TEST

START_TEST(vectors_of_some_lanes_agree)
{
	for (u32 place = 0; native_is_there() && place < COUNT_OF(vector_places); place++)
		agree(vectors_text, masks[_i], vector_places[place]);
}
END_TEST

/* --- Operands in a list ------------------------------------------------------------------------- */

/* Its parts: which lanes take part (p), and what they do with r10 to r13, h0 to h3 and d4 to d6. All of these and q are live before and behind
 * it, so that what is written elsewhere shows, and stand far behind their rows in the frame, as d3 is a row of the region's for each of its values. */
static const char lists_text[] =
	".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
	".shared .align 16 .b8 near[4096]; .reg .pred p, q; .reg .b16 h<4>; .reg .b32 r<20>; .reg .b64 d<8>;\n"
	"mov.u32 r0, %%tid.x; and.b32 r1, r0, 31; ld.param.u64 d0, [from]; ld.param.u64 d1, [to]; mul.wide.u32 d2, r0, "
	"16; add.u64 d0, d0, d2; mul.wide.u32 d2, r0, 32; add.u64 d2, d1, d2; mov.u32 r3, near; mad.lo.u32 r3, r0, 16, "
	"r3;\n"
	"ld.global.u64 d3, [d0]; add.u64 d3, d3, d2; xor.b64 d3, d3, d0; add.u64 d3, d3, d2; xor.b64 d3, d3, d0; "
	"add.u64 "
	"d3, d3, d2; st.shared.u64 [r3+2048], d3;\n"
	"ld.global.v4.u32 {r10, r11, r12, r13}, [d0]; ld.global.v2.u64 {d4, d5}, [d0+2048]; ld.global.u64 d6, "
	"[d0+4096];\n"
	"st.shared.v4.u32 [r3], {r13, r12, r11, r10}; ld.global.v4.u16 {h0, h1, h2, h3}, [d0+6144]; setp.lt.s32 q, "
	"r10, 0;\n"
	"mov.u32 r14, r10; mov.u32 r15, r11;\n"
	"%s\n@!p bra over;\n%s\n"
	"over: selp.b32 r4, 77, 7, q; xor.b32 r4, r4, r14; mad.lo.u32 r4, r4, 3, r15; mov.b32 r5, {h0, h1}; mov.b32 "
	"r6, {h2, h3}; mad.lo.u32 r4, r4, 3, r5; mad.lo.u32 r4, r4, 3, r6;\n"
	"st.global.v4.u32 [d2], {r10, r11, r12, r13}; add.u64 d4, d4, d5; xor.b64 d4, d4, d6; st.global.u64 [d2+16], "
	"d4; st.global.u32 [d2+24], r4; ret;\n}\n";

static const char *const lists[] = {
	"bfi.b32 r10, r11, r12, 5, 9; bfi.b32 r13, r13, r11, r12, r1; bfi.b64 d4, d5, d6, r1, 20;",
	"lop3.or.b32 r10|q, r11, r12, r13, 0x96, q; lop3.and.b32 _|q, r10, r12, r13, 0x1e, q;",
	"mov.b64 d4, {r10, r11}; mov.b64 {r12, r13}, d5; mov.b64 {_, r10}, d6; mov.b64 {r11, _}, d4;",
	"mov.b64 {r10, _}, d6; add.u32 r10, r10, r11; mov.b64 d4, {r10, r10}; mov.b64 {_, r13}, d4;",
	"mov.b32 {h0, _}, r10; mov.b32 {_, h1}, r11; mov.b64 d5, {h0, h1, h2, h3}; mov.b64 {h2, _, _, h3}, d4;",
	"ld.global.v2.u32 {_, r10}, [d0+2048]; ld.global.v4.u32 {r12, _, _, r13}, [d0+4096];",
	"ld.shared.v2.u32 {r11, _}, [r3]; ld.shared.v4.u32 {_, r12, r13, _}, [r3]; ld.global.v2.u64 {_, d4}, "
	"[d0+4096];",
	"setp.lt.and.u32 q|p, r10, r11, q; selp.b32 r12, r13, r11, p; selp.b32 r13, r12, r1, q;",
	"mov.b32 r4, -1; @p activemask.b32 r4; shfl.sync.bfly.b32 r12|q, r10, 1, 31, r4; shfl.sync.idx.b32 r13, r11, "
	"2, 31, r4;",
};

START_TEST(operands_in_lists_agree)
{
	for (u32 op = 0; native_is_there() && op < COUNT_OF(lists); op++)
		agree(lists_text, masks[_i], lists[op]);
}
END_TEST

/* --- Rows in registers -------------------------------------------------------------------------- */

/* Members of an array of structs, which lanes read at equal distances. */
static const char members_text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
	".reg .b32 r<8>; .reg .b64 d<8>;\n"
	"mov.u32 r0, %tid.x; ld.param.u64 d0, [from]; ld.param.u64 d1, [to]; mul.wide.u32 d2, r0, 12; add.u64 d2, d0, "
	"d2; "
	"mul.wide.u32 d3, r0, 4; add.u64 d3, d1, d3;\n"
	"ld.global.u32 r1, [d2]; ld.global.u32 r2, [d2+4]; ld.global.u32 r3, [d2+8]; mad.lo.u32 r1, r1, r2, r3; "
	"xor.b32 r1, r1, r2; st.global.u32 [d3], r1; ret;\n}\n";

/* What is told of the regions of a kernel that is compiled: whether there are any, and bytes of their rows that are not in registers. */
static bool told_of_regions(const char *kernel, unsigned long long *in_memory)
{
	static u32 out[WORDS];
	FILE *told = tmpfile();
	const int errors = dup(STDERR_FILENO);
	unsigned long long bytes;
	bool any = false;
	char line[512];

	ck_assert(told && errors >= 0);
	fflush(stderr);
	dup2(fileno(told), STDERR_FILENO);
	setenv("PTXSIM_NATIVE_DUMP", "regions", 1);
	run(NATIVE_ALWAYS, "%s%s", kernel, "", out);
	unsetenv("PTXSIM_NATIVE_DUMP");
	fflush(stderr);
	dup2(errors, STDERR_FILENO);
	close(errors);
	rewind(told);
	*in_memory = 0;
	while (fgets(line, sizeof line, told)) {
		const char *stay = strstr(line, " stay in memory: ");
		any |= strstr(line, ": native") != NULL;
		*in_memory += stay && sscanf(stay, " stay in memory: %llu", &bytes) == 1 ? bytes : 0;
	}
	fclose(told);
	return any;
}

START_TEST(rows_of_members_are_registers)
{
	unsigned long long in_memory;

	if (!native_is_there())
		return;
	ck_assert(told_of_regions(members_text, &in_memory));
	ck_assert_uint_eq(in_memory, 0);
	agree("%s%s", members_text, "");
}
END_TEST

/* --- Rounding ------------------------------------------------------------------------------------- */

/* Its parts: a type, the word that a register of it is made of, and operations on a, b and c, which give x. */
static const char rounding_text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
	".reg .pred p; .reg .b32 r<8>; .reg .b64 d<8>; .reg .f%s a, b, c, x, y;\n"
	"mov.u32 r0, %%tid.x; ld.param.u64 d0, [from]; ld.param.u64 d1, [to]; mul.wide.u32 d2, r0, 8; add.u64 d3, d0, "
	"d2; add.u64 d4, d1, "
	"d2;\n"
	"mov.b32 r1, 0;\n"
	"again: ld.global.f%s a, [d3]; ld.global.f%s b, [d3+1024]; ld.global.f%s c, [d3+2048];\n%s\n"
	"st.global.f%s [d4], x; st.global.f%s [d4+1024], y; add.u64 d3, d3, 1024; add.u64 d4, d4, 2048; add.u32 r1, "
	"r1, 1;\n"
	"setp.lt.u32 p, r1, 10; @p bra again; ret;\n}\n";
static const char *const rounded[][2] = {
	{"32", "fma.rm.f32 x, a, b, c; add.rp.f32 y, x, a;"},
	{"32", "mul.rz.f32 x, a, b; sub.rm.f32 y, x, c; fma.rn.f32 x, x, y, x;"},
	{"32", "div.rp.f32 x, a, b; sqrt.rm.f32 y, x; fma.rz.f32 y, y, y, a;"},
	{"32", "fma.rm.ftz.f32 x, a, b, c; add.rn.ftz.f32 y, x, a; mul.rp.ftz.f32 x, y, x;"},
	{"64", "fma.rm.f64 x, a, b, c; add.rp.f64 y, x, a; mul.rn.f64 x, x, y;"},
	{"64", "mul.rz.f64 x, a, b; sub.rm.f64 y, x, c; div.rz.f64 x, y, a; sqrt.rp.f64 y, x;"},
};

START_TEST(rounding_is_the_instructions)
{
	static u32 interpreted[WORDS], native[WORDS];
	const char *const f = rounded[_i][0];
	char kernel[8192];

	if (!native_is_there())
		return;
	snprintf(kernel, sizeof kernel, rounding_text, f, f, f, f, rounded[_i][1], f, f);
	run(NATIVE_OFF, "%s%s", kernel, "", interpreted);
	run(NATIVE_ALWAYS, "%s%s", kernel, "", native);
	ck_assert(!memcmp(interpreted, native, sizeof native));
}
END_TEST

/* A loop carries a float that nobody has later, beside one that only ways out of the region write. */
static const char left_text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
	".reg .pred p; .reg .b32 r<8>; .reg .b64 d<4>; .reg .f32 f<12>;\n"
	"mov.u32 r0, %%tid.x; and.b32 r1, r0, 31; ld.param.u64 d0, [from]; ld.param.u64 d1, [to]; mul.wide.u32 d2, r0, "
	"4;\n"
	"add.u64 d0, d0, d2; add.u64 d1, d1, d2; mov.u32 r2, 0;\n"
	"ld.global.f32 f6, [d0]; ld.global.f32 f8, [d0+512]; ld.global.f32 f9, [d0+1024]; ld.global.f32 f10, "
	"[d0+1536];\n"
	"%s @!p bra over;\n%s"
	"cvt.rn.f32.s32 f1, r1; div.rn.f32 f2, f10, f1; add.rn.f32 f3, f2, 0fC0000000; mov.f32 f4, 0f00000000;\n"
	"again: add.rn.f32 f5, f3, f6; mul.rn.f32 f7, f8, f4; add.rn.f32 f4, f9, f7; add.u32 r2, r2, 1;\n"
	"setp.lt.u32 p, r2, 9; @p bra again;\n"
	"over: st.global.u32 [d1], r2; ret;\n}\n";

START_TEST(floats_that_leave_agree)
{
	struct session avx2;

	if (!native_is_there())
		return;
	agree(left_text, masks[_i], "");
	setenv("PTXSIM_VARIANT", "avx2", 1);
	if (!session_open(&avx2)) {
		fprintf(stderr, "not tried with AVX2, which this build is without\n");
		return;
	}
	session_close(&avx2);
	agree(left_text, masks[_i], "");
}
END_TEST

/* --- Many sums ------------------------------------------------------------------------------------ */

enum { SUMS = 12, STEPS = 3 };

/* More sums than registers, with loads between their steps; `between`: an instruction behind the first step. Each begins in one region, and is
 * read in another. */
static void write_sums(char *source, size_t size, const char *between)
{
	size_t at = (size_t)snprintf(source, size,
				     ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 "
				     "from, .param .u64 to)\n{\n"
				     ".shared .align 16 .b8 near[4096]; .reg .pred p; .reg .b32 r<8>; .reg .b64 d<8>; "
				     ".reg .f32 s<%u>, f<8>;\n"
				     "mov.u32 r0, %%tid.x; ld.param.u64 d0, [from]; ld.param.u64 d1, [to]; "
				     "mul.wide.u32 d2, r0, 4; add.u64 d3, d0, "
				     "d2;\n"
				     "add.u64 d4, d1, d2; mov.u32 r1, near; mad.lo.u32 r2, r0, 4, r1; and.b32 r3, r0, "
				     "96; mad.lo.u32 r3, r3, 4, r1;\n"
				     "ld.global.f32 f0, [d3]; st.shared.f32 [r2], f0; ld.global.f32 f1, [d3+1024]; "
				     "st.shared.f32 [r2+512], f1;\n",
				     SUMS);

	for (u32 k = 0; k < SUMS; k++)
		at += (size_t)snprintf(source + at, size - at, "ld.global.f32 s%u, [d3+%u];\n", k, 64 * k);
	at += (size_t)snprintf(source + at, size - at, "bar.sync 0;\n");
	for (u32 step = 0; step < STEPS; step++) {
		at += (size_t)snprintf(source + at, size - at,
				       "ld.shared.f32 f2, [r2+%u]; ld.shared.f32 f3, [r3+%u];\n", 4 * step, 8 * step);
		for (u32 k = 0; k < SUMS; k++)
			at += (size_t)snprintf(source + at, size - at, "fma.rn.f32 s%u, f%u, f%u, s%u;\n", k, 2 + k % 2,
					       2 + k / 2 % 2, k);
		at += (size_t)snprintf(source + at, size - at, "%s\n", step ? "" : between);
	}
	at += (size_t)snprintf(source + at, size - at, "bar.sync 0;\n");
	for (u32 k = 0; k < SUMS; k++)
		at += (size_t)snprintf(source + at, size - at, "st.global.f32 [d4+%u], s%u;\n", 512 * k, k);
	snprintf(source + at, size - at, "ret;\n}\n");
}
static const char *const betweens[] = {
	"",
	"st.global.f32 [d4+8192], s3;",
	"mov.f32 s5, s4;",
	"add.f32 s1, s1, s2;",
	"ld.shared.f32 s7, [r2+16];",
	"setp.gt.f32 p, s0, s9; @p bra over; add.f32 s2, s2, s2; over:",
	"setp.gt.f32 p, s0, s9; @p st.shared.f32 [r2+1024], s2;",
};

START_TEST(many_sums_agree)
{
	static u32 interpreted[WORDS], native[WORDS];
	static char kernel[8192];

	if (!native_is_there())
		return;
	write_sums(kernel, sizeof kernel, betweens[_i]);
	run(NATIVE_OFF, "%s%s", kernel, "", interpreted);
	run(NATIVE_ALWAYS, "%s%s", kernel, "", native);
	ck_assert(!memcmp(interpreted, native, sizeof native));
}
END_TEST

/* --- Atomic operations ---------------------------------------------------------------------------- */

/* Its parts: which lanes take part (p), which word is a lane's (r2), and the operations: on the words d4, r4 and d6, which
 * are in global and shared memory, the last by a generic address; of 64 bits on d5 and r5. */
static const char sums_text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
	".shared .align 16 .b8 near[8192]; .reg .pred p, q; .reg .b32 r<16>; .reg .f32 f<4>; .reg .b64 d<12>;\n"
	"mov.u32 r0, %%tid.x; and.b32 r1, r0, 31; ld.param.u64 d0, [from]; ld.param.u64 d1, [to];\n"
	"mov.u32 r3, near; mov.u32 r9, %%ctaid.x; mad.lo.u32 r9, r9, 128, r0; mul.lo.u32 r9, r9, 7919;\n"
	"mul.wide.u32 d2, r0, 4; mad.lo.u32 r4, r0, 4, r3; mov.b32 r5, 0;\n"
	"fill: st.shared.u32 [r4], r5; add.u32 r4, r4, 512; add.u32 r5, r5, 512; setp.lt.u32 q, r5, 8192; @q bra "
	"fill;\n"
	"bar.sync 0; mov.b32 r12, 0;\n%s\n"
	"again: add.u32 r9, r9, 12347; shr.u32 r8, r9, 3;\n%s\n"
	"mul.wide.u32 d3, r2, 4; add.u64 d4, d1, d3; shl.b32 r4, r2, 2; add.u32 r4, r4, r3;\n"
	"mul.wide.u32 d3, r2, 8; add.u64 d5, d1, d3; add.u64 d5, d5, 4096; shl.b32 r5, r2, 3; add.u32 r5, r5, r3; "
	"add.u32 "
	"r5, r5, 2048;\n"
	"cvt.u64.u32 d6, r4; cvta.shared.u64 d6, d6; cvt.u64.u32 d7, r9; mul.lo.u64 d7, d7, 1000003;\n%s\n"
	"add.u32 r12, r12, 1; setp.lt.u32 q, r12, 5; @q bra again;\n"
	"bar.sync 0; add.u64 d2, d2, d1; mad.lo.u32 r4, r0, 4, r3; mov.b32 r5, 0;\n"
	"gather: ld.shared.u32 r6, [r4]; red.global.add.u32 [d2+8192], r6; add.u32 r4, r4, 512; add.u32 r5, r5, 512;\n"
	"setp.lt.u32 q, r5, 8192; @q bra gather; ret;\n}\n";

static const char *const sums[] = {
	"@p atom.shared.add.u32 r13, [r4], 1; @p red.global.add.u32 [d4], r8;",
	"@p red.shared.min.s32 [r4], r9; @p atom.global.max.s32 r13, [d4], r9;",
	"@p red.shared.min.s32 [r4], r9; @p red.shared.max.s32 [r4], r8; @p red.global.add.u32 [d4], 1; @p "
	"red.global.or.b32 [d4], r8;",
	"@p red.shared.xor.b32 [r4], r9; @p red.global.or.b32 [d4], r9; @p red.shared.and.b32 [r4+4], r9;",
	"@p red.shared.max.u32 [r4], r9; @p red.relaxed.gpu.global.min.u32 [d4], r9;",
	"@p atom.add.u32 r13, [d6], r9; @p red.add.u32 [d4], r9;",
	"@p red.shared.add.u64 [r5], d7; @p red.global.add.u64 [d5], d7; @p red.shared.max.s64 [r5+8], d7;",
	"@p red.shared.xor.b64 [r5], d7; @p atom.global.and.b64 d8, [d5], d7; @p atom.shared.min.u64 d8, [r5+8], d7;",
	/* Their places in the order show. */
	"@p atom.shared.add.u32 r13, [r4], 1; add.u32 r9, r9, 1; @p red.shared.inc.u32 [r4], 77;",
};
/* All lanes; of the four warps no lane, some, every second and all. */
static const char *const sum_masks[] = {
	"setp.ge.u32 p, r1, 0;",
	"and.b32 r5, r0, 1; setp.eq.u32 p, r5, 0; setp.ge.or.u32 p, r0, 96, p; setp.gt.and.u32 p, r0, 40, p;",
};
static const char *const sum_places[] = {
	"and.b32 r2, r0, 127;",                                 /* a row */
	"mov.b32 r2, 5;",                                       /* one place */
	"and.b32 r2, r9, 255;",                                 /* anywhere */
	"setp.lt.u32 q, r12, 4; selp.b32 r2, r1, 268435455, q;" /* out of reach, in the last round */
};

/* Old values that are read: warps run one by one, interpreted as well. */
static const char *const orders[] = {
	"@p atom.shared.add.u32 r13, [r4], 1; xor.b32 r9, r9, r13;",
	"@p atom.global.cas.b32 r13, [d4], r8, r9; @p st.global.u32 [d4+1024], r13;",
	"@p atom.global.exch.b32 r13, [d4], r9; @p atom.shared.inc.u32 r14, [r4], r13; add.u32 r9, r9, r14;",
	"@p atom.global.add.u64 d8, [d5], d7; cvt.u32.u64 r13, d8; add.u32 r9, r9, r13; @p atom.shared.cas.b64 d9, "
	"[r5], "
	"0, d8; cvt.u32.u64 r13, d9; xor.b32 r9, r9, r13;",
	"cvt.rn.f32.u32 f0, r8; @p atom.add.f32 f1, [d6], f0; mov.b32 r13, f1; @p atom.global.add.f32 f2, [d4], f0; "
	"mov.b32 "
	"r14, f2; xor.b32 r9, r9, r13; xor.b32 r9, r9, r14;",
	"@p ld.global.u32 r13, [d4]; @p atom.global.dec.u32 r14, [d4], r13; add.u32 r9, r9, r14;",
	/* What is read decides where lanes go, and which of them end. */
	"@!p bra over; atom.shared.add.u32 r13, [r4], 1; and.b32 r13, r13, 3; setp.gt.u32 q, r13, 1; @q bra over;\n"
	"atom.global.max.s32 r14, [d4], r9; add.u32 r9, r9, r14; over:",
	"atom.shared.add.u32 r13, [r4], 1; setp.eq.u32 q, r13, 9; @q exit; add.u32 r9, r9, r13;",
	"atom.shared.add.u32 r13, [r4], 1; setp.lt.u32 q, r0, 64; @!q bra over; bar.sync 1, 64; over: add.u32 r9, r9, "
	"r13;",
};

struct sums_outcome {
	u32 out[WORDS];
	struct fault fault;
	struct launch_stats stats;
	u32 regions;
};

static void run_sums(enum native_mode mode, u32 jobs, u32 mask, u32 place, const char *sum, struct sums_outcome *o)
{
	char source[8192], message[256] = "";
	const struct lower_options options = {0};
	struct session s;

	memset(o, 0, sizeof *o);
	ck_assert(session_open(&s));
	const int length = snprintf(source, sizeof source, sums_text, sum_masks[mask], sum_places[place], sum);
	session_add_text(&s, "sums.ptx", source, (size_t)length);
	ck_assert_msg(session_build(&s, &options), "%.2000s", session_diagnostics(&s, false));
	ck_assert(session_reset_memory(&s));
	const u64 params[2] = {memory_allocate(&s.memory, 4 * WORDS, 256, "from", 0),
			       memory_allocate(&s.memory, 4 * WORDS, 256, "to", 0)};
	struct launch l = {.program = s.program,
			   .kernel = program_kernel(s.program, "k"),
			   .memory = &s.memory,
			   .grid = {3, 1, 1},
			   .block = {THREADS, 1, 1},
			   .params = (const u8 *)params,
			   .jobs = jobs};
	l.native = session_native(&s, s.program, l.kernel, mode);
	const enum launch_status status = launch_run(&l, &o->stats, &o->fault, message, sizeof message);
	ck_assert_msg(status == LAUNCH_OK || status == LAUNCH_FAULT, "%s", message);
	if (l.native && native_report_of(l.native))
		o->regions = native_report_of(l.native)->regions;
	memcpy(o->out, memory_find(&s.memory, params[1], 1)->host, sizeof o->out);
	session_close(&s);
}

static void compare_sums(const char *sum)
{
	static struct sums_outcome interpreted, native;

	for (u32 k = 0; native_is_there() && k < COUNT_OF(sum_masks) * COUNT_OF(sum_places); k++) {
		const u32 mask = k % COUNT_OF(sum_masks), place = k / COUNT_OF(sum_masks),
			  jobs = 1 + (mask + place) % 2;
		const bool faults = place == COUNT_OF(sum_places) - 1;
		run_sums(NATIVE_OFF, jobs, mask, place, sum, &interpreted);
		run_sums(NATIVE_ALWAYS, jobs, mask, place, sum, &native);
		ck_assert_msg(interpreted.fault.kind == native.fault.kind &&
				      interpreted.fault.address == native.fault.address &&
				      interpreted.fault.lanes == native.fault.lanes,
			      "'%s', places '%s': another fault", sum_masks[mask], sum_places[place]);
		ck_assert_msg(faults || !memcmp(interpreted.out, native.out, sizeof native.out),
			      "'%s', places '%s', %u threads: other sums", sum_masks[mask], sum_places[place], jobs);
		ck_assert(faults || interpreted.stats.thread_instructions == native.stats.thread_instructions);
		ck_assert(faults || interpreted.stats.divergent_branches == native.stats.divergent_branches);
	}
}
/* Native code runs one warp after the other where a gang runs one instruction after the other. */
START_TEST(sums_are_the_same_in_any_order) { compare_sums(sums[_i]); }
END_TEST

START_TEST(old_values_are_the_same) { compare_sums(orders[_i]); }
END_TEST

/* Regions are what lies between the start, two barriers and the end. */
START_TEST(sums_do_not_end_regions)
{
	static struct sums_outcome sum, order, read;

	if (!native_is_there())
		return;
	run_sums(NATIVE_ALWAYS, 1, 0, 0, sums[0], &sum);
	run_sums(NATIVE_ALWAYS, 1, 0, 0, sums[COUNT_OF(sums) - 1], &order);
	run_sums(NATIVE_ALWAYS, 1, 0, 0, orders[0], &read);
	ck_assert_uint_eq(sum.regions, 3);
	ck_assert_uint_gt(order.regions, 3);
	ck_assert_uint_eq(read.regions, 3);
}
END_TEST

/* A session with a kernel that its compiler's thread is to compile. */
static struct native_kernel *open_hot(struct session *s)
{
	build_kernel(s, text, masks[0], places[0]);
	struct native_kernel *k = session_native(s, s->program, program_kernel(s->program, "k"), NATIVE_AUTO);
	ck_assert_ptr_nonnull(k);
	k->heat = UINT64_MAX; /* or its code would only be looked for */
	k->want(k, NULL);
	return k;
}

START_TEST(closing_waits_for_no_compiler)
{
	struct session s;

	open_hot(&s);
	usleep(1000u * (u32)_i * (u32)_i);
	session_close(&s);
	while (native_underway())
		usleep(1000);
}
END_TEST

/* Programs exit without closing their contexts; what LLVM keeps for the process must not go before its thread. Under
 * AddressSanitizer and ThreadSanitizer it does (src/native/load.c). */
START_TEST(exit_leaves_the_compiler_alone)
{
	struct session s;
	int status;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	return;
#endif
	const pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (!child) {
		open_hot(&s);
		usleep(1000u * (u32)_i);
		exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status), "after %d ms: status %x", _i, (unsigned)status);
}
END_TEST

START_TEST(a_forked_child_closes)
{
	struct session s;
	int status;
	const struct native_kernel *k = open_hot(&s);

	/* Its thread has nothing else to do, and waits. */
	for (u32 turns = 0; native_is_there() && !__atomic_load_n(&k->ready, __ATOMIC_ACQUIRE) && turns < 10000;
	     turns++)
		usleep(1000);
	usleep(10000);
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		alarm(10);
		session_close(&s);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	session_close(&s);
}
END_TEST

/* The thread that compiles the kernel in the parent is not there in a child, which interprets it. */
START_TEST(a_forked_child_waits_for_no_compiler)
{
	static u32 interpreted[WORDS], out[WORDS];
	struct session s;
	int status;

	run(NATIVE_OFF, text, masks[0], places[0], interpreted);
	open_hot(&s);
	usleep(1000u * (u32)_i * (u32)_i);
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		alarm(20);
		launch_kernel(&s, NATIVE_ALWAYS, out);
		_exit(memcmp(interpreted, out, sizeof out) != 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	session_close(&s);
}
END_TEST

/* Kilobytes of LLVM's code that are in memory. */
static u64 resident_code(void)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	char line[4400];
	bool is_code = false;
	unsigned long rss;
	u64 sum = 0;

	while (maps && fgets(line, sizeof line, maps)) {
		if (strchr(line, '-') && strchr(line, '-') < strchr(line, ' '))
			is_code = strstr(line, " r-xp ") && strstr(line, "libLLVM");
		else if (is_code && sscanf(line, "Rss: %lu kB", &rss) == 1)
			sum += rss;
	}
	if (maps)
		fclose(maps);
	return sum;
}

START_TEST(the_compiler_gives_its_memory_back)
{
	static u32 out[WORDS];

	run(NATIVE_ALWAYS, text, masks[0], places[0], out);
	ck_assert_uint_lt(resident_code(), 4096);
}
END_TEST

/* Traits of rows that only the assembler asks for make no walls. */
static const char expanded_text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
	".reg .b32 r<9>; .reg .b64 d<4>; ld.param.u64 d0, [p]; ld.global.u32 r0, [d0]; ld.global.u32 r1, [d0+4];\n"
	"bfind.shiftamt.u32 r2, r0; bfind.s32 r3, r0; rem.u32 r4, r0, r1; rem.s32 r5, r0, r1; add.u32 r6, r2, r3;\n"
	"add.u32 r6, r6, r4; add.u32 r6, r6, r5; st.global.u32 [d0+4], r6; ret;\n}\n";

START_TEST(expanded_rows_are_no_walls)
{
	const struct lower_options options = {0};
	struct session s;
	u32 walls = 0;

	ck_assert(session_open(&s));
	session_add_text(&s, "expanded.ptx", expanded_text, sizeof expanded_text - 1);
	ck_assert(session_build(&s, &options));
	const struct code *code = program_kernel(s.program, "k")->code;
	const struct code_flow *f = code_flow_build(&s.arena, s.program->isa, code, NULL, false);
	ck_assert_ptr_nonnull(f);
	for (u32 k = 0; k < code->insn_count; k++)
		walls += f->steps[k].kind == STEP_WALL && !f->steps[k].ends;
	ck_assert_uint_eq(walls, 0);
	session_close(&s);
}
END_TEST

UNIT_TESTS("native", 300)
{
	UNIT_TEST(the_compiler_gives_its_memory_back);
	tcase_add_loop_test(unit, accesses_of_some_lanes_agree, 0, COUNT_OF(masks));
	tcase_add_loop_test(unit, vectors_of_some_lanes_agree, 0, COUNT_OF(masks));
	tcase_add_loop_test(unit, operands_in_lists_agree, 0, COUNT_OF(masks));
	UNIT_TEST(rows_of_members_are_registers);
	tcase_add_loop_test(unit, many_sums_agree, 0, COUNT_OF(betweens));
	tcase_add_loop_test(unit, floats_that_leave_agree, 0, COUNT_OF(masks));
	tcase_add_loop_test(unit, rounding_is_the_instructions, 0, COUNT_OF(rounded));
	tcase_add_loop_test(unit, sums_are_the_same_in_any_order, 0, COUNT_OF(sums));
	tcase_add_loop_test(unit, old_values_are_the_same, 0, COUNT_OF(orders));
	UNIT_TEST(sums_do_not_end_regions);
	UNIT_TEST(expanded_rows_are_no_walls);
	tcase_add_loop_test(unit, closing_waits_for_no_compiler, 0, 12);
	UNIT_TEST(a_forked_child_closes);
	tcase_add_loop_test(unit, a_forked_child_waits_for_no_compiler, 0, 8);
	tcase_add_loop_test(unit, exit_leaves_the_compiler_alone, 0, 60);
}
