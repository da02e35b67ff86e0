/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparing what a case left with what was recorded, as its `cmp` says.
 */
#ifndef PTXSIM_TESTS_GOLDEN_COMPARE_H
#define PTXSIM_TESTS_GOLDEN_COMPARE_H

#include "base/types.h"

/* What differs first. */
struct difference {
	size_t index, count; /* of the element, and how many there are */
	size_t differing;    /* how many differ */
	u32 element_bytes;
	u64 got, wanted; /* bits of the first differing element */
};

enum compare_result { COMPARE_SAME, COMPARE_DIFFERENT, COMPARE_UNKNOWN };

/* `rule` is the text after cmp=; `form` tells the width of elements where the rule does not.
 * UNKNOWN: the rule is of no known kind. */
enum compare_result compare_buffers(const char *rule, const char *form, const u8 *got, const u8 *wanted, size_t length,
				    struct difference *d);

/* The same lines in any order. */
bool compare_lines(const u8 *a, size_t a_size, const u8 *b, size_t b_size);

/* "0x3f800000 (f32 1)": bits, and the value where the rule or the form says float. */
void compare_print_element(char *to, size_t size, const char *rule, const char *form, u64 bits, u32 bytes);

#endif
