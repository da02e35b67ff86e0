/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of lowering share: the state while one kernel's functions are lowered. Private to
 * decode.
 */
#ifndef PTXSIM_DECODE_LOWERING_H
#define PTXSIM_DECODE_LOWERING_H

#include "base/lookup.h"
#include "decode/counting.h"
#include "decode/flow.h"
#include "decode/hoist.h"
#include "decode/lower.h"
#include "decode/match.h"
#include "decode/rows.h"

enum { INTERNAL_MEANINGS = 13 };

/* Meanings that stand for no PTX instruction; the table has them under these opcodes. */
struct internal_meanings {
	meaning_fn *count, *join, *guard, *bra, *bra_if, *brx, *call, *ret, *exit, *sreg_read, *element, *unmodelled,
		*cvt_wide;
	meaning_fn *sass_modify, *sass_pair, *sass_condition, *sass_join, *sass_end;
	const struct meaning *all[INTERNAL_MEANINGS];
	const struct meaning *skip;
	u32 all_count;
};

/* Where one kernel's variables and functions lie. */
struct layout {
	struct place *places; /* variables whose address is not module-wide: shared, local, param */
	size_t count, capacity;
	struct lookup place_of;         /* by variable */
	struct ir_function **functions; /* reachable from the kernel, the kernel first */
	struct code **codes;            /* theirs, made by layout_kernel's caller */
	size_t function_count, function_capacity;
	u64 shared_end;
	bool reaches_all;    /* calls through registers */
	bool reads_reserved; /* asks where the system's part of shared memory is */
	u64 reserved_shared;
	bool has_dynamic_shared;
	u64 dynamic_align;
};

struct lowering {
	struct arena *arena; /* of the program */
	struct arena *scratch;
	struct program *program;
	struct diags *diags;
	const struct lower_options *options;
	const struct isa *isa;
	struct internal_meanings internal;
	u32 arch;
	struct spellings spellings;
	struct layout layout;
	struct lookup variable_of;          /* numbers in program->variables, by variable */
	struct ir_function **all_functions; /* every function with an address, by number */
	struct lookup function_of;          /* these numbers, by function */
	u32 all_function_count;
	/* For each of all_functions: */
	u32 *reached; /* 1 + its number in layout.functions, or 0 */
	bool *tried;  /* looked at, for options->all_functions */
	bool *waits;  /* it may wait for other threads; NULL: not asked for yet */
	u64 lowered;  /* what LOWERED_MAX limits, so far */
	u32 code_count;
	VEC_OF(struct code *) codes;
};

/* One function while its code is made. */
struct emitter {
	struct lowering *low;
	const struct ir_function *function;
	struct code *code;
	struct matched *matched;
	struct form *forms; /* theirs, kept */
	struct flow *flow;
	struct row_plan *rows;
	struct matcher matcher;
	VEC_OF(struct insn) insns;
	VEC_OF(u32) origin;
	VEC_OF(gang_fn *) gangs; /* for each insn; NULL: an internal one, or none */
	gang_fn *gang;           /* of the next insn emitted */
	struct hoist *hoist;     /* NULL: nothing is hoisted */
	VEC_OF(u32) operands;
	VEC_OF(const void *) plans;
	VEC_OF(struct constant_row) constants;
	struct lookup constant_of; /* by a hash of what they hold */
	VEC_OF(struct sreg_row) sregs;
	VEC_OF(struct bank_row) banks;
	VEC_OF(struct call_site) calls;
	VEC_OF(struct branch_table) tables;
	u64 frame_top;
	u64 counting_work; /* what counting.c may still look at */
	u32 *waits_before; /* by instruction: how many of those before may wait; NULL: not asked for yet */
	u32 *block_start;  /* insn index where a jump to the block lands */
	struct fixup *fixups;
	size_t fixup_count, fixup_capacity;
	u32 body_index; /* instruction being emitted */
	u32 run;
	bool reads_clock; /* or another special register that changes */
	bool spins;       /* has a loop that may wait for other threads */
	u32 sink_row;     /* where results that the text drops with '_' go; 0: none yet */
};

/* layout.c: addresses. */
/* False: there is no room for them. */
bool layout_module_variables(struct lowering *low);
void layout_kernel(struct lowering *low, struct ir_function *kernel);
u64 layout_address(void *context, const struct ir_variable *v);
u64 layout_function_address(void *context, const struct ir_function *f);
/* Its number in all_functions, or LOOKUP_NONE. */
u32 layout_function_number(const struct lowering *low, const struct ir_function *f);
/* Bytes of a function's variables, parameters and results; *align: of where they begin. */
u64 layout_frame(struct lowering *low, struct ir_function *f, u64 *align);
struct ir_function *layout_definition(struct lowering *low, struct ir_function *f);

/* spin.c: does the loop that a backward branch, instruction `last`, closes to `first` wait for other threads? */
bool spin_loop_waits(struct emitter *e, u32 first, u32 last);

/* one_by_one.c */
bool runs_one_by_one(const struct emitter *e);

/* calls.c */
bool call_match(struct emitter *e, const struct ir_instruction *x, struct matched *result);
void call_emit(struct emitter *e, const struct ir_instruction *x, const struct matched *m);

/* emitter.c */
u32 emit_use(struct emitter *e, const struct use *u);
void emit(struct emitter *e, struct insn insn);
u32 emit_constant(struct emitter *e, struct constant_row row);
/* A new row of the frame, for values of 1, 32, 64 or 128 bits. */
u32 emit_row(struct emitter *e, u32 bits);
u32 emit_sreg(struct emitter *e, const struct use *u);
u32 emit_sreg_read(struct emitter *e, const struct use *u);
/* Adds a %count where a straight run ends without an instruction that counts it. */
void emit_count(struct emitter *e);
u32 emit_take_run(struct emitter *e);

/* emit.c */
struct code *emit_function(struct lowering *low, struct ir_function *f);
/* Tells what is wrong with its instructions, and makes no code. */
void emit_check(struct lowering *low, struct ir_function *f);
void emit_finish(struct emitter *e);

#endif
