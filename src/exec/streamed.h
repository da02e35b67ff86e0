/* SPDX-License-Identifier: Apache-2.0
 *
 * Which stores go past the host's caches: whole rows of a large allocation that the kernel has not been seen to load from. Their
 * lines need not be read before they are written, and do not push out what will be read again.
 */
#ifndef PTXSIM_EXEC_STREAMED_H
#define PTXSIM_EXEC_STREAMED_H

#include "base/types.h"

/* remembered.flags, beside those of allocations: a store remembers it. */
enum { REMEMBERED_STREAMED = 1u << 31 };
/* bytes. More than a core's share of the last-level cache; what is smaller may well be read from there by the next launch. */
enum { STREAMED_LEAST = 8 << 20 };

#endif
