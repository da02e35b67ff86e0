/* SPDX-License-Identifier: Apache-2.0
 *
 *      mul.wide.u32 o, i, 4        o = 4 i
 *      add.s64 p, a, o             p = a + 4 i, where `a` is the same in all lanes
 *      ld.global.u32 x, [p]        holds i against the bounds of what it reads
 *      ld.global.u32 y, [p+8]
 *
 * A row of addresses is twice as wide as the row of indices that it comes from. Where nothing but accesses reads it, and what it is made
 * of stays as it is until the last of them, no code makes it but where a warp leaves native code. What an instruction makes of its
 * operands its own handler says: a sum of products (TRAIT_LINEAR) is known by what it is for a few numbers.
 */
#include "native/scaled.h"

#include <stdlib.h>
#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/warp.h"
#include "isa/form.h"
#include "isa/linear.h"

enum { FRAME_ALIGN = 64, SHIFT_MOST = 4, SEVERAL = 0xfffffffe };

struct search {
	struct code_flow *f;
	u32 *writer; /* by row: the one instruction that writes it, without a guard; NO_OPERAND: none; SEVERAL: or nobody knows */
	bool *found;  /* by row: it is scaled so far */
	bool *wanted; /* by row: an access gains by it */
	u32 *first;   /* by row: what is made of it, as an index in `links`; NO_OPERAND: nothing */
	struct link {
		u32 row, next;
	} * links;
	u32 link_count;
	u8 *frame; /* to try instructions on */
	struct warp *warp;
};

/* --- What instructions make --------------------------------------------------------------------- */

/* What an instruction reads: rows, or NO_OPERAND. */
struct parts {
	u32 index, scaled, base;
};

static void take(u32 *part, u32 row, bool *clash)
{
	*clash |= *part != NO_OPERAND && *part != row;
	*part = row;
}

/* False: something else, too. */
static bool find_parts(const struct search *a, const struct step *s, struct parts *p)
{
	bool clash = false;

	*p = (struct parts){NO_OPERAND, NO_OPERAND, NO_OPERAND};
	for (u32 o = 0; o < s->operand_count; o++) {
		const struct step_operand *x = &s->operands[o];
		const struct flow_row *row = &a->f->rows[x->row];
		if (x->bits != row->bits || (x->bits != 32 && x->bits != 64))
			return false;
		if (!x->read || row->constant)
			continue;
		if (a->found[x->row])
			take(&p->scaled, x->row, &clash);
		else if (row->affine && !row->step && x->bits == 64)
			take(&p->base, x->row, &clash);
		else if (!row->affine && x->bits == 32)
			take(&p->index, x->row, &clash);
		else
			return false;
	}
	return !clash && (p->index == NO_OPERAND) != (p->scaled == NO_OPERAND);
}

static void fill(const struct search *a, u32 row, u64 value)
{
	const struct flow_row *r = &a->f->rows[row];
	u8 *at = a->frame + r->offset;

	for (u32 l = 0; l < WARP_LANES; l++)
		if (r->bits == 64)
			((u64 *)(void *)at)[l] = value;
		else
			((u32 *)(void *)at)[l] = (u32)value;
}

/* The result of instruction k. x: its index, or scaled operand. */
static u64 try(const struct search *a, u32 k, const struct parts *p, u64 x, u64 base)
{
	const struct step *s = &a->f->steps[k];
	u64 result = 0;

	for (u32 o = 0; o < s->operand_count; o++)
		if (a->f->rows[s->operands[o].row].constant)
			fill(a, s->operands[o].row, a->f->rows[s->operands[o].row].value);
	fill(a, p->index != NO_OPERAND ? p->index : p->scaled, x);
	if (p->base != NO_OPERAND)
		fill(a, p->base, base);
	s->meaning->run(a->warp, &a->f->code->insns[k], a->frame, FULL_MASK);
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].written)
			memcpy(&result, a->frame + a->f->rows[s->operands[o].row].offset, sizeof result);
	return result;
}

/* Whether the result is offset + factor * x, and the base if there is one, x taken as it is or with a sign. */
static bool is_sum(const struct search *a, u32 k, const struct parts *p, u64 factor, u64 offset, bool is_signed)
{
	static const u64 numbers[] = {0, 1, 2, 5, 0x7fffffff, 0x80000000, 0xfffffff1};
	static const u64 bases[] = {0, 1, 0x123456789ab0};

	for (u32 b = 0; b < COUNT_OF(bases); b++)
		for (u32 n = 0; n < COUNT_OF(numbers); n++) {
			const u64 x = is_signed ? (u64)(s64)(s32)numbers[n] : numbers[n];
			const u64 own = p->base == NO_OPERAND ? 0 : bases[b];
			if (try(a, k, p, numbers[n], bases[b]) != own + offset + factor * x)
				return false;
		}
	return true;
}

static bool can_describe(const struct step *s)
{
	u32 written = 0;

	for (u32 o = 0; o < s->operand_count; o++)
		written += s->operands[o].written;
	return s->kind == STEP_PLAIN && s->form && s->form->row->traits & TRAIT_LINEAR && !s->prefixed &&
	       !s->together && s->form->layout == LAYOUT_DIRECT && written == 1;
}

/* What instruction k makes. False: nothing scaled. */
static bool describe(const struct search *a, u32 k, struct flow_row *to)
{
	struct parts p;

	if (!can_describe(&a->f->steps[k]) || to->bits != 64 || to->affine || to->constant ||
	    !find_parts(a, &a->f->steps[k], &p))
		return false;
	const struct flow_row *x = p.scaled == NO_OPERAND ? NULL : &a->f->rows[p.scaled];
	const u64 offset = try(a, k, &p, 0, 0), factor = try(a, k, &p, 1, 0) - offset;
	const u64 scale = x ? factor << x->shift : factor, far = x ? factor * (u64)(s64)x->from + offset : offset;
	const bool is_signed = x ? x->is_signed : try(a, k, &p, 0x80000000, 0) - offset != factor << 31;
	if (!scale || scale & (scale - 1) || scale > 1 << SHIFT_MOST || far != (u64)(s64)(s32)far ||
	    !is_sum(a, k, &p, factor, offset, !x && is_signed))
		return false;
	if (x && x->base != NO_OPERAND && (p.base != NO_OPERAND || factor != 1))
		return false;
	to->index = x ? x->index : p.index;
	to->base = x && x->base != NO_OPERAND ? x->base : p.base;
	to->shift = (u8)__builtin_ctzll(scale);
	to->is_signed = is_signed;
	to->from = (s32)far;
	to->via = p.scaled;
	return true;
}

/* --- Who writes, and who reads ------------------------------------------------------------------ */

static void find_writers(struct search *a)
{
	const struct code_flow *f = a->f;
	const bool *named = flow_named_by_opaque(f);

	for (u32 k = 0; k < f->code->insn_count; k++) {
		const struct step *s = &f->steps[k];
		for (u32 o = 0; o < s->operand_count; o++) {
			u32 *writer = &a->writer[s->operands[o].row];
			if (s->operands[o].written)
				*writer = *writer == NO_OPERAND && !s->guarded ? k : SEVERAL;
		}
	}
	for (u32 row = 0; row < f->row_count && f->block_count; row++)
		if (row_in(f->blocks[0].live, row) || named[f->rows[row].home])
			a->writer[row] = SEVERAL;
}

static void add_link(struct search *a, u32 of, u32 row)
{
	u32 *first = &a->first[of];

	a->links[a->link_count] = (struct link){row, *first};
	*first = a->link_count++;
}

/* Takes away what is made of a row that changes at step k while it is live behind that. */
static void note_changes(struct search *a, u32 k, const u64 *live)
{
	const struct code_flow *f = a->f;
	const struct step *s = &f->steps[k];

	if (s->opaque && !s->ends)
		for (u32 n = 0; n < a->link_count; n++)
			a->found[a->links[n].row] &= !row_in(live, a->links[n].row);
	for (u32 o = 0; o < s->operand_count; o++) {
		if (!s->operands[o].written)
			continue;
		for (u32 n = a->first[s->operands[o].row]; n != NO_OPERAND; n = a->links[n].next)
			a->found[a->links[n].row] &= !row_in(live, a->links[n].row);
	}
}

/* Nor is a base one number any more where some lanes give it another one, while others wait that will read what was made of theirs. */
static void note_others(struct search *a, u32 k, const u64 *waiting)
{
	const struct code_flow *f = a->f;
	const struct step *s = &f->steps[k];

	for (u32 o = 0; o < s->operand_count; o++) {
		const u32 base = s->operands[o].row;
		for (u32 n = s->operands[o].written ? a->first[base] : NO_OPERAND; n != NO_OPERAND;
		     n = a->links[n].next)
			if (f->rows[a->links[n].row].base == base)
				a->found[a->links[n].row] &= !row_in(waiting, a->links[n].row);
	}
}

static void find_changes(struct search *a)
{
	const struct code_flow *f = a->f;
	u64 *live = ARENA_ARRAY(f->arena, f->words, u64);

	for (u32 b = 0; b < f->block_count; b++) {
		const struct code_block *x = &f->blocks[b];
		code_flow_behind(f, x, live);
		for (u32 k = x->end; k-- > x->first;) {
			note_changes(a, k, live);
			if (f->merged && f->merged[b])
				note_others(a, k, f->merged[b]);
			code_flow_before(f, k, live);
		}
	}
}

/* Whether an access gains by the index alone: by ways for rows and parts of them it does not, where its lanes have been seen to take
 * those, nor where values lie closer than they are wide. */
static bool gains(const struct code_flow *f, u32 k, const struct flow_row *address)
{
	const struct step *s = &f->steps[k];
	const u8 shapes = f->shapes ? f->shapes[k] : 0;

	if (s->kind != STEP_PLAIN || !s->form || !(s->form->row->flags & ISA_MEMORY) ||
	    form_space(s->form) != SPACE_GLOBAL || form_vector(s->form) != 1 || address->base == NO_OPERAND ||
	    s->operand_count + 2 > STEP_OPERANDS_MAX)
		return false;
	const bool loads = s->form->row->traits & TRAIT_LOADS;
	const u64 far = (u64)((s64)address->from + f->code->insns[k].imm);
	return type_bits(form_type(s->form, 0)) <= 8u << address->shift && far == (u64)(s64)(s32)far &&
	       (!(shapes & SHAPE_KNOWN) ||
		!(shapes & (SHAPE_ROW | SHAPE_SAME | SHAPE_PARTS | (loads ? SHAPE_SPOTS : 0))));
}

/* The scaled row that step k makes; NO_OPERAND: none. */
static u32 makes(const struct search *a, u32 k)
{
	const struct step *s = &a->f->steps[k];

	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].written && a->found[s->operands[o].row])
			return s->operands[o].row;
	return NO_OPERAND;
}

/* Whether the step may read the row, which is scaled, as such. */
static bool may_read(struct search *a, u32 k, const struct step_operand *o)
{
	const u32 made = makes(a, k);

	if (made != NO_OPERAND) {
		a->wanted[o->row] |= a->wanted[made];
		return true;
	}
	if (o->place != PLACE_A || !gains(a->f, k, &a->f->rows[o->row]))
		return false;
	a->wanted[o->row] = true;
	return true;
}

/* Of a row that is read otherwise, or by one that has been given up, nothing is kept: nor of what that is made of. */
static bool give_up(struct search *a)
{
	const struct code_flow *f = a->f;
	bool changed = false;

	memset(a->wanted, 0, f->row_count * sizeof *a->wanted);
	for (u32 k = f->code->insn_count; k-- > 0;)
		for (u32 o = 0; o < f->steps[k].operand_count; o++) {
			const struct step_operand *x = &f->steps[k].operands[o];
			if (!x->read || !a->found[x->row] || may_read(a, k, x))
				continue;
			a->found[x->row] = false;
			changed = true;
		}
	for (u32 row = 0; row < f->row_count; row++) {
		const struct step *s = a->found[row] ? &f->steps[a->writer[row]] : NULL;
		bool made = a->wanted[row];
		for (u32 o = 0; s && o < s->operand_count; o++) {
			const u32 from = s->operands[o].row;
			made &= !s->operands[o].read || !f->rows[from].scaled || a->found[from];
		}
		changed |= s && !made;
		a->found[row] &= made;
	}
	return changed;
}

/* --- The whole ---------------------------------------------------------------------------------- */

/* What reads a scaled row reads what that is made of. */
static void read_parts(const struct code_flow *f, struct step *s)
{
	for (u32 o = 0, count = s->operand_count; o < count; o++) {
		const struct flow_row *row = &f->rows[s->operands[o].row];
		if (!s->operands[o].read || !row->scaled)
			continue;
		struct step_operand *own = ARENA_ARRAY(f->arena, STEP_OPERANDS_MAX, struct step_operand);
		memcpy(own, s->operands, s->operand_count * sizeof *own);
		own[s->operand_count++] = (struct step_operand){row->index, 32, PLACE_INDEX, true, false};
		if (row->base != NO_OPERAND)
			own[s->operand_count++] = (struct step_operand){row->base, 64, PLACE_BASE, true, false};
		s->operands = own;
		return;
	}
}

static void search(struct search *a)
{
	struct code_flow *f = a->f;

	find_writers(a);
	for (u32 k = 0; k < f->code->insn_count; k++)
		for (u32 o = 0; o < f->steps[k].operand_count; o++) {
			const u32 row = f->steps[k].operands[o].row;
			if (!f->steps[k].operands[o].written || a->writer[row] != k || !describe(a, k, &f->rows[row]))
				continue;
			f->rows[row].scaled = a->found[row] = true;
			add_link(a, f->rows[row].index, row);
			if (f->rows[row].base != NO_OPERAND)
				add_link(a, f->rows[row].base, row);
		}
	find_changes(a);
	while (give_up(a))
		;
	for (u32 row = 0; row < f->row_count; row++)
		f->rows[row].scaled = a->found[row];
	for (u32 k = 0; k < f->code->insn_count; k++)
		read_parts(f, &f->steps[k]);
}

void scaled_find(struct code_flow *f)
{
	struct warp *warp = calloc(1, sizeof *warp);
	u8 *frame = aligned_alloc(FRAME_ALIGN, ((size_t)f->code->frame_bytes / FRAME_ALIGN + 2) * FRAME_ALIGN);
	const u32 rows = f->row_count + 1;

	if (warp && frame && !f->code->call_count && !f->code->steps) {
		struct search a = {.f = f,
				   .writer = ARENA_ARRAY(f->arena, rows, u32),
				   .found = ARENA_ARRAY(f->arena, rows, bool),
				   .wanted = ARENA_ARRAY(f->arena, rows, bool),
				   .first = ARENA_ARRAY(f->arena, rows, u32),
				   .links = ARENA_ARRAY(f->arena, 2 * (size_t)rows, struct link),
				   .frame = frame,
				   .warp = warp};
		memset(a.writer, 0xff, rows * sizeof *a.writer);
		memset(a.first, 0xff, rows * sizeof *a.first);
		search(&a);
	}
	free(warp);
	free(frame);
}
