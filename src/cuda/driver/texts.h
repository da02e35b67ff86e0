/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX texts to be linked together; each from malloc, ending in a NUL.
 */
#ifndef PTXSIM_CUDA_DRIVER_TEXTS_H
#define PTXSIM_CUDA_DRIVER_TEXTS_H

#include "base/types.h"

/* What the kernels of a text are compiled for, by its caller's options; 0: no limit. */
struct text_limits {
	u32 registers, threads, blocks;
	u32 overrides; /* they go before the text's own directives */
};

struct image_texts {
	char **texts, **names;
	size_t *lengths;
	struct text_limits *limits;
	u32 count, room;
};

#endif
