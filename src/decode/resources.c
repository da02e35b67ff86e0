/* SPDX-License-Identifier: Apache-2.0
 *
 * See resources.h.
 */
#include "decode/resources.h"

#include "arch/arch.h"

static u32 product(const u32 n[3]) { return n[0] ? n[0] * max_u32(1, n[1]) * max_u32(1, n[2]) : 0; }

u32 kernel_stated_threads(const struct kernel *k)
{
	const struct ir_limits *l = &k->function->limits;

	return l->required_threads[0] ? product(l->required_threads) : product(l->max_threads);
}

u32 kernel_threads_most(const struct kernel *k, const struct arch *a)
{
	const u32 stated = kernel_stated_threads(k);

	return stated ? min_u32(stated, a->max_threads_block) : a->max_threads_block;
}

u32 kernel_registers(const struct kernel *k, const struct arch *a)
{
	enum { SPARE = 4, UNIT = 8 };
	u32 live = 0;

	if (k->registers)
		return k->registers;
	for (u32 f = 0; f < k->function_count; f++)
		live = max_u32(live, k->functions[f].code->live_words);
	live = (live + SPARE + UNIT - 1) / UNIT * UNIT;
	if (k->function->limits.max_registers)
		live = min_u32(live, k->function->limits.max_registers);
	live = min_u32(live, a->registers_thread);
	const u32 threads = min_u32(kernel_stated_threads(k), a->max_threads_block);
	while (threads && live > UNIT && !arch_occupancy(a, threads, live, 0).blocks)
		live -= UNIT;
	return live;
}

u64 kernel_local_bytes(const struct kernel *k)
{
	return k->function->machine ? k->function->machine->stack_bytes : k->code->local_bytes;
}

u64 program_constant_bytes(const struct program *p)
{
	u64 bytes = 0;

	for (u32 v = 0; v < p->variable_count; v++)
		if (p->variables[v].space == SPACE_CONST)
			bytes += p->variables[v].size;
	return bytes;
}
