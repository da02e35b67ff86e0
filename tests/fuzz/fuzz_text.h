/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done with each damaged text, by whoever made it: the mutation runner, libFuzzer, or the replay
 * of texts that once did harm.
 */
#ifndef PTXSIM_TESTS_FUZZ_TEXT_H
#define PTXSIM_TESTS_FUZZ_TEXT_H

#include <stddef.h>

/* Reads the text and its launch lines, builds it, and runs its first kernels for some instructions. Aborts if
 * the text is refused without a word; else the caller's sanitizers and limits judge. */
void fuzz_text(const char *bytes, size_t length);

#endif
