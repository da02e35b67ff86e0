/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers over the whole screen: those that are longer than their pane, the help, and all that was said.
 */
#include <string.h>

#include "screen/screen_internal.h"

const char *const page_keys[] = {"F1   this page                     F2   all answers, to scroll through",
				 "F3   CUDA C, PTX, or both          F5   continue",
				 "F6   the next warp                 F8   a step back",
				 "F9   a breakpoint here, or off     F10  a step over calls",
				 "F11  a step                        F12  finish the function",
				 "Steps are lines of CUDA C while that is shown, else instructions.",
				 "Page Up, Page Down: the source. Shift with arrows: registers and lanes.",
				 "Shift with Home, End: the answers.",
				 "mem [/FORMAT] ADDRESS: the memory shown: mem part, mem /x out, mem shared:64.",
				 "",
				 NULL};

static u32 oldest(const struct screen *s) { return s->line_count > OUTPUT_LINES ? s->line_count - OUTPUT_LINES : 0; }

void page_open(struct screen *s, u32 first_line)
{
	s->page = true;
	s->page_first = first_line < oldest(s) ? oldest(s) : first_line;
	s->page_scroll = 0;
}

static int rows_of_page(void) { return LINES - 2; }

static int most_scroll(const struct screen *s)
{
	const int count = (int)(s->line_count - s->page_first);

	return count > rows_of_page() ? count - rows_of_page() : 0;
}

void page_draw(struct screen *s)
{
	const int rows = rows_of_page(), count = (int)(s->line_count - s->page_first);

	if (s->page_scroll > most_scroll(s))
		s->page_scroll = most_scroll(s);
	if (s->page_scroll < 0)
		s->page_scroll = 0;
	const int last = s->page_scroll + rows < count ? s->page_scroll + rows : count;
	attrset(s->looks[LOOK_TITLE]);
	mvhline(0, 0, ' ', COLS);
	screen_put(s, 0, 1, COLS - 1, LOOK_TITLE,
		   "lines %d to %d of %d: arrows and Page Up, Page Down scroll, Esc closes", s->page_scroll + 1, last,
		   count);
	for (int row = 0; row < rows && s->page_scroll + row < count; row++) {
		const char *line = s->lines[(s->page_first + (u32)(s->page_scroll + row)) % OUTPUT_LINES];
		screen_put(s, row + 1, 0, COLS, LOOK_PLAIN, "%s", line ? line : "");
	}
}

bool page_key(struct screen *s, int key)
{
	switch (key) {
	case KEY_UP:
		s->page_scroll--;
		return true;
	case KEY_DOWN:
		s->page_scroll++;
		return true;
	case KEY_PPAGE:
		s->page_scroll -= rows_of_page() - 1;
		return true;
	case KEY_NPAGE:
		s->page_scroll += rows_of_page() - 1;
		return true;
	case KEY_HOME:
		s->page_scroll = 0;
		return true;
	case KEY_END:
		s->page_scroll = most_scroll(s);
		return true;
	case KEY_RESIZE:
		return false;
	case 27: /* Esc */
	case '\n':
	case '\r':
	case KEY_F(1):
	case KEY_F(2):
		s->page = false;
		return true;
	default:
		s->page = false;
		return false;
	}
}
