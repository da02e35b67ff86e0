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
	COMPLETE_CATCH,
	COMPLETE_CUDA
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

struct console_lines {
	const char **items;
	size_t count, capacity;
};

struct definition {
	const char *name;
	struct console_lines lines;
	bool from_file; /* a file's text made it, not the user */
};

/* What is done when a breakpoint stops. */
struct point_commands {
	u32 number;
	struct console_lines lines;
	bool from_file;
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
	u32 depth;       /* of definitions and breakpoints' commands */
	u32 sourced;     /* files that are being executed, one from another */
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
	FILE *source;           /* from which `define` reads */
	bool from_file;         /* a file's text is being executed */
	u32 list_first;         /* where the last list began */
	const char *shown_file; /* the line of CUDA C that was shown last */
	u32 shown_line;
	u32 shown_ptx; /* the line of PTX beside machine code that was shown last */
	VEC_OF(struct point_commands) point_commands;
	u32 hit;                          /* a breakpoint whose commands are still to be executed; 0: none */
	struct console_lines *collecting; /* lines that come in go there, up to `end` */
	bool confirm, pagination;         /* of gdb: nothing is asked here, so nothing depends on them */
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

/* Puts the focus there and shows it. */
bool console_focus(struct console *c, struct debug_focus f);
/* N, or X,Y,Z of the grid, a block, ..., with or without parentheses; false and an error: it is not within. */
bool console_index(struct console *c, const char *text, const char *whole, const u32 shape[3], u64 *index);
/* Takes lines for `define` and `commands` up to `end`: from the file that is executed, by asking, or as they
 * come in. */
void console_collect(struct console *c, struct console_lines *lines);
struct point_commands *console_point_commands(struct console *c, u32 number); /* NULL: it has none */
/* Their first line is "silent": the stop itself is not told. */
bool console_is_silent(const struct point_commands *p);

/* console_source.c */
void show_line(struct console *c, const struct debug_place *p, u32 lanes);
/* Line `line` of a text, or of a file of CUDA C; NULL: there is none. */
const char *source_line(struct console *c, const char *file, u32 line, u32 *length);
/* A line number alone means the file that `list` showed last. */
const char *console_location(struct console *c, const char *location, char text[1024]);

/* console_show.c */
void show_focus(struct console *c);
void show_displays(struct console *c);
const char *show_mask(u32 mask, char text[40]);
const char *show_state(const struct debug_split *s, char text[64]);

/* The commands. */
#define COMMAND(name) bool command_##name(struct console *c, char *rest)
/* clang-format off */
COMMAND(run); COMMAND(continue); COMMAND(step); COMMAND(next); COMMAND(step_line); COMMAND(next_line);
COMMAND(finish); COMMAND(until); COMMAND(step_block); COMMAND(to_barrier); COMMAND(to_reconvergence); COMMAND(to_warp);
COMMAND(to_launch); COMMAND(reverse_step); COMMAND(reverse_next); COMMAND(reverse_continue);
COMMAND(reverse_finish); COMMAND(reverse_step_line); COMMAND(reverse_next_line); COMMAND(reverse_barrier); COMMAND(reverse_warp);
COMMAND(goto); COMMAND(who);
COMMAND(break); COMMAND(tbreak); COMMAND(watch); COMMAND(wwatch); COMMAND(rwatch); COMMAND(awatch); COMMAND(catch);
COMMAND(delete); COMMAND(enable); COMMAND(disable); COMMAND(condition); COMMAND(ignore);
COMMAND(print); COMMAND(x); COMMAND(set); COMMAND(show); COMMAND(display); COMMAND(undisplay); COMMAND(lanes);
COMMAND(backtrace); COMMAND(frame); COMMAND(up); COMMAND(down);
COMMAND(block); COMMAND(warp); COMMAND(lane); COMMAND(thread); COMMAND(focus);
COMMAND(list); COMMAND(disassemble); COMMAND(divergence); COMMAND(access); COMMAND(matrix); COMMAND(info);
COMMAND(cuda); COMMAND(printf); COMMAND(ptype); COMMAND(whatis); COMMAND(commands); COMMAND(save); COMMAND(shell);
COMMAND(help); COMMAND(source); COMMAND(define); COMMAND(echo); COMMAND(quit);
/* clang-format on */

void info_scoreboard(struct console *c, char *rest);
void info_source(struct console *c, char *rest);
void info_line(struct console *c, char *rest);
void info_cuda(struct console *c, char *rest);
void info_args(struct console *c, char *rest);
void info_locals(struct console *c, char *rest);
/* The command that `info NAME` stands for. */
void info_by_name(struct console *c, const char *name);
/* "scale<float> (values=0x7f..., by=1.5, n=40)": of the focused frame; of the launch's kernel. */
void show_call(struct console *c, const struct debug_frame *f);
/* The launch's parameters, one a line, but those that are larger than a value. */
void show_parameters(struct console *c, const char *indent);
void show_invocation(struct console *c);
void show_frame(struct console *c, u32 number, const struct debug_frame *f, bool here);
const char *info_name(u32 index);
const char *info_doc(u32 index);
const char *setting_name(u32 index);

#endif
