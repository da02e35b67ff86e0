/* SPDX-License-Identifier: Apache-2.0
 *
 * A debug section's bytes. In PTX they are directives, .b8 1,2 or .b64 $L__tmp3: what is not a number there
 * becomes zeros and a reference beside them.
 */
#ifndef PTXSIM_DWARF_SECTION_H
#define PTXSIM_DWARF_SECTION_H

#include "ir/ir.h"

/* Zeros at `at` that stand for a symbol + addend. */
struct dwarf_reference {
	u32 at;
	const char *symbol; /* interned */
	s64 addend;
};

struct dwarf_section {
	const char *name;
	u8 *bytes;
	u32 size;
	VEC_OF(struct dwarf_reference) references; /* by place */
};

struct dwarf_sections {
	VEC_OF(struct dwarf_section) list;
	const char *problem;
};

/* The bytes of all debug sections of the module. References to sections and to labels in them become
 * offsets; those to labels of functions and to variables remain. */
void dwarf_read_sections(struct arena *a, const struct ir_module *m, struct dwarf_sections *s);
/* NULL if there is none of that name. */
const struct dwarf_section *dwarf_find_section(const struct dwarf_sections *s, const char *name);

/* Reading on from a place. Past the end everything is 0 and `failed` is set. */
struct dwarf_cursor {
	const struct dwarf_section *section;
	u32 at, end;
	bool failed;
};

/* `bytes` is 1, 2, 4 or 8. *symbol: what stands there instead of a number, its addend is returned; or NULL. */
u64 dwarf_number(struct dwarf_cursor *c, u32 bytes, const char **symbol);
u64 dwarf_uleb(struct dwarf_cursor *c);
s64 dwarf_sleb(struct dwarf_cursor *c);
/* Up to its NUL; "" at the end. */
const char *dwarf_text(struct dwarf_cursor *c);
/* A cursor over the next `bytes`, which are skipped. */
struct dwarf_cursor dwarf_block(struct dwarf_cursor *c, u64 bytes);

#endif
