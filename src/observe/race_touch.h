/* SPDX-License-Identifier: Apache-2.0
 *
 * What an instruction's lanes do to the words of memory: whether each access races with one that is remembered there, what
 * it learns and releases if it is strong, and the mark that it leaves. A part of the race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_TOUCH_H
#define PTXSIM_OBSERVE_RACE_TOUCH_H

#include "observe/race_clocks.h"
#include "observe/race_roles.h"
#include "observe/race_tell.h"

enum { RACE_BUCKETS = 256 };

/* What is remembered of a launch. */
struct race_memory {
	struct arena *arena;
	struct race_clocks clocks;
	struct race_block *buckets[RACE_BUCKETS];
	struct race_pages global;
	struct race_events events;
	struct race_findings findings;
	bool lane_stores; /* lanes of one store must not differ */
	bool polls;       /* the kernel has strong loads: see race_pass_reads */
	u32 proxy_fence;  /* time of the newest fence of the async proxy, whoever has executed it */
};

struct race_touch {
	struct race_memory *r;
	struct race_block *own; /* the accessing warp's */
	struct warp *w;
	const struct insn *i;
	u32 site;
	bool reads, writes, acquires, releases, is_mbarrier;
	bool read_only; /* ld.global.nc: no order lets it see what the launch writes */
	bool is_volatile;
	bool frees; /* and leaves no marks */
	u32 agent;  /* of an asynchronous operation (RACE_AGENT), that began at `began`; 0: it is none */
	u32 began;
	bool by_proxy; /* what ordinary stores have left there, it sees behind a fence of the async proxy only */
	bool waited;   /* a wait for an mbarrier has succeeded */
	bool apart;    /* from what it synchronises: race_touch_whole sees to that */
	enum race_scope scope;
	const u8 *rows;
	bool wide;        /* addresses have 64 bits */
	const u8 *values; /* of a plain store, by lane; or NULL */
	u32 value_bytes;
	const struct gang *gang; /* that executes the instruction together; or NULL */
};

struct race_block *race_block_of(const struct race_memory *r, const struct block *b);
/* Lanes of `mask` access `size` bytes each. Addresses that are wrong are told by the access itself. */
void race_touch_lanes(const struct race_touch *a, u32 mask, enum ir_space space, const u64 address[WARP_LANES],
		      u32 size);
/* All lanes of the warp, `mask`, access one word of shared memory by a strong access that acquires or releases. */
void race_touch_whole(const struct race_touch *a, u32 mask, enum ir_space space, u64 address, u32 size);
/* One lane does, to that many bytes of shared memory, of its own block or another one; of global memory. */
void race_touch_shared(const struct race_touch *a, u32 lane, u64 address, u64 bytes);
void race_touch_range(const struct race_touch *a, u32 lane, u64 address, u64 bytes);

#endif
