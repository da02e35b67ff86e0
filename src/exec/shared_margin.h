/* SPDX-License-Identifier: Apache-2.0
 *
 * Room before and behind a block's shared memory.
 */
#ifndef PTXSIM_EXEC_SHARED_MARGIN_H
#define PTXSIM_EXEC_SHARED_MARGIN_H

/* Before the first byte, and past the last, so many may be read, or written as they were: vector loads run past the end, and native code takes
 * whole registers of words, two for one that it wants, and reads for lanes that do not run, too, at a distance that is known from those
 * that do. */
enum { SHARED_MARGIN = 4096 };

#endif
