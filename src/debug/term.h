/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions: what a part of one comes to, how it is read, and what names mean. Shared by expression.c, which
 * reads, names.c, which looks names up, and types.c, which makes types.
 *
 * Everything has a type of the source's kind (dwarf/dwarf.h) or none, where the value's PTX type says all. What
 * PTX declares has such a type, too: one for each token, and arrays of these.
 */
#ifndef PTXSIM_DEBUG_TERM_H
#define PTXSIM_DEBUG_TERM_H

#include "debug/arithmetic.h"
#include "debug/internal.h"

enum where { AT_NOTHING, AT_REGISTER, AT_MEMORY, AT_VARIABLE };

struct term {
	struct debug_value v;          /* of an array or a structure in memory: its address */
	const struct dwarf_type *type; /* NULL: v.type says it */
	enum where where;
	struct debug_register reg; /* REGISTER */
	enum ir_space space;       /* MEMORY */
	u64 address;
	enum ir_space target; /* of a pointer: the memory that it points into */
	u32 repeat;           /* of "a@4": so many, in memory */
	bool literal, untyped_memory;
	bool unknown;     /* in a dry run: it could be anything */
	const char *name; /* VARIABLE */
};

/* A dry run reads an expression without a kernel: names are looked up, nothing is computed. */
struct term_reader {
	struct debug *d;
	const char *at;
	u32 lane;
	bool dry, failed;
	u32 depth;
	const struct debug_place *places; /* of a dry run: names are those of these places' functions; NULL: of all */
	u32 place_count;
};

/* Sets `failed`; with `what`, the message too. */
struct term term_fail(struct term_reader *r, const char *what);
/* What lies at an address, of a type. */
struct term term_load(struct term_reader *r, enum ir_space space, u64 address, const struct dwarf_type *type);
struct term term_pointer(struct term_reader *r, enum ir_space target, u64 address, const struct dwarf_type *to);

struct debug_object term_object(const struct term *t);
/* All of the reader's text. */
struct term term_read_all(struct term_reader *r);
/* A member of a structure, `offset` bytes behind its beginning. */
struct term term_part(struct term_reader *r, const struct term *t, const struct dwarf_member *m, u64 offset);

/* names.c: a variable of the source, in the frame (NULL: one of module scope). */
struct term term_of_variable(struct term_reader *r, const struct debug_frame *f, const struct dwarf_variable *v);
/* What the name means, in the focused frame or, in a dry run, in the reader's places. */
struct term term_named(struct term_reader *r, const char *name);

/* "R4" of "$R4", as gdb writes registers: those of machine code. Dry: whether one of the reader's places has it. */
bool term_register(struct term_reader *r, const char *name, struct term *t);
bool term_is_register(struct term_reader *r, const char *name);

/* types.c. The debugger's own types live as long as it does. */
const struct dwarf_type *type_of_token(struct debug *d, u16 token);
/* The token that a scalar of the type reads as; TOKEN_NONE: it is an array or a structure. */
u16 token_of_type(const struct debug *d, const struct dwarf_type *t);
/* Is it a type of PTX, with no name of the source's? */
bool type_is_token(const struct debug *d, const struct dwarf_type *t);
const struct dwarf_type *type_pointer_to(struct debug *d, const struct dwarf_type *t);
const struct dwarf_type *type_array_of(struct debug *d, const struct dwarf_type *t, u64 count);
/* As a variable of PTX is declared. */
const struct dwarf_type *type_of_variable(struct debug *d, const struct ir_variable *v);
const struct dwarf_type *type_of_buffer(struct debug *d, const struct debug_buffer *b);
/* "Body *", "unsigned char", ".f32": reads on behind it. NULL, and nothing read: it is not a type. *as_bits: it
 * was written with a dot. */
const struct dwarf_type *type_read(struct term_reader *r, bool *as_bits);

static inline bool type_is(const struct dwarf_type *t, enum dwarf_kind kind)
{
	const struct dwarf_type *plain = dwarf_plain(t);

	return plain && plain->kind == kind;
}

#endif
