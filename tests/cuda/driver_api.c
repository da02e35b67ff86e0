/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver interface without any toolkit: declarations of our own, PTX of our own, fat binaries made here. Linked with
 * libcuda.so.1 as a program would be.
 */
#include <check.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/fat_binary.h"
#include "tests/unit/main.h"

typedef uint64_t u64;
int cuInit(unsigned), cuDeviceGet(int *, int), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *), cuModuleUnload(void *);
int cuModuleGetGlobal_v2(u64 *, size_t *, void *, const char *);
int cuMemAlloc_v2(u64 *, size_t), cuMemFree_v2(u64), cuMemcpyHtoD_v2(u64, const void *, size_t);
int cuMemcpyDtoH_v2(void *, u64, size_t), cuMemHostAlloc(void **, size_t, unsigned), cuMemFreeHost(void *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
		   void **);
int cuCtxSynchronize(void), cuStreamCreate(void **, unsigned), cuStreamSynchronize(void *), cuStreamDestroy_v2(void *);
int cuStreamQuery(void *), cuEventCreate(void **, unsigned), cuEventRecord(void *, void *),
	cuStreamWaitEvent(void *, void *, unsigned);
int cuEventDestroy_v2(void *), cuStreamBeginCapture_v2(void *, int), cuStreamEndCapture(void *, void **);
int cuGraphInstantiateWithFlags(void **, void *, u64), cuGraphLaunch(void *, void *), cuGraphExecDestroy(void *),
	cuGraphDestroy(void *);
int cuMemsetD32Async(u64, unsigned, size_t, void *), cuGetProcAddress_v2(const char *, void **, int, u64, int *);
int cuStreamWaitValue32_v2(void *, u64, unsigned, unsigned), cuCtxCreate_v2(void **, unsigned, int),
	cuCtxDestroy_v2(void *);
int cuLinkCreate_v2(unsigned, int *, void **, void **),
	cuLinkAddData_v2(void *, int, void *, size_t, const char *, unsigned, int *, void **);
int cuLinkComplete(void *, void **, size_t *), cuLinkDestroy(void *), cuFuncGetAttribute(int *, int, void *);
int cuMemcpyDtoD_v2(u64, u64, size_t), cuMemGetAddressRange_v2(u64 *, size_t *, u64), cuArrayCreate(void);

struct handle {
	u64 words[8];
};
int cuIpcGetMemHandle(struct handle *, u64), cuIpcOpenMemHandle_v2(u64 *, struct handle, unsigned),
	cuIpcCloseMemHandle(u64), cuIpcGetEventHandle(struct handle *, void *),
	cuIpcOpenEventHandle(void **, struct handle), cuEventQuery(void *), cuEventSynchronize(void *);
int cuMemsetD32_v2(u64, unsigned, size_t);

#define OK(call) ck_assert_int_eq(call, 0)

static const char TEXT[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			   ".visible .global .align 4 .u32 factor = 3;\n"
			   ".visible .const .align 4 .u32 added = 5;\n"
			   ".visible .entry scale(.param .u64 p, .param .u32 n)\n{\n"
			   "	.reg .pred %q; .reg .b32 %t, %n, %f, %c; .reg .b64 %a;\n"
			   "	ld.param.u64 %a, [p]; ld.param.u32 %n, [n];\n"
			   "	mov.u32 %t, %tid.x; setp.ge.u32 %q, %t, %n; @%q bra done;\n"
			   "	mad.wide.u32 %a, %t, 4, %a;\n"
			   "	ld.global.u32 %f, [factor]; ld.const.u32 %c, [added];\n"
			   "	ld.global.u32 %t, [%a]; mad.lo.u32 %t, %t, %f, %c; st.global.u32 [%a], %t;\n"
			   "done: ret;\n}\n"
			   ".visible .entry wait(.param .u64 p)\n{\n"
			   "	.reg .pred %q; .reg .b32 %v; .reg .b64 %a;\n"
			   "	ld.param.u64 %a, [p];\n"
			   "again: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %q, %v, 0; @%q bra again;\n"
			   "	st.global.u32 [%a+4], %v; ret;\n}\n";

static void *context(void)
{
	void *c;

	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&c, 0));
	OK(cuCtxSetCurrent(c));
	return c;
}

static void *function(const char *name)
{
	void *m, *f;

	OK(cuModuleLoadData(&m, TEXT));
	OK(cuModuleGetFunction(&f, m, name));
	return f;
}

static int scale(void *f, u64 at, unsigned n, void *stream)
{
	void *args[] = {&at, &n};

	return cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, stream, args, NULL);
}

START_TEST(a_kernel_runs)
{
	unsigned h[64];
	u64 at;

	context();
	void *f = function("scale");
	for (unsigned k = 0; k < 64; k++)
		h[k] = k;
	OK(cuMemAlloc_v2(&at, sizeof h));
	OK(cuMemcpyHtoD_v2(at, h, sizeof h));
	OK(scale(f, at, 40, NULL));
	OK(cuMemcpyDtoH_v2(h, at, sizeof h));
	for (unsigned k = 0; k < 64; k++)
		ck_assert_uint_eq(h[k], k < 40 ? 3 * k + 5 : k);
	ck_assert_int_eq(cuMemcpyDtoH_v2(h, at, sizeof h + 1), 1);
	ck_assert_int_eq(cuMemcpyDtoD_v2(at, 0x1234, 4), 1);
	ck_assert_int_eq(cuMemFree_v2(at + 4), 1);
	OK(cuMemFree_v2(at));
	ck_assert_int_eq(cuMemFree_v2(at), 1);
}
END_TEST

START_TEST(variables_and_constants_are_memory)
{
	u64 factor, added, at;
	size_t bytes;
	unsigned value = 10, other = 7;
	void *m, *f;

	context();
	OK(cuModuleLoadData(&m, TEXT));
	OK(cuModuleGetFunction(&f, m, "scale"));
	OK(cuModuleGetGlobal_v2(&factor, &bytes, m, "factor"));
	ck_assert_uint_eq(bytes, 4);
	ck_assert_uint_eq(*(unsigned *)(uintptr_t)factor, 3);
	OK(cuMemcpyHtoD_v2(factor, &value, 4));
	OK(cuModuleGetGlobal_v2(&added, &bytes, m, "added"));
	/* Another module's kernel writes to the constant. */
	OK(scale(function("scale"), added, 1, NULL));
	OK(cuMemAlloc_v2(&at, 4));
	OK(cuMemcpyHtoD_v2(at, &other, 4));
	OK(scale(f, at, 1, NULL));
	OK(cuMemcpyDtoH_v2(&other, at, 4));
	ck_assert_uint_eq(other, 7 * 10 + (5 * 3 + 5));
	ck_assert_int_eq(cuModuleGetGlobal_v2(&at, &bytes, m, "nothing"), 500);
	OK(cuModuleUnload(m));
	ck_assert_int_eq(cuModuleUnload(m), 400);
}
END_TEST

/* Constants lie behind the other variables, which may end at any byte, and both as aligned as they ask. */
START_TEST(constants_are_aligned_behind_text)
{
	static const char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
				   ".visible .const .align 16 .b8 table[16] = {1, 0, 0, 0, 0, 0, 0, 0, 2};\n"
				   ".visible .global .align 4096 .b8 page[1];\n"
				   ".visible .global .align 1 .b8 words[5] = {104, 105, 33, 10};\n"
				   ".visible .entry take(.param .u64 p)\n{\n"
				   "	.reg .b64 %a, %v, %w;\n"
				   "	ld.param.u64 %a, [p]; ld.const.v2.u64 {%v, %w}, [table]; add.u64 %v, %v, %w;\n"
				   "	st.global.u64 [%a], %v; ret;\n}\n";
	u64 at, table, page, sum = 0;
	size_t bytes;
	void *m, *f;

	context();
	OK(cuModuleLoadData(&m, text));
	OK(cuModuleGetFunction(&f, m, "take"));
	OK(cuModuleGetGlobal_v2(&table, &bytes, m, "table"));
	OK(cuModuleGetGlobal_v2(&page, &bytes, m, "page"));
	ck_assert_uint_eq(table % 256, 0);
	ck_assert_uint_eq(page % 4096, 0);
	OK(cuMemAlloc_v2(&at, 8));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&at}, NULL));
	OK(cuMemcpyDtoH_v2(&sum, at, 8));
	ck_assert_uint_eq(sum, 3);
	OK(cuModuleUnload(m));
}
END_TEST

START_TEST(a_kernel_that_waits_for_the_host_goes_on)
{
	volatile unsigned *flag;
	u64 at;

	context();
	void *f = function("wait"), *s, *args[] = {&at};
	OK(cuStreamCreate(&s, 1));
	OK(cuMemHostAlloc((void **)&flag, 64, 2));
	at = (u64)(uintptr_t)flag;
	flag[0] = flag[1] = 0;
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, NULL));
	ck_assert_int_eq(cuStreamQuery(s), 600);
	__atomic_store_n(&flag[0], 9, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&flag[1], __ATOMIC_SEQ_CST))
		;
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(flag[1], 9);
	flag[0] = flag[1] = 0;
	OK(cuStreamWaitValue32_v2(s, at, 4, 0));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, NULL));
	ck_assert_int_eq(cuStreamQuery(s), 600);
	__atomic_store_n(&flag[0], 4, __ATOMIC_SEQ_CST);
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(flag[1], 4);
	OK(cuStreamDestroy_v2(s));
	OK(cuMemFreeHost((void *)flag));
}
END_TEST

START_TEST(streams_wait_for_events_and_graphs_replay)
{
	unsigned value = 1;
	u64 at;

	context();
	void *f = function("scale"), *s, *t, *e, *g, *x;
	OK(cuStreamCreate(&s, 1));
	OK(cuStreamCreate(&t, 1));
	OK(cuEventCreate(&e, 2));
	OK(cuMemAlloc_v2(&at, 4));
	OK(cuMemcpyHtoD_v2(at, &value, 4));
	OK(scale(f, at, 1, s));
	OK(cuEventRecord(e, s));
	OK(cuStreamWaitEvent(t, e, 0));
	OK(scale(f, at, 1, t));
	OK(cuStreamSynchronize(t));
	OK(cuMemcpyDtoH_v2(&value, at, 4));
	ck_assert_uint_eq(value, 29);
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuMemsetD32Async(at, 2, 1, s));
	OK(cuEventRecord(e, s));
	OK(cuStreamWaitEvent(t, e, 0));
	OK(scale(f, at, 1, t));
	OK(cuEventRecord(e, t));
	OK(cuStreamWaitEvent(s, e, 0));
	OK(scale(f, at, 1, s));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	for (int k = 0; k < 3; k++)
		OK(cuGraphLaunch(x, t));
	OK(cuStreamSynchronize(t));
	OK(cuMemcpyDtoH_v2(&value, at, 4));
	ck_assert_uint_eq(value, (2 * 3 + 5) * 3 + 5);
	OK(cuStreamBeginCapture_v2(s, 0));
	ck_assert_int_eq(cuStreamSynchronize(s), 900);
	ck_assert_int_eq(cuStreamEndCapture(s, &g), 901);
	/* The event was last recorded in a capture that has ended. */
	ck_assert_int_eq(cuStreamWaitEvent(t, e, 0), 907);
	OK(cuEventRecord(e, s));
	OK(cuStreamWaitEvent(t, e, 0));
	OK(cuGraphExecDestroy(x));
	OK(cuEventDestroy_v2(e));
	OK(cuStreamDestroy_v2(s));
	OK(cuStreamDestroy_v2(t));
}
END_TEST

START_TEST(images_are_told_apart)
{
	static struct fat_binary binary;
	static struct fat_wrapper wrapper;
	void *m, *f, *l, *image;
	size_t size;
	int value;

	context();
	fat_binary_fill(&binary, &wrapper, TEXT, FAT_PTX, 80);
	OK(cuModuleLoadData(&m, &wrapper));
	OK(cuModuleGetFunction(&f, m, "scale"));
	OK(cuModuleUnload(m));
	OK(cuModuleLoadData(&m, &binary));
	fat_binary_fill(&binary, &wrapper, TEXT, FAT_PTX, 100);
	ck_assert_int_eq(cuModuleLoadData(&m, &wrapper), 209);
	fat_binary_fill(&binary, &wrapper, TEXT, FAT_CUBIN, 90);
	ck_assert_int_eq(cuModuleLoadData(&m, &wrapper), 209);
	ck_assert_int_eq(cuModuleLoadData(&m, "not PTX at all"), 200);
	ck_assert_int_eq(cuModuleLoadData(&m, ""), 200);
	ck_assert_int_eq(cuModuleLoadData(&m, ".version 7.0\n.target sm_80\n.entry k() { foo; }"), 218);
	ck_assert_int_eq(cuModuleLoadData(&m, ".version 99.0\n.target sm_80\n.address_size 64\n"), 222);
	OK(cuLinkCreate_v2(0, NULL, NULL, &l));
	OK(cuLinkAddData_v2(l, 1, (void *)(uintptr_t)TEXT, sizeof TEXT, "t", 0, NULL, NULL));
	OK(cuLinkComplete(l, &image, &size));
	void *kept = malloc(size);
	memcpy(kept, image, size);
	OK(cuLinkDestroy(l));
	OK(cuModuleLoadData(&m, kept));
	free(kept);
	OK(cuModuleGetFunction(&f, m, "scale"));
	OK(cuFuncGetAttribute(&value, 5, f));
	ck_assert_int_eq(value, 80);
	ck_assert_int_eq(cuFuncGetAttribute(&value, 16, f), 1);
	ck_assert_int_eq(cuModuleGetFunction(&f, (void *)0x1234, "scale"), 400);
	ck_assert_int_eq(cuArrayCreate(), 801);
}
END_TEST

START_TEST(a_fault_sticks_to_its_context)
{
	void *c = context(), *f = function("scale");
	u64 at;

	OK(scale(f, 0, 1, NULL));
	ck_assert_int_eq(cuCtxSynchronize(), 700);
	ck_assert_int_eq(cuMemAlloc_v2(&at, 4), 700);
	ck_assert_int_eq(scale(f, 0, 1, NULL), 700);
	OK(cuCtxSetCurrent(c));
}
END_TEST

static void *many_launches(void *unused)
{
	unsigned value = 1, wanted = 1;
	u64 at;
	void *s;

	(void)unused;
	context();
	void *f = function("scale");
	if (cuStreamCreate(&s, 1) || cuMemAlloc_v2(&at, 4) || cuMemcpyHtoD_v2(at, &value, 4))
		return NULL;
	for (int k = 0; k < 50; k++) {
		wanted = wanted * 3 + 5;
		if (scale(f, at, 1, s))
			return NULL;
	}
	if (cuStreamSynchronize(s) || cuMemcpyDtoH_v2(&value, at, 4) || cuStreamDestroy_v2(s) || cuMemFree_v2(at))
		return NULL;
	return value == wanted ? s : NULL;
}

START_TEST(eight_threads)
{
	pthread_t threads[8];
	void *result;

	for (int k = 0; k < 8; k++)
		ck_assert_int_eq(pthread_create(&threads[k], NULL, many_launches, NULL), 0);
	for (int k = 0; k < 8; k++) {
		pthread_join(threads[k], &result);
		ck_assert_ptr_nonnull(result);
	}
}
END_TEST

START_TEST(entry_points_are_found_by_version)
{
	void *p = &p;
	int why = 9;

	context();
	OK(cuGetProcAddress_v2("cuMemAlloc", &p, 3020, 0, &why));
	ck_assert(p == (void *)cuMemAlloc_v2 && why == 0);
	OK(cuGetProcAddress_v2("cuMemHostAlloc", &p, 2000, 0, &why));
	ck_assert(!p && why == 2);
	OK(cuGetProcAddress_v2("cuNothing", &p, 12000, 0, &why));
	ck_assert(!p && why == 1);
	ck_assert_int_eq(cuGetProcAddress_v2("cuNothing", &p, 12000, 0, NULL), 500);
	ck_assert_int_eq(cuGetProcAddress_v2("cuMemAlloc", &p, 13010, 0, &why), 1);
}
END_TEST

/* What two processes share: handles, and how far they have come. */
struct meeting {
	struct handle memory, event;
	int stage;
};

static void come_to(struct meeting *m, int stage) { __atomic_store_n(&m->stage, stage, __ATOMIC_RELEASE); }
static void wait_for(struct meeting *m, int stage)
{
	while (__atomic_load_n(&m->stage, __ATOMIC_ACQUIRE) != stage)
		usleep(100);
}

/* Waits for the other process's event, which a flag keeps back, and then scales its memory. Exits with the number of
 * what failed. */
static void other_process(struct meeting *m)
{
	u64 at, again;
	void *event, *s;

	wait_for(m, 1);
	context();
	void *f = function("scale");
	if (cuIpcOpenMemHandle_v2(&at, m->memory, 1) || cuIpcOpenMemHandle_v2(&again, m->memory, 1) || at != again)
		_exit(1);
	if (cuIpcOpenEventHandle(&event, m->event) || cuStreamCreate(&s, 1) || cuEventQuery(event) != 600)
		_exit(2);
	if (cuStreamWaitEvent(s, event, 0) || scale(f, at, 16, s))
		_exit(3);
	come_to(m, 2);
	if (cuStreamSynchronize(s) || cuEventSynchronize(event) || cuEventQuery(event))
		_exit(4);
	if (cuIpcCloseMemHandle(at) || cuIpcCloseMemHandle(at) || cuIpcCloseMemHandle(at) != 1)
		_exit(5);
	_exit(0);
}

START_TEST(processes_share_memory_and_events)
{
	struct meeting *m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const pid_t child = fork();
	unsigned have[16] = {0}, *flag;
	void *event, *s;
	u64 apart, at;
	int status;

	if (!child)
		other_process(m);
	context();
	void *wait = function("wait");
	OK(cuMemAlloc_v2(&apart, 1000));
	OK(cuMemAlloc_v2(&at, sizeof have));
	OK(cuMemsetD32_v2(apart, 7, 250));
	OK(cuMemHostAlloc((void **)&flag, 8, 0));
	flag[0] = 0;
	OK(cuStreamCreate(&s, 1));
	ck_assert_int_eq(cuEventCreate(&event, 4), 1);
	OK(cuEventCreate(&event, 4 | 2));
	OK(cuLaunchKernel(wait, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){&flag}, NULL));
	OK(cuMemsetD32Async(at, 10, 16, s));
	OK(cuEventRecord(event, s));
	ck_assert_int_eq(cuIpcGetMemHandle(&m->memory, (u64)(uintptr_t)flag), 1);
	flag[0] = 1;
	OK(cuIpcGetMemHandle(&m->memory, at));
	OK(cuIpcGetEventHandle(&m->event, event));
	flag[0] = 0;
	OK(cuLaunchKernel(wait, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){&flag}, NULL));
	OK(cuEventRecord(event, s));
	ck_assert_int_eq(cuIpcOpenMemHandle_v2(&at, m->memory, 1), 201);
	come_to(m, 1);
	wait_for(m, 2);
	usleep(20000);
	flag[0] = 1;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	OK(cuMemcpyDtoH_v2(have, at, sizeof have));
	for (int k = 0; k < 16; k++)
		ck_assert_uint_eq(have[k], 35);
	/* The rest of the chunk moved with it. */
	OK(cuMemcpyDtoH_v2(have, apart, sizeof have));
	ck_assert_uint_eq(have[3], 7);
	OK(cuMemFree_v2(at));
	/* A handle of nothing: the file has another number. The process's may be one of this one's threads. */
	m->memory.words[2]++;
	ck_assert_int_ne(cuIpcOpenMemHandle_v2(&at, m->memory, 1), 0);
	memset(&m->memory, 0, sizeof m->memory);
	ck_assert_int_eq(cuIpcOpenMemHandle_v2(&at, m->memory, 1), 400);
}
END_TEST

/* CUmemPoolProps, and CUmemAccessDesc. */
struct pool_properties {
	int type, handle_types, location_type, location;
	void *security;
	size_t most;
	unsigned short usage;
	unsigned char reserved[54];
};
struct access {
	int location_type, location, flags;
};
int cuMemPoolCreate(void **, const struct pool_properties *), cuMemPoolDestroy(void *),
	cuMemPoolExportToShareableHandle(void *, void *, int, u64),
	cuMemPoolImportFromShareableHandle(void **, void *, int, u64), cuMemPoolExportPointer(struct handle *, u64),
	cuMemPoolImportPointer(u64 *, void *, struct handle *),
	cuMemPoolSetAccess(void *, const struct access *, size_t), cuMemPoolGetAccess(int *, void *, void *),
	cuMemAllocFromPoolAsync(u64 *, size_t, void *, void *), cuMemFreeAsync(u64, void *),
	cuMemPoolGetAttribute(void *, int, void *);

/* Imports the pool by a file that it finds open under the same number, and an allocation of it. */
static void other_pool(struct meeting *m, int file)
{
	static const struct access all = {1, 0, 3};
	int location[2] = {1, 0}, flags;
	void *pool, *s;
	u64 at, none;

	wait_for(m, 1);
	context();
	void *f = function("scale");
	if (cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)file, 1, 0) || cuStreamCreate(&s, 1))
		_exit(1);
	if (cuMemPoolGetAccess(&flags, pool, location) || flags || cuMemPoolSetAccess(pool, &all, 1) ||
	    cuMemPoolGetAccess(&flags, pool, location) || flags != 3)
		_exit(2);
	if (cuMemPoolImportPointer(&at, pool, &m->memory) || cuMemAllocFromPoolAsync(&none, 64, pool, s) != 1)
		_exit(3);
	if (scale(f, at, 16, s) || cuMemFreeAsync(at, s) || cuStreamSynchronize(s) || cuMemFreeAsync(at, s) != 1)
		_exit(4);
	if (cuMemPoolImportPointer(&at, pool, &m->memory) || cuMemFree_v2(at) || cuMemPoolDestroy(pool))
		_exit(5);
	_exit(0);
}

START_TEST(processes_share_pools)
{
	const struct pool_properties shared = {.type = 1, .handle_types = 1, .location_type = 1};
	const struct pool_properties own = {.type = 1, .location_type = 1};
	int status, file = memfd_create("reserved", 0), exported;
	struct meeting *m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void *pool, *apart, *s;
	unsigned have[16];
	u64 at, used;

	/* The child's file is made before it, and filled with what the parent's says. */
	const pid_t child = fork();
	if (!child)
		other_pool(m, file);
	context();
	OK(cuStreamCreate(&s, 1));
	OK(cuMemPoolCreate(&apart, &own));
	OK(cuMemPoolCreate(&pool, &shared));
	ck_assert_int_eq(cuMemPoolExportToShareableHandle(&exported, apart, 1, 0), 1);
	OK(cuMemPoolExportToShareableHandle(&exported, pool, 1, 0));
	ck_assert_int_gt(sendfile(file, exported, &(off_t){0}, 4096), 0);
	OK(cuMemAllocFromPoolAsync(&at, sizeof have, apart, s));
	ck_assert_int_eq(cuMemPoolExportPointer(&m->memory, at), 1);
	OK(cuMemFree_v2(at));
	OK(cuMemPoolGetAttribute(apart, 7, &used));
	ck_assert_uint_eq(used, 0);
	OK(cuMemAllocFromPoolAsync(&at, sizeof have, pool, s));
	OK(cuMemsetD32Async(at, 10, 16, s));
	OK(cuMemPoolExportPointer(&m->memory, at));
	come_to(m, 1);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	OK(cuMemcpyDtoH_v2(have, at, sizeof have));
	for (int k = 0; k < 16; k++)
		ck_assert_uint_eq(have[k], 35);
	ck_assert_int_eq(cuMemPoolImportPointer(&at, pool, &m->memory), 1);
	ck_assert_int_eq(cuMemPoolImportFromShareableHandle(&apart, (void *)(intptr_t)-1, 1, 0), 1);
	OK(cuMemFreeAsync(at, s));
	OK(cuStreamSynchronize(s));
}
END_TEST

/* As on the card: the stream that is to free memory gives it again, for whatever it runs after that. */
START_TEST(a_stream_gives_again_what_it_is_to_free)
{
	const struct pool_properties own = {.type = 1, .location_type = 1};
	unsigned have[16];
	u64 first, at, other, used;
	void *pool, *s, *f;

	context();
	f = function("scale");
	OK(cuStreamCreate(&s, 1));
	OK(cuMemPoolCreate(&pool, &own));
	OK(cuMemAllocFromPoolAsync(&first, sizeof have, pool, s));
	for (unsigned k = 0; k < 200; k++) {
		OK(cuMemsetD32Async(first, k, 16, s));
		OK(scale(f, first, 16, s));
		OK(cuMemFreeAsync(first, s));
		ck_assert_int_eq(cuMemFreeAsync(first, s), 1);
		ck_assert_int_eq(cuMemFree_v2(first), 1);
		OK(cuMemAllocFromPoolAsync(&at, sizeof have, pool, s));
		ck_assert_uint_eq(at, first);
		OK(cuMemAllocFromPoolAsync(&other, sizeof have, pool, s));
		ck_assert_uint_ne(other, first);
		OK(scale(f, at, 16, s));
		OK(cuMemFreeAsync(other, s));
	}
	OK(cuMemPoolGetAttribute(pool, 7, &used));
	ck_assert_uint_eq(used, sizeof have);
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(have, first, sizeof have));
	for (int k = 0; k < 16; k++)
		ck_assert_uint_eq(have[k], (199 * 3 + 5) * 3 + 5);
	OK(cuMemFreeAsync(first, s));
	OK(cuStreamSynchronize(s));
	ck_assert_int_eq(cuMemFreeAsync(first, s), 1);
	OK(cuMemPoolDestroy(pool));
	OK(cuStreamDestroy_v2(s));
}
END_TEST

/* Streams that do not wait for one another: the fill is done all the same before a launch that comes later. */
START_TEST(a_fill_is_done_when_its_call_returns)
{
	unsigned have;
	void *s;
	u64 at;

	context();
	void *f = function("scale");
	OK(cuStreamCreate(&s, 1));
	OK(cuMemAlloc_v2(&at, 4));
	for (unsigned k = 0; k < 100; k++) {
		OK(cuMemsetD32_v2(at, k, 1));
		OK(scale(f, at, 1, s));
		OK(cuStreamSynchronize(s));
		OK(cuMemcpyDtoH_v2(&have, at, 4));
		ck_assert_uint_eq(have, k * 3 + 5);
	}
}
END_TEST

/* What a kernel states of its blocks bounds the registers that it is said to need. */
/* Threads of the parent that hold locks or run kernels are not in the child: it would wait for them forever. */
START_TEST(a_forked_process_has_no_device)
{
	void *m, *f, *s;
	u64 p;
	unsigned n = 64;
	int status;

	context();
	OK(cuModuleLoadData(&m, TEXT));
	OK(cuModuleGetFunction(&f, m, "scale"));
	OK(cuMemAlloc_v2(&p, 256));
	OK(cuStreamCreate(&s, 0));
	for (int k = 0; k < 20; k++)
		OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, s, (void *[]){&p, &n}, NULL));
	const pid_t child = fork();
	if (!child) {
		alarm(20);
		const int refused = cuMemAlloc_v2(&p, 4) == 3 && cuCtxSynchronize() == 3 && cuInit(0) == 3 &&
				    cuStreamSynchronize(s) == 3;
		_exit(refused ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	OK(cuStreamSynchronize(s));
	OK(cuMemFree_v2(p));
}
END_TEST

START_TEST(many_live_values_do_not_refuse_a_launch)
{
	char text[16384] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			   ".visible .entry many(.param .u64 p) .maxntid 512\n{\n.reg .b32 %r<200>; .reg .b64 %a;\n"
			   "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x;\n";
	void *m, *f;
	int registers;
	u64 at;

	for (int k = 1; k < 200; k++)
		sprintf(text + strlen(text), "ld.global.u32 %%r%d, [%%a+%d];\n", k, k * 4);
	for (int k = 1; k < 200; k++)
		sprintf(text + strlen(text), "st.global.u32 [%%a+%d], %%r%d;\n", k * 4, k);
	strcat(text, "ret;\n}\n");
	context();
	OK(cuModuleLoadData(&m, text));
	OK(cuModuleGetFunction(&f, m, "many"));
	OK(cuFuncGetAttribute(&registers, 4, f));
	ck_assert_int_eq(registers, 128);
	OK(cuMemAlloc_v2(&at, 1024));
	OK(cuLaunchKernel(f, 1, 1, 1, 512, 1, 1, 0, NULL, (void *[]){&at}, NULL));
	OK(cuCtxSynchronize());
}
END_TEST

UNIT_TESTS("driver interface", 0)
{
	UNIT_TEST(processes_share_memory_and_events);
	UNIT_TEST(processes_share_pools);
	UNIT_TEST(a_stream_gives_again_what_it_is_to_free);
	UNIT_TEST(a_fill_is_done_when_its_call_returns);
	UNIT_TEST(a_forked_process_has_no_device);
	UNIT_TEST(many_live_values_do_not_refuse_a_launch);
	UNIT_TEST(a_kernel_runs);
	UNIT_TEST(variables_and_constants_are_memory);
	UNIT_TEST(constants_are_aligned_behind_text);
	UNIT_TEST(a_kernel_that_waits_for_the_host_goes_on);
	UNIT_TEST(streams_wait_for_events_and_graphs_replay);
	UNIT_TEST(images_are_told_apart);
	UNIT_TEST(a_fault_sticks_to_its_context);
	UNIT_TEST(eight_threads);
	UNIT_TEST(entry_points_are_found_by_version);
}
