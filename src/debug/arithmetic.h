/* SPDX-License-Identifier: Apache-2.0
 *
 * C's arithmetic on the debugger's values. Whole numbers are computed in 32 or 64 bits, signed unless an
 * unsigned one of that width meets them; floats in f32 unless an f64 does.
 */
#ifndef PTXSIM_DEBUG_ARITHMETIC_H
#define PTXSIM_DEBUG_ARITHMETIC_H

#include "debug/debug.h"

/* The value's bits, as many as its type has. */
u64 value_word(const struct debug_value *v);
s64 value_integer(const struct debug_value *v);
f64 value_float(const struct debug_value *v);
bool value_is_float(const struct debug_value *v);

struct debug_value value_of_integer(u16 type, u64 word);
struct debug_value value_of_float(u16 type, f64 x);
/* Of and to untyped bits nothing is converted. */
struct debug_value value_convert(const struct debug_value *v, u16 type);

struct debug_value value_negate(const struct debug_value *v);
/* A binary operator but && and ||. A literal float does not widen what it meets. NULL, or what is wrong. */
const char *value_operation(const char *op, const struct debug_value *a, bool a_literal, const struct debug_value *b,
			    bool b_literal, struct debug_value *result);

#endif
