/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests that write kernels as text and hold what these leave to an oracle of their own: text that grows, numbers
 * that are worth a try, one launch.
 */
#ifndef PTXSIM_TESTS_UNIT_KERNEL_RUN_H
#define PTXSIM_TESTS_UNIT_KERNEL_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KERNEL_LANES = 32 };

struct kernel_text {
	char *text;
	size_t used, size;
};
void kernel_add(struct kernel_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kernel_free(struct kernel_text *t);

/* Reproducible random bits; numbers near places where something changes. */
uint64_t random_next(uint64_t *state);
uint32_t random_below(uint64_t *state, uint32_t end);
uint64_t random_value(uint64_t *state, uint32_t bits);

/* Runs the module's only kernel, k(.param .u64 in, .param .u64 out), in a block of `threads`. The output starts as
 * given. False: the kernel failed, and `error` (200 bytes, may be NULL) says why. */
bool kernel_run(const struct kernel_text *t, const void *in, size_t in_bytes, void *out, size_t out_bytes,
		uint32_t threads, char *error);

#endif
