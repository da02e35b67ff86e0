/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices that share one memory, whose kernels may not access all of it: an allocation's flags have, from bit PEERS_SHIFT on, a
 * bit for each device that it is closed to. Kernels of such a device find nothing there.
 */
#ifndef PTXSIM_MEMORY_PEERS_H
#define PTXSIM_MEMORY_PEERS_H

#include "memory/memory.h"

enum { PEERS_SHIFT = 16, PEERS_MOST = 16 };

static inline bool memory_is_closed(u32 flags, u32 device)
{
	return device < PEERS_MOST && flags >> (PEERS_SHIFT + device) & 1;
}

/* Closes the allocation that begins at `base` to the devices of a mask, and opens it to all others. Remembered hits are void.
 * Safe beside lookups. */
void memory_close(struct memory *m, u64 base, u32 devices);

#endif
