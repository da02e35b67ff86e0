/* SPDX-License-Identifier: Apache-2.0
 *
 * A trait of the rows of atomic operations alone, beside those of isa.h.
 */
#ifndef PTXSIM_ISA_ATOMICS_H
#define PTXSIM_ISA_ATOMICS_H

#include "isa/isa.h"

enum {
	TRAIT_JOINS = 1 << 23
}; /* several leave the same in memory in whatever order they come; old values may differ */

#endif
