/* SPDX-License-Identifier: Apache-2.0
 *
 * The main of a unit test, included by its one source: runs its tests with check, each in a process of its own.
 *
 *     UNIT_TESTS("banks", 60)
 *     {
 *             UNIT_TEST(equals_the_recordings);
 *             tcase_add_loop_test(unit, knows_which_are_native, 0, 4);
 *     }
 *
 * The number is the most seconds that a test may take; 0: check's own default.
 */
#ifndef PTXSIM_TESTS_UNIT_MAIN_H
#define PTXSIM_TESTS_UNIT_MAIN_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

/* A case of the suite, with a time limit and perhaps fixtures of its own. */
static inline TCase *unit_case(Suite *suite, const char *name, int seconds)
{
	TCase *unit = tcase_create(name);

	if (seconds)
		tcase_set_timeout(unit, seconds);
	suite_add_tcase(suite, unit);
	return unit;
}

static inline int unit_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Behind these stands the body that adds cases to `suite`, or tests to `unit`. */
#define UNIT_SUITE(NAME)                           \
	static void unit_fill(Suite *suite);       \
	int main(void)                             \
	{                                          \
		Suite *suite = suite_create(NAME); \
		unit_fill(suite);                  \
		return unit_run(suite);            \
	}                                          \
	static void unit_fill(Suite *suite)
#define UNIT_TESTS(NAME, SECONDS)                                       \
	static void unit_add(TCase *unit);                              \
	UNIT_SUITE(NAME) { unit_add(unit_case(suite, NAME, SECONDS)); } \
	static void unit_add(TCase *unit)
#define UNIT_TEST(TEST) tcase_add_test(unit, TEST)

/* By the last assertion that held check tells where a test has crashed: it writes each to a file, which took most of the time of tests that
 * compare millions of words. Here each place in the text is written when it is first come to; threads may come to it at once. */
#define _mark_point(FILE, LINE)                                            \
	({                                                                 \
		static bool written_before;                                \
		if (!__atomic_load_n(&written_before, __ATOMIC_RELAXED))   \
			(_mark_point)(FILE, LINE);                         \
		__atomic_store_n(&written_before, true, __ATOMIC_RELAXED); \
	})

/* ck_assert_msg without any of this, for loops of many millions. */
#define ASSERT_EACH(CONDITION, ...)                \
	do {                                       \
		if (!(CONDITION))                  \
			ck_abort_msg(__VA_ARGS__); \
	} while (0)

#endif
