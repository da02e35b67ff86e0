/* SPDX-License-Identifier: Apache-2.0
 *
 * What exec_test.sh runs: a program of the driver interface that finds libcuda.so.1 as programs do. Its words say what it
 * does, in order: `race` and `clean` launch kernels, `fault` stores beyond its buffer, `rounding` a little, `beyond` reads there, `constant` stores to constant memory, `child` launches a kernel that
 * launches others, `forever` one that does not end, `look` one that branches on what its buffer holds, `waits` one that waits for what nobody writes, `fill` fills the buffer, `flag` its second half, `copy` copies
 * it to the host, `streams` with a word behind it uses it in two streams, `heap`, `stack`, `data`, `code` and `library` let a kernel store to that memory of the host, `leak` keeps its buffer, `inside` frees an address inside of it, `twice` frees it twice, `array` an array, `graph` launches a graph that allocates and frees memory, `graph-leak` one that does not free it, `fork` makes a child that does nothing, `profile` starts the profiler, `exit3` ends with 3,
 * `close` closes the library and takes some more time.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char TEXT[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12],\n"
	"	.param .align 4 .b8 b[12], .param .b32 s);\n"
	".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
	".visible .entry race(.param .u64 p)\n{\n"
	"	.reg .b32 %t, %a, %v; .reg .b64 %p; .shared .align 4 .b8 s[256];\n"
	"	mov.u32 %t, %tid.x; mov.u32 %a, s; shl.b32 %v, %t, 2; add.u32 %a, %a, %v; st.shared.u32 [%a], %t;\n"
	"	mov.u32 %a, s; sub.u32 %v, 252, %v; add.u32 %a, %a, %v;\n"
	"	ld.shared.u32 %v, [%a]; ld.param.u64 %p, [p]; st.global.u32 [%p], 1; ret;\n}\n"
	".visible .entry clean(.param .u64 p)\n{\n"
	"	.reg .b32 %t; .reg .b64 %p, %o;\n"
	"	mov.u32 %t, %tid.x; ld.param.u64 %p, [p]; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;\n"
	"	st.global.u32 [%p], %t; ret;\n}\n"
	".visible .entry beyond(.param .u64 p)\n{\n"
	"	.reg .b32 %t; .reg .b64 %p, %o;\n"
	"	mov.u32 %t, %tid.x; ld.param.u64 %p, [p]; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;\n"
	"	ld.global.u32 %t, [%p+256]; st.global.u32 [%p], %t; ret;\n}\n"
	".const .align 4 .b32 table[4] = {1, 2, 3, 4};\n"
	".visible .entry constant(.param .u64 p)\n{\n"
	"	.reg .b32 %t; .reg .b64 %p;\n"
	"	mov.u32 %t, 9; mov.u64 %p, table; cvta.const.u64 %p, %p; st.u32 [%p+8], %t; ret;\n}\n"
	".visible .entry forever(.param .u64 p)\n{\n"
	"	.reg .b32 %n;\n"
	"again: add.u32 %n, %n, 1; bra again;\n}\n"
	".visible .entry look(.param .u64 p)\n{\n"
	"	.reg .b32 %t, %v; .reg .b64 %p, %o; .reg .pred %q;\n"
	"	mov.u32 %t, %tid.x; ld.param.u64 %p, [p]; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;\n"
	"	ld.global.u32 %v, [%p]; setp.gt.u32 %q, %v, 1000; @%q st.global.u32 [%p], %t; ret;\n}\n"
	".visible .entry add(.param .u64 p)\n{\n"
	"	.reg .b64 %p; ld.param.u64 %p, [p]; red.global.add.u32 [%p], 1; ret;\n}\n"
	".visible .entry takes(.param .u64 p)\n{\n"
	"	.reg .b32 %v; .reg .b64 %p; .reg .pred %q; ld.param.u64 %p, [p];\n"
	"again: ld.relaxed.gpu.global.u32 %v, [%p+128]; setp.ne.u32 %q, %v, 77; @%q bra again;\n"
	"	fence.acq_rel.gpu; ld.global.u32 %v, [%p]; setp.gt.u32 %q, %v, 1000; @%q st.global.u32 [%p+4], %v; "
	"ret;\n}\n"
	".visible .entry gives(.param .u64 p)\n{\n"
	"	.reg .b64 %p; ld.param.u64 %p, [p]; st.global.u32 [%p], 5; fence.acq_rel.gpu;\n"
	"	st.relaxed.gpu.global.u32 [%p+128], 77; ret;\n}\n"
	".visible .entry hopes(.param .u64 p)\n{\n"
	"	.reg .b64 %p; ld.param.u64 %p, [p]; st.global.u32 [%p], 5;\n"
	"	st.relaxed.gpu.global.u32 [%p+128], 77; ret;\n}\n"
	".visible .entry bulk(.param .u64 p)\n{\n"
	"	.reg .b32 %t, %s, %b; .reg .b64 %p, %x; .reg .pred %q;\n"
	"	.shared .align 16 .b8 room[128]; .shared .align 8 .b64 bar;\n"
	"	mov.u32 %t, %tid.x; setp.ne.u32 %q, %t, 0; @%q ret;\n"
	"	ld.param.u64 %p, [p]; mov.u32 %s, room; mov.u32 %b, bar;\n"
	"	mbarrier.init.shared::cta.b64 [%b], 1; fence.mbarrier_init.release.cluster;\n"
	"	mbarrier.arrive.expect_tx.shared::cta.b64 %x, [%b], 128;\n"
	"	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%p], 128, [%b];\n"
	"again: mbarrier.try_wait.parity.shared::cta.b64 %q, [%b], 0; @!%q bra again; ret;\n}\n"
	".visible .entry waits(.param .u64 p)\n{\n"
	"	.reg .b32 %v; .reg .b64 %p; .reg .pred %q; ld.param.u64 %p, [p];\n"
	"again: ld.volatile.global.u32 %v, [%p]; setp.ne.u32 %q, %v, 77; @%q bra again; ret;\n}\n"
	".visible .entry parent(.param .u64 p)\n{\n"
	"	.reg .b32 %e; .reg .b64 %p, %b, %f; .reg .pred %q;\n"
	"	ld.param.u64 %p, [p]; mov.u64 %f, clean;\n"
	"	{ .param .b64 a0; .param .align 4 .b8 a1[12]; .param .align 4 .b8 a2[12]; .param .b32 a3; .param .b64 "
	"r0;\n"
	"	st.param.b64 [a0], %f; st.param.b32 [a1], 1; st.param.b32 [a1+4], 1; st.param.b32 [a1+8], 1;\n"
	"	st.param.b32 [a2], 64; st.param.b32 [a2+4], 1; st.param.b32 [a2+8], 1; st.param.b32 [a3], 0;\n"
	"	call.uni (r0), __cudaCDP2GetParameterBufferV2, (a0, a1, a2, a3); ld.param.b64 %b, [r0]; }\n"
	"	st.u64 [%b], %p;\n"
	"	{ .param .b64 a0; .param .b64 a1; .param .b32 r0; st.param.b64 [a0], %b; st.param.b64 [a1], 0;\n"
	"	call.uni (r0), __cudaCDP2LaunchDeviceV2, (a0, a1); ld.param.b32 %e, [r0]; }\n"
	"	ret;\n}\n";

typedef int call(void *, ...);

static void *library;

static call *find(const char *name)
{
	call *f = (call *)dlsym(library, name);

	if (!f) {
		printf("there is no %s\n", name);
		exit(4);
	}
	return f;
}

#define CU(name) find(#name)

static int launch_only(void *module, const char *name, unsigned threads, unsigned long long *p)
{
	int (*start)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
		     void **);
	void *f, *args[] = {p};

	*(void **)&start = (void *)CU(cuLaunchKernel);
	if (CU(cuModuleGetFunction)(&f, module, name))
		return 1;
	return start(f, 1, 1, 1, threads, 1, 1, 0, NULL, args, NULL);
}

static int launch(void *module, const char *name, unsigned threads, unsigned long long *p)
{
	const int result = launch_only(module, name, threads, p);
	int (*wait)(void);

	*(void **)&wait = (void *)CU(cuCtxSynchronize);
	return result ? result : wait();
}

static int copy_out(unsigned h[64], unsigned long long p)
{
	int (*copy)(void *, unsigned long long, size_t);

	*(void **)&copy = (void *)CU(cuMemcpyDtoH_v2);
	return copy(h, p, 64 * sizeof *h);
}

static int fill(unsigned long long p, size_t words)
{
	int (*set)(unsigned long long, unsigned, size_t);

	*(void **)&set = (void *)CU(cuMemsetD32_v2);
	return set(p, 1, words);
}

/* `clean` stores in one stream what `look` loads in another, after an event or in no order; or a copy takes it, or a bulk copy of a kernel, or
 * both add. */
static int use_streams(void *module, unsigned long long p, const char *how)
{
	int (*create)(void **, unsigned), (*event)(void **, unsigned), (*record)(void *, void *),
		(*wait)(void *, void *, unsigned), (*finish)(void), (*copy)(void *, unsigned long long, size_t, void *),
		(*start)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
			 void **);
	void *first, *second, *e, *f, *g, *args[] = {&p};
	static unsigned out[64];

	*(void **)&create = (void *)CU(cuStreamCreate);
	*(void **)&event = (void *)CU(cuEventCreate);
	*(void **)&record = (void *)CU(cuEventRecord);
	*(void **)&wait = (void *)CU(cuStreamWaitEvent);
	*(void **)&finish = (void *)CU(cuCtxSynchronize);
	*(void **)&start = (void *)CU(cuLaunchKernel);
	*(void **)&copy = (void *)CU(cuMemcpyDtoHAsync_v2);
	const int flags = !strcmp(how, "gives") || !strcmp(how, "hopes"), bulk = !strncmp(how, "bulk", 4);
	if (create(&first, 1) || create(&second, 1) || event(&e, 0) ||
	    CU(cuModuleGetFunction)(&f, module, flags ? "takes" : "clean") ||
	    CU(cuModuleGetFunction)(&g, module,
				    flags                  ? how
				    : !strcmp(how, "adds") ? "add"
				    : bulk                 ? "bulk"
							   : "look"))
		return 1;
	int status = start(!strcmp(how, "adds") ? g : f, 1, 1, 1, 64, 1, 1, 0, first, args, NULL);
	if (strstr(how, "ordered"))
		status |= record(e, first) | wait(second, e, 0);
	if (!strcmp(how, "waited"))
		status |= finish();
	if (flags)
		usleep(100000); /* until the one that waits runs */
	status |= !strcmp(how, "copied") ? copy(out, p, sizeof out, second)
					 : start(g, 1, 1, 1, 64, 1, 1, 0, second, args, NULL);
	return status | finish();
}

/* Onto bytes that it copies, too. */
static int copy_along(unsigned long long p, unsigned bytes)
{
	int (*copy)(unsigned long long, unsigned long long, size_t);

	*(void **)&copy = (void *)CU(cuMemcpyDtoD_v2);
	return copy(p + bytes, p, 128);
}

static int check_values(unsigned long long p)
{
	unsigned h[64];

	if (copy_out(h, p))
		return 1;
	for (unsigned k = 0; k < 64; k++)
		if (h[k] != k)
			return 1;
	return 0;
}

static unsigned data[64];

/* A kernel that stores where it has nothing to store: the call's error, and whether the host's bytes are as they were. */
static void attack(void *module, const char *what)
{
	unsigned stack[64] = {0}, before[64], *heap = calloc(64, sizeof *heap);
	void *at = !strcmp(what, "heap")    ? (void *)heap
		   : !strcmp(what, "stack") ? (void *)stack
		   : !strcmp(what, "data")  ? (void *)data
		   : !strcmp(what, "code")  ? (void *)(uintptr_t)launch
					    : (void *)CU(cuInit);
	unsigned long long p = (unsigned long long)(uintptr_t)at & ~3ull;

	at = (void *)(uintptr_t)p;
	memcpy(before, at, sizeof before);
	const int error = launch(module, "clean", 64, &p);
	printf("error %d, %s\n", error, memcmp(before, at, sizeof before) ? "changed" : "unchanged");
	free(heap);
}

static int is_attack(const char *word)
{
	return !strcmp(word, "heap") || !strcmp(word, "stack") || !strcmp(word, "data") || !strcmp(word, "code") ||
	       !strcmp(word, "library");
}

/* A graph that allocates and, if `frees`, frees again; it is launched and never destroyed. */
static int launch_graph(int frees)
{
	int (*stream_new)(void **, unsigned), (*begin)(void *, int), (*end)(void *, void **),
		(*free_later)(unsigned long long, void *), (*alloc_later)(unsigned long long *, size_t, void *),
		(*instantiate)(void **, void *, unsigned long long), (*start)(void *, void *), (*wait)(void);
	void *stream, *graph, *made;
	unsigned long long p;

	*(void **)&stream_new = (void *)CU(cuStreamCreate);
	*(void **)&begin = (void *)CU(cuStreamBeginCapture_v2);
	*(void **)&end = (void *)CU(cuStreamEndCapture);
	*(void **)&alloc_later = (void *)CU(cuMemAllocAsync);
	*(void **)&free_later = (void *)CU(cuMemFreeAsync);
	*(void **)&instantiate = (void *)CU(cuGraphInstantiateWithFlags);
	*(void **)&start = (void *)CU(cuGraphLaunch);
	*(void **)&wait = (void *)CU(cuCtxSynchronize);
	if (stream_new(&stream, 1) || begin(stream, 0) || alloc_later(&p, 512, stream) ||
	    (frees && free_later(p, stream)) || end(stream, &graph))
		return 1;
	return instantiate(&made, graph, 0) || start(made, stream) || wait();
}

/* A child that ends as programs do, by exit: what the library writes at the end is the parent's. */
static int fork_child(void)
{
	int status;

	fflush(stdout);
	const pid_t child = fork();
	if (!child)
		exit(0);
	return waitpid(child, &status, 0) == child ? status : 1;
}

static int keep_array(void)
{
	struct {
		size_t width, height;
		int format;
		unsigned channels;
	} shape = {16, 8, 0x20, 1};
	void *array;

	return find("cuArrayCreate_v2")(&array, &shape);
}

static int tell_memory(void)
{
	int (*about)(size_t *, size_t *), (*alloc)(unsigned long long *, size_t);
	unsigned long long p;
	size_t unused, total;

	*(void **)&about = (void *)CU(cuMemGetInfo_v2);
	*(void **)&alloc = (void *)CU(cuMemAlloc_v2);
	if (about(&unused, &total))
		return 1;
	printf("total %zu free %zu\nall of it: error %d\n", total, unused, alloc(&p, total));
	return 0;
}

int main(int count, char **words)
{
	int (*init)(unsigned), (*retain)(void **, int), (*set)(void *), (*load)(void **, const void *),
		(*alloc)(unsigned long long *, size_t), (*give)(unsigned long long), (*start)(void), status = 0;
	unsigned long long p;
	void *context, *module;
	unsigned out[64];

	library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library) {
		puts(dlerror());
		return 4;
	}
	*(void **)&init = (void *)CU(cuInit);
	*(void **)&retain = (void *)CU(cuDevicePrimaryCtxRetain);
	*(void **)&set = (void *)CU(cuCtxSetCurrent);
	*(void **)&load = (void *)CU(cuModuleLoadData);
	*(void **)&alloc = (void *)CU(cuMemAlloc_v2);
	*(void **)&give = (void *)CU(cuMemFree_v2);
	*(void **)&start = (void *)CU(cuProfilerStart);
	if (init(0) || retain(&context, 0) || set(context) || load(&module, TEXT) || alloc(&p, 256))
		return 5;
	for (int k = 1; k < count; k++)
		if (!strcmp(words[k], "race") || !strcmp(words[k], "clean") || !strcmp(words[k], "look"))
			status |= launch(module, words[k], 64, &p);
		else if (!strcmp(words[k], "forever"))
			status |= puts("begins") | fflush(stdout) | launch(module, "forever", 32, &p);
		else if (!strcmp(words[k], "fault"))
			printf("error %d\n", launch(module, "clean", 256, &p));
		else if (!strcmp(words[k], "unwaited") && k + 1 < count)
			return launch_only(module, words[++k], 64, &p);
		else if (!strcmp(words[k], "rounding"))
			printf("error %d\n", launch(module, "clean", 128, &p));
		else if (!strcmp(words[k], "beyond"))
			printf("error %d\n", launch(module, "beyond", 64, &p));
		else if (!strcmp(words[k], "constant"))
			printf("error %d\n", launch(module, "constant", 1, &p));
		else if (!strcmp(words[k], "child"))
			status |= launch(module, "parent", 1, &p) | check_values(p);
		else if (!strcmp(words[k], "waits"))
			printf("error %d\n", launch(module, "waits", 32, &p));
		else if (!strcmp(words[k], "fill"))
			status |= fill(p, 64);
		else if (!strcmp(words[k], "fill-long"))
			printf("error %d\n", fill(p, 100));
		else if (!strcmp(words[k], "copy-long"))
			printf("error %d\n", copy_out(out, p + 64));
		else if (!strcmp(words[k], "copy-along"))
			status |= copy_along(p, 128);
		else if (!strcmp(words[k], "copy-over"))
			status |= copy_along(p, 64);
		else if (!strcmp(words[k], "flag"))
			status |= fill(p + 128, 32);
		else if (!strcmp(words[k], "streams") && k + 1 < count)
			status |= use_streams(module, p, words[++k]);
		else if (!strcmp(words[k], "copy"))
			status |= copy_out(out, p);
		else if (!strcmp(words[k], "profile"))
			start();
		else if (!strcmp(words[k], "graph") || !strcmp(words[k], "graph-leak"))
			status |= launch_graph(!strcmp(words[k], "graph"));
		else if (!strcmp(words[k], "fork"))
			status |= fork_child();
		else if (!strcmp(words[k], "array"))
			status |= keep_array();
		else if (!strcmp(words[k], "memory"))
			status |= tell_memory();
		else if (!strcmp(words[k], "inside"))
			printf("error %d\n", give(p + 64));
		else if (is_attack(words[k]))
			attack(module, words[k]);
	if (count < 2 || strcmp(words[count - 1], "leak"))
		give(p);
	if (count > 1 && !strcmp(words[count - 1], "twice"))
		printf("error %d\n", give(p));
	if (count > 1 && !strcmp(words[count - 1], "freed"))
		printf("error %d\n", launch(module, "clean", 64, &p));
	if (count > 1 && !strcmp(words[count - 1], "copy-freed"))
		printf("error %d\n", copy_out(out, p + 64));
	if (count > 1 && !strcmp(words[count - 1], "close")) {
		dlclose(library);
		usleep(100000);
	}
	puts(status ? "wrong" : "done");
	return count > 1 && !strcmp(words[count - 1], "exit3") ? 3 : status;
}
