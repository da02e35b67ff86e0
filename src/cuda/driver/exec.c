/* SPDX-License-Identifier: Apache-2.0
 *
 * Executable graphs: copies of graphs whose nodes run one after another, in an order that every edge allows.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/watch.h"

/* An order that every edge allows; false: the edges go round.
 * Rounds over the nodes, each taking those whose needs are done. With edges that go round nothing is taken. */
static bool put_in_order(struct cu_exec *x)
{
	struct cu_graph *g = x->graph;
	u32 done = 0, before;

	x->order = calloc(g->count + 1, sizeof(struct cu_node *));
	if (!x->order)
		return false;
	for (struct cu_node *n = g->first; n; n = n->next)
		n->mark = 0;
	do {
		before = done;
		for (struct cu_node *n = g->first; n; n = n->next) {
			bool ready = !n->mark;
			for (u32 k = 0; k < n->need_count && ready; k++)
				ready = n->needs[k]->mark;
			if (ready) {
				x->order[done++] = n;
				n->mark = done;
			}
		}
	} while (done > before);
	return done == g->count;
}

/* After put_in_order: what the edges say. */
static void find_plan(struct cu_exec *x)
{
	watch_streams();
	x->plan = order_plan_new(x->graph->count);
	for (u32 k = 0; x->plan && k < x->graph->count; k++)
		for (u32 n = 0; n < x->order[k]->need_count; n++)
			order_plan_edge(x->plan, k, x->order[k]->needs[n]->mark - 1);
}

/* Copies the graph: later changes of the original do not reach what was instantiated. */
int drv_cuGraphInstantiateWithFlags(struct cu_exec **made, struct cu_graph *h_graph, u64 flags)
{
	if (!made)
		return CU_INVALID_VALUE;
	if (!handle_is(h_graph, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	if (flags & GRAPH_DEVICE_LAUNCH && (flags & GRAPH_AUTO_FREE))
		return CU_INVALID_VALUE;
	if (flags & GRAPH_DEVICE_LAUNCH && !graph_fits_device(h_graph))
		return CU_NOT_SUPPORTED;
	struct cu_exec *x = calloc(1, sizeof *x);
	if (!x)
		return CU_OUT_OF_MEMORY;
	x->flags = flags;
	x->users = 1;
	int result = drv_cuGraphClone(&x->graph, h_graph);
	if (!result && (!put_in_order(x) || !graph_take_updates(x->graph)))
		result = CU_INVALID_VALUE;
	if (!result)
		find_plan(x);
	if (!result && !handle_add(x, HANDLE_EXEC))
		result = CU_OUT_OF_MEMORY;
	if (result) {
		if (x->graph)
			drv_cuGraphDestroy(x->graph);
		order_plan_drop(x->plan);
		free(x->order);
		free(x);
		return result;
	}
	*made = x;
	return CU_OK;
}

int drv_cuGraphInstantiate_v2(struct cu_exec **made, struct cu_graph *g, struct cu_node **error_node, char *log,
			      size_t room)
{
	if (error_node)
		*error_node = NULL;
	if (log && room)
		*log = 0;
	return drv_cuGraphInstantiateWithFlags(made, g, 0);
}
int drv_cuGraphInstantiate(struct cu_exec **made, struct cu_graph *g, struct cu_node **error_node, char *log,
			   size_t room)
{
	return drv_cuGraphInstantiate_v2(made, g, error_node, log, room);
}

/* CUDA_GRAPH_INSTANTIATE_PARAMS: u64 flags, stream, error node, result. */
int drv_cuGraphInstantiateWithParams(struct cu_exec **made, struct cu_graph *g, int *params)
{
	enum { RESULT_ERROR = 1, RESULT_NODE_OPERATION = 3 };

	if (!params)
		return CU_INVALID_VALUE;
	u64 flags;
	memcpy(&flags, params, sizeof flags);
	const int result = drv_cuGraphInstantiateWithFlags(made, g, flags);
	memset((u8 *)params + 16, 0, 8);
	params[6] = result == CU_NOT_SUPPORTED ? RESULT_NODE_OPERATION : result ? RESULT_ERROR : 0;
	return result;
}

/* Waits for launches of it. */
int drv_cuGraphExecDestroy(struct cu_exec *x)
{
	if (!handle_is(x, HANDLE_EXEC))
		return CU_INVALID_HANDLE;
	for (int d = 0; d < driver.device_count; d++)
		if (driver.devices[d].primary)
			context_finish(driver.devices[d].primary);
	/* Another thread may have done so meanwhile. */
	if (!handle_is(x, HANDLE_EXEC))
		return CU_INVALID_HANDLE;
	handle_drop(x);
	exec_let_go(x);
	return CU_OK;
}

static int run_graph(struct cu_node *const *order, u32 count, struct cu_stream *s, struct cu_exec *of,
		     struct order_plan *plan);

/* The memory of graphs stays for their next launch. */
static bool frees_own(const struct task *t)
{
	const struct region *b = t->kind == TASK_FREE ? block_at(t->free.address) : NULL;

	return b && b->of_graph;
}

/* Runs a graph on the calling thread, within a piece of a stream's work: bodies of conditionals, and children of those.
 * The lock is free there. */
void graph_run_here(struct cu_context *c, const struct cu_graph *g, struct cu_exec *of)
{
	struct cu_exec x = {.graph = (struct cu_graph *)(uintptr_t)g};

	driver_take();
	const bool ok = put_in_order(&x);
	driver_let_go();
	if (ok)
		graph_run_nodes(c, x.order, g->count, of);
	free(x.order);
}

/* Whether the node's kernel has not been unloaded since. Another function may have its place, but then hardly its parameters. */
static bool kernel_is_there(const struct task *t)
{
	const struct cu_function *f = t->kernel.function;

	return handle_is(f, HANDLE_FUNCTION) && f->kernel && f->kernel->param_bytes == t->kernel.param_bytes;
}

static bool kernel_is_there_now(const struct task *t)
{
	driver_take();
	const bool is_there = kernel_is_there(t);
	driver_let_go();
	return is_there;
}

void graph_run_nodes(struct cu_context *c, struct cu_node *const *order, u32 count, struct cu_exec *of)
{
	for (u32 k = 0; k < count; k++) {
		struct task t = order[k]->task;
		if ((order[k]->disabled && !order[k]->updatable) || t.kind == TASK_FREE)
			continue;
		if (t.kind == TASK_KERNEL) {
			t.kernel.exec = of;
			t.kernel.node = order[k]->updatable ? order[k] : NULL;
			if (!kernel_is_there_now(&t))
				continue;
		}
		if (t.kind == TASK_CHILD)
			graph_run_here(c, t.graph, of);
		else
			task_run(c, &t, NULL);
	}
}

static int run_child(struct cu_graph *g, struct cu_stream *s, struct cu_exec *of)
{
	struct cu_exec x = {.graph = g};
	const int result = put_in_order(&x) ? run_graph(x.order, g->count, s, of, NULL) : CU_INVALID_VALUE;

	free(x.order);
	return result;
}

/* Gives all nodes to the stream, in order: one after another, so that edges need no waits. */
static int run_graph(struct cu_node *const *order, u32 count, struct cu_stream *s, struct cu_exec *of,
		     struct order_plan *plan)
{
	const u64 launch = plan ? ++driver.next_id : 0;
	int result = CU_OK;

	for (u32 k = 0; k < count && !result; k++) {
		const struct task *t = &order[k]->task;
		if ((order[k]->disabled && !order[k]->updatable) || t->kind == TASK_EMPTY || t->kind == TASK_ALLOCATE ||
		    frees_own(t))
			continue;
		if (t->kind == TASK_CONDITION)
			condition_begin(t);
		struct task given = *t;
		given.node = (struct order_node){plan, launch, k};
		if (t->kind == TASK_KERNEL) {
			if (!kernel_is_there(t))
				return CU_INVALID_HANDLE;
			given.kernel.params = NULL;
			given.kernel.exec = of;
			given.kernel.node = order[k]->updatable ? order[k] : NULL;
		}
		result = t->kind == TASK_CHILD    ? run_child(t->graph, s, of)
			 : t->kind == TASK_RECORD ? drv_cuEventRecord(t->event, s)
			 : t->kind == TASK_WAIT   ? drv_cuStreamWaitEvent(s, t->event, 0)
			 : t->kind == TASK_BATCH
				 ? batch_give(s, t)
				 : stream_give(s, &given, t->kind == TASK_KERNEL ? t->kernel.params : NULL);
	}
	return result;
}

/* Each launch comes after the one before it, whichever of the context's streams they are in. */
static int wait_for_last(struct cu_exec *x, struct cu_stream *s)
{
	const u64 last = x->last_stream;

	x->last_stream = s->id;
	for (struct cu_stream *o = s->context->streams; o && last != s->id; o = o->next)
		if (o->id == last) {
			const u64 number = queue_given(o->queue);
			order_after(s->queue, o->queue, number);
			return queue_has_done(o->queue, number) ? CU_OK : stream_give_wait(s, o->queue, number, NULL);
		}
	return CU_OK;
}

int drv_cuGraphLaunch(struct cu_exec *x, struct cu_stream *h_stream)
{
	struct cu_stream *s = stream_of(h_stream);

	if (!handle_is(x, HANDLE_EXEC) || !s)
		return CU_INVALID_HANDLE;
	/* Under capture its nodes become those of another graph, of which nothing is known yet. */
	if (s->capture)
		return run_graph(x->order, x->graph->count, s, NULL, NULL);
	const int refused = graph_memory_launch(x, s);
	if (refused)
		return refused;
	x->users++;
	int result = wait_for_last(x, s);
	if (!result)
		result = run_graph(x->order, x->graph->count, s, x, x->plan);
	const int ended = stream_give(s, &(struct task){.kind = TASK_TAILS, .exec = x}, NULL);
	return result ? result : ended;
}

int drv_cuGraphUpload(struct cu_exec *x, struct cu_stream *h_stream)
{
	const struct cu_stream *s = stream_of(h_stream);

	return handle_is(x, HANDLE_EXEC) && s ? graph_memory_upload(x, s) : CU_INVALID_HANDLE;
}

int drv_cuGraphExecGetFlags(struct cu_exec *x, u64 *flags)
{
	if (!flags)
		return CU_INVALID_VALUE;
	if (!handle_is(x, HANDLE_EXEC))
		return CU_INVALID_HANDLE;
	*flags = x->flags;
	return CU_OK;
}

struct cu_node *exec_node(struct cu_exec *x, struct cu_node *n)
{
	if (!n || !handle_is(x, HANDLE_EXEC))
		return NULL;
	struct cu_node *near = x->found ? x->found->next : NULL;
	if (!near || (near->origin != n && near->update != n))
		near = node_copy_of(x->graph, n);
	x->found = near;
	return near;
}

int drv_cuGraphExecKernelNodeSetParams_v2(struct cu_exec *x, struct cu_node *n, const struct cu_kernel_node *node)
{
	return node_set_kernel(exec_node(x, n), node);
}
int drv_cuGraphExecMemcpyNodeSetParams(struct cu_exec *x, struct cu_node *n, const struct cu_copy_3d *copy,
				       struct cu_context *c)
{
	(void)c;
	return node_set_copy(exec_node(x, n), copy);
}
int drv_cuGraphExecMemsetNodeSetParams(struct cu_exec *x, struct cu_node *n, const struct cu_memset_node *node,
				       struct cu_context *c)
{
	(void)c;
	return node_set_fill(exec_node(x, n), node);
}
int drv_cuGraphExecHostNodeSetParams(struct cu_exec *x, struct cu_node *n, const struct cu_host_node *node)
{
	return node_set_host(exec_node(x, n), node);
}

/* Kernels, copies and fills alone can be switched off; an H200 refuses host functions. */
static struct cu_node *switched_node(struct cu_exec *x, struct cu_node *n)
{
	struct cu_node *copy = exec_node(x, n);
	const enum task_kind kind = copy ? copy->task.kind : TASK_EMPTY;

	return kind == TASK_KERNEL || kind == TASK_COPY || kind == TASK_FILL ? copy : NULL;
}

int drv_cuGraphNodeSetEnabled(struct cu_exec *x, struct cu_node *n, u32 is_enabled)
{
	struct cu_node *copy = switched_node(x, n);

	if (!copy)
		return CU_INVALID_VALUE;
	copy->disabled = !is_enabled;
	return CU_OK;
}
int drv_cuGraphNodeGetEnabled(struct cu_exec *x, struct cu_node *n, u32 *is_enabled)
{
	const struct cu_node *copy = switched_node(x, n);

	if (!copy || !is_enabled)
		return CU_INVALID_VALUE;
	*is_enabled = !copy->disabled;
	return CU_OK;
}

/* Takes over what the nodes of a graph of the same shape say. */
static int update(struct cu_exec *x, struct cu_graph *g, struct cu_node **at_fault)
{
	struct cu_node *to = x->graph->first, *from = g->first;

	*at_fault = NULL;
	for (; to && from; to = to->next, from = from->next)
		if (to->task.kind != from->task.kind || to->need_count != from->need_count) {
			*at_fault = from;
			return CU_GRAPH_UPDATE_FAILURE;
		}
	if (to || from)
		return CU_GRAPH_UPDATE_FAILURE;
	for (to = x->graph->first, from = g->first; to; to = to->next, from = from->next) {
		if (to->task.kind == TASK_CHILD)
			continue;
		const int result = node_replace(to, &from->task, NULL);
		if (result)
			return result;
		to->update = from;
		to->copy = from->copy;
	}
	return CU_OK;
}

/* CUgraphExecUpdateResultInfo: int result, node, from node. */
int drv_cuGraphExecUpdate_v2(struct cu_exec *x, struct cu_graph *g, void *result_info)
{
	struct cu_node *at_fault;

	if (!handle_is(x, HANDLE_EXEC) || !handle_is(g, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	if (!result_info || graph_is_updatable(x->graph) || graph_is_updatable(g))
		return CU_INVALID_VALUE;
	const int result = update(x, g, &at_fault);
	memset(result_info, 0, 24);
	*(int *)result_info = result ? 2 : 0;
	memcpy((u8 *)result_info + 8, &at_fault, sizeof at_fault);
	return result;
}

int drv_cuGraphExecUpdate(struct cu_exec *x, struct cu_graph *g, struct cu_node **error_node, int *update_result)
{
	struct cu_node *at_fault;

	if (!handle_is(x, HANDLE_EXEC) || !handle_is(g, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	if (graph_is_updatable(x->graph) || graph_is_updatable(g))
		return CU_INVALID_VALUE;
	const int result = update(x, g, &at_fault);
	if (error_node)
		*error_node = at_fault;
	if (update_result)
		*update_result = result ? 2 : 0;
	return result;
}
