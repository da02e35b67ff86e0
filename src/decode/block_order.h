/* SPDX-License-Identifier: Apache-2.0
 *
 * Can the order in which blocks run show in what a kernel leaves in memory? Kernels of which that is true run in the
 * hardware's order of blocks, on one host thread or so that the accesses by which it shows come in that order
 * (exec/in_order.h). So results are the same for any number of host threads.
 *
 * It can show in strong accesses of global memory (PTX ISA 8.2), in what atomic operations give back, in sums of
 * floats, in operations on one place that do not commute, in clocks, in system functions, and in stores of what
 * differs from block to block to an address that does not. Weak accesses of different blocks to one place at addresses
 * that are not known here are data races, of which nothing is promised; the race check finds them.
 */
#ifndef PTXSIM_DECODE_BLOCK_ORDER_H
#define PTXSIM_DECODE_BLOCK_ORDER_H

#include "decode/match.h"

/* Of one function; `matched` are its instructions, or with forms alone those of a listing. */
struct block_order block_order_find(struct arena *arena, const struct ir_function *f, const struct matched *matched);

/* In which body instructions it shows, or does in a kernel in which it shows at all: atomic operations of global memory
 * that commute do so with themselves alone. Lies in the arena. */
bool *block_order_mark(struct arena *arena, const struct ir_function *f, const struct matched *matched);

/* Of a kernel: `o` is what its functions have together. */
static inline bool block_order_matters(const struct block_order *o)
{
	return o->shows || o->reductions & (o->reductions - 1);
}

#endif
