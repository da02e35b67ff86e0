/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's graphs without any toolkit, beyond what tests/cuda/driver_api.c has: nodes of every
 * kind by the generic calls, conditionals, what a graph keeps alive, attributes, captures that are led on by hand; and
 * ptx_run, through which tinygrad runs. Linked with the libraries as a program would be.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cuda/graph_fixture.h"
#include "tests/unit/main.h"

int ptx_run(char *ptx, int n, void **args, int bx, int by, int bz, int gx, int gy, int gz, int shared);

static struct cu_node_params kernel_node(struct cu_function *f, void **args)
{
	return (struct cu_node_params){
		.type = NODE_KERNEL, .kernel = {.function = f, .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = args}};
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

/* A stream that joins a capture and is destroyed: recorded on an H200. */
static int end_without(const struct fixture *f, int joins)
{
	struct cu_stream *s, *side;
	struct cu_event *e, *last;
	struct cu_graph *g;

	OK(cuStreamCreate(&s, 1));
	OK(cuStreamCreate(&side, 1));
	OK(cuEventCreate(&e, 0));
	OK(cuEventCreate(&last, 0));
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuEventRecord(e, s));
	OK(cuStreamWaitEvent(side, e, 0));
	OK(cuMemsetD32Async(f->at, 1, 1, side));
	OK(cuEventRecord(last, side));
	OK(cuStreamDestroy_v2(side));
	if (joins)
		OK(cuStreamWaitEvent(s, last, 0));
	OK(cuMemsetD32Async(f->at + 4, 1, 1, s));
	return cuStreamEndCapture(s, &g);
}

START_TEST(captures_outlive_streams_that_join_them)
{
	const struct fixture f = begin();

	OK(end_without(&f, 1));
	FAILS(end_without(&f, 0), 904);
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

/* Of an executable graph's nodes kernels, copies and fills can be switched off, as on an H200; no node is none of them. */
START_TEST(some_nodes_can_be_switched_off)
{
	struct fixture f = begin();
	struct cu_node *fill, *host, *empty;
	struct cu_exec *x;
	u32 enabled = 7;
	int called = 0;
	void *args[] = {&f.at, &enabled};
	const struct cu_node_params k = kernel_node(f.add, args);
	struct cu_node_params p = {.type = NODE_MEMSET,
				   .memset = {.at = f.at, .value = 7, .element_bytes = 4, .width = 2, .height = 1}};

	OK(cuGraphAddNode(&fill, f.graph, NULL, 0, &p));
	p = (struct cu_node_params){.type = NODE_HOST, .host = {count_up, &called}};
	OK(cuGraphAddNode(&host, f.graph, &fill, 1, &p));
	p = (struct cu_node_params){.type = NODE_EMPTY};
	OK(cuGraphAddNode(&empty, f.graph, &host, 1, &p));
	OK(cuGraphInstantiateWithFlags(&x, f.graph, 0));
	FAILS(cuGraphNodeSetEnabled(x, host, 0), INVALID_VALUE);
	FAILS(cuGraphNodeGetEnabled(x, host, &enabled), INVALID_VALUE);
	FAILS(cuGraphNodeSetEnabled(x, empty, 0), INVALID_VALUE);
	FAILS(cuGraphNodeSetEnabled(x, NULL, 0), INVALID_VALUE);
	FAILS(cuGraphExecKernelNodeSetParams_v2(x, NULL, &k.kernel), INVALID_VALUE);
	OK(cuGraphNodeSetEnabled(x, fill, 0));
	OK(cuGraphNodeGetEnabled(x, fill, &enabled));
	ck_assert_uint_eq(enabled, 0);
	launch(x);
	ck_assert_int_eq(called, 1);
	ck_assert_uint_eq(word(f.at), 0);
}
END_TEST

UNIT_TESTS("graph_api", 60)
{
	UNIT_TEST(some_nodes_can_be_switched_off);
	UNIT_TEST(nodes_of_every_kind_by_one_call);
	UNIT_TEST(events_of_nodes_can_be_changed);
	UNIT_TEST(conditions_choose_bodies);
	UNIT_TEST(wrong_conditions_are_refused);
	UNIT_TEST(kernel_nodes_have_attributes);
	UNIT_TEST(user_objects_live_as_long_as_their_graph);
	UNIT_TEST(a_capture_is_led_on_by_hand);
	UNIT_TEST(captures_that_part_or_meet_are_invalid);
	UNIT_TEST(captures_outlive_streams_that_join_them);
	UNIT_TEST(external_events_are_nodes_of_captures);
	UNIT_TEST(what_may_wait_breaks_captures);
	UNIT_TEST(ptx_run_uses_the_hosts_memory);
}
