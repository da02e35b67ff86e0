/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code that ran, by opcode with modifiers as the profilers name it ("IMAD.WIDE.U32", "BAR.SYNC.DEFER_BLOCKING"): how
 * often warps executed it, and for how many threads its guard held; and the pipes of the hardware that it went to.
 */
#ifndef PTXSIM_OBSERVE_OPCODES_H
#define PTXSIM_OBSERVE_OPCODES_H

#include "observe/flow.h"

struct opcode_count {
	const char *name;
	u16 opcode; /* enum sass_opcode */
	u64 executed, threads;
};

struct opcode_counts {
	VEC_OF(struct opcode_count) items; /* the most executed first, then by name */
	u64 spill_stores, spill_loads;     /* by warps: of local memory at a fixed place of the stack, R1 + number, in
					    * functions whose PTX, if the file has it, has no .local variables */
	u32 spilled;                       /* so many places */
	u64 order_passes; /* through the data stage, of fences and of what empties the first-level cache */
};

/* Of a launch of machine code; empty for one of PTX. Memory is the arena's. */
void opcodes_count(struct arena *arena, const struct program *p, struct flow_count *const *flow,
		   struct opcode_counts *to);

/* The pipe that executes it: "alu", "fma", "fp64", "xu", "lsu", "uniform", "cbu" (branches and convergence), "tensor", "other". */
const char *opcodes_pipe(const struct opcode_count *c);
/* Pipes one by one: NULL at the end. */
const char *opcodes_pipe_name(u32 index);

/* A counter of the profiler that is a sum over opcodes: "smsp__inst_executed_pipe_lsu.sum", "inst_executed:FFMA",
 * "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum". False: it is none of those known. */
bool opcodes_metric(const struct opcode_counts *counts, const char *metric, u64 *value);
/* Their names, one by one: NULL at the end. */
const char *opcodes_metric_name(u32 index);

#endif
