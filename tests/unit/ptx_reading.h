/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading one text, for the tests of the PTX reader.
 */
#ifndef PTXSIM_TESTS_PTX_READING_H
#define PTXSIM_TESTS_PTX_READING_H

#include "grammar/read.h"

struct reading {
	struct arena arena;
	struct sources sources;
	struct strings strings;
	struct diags diags;
	struct ir_module *m;
};

/* Reads the text into *r, whose arena is the caller's to free. */
void read_bytes(struct reading *r, const char *text, size_t length);
/* The bytes of a file, the caller's to free; a test fails where there is none. */
char *load(const char *folder, const char *name, size_t *length);

#endif
