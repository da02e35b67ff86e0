/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of state spaces.
 */
#include "ir/ir.h"

#include <string.h>

static const char *const words[SPACE_COUNT] = {
	[SPACE_GENERIC] = "generic", [SPACE_REG] = "reg",       [SPACE_SREG] = "sreg",
	[SPACE_CONST] = "const",     [SPACE_GLOBAL] = "global", [SPACE_LOCAL] = "local",
	[SPACE_PARAM] = "param",     [SPACE_SHARED] = "shared", [SPACE_TEX] = "tex"};

const char *ir_space_word(enum ir_space space) { return words[space]; }

const char *ir_space_name(enum ir_space space)
{
	return space == SPACE_CONST ? "constant" : space == SPACE_PARAM ? "parameter" : words[space];
}

bool ir_space_find(const char *word, size_t length, enum ir_space *space)
{
	for (int k = 0; k < SPACE_COUNT; k++)
		if (ir_space_is_memory((enum ir_space)k) && !strncmp(words[k], word, length) && !words[k][length]) {
			*space = (enum ir_space)k;
			return true;
		}
	return false;
}
