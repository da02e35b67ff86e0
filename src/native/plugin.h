/* SPDX-License-Identifier: Apache-2.0
 *
 * What libptxsim-native.so, which holds all that needs LLVM, and the program that loads it agree on.
 *
 * The plug-in turns a region into a function. The function gets a warp that stands at the region's beginning with all
 * its lanes, its rows, and a struct native_run, which lanes that go different ways, counts and the way out live in.
 */
#ifndef PTXSIM_NATIVE_PLUGIN_H
#define PTXSIM_NATIVE_PLUGIN_H

#include "exec/run.h"
#include "native/region.h"

enum { NATIVE_VERSION = 27, NATIVE_WAYS = 64, NATIVE_ALONG = 32, NATIVE_BODY = 1, NATIVE_NO_JOIN = 0xffffffff };

/* How a warp left a region. */
enum native_exit {
	NATIVE_DONE, /* at its end, with all lanes */
	NATIVE_STOP, /* before instruction `at`, for which the interpreter is needed: it may fault */
	NATIVE_SPENT /* at `at`, after a jump upwards: the budget is used up */
};

/* Lanes that have yet to run from a block, or that have arrived at a join. */
struct native_way {
	u32 block, lanes;
	bool is_join;
	u32 outer; /* a join's: the block of the one around it, or NATIVE_NO_JOIN; and where that stands */
	u32 outer_at;
	u32 awaited; /* a join's, in machine code: what the barrier's row says of its lanes */
};

/* A row at equal distances that a region leaves behind: its place in the frame, with 1 added if its words have 64 bits. */
struct native_along {
	u32 place;
	s32 step;
	u64 first; /* the first lane's number */
};

/* Of the lanes that part in machine code: who goes on, if any may. */
enum native_first { NATIVE_NONE_FIRST, NATIVE_TAKEN_FIRST, NATIVE_OTHERS_FIRST };

struct native_run {
	void *stack;  /* of native_run_region, to which native_keep_or_leave returns */
	s64 budget;   /* less by each instruction that counts */
	u64 idle;     /* lanes that did not run, summed over these */
	u64 branches; /* from bit 32 on: those at which lanes parted */
	u32 mask;     /* with `at` behind it: native code writes both at once */
	u32 at;
	/* The warp that has left, or has come to the end last. Before it, the function may have run others on its own, up to the one with
	 * last_rows, whose rows are `stride` apart: all have come to the end with expected_budget and expected_branches, and idled no lanes. */
	struct warp *warp;
	u8 *last_rows;
	const u8 *
		block_rows; /* the rows of the gang's first warp, where what all warps of a block have in common is read */
	u64 stride;
	s64 expected_budget;
	u64 expected_branches;
	u32 join, join_at; /* the block of the innermost join, or NATIVE_NO_JOIN; and its place in `ways` */
	u32 depth;
	u32 fp;
	u32 tries; /* calls of native_services.try */
	u32 timed; /* not 0: `time` is called before each instruction that is tallied */
	u32 told,
		told_last; /* NATIVE_STOP: observers know that these instructions, the next to run, do; or NO_OPERAND */
	struct native_tally *tallies;           /* by instruction; NULL if there are no observers */
	u64 *repeats;                           /* the warp's of worker->repeats.times */
	u64 repeats_stride;                     /* bytes from these to the next warp's */
	struct native_pattern *const *patterns; /* by instruction; NULL as `tallies` */
	u64 order;                              /* of the warp among those of the launch: warp_order */
	const struct insn *insns;               /* the code's, as warps run them by themselves */
	const struct code *code;
	const u32 *blocks;       /* of the region: where each begins; its end's last */
	struct passing *passing; /* NULL: no blocks pass (exec/blocks.h) */
	u32 beside; /* machine code: the place in `ways`, plus 1, of lanes that wait beside those that run; 0: none */
	u32 along_count; /* NATIVE_STOP, NATIVE_SPENT: rows that have yet to be written to the frame */
	struct native_along along[NATIVE_ALONG];
	struct native_way ways[NATIVE_WAYS];
};

/* The plug-in's has a convention of its own: it keeps no register but %rsp and %rbp, and gets these in %r12, %r13 and %r14. */
typedef u32 native_fn(struct native_run *r, struct warp *w, u8 *rows);

/* What native code calls. */
struct native_services {
	/* Runs instruction number k for the lanes of `mask` by its handler; false: it would fault. */
	bool (*compute)(struct native_run *r, struct warp *w, u8 *rows, u32 k, u32 mask); /* touches no memory */
	bool (*call)(struct native_run *r, struct warp *w, u8 *rows, u32 k, u32 mask);
	/* The same for an access that is none of the shapes that it has in line. Called by native_keep_or_leave, which does not return
	 * if it would fault: the region ends with NATIVE_STOP, and all that this needs stands in *r and in the frame. */
	bool (*try)(struct native_run *r, struct warp *w, u8 *rows, u32 k, u32 mask);
	/* The same where the addresses are a row at equal distances, which the frame does not hold: first, the first lane's; which, the
	 * instruction's number, and from bit 32 on the distance. */
	bool (*try_along)(struct native_run *r, struct warp *w, u8 *rows, u64 which, u32 mask, u64 first);
	/* The same where they are a scaled row (native/scaled.h), of which the frame holds the index in its place: base, where index 0
	 * is; which, from bit 32 on the shift and SCALED_SIGNED. */
	bool (*try_scaled)(struct native_run *r, struct warp *w, u8 *rows, u64 which, u32 mask, u64 base);
	/* This and the next change no register but that of the result. Of the lanes `mask`, `taken` go to block `target`, and all meet at block `join`. The others, which are
	 * returned, go on. Needs room for two more ways. */
	u32 (*part)(struct native_run *r, u32 mask, u32 taken, u32 target, u32 join);
	/* The lanes `mask` have arrived at the innermost join. Twice the number of the block where r->mask goes on;
	 * NATIVE_BODY is added where that is behind its join. */
	u32 (*meet)(struct native_run *r, u32 mask);
	/* Tells the launch's observers that the lanes of `mask` come to instruction number k. repeats: it is one of
	 * NATIVE_REPEATS. */
	void (*tell)(struct native_run *r, struct warp *w, u8 *rows, u32 k, u32 mask, bool repeats);
	/* Tells those who want to know the order in time. */
	void (*time)(struct native_run *r, struct warp *w, u8 *rows, u32 k, u32 mask);
	/* Machine code: of the lanes in the lower half of `lanes` those in the upper half branch. blocks: from bit 0 on that where they go,
	 * from bit 16 on that of the others, from bit 32 on that where all meet. Sets r->mask to who goes on; NATIVE_NONE_FIRST:
	 * the interpreter must do it. */
	u32 (*part_machine)(struct native_run *r, u8 *rows, u64 lanes, u64 blocks, bool fewer_first);
	/* Whether lanes that have come to the BSYNC of that block wait for any that are elsewhere. */
	u32 (*awaits)(struct native_run *r, const u8 *rows, u32 mask, u32 block);
	u8 *(*native_range_slow)(struct warp *w, const struct insn *i, u64 low, u64 high);
};

struct native_compiler;

/* What the compiler has made of regions. */
struct native_made {
	u8 *object; /* for free(); NULL: nothing */
	size_t bytes;
	u32 regions;      /* it is of the first so many of those that were asked for */
	u32 handlers;     /* instructions that call the interpreter's handler, */
	u32 *handlers_of; /* and the numbers of the first `handlers_room` of them: the caller's memory */
	u32 handlers_room;
};

struct native_plugin {
	u32 version;
	const char *description; /* "LLVM 19.1.7" */
	/* For a processor with vectors of so many bytes. NULL and a message: the host cannot. */
	struct native_compiler *(*open)(u32 vector_bytes, char *message, size_t size);
	/* What these regions have in common is made ready once. Not needed for `compile`. */
	void (*prepare)(struct native_compiler *c, const struct regions *all);
	/* Makes an object file of the first of `count` regions, with those behind it that are small and go together. It has a
	 * global function, a native_fn, of each, which refers to native_services by their names; its own ends with the region's
	 * number: `first` and so on. False and a message: none was made. May be called by one thread at a time. choosy: not for
	 * regions that would run no faster than interpreted. */
	bool (*compile)(struct native_compiler *c, const struct region *r, u32 count, u32 first, bool choosy,
			const char *name, struct native_made *made, char *message, size_t size);
	/* A kernel's regions are done, and nothing may be wanted for long: gives back memory. */
	void (*rest)(struct native_compiler *c);
	void (*close)(struct native_compiler *c);
	/* The file that LLVM's own code lies in. False: it is not known, or no longer the one that was opened. */
	bool (*library)(const struct native_compiler *c, char *path, size_t size);
};

/* What the plug-in exports, under this name. */
__attribute__((visibility("default"))) const struct native_plugin *ptxsim_native_plugin(void);

#endif
