/* SPDX-License-Identifier: Apache-2.0
 *
 * libptxsim: files with //@ lines, which say what to launch and what to expect: docs/guide.md has the language. As
 * `ptxsim run` and `ptxsim test` play them. Part of ptxsim.h's interface.
 */
#ifndef PTXSIM_SCRIPT_H
#define PTXSIM_SCRIPT_H

#include "ptxsim.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

struct ptxsim_script {
	size_t struct_size;     /* sizeof(struct ptxsim_script) */
	const char *path;       /* the file; or, if `text` is not NULL, its name in messages */
	const char *text;       /* NULL: what the file holds. The text is copied */
	size_t length;          /* bytes of `text` */
	const char *arch;       /* "sm_90"; NULL: what the file says */
	uint32_t jobs;          /* host threads; 0: as many as are sensible */
	int races, unwritten;   /* as ptxsim_watch has them (ptxsim_observe.h) */
	ptxsim_print_fn *print; /* what kernels print; NULL: nowhere */
	void *print_context;
};

struct ptxsim_script_result {
	size_t struct_size;            /* sizeof(struct ptxsim_script_result), set by the caller */
	uint32_t launches, faults;     /* faults that nothing expected */
	uint32_t expectations, failed; /* failed: that do not hold */
};

/* Plays the launches and expectations. OK: all hold; FAULT: a launch failed or an expectation does not hold; SYNTAX: the
 * file has errors, or no launches; FILE: it cannot be read. *message tells each thing that is wrong, as the command line
 * does, "" if nothing is: it is from malloc, the caller's to free, NULL if memory ran out. `result` and `message` may be
 * NULL. Paths in the text reach files below its folder only (docs/security.md). Calls share nothing. */
ptxsim_status ptxsim_run_script(const struct ptxsim_script *script, struct ptxsim_script_result *result,
				char **message);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
