/* SPDX-License-Identifier: Apache-2.0
 *
 * The public API as a user sees it: only ptxsim.h is included, and the shared library is linked.
 */
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptxsim.h"
#include "main.h"

static const char SCALE[] = ".version 7.0\n"
			    ".target sm_70\n"
			    ".address_size 64\n"
			    ".global .align 4 .u32 factor = 3;\n"
			    ".visible .entry scale(.param .u64 a, .param .u32 n)\n"
			    "{\n"
			    "	.reg .pred %p;\n"
			    "	.reg .b32 %t, %n, %f;\n"
			    "	.reg .b64 %a;\n"
			    "	ld.param.u64 %a, [a];\n"
			    "	ld.param.u32 %n, [n];\n"
			    "	mov.u32 %t, %tid.x;\n"
			    "	setp.ge.u32 %p, %t, %n;\n"
			    "	@%p bra done;\n"
			    "	mad.wide.u32 %a, %t, 4, %a;\n"
			    "	ld.global.u32 %f, [factor];\n"
			    "	ld.global.u32 %t, [%a];\n"
			    "	mul.lo.u32 %t, %t, %f;\n"
			    "	st.global.u32 [%a], %t;\n"
			    "done:\n"
			    "	ret;\n"
			    "}\n";

static ptxsim_context *built(void)
{
	ptxsim_context *sim = ptxsim_context_create(NULL);
	ptxsim_module_create(sim);

	ck_assert_ptr_nonnull(sim);
	ck_assert_int_eq(ptxsim_module_add_text(ptxsim_get_module(sim, 0), "scale.ptx", SCALE, strlen(SCALE)),
			 PTXSIM_OK);
	ck_assert_msg(ptxsim_module_build(ptxsim_get_module(sim, 0), NULL) == PTXSIM_OK, "%s",
		      ptxsim_module_diagnostics(ptxsim_get_module(sim, 0)));
	return sim;
}

static ptxsim_status launch(ptxsim_context *sim, uint64_t a, uint32_t n, uint32_t threads)
{
	const void *args[] = {&a, &n};
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;

	l.block[0] = threads;
	l.args = args;
	l.arg_count = 2;
	l.jobs = 1;
	return ptxsim_launch(sim, ptxsim_find_function(ptxsim_get_module(sim, 0), "scale"), &l);
}

START_TEST(a_kernel_runs)
{
	ptxsim_context *sim = built();
	uint32_t values[40], back[40];
	uint64_t address;
	struct ptxsim_stats stats;

	for (uint32_t k = 0; k < 40; k++)
		values[k] = k;
	ck_assert_int_eq(ptxsim_alloc(sim, sizeof values, &address), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_write(sim, address, values, sizeof values), PTXSIM_OK);
	ck_assert_int_eq(launch(sim, address, 35, 64), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_read(sim, back, address, sizeof back), PTXSIM_OK);
	for (uint32_t k = 0; k < 40; k++)
		ck_assert_uint_eq(back[k], k < 35 ? 3 * k : k);
	ck_assert_int_eq(ptxsim_get_stats(sim, &stats), PTXSIM_OK);
	ck_assert_uint_eq(stats.blocks, 1);
	ck_assert_uint_eq(stats.warps, 2);
	ck_assert_uint_eq(stats.thread_instructions, 64 * 5 + 35 * 5 + 64);
	ck_assert_str_eq(ptxsim_message(sim), "");
	ck_assert_str_eq(ptxsim_cuda_error(sim), "CUDA_SUCCESS");
	ck_assert_int_eq(ptxsim_release(sim, address), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_release(sim, address), PTXSIM_ERROR_ADDRESS);
	ptxsim_context_free(sim);
}
END_TEST

START_TEST(launches_of_older_programs_are_shorter)
{
	ptxsim_context *sim = built();
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	uint32_t value = 7, n = 1;
	uint64_t address;
	const void *args[] = {&address, &n};

	ck_assert_int_eq(ptxsim_alloc(sim, sizeof value, &address), PTXSIM_OK);
	ptxsim_write(sim, address, &value, sizeof value);
	l.args = args;
	l.arg_count = 2;
	l.struct_size = offsetof(struct ptxsim_launch, cooperative);
	memset(&l.cooperative, 0xff, sizeof l.cooperative);
	ck_assert_int_eq(ptxsim_launch(sim, ptxsim_find_function(ptxsim_get_module(sim, 0), "scale"), &l), PTXSIM_OK);
	ptxsim_read(sim, &value, address, sizeof value);
	ck_assert_uint_eq(value, 21);
	l.struct_size--;
	ck_assert_int_eq(ptxsim_launch(sim, ptxsim_find_function(ptxsim_get_module(sim, 0), "scale"), &l),
			 PTXSIM_ERROR_ARGUMENT);
	l.struct_size = sizeof l + 1;
	ck_assert_int_eq(ptxsim_launch(sim, ptxsim_find_function(ptxsim_get_module(sim, 0), "scale"), &l),
			 PTXSIM_ERROR_ARGUMENT);
	ptxsim_context_free(sim);
}
END_TEST

/* Threads that a launch has started stay for the next one, but a child of the process does not have them. */
START_TEST(a_forked_child_launches)
{
	ptxsim_context *sim = built();
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	struct ptxsim_stats stats;
	const ptxsim_function *scale = ptxsim_find_function(ptxsim_get_module(sim, 0), "scale");
	uint32_t n = 1;
	uint64_t address;
	int status;
	const void *args[] = {&address, &n};

	ck_assert_int_eq(ptxsim_alloc(sim, 4096, &address), PTXSIM_OK);
	l.args = args;
	l.arg_count = 2;
	l.grid[0] = 100000;
	l.block[0] = 64;
	l.jobs = 2;
	l.any_order = 1;
	ck_assert_int_eq(ptxsim_launch(sim, scale, &l), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_get_stats(sim, &stats), PTXSIM_OK);
	ck_assert_uint_eq(stats.jobs, 2);
	const pid_t child = fork();
	if (!child) {
		alarm(20);
		const ptxsim_status again = ptxsim_launch(sim, scale, &l);
		ptxsim_context_free(sim);
		_exit(again != PTXSIM_OK);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ptxsim_context_free(sim);
}
END_TEST

START_TEST(mapped_memory_is_used_in_place)
{
	ptxsim_context *sim = built();
	_Alignas(16) uint32_t values[32] = {5, 6, 7};
	uint64_t address;

	ck_assert_int_eq(ptxsim_map(sim, values, sizeof values, &address), PTXSIM_OK);
	ck_assert_int_eq(launch(sim, address, 32, 32), PTXSIM_OK);
	ck_assert_uint_eq(values[0], 15);
	ck_assert_uint_eq(values[2], 21);
	ck_assert_int_eq(launch(sim, address, 33, 64), PTXSIM_ERROR_FAULT);
	ptxsim_context_free(sim);
}
END_TEST

static const char EVERYWHERE[] = ".version 8.1\n.target sm_90\n.address_size 64\n"
				 ".visible .entry everywhere(.param .u64 a)\n"
				 "{\n"
				 "	.reg .b32 %r;\n"
				 "	.reg .b64 %a;\n"
				 "	ld.param.u64 %a, [a];\n"
				 "	multimem.ld_reduce.global.add.u32 %r, [%a];\n"
				 "	multimem.st.global.u32 [%a], %r;\n"
				 "	ret;\n"
				 "}\n";

START_TEST(one_address_stands_for_several_places)
{
	ptxsim_context *sim = ptxsim_context_create(NULL);
	ptxsim_module_create(sim);
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	uint64_t places[3], all, refused = 0;
	const void *args[] = {&all};

	ck_assert_int_eq(
		ptxsim_module_add_text(ptxsim_get_module(sim, 0), "everywhere.ptx", EVERYWHERE, strlen(EVERYWHERE)),
		PTXSIM_OK);
	ck_assert_msg(ptxsim_module_build(ptxsim_get_module(sim, 0), NULL) == PTXSIM_OK, "%s",
		      ptxsim_module_diagnostics(ptxsim_get_module(sim, 0)));
	for (uint32_t k = 0; k < 3; k++) {
		const uint32_t value = 10 + k;
		ck_assert_int_eq(ptxsim_alloc(sim, 4, &places[k]), PTXSIM_OK);
		ck_assert_int_eq(ptxsim_write(sim, places[k], &value, 4), PTXSIM_OK);
	}
	ck_assert_int_eq(ptxsim_multicast(sim, places, 3, 5, &refused), PTXSIM_ERROR_ADDRESS);
	ck_assert_int_eq(ptxsim_multicast(sim, places, 0, 4, &refused), PTXSIM_ERROR_ARGUMENT);
	ck_assert_uint_eq(refused, 0);
	ck_assert_int_eq(ptxsim_multicast(sim, places, 3, 4, &all), PTXSIM_OK);
	l.args = args;
	l.arg_count = 1;
	ck_assert_msg(ptxsim_launch(sim, ptxsim_get_function(ptxsim_get_module(sim, 0), 0), &l) == PTXSIM_OK, "%s",
		      ptxsim_message(sim));
	for (uint32_t k = 0; k < 3; k++) {
		uint32_t value;
		ck_assert_int_eq(ptxsim_read(sim, &value, places[k], 4), PTXSIM_OK);
		ck_assert_uint_eq(value, 33);
	}
	ck_assert_int_eq(ptxsim_release(sim, places[1]), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_launch(sim, ptxsim_get_function(ptxsim_get_module(sim, 0), 0), &l), PTXSIM_ERROR_FAULT);
	ptxsim_context_free(sim);
}
END_TEST

START_TEST(variables_are_read_and_written)
{
	ptxsim_context *sim = built();
	uint64_t variable, size, address;
	uint32_t value = 0;

	ck_assert_int_eq(ptxsim_variable(ptxsim_get_module(sim, 0), "factor", &variable, &size), PTXSIM_OK);
	ck_assert_uint_eq(size, 4);
	ck_assert_int_eq(ptxsim_read(sim, &value, variable, 4), PTXSIM_OK);
	ck_assert_uint_eq(value, 3);
	value = 10;
	ck_assert_int_eq(ptxsim_write(sim, variable, &value, 4), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_alloc(sim, 4, &address), PTXSIM_OK);
	value = 7;
	ptxsim_write(sim, address, &value, 4);
	ck_assert_int_eq(launch(sim, address, 1, 1), PTXSIM_OK);
	ptxsim_read(sim, &value, address, 4);
	ck_assert_uint_eq(value, 70);
	ck_assert_int_eq(ptxsim_variable(ptxsim_get_module(sim, 0), "nothing", NULL, NULL), PTXSIM_ERROR_NOT_FOUND);
	ck_assert_int_eq(ptxsim_release(sim, variable), PTXSIM_ERROR_ADDRESS);
	ptxsim_context_free(sim);
}
END_TEST

START_TEST(kernels_tell_their_parameters)
{
	ptxsim_context *sim = built();
	struct ptxsim_param p;
	const ptxsim_function *k = ptxsim_get_function(ptxsim_get_module(sim, 0), 0);

	ck_assert_uint_eq(ptxsim_function_count(ptxsim_get_module(sim, 0)), 1);
	ck_assert_str_eq(ptxsim_function_name(k), "scale");
	ck_assert_ptr_eq(k, ptxsim_find_function(ptxsim_get_module(sim, 0), "scale"));
	ck_assert_ptr_null(ptxsim_find_function(ptxsim_get_module(sim, 0), "other"));
	ck_assert_ptr_null(ptxsim_get_function(ptxsim_get_module(sim, 0), 1));
	ck_assert_uint_eq(ptxsim_function_param_count(k), 2);
	ck_assert_int_eq(ptxsim_function_param(k, 1, &p), PTXSIM_OK);
	ck_assert_str_eq(p.name, "n");
	ck_assert_str_eq(p.type, "u32");
	ck_assert_uint_eq(p.size, 4);
	ck_assert_uint_eq(p.offset, 8);
	ck_assert_int_eq(ptxsim_function_param(k, 2, &p), PTXSIM_ERROR_ARGUMENT);
	ptxsim_context_free(sim);
}
END_TEST

START_TEST(a_fault_is_told_and_the_simulator_lives)
{
	ptxsim_context *sim = built();
	uint64_t address;

	ck_assert_int_eq(ptxsim_alloc(sim, 128, &address), PTXSIM_OK);
	ck_assert_int_eq(launch(sim, address, 33, 33), PTXSIM_ERROR_FAULT);
	ck_assert_str_eq(ptxsim_cuda_error(sim), "CUDA_ERROR_ILLEGAL_ADDRESS");
	ck_assert_ptr_nonnull(strstr(ptxsim_message(sim), "scale.ptx:17"));
	ck_assert_int_eq(launch(sim, address, 32, 32), PTXSIM_OK);
	ck_assert_str_eq(ptxsim_message(sim), "");
	ck_assert_int_eq(launch(sim, address, 32, 2000), PTXSIM_ERROR_LAUNCH);
	ck_assert_str_eq(ptxsim_cuda_error(sim), "CUDA_ERROR_INVALID_VALUE");
	ck_assert_int_eq(ptxsim_launch(sim, NULL, NULL), PTXSIM_ERROR_ARGUMENT);
	ck_assert_str_eq(ptxsim_message(sim), "");
	ptxsim_context_free(sim);
}
END_TEST

START_TEST(wrong_text_is_told_with_its_place)
{
	static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
				   ".entry k() {\n\tadd.f99 %r1;\n\tret;\n}\n";
	ptxsim_context *sim = ptxsim_context_create(NULL);
	ptxsim_module_create(sim);
	ptxsim_status status = ptxsim_module_add_text(ptxsim_get_module(sim, 0), "bad.ptx", text, strlen(text));

	status = ptxsim_module_build(ptxsim_get_module(sim, 0), NULL);
	ck_assert_int_eq(status, PTXSIM_ERROR_SYNTAX);
	ck_assert_ptr_nonnull(strstr(ptxsim_module_diagnostics(ptxsim_get_module(sim, 0)), "bad.ptx:5:"));
	ck_assert_int_eq(ptxsim_module_add_file(ptxsim_get_module(sim, 0), "/does/not/exist"), PTXSIM_ERROR_FILE);
	ptxsim_context_free(sim);
}
END_TEST

START_TEST(wrong_calls_change_nothing)
{
	ptxsim_context *fresh = ptxsim_context_create(NULL), *sim = built();
	ptxsim_module_create(fresh);
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	uint64_t address = 99;
	char byte;

	ck_assert_int_eq(ptxsim_module_build(ptxsim_get_module(fresh, 0), NULL), PTXSIM_ERROR_STATE);
	ck_assert_int_eq(ptxsim_variable(ptxsim_get_module(fresh, 0), "x", &address, NULL), PTXSIM_ERROR_STATE);
	ck_assert_uint_eq(address, 99);
	ck_assert_int_eq(ptxsim_module_build(ptxsim_get_module(sim, 0), NULL), PTXSIM_ERROR_STATE);
	ck_assert_int_eq(ptxsim_module_add_text(ptxsim_get_module(sim, 0), "x", "", 0), PTXSIM_ERROR_STATE);
	ck_assert_int_eq(ptxsim_module_add_text(ptxsim_get_module(NULL, 0), "x", "", 0), PTXSIM_ERROR_ARGUMENT);
	ck_assert_int_eq(ptxsim_read(sim, &byte, 12345, 1), PTXSIM_ERROR_ADDRESS);
	ck_assert_int_eq(ptxsim_alloc(sim, UINT64_MAX, &address), PTXSIM_ERROR_MEMORY);
	ck_assert_int_eq(ptxsim_launch(sim, NULL, &l), PTXSIM_ERROR_ARGUMENT);
	ck_assert_int_eq(ptxsim_launch(sim, ptxsim_get_function(ptxsim_get_module(sim, 0), 0), &l),
			 PTXSIM_ERROR_LAUNCH);
	l.struct_size = 3;
	ck_assert_int_eq(ptxsim_launch(sim, ptxsim_get_function(ptxsim_get_module(sim, 0), 0), &l),
			 PTXSIM_ERROR_ARGUMENT);
	ck_assert_int_eq(launch(sim, 0, 0, 2000), PTXSIM_ERROR_LAUNCH);
	ck_assert_str_ne(ptxsim_message(sim), "");
	ck_assert_int_eq(launch(sim, 0, 0, 32), PTXSIM_OK);
	ptxsim_context_free(fresh);
	ptxsim_context_free(sim);
	ptxsim_context_free(NULL);
}
END_TEST

/* Long blocks, of which all from block `first` on write past the buffer. */
static const char LATE[] = ".version 7.0\n"
			   ".target sm_70\n"
			   ".address_size 64\n"
			   ".visible .entry late(.param .u64 a, .param .u32 first)\n"
			   "{\n"
			   "	.reg .pred %p, %q;\n"
			   "	.reg .b32 %b, %n, %f;\n"
			   "	.reg .b64 %a;\n"
			   "	ld.param.u64 %a, [a];\n"
			   "	ld.param.u32 %f, [first];\n"
			   "	mov.u32 %b, %ctaid.x;\n"
			   "	setp.ge.u32 %p, %b, %f;\n"
			   "	mov.u32 %n, 0;\n"
			   "again:\n"
			   "	add.u32 %n, %n, 1;\n"
			   "	setp.lt.u32 %q, %n, 500;\n"
			   "	@%q bra again;\n"
			   "	@%p st.global.u32 [%a+4], %n;\n"
			   "	st.global.u32 [%a], %n;\n"
			   "	ret;\n"
			   "}\n";

START_TEST(the_fault_told_is_that_of_the_lowest_block)
{
	ptxsim_context *sim = ptxsim_context_create(NULL);
	ptxsim_module_create(sim);
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	uint64_t address;
	uint32_t first;
	const void *args[] = {&address, &first};
	char place[40];

	ck_assert_int_eq(ptxsim_module_add_text(ptxsim_get_module(sim, 0), "late.ptx", LATE, strlen(LATE)), PTXSIM_OK);
	ck_assert_msg(ptxsim_module_build(ptxsim_get_module(sim, 0), NULL) == PTXSIM_OK, "%s",
		      ptxsim_module_diagnostics(ptxsim_get_module(sim, 0)));
	ck_assert_int_eq(ptxsim_alloc(sim, 4, &address), PTXSIM_OK);
	l.grid[0] = 5000;
	l.block[0] = 64;
	l.args = args;
	l.arg_count = 2;
	for (first = 1; first < 5000; first += 311) {
		l.jobs = 1 + first % 4;
		ck_assert_int_eq(ptxsim_launch(sim, ptxsim_find_function(ptxsim_get_module(sim, 0), "late"), &l),
				 PTXSIM_ERROR_FAULT);
		snprintf(place, sizeof place, "block (%u,0,0)", first);
		ck_assert_msg(strstr(ptxsim_message(sim), place) != NULL, "%u workers: %s", l.jobs,
			      ptxsim_message(sim));
	}
	ptxsim_context_free(sim);
}
END_TEST

/* Each block adds to, and takes the maximum of, the same words, which begin at `a`; and notes what it found. */
static const char TALLY[] = ".version 7.0\n"
			    ".target sm_70\n"
			    ".address_size 64\n"
			    ".visible .entry tally(.param .u64 a, .param .u64 found)\n"
			    "{\n"
			    "	.reg .b32 %t, %b, %r, %m;\n"
			    "	.reg .b64 %a, %f, %k;\n"
			    "	ld.param.u64 %a, [a];\n"
			    "	ld.param.u64 %f, [found];\n"
			    "	mov.u32 %t, %tid.x;\n"
			    "	mov.u32 %b, %ctaid.x;\n"
			    "	mad.wide.u32 %a, %t, 4, %a;\n"
			    "	mad.lo.u32 %m, %b, 64, %t;\n"
			    "	mad.wide.u32 %f, %m, 4, %f;\n"
			    "	red.global.add.u32 [%a], 3;\n"
			    "	red.global.max.u32 [%a+256], %m;\n"
			    "	atom.global.add.u32 %r, [%a+512], 1;\n"
			    "	st.global.u32 [%f], %r;\n"
			    "	ret;\n"
			    "}\n";
enum { TALLY_BLOCKS = 3000, TALLY_THREADS = 64 };

static void check_tally(ptxsim_context *sim, uint64_t address, uint64_t found)
{
	const void *args[] = {&address, &found};
	static uint32_t words[3][TALLY_THREADS], olds[TALLY_BLOCKS][TALLY_THREADS], zeros[3][TALLY_THREADS];
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;

	l.grid[0] = TALLY_BLOCKS;
	l.block[0] = TALLY_THREADS;
	l.jobs = 4;
	l.args = args;
	l.arg_count = 2;
	ck_assert_int_eq(ptxsim_write(sim, address, zeros, sizeof zeros), PTXSIM_OK);
	ck_assert_msg(ptxsim_launch(sim, ptxsim_get_function(ptxsim_get_module(sim, 0), 0), &l) == PTXSIM_OK, "%s",
		      ptxsim_message(sim));
	ck_assert_int_eq(ptxsim_read(sim, words, address, sizeof words), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_read(sim, olds, found, sizeof olds), PTXSIM_OK);
	for (uint32_t t = 0; t < TALLY_THREADS; t++) {
		bool seen[TALLY_BLOCKS] = {false};
		ck_assert_uint_eq(words[0][t], 3 * TALLY_BLOCKS);
		ck_assert_uint_eq(words[1][t], TALLY_THREADS * (TALLY_BLOCKS - 1) + t);
		ck_assert_uint_eq(words[2][t], TALLY_BLOCKS);
		for (uint32_t b = 0; b < TALLY_BLOCKS; b++) {
			ck_assert_uint_lt(olds[b][t], TALLY_BLOCKS);
			ck_assert(!seen[olds[b][t]]);
			seen[olds[b][t]] = true;
		}
	}
}

START_TEST(atomics_of_several_host_threads_are_atomic)
{
	ptxsim_context *sim = ptxsim_context_create(NULL);
	ptxsim_module_create(sim);
	uint64_t address, found;

	ck_assert_int_eq(ptxsim_module_add_text(ptxsim_get_module(sim, 0), "tally.ptx", TALLY, strlen(TALLY)),
			 PTXSIM_OK);
	ck_assert_msg(ptxsim_module_build(ptxsim_get_module(sim, 0), NULL) == PTXSIM_OK, "%s",
		      ptxsim_module_diagnostics(ptxsim_get_module(sim, 0)));
	ck_assert_int_eq(ptxsim_alloc(sim, 4096, &address), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_alloc(sim, 4 * TALLY_BLOCKS * TALLY_THREADS, &found), PTXSIM_OK);
	for (uint64_t offset = 0; offset < 16; offset += 4)
		check_tally(sim, address + offset, found);
	ptxsim_context_free(sim);
}
END_TEST

/* One simulator in a thread of its own: many launches, each checked. */
static void *many_launches(void *factor)
{
	ptxsim_context *sim = built();
	uint64_t variable, address;
	uint32_t value = *(uint32_t *)factor, wanted = 1, ok = 1;

	ptxsim_variable(ptxsim_get_module(sim, 0), "factor", &variable, NULL);
	ptxsim_write(sim, variable, &value, 4);
	ptxsim_alloc(sim, 4, &address);
	ptxsim_write(sim, address, &wanted, 4);
	for (int k = 0; k < 500; k++) {
		wanted *= value;
		ok &= launch(sim, address, 1, 32) == PTXSIM_OK;
	}
	ptxsim_read(sim, &value, address, 4);
	ptxsim_context_free(sim);
	return ok && value == wanted ? factor : NULL;
}

START_TEST(two_simulators_in_two_threads)
{
	uint32_t factors[] = {3, 5};
	pthread_t threads[2];
	void *result;

	for (int k = 0; k < 2; k++)
		ck_assert_int_eq(pthread_create(&threads[k], NULL, many_launches, &factors[k]), 0);
	for (int k = 0; k < 2; k++) {
		pthread_join(threads[k], &result);
		ck_assert_ptr_eq(result, &factors[k]);
	}
}
END_TEST

/* A map within a larger parameter; one that the driver would refuse. */
START_TEST(tensor_maps)
{
	static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
				   ".visible .entry k(.param .align 64 .b8 p[256]) {\n"
				   "	.reg .b64 %m;\n"
				   "	mov.b64 %m, p;\n	cvta.param.u64 %m, %m;\n	add.u64 %m, %m, 64;\n"
				   "	prefetch.tensormap [%m];\n"
				   "	cp.async.bulk.prefetch.tensor.2d.L2.global [%m, {0, 0}];\n"
				   "	ret;\n}\n";
	struct ptxsim_tensor_map map = PTXSIM_TENSOR_MAP_INIT;
	ptxsim_context *c = ptxsim_context_create(NULL);
	ptxsim_module *m = ptxsim_module_create(c);
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	_Alignas(64) uint8_t param[256] = {0};
	const void *args[] = {param};
	const char *why;

	ck_assert_int_eq(ptxsim_alloc(c, 4096, &map.address), PTXSIM_OK);
	map.type = 7;
	map.rank = 2;
	map.dims[0] = map.dims[1] = 32;
	map.strides[0] = 128;
	map.box[0] = map.box[1] = 8;
	ck_assert_int_eq(ptxsim_tensor_map(&map, param + 64, &why), PTXSIM_OK);
	ck_assert_str_eq(why, "");
	ck_assert_int_eq(ptxsim_module_add_text(m, "k.ptx", text, strlen(text)), PTXSIM_OK);
	ck_assert_msg(ptxsim_module_build(m, NULL) == PTXSIM_OK, "%s", ptxsim_module_diagnostics(m));
	l.args = args;
	l.arg_count = 1;
	ck_assert_msg(ptxsim_launch(c, ptxsim_find_function(m, "k"), &l) == PTXSIM_OK, "%s", ptxsim_message(c));
	map.strides[0] = 100;
	ck_assert_int_eq(ptxsim_tensor_map(&map, param, &why), PTXSIM_ERROR_ARGUMENT);
	ck_assert_str_ne(why, "");
	map.rank = 6;
	ck_assert_int_eq(ptxsim_tensor_map(&map, param, NULL), PTXSIM_ERROR_ARGUMENT);
	ptxsim_context_free(c);
}
END_TEST

UNIT_TESTS("api", 60)
{
	UNIT_TEST(a_kernel_runs);
	UNIT_TEST(launches_of_older_programs_are_shorter);
	UNIT_TEST(a_forked_child_launches);
	UNIT_TEST(mapped_memory_is_used_in_place);
	UNIT_TEST(one_address_stands_for_several_places);
	UNIT_TEST(variables_are_read_and_written);
	UNIT_TEST(kernels_tell_their_parameters);
	UNIT_TEST(a_fault_is_told_and_the_simulator_lives);
	UNIT_TEST(the_fault_told_is_that_of_the_lowest_block);
	UNIT_TEST(atomics_of_several_host_threads_are_atomic);
	UNIT_TEST(wrong_text_is_told_with_its_place);
	UNIT_TEST(wrong_calls_change_nothing);
	UNIT_TEST(two_simulators_in_two_threads);
	UNIT_TEST(tensor_maps);
}
