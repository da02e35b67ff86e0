/* SPDX-License-Identifier: Apache-2.0
 *
 * The instruction table: what a row is, and how an instruction's text finds its row.
 *
 * A row and its meaning stand side by side in one file of src/sem/, one file for each family of
 * the ISA manual. This layer sees rows only through `struct isa`, so that the parser and the
 * lowering know no instruction by name. From a row come: what is accepted, the checks on operands
 * and modifiers, the minimum PTX version and target, the printed form, docs/instructions.md.
 */
#ifndef PTXSIM_ISA_ISA_H
#define PTXSIM_ISA_ISA_H

#include "base/strings.h"
#include "isa/opcodes.h"
#include "isa/tokens.h"

struct warp;
struct gang;
struct insn;
struct form;

/* The meaning of a lowered instruction, for the lanes in `mask` of warp `w`, whose current frame
 * of register rows is `rows`. Returns the next instruction (i + 1 in the straight case), or NULL
 * to hand control back to the scheduler, which then reads the warp's state. */
typedef const struct insn *meaning_fn(struct warp *w, const struct insn *i, u8 *rows, u32 mask);

/* The same for the warps of a gang (exec/gang.h), with the lanes of each that take part. */
typedef const struct insn *gang_fn(struct gang *g, const struct insn *i);

/* What a row's `meaning` picks. Only `run` is required.
 * gang: NULL if the instruction is for one warp at a time; a gang parts before it.
 * word: a number that the handler wants from the form (a comparison, a value to write): lowering
 * adds its bits to insn.imm, or puts it in insn.c where the operands stand in a list. Not for
 * memory instructions, nor for forms that have immediate-only operands. */
struct meaning {
	meaning_fn *run;
	gang_fn *gang;
	bool copies; /* d is a, whatever its bits */
	u32 (*word)(const struct form *form);
	/* plan: what the handler would otherwise find out from the form each time it runs. Kept in
	 * code->plans[insn.c]; only for forms whose operands stand in a list. */
	const void *(*plan)(struct arena *arena, const struct form *form);
	const char *name; /* its family's file and its own, "src/sem/float.c:add_f32", for native code; or NULL */
};

/* How decode treats an instruction beside calling its meaning. */
enum isa_flag {
	ISA_BRANCH = 1 << 0,   /* one label operand; conditional when guarded */
	ISA_INDIRECT = 1 << 1, /* brx.idx, indirect call */
	ISA_CALL = 1 << 2,
	ISA_RET = 1 << 3,
	ISA_EXIT = 1 << 4,
	ISA_MEMORY = 1 << 5, /* has an address operand whose accesses observers may watch */
	ISA_STORE = 1 << 6,
	ISA_ATOMIC = 1 << 7,
	ISA_SYNC = 1 << 8,        /* may wait: ends a basic block of straight execution */
	ISA_UNGUARDED = 1 << 9,   /* handles its guard itself (bra, call, ret, exit) */
	ISA_ORDERED = 1 << 10,    /* result can depend on the order of blocks */
	ISA_UNMODELLED = 1 << 11, /* parsed and checked, cannot run: an error that names it */
	ISA_A_TARGET = 1 << 12,   /* only on the architecture-specific target sm_XXa (or family f) */
	ISA_UNVERIFIED = 1 << 13, /* by the manual alone: no recording exists */
	ISA_RELAXED = 1 << 14,    /* registers may be wider than the type (ld, st, cvt) */
	ISA_CROSS_LANE = 1 << 15, /* reads other lanes: a destination may not share a source's row */
	ISA_PARAM = 1 << 16,      /* ld.param, st.param: the address may name a parameter */
	/* Operands may carry selectors; isa_pack_selectors' result is in insn.imm. */
	ISA_SELECT = 1 << 17,   /* .b0 to .b3, .h0, .h1: scalar video instructions */
	ISA_SELECT2 = 1 << 18,  /* .h10 and so on: video on two halves */
	ISA_SELECT4 = 1 << 19,  /* .b3210 and so on: video on four bytes */
	ISA_MINUS = 1 << 20,    /* sources may have a minus sign, the destination no selector (with ISA_SELECT) */
	ISA_UNSYNCED = 1 << 21, /* needs warps in lockstep: refused for sm_70 and later from PTX ISA 6.4 on */
	ISA_LATE = 1 << 22, /* destinations may be written after it completes: their rows are shared with no other */
	ISA_FAMILY_ONLY = 1 << 25, /* removed after its own family: sm_90; sm_100 to sm_11x */
	/* Other bits from 23 to 30 are of SASS rows alone: isa/sass.h. */
	ISA_CONVERTS = 1u << 31, /* cvt: narrow floating-point values may stand in 64-bit registers */
};

/* What those who look at a program know of an instruction beside its flags: observers, checks, the assembler's rules.
 * Each is a fact of the row, told in the row's column of flags by WITH(). */
enum isa_trait {
	/* What the profilers count. */
	TRAIT_SHUFFLES = 1 << 0,
	TRAIT_VOTES = 1 << 1,      /* or matches, or reduces over the warp */
	TRAIT_MULTIPLIES = 1 << 2, /* matrices: isa_tensor_form says which */
	/* Memory, beside ISA_MEMORY and ISA_ATOMIC. */
	TRAIT_LOADS = 1 << 3, /* each lane from an address of its own */
	TRAIT_STORES = 1 << 4,
	TRAIT_REDUCES = 1 << 5,     /* an atomic operation that gives nothing back */
	TRAIT_FRAGMENT = 1 << 6,    /* loads or stores a fragment of wmma */
	TRAIT_MATRIX_ROWS = 1 << 7, /* loads or stores 8x8 matrices, whose rows lie where the lanes say */
	TRAIT_COPIES = 1 << 8,      /* up to 16 bytes a lane from global to shared memory */
	TRAIT_UNSEEN = 1 << 9,      /* of those that write shared memory where no observer is told of each access */
	TRAIT_GLOBAL = 1 << 10,     /* global memory, though the form need not say so */
	TRAIT_BANK = 1 << 11,       /* SASS: a constant bank */
	TRAIT_ASYNC = 1 << 12,      /* of those whose work is complete later */
	/* Who meets, and what orders memory. */
	TRAIT_BARRIER = 1 << 13, /* the block's */
	TRAIT_WARP_BARRIER = 1 << 14,
	TRAIT_CLUSTER_BARRIER = 1 << 15,
	TRAIT_MBARRIER = 1 << 16,
	TRAIT_ORDERS = 1 << 17,         /* fences, barriers and others that may make writes known to other threads */
	TRAIT_PROXY_FENCE = 1 << 18,    /* between ordinary accesses and the async proxy's */
	TRAIT_MAP_FENCE = 1 << 19,      /* makes changes of a tensor map known */
	TRAIT_REGISTER_FENCE = 1 << 20, /* between registers and wgmma */
	/* The assembler. */
	TRAIT_COMMUTES = 1 << 21, /* it may exchange a and b, which decides between two NaNs */
	/* SASS, beside SASS_FLOAT. */
	TRAIT_DOUBLES = 1 << 22, /* computes with or compares 64-bit floats */
	/* Of atomic operations: several leave the same in memory in whatever order they come; old values may differ. */
	TRAIT_JOINS = 1 << 23,
};
#define WITH(TRAITS) ((u64)(TRAITS) << 32)

/* What the profilers count an instruction as; observe/classes.h says in words which. */
enum instruction_class {
	CLASS_FP16,
	CLASS_FP32,
	CLASS_FP64,
	CLASS_INTEGER,
	CLASS_CONVERSION,
	CLASS_CONTROL,
	CLASS_MEMORY,
	CLASS_EXCHANGE,
	CLASS_BARRIER,
	CLASS_MATRIX,
	CLASS_TEXTURE,
	CLASS_MISC,
	CLASS_COUNT,
	CLASS_BY_TYPE = CLASS_COUNT /* of a family: CLASS_FP16 to CLASS_INTEGER by the form's type */
};

/* One row, as a family's file has it, and one of the instructions that it accepts:
 *
 *     ROW("add[.rn|.rz][.ftz][.sat].f32", "=0 0 0", 10, 10, 0,    pick_add_f32, "Adds two values.")
 *          form                            operands ptx sm  flags meaning       doc
 *
 *     add.rz.ftz.f32 %f1, %f2, 0f3F800000;       form->tokens: rz ftz f32; form->types: f32, type 0 of the operands
 *
 * form: the opcode, then its modifiers in order.
 *   .x            itself                                             "bar.sync"
 *   [.x|.y]       one of these or none                               "add[.rn|.rz][.ftz][.sat].f32"
 *   (.x|.y)       exactly one of these                               "add(.rm|.rp)[.ftz][.sat].f32"
 *   An alternative may be empty, or several words with groups among them: "[.weak|(.relaxed|.acquire)(.cta|.gpu|.sys)]".
 *   Spaces are ignored.
 *
 * operands: words in the order of the text, separated by blanks. Each is
 *   [=|+] [_] [?] [$] [&] [{N}|{v}] TYPE [|TYPE]                      as in
 *   =             written; + read and written; neither: read         add.f32  "=0 0 0"
 *   _             '_' may stand for it (it may for any element of a vector, too, but not for all)
 *   ?             may be left out, with everything after it          barrier.sync "u32<0,15> ?u32<0,0xffffffff,32>"
 *   $             a special register may stand there                 mov.u32  "=0 $&0"
 *   &             the address of a variable may, one of the form's state space if it has one
 *   {N} {v}       a vector of N registers; as many as the form's .v2, .v4 or .v8 says, else one: ld "={v}0 @"
 *   {A}..{D}      as many as the matrix fragment has                 mma.sync "={D}f32 {A}b32 {B}b32 {C}f32"
 *   Predicates that are read may be negated with '!'.
 *  TYPE:
 *   0..5          the form's first, second, ... type                 cvt.s32.f64: type 0 is s32, type 1 f64
 *   w0            twice as wide as type 0                            mul.wide "=w0 0 0"
 *   pred u32 b64  that type, whatever the form's are; u32 and its like are for integers alone, b32 and its like for any
 *                 bits
 *   #u32          a constant only: it goes to form->immediates, not to a row
 *   @             a memory address; @shared and so on: one that a variable of that space alone may name where the form
 *                 has no space; @any: of any space
 *   T             a tensor map with coordinates, [address, {s32...}], as many as the form's .1d to .5d says (5 with
 *                 .tile::gather4 and .tile::scatter4); they stand flattened as an address and its coordinates
 *   X             a texture with coordinates, [texture, sampler, {coordinates}], flattened, the sampler absent in
 *                 unified mode, without coordinates for a query; S a surface, which has no sampler
 *   L F V         a label or list of targets; a function or function pointer; a variable
 *   <low,high[,step]>  behind a TYPE: what a constant there may be
 *   |TYPE         a second destination after a vertical bar, which the text may leave out; ||TYPE: may not
 *                                                                    setp     "=_pred|pred 0 0 pred"
 *
 * ptx: first PTX ISA version times 10; sm: first target (10 for sm_10).
 * meaning: picks the handlers for a matched form, or NULL if the combination is not legal. With operand_count 0
 *   (isa_expand_row) the operands' widths are not known: any handler will do. The pointer itself is NULL only where flags
 *   have ISA_UNMODELLED.
 * last: of PTX, the last version times 10 of a form whose rounding modifier or .approx is required since; if that is 2.0 or
 *   later, targets below sm_20 keep the form. Of SASS, the last target. 0: there is none.
 * traits: of enum isa_trait. */
struct isa_row {
	const char *form;
	const char *operands;
	u16 ptx, sm;
	u32 flags;
	const struct meaning *(*meaning)(const struct form *form);
	const char *doc;
	u16 last;
	u32 traits;
};

struct isa_family {
	const char *name;             /* heading in docs/instructions.md */
	enum instruction_class class; /* of its rows; of those with ISA_MEMORY CLASS_MEMORY */
	const struct isa_row *rows;
	u32 count;
};

enum { FORM_TOKENS = 24, FORM_TYPES = 6, FORM_OPERANDS = 16, FORM_USES = 160 };

/* Where the operands of a lowered instruction stand, see decode/program.h; decode/operands.h finds them. */
enum operand_layout { LAYOUT_DIRECT, LAYOUT_MEMORY, LAYOUT_MEMORY_LIST, LAYOUT_LIST };

/* A row with its choices made: what one instruction's text says, and what lowering found out. */
struct form {
	const struct isa_row *row;
	u16 opcode; /* enum opcode */
	u8 token_count, type_count;
	u16 tokens[FORM_TOKENS]; /* all modifiers in order, types among them */
	u16 types[FORM_TYPES];
	/* Filled by lowering, for each flattened operand in text order (vector elements one by one):
	 * the bits of the register it is (8..128; 1 for a predicate; 0 for an absent optional one). */
	u8 operand_count;
	const u8 *operand_bits; /* FORM_OPERANDS or more: zeros behind the last, and until then */
	/* Constants among the first eight flattened operands: a bit each, and their values. */
	u8 constant_mask;
	u64 constants[8];
	u8 layout;       /* enum operand_layout */
	u8 base_at;      /* of memory layouts: which flattened operand the address's base is */
	bool has_result; /* the first flattened operand is written */
	/* Immediate-only operands in order. */
	u8 immediate_count;
	s64 immediates[6];
	s32 selects; /* of video operands, see isa_pack_selectors */
	/* ISA_PARAM: the address is a kernel parameter's (space .param proper), or that of a function's parameter or
	 * result (kept in local memory, frame-relative; BYTES: at no multiple of an element), or in a register. */
	enum form_param { PARAM_BY_REGISTER, PARAM_OF_KERNEL, PARAM_OF_FRAME, PARAM_OF_FRAME_BYTES } param;
	bool absolute; /* the address is a constant: a = NO_OPERAND for ISA_PARAM, else a constant row */
	u32 arch;      /* numeric target, 90 for sm_90 */
	/* SASS: modifiers as texts, in order; `tokens` and `types` are PTX's. */
	const char *const *words;
	u8 word_count;
	bool writes_cc; /* the destination carries .CC */
};

/* Whether the instruction's text has the modifier. */
static inline bool form_has(const struct form *f, int token)
{
	for (u32 k = 0; k < f->token_count; k++)
		if (f->tokens[k] == token)
			return true;
	return false;
}
/* The first token within [first, last], or TOKEN_NONE. */
static inline int form_pick(const struct form *f, int first, int last)
{
	for (u32 k = 0; k < f->token_count; k++)
		if (f->tokens[k] >= first && f->tokens[k] <= last)
			return f->tokens[k];
	return TOKEN_NONE;
}
/* The form's type number k, or TOKEN_NONE. */
static inline int form_type(const struct form *f, u32 k) { return k < f->type_count ? f->types[k] : TOKEN_NONE; }

/* Is operand k (0 or 1) of a cvt a narrower floating-point value in a 64-bit register? */
static inline bool form_is_wide_float(const struct form *f, u32 k)
{
	return f->row->flags & ISA_CONVERTS && type_class(form_type(f, k)) == 'f' && type_bits(form_type(f, k)) < 64 &&
	       k < f->operand_count && f->operand_bits[k] == 64;
}

/* Rows of all families, indexed by opcode. Immutable after isa_build. */
struct isa {
	struct arena *arena;
	const struct isa_family *const *families; /* NULL-terminated */
	struct isa_opcode *opcodes;               /* sorted by name */
	u32 opcode_count;
	const struct meaning *const *machine; /* by enum machine_handler: isa/machine.h */
	const struct isa_row *machine_row;    /* of instructions that observers need not know */
	const struct isa *sass;               /* the machine's own instructions; NULL in that table itself */
};

struct isa_opcode {
	const char *name;
	enum opcode id;
	const struct isa_row **rows;
	u64 *words; /* for each row: a bit for each word of its form, by a hash */
	u32 count;
};

/* Whether modifiers (texts without dots) fit a row's form; *furthest grows to how many did on the
 * best way. */
bool isa_match_words(const char *form, const char *const *modifiers, u32 count, u32 *furthest);

/* Does the word (without its dot) stand anywhere in the row's form? */
bool isa_row_has_word(const struct isa_row *row, const char *word);

/* The table of these families (NULL-terminated), in the arena; unwinds by it when memory runs out. It does not change
 * afterwards, so any number of threads may share it. */
struct isa *isa_build(struct arena *arena, const struct isa_family *const *families);
/* By the opcode's text without modifiers, "add"; NULL: there is none. */
const struct isa_opcode *isa_find_opcode(const struct isa *isa, const char *name);
/* What an internal instruction does; NULL if the table lacks it. */
const struct meaning *isa_internal(const struct isa *isa, enum opcode opcode);

/* Result of matching an opcode with its modifiers (texts without dots). NO_MODIFIER: modifier
 * *bad stands in no row of the opcode; NO_FORM: it does, but not there or not with the others. */
enum isa_match { ISA_MATCHED, ISA_NO_OPCODE, ISA_NO_MODIFIER, ISA_NO_FORM };

/* Finds the rows that accept the modifiers, one by one; several may accept the same text and
 * differ in operands only: call with `from` = 0, then with the previous result's *row_index + 1.
 * Modifiers in another order than the row's are taken, too, as the assembler does, as long as types,
 * state spaces and layouts keep theirs; the form has them in the row's order.
 * Fills row, tokens and types of *form, zeroes the rest. On failure *bad is the index of the
 * first modifier that fits no row (count: one is missing). */
enum isa_match isa_match_form(const struct isa *isa, const char *opcode, const char *const *modifiers, u32 count,
			      u32 from, struct form *form, u32 *row_index, u32 *bad);

/* The form string of `opcode` that is nearest to the modifiers given, for hints. NULL if the
 * opcode is not known. */
const char *isa_nearest_form(const struct isa *isa, const char *opcode, const char *const *modifiers, u32 count);

/* One parsed operand word of a row. */
struct operand_spec {
	bool written, read, optional, immediate;
	bool droppable;    /* a result that '_' may stand for */
	bool needs_second; /* the second destination may not be left out */
	bool limited;      /* a constant must lie in [low, high] and be a multiple of step */
	u32 step;
	u64 low, high;
	bool braces;  /* stands in braces even if it is one register */
	bool list;    /* may stand in braces if it is one register */
	bool special; /* a special register may stand there */
	bool symbol;  /* the address of a variable may stand there */
	bool named;   /* the row names the type: it does not follow the form's */
	u8 vector;    /* number of elements; {v} is resolved; 1 for a scalar */
	char kind;    /* 't' a value, '@' address, 'T' tensor, 'L' label, 'F' function, 'V' variable, 'X' texture,
			 * 'S' surface */
	u16 type;     /* for kind 't': resolved by the form; for '@' a state space, M_any, or TOKEN_NONE */
	u16 second;   /* type of the second destination after '|', or TOKEN_NONE */
};

/* Where selectors and signs stand in the packed word; from _END on it is the meaning's word's. */
enum {
	/* ISA_SELECT: 0 the whole register, 1 to 4 .b0 to .b3, 5 and 6 .h0 and .h1 */
	SELECT_D = 0,
	SELECT_A = 3,
	SELECT_B = 6,
	SELECT_BITS = 7,
	SELECT_MINUS_A = 12,
	SELECT_MINUS_B = 13,
	SELECT_MINUS_C = 14,
	SELECT_END = 15,
	/* ISA_SELECT2 and 4: a mask of the elements of d that are written, then for each element,
	 * lowest first, the number of the half (0 to 3) or byte (0 to 7) of b:a it is taken from */
	SIMD_D = 0,
	SIMD_A = 4,
	SIMD_B = 16,
	SIMD_END = 28,
	SIMD_BITS = 3
};

/* Resolves the operand words of a form's row; returns how many (at most FORM_OPERANDS). */
u32 isa_operand_specs(const struct form *form, struct operand_spec specs[FORM_OPERANDS]);

/* Packs the selectors of the operands of a video instruction (d, a, b; c has none: texts without the dot,
 * or NULL) as above; bit k of `minus` is set where operand k has a minus sign. False if the row
 * allows no such selector there. */
bool isa_pack_selectors(const struct isa_row *row, const char *const selectors[4], u32 minus, s32 *packed);

/* Every text a row accepts, one call for each, for docs, coverage and tests. */
void isa_expand_row(const struct isa_row *row, void (*each)(void *context, const struct form *form), void *context);
/* The form's text, "add.sat.s32", cut to `size` bytes with the NUL. */
void isa_form_text(const struct form *form, char *text, size_t size);

#endif
