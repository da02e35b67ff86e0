/* SPDX-License-Identifier: Apache-2.0
 *
 * Mnemonics of machine code as a table for people: from which rows, on which targets, and whether they run.
 */
#ifndef PTXSIM_SASS_TABLE_H
#define PTXSIM_SASS_TABLE_H

#include "base/types.h"

enum { SASS_TARGETS = 7 };
extern const u16 sass_targets[SASS_TARGETS]; /* 75, 80 ... 120 */

struct sass_mnemonic {
	const char *name, *family;
	u32 rows;   /* forms in the table of encodings */
	u8 targets; /* bit k: sass_targets[k] has it */
	bool runs;  /* it is lowered; else it prints only */
};

/* Mnemonic k in the order of the alphabet; false: there are no more. */
bool sass_mnemonic_at(u32 k, struct sass_mnemonic *m);

#endif
