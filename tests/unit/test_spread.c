/* SPDX-License-Identifier: Apache-2.0
 *
 * Helper threads: started elsewhere than their creator, free to go anywhere it may; and kept for more work.
 */
#include "config.h"

#include <check.h>
#include <sched.h>
#include <stdlib.h>

#include "exec/host_threads.h"
#include "exec/spread.h"
#include "main.h"

enum { THREADS = 5 };

struct seen {
	pthread_barrier_t started, checked;
	int count;
};

static void *count_up(void *argument)
{
	struct seen *s = argument;

	__atomic_add_fetch(&s->count, 1, __ATOMIC_RELAXED);
	pthread_barrier_wait(&s->started);
	pthread_barrier_wait(&s->checked);
	return NULL;
}

START_TEST(helpers_run_and_may_go_where_their_creator_may)
{
	struct seen s = {.count = 0};
	pthread_t threads[THREADS];

	pthread_barrier_init(&s.started, NULL, THREADS + 1);
	pthread_barrier_init(&s.checked, NULL, THREADS + 1);
	for (unsigned k = 0; k < THREADS; k++)
		ck_assert(thread_spread(&threads[k], k + 1, count_up, &s));
	pthread_barrier_wait(&s.started);
	ck_assert_int_eq(s.count, THREADS);
#if HAVE_PTHREAD_ATTR_SETAFFINITY_NP
	cpu_set_t mine, its;
	ck_assert_int_eq(sched_getaffinity(0, sizeof mine, &mine), 0);
	for (int k = 0; k < THREADS; k++) {
		ck_assert_int_eq(pthread_getaffinity_np(threads[k], sizeof its, &its), 0);
		ck_assert(CPU_EQUAL(&mine, &its));
	}
#endif
	pthread_barrier_wait(&s.checked);
	for (int k = 0; k < THREADS; k++)
		ck_assert_int_eq(pthread_join(threads[k], NULL), 0);
	pthread_barrier_destroy(&s.started);
	pthread_barrier_destroy(&s.checked);
}
END_TEST

struct piece {
	pthread_barrier_t *together;
	pthread_t by;
	int count;
};

static void do_piece(void *argument)
{
	struct piece *p = argument;

	p->by = pthread_self();
	p->count++;
	if (p->together)
		pthread_barrier_wait(p->together);
}

START_TEST(threads_stay_for_more_work)
{
	struct host_threads threads = {.list = NULL};
	pthread_barrier_t together;
	struct piece pieces[THREADS] = {{.count = 0}}, later = {.count = 0};
	bool known = false;

	pthread_barrier_init(&together, NULL, THREADS);
	for (int k = 0; k < THREADS; k++) {
		pieces[k].together = &together; /* all at once: as many threads */
		ck_assert(host_threads_do(&threads, do_piece, &pieces[k]));
	}
	host_threads_wait(&threads);
	for (int k = 0; k < THREADS; k++)
		ck_assert_int_eq(pieces[k].count, 1);
	for (int k = 0; k < 1000; k++) {
		ck_assert(host_threads_do(&threads, do_piece, &later));
		host_threads_wait(&threads);
		ck_assert_int_eq(later.count, k + 1);
	}
	ck_assert_uint_eq(threads.count, THREADS);
	for (int k = 0; k < THREADS; k++)
		known |= pthread_equal(pieces[k].by, later.by) != 0;
	ck_assert(known);
	host_threads_end(&threads);
	host_threads_end(&threads);
	ck_assert(host_threads_do(&threads, do_piece, &later));
	host_threads_wait(&threads);
	ck_assert_int_eq(later.count, 1001);
	host_threads_end(&threads);
	pthread_barrier_destroy(&together);
}
END_TEST

UNIT_TESTS("spread", 0)
{
	UNIT_TEST(helpers_run_and_may_go_where_their_creator_may);
	UNIT_TEST(threads_stay_for_more_work);
}
