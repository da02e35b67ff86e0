/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain reads that count only if a compare and swap of the same place finds the value unchanged, as loops that make an
 * atomic operation of one do. A part of the race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_VALIDATED_H
#define PTXSIM_OBSERVE_RACE_VALIDATED_H

#include "decode/program.h"

/* Does what body instruction `load` reads go, however it is computed with, into what an atom.cas of the same address
 * compares? */
bool race_is_validated(const struct code *code, u32 load);
/* Does what it loads go into a store or an address, and into no branch? Whoever waits for a value branches on it. */
bool race_is_kept(const struct code *code, u32 load);

#endif
