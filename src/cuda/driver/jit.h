/* SPDX-License-Identifier: Apache-2.0
 *
 * What callers ask of the compiler when they load or link PTX (CUjit_option), but for the buffers of messages, which are
 * image.h's: limits that kernels are held to, and the target. Limits belong to a text and are kept with it, through
 * the linker's image, until a module is built of it.
 */
#ifndef PTXSIM_CUDA_DRIVER_JIT_H
#define PTXSIM_CUDA_DRIVER_JIT_H

#include "cuda/driver/texts.h"
#include "ptxsim.h"

struct arch;

struct jit_options {
	struct text_limits limits;
	const struct arch *target; /* NULL: the device's */
};

/* Reads them, and answers what they ask. CU_INVALID_VALUE: they contradict each other, or name a target that nobody knows.
 * gpu: what CU_JIT_THREADS_PER_BLOCK reckons with. */
int jit_read(struct jit_options *to, u32 n, const int *options, void **values, const struct arch *gpu);
/* Whether a GPU runs machine code that was made for the target. */
bool jit_target_fits(const struct arch *gpu, const struct arch *target);
/* Holds the kernels of the text that was added to the module last to the limits. */
void jit_limit(const ptxsim_module *m, const struct text_limits *limits);
/* CU_OK, or why the PTX of a module cannot be compiled for the GPU: its version or one of its targets is too new. */
int jit_can_compile(const ptxsim_module *m, const struct arch *gpu);

#endif
