/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of control bits: an instruction that reads or writes a register while the barrier that an earlier one has set for
 * it has not been waited for on some way there. Results here do not depend on it; on the hardware they would.
 */
#ifndef PTXSIM_SASS_SCOREBOARD_H
#define PTXSIM_SASS_SCOREBOARD_H

#include "sass/effects.h"

enum sass_hazard_kind {
	HAZARD_READ_EARLY,    /* a result is read before it is there */
	HAZARD_WRITTEN_TWICE, /* a register is written while an earlier result is still to come */
	HAZARD_SOURCE_LOST    /* a source is overwritten before it has been read */
};

struct sass_hazard {
	enum sass_hazard_kind kind;
	u32 address; /* of the instruction that should wait */
	u32 setter; /* of the nearest one before it that sets the barrier for that register; its own if none is before */
	u16 reg;    /* SASS_INDEX_* */
	u8 barrier; /* 0 to 5 */
};

/* Calls `tell` for each hazard of a function, by address, one for each register; returns how many there are. Ways that lead
 * through a table of BRX or an address in a register are not followed; predicates are not looked at, which atomics and the like
 * give back in a way of their own. */
u32 sass_check_scoreboard(struct arena *a, const struct sass_decoder *d, const u8 *code, u64 bytes,
			  void (*tell)(void *context, const struct sass_hazard *h), void *context);

/* "R4", "UP0" */
void sass_register_name(u32 index, char name[8]);

#endif
