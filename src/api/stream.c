/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of work: see stream.h. One lock a group guards all of its queues; work runs without it.
 *
 * Who runs work:
 *
 *  a thread that waits (queue_wait)     runs what is in its way itself: get_on, run_head
 *  the watcher, one a group             looks every GRACE_NS whether work is ready that nobody waits for
 *  runners, as many as are needed       run that: one queue each at a time (claimed), until its head has to wait
 *
 * Most programs give work and wait for it at once: then nothing runs on another thread, and small launches do not pay
 * for a change of threads. A queue's work is numbered from 1; `given` and `done` count, and waiting means waiting for a
 * number.
 */
#include "api/stream.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long work is left to whoever may wait for it; how long the watcher stays awake with nothing to do; how often it
 * asks whether work has become ready. */
enum { GRACE_NS = 200 * 1000, IDLE_ROUNDS = 100, ROUND_NS = 500 * 1000, POLL_NS = 50 * 1000, RUNNERS_MOST = 128 };

static struct timespec from_now(long nanoseconds)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += nanoseconds;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static void condition_init(pthread_cond_t *c)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(c, &attributes);
	pthread_condattr_destroy(&attributes);
}

void queue_group_init(struct queue_group *g)
{
	memset(g, 0, sizeof *g);
	pthread_mutex_init(&g->lock, NULL);
	condition_init(&g->changed);
	condition_init(&g->awake);
	condition_init(&g->wanted);
}

struct queue *queue_new(struct queue_group *g)
{
	struct queue *q = calloc(1, sizeof *q);

	if (!q)
		return NULL;
	q->group = g;
	q->tail = &q->head;
	pthread_mutex_lock(&g->lock);
	q->next = g->list;
	g->list = q;
	pthread_mutex_unlock(&g->lock);
	return q;
}

/* Takes a queue that nobody needs out of the list and frees it.
 * gone: its owner has freed it; users: others' work waits for it, or somebody holds it. */
static void drop_if_unused(struct queue *q)
{
	if (!q->gone || q->users || q->busy || q->claimed || q->head)
		return;
	for (struct queue **at = &q->group->list; *at; at = &(*at)->next)
		if (*at == q) {
			*at = q->next;
			free(q);
			return;
		}
}

/* May the head run? What keeps it, if a queue does, is in *waits_for. */
static bool head_is_ready(struct queue *q)
{
	struct work *w = q->head;

	return (!w->after || w->after->done >= w->after_number) && (!w->ready || w->ready(w));
}

/* Runs the head; the lock is held before and after. */
static void run_head(struct queue *q)
{
	struct queue_group *g = q->group;
	struct work *w = q->head;
	struct queue *after = w->after;

	q->busy = true;
	q->head = w->next;
	if (!q->head)
		q->tail = &q->head;
	pthread_mutex_unlock(&g->lock);
	w->run(w);
	pthread_mutex_lock(&g->lock);
	q->busy = false;
	q->done++;
	g->pending--;
	if (after) {
		after->users--;
		drop_if_unused(after);
	}
	pthread_cond_broadcast(&g->changed);
}

/* --- Background ------------------------------------------------------------------------------- */

/* A queue whose head could run now and that no thread is at; NULL: none. */
static struct queue *unclaimed(struct queue_group *g)
{
	for (struct queue *q = g->list; q; q = q->next)
		if (q->head && !q->busy && !q->claimed && head_is_ready(q))
			return q;
	return NULL;
}

/* Takes unclaimed queues until the group ends. Sleeps where there are none, to be signalled by summon_runner. */
static void *runner_main(void *group)
{
	struct queue_group *g = group;

	pthread_mutex_lock(&g->lock);
	while (!g->ending) {
		struct queue *q = unclaimed(g);
		if (!q) {
			g->idle_runners++;
			pthread_cond_wait(&g->wanted, &g->lock);
			g->idle_runners--;
			continue;
		}
		q->claimed = true;
		while (q->head && !q->busy && head_is_ready(q))
			run_head(q);
		q->claimed = false;
		drop_if_unused(q);
	}
	g->runners--;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

static bool start_thread(pthread_t *id, void *(*start)(void *), void *argument)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	const bool ok = !pthread_create(id, &attributes, start, argument);
	pthread_attr_destroy(&attributes);
	return ok;
}

/* Another thread looks at the queues. */
static void summon_runner(struct queue_group *g)
{
	pthread_t id;

	if (g->idle_runners)
		pthread_cond_signal(&g->wanted);
	else if (g->runners < RUNNERS_MOST && start_thread(&id, runner_main, g))
		g->runners++;
}

/* Sleeps for good after IDLE_ROUNDS without work; queue_give wakes it. */
static void *watcher_main(void *group)
{
	struct queue_group *g = group;
	u32 idle = 0;

	pthread_mutex_lock(&g->lock);
	while (!g->ending) {
		if (!g->pending && ++idle > IDLE_ROUNDS) {
			g->asleep = true;
			pthread_cond_wait(&g->awake, &g->lock);
			g->asleep = false;
			idle = 0;
		}
		struct timespec round = from_now(g->pending ? GRACE_NS : ROUND_NS);
		pthread_cond_timedwait(&g->awake, &g->lock, &round);
		if (!g->pending || !unclaimed(g))
			continue;
		idle = 0;
		summon_runner(g);
	}
	g->started = false;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

/* --- Doors ------------------------------------------------------------------------------------ */

/* Appends the work and returns its number. The watcher is started with the first. */
u64 queue_give(struct queue *q, struct work *w)
{
	struct queue_group *g = q->group;

	w->next = NULL;
	pthread_mutex_lock(&g->lock);
	if (w->after)
		w->after->users++;
	*q->tail = w;
	q->tail = &w->next;
	g->pending++;
	const u64 number = ++q->given;
	if (!g->started)
		g->started = start_thread(&g->watcher, watcher_main, g);
	else if (g->asleep)
		pthread_cond_signal(&g->awake);
	pthread_mutex_unlock(&g->lock);
	return number;
}

/* Gets `q` on by one piece, or waits for whoever does; the lock is held. */
static void get_on(struct queue *q)
{
	struct queue_group *g = q->group;

	while (!q->busy && q->head && q->head->after && q->head->after->done < q->head->after_number)
		q = q->head->after;
	if (!q->busy && q->head && head_is_ready(q)) {
		if (!q->head->apart) {
			run_head(q);
			return;
		}
		if (!q->claimed)
			summon_runner(g);
		pthread_cond_wait(&g->changed, &g->lock);
		return;
	}
	/* What a function says about readiness changes without notice. */
	struct timespec poll = from_now(POLL_NS);
	if (q->busy || !q->head || !q->head->ready)
		pthread_cond_wait(&g->changed, &g->lock);
	else
		pthread_cond_timedwait(&g->changed, &g->lock, &poll);
}

bool queue_group_wait(struct queue_group *g, u32 seconds)
{
	struct timespec until = from_now(0);

	until.tv_sec += (time_t)seconds;
	pthread_mutex_lock(&g->lock);
	while (g->pending && pthread_cond_timedwait(&g->changed, &g->lock, &until) == 0)
		;
	const bool done = !g->pending;
	pthread_mutex_unlock(&g->lock);
	return done;
}

void queue_wait(struct queue *q, u64 number)
{
	pthread_mutex_lock(&q->group->lock);
	while (q->done < number)
		get_on(q);
	pthread_mutex_unlock(&q->group->lock);
}

/* Runs brief work up to that number on the calling thread, as long as nothing keeps it. */
void queue_run_brief(struct queue *q, u64 number)
{
	pthread_mutex_lock(&q->group->lock);
	while (!q->busy && !q->claimed && q->head && q->done < number && q->head->brief && head_is_ready(q))
		run_head(q);
	pthread_mutex_unlock(&q->group->lock);
}

void queue_hold(struct queue *q)
{
	pthread_mutex_lock(&q->group->lock);
	q->users++;
	pthread_mutex_unlock(&q->group->lock);
}

void queue_let_go(struct queue *q)
{
	struct queue_group *g = q->group;

	pthread_mutex_lock(&g->lock);
	q->users--;
	drop_if_unused(q);
	pthread_mutex_unlock(&g->lock);
}

u64 queue_given(struct queue *q)
{
	pthread_mutex_lock(&q->group->lock);
	const u64 given = q->given;
	pthread_mutex_unlock(&q->group->lock);
	return given;
}

bool queue_has_done(struct queue *q, u64 number)
{
	pthread_mutex_lock(&q->group->lock);
	const bool has = q->done >= number;
	pthread_mutex_unlock(&q->group->lock);
	return has;
}

void queue_free(struct queue *q)
{
	struct queue_group *g = q->group;

	queue_wait(q, queue_given(q));
	pthread_mutex_lock(&g->lock);
	q->gone = true;
	drop_if_unused(q);
	pthread_mutex_unlock(&g->lock);
}

/* Does all work that is left, ends the threads, and frees the queues. */
void queue_group_end(struct queue_group *g)
{
	pthread_mutex_lock(&g->lock);
	for (struct queue *q = g->list; q;) {
		if (q->done < q->given) {
			get_on(q);
			q = g->list;
		} else {
			q = q->next;
		}
	}
	g->ending = true;
	pthread_cond_broadcast(&g->awake);
	pthread_cond_broadcast(&g->wanted);
	while (g->started || g->runners)
		pthread_cond_wait(&g->changed, &g->lock);
	while (g->list) {
		struct queue *next = g->list->next;
		free(g->list);
		g->list = next;
	}
	pthread_mutex_unlock(&g->lock);
	pthread_mutex_destroy(&g->lock);
	pthread_cond_destroy(&g->changed);
	pthread_cond_destroy(&g->awake);
	pthread_cond_destroy(&g->wanted);
}
