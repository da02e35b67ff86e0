/* SPDX-License-Identifier: Apache-2.0
 *
 * The hardware's one NaN, put off. A meaning of f32 arithmetic ends with "if it is a NaN, it is 7fffffff". An operation
 * that takes such a value gives a NaN for any NaN, which its own end makes 7fffffff; so does a comparison come out the
 * same. These take the value as it was before, and where no other use is left, the test goes. What is stored, moved,
 * converted or shown keeps it.
 */
#include "native/llvm/internal.h"

#include <string.h>

static const u32 one_nan_bits = 0x7fffffff;

static LLVMTypeRef element_of(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

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
		return !strncmp(name, "llvm.fma.", 9) || !strncmp(name, "llvm.sqrt.", 10);
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

void nans_put_off(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef x = value_before(i);
			while (x && give(i, x))
				;
		}
}
