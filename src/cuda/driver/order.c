/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector clocks of queues, and one of the program.
 */
#include "cuda/driver/order.h"

#include <stdlib.h>
#include <string.h>

/* A queue that takes the place of one that has ended counts on from there. */
static struct {
	bool asked;
	struct {
		const struct queue *queue; /* NULL: free */
		u64 base;                  /* pieces of those before */
		u64 given;                 /* of this one, as far as known */
		u64 known[ORDER_QUEUES];
	} queues[ORDER_QUEUES];
	u64 host[ORDER_QUEUES];
	struct order *under_way;
} orders;

enum { NODES_MOST = 1024 };

/* For each node those before it, a bit each. */
struct order_plan {
	u32 users, row; /* words of a node */
	u64 before[];
};

void order_begin(void) { orders.asked = true; }
bool order_is_wanted(void) { return orders.asked; }

/* ORDER_QUEUES: there is no room. */
static u32 find(const struct queue *q)
{
	u32 unused = ORDER_QUEUES;

	for (u32 k = ORDER_QUEUES; k--;) {
		if (orders.queues[k].queue == q)
			return k;
		if (!orders.queues[k].queue)
			unused = k;
	}
	if (unused < ORDER_QUEUES) {
		orders.queues[unused].queue = q;
		orders.queues[unused].given = 0;
		memset(orders.queues[unused].known, 0, sizeof orders.queues[unused].known);
	}
	return unused;
}

/* Without taking it up. */
static u32 find_known(const struct queue *q)
{
	u32 k = 0;

	while (k < ORDER_QUEUES && orders.queues[k].queue != q)
		k++;
	return q ? k : ORDER_QUEUES;
}

static void join(u64 *to, const u64 *from)
{
	for (u32 k = 0; k < ORDER_QUEUES; k++)
		to[k] = max_u64(to[k], from[k]);
}

/* What comes before the piece comes before whoever is told of by `to`. */
static void learn(u64 *to, u32 from, u64 number)
{
	const u64 own = to[from];

	join(to, orders.queues[from].known);
	to[from] = max_u64(own, orders.queues[from].base + number);
}

struct order *order_of_next(struct queue *q)
{
	if (!orders.asked)
		return NULL;
	const u32 k = find(q);
	struct order *o = k < ORDER_QUEUES ? malloc(sizeof *o) : NULL;
	if (!o)
		return NULL;
	join(orders.queues[k].known, orders.host);
	orders.queues[k].given = queue_given(q) + 1;
	o->queue = k;
	o->number = orders.queues[k].base + orders.queues[k].given;
	o->loose = 0;
	o->node = (struct order_node){0};
	memcpy(o->known, orders.queues[k].known, sizeof o->known);
	o->known[k] = o->number - 1;
	o->next = orders.under_way;
	o->at = &orders.under_way;
	if (o->next)
		o->next->at = &o->next;
	return orders.under_way = o;
}

void order_end(struct order *o)
{
	*o->at = o->next;
	if (o->next)
		o->next->at = o->at;
	order_drop(o);
	free(o);
}

void order_loosely(struct order *o)
{
	if (orders.host[o->queue] < o->number - 1)
		o->loose = o->number - 1;
}

bool order_is_loose(const struct order *a, const struct order *b)
{
	return b->loose && a->queue == b->queue && a->number == b->loose;
}

void order_as_node(struct order *o, const struct order_node *n)
{
	o->node = *n;
	if (n->plan)
		n->plan->users++;
}

struct order order_kept(const struct order *o)
{
	if (o->node.plan)
		o->node.plan->users++;
	return *o;
}

void order_drop(struct order *o)
{
	order_plan_drop(o->node.plan);
	o->node.plan = NULL;
}

void order_after(struct queue *q, struct queue *other, u64 number)
{
	if (!orders.asked || !other || q == other)
		return;
	const u32 k = find(q), from = find_known(other);
	if (k < ORDER_QUEUES && from < ORDER_QUEUES)
		learn(orders.queues[k].known, from, number);
}

void order_after_wait(struct queue *other, u64 number)
{
	const u32 from = orders.asked ? find_known(other) : ORDER_QUEUES;

	if (from < ORDER_QUEUES)
		learn(orders.host, from, number);
}

void order_after_all(void)
{
	for (u32 k = 0; orders.asked && k < ORDER_QUEUES; k++)
		if (orders.queues[k].queue)
			learn(orders.host, k, orders.queues[k].given);
}

void order_forget(struct queue *q)
{
	const u32 k = orders.asked ? find_known(q) : ORDER_QUEUES;

	if (k == ORDER_QUEUES)
		return;
	orders.queues[k].given = max_u64(orders.queues[k].given, queue_given(q));
	learn(orders.host, k, orders.queues[k].given);
	orders.queues[k].base += orders.queues[k].given;
	orders.queues[k].queue = NULL;
}

struct order_plan *order_plan_new(u32 count)
{
	const u32 row = count / 64 + 1;
	struct order_plan *p = orders.asked && count <= NODES_MOST
				       ? calloc(1, sizeof *p + (size_t)count * row * sizeof *p->before)
				       : NULL;

	if (p) {
		p->users = 1;
		p->row = row;
	}
	return p;
}

void order_plan_edge(struct order_plan *p, u32 at, u32 need)
{
	u64 *to = p->before + (size_t)at * p->row;
	const u64 *from = p->before + (size_t)need * p->row;

	for (u32 k = 0; k < p->row; k++)
		to[k] |= from[k];
	to[need / 64] |= 1ull << need % 64;
}

void order_plan_drop(struct order_plan *p)
{
	if (p && !--p->users)
		free(p);
}

static bool is_before_by_edges(const struct order_node *a, const struct order_node *b)
{
	return a->at == b->at || b->plan->before[(size_t)b->at * b->plan->row + a->at / 64] >> a->at % 64 & 1;
}

bool order_is_before(const struct order *a, const struct order *b)
{
	if (a->node.plan && b->node.plan && a->node.launch == b->node.launch)
		return is_before_by_edges(&a->node, &b->node);
	return a->queue == b->queue ? a->number <= b->number : b->known[a->queue] >= a->number;
}

void order_after_piece(const struct order *o)
{
	join(orders.host, o->known);
	orders.host[o->queue] = max_u64(orders.host[o->queue], o->number);
}

bool order_is_past(const struct order *a)
{
	for (const struct order *o = orders.under_way; o; o = o->next)
		if (!order_is_before(a, o) || order_is_loose(a, o))
			return false;
	return orders.host[a->queue] >= a->number;
}
