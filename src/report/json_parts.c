/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that every JSON object of a report may hold.
 */
#include "report/json_parts.h"

#include <string.h>

/* PTX and kernels may hold any bytes; those outside of ASCII become U+FFFD if the whole is not UTF-8. */
json_t *report_string(struct arena *arena, const char *text, size_t length)
{
	json_t *s = json_stringn(text, length);
	size_t used = 0;

	if (s)
		return s;
	char *clean = arena_array(arena, length + 1, 3);
	for (size_t k = 0; k < length; k++) {
		if (!((u8)text[k] & 0x80)) {
			clean[used++] = text[k];
			continue;
		}
		memcpy(clean + used, "\xef\xbf\xbd", 3);
		used += 3;
	}
	return json_stringn(clean, used);
}

json_t *report_dimensions(const u32 d[3])
{
	return json_pack("[I, I, I]", (json_int_t)d[0], (json_int_t)d[1], (json_int_t)d[2]);
}
