/* SPDX-License-Identifier: Apache-2.0
 *
 * Helper threads: started elsewhere than their creator, free to go anywhere it may; and kept for more work. How many processors there are for
 * them, and what is known of kernels before they are launched again.
 */
#include "config.h"

#include <check.h>
#include <sched.h>
#include <stdlib.h>

#include "exec/host_threads.h"
#include "exec/pace.h"
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

static bool may_go_where_mine_may(pthread_t thread)
{
#if HAVE_PTHREAD_ATTR_SETAFFINITY_NP
	cpu_set_t mine, its;

	ck_assert_int_eq(sched_getaffinity(0, sizeof mine, &mine), 0);
	ck_assert_int_eq(pthread_getaffinity_np(thread, sizeof its, &its), 0);
	return CPU_EQUAL(&mine, &its);
#else
	(void)thread;
	return true;
#endif
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
	for (int k = 0; k < THREADS; k++)
		ck_assert(may_go_where_mine_may(threads[k]));
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
	ck_assert(may_go_where_mine_may(later.by));
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

#if HAVE_PTHREAD_ATTR_SETAFFINITY_NP && HAVE_SCHED_GETCPU
START_TEST(processors_are_those_that_the_caller_is_bound_to)
{
	cpu_set_t all, one;
	int at = 0;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	ck_assert_uint_eq(processors_allowed(), (unsigned)CPU_COUNT(&all));
	while (!CPU_ISSET(at, &all))
		at++;
	CPU_ZERO(&one);
	CPU_SET(at, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	ck_assert_uint_eq(processors_allowed(), 1);
	ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
}
END_TEST
#endif

START_TEST(pace_is_that_of_the_last_launch)
{
	struct paces paces = {{{NULL, 0}}};
	const char kernels[64] = {0};
	const struct kernel *first = (const struct kernel *)&kernels[0];
	int known = 0;

	ck_assert(!pace_expected(&paces, first));
	pace_note(&paces, first, 100);
	ck_assert(pace_expected(&paces, first) == 100);
	pace_note(&paces, first, 200);
	ck_assert(pace_expected(&paces, first) == 200);
	for (int k = 1; k < 64; k++) {
		const struct kernel *other = (const struct kernel *)&kernels[k];
		ck_assert(!pace_expected(&paces, other)); /* never another's */
		pace_note(&paces, other, k);
		ck_assert(pace_expected(&paces, other) == k);
	}
	for (int k = 0; k < 64; k++)
		known += pace_expected(&paces, (const struct kernel *)&kernels[k]) != 0;
	ck_assert_int_ge(known, 1);
	ck_assert_int_le(known, 8);
}
END_TEST

UNIT_TESTS("spread", 0)
{
	UNIT_TEST(helpers_run_and_may_go_where_their_creator_may);
	UNIT_TEST(threads_stay_for_more_work);
#if HAVE_PTHREAD_ATTR_SETAFFINITY_NP && HAVE_SCHED_GETCPU
	UNIT_TEST(processors_are_those_that_the_caller_is_bound_to);
#endif
	UNIT_TEST(pace_is_that_of_the_last_launch);
}
