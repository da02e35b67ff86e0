/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls out of native code, ordinary ones and those that leave all rows in their registers.
 */
#include "native/llvm/emission.h"

#include <string.h>

/* A function of the plug-in or the program, as an address. */
LLVMValueRef declared(struct emission *e, const char *name)
{
	LLVMValueRef f = LLVMGetNamedFunction(e->module, name);

	return f ? f : LLVMAddFunction(e->module, name, LLVMFunctionType(LLVMVoidTypeInContext(e->c), NULL, 0, false));
}

LLVMValueRef call(struct emission *e, LLVMTypeRef result, const char *name, LLVMValueRef *args, u32 count)
{
	LLVMTypeRef types[8];
	for (u32 k = 0; k < count; k++)
		types[k] = LLVMTypeOf(args[k]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	LLVMValueRef f = LLVMGetNamedFunction(e->module, name);

	if (!f)
		f = LLVMAddFunction(e->module, name, type);
	return LLVMBuildCall2(e->b, type, f, args, count, "");
}

/* A call that leaves all rows in their registers, by `through`, of keep.c, or NULL: by itself. result: a pointer's width or
 * less. */
LLVMValueRef call_keeping(struct emission *e, LLVMTypeRef result, const char *through, LLVMValueRef callee,
			  LLVMValueRef *args, u32 count)
{
	static const char *const places[] = {"{rdi}", "{rsi}", "{rdx}", "{rcx}", "{r8}", "{r9}"};
	LLVMTypeRef types[8];
	LLVMValueRef values[8];
	char constraints[128] = "={rax},0,r";

	values[0] = callee;
	values[1] = through ? declared(e, through) : callee;
	for (u32 k = 0; k < count; k++) {
		values[k + 2] = args[k];
		strcat(strcat(constraints, ","), places[k]);
	}
	strcat(constraints, ",~{memory},~{dirflag},~{fpsr},~{flags}");
	for (u32 k = 0; k < count + 2; k++)
		types[k] = LLVMTypeOf(values[k]);
	LLVMTypeRef type = LLVMFunctionType(e->ptr, types, count + 2, false);
	static const char text[] = "call *$2";
	LLVMValueRef code = LLVMGetInlineAsm(type, text, sizeof text - 1, constraints, strlen(constraints), true, false,
					     LLVMInlineAsmDialectATT, false);
	LLVMValueRef got = LLVMBuildCall2(e->b, type, code, values, count + 2, "");
	/* What leads there is laid out apart. */
	if (through)
		LLVMAddCallSiteAttribute(got, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					 LLVMCreateEnumAttribute(e->c, LLVMGetEnumAttributeKindForName("cold", 4), 0));
	if (LLVMGetTypeKind(result) == LLVMPointerTypeKind)
		return got;
	return LLVMBuildTrunc(e->b, LLVMBuildPtrToInt(e->b, got, e->i64, ""), result, "");
}
