/* SPDX-License-Identifier: Apache-2.0
 *
 * The full screen: its layout, its keys, and the line of input.
 *
 * The layouts, by the width of the window (draw_wide, draw_narrow):
 *
 *  140 columns or more                          fewer
 *  +-- launch -------------------------------+  +-- launch -----------+
 *  | source (CUDA C,    | registers          |  | source              |
 *  | PTX between,       |                    |  | registers           |
 *  | PTX or SASS)       | warps              |  | memory              |
 *  |--------------------|                    |  | warps               |
 *  | answers            | memory             |  | answers             |
 *  +-(ptxsim) --------------------------------+  +-(ptxsim) -----------+
 *
 * Everything is drawn anew after each key: what is shown is the debugger's state, and nothing of it is kept here but
 * what the last stop showed (to mark what has changed). The console writes its answers to a stream in memory, s->out,
 * which screen_collect splits into lines for the pane of answers.
 */
#include "screen/screen_internal.h"

#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Text ----------------------------------------------------------------------------------------------- */

/* Writes text from column x on, `width` columns at most; what is not plain ASCII becomes '?'. Returns the columns
 * taken. */
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

/* The last OUTPUT_LINES lines of answers, in a ring: line n stands at n modulo the size. */
static void keep_line(struct screen *s, const char *text, size_t length)
{
	const u32 at = s->line_count++ % OUTPUT_LINES;

	free(s->lines[at]);
	s->lines[at] = strndup(text, length);
}

/* A line that is longer than the pane of answers goes on in the next one, between words if it can. */
static void add_line(struct screen *s, const char *text, size_t length)
{
	const size_t width = s->answer_width > 20 ? (size_t)s->answer_width : 1000;

	while (length > width) {
		size_t cut = width;
		while (cut > width / 2 && text[cut] != ' ')
			cut--;
		cut = text[cut] == ' ' ? cut + 1 : width;
		keep_line(s, text, cut);
		text += cut;
		length -= cut;
	}
	keep_line(s, text, length);
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

/* The last lines of the answers, or those further up by output_scroll. */
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
		screen_put(s, 0, 1, COLS - 1, LOOK_TITLE, "launch %u: %s  grid (%u,%u,%u)  block (%u,%u,%u)  at %llu%s",
			   debug_launch_number(s->d), debug_function_name(s->d, l->kernel->code), l->grid[0],
			   l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
			   (unsigned long long)debug_position(s->d),
			   debug_state(s->d) == DEBUG_BETWEEN   ? ", ended"
			   : debug_state(s->d) == DEBUG_ENDED   ? ", the last one: 'start' begins again"
			   : debug_state(s->d) == DEBUG_FAULTED ? ", failed"
								: "");
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

/* What is shown in the pane of source: the user's choice, as far as there is CUDA C and room. */
enum screen_view screen_view(const struct screen *s, bool room_for_both)
{
	if (!pane_has_cuda(s))
		return VIEW_PTX;
	return s->view == VIEW_BOTH && !room_for_both ? VIEW_CUDA : s->view;
}

/* CUDA C above PTX or machine code, with PTX between where there is room; or one of them. */
static void draw_source(struct screen *s, struct pane p)
{
	s->shows_both = p.height >= 14;
	const enum screen_view view = screen_view(s, s->shows_both);

	if (view != VIEW_BOTH) {
		pane_source(s, &p, view == VIEW_CUDA ? SOURCE_CUDA : SOURCE_TEXT);
		return;
	}
	const bool ptx_too = p.height >= 21 && pane_has_ptx(s);
	struct pane upper = p;
	upper.height = p.height / (ptx_too ? 3 : 2);
	p.y += upper.height;
	p.height -= upper.height;
	pane_source(s, &upper, SOURCE_CUDA);
	if (ptx_too) {
		upper.y = p.y;
		p.y += upper.height;
		p.height -= upper.height;
		pane_source(s, &upper, SOURCE_BESIDE);
	}
	pane_source(s, &p, SOURCE_TEXT);
}

static void draw_answers(struct screen *s, struct pane p)
{
	attrset(s->looks[LOOK_TITLE]);
	mvhline(p.y, p.x, ' ', p.width);
	screen_put(s, p.y, p.x + 1, p.width - 1, LOOK_TITLE,
		   "F1 help F2 answers F3 source F5 go F6 warp F8 back F9 break F10 next F11 step");
	p.y++;
	p.height--;
	s->output_rows = p.height;
	s->answer_width = p.width;
	draw_output(s, &p);
}

/* Source and answers left, the rest right. */
static void draw_wide(struct screen *s, int rows)
{
	const int half = COLS / 2, right = COLS - half;
	const struct pane source = {1, 0, rows * 2 / 3, half - 1};
	const struct pane registers = {1, half, rows / 2, right};
	const struct pane warps = {registers.y + registers.height, half, rows / 5, right};
	const int memory_y = warps.y + warps.height, answers_y = source.y + source.height;

	draw_source(s, source);
	draw_answers(s, (struct pane){answers_y, 0, rows + 1 - answers_y, half - 1});
	pane_registers(s, &registers);
	pane_warps(s, &warps);
	pane_memory(s, &(struct pane){memory_y, half, rows + 1 - memory_y, right});
}

/* One below the other, each as wide as the window. */
static void draw_narrow(struct screen *s, int rows)
{
	const struct pane source = {1, 0, rows / 3, COLS};
	const struct pane registers = {source.y + source.height, 0, rows / 4, COLS};
	const struct pane memory = {registers.y + registers.height, 0, rows / 9 + 1, COLS};
	const struct pane warps = {memory.y + memory.height, 0, rows / 12 + 1, COLS};
	const int answers_y = warps.y + warps.height;

	draw_source(s, source);
	pane_registers(s, &registers);
	pane_memory(s, &memory);
	pane_warps(s, &warps);
	draw_answers(s, (struct pane){answers_y, 0, rows + 1 - answers_y, COLS});
}

void screen_draw(struct screen *s)
{
	erase();
	if (LINES < 12 || COLS < 40) {
		screen_put(s, 0, 0, COLS, LOOK_PLAIN, "too small: 40x12 at least");
	} else if (s->page) {
		page_draw(s);
	} else {
		draw_head(s);
		if (COLS >= 140)
			draw_wide(s, LINES - 2);
		else
			draw_narrow(s, LINES - 2);
	}
	draw_input(s);
	refresh();
}

/* --- Keys --------------------------------------------------------------------------------------------------- */

/* The commands that keys stand for; steps are by what is shown. */
static const char *command_of(const struct screen *s, int key)
{
	const bool lines = screen_view(s, true) != VIEW_PTX;

	switch (key) {
	case KEY_F(5):
		return "continue";
	case KEY_F(8):
		return lines ? "reverse-step-line" : "reverse-stepi";
	case KEY_F(10):
		return lines ? "next-line" : "nexti";
	case KEY_F(11):
		return lines ? "step-line" : "stepi";
	case KEY_F(12):
		return "finish";
	default:
		return NULL;
	}
}

/* The keys, then the commands. */
static void show_help(struct screen *s)
{
	const u32 first = s->line_count;

	for (u32 k = 0; page_keys[k]; k++)
		fprintf(s->out, "%s\n", page_keys[k]);
	console_execute(s->c, "help", false);
	screen_collect(s);
	page_open(s, first);
}

/* F3: both, CUDA C, PTX in turn; where both do not fit, CUDA C stands for them. */
static void next_view(struct screen *s)
{
	const bool cuda_is_next = s->view == VIEW_BOTH && s->shows_both;

	s->view = cuda_is_next ? VIEW_CUDA : s->view == VIEW_PTX ? VIEW_BOTH : VIEW_PTX;
	s->source_scroll = 0;
}

/* F6: the focus goes to the next live warp of the block. */
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
	case KEY_F(1):
		show_help(s);
		return true;
	case KEY_F(2):
		page_open(s, 0);
		s->page_scroll = OUTPUT_LINES;
		return true;
	case KEY_F(3):
		next_view(s);
		return true;
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
	if (strncmp(line, "mem", 3) || (line[3] && line[3] != ' ' && line[3] != '/'))
		return false;
	line += 3 + strspn(line + 3, " ");
	s->memory_format = 0;
	if (*line == '/') {
		if (!line[1] || !strchr("xduftc", line[1])) {
			fprintf(s->out, "mem has the formats x, d, u, f, t and c\n");
			return true;
		}
		s->memory_format = line[1];
		line += 2 + strspn(line + 2, " ");
	}
	snprintf(s->memory, sizeof s->memory, "%s", line);
	return true;
}

/* Executes a line: the answer goes to its pane, or opens a page if that cannot hold it. repeat: an empty line repeats
 * the one before. False: the debugger is to be left. */
static bool execute(struct screen *s, const char *line, bool repeat)
{
	const u32 first = s->line_count, launch = debug_launch_number(s->d);
	const u64 position = debug_position(s->d);
	const enum debug_state state = debug_state(s->d);
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
	/* An answer that its pane cannot hold; of a motion the end is what matters. */
	const bool moved =
		position != debug_position(s->d) || launch != debug_launch_number(s->d) || state != debug_state(s->d);
	if ((int)(s->line_count - first) > s->output_rows && !moved)
		page_open(s, first);
	return stay;
}

/* Without colours, bold, dim and reverse have to do. */
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

/* NULL: no memory. Made before the debugger, which writes to screen_out. */
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
		if (key == ERR || (s->page && page_key(s, key)))
			continue; /* a signal came in between, or it was the page's */
		const char *command = command_of(s, key);
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

/* False: standard input and output are no terminal, or none that curses knows. */
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
