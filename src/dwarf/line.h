/* SPDX-License-Identifier: Apache-2.0
 *
 * Line programs of DWARF 2 to 4 in their binary form, as cubins have them: which line each address is of. NVIDIA adds
 * one operation, which says that the rows behind it are of a function that another row called and that was inlined.
 */
#ifndef PTXSIM_DWARF_LINE_H
#define PTXSIM_DWARF_LINE_H

#include "base/arena.h"

struct dwarf_line_row {
	u64 address; /* from the start of its sequence's section; see address_at */
	u64 address_at; /* where in the bytes the sequence's first address stands: what a relocation there names is its section */
	u32 file; /* index into files + 1; 0: none */
	u32 line, column;
	u32 caller;   /* index into rows + 1 of the row of the call; 0: not inlined */
	u64 function; /* of an inlined one: where its name is in .debug_str */
	bool ends;    /* the address behind the sequence's last instruction */
};

struct dwarf_lines {
	VEC_OF(const char *) files; /* with their folders */
	VEC_OF(struct dwarf_line_row) rows;
};

/* False: the bytes make no sense; rows before that place are kept. */
bool dwarf_read_lines(struct arena *a, const u8 *bytes, u64 size, struct dwarf_lines *to);

#endif
