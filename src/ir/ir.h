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
static inline bool ir_space_is_memory(enum ir_space s)
{
	return s == SPACE_GENERIC || (s >= SPACE_CONST && s <= SPACE_SHARED);
}
/* As PTX writes it, without the dot: "const", "param"; "generic", which PTX leaves out. */
const char *ir_space_word(enum ir_space space);
/* For people: "constant", "parameter". */
const char *ir_space_name(enum ir_space space);
/* The space that memory is in, or generic, of that word; false if there is none. */
bool ir_space_find(const char *word, size_t length, enum ir_space *space);

enum ir_linkage { LINK_NONE, LINK_VISIBLE, LINK_EXTERN, LINK_WEAK, LINK_COMMON };

struct ir_function;
struct ir_variable;
struct ir_scope;

/* One word of an initialiser, at byte `offset` of the variable. */
enum ir_init_kind { INIT_BYTES, INIT_ADDRESS };
struct ir_init {
	enum ir_init_kind kind;
	u64 offset;
	u32 size;                 /* bytes written */
	u64 bits;                 /* INIT_BYTES: the value, little-endian, sizes up to 8 */
	struct ir_symbol *symbol; /* INIT_ADDRESS: variable or function whose address is taken */
	s64 addend;
	bool generic; /* generic(symbol): address in the generic space */
	u64 mask;     /* 0, or the mask of a byte-of-address initialiser (0xFF00(symbol)) */
	struct span span;
};

/* One field of an opaque variable's initialiser: `name = word` or `name = value`. */
struct ir_field {
	const char *name;
	const char *word; /* NULL: value counts */
	u64 value;
	struct span span;
};

/* A variable within another one: constants of a cubin lie in one bank. */
struct ir_part {
	const char *name;
	u64 offset, size; /* bytes */
};

struct ir_variable {
	const char *name;
	enum ir_space space;
	enum ir_linkage linkage;
	u16 type;     /* element type token; texref and so on are opaque */
	u32 align;    /* bytes, a power of two */
	u32 vector;   /* 1, 2, 4: .v2/.v4 elements */
	u64 size;     /* bytes; 0 for an unsized array */
	bool unsized; /* [] without a size */
	u32 rank;
	u64 dims[8];
	VEC_OF(struct ir_init) inits;
	VEC_OF(struct ir_part) parts;
	bool is_pointer; /* .ptr on a kernel parameter */
	enum ir_space pointer_space;
	u32 pointer_align;
	u32 const_bank; /* .const[N], else 0 */
	bool managed;   /* .attribute(.managed) */
	bool unified;   /* .attribute(.unified(a, b)) */
	u64 unified_id[2];
	VEC_OF(struct ir_field) fields; /* {width = 32, filter_mode = nearest} of opaque variables */
	struct ir_function *owner;      /* NULL at module scope */
	struct ir_variable *linked;     /* definition in another module, see ir/link.h */
	u32 index;                      /* number among the module's or function's variables */
	struct span span;
};

struct ir_register {
	const char *name;
	u16 type;
	u32 vector; /* 1, 2, 4: .reg .v2 */
	u32 index;  /* number within the function, from 0; vectors take `vector` numbers */
	struct span span;
};

/* `.reg .b32 %r<100>`: declares %r0 to %r99. An ir_register comes into being where a name of the
 * range is first used, so that a large unused range costs nothing. */
struct ir_range {
	const char *prefix;
	u32 count;
	u16 type;
	u32 vector;
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
	bool calls; /* .calltargets */
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
	OPERAND_REGISTER, /* reg (+ element for v.x of a vector register) */
	OPERAND_SPECIAL,  /* a name that starts with % and no declaration has: %tid.x, WARP_SZ */
	OPERAND_SYMBOL,   /* variable, function, label, target list; + addend */
	OPERAND_INTEGER,  /* value, is_negative, unsigned suffix */
	OPERAND_FLOAT,    /* bits: f32 if float_bits == 32 (0f...), else f64 (0d... and decimal) */
	OPERAND_ADDRESS,  /* [base + offset], base a register, symbol or integer; or array[index]: see below */
	OPERAND_VECTOR,   /* {a, b, ...} */
	OPERAND_LIST,     /* (a, b, ...) of a call */
	OPERAND_PAIR,     /* d|p */
	OPERAND_SINK,     /* _ */
	OPERAND_TEXTURE,  /* [tex, {coords}] or [tex, sampler, {coords}]; tensor-map addresses alike */
	OPERAND_BANK,     /* SASS, c[value][base + addend]: a word of a constant bank */
};

/* The members stand in an order that leaves no gaps: a large module has hundreds of thousands. */
struct ir_operand {
	enum ir_operand_kind kind;
	bool negated;       /* !p  (and unary minus on a register: a[-]) */
	u8 element;         /* .x .y .z .w of a vector register: 0..3, else 0xff */
	bool minus;         /* -a of video instructions and in SASS */
	bool absolute;      /* SASS: |a|, before the minus */
	bool inverted;      /* SASS: ~a */
	bool indexed;       /* ADDRESS written array[n]: stands for the address in mov, for the element in ld, st */
	bool parenthesised; /* (5): a constant that a call means as a list of one is an OPERAND_LIST */
	bool is_unsigned;
	u8 float_bits;
	u32 item_count;
	struct span span;
	const char *selector;     /* any video selector's text without the dot ("b0", "h10", "b3210"), or NULL;
			       * "unified" behind an address */
	const char *name;         /* text of a name operand; of a special with its element: "%tid.x" */
	struct ir_symbol *symbol; /* NULL for specials and for names that are not declared */
	u64 value;                /* integer or float bits; integers are 64-bit two's complement */
	s64 addend;               /* of SYMBOL and ADDRESS */
	/* VECTOR, LIST, PAIR, TEXTURE; ADDRESS, BANK: items[0] is the base (BANK: if there is one). Of array[register +
	 * n], items[1] is the register, and the address is base + addend + the product of the register and `value`, cut
	 * to the register's width and not sign-extended. */
	struct ir_operand *items;
};

struct ir_modifier {
	const char *text; /* interned, without the dot */
	struct span span;
};

/* A .loc line: file index of .file, line, column; inlined_at links to the call site. */
struct ir_loc {
	u32 file, line, column;
	const char *function; /* function_name label of an inlined .loc, or NULL */
	u64 function_addend;  /* function_name label+addend */
	u32 inlined_at;       /* index into ir_module.locs of the call site + 1, or 0 */
	struct span span;
};

/* What stands between instructions (or, in a module, between functions), in the order of the
 * text, so that a module can be printed back: a mark stands before instruction `at`. */
enum ir_mark_kind {
	MARK_LABEL,
	MARK_OPEN,  /* { */
	MARK_CLOSE, /* } */
	MARK_REGISTER,
	MARK_RANGE,
	MARK_VARIABLE,
	MARK_TARGETS,
	MARK_PROTOTYPE,
	MARK_LOC,
	MARK_PRAGMA,
	MARK_FUNCTION,    /* with its body, if this is where it stands */
	MARK_DECLARATION, /* a function without its body */
	MARK_FILE,
	MARK_SECTION,
	MARK_ALIAS
};
struct ir_mark {
	enum ir_mark_kind kind;
	u32 at;
	union {
		struct ir_label *label;
		struct ir_scope *scope;
		struct ir_register *reg;
		struct ir_range *range;
		struct ir_variable *variable;
		struct ir_targets *targets;
		struct ir_function *function;
		struct ir_section *section;
		const char *text; /* MARK_PRAGMA */
		size_t index;     /* MARK_LOC, MARK_FILE: into ir_module.locs, .files */
	};
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
	struct span span; /* from opcode to semicolon */
	struct span opcode_span;
	u32 loc;                /* index into ir_module.locs + 1, or 0 */
	struct ir_scope *scope; /* innermost { } */
	u32 address;            /* SASS: of its code, from the function's start */
	bool joins;             /* SASS: .S stood behind the opcode */
};

/* Slot of the guard's register. */
u32 ir_guard_slot(const struct ir_instruction *x);

/* One word of a constant bank that a listing gives. */
struct ir_bank_word {
	u32 bank, offset, value;
};

/* What a SASS function has beside its code. Its registers' indices are fixed: see SASS_REGISTER_*. */
struct ir_listing {
	u32 shared_bytes, local_bytes;
	u32 register_count; /* as stated; 0: what the code uses */
	bool has_params;    /* stated: else they are inferred from the words of bank 0 that are read */
	VEC_OF(struct ir_bank_word) words;
};

/* What a kernel of a cubin has beside its code: see sass/module.h. */
struct ir_machine {
	u32 sm;           /* 75, 90 */
	u32 address;      /* of its first instruction: what a pointer to it holds, without function_base */
	u32 registers;    /* of a thread */
	u64 stack_bytes;  /* of a thread, with all that it calls */
	u64 shared_bytes; /* static, with the system's */
	u32 param_base, param_bytes;
	const u32 *param_offsets; /* by parameter */
	const struct sass_kernel *kernel;
};

/* ir_register.index in SASS: R0 to R62, then RZ, then P0 to P6, then PT. */
enum { SASS_REGISTER_ZERO = 63, SASS_REGISTER_P0 = 64, SASS_REGISTER_TRUE = 71, SASS_REGISTERS = 72 };

/* Names of one { }. Two symbols may stand for one thing (a label used in an inner scope before it
 * is defined in an outer one): compare what they point at, not the symbols. */
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
	u32 max_blocks_per_sm, abi_preserve, abi_preserve_control;
	bool explicit_cluster, blocks_are_clusters, noreturn;
	bool has_abi_preserve, has_abi_preserve_control;
};

struct ir_function {
	const char *name;
	bool is_entry;
	bool has_body;
	bool is_prototype; /* .callprototype */
	enum ir_linkage linkage;
	struct ir_function *alias_of;        /* .alias */
	struct ir_function *linked;          /* definition in another module, see ir/link.h */
	VEC_OF(struct ir_variable *) params; /* in order; .reg parameters have space SPACE_REG and reg set */
	VEC_OF(struct ir_variable *) returns;
	VEC_OF(struct ir_register *) param_registers, return_registers; /* NULL entries for .param ones */
	VEC_OF(struct ir_register *) registers;
	VEC_OF(struct ir_variable *) variables; /* .local .shared .param .const .global in the body */
	VEC_OF(struct ir_label *) labels;
	VEC_OF(struct ir_mark) marks;
	VEC_OF(const char *) pragmas; /* between the parameters and the body */
	VEC_OF(struct ir_instruction) body;
	bool unified; /* .attribute(.unified(a, b)) */
	u64 unified_id[2];
	u32 register_slots; /* sum of vector widths of registers */
	struct ir_limits limits;
	const char *language; /* .language: what it was written in, or NULL */
	struct ir_scope *scope;
	struct span span;
	struct ir_module *module;
	struct ir_listing *listing;       /* of SASS, else NULL */
	const struct ir_machine *machine; /* of a cubin, else NULL */
};

struct ir_file {
	u32 number;
	const char *path;
	bool has_time; /* .file 1 "x", timestamp, size */
	u64 timestamp, bytes;
};

/* A debug section: its text between the braces, and what its labels stand before. */
struct ir_section {
	const char *name; /* with the dot: ".debug_str" */
	struct span content;
};

/* A comment line `//@ ...`, without the `//@` and the line's end. */
struct ir_launch_line {
	const char *text;
	struct span span;
};

struct ir_module {
	struct arena *arena;
	struct strings *strings;
	struct sources *sources;
	u32 source;   /* which text */
	u32 launches; /* which text has a cubin's launches, + 1; 0: the module's own */
	bool is_sass;
	const u8 *image; /* the bytes of a cubin, else NULL */
	size_t image_bytes;
	u32 version;        /* 90 for .version 9.0 */
	const char *target; /* "sm_90a" */
	struct span target_at;
	u32 arch; /* 90 */
	bool debug, texmode_independent, texmode_unified, map_f64_to_f32;
	u32 address_bits; /* 32 or 64 */
	VEC_OF(struct ir_function *) functions;
	VEC_OF(struct ir_variable *) variables;
	VEC_OF(struct ir_file) files;
	VEC_OF(struct ir_loc) locs;
	VEC_OF(struct ir_section *) sections;
	VEC_OF(struct ir_mark) marks;
	VEC_OF(struct ir_launch_line) launch_lines;
	struct ir_scope *scope;
};

/* Looks `name` (interned) up in `scope` alone; NULL if it is not there. */
struct ir_symbol *ir_scope_find(const struct ir_scope *scope, const char *name);
/* Enters a symbol whose name is not in `scope` yet. */
void ir_scope_enter(struct arena *arena, struct ir_scope *scope, struct ir_symbol *symbol);
/* Looks `name` (interned) up in `scope` and its parents; NULL if it is not declared. */
struct ir_symbol *ir_lookup(const struct ir_scope *scope, const char *name);
struct ir_function *ir_find_function(const struct ir_module *m, const char *name);
/* The body instruction of a listing's function at an address of its code. False if none stands there:
 * *index is then the next one's. */
bool ir_find_address(const struct ir_function *f, u64 address, u32 *index);

#endif
