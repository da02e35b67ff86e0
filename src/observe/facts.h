/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a launch as a whole: how much ran, what kind of instructions, how many blocks
 * an SM would hold. The counters of observe/counters.h that are not about memory name these.
 */
#ifndef PTXSIM_OBSERVE_FACTS_H
#define PTXSIM_OBSERVE_FACTS_H

#include "arch/arch.h"
#include "exec/launch.h"
#include "observe/flow.h"

/* The counts of the classes follow in the classes' order, see facts_class. */
#define FACTS(X)                                                                 \
	X(blocks)                                                                \
	X(warps)                                                                 \
	X(threads)                                                               \
	X(instructions)                                                          \
	X(lanes)          /* active, those turned off by a predicate included */ \
	X(lanes_on)       /* without these */                                    \
	X(lanes_off)      /* these */                                            \
	X(lanes_possible) /* 32 for each instruction */                          \
	X(lanes_idle)     /* possible, less active */                            \
	X(branches)                                                              \
	X(divergent)                                                             \
	X(uniform)                                                               \
	X(register_reads)                                                        \
	X(register_writes)                                                       \
	X(barrier_arrivals)                                                      \
	X(barrier_threads)                                                       \
	X(cluster_arrivals)                                                      \
	X(warp_barriers)                                                         \
	X(shuffles)                                                              \
	X(votes)                                                                 \
	X(fragment_loads)                                                        \
	X(fragment_stores)                                                       \
	X(grid_blocks)                                                           \
	X(block_threads)                                                         \
	X(thread_registers)                                                      \
	X(static_shared)                                                         \
	X(dynamic_shared)                                                        \
	X(sm_blocks)                                                             \
	X(sm_warps)                                                              \
	X(sm_warps_most)                                                         \
	X(limit_warps)                                                           \
	X(limit_blocks)                                                          \
	X(limit_registers)                                                       \
	X(limit_shared)                                                          \
	X(gpu_blocks) /* on all SMs at once */

enum fact {
	FACT_none,
#define X(name) FACT_##name,
	FACTS(X)
#undef X
		FACT_classes, /* executed by warps, CLASS_COUNT of them */
	FACT_class_threads = FACT_classes + CLASS_COUNT,
	FACT_products = FACT_class_threads + CLASS_COUNT, /* by warps, MATRIX_TYPE_COUNT of them */
	FACT_multiply_adds = FACT_products + MATRIX_TYPE_COUNT,
	FACT_COUNT = FACT_multiply_adds + MATRIX_TYPE_COUNT
};

/* Adds what an instruction did. */
void facts_add_instruction(u64 facts[FACT_COUNT], const struct flow_count *n, const struct instruction_facts *what);
/* Adds what one function's instructions did. */
void facts_add_flow(u64 facts[FACT_COUNT], const struct code *code, const struct flow_count *counts,
		    const struct instruction_facts *what);

/* How many blocks an SM holds at once, and why not more. registers: of a thread, or 0 for an
 * estimate, which .maxnreg and .minnctapersm cap. */
struct arch_occupancy facts_occupancy(u64 facts[FACT_COUNT], const struct launch *l, u32 registers);

#endif
