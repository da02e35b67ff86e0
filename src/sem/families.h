/* SPDX-License-Identifier: Apache-2.0
 *
 * All instruction families, in the order of the ISA manual. Each family is a file of this folder,
 * compiled once for each vector width; `sem_families()` gives the set for this host.
 */
#ifndef PTXSIM_SEM_FAMILIES_H
#define PTXSIM_SEM_FAMILIES_H

#include "base/arena.h"
#include "isa/machine.h"

/* NULL-terminated. `name` is "avx512", "avx2", "baseline", or NULL for the widest the host has.
 * NULL if the host lacks it or the name is unknown. */
const struct isa_family *const *sem_families(const char *name);

/* The same for the machine's own instructions, the table of SASS listings. */
const struct isa_family *const *sem_sass_families(const char *name);

/* Handlers of machine code of sm_75 and later, by enum machine_handler; in the arena. */
const struct meaning *const *sem_machine_handlers(struct arena *arena, const char *name);

/* The row of its instructions that are none of PTX. */
const struct isa_row *sem_machine_row(void);

/* The variant that sem_families(NULL) takes. */
const char *sem_host_variant(void);

#endif
