/* SPDX-License-Identifier: Apache-2.0
 *
 * Source texts: line starts are found once, places by binary search.
 */
#include "base/source.h"

#include <string.h>

u32 source_add(struct sources *s, const char *name, const char *text, size_t length)
{
	/* Some editors put a byte order mark before UTF-8. */
	if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		length -= 3;
	}
	struct source *f = ARENA_NEW(s->arena, struct source);
	u32 lines = 1;

	f->name = arena_copy_text(s->arena, name, strlen(name));
	f->text = arena_copy_text(s->arena, text, length);
	f->length = length;
	for (const char *p = f->text; (p = memchr(p, '\n', length - (size_t)(p - f->text))); p++)
		lines++;
	f->line_starts = ARENA_ARRAY(s->arena, lines, u32);
	for (const char *p = f->text; (p = memchr(p, '\n', length - (size_t)(p - f->text))); p++)
		f->line_starts[++f->line_count] = (u32)(p - f->text) + 1;
	f->line_count++;
	VEC_PUSH(s->arena, &s->files, f);
	return (u32)(s->files.count - 1);
}

void source_place(const struct source *s, u32 offset, u32 *line, u32 *column)
{
	u32 low = 0, high = s->line_count;

	while (high - low > 1) {
		const u32 middle = low + (high - low) / 2;
		if (s->line_starts[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	*line = low + 1;
	*column = offset - s->line_starts[low] + 1;
}
