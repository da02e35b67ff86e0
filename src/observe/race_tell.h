/* SPDX-License-Identifier: Apache-2.0
 *
 * What the race check finds in a launch: each pair of instructions once, with the first two accesses that met, and how
 * far apart the threads were at most, which decides what would order them. A part of the check.
 */
#ifndef PTXSIM_OBSERVE_RACE_TELL_H
#define PTXSIM_OBSERVE_RACE_TELL_H

#include "observe/race_clocks.h"

/* Where a lane's access goes. */
struct race_place {
	u32 lane;
	enum ir_space space; /* shared or global */
	u64 address;         /* as the program has it */
	u64 offset;          /* within the block's shared memory, or of global memory */
	u32 size;
	const u8 *host;
	const struct allocation *memory; /* of global memory */
};

enum { RACE_FINDINGS = 64 };

struct race_finding;

struct race_findings {
	struct race_finding *items; /* RACE_FINDINGS, in the launch's arena; NULL: none */
	u32 count;
	u64 more; /* pairs beyond these were met so often */
};

/* The instructions of a program by number. */
struct race_sites {
	const struct program *program;
	const u32 *bases; /* number of each code's first decoded instruction */
};

/* The access at `site` is not ordered after `before`, by another thread. */
void race_tell(struct race_findings *f, struct arena *arena, const struct race_sites *sites, struct warp *w, u32 site,
	       const struct race_place *p, bool writes, const struct race_mark *before, bool before_writes);
void race_tell_unwritten(struct race_findings *f, struct arena *arena, const struct race_sites *sites, struct warp *w,
			 u32 site, const struct race_place *p);
/* Finding number k in words; NULL: there are no more. Valid until the launch's arena is freed. */
const struct fault *race_finding_fault(const struct race_findings *f, u32 k, const struct race_sites *sites,
				       const struct launch *l);

#endif
