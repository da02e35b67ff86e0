/* SPDX-License-Identifier: Apache-2.0
 *
 * What asynchronous operations read and write, in the race check: bulk and tensor copies, st.async and its like, wgmma.
 * They do it as threads of their own would (RACE_AGENT), after what the thread that begins them knows, and before what
 * whoever waits for their end does: by an mbarrier that counts them, by groups, or because others have told it.
 * The strict checker tells of them (exec/async.h). A part of the race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_ASYNC_H
#define PTXSIM_OBSERVE_RACE_ASYNC_H

#include "observe/async_records.h"
#include "observe/race_touch.h"

struct race_async_bytes {
	u32 lane;
	enum ir_space space; /* shared or global */
	u64 address, size;
	bool is_store;
};

/* The operation, begun at that site, will read or write the bytes. */
void race_async_range(struct race_memory *r, struct warp *w, const struct insn *i, u32 site, struct async_op *op,
		      const struct race_async_bytes *bytes);
/* The lanes of the warp have waited for it, or only until its sources are free. */
void race_async_waited(struct race_memory *r, struct warp *w, const struct async_op *op, u32 lanes, bool reading);
/* The phase of the mbarrier that counts it is complete: whoever finds that by a wait comes after it. */
void race_async_counted(struct race_memory *r, const struct async_op *op);

#endif
