/* SPDX-License-Identifier: Apache-2.0
 *
 * Rounding other than the region's. AVX-512 says it in the instruction: arithmetic under .rz, .rm or .rp in a region that
 * rounds to nearest becomes the host's instruction with that rounding. With AVX2 a row's instructions become one piece of assembly
 * that sets the host's mode for them and puts the region's back, so that nothing else can come between. What else depends on the
 * mode (comparisons, conversions, flushing) has no such form, and stays a call of the handler.
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

/* --- With AVX2 ---------------------------------------------------------------------------------- */

enum { RUN = 4, AVX2_BYTES = 32 };

/* Operations on whole registers that stand one after the other, none of which takes what another gives. */
struct run {
	LLVMValueRef items[RUN];
	u32 count, operands;
	bool wide;        /* f64 */
	const char *name; /* of the host's instruction, but for its type */
};

/* The name of the host's instruction; NULL: there is none. */
static const char *host_stem(LLVMValueRef i, u32 *operands)
{
	size_t length;

	*operands = 2;
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFAdd:
		return "vaddp";
	case LLVMFSub:
		return "vsubp";
	case LLVMFMul:
		return "vmulp";
	case LLVMFDiv:
		return "vdivp";
	case LLVMCall: {
		const char *callee = LLVMGetValueName2(LLVMGetCalledValue(i), &length);
		const bool fused = !strncmp(callee, "llvm.fma.", 9), root = !strncmp(callee, "llvm.sqrt.", 10);
		*operands = fused ? 3 : 1;
		return fused ? "vfmadd231p" : root ? "vsqrtp" : NULL;
	}
	default:
		return NULL;
	}
}

static bool takes(LLVMValueRef i, LLVMValueRef value)
{
	for (int k = 0; k < LLVMGetNumOperands(i); k++)
		if (LLVMGetOperand(i, (unsigned)k) == value)
			return true;
	return false;
}

static bool find_run(LLVMValueRef i, struct run *r)
{
	LLVMTypeRef type = LLVMTypeOf(i);

	*r = (struct run){.count = 0};
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return false;
	r->wide = LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMDoubleTypeKind;
	if (LLVMGetVectorSize(type) != AVX2_BYTES / (r->wide ? 8 : 4))
		return false;
	r->name = host_stem(i, &r->operands);
	for (; r->name && i && r->count < RUN; i = LLVMGetNextInstruction(i)) {
		u32 operands;
		bool depends = LLVMTypeOf(i) != type;
		for (u32 k = 0; k < r->count; k++)
			depends |= takes(i, r->items[k]);
		const char *name = host_stem(i, &operands);
		if (depends || !name || strcmp(name, r->name))
			break;
		r->items[r->count++] = i;
	}
	return r->count;
}

/* The host's control word for a mode (exec/fpmode.c), as a constant in memory. */
static LLVMValueRef control_word(LLVMModuleRef module, u8 fp)
{
	static const u32 rounding[] = {[FP_RN] = 0x0000, [FP_RM] = 0x2000, [FP_RP] = 0x4000, [FP_RZ] = 0x6000};
	LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
	LLVMValueRef global = LLVMAddGlobal(module, word, "control");

	LLVMSetInitializer(global, LLVMConstInt(word, 0x1f80u | rounding[fp & 3] | (fp & FP_FTZ ? 0x8040u : 0), false));
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(global, true);
	return global;
}

/* Results first, each in a register of its own, then operand by operand; of a product and sum the last one is where its result comes. */
static LLVMValueRef assemble(LLVMBuilderRef b, const struct run *r, LLVMValueRef under, LLVMValueRef back)
{
	LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(under));
	LLVMTypeRef row = LLVMTypeOf(r->items[0]), rows[RUN] = {row, row, row, row}, types[3 * RUN + 2];
	LLVMValueRef values[3 * RUN + 2];
	const u32 n = r->count, control = n * (1 + r->operands); /* a tied operand has a number, too */
	char text[512], constraints[256] = "";
	u32 count = 0, at = 0;

	for (u32 k = 0; k < n; k++)
		at += (u32)snprintf(constraints + at, sizeof constraints - at, "=&x,");
	for (u32 o = 0; o < r->operands; o++)
		for (u32 k = 0; k < n; k++) {
			values[count++] = LLVMGetOperand(r->items[k], o);
			at += o == 2 ? (u32)snprintf(constraints + at, sizeof constraints - at, "%u,", k)
				     : (u32)snprintf(constraints + at, sizeof constraints - at, "x,");
		}
	snprintf(constraints + at, sizeof constraints - at, "r,r");
	values[count++] = under;
	values[count++] = back;
	for (u32 k = 0; k < count; k++)
		types[k] = LLVMTypeOf(values[k]);
	at = (u32)snprintf(text, sizeof text, "vldmxcsr ($%u)\n", control);
	for (u32 k = 0; k < n; k++) {
		const char type = r->wide ? 'd' : 's';
		if (r->operands == 1)
			at += (u32)snprintf(text + at, sizeof text - at, "%s%c $%u, $%u\n", r->name, type, n + k, k);
		else
			at += (u32)snprintf(text + at, sizeof text - at, "%s%c $%u, $%u, $%u\n", r->name, type,
					    2 * n + k, n + k, k);
	}
	at += (u32)snprintf(text + at, sizeof text - at, "vldmxcsr ($%u)", control + 1);
	LLVMTypeRef result = n > 1 ? LLVMStructTypeInContext(c, rows, n, false) : row;
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	LLVMValueRef code = LLVMGetInlineAsm(type, text, at, constraints, strlen(constraints), false, false,
					     LLVMInlineAsmDialectATT, false);
	return LLVMBuildCall2(b, type, code, values, count, "");
}

/* Returns the instruction behind the run. */
static LLVMValueRef replace_run(LLVMBuilderRef b, const struct run *r, LLVMValueRef under, LLVMValueRef back)
{
	LLVMValueRef next = LLVMGetNextInstruction(r->items[r->count - 1]);

	LLVMPositionBuilderBefore(b, next);
	LLVMValueRef made = assemble(b, r, under, back);
	for (u32 k = 0; k < r->count; k++) {
		LLVMValueRef one = r->count > 1 ? LLVMBuildExtractValue(b, made, k, "") : made;
		LLVMReplaceAllUsesWith(r->items[k], one);
		LLVMInstructionEraseFromParent(r->items[k]);
	}
	return next;
}

/* --- Both --------------------------------------------------------------------------------------- */

/* Depends on flushing alone, if on any mode. */
static bool ignores_rounding(LLVMValueRef i)
{
	const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);

	return opcode == LLVMFCmp || opcode == LLVMFPExt || opcode == LLVMFPToSI || opcode == LLVMFPToUI;
}

bool rounding_apply(LLVMValueRef function, u8 fp, u8 region_fp)
{
	LLVMModuleRef module = LLVMGetGlobalParent(function);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	LLVMValueRef under = control_word(module, fp), back = control_word(module, region_fp);
	struct run run;
	bool all = true;
	char name[64];

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (find_run(i, &run))
				next = replace_run(builder, &run, under, back);
			else if (host_name(i, name, sizeof name))
				replace(module, builder, i, name, host_rounding(fp));
			else
				all &= !is_of_mode(i) || ignores_rounding(i);
		}
	LLVMDisposeBuilder(builder);
	return all;
}
