/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of meanings, from the bitcode of the families. To read a family's takes a millisecond or two, most of it for what nobody
 * has asked for, and a region needs several: so what several modules ask for is taken out of its family into a small one, which is
 * kept as bitcode and serves all that come. To do that for what is asked for once would take as long again.
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

static struct extract *find(const struct extracts *e, const char *meaning)
{
	for (u32 k = 0; k < e->count; k++)
		if (!strcmp(e->items[k].meaning, meaning))
			return &e->items[k];
	return NULL;
}

/* Notes that a meaning has been asked for. */
static bool add(struct extracts *e, const char *meaning)
{
	struct extract *grown = realloc(e->items, (e->count + 1) * sizeof *grown);
	char *copy = grown ? strdup(meaning) : NULL;

	e->items = grown ? grown : e->items;
	if (copy)
		e->items[e->count++] = (struct extract){.meaning = copy, .module = IN_ITS_FAMILY};
	return copy;
}

/* Whether it comes as it stands from a family, or from what has been taken of one. */
static bool is_plain(const struct meaning_function *m, const char *width)
{
	return m->rounding == FP_RN && family_find(width, m->meaning);
}

static bool is_in(const struct extracts *e, const char *meaning, u32 module)
{
	const struct extract *x = find(e, meaning);

	return x && x->module == module;
}

/* Adds the functions of those meanings that are in `module` number n, or are to be, from their families. */
static bool link_families(LLVMModuleRef module, const struct extracts *e, const char *width, const struct meanings *m,
			  u32 n)
{
	bool good = true, any = false;

	for (const struct bitcode *b = native_bitcode; b->name; b++) {
		bool wanted = false;
		for (u32 k = 0; k < m->count; k++)
			wanted |= is_plain(&m->items[k], width) && family_find(width, m->items[k].meaning) == b &&
				  is_in(e, m->items[k].meaning, n);
		good = good && (!wanted || link_some(module, (const char *)b->start, (size_t)(b->end - b->start)));
		any |= wanted;
	}
	if (any)
		drop_assumptions(module);
	return good;
}

/* Of those meanings that have been given its number. */
static bool make_module(struct extracts *e, const char *width, const struct meanings *m)
{
	LLVMMemoryBufferRef *grown = realloc(e->modules, (e->module_count + 1) * sizeof *grown);
	LLVMContextRef c = LLVMContextCreate();
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext("meanings", c);

	e->modules = grown ? grown : e->modules;
	for (u32 k = 0; k < e->count; k++)
		if (e->items[k].module == e->module_count)
			meaning_declare(module, e->items[k].meaning, FP_RN);
	const bool good = grown && link_families(module, e, width, m, e->module_count);
	if (good)
		e->modules[e->module_count++] = LLVMWriteBitcodeToMemoryBuffer(module);
	LLVMDisposeModule(module);
	LLVMContextDispose(c);
	return good;
}

/* Notes all; false: no memory. */
static bool note(struct extracts *e, const char *width, const struct meanings *m)
{
	bool good = true;

	for (u32 k = 0; good && k < m->count; k++)
		good = !is_plain(&m->items[k], width) || find(e, m->items[k].meaning) || add(e, m->items[k].meaning);
	return good;
}

/* Takes those that have been noted. */
static bool take(struct extracts *e, const char *width, const struct meanings *m)
{
	bool any = false;

	for (u32 k = 0; k < m->count; k++) {
		struct extract *x = is_plain(&m->items[k], width) ? find(e, m->items[k].meaning) : NULL;
		if (!x || x->module != IN_ITS_FAMILY)
			continue;
		x->module = e->module_count;
		any = true;
	}
	if (!any || make_module(e, width, m))
		return true;
	for (u32 k = 0; k < e->count; k++)
		if (e->items[k].module == e->module_count)
			e->items[k].module = IN_ITS_FAMILY;
	return false;
}

bool extracts_add(struct extracts *e, const char *width, const struct meanings *m)
{
	return note(e, width, m) && take(e, width, m);
}

bool extracts_link(struct extracts *e, const char *width, LLVMModuleRef module, const struct meanings *m)
{
	if (!take(e, width, m) || !note(e, width, m))
		return false;
	for (u32 n = 0; n < e->module_count; n++) {
		bool wanted = false;
		for (u32 k = 0; k < m->count; k++)
			wanted |= is_plain(&m->items[k], width) && is_in(e, m->items[k].meaning, n);
		if (wanted && !link_some(module, LLVMGetBufferStart(e->modules[n]), LLVMGetBufferSize(e->modules[n])))
			return false;
	}
	return link_families(module, e, width, m, IN_ITS_FAMILY);
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
