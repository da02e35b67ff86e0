/* SPDX-License-Identifier: Apache-2.0
 *
 * When asynchronous operations take effect, and whether the program has waited for them.
 *
 * eager: at the instruction. strict: at the instruction too, but each operation stays on record until the
 * program has waited for it, and whatever touches its bytes or registers before that is a fault
 * with both places (a struct async_checker: src/observe/async_check.c). random: at any allowed time, chosen by a
 * seed, at the latest when the program has waited (async_queue.c).
 *
 * Called by the meanings of asynchronous instructions, which carry out one lane's copy at a time, and by
 * the scheduler. Records belong to a cluster, whose blocks run on one host thread.
 */
#ifndef PTXSIM_EXEC_ASYNC_H
#define PTXSIM_EXEC_ASYNC_H

#include "exec/grid.h"

/* How a program waits for an operation. Those up to ASYNC_WGMMA have groups. */
enum async_kind {
	ASYNC_COPY,  /* cp.async: groups of a thread, or an mbarrier told by cp.async.mbarrier.arrive */
	ASYNC_BULK,  /* bulk groups of a thread */
	ASYNC_WGMMA, /* groups of a warp */
	ASYNC_BYTES, /* an mbarrier that counts bytes */
	ASYNC_GROUP_KINDS = ASYNC_BYTES
};

struct async_op;
struct async_task; /* async_queue.c */

typedef u32 async_groups[ASYNC_GROUP_KINDS][WARP_LANES];

/* What a cluster knows of asynchronous operations in strict and random mode; the memory is its worker's. */
struct async_cluster {
	struct cluster *cluster;
	struct grid *grid;
	struct arena *arena;
	async_groups *groups; /* closed so far, by warp of all blocks and lane */
	void *records;        /* strict: the checker's */
	/* random */
	struct async_task *tasks, *last_task, *unused_tasks;
	u32 task_count;
	u32 newest; /* the order in which operations were put off */
	u64 random;
};

static inline struct async_cluster *async_of(const struct warp *w) { return w->block->cluster->async; }

static inline u32 async_warp_number(const struct warp *w)
{
	return w->block->cluster_rank * w->block->warp_count + w->index;
}

/* --- mbarrier objects ----------------------------------------------------------------------- */

/* The 64 bits: counts of expected and pending arrivals, pending bytes (two's complement), a mark that
 * the object is valid, the phase's parity. What arrive returns is the object as it was before. */
enum {
	MBARRIER_COUNT_BITS = 20,
	MBARRIER_PENDING = 20,
	MBARRIER_TX = 40,
	MBARRIER_TX_BITS = 22,
	MBARRIER_VALID = 62,
	MBARRIER_PHASE = 63
};
#define MBARRIER_COUNT_MASK ((1u << MBARRIER_COUNT_BITS) - 1)

static inline u32 mbarrier_pending(u64 word) { return (u32)(word >> MBARRIER_PENDING) & MBARRIER_COUNT_MASK; }

static inline s32 mbarrier_bytes(u64 word)
{
	return (s32)((u32)(word >> MBARRIER_TX) << (32 - MBARRIER_TX_BITS)) >> (32 - MBARRIER_TX_BITS);
}

/* Words that a message takes from the checker. */
enum { ASYNC_WAIT_TEXT = 800 };

/* --- strict: what the checker is told --------------------------------------------------------- */

/* One function for each thing that happens; the inline functions below call them. False: a fault was raised. */
struct async_checker {
	/* Before the launch: what each instruction of the program is to it. Gives the observer that it needs. */
	struct observer *(*prepare)(struct grid *grid, struct arena *arena);
	/* A cluster starts: for the first time with this memory, or with the last one's. */
	void (*start)(struct async_cluster *a);
	/* A cluster has ended: what is under way is told. */
	bool (*end)(struct async_cluster *a);
	void (*tell_wait)(const struct warp *w, char text[ASYNC_WAIT_TEXT]);
	void (*tell_mbarrier)(struct warp *w, const u8 *mbarrier, char text[ASYNC_WAIT_TEXT]);
	struct async_op *(*issue)(struct warp *w, const struct insn *i, u32 mask, enum async_kind kind, bool reduces);
	struct async_op *(*again)(struct warp *w, struct async_op *op);
	bool (*range)(struct warp *w, const struct insn *i, struct async_op *op, u32 lane, enum ir_space space,
		      u64 address, u64 size, bool is_store);
	void (*counts)(struct warp *w, struct async_op *op, const u8 *mbarrier);
	void (*issued)(struct warp *w, struct async_op *op);
	void (*bind)(struct warp *w, u32 lane, const u8 *mbarrier);
	void (*made)(struct warp *w, const struct insn *i, const u8 *mbarrier, bool is_one);
	void (*arrived)(struct warp *w, const struct insn *i, const u8 *mbarrier);
	void (*phase)(struct warp *w, const u8 *mbarrier);
	void (*expects)(struct warp *w, const struct insn *i, const u8 *mbarrier);
	void (*observed)(struct warp *w, const u8 *mbarrier);
	void (*missed)(struct warp *w, const u8 *mbarrier);
	void (*map_changed)(struct warp *w, const struct insn *i, u64 address);
	bool (*map_used)(struct warp *w, const struct insn *i, u32 lane, u64 address);
	bool (*access)(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address, u32 size,
		       bool is_store);
	bool (*registers)(struct warp *w, const struct insn *i, struct async_op *op);
	/* The lanes have waited for their operations of groups before `before`, or only for their sources. */
	void (*waited)(struct warp *w, enum async_kind kind, u32 mask, const u32 before[WARP_LANES], bool reading);
};

/* A record for the lanes in mask. `reduces`: it combines with what is there, as others may. */
static inline struct async_op *async_issue(struct warp *w, const struct insn *i, u32 mask, enum async_kind kind,
					   bool reduces)
{
	return w->grid->async_checker->issue(w, i, mask, kind, reduces);
}
/* Another record like it: a copy to a further block, with an mbarrier of its own. */
static inline struct async_op *async_again(struct warp *w, struct async_op *op)
{
	return w->grid->async_checker->again(w, op);
}
/* The operation's lane will read or write these bytes (of shared or global memory; others are let be).
 * False: a fault was raised. */
static inline bool async_range(struct warp *w, const struct insn *i, struct async_op *op, u32 lane, enum ir_space space,
			       u64 address, u64 size, bool is_store)
{
	return w->grid->async_checker->range(w, i, op, lane, space, address, size, is_store);
}
/* The bytes will be counted by the mbarrier at this host address, in its present phase. */
static inline void async_counts(struct warp *w, struct async_op *op, const u8 *mbarrier)
{
	w->grid->async_checker->counts(w, op, mbarrier);
}
/* All is known of it: one that no mbarrier counts and no group closes did nothing. */
static inline void async_issued(struct warp *w, struct async_op *op) { w->grid->async_checker->issued(w, op); }

/* The lanes' earlier cp.async will arrive at the mbarrier. */
static inline void async_bind(struct warp *w, u32 lane, const u8 *mbarrier)
{
	w->grid->async_checker->bind(w, lane, mbarrier);
}
/* An mbarrier begins at this host address, or ends. */
static inline void async_made(struct warp *w, const struct insn *i, const u8 *mbarrier, bool is_one)
{
	w->grid->async_checker->made(w, i, mbarrier, is_one);
}
/* The warp has arrived in the present phase. */
static inline void async_arrived(struct warp *w, const struct insn *i, const u8 *mbarrier)
{
	w->grid->async_checker->arrived(w, i, mbarrier);
}
/* A phase of the mbarrier is complete, and the next begins. */
static inline void async_phase(struct warp *w, const u8 *mbarrier) { w->grid->async_checker->phase(w, mbarrier); }
/* Bytes were added to what the phase expects, by this instruction. */
static inline void async_expects(struct warp *w, const struct insn *i, const u8 *mbarrier)
{
	w->grid->async_checker->expects(w, i, mbarrier);
}
/* A wait of the warp found an earlier phase of the mbarrier complete, or not. */
static inline void async_observed(struct warp *w, const u8 *mbarrier) { w->grid->async_checker->observed(w, mbarrier); }
static inline void async_missed(struct warp *w, const u8 *mbarrier) { w->grid->async_checker->missed(w, mbarrier); }
/* A tensor map was changed through the generic proxy; a tensor copy is about to use one (generic
 * addresses). False: a fault was raised. */
static inline void async_map_changed(struct warp *w, const struct insn *i, u64 address)
{
	w->grid->async_checker->map_changed(w, i, address);
}
static inline bool async_map_used(struct warp *w, const struct insn *i, u32 lane, u64 address)
{
	return w->grid->async_checker->map_used(w, i, lane, address);
}
/* An ordinary access of a lane; its observer sees loads, stores and atomics, whose addresses are in their
 * registers. False: a fault was raised. */
static inline bool async_access(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address,
				u32 size, bool is_store)
{
	return w->grid->async_checker->access(w, i, lane, space, address, size, is_store);
}
/* Before wgmma: the registers and the fence. False: a fault was raised. */
static inline bool async_registers(struct warp *w, const struct insn *i, struct async_op *op)
{
	return w->grid->async_checker->registers(w, i, op);
}

/* --- strict and random: groups -------------------------------------------------------------- */

/* The lanes close a group; wait until at most `keep` groups are open (`all`: those not closed too;
 * `reading`: only until their sources are free). False: a fault was raised. */
void async_commit(struct warp *w, enum async_kind kind, u32 mask);
bool async_wait(struct warp *w, enum async_kind kind, u32 mask, u32 keep, bool all, bool reading);

/* --- random: operations put off ------------------------------------------------------------- */

/* Does one lane's work from the operands that were kept; false after a fault. */
typedef bool async_run_fn(void *kept);

/* Keeps `bytes` of room for a lane's operation of this kind and gives it back to be filled; NULL if chance
 * says so: do it at once. */
void *async_defer(struct warp *w, u32 lane, enum async_kind kind, async_run_fn *run, size_t bytes);
/* The same for what follows the lane's cp.async so far: its arrival at an mbarrier. */
void *async_defer_arrival(struct warp *w, u32 lane, async_run_fn *run, size_t bytes);
/* Does some of the cluster's operations, by chance. False: a fault was raised. */
bool async_poll(struct warp *w);

/* --- The launch's side ---------------------------------------------------------------------- */

/* Prepares a cluster that starts; the memory is the worker's. */
void async_cluster_start(struct worker *k, struct cluster *c);
/* All operations of a cluster that cannot go on otherwise. *did: there were some. False: a fault. */
bool async_cluster_drain(struct cluster *c, bool *did);
/* A cluster has ended: what is under way is done or told. False: a fault was raised. */
bool async_cluster_end(struct cluster *c);
/* What the warp's last wait for an mbarrier still misses, for the message about a deadlock; "" if that is
 * not known. */
void async_tell_wait(const struct warp *w, char text[ASYNC_WAIT_TEXT]);
/* Where the mbarrier at this host address was initialised, and who arrived last; where the kernel initialises any, if
 * there is none. Likewise. */
void async_tell_mbarrier(struct warp *w, const u8 *mbarrier, char text[ASYNC_WAIT_TEXT]);

#endif
