/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of the handlers of machine code (isa/machine.h): what of their results is undefined. A part of
 * observe/defined_machine.h.
 */
#ifndef PTXSIM_OBSERVE_MACHINE_RULES_H
#define PTXSIM_OBSERVE_MACHINE_RULES_H

#include "observe/defined.h"

enum { RULE_SOURCES = 16, RULE_RESULTS = 8 };

/* A lane's sources in the order of the row, and what becomes of its results. */
struct rule_lane {
	const struct insn *i;
	const u32 *list;
	u64 value[RULE_SOURCES], undefined[RULE_SOURCES], result[RULE_RESULTS];
	u32 name[RULE_SOURCES], named; /* of the first result; 0: a new one */
	bool is_copy;                  /* the first result is a source as it was */
};
typedef void lane_fn(struct rule_lane *l);

/* Operands of the handlers: decode/machine_operands.h. */
struct machine_rule {
	lane_fn *lane;
	void (*across)(const struct defined_insn *d, const struct warp *w, const struct insn *i, const u8 *rows,
		       u32 mask, u32 site); /* of what lanes tell each other, instead */
	bool computes;
};

/* All bits of an operand of that many. */
static inline u64 rule_full(u32 bits) { return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1; }

/* NULL: the handler has no rule. */
const struct machine_rule *machine_rule(u32 handler);

#endif
