/* SPDX-License-Identifier: Apache-2.0
 *
 * Clusters that poll. One all of whose warps have come round to the state that they had will do so again as long as the
 * words of global memory that they look at stay the same. So it is not run before one of them changes: it dozes. Which
 * words these are is found in a pass during which every access is looked up anew, and so noted.
 *
 * Without this, blocks that wait for one another in another order than their own take time in the square of their number.
 * Counts of instructions in loops that poll are smaller for it; nothing else changes. Launches that several host threads share
 * do without: what they look at may change at any moment.
 */
#ifndef PTXSIM_EXEC_DOZE_H
#define PTXSIM_EXEC_DOZE_H

#include "exec/grid.h"

/* Before a pass over the cluster. True: it dozes on, and what it looks at is as it was. */
bool doze_on(struct worker *k, struct cluster *c);
/* After one: whether all warps of the cluster spun, or waited for those that did. */
void doze_judge(struct worker *k, struct cluster *c, bool spun);
/* Notes an access of the cluster that is being looked at, before it happens. False: it is to be split into accesses of
 * single lanes, which are small. */
bool doze_note(struct doze_look *look, const u8 *host, u64 bytes, bool of_lane);

#endif
