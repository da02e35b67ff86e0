/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrivals at barriers that count threads, phase by phase. Of each barrier the present phase and the last one are kept.
 *
 *      warp 0   bar.sync 1, 64 -.            phase 0: warps 0 and 1
 *      warp 1   bar.sync 1, 64 -'
 *      warp 2   bar.sync 1, 64 -.            phase 1: warps 2 and 3, but nothing orders warp 2 after warp 0:
 *      warp 3   bar.sync 1, 64 -'            it could have come first, and taken the place of either
 */
#include "observe/race_barriers.h"

#include <stdio.h>
#include <string.h>

static void tell(struct check_findings *f, const struct warp *w, u32 mask, u32 number, u32 site,
		 const struct race_phase *p, u32 warp)
{
	const bool twice = warp == w->index;
	char place[CHECK_PLACE_TEXT];
	struct fault *x = check_tell(f, FAULT_BAD_BARRIER, w, site, mask, p->site[warp]);

	if (!x)
		return;
	check_site_place(f->sites, p->site[warp], place);
	if (twice)
		snprintf(x->detail, sizeof x->detail,
			 "arrives at barrier %u a second time in one phase, which waits for other threads: it has "
			 "arrived at %s",
			 number, place);
	else
		snprintf(x->detail, sizeof x->detail,
			 "comes to barrier %u, and could have come to its phase before: nothing orders it after warp "
			 "%u, which came to that at %s, and whose place it could take",
			 number, warp, place);
	check_tell_other(x, f->sites, FAULT_ROLE_WAITS, p->site[warp], w->block->index,
			 warp * WARP_LANES + (u32)__builtin_ctz(p->lanes[warp]));
}

/* A warp of the last phase whose arrival may come after this one; RACE_WARPS: all came before. */
static u32 unordered(const struct race_block *b, const struct warp *w, u32 mask, const struct race_phase *last)
{
	for (u32 k = 0; k < RACE_WARPS; k++) {
		if (k == w->index || !last->lanes[k])
			continue;
		const struct race_mark m = {.time = last->at[k],
					    .block = (u32)w->block->index,
					    .warp = (u8)k,
					    .lane = (u8)__builtin_ctz(last->lanes[k])};
		if (!race_ordered(b, w, (u32)__builtin_ctz(mask), &m))
			return k;
	}
	return RACE_WARPS;
}

void race_barrier_arrive(struct check_findings *f, struct race_block *b, const struct warp *w, u32 mask,
			 const struct race_arrival *arrival, u32 now)
{
	const u32 number = arrival->number, site = arrival->site;
	const u64 phase = arrival->phase;
	struct race_phase *own = &b->phases[number][phase & 1], *last = &b->phases[number][~phase & 1];

	if (own->number != phase + 1)
		*own = (struct race_phase){.number = phase + 1};
	const u32 other = last->number == phase ? unordered(b, w, mask, last) : RACE_WARPS;
	if (own->lanes[w->index] & mask)
		tell(f, w, mask, number, site, own, w->index);
	else if (phase && other < RACE_WARPS)
		tell(f, w, mask, number, site, last, other);
	own->lanes[w->index] |= mask;
	own->at[w->index] = now;
	own->site[w->index] = site;
}
