/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering lets registers that are never live together share a row. For native code their values are as different as the registers
 * were: each web of writes and the reads that they reach is a row of its own here.
 *
 *      mad.lo r7, r4, r5, r6       r7:  a thread's number, the same distance from lane to lane
 *      ld.global r7, [r13]         r7': what it has loaded
 *
 * Values are joined (union and find) where they come to one place on different ways, and where lanes have one while others wait that
 * will read another: the frame has one place for both, so that the mask must tell whose it is.
 */
#include "native/webs.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 1 << 22, WALK_MOST = 1 << 21 };

/* Values have numbers: row r as block b finds it has b * rows + r, so that what a kernel begins with has its row's number; writes come
 * behind these. */
struct webs {
	struct code_flow *f;
	u32 rows;    /* before */
	u32 *root;   /* by value: union and find */
	u32 count;   /* of values */
	u32 *now;    /* by row: its value, where the walk through a block is */
	u32 *row_of; /* by value, from `first_write` on */
	u32 first_write;
	u32 *numbers; /* by value that stands for a web: the web\'s; or NO_OPERAND */
	u32 web_count;
	u64 **written; /* by block: rows */
	struct block_walk walk;
	u32 walked;
};

static u32 find(const struct webs *w, u32 value)
{
	while (w->root[value] != value) {
		w->root[value] = w->root[w->root[value]];
		value = w->root[value];
	}
	return value;
}

/* The smaller number stands for both, so that a row's first value keeps its number. */
static void join(struct webs *w, u32 a, u32 b)
{
	a = find(w, a);
	b = find(w, b);
	if (a < b)
		w->root[b] = a;
	else
		w->root[a] = b;
}

static u32 found_value(const struct webs *w, u32 block, u32 row) { return block * w->rows + row; }

static u32 row_of(const struct webs *w, u32 value)
{
	return value < w->first_write ? value % w->rows : w->row_of[value - w->first_write];
}

/* --- Writes ------------------------------------------------------------------------------------- */

/* Operands name values from here on. A guarded write leaves lanes as they were: it goes on with the value. */
static void name_operands(struct webs *w, u32 b, struct step *s)
{
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].read && !s->operands[o].written)
			s->operands[o].row = w->now[s->operands[o].row];
	for (u32 o = 0; o < s->operand_count; o++) {
		const u32 row = s->operands[o].row;
		if (!s->operands[o].written)
			continue;
		if (!s->guarded && !s->operands[o].read) {
			w->row_of[w->count - w->first_write] = row;
			w->now[row] = w->count++;
		}
		row_add(w->written[b], row);
		s->operands[o].row = w->now[row];
	}
}

static void walk_block(struct webs *w, u32 b)
{
	const struct code_flow *f = w->f;
	const struct code_block *x = &f->blocks[b];

	for (u32 row = 0; row < w->rows; row++)
		w->now[row] = found_value(w, b, row);
	for (u32 k = x->first; k < x->end; k++)
		name_operands(w, b, &f->steps[k]);
	for (u32 s = 0; s < x->successor_count; s++)
		for (u32 row = 0; row < w->rows; row++)
			if (row_in(f->blocks[x->successors[s]].live, row))
				join(w, w->now[row], found_value(w, x->successors[s], row));
}

/* --- Lanes that wait ---------------------------------------------------------------------------- */

static bool any_in_both(const struct code_flow *f, const u64 *a, const u64 *b)
{
	for (u32 n = 0; n < f->words; n++)
		if (a[n] & b[n])
			return true;
	return false;
}

/* What block b finds or writes of rows that are live at block `at` is one value with what is read there. */
static void join_with_waiting(struct webs *w, u32 b, u32 at)
{
	const struct code_flow *f = w->f;
	const u64 *waiting = f->blocks[at].live;

	for (u32 n = 0; n < f->words; n++)
		for (u64 both = f->blocks[b].live[n] & waiting[n]; both; both &= both - 1) {
			const u32 row = 64 * n + (u32)__builtin_ctzll(both);
			join(w, found_value(w, b, row), found_value(w, at, row));
		}
	if (!any_in_both(f, w->written[b], waiting))
		return;
	for (u32 k = f->blocks[b].first; k < f->blocks[b].end; k++)
		for (u32 o = 0; o < f->steps[k].operand_count; o++) {
			const struct step_operand *x = &f->steps[k].operands[o];
			if (x->written && row_in(waiting, row_of(w, x->row)))
				join(w, x->row, found_value(w, at, row_of(w, x->row)));
		}
}

/* In all blocks from `from` on, up to `until`, lanes may wait that go on at block `at`. */
static void join_waiting(struct webs *w, u32 from, u32 until, u32 at)
{
	const bool waits = at < w->f->block_count && w->walked < WALK_MOST;
	const u32 count = waits ? flow_blocks_between(w->f, &w->walk, from, until) : 0;

	for (u32 k = 0; k < count; k++)
		join_with_waiting(w, w->walk.list[k], at);
	w->walked += count;
}

static void join_at_branch(struct webs *w, u32 b)
{
	const struct code_flow *f = w->f;
	const u32 last = f->blocks[b].end - 1;
	const struct insn *i = &f->code->insns[last];

	if (!f->steps[last].branches)
		return;
	const u32 until = f->block_of[last + i->b], target = f->block_of[last + (u32)i->imm];
	join_waiting(w, b + 1, until, until);
	join_waiting(w, target, until, until);
	join_waiting(w, b + 1, until, target);
}

/* --- New numbers -------------------------------------------------------------------------------- */

/* The number of a value's web: its row's, if a kernel begins with it. */
static u32 number_of(struct webs *w, u32 value)
{
	const u32 root = find(w, value);

	if (root < w->rows)
		return root;
	if (w->numbers[root] == NO_OPERAND)
		w->numbers[root] = w->web_count++;
	return w->numbers[root];
}

/* The row that value becomes, which is used with so many bits. */
static void note_row(struct webs *w, struct flow_row *rows, u32 value, u8 bits)
{
	const struct flow_row *old = &w->f->rows[row_of(w, value)];
	struct flow_row *r = &rows[number_of(w, value)];

	if (r - rows >= w->rows && r->bits < bits)
		*r = (struct flow_row){.offset = old->offset, .home = old->home, .bits = bits};
}

static void number_values(struct webs *w)
{
	const struct code_flow *f = w->f;

	for (u32 v = 0; v < w->count; v++)
		w->numbers[v] = NO_OPERAND;
	w->web_count = w->rows;
	for (u32 k = 0; k < f->code->insn_count; k++)
		for (u32 o = 0; o < f->steps[k].operand_count; o++)
			number_of(w, f->steps[k].operands[o].row);
	for (u32 b = 0; b < f->block_count; b++)
		for (u32 row = 0; row < w->rows; row++)
			if (row_in(f->blocks[b].live, row))
				number_of(w, found_value(w, b, row));
}

static void rename_rows(struct webs *w)
{
	struct code_flow *f = w->f;

	number_values(w);
	struct flow_row *rows = ARENA_ARRAY(f->arena, w->web_count + 1, struct flow_row);
	memcpy(rows, f->rows, w->rows * sizeof *rows);
	for (u32 k = 0; k < f->code->insn_count; k++)
		for (u32 o = 0; o < f->steps[k].operand_count; o++) {
			struct step_operand *x = &f->steps[k].operands[o];
			note_row(w, rows, x->row, x->bits);
			x->row = number_of(w, x->row);
		}
	for (u32 b = 0; b < f->block_count; b++) {
		u64 *live = ARENA_ARRAY(f->arena, w->web_count / 64 + 1, u64);
		for (u32 row = 0; row < w->rows; row++)
			if (row_in(f->blocks[b].live, row)) {
				note_row(w, rows, found_value(w, b, row), 1);
				row_add(live, number_of(w, found_value(w, b, row)));
			}
		f->blocks[b].live = live;
	}
	f->rows = rows;
	f->row_count = w->web_count;
	f->words = w->web_count / 64 + 1;
}

/* Whether it is known where all lanes that may part meet. */
static bool is_understood(const struct code_flow *f)
{
	for (u32 k = 0; k < f->code->insn_count; k++)
		if (f->steps[k].branches && (f->code->insns[k].b == NO_OPERAND || !f->steps[k].operand_count))
			return false;
	return true;
}

/* False: it has become too much, and operands have no numbers that count. */
static bool find_webs(struct webs *w)
{
	struct code_flow *f = w->f;

	for (u32 b = 0; b < f->block_count; b++)
		w->written[b] = ARENA_ARRAY(f->arena, f->words, u64);
	for (u32 b = 0; b < f->block_count; b++)
		walk_block(w, b);
	for (u32 b = 0; b < f->block_count; b++)
		join_at_branch(w, b);
	return w->walked < WALK_MOST;
}

void webs_part(struct code_flow *f)
{
	u64 writes = 0;

	for (u32 k = 0; k < f->code->insn_count; k++)
		writes += f->steps[k].operand_count;
	const u64 found = (u64)f->block_count * f->row_count, values = found + writes;
	if (!f->row_count || values > VALUES_MOST || !is_understood(f))
		return;
	u32 *memory = malloc((2 * values + writes + 1) * sizeof *memory);
	struct webs w = {.f = f,
			 .rows = f->row_count,
			 .root = memory,
			 .count = (u32)found,
			 .first_write = (u32)found,
			 .now = ARENA_ARRAY(f->arena, f->row_count, u32),
			 .written = ARENA_ARRAY(f->arena, f->block_count + 1, u64 *),
			 .walk = block_walk_new(f)};
	if (memory) {
		w.numbers = memory + values;
		w.row_of = memory + 2 * values;
		for (u64 v = 0; v < values; v++)
			memory[v] = (u32)v;
		if (!find_webs(&w))
			for (u32 v = 0; v < w.count; v++) /* one web for each row again */
				w.root[v] = row_of(&w, v);
		rename_rows(&w);
	}
	free(memory);
}
