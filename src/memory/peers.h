/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices that share one memory, whose kernels may not access all of it: an allocation has a bit for each device that it is
 * closed to, whose kernels find nothing there, and one for each device whose kernels may only read it.
 */
#ifndef PTXSIM_MEMORY_PEERS_H
#define PTXSIM_MEMORY_PEERS_H

#include "memory/memory.h"

enum { PEERS_MOST = 16 };

static inline bool memory_is_closed(const struct allocation *a, u32 device)
{
	return device < PEERS_MOST && a->closed_to >> device & 1;
}

/* The allocation's flags as kernels of the device find them. */
static inline u32 memory_flags_for(const struct allocation *a, u32 device)
{
	return a->flags | (device < PEERS_MOST && a->read_only_for >> device & 1 ? ALLOCATION_READ_ONLY : 0);
}

/* Closes the allocation that begins at `base` to the devices of one mask, lets those of another only read it, and opens it to
 * all others. Remembered hits are void. Safe beside lookups. */
void memory_close(struct memory *m, u64 base, u16 closed_to, u16 read_only_for);

#endif
