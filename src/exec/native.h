/* SPDX-License-Identifier: Apache-2.0
 *
 * What execution knows of native code: another copy of a kernel's gang_insns, where the first instructions of regions
 * have a handler that runs them natively. It may be there from the start, or come while the launch runs: a block takes
 * the one that is there when it begins.
 */
#ifndef PTXSIM_EXEC_NATIVE_H
#define PTXSIM_EXEC_NATIVE_H

#include "decode/program.h"

/* Native code of a kernel; the folder native/ knows more of it. */
struct native_code {
	const struct insn *insns; /* in place of code->gang_insns */
};

struct native_kernel {
	struct native_code *ready; /* atomic; NULL: none yet */
	u64 heat;                  /* atomic: warp instructions that it has run without */
	u64 wanted;                /* at which heat code is asked for */
	void (*want)(struct native_kernel *k);
};

static inline struct native_code *native_ready(const struct native_kernel *k)
{
	return k ? __atomic_load_n(&k->ready, __ATOMIC_ACQUIRE) : NULL;
}

/* The kernel has run that many instructions more, of warps. */
static inline void native_warm(struct native_kernel *k, u64 instructions)
{
	if (__atomic_load_n(&k->heat, __ATOMIC_RELAXED) < k->wanted &&
	    __atomic_add_fetch(&k->heat, instructions, __ATOMIC_RELAXED) >= k->wanted)
		k->want(k);
}

#endif
