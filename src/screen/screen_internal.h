/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the full screen share.
 */
#ifndef PTXSIM_SCREEN_SCREEN_INTERNAL_H
#define PTXSIM_SCREEN_SCREEN_INTERNAL_H

#include <curses.h>

#include "screen/screen.h"

enum { OUTPUT_LINES = 400, HISTORY_LINES = 100, INPUT_MAX = 500, REGISTERS_MAX = 512 };

/* Colours, or what stands for them without. */
enum screen_look { LOOK_PLAIN, LOOK_TITLE, LOOK_CURRENT, LOOK_DIM, LOOK_CHANGED, LOOK_MARK, LOOK_COUNT };

struct pane {
	int y, x, height, width;
};

struct screen {
	FILE *out;
	char *text;
	size_t size;
	char *lines[OUTPUT_LINES]; /* a ring */
	u32 line_count;
	char *history[HISTORY_LINES];
	u32 history_count, history_at;
	char input[INPUT_MAX + 1];
	u32 length, cursor;
	chtype looks[LOOK_COUNT];
	struct debuggee *b;
	struct debug *d;
	struct console *c;
	int source_scroll, register_scroll, lane_scroll, output_scroll;
	char memory[200]; /* the address of the memory pane, as an expression; empty: chosen */
	/* What the registers held at the stop before, to mark what has changed. */
	struct debug_focus shown_focus;
	const struct code *shown_code;
	u64 shown_position;
	u64 shown[REGISTERS_MAX][WARP_LANES], newest[REGISTERS_MAX][WARP_LANES];
	u32 shown_count, newest_count;
};

/* Writes at most `width` columns, control characters and tabs as blanks; returns how many. */
int screen_put(const struct screen *s, int y, int x, int width, enum screen_look look, const char *format, ...)
	__attribute__((format(printf, 6, 7)));
void screen_draw(struct screen *s);
/* What has come to screen_out becomes lines. */
void screen_collect(struct screen *s);

void pane_source(struct screen *s, const struct pane *p);
void pane_registers(struct screen *s, const struct pane *p);
void pane_warps(struct screen *s, const struct pane *p);
void pane_memory(struct screen *s, const struct pane *p);

/* Edits the input line by one key; true: it is to be executed. */
bool screen_edit(struct screen *s, int key);

#endif
