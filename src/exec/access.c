/* SPDX-License-Identifier: Apache-2.0
 *
 * Checked access to guest memory for single lanes, and the remembered ranges of global memory that
 * make whole-warp accesses cheap.
 */
#include <string.h>

#include "exec/doze.h"
#include "exec/internal.h"
#include "exec/streamed.h"
#include "memory/peers.h"

enum { LOCAL_LIMIT = 512 << 10, LOCAL_STEP = 1024 };

/* Another instruction of the worker's may have reached the allocation: to look it up takes a lock, which host threads would hand to
 * each other where two instructions share a place. */
static const struct remembered *remembered_elsewhere(const struct worker *k, u64 low, u64 high)
{
	for (const struct remembered *r = k->allocations; r < k->allocations + ALLOCATION_CACHE; r++)
		if (low >= r->low && high <= r->high)
			return r;
	return NULL;
}

/* Whether the stores of i to the large allocation go past the caches. Such a store is in no order with others, so only where no other
 * block can tell. What has no destination row is a store; native code's instructions have no form to ask. */
static bool may_stream(const struct warp *w, const struct insn *i, const struct remembered *r)
{
	const struct kernel *kernel = w->grid->kernel;

	if (i->d != NO_OPERAND || kernel->order_dependent || kernel->code->steps)
		return false;
	for (const struct remembered *o = w->worker->allocations; o < w->worker->allocations + ALLOCATION_CACHE; o++)
		if (o->low == r->low && o->high == r->high)
			return o->flags & REMEMBERED_STREAMED;
	return true;
}

/* From a load on, all stores to the allocation go through the caches. */
static void stop_streaming(struct worker *k, const struct remembered *r)
{
	for (struct remembered *o = k->allocations; o < k->allocations + ALLOCATION_CACHE; o++)
		if (o->low == r->low)
			o->flags &= ~REMEMBERED_STREAMED;
}

static void remember(struct warp *w, const struct insn *i, struct remembered *at, struct remembered r)
{
	const u64 bytes = r.high - r.low;

	r.room = bytes < REMEMBERED_BYTES ? 0 : (u32)min_u64(bytes - REMEMBERED_BYTES + 1, UINT32_MAX);
	r.flags &= ~REMEMBERED_STREAMED;
	if (r.high - r.low >= STREAMED_LEAST) {
		if (may_stream(w, i, &r))
			r.flags |= REMEMBERED_STREAMED;
		else
			stop_streaming(w->worker, &r);
	}
	*at = r;
}

/* Looks the range up and remembers its allocation for the next access of this kind; `generation` tells whether
 * allocations have come or gone since. NULL: it is not within one. */
static u8 *look_up(struct warp *w, const struct insn *i, struct remembered *at, u64 low, u64 high, bool of_lane)
{
	struct worker *worker = w->worker;
	struct memory *m = w->grid->memory;
	const u64 generation = __atomic_load_n(&m->generation, __ATOMIC_ACQUIRE);
	struct allocation a;
	/* A launch begins with nothing remembered, and generation 0. */
	const bool none = worker->generation != generation;
	if (none && worker->generation)
		memset(worker->allocations, 0, sizeof worker->allocations);
	worker->generation = generation;
	const struct remembered *other =
		!none && low < high && !worker->look ? remembered_elsewhere(worker, low, high) : NULL;
	if (other) {
		remember(w, i, at, *other);
		return other->host + (low - other->low);
	}
	if (low >= high || !memory_look(m, low, high - low, &a) || memory_is_closed(&a, w->grid->launch->device_number))
		return NULL;
	if (__builtin_expect(worker->look != NULL, 0))
		return doze_note(worker->look, a.host + (low - a.base), high - low, of_lane) ? a.host + (low - a.base)
											     : NULL;
	remember(w, i, at,
		 (struct remembered){.low = a.base,
				     .high = a.base + a.size,
				     .host = a.host,
				     .flags = memory_flags_for(&a, w->grid->launch->device_number)});
	return a.host + (low - a.base);
}

u8 *global_range_slow(struct warp *w, const struct insn *i, u64 low, u64 high)
{
	return look_up(w, i, global_remembered(w, i), low, high, false);
}

u8 *native_range_slow(struct warp *w, const struct insn *i, u64 low, u64 high)
{
	struct remembered *r = native_remembered(w, i);

	return low >= r->low && high <= r->high && low < high ? r->host + (low - r->low)
							      : look_up(w, i, r, low, high, false);
}

/* As global_range, of what a single lane or one operation accesses. */
static u8 *range_of_lane(struct warp *w, const struct insn *i, u64 low, u64 high)
{
	const struct remembered *r = global_remembered(w, i);

	return low >= r->low && high <= r->high && low < high ? r->host + (low - r->low)
							      : look_up(w, i, global_remembered(w, i), low, high, true);
}

/* Local memory of a warp, grown by doubling: most kernels need none, and the limit is large. False after a fault. */
bool warp_local_reserve(struct warp *w, const struct insn *i, u64 bytes)
{
	const u64 limit = w->grid->launch->local_limit_bytes ? w->grid->launch->local_limit_bytes : LOCAL_LIMIT;

	if (bytes <= w->local_bytes)
		return true;
	if (bytes > limit) {
		warp_fault(w, i, FAULT_STACK_OVERFLOW, 0,
			   "a thread needs %llu bytes of local memory, the limit is %llu", (unsigned long long)bytes,
			   (unsigned long long)limit);
		return false;
	}
	u64 grown = w->local_bytes ? w->local_bytes * 2 : LOCAL_STEP;
	while (grown < bytes)
		grown *= 2;
	if (grown > limit)
		grown = (limit + 3) & ~3ull;
	u8 *local = arena_array(&w->worker->arena, grown, WARP_LANES);
	if (w->local_bytes)
		memcpy(local, w->local, w->local_bytes * WARP_LANES);
	w->local = local;
	w->local_bytes = grown;
	return true;
}

/* NULL: outside of the block's shared memory. */
static u8 *shared_pointer(const struct block *b, u64 address, u32 size)
{
	const u64 offset = address & ((1u << SHARED_RANK_SHIFT) - 1);

	if (!b || offset >= b->shared_bytes || size > b->shared_bytes - offset)
		return NULL;
	return b->shared + offset;
}

/* Is the address in memory of another device, to which this launch's has no access? */
static bool is_closed(const struct warp *w, u64 address)
{
	struct allocation a;

	return memory_look(w->grid->memory, address, 1, &a) && memory_is_closed(&a, w->grid->launch->device_number);
}

/* Where a lane's bytes are on the host; NULL: *why. Local memory lies in words of all lanes, so a pointer is good for
 * one word. */
static u8 *find_pointer(struct warp *w, const struct insn *i, u32 lane, enum ir_space named, u64 address, u32 size,
			bool is_store, enum fault_kind *why)
{
	*why = FAULT_OUT_OF_BOUNDS;
	switch (named == SPACE_GENERIC ? generic_space(w, &address) : named) {
	case SPACE_SHARED:
		return shared_pointer(shared_target(w, i, named, address), address, size);
	case SPACE_LOCAL:
		return address < w->frame->local_top && size <= w->frame->local_top - address && address % 4 + size <= 4
			       ? local_word(w, address, lane)
			       : NULL;
	case SPACE_PARAM:
		if (is_store)
			*why = FAULT_READ_ONLY;
		return !is_store && address < w->grid->kernel->param_bytes &&
				       size <= w->grid->kernel->param_bytes - address
			       ? (u8 *)(uintptr_t)w->grid->launch->params + address
			       : NULL;
	default: {
		u8 *p = range_of_lane(w, i, address, address + size);
		if (!p && !is_store && !is_closed(w, address))
			p = memory_read_past_end(w->grid->memory, address, size);
		if (!p)
			return !is_closed(w, address) && warp_goes_astray(w, i, lane, address, size, is_store)
				       ? (u8 *)(uintptr_t)address
				       : NULL;
		if (is_store && global_remembered(w, i)->flags & ALLOCATION_READ_ONLY) {
			*why = FAULT_READ_ONLY;
			return NULL;
		}
		return p;
	}
	}
}

/* NULL after the fault, which has been reported for the lane. */
u8 *lane_pointer(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address, u32 size,
		 bool is_store)
{
	enum fault_kind why;

	if (size && address & (size - 1) && !(size & (size - 1))) {
		warp_fault_address(w, i, FAULT_MISALIGNED, lane, address, size, space, is_store);
		return NULL;
	}
	u8 *p = find_pointer(w, i, lane, space, address, size, is_store, &why);
	if (!p)
		warp_fault_address(w, i, why, lane, address, size, space, is_store);
	return p;
}

bool warp_reaches(struct warp *w, const struct insn *i, u32 mask, enum ir_space space, const u64 address[WARP_LANES],
		  u32 bytes)
{
	bool reaches = true;

	w->worker->probing = true;
	for (u32 left = mask; left && reaches; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		reaches = lane_pointer(w, i, l, space, address[l], bytes, true) != NULL;
	}
	w->worker->probing = false;
	if (!reaches)
		w->stop = STOP_NONE;
	return reaches;
}

/* Moves between a buffer and memory; local memory word by word. */
static bool move(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address, u8 *buffer, u32 size,
		 bool is_store)
{
	u64 offset = address;
	const enum ir_space real = space == SPACE_GENERIC ? generic_space(w, &offset) : space;

	if (real == SPACE_LOCAL && (size > 4 || offset % 4 + size > 4)) {
		if (offset & (size - 1) && !(size & (size - 1)))
			return warp_fault_address(w, i, FAULT_MISALIGNED, lane, address, size, space, is_store), false;
		for (u32 at = 0; at < size; at += 4)
			if (!move(w, i, lane, SPACE_LOCAL, offset + at, buffer + at, min_u32(4, size - at), is_store))
				return false;
		return true;
	}
	u8 *p = lane_pointer(w, i, lane, space, address, size, is_store);
	if (!p)
		return false;
	if (is_store)
		memcpy(p, buffer, size);
	else
		memcpy(buffer, p, size);
	return true;
}

bool lane_read(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address, void *to, u32 size)
{
	return move(w, i, lane, space, address, to, size, false);
}

bool lane_write(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address, const void *from,
		u32 size)
{
	return move(w, i, lane, space, address, (u8 *)(uintptr_t)from, size, true);
}
