/* SPDX-License-Identifier: Apache-2.0
 *
 * One kernel in several ways, interpreted and as native code, on memory that lies here and there: what it leaves in all of it, what is
 * counted, and the fault that ends it. For tests of addresses that are made of a base and an index.
 */
#ifndef PTXSIM_TESTS_UNIT_SCALED_TRIAL_H
#define PTXSIM_TESTS_UNIT_SCALED_TRIAL_H

#include "api/session.h"
#include "observe/accounting.h"

enum { SCALED_WORDS = 4096, SCALED_NEAR = 1024, SCALED_FAR = 1024, SCALED_BLOCKS = 3, SCALED_THREADS = 96 };

/* The kernel's parameters, in this order. */
struct trial_params {
	u64 in;    /* SCALED_WORDS words, all different, */
	u64 near;  /* words in the next allocation, */
	u64 far;   /* and words 12 GB after the first, where 32 bits times 4 lead to */
	u64 fixed; /* words that cannot be written, 4 GB after it */
	u64 to;    /* SCALED_WORDS words for results */
	u32 lanes; /* of each warp that shall take part */
	u32 count; /* of anything */
};

struct trial {
	struct session session;
	struct trial_params params;
	struct native_kernel *native;
	struct accounting *accounting;
};

struct trial_way {
	bool watched; /* by an observer of its accesses */
	bool alone;   /* one warp */
	bool folded;  /* in blocks whose warps have half rows of threads */
	u32 jobs;
	u64 limit; /* of instructions; 0: none */
};

struct trial_end {
	enum launch_status status;
	struct launch_stats stats;
	u32 place;        /* of the fault: an instruction */
	char fault[2048]; /* in words */
	u32 memory[2 * SCALED_WORDS + SCALED_NEAR + 2 * SCALED_FAR];
};

/* Its entry is `k`. */
void trial_open(struct trial *t, const char *source, size_t length, enum native_mode mode);
void trial_close(struct trial *t);
/* Of memory as it was at first. */
void trial_run(struct trial *t, const struct trial_way *way, u32 lanes, struct trial_end *end);
/* NULL: they are the same; else what is not. exact: what has run before a fault counts, too. */
const char *trial_difference(const struct trial_end *x, const struct trial_end *y, bool exact);
/* How many of the kernel's rows are scaled where nothing is known of its accesses. */
u32 trial_scaled_rows(const struct trial *t);

#endif
