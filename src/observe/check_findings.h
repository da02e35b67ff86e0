/* SPDX-License-Identifier: Apache-2.0
 *
 * What the checks of a launch find: each kind at each place, or pair of places, once, with the first time and a count.
 */
#ifndef PTXSIM_OBSERVE_CHECK_FINDINGS_H
#define PTXSIM_OBSERVE_CHECK_FINDINGS_H

#include "base/arena.h"
#include "exec/fault_report.h"
#include "exec/grid.h"

/* The instructions of a program by number: `bases` has that of each code's first decoded instruction. */
struct check_sites {
	const struct program *program;
	const u32 *bases;
};
enum { NO_SITE = 0xffffffff, CHECK_PLACE_TEXT = FAULT_PLACE_TEXT };

u32 *check_site_bases(struct arena *arena, const struct program *program);
const struct code *check_site_code(const struct check_sites *s, u32 site, u32 *insn);
/* "file:line (source:line)". */
void check_site_place(const struct check_sites *s, u32 site, char text[CHECK_PLACE_TEXT]);
/* The site of a decoded instruction that the grid runs. */
u32 check_site(const struct check_sites *s, const struct warp *w, const struct insn *i);

struct check_finding {
	struct fault fault;
	u32 site, other;
};

struct check_findings {
	struct arena *arena; /* the launch's */
	const struct check_sites *sites;
	u32 most;
	VEC_OF(struct check_finding) items;
	u64 more; /* others were found so often when there was no room */
};

/* A finding of `kind` by lanes of the warp at `site`, beside what happened at `other` (or NO_SITE). NULL: it has been
 * told, or there is no room. Else its fault has kind, place, lanes and count; the caller adds what is wrong. */
struct fault *check_tell(struct check_findings *f, enum fault_kind kind, const struct warp *w, u32 site, u32 lanes,
			 u32 other);
/* The same, where another thread did what stands at `other`. */
void check_tell_other(struct fault *fault, const struct check_sites *sites, enum fault_role role, u32 other, u64 block,
		      u32 thread);

#endif
