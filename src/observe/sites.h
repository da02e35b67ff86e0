/* SPDX-License-Identifier: Apache-2.0
 *
 * The instructions that access memory, found before the run. A part of the accounting observer.
 */
#ifndef PTXSIM_OBSERVE_SITES_H
#define PTXSIM_OBSERVE_SITES_H

#include "observe/accounting.h"

/* In a slot: the decoded instruction is the guard of the site's. */
enum { SITE_GUARD = 1u << 31 };

struct site_list {
	struct account_site *items;
	u32 count;
	u32 fixed;   /* sites that are fixed */
	u32 **slots; /* by code and decoded instruction: site + 1, or 0 */
};

/* Is it the instruction of the text, and not one that lowering put before or after it? */
bool sites_is_own(const struct code *code, u32 insn);

struct site_list sites_find(struct arena *arena, const struct program *program,
			    const struct accounting_options *options);

#endif
