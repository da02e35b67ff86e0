/* SPDX-License-Identifier: Apache-2.0
 *
 * Links the functions of the meanings that a region needs, and judges which of them can be
 * inlined: straight code, but for loops that leave rows alone, whose rows then become registers. All others are called through their handlers.
 */
#include "native/llvm/internal.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Linker.h>

/* --- What can be inlined ------------------------------------------------------------------------ */

static bool may_call(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t length;

	if (!LLVMIsAFunction(callee))
		return false;
	const char *name = LLVMGetValueName2(callee, &length);
	return !strncmp(name, "llvm.", 5) || !strncmp(name, "scattered_", 10) || !strcmp(name, "native_range_slow");
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

static bool inlines(LLVMValueRef function, bool may_loop)
{
	if (!function || LLVMIsDeclaration(function) || LLVMCountParams(function) != 4)
		return false;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		if (!may_loop && loops(function, b))
			return false;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMGetInstructionOpcode(i) == LLVMCall && !may_call(i))
				return false;
	}
	return true;
}

/* A call of what computes with floats, or an instruction that does. */
bool is_of_mode(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFRem:
	case LLVMFCmp:
	case LLVMFPTrunc:
	case LLVMFPExt:
	case LLVMFPToSI:
	case LLVMFPToUI:
	case LLVMSIToFP:
	case LLVMUIToFP:
		return true;
	case LLVMCall:
		for (int k = 0; k < LLVMGetNumOperands(i) - 1; k++) {
			const LLVMTypeKind kind =
				LLVMGetTypeKind(element_of(LLVMTypeOf(LLVMGetOperand(i, (unsigned)k))));
			if (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind)
				return true;
		}
		return false;
	default:
		return false;
	}
}

/* Takes a mark of sem/native_insn.h away; whether there was one. */
static bool takes_mark(LLVMModuleRef module, LLVMValueRef function, const char *name)
{
	LLVMValueRef mark = LLVMGetNamedFunction(module, name);
	bool found = false;
	LLVMUseRef next;

	for (LLVMUseRef use = mark ? LLVMGetFirstUse(mark) : NULL; use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (LLVMIsACallInst(user) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function) {
			LLVMInstructionEraseFromParent(user);
			found = true;
		}
	}
	return found;
}

static LLVMTypeRef meaning_type(LLVMContextRef c)
{
	LLVMTypeRef p = LLVMPointerTypeInContext(c, 0);
	LLVMTypeRef params[] = {p, p, p, LLVMInt32TypeInContext(c)};

	return LLVMFunctionType(p, params, 4, false);
}

/* In the bitcode, and, with a rounding of its own, in the region's module. */
static void function_name(const char *meaning, u8 rounding, char *name, size_t size)
{
	const char *colon = strrchr(meaning, ':');
	static const char *const suffixes[] = {[FP_RN] = "", [FP_RZ] = ".rz", [FP_RM] = ".rm", [FP_RP] = ".rp"};

	snprintf(name, size, "%s_run%s", colon ? colon + 1 : meaning, suffixes[rounding]);
}

/* The field that a load reads, by its offset in what `base` points at; false: none of it. */
static bool reads_field(LLVMValueRef load, LLVMValueRef base, u64 *offset)
{
	LLVMValueRef place = LLVMIsALoadInst(load) ? LLVMGetOperand(load, 0) : NULL;

	*offset = 0;
	if (place == base)
		return true;
	if (!place || !LLVMIsAGetElementPtrInst(place) || LLVMGetOperand(place, 0) != base ||
	    LLVMGetNumOperands(place) != 2 || !LLVMIsAConstantInt(LLVMGetOperand(place, 1)) ||
	    LLVMGetGEPSourceElementType(place) != LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(place))))
		return false;
	*offset = LLVMConstIntGetZExtValue(LLVMGetOperand(place, 1));
	return true;
}

/* A warp keeps its worker and its block, and the block its shared memory, while a region runs: one load serves all accesses, whatever
 * is called between them. */
static void mark_fixed_fields(LLVMValueRef function)
{
	LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	LLVMValueRef mark = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0)), warp = LLVMGetParam(function, 0);
	const unsigned kind = LLVMGetMDKindIDInContext(c, "invariant.load", 14);
	u64 offset;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (!reads_field(i, warp, &offset) ||
			    (offset != offsetof(struct warp, block) && offset != offsetof(struct warp, worker)))
				continue;
			LLVMSetMetadata(i, kind, mark);
			if (offset == offsetof(struct warp, worker))
				continue;
			for (LLVMBasicBlockRef at = b; at; at = LLVMGetNextBasicBlock(at))
				for (LLVMValueRef k = LLVMGetFirstInstruction(at); k; k = LLVMGetNextInstruction(k))
					if (reads_field(k, i, &offset) &&
					    (offset == offsetof(struct block, shared) ||
					     offset == offsetof(struct block, near_bytes)))
						LLVMSetMetadata(k, kind, mark);
		}
}

/* A meaning asks whether all lanes run, and writes whole rows if so. To write lanes by the mask does the same; where it is known that all
 * run, LLVM finds that. It is half of the code, and no branch. */
static void always_merge(LLVMValueRef function)
{
	LLVMValueRef mask = LLVMGetParam(function, 3);
	LLVMTypeRef i1 = LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(mask)));
	LLVMUseRef next;

	for (LLVMUseRef use = LLVMGetFirstUse(mask); use; use = next) {
		LLVMValueRef asks = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (!LLVMIsAICmpInst(asks) || LLVMGetOperand(asks, 1) != LLVMConstAllOnes(LLVMTypeOf(mask)))
			continue;
		const LLVMIntPredicate how = LLVMGetICmpPredicate(asks);
		if (how == LLVMIntEQ || how == LLVMIntNE)
			LLVMReplaceAllUsesWith(asks, LLVMConstInt(i1, how == LLVMIntNE, false));
	}
}

static void judge(LLVMModuleRef module, struct meaning_function *m, const struct region *r)
{
	LLVMContextRef c = LLVMGetModuleContext(module);
	const unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
	char name[128];

	function_name(m->meaning, m->rounding, name, sizeof name);
	m->function = LLVMGetNamedFunction(module, name);
	if (m->function)
		m->of_mode = takes_mark(module, m->function, "native_under_mode");
	const bool may_loop = m->function && takes_mark(module, m->function, "native_loops");
	m->scales = m->function && takes_mark(module, m->function, "native_scales");
	m->inlines = inlines(m->function, may_loop) &&
		     (m->rounding == FP_RN || rounding_apply(m->function, m->rounding | (r->fp & FP_FTZ), r->fp));
	if (!m->inlines)
		return;
	mark_fixed_fields(m->function);
	if (r->lean && m->lane_by_lane)
		always_merge(m->function);
	m->needs_warp = LLVMGetFirstUse(LLVMGetParam(m->function, 0)) != NULL;
	LLVMSetLinkage(m->function, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(m->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(c, kind, 0));
}

/* An instruction's rounding, where it is not the region's. */
static u8 own_rounding(const struct region_insn *x) { return x->other_mode ? x->plain->fp & 3 : FP_RN; }

static const struct meaning_function *find(const struct meanings *m, const char *meaning, u8 rounding)
{
	for (u32 k = 0; meaning && k < m->count; k++)
		if (!strcmp(m->items[k].meaning, meaning) && m->items[k].rounding == rounding)
			return &m->items[k];
	return NULL;
}

const struct meaning_function *meanings_inlined(const struct meanings *m, const struct region_insn *x)
{
	const struct meaning_function *f = find(m, x->meaning, own_rounding(x));
	const bool other_flushing = x->other_mode && (x->plain->fp ^ m->fp) & FP_FTZ;

	if (!f || !f->inlines || (f->needs_warp && !x->accesses && !x->together))
		return NULL;
	return other_flushing && f->of_mode ? NULL : f;
}

void meaning_declare(LLVMModuleRef module, const char *meaning, u8 rounding)
{
	char name[128];

	function_name(meaning, rounding, name, sizeof name);
	if (!LLVMGetNamedFunction(module, name))
		LLVMAddFunction(module, name, meaning_type(LLVMGetModuleContext(module)));
}

/* Adds the region's to the list. */
static bool list(struct meanings *m, const struct region *r)
{
	for (u32 b = 0; b < r->block_count; b++)
		for (u32 k = 0; k < r->blocks[b].insn_count; k++) {
			const struct region_insn *x = &r->blocks[b].insns[k];
			const char *meaning = x->meaning;
			const u8 rounding = own_rounding(x);
			if (!meaning || find(m, meaning, rounding))
				continue;
			struct meaning_function *grown = realloc(m->items, (m->count + 1) * sizeof *grown);
			if (!grown)
				return false;
			m->items = grown;
			m->items[m->count++] = (struct meaning_function){
				.meaning = meaning, .rounding = rounding, .lane_by_lane = !x->accesses && !x->together};
		}
	return true;
}

void meanings_prepare(const struct regions *all, const char *width, struct extracts *extracts)
{
	struct meanings m = {0};
	bool good = true;

	for (u32 k = 0; good && k < all->count; k++)
		good = all->items[k].left || list(&m, &all->items[k]);
	if (good)
		extracts_add(extracts, width, &m);
	meanings_free(&m);
}

/* A copy of one function under another name. */
static bool link_again(LLVMModuleRef module, const struct bitcode *b, const struct meaning_function *m)
{
	LLVMModuleRef from = family_read(LLVMGetModuleContext(module), b);
	char name[128];

	if (!from)
		return false;
	function_name(m->meaning, FP_RN, name, sizeof name);
	LLVMValueRef f = LLVMGetNamedFunction(from, name);
	function_name(m->meaning, m->rounding, name, sizeof name);
	if (f)
		LLVMSetValueName2(f, name, strlen(name));
	drop_assumptions(from);
	return !LLVMLinkModules2(module, from);
}

bool meanings_link(LLVMModuleRef module, const char *width, const struct region *r, u32 count,
		   struct extracts *extracts, struct meanings *m)
{
	*m = (struct meanings){.fp = r->fp};
	for (u32 k = 0; k < count; k++)
		if (!list(m, &r[k]))
			return false;
	for (u32 k = 0; k < m->count; k++)
		meaning_declare(module, m->items[k].meaning, m->items[k].rounding);
	if (!extracts_link(extracts, width, module, m))
		return false;
	for (u32 k = 0; k < m->count; k++) {
		const struct meaning_function *f = &m->items[k];
		const struct bitcode *b = f->rounding != FP_RN ? family_find(width, f->meaning) : NULL;
		if (b && !link_again(module, b, f))
			return false;
	}
	for (u32 k = 0; k < m->count; k++)
		judge(module, &m->items[k], r);
	return true;
}

void meanings_free(struct meanings *m) { free(m->items); }
