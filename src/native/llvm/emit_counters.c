/* SPDX-License-Identifier: Apache-2.0
 *
 * What a region counts as it goes, and how the run's struct gets it.
 */
#include "native/llvm/emission.h"

_Static_assert(offsetof(struct native_run, at) == offsetof(struct native_run, mask) + 4, "written as one word");

enum { PARTING_SHIFT = 32 }; /* of native_run.branches */

/* Where the emission and the run's struct have them. */
static const struct {
	size_t counter, field;
} counters[] = {{offsetof(struct emission, budget), offsetof(struct native_run, budget)},
		{offsetof(struct emission, idle), offsetof(struct native_run, idle)},
		{offsetof(struct emission, branches), offsetof(struct native_run, branches)}};

static LLVMValueRef *counter(struct emission *e, size_t k)
{
	return (LLVMValueRef *)(void *)((char *)e + counters[k].counter);
}

static bool has_branches(const struct region *r)
{
	for (u32 n = 0; n < r->block_count; n++)
		if (r->blocks[n].end == REGION_BRANCH || r->blocks[n].end == REGION_JUMP)
			return true;
	return false;
}

/* Variables, which become registers; in lean code the fields themselves, so that no way out has to write them. All but the budget
 * begin at zero, and stay so in a region that has nothing to count there. */
void begin_counters(struct emission *e)
{
	const bool counts[COUNT_OF(counters)] = {true, e->parts, has_branches(e->r)};

	for (size_t k = 0; k < COUNT_OF(counters); k++) {
		LLVMValueRef field = run_field(e, counters[k].field);
		LLVMValueRef start = k ? LLVMConstNull(e->i64) : e->start_budget;
		if (!counts[k])
			*counter(e, k) = NULL;
		else if (e->r->lean)
			*counter(e, k) = field;
		else
			*counter(e, k) = variable(e, e->i64, start, "counter");
	}
}

/* Counters and mask to the run's struct, `insn` as where to go on. Where lanes never part, all run. */
void put_place(struct emission *e, u32 insn, LLVMValueRef mask)
{
	for (size_t k = 0; k < COUNT_OF(counters) && !e->r->lean; k++)
		if (*counter(e, k))
			LLVMBuildStore(e->b, get(e, e->i64, *counter(e, k)), run_field(e, counters[k].field));
	if (e->next_warp)
		LLVMBuildStore(e->b, e->warp, run_field(e, offsetof(struct native_run, warp)));
	if (!e->parts) {
		LLVMBuildStore(e->b, word(e, insn), run_field(e, offsetof(struct native_run, at)));
		return;
	}
	LLVMValueRef both = LLVMBuildOr(e->b, LLVMBuildZExt(e->b, mask, e->i64, ""),
					LLVMConstInt(e->i64, (u64)insn << 32, false), "");
	LLVMSetAlignment(LLVMBuildStore(e->b, both, run_field(e, offsetof(struct native_run, mask))), sizeof insn);
}

/* As the interpreter counts a straight run; back: takes it back, where the interpreter will count it again. */
void count(struct emission *e, u32 run, bool is_branch, bool back)
{
	const u64 n = back ? (u64) - (s64)run : run;

	add_to(e, e->budget, LLVMConstInt(e->i64, (u64) - (s64)n, true));
	if (e->parts) {
		LLVMValueRef active = lanes_in(e, get(e, e->i32, e->mask));
		LLVMValueRef others = LLVMBuildSub(e->b, LLVMConstInt(e->i64, WARP_LANES, false), active, "");
		add_to(e, e->idle, LLVMBuildMul(e->b, LLVMConstInt(e->i64, n, true), others, ""));
	}
	if (is_branch)
		add_to(e, e->branches, LLVMConstInt(e->i64, back ? (u64)-1 : 1, true));
}

void count_parting(struct emission *e) { add_to(e, e->branches, LLVMConstInt(e->i64, (u64)1 << PARTING_SHIFT, false)); }
