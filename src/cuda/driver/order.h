/* SPDX-License-Identifier: Apache-2.0
 *
 * Which pieces of work come before which, whatever the order in which they ran: by their stream, by events, by the rules of the
 * default stream, and by what the program has waited for. For the check of races between launches; with the driver's lock
 * held.
 *
 * It errs on the side of order: what one thread of the program has waited for counts for all of them, and more streams than
 * there is room for are not looked at.
 */
#ifndef PTXSIM_CUDA_DRIVER_ORDER_H
#define PTXSIM_CUDA_DRIVER_ORDER_H

#include "api/stream.h"

enum { ORDER_QUEUES = 64 };

/* Which nodes of a graph come before which: shared by those that ask, from malloc. */
struct order_plan;

/* A node in one launch of a graph. */
struct order_node {
	struct order_plan *plan; /* NULL: none */
	u64 launch;              /* a number that no other has */
	u32 at;
};

/* Of a piece of work: where it stands in its queue, and up to which piece of every queue's all come before it. */
struct order {
	struct order *next, **at; /* of those that are not done */
	u32 queue;                /* below ORDER_QUEUES */
	u64 number;
	u64 loose; /* the piece of its queue that it may run beside, until it waits for it; 0: none */
	u64 known[ORDER_QUEUES];
	struct order_node node;
};

/* Of the piece that is given to the queue next, until order_end. NULL: nobody asks (order_begin), or there is no room. */
struct order *order_of_next(struct queue *q);
void order_end(struct order *o);
/* The piece may begin before the one before it in its queue has ended, unless the program has waited for that. */
void order_loosely(struct order *o);
/* Is that so of the second, and the first the one before it? */
bool order_is_loose(const struct order *a, const struct order *b);
/* The piece is a node of a graph: those of its launch are ordered by edges alone. */
void order_as_node(struct order *o, const struct order_node *n);
/* A copy, which order_drop gives up. */
struct order order_kept(const struct order *o);
void order_drop(struct order *o);
void order_begin(void);
bool order_is_wanted(void);
/* All that is given to `q` from now on comes after the first `number` pieces of the other queue. */
void order_after(struct queue *q, struct queue *other, u64 number);
/* Likewise all that is given to any queue: the program has waited for them. */
void order_after_wait(struct queue *other, u64 number);
/* Likewise after this piece: the program knows that it is done. */
void order_after_piece(const struct order *o);
/* The program may know of anything that has been given so far. */
void order_after_all(void);
/* The queue ends; what was given to it is done before anything else is given. */
void order_forget(struct queue *q);
/* Of so many nodes, none of which comes before another yet. NULL: nobody asks, or there is no room; then all are ordered. */
struct order_plan *order_plan_new(u32 count);
/* What comes before node `need`, and it itself, comes before node `at`. */
void order_plan_edge(struct order_plan *p, u32 at, u32 need);
void order_plan_drop(struct order_plan *p);
/* Does the first come before the second, or is it a part of the same? */
bool order_is_before(const struct order *a, const struct order *b);
/* Does all come after it that will be given, or has been and is not done? */
bool order_is_past(const struct order *a);

#endif
