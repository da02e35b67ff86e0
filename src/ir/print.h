/* SPDX-License-Identifier: Apache-2.0
 *
 * Printing a module back as PTX text, which reads again to the same module.
 */
#ifndef PTXSIM_IR_PRINT_H
#define PTXSIM_IR_PRINT_H

#include <stdio.h>

#include "ir/ir.h"

void ir_print(const struct ir_module *m, FILE *to);

#endif
