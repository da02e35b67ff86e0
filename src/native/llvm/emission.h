/* SPDX-License-Identifier: Apache-2.0
 *
 * A region's function while it is built: what the files that build it share.
 */
#ifndef PTXSIM_NATIVE_LLVM_EMISSION_H
#define PTXSIM_NATIVE_LLVM_EMISSION_H

#include <stddef.h>

#include "native/llvm/internal.h"

/* What is being built, and the values that all of it uses. Slots are offsets in the array. */
struct emission {
	const struct region *r;
	const struct meanings *meanings;
	LLVMContextRef c;
	LLVMModuleRef module;
	LLVMBuilderRef b;
	LLVMValueRef function, run, warp, rows, array;
	LLVMTypeRef i1, i8, i32, i64, ptr;
	u32 vector_bytes;
	u32 *slots;           /* by row: its place in the array; */
	u32 spots;            /* where those of accesses are, behind all rows */
	LLVMValueRef *firsts; /* a variable, of the first lane's number, if it is affine and written; else NULL */
	LLVMValueRef *shared; /* the number that all warps of a block have, read once for them; else NULL */
	bool *held;           /* by row, of drop_rows */
	/* Variables, which become registers. */
	LLVMValueRef mask, budget, idle, branches;      /* the last two NULL where the region has none to count */
	LLVMBasicBlockRef *arrive, *body;               /* by block; those of the end last */
	bool parts;                                     /* lanes may part */
	LLVMBasicBlockRef meet;                         /* where lanes that have met go on; NULL: they never part */
	LLVMValueRef where;                             /* its operand */
	LLVMBasicBlockRef out;                          /* returns */
	LLVMValueRef how;                               /* what: enum native_exit */
	LLVMValueRef tallies, repeats, patterns, timed; /* of the run */
	unsigned unlikely, invariant;                   /* metadata kinds "prof", "invariant.load" */
	/* One warp after the other (emit_warps.c): warp and rows are then those of the one that runs. */
	LLVMBasicBlockRef next_warp; /* where it begins; NULL: the function runs one alone */
	LLVMValueRef start_budget, expected_budget, expected_branches, stride, last_rows;
};

/* --- Small change ------------------------------------------------------------------------------- */

static inline LLVMValueRef word(struct emission *e, u64 v) { return LLVMConstInt(e->i32, v, false); }

/* base + offset. */
static inline LLVMValueRef at(struct emission *e, LLVMValueRef base, u64 offset)
{
	LLVMValueRef index = LLVMConstInt(e->i64, offset, false);

	return offset ? LLVMBuildInBoundsGEP2(e->b, e->i8, base, &index, 1, "") : base;
}

static inline LLVMValueRef run_field(struct emission *e, size_t offset) { return at(e, e->run, offset); }

static inline LLVMValueRef get(struct emission *e, LLVMTypeRef type, LLVMValueRef from)
{
	return LLVMBuildLoad2(e->b, type, from, "");
}

static inline LLVMBasicBlockRef new_block(struct emission *e, const char *name)
{
	return LLVMAppendBasicBlockInContext(e->c, e->function, name);
}

static inline void go_to(struct emission *e, LLVMBasicBlockRef b) { LLVMPositionBuilderAtEnd(e->b, b); }

/* A branch whose first way is rarely taken (`rare`), or of which nothing is known. */
static inline void branch(struct emission *e, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no,
			  bool rare)
{
	LLVMValueRef br = LLVMBuildCondBr(e->b, condition, yes, no);

	if (!rare)
		return;
	LLVMMetadataRef weights[] = {LLVMMDStringInContext2(e->c, "branch_weights", 14),
				     LLVMValueAsMetadata(word(e, 1)), LLVMValueAsMetadata(word(e, 2000))};
	LLVMSetMetadata(br, e->unlikely, LLVMMetadataAsValue(e->c, LLVMMDNodeInContext2(e->c, weights, 3)));
}

static inline LLVMValueRef variable(struct emission *e, LLVMTypeRef type, LLVMValueRef value, const char *name)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);

	LLVMPositionBuilderBefore(e->b, e->array); /* once, whichever warps follow */
	LLVMValueRef v = LLVMBuildAlloca(e->b, type, name);
	go_to(e, here);
	LLVMBuildStore(e->b, value, v);
	return v;
}

static inline void add_to(struct emission *e, LLVMValueRef v, LLVMValueRef value)
{
	LLVMBuildStore(e->b, LLVMBuildAdd(e->b, get(e, e->i64, v), value, ""), v);
}

static inline u32 row_bytes(u32 bits) { return bits == 1 ? 4 : bits * WARP_LANES / 8; }

static inline LLVMValueRef slot(struct emission *e, u32 row) { return at(e, e->array, e->slots[row]); }
static inline LLVMValueRef place(struct emission *e, u32 row) { return at(e, e->rows, e->r->rows[row].offset); }

/* What is read is the same whenever it is read in this region. */
void mark_constant(struct emission *e, LLVMValueRef load);
/* A row. never_written: `from` is one that the region only reads. */
LLVMValueRef splat(struct emission *e, LLVMValueRef value, u32 count);
void copy(struct emission *e, LLVMValueRef to, LLVMValueRef from, u32 bits, bool never_written);

/* Writes the row back to the frame. */
void write_back(struct emission *e, u32 row);

/* --- Affine rows (emit_affine.c) ------------------------------------------------------------- */

bool is_kept_as_first(const struct emission *e, u32 row);
LLVMValueRef first_of(struct emission *e, u32 row);
/* Reads what all warps of a block have in common, of the first that runs: where they run one after the other. */
void begin_shared(struct emission *e);
/* Makes the variables of the rows that the region writes. */
void begin_firsts(struct emission *e);
void put_affine(struct emission *e, LLVMValueRef to, u32 row);
/* Whether its numbers can be told by one and a distance of 32 bits. */
bool can_leave_affine(const struct emission *e, u32 row);
/* Has who leaves the region write the row to the frame, as number n of those that are left to him. */
void leave_affine(struct emission *e, u32 row, u32 n);
/* The same of a scaled row: of what it is made of. */
void put_scaled(struct emission *e, LLVMValueRef to, u32 row);
/* The row of its index where the frame has the scaled row, for native_services.try_scaled; what that wants to know besides: its shift and
 * SCALED_SIGNED, and where index 0 is. */
void put_index(struct emission *e, u32 row);
u64 scaled_how(const struct emission *e, u32 row);
LLVMValueRef scaled_start(struct emission *e, u32 row);
/* Before and after the function of an affine instruction: its operands to their slots, its results to their variables. */
void fetch_firsts(struct emission *e, const struct region_insn *x);
void take_firsts(struct emission *e, const struct region_insn *x);
/* Whether an operand of an affine instruction wraps around among the lanes; NULL: none can. */
LLVMValueRef wraps_around(struct emission *e, const struct region_insn *x);
/* --- Instructions (emit_insn.c) --------------------------------------------------------------- */

/* Whether that is a scaled one. */
bool is_by_index(const struct emission *e, const struct region_insn *x);
/* Whether it is a load that says where another access goes which is by a scaled row, too. */
bool knows_ahead(const struct emission *e, const struct region_insn *x);
/* Where in the array its spot is, if it has one. */
u32 spot_offset(const struct emission *e, const struct region_insn *x);
/* The instruction with the places of its rows in the array, as a constant; behind it those of its list. */
LLVMValueRef insn_constant(struct emission *e, const struct region_insn *x, bool by_index);

/* --- Handlers (emit_handler.c) ------------------------------------------------------------------- */

/* Ends the region before an access that is out of reach, or comes with one that is. */
void leave_before(struct emission *e, const struct region_insn *x, u32 number);

/* Has the interpreter's handler do instruction `number`, on the frame. rarely: all registers are kept, and an access that would fault may
 * end the region there. */
void call_handler(struct emission *e, const struct region_insn *x, LLVMValueRef mask, u32 number, bool rarely);

/* --- Building blocks of emit.c ----------------------------------------------------------------- */

/* The lanes that run: all, where none can be elsewhere. */
LLVMValueRef running(struct emission *e);
/* Writes live rows back to the frame. NULL: none are. */
void keep_rows(struct emission *e, const u64 *live);
/* The same where the warp leaves for the interpreter, before the region's end. */
void keep_rows_behind(struct emission *e, const u64 *live);
/* Leaves the region for `insn`. */
void leave(struct emission *e, enum native_exit how, u32 insn, LLVMValueRef mask);
/* Jumps to a block; upwards only while there is budget left. */
void jump(struct emission *e, u32 to, bool backward);
/* Before the branch at the block's end, which the interpreter is to run: it counts it, too. */
void leave_before_branch(struct emission *e, const struct region_block *x, LLVMValueRef mask);
/* Rows that are dead where lanes meet, so that no loop which goes on from there carries them. */
void drop_rows(struct emission *e, u32 n);

/* --- Counters (emit_counters.c) ---------------------------------------------------------------- */

void begin_counters(struct emission *e);
/* Counts a branch at which lanes part. */
void count_parting(struct emission *e);
/* Counters and mask to the run's struct, `insn` as where to go on. */
void put_place(struct emission *e, u32 insn, LLVMValueRef mask);
/* As the interpreter counts a straight run; back: takes it back, where the interpreter will count it again. */
void count(struct emission *e, u32 run, bool is_branch, bool back);

/* --- Warps (emit_warps.c) ------------------------------------------------------------------------ */

/* Behind this stands what each warp begins with. */
void begin_warps(struct emission *e);
/* A warp has come to the region's end: on with the next one, or to the way out, if it is the last or has not counted what is expected. */
void end_warp(struct emission *e);

/* --- Machine code (emit_machine.c) ------------------------------------------------------------ */

/* Lanes go different ways: those of `taken` to the target. */
void part_machine(struct emission *e, const struct region_block *x, LLVMValueRef mask, LLVMValueRef taken);
/* Lanes come to the BSYNC that block n begins with. */
void arrive_machine(struct emission *e, u32 n);
/* At the region's end: lanes that come there without the others of their warp go to the interpreter. */
void end_machine(struct emission *e);

/* --- Calls (emit_call.c) ---------------------------------------------------------------------- */

LLVMValueRef declared(struct emission *e, const char *name);
LLVMValueRef call(struct emission *e, LLVMTypeRef result, const char *name, LLVMValueRef *args, u32 count);
LLVMValueRef call_keeping(struct emission *e, LLVMTypeRef result, const char *through, LLVMValueRef callee,
			  LLVMValueRef *args, u32 count);

/* --- Observers (tell.c) ----------------------------------------------------------------------- */

LLVMValueRef lanes_in(struct emission *e, LLVMValueRef mask);
/* Adds to a field of instruction `number`'s tally. */
void tally(struct emission *e, u32 number, size_t field, LLVMValueRef value);
/* Before instruction `number`, which lanes of `mask` come to. row: that observers need in the frame, or NO_OPERAND; on: lanes
 * for which a predicate holds, or NULL. */
void tell(struct emission *e, enum native_telling how, u32 number, u32 row, LLVMValueRef mask, LLVMValueRef on);
/* The same before an instruction of a block. */
void tell_insn(struct emission *e, const struct region_insn *x, u32 row, LLVMValueRef mask);
void tell_time(struct emission *e, u32 number, LLVMValueRef mask);
/* Before leave: observers know that instructions `first` to `last`, which the interpreter runs next, do. */
void note_told(struct emission *e, u32 first, u32 last);

#endif
