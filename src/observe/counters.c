/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of counters.
 *
 * A row says how a counter follows from what accounting gathers: SUM adds fields of struct account over the operations
 * named (LD, ST, ...), RATIO divides two such sums, FACT takes a figure of the launch (observe/facts.h). Aliases are
 * the names that profilers have for it: ncu's metrics and nvprof's. Everything that names counters (--counters,
 * reports, docs/counters.md, completions, Python) reads this table.
 */
#include "observe/counters.h"

#include <fnmatch.h>
#include <string.h>

#define F(name) ((field_set)1 << ACCOUNT_##name)

enum {
	LD = 1 << ACCOUNT_LOAD,
	ST = 1 << ACCOUNT_STORE,
	ATOM = 1 << ACCOUNT_ATOM,
	RED = 1 << ACCOUNT_RED,
	LDSM = 1 << ACCOUNT_LDMATRIX,
	STSM = 1 << ACCOUNT_STMATRIX,
	CA = 1 << ACCOUNT_ASYNC,
	CG = 1 << ACCOUNT_ASYNC_BYPASS,
	ATOMICS = ATOM | RED,
	COPIES = CA | CG,
	ALL = (1 << ACCOUNT_OPERATIONS) - 1,
};

#define NCU_DATA "l1tex__data_pipe_lsu_wavefronts_mem_"
#define NCU_CONF "l1tex__data_bank_conflicts_pipe_lsu"
#define NCU_SASS "smsp__sass_l1tex_"
#define NCU_INST "smsp__inst_executed_op_"
#define NCU_SINS "smsp__sass_inst_executed_op_"

/* clang-format off */
#define SUM(NAME, UNIT, FIELDS, OPS, ALIASES, TEXT)                                                          \
	{                                                                                                    \
		.name = NAME, .unit = UNIT, .definition = TEXT, .aliases = ALIASES, .sums = {                \
			{FIELDS, OPS}                                                                        \
		}                                                                                            \
	}
#define SUM2(NAME, UNIT, FIELDS, OPS, FIELDS2, OPS2, ALIASES, TEXT)                                          \
	{                                                                                                    \
		.name = NAME, .unit = UNIT, .definition = TEXT, .aliases = ALIASES, .sums = {                \
			{FIELDS, OPS},                                                                       \
			{FIELDS2, OPS2}                                                                      \
		}                                                                                            \
	}
#define RATIO(NAME, UNIT, SCALE, FIELDS, OPS, FIELDS2, OPS2, ALIASES, TEXT)                                  \
	{                                                                                                    \
		.name = NAME, .unit = UNIT, .definition = TEXT, .aliases = ALIASES, .sums = {{FIELDS, OPS}}, \
		.below = {{FIELDS2, OPS2}}, .scale = SCALE                                                   \
	}
#define FACT(NAME, UNIT, WHICH, ALIASES, TEXT)                                                               \
	{                                                                                                    \
		.name = NAME, .unit = UNIT, .definition = TEXT, .aliases = ALIASES, .facts = {               \
			FACT_##WHICH                                                                        \
		}                                                                                            \
	}
#define FACT_RATIO(NAME, UNIT, SCALE, ABOVE, BELOW, ALIASES, TEXT)                                           \
	{                                                                                                    \
		.name = NAME, .unit = UNIT, .definition = TEXT, .aliases = ALIASES, .facts = {FACT_##ABOVE}, \
		.facts_below = {FACT_##BELOW}, .scale = SCALE                                                \
	}

/* The figures that global and local accesses of one operation have in common. */
#define SECTORS(SPACE, OP, OPS, NCU, WHAT) SECTORS2(SPACE, OP, OPS, 0, 0, 0, NCU, WHAT)

/* The same with fields of atomics on 16 bits, which load first. */
#define SECTORS2(SPACE, OP, OPS, REQUESTS, SECTORS, TAGS, NCU, WHAT)                                         \
	SUM2(#SPACE "." OP ".requests", "requests", F(SPACE##_requests), OPS, REQUESTS, ATOM,                \
	     "l1tex__t_requests_pipe_lsu_mem_" #SPACE "_op_" NCU ".sum",                                     \
	     "Requests of " WHAT " to the memory unit."),                                                    \
	    SUM2(#SPACE "." OP ".sectors", "sectors", F(SPACE##_sectors), OPS, SECTORS, ATOM,                \
	         "l1tex__t_sectors_pipe_lsu_mem_" #SPACE "_op_" NCU ".sum",                                  \
	         "Sectors of 32 bytes that " WHAT " touched."),                                              \
	    SUM2(#SPACE "." OP ".tag_wavefronts", "wavefronts", F(SPACE##_tag_wavefronts), OPS, TAGS, ATOM,  \
	         "l1tex__t_output_wavefronts_pipe_lsu_mem_" #SPACE "_op_" NCU ".sum",                        \
	         "Wavefronts of " WHAT " at the first-level cache's tag stage.")

/* Sectors of an average request, and what as many bytes would need. */
#define PER_REQUEST(OP, OPS, NCU, WHAT)                                                                      \
	RATIO("global." OP ".sectors_per_request", "", 1, F(global_sectors), OPS, F(global_requests), OPS,   \
	      "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_" NCU ".ratio",                   \
	      "Sectors of an average request of " WHAT "."),                                                 \
	    RATIO("global." OP ".sectors_ideal_per_request", "", 1, F(global_ideal_sectors), OPS,            \
	          F(global_requests), OPS, "", "Sectors that the bytes of such a request need at best.")

static const struct counter table[] = {
    /* --- The launch --- */
    FACT("launch.blocks", "blocks", blocks, "", "Blocks run."),
    FACT("launch.warps", "warps", warps, "smsp__warps_launched.sum sm__warps_launched.sum warps_launched",
         "Warps run."),
    FACT("launch.threads", "threads", threads, "", "Threads run."),
    FACT("launch.instructions", "instructions", instructions, "smsp__inst_executed.sum inst_executed",
         "PTX instructions executed by warps. The profilers count machine instructions."),
    FACT("launch.thread_instructions", "instructions", lanes,
         "smsp__thread_inst_executed.sum thread_inst_executed",
         "PTX instructions executed by threads: active lanes, those that a predicate turns off included."),
    FACT("launch.thread_instructions_on", "instructions", lanes_on,
         "smsp__thread_inst_executed_pred_on.sum not_predicated_off_thread_inst_executed",
         "PTX instructions executed by threads, without those that a predicate turns off."),
    FACT("launch.predicated_off", "instructions", lanes_off, "",
         "Active lanes that a predicate turns off, over all instructions; of a branch the lanes that do not "
         "take it."),
    FACT("launch.idle_lanes", "lanes", lanes_idle, "",
         "Lanes without an active thread, over all instructions: 32 for each, less those that are active."),
    FACT_RATIO("launch.active_lanes", "lanes", 1, lanes, instructions,
               "smsp__thread_inst_executed_per_inst_executed.ratio",
               "Active lanes of an average instruction."),
    FACT_RATIO("launch.active_lanes_on", "lanes", 1, lanes_on, instructions,
               "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
               "Active lanes that no predicate turns off, of an average instruction."),
    FACT_RATIO("launch.warp_efficiency", "%", 100, lanes, lanes_possible,
               "warp_execution_efficiency smsp__thread_inst_executed_per_inst_executed.pct",
               "Active lanes of all lanes."),
    FACT_RATIO("launch.warp_efficiency_on", "%", 100, lanes_on, lanes_possible,
               "warp_nonpred_execution_efficiency smsp__thread_inst_executed_pred_on_per_inst_executed.pct",
               "Active lanes that no predicate turns off, of all lanes."),
    FACT_RATIO("launch.instructions_per_warp", "", 1, instructions, warps,
               "inst_per_warp smsp__average_inst_executed_per_warp.ratio",
               "PTX instructions of an average warp."),
    FACT("branch.executed", "branches", branches, "smsp__sass_branch_targets.sum branch",
         "Branches executed by warps, predicated returns and exits among them."),
    FACT("branch.divergent", "branches", divergent,
         "smsp__sass_branch_targets_threads_divergent.sum divergent_branch",
         "Branches at which a warp's lanes went different ways."),
    FACT("branch.uniform", "branches", uniform, "smsp__sass_branch_targets_threads_uniform.sum",
         "Branches at which all lanes went the same way."),
    FACT_RATIO("branch.efficiency", "%", 100, uniform, branches,
               "branch_efficiency smsp__sass_average_branch_targets_threads_uniform.pct",
               "Branches at which all lanes went the same way, of all branches."),

    /* --- Instructions --- */
#define X(enumerator, class, profilers, text)                                                                \
	{.name = "instructions." class,                                                                      \
	 .unit = "instructions",                                                                             \
	 .definition = "PTX instructions executed by warps: " text ".",                                      \
	 .aliases = "",                                                                                      \
	 .facts = {FACT_classes + CLASS_##enumerator}},                                                      \
	    {.name = "thread_instructions." class,                                                           \
	     .unit = "instructions",                                                                         \
	     .definition = "The same by threads, without those that a predicate turns off.",                 \
	     .aliases = profilers,                                                                           \
	     .facts = {FACT_class_threads + CLASS_##enumerator}},
    INSTRUCTION_CLASSES(X)
#undef X
    FACT("registers.reads", "registers", register_reads, "",
         "Operands that warps read from the register file, in registers of 32 bits: one of 64 bits is 2. By "
         "the PTX text: not predicates, constants, special registers, nor what calls pass."),
    FACT("registers.writes", "registers", register_writes, "", "Operands that warps write there, likewise."),
    FACT("barrier.arrivals", "arrivals", barrier_arrivals, "",
         "Warps' arrivals at the block's barriers (bar, barrier); each group of lanes that arrives apart "
         "counts."),
    FACT("barrier.thread_arrivals", "arrivals", barrier_threads, "", "Threads' arrivals there."),
    FACT("barrier.cluster_arrivals", "arrivals", cluster_arrivals, "",
         "Warps' arrivals at the cluster's barrier."),
    FACT("barrier.warp", "instructions", warp_barriers, "", "bar.warp.sync executed by warps."),
    FACT("warp.shuffles", "instructions", shuffles, "", "Shuffles (shfl) executed by warps."),
    FACT("warp.votes", "instructions", votes, "",
         "Votes, matches, reductions over a warp, elections, executed by warps."),

    /* --- Matrices --- */
#define X(enumerator, type, text)                                                                            \
	{.name = "matrix." type ".instructions",                                                            \
	 .unit = "instructions",                                                                             \
	 .definition = "Multiplications of " text " executed by warps (mma, wmma, wgmma).",                 \
	 .aliases = "",                                                                                      \
	 .facts = {FACT_products + MATRIX_##enumerator}},                                                    \
	    {.name = "matrix." type ".multiply_adds",                                                        \
	     .unit = "operations",                                                                           \
	     .definition = "Their multiply-adds; of sparse forms over all of K, zeros included.",            \
	     .aliases = "",                                                                                  \
	     .facts = {FACT_multiply_adds + MATRIX_##enumerator}},
    MATRIX_TYPES(X)
#undef X
    FACT("matrix.fragment_loads", "instructions", fragment_loads, "",
         "Loads of fragments executed by warps (wmma.load, ldmatrix)."),
    FACT("matrix.fragment_stores", "instructions", fragment_stores, "",
         "Stores of fragments executed by warps (wmma.store, stmatrix)."),

    /* --- Occupancy --- */
    FACT("occupancy.warps", "warps", sm_warps, "sm__maximum_warps_avg_per_active_cycle",
         "Warps that an SM holds at once."),
    FACT_RATIO("occupancy.theoretical", "%", 100, sm_warps, sm_warps_most,
               "sm__maximum_warps_per_active_cycle_pct", "These, of the most that an SM can hold."),
    FACT("occupancy.blocks", "blocks", sm_blocks, "",
         "Blocks that an SM holds at once: the least of the four limits."),
    FACT("occupancy.limit_warps", "blocks", limit_warps, "launch__occupancy_limit_warps",
         "Blocks that an SM's warps allow."),
    FACT("occupancy.limit_blocks", "blocks", limit_blocks, "launch__occupancy_limit_blocks",
         "Blocks that an SM has room for at most."),
    FACT("occupancy.limit_registers", "blocks", limit_registers, "launch__occupancy_limit_registers",
         "Blocks that an SM's registers allow."),
    FACT("occupancy.limit_shared", "blocks", limit_shared, "launch__occupancy_limit_shared_mem",
         "Blocks that an SM's shared memory allows."),
    FACT_RATIO("occupancy.waves", "", 1, grid_blocks, gpu_blocks, "launch__waves_per_multiprocessor",
               "The grid's blocks, of those that the sample GPU of the architecture holds at once."),
    FACT("launch.grid_size", "blocks", grid_blocks, "launch__grid_size", "Blocks of the grid."),
    FACT("launch.block_size", "threads", block_threads, "launch__block_size", "Threads of a block."),
    FACT("launch.registers", "registers", thread_registers, "launch__registers_per_thread",
         "Registers of a thread: as --registers says, else an estimate by the values that live at once."),
    FACT("launch.static_shared", "bytes", static_shared, "launch__shared_mem_per_block_static",
         "Shared memory of a block that the code declares."),
    FACT("launch.dynamic_shared", "bytes", dynamic_shared, "launch__shared_mem_per_block_dynamic",
         "Shared memory of a block that the launch adds."),

    /* --- Shared memory --- */
    SUM2("shared.load.instructions", "instructions", F(shared_named) | F(executed_empty), LD,
         F(shared_loop_loads) | F(shared_dummy_loads), ATOMICS | COPIES,
         NCU_INST "shared_ld.sum inst_executed_shared_loads",
         "Loads from shared memory, without generic ones; those without an active lane included, those of "
         "atomic loops, and the three without an address that the assembler puts before the first cp.async "
         "of a basic block."),
    SUM2("shared.ld.instructions", "instructions", F(shared_instructions) | F(executed_empty), LD,
         F(shared_loop_loads), ATOMICS, NCU_SINS "shared_ld.sum",
         "The same without those three, but with generic loads, as the source counters have it."),
    SUM("shared.store.instructions", "instructions", F(shared_named), ST,
        NCU_INST "shared_st.sum inst_executed_shared_stores", "Stores to shared memory, without generic ones."),
    SUM("shared.st.instructions", "instructions", F(shared_instructions), ST, NCU_SINS "shared_st.sum",
        "The same with generic ones, as the source counters have it."),
    SUM("shared.atomic.instructions", "instructions", F(shared_rounds_named), ATOMICS,
        NCU_INST "shared_atom.sum inst_executed_shared_atomics",
        "Atomic machine instructions on shared memory, without generic ones: one for each round of a loop."),
    SUM("shared.atom.instructions", "instructions", F(shared_rounds), ATOMICS, NCU_SINS "shared_atom.sum",
        "The same with generic ones, as the source counters have it."),
    SUM("shared.atomic.alu_instructions", "instructions", F(shared_rounds_alu), ATOMICS,
        NCU_INST "shared_atom_dot_alu.sum", "Of those that name the space, arithmetic that the memory unit does itself."),
    SUM("shared.atomic.cas_instructions", "instructions", F(shared_rounds_cas), ATOMICS,
        NCU_INST "shared_atom_dot_cas.sum", "Of those that name the space, compare and swap."),
    SUM("lock.loops", "loops", F(lock_loops), ALL, "",
        "Lock loops begun on shared memory: of a listing's lock-loads, and of the atomics that become such "
        "before sm_50."),
    SUM("lock.rounds", "rounds", F(lock_rounds), ALL, "", "Times round lock loops: lock-loads run by warps."),
    SUM("lock.retries", "rounds", F(lock_retries), ALL, "", "Of these, rounds beyond each loop's first."),
    SUM("lock.worst_rounds", "rounds", F(lock_worst), ALL, "",
        "Rounds of the longest loop, at most 32 where one warp runs."),
    SUM("lock.attempts", "lanes", F(lock_attempts), ALL, "",
        "Lanes that tried to take a lock, over all rounds."),
    SUM("lock.failures", "lanes", F(lock_failures), ALL, "", "Of these, lanes that did not get it."),
    SUM("lock.false_contention", "lanes", F(lock_false), ALL, "",
        "Of these, lanes whose lock was held for another word: bits 2 to 9 of the two addresses are the "
        "same."),
    SUM("shared.ldmatrix.instructions", "instructions", F(shared_instructions), LDSM, NCU_INST "ldsm.sum",
        "ldmatrix instructions."),
    SUM("shared.stmatrix.instructions", "instructions", F(shared_instructions), STSM,
        NCU_INST "shared_stsm.sum " NCU_SINS "shared_stsm.sum", "stmatrix instructions."),
    SUM("shared.async.instructions", "instructions", F(shared_instructions), COPIES, NCU_INST "ldgsts.sum",
        "cp.async instructions."),
    SUM2("shared.load.wavefronts", "wavefronts", F(shared_wavefronts), LD | LDSM, F(shared_load_wavefronts),
         ATOMICS, NCU_DATA "shared_op_ld.sum shared_load_transactions",
         "Wavefronts of loads at the banks, ldmatrix and atomic loops included."),
    SUM("shared.store.wavefronts", "wavefronts", F(shared_wavefronts), ST | STSM,
        NCU_DATA "shared_op_st.sum shared_store_transactions",
        "Wavefronts of stores at the banks, stmatrix included."),
    SUM("shared.atomic.wavefronts", "wavefronts", F(shared_wavefronts), ATOMICS,
        NCU_DATA "shared_op_atom.sum " NCU_SASS "data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
        "Wavefronts of atomic operations at the banks, without a loop's loads."),
    SUM("shared.ld.wavefronts", "wavefronts", F(shared_load_source), LD | ATOMICS,
        NCU_SASS "data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "Wavefronts of plain loads, without ldmatrix, as the source counters have them: whether quarter-warps "
        "of 16 bytes go together is judged for each half-warp apart, and they do only without a conflict."),
    SUM("shared.st.wavefronts", "wavefronts", F(shared_wavefronts), ST,
        NCU_SASS "data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "Wavefronts of plain stores, without stmatrix."),
    SUM("shared.ldmatrix.wavefronts", "wavefronts", F(shared_wavefronts), LDSM,
        NCU_SASS "data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", "Wavefronts of ldmatrix."),
    SUM("shared.stmatrix.wavefronts", "wavefronts", F(shared_wavefronts), STSM,
        NCU_SASS "data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum", "Wavefronts of stmatrix."),
    SUM("shared.async.wavefronts", "wavefronts", F(shared_wavefronts), COPIES,
        NCU_SASS "data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", "Wavefronts of cp.async's writes."),
    SUM("shared.async_ca.wavefronts", "wavefronts", F(shared_wavefronts), CA,
        NCU_SASS "data_pipe_lsu_wavefronts_mem_shared_op_ldgsts_cache_access.sum",
        "Wavefronts of cp.async.ca's writes."),
    SUM("shared.async_cg.wavefronts", "wavefronts", F(shared_wavefronts), CG,
        NCU_SASS "data_pipe_lsu_wavefronts_mem_shared_op_ldgsts_cache_bypass.sum",
        "Wavefronts of cp.async.cg's writes."),
    SUM("shared.wavefronts", "wavefronts", F(shared_wavefronts) | F(shared_load_wavefronts), ALL, "",
        "All wavefronts at the banks."),
    SUM2("shared.source.wavefronts", "wavefronts", F(shared_wavefronts), ALL & ~LD, F(shared_load_source),
         LD | ATOMICS, "memory_l1_wavefronts_shared", "The same as the source counters have it."),
    SUM("shared.wavefronts_ideal", "wavefronts", F(shared_ideal), ALL, "memory_l1_wavefronts_shared_ideal",
        "Wavefronts that as many bytes need at best."),
    SUM2("shared.read.wavefronts", "wavefronts", F(shared_wavefronts), LD | LDSM | ATOMICS,
         F(shared_load_wavefronts), ATOMICS, NCU_DATA "shared_cmd_read.sum", "Wavefronts that read."),
    SUM("shared.write.wavefronts", "wavefronts", F(shared_wavefronts), ST | STSM | ATOMICS,
        NCU_DATA "shared_cmd_write.sum", "Wavefronts that write."),
    SUM2("shared.load.conflicts", "conflicts", F(shared_conflicts), LD | LDSM, F(shared_load_conflicts),
         ATOMICS, NCU_CONF "_mem_shared_op_ld.sum shared_ld_bank_conflict",
         "Wavefronts of loads beyond one for each group of lanes served together."),
    SUM("shared.store.conflicts", "conflicts", F(shared_conflicts), ST | STSM,
        NCU_CONF "_mem_shared_op_st.sum shared_st_bank_conflict",
        "Wavefronts of stores beyond one for each group of lanes served together."),
    SUM("shared.atomic.conflicts", "conflicts", F(shared_conflicts), ATOMICS,
        NCU_CONF "_mem_shared_op_atom.sum",
        "Wavefronts of atomic operations beyond one for each group of lanes served together."),
    SUM("shared.async.conflicts", "conflicts", F(shared_conflicts), CA,
        NCU_SASS "data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum " NCU_SASS
                 "data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts_cache_access.sum",
        "Wavefronts of cp.async.ca beyond one for each group of lanes served together; lanes meet in the banks "
        "of either side, and on one word, too."),
    SUM("shared.async_moved.conflicts", "conflicts", F(shared_moved_conflicts), COPIES,
        NCU_CONF "_mem_shared_op_ldgsts.sum",
        "The same as the hardware has it, for the lanes of each tag wavefront apart; of cp.async.cg the "
        "zeros that it fills in."),
    SUM("shared.async_cg.conflicts", "conflicts", 0, CG,
        NCU_SASS "data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts_cache_bypass.sum",
        "None: what cp.async.cg brings goes past the stage at which conflicts are counted."),
    SUM("shared.async_all.conflicts", "conflicts", F(shared_conflicts), COPIES, "",
        "The same for all of cp.async, as if cp.async.cg went through the banks as stores do."),
    SUM("shared.ldmatrix.conflicts", "conflicts", F(shared_conflicts), LDSM,
        NCU_SASS "data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum", "Conflicts of ldmatrix."),
    SUM("shared.stmatrix.conflicts", "conflicts", F(shared_conflicts), STSM,
        NCU_SASS "data_bank_conflicts_pipe_lsu_mem_shared_op_stsm.sum", "Conflicts of stmatrix."),
    SUM2("shared.conflicts", "conflicts", F(shared_conflicts), ALL & ~COPIES,
         F(shared_load_conflicts) | F(shared_moved_conflicts), ATOMICS | COPIES, NCU_CONF "_mem_shared.sum",
         "All bank conflicts."),
    RATIO("shared.load.wavefronts_per_request", "", 1, F(shared_wavefronts), LD, F(shared_instructions), LD,
          "shared_load_transactions_per_request", "Wavefronts of an average load."),
    RATIO("shared.store.wavefronts_per_request", "", 1, F(shared_wavefronts), ST, F(shared_instructions), ST,
          "shared_store_transactions_per_request", "Wavefronts of an average store."),
    RATIO("shared.efficiency", "%", 100, F(shared_ideal), ALL,
          F(shared_wavefronts) | F(shared_load_wavefronts), ALL, "shared_efficiency",
          "Wavefronts needed at best, of all."),
    SUM2("memory.conflicts", "conflicts", F(shared_conflicts) | F(local_data_conflicts), ALL & ~COPIES,
         F(shared_load_conflicts) | F(shared_moved_conflicts) | F(global_data_conflicts), ALL,
         NCU_CONF ".sum", "Conflicts at the data stage, of shared, global and local accesses."),

    /* --- Global memory --- */
    SECTORS2(global, "load", LD | COPIES, F(global_loop_loads), F(global_loop_sectors),
             F(global_loop_tag_wavefronts), "ld", "loads and asynchronous copies"),
    SECTORS(global, "store", ST, "st", "stores"),
    SECTORS(global, "reduction", RED, "red", "reductions"),
    SECTORS(global, "atomic", ATOM, "atom", "atomic operations"),
    SECTORS(global, "async", CA, "ldgsts_cache_access", "cp.async.ca"),
    SUM2("global.load.instructions", "instructions", F(global_named), LD, F(global_loop_loads), ATOM,
         NCU_INST "global_ld.sum inst_executed_global_loads", "Loads from global memory, without generic ones."),
    SUM2("global.ld.instructions", "instructions", F(global_instructions), LD, F(global_loop_loads), ATOM,
         NCU_SINS "global_ld.sum", "The same with generic ones, as the source counters have it."),
    SUM("global.store.instructions", "instructions", F(global_named), ST,
        NCU_INST "global_st.sum inst_executed_global_stores", "Stores to global memory, without generic ones."),
    SUM("global.st.instructions", "instructions", F(global_instructions), ST, NCU_SINS "global_st.sum",
        "The same with generic ones, as the source counters have it."),
    SUM("global.reduction.instructions", "instructions", F(global_named), RED,
        NCU_INST "global_red.sum " NCU_SINS "global_red.sum inst_executed_global_reductions",
        "Reductions on global memory, without generic ones."),
    SUM("global.atomic.instructions", "instructions", F(global_instructions), ATOM,
        NCU_SINS "global_atom.sum inst_executed_global_atomics",
        "Atomic operations on global memory."),
    SUM("global.ld.sectors", "sectors", F(global_sectors), LD,
        NCU_SASS "t_sectors_pipe_lsu_mem_global_op_ld.sum", "Sectors of plain loads."),
    SUM("global.st.sectors", "sectors", F(global_sectors), ST,
        NCU_SASS "t_sectors_pipe_lsu_mem_global_op_st.sum", "Sectors of plain stores."),
    SUM("global.red.sectors", "sectors", F(global_touched_sectors), RED,
        NCU_SASS "t_sectors_pipe_lsu_mem_global_op_red.sum",
        "Sectors of reductions, each once for an instruction."),
    SUM("global.atom.sectors", "sectors", F(global_touched_sectors), ATOM,
        NCU_SASS "t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "Sectors of atomic operations, each once for an instruction."),
    SUM("global.async.all_sectors", "sectors", F(global_sectors), COPIES,
        NCU_SASS "t_sectors_pipe_lsu_mem_global_op_ldgsts.sum", "Sectors of cp.async."),
    SUM("global.async.ca_sectors", "sectors", F(global_sectors), CA,
        NCU_SASS "t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum", "Sectors of cp.async.ca."),
    SUM("global.async.cg_sectors", "sectors", F(global_sectors), CG,
        NCU_SASS "t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum", "Sectors of cp.async.cg."),
    SUM("global.async.all_requests", "requests", F(global_requests), COPIES,
        NCU_SASS "t_requests_pipe_lsu_mem_global_op_ldgsts.sum", "Requests of cp.async."),
    SUM("global.async.ca_requests", "requests", F(global_requests), CA,
        NCU_SASS "t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum", "Requests of cp.async.ca."),
    SUM("global.async.cg_requests", "requests", F(global_requests), CG,
        NCU_SASS "t_requests_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum", "Requests of cp.async.cg."),
    SUM("global.sectors", "sectors", F(global_sectors), ALL, "", "All sectors of global accesses."),
    SUM("global.sectors_touched", "sectors", F(global_touched_sectors), ALL,
        "memory_l2_theoretical_sectors_global",
        "The same, where atomic operations have each sector once for an instruction."),
    SUM("global.sectors_ideal", "sectors", F(global_ideal_sectors), ALL,
        "memory_l2_theoretical_sectors_global_ideal", "Sectors that as many bytes need at best."),
    SUM("global.lines", "lines", F(global_lines), ALL, "",
        "Lines of 128 bytes touched; of atomic operations the visits to lines."),
    SUM("global.lines_touched", "lines", F(global_touched_lines), ALL, "memory_l1_tag_requests_global",
        "Lines of 128 bytes, each once for an instruction."),
    SUM("global.load.transactions", "transactions", F(global_transactions), LD | COPIES, "gld_transactions",
        "Transfers of loads and asynchronous copies in the generation's grain."),
    SUM("global.store.transactions", "transactions", F(global_transactions), ST, "gst_transactions",
        "Transfers of stores in the generation's grain."),
    SUM("global.bytes_wanted", "bytes", F(global_bytes_wanted), ALL, "", "Bytes that lanes asked for."),
    SUM("global.bytes_moved", "bytes", F(global_bytes_moved), ALL, "", "Bytes of the transfers."),
    RATIO("global.load.efficiency", "%", 100, F(global_bytes_wanted), LD | COPIES, F(global_bytes_moved),
          LD | COPIES, "gld_efficiency", "Bytes wanted of bytes moved, loads and asynchronous copies."),
    RATIO("global.store.efficiency", "%", 100, F(global_bytes_wanted), ST, F(global_bytes_moved), ST,
          "gst_efficiency", "Bytes wanted of bytes moved, stores."),
    PER_REQUEST("load", LD | COPIES, "ld", "loads and asynchronous copies"),
    PER_REQUEST("store", ST, "st", "stores"),
    PER_REQUEST("reduction", RED, "red", "reductions"),
    PER_REQUEST("atomic", ATOM, "atom", "atomic operations"),
    RATIO("global.load.transactions_per_request", "", 1, F(global_transactions), LD | COPIES,
          F(global_requests), LD | COPIES, "gld_transactions_per_request",
          "Transfers of an average load or asynchronous copy."),
    RATIO("global.store.transactions_per_request", "", 1, F(global_transactions), ST, F(global_requests), ST,
          "gst_transactions_per_request", "Transfers of an average store."),

    /* --- Local memory --- */
    SECTORS(local, "load", LD, "ld", "loads"),
    SECTORS(local, "store", ST, "st", "stores"),
    SUM("local.load.instructions", "instructions", F(local_named), LD,
        NCU_INST "local_ld.sum inst_executed_local_loads", "Loads from local memory, without generic ones."),
    SUM("local.ld.instructions", "instructions", F(local_instructions), LD, NCU_SINS "local_ld.sum",
        "The same with generic ones, as the source counters have it."),
    SUM("local.store.instructions", "instructions", F(local_named), ST,
        NCU_INST "local_st.sum inst_executed_local_stores", "Stores to local memory, without generic ones."),
    SUM("local.st.instructions", "instructions", F(local_instructions), ST, NCU_SINS "local_st.sum",
        "The same with generic ones, as the source counters have it."),
    SUM("local.instructions", "instructions", F(local_instructions), ALL, NCU_SINS "local.sum",
        "All accesses to local memory."),
    SUM("local.ld.sectors", "sectors", F(local_sectors), LD,
        NCU_SASS "t_sectors_pipe_lsu_mem_local_op_ld.sum",
        "Sectors of loads, as the source counters have them."),
    SUM("local.st.sectors", "sectors", F(local_sectors), ST,
        NCU_SASS "t_sectors_pipe_lsu_mem_local_op_st.sum",
        "Sectors of stores, as the source counters have them."),
    SUM("local.sectors", "sectors", F(local_sectors), ALL, "memory_l2_theoretical_sectors_local",
        "All sectors of local accesses."),

    SUM("local.load.transactions", "transactions", F(local_transactions), LD, "local_load_transactions",
        "Transfers of loads in the generation's grain."),
    SUM("local.store.transactions", "transactions", F(local_transactions), ST, "local_store_transactions",
        "Transfers of stores in the generation's grain."),
    RATIO("local.load.transactions_per_request", "", 1, F(local_transactions), LD, F(local_requests), LD,
          "local_load_transactions_per_request", "Transfers of an average load."),
    RATIO("local.store.transactions_per_request", "", 1, F(local_transactions), ST, F(local_requests), ST,
          "local_store_transactions_per_request", "Transfers of an average store."),

    /* --- The data stage, and sums over operations --- */
    SUM("global_local.wavefronts", "wavefronts",
        F(global_data_reads) | F(global_data_writes) | F(local_data_reads) | F(local_data_writes), ALL,
        NCU_DATA "lgds.sum", "Wavefronts of global and local accesses at the data stage."),
    SUM("global_local.read_wavefronts", "wavefronts", F(global_data_reads) | F(local_data_reads), ALL,
        NCU_DATA "lgds_cmd_read.sum", "Of these, wavefronts that read."),
    SUM("global_local.write_wavefronts", "wavefronts", F(global_data_writes) | F(local_data_writes), ALL,
        NCU_DATA "lgds_cmd_write.sum", "Of these, wavefronts that write."),
    SUM("global.instructions", "instructions", F(global_instructions), ALL & ~COPIES, NCU_SINS "global.sum",
        "All accesses to global memory but asynchronous copies."),
    SUM2("shared.instructions", "instructions", F(shared_instructions) | F(executed_empty), LD | ST | LDSM | STSM,
         F(shared_rounds) | F(shared_loop_loads), ATOMICS, NCU_SINS "shared.sum",
         "All machine instructions on shared memory."),

    /* --- Caches, with --caches: an estimate --- */
#define ESTIMATE " An estimate, with --caches only."
#define LOOKUPS(SPACE, OP, OPS, NCU, WHAT)                                                                    \
	SUM("l1." #SPACE "." OP ".hits", "sectors", F(SPACE##_l1_hits), OPS,                                 \
	    "l1tex__t_sectors_pipe_lsu_mem_" #SPACE "_op_" NCU "_lookup_hit.sum",                            \
	    "Sectors of " WHAT " found in the first-level cache." ESTIMATE),                                 \
	    SUM("l1." #SPACE "." OP ".misses", "sectors", F(SPACE##_l1_misses), OPS,                         \
	        "l1tex__t_sectors_pipe_lsu_mem_" #SPACE "_op_" NCU "_lookup_miss.sum",                       \
	        "Sectors of " WHAT " not found there." ESTIMATE),                                            \
	    RATIO("l1." #SPACE "." OP ".hit_rate", "%", 100, F(SPACE##_l1_hits), OPS,                        \
	          F(SPACE##_l1_hits) | F(SPACE##_l1_misses), OPS,                                            \
	          "l1tex__t_sector_pipe_lsu_mem_" #SPACE "_op_" NCU "_hit_rate.pct",                         \
	          "Hits of all such sectors." ESTIMATE)
    LOOKUPS(global, "load", LD, "ld", "global loads"),
    LOOKUPS(global, "store", ST, "st", "global stores"),
    LOOKUPS(global, "async", CA, "ldgsts_cache_access", "cp.async.ca"),
    LOOKUPS(local, "load", LD, "ld", "local loads"),
    LOOKUPS(local, "store", ST, "st", "local stores"),
    RATIO("l1.global.hit_rate", "%", 100, F(global_l1_hits), ALL, F(global_l1_hits) | F(global_l1_misses),
          ALL, "global_hit_rate", "Hits of all sectors of global accesses that look there." ESTIMATE),
    RATIO("l1.local.hit_rate", "%", 100, F(local_l1_hits), ALL, F(local_l1_hits) | F(local_l1_misses), ALL,
          "local_hit_rate", "Hits of all sectors of local accesses." ESTIMATE),
    RATIO("l1.hit_rate", "%", 100, F(global_l1_hits) | F(local_l1_hits), ALL,
          F(global_l1_hits) | F(local_l1_hits) | F(global_l1_misses) | F(local_l1_misses), ALL,
          "l1tex__t_sector_hit_rate.pct", "Hits of all sectors that are looked up." ESTIMATE),
    SUM("l2.read.hits", "sectors", F(l2_read_hits), ALL, "lts__t_sectors_op_read_lookup_hit.sum",
        "Sectors read, found in the second-level cache." ESTIMATE),
    SUM("l2.read.misses", "sectors", F(l2_read_misses), ALL, "lts__t_sectors_op_read_lookup_miss.sum",
        "Sectors read, not found there." ESTIMATE),
    SUM("l2.write.hits", "sectors", F(l2_write_hits), ALL, "lts__t_sectors_op_write_lookup_hit.sum",
        "Sectors written or changed by atomics, found there." ESTIMATE),
    SUM("l2.write.misses", "sectors", F(l2_write_misses), ALL, "lts__t_sectors_op_write_lookup_miss.sum",
        "Sectors written or changed by atomics, not found there." ESTIMATE),
    SUM("l2.written_back", "sectors", F(l2_written_back), ALL, "",
        "Changed sectors that had to make room." ESTIMATE),
    RATIO("l2.read.hit_rate", "%", 100, F(l2_read_hits), ALL, F(l2_read_hits) | F(l2_read_misses), ALL,
          "l2_tex_read_hit_rate lts__t_sector_op_read_hit_rate.pct", "Hits of all sectors read." ESTIMATE),
    RATIO("l2.hit_rate", "%", 100, F(l2_read_hits) | F(l2_write_hits), ALL,
          F(l2_read_hits) | F(l2_write_hits) | F(l2_read_misses) | F(l2_write_misses), ALL,
          "l2_tex_hit_rate lts__t_sector_hit_rate.pct", "Hits of all sectors." ESTIMATE),

    /* --- Constant memory --- */
    SUM("constant.instructions", "instructions", F(const_instructions), ALL, NCU_INST "ldc.sum",
        "Loads from constant memory, and from parameters by an address in a register."),
    SUM("constant.requests", "requests", F(const_requests), ALL, "idc__requests.sum",
        "Distinct addresses of each such load, which are served in turn."),
    SUM("constant.divergent", "instructions", F(const_divergent), ALL, "sm__idc_divergent_instructions.sum",
        "Such loads with more than one address."),
    SUM("constant.replays", "requests", F(const_replays), ALL, "sm__idc_divergent_instruction_replays.sum",
        "Requests beyond one for each load."),
};
/* clang-format on */

u32 counters_count(void) { return COUNT_OF(table); }

const struct counter *counters_get(u32 k) { return &table[k]; }

/* Calls for each of the blank-separated words; stops at the first that `test` likes. */
static bool any_name(const struct counter *c, bool (*test)(const char *name, const char *wanted), const char *wanted)
{
	char word[160];

	if (test(c->name, wanted))
		return true;
	for (const char *at = c->aliases; *at;) {
		const size_t length = strcspn(at, " ");
		if (length < sizeof word) {
			memcpy(word, at, length);
			word[length] = 0;
			if (test(word, wanted))
				return true;
		}
		at += length + strspn(at + length, " ");
	}
	return false;
}

static bool is_same(const char *name, const char *wanted) { return !strcmp(name, wanted); }
static bool is_like(const char *name, const char *pattern) { return !fnmatch(pattern, name, 0); }

const struct counter *counters_find(const char *name)
{
	for (u32 k = 0; k < COUNT_OF(table); k++)
		if (any_name(&table[k], is_same, name))
			return &table[k];
	return NULL;
}

bool counter_matches(const struct counter *c, const char *pattern) { return any_name(c, is_like, pattern); }

bool counter_exists(const struct counter *c, const struct arch *arch)
{
	const field_set stages = F(global_tag_wavefronts) | F(local_tag_wavefronts) | F(global_data_reads) |
				 F(local_data_reads) | F(global_data_writes) | F(local_data_writes) |
				 F(global_data_conflicts) | F(local_data_conflicts);

	return arch->global_rule == ARCH_GLOBAL_SECTORS || !((c->sums[0].fields | c->sums[1].fields) & stages);
}

static u32 lowest(field_set set)
{
	const u64 low = (u64)set;

	return low ? (u32)__builtin_ctzll(low) : 64 + (u32)__builtin_ctzll((u64)(set >> 64));
}

static u64 add_up(const struct counter_sum sums[2], const struct account_run *run)
{
	u64 total = 0;

	for (u32 s = 0; s < 2; s++)
		for (u32 ops = sums[s].fields ? sums[s].operations : 0; ops; ops &= ops - 1)
			for (field_set left = sums[s].fields; left; left &= left - 1) {
				const u32 field = lowest(left);
				const u64 n = run->operations[__builtin_ctz(ops)].n[field];
				total = account_takes_most((enum account_field)field) ? max_u64(total, n) : total + n;
			}
	return total;
}

static u64 add_facts(const u8 facts[COUNTER_FACTS], const struct account_run *run)
{
	u64 total = 0;

	for (u32 k = 0; k < COUNTER_FACTS && facts[k]; k++)
		total += run->facts[facts[k]];
	return total;
}

/* Machine code: what one of the profiler's names for the counter is by opcode. */
static bool by_opcode(const struct counter *c, const struct account_run *run, u64 *value)
{
	char name[160];

	for (const char *at = c->aliases; run->opcodes.items.count && *at;) {
		const size_t length = strcspn(at, " ");
		snprintf(name, sizeof name, "%.*s", (int)length, at);
		if (opcodes_metric(&run->opcodes, name, value))
			return true;
		at += length + strspn(at + length, " ");
	}
	return false;
}

double counter_value(const struct counter *c, const struct account_run *run)
{
	u64 sum;

	if (by_opcode(c, run, &sum))
		return (double)sum;
	const bool whole = c->facts[0] != FACT_none;
	const u64 above = whole ? add_facts(c->facts, run) : add_up(c->sums, run);

	if (c->scale == 0)
		return (double)above;
	const u64 below = whole ? add_facts(c->facts_below, run) : add_up(c->below, run);
	return below ? (double)above / (double)below * c->scale : 0;
}

static const char introduction[] =
	"# Counters\n\n"
	"What `ptxsim run --metrics NAME,...` prints, `//@ expect count NAME == N` compares and "
	"`--report json` holds.\n"
	"Each counter has one name and one definition; the profilers' names stand for the same thing. On "
	"sm_90 the\n"
	"counters of shared, global, local and constant memory equal what Nsight Compute reads on an "
	"H200, but for the\n"
	"patterns that `metrics-run` lists; what local memory costs depends on where a launch's frames "
	"lie, of which\n"
	"one place is counted. This page is the output of `ptxsim run --metrics help`.\n\n"
	"One warp *instruction* makes one or more *requests* to the memory unit; each needs one or more\n"
	"*transactions* of the unit's grain: *wavefronts* through the banks of shared memory, *sectors* "
	"of 32 bytes\n"
	"or *lines* of 128 bytes elsewhere. A *conflict* is a wavefront beyond one for each group of "
	"lanes that the\n"
	"unit serves together. Lanes of a global atomic that share an address take a sector each; so do "
	"lanes of one\n"
	"sector where one must wait for a lane on the same word of another line in its tag bank.\n\n"
	"What becomes a loop of compare and swap (atomics on 16 bits; on shared memory those on 64 bits "
	"and on\n"
	"floats, too) is counted by addresses alone: each operation is taken to change its word, and no "
	"other warp to\n"
	"come in between. Each load is counted as if it had to wait for its lines; with `--caches`, one "
	"that finds all of its\n"
	"sectors in the first-level cache passes the data stage at once.\n\n"
	"A load of a vector of which the text does not read every element is counted as what the assembler makes "
	"of "
	"it: of\n"
	"one word in four that word alone. In which tag bank a line lies depends on its address: buffers have "
	"the "
	"lowest 16\n"
	"bits that the driver would give them, were they allocated in the same order in a fresh process.\n\n"
	"PTX is not machine code: `launch.` and `branch.` counters speak of PTX instructions, where the "
	"profilers\n"
	"count machine instructions, of which the assembler may make more or fewer. Of machine code that runs "
	"itself\n"
	"instructions are counted by opcode, as the profilers do, and accesses as they stand.\n\n";

void counters_print(FILE *to)
{
	fputs(introduction, to);
	fprintf(to, "| counter | unit | definition | profilers' names |\n| --- | --- | --- | --- |\n");
	for (u32 k = 0; k < COUNT_OF(table); k++) {
		const struct counter *c = &table[k];
		fprintf(to, "| `%s` | %s | %s | ", c->name, *c->unit ? c->unit : "ratio", c->definition);
		for (const char *at = c->aliases; *at;) {
			const size_t length = strcspn(at, " ");
			fprintf(to, "%s`%.*s`", at == c->aliases ? "" : ", ", (int)length, at);
			at += length + strspn(at + length, " ");
		}
		fprintf(to, " |\n");
	}
}
