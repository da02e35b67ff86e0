/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for races.
 */
#include "observe/race_tell.h"

#include <stdio.h>

#include "exec/run.h"
#include "observe/places.h"

enum { PLACE_TEXT = 160, NAME_TEXT = 64 };

static void name_address(const struct race_place *p, char text[NAME_TEXT])
{
	if (p->space == SPACE_SHARED)
		snprintf(text, NAME_TEXT, "shared address 0x%llx", (unsigned long long)p->offset);
	else
		snprintf(text, NAME_TEXT, "byte %llu of %.30s", (unsigned long long)(p->offset - p->memory->base),
			 p->memory->name ? p->memory->name : "global memory");
}

static void name_thread(const struct warp *w, const struct race_mark *m, char text[NAME_TEXT])
{
	const struct machine *a = w->machine;
	const u32 t = m->warp * WARP_LANES + m->lane, *block = a->launch->block, *grid = a->grid, b = m->block;
	const int length = snprintf(text, NAME_TEXT, "thread (%u,%u,%u)", t % block[0], t / block[0] % block[1],
				    t / block[0] / block[1]);

	if (b != (u32)w->block->index)
		snprintf(text + length, NAME_TEXT - (size_t)length, " of block (%u,%u,%u)", b % grid[0],
			 b / grid[0] % grid[1], b / grid[0] / grid[1]);
}

static void name_place(const struct program *program, const u32 *bases, u32 site, char text[PLACE_TEXT])
{
	u32 c = program->code_count - 1;

	while (c && bases[c] > site)
		c--;
	const struct code *code = program->codes[c];
	const struct place_of p = place_find(code, code->origin[site - bases[c]]);
	const int length = snprintf(text, PLACE_TEXT, "%.50s:%u", p.file, p.line);
	if (p.loc_file)
		snprintf(text + length, PLACE_TEXT - (size_t)length, " (%.80s:%u)", p.loc_file, p.loc_line);
}

/* What would order the two. */
static const char *remedy(const struct warp *w, const struct race_mark *m)
{
	if (m->block != (u32)w->block->index)
		return "nothing orders the two blocks";
	return m->warp == w->index ? "no bar.warp.sync (__syncwarp) comes between"
				   : "no barrier (bar.sync, __syncthreads) comes between";
}

void race_tell(struct warp *w, const struct insn *i, const struct race_place *p, bool writes,
	       const struct race_mark *before, const struct program *program, const u32 *bases, bool before_writes)
{
	char address[NAME_TEXT], thread[NAME_TEXT], place[PLACE_TEXT];

	name_address(p, address);
	name_thread(w, before, thread);
	name_place(program, bases, before->site, place);
	warp_fault(w, i, FAULT_RACE, 1u << p->lane, "%s %s, which %s %s at %s; %s", writes ? "writes" : "reads",
		   address, thread, before_writes ? "writes" : "reads", place, remedy(w, before));
}

void race_tell_unwritten(struct warp *w, const struct insn *i, const struct race_place *p)
{
	char address[NAME_TEXT];

	name_address(p, address);
	warp_fault(w, i, FAULT_UNWRITTEN, 1u << p->lane,
		   "%u bytes at %s, before any thread of the block has written all of them", p->size, address);
}
