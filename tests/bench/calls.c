/* SPDX-License-Identifier: Apache-2.0
 *
 * calls [--cpu] LIBCUDART: what calls of CUDA's interfaces cost, as a compiled program makes them, without a toolkit. Each figure is
 * the best of several tries, since other work can only add to it. --cpu: by the process's own time, for machines that are busy.
 *
 *     start of a program      from the first call to the end of the first launch, in a process of its own
 *     launch, synchronise     an empty kernel, one block of a thread, through cudaLaunchKernel
 *     10,000 cudaMalloc, Free 256 bytes each, all there together
 *     copies                  16 MiB between pinned memory and the device's, against memcpy of the same bytes
 *     module                  cuModuleLoadData of 2 MB of PTX, about 2,000 kernels, and of one of them to its first launch's end
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/cuda/fat_binary.h"

enum { TRIES = 7, LAUNCHES = 20000, ALLOCATIONS = 10000, COPY = 16 << 20, MODULE = 2000000 };

static const char EMPTY[] = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry empty()\n{\n	"
			    "ret;\n}\n";

static struct fat_binary image;
static struct fat_wrapper wrapper;
static char empty;

struct dim3 {
	unsigned x, y, z;
};

static struct {
	void **(*add)(void *);
	void (*add_function)(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
	void (*added)(void **);
	int (*launch)(const void *, struct dim3, struct dim3, void **, size_t, void *), (*synchronise)(void);
	int (*allocate)(void **, size_t), (*release)(void *), (*pin)(void **, size_t),
		(*copy)(void *, const void *, size_t, int);
	int (*load)(void **, const void *), (*unload)(void *), (*find)(void **, void *, const char *);
	int (*start)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
		     void **);
	int (*finish)(void);
} call;

static clockid_t clock_used = CLOCK_MONOTONIC;

static double now(void)
{
	struct timespec t;

	clock_gettime(clock_used, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(int result, const char *what)
{
	if (!result)
		return;
	fprintf(stderr, "calls: %s: error %d\n", what, result);
	exit(1);
}

static void *symbol(void *library, const char *name)
{
	void *at = dlsym(library, name);

	if (!at)
		fprintf(stderr, "calls: there is no %s\n", name), exit(1);
	return at;
}

/* Both libraries; the driver's is loaded by the runtime's. */
static void open_libraries(const char *path)
{
	static const struct {
		const char *name;
		void *to;
	} wanted[] = {{"__cudaRegisterFatBinary", &call.add},
		      {"__cudaRegisterFunction", &call.add_function},
		      {"__cudaRegisterFatBinaryEnd", &call.added},
		      {"cudaLaunchKernel", &call.launch},
		      {"cudaDeviceSynchronize", &call.synchronise},
		      {"cudaMalloc", &call.allocate},
		      {"cudaFree", &call.release},
		      {"cudaMallocHost", &call.pin},
		      {"cudaMemcpy", &call.copy},
		      {"cuModuleLoadData", &call.load},
		      {"cuModuleUnload", &call.unload},
		      {"cuModuleGetFunction", &call.find},
		      {"cuLaunchKernel", &call.start},
		      {"cuCtxSynchronize", &call.finish}};
	void *runtime = dlopen(path, RTLD_NOW | RTLD_GLOBAL);

	if (!runtime)
		fprintf(stderr, "calls: %s\n", dlerror()), exit(1);
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	if (!driver)
		fprintf(stderr, "calls: %s\n", dlerror()), exit(1);
	for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
		void *at = symbol(!strncmp(wanted[k].name, "cu", 2) && strncmp(wanted[k].name, "cuda", 4) ? driver
													  : runtime,
				  wanted[k].name);
		memcpy(wanted[k].to, &at, sizeof at);
	}
}

static void register_program(void)
{
	fat_binary_fill(&image, &wrapper, EMPTY, FAT_PTX, 80);
	void **program = call.add(&wrapper);
	call.add_function(program, &empty, (char *)(uintptr_t) "empty", "empty", -1, NULL, NULL, NULL, NULL, NULL);
	call.added(program);
}

static void launch_empty(void)
{
	need(call.launch(&empty, (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1}, NULL, 0, NULL), "cudaLaunchKernel");
	need(call.synchronise(), "cudaDeviceSynchronize");
}

/* In seconds, of a process that is made for it. */
static double measure_start(void)
{
	double seconds = 0;
	int pipes[2], status;

	need(pipe(pipes), "pipe");
	const pid_t child = fork();
	if (!child) {
		const double begin = now();
		launch_empty();
		seconds = now() - begin;
		_exit(write(pipes[1], &seconds, sizeof seconds) != sizeof seconds);
	}
	need(waitpid(child, &status, 0) != child || status ||
		     read(pipes[0], &seconds, sizeof seconds) != sizeof seconds,
	     "a process of its own");
	close(pipes[0]);
	close(pipes[1]);
	return seconds;
}

static double measure_launches(void)
{
	const double begin = now();

	for (int k = 0; k < LAUNCHES; k++)
		launch_empty();
	return (now() - begin) / LAUNCHES;
}

static double measure_allocations(void)
{
	static void *at[ALLOCATIONS];
	const double begin = now();

	for (int k = 0; k < ALLOCATIONS; k++)
		need(call.allocate(&at[k], 256), "cudaMalloc");
	for (int k = 0; k < ALLOCATIONS; k++)
		need(call.release(at[k]), "cudaFree");
	return now() - begin;
}

static void *copy_to, *copy_from;

static double measure_copy(void)
{
	const double begin = now();

	need(call.copy(copy_to, copy_from, COPY, 4), "cudaMemcpy");
	return now() - begin;
}

static double measure_memcpy(void)
{
	const double begin = now();

	memcpy(copy_to, copy_from, COPY);
	return now() - begin;
}

/* Kernels like those that nvcc makes of a loop over an array. */
static char *large_module(void)
{
	static const char kernel[] =
		".visible .entry kernel%d(.param .u64 kernel%d_param_0, .param .u64 kernel%d_param_1, .param .u32 "
		"kernel%d_param_2)\n"
		"{\n	.reg .pred %%p<3>; .reg .f32 %%f<6>; .reg .b32 %%r<10>; .reg .b64 %%rd<8>;\n"
		"	ld.param.u64 %%rd3, [kernel%d_param_0];\n	ld.param.u64 %%rd4, [kernel%d_param_1];\n"
		"	ld.param.u32 %%r6, [kernel%d_param_2];\n	cvta.to.global.u64 %%rd1, %%rd4;\n"
		"	cvta.to.global.u64 %%rd2, %%rd3;\n	mov.u32 %%r7, %%ntid.x;\n	mov.u32 %%r8, "
		"%%ctaid.x;\n"
		"	mov.u32 %%r9, %%tid.x;\n	mad.lo.s32 %%r1, %%r8, %%r7, %%r9;\n	setp.ge.s32 %%p1, "
		"%%r1, %%r6;\n"
		"	@%%p1 bra $L__BB%d_2;\n\n	mul.wide.s32 %%rd5, %%r1, 4;\n	add.s64 %%rd6, %%rd2, %%rd5;\n"
		"	ld.global.f32 %%f1, [%%rd6];\n	add.s64 %%rd7, %%rd1, %%rd5;\n	ld.global.f32 %%f2, [%%rd7];\n"
		"	fma.rn.f32 %%f3, %%f1, 0f3F8CCCCD, %%f2;\n	add.f32 %%f4, %%f3, 0f%08x;\n"
		"	st.global.f32 [%%rd7], %%f4;\n\n$L__BB%d_2:\n	ret;\n\n}\n";
	char *text = malloc(MODULE + 4096);
	int used = text ? sprintf(text, ".version 7.8\n.target sm_80\n.address_size 64\n") : 0;

	need(!text, "memory");
	for (int k = 0; used < MODULE; k++)
		used += sprintf(text + used, kernel, k, k, k, k, k, k, k, k, 0x3f800000 + k, k);
	return text;
}

static char *module_text;

static double measure_module(void)
{
	void *module;
	const double begin = now();

	need(call.load(&module, module_text), "cuModuleLoadData");
	const double seconds = now() - begin;
	need(call.unload(module), "cuModuleUnload");
	return seconds;
}

static double measure_module_launch(void)
{
	void *module, *f;
	uint64_t nothing = 0;
	uint32_t none = 0;
	void *arguments[] = {&nothing, &nothing, &none};
	const double begin = now();

	need(call.load(&module, module_text), "cuModuleLoadData");
	need(call.find(&f, module, "kernel1000"), "cuModuleGetFunction");
	need(call.start(f, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), "cuLaunchKernel");
	need(call.finish(), "cuCtxSynchronize");
	const double seconds = now() - begin;
	need(call.unload(module), "cuModuleUnload");
	return seconds;
}

static double best(double (*measure)(void))
{
	double least = measure();

	for (int k = 1; k < TRIES; k++) {
		const double again = measure();
		least = again < least ? again : least;
	}
	return least;
}

static void measure_copies(void)
{
	void *pinned, *device;

	need(call.pin(&pinned, COPY), "cudaMallocHost");
	need(call.allocate(&device, COPY), "cudaMalloc");
	memset(pinned, 1, COPY);
	copy_to = device;
	copy_from = pinned;
	const double up = best(measure_copy), plain = best(measure_memcpy);
	copy_to = pinned;
	copy_from = device;
	const double down = best(measure_copy);
	printf("copy to the device        %8.2f GB/s\ncopy from the device      %8.2f GB/s\nmemcpy                    "
	       "%8.2f GB/s\n",
	       COPY / up * 1e-9, COPY / down * 1e-9, COPY / plain * 1e-9);
	need(call.release(device), "cudaFree");
}

int main(int count, char **words)
{
	if (count == 3 && !strcmp(words[1], "--cpu"))
		clock_used = CLOCK_PROCESS_CPUTIME_ID;
	else if (count != 2)
		return fprintf(stderr, "usage: calls [--cpu] LIBCUDART\n"), 2;
	open_libraries(words[count - 1]);
	register_program();
	printf("start of a program        %8.2f ms\n", best(measure_start) * 1e3);
	printf("launch and synchronise    %8.2f us\n", best(measure_launches) * 1e6);
	printf("10,000 allocations, frees %8.2f ms\n", best(measure_allocations) * 1e3);
	measure_copies();
	module_text = large_module();
	printf("2 MB of PTX loaded        %8.2f ms\n", best(measure_module) * 1e3);
	printf("the same, and a launch    %8.2f ms\n", best(measure_module_launch) * 1e3);
	free(module_text);
	return 0;
}
