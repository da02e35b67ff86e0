/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole programs: what Nsight Compute read while they ran on an H200 against what is counted here,
 * as the page docs/programs.md.
 */
#ifndef PTXSIM_TESTS_METRICS_PROGRAMS_H
#define PTXSIM_TESTS_METRICS_PROGRAMS_H

#include <stdio.h>

/* table: programs.csv; packs: the folder of the programs' packs. Prints the page. Returns the exit
 * status: 1 if a program fails or a difference has no reason. */
int programs_run(FILE *to, const char *table, const char *packs);

#endif
