/* SPDX-License-Identifier: Apache-2.0
 *
 * What an instruction of the text is to the order of memory: barriers, fences, strong accesses. A part of the race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_ROLES_H
#define PTXSIM_OBSERVE_RACE_ROLES_H

#include "observe/race_clocks.h"

/* What an instruction does, besides accesses, which site_list knows. */
enum race_role_bit {
	RACE_BARRIER = 1 << 0,
	RACE_ARRIVE = 1 << 1,   /* at a barrier, without waiting */
	RACE_LANES = 1 << 2,    /* lanes of a mask meet */
	RACE_EXCHANGE = 1 << 3, /* they do to exchange values */
	RACE_CLUSTER_ARRIVE = 1 << 4,
	RACE_CLUSTER_WAIT = 1 << 5,
	RACE_FENCE = 1 << 6,
	RACE_STRONG = 1 << 7,
	RACE_ACQUIRES = 1 << 8,
	RACE_RELEASES = 1 << 9,
	RACE_MBARRIER = 1 << 10, /* an access of an mbarrier */
	RACE_MBARRIER_INIT = 1 << 11,
	RACE_MBARRIER_WAIT = 1 << 12,
	RACE_READ_ONLY = 1 << 13,       /* a load of what nothing may write */
	RACE_CLUSTER_RELAXED = 1 << 14, /* an arrival that orders no memory */
	RACE_FREES = 1 << 15,           /* the run time's free() */
	RACE_VOLATILE = 1 << 16,
	RACE_TEXELS = 1 << 17, /* an access through a texture or a surface */
	RACE_ASYNC = 1 << 18,  /* an operation that goes on by itself, whose accesses are told of apart: race_async.h */
	RACE_PROXY_FENCE = 1 << 19, /* between ordinary accesses of global memory and asynchronous ones */
	RACE_GRID_WAIT = 1 << 20,   /* for the launches that this one was begun beside */
	RACE_GRID_LETS = 1 << 21,   /* the launches behind begin */
};

struct race_role {
	u32 does;
	u8 scope;    /* enum race_scope: of a strong access or a fence */
	bool counts; /* a barrier of so many threads, not of all */
	u8 address;  /* RACE_MBARRIER: the flattened operand that its address is */
};

/* Of a matched form. */
struct race_role race_role_of(const struct form *f);

#endif
