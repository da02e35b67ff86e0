/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX texts to be linked together; each from malloc, ending in a NUL.
 */
#ifndef PTXSIM_CUDA_DRIVER_TEXTS_H
#define PTXSIM_CUDA_DRIVER_TEXTS_H

#include "base/types.h"

struct image_texts {
	char **texts, **names;
	size_t *lengths;
	u32 count, room;
};

#endif
