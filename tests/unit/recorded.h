/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the recorded memory patterns in tests/golden/metrics (RULES.md there says what they are)
 * for the tests of the accounting, and keeps the score of values compared. For tests only: a
 * broken file ends the process.
 */
#ifndef PTXSIM_TESTS_RECORDED_H
#define PTXSIM_TESTS_RECORDED_H

#include "base/types.h"

/* One launch: a single access by each of `warps` warps. */
struct recorded_case {
	char pack[16];         /* "acc-shared" */
	char name[48];         /* "sld_b32.stride_1" */
	char kernel[24];       /* "sld_b32" */
	u32 table[WARP_LANES]; /* byte offsets of the lanes of warp 0 */
	u32 mask;              /* lanes that take part: the table's value is not ~0 */
	u32 warps, wstride;    /* lane l of warp w goes to table[l] + w x wstride */
};

struct recorded_score {
	u32 compared, equal, known, wrong;
};

void recorded_load(void);
size_t recorded_cases(void);
const struct recorded_case *recorded_case(size_t i);

/* The recorded value; false if the metric was not read for this pattern. */
bool recorded_value(const struct recorded_case *c, const char *metric, u32 *value);

/* Compares where the metric was read; prints a difference that is not known. */
void recorded_compare(struct recorded_score *score, const struct recorded_case *c, const char *metric, u32 counted);

/* Prints the score; true if nothing was wrong. */
bool recorded_finish(const struct recorded_score *score, const char *title);

#endif
