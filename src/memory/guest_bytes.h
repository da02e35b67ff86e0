/* SPDX-License-Identifier: Apache-2.0
 *
 * Host bytes of global memory. Kernels may race in them: their loads and stores are plain accesses of the host, as wide
 * as the words or wider, which its processor carries out like relaxed atomics. So that a build with ThreadSanitizer
 * tells the races of the host and no others, that build takes these bytes, and nothing else, from a range of addresses
 * in which it is told to expect races.
 */
#ifndef PTXSIM_MEMORY_GUEST_BYTES_H
#define PTXSIM_MEMORY_GUEST_BYTES_H

#include "base/types.h"

/* Bytes behind each allocation that may be read, and are zero. */
enum { GUEST_BYTES_SLACK = 64 };

/* Zeroed, aligned to a cache line, so that rows of aligned guest data are aligned on the host, and with a line of slack
 * behind them; NULL: the host has no memory left. A megabyte and more lies in huge pages where the host has them. */
u8 *guest_bytes_new(u64 size);
/* `size` as it was asked for. NULL does nothing. */
void guest_bytes_free(u8 *bytes, u64 size);
/* The caller's bytes are global memory from now on. */
void guest_bytes_lend(u8 *bytes, u64 size);

#endif
