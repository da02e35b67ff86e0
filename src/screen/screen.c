/* SPDX-License-Identifier: Apache-2.0
 *
 * The full screen: its layout, its keys, and the line of input.
 */
#include "screen/screen_internal.h"

#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Text ----------------------------------------------------------------------------------------------- */

int screen_put(const struct screen *s, int y, int x, int width, enum screen_look look, const char *format, ...)
{
	char text[512];
	va_list list;
	int column = 0;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	attrset(s->looks[look]);
	for (const char *at = text; *at && column < width; at++) {
		if (*at == '\t') {
			do
				mvaddch(y, x + column++, ' ');
			while (column % 8 && column < width);
		} else {
			mvaddch(y, x + column++,
				(unsigned char)*at < 32 || (unsigned char)*at > 126 ? '?' : (chtype)*at);
		}
	}
	attrset(s->looks[LOOK_PLAIN]);
	return column;
}

static void add_line(struct screen *s, const char *text, size_t length)
{
	const u32 at = s->line_count++ % OUTPUT_LINES;

	free(s->lines[at]);
	s->lines[at] = strndup(text, length);
}

void screen_collect(struct screen *s)
{
	fflush(s->out);
	const long size = ftell(s->out);
	const char *text = s->text, *end = text + (size > 0 ? size : 0);
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		add_line(s, text, (size_t)((stop ? stop : end) - text));
		text = stop ? stop + 1 : end;
	}
	rewind(s->out);
	s->output_scroll = 0;
}

/* --- Layout ----------------------------------------------------------------------------------------------- */

static void draw_output(struct screen *s, const struct pane *p)
{
	const u32 kept = s->line_count < OUTPUT_LINES ? s->line_count : OUTPUT_LINES;
	const u32 rows = p->height > 0 ? (u32)p->height : 0;

	if (s->output_scroll > (int)kept - (int)rows)
		s->output_scroll = kept > rows ? (int)(kept - rows) : 0;
	const u32 end = s->line_count - (u32)s->output_scroll;
	for (u32 row = 0; row < rows; row++) {
		const u32 back = rows - row;
		if (back > kept - (u32)s->output_scroll)
			continue;
		const char *line = s->lines[(end - back) % OUTPUT_LINES];
		screen_put(s, p->y + (int)row, p->x, p->width, LOOK_PLAIN, "%s", line ? line : "");
	}
}

static void draw_head(const struct screen *s)
{
	const struct launch *l = debug_launch(s->d);

	attrset(s->looks[LOOK_TITLE]);
	mvhline(0, 0, ' ', COLS);
	if (l)
		screen_put(s, 0, 1, COLS - 1, LOOK_TITLE, "launch %u: %s  grid (%u,%u,%u)  block (%u,%u,%u)  at %llu",
			   debug_launch_number(s->d), l->kernel->name, l->grid[0], l->grid[1], l->grid[2], l->block[0],
			   l->block[1], l->block[2], (unsigned long long)debug_position(s->d));
	else
		screen_put(s, 0, 1, COLS - 1, LOOK_TITLE, "%s",
			   debug_state(s->d) == DEBUG_ENDED ? "no more launches: 'start' begins again"
							    : "no launch yet: 'start' stops at the first one");
}

static void draw_input(const struct screen *s)
{
	static const char prompt[] = "(ptxsim) ";
	const int room = COLS - (int)sizeof prompt;
	const int from = (int)s->cursor > room ? (int)s->cursor - room : 0;

	screen_put(s, LINES - 1, 0, COLS, LOOK_MARK, "%s", prompt);
	screen_put(s, LINES - 1, (int)sizeof prompt - 1, room, LOOK_PLAIN, "%s", s->input + from);
	move(LINES - 1, (int)sizeof prompt - 1 + (int)s->cursor - from);
}

/* Wide: source and output left, the rest right. Narrow: one below the other. */
void screen_draw(struct screen *s)
{
	const int rows = LINES - 2;

	erase();
	if (LINES < 12 || COLS < 40) {
		screen_put(s, 0, 0, COLS, LOOK_PLAIN, "too small: 40x12 at least");
		draw_input(s);
		refresh();
		return;
	}
	draw_head(s);
	const bool wide = COLS >= 140;
	const int half = COLS / 2, top = 1;
	struct pane source = {top, 0, wide ? rows * 2 / 3 : rows * 3 / 8, wide ? half - 1 : COLS};
	struct pane registers = {wide ? top : top + source.height, wide ? half : 0, wide ? rows / 2 : rows * 3 / 8,
				 wide ? COLS - half : COLS};
	const int below = registers.y + registers.height;
	struct pane warps = {below, wide ? half : 0, wide ? rows / 4 : rows / 8 + 1,
			     wide ? COLS - half : COLS * 3 / 5 - 1};
	struct pane memory =
		wide ? (struct pane){below + warps.height, half, rows - registers.height - warps.height, COLS - half}
		     : (struct pane){below, COLS * 3 / 5, warps.height, COLS - COLS * 3 / 5};
	const int used = wide ? top + source.height : below + warps.height;
	struct pane output = {used, 0, top + rows - used, wide ? half - 1 : COLS};
	attrset(s->looks[LOOK_TITLE]);
	mvhline(output.y, output.x, ' ', output.width);
	screen_put(s, output.y, output.x + 1, output.width - 1, LOOK_TITLE,
		   "F5 continue  F9 break  F10 next  F11 step  F8 back  F6 warp  F1 help");
	output.y++;
	output.height--;
	pane_source(s, &source);
	pane_registers(s, &registers);
	pane_warps(s, &warps);
	pane_memory(s, &memory);
	draw_output(s, &output);
	draw_input(s);
	refresh();
}

/* --- Keys --------------------------------------------------------------------------------------------------- */

/* The commands that keys stand for. */
static const char *command_of(int key)
{
	switch (key) {
	case KEY_F(1):
		return "help";
	case KEY_F(5):
		return "continue";
	case KEY_F(8):
		return "reverse-stepi";
	case KEY_F(10):
		return "nexti";
	case KEY_F(11):
		return "stepi";
	case KEY_F(12):
		return "finish";
	default:
		return NULL;
	}
}

static void next_warp(struct screen *s)
{
	struct debug_focus f = debug_focus(s->d);
	const struct block *blocks[64];

	if (!debug_launch(s->d))
		return;
	u32 count = debug_blocks(s->d, blocks, COUNT_OF(blocks));
	count = count < COUNT_OF(blocks) ? count : (u32)COUNT_OF(blocks);
	for (u32 k = 0; k < count; k++) {
		if (blocks[k]->index != f.block)
			continue;
		for (u32 n = 1; n <= blocks[k]->warp_count; n++) {
			const u32 other = (f.warp + n) % blocks[k]->warp_count;
			const struct warp *w = debug_warp(s->d, f.block, other);
			if (!w || !w->live)
				continue;
			f.warp = other;
			f.lane = (u32)__builtin_ctz(w->live);
			f.frame = 0;
			debug_set_focus(s->d, f);
			return;
		}
	}
}

/* A breakpoint on the line of the focus, or off it. */
static void toggle_break(struct screen *s)
{
	struct debug_place here;
	char location[400];

	if (!debug_focus_place(s->d, &here))
		return;
	for (struct debug_point *p = debug_first_point(s->d); p; p = p->next)
		for (u32 k = 0; p->kind == DEBUG_BREAK && k < p->place_count; k++)
			if (p->places[k].code == here.code && p->places[k].instruction == here.instruction) {
				debug_delete(s->d, p);
				return;
			}
	snprintf(location, sizeof location, "%s+%u", here.code->name, here.instruction);
	debug_break(s->d, location, NULL);
}

static void scroll_by(int *scroll, int by, int low, int high)
{
	*scroll += by;
	*scroll = *scroll < low ? low : *scroll > high ? high : *scroll;
}

/* Keys that move the view; false: it is another one. */
static bool view_key(struct screen *s, int key)
{
	switch (key) {
	case KEY_F(6):
		next_warp(s);
		return true;
	case KEY_F(9):
		toggle_break(s);
		return true;
	case KEY_PPAGE:
	case KEY_NPAGE:
		scroll_by(&s->source_scroll, key == KEY_PPAGE ? -5 : 5, -100000, 100000);
		return true;
	case KEY_SR:
	case KEY_SF:
		scroll_by(&s->register_scroll, key == KEY_SR ? -1 : 1, 0, REGISTERS_MAX);
		return true;
	case KEY_SLEFT:
	case KEY_SRIGHT:
		scroll_by(&s->lane_scroll, key == KEY_SLEFT ? -1 : 1, 0, WARP_LANES - 1);
		return true;
	case KEY_SHOME:
	case KEY_SEND:
		scroll_by(&s->output_scroll, key == KEY_SHOME ? 3 : -3, 0, OUTPUT_LINES);
		return true;
	case KEY_RESIZE:
	case 12: /* Ctrl-L */
		clear();
		return true;
	default:
		return false;
	}
}

/* --- Commands ------------------------------------------------------------------------------------------------- */

/* The commands of the screen alone. */
static bool own_command(struct screen *s, const char *line)
{
	line += strspn(line, " ");
	if (strncmp(line, "mem ", 4))
		return false;
	snprintf(s->memory, sizeof s->memory, "%s", line + 4);
	return true;
}

static bool execute(struct screen *s, const char *line, bool repeat)
{
	bool stay = true;

	fprintf(s->out, "> %s\n", line);
	screen_collect(s);
	if (!own_command(s, line)) {
		stay = console_execute(s->c, line, repeat);
		s->source_scroll = 0;
	}
	if (console_event(s->c)->reason == DEBUG_OVER)
		debuggee_tell(s->b, s->out);
	diags_print(&s->b->session->diags, s->out, false);
	s->b->session->diags.list.count = s->b->session->diags.error_count = 0;
	screen_collect(s);
	return stay;
}

static void set_looks(struct screen *s, bool colour)
{
	const chtype plain[LOOK_COUNT] = {A_NORMAL, A_REVERSE, A_BOLD, A_DIM, A_BOLD | A_UNDERLINE, A_NORMAL};

	memcpy(s->looks, plain, sizeof plain);
	if (!colour || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(1, COLOR_YELLOW, -1);
	init_pair(2, COLOR_CYAN, -1);
	init_pair(3, COLOR_GREEN, -1);
	s->looks[LOOK_CURRENT] = A_BOLD | (chtype)COLOR_PAIR(3);
	s->looks[LOOK_CHANGED] = A_BOLD | (chtype)COLOR_PAIR(1);
	s->looks[LOOK_MARK] = (chtype)COLOR_PAIR(2);
}

/* --- The whole ------------------------------------------------------------------------------------------------- */

struct screen *screen_new(void)
{
	struct screen *s = calloc(1, sizeof *s);

	if (s)
		s->out = open_memstream(&s->text, &s->size);
	if (s && !s->out) {
		free(s);
		return NULL;
	}
	return s;
}

FILE *screen_out(struct screen *s) { return s->out; }

static void read_keys(struct screen *s)
{
	for (bool stay = true; stay;) {
		screen_draw(s);
		const int key = getch();
		const char *command = command_of(key);
		if (key == ERR)
			continue; /* a signal came in between */
		if (command)
			stay = execute(s, command, false);
		else if (key == 4 && !s->length)
			stay = false; /* Ctrl-D */
		else if (!view_key(s, key) && screen_edit(s, key)) {
			stay = execute(s, s->input, true);
			s->length = s->cursor = 0;
			s->input[0] = 0;
		}
	}
}

bool screen_run(struct screen *s, struct debuggee *b, struct console *c, bool colour)
{
	setlocale(LC_CTYPE, "");
	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO) || !initscr())
		return false;
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	set_escdelay(25);
	s->b = b;
	s->d = b->debug;
	s->c = c;
	set_looks(s, colour);
	screen_collect(s);
	read_keys(s);
	endwin();
	return true;
}

void screen_free(struct screen *s)
{
	for (u32 k = 0; k < OUTPUT_LINES; k++)
		free(s->lines[k]);
	for (u32 k = 0; k < HISTORY_LINES; k++)
		free(s->history[k]);
	fclose(s->out);
	free(s->text);
	free(s);
}
