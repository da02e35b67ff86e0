/* SPDX-License-Identifier: Apache-2.0
 *
 * What the native code of a kernel depends on, as a string of bytes: two kernels with equal keys have equal code.
 */
#ifndef PTXSIM_NATIVE_KEY_H
#define PTXSIM_NATIVE_KEY_H

#include <stddef.h>

#include "native/region.h"

struct native_key {
	u8 *bytes;
	size_t count;
};

/* All of the regions that the compiler sees, the processor, and the plug-in's file. choosy: as the compiler is told. False:
 * no memory, or there is no plug-in. key_free() in any case. */
bool key_make(struct native_key *key, const struct regions *regions, bool choosy);
void key_free(struct native_key *key);

#endif
