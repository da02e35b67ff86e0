/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the full screen share.
 */
#ifndef PTXSIM_SCREEN_SCREEN_INTERNAL_H
#define PTXSIM_SCREEN_SCREEN_INTERNAL_H

#include <curses.h>

#include "screen/screen.h"

enum { OUTPUT_LINES = 2000, HISTORY_LINES = 100, INPUT_MAX = 500, REGISTERS_MAX = 512 };

/* Colours, or what stands for them without. */
enum screen_look { LOOK_PLAIN, LOOK_TITLE, LOOK_CURRENT, LOOK_DIM, LOOK_CHANGED, LOOK_MARK, LOOK_COUNT };

/* What the source pane shows. */
enum screen_view { VIEW_BOTH, VIEW_CUDA, VIEW_PTX };

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
	enum screen_view view;
	bool shows_both;               /* there is room for CUDA C and PTX */
	int output_rows, answer_width; /* of the pane of answers */
	bool page;                     /* lines from page_first on fill the screen, page_scroll of them above it */
	u32 page_first;
	int page_scroll;
	char memory[200];   /* the address of the memory pane, as an expression; empty: chosen */
	char memory_format; /* 0: by type */
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
/* What is shown of the source now: BOTH where there is room, else as chosen; PTX where no CUDA C is found. */
enum screen_view screen_view(const struct screen *s, bool room_for_both);

/* screen_page.c: answers over the whole screen. */
void page_open(struct screen *s, u32 first_line);
void page_draw(struct screen *s);
/* True: the key was the page's; else the page is closed, and the key means what it does without. */
bool page_key(struct screen *s, int key);
/* What F1 shows before the list of commands. */
extern const char *const page_keys[];
/* What has come to screen_out becomes lines. */
void screen_collect(struct screen *s);

/* The text that runs, CUDA C, or PTX beside machine code. */
enum source_kind { SOURCE_TEXT, SOURCE_CUDA, SOURCE_BESIDE };
void pane_source(struct screen *s, const struct pane *p, enum source_kind kind);
/* The CUDA C of the place that the source pane shows is known and found. */
bool pane_has_cuda(const struct screen *s);
bool pane_has_ptx(const struct screen *s);
void pane_registers(struct screen *s, const struct pane *p);
void pane_warps(struct screen *s, const struct pane *p);
void pane_memory(struct screen *s, const struct pane *p);

/* Edits the input line by one key; true: it is to be executed. */
bool screen_edit(struct screen *s, int key);

#endif
