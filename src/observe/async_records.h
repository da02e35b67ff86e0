/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the strict checker share: the records of a cluster, the shadow of its shared
 * memory, and what is known of a program's instructions before it runs.
 */
#ifndef PTXSIM_OBSERVE_ASYNC_RECORDS_H
#define PTXSIM_OBSERVE_ASYNC_RECORDS_H

#include "exec/fault_report.h"
#include "exec/internal.h"
#include "observe/async_check.h"

enum { ASYNC_BUCKETS = 256, ASYNC_LANE_BITS = 5, ASYNC_PLACE_TEXT = 400 };

/* Bytes of global memory that an operation reads or writes. */
struct async_bytes {
	u64 low, high;
	u8 lane;
	bool is_store;
};

/* One operation of a warp, or of one lane of it. Masks are of lanes:
 * pending, reading: its effects, its sources, that the warp has not waited for;
 * held, held_reading: those that others may not touch yet, since the warp has waited but not told
 * them (by a barrier, a fence, an arrival). */
struct async_op {
	u32 id;
	enum async_kind kind;
	bool reduces;
	struct warp *warp;
	const struct code *code;
	u32 insn;
	u32 pending, held, reading, held_reading;
	u32 group[WARP_LANES];
	/* Lanes whose end an mbarrier tells, in which block and phase; warps of the block that know. */
	u32 counted, seen, phase;
	const u8 *mbarrier;
	struct block *home;
	VEC_OF(struct async_bytes) global;
	u64 low, high; /* around all of `global` */
	u32 time;      /* of the check of races, when it first heard of it; 0: it has not */
	struct async_op *next, *previous, *next_of_bucket;
};

/* A word of shared memory. writer, reader: the newest operation that will write or may read it
 * (number << 5 | lane); site, by, when: the newest ordinary store, until the async proxy writes. */
struct async_shadow {
	u32 writer, reader, site, when;
	u16 by;    /* warp of the cluster */
	bool told; /* `site` is that of a store */
};

/* Registers of a warp that wgmma uses, by their number among these. */
struct async_registers {
	u32 written, read; /* operations that will write, may read it */
	u32 site;          /* the newest ordinary write since the last wgmma.fence, + 1 */
};

struct async_warp {
	u32 fence_time, sync_time;
	bool fenced;             /* by wgmma.fence */
	const u8 *missed;        /* the mbarrier whose phase the last wait found incomplete, or NULL */
	const struct code *code; /* whose registers these are */
	struct async_registers *registers;
};

/* What is known of an mbarrier beside its object. */
struct async_mbarrier {
	u32 phase;   /* phases gone by */
	u32 expects; /* sites, + 1: of the newest expectation of bytes, */
	u32 init;    /* of its initialisation, or of what ended it, */
	u32 newest;  /* of the newest arrival, */
	u32 copy;    /* of the newest copy that it counts */
	bool asked;  /* a wait has found a phase complete */
	bool made;   /* it is one: initialised, and not ended since */
	u32 came;    /* warps of its block that have arrived in this phase, by bit */
	bool others; /* so have warps of other blocks */
};

/* A tensor map in global memory that was changed. */
struct async_map {
	u64 address;
	u32 site, when;
};
enum { ASYNC_MAPS = 64 };

/* Of a cluster. */
struct async_records {
	struct async_cluster *owner;
	struct arena *arena; /* the worker's */
	struct async_op *buckets[ASYNC_BUCKETS], *live, *unused;
	u32 newest;                        /* operation */
	u32 now;                           /* ordinary stores, fences and meetings so far */
	u32 fence_time;                    /* of the newest fence of the async proxy */
	struct async_map maps[ASYNC_MAPS]; /* the newest, in a ring */
	u32 map_count;
	u32 map_fence_time; /* of the newest fence of the tensor-map proxy */
	bool touched;
	struct async_warp *warps;          /* of all blocks */
	struct async_shadow **shadow;      /* by rank, by word */
	struct async_mbarrier **mbarriers; /* by rank, by 8 bytes */
};

/* What an instruction is to the watcher. */
enum async_role {
	ASYNC_LOAD = 1, /* an ordinary access: bits */
	ASYNC_STORE = 2,
	ASYNC_MEETS = 4,     /* tells others what the warp knows */
	ASYNC_REGISTERS = 8, /* names registers that wgmma uses */
	ASYNC_PROXY_FENCE = 16,
	ASYNC_WGMMA_FENCE = 32,
	ASYNC_MAP_FENCE = 64,
};

struct async_site {
	u8 roles;
	bool wide, generic, shared;
	u8 lanes; /* that give addresses: of ldmatrix and stmatrix the first so many, else all */
	u16 bytes;
	u32 first_register, register_count; /* in struct async_watch.uses */
};

/* A register operand: its number among those that wgmma uses; written or read. */
struct async_use {
	u32 number;
	bool written;
	u8 role; /* of wgmma: 'd', 'a'; else 0 */
};

struct async_watch {
	struct observer observer;
	struct grid *grid;
	struct async_site **sites; /* by code and instruction */
	u32 *bases;                /* by code: sites before its first */
	VEC_OF(struct async_use) uses;
	u32 register_count; /* the most that a function's wgmma use */
	bool proxy_reads;   /* something reads shared memory through the async proxy */
};

static inline struct async_records *async_records_of(const struct warp *w) { return async_of(w)->records; }
static inline struct async_warp *async_warp(const struct warp *w)
{
	return &async_records_of(w)->warps[async_warp_number(w)];
}

static inline u32 async_insn_number(const struct warp *w, const struct insn *i)
{
	return (u32)(i - grid_entry(w->grid, w->frame->code));
}
/* A number for an instruction among all of the program. */
static inline u32 async_site_of(const struct warp *w, const struct insn *i)
{
	return w->grid->async_watch->bases[w->frame->code->index] + async_insn_number(w, i);
}

/* A record with a number of its own, on the list of those alive; async_record_end() takes it off. */
struct async_op *async_record_new(struct async_records *c);
void async_record_end(struct async_records *c, struct async_op *op);
/* The operation of that number, or NULL: it is over. */
struct async_op *async_find(const struct async_records *c, u32 id);
/* The warp tells the others what it knows. */
void async_meet(struct warp *w);
/* "'cp.async.wait_all' at file:line:column". */
void async_place(const struct code *code, u32 insn, char text[ASYNC_PLACE_TEXT]);
/* For faults: who began it. */
struct fault_act async_act(const struct async_op *op);
/* The code that a site of the program lies in, and its instruction there. */
const struct code *async_site_code(const struct grid *grid, u32 site, u32 *insn);
void async_site_place(const struct grid *grid, u32 site, char text[ASYNC_PLACE_TEXT]);

/* async_watch.c's entries in the checker's table. */
struct observer *async_watch_prepare(struct grid *grid, struct arena *arena);
bool async_watch_registers(struct warp *w, const struct insn *i, struct async_op *op);

#endif
