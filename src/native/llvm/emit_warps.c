/* SPDX-License-Identifier: Apache-2.0
 *
 * A gang's warps one after the other, in one call of a short region's function (native/through.h). It goes on with the next warp as long as
 * warps come to the end having counted what the run's struct expects, with all their lanes; else it returns, and who has called it counts.
 *
 *  entrance     once: what is the same for all warps
 *  warp         counters and rows of the warp that comes next
 *  ...          the region
 *  end          next warp, or out
 */
#include "native/llvm/emission.h"

/* Whether observers are told of any of its instructions. */
static bool is_watched(const struct region *r)
{
	bool told = false;

	for (u32 n = 0; n < r->block_count; n++) {
		const struct region_block *x = &r->blocks[n];
		told |= x->end_told;
		for (u32 k = 0; k < x->insn_count; k++)
			told |= x->insns[k].told || x->insns[k].guard_told;
	}
	return told;
}

void begin_warps(struct emission *e)
{
	LLVMBasicBlockRef entrance = LLVMGetInsertBlock(e->b);

	e->start_budget = get(e, e->i64, run_field(e, offsetof(struct native_run, budget)));
	if (!e->r->through_warps)
		return;
	e->expected_budget = get(e, e->i64, run_field(e, offsetof(struct native_run, expected_budget)));
	e->expected_branches = get(e, e->i64, run_field(e, offsetof(struct native_run, expected_branches)));
	e->stride = get(e, e->i64, run_field(e, offsetof(struct native_run, stride)));
	begin_shared(e);
	e->last_rows = get(e, e->ptr, run_field(e, offsetof(struct native_run, last_rows)));
	e->next_warp = new_block(e, "warp");
	LLVMBuildBr(e->b, e->next_warp);
	go_to(e, e->next_warp);
	LLVMValueRef warp = LLVMBuildPhi(e->b, e->ptr, ""), rows = LLVMBuildPhi(e->b, e->ptr, "");
	LLVMAddIncoming(warp, &e->warp, &entrance, 1);
	LLVMAddIncoming(rows, &e->rows, &entrance, 1);
	e->warp = warp;
	e->rows = rows;
	if (!is_watched(e->r))
		return;
	LLVMValueRef repeats = LLVMBuildPhi(e->b, e->ptr, "");
	LLVMAddIncoming(repeats, &e->repeats, &entrance, 1);
	e->repeats = repeats;
}

/* What observers are told by is the next warp's. */
static void tell_of_next(struct emission *e, LLVMBasicBlockRef next)
{
	LLVMValueRef order = run_field(e, offsetof(struct native_run, order));
	LLVMValueRef stride = get(e, e->i64, run_field(e, offsetof(struct native_run, repeats_stride)));
	LLVMValueRef repeats = LLVMBuildInBoundsGEP2(e->b, e->i8, e->repeats, &stride, 1, "");

	add_to(e, order, LLVMConstInt(e->i64, 1, false));
	LLVMAddIncoming(e->repeats, &repeats, &next, 1);
}

/* Whether the warp, at its end, has counted anything else than is expected. */
static LLVMValueRef differs(struct emission *e)
{
	LLVMValueRef other = LLVMBuildXor(e->b, get(e, e->i64, e->budget), e->expected_budget, "");

	if (e->branches)
		other = LLVMBuildOr(e->b, other,
				    LLVMBuildXor(e->b, get(e, e->i64, e->branches), e->expected_branches, ""), "");
	if (e->idle)
		other = LLVMBuildOr(e->b, other, get(e, e->i64, e->idle), "");
	return LLVMBuildICmp(e->b, LLVMIntNE, other, LLVMConstNull(e->i64), "");
}

void end_warp(struct emission *e)
{
	if (!e->next_warp)
		return;
	LLVMBasicBlockRef alike = new_block(e, "alike"), next = new_block(e, "next"), last = new_block(e, "last");
	LLVMValueRef size = LLVMConstInt(e->i64, sizeof(struct warp), false);

	branch(e, differs(e), last, alike, true);
	go_to(e, alike);
	branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, e->rows, e->last_rows, ""), last, next, true);
	go_to(e, next);
	LLVMValueRef warp = LLVMBuildInBoundsGEP2(e->b, e->i8, e->warp, &size, 1, "");
	LLVMValueRef rows = LLVMBuildInBoundsGEP2(e->b, e->i8, e->rows, &e->stride, 1, "");
	LLVMAddIncoming(e->warp, &warp, &next, 1);
	LLVMAddIncoming(e->rows, &rows, &next, 1);
	if (is_watched(e->r))
		tell_of_next(e, next);
	LLVMBuildBr(e->b, e->next_warp);
	go_to(e, last);
}
