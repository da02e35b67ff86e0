/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: nodes with what they need, and what they do.
 *
 *  cu_graph   nodes in order of their making, each with the nodes that it needs (edges)
 *  cu_node    a struct task, as streams have them: launch, copy, fill, host function, child graph ...
 *  cu_exec    a copy of the graph in an order that respects the edges (exec.c), which launches give to a stream
 *
 * A node's task owns its parameters. Edges are kept with the later node, as lists are short.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

enum { PARAMS_ROOM = 32768 };

/* --- Tasks of their own ---------------------------------------------------------------------------------- */

bool task_copy(struct task *to, const struct task *from, const void *params)
{
	*to = *from;
	if (from->kind == TASK_ALLOCATE)
		from->memory->users++;
	if (from->kind == TASK_CONDITION)
		return condition_copy(to, from);
	if (from->kind == TASK_BATCH)
		return batch_copy(to, from);
	if (from->kind != TASK_KERNEL)
		return true;
	to->kernel.params = malloc(from->kernel.param_bytes + 1);
	if (to->kernel.params)
		memcpy(to->kernel.params, params ? params : from->kernel.params, from->kernel.param_bytes);
	return to->kernel.params != NULL;
}

void task_free(struct task *t)
{
	if (t->kind == TASK_KERNEL)
		free(t->kernel.params);
	if (t->kind == TASK_CHILD && t->graph)
		drv_cuGraphDestroy(t->graph);
	if (t->kind == TASK_ALLOCATE)
		graph_memory_let_go(t->memory);
	if (t->kind == TASK_CONDITION)
		condition_free(t);
	if (t->kind == TASK_BATCH)
		free(t->batch.list);
	t->kind = TASK_EMPTY;
}

int fill_task(const struct cu_memset_node *n, struct task *t)
{
	if (n->element_bytes != 1 && n->element_bytes != 2 && n->element_bytes != 4)
		return CU_INVALID_VALUE;
	*t = (struct task){.kind = TASK_FILL,
			   .fill = {.to = (u8 *)(uintptr_t)n->at,
				    .pitch = n->pitch,
				    .value = n->value,
				    .element = n->element_bytes,
				    .width = n->width,
				    .height = n->height}};
	return n->at % n->element_bytes || !n->width || !n->height || !block_of(n->at) ? CU_INVALID_VALUE : CU_OK;
}

/* --- Graphs and nodes -------------------------------------------------------------------------------------- */

int drv_cuGraphCreate(struct cu_graph **ph_graph, u32 flags)
{
	if (!ph_graph || flags)
		return CU_INVALID_VALUE;
	struct cu_graph *g = calloc(1, sizeof *g);
	if (!g || !handle_add(g, HANDLE_GRAPH)) {
		free(g);
		return CU_OUT_OF_MEMORY;
	}
	g->last = &g->first;
	g->id = ++driver.next_id;
	*ph_graph = g;
	return CU_OK;
}

static void node_free(struct cu_node *n)
{
	handle_drop(n);
	node_let_go_of_updates(n);
	task_free(&n->task);
	free(n->needs);
	free(n->pointers);
	free(n->attributes);
	free(n);
}

int drv_cuGraphDestroy(struct cu_graph *h_graph)
{
	if (!handle_is(h_graph, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	handle_drop(h_graph);
	while (h_graph->first) {
		struct cu_node *n = h_graph->first;
		h_graph->first = n->next;
		node_free(n);
	}
	graph_let_go_of_objects(h_graph);
	free(h_graph);
	return CU_OK;
}

/* May list a node twice, as the interface allows; drop_need takes one of them away. */
static bool add_needs(struct cu_node *n, struct cu_node **needs, size_t count)
{
	struct cu_node **more = realloc(n->needs, (n->need_count + count + 1) * sizeof *more);

	if (!more)
		return false;
	n->needs = more;
	for (size_t k = 0; k < count; k++)
		n->needs[n->need_count++] = needs[k];
	return true;
}

/* False: the node does not need the other. */
static bool drop_need(struct cu_node *n, const struct cu_node *need)
{
	for (u32 k = 0; k < n->need_count; k++)
		if (n->needs[k] == need) {
			n->needs[k] = n->needs[--n->need_count];
			return true;
		}
	return false;
}

/* Without checks: callers know the nodes. NULL: no memory. */
struct cu_node *graph_add(struct cu_graph *g, struct cu_node **needs, size_t count, const struct task *t,
			  const void *params)
{
	struct cu_node *n = calloc(1, sizeof *n);

	if (!n || !task_copy(&n->task, t, params) || !add_needs(n, needs, count) || !handle_add(n, HANDLE_NODE)) {
		if (n)
			free(n->needs);
		free(n);
		return NULL;
	}
	n->graph = g;
	*g->last = n;
	g->last = &n->next;
	g->count++;
	return n;
}

/* With the checks that all calls which add a node share. */
int node_needs_fit(const struct cu_graph *g, struct cu_node **needs, size_t count)
{
	if (count && !needs)
		return CU_INVALID_VALUE;
	if (!handle_is(g, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	for (size_t k = 0; k < count; k++)
		if (!handle_is(needs[k], HANDLE_NODE) || needs[k]->graph != g)
			return CU_INVALID_VALUE;
	return CU_OK;
}

int node_add(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count, const struct task *t,
	     const void *params)
{
	const int wrong = made ? node_needs_fit(g, needs, count) : CU_INVALID_VALUE;

	if (wrong)
		return wrong;
	*made = graph_add(g, needs, count, t, params);
	return *made ? CU_OK : CU_OUT_OF_MEMORY;
}

/* The copies of the nodes are in the same order; `origin` is what each was copied from. */
struct cu_node *node_copy_of(const struct cu_graph *g, const struct cu_node *origin)
{
	struct cu_node *n = g->first;

	while (n && n->origin != origin && n->update != origin)
		n = n->next;
	return n;
}

/* Gives the copies the edges of the originals: copies[n->mark] is that of node n. */
static int copy_edges(const struct cu_graph *from, struct cu_node *const *copies)
{
	for (const struct cu_node *n = from->first; n; n = n->next)
		for (u32 k = 0; k < n->need_count; k++) {
			struct cu_node *need = copies[n->needs[k]->mark];
			if (!add_needs(copies[n->mark], &need, 1))
				return CU_OUT_OF_MEMORY;
		}
	return CU_OK;
}

/* Copies the nodes first, then the edges between them. */
int drv_cuGraphClone(struct cu_graph **ph_graph_clone, struct cu_graph *original_graph)
{
	struct cu_graph *g;

	if (!ph_graph_clone)
		return CU_INVALID_VALUE;
	if (!handle_is(original_graph, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	int result = drv_cuGraphCreate(&g, 0);
	if (result)
		return result;
	struct cu_node **copies = calloc(original_graph->count + (size_t)1, sizeof(struct cu_node *));
	if (!copies)
		result = CU_OUT_OF_MEMORY;
	u32 count = 0;
	for (struct cu_node *n = original_graph->first; n && !result; n = n->next) {
		struct task t = n->task;
		if (t.kind == TASK_CHILD)
			result = drv_cuGraphClone(&t.graph, n->task.graph);
		struct cu_node *copy = result ? NULL : graph_add(g, NULL, 0, &t, NULL);
		if (!copy || !node_copy_attributes(copy, n))
			result = result ? result : CU_OUT_OF_MEMORY;
		else
			copy->origin = n;
		n->mark = count;
		copies[count++] = copy;
	}
	if (!result)
		result = copy_edges(original_graph, copies);
	free(copies);
	if (result)
		drv_cuGraphDestroy(g);
	else
		*ph_graph_clone = g;
	return result;
}

int drv_cuGraphAddEmptyNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count)
{
	return node_add(made, g, needs, count, &(struct task){.kind = TASK_EMPTY}, NULL);
}

int drv_cuGraphAddKernelNode_v2(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
				const struct cu_kernel_node *node)
{
	u8 params[PARAMS_ROOM];
	struct task t;

	if (!node)
		return CU_INVALID_VALUE;
	const int result = kernel_task(node, &t, params, sizeof params);
	return result ? result : node_add(made, g, needs, count, &t, params);
}

int drv_cuGraphAddMemcpyNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
			     const struct cu_copy_3d *copy, struct cu_context *ctx)
{
	struct task t = {.kind = TASK_COPY};

	(void)ctx;
	if (!copy)
		return CU_INVALID_VALUE;
	const int result = copy_resolve(copy, &t.copy);
	if (result)
		return result;
	const int added = node_add(made, g, needs, count, &t, NULL);
	if (!added)
		(*made)->copy = *copy;
	return added;
}

int drv_cuGraphAddMemsetNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
			     const struct cu_memset_node *node, struct cu_context *ctx)
{
	struct task t;

	(void)ctx;
	if (!node)
		return CU_INVALID_VALUE;
	const int result = fill_task(node, &t);
	return result ? result : node_add(made, g, needs, count, &t, NULL);
}

int drv_cuGraphAddHostNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
			   const struct cu_host_node *node)
{
	if (!node || !node->function)
		return CU_INVALID_VALUE;
	const struct task t = {.kind = TASK_HOST, .host = {.function = node->function, .data = node->data}};
	return node_add(made, g, needs, count, &t, NULL);
}

int drv_cuGraphAddChildGraphNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
				 struct cu_graph *child)
{
	struct task t = {.kind = TASK_CHILD};

	if (!handle_is(child, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	const int result = drv_cuGraphClone(&t.graph, child);
	return result ? result : node_add(made, g, needs, count, &t, NULL);
}

static int add_event(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
		     struct cu_event *e, enum task_kind kind)
{
	if (!handle_is(e, HANDLE_EVENT))
		return CU_INVALID_HANDLE;
	return node_add(made, g, needs, count, &(struct task){.kind = kind, .event = e}, NULL);
}
int drv_cuGraphAddEventRecordNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
				  struct cu_event *event)
{
	return add_event(made, g, needs, count, event, TASK_RECORD);
}
int drv_cuGraphAddEventWaitNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
				struct cu_event *event)
{
	return add_event(made, g, needs, count, event, TASK_WAIT);
}

int drv_cuGraphAddMemFreeNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count, u64 dptr)
{
	return node_add(made, g, needs, count, &(struct task){.kind = TASK_FREE, .free = {dptr, 0}}, NULL);
}

/* Takes the node out of the list, and every edge to it. */
int drv_cuGraphDestroyNode(struct cu_node *h_node)
{
	if (!handle_is(h_node, HANDLE_NODE))
		return CU_INVALID_HANDLE;
	struct cu_graph *g = h_node->graph;
	if (h_node->updatable)
		return CU_INVALID_VALUE;
	for (struct cu_node **at = &g->first; *at; at = &(*at)->next) {
		while (*at == h_node) {
			*at = h_node->next;
			if (g->last == &h_node->next)
				g->last = at;
		}
		if (!*at)
			break;
	}
	for (struct cu_node *n = g->first; n; n = n->next)
		while (drop_need(n, h_node))
			continue;
	g->count--;
	node_free(h_node);
	return CU_OK;
}

/* --- Edges ------------------------------------------------------------------------------------------------- */

int drv_cuGraphAddDependencies(struct cu_graph *g, struct cu_node **from, struct cu_node **to, size_t count)
{
	if (count && (!from || !to))
		return CU_INVALID_VALUE;
	if (!handle_is(g, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	for (size_t k = 0; k < count; k++) {
		if (!handle_is(from[k], HANDLE_NODE) || !handle_is(to[k], HANDLE_NODE) || from[k]->graph != g ||
		    to[k]->graph != g)
			return CU_INVALID_VALUE;
		if (!add_needs(to[k], &from[k], 1))
			return CU_OUT_OF_MEMORY;
	}
	return CU_OK;
}
int drv_cuGraphAddDependencies_v2(struct cu_graph *g, struct cu_node **from, struct cu_node **to, const void *edges,
				  size_t count)
{
	(void)edges;
	return drv_cuGraphAddDependencies(g, from, to, count);
}

int drv_cuGraphRemoveDependencies(struct cu_graph *g, struct cu_node **from, struct cu_node **to, size_t count)
{
	if (count && (!from || !to))
		return CU_INVALID_VALUE;
	if (!handle_is(g, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	for (size_t e = 0; e < count; e++) {
		if (!handle_is(from[e], HANDLE_NODE) || !handle_is(to[e], HANDLE_NODE))
			return CU_INVALID_VALUE;
		drop_need(to[e], from[e]);
	}
	return CU_OK;
}
int drv_cuGraphRemoveDependencies_v2(struct cu_graph *g, struct cu_node **from, struct cu_node **to, const void *edges,
				     size_t count)
{
	(void)edges;
	return drv_cuGraphRemoveDependencies(g, from, to, count);
}

/* Writes at most *count of a list, or only counts it. */
struct listing {
	struct cu_node **to;
	size_t room, count;
};
static void list(struct listing *l, struct cu_node *n)
{
	if (l->to && l->count < l->room)
		l->to[l->count] = n;
	l->count++;
}
static int list_end(struct listing *l, size_t *count)
{
	for (size_t k = l->count; l->to && k < l->room; k++)
		l->to[k] = NULL;
	*count = l->to && l->room < l->count ? l->room : l->count;
	return CU_OK;
}

int drv_cuGraphGetNodes(struct cu_graph *g, struct cu_node **nodes, size_t *count)
{
	if (!count)
		return CU_INVALID_VALUE;
	if (!handle_is(g, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	struct listing l = {nodes, *count, 0};
	for (struct cu_node *n = g->first; n; n = n->next)
		list(&l, n);
	return list_end(&l, count);
}

int drv_cuGraphGetRootNodes(struct cu_graph *g, struct cu_node **nodes, size_t *count)
{
	if (!count)
		return CU_INVALID_VALUE;
	if (!handle_is(g, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	struct listing l = {nodes, *count, 0};
	for (struct cu_node *n = g->first; n; n = n->next)
		if (!n->need_count)
			list(&l, n);
	return list_end(&l, count);
}

int drv_cuGraphGetEdges(struct cu_graph *g, struct cu_node **from, struct cu_node **to, size_t *count)
{
	if (!count || !from != !to)
		return CU_INVALID_VALUE;
	if (!handle_is(g, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	struct listing f = {from, *count, 0}, t = {to, *count, 0};
	for (struct cu_node *n = g->first; n; n = n->next)
		for (u32 k = 0; k < n->need_count; k++) {
			list(&f, n->needs[k]);
			list(&t, n);
		}
	list_end(&t, count);
	return list_end(&f, count);
}
int drv_cuGraphGetEdges_v2(struct cu_graph *g, struct cu_node **from, struct cu_node **to, void *edges, size_t *count)
{
	if (edges && count)
		memset(edges, 0, 8 * *count);
	return drv_cuGraphGetEdges(g, from, to, count);
}

int drv_cuGraphNodeGetDependencies(struct cu_node *h_node, struct cu_node **nodes, size_t *count)
{
	if (!count)
		return CU_INVALID_VALUE;
	if (!handle_is(h_node, HANDLE_NODE))
		return CU_INVALID_HANDLE;
	struct listing l = {nodes, *count, 0};
	for (u32 k = 0; k < h_node->need_count; k++)
		list(&l, h_node->needs[k]);
	return list_end(&l, count);
}
int drv_cuGraphNodeGetDependencies_v2(struct cu_node *h_node, struct cu_node **nodes, void *edges, size_t *count)
{
	if (edges && count)
		memset(edges, 0, 8 * *count);
	return drv_cuGraphNodeGetDependencies(h_node, nodes, count);
}

int drv_cuGraphNodeGetDependentNodes(struct cu_node *h_node, struct cu_node **nodes, size_t *count)
{
	if (!count)
		return CU_INVALID_VALUE;
	if (!handle_is(h_node, HANDLE_NODE))
		return CU_INVALID_HANDLE;
	struct listing l = {nodes, *count, 0};
	for (struct cu_node *n = h_node->graph->first; n; n = n->next)
		for (u32 k = 0; k < n->need_count; k++)
			if (n->needs[k] == h_node)
				list(&l, n);
	return list_end(&l, count);
}
int drv_cuGraphNodeGetDependentNodes_v2(struct cu_node *h_node, struct cu_node **nodes, void *edges, size_t *count)
{
	if (edges && count)
		memset(edges, 0, 8 * *count);
	return drv_cuGraphNodeGetDependentNodes(h_node, nodes, count);
}

/* --- What nodes say ------------------------------------------------------------------------------------------ */

int drv_cuGraphNodeGetType(struct cu_node *h_node, int *type)
{
	static const int types[] = {
		[TASK_EMPTY] = 5,  [TASK_KERNEL] = 0,     [TASK_COPY] = 1,  [TASK_FILL] = 2,  [TASK_HOST] = 3,
		[TASK_RECORD] = 7, [TASK_WAIT] = 6,       [TASK_CHILD] = 4, [TASK_FREE] = 11, [TASK_ALLOCATE] = 10,
		[TASK_WRITE] = 12, [TASK_CONDITION] = 13, [TASK_BATCH] = 12};

	if (!type)
		return CU_INVALID_VALUE;
	if (!handle_is(h_node, HANDLE_NODE))
		return CU_INVALID_HANDLE;
	*type = types[h_node->task.kind];
	return CU_OK;
}

/* CU_OK: it is a node with such a task. */
int node_is(struct cu_node *n, enum task_kind kind)
{
	if (!handle_is(n, HANDLE_NODE))
		return CU_INVALID_HANDLE;
	return n->task.kind == kind ? CU_OK : CU_INVALID_VALUE;
}

/* The parameters are given as pointers into the node's own copy; the list of them lives as long as the node. */
int drv_cuGraphKernelNodeGetParams_v2(struct cu_node *h_node, struct cu_kernel_node *to)
{
	const int result = to ? node_is(h_node, TASK_KERNEL) : CU_INVALID_VALUE;

	if (result)
		return result;
	const struct task *t = &h_node->task;
	const struct kernel *k = t->kernel.function->kernel;
	if (!h_node->pointers)
		h_node->pointers = calloc(k->function->params.count + 1, sizeof *h_node->pointers);
	if (!h_node->pointers)
		return CU_OUT_OF_MEMORY;
	for (size_t p = 0; p < k->function->params.count; p++)
		h_node->pointers[p] = t->kernel.params + k->param_offsets[p];
	memset(to, 0, sizeof *to);
	to->function = t->kernel.handle;
	memcpy(to->grid, t->kernel.launch.grid, sizeof to->grid);
	memcpy(to->block, t->kernel.launch.block, sizeof to->block);
	to->shared_bytes = (u32)t->kernel.launch.shared_bytes;
	to->params = h_node->pointers;
	return CU_OK;
}

/* The node keeps its handle and its edges. */
int node_replace(struct cu_node *n, const struct task *t, const void *params)
{
	struct task copy;

	if (!task_copy(&copy, t, params))
		return CU_OUT_OF_MEMORY;
	task_free(&n->task);
	n->task = copy;
	return CU_OK;
}

int node_set_kernel(struct cu_node *n, const struct cu_kernel_node *node)
{
	u8 params[PARAMS_ROOM];
	struct task t;
	int result = n && node ? node_is(n, TASK_KERNEL) : CU_INVALID_VALUE;

	if (!result)
		result = kernel_task(node, &t, params, sizeof params);
	return result ? result : node_replace(n, &t, params);
}

int node_set_fill(struct cu_node *n, const struct cu_memset_node *node)
{
	struct task t;
	int result = n && node ? node_is(n, TASK_FILL) : CU_INVALID_VALUE;

	if (!result)
		result = fill_task(node, &t);
	return result ? result : node_replace(n, &t, NULL);
}

int node_set_copy(struct cu_node *n, const struct cu_copy_3d *copy)
{
	struct task t = {.kind = TASK_COPY};
	int result = n && copy ? node_is(n, TASK_COPY) : CU_INVALID_VALUE;

	if (!result)
		result = copy_resolve(copy, &t.copy);
	if (!result)
		n->copy = *copy;
	return result ? result : node_replace(n, &t, NULL);
}

int node_set_host(struct cu_node *n, const struct cu_host_node *node)
{
	const int result = n && node && node->function ? node_is(n, TASK_HOST) : CU_INVALID_VALUE;

	if (result)
		return result;
	n->task.host.function = node->function;
	n->task.host.data = node->data;
	return CU_OK;
}

int drv_cuGraphKernelNodeSetParams_v2(struct cu_node *n, const struct cu_kernel_node *node)
{
	return node_set_kernel(n, node);
}
int drv_cuGraphMemsetNodeSetParams(struct cu_node *n, const struct cu_memset_node *node)
{
	return node_set_fill(n, node);
}
int drv_cuGraphMemcpyNodeSetParams(struct cu_node *n, const struct cu_copy_3d *copy) { return node_set_copy(n, copy); }
int drv_cuGraphHostNodeSetParams(struct cu_node *n, const struct cu_host_node *node) { return node_set_host(n, node); }

int drv_cuGraphMemsetNodeGetParams(struct cu_node *n, struct cu_memset_node *to)
{
	const int result = to ? node_is(n, TASK_FILL) : CU_INVALID_VALUE;

	if (result)
		return result;
	const struct fill *f = &n->task.fill;
	*to = (struct cu_memset_node){(u64)(uintptr_t)f->to, f->pitch, f->value, f->element, f->width, f->height};
	return CU_OK;
}

int drv_cuGraphMemcpyNodeGetParams(struct cu_node *n, struct cu_copy_3d *to)
{
	const int result = to ? node_is(n, TASK_COPY) : CU_INVALID_VALUE;

	if (!result)
		*to = n->copy;
	return result;
}

int drv_cuGraphHostNodeGetParams(struct cu_node *n, struct cu_host_node *to)
{
	const int result = to ? node_is(n, TASK_HOST) : CU_INVALID_VALUE;

	if (!result)
		*to = (struct cu_host_node){n->task.host.function, n->task.host.data};
	return result;
}

int drv_cuGraphChildGraphNodeGetGraph(struct cu_node *n, struct cu_graph **to)
{
	const int result = to ? node_is(n, TASK_CHILD) : CU_INVALID_VALUE;

	if (!result)
		*to = n->task.graph;
	return result;
}

int drv_cuGraphNodeFindInClone(struct cu_node **found, struct cu_node *original, struct cu_graph *clone)
{
	if (!found)
		return CU_INVALID_VALUE;
	if (!handle_is(clone, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	*found = node_copy_of(clone, original);
	return *found ? CU_OK : CU_INVALID_VALUE;
}

/* 304 is CUDA_ERROR_OPERATING_SYSTEM. */
int drv_cuGraphDebugDotPrint(struct cu_graph *g, const char *path, u32 flags)
{
	static const char *const names[] = {"empty",  "kernel",      "memcpy",     "memset", "host",
					    "record", "wait",        "child",      "free",   "allocate",
					    "write",  "conditional", "conditional"};

	(void)flags;
	if (!path)
		return CU_INVALID_VALUE;
	if (!handle_is(g, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	FILE *f = fopen(path, "we");
	if (!f)
		return 304;
	fprintf(f, "digraph dot {\n");
	for (const struct cu_node *n = g->first; n; n = n->next) {
		const char *what = n->task.kind == TASK_KERNEL ? n->task.kernel.function->name : names[n->task.kind];
		fprintf(f, "\"%p\" [label=\"%s\"];\n", (const void *)n, what);
		for (u32 k = 0; k < n->need_count; k++)
			fprintf(f, "\"%p\" -> \"%p\";\n", (void *)n->needs[k], (const void *)n);
	}
	fprintf(f, "}\n");
	return fclose(f) ? 304 : CU_OK;
}
