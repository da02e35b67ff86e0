/* SPDX-License-Identifier: Apache-2.0
 *
 * What is printed in colour.
 */
#ifndef PTXSIM_FRONT_COLOUR_H
#define PTXSIM_FRONT_COLOUR_H

#include <stdio.h>

#include "base/types.h"

enum colour_choice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* AUTO: on a terminal that can show it (TERM is not dumb), unless the environment's NO_COLOR is not empty. */
bool colour_for(enum colour_choice choice, FILE *to);
/* AUTO becomes NEVER: mpirun gives its processes a terminal, even where its own output goes to a file. */
enum colour_choice colour_of_ranks(enum colour_choice choice);

/* Prints a fault's message, its first line marked, and a newline. */
void colour_fault(FILE *to, const char *message, bool colour);
/* What begins and ends a word that tells of a failure; "" without colour. */
const char *colour_failure(bool colour);
const char *colour_success(bool colour);
const char *colour_end(bool colour);

#endif
