/* SPDX-License-Identifier: Apache-2.0
 *
 * The families of one vector width, as a list. Compiled once for each width, like the families.
 */
#include "isa/isa.h"
#include "sem/family_list.h"
#include "sem/machine.h"
#include "sem/lanes.h"
#include "sem/sass_list.h"

#define X(name) extern const struct isa_family SEM_NAME(name);
SEM_FAMILIES(X)
SASS_FAMILIES(X)
#undef X

extern const struct isa_family *const SEM_NAME(sem_list)[];
const struct isa_family *const SEM_NAME(sem_list)[] = {
#define X(name) &SEM_NAME(name),
	SEM_FAMILIES(X)
#undef X
		NULL,
};

extern const struct isa_family *const SEM_NAME(sass_list)[];
const struct isa_family *const SEM_NAME(sass_list)[] = {
#define X(name) &SEM_NAME(name),
	SASS_FAMILIES(X)
#undef X
		NULL,
};

extern const struct machine_entry *const SEM_NAME(machine_list)[];
const struct machine_entry *const SEM_NAME(machine_list)[] = {
	SEM_NAME(machine_integer),
	SEM_NAME(machine_exchange),
	SEM_NAME(machine_control),
	SEM_NAME(machine_texture),
	NULL,
};
