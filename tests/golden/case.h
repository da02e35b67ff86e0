/* SPDX-License-Identifier: Apache-2.0
 *
 * Running one case of a pack on a built session, and saying what was wrong.
 */
#ifndef PTXSIM_TESTS_GOLDEN_CASE_H
#define PTXSIM_TESTS_GOLDEN_CASE_H

#include "api/session.h"
#include "observe/check_options.h"
#include "pack.h"

struct case_options {
	bool exact;     /* compare bytes whatever the case says */
	u32 threads;    /* of the host, for each launch; 0: one */
	bool any_order; /* let these run blocks in any order, even if that shows */
	struct async_choice async;
	enum native_mode native;
	const struct check_options *check; /* a case in which these find something fails; NULL: nothing is checked */
	/* Watching the launch: observers as in struct launch, and a call once it has run. May be NULL. */
	struct observer *const *observers;
	void (*ran)(void *context, const struct launch *l, const struct launch_stats *stats);
	void *context;
};

enum { CASE_MESSAGE = 2048 };

/* True if the case passed; else `message` says why not. */
bool case_run(struct session *s, const struct pack *p, const struct pack_case *c, const struct case_options *options,
	      char message[CASE_MESSAGE]);

#endif
