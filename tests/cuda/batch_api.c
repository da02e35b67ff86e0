/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls that are many in one, and its parts of devices: batches of copies, of waits and writes (in streams, in
 * graphs and under capture), attributes that graphs keep, green contexts, notifications. Linked with the library as a
 * program would be.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/linked.h"
#include "tests/unit/main.h"

enum { INVALID_VALUE = 1, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, UNSUPPORTED_AFFINITY = 224, NOT_READY = 600 };
enum { INVALID_RESOURCE_TYPE = 914, INVALID_RESOURCES = 915 };
enum { WAIT_32 = 1, WRITE_32, WRITE_64 = 5, WAIT_EQUAL = 1 };

/* CUstreamBatchMemOpParams */
struct cu_stream_operation {
	int operation, pad;
	u64 address, value;
	u32 flags, pad_2;
	u64 alias, more;
};

static char TEXT[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
		     ".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
		     "	.reg .b32 %t, %n; .reg .b64 %a;\n"
		     "	ld.param.u64 %a, [p]; ld.param.u32 %n, [n];\n"
		     "	ld.global.u32 %t, [%a]; add.u32 %t, %t, %n; st.global.u32 [%a], %t; ret;\n}\n";

static u64 words(size_t count)
{
	u64 at;

	OK(cuMemAlloc_v2(&at, 4 * count));
	OK(cuMemsetD32_v2(at, 0, count));
	return at;
}

static u32 word(u64 at)
{
	u32 value;

	OK(cuMemcpyDtoH_v2(&value, at, sizeof value));
	return value;
}

static struct cu_function *add_kernel(void)
{
	struct cu_module *m;
	struct cu_function *f;

	OK(cuModuleLoadData(&m, TEXT));
	OK(cuModuleGetFunction(&f, m, "add"));
	return f;
}

/* --- Batches of copies ----------------------------------------------------------------------------- */

static struct cu_copy_operand pointer(const void *at, size_t row, size_t layer)
{
	return (struct cu_copy_operand){.type = 1, .pointer = {(u64)(uintptr_t)at, row, layer, {0, 0}}};
}

static struct cu_copy_operand array(struct cu_array *a, size_t x, size_t y, size_t z)
{
	return (struct cu_copy_operand){.type = 2, .array = {a, {x, y, z}}};
}

START_TEST(copies_in_batches)
{
	enum { W = 6, H = 5, D = 3 };
	u16 h[W * H * D], part[2 * 3 * 2], into[8 * 4 * 2];
	struct cu_array *a, *wide;
	struct cu_stream *s;

	use_device();
	OK(cuStreamCreate(&s, 1));
	for (u32 k = 0; k < W * H * D; k++)
		h[k] = (u16)(k * 3 + 1);
	OK(cuArray3DCreate_v2(&a, &(struct cu_array_3d){W, H, D, 2 /* unsigned, 16 bits */, 1, 0}));
	OK(cuArray3DCreate_v2(&wide, &(struct cu_array_3d){W, H, D, 2, 2, 0}));
	u64 bytes = words(64);
	/* Between pointers elements are bytes; with an array they are its own. */
	struct cu_copy_batch list[] = {
		{pointer(h, 0, 0), array(a, 0, 0, 0), W, H, D, 1, 0},
		{pointer(h, 0, 0), pointer((void *)(uintptr_t)bytes, 0, 0), 12, 1, 1, 3, 0},
	};
	OK(cuMemcpy3DBatchAsync_v2(2, list, 0, s));
	struct cu_copy_batch back[] = {
		{array(a, 1, 2, 1), pointer(part, 0, 0), 2, 3, 2, 1, 0},
		{array(a, 4, 0, 0), pointer(into, 8, 4), 2, 3, 2, 1, 0},
	};
	size_t failed = 0;
	memset(into, 0, sizeof into);
	OK(cuMemcpy3DBatchAsync(2, back, &failed, 0, s));
	OK(cuStreamSynchronize(s));
	ck_assert(failed == ~(size_t)0);
	for (u32 z = 0; z < 2; z++)
		for (u32 y = 0; y < 3; y++)
			for (u32 x = 0; x < 2; x++) {
				ck_assert_uint_eq(part[(z * 3 + y) * 2 + x], h[((z + 1) * H + y + 2) * W + x + 1]);
				ck_assert_uint_eq(into[(z * 4 + y) * 8 + x], h[(z * H + y) * W + x + 4]);
			}
	ck_assert_uint_eq(into[2], 0);
	ck_assert_uint_eq(word(bytes + 8), h[4] | (u32)h[5] << 16);
	ck_assert_uint_eq(word(bytes + 12), 0);

	struct cu_copy_batch bad = list[0];
	bad.src.type = 7;
	FAILS(cuMemcpy3DBatchAsync_v2(1, &bad, 0, s), INVALID_VALUE);
	bad = list[0], bad.width = 0;
	FAILS(cuMemcpy3DBatchAsync_v2(1, &bad, 0, s), INVALID_VALUE);
	bad = list[0], bad.dst.array.at[0] = 1;
	FAILS(cuMemcpy3DBatchAsync_v2(1, &bad, 0, s), INVALID_VALUE);
	bad = list[0], bad.order = 0;
	FAILS(cuMemcpy3DBatchAsync_v2(1, &bad, 0, s), INVALID_VALUE);
	bad = list[0], bad.dst.array.array = (struct cu_array *)&bad;
	FAILS(cuMemcpy3DBatchAsync_v2(1, &bad, 0, s), INVALID_VALUE);
	bad = (struct cu_copy_batch){array(a, 0, 0, 0), array(wide, 0, 0, 0), 2, 2, 1, 1, 0};
	FAILS(cuMemcpy3DBatchAsync_v2(1, &bad, 0, s), INVALID_VALUE);
	FAILS(cuMemcpy3DBatchAsync_v2(0, list, 0, s), INVALID_VALUE);
	OK(cuStreamDestroy_v2(s));
	OK(cuArrayDestroy(a));
	OK(cuArrayDestroy(wide));
}
END_TEST

/* --- Waits and writes in graphs --------------------------------------------------------------------- */

START_TEST(waits_and_writes_are_a_node)
{
	struct cu_stream_operation list[2] = {{.operation = WRITE_32, .value = 7}, {.operation = WRITE_64, .value = 9}};
	struct cu_batch_node node = {NULL, 2, list, 0}, got;
	struct cu_graph *g;
	struct cu_node *n;
	struct cu_exec *x;
	int type;

	use_device();
	const u64 at = words(8);
	list[0].address = at, list[1].address = at + 8;
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &node));
	OK(cuGraphNodeGetType(n, &type));
	ck_assert_int_eq(type, NODE_BATCH);
	list[0].value = 1000; /* the node has a list of its own */
	OK(cuGraphBatchMemOpNodeGetParams(n, &got));
	ck_assert_uint_eq(got.count, 2);
	ck_assert_uint_eq(got.list[0].value, 7);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, NULL));
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(word(at), 7);
	ck_assert_uint_eq(word(at + 8), 9);

	list[0].value = 11, node.count = 1;
	OK(cuGraphExecBatchMemOpNodeSetParams(x, n, &node));
	OK(cuMemsetD32_v2(at, 0, 8));
	OK(cuGraphLaunch(x, NULL));
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(word(at), 11);
	ck_assert_uint_eq(word(at + 8), 0);
	OK(cuGraphBatchMemOpNodeSetParams(n, &node));
	OK(cuGraphBatchMemOpNodeGetParams(n, &got));
	ck_assert_uint_eq(got.count, 1);

	list[0].operation = 77;
	FAILS(cuGraphBatchMemOpNodeSetParams(n, &node), INVALID_VALUE);
	node.count = 0;
	FAILS(cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &node), INVALID_VALUE);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
}
END_TEST

/* A wait that is captured waits when the graph is launched, not while it is captured. */
START_TEST(waits_and_writes_are_captured)
{
	struct cu_stream_operation list[] = {{.operation = WAIT_32, .value = 5, .flags = WAIT_EQUAL},
					     {.operation = WRITE_32, .value = 6}};
	struct cu_graph *g;
	struct cu_exec *x;
	struct cu_stream *s;
	size_t count;
	void *host;

	use_device();
	OK(cuMemHostAlloc(&host, 64, 0));
	memset(host, 0, 64);
	const u64 at = (u64)(uintptr_t)host;
	list[0].address = at, list[1].address = at + 4;
	OK(cuStreamCreate(&s, 1));
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuStreamBatchMemOp_v2(s, 2, list, 0));
	OK(cuStreamWaitValue32_v2(s, at + 8, 3, WAIT_EQUAL));
	OK(cuStreamWriteValue32_v2(s, at + 12, 8, 0));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphGetNodes(g, NULL, &count));
	ck_assert_uint_eq(count, 3);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	FAILS(cuStreamQuery(s), NOT_READY);
	volatile u32 *value = host;
	ck_assert_uint_eq(value[1], 0);
	value[0] = 5;
	while (value[1] != 6)
		(void)cuStreamQuery(s);
	ck_assert_uint_eq(value[3], 0);
	value[2] = 3;
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(value[3], 8);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
}
END_TEST

/* --- What graphs keep ----------------------------------------------------------------------------------- */

START_TEST(graphs_keep_flags_and_attributes)
{
	enum { PRIORITY = 8, USE_PRIORITY = 8, AUTO_FREE = 1 };
	struct {
		u64 flags;
		void *stream, *node;
		int result;
	} params = {.flags = USE_PRIORITY | AUTO_FREE};
	int value[16] = {-3}, got[16];
	struct cu_graph *g, *clone;
	struct cu_node *n, *second, *copy;
	struct cu_exec *x;
	u32 one = 1;
	u64 flags;

	use_device();
	u64 at = words(1);
	struct cu_kernel_node k = {
		.function = add_kernel(), .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = (void *[]){&at, &one}};
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddKernelNode_v2(&n, g, NULL, 0, &k));
	OK(cuGraphAddKernelNode_v2(&second, g, &n, 1, &k));
	OK(cuGraphKernelNodeSetAttribute(n, PRIORITY, value));
	OK(cuGraphKernelNodeCopyAttributes(second, n));
	OK(cuGraphKernelNodeGetAttribute(second, PRIORITY, got));
	ck_assert_int_eq(got[0], -3);
	OK(cuGraphClone(&clone, g));
	OK(cuGraphNodeFindInClone(&copy, n, clone));
	OK(cuGraphKernelNodeGetAttribute(copy, PRIORITY, got));
	ck_assert_int_eq(got[0], -3);
	OK(cuGraphInstantiateWithParams(&x, g, (int *)&params));
	ck_assert_int_eq(params.result, 0);
	OK(cuGraphExecGetFlags(x, &flags));
	ck_assert_uint_eq(flags, USE_PRIORITY | AUTO_FREE);
	OK(cuGraphLaunch(x, NULL));
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(word(at), 2);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
	OK(cuGraphDestroy(clone));
}
END_TEST

/* --- Green contexts --------------------------------------------------------------------------------------- */

START_TEST(a_device_is_split)
{
	enum { SMS = 132, SM = 1, FINE = 1 };
	struct cu_resource_part whole, groups[16], rest;
	struct cu_resources *r;
	u32 count = 0;

	use_device();
	OK(cuDeviceGetDevResource(0, &whole, SM));
	ck_assert_uint_eq(whole.sms, SMS);
	ck_assert_uint_eq(whole.least, 8);
	ck_assert_uint_eq(whole.alignment, 8);
	FAILS(cuDeviceGetDevResource(0, &whole, 2), INVALID_RESOURCE_TYPE);
	FAILS(cuDeviceGetDevResource(9, &whole, SM), INVALID_DEVICE);
	/* How many there would be, and some of them. */
	OK(cuDevSmResourceSplitByCount(NULL, &count, &whole, NULL, 0, 10));
	ck_assert_uint_eq(count, SMS / 16);
	count = 2;
	OK(cuDevSmResourceSplitByCount(groups, &count, &whole, &rest, 0, 10));
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(groups[1].sms, 16);
	ck_assert_uint_eq(rest.sms, SMS - 32);
	OK(cuDevResourceGenerateDesc(&r, groups, 2));
	count = 16;
	OK(cuDevSmResourceSplitByCount(groups + 1, &count, &whole, &rest, FINE, 66));
	ck_assert_uint_eq(count, 2);
	ck_assert_int_eq(rest.type, 0);
	FAILS(cuDevResourceGenerateDesc(&r, groups, 2), INVALID_RESOURCES);
	FAILS(cuDevResourceGenerateDesc(&r, &rest, 1), INVALID_RESOURCE_TYPE);
	FAILS(cuDevSmResourceSplitByCount(groups + 4, &count, groups, NULL, 0, 8), INVALID_RESOURCES);
	FAILS(cuDevSmResourceSplitByCount(groups, &count, &whole, NULL, 0, SMS + 1), INVALID_RESOURCES);
	FAILS(cuDevSmResourceSplitByCount(groups, NULL, &whole, NULL, 0, 8), INVALID_VALUE);
	FAILS(cuCtxGetExecAffinity(&rest, 0), UNSUPPORTED_AFFINITY);
}
END_TEST

START_TEST(green_contexts_have_streams)
{
	struct cu_context *c = use_device(), *made;
	struct cu_function *f = add_kernel();
	struct cu_resource_part whole, groups[2], part;
	struct cu_resources *r;
	struct cu_green *green, *of;
	struct cu_stream *s, *t;
	struct cu_event *e;
	u32 count = 2, one = 1;
	u64 at = words(1), id = 0;

	OK(cuDeviceGetDevResource(0, &whole, 1));
	OK(cuDevSmResourceSplitByCount(groups, &count, &whole, NULL, 0, 8));
	OK(cuDevResourceGenerateDesc(&r, groups, 1));
	FAILS(cuGreenCtxCreate(&green, r, 0, 0), INVALID_VALUE);
	OK(cuGreenCtxCreate(&green, r, 0, 1));
	OK(cuGreenCtxGetDevResource(green, &part, 1));
	ck_assert_uint_eq(part.sms, 8);
	OK(cuCtxFromGreenCtx(&made, green));
	ck_assert_ptr_eq(made, c);
	OK(cuGreenCtxGetId(green, &id));
	ck_assert_uint_ne(id, 0);
	FAILS(cuGreenCtxStreamCreate(&s, green, 0, 0), INVALID_VALUE);
	OK(cuGreenCtxStreamCreate(&s, green, 1, 0));
	OK(cuGreenCtxStreamCreate(&t, green, 1, -2));
	OK(cuStreamGetGreenCtx(s, &of));
	ck_assert_ptr_eq(of, green);
	OK(cuStreamGetCtx_v2(s, &made, &of));
	ck_assert_ptr_eq(made, c);
	ck_assert_ptr_eq(of, green);
	OK(cuStreamGetGreenCtx(NULL, &of));
	ck_assert_ptr_null(of);
	for (u32 k = 0; k < 10; k++)
		OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, k & 1 ? s : t, (void *[]){&at, &one}, NULL));
	OK(cuEventCreate(&e, 0));
	OK(cuGreenCtxRecordEvent(green, e));
	OK(cuGreenCtxWaitEvent(green, e));
	OK(cuEventSynchronize(e));
	ck_assert_uint_le(word(at), 10); /* two streams race */
	OK(cuStreamSynchronize(s));
	OK(cuStreamDestroy_v2(s));
	OK(cuStreamDestroy_v2(t));
	OK(cuGreenCtxDestroy(green));
	FAILS(cuGreenCtxDestroy(green), INVALID_CONTEXT);
	FAILS(cuGreenCtxGetId(green, &id), INVALID_CONTEXT);
}
END_TEST

/* An event of a green context is done when its streams' work is. */
START_TEST(events_of_green_contexts_are_of_all_streams)
{
	struct cu_resource_part whole;
	struct cu_resources *r;
	struct cu_green *green;
	struct cu_stream *s;
	struct cu_event *e;
	void *host;

	use_device();
	OK(cuMemHostAlloc(&host, 64, 0));
	memset(host, 0, 64);
	OK(cuDeviceGetDevResource(0, &whole, 1));
	OK(cuDevResourceGenerateDesc(&r, &whole, 1));
	OK(cuGreenCtxCreate(&green, r, 0, 1));
	OK(cuGreenCtxStreamCreate(&s, green, 1, 0));
	OK(cuStreamWaitValue32_v2(s, (u64)(uintptr_t)host, 1, WAIT_EQUAL));
	OK(cuEventCreate(&e, 0));
	OK(cuGreenCtxRecordEvent(green, e));
	FAILS(cuEventQuery(e), NOT_READY);
	*(volatile u32 *)host = 1;
	OK(cuEventSynchronize(e));
	OK(cuStreamDestroy_v2(s));
	OK(cuGreenCtxDestroy(green));
}
END_TEST

/* What was captured from stays whole, whatever a program does to the graph meanwhile. */
START_TEST(graphs_are_destroyed_under_capture)
{
	enum { ILLEGAL_STATE = 401, INVALIDATED = 901 };
	struct cu_function *f;
	struct cu_graph *g, *other, *made;
	struct cu_node *n, *foreign;
	struct cu_node **tips;
	struct cu_stream *s;
	struct cu_exec *x;
	u32 one = 1;
	size_t count;
	int status;

	use_device();
	f = add_kernel();
	u64 at = words(1);
	void *args[] = {&at, &one};
	OK(cuStreamCreate(&s, 1));
	/* The node that the next one would need. */
	OK(cuStreamBeginCapture_v2(s, 2));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, NULL));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, NULL));
	OK(cuStreamGetCaptureInfo_v2(s, &status, NULL, &g, &tips, &count));
	ck_assert_uint_eq(count, 1);
	OK(cuGraphDestroyNode(tips[0]));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, NULL));
	OK(cuStreamEndCapture(s, &made));
	ck_assert_ptr_eq(made, g);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(word(at), 2);
	OK(cuGraphExecDestroy(x));
	/* The graph itself. */
	OK(cuStreamBeginCapture_v2(s, 2));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, NULL));
	OK(cuStreamGetCaptureInfo_v2(s, &status, NULL, &made, NULL, NULL));
	OK(cuGraphDestroy(made));
	FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, NULL), INVALIDATED);
	FAILS(cuStreamEndCapture(s, &made), INVALIDATED);
	FAILS(cuStreamEndCapture(s, &made), ILLEGAL_STATE);
	/* Nodes of another graph are not needed by this one's. */
	struct cu_kernel_node k = {.function = f, .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = args};
	OK(cuGraphCreate(&other, 0));
	OK(cuGraphAddKernelNode_v2(&foreign, other, NULL, 0, &k));
	OK(cuGraphAddKernelNode_v2(&n, g, NULL, 0, &k));
	FAILS(cuGraphAddDependencies(g, &foreign, &n, 1), INVALID_VALUE);
	FAILS(cuGraphAddDependencies(g, &n, &foreign, 1), INVALID_VALUE);
	FAILS(cuStreamBeginCaptureToGraph(s, g, &foreign, NULL, 1, 2), INVALID_VALUE);
	FAILS(cuStreamBeginCaptureToGraph(s, g, NULL, NULL, 3, 2), INVALID_VALUE);
	OK(cuGraphDestroy(g));
	OK(cuGraphDestroy(other));
	OK(cuStreamDestroy_v2(s));
}
END_TEST

/* --- Several devices ------------------------------------------------------------------------------------- */

static char ASKING[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
		       ".extern .func (.param .b32 r) __cudaCDP2GetDevice(.param .b64 a);\n"
		       ".extern .func (.param .b32 r) __cudaCDP2GetDeviceCount(.param .b64 a);\n"
		       ".visible .entry ask(.param .u64 o)\n{\n"
		       "	.reg .b64 %a;\n	ld.param.u64 %a, [o];\n"
		       "	{ .param .b32 r; .param .b64 p; st.param.b64 [p], %a;\n"
		       "	call.uni (r), __cudaCDP2GetDevice, (p); }\n	add.u64 %a, %a, 4;\n"
		       "	{ .param .b32 r; .param .b64 p; st.param.b64 [p], %a;\n"
		       "	call.uni (r), __cudaCDP2GetDeviceCount, (p); }\n	ret;\n}\n";

START_TEST(kernels_know_their_device)
{
	struct cu_module *m;
	struct cu_function *f;
	struct cu_context *c;

	setenv("PTXSIM_DEVICES", "h200,h200,h200", 1);
	OK(cuInit(0));
	for (u32 k = 0; k < 3; k++) {
		OK(cuDevicePrimaryCtxRetain(&c, (int)k));
		OK(cuCtxSetCurrent(c));
		OK(cuModuleLoadData(&m, ASKING));
		OK(cuModuleGetFunction(&f, m, "ask"));
		u64 at = words(2);
		OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&at}, NULL));
		ck_assert_uint_eq(word(at), k);
		ck_assert_uint_eq(word(at + 4), 3);
	}
}
END_TEST

static void never(void *data) { *(int *)data = 1; }

/* --- Graphs that kernels launch ----------------------------------------------------------------------------- */

/* note: appends its number to the words at p, whose first is their count. ask: launches a graph, and keeps the result
 * at e; then appends 9. again: puts its own graph behind itself until five words are there. */
static const char LAUNCHING[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".extern .func (.param .b32 r) cudaGraphLaunch(.param .b64 g, .param .b64 s);\n"
	".visible .entry note(.param .u64 p, .param .u32 n)\n{\n"
	"	.reg .b32 %c, %n; .reg .b64 %p, %a;\n"
	"	ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; atom.global.add.u32 %c, [%p], 1;\n"
	"	mad.wide.u32 %a, %c, 4, %p; st.global.u32 [%a+4], %n; ret;\n}\n"
	".visible .entry ask(.param .u64 p, .param .u64 e, .param .u64 g, .param .u64 s)\n{\n"
	"	.reg .b32 %c, %r; .reg .b64 %p, %a, %g, %s, %e;\n"
	"	ld.param.u64 %p, [p]; ld.param.u64 %e, [e]; ld.param.u64 %g, [g]; ld.param.u64 %s, [s];\n"
	"	{ .param .b32 r; .param .b64 q; .param .b64 t; st.param.b64 [q], %g; st.param.b64 [t], %s;\n"
	"	call.uni (r), cudaGraphLaunch, (q, t); ld.param.b32 %r, [r]; }\n"
	"	st.global.u32 [%e], %r; atom.global.add.u32 %c, [%p], 1;\n"
	"	mad.wide.u32 %a, %c, 4, %p; st.global.u32 [%a+4], 9; ret;\n}\n"
	".visible .entry again(.param .u64 p)\n{\n"
	"	.reg .b32 %c, %r; .reg .b64 %p, %g, %s; .reg .pred %q;\n"
	"	ld.param.u64 %p, [p]; atom.global.add.u32 %c, [%p], 1; setp.ge.u32 %q, %c, 20000; @%q bra done;\n"
	"	mov.u64 %g, %current_graph_exec; mov.u64 %s, 0x0100000000000000;\n"
	"	{ .param .b32 r; .param .b64 a; .param .b64 b; st.param.b64 [a], %g; st.param.b64 [b], %s;\n"
	"	call.uni (r), cudaGraphLaunch, (a, b); ld.param.b32 %r, [r]; }\n"
	"	st.global.u32 [%p+4], %r;\n"
	"done: ret;\n}\n";

static struct cu_exec *graph_of(const struct cu_kernel_node *kernels, u32 count, u64 flags)
{
	struct cu_graph *g;
	struct cu_node *n = NULL;
	struct cu_exec *x;

	OK(cuGraphCreate(&g, 0));
	for (u32 k = 0; k < count; k++)
		OK(cuGraphAddKernelNode_v2(&n, g, &n, k ? 1 : 0, &kernels[k]));
	OK(cuGraphInstantiateWithFlags(&x, g, flags));
	OK(cuGraphDestroy(g));
	return x;
}

static struct cu_kernel_node one_thread(struct cu_function *f, void **params)
{
	return (struct cu_kernel_node){.function = f, .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params};
}

/* A graph of an asking kernel and one that notes 2, which launches a graph that notes 1, in that stream. */
static u64 ask(struct cu_function *asking, struct cu_function *note, u64 flags, u64 stream, u64 order[4])
{
	const u64 at = words(8), result = words(1);
	u32 one = 1, two = 2;
	void *noted[] = {(void *)(uintptr_t)&at, &one}, *second[] = {(void *)(uintptr_t)&at, &two};
	const struct cu_kernel_node inner = one_thread(note, noted);
	const struct cu_exec *x = graph_of(&inner, 1, flags);
	void *asked[] = {(void *)(uintptr_t)&at, (void *)(uintptr_t)&result, (void *)&x, &stream};
	const struct cu_kernel_node outer[] = {one_thread(asking, asked), one_thread(note, second)};
	struct cu_exec *by = graph_of(outer, 2, 0);

	for (u32 round = 0; round < 2; round++) {
		OK(cuMemsetD32_v2(at, 0, 8));
		OK(cuGraphLaunch(by, NULL));
		OK(cuCtxSynchronize());
	}
	for (u32 k = 0; k < 4; k++)
		order[k] = word(at + 4 * k);
	OK(cuGraphExecDestroy(by));
	OK(cuGraphExecDestroy((struct cu_exec *)(uintptr_t)x));
	return word(result);
}

START_TEST(kernels_launch_graphs)
{
	enum { DEVICE_LAUNCH = 4 };
	const u64 tail = 1ull << 56, fire = 2ull << 56, sibling = 3ull << 56;
	struct cu_module *m;
	struct cu_function *note, *asking, *again;
	u64 order[4];

	use_device();
	OK(cuModuleLoadData(&m, LAUNCHING));
	OK(cuModuleGetFunction(&note, m, "note"));
	OK(cuModuleGetFunction(&asking, m, "ask"));
	OK(cuModuleGetFunction(&again, m, "again"));
	/* At once, or when the whole graph has ended. */
	ck_assert_uint_eq(ask(asking, note, DEVICE_LAUNCH, fire, order), 0);
	ck_assert(order[0] == 3 && order[1] == 9 && order[2] == 1 && order[3] == 2);
	ck_assert_uint_eq(ask(asking, note, DEVICE_LAUNCH, sibling, order), 0);
	ck_assert_uint_eq(order[0], 3);
	ck_assert_uint_eq(ask(asking, note, DEVICE_LAUNCH, tail, order), 0);
	ck_assert(order[0] == 3 && order[1] == 9 && order[2] == 2 && order[3] == 1);
	/* Neither other streams, nor graphs that were not made for it. */
	ck_assert_uint_eq(ask(asking, note, DEVICE_LAUNCH, 0, order), 1);
	ck_assert_uint_eq(ask(asking, note, 0, fire, order), 1);
	ck_assert(order[0] == 2 && order[1] == 9 && order[2] == 2);
	/* A graph that goes on by itself. */
	u64 at = words(2);
	const struct cu_kernel_node loop = one_thread(again, (void *[]){&at});
	struct cu_exec *x = graph_of(&loop, 1, DEVICE_LAUNCH);
	OK(cuGraphLaunch(x, NULL));
	OK(cuGraphExecDestroy(x));
	ck_assert_uint_eq(word(at), 20001);
	ck_assert_uint_eq(word(at + 4), 0);
}
END_TEST

START_TEST(graphs_for_kernels_are_of_what_a_device_runs)
{
	struct cu_graph *g;
	struct cu_node *n;
	struct cu_exec *x;
	int params[10] = {4};
	const struct cu_host_node host = {.function = never};

	use_device();
	OK(cuGraphCreate(&g, 0));
	FAILS(cuGraphInstantiateWithFlags(&x, g, 4), 801);
	OK(cuGraphAddHostNode(&n, g, NULL, 0, &host));
	FAILS(cuGraphInstantiateWithFlags(&x, g, 4), 801);
	FAILS(cuGraphInstantiateWithFlags(&x, g, 5), INVALID_VALUE);
	FAILS(cuGraphInstantiateWithParams(&x, g, params), 801);
	ck_assert_int_eq(params[6], 3);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
}
END_TEST

/* --- Notifications ------------------------------------------------------------------------------------------ */

START_TEST(notifications_are_registered)
{
	struct cu_notification *n;
	int called = 0;

	use_device();
	OK(cuDeviceRegisterAsyncNotification(0, never, &called, &n));
	FAILS(cuDeviceRegisterAsyncNotification(0, NULL, &called, &n), INVALID_VALUE);
	FAILS(cuDeviceRegisterAsyncNotification(5, never, &called, &n), INVALID_DEVICE);
	OK(cuDeviceUnregisterAsyncNotification(0, n));
	FAILS(cuDeviceUnregisterAsyncNotification(0, n), INVALID_VALUE);
	ck_assert_int_eq(called, 0);
}
END_TEST

UNIT_TESTS("batches and parts", 0)
{
	UNIT_TEST(copies_in_batches);
	UNIT_TEST(waits_and_writes_are_a_node);
	UNIT_TEST(waits_and_writes_are_captured);
	UNIT_TEST(graphs_keep_flags_and_attributes);
	UNIT_TEST(a_device_is_split);
	UNIT_TEST(green_contexts_have_streams);
	UNIT_TEST(events_of_green_contexts_are_of_all_streams);
	UNIT_TEST(graphs_are_destroyed_under_capture);
	UNIT_TEST(kernels_know_their_device);
	UNIT_TEST(kernels_launch_graphs);
	UNIT_TEST(graphs_for_kernels_are_of_what_a_device_runs);
	UNIT_TEST(notifications_are_registered);
}
