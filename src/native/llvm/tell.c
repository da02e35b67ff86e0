/* SPDX-License-Identifier: Apache-2.0
 *
 * What native code does for observers: sums in memory, for which a few additions are enough, and calls. Those that are rarely
 * made leave all rows in their registers.
 */
#include "memory/sectors.h"
#include "native/llvm/emission.h"

LLVMValueRef lanes_in(struct emission *e, LLVMValueRef mask)
{
	LLVMTypeRef type = LLVMFunctionType(e->i32, &e->i32, 1, false);
	LLVMValueRef popcount = LLVMGetNamedFunction(e->module, "llvm.ctpop.i32");

	if (!popcount)
		popcount = LLVMAddFunction(e->module, "llvm.ctpop.i32", type);
	return LLVMBuildZExt(e->b, LLVMBuildCall2(e->b, type, popcount, &mask, 1, ""), e->i64, "");
}

/* Adds to a field of instruction `number`'s tally. */
void tally(struct emission *e, u32 number, size_t field, LLVMValueRef value)
{
	add_to(e, at(e, e->tallies, number * sizeof(struct native_tally) + field), value);
}

/* Before an instruction of which observers want sums. on: lanes for which a predicate holds, or NULL. */
static void tally_lanes(struct emission *e, u32 number, LLVMValueRef mask, LLVMValueRef on)
{
	tally(e, number, offsetof(struct native_tally, executed), LLVMConstInt(e->i64, 1, false));
	tally(e, number, offsetof(struct native_tally, lanes), lanes_in(e, mask));
	if (on)
		tally(e, number, offsetof(struct native_tally, on), lanes_in(e, on));
}

/* Observers are told that the lanes of `mask` come to instruction `number`, for which they need `row` in the frame. */
static void call_tell(struct emission *e, u32 number, u32 row, LLVMValueRef mask, bool repeats)
{
	if (row != NO_OPERAND && e->r->rows[row].written)
		write_back(e, row);
	LLVMValueRef args[] = {e->run, e->warp, e->rows, word(e, number), mask, LLVMConstInt(e->i8, repeats, false)};
	call_keeping(e, e->ptr, "native_keep", declared(e, "native_tell"), args, COUNT_OF(args));
}

/* Where somebody wants to know the order in time. */
void tell_time(struct emission *e, u32 number, LLVMValueRef mask)
{
	LLVMBasicBlockRef timed = new_block(e, "timed"), go_on = new_block(e, "counted");

	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, e->timed, word(e, 0), ""), timed, go_on, true);
	go_to(e, timed);
	LLVMValueRef args[] = {e->run, e->warp, e->rows, word(e, number), mask};
	call_keeping(e, e->ptr, "native_keep", declared(e, "native_time"), args, COUNT_OF(args));
	LLVMBuildBr(e->b, go_on);
	go_to(e, go_on);
}

/* --- Accesses like an earlier one ---------------------------------------------------------------- */

static LLVMValueRef pattern_field(struct emission *e, LLVMTypeRef type, LLVMValueRef pattern, size_t field)
{
	return get(e, type, at(e, pattern, field));
}

/* Not 0: some lane of `mask` is not as far from the address `base` of the first as the pattern has it. mask: NULL for all. */
static LLVMValueRef find_unlike(struct emission *e, LLVMValueRef row, u32 bits, LLVMValueRef base, LLVMValueRef pattern,
				LLVMValueRef mask)
{
	const u32 lanes = e->vector_bytes * 8 / bits;
	LLVMTypeRef lane = bits == 64 ? e->i64 : e->i32, type = LLVMVectorType(lane, lanes),
		    few = LLVMIntTypeInContext(e->c, lanes);
	LLVMValueRef from = splat(e, base, lanes), sum = NULL;

	for (u32 k = 0; k < WARP_LANES / lanes; k++) {
		LLVMValueRef here = get(e, type, at(e, row, k * e->vector_bytes));
		LLVMValueRef wanted = get(e, type, at(e, pattern, k * e->vector_bytes));
		LLVMSetAlignment(here, e->vector_bytes);
		LLVMSetAlignment(wanted, e->vector_bytes);
		LLVMValueRef off = LLVMBuildXor(e->b, LLVMBuildSub(e->b, here, from, ""), wanted, "");
		if (mask) {
			LLVMValueRef part = LLVMBuildLShr(e->b, mask, word(e, k * lanes), "");
			LLVMValueRef on = lanes == WARP_LANES ? part : LLVMBuildTrunc(e->b, part, few, "");
			on = LLVMBuildBitCast(e->b, on, LLVMVectorType(e->i1, lanes), "");
			off = LLVMBuildSelect(e->b, on, off, LLVMConstNull(type), "");
		}
		sum = sum ? LLVMBuildOr(e->b, sum, off, "") : off;
	}
	LLVMValueRef unlike = LLVMBuildICmp(e->b, LLVMIntNE, sum, LLVMConstNull(type), "");
	return LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildBitCast(e->b, unlike, few, ""), LLVMConstNull(few), "");
}

/* The address of the first lane of `mask`, before the instruction's addend. */
static LLVMValueRef first_address(struct emission *e, LLVMValueRef row, u32 bits, LLVMValueRef mask)
{
	LLVMTypeRef lane = bits == 64 ? e->i64 : e->i32, type = LLVMVectorType(lane, WARP_LANES);
	LLVMTypeRef params[] = {e->i32, e->i1};
	LLVMTypeRef counting = LLVMFunctionType(e->i32, params, 2, false);
	LLVMValueRef ctz = LLVMGetNamedFunction(e->module, "llvm.cttz.i32");

	if (!mask)
		return get(e, lane, row);
	if (!ctz)
		ctz = LLVMAddFunction(e->module, "llvm.cttz.i32", counting);
	LLVMValueRef args[] = {mask, LLVMConstInt(e->i1, 1, false)};
	LLVMValueRef first = LLVMBuildCall2(e->b, counting, ctz, args, 2, ""), all = get(e, type, row);
	LLVMSetAlignment(all, e->vector_bytes);
	return LLVMBuildExtractElement(e->b, all, first, "");
}

/* Whether an odd number of bits is set. */
static LLVMValueRef parity(struct emission *e, LLVMValueRef bits)
{
	return LLVMBuildAnd(e->b, LLVMBuildTrunc(e->b, lanes_in(e, bits), e->i32, ""), word(e, 1), "");
}

/* Whether the tag banks of the line at the address and of the one `apart` behind it differ otherwise than the pattern has it: what
 * sectors_tag_bank() gives for the bits in which the two addresses differ. */
static LLVMValueRef parted_otherwise(struct emission *e, LLVMValueRef pattern, LLVMValueRef address)
{
	LLVMValueRef apart = pattern_field(e, e->i64, pattern, offsetof(struct native_pattern, apart));
	LLVMValueRef tag = pattern_field(e, e->i32, pattern, offsetof(struct native_pattern, tag));
	LLVMValueRef changed = LLVMBuildXor(e->b, LLVMBuildAdd(e->b, address, apart, ""), address, "");

	changed = LLVMBuildTrunc(e->b, changed, e->i32, "");
	LLVMValueRef low = parity(e, LLVMBuildAnd(e->b, changed, word(e, TAG_BANK_LOW), ""));
	LLVMValueRef high = parity(e, LLVMBuildAnd(e->b, changed, word(e, TAG_BANK_HIGH), ""));
	LLVMValueRef both = LLVMBuildOr(e->b, low, LLVMBuildShl(e->b, high, word(e, 1), ""), "");
	return LLVMBuildICmp(e->b, LLVMIntNE, both, tag, "");
}

/* Where the lanes and their distances are the pattern's: counts the access, or goes to `unknown`. */
static void count_like(struct emission *e, const struct region_insn *x, LLVMValueRef pattern, LLVMValueRef base,
		       LLVMBasicBlockRef unknown, LLVMBasicBlockRef counted)
{
	LLVMBasicBlockRef same = new_block(e, "same"), late = new_block(e, "late"), asked = new_block(e, "asked");
	LLVMValueRef addend = LLVMConstInt(LLVMTypeOf(base), (u64)(s64)x->plain->imm, true);
	LLVMValueRef address = LLVMBuildZExt(e->b, LLVMBuildAdd(e->b, base, addend, ""), e->i64, "");
	LLVMValueRef order = get(e, e->i64, run_field(e, offsetof(struct native_run, order)));
	LLVMValueRef low = pattern_field(e, e->i64, pattern, offsetof(struct native_pattern, low));
	LLVMValueRef low_mask = pattern_field(e, e->i64, pattern, offsetof(struct native_pattern, low_mask));
	LLVMValueRef from = pattern_field(e, e->i64, pattern, offsetof(struct native_pattern, order));

	branch(e, LLVMBuildICmp(e->b, LLVMIntULT, order, from, ""), asked, late, true);
	go_to(e, late);
	if (LLVMTypeOf(base) == e->i64) {
		LLVMBasicBlockRef alike = new_block(e, "alike");
		branch(e, parted_otherwise(e, pattern, address), asked, alike, true);
		go_to(e, alike);
	}
	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, address, low_mask, ""), low, ""), asked, same,
	       true);
	go_to(e, same);
	LLVMValueRef start = pattern_field(e, e->i64, pattern, offsetof(struct native_pattern, base));
	LLVMValueRef rotation = pattern_field(e, e->i32, pattern, offsetof(struct native_pattern, rotation));
	LLVMValueRef times = pattern_field(e, e->ptr, pattern, offsetof(struct native_pattern, times));
	LLVMValueRef steps =
		LLVMBuildLShr(e->b, LLVMBuildSub(e->b, address, start, ""), LLVMConstInt(e->i64, 2, false), "");
	LLVMValueRef index = LLVMBuildAnd(e->b, steps, LLVMBuildZExt(e->b, rotation, e->i64, ""), "");
	add_to(e, LLVMBuildInBoundsGEP2(e->b, e->i64, times, &index, 1, ""), LLVMConstInt(e->i64, 1, false));
	LLVMBuildBr(e->b, counted);
	go_to(e, asked);
	LLVMValueRef args[] = {pattern, address, order};
	LLVMValueRef again = pattern_field(e, e->ptr, pattern, offsetof(struct native_pattern, again));
	LLVMValueRef yes = call_keeping(e, e->i8, NULL, again, args, COUNT_OF(args));
	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, yes, LLVMConstNull(e->i8), ""), counted, unknown, false);
}

/* Where the lanes are the pattern's. mask: NULL for all. */
static void compare_lanes(struct emission *e, const struct region_insn *x, LLVMValueRef row, LLVMValueRef pattern,
			  LLVMValueRef mask, LLVMBasicBlockRef unknown, LLVMBasicBlockRef counted)
{
	LLVMBasicBlockRef like = new_block(e, "like");
	const u32 bits = e->r->rows[address_row(x)].bits;
	LLVMValueRef base = first_address(e, row, bits, mask);

	branch(e, find_unlike(e, row, bits, base, pattern, mask), unknown, like, true);
	go_to(e, like);
	count_like(e, x, pattern, base, unknown, counted);
}

/* The entry of a log's array, whose items have so many bytes. */
static LLVMValueRef log_place(struct emission *e, LLVMValueRef log, size_t array, LLVMValueRef number, u32 bytes)
{
	LLVMValueRef size = LLVMConstInt(e->i64, bytes, false), offset = LLVMBuildMul(e->b, number, size, "");

	return LLVMBuildInBoundsGEP2(e->b, LLVMInt8TypeInContext(e->c), at(e, log, array), &offset, 1, "");
}

/* Notes the access for later, where the observer has room for it, and goes to `noted`. */
static void note_access(struct emission *e, LLVMValueRef pattern, LLVMValueRef row, LLVMValueRef mask,
			LLVMBasicBlockRef noted)
{
	LLVMBasicBlockRef room = new_block(e, "room"), none = new_block(e, "unnoted");
	LLVMValueRef count = pattern_field(e, e->i32, pattern, offsetof(struct native_pattern, logged));
	LLVMValueRef end = pattern_field(e, e->i32, pattern, offsetof(struct native_pattern, log_end));

	branch(e, LLVMBuildICmp(e->b, LLVMIntULT, count, end, ""), room, none, false);
	go_to(e, room);
	LLVMValueRef log = pattern_field(e, e->ptr, pattern, offsetof(struct native_pattern, log));
	LLVMValueRef number = LLVMBuildZExt(e->b, count, e->i64, "");
	LLVMValueRef order = get(e, e->i64, run_field(e, offsetof(struct native_run, order)));
	copy(e, log_place(e, log, offsetof(struct native_log, base), number, WARP_LANES * sizeof(u32)), row, 32, false);
	LLVMBuildStore(e->b, order, log_place(e, log, offsetof(struct native_log, order), number, sizeof(u64)));
	LLVMBuildStore(e->b, mask, log_place(e, log, offsetof(struct native_log, mask), number, sizeof(u32)));
	LLVMBuildStore(e->b, LLVMBuildAdd(e->b, count, word(e, 1), ""),
		       at(e, pattern, offsetof(struct native_pattern, logged)));
	LLVMBuildBr(e->b, noted);
	go_to(e, none);
}

/* In line for lanes at the distances of an earlier access of the instruction, else by a call. never_all: `mask` is not all lanes.
 * Of an affine row these distances are the same throughout the launch, so those of the pattern are. */
static void tell_likens(struct emission *e, const struct region_insn *x, u32 row, LLVMValueRef mask, bool never_all)
{
	_Static_assert(offsetof(struct native_pattern, distance) == 0, "laid out for vectors");
	LLVMBasicBlockRef known = new_block(e, "known"), some = new_block(e, "some"), unknown = new_block(e, "unknown"),
			  counted = new_block(e, "liked"), go_on = new_block(e, "told");
	const u32 bits = e->r->rows[row].bits;
	const bool kept = is_kept_as_first(e, row);
	LLVMValueRef from = e->r->rows[row].written ? slot(e, row) : place(e, row);
	LLVMValueRef pattern = get(e, e->ptr, at(e, e->patterns, x->number * sizeof(void *)));
	LLVMValueRef lanes = pattern_field(e, e->i32, pattern, offsetof(struct native_pattern, mask));

	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, mask, lanes, ""), unknown, known, true);
	go_to(e, known);
	if (never_all) {
		LLVMBuildBr(e->b, some);
	} else {
		LLVMBasicBlockRef whole = new_block(e, "whole");
		branch(e, LLVMBuildICmp(e->b, LLVMIntNE, mask, word(e, FULL_MASK), ""), some, whole, true);
		go_to(e, whole);
		if (e->r->rows[row].affine)
			count_like(e, x, pattern, first_of(e, row), unknown, counted);
		else
			compare_lanes(e, x, from, pattern, NULL, unknown, counted);
	}
	go_to(e, some);
	if (kept)
		put_affine(e, from, row);
	compare_lanes(e, x, from, pattern, mask, unknown, counted);
	go_to(e, unknown);
	if (bits == 32 && kept)
		put_affine(e, from, row);
	if (bits == 32)
		note_access(e, pattern, from, mask, counted);
	call_tell(e, x->number, row, mask, false);
	LLVMBuildBr(e->b, go_on);
	go_to(e, counted);
	if (x->told == NATIVE_LIKENS_AND_TALLIES) {
		tally_lanes(e, x->number, mask, NULL);
		tell_time(e, x->number, mask);
	}
	LLVMBuildBr(e->b, go_on);
	go_to(e, go_on);
}

/* All lanes: the first time by a call, else by its count. */
static void tell_repeats(struct emission *e, const struct region_insn *x, u32 row, LLVMValueRef mask, bool likens)
{
	LLVMBasicBlockRef whole = new_block(e, "whole"), some = new_block(e, "some"), again = new_block(e, "again"),
			  first = new_block(e, "first"), told = new_block(e, "told");
	LLVMValueRef count = at(e, e->repeats, x->repeat * sizeof(u64)), times = get(e, e->i64, count);

	branch(e, LLVMBuildICmp(e->b, LLVMIntNE, mask, word(e, FULL_MASK), ""), some, whole, true);
	go_to(e, whole);
	branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, times, LLVMConstNull(e->i64), ""), first, again, true);
	go_to(e, again);
	LLVMBuildStore(e->b, LLVMBuildAdd(e->b, times, LLVMConstInt(e->i64, 1, false), ""), count);
	LLVMBuildBr(e->b, told);
	go_to(e, first);
	call_tell(e, x->number, row, mask, true);
	LLVMBuildBr(e->b, told);
	go_to(e, some);
	if (likens)
		tell_likens(e, x, row, mask, true);
	else
		call_tell(e, x->number, row, mask, false);
	LLVMBuildBr(e->b, told);
	go_to(e, told);
}

/* Before an instruction, whose addresses stand in `row`, or NO_OPERAND. */
void tell_insn(struct emission *e, const struct region_insn *x, u32 row, LLVMValueRef mask)
{
	const bool likens = native_likens((enum native_telling)x->told),
		   whole = native_repeats((enum native_telling)x->told);
	const bool has_addresses = row != NO_OPERAND && e->r->rows[row].bits >= 32;

	if (whole)
		tell_repeats(e, x, row, mask, likens && has_addresses);
	else if (likens && has_addresses)
		tell_likens(e, x, row, mask, false);
	else
		tell(e, likens ? NATIVE_TELLS : (enum native_telling)x->told, x->number, row, mask, NULL);
	if (x->told == NATIVE_TALLIES)
		tell_time(e, x->number, mask);
}

/* on: lanes for which a predicate holds, or NULL. */
void tell(struct emission *e, enum native_telling how, u32 number, u32 row, LLVMValueRef mask, LLVMValueRef on)
{
	if (how == NATIVE_TALLIES)
		tally_lanes(e, number, mask, on);
	if (how == NATIVE_TELLS)
		call_tell(e, number, row, mask, false);
}

/* Before leave: observers know that instructions `first` to `last`, which the interpreter runs next, do. */
void note_told(struct emission *e, u32 first, u32 last)
{
	LLVMBuildStore(e->b, word(e, first), run_field(e, offsetof(struct native_run, told)));
	LLVMBuildStore(e->b, word(e, last), run_field(e, offsetof(struct native_run, told_last)));
}
