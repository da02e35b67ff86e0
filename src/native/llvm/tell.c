/* SPDX-License-Identifier: Apache-2.0
 *
 * What native code does for observers: sums in memory, for which a few additions are enough, and calls. Those that are rarely
 * made leave all rows in their registers.
 */
#include "native/llvm/emission.h"

LLVMValueRef lanes_in(struct emission *e, LLVMValueRef mask)
{
	LLVMTypeRef type = LLVMFunctionType(e->i32, &e->i32, 1, false);
	LLVMValueRef popcount = LLVMGetNamedFunction(e->module, "llvm.ctpop.i32");

	if (!popcount)
		popcount = LLVMAddFunction(e->module, "llvm.ctpop.i32", type);
	return LLVMBuildZExt(e->b, LLVMBuildCall2(e->b, type, popcount, &mask, 1, ""), e->i64, "");
}

/* Adds to a field of instruction `number`'s tally. */
void tally(struct emission *e, u32 number, size_t field, LLVMValueRef value)
{
	add_to(e, at(e, e->tallies, number * sizeof(struct native_tally) + field), value);
}

/* Before an instruction of which observers want sums. on: lanes for which a predicate holds, or NULL. */
static void tally_lanes(struct emission *e, u32 number, LLVMValueRef mask, LLVMValueRef on)
{
	tally(e, number, offsetof(struct native_tally, executed), LLVMConstInt(e->i64, 1, false));
	tally(e, number, offsetof(struct native_tally, lanes), lanes_in(e, mask));
	if (on)
		tally(e, number, offsetof(struct native_tally, on), lanes_in(e, on));
}

/* Observers are told that the lanes of `mask` come to instruction `number`, for which they need `row` in the frame. */
static void call_tell(struct emission *e, u32 number, u32 row, LLVMValueRef mask, bool repeats)
{
	if (row != NO_OPERAND && e->r->rows[row].written)
		copy(e, place(e, row), slot(e, row), e->r->rows[row].bits, false);
	LLVMValueRef args[] = {e->run, e->warp, e->rows, word(e, number), mask, LLVMConstInt(e->i8, repeats, false)};
	if (repeats)
		call_keeping(e, e->ptr, "native_keep", declared(e, "native_tell"), args, COUNT_OF(args));
	else
		call(e, LLVMVoidTypeInContext(e->c), "native_tell", args, COUNT_OF(args));
}

/* The first time, and where lanes are elsewhere, by a call, else by its count. */
void tell_repeats(struct emission *e, u32 number, u32 repeat, u32 row, LLVMValueRef mask)
{
	LLVMBasicBlockRef seen = new_block(e, "seen"), again = new_block(e, "again"), first = new_block(e, "first"),
			  told = new_block(e, "told");
	LLVMValueRef count = at(e, e->repeats, repeat * sizeof(u64)), times = get(e, e->i64, count);

	branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, times, LLVMConstNull(e->i64), ""), first, seen, true);
	go_to(e, seen);
	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, mask, word(e, FULL_MASK), ""), first, again, true);
	go_to(e, again);
	LLVMBuildStore(e->b, LLVMBuildAdd(e->b, times, LLVMConstInt(e->i64, 1, false), ""), count);
	LLVMBuildBr(e->b, told);
	go_to(e, first);
	call_tell(e, number, row, mask, true);
	LLVMBuildBr(e->b, told);
	go_to(e, told);
}

/* Where somebody wants to know the order in time. */
void tell_time(struct emission *e, u32 number, LLVMValueRef mask)
{
	LLVMBasicBlockRef timed = new_block(e, "timed"), go_on = new_block(e, "counted");

	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, e->timed, word(e, 0), ""), timed, go_on, true);
	go_to(e, timed);
	LLVMValueRef args[] = {e->run, e->warp, e->rows, word(e, number), mask};
	call_keeping(e, e->ptr, "native_keep", declared(e, "native_time"), args, COUNT_OF(args));
	LLVMBuildBr(e->b, go_on);
	go_to(e, go_on);
}

/* on: lanes for which a predicate holds, or NULL. */
void tell(struct emission *e, enum native_telling how, u32 number, u32 row, LLVMValueRef mask, LLVMValueRef on)
{
	if (how == NATIVE_TALLIES)
		tally_lanes(e, number, mask, on);
	if (how == NATIVE_TELLS)
		call_tell(e, number, row, mask, false);
}

/* Before leave: observers know that instructions `first` to `last`, which the interpreter runs next, do. */
void note_told(struct emission *e, u32 first, u32 last)
{
	LLVMBuildStore(e->b, word(e, first), run_field(e, offsetof(struct native_run, told)));
	LLVMBuildStore(e->b, word(e, last), run_field(e, offsetof(struct native_run, told_last)));
}
