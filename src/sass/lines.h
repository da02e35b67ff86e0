/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of a cubin that was compiled with -lineinfo or -G: for each instruction the line of the source, of which functions
 * that were inlined there, and the line of PTX, whose text such cubins have in them.
 */
#ifndef PTXSIM_SASS_LINES_H
#define PTXSIM_SASS_LINES_H

#include "ir/ir.h"

struct sass_module;

/* Fills the sections' locs and ptx_lines, the module's files and locs, and the text of the PTX. What makes no sense is left
 * out: lines are of no account to a run. */
void sass_read_lines(struct ir_module *module, struct sass_module *m, const char *name);

/* The line of PTX that an instruction of a kernel's body came from, its text and its length; 0: none is known. */
u32 sass_ptx_line(const struct ir_function *f, u32 index, const char **text, u32 *length);
/* What the PTX of the kernel's cubin is called: "x.cubin.ptx"; NULL: it has none. */
const char *sass_ptx_name(const struct ir_function *f);
/* Whether that PTX has the word; false if there is none. */
bool sass_ptx_has(const struct ir_function *f, const char *word);
/* A line by its number; NULL: there is none. */
const char *sass_ptx_text(const struct ir_function *f, u32 line, u32 *length);

#endif
