/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of large allocations that go past the host's caches (exec/streamed.h): what was stored stands there for later loads of the same
 * block, of a later launch and of the host, whatever host thread stored it; from the beginning of a line on or not.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "exec/streamed.h"
#include "main.h"
#include "native_there.h"

enum { THREADS = 256, WORDS = STREAMED_LEAST / 4, BLOCKS = WORDS / THREADS };

/* words[i] = 3 * i + 1; wide[i] = that times 2^20, and then, of what another warp of the block stored, plus 1. */
static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry fill(.param .u64 words, .param .u64 wide)\n{\n"
	".reg .b32 r<8>; .reg .b64 d<8>;\n"
	"mov.u32 r0, %tid.x; mov.u32 r1, %ctaid.x; mad.lo.u32 r2, r1, 256, r0; mad.lo.u32 r3, r2, 3, 1;\n"
	"ld.param.u64 d0, [words]; ld.param.u64 d1, [wide]; mul.wide.u32 d2, r2, 4; add.u64 d2, d0, d2;\n"
	"st.global.u32 [d2], r3; mul.wide.u32 d3, r2, 8; add.u64 d3, d1, d3; mul.wide.u32 d4, r3, 1048576; "
	"st.global.u64 [d3], d4;\n"
	"bar.sync 0; xor.b32 r4, r2, 32; mul.wide.u32 d5, r4, 8; add.u64 d5, d1, d5; ld.global.u64 d6, [d5]; add.u64 "
	"d6, d6, 1;\n"
	"bar.sync 0; st.global.u64 [d5], d6; ret;\n}\n"
	".visible .entry again(.param .u64 words, .param .u64 wide)\n{\n"
	".reg .b32 r<8>; .reg .b64 d<8>;\n"
	"mov.u32 r0, %tid.x; mov.u32 r1, %ctaid.x; mad.lo.u32 r2, r1, 256, r0;\n"
	"ld.param.u64 d0, [words]; mul.wide.u32 d2, r2, 4; add.u64 d2, d0, d2;\n"
	"ld.global.u32 r3, [d2]; add.u32 r3, r3, 5; st.global.u32 [d2], r3; ret;\n}\n";

static void launch(struct session *s, const char *kernel, enum native_mode mode, u32 jobs, const u64 params[2])
{
	struct launch_stats stats;
	struct fault fault;
	char message[256] = "";
	struct launch l = {.program = s->program,
			   .kernel = program_kernel(s->program, kernel),
			   .memory = &s->memory,
			   .grid = {BLOCKS, 1, 1},
			   .block = {THREADS, 1, 1},
			   .params = (const u8 *)params,
			   .jobs = jobs};

	l.native = session_native(s, s->program, l.kernel, mode);
	ck_assert_msg(launch_run(&l, &stats, &fault, message, sizeof message) == LAUNCH_OK, "%s", message);
}

static const struct {
	enum native_mode mode;
	u32 jobs, beside; /* words before the first row */
	bool one_warp;
} ways[] = {{NATIVE_OFF, 1, 0, true},     {NATIVE_OFF, 1, 0, false},    {NATIVE_OFF, 3, 0, false},
	    {NATIVE_ALWAYS, 1, 0, false}, {NATIVE_ALWAYS, 3, 0, false}, {NATIVE_ALWAYS, 1, 2, false}};

START_TEST(what_is_streamed_is_there)
{
	const struct lower_options options = {.one_warp = ways[_i].one_warp};
	const u64 beside = ways[_i].beside * 4;
	struct session s;

	ck_assert(session_open(&s));
	session_add_text(&s, "streamed.ptx", text, strlen(text));
	ck_assert_msg(session_build(&s, &options), "%.2000s", session_diagnostics(&s, false));
	ck_assert(session_reset_memory(&s));
	const u64 words = memory_allocate(&s.memory, 4 * WORDS + beside, 256, "words", 0);
	const u64 wide = memory_allocate(&s.memory, 8 * WORDS + beside, 256, "wide", 0);
	const u64 params[2] = {words + beside, wide + beside};
	launch(&s, "fill", ways[_i].mode, ways[_i].jobs, params);
	const u32 *w = (const u32 *)(const void *)(memory_find(&s.memory, words, 1)->host + beside);
	const u64 *d = (const u64 *)(const void *)(memory_find(&s.memory, wide, 1)->host + beside);
	for (u32 k = 0; k < WORDS; k++) {
		ASSERT_EACH(w[k] == 3 * k + 1, "word %u: %u", k, w[k]);
		ASSERT_EACH(d[k] == (u64)(3 * k + 1) * 1048576 + 1, "pair %u: %llu", k, (unsigned long long)d[k]);
	}
	launch(&s, "again", ways[_i].mode, ways[_i].jobs, params);
	for (u32 k = 0; k < WORDS; k++)
		ASSERT_EACH(w[k] == 3 * k + 6, "word %u: %u", k, w[k]);
	session_close(&s);
}
END_TEST

UNIT_TESTS("exec/streamed", 60)
{
	tcase_add_loop_test(unit, what_is_streamed_is_there, 0, sizeof ways / sizeof *ways);
	if (!native_is_there())
		fprintf(stderr, "large rows are stored by the interpreter alone\n");
}
