/* SPDX-License-Identifier: Apache-2.0
 *
 * What tests of the library's calls begin with: a context with one module built in it, and memory for results.
 */
#ifndef PTXSIM_TESTS_UNIT_API_FIXTURE_H
#define PTXSIM_TESTS_UNIT_API_FIXTURE_H

#include <check.h>
#include <string.h>

#include "ptxsim.h"

struct fixture {
	ptxsim_context *context;
	ptxsim_module *module;
	uint64_t out;
};

/* device: a name, or NULL for none in particular. out_bytes: of the memory at `out`. Freed with the context. */
static inline struct fixture open_fixture_on(const char *device, const char *name, const char *kernels,
					     size_t out_bytes)
{
	struct fixture f = {.context = ptxsim_context_create(device ? ptxsim_device_find(device) : NULL)};

	ck_assert_ptr_nonnull(f.context);
	f.module = ptxsim_module_create(f.context);
	ck_assert_int_eq(ptxsim_module_add_text(f.module, name, kernels, strlen(kernels)), PTXSIM_OK);
	ck_assert_msg(ptxsim_module_build(f.module, NULL) == PTXSIM_OK, "%s", ptxsim_module_diagnostics(f.module));
	ck_assert_int_eq(ptxsim_alloc(f.context, out_bytes, &f.out), PTXSIM_OK);
	return f;
}

static inline struct fixture open_fixture(const char *name, const char *kernels, size_t out_bytes)
{
	return open_fixture_on(NULL, name, kernels, out_bytes);
}

#endif
