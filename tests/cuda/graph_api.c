/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's graphs, pools and virtual memory without any toolkit, beyond what tests/cuda/driver_api.c has: nodes of every
 * kind by the generic calls, conditionals, what a graph keeps alive, attributes, captures that are led on by hand; and
 * ptx_run, through which tinygrad runs. Linked with the libraries as a program would be.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cuda/linked.h"
#include "tests/unit/main.h"

int ptx_run(char *ptx, int n, void **args, int bx, int by, int bz, int gx, int gy, int gz, int shared);

enum { INVALID_VALUE = 1, INVALID_DEVICE = 101, INVALID_HANDLE = 400, ILLEGAL_STATE = 401, NOT_SUPPORTED = 801 };
enum { GRANULE = 2 << 20 };

/* add: p[tid] += n. down: lowers the word at p by one, p[1] counts. */
static char TEXT[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
		     ".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
		     "	.reg .b32 %t, %n; .reg .b64 %a;\n"
		     "	ld.param.u64 %a, [p]; ld.param.u32 %n, [n];\n"
		     "	mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 4, %a;\n"
		     "	ld.global.u32 %t, [%a]; add.u32 %t, %t, %n; st.global.u32 [%a], %t; ret;\n}\n"
		     ".visible .entry down(.param .u64 p, .param .u64 count)\n{\n"
		     "	.reg .b32 %t; .reg .b64 %a, %c;\n"
		     "	ld.param.u64 %a, [p]; ld.param.u64 %c, [count];\n"
		     "	ld.global.u32 %t, [%a]; sub.u32 %t, %t, 1; st.global.u32 [%a], %t;\n"
		     "	ld.global.u32 %t, [%c]; add.u32 %t, %t, 1; st.global.u32 [%c], %t; ret;\n}\n";

struct fixture {
	struct cu_context *context;
	struct cu_module *module;
	struct cu_function *add, *down;
	struct cu_graph *graph;
	u64 at; /* 64 words of 0 */
};

static struct fixture begin(void)
{
	struct fixture f;

	f.context = use_device();
	OK(cuModuleLoadData(&f.module, TEXT));
	OK(cuModuleGetFunction(&f.add, f.module, "add"));
	OK(cuModuleGetFunction(&f.down, f.module, "down"));
	OK(cuGraphCreate(&f.graph, 0));
	OK(cuMemAlloc_v2(&f.at, 256));
	OK(cuMemsetD32_v2(f.at, 0, 64));
	return f;
}

static u32 word(u64 at)
{
	u32 value;

	OK(cuMemcpyDtoH_v2(&value, at, sizeof value));
	return value;
}

static struct cu_node_params kernel_node(struct cu_function *f, void **args)
{
	return (struct cu_node_params){
		.type = NODE_KERNEL, .kernel = {.function = f, .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = args}};
}

static void launch(struct cu_exec *x)
{
	OK(cuGraphLaunch(x, NULL));
	OK(cuCtxSynchronize());
}

static void run_graph(struct cu_graph *g)
{
	struct cu_exec *x;

	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	launch(x);
	OK(cuGraphExecDestroy(x));
}

/* --- Nodes ------------------------------------------------------------------------------------------ */

static void count_up(void *data) { ++*(int *)data; }

START_TEST(nodes_of_every_kind_by_one_call)
{
	struct fixture f = begin();
	struct cu_node *kernel, *fill, *host, *empty, *child, *copy;
	struct cu_graph *inner;
	struct cu_exec *x;
	u32 n = 5, out = 0;
	int called = 0;
	u64 third = f.at + 8;
	void *args[] = {&f.at, &n}, *args_3[] = {&third, &n};
	struct cu_node_params p = {.type = NODE_MEMSET,
				   .memset = {.at = f.at, .value = 7, .element_bytes = 4, .width = 2, .height = 1}};

	OK(cuGraphAddNode(&fill, f.graph, NULL, 0, &p));
	p = kernel_node(f.add, args);
	OK(cuGraphAddNode_v2(&kernel, f.graph, &fill, NULL, 1, &p));
	p = (struct cu_node_params){.type = NODE_HOST, .host = {count_up, &called}};
	OK(cuGraphAddNode(&host, f.graph, &kernel, 1, &p));
	p = (struct cu_node_params){.type = NODE_EMPTY};
	OK(cuGraphAddNode(&empty, f.graph, &host, 1, &p));
	OK(cuGraphCreate(&inner, 0));
	p = kernel_node(f.add, args_3);
	OK(cuGraphAddNode(&copy, inner, NULL, 0, &p));
	p = (struct cu_node_params){.type = NODE_GRAPH, .graph = inner};
	OK(cuGraphAddNode(&child, f.graph, &empty, 1, &p));
	p = (struct cu_node_params){.type = NODE_MEMCPY,
				    .memcpy.copy = {.src_type = 2,
						    .src_device = f.at,
						    .dst_type = 1,
						    .dst_host = &out,
						    .width = 4,
						    .height = 1,
						    .depth = 1}};
	OK(cuGraphAddNode(&copy, f.graph, &child, 1, &p));
	p.type = 99;
	FAILS(cuGraphAddNode(&copy, f.graph, NULL, 0, &p), NOT_SUPPORTED);
	FAILS(cuGraphAddNode(&copy, f.graph, NULL, 0, NULL), INVALID_VALUE);
	OK(cuGraphInstantiateWithFlags(&x, f.graph, 0));
	launch(x);
	ck_assert_uint_eq(out, 12);
	ck_assert_int_eq(called, 1);
	ck_assert_uint_eq(word(third), 5);
	/* The executable's own copies of the nodes change, the graph's do not. */
	n = 100;
	p = kernel_node(f.add, args);
	OK(cuGraphExecNodeSetParams(x, kernel, &p));
	OK(cuGraphExecChildGraphNodeSetParams(x, child, inner));
	launch(x);
	ck_assert_uint_eq(out, 107);
	OK(cuGraphExecDestroy(x));
	out = 0;
	run_graph(f.graph);
	ck_assert_uint_eq(out, 12);
	p = (struct cu_node_params){.type = NODE_MEMSET,
				    .memset = {.at = f.at, .value = 1, .element_bytes = 4, .width = 2, .height = 1}};
	OK(cuGraphNodeSetParams(fill, &p));
	p = (struct cu_node_params){.type = NODE_HOST, .host = {count_up, &out}};
	OK(cuGraphNodeSetParams(host, &p));
	p.type = NODE_EMPTY;
	FAILS(cuGraphNodeSetParams(host, &p), NOT_SUPPORTED);
	FAILS(cuGraphNodeSetParams((struct cu_node *)&p, &p), INVALID_HANDLE);
	run_graph(f.graph);
	ck_assert_uint_eq(out, 6);
	ck_assert_int_eq(called, 3);
	OK(cuGraphDestroy(inner));
	OK(cuGraphDestroy(f.graph));
}
END_TEST

START_TEST(events_of_nodes_can_be_changed)
{
	struct fixture f = begin();
	struct cu_event *first, *second, *found;
	struct cu_node *record, *wait;
	struct cu_exec *x;
	struct cu_node_params p = {.type = NODE_RECORD};

	OK(cuEventCreate(&first, 0));
	OK(cuEventCreate(&second, 0));
	p.event = first;
	OK(cuGraphAddNode(&record, f.graph, NULL, 0, &p));
	p.type = NODE_WAIT;
	OK(cuGraphAddNode(&wait, f.graph, &record, 1, &p));
	OK(cuGraphEventRecordNodeGetEvent(record, &found));
	ck_assert_ptr_eq(found, first);
	FAILS(cuGraphEventWaitNodeGetEvent(record, &found), INVALID_VALUE);
	OK(cuGraphEventRecordNodeSetEvent(record, second));
	OK(cuGraphEventWaitNodeSetEvent(wait, second));
	OK(cuGraphEventWaitNodeGetEvent(wait, &found));
	ck_assert_ptr_eq(found, second);
	FAILS(cuGraphEventWaitNodeSetEvent(wait, (struct cu_event *)f.graph), INVALID_HANDLE);
	OK(cuGraphInstantiateWithFlags(&x, f.graph, 0));
	OK(cuGraphExecEventRecordNodeSetEvent(x, record, first));
	OK(cuGraphExecEventWaitNodeSetEvent(x, wait, first));
	FAILS(cuGraphExecEventWaitNodeSetEvent(x, record, first), INVALID_VALUE);
	launch(x);
	OK(cuEventQuery(first));
	OK(cuGraphExecDestroy(x));
	p.type = NODE_WAIT;
	p.event = first;
	OK(cuGraphNodeSetParams(wait, &p));
	p.type = NODE_RECORD;
	OK(cuGraphNodeSetParams(record, &p));
	OK(cuGraphEventRecordNodeGetEvent(record, &found));
	ck_assert_ptr_eq(found, first);
}
END_TEST

START_TEST(a_graph_has_memory_of_its_own)
{
	struct fixture f = begin();
	struct cu_node *take, *fill, *give;
	struct cu_alloc_node told;
	struct cu_node_params p = {.type = NODE_ALLOCATE,
				   .allocate = {.pool = {.type = 1, .location = {1, 0}}, .bytes = 64}};
	u64 address, used = 0;

	OK(cuGraphAddNode(&take, f.graph, NULL, 0, &p));
	ck_assert_uint_ne(p.allocate.address, 0);
	address = p.allocate.address;
	OK(cuGraphMemAllocNodeGetParams(take, &told));
	ck_assert_uint_eq(told.bytes, 64);
	ck_assert_uint_eq(told.address, address);
	p = (struct cu_node_params){
		.type = NODE_MEMSET,
		.memset = {.at = address, .value = 9, .element_bytes = 4, .width = 16, .height = 1}};
	OK(cuGraphAddNode(&fill, f.graph, &take, 1, &p));
	p = (struct cu_node_params){.type = NODE_FREE, .address = address};
	OK(cuGraphAddNode(&give, f.graph, &fill, 1, &p));
	OK(cuGraphMemFreeNodeGetParams(give, &used));
	ck_assert_uint_eq(used, address);
	FAILS(cuGraphMemFreeNodeGetParams(take, &used), INVALID_VALUE);
	OK(cuDeviceGetGraphMemAttribute(0, 0, &used));
	FAILS(cuDeviceGetGraphMemAttribute(0, 4, &used), INVALID_VALUE);
	FAILS(cuDeviceGetGraphMemAttribute(7, 0, &used), INVALID_DEVICE);
	used = 0;
	OK(cuDeviceSetGraphMemAttribute(0, 1, &used));
	FAILS(cuDeviceSetGraphMemAttribute(0, 0, &used), INVALID_VALUE);
	OK(cuDeviceGraphMemTrim(0));
	FAILS(cuDeviceGraphMemTrim(7), INVALID_DEVICE);
	run_graph(f.graph);
	OK(cuGraphDestroy(f.graph));
}
END_TEST

enum { MEMORY_USED, MEMORY_USED_HIGH, MEMORY_RESERVED, MEMORY_RESERVED_HIGH };

static u64 graph_bytes(int attribute)
{
	u64 value = 99;

	OK(cuDeviceGetGraphMemAttribute(0, attribute, &value));
	return value;
}

/* A node that allocates a granule, and, of `given`, one that frees it. */
static u64 take_granule(struct cu_graph *g, struct cu_node **behind, bool given)
{
	struct cu_node *node;
	struct cu_node_params p = {.type = NODE_ALLOCATE,
				   .allocate = {.pool = {.type = 1, .location = {1, 0}}, .bytes = GRANULE}};

	OK(cuGraphAddNode(&node, g, behind && *behind ? behind : NULL, behind && *behind, &p));
	const u64 address = p.allocate.address;
	p = (struct cu_node_params){.type = NODE_FREE, .address = address};
	if (given)
		OK(cuGraphAddNode(&node, g, &node, 1, &p));
	if (behind)
		*behind = node;
	return address;
}

static struct cu_exec *granule_graph(u64 *address, bool given)
{
	struct cu_graph *g;
	struct cu_exec *x;

	OK(cuGraphCreate(&g, 0));
	*address = take_granule(g, NULL, given);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphDestroy(g));
	return x;
}

START_TEST(graphs_of_one_stream_share_what_is_mapped)
{
	struct fixture f = begin();
	u64 address[3], zero = 0;
	struct cu_exec *x[3];
	struct cu_stream *side;

	for (int k = 0; k < 3; k++)
		x[k] = granule_graph(&address[k], true);
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 0);
	ck_assert_uint_eq(graph_bytes(MEMORY_RESERVED_HIGH), 0);
	ck_assert(address[0] != address[1] && address[1] != address[2]);
	OK(cuGraphLaunch(x[0], NULL));
	OK(cuGraphLaunch(x[0], NULL));
	OK(cuGraphUpload(x[1], NULL));
	OK(cuGraphLaunch(x[1], NULL));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), GRANULE);
	OK(cuStreamCreate(&side, 1));
	OK(cuGraphUpload(x[2], side));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 2 * GRANULE);
	OK(cuCtxSynchronize());
	for (int k = 0; k < 3; k++)
		OK(cuGraphExecDestroy(x[k]));
	/* Unmapped, but still reserved. */
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 0);
	ck_assert_uint_eq(graph_bytes(MEMORY_RESERVED), 2 * GRANULE);
	OK(cuDeviceGraphMemTrim(0));
	ck_assert_uint_eq(graph_bytes(MEMORY_RESERVED), 0);
	ck_assert_uint_eq(graph_bytes(MEMORY_USED_HIGH), 2 * GRANULE);
	OK(cuDeviceSetGraphMemAttribute(0, MEMORY_USED_HIGH, &zero));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED_HIGH), 0);
	ck_assert_uint_eq(graph_bytes(MEMORY_RESERVED_HIGH), 2 * GRANULE);
	OK(cuStreamDestroy_v2(side));
	OK(cuGraphDestroy(f.graph));
}
END_TEST

START_TEST(what_a_graph_leaves_is_the_programs_to_free)
{
	struct fixture f = begin();
	u64 address[2];
	struct cu_exec *x[2];

	for (int k = 0; k < 2; k++)
		x[k] = granule_graph(&address[k], false);
	FAILS(cuMemFree_v2(address[0]), INVALID_VALUE);
	for (int k = 0; k < 2; k++)
		OK(cuGraphLaunch(x[k], NULL));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 2 * GRANULE);
	OK(cuDeviceGraphMemTrim(0));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 2 * GRANULE);
	/* It is there already. */
	FAILS(cuGraphLaunch(x[0], NULL), INVALID_VALUE);
	OK(cuMemFree_v2(address[0]));
	FAILS(cuMemFree_v2(address[0]), INVALID_VALUE);
	launch(x[0]);
	/* It stays when the graph goes. */
	OK(cuGraphExecDestroy(x[0]));
	OK(cuMemsetD32_v2(address[0], 3, 1));
	ck_assert_uint_eq(word(address[0]), 3);
	OK(cuMemFreeAsync(address[0], NULL));
	OK(cuCtxSynchronize());
	FAILS(cuMemsetD32_v2(address[0], 3, 1), INVALID_VALUE);
	OK(cuMemFreeAsync(address[1], NULL));
	FAILS(cuMemFreeAsync(address[1], NULL), INVALID_VALUE);
	OK(cuDeviceGraphMemTrim(0));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 0);
	OK(cuGraphExecDestroy(x[1]));
	OK(cuGraphDestroy(f.graph));
}
END_TEST

START_TEST(a_graph_gives_an_address_again_behind_its_free)
{
	struct fixture f = begin();
	struct cu_node *behind = NULL;
	struct cu_exec *x;
	const u64 first = take_granule(f.graph, &behind, true);

	ck_assert_uint_eq(take_granule(f.graph, &behind, true), first);
	ck_assert_uint_ne(take_granule(f.graph, NULL, true), first);
	ck_assert_uint_eq(take_granule(f.graph, &behind, false), first);
	ck_assert_uint_ne(take_granule(f.graph, &behind, true), first);
	OK(cuGraphInstantiateWithFlags(&x, f.graph, 0));
	launch(x);
	FAILS(cuGraphLaunch(x, NULL), INVALID_VALUE);
	OK(cuMemFree_v2(first));
	launch(x);
	OK(cuGraphExecDestroy(x));
	/* With the flag the next launch frees it. */
	OK(cuGraphInstantiateWithFlags(&x, f.graph, 1));
	launch(x);
	launch(x);
	OK(cuMemFree_v2(first));
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(f.graph));
}
END_TEST

/* --- Conditionals ------------------------------------------------------------------------------------ */

/* A graph of one conditional node of so many bodies, each of which runs `down` for the condition's word and counts in word n
 * of f->at. */
static u64 add_condition(struct fixture *f, int type, u32 bodies, u32 first, u64 *counts)
{
	struct cu_node *node, *inner;
	u64 handle;

	OK(cuGraphConditionalHandleCreate(&handle, f->graph, f->context, first, 1));
	struct cu_node_params p = {.type = NODE_CONDITION,
				   .conditional = {.handle = handle, .type = type, .size = bodies}};
	OK(cuGraphAddNode(&node, f->graph, NULL, 0, &p));
	for (u32 k = 0; k < bodies; k++) {
		counts[k] = f->at + 4 * k;
		void *args[] = {&handle, &counts[k]};
		struct cu_node_params body = kernel_node(f->down, args);
		OK(cuGraphAddNode(&inner, p.conditional.bodies[k], NULL, 0, &body));
	}
	return handle;
}

START_TEST(conditions_choose_bodies)
{
	static const struct {
		int type;
		u32 bodies, first, want[3];
	} cases[] = {
		{0, 1, 1, {1}},       /* if */
		{0, 1, 0, {0}},       /* if not */
		{0, 2, 0, {0, 1}},    /* else */
		{1, 1, 5, {5}},       /* while: down to 0 */
		{1, 1, 0, {0}},       /* never */
		{2, 3, 2, {0, 0, 1}}, /* switch */
		{2, 3, 9, {0, 0, 0}}, /* of no body */
	};

	for (u32 k = 0; k < COUNT_OF(cases); k++) {
		struct fixture f = begin();
		struct cu_graph *copy;
		u64 counts[3];
		add_condition(&f, cases[k].type, cases[k].bodies, cases[k].first, counts);
		/* The word is set anew for each launch, and a copy of the graph does the same. */
		run_graph(f.graph);
		OK(cuGraphClone(&copy, f.graph));
		run_graph(copy);
		for (u32 b = 0; b < cases[k].bodies; b++)
			ck_assert_msg(word(counts[b]) == 2 * cases[k].want[b], "case %u, body %u ran %u times", k, b,
				      word(counts[b]));
		OK(cuGraphDestroy(copy));
		OK(cuGraphDestroy(f.graph));
	}
}
END_TEST

START_TEST(wrong_conditions_are_refused)
{
	struct fixture f = begin();
	struct cu_node *node;
	u64 handle;

	FAILS(cuGraphConditionalHandleCreate(&handle, f.graph, f.context, 1, 2), INVALID_VALUE);
	FAILS(cuGraphConditionalHandleCreate(&handle, (struct cu_graph *)f.context, f.context, 1, 0), INVALID_HANDLE);
	OK(cuGraphConditionalHandleCreate(&handle, f.graph, f.context, 1, 0));
	const struct cu_conditional_node wrong[] = {{.handle = handle, .type = 3, .size = 1},
						    {.handle = handle, .type = 0, .size = 0},
						    {.handle = handle, .type = 2, .size = 65},
						    {.handle = 12, .type = 0, .size = 1}};
	for (u32 k = 0; k < COUNT_OF(wrong); k++) {
		struct cu_node_params p = {.type = NODE_CONDITION, .conditional = wrong[k]};
		FAILS(cuGraphAddNode(&node, f.graph, NULL, 0, &p), INVALID_VALUE);
	}
}
END_TEST

/* --- Kernels' attributes and older structures ------------------------------------------------------- */

START_TEST(kernel_nodes_have_attributes)
{
	struct fixture f = begin();
	struct cu_node *one, *other, *empty;
	struct cu_exec *x;
	struct cu_kernel_node told;
	u32 n = 1, more = 3;
	void *args[] = {&f.at, &n}, *changed[] = {&f.at, &more};
	struct cu_node_params p = kernel_node(f.add, args);
	int value[16] = {1};

	OK(cuGraphAddKernelNode(&one, f.graph, NULL, 0, &p.kernel));
	FAILS(cuGraphAddKernelNode(&other, f.graph, NULL, 0, NULL), INVALID_VALUE);
	OK(cuGraphAddKernelNode_v2(&other, f.graph, &one, 1, &p.kernel));
	OK(cuGraphAddEmptyNode(&empty, f.graph, NULL, 0));
	OK(cuGraphKernelNodeSetAttribute(one, 2, value)); /* cooperative */
	value[0] = 0;
	OK(cuGraphKernelNodeGetAttribute(other, 2, value));
	ck_assert_int_eq(value[0], 0);
	OK(cuGraphKernelNodeCopyAttributes(other, one));
	OK(cuGraphKernelNodeGetAttribute(other, 2, value));
	ck_assert_int_eq(value[0], 1);
	value[0] = value[1] = value[2] = 1;
	OK(cuGraphKernelNodeSetAttribute(one, 4, value)); /* cluster */
	OK(cuGraphKernelNodeGetAttribute(one, 4, value));
	ck_assert_int_eq(value[2], 1);
	FAILS(cuGraphKernelNodeGetAttribute(one, 32, value), INVALID_VALUE);
	FAILS(cuGraphKernelNodeSetAttribute(empty, 2, value), INVALID_VALUE);
	FAILS(cuGraphKernelNodeCopyAttributes(one, empty), INVALID_VALUE);
	OK(cuGraphKernelNodeGetParams(one, &told));
	ck_assert_ptr_eq(told.function, f.add);
	ck_assert_uint_eq(told.block[0], 1);
	p = kernel_node(f.add, changed);
	OK(cuGraphKernelNodeSetParams(one, &p.kernel));
	OK(cuGraphInstantiateWithFlags(&x, f.graph, 0));
	launch(x);
	ck_assert_uint_eq(word(f.at), 3 + 1);
	OK(cuGraphExecKernelNodeSetParams(x, other, &p.kernel));
	launch(x);
	ck_assert_uint_eq(word(f.at), 4 + 3 + 3);
	FAILS(cuGraphKernelNodeSetParams(one, NULL), INVALID_VALUE);
	FAILS(cuGraphExecKernelNodeSetParams(x, one, NULL), INVALID_VALUE);
}
END_TEST

/* --- What a graph keeps alive ------------------------------------------------------------------------ */

START_TEST(user_objects_live_as_long_as_their_graph)
{
	struct fixture f = begin();
	struct cu_user_object *o, *moved;
	int ended = 0;

	FAILS(cuUserObjectCreate(&o, &ended, count_up, 0, 1), INVALID_VALUE);
	OK(cuUserObjectCreate(&o, &ended, count_up, 1, 1));
	OK(cuUserObjectCreate(&moved, &ended, count_up, 1, 1));
	OK(cuGraphRetainUserObject(f.graph, o, 2, 0));
	OK(cuGraphRetainUserObject(f.graph, moved, 1, 1));
	FAILS(cuGraphRetainUserObject(f.graph, o, 0, 0), INVALID_VALUE);
	OK(cuUserObjectRetain(o, 1));
	OK(cuUserObjectRelease(o, 2));
	FAILS(cuUserObjectRelease(o, 3), INVALID_VALUE);
	OK(cuGraphReleaseUserObject(f.graph, o, 1));
	FAILS(cuGraphReleaseUserObject(f.graph, o, 2), INVALID_VALUE);
	ck_assert_int_eq(ended, 0);
	OK(cuGraphDestroy(f.graph));
	ck_assert_int_eq(ended, 2);
	FAILS(cuUserObjectRetain(o, 1), INVALID_VALUE);
}
END_TEST

/* --- Captures ----------------------------------------------------------------------------------------- */

START_TEST(a_capture_is_led_on_by_hand)
{
	struct fixture f = begin();
	struct cu_stream *s, *side;
	struct cu_event *e;
	struct cu_graph *g, *told;
	struct cu_node **tips, *empty;
	int status;
	u64 id = 0, memory;
	size_t count = 9;

	OK(cuStreamCreate(&s, 1));
	OK(cuStreamCreate(&side, 1));
	OK(cuEventCreate(&e, 0));
	FAILS(cuStreamUpdateCaptureDependencies(s, NULL, 0, 1), ILLEGAL_STATE);
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuStreamGetCaptureInfo(s, &status, &id));
	ck_assert_int_eq(status, 1);
	ck_assert_uint_ne(id, 0);
	OK(cuMemAllocAsync(&memory, 64, s));
	OK(cuMemsetD32Async(memory, 4, 16, s));
	OK(cuMemcpyDtoDAsync_v2(f.at, memory, 4, s));
	OK(cuMemFreeAsync(memory, s));
	OK(cuStreamGetCaptureInfo_v2(s, &status, &id, &told, &tips, &count));
	ck_assert_uint_eq(count, 1);
	OK(cuGraphAddEmptyNode(&empty, told, tips, count));
	OK(cuStreamUpdateCaptureDependencies(s, &empty, 1, 1));
	OK(cuStreamUpdateCaptureDependencies_v2(s, &empty, NULL, 1, 0));
	FAILS(cuStreamUpdateCaptureDependencies(s, &empty, 1, 2), INVALID_VALUE);
	/* Another stream joins the capture, and comes back. */
	OK(cuEventRecord(e, s));
	OK(cuStreamWaitEvent(side, e, 0));
	OK(cuMemsetD32Async(f.at + 4, 6, 1, side));
	OK(cuEventRecord(e, side));
	OK(cuStreamWaitEvent(s, e, 0));
	OK(cuStreamEndCapture(s, &g));
	ck_assert_ptr_eq(g, told);
	run_graph(g);
	ck_assert_uint_eq(word(f.at), 4);
	ck_assert_uint_eq(word(f.at + 4), 6);
}
END_TEST

START_TEST(captures_that_part_or_meet_are_invalid)
{
	struct fixture f = begin();
	struct cu_stream *s, *side;
	struct cu_event *e;
	struct cu_graph *g = f.graph;

	OK(cuStreamCreate(&s, 1));
	OK(cuStreamCreate(&side, 1));
	OK(cuEventCreate(&e, 0));
	/* A stream that joined has not been waited for. */
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuEventRecord(e, s));
	OK(cuStreamWaitEvent(side, e, 0));
	OK(cuMemsetD32Async(f.at, 1, 1, side));
	FAILS(cuStreamEndCapture(s, &g), 904);
	ck_assert_ptr_null(g);
	/* Two captures. */
	OK(cuStreamCreate(&s, 1));
	OK(cuStreamCreate(&side, 1));
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuStreamBeginCapture_v2(side, 0));
	OK(cuEventRecord(e, s));
	FAILS(cuStreamWaitEvent(side, e, 0), 905);
	FAILS(cuStreamEndCapture(s, &g), 901);
	FAILS(cuStreamEndCapture(side, &g), 901);
}
END_TEST

START_TEST(external_events_are_nodes_of_captures)
{
	struct fixture f = begin();
	struct cu_stream *s;
	struct cu_event *e, *outside, *found;
	struct cu_graph *g;
	struct cu_node *nodes[4];
	size_t count = 4;

	OK(cuStreamCreate(&s, 1));
	OK(cuEventCreate(&e, 0));
	OK(cuEventCreate(&outside, 0));
	OK(cuEventRecord(outside, NULL));
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuStreamWaitEvent(s, outside, 1));
	OK(cuMemsetD32Async(f.at, 5, 1, s));
	OK(cuEventRecordWithFlags(e, s, 1));
	FAILS(cuEventRecordWithFlags(e, s, 2), INVALID_VALUE);
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphGetNodes(g, nodes, &count));
	ck_assert_uint_eq(count, 3);
	OK(cuGraphEventWaitNodeGetEvent(nodes[0], &found));
	ck_assert_ptr_eq(found, outside);
	OK(cuGraphEventRecordNodeGetEvent(nodes[2], &found));
	ck_assert_ptr_eq(found, e);
	run_graph(g);
	OK(cuEventSynchronize(e));
	ck_assert_uint_eq(word(f.at), 5);
}
END_TEST

START_TEST(what_may_wait_breaks_captures)
{
	struct fixture f = begin();
	struct cu_stream *s;
	struct cu_event *e;
	struct cu_graph *g = f.graph;
	int relaxed = 2;
	u64 memory;
	void *host;

	OK(cuStreamCreate(&s, 1));
	OK(cuEventCreate(&e, 0));
	OK(cuStreamBeginCapture_v2(s, 0));
	FAILS(cuMemAlloc_v2(&memory, 64), 900);
	FAILS(cuStreamEndCapture(s, &g), 901);
	OK(cuStreamBeginCapture_v2(s, 1));
	FAILS(cuMemHostAlloc(&host, 64, 0), 900);
	FAILS(cuStreamEndCapture(s, &g), 901);
	OK(cuStreamBeginCapture_v2(s, 0));
	FAILS(cuEventQuery(e), 900);
	FAILS(cuStreamEndCapture(s, &g), 901);
	/* Relaxed captures, and relaxed threads, may. */
	OK(cuStreamBeginCapture_v2(s, 2));
	OK(cuMemAlloc_v2(&memory, 64));
	OK(cuStreamEndCapture(s, &g));
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuThreadExchangeStreamCaptureMode(&relaxed));
	OK(cuMemAllocManaged(&memory, 64, 1));
	OK(cuThreadExchangeStreamCaptureMode(&relaxed));
	OK(cuStreamEndCapture(s, &g));
}
END_TEST

/* --- Pools and virtual memory ------------------------------------------------------------------------- */

START_TEST(pools_count_what_is_taken)
{
	const struct cu_pool_properties wanted = {.type = 1, .location = {1, 0}};
	struct cu_location device = {1, 0}, host = {2, 0};
	struct fixture f = begin();
	struct cu_pool *pool, *before, *found;
	u64 a, b, value;
	int flag = 0, access;

	OK(cuMemPoolCreate(&pool, &wanted));
	OK(cuDeviceGetMemPool(&before, 0));
	OK(cuMemSetMemPool(&device, 1, pool));
	OK(cuMemGetMemPool(&found, &device, 1));
	ck_assert_ptr_eq(found, pool);
	OK(cuMemGetDefaultMemPool(&found, &device, 1));
	ck_assert_ptr_eq(found, before);
	FAILS(cuMemGetMemPool(&found, &host, 1), NOT_SUPPORTED);
	FAILS(cuMemSetMemPool(&host, 1, pool), NOT_SUPPORTED);
	FAILS(cuMemGetDefaultMemPool(&found, &host, 1), NOT_SUPPORTED);
	FAILS(cuMemGetDefaultMemPool(&found, &device, 2), INVALID_VALUE);
	OK(cuMemPoolSetAttribute(pool, 1, &flag));
	flag = 5;
	OK(cuMemPoolGetAttribute(pool, 1, &flag));
	ck_assert_int_eq(flag, 0);
	OK(cuMemAllocAsync(&a, 1000, NULL));
	OK(cuMemAllocFromPoolAsync(&b, 3000, pool, NULL));
	OK(cuMemPoolGetAttribute(pool, 7, &value)); /* used */
	ck_assert_uint_eq(value, 4000);
	OK(cuMemFreeAsync(a, NULL));
	OK(cuMemFreeAsync(0, NULL));
	OK(cuMemPoolGetAttribute(pool, 7, &value));
	ck_assert_uint_eq(value, 3000);
	OK(cuMemPoolGetAttribute(pool, 8, &value)); /* the most */
	ck_assert_uint_eq(value, 4000);
	value = 0;
	OK(cuMemPoolSetAttribute(pool, 8, &value));
	OK(cuMemPoolGetAttribute(pool, 8, &value));
	ck_assert_uint_eq(value, 3000);
	value = 0;
	OK(cuMemPoolSetAttribute(pool, 6, &value));
	value = 1;
	FAILS(cuMemPoolSetAttribute(pool, 8, &value), INVALID_VALUE);
	FAILS(cuMemPoolGetAttribute(pool, 9, &value), INVALID_VALUE);
	OK(cuMemPoolGetAccess((void *)&access, pool, &device));
	ck_assert_int_eq(access, 3);
	OK(cuMemPoolGetAccess((void *)&access, pool, &host));
	ck_assert_int_eq(access, 0);
	OK(cuMemPoolSetAccess(pool, NULL, 0));
	OK(cuMemPoolTrimTo(pool, 0));
	OK(cuMemFreeAsync(b, NULL));
	FAILS(cuMemFreeAsync(b + 4, NULL), INVALID_VALUE);
	OK(cuMemPoolDestroy(pool));
	FAILS(cuMemPoolDestroy(before), INVALID_VALUE);
	OK(cuDeviceGetMemPool(&found, 0));
	ck_assert_ptr_eq(found, before);
	OK(cuMemFree_v2(f.at));
}
END_TEST

START_TEST(virtual_memory_is_mapped_where_it_is_wanted)
{
	const struct cu_allocation_properties device = {
		.type = 1, .handle_types = 1, .location = {1, 0}, .compression = 1};
	const struct cu_access both = {{1, 0}, 3}, none = {{1, 0}, 0};
	const struct cu_location here = {1, 0};
	struct cu_allocation_properties told;
	struct fixture f = begin();
	u64 at, handle, again, imported, flags;
	size_t granule;
	u32 n = 2;
	int file;

	OK(cuMemGetAllocationGranularity(&granule, &device, 0));
	ck_assert_uint_eq(granule, GRANULE);
	OK(cuMemAddressReserve(&at, 2 * GRANULE, 0, 0, 0));
	FAILS(cuMemAddressReserve(&at, 100, 0, 0, 0), INVALID_VALUE);
	OK(cuMemCreate(&handle, GRANULE, &device, 0));
	FAILS(cuMemCreate(&again, 100, &device, 0), INVALID_VALUE);
	OK(cuMemMap(at, GRANULE, 0, handle, 0));
	FAILS(cuMemMap(at, GRANULE, 0, handle, 0), INVALID_VALUE);
	/* The same memory at two addresses, the second by way of a file. */
	OK(cuMemExportToShareableHandle(&file, handle, 1, 0));
	FAILS(cuMemExportToShareableHandle(&file, handle, 2, 0), NOT_SUPPORTED);
	OK(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)file, 1));
	FAILS(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)STDERR_FILENO, 1), INVALID_VALUE);
	FAILS(cuMemImportFromShareableHandle(&again, NULL, 2), NOT_SUPPORTED);
	close(file);
	OK(cuMemMap(at + GRANULE, GRANULE, 0, imported, 0));
	OK(cuMemGetAccess(&flags, &here, at));
	ck_assert_uint_eq(flags, 0);
	OK(cuMemSetAccess(at, 2 * GRANULE, &both, 1));
	OK(cuMemGetAccess(&flags, &here, at));
	ck_assert_uint_eq(flags, 3);
	void *args[] = {&at, &n};
	OK(cuLaunchKernel(f.add, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(word(at + GRANULE), 2);
	OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)at));
	ck_assert_uint_eq(again, handle);
	OK(cuMemGetAllocationPropertiesFromHandle(&told, again));
	ck_assert_int_eq(told.location.id, 0);
	ck_assert_int_eq(told.handle_types, 1);
	ck_assert_int_eq(told.compression, 1);
	OK(cuMemRelease(again));
	OK(cuMemRelease(handle));
	OK(cuMemRelease(imported));
	OK(cuMemSetAccess(at, GRANULE, &none, 1));
	/* Whole mappings only: parts stay, and nothing goes where some of the range cannot. */
	FAILS(cuMemUnmap(at, GRANULE / 2), INVALID_VALUE);
	FAILS(cuMemUnmap(at + GRANULE / 2, GRANULE), INVALID_VALUE);
	FAILS(cuMemUnmap(at, 2 * GRANULE + 512), INVALID_VALUE);
	FAILS(cuMemUnmap(at, 0), INVALID_VALUE);
	FAILS(cuMemUnmap(at, UINT64_MAX - 4), INVALID_VALUE);
	OK(cuMemGetAccess(&flags, &here, at));
	OK(cuMemUnmap(at, 2 * GRANULE));
	FAILS(cuMemUnmap(at, GRANULE), INVALID_VALUE);
	FAILS(cuMemRelease(handle), INVALID_VALUE);
	FAILS(cuMemAddressFree(at, GRANULE), INVALID_VALUE);
	OK(cuMemAddressFree(at, 2 * GRANULE));
}
END_TEST

START_TEST(what_is_mapped_outlives_the_context)
{
	const struct cu_allocation_properties device = {.type = 1, .location = {1, 0}};
	const struct cu_access both = {{1, 0}, 3};
	struct cu_context *made;
	u64 at, handle, own;

	begin();
	OK(cuCtxCreate_v2(&made, 0, 0));
	OK(cuMemAddressReserve(&at, GRANULE, 0, 0, 0));
	OK(cuMemCreate(&handle, GRANULE, &device, 0));
	OK(cuMemMap(at, GRANULE, 0, handle, 0));
	OK(cuMemRelease(handle));
	OK(cuMemSetAccess(at, GRANULE, &both, 1));
	OK(cuMemAlloc_v2(&own, 64));
	OK(cuMemsetD32_v2(at, 7, 1));
	OK(cuCtxDestroy_v2(made));
	FAILS(cuMemFree_v2(own), INVALID_VALUE);
	ck_assert_uint_eq(word(at), 7);
	OK(cuMemUnmap(at, GRANULE));
	OK(cuMemAddressFree(at, GRANULE));
}
END_TEST

/* --- tinygrad's call -------------------------------------------------------------------------------------- */

START_TEST(ptx_run_uses_the_hosts_memory)
{
	u32 *words = calloc(64, sizeof *words);
	void *args[] = {words, (void *)7};

	ck_assert_int_eq(ptx_run(TEXT, 2, args, 64, 1, 1, 1, 1, 1, 0), 0);
	ck_assert_uint_eq(words[0], 7);
	ck_assert_uint_eq(words[63], 7);
	ck_assert_int_eq(ptx_run(TEXT, 1, args, 64, 1, 1, 1, 1, 1, 0), -1);
	ck_assert_int_eq(ptx_run(TEXT, 2, args, 0, 1, 1, 1, 1, 1, 0), -1);
	ck_assert_int_eq(ptx_run((char *)"no PTX", 2, args, 1, 1, 1, 1, 1, 1, 0), -1);
	ck_assert_int_eq(ptx_run((char *)".version 7.0\n.target sm_50\n", 0, NULL, 1, 1, 1, 1, 1, 1, 0), -1);
	args[0] = NULL;
	ck_assert_int_eq(ptx_run(TEXT, 2, args, 64, 1, 1, 1, 1, 1, 0), -1);
	free(words);
}
END_TEST

UNIT_TESTS("graph_api", 60)
{
	UNIT_TEST(nodes_of_every_kind_by_one_call);
	UNIT_TEST(events_of_nodes_can_be_changed);
	UNIT_TEST(a_graph_has_memory_of_its_own);
	UNIT_TEST(graphs_of_one_stream_share_what_is_mapped);
	UNIT_TEST(what_a_graph_leaves_is_the_programs_to_free);
	UNIT_TEST(a_graph_gives_an_address_again_behind_its_free);
	UNIT_TEST(conditions_choose_bodies);
	UNIT_TEST(wrong_conditions_are_refused);
	UNIT_TEST(kernel_nodes_have_attributes);
	UNIT_TEST(user_objects_live_as_long_as_their_graph);
	UNIT_TEST(a_capture_is_led_on_by_hand);
	UNIT_TEST(captures_that_part_or_meet_are_invalid);
	UNIT_TEST(external_events_are_nodes_of_captures);
	UNIT_TEST(what_may_wait_breaks_captures);
	UNIT_TEST(pools_count_what_is_taken);
	UNIT_TEST(virtual_memory_is_mapped_where_it_is_wanted);
	UNIT_TEST(what_is_mapped_outlives_the_context);
	UNIT_TEST(ptx_run_uses_the_hosts_memory);
}
