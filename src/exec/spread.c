/* SPDX-License-Identifier: Apache-2.0
 *
 * A new thread often starts on the processor of its creator, which goes on working, so that both share it until
 * the system balances its load: after some milliseconds, which is more than most launches take. So
 * helpers start elsewhere; where, is only a start: any processor that the creator may use is theirs. The same goes for one that
 * is woken: a virtual machine's system takes a processor that has slept long for one that is not to be had.
 */
#include "exec/spread.h"

#include <unistd.h>

#include "config.h"

#if HAVE_PTHREAD_ATTR_SETAFFINITY_NP && HAVE_SCHED_GETCPU

#include <sched.h>

/* By this first: to ask how many are online opens a file. */
static unsigned processors_bound_to(void)
{
	cpu_set_t all;

	return sched_getaffinity(0, sizeof all, &all) ? 0 : (unsigned)CPU_COUNT(&all);
}

/* False: it is unknown (more processors than cpu_set_t holds), or there is only one. */
static bool choose_processor(unsigned number, cpu_set_t *all, cpu_set_t *one)
{
	const int current = sched_getcpu();

	if (current < 0 || sched_getaffinity(0, sizeof *all, all) || CPU_COUNT(all) < 2)
		return false;
	unsigned steps = number % (unsigned)CPU_COUNT(all);
	int at = current;
	while (steps) {
		at = (at + 1) % CPU_SETSIZE;
		steps -= CPU_ISSET(at, all) != 0;
	}
	CPU_ZERO(one);
	CPU_SET(at, one);
	return true;
}

static bool start_elsewhere(pthread_t *thread, unsigned number, void *(*run)(void *), void *argument)
{
	cpu_set_t all, one;
	pthread_attr_t attributes;

	if (!choose_processor(number, &all, &one) || pthread_attr_init(&attributes))
		return false;
	const bool started = !pthread_attr_setaffinity_np(&attributes, sizeof one, &one) &&
			     !pthread_create(thread, &attributes, run, argument);
	pthread_attr_destroy(&attributes);
	if (started)
		pthread_setaffinity_np(*thread, sizeof all, &all);
	return started;
}

void thread_wake_elsewhere(pthread_t thread, unsigned number, pthread_cond_t *wake)
{
	cpu_set_t all, one;
	const bool moves = choose_processor(number, &all, &one) && !pthread_setaffinity_np(thread, sizeof one, &one);

	pthread_cond_signal(wake);
	if (moves)
		pthread_setaffinity_np(thread, sizeof all, &all);
}

#else

static unsigned processors_bound_to(void) { return 0; }

void thread_wake_elsewhere(pthread_t thread, unsigned number, pthread_cond_t *wake)
{
	(void)thread, (void)number;
	pthread_cond_signal(wake);
}

static bool start_elsewhere(pthread_t *thread, unsigned number, void *(*run)(void *), void *argument)
{
	(void)thread, (void)number, (void)run, (void)argument;
	return false;
}

#endif

unsigned processors_allowed(void)
{
	const unsigned bound = processors_bound_to();
	const long online = bound ? 0 : sysconf(_SC_NPROCESSORS_ONLN);

	return bound ? bound : online > 0 ? (unsigned)online : 1;
}

bool thread_spread(pthread_t *thread, unsigned number, void *(*run)(void *), void *argument)
{
	return start_elsewhere(thread, number, run, argument) || !pthread_create(thread, NULL, run, argument);
}
