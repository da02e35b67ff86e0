/* SPDX-License-Identifier: Apache-2.0
 *
 * Run by the build: bitcode_strip FROM TO leaves of a family's bitcode what native code may ask for, which are the functions of meanings and
 * whatever these refer to. The tables of the instruction set that name them take as long to read again.
 *
 * It has each row that a meaning names by a field of its instruction found once, where the function begins. clang finds it again on each way
 * that wants it, and chooses between what it has found; but through such a choice, though it is between the same place and itself, LLVM takes
 * none of a region's rows apart into registers.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

static bool ends_with(const char *name, const char *end)
{
	const size_t length = strlen(name);

	return length >= strlen(end) && !strcmp(name + length - strlen(end), end);
}

static void keep_meanings(LLVMModuleRef module)
{
	size_t length;

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			LLVMSetLinkage(f, ends_with(LLVMGetValueName2(f, &length), "_run") ? LLVMExternalLinkage
											   : LLVMInternalLinkage);
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) == LLVMExternalLinkage)
			LLVMSetLinkage(g, LLVMInternalLinkage);
}

/* --- Rows ------------------------------------------------------------------------------------------ */

enum { PARAM_INSN = 1, PARAM_ROWS = 2, PARAMS = 4, DEPTH_MOST = 8 };

/* So many bytes into the row whose offset in the frame a field of the instruction says. */
struct row_place {
	uint64_t field, into;
};

/* The distance of a place from another one: a constant. */
static bool is_behind(LLVMValueRef v, LLVMValueRef *from, uint64_t *bytes)
{
	if (!LLVMIsAGetElementPtrInst(v) || LLVMGetNumOperands(v) != 2 ||
	    LLVMGetTypeKind(LLVMGetGEPSourceElementType(v)) != LLVMIntegerTypeKind ||
	    LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(v)) != 8 || !LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
		return false;
	*from = LLVMGetOperand(v, 0);
	*bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1));
	return true;
}

/* What a place in the rows is added to them for: a field of the instruction, widened. */
static bool is_field(LLVMValueRef f, LLVMValueRef v, uint64_t *field)
{
	LLVMValueRef load = LLVMIsAZExtInst(v) ? LLVMGetOperand(v, 0) : NULL, from;

	return load && LLVMIsALoadInst(load) && LLVMGetIntTypeWidth(LLVMTypeOf(load)) == 32 &&
	       is_behind(LLVMGetOperand(load, 0), &from, field) && from == LLVMGetParam(f, PARAM_INSN);
}

static bool find_row(LLVMValueRef f, LLVMValueRef v, struct row_place *p, int depth)
{
	LLVMValueRef from;
	uint64_t bytes;

	if (depth == DEPTH_MOST)
		return false;
	if (LLVMIsAPHINode(v)) {
		struct row_place other;
		for (unsigned k = 0; k < LLVMCountIncoming(v); k++)
			if (!find_row(f, LLVMGetIncomingValue(v, k), k ? &other : p, depth + 1) ||
			    (k && (other.field != p->field || other.into != p->into)))
				return false;
		return LLVMCountIncoming(v) > 0;
	}
	if (is_behind(v, &from, &bytes)) {
		const bool found = find_row(f, from, p, depth + 1);
		p->into += bytes;
		return found;
	}
	p->into = 0;
	return LLVMIsAGetElementPtrInst(v) && LLVMGetNumOperands(v) == 2 &&
	       LLVMGetOperand(v, 0) == LLVMGetParam(f, PARAM_ROWS) && is_field(f, LLVMGetOperand(v, 1), &p->field);
}

static LLVMValueRef row_at_start(LLVMBuilderRef b, LLVMValueRef f, const struct row_place *p)
{
	LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
	LLVMTypeRef i8 = LLVMInt8TypeInContext(c), i32 = LLVMInt32TypeInContext(c), i64 = LLVMInt64TypeInContext(c);
	LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)), step = LLVMConstInt(i64, p->field, false);

	while (LLVMIsAAllocaInst(at))
		at = LLVMGetNextInstruction(at);
	LLVMPositionBuilderBefore(b, at);
	LLVMValueRef field = LLVMBuildInBoundsGEP2(b, i8, LLVMGetParam(f, PARAM_INSN), &step, 1, "");
	LLVMValueRef offset = LLVMBuildZExt(b, LLVMBuildLoad2(b, i32, field, ""), i64, "");
	LLVMValueRef row = LLVMBuildInBoundsGEP2(b, i8, LLVMGetParam(f, PARAM_ROWS), &offset, 1, "");
	step = LLVMConstInt(i64, p->into, false);
	return p->into ? LLVMBuildInBoundsGEP2(b, i8, row, &step, 1, "") : row;
}

static void find_rows_once(LLVMBuilderRef b, LLVMValueRef f)
{
	struct row_place p;
	LLVMValueRef next;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i); i = next) {
			next = LLVMGetNextInstruction(i);
			if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMPointerTypeKind || !find_row(f, i, &p, 0))
				continue;
			LLVMReplaceAllUsesWith(i, row_at_start(b, f, &p));
			LLVMInstructionEraseFromParent(i);
		}
}

/* --- Others ---------------------------------------------------------------------------------------- */

static bool remove_others(LLVMModuleRef module)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(module, "globaldce", NULL, options);

	LLVMDisposePassBuilderOptions(options);
	if (error)
		LLVMConsumeError(error);
	return !error;
}

int main(int count, char **args)
{
	LLVMMemoryBufferRef buffer;
	LLVMModuleRef module;
	char *message = NULL;

	if (count != 3) {
		fprintf(stderr, "usage: bitcode_strip FROM TO\n");
		return 2;
	}
	if (LLVMCreateMemoryBufferWithContentsOfFile(args[1], &buffer, &message)) {
		fprintf(stderr, "bitcode_strip: %s: %s\n", args[1], message);
		LLVMDisposeMessage(message);
		return 1;
	}
	bool good = !LLVMParseBitcode2(buffer, &module);
	LLVMDisposeMemoryBuffer(buffer);
	if (good) {
		LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
		keep_meanings(module);
		for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
			if (!LLVMIsDeclaration(f) && LLVMCountParams(f) == PARAMS)
				find_rows_once(b, f);
		LLVMDisposeBuilder(b);
		good = remove_others(module) && !LLVMWriteBitcodeToFile(module, args[2]);
		LLVMDisposeModule(module);
	}
	if (!good)
		fprintf(stderr, "bitcode_strip: cannot make %s of %s\n", args[2], args[1]);
	return good ? 0 : 1;
}
