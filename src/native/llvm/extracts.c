/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of meanings, from the bitcode of the families. To read a family's takes a millisecond or two, most of it for what nobody
 * has asked for, and a region needs several: so what is asked for the first time is taken out of its family into a small module, which is
 * kept as bitcode and serves all regions that come.
 */
#include "native/llvm/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>

const struct bitcode *family_find(const char *width, const char *meaning)
{
	const char *slash = strrchr(meaning, '/'), *file = slash ? slash + 1 : meaning;
	char name[128];

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

LLVMModuleRef family_read(LLVMContextRef c, const struct bitcode *b)
{
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange((const char *)b->start,
									   (size_t)(b->end - b->start), b->name, false);
	LLVMModuleRef module;
	const bool damaged = LLVMParseBitcodeInContext2(c, buffer, &module);

	LLVMDisposeMemoryBuffer(buffer);
	if (damaged)
		return NULL;
	make_optional(module);
	return module;
}

/* Adds those functions that `module` has declared. */
static bool link_some(LLVMModuleRef module, const char *start, size_t bytes)
{
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(start, bytes, "meanings", false);
	LLVMModuleRef from;

	if (LLVMGetBitcodeModuleInContext2(LLVMGetModuleContext(module), buffer, &from))
		return false;
	make_optional(from);
	return !LLVMLinkModules2(module, from);
}

void drop_assumptions(LLVMModuleRef module)
{
	LLVMValueRef assume = LLVMGetNamedFunction(module, "llvm.assume");
	LLVMUseRef next;

	for (LLVMUseRef use = assume ? LLVMGetFirstUse(assume) : NULL; use; use = next) {
		next = LLVMGetNextUse(use);
		if (LLVMIsACallInst(LLVMGetUser(use)))
			LLVMInstructionEraseFromParent(LLVMGetUser(use));
	}
}

static const struct extract *find(const struct extracts *e, const char *meaning)
{
	for (u32 k = 0; k < e->count; k++)
		if (!strcmp(e->items[k].meaning, meaning))
			return &e->items[k];
	return NULL;
}

/* Notes that the next module will have the meaning. */
static bool add(struct extracts *e, const char *meaning)
{
	struct extract *grown = realloc(e->items, (e->count + 1) * sizeof *grown);
	char *copy = grown ? strdup(meaning) : NULL;

	e->items = grown ? grown : e->items;
	if (copy)
		e->items[e->count++] = (struct extract){.meaning = copy, .module = e->module_count};
	return copy;
}

/* Of all meanings that have been added for it. */
static bool make_module(struct extracts *e, const char *width, u32 first)
{
	LLVMMemoryBufferRef *grown = realloc(e->modules, (e->module_count + 1) * sizeof *grown);
	LLVMContextRef c = LLVMContextCreate();
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext("meanings", c);
	const struct bitcode *done = NULL;
	bool good = grown;

	e->modules = grown ? grown : e->modules;
	for (u32 k = first; k < e->count; k++)
		meaning_declare(module, e->items[k].meaning, FP_RN);
	for (const struct bitcode *b = native_bitcode; b->name; b++)
		for (u32 k = first; good && k < e->count && done != b; k++) {
			if (family_find(width, e->items[k].meaning) != b)
				continue;
			good = link_some(module, (const char *)b->start, (size_t)(b->end - b->start));
			done = b;
		}
	drop_assumptions(module);
	if (good)
		e->modules[e->module_count++] = LLVMWriteBitcodeToMemoryBuffer(module);
	LLVMDisposeModule(module);
	LLVMContextDispose(c);
	return good;
}

bool extracts_add(struct extracts *e, const char *width, const struct meanings *m)
{
	const u32 first = e->count;
	bool good = true;

	for (u32 k = 0; good && k < m->count; k++)
		if (m->items[k].rounding == FP_RN && family_find(width, m->items[k].meaning) &&
		    !find(e, m->items[k].meaning))
			good = add(e, m->items[k].meaning);
	good = good && (e->count == first || make_module(e, width, first));
	if (!good)
		while (e->count > first)
			free(e->items[--e->count].meaning);
	return good;
}

bool extracts_link(struct extracts *e, const char *width, LLVMModuleRef module, const struct meanings *m)
{
	if (!extracts_add(e, width, m))
		return false;
	for (u32 n = 0; n < e->module_count; n++) {
		bool wanted = false;
		for (u32 k = 0; k < m->count; k++) {
			const struct extract *x = m->items[k].rounding == FP_RN ? find(e, m->items[k].meaning) : NULL;
			wanted |= x && x->module == n;
		}
		if (wanted && !link_some(module, LLVMGetBufferStart(e->modules[n]), LLVMGetBufferSize(e->modules[n])))
			return false;
	}
	return true;
}

void extracts_free(struct extracts *e)
{
	for (u32 k = 0; k < e->count; k++)
		free(e->items[k].meaning);
	for (u32 n = 0; n < e->module_count; n++)
		LLVMDisposeMemoryBuffer(e->modules[n]);
	free(e->items);
	free(e->modules);
}
