/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant banks as listings of sm_20 name them. Bank 0 holds what the driver supplies for the
 * launch and from 0x20 on the parameters; bank 1 the size of local memory, where the stack begins;
 * the others what the listing says.
 */
#include <string.h>

#include "exec/driver_bank.h"
#include "exec/internal.h"

enum {
	BANK0_SHARED_WINDOW = 0x00, /* where shared and local memory begin in the generic address space */
	BANK0_LOCAL_WINDOW = 0x04,
	BANK0_BLOCK = 0x08, /* threads of a block, by dimension */
	BANK0_GRID = 0x14,  /* blocks of the grid */
	BANK0_PARAMS = 0x20,
	BANK1_STACK = 0x100
};

static bool driver_word(const struct grid *grid, u32 offset, u32 *value)
{
	switch (offset) {
	case BANK0_SHARED_WINDOW:
		*value = (u32)grid->map->shared_window;
		return true;
	case BANK0_LOCAL_WINDOW:
		*value = (u32)grid->map->local_window;
		return true;
	default:
		*value = offset < BANK0_GRID ? grid->launch->block[(offset - BANK0_BLOCK) / 4]
					     : grid->launch->grid[(offset - BANK0_GRID) / 4];
		return true;
	}
}

bool bank_word(const struct grid *grid, const struct code *code, u32 bank, u32 offset, u32 *value)
{
	const struct ir_listing *l = code->function->listing;

	if (code->machine_banks)
		return driver_bank_word(grid, code, bank, offset, value);
	if (bank == 0 && offset < BANK0_PARAMS)
		return driver_word(grid, offset, value);
	if (bank == 0) {
		if (offset - BANK0_PARAMS >= grid->kernel->param_bytes)
			return false;
		*value = 0;
		memcpy(value, grid->launch->params + (offset - BANK0_PARAMS),
		       min_u32(4, grid->kernel->param_bytes - (offset - BANK0_PARAMS)));
		return true;
	}
	if (bank == 1) {
		*value = (u32)code->local_bytes;
		return offset == BANK1_STACK;
	}
	for (size_t k = l->words.count; k > 0; k--)
		if (l->words.items[k - 1].bank == bank && l->words.items[k - 1].offset == offset) {
			*value = l->words.items[k - 1].value;
			return true;
		}
	return false;
}
