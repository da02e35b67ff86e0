/* SPDX-License-Identifier: Apache-2.0
 *
 * A session that holds one module of PTX, for tests.
 */
#ifndef PTXSIM_TESTS_UNIT_SESSION_OF_H
#define PTXSIM_TESTS_UNIT_SESSION_OF_H

#include <check.h>
#include <string.h>

#include "api/session.h"

/* Opens s with the module built, and memory ready. The test fails where that does. For session_close. */
static inline void session_of(struct session *s, const char *name, const char *text)
{
	const struct lower_options options = {0};

	ck_assert(session_open(s));
	session_add_text(s, name, text, strlen(text));
	ck_assert_msg(session_build(s, &options), "%.2000s", session_diagnostics(s, false));
	ck_assert(session_reset_memory(s));
}

/* A launch of its kernel "k", whose shape is yet to be said. params: as the kernel has them; borrowed. */
static inline struct launch launch_in(struct session *s, enum native_mode mode, const void *params, u32 jobs)
{
	const struct kernel *kernel = program_kernel(s->program, "k");

	return (struct launch){.program = s->program,
			       .kernel = kernel,
			       .memory = &s->memory,
			       .params = (const u8 *)params,
			       .native = session_native(s, s->program, kernel, mode),
			       .jobs = jobs};
}

#endif
