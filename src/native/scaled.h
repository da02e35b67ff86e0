/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rows of 64-bit addresses are one number for all lanes plus a power of two times a row of 32 bits, wherever they are read: native code
 * looks at that row in their place.
 */
#ifndef PTXSIM_NATIVE_SCALED_H
#define PTXSIM_NATIVE_SCALED_H

#include "native/flow.h"

/* Sets `scaled` of the flow's rows, and has steps that read one read what it is made of, too. After affine_find. Rows stay as they are if
 * there is no memory. */
void scaled_find(struct code_flow *f);

#endif
