/* SPDX-License-Identifier: Apache-2.0
 *
 * What compiled host code calls before main: it registers its fat binaries, and which host symbols stand for which kernels
 * and variables. Images become libraries of the driver at their first use.
 *
 *  nvcc's constructors    __cudaRegisterFatBinary, __cudaRegisterFunction, __cudaRegisterVar: kept in `registry`
 *  a launch               rt_kernel(host function) -> entry -> library, loaded now -> kernel's handle
 *  kernel<<<...>>>        __cudaPushCallConfiguration, the stub, __cudaPopCallConfiguration, cudaLaunchKernel
 *
 * Nothing of the driver is called before main: a program may set environment variables and choose devices first.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/runtime.h"

#define EXPORT __attribute__((visibility("default")))

struct image {
	void *wrapper;
	struct cu_library *library; /* NULL until it is needed */
	int error;                  /* of loading it */
	struct image *next;
};

enum entry_kind { ENTRY_KERNEL = 1, ENTRY_VARIABLE, ENTRY_MANAGED };
/* A host symbol and what it stands for. image NULL: its library has been closed. */
struct entry {
	const void *host;
	enum entry_kind kind;
	struct image *image;
	const char *name;
	struct cu_function *kernel;
	void **pointer; /* of a managed variable: the host's */
};

static struct {
	pthread_mutex_t lock;
	struct image *images;
	struct entry *entries; /* open addressing */
	size_t room, used;
	bool has_managed, managed_loaded;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Fibonacci hashing: the low bits of addresses are mostly equal, the product's middle ones are not. */
static size_t slot_of(const void *p) { return (uintptr_t)p * 0x9e3779b97f4a7c15ull >> 20; }

/* The entry of a host symbol; NULL: none. `room` is a power of two and never full. */
static struct entry *look(const void *host)
{
	for (size_t at = slot_of(host); registry.room; at++) {
		struct entry *e = &registry.entries[at & (registry.room - 1)];
		if (e->host == host || !e->host)
			return e->host ? e : NULL;
	}
	return NULL;
}

/* Adds or replaces; there is room. A symbol registered twice, as by a library that was closed and opened again, means
 * its latest entry. */
static void put(const struct entry *e)
{
	size_t at = slot_of(e->host);

	while (registry.entries[at & (registry.room - 1)].host &&
	       registry.entries[at & (registry.room - 1)].host != e->host)
		at++;
	registry.used += !registry.entries[at & (registry.room - 1)].host;
	registry.entries[at & (registry.room - 1)] = *e;
}

/* Keeps the table at most half full. Entries are moved when it grows, so pointers into it hold only under the lock.
 * Without memory the symbol stays unknown, and its first use says so. */
static void add(const struct entry *e)
{
	pthread_mutex_lock(&registry.lock);
	if (registry.used * 2 >= registry.room) {
		const size_t old = registry.room;
		struct entry *before = registry.entries, *list = calloc(old ? old * 2 : 256, sizeof *list);
		if (!list) {
			pthread_mutex_unlock(&registry.lock);
			return;
		}
		registry.entries = list;
		registry.room = old ? old * 2 : 256;
		registry.used = 0;
		for (size_t k = 0; k < old; k++)
			if (before[k].host)
				put(&before[k]);
		free(before);
	}
	put(e);
	pthread_mutex_unlock(&registry.lock);
}

/* A process that the program forks has no threads that would give the lock back. */
static void forget_lock(void) { registry.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_lock); }

/* --- What host code calls --------------------------------------------------------------------------- */

/* The handle that nvcc's constructors pass on is the image itself; it is never freed. */
EXPORT void **__cudaRegisterFatBinary(void *wrapper);
void **__cudaRegisterFatBinary(void *wrapper)
{
	struct image *i = calloc(1, sizeof *i);

	if (!i)
		abort();
	i->wrapper = wrapper;
	pthread_mutex_lock(&registry.lock);
	i->next = registry.images;
	registry.images = i;
	pthread_mutex_unlock(&registry.lock);
	return (void **)i;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

/* At the program's end, when what it would free goes anyway; or when a library is closed. */
EXPORT void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle)
{
	struct image *i = (struct image *)handle;

	pthread_mutex_lock(&registry.lock);
	for (size_t k = 0; k < registry.room; k++)
		if (registry.entries[k].image == i)
			registry.entries[k].image = NULL;
	pthread_mutex_unlock(&registry.lock);
}

/* The name is the kernel's in the device code, mangled. */
EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
				   void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid,
			    void *bid, void *block, void *grid, int *warp)
{
	(void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	add(&(struct entry){.host = host, .kind = ENTRY_KERNEL, .image = (struct image *)handle, .name = name});
}

EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
			      int constant, int global);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
		       int constant, int global)
{
	(void)device, (void)external, (void)size, (void)constant, (void)global;
	add(&(struct entry){.host = host, .kind = ENTRY_VARIABLE, .image = (struct image *)handle, .name = name});
}

EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
				     size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external, size_t size,
			      int constant, int global)
{
	(void)device, (void)external, (void)size, (void)constant, (void)global;
	registry.has_managed = true;
	registry.managed_loaded = false;
	add(&(struct entry){
		.host = host, .kind = ENTRY_MANAGED, .image = (struct image *)handle, .name = name, .pointer = host});
}

EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
	(void)handle, (void)name, (void)host, (void)size;
}

EXPORT void __cudaRegisterUnifiedTable(void *table);
void __cudaRegisterUnifiedTable(void *table) { (void)table; }

EXPORT char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle)
{
	(void)handle;
	return rt_begin() == RT_OK && rt_load_managed() == RT_OK;
}

/* kernel<<<grid, block, shared, stream>>>(f()) may launch inside f: configurations form a stack, eight deep. */
EXPORT u32 __cudaPushCallConfiguration(struct rt_dim3 grid, struct rt_dim3 block, size_t shared,
				       struct cu_stream *stream);
u32 __cudaPushCallConfiguration(struct rt_dim3 grid, struct rt_dim3 block, size_t shared, struct cu_stream *stream)
{
	if (rt_self.depth == COUNT_OF(rt_self.configurations))
		return 1;
	rt_self.configurations[rt_self.depth].grid = grid;
	rt_self.configurations[rt_self.depth].block = block;
	rt_self.configurations[rt_self.depth].shared = shared;
	rt_self.configurations[rt_self.depth++].stream = stream;
	return 0;
}

EXPORT int __cudaPopCallConfiguration(struct rt_dim3 *grid, struct rt_dim3 *block, size_t *shared, void *stream);
int __cudaPopCallConfiguration(struct rt_dim3 *grid, struct rt_dim3 *block, size_t *shared, void *stream)
{
	if (!rt_self.depth)
		return rt_end(52);
	rt_self.depth--;
	*grid = rt_self.configurations[rt_self.depth].grid;
	*block = rt_self.configurations[rt_self.depth].block;
	*shared = rt_self.configurations[rt_self.depth].shared;
	*(struct cu_stream **)stream = rt_self.configurations[rt_self.depth].stream;
	return RT_OK;
}

/* --- Looking up --------------------------------------------------------------------------------------- */

/* Loads the image once; an error stays. */
static int load(struct image *i)
{
	if (!i->library && !i->error)
		i->error = cuLibraryLoadData(&i->library, i->wrapper, NULL, NULL, 0, NULL, NULL, 0);
	return i->error;
}

/* The kernel that a host function stands for. What is not registered may be a kernel's handle itself. */
int rt_kernel(const void *host, struct cu_function **kernel)
{
	pthread_mutex_lock(&registry.lock);
	struct entry *e = look(host);
	int result = RT_OK;
	if (!e || e->kind != ENTRY_KERNEL || !e->image) {
		/* Kernels of cudaGetKernel and cudaLibraryGetKernel are launched by their handles. */
		const char *name;
		pthread_mutex_unlock(&registry.lock);
		*kernel = (struct cu_function *)(uintptr_t)host;
		if (!host)
			return RT_INVALID_FUNCTION;
		return cuFuncGetName(&name, *kernel);
	}
	if (!e->kernel) {
		result = load(e->image);
		if (!result)
			result = cuLibraryGetKernel(&e->kernel, e->image->library, e->name);
		if (result == CU_NOT_FOUND)
			result = RT_INVALID_FUNCTION;
	}
	*kernel = e->kernel;
	pthread_mutex_unlock(&registry.lock);
	return result;
}

void *rt_host_function(struct cu_function *kernel)
{
	void *host = kernel;

	pthread_mutex_lock(&registry.lock);
	for (size_t k = 0; k < registry.room && kernel; k++)
		if (registry.entries[k].kind == ENTRY_KERNEL && registry.entries[k].kernel == kernel)
			host = (void *)(uintptr_t)registry.entries[k].host;
	pthread_mutex_unlock(&registry.lock);
	return host;
}

static int find_variable(const struct entry *e, u64 *address, size_t *bytes)
{
	int result = e->image ? load(e->image) : RT_INVALID_SYMBOL;

	if (!result)
		result = cuLibraryGetGlobal(address, bytes, e->image->library, e->name);
	return result == CU_NOT_FOUND ? RT_INVALID_SYMBOL : result;
}

/* A managed variable is named by its address, which stands in the host's pointer. */
static const struct entry *look_managed(const void *at)
{
	for (size_t k = 0; k < registry.room && registry.has_managed; k++)
		if (registry.entries[k].kind == ENTRY_MANAGED && registry.entries[k].image &&
		    *registry.entries[k].pointer == at)
			return &registry.entries[k];
	return NULL;
}

/* Address and size of the device's variable. */
int rt_symbol(const void *host, u64 *address, size_t *bytes)
{
	pthread_mutex_lock(&registry.lock);
	const struct entry *e = look(host);
	if (!e)
		e = look_managed(host);
	const int result = !e || e->kind == ENTRY_KERNEL ? RT_INVALID_SYMBOL : find_variable(e, address, bytes);
	pthread_mutex_unlock(&registry.lock);
	return result;
}

/* Managed variables are pointers of the host's: they must be set before host code reads them, so their modules are
 * loaded early. */
int rt_load_managed(void)
{
	int result = RT_OK;

	if (!registry.has_managed || registry.managed_loaded)
		return RT_OK;
	pthread_mutex_lock(&registry.lock);
	for (size_t k = 0; k < registry.room && !result; k++) {
		const struct entry *e = &registry.entries[k];
		u64 address;
		size_t bytes;
		if (!e->host || e->kind != ENTRY_MANAGED || !e->image)
			continue;
		result = find_variable(e, &address, &bytes);
		if (!result)
			*e->pointer = (void *)(uintptr_t)address;
	}
	registry.managed_loaded = !result;
	pthread_mutex_unlock(&registry.lock);
	return result;
}
