/* SPDX-License-Identifier: Apache-2.0
 *
 * Raising faults: what the instruction says of its own, and what only the moment knows (who released the memory,
 * which parameter is null). The first fault of the lowest block is the launch's.
 */
#include "exec/fault.h"

#include <stdio.h>
#include <string.h>

#include "decode/pointer_origin.h"
#include "exec/cut.h"
#include "exec/internal.h"

struct fault_row {
	const char *name, *text, *cuda;
};

static const struct fault_row rows[FAULT_COUNT] = {
#define X(kind, name, text, cuda) {name, text, cuda},
	FAULTS(X)
#undef X
};

static const struct fault_row unknown = {"unknown", "unknown fault", "CUDA_ERROR_UNKNOWN"};

static const struct fault_row *row_of(enum fault_kind kind) { return kind < FAULT_COUNT ? &rows[kind] : &unknown; }

const char *fault_name(enum fault_kind kind) { return row_of(kind)->name; }
const char *fault_text(enum fault_kind kind) { return row_of(kind)->text; }
const char *fault_cuda_name(enum fault_kind kind) { return row_of(kind)->cuda; }

/* --- What kind of wrong address ------------------------------------------------------------- */

/* Nothing is ever allocated below. */
static const u64 NULL_PAGE = 65536;

/* The number of a pointer parameter that is 0 and that the address was computed from; -1: there is none. */
static s32 find_null_param(const struct grid *grid, const struct fault *f)
{
	const struct ir_function *function = f->code->function;
	const u32 pointer_bytes = grid->program->address_bits / 8;
	const u32 origin = f->code->origin[f->insn - f->code->insns];

	if (f->code != grid->kernel->code || origin >= function->body.count || !grid->launch->params)
		return -1;
	for (u32 k = 0; k < function->params.count; k++) {
		u64 value = 0;
		if (function->params.items[k]->size != pointer_bytes)
			continue;
		memcpy(&value, grid->launch->params + grid->kernel->param_offsets[k], pointer_bytes);
		if (!value && pointer_comes_from(f->code, origin, function->params.items[k]))
			return (s32)k;
	}
	return -1;
}

static void remember_release(struct fault *f, const struct released *r)
{
	f->role = FAULT_ROLE_FREES;
	f->other = (struct fault_act){r->by.code, r->by.insn, r->by.block, r->by.thread};
}

/* Global memory that is not there may have been, or the pointer is null. */
static void classify(struct warp *w, struct fault *f)
{
	u64 address = f->address;
	const enum ir_space space = f->space == SPACE_GENERIC ? generic_space(w, &address) : (enum ir_space)f->space;
	const struct released *r = memory_find_released(w->grid->memory, f->address);

	if (f->kind != FAULT_OUT_OF_BOUNDS || !f->size || space != SPACE_GLOBAL)
		return;
	if (r) {
		f->kind = FAULT_FREED;
		remember_release(f, r);
		return;
	}
	f->null_param = find_null_param(w->grid, f);
	if (f->null_param >= 0 || address < NULL_PAGE)
		f->kind = FAULT_NULL_POINTER;
}

/* --- Raising -------------------------------------------------------------------------------- */

const struct insn *warp_raise(struct warp *w, const struct insn *i, struct fault *f)
{
	struct grid *grid = w->grid;
	const struct code *code = w->frame ? w->frame->code : grid->kernel->code;

	w->stop = STOP_FAULT;
	if (w->worker->probing)
		return NULL;
	if (!f->code) {
		f->code = code;
		f->insn = grid->insns ? code->insns + (i - grid->insns[code->index]) : i;
	}
	f->block = w->block->index;
	f->warp = w->index;
	f->local_base = w->frame ? w->frame->local_base : 0;
	f->null_param = -1;
	/* The instruction counts as executed; lanes that a deadlock or the limit stops stand before theirs. */
	if (i && f->kind != FAULT_DEADLOCK && f->kind != FAULT_LIMIT && !f->insn->run)
		warp_cut(w, code, (u32)(f->insn - f->code->insns) + 1, w->mask);
	pthread_mutex_lock(&grid->lock);
	if (!grid->faulted || f->block < grid->fault_block) {
		classify(w, f);
		grid->fault = *f;
		__atomic_store_n(&grid->fault_block, f->block, __ATOMIC_RELEASE);
		__atomic_store_n(&grid->faulted, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&grid->lock);
	return NULL;
}

const struct insn *warp_fault(struct warp *w, const struct insn *i, enum fault_kind kind, u32 lanes, const char *detail,
			      ...)
{
	struct fault f = {.kind = kind, .lanes = lanes ? lanes : w->mask};
	va_list args;

	f.lane = f.lanes ? (u32)__builtin_ctz(f.lanes) : 0;
	if (detail) {
		va_start(args, detail);
		vsnprintf(f.detail, sizeof f.detail, detail, args);
		va_end(args);
	}
	return warp_raise(w, i, &f);
}

const struct insn *warp_fault_beside(struct warp *w, const struct insn *i, enum fault_kind kind, u32 lanes,
				     enum fault_role role, const struct fault_act *other, const char *detail, ...)
{
	struct fault f = {.kind = kind, .lanes = lanes ? lanes : w->mask, .role = role, .other = *other};
	va_list args;

	f.lane = f.lanes ? (u32)__builtin_ctz(f.lanes) : 0;
	va_start(args, detail);
	vsnprintf(f.detail, sizeof f.detail, detail, args);
	va_end(args);
	return warp_raise(w, i, &f);
}

const struct insn *warp_fault_address(struct warp *w, const struct insn *i, enum fault_kind kind, u32 lane, u64 address,
				      u32 size, int space, bool is_store)
{
	struct fault f = {.kind = kind,
			  .lane = lane,
			  .lanes = 1u << lane,
			  .address = address,
			  .size = size,
			  .space = space,
			  .is_store = is_store};

	return warp_raise(w, i, &f);
}

bool warp_goes_astray(struct warp *w, const struct insn *i, u32 lane, u64 address, u32 size, bool is_store)
{
	struct grid *grid = w->grid;
	struct astray *to = grid->launch->astray;

	if (!to || !grid->memory->has_page || !grid->memory->has_page(address))
		return false;
	if (is_store && !memory_is_rounding(grid->memory, address, size))
		return false;
	pthread_mutex_lock(&grid->lock);
	if (!to->times++) {
		const struct code *code = w->frame ? w->frame->code : grid->kernel->code;
		to->first = (struct fault){.kind = FAULT_OUT_OF_BOUNDS,
					   .code = code,
					   .insn = grid->insns ? code->insns + (i - grid->insns[code->index]) : i,
					   .block = w->block->index,
					   .warp = w->index,
					   .lane = lane,
					   .lanes = 1u << lane,
					   .address = address,
					   .size = size,
					   .space = SPACE_GLOBAL,
					   .is_store = is_store,
					   .null_param = -1};
		classify(w, &to->first);
	}
	pthread_mutex_unlock(&grid->lock);
	return true;
}

const struct insn *warp_fault_free(struct warp *w, const struct insn *i, u32 lane, u64 address)
{
	const struct released *r = memory_find_released(w->grid->memory, address);
	const bool twice = r && r->base == address && r->flags & ALLOCATION_HEAP;
	struct fault f = {.kind = twice ? FAULT_DOUBLE_FREE : FAULT_HEAP,
			  .lane = lane,
			  .lanes = 1u << lane,
			  .address = address,
			  .space = SPACE_GLOBAL};

	if (twice)
		remember_release(&f, r);
	snprintf(f.detail, sizeof f.detail, twice ? "0x%llx has been freed already" : "0x%llx was not given by malloc",
		 (unsigned long long)address);
	return warp_raise(w, i, &f);
}

void block_fault(struct warp *w, const struct code *code, u32 insn, const char *detail, ...)
{
	struct fault f = {.kind = FAULT_ASYNC, .code = code, .insn = code->insns + insn, .lanes = 1};
	va_list args;

	va_start(args, detail);
	vsnprintf(f.detail, sizeof f.detail, detail, args);
	va_end(args);
	warp_raise(w, NULL, &f);
}

void grid_fault_memory(struct grid *grid)
{
	pthread_mutex_lock(&grid->lock);
	if (!grid->faulted)
		grid->fault = (struct fault){.kind = FAULT_OUT_OF_MEMORY,
					     .code = grid->kernel->code,
					     .insn = grid->kernel->code->insns,
					     .null_param = -1};
	/* The worker's clusters will not end, and those of others may wait for them. */
	__atomic_store_n(&grid->fault_block, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&grid->faulted, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&grid->lock);
}
