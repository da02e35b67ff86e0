/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses as sums: what a register of a kernel holds in one launch, as far as its text says, is
 *
 *     base + constant + sum of per[k] * (a thread's or block's index k) + any multiple of step
 *
 * where the base is an allocation that a parameter points into, shared memory, or nothing. The launch's parameters
 * and shape are known by then, so all factors are numbers. Multiples of step come from loops. The checks use it to
 * leave alone what cannot go wrong.
 *
 * Sums of 32 bits that are made 64 bits wide must not wrap for any thread of the launch; those with a step are taken
 * not to, because what they address would lie outside of its allocation.
 */
#ifndef PTXSIM_OBSERVE_AFFINE_H
#define PTXSIM_OBSERVE_AFFINE_H

#include "exec/launch.h"

/* %tid.x .y .z, %ctaid.x .y .z */
enum { AFFINE_THREAD = 3, AFFINE_INDICES = 6 };

enum affine_base {
	AFFINE_NUMBER,   /* none: the value itself */
	AFFINE_MEMORY,   /* an allocation of global memory */
	AFFINE_SHARED,   /* the block's */
	AFFINE_PRIVATE,  /* local memory, parameters, constants */
	AFFINE_ANYWHERE, /* a pointer that the text does not tell the origin of */
};

struct affine {
	enum affine_base base;
	bool known; /* the offset is what follows; else it may be any */
	const struct allocation *memory;
	s64 constant;
	s64 per[AFFINE_INDICES];
	u64 step; /* 0: none */
	u32 loop; /* inside of the search: the register, plus 1, that the value depends on and that is being found out */
};

struct affine_values;

/* For kernels in PTX. Lives as long as the arena. */
struct affine_values *affine_new(struct arena *arena, const struct program *program, const struct kernel *k);
/* Before the others, for each launch, which must outlive them. */
void affine_begin(struct affine_values *v, const struct launch *l);
/* How many values the index takes in this launch: 1 or more. */
u32 affine_extent(const struct affine_values *v, u32 index);
/* What an address operand of the kernel's text stands for; and what another operand does. */
struct affine affine_address(struct affine_values *v, const struct ir_operand *address);
struct affine affine_operand(struct affine_values *v, const struct ir_operand *o);
/* The least and the greatest value that threads have, of what is known without a step. False: 64 bits do not hold them. */
bool affine_range(const struct affine_values *v, const struct affine *a, s64 *low, s64 *high);
/* The only instruction of the text that writes the register, or NO_OPERAND: none or several do, or it is guarded. */
u32 affine_writer(const struct affine_values *v, const struct ir_register *r);

#endif
