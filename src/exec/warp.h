/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a warp while it runs, and what meanings may do with it.
 *
 * A warp is a set of splits: lanes that share a program counter, a frame and a place in the tree
 * of joins. The running split's state stands in struct warp itself; the others are queued. A join
 * is where lanes that diverged wait for each other: the immediate post-dominator of the branch,
 * or the return of a call.
 */
#ifndef PTXSIM_EXEC_WARP_H
#define PTXSIM_EXEC_WARP_H

#include "decode/program.h"
#include "exec/fault.h"
#include "memory/memory.h"

struct block;
struct grid;
struct worker;

struct frame {
	u8 *rows; /* aligned to 64 bytes */
	const struct code *code;
	struct frame *caller;
	u64 local_base; /* where this frame's part of local memory starts, bytes */
	u64 local_top;  /* end of it, moved by alloca */
	u32 depth;
	struct frame *next_free;
	u8 *undefined; /* an observer's: what it knows of the rows; NULL: nothing */
	bool is_new;   /* a call has begun in it; an observer may take that back */
};

struct join {
	const struct insn *pc; /* the join instruction; of a return: where the caller goes on */
	u32 expected, arrived; /* lanes */
	bool is_return;
	bool gathers; /* a return's, of an indirect call by which lanes go to several functions: theirs lead here */
	struct join *parent;
	struct frame *frame;          /* frame after the join: the caller's at a return */
	struct frame *callee;         /* of a return: the frame that ends */
	const struct call_site *site; /* of a return: where results go */
	struct join *next_open;
};

/* What barrier.red gives back. */
enum barrier_reduce { BARRIER_NONE, BARRIER_POPC, BARRIER_AND, BARRIER_OR };

enum split_state { SPLIT_READY, SPLIT_AT_WARP_SYNC, SPLIT_AT_BARRIER, SPLIT_AT_CLUSTER, SPLIT_AT_CONVERGENCE };

struct split {
	const struct insn *pc;
	u32 mask;
	struct join *join;
	struct frame *frame;
	enum split_state state;
	bool resumed;               /* a warp sync instruction is complete: execute it with `exchange` */
	bool beside;                /* READY, machine code: it parted from those that run; see exec/converge.h */
	u32 member_mask;            /* AT_WARP_SYNC: lanes waited for; once resumed: lanes that take part */
	u32 barrier;                /* AT_BARRIER: its number; AT_CONVERGENCE: see exec/converge.h */
	enum barrier_reduce reduce; /* and what its result is */
	u64 phase;                  /* AT_CLUSTER: the cluster barrier's phase when it parked */
	u64 exchange[WARP_LANES];   /* operand of each lane, across program counters */
	struct split *next;
};

/* The reconvergence stack of listings: the machine's own, moved by SSY, PBK, PCNT, PRET, CAL,
 * divergent branches, and what takes their entries off again. An entry holds lanes and where they
 * go on; `mask` never holds a lane that runs above it by another way. */
enum stack_kind { STACK_JOIN, STACK_BREAK, STACK_CONTINUE, STACK_RETURN, STACK_DIVERGED };
struct stack_entry {
	enum stack_kind kind;
	u32 mask;
	const struct insn *pc;
};

/* Why a run of a warp ended. */
enum warp_stop { STOP_NONE, STOP_FINISHED, STOP_WAITING, STOP_YIELD, STOP_FAULT, STOP_SUSPENDED };

struct warp {
	/* Hot: read at each dispatch. */
	u8 *rows;
	u32 mask;  /* lanes of the running split */
	u32 live;  /* lanes that have not exited */
	u32 carry; /* condition code CC.CF, a bit for each lane */
	struct worker *worker;
	struct block *block;
	struct grid *grid;
	struct frame *frame;
	struct join *join;
	s64 budget;       /* warp instructions left in this turn; checked at backward branches */
	u64 issued;       /* PTX instructions, once for the warp */
	u64 lanes_issued; /* once for each active lane */
	u64 branches, divergent_branches;
	/* Cold. */
	u32 index;        /* within the block */
	u32 initial_mask; /* lanes that exist */
	enum warp_stop stop;
	bool resumed;    /* see struct split */
	bool exchanging; /* the .sync instruction now executing has its operands in `exchange` */
	u32 member_mask; /* lanes that take part in it */
	u64 exchange[WARP_LANES];
	struct split *ready_head, *ready_tail;
	struct split *waiting; /* parked splits */
	struct split *free_splits;
	struct join *open_joins, *free_joins;
	u8 *local;       /* interleaved: word w of lane l at (w * 32 + l) * 4 */
	u64 local_bytes; /* for each lane */
	struct frame *entry_frame;
	bool fresh;                          /* at the kernel's entry, not yet a split */
	const struct insn *told, *told_last; /* observers know that these, the next to run, do: a guard and what it
					      * guards, or one instruction; or NULL */
	u64 turn_start;                      /* `issued` at the start of the pass */
	u32 spins;                           /* times around a spin loop in this turn */
	bool suspended;    /* in the middle of its turn, before the instruction of the first ready split */
	u32 steps_left;    /* of the turn, before it gives way; see exec/explore.h */
	u32 fell_behind;   /* its priority, plus 1, below all that have not fallen behind; 0: it has not */
	bool gave_way;     /* its turn ended so */
	u8 stood_aside;    /* turns that ended before an mbarrier that it is about to end */
	u32 spin_masks[8]; /* lanes that came round to spinning branches, and where: a set */
	u32 spin_turns;    /* that ended so, while none of the lanes left */
	u64 counted;       /* of `issued`, what is in the worker's `elapsed` */
	struct warp *next_of_worker;
	u64 state_hash;   /* of the last turn that ended in a spin loop */
	u64 asleep_since; /* SYNCS.TRYWAIT: the worker's `elapsed`, plus 1, when it began to wait; 0: it does not */
	u64 idled;        /* clock ticks beyond `issued`, in loops that only look at a clock (exec/sreg.c) */
	struct {
		const struct insn *at;
		u64 issued;
		u32 spins, step;
	} looked;                      /* the last look at a clock: where, when, and how long it let the clock run on */
	u64 cluster_phase[WARP_LANES]; /* barrier.cluster.wait waits until the phase is this */
	/* Listings: the reconvergence stack, the lowest entry first. */
	struct stack_entry *stack;
	size_t stack_depth, stack_room;
	/* Listings: what the newest lock-load came to, for observers: lanes that tried, those that got
	 * their lock, those that failed because of a lane at another word; and the loop it belongs to. */
	u32 lock_tried, lock_got, lock_false;
	const struct insn *lock_loop; /* the lock-load whose lanes have not all got their lock */
	u32 lock_rounds;              /* times it has run since it began */
};

/* A word of local memory: byte `address` (of the lane's own local space), within 4-byte words. */
static inline u8 *local_word(const struct warp *w, u64 address, u32 lane)
{
	return w->local + ((address / 4 * WARP_LANES + lane) * 4 + address % 4);
}

/* Operands of an instruction that has more than fit into its record. */
static inline const u32 *warp_operands(const struct warp *w, const struct insn *i)
{
	return w->frame->code->operands + i->imm;
}

#endif
