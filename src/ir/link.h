/* SPDX-License-Identifier: Apache-2.0
 *
 * Linking: joins what modules declare .extern with what others define .visible, .weak or .common.
 * Called once, after all modules are read without errors and before lowering, also for a single
 * module. It fills the `linked` fields; ir_definition and ir_storage read them.
 */
#ifndef PTXSIM_IR_LINK_H
#define PTXSIM_IR_LINK_H

#include "ir/ir.h"

/* What is used but defined nowhere, because the run time supplies it; each name once. */
struct ir_link {
	VEC_OF(const char *) externals;
};

/* Tells duplicate definitions, declarations that differ from their definition, and names that are
 * used and defined nowhere unless `is_supplied(name)`. All modules share one `strings`. */
void ir_link(struct arena *arena, struct ir_module *const *modules, u32 count, bool (*is_supplied)(const char *name),
	     struct diags *diags, struct ir_link *result);

/* Whether two functions take and return the same, as a declaration and its definition must. Sizes decide: a declaration may
 * call .b32 what the definition calls .u32. */
bool ir_same_parameters(const struct ir_function *a, const struct ir_function *b);
/* The function whose body a call of `f` runs: aliases and links followed. Without a body if the
 * run time supplies it. */
const struct ir_function *ir_definition(const struct ir_function *f);
/* The variable whose memory `v` means. */
const struct ir_variable *ir_storage(const struct ir_variable *v);
/* A kernel or function by name over all modules: one with a body before one without; else NULL. */
struct ir_function *ir_link_find(struct ir_module *const *modules, u32 count, const char *name);

#endif
