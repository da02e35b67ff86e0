/* SPDX-License-Identifier: Apache-2.0
 *
 * A session: texts, modules, program and memory of one simulator, owned together. The public API
 * wraps it; the command line and the recording runner use it directly. Not thread-safe: one
 * session belongs to one thread at a time; different sessions share nothing.
 *
 * Memory that runs out unwinds to session->out_of_memory, which whoever calls in must have set
 * with setjmp (SESSION_ENTER); the session may then only be closed.
 */
#ifndef PTXSIM_API_SESSION_H
#define PTXSIM_API_SESSION_H

#include "decode/lower.h"
#include "exec/launch.h"
#include "grammar/read.h"
#include "native/tier.h"
#include "sem/families.h"

struct session {
	struct arena arena;
	jmp_buf out_of_memory;
	struct sources sources;
	struct strings strings;
	struct diags diags;
	const struct isa *isa;
	const char *variant; /* "avx512", "avx2" or "baseline" */
	VEC_OF(struct ir_module *) modules;
	struct program *program;     /* NULL until built */
	enum memory_bounds bounds;   /* how far past the end of an object accesses may reach */
	u64 memory_limit;            /* bytes that global memory may have: the host's, 64 GiB at most, unless set */
	struct memory memory;        /* of the built program, with its variables; unused by a module of a context */
	struct host_threads threads; /* for its launches */
	struct native *native;       /* of its program's kernels; NULL: none yet */
};

/* 0 on entry; not 0 when memory ran out below. Valid in the calling function only. */
#define SESSION_ENTER(s) setjmp((s)->out_of_memory)

/* Empties *s and prepares it. The lane variant is that named by the environment variable
 * PTXSIM_VARIANT, else the widest this host has. False: the variable names none that runs here, or
 * errno is ENOMEM. */
bool session_open(struct session *s);
/* The same with the instruction tables of another session, which must outlive it; NULL: its own. */
bool session_open_with(struct session *s, const struct session *tables);
void session_close(struct session *s);

/* What a launch of the kernel, of the session's program or of one compiled from it, is to have as its `native`. */
struct native_kernel *session_native(struct session *s, const struct program *p, const struct kernel *k,
				     enum native_mode mode);

/* Adds and parses one text; errors are in s->diags. The text is copied. */
void session_add_text(struct session *s, const char *name, const char *text, size_t length);
/* The same from a file ("-": standard input). False with *message set if it cannot be read. */
bool session_add_file(struct session *s, const char *path, const char **message);

/* Links and lowers what was added. False: see s->diags. */
bool session_lower(struct session *s, const struct lower_options *options);
/* The same, and maps its variables. */
bool session_build(struct session *s, const struct lower_options *options);

/* The kernel with a body that `wanted` means: its name, or its demangled name in any of the shortenings that
 * demangle_matches() knows. NULL: there is none, or there are several; *count says how many. */
const char *session_kernel_named(struct session *s, const char *wanted, u32 *count);
/* Throws all allocations away and gives module-scope variables their initial values. */
bool session_reset_memory(struct session *s);

/* Diagnostics as text, in the arena. */
const char *session_diagnostics(struct session *s, bool colour);

#endif
