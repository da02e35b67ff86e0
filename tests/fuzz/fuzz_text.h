/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done with damaged input, by whoever made it: the mutation runner, libFuzzer, AFL++, or the replay of
 * what once did harm. Each target aborts where a promise is broken; else the caller's sanitizers and limits judge.
 */
#ifndef PTXSIM_TESTS_FUZZ_TEXT_H
#define PTXSIM_TESTS_FUZZ_TEXT_H

#include <stddef.h>

#include "api/session.h"

struct fuzz_target {
	const char *name;
	void (*run)(const char *bytes, size_t length);
	bool is_ptx; /* mutations by the instruction table make sense */
	const char *doc;
};

/* Ends in {0}. */
extern const struct fuzz_target fuzz_targets[];
/* NULL: there is none of that name. */
const struct fuzz_target *fuzz_target_find(const char *name);

/* Reads the text and its launch lines, builds it, and runs its first kernels for some instructions, with one of
 * the vector widths that this build and host have. Refused without a word: an abort. */
void fuzz_text(const char *bytes, size_t length);
/* The same with the width named; false: this host or build lacks it. */
bool fuzz_variant(const char *variant, const char *bytes, size_t length);
/* The same with all vector widths: they must leave the same memory and fail in the same words. */
void fuzz_variants(const char *bytes, size_t length);
/* The same interpreted and in native code, if that can be made here: they must leave the same. */
void fuzz_native(const char *bytes, size_t length);
/* Launch lines for a fixed program, played with little memory and few instructions. */
void fuzz_script(const char *bytes, size_t length);
/* One .npy file; what is read of it is written and read again. */
void fuzz_npy(const char *bytes, size_t length);
/* Two JSON reports, with a line "===" between them, compared in both formats. */
void fuzz_json(const char *bytes, size_t length);
/* Commands of the debugger's console, a line each, on a fixed program. */
void fuzz_debug(const char *bytes, size_t length);
/* What an editor sends to `ptxsim dap`; "/proc/self/fd/900" is a fixed program. */
void fuzz_dap(const char *bytes, size_t length);

/* A file with machine code: its images are unpacked, decoded and, where they can be, run. */
void fuzz_sass(const char *bytes, size_t length);
/* The same without running cubins. */
void fuzz_sass_read(const char *bytes, size_t length);

/* A session with the tables of a vector width, which are built once; false: this host or build lacks it. */
bool fuzz_session_open(struct session *s, const char *variant);

/* The fixed program of the targets above, NUL-terminated. */
extern const char fuzz_program[];

#endif
