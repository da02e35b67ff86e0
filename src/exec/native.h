/* SPDX-License-Identifier: Apache-2.0
 *
 * What execution knows of native code: another copy of a kernel's gang_insns, where the first instructions of regions
 * have a handler that runs them natively. It may be there from the start, or come while the launch runs: a block takes
 * the one that is there when it begins.
 */
#ifndef PTXSIM_EXEC_NATIVE_H
#define PTXSIM_EXEC_NATIVE_H

#include "decode/program.h"

/* A function that native code, which has rows in all vector registers, calls without saving them. It must call no other. */
#if defined __x86_64__
#define KEEPS_REGISTERS __attribute__((target("general-regs-only"), no_caller_saved_registers))
#else
#define KEEPS_REGISTERS
#endif

/* What the addresses of an access look like, as far as a trial has shown (native/trial.c); a set of these, or 0: nothing is known.
 * Native code has ways in line for these alone. `bytes`: what a lane accesses; a part: a quarter of the warp by 32-bit addresses,
 * a half by 64-bit ones. */
enum access_shape {
	SHAPE_ROW = 1,      /* neighbours, `bytes` apart */
	SHAPE_SAME = 2,     /* one place */
	SHAPE_PARTS = 4,    /* each part is a row */
	SHAPE_SPOTS = 8,    /* each part is at one place */
	SHAPE_NEAR = 16,    /* words within few of the first lane's, or of the part's first */
	SHAPE_STRIDED = 32, /* at equal distances; of vectors: in each quarter */
	SHAPE_OTHER = 64,   /* anything else, or some lanes alone */
	SHAPE_KNOWN = 128
};

/* Native code of a kernel; the folder native/ knows more of it. */
struct native_code {
	const struct insn *insns; /* in place of code->gang_insns */
};

/* What native code does for observers before an instruction: calls native_services.tell, adds to a tally,
 * does the one for each warp of a block the first time, and the other then, or counts accesses like an earlier one by a
 * native_pattern, and calls for others. NATIVE_REPEATS_OR_LIKENS: the former for all lanes, the latter for some.
 * NATIVE_LIKENS_AND_TALLIES adds to a tally besides where it does not call.
 * NATIVE_ENDS: it ends there, since some observer must be told by the interpreter. */
enum native_telling {
	NATIVE_SILENT,
	NATIVE_TELLS,
	NATIVE_TALLIES,
	NATIVE_REPEATS,
	NATIVE_REPEATS_OR_LIKENS,
	NATIVE_LIKENS,
	NATIVE_LIKENS_AND_TALLIES,
	NATIVE_ENDS
};

static inline bool native_repeats(enum native_telling how)
{
	return how == NATIVE_REPEATS || how == NATIVE_REPEATS_OR_LIKENS;
}

static inline bool native_likens(enum native_telling how)
{
	return how == NATIVE_REPEATS_OR_LIKENS || how == NATIVE_LIKENS || how == NATIVE_LIKENS_AND_TALLIES;
}

/* What a launch's observers watch of the kernel. */
struct native_watch {
	const struct insn *gang_insns; /* what its gangs run outside of native code */
	const u8 *told;                /* by instruction: enum native_telling */
};

/* Sums over all that native code has run of an instruction. */
struct native_tally {
	u64 executed;  /* by warps */
	u64 lanes;     /* that came to it; of a guard before it held some back */
	u64 on;        /* guards and conditional branches: lanes for which it holds, or that branch; */
	u64 none;      /* guards: how often it held for none; */
	u64 divergent; /* conditional branches: how often some lanes branched, but not all */
};

/* Instructions of which observers need to know only once for a warp's number in its block, and how often. */
struct native_repeats {
	u32 count;  /* of such instructions */
	u32 *insns; /* their numbers, in order */
	u64 *times; /* by warp and place in `insns` */
	u8 **rows;  /* likewise: a copy of the addresses */
};

/* Accesses that an observer counts together, later: of 32-bit addresses without a pattern. */
enum { NATIVE_LOG = 32 };
struct native_log {
	u32 base[NATIVE_LOG][WARP_LANES] __attribute__((aligned(64))); /* before the instruction's addend */
	u64 order[NATIVE_LOG];                                         /* of the warp, by warp_order */
	u32 mask[NATIVE_LOG];
	u32 addend;
};

/* Which accesses of an instruction an observer only counts: those by the same lanes, at the same distances from the first of
 * them, whose address has the bits `low`. Native code adds 1 to times[(address - base) / 4 & rotation]. Of an access of two lines
 * of global memory, the second `apart` bytes behind the first, these must be in tag banks that differ by `tag`, too. */
struct native_pattern {
	union {
		u64 wide[WARP_LANES]; /* by the width of the address register */
		u32 narrow[WARP_LANES];
	} distance __attribute__((aligned(64)));
	u32 mask; /* the lanes; 0: there are none such */
	u32 rotation;
	u64 low_mask, low;
	u64 order; /* the first of such warps, by warp_order; all ones: only `again` can tell */
	u64 base;
	u64 apart; /* 0: of one line */
	u64 *times;
	u32 tag;
	/* All others are noted at log[logged], as long as this is below log_end: only then there is a log. */
	u32 logged, log_end;
	struct native_log *log;
	/* Where lanes and distances are the same, but not the rest: whether the access of the warp `order`, whose first lane has
	 * the address, has been counted nevertheless. Leaves all registers but that of its result as they are. */
	bool (*again)(struct native_pattern *p, u64 address, u64 order);
};

/* How blocks run that begin: natively, or interpreted, or on trial, by turns, until it is known which takes longer. */
enum native_turn { NATIVE_TURN_INTERPRETED, NATIVE_TURN_NATIVE, NATIVE_TURNS, NATIVE_TURN_NONE = NATIVE_TURNS };

/* What blocks of one kind have taken; atomic. */
struct native_trial {
	u64 ticks;
	u32 blocks;
};

struct grid;
struct native_kernel {
	struct native_code *ready; /* atomic; NULL: none yet */
	u64 heat;                  /* atomic: warp instructions that it has run without */
	u64 wanted;                /* atomic: at which heat code is asked for */
	void (*want)(struct native_kernel *k, const struct grid *grid); /* by a launch that runs */
	/* For a launch that begins, watched so (NULL: not at all): this, or what the kernel has for such launches. NULL:
	 * there is none, or no memory. *seconds: that compiling took, if it did. */
	struct native_kernel *(*begin)(struct native_kernel *k, const struct native_watch *watch,
				       const struct grid *grid, double *seconds);
	void (*settle)(struct native_kernel *k);   /* the trial is over */
	void (*mistaken)(struct native_kernel *k); /* accesses look other than the code was made for */
	u32 begun;                                 /* atomic: blocks since `ready` */
	bool settled; /* atomic: no more trial; `ready` is what is to be used, if anything */
	struct native_trial trials[NATIVE_TURNS];
};

/* Blocks of each kind that are run for a comparison, and those before, in which caches are cold. */
enum { TRIAL_BLOCKS = 24, TRIAL_COLD = 4, TRIAL_OUTLIER = 4 };

static inline struct native_code *native_ready(const struct native_kernel *k)
{
	return k ? __atomic_load_n(&k->ready, __ATOMIC_ACQUIRE) : NULL;
}

static inline u64 native_ticks(void)
{
#if defined __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0; /* there is no native code */
#endif
}

/* The code for a block that begins, and what it tries. Turns follow each other without a period: neighbouring blocks
 * often differ. */
static inline struct native_code *native_for_block(struct native_kernel *k, u8 *turn)
{
	struct native_code *code = native_ready(k);

	*turn = NATIVE_TURN_NONE;
	if (!code || __atomic_load_n(&k->settled, __ATOMIC_RELAXED))
		return code;
	*turn = (u8)__builtin_parity(__atomic_fetch_add(&k->begun, 1, __ATOMIC_RELAXED));
	return *turn == NATIVE_TURN_NATIVE ? code : NULL;
}

/* A block on trial has ended. */
static inline void native_note(struct native_kernel *k, u8 turn, u64 ticks)
{
	struct native_trial *t = &k->trials[turn];
	const u32 count = __atomic_fetch_add(&t->blocks, 1, __ATOMIC_RELAXED), known = count - TRIAL_COLD;
	const u64 sum = __atomic_load_n(&t->ticks, __ATOMIC_RELAXED);

	/* Who was interrupted counts as others. */
	if (count >= TRIAL_COLD)
		__atomic_fetch_add(&t->ticks, known >= 4 && ticks > TRIAL_OUTLIER * sum / known ? sum / known : ticks,
				   __ATOMIC_RELAXED);
	for (u32 n = 0; n < NATIVE_TURNS; n++)
		if (__atomic_load_n(&k->trials[n].blocks, __ATOMIC_RELAXED) < TRIAL_COLD + TRIAL_BLOCKS)
			return;
	k->settle(k);
}

/* The kernel has run that many instructions more, of warps. */
static inline void native_warm(struct native_kernel *k, const struct grid *grid, u64 instructions)
{
	const u64 wanted = __atomic_load_n(&k->wanted, __ATOMIC_RELAXED);

	if (__atomic_load_n(&k->heat, __ATOMIC_RELAXED) < wanted &&
	    __atomic_add_fetch(&k->heat, instructions, __ATOMIC_RELAXED) >= wanted)
		k->want(k, grid);
}

#endif
