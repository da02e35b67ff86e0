/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker of strict asynchrony: a launch with ASYNC_STRICT names it (struct launch).
 */
#ifndef PTXSIM_OBSERVE_ASYNC_CHECK_H
#define PTXSIM_OBSERVE_ASYNC_CHECK_H

#include "exec/async.h"

/* What it tells another check of: operations that go on by themselves, as bulk and tensor copies, st.async and wgmma do.
 * Those of cp.async, which threads wait for one by one, are not among them. */
struct async_listener {
	/* As the checker's range(), of shared or global memory, when nothing was in the way. */
	void (*range)(void *context, struct warp *w, const struct insn *i, struct async_op *op, u32 lane,
		      enum ir_space space, u64 address, u64 size, bool is_store);
	/* Lanes of the warp have waited for their part of it, or only until its sources are free. */
	void (*waited)(void *context, struct warp *w, const struct async_op *op, u32 lanes, bool reading);
	/* The phase of the mbarrier that counts it is complete. */
	void (*counted)(void *context, struct warp *w, const struct async_op *op);
};

/* The checker, and who listens to it. */
struct async_strict {
	struct async_checker checker;          /* what the launch names */
	const struct async_listener *listener; /* NULL: nobody */
	void *context;
};

extern const struct async_strict async_strict; /* to which nobody listens */
/* One to which `listener` does. */
struct async_strict async_strict_with(const struct async_listener *listener, void *context);

#endif
