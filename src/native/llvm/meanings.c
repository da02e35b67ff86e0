/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the functions of meanings in the bitcode, links those that a region needs, and judges which of them can be
 * inlined: straight code whose rows then become registers. All others are called through their handlers.
 */
#include "native/llvm/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

static const struct bitcode *bitcode_find(const char *width, const char *file)
{
	const char *slash = strrchr(file, '/');
	char name[128];

	file = slash ? slash + 1 : file;
	snprintf(name, sizeof name, "%s/%.*s", width, (int)strcspn(file, "."), file);
	for (const struct bitcode *b = native_bitcode; b->name; b++)
		if (!strcmp(b->name, name))
			return b;
	return NULL;
}

/* Only what is asked for by name is to be linked. */
static void make_optional(LLVMModuleRef m)
{
	LLVMValueRef next;

	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = next) {
		next = LLVMGetNextGlobal(g);
		if (LLVMGetLinkage(g) == LLVMExternalLinkage && !LLVMIsDeclaration(g))
			LLVMSetLinkage(g, LLVMLinkOnceODRLinkage);
	}
}

static bool link_file(LLVMModuleRef module, const struct bitcode *b)
{
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange((const char *)b->start,
									   (size_t)(b->end - b->start), b->name, false);
	LLVMModuleRef from;

	if (LLVMGetBitcodeModuleInContext2(LLVMGetModuleContext(module), buffer, &from))
		return false;
	make_optional(from);
	return !LLVMLinkModules2(module, from);
}

/* --- What can be inlined ------------------------------------------------------------------------ */

static bool may_call(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t length;

	if (!LLVMIsAFunction(callee))
		return false;
	const char *name = LLVMGetValueName2(callee, &length);
	return !strncmp(name, "llvm.", 5) || !strcmp(name, "global_range_slow");
}

/* Blocks are laid out so that a branch to an earlier one, or to itself, closes a loop. */
static bool loops(LLVMValueRef function, LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

	for (u32 s = 0; s < LLVMGetNumSuccessors(end); s++)
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
			if (b == LLVMGetSuccessor(end, s))
				return true;
			if (b == block)
				break;
		}
	return false;
}

static bool inlines(LLVMValueRef function)
{
	if (!function || LLVMIsDeclaration(function) || LLVMCountParams(function) != 4)
		return false;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		if (loops(function, b))
			return false;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMGetInstructionOpcode(i) == LLVMCall && !may_call(i))
				return false;
	}
	return true;
}

static LLVMTypeRef meaning_type(LLVMContextRef c)
{
	LLVMTypeRef p = LLVMPointerTypeInContext(c, 0);
	LLVMTypeRef params[] = {p, p, p, LLVMInt32TypeInContext(c)};

	return LLVMFunctionType(p, params, 4, false);
}

static void function_name(const char *meaning, char *name, size_t size)
{
	const char *colon = strrchr(meaning, ':');

	snprintf(name, size, "%s_run", colon ? colon + 1 : meaning);
}

static void judge(LLVMModuleRef module, struct meaning_function *m)
{
	LLVMContextRef c = LLVMGetModuleContext(module);
	const unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
	char name[128];

	function_name(m->meaning, name, sizeof name);
	m->function = LLVMGetNamedFunction(module, name);
	m->inlines = inlines(m->function);
	if (!m->inlines)
		return;
	m->needs_warp = LLVMGetFirstUse(LLVMGetParam(m->function, 0)) != NULL;
	LLVMSetLinkage(m->function, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(m->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(c, kind, 0));
}

const struct meaning_function *meanings_find(const struct meanings *m, const char *meaning)
{
	for (u32 k = 0; meaning && k < m->count; k++)
		if (!strcmp(m->items[k].meaning, meaning))
			return &m->items[k];
	return NULL;
}

/* Declares the functions of all meanings of the region; *files of them are in files of their own. */
static bool declare(LLVMModuleRef module, const struct region *r, struct meanings *m)
{
	LLVMTypeRef type = meaning_type(LLVMGetModuleContext(module));
	char name[128];

	for (u32 b = 0; b < r->block_count; b++)
		for (u32 k = 0; k < r->blocks[b].insn_count; k++) {
			const char *meaning = r->blocks[b].insns[k].meaning;
			if (!meaning || meanings_find(m, meaning))
				continue;
			struct meaning_function *grown = realloc(m->items, (m->count + 1) * sizeof *grown);
			if (!grown)
				return false;
			m->items = grown;
			m->items[m->count++] = (struct meaning_function){.meaning = meaning};
			function_name(meaning, name, sizeof name);
			if (!LLVMGetNamedFunction(module, name))
				LLVMAddFunction(module, name, type);
		}
	return true;
}

static bool same_file(const char *a, const char *b)
{
	const size_t length = (size_t)(strrchr(a, ':') - a);

	return !strncmp(a, b, length + 1);
}

bool meanings_link(LLVMModuleRef module, const char *width, const struct region *r, struct meanings *m)
{
	*m = (struct meanings){0};
	if (!declare(module, r, m))
		return false;
	for (u32 k = 0; k < m->count; k++) {
		bool known = false;
		for (u32 e = 0; e < k; e++)
			known |= same_file(m->items[k].meaning, m->items[e].meaning);
		const struct bitcode *b = known ? NULL : bitcode_find(width, m->items[k].meaning);
		if (b && !link_file(module, b))
			return false;
	}
	for (u32 k = 0; k < m->count; k++)
		judge(module, &m->items[k]);
	return true;
}

void meanings_free(struct meanings *m) { free(m->items); }
