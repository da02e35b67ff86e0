/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutations of PTX and SASS that know the instruction table: they put in, replace and change whole instructions, with
 * modifiers that a row of the table allows and operands such as it wants, so that fuzzing gets past the reader. All
 * comes from the rows; no instruction is named here.
 */
#ifndef PTXSIM_TESTS_FUZZ_GRAMMAR_H
#define PTXSIM_TESTS_FUZZ_GRAMMAR_H

#include <stddef.h>

#include "base/types.h"

/* Changes text[0..length), which has room for `room` bytes: the new length. The same for the same seed. */
size_t fuzz_grammar_mutate(char *text, size_t length, size_t room, u64 seed);

#endif
