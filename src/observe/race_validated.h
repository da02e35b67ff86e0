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
/* Does a function with a volatile load count on lanes that step together? What it loads goes into a store or an address, and
 * no volatile word decides a branch: whoever hands data over by a flag branches on that. */
bool race_steps_together(const struct code *code, u32 load);

/* Is the value of instruction `load` of the text used, on every way from it, before a fence, an atomic or ordered access
 * or a call that comes after it, or after the next barrier, could tell other threads that it has been read? */
bool race_is_used_first(const struct code *code, u32 load);

#endif
