/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of work that run in order, side by side with others. Work is run by whoever waits for it, but
 * for what is to run apart; a background thread
 * takes what nobody waits for after a short while. So a launch that is waited for at once is run by the caller, without
 * waking a thread, and one that waits for the host or for another queue still gets on.
 *
 * All calls are safe from any thread. Work must not wait for its own queue.
 */
#ifndef PTXSIM_API_STREAM_H
#define PTXSIM_API_STREAM_H

#include <pthread.h>
#include <stdbool.h>

#include "base/types.h"

struct queue;

/* A piece of work. Whoever gives it owns its memory until `run` is called, which may free it. */
struct work {
	struct work *next;
	void (*run)(struct work *w);
	/* Asked before it runs, with the group's lock held: may it run yet? NULL: it may. */
	bool (*ready)(struct work *w);
	struct queue *after; /* it runs after that queue's piece number `after_number`; NULL: after none */
	u64 after_number;
	bool apart; /* it runs on a thread of the library, never on one that waits */
	bool brief; /* it waits for nothing once it runs */
};

struct queue {
	struct queue_group *group;
	struct queue *next;
	struct work *head, **tail;
	u64 given, done; /* pieces of work */
	bool busy;       /* a thread runs its head */
	bool claimed;    /* a background thread is about to look at it */
	u32 users;       /* pieces of work elsewhere that wait for it */
	bool gone;       /* to be freed when nobody uses it any more */
};

/* Queues that may wait for one another. */
struct queue_group {
	pthread_mutex_t lock;
	pthread_cond_t changed, awake;
	struct queue *list;
	u64 pending; /* pieces of work that are not done */
	bool started, asleep, ending;
	pthread_t watcher;
	u32 runners, idle_runners;
	pthread_cond_t wanted; /* idle runners wait here */
};

void queue_group_init(struct queue_group *g);
/* Waits until all work is done, or so many seconds; false: there is some left. Runs none itself. */
bool queue_group_wait(struct queue_group *g, u32 seconds);
/* Waits for all work, ends the threads and frees the queues. */
void queue_group_end(struct queue_group *g);
/* NULL: no memory. */
struct queue *queue_new(struct queue_group *g);
/* Waits for its work and frees it. */
void queue_free(struct queue *q);
/* Gives it work; returns its number, from 1 on. */
u64 queue_give(struct queue *q, struct work *w);
/* Runs what is brief and may run now, up to piece `number`, unless another thread is at it. */
void queue_run_brief(struct queue *q, u64 number);
/* Waits until pieces 1 to `number` are done. */
void queue_wait(struct queue *q, u64 number);
/* Keeps it from being freed by another thread until queue_let_go. */
void queue_hold(struct queue *q);
void queue_let_go(struct queue *q);
u64 queue_given(struct queue *q);
bool queue_has_done(struct queue *q, u64 number);

#endif
