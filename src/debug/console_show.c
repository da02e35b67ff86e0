/* SPDX-License-Identifier: Apache-2.0
 *
 * Disassembly, and pictures of lanes and accesses.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/console_internal.h"
#include "exec/run.h"
#include "report/picture.h"

const char *show_mask(u32 mask, char text[40])
{
	if (mask == FULL_MASK)
		return "all";
	snprintf(text, 40, "0x%08x", mask);
	return text;
}

void show_focus(struct console *c)
{
	const struct debug_focus f = debug_focus(c->d);
	u32 block[3], tid[3];

	debug_block_index(c->d, f.block, block);
	debug_thread_index(c->d, f.warp, f.lane, tid);
	fprintf(c->out, "[block (%u,%u,%u), warp %u, lane %u: thread (%u,%u,%u)]\n", block[0], block[1], block[2],
		f.warp, f.lane, tid[0], tid[1], tid[2]);
}

/* --- Disassembly ----------------------------------------------------------------------------------- */

static bool breaks_at(const struct debug *d, const struct debug_place *at)
{
	for (const struct debug_point *p = debug_first_point(d); p; p = p->next)
		for (u32 k = 0; p->kind == DEBUG_BREAK && k < p->place_count; k++)
			if (p->places[k].code == at->code && p->places[k].instruction == at->instruction)
				return true;
	return false;
}

static u32 lanes_at(const struct debug_split *splits, u32 count, const struct debug_place *at)
{
	u32 lanes = 0;

	for (u32 k = 0; k < count; k++)
		if (splits[k].place.code == at->code && splits[k].place.instruction == at->instruction)
			lanes |= splits[k].mask;
	return lanes;
}

static void show_label(struct console *c, const struct code *code, u32 k)
{
	for (size_t l = 0; l < code->function->labels.count; l++)
		if (code->function->labels.items[l]->target == k)
			fprintf(c->out, "%s%s:%s\n", colour_on(c, "32"), code->function->labels.items[l]->name,
				colour_off(c));
}

/* The source line before the instructions that came from it. */
static void show_loc(struct console *c, const struct debug_line *l, const struct debug_line *before)
{
	u32 length = 0;

	if (!l->loc_file ||
	    (before->loc_file && before->loc_line == l->loc_line && !strcmp(before->loc_file, l->loc_file)))
		return;
	const char *text = source_line(c, l->loc_file, l->loc_line, &length);
	fprintf(c->out, "%s%s:%u  %.*s%s\n", colour_on(c, "2"), l->loc_file, l->loc_line, (int)length, text ? text : "",
		colour_off(c));
}

COMMAND(disassemble)
{
	const struct debug_focus f = debug_focus(c->d);
	const struct warp *w = debug_warp(c->d, f.block, f.warp);
	struct debug_split splits[WARP_LANES];
	const u32 count = w ? debug_splits(c->d, w, splits) : 0;
	struct debug_place place;
	struct debug_line before = {0};

	if (*rest ? !debug_resolve(c->d, rest, &place, 1) : !debug_focus_place(c->d, &place))
		return *rest ? console_engine_error(c) : console_error(c, "no kernel is running");
	const struct code *code = place.code;
	fprintf(c->out, "%s:\n", debug_function_name(c->d, code));
	for (u32 k = 0; k < code->function->body.count; k++) {
		const struct debug_place at = {code, k};
		const struct debug_line l = debug_line(&at);
		const u32 lanes = lanes_at(splits, count, &at);
		const bool here = !*rest && k == place.instruction;
		show_loc(c, &l, &before);
		show_label(c, code, k);
		before = l;
		fprintf(c->out, "%s%s%c%4u  ", here ? colour_on(c, "1") : "", here ? "=>" : "  ",
			breaks_at(c->d, &at) ? '*' : ' ', k);
		fprintf(c->out, "%.*s", (int)l.length, l.text);
		if (lanes)
			fprintf(c->out, "\t%slanes 0x%08x%s", colour_on(c, "33"), lanes, colour_off(c));
		fprintf(c->out, "%s\n", here ? colour_off(c) : "");
	}
	return true;
}

/* --- Divergence ------------------------------------------------------------------------------------ */

static const char *const state_words[] = {[DEBUG_READY] = "ready",           [DEBUG_AT_WARP_SYNC] = "waits for lanes",
					  [DEBUG_AT_BARRIER] = "at barrier", [DEBUG_AT_CLUSTER] = "at cluster barrier",
					  [DEBUG_AT_JOIN] = "at join",       [DEBUG_ON_STACK] = "on the stack"};

const char *show_state(const struct debug_split *s, char text[64])
{
	if (s->state == DEBUG_AT_BARRIER)
		snprintf(text, 64, "at barrier %u", s->barrier);
	else if (s->state == DEBUG_ON_STACK)
		snprintf(text, 64, "waits on the stack, %s", stack_kind_name(s->stack));
	else if (s->state == DEBUG_AT_WARP_SYNC || s->state == DEBUG_AT_JOIN)
		snprintf(text, 64, "%s, for 0x%08x", s->state == DEBUG_AT_JOIN ? "waits to reconverge" : "waits",
			 s->waits_for);
	else
		snprintf(text, 64, "%s", s->next ? "next" : state_words[s->state]);
	return text;
}

/* One row for each split: which lanes, where. */
static void draw_split(struct console *c, const struct debug_split *s, u32 live)
{
	const struct debug_line l = debug_line(&s->place);
	char lanes[WARP_LANES + 1] = "", state[64];

	for (u32 k = 0; k < WARP_LANES; k++)
		lanes[k] = s->mask >> k & 1 ? '#' : live >> k & 1 ? '.' : ' ';
	fprintf(c->out, "%s%s%s  %s:%u\t%.*s  (%s)\n", s->next ? colour_on(c, "1") : "", lanes,
		s->next ? colour_off(c) : "", l.file ? l.file : "?", l.line, (int)l.length, l.text ? l.text : "the end",
		show_state(s, state));
}

COMMAND(divergence)
{
	const struct debug_focus f = debug_focus(c->d);
	const struct warp *w = debug_warp(c->d, f.block, f.warp);
	struct debug_split splits[WARP_LANES];

	(void)rest;
	if (!w)
		return console_error(c, "no kernel is running");
	const u32 count = debug_splits(c->d, w, splits);
	fprintf(c->out, "0       8       16      24    31\n");
	for (u32 k = 0; k < count; k++)
		draw_split(c, &splits[k], w->live);
	const u32 gone = w->initial_mask & ~w->live;
	if (gone)
		fprintf(c->out, "lanes 0x%08x have exited\n", gone);
	return true;
}

/* --- Accesses -------------------------------------------------------------------------------------- */

/* Sectors of 32 bytes: a row for each line of 128 bytes that the access touches. */
static void draw_lines(struct console *c, const struct account_site *site, const struct account_sample *s)
{
	u64 lines[2 * WARP_LANES];
	u32 count = 0, masks[2 * WARP_LANES] = {0};

	for (u32 left = s->mask; left; left &= left - 1) {
		const u64 a = s->address[__builtin_ctz(left)];
		for (u64 at = a / 32; at <= (a + site->width - 1) / 32; at++) {
			u32 k = 0;
			while (k < count && lines[k] != at / 4)
				k++;
			if (k == count && count < COUNT_OF(lines))
				lines[count++] = at / 4;
			if (k < count)
				masks[k] |= 1u << at % 4;
		}
	}
	for (u32 k = 0; k < count; k++) {
		fprintf(c->out, "  line %#llx: ", (unsigned long long)lines[k] * 128);
		for (u32 b = 0; b < 4; b++)
			fprintf(c->out, "[%s]", masks[k] >> b & 1 ? "########" : "        ");
		fputc('\n', c->out);
	}
}

COMMAND(access)
{
	const struct account_site *site;
	struct account_sample s;
	const bool last = !strcmp(rest, "last");

	if (*rest && !last)
		return console_error(c, "'%s' is not understood: 'last' may stand here", rest);

	if (!debug_access(c->d, last, &site, &s))
		return console_engine_error(c);
	const struct place_of p = accounting_place(site);
	fprintf(c->out, "%s:%u\t%.*s\n", p.file, p.line, (int)p.length, p.text);
	report_access(c->out, debug_accounting(c->d), site, &s);
	if (s.space == SPACE_GLOBAL)
		draw_lines(c, site, &s);
	return true;
}
