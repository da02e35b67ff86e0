/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocations: device, host, managed and registered memory, and what is known of an address.
 *
 * A region is what the driver knows of an allocation: whose it is, of what kind. What kernels may access is in the
 * machine's memory (memory/memory.h); a region and an allocation have the same base. Regions are found by their base in
 * a table of chains, and by any address through the allocation that holds it.
 *
 *  block_book / block_unbook    the driver's own note
 *  block_add / block_remove     with the allocation; and its memory back to the heap
 */
#include "memory/memory.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/finding.h"
#include "cuda/driver/watch.h"

enum { PITCH = 512, CHAINS = 1 << 14 };

static struct region *chains[CHAINS];

/* 2^14 chains, by the upper bits of a product; most bases are multiples of 512. */
static struct region **chain_of(u64 base) { return &chains[(base >> 9) * 0x9e3779b97f4a7c15ull >> 50]; }

struct region *block_at(u64 base)
{
	for (struct region *b = *chain_of(base); b; b = b->next)
		if (b->base == base)
			return b;
	return NULL;
}

/* The region that holds the address; NULL: none does. */
struct region *block_of(u64 address)
{
	struct allocation a;

	return memory_look(&driver.machine->memory, address, 1, &a) ? block_at(a.base) : NULL;
}

static const char *const names[] = {"cuMemAlloc",        "cuMemHostAlloc",  "cuMemHostRegister",
				    "cuMemAllocManaged", "cuMemAllocAsync", "a variable",
				    "cuMemMap",          "a variable",      "cuIpcOpenMemHandle"};

struct region *block_add(struct cu_context *c, u64 base, u64 size, enum block_kind kind)
{
	struct region *b = block_book(c, base, size, kind);

	const bool is_device = kind == BLOCK_DEVICE || kind == BLOCK_ASYNC || kind == BLOCK_VARIABLE;
	if (b && !memory_map(&driver.machine->memory, base, size, (u8 *)(uintptr_t)base, names[kind],
			     is_device ? 0 : ALLOCATION_HOST)) {
		block_unbook(b);
		return NULL;
	}
	return b;
}

/* `at` is what points to the region in its chain, so that it can be taken out without a search. */
struct region *block_book(struct cu_context *c, u64 base, u64 size, enum block_kind kind)
{
	struct region *b = calloc(1, sizeof *b), **chain = chain_of(base);

	if (!b)
		return NULL;
	*b = (struct region){.next = *chain,
			     .at = chain,
			     .base = base,
			     .size = size,
			     .kind = kind,
			     .context = c,
			     .device = c ? c->device : 0,
			     .id = ++driver.next_id,
			     .given = kind == BLOCK_VARIABLE || kind == BLOCK_MANAGED_VARIABLE ? NULL : watch_place(),
			     .preferred = -2,
			     .accessed_by = -2,
			     .prefetched = -2};
	if (b->next)
		b->next->at = &b->next;
	*chain = b;
	peer_settle(b); /* a variable is in memory already */
	return b;
}

void block_unbook(struct region *b)
{
	*b->at = b->next;
	if (b->next)
		b->next->at = b->at;
	free(b);
}

void block_remove(struct region *b)
{
	struct graph_memory *m = b->of_graph;

	b->of_graph = NULL;
	finding_forget_later(b);
	watch_memory_ends(b->base, b->size);
	memory_release(&driver.machine->memory, b->base);
	if (b->kind == BLOCK_IMPORTED)
		ipc_unmap(b);
	else if (b->kind != BLOCK_REGISTERED && b->kind != BLOCK_MAPPED)
		heap_give(&driver.devices[b->device].heap, (void *)(uintptr_t)b->base, b->size);
	block_unbook(b);
	if (m)
		graph_memory_free(m);
}

/* Variables go with their modules; what is mapped by the program is no context's. */
void blocks_remove_of(struct cu_context *c)
{
	for (u32 k = 0; k < CHAINS; k++)
		for (struct region *b = chains[k], *next; b; b = next) {
			next = b->next;
			if (b->context == c && b->kind != BLOCK_VARIABLE && b->kind != BLOCK_MANAGED_VARIABLE &&
			    b->kind != BLOCK_MAPPED)
				block_remove(b);
		}
}

void peer_settle_all(int device)
{
	for (u32 k = 0; k < CHAINS; k++)
		for (const struct region *b = chains[k]; b; b = b->next)
			if (b->device == device)
				peer_settle(b);
}

static void tell_leak(const struct region *b)
{
	char giver[600];

	finding_giver(b, b->of_array ? "cuArrayCreate" : names[b->kind], giver, sizeof giver);
	watch_tell("leak: %llu byte%s at 0x%llx, given by %s, %s never freed", (unsigned long long)b->size,
		   plural_s(b->size), (unsigned long long)b->base, giver, b->size == 1 ? "is" : "are");
}

void blocks_tell_leaks(void)
{
	enum { TOLD = 16 };
	u64 count = 0, bytes = 0;

	for (u32 k = 0; k < CHAINS; k++)
		for (const struct region *b = chains[k]; b; b = b->next) {
			if (b->kind != BLOCK_DEVICE && b->kind != BLOCK_MANAGED && b->kind != BLOCK_ASYNC)
				continue;
			if (b->of_condition)
				continue;
			/* A graph that is still there holds no memory between its launches. */
			if (b->of_graph && !b->of_graph->live)
				continue;
			bytes += b->size;
			if (count++ < TOLD)
				tell_leak(b);
		}
	if (count > TOLD)
		watch_tell("leak: %llu allocations in all, %llu bytes", (unsigned long long)count,
			   (unsigned long long)bytes);
}

/* New memory of a device. NULL: there is no room. */
static struct region *take(int device, size_t bytes, enum block_kind kind)
{
	struct heap *h = &driver.devices[device].heap;

	if (h->used + bytes > driver.devices[device].free_bytes || h->used + bytes < bytes)
		return NULL;
	void *at = heap_take(h, bytes);
	if (!at)
		return NULL;
	struct region *b = block_add(context_current(), (u64)(uintptr_t)at, bytes, kind);
	if (!b) {
		heap_give(h, at, bytes);
		return NULL;
	}
	b->device = device;
	peer_settle(b);
	if (kind == BLOCK_DEVICE || kind == BLOCK_ASYNC)
		watch_memory_begins(b->base, bytes);
	return b;
}

/* --- Device memory ------------------------------------------------------------------------------- */

int block_allocate_on(int device, u64 *dptr, size_t bytesize)
{
	if (!dptr || !bytesize)
		return CU_INVALID_VALUE;
	const struct region *b = take(device, bytesize, BLOCK_DEVICE);
	if (!b)
		return CU_OUT_OF_MEMORY;
	*dptr = b->base;
	return CU_OK;
}

int block_allocate(u64 *dptr, size_t bytesize) { return block_allocate_on(context_current()->device, dptr, bytesize); }

int drv_cuMemAlloc_v2(u64 *dptr, size_t bytesize)
{
	const int forbidden = capture_forbids_unsafe(context_current());

	return forbidden ? forbidden : block_allocate(dptr, bytesize);
}

/* Rows begin at multiples of 512 bytes, as on the card. */
int drv_cuMemAllocPitch_v2(u64 *dptr, size_t *p_pitch, size_t width_in_bytes, size_t height, u32 element_size_bytes)
{
	if (!dptr || !p_pitch || !width_in_bytes || !height ||
	    (element_size_bytes != 4 && element_size_bytes != 8 && element_size_bytes != 16))
		return CU_INVALID_VALUE;
	const size_t pitch = (width_in_bytes + PITCH - 1) / PITCH * PITCH;
	if (pitch < width_in_bytes || height > SIZE_MAX / pitch)
		return CU_OUT_OF_MEMORY;
	const int result = drv_cuMemAlloc_v2(dptr, pitch * height);
	if (!result)
		*p_pitch = pitch;
	return result;
}

/* Memory may only go when nothing runs that may use it. */
static int finish_before_release(struct region *b)
{
	return b->context->destroyed ? CU_OK : context_finish(b->context);
}

/* Memory of a graph goes with the graph. The region is looked for again after waiting, since another thread may have
 * freed it. */
int drv_cuMemFree_v2(u64 dptr)
{
	struct region *b = block_at(dptr);

	const struct cu_context *c = context_current();

	if (c && (c->destroyed || driver_error()))
		return c->destroyed ? CU_CONTEXT_DESTROYED : driver_error();
	if (!dptr)
		return CU_OK;
	if (!b || b->freeing ||
	    (b->kind != BLOCK_DEVICE && b->kind != BLOCK_MANAGED && b->kind != BLOCK_ASYNC && !pool_imported(b)) ||
	    (b->of_graph && !b->of_graph->live)) {
		finding_wrong_free(dptr, "cuMemFree");
		return CU_INVALID_VALUE;
	}
	const int result = finish_before_release(b);
	b = block_at(dptr);
	if (!b)
		return CU_INVALID_VALUE;
	if (b->of_graph) {
		graph_memory_free(b->of_graph);
	} else {
		b->freed = watch_place();
		pool_give_back(b);
		block_remove(b);
	}
	return result;
}

int drv_cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
	const struct cu_device *d = device_current();

	if (!free_bytes || !total)
		return CU_INVALID_VALUE;
	*free_bytes = d->free_bytes - min_u64(d->heap.used, d->free_bytes);
	*total = d->memory_bytes;
	return CU_OK;
}

int drv_cuMemGetAddressRange_v2(u64 *pbase, size_t *psize, u64 dptr)
{
	const struct region *b = block_of(dptr);

	if (!b)
		return CU_NOT_FOUND;
	if (pbase)
		*pbase = b->base;
	if (psize)
		*psize = b->size;
	return CU_OK;
}

/* --- Host memory ---------------------------------------------------------------------------------- */

int drv_cuMemHostAlloc(void **pp, size_t bytesize, u32 flags)
{
	if (!pp || flags & ~7u)
		return CU_INVALID_VALUE;
	if (!bytesize) { /* taken, as an H200 takes it, unlike cuMemAlloc's */
		*pp = NULL;
		return CU_OK;
	}
	const int forbidden = capture_forbids_unsafe(context_current());
	if (forbidden)
		return forbidden;
	struct region *b = take(context_current()->device, bytesize, BLOCK_HOST);
	if (!b)
		return CU_OUT_OF_MEMORY;
	b->flags = flags | 2;
	*pp = (void *)(uintptr_t)b->base;
	return CU_OK;
}

int drv_cuMemAllocHost_v2(void **pp, size_t bytesize) { return drv_cuMemHostAlloc(pp, bytesize, 0); }

int drv_cuMemFreeHost(void *p)
{
	struct region *b = block_at((u64)(uintptr_t)p);

	if (!b || b->kind != BLOCK_HOST)
		return CU_INVALID_VALUE;
	const int result = finish_before_release(b);
	b = block_at((u64)(uintptr_t)p);
	if (b) {
		b->freed = watch_place();
		block_remove(b);
	}
	return result;
}

int drv_cuMemHostRegister_v2(void *p, size_t bytesize, u32 flags)
{
	struct allocation a;
	const u64 base = (u64)(uintptr_t)p;

	if (!p || !bytesize || flags & ~15u || base + bytesize < base)
		return CU_INVALID_VALUE;
	if (memory_look(&driver.machine->memory, base, 1, &a) ||
	    memory_look(&driver.machine->memory, base + bytesize - 1, 1, &a))
		return CU_ALREADY_REGISTERED;
	struct region *b = block_add(context_current(), base, bytesize, BLOCK_REGISTERED);
	if (!b)
		return CU_ALREADY_REGISTERED;
	b->flags = flags | 2;
	return CU_OK;
}

int drv_cuMemHostUnregister(void *p)
{
	struct region *b = block_at((u64)(uintptr_t)p);

	if (!p)
		return CU_INVALID_VALUE;
	if (!b || b->kind != BLOCK_REGISTERED)
		return CU_NOT_REGISTERED;
	const int result = finish_before_release(b);
	b = block_at((u64)(uintptr_t)p);
	if (b)
		block_remove(b);
	return result;
}

static struct region *host_block(const void *p)
{
	struct region *b = block_of((u64)(uintptr_t)p);

	return b && (b->kind == BLOCK_HOST || b->kind == BLOCK_REGISTERED || b->kind == BLOCK_MANAGED) ? b : NULL;
}

int drv_cuMemHostGetDevicePointer_v2(u64 *pdptr, void *p, u32 flags)
{
	if (!pdptr || flags || !host_block(p))
		return CU_INVALID_VALUE;
	*pdptr = (u64)(uintptr_t)p;
	return CU_OK;
}

int drv_cuMemHostGetFlags(u32 *p_flags, void *p)
{
	const struct region *b = host_block(p);

	if (!p_flags || !b)
		return CU_INVALID_VALUE;
	*p_flags = b->flags;
	return CU_OK;
}

/* --- Managed memory -------------------------------------------------------------------------------- */

int drv_cuMemAllocManaged(u64 *dptr, size_t bytesize, u32 flags)
{
	if (!dptr || !bytesize || (flags != 1 && flags != 2))
		return CU_INVALID_VALUE;
	const int forbidden = capture_forbids_unsafe(context_current());
	if (forbidden)
		return forbidden;
	struct region *b = take(context_current()->device, bytesize, BLOCK_MANAGED);
	if (!b)
		return CU_OUT_OF_MEMORY;
	b->flags = flags;
	*dptr = b->base;
	return CU_OK;
}

/* The managed block that holds a whole range. */
static struct region *managed(u64 at, size_t count)
{
	struct region *b = count ? block_of(at) : NULL;

	return b && (b->kind == BLOCK_MANAGED || b->kind == BLOCK_MANAGED_VARIABLE) && count <= b->size - (at - b->base)
		       ? b
		       : NULL;
}

static bool location_is_known(struct cu_location l)
{
	return l.type == 1 ? l.id >= 0 && l.id < driver.device_count : l.type >= 2 && l.type <= 4;
}

/* Nothing moves: there is one memory. What was asked for is kept, for programs that ask. */
int drv_cuMemPrefetchAsync_v2(u64 dev_ptr, size_t count, struct cu_location location, u32 flags,
			      struct cu_stream *h_stream)
{
	struct region *b = managed(dev_ptr, count);

	if (!stream_of(h_stream))
		return CU_INVALID_HANDLE;
	if (!b || flags)
		return CU_INVALID_VALUE;
	if (!location_is_known(location))
		return CU_INVALID_DEVICE;
	b->prefetched = location.type == 1 ? location.id : -1;
	return CU_OK;
}

static struct cu_location location_of(int device)
{
	return device < 0 ? (struct cu_location){2, 0} : (struct cu_location){1, device};
}

int drv_cuMemPrefetchAsync(u64 dev_ptr, size_t count, int dst_device, struct cu_stream *h_stream)
{
	return drv_cuMemPrefetchAsync_v2(dev_ptr, count, location_of(dst_device), 0, h_stream);
}

/* CUmem_advise: 1 and 2 read-mostly on and off, 3 and 4 preferred location, 5 and 6 accessed by; -1 is the host, -2
 * none. */
int drv_cuMemAdvise_v2(u64 dev_ptr, size_t count, int advice, struct cu_location location)
{
	struct region *b = managed(dev_ptr, count);
	const int place = location.type == 1 ? location.id : -1;

	if (!b || advice < 1 || advice > 6)
		return CU_INVALID_VALUE;
	if (advice > 2 && !location_is_known(location))
		return CU_INVALID_DEVICE;
	switch (advice) {
	case 1:
	case 2:
		b->advice = advice == 1;
		break;
	case 3:
	case 4:
		b->preferred = advice == 3 ? place : -2;
		break;
	default:
		b->accessed_by = advice == 5 ? place : -2;
	}
	return CU_OK;
}

int drv_cuMemAdvise(u64 dev_ptr, size_t count, int advice, int device)
{
	return drv_cuMemAdvise_v2(dev_ptr, count, advice, location_of(device));
}

/* CUmem_range_attribute: read-mostly, preferred location, accessed by, last prefetch. */
int drv_cuMemRangeGetAttribute(void *data, size_t data_size, int attribute, u64 dev_ptr, size_t count)
{
	const struct region *b = managed(dev_ptr, count);

	if (!data || data_size < 4 || !b)
		return CU_INVALID_VALUE;
	int *to = data;
	switch (attribute) {
	case 1:
		*to = b->advice & 1;
		return CU_OK;
	case 2:
		*to = b->preferred;
		return CU_OK;
	case 3:
		for (size_t k = 0; k < data_size / 4; k++)
			to[k] = k ? -2 : b->accessed_by;
		return CU_OK;
	case 4:
		*to = b->prefetched;
		return CU_OK;
	default:
		return CU_INVALID_VALUE;
	}
}

int drv_cuMemRangeGetAttributes(void **data, size_t *data_sizes, int *attributes, size_t num_attributes, u64 dev_ptr,
				size_t count)
{
	if (!data || !data_sizes || !attributes || !num_attributes)
		return CU_INVALID_VALUE;
	for (size_t k = 0; k < num_attributes; k++) {
		const int result = drv_cuMemRangeGetAttribute(data[k], data_sizes[k], attributes[k], dev_ptr, count);
		if (result)
			return result;
	}
	return CU_OK;
}

int drv_cuStreamAttachMemAsync(struct cu_stream *h_stream, u64 dptr, size_t length, u32 flags)
{
	const struct region *b = block_of(dptr);

	(void)length;
	(void)flags;
	if (!stream_of(h_stream))
		return CU_INVALID_HANDLE;
	return b && b->kind == BLOCK_MANAGED ? CU_OK : CU_INVALID_VALUE;
}

/* --- What is known of an address --------------------------------------------------------------------- */

static bool is_managed(const struct region *b) { return b->kind == BLOCK_MANAGED || b->kind == BLOCK_MANAGED_VARIABLE; }

/* Integer attributes; false: there is none of that number. */
static bool integer_attribute(const struct region *b, int attribute, u32 *value)
{
	const bool host = b->kind == BLOCK_HOST || b->kind == BLOCK_REGISTERED;

	switch (attribute) {
	case 2: /* memory type */
		return *value = host ? CU_MEMORY_HOST : CU_MEMORY_DEVICE, true;
	case 6: /* synchronous copies */
		return *value = host ? b->sync : 1, true;
	case 8:
		return *value = is_managed(b), true;
	case 9:
		return *value = (u32)b->device, true;
	case 10: /* may be shared between processes, as on the card */
		return *value = b->kind == BLOCK_DEVICE || b->kind == BLOCK_VARIABLE, true;
	case 13: /* mapped */
		return *value = 1, true;
	case 15: /* direct access by others */
		return *value = b->kind == BLOCK_DEVICE, true;
	case 16: /* access flags: read and write */
		return *value = 3, true;
	case 21:
		return *value = b->kind == BLOCK_DEVICE, true;
	default:
		return false;
	}
}

/* CUpointer_attribute by number. The value is 8 bytes unless integer_attribute has it. */
static int pointer_attribute(const struct region *b, int attribute, u64 ptr, void *data)
{
	u32 integer;
	u64 value;

	if (integer_attribute(b, attribute, &integer)) {
		memcpy(data, &integer, sizeof integer);
		return CU_OK;
	}
	switch (attribute) {
	case 1:
		value = (u64)(uintptr_t)b->context;
		break;
	case 3: /* what the current context's kernels reach it by */
		if (context_current() && !peer_may_access(b, context_current()->device))
			return CU_INVALID_VALUE;
		value = ptr;
		break;
	case 4:
		value = b->kind == BLOCK_HOST || b->kind == BLOCK_REGISTERED || is_managed(b) ? ptr : 0;
		break;
	case 5:
		value = 0;
		break;
	case 7:
	case 20:
		value = b->id;
		break;
	case 11:
	case 19:
		value = b->base;
		break;
	case 12:
		value = b->size;
		break;
	case 14:
	case 17:
		value = attribute == 17 ? (u64)(uintptr_t)b->pool : 0;
		break;
	case 18:
		value = 2 << 20;
		break;
	default:
		return CU_INVALID_VALUE;
	}
	memcpy(data, &value, sizeof value);
	return !value && (attribute == 4 || (attribute == 5 && b->kind == BLOCK_HOST)) ? CU_INVALID_VALUE : CU_OK;
}

int drv_cuPointerGetAttribute(void *data, int attribute, u64 ptr)
{
	const struct region *b = block_of(ptr);

	if (!data || attribute < 1 || attribute > 21 || !b)
		return CU_INVALID_VALUE;
	return pointer_attribute(b, attribute, ptr, data);
}

/* Bytes of each attribute's value. */
static size_t attribute_bytes(int attribute)
{
	return attribute == 2 || attribute == 6 || attribute == 8 || attribute == 9 || attribute == 10 ||
			       attribute == 13 || attribute == 15 || attribute == 16 || attribute == 21
		       ? 4
		       : 8;
}

int drv_cuPointerGetAttributes(u32 num_attributes, int *attributes, void **data, u64 ptr)
{
	const struct region *b = block_of(ptr);

	if (!attributes || !data)
		return CU_INVALID_VALUE;
	for (u32 k = 0; k < num_attributes; k++) {
		if (!data[k] || attributes[k] < 1 || attributes[k] > 21)
			return CU_INVALID_VALUE;
		memset(data[k], 0, attribute_bytes(attributes[k]));
		if (b)
			pointer_attribute(b, attributes[k], ptr, data[k]);
		else if (attributes[k] == 9)
			*(int *)data[k] = -2;
	}
	return CU_OK;
}

int drv_cuPointerSetAttribute(const void *value, int attribute, u64 ptr)
{
	struct region *b = block_of(ptr);

	if (!value || attribute != 6 || !b)
		return CU_INVALID_VALUE;
	b->sync = *(const u32 *)value != 0;
	return CU_OK;
}
