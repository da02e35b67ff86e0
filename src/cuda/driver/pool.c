/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory pools with stream-ordered allocation, and virtual memory management.
 *
 * Pools are accounts only: memory is taken from the heap and given back to it, and what a pool would have reserved on
 * the card is reckoned, because programs read it. Virtual memory is real: physical memory is a file in memory that is
 * mapped where the program reserved addresses, as often as it likes, in other processes, too.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/finding.h"
#include "cuda/driver/watch.h"
#include "memory/memory.h"

enum {
	POOL_REUSE_LAST = 3,
	POOL_THRESHOLD = 4,
	POOL_RESERVED,
	POOL_RESERVED_HIGH,
	POOL_USED,
	POOL_USED_HIGH,
	POOL_ATTRIBUTES = 16,
	POOL_CHUNK = 32 << 20, /* what the card's pools grow by */
	HANDLE_IS_FILE = 1     /* CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR */
};

struct cu_pool {
	int device;
	u64 used, used_high, threshold;
	u64 reserved, reserved_high; /* as the card would hold them for later allocations */
	int reuse[POOL_REUSE_LAST];
	bool is_default;
	bool shared;   /* its memory may go to other processes, by files */
	bool imported; /* from another process, which alone allocates from it */
	bool access;   /* the device may use it: an imported one only if asked */
	u32 granted;   /* bit k: device k has access to its memory, too */
};

static struct cu_pool *pool_new(int device)
{
	struct cu_pool *p = calloc(1, sizeof *p);

	if (!p || !handle_add(p, HANDLE_POOL)) {
		free(p);
		return NULL;
	}
	p->device = device;
	p->access = true;
	for (int k = 0; k < POOL_REUSE_LAST; k++)
		p->reuse[k] = 1;
	return p;
}

/* Made when it is first asked for. */
static struct cu_pool *default_pool(int dev)
{
	struct cu_device *d = &driver.devices[dev];

	if (!d->default_pool && (d->default_pool = pool_new(dev)))
		d->default_pool->is_default = true;
	return d->default_pool;
}

/* CUmemAccess_flags. */
enum { ACCESS_READ = 1, ACCESS_ALL = 3 };

static void grant(u32 *mask, int device, bool may) { *mask = (*mask & ~(1u << device)) | (u32)may << device; }

static bool is_device(int dev) { return dev >= 0 && dev < driver.device_count; }

int drv_cuDeviceGetDefaultMemPool(struct cu_pool **pool_out, int dev)
{
	if (!pool_out)
		return CU_INVALID_VALUE;
	if (!is_device(dev))
		return CU_INVALID_DEVICE;
	*pool_out = default_pool(dev);
	return *pool_out ? CU_OK : CU_OUT_OF_MEMORY;
}

int drv_cuDeviceGetMemPool(struct cu_pool **pool, int dev)
{
	if (!pool)
		return CU_INVALID_VALUE;
	if (!is_device(dev))
		return CU_INVALID_DEVICE;
	*pool = driver.devices[dev].pool ? driver.devices[dev].pool : default_pool(dev);
	return *pool ? CU_OK : CU_OUT_OF_MEMORY;
}

int drv_cuDeviceSetMemPool(int dev, struct cu_pool *pool)
{
	if (!is_device(dev))
		return CU_INVALID_DEVICE;
	if (!handle_is(pool, HANDLE_POOL))
		return CU_INVALID_VALUE;
	driver.devices[dev].pool = pool;
	return CU_OK;
}

int drv_cuMemPoolCreate(struct cu_pool **pool, const struct cu_pool_properties *pool_props)
{
	if (!pool || !pool_props || pool_props->type != 1)
		return CU_INVALID_VALUE;
	if (pool_props->location.type == 1 && !is_device(pool_props->location.id))
		return CU_INVALID_DEVICE;
	if (pool_props->handle_types & ~HANDLE_IS_FILE)
		return CU_NOT_SUPPORTED;
	*pool = pool_new(pool_props->location.type == 1 ? pool_props->location.id : 0);
	if (*pool)
		(*pool)->shared = pool_props->handle_types;
	return *pool ? CU_OK : CU_OUT_OF_MEMORY;
}

/* --- Pools of other processes ---------------------------------------------------------------------------------- */

/* All that the file of a pool says: allocations are shared each by itself. */
struct pool_file {
	u32 magic;
	int device;
};

enum { POOL_MAGIC = 0x4c4f4f50 };

int drv_cuMemPoolExportToShareableHandle(void *handle_out, struct cu_pool *pool, int type, u64 flags)
{
	const struct pool_file says = {POOL_MAGIC, handle_is(pool, HANDLE_POOL) ? pool->device : 0};

	if (!handle_out || !handle_is(pool, HANDLE_POOL) || !pool->shared || type != HANDLE_IS_FILE || flags)
		return CU_INVALID_VALUE;
	const int file = memfd_create("cuMemPool", MFD_CLOEXEC);
	if (file >= 0 && pwrite(file, &says, sizeof says, 0) != sizeof says) {
		close(file);
		return CU_OUT_OF_MEMORY;
	}
	*(int *)handle_out = file;
	return file < 0 ? CU_OUT_OF_MEMORY : CU_OK;
}

int drv_cuMemPoolImportFromShareableHandle(struct cu_pool **pool_out, void *handle, int type, u64 flags)
{
	struct pool_file says;

	if (!pool_out || type != HANDLE_IS_FILE || flags ||
	    pread((int)(intptr_t)handle, &says, sizeof says, 0) != sizeof says || says.magic != POOL_MAGIC ||
	    !is_device(says.device))
		return CU_INVALID_VALUE;
	*pool_out = pool_new(says.device);
	if (!*pool_out)
		return CU_OUT_OF_MEMORY;
	(*pool_out)->imported = true;
	(*pool_out)->access = false;
	return CU_OK;
}

int drv_cuMemPoolExportPointer(struct cu_pool_pointer *share_data_out, u64 ptr)
{
	const struct region *b = block_at(ptr);

	if (!share_data_out || !b || b->kind != BLOCK_ASYNC || !handle_is(b->pool, HANDLE_POOL) || !b->pool->shared)
		return CU_INVALID_VALUE;
	return ipc_export(b->base, share_data_out->bytes);
}

int drv_cuMemPoolImportPointer(u64 *ptr_out, struct cu_pool *pool, struct cu_pool_pointer *share_data)
{
	if (!ptr_out || !share_data || !handle_is(pool, HANDLE_POOL) || !pool->imported)
		return CU_INVALID_VALUE;
	const int result = ipc_import(share_data->bytes, ptr_out);
	if (result)
		return result == CU_INVALID_HANDLE ? CU_INVALID_VALUE : result;
	block_at(*ptr_out)->pool = pool;
	return CU_OK;
}

int drv_cuMemPoolDestroy(struct cu_pool *pool)
{
	if (!handle_is(pool, HANDLE_POOL) || pool->is_default)
		return CU_INVALID_VALUE;
	for (int d = 0; d < driver.device_count; d++)
		if (driver.devices[d].pool == pool)
			driver.devices[d].pool = NULL;
	/* Blocks still name it until they are freed. */
	handle_drop(pool);
	return CU_OK;
}

/* Reserved memory shrinks to what is used, or to what is to be kept. */
static void pool_release(struct cu_pool *p, u64 keep)
{
	const u64 least = (max_u64(p->used, keep) + POOL_CHUNK - 1) / POOL_CHUNK * POOL_CHUNK;

	if (keep < p->reserved && least < p->reserved)
		p->reserved = least;
}

static void pool_take(struct cu_pool *p, u64 bytes)
{
	p->used += bytes;
	p->used_high = max_u64(p->used, p->used_high);
	p->reserved = max_u64(p->reserved, (p->used + POOL_CHUNK - 1) / POOL_CHUNK * POOL_CHUNK);
	p->reserved_high = max_u64(p->reserved, p->reserved_high);
}

int drv_cuMemPoolTrimTo(struct cu_pool *pool, size_t min_bytes_to_keep)
{
	if (!handle_is(pool, HANDLE_POOL))
		return CU_INVALID_VALUE;
	pool_release(pool, min_bytes_to_keep);
	return CU_OK;
}

int drv_cuMemPoolGetAttribute(struct cu_pool *pool, int attr, void *value)
{
	if (!handle_is(pool, HANDLE_POOL) || !value || attr < 1)
		return CU_INVALID_VALUE;
	if (attr <= POOL_REUSE_LAST) {
		*(int *)value = pool->reuse[attr - 1];
		return CU_OK;
	}
	const u64 values[] = {pool->threshold, pool->reserved, pool->reserved_high, pool->used, pool->used_high};
	if (attr > POOL_USED_HIGH)
		return CU_INVALID_VALUE;
	*(u64 *)value = values[attr - POOL_THRESHOLD];
	return CU_OK;
}

int drv_cuMemPoolSetAttribute(struct cu_pool *pool, int attr, void *value)
{
	if (!handle_is(pool, HANDLE_POOL) || !value || attr < 1)
		return CU_INVALID_VALUE;
	if (attr <= POOL_REUSE_LAST) {
		pool->reuse[attr - 1] = *(int *)value != 0;
		return CU_OK;
	}
	if (attr == POOL_THRESHOLD)
		pool->threshold = *(u64 *)value;
	else if ((attr != POOL_RESERVED_HIGH && attr != POOL_USED_HIGH) || *(u64 *)value)
		return CU_INVALID_VALUE;
	else if (attr == POOL_RESERVED_HIGH)
		pool->reserved_high = pool->reserved;
	else
		pool->used_high = pool->used;
	return CU_OK;
}

u32 pool_grants(const struct cu_pool *pool) { return pool->granted; }

/* CU_OK or why a pool cannot have that. */
static int refuse_access(const struct cu_pool *pool, const struct cu_access *a)
{
	if (a->location.type != 1)
		return CU_INVALID_VALUE;
	if (!is_device(a->location.id) || (a->location.id == pool->device && !a->flags && !pool->imported))
		return CU_INVALID_DEVICE;
	return a->flags == ACCESS_READ ? CU_NOT_SUPPORTED : CU_OK;
}

int drv_cuMemPoolSetAccess(struct cu_pool *pool, const struct cu_access *map, size_t count)
{
	int result = CU_OK;

	if (!handle_is(pool, HANDLE_POOL) || (!map && count))
		return CU_INVALID_VALUE;
	for (size_t k = 0; k < count && !result; k++)
		result = refuse_access(pool, &map[k]);
	for (size_t k = 0; k < count && !result; k++)
		if (map[k].location.id == pool->device)
			pool->access = map[k].flags != 0;
		else
			grant(&pool->granted, map[k].location.id, map[k].flags != 0);
	if (count && !result)
		peer_settle_all(pool->device);
	return result;
}

int drv_cuMemPoolGetAccess(void *flags, struct cu_pool *mem_pool, struct cu_location *location)
{
	if (!flags || !location || !handle_is(mem_pool, HANDLE_POOL) ||
	    (location->type == 1 && !is_device(location->id)))
		return CU_INVALID_VALUE;
	const bool has = location->type != 1                ? false
			 : location->id == mem_pool->device ? mem_pool->access
							    : mem_pool->granted >> location->id & 1;
	*(int *)flags = has ? ACCESS_ALL : 0;
	return CU_OK;
}

/* Pools by place: devices' are what they have. */
int drv_cuMemGetDefaultMemPool(struct cu_pool **pool, struct cu_location *location, int type)
{
	if (!pool || !location || type != 1)
		return CU_INVALID_VALUE;
	return location->type == 1 ? drv_cuDeviceGetDefaultMemPool(pool, location->id) : CU_NOT_SUPPORTED;
}
int drv_cuMemGetMemPool(struct cu_pool **pool, struct cu_location *location, int type)
{
	if (!pool || !location || type != 1)
		return CU_INVALID_VALUE;
	return location->type == 1 ? drv_cuDeviceGetMemPool(pool, location->id) : CU_NOT_SUPPORTED;
}
int drv_cuMemSetMemPool(struct cu_location *location, int type, struct cu_pool *pool)
{
	if (!location || type != 1)
		return CU_INVALID_VALUE;
	return location->type == 1 ? drv_cuDeviceSetMemPool(location->id, pool) : CU_NOT_SUPPORTED;
}

bool pool_imported(const struct region *b) { return b->kind == BLOCK_IMPORTED && b->pool; }

void pool_give_back(struct region *b)
{
	if (b->kind == BLOCK_ASYNC && handle_is(b->pool, HANDLE_POOL)) {
		b->pool->used -= b->size;
		pool_release(b->pool, b->pool->threshold);
	}
	b->pool = pool_imported(b) ? b->pool : NULL;
}

/* Notes that the stream is to free the block, which it may give again at once. */
static void note_freed(struct cu_stream *s, struct region *b)
{
	b->freeing = ++driver.next_id;
	if (b->kind == BLOCK_ASYNC && !watch_checks())
		s->freed[s->freed_count++ % COUNT_OF(s->freed)] = (struct freed){b->base, b->size, b->freeing, b->pool};
}

/* What the stream has freed last comes first, as on the card, and has the bytes that it had: what runs in the stream until
 * then, runs before what uses it anew. Not where checks must tell the two allocations apart. */
static struct region *take_freed(struct cu_stream *s, const struct cu_pool *pool, u64 bytes)
{
	const u32 count = min_u32(s->freed_count, COUNT_OF(s->freed));

	for (u32 k = 1; k <= count; k++) {
		struct freed *f = &s->freed[(s->freed_count - k) % COUNT_OF(s->freed)];
		struct region *b = f->bytes == bytes && f->pool == pool ? block_at(f->address) : NULL;
		if (!b || b->freeing != f->number)
			continue;
		b->freeing = f->bytes = 0;
		b->id = ++driver.next_id;
		return b;
	}
	return NULL;
}

/* Memory is given at once: what the stream's order allows to be used is a part of what may be. */
int drv_cuMemAllocFromPoolAsync(u64 *dptr, size_t bytesize, struct cu_pool *pool, struct cu_stream *h_stream)
{
	struct cu_stream *s = stream_of(h_stream);

	if (!s)
		return CU_INVALID_HANDLE;
	if (!dptr || !handle_is(pool, HANDLE_POOL) || pool->imported)
		return CU_INVALID_VALUE;
	if (!bytesize) { /* taken, as an H200 takes it */
		*dptr = 0;
		return CU_OK;
	}
	if (s->capture)
		return capture_allocate(s, bytesize, dptr);
	struct region *b = pool->shared ? NULL : take_freed(s, pool, bytesize);
	const int result = b ? CU_OK : block_allocate_on(pool->device, dptr, bytesize);
	if (result)
		return result;
	if (b)
		*dptr = b->base;
	else
		b = block_at(*dptr);
	b->kind = BLOCK_ASYNC;
	b->pool = pool;
	peer_settle(b);
	pool_take(pool, bytesize);
	if (!order_is_wanted())
		return CU_OK;
	return stream_give(s, &(struct task){.kind = TASK_GIVEN, .given = {*dptr, bytesize}}, NULL);
}

int drv_cuMemAllocAsync(u64 *dptr, size_t bytesize, struct cu_stream *h_stream)
{
	struct cu_pool *pool;
	const struct cu_stream *s = stream_of(h_stream);
	const int result = s ? drv_cuDeviceGetMemPool(&pool, s->context->device) : CU_INVALID_HANDLE;

	return result ? result : drv_cuMemAllocFromPoolAsync(dptr, bytesize, pool, h_stream);
}

/* Memory goes when the stream comes to it. In a graph's launch, a graph's memory stays with the graph. */
int drv_cuMemFreeAsync(u64 dptr, struct cu_stream *h_stream)
{
	struct cu_stream *s = stream_of(h_stream);
	struct region *b = block_at(dptr);

	if (!s)
		return CU_INVALID_HANDLE;
	if (!dptr)
		return CU_OK;
	if (!b || b->freeing || (b->kind != BLOCK_ASYNC && b->kind != BLOCK_DEVICE && !pool_imported(b))) {
		finding_wrong_free(dptr, "cuMemFreeAsync");
		return CU_INVALID_VALUE;
	}
	if (b->of_graph && !s->capture) {
		if (!b->of_graph->live)
			return CU_INVALID_VALUE;
		if (graph_memory_free_later(b))
			return CU_OK;
	}
	if (!s->capture) {
		b->freed = watch_place();
		note_freed(s, b);
	}
	pool_give_back(b);
	return stream_give(s, &(struct task){.kind = TASK_FREE, .free = {dptr, b->freeing}}, NULL);
}

/* --- Virtual memory management ------------------------------------------------------------------------------- */

enum { GRANULARITY = 2 << 20 };

/* Memory without an address: a file of its own, which may be mapped at several. */
struct physical {
	struct physical *next;
	u64 id, bytes;
	int device, file;
	int handle_types;
	u8 compression;
	u32 users; /* the program's handle, and mappings */
};
static struct physical *physicals;

struct reserved {
	struct reserved *next;
	u64 at, bytes;
};
static struct reserved *reserved_ranges;

/* The memory with that handle; NULL: there is none. */
static struct physical *physical_of(u64 handle)
{
	struct physical *p = physicals;

	while (p && p->id != handle)
		p = p->next;
	return p;
}

int drv_cuMemGetAllocationGranularity(size_t *granularity, const struct cu_allocation_properties *prop, int option)
{
	if (!granularity || !prop || option < 0 || option > 1)
		return CU_INVALID_VALUE;
	*granularity = GRANULARITY;
	return CU_OK;
}

/* Takes the file; 0: no memory. */
static u64 physical_new(int file, u64 bytes, int device)
{
	struct physical *p = file < 0 ? NULL : calloc(1, sizeof *p);

	if (!p) {
		if (file >= 0)
			close(file);
		return 0;
	}
	*p = (struct physical){
		.next = physicals, .id = ++driver.next_id, .bytes = bytes, .device = device, .file = file, .users = 1};
	physicals = p;
	return p->id;
}

int drv_cuMemCreate(u64 *handle, size_t size, const struct cu_allocation_properties *prop, u64 flags)
{
	if (!handle || !size || size % GRANULARITY || !prop || flags || prop->type != 1)
		return CU_INVALID_VALUE;
	if (prop->location.type == 1 && !is_device(prop->location.id))
		return CU_INVALID_DEVICE;
	if (prop->handle_types & ~HANDLE_IS_FILE)
		return CU_NOT_SUPPORTED;
	int file = memfd_create("cuMemCreate", MFD_CLOEXEC);
	if (file >= 0 && ftruncate(file, (off_t)size)) {
		close(file);
		file = -1;
	}
	*handle = physical_new(file, size, prop->location.type == 1 ? prop->location.id : 0);
	if (!*handle)
		return CU_OUT_OF_MEMORY;
	physicals->handle_types = prop->handle_types;
	physicals->compression = prop->compression;
	return CU_OK;
}

int drv_cuMemExportToShareableHandle(void *shareable, u64 handle, int type, u64 flags)
{
	const struct physical *p = physical_of(handle);

	if (!shareable || !p || flags)
		return CU_INVALID_VALUE;
	if (type != HANDLE_IS_FILE)
		return CU_NOT_SUPPORTED;
	const int file = fcntl(p->file, F_DUPFD_CLOEXEC, 0);
	*(int *)shareable = file;
	return file < 0 ? CU_OUT_OF_MEMORY : CU_OK;
}

int drv_cuMemImportFromShareableHandle(u64 *handle, void *shareable, int type)
{
	struct stat about;

	if (!handle)
		return CU_INVALID_VALUE;
	if (type != HANDLE_IS_FILE)
		return CU_NOT_SUPPORTED;
	const int file = (int)(intptr_t)shareable;
	if (fstat(file, &about) || !S_ISREG(about.st_mode) || !about.st_size || about.st_size % GRANULARITY)
		return CU_INVALID_VALUE;
	*handle = physical_new(fcntl(file, F_DUPFD_CLOEXEC, 0), (u64)about.st_size, 0);
	return *handle ? CU_OK : CU_OUT_OF_MEMORY;
}

int drv_cuMemRetainAllocationHandle(u64 *handle, void *at)
{
	const struct region *b = block_of((u64)(uintptr_t)at);
	struct physical *p = b && b->kind == BLOCK_MAPPED ? physical_of(b->id) : NULL;

	if (!handle || !p)
		return CU_INVALID_VALUE;
	p->users++;
	*handle = p->id;
	return CU_OK;
}

static void physical_release(struct physical *p)
{
	if (--p->users)
		return;
	for (struct physical **at = &physicals; *at; at = &(*at)->next)
		if (*at == p) {
			*at = p->next;
			break;
		}
	close(p->file);
	free(p);
}

int drv_cuMemRelease(u64 handle)
{
	struct physical *p = physical_of(handle);

	if (!p)
		return CU_INVALID_VALUE;
	physical_release(p);
	return CU_OK;
}

int drv_cuMemGetAllocationPropertiesFromHandle(struct cu_allocation_properties *prop, u64 handle)
{
	const struct physical *p = physical_of(handle);

	if (!prop || !p)
		return CU_INVALID_VALUE;
	*prop = (struct cu_allocation_properties){
		.type = 1, .handle_types = p->handle_types, .location = {1, p->device}, .compression = p->compression};
	return CU_OK;
}

int drv_cuMemAddressReserve(u64 *ptr, size_t size, size_t alignment, u64 addr, u64 flags)
{
	(void)addr;
	if (!ptr || !size || size % GRANULARITY || alignment & (alignment - 1) || flags)
		return CU_INVALID_VALUE;
	struct reserved *r = calloc(1, sizeof *r);
	void *at = r ? heap_take(&driver.devices[0].heap, max_u64(size, GRANULARITY + 1)) : NULL;
	if (!at) {
		free(r);
		return CU_OUT_OF_MEMORY;
	}
	heap_hide(&driver.devices[0].heap, at, size);
	*r = (struct reserved){reserved_ranges, (u64)(uintptr_t)at, size};
	reserved_ranges = r;
	*ptr = r->at;
	return CU_OK;
}

/* Addresses that are nothing's again, as the heap has them. */
static void empty(u64 at, u64 bytes)
{
	mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* The reserved range that holds all of the bytes; *result NULL: none does. */
static struct reserved **reserved_at(u64 at, u64 bytes)
{
	struct reserved **r = &reserved_ranges;

	while (*r && !(at - (*r)->at < (*r)->bytes && bytes <= (*r)->bytes - (at - (*r)->at)))
		r = &(*r)->next;
	return r;
}

int drv_cuMemAddressFree(u64 ptr, size_t size)
{
	struct reserved **at = reserved_at(ptr, size), *r = *at;

	if (!r || r->at != ptr || r->bytes != size)
		return CU_INVALID_VALUE;
	*at = r->next;
	heap_give(&driver.devices[0].heap, (void *)(uintptr_t)ptr, max_u64(size, GRANULARITY + 1));
	free(r);
	return CU_OK;
}

/* All of a piece of memory is mapped at once: parts of it are refused. */
/* Whether anything is mapped to some of the bytes, of a reserved range. */
static bool are_mapped(const struct reserved *r, u64 at, u64 bytes)
{
	for (u64 k = r->at; k < at + bytes; k += GRANULARITY) {
		const struct region *b = block_at(k);
		if (b && b->base + b->size > at)
			return true;
	}
	return false;
}

/* A mapping belongs to a device, and there need be no context yet. */
int drv_cuMemMap(u64 ptr, size_t size, size_t offset, u64 handle, u64 flags)
{
	struct physical *p = physical_of(handle);
	const struct reserved *r = *reserved_at(ptr, size);

	if (!p || offset || flags || size != p->bytes || !r || are_mapped(r, ptr, size))
		return CU_INVALID_VALUE;
	if (mmap((void *)(uintptr_t)ptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, p->file, 0) ==
	    MAP_FAILED)
		return CU_OUT_OF_MEMORY;
	struct region *b = block_book(context_current(), ptr, size, BLOCK_MAPPED);
	if (!b) {
		empty(ptr, size);
		return CU_OUT_OF_MEMORY;
	}
	b->device = p->device;
	b->id = p->id;
	p->users++;
	return CU_OK;
}

/* Kernels reach a mapping once some device may access it. */
static int set_access(struct region *b, const struct cu_access *a)
{
	struct allocation there;
	const bool known = memory_look(&driver.machine->memory, b->base, 1, &there);

	if (a->flags && !known &&
	    !memory_map(&driver.machine->memory, b->base, b->size, (u8 *)(uintptr_t)b->base, "cuMemMap",
			ALLOCATION_PIECE))
		return CU_OUT_OF_MEMORY;
	grant(&b->granted, a->location.id, a->flags != 0);
	grant(&b->read_only, a->location.id, a->flags == ACCESS_READ);
	if (!b->granted && known)
		memory_release(&driver.machine->memory, b->base);
	else if (b->granted)
		peer_settle(b);
	return CU_OK;
}

int drv_cuMemSetAccess(u64 ptr, size_t size, const struct cu_access *desc, size_t count)
{
	int result = CU_OK;

	if (!desc || !count || !*reserved_at(ptr, size))
		return CU_INVALID_VALUE;
	for (size_t k = 0; k < count; k++)
		if (desc[k].location.type == 1 && !is_device(desc[k].location.id))
			return CU_INVALID_VALUE;
	for (u64 at = ptr; at < ptr + size && !result;) {
		struct region *b = block_at(at);
		if (!b || b->kind != BLOCK_MAPPED)
			return CU_INVALID_VALUE;
		for (size_t k = 0; k < count && !result; k++)
			if (desc[k].location.type == 1)
				result = set_access(b, &desc[k]);
		at += b->size;
	}
	return result;
}

int drv_cuMemGetAccess(u64 *flags, const struct cu_location *location, u64 ptr)
{
	const struct region *b = block_of(ptr);

	if (!flags || !location)
		return CU_INVALID_VALUE;
	const bool is_other = b && b->kind == BLOCK_MAPPED && location->type == 1 && is_device(location->id);
	*flags = is_other && !(b->granted >> location->id & 1)  ? 0
		 : is_other && b->read_only >> location->id & 1 ? ACCESS_READ
		 : b                                            ? ACCESS_ALL
								: 0;
	return CU_OK;
}

/* The range is that of whole mappings: a part of one cannot go. */
static bool are_mappings(u64 ptr, u64 size)
{
	u64 done = 0;

	while (done < size) {
		const struct region *b = block_at(ptr + done);
		if (!b || b->kind != BLOCK_MAPPED || b->size > size - done)
			return false;
		done += b->size;
	}
	return size != 0;
}

/* Waits for work that may use a mapping. */
static void finish_users(const struct region *b)
{
	struct cu_context *c = b->context ? b->context : driver.devices[b->device].primary;

	if (c && !c->destroyed)
		context_finish(c);
}

int drv_cuMemUnmap(u64 ptr, size_t size)
{
	if (!are_mappings(ptr, size))
		return CU_INVALID_VALUE;
	for (u64 at = ptr; at < ptr + size;) {
		/* Another thread may be faster while this one waits. */
		finish_users(block_at(at));
		if (!are_mappings(at, ptr + size - at))
			return CU_INVALID_VALUE;
		struct region *b = block_at(at);
		struct physical *p = physical_of(b->id);
		at += b->size;
		memory_release(&driver.machine->memory, b->base);
		empty(b->base, b->size);
		if (p)
			physical_release(p);
		block_unbook(b);
	}
	return CU_OK;
}
