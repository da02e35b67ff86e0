/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of check that are linked with libcuda as a program would be: the driver's calls, what they must answer, and a
 * context to make them in.
 */
#ifndef PTXSIM_TESTS_CUDA_LINKED_H
#define PTXSIM_TESTS_CUDA_LINKED_H

#include <check.h>

#include "cuda/driver/types.h"

#define CALL(symbol, handler, version, needs, params, args, format) int symbol params;
#define ABSENT(symbol, version)
#include "cuda/driver/calls.inc"

#define OK(call)          ck_assert_int_eq(call, 0)
#define FAILS(call, code) ck_assert_int_eq(call, code)

/* The first device's primary context, made current. */
static inline struct cu_context *use_device(void)
{
	struct cu_context *c;

	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&c, 0));
	OK(cuCtxSetCurrent(c));
	return c;
}

#endif
