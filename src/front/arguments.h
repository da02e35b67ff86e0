/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of command lines, read by argp.
 */
#ifndef PTXSIM_FRONT_ARGUMENTS_H
#define PTXSIM_FRONT_ARGUMENTS_H

#include <argp.h>

#include "front/options.h"

/* --color and -h: a child of each command's parser; its input is an enum colour_choice. */
extern const struct argp front_common_argp;
/* How launches run: a child's parser; its input is a struct launch_choices. */
extern const struct argp front_launch_argp;
enum { FRONT_LAUNCH_GROUP = 3, FRONT_FILE_GROUP = 5 }; /* of its options in --help */
/* Parses the options of `run` into the struct run_options that state->input points at. */
extern const struct argp run_options_argp;

/* Parses a command's options into *input; ends the program with status 2 after telling what is wrong. */
void front_parse(const struct argp *argp, int count, char **words, void *input);

/* A whole decimal or 0x number of at least `low`, or an argp error. */
u64 front_number(struct argp_state *state, const char *option, const char *text, u64 low);

#endif
