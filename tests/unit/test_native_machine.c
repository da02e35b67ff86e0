/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code of machine code beside the interpreter: kernels of tests/sass/images/native_ways.cu, whose lanes part in loops and in
 * branches inside branches, tell each other what they have, divide, wait for each other, and fault; on inputs that part them in
 * different ways. Memory, counts and faults are the same.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "main.h"
#include "native_there.h"

enum { BLOCKS = 3, THREADS = 128, WORDS = BLOCKS * THREADS };

static const char *const targets[] = {"sm_75", "sm_90a", "sm_120a"};

/* What the lanes of a warp get: all the same, the same but one, neighbours, anything. */
enum { INPUTS = 4 };
static u32 input(u32 which, u32 k)
{
	const u32 any = (k * 2654435761u ^ k >> 3) * 40503u;

	return which == 0 ? 0x1234567 : which == 1 ? 22 + (k % 37 == 5) : which == 2 ? k : any >> 7;
}

struct outcome {
	u32 out[WORDS];
	struct fault fault;
	struct launch_stats stats;
	u32 regions;
};

static void open_image(struct session *s, const char *target)
{
	static u8 bytes[1 << 17];
	const struct lower_options options = {0};
	char path[1024];

	snprintf(path, sizeof path, "%s/tests/sass/images/native_ways.%s.cubin",
		 getenv("srcdir") ? getenv("srcdir") : ".", target);
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s", path);
	const size_t size = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	ck_assert(session_open(s));
	session_add_text(s, path, (const char *)bytes, size);
	ck_assert_msg(session_build(s, &options), "%.2000s", session_diagnostics(s, false));
}

static void run(struct session *s, const char *kernel, enum native_mode mode, u32 which, struct outcome *o)
{
	struct {
		u64 in, out;
		u32 words;
	} params = {.words = WORDS};
	char message[256] = "";

	memset(o, 0, sizeof *o);
	ck_assert(session_reset_memory(s));
	params.in = memory_allocate(&s->memory, 4 * WORDS, 256, "in", 0);
	params.out = memory_allocate(&s->memory, 4 * WORDS, 256, "out", 0);
	u32 *in = (u32 *)(void *)memory_find(&s->memory, params.in, 1)->host;
	for (u32 k = 0; k < WORDS; k++)
		in[k] = input(which, k);
	struct launch l = {.program = s->program,
			   .kernel = program_kernel(s->program, kernel),
			   .memory = &s->memory,
			   .grid = {BLOCKS, 1, 1},
			   .block = {THREADS, 1, 1},
			   .params = (const u8 *)&params,
			   .instruction_limit = 1ull << 40, /* or native code would run for longer than a time slice */
			   .jobs = 1};
	ck_assert_ptr_nonnull(l.kernel);
	l.native = session_native(s, s->program, l.kernel, mode);
	const enum launch_status status = launch_run(&l, &o->stats, &o->fault, message, sizeof message);
	ck_assert_msg(status == LAUNCH_OK || status == LAUNCH_FAULT, "%s", message);
	if (l.native && native_report_of(l.native))
		o->regions = native_report_of(l.native)->regions;
	memcpy(o->out, memory_find(&s->memory, params.out, 1)->host, sizeof o->out);
}

static void compare_faults(const struct fault *x, const struct fault *y)
{
	ck_assert_int_eq(x->kind, y->kind);
	if (x->kind == FAULT_NONE)
		return;
	ck_assert_int_eq(x->insn - x->code->insns, y->insn - y->code->insns);
	ck_assert_uint_eq(x->block, y->block);
	ck_assert_uint_eq(x->warp, y->warp);
	ck_assert_uint_eq(x->lanes, y->lanes);
	ck_assert_uint_eq(x->address, y->address);
	ck_assert_str_eq(x->detail, y->detail);
}

/* What warps other than the faulting one have done by then may differ. */
static void compare(const struct outcome *x, const struct outcome *y)
{
	compare_faults(&x->fault, &y->fault);
	if (x->fault.kind != FAULT_NONE)
		return;
	ck_assert(!memcmp(x->out, y->out, sizeof x->out));
	ck_assert_uint_eq(x->stats.warp_instructions, y->stats.warp_instructions);
	ck_assert_uint_eq(x->stats.thread_instructions, y->stats.thread_instructions);
	ck_assert_uint_eq(x->stats.branches, y->stats.branches);
	ck_assert_uint_eq(x->stats.divergent_branches, y->stats.divergent_branches);
}

static void compare_kernel(const char *kernel)
{
	static struct outcome interpreted, native;
	struct session s;

	for (size_t t = 0; native_is_there() && t < COUNT_OF(targets); t++) {
		open_image(&s, targets[t]);
		for (u32 which = 0; which < INPUTS; which++) {
			run(&s, kernel, NATIVE_OFF, which, &interpreted);
			run(&s, kernel, NATIVE_ALWAYS, which, &native);
			ck_assert_uint_gt(native.regions, 0);
			compare(&interpreted, &native);
		}
		session_close(&s);
	}
}

static const char *const kernels[] = {"loops", "nested", "wide", "exchange", "floats", "shared", "faults", "turns"};

START_TEST(machine_code_is_the_same) { compare_kernel(kernels[_i]); }
END_TEST

/* Lanes of whole loops part and meet in one region. */
START_TEST(loops_are_one_region)
{
	static struct outcome native;
	struct session s;

	if (!native_is_there())
		return;
	open_image(&s, "sm_90a");
	run(&s, "loops", NATIVE_ALWAYS, INPUTS - 1, &native);
	ck_assert_uint_eq(native.regions, 1);
	ck_assert_uint_gt(native.stats.divergent_branches, 0);
	session_close(&s);
}
END_TEST

UNIT_TESTS("native_machine", 120)
{
	tcase_add_loop_test(unit, machine_code_is_the_same, 0, COUNT_OF(kernels));
	UNIT_TEST(loops_are_one_region);
}
