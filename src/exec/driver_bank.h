/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant banks of cubins' kernels. Bank 0 holds what the driver supplies for a launch and, behind it, the parameters;
 * bank 2 the kernel's tables, bank 3 the module's .const variables, bank 4 addresses.
 */
#ifndef PTXSIM_EXEC_DRIVER_BANK_H
#define PTXSIM_EXEC_DRIVER_BANK_H

#include "exec/grid.h"

/* Where parameters begin in the window of their space: as far from a multiple of 256 as in bank 0, so that what is
 * aligned there is aligned in generic addresses, too. */
static inline u64 param_bias(const struct grid *grid)
{
	return grid->kernel->code->machine_banks ? grid->kernel->code->machine_banks->param_base & 255 : 0;
}

/* The word at `offset` (a multiple of 4); false if the bank has none there. Words of bank 0 that no code is known to read
 * are 0. */
bool driver_bank_word(const struct grid *grid, const struct code *code, u32 bank, u32 offset, u32 *value);

#endif
