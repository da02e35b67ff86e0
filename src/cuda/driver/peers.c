/* SPDX-License-Identifier: Apache-2.0
 *
 * Several devices: which of them may access which memory. As two H200s answer:
 *
 *  cuMemAlloc            its device, and those that have enabled peer access to that
 *  cuMemAllocAsync       its device, and those that its pool (of a graph's memory: the node) gives access
 *  a variable            its device alone
 *  cuMemMap              the devices of cuMemSetAccess
 *  host, managed memory  all
 *
 * Kernels get error 700, fills error 1, and so do copies from and to memory of pools and mappings; copies from and to other
 * memory need no access, nor do the nodes of graphs.
 */
#include "memory/peers.h"

#include "cuda/driver/driver.h"

_Static_assert(DEVICES_MOST <= (int)PEERS_MOST, "an allocation has no bits for so many devices");

bool peer_may_access(const struct region *b, int device)
{
	switch (b->kind) {
	case BLOCK_DEVICE:
	case BLOCK_IMPORTED:
		return device == b->device || driver.devices[device].peers >> b->device & 1;
	case BLOCK_ASYNC:
		return device == b->device || (b->pool ? pool_grants(b->pool) : b->granted) >> device & 1;
	case BLOCK_VARIABLE:
		return device == b->device;
	case BLOCK_MAPPED:
		return b->granted >> device & 1;
	default:
		return true;
	}
}

void peer_settle(const struct region *b)
{
	u32 closed = 0;

	if (driver.device_count < 2 && b->kind != BLOCK_MAPPED)
		return;
	for (int device = 0; device < driver.device_count; device++)
		closed |= (u32)!peer_may_access(b, device) << device;
	memory_close(&driver.machine->memory, b->base, (u16)closed, b->kind == BLOCK_MAPPED ? (u16)b->read_only : 0);
}

bool peer_may_copy(u64 address, int device, bool to)
{
	const struct region *b = driver.device_count > 1 || to ? block_of(address) : NULL;

	if (!b || (b->kind != BLOCK_ASYNC && b->kind != BLOCK_MAPPED))
		return true;
	return peer_may_access(b, device) && !(to && b->kind == BLOCK_MAPPED && b->read_only >> device & 1);
}

bool peer_may_fill(u64 address, int device)
{
	const struct region *b = block_of(address);

	return !b || (peer_may_access(b, device) && !(b->kind == BLOCK_MAPPED && b->read_only >> device & 1));
}
