/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives each value that a row holds in turn a number of its own.
 */
#ifndef PTXSIM_NATIVE_WEBS_H
#define PTXSIM_NATIVE_WEBS_H

#include "native/flow.h"

/* Numbers the rows of the flow anew: what is written in different places, and is never read in the same one, is no longer one row, though
 * it stands at the same place of the frame. Numbers of rows that hold what they held at the kernel's start stay as they were. Large flows
 * stay as they are. */
void webs_part(struct code_flow *f);

#endif
