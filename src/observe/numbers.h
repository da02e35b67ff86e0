/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks of floating-point numbers: where a NaN or an infinity comes from numbers that are neither, and where .ftz makes
 * zero of a number that is not.
 */
#ifndef PTXSIM_OBSERVE_NUMBERS_H
#define PTXSIM_OBSERVE_NUMBERS_H

#include "observe/check_findings.h"
#include "observe/check_options.h"

struct numbers;

struct numbers *numbers_new(struct arena *arena, const struct check_sites *where, const struct check_options *options);
/* Before a launch, with its findings. */
void numbers_begin(struct numbers *n, struct check_findings *findings);
struct observer *numbers_observer(struct numbers *n);

#endif
