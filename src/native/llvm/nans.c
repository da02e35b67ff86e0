/* SPDX-License-Identifier: Apache-2.0
 *
 * The hardware's one NaN, put off. A meaning of f32 arithmetic ends with "if it is a NaN, it is 7fffffff". An operation
 * that takes such a value gives a NaN for any NaN, which its own end makes 7fffffff; so does a comparison come out the
 * same. These take the value as it was before, and where no other use is left, the test goes. What is stored, moved,
 * converted or shown keeps it. A value that a loop carries is put off as well: it goes round as it was before, and is made
 * one NaN only where something else takes it.
 */
#include "native/llvm/internal.h"

#include <stdlib.h>
#include <string.h>

static const u32 one_nan_bits = 0x7fffffff;

/* The constant 7fffffff in all elements of a type of f32s. */
static LLVMValueRef one_nan_of(LLVMTypeRef type)
{
	LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
	LLVMValueRef bits = LLVMConstInt(word, one_nan_bits, false), all[64];

	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return LLVMConstBitCast(bits, type);
	const u32 count = LLVMGetVectorSize(type);
	for (u32 k = 0; k < count && k < COUNT_OF(all); k++)
		all[k] = bits;
	return count <= COUNT_OF(all) ? LLVMConstBitCast(LLVMConstVector(all, count), type) : NULL;
}

/* Of select(x is a number, x, 7fffffff) the x, or NULL: it is none. */
static LLVMValueRef value_before(LLVMValueRef select)
{
	LLVMTypeRef type = LLVMTypeOf(select);

	if (LLVMGetInstructionOpcode(select) != LLVMSelect || LLVMGetTypeKind(element_of(type)) != LLVMFloatTypeKind)
		return NULL;
	LLVMValueRef test = LLVMGetOperand(select, 0), x = LLVMGetOperand(select, 1);
	if (!LLVMIsAFCmpInst(test) || LLVMGetFCmpPredicate(test) != LLVMRealORD || LLVMGetOperand(test, 0) != x ||
	    LLVMGetOperand(select, 2) != one_nan_of(type))
		return NULL;
	LLVMValueRef other = LLVMGetOperand(test, 1);
	return other == x || LLVMIsNull(other) ? x : NULL;
}

/* Whether it makes no difference to the user which NaN it is given. */
static bool takes_any_nan(LLVMValueRef user)
{
	size_t length;

	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFCmp:
		return true;
	case LLVMCall: {
		LLVMValueRef callee = LLVMGetCalledValue(user);
		const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
		return !strncmp(name, "llvm.fma.", 9) || !strncmp(name, "llvm.sqrt.", 10) ||
		       !strncmp(name, "llvm.x86.avx512.", 16); /* rounding.c's, of the same operations */
	}
	default:
		return false;
	}
}

/* Gives x to one user of the select, in all its operands; false: there is none that takes it. */
static bool give(LLVMValueRef select, LLVMValueRef x)
{
	for (LLVMUseRef use = LLVMGetFirstUse(select); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user) || !takes_any_nan(user))
			continue;
		for (int k = 0; k < LLVMGetNumOperands(user); k++)
			if (LLVMGetOperand(user, (unsigned)k) == select)
				LLVMSetOperand(user, (unsigned)k, x);
		return true;
	}
	return false;
}

/* --- Values that loops carry --- */

struct carried {
	LLVMValueRef *phis; /* of rows of f32s, all of whose values are numbers or the one NaN */
	u32 count;
	LLVMValueRef rows; /* the frame's, where the region's constants lie */
	const struct region *r;
	LLVMBuilderRef builder;
};

static LLVMValueRef without_cast(LLVMValueRef v)
{
	return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMBitCast ? LLVMGetOperand(v, 0) : v;
}

static bool is_carried(const struct carried *c, LLVMValueRef v)
{
	for (u32 k = 0; k < c->count; k++)
		if (c->phis[k] == v)
			return true;
	return false;
}

/* A constant of the region, which is read from the frame: one that is a number. */
static bool is_number_in_frame(const struct carried *c, LLVMValueRef v)
{
	if (LLVMIsAShuffleVectorInst(v))
		v = LLVMGetOperand(v, 0);
	if (LLVMIsAInsertElementInst(v))
		v = LLVMGetOperand(v, 1);
	LLVMValueRef place = LLVMIsALoadInst(v) ? LLVMGetOperand(v, 0) : NULL;
	if (!place || !LLVMIsAGetElementPtrInst(place) || LLVMGetOperand(place, 0) != c->rows ||
	    LLVMGetNumOperands(place) != 2 || !LLVMIsAConstantInt(LLVMGetOperand(place, 1)) ||
	    LLVMGetTypeKind(LLVMGetGEPSourceElementType(place)) != LLVMIntegerTypeKind ||
	    LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(place)) != 8)
		return false;
	const u64 offset = LLVMConstIntGetZExtValue(LLVMGetOperand(place, 1));
	for (u32 row = 0; row < c->r->row_count; row++) {
		const struct region_row *x = &c->r->rows[row];
		if (x->offset == offset && x->constant && !x->written && x->bits == 32)
			return (x->value & 0x7fffffff) <= 0x7f800000;
	}
	return false;
}

static bool is_number(const struct carried *c, LLVMValueRef v)
{
	LLVMValueRef x = without_cast(v);

	return LLVMIsNull(x) || LLVMIsUndef(x) || is_carried(c, x) || (LLVMIsASelectInst(x) && value_before(x)) ||
	       is_number_in_frame(c, x);
}

static bool is_row_of_words(LLVMTypeRef type)
{
	const LLVMTypeKind kind = LLVMGetTypeKind(element_of(type));

	return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
	       (kind == LLVMFloatTypeKind ||
		(kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element_of(type)) == 32));
}

/* All phis that could be; then those go that have a value which is no number, until none does. */
static void find_carried(struct carried *c, LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i);
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef *grown = is_row_of_words(LLVMTypeOf(i))
						      ? realloc(c->phis, (c->count + 1) * sizeof *grown)
						      : NULL;
			if (!grown)
				continue;
			c->phis = grown;
			c->phis[c->count++] = i;
		}
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 k = c->count; k-- > 0;)
			for (u32 n = 0; n < LLVMCountIncoming(c->phis[k]); n++)
				if (!is_number(c, LLVMGetIncomingValue(c->phis[k], n))) {
					c->phis[k] = c->phis[--c->count];
					changed = true;
					break;
				}
	}
}

/* The value as one NaN, before instruction `at`. */
static LLVMValueRef canonical(struct carried *c, LLVMValueRef v, LLVMValueRef at)
{
	LLVMTypeRef type = LLVMTypeOf(v), word = LLVMFloatTypeInContext(LLVMGetTypeContext(type));
	LLVMTypeRef floats = LLVMVectorType(word, LLVMGetVectorSize(type));

	LLVMPositionBuilderBefore(c->builder, at);
	LLVMValueRef x = LLVMBuildBitCast(c->builder, v, floats, "");
	LLVMValueRef test = LLVMBuildFCmp(c->builder, LLVMRealORD, x, LLVMConstNull(floats), "");
	LLVMValueRef one = LLVMBuildSelect(c->builder, test, x, one_nan_of(floats), "");
	return LLVMBuildBitCast(c->builder, one, type, "");
}

/* Has the user's operand k, which is v, be one NaN. */
static void make_canonical(struct carried *c, LLVMValueRef v, LLVMValueRef user, u32 k)
{
	LLVMValueRef at = LLVMIsAPHINode(user) ? LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, k)) : user;

	LLVMSetOperand(user, k, canonical(c, v, at));
}

/* Serves one user of v that does not take any NaN; false: there is none left. */
static bool settle_user(struct carried *c, LLVMValueRef v, bool through_casts)
{
	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (is_carried(c, user) || takes_any_nan(user) || (LLVMIsASelectInst(user) && value_before(user) == v))
			continue;
		if (through_casts && LLVMGetInstructionOpcode(user) == LLVMBitCast &&
		    LLVMGetTypeKind(element_of(LLVMTypeOf(user))) == LLVMFloatTypeKind) {
			while (settle_user(c, user, false))
				;
			continue;
		}
		for (u32 k = 0; k < (u32)LLVMGetNumOperands(user); k++)
			if (LLVMGetOperand(user, k) == v)
				make_canonical(c, v, user, k);
		return true;
	}
	return false;
}

static void put_off_carried(struct carried *c)
{
	for (u32 n = 0; n < c->count; n++)
		for (u32 k = 0; k < LLVMCountIncoming(c->phis[n]); k++) {
			LLVMValueRef select = without_cast(LLVMGetIncomingValue(c->phis[n], k));
			LLVMValueRef x = LLVMIsASelectInst(select) ? value_before(select) : NULL;
			if (!x)
				continue;
			LLVMPositionBuilderBefore(c->builder, select);
			LLVMSetOperand(c->phis[n], k, LLVMBuildBitCast(c->builder, x, LLVMTypeOf(c->phis[n]), ""));
		}
	for (u32 n = 0; n < c->count; n++)
		while (settle_user(c, c->phis[n], true))
			;
}

/* --- Rows that leave the region */

static bool only_leaves(LLVMValueRef v, LLVMBasicBlockRef home, bool through_casts)
{
	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (through_casts && LLVMGetInstructionOpcode(user) == LLVMBitCast && only_leaves(user, home, false))
			continue;
		if (!LLVMIsAStoreInst(user) || LLVMGetInstructionParent(user) == home)
			return false;
	}
	return true;
}

/* Has each store of v, which is x as one NaN, make it one itself. */
static void sink(struct carried *c, LLVMValueRef v, LLVMValueRef x)
{
	LLVMUseRef use;

	while ((use = LLVMGetFirstUse(v))) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAStoreInst(user)) {
			LLVMSetOperand(user, 0, canonical(c, x, user));
			continue;
		}
		sink(c, user, x);
		LLVMInstructionEraseFromParent(user);
	}
}

/* A value that is stored on ways out alone is made one NaN there: the way through the region has no test of it. */
static void sink_all(struct carried *c, LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			LLVMValueRef x = value_before(i);
			const bool sinks = x && only_leaves(i, b, true);
			if (sinks)
				sink(c, i, x);
			next = LLVMGetNextInstruction(i); /* now: a cast behind it is gone */
			if (sinks)
				LLVMInstructionEraseFromParent(i);
		}
}

void nans_put_off(LLVMValueRef function, const struct region *r)
{
	struct carried c = {.rows = LLVMGetParam(function, 2), .r = r};

	c.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
	find_carried(&c, function);
	put_off_carried(&c);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef x = value_before(i);
			while (x && give(i, x))
				;
		}
	sink_all(&c, function);
	LLVMDisposeBuilder(c.builder);
	free(c.phis);
}
