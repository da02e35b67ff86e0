/* SPDX-License-Identifier: Apache-2.0
 *
 * See grids.h.
 *
 *  a kernel's thread    grids_buffer (arguments), grids_from_buffer, grids_add     under the queue's lock
 *  the host's thread    after the kernel: grids_settle, then grids_take until there is none; each may add more
 *
 * Children of the grid that has just ended run before those that wait, tails after its children: put_before keeps that
 * order.
 */
#include "exec/child_grids.h"

#include <stdlib.h>
#include <string.h>

enum { PENDING_MOST = 1 << 20 };

static void list_init(struct grid_list *l)
{
	l->first = NULL;
	l->last = &l->first;
}

void grids_init(struct grid_queue *q)
{
	*q = (struct grid_queue){.lock = PTHREAD_MUTEX_INITIALIZER};
	list_init(&q->children);
	list_init(&q->tails);
	list_init(&q->waiting);
}

static void forget_errors(struct grid_queue *q)
{
	for (struct grid_error *e = q->errors, *next; e; e = next) {
		next = e->next;
		free(e);
	}
	q->errors = NULL;
}

void grids_free(struct grid_queue *q, struct memory *m)
{
	struct grid_request *g;

	grids_settle(q);
	while ((g = grids_take(q)))
		free(g);
	for (struct grid_buffer *b = q->buffers, *next; b; b = next) {
		next = b->next;
		memory_release(m, b->address);
		free(b);
	}
	pthread_mutex_destroy(&q->lock);
}

/* Memory for a launch's arguments, as the device's runtime gives it. 0: there is none. */
u64 grids_buffer(struct grid_queue *q, struct memory *m, const struct grid_buffer *wanted)
{
	struct grid_buffer *b = malloc(sizeof *b);

	if (!b)
		return 0;
	*b = *wanted;
	b->address = memory_allocate(m, b->bytes ? b->bytes : 1, 16, "arguments of a launch", 0);
	if (!b->address) {
		free(b);
		return 0;
	}
	pthread_mutex_lock(&q->lock);
	b->next = q->buffers;
	q->buffers = b;
	pthread_mutex_unlock(&q->lock);
	return b->address;
}

static struct grid_buffer *take_buffer(struct grid_queue *q, u64 address)
{
	struct grid_buffer *found = NULL;

	pthread_mutex_lock(&q->lock);
	for (struct grid_buffer **at = &q->buffers; *at; at = &(*at)->next)
		if ((*at)->address == address) {
			found = *at;
			*at = found->next;
			break;
		}
	pthread_mutex_unlock(&q->lock);
	return found;
}

/* A launch whose arguments are in such a buffer, which is given back. NULL: the address is none of those. */
struct grid_request *grids_from_buffer(struct grid_queue *q, struct memory *m, u64 address, struct grid_buffer *buffer)
{
	struct grid_buffer *b = take_buffer(q, address);
	struct allocation a;

	if (!b)
		return NULL;
	struct grid_request *g = calloc(1, sizeof *g + b->bytes);
	if (g && memory_look(m, address, b->bytes ? b->bytes : 1, &a))
		memcpy(g->params, a.host + (address - a.base), b->bytes);
	memory_release(m, address);
	*buffer = *b;
	free(b);
	return g;
}

static void append(struct grid_list *l, struct grid_request *g)
{
	g->next = NULL;
	*l->last = g;
	l->last = &g->next;
}

/* Takes the request over. False: too many are pending. */
bool grids_add(struct grid_queue *q, struct grid_request *g, bool tail)
{
	pthread_mutex_lock(&q->lock);
	const bool fits = q->pending < PENDING_MOST;
	if (fits) {
		q->pending++;
		append(tail ? &q->tails : &q->children, g);
	}
	pthread_mutex_unlock(&q->lock);
	if (!fits)
		free(g);
	return fits;
}

/* Empties `first` into the beginning of `then`. */
static void put_before(struct grid_list *first, struct grid_list *then)
{
	if (!first->first)
		return;
	*first->last = then->first;
	if (!then->first)
		then->last = first->last;
	then->first = first->first;
	list_init(first);
}

/* Under the lock. */
static struct grid_error **error_of(struct grid_queue *q, u64 block, u32 thread)
{
	struct grid_error **at = &q->errors;

	while (*at && ((*at)->block != block || (*at)->thread != thread))
		at = &(*at)->next;
	return at;
}

void grids_fail(struct grid_queue *q, u64 block, u32 thread, u32 number)
{
	pthread_mutex_lock(&q->lock);
	struct grid_error **at = error_of(q, block, thread);
	if (!*at)
		*at = calloc(1, sizeof **at);
	if (*at) {
		(*at)->block = block;
		(*at)->thread = thread;
		(*at)->number = number;
	}
	pthread_mutex_unlock(&q->lock);
}

/* The last error of a thread, as cudaGetLastError of device code has it. */
u32 grids_error(struct grid_queue *q, u64 block, u32 thread, bool forget)
{
	pthread_mutex_lock(&q->lock);
	struct grid_error **at = error_of(q, block, thread), *e = *at;
	const u32 number = e ? e->number : 0;
	if (e && forget) {
		*at = e->next;
		free(e);
	}
	pthread_mutex_unlock(&q->lock);
	return number;
}

u64 grids_text(struct grid_queue *q, struct memory *m, u32 slot, const char *text)
{
	const struct grid_buffer wanted = {.kernel = NO_OPERAND, .bytes = strlen(text) + 1};
	struct allocation a;

	pthread_mutex_lock(&q->lock);
	u64 address = q->texts[slot];
	pthread_mutex_unlock(&q->lock);
	if (address)
		return address;
	address = grids_buffer(q, m, &wanted);
	if (!address || !memory_look(m, address, wanted.bytes, &a))
		return 0;
	memcpy(a.host + (address - a.base), text, wanted.bytes);
	pthread_mutex_lock(&q->lock);
	q->texts[slot] = address;
	pthread_mutex_unlock(&q->lock);
	return address;
}

void grids_settle(struct grid_queue *q)
{
	forget_errors(q);
	put_before(&q->tails, &q->waiting);
	put_before(&q->children, &q->waiting);
}

struct grid_request *grids_take(struct grid_queue *q)
{
	struct grid_request *g = q->waiting.first;

	if (!g)
		return NULL;
	q->waiting.first = g->next;
	if (!g->next)
		q->waiting.last = &q->waiting.first;
	q->pending--;
	return g;
}

static u8 *host_bytes(struct memory *m, u64 address, u64 bytes)
{
	struct allocation a;

	return memory_look(m, address, bytes, &a) ? a.host + (address - a.base) : NULL;
}

/* A copy or fill that device code asked for, row by row. False: some of it is no memory. */
bool grids_move(struct memory *m, const struct grid_request *g)
{
	for (u64 y = 0; y < g->height && g->width; y++) {
		u8 *to = host_bytes(m, g->to + y * g->to_pitch, g->width);
		const u8 *from = g->act == GRID_COPY ? host_bytes(m, g->from + y * g->from_pitch, g->width) : to;
		if (!to || !from)
			return false;
		if (g->act == GRID_COPY)
			memmove(to, from, g->width);
		else
			memset(to, g->value, g->width);
	}
	return true;
}
