/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses like those before. Most accesses of an instruction look like earlier ones but for where they start: they
 * are recognised by their lanes' distances from the first lane and by those bits of the first address that
 * decide about the figures; then they are only counted, and the figures multiplied later. A part of observe/count.h.
 *
 *     ld.global.f32 %f1, [%rd1];        by warps that walk along an array
 *
 *     memo    distance   0 4 8 12 ... 124       from the first active lane: the same in every warp
 *             low_mask   0x7f                   what of the first address can matter: where in a line it starts
 *     unit 0  low 0x00   4 sectors, 1 line      times[0] = 93
 *     unit 1  low 0x20   4 sectors, 2 lines     times[1] = 31
 *
 *     memo_repeat    known: times[n]++
 *     memo_room      not known: a unit for it, whose account the access is then counted into in full
 *     memo_keep      and what it will be recognised by
 *     pattern        of the unit that was last counted, for native code, which adds to times[n] itself
 *     memo_flush     each unit's account, times[n] times, into the site's
 *
 * A memo belongs to one worker and one site; no locks.
 */
#ifndef PTXSIM_OBSERVE_MEMO_H
#define PTXSIM_OBSERVE_MEMO_H

#include "observe/accounting.h"
#include "observe/alike.h"

enum { MEMO_UNITS = 4 };

/* One kind of access among those with a memo's distances. */
struct memo_unit {
	u64 low;                  /* bits of the first address that decide */
	u64 tags;                 /* and the tag banks of the lines, but for which bank is which */
	u32 line_count;           /* 0: they do not matter */
	u8 line_lane[WARP_LANES]; /* a lane in each line */
	u32 excess;
	struct account account; /* what one such access adds; without a sample */
};

/* Why an access is none of those that are known. */
enum memo_miss { MEMO_OTHER_DISTANCES, MEMO_OTHER_PLACE, MEMO_SAMPLE /* it may be the sample to keep */ };

/* What one worker remembers of a site; zeroed before the first access. */
struct memo {
	struct native_pattern
		pattern; /* the distances from the first active lane; and for native code, which accesses like
					* the last are of the same unit */
	union {
		u64 wide[WARP_LANES];
		u32 narrow[WARP_LANES];
	} keep;                /* all ones for active lanes; as wide as the site's base register */
	u64 times[WARP_LANES]; /* accesses not yet added: by unit; if it rotates, by rotation in words */
	bool valid;
	bool rotates;    /* one unit, the same at every multiple of 4 bytes, but for which bank is which */
	bool pending;    /* some of `times` is not 0 */
	bool wide;       /* the site's */
	bool atomic;     /* it is one of atomics */
	u8 miss;         /* enum memo_miss: of the last access that was not counted */
	u32 used, next;  /* units; the next to be replaced */
	u32 first, mask; /* active lanes */
	u64 base;        /* of the first active lane */
	u64 low_mask;
	u32 pause; /* accesses until the next try, after so many misses in a row, which was so `pauses` times */
	u32 misses, pauses;
	const struct account_sample *worst;
	struct memo_unit units[MEMO_UNITS];
};

/* The same access of `count` warps, whose rows lie `stride` bytes apart: of one, or of a gang's, with all lanes. */
struct accesses {
	const struct account_site *site;
	const struct insn *insn;
	const u8 *rows;
	size_t stride;
	u32 count, mask;
	u64 order; /* of the first */
};

/* Counts accesses, from the first on, as long as they are known; returns how many were. */
u32 memo_repeat(struct memo *m, const struct alike *alike, const struct accesses *x,
		const struct account_sample *worst);
/* Whether to remember the first access of x, which was not known: not while all look different. */
bool memo_wants(struct memo *m, const struct account_site *s);
/* Makes room for it: what it adds is to be counted into the unit's account, from zero, and its excess noted there;
 * then memo_keep. What had to go is added to *to. */
struct memo_unit *memo_room(struct memo *m, struct account *to);
void memo_keep(struct memo *m, const struct arch *arch, const struct accesses *x, struct memo_unit *u,
	       struct account *to);
/* Forgets all, as it looks different. */
void memo_drop(struct memo *m, struct account *to);
/* Its pattern, from now on kept for native code. */
struct native_pattern *memo_pattern(struct memo *m);
/* Adds what is held back. */
void memo_flush(struct memo *m, struct account *to);

/* Adds `times` accesses like the unit, their banks rotated. */
void account_add_times(struct account *to, const struct account *unit, u64 times, u32 rotation);

#endif
