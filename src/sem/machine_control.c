/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: branches, calls that jump, convergence barriers, ends. Lanes that part run independently and meet where
 * the code says so (exec/converge.h). Branches take their guard themselves: a is its row, b that of a second predicate.
 */
#include "exec/converge.h"
#include "sem/external.h"
#include "sem/machine.h"

enum { SPIN_TURNS = 24 };

#define TAKEN                                                                    \
	(mask & (PRED_OF(i->a) ^ (i->aux & MACHINE_NOT_GUARD ? FULL_MASK : 0)) & \
	 (PRED_OF(i->b) ^ (i->aux & MACHINE_NOT_SECOND ? FULL_MASK : 0)))

/* The next instruction runs for all lanes, whichever run, if predicate a (negated by aux) holds: it is the warp's. */
MEANING_FUNCTION(all)
{
	(void)mask;
	if (PRED_SOURCE(i, i->a, 0))
		i[1].fn(w, i + 1, rows, FULL_MASK);
	return UNLIKELY(w->stop == STOP_FAULT) ? NULL : i + 2;
}
MEANING(all);

/* The next instruction runs once for the warp, by the lowest of the running lanes for which predicate a holds. */
MEANING_FUNCTION(one)
{
	const u32 on = mask & PRED_SOURCE(i, i->a, 0);

	if (on)
		i[1].fn(w, i + 1, rows, on & (0 - on));
	return UNLIKELY(w->stop == STOP_FAULT) ? NULL : i + 2;
}
MEANING(one);

static inline const struct insn *jump_back(struct warp *w, const struct insn *i, const struct insn *to)
{
	if (i->aux & MACHINE_SPIN && ++w->spins >= SPIN_TURNS) {
		converge_give_up(w);
		return warp_yield(w, to);
	}
	return w->budget <= 0 ? warp_yield(w, to) : to;
}

MEANING_FUNCTION(bra)
{
	const u32 some = TAKEN, taken = some && i->aux & MACHINE_ANY ? mask : some;
	const struct insn *to = i + i->imm;

	w->branches++;
	warp_account(w, i);
	if (!taken)
		return i + 1;
	if (taken != mask) {
		w->divergent_branches++;
		warp_split(w, mask & ~taken, i + 1);
	}
	return i->imm <= 0 ? jump_back(w, i, to) : to;
}
MEANING(bra);

/* All lanes take it unless those for which the guard holds are all of the mask in row d: code guards it by what must hold
 * of every lane for the short way. c: what the mask is combined with: complements. With MACHINE_MET (BRA.CONV) the other
 * way round. */
MEANING_FUNCTION(bra_div)
{
	const u32 lanes = TAKEN, members = (ROW_OF(u32, i->d)[__builtin_ctz(mask)] ^ i->c) & w->live;

	w->branches++;
	warp_account(w, i);
	return !(members & ~lanes) == !!(i->aux & MACHINE_MET) ? i + i->imm : i + 1;
}
MEANING(bra_div);

/* Where the code has an instruction at `address`, or NULL. */
static const struct insn *find_address(const struct warp *w, u64 address)
{
	const struct code *code = w->frame->code;
	u32 index;

	if (address >= MACHINE_SYSTEM_BASE &&
	    (address - MACHINE_SYSTEM_BASE) / MACHINE_SYSTEM_STEP < MACHINE_SYSTEM_FUNCTIONS)
		return grid_entry(w->grid, code) + code->starts[code->function->body.count + 1 +
								(address - MACHINE_SYSTEM_BASE) / MACHINE_SYSTEM_STEP];
	return address <= UINT32_MAX && ir_find_address(code->function, address, &index)
		       ? grid_entry(w->grid, code) + code->starts[index]
		       : NULL;
}

/* To the address in row d (and d + 1 with aux bit 3) plus the 64 bits at list imm; lanes by target. c: 1 the address is
 * absolute, as function pointers are. */
MEANING_FUNCTION(brx)
{
	const u32 *list = warp_operands(w, i), *low = ROW_OF(u32, i->d), *high = ROW_OF(u32, list[2]);
	const u64 distance = list[0] | (u64)list[1] << 32, base = i->c ? w->grid->map->function_base : 0;
	const struct insn *first = NULL;
	const u32 taken = TAKEN;
	u32 running = 0;

	w->branches++;
	warp_account(w, i);
	if (!taken)
		return i + 1;
	if (taken != mask)
		warp_split(w, mask & ~taken, i + 1);
	for (u32 left = taken; left;) {
		const u32 lane = (u32)__builtin_ctz(left);
		const u64 wide = low[lane] | (u64)high[lane] << 32;
		const u64 address = (i->c ? wide - base : (u64)(u32)(low[lane] + list[3])) + distance;
		const struct insn *to = find_address(w, i->c ? address : (u32)address);
		u32 same = 0;
		if (!to)
			return warp_fault(w, i, FAULT_BAD_PC, 1u << lane, "0x%llx is not the address of an instruction",
					  (unsigned long long)address);
		for (u32 l = lane; l < WARP_LANES; l++)
			same |= (u32)(left >> l & 1 && low[l] == low[lane] && (!i->c || high[l] == high[lane])) << l;
		left &= ~same;
		if (first)
			warp_split(w, same, to);
		else
			first = to, running = same;
	}
	w->divergent_branches += running != mask;
	return first <= i ? jump_back(w, i, first) : first;
}
MEANING(brx);

MEANING_FUNCTION(ends)
{
	const u32 taken = TAKEN;

	warp_account(w, i);
	if (!taken)
		return i + 1;
	if (taken != mask)
		warp_split(w, mask & ~taken, i + 1);
	return warp_exit(w);
}
MEANING(ends);

MEANING_FUNCTION(end)
{
	(void)rows;
	return warp_fault(w, i - 1, FAULT_BAD_PC, mask, "lanes run past the function's last instruction");
}
MEANING(end);

/* --- Convergence ---------------------------------------------------------------------------- */

/* Row d: the barrier. */
MEANING_FUNCTION(bssy)
{
	const u32 taken = TAKEN;
	u32 *barrier = ROW_OF(u32, i->d);

	warp_account(w, i);
	EACH_LANE
		barrier[l] = taken & lane_bit[l] ? taken : barrier[l];
	return i + 1;
}
MEANING(bssy);

MEANING_FUNCTION(bsync)
{
	const u32 taken = TAKEN;

	if (!taken) {
		warp_account(w, i);
		return i + 1;
	}
	if (taken != mask)
		warp_split(w, mask & ~taken, i + 1);
	return warp_converge(w, i, i->d, 0, i + 1);
}
MEANING(bsync);

/* Row d: the lanes that are to meet; c: 1 all of the warp; 2 exclusively: those that name another mask run apart. */
MEANING_FUNCTION(warpsync)
{
	const u32 taken = TAKEN;
	const u32 *masks = ROW_OF(u32, i->d), members = i->c & 1 ? FULL_MASK : masks[__builtin_ctz(mask)];
	u32 wanted = members, same = taken;

	if (!taken) {
		warp_account(w, i);
		return i + 1;
	}
	if (taken != mask)
		warp_split(w, mask & ~taken, i + 1);
	for (u32 left = i->c ? 0 : taken; left; left &= left - 1)
		wanted |= masks[__builtin_ctz(left)];
	if (!(i->c & 2) && !(wanted & w->live & ~taken)) { /* all are here */
		warp_account(w, i);
		return i + i->imm;
	}
	if (!(i->c & 1))
		same &= MASK_OF(masks[l] == members);
	if (same != taken)
		warp_split(w, taken & ~same, i);
	return warp_converge(w, i, CONVERGE_BY_MASK, members, i + i->imm);
}
MEANING(warpsync);

/* WARPSYNC.COLLECTIVE: the lanes of the mask in row d come together, wherever they stand, and run what follows as one; row c
 * keeps how far behind the code's start each of them goes on after ENDCOLLECTIVE: at i + imm. */
MEANING_FUNCTION(collect)
{
	u32 *back = ROW_OF(u32, i->c);
	const u32 to = (u32)(i + i->imm - grid_entry(w->grid, w->frame->code));
	const u32 members = ROW_OF(u32, i->d)[__builtin_ctz(mask)],
		  same = mask & MASK_OF(ROW_OF(u32, i->d)[l] == members);

	EACH_LANE
		back[l] = same & lane_bit[l] ? to : back[l];
	if (same != mask) /* others name another mask: they run apart */
		warp_split(w, mask & ~same, i);
	return warp_converge(w, i, CONVERGE_COLLECTIVELY, members, i + 1);
}
MEANING(collect);

MEANING_FUNCTION(disperse)
{
	const u32 *back = ROW_OF(u32, i->c);
	const u32 first = back[__builtin_ctz(mask)];

	warp_account(w, i);
	for (u32 left = mask & ~MASK_OF(back[l] == first); left;) {
		const u32 to = back[__builtin_ctz(left)], same = left & MASK_OF(back[l] == to);
		warp_split(w, same, grid_entry(w->grid, w->frame->code) + to);
		left &= ~same;
	}
	return grid_entry(w->grid, w->frame->code) + first;
}
MEANING(disperse);

/* BREAK: the lanes are no more among those that meet at the barrier in row d. */
MEANING_FUNCTION(leave)
{
	const u32 taken = TAKEN;
	u32 *barrier = ROW_OF(u32, i->d);
	u32 others = 0;

	warp_account(w, i);
	for (u32 left = taken; left; left &= left - 1)
		others |= barrier[__builtin_ctz(left)];
	EACH_LANE
		barrier[l] &= others & lane_bit[l] ? ~taken : FULL_MASK;
	converge_recheck(w);
	return i + 1;
}
MEANING(leave);

MEANING_FUNCTION(yield)
{
	(void)rows;
	(void)mask;
	warp_account(w, i);
	return w->ready_head ? warp_yield(w, i + 1) : i + 1;
}
MEANING(yield);

/* --- Ends ----------------------------------------------------------------------------------- */

MEANING_FUNCTION(trap)
{
	const u32 taken = TAKEN;

	warp_account(w, i);
	return taken ? warp_fault(w, i, FAULT_TRAP, taken, NULL) : i + 1;
}
MEANING(trap);

/* What is not modelled, under a guard. */
MEANING_FUNCTION(not_known)
{
	const u32 taken = TAKEN;

	warp_account(w, i);
	return taken ? warp_fault(w, i, FAULT_UNMODELLED, taken, "%s", (const char *)w->frame->code->plans[i->c])
		     : i + 1;
}
MEANING(not_known);

/* Before an instruction that must see its lanes as a split of their own: those for which the guard does not hold go on at
 * i + imm. */
MEANING_FUNCTION(apart)
{
	const u32 taken = TAKEN;

	warp_account(w, i);
	if (taken == mask)
		return i + 1;
	if (!taken)
		return i + i->imm;
	warp_split(w, mask & ~taken, i + i->imm);
	return i + 1;
}
MEANING(apart);

/* A function that the system supplies: calls[c] of the code. */
MEANING_FUNCTION(system_call)
{
	const struct insn *next = external_call(w, i, rows, mask, &w->frame->code->calls[i->c]);

	return next;
}
MEANING(system_call);

const struct machine_entry SEM_NAME(machine_control)[] = {
	ENTRY(all),       ENTRY(one),      ENTRY(collect),     ENTRY(disperse),      ENTRY(bra),
	ENTRY(bra_div),   ENTRY(brx),      ENTRY(ends),        ENTRY(end),           ENTRY(bssy),
	ENTRY(bsync),     ENTRY(warpsync), ENTRY(leave),       ENTRY(yield),         ENTRY(trap),
	ENTRY(not_known), ENTRY(apart),    ENTRY(system_call), {MACHINE_COUNT, NULL}};
