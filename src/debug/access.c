/* SPDX-License-Identifier: Apache-2.0
 *
 * What a memory instruction touches: its addresses lane by lane, from the same description that
 * accounting uses.
 */
#include <string.h>

#include "debug/internal.h"
#include "observe/sites.h"

void access_build(struct debug *d)
{
	const struct account_site *sites;
	const u32 count = accounting_sites(d->accounting, &sites);

	d->sites = ARENA_ARRAY(d->arena, d->program->code_count + 1, u32 *);
	for (u32 c = 0; c < d->program->code_count; c++)
		d->sites[c] = ARENA_ARRAY(d->arena, d->program->codes[c]->insn_count + 1, u32);
	for (u32 k = 0; k < count; k++)
		d->sites[sites[k].code->index][sites[k].insn] = k + 1;
	/* An instruction of machine code may go on behind its access. */
	for (u32 k = 0; k < count; k++)
		if (sites[k].code->function->machine)
			d->stops[sites[k].code->index].real[sites[k].code->origin[sites[k].insn]] = sites[k].insn;
}

const struct account_site *access_site(const struct debug *d, const struct code *code, u32 insn)
{
	const struct account_site *sites;
	const u32 at = d->sites[code->index][insn];

	accounting_sites(d->accounting, &sites);
	return at ? &sites[at - 1] : NULL;
}

/* Lanes whose generic address lies in the space of the first lane's. */
static enum ir_space resolve(const struct warp *w, u32 *mask, u64 address[WARP_LANES])
{
	enum ir_space first = SPACE_GENERIC;
	u32 same = 0;

	for (u32 left = *mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const enum ir_space space = generic_space(w, &address[l]);
		if (first == SPACE_GENERIC)
			first = space;
		if (space == first)
			same |= 1u << l;
	}
	*mask = same;
	return first;
}

enum ir_space access_addresses(const struct account_site *site, const struct warp *w, const struct insn *i,
			       const u8 *rows, u32 *mask, u64 address[WARP_LANES])
{
	if (site->operation >= ACCOUNT_ASYNC) {
		/* cp.async: the shared address, then the global one. */
		operand_addresses(site, i, rows, 2, address);
		return SPACE_GLOBAL;
	}
	row_addresses(rows, i->a, i->imm, site->wide, address);
	*mask &= site->matrix_mask;
	if (site->space != SPACE_GENERIC)
		return site->space;
	return resolve(w, mask, address);
}

/* --- Machine code -------------------------------------------------------------------------------- */

/* A register, or a pair, as it stands in the frame. */
static u64 register_value(const struct code *code, const u8 *rows, u32 index, bool wide, u32 lane)
{
	const struct row_place *p = &code->registers[index];
	u32 words[2] = {0};

	if (p->bits != 32)
		return 0;
	memcpy(&words[0], rows + p->offset + lane * 4, 4);
	if (wide)
		memcpy(&words[1], rows + p->offset + WARP_LANES * 4 + lane * 4, 4);
	return words[0] | (u64)words[1] << 32;
}

/* The rows of an access hold the address only when the instruction has begun: here it is computed as it will be. */
static bool machine_addresses(const struct code *code, u32 origin, const u8 *rows, u64 address[WARP_LANES])
{
	const struct sass_operand *o = NULL;
	struct sass_effects effects;
	struct sass_insn i;
	bool wide[2] = {false, false};

	if (!sass_instruction_at(code->function, origin, &i))
		return false;
	for (u32 k = 0; k < i.operand_count && !o; k++)
		if (i.operands[k].arg == ARG_ADDRESS ||
		    (i.opcode == SASS_OP_LDC &&
		     (i.operands[k].arg == ARG_CONSTANT || i.operands[k].arg == ARG_UCONSTANT)))
			o = &i.operands[k];
	if (!o)
		return false;
	sass_effects_at(code->function, origin, &effects);
	for (u32 k = 0; k < effects.count; k++)
		if (effects.items[k].is_address && effects.items[k].count == 2)
			wide[effects.items[k].first >= SASS_INDEX_UR] = true;
	const u32 scale = o->part_of == MOD_SCALE && o->part ? 1 + o->part : 0;
	for (u32 l = 0; l < WARP_LANES; l++) {
		address[l] = o->value;
		if (o->base != SASS_RZ)
			address[l] += register_value(code, rows, SASS_INDEX_R + o->base, wide[0], l) << scale;
		if (o->uniform < SASS_NO_REGISTER)
			address[l] += register_value(code, rows, SASS_INDEX_UR + o->uniform, wide[1], l);
		if (!wide[0] && !wide[1])
			address[l] &= UINT32_MAX;
	}
	return true;
}

/* Lanes that the guard of machine code lets through. */
static u32 machine_guard(const struct code *code, u32 origin, const u8 *rows)
{
	struct sass_insn i;

	if (!sass_instruction_at(code->function, origin, &i) || i.guard == SASS_PT)
		return FULL_MASK;
	const struct row_place *p = &code->registers[(i.guard_uniform ? SASS_INDEX_UP : SASS_INDEX_P) + i.guard];
	const u32 on = p->bits == 1 ? *(const u32 *)(const void *)(rows + p->offset) : 0;
	return i.guard_negated ? ~on : on;
}

/* The site of the instruction at a stop, and the lanes that its guard lets through. */
static const struct account_site *site_at(const struct debug *d, const struct code *code, u32 insn, const u8 *rows,
					  u32 *mask)
{
	const struct stops *s = &d->stops[code->index];
	const u32 origin = code->origin[insn];
	const struct ir_instruction *x = &code->function->body.items[origin];
	const u32 real = s->real[origin];

	if (x->guard && x->guard->kind == SYM_REGISTER) {
		const struct row_place *p = &code->registers[ir_guard_slot(x)];
		const u32 on = *(const u32 *)(const void *)(rows + p->offset);
		*mask &= x->guard_negated ? ~on : on;
	}
	if (code->function->machine)
		*mask &= machine_guard(code, origin, rows);
	return real == NO_POINT ? NULL : access_site(d, code, real);
}

/* Where it stands, what it would touch; false: nothing. */
static bool sample_at(const struct debug *d, const struct warp *w, const struct frame *f, u32 stop, u32 mask,
		      const struct account_site **site, struct account_sample *sample)
{
	const struct code *code = f->code;

	*site = site_at(d, code, stop, f->rows, &mask);
	if (!*site || !mask)
		return false;
	const struct insn *i = grid_entry(w->grid, code) + d->stops[code->index].real[code->origin[stop]];
	memset(sample, 0, sizeof *sample);
	if (code->function->machine && (*site)->operation < ACCOUNT_ASYNC &&
	    machine_addresses(code, code->origin[stop], f->rows, sample->address))
		sample->space = (*site)->space == SPACE_GENERIC ? resolve(w, &mask, sample->address) : (*site)->space;
	else
		sample->space = access_addresses(*site, w, i, f->rows, &mask, sample->address);
	sample->mask = mask;
	accounting_cost(d->accounting, *site, w, sample);
	return true;
}

void access_keep(struct debug *d, const struct warp *w, const struct account_site *site, enum ir_space space, u32 mask,
		 const u64 address[WARP_LANES])
{
	d->shown.site = site;
	memset(&d->shown.sample, 0, sizeof d->shown.sample);
	d->shown.sample.space = space;
	d->shown.sample.mask = mask;
	memcpy(d->shown.sample.address, address, sizeof d->shown.sample.address);
	accounting_cost(d->accounting, site, w, &d->shown.sample);
}

void access_note(struct debug *d, const struct standing *s)
{
	const struct account_site *site;

	if (s->w->block->index != d->focus.block || s->w->index != d->focus.warp)
		return;
	if (sample_at(d, s->w, s->w->frame, s->insn, s->mask, &site, &d->shown.sample))
		d->shown.site = site;
}

bool debug_access(struct debug *d, bool executed, const struct account_site **site, struct account_sample *sample)
{
	const struct warp *w = run_find_warp(d, d->focus.block, d->focus.warp);
	struct debug_split split;

	if (executed) {
		if (!d->shown.site)
			return debug_fail(d, "no access of the warp has been seen: step over one");
		*site = d->shown.site;
		*sample = d->shown.sample;
		return true;
	}
	if (!w || !debug_focus_split(d, &split) || !split.place.code)
		return debug_fail(d, "no kernel is running");
	const struct stops *stops = &d->stops[split.place.code->index];
	if (sample_at(d, w, split.frame, stops->of[split.place.instruction], split.mask, site, sample))
		return true;
	return debug_fail(d, *site ? "no lane executes it: its guard is false in all"
				   : "the instruction accesses no memory that has banks or sectors");
}

struct account_run *debug_counters(struct debug *d)
{
	const struct block **blocks;
	u32 count;

	if (!d->options.counters || !debug_launch(d))
		return NULL;
	arena_free(&d->counter_arena);
	arena_init(&d->counter_arena, d->arena->out_of_memory);
	/* A fault has had them counted. */
	count = d->state == DEBUG_STOPPED ? debug_blocks(d, NULL, 0) : 0;
	blocks = ARENA_ARRAY(&d->counter_arena, count + 1, const struct block *);
	debug_blocks(d, blocks, count);
	return accounting_so_far(d->accounting, &d->counter_arena, &d->launch, blocks, count);
}

const struct accounting *debug_accounting(const struct debug *d) { return d->accounting; }
