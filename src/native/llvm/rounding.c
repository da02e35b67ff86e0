/* SPDX-License-Identifier: Apache-2.0
 *
 * Rounding other than the region's. AVX-512 says it in the instruction: arithmetic under .rz, .rm or .rp in a region that
 * rounds to nearest becomes the host's instruction with that rounding. What else depends on the mode (comparisons,
 * conversions, flushing) has no such form, and stays a call of the handler.
 */
#include "native/llvm/internal.h"

#include <stdio.h>
#include <string.h>

/* The host's number of a rounding (enum fp_mode, low two bits), with exceptions suppressed. */
static u32 host_rounding(u8 fp)
{
	static const u8 numbers[] = {[FP_RN] = 0, [FP_RM] = 1, [FP_RP] = 2, [FP_RZ] = 3};

	return 8u | numbers[fp & 3];
}

/* The host's instruction for an operation on 16 f32s or 8 f64s; NULL: there is none. */
static const char *host_name(LLVMValueRef i, char *name, size_t size)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	const char *operation = NULL;
	size_t length;

	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return NULL;
	const bool wide = LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMDoubleTypeKind;
	if (LLVMGetVectorSize(type) != (wide ? 8 : 16))
		return NULL;
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFAdd:
		operation = "llvm.x86.avx512.add.p";
		break;
	case LLVMFSub:
		operation = "llvm.x86.avx512.sub.p";
		break;
	case LLVMFMul:
		operation = "llvm.x86.avx512.mul.p";
		break;
	case LLVMFDiv:
		operation = "llvm.x86.avx512.div.p";
		break;
	case LLVMCall: {
		const char *callee = LLVMGetValueName2(LLVMGetCalledValue(i), &length);
		if (!strncmp(callee, "llvm.fma.", 9))
			operation = "llvm.x86.avx512.vfmadd.p";
		else if (!strncmp(callee, "llvm.sqrt.", 10))
			operation = "llvm.x86.avx512.sqrt.p";
		break;
	}
	default:
		break;
	}
	if (!operation)
		return NULL;
	snprintf(name, size, "%s%c.512", operation, wide ? 'd' : 's');
	return name;
}

static void replace(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef i, const char *name, u32 rounding)
{
	const bool is_call = LLVMGetInstructionOpcode(i) == LLVMCall;
	const u32 count = (u32)LLVMGetNumOperands(i) - is_call;
	LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(module)), types[4];
	LLVMValueRef values[4];

	for (u32 k = 0; k < count; k++) {
		values[k] = LLVMGetOperand(i, k);
		types[k] = LLVMTypeOf(values[k]);
	}
	values[count] = LLVMConstInt(word, rounding, false);
	types[count] = word;
	LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(i), types, count + 1, false);
	LLVMValueRef f = LLVMGetNamedFunction(module, name);
	if (!f)
		f = LLVMAddFunction(module, name, type);
	LLVMPositionBuilderBefore(builder, i);
	LLVMValueRef made = LLVMBuildCall2(builder, type, f, values, count + 1, "");
	LLVMReplaceAllUsesWith(i, made);
	LLVMInstructionEraseFromParent(i);
}

/* Depends on flushing alone, if on any mode. */
static bool ignores_rounding(LLVMValueRef i)
{
	const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);

	return opcode == LLVMFCmp || opcode == LLVMFPExt || opcode == LLVMFPToSI || opcode == LLVMFPToUI;
}

bool rounding_apply(LLVMValueRef function, u8 fp)
{
	LLVMModuleRef module = LLVMGetGlobalParent(function);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	bool all = true;
	char name[64];

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (host_name(i, name, sizeof name))
				replace(module, builder, i, name, host_rounding(fp));
			else
				all &= !is_of_mode(i) || ignores_rounding(i);
		}
	LLVMDisposeBuilder(builder);
	return all;
}
