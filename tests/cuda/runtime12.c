/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime of CUDA 12, as a program that was compiled against it sees it: layouts that differ from CUDA 13's by our own
 * declarations (CUDA Runtime API 12.9, "cudaDeviceProp"), and a kernel that is registered and launched as compiled host code does it.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/fat_binary.h"

static const char TEXT[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			   ".visible .entry count_up(.param .u64 p, .param .u32 by)\n{\n"
			   "	.reg .b32 %t, %b; .reg .b64 %p, %o;\n"
			   "	mov.u32 %t, %tid.x; ld.param.u64 %p, [p]; ld.param.u32 %b, [by];\n"
			   "	mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o; add.u32 %t, %t, %b;\n"
			   "	st.global.u32 [%p], %t; ret;\n}\n";

static void *library;
static int failures;

static void *find(const char *name)
{
	/* By the version node that programs ask for. */
	void *at = dlvsym(library, name, "libcudart.so.12");

	if (!at) {
		printf("there is no %s@libcudart.so.12\n", name);
		exit(1);
	}
	return at;
}

static void expect(const char *what, long have, long wanted)
{
	if (have == wanted)
		return;
	failures++;
	printf("%s: %ld, expected %ld\n", what, have, wanted);
}

/* An integer at an offset of cudaDeviceProp. */
static const struct {
	const char *name;
	int offset, bytes;
	long value;
} fields[] = {
	{"totalGlobalMem", 288, 8, 150109880320},
	{"sharedMemPerBlock", 296, 8, 49152},
	{"regsPerBlock", 304, 4, 65536},
	{"warpSize", 308, 4, 32},
	{"maxThreadsPerBlock", 320, 4, 1024},
	{"maxGridSize[0]", 336, 4, 2147483647},
	{"clockRate", 348, 4, 1980000},
	{"totalConstMem", 352, 8, 65536},
	{"major", 360, 4, 9},
	{"minor", 364, 4, 0},
	{"textureAlignment", 368, 8, 512},
	{"multiProcessorCount", 388, 4, 132},
	{"canMapHostMemory", 400, 4, 1},
	{"maxTexture2D[0]", 420, 4, 131072},
	{"concurrentKernels", 576, 4, 1},
	{"asyncEngineCount", 600, 4, 3},
	{"unifiedAddressing", 604, 4, 1},
	{"memoryClockRate", 608, 4, 3201000},
	{"memoryBusWidth", 612, 4, 6016},
	{"l2CacheSize", 616, 4, 62914560},
	{"maxThreadsPerMultiProcessor", 624, 4, 2048},
	{"sharedMemPerMultiprocessor", 640, 8, 233472},
	{"managedMemory", 652, 4, 1},
	{"cooperativeLaunch", 688, 4, 1},
	{"sharedMemPerBlockOptin", 696, 8, 232448},
	{"maxBlocksPerMultiProcessor", 712, 4, 32},
	{"reservedSharedMemPerBlock", 720, 8, 1024},
};

static void properties(void)
{
	enum { BYTES = 1032, CANARY = 64 };
	unsigned char p[BYTES + CANARY];
	int (*get)(void *, int);

	*(void **)&get = find("cudaGetDeviceProperties_v2");
	memset(p, 0xa5, sizeof p);
	expect("cudaGetDeviceProperties_v2 of no device", get(p, 99), 101);
	for (int k = 0; k < BYTES + CANARY; k++)
		expect("a byte of properties that are not there", p[k], 0xa5);
	expect("cudaGetDeviceProperties_v2", get(p, 0), 0);
	expect("its name", strcmp((char *)p, "NVIDIA H200"), 0);
	for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
		int64_t wide = 0;
		memcpy(&wide, p + fields[k].offset, (size_t)fields[k].bytes);
		expect(fields[k].name, wide, fields[k].value);
	}
	for (int k = 0; k < CANARY; k++)
		expect("a byte behind it", p[BYTES + k], 0xa5);
}

struct dim3 {
	unsigned x, y, z;
};

static void kernel(void)
{
	static struct fat_binary image;
	static struct fat_wrapper wrapper;
	static char host;
	void **(*add)(void *), (*add_function)(void **, const char *, char *, const char *, int, void *, void *, void *,
					       void *, int *);
	int (*launch)(const void *, struct dim3, struct dim3, void **, size_t, void *), (*alloc)(void **, size_t);
	int (*copy)(void *, const void *, size_t, int), (*end)(void), (*version)(int *), h[64], by = 7, number;
	void *p;

	fat_binary_fill(&image, &wrapper, TEXT, FAT_PTX, 80);
	*(void **)&add = find("__cudaRegisterFatBinary");
	*(void **)&add_function = find("__cudaRegisterFunction");
	*(void **)&launch = find("cudaLaunchKernel");
	*(void **)&alloc = find("cudaMalloc");
	*(void **)&copy = find("cudaMemcpy");
	*(void **)&end = find("cudaDeviceSynchronize");
	*(void **)&version = find("cudaRuntimeGetVersion");
	void **handle = add(&wrapper);
	add_function(handle, &host, NULL, "count_up", -1, NULL, NULL, NULL, NULL, NULL);
	expect("cudaMalloc", alloc(&p, sizeof h), 0);
	void *args[] = {&p, &by};
	expect("cudaLaunchKernel", launch(&host, (struct dim3){1, 1, 1}, (struct dim3){64, 1, 1}, args, 0, NULL), 0);
	expect("cudaDeviceSynchronize", end(), 0);
	expect("cudaMemcpy", copy(h, p, sizeof h, 2), 0);
	for (int k = 0; k < 64; k++)
		expect("a value", h[k], k + by);
	expect("cudaRuntimeGetVersion", version(&number), 0);
	expect("the version's major number", number / 1000, 12);
}

/* cudaPointerAttributes of CUDA 12 has no reserve. */
static void pointers(void)
{
	struct {
		int type, device;
		void *device_pointer, *host_pointer;
		long canary;
	} a = {.canary = 0x1234};
	int (*get)(void *, const void *), (*alloc)(void **, size_t);
	void *p;

	*(void **)&get = find("cudaPointerGetAttributes");
	*(void **)&alloc = find("cudaMalloc");
	expect("cudaMalloc", alloc(&p, 16), 0);
	expect("cudaPointerGetAttributes", get(&a, p), 0);
	expect("its type", a.type, 2);
	expect("what is behind it", a.canary, 0x1234);
	expect("its pointer", a.device_pointer == p, 1);
}

/* One row of an array is copied without a pitch, as samples do; several rows need one. */
static void rows_of_arrays(void)
{
	const struct {
		int x, y, z, w, kind;
	} word = {32, 0, 0, 0, 0};
	int (*make)(void **, const void *, size_t, size_t, unsigned);
	int (*to_array)(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
	int (*from_array)(void *, size_t, const void *, size_t, size_t, size_t, size_t, int);
	int in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {0};
	void *array;

	*(void **)&make = find("cudaMallocArray");
	*(void **)&to_array = find("cudaMemcpy2DToArray");
	*(void **)&from_array = find("cudaMemcpy2DFromArray");
	expect("cudaMallocArray", make(&array, &word, 4, 2, 0), 0);
	expect("a row to an array", to_array(array, 0, 1, in + 4, 0, 16, 1, 1), 0);
	expect("a row from an array", from_array(out, 0, array, 0, 1, 16, 1, 2), 0);
	expect("the row", memcmp(out, in + 4, 16), 0);
	expect("rows to an array", to_array(array, 0, 0, in, 0, 16, 2, 1), 12);
	expect("rows from an array", from_array(out, 0, array, 0, 0, 16, 2, 2), 12);
	expect("a row, by a pitch too small", to_array(array, 0, 0, in, 8, 16, 1, 1), 12);
}

/* A library with a managed variable is opened, closed and opened again: the host's pointer to the variable comes with it
 * and goes with it. */
static void libraries(void)
{
	static const char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
				   ".visible .global .attribute(.managed) .align 4 .u32 shared_word = 6;\n";
	static struct fat_binary image;
	static struct fat_wrapper wrapper;
	void **(*add)(void *), (*add_managed)(void **, void **, char *, const char *, int, size_t, int, int),
		(*end)(void **);
	char (*init)(void **);
	int (*copy_from)(void *, const void *, size_t, size_t, int), value;
	int a[16];

	fat_binary_fill(&image, &wrapper, text, FAT_PTX, 80);
	*(void **)&add = find("__cudaRegisterFatBinary");
	*(void **)&add_managed = find("__cudaRegisterManagedVar");
	*(void **)&end = find("__cudaUnregisterFatBinary");
	*(void **)&init = find("__cudaInitModule");
	*(void **)&copy_from = find("cudaMemcpyFromSymbol");
	for (int round = 0; round < 3; round++) {
		int **host = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		void **handle = add(&wrapper);
		add_managed(handle, (void **)host, NULL, "shared_word", 0, 4, 0, 0);
		expect("__cudaInitModule", init(handle), 1);
		expect("there is a managed variable", *host != NULL, 1);
		if (!*host)
			return;
		expect("its value", **host, 6);
		**host = round;
		expect("cudaMemcpyFromSymbol", copy_from(&value, *host, 4, 0, 2), 0);
		expect("the value that was set", value, round);
		end(handle);
		munmap(host, 4096);
	}
	expect("a look at another symbol", copy_from(&value, a, 4, 0, 2), 13);
}

/* What an H200 answers to sizes of 0, to devices that are not there, and in a process that has been forked. */
static void odd_arguments(void)
{
	int (*managed)(void **, size_t, unsigned), (*between)(void *, int, const void *, int, size_t), (*count)(int *),
		(*version)(int *), (*allocate)(void **, size_t), status = -1, n = 0;
	void *at = &at;

	*(void **)&managed = find("cudaMallocManaged");
	*(void **)&between = find("cudaMemcpyPeer");
	*(void **)&count = find("cudaGetDeviceCount");
	*(void **)&version = find("cudaDriverGetVersion");
	*(void **)&allocate = find("cudaMalloc");
	expect("nothing of managed memory", managed(&at, 0, 1), 0);
	expect("its address", at == NULL, 1);
	expect("memory", allocate(&at, 64), 0);
	expect("a copy of a device", between(at, 0, (char *)at + 32, 0, 4), 0);
	expect("a copy of device 7", between(at, 0, (char *)at + 32, 7, 4), 101);
	const pid_t child = fork();
	if (!child)
		_exit(allocate(&at, 64) == 3 && !count(&n) && n == 1 && !version(&n) ? 0 : 1);
	waitpid(child, &status, 0);
	expect("a forked process", status, 0);
}

int main(void)
{
	library = dlopen("libcudart.so.12", RTLD_NOW);
	if (!library) {
		puts(dlerror());
		return 1;
	}
	kernel();
	properties();
	pointers();
	rows_of_arrays();
	libraries();
	odd_arguments();
	puts(failures ? "FAILED" : "PASSED");
	return failures != 0;
}
