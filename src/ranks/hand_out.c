/* SPDX-License-Identifier: Apache-2.0
 *
 * Handing out jobs.
 */
#include "ranks/hand_out.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* A request brings the last job's number and result; the first one brings NO_JOB, as does the last answer. */
#define NO_JOB UINT64_MAX

/* Of rank 0. */
struct giver {
	const struct transport *transport;
	const struct hand_out *jobs;
	struct parcel *results; /* by job */
	u64 next;               /* atomic */
	bool own_done;          /* atomic */
};

static u64 next_job(struct giver *g)
{
	const u64 job = __atomic_fetch_add(&g->next, 1, __ATOMIC_RELAXED);

	return job < g->jobs->count ? job : NO_JOB;
}

static void *work_here(void *giver)
{
	struct giver *g = giver;

	for (u64 job; (job = next_job(g)) != NO_JOB;)
		g->jobs->work(g->jobs->context, job, &g->results[job]);
	__atomic_store_n(&g->own_done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* False: that rank gets no more. */
static bool answer(struct giver *g, u32 rank)
{
	struct parcel w = {.transport = g->transport};

	parcel_receive(&w, rank);
	const u64 done = parcel_take_number(&w), job = next_job(g);
	if (done < g->jobs->count) {
		g->results[done] = w;
	} else {
		parcel_free(&w);
	}
	g->transport->send(rank, &job, sizeof job);
	return job != NO_JOB;
}

static void give(struct giver *g)
{
	struct timespec pause = {0, 200000};
	u32 busy = g->transport->count - 1, rank;

	while (busy || !__atomic_load_n(&g->own_done, __ATOMIC_ACQUIRE)) {
		if (busy && g->transport->waits(&rank))
			busy -= !answer(g, rank);
		else
			nanosleep(&pause, NULL);
	}
}

static void hand_out_from_here(const struct transport *t, const struct hand_out *h)
{
	struct giver g = {.transport = t, .jobs = h, .results = calloc(h->count + 1, sizeof *g.results)};
	pthread_t own;

	if (!g.results)
		rank_fails(t, "no memory left");
	for (u64 k = 0; k < h->count; k++)
		g.results[k].transport = t;
	if (pthread_create(&own, NULL, work_here, &g))
		rank_fails(t, "no thread can be started");
	give(&g);
	pthread_join(own, NULL);
	for (u64 k = 0; k < h->count; k++) {
		h->take(h->context, k, &g.results[k]);
		parcel_free(&g.results[k]);
	}
	free(g.results);
}

void hand_out(const struct transport *t, const struct hand_out *h)
{
	struct parcel w = {.transport = t};
	u64 job = NO_JOB;

	if (!t->rank) {
		hand_out_from_here(t, h);
		return;
	}
	do {
		parcel_empty(&w);
		parcel_put_number(&w, job);
		if (job != NO_JOB)
			h->work(h->context, job, &w);
		parcel_send(&w, 0);
		t->receive(0, &job, sizeof job);
	} while (job != NO_JOB);
	parcel_free(&w);
}
