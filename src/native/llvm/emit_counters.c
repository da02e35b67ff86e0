/* SPDX-License-Identifier: Apache-2.0
 *
 * What a region counts as it goes, and how the run's struct gets it.
 */
#include "native/llvm/emission.h"

/* Where the emission and the run's struct have them. */
static const struct {
	size_t counter, field;
} counters[] = {{offsetof(struct emission, budget), offsetof(struct native_run, budget)},
		{offsetof(struct emission, issued), offsetof(struct native_run, issued)},
		{offsetof(struct emission, lanes), offsetof(struct native_run, lanes)},
		{offsetof(struct emission, branches), offsetof(struct native_run, branches)},
		{offsetof(struct emission, divergent), offsetof(struct native_run, divergent)}};

static LLVMValueRef *counter(struct emission *e, size_t k)
{
	return (LLVMValueRef *)(void *)((char *)e + counters[k].counter);
}

/* Variables, which become registers; in lean code the fields themselves, so that no way out has to write them. All but the budget
 * begin at zero. */
void begin_counters(struct emission *e)
{
	for (size_t k = 0; k < COUNT_OF(counters); k++) {
		LLVMValueRef field = run_field(e, counters[k].field);
		LLVMValueRef start = k ? LLVMConstNull(e->i64) : get(e, e->i64, field);
		*counter(e, k) = e->r->lean ? field : variable(e, e->i64, start, "counter");
		if (e->r->lean && k)
			LLVMBuildStore(e->b, start, field);
	}
}

/* Counters and mask to the run's struct, `insn` as where to go on. */
void put_place(struct emission *e, u32 insn, LLVMValueRef mask)
{
	for (size_t k = 0; k < COUNT_OF(counters) && !e->r->lean; k++)
		LLVMBuildStore(e->b, get(e, e->i64, *counter(e, k)), run_field(e, counters[k].field));
	LLVMBuildStore(e->b, mask, run_field(e, offsetof(struct native_run, mask)));
	LLVMBuildStore(e->b, word(e, insn), run_field(e, offsetof(struct native_run, at)));
}

/* As the interpreter counts a straight run; back: takes it back, where the interpreter will count it again. */
void count(struct emission *e, u32 run, bool is_branch, bool back)
{
	LLVMValueRef n = LLVMConstInt(e->i64, back ? (u64) - (s64)run : run, true);
	LLVMValueRef mask = get(e, e->i32, e->mask);
	LLVMValueRef active = lanes_in(e, mask);

	add_to(e, e->issued, n);
	add_to(e, e->lanes, LLVMBuildMul(e->b, n, active, ""));
	add_to(e, e->budget, LLVMConstNeg(n));
	if (is_branch)
		add_to(e, e->branches, LLVMConstInt(e->i64, back ? (u64)-1 : 1, true));
}
