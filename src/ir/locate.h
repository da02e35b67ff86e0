/* SPDX-License-Identifier: Apache-2.0
 *
 * Places in the source that the compiler read, from .file, .loc and the names in .debug_str. For messages
 * and reports.
 */
#ifndef PTXSIM_IR_LOCATE_H
#define PTXSIM_IR_LOCATE_H

#include "ir/ir.h"

/* Path of the .file with that number, or NULL. */
const char *ir_file_path(const struct ir_module *m, u32 number);
/* Where the function that `loc` lies in was inlined, or NULL if it was not. */
const struct ir_loc *ir_loc_caller(const struct ir_module *m, const struct ir_loc *loc);
/* The name of the inlined function that `loc` lies in, as the compiler mangled it; false if there is none. */
bool ir_loc_function(const struct ir_module *m, const struct ir_loc *loc, char *name, size_t size);

/* A name from a file that cannot be trusted, to be printed: '?' stands for control characters, which a terminal would
 * obey. */
const char *ir_shown_name(struct arena *arena, const char *text, size_t length);

#endif
