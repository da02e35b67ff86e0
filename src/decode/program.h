/* SPDX-License-Identifier: Apache-2.0
 *
 * A lowered program: what execution runs. Each function is an array of fixed-size decoded
 * instructions whose operands are byte offsets into a frame of register rows. Built once from
 * linked modules, immutable afterwards, shared by all host threads.
 *
 * Rows. A register is a row of 32 lanes: 32 x 32 bits for types up to 32 bits, 32 x 64, or
 * 32 x 128 bits; a predicate is one 32-bit mask. Narrow values stand zero-extended in 32-bit
 * lanes. Immediates, addresses of variables and special registers that do not change are rows
 * too, filled when a frame is made, so that a handler never asks what kind of operand it has.
 */
#ifndef PTXSIM_DECODE_PROGRAM_H
#define PTXSIM_DECODE_PROGRAM_H

#include "ir/ir.h"
#include "isa/isa.h"

struct arch;     /* arch/arch.h */
struct lowering; /* decode/lowering.h */

/* One decoded instruction, 32 bytes, and the rows that it names in the frame of a warp:
 *
 *     fma.rn.f32 %f4, %f1, %f2, %f3;
 *
 *     | handler     | d    | a    | b    | c    | imm  | run | fp | aux |      frame + 128: | %f1 of lane 0 | ... | lane 31 |
 *     | fma_f32_run | 512  | 128  | 256  | 384  | 0    | 3   | RN | 0   |            + 256: | %f2 of lane 0 | ... | lane 31 |
 *       8 bytes       4      4      4      4      4      2     1    1                 384: %f3, 512: %f4
 *
 *     @%p1 setp.lt.s32 %p2, %r1, 7;    is two: %guard (a = %p1's row, one word of 32 bits) and setp, whose b is the row of 32
 *                                      sevens that the frame was made with
 *
 * Where its operands are, by its row's operand words (decode/operands.h finds them):
 *
 * - LAYOUT_DIRECT: at most one destination, which stands first, and at most three sources, no vector, no
 *   second destination: d, a, b, c are their rows in order (NO_OPERAND if left out or '_').
 *   imm: the first immediate-only operand, or form->selects and the meaning's word.
 * - LAYOUT_MEMORY, ISA_MEMORY with one address: a = row of the base (NO_OPERAND for ISA_PARAM with a constant
 *   address), imm = byte offset. If at most one destination and two sources are left, none a
 *   vector: d, b, c. Otherwise, LAYOUT_MEMORY_LIST, b = index into code->operands, where all the others stand,
 *   flattened in text order.
 * - LAYOUT_LIST, everything else: code->operands[imm ...] holds all operands flattened in text order; an address
 *   counts two entries, the base's row and the byte offset; immediate-only ones come last. The
 *   meaning's word is in c.
 * SASS: see isa/sass.h. Its %join, which .S stands for, has no origin.
 * A vector counts as its elements. Rows are byte offsets into the frame. The width of address
 * base rows and of every other register is form->operand_bits.
 * run: PTX instructions since the last accounting point, this one included: added to the counters
 *   by whatever ends a straight run. */
struct insn {
	union {
		meaning_fn *fn;
		gang_fn *gang; /* in code->gang_insns */
	};
	u32 d, a, b, c;
	s32 imm;
	u16 run;
	u8 fp;  /* enum fp_mode: rounding and flushing that the meaning runs under */
	u8 aux; /* bit k: source predicate k is negated; families may use the rest as they state */
};

enum { NO_OPERAND = 0xffffffff };

/* Rounding (low two bits) and flushing of subnormal operands and results. */
enum fp_mode { FP_RN = 0, FP_RZ = 1, FP_RM = 2, FP_RP = 3, FP_FTZ = 4 };

/* Where a virtual register lives: offset of its row, and its width. */
struct row_place {
	u32 offset;
	u8 bits; /* 1, 32, 64, 128 */
};

/* A row that is the same for every warp: an immediate or a variable's address. */
struct constant_row {
	u32 offset;
	u8 bits;
	bool frame_relative; /* a local variable's address: the frame's local base is added */
	u64 low, high;       /* high only for 128-bit rows */
};

/* A special register that is fixed for a warp's life, kept as a row. */
struct sreg_row {
	u32 offset;
	u16 sreg; /* enum sreg, see isa/sregs.h */
	u8 element;
	u8 bits;
};

/* SASS: a word of a constant bank, kept as a row. Its value is the launch's. */
struct bank_row {
	u32 offset; /* of the row */
	u32 bank, at;
};

/* Constant banks of a cubin's kernel. Bank 0 is the driver's and the launch's, bank 3 a variable in memory. */
struct machine_banks {
	u32 sm, param_base;
	const u8 *bytes[5]; /* banks 2 and 4 */
	u64 sizes[5];
	u64 variables, variables_bytes; /* bank 3 */
};

/* A parameter or other variable at a fixed place of its space. */
struct place {
	const struct ir_variable *variable;
	u64 address; /* within its space; global and const: the generic address */
};

/* How the order of blocks can show in what a function does: decode/block_order.h. */
struct block_order {
	bool shows;
	bool calls_system;
	u64 reductions; /* kinds of integer reductions of global memory, a bit each: those of one kind commute */
	/* If it shows: the body instruction in which it does first, and why, a constant text that goes on after the opcode;
	 * NO_OPERAND: in none alone. */
	u32 at;
	const char *why;
};

/* Of a kind of reduction, by its bit in block_order.reductions: 4 times the operation, in the order of this list, plus
 * 2 for 64 bits (else 32), plus 1 for a comparison of signed integers. */
enum reduction_operation { REDUCTION_ADD, REDUCTION_MIN, REDUCTION_MAX, REDUCTION_AND, REDUCTION_OR, REDUCTION_XOR };

/* A lowered function. */
/* Machine code: what an insn is. A row of PTX by its form; a handler of isa/machine.h; neither: what is nobody's, as counts. */
enum { MACHINE_STEP_NONE = 255, MACHINE_STEP_GUARD = 254 };
struct machine_step {
	const struct form *form; /* NULL: see handler */
	u8 handler;              /* enum machine_handler, or one of the above */
};

struct code {
	const struct ir_function *function;
	const char *name;
	u32 index;               /* in program->codes */
	struct insn *insns;      /* ends with an exit or return of its own */
	struct insn *gang_insns; /* of a kernel: the same with the handlers of gangs; else NULL */
	struct insn *once_insns; /* what gangs run once for a launch, the rest skipped; NULL: nothing */
	bool *once;              /* for each insn: it is one of these; NULL if once_insns is */
	u32 insn_count;
	u32 *operands; /* flattened operand lists */
	u32 operand_count;
	const void **plans; /* of instructions whose meaning has a plan: see isa.h */
	u32 *origin;        /* for each insn: index into function->body, or NO_OPERAND */
	/* For each body instruction its matched form; of machine code, behind the end's, that of each function that the system
	 * supplies, as in starts. */
	const struct form *forms;
	const struct machine_step *steps; /* machine code: for each insn. NULL: not so */
	const u32 *form_insns; /* machine code: the insn that the form is of; NO_OPERAND: the last. NULL: not so */
	u32 frame_bytes, register_bytes; /* all; the registers, which come first */
	u32 live_words;                  /* 32-bit registers that its values occupy where most are live together */
	struct row_place *undefined;     /* rows that may be read before they are written: zero at the start */
	u32 undefined_count;
	struct constant_row *constants;
	u32 constant_count;
	struct sreg_row *sregs;
	u32 sreg_count;
	struct bank_row *banks;
	u32 bank_count;
	const u16 *
		barriers_read; /* for each insn of machine code: which of B0 to B15 may be read from there on before they
				   * are written; right where an instruction begins */
	u32 barrier_rows;      /* the row of B0, before those of the others */
	u32 *starts;           /* SASS: the first insn of each body instruction, for indirect branches */
	u32 machine_registers;                     /* SASS: granted to each thread */
	const struct machine_banks *machine_banks; /* of a cubin, else NULL */
	const char *refusal; /* of a cubin: names the first instruction that is not modelled; or NULL */
	struct span refusal_at;
	struct row_place *registers; /* by ir_register.index */
	/* Variables in .local and function .param space, laid out from the frame's local base. */
	u64 local_bytes, local_align; /* and alignment of that base */
	struct block_order order;
	const struct pointer_use *pointers; /* of kernels whose accesses alone show the order of blocks; or NULL */
	bool one_by_one; /* the warps of a gang run it one after the other, up to where they must wait: decode/one_by_one.c */
	struct call_site *calls;
	u32 call_count;
	struct branch_table *tables;
	u32 table_count;
};

/* A call's plan: which bytes go where. Offsets are in local memory, relative to the caller's and
 * the callee's frame; register operands are row offsets. */
struct call_transfer {
	/* Rows of the caller; of the callee register indices, or in an indirect call numbers of its registers in order. */
	bool from_register, to_register;
	bool from_kernel_param; /* the argument is a kernel's own parameter */
	bool predicate;         /* both are registers of one bit a lane */
	bool is_words;          /* from a register of a machine and those behind it, 32 bits a lane each */
	u8 element;             /* of the callee's register: those of vectors travel one by one */
	u32 from, to, bytes;
};

struct call_site {
	const struct ir_function *function; /* direct: the definition */
	struct code *target;                /* direct: its code */
	bool is_indirect;
	const char *external; /* name of a function that the run time supplies, or NULL */
	u32 function_row; /* indirect: row of the function's address; external: of where machine code returns, or 0 */
	bool function_row_is_64;
	struct call_transfer *in, *out;
	u32 in_count, out_count;
	const struct ir_function *prototype;
};

struct branch_table {
	s32 *targets; /* distances from the brx instruction */
	u32 count;
};

/* Initial bytes of a variable from `offset` on. */
struct initial_run {
	u64 offset, length;
	const u8 *bytes;
};

/* A module-scope variable with its address and initial bytes. */
struct global_variable {
	const struct ir_variable *variable;
	enum ir_space space; /* SPACE_GLOBAL or SPACE_CONST */
	u64 address, size;
	struct initial_run *initial; /* the rest is zero */
	u32 initial_count;
};

/* Writes the initial bytes into `to`, which holds zeros: of a large variable no page is touched that nothing stands in. */
static inline void global_variable_fill(const struct global_variable *g, u8 *to)
{
	for (u32 r = 0; r < g->initial_count; r++)
		__builtin_memcpy(to + g->initial[r].offset, g->initial[r].bytes, g->initial[r].length);
}

/* A function's number is (address - function_base) / FUNCTION_STRIDE. */
struct kernel_function {
	u32 number;
	struct code *code;
};

/* A kernel, ready to launch. */
struct kernel {
	const char *name;
	const struct ir_function *function;
	u32 number; /* as a function: where its address stands, FUNCTION_STRIDE apart */
	struct code *code;
	u32 param_bytes;
	u32 *param_offsets; /* of each parameter */
	u64 static_shared_bytes, dynamic_shared_offset;
	u64 reserved_shared;               /* bytes below its variables: 0 unless it asks for the system's part */
	u64 reserved_above;                /* bytes of the system's behind the block's memory, on the same condition */
	struct kernel_function *functions; /* all that it can reach, itself too, by number */
	u32 function_count;
	struct place *places; /* its variables in shared, local and parameter space; local: from the frame's base */
	u32 place_count;
	bool order_dependent;          /* the order of blocks can show in its results: decode/block_order.h */
	struct block_order order;      /* of all its functions together; `at` is of order_code */
	const struct code *order_code; /* NULL if the order does not show */
	bool calls_system;             /* malloc, printf and their like */
	bool uses_dynamic_shared;
	u32 registers; /* of the machine, for each thread; 0: not known */
	const struct program
		*compiled; /* lowered lazily: what program_compile made; the fields from `code` on are there */
};

struct program {
	struct arena *arena;
	const struct isa *isa;
	struct diags *diags;
	const struct arch *arch;
	struct ir_module **modules;
	u32 module_count;
	u32 address_bits;
	struct kernel *kernels;
	u32 kernel_count;
	struct global_variable *variables;
	u32 variable_count;
	struct code **codes; /* every lowered function of every kernel */
	u32 code_count;
	bool asynchronous;           /* has instructions that complete later */
	struct lowering *lowering;   /* lowered lazily: what it takes to go on; else NULL */
	const struct program *whole; /* of a kernel that was compiled alone: the program with all of them; else NULL */
};

enum { FUNCTION_STRIDE = 16 };
/* The code of the function with that number, or NULL: the kernel reaches none. */
struct code *kernel_function_code(const struct kernel *k, u64 number);
/* The kernel with that address among all of the program's, or NULL. */
const struct kernel *program_kernel_at(const struct program *p, u64 address);

/* The generic address space. Windows are 2^32 bytes apart in 64-bit programs; 32-bit programs use
 * the low words of the second column. */
struct address_map {
	u64 shared_window, local_window, param_window, const_base, global_base, function_base;
};
const struct address_map *address_map(u32 address_bits);
enum { SHARED_RANK_SHIFT = 24 }; /* shared::cluster address: rank << 24 | offset */

#endif
