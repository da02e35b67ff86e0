/* SPDX-License-Identifier: Apache-2.0
 *
 * Helper threads: started elsewhere than their creator, free to go anywhere it may.
 */
#include "config.h"

#include <check.h>
#include <sched.h>
#include <stdlib.h>

#include "exec/spread.h"

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

int main(void)
{
	Suite *suite = suite_create("spread");
	TCase *all = tcase_create("threads");

	tcase_add_test(all, helpers_run_and_may_go_where_their_creator_may);
	suite_add_tcase(suite, all);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
