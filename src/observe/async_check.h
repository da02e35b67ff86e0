/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker of strict asynchrony: a launch with ASYNC_STRICT names it (struct launch).
 */
#ifndef PTXSIM_OBSERVE_ASYNC_CHECK_H
#define PTXSIM_OBSERVE_ASYNC_CHECK_H

#include "exec/async.h"

extern const struct async_checker async_strict_checker;

#endif
