/* SPDX-License-Identifier: Apache-2.0
 *
 * Every call of both interfaces with arguments of the right shape and the wrong contents: null pointers, handles of other
 * kinds, handles of dead objects, numbers out of range. None may crash or hang the process. The table of calls says what
 * to pass: a parameter's type chooses among the values below. Pointers that a call may use are null or lead to memory, as
 * with any C function; handles may be anything, since the libraries promise to know their own.
 *
 * Each call is tried in a process of its own, then all of them in mixed order, so that one meets what others left behind.
 * misuse LIBRARY [FIRST-SEED ROUNDS]: "cuda" or "cudart"; more mixed runs, from a seed, on request.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/runtime/runtime.h"

struct row {
	const char *name, *params; /* params: NULL: the call is absent */
	void *at;
};

#define CALL(symbol, handler, version, needs, params, args, format) {#symbol, #params, NULL},
#define ABSENT(symbol, version)                                     {#symbol, NULL, NULL},
static struct row driver_rows[] = {
#include "cuda/driver/calls.inc"
};
#undef CALL
#undef ABSENT
#define CALL(symbol, handler, own, params, args) {#symbol, #params, NULL},
#define PASS(symbol, own, params, call)          {#symbol, #params, NULL},
#define PLAIN(symbol, handler, params, args)     {#symbol, #params, NULL},
#define ABSENT(symbol)                           {#symbol, NULL, NULL},
static struct row runtime_rows[] = {
#include "cuda/runtime/calls.inc"
};

/* --- What is passed ---------------------------------------------------------------------------------- */

enum { SCRATCH = 1 << 22, ROUNDS = 150, MIXED_CALLS = 4000, HANDLES = 64, REGISTERS = 6, STACK = 24, SECONDS = 40 };

static u8 *scratch; /* two halves: zero before each call, and what the calls may write */
static u64 device, managed, handles[HANDLES];
static u32 handle_count;
static u64 state;

static const char TEXT[] = ".version 7.0\n.target sm_50\n.address_size 64\n.global .u32 v[4];\n.global .texref t;\n"
			   ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n	ret;\n}\n";

static u64 next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static u64 one_of(const u64 *list, size_t count) { return list[next() % count]; }
#define ONE_OF(...) one_of((const u64[]){__VA_ARGS__}, sizeof((const u64[]){__VA_ARGS__}) / sizeof(u64))

static void nothing(void *data) { (void)data; }

static u64 handle(void)
{
	switch (next() % 8) {
	case 0:
		return 0;
	case 1:
		return ONE_OF(1, 2, 3, 0x1000, 0xdeadbeefdeadbeef, ~0ull);
	case 2:
		return ADDRESS(scratch);
	case 3:
		return device;
	default:
		return handle_count ? handles[next() % handle_count] : 0;
	}
}

static u64 number(bool moderate)
{
	static const u64 wild[] = {~0ull, 1ull << 63, 1ull << 40, 1ull << 32, 0x7fffffffffffffff, 0xfffffffffffff000};

	if (!moderate && next() % 4 == 0)
		return one_of(wild, COUNT_OF(wild));
	if (moderate)
		return next() % 4 ? next() % 5 : ONE_OF(8, 64, 100, 256);
	return next() % 2 ? next() % 5 : ONE_OF(7, 8, 16, 32, 64, 100, 128, 255, 256, 512, 1024, 4096);
}

/* Memory that a structure's pointers may lead to. */
static u64 memory(void) { return ONE_OF(0, device, device + 64, managed, ADDRESS(scratch + SCRATCH / 2)); }

/* Where structures have pointers to memory, functions or handles, in bytes; the rest are numbers. */
static const struct shape {
	const char *type;
	u16 pointers[6], handles[4];
} shapes[] = {
	{"struct cu_copy_2d", {24, 32, 80, 88}, {40, 96}},
	{"struct cu_copy_3d", {40, 48, 128, 136}, {56, 64, 144, 152}},
	{"struct rt_copy_3d", {32, 96}, {0, 64}},
	{"struct rt_copy_peer", {32, 104}, {0, 72}},
	{"struct cu_resource", {0}, {8}},
	{"struct rt_resource", {0}, {8}},
	{"struct cu_launch_config", {0}, {32, 40}},
	{"struct rt_config", {0}, {32, 40}},
	{"struct cu_kernel_node", {40, 48}, {0, 56, 64}},
	{"struct rt_kernel_node", {40, 48}, {0}},
	{"struct cu_memset_node", {0}, {0}},
	{"struct rt_memset_node", {0}, {0}},
	{"struct cu_alloc_node", {88}, {0}},
	{"struct cu_pool_properties", {0}, {0}},
};

static void put(u8 *to, u64 value) { memcpy(to, &value, sizeof value); }

/* A structure to read: all zero, or small numbers and fitting pointers. */
static u64 structure(const char *type, u8 *to)
{
	const bool known = next() % 3 != 0;

	memset(to, 0, 512);
	for (size_t k = 0; known && k < COUNT_OF(shapes); k++) {
		const struct shape *s = &shapes[k];
		if (!strstr(type, s->type))
			continue;
		for (u32 at = 0; at < 256; at += 8)
			put(to + at, next() % 4 ? next() % 5 : ONE_OF(16, 64, 100, 1ull << 63, ~0ull));
		for (size_t p = 0; p < COUNT_OF(s->pointers) && (!p || s->pointers[p]); p++)
			put(to + s->pointers[p], s->pointers[p] || strstr(type, "memset") ? memory() : next() % 6);
		for (size_t h = 0; h < COUNT_OF(s->handles) && (!h || s->handles[h]); h++)
			if (s->handles[h] || strstr(type, "copy") || strstr(type, "kernel"))
				put(to + s->handles[h], handle());
		if (strstr(type, "config")) { /* a list, and how long it is */
			put(to + 40, ONE_OF(0, ADDRESS(scratch + 65536)));
			put(to + 48, next() % 3);
			put(to + 65536 - (to - scratch), next() % 16);
		} else if (strstr(type, "kernel_node")) { /* parameters lead on */
			put(to + 40, ONE_OF(0, ADDRESS(scratch + 131072)));
			put(to + 48, 0);
			for (u32 n = 0; n < 64; n++)
				put(scratch + 131072 + 8 * n, ADDRESS(scratch));
		} else if (strstr(type, "alloc_node")) {
			put(to + 88, 0);
			put(to + 96, 0);
		}
	}
	return ADDRESS(to);
}

static bool is_handle(const char *type)
{
	static const char *const kinds[] = {"stream",   "node",        "graph",  "array",   "event",
					    "function", "exec",        "texref", "context", "pool",
					    "library",  "user_object", "mipmap", "module",  "link"};

	for (size_t k = 0; k < COUNT_OF(kinds); k++) {
		char text[64];
		snprintf(text, sizeof text, "struct cu_%s *", kinds[k]);
		const char *at = strstr(type, text);
		if (at && at[strlen(text)] != '*')
			return true;
	}
	return false;
}

static u64 pointer(const struct row *r, const char *type, u32 index)
{
	u8 *own = scratch + 4096 * (index + 1);

	if (strstr(type, "_fn *"))
		return next() % 2 && !strstr(type, "block_to_shared") && !strstr(type, "stream_fn") ? ADDRESS(nothing)
												    : 0;
	if (is_handle(type))
		return handle();
	if (strstr(type, "const char *") && !strstr(type, "**"))
		return ONE_OF(0, ADDRESS(""), ADDRESS("k"), ADDRESS("v"), ADDRESS("/dev/null/x"),
			      ADDRESS("0000:00:06.0"), ADDRESS(own));
	if (next() % 8 == 0)
		return 0;
	if (strstr(type, "**")) {
		for (u32 k = 0; k < 4096; k += 8) /* a list: of handles, or of addresses that may be used */
			put(own + k, strstr(type, "struct cu_") ? handle() : ADDRESS(scratch + SCRATCH / 2));
		return ADDRESS(own);
	}
	if (strstr(type, "struct "))
		return structure(type, own);
	if (strstr(type, "void *")) {
		if (strstr(type, "func"))
			return handle();
		if (strstr(type, "edge") || strstr(type, "dependency_data"))
			return 0;
		if (strstr(type, "const ") && (strstr(type, "image") || strstr(type, "code") || strstr(type, "data")))
			return ONE_OF(0, ADDRESS(TEXT), ADDRESS(own), ADDRESS(scratch + SCRATCH / 2));
		return next() % 4 ? memory() : strstr(r->name, "emc") || strstr(r->name, "emset") ? 0 : ADDRESS(own);
	}
	const bool addresses = strstr(type, "u64 *") && strstr(r->name, "emcpy");
	for (u32 k = 0; k < 4096; k += 8)
		put(own + k, addresses ? memory() : next() % 16);
	return ADDRESS(own);
}

struct arguments {
	u64 registers[REGISTERS], stack[STACK];
	u32 in_registers, on_stack;
};

static void push(struct arguments *a, const u64 *values, u32 count, bool memory_class)
{
	for (u32 k = 0; k < count; k++)
		if (!memory_class && a->in_registers + count - k <= REGISTERS)
			a->registers[a->in_registers++] = values[k];
		else if (a->on_stack < STACK)
			a->stack[a->on_stack++] = values[k];
}

/* What stays within the memory that pointers lead to. */
static bool is_moderate(const struct row *r, const char *type)
{
	return strstr(r->name, "emcpy") || strstr(type, "count") || strstr(type, "num") || strstr(type, "len") ||
	       strstr(r->name, "Batch") || strstr(r->name, "Attributes") || strstr(r->name, "Register") ||
	       strstr(r->name, "Add") || strstr(r->name, "Link") || strstr(type, "_size") || strstr(type, "ptx");
}

static void push_parameter(struct arguments *a, const struct row *r, const char *type, u32 index)
{
	u64 v[4];

	if (strchr(type, '*') || strchr(type, '[')) {
		push(a, (u64[]){pointer(r, type, index)}, 1, false);
		return;
	}
	for (u32 k = 0; k < COUNT_OF(v); k++)
		v[k] = number(is_moderate(r, type));
	if (strstr(type, "struct rt_pitched")) {
		v[0] = ONE_OF(0, device, managed);
		push(a, v, 4, true);
	} else if (strstr(type, "struct rt_extent"))
		push(a, v, 3, true);
	else if (strstr(type, "struct rt_dim3"))
		push(a, (u64[]){(u32)v[0] | v[1] << 32, (u32)v[2]}, 2, false);
	else if (strstr(type, "struct cu_location"))
		push(a, (u64[]){next() % 6 | next() % 4 << 32}, 1, false);
	else if (strstr(type, "u64 ") && !strstr(type, "flags") && !strstr(type, "value"))
		push(a, (u64[]){next() % 2 || strstr(r->name, "emcpy") ? memory() : handle()}, 1, false);
	else if (!strstr(type, "float"))
		push(a, v, 1, false);
}

static int call(const struct row *r)
{
	struct arguments a = {.in_registers = 0};
	char text[512], *rest = text, *type;

	snprintf(text, sizeof text, "%s", r->params ? r->params + 1 : "");
	for (u32 index = 0; (type = strsep(&rest, ",)")); index++)
		push_parameter(&a, r, type, index);
	int (*f)(u64, u64, u64, u64, u64, u64, ...);
	*(void **)&f = r->at;
	const u64 *g = a.registers, *s = a.stack;
	return f(g[0], g[1], g[2], g[3], g[4], g[5], s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10],
		 s[11], s[12], s[13], s[14], s[15], s[16], s[17], s[18], s[19], s[20], s[21], s[22], s[23]);
}

/* --- A process --------------------------------------------------------------------------------------- */

static void *symbol(const char *name)
{
	void *at = dlsym(RTLD_DEFAULT, name);

	if (!at) {
		printf("there is no %s\n", name);
		_exit(3);
	}
	return at;
}

typedef int any_call(const void *first, ...);
#define CU(name) ((any_call *)symbol(#name))

static void keep(u64 h)
{
	if (h && handle_count < HANDLES)
		handles[handle_count++] = h;
	else if (h)
		handles[next() % HANDLES] = h;
}

/* Objects of every kind, and some that are no more. */
static void prepare(void)
{
	static void *made[32], *context, *module, *graph;
	static u64 array[6] = {8, 8, 0, 0x20ull | 1ull << 32};
	static u32 n;

	CU(cuInit)(NULL);
	CU(cuDevicePrimaryCtxRetain)(&context, 0);
	CU(cuCtxSetCurrent)(context);
	CU(cuMemAlloc_v2)(&device, (size_t)65536);
	CU(cuMemAllocManaged)(&managed, (size_t)65536, 1);
	CU(cuModuleLoadData)(&module, TEXT);
	CU(cuGraphCreate)(&graph, 0);
	made[n++] = context;
	made[n++] = module;
	made[n++] = graph;
	CU(cuModuleGetFunction)(&made[n++], module, "k");
	CU(cuModuleGetTexRef)(&made[n++], module, "t");
	CU(cuLibraryLoadData)(&made[n], TEXT, NULL, NULL, 0, NULL, NULL, 0);
	CU(cuLibraryGetKernel)(&made[n + 1], made[n], "k");
	n += 2;
	for (u32 k = 0; k < 2; k++) {
		CU(cuStreamCreate)(&made[n++], k);
		CU(cuEventCreate)(&made[n++], 2 * k);
	}
	CU(cuArrayCreate_v2)(&made[n++], array);
	CU(cuGraphAddEmptyNode)(&made[n++], graph, NULL, (size_t)0);
	CU(cuGraphAddChildGraphNode)(&made[n], graph, &made[n - 1], (size_t)1, graph);
	n++;
	CU(cuGraphInstantiateWithFlags)(&made[n++], graph, 0ull);
	CU(cuDeviceGetDefaultMemPool)(&made[n++], 0);
	CU(cuLinkCreate_v2)(NULL, NULL, NULL, &made[n++]);
	CU(cuStreamCreate)(&made[n], 0);
	CU(cuStreamDestroy_v2)(made[n++]);
	CU(cuEventCreate)(&made[n], 0);
	CU(cuEventDestroy_v2)(made[n++]);
	for (u32 k = 0; k < n; k++)
		keep(ADDRESS(made[k]));
}

static bool waits_for_ever(const char *name)
{
	return strstr(name, "WaitValue") || strstr(name, "BatchMemOp") || strstr(name, "cuGraphDebugDotPrint") ||
	       strstr(name, "GraphDebugDot");
}

/* Ends most of what later calls need: now and then only. */
static bool ends_much(const char *name)
{
	return strstr(name, "Ctx") || strstr(name, "DeviceReset") || strstr(name, "SetDevice") ||
	       strstr(name, "Unload") || strstr(name, "BeginCapture");
}

static volatile u64 *progress; /* shared with the parent: which row runs, its number, results that were no error */

static void try_one(struct row *rows, size_t index)
{
	for (u32 k = 0; k < ROUNDS; k++) {
		progress[0] = index;
		progress[1] = k;
		progress[2] += !call(&rows[index]);
	}
}

static void try_mixed(struct row *rows, size_t count)
{
	for (u32 k = 0; k < MIXED_CALLS; k++) {
		const size_t index = next() % count;
		if (waits_for_ever(rows[index].name) || (ends_much(rows[index].name) && next() % 50))
			continue;
		progress[0] = index;
		progress[1] = k;
		memset(scratch + 4096, 0, 8);
		const bool made = !call(&rows[index]);
		progress[2] += made;
		u64 first;
		memcpy(&first, scratch + 4096, sizeof first);
		if (made && next() % 4 == 0)
			keep(first);
	}
}

/* 0, or how the process ended. */
static int in_a_process(struct row *rows, size_t index, size_t count, u64 seed)
{
	int status;

	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		state = seed * 0x9e3779b97f4a7c15ull | 1;
		alarm(SECONDS);
		if (!freopen("/dev/null", "w", stdout))
			_exit(3);
		scratch = mmap(NULL, SCRATCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		prepare();
		if (index < count)
			try_one(rows, index);
		else
			try_mixed(rows, count);
		/* With what the libraries do when a program ends, whatever the calls have left behind. */
		exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* From now on no name can be written to: the working folder is gone. */
static bool leave_all_folders(void)
{
	char folder[] = "/tmp/misuse-XXXXXX";

	return mkdtemp(folder) && !chdir(folder) && !rmdir(folder);
}

int main(int argc, char **argv)
{
	const bool driver = argc > 1 && !strcmp(argv[1], "cuda");
	struct row *rows = driver ? driver_rows : runtime_rows;
	const size_t count = driver ? COUNT_OF(driver_rows) : COUNT_OF(runtime_rows);
	const u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, rounds = argc > 3 ? strtoull(argv[3], NULL, 0) : 4;
	u32 bad = 0;

	if (!dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) ||
	    (!driver && !dlopen("libcudart.so.13", RTLD_NOW | RTLD_GLOBAL))) {
		puts(dlerror());
		return 2;
	}
	if (!leave_all_folders()) {
		perror("misuse");
		return 2;
	}
	progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (size_t k = 0; k < count; k++)
		rows[k].at = symbol(rows[k].name);
	for (size_t k = 0; k < count + rounds; k++) {
		if (k < count && argc > 2)
			continue;
		const int how = in_a_process(rows, k < count ? k : count, count, k < count ? seed : seed + k - count);
		if (how && bad++ < 40)
			printf("%s: %s %d at call %llu of %s\n", rows[progress[0]].name, how < 64 ? "signal" : "status",
			       how, (unsigned long long)progress[1], k < count ? "its own" : "a mixed run");
	}
	printf("%zu names of %s, %u ended badly; %llu calls succeeded\n", count, driver ? "libcuda" : "libcudart", bad,
	       (unsigned long long)progress[2]);
	return bad != 0;
}
