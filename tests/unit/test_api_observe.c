/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers of the library, as a user sees them: what they are told, that it agrees with the counts, and that it costs
 * nothing where nobody asks.
 */
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_fixture.h"
#include "main.h"
#include "ptxsim_observe.h"

static const char KERNELS[] = ".version 8.0\n"
			      ".target sm_90\n"
			      ".address_size 64\n"
			      ".shared .align 16 .b32 s[256];\n"
			      ".global .align 4 .b32 total;\n"
			      ".visible .entry all(.param .u64 out)\n"
			      "{\n"
			      "	.local .align 4 .b32 l[4];\n"
			      "	.reg .pred %p;\n"
			      "	.reg .b32 %t, %a, %v, %x<4>;\n"
			      "	.reg .b64 %d, %g;\n"
			      "	mov.u32 %t, %tid.x;\n"
			      "	mad.lo.u32 %a, %t, 4, 0;\n"
			      "	mov.u32 %v, s;\n"
			      "	add.u32 %a, %a, %v;\n"
			      "	st.shared.u32 [%a], %t;\n"
			      "	bar.sync 3;\n"
			      "	ld.param.u64 %d, [out];\n"
			      "	mad.wide.u32 %d, %t, 16, %d;\n"
			      "	setp.lt.u32 %p, %t, 5;\n"
			      "	@%p st.global.v4.u32 [%d], {%t, %t, %t, %t};\n"
			      "	cvta.to.global.u64 %g, %d;\n"
			      "	ld.u32 %v, [%d];\n"
			      "	atom.global.add.u32 %v, [total], 1;\n"
			      "	red.global.add.u32 [total], %v;\n"
			      "	st.local.u32 [l+4], %v;\n"
			      "	cp.async.ca.shared.global [%a], [%d], 4;\n"
			      "	cp.async.wait_all;\n"
			      "	bar.warp.sync 0xffffffff;\n"
			      "	mov.u32 %v, 0;\n"
			      "again:\n"
			      "	add.u32 %v, %v, 1;\n"
			      "	setp.lt.u32 %p, %v, 10;\n"
			      "	@%p bra again;\n"
			      "	ret;\n"
			      "}\n";

/* Sums of what an observer was told; no more than one call at a time, unless `lock` is used. */
struct seen {
	uint64_t launches, ended, blocks_begun, blocks_ended, instructions, lanes;
	uint64_t accesses[4][5], bytes[4][5]; /* by access and space */
	uint64_t barriers[3];
	uint32_t barrier_number, host_threads;
	uint64_t first_shared, first_global, first_local;
	uint32_t store_line, store_lanes;
	char store[64];
	ptxsim_status status;
	bool locks;
	pthread_mutex_t lock;
};

static void on_launch_begin(void *context, uint64_t launch, const ptxsim_function *kernel,
			    const struct ptxsim_launch *shape)
{
	struct seen *s = context;

	s->launches++;
	ck_assert_uint_eq(launch, s->launches);
	ck_assert_str_eq(ptxsim_function_name(kernel), "all");
	ck_assert_uint_eq(shape->block[0] % 32, 0);
}

static void on_launch_end(void *context, uint64_t launch, ptxsim_status status)
{
	struct seen *s = context;

	ck_assert_uint_eq(launch, s->launches);
	s->ended++;
	s->status = status;
}

static void count(struct seen *s, uint64_t *n)
{
	if (s->locks)
		pthread_mutex_lock(&s->lock);
	++*n;
	if (s->locks)
		pthread_mutex_unlock(&s->lock);
}

static void on_block_begin(void *context, const struct ptxsim_event *e)
{
	struct seen *s = context;

	ck_assert_uint_eq(e->lanes, 0);
	count(s, &s->blocks_begun);
}

static void on_block_end(void *context, const struct ptxsim_event *e)
{
	struct seen *s = context;

	ck_assert_uint_lt(e->block[0], e->grid[0]);
	count(s, &s->blocks_ended);
}

static void on_instruction(void *context, const struct ptxsim_event *e)
{
	struct seen *s = context;

	ck_assert_uint_eq(e->struct_size, sizeof *e);
	ck_assert_uint_ne(e->lanes, 0);
	ck_assert_str_eq(e->file, "o.ptx");
	if (s->locks)
		pthread_mutex_lock(&s->lock);
	s->instructions++;
	s->lanes += (uint64_t)__builtin_popcount(e->lanes);
	if (s->locks)
		pthread_mutex_unlock(&s->lock);
}

static void on_access(void *context, const struct ptxsim_event *e)
{
	struct seen *s = context;
	const uint64_t first = e->addresses[__builtin_ctz(e->lanes)];

	s->accesses[e->access][e->space]++;
	s->bytes[e->access][e->space] += (uint64_t)__builtin_popcount(e->lanes) * e->bytes;
	if (e->space == PTXSIM_SPACE_SHARED && !e->block[0] && !e->warp)
		s->first_shared = first;
	if (e->space == PTXSIM_SPACE_LOCAL)
		s->first_local = first;
	if (e->access != PTXSIM_ACCESS_STORE || e->space != PTXSIM_SPACE_GLOBAL)
		return;
	s->first_global = first;
	s->store_line = e->line;
	s->store_lanes = e->lanes;
	snprintf(s->store, sizeof s->store, "%.*s", (int)e->instruction_length, e->instruction);
}

static void on_barrier(void *context, const struct ptxsim_event *e)
{
	struct seen *s = context;

	s->barriers[e->barrier]++;
	if (e->barrier == PTXSIM_BARRIER_BLOCK)
		s->barrier_number = e->barrier_number;
}

static const struct ptxsim_observer everything = {.struct_size = sizeof everything,
						  .launch_begin = on_launch_begin,
						  .launch_end = on_launch_end,
						  .block_begin = on_block_begin,
						  .block_end = on_block_end,
						  .instruction = on_instruction,
						  .access = on_access,
						  .barrier = on_barrier};

static void observe(const struct fixture *f, const struct ptxsim_observer *like, struct seen *s)
{
	struct ptxsim_observer o = *like;

	o.observer_context = s;
	pthread_mutex_init(&s->lock, NULL);
	ck_assert_int_eq(ptxsim_observe(f->context, &o), PTXSIM_OK);
}

static ptxsim_status run(const struct fixture *f, uint32_t blocks, uint32_t threads, uint32_t jobs)
{
	const void *args[] = {&f->out};
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;

	l.grid[0] = blocks;
	l.block[0] = threads;
	l.jobs = jobs;
	l.any_order = 1;
	l.args = args;
	l.arg_count = 1;
	return ptxsim_launch(f->context, ptxsim_find_function(f->module, "all"), &l);
}

START_TEST(events_are_told)
{
	struct fixture f = open_fixture("o.ptx", KERNELS, 64 * 16);
	struct seen s = {0};
	struct ptxsim_stats stats;

	observe(&f, &everything, &s);
	ck_assert_msg(run(&f, 3, 64, 4) == PTXSIM_OK, "%s", ptxsim_message(f.context));
	ck_assert_int_eq(ptxsim_get_stats(f.context, &stats), PTXSIM_OK);
	ck_assert_uint_eq(stats.jobs, 1);
	ck_assert_uint_eq(s.launches, 1);
	ck_assert_uint_eq(s.ended, 1);
	ck_assert_int_eq(s.status, PTXSIM_OK);
	ck_assert_uint_eq(s.blocks_begun, 3);
	ck_assert_uint_eq(s.blocks_ended, 3);
	/* Six warps; the guarded store runs in the first of each block only, with five lanes. */
	ck_assert_uint_eq(s.accesses[PTXSIM_ACCESS_STORE][PTXSIM_SPACE_GLOBAL], 3);
	ck_assert_uint_eq(s.bytes[PTXSIM_ACCESS_STORE][PTXSIM_SPACE_GLOBAL], 3 * 5 * 16);
	ck_assert_uint_eq(s.store_lanes, 0x1f);
	ck_assert_uint_eq(s.store_line, 21);
	ck_assert_str_eq(s.store, "st.global.v4.u32 [%d], {%t, %t, %t, %t}");
	ck_assert_uint_eq(s.first_global, f.out);
	/* ld without a space, and cp.async's load. */
	ck_assert_uint_eq(s.accesses[PTXSIM_ACCESS_LOAD][PTXSIM_SPACE_GLOBAL], 12);
	ck_assert_uint_eq(s.bytes[PTXSIM_ACCESS_LOAD][PTXSIM_SPACE_GLOBAL], 12 * 32 * 4);
	ck_assert_uint_eq(s.accesses[PTXSIM_ACCESS_STORE][PTXSIM_SPACE_SHARED], 12);
	ck_assert_uint_eq(s.first_shared, 0);
	ck_assert_uint_eq(s.accesses[PTXSIM_ACCESS_ATOMIC][PTXSIM_SPACE_GLOBAL], 6);
	ck_assert_uint_eq(s.accesses[PTXSIM_ACCESS_REDUCTION][PTXSIM_SPACE_GLOBAL], 6);
	ck_assert_uint_eq(s.accesses[PTXSIM_ACCESS_STORE][PTXSIM_SPACE_LOCAL], 6);
	ck_assert_uint_eq(s.barriers[PTXSIM_BARRIER_BLOCK], 6);
	ck_assert_uint_eq(s.barrier_number, 3);
	ck_assert_uint_eq(s.barriers[PTXSIM_BARRIER_WARP], 6);
	ck_assert_uint_eq(s.barriers[PTXSIM_BARRIER_CLUSTER], 0);
	ptxsim_context_free(f.context);
}
END_TEST

/* Every instruction is told once for each warp that runs it, as it is counted: but for the guarded store, which the second
 * warps of the blocks run without a lane. */
START_TEST(instructions_are_those_counted)
{
	struct fixture f = open_fixture("o.ptx", KERNELS, 64 * 16);
	struct seen s = {0};
	struct ptxsim_stats stats;

	observe(&f, &everything, &s);
	ck_assert_int_eq(run(&f, 5, 64, 1), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_get_stats(f.context, &stats), PTXSIM_OK);
	ck_assert_uint_eq(s.instructions + 5, stats.warp_instructions);
	ptxsim_context_free(f.context);
}
END_TEST

START_TEST(several_host_threads_tell_the_same)
{
	struct fixture f = open_fixture("o.ptx", KERNELS, 64 * 16);
	struct seen one = {0}, many = {.locks = true};
	struct ptxsim_observer o = everything;
	struct ptxsim_stats stats;

	o.access = NULL;
	o.barrier = NULL;
	observe(&f, &o, &one);
	ck_assert_int_eq(run(&f, 200, 64, 1), PTXSIM_OK);
	o.any_thread = 1;
	observe(&f, &o, &many);
	/* Numbers of launches are the context's. */
	many.launches = 1;
	ck_assert_int_eq(run(&f, 200, 64, 4), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_get_stats(f.context, &stats), PTXSIM_OK);
	ck_assert_uint_eq(stats.jobs, 4);
	ck_assert_uint_eq(one.instructions, many.instructions);
	ck_assert_uint_eq(one.lanes, many.lanes);
	ck_assert_uint_eq(many.blocks_ended, 200);
	ptxsim_context_free(f.context);
}
END_TEST

START_TEST(a_fault_ends_what_is_told)
{
	struct fixture f = open_fixture("o.ptx", KERNELS, 64 * 16);
	struct seen s = {0};

	observe(&f, &everything, &s);
	f.out += 64 * 16 - 32;
	ck_assert_int_eq(run(&f, 1, 32, 1), PTXSIM_ERROR_FAULT);
	ck_assert_int_eq(s.status, PTXSIM_ERROR_FAULT);
	/* The store that faulted has been told. */
	ck_assert_uint_eq(s.accesses[PTXSIM_ACCESS_STORE][PTXSIM_SPACE_GLOBAL], 1);
	ck_assert_uint_eq(s.accesses[PTXSIM_ACCESS_ATOMIC][PTXSIM_SPACE_GLOBAL], 0);
	ptxsim_context_free(f.context);
}
END_TEST

START_TEST(streams_are_observed_and_counted_together)
{
	struct fixture f = open_fixture("o.ptx", KERNELS, 64 * 16);
	struct seen s = {0};
	const struct ptxsim_watching watching = {.struct_size = sizeof watching, .count = 1};
	const void *args[] = {&f.out};
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	ptxsim_stream *stream = ptxsim_stream_create(f.context);
	ptxsim_record *record;
	double value;

	observe(&f, &everything, &s);
	ck_assert_int_eq(ptxsim_watch(f.context, &watching), PTXSIM_OK);
	l.block[0] = 64;
	l.args = args;
	l.arg_count = 1;
	l.record = &record;
	ck_assert_int_eq(ptxsim_stream_launch(stream, ptxsim_find_function(f.module, "all"), &l), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_stream_synchronize(stream), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_record_counter(record, "launch.instructions", &value), PTXSIM_OK);
	ck_assert(value == (double)(s.instructions + 1));
	ptxsim_record_free(record);
	ptxsim_stream_free(stream);
	ptxsim_context_free(f.context);
}
END_TEST

START_TEST(without_an_observer_nothing_is_told)
{
	struct fixture f = open_fixture("o.ptx", KERNELS, 64 * 16);
	struct seen s = {0};
	struct ptxsim_observer wrong = everything;

	observe(&f, &everything, &s);
	ck_assert_int_eq(ptxsim_observe(f.context, NULL), PTXSIM_OK);
	ck_assert_int_eq(run(&f, 1, 64, 1), PTXSIM_OK);
	ck_assert_uint_eq(s.launches + s.instructions + s.blocks_begun, 0);
	wrong.struct_size--;
	ck_assert_int_eq(ptxsim_observe(f.context, &wrong), PTXSIM_ERROR_ARGUMENT);
	ck_assert_int_eq(ptxsim_observe(NULL, &everything), PTXSIM_ERROR_ARGUMENT);
	ptxsim_context_free(f.context);
}
END_TEST

static void *observe_in_a_context(void *unused)
{
	struct fixture f = open_fixture("o.ptx", KERNELS, 64 * 16);
	struct seen s = {0};

	(void)unused;
	observe(&f, &everything, &s);
	for (int k = 0; k < 20; k++)
		ck_assert_int_eq(run(&f, 2, 64, 1), PTXSIM_OK);
	ck_assert_uint_eq(s.launches, 20);
	ck_assert_uint_eq(s.barriers[PTXSIM_BARRIER_BLOCK], 20 * 4);
	ptxsim_context_free(f.context);
	return NULL;
}

START_TEST(two_threads_observe_contexts_of_their_own)
{
	pthread_t threads[2];

	for (int k = 0; k < 2; k++)
		ck_assert_int_eq(pthread_create(&threads[k], NULL, observe_in_a_context, NULL), 0);
	for (int k = 0; k < 2; k++)
		pthread_join(threads[k], NULL);
}
END_TEST

UNIT_TESTS("api_observe", 0)
{
	UNIT_TEST(events_are_told);
	UNIT_TEST(instructions_are_those_counted);
	UNIT_TEST(several_host_threads_tell_the_same);
	UNIT_TEST(a_fault_ends_what_is_told);
	UNIT_TEST(streams_are_observed_and_counted_together);
	UNIT_TEST(without_an_observer_nothing_is_told);
	UNIT_TEST(two_threads_observe_contexts_of_their_own);
}
