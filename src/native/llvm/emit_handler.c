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

/* Rows of addresses that need not be handed over as rows: the service that is called makes them in the frame, of the first lane's address
 * and the distance, or of the base and the row of the index, which stands there. */
enum addresses { AS_ROW, ALONG, BY_INDEX };

static enum addresses addresses_of(const struct emission *e, const struct region_insn *x)
{
	const u32 row = address_row(x);

	if (row == NO_OPERAND)
		return AS_ROW;
	return can_leave_affine(e, row) ? ALONG : e->r->rows[row].scaled ? BY_INDEX : AS_ROW;
}

enum { TRY_ARGS = 6 };

/* Tries the handler of an access, by `keep` of keep.c. */
static LLVMValueRef try_handler(struct emission *e, const struct region_insn *x, LLVMValueRef mask, u32 number,
				const char *keep)
{
	static const char *const names[] = {"native_try", "native_try_along", "native_try_scaled"};
	const enum addresses how = addresses_of(e, x);
	const u32 row = address_row(x);
	LLVMValueRef args[TRY_ARGS] = {e->run, e->warp, e->rows, word(e, number), mask, NULL};

	if (how == ALONG) {
		args[3] = LLVMConstInt(e->i64, number | e->r->rows[row].step << 32, false);
		args[5] = LLVMBuildZExt(e->b, first_of(e, row), e->i64, "");
	} else if (how == BY_INDEX) {
		args[3] = LLVMConstInt(e->i64, number | scaled_how(e, row) << 32, false);
		args[5] = scaled_start(e, row);
	}
	return call_keeping(e, e->i8, keep, declared(e, names[how]), args, how == AS_ROW ? TRY_ARGS - 1 : TRY_ARGS);
}

/* The rows that the handler finds in the frame, and those of `live`; NULL: none. */
static void hand_over(struct emission *e, const struct region_insn *x, const u64 *live)
{
	const enum addresses how = addresses_of(e, x);

	for (u32 row = 0; row < e->r->row_count; row++)
		if (!((e->r->rows[row].written && is_handed_over(x, row)) || (live && row_in(live, row))))
			continue;
		else if (how == AS_ROW || row != address_row(x))
			write_back(e, row);
		else if (how == BY_INDEX)
			put_index(e, row);
}

void leave_before(struct emission *e, const struct region_insn *x, u32 number)
{
	keep_rows_behind(e, x->live);
	put_place_before(e, x, number);
	LLVMBuildStore(e->b, word(e, NATIVE_STOP), e->how);
	LLVMBuildBr(e->b, e->out);
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

static void run_handler(struct emission *e, const struct region_insn *x, LLVMValueRef mask, u32 number)
{
	LLVMValueRef args[] = {e->run, e->warp, e->rows, word(e, number), mask};

	for (u32 row = 0; row < e->r->row_count; row++)
		if (e->r->rows[row].written && is_handed_over(x, row))
			write_back(e, row);
	LLVMValueRef done = call(e, e->i8, x->accesses ? "native_call" : "native_compute", args, COUNT_OF(args));
	if (x->accesses)
		branch_if_failed(e, x, number, done);
}

/* The rarely taken way of an access: the region ends there if its handler would fault. */
static void try_access(struct emission *e, const struct region_insn *x, LLVMValueRef mask, u32 number)
{
	hand_over(e, x, x->ends_alone ? x->live : NULL);
	if (!x->ends_alone) {
		branch_if_failed(e, x, number, try_handler(e, x, mask, number, "native_keep"));
		return;
	}
	put_place_before(e, x, number);
	try_handler(e, x, mask, number, "native_keep_or_leave");
}

void call_handler(struct emission *e, const struct region_insn *x, LLVMValueRef mask, u32 number, bool rarely)
{
	if (rarely)
		try_access(e, x, mask, number);
	else
		run_handler(e, x, mask, number);
	for (u32 o = 0; o < x->operand_count; o++)
		if (x->operands[o].written)
			copy(e, slot(e, x->operands[o].row), place(e, x->operands[o].row),
			     e->r->rows[x->operands[o].row].bits, false);
}
