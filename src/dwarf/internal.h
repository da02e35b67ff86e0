/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the reader share.
 */
#ifndef PTXSIM_DWARF_INTERNAL_H
#define PTXSIM_DWARF_INTERNAL_H

#include "base/lookup.h"
#include "dwarf/dwarf.h"
#include "dwarf/entry.h"

/* A label of a function, which is NULL in machine code. */
struct code_label {
	const struct ir_function *function;
	u32 target;
};

struct dwarf {
	struct arena *arena;
	const struct ir_module *module;
	bool is_machine;
	struct dwarf_sections sections;
	struct dwarf_entries entries;
	struct dwarf_type **types; /* by entry: those that were asked for */
	struct lookup label_names; /* by interned name */
	VEC_OF(struct code_label) labels;
	VEC_OF(struct dwarf_function) functions;
	VEC_OF(const struct dwarf_variable *) globals;
	const char *producer;
	struct dwarf_location frame; /* of the function that is being read: what DW_OP_fbreg counts from */
	u32 depth;                   /* of types within types that are being made */
};

/* The type that an entry describes, made when it is first asked for; NULL: it is nested too deep. */
struct dwarf_type *dwarf_make_type(struct dwarf *d, u32 entry);
/* The type that an entry's attribute names; NULL: void, or not known. */
const struct dwarf_type *dwarf_type_of(struct dwarf *d, u32 entry);
/* Where an address is, a label of PTX or `add` behind the beginning of a function of machine code; false: it is none. */
bool dwarf_find_label(const struct dwarf *d, const char *symbol, u64 add, struct code_label *label);

/* The location that an expression computes. */
struct dwarf_location dwarf_expression(struct dwarf *d, struct dwarf_cursor c, u64 address_class);
/* Appends what the list at an offset of .debug_loc says. */
void dwarf_location_list(struct dwarf *d, u64 offset, u64 address_class, struct dwarf_variable *v);
/* What a function says its frame begins at. */
struct dwarf_location dwarf_frame(struct dwarf *d, const struct ir_function *f, struct dwarf_cursor expression);
/* Makes the scope have the parts that the list at an offset of .debug_ranges has. */
void dwarf_range_list(struct dwarf *d, u64 offset, struct dwarf_scope *scope);

#endif
