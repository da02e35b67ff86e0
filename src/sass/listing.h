/* SPDX-License-Identifier: Apache-2.0
 *
 * Text listings of machine code from sm_75 on, as cuobjdump -sass and nvdisasm -hex print them. The encodings stand in
 * them as comments, so reading one gives the code itself; of what a cubin says besides, a listing has nothing.
 */
#ifndef PTXSIM_SASS_LISTING_H
#define PTXSIM_SASS_LISTING_H

#include "sass/cubin.h"

/* Whether the text begins as such a listing does, with a target of sm_75 or later. */
bool sass_listing_is(const char *text, u64 size);
/* Functions with their code, copied into the arena. False, and `why` with `line` (from 1): the text is not understood. */
bool sass_listing_read(struct arena *a, const char *text, u64 size, struct cubin *to, u32 *line, const char **why);

#endif
