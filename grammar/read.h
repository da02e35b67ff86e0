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

#endif
