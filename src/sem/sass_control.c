/* SPDX-License-Identifier: Apache-2.0
 *
 * SASS: control flow and barriers, and the internal meanings that lowering puts beside
 * instructions. Of a branch on which lanes part, those that do not take it go on first, and the
 * others wait on the stack: which go first on the machine is not stated anywhere.
 */
#include "sem/sass.h"

enum { AUX_SPIN = 2, SPIN_TURNS = 24 };

/* Lanes for which the instruction's guard holds. */
#define TAKEN (mask & PRED_SOURCE(i, i->a, 0))

/* --- Internal ------------------------------------------------------------------------------- */

/* aux bit 0: a pair, whose lower word is copied; bit 1: the absolute value of an integer. */
MEANING_FUNCTION(modify)
{
	const bool pair = i->aux & 1;
	const u32 *from = ROW_OF(u32, i->a);
	u32 *to = ROW_OF(u32, i->d);

	(void)w;
	(void)mask;
	if (pair) {
		EACH_LANE
			to[l] = from[l];
		from += WARP_LANES;
		to += WARP_LANES;
	}
	const u32 and = i->b, xor = i->c, add = (u32)i->imm;
	if (i->aux & 2)
		EACH_LANE
			to[l] = (((s32)from[l] < 0 ? 0 - from[l] : from[l]) ^ xor) + add;
	else
		EACH_LANE
			to[l] = ((from[l] & and) ^ xor) + add;
	return i + 1;
}
MEANING(modify);

MEANING_FUNCTION(pair)
{
	const u32 *from = ROW_OF(u32, i->a);
	u64 *to = ROW_OF(u64, i->d);

	(void)w;
	(void)mask;
	EACH_LANE
		to[l] = from[l] | (u64)from[l + WARP_LANES] << 32;
	return i + 1;
}
MEANING(pair);

MEANING_FUNCTION(condition)
{
	(void)w;
	(void)mask;
	PRED_OF(i->d) = PRED_SOURCE(i, i->a, 0) & condition_holds(rows, (enum sass_condition)i->b);
	return i + 1;
}
MEANING(condition);

MEANING_FUNCTION(join) { return stack_leave(w, i - 1, STACK_JOIN, TAKEN, i + 1); }
MEANING(join);

MEANING_FUNCTION(end)
{
	(void)rows;
	return warp_fault(w, i - 1, FAULT_BAD_PC, mask, "lanes run past the function's last instruction");
}
MEANING(end);

/* --- Branches ------------------------------------------------------------------------------- */

static inline const struct insn *jump_back(struct warp *w, const struct insn *i, const struct insn *to)
{
	if (i->aux & AUX_SPIN ? ++w->spins >= SPIN_TURNS : w->budget <= 0)
		return warp_yield(w, to);
	return to;
}

MEANING_FUNCTION(bra)
{
	const u32 taken = TAKEN;
	const struct insn *to = i + i->imm, *next = i + 1;

	w->branches++;
	warp_account(w, i);
	if (taken == mask)
		next = to;
	else if (taken) {
		w->divergent_branches++;
		if (!stack_push(w, i, STACK_DIVERGED, taken, to))
			return NULL;
		w->mask &= ~taken;
	}
	return taken && i->imm <= 0 ? jump_back(w, i, next) : next;
}
MEANING(bra);

/* Where the code has an instruction at `address`, or NULL. */
static const struct insn *find_address(const struct warp *w, u32 address)
{
	const struct code *code = w->frame->code;
	u32 index;

	return ir_find_address(code->function, address, &index) ? grid_entry(w->grid, code) + code->starts[index]
								: NULL;
}

/* Lanes that go elsewhere than the lowest wait on the stack, by target. */
MEANING_FUNCTION(brx)
{
	const u32 *base = ROW_OF(u32, i->b);
	const u32 taken = TAKEN, start = (i->c ? i->d : 0) + (u32)i->imm;
	const struct insn *first = NULL;
	u32 running = 0;

	w->branches++;
	warp_account(w, i);
	if (taken != mask && taken && !stack_push(w, i, STACK_DIVERGED, mask & ~taken, i + 1))
		return NULL;
	for (u32 left = taken; left;) {
		const u32 lane = (u32)__builtin_ctz(left), address = start + base[lane];
		const struct insn *to = find_address(w, address);
		u32 same = 0;
		if (!to)
			return warp_fault(w, i, FAULT_BAD_PC, 1u << lane, "0x%x is not an instruction's address",
					  address);
		for (u32 l = lane; l < WARP_LANES; l++)
			same |= (u32)(left >> l & 1 && base[l] == base[lane]) << l;
		left &= ~same;
		if (!first) {
			first = to;
			running = same;
		} else if (!stack_push(w, i, STACK_DIVERGED, same, to)) {
			return NULL;
		}
	}
	w->divergent_branches += running != mask && taken;
	if (!taken)
		return i + 1;
	w->mask = running;
	return first <= i ? jump_back(w, i, first) : first;
}
static u32 word_relative(const struct form *f) { return f->row->form[0] == 'B'; }
MEANING_WORD(brx, word_relative);

/* --- The stack ------------------------------------------------------------------------------ */

#define PUSH(NAME, KIND)                                                                \
	MEANING_FUNCTION(NAME)                                                          \
	{                                                                               \
		const bool any = TAKEN;                                                 \
		warp_account(w, i);                                                     \
		return !any || stack_push(w, i, KIND, mask, i + i->imm) ? i + 1 : NULL; \
	}                                                                               \
	MEANING(NAME);
PUSH(ssy, STACK_JOIN)
PUSH(pbk, STACK_BREAK)
PUSH(pcnt, STACK_CONTINUE)
PUSH(pret, STACK_RETURN)

#define LEAVE(NAME, KIND)                                                                        \
	MEANING_FUNCTION(NAME)                                                                   \
	{                                                                                        \
		const u32 taken = TAKEN;                                                         \
		warp_account(w, i);                                                              \
		const struct insn *next = stack_leave(w, i, KIND, taken, i + 1);                 \
		const bool tired = w->budget <= 0 || (w->lock_loop && ++w->spins >= SPIN_TURNS); \
		return next && next <= i && tired ? warp_yield(w, next) : next;                  \
	}                                                                                        \
	MEANING(NAME);
LEAVE(brk, STACK_BREAK)
LEAVE(cont, STACK_CONTINUE)

/* word: the return address is pushed here, and not by a PRET before. */
MEANING_FUNCTION(cal)
{
	const u32 taken = TAKEN;

	warp_account(w, i);
	if (!taken)
		return i + 1;
	if (taken != mask && !stack_push(w, i, STACK_DIVERGED, mask & ~taken, i + 1))
		return NULL;
	w->mask = taken;
	if (i->c && !stack_push(w, i, STACK_RETURN, taken, i + 1))
		return NULL;
	return w->budget <= 0 ? warp_yield(w, i + i->imm) : i + i->imm;
}
static u32 word_pushes(const struct form *f) { return !form_has_word(f, "NOINC"); }
MEANING_WORD(cal, word_pushes);

MEANING_FUNCTION(leave)
{
	const u32 taken = TAKEN;

	warp_account(w, i);
	return stack_exit(w, i, taken, i + 1);
}
MEANING(leave);

/* Outside of calls the thread ends. */
MEANING_FUNCTION(ret)
{
	const u32 taken = TAKEN;

	warp_account(w, i);
	return stack_has(w, STACK_RETURN) ? stack_leave(w, i, STACK_RETURN, taken, i + 1)
					  : stack_exit(w, i, taken, i + 1);
}
MEANING(ret);

MEANING_FUNCTION(bpt)
{
	const u32 taken = TAKEN;

	warp_account(w, i);
	if (!taken || i->c == 1)
		return i + 1;
	return warp_fault(w, i, i->c == 2 ? FAULT_TRAP : FAULT_BREAKPOINT, taken, NULL);
}
static u32 word_bpt(const struct form *f) { return form_has_word(f, "DRAIN") ? 1 : form_has_word(f, "TRAP") ? 2 : 0; }
MEANING_WORD(bpt, word_bpt);

MEANING_FUNCTION(nop)
{
	(void)rows;
	(void)mask;
	(void)w;
	return i + 1;
}
MEANING(nop);

/* --- Barriers ------------------------------------------------------------------------------- */

/* A warp arrives as a whole if any of its lanes does. word: 0 and 1 wait and arrive; 2 to 4 reduce. */
MEANING_FUNCTION(bar)
{
	const u32 *list = warp_operands(w, i);
	const u32 taken = TAKEN, lane = (u32)__builtin_ctz(mask), source = PRED_SOURCE(i, list[SASS_S], 2);
	const u32 number = ROW_OF(u32, list[SASS_B])[lane], threads = ROW_OF(u32, list[SASS_C])[lane];

	if (!taken) {
		warp_account(w, i);
		return i + 1;
	}
	switch (i->c) {
	case 0:
		return block_barrier(w, i, number, threads, true, BARRIER_NONE, 0);
	case 1:
		return block_barrier(w, i, number, threads, false, BARRIER_NONE, 0);
	case 2:
		return block_barrier(w, i, number, threads, true, BARRIER_POPC, source & taken);
	case 3:
		return block_barrier(w, i, number, threads, true, BARRIER_AND, source | ~taken);
	default:
		return block_barrier(w, i, number, threads, true, BARRIER_OR, source & taken);
	}
}
static u32 word_bar(const struct form *f)
{
	return form_has_word(f, "ARV")    ? 1
	       : form_has_word(f, "POPC") ? 2
	       : form_has_word(f, "AND")  ? 3
	       : form_has_word(f, "OR")   ? 4
					  : 0;
}
MEANING_WORD(bar, word_bar);

MEANING_FUNCTION(membar)
{
	(void)rows;
	(void)mask;
	if (grid_shares_memory(w->grid))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return i + 1;
}
MEANING(membar);

/* --- Rows ----------------------------------------------------------------------------------- */

PICK_SASS(modify, &modify)
PICK_SASS(pair, &pair)
PICK_SASS(condition, &condition)
PICK_SASS(join, &join)
PICK_SASS(end, &end)
PICK_SASS(bra, &bra)
PICK_SASS(brx, &brx)
PICK_SASS(ssy, &ssy)
PICK_SASS(pbk, &pbk)
PICK_SASS(pcnt, &pcnt)
PICK_SASS(pret, &pret)
PICK_SASS(brk, &brk)
PICK_SASS(cont, &cont)
PICK_SASS(cal, &cal)
PICK_SASS(ret, &ret)
PICK_SASS(leave, &leave)
PICK_SASS(bpt, &bpt)
PICK_SASS(nop, &nop)
PICK_SASS(bar, &bar)
PICK_SASS(membar, &membar)

static const struct isa_row rows_internal[] = {
	FERMI("%modify", "", 0, pick_modify, "Changes the signs of a source."),
	FERMI("%pair", "", 0, pick_pair, "Puts a pair together that is an address."),
	FERMI("%condition", "", 0, pick_condition, "Folds a condition into a guard."),
	FERMI("%join", "", 0, pick_join, "Takes lanes to the join."),
	FERMI("%end", "", 0, pick_end, "Stops what runs past the end."),
};
FAMILY(sass_internal, "", CLASS_MISC, rows_internal);

static const struct isa_row rows_control[] = {
	FERMI("BRA[.U][.LMT]", "?Q L", SASS_CONTROL | ISA_BRANCH, pick_bra, "Branches."),
	FERMI("JMP[.U][.LMT]", "?Q L", SASS_CONTROL | ISA_BRANCH, pick_bra, "Branches to an absolute address."),
	FERMI("BRX[.LMT]", "A", SASS_CONTROL | ISA_BRANCH | ISA_INDIRECT, pick_brx,
	      "Branches by a register, relative to the next instruction."),
	FERMI("BRX[.LMT]", "R", SASS_CONTROL | ISA_BRANCH | ISA_INDIRECT, pick_brx,
	      "Branches by a register, relative to the next instruction."),
	FERMI("JMX[.LMT]", "A", SASS_CONTROL | ISA_BRANCH | ISA_INDIRECT, pick_brx,
	      "Branches to the address in a register."),
	FERMI("JMX[.LMT]", "R", SASS_CONTROL | ISA_BRANCH | ISA_INDIRECT, pick_brx,
	      "Branches to the address in a register."),
	FERMI("SSY", "L", SASS_CONTROL, pick_ssy, "Puts a join on the stack."),
	FERMI("PBK", "L", SASS_CONTROL, pick_pbk, "Puts the target of BRK on the stack."),
	FERMI("PCNT", "L", SASS_CONTROL, pick_pcnt, "Puts the target of CONT on the stack."),
	FERMI("PRET[.NOINC]", "L", SASS_CONTROL, pick_pret, "Puts the target of RET on the stack."),
	FERMI("BRK", "?Q", SASS_CONTROL, pick_brk, "Leaves for the newest PBK's target."),
	FERMI("CONT", "?Q", SASS_CONTROL, pick_cont, "Leaves for the newest PCNT's target."),
	FERMI("CAL[.NOINC]", "L", SASS_CONTROL, pick_cal,
	      "Calls. The return address is put on the stack, with .NOINC by a PRET before."),
	FERMI("JCAL[.NOINC]", "L", SASS_CONTROL, pick_cal, "Calls an absolute address."),
	FERMI("RET", "?Q", SASS_CONTROL | ISA_RET, pick_ret, "Returns; outside of calls, ends the thread."),
	FERMI("EXIT", "?Q", SASS_CONTROL | ISA_EXIT, pick_leave, "Ends the thread."),
	FERMI("KIL", "?Q", SASS_CONTROL | ISA_EXIT, pick_leave, "Ends the thread."),
	FERMI("BPT[.DRAIN|.TRAP|.INT|.CAL|.PAUSE]", "?I", SASS_CONTROL, pick_bpt,
	      "Stops for the debugger, or with an error."),
	FERMI("NOP[.TRIG|.FMUL|.TEX|.INTER|.OUTER]", "?Q ?I", 0, pick_nop,
	      "Does nothing; .S behind it goes to the join."),
};
FAMILY(sass_control, "SASS: control flow", CLASS_CONTROL, rows_control);

static const struct isa_row rows_barrier[] = {
	FERMI("BAR.SYNC", "S ?S", SASS_CONTROL | WITH(TRAIT_BARRIER), pick_bar, "Waits for the threads of the block."),
	FERMI("BAR.ARV", "S S", SASS_CONTROL | WITH(TRAIT_BARRIER), pick_bar,
	      "Counts as arrived at a barrier, and goes on."),
	FERMI("BAR.RED.POPC", "D S ?S ?p", SASS_CONTROL | WITH(TRAIT_BARRIER), pick_bar,
	      "Waits, and counts the threads where a predicate holds."),
	FERMI("BAR.RED.POPC", "D S p", SASS_CONTROL | WITH(TRAIT_BARRIER), pick_bar,
	      "Waits, and counts the threads where a predicate holds."),
	FERMI("BAR.RED(.AND|.OR)", "P S ?S ?p", SASS_CONTROL | WITH(TRAIT_BARRIER), pick_bar,
	      "Waits, and combines a predicate over the threads."),
	FERMI("BAR.RED(.AND|.OR)", "P S p", SASS_CONTROL | WITH(TRAIT_BARRIER), pick_bar,
	      "Waits, and combines a predicate over the threads."),
	FERMI("MEMBAR(.CTA|.GL|.SYS)", "", 0, pick_membar, "Orders memory accesses."),
};
FAMILY(sass_barrier, "SASS: barriers", CLASS_BARRIER, rows_barrier);
