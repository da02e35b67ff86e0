/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's log of errors, settings of coredumps, calls that only tell what a device has not, and nodes of graphs that
 * kernels change. Linked with the library as a program would be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cuda/linked.h"
#include "tests/unit/main.h"

enum { INVALID_VALUE = 1, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_FOUND = 500 };
enum { NOT_PERMITTED = 800, NOT_SUPPORTED = 801 };
enum { ON_EXCEPTION = 1, TRIGGER_HOST, LIGHTWEIGHT, USER_TRIGGER, DUMP_FILE, PIPE, FLAGS };

static void fail_calls(int times)
{
	while (times--)
		FAILS(cuMemAlloc_v2(NULL, 64), INVALID_VALUE);
}

static int lines_of(const char *text)
{
	int count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

struct heard {
	int calls, level;
	char last[300];
};

static void on_log(void *data, int level, char *text, size_t length)
{
	struct heard *h = data;

	h->calls++;
	h->level = level;
	snprintf(h->last, sizeof h->last, "%.*s", (int)length, text);
}

START_TEST(calls_that_fail_are_logged)
{
	struct heard one = {0}, two = {0};
	struct cu_log_callback *first, *second;
	char text[30000];
	size_t size = sizeof text;
	u32 at;

	use_device();
	OK(cuLogsCurrent(&at, 0));
	FAILS(cuLogsCurrent(NULL, 0), INVALID_VALUE);
	FAILS(cuLogsCurrent(&at, 1), INVALID_VALUE);
	OK(cuLogsRegisterCallback(on_log, &one, &first));
	OK(cuLogsRegisterCallback(on_log, &two, &second));
	FAILS(cuLogsRegisterCallback(NULL, NULL, NULL), INVALID_VALUE);
	one.calls = two.calls = 0;
	fail_calls(3);
	ck_assert_int_eq(one.calls, 3);
	ck_assert_int_eq(one.level, 0);
	ck_assert_ptr_nonnull(strstr(one.last, "[CUDA][E][cuMemAlloc_v2] Returning 1 (CUDA_ERROR_INVALID_VALUE)\n"));
	OK(cuLogsUnregisterCallback(first));
	FAILS(cuLogsUnregisterCallback(first), INVALID_VALUE);
	fail_calls(1);
	ck_assert_int_eq(one.calls, 3);
	ck_assert_int_eq(two.calls, 5);
	OK(cuLogsUnregisterCallback(second));

	/* From the iterator on, which moves to the end; nothing is nothing. */
	OK(cuLogsDumpToMemory(&at, text, &size, 0));
	ck_assert_uint_eq(size, strlen(text));
	ck_assert_int_eq(lines_of(text), 8);
	size = sizeof text;
	OK(cuLogsDumpToMemory(&at, text, &size, 0));
	ck_assert_uint_eq(size, 0);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(logs_are_cut_where_there_is_no_room)
{
	char text[30000], *end;
	size_t size = 4;
	u32 at, start = 0;

	use_device();
	OK(cuLogsCurrent(&at, 0));
	fail_calls(5);
	FAILS(cuLogsDumpToMemory(NULL, text, &size, 0), INVALID_VALUE);
	ck_assert_uint_eq(size, 0);
	size = 300;
	OK(cuLogsDumpToMemory(&at, text, &size, 0));
	ck_assert_uint_lt(size, 300);
	ck_assert_uint_eq(size, strlen(text));
	ck_assert_ptr_nonnull(strstr(text, "no room"));
	ck_assert_int_ge(lines_of(text), 2);
	/* The memory of the log is limited: the oldest go, and that is said. */
	fail_calls(2000);
	size = sizeof text;
	OK(cuLogsDumpToMemory(&start, text, &size, 0));
	ck_assert_uint_le(size, 25600 + 100);
	ck_assert_ptr_nonnull(strstr(text, "dropped"));
	FAILS(cuLogsDumpToMemory(NULL, NULL, &size, 0), INVALID_VALUE);
	FAILS(cuLogsDumpToMemory(NULL, text, NULL, 0), INVALID_VALUE);
	size = sizeof text;
	FAILS(cuLogsDumpToMemory(NULL, text, &size, 1), INVALID_VALUE);

	char path[] = "/tmp/ptxsim-logs-XXXXXX";
	const int file = mkstemp(path);
	OK(cuLogsCurrent(&at, 0));
	fail_calls(2);
	OK(cuLogsDumpToFile(&at, path, 0));
	const ssize_t got = read(file, text, sizeof text - 1);
	ck_assert_int_gt(got, 0);
	text[got] = 0;
	ck_assert_int_eq(lines_of(text), 2);
	end = strstr(text, "cuMemAlloc_v2");
	ck_assert_ptr_nonnull(end);
	FAILS(cuLogsDumpToFile(NULL, "/nowhere/at/all", 0), INVALID_VALUE);
	FAILS(cuLogsDumpToFile(NULL, NULL, 0), INVALID_VALUE);
	close(file);
	unlink(path);
}
END_TEST

START_TEST(waiting_is_no_error)
{
	void *stream;
	u32 before, after;

	use_device();
	OK(cuStreamCreate((void *)&stream, 1));
	OK(cuLogsCurrent(&before, 0));
	OK(cuStreamQuery(stream));
	OK(cuLogsCurrent(&after, 0));
	ck_assert_uint_eq(before, after);
	OK(cuStreamDestroy_v2(stream));
}
END_TEST

START_TEST(coredumps_have_settings)
{
	char text[1024], own[] = "dumps/%h";
	size_t size = 0;
	bool truth = true;
	int flags = 0;

	FAILS(cuCoredumpGetAttributeGlobal(FLAGS, &flags, &size), 3);
	use_device();
	OK(cuCoredumpGetAttribute(DUMP_FILE, NULL, &size));
	ck_assert_uint_eq(size, sizeof text);
	OK(cuCoredumpGetAttribute(FLAGS, NULL, &size));
	ck_assert_uint_eq(size, sizeof flags);
	OK(cuCoredumpSetAttribute(ON_EXCEPTION, NULL, &size));
	ck_assert_uint_eq(size, sizeof truth);
	OK(cuCoredumpGetAttribute(ON_EXCEPTION, &truth, &size));
	ck_assert(!truth);
	OK(cuCoredumpGetAttribute(TRIGGER_HOST, &truth, &size));
	ck_assert(truth);
	size = sizeof text;
	OK(cuCoredumpGetAttributeGlobal(DUMP_FILE, text, &size));
	ck_assert_ptr_eq(strstr(text, "core.cuda."), text);
	size = 5;
	FAILS(cuCoredumpGetAttributeGlobal(DUMP_FILE, text, &size), INVALID_VALUE);

	/* A context's settings are its own. */
	size = sizeof own;
	OK(cuCoredumpSetAttribute(DUMP_FILE, own, &size));
	size = sizeof text;
	OK(cuCoredumpGetAttribute(DUMP_FILE, text, &size));
	ck_assert_str_eq(text, own);
	OK(cuCoredumpGetAttributeGlobal(DUMP_FILE, text, &size));
	ck_assert_str_ne(text, own);

	/* The flags that make a dump light are the older setting. */
	size = sizeof truth;
	truth = true;
	OK(cuCoredumpSetAttributeGlobal(LIGHTWEIGHT, &truth, &size));
	size = sizeof flags;
	OK(cuCoredumpGetAttributeGlobal(FLAGS, &flags, &size));
	ck_assert_int_eq(flags, 0x2f);
	flags = 1 << 12;
	FAILS(cuCoredumpSetAttributeGlobal(FLAGS, &flags, &size), INVALID_VALUE);

	/* No dump is written here, and what asks for one says so. */
	size = sizeof truth;
	FAILS(cuCoredumpSetAttribute(ON_EXCEPTION, &truth, &size), NOT_SUPPORTED);
	FAILS(cuCoredumpSetAttributeGlobal(USER_TRIGGER, &truth, &size), NOT_SUPPORTED);
	FAILS(cuCoredumpSetAttribute(PIPE, text, &size), NOT_PERMITTED);
	FAILS(cuCoredumpSetAttribute(0, &truth, &size), INVALID_VALUE);
	FAILS(cuCoredumpSetAttribute(99, &truth, &size), INVALID_VALUE);
	FAILS(cuCoredumpGetAttribute(FLAGS, &flags, NULL), INVALID_VALUE);
	memset(text, 'x', sizeof text);
	size = sizeof text;
	FAILS(cuCoredumpSetAttribute(DUMP_FILE, text, &size), INVALID_VALUE);
	OK(cuCtxSetCurrent(NULL));
	FAILS(cuCoredumpGetAttribute(FLAGS, &flags, &size), INVALID_CONTEXT);
}
END_TEST

START_TEST(atomic_operations_of_links)
{
	const int operations[] = {0, 9, 10, 12}, wrong[] = {0, 13};
	u32 can[4] = {9, 9, 9, 9};

	setenv("PTXSIM_DEVICES", "h200,h200", 1);
	use_device();
	OK(cuDeviceGetHostAtomicCapabilities(can, operations, 4, 0));
	for (int k = 0; k < 4; k++)
		ck_assert_uint_eq(can[k], 0);
	OK(cuDeviceGetP2PAtomicCapabilities(can, operations, 4, 0, 1));
	ck_assert_uint_eq(can[0], 31);
	ck_assert_uint_eq(can[1], 2 | 8 | 16 | 32);
	ck_assert_uint_eq(can[2], 1 | 4 | 8 | 16 | 64);
	ck_assert_uint_eq(can[3], 0);
	FAILS(cuDeviceGetP2PAtomicCapabilities(can, operations, 4, 0, 0), INVALID_DEVICE);
	FAILS(cuDeviceGetHostAtomicCapabilities(can, operations, 4, 2), INVALID_DEVICE);
	FAILS(cuDeviceGetHostAtomicCapabilities(can, wrong, 2, 0), INVALID_VALUE);
	FAILS(cuDeviceGetHostAtomicCapabilities(can, operations, 0, 0), INVALID_VALUE);
	FAILS(cuDeviceGetHostAtomicCapabilities(NULL, operations, 1, 0), INVALID_VALUE);
}
END_TEST

START_TEST(what_an_array_or_a_library_has_not)
{
	static char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
	const struct cu_array_2d shape = {.width = 16, .height = 16, .format = 0x20, .channels = 1};
	struct cu_library *library;
	struct cu_array *array, *plane;
	u8 properties[64];
	void *function;

	use_device();
	OK(cuArrayCreate_v2(&array, &shape));
	FAILS(cuArrayGetPlane(&plane, array, 0), INVALID_VALUE);
	FAILS(cuArrayGetPlane(&plane, (void *)properties, 0), INVALID_HANDLE);
	FAILS(cuArrayGetPlane(NULL, array, 0), INVALID_VALUE);
	FAILS(cuArrayGetSparseProperties(properties, array), INVALID_VALUE);
	FAILS(cuMipmappedArrayGetSparseProperties(properties, (void *)array), INVALID_HANDLE);
	OK(cuArrayDestroy(array));
	OK(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
	FAILS(cuLibraryGetUnifiedFunction(&function, library, "k"), NOT_FOUND);
	FAILS(cuLibraryGetUnifiedFunction(NULL, library, "k"), INVALID_VALUE);
	OK(cuLibraryUnload(library));
	FAILS(cuLibraryGetUnifiedFunction(&function, library, "k"), INVALID_HANDLE);
}
END_TEST

/* --- Nodes that kernels change --------------------------------------------------------------------------- */

/* `work` adds v for each of its blocks; `change` calls one of the four functions, as `what` says, and stores its result. */
static char UPDATES[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".extern .func (.param .b32 r) cudaGraphKernelNodeSetParam(.param .b64 n, .param .b64 o, .param .b64 v, .param "
	".b64 s);\n"
	".extern .func (.param .b32 r) cudaGraphKernelNodeSetEnabled(.param .b64 n, .param .b32 e);\n"
	".extern .func (.param .b32 r) cudaGraphKernelNodeSetGridDim(.param .b64 n, .param .align 4 .b8 g[12]);\n"
	".extern .func (.param .b32 r) cudaGraphKernelNodeUpdatesApply(.param .b64 u, .param .b64 c);\n"
	".visible .entry work(.param .u64 p, .param .u32 v)\n{\n"
	"	.reg .b64 %a; .reg .b32 %v;\n"
	"	ld.param.u64 %a, [p]; ld.param.u32 %v, [v]; red.global.add.u32 [%a], %v; ret;\n}\n"
	".visible .entry change(.param .u64 node, .param .u32 what, .param .u32 value, .param .u64 at, .param .u64 "
	"size)"
	"\n{\n"
	"	.local .align 8 .b8 here[8]; .reg .b64 %n, %a, %v, %s; .reg .b32 %w, %x, %r; .reg .pred %q;\n"
	"	ld.param.u64 %n, [node]; ld.param.u32 %w, [what]; ld.param.u32 %x, [value]; ld.param.u64 %a, [at];\n"
	"	ld.param.u64 %s, [size]; mov.u64 %v, here; cvta.local.u64 %v, %v; st.local.u32 [here], %x;\n"
	"	setp.eq.u32 %q, %w, 1; @%q bra GRID; setp.eq.u32 %q, %w, 2; @%q bra PARAM;\n"
	"	setp.eq.u32 %q, %w, 3; @%q bra ENABLED;\n"
	"	{ .param .b64 a; .param .b64 b; .param .b32 r; add.u64 %v, %a, 64; st.param.b64 [a], %v; st.param.b64 "
	"[b], "
	"%s;\n"
	"	call.uni (r), cudaGraphKernelNodeUpdatesApply, (a, b); ld.param.b32 %r, [r]; } bra END;\n"
	"GRID: { .param .b64 a; .param .align 4 .b8 b[12]; .param .b32 r; st.param.b64 [a], %n;\n"
	"	st.param.b32 [b], %x; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;\n"
	"	call.uni (r), cudaGraphKernelNodeSetGridDim, (a, b); ld.param.b32 %r, [r]; } bra END;\n"
	"PARAM: { .param .b64 a; .param .b64 b; .param .b64 c; .param .b64 d; .param .b32 r; st.param.b64 [a], %n;\n"
	"	st.param.b64 [b], 8; st.param.b64 [c], %v; st.param.b64 [d], %s;\n"
	"	call.uni (r), cudaGraphKernelNodeSetParam, (a, b, c, d); ld.param.b32 %r, [r]; } bra END;\n"
	"ENABLED: { .param .b64 a; .param .b32 b; .param .b32 r; st.param.b64 [a], %n; st.param.b32 [b], %x;\n"
	"	call.uni (r), cudaGraphKernelNodeSetEnabled, (a, b); ld.param.b32 %r, [r]; }\n"
	"END: st.global.u32 [%a+4], %r; ret;\n}\n";

struct updated {
	struct cu_module *module;
	struct cu_function *work, *change;
	struct cu_graph *graph;
	struct cu_exec *exec;
	struct cu_node *node;
	u64 at, name; /* sum and result; the node as kernels know it */
};

/* CUDA_KERNEL_NODE_PARAMS and CUlaunchAttributeValue, as much of them as is needed. */
static void build(struct updated *u)
{
	struct {
		int updatable, pad;
		u64 name, rest[6];
	} value = {.updatable = 1};
	u32 v = 5;
	void *args[] = {&u->at, &v};
	struct cu_kernel_node k = {.grid = {2, 1, 1}, .block = {1, 1, 1}, .params = args};

	use_device();
	OK(cuModuleLoadData(&u->module, UPDATES));
	OK(cuModuleGetFunction(&u->work, u->module, "work"));
	OK(cuModuleGetFunction(&u->change, u->module, "change"));
	OK(cuMemAlloc_v2(&u->at, 256));
	OK(cuMemsetD32_v2(u->at, 0, 64));
	OK(cuGraphCreate(&u->graph, 0));
	k.function = u->work;
	OK(cuGraphAddKernelNode_v2(&u->node, u->graph, NULL, 0, &k));
	OK(cuGraphKernelNodeSetAttribute(u->node, 13, (void *)&value));
	u->name = value.name;
	ck_assert_uint_ne(u->name, 0);
	OK(cuGraphInstantiateWithFlags(&u->exec, u->graph, 0));
}

/* The sum that one launch of the graph adds. */
static u32 added(const struct updated *u)
{
	u32 sum;

	OK(cuMemsetD32_v2(u->at, 0, 1));
	OK(cuGraphLaunch(u->exec, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH_v2(&sum, u->at, 4));
	return sum;
}

/* What the device's function returns. */
static u32 change(struct updated *u, u64 name, u32 what, u32 value, u64 size)
{
	void *args[] = {&name, &what, &value, &u->at, &size};
	u32 result;

	OK(cuLaunchKernel(u->change, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH_v2(&result, u->at + 4, 4));
	return result;
}

START_TEST(kernels_change_nodes)
{
	struct updated u;

	build(&u);
	ck_assert_uint_eq(added(&u), 10);
	OK(change(&u, u.name, 2, 7, 4));
	ck_assert_uint_eq(added(&u), 14);
	OK(change(&u, u.name, 1, 6, 0));
	ck_assert_uint_eq(added(&u), 42);
	OK(change(&u, u.name, 3, 0, 0));
	ck_assert_uint_eq(added(&u), 0);
	/* What is changed meanwhile stays. */
	OK(change(&u, u.name, 2, 1, 4));
	OK(change(&u, u.name, 3, 1, 0));
	ck_assert_uint_eq(added(&u), 6);
	FAILS(change(&u, u.name, 1, 0, 0), INVALID_VALUE);
	FAILS(change(&u, u.name, 2, 1, 5), INVALID_VALUE);
	FAILS(change(&u, u.name, 2, 1, 0), INVALID_VALUE);
	FAILS(change(&u, u.name + 8, 3, 0, 0), INVALID_VALUE);
	FAILS(change(&u, 0, 3, 0, 0), INVALID_VALUE);
	ck_assert_uint_eq(added(&u), 6);
	/* The host may, too. */
	OK(cuGraphNodeSetEnabled(u.exec, u.node, 0));
	ck_assert_uint_eq(added(&u), 0);
	OK(cuGraphExecDestroy(u.exec));
	FAILS(change(&u, u.name, 3, 1, 0), INVALID_VALUE);
	OK(cuGraphDestroy(u.graph));
	FAILS(change(&u, u.name, 3, 1, 0), INVALID_VALUE);
}
END_TEST

START_TEST(changes_come_in_lists)
{
	struct {
		u64 node;
		u32 field, pad;
		u64 words[3];
	} list[3] = {{.field = 1}, {.field = 2}, {.field = 3}};
	struct updated u;

	build(&u);
	/* A grid of 3, a parameter from memory, and enabled. */
	list[0].words[0] = 3 | (u64)1 << 32;
	list[0].words[1] = 1;
	list[1].words[0] = u.at + 240;
	list[1].words[1] = 8;
	list[1].words[2] = 4;
	list[2].words[0] = 1;
	for (int k = 0; k < 3; k++)
		list[k].node = u.name;
	OK(cuMemsetD32_v2(u.at + 240, 11, 1));
	OK(cuMemcpyHtoD_v2(u.at + 64, list, sizeof list));
	OK(change(&u, 0, 4, 0, 3));
	ck_assert_uint_eq(added(&u), 33);
	/* Up to the first that is wrong. */
	list[0].words[0] = 2 | (u64)1 << 32;
	list[1].words[1] = 9;
	list[2].words[0] = 0;
	OK(cuMemcpyHtoD_v2(u.at + 64, list, sizeof list));
	FAILS(change(&u, 0, 4, 0, 3), INVALID_VALUE);
	ck_assert_uint_eq(added(&u), 22);
	list[0].field = 9;
	OK(cuMemcpyHtoD_v2(u.at + 64, list, sizeof list));
	FAILS(change(&u, 0, 4, 0, 1), INVALID_VALUE);
}
END_TEST

/* A node of the graph changes one that comes after it, in the same launch. */
START_TEST(a_node_changes_the_next_one)
{
	u32 what = 2, value = 100, back[16] = {0};
	u64 size = 4;
	struct updated u;
	struct cu_exec *again;
	struct cu_node *first;

	build(&u);
	OK(cuGraphExecDestroy(u.exec));
	void *args[] = {&u.name, &what, &value, &u.at, &size};
	struct cu_kernel_node k = {.function = u.change, .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = args};
	OK(cuGraphAddKernelNode_v2(&first, u.graph, NULL, 0, &k));
	OK(cuGraphAddDependencies(u.graph, &first, &u.node, 1));
	OK(cuGraphInstantiateWithFlags(&u.exec, u.graph, 0));
	OK(cuGraphUpload(u.exec, NULL));
	ck_assert_uint_eq(added(&u), 200);

	/* What such nodes and their graphs may not. */
	FAILS(cuGraphInstantiateWithFlags(&again, u.graph, 0), INVALID_VALUE);
	FAILS(cuGraphDestroyNode(u.node), INVALID_VALUE);
	FAILS(cuGraphKernelNodeCopyAttributes(first, u.node), INVALID_VALUE);
	FAILS(cuGraphKernelNodeSetAttribute(u.node, 13, back), INVALID_VALUE);
	back[0] = 2;
	FAILS(cuGraphKernelNodeSetAttribute(u.node, 13, back), INVALID_VALUE);
	OK(cuGraphKernelNodeGetAttribute(u.node, 13, back));
	ck_assert_uint_eq(back[0], 1);
	ck_assert(!memcmp(back + 2, &u.name, sizeof u.name));
	FAILS(cuGraphExecUpdate_v2(u.exec, u.graph, back), INVALID_VALUE);
}
END_TEST

START_TEST(launches_that_kernels_may_change)
{
	struct cu_launch_attribute a = {.id = 13, .integer = 1};
	struct cu_launch_config config = {
		.grid = {2, 1, 1}, .block = {1, 1, 1}, .attributes = &a, .attribute_count = 1};
	struct updated u;
	struct cu_stream *s;
	u32 v = 3;

	build(&u);
	void *args[] = {&u.at, &v};
	OK(cuStreamCreate(&s, 1));
	config.stream = s;
	FAILS(cuLaunchKernelEx(&config, u.work, args, NULL), INVALID_VALUE);
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuLaunchKernelEx(&config, u.work, args, NULL));
	OK(cuStreamEndCapture(s, &u.graph));
	memcpy(&u.name, a.bytes + 8, sizeof u.name);
	OK(cuGraphInstantiateWithFlags(&u.exec, u.graph, 0));
	OK(change(&u, u.name, 1, 4, 0));
	ck_assert_uint_eq(added(&u), 12);
}
END_TEST

/* --- Limits ------------------------------------------------------------------------------------------------ */

enum { LIMIT_PRINTF = 1, LIMIT_HEAP = 2 };

static const char SPEAKING[] =
	".version 7.8\n.target sm_80\n.address_size 64\n"
	".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
	".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
	".global .align 1 .b8 text[3] = {104, 10, 0};\n"
	".visible .entry plain() { ret; }\n"
	".visible .entry prints() { .reg .b64 %d; .param .b64 f; .param .b64 a; .param .b32 r;\n"
	"mov.u64 %d, text; cvta.global.u64 %d, %d; st.param.b64 [f], %d; mov.u64 %d, 0; st.param.b64 [a], %d;\n"
	"call.uni (r), vprintf, (f, a); ret; }\n"
	".func inner() { .param .b64 n; .param .b64 r; st.param.b64 [n], 16; call.uni (r), malloc, (n); ret; }\n"
	".visible .entry takes() { call.uni inner; ret; }\n";

static void launch_of(struct cu_module *m, const char *name)
{
	struct cu_function *f;

	OK(cuModuleGetFunction(&f, m, name));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	OK(cuCtxSynchronize());
}

/* As on an H100: what was launched before, nothing else. */
START_TEST(limits_hold_from_the_first_kernel_that_needs_them)
{
	struct cu_module *m;

	use_device();
	OK(cuModuleLoadData(&m, SPEAKING));
	launch_of(m, "plain");
	OK(cuCtxSetLimit(LIMIT_PRINTF, 1 << 20));
	OK(cuCtxSetLimit(LIMIT_HEAP, 64 << 20));
	launch_of(m, "prints");
	FAILS(cuCtxSetLimit(LIMIT_PRINTF, 2 << 20), INVALID_VALUE);
	OK(cuCtxSetLimit(LIMIT_HEAP, 32 << 20));
	launch_of(m, "takes");
	OK(cuModuleUnload(m));
	FAILS(cuCtxSetLimit(LIMIT_HEAP, 64 << 20), INVALID_VALUE);
	OK(cuCtxSetLimit(0, 4096));
}
END_TEST

static const char SHARING[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			      ".extern .shared .align 16 .b8 more[];\n"
			      ".visible .entry dynamic() { .reg .b32 %r; st.shared.b32 [more], %r; ret; }\n"
			      ".visible .entry both() { .shared .align 4 .b8 own[1000]; .reg .b32 %r;\n"
			      "st.shared.b32 [own], %r; st.shared.b32 [more], %r; ret; }\n";

static size_t available(struct cu_function *f, int blocks)
{
	size_t bytes = 0;

	OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, blocks, 64));
	return bytes;
}

/* Answers of an H100. */
START_TEST(shared_memory_is_shared_out)
{
	enum { DYNAMIC_MOST = 8, OPTED_IN = 204800 };
	struct cu_module *m;
	struct cu_function *f, *both;
	size_t bytes = 1;

	use_device();
	OK(cuModuleLoadData(&m, SHARING));
	OK(cuModuleGetFunction(&f, m, "dynamic"));
	OK(cuModuleGetFunction(&both, m, "both"));
	OK(cuFuncSetAttribute(f, DYNAMIC_MOST, OPTED_IN));
	ck_assert_uint_eq(available(f, 1), OPTED_IN);
	ck_assert_uint_eq(available(f, 2), 116736);
	ck_assert_uint_eq(available(f, 5), 46592);
	ck_assert_uint_eq(available(f, 7), 33280);
	ck_assert_uint_eq(available(f, 32), 7296);
	FAILS(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 33, 64), INVALID_VALUE);
	ck_assert_uint_eq(bytes, 0);
	ck_assert_uint_eq(available(both, 4), 48144);
	ck_assert_uint_eq(available(both, 5), 45584);
	ck_assert_uint_eq(available(both, 32), 6288);
}
END_TEST

UNIT_TESTS("settings", 0)
{
	UNIT_TEST(shared_memory_is_shared_out);
	UNIT_TEST(limits_hold_from_the_first_kernel_that_needs_them);
	UNIT_TEST(kernels_change_nodes);
	UNIT_TEST(changes_come_in_lists);
	UNIT_TEST(a_node_changes_the_next_one);
	UNIT_TEST(launches_that_kernels_may_change);
	UNIT_TEST(calls_that_fail_are_logged);
	UNIT_TEST(logs_are_cut_where_there_is_no_room);
	UNIT_TEST(waiting_is_no_error);
	UNIT_TEST(coredumps_have_settings);
	UNIT_TEST(atomic_operations_of_links);
	UNIT_TEST(what_an_array_or_a_library_has_not);
}
