/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the plug-in share. Only they see LLVM.
 */
#ifndef PTXSIM_NATIVE_LLVM_INTERNAL_H
#define PTXSIM_NATIVE_LLVM_INTERNAL_H

#include <llvm-c/Core.h>

#include "native/plugin.h"

static inline LLVMTypeRef element_of(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* The families of src/sem as bitcode, one module each, for one vector width: see bitcode.S. */
struct bitcode {
	const char *name; /* "avx512/float" */
	const u8 *start, *end;
};
extern const struct bitcode native_bitcode[]; /* ends with a NULL name */

/* The family that the meaning is of; NULL: there is no bitcode of it. */
const struct bitcode *family_find(const char *width, const char *meaning);
/* The whole family; NULL: it is damaged. */
LLVMModuleRef family_read(LLVMContextRef c, const struct bitcode *b);
/* Takes llvm.assume away: clang has used it, and for each row that becomes registers LLVM goes through all of them once more. */
void drop_assumptions(LLVMModuleRef module);

/* --- Meanings as functions of a module ------------------------------------------------------- */

struct meaning_function {
	const char *meaning; /* "src/sem/float.c:add_f32" */
	u8 rounding;         /* under which it is compiled: FP_RN, the region's, or that of its instructions */
	LLVMValueRef function;
	bool inlines; /* straight code on rows alone, or an access that says NULL where it gives up */
	bool needs_warp;
	bool scales;       /* an access that may be by a scaled row */
	bool lane_by_lane; /* neither accesses memory nor exchanges values among lanes */
	bool of_mode;      /* computes with floats: what comes out depends on the mode it runs under */
};

struct meanings {
	struct meaning_function *items;
	u32 count;
	u8 fp; /* the regions' mode */
};

/* Meanings that have been asked for, each in one of some small modules, as bitcode, or only noted so far: see extracts.c. Begins as zeros; for
 * one width of vectors, and one thread at a time. */
enum { IN_ITS_FAMILY = 0xffffffff };
struct extract {
	char *meaning;
	u32 module;
};
struct extracts {
	struct extract *items;
	LLVMMemoryBufferRef *modules;
	u32 count, module_count;
};

/* Takes the meanings of `m` that are not to be rounded otherwise into one more module, where some are in none. False: no memory, or damaged
 * bitcode. */
bool extracts_add(struct extracts *e, const char *width, const struct meanings *m);
/* Adds to `module`, which has them declared, their functions. Those that have been asked for before are taken, if they are in no module. */
bool extracts_link(struct extracts *e, const char *width, LLVMModuleRef module, const struct meanings *m);
void extracts_free(struct extracts *e);

/* Declares a meaning's function. */
void meaning_declare(LLVMModuleRef module, const char *meaning, u8 rounding);
/* Adds to `module` the functions of all meanings that the regions name, which have one mode and are all lean or none is. False: no memory, or
 * damaged bitcode. */
bool meanings_link(LLVMModuleRef module, const char *width, const struct region *r, u32 count,
		   struct extracts *extracts, struct meanings *m);
/* The function that x becomes a copy of; NULL: its handler must be called. */
const struct meaning_function *meanings_inlined(const struct meanings *m, const struct region_insn *x);
void meanings_free(struct meanings *m);
/* Takes what several modules of these regions will ask for out of its families at once. Where that fails, so will what asks for it. */
void meanings_prepare(const struct regions *all, const char *width, struct extracts *extracts);

/* --- The region's function ------------------------------------------------------------------- */

/* Builds the function `name` in `module`. vector_bytes: of the host's vectors. */
void region_emit(LLVMModuleRef module, const struct region *r, const struct meanings *m, const char *name,
		 u32 vector_bytes);

/* Has the calls of `slow` in the function leave all rows in their registers. */
void region_keep_rows(LLVMValueRef function, LLVMValueRef slow);

/* Whether what the instruction gives depends on the floating-point mode. */
bool is_of_mode(LLVMValueRef i);
/* Makes the arithmetic of a function round as the mode says, in a region that runs under another; false: something in it cannot. See
 * rounding.c. */
bool rounding_apply(LLVMValueRef function, u8 fp, u8 region_fp);

/* Has the steps of each sum follow each other, where there are more sums than registers: see chains.c. */
void chains_gather(LLVMValueRef function, u32 vector_bytes);

/* Has arithmetic stay before the branches that it stands before: see pin.c. Comes last. */
void pin_results(LLVMValueRef function, u32 vector_bytes);

/* Gives the memory that LLVM's code takes back to the system, until it runs again: see resident.c. */
void code_give_back(void);

/* Lets f32 arithmetic on f32 results leave out the rule that all NaNs are one: see nans.c. */
void nans_put_off(LLVMValueRef function, const struct region *r);

#endif
