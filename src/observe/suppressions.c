/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of a suppression file.
 */
#include "observe/suppressions.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "exec/fault.h"

enum { FILE_MOST = 16 << 20, SHOWN_MOST = 200 };

/* The next line's text without blanks around it; false: there is none. */
struct reader {
	const char *text;
	size_t length, at;
	u32 number;
	const char *line;
	size_t line_length;
};

static bool next_line(struct reader *r)
{
	if (r->at >= r->length)
		return false;
	size_t end = r->at, first = r->at;
	while (end < r->length && r->text[end] != '\n')
		end++;
	r->at = end + 1;
	while (first < end && strchr(" \t", r->text[first]))
		first++;
	while (end > first && strchr(" \t\r", r->text[end - 1]))
		end--;
	r->line = r->text + first;
	r->line_length = end - first;
	r->number++;
	return true;
}

static bool says_something(const struct reader *r) { return r->line_length && *r->line != '#'; }

bool suppressions_read(struct suppressions *s, struct arena *arena, const char *path)
{
	size_t length, room = 1;
	const char *message;
	char *text = file_read_whole(path, FILE_MOST, &length, &message);
	struct reader r = {.text = text, .length = length};

	*s = (struct suppressions){.count = 0};
	if (!text)
		return false;
	for (size_t k = 0; k < length; k++)
		room += text[k] == '\n';
	s->lines = ARENA_ARRAY(arena, room, char *);
	while (next_line(&r))
		if (says_something(&r))
			s->lines[s->count++] = arena_copy_text(arena, r.line, r.line_length);
	free(text);
	return true;
}

/* Up to its first pattern, a line must begin as "KIND " does, or that as the line. */
static bool may_be_kind(const char *line, size_t length)
{
	size_t plain = 0;

	while (plain < length && !strchr("*?[\\", line[plain]))
		plain++;
	for (u32 k = FAULT_NONE + 1; k < FAULT_COUNT; k++) {
		const char *name = fault_name((enum fault_kind)k);
		const size_t size = strlen(name);
		if (strncmp(line, name, plain < size ? plain : size) == 0 && (plain <= size || line[size] == ' '))
			return true;
	}
	return false;
}

static void warn(const char *path, const struct reader *r, const char *why, FILE *to)
{
	fprintf(to, "%s:%u: warning: '", path, r->number);
	for (size_t k = 0; k < r->line_length && k < SHOWN_MOST; k++)
		fputc((u8)r->line[k] < ' ' || r->line[k] == 127 ? '?' : r->line[k], to);
	fprintf(to, "' suppresses nothing: %s\n", why);
}

void suppressions_warn(const char *path, FILE *to)
{
	size_t length;
	const char *message;
	char *text = file_read_whole(path, FILE_MOST, &length, &message);
	struct reader r = {.text = text, .length = length};

	while (text && next_line(&r)) {
		const char *why = NULL;
		if (!says_something(&r))
			continue;
		if (!may_be_kind(r.line, r.line_length))
			why = "no kind of finding begins so";
		else if (!memchr(r.line, ' ', r.line_length) && !memchr(r.line, '*', r.line_length))
			why = "it names no place";
		if (why)
			warn(path, &r, why, to);
	}
	free(text);
}

bool suppressions_cover(const struct suppressions *s, const char *text)
{
	for (size_t k = 0; k < s->count; k++)
		if (!fnmatch(s->lines[k], text, 0))
			return true;
	return false;
}
