/* SPDX-License-Identifier: Apache-2.0
 *
 * What compilers say in the .debug_* sections of a module: which variables of the source a function has, of
 * which types, and where each of them is while which instructions run. Read from the sections' text in PTX
 * (DWARF 2 to 4, as nvcc -G and LLVM write it), whose addresses are labels of functions and names of variables.
 *
 * Names are as in the source. Nothing is computed here that needs a running kernel: a location names a
 * register or a symbol of PTX, which the debugger looks up; machine code says besides where that register is then. All memory is the arena's; what is read does not
 * change any more. Sections that make no sense leave out what they describe, and dwarf_problem() says so.
 */
#ifndef PTXSIM_DWARF_DWARF_H
#define PTXSIM_DWARF_DWARF_H

#include "dwarf/section.h"

/* --- Types ------------------------------------------------------------------------------------- */

enum dwarf_kind {
	DWARF_VOID,
	DWARF_BASE,
	DWARF_POINTER,
	DWARF_REFERENCE,
	DWARF_ARRAY,
	DWARF_STRUCT, /* class, too */
	DWARF_UNION,
	DWARF_ENUM,
	DWARF_TYPEDEF,
	DWARF_QUALIFIED, /* const, volatile: `name` says which */
	DWARF_FUNCTION
};

enum dwarf_encoding { DWARF_UNSIGNED, DWARF_SIGNED, DWARF_FLOAT, DWARF_BOOL, DWARF_CHAR, DWARF_UNSIGNED_CHAR };

struct dwarf_type;

struct dwarf_member {
	const char *name; /* NULL: a base class, or an unnamed union */
	const struct dwarf_type *type;
	u64 offset;               /* bytes */
	u32 bit_size, bit_offset; /* of a bit field, from the lowest bit; bit_size 0: none */
};

struct dwarf_enumerator {
	const char *name;
	s64 value;
};

struct dwarf_type {
	enum dwarf_kind kind;
	enum dwarf_encoding encoding; /* BASE */
	const char *name;             /* NULL: it has none */
	u64 size;                     /* bytes; 0: not known */
	const struct dwarf_type *of;  /* what it points at, its elements, what it stands for; NULL: void */
	u64 count;                    /* ARRAY: elements, 0: not known */
	VEC_OF(struct dwarf_member) members;
	VEC_OF(struct dwarf_enumerator) enumerators;
	VEC_OF(const struct dwarf_type *) parameters; /* FUNCTION */
};

/* The type itself: behind typedefs and qualifiers. NULL: void. */
const struct dwarf_type *dwarf_plain(const struct dwarf_type *t);
/* As C writes it: "const Body *", "float [64]". With `name`, a declaration of it. */
const char *dwarf_type_name(struct arena *a, const struct dwarf_type *t, const char *name);

/* --- Locations ---------------------------------------------------------------------------------- */

enum dwarf_where {
	DWARF_NOWHERE, /* the compiler did not keep it here */
	DWARF_IN_REGISTER,
	DWARF_IN_MEMORY,   /* at a symbol + value */
	DWARF_AT_REGISTER, /* in memory, at the register's value + value */
	DWARF_AT_FRAME,    /* in local memory, value above where the function's frame begins: machine code */
	DWARF_IS_CONSTANT  /* value */
};

struct dwarf_location {
	enum dwarf_where where;
	const char *name; /* of the register or the symbol; NULL: value is the address */
	u64 value;
	enum ir_space space;               /* of the symbol; GENERIC: as the symbol is declared */
	u32 bytes;                         /* of this piece, 0: all of it */
	const struct dwarf_location *next; /* the next piece, at higher addresses */
};

/* --- Variables ---------------------------------------------------------------------------------- */

/* Where a variable is from instruction `begin` to the one before `end` of the function. */
struct dwarf_range {
	u32 begin, end;
	struct dwarf_location location;
};

struct dwarf_variable {
	const char *name;
	const struct dwarf_type *type; /* NULL: not known */
	bool is_argument;
	u32 line;
	const char *linkage; /* the name in PTX, of a variable at module scope or a static one; or NULL */
	VEC_OF(struct dwarf_range) ranges;
};

/* A function's body, a { } in it, or what was inlined. Instructions are indices into ir_function.body; of machine code
 * their addresses, which are the same in all kernels that the function is placed with. */
struct dwarf_part {
	u32 begin, end;
};
struct dwarf_scope {
	u32 begin, end;
	VEC_OF(struct dwarf_part) parts;  /* of begin to end, if it is in several pieces */
	const struct dwarf_scope *parent; /* NULL: the function */
	VEC_OF(const struct dwarf_variable *) variables;
	VEC_OF(const struct dwarf_scope *) inner;
};

struct dwarf_function {
	const struct ir_function *code; /* NULL: machine code, of which the scope says where it is */
	const char *name;
	const struct dwarf_type *returns; /* NULL: void */
	u32 line;
	const struct dwarf_scope *scope;
};

struct dwarf;

/* What the module's sections say; NULL if it has no .debug_info. */
const struct dwarf *dwarf_read(struct arena *a, const struct ir_module *m);

/* Machine code: its debug sections, where relocations are references to a function or a variable, and where its functions
 * begin. */
struct dwarf_code {
	const char *name; /* interned */
	u32 begin;
};
struct dwarf_machine {
	struct dwarf_sections sections;
	VEC_OF(struct dwarf_code) functions;
};
const struct dwarf *dwarf_read_machine(struct arena *a, const struct ir_module *m, const struct dwarf_machine *machine);
/* What could not be read; NULL: nothing. */
const char *dwarf_problem(const struct dwarf *d);
const char *dwarf_producer(const struct dwarf *d); /* the compiler, or NULL */

const struct dwarf_function *dwarf_function(const struct dwarf *d, const struct ir_function *f); /* or NULL */
/* The function of machine code whose instructions the address is one of; NULL: none. */
const struct dwarf_function *dwarf_function_at(const struct dwarf *d, u32 address);
/* A variable of module scope by its name in the source or in PTX; NULL: none. */
const struct dwarf_variable *dwarf_global(const struct dwarf *d, const char *name);
/* All of them, one by one: NULL at the end. */
const struct dwarf_variable *dwarf_global_at(const struct dwarf *d, u32 index);
/* The enumerator of that name, of whatever type; false: none. */
bool dwarf_find_enumerator(const struct dwarf *d, const char *name, const struct dwarf_type **type, s64 *value);
/* A named type: "Body"; NULL: none. */
const struct dwarf_type *dwarf_named_type(const struct dwarf *d, const char *name, size_t length);

/* The innermost scope of the function that holds the instruction. */
const struct dwarf_scope *dwarf_scope_at(const struct dwarf_function *f, u32 instruction);
/* Where the variable is at that instruction: DWARF_NOWHERE if it is not kept there. */
struct dwarf_location dwarf_locate(const struct dwarf_variable *v, u32 instruction);
/* Of machine code: by how much the frame of the function begins above which register, by .debug_frame's number, when the
 * instruction at the address is about to run. False: .debug_frame does not say. */
bool dwarf_frame_at(const struct dwarf *d, u32 address, u64 *reg, u64 *above);

#endif
