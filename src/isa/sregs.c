/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of special registers and its look-up, which happens once for each use in a text.
 */
#include "isa/sregs.h"

#include <string.h>

static const struct sreg_info table[SREG_COUNT] = {
#define X(name, text, type, elements, ptx, sm, kind) [SREG_##name] = {text, T_##type, elements, kind, ptx, sm},
	ISA_SREGS(X)
#undef X
};

const struct sreg_info *sreg_info(enum sreg sreg) { return (u32)sreg < SREG_COUNT ? &table[sreg] : NULL; }

/* 0 to 3, or 4 if `text` (after the dot) names no element. */
static u8 element_of(const char *text)
{
	static const char xyzw[] = "xyzw", rgba[] = "rgba";

	if (!text[0] || text[1])
		return 4;
	for (u8 k = 0; k < 4; k++)
		if (text[0] == xyzw[k] || text[0] == rgba[k])
			return k;
	return 4;
}

enum sreg sreg_find(const char *text, u8 *element)
{
	const char *dot = strchr(text, '.');
	const size_t length = dot ? (size_t)(dot - text) : strlen(text);

	for (u32 k = 0; k < SREG_COUNT; k++) {
		const struct sreg_info *info = &table[k];
		if (strncmp(info->name, text, length) || info->name[length])
			continue;
		*element = info->elements > 1 ? SREG_WHOLE : 0;
		if (!dot)
			return (enum sreg)k;
		*element = element_of(dot + 1);
		return *element < info->elements && info->elements > 1 ? (enum sreg)k : SREG_NONE;
	}
	return SREG_NONE;
}
