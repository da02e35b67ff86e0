/* SPDX-License-Identifier: Apache-2.0
 *
 * When asynchronous operations take effect, and whether the program has waited for them.
 *
 * eager: at the instruction. strict: at the instruction too, but each operation stays on record until the
 * program has waited for it, and whatever touches its bytes or registers before that is a fault
 * with both places (async_check.c; ordinary instructions are watched by async_watch.c). random: at any
 * allowed time, chosen by a seed, at the latest when the program has waited (async_queue.c).
 *
 * Called by the meanings of asynchronous instructions, which carry out one lane's copy at a time, and by
 * the scheduler. Records belong to a cluster, whose blocks run on one host thread.
 */
#ifndef PTXSIM_EXEC_ASYNC_H
#define PTXSIM_EXEC_ASYNC_H

#include "exec/machine.h"

/* How a program waits for an operation. Those up to ASYNC_WGMMA have groups. */
enum async_kind {
	ASYNC_COPY,  /* cp.async: groups of a thread, or an mbarrier told by cp.async.mbarrier.arrive */
	ASYNC_BULK,  /* bulk groups of a thread */
	ASYNC_WGMMA, /* groups of a warp */
	ASYNC_BYTES, /* an mbarrier that counts bytes */
	ASYNC_GROUP_KINDS = ASYNC_BYTES
};

struct async_op;
struct async_cluster;

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

/* --- strict: records ------------------------------------------------------------------------ */

/* A record for the lanes in mask. `reduces`: it combines with what is there, as others may. */
struct async_op *async_issue(struct warp *w, const struct insn *i, u32 mask, enum async_kind kind, bool reduces);
/* Another record like it: a copy to a further block, with an mbarrier of its own. */
struct async_op *async_again(struct warp *w, struct async_op *op);
/* The operation's lane will read or write these bytes (of shared or global memory; others are let be).
 * False: a fault was raised. */
bool async_range(struct warp *w, const struct insn *i, struct async_op *op, u32 lane, enum ir_space space, u64 address,
		 u64 size, bool is_store);
/* The bytes will be counted by the mbarrier at this host address, in its present phase. */
void async_counts(struct warp *w, struct async_op *op, const u8 *mbarrier);
/* All is known of it: one that no mbarrier counts and no group closes did nothing. */
void async_issued(struct warp *w, struct async_op *op);

/* The lanes' earlier cp.async will arrive at the mbarrier. */
void async_bind(struct warp *w, u32 lane, const u8 *mbarrier);
/* A phase of the mbarrier is complete, and the next begins. */
void async_phase(struct warp *w, const u8 *mbarrier);
/* Bytes were added to what the phase expects, by this instruction. */
void async_expects(struct warp *w, const struct insn *i, const u8 *mbarrier);
/* A wait of the warp found an earlier phase of the mbarrier complete, or not. */
void async_observed(struct warp *w, const u8 *mbarrier);
void async_missed(struct warp *w, const u8 *mbarrier);
/* A tensor map was changed through the generic proxy; a tensor copy is about to use one (generic
 * addresses). False: a fault was raised. */
void async_map_changed(struct warp *w, const struct insn *i, u64 address);
bool async_map_used(struct warp *w, const struct insn *i, u32 lane, u64 address);
/* An ordinary access of a lane; async_watch.c sees loads, stores and atomics, whose addresses are in their
 * registers. False: a fault was raised. */
bool async_access(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address, u32 size,
		  bool is_store);
/* Before wgmma: the registers and the fence. False: a fault was raised. */
bool async_registers(struct warp *w, const struct insn *i, struct async_op *op);

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
void async_tell_wait(const struct warp *w, char text[400]);
/* The observer that strict needs. */
struct observer *async_observer(struct machine *m, struct arena *arena);

#endif
