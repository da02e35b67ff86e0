/* SPDX-License-Identifier: Apache-2.0
 *
 * Which registers the text makes the same in all threads of a block: computed from parameters,
 * constants and block indices alone. The assembler knows as much, and lets one lane do what all would
 * do at one address.
 */
#ifndef PTXSIM_OBSERVE_UNIFORM_H
#define PTXSIM_OBSERVE_UNIFORM_H

#include "decode/program.h"

struct uniform; /* of one function */

struct uniform *uniform_new(struct arena *arena, const struct code *code);
bool uniform_operand(struct uniform *u, const struct ir_operand *o);

#endif
