/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls while no context is current: what names its own context works, what needs the current one is refused. Each answer was
 * recorded on an H200 (driver 580, CUDA 13.0). Linked with the library as a program would be.
 */
#include <stdlib.h>

#include "tests/cuda/linked.h"
#include "tests/unit/main.h"

enum {
	INPUT_PTX = 1,
	INVALID_VALUE = 1,
	INVALID_CONTEXT = 201,
	INVALID_PTX = 218,
	INVALID_HANDLE = 400,
	ILLEGAL_ADDRESS = 700
};

static char text[] = "//\n.version 7.8\n.target sm_80\n.address_size 64\n"
		     ".visible .global .align 4 .b32 g;\n"
		     ".visible .entry k(.param .u64 to) {\n"
		     "	.reg .b64 %to;\n"
		     "	ld.param.u64 %to, [to];\n"
		     "	st.global.u32 [%to], 7;\n"
		     "	ret;\n"
		     "}\n";
static char wrong[] = "//\n.version 7.8\n.target sm_80\nfoo\n";

static struct cu_context *context;
static struct cu_module *module;
static struct cu_library *library;
static struct cu_function *function, *kernel;
static struct cu_stream *stream;
static struct cu_event *event;
static struct cu_pool *pool;
static struct cu_graph *graph;
static struct cu_exec *exec;
static struct cu_array *array;
static struct cu_link *linker;
static u64 device, other;
static u32 *pinned;

static u32 called;
static void note(void *data)
{
	(void)data;
	called++;
}

/* Everything that the calls name; then no context is current. */
static void make(void)
{
	const struct cu_array_2d shape = {.width = 16, .height = 16, .format = 32, .channels = 1};

	context = use_device();
	OK(cuModuleLoadData(&module, text));
	OK(cuModuleGetFunction(&function, module, "k"));
	OK(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kernel, library, "k"));
	OK(cuStreamCreate(&stream, 0));
	OK(cuEventCreate(&event, 0));
	OK(cuDeviceGetMemPool(&pool, 0));
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuArrayCreate_v2(&array, &shape));
	OK(cuLinkCreate_v2(0, NULL, NULL, &linker));
	OK(cuMemAlloc_v2(&device, 4096));
	OK(cuMemAlloc_v2(&other, 4096));
	OK(cuMemAllocHost_v2((void **)&pinned, 4096));
	OK(cuCtxSetCurrent(NULL));
}

/* As after every call: it has left no context behind. */
static void is_alone(void)
{
	struct cu_context *now;

	OK(cuCtxGetCurrent(&now));
	ck_assert_ptr_null(now);
}

START_TEST(work_in_a_stream)
{
	void *params[] = {&device};
	u64 given;

	make();
	pinned[0] = 5;
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
	is_alone();
	OK(cuMemcpyDtoHAsync_v2(pinned + 1, device, 4, stream));
	OK(cuMemcpyHtoDAsync_v2(device, pinned, 4, stream));
	OK(cuMemcpyDtoDAsync_v2(other, device, 4, stream));
	OK(cuMemcpyAsync((u64)(uintptr_t)(pinned + 2), other, 4, stream));
	OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
	OK(cuMemcpyDtoHAsync_v2(pinned + 3, device, 4, stream));
	OK(cuMemsetD8Async(device, 1, 4, stream));
	OK(cuLaunchHostFunc(stream, (void *)note, NULL));
	OK(cuMemAllocAsync(&given, 64, stream));
	OK(cuMemFreeAsync(given, stream));
	OK(cuMemAllocFromPoolAsync(&given, 64, pool, stream));
	OK(cuMemFreeAsync(given, stream));
	OK(cuGraphUpload(exec, stream));
	OK(cuGraphLaunch(exec, stream));
	OK(cuStreamWriteValue32_v2(stream, device + 4, 9, 0));
	OK(cuStreamWaitValue32_v2(stream, device + 4, 9, 1));
	OK(cuEventRecord(event, stream));
	OK(cuStreamWaitEvent(stream, event, 0));
	OK(cuStreamSynchronize(stream));
	OK(cuStreamQuery(stream));
	OK(cuEventSynchronize(event));
	OK(cuEventQuery(event));
	is_alone();
	ck_assert(pinned[1] == 7 && pinned[2] == 5 && pinned[3] == 7 && called == 1);
}
END_TEST

START_TEST(questions_about_a_stream)
{
	struct cu_context *of;
	struct cu_graph *captured;
	u32 flags;
	int priority, state;
	u64 id;

	make();
	OK(cuStreamGetCtx(stream, &of));
	ck_assert_ptr_eq(of, context);
	OK(cuStreamGetFlags(stream, &flags));
	OK(cuStreamGetPriority(stream, &priority));
	OK(cuStreamGetId(stream, &id));
	OK(cuStreamIsCapturing(stream, &state));
	OK(cuStreamBeginCapture_v2(stream, 0));
	OK(cuStreamEndCapture(stream, &captured));
	OK(cuStreamCopyAttributes(stream, stream));
	is_alone();
}
END_TEST

/* The default stream is the current context's, of which there is none. */
START_TEST(default_streams)
{
	void *params[] = {&device};
	u64 given;
	u32 flags;

	make();
	FAILS(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), INVALID_CONTEXT);
	FAILS(cuLaunchHostFunc(NULL, (void *)note, NULL), INVALID_CONTEXT);
	FAILS(cuMemcpyHtoDAsync_v2(device, pinned, 4, NULL), INVALID_CONTEXT);
	FAILS(cuMemsetD8Async(device, 1, 4, NULL), INVALID_CONTEXT);
	FAILS(cuMemAllocAsync(&given, 64, NULL), INVALID_CONTEXT);
	FAILS(cuEventRecord(event, NULL), INVALID_CONTEXT);
	FAILS(cuStreamQuery(NULL), INVALID_CONTEXT);
	FAILS(cuStreamSynchronize(NULL), INVALID_CONTEXT);
	FAILS(cuStreamWaitEvent(NULL, event, 0), INVALID_CONTEXT);
	FAILS(cuStreamGetFlags(NULL, &flags), INVALID_CONTEXT);
	FAILS(cuGraphLaunch(exec, NULL), INVALID_CONTEXT);
	/* With a context again, a wrong handle is just that. */
	OK(cuCtxSetCurrent(context));
	FAILS(cuStreamQuery((struct cu_stream *)(void *)graph), INVALID_HANDLE);
	OK(cuStreamQuery(NULL));
}
END_TEST

START_TEST(modules_and_functions)
{
	struct cu_function *f;
	struct cu_module *m;
	const char *name;
	size_t bytes;
	u64 at;
	int value;

	make();
	OK(cuModuleGetFunction(&f, module, "k"));
	OK(cuModuleGetGlobal_v2(&at, &bytes, module, "g"));
	OK(cuModuleGetFunctionCount((u32 *)&value, module));
	OK(cuFuncGetAttribute(&value, 0, function));
	OK(cuFuncSetAttribute(function, 8, 0));
	OK(cuFuncSetCacheConfig(function, 0));
	OK(cuFuncGetModule(&m, function));
	OK(cuFuncGetName(&name, function));
	OK(cuFuncLoad(function));
	OK(cuKernelGetAttribute(&value, 0, kernel, 0));
	OK(cuKernelSetAttribute(8, 0, kernel, 0));
	is_alone();
	FAILS(cuKernelGetFunction(&f, kernel), INVALID_CONTEXT);
	FAILS(cuLibraryGetModule(&m, library), INVALID_CONTEXT);
	FAILS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 32, 0), INVALID_CONTEXT);
}
END_TEST

START_TEST(other_things)
{
	struct cu_array_2d shape;
	struct cu_graph *copy;
	void *image;
	size_t size;
	u64 base;

	make();
	OK(cuArrayGetDescriptor_v2(&shape, array));
	OK(cuArrayDestroy(array));
	OK(cuLinkAddData_v2(linker, INPUT_PTX, text, sizeof text, "t", 0, NULL, NULL));
	OK(cuLinkComplete(linker, &image, &size));
	OK(cuGraphClone(&copy, graph));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	FAILS(cuMemcpyHtoD_v2(device, pinned, 4), INVALID_CONTEXT);
	FAILS(cuMemcpyDtoH_v2(pinned, device, 4), INVALID_CONTEXT);
	FAILS(cuMemsetD8_v2(device, 0, 4), INVALID_CONTEXT);
	FAILS(cuTexObjectDestroy(1), INVALID_CONTEXT);
	FAILS(cuGraphInstantiateWithFlags(&exec, copy, 0), INVALID_CONTEXT);
	FAILS(cuMemGetAddressRange_v2(&base, &size, device), INVALID_CONTEXT);
	FAILS(cuCtxSynchronize(), INVALID_CONTEXT);
}
END_TEST

/* Memory that the program maps is a device's: nobody has made a context yet, which later reads it all the same. */
START_TEST(mapped_memory)
{
	const struct cu_allocation_properties properties = {.type = 1, .location = {1, 0}};
	const struct cu_access access = {.location = {1, 0}, .flags = 3};
	struct cu_allocation_properties found;
	u64 physical, same, at, flags;
	size_t page;
	u32 value = 0;

	OK(cuInit(0));
	OK(cuMemGetAllocationGranularity(&page, &properties, 0));
	OK(cuMemAddressReserve(&at, 4 * page, 0, 0, 0));
	OK(cuMemCreate(&physical, 2 * page, &properties, 0));
	OK(cuMemGetAllocationPropertiesFromHandle(&found, physical));
	OK(cuMemMap(at + page, 2 * page, 0, physical, 0));
	FAILS(cuMemMap(at, 2 * page, 0, physical, 0), INVALID_VALUE);
	FAILS(cuMemMap(at + 2 * page, 2 * page, 0, physical, 0), INVALID_VALUE);
	OK(cuMemSetAccess(at + page, 2 * page, &access, 1));
	OK(cuMemGetAccess(&flags, &access.location, at + page));
	ck_assert_uint_eq(flags, 3);
	OK(cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)(at + page)));
	OK(cuMemRelease(same));
	is_alone();
	context = use_device();
	OK(cuMemsetD32_v2(at + page, 77, 4));
	OK(cuMemcpyDtoH_v2(&value, at + page, sizeof value));
	ck_assert_uint_eq(value, 77);
	OK(cuCtxSetCurrent(NULL));
	OK(cuMemUnmap(at + page, 2 * page));
	OK(cuMemRelease(physical));
	OK(cuMemAddressFree(at, 4 * page));
	is_alone();
}
END_TEST

/* So are pools; what is taken from one needs a stream. */
START_TEST(pools)
{
	const struct cu_pool_properties properties = {.type = 1, .location = {1, 0}};
	struct cu_pool *made;
	u64 at, kept = 1 << 20;

	make();
	OK(cuMemPoolCreate(&made, &properties));
	OK(cuMemPoolSetAttribute(made, 4, &kept));
	OK(cuMemAllocFromPoolAsync(&at, 256, made, stream));
	OK(cuMemFreeAsync(at, stream));
	FAILS(cuMemFreeAsync(at, NULL), INVALID_CONTEXT);
	OK(cuMemPoolTrimTo(made, 0));
	OK(cuStreamSynchronize(stream));
	OK(cuMemPoolDestroy(made));
	is_alone();
}
END_TEST

/* A context that has failed refuses by way of its streams, too. */
START_TEST(failed_contexts)
{
	u64 nowhere = 16;
	void *params[] = {&nowhere};

	make();
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
	FAILS(cuStreamSynchronize(stream), ILLEGAL_ADDRESS);
	FAILS(cuMemsetD8Async(device, 1, 4, stream), ILLEGAL_ADDRESS);
	FAILS(cuStreamQuery(stream), ILLEGAL_ADDRESS);
	is_alone();
}
END_TEST

/* A linker that was given only what it refused has a result. One that was given nothing has none. */
START_TEST(linkers_of_nothing)
{
	struct cu_link *l;
	void *image;
	size_t size;

	use_device();
	OK(cuLinkCreate_v2(0, NULL, NULL, &l));
	FAILS(cuLinkComplete(l, &image, &size), INVALID_VALUE);
	FAILS(cuLinkAddData_v2(l, INPUT_PTX, wrong, sizeof wrong, "w", 0, NULL, NULL), INVALID_PTX);
	OK(cuLinkComplete(l, &image, &size));
	OK(cuLinkDestroy(l));
}
END_TEST

UNIT_TESTS("contextless", 0)
{
	UNIT_TEST(work_in_a_stream);
	UNIT_TEST(questions_about_a_stream);
	UNIT_TEST(default_streams);
	UNIT_TEST(modules_and_functions);
	UNIT_TEST(other_things);
	UNIT_TEST(mapped_memory);
	UNIT_TEST(pools);
	UNIT_TEST(failed_contexts);
	UNIT_TEST(linkers_of_nothing);
}
