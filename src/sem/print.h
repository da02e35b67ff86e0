/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernels print: vprintf's formats and failed assertions, in the words of the CUDA driver.
 */
#ifndef PTXSIM_SEM_PRINT_H
#define PTXSIM_SEM_PRINT_H

#include "exec/run.h"

/* Prints for one lane the format at a generic address with the numbers at `block`, at their natural alignment;
 * *read is how many were read. False: fault raised, nothing printed. */
bool print_format(struct warp *w, const struct insn *i, u32 lane, u64 format, u64 block, u64 *read);

/* What an assertion says: generic addresses of texts. */
struct assertion {
	u64 expression, file, function;
	u32 line;
};
/* Says for one lane, where errors go, that it failed. False: another fault raised. */
bool print_assertion(struct warp *w, const struct insn *i, u32 lane, const struct assertion *a);

/* The NUL-terminated text at a generic address, as much of it as fits. False: fault raised. */
bool print_string(struct warp *w, const struct insn *i, u32 lane, u64 address, char *text, size_t size);

#endif
