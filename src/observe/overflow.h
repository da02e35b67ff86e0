/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of address arithmetic that wraps: sums and products of 32 bits that are made 64 bits wide to become part of an
 * address, and are not what they would be if they had been computed with more bits. What wraps and comes back, as an index
 * that is -1 for a while, does no harm and is not told. Kernels in PTX; what functions compute is not followed.
 */
#ifndef PTXSIM_OBSERVE_OVERFLOW_H
#define PTXSIM_OBSERVE_OVERFLOW_H

#include "observe/check_findings.h"

struct overflow;

struct overflow *overflow_new(struct arena *arena, const struct check_sites *where);
/* Before a launch, with its findings, whose arena is the launch's. */
void overflow_begin(struct overflow *o, struct check_findings *findings);
struct observer *overflow_observer(struct overflow *o);

#endif
