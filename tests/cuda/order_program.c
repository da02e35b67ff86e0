/* SPDX-License-Identifier: Apache-2.0
 *
 * What order_test.sh runs: work that something orders, or nothing. Its words say what it does, each with `-ordered` behind it so that all
 * is well: `given` uses in one stream what another gives, `freed` frees in one stream what another uses, `nodes` has a graph of two kernels and no
 * edge, `fork` captures one that forks too early, `early` launches a kernel that may begin before the one before it has ended
 * and does not wait for it; `begins` waits, but reads before. `twice` frees in a stream what the stream is to free already. `again` launches a
 * graph in two streams by turns, which is ordered.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char TEXT[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".visible .entry puts(.param .u64 p)\n{\n"
	"	.reg .b32 %t; .reg .b64 %p, %o; griddepcontrol.launch_dependents;\n"
	"	mov.u32 %t, %tid.x; ld.param.u64 %p, [p]; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;\n"
	"	st.global.u32 [%p], %t; ret;\n}\n"
	".visible .entry doubles(.param .u64 p)\n{\n"
	"	.reg .b32 %t; .reg .b64 %p, %o;\n"
	"	mov.u32 %t, %tid.x; ld.param.u64 %p, [p]; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;\n"
	"	ld.global.u32 %t, [%p]; shl.b32 %t, %t, 1; st.global.u32 [%p], %t; ret;\n}\n"
	".visible .entry counts(.param .u64 p)\n{\n"
	"	.reg .b32 %t, %n; .reg .b64 %p, %o; .reg .pred %q;\n"
	"	mov.u32 %t, %tid.x; ld.param.u64 %p, [p]; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;\n"
	"	ld.global.u32 %t, [%p]; mov.u32 %n, 0;\n"
	"again: add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 2000; @%q bra again;\n"
	"	add.u32 %t, %t, 1; st.global.u32 [%p], %t; ret;\n}\n"
	".visible .entry waits(.param .u64 p)\n{\n"
	"	.reg .b32 %t; .reg .b64 %p, %o; griddepcontrol.wait;\n"
	"	mov.u32 %t, %tid.x; ld.param.u64 %p, [p]; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;\n"
	"	ld.global.u32 %t, [%p]; shl.b32 %t, %t, 1; st.global.u32 [%p], %t; ret;\n}\n"
	".visible .entry begins(.param .u64 p)\n{\n"
	"	.reg .b32 %t; .reg .b64 %p, %o;\n"
	"	mov.u32 %t, %tid.x; ld.param.u64 %p, [p]; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;\n"
	"	ld.global.u32 %t, [%p]; shl.b32 %t, %t, 1; griddepcontrol.wait; st.global.u32 [%p], %t; ret;\n}\n";

enum { BYTES = 256, THREADS = 64, ATTRIBUTE_EARLY = 6 };

/* CUlaunchConfig and CUDA_KERNEL_NODE_PARAMS_v1. */
struct launch {
	unsigned grid[3], block[3], shared_bytes;
	void *stream, *attributes;
	unsigned attribute_count;
};
struct attribute {
	int id, unused;
	int value[16];
};
struct node {
	void *function;
	unsigned grid[3], block[3], shared_bytes;
	void **params, **extra;
};

static struct {
	int (*alloc)(unsigned long long *, size_t);
	int (*give)(unsigned long long);
	int (*alloc_later)(unsigned long long *, size_t, void *);
	int (*free_later)(unsigned long long, void *);
	int (*fill)(unsigned long long, unsigned, size_t);
	int (*copy)(void *, unsigned long long, size_t);
	int (*function)(void **, void *, const char *);
	int (*stream_new)(void **, unsigned);
	int (*event_new)(void **, unsigned);
	int (*record)(void *, void *);
	int (*wait)(void *, void *, unsigned);
	int (*finish)(void);
	int (*start)(const struct launch *, void *, void **, void **);
	int (*graph_new)(void **, unsigned);
	int (*graph_add)(void **, void *, void *const *, size_t, const struct node *);
	int (*instantiate)(void **, void *, unsigned long long);
	int (*graph_start)(void *, void *);
	int (*capture)(void *, int);
	int (*captured)(void *, void **);
} cu;

static void *library, *module, *first, *second, *event;
static unsigned long long memory;

static void find(void *to, const char *name)
{
	void *f = dlsym(library, name);

	if (!f) {
		printf("there is no %s\n", name);
		exit(4);
	}
	memcpy(to, &f, sizeof f);
}

static void find_all(void)
{
	find(&cu.alloc, "cuMemAlloc_v2");
	find(&cu.give, "cuMemFree_v2");
	find(&cu.alloc_later, "cuMemAllocAsync");
	find(&cu.free_later, "cuMemFreeAsync");
	find(&cu.fill, "cuMemsetD32_v2");
	find(&cu.copy, "cuMemcpyDtoH_v2");
	find(&cu.function, "cuModuleGetFunction");
	find(&cu.stream_new, "cuStreamCreate");
	find(&cu.event_new, "cuEventCreate");
	find(&cu.record, "cuEventRecord");
	find(&cu.wait, "cuStreamWaitEvent");
	find(&cu.finish, "cuCtxSynchronize");
	find(&cu.start, "cuLaunchKernelEx");
	find(&cu.graph_new, "cuGraphCreate");
	find(&cu.graph_add, "cuGraphAddKernelNode");
	find(&cu.instantiate, "cuGraphInstantiateWithFlags");
	find(&cu.graph_start, "cuGraphLaunch");
	find(&cu.capture, "cuStreamBeginCapture_v2");
	find(&cu.captured, "cuStreamEndCapture");
}

static int launch(const char *name, void *stream, unsigned long long at, int early)
{
	struct attribute attribute = {ATTRIBUTE_EARLY, 0, {1}};
	const struct launch l = {{1, 1, 1}, {THREADS, 1, 1}, 0, stream, &attribute, early != 0};
	void *f, *args[] = {&at};

	return cu.function(&f, module, name) || cu.start(&l, f, args, NULL);
}

/* What the second stream gets from now on comes after what the first has. */
static int order(void *a, void *b) { return cu.record(event, a) || cu.wait(b, event, 0); }

static int use_given(int ordered)
{
	unsigned long long p;
	int status = cu.alloc_later(&p, BYTES, first);

	if (ordered)
		status |= order(first, second);
	return status | launch("puts", second, p, 0) | cu.finish() | cu.free_later(p, first) | cu.finish();
}

static int free_used(int ordered)
{
	unsigned long long p;
	int status = cu.alloc_later(&p, BYTES, first) | order(first, second) | launch("puts", second, p, 0);

	if (ordered)
		status |= order(second, first);
	else
		usleep(500000); /* until the kernel has run: else there is no memory where it stores */
	return status | cu.free_later(p, first) | cu.finish();
}

/* Each launch of a graph comes after the one before it, in whatever stream. */
static int run_again(void)
{
	enum { ROUNDS = 20 };
	void *graph, *a, *made, *args[] = {&memory};
	struct node node = {NULL, {1, 1, 1}, {THREADS, 1, 1}, 0, args, NULL};
	unsigned values[THREADS];
	int status = cu.graph_new(&graph, 0) || cu.function(&node.function, module, "counts");

	status |= cu.fill(memory, 0, THREADS) | cu.graph_add(&a, graph, NULL, 0, &node);
	status |= cu.instantiate(&made, graph, 0);
	for (int k = 0; k < ROUNDS; k++)
		status |= cu.graph_start(made, k % 2 ? first : second);
	status |= cu.finish() | cu.copy(values, memory, sizeof values);
	for (int k = 0; k < THREADS; k++)
		status |= values[k] != ROUNDS;
	return status;
}

/* The third node is ordered by the way over the second. */
static int run_nodes(int ordered)
{
	void *graph, *a, *b, *c, *made, *args[] = {&memory};
	struct node node = {NULL, {1, 1, 1}, {THREADS, 1, 1}, 0, args, NULL};
	int status = cu.graph_new(&graph, 0);

	status |= cu.function(&node.function, module, "puts") || cu.graph_add(&a, graph, NULL, 0, &node);
	status |= cu.function(&node.function, module, "doubles") || cu.graph_add(&b, graph, &a, (size_t)ordered, &node);
	status |= cu.graph_add(&c, graph, &b, 1, &node) || cu.instantiate(&made, graph, 0);
	return status | cu.graph_start(made, NULL) | cu.graph_start(made, NULL) | cu.finish();
}

static int run_fork(int ordered)
{
	void *graph, *made;
	int status = cu.capture(first, 0);

	if (!ordered)
		status |= order(first, second);
	status |= launch("puts", first, memory, 0);
	if (ordered)
		status |= order(first, second);
	status |= launch("doubles", second, memory, 0) | order(second, first) | cu.captured(first, &graph);
	return status | cu.instantiate(&made, graph, 0) | cu.graph_start(made, first) | cu.finish();
}

/* What the program has waited for cannot be begun beside. */
static int begin_early(const char *name)
{
	return launch("puts", first, memory, 1) | cu.finish() | launch("doubles", first, memory, 1) | cu.finish() |
	       launch("puts", first, memory, 1) | launch(name, first, memory, 1) | cu.finish();
}

static int free_twice(void)
{
	unsigned long long p;
	const int status = cu.alloc_later(&p, BYTES, first) | cu.free_later(p, first);

	printf("error %d\n", cu.free_later(p, first));
	return status | cu.finish();
}

static int run(const char *word)
{
	const int ordered = strstr(word, "-ordered") != NULL;

	if (!strncmp(word, "given", 5))
		return use_given(ordered);
	if (!strncmp(word, "freed", 5))
		return free_used(ordered);
	if (!strncmp(word, "nodes", 5))
		return run_nodes(ordered);
	if (!strcmp(word, "again"))
		return run_again();
	if (!strncmp(word, "fork", 4))
		return run_fork(ordered);
	if (!strncmp(word, "early", 5))
		return begin_early(ordered ? "waits" : "doubles");
	if (!strcmp(word, "begins"))
		return begin_early("begins");
	return !strcmp(word, "twice") ? free_twice() : 1;
}

int main(int count, char **words)
{
	int (*init)(unsigned), (*retain)(void **, int), (*set)(void *), (*load)(void **, const void *), status = 0;
	void *context;

	library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library) {
		puts(dlerror());
		return 4;
	}
	find(&init, "cuInit");
	find(&retain, "cuDevicePrimaryCtxRetain");
	find(&set, "cuCtxSetCurrent");
	find(&load, "cuModuleLoadData");
	find_all();
	if (init(0) || retain(&context, 0) || set(context) || load(&module, TEXT) || cu.alloc(&memory, BYTES) ||
	    cu.fill(memory, 0, BYTES / 4) || cu.stream_new(&first, 1) || cu.stream_new(&second, 1) ||
	    cu.event_new(&event, 0))
		return 5;
	for (int k = 1; k < count; k++)
		status |= run(words[k]);
	status |= cu.give(memory);
	puts(status ? "wrong" : "done");
	return status;
}
