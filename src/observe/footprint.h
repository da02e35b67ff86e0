/* SPDX-License-Identifier: Apache-2.0
 *
 * What a launch reads and writes of global memory, word by word, with the instruction that did so first: kept beyond the launch,
 * and compared with what launches of other streams have done that nothing orders with it. What kernels
 * do through machine code's own handlers of asynchronous copies, and its textures, are not in it.
 */
#ifndef PTXSIM_OBSERVE_FOOTPRINT_H
#define PTXSIM_OBSERVE_FOOTPRINT_H

#include "observe/check_findings.h"
#include "observe/sites.h"

struct footprints; /* the observer of one launch */
struct footprint;  /* what it has seen; outlives the launch and its program */

/* Lives as long as the arena. */
struct footprints *footprints_new(struct arena *arena, const struct check_sites *where, const struct site_list *sites);
struct observer *footprints_observer(struct footprints *f);
/* An asynchronous operation that the instruction begins accesses global memory. */
void footprints_range(struct footprints *f, const struct warp *w, const struct insn *i, u64 address, u64 bytes,
		      bool writes, bool reduces);
/* After the launch: the caller's, until footprint_free. NULL: it has touched nothing, or memory ran out. */
struct footprint *footprints_take(struct footprints *f);
void footprints_free(struct footprints *f);
void footprint_free(struct footprint *f);
/* Of a copy or a fill: adds bytes that it reads or writes; `what` is said of it, and must live as long. *f NULL: makes it. False:
 * there is no memory. */
bool footprint_add(struct footprint **f, u64 address, u64 bytes, bool writes, const char *what);
/* Memory ends: what comes to lie there is another thing. */
void footprint_forget(struct footprint *f, u64 address, u64 bytes);

/* A word that both have accessed, one of them by writing it, and not both by atomic operations. Texts belong to the
 * footprints. */
struct footprint_clash {
	u64 address;
	bool writes, other_writes;
	struct fault_place at, other;
};
/* Up to `room` of them, each pair of places once; returns how many. */
/* Likewise of what `f` did before it waited for earlier launches, if `other`, the launch before it, has let it begin early. */
u32 footprint_early_clashes(const struct footprint *f, const struct footprint *other, struct footprint_clash *to,
			    u32 room);
u32 footprint_clashes(const struct footprint *f, const struct footprint *other, struct footprint_clash *to, u32 room);

#endif
