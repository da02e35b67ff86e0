/* SPDX-License-Identifier: Apache-2.0
 *
 * Each thread waits on a condition of its own, so that giving work wakes one, and the one that fits.
 *
 * Threads are kept from launch to launch (struct host_threads, one a session or context), since making them takes as
 * long as a small launch. host_threads_do gives work to one that waits, or makes one; host_threads_wait waits for all
 * that was given.
 */
#include "exec/host_threads.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "exec/internal.h"
#include "exec/spread.h"

struct host_thread {
	struct host_threads *owner;
	struct host_thread *next;
	pthread_t id;
	u32 number; /* from 1 on */
	pthread_cond_t wake;
	void (*work)(void *); /* NULL: it waits */
	void *argument;
};

static void *thread_main(void *argument)
{
	struct host_thread *self = argument;
	struct host_threads *t = self->owner;

	pthread_mutex_lock(&t->lock);
	while (self->work || !t->ending) {
		if (!self->work) {
			pthread_cond_wait(&self->wake, &t->lock);
			continue;
		}
		pthread_mutex_unlock(&t->lock);
		self->work(self->argument);
		pthread_mutex_lock(&t->lock);
		self->work = NULL;
		if (__atomic_add_fetch(&t->done, 1, __ATOMIC_RELEASE) == t->given)
			pthread_cond_signal(&t->all_done);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* False: all threads are at work. */
static bool give(struct host_threads *t, void (*work)(void *), void *argument)
{
	struct host_thread *h = t->list;

	pthread_mutex_lock(&t->lock);
	while (h && h->work)
		h = h->next;
	if (h) {
		h->work = work;
		h->argument = argument;
		t->given++;
	}
	pthread_mutex_unlock(&t->lock);
	if (h)
		thread_wake_elsewhere(h->id, h->number, &h->wake);
	return h;
}

/* A new thread, which has that work from the start. */
static bool add(struct host_threads *t, void (*work)(void *), void *argument)
{
	struct host_thread *h = calloc(1, sizeof *h);

	if (!h)
		return false;
	*h = (struct host_thread){
		.owner = t, .next = t->list, .number = t->count + 1, .work = work, .argument = argument};
	pthread_cond_init(&h->wake, NULL);
	if (!thread_spread(&h->id, h->number, thread_main, h)) {
		pthread_cond_destroy(&h->wake);
		free(h);
		return false;
	}
	pthread_mutex_lock(&t->lock);
	t->list = h;
	t->count++;
	t->given++;
	pthread_mutex_unlock(&t->lock);
	return true;
}

/* At the first work: most sessions never need a thread. */
static void set_up(struct host_threads *t)
{
	*t = (struct host_threads){.process = getpid(), .room = t->room, .paces = t->paces};
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->all_done, NULL);
}

static void tear_down(struct host_threads *t)
{
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->all_done);
}

/* In a child of the process, which has no other threads than the one that forked. Their locks may be held for ever. */
static void forget_if_forked(struct host_threads *t)
{
	if (!t->list || t->process == getpid())
		return;
	for (struct host_thread *h = t->list, *next; h; h = next) {
		next = h->next;
		free(h);
	}
	t->list = NULL;
}

bool host_threads_do(struct host_threads *t, void (*work)(void *), void *argument)
{
	forget_if_forked(t);
	if (t->list)
		return give(t, work, argument) || add(t, work, argument);
	set_up(t);
	if (add(t, work, argument))
		return true;
	tear_down(t);
	return false;
}

/* Helpers of a launch end soon after its caller, and to sleep and wake takes longer. */
static void spin_a_little(const struct host_threads *t)
{
	enum { SPIN_NS = 50000 };
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (__atomic_load_n(&t->done, __ATOMIC_ACQUIRE) < t->given &&
	       (now.tv_sec - begin.tv_sec) * 1000000000l + (now.tv_nsec - begin.tv_nsec) < SPIN_NS);
}

void host_threads_wait(struct host_threads *t)
{
	forget_if_forked(t);
	if (!t->list)
		return;
	spin_a_little(t);
	pthread_mutex_lock(&t->lock);
	while (t->done < t->given)
		pthread_cond_wait(&t->all_done, &t->lock);
	pthread_mutex_unlock(&t->lock);
}

void host_threads_end(struct host_threads *t)
{
	worker_free(t->room);
	t->room = NULL;
	forget_if_forked(t);
	if (!t->list)
		return;
	pthread_mutex_lock(&t->lock);
	t->ending = true;
	for (struct host_thread *h = t->list; h; h = h->next)
		pthread_cond_signal(&h->wake);
	pthread_mutex_unlock(&t->lock);
	for (struct host_thread *h = t->list, *next; h; h = next) {
		next = h->next;
		pthread_join(h->id, NULL);
		pthread_cond_destroy(&h->wake);
		free(h);
	}
	t->list = NULL;
	t->count = 0;
	tear_down(t);
}
