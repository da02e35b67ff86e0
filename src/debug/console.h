/* SPDX-License-Identifier: Apache-2.0
 *
 * The debugger's command language: gdb's names and abbreviations over the engine. Executes one line
 * at a time and prints to a stream; knows no terminal, so that line editing, the full screen and
 * tests all use the same commands.
 */
#ifndef PTXSIM_DEBUG_CONSOLE_H
#define PTXSIM_DEBUG_CONSOLE_H

#include <stdio.h>

#include "debug/debug.h"

struct console;

/* Reads one line for `define`, without its end; NULL: no more. The console's copy. */
typedef char *console_read_fn(void *context, const char *prompt);

struct console_options {
	bool colour;
	u32 width; /* of the screen; 0: 80 */
	console_read_fn *read;
	void *read_context;
	bool confined; /* no command may write files or start programs */
};

struct console *console_new(struct arena *arena, struct debug *d, FILE *out, const struct console_options *options);
/* Executes one line; an empty one repeats the last if `repeat`. False: the user wants to leave. */
bool console_execute(struct console *c, const char *line, bool repeat);
/* Executes the lines of a file; false: the user wants to leave, or it cannot be read (told). */
bool console_source(struct console *c, const char *path);
/* The last command failed. */
bool console_failed(const struct console *c);
/* The event of the last motion. */
const struct debug_event *console_event(const struct console *c);
/* Prints what happened, as after a motion. */
void console_show_event(struct console *c, const struct debug_event *e);

/* A line of a text that runs or of the CUDA C that it came from; NULL: there is none. */
const char *console_source_line(struct console *c, const char *file, u32 line, u32 *length);

/* Completions of the word that begins at `start` of a line: candidate number `index`, or NULL at the end. In
 * `text`. */
const char *console_complete(struct console *c, const char *line, u32 start, u32 index, char text[256]);

#endif
