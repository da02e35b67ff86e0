/* SPDX-License-Identifier: Apache-2.0
 *
 * What the interpreter's handlers do for a region: instructions that cannot be in line, and accesses whose way in line gives up.
 */
#include "native/llvm/emission.h"

/* Whether the handler finds the row in the frame. */
static bool is_handed_over(const struct region_insn *x, u32 row)
{
	for (u32 o = 0; o < x->operand_count; o++)
		if (x->operands[o].row == row && (x->operands[o].read || x->merges) &&
		    x->operands[o].place != PLACE_INDEX && x->operands[o].place != PLACE_BASE)
			return true;
	return false;
}

/* For an access that faults: the interpreter does it again, from its guard on. */
static void put_place_before(struct emission *e, const struct region_insn *x, u32 number)
{
	const u32 first = number - x->prefixed;

	if (x->guard_told || x->told)
		note_told(e, x->guard_told ? first : number, x->told ? number : first);
	put_place(e, first, get(e, e->i32, e->mask));
}

static void branch_if_failed(struct emission *e, const struct region_insn *x, u32 number, LLVMValueRef done)
{
	LLVMBasicBlockRef stop = new_block(e, "stop"), go_on = new_block(e, "done");

	branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, done, LLVMConstNull(e->i8), ""), stop, go_on, true);
	go_to(e, stop);
	keep_rows(e, x->live);
	put_place_before(e, x, number);
	LLVMBuildStore(e->b, word(e, NATIVE_STOP), e->how);
	LLVMBuildBr(e->b, e->out);
	go_to(e, go_on);
}

/* Whether the handler of an access can be given the first lane's address in place of the row. */
static bool has_first_address(const struct emission *e, const struct region_insn *x)
{
	const u32 row = address_row(x);

	return row != NO_OPERAND && can_leave_affine(e, row);
}

/* The rarely taken way of an access: its handler is tried, and the region ends there if it would fault. */
static void try_handler(struct emission *e, const struct region_insn *x, LLVMValueRef mask, u32 number)
{
	const bool along = has_first_address(e, x);
	const u32 row = address_row(x);
	LLVMValueRef args[] = {e->run, e->warp, e->rows, word(e, number), mask, NULL};

	for (u32 k = 0; k < e->r->row_count; k++) {
		const bool wanted = (e->r->rows[k].written && is_handed_over(x, k)) || (x->live && row_in(x->live, k));
		if (wanted && !(along && k == row))
			write_back(e, k);
	}
	put_place_before(e, x, number);
	if (along) {
		args[3] = LLVMConstInt(e->i64, number | e->r->rows[row].step << 32, false);
		args[5] = LLVMBuildZExt(e->b, first_of(e, row), e->i64, "");
	}
	call_keeping(e, e->i8, "native_keep_or_leave", declared(e, along ? "native_try_along" : "native_try"), args,
		     along ? 6 : 5);
}

static void run_handler(struct emission *e, const struct region_insn *x, LLVMValueRef mask, u32 number, bool rarely)
{
	LLVMValueRef args[] = {e->run, e->warp, e->rows, word(e, number), mask};

	for (u32 row = 0; row < e->r->row_count; row++)
		if (e->r->rows[row].written && is_handed_over(x, row))
			write_back(e, row);
	LLVMValueRef done =
		rarely ? call_keeping(e, e->i8, "native_keep", declared(e, "native_try"), args, COUNT_OF(args))
		       : call(e, e->i8, x->accesses ? "native_call" : "native_compute", args, COUNT_OF(args));
	if (x->accesses)
		branch_if_failed(e, x, number, done);
}

void call_handler(struct emission *e, const struct region_insn *x, LLVMValueRef mask, u32 number, bool rarely)
{
	if (rarely && x->accesses && x->ends_alone)
		try_handler(e, x, mask, number);
	else
		run_handler(e, x, mask, number, rarely);
	for (u32 o = 0; o < x->operand_count; o++)
		if (x->operands[o].written)
			copy(e, slot(e, x->operands[o].row), place(e, x->operands[o].row),
			     e->r->rows[x->operands[o].row].bits, false);
}
