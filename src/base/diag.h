/* SPDX-License-Identifier: Apache-2.0
 *
 * Diagnostics: everything that is wrong with a text, collected while reading goes on, printed
 * like a compiler's: `file:line:col: error: message`, the source line, a caret.
 */
#ifndef PTXSIM_BASE_DIAG_H
#define PTXSIM_BASE_DIAG_H

#include <stdio.h>

#include "base/source.h"

enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag {
	enum diag_severity severity;
	struct span span;
	const char *message;
	const char *hint; /* NULL or one line printed as `hint: ...` */
};

struct diags {
	struct arena *arena;
	struct sources *sources;
	VEC_OF(struct diag) list;
	u32 error_count;
	u32 error_limit; /* further errors are counted, not kept */
};

void diags_init(struct diags *d, struct arena *arena, struct sources *sources);
void diag_error(struct diags *d, struct span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_warning(struct diags *d, struct span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_note(struct diags *d, struct span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds a hint to the newest diagnostic. */
void diag_hint(struct diags *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints all in the order found; colours only if `colour`. */
void diags_print(const struct diags *d, FILE *to, bool colour);

#endif
