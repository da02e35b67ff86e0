/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds a region's function. Rows that the region writes live in one array on the stack, which meanings are inlined
 * upon and LLVM takes apart into registers; rows that it only reads are read from the frame at each use. The array is
 * filled at the entrance, and written back to the frame on every way out, as far as rows are live there.
 *
 * For a region of two blocks with a branch back, for example:
 *
 *  entrance     rows that enter: frame -> array; counters to variables
 *  arrive 0     lanes that have come to a join wait for the others     (only if lanes may part)
 *  body 0       instruction by instruction: the meaning's function, to be inlined, on the array
 *               memory: fast way inlined; where it gives up, native_call runs the interpreter's handler on the frame
 *  ...          branch: all lanes, none, or some: native_part keeps one part for later
 *  arrive 1 ... body 1 ... back to arrive 0, if there is budget left; else out: NATIVE_SPENT
 *  meet         lanes that have met go on where native_meet says
 *  end          rows that leave: array -> frame; NATIVE_DONE
 *
 * Every way out writes back the rows that are live there, so that the interpreter can go on at any of them.
 */
#include "native/llvm/emission.h"

#include "sem/native_proven.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROW_ALIGN = 64,
	KEEPS_NO_REGISTERS = 21 /* LLVM's number of preserve_none, in which native_run_region (keep.c) calls regions */
};

/* --- Rows --------------------------------------------------------------------------------------- */

void mark_constant(struct emission *e, LLVMValueRef load)
{
	LLVMSetMetadata(load, e->invariant, LLVMMetadataAsValue(e->c, LLVMMDNodeInContext2(e->c, NULL, 0)));
}

void copy(struct emission *e, LLVMValueRef to, LLVMValueRef from, u32 bits, bool never_written)
{
	const u32 piece = bits == 1 ? 4 : e->vector_bytes;
	LLVMTypeRef type = bits == 1    ? e->i32
			   : bits == 32 ? LLVMVectorType(e->i32, piece / 4)
					: LLVMVectorType(e->i64, piece / 8);

	for (u32 k = 0; k < row_bytes(bits); k += piece) {
		LLVMValueRef v = get(e, type, at(e, from, k));
		LLVMSetAlignment(v, bits == 1 ? 4 : piece);
		if (never_written)
			mark_constant(e, v);
		LLVMSetAlignment(LLVMBuildStore(e->b, v, at(e, to, k)), bits == 1 ? 4 : piece);
	}
}

LLVMValueRef splat(struct emission *e, LLVMValueRef value, u32 count)
{
	LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(value), count);
	LLVMValueRef one = LLVMBuildInsertElement(e->b, LLVMGetPoison(type), value, word(e, 0), "");

	return LLVMBuildShuffleVector(e->b, one, LLVMGetPoison(type), LLVMConstNull(LLVMVectorType(e->i32, count)), "");
}

/* A constant, in the row's slot. LLVM must not see those of floating-point operations: it folds them, to the nearest
 * and without flushing. */
static void put_constant(struct emission *e, u32 row, bool hidden)
{
	const struct region_row *x = &e->r->rows[row];
	LLVMTypeRef type = x->bits == 64 ? e->i64 : e->i32;

	if (x->bits == 1) {
		LLVMBuildStore(e->b, word(e, x->value ? FULL_MASK : 0), slot(e, row));
		return;
	}
	LLVMValueRef value = hidden ? get(e, type, place(e, row)) : LLVMConstInt(type, x->value, false);
	if (hidden)
		mark_constant(e, value);
	LLVMValueRef all = splat(e, value, e->vector_bytes * 8 / x->bits);
	for (u32 k = 0; k < row_bytes(x->bits); k += e->vector_bytes)
		LLVMSetAlignment(LLVMBuildStore(e->b, all, at(e, slot(e, row), k)), e->vector_bytes);
}

static void fetch_row(struct emission *e, u32 row, bool of_floats)
{
	const struct region_row *r = &e->r->rows[row];

	if (r->scaled)
		put_scaled(e, slot(e, row), row);
	else if (is_kept_as_first(e, row) || (r->affine && !r->step && r->bits > 1))
		put_affine(e, slot(e, row), row);
	else if (r->constant)
		put_constant(e, row, of_floats);
	else if (!r->written)
		copy(e, slot(e, row), place(e, row), r->bits, true);
}

/* Operands that have no slot of their own: rows that the region does not write, affine ones, and scaled ones but by_index. Then the base
 * of the access that x says the way of, too. */
static void fetch(struct emission *e, const struct region_insn *x, bool by_index)
{
	for (u32 o = 0; o < x->operand_count; o++)
		if (x->operands[o].read && !(e->r->rows[x->operands[o].row].scaled && by_index))
			fetch_row(e, x->operands[o].row, x->of_floats);
	if (by_index && knows_ahead(e, x))
		fetch_row(e, e->r->rows[address_row(x->ahead)].base, false);
}

static LLVMValueRef predicate(struct emission *e, u32 row, bool negated)
{
	LLVMValueRef p;

	if (is_kept_as_first(e, row) || !e->r->rows[row].written)
		p = first_of(e, row);
	else
		p = get(e, e->i32, slot(e, row));
	return negated ? LLVMBuildNot(e->b, p, "") : p;
}

/* --- Ways out ----------------------------------------------------------------------------------- */

void leave(struct emission *e, enum native_exit how, u32 insn, LLVMValueRef mask)
{
	put_place(e, insn, mask);
	LLVMBuildStore(e->b, word(e, how), e->how);
	LLVMBuildBr(e->b, e->out);
}

/* Returns, for all ways out together. LLVM moves arithmetic into a block that ends the function, from before all accesses, and what these
 * have loaded would have to wait for it in memory: so the block where the last results are stored ends in a branch, which always goes
 * the same way. */
static void emit_out(struct emission *e)
{
	LLVMBasicBlockRef returns = new_block(e, "returns"), never = new_block(e, "never");

	go_to(e, e->out);
	LLVMValueRef stack = get(e, e->ptr, run_field(e, offsetof(struct native_run, stack)));
	LLVMSetVolatile(stack, true);
	branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, stack, LLVMConstNull(e->ptr), ""), never, returns, true);
	go_to(e, never);
	LLVMBuildRet(e->b, word(e, NATIVE_STOP));
	go_to(e, returns);
	LLVMBuildRet(e->b, get(e, e->i32, e->how));
}

void write_back(struct emission *e, u32 row)
{
	if (e->r->rows[row].scaled)
		put_scaled(e, place(e, row), row);
	else if (is_kept_as_first(e, row))
		put_affine(e, place(e, row), row);
	else
		copy(e, place(e, row), slot(e, row), e->r->rows[row].bits, false);
}

/* Writes live rows back to the frame. NULL: none are. */
void keep_rows(struct emission *e, const u64 *live)
{
	for (u32 row = 0; row < e->r->row_count; row++)
		if (live && row_in(live, row))
			write_back(e, row);
}

/* A row at equal distances takes two stores so, and several for each register otherwise. */
void keep_rows_behind(struct emission *e, const u64 *live)
{
	u32 left = 0;

	for (u32 row = 0; row < e->r->row_count; row++)
		if (!live || !row_in(live, row))
			continue;
		else if (left < NATIVE_ALONG && can_leave_affine(e, row))
			leave_affine(e, row, left++);
		else
			write_back(e, row);
	if (left)
		LLVMBuildStore(e->b, word(e, left), run_field(e, offsetof(struct native_run, along_count)));
}

/* --- Instructions ------------------------------------------------------------------------------- */

static bool reads_row(const struct region_insn *x, u32 row)
{
	for (u32 o = 0; o < x->operand_count; o++)
		if (x->operands[o].read && x->operands[o].row == row)
			return true;
	return false;
}

/* An access leaves lanes that do not run as they are. Where nobody wants them, they must not bring what the row held before from block
 * to block. */
static void clear_results(struct emission *e, const struct region_insn *x)
{
	for (u32 o = 0; o < x->operand_count; o++) {
		const u32 row = x->operands[o].row, bits = e->r->rows[row].bits;
		if (!x->operands[o].written || bits == 1 || reads_row(x, row))
			continue;
		LLVMValueRef none = LLVMConstNull(LLVMVectorType(e->i32, e->vector_bytes / 4));
		for (u32 k = 0; k < row_bytes(bits); k += e->vector_bytes)
			LLVMSetAlignment(LLVMBuildStore(e->b, none, at(e, slot(e, row), k)), e->vector_bytes);
	}
}

/* Whether the access, by a row that is known, holds those lanes alone against memory that run. */
static bool asks_who_runs(const struct emission *e, const struct region_insn *x)
{
	const u32 row = x->moves ? address_row(x) : NO_OPERAND;

	return row != NO_OPERAND && proven_by_some(x->proven, e->r->rows[row].bits == 64);
}

/* The lanes for which an access is made in line. Lanes that take no part read, too, if nobody wants what they had in the row that is loaded,
 * and the place of each is known from the first: all of them are held against one range, whichever run. */
static LLVMValueRef lanes_in_line(struct emission *e, const struct region_insn *x, LLVMValueRef mask)
{
	bool loads = false;

	for (u32 o = 0; o < x->operand_count; o++)
		loads |= x->operands[o].written;
	const bool known = x->moves && x->proven && x->proven != PROVEN_ALONG && !asks_who_runs(e, x);
	return loads && known && !x->merges ? word(e, FULL_MASK) : mask;
}

/* An access whose fast way gives up returns NULL: then the handler does it, rarely, with all registers kept. */
static void emit_inline(struct emission *e, const struct region_insn *x, const struct meaning_function *m,
			LLVMValueRef mask, u32 number)
{
	const bool by_index = m->scales && is_by_index(e, x);
	LLVMValueRef args[] = {m->needs_warp ? e->warp : LLVMGetPoison(e->ptr), insn_constant(e, x, by_index), e->array,
			       lanes_in_line(e, x, mask)};
	LLVMTypeRef type = LLVMGlobalGetValueType(m->function);

	fetch(e, x, by_index);
	if (x->accesses && !x->merges &&
	    (x->proven == PROVEN_NOTHING || x->proven == PROVEN_ALONG || asks_who_runs(e, x)))
		clear_results(e, x);
	if (x->affine)
		fetch_firsts(e, x);
	if (x->finds_spot)
		LLVMBuildStore(e->b, LLVMConstNull(e->ptr), at(e, e->array, spot_offset(e, x)));
	LLVMValueRef next = LLVMBuildCall2(e->b, type, m->function, args, 4, "");
	if (!x->accesses)
		return;
	LLVMBasicBlockRef slow = new_block(e, "slow"), go_on = new_block(e, "accessed");
	branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, next, LLVMConstNull(e->ptr), ""), slow, go_on, true);
	go_to(e, slow);
	if (x->leaves) {
		leave_before(e, x, number);
	} else {
		call_handler(e, x, mask, number, true);
		LLVMBuildBr(e->b, go_on);
	}
	go_to(e, go_on);
}

/* Where lanes exchange values while some are elsewhere, the interpreter goes on. */
static void emit_gathering(struct emission *e, const struct region_insn *x, u32 number)
{
	LLVMBasicBlockRef apart = new_block(e, "apart"), all = new_block(e, "together");
	LLVMValueRef mask = get(e, e->i32, e->mask);

	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, mask, word(e, FULL_MASK), ""), apart, all, true);
	go_to(e, apart);
	keep_rows_behind(e, x->live);
	leave(e, NATIVE_STOP, number, mask);
	go_to(e, all);
}

/* Where numbers of an affine row wrap around among the lanes, its step is not what it is for others: the interpreter goes on. */
static void emit_wrapping(struct emission *e, const struct region_insn *x, u32 number)
{
	LLVMValueRef wraps = wraps_around(e, x);
	LLVMBasicBlockRef stop = new_block(e, "wraps"), go_on = new_block(e, "steps");

	branch(e, wraps, stop, go_on, true);
	go_to(e, stop);
	keep_rows_behind(e, x->live);
	leave(e, NATIVE_STOP, number, get(e, e->i32, e->mask));
	go_to(e, go_on);
}

/* Whose guard holds for no lane skips the instruction, as in the interpreter. Returns the lanes that run it; *after: where the
 * others go on. */
static LLVMValueRef emit_guard(struct emission *e, const struct region_insn *x, u32 number, LLVMValueRef mask,
			       LLVMBasicBlockRef *after)
{
	LLVMBasicBlockRef some = new_block(e, "guarded"), none = *after = new_block(e, "unguarded");
	LLVMValueRef on = LLVMBuildAnd(e->b, mask, predicate(e, x->guard, x->guard_negated), "");

	if (x->whole)
		on = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntNE, on, word(e, 0), ""), word(e, FULL_MASK),
				     word(e, 0), "");
	tell(e, (enum native_telling)x->guard_told, number - 1, x->guard, mask, on);
	if (x->guard_told == NATIVE_TALLIES)
		none = new_block(e, "none");
	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, on, word(e, 0), ""), some, none, false);
	if (none != *after) {
		go_to(e, none);
		tally(e, number - 1, offsetof(struct native_tally, none), LLVMConstInt(e->i64, 1, false));
		LLVMBuildBr(e->b, *after);
	}
	go_to(e, some);
	return x->whole ? word(e, FULL_MASK) : on;
}

/* The lanes that run: all, where none can be elsewhere. */
LLVMValueRef running(struct emission *e) { return e->meet ? get(e, e->i32, e->mask) : word(e, FULL_MASK); }

static void emit_insn(struct emission *e, const struct region_insn *x, u32 number)
{
	const struct meaning_function *m = meanings_inlined(e->meanings, x);
	LLVMBasicBlockRef after = NULL;
	const bool all = x->whole || !(x->merges || x->accesses || x->told || !m);
	LLVMValueRef mask = all ? word(e, FULL_MASK) : running(e);

	if (x->together)
		emit_gathering(e, x, number);
	if (x->may_wrap)
		emit_wrapping(e, x, number);
	if (x->guard != NO_OPERAND)
		mask = emit_guard(e, x, number, mask, &after);
	tell_insn(e, x, address_row(x), mask);
	mask = x->affine ? word(e, FULL_MASK) : mask;
	if (m && !x->scales)
		emit_inline(e, x, m, mask, number);
	else if (!x->hoisted && !x->scales)
		call_handler(e, x, mask, number, false);
	if (x->affine)
		take_firsts(e, x);
	if (after) {
		LLVMBuildBr(e->b, after);
		go_to(e, after);
	}
	if (x->plain->run)
		count(e, x->plain->run, false, false);
}

/* --- Blocks ------------------------------------------------------------------------------------- */

/* Jumps to a block; upwards only while there is budget left. */
void jump(struct emission *e, u32 to, bool backward)
{
	if (!backward || to == e->r->block_count) {
		LLVMBuildBr(e->b, e->arrive[to]);
		return;
	}
	LLVMBasicBlockRef spent = new_block(e, "spent");
	LLVMValueRef left = get(e, e->i64, e->budget);
	branch(e, LLVMBuildICmp(e->b, LLVMIntSLE, left, LLVMConstNull(e->i64), ""), spent, e->arrive[to], true);
	go_to(e, spent);
	keep_rows_behind(e, e->r->blocks[to].live);
	leave(e, NATIVE_SPENT, e->r->blocks[to].at, get(e, e->i32, e->mask));
}

/* Before the branch at the block's end, which the interpreter is to run: it counts it, too. */
void leave_before_branch(struct emission *e, const struct region_block *x, LLVMValueRef mask)
{
	count(e, x->run, true, true);
	keep_rows_behind(e, x->live_end);
	if (x->end_told)
		note_told(e, x->at_end, x->at_end);
	leave(e, NATIVE_STOP, x->at_end, mask);
}

/* Lanes go different ways: those of `taken` to the target. There is room for that: ways have disjoint lanes, and a join has some of its
 * own or such a way right above it, so that of 32 lanes no more than 31 ways and as many joins come. */
_Static_assert(NATIVE_WAYS >= 2 * (WARP_LANES - 1), "a way and a join for each lane but one");
static void part(struct emission *e, const struct region_block *x, LLVMValueRef mask, LLVMValueRef taken)
{
	count_parting(e);
	LLVMValueRef args[] = {e->run, mask, taken, word(e, x->target), word(e, x->join)};
	LLVMBuildStore(e->b, call_keeping(e, e->i32, NULL, declared(e, "native_part"), args, COUNT_OF(args)), e->mask);
	LLVMBuildBr(e->b, e->arrive[x->next]);
}

/* Uniform branches cost a comparison; only lanes that differ call the runtime. */
static void emit_branch(struct emission *e, const struct region_block *x)
{
	LLVMBasicBlockRef all = new_block(e, "all"), some = x->uniform ? NULL : new_block(e, "some"),
			  parts = x->uniform ? NULL : new_block(e, "parts");
	LLVMValueRef mask = running(e);
	LLVMValueRef taken = LLVMBuildAnd(e->b, mask, predicate(e, x->condition, x->negated), "");

	if (x->second != NO_OPERAND)
		taken = LLVMBuildAnd(e->b, taken, predicate(e, x->second, x->second_negated), "");
	tell(e, (enum native_telling)x->end_told, x->at_end, x->condition, mask, taken);
	if (x->end_told == NATIVE_TALLIES)
		tell_time(e, x->at_end, mask);
	count(e, x->run, true, false);
	if (x->uniform)
		LLVMBuildCondBr(e->b,
				LLVMBuildICmp(e->b, LLVMIntNE, predicate(e, x->condition, x->negated), word(e, 0), ""),
				all, e->arrive[x->next]);
	else
		LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, taken, mask, ""), all, some);
	go_to(e, all);
	jump(e, x->target, x->backward);
	if (x->uniform)
		return;
	go_to(e, some);
	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, taken, word(e, 0), ""), parts, e->arrive[x->next], !x->parts);
	go_to(e, parts);
	if (x->end_told == NATIVE_TALLIES)
		tally(e, x->at_end, offsetof(struct native_tally, divergent), LLVMConstInt(e->i64, 1, false));
	if (!x->parts)
		leave_before_branch(e, x, mask);
	else if (e->r->of_machine)
		part_machine(e, x, mask, taken);
	else
		part(e, x, mask, taken);
}

/* Whether lanes that this branch has parted meet at block n. */
static bool meets_at(const struct region_block *x, u32 n)
{
	return x->end == REGION_BRANCH && !x->uniform && x->join == n;
}

static bool lanes_meet_at(const struct region *r, u32 n)
{
	for (u32 k = 0; k < r->block_count; k++)
		if (meets_at(&r->blocks[k], n))
			return true;
	return false;
}

/* Whether lanes that wait or run on from the join at block n may read the row. */
static bool outlives_meeting(const struct emission *e, u32 n, u32 row)
{
	const struct region *r = e->r;

	if (n == r->block_count ? r->rows[row].leaves : row_in(r->blocks[n].live, row))
		return true;
	for (u32 k = 0; k < r->block_count; k++) {
		const struct region_block *x = &r->blocks[k];
		if (!meets_at(x, n))
			continue;
		if (x->target < r->block_count && row_in(r->blocks[x->target].live, row))
			return true;
		if (r->of_machine && x->next < r->block_count && row_in(r->blocks[x->next].live, row))
			return true;
	}
	return false;
}

/* Whether the row goes from block to block. */
static bool is_carried(const struct emission *e, u32 row)
{
	for (u32 k = 0; k < e->r->block_count; k++)
		if (row_in(e->r->blocks[k].live, row))
			return true;
	return e->r->rows[row].leaves;
}

/* Has what outlives the join at block n as part of a scaled row stay. */
static void find_held(struct emission *e, u32 n)
{
	memset(e->held, 0, e->r->row_count * sizeof *e->held);
	for (u32 row = 0; row < e->r->row_count; row++)
		if (e->r->rows[row].scaled && outlives_meeting(e, n, row))
			e->held[e->r->rows[row].index] = true;
}

/* Rows that are dead where lanes meet, so that no loop which goes on from there carries them. */
void drop_rows(struct emission *e, u32 n)
{
	find_held(e, n);
	for (u32 row = 0; row < e->r->row_count; row++) {
		const u32 bits = e->r->rows[row].bits;
		if (!e->r->rows[row].written || e->r->rows[row].scaled || is_kept_as_first(e, row) ||
		    !is_carried(e, row) || e->held[row] || outlives_meeting(e, n, row))
			continue;
		const u32 piece = bits == 1 ? 4 : e->vector_bytes;
		LLVMTypeRef type = bits == 1 ? e->i32 : LLVMVectorType(e->i32, piece / 4);
		for (u32 k = 0; k < row_bytes(bits); k += piece)
			LLVMSetAlignment(LLVMBuildStore(e->b, LLVMGetPoison(type), at(e, slot(e, row), k)), piece);
	}
}

/* Before a join's block: lanes that have come this way wait for the others, if there are any. */
static void emit_arrival(struct emission *e, u32 n, bool joins)
{
	const bool counts = n < e->r->block_count && e->r->blocks[n].join_run;

	go_to(e, e->arrive[n]);
	if (joins && e->meet && e->r->of_machine) {
		arrive_machine(e, n);
		return;
	}
	if (counts)
		count(e, e->r->blocks[n].join_run, false, false);
	if (!joins || !e->meet || !lanes_meet_at(e->r, n)) {
		LLVMBuildBr(e->b, e->body[n]);
		return;
	}
	LLVMBasicBlockRef wait = new_block(e, "wait");
	LLVMValueRef join = get(e, e->i32, run_field(e, offsetof(struct native_run, join)));
	branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, join, word(e, n), ""), wait, e->body[n], false);
	go_to(e, wait);
	LLVMValueRef args[] = {e->run, get(e, e->i32, e->mask)};
	LLVMBuildStore(e->b, call_keeping(e, e->i32, NULL, declared(e, "native_meet"), args, COUNT_OF(args)), e->where);
	LLVMBuildStore(e->b, get(e, e->i32, run_field(e, offsetof(struct native_run, mask))), e->mask);
	drop_rows(e, n);
	LLVMBuildBr(e->b, e->meet);
}

static void emit_block(struct emission *e, u32 n)
{
	const struct region_block *x = &e->r->blocks[n];

	emit_arrival(e, n, x->joins);
	go_to(e, e->body[n]);
	for (u32 k = 0; k < x->insn_count; k++)
		emit_insn(e, &x->insns[k], x->insns[k].number);
	if (x->end == REGION_BRANCH) {
		emit_branch(e, x);
		return;
	}
	tell(e, (enum native_telling)x->end_told, x->at_end, NO_OPERAND, get(e, e->i32, e->mask), NULL);
	if (x->end_told == NATIVE_TALLIES)
		tell_time(e, x->at_end, get(e, e->i32, e->mask));
	if (x->run)
		count(e, x->run, x->end == REGION_JUMP, false);
	jump(e, x->end == REGION_JUMP ? x->target : x->next, x->end == REGION_JUMP && x->backward);
}

static void emit_end(struct emission *e)
{
	const u32 n = e->r->block_count;

	emit_arrival(e, n, !e->r->of_machine);
	go_to(e, e->body[n]);
	if (e->r->of_machine && e->meet)
		end_machine(e);
	for (u32 row = 0; row < e->r->row_count; row++)
		if (e->r->rows[row].leaves)
			write_back(e, row);
	end_warp(e);
	leave(e, NATIVE_DONE, e->r->end, get(e, e->i32, e->mask));
}

static void emit_meet(struct emission *e)
{
	LLVMBasicBlockRef never = new_block(e, "never");
	const u32 count_ = e->r->block_count;

	go_to(e, never);
	LLVMBuildUnreachable(e->b);
	if (!e->meet)
		return;
	go_to(e, e->meet);
	LLVMValueRef way = LLVMBuildSwitch(e->b, get(e, e->i32, e->where), never, count_);
	for (u32 n = 0; n <= count_; n++) {
		bool joins = false, starts = false;
		for (u32 k = 0; k < count_; k++) {
			const struct region_block *x = &e->r->blocks[k];
			joins |= meets_at(x, n);
			if (e->r->of_machine)
				starts |= x->end == REGION_BRANCH && x->parts && (x->target == n || x->next == n);
			else
				starts |= x->end == REGION_BRANCH && !x->uniform && x->target == n && x->join != n;
		}
		if (joins)
			LLVMAddCase(way, word(e, 2 * n + NATIVE_BODY), e->body[n]);
		if (starts)
			LLVMAddCase(way, word(e, 2 * n), e->arrive[n]);
	}
}

/* --- The function ------------------------------------------------------------------------------- */

/* Whether lanes of a region may part. */
static bool parts_lanes(const struct region *r)
{
	for (u32 n = 0; n < r->block_count; n++)
		if (r->blocks[n].end == REGION_BRANCH && !r->blocks[n].uniform && r->blocks[n].parts)
			return true;
	return false;
}

/* Compiled for the processor that the bitcode is for. */
static void take_attributes(struct emission *e)
{
	static const char *const names[] = {"target-cpu", "target-features", "tune-cpu"};

	for (u32 k = 0; k < e->meanings->count; k++) {
		LLVMValueRef from = e->meanings->items[k].function;
		if (!from || LLVMIsDeclaration(from))
			continue;
		for (size_t n = 0; n < COUNT_OF(names); n++) {
			LLVMAttributeRef a =
				LLVMGetStringAttributeAtIndex(from, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
							      names[n], (unsigned)strlen(names[n]));
			if (a)
				LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
		}
		break;
	}
	char bits[16];
	snprintf(bits, sizeof bits, "%u", e->vector_bytes * 8);
	static const char *const widths[] = {"prefer-vector-width", "min-legal-vector-width"};
	for (size_t n = 0; n < COUNT_OF(widths); n++)
		LLVMAddTargetDependentFunctionAttr(e->function, widths[n], bits);
	LLVMAddTargetDependentFunctionAttr(e->function, "no-builtins", "");
	/* Rows that do not fit the registers must not lie across cache lines, which callers' stacks would have them do by chance. */
	LLVMAddTargetDependentFunctionAttr(e->function, "stackrealign", "");
	const unsigned kind = LLVMGetEnumAttributeKindForName("noredzone", 9);
	LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(e->c, kind, 0)); /* call_keeping pushes its return address */
}

/* The row that comes next in the frame behind `offset`; NO_OPERAND: none. */
static u32 next_row(const struct region *r, u32 offset)
{
	u32 next = NO_OPERAND;

	for (u32 row = 0; row < r->row_count; row++)
		if (r->rows[row].offset >= offset && (next == NO_OPERAND || r->rows[row].offset < r->rows[next].offset))
			next = row;
	return next;
}

/* Machine code: in the order of the frame, where what are neighbours stay so, as instructions of pairs and of rows of predicates
 * expect. Returns how many bytes that takes. */
static u32 place_neighbours(struct emission *e)
{
	const struct region *r = e->r;
	u32 bytes = 0, end = NO_OPERAND;

	for (u32 row = next_row(r, 0); row != NO_OPERAND; row = next_row(r, r->rows[row].offset + 1)) {
		if (r->rows[row].offset != end || r->rows[row].bits != 1)
			bytes = (bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
		e->slots[row] = bytes;
		bytes += row_bytes(r->rows[row].bits);
		end = r->rows[row].offset + row_bytes(r->rows[row].bits);
	}
	return bytes;
}

static u32 place_rows(struct emission *e)
{
	const struct region *r = e->r;
	u32 bytes = 0;

	for (u32 row = 0; row < r->row_count; row++) {
		e->slots[row] = bytes;
		bytes += (row_bytes(r->rows[row].bits) + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
	}
	return bytes;
}

/* LLVM takes the array apart into vector registers (scalar replacement), since all offsets are constants. */
static void emit_entrance(struct emission *e)
{
	const struct region *r = e->r;
	const u32 taken = r->of_machine ? place_neighbours(e) : place_rows(e);
	const u32 bytes = (taken + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;

	e->spots = bytes;
	go_to(e, new_block(e, "entrance"));
	e->array = LLVMBuildAlloca(e->b, LLVMArrayType2(e->i8, bytes + r->spot_count * sizeof(struct spot) + ROW_ALIGN),
				   "rows");
	LLVMSetAlignment(e->array, ROW_ALIGN);
	e->tallies = get(e, e->ptr, run_field(e, offsetof(struct native_run, tallies)));
	e->repeats = get(e, e->ptr, run_field(e, offsetof(struct native_run, repeats)));
	e->patterns = get(e, e->ptr, run_field(e, offsetof(struct native_run, patterns)));
	e->timed = get(e, e->i32, run_field(e, offsetof(struct native_run, timed)));
	begin_warps(e);
	e->mask = variable(e, e->i32, word(e, FULL_MASK), "mask");
	e->where = variable(e, e->i32, word(e, 0), "where");
	e->how = variable(e, e->i32, word(e, NATIVE_DONE), "how");
	begin_counters(e);
	begin_firsts(e);
	for (u32 row = 0; row < r->row_count; row++)
		if (r->rows[row].written && r->rows[row].enters && !r->rows[row].scaled && !is_kept_as_first(e, row))
			copy(e, slot(e, row), place(e, row), r->rows[row].bits, false);
}

void region_emit(LLVMModuleRef module, const struct region *r, const struct meanings *m, const char *name,
		 u32 vector_bytes)
{
	struct emission e = {
		.r = r, .meanings = m, .module = module, .vector_bytes = vector_bytes, .parts = parts_lanes(r)};
	const u32 blocks = r->block_count + 1;

	e.c = LLVMGetModuleContext(module);
	e.b = LLVMCreateBuilderInContext(e.c);
	e.i1 = LLVMInt1TypeInContext(e.c);
	e.i8 = LLVMInt8TypeInContext(e.c);
	e.i32 = LLVMInt32TypeInContext(e.c);
	e.i64 = LLVMInt64TypeInContext(e.c);
	e.ptr = LLVMPointerTypeInContext(e.c, 0);
	e.unlikely = LLVMGetMDKindIDInContext(e.c, "prof", 4);
	e.invariant = LLVMGetMDKindIDInContext(e.c, "invariant.load", 14);
	e.slots = calloc(r->row_count + 1, sizeof *e.slots);
	e.firsts = calloc(r->row_count + 1, sizeof *e.firsts);
	e.shared = calloc(r->row_count + 1, sizeof *e.shared);
	e.held = calloc(r->row_count + 1, sizeof *e.held);
	e.arrive = calloc(blocks, sizeof *e.arrive);
	e.body = calloc(blocks, sizeof *e.body);
	LLVMTypeRef params[] = {e.ptr, e.ptr, e.ptr};
	e.function = LLVMAddFunction(module, name, LLVMFunctionType(e.i32, params, 3, false));
	LLVMSetFunctionCallConv(e.function, KEEPS_NO_REGISTERS);
	e.run = LLVMGetParam(e.function, 0);
	e.warp = LLVMGetParam(e.function, 1);
	e.rows = LLVMGetParam(e.function, 2);
	take_attributes(&e);
	emit_entrance(&e);
	LLVMBasicBlockRef entrance = LLVMGetInsertBlock(e.b);
	for (u32 n = 0; n < blocks; n++) {
		e.arrive[n] = new_block(&e, "arrive");
		e.body[n] = new_block(&e, "body");
	}
	e.out = new_block(&e, "out");
	e.meet = e.parts ? new_block(&e, "meet") : NULL;
	go_to(&e, entrance);
	LLVMBuildBr(e.b, r->of_machine ? e.arrive[0] : e.body[0]); /* a BSYNC counts there */
	for (u32 n = 0; n < r->block_count; n++)
		emit_block(&e, n);
	emit_end(&e);
	emit_meet(&e);
	emit_out(&e);
	LLVMDisposeBuilder(e.b);
	free(e.slots);
	free(e.firsts);
	free(e.shared);
	free(e.held);
	free(e.arrive);
	free(e.body);
}

void region_keep_rows(LLVMValueRef function, LLVMValueRef slow)
{
	struct emission e = {.module = LLVMGetGlobalParent(function), .function = function};
	LLVMUseRef next;

	e.c = LLVMGetModuleContext(e.module);
	e.b = LLVMCreateBuilderInContext(e.c);
	e.ptr = LLVMPointerTypeInContext(e.c, 0);
	for (LLVMUseRef use = slow ? LLVMGetFirstUse(slow) : NULL; use; use = next) {
		LLVMValueRef user = LLVMGetUser(use), args[4];
		next = LLVMGetNextUse(use);
		if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != slow || LLVMGetNumArgOperands(user) != 4 ||
		    LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != function)
			continue;
		for (u32 k = 0; k < 4; k++)
			args[k] = LLVMGetOperand(user, k);
		LLVMPositionBuilderBefore(e.b, user);
		LLVMReplaceAllUsesWith(user, call_keeping(&e, e.ptr, "native_keep", slow, args, 4));
		LLVMInstructionEraseFromParent(user);
	}
	LLVMDisposeBuilder(e.b);
}
