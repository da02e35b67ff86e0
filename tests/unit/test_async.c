/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous operations: each wrong program is told in strict mode, with both places, and its right twin
 * runs in every mode; wrong programs that strict tells show themselves under some seed, too.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "ptxsim.h"
#include "main.h"

enum { WORDS = 64, SEEDS = 12 };

#define HEAD                                                                                                         \
	".version 8.6\n.target sm_90a\n.address_size 64\n"                                                           \
	".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"                                                \
	".reg .b64 in, out, g, s, o, st; .reg .b32 t, v, r; .reg .pred p, q;\n"                                      \
	".shared .align 128 .b8 m[1024]; .shared .align 8 .b64 b;\n"                                                 \
	"ld.param.u64 in, [p_in]; ld.param.u64 out, [p_out];\n"                                                      \
	"mov.u32 t, %tid.x; mul.wide.u32 o, t, 4; add.u64 g, in, o; mov.u64 s, m; add.u64 s, s, o; add.u64 o, out, " \
	"o;\n"                                                                                                       \
	"setp.eq.u32 p, t, 0;\n"
#define TAIL "ret;\n}\n"
#define INIT "@p mbarrier.init.shared.b64 [b], 1; fence.mbarrier_init.release.cluster; bar.sync 0;\n"
#define COPY "cp.async.ca.shared.global [s], [g], 4;\n"
#define LOAD                                                      \
	"@p mbarrier.arrive.expect_tx.shared.b64 st, [b], 256;\n" \
	"@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [m], [in], 256, [b];\n"
#define WAIT  "W: mbarrier.try_wait.parity.shared.b64 q, [b], 0; @!q bra W;\n"
#define PASS  "ld.shared.u32 v, [s]; st.global.u32 [o], v;\n"
#define FILL  "ld.global.u32 v, [g]; st.shared.u32 [s], v;\n"
#define STORE "@p cp.async.bulk.global.shared::cta.bulk_group [out], [m], 256; @p cp.async.bulk.commit_group;\n"

/* `first`, `second`: words of the message, the offending place and that of the operation. */
static const struct {
	const char *name, *right, *wrong, *first, *second;
} programs[] = {
	{"wait for cp.async", COPY "cp.async.wait_all; bar.sync 0;" PASS, COPY "bar.sync 0;" PASS, "ld.shared.u32",
	 "'cp.async.ca"},
	{"groups", COPY "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;" PASS,
	 COPY "cp.async.commit_group; cp.async.wait_group 1; bar.sync 0;" PASS, "reads shared", "has not waited"},
	{"open group", COPY "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;" PASS,
	 COPY "cp.async.wait_group 0; cp.async.commit_group; bar.sync 0;" PASS, "reads shared", "'cp.async.ca"},
	{"barrier after the wait",
	 COPY
	 "cp.async.wait_all; bar.sync 0; xor.b32 r, t, 32; mov.u64 s, m; mul.wide.u32 g, r, 4; add.u64 s, s, g;" PASS,
	 COPY "cp.async.wait_all; xor.b32 r, t, 32; mov.u64 s, m; mul.wide.u32 g, r, 4; add.u64 s, s, g;" PASS,
	 "reads shared", "no barrier has followed"},
	{"cp.async overwritten", COPY "cp.async.wait_all; st.shared.u32 [s], t; bar.sync 0;" PASS,
	 COPY "st.shared.u32 [s], t; cp.async.wait_all; bar.sync 0;" PASS, "writes shared", "still writing"},
	{"source overwritten", COPY "cp.async.wait_all; bar.sync 0;" PASS "st.global.u32 [g], t;",
	 COPY "st.global.u32 [g], t; cp.async.wait_all; bar.sync 0;" PASS, "writes global", "may still read"},
	{"mbarrier waited for", INIT LOAD WAIT PASS, INIT LOAD "bar.sync 0;" PASS "bra E; " WAIT "E:\n", "reads shared",
	 "'cp.async.bulk"},
	{"bytes expected", INIT LOAD WAIT PASS,
	 INIT LOAD WAIT PASS "bar.sync 0; @p mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [b], 16;", "the block ends",
	 "16 more bytes"},
	{"proxy fence", FILL "fence.proxy.async.shared::cta; bar.sync 0;" STORE "cp.async.bulk.wait_group 0;",
	 FILL "bar.sync 0;" STORE "cp.async.bulk.wait_group 0;", "through the async proxy", "'st.shared.u32'"},
	{"bulk source freed",
	 FILL "fence.proxy.async.shared::cta; bar.sync 0;" STORE
	      "cp.async.bulk.wait_group.read 0; bar.sync 0; st.shared.u32 [s], t;",
	 FILL "fence.proxy.async.shared::cta; bar.sync 0;" STORE
	      "bar.sync 0; st.shared.u32 [s], t; cp.async.bulk.wait_group 0;",
	 "writes shared", "may still read"},
	{"block outlives its copies",
	 FILL "fence.proxy.async.shared::cta; bar.sync 0;" STORE "cp.async.bulk.wait_group.read 0;",
	 FILL "fence.proxy.async.shared::cta; bar.sync 0;" STORE, "the block ends", "'cp.async.bulk"},
	{"result read",
	 FILL "fence.proxy.async.shared::cta; bar.sync 0;" STORE
	      "cp.async.bulk.wait_group 0; bar.sync 0; ld.global.u32 v, [o]; st.global.u32 [o], v;",
	 FILL "fence.proxy.async.shared::cta; bar.sync 0;" STORE
	      "cp.async.bulk.wait_group.read 0; bar.sync 0; ld.global.u32 v, [o]; st.global.u32 [o], v;",
	 "reads global", "still writing"},
	{"arrival of cp.async",
	 "@p mbarrier.init.shared.b64 [b], 64; bar.sync 0;" COPY
	 "cp.async.mbarrier.arrive.noinc.shared.b64 [b];" WAIT PASS,
	 "@p mbarrier.init.shared.b64 [b], 64; bar.sync 0;" COPY
	 "cp.async.mbarrier.arrive.noinc.shared.b64 [b]; bar.sync 0;" PASS "bra E; " WAIT "E:\n",
	 "reads shared", "'cp.async.ca"},
};

/* One warpgroup's product of zeros; `%s` is where something may be missing. */
#define WGMMA_HEAD                                                                                       \
	".version 8.0\n.target sm_90a\n.address_size 64\n"                                               \
	".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"                                    \
	".reg .b64 in, out, o, d; .reg .b32 t, v; .reg .f32 c<4>; .reg .pred p;\n"                       \
	".shared .align 128 .b8 m[4096];\n"                                                              \
	"ld.param.u64 in, [p_in]; ld.param.u64 out, [p_out]; mov.u32 t, %tid.x; mul.wide.u32 o, t, 4;\n" \
	"add.u64 o, out, o; mov.b64 d, 0x0000000800010000; setp.ne.u32 p, t, t; setp.eq.u32 p, t, t;\n"  \
	"mov.u32 v, m; mad.lo.u32 v, t, 4, v;\n"
#define FENCE   "wgmma.fence.sync.aligned;\n"
#define PRODUCT "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {c0,c1,c2,c3}, d, d, p, 1, 1, 0, 0;\n"
#define COMMIT  "wgmma.commit_group.sync.aligned;\n"
#define AWAIT   "wgmma.wait_group.sync.aligned 0;\n"
#define RESULT  "add.f32 c0, c0, 0f00000000; setp.lt.u32 p, t, 64; @p st.global.f32 [o], c0;\n"
#define SETTLE  "mov.f32 c0, 0f00000000; mov.f32 c1, c0; mov.f32 c2, c0; mov.f32 c3, c0;\n"

static const struct {
	const char *name, *right, *wrong, *first, *second;
} products[] = {
	{"wgmma awaited", SETTLE FENCE PRODUCT COMMIT AWAIT RESULT, SETTLE FENCE PRODUCT COMMIT RESULT AWAIT,
	 "a register that", "'wgmma.mma_async"},
	{"wgmma committed", SETTLE FENCE PRODUCT COMMIT AWAIT RESULT, SETTLE FENCE PRODUCT AWAIT RESULT COMMIT,
	 "a register that", "still writing"},
	{"wgmma fence", SETTLE FENCE PRODUCT COMMIT AWAIT RESULT, FENCE SETTLE PRODUCT COMMIT AWAIT RESULT, "'mov.f32'",
	 "no wgmma.fence"},
	{"first fence", FENCE PRODUCT COMMIT AWAIT RESULT, PRODUCT COMMIT AWAIT RESULT, "wgmma.mma_async",
	 "needs a wgmma.fence"},
	{"wgmma source", SETTLE FENCE PRODUCT COMMIT AWAIT "bar.sync 0; st.shared.u32 [v], t;" RESULT,
	 SETTLE FENCE PRODUCT COMMIT "bar.sync 0; st.shared.u32 [v], t;" AWAIT RESULT, "writes shared",
	 "may still read"},
	{"wgmma proxy", "st.shared.u32 [v], 0; fence.proxy.async; bar.sync 0;" SETTLE FENCE PRODUCT COMMIT AWAIT RESULT,
	 "st.shared.u32 [v], 0; bar.sync 0;" SETTLE FENCE PRODUCT COMMIT AWAIT RESULT, "async proxy",
	 "'st.shared.u32'"},
};

static char message[4096];

/* Runs a body; what stands in `out` afterwards. */
static ptxsim_status run(const char *head, const char *body, unsigned threads, ptxsim_async mode, uint64_t seed,
			 uint32_t out[2 * WORDS])
{
	char text[8192];
	uint64_t in, to;
	uint32_t words[2 * WORDS];
	ptxsim_context *sim = ptxsim_context_create(NULL);
	ptxsim_module_create(sim);
	const void *args[] = {&in, &to};
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;

	snprintf(text, sizeof text, "%s%s%s", head, body, TAIL);
	ck_assert_int_eq(ptxsim_module_add_text(ptxsim_get_module(sim, 0), "test", text, strlen(text)), PTXSIM_OK);
	const ptxsim_status built = ptxsim_module_build(ptxsim_get_module(sim, 0), NULL);
	ck_assert_msg(built == PTXSIM_OK, "%s", ptxsim_module_diagnostics(ptxsim_get_module(sim, 0)));
	for (uint32_t k = 0; k < 2 * WORDS; k++)
		words[k] = 1000 + k;
	ck_assert_int_eq(ptxsim_alloc(sim, sizeof words, &in), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_alloc(sim, sizeof words, &to), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_write(sim, in, words, sizeof words), PTXSIM_OK);
	l.block[0] = threads;
	l.args = args;
	l.arg_count = 2;
	l.async = mode;
	l.async_seed = seed;
	const ptxsim_status status = ptxsim_launch(sim, ptxsim_find_function(ptxsim_get_module(sim, 0), "k"), &l);
	snprintf(message, sizeof message, "%s", ptxsim_message(sim));
	ck_assert_int_eq(ptxsim_read(sim, out, to, sizeof words), PTXSIM_OK);
	ptxsim_context_free(sim);
	return status;
}

static void check_pair(const char *name, const char *head, const char *right, const char *wrong, unsigned threads,
		       const char *first, const char *second)
{
	uint32_t wanted[2 * WORDS], out[2 * WORDS];

	ck_assert_msg(run(head, right, threads, PTXSIM_ASYNC_EAGER, 0, wanted) == PTXSIM_OK, "%s: %s", name, message);
	ck_assert_msg(run(head, right, threads, PTXSIM_ASYNC_STRICT, 0, out) == PTXSIM_OK, "%s, strict: %s", name,
		      message);
	ck_assert_msg(!memcmp(out, wanted, sizeof out), "%s, strict: another result", name);
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		ck_assert_msg(run(head, right, threads, PTXSIM_ASYNC_RANDOM, seed, out) == PTXSIM_OK, "%s, random: %s",
			      name, message);
		ck_assert_msg(!memcmp(out, wanted, sizeof out), "%s, random: another result", name);
	}
	ck_assert_msg(run(head, wrong, threads, PTXSIM_ASYNC_STRICT, 0, out) == PTXSIM_ERROR_FAULT, "%s: not told",
		      name);
	ck_assert_msg(strstr(message, first) && strstr(message, second) && strstr(message, "at test:"), "%s: %s", name,
		      message);
	ck_assert_msg(run(head, wrong, threads, PTXSIM_ASYNC_EAGER, 0, out) == PTXSIM_OK, "%s, wrong, eager: %s", name,
		      message);
}

START_TEST(test_copies)
{
	check_pair(programs[_i].name, HEAD, programs[_i].right, programs[_i].wrong, WORDS, programs[_i].first,
		   programs[_i].second);
}
END_TEST

START_TEST(test_products)
{
	check_pair(products[_i].name, WGMMA_HEAD, products[_i].right, products[_i].wrong, 128, products[_i].first,
		   products[_i].second);
}
END_TEST

/* Random completion lets a program that does not wait see what was there before, and the same seed the same. */
START_TEST(test_random_shows)
{
	uint32_t wanted[2 * WORDS], out[2 * WORDS], again[2 * WORDS];
	unsigned differs = 0;

	ck_assert_int_eq(run(HEAD, programs[0].right, WORDS, PTXSIM_ASYNC_EAGER, 0, wanted), PTXSIM_OK);
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		ck_assert_int_eq(run(HEAD, programs[0].wrong, WORDS, PTXSIM_ASYNC_RANDOM, seed, out), PTXSIM_OK);
		ck_assert_int_eq(run(HEAD, programs[0].wrong, WORDS, PTXSIM_ASYNC_RANDOM, seed, again), PTXSIM_OK);
		ck_assert(!memcmp(out, again, sizeof out));
		differs += memcmp(out, wanted, sizeof out) != 0;
	}
	ck_assert_uint_gt(differs, SEEDS / 2);
}
END_TEST

/* A phase that waits for more bytes than come never ends: told with what is missing. */
START_TEST(test_phase_that_never_ends)
{
	uint32_t out[2 * WORDS];

	ck_assert_int_eq(run(HEAD, INIT "@p mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [b], 16;" LOAD WAIT PASS,
			     WORDS, PTXSIM_ASYNC_STRICT, 0, out),
			 PTXSIM_ERROR_FAULT);
	ck_assert_msg(strstr(message, "deadlock") && strstr(message, "waits for 0 arrivals and 16 bytes") &&
			      strstr(message, "'mbarrier.arrive.expect_tx"),
		      "%s", message);
}
END_TEST

UNIT_TESTS("async", 60)
{
	tcase_add_loop_test(unit, test_copies, 0, (int)(sizeof programs / sizeof *programs));
	tcase_add_loop_test(unit, test_products, 0, (int)(sizeof products / sizeof *products));
	UNIT_TEST(test_random_shows);
	UNIT_TEST(test_phase_that_never_ends);
}
