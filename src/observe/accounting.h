/* SPDX-License-Identifier: Apache-2.0
 *
 * The accounting of memory accesses: an observer that forms the lane addresses of every load,
 * store, atomic and asynchronous copy and adds up what memory/banks.h and memory/sectors.h say it
 * costs, for each instruction. Reports and metrics read the sums.
 *
 * Each worker of a launch has sums of its own, so nothing is locked and nothing is allocated
 * while the kernel runs; the sums are merged afterwards, and do not depend on how many workers
 * there were. The samples kept for reports are chosen by cost, then by block and warp.
 */
#ifndef PTXSIM_OBSERVE_ACCOUNTING_H
#define PTXSIM_OBSERVE_ACCOUNTING_H

#include "arch/arch.h"
#include "exec/fault_report.h"
#include "memory/banks.h"
#include "memory/sectors.h"
#include "observe/facts.h"
#include "observe/flow.h"
#include "observe/fragments.h"
#include "observe/narrow.h"
#include "observe/opcodes.h"
#include "observe/places.h"

/* What an instruction does; fixed for each decoded instruction. */
enum account_operation {
	ACCOUNT_LOAD,
	ACCOUNT_STORE,
	ACCOUNT_ATOM,
	ACCOUNT_RED, /* also an atom whose result is not used */
	ACCOUNT_LDMATRIX,
	ACCOUNT_STMATRIX,
	ACCOUNT_ASYNC,        /* cp.async.ca */
	ACCOUNT_ASYNC_BYPASS, /* cp.async.cg */
	ACCOUNT_OPERATIONS,
};

/* What is added up. "Instructions" are warp instructions with a lane in that space; a generic
 * access counts in each space that its lanes lie in. local_ has the fields of global_. */
/* clang-format off */
#define ACCOUNT_SECTOR_FIELDS(X, space)                                                                 \
	X(space##_instructions)                                                                         \
	X(space##_requests) X(space##_transactions)                                                     \
	X(space##_sectors) X(space##_ideal_sectors) X(space##_lines) X(space##_tag_wavefronts)          \
	X(space##_data_reads) X(space##_data_writes) X(space##_data_conflicts)                          \
	X(space##_bytes_wanted) X(space##_bytes_moved)

#define ACCOUNT_FIELDS(X)                                                                               \
	X(executed)                                                                                     \
	X(executed_empty) /* without an active lane */                                                  \
	X(lanes)                                                                                        \
	X(shared_instructions) X(shared_bytes_wanted) X(shared_units)                                   \
	X(shared_wavefronts) X(shared_ideal) X(shared_conflicts)                                        \
	X(shared_named) /* instructions that name the space: no generic ones */                         \
	X(shared_rounds) /* machine atomics issued: more than 1 an instruction for loops */             \
	X(shared_rounds_named) /* of instructions that name the space */                              \
	X(shared_rounds_alu) /* of which carried out by the unit itself */                              \
	X(shared_rounds_cas) /* of which compare and swap */                                            \
	X(shared_loop_loads)                                                                            \
	X(shared_dummy_loads) /* the assembler's, before a basic block's first cp.async */              \
	X(shared_load_wavefronts) X(shared_load_conflicts) X(shared_load_source)                        \
	X(shared_moved_conflicts) /* of cp.async.ca, by tag wavefront */                                \
	ACCOUNT_SECTOR_FIELDS(X, global)                                                                \
	X(global_touched_sectors) X(global_touched_lines) X(global_named)                               \
	/* those before the loops of atomics on 16 bits: */                                             \
	X(global_loop_loads) X(global_loop_sectors) X(global_loop_tag_wavefronts)                       \
	ACCOUNT_SECTOR_FIELDS(X, local) X(local_named)                                                  \
	X(const_instructions) X(const_requests) X(const_divergent) X(const_replays)                     \
	/* with caches: sectors */                                                                      \
	X(global_l1_hits) X(global_l1_misses) X(local_l1_hits) X(local_l1_misses)                       \
	X(l2_read_hits) X(l2_read_misses) X(l2_write_hits) X(l2_write_misses) X(l2_written_back)        \
	/* lock loops, of lock-loads and of the atomics that become such */                             \
	X(lock_loops) X(lock_rounds) X(lock_retries) X(lock_attempts) X(lock_failures) X(lock_false) X(lock_worst)
/* clang-format on */

enum account_field {
#define X(name) ACCOUNT_##name,
	ACCOUNT_FIELDS(X)
#undef X
		ACCOUNT_FIELD_COUNT
};

/* A field of which the greatest counts, where others are added up. */
static inline bool account_takes_most(enum account_field field) { return field == ACCOUNT_lock_worst; }

/* "shared_wavefronts": stable, part of the JSON report. */
const char *account_field_name(enum account_field field);
/* "load", "atomic": likewise. */
const char *account_operation_name(enum account_operation operation);

/* The execution of an instruction that cost most beyond the ideal. */
struct account_sample {
	bool taken;
	enum ir_space space;
	u32 mask;   /* lanes in that space */
	u32 excess; /* wavefronts (shared), sectors (global, local), replays (constant) */
	u32 cost;
	u64 order;               /* block and warp, for a choice that does not depend on the workers */
	u64 address[WARP_LANES]; /* within the space */
	/* Of cp.async: the addresses on the side that cost less, in global memory if `space` is shared, and the
	 * other way round. */
	u64 other[WARP_LANES];
};

struct account {
	u64 n[ACCOUNT_FIELD_COUNT];
	u64 degree[WARP_LANES + 1]; /* executions by shared memory's conflict degree; 32: or more */
	u64 banks[32];              /* words that each bank of shared memory delivered or took */
	struct account_sample worst;
};

/* A decoded instruction that accesses memory. */
struct account_site {
	const struct code *code;
	u32 insn;
	const struct form *form;
	enum account_operation operation;
	enum ir_space space; /* as written; SPACE_GENERIC if not */
	enum bank_kind bank_kind;
	enum sector_kind sector_kind;
	u32 width;       /* bytes of a lane; where there are parts, of the first of them, unless as_written */
	u32 matrix_mask; /* lanes whose addresses count */
	bool wide;       /* 64-bit base register */
	bool in_frame;   /* as_written: of a call's parameters and results, at i->imm of the frame's local memory */
	bool through_l1;
	bool past_l1;    /* the cache estimate: by its form, or because others must see it at once */
	bool is_lock;    /* a lock-load */
	bool empty_runs; /* the machine runs it without an active lane, too */
	bool sync;       /* may wait for other lanes */
	bool one_lane;   /* an atomic that the assembler lets one lane do for all */
	bool combines;   /* an atomic whose operands could be put together first: neither exch nor cas */
	bool first_copy; /* the first cp.async of its basic block */
	u8 order_passes; /* through the data stage, of what .release and .acquire become beside the access */
	u32 fixed; /* counts from 1: the base register is the same in every block of a launch, for each warp; or 0 */
	bool in_bank, at_fixed_place; /* LDC: at bank_offset behind what the base register holds, or at that place */
	u32 bank_offset;
	const struct fragment_accesses *fragment; /* of wmma.load and wmma.store, else NULL */
	struct narrow parts;                      /* of a load of a vector that the assembler cuts, else none */
};

/* Whether loads go through the first-level cache: as the architecture has it, or as compiled. */
enum account_l1 { ACCOUNT_L1_DEFAULT, ACCOUNT_L1_ON, ACCOUNT_L1_OFF };

/* The estimate of cache hits: none, each launch from cold, or a second level that outlives a launch.
 * With caches, a launch must run on one host thread. */
enum account_caches { ACCOUNT_CACHES_NONE, ACCOUNT_CACHES_COLD, ACCOUNT_CACHES_WARM };

struct accounting_options {
	enum bank_mode bank_mode; /* 3.x */
	enum account_l1 l1;       /* 2.x, 3.x */
	u32 registers;            /* of a thread, for the occupancy; 0: estimated */
	enum account_caches caches;
	bool as_written; /* sites are as wide as whole vectors, parts or not; calls' parameters are local memory */
	bool banks;      /* loads from constant banks of machine code are sites, too */
	bool one_block;  /* count only what block number `block` does */
	u64 block;
	u64 blocks_apart; /* count the first blocks of each launch apart, too: so many */
};

/* One launch, merged. */
struct account_run {
	const struct kernel *kernel;
	u32 grid[3], block[3];
	struct launch_stats stats;
	/* What stopped it, then what was found beside that: set by who ran it; counts end there. */
	const struct fault_report *faults;
	const char *const *fault_texts; /* the messages */
	u32 fault_count;
	struct account *sites;                         /* in the order of accounting_sites */
	struct account operations[ACCOUNT_OPERATIONS]; /* sums over the sites, without samples */
	struct flow_count **flow;                      /* by code, then body instruction */
	struct flow_timeline *timelines;               /* TIMELINE_WARPS */
	struct opcode_counts opcodes;                  /* of machine code, else empty */
	struct arch_occupancy occupancy;
	u64 facts[FACT_COUNT];
	/* Of block k of those counted apart: a run of its own, without lines, sites and flow; NULL: it did not run. */
	struct account_run **blocks;
	u64 block_count;
};

/* Fills in what is known of a listing's instruction before the run; false if it accesses no memory. */
bool account_describe_listing(struct account_site *site, const struct arch *arch, enum account_l1 l1);
/* The same of an instruction of machine code that loads from a constant bank; false: it does not. */
bool account_describe_bank(struct account_site *site);
/* Of one that is atomic: how it is counted. The rest of *site is known. */
void account_describe_machine_atomic(struct account_site *site);

struct accounting;

/* Both live as long as the arena; the program must too. */
struct accounting *accounting_new(struct arena *arena, const struct program *program,
				  const struct accounting_options *options);
/* Gives the workers' sums back. */
void accounting_free(struct accounting *a);

struct observer *accounting_observer(struct accounting *a);
const struct program *accounting_program(const struct accounting *a);
/* What is known of each body instruction of a function. */
const struct instruction_facts *accounting_facts(const struct accounting *a, const struct code *code);
const struct arch *accounting_arch(const struct accounting *a);
enum bank_mode accounting_bank_mode(const struct accounting *a);
u32 accounting_sites(const struct accounting *a, const struct account_site **sites);
/* count_cost (observe/count.h) by this accounting's architecture and bank mode. */
void accounting_cost(const struct accounting *a, const struct account_site *site, const struct warp *w,
		     struct account_sample *sample);

/* Around each launch_run that the observer watches. */
void accounting_begin(struct accounting *a);
/* What the first worker has counted so far, for whoever saves and restores it; NULL: it has not begun. */
u8 *accounting_state(const struct accounting *a, size_t *bytes);
/* The launch's sums, in `arena`. */
struct account_run *accounting_end(const struct accounting *a, struct arena *arena, const struct launch *l,
				   const struct launch_stats *stats);

/* The sums of a launch that stands still (exec/stepping.h), without launch_stats: what its resident blocks have executed
 * of the straight runs that they are within is counted, too, and will be counted again. `count` 0: of a launch that has
 * ended or failed. */
struct account_run *accounting_so_far(const struct accounting *a, struct arena *arena, const struct launch *l,
				      const struct block *const *blocks, u32 count);

/* For a launch whose blocks several processes share: what this one has counted, to be sent as it is to another that
 * runs the same program on a host of the same kind; and what such a one has, to be added before accounting_end. Not
 * with caches, nor with blocks counted apart. */
size_t accounting_packed_bytes(const struct accounting *a);
void accounting_pack(const struct accounting *a, u8 *to);
void accounting_absorb(struct accounting *a, const u8 *from);

/* Adds sums, and keeps the costlier of the samples. */
void account_add(struct account *to, const struct account *from);

struct place_of accounting_place(const struct account_site *site);

#endif
