/* SPDX-License-Identifier: Apache-2.0
 *
 * Decimal numbers, for both readers.
 */
#ifndef PTXSIM_GRAMMAR_NUMBER_H
#define PTXSIM_GRAMMAR_NUMBER_H

#include "base/types.h"

/* The bits of the nearest double, ties to even; infinity if `text` (digits with a point or an
 * exponent) is too large. */
u64 decimal_bits(const char *text);

#endif
