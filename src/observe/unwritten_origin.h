/* SPDX-License-Identifier: Apache-2.0
 *
 * In words: where a value that nothing has written comes from.
 */
#ifndef PTXSIM_OBSERVE_UNWRITTEN_ORIGIN_H
#define PTXSIM_OBSERVE_UNWRITTEN_ORIGIN_H

#include "observe/check_findings.h"

enum { UNWRITTEN_ORIGIN_TEXT = CHECK_PLACE_TEXT + 100 };

/* `site` has read it: from a register that nothing had written, or else from memory or another lane. Of a register it
 * becomes the instruction that writes it for other lanes, if there is one. */
void unwritten_origin(const struct check_sites *where, bool is_register, u32 *site, char text[UNWRITTEN_ORIGIN_TEXT]);

#endif
