/* SPDX-License-Identifier: Apache-2.0
 *
 * Printing a module back as PTX text, which reads again to the same module.
 */
#ifndef PTXSIM_IR_PRINT_H
#define PTXSIM_IR_PRINT_H

#include <stdio.h>

#include "ir/ir.h"

void ir_print(const struct ir_module *m, FILE *to);
/* One instruction with its guard and semicolon, on one line without its end. */
void ir_print_instruction(const struct ir_instruction *i, FILE *to);
void ir_print_operand(const struct ir_operand *o, FILE *to);

#endif
