/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums over instructions, and the occupancy calculator's input.
 */
#include "observe/facts.h"

/* What the assembler needs beside the values of the text: addresses, the stack pointer. */
enum { REGISTERS_LEAST = 16 };

static void add_kind(u64 facts[FACT_COUNT], enum instruction_kind kind, const struct flow_count *n)
{
	switch (kind) {
	case KIND_BLOCK_BARRIER:
		facts[FACT_barrier_arrivals] += n->executed;
		facts[FACT_barrier_threads] += n->lanes - n->off;
		break;
	case KIND_CLUSTER_BARRIER:
		facts[FACT_cluster_arrivals] += n->executed;
		break;
	case KIND_WARP_BARRIER:
		facts[FACT_warp_barriers] += n->executed;
		break;
	case KIND_SHUFFLE:
		facts[FACT_shuffles] += n->executed;
		break;
	case KIND_VOTE:
		facts[FACT_votes] += n->executed;
		break;
	case KIND_FRAGMENT_LOAD:
		facts[FACT_fragment_loads] += n->executed;
		break;
	case KIND_FRAGMENT_STORE:
		facts[FACT_fragment_stores] += n->executed;
		break;
	case KIND_MULTIPLY: /* by type, see below */
	case KIND_OTHER:
		break;
	}
}

void facts_add_instruction(u64 facts[FACT_COUNT], const struct flow_count *n, const struct instruction_facts *what)
{
	if (!n->executed)
		return;
	facts[FACT_instructions] += n->executed;
	facts[FACT_lanes] += n->lanes;
	facts[FACT_lanes_off] += n->off;
	facts[FACT_lanes_on] += n->lanes - n->off;
	facts[FACT_lanes_possible] += n->executed * WARP_LANES;
	facts[FACT_lanes_idle] += n->executed * WARP_LANES - n->lanes;
	facts[FACT_branches] += n->branches;
	facts[FACT_divergent] += n->divergent;
	facts[FACT_uniform] += n->branches - n->divergent;
	facts[FACT_register_reads] += n->executed * what->reads;
	facts[FACT_register_writes] += n->executed * what->writes;
	facts[FACT_classes + what->class] += n->executed;
	facts[FACT_class_threads + what->class] += n->lanes - n->off;
	add_kind(facts, (enum instruction_kind)what->kind, n);
	if (what->kind == KIND_MULTIPLY) {
		facts[FACT_products + what->matrix] += n->executed;
		facts[FACT_multiply_adds + what->matrix] += n->executed * what->multiply_adds;
	}
}

void facts_add_flow(u64 facts[FACT_COUNT], const struct code *code, const struct flow_count *counts,
		    const struct instruction_facts *what)
{
	for (size_t k = 0; k < code->function->body.count; k++)
		facts_add_instruction(facts, &counts[k], &what[k]);
}

/* The largest of the kernel's and its functions' needs, as the assembler would be held to them. */
static u32 estimate_registers(const struct launch *l, const struct arch *arch, u32 threads)
{
	const struct ir_limits *limits = &l->kernel->function->limits;
	u32 registers = l->kernel->code->live_words;

	for (u32 k = 0; k < l->kernel->function_count; k++)
		registers = max_u32(registers, l->kernel->functions[k].code->live_words);
	registers = min_u32(max_u32(registers, REGISTERS_LEAST), arch->registers_thread);
	if (limits->max_registers)
		registers = min_u32(registers, limits->max_registers);
	while (limits->min_blocks_per_sm && registers > REGISTERS_LEAST &&
	       arch_occupancy(arch, threads, registers, 0).by_limit[ARCH_LIMIT_REGISTERS] < limits->min_blocks_per_sm)
		registers--;
	return registers;
}

struct arch_occupancy facts_occupancy(u64 facts[FACT_COUNT], const struct launch *l, u32 registers)
{
	const struct arch *arch = l->program->arch;
	const u32 threads = l->block[0] * l->block[1] * l->block[2];
	const u64 shared = l->kernel->dynamic_shared_offset - l->kernel->reserved_shared + l->dynamic_shared;
	const u32 granted = registers ? registers : l->kernel->registers;
	/* A thread of machine code is granted at least 16: the profiler counts no fewer. */
	const u32 known = l->kernel->function->machine ? max_u32(granted, 16) : granted;
	const u32 each = known ? known : estimate_registers(l, arch, threads);
	const struct arch_occupancy o = arch_occupancy(arch, threads, each, (u32)shared);
	const u32 *by = o.by_limit;

	facts[FACT_grid_blocks] = (u64)l->grid[0] * l->grid[1] * l->grid[2];
	facts[FACT_block_threads] = threads;
	facts[FACT_thread_registers] = each;
	facts[FACT_static_shared] = l->kernel->static_shared_bytes;
	facts[FACT_dynamic_shared] = l->dynamic_shared;
	facts[FACT_sm_blocks] = o.blocks;
	facts[FACT_sm_warps] = o.warps;
	facts[FACT_sm_warps_most] = arch->max_warps_sm;
	facts[FACT_gpu_blocks] = (u64)o.blocks * arch->sms;
	facts[FACT_limit_warps] = by[ARCH_LIMIT_WARPS];
	facts[FACT_limit_blocks] = by[ARCH_LIMIT_BLOCKS];
	facts[FACT_limit_registers] = by[ARCH_LIMIT_REGISTERS];
	facts[FACT_limit_shared] = by[ARCH_LIMIT_SHARED] == UINT32_MAX ? arch->max_blocks_sm : by[ARCH_LIMIT_SHARED];
	return o;
}
