/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs that kernels of graphs launch (CUDA C++ Programming Guide, "Device Graph Launch").
 *
 *  cudaGraphLaunch in a kernel   -> graph_ask: the graph goes to a list of the executable graph that the kernel is of
 *  the kernel has ended          -> exec_run_fired: those asked for as "fire and forget" or as siblings, in order
 *  the whole graph has ended     -> exec_run_tails: its tail launches, each followed by its own ones
 *
 *  cudaGraphKernelNodeSet...     -> node_update: the node of the executable graph, which is read when it comes to run
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
	graph_memory_exec_ends(x);
	drv_cuGraphDestroy(x->graph);
	free(x->fired.list);
	free(x->tails.list);
	order_plan_drop(x->plan);
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

/* --- Nodes that kernels change ------------------------------------------------------------------------------ */

enum { GRID_X_MOST = 0x7fffffff, GRID_YZ_MOST = 65535 };

/* CUlaunchAttributeValue::deviceUpdatableKernelNode: whether, and room for the name. */
int node_make_updatable(struct cu_node *n, void *value)
{
	const bool wanted = *(const int *)value == 1;

	if ((*(const int *)value && !wanted) || (!wanted && n->updatable))
		return CU_INVALID_VALUE;
	if (!wanted)
		return CU_OK;
	if (!n->updatable) {
		struct cu_device_node *d = calloc(1, sizeof *d);
		if (!d || !handle_add(d, HANDLE_DEVICE_NODE)) {
			free(d);
			return CU_OUT_OF_MEMORY;
		}
		d->users = 1;
		n->updatable = d;
	}
	memcpy((u8 *)value + 8, &n->updatable, sizeof n->updatable);
	return CU_OK;
}

bool graph_is_updatable(const struct cu_graph *g)
{
	for (const struct cu_node *n = g->first; n; n = n->next)
		if (n->updatable || (n->task.kind == TASK_CHILD && graph_is_updatable(n->task.graph)))
			return true;
	return false;
}

/* Whether a node of it is one of another executable graph, too. */
static bool is_taken(const struct cu_graph *g)
{
	for (const struct cu_node *n = g->first; n; n = n->next)
		if ((n->origin->updatable && n->origin->updatable->node) ||
		    (n->task.kind == TASK_CHILD && is_taken(n->task.graph)))
			return true;
	return false;
}

static void take_updates(struct cu_graph *g)
{
	for (struct cu_node *n = g->first; n; n = n->next) {
		if (n->task.kind == TASK_CHILD)
			take_updates(n->task.graph);
		if (!n->origin->updatable)
			continue;
		n->updatable = n->origin->updatable;
		n->updatable->node = n;
		n->updatable->users++;
	}
}

bool graph_take_updates(struct cu_graph *of_exec)
{
	if (is_taken(of_exec))
		return false;
	take_updates(of_exec);
	return true;
}

void node_let_go_of_updates(struct cu_node *n)
{
	struct cu_device_node *d = n->updatable;

	if (!d)
		return;
	if (d->node == n)
		d->node = NULL;
	if (--d->users)
		return;
	handle_drop(d);
	free(d);
}

static bool is_grid(const u32 grid[3])
{
	return grid[0] && grid[1] && grid[2] && grid[0] <= GRID_X_MOST && grid[1] <= GRID_YZ_MOST &&
	       grid[2] <= GRID_YZ_MOST;
}

/* With the lock held. */
static bool update_taken(struct cu_node *n, const struct node_update *u)
{
	switch (u->field) {
	case NODE_GRID:
		if (!is_grid(u->grid))
			return false;
		memcpy(n->task.kernel.launch.grid, u->grid, sizeof u->grid);
		return true;
	case NODE_PARAMS:
		if (u->offset > n->task.kernel.param_bytes || u->size > n->task.kernel.param_bytes - u->offset)
			return false;
		memcpy(n->task.kernel.params + u->offset, u->bytes, u->size);
		return true;
	case NODE_ENABLED:
		n->disabled = !u->enabled;
		return true;
	default:
		return false;
	}
}

/* What a kernel's thread calls, while the launch is under way: no lock is held. */
u32 node_update(const struct node_update *u)
{
	const struct cu_device_node *d = (const struct cu_device_node *)(uintptr_t)u->node;

	driver_take();
	const bool done = handle_is(d, HANDLE_DEVICE_NODE) && d->node && update_taken(d->node, u);
	driver_let_go();
	return done ? ASKED_OK : ASKED_WRONG;
}

bool node_read(struct task *t)
{
	u8 *params = malloc(t->kernel.param_bytes + (size_t)1);

	driver_take();
	const struct cu_node *n = t->kernel.node;
	const bool runs = params && !n->disabled;
	if (runs) {
		memcpy(t->kernel.launch.grid, n->task.kernel.launch.grid, sizeof t->kernel.launch.grid);
		memcpy(params, n->task.kernel.params, t->kernel.param_bytes);
	}
	driver_let_go();
	t->kernel.params = params;
	return runs;
}
