/* SPDX-License-Identifier: Apache-2.0
 *
 * Stepping: hooks on single instructions, as another handler in the launch's own copy of the code.
 */
#include "exec/stepping.h"

#include <string.h>

#include "exec/internal.h"

static const struct insn *hooked(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct grid *grid = w->grid;
	struct hooks *h = grid->hooks;
	const u32 code = w->frame->code->index;
	const size_t at = (size_t)(i - grid->insns[code]);
	const u8 wanted = h->wanted[code][at];
	s32 done = 0;

	if (wanted & HOOK_STOP && !w->resumed && h->stop(h->context, w, i, mask, &done))
		return warp_suspend(w, i, done);
	if (!(wanted & HOOK_ACCESS))
		return h->unhooked[code][at](w, i, rows, mask);
	h->before(h->context, w, i, rows, mask);
	const struct insn *next = h->unhooked[code][at](w, i, rows, mask);
	h->after(h->context, w, i, rows, mask);
	return next;
}

enum launch_status stepping_open(struct grid *grid, const struct launch *l, struct hooks *hooks, struct arena *arena,
				 char *message, size_t size)
{
	const u32 codes = l->program->code_count;

	grid_clear(grid);
	grid->hooks = hooks;
	const enum launch_status status = grid_begin(grid, l, arena, true, message, size);
	if (status != LAUNCH_OK) {
		grid_drop(grid);
		return status;
	}
	hooks->wanted = ARENA_ARRAY(arena, codes + 1, u8 *);
	hooks->unhooked = ARENA_ARRAY(arena, codes + 1, meaning_fn **);
	for (u32 c = 0; c < codes; c++) {
		const struct code *code = l->program->codes[c];
		hooks->wanted[c] = ARENA_ARRAY(arena, code->insn_count + 1, u8);
		hooks->unhooked[c] = ARENA_ARRAY(arena, code->insn_count + 1, meaning_fn *);
		for (u32 k = 0; k < code->insn_count; k++)
			hooks->unhooked[c][k] = grid->insns[c][k].fn;
	}
	return LAUNCH_OK;
}

void stepping_hook(struct grid *grid, const struct code *code, u32 insn, u32 hook)
{
	struct hooks *h = grid->hooks;

	h->wanted[code->index][insn] = (u8)hook;
	grid->insns[code->index][insn].fn = hook ? hooked : h->unhooked[code->index][insn];
}

bool stepping_run(struct grid *grid) { return grid_work(grid); }

bool stepping_run_warp(struct grid *grid, struct warp *w)
{
	struct worker *k = &grid->workers[0];

	if (setjmp(k->out_of_memory)) {
		grid_fault_memory(grid);
		return true;
	}
	fp_save(k);
	worker_turn(k, w);
	fp_restore(k);
	return grid->faulted;
}

enum launch_status stepping_result(const struct grid *grid, struct launch_stats *stats, struct fault *fault)
{
	memset(stats, 0, sizeof *stats);
	return grid_result(grid, stats, fault);
}

void stepping_close(struct grid *grid) { grid_drop(grid); }
