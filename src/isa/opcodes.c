/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts of the opcodes that rules know.
 */
#include "isa/opcodes.h"

#include <string.h>

static const char *const texts[] = {[OP_NONE] = "",
#define X(name) [OP_##name] = #name,
				    ISA_OPCODES(X)
#undef X
#define X(name) [OP_internal_##name] = "%" #name,
					    ISA_INTERNAL_OPCODES(X)
#undef X
};

const char *opcode_text(enum opcode opcode) { return texts[opcode]; }

enum opcode opcode_find(const char *text, unsigned length)
{
	for (int k = OP_NONE + 1; k < OPCODE_COUNT; k++)
		if (!strncmp(texts[k], text, length) && !texts[k][length])
			return (enum opcode)k;
	return OP_NONE;
}
