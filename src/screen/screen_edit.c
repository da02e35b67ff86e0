/* SPDX-License-Identifier: Apache-2.0
 *
 * The full screen's line of input: editing, history, completion. (libedit wants the terminal for itself.)
 */
#include "screen/screen_internal.h"

#include <stdlib.h>
#include <string.h>

static void insert(struct screen *s, const char *text, u32 length)
{
	if (s->length + length > INPUT_MAX)
		return;
	memmove(s->input + s->cursor + length, s->input + s->cursor, s->length - s->cursor + 1);
	memcpy(s->input + s->cursor, text, length);
	s->length += length;
	s->cursor += length;
}

static void erase_range(struct screen *s, u32 from, u32 to)
{
	memmove(s->input + from, s->input + to, s->length - to + 1);
	s->length -= to - from;
	s->cursor = from;
}

static void set_input(struct screen *s, const char *text)
{
	snprintf(s->input, sizeof s->input, "%s", text);
	s->length = s->cursor = (u32)strlen(s->input);
}

static void remember(struct screen *s)
{
	if (s->length) {
		const u32 at = s->history_count++ % HISTORY_LINES;
		free(s->history[at]);
		s->history[at] = strdup(s->input);
	}
	s->history_at = s->history_count;
}

static void recall(struct screen *s, int by)
{
	const u32 oldest = s->history_count > HISTORY_LINES ? s->history_count - HISTORY_LINES : 0;

	if ((by < 0 && s->history_at <= oldest) || (by > 0 && s->history_at >= s->history_count))
		return;
	s->history_at += (u32)by;
	const char *line = s->history_at < s->history_count ? s->history[s->history_at % HISTORY_LINES] : "";
	set_input(s, line ? line : "");
}

/* What all completions of the word share; if that is nothing more, they are listed. */
static void complete(struct screen *s)
{
	char line[INPUT_MAX + 1], text[256], common[256] = "";
	u32 start = s->cursor, count = 0;

	memcpy(line, s->input, s->cursor);
	line[s->cursor] = 0;
	while (start && line[start - 1] != ' ')
		start--;
	for (; count < 1000 && console_complete(s->c, line, start, count, text); count++) {
		if (!count)
			snprintf(common, sizeof common, "%s", text);
		u32 same = 0;
		while (common[same] && common[same] == text[same])
			same++;
		common[same] = 0;
	}
	const u32 have = s->cursor - start;
	if (strlen(common) > have) {
		insert(s, common + have, (u32)strlen(common) - have);
		if (count == 1)
			insert(s, " ", 1);
		return;
	}
	for (u32 k = 0; count > 1 && k < count && k < 40 && console_complete(s->c, line, start, k, text); k++)
		fprintf(s->out, "%s%s", k ? "  " : "", text);
	if (count > 1)
		fputc('\n', s->out);
	screen_collect(s);
}

bool screen_edit(struct screen *s, int key)
{
	const char letter = (char)key;

	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		remember(s);
		return true;
	case '\t':
		complete(s);
		break;
	case KEY_BACKSPACE:
	case 127:
	case 8:
		if (s->cursor)
			erase_range(s, s->cursor - 1, s->cursor);
		break;
	case KEY_DC:
		if (s->cursor < s->length)
			erase_range(s, s->cursor, s->cursor + 1);
		break;
	case 21: /* Ctrl-U */
		erase_range(s, 0, s->cursor);
		break;
	case 11: /* Ctrl-K */
		erase_range(s, s->cursor, s->length);
		break;
	case KEY_LEFT:
		s->cursor -= s->cursor > 0;
		break;
	case KEY_RIGHT:
		s->cursor += s->cursor < s->length;
		break;
	case KEY_HOME:
	case 1:
		s->cursor = 0;
		break;
	case KEY_END:
	case 5:
		s->cursor = s->length;
		break;
	case KEY_UP:
	case KEY_DOWN:
		recall(s, key == KEY_UP ? -1 : 1);
		break;
	default:
		if (key >= 32 && key < 127)
			insert(s, &letter, 1);
	}
	return false;
}
