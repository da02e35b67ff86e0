/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the command language share.
 */
#ifndef PTXSIM_DEBUG_CONSOLE_INTERNAL_H
#define PTXSIM_DEBUG_CONSOLE_INTERNAL_H

#include "debug/console.h"

enum completion {
	COMPLETE_NOTHING,
	COMPLETE_LOCATION,
	COMPLETE_EXPRESSION,
	COMPLETE_COMMAND,
	COMPLETE_INFO,
	COMPLETE_FILE,
	COMPLETE_SETTING,
	COMPLETE_CATCH
};

struct command {
	const char *name;
	const char *aliases;                        /* blanks between them; or NULL */
	bool (*run)(struct console *c, char *rest); /* false: leave */
	enum completion completes;
	bool repeats;          /* an empty line does it again */
	const char *arguments; /* for help */
	const char *doc;       /* first line: a summary */
};

struct display {
	u32 number;
	const char *expression;
	char format;
};

struct definition {
	const char *name;
	VEC_OF(const char *) lines;
};

/* A source file that was looked for. */
struct found_source {
	const char *path, *text; /* text NULL: there is none */
};

struct console {
	struct arena *arena;
	struct debug *d;
	FILE *out;
	struct console_options options;
	struct debug_event event;
	bool failed, leave;
	char last[1024]; /* for an empty line */
	u32 depth;       /* of sources and definitions */
	VEC_OF(struct display) displays;
	VEC_OF(struct definition) definitions;
	VEC_OF(struct found_source) sources;
	u32 display_number, value_number;
	/* list goes on here */
	const char *list_file;
	u32 list_line;
	/* x goes on here */
	enum ir_space x_space;
	u64 x_address;
	char x_format;
	u32 x_size;
	FILE *source; /* from which `define` reads */
};

extern const struct command console_commands[]; /* ends with name NULL */
const struct command *console_find(const char *word, size_t length, bool *ambiguous);

/* Prints a message as an error; returns true (the console goes on). */
bool console_error(struct console *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool console_engine_error(struct console *c);
/* Takes the next word off; "" at the end. */
char *console_word(char **rest);
/* A whole number; false and an error if it is none. */
bool console_number(struct console *c, const char *text, u64 *n);
/* An expression whose value is a whole number. */
bool console_value(struct console *c, const char *text, u64 *n);

const char *colour_on(const struct console *c, const char *code);
const char *colour_off(const struct console *c);

/* console_show.c */
void show_line(struct console *c, const struct debug_place *p, u32 lanes);
void show_focus(struct console *c);
void show_displays(struct console *c);
const char *show_mask(u32 mask, char text[40]);
const char *show_state(const struct debug_split *s, char text[64]);

/* The commands. */
#define COMMAND(name) bool command_##name(struct console *c, char *rest)
/* clang-format off */
COMMAND(run); COMMAND(continue); COMMAND(step); COMMAND(next); COMMAND(step_line); COMMAND(next_line);
COMMAND(finish); COMMAND(until); COMMAND(step_block); COMMAND(to_barrier); COMMAND(to_reconvergence);
COMMAND(to_launch); COMMAND(reverse_step); COMMAND(reverse_next); COMMAND(reverse_continue);
COMMAND(reverse_finish); COMMAND(reverse_step_line); COMMAND(reverse_next_line); COMMAND(reverse_barrier);
COMMAND(goto); COMMAND(who);
COMMAND(break); COMMAND(tbreak); COMMAND(watch); COMMAND(wwatch); COMMAND(rwatch); COMMAND(awatch); COMMAND(catch);
COMMAND(delete); COMMAND(enable); COMMAND(disable); COMMAND(condition); COMMAND(ignore);
COMMAND(print); COMMAND(x); COMMAND(set); COMMAND(show); COMMAND(display); COMMAND(undisplay); COMMAND(lanes);
COMMAND(backtrace); COMMAND(frame); COMMAND(up); COMMAND(down);
COMMAND(block); COMMAND(warp); COMMAND(lane); COMMAND(thread); COMMAND(focus);
COMMAND(list); COMMAND(disassemble); COMMAND(divergence); COMMAND(access); COMMAND(matrix); COMMAND(info);
COMMAND(help); COMMAND(source); COMMAND(define); COMMAND(echo); COMMAND(quit);
/* clang-format on */

const char *info_name(u32 index);
const char *info_doc(u32 index);
const char *setting_name(u32 index);

#endif
