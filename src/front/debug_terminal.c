/* SPDX-License-Identifier: Apache-2.0
 *
 * Line editing.
 */
#include "front/debug_terminal.h"

#include <errno.h>
#include <histedit.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HISTORY_LINES = 1000 };

struct terminal {
	EditLine *edit; /* NULL: no terminal */
	History *history;
	char *line, *path;
	size_t room;
	const char *prompt;
	struct console *console;
};

static char *prompt_of(EditLine *e)
{
	struct terminal *t;

	el_get(e, EL_CLIENTDATA, &t);
	return (char *)(uintptr_t)t->prompt;
}

/* Shows what the word may become. */
static void list_candidates(struct terminal *t, const char *line, u32 start)
{
	char text[256];

	putchar('\n');
	for (u32 k = 0; k < 200 && console_complete(t->console, line, start, k, text); k++)
		printf("%s  ", text);
	putchar('\n');
}

static unsigned char complete(EditLine *e, int key)
{
	struct terminal *t;
	const LineInfo *info = el_line(e);
	char line[1024], text[256], common[256];
	const size_t length = (size_t)(info->cursor - info->buffer);

	(void)key;
	el_get(e, EL_CLIENTDATA, &t);
	if (!t->console || length >= sizeof line)
		return CC_ERROR;
	memcpy(line, info->buffer, length);
	line[length] = 0;
	u32 start = (u32)length;
	while (start && !strchr(" \t(,+*/<>=![&|", line[start - 1]))
		start--;
	if (!console_complete(t->console, line, start, 0, common))
		return CC_ERROR;
	u32 count = 1;
	for (; console_complete(t->console, line, start, count, text); count++) {
		size_t same = 0;
		while (common[same] && common[same] == text[same])
			same++;
		common[same] = 0;
	}
	const char *more = common + (length - start);
	if (!*more && count > 1) {
		list_candidates(t, line, start);
		return CC_REDISPLAY;
	}
	el_insertstr(e, more);
	const char last = common[0] ? common[strlen(common) - 1] : 0;
	if (count == 1 && last != ':' && last != '/')
		el_insertstr(e, " ");
	return CC_REFRESH;
}

/* What terminals send for keys, whatever TERM says: libedit knows the sequences of one terminal alone, and a multiplexer or
 * a remote shell often shows another. */
static void bind_keys(EditLine *edit)
{
	static const struct {
		const char *command, *sequences[6];
	} keys[] = {
		{"ed-prev-history", {"\\e[A", "\\eOA"}},
		{"ed-next-history", {"\\e[B", "\\eOB"}},
		{"ed-next-char", {"\\e[C", "\\eOC"}},
		{"ed-prev-char", {"\\e[D", "\\eOD"}},
		{"ed-move-to-beg", {"\\e[H", "\\eOH", "\\e[1~", "\\e[7~"}},
		{"ed-move-to-end", {"\\e[F", "\\eOF", "\\e[4~", "\\e[8~"}},
		{"ed-delete-next-char", {"\\e[3~"}},
		{"ed-prev-word", {"\\e[1;5D", "\\e[5D", "\\eb"}},
		{"em-next-word", {"\\e[1;5C", "\\e[5C", "\\ef"}},
	};

	for (size_t k = 0; k < COUNT_OF(keys); k++)
		for (size_t i = 0; i < COUNT_OF(keys[k].sequences) && keys[k].sequences[i]; i++)
			el_set(edit, EL_BIND, keys[k].sequences[i], keys[k].command, NULL);
}

static void open_edit(struct terminal *t)
{
	const char *home = getenv("HOME");
	HistEvent event;

	t->edit = el_init("ptxsim", stdin, stdout, stderr);
	t->history = history_init();
	if (!t->edit || !t->history)
		return;
	el_set(t->edit, EL_CLIENTDATA, t);
	el_set(t->edit, EL_PROMPT, prompt_of);
	el_set(t->edit, EL_EDITOR, "emacs");
	el_set(t->edit, EL_SIGNAL, 1); /* Ctrl-Z and fg, and the terminal's size */
	el_set(t->edit, EL_HIST, history, t->history);
	el_set(t->edit, EL_ADDFN, "ptxsim-complete", "Complete the word", complete);
	el_set(t->edit, EL_BIND, "^I", "ptxsim-complete", NULL);
	bind_keys(t->edit);
	el_source(t->edit, NULL);
	history(t->history, &event, H_SETSIZE, HISTORY_LINES);
	history(t->history, &event, H_SETUNIQUE, 1);
	if (home && (t->path = malloc(strlen(home) + 32))) {
		sprintf(t->path, "%s/.ptxsim_history", home);
		history(t->history, &event, H_LOAD, t->path);
	}
}

struct terminal *terminal_new(void)
{
	struct terminal *t = calloc(1, sizeof *t);

	if (t && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		open_edit(t);
	return t;
}

void terminal_free(struct terminal *t)
{
	HistEvent event;

	if (!t)
		return;
	if (t->history && t->path)
		history(t->history, &event, H_SAVE, t->path);
	if (t->edit)
		el_end(t->edit);
	if (t->history)
		history_end(t->history);
	free(t->path);
	free(t->line);
	free(t);
}

void terminal_complete_from(struct terminal *t, struct console *c) { t->console = c; }

static char *keep(struct terminal *t, const char *line, size_t length)
{
	if (t->room < length + 1) {
		char *more = realloc(t->line, length + 1);
		if (!more)
			return NULL;
		t->line = more;
		t->room = length + 1;
	}
	memcpy(t->line, line, length);
	t->line[length] = 0;
	t->line[strcspn(t->line, "\r\n")] = 0;
	return t->line;
}

static char *read_edited(struct terminal *t)
{
	HistEvent event;
	int length;

	errno = 0;
	const char *line = el_gets(t->edit, &length);
	if (!line || length <= 0) {
		putchar('\n');
		/* Ctrl-C throws the line away; Ctrl-D ends. */
		return errno == EINTR ? keep(t, "#", 1) : NULL;
	}
	if (line[strspn(line, " \t\r\n")])
		history(t->history, &event, H_ENTER, line);
	return keep(t, line, (size_t)length);
}

char *terminal_read(void *context, const char *prompt)
{
	struct terminal *t = context;

	t->prompt = prompt;
	fflush(stdout);
	if (t->edit)
		return read_edited(t);
	const ssize_t length = getline(&t->line, &t->room, stdin);
	if (length < 0)
		return NULL;
	t->line[strcspn(t->line, "\r\n")] = 0;
	printf("%s%s\n", prompt, t->line);
	return t->line;
}
