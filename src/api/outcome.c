/* SPDX-License-Identifier: Apache-2.0
 *
 * Outcomes in the interface's terms.
 */
#include "api/outcome.h"

#include <stddef.h>
#include <string.h>

void outcome_begin(struct outcome *o)
{
	o->status = PTXSIM_OK;
	o->refused = true;
	o->ended = false;
	o->astray = false;
	o->kind = FAULT_NONE;
	o->message[0] = o->function[0] = o->file[0] = 0;
	o->line = o->column = 0;
	memset(&o->stats, 0, sizeof o->stats);
	memset(&o->memory, 0, sizeof o->memory);
}

void outcome_keep(struct outcome *to, const struct outcome *from)
{
	const size_t most = offsetof(struct outcome, message);

	memcpy(to, from, from->kind ? most : offsetof(struct outcome, fault));
	memcpy(to->message, from->message, strlen(from->message) + 1);
}

static void put_memory(const struct outcome *o, struct ptxsim_fault *fault)
{
	if (!o->memory.kind)
		return;
	fault->allocation = o->memory_name;
	fault->allocation_base = o->memory.base;
	fault->allocation_size = o->memory.size;
	fault->allocation_distance = o->memory.where == FAULT_WITHIN ? 0 : o->memory.distance;
	fault->allocation_freed = o->memory.kind == FAULT_MEMORY_RELEASED;
}

ptxsim_status outcome_fault(const struct outcome *o, struct ptxsim_fault *fault)
{
	if (o->kind == FAULT_NONE)
		return PTXSIM_ERROR_STATE;
	*fault = (struct ptxsim_fault){.kind = fault_text(o->kind),
				       .cuda_error = fault_cuda_name(o->kind),
				       .function = o->function[0] ? o->function : NULL,
				       .file = o->file[0] ? o->file : NULL,
				       .line = o->line,
				       .column = o->column,
				       .warp = o->fault.warp,
				       .lane = o->fault.lane,
				       .lanes = o->fault.lanes,
				       .address = o->fault.address,
				       .size = o->fault.size,
				       .is_store = o->fault.is_store,
				       .detail = o->fault.detail};
	put_memory(o, fault);
	memcpy(fault->block, o->block, sizeof fault->block);
	memcpy(fault->thread, o->thread, sizeof fault->thread);
	return PTXSIM_OK;
}

struct ptxsim_stats outcome_stats(const struct outcome *o)
{
	const struct launch_stats *s = &o->stats;

	return (struct ptxsim_stats){.blocks = s->blocks,
				     .warps = s->warps,
				     .warp_instructions = s->warp_instructions,
				     .thread_instructions = s->thread_instructions,
				     .branches = s->branches,
				     .divergent_branches = s->divergent_branches,
				     .seconds = s->seconds,
				     .jobs = s->jobs};
}
