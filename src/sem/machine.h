/* SPDX-License-Identifier: Apache-2.0
 *
 * What the handlers of machine code share. isa/machine.h names them.
 */
#ifndef PTXSIM_SEM_MACHINE_H
#define PTXSIM_SEM_MACHINE_H

#include "isa/machine.h"
#include "sem/lanes.h"

#define MACHINE_TABLE(NAME) extern const struct machine_entry SEM_NAME(NAME)[]
MACHINE_TABLE(machine_integer);
MACHINE_TABLE(machine_exchange);
MACHINE_TABLE(machine_control);
MACHINE_TABLE(machine_texture);

#define ENTRY(NAME)                   \
	{                             \
		MACHINE_##NAME, &NAME \
	}

/* Handlers made of NAME_lanes(insn, list, rows, mask), which does all for lanes of one warp: for what has more results or
 * operands than the macros of sem/lanes.h know. list: the words at insn.imm, if there are any. */
#define LANES_FUNCTION(NAME) ALWAYS_INLINE void NAME##_lanes(const struct insn *i, const u32 *list, u8 *rows, u32 mask)
#define LANES_RUN(NAME)                                           \
	LANE_FUNCTION(NAME)                                       \
	{                                                         \
		NAME##_lanes(i, warp_operands(w, i), rows, mask); \
		return i + 1;                                     \
	}
#define LANES_GANG(NAME)                                             \
	LANE_GANG(NAME)                                              \
	{                                                            \
		const struct insn own = *i;                          \
		const u32 *const list = g->code->operands + own.imm; \
		if (UNLIKELY(g->on != NULL))                         \
			return NAME##_some(g, i);                    \
		EACH_WARP (g)                                        \
			NAME##_lanes(&own, list, rows, FULL_MASK);   \
		return i + 1;                                        \
	}
#define LANES_SOME(NAME)                                             \
	LANE_SOME(NAME)                                              \
	{                                                            \
		const struct insn own = *i;                          \
		const u32 *const list = g->code->operands + own.imm; \
		EACH_MEMBER (g, m)                                   \
			NAME##_lanes(&own, list, m->rows, m->mask);  \
		return i + 1;                                        \
	}
#define MEANING_LANES(NAME) LANES_RUN(NAME) LANES_SOME(NAME) LANES_GANG(NAME) MEANING_GANG(NAME)

/* A mask from each lane's truth. */
#define MASK_OF(TEST)                                            \
	({                                                       \
		s32 t_[WARP_LANES] __attribute__((aligned(64))); \
		EACH_LANE                                        \
			t_[l] = (TEST) ? -1 : 0;                 \
		pack_lanes32(t_);                                \
	})

#endif
