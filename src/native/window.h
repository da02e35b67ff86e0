/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of shared memory of which each lane's is at a known distance from the first lane's, all within a window: as where lanes work on pairs. Which
 * word of the window goes to which lane stands behind the access, a constant, of which shuffles become.
 */
#ifndef PTXSIM_NATIVE_WINDOW_H
#define PTXSIM_NATIVE_WINDOW_H

#include "native/flow.h"

/* Whether the step, a load or store whose form the flow knows, by that row, which is affine, is such an access. */
bool window_fits(const struct step *s, const struct flow_row *address);

/* What stands behind it, a struct of sem/native_proven.h in words; `count` of them, in the flow's arena. */
const u32 *window_make(const struct code_flow *f, const struct step *s, const struct flow_row *address, u32 *count);

#endif
