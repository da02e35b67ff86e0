/* SPDX-License-Identifier: Apache-2.0
 *
 * Two devices in one program, as two H200s answer: a kernel of a library runs where its stream is, whichever context is
 * current; events of two devices have no time between them; memory of a pool is its device's; which device may access what. And sizes of 0, which all
 * allocations but cuMemAlloc take; and mbarriers that end while other warps still ask for their phase.
 */
#include <stdlib.h>

#include "tests/cuda/linked.h"
#include "tests/unit/main.h"

enum { INVALID_HANDLE = 400, ILLEGAL_ADDRESS = 700, NOT_SUPPORTED = 801 };
enum { POINTER_ADDRESS = 3, POINTER_DEVICE = 9, ACCESS_READ = 1, ACCESS_ALL = 3, MAPPED_BYTES = 2 << 20, WARPS = 8 };

/* where: the lanes' sum at p. ended, again: an mbarrier of all threads, which thread 0 ends, or begins anew, as soon as it
 * has come from the first wait; p counts the threads that came to the end. */
static char TEXT[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
		     ".visible .entry where(.param .u64 p)\n{\n"
		     "	.reg .b64 %a; ld.param.u64 %a, [p]; red.global.add.u32 [%a], 1; ret;\n}\n"
		     ".visible .entry put(.param .u64 p)\n{\n"
		     "	.reg .b64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a], 1; ret;\n}\n"
		     ".visible .entry spread(.param .u64 p)\n{\n"
		     "	.reg .b64 %a; .reg .b32 %t; ld.param.u64 %a, [p]; mov.u32 %t, %tid.x;\n"
		     "	mad.wide.u32 %a, %t, 4, %a; st.global.u32 [%a], %t; ret;\n}\n"
		     ".visible .entry look(.param .u64 p)\n{\n"
		     "	.reg .b64 %a; .reg .b32 %v; .reg .pred %q; ld.param.u64 %a, [p]; ld.global.u32 %v, [%a];\n"
		     "	setp.ne.u32 %q, %v, 0; @%q trap; ret;\n}\n"
		     ".shared .align 8 .b64 bar;\n"
		     ".func meet()\n{\n"
		     "	.reg .b64 %s; .reg .pred %p;\n"
		     "	mbarrier.arrive.shared.b64 %s, [bar];\n"
		     "Ask:	mbarrier.try_wait.shared.b64 %p, [bar], %s;\n"
		     "	@!%p bra Ask;\n"
		     "	ret;\n}\n"
		     ".visible .entry ended(.param .u64 p)\n{\n"
		     "	.reg .b64 %a; .reg .b32 %t, %n; .reg .pred %p;\n"
		     "	ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; setp.eq.u32 %p, %t, 0;\n"
		     "	@%p mbarrier.init.shared.b64 [bar], %n;\n"
		     "	bar.sync 0;\n"
		     "	call meet;\n"
		     "	@%p mbarrier.inval.shared.b64 [bar];\n"
		     "	@%p mbarrier.inval.shared.b64 [bar];\n"
		     "	red.global.add.u32 [%a], 1; ret;\n}\n"
		     ".visible .entry again(.param .u64 p)\n{\n"
		     "	.reg .b64 %a; .reg .b32 %t, %n; .reg .pred %p;\n"
		     "	ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; setp.eq.u32 %p, %t, 0;\n"
		     "	@%p mbarrier.init.shared.b64 [bar], %n;\n"
		     "	bar.sync 0;\n"
		     "	call meet;\n"
		     "	@%p mbarrier.init.shared.b64 [bar], %n;\n"
		     "	bar.sync 0;\n"
		     "	call meet;\n"
		     "	red.global.add.u32 [%a], 1; ret;\n}\n";

static struct cu_function *kernel(const char *name)
{
	struct cu_library *library;
	struct cu_function *k;

	OK(cuLibraryLoadData(&library, TEXT, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&k, library, name));
	return k;
}

static int run(struct cu_function *k, u32 threads, u64 at, struct cu_stream *s)
{
	void *args[] = {&at};

	return cuLaunchKernel(k, 1, 1, 1, threads, 1, 1, 0, s, args, NULL);
}

static u32 word(u64 at)
{
	u32 value;

	OK(cuMemcpyDtoH_v2(&value, at, sizeof value));
	return value;
}

START_TEST(kernels_run_where_their_stream_is)
{
	struct cu_context *first, *second;
	struct cu_stream *s;
	struct cu_graph *g;
	struct cu_exec *x;
	u64 at;

	setenv("PTXSIM_DEVICES", "h200,h200", 1);
	first = use_device();
	OK(cuDevicePrimaryCtxRetain(&second, 1));
	OK(cuCtxSetCurrent(second));
	OK(cuMemAlloc_v2(&at, 4));
	OK(cuMemsetD32_v2(at, 0, 1));
	OK(cuStreamCreate(&s, 0));
	OK(cuCtxSetCurrent(first));
	struct cu_function *k = kernel("where");
	OK(run(k, 32, at, s));
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(word(at), 32);
	/* Captured as well; then it runs in any device's stream. */
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(run(k, 32, at, s));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(word(at), 64);
}
END_TEST

START_TEST(events_and_pools_belong_to_devices)
{
	struct cu_context *first, *second;
	struct cu_event *e, *f;
	struct cu_pool *pool;
	float ms;
	u64 at;
	int device = -1;

	setenv("PTXSIM_DEVICES", "h200,h200", 1);
	first = use_device();
	OK(cuEventCreate(&e, 0));
	OK(cuEventRecord(e, NULL));
	OK(cuDevicePrimaryCtxRetain(&second, 1));
	OK(cuCtxSetCurrent(second));
	OK(cuEventCreate(&f, 0));
	OK(cuEventRecord(f, NULL));
	OK(cuEventSynchronize(e));
	OK(cuEventSynchronize(f));
	FAILS(cuEventElapsedTime_v2(&ms, e, f), INVALID_HANDLE);
	OK(cuEventElapsedTime_v2(&ms, f, f));
	OK(cuCtxSetCurrent(first));
	OK(cuDeviceGetDefaultMemPool(&pool, 1));
	OK(cuMemAllocFromPoolAsync(&at, 64, pool, NULL));
	OK(cuPointerGetAttribute(&device, POINTER_DEVICE, at));
	ck_assert_int_eq(device, 1);
	OK(cuMemFreeAsync(at, NULL));
	OK(cuCtxSynchronize());
}
END_TEST

/* Device 1's memory: from cuMemAlloc, a pool, a mapping. */
struct theirs {
	struct cu_context *first, *second;
	struct cu_pool *pool;
	u64 plain, pooled, mapped, handle;
};

static struct theirs allocate_theirs(void)
{
	const struct cu_allocation_properties p = {.type = 1, .location = {1, 1}};
	const struct cu_access own = {{1, 1}, ACCESS_ALL};
	struct theirs t;

	setenv("PTXSIM_DEVICES", "h200,h200", 1);
	t.first = use_device();
	OK(cuDevicePrimaryCtxRetain(&t.second, 1));
	OK(cuCtxSetCurrent(t.second));
	OK(cuMemAlloc_v2(&t.plain, 64));
	OK(cuDeviceGetDefaultMemPool(&t.pool, 1));
	OK(cuMemAllocAsync(&t.pooled, 64, NULL));
	OK(cuMemCreate(&t.handle, MAPPED_BYTES, &p, 0));
	OK(cuMemAddressReserve(&t.mapped, MAPPED_BYTES, 0, 0, 0));
	OK(cuMemMap(t.mapped, MAPPED_BYTES, 0, t.handle, 0));
	OK(cuMemSetAccess(t.mapped, MAPPED_BYTES, &own, 1));
	OK(cuCtxSynchronize());
	OK(cuCtxSetCurrent(t.first));
	return t;
}

START_TEST(fills_and_copies_need_access)
{
	const struct theirs t = allocate_theirs();
	const struct cu_access all = {{1, 0}, ACCESS_ALL}, some = {{1, 0}, ACCESS_READ}, none = {{1, 0}, 0};
	const struct cu_location here = {1, 0};
	u64 flags;
	u32 bytes;

	FAILS(cuMemsetD32_v2(t.plain, 1, 4), 1);
	FAILS(cuMemsetD32_v2(t.pooled, 1, 4), 1);
	FAILS(cuMemsetD32_v2(t.mapped, 1, 4), 1);
	OK(cuMemcpyDtoH_v2(&bytes, t.plain, 4));
	FAILS(cuMemcpyDtoH_v2(&bytes, t.pooled, 4), 1);
	FAILS(cuMemcpyDtoH_v2(&bytes, t.mapped, 4), 1);
	OK(cuMemcpyPeer(t.plain, t.second, t.pooled, t.second, 4));
	FAILS(cuPointerGetAttribute(&flags, POINTER_ADDRESS, t.plain), 1);
	OK(cuCtxEnablePeerAccess(t.second, 0));
	OK(cuMemsetD32_v2(t.plain, 1, 4));
	OK(cuPointerGetAttribute(&flags, POINTER_ADDRESS, t.plain));
	FAILS(cuMemsetD32_v2(t.pooled, 1, 4), 1);
	FAILS(cuMemPoolSetAccess(t.pool, &some, 1), NOT_SUPPORTED);
	OK(cuMemPoolSetAccess(t.pool, &all, 1));
	OK(cuMemsetD32_v2(t.pooled, 1, 4));
	OK(cuMemSetAccess(t.mapped, MAPPED_BYTES, &some, 1));
	OK(cuMemGetAccess(&flags, &here, t.mapped));
	ck_assert_uint_eq(flags, ACCESS_READ);
	OK(cuMemcpyDtoH_v2(&bytes, t.mapped, 4));
	FAILS(cuMemcpyHtoD_v2(t.mapped, &bytes, 4), 1);
	OK(cuMemSetAccess(t.mapped, MAPPED_BYTES, &none, 1));
	FAILS(cuMemcpyDtoH_v2(&bytes, t.mapped, 4), 1);
	OK(cuCtxDisablePeerAccess(t.second));
	FAILS(cuMemsetD32_v2(t.plain, 1, 4), 1);
}
END_TEST

/* Each kernel that fails ends the process's use of all devices. */
START_TEST(kernels_need_access)
{
	const struct theirs t = allocate_theirs();
	const struct cu_access all = {{1, 0}, ACCESS_ALL};
	const u64 at[] = {t.plain, t.pooled, t.mapped};
	struct cu_function *k = kernel("where");

	if (_i >= 3) { /* with access to it; then the same without */
		OK(cuCtxEnablePeerAccess(t.second, 0));
		OK(cuMemPoolSetAccess(t.pool, &all, 1));
		OK(cuMemSetAccess(t.mapped, MAPPED_BYTES, &all, 1));
		OK(run(k, 32, at[_i % 3], NULL));
		OK(cuCtxSynchronize());
		if (_i % 3)
			return;
		OK(cuCtxDisablePeerAccess(t.second));
	}
	OK(run(k, 32, at[_i % 3], NULL));
	FAILS(cuCtxSynchronize(), ILLEGAL_ADDRESS);
	OK(cuCtxSetCurrent(t.second));
	FAILS(cuCtxSynchronize(), ILLEGAL_ADDRESS);
}
END_TEST

/* A mapping that a device may only read: its own kernels, too. */
START_TEST(kernels_only_read)
{
	const char *const names[] = {"where", "put", "spread", "look"};
	const struct theirs t = allocate_theirs();
	const struct cu_access all = {{1, 1}, ACCESS_ALL}, some = {{1, 1}, ACCESS_READ};
	struct cu_function *k = kernel(names[_i]);

	OK(cuCtxSetCurrent(t.second));
	if (_i < 3) {
		OK(run(k, 32, t.mapped, NULL));
		OK(cuMemSetAccess(t.mapped, MAPPED_BYTES, &some, 1));
		OK(cuMemSetAccess(t.mapped, MAPPED_BYTES, &all, 1));
		OK(run(k, 32, t.mapped, NULL));
	}
	OK(cuCtxSynchronize());
	OK(cuMemSetAccess(t.mapped, MAPPED_BYTES, &some, 1));
	OK(run(k, 32, t.mapped, NULL));
	FAILS(cuCtxSynchronize(), _i < 3 ? ILLEGAL_ADDRESS : 0);
}
END_TEST

START_TEST(sizes_of_nothing)
{
	void *host = &host;
	u64 at = 1;

	use_device();
	OK(cuMemHostAlloc(&host, 0, 0));
	ck_assert_ptr_null(host);
	host = &host;
	OK(cuMemAllocHost_v2(&host, 0));
	ck_assert_ptr_null(host);
	OK(cuMemAllocAsync(&at, 0, NULL));
	ck_assert_uint_eq(at, 0);
	FAILS(cuMemAlloc_v2(&at, 0), 1);
	FAILS(cuMemAllocManaged(&at, 0, 1), 1);
}
END_TEST

START_TEST(mbarriers_end_while_others_ask)
{
	u64 at;

	use_device();
	OK(cuMemAlloc_v2(&at, 4));
	OK(cuMemsetD32_v2(at, 0, 1));
	OK(run(kernel("ended"), 32 * WARPS, at, NULL));
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(word(at), 32 * WARPS);
	OK(run(kernel("again"), 32 * WARPS, at, NULL));
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(word(at), 64 * WARPS);
}
END_TEST

UNIT_TESTS("devices", 60)
{
	UNIT_TEST(kernels_run_where_their_stream_is);
	UNIT_TEST(events_and_pools_belong_to_devices);
	UNIT_TEST(fills_and_copies_need_access);
	tcase_add_loop_test(unit, kernels_need_access, 0, 6);
	tcase_add_loop_test(unit, kernels_only_read, 0, 4);
	UNIT_TEST(sizes_of_nothing);
	UNIT_TEST(mbarriers_end_while_others_ask);
}
