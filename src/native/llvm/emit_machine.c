/* SPDX-License-Identifier: Apache-2.0
 *
 * Where lanes part and meet in machine code. A BSYNC is an instruction, which lanes count as they come to it, and whom they wait for
 * stands in a row (exec/converge.h). So native code asks before lanes part whether that row says what the text does, and leaves to the
 * interpreter what it does not.
 */
#include "native/llvm/emission.h"

/* Rows of barriers to the frame, where who is asked looks at them. */
static void show_barriers(struct emission *e)
{
	for (u32 row = 0; row < e->r->row_count; row++)
		if (e->r->rows[row].barrier && e->r->rows[row].written)
			write_back(e, row);
}

static LLVMValueRef two_words(struct emission *e, LLVMValueRef low, LLVMValueRef high)
{
	LLVMValueRef shift = LLVMConstInt(e->i64, 32, false);

	return LLVMBuildOr(e->b, LLVMBuildZExt(e->b, low, e->i64, ""),
			   LLVMBuildShl(e->b, LLVMBuildZExt(e->b, high, e->i64, ""), shift, ""), "");
}

void part_machine(struct emission *e, const struct region_block *x, LLVMValueRef mask, LLVMValueRef taken)
{
	LLVMBasicBlockRef stop = new_block(e, "stop"), parted = new_block(e, "parted"), jumps = new_block(e, "jumps");
	const u64 blocks = x->target | (u64)x->next << 16 | (u64)x->join << 32;

	show_barriers(e);
	LLVMValueRef args[] = {e->run, e->rows, two_words(e, mask, taken), LLVMConstInt(e->i64, blocks, false),
			       word(e, x->fewer_first)};
	LLVMValueRef first =
		call_keeping(e, e->i32, "native_keep", declared(e, "native_part_machine"), args, COUNT_OF(args));
	branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, first, word(e, NATIVE_NONE_FIRST), ""), stop, parted, true);
	go_to(e, stop);
	leave_before_branch(e, x, mask);
	go_to(e, parted);
	count_parting(e);
	LLVMBuildStore(e->b, get(e, e->i32, run_field(e, offsetof(struct native_run, mask))), e->mask);
	branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, first, word(e, NATIVE_TAKEN_FIRST), ""), jumps, e->arrive[x->next],
	       false);
	go_to(e, jumps);
	jump(e, x->target, x->backward);
}

/* Lanes that come to a BSYNC without having parted from others: whom they wait for must be there. */
static void pass_machine(struct emission *e, u32 n, LLVMBasicBlockRef passed)
{
	const struct region_block *x = &e->r->blocks[n];
	LLVMBasicBlockRef some = new_block(e, "some"), stop = new_block(e, "stop");
	LLVMValueRef mask = running(e);

	branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, mask, word(e, FULL_MASK), ""), passed, some, false);
	go_to(e, some);
	show_barriers(e);
	LLVMValueRef args[] = {e->run, e->rows, mask, word(e, n)};
	LLVMValueRef waits = call_keeping(e, e->i32, "native_keep", declared(e, "native_awaits"), args, COUNT_OF(args));
	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, waits, word(e, 0), ""), stop, passed, true);
	go_to(e, stop);
	keep_rows(e, x->live);
	leave(e, NATIVE_STOP, x->at, mask);
}

void arrive_machine(struct emission *e, u32 n)
{
	LLVMBasicBlockRef wait = new_block(e, "wait"), alone = new_block(e, "alone"), passed = new_block(e, "passed");
	const u32 run = e->r->blocks[n].join_run;
	LLVMValueRef join = get(e, e->i32, run_field(e, offsetof(struct native_run, join)));

	branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, join, word(e, n), ""), wait, alone, false);
	go_to(e, wait);
	count(e, run, false, false);
	LLVMValueRef args[] = {e->run, running(e)};
	LLVMBuildStore(e->b, call_keeping(e, e->i32, NULL, declared(e, "native_meet"), args, COUNT_OF(args)), e->where);
	LLVMBuildStore(e->b, get(e, e->i32, run_field(e, offsetof(struct native_run, mask))), e->mask);
	drop_rows(e, n);
	LLVMBuildBr(e->b, e->meet);
	go_to(e, alone);
	pass_machine(e, n, passed);
	go_to(e, passed);
	count(e, run, false, false);
	LLVMBuildBr(e->b, e->body[n]);
}

void end_machine(struct emission *e)
{
	LLVMBasicBlockRef some = new_block(e, "some"), all = new_block(e, "all");
	LLVMValueRef mask = running(e);

	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, mask, word(e, FULL_MASK), ""), some, all, true);
	go_to(e, some);
	for (u32 row = 0; row < e->r->row_count; row++)
		if (e->r->rows[row].written)
			write_back(e, row);
	leave(e, NATIVE_STOP, e->r->end, mask);
	go_to(e, all);
}
