/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs that kernels of graphs launch (CUDA C++ Programming Guide, "Device Graph Launch").
 *
 *  cudaGraphLaunch in a kernel   -> graph_ask: the graph goes to a list of the executable graph that the kernel is of
 *  the kernel has ended          -> exec_run_fired: those asked for as "fire and forget" or as siblings, in order
 *  the whole graph has ended     -> exec_run_tails: its tail launches, each followed by its own ones
 *
 * An executable graph counts its users: its handle, launches in streams, and entries in such lists. It is freed with the
 * last.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

/* cudaStreamGraphTailLaunch and the other two; how many launches may be asked for. */
#define STREAM_TAIL    0x0100000000000000ull
#define STREAM_FIRE    0x0200000000000000ull
#define STREAM_SIBLING 0x0300000000000000ull

enum { FIRED_MOST = 120, TAILS_MOST = 255 };

/* cudaError_t, as a kernel gets it. */
enum { ASKED_OK = 0, ASKED_WRONG = 1, ASKED_TOO_OFTEN = 69 };

void exec_let_go(struct cu_exec *x)
{
	if (--x->users)
		return;
	drv_cuGraphDestroy(x->graph);
	free(x->fired.list);
	free(x->tails.list);
	free(x->order);
	free(x);
}

static bool add(struct asked *a, struct cu_exec *x)
{
	struct cu_exec **list = realloc(a->list, (a->count + 1) * sizeof(struct cu_exec *));

	if (!list)
		return false;
	a->list = list;
	a->list[a->count++] = x;
	x->users++;
	return true;
}

static bool is_among(const struct asked *a, const struct cu_exec *x)
{
	for (u32 k = 0; k < a->count; k++)
		if (a->list[k] == x)
			return true;
	return false;
}

/* With the lock held. A graph that is under way cannot be started once more, only be put behind. */
static u32 ask(struct cu_exec *by, struct cu_exec *x, u64 stream)
{
	if (!handle_is(x, HANDLE_EXEC) || !(x->flags & GRAPH_DEVICE_LAUNCH))
		return ASKED_WRONG;
	if (stream == STREAM_TAIL) {
		if (is_among(&by->tails, x))
			return ASKED_WRONG;
		return by->tails.count < TAILS_MOST && add(&by->tails, x) ? ASKED_OK : ASKED_TOO_OFTEN;
	}
	if ((stream != STREAM_FIRE && stream != STREAM_SIBLING) || x->users > 1)
		return ASKED_WRONG;
	if (by->fired_count == FIRED_MOST || !add(&by->fired, x))
		return ASKED_TOO_OFTEN;
	by->fired_count++;
	return ASKED_OK;
}

/* What a kernel's thread calls, while the launch is under way: no lock is held. */
u32 graph_ask(void *context, u64 graph, u64 stream)
{
	driver_take();
	const u32 result = ask(context, (struct cu_exec *)(uintptr_t)graph, stream);
	driver_let_go();
	return result;
}

/* The first of the list, which is then the caller's; NULL: it is empty. */
static struct cu_exec *take(struct asked *a)
{
	struct cu_exec *x = NULL;

	driver_take();
	if (a->count) {
		x = a->list[0];
		memmove(a->list, a->list + 1, --a->count * sizeof(struct cu_exec *));
	}
	driver_let_go();
	return x;
}

static void let_go(struct cu_exec *x)
{
	driver_take();
	exec_let_go(x);
	driver_let_go();
}

void exec_run_fired(struct cu_context *c, struct cu_exec *by)
{
	struct cu_exec *x;

	while ((x = take(&by->fired))) {
		graph_run_nodes(c, x->order, x->graph->count, x);
		exec_run_tails(c, x);
		let_go(x);
	}
}

/* Puts a graph's own tail launches before those that wait; false: no memory. */
static bool put_first(struct asked *waiting, struct cu_exec *x)
{
	driver_take();
	const u32 count = x->tails.count;
	struct cu_exec **list = count ? realloc(waiting->list, (waiting->count + count) * sizeof *list) : NULL;
	if (list) {
		memmove(list + count, list, waiting->count * sizeof *list);
		memcpy(list, x->tails.list, count * sizeof *list);
		*waiting = (struct asked){list, waiting->count + count};
		x->tails.count = 0;
	}
	x->fired_count = 0;
	driver_let_go();
	return list || !count;
}

/* A loop and no recursion: a graph that puts itself behind itself is how such programs iterate. */
void exec_run_tails(struct cu_context *c, struct cu_exec *by)
{
	struct asked waiting = {0};
	struct cu_exec *x;

	put_first(&waiting, by);
	while ((x = take(&waiting))) {
		graph_run_nodes(c, x->order, x->graph->count, x);
		put_first(&waiting, x);
		let_go(x);
	}
	free(waiting.list);
}

/* What may be in a graph that kernels launch. */
bool graph_fits_device(const struct cu_graph *g)
{
	for (const struct cu_node *n = g->first; n; n = n->next)
		switch (n->task.kind) {
		case TASK_EMPTY:
		case TASK_KERNEL:
		case TASK_COPY:
		case TASK_FILL:
			break;
		case TASK_CHILD:
			if (!graph_fits_device(n->task.graph))
				return false;
			break;
		default:
			return false;
		}
	return g->count != 0;
}
