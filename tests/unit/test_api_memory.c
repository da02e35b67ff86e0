/* SPDX-License-Identifier: Apache-2.0
 *
 * Out of memory at the API's door: each allocation of a whole session fails in turn, and all after
 * it. Every call must return a status, and freeing must still work.
 */
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ptxsim.h"
#include "main.h"

static const char KERNEL[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			     ".global .u32 seen[4];\n"
			     ".visible .entry k(.param .u64 a)\n"
			     "{\n"
			     "	.reg .pred %p;\n"
			     "	.reg .b32 %t;\n"
			     "	.reg .b64 %a;\n"
			     "	.shared .u32 s[32];\n"
			     "	.local .u32 l[8];\n"
			     "	ld.param.u64 %a, [a];\n"
			     "	mov.u32 %t, %tid.x;\n"
			     "	mad.wide.u32 %a, %t, 4, %a;\n"
			     "	setp.lt.u32 %p, %t, 7;\n"
			     "	@%p bra low;\n"
			     "	st.local.u32 [l], %t;\n"
			     "	ld.local.u32 %t, [l];\n"
			     "low:\n"
			     "	st.global.u32 [%a], %t;\n"
			     "	ret;\n"
			     "}\n";

static const char LISTING[] = "code for sm_20\nFunction : k\n.param .u32 a;\n.shared 128;\n.bank 2 [0x0] = 1, 2;\n"
			      "S2R R0, SR_Tid_X; ISCADD R1, R0, c[0x0][0x20], 0x2; SSY `(.end);\n"
			      ".again: LDSLK P0, R2, [0x10]; @P0 IADD R2, R2, c[0x2][0x4]; @P0 STSUL [0x10], R2;\n"
			      "@!P0 BRA `(.again); NOP.S;\n"
			      ".end: STL [0x8], R2; LDL R2, [0x8]; ST [R1], R2; EXIT;\n";

/* What a session reads. */
static const char *text = KERNEL, *text_name = "k.ptx";

/* The linker sends the program's calls here: the one that `failing` counts down to fails, and all
 * after it. */
void *__real_calloc(size_t count, size_t bytes);
void *__real_malloc(size_t bytes);
void *__real_realloc(void *old, size_t bytes);
int __real_posix_memalign(void **to, size_t align, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
int __wrap_posix_memalign(void **to, size_t align, size_t bytes);

static bool counting;
static long failing;

static bool fails(void) { return counting && --failing <= 0; }

void *__wrap_calloc(size_t count, size_t bytes) { return fails() ? NULL : __real_calloc(count, bytes); }
void *__wrap_malloc(size_t bytes) { return fails() ? NULL : __real_malloc(bytes); }
void *__wrap_realloc(void *old, size_t bytes) { return fails() ? NULL : __real_realloc(old, bytes); }
int __wrap_posix_memalign(void **to, size_t align, size_t bytes)
{
	return fails() ? ENOMEM : __real_posix_memalign(to, align, bytes);
}

/* A whole session up to the first call that fails; its status. */
static ptxsim_status use(ptxsim_context *sim)
{
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	uint64_t address = 0, multimem = 0;
	const void *args[] = {&address};
	ptxsim_module *module = ptxsim_module_create(sim);
	if (!module)
		return PTXSIM_ERROR_MEMORY;
	ptxsim_status status = ptxsim_module_add_text(module, text_name, text, strlen(text));

	if (status || (status = ptxsim_module_build(ptxsim_get_module(sim, 0), NULL)) ||
	    (status = ptxsim_alloc(sim, 256, &address)) ||
	    (status = ptxsim_multicast(sim, &address, 1, 256, &multimem)))
		return status;
	l.block[0] = 64;
	l.args = args;
	l.arg_count = 1;
	l.jobs = 1;
	return ptxsim_launch(sim, ptxsim_find_function(ptxsim_get_module(sim, 0), "k"), &l);
}

/* True if the nth allocation was not reached any more. */
static bool session_with_failure(long nth)
{
	failing = nth;
	counting = true;
	ptxsim_context *sim = ptxsim_context_create(NULL);
	const ptxsim_status status = sim ? use(sim) : PTXSIM_ERROR_MEMORY;
	const bool reached = failing <= 0;
	if (sim && status)
		ptxsim_module_diagnostics(ptxsim_get_module(sim, 0));
	counting = false;
	ck_assert_msg(status == (reached ? PTXSIM_ERROR_MEMORY : PTXSIM_OK), "allocation %ld: %s", nth,
		      ptxsim_status_text(status));
	ptxsim_context_free(sim);
	return !reached;
}

START_TEST(each_allocation_fails_in_turn)
{
	long nth = 1;

	while (nth < 2000 && !session_with_failure(nth))
		nth++;
	ck_assert_int_gt(nth, 5);
	ck_assert_int_lt(nth, 2000);
}
END_TEST

START_TEST(each_allocation_of_a_listing_fails_in_turn)
{
	long nth = 1;

	text = LISTING;
	text_name = "k.sass";
	while (nth < 2000 && !session_with_failure(nth))
		nth++;
	ck_assert_int_gt(nth, 5);
	ck_assert_int_lt(nth, 2000);
}
END_TEST

UNIT_TESTS("api memory", 60)
{
	UNIT_TEST(each_allocation_fails_in_turn);
	UNIT_TEST(each_allocation_of_a_listing_fails_in_turn);
}
