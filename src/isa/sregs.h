/* SPDX-License-Identifier: Apache-2.0
 *
 * The special registers (PTX ISA 10): names, types, since when, and how long a value holds. The
 * lowering gives those that are fixed for a warp's life a row; the others are read when executed.
 */
#ifndef PTXSIM_ISA_SREGS_H
#define PTXSIM_ISA_SREGS_H

#include "isa/tokens.h"

/* How long a value holds, and for whom it is one. */
enum sreg_kind {
	SREG_PER_LANE,  /* fixed for a thread: %tid, %laneid, %lanemask_* */
	SREG_PER_WARP,  /* fixed for a warp: %warpid (the ISA lets it change; here it does not) */
	SREG_PER_BLOCK, /* fixed for a block: %ctaid, %smid, ranks and numbers of the cluster */
	SREG_PER_GRID,  /* the same in the whole launch: %ntid, %nctaid, %envreg, sizes */
	SREG_DYNAMIC,   /* read anew each time: clocks, timers, performance counters */
};

/* X(name, text, type, elements, PTX version x 10, first target, kind) */
/* clang-format off */
#define SREGS_NUMBERED8(X, name, text, type, ptx0, ptx4, sm0, sm4, tail)                               \
	X(name##0##tail, text "0" #tail, type, 1, ptx0, sm0, SREG_DYNAMIC)                             \
	X(name##1##tail, text "1" #tail, type, 1, ptx0, sm0, SREG_DYNAMIC)                             \
	X(name##2##tail, text "2" #tail, type, 1, ptx0, sm0, SREG_DYNAMIC)                             \
	X(name##3##tail, text "3" #tail, type, 1, ptx0, sm0, SREG_DYNAMIC)                             \
	X(name##4##tail, text "4" #tail, type, 1, ptx4, sm4, SREG_DYNAMIC)                             \
	X(name##5##tail, text "5" #tail, type, 1, ptx4, sm4, SREG_DYNAMIC)                             \
	X(name##6##tail, text "6" #tail, type, 1, ptx4, sm4, SREG_DYNAMIC)                             \
	X(name##7##tail, text "7" #tail, type, 1, ptx4, sm4, SREG_DYNAMIC)
#define SREG_ENV(X, n) X(envreg##n, "%envreg" #n, b32, 1, 21, 10, SREG_PER_GRID)

#define ISA_SREGS(X)                                                                                   \
	X(tid, "%tid", u32, 4, 10, 10, SREG_PER_LANE)                                                  \
	X(ntid, "%ntid", u32, 4, 10, 10, SREG_PER_GRID)                                                \
	X(laneid, "%laneid", u32, 1, 13, 10, SREG_PER_LANE)                                            \
	X(warpid, "%warpid", u32, 1, 13, 10, SREG_PER_WARP)                                            \
	X(nwarpid, "%nwarpid", u32, 1, 20, 20, SREG_PER_GRID)                                          \
	X(ctaid, "%ctaid", u32, 4, 10, 10, SREG_PER_BLOCK)                                             \
	X(nctaid, "%nctaid", u32, 4, 10, 10, SREG_PER_GRID)                                            \
	X(smid, "%smid", u32, 1, 13, 10, SREG_PER_BLOCK)                                               \
	X(nsmid, "%nsmid", u32, 1, 20, 20, SREG_PER_GRID)                                              \
	X(gridid, "%gridid", u64, 1, 10, 10, SREG_PER_GRID)                                            \
	X(is_explicit_cluster, "%is_explicit_cluster", pred, 1, 78, 90, SREG_PER_GRID)                 \
	X(clusterid, "%clusterid", u32, 4, 78, 90, SREG_PER_BLOCK)                                     \
	X(nclusterid, "%nclusterid", u32, 4, 78, 90, SREG_PER_GRID)                                    \
	X(cluster_ctaid, "%cluster_ctaid", u32, 4, 78, 90, SREG_PER_BLOCK)                             \
	X(cluster_nctaid, "%cluster_nctaid", u32, 4, 78, 90, SREG_PER_GRID)                            \
	X(cluster_ctarank, "%cluster_ctarank", u32, 1, 78, 90, SREG_PER_BLOCK)                         \
	X(cluster_nctarank, "%cluster_nctarank", u32, 1, 78, 90, SREG_PER_GRID)                        \
	X(lanemask_eq, "%lanemask_eq", u32, 1, 20, 20, SREG_PER_LANE)                                  \
	X(lanemask_le, "%lanemask_le", u32, 1, 20, 20, SREG_PER_LANE)                                  \
	X(lanemask_lt, "%lanemask_lt", u32, 1, 20, 20, SREG_PER_LANE)                                  \
	X(lanemask_ge, "%lanemask_ge", u32, 1, 20, 20, SREG_PER_LANE)                                  \
	X(lanemask_gt, "%lanemask_gt", u32, 1, 20, 20, SREG_PER_LANE)                                  \
	X(clock, "%clock", u32, 1, 10, 10, SREG_DYNAMIC)                                               \
	X(clock_hi, "%clock_hi", u32, 1, 50, 20, SREG_DYNAMIC)                                         \
	X(clock64, "%clock64", u64, 1, 20, 20, SREG_DYNAMIC)                                           \
	SREGS_NUMBERED8(X, pm, "%pm", u32, 13, 30, 10, 20, )                                           \
	SREGS_NUMBERED8(X, pm, "%pm", u64, 40, 40, 50, 50, _64)                                        \
	SREG_ENV(X, 0) SREG_ENV(X, 1) SREG_ENV(X, 2) SREG_ENV(X, 3)                                    \
	SREG_ENV(X, 4) SREG_ENV(X, 5) SREG_ENV(X, 6) SREG_ENV(X, 7)                                    \
	SREG_ENV(X, 8) SREG_ENV(X, 9) SREG_ENV(X, 10) SREG_ENV(X, 11)                                  \
	SREG_ENV(X, 12) SREG_ENV(X, 13) SREG_ENV(X, 14) SREG_ENV(X, 15)                                \
	SREG_ENV(X, 16) SREG_ENV(X, 17) SREG_ENV(X, 18) SREG_ENV(X, 19)                                \
	SREG_ENV(X, 20) SREG_ENV(X, 21) SREG_ENV(X, 22) SREG_ENV(X, 23)                                \
	SREG_ENV(X, 24) SREG_ENV(X, 25) SREG_ENV(X, 26) SREG_ENV(X, 27)                                \
	SREG_ENV(X, 28) SREG_ENV(X, 29) SREG_ENV(X, 30) SREG_ENV(X, 31)                                \
	X(globaltimer, "%globaltimer", u64, 1, 31, 30, SREG_DYNAMIC)                                   \
	X(globaltimer_lo, "%globaltimer_lo", u32, 1, 31, 30, SREG_DYNAMIC)                             \
	X(globaltimer_hi, "%globaltimer_hi", u32, 1, 31, 30, SREG_DYNAMIC)                             \
	X(reserved_smem_offset_begin, "%reserved_smem_offset_begin", b32, 1, 76, 80, SREG_PER_GRID)    \
	X(reserved_smem_offset_end, "%reserved_smem_offset_end", b32, 1, 76, 80, SREG_PER_GRID)        \
	X(reserved_smem_offset_cap, "%reserved_smem_offset_cap", b32, 1, 76, 80, SREG_PER_GRID)        \
	X(reserved_smem_offset_0, "%reserved_smem_offset_0", b32, 1, 76, 80, SREG_PER_GRID)            \
	X(reserved_smem_offset_1, "%reserved_smem_offset_1", b32, 1, 76, 80, SREG_PER_GRID)            \
	X(total_smem_size, "%total_smem_size", u32, 1, 41, 20, SREG_PER_GRID)                          \
	X(aggr_smem_size, "%aggr_smem_size", u32, 1, 81, 90, SREG_PER_GRID)                            \
	X(dynamic_smem_size, "%dynamic_smem_size", u32, 1, 41, 20, SREG_PER_GRID)                      \
	X(current_graph_exec, "%current_graph_exec", u64, 1, 80, 50, SREG_PER_GRID)                    \
	X(WARP_SZ, "WARP_SZ", u32, 1, 10, 10, SREG_PER_GRID)
/* clang-format on */

enum sreg {
#define X(name, text, type, elements, ptx, sm, kind) SREG_##name,
	ISA_SREGS(X)
#undef X
		SREG_COUNT,
	SREG_NONE = 0xffff
};

enum { SREG_WHOLE = 0xff }; /* element of a vector register that is named without .x */

struct sreg_info {
	const char *name; /* with the percent sign; WARP_SZ has none */
	u16 type;         /* token, of one element */
	u8 elements;      /* 4 for %tid and its like, else 1 */
	u8 kind;          /* enum sreg_kind */
	u16 ptx, sm;      /* first PTX version times 10, first target */
};

const struct sreg_info *sreg_info(enum sreg sreg);

/* Whether it is SREG_PER_BLOCK: in line, as it is asked for each block. */
static inline bool sreg_is_of_block(u16 sreg)
{
	switch (sreg) {
#define X(name, text, type, elements, ptx, sm, kind) \
	case SREG_##name:                            \
		return kind == SREG_PER_BLOCK;
		ISA_SREGS(X)
#undef X
	default:
		return false;
	}
}

/* Finds "%tid.x", "%laneid", "WARP_SZ". *element: 0 to 3 for .x .y .z .w (also .r .g .b .a),
 * SREG_WHOLE for a vector without a selector, 0 for a scalar. SREG_NONE if there is no such
 * register, or it has no such element. */
enum sreg sreg_find(const char *text, u8 *element);

#endif
