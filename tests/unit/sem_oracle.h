/* SPDX-License-Identifier: Apache-2.0
 *
 * What a floating-point or conversion form computes, read off its modifiers one lane at a time, by
 * the scalar functions of number/. Slow and plain: the answer that the vector meanings are held to.
 */
#ifndef PTXSIM_TESTS_UNIT_SEM_ORACLE_H
#define PTXSIM_TESTS_UNIT_SEM_ORACLE_H

#include <string.h>

#include "isa/isa.h"
#include "number/convert.h"
#include "number/half.h"
#include "number/ieee.h"
#include "number/mufu.h"
#include "number/small.h"

/* in[0] is the destination's old value, in[1...] the sources. Narrow values in the low bits. */
struct oracle {
	const struct form *f;
	u64 in[6];
	u64 out;
};

/* False if nothing computes the form. */
bool oracle_run(struct oracle *o);
enum round oracle_round(const struct form *f);

#endif
