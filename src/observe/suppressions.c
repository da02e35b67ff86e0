/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of a suppression file.
 */
#include "observe/suppressions.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { FILE_MOST = 16 << 20 };

bool suppressions_read(struct suppressions *s, struct arena *arena, const char *path)
{
	size_t length, room = 1;
	const char *message;
	char *text = file_read_whole(path, FILE_MOST, &length, &message);

	*s = (struct suppressions){.count = 0};
	if (!text)
		return false;
	for (size_t k = 0; k < length; k++)
		room += text[k] == '\n';
	s->lines = ARENA_ARRAY(arena, room, char *);
	for (size_t at = 0, end; at < length; at = end + 1) {
		for (end = at; end < length && text[end] != '\n';)
			end++;
		size_t first = at, last = end;
		while (first < last && strchr(" \t", text[first]))
			first++;
		while (last > first && strchr(" \t\r", text[last - 1]))
			last--;
		if (first < last && text[first] != '#')
			s->lines[s->count++] = arena_copy_text(arena, text + first, last - first);
	}
	free(text);
	return true;
}

bool suppressions_cover(const struct suppressions *s, const char *text)
{
	for (size_t k = 0; k < s->count; k++)
		if (!fnmatch(s->lines[k], text, 0))
			return true;
	return false;
}
