/* SPDX-License-Identifier: Apache-2.0
 *
 * From a kernel to its native code, by a plug-in's compiler.
 */
#ifndef PTXSIM_NATIVE_BUILD_H
#define PTXSIM_NATIVE_BUILD_H

#include "native/link.h"
#include "native/shapes.h"
#include "native/tier.h"

struct native_entry {
	native_fn *run;
	u32 first, end; /* instructions of the code */
	u32 *blocks;    /* where each block begins; the end last */
	u8 fp;
	bool agrees, is_last, through_warps; /* as the region's */
	u32 issued,
		branches; /* atomic: what a warp counted the last time that a whole gang came through; a guess of what others will */
};

/* So many, and it is made again, for what it had been mistaken in. */
enum { MISTAKES_MOST = 20000 };

/* A kernel's code, complete. */
struct kernel_code {
	struct native_code common;
	struct native_entry *entries;
	u32 entry_count;
	u32 *entry_of; /* by instruction: which begins there */
	struct native_image image;
	u64 mistakes;    /* atomic: accesses that were of other shapes than there are ways for; */
	u64 partings;    /* lanes that parted where none had in the trial, as shares of launches; */
	u64 crowds;      /* blocks of several warps, where it is for one, as partings; */
	u64 stops;       /* and warps that have left a region for the interpreter */
	bool lean;       /* accesses of other shapes are meant to go to their handlers */
	u32 row_threads; /* for blocks that has_rows_of() tells apart, alone; */
	bool one_warp;   /* and is_one_warp() */
};

struct native_builder;

/* Finds the kernel's regions; watch: what observers want to know of, or NULL; sample: of a launch, or NULL; choosy: only those are to be compiled that gain by it. Afterwards neither the code nor
 * its program is needed. NULL: there is nothing to run natively, or no memory. */
struct native_builder *native_build_begin(const struct isa *isa, const struct code *code,
					  const struct native_watch *watch, const struct native_sample *sample,
					  bool choosy);
/* Looks for their code in the cache folder. True: *code is it, or NULL if there is nothing to run natively, and the builder
 * is freed. */
bool native_build_cached(struct native_builder *b, struct kernel_code **code, struct native_report *report);
/* Compiles them, keeps the code in the cache folder, and frees the builder. `stop`, set by another thread, ends it early.
 * NULL: there is nothing to run natively, or no memory. What it made is for native_build_free. */
struct kernel_code *native_build_finish(struct native_builder *b, const struct native_plugin *plugin,
					struct native_compiler *compiler, const bool *stop,
					struct native_report *report);
/* Without any of it. b may be NULL. */
void native_build_abandon(struct native_builder *b);
void native_build_free(struct kernel_code *code);

#endif
