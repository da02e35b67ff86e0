/* SPDX-License-Identifier: Apache-2.0
 *
 * The panes of the full screen.
 */
#include <ctype.h>
#include <string.h>

#include "screen/screen_internal.h"
#include "exec/machine.h"

static void title(const struct screen *s, const struct pane *p, const char *text)
{
	attrset(s->looks[LOOK_TITLE]);
	mvhline(p->y, p->x, ' ', p->width);
	screen_put(s, p->y, p->x + 1, p->width - 1, LOOK_TITLE, "%s", text);
}

/* --- Source ---------------------------------------------------------------------------------------------- */

/* Lanes of the focused warp whose next instruction is on that line of the text. */
static u32 lanes_on_line(const struct debug_split *splits, u32 count, const char *file, u32 line)
{
	u32 lanes = 0;

	for (u32 k = 0; k < count; k++) {
		const struct debug_line at = debug_line(&splits[k].place);
		if (at.file && at.line == line && !strcmp(at.file, file))
			lanes |= splits[k].mask;
	}
	return lanes;
}

static bool breaks_on_line(const struct debug *d, const char *file, u32 line)
{
	for (const struct debug_point *p = debug_first_point(d); p; p = p->next)
		for (u32 k = 0; p->kind == DEBUG_BREAK && p->enabled && k < p->place_count; k++) {
			const struct debug_line at = debug_line(&p->places[k]);
			if (at.line == line && !strcmp(at.file, file))
				return true;
		}
	return false;
}

void pane_source(struct screen *s, const struct pane *p)
{
	const struct debug_focus f = debug_focus(s->d);
	const struct warp *w = debug_launch(s->d) ? debug_warp(s->d, f.block, f.warp) : NULL;
	struct debug_split splits[WARP_LANES];
	const u32 count = w ? debug_splits(s->d, w, splits) : 0;
	struct debug_place place;
	char head[300];

	if (!debug_launch(s->d) || !debug_focus_place(s->d, &place)) {
		if (!debug_program(s->d)->code_count)
			return;
		place = (struct debug_place){debug_program(s->d)->codes[0], 0};
	}
	const struct debug_line here = debug_line(&place);
	if (!here.file)
		return;
	if (here.loc_file)
		snprintf(head, sizeof head, "%s  (from %s:%u)", here.file, here.loc_file, here.loc_line);
	else
		snprintf(head, sizeof head, "%s", here.file);
	title(s, p, head);
	const int rows = p->height - 1;
	int first = (int)here.line - rows / 2 + s->source_scroll;
	first = first < 1 ? 1 : first;
	for (int k = 0; k < rows; k++) {
		const u32 line = (u32)(first + k);
		u32 length;
		const char *text = debug_source_text(s->d, here.file, line, &length);
		if (!text)
			break;
		const bool current = w && line == here.line;
		const u32 lanes = lanes_on_line(splits, count, here.file, line);
		char number[8] = "";
		if (lanes)
			snprintf(number, sizeof number, "%d", __builtin_popcount(lanes));
		const int y = p->y + 1 + k;
		const int at = screen_put(s, y, p->x, p->width, lanes ? LOOK_MARK : LOOK_DIM, "%c%2s%c%4u ",
					  breaks_on_line(s->d, here.file, line) ? '*' : ' ', number,
					  current ? '>' : ' ', line);
		screen_put(s, y, p->x + at, p->width - at, current ? LOOK_CURRENT : LOOK_PLAIN, "%.*s", (int)length,
			   text);
	}
}

/* --- Registers ---------------------------------------------------------------------------------------------- */

static bool is_named(const struct debug_line *l, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = l->text; at && (at = memmem(at, (size_t)(l->text + l->length - at), name, length));
	     at++) {
		const char *end = at + length;
		if (end >= l->text + l->length || !(isalnum((unsigned char)*end) || *end == '_' || *end == '.'))
			return true;
	}
	return false;
}

/* Those that the instruction names come first. */
static u32 order_registers(struct screen *s, u32 order[REGISTERS_MAX])
{
	struct debug_register r;
	struct debug_place place;
	struct debug_line line = {0};
	u32 count = 0, total = 0;

	if (debug_focus_place(s->d, &place))
		line = debug_line(&place);
	while (total < REGISTERS_MAX && debug_register_at(s->d, total, &r))
		total++;
	for (int named = 1; named >= 0; named--)
		for (u32 k = 0; k < total; k++)
			if (debug_register_at(s->d, k, &r) && is_named(&line, r.name) == named)
				order[count++] = k;
	return count;
}

/* Keeps what was shown at the stop before, if this stop is another one of the same warp and function. */
static void remember_registers(struct screen *s)
{
	const struct debug_focus f = debug_focus(s->d);
	struct debug_register r;
	struct debug_place place = {0};

	debug_focus_place(s->d, &place);
	const bool same =
		s->shown_code == place.code && s->shown_focus.block == f.block && s->shown_focus.warp == f.warp;
	if (same && s->shown_position == debug_position(s->d))
		return;
	s->shown_count = same ? s->newest_count : 0;
	memcpy(s->shown, s->newest, sizeof s->shown);
	for (s->newest_count = 0; s->newest_count < REGISTERS_MAX && debug_register_at(s->d, s->newest_count, &r);
	     s->newest_count++)
		for (u32 lane = 0; lane < WARP_LANES; lane++) {
			const struct debug_value v = debug_register_lane(s->d, &r, lane);
			memcpy(&s->newest[s->newest_count][lane], v.bytes, 8);
		}
	s->shown_code = place.code;
	s->shown_focus = f;
	s->shown_position = debug_position(s->d);
}

enum { NAME_COLUMNS = 12, LANE_COLUMNS = 11 };

/* A lane's value in one column; of a longer one the end. */
static void format_lane(const struct screen *s, const struct debug_register *r, u32 lane, char text[64])
{
	const struct debug_value v = debug_register_lane(s->d, r, lane);

	debug_format(&v, 0, text, 64);
	const size_t length = strlen(text);
	if (length >= LANE_COLUMNS) {
		memmove(text + 1, text + length - (LANE_COLUMNS - 2), LANE_COLUMNS - 1);
		text[0] = '~';
	}
}

/* A predicate is a picture of the lanes in which it holds. */
static void draw_predicate(struct screen *s, const struct pane *p, int y, const struct debug_register *r, u32 index,
			   u32 active)
{
	for (u32 lane = 0; lane < WARP_LANES; lane++) {
		const bool holds = debug_register_lane(s->d, r, lane).bytes[0] & 1;
		const bool changed = index < s->shown_count && s->shown[index][lane] != s->newest[index][lane];
		const int x = NAME_COLUMNS + 1 + (int)lane;
		if (x < p->width)
			screen_put(s, y, p->x + x, 1,
				   changed              ? LOOK_CHANGED
				   : active >> lane & 1 ? LOOK_PLAIN
							: LOOK_DIM,
				   "%c", holds ? '#' : '.');
	}
}

static void draw_register(struct screen *s, const struct pane *p, int y, u32 index, u32 active)
{
	struct debug_register r;
	char text[64];
	int x = NAME_COLUMNS;

	if (!debug_register_at(s->d, index, &r))
		return;
	screen_put(s, y, p->x, NAME_COLUMNS, LOOK_MARK, "%-11s", r.name);
	if (r.place.bits == 1) {
		draw_predicate(s, p, y, &r, index, active);
		return;
	}
	for (u32 lane = (u32)s->lane_scroll; lane < WARP_LANES && x + LANE_COLUMNS <= p->width;
	     lane++, x += LANE_COLUMNS) {
		format_lane(s, &r, lane, text);
		const bool changed = index < s->shown_count && s->shown[index][lane] != s->newest[index][lane];
		screen_put(s, y, p->x + x, LANE_COLUMNS,
			   changed              ? LOOK_CHANGED
			   : active >> lane & 1 ? LOOK_PLAIN
						: LOOK_DIM,
			   "%*s", LANE_COLUMNS, text);
	}
}

void pane_registers(struct screen *s, const struct pane *p)
{
	const struct debug_focus f = debug_focus(s->d);
	u32 order[REGISTERS_MAX];
	struct debug_split split;
	char head[100];

	snprintf(head, sizeof head, "registers: block %llu, warp %u", (unsigned long long)f.block, f.warp);
	title(s, p, head);
	if (!debug_launch(s->d) || !debug_focus_split(s->d, &split))
		return;
	remember_registers(s);
	const u32 count = order_registers(s, order), rows = p->height > 2 ? (u32)p->height - 2 : 0;
	if (s->register_scroll > (int)count - 1)
		s->register_scroll = count ? (int)count - 1 : 0;
	const u32 first = (u32)s->register_scroll;
	int x = NAME_COLUMNS;
	for (u32 lane = (u32)s->lane_scroll; lane < WARP_LANES && x + LANE_COLUMNS <= p->width;
	     lane++, x += LANE_COLUMNS)
		screen_put(s, p->y + 1, p->x + x, LANE_COLUMNS,
			   lane == f.lane           ? LOOK_CURRENT
			   : split.mask >> lane & 1 ? LOOK_PLAIN
						    : LOOK_DIM,
			   "%*s%2u", LANE_COLUMNS - 2, "lane ", lane);
	for (u32 k = first; k < count && k < first + rows; k++)
		draw_register(s, p, p->y + 2 + (int)(k - first), order[k], split.mask);
}

/* --- Warps -------------------------------------------------------------------------------------------------- */

static const char *state_word(const struct debug_split *s)
{
	static const char *const words[] = {[DEBUG_READY] = "",
					    [DEBUG_AT_WARP_SYNC] = "warp sync",
					    [DEBUG_AT_BARRIER] = "barrier",
					    [DEBUG_AT_CLUSTER] = "cluster barrier",
					    [DEBUG_AT_JOIN] = "join",
					    [DEBUG_ON_STACK] = "stack"};

	return words[s->state];
}

/* One row for each split of a warp, its lanes as a picture. */
static int draw_warp(struct screen *s, const struct pane *p, int row, const struct block *b, u32 index)
{
	const struct debug_focus f = debug_focus(s->d);
	const struct warp *w = debug_warp(s->d, b->index, index);
	struct debug_split splits[WARP_LANES];
	char lanes[WARP_LANES + 1];

	if (!w || !w->live)
		return row;
	const bool focused = f.block == b->index && f.warp == index;
	const u32 count = debug_splits(s->d, w, splits);
	for (u32 k = 0; k < count && row < p->height; k++) {
		for (u32 lane = 0; lane < WARP_LANES; lane++)
			lanes[lane] = splits[k].mask >> lane & 1 ? '#' : w->live >> lane & 1 ? '.' : ' ';
		lanes[WARP_LANES] = 0;
		const struct debug_line l = debug_line(&splits[k].place);
		screen_put(s, p->y + row++, p->x, p->width, focused ? LOOK_CURRENT : LOOK_PLAIN, "%c%llu/%-2u%5u %s %s",
			   focused ? '>' : ' ', (unsigned long long)b->index, index, l.line, lanes,
			   state_word(&splits[k]));
	}
	return row;
}

void pane_warps(struct screen *s, const struct pane *p)
{
	const struct block *blocks[64];
	const struct debug_focus f = debug_focus(s->d);
	int row = 1;

	title(s, p, "block/warp, line, lanes");
	if (!debug_launch(s->d))
		return;
	u32 count = debug_blocks(s->d, blocks, COUNT_OF(blocks));
	count = count < COUNT_OF(blocks) ? count : (u32)COUNT_OF(blocks);
	/* The focused warp first, then those after it, then the other blocks. */
	for (int pass = 0; pass < 2; pass++)
		for (u32 k = 0; k < count; k++) {
			const bool here = blocks[k]->index == f.block;
			if (here != (pass == 0))
				continue;
			for (u32 w = here ? f.warp : 0; w < blocks[k]->warp_count && row < p->height; w++)
				row = draw_warp(s, p, row, blocks[k], w);
			for (u32 w = 0; here && w < f.warp && row < p->height; w++)
				row = draw_warp(s, p, row, blocks[k], w);
		}
}

/* --- Memory -------------------------------------------------------------------------------------------------- */

/* Shared memory if the kernel has any, else the first buffer. */
static void choose_memory(const struct screen *s, char text[200])
{
	const struct launch *l = debug_launch(s->d);
	const struct warp *w = debug_current_warp(s->d);

	if (s->memory[0])
		snprintf(text, 200, "%s", s->memory);
	else if (w && w->block->shared_bytes)
		snprintf(text, 200, "shared:%llu", (unsigned long long)l->kernel->reserved_shared);
	else if (l->memory->count)
		snprintf(text, 200, "global:0x%llx", (unsigned long long)l->memory->list[0].base);
	else
		text[0] = 0;
}

void pane_memory(struct screen *s, const struct pane *p)
{
	const u32 lane = debug_focus(s->d).lane;
	char text[200] = "", head[240];
	struct debug_memory_place at;

	if (debug_launch(s->d))
		choose_memory(s, text);
	snprintf(head, sizeof head, "memory: %s", text[0] ? text : "mem ADDRESS chooses");
	title(s, p, head);
	if (!text[0])
		return;
	if (!debug_find_address(s->d, text, lane, &at)) {
		screen_put(s, p->y + 1, p->x, p->width, LOOK_DIM, "%s", debug_message(s->d));
		return;
	}
	const int words = (p->width - 15) / 9 >= 8 ? 8 : (p->width - 15) / 9 >= 4 ? 4 : 2;
	for (int row = 1; row < p->height; row++) {
		int x = screen_put(s, p->y + row, p->x, p->width, LOOK_MARK, "%12llx ", (unsigned long long)at.address);
		for (int k = 0; k < words; k++, at.address += 4) {
			u32 word;
			if (debug_read(s->d, at.space, at.address, lane, &word, 4))
				x += screen_put(s, p->y + row, p->x + x, p->width - x, LOOK_PLAIN, " %08x", word);
			else
				x += screen_put(s, p->y + row, p->x + x, p->width - x, LOOK_DIM, " --------");
		}
	}
}
