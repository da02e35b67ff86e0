/* SPDX-License-Identifier: Apache-2.0
 *
 * Control flow (PTX ISA 9.7.12), and the internal meanings that lowering puts between PTX
 * instructions: their opcodes begin with '%', which no source text can spell.
 *
 * A branch, for one warp and for a gang: all lanes one way costs one comparison; else exec/diverge.c or
 * exec/gang_split.c takes over. Backward branches count down the budget of the time slice; those that may wait for
 * other lanes (AUX_SPIN) yield after SPIN_TURNS rounds, so that what they wait for can happen.
 */
#include "isa/expanded.h"
#include "isa/sregs.h"
#include "sem/external.h"
#include "sem/lanes.h"
#include "sem/prefix.h"

enum { AUX_SPIN = 2, SPIN_TURNS = 24 };

#define PICK_ONE(NAME)                                                 \
	static const struct meaning *pick_##NAME(const struct form *f) \
	{                                                              \
		(void)f;                                               \
		return &NAME;                                          \
	}

/* --- Internal ------------------------------------------------------------------------------- */

/* Over what a gang does not run here; 0: to the end. */
MEANING_FUNCTION(skip)
{
	(void)w;
	(void)rows;
	(void)mask;
	return i + i->imm;
}
GANG_FUNCTION(skip)
{
	(void)g;
	return i->imm ? i + i->imm : NULL;
}
MEANING_GANG(skip);

/* The end of a straight run that falls through into a block others jump to. */
MEANING_FUNCTION(count)
{
	(void)rows;
	(void)mask;
	warp_account(w, i);
	return i + 1;
}
GANG_FUNCTION(count)
{
	gang_account(g, i);
	return i + 1;
}
MEANING_GANG(count);

/* Lanes that have not diverged pass: the join is theirs only if a branch opened it. */
MEANING_FUNCTION(join)
{
	(void)rows;
	(void)mask;
	if (w->join && w->join->pc == i && !w->join->is_return)
		return warp_arrive(w);
	return i + 1;
}
GANG_FUNCTION(join) { return UNLIKELY(g->split != NULL) ? gang_join(g, i) : i + 1; }
MEANING_GANG(join);

/* Runs the next instruction for the lanes whose predicate holds. */
MEANING_FUNCTION(guard)
{
	const u32 on = mask & PRED_SOURCE(i, i->a, 0);

	if (on)
		i[1].fn(w, i + 1, rows, on);
	return after_prefix(w, i);
}

/* Lanes of each warp for which predicate a, negated if the text says so, holds; whether there are any, and
 * whether there are others. */
struct agreement {
	u32 any, rest;
};
static inline struct agreement gang_predicate(struct gang *g, const struct insn *i, u32 on[GANG_WARPS])
{
	struct agreement of = {0, 0};
	u32 k = 0;

	if (UNLIKELY(g->on != NULL)) {
		memset(on, 0, g->count * sizeof *on);
		EACH_MEMBER (g, m) {
			const u8 *rows = m->rows;
			const u32 p = PRED_SOURCE(i, i->a, 0);
			of.any |= p & m->mask;
			of.rest |= m->mask & ~p;
			on[m->warp - g->warps] = p & m->mask;
		}
		return of;
	}
	EACH_WARP (g) {
		const u32 p = PRED_SOURCE(i, i->a, 0);
		of.any |= p;
		of.rest |= ~p;
		on[k++] = p;
	}
	return of;
}

GANG_FUNCTION(guard)
{
	u32 on[GANG_WARPS];
	const struct agreement p = gang_predicate(g, i, on);

	return !p.rest ? i + 1 : !p.any ? i + 2 : gang_guarded(g, i, on);
}
MEANING_GANG(guard);

/* Ends the time slice where it must: by rounds of a loop that spins, by the budget elsewhere. */
static inline const struct insn *jump_back(struct warp *w, const struct insn *i, const struct insn *target)
{
	if (i->aux & AUX_SPIN ? ++w->spins >= SPIN_TURNS : w->budget <= 0)
		return warp_yield(w, target);
	return target;
}

MEANING_FUNCTION(bra)
{
	(void)rows;
	(void)mask;
	w->branches++;
	warp_account(w, i);
	return i->imm <= 0 ? jump_back(w, i, i + i->imm) : i + i->imm;
}

static inline const struct insn *gang_jump(struct gang *g, const struct insn *i)
{
	const struct insn *target = i + i->imm;

	gang_account_branch(g, i);
	if (i->imm <= 0 && UNLIKELY(i->aux & AUX_SPIN ? ++g->spins >= SPIN_TURNS : g->budget <= 0 && !gang_goes_on(g)))
		return gang_yield(g, target);
	return target;
}
GANG_FUNCTION(bra) { return gang_jump(g, i); }
MEANING_GANG(bra);

/* Where the lanes of a branch meet; NULL: nowhere. */
static inline const struct insn *join_of(const struct insn *i) { return i->b == NO_OPERAND ? NULL : i + (s32)i->b; }

/* The lanes that do not take the branch go on first; the others are a split of their own. */
MEANING_FUNCTION(bra_if)
{
	const u32 taken = mask & PRED_SOURCE(i, i->a, 0);

	w->branches++;
	warp_account(w, i);
	if (taken == mask)
		return i->imm <= 0 ? jump_back(w, i, i + i->imm) : i + i->imm;
	if (!taken)
		return i + 1;
	const struct insn *next = warp_diverge(w, taken, i + i->imm, i + 1, join_of(i));
	if (i->imm <= 0 && i->aux & AUX_SPIN && ++w->spins >= SPIN_TURNS)
		return warp_yield(w, next);
	return next;
}
GANG_FUNCTION(bra_if)
{
	u32 taken[GANG_WARPS];
	const struct agreement p = gang_predicate(g, i, taken);

	if (!p.rest)
		return gang_jump(g, i);
	if (p.any) {
		const struct insn *next = gang_diverge(g, i, taken, join_of(i), false);
		return next && i->imm <= 0 && i->aux & AUX_SPIN && ++g->spins >= SPIN_TURNS ? gang_yield(g, next)
											    : next;
	}
	gang_account_branch(g, i);
	return i + 1;
}
MEANING_GANG(bra_if);

/* Of several ways, as with two, the nearest is run first. */
static s32 furthest(const struct branch_table *t, const u32 *index, u32 lanes)
{
	s32 distance = INT32_MIN;

	for (u32 left = lanes; left; left &= left - 1) {
		const s32 d = t->targets[index[__builtin_ctz(left)]];
		distance = d > distance ? d : distance;
	}
	return distance;
}

/* Ways are split off from the furthest to the nearest, which then runs; lanes with an index beyond the list fault. */
MEANING_FUNCTION(brx)
{
	const struct branch_table *t = &w->frame->code->tables[i->c];
	const u32 *index = (const u32 *)(rows + i->a);
	const u64 divergent = w->divergent_branches;
	u32 left = mask;

	w->branches++;
	warp_account(w, i);
	for (u32 l = 0; l < WARP_LANES; l++)
		if (mask >> l & 1 && index[l] >= t->count)
			return warp_fault(w, i, FAULT_BAD_PC, 1u << l, "branch index %u, the list has %u targets",
					  index[l], t->count);
	for (;;) {
		const s32 distance = furthest(t, index, left);
		u32 same = 0;
		for (u32 l = 0; l < WARP_LANES; l++)
			same |= (u32)(left >> l & 1 && t->targets[index[l]] == distance) << l;
		left &= ~same;
		if (!left)
			return distance <= 0 && w->budget <= 0 ? warp_yield(w, i + distance) : i + distance;
		warp_diverge(w, same, i + distance, i, join_of(i));
		w->divergent_branches = divergent + 1; /* one branch, however many ways */
	}
}

/* Adds the lanes of one warp to the ways they take. False: some have no target, or there are too many ways. */
static bool add_ways(struct gang_ways *ways, u32 warp, const struct branch_table *t, const u32 *index, u32 mask)
{
	for (u32 left = mask, same; left; left &= ~same) {
		const u32 first = (u32)__builtin_ctz(left);
		u32 n = 0;
		if (index[first] >= t->count)
			return false;
		const s32 distance = t->targets[index[first]];
		same = 0;
		for (u32 l = first; l < WARP_LANES; l++)
			same |= (u32)(left >> l & 1 && index[l] < t->count && t->targets[index[l]] == distance) << l;
		while (n < ways->count && ways->distance[n] < distance)
			n++;
		if (n == ways->count || ways->distance[n] != distance) {
			if (ways->count == GANG_WAYS)
				return false;
			memmove(ways->distance + n + 1, ways->distance + n, (ways->count - n) * sizeof *ways->distance);
			memmove(ways->lanes + n + 1, ways->lanes + n, (ways->count - n) * sizeof *ways->lanes);
			memset(ways->lanes + n, 0, sizeof *ways->lanes);
			ways->distance[n] = distance;
			ways->count++;
		}
		ways->lanes[n][warp] |= same;
	}
	return true;
}

GANG_FUNCTION(brx)
{
	const struct branch_table *t = &g->code->tables[i->c];
	struct gang_ways ways = {.count = 0};
	u32 k = 0;

	if (g->on) {
		EACH_MEMBER (g, m)
			if (!add_ways(&ways, (u32)(m->warp - g->warps), t, (const u32 *)(m->rows + i->a), m->mask))
				return gang_part(g, i, 0);
	} else {
		EACH_WARP (g)
			if (!add_ways(&ways, k++, t, (const u32 *)(rows + i->a), FULL_MASK))
				return gang_part(g, i, 0);
	}
	if (ways.count > 1)
		return gang_diverge_ways(g, i, &ways, join_of(i));
	const struct insn *target = i + ways.distance[0];
	gang_account_branch(g, i);
	return target <= i && g->budget <= 0 && !gang_goes_on(g) ? gang_yield(g, target) : target;
}
MEANING_GANG(brx);

MEANING_FUNCTION(ret)
{
	(void)rows;
	(void)mask;
	warp_account(w, i);
	return warp_return(w);
}
static const struct meaning ret = {.run = ret_run, .gang = gang_end};

MEANING_FUNCTION(leave)
{
	(void)rows;
	(void)mask;
	warp_account(w, i);
	return warp_exit(w);
}
GANG_FUNCTION(leave) { return gang_exit(g, i); }
MEANING_GANG(leave);

MEANING_FUNCTION(unmodelled)
{
	(void)rows;
	return warp_fault(w, i, FAULT_UNMODELLED, mask, NULL);
}
/* Lowering takes this handler for all that a gang does not run. */
static const struct meaning unmodelled = {.run = unmodelled_run, .gang = gang_end};

/* One value for all lanes. imm: instructions of the straight run so far, which the clocks must have counted. */
MEANING_FUNCTION(sreg_read)
{
	w->issued += (u32)i->imm;
	sreg_look_at_clock(w, i);
	const u64 value = sreg_value(w, i->a, i->b, 0);
	for (u32 l = 0; l < WARP_LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		if (i->c == 64)
			((u64 *)(rows + i->d))[l] = value;
		else
			((u32 *)(rows + i->d))[l] = (u32)value;
	}
	w->issued -= (u32)i->imm;
	return i + 1;
}
static const struct meaning sreg_read = {.run = sreg_read_run, .gang = gang_end};

/* array[register]: base + register * step, the product cut to the register's width; see ir.h. */
MEANING_FUNCTION(element)
{
	const u64 step = *ROW_OF(u64, i->b), base = *ROW_OF(u64, i->c);
	const bool wide_index = (i->imm & 0xff) == 64, wide_address = i->imm >> 8 == 64;

	(void)w;
	(void)mask;
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u64 offset = wide_index ? ROW_OF(u64, i->a)[l] * step : (u32)(ROW_OF(u32, i->a)[l] * step);
		if (wide_address)
			ROW_OF(u64, i->d)[l] = base + offset;
		else
			ROW_OF(u32, i->d)[l] = (u32)(base + offset);
	}
	return i + 1;
}
MEANING_EACH(element);

/* --- Calls ---------------------------------------------------------------------------------- */

/* Lanes are called by target: those of the lowest lane now, the others when they come here again. */
static const struct insn *call_indirect(struct warp *w, const struct insn *i, u8 *rows, const struct call_site *site)
{
	const u64 base = w->grid->map->function_base;
	const u32 first = (u32)__builtin_ctz(w->mask);
	u64 address[WARP_LANES];
	u32 same = 0;

	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = site->function_row_is_64 ? ((const u64 *)(rows + site->function_row))[l]
						      : ((const u32 *)(rows + site->function_row))[l];
	for (u32 l = 0; l < WARP_LANES; l++)
		same |= (u32)(address[l] == address[first]) << l;
	same &= w->mask;
	const u64 number = (address[first] - base) / FUNCTION_STRIDE;
	struct code *const target = address[first] < base ? NULL : kernel_function_code(w->grid->kernel, number);
	if (!target)
		return warp_fault(w, i, FAULT_BAD_PC, same, "0x%llx is not the address of a function",
				  (unsigned long long)address[first]);
	/* Lanes that call another function do so after these: they come to this instruction again. */
	if (same != w->mask) {
		const struct insn *here = i;
		/* Then all but the call itself is counted again. */
		w->issued -= i->run - 1u;
		w->lanes_issued -= (u64)i->run * (u32)__builtin_popcount(w->mask & ~same);
		warp_gather(w, i);
		warp_diverge(w, w->mask & ~same, here, here, NULL);
	}
	return warp_call(w, i, site, target, w->mask);
}

MEANING_FUNCTION(call)
{
	const struct call_site *site = &w->frame->code->calls[i->c];

	/* Recursion, like a loop, lets others run at times; it comes to this instruction again. */
	if (UNLIKELY(w->budget <= 0))
		return warp_yield(w, i);
	warp_account(w, i);
	if (site->is_indirect)
		return call_indirect(w, i, rows, site);
	if (site->external)
		return external_call(w, i, rows, mask, site);
	return warp_call(w, i, site, site->target, mask);
}
static const struct meaning call = {.run = call_run, .gang = gang_end};

/* --- PTX ------------------------------------------------------------------------------------ */

/* Cooperative groups trap where the driver has not told them of the grid. */
static bool asks_for_grid(const struct program *p)
{
	for (u32 c = 0; c < p->code_count; c++)
		for (u32 k = 0; k < p->codes[c]->sreg_count; k++)
			if (p->codes[c]->sregs[k].sreg == SREG_envreg1)
				return true;
	return false;
}

MEANING_FUNCTION(trap)
{
	(void)rows;
	if (!w->grid->launch->cooperative && asks_for_grid(w->grid->program))
		return warp_fault(w, i, FAULT_TRAP, mask,
				  "perhaps for want of a cooperative launch, without which grid.sync() traps");
	return warp_fault(w, i, FAULT_TRAP, mask, NULL);
}
MEANING(trap);

MEANING_FUNCTION(brkpt)
{
	(void)rows;
	return warp_fault(w, i, FAULT_BREAKPOINT, mask, NULL);
}
MEANING(brkpt);

MEANING_FUNCTION(nothing)
{
	(void)w;
	(void)rows;
	(void)mask;
	return i + 1;
}
MEANING_EACH(nothing);

PICK_ONE(skip)
PICK_ONE(count)
PICK_ONE(join)
PICK_ONE(guard)
PICK_ONE(bra)
PICK_ONE(bra_if)
PICK_ONE(brx)
PICK_ONE(call)
PICK_ONE(ret)
PICK_ONE(leave)
PICK_ONE(sreg_read)
PICK_ONE(element)
PICK_ONE(unmodelled)
PICK_ONE(trap)
PICK_ONE(brkpt)
PICK_ONE(nothing)

static const struct isa_row rows_internal[] = {
	ROW("%skip", "", 10, 10, 0, pick_skip, "Goes on further down."),
	ROW("%count", "", 10, 10, 0, pick_count, "Counts the instructions of a straight run."),
	ROW("%join", "", 10, 10, 0, pick_join, "Waits for lanes that diverged."),
	ROW("%guard", "", 10, 10, 0, pick_guard, "Narrows the mask for the next instruction."),
	ROW("%bra", "", 10, 10, 0, pick_bra, "Jumps."),
	ROW("%bra_if", "", 10, 10, 0, pick_bra_if, "Jumps where a predicate holds."),
	ROW("%brx", "", 10, 10, 0, pick_brx, "Jumps by an index."),
	ROW("%call", "", 10, 10, 0, pick_call, "Calls."),
	ROW("%ret", "", 10, 10, 0, pick_ret, "Returns from a function."),
	ROW("%exit", "", 10, 10, 0, pick_leave, "Ends lanes."),
	ROW("%sreg_read", "", 10, 10, 0, pick_sreg_read, "Reads a special register that changes."),
	ROW("%element", "", 10, 10, 0, pick_element, "Computes the address of an array's element."),
	ROW("%unmodelled", "", 10, 10, 0, pick_unmodelled, "Faults."),
};
FAMILY(family_internal, "", CLASS_BY_TYPE, rows_internal);

static const struct isa_row rows_control[] = {
	ROW("bra[.uni]", "L", 10, 10, ISA_BRANCH, NULL, "Branches to a label."),
	ROW("brx.idx[.uni]", "u32 L", 60, 30, ISA_BRANCH | ISA_INDIRECT, NULL,
	    "Branches to a label chosen from a list by index."),
	ROW("call[.uni]", "F", 10, 10, ISA_CALL, NULL, "Calls a function."),
	ROW("ret[.uni]", "", 10, 10, ISA_RET, NULL, "Returns; in a kernel, ends the thread."),
	ROW("exit", "", 10, 10, ISA_EXIT, NULL, "Ends the thread."),
	ROW("trap", "", 10, 10, ISA_EXIT, pick_trap, "Stops the kernel with an error."),
	ROW("brkpt", "", 10, 11, ISA_SYNC, pick_brkpt, "Stops for the debugger."),
	ROW("pmevent", "#u32<0,15>", 14, 10, WITH(TRAIT_EXPANDED), pick_nothing,
	    "Triggers performance events; no effect here."),
	ROW("pmevent.mask", "#u32<0,0xffff>", 30, 20, WITH(TRAIT_EXPANDED), pick_nothing,
	    "Triggers performance events; no effect here."),
	ROW("nanosleep.u32", "u32", 62, 70, 0, pick_nothing, "Lets time pass; none passes here."),
};
FAMILY(family_control, "Control flow", CLASS_CONTROL, rows_control);
