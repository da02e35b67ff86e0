/* SPDX-License-Identifier: Apache-2.0
 *
 * See jit.h. Which limit gives way to which directive was seen with ptxas of CUDA 13.0: -maxrregcount, -maxntid and
 * -minnctapersm on kernels with and without .maxnreg, .maxntid and .reqntid, with -override-directive-values and without.
 */
#include "cuda/driver/jit.h"

#include <stdio.h>
#include <string.h>

#include "api/context.h"
#include "arch/arch.h"
#include "cuda/driver/types.h"

enum {
	JIT_MAX_REGISTERS = 0,
	JIT_THREADS_PER_BLOCK = 1,
	JIT_TARGET = 9,
	JIT_MIN_BLOCKS = 31,
	JIT_MAX_THREADS = 32,
	JIT_OVERRIDE = 33
};
enum { PTX_NEWEST = 90, REGISTERS_LEAST = 24, TARGET_ACCELERATED = 0x10000, TARGET_FAMILY = 0x20000 };

static const struct arch *target_of(u32 value)
{
	const u32 cc = value & 0xffff, kind = value - cc;
	char name[20];

	if (kind && kind != TARGET_ACCELERATED && kind != TARGET_FAMILY)
		return NULL;
	snprintf(name, sizeof name, "sm_%u%s", cc, !kind ? "" : kind == TARGET_FAMILY ? "f" : "a");
	return arch_find(name);
}

/* The most registers with which a block of so many threads is still resident. */
static u32 registers_for(const struct arch *gpu, u32 threads)
{
	u32 registers = gpu->registers_thread;

	while (registers > REGISTERS_LEAST && !arch_occupancy(gpu, threads, registers, 0).blocks)
		registers--;
	return registers;
}

/* Options are 32-bit numbers in the room of a pointer. */
static u32 number_of(void *value) { return (u32)(uintptr_t)value; }

/* Says how many threads a block is compiled for, and keeps the limit on registers that follows. */
static void take_threads(struct jit_options *to, void **value, const struct arch *gpu)
{
	const u32 threads = min_u32(number_of(*value), gpu->max_threads_block);

	if (!threads)
		return;
	const u32 registers = registers_for(gpu, threads);
	if (!to->limits.registers || registers < to->limits.registers)
		to->limits.registers = registers;
	*value = (void *)(uintptr_t)threads;
}

int jit_read(struct jit_options *to, u32 n, const int *options, void **values, const struct arch *gpu)
{
	u32 target_at = n, threads_at = n;

	for (u32 k = 0; options && values && k < n; k++)
		switch (options[k]) {
		case JIT_MAX_REGISTERS:
			to->limits.registers = number_of(values[k]);
			break;
		case JIT_THREADS_PER_BLOCK:
			threads_at = k;
			break;
		case JIT_TARGET:
			target_at = k;
			break;
		case JIT_MIN_BLOCKS:
			to->limits.blocks = number_of(values[k]);
			break;
		case JIT_MAX_THREADS:
			to->limits.threads = number_of(values[k]);
			break;
		case JIT_OVERRIDE:
			to->limits.overrides = number_of(values[k]) != 0;
			break;
		}
	if (target_at < n && threads_at < n)
		return CU_INVALID_VALUE;
	if (target_at < n && !(to->target = target_of(number_of(values[target_at]))))
		return CU_INVALID_VALUE;
	if (threads_at < n)
		take_threads(to, &values[threads_at], gpu);
	return CU_OK;
}

bool jit_target_fits(const struct arch *gpu, const struct arch *target)
{
	return gpu->cc / 10 == target->cc / 10 && arch_runs(gpu, target);
}

static void limit_kernel(struct ir_limits *l, const struct text_limits *limits)
{
	const bool stated = l->max_registers || l->max_threads[0] || l->required_threads[0];

	if (limits->registers && (!stated || limits->overrides))
		l->max_registers = max_u32(limits->registers, REGISTERS_LEAST);
	if (limits->registers || !limits->threads)
		return;
	if ((!l->max_threads[0] && !l->required_threads[0]) || limits->overrides)
		memcpy(l->max_threads, (u32[3]){limits->threads, 1, 1}, sizeof l->max_threads);
	if (limits->blocks && (!l->min_blocks_per_sm || limits->overrides))
		l->min_blocks_per_sm = limits->blocks;
}

void jit_limit(const ptxsim_module *m, const struct text_limits *limits)
{
	const struct session *s = &m->session;
	struct ir_module *last = s->modules.count ? s->modules.items[s->modules.count - 1] : NULL;

	for (size_t k = 0; last && !last->is_sass && k < last->functions.count; k++)
		if (last->functions.items[k]->is_entry)
			limit_kernel(&last->functions.items[k]->limits, limits);
}

int jit_can_compile(const ptxsim_module *m, const struct arch *gpu)
{
	const struct session *s = &m->session;

	for (size_t k = 0; k < s->modules.count; k++)
		if (s->modules.items[k]->version > PTX_NEWEST)
			return CU_UNSUPPORTED_PTX_VERSION;
	for (size_t k = 0; k < s->modules.count; k++) {
		const struct arch *code = arch_find(s->modules.items[k]->target);
		if (s->modules.items[k]->address_bits == 32 || (code && !arch_runs(gpu, code)))
			return CU_INVALID_PTX;
	}
	return CU_OK;
}
