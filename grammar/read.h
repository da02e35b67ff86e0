/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading: from a text to a module. Errors go to `diags`; reading goes on after each, so that
 * one run lists them all. The module returned is complete only if no error was added.
 */
#ifndef PTXSIM_GRAMMAR_READ_H
#define PTXSIM_GRAMMAR_READ_H

#include "ir/ir.h"

/* Parses text number `source` of diags->sources as PTX. Never returns NULL. */
struct ir_module *ptx_read(struct arena *arena, struct strings *strings, struct diags *diags, u32 source);

/* Whether a text is a disassembler's listing, by its name or its content. */
bool sass_is_listing(const char *name, const char *text);

/* The same for a listing. One of a machine that is not modelled is refused with one error. */
struct ir_module *sass_read(struct arena *arena, struct strings *strings, struct diags *diags, u32 source);

#endif
