/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks of neighbours and of provenance: an access by the address of one variable must not reach the next one, and an
 * access by the address that came with a parameter must stay in the buffer that the parameter points into. Where addresses
 * come from is what observe/origins.h says.
 */
#ifndef PTXSIM_OBSERVE_OBJECTS_H
#define PTXSIM_OBSERVE_OBJECTS_H

#include "exec/launch.h"
#include "observe/check_findings.h"
#include "observe/check_options.h"
#include "observe/sites.h"

struct objects;

struct objects *objects_new(struct arena *arena, const struct check_sites *where, const struct site_list *sites,
			    const struct check_options *options);
/* Before a launch, with its findings, whose arena is the launch's. */
void objects_begin(struct objects *o, struct check_findings *findings, const struct launch *l);
struct observer *objects_observer(struct objects *o);

#endif
