/* SPDX-License-Identifier: Apache-2.0
 *
 * The architecture table: one row for each target that PTX can name, from sm_10 to sm_121f.
 * Everything that differs between GPUs and that this program models is a figure here, so that
 * code asks the row and never compares names. Rows are constant and shared by all threads.
 *
 * Sources: CUDA C++ Programming Guide (technical specifications by compute capability; edition
 * 4.2, appendix F, for 1.x and 2.x), the CUDA occupancy calculator's rules, PTX ISA 9.0 (targets
 * by PTX version). Figures about memory units for 9.0 are measured on an H200. Cache ways and
 * the figures of the sample GPU (SMs, second-level cache) serve the cache estimate only.
 */
#ifndef PTXSIM_ARCH_ARCH_H
#define PTXSIM_ARCH_ARCH_H

#include "base/types.h"

/* How lanes that took different ways meet again. */
enum arch_divergence {
	ARCH_STACK,       /* a reconvergence stack: one way at a time, lanes of a warp in lock-step */
	ARCH_INDEPENDENT, /* from 7.0 on: every lane makes progress */
};

/* How shared memory's banks serve a warp instruction; memory/banks.c has the rules. */
enum arch_shared_rule {
	ARCH_SHARED_HALF_WARP, /* 1.x: half-warps apart, one broadcast word a step */
	ARCH_SHARED_FERMI,     /* 2.x: whole warp, any number of broadcast words */
	ARCH_SHARED_TWO_MODES, /* 3.x: 8-byte banks, words placed by 4 or by 8 bytes */
	ARCH_SHARED_UNITS,     /* 5.0 on: wide accesses in halves and quarters of a warp */
};

/* Whether the halves or quarters of a wide shared load may be served together; how we know. */
enum arch_join { ARCH_JOIN_NONE, ARCH_JOIN_STATED, ARCH_JOIN_MEASURED, ARCH_JOIN_INFERRED };

/* How an atomic instruction on shared memory is carried out. */
enum arch_shared_atomics {
	ARCH_ATOMICS_NONE,       /* 1.0, 1.1: not in the instruction set */
	ARCH_ATOMICS_LOCK_LOAD,  /* 1.2 to 2.x: lock-load may fail, unlock-store does not */
	ARCH_ATOMICS_LOCK_STORE, /* 3.x: both may fail; done when the store succeeds */
	ARCH_ATOMICS_NATIVE,     /* 5.0 on */
};

/* How global memory serves a warp instruction; memory/sectors.c has the rules. */
enum arch_global_rule {
	ARCH_GLOBAL_IN_ORDER, /* 1.0, 1.1: lane k in word k, or one transaction a lane */
	ARCH_GLOBAL_SEGMENTS, /* 1.2, 1.3: segments of 32, 64, 128 bytes by half-warp */
	ARCH_GLOBAL_LINES,    /* 2.x, 3.x: lines of 128 bytes, or segments of 32 past the cache */
	ARCH_GLOBAL_SECTORS,  /* 5.0 on: sectors of 32 bytes */
};

/* What a store does in the first-level cache. */
enum arch_l1_write {
	ARCH_L1_NONE,          /* 1.x has no such cache for data */
	ARCH_L1_WRITE_EVICT,   /* 2.x to 6.x: a global store drops the line */
	ARCH_L1_WRITE_THROUGH, /* 7.0 on: updates a line that is there and goes on */
};

struct arch {
	char name[10];      /* "sm_90a" */
	u16 cc;             /* compute capability x 10: 90, 121 */
	char suffix;        /* 0, 'a' (this one GPU only) or 'f' (its family) */
	u8 ptx_version;     /* x 10: the first PTX version that knows the target; 78 is 7.8 */
	const char *sample; /* a GPU with this capability, whose figures stand below */

	/* execution */
	u16 max_threads_block;
	u16 max_warps_sm, max_blocks_sm;
	u32 max_grid[3], max_block[3];
	u16 sms;        /* of the sample GPU */
	u8 max_cluster; /* blocks of a cluster that every GPU of the row grants; 0: none */
	u8 divergence;  /* enum arch_divergence */

	/* registers, of 32 bits */
	u32 registers_sm, registers_block;
	u16 registers_thread; /* the most that a thread can address */
	u16 register_unit;    /* granted in multiples of this */
	u8 register_by_block; /* the multiple is of a block's registers (1.x), else of a warp's */
	u8 warp_unit;         /* warps counted in multiples of this; from 3.0: sub-partitions */
	u8 family_warp_unit;  /* 6.0: that of its family, which must be able to run a block too; else 0 */

	/* shared memory, in bytes */
	u32 shared_sm, shared_block, shared_block_optin;
	u16 shared_unit;     /* granted in multiples of this */
	u16 shared_reserved; /* taken from each block's grant by the system */
	u8 shared_rule;      /* enum arch_shared_rule */
	u8 shared_join;      /* enum arch_join */
	u8 shared_atomics;   /* enum arch_shared_atomics */
	u8 banks;            /* 16 or 32 */
	u8 bank_bytes;       /* a bank's width: 4, or 8 on 3.x */

	/* global memory and caches, in bytes */
	u8 global_rule; /* enum arch_global_rule */
	u8 l1_global;   /* global loads go through the first level unless told otherwise */
	u8 l1_unified;  /* the first level and shared memory share l1_bytes */
	u8 l1_write;    /* enum arch_l1_write */
	u8 l1_ways, l2_ways;
	u8 sector; /* the grain of a transfer: 32 */
	u8 line;   /* the grain of a tag: 128 */
	u32 l1_bytes, l2_bytes;
	u32 const_bytes; /* of the constant state space */
	u32 local_bytes; /* of local memory, the most for a thread */
};

/* Counts of the table's rows, for walking it: arch_row(0) to arch_row(arch_rows() - 1). */
size_t arch_rows(void);
const struct arch *arch_row(size_t i);

/* The row for "sm_90a" or "compute_90a"; NULL where there is none. */
const struct arch *arch_find(const char *name);

/* True where code for target `code` may run on `gpu`: the same or an earlier capability for a
 * target without suffix, the same family for 'f', exactly the same capability for 'a'. */
bool arch_runs(const struct arch *gpu, const struct arch *code);

/* Bytes of first-level cache left on an SM whose shared memory takes `shared_bytes`. */
u32 arch_l1_bytes(const struct arch *arch, u32 shared_bytes);

/* Which resource stops a further block from being resident on an SM. */
enum arch_limit {
	ARCH_LIMIT_WARPS,
	ARCH_LIMIT_BLOCKS,
	ARCH_LIMIT_REGISTERS,
	ARCH_LIMIT_SHARED,
	ARCH_LIMITS,
};

struct arch_occupancy {
	u32 blocks;                /* resident on an SM together; 0: the block cannot run */
	u32 warps;                 /* blocks x warps of a block */
	enum arch_limit limit;     /* the smallest below; the first of equals */
	u32 by_limit[ARCH_LIMITS]; /* blocks if only that resource counted; UINT32_MAX: not used */
	u32 registers_block;       /* granted to each block */
	u32 shared_block;          /* granted to each block, the system's part included */
};

/* The occupancy calculator: threads of a block (1 or more), registers of a thread, and bytes of
 * static plus dynamic shared memory of a block. */
struct arch_occupancy arch_occupancy(const struct arch *arch, u32 threads, u32 registers, u32 shared_bytes);

/* "warps", "blocks", "registers", "shared memory". */
const char *arch_limit_name(enum arch_limit limit);

#endif
