/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps arithmetic where it stands. LLVM moves what is computed in one block and used in a later one down to there, block by block,
 * past accesses, whose blocks branch to their slow ways; then all that the accesses load has to wait for the arithmetic in memory
 * (matmul: 16 sums of products behind 32 loads). An empty piece of assembly that names a value right behind it holds it.
 */
#include <llvm-c/Target.h>

#include "native/llvm/internal.h"

/* Where a block has more results than registers, each sum's steps are better done one after the other behind all accesses. */
enum { PINS_OF_16_REGISTERS = 12, PINS_OF_32_REGISTERS = 24 };

/* A register full of lanes. */
static bool is_row_part(LLVMValueRef i, LLVMTargetDataRef layout, u32 vector_bytes)
{
	LLVMTypeRef type = LLVMTypeOf(i);

	return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMABISizeOfType(layout, type) == vector_bytes;
}

static bool keeps_registers(LLVMValueRef call)
{
	static const char name[] = "no_caller_saved_registers";

	return LLVMGetCallSiteStringAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name,
					      sizeof name - 1);
}

/* Blocks of slow ways end in one way, behind a call. */
static bool is_slow(LLVMBasicBlockRef b)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
		if (LLVMGetInstructionOpcode(i) == LLVMCall && keeps_registers(i))
			return true;
	return false;
}

static bool is_used_elsewhere(LLVMValueRef i)
{
	LLVMBasicBlockRef home = LLVMGetInstructionParent(i);

	for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMGetInstructionParent(user) != home &&
		    (LLVMIsAPHINode(user) || !is_slow(LLVMGetInstructionParent(user))))
			return true;
	}
	return false;
}

static void pin(LLVMBuilderRef b, LLVMValueRef i, u32 vector_bytes)
{
	LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(i));
	LLVMTypeRef types[] = {LLVMTypeOf(i)};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c), types, 1, false);
	const char *const constraint = vector_bytes == 64 ? "v" : "x";
	LLVMValueRef code = LLVMGetInlineAsm(type, "", 0, constraint, 1, true, false, LLVMInlineAsmDialectATT, false);

	LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(i));
	LLVMBuildCall2(b, type, code, &i, 1, "");
}

static bool computes(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMPHI:
	case LLVMLoad:
	case LLVMAlloca:
	case LLVMBitCast:
	case LLVMShuffleVector: /* broadcasts are as cheap again elsewhere */
		return false;
	default:
		return true;
	}
}

/* The results of a block that are wanted behind it: counts them, or has them stay. */
static u32 each_result(LLVMBuilderRef b, LLVMBasicBlockRef at, LLVMTargetDataRef layout, u32 vector_bytes, bool pins)
{
	LLVMValueRef next;
	u32 count = 0;

	for (LLVMValueRef i = LLVMGetFirstInstruction(at); i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (!computes(i) || !is_row_part(i, layout, vector_bytes) || !is_used_elsewhere(i))
			continue;
		count++;
		if (pins)
			pin(b, i, vector_bytes);
	}
	return count;
}

void pin_results(LLVMValueRef function, u32 vector_bytes)
{
	LLVMModuleRef module = LLVMGetGlobalParent(function);
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	const u32 most = vector_bytes == 64 ? PINS_OF_32_REGISTERS : PINS_OF_16_REGISTERS;

	for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at; at = LLVMGetNextBasicBlock(at))
		if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(at)) > 1 &&
		    each_result(b, at, layout, vector_bytes, false) <= most)
			each_result(b, at, layout, vector_bytes, true);
	LLVMDisposeBuilder(b);
}
