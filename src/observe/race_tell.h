/* SPDX-License-Identifier: Apache-2.0
 *
 * What the race check finds in a launch: each pair of instructions once, with the first two accesses that met, and how
 * far apart the threads were at most, which decides what would order them. A part of the check.
 */
#ifndef PTXSIM_OBSERVE_RACE_TELL_H
#define PTXSIM_OBSERVE_RACE_TELL_H

#include "observe/check_findings.h"
#include "observe/race_clocks.h"

/* Where a lane's access goes. */
struct race_place {
	u32 lane;
	enum ir_space space; /* shared or global */
	u64 address;         /* as the program has it */
	u64 offset;          /* within the block's shared memory, or of global memory */
	u32 size;
	const u8 *host;
	const struct allocation *memory; /* of global memory */
	bool with_neighbours;            /* other lanes access most of the bytes around */
};

/* How far apart two threads are. */
enum race_distance { APART_IN_WARP, APART_IN_BLOCK, APART_IN_CLUSTER, APART_IN_GRID };

struct race_finding {
	struct fault fault; /* of the first time */
	u32 site, other;
	bool writes, other_writes;
	bool strong, other_strong;
	bool read_only;           /* a load through the read-only path */
	bool frees;               /* the run time's free() */
	bool async, other_async;  /* asynchronous operations */
	bool unfenced;            /* ordered, but by no fence of the async proxy */
	enum race_distance scope; /* the widest so far */
	char address[64];
};

struct race_findings {
	struct arena *arena; /* the launch's */
	const struct check_sites *sites;
	u32 most;
	bool plain_reads; /* those that a compare and swap validates count, too */
	u8 *facts;        /* by site, what has been asked: two bits for each, 0: not yet */
	VEC_OF(struct race_finding) items;
	u64 more; /* pairs beyond the most that are kept were met so often */
};

/* What a thread does now. */
struct race_access {
	u32 site;
	bool writes, strong;
	bool read_only; /* ld.global.nc */
	bool frees;
	bool async;    /* by an asynchronous operation */
	bool unfenced; /* which is ordered, but by no fence of the async proxy */
};

/* Is what the site loads used before anything behind it could tell others that it has been read? */
bool race_uses_first(struct race_findings *f, u32 site);
/* The access is not ordered after `before`, by another thread. */
void race_tell(struct race_findings *f, struct warp *w, const struct race_access *access, const struct race_place *p,
	       const struct race_mark *before, bool before_writes);
/* Finding number k in words; NULL: there are no more. Valid until the launch's arena is freed. */
struct fault *race_finding_fault(const struct race_findings *f, u32 k, const struct launch *l);

#endif
