/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: branches, calls that jump, convergence barriers, ends. Lanes that part run independently and meet where
 * the code says so (exec/converge.h). Branches take their guard themselves: a is its row, b that of a second predicate.
 *
 * A branch of a whole gang goes one of three ways. All lanes of all warps go on together (both `any` and `rest` are not
 * set), which costs one test for the gang; or they part, and the gang splits at the join that the lowering found
 * (exec/gang_split); or the gang gives up and its warps run on one by one. What a lane at a time would do is always the
 * definition: a gang only finds the same faster.
 *
 * Loops of one instruction or a few that wait for another warp are marked MACHINE_SPIN by the lowering. The scheduler
 * runs a warp until it stops, so a warp that waits must let go of the processor by itself: after SPIN_TURNS rounds.
 */
#include "exec/converge.h"
#include "sem/external.h"
#include "sem/machine.h"
#include "sem/prefix.h"

/* Rounds of a waiting loop that a warp runs before the others have a turn; and turns after which the loop counts as
 * vain if the same lanes are still in it. */
enum { SPIN_TURNS = 24, SPIN_VAIN_TURNS = 8 };

/* The running lanes that the branch's guard holds for. A row of predicates is a word with a bit for each lane; the row
 * of PT is all ones, so that an instruction without a guard needs no test of its own. */
#define TAKEN                                                                    \
	(mask & (PRED_OF(i->a) ^ (i->aux & MACHINE_NOT_GUARD ? FULL_MASK : 0)) & \
	 (PRED_OF(i->b) ^ (i->aux & MACHINE_NOT_SECOND ? FULL_MASK : 0)))

/* --- Gangs ---------------------------------------------------------------------------------- */

/* Of the lanes of all warps that come to an instruction: whether there are such that it takes, and others. */
struct agreement {
	u32 any, rest;
};

/* Adds the lanes of one warp: *on becomes those that take the instruction. */
static inline void take_lanes(struct agreement *of, u32 *on, const struct insn *i, const u8 *rows, u32 mask)
{
	*on = TAKEN;
	of->any |= *on;
	of->rest |= mask & ~*on;
}

/* on[n]: the lanes of warp n that take i; 0 for warps whose lanes are all elsewhere. A gang with `on` runs some of its
 * lanes only, so its members' masks count; else each warp runs with all 32. */
static inline struct agreement gang_taken(struct gang *g, const struct insn *i, u32 on[GANG_WARPS])
{
	struct agreement of = {0, 0};
	u32 k = 0;

	if (UNLIKELY(g->on != NULL)) {
		memset(on, 0, g->count * sizeof *on);
		EACH_MEMBER (g, m)
			take_lanes(&of, &on[m->warp - g->warps], i, m->rows, m->mask);
		return of;
	}
	EACH_WARP (g)
		take_lanes(&of, &on[k++], i, rows, FULL_MASK);
	return of;
}

/* The next instruction runs for lanes on[n] of warp n. */
static inline const struct insn *gang_prefix(struct gang *g, const struct insn *i, const u32 on[GANG_WARPS])
{
	u32 any = 0;

	for (u32 k = 0; k < g->count; k++)
		any |= on[k];
	return any ? gang_guarded(g, i, on) : i + 2;
}

/* --- Prefixes ------------------------------------------------------------------------------- */

/* The next instruction runs for all lanes, whichever run, if predicate a (negated by aux bit 0) holds: it is the warp's. Aux
 * bit 1: whatever the predicate. */
MEANING_FUNCTION(all)
{
	(void)mask;
	if (i->aux & 2 || PRED_SOURCE(i, i->a, 0))
		i[1].fn(w, i + 1, rows, FULL_MASK);
	return after_prefix(w, i);
}
/* Uniform instructions act on the warp's own state (uniform registers, uniform predicates), which all its lanes share:
 * they are not masked by the lanes that run, only by their own uniform guard. Hence FULL_MASK. */
SEPARATE const struct insn *all_some(struct gang *g, const struct insn *i)
{
	u32 on[GANG_WARPS] = {0}, k = 0;

	if (g->on) {
		EACH_MEMBER (g, m) {
			const u8 *rows = m->rows;
			on[m->warp - g->warps] = i->aux & 2 || PRED_SOURCE(i, i->a, 0) ? FULL_MASK : 0;
		}
	} else {
		EACH_WARP (g)
			on[k++] = PRED_SOURCE(i, i->a, 0) ? FULL_MASK : 0;
	}
	return gang_prefix(g, i, on);
}
GANG_FUNCTION(all)
{
	if (UNLIKELY(g->on || !(i->aux & 2)))
		return all_some(g, i);
	return i[1].gang(g, i + 1);
}
MEANING_GANG(all);

/* The next instruction runs once for the warp, by the lowest of the running lanes for which predicate a holds. */
MEANING_FUNCTION(one)
{
	const u32 on = mask & PRED_SOURCE(i, i->a, 0);

	if (on)
		i[1].fn(w, i + 1, rows, on & (0 - on));
	return after_prefix(w, i);
}
GANG_FUNCTION(one)
{
	u32 on[GANG_WARPS] = {0}, k = 0;

	if (g->on) {
		EACH_MEMBER (g, m) {
			const u8 *rows = m->rows;
			on[m->warp - g->warps] = m->mask & PRED_SOURCE(i, i->a, 0);
		}
	} else {
		EACH_WARP (g)
			on[k++] = PRED_SOURCE(i, i->a, 0);
	}
	for (k = 0; k < g->count; k++)
		on[k] &= 0 - on[k];
	return gang_prefix(g, i, on);
}
MEANING_GANG(one);

/* --- Branches ------------------------------------------------------------------------------- */

/* A jump backwards is where a warp can be stopped without a loss: when its budget is spent, and when it spins. */
static inline const struct insn *jump_back(struct warp *w, const struct insn *i, const struct insn *to)
{
	if (i->aux & MACHINE_SPIN && ++w->spins >= SPIN_TURNS) {
		if (warp_spins_in_vain(w, i, w->mask, SPIN_VAIN_TURNS))
			converge_give_up(w);
		return warp_yield(w, to);
	}
	return w->budget <= 0 ? warp_yield(w, to) : to;
}

/* Of as many, those that fall through. */
static inline bool stay_first(const struct insn *i, u32 taken, u32 mask)
{
	return i->aux & MACHINE_FEWER_FIRST && 2 * lanes_of(taken) >= lanes_of(mask);
}

/* MACHINE_ANY (BRA.ANY): all lanes go if one does. */
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
		if (stay_first(i, taken, mask)) {
			converge_part(w, taken, to);
			return i + 1;
		}
		converge_part(w, mask & ~taken, i + 1);
	}
	return i->imm <= 0 ? jump_back(w, i, to) : to;
}

/* c: how far it is to the join, 0: there is none. */
static inline const struct insn *join_of(const struct insn *i) { return i->c ? i + (s32)i->c : NULL; }

/* As jump_back, for a gang: all its warps are stopped together. */
static inline const struct insn *gang_back(struct gang *g, const struct insn *i, const struct insn *to)
{
	const bool over = i->aux & MACHINE_SPIN ? ++g->spins >= SPIN_TURNS : g->budget <= 0 && !gang_goes_on(g);

	return UNLIKELY(over) ? gang_yield(g, to) : to;
}

/* All lanes of a warp branch if one does. */
static struct agreement take_whole(const struct gang *g, u32 on[GANG_WARPS])
{
	struct agreement of = {0, 0};

	if (g->on)
		EACH_MEMBER (g, m)
			on[m->warp - g->warps] = on[m->warp - g->warps] ? m->mask : 0;
	else
		for (u32 k = 0; k < g->count; k++)
			on[k] = on[k] ? FULL_MASK : 0;
	for (u32 k = 0; k < g->count; k++) {
		of.any |= on[k];
		of.rest |= g->on ? 0 : ~on[k];
	}
	if (g->on)
		EACH_MEMBER (g, m)
			of.rest |= m->mask & ~on[m->warp - g->warps];
	return of;
}

/* The counters are kept here only where the gang agrees: gang_diverge does its own counting. */
GANG_FUNCTION(bra)
{
	u32 taken[GANG_WARPS];
	struct agreement of = gang_taken(g, i, taken);

	if (i->aux & MACHINE_ANY && of.any && of.rest)
		of = take_whole(g, taken);
	if (!of.rest) {
		gang_account_branch(g, i);
		return i->imm <= 0 ? gang_back(g, i, i + i->imm) : i + i->imm;
	}
	if (!of.any) {
		gang_account_branch(g, i);
		return i + 1;
	}
	const struct insn *next = i->aux & MACHINE_FEWER_FIRST ? gang_diverge_fewer_first(g, i, taken, join_of(i))
							       : gang_diverge(g, i, taken, join_of(i), true);
	return next && i->imm <= 0 && i->aux & MACHINE_SPIN ? gang_back(g, i, next) : next;
}
MEANING_GANG(bra);

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
GANG_FUNCTION(bra_div)
{
	u32 taken[GANG_WARPS], any = 0, rest = 0;

	gang_taken(g, i, taken);
	for (u32 k = 0; k < g->count; k++) {
		const u8 *rows = g->rows + k * g->stride;
		const u32 mask = g->on ? g->warps[k].mask : FULL_MASK;
		if (!mask)
			continue;
		const u32 members = (ROW_OF(u32, i->d)[__builtin_ctz(mask)] ^ i->c) & g->warps[k].live;
		taken[k] = !(members & ~taken[k]) == !!(i->aux & MACHINE_MET) ? mask : 0;
		any |= taken[k];
		rest |= mask & ~taken[k];
	}
	if (any && rest)
		return gang_diverge(g, i, taken, NULL, true);
	gang_account_branch(g, i);
	return any ? i + i->imm : i + 1;
}
MEANING_GANG(bra_div);

/* The number of the code's insn at `address`, or NO_OPERAND.
 * Addresses above MACHINE_SYSTEM_BASE are those of the device's own functions (vprintf, malloc, assert), which a call
 * through a pointer may name: their insns lie behind those of the function's body. */
static u32 find_address(const struct code *code, u64 address)
{
	u32 index;

	if (address >= MACHINE_SYSTEM_BASE &&
	    (address - MACHINE_SYSTEM_BASE) / MACHINE_SYSTEM_STEP < MACHINE_SYSTEM_FUNCTIONS)
		return code->starts[code->function->body.count + 1 +
				    (address - MACHINE_SYSTEM_BASE) / MACHINE_SYSTEM_STEP];
	return address <= UINT32_MAX && ir_find_address(code->function, address, &index) ? code->starts[index]
											 : NO_OPERAND;
}

/* Where lane l goes, by the list and rows of brx:
 *
 *  i->d     row of the low words (BRX: a distance from a table; function pointers: an address)
 *  i->c     0: 32 bits are all of it; 1: an absolute address of 64 bits, high words in row list[2]
 *  list     [0] low and [1] high word of the distance to add; [2] row of high words; [3] how far it is to the join */
static inline u64 lane_target(const struct insn *i, const u32 *list, const u8 *rows, u64 base, u32 lane)
{
	const u32 low = ROW_OF(u32, i->d)[lane];
	const u64 distance = list[0] | (u64)list[1] << 32;

	if (!i->c)
		return (u32)(low + distance);
	return (low | (u64)ROW_OF(u32, list[2])[lane] << 32) - base + distance;
}

/* To the address in row d, and list[2] for its upper word, plus the 64 bits at list imm; lanes by target. c: 1 the address
 * is absolute, as function pointers are. list[3]: how far it is to the join, 0: there is none. */
MEANING_FUNCTION(brx)
{
	const u32 *list = warp_operands(w, i);
	const u64 base = w->grid->map->function_base;
	const struct code *code = w->frame->code;
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
		const u64 address = lane_target(i, list, rows, base, lane);
		const u32 to = find_address(code, address);
		u32 same = 0;
		if (to == NO_OPERAND)
			return warp_fault(w, i, FAULT_BAD_PC, 1u << lane, "0x%llx is not the address of an instruction",
					  (unsigned long long)address);
		for (u32 l = lane; l < WARP_LANES; l++)
			same |= (u32)(left >> l & 1 && lane_target(i, list, rows, base, l) == address) << l;
		left &= ~same;
		if (first)
			warp_split(w, same, grid_entry(w->grid, code) + to);
		else
			first = grid_entry(w->grid, code) + to, running = same;
	}
	w->divergent_branches += running != mask;
	return first <= i ? jump_back(w, i, first) : first;
}

/* Adds the lanes of one warp to the ways they take. False: some have no target, or there are too many ways: the gang
 * then parts, and the warps find out one by one (and report the fault with the lane's number). */
static bool add_ways(const struct gang *g, const struct insn *i, struct gang_ways *ways, u32 warp, const u8 *rows,
		     u32 mask)
{
	const u32 *list = g->code->operands + i->imm;
	const u64 base = g->grid->map->function_base;

	for (u32 left = mask, same; left; left &= ~same) {
		const u64 address = lane_target(i, list, rows, base, (u32)__builtin_ctz(left));
		const u32 to = find_address(g->code, address);
		const s32 distance = (s32)to - (s32)(i - g->insns);
		u32 n = 0;
		if (to == NO_OPERAND)
			return false;
		same = 0;
		for (u32 l = 0; l < WARP_LANES; l++)
			same |= (u32)(left >> l & 1 && lane_target(i, list, rows, base, l) == address) << l;
		while (n < ways->count && ways->distance[n] != distance)
			n++;
		if (n == GANG_WAYS)
			return false;
		if (n == ways->count) {
			memset(ways->lanes + n, 0, sizeof *ways->lanes);
			ways->distance[ways->count++] = distance;
		}
		ways->lanes[n][warp] |= same;
	}
	return true;
}

/* A gang splits only where every lane of it takes the branch: guards that hold for some are rare on an indirect
 * jump. */
GANG_FUNCTION(brx)
{
	const u32 distance = g->code->operands[(u32)i->imm + 3];
	struct gang_ways ways = {.count = 0};
	u32 taken[GANG_WARPS];
	const struct agreement of = gang_taken(g, i, taken);

	if (of.any && of.rest)
		return gang_part(g, i, 0);
	for (u32 k = 0; k < g->count; k++)
		if (!add_ways(g, i, &ways, k, g->rows + k * g->stride, taken[k]))
			return gang_part(g, i, 0);
	if (ways.count > 1)
		return gang_diverge_ways(g, i, &ways, distance ? i + (s32)distance : NULL);
	gang_account_branch(g, i);
	if (!ways.count)
		return i + 1;
	const struct insn *target = i + ways.distance[0];
	return target <= i ? gang_back(g, i, target) : target;
}
MEANING_GANG(brx);

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
GANG_FUNCTION(ends)
{
	u32 taken[GANG_WARPS];
	const struct agreement of = gang_taken(g, i, taken);

	if (!of.rest)
		return gang_exit(g, i);
	if (of.any)
		return gang_exit_some(g, i, taken);
	gang_account(g, i);
	return i + 1;
}
MEANING_GANG(ends);

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
	u32 *barrier = ROW_OF(u32, i->d);

	u32 lanes[WARP_LANES] __attribute__((aligned(64)));

	(void)w;
	EACH_LANE
		lanes[l] = mask;
	write_lanes(barrier, lanes, mask);
	return i + 1;
}
MEANING_EACH(bssy);

MEANING_FUNCTION(bsync)
{
	const u32 taken = TAKEN;

	if (!taken) {
		warp_account(w, i);
		return i + 1;
	}
	if (taken != mask)
		warp_split(w, mask & ~taken, i + 1);
	return warp_converge(w, i, (s32)i->d, 0, i + 1);
}
GANG_FUNCTION(bsync)
{
	u32 taken[GANG_WARPS];
	const struct agreement of = gang_taken(g, i, taken);

	if (of.any && of.rest)
		return gang_part(g, i, 0);
	if (of.any)
		return gang_converge(g, i);
	gang_account(g, i);
	return i + 1;
}
MEANING_GANG(bsync);

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

/* Whether the running lanes of a warp name one mask, and no others that live. */
static bool meets_at_once(const struct insn *i, const struct warp *w, const u8 *rows, u32 mask)
{
	const u32 *masks = ROW_OF(u32, i->d);
	u32 wanted = i->c & 1 ? FULL_MASK : 0;

	for (u32 left = i->c & 1 ? 0 : mask; left; left &= left - 1) {
		wanted |= masks[__builtin_ctz(left)];
		if (i->c & 2 && masks[__builtin_ctz(left)] != masks[__builtin_ctz(mask)])
			return false;
	}
	return !(wanted & w->live & ~mask);
}

GANG_FUNCTION(warpsync)
{
	u32 taken[GANG_WARPS];
	const struct agreement of = gang_taken(g, i, taken);

	if (of.any && of.rest)
		return gang_part(g, i, 0);
	for (u32 k = 0; k < g->count; k++)
		if (taken[k] && !meets_at_once(i, &g->warps[k], g->rows + k * g->stride, taken[k]))
			return gang_part(g, i, 0);
	gang_account(g, i);
	return of.any ? i + i->imm : i + 1;
}
MEANING_GANG(warpsync);

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

/* BREAK: the lanes are no more among those that meet at the barrier in row d. Returns those that were to meet. */
static u32 leave_barrier(u32 *barrier, u32 lanes)
{
	u32 others = 0;

	for (u32 left = lanes; left; left &= left - 1)
		others |= barrier[__builtin_ctz(left)];
	EACH_LANE
		barrier[l] &= others & lane_bit[l] ? ~lanes : FULL_MASK;
	return others;
}
MEANING_FUNCTION(leave)
{
	const u32 taken = TAKEN;

	warp_account(w, i);
	leave_barrier(ROW_OF(u32, i->d), taken);
	converge_recheck(w);
	return i + 1;
}
GANG_FUNCTION(leave)
{
	u32 taken[GANG_WARPS];

	gang_taken(g, i, taken);
	gang_account(g, i);
	for (u32 k = 0; k < g->count; k++) {
		u8 *rows = g->rows + k * g->stride;
		if (taken[k])
			gang_leave(g, i->d, k, leave_barrier(ROW_OF(u32, i->d), taken[k]), taken[k]);
	}
	return i + 1;
}
MEANING_GANG(leave);

/* The turn goes on: one that ended here would end before the loop around it has come round often enough to be found
 * waiting (SPIN_TURNS). */
MEANING_FUNCTION(yield)
{
	(void)rows;
	(void)mask;
	warp_account(w, i);
	return w->ready_head ? converge_stand_back(w, i + 1) : i + 1;
}
GANG_FUNCTION(yield)
{
	if (g->split)
		return gang_part(g, i, 0);
	gang_account(g, i);
	return i + 1;
}
MEANING_GANG(yield);

/* --- Quads ---------------------------------------------------------------------------------- */

/* The lanes of all quads of which some are set. */
static inline u32 quads_of(u32 lanes) { return ((lanes | lanes >> 1 | lanes >> 2 | lanes >> 3) & 0x11111111) * 15; }

/* For what a quad's lanes tell one another, those that do not run, or have ended, help: they execute what follows, up to
 * `help_ends`, and then have what they had. a: the mask of those that run, c: what is kept, imm: how many registers. */
MEANING_FUNCTION(help)
{
	const u32 own = ROW_OF(u32, i->a)[__builtin_ctz(mask)];
	u8 *kept = rows + i->c;

	memcpy(kept + MACHINE_KEPT_LANES, &mask, sizeof mask);
	if (!(quads_of(own) & ~mask))
		return i + 1;
	memcpy(kept, rows, MACHINE_KEPT_PREDICATES);
	memcpy(kept + WARP_LANES * 4, rows + MACHINE_FIRST_REGISTER, (size_t)i->imm * WARP_LANES * 4);
	w->mask = mask | quads_of(own);
	return i + 1;
}
GANG_FUNCTION(help)
{
	for (u32 k = 0; k < g->count; k++) {
		u8 *rows = g->rows + k * g->stride;
		const u32 mask = g->on ? g->warps[k].mask : FULL_MASK;
		if (mask && quads_of(ROW_OF(u32, i->a)[__builtin_ctz(mask)]) & ~mask)
			return gang_part(g, i, 0);
		memcpy(rows + i->c + MACHINE_KEPT_LANES, &mask, sizeof mask);
	}
	return i + 1;
}
MEANING_GANG(help);

MEANING_FUNCTION(help_ends)
{
	const u8 *kept = rows + i->c;
	u32 own, helpers;

	memcpy(&own, kept + MACHINE_KEPT_LANES, sizeof own);
	helpers = mask & ~own;
	for (u32 at = 0; helpers && at < MACHINE_KEPT_PREDICATES; at += 4)
		pred_write(rows, at, helpers, *(const u32 *)(const void *)(kept + at));
	for (s32 r = 0; helpers && r < i->imm; r++)
		write_lanes((u32 *)(void *)(rows + MACHINE_FIRST_REGISTER + (size_t)r * WARP_LANES * 4),
			    (const u32 *)(const void *)(kept + (size_t)(r + 1) * WARP_LANES * 4), helpers);
	w->mask = own;
	return i + 1;
}
/* No lanes of a gang help. */
GANG_FUNCTION(help_ends)
{
	(void)g;
	return i + 1;
}
MEANING_GANG(help_ends);

/* d: what the first of each quad's lanes has in row a that ran before `help`, which kept the rows from c on. */
MEANING_FUNCTION(quad_lead)
{
	const u32 *from = ROW_OF(u32, i->a);
	u32 value[WARP_LANES] __attribute__((aligned(64))), own;

	(void)w;
	memcpy(&own, rows + i->c + MACHINE_KEPT_LANES, sizeof own);
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u32 quad = own >> (l & ~3u) & 15;
		value[l] = from[quad ? (l & ~3u) + (u32)__builtin_ctz(quad) : l];
	}
	write_lanes(ROW_OF(u32, i->d), value, mask);
	return i + 1;
}
MEANING_EACH(quad_lead);

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
GANG_FUNCTION(apart)
{
	u32 taken[GANG_WARPS];
	const struct agreement of = gang_taken(g, i, taken);

	if (of.any && of.rest)
		return gang_part(g, i, 0);
	gang_account(g, i);
	return of.any ? i + 1 : i + i->imm;
}
MEANING_GANG(apart);

/* A function that the system supplies: calls[c] of the code. */
MEANING_FUNCTION(system_call)
{
	const struct insn *next = external_call(w, i, rows, mask, &w->frame->code->calls[i->c]);

	return next;
}
MEANING(system_call);

const struct machine_entry SEM_NAME(machine_control)[] = {
	ENTRY(all),       ENTRY(one),   ENTRY(collect),     ENTRY(disperse),      ENTRY(bra),       ENTRY(bra_div),
	ENTRY(brx),       ENTRY(ends),  ENTRY(end),         ENTRY(bssy),          ENTRY(bsync),     ENTRY(warpsync),
	ENTRY(leave),     ENTRY(yield), ENTRY(trap),        ENTRY(help),          ENTRY(help_ends), ENTRY(quad_lead),
	ENTRY(not_known), ENTRY(apart), ENTRY(system_call), {MACHINE_COUNT, NULL}};
