/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel takes of a multiprocessor, as far as its text tells. The kernel has been lowered.
 */
#ifndef PTXSIM_DECODE_RESOURCES_H
#define PTXSIM_DECODE_RESOURCES_H

#include "decode/program.h"

/* The largest block that the kernel states, in threads; 0: it states none. */
u32 kernel_stated_threads(const struct kernel *k);
/* The largest block that may be launched, in threads. */
u32 kernel_threads_most(const struct kernel *k, const struct arch *a);
/* Of a thread: the machine's registers where they are stated, else those that are live together, with some for addresses,
 * and as many as are granted at the least; no more than leave room for the blocks that the kernel states. */
u32 kernel_registers(const struct kernel *k, const struct arch *a);
/* Of a thread, in bytes, for its own frame. */
u64 kernel_local_bytes(const struct kernel *k);
/* All .const variables of its program, in bytes. */
u64 program_constant_bytes(const struct program *p);

#endif
