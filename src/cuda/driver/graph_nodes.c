/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes of graphs beyond the plain ones: conditionals, attributes of kernels, and the calls that take nodes of any kind.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

/* --- Conditionals ------------------------------------------------------------------------------------ */

enum { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH, CONDITION_BODIES = 64 };

/* A handle is the address of the condition's word, which kernels set. */
int drv_cuGraphConditionalHandleCreate(u64 *handle, struct cu_graph *g, struct cu_context *c, u32 first, u32 flags)
{
	enum { ASSIGN_FIRST = 1 };

	(void)c;
	if (!handle || flags & ~(u32)ASSIGN_FIRST)
		return CU_INVALID_VALUE;
	if (!handle_is(g, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	struct condition *k = calloc(1, sizeof *k);
	u64 address;
	if (!k || block_allocate(&address, sizeof(u32))) {
		free(k);
		return CU_OUT_OF_MEMORY;
	}
	*k = (struct condition){driver.conditions, address, first, (flags & ASSIGN_FIRST) != 0};
	block_at(address)->of_condition = true;
	*(u32 *)(uintptr_t)address = first;
	driver.conditions = k;
	*handle = address;
	return CU_OK;
}

static struct condition *condition_of(u64 handle)
{
	struct condition *k = driver.conditions;

	while (k && k->address != handle)
		k = k->next;
	return k;
}

/* Makes a node with its bodies, empty graphs that the program fills. */
static int add_conditional(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
			   struct cu_conditional_node *node)
{
	struct task t = {.kind = TASK_CONDITION};
	int result = CU_OK;

	if (node->type < CONDITION_IF || node->type > CONDITION_SWITCH || !node->size ||
	    node->size > CONDITION_BODIES || !condition_of(node->handle))
		return CU_INVALID_VALUE;
	t.condition.handle = node->handle;
	t.condition.type = node->type;
	t.condition.count = node->size;
	t.condition.bodies = calloc(node->size, sizeof *t.condition.bodies);
	if (!t.condition.bodies)
		return CU_OUT_OF_MEMORY;
	for (u32 k = 0; k < node->size && !result; k++)
		result = drv_cuGraphCreate(&t.condition.bodies[k], 0);
	if (!result)
		result = node_add(made, g, needs, count, &t, NULL);
	/* The node's own copies are what the program fills. */
	if (!result)
		node->bodies = (*made)->task.condition.bodies;
	task_free(&t);
	return result;
}

bool condition_copy(struct task *to, const struct task *from)
{
	to->condition.bodies = calloc(from->condition.count, sizeof *to->condition.bodies);
	if (!to->condition.bodies)
		return false;
	for (u32 k = 0; k < from->condition.count; k++)
		if (drv_cuGraphClone(&to->condition.bodies[k], from->condition.bodies[k]))
			return false;
	return true;
}

void condition_free(struct task *t)
{
	for (u32 k = 0; t->condition.bodies && k < t->condition.count; k++)
		if (t->condition.bodies[k])
			drv_cuGraphDestroy(t->condition.bodies[k]);
	free(t->condition.bodies);
}

static u32 value_of(const struct task *t)
{
	return __atomic_load_n((const u32 *)(uintptr_t)t->condition.handle, __ATOMIC_ACQUIRE);
}

/* Runs the body that the condition's word chooses, on the thread that runs the graph. A loop ends when the kernel in
 * its body has set the word to 0, or the context has failed. */
void condition_run(struct cu_context *c, const struct task *t)
{
	const u32 value = value_of(t);

	switch (t->condition.type) {
	case CONDITION_IF:
		if (value)
			graph_run_here(c, t->condition.bodies[0], NULL);
		else if (t->condition.count > 1)
			graph_run_here(c, t->condition.bodies[1], NULL);
		return;
	case CONDITION_SWITCH:
		if (value < t->condition.count)
			graph_run_here(c, t->condition.bodies[value], NULL);
		return;
	default:
		while (value_of(t) && !driver_error())
			graph_run_here(c, t->condition.bodies[0], NULL);
	}
}

/* A launch of the graph sets the word back, if the handle was made so. */
void condition_begin(const struct task *t)
{
	const struct condition *k = condition_of(t->condition.handle);

	if (k && k->resets)
		*(u32 *)(uintptr_t)k->address = k->first;
}

/* --- Attributes of kernels ------------------------------------------------------------------------------ */

/* CUlaunchAttributeID. What the launch needs is in its configuration; the rest is kept for programs that ask. */
enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4, ATTRIBUTE_UPDATABLE = 13, ATTRIBUTE_LAST = 32 };

static u8 *kept_attribute(const struct cu_node *n, int attribute)
{
	return n->attributes + (size_t)attribute * ATTRIBUTE_BYTES;
}

bool node_copy_attributes(struct cu_node *to, const struct cu_node *from)
{
	enum { BYTES = ATTRIBUTE_LAST * ATTRIBUTE_BYTES };

	if (from->attributes && !to->attributes && !(to->attributes = malloc(BYTES)))
		return false;
	if (from->attributes)
		memcpy(to->attributes, from->attributes, BYTES);
	else if (to->attributes)
		memset(to->attributes, 0, BYTES);
	return true;
}

int drv_cuGraphKernelNodeGetAttribute(struct cu_node *n, int attribute, void *value)
{
	const int result =
		value && attribute > 0 && attribute < ATTRIBUTE_LAST ? node_is(n, TASK_KERNEL) : CU_INVALID_VALUE;

	if (result)
		return result;
	memset(value, 0, ATTRIBUTE_BYTES);
	if (attribute == ATTRIBUTE_COOPERATIVE)
		*(int *)value = n->task.kernel.launch.cooperative;
	else if (attribute == ATTRIBUTE_CLUSTER)
		memcpy(value, n->task.kernel.launch.cluster, sizeof n->task.kernel.launch.cluster);
	else if (attribute == ATTRIBUTE_UPDATABLE)
		return n->updatable ? (*(int *)value = 1, node_make_updatable(n, value)) : CU_OK;
	else if (n->attributes)
		memcpy(value, kept_attribute(n, attribute), ATTRIBUTE_BYTES);
	return CU_OK;
}

int drv_cuGraphKernelNodeSetAttribute(struct cu_node *n, int attribute, const void *value)
{
	const int result =
		value && attribute > 0 && attribute < ATTRIBUTE_LAST ? node_is(n, TASK_KERNEL) : CU_INVALID_VALUE;

	if (result)
		return result;
	/* The one attribute that gives something back. */
	if (attribute == ATTRIBUTE_UPDATABLE)
		return node_make_updatable(n, (void *)(uintptr_t)value);
	if (attribute == ATTRIBUTE_COOPERATIVE)
		n->task.kernel.launch.cooperative = *(const int *)value;
	else if (attribute == ATTRIBUTE_CLUSTER)
		memcpy(n->task.kernel.launch.cluster, value, sizeof n->task.kernel.launch.cluster);
	else if (n->attributes || (n->attributes = calloc(ATTRIBUTE_LAST, ATTRIBUTE_BYTES)))
		memcpy(kept_attribute(n, attribute), value, ATTRIBUTE_BYTES);
	else
		return CU_OUT_OF_MEMORY;
	return CU_OK;
}

int drv_cuGraphKernelNodeCopyAttributes(struct cu_node *to, struct cu_node *from)
{
	int result = node_is(to, TASK_KERNEL);

	if (!result)
		result = node_is(from, TASK_KERNEL);
	if (result)
		return result;
	if (to->updatable || from->updatable)
		return CU_INVALID_VALUE;
	to->task.kernel.launch.cooperative = from->task.kernel.launch.cooperative;
	memcpy(to->task.kernel.launch.cluster, from->task.kernel.launch.cluster, sizeof to->task.kernel.launch.cluster);
	return node_copy_attributes(to, from) ? CU_OK : CU_OUT_OF_MEMORY;
}

/* --- Kernels as older programs describe them --------------------------------------------------------------- */

/* CUDA_KERNEL_NODE_PARAMS before CUDA 12: without kernel and context.
 * The older struct is the beginning of the newer. */
static struct cu_kernel_node of_old(const struct cu_kernel_node *old)
{
	struct cu_kernel_node n = {.function = NULL};

	memcpy(&n, old, offsetof(struct cu_kernel_node, kernel));
	return n;
}

int drv_cuGraphAddKernelNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
			     const struct cu_kernel_node *node)
{
	if (!node)
		return CU_INVALID_VALUE;
	const struct cu_kernel_node n = of_old(node);
	return drv_cuGraphAddKernelNode_v2(made, g, needs, count, &n);
}
int drv_cuGraphKernelNodeSetParams(struct cu_node *node, const struct cu_kernel_node *params)
{
	if (!params)
		return CU_INVALID_VALUE;
	const struct cu_kernel_node n = of_old(params);
	return drv_cuGraphKernelNodeSetParams_v2(node, &n);
}
int drv_cuGraphExecKernelNodeSetParams(struct cu_exec *x, struct cu_node *node, const struct cu_kernel_node *params)
{
	if (!params)
		return CU_INVALID_VALUE;
	const struct cu_kernel_node n = of_old(params);
	return drv_cuGraphExecKernelNodeSetParams_v2(x, node, &n);
}
int drv_cuGraphKernelNodeGetParams(struct cu_node *node, struct cu_kernel_node *params)
{
	struct cu_kernel_node n;
	const int result = params ? drv_cuGraphKernelNodeGetParams_v2(node, &n) : CU_INVALID_VALUE;

	if (!result)
		memcpy(params, &n, offsetof(struct cu_kernel_node, kernel));
	return result;
}

/* --- Events --------------------------------------------------------------------------------------------------- */

static int get_event(struct cu_node *n, struct cu_event **to, enum task_kind kind)
{
	const int result = to ? node_is(n, kind) : CU_INVALID_VALUE;

	if (!result)
		*to = n->task.event;
	return result;
}
static int set_event(struct cu_node *n, struct cu_event *e, enum task_kind kind)
{
	const int result = n ? node_is(n, kind) : CU_INVALID_VALUE;

	if (result)
		return result;
	if (!handle_is(e, HANDLE_EVENT))
		return CU_INVALID_HANDLE;
	n->task.event = e;
	return CU_OK;
}
int drv_cuGraphEventRecordNodeGetEvent(struct cu_node *n, struct cu_event **e) { return get_event(n, e, TASK_RECORD); }
int drv_cuGraphEventRecordNodeSetEvent(struct cu_node *n, struct cu_event *e) { return set_event(n, e, TASK_RECORD); }
int drv_cuGraphEventWaitNodeGetEvent(struct cu_node *n, struct cu_event **e) { return get_event(n, e, TASK_WAIT); }
int drv_cuGraphEventWaitNodeSetEvent(struct cu_node *n, struct cu_event *e) { return set_event(n, e, TASK_WAIT); }
int drv_cuGraphExecEventRecordNodeSetEvent(struct cu_exec *x, struct cu_node *n, struct cu_event *e)
{
	return set_event(exec_node(x, n), e, TASK_RECORD);
}
int drv_cuGraphExecEventWaitNodeSetEvent(struct cu_exec *x, struct cu_node *n, struct cu_event *e)
{
	return set_event(exec_node(x, n), e, TASK_WAIT);
}

int drv_cuGraphExecChildGraphNodeSetParams(struct cu_exec *x, struct cu_node *node, struct cu_graph *child)
{
	struct cu_node *n = exec_node(x, node);
	struct cu_graph *copy;
	int result = n ? node_is(n, TASK_CHILD) : CU_INVALID_VALUE;

	if (!result)
		result = drv_cuGraphClone(&copy, child);
	if (result)
		return result;
	drv_cuGraphDestroy(n->task.graph);
	n->task.graph = copy;
	return CU_OK;
}

/* --- Nodes of any kind ------------------------------------------------------------------------------------------- */

int drv_cuGraphAddNode_v2(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, const void *edges,
			  size_t count, struct cu_node_params *p)
{
	(void)edges;
	if (!p)
		return CU_INVALID_VALUE;
	switch (p->type) {
	case NODE_KERNEL:
		return drv_cuGraphAddKernelNode_v2(made, g, needs, count, &p->kernel);
	case NODE_MEMCPY:
		return drv_cuGraphAddMemcpyNode(made, g, needs, count, &p->memcpy.copy, NULL);
	case NODE_MEMSET:
		return drv_cuGraphAddMemsetNode(made, g, needs, count, &p->memset, NULL);
	case NODE_HOST:
		return drv_cuGraphAddHostNode(made, g, needs, count, &p->host);
	case NODE_GRAPH:
		return drv_cuGraphAddChildGraphNode(made, g, needs, count, p->graph);
	case NODE_EMPTY:
		return drv_cuGraphAddEmptyNode(made, g, needs, count);
	case NODE_WAIT:
		return drv_cuGraphAddEventWaitNode(made, g, needs, count, p->event);
	case NODE_RECORD:
		return drv_cuGraphAddEventRecordNode(made, g, needs, count, p->event);
	case NODE_ALLOCATE:
		return drv_cuGraphAddMemAllocNode(made, g, needs, count, &p->allocate);
	case NODE_FREE:
		return drv_cuGraphAddMemFreeNode(made, g, needs, count, p->address);
	case NODE_CONDITION:
		return add_conditional(made, g, needs, count, &p->conditional);
	case NODE_BATCH:
		return drv_cuGraphAddBatchMemOpNode(made, g, needs, count, &p->batch);
	default:
		return CU_NOT_SUPPORTED;
	}
}
int drv_cuGraphAddNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
		       struct cu_node_params *p)
{
	return drv_cuGraphAddNode_v2(made, g, needs, NULL, count, p);
}

static int set_params(struct cu_node *n, struct cu_node_params *p)
{
	if (!n || !p)
		return CU_INVALID_VALUE;
	switch (p->type) {
	case NODE_KERNEL:
		return node_set_kernel(n, &p->kernel);
	case NODE_MEMCPY:
		return node_set_copy(n, &p->memcpy.copy);
	case NODE_MEMSET:
		return node_set_fill(n, &p->memset);
	case NODE_HOST:
		return node_set_host(n, &p->host);
	case NODE_WAIT:
		return set_event(n, p->event, TASK_WAIT);
	case NODE_RECORD:
		return set_event(n, p->event, TASK_RECORD);
	case NODE_BATCH:
		return drv_cuGraphBatchMemOpNodeSetParams(n, &p->batch);
	default:
		return CU_NOT_SUPPORTED;
	}
}
int drv_cuGraphNodeSetParams(struct cu_node *n, struct cu_node_params *p)
{
	return handle_is(n, HANDLE_NODE) ? set_params(n, p) : CU_INVALID_HANDLE;
}
int drv_cuGraphExecNodeSetParams(struct cu_exec *x, struct cu_node *n, struct cu_node_params *p)
{
	return set_params(exec_node(x, n), p);
}

/* --- Objects that a graph keeps alive -------------------------------------------------------------------------------- */

/* An object of the program's, whose destructor is called when nobody uses it any more. */
struct cu_user_object {
	void *object;
	cu_host_fn *destroy;
	u32 users;
};

int drv_cuUserObjectCreate(struct cu_user_object **to, void *object, cu_host_fn *destroy, u32 users, u32 flags)
{
	if (!to || !destroy || !users || flags != 1)
		return CU_INVALID_VALUE;
	struct cu_user_object *o = calloc(1, sizeof *o);
	if (!o || !handle_add(o, HANDLE_USER_OBJECT)) {
		free(o);
		return CU_OUT_OF_MEMORY;
	}
	*o = (struct cu_user_object){object, destroy, users};
	*to = o;
	return CU_OK;
}

int drv_cuUserObjectRetain(struct cu_user_object *o, u32 count)
{
	if (!handle_is(o, HANDLE_USER_OBJECT) || !count)
		return CU_INVALID_VALUE;
	o->users += count;
	return CU_OK;
}

int drv_cuUserObjectRelease(struct cu_user_object *o, u32 count)
{
	if (!handle_is(o, HANDLE_USER_OBJECT) || !count || count > o->users)
		return CU_INVALID_VALUE;
	o->users -= count;
	if (o->users)
		return CU_OK;
	handle_drop(o);
	driver_leave();
	o->destroy(o->object);
	driver_return();
	free(o);
	return CU_OK;
}

/* With MOVE the graph takes over uses that the program has. */
int drv_cuGraphRetainUserObject(struct cu_graph *g, struct cu_user_object *o, u32 count, u32 flags)
{
	enum { MOVE = 1 };

	if (!handle_is(g, HANDLE_GRAPH) || flags & ~(u32)MOVE || !count)
		return CU_INVALID_VALUE;
	if (!handle_is(o, HANDLE_USER_OBJECT))
		return CU_INVALID_VALUE;
	struct kept_object *k = malloc(sizeof *k);
	if (!k)
		return CU_OUT_OF_MEMORY;
	*k = (struct kept_object){g->kept, o, count};
	g->kept = k;
	return flags & MOVE ? CU_OK : drv_cuUserObjectRetain(o, count);
}

int drv_cuGraphReleaseUserObject(struct cu_graph *g, struct cu_user_object *o, u32 count)
{
	if (!handle_is(g, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	for (struct kept_object *k = g->kept; k; k = k->next)
		if (k->object == o && k->count >= count) {
			k->count -= count;
			return drv_cuUserObjectRelease(o, count);
		}
	return CU_INVALID_VALUE;
}

void graph_let_go_of_objects(struct cu_graph *g)
{
	while (g->kept) {
		struct kept_object *k = g->kept;
		g->kept = k->next;
		if (k->count)
			drv_cuUserObjectRelease(k->object, k->count);
		free(k);
	}
}
