/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of barriers: aligned ones that parts of a warp meet in different places, thread counts that differ, cluster
 * barriers that are waited for without an arrival or arrived at twice, mbarriers that are initialised twice or asked
 * for a phase long past, and wgmma that not all warps of a group execute. A part of the checks.
 */
#ifndef PTXSIM_OBSERVE_SYNC_CHECK_H
#define PTXSIM_OBSERVE_SYNC_CHECK_H

#include "observe/check_findings.h"
#include "observe/sites.h"

struct sync_check;

struct sync_check *sync_check_new(struct arena *arena, const struct check_sites *sites,
				  const struct site_list *accesses);
/* Before a launch; the findings and their arena are the launch's. */
void sync_check_begin(struct sync_check *s, struct check_findings *findings);
struct observer *sync_check_observer(struct sync_check *s);

#endif
