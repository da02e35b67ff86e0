/* SPDX-License-Identifier: Apache-2.0
 *
 * What a PTX (or SASS) file says: a module of variables and functions, instructions with source
 * spans, names resolved through nested scopes. Built by the grammar, read by decode, never
 * changed afterwards. Opcodes and modifiers are still texts here: the table gives them sense.
 */
#ifndef PTXSIM_IR_IR_H
#define PTXSIM_IR_IR_H

#include "base/diag.h"
#include "base/strings.h"
#include "isa/tokens.h"

enum ir_space {
	SPACE_GENERIC,
	SPACE_REG,
	SPACE_SREG,
	SPACE_CONST,
	SPACE_GLOBAL,
	SPACE_LOCAL,
	SPACE_PARAM,
	SPACE_SHARED,
	SPACE_TEX,
	SPACE_COUNT
};

enum ir_linkage { LINK_NONE, LINK_VISIBLE, LINK_EXTERN, LINK_WEAK, LINK_COMMON };

struct ir_function;
struct ir_variable;
struct ir_scope;

/* One word of an initialiser, at byte `offset` of the variable. */
enum ir_init_kind { INIT_BYTES, INIT_ADDRESS };
struct ir_init {
	enum ir_init_kind kind;
	u64 offset;
	u32 size;            /* bytes written */
	u64 bits;            /* INIT_BYTES: the value, little-endian, sizes up to 8 */
	struct ir_symbol *symbol; /* INIT_ADDRESS: variable or function whose address is taken */
	s64 addend;
	bool generic;        /* generic(symbol): address in the generic space */
	u64 mask;            /* 0, or the mask of a byte-of-address initialiser (0xFF00(symbol)) */
	struct span span;
};

struct ir_variable {
	const char *name;
	enum ir_space space;
	enum ir_linkage linkage;
	u16 type;       /* element type token; texref and so on are opaque */
	u32 align;      /* bytes, a power of two */
	u32 vector;     /* 1, 2, 4: .v2/.v4 elements */
	u64 size;       /* bytes; 0 for an unsized array */
	bool unsized;   /* [] without a size */
	u32 rank;
	u64 dims[8];
	VEC_OF(struct ir_init) inits;
	bool is_pointer;            /* .ptr on a kernel parameter */
	enum ir_space pointer_space;
	u32 pointer_align;
	u32 const_bank;             /* .const[N], else 0 */
	bool managed;               /* .attribute(.managed) */
	bool unified;
	struct ir_function *owner;  /* NULL at module scope */
	u32 index;                  /* number among the module's or function's variables */
	struct span span;
};

struct ir_register {
	const char *name;
	u16 type;
	u32 vector; /* 1, 2, 4: .reg .v2 */
	u32 index;  /* number within the function, from 0; vectors take `vector` numbers */
	struct span span;
};

enum ir_symbol_kind { SYM_REGISTER, SYM_VARIABLE, SYM_FUNCTION, SYM_LABEL, SYM_PROTOTYPE, SYM_TARGETS };

struct ir_label {
	const char *name;
	u32 target; /* index of the instruction that follows, may equal the instruction count */
	bool defined;
	struct span span;
};

/* .branchtargets or .calltargets: a named list of symbols. */
struct ir_targets {
	const char *name;
	VEC_OF(struct ir_symbol *) list;
	struct span span;
};

struct ir_symbol {
	enum ir_symbol_kind kind;
	const char *name;
	union {
		struct ir_register *reg;
		struct ir_variable *variable;
		struct ir_function *function; /* SYM_PROTOTYPE too: a body-less function */
		struct ir_label *label;
		struct ir_targets *targets;
	};
	struct span span; /* of the declaration */
};

enum ir_operand_kind {
	OPERAND_REGISTER,  /* reg (+ element for v.x of a vector register) */
	OPERAND_SPECIAL,   /* a name that starts with % and no declaration has: %tid.x, WARP_SZ */
	OPERAND_SYMBOL,    /* variable, function, label, target list; + addend */
	OPERAND_INTEGER,   /* value, is_negative, unsigned suffix */
	OPERAND_FLOAT,     /* bits: f32 if float_bits == 32 (0f...), else f64 (0d... and decimal) */
	OPERAND_ADDRESS,   /* [base + offset], base a register, symbol, integer or nothing */
	OPERAND_VECTOR,    /* {a, b, ...} */
	OPERAND_LIST,      /* (a, b, ...) of a call */
	OPERAND_PAIR,      /* d|p */
	OPERAND_SINK,      /* _ */
	OPERAND_TEXTURE,   /* [tex, {coords}] or [tex, sampler, {coords}]; tensor-map addresses alike */
};

struct ir_operand {
	enum ir_operand_kind kind;
	bool negated;          /* !p  (and unary minus on a register: a[-]) */
	u8 element;            /* .x .y .z .w of a vector register: 0..3, else 0xff */
	u8 video_select;       /* .b0-.b3 (1..4), .h0 .h1 (5, 6) after a register, else 0 */
	bool minus;            /* -a of video instructions */
	u8 float_bits;
	struct span span;
	const char *name;      /* text of a name operand */
	struct ir_symbol *symbol; /* NULL for specials and for names that are not declared */
	u64 value;             /* integer or float bits; integers are 64-bit two's complement */
	bool is_unsigned;
	s64 addend;            /* of SYMBOL and ADDRESS */
	struct ir_operand *items; /* VECTOR, LIST, PAIR, TEXTURE; ADDRESS: items[0] is the base */
	u32 item_count;
};

struct ir_modifier {
	const char *text; /* interned, without the dot */
	struct span span;
};

/* A .loc line: file index of .file, line, column; inlined_at links to the call site. */
struct ir_loc {
	u32 file, line, column;
	const char *function;        /* function_name label of an inlined .loc, or NULL */
	u32 inlined_at;              /* index into ir_module.locs of the call site + 1, or 0 */
};

struct ir_instruction {
	const char *opcode; /* interned */
	struct ir_modifier *modifiers;
	u32 modifier_count;
	struct ir_operand *operands;
	u32 operand_count;
	struct ir_symbol *guard; /* predicate register, or NULL */
	bool guard_negated;
	u8 guard_element;
	struct span span;        /* from opcode to semicolon */
	struct span opcode_span;
	u32 loc;                 /* index into ir_module.locs + 1, or 0 */
	struct ir_scope *scope;  /* innermost { } */
};

struct ir_scope {
	struct ir_scope *parent;
	struct ir_symbol **slots; /* hash by interned name; kept for the debugger */
	u32 slot_count, used;
	u32 first_instruction, end_instruction;
};

/* .maxntid .reqntid .minnctapersm .maxnreg and so on; 0 where not given. */
struct ir_limits {
	u32 max_threads[3], required_threads[3], required_cluster[3];
	u32 min_blocks_per_sm, max_registers, max_cluster_rank;
	bool explicit_cluster, blocks_are_clusters, noreturn;
};

struct ir_function {
	const char *name;
	bool is_entry;
	bool has_body;
	bool is_prototype; /* .callprototype */
	enum ir_linkage linkage;
	struct ir_function *alias_of; /* .alias */
	VEC_OF(struct ir_variable *) params;  /* in order; .reg parameters have space SPACE_REG and reg set */
	VEC_OF(struct ir_variable *) returns;
	VEC_OF(struct ir_register *) param_registers, return_registers; /* NULL entries for .param ones */
	VEC_OF(struct ir_register *) registers;
	VEC_OF(struct ir_variable *) variables; /* .local .shared .param .const .global in the body */
	VEC_OF(struct ir_label *) labels;
	VEC_OF(struct ir_instruction) body;
	u32 register_slots; /* sum of vector widths of registers */
	struct ir_limits limits;
	struct ir_scope *scope;
	struct span span;
	struct ir_module *module;
};

struct ir_file {
	u32 number;
	const char *path;
};

struct ir_module {
	struct arena *arena;
	struct strings *strings;
	struct sources *sources;
	u32 source;              /* which text */
	bool is_sass;
	u32 version;             /* 90 for .version 9.0 */
	const char *target;      /* "sm_90a" */
	u32 arch;                /* 90 */
	bool debug, texmode_independent, map_f64_to_f32;
	u32 address_bits;        /* 32 or 64 */
	VEC_OF(struct ir_function *) functions;
	VEC_OF(struct ir_variable *) variables;
	VEC_OF(struct ir_file) files;
	VEC_OF(struct ir_loc) locs;
	struct ir_scope *scope;
};

/* Looks `name` (interned) up in `scope` and its parents; NULL if it is not declared. */
struct ir_symbol *ir_lookup(const struct ir_scope *scope, const char *name);
struct ir_function *ir_find_function(const struct ir_module *m, const char *name);

#endif
