/* SPDX-License-Identifier: Apache-2.0
 *
 * What the compiler gets of a region. Rows are numbered anew in each; liveness says which must be loaded where it is entered, and stored
 * where a warp may leave it: at the end, before accesses that fault, where the time slice is over. Lanes that wait at a join while others
 * run keep their rows, too.
 */
#include <string.h>

#include "decode/form_address.h"
#include "exec/grid.h"
#include "isa/form.h"
#include "isa/machine.h"
#include "native/affine.h"
#include "native/ahead.h"
#include "native/costs.h"
#include "native/growth.h"
#include "native/proven.h"
#include "native/reaches.h"
#include "native/spots.h"
#include "native/through.h"
#include "native/window.h"

struct making {
	struct growth *g;
	const struct code_flow *f;
	struct region *r;
	u32 *flow_of;  /* region's number of a row to flow's */
	u64 **waits;   /* by block of the region: rows (flow's numbers) that waiting lanes will read, */
	u64 **held;    /* and with these what scaled ones among them are made of */
	u64 *end_live; /* rows live where the region ends */
	bool affine;   /* what is known of affine rows holds here */
	bool parts;    /* lanes may part */
	bool agrees;   /* they never have in the trial */
	bool clashes;  /* two rows of one place are live together */
};

/* The region's number of a block; blocks outside of it all stand for its end. */
static u32 region_block(const struct making *m, u32 b)
{
	const struct growth *g = m->g;

	return b < m->f->block_count && in_region(g, b) && g->number[b] < g->good ? g->number[b] : g->good;
}

static bool is_barrier(const struct code *code, u32 offset)
{
	enum { BARRIERS = 16 };

	return code->steps && offset - code->barrier_rows < BARRIERS * WARP_LANES * 4;
}

static u32 region_row(struct making *m, u32 row);

/* Whether a row is made of others here: its base is the same in all lanes only where affine rows are what they have been taken for, and
 * its parts are there only where all instructions that make it are. */
static bool is_scaled(const struct making *m, u32 row)
{
	const u64 *enter = m->f->blocks[m->g->list[0]].live;

	while (m->affine && row != NO_OPERAND && m->f->rows[row].scaled && !row_in(enter, row)) {
		if (m->f->rows[row].via == NO_OPERAND)
			return true;
		row = m->f->rows[row].via;
	}
	return false;
}

static void make_scaled(struct making *m, const struct flow_row *from, u32 own)
{
	const u32 index = region_row(m, from->index),
		  base = from->base == NO_OPERAND ? NO_OPERAND : region_row(m, from->base);
	struct region_row *to = &m->r->rows[own];

	to->scaled = true;
	to->is_signed = from->is_signed;
	to->shift = from->shift;
	to->from = from->from;
	to->index = index;
	to->base = base;
}

/* Numbers are given in the order of use, so that a region's rows are dense. */
static u32 region_row(struct making *m, u32 row)
{
	const struct flow_row *from = &m->f->rows[row];

	if (!m->g->row_of[row]) {
		const u32 own = m->r->row_count++;
		m->flow_of[own] = row;
		m->g->row_of[row] = own + 1;
		m->r->rows[own] = (struct region_row){.offset = from->offset,
						      .bits = from->bits,
						      .constant = from->constant,
						      .barrier = is_barrier(m->f->code, from->offset),
						      .value = from->value,
						      .affine = m->affine && from->affine && !from->constant,
						      .step = from->step,
						      .distances = from->distances,
						      .of_block = m->affine && from->of_block && !from->constant};
		if (is_scaled(m, row))
			make_scaled(m, from, own);
	}
	return m->g->row_of[row] - 1;
}

/* Rows live before instruction k, by the flow's numbers. */
static void live_before(const struct code_flow *f, u32 k, u64 *live)
{
	const struct code_block *x = &f->blocks[f->block_of[k]];

	if (k == x->first) {
		memcpy(live, x->live, f->words * sizeof *live);
		return;
	}
	code_flow_behind(f, x, live);
	for (u32 n = x->end; n-- > k;)
		code_flow_before(f, n, live);
}

static void add_rows(const struct code_flow *f, u64 *to, const u64 *from)
{
	for (u32 w = 0; w < f->words; w++)
		to[w] |= from[w];
}

/* What is live where lanes wait for others: at the region's block b (of the flow) or at its end. */
static const u64 *live_at(const struct making *m, u32 b)
{
	return region_block(m, b) == m->g->good ? m->end_live : m->f->blocks[b].live;
}

/* All blocks that run from block `from` on before `join`: lanes wait there that will read `rows`. */
static void lanes_wait(struct making *m, u32 from, u32 join, const u64 *rows)
{
	struct growth *g = m->g;
	u32 depth = 0;

	g->visit++;
	if (from == join || region_block(m, from) == g->good)
		return;
	g->seen[from] = g->visit;
	g->stack[depth++] = from;
	while (depth) {
		const u32 b = g->stack[--depth];
		add_rows(m->f, m->waits[region_block(m, b)], rows);
		for (u32 s = 0; s < m->f->blocks[b].successor_count; s++) {
			const u32 to = m->f->blocks[b].successors[s];
			if (to == join || region_block(m, to) == g->good || g->seen[to] == g->visit)
				continue;
			g->seen[to] = g->visit;
			g->stack[depth++] = to;
		}
	}
}

/* Whether block b's branch takes all lanes one way. */
static bool branches_as_one(const struct making *m, u32 b)
{
	return m->affine && m->f->rows[last_step(m->f, b)->operands[0].row].affine;
}

/* Whether lanes may part at the end of block b. Of machine code the BSYNC at which they meet must be in the region. */
static bool may_part(const struct making *m, u32 b)
{
	const struct step *s = last_step(m->f, b);

	return s->kind == STEP_BRANCH_IF && s->parts && !m->agrees && !branches_as_one(m, b) &&
	       m->g->cut != m->f->blocks[b].end - 1 &&
	       (!m->f->code->steps || region_block(m, join_of(m->f, b)) != m->g->good);
}

/* Whether lanes part nowhere in the region, as far as the trial has shown, as where all that lanes ask is whether they are within a launch's bound.
 * Then all run everywhere, which makes less code, and faster. */
static bool is_agreed(const struct making *m)
{
	const u8 *shapes = m->f->shapes;
	bool may = false;

	for (u32 n = 0; n < m->g->good; n++) {
		const u32 b = m->g->list[n];
		if (!may_part(m, b))
			continue;
		if (!shapes || shapes[m->f->blocks[b].end - 1] != (SHAPE_KNOWN | SHAPE_SAME))
			return false;
		may = true;
	}
	return may && !m->f->code->steps;
}

/* Lanes that wait at a join while others run need their rows kept: what they will read counts as live meanwhile. In PTX those that
 * branch run last; in machine code, whichever are fewer. */
static void find_waits(struct making *m)
{
	const struct growth *g = m->g;

	for (u32 n = 0; n < g->good; n++) {
		const u32 b = g->list[n], last = m->f->blocks[b].end - 1;
		if (!may_part(m, b))
			continue;
		const u32 join = join_of(m->f, b), target = m->f->block_of[last + (u32)m->f->code->insns[last].imm];
		lanes_wait(m, b + 1, join, live_at(m, join));
		lanes_wait(m, target, join, live_at(m, join));
		if (target != join)
			lanes_wait(m, b + 1, join, live_at(m, target));
		if (m->f->code->steps)
			lanes_wait(m, target, join, live_at(m, b + 1));
	}
}

static void find_held(struct making *m)
{
	const struct code_flow *f = m->f;

	for (u32 n = 0; n < m->g->good; n++) {
		memcpy(m->held[n], m->waits[n], f->words * sizeof *m->held[n]);
		for (u32 row = 0; row < f->row_count; row++) {
			if (!f->rows[row].scaled || !row_in(m->waits[n], row))
				continue;
			row_add(m->held[n], f->rows[row].index);
			if (f->rows[row].base != NO_OPERAND)
				row_add(m->held[n], f->rows[row].base);
		}
	}
}

static bool is_move(const struct form *f)
{
	return f->row->flags & ISA_MEMORY && !(f->row->flags & ISA_ATOMIC) &&
	       f->row->traits & (TRAIT_LOADS | TRAIT_STORES) &&
	       (f->layout == LAYOUT_MEMORY || f->layout == LAYOUT_MEMORY_LIST);
}

static void note_proven(const struct making *m, u32 k, struct region_insn *x)
{
	x->affine = m->affine && affine_step(m->f, &m->f->steps[k]);
	if (!x->moves)
		return;
	if (m->g->lean)
		x->shapes = lean_shapes(m->f, x->shapes);
	const u8 others = x->shapes ? x->shapes & SHAPE_OTHER : SHAPE_OTHER;
	x->proven = proven_find(m->f, k, m->affine);
	if (x->affine)
		x->shapes = SHAPE_KNOWN | SHAPE_SAME;
	else if (x->proven == PROVEN_WINDOW)
		x->shapes = SHAPE_KNOWN;
	else if (x->proven == PROVEN_ROW || x->proven == PROVEN_SAME)
		x->shapes = SHAPE_KNOWN | others | (x->proven == PROVEN_ROW ? SHAPE_ROW : SHAPE_SAME);
}

/* Words that do not fit the instruction. */
static void make_list(struct making *m, const struct step *s, struct region_insn *to)
{
	const struct code_flow *f = m->f;
	const u8 layout = s->form ? s->form->layout : LAYOUT_LIST;
	const u32 *list = f->code->operands + (layout == LAYOUT_LIST ? (u32)to->plain->imm : to->plain->b);

	if (to->proven == PROVEN_WINDOW)
		to->list = window_make(f, s, address_of(f, s), &to->list_count);
	if (layout != LAYOUT_LIST && layout != LAYOUT_MEMORY_LIST)
		return;
	if (!s->form)
		to->list_count = s->words;
	else if (layout == LAYOUT_LIST)
		to->list_count = s->form->operand_count + s->form->immediate_count;
	else
		to->list_count = s->form->operand_count - 2u;
	u32 *own = ARENA_ARRAY(f->arena, to->list_count + 1, u32);
	if (to->list_count)
		memcpy(own, list, to->list_count * sizeof *own);
	to->list = own;
}

/* What its form says; a handler of machine code has none, and neither accesses memory nor computes with the host's floats. */
static void make_by_form(const struct making *m, u32 k, struct region_insn *to)
{
	const struct step *s = &m->f->steps[k];
	const struct form *form = s->form;

	to->hoisted = s->alone;
	to->ends_alone = !(s->together || (form && form->row->flags & ISA_ATOMIC) || m->f->code->call_count);
	if (!s->alone && (!form || form->layout != LAYOUT_LIST || s->together || !(form->row->flags & ISA_MEMORY)))
		to->meaning = s->meaning->name;
	if (!form)
		return;
	to->of_floats = form_has_floats(form);
	to->accesses = form->row->flags & ISA_MEMORY;
	to->moves = is_move(form);
	to->place = m->g->places;
	m->g->places = (m->g->places + to->accesses) % ALLOCATION_CACHE;
	note_proven(m, k, to);
}

static bool reads_scaled(const struct making *m, const struct step *s)
{
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].read && is_scaled(m, s->operands[o].row))
			return true;
	return false;
}

/* `merges`: the destination has values in other lanes, guarded or waiting, that must survive; or it depends on the lanes that run. */
static void make_insn(struct making *m, u32 block, u32 k, struct region_insn *to)
{
	const struct code_flow *f = m->f;
	const struct step *s = &f->steps[k];
	struct region_operand *operands = ARENA_ARRAY(f->arena, s->operand_count + 1, struct region_operand);

	struct insn *plain = ARENA_NEW(f->arena, struct insn);
	*plain = f->code->insns[k];
	if (s->sums)
		plain->d = NO_OPERAND;
	*to = (struct region_insn){.plain = plain,
				   .number = k,
				   .operands = operands,
				   .guard = NO_OPERAND,
				   .prefixed = s->prefixed,
				   .whole = s->whole,
				   .together = s->together,
				   .told = s->told,
				   .repeat = s->repeat,
				   .merges = s->by_mask,
				   .shapes = f->shapes ? f->shapes[k] : 0};
	make_by_form(m, k, to);
	make_list(m, s, to);
	if (s->guarded) {
		to->guard_told = f->steps[k - 1].told;
		to->guard = region_row(m, f->steps[k - 1].operands[0].row);
		to->guard_negated = f->code->insns[k - 1].aux & 1;
		to->merges |= !s->whole;
	}
	for (u32 o = 0; o < s->operand_count; o++) {
		const struct step_operand *x = &s->operands[o];
		if (is_part_of_scaled(x) && !reads_scaled(m, s))
			break;
		const struct region_operand own = {region_row(m, x->row),
						   x->bits,
						   x->place,
						   x->read,
						   x->written,
						   to->affine ? affine_widened(f, s, x) : 0};
		operands[to->operand_count++] = own;
		to->may_wrap |= own.widened;
		to->ends_alone &= !own.widened;
		to->merges |= x->written && !s->whole && row_in(m->held[block], x->row);
		m->r->rows[own.row].written |= x->written;
		to->scales |= x->written && m->r->rows[own.row].scaled;
	}
}

static void make_branch(struct making *m, u32 b, const struct step *s, struct region_block *to)
{
	const struct insn *i = &m->f->code->insns[m->f->blocks[b].end - 1];

	to->condition = region_row(m, s->operands[0].row);
	to->negated = s->negated & 1;
	if (s->operand_count > 1) {
		to->second = region_row(m, s->operands[1].row);
		to->second_negated = s->negated & 2;
	}
	to->uniform = branches_as_one(m, b);
	to->parts = may_part(m, b);
	to->fewer_first = m->f->code->steps && i->aux & MACHINE_FEWER_FIRST;
	to->join = to->parts ? region_block(m, join_of(m->f, b)) : NO_BLOCK_NUMBER;
}

/* How the block ends; a fall-through is not an end of its own. */
static void make_end(struct making *m, u32 b, struct region_block *to, u32 last)
{
	const struct code_flow *f = m->f;
	const struct insn *i = &f->code->insns[last];
	const u8 kind = f->steps[last].kind;

	to->end_told = kind != STEP_PLAIN && kind != STEP_NOTHING ? f->steps[last].told : NATIVE_SILENT;
	if (kind == STEP_BRANCH || kind == STEP_BRANCH_IF) {
		to->end = kind == STEP_BRANCH ? REGION_JUMP : REGION_BRANCH;
		to->run = i->run;
		to->backward = i->imm <= 0;
		to->target = region_block(m, f->block_of[last + (u32)i->imm]);
	} else if (kind == STEP_COUNT) {
		to->run = i->run;
	}
	if (kind == STEP_BRANCH_IF)
		make_branch(m, b, &f->steps[last], to);
}

static void make_hoisted(struct making *m, u32 k, struct region_insn *to)
{
	const struct code_flow *f = m->f;
	struct insn *plain = ARENA_NEW(f->arena, struct insn);

	*plain = f->code->insns[k];
	*to = (struct region_insn){.plain = plain,
				   .number = k,
				   .guard = NO_OPERAND,
				   .hoisted = true,
				   .told = f->steps[k].told,
				   .repeat = f->steps[k].repeat};
}

/* Whether all lanes are there whenever block n runs: the region's first that no other leads to, or any where none may part. */
static bool runs_whole(const struct making *m, u32 n)
{
	const struct code_block *x = &m->f->blocks[m->g->list[n]];
	bool whole = !n;

	for (u32 k = 0; k < x->predecessor_count; k++)
		whole &= region_block(m, x->predecessors[k]) >= m->g->good;
	return whole || !m->parts;
}

/* By a row that is known, so that all lanes go where the first one's address tells. What may be another block's memory is no fault. */
static bool is_known_near(const struct making *m, const struct region_insn *x)
{
	const struct step *s = &m->f->steps[x->number];
	const struct flow_row *address = x->moves ? address_of(m->f, s) : NULL;

	return address && address->bits == 32 && form_space(s->form) == SPACE_SHARED && x->guard == NO_OPERAND &&
	       !form_has(s->form, M_shared_cluster) && x->proven != PROVEN_NOTHING && x->proven != PROVEN_ALONG;
}

static void note_leaving(const struct making *m, u32 n, struct region_block *to)
{
	if (m->f->code->steps || !runs_whole(m, n))
		return;
	for (u32 k = 0; k < to->insn_count; k++)
		to->insns[k].leaves = is_known_near(m, &to->insns[k]);
}

static void make_block(struct making *m, u32 n)
{
	const struct code_flow *f = m->f;
	const u32 b = m->g->list[n], cut = m->g->cut && n + 1 == m->g->good ? m->g->cut : 0;
	const u32 first = f->blocks[b].first, end = cut ? cut : f->blocks[b].end;
	struct region_block *to = &m->r->blocks[n];

	*to = (struct region_block){
		.at = first,
		.at_end = end - 1,
		.insns = ARENA_ARRAY(f->arena, end - first + 1, struct region_insn),
		.joins = f->steps[first].kind == STEP_JOIN,
		.join_run = f->code->steps && f->steps[first].kind == STEP_JOIN ? f->code->insns[first].run : 0,
		.second = NO_OPERAND,
		.join = NO_BLOCK_NUMBER,
		.next = cut ? m->g->good : region_block(m, b + 1)};
	for (u32 k = first; k < end; k++)
		if (f->steps[k].kind == STEP_PLAIN)
			make_insn(m, n, k, &to->insns[to->insn_count++]);
		else if (f->steps[k].kind == STEP_NOTHING && f->steps[k].told)
			make_hoisted(m, k, &to->insns[to->insn_count++]);
	region_note_reaches(m->r, to);
	note_leaving(m, n, to);
	region_note_spots(f, m->r, to);
	if (!cut)
		make_end(m, b, to, end - 1);
}

/* The region's own numbers of the rows in `live` that it writes. */
static const u64 *own_rows(struct making *m, const u64 *live)
{
	u64 *own = ARENA_ARRAY(m->f->arena, m->r->words, u64);

	m->g->mark++;
	for (u32 n = 0; n < m->r->row_count; n++) {
		if (!row_in(live, m->flow_of[n]) || !m->r->rows[n].written)
			continue;
		u32 *mark = &m->g->marks[m->f->rows[m->flow_of[n]].home];
		m->clashes |= *mark == m->g->mark;
		*mark = m->g->mark;
		row_add(own, n);
	}
	return own;
}

enum { LEAVING_MOST = 4 };

static u32 count_rows(const struct region *r, const u64 *rows)
{
	u32 count = 0;

	for (u32 w = 0; w < r->words; w++)
		count += (u32)__builtin_popcountll(rows[w]);
	return count;
}

/* Of the rows that are live before instruction k those that must be there when a warp leaves. An access does so only for a fault, which
 * the interpreter tells when it runs the instruction again: that reads its own rows and its guard, and nothing comes after it.
 * All rows are kept by atomic operations, which may leave without a fault, and where calls, as of malloc and free by warps that run
 * meanwhile, may have the fault go away. They are kept, too, as long as they are few, where it may be one that comes later that
 * faults. */
static const u64 *left_with(struct making *m, struct region_insn *x, const u64 *live)
{
	const struct code_flow *f = m->f;
	const struct step *s = &f->steps[x->number];

	if (x->leaves) {
		const u64 *all = own_rows(m, live);
		x->leaves = count_rows(m->r, all) <= LEAVING_MOST;
		if (x->leaves)
			return all;
	}
	if (!x->ends_alone)
		return own_rows(m, live);
	u64 *read = memset(m->g->set, 0, f->words * sizeof *read);
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].read && !is_part_of_scaled(&s->operands[o]))
			row_add(read, s->operands[o].row);
	if (s->guarded)
		row_add(read, f->steps[x->number - 1].operands[0].row);
	return own_rows(m, read);
}

/* A row whose place in the frame another one takes later is not there for the whole region: it is kept like one that is written. */
static void note_taken_places(struct making *m)
{
	const u32 taken = ++m->g->mark;

	for (u32 n = 0; n < m->r->row_count; n++)
		if (m->r->rows[n].written)
			m->g->marks[m->f->rows[m->flow_of[n]].home] = taken;
	for (u32 n = 0; n < m->r->row_count; n++)
		m->r->rows[n].written = m->g->marks[m->f->rows[m->flow_of[n]].home] == taken;
}

/* Which rows are live where a warp may leave: at its blocks' starts, and before accesses. Lanes that wait elsewhere
 * need theirs as well. */
static void make_liveness(struct making *m)
{
	const struct code_flow *f = m->f;
	u64 *live = ARENA_ARRAY(f->arena, f->words, u64);

	m->r->words = m->r->row_count / 64 + 1;
	for (u32 n = 0; n < m->r->block_count; n++) {
		struct region_block *x = &m->r->blocks[n];
		const struct code_block *from = &f->blocks[m->g->list[n]];
		u32 at = x->insn_count;
		code_flow_behind(f, from, live);
		add_rows(f, live, m->waits[n]);
		for (u32 k = from->end; k-- > from->first;) {
			code_flow_before(f, k, live);
			if (k + 1 == from->end) {
				add_rows(f, live, m->waits[n]);
				x->live_end = own_rows(m, live);
			}
			if (!at || k != x->insns[at - 1].number)
				continue;
			add_rows(f, live, m->waits[n]);
			/* Who leaves before a guarded instruction comes to its guard again. */
			if (f->steps[k].guarded)
				row_add(live, f->steps[k - 1].operands[0].row);
			--at;
			if (x->insns[at].accesses || x->insns[at].together || x->insns[at].may_wrap)
				x->insns[at].live = left_with(m, &x->insns[at], live);
		}
		x->live = own_rows(m, live);
	}
}

static void make_rows(struct making *m)
{
	const u64 *enter = m->f->blocks[m->g->list[0]].live;

	for (u32 n = 0; n < m->r->row_count; n++) {
		m->r->rows[n].enters = row_in(enter, m->flow_of[n]);
		m->r->rows[n].leaves = m->r->rows[n].written && row_in(m->end_live, m->flow_of[n]);
		m->g->row_of[m->flow_of[n]] = 0; /* for the next region */
	}
}

/* The mode that most of its floating-point instructions run under; only those that round to nearest are compiled. */
static void choose_mode(struct region *r)
{
	u32 flushing = 0, others = 0;

	for (u32 n = 0; n < r->block_count; n++)
		for (u32 k = 0; k < r->blocks[n].insn_count; k++) {
			const struct region_insn *x = &r->blocks[n].insns[k];
			flushing += x->of_floats && x->plain->fp == (FP_RN | FP_FTZ);
			others += x->of_floats && x->plain->fp == FP_RN;
		}
	r->fp = flushing > others ? FP_RN | FP_FTZ : FP_RN;
	for (u32 n = 0; n < r->block_count; n++)
		for (u32 k = 0; k < r->blocks[n].insn_count; k++) {
			struct region_insn *x = &r->blocks[n].insns[k];
			x->other_mode = x->of_floats && x->plain->fp != r->fp;
		}
}

/* Whether a row that is taken to be affine is written where other lanes must keep theirs: then its parts of the kernel are not what
 * affine_find has taken them for. */
static bool merges_affine(const struct making *m)
{
	for (u32 n = 0; n < m->g->good; n++) {
		const struct code_block *x = &m->f->blocks[m->g->list[n]];
		for (u32 k = x->first; k < x->end; k++)
			for (u32 o = 0; o < m->f->steps[k].operand_count; o++) {
				const struct step_operand *s = &m->f->steps[k].operands[o];
				if (s->written && m->f->rows[s->row].affine && row_in(m->held[n], s->row))
					return true;
			}
	}
	return false;
}

/* Where lanes may part, and what those that wait will read. */
static void find_ways(struct making *m, bool affine)
{
	for (u32 n = 0; n < m->g->good; n++) {
		memset(m->waits[n], 0, m->f->words * sizeof *m->waits[n]);
		memset(m->held[n], 0, m->f->words * sizeof *m->held[n]);
	}
	m->affine = affine;
	m->agrees = false;
	m->agrees = is_agreed(m);
	find_waits(m);
	find_held(m);
}

/* At least as many as there are rows in the region. */
static u32 count_operands(const struct growth *g)
{
	u32 count = 0;

	for (u32 n = 0; n < g->good; n++)
		for (u32 k = g->f->blocks[g->list[n]].first; k < g->f->blocks[g->list[n]].end; k++)
			count += g->f->steps[k].operand_count;
	return count;
}

bool region_make(struct growth *g, struct region *r)
{
	const struct code_flow *f = g->f;
	const u32 rows = count_operands(g);
	struct making m = {.g = g, .f = f, .r = r};

	*r = (struct region){.of_machine = f->code->steps,
			     .lean = g->lean,
			     .first = f->blocks[g->list[0]].first,
			     .end = g->end,
			     .size = g->size,
			     .block_count = g->good};
	r->blocks = ARENA_ARRAY(f->arena, g->good + 1, struct region_block);
	r->rows = ARENA_ARRAY(f->arena, rows + 1, struct region_row);
	m.flow_of = ARENA_ARRAY(f->arena, rows + 1, u32);
	m.waits = ARENA_ARRAY(f->arena, g->good + 1, u64 *);
	m.end_live = ARENA_ARRAY(f->arena, f->words, u64);
	m.held = ARENA_ARRAY(f->arena, g->good + 1, u64 *);
	for (u32 n = 0; n < g->good; n++) {
		m.waits[n] = ARENA_ARRAY(f->arena, f->words, u64);
		m.held[n] = ARENA_ARRAY(f->arena, f->words, u64);
	}
	live_before(f, g->end, m.end_live);
	find_ways(&m, true);
	if (merges_affine(&m))
		find_ways(&m, false);
	for (u32 n = 0; n < g->good; n++)
		m.parts |= may_part(&m, g->list[n]);
	for (u32 n = 0; n < g->good; n++)
		make_block(&m, n);
	note_taken_places(&m);
	make_liveness(&m);
	make_rows(&m);
	for (u32 n = 0; n < g->good; n++)
		region_note_ahead(r, &r->blocks[n]);
	choose_mode(r);
	r->agrees = m.agrees;
	r->is_last = f->steps[g->end].ends && !f->steps[g->end].guarded;
	r->through_warps = region_pays_through_warps(r);
	return !m.clashes;
}
