/* SPDX-License-Identifier: Apache-2.0
 *
 * A gang: neighbouring warps of one block that stand at the same instruction with all their lanes, and run it together,
 * one dispatch for all. Two gains: the dispatch is shared, and one warp's stalls on the host are hidden by the next
 * warp's work.
 *
 *     struct gang      warps ----> | warp 4 | warp 5 | warp 6 | warp 7 |         count = 4
 *                      rows -----> | frame  | frame  | frame  | frame  |         `stride` bytes apart
 *
 *     gang_run():  i -> i->gang(g, i) -> next i -> ... -> NULL: the gang is over
 *
 *     who takes part in i:   on == NULL: every warp with all 32 lanes            EACH_WARP (g)
 *                            else: the members [on, on_end), with some lanes     EACH_MEMBER (g, m)
 *
 * The gang has one program counter for all. What a warp needs to run alone (its splits, its mask, its counts) is not kept
 * up meanwhile, but written when it leaves:
 *
 *     gang_part(g, i, done)    anything that only some warps would do comes at i: a possible fault, a slow access, waiting.
 *                              Warps numbered below `done` go on behind i, the others at i
 *     gang_yield(g, i)         the time slice is used up, or other warps must run: all go on at i
 *     gang_exit(g, i)          their lanes exit
 *
 * Parting comes *before* any effect of i on the warps that still have it to run. These go on one by one, in order, as if
 * there had been no gang, so that faults are the same ones. A gang forms again where all stand together: at the start,
 * after a barrier, at the end of a time slice (gang_size).
 *
 * Where its warps' lanes go different ways, a gang runs one way after the other, each with the lanes that take it, as a
 * warp does: exec/gang_split.c.
 *
 * A gang runs code->gang_insns, which has the instructions of code->insns with other handlers, and without those that are
 * the same for every block of a launch: code->once_insns has these. In a launch with observers it runs a copy, with
 * another handler for what is watched (exec/watch.c); observers are told before the gang runs the instruction, so a warp
 * that leaves the gang there must run it without telling them: warp.told.
 *
 * In a kernel whose loops do atomic operations of which the order shows (code->one_by_one) the warps of a gang run one after the
 * other, each as a gang of its own, and together again where they wait for each other: exec/gang_turns.c. So native code, which
 * runs one warp after the other, changes memory in the same order.
 *
 * All functions here are called by the worker that runs the block; nothing is shared with other host threads.
 */
#ifndef PTXSIM_EXEC_GANG_H
#define PTXSIM_EXEC_GANG_H

#include "exec/run.h"

struct gang_split;

/* A warp that takes part in what a gang runs now, with some of its lanes. */
struct gang_member {
	u8 *rows;
	struct warp *warp;
	u32 mask;  /* not 0 */
	u32 lanes; /* how many */
};

struct gang {
	/* NULL: all warps take part with all lanes. Else who does, up to on_end. */
	const struct gang_member *on, *on_end;
	u8 *rows;      /* of the first warp's frame */
	size_t stride; /* from one warp's frame to the next one's */
	u32 count;
	u32 spins;          /* times around a spin loop, past barriers too */
	u32 lead;           /* the warp that would go on first without gangs: after a barrier the last to arrive */
	struct warp *warps; /* `count` of them */
	const struct code *code;
	const struct insn *insns; /* grid->gang_insns or code->once_insns */
	const struct insn *plain; /* what its warps run on their own */
	struct worker *worker;
	struct block *block;
	struct grid *grid;
	s64 budget;                /* instructions left in this time slice, of each warp */
	bool whole;                /* all warps of the block, from its start */
	bool ended;                /* all have exited */
	u8 overtime;               /* how often the time slice was extended */
	u64 issued, branches;      /* of each warp, not yet added to it */
	bool apart;                /* besides, some have counted for themselves, in struct warp */
	const struct insn *parted; /* the gang parted before this one, which the first `done` warps had run */
	u32 done;
	struct gang_split *split; /* NULL: all lanes of all warps are at one place */
	bool guarded;             /* `on` are those whose guard holds: the instruction after a %guard */
	bool single;              /* one warp of a gang, in its turn; */
	const struct insn *waits; /* where it has come to, with all lanes: a barrier or its exit, not run yet */
};

/* Only where all take part: */
#define EACH_WARP(g)                                                                                    \
	for (u8 *rows = (g)->rows, *const rows_end = rows + (g)->count * (g)->stride; rows != rows_end; \
	     rows += (g)->stride)
#define EACH_MEMBER(g, m) for (const struct gang_member *m = (g)->on; m != (g)->on_end; m++)

/* An observer's `before` for each warp that takes part, in order, as if it ran on its own; of use as its `gang_before`. */
typedef void gang_before_fn(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask);
static inline void gang_before_each(const struct gang *g, const struct insn *i, gang_before_fn *before, void *context)
{
	if (g->on) {
		EACH_MEMBER (g, m)
			before(context, m->warp, i, m->rows, m->mask);
		return;
	}
	for (u32 k = 0; k < g->count; k++) {
		g->warps[k].frame = g->warps[k].entry_frame;
		before(context, &g->warps[k], i, g->rows + k * g->stride, FULL_MASK);
	}
}

/* The same instruction as a single warp runs it. */
static inline const struct insn *gang_plain(const struct gang *g, const struct insn *i)
{
	return g->plain + (i - g->insns);
}

/* Adds to the counts of those that take part. */
void gang_count_members(struct gang *g, u32 instructions, u32 branches);
static inline void gang_account(struct gang *g, const struct insn *i)
{
	g->budget -= i->run;
	if (__builtin_expect(g->on != NULL, 0))
		gang_count_members(g, i->run, 0);
	else
		g->issued += i->run;
}
static inline void gang_account_branch(struct gang *g, const struct insn *i)
{
	g->budget -= i->run;
	if (__builtin_expect(g->on != NULL, 0)) {
		gang_count_members(g, i->run, 1);
		return;
	}
	g->issued += i->run;
	g->branches++;
}

/* Ends the gang at instruction i, which its warps numbered below `done` have run and the others have not. Returns NULL. */
const struct insn *gang_part(struct gang *g, const struct insn *i, u32 done);
/* At the end of its time slice. True: the slice was extended, since a diverged gang could not re-form after it. False:
 * yield. */
bool gang_goes_on(struct gang *g);
/* The gang, which stands at i, goes on by another copy of its instructions; returns i there. */
const struct insn *gang_change_code(struct gang *g, const struct insn *i, const struct insn *insns);
/* Ends the time slice of all warps of the gang, which go on at `i`. NULL, as for all that ends a gang. */
const struct insn *gang_yield(struct gang *g, const struct insn *i);
/* The running lanes exit. NULL, or where the gang goes on with lanes that went another way. */
const struct insn *gang_exit(struct gang *g, const struct insn *i);
/* barrier.sync: goes on at once if the gang is all that the barrier waits for. */
const struct insn *gang_barrier(struct gang *g, const struct insn *i, u32 number, u32 threads);
/* Runs a lane-wise instruction for each warp by its ordinary handler. */
gang_fn gang_each;
/* The same for an instruction that may fault, but otherwise goes on to the next one: a fault changes nothing that
 * counts when the instruction runs again. The gang parts before the first warp with a fault. */
gang_fn gang_step;
/* Runs it for one warp by the handler `run`; false: it has a fault, which is not raised yet. */
bool gang_try(struct gang *g, const struct insn *i, struct warp *w, u8 *rows, u32 mask, meaning_fn *run);
/* Whether the warp's lanes of `mask` can all write `bytes` at their addresses: for what a fault would leave half done. */
bool gang_reaches(struct gang *g, const struct insn *i, struct warp *w, u32 mask, enum ir_space space,
		  const u64 address[WARP_LANES], u32 bytes);
/* The handler of instructions that a gang does not run: parts before them. */
gang_fn gang_end;

/* --- Lanes that go different ways (exec/gang_split.c) ------------------------------------------- */

/* At a branch, lanes taken[n] of warp n go to its target, the other running ones on; some do each. They meet at `join`, or
 * where others meet if it is NULL. Of one warp's lanes those that do not branch come first, but if taken_leads. */
const struct insn *gang_diverge(struct gang *g, const struct insn *i, const u32 taken[GANG_WARPS],
				const struct insn *join, bool taken_leads);
/* Machine code: the same where of each warp's lanes the fewer go first, those that fall through of as many. */
const struct insn *gang_diverge_fewer_first(struct gang *g, const struct insn *i, const u32 taken[GANG_WARPS],
					    const struct insn *join);
/* The same for a branch with several targets: where to, the nearest first, and which lanes of each warp. */
enum { GANG_WAYS = 16 };
struct gang_ways {
	u32 count;
	s32 distance[GANG_WAYS];
	u32 lanes[GANG_WAYS][GANG_WARPS];
};
const struct insn *gang_diverge_ways(struct gang *g, const struct insn *i, const struct gang_ways *ways,
				     const struct insn *join);
/* The running lanes have come to the join i. */
const struct insn *gang_join(struct gang *g, const struct insn *i);
/* Machine code: the running lanes have come to the BSYNC i, of the barrier in row i->d. */
const struct insn *gang_converge(struct gang *g, const struct insn *i);
/* BREAK: lanes of warp k are no more among those, `awaited`, that meet at the barrier's row. */
void gang_leave(struct gang *g, u32 barrier, u32 k, u32 awaited, u32 lanes);
/* Lanes ends[n] of warp n, some but not all that run, exit; the others go on behind i. */
const struct insn *gang_exit_some(struct gang *g, const struct insn *i, const u32 ends[GANG_WARPS]);
/* Runs the instruction after the guard i for lanes on[n] of warp n, some but not all. */
const struct insn *gang_guarded(struct gang *g, const struct insn *i, const u32 on[GANG_WARPS]);
/* A gang that starts where not all lanes of its warps live. */
void gang_split_live(struct gang *g);
const struct insn *gang_split_exit(struct gang *g);
/* All lanes that live are at one place. */
bool gang_is_together(const struct gang *g);
/* Gives warp k of a gang that parts the splits and joins of lanes that went different ways: ways outermost first, and
 * where the running lanes go on (of code->insns). `pc` of places are of g->insns. */
struct gang_place {
	const struct insn *pc;
	u32 lanes;
	bool is_join;
};
void gang_place(struct gang *g, u32 k, const struct gang_place *places, u32 count, u32 running, const struct insn *pc);
/* The gang is about to run `at`, in a kernel that may be run one by one: then each warp does so, up to where it must wait.
 * Returns where the gang goes on. */
const struct insn *gang_turns(struct gang *g, const struct insn *at);
/* Runs i, of which observers have been told (exec/watch.c). */
const struct insn *gang_resume(struct gang *g, const struct insn *i);
/* Marks warp k, which goes on at i by itself, if observers have been told of that. */
void gang_note_told(const struct gang *g, u32 k, const struct insn *i);
/* Adds to each warp what the gang has counted once for all; the block is not intact any longer. */
void gang_dissolve(struct gang *g);

/* Runs what a launch needs once, for the frames of all warps of the block. */
void gang_run_once(struct block *b);
/* Makes a block's warps, all whole and at their start, ready for gang_run_block, and the block intact. False:
 * they are not. */
bool gang_start_block(struct block *b);
/* A gang of all warps of an intact block. True: they have ended; nothing in struct warp has changed, and their counts are in
 * the worker's. False: the gang has parted, and the block is not intact any longer. */
bool gang_run_block(struct block *b, s64 budget);
/* Runs a gang of the block's warps [first, first + count), all of which stand at `at` (of gang_insns). */
void gang_run(struct block *b, u32 first, u32 count, const struct insn *at, s64 budget);
/* How many warps from `first` on can run as a gang now, and where (0: none). */
u32 gang_size(const struct block *b, u32 first, const struct insn **at);

#endif
