/* SPDX-License-Identifier: Apache-2.0
 *
 * The panes of the full screen.
 *
 * Each pane_NAME draws itself into a rectangle, from the debugger's state. The number beside a line of source is how
 * many lanes of the focused warp stand there; '*' is a breakpoint, '>' the focus.
 */
#include <ctype.h>
#include <string.h>

#include "screen/screen_internal.h"
#include "exec/grid.h"

static void title(const struct screen *s, const struct pane *p, const char *text)
{
	attrset(s->looks[LOOK_TITLE]);
	mvhline(p->y, p->x, ' ', p->width);
	screen_put(s, p->y, p->x + 1, p->width - 1, LOOK_TITLE, "%s", text);
}

/* --- Source ---------------------------------------------------------------------------------------------- */

/* The file and line of a place in one of its texts; NULL: it has none there. */
static const char *file_of(const struct debug_line *l, enum source_kind kind, u32 *line)
{
	*line = kind == SOURCE_CUDA ? l->loc_line : kind == SOURCE_BESIDE ? l->ptx_line : l->line;
	return kind == SOURCE_CUDA ? l->loc_file : kind == SOURCE_BESIDE ? l->ptx_file : l->file;
}

/* Is the place on that line? */
static bool is_on_line(const struct debug_place *p, enum source_kind kind, const char *file, u32 line)
{
	const struct debug_line at = debug_line(p);
	u32 own_line;
	const char *own = file_of(&at, kind, &own_line);

	return own && own_line == line && !strcmp(own, file);
}

/* Lanes of the focused warp whose next instruction is on that line. */
static u32 lanes_on_line(const struct debug_split *splits, u32 count, enum source_kind kind, const char *file, u32 line)
{
	u32 lanes = 0;

	for (u32 k = 0; k < count; k++)
		if (is_on_line(&splits[k].place, kind, file, line))
			lanes |= splits[k].mask;
	return lanes;
}

static bool breaks_on_line(const struct debug *d, enum source_kind kind, const char *file, u32 line)
{
	for (const struct debug_point *p = debug_first_point(d); p; p = p->next)
		for (u32 k = 0; p->kind == DEBUG_BREAK && p->enabled && k < p->place_count; k++)
			if (is_on_line(&p->places[k], kind, file, line))
				return true;
	return false;
}

/* Where the focus is, else where the program begins; false: there is no program. */
static bool shown_place(const struct screen *s, struct debug_place *place)
{
	if (debug_launch(s->d) && debug_focus_place(s->d, place))
		return true;
	if (!debug_program(s->d)->code_count)
		return false;
	*place = (struct debug_place){debug_program(s->d)->codes[0], 0};
	return true;
}

bool pane_has_cuda(const struct screen *s)
{
	struct debug_place place;
	u32 length;

	if (!shown_place(s, &place))
		return false;
	const struct debug_line l = debug_line(&place);
	return l.loc_file && console_source_line(s->c, l.loc_file, 1, &length);
}

bool pane_has_ptx(const struct screen *s)
{
	struct debug_place place;

	return shown_place(s, &place) && debug_line(&place).ptx_file;
}

static void draw_source_line(struct screen *s, const struct pane *p, int y, const char *file, u32 line,
			     enum source_kind kind, bool current, u32 lanes)
{
	u32 length;
	const char *text = console_source_line(s->c, file, line, &length);
	char number[8] = "";

	if (!text)
		return;
	if (lanes)
		snprintf(number, sizeof number, "%d", __builtin_popcount(lanes));
	const int at =
		screen_put(s, y, p->x, p->width, lanes ? LOOK_MARK : LOOK_DIM, "%c%2s%c%4u ",
			   breaks_on_line(s->d, kind, file, line) ? '*' : ' ', number, current ? '>' : ' ', line);
	screen_put(s, y, p->x + at, p->width - at, current ? LOOK_CURRENT : LOOK_PLAIN, "%.*s", (int)length, text);
}

void pane_source(struct screen *s, const struct pane *p, enum source_kind kind)
{
	const struct debug_focus f = debug_focus(s->d);
	const struct warp *w = debug_launch(s->d) ? debug_warp(s->d, f.block, f.warp) : NULL;
	struct debug_split splits[WARP_LANES];
	const u32 count = w ? debug_splits(s->d, w, splits) : 0;
	struct debug_place place;
	char head[300];

	if (!shown_place(s, &place))
		return;
	const struct debug_line here = debug_line(&place);
	u32 line;
	const char *file = file_of(&here, kind, &line);
	if (!file)
		return;
	if (kind == SOURCE_TEXT && here.loc_file)
		snprintf(head, sizeof head, "%s  (from %s:%u)", file, here.loc_file, here.loc_line);
	else
		snprintf(head, sizeof head, "%s", file);
	title(s, p, head);
	const int rows = p->height - 1;
	int first = (int)line - rows / 2 + s->source_scroll;
	first = first < 1 ? 1 : first;
	for (int k = 0; k < rows; k++)
		draw_source_line(s, p, p->y + 1 + k, file, (u32)(first + k), kind, w && (u32)(first + k) == line,
				 lanes_on_line(splits, count, kind, file, (u32)(first + k)));
}

/* --- Registers ---------------------------------------------------------------------------------------------- */

/* Whether the instruction's text names the register as a word of its own: %r1 is not named by %r12. */
static bool is_named(const struct debug_line *l, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = l->text; at && (at = memmem(at, (size_t)(l->text + l->length - at), name, length));
	     at++) {
		const char *end = at + length;
		const bool begins = at == l->text || !isalnum((unsigned char)at[-1]);
		const bool goes_on = end < l->text + l->length &&
				     (isalnum((unsigned char)*end) || *end == '_' || (*end == '.' && *name == '%'));
		if (begins && !goes_on)
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

/* A register is a row and a lane a column, from lane_scroll on; values that have changed since the stop before stand
 * out, and lanes that do not run are dim. */
void pane_registers(struct screen *s, const struct pane *p)
{
	const struct debug_focus f = debug_focus(s->d);
	u32 order[REGISTERS_MAX];
	struct debug_split split;
	char head[100];

	snprintf(head, sizeof head, "registers: block %llu, warp %u", (unsigned long long)f.block, f.warp);
	title(s, p, head);
	struct debug_frame frame;
	if (!debug_launch(s->d) || !debug_focus_frame(s->d, &frame))
		return;
	if (!debug_focus_split(s->d, &split))
		split.mask = 0; /* it has ended: what it held last */
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

/* The source's name for a variable of PTX, where it has one. */
static const char *source_name(const struct screen *s, const char *name)
{
	struct debug_local l;

	for (u32 k = 0; debug_local_at(s->d, k, debug_focus(s->d).lane, &l); k++)
		if (l.variable->linkage && !strcmp(l.variable->linkage, name))
			return l.variable->name;
	return name;
}

/* The kernel's first shared variable, or shared memory if it has any, else the first buffer with a name. */
static void choose_memory(const struct screen *s, char text[200])
{
	const struct launch *l = debug_launch(s->d);
	const struct warp *w = debug_current_warp(s->d);
	const struct kernel *kernel = l->kernel;

	text[0] = 0;
	if (s->memory[0])
		snprintf(text, 200, "%s", s->memory);
	for (u32 k = 0; k < kernel->place_count && !text[0]; k++)
		if (kernel->places[k].variable->space == SPACE_SHARED)
			snprintf(text, 200, "%s", source_name(s, kernel->places[k].variable->name));
	if (!text[0] && w && w->block->shared_bytes)
		snprintf(text, 200, "shared:%llu", (unsigned long long)kernel->reserved_shared);
	for (u32 k = 0; k < l->memory->count && !text[0]; k++)
		if (l->memory->list[k].name && !(l->memory->list[k].flags & ALLOCATION_READ_ONLY))
			snprintf(text, 200, "%s", l->memory->list[k].name);
	if (!text[0] && l->memory->count)
		snprintf(text, 200, "global:0x%llx", (unsigned long long)l->memory->list[0].base);
}

/* Columns that a value may take. */
static int value_width(u16 type, char format, u32 bytes)
{
	const char class = type_class(type);

	if (format == 't')
		return (int)(8 * bytes);
	if (format == 'x' || (!format && class != 'f' && class != 'u' && class != 's'))
		return (int)(2 * bytes);
	if (class == 'f' && (!format || format == 'f'))
		return bytes == 8 ? 22 : bytes == 4 ? 13 : 10;
	return bytes == 1 ? 4 : bytes == 2 ? 6 : bytes == 4 ? 11 : 20;
}

static void draw_value(struct screen *s, int y, int x, int width, const struct debug_memory_place *at, char format,
		       u32 lane)
{
	const u32 bytes = type_bits(at->type) < 8 ? 1 : type_bits(at->type) / 8;
	struct debug_value v = {.type = at->type};
	char text[160];
	u64 word;

	if (!debug_read(s->d, at->space, at->address, lane, v.bytes, bytes)) {
		screen_put(s, y, x, width, LOOK_DIM, "%*s", width, &"--------"[width < 8 ? 8 - width : 0]);
		return;
	}
	memcpy(&word, v.bytes, 8);
	const bool plain = type_class(at->type) == 'b' && bytes <= 8 && !format;
	if (plain)
		snprintf(text, sizeof text, "%0*llx", (int)(2 * bytes), (unsigned long long)word);
	else
		debug_format(&v, format, text, sizeof text);
	screen_put(s, y, x, width, LOOK_PLAIN, "%*s", width, text + (!plain && format == 'x' ? 2 : 0));
}

/* Values of the type that stands there, as many in a row as the window has room for, in fours. */
void pane_memory(struct screen *s, const struct pane *p)
{
	enum { ADDRESS = 13 };
	const u32 lane = debug_focus(s->d).lane;
	char text[200] = "", head[300];
	struct debug_memory_place at;

	if (debug_launch(s->d))
		choose_memory(s, text);
	if (!text[0] || !debug_find_address(s->d, text, lane, &at)) {
		snprintf(head, sizeof head, "memory: %s", text[0] ? text : "mem ADDRESS chooses");
		title(s, p, head);
		if (text[0])
			screen_put(s, p->y + 1, p->x, p->width, LOOK_DIM, "%s", debug_message(s->d));
		return;
	}
	/* Compilers declare all memory as bytes, whatever it holds. */
	if (at.type == T_b8 && at.size % 4 == 0 && at.address % 4 == 0)
		at.type = T_b32;
	snprintf(head, sizeof head, "memory: %s  .%s in %s", text, token_text(at.type), ir_space_name(at.space));
	title(s, p, head);
	const u32 bytes = type_bits(at.type) < 8 ? 1 : type_bits(at.type) / 8;
	const int width = value_width(at.type, s->memory_format, bytes);
	int columns = (p->width - ADDRESS) / (width + 1);
	columns = columns < 1 ? 1 : columns > 4 ? columns / 4 * 4 : columns;
	for (int row = 1; row < p->height; row++) {
		screen_put(s, p->y + row, p->x, ADDRESS, LOOK_MARK, "%12llx ", (unsigned long long)at.address);
		for (int k = 0; k < columns; k++, at.address += bytes)
			draw_value(s, p->y + row, p->x + ADDRESS + k * (width + 1), width, &at, s->memory_format, lane);
	}
}
