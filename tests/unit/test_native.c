/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code beside the interpreter: accesses of whole warps and of some lanes in every shape that native code has a
 * way of its own for, choices between lanes, and tiers that are closed while their compiler works.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/session.h"
#include "main.h"
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
	"mov.b32 r2, r0;",                             /* a row */
	"xor.b32 r2, r0, 16;",                         /* two half rows */
	"and.b32 r2, r0, 96;",                         /* one place */
	"xor.b32 r2, r0, 21;",                         /* near, in disorder */
	"mul.lo.u32 r2, r0, 7; rem.u32 r2, r2, 1021;", /* anywhere */
	"mov.b32 r2, r0; selp.b32 r2, r2, 1000, p;",   /* others elsewhere */
};

static void run(enum native_mode mode, u32 mask, u32 place, u32 out[WORDS])
{
	struct session s;
	struct fault fault;
	struct launch_stats stats;
	char source[8192], message[256] = "";

	ck_assert(session_open(&s));
	const int length = snprintf(source, sizeof source, text, masks[mask], places[place]);
	session_add_text(&s, "native.ptx", source, (size_t)length);
	const struct lower_options options = {0};
	ck_assert_msg(session_build(&s, &options), "%.2000s", session_diagnostics(&s, false));
	ck_assert(session_reset_memory(&s));
	const u64 params[2] = {memory_allocate(&s.memory, 4 * WORDS, 256, "from", 0),
			       memory_allocate(&s.memory, 4 * WORDS, 256, "to", 0)};
	u32 *from = (u32 *)(void *)memory_find(&s.memory, params[0], 4)->host;
	for (u32 k = 0; k < WORDS; k++)
		from[k] = k * 2654435761u;
	struct launch l = {.program = s.program,
			   .kernel = program_kernel(s.program, "k"),
			   .memory = &s.memory,
			   .grid = {1, 1, 1},
			   .block = {THREADS, 1, 1},
			   .params = (const u8 *)params,
			   .jobs = 1};
	l.native = session_native(&s, s.program, l.kernel, mode);
	ck_assert_msg(launch_run(&l, &stats, &fault, message, sizeof message) == LAUNCH_OK, "%s", message);
	memcpy(out, memory_find(&s.memory, params[1], 1)->host, 4 * WORDS);
	session_close(&s);
}

START_TEST(accesses_of_some_lanes_agree)
{
	static u32 interpreted[WORDS], native[WORDS];

	for (u32 place = 0; native_is_there() && place < COUNT_OF(places); place++) {
		run(NATIVE_OFF, (u32)_i, place, interpreted);
		run(NATIVE_ALWAYS, (u32)_i, place, native);
		ck_assert_msg(!memcmp(interpreted, native, sizeof native), "lanes '%s', places '%s'", masks[_i],
			      places[place]);
	}
}
END_TEST

/* A session with a kernel that its compiler's thread is to compile. */
static struct native_kernel *open_hot(struct session *s)
{
	char source[8192];
	const struct lower_options options = {0};
	const int length = snprintf(source, sizeof source, text, masks[0], places[0]);

	ck_assert(session_open(s));
	session_add_text(s, "native.ptx", source, (size_t)length);
	ck_assert(session_build(s, &options));
	struct native_kernel *k = session_native(s, s->program, program_kernel(s->program, "k"), NATIVE_AUTO);
	ck_assert_ptr_nonnull(k);
	k->heat = UINT64_MAX; /* or its code would only be looked for */
	k->want(k);
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
 * AddressSanitizer it does (src/native/load.c). */
START_TEST(exit_leaves_the_compiler_alone)
{
	struct session s;
	int status;
#ifdef __SANITIZE_ADDRESS__
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

UNIT_TESTS("native", 60)
{
	tcase_add_loop_test(unit, accesses_of_some_lanes_agree, 0, COUNT_OF(masks));
	tcase_add_loop_test(unit, closing_waits_for_no_compiler, 0, 12);
	UNIT_TEST(a_forked_child_closes);
	tcase_add_loop_test(unit, exit_leaves_the_compiler_alone, 0, 60);
}
