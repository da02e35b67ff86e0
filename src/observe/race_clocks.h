/* SPDX-License-Identifier: Apache-2.0
 *
 * Who is ordered after whom, by PTX's memory model. Time is one counter that grows with each synchronisation. A warp
 * knows, of each warp of its block, up to when its accesses come before what the warp does next; of all else it holds a
 * set of threads, and each of its lanes one more for what that lane alone has learnt.
 *
 * Threads learn from barriers, and from reading what a strong write of another one stored, if a release stands at or
 * before that write, an acquire at or after the read, and the scopes of all of them reach the other thread. Programs
 * fence in every thread, meet at a barrier, and let one thread write the flag: so what has been fenced is published,
 * and travels with barriers to whoever writes.
 */
#ifndef PTXSIM_OBSERVE_RACE_CLOCKS_H
#define PTXSIM_OBSERVE_RACE_CLOCKS_H

#include "exec/grid.h"
#include "observe/race_sets.h"
#include "observe/race_words.h"

enum { RACE_WARPS = 32 };

/* How far an access or a fence reaches. RACE_WEAK: an access that is not strong. */
enum race_scope { RACE_WEAK, RACE_CTA, RACE_CLUSTER, RACE_GPU, RACE_SCOPES };

/* To the block, to others. */
enum race_reach { RACE_NEAR, RACE_FAR, RACE_REACHES };

/* Of a warp, at a barrier of its block. */
struct race_arrival {
	u32 number;
	u64 phase;
	u32 site;
	bool waits;
	bool counts; /* threads: so those that exit do not */
};

/* Those that have arrived in one phase of a barrier. */
struct race_arrivals {
	u64 phase;
	u32 of[RACE_WARPS];
	u32 lanes[RACE_WARPS]; /* of each warp, that have arrived */
	bool counts;           /* threads: those that exit do not */
	struct race_set *far;
	struct race_set *published[RACE_REACHES];
};

/* What a lane's last fence released. */
struct race_fence {
	struct race_set *known;
	u32 time;
	enum race_scope scope;
};

struct race_warp {
	u32 of[RACE_WARPS];                  /* of the block's warps, its own lanes among them */
	struct race_set *far;                /* of other blocks, and single threads of its own */
	struct race_set *lane[WARP_LANES];   /* what one lane knows beyond that */
	struct race_fence fence[WARP_LANES]; /* since the lanes met */
	struct race_set *published[RACE_REACHES];
	struct race_set *pending[WARP_LANES][RACE_REACHES]; /* read with no fence behind yet, from near and far */
	u32 alone;                                          /* lanes with a set in lane[] */
	u32 read;                                           /* lanes with one in pending[] */
	u32 drawn;                                          /* of these, by an operation that writes, too */
	u32 fenced;                                         /* lanes with a fence */
	u32 waits;                                          /* for these barriers, a bit each */
	u64 waits_phase[BARRIERS_PER_BLOCK];                /* whose phase was this when it came */
	u32 waits_lanes[BARRIERS_PER_BLOCK];
	u32 cluster_waits;                   /* lanes */
	u64 cluster_phase;                   /* that they wait to end */
	u32 cluster_arrived, cluster_waited; /* so often: race_ends.h */
};

/* A phase of a barrier that counts threads: race_barriers.h. */
struct race_phase {
	u64 number; /* from 1 on; 0: none */
	u32 lanes[RACE_WARPS], at[RACE_WARPS], site[RACE_WARPS];
};

/* The newest access of a warp's instruction to another block's shared memory: race_ends.h. */
struct race_remote {
	struct race_mark mark;
	u32 arrived; /* how often its warp had arrived at the cluster's barrier */
	u64 address;
	u32 size;
	bool writes;
};

struct race_cluster {
	struct race_cluster *next;
	const struct cluster *cluster;
	struct race_arrivals arrivals[2]; /* `far` alone is used */
};

struct race_block {
	struct block *block;
	u64 index;               /* of the block, also when the launch is over */
	struct race_block *next; /* of the bucket */
	u32 life;                /* of its shared words */
	u64 block_bytes;         /* of shared memory */
	struct race_page *words; /* of shared memory */
	bool in_step;            /* the lanes of a warp: see races_begin */
	struct race_warp warps[RACE_WARPS];
	struct race_arrivals arrivals[BARRIERS_PER_BLOCK][2];
	struct race_phase phases[BARRIERS_PER_BLOCK][2];
	VEC_OF(struct race_remote) remotes; /* to this block's memory */
};

/* What strong writes to a place have released, by their scope, and the block of the last one. */
struct race_location {
	struct race_location *next;
	u64 key;
	u32 life; /* of shared memory: of its block */
	u32 block;
	struct race_set *released[RACE_SCOPES];
	struct race_set *reads; /* that were done before: see race_pass_reads */
	struct race_set *done;  /* asynchronous operations that an mbarrier's complete phases have counted */
};

enum { RACE_CLUSTERS = 64 };

struct race_clocks {
	u32 now;
	struct race_sets sets;
	struct race_location **locations; /* by buckets, a power of two of them */
	size_t location_count, location_room;
	struct race_cluster *clusters[RACE_CLUSTERS];
};

/* Does a strong access of that scope by a thread of the warp's block reach threads of block `other`? */
bool race_reaches(const struct warp *w, enum race_scope scope, u32 other);

/* Is what `m` marks before what the warp's lane does now? */
bool race_ordered(const struct race_block *b, const struct warp *w, u32 lane, const struct race_mark *m);

/* Was what `m` marks, a read, done before what the lane does now, by race_pass_reads? */
bool race_was_read(const struct race_block *b, const struct warp *w, u32 lane, const struct race_mark *m);

/* A block begins: nothing is known to anybody. */
void race_start(struct race_clocks *c, struct race_block *b);
/* The warp goes on: it knows what the barriers that it has waited for told. */
void race_resume(struct race_clocks *c, struct race_block *b, const struct warp *w);
/* Its lanes `mask` arrive at a barrier of its block, in that phase of it. */
void race_arrive(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask,
		 const struct race_arrival *arrival);
/* Its lanes `mask` meet one another. */
void race_meet_lanes(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask);
/* They arrive at the barrier of the cluster, and tell others what they have done; they wait for it. */
void race_arrive_cluster(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask);
void race_wait_cluster(struct race_block *b, const struct warp *w, u32 mask);
/* They execute a fence. */
void race_fence(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask, enum race_scope scope,
		bool acquires, bool releases);

/* What has been released at a place: `key` is a global address, or a host address in shared memory of that life. NULL:
 * nothing. */
struct race_location *race_location_find(struct race_clocks *c, u64 key, u32 life);
struct race_location *race_location_new(struct race_clocks *c, u64 key, u32 life);
/* Would a strong write by that lane release anything? */
static inline bool race_has_fence(const struct race_block *b, const struct warp *w, u32 lane)
{
	const struct race_warp *me = &b->warps[w->index];

	return me->fenced >> lane & 1 || me->published[RACE_NEAR];
}
/* A lane has read what the last strong write left there; it writes there. */
void race_strong_read(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 lane,
		      const struct race_location *at, enum race_scope scope, bool acquires, bool writes);
void race_strong_write(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 lane,
		       struct race_location *at, enum race_scope scope, bool releases, bool reads);

/* Lanes of the warp come after what `s` has. */
void race_learn(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask, struct race_set *s);

/* All lanes of a warp, `mask`, do: the write releases, and goes on from what it reads. */
bool race_is_whole(const struct warp *w, u32 mask);
void race_strong_read_whole(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask,
			    const struct race_location *at, enum race_scope scope, bool acquires, bool writes);
void race_strong_write_whole(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask,
			     struct race_location *at, enum race_scope scope);

/* What a thread has read and used, it has read: no write comes into that which only a value that it stores afterwards
 * lets happen, released or not. So a strong write leaves at a place whose reads are done, and who reads it there with a
 * strong load knows. */
void race_pass_reads(struct race_clocks *c, const struct race_block *b, const struct warp *w, u32 lane,
		     struct race_location *at, bool reads);
void race_learn_reads(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 lane,
		      const struct race_location *at);

#endif
