/* SPDX-License-Identifier: Apache-2.0
 *
 * What the handlers of machine code share. isa/machine.h names them.
 */
#ifndef PTXSIM_SEM_MACHINE_H
#define PTXSIM_SEM_MACHINE_H

#include "isa/machine.h"
#include "sem/lanes.h"

#define MACHINE_TABLE(NAME) extern const struct machine_entry SEM_NAME(NAME)[]
MACHINE_TABLE(machine_integer);
MACHINE_TABLE(machine_exchange);
MACHINE_TABLE(machine_control);

#define ENTRY(NAME)                   \
	{                             \
		MACHINE_##NAME, &NAME \
	}

/* A mask from each lane's truth. */
#define MASK_OF(TEST)                                            \
	({                                                       \
		s32 t_[WARP_LANES] __attribute__((aligned(64))); \
		EACH_LANE                                        \
			t_[l] = (TEST) ? -1 : 0;                 \
		pack_lanes32(t_);                                \
	})

#endif
