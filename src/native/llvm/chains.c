/* SPDX-License-Identifier: Apache-2.0
 *
 * Brings the steps of each sum together. A register-tiled product has more sums than there are registers, and adds to each of them in
 * turn: then every addition loads its sum and stores it. Here all that a block adds to the same sum, in blocks before it, goes to where
 * the last step is, and sums follow each other part by part of the warp, so that a sum is loaded and stored once, and the factors that
 * neighbouring sums share stay in registers.
 */
#include "native/llvm/internal.h"

#include <stdlib.h>
#include <string.h>

enum { SUMS_OF_16_REGISTERS = 16, SUMS_OF_32_REGISTERS = 32, WARP_BYTES = 4 * WARP_LANES };

static bool is_step(LLVMValueRef i)
{
	size_t length;

	if (!i || !LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i)))
		return false;
	return LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind &&
	       !strncmp(LLVMGetValueName2(LLVMGetCalledValue(i), &length), "llvm.fma.", 9);
}

/* But for tests that nobody asks any more (nans.c). */
static bool has_one_use(LLVMValueRef i)
{
	u32 count = 0;

	for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		count += !LLVMIsAFCmpInst(user) || LLVMGetFirstUse(user);
	}
	return count == 1;
}

/* The step before, of which nothing but this one knows. */
static LLVMValueRef step_before(LLVMValueRef step)
{
	LLVMValueRef before = LLVMGetOperand(step, 2);

	return is_step(before) && has_one_use(before) ? before : NULL;
}

static bool is_last_step(LLVMValueRef i)
{
	LLVMValueRef before = is_step(i) ? step_before(i) : NULL;

	return before && LLVMGetInstructionParent(before) != LLVMGetInstructionParent(i);
}

static bool is_among(LLVMBasicBlockRef b, LLVMBasicBlockRef *list, u32 count)
{
	for (u32 k = 0; k < count; k++)
		if (list[k] == b)
			return true;
	return false;
}

/* Whether a way leads from the block back to it: what is moved into a loop would be done each time. */
static bool is_in_loop(LLVMBasicBlockRef block)
{
	const u32 room = LLVMCountBasicBlocks(LLVMGetBasicBlockParent(block));
	LLVMBasicBlockRef *list = malloc((size_t)room * sizeof *list);
	bool found = !list;
	u32 count = 0;

	if (list)
		list[count++] = block;
	for (u32 k = 0; k < count && !found; k++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(list[k]);
		for (u32 n = 0; n < LLVMGetNumSuccessors(end); n++) {
			LLVMBasicBlockRef to = LLVMGetSuccessor(end, n);
			found |= to == block;
			if (!is_among(to, list, count))
				list[count++] = to;
		}
	}
	free(list);
	return found;
}

static void drop_tests(LLVMValueRef i)
{
	LLVMUseRef next;

	for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (LLVMIsAFCmpInst(user) && !LLVMGetFirstUse(user))
			LLVMInstructionEraseFromParent(user);
	}
}

struct sums {
	LLVMValueRef *last; /* steps, by where they stand */
	u32 count;
	LLVMValueRef *takers; /* of what stands between them, what takes them; likewise */
	u32 taker_count;
	LLVMValueRef *stores; /* places of those that come before */
	u32 store_count;
};

static struct sums find_sums(LLVMBasicBlockRef b)
{
	struct sums s = {.count = 0};
	u32 count = 0;

	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
		if (is_step(i))
			drop_tests(i);
		count += is_last_step(i);
	}
	s.last = count ? malloc(count * sizeof *s.last) : NULL;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); s.last && i; i = LLVMGetNextInstruction(i))
		if (is_last_step(i))
			s.last[s.count++] = i;
	return s;
}

static bool is_pure(LLVMValueRef i)
{
	const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);

	return opcode == LLVMFCmp || opcode == LLVMSelect || opcode == LLVMBitCast;
}

static bool takes_any(LLVMValueRef i, const LLVMValueRef *list, u32 count)
{
	for (int k = 0; k < LLVMGetNumOperands(i); k++)
		for (u32 n = 0; n < count; n++)
			if (list[n] == LLVMGetOperand(i, (unsigned)k))
				return true;
	return false;
}

/* What between the sums takes one of them can come behind the last. False: not all of it can. */
static bool find_takers(struct sums *s)
{
	LLVMValueRef end = s->last[s->count - 1];

	s->takers = malloc(2 * (size_t)s->count * sizeof *s->takers);
	for (LLVMValueRef i = s->last[0]; s->takers && i != end; i = LLVMGetNextInstruction(i)) {
		if (!takes_any(i, s->last, s->count) && !takes_any(i, s->takers, s->taker_count))
			continue;
		if (!is_pure(i) || s->taker_count == 2 * s->count)
			return false;
		s->takers[s->taker_count++] = i;
	}
	return s->takers;
}

static void move_before(LLVMBuilderRef b, LLVMValueRef i, LLVMValueRef place)
{
	LLVMInstructionRemoveFromParent(i);
	LLVMPositionBuilderBefore(b, place);
	LLVMInsertIntoBuilder(b, i);
}

/* Whether two addresses are the same place of the frame. */
static bool is_same_place(LLVMValueRef a, LLVMValueRef b)
{
	if (a == b)
		return true;
	if (!LLVMIsAGetElementPtrInst(a) || !LLVMIsAGetElementPtrInst(b) || LLVMGetNumOperands(a) != 2 ||
	    LLVMGetNumOperands(b) != 2 || LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b))
		return false;
	return LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0) && LLVMGetOperand(a, 1) == LLVMGetOperand(b, 1);
}

/* The stores to the frame that may come before `place`. */
static bool find_stores(struct sums *s, LLVMValueRef place)
{
	LLVMBasicBlockRef home = LLVMGetInstructionParent(place);
	LLVMValueRef function = LLVMGetBasicBlockParent(home);
	u32 count = 0;

	for (u32 pass = 0; pass < 2; pass++) {
		s->store_count = 0;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && i != place;
			     i = LLVMGetNextInstruction(i)) {
				if (!LLVMIsAStoreInst(i))
					continue;
				if (s->stores)
					s->stores[s->store_count] = LLVMGetOperand(i, 1);
				s->store_count++;
			}
		count = s->store_count;
		s->stores = s->stores ? s->stores : malloc(((size_t)count + 1) * sizeof *s->stores);
		if (!s->stores)
			return false;
	}
	return true;
}

/* A part of a row that the region reads where it begins, for this one step: nothing of the region writes it before. Handlers write what
 * they give, which is no sum. */
static bool waits_in_frame(const struct sums *s, LLVMValueRef load)
{
	if (!LLVMIsALoadInst(load) || !has_one_use(load))
		return false;
	LLVMBasicBlockRef home = LLVMGetInstructionParent(load);
	LLVMValueRef function = LLVMGetBasicBlockParent(home), from = LLVMGetOperand(load, 0);
	if (home != LLVMGetEntryBasicBlock(function) || !LLVMIsAGetElementPtrInst(from) ||
	    LLVMGetOperand(from, 0) != LLVMGetParam(function, 2))
		return false;
	for (u32 k = 0; k < s->store_count; k++)
		if (is_same_place(s->stores[k], from))
			return false;
	return true;
}

/* One sum's steps before `place`, the first one first; before it what it begins with. */
static void gather(LLVMBuilderRef b, const struct sums *s, LLVMValueRef last, LLVMValueRef place)
{
	for (LLVMValueRef step = last; step; step = step_before(step)) {
		move_before(b, step, place);
		place = step;
	}
	LLVMValueRef start = LLVMGetOperand(place, 2);
	if (waits_in_frame(s, start))
		move_before(b, start, place);
}

/* Over a label, of which nothing is left in the code, LLVM's scheduler moves nothing: it would do the first steps of all sums, then the
 * second. */
static void put_boundary(LLVMBuilderRef b, LLVMValueRef place)
{
	static const char name[] = "llvm.codeview.annotation";
	LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(place)));
	LLVMContextRef c = LLVMGetModuleContext(module);
	const unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
	LLVMMetadataRef text = LLVMMDStringInContext2(c, "sum", 3);
	LLVMValueRef args[] = {LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &text, 1))};
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, id, NULL, 0);

	LLVMPositionBuilderBefore(b, place);
	LLVMBuildCall2(b, LLVMIntrinsicGetType(c, id, NULL, 0), f, args, 1, "");
}

/* Parts of the warp first: the steps of an instruction's parts stand together. */
static void gather_all(LLVMBuilderRef b, struct sums *s, u32 parts)
{
	LLVMValueRef place = LLVMGetNextInstruction(s->last[s->count - 1]);

	if (!find_stores(s, place))
		return;
	for (u32 part = 0; part < parts; part++)
		for (u32 k = part; k < s->count; k += parts) {
			gather(b, s, s->last[k], place);
			put_boundary(b, place);
		}
	for (u32 k = 0; k < s->taker_count; k++)
		move_before(b, s->takers[k], place);
}

void chains_gather(LLVMValueRef function, u32 vector_bytes)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
	const u32 most = vector_bytes == 64 ? SUMS_OF_32_REGISTERS : SUMS_OF_16_REGISTERS;

	for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at; at = LLVMGetNextBasicBlock(at)) {
		struct sums s = find_sums(at);
		if (s.count > most && find_takers(&s) && !is_in_loop(at))
			gather_all(b, &s, WARP_BYTES / vector_bytes);
		free(s.last);
		free(s.takers);
		free(s.stores);
	}
	LLVMDisposeBuilder(b);
}
