/* SPDX-License-Identifier: Apache-2.0
 *
 * Which kernel parameter an address was computed from, as far as the text says: for messages about null pointers.
 */
#ifndef PTXSIM_DECODE_POINTER_ORIGIN_H
#define PTXSIM_DECODE_POINTER_ORIGIN_H

#include "decode/program.h"

/* Whether the address of body instruction number `index` is computed, over registers as wide as addresses, from the
 * kernel's parameter. Loads from other memory end the search; it gives up after some dozens of registers. */
bool pointer_comes_from(const struct code *code, u32 index, const struct ir_variable *param);

#endif
