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

static LLVMAttributeRef attribute(struct emission *e, const char *name)
{
	return LLVMCreateEnumAttribute(e->c, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
}

/* A call that leaves all rows in their registers, by `through`, of keep.c, or NULL: by itself. result: a pointer's width or
 * less. (A piece of assembly would do the same, but LLVM looks through all names of registers for each that it has.) */
LLVMValueRef call_keeping(struct emission *e, LLVMTypeRef result, const char *through, LLVMValueRef callee,
			  LLVMValueRef *args, u32 count)
{
	static const char keeps[] = "no_caller_saved_registers";
	const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	const u32 first = through ? 1 : 0;
	LLVMTypeRef types[8];
	LLVMValueRef values[8];

	values[0] = callee;
	for (u32 k = 0; k < count; k++)
		values[first + k] = args[k];
	for (u32 k = 0; k < first + count; k++)
		types[k] = LLVMTypeOf(values[k]);
	LLVMTypeRef type = LLVMFunctionType(result, types, first + count, false);
	LLVMValueRef got =
		LLVMBuildCall2(e->b, type, through ? declared(e, through) : callee, values, first + count, "");
	LLVMAddCallSiteAttribute(got, whole, LLVMCreateStringAttribute(e->c, keeps, sizeof keeps - 1, "", 0));
	LLVMAddCallSiteAttribute(got, whole, attribute(e, "nounwind"));
	if (!through)
		return got;
	LLVMAddCallSiteAttribute(got, 1, attribute(e, "nest")); /* %r10 */
	/* What leads there is laid out apart. */
	LLVMAddCallSiteAttribute(got, whole, attribute(e, "cold"));
	return got;
}
