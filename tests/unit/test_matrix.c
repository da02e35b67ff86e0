/* SPDX-License-Identifier: Apache-2.0
 *
 * What the recordings of the matrix instructions do not show: misuse that must be told, each with a
 * twin that must run, and operands that may be left out. Through the public API.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptxsim.h"
#include "main.h"

enum { OUT_WORDS = 2048 };

/* A kernel with registers r, f, rd, p, 1 KiB of shared memory `sm` and the address `out` in rd0. */
static const char HEAD[] = ".version 8.0\n"
			   ".target sm_90a\n"
			   ".address_size 64\n"
			   ".visible .entry k(.param .u64 out)\n"
			   "{\n"
			   "	.reg .b32 r<32>;\n"
			   "	.reg .f32 f<32>;\n"
			   "	.reg .b64 rd<8>;\n"
			   "	.reg .pred p, q;\n"
			   "	.shared .align 128 .b8 sm[1024];\n"
			   "	ld.param.u64 rd0, [out];\n"
			   "	mov.u32 r31, %tid.x;\n"
			   "	mov.u32 r30, sm;\n"
			   "	setp.lt.u32 p, r31, 16;\n"
			   "	setp.lt.u32 q, r31, 1000;\n";

struct outcome {
	ptxsim_status built, ran;
	uint32_t out[OUT_WORDS];
	char text[1024]; /* what was told */
};

/* Runs `body` by `threads` threads; `out` starts as 0, 1, 2, ... */
static struct outcome run(const char *body, unsigned threads)
{
	ptxsim_context *sim = ptxsim_context_create(NULL);
	ptxsim_module_create(sim);
	struct outcome o = {.ran = PTXSIM_OK};
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	char text[4096];
	uint64_t address;
	const void *args[] = {&address};

	snprintf(text, sizeof text, "%s%s\n	ret;\n}\n", HEAD, body);
	ck_assert_ptr_nonnull(sim);
	ck_assert_int_eq(ptxsim_module_add_text(ptxsim_get_module(sim, 0), "k.ptx", text, strlen(text)), PTXSIM_OK);
	o.built = ptxsim_module_build(ptxsim_get_module(sim, 0), NULL);
	snprintf(o.text, sizeof o.text, "%s", ptxsim_module_diagnostics(ptxsim_get_module(sim, 0)));
	if (o.built == PTXSIM_OK) {
		for (uint32_t k = 0; k < OUT_WORDS; k++)
			o.out[k] = k;
		ck_assert_int_eq(ptxsim_alloc(sim, sizeof o.out, &address), PTXSIM_OK);
		ck_assert_int_eq(ptxsim_write(sim, address, o.out, sizeof o.out), PTXSIM_OK);
		l.block[0] = threads;
		l.args = args;
		l.arg_count = 1;
		l.jobs = 1;
		o.ran = ptxsim_launch(sim, ptxsim_find_function(ptxsim_get_module(sim, 0), "k"), &l);
		snprintf(o.text, sizeof o.text, "%s", ptxsim_message(sim));
		ck_assert_int_eq(ptxsim_read(sim, o.out, address, sizeof o.out), PTXSIM_OK);
	}
	ptxsim_context_free(sim);
	return o;
}

static void expect_fault(const char *body, unsigned threads, const char *words)
{
	const struct outcome o = run(body, threads);

	ck_assert_msg(o.built == PTXSIM_OK, "%s", o.text);
	ck_assert_int_eq(o.ran, PTXSIM_ERROR_FAULT);
	ck_assert_msg(strstr(o.text, words) != NULL, "'%s' is not in: %s", words, o.text);
}

static struct outcome expect_silence(const char *body, unsigned threads)
{
	const struct outcome o = run(body, threads);

	ck_assert_msg(o.built == PTXSIM_OK && o.ran == PTXSIM_OK, "%s", o.text);
	return o;
}

static void expect_refused(const char *body, const char *words)
{
	const struct outcome o = run(body, 32);

	ck_assert_int_ne(o.built, PTXSIM_OK);
	ck_assert_msg(strstr(o.text, words) != NULL, "'%s' is not in: %s", words, o.text);
}

#define MMA "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {r0, r1}, {r2}, {r3}, {r4, r5};"

START_TEST(lanes_must_be_together)
{
	expect_fault("@!p bra over;\n" MMA "\nover:", 32, "needs all lanes of the warp; here are 0x0000ffff");
	expect_silence("@!q bra over;\n" MMA "\nover:", 32);
	expect_fault("@p " MMA, 32, "needs all lanes of the warp");
	expect_silence("@q " MMA, 32);
	/* A warp that has no more lanes, or whose other lanes have left, is whole. */
	expect_silence(MMA, 16);
	expect_silence("@!p exit;\n" MMA, 32);
}
END_TEST

START_TEST(matrix_rows_lie_aligned_in_shared_memory)
{
	expect_silence("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r0}, [r30 + 16];", 32);
	expect_fault("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r0}, [r30 + 8];", 32, "misaligned address");
	expect_fault("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r0}, [r30 + 65536];", 32, "address out of bounds");
	expect_fault("ldmatrix.sync.aligned.m8n8.x1.b16 {r0}, [rd0];", 32,
		     "address is not in the instruction's state space");
	expect_silence("cvta.shared.u64 rd1, sm;\nldmatrix.sync.aligned.m8n8.x1.b16 {r0}, [rd1];", 32);
	expect_silence("stmatrix.sync.aligned.m8n8.x1.shared.b16 [r30 + 1008], {r0};", 32);
	expect_fault("stmatrix.sync.aligned.m8n8.x1.shared.b16 [r30 + 1000], {r0};", 32, "misaligned address");
	/* Only the first eight lanes' addresses count for one matrix. */
	expect_silence("mad.lo.u32 r30, r31, 4, r30;\nand.b32 r1, r30, 0xfffffff0;\nsetp.lt.u32 p, r31, 8;\n"
		       "selp.b32 r1, r1, 7, p;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {r0}, [r1];",
		       32);
}
END_TEST

#define WGMMA "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, rd1, rd1, q, 1, 1, 0, 0;"
/* A descriptor of 1 KiB that starts at sm + OFFSET: core matrices of 128 bytes behind each other. */
#define DESCRIPTOR(OFFSET)                                                           \
	"add.u32 r30, r30, " OFFSET ";\nshr.u32 r0, r30, 4;\ncvt.u64.u32 rd1, r0;\n" \
	"or.b64 rd1, rd1, 0x0000000800000000;\n"

START_TEST(warpgroups_must_be_whole)
{
	expect_fault(DESCRIPTOR("0") WGMMA, 96, "wgmma needs the four warps of a warpgroup; the block has 3 warps");
	expect_silence(DESCRIPTOR("0") WGMMA, 128);
}
END_TEST

START_TEST(descriptors_stay_in_shared_memory)
{
	expect_silence(DESCRIPTOR("0") WGMMA, 128);
	expect_fault(DESCRIPTOR("512") WGMMA, 128, "address out of bounds");
}
END_TEST

/* Without a stride, rows follow each other. */
START_TEST(strides_may_be_left_out)
{
#define COPY(STRIDE)                                                                                            \
	"wmma.load.c.sync.aligned.row.m8n32k16.global.f32 {f0, f1, f2, f3, f4, f5, f6, f7}, [rd0]" STRIDE ";\n" \
	"wmma.store.d.sync.aligned.col.m8n32k16.global.f32 [rd0 + 1024], {f0, f1, f2, f3, f4, f5, f6, f7}" STRIDE ";"
	const struct outcome plain = expect_silence(COPY(""), 32);
	const struct outcome wide = expect_silence(COPY(", 32"), 32);

	for (uint32_t row = 0; row < 8; row++)
		for (uint32_t column = 0; column < 32; column++)
			ck_assert_uint_eq(plain.out[256 + column * 8 + row], row * 32 + column);
	for (uint32_t row = 0; row < 8; row++)
		for (uint32_t column = 0; column < 23; column++)
			ck_assert_uint_eq(wide.out[256 + column * 32 + row], row * 32 + column);
}
END_TEST

START_TEST(fragments_have_their_size)
{
	expect_refused(
		"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {r0, r1, r2, r3}, {r4}, {r5}, {r0, r1, r2, r3};",
		"expected 2 elements, found 1");
	expect_refused("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {r0, r1}, r2, {r3}, {r4, r5};", "in braces");
	expect_refused("wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {r0, r1, r2, r3}, rd1, rd1, q;", "m64n40k32");
	expect_refused(
		"mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, "
		"{f0, f1, f2, f3};",
		"'.col' is not a modifier");
}
END_TEST

UNIT_TESTS("matrix", 0)
{
	UNIT_TEST(lanes_must_be_together);
	UNIT_TEST(matrix_rows_lie_aligned_in_shared_memory);
	UNIT_TEST(warpgroups_must_be_whole);
	UNIT_TEST(descriptors_stay_in_shared_memory);
	UNIT_TEST(strides_may_be_left_out);
	UNIT_TEST(fragments_have_their_size);
}
