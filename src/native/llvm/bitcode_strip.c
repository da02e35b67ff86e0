/* SPDX-License-Identifier: Apache-2.0
 *
 * Run by the build: bitcode_strip FROM TO leaves of a family's bitcode what native code may ask for, which are the functions of meanings and
 * whatever these refer to. The tables of the instruction set that name them take as long to read again.
 */
#include <stdbool.h>
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
		keep_meanings(module);
		good = remove_others(module) && !LLVMWriteBitcodeToFile(module, args[2]);
		LLVMDisposeModule(module);
	}
	if (!good)
		fprintf(stderr, "bitcode_strip: cannot make %s of %s\n", args[2], args[1]);
	return good ? 0 : 1;
}
