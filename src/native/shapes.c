/* SPDX-License-Identifier: Apache-2.0
 *
 * The trial runs instructions that compute addresses by their own handlers: whole numbers, moves, comparisons, parameters. All else
 * gives rows that are not known, but a load by all lanes from one place: that gives one number, as it is mostly a size or a
 * bound. Branches go where all lanes go; where lanes would part, or nobody knows, both ways are tried, one after the other.
 */
#include "native/shapes.h"

#include <stdlib.h>
#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/internal.h"
#include "isa/form.h"
#include "isa/sregs.h"

enum { STEPS_MOST = 20000, ROUNDS_MOST = 100, WARPS = 2, LOADED = 256, QUARTER = 8, NEAR_LANES = 64 };

struct trial {
	const struct code_flow *f;
	u8 *rows, *shapes;
	bool *partial;  /* by block: some lanes may be elsewhere */
	bool *visited;  /* likewise */
	u32 *rounds;    /* by block: how often its last instruction has branched */
	u32 *stack;     /* of walks over blocks */
	u64 *unknown;   /* rows that are not known */
	bool *unsure;   /* by instruction: its addresses were not known at some time */
	bool parts;     /* the sample's */
	u32 steps;      /* run so far */
	struct warp *w; /* what handlers get; it has no memory */
};

bool sample_take(struct native_sample *s, const struct grid *grid)
{
	const struct code *code = grid->kernel->code;
	const u32 bytes = grid->kernel->param_bytes;
	u8 *params = malloc((size_t)bytes + 1);
	u32 *banks = calloc((size_t)code->bank_count + 1, sizeof *banks);

	if (!params || !banks) {
		free(params);
		free(banks);
		return false;
	}
	if (bytes)
		memcpy(params, grid->launch->params, bytes);
	for (u32 k = 0; k < code->bank_count; k++)
		bank_word(grid, code, code->banks[k].bank, code->banks[k].at, &banks[k]);
	*s = (struct native_sample){
		.taken = true, .kernel = grid->kernel, .map = grid->map, .params = params, .banks = banks};
	memcpy(s->block, grid->launch->block, sizeof s->block);
	memcpy(s->grid, grid->size, sizeof s->grid);
	return true;
}

void sample_free(struct native_sample *s)
{
	free(s->params);
	free(s->banks);
}

/* --- Shapes ------------------------------------------------------------------------------------- */

/* Whether each part of so many lanes is at equal distances `step`. */
static bool in_steps(const u64 at[WARP_LANES], u32 part, u64 step)
{
	for (u32 l = 0; l < WARP_LANES; l++)
		if (at[l] != at[l / part * part] + (l % part) * step)
			return false;
	return true;
}

/* Whether words of each part lie within `most` of the part's first. */
static bool are_near(const u64 at[WARP_LANES], u32 part, u32 most)
{
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u64 from = at[l] - at[l / part * part];
		if (from % 4 || from / 4 >= most)
			return false;
	}
	return true;
}

static u8 shape_of_addresses(const u64 at[WARP_LANES], u32 bytes, u32 count, bool wide)
{
	const u32 part = wide ? WARP_LANES / 2 : QUARTER;
	const u64 step = at[1] - at[0];

	if (in_steps(at, WARP_LANES, bytes))
		return SHAPE_ROW;
	if (in_steps(at, WARP_LANES, 0))
		return SHAPE_SAME;
	if (in_steps(at, part, bytes))
		return SHAPE_PARTS;
	if (in_steps(at, part, 0))
		return SHAPE_SPOTS;
	if (!wide && (are_near(at, part, 2 * part) || are_near(at, WARP_LANES, NEAR_LANES)) && count == 1)
		return SHAPE_NEAR;
	return in_steps(at, count > 1 ? QUARTER : WARP_LANES, step) ? SHAPE_STRIDED : SHAPE_OTHER;
}

/* --- Rows --------------------------------------------------------------------------------------- */

static void fill(u8 *row, u32 bits, u64 value)
{
	if (bits == 1)
		*(u32 *)(void *)row = value ? FULL_MASK : 0;
	for (u32 l = 0; bits == 32 && l < WARP_LANES; l++)
		((u32 *)(void *)row)[l] = (u32)value;
	for (u32 l = 0; bits == 64 && l < WARP_LANES; l++)
		((u64 *)(void *)row)[l] = value;
}

static bool is_in_sample(u32 sreg)
{
	return sreg_info((enum sreg)sreg)->kind == SREG_PER_LANE || sreg == SREG_ntid || sreg == SREG_ctaid ||
	       sreg == SREG_nctaid || sreg == SREG_warpid;
}

static void fill_rows(struct trial *t, const struct native_sample *sample)
{
	const struct code *code = t->f->code;

	memset(t->rows, 0, code->frame_bytes);
	memset(t->unknown, 0, t->f->words * sizeof *t->unknown);
	for (u32 k = 0; k < code->constant_count; k++)
		fill(t->rows + code->constants[k].offset, code->constants[k].bits, code->constants[k].low);
	for (u32 k = 0; k < code->bank_count; k++)
		fill(t->rows + code->banks[k].offset, 32, sample->banks[k]);
	for (u32 k = 0; k < code->sreg_count; k++) {
		const struct sreg_row *s = &code->sregs[k];
		for (u32 l = 0; is_in_sample(s->sreg) && l < WARP_LANES; l++) {
			const u64 value = sreg_value(t->w, s->sreg, s->element, l);
			if (s->bits == 64)
				((u64 *)(void *)(t->rows + s->offset))[l] = value;
			else if (s->bits == 32)
				((u32 *)(void *)(t->rows + s->offset))[l] = (u32)value;
		}
	}
}

static bool is_known(const struct trial *t, const struct step *s)
{
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].read && row_in(t->unknown, s->operands[o].row))
			return false;
	return true;
}

static void note_results(struct trial *t, const struct step *s, bool known)
{
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].written && known)
			row_remove(t->unknown, s->operands[o].row);
		else if (s->operands[o].written)
			row_add(t->unknown, s->operands[o].row);
}

/* --- Instructions ------------------------------------------------------------------------------- */

/* Of families whose handlers look at nothing but rows and what the trial has, where a gang may run them lane by lane: addresses' windows
 * and a kernel's parameters. */
static bool form_runs_here(const struct form *f, const struct meaning *m)
{
	static const char *const families[] = {"integer.c:", "logic.c:",   "move.c:",     "bits.c:",
					       "convert.c:", "compare.c:", "extended.c:", "memory.c:ld_param_"};
	const bool accesses = f->row && f->row->flags & ISA_MEMORY && !(f->row->flags & ISA_PARAM);

	if (!f->row || !m || !m->name || !m->gang || accesses || f->row->flags & (ISA_SYNC | ISA_CROSS_LANE | ISA_CALL))
		return false;
	for (u32 n = 0; n < f->type_count; n++)
		if (type_class(f->types[n]) == 'f' && !(f->row->flags & ISA_PARAM))
			return false;
	const char *slash = strrchr(m->name, '/'), *name = slash ? slash + 1 : m->name;
	for (size_t k = 0; k < COUNT_OF(families); k++)
		if (!strncmp(name, families[k], strlen(families[k])))
			return true;
	return false;
}

/* Handlers of machine code that may be in line look at nothing but rows. */
static bool runs_here(const struct step *s)
{
	return s->form ? form_runs_here(s->form, s->meaning) : s->meaning != NULL;
}

/* Of an instruction that is done once for a launch, of which the flow knows no operands. */
static void run_hoisted(struct trial *t, u32 k)
{
	const struct code *code = t->f->code;
	const u32 origin = code->origin[k];
	const struct form *f = origin == NO_OPERAND ? NULL : &code->forms[origin];
	const struct meaning *m = f && f->row && f->row->meaning ? f->row->meaning(f) : NULL;

	if (m && m->run == code->insns[k].fn && form_runs_here(f, m))
		m->run(t->w, &code->insns[k], t->rows, FULL_MASK);
}

/* Where the instruction's addresses stand is known; what a store writes does not matter. */
static bool is_address_known(const struct trial *t, const struct step *s, const struct insn *i)
{
	if ((s->form->layout != LAYOUT_MEMORY && s->form->layout != LAYOUT_MEMORY_LIST) || i->a == NO_OPERAND)
		return false;
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].place == PLACE_A)
			return !row_in(t->unknown, s->operands[o].row);
	return false;
}

/* A load or store; a load by all lanes from one place gives a number. */
static void note_access(struct trial *t, u32 k, const struct step *s)
{
	const struct insn *i = &t->f->code->insns[k];
	const bool wide = form_base_bits(s->form) == 64;
	const u32 count = form_vector(s->form), bytes = count * type_bits(form_type(s->form, 0)) / 8;
	u64 address[WARP_LANES];
	u8 shape = 0;

	if (is_address_known(t, s, i) && bytes && bytes <= 16 && !(s->form->row->flags & ISA_ATOMIC)) {
		row_addresses(t->rows, i->a, i->imm, wide, address);
		shape = shape_of_addresses(address, bytes, count, wide) | SHAPE_KNOWN;
	}
	note_results(t, s, shape & SHAPE_SAME);
	for (u32 o = 0; o < s->operand_count && shape & SHAPE_SAME; o++)
		if (s->operands[o].written)
			fill(t->rows + t->f->rows[s->operands[o].row].offset, s->operands[o].bits, LOADED);
	t->shapes[k] |= shape;
	t->unsure[k] |= !shape;
}

static void run_step(struct trial *t, u32 k)
{
	const struct code_flow *f = t->f;
	const struct step *s = &f->steps[k];
	u32 mask = FULL_MASK;

	if (s->kind == STEP_NOTHING) {
		run_hoisted(t, k);
		return;
	}
	if (s->kind != STEP_PLAIN) {
		note_results(t, s, false);
		return;
	}
	if (s->guarded && !row_in(t->unknown, f->steps[k - 1].operands[0].row)) {
		mask = *(const u32 *)(const void *)(t->rows + f->code->insns[k - 1].a);
		mask = f->code->insns[k - 1].aux & 1 ? ~mask : mask;
		mask = s->whole && mask ? FULL_MASK : mask;
	}
	if (s->form && s->form->row->flags & ISA_MEMORY && !runs_here(s)) {
		note_access(t, k, s);
		return;
	}
	bool known = is_known(t, s) && runs_here(s);
	if (known && mask)
		known = s->meaning->run(t->w, &f->code->insns[k], t->rows, mask) != NULL;
	note_results(t, s, known);
}

/* --- Ways --------------------------------------------------------------------------------------- */

static u32 join_of(const struct code_flow *f, u32 b)
{
	const u32 join = f->steps[f->blocks[b].end - 1].join;

	return join == NO_OPERAND ? f->blocks[b].after : f->block_of[join];
}

/* Lanes part at the end of block b: up to their join they may be on different ways. */
static void note_parting(struct trial *t, u32 b)
{
	const struct code_flow *f = t->f;
	const u32 join = join_of(f, b);
	u32 depth = 0;

	t->stack[depth++] = b;
	while (depth) {
		const struct code_block *x = &f->blocks[t->stack[--depth]];
		for (u32 n = 0; n < x->successor_count; n++) {
			const u32 to = x->successors[n];
			if (to == join || to >= f->block_count || t->partial[to])
				continue;
			t->partial[to] = true;
			t->stack[depth++] = to;
		}
	}
}

/* Where to go from the end of block b. */
static u32 next_of(struct trial *t, u32 b)
{
	const struct code_flow *f = t->f;
	const u32 last = f->blocks[b].end - 1;
	const struct insn *i = &f->code->insns[last];
	const struct step *s = &f->steps[last];

	if (s->kind == STEP_BRANCH)
		return f->blocks[b].successor_count ? f->blocks[b].successors[0] : f->block_count;
	if (s->kind != STEP_BRANCH_IF)
		return s->ends && !s->guarded ? f->block_count : b + 1;
	u32 taken = FULL_MASK;
	for (u32 o = 0; o < s->operand_count; o++)
		taken &= *(const u32 *)(const void *)(t->rows + f->rows[s->operands[o].row].offset) ^
			 (s->negated >> o & 1 ? FULL_MASK : 0);
	if (!is_known(t, s) || (taken && taken != FULL_MASK)) {
		t->unsure[last] = true;
		note_parting(t, b);
		return b + 1;
	}
	if (t->parts)
		note_parting(t, b);
	else
		t->shapes[last] |= SHAPE_KNOWN | SHAPE_SAME;
	if (!taken)
		return b + 1;
	/* Behind loops that would take all steps there is more to see. */
	const u32 to = f->block_of[last + (u32)i->imm];
	return t->rounds[b]++ < ROUNDS_MOST && (to > b || t->steps < STEPS_MOST) ? to : b + 1;
}

static void run_from(struct trial *t, u32 b)
{
	while (b < t->f->block_count && t->steps < STEPS_MOST + t->f->code->insn_count) {
		const struct code_block *x = &t->f->blocks[b];
		t->visited[b] = true;
		for (u32 k = x->first; k < x->end; k++)
			run_step(t, k);
		t->steps += x->end - x->first;
		b = next_of(t, b);
	}
}

/* One warp: from the beginning, then what it has left out. */
static void run_warp(struct trial *t, const struct native_sample *sample, u32 index)
{
	t->w->index = index;
	t->steps = 0;
	fill_rows(t, sample);
	memset(t->rounds, 0, t->f->block_count * sizeof *t->rounds);
	run_from(t, 0);
	for (u32 b = 0; b < t->f->block_count; b++)
		if (!t->visited[b])
			run_from(t, b);
}

/* What was not known even once is not known; where lanes may be missing, other ways may be wanted. */
static void finish(struct trial *t)
{
	const struct code_flow *f = t->f;

	for (u32 k = 0; k < f->code->insn_count; k++) {
		if (t->unsure[k])
			t->shapes[k] = 0;
		if (t->shapes[k] && (f->steps[k].guarded || t->partial[f->block_of[k]]))
			t->shapes[k] |= SHAPE_OTHER;
	}
}

/* What handlers look at beside rows. */
struct stage {
	struct warp warp;
	struct worker worker;
	struct block block;
	struct grid grid;
	struct launch launch;
	struct frame frame;
};

static void set_stage(struct stage *g, const struct code *code, const struct native_sample *s, u8 *rows)
{
	g->launch.kernel = g->grid.kernel = s->kernel;
	g->launch.params = s->params;
	memcpy(g->launch.block, s->block, sizeof s->block);
	memcpy(g->launch.grid, s->grid, sizeof s->grid);
	memcpy(g->grid.size, s->grid, sizeof s->grid);
	g->grid.launch = &g->launch;
	g->grid.map = s->map;
	g->worker.grid = &g->grid;
	g->worker.probing = true; /* what faults is for the launch to tell */
	g->block.grid = &g->grid;
	g->frame.rows = rows;
	g->frame.code = code;
	g->warp.rows = rows;
	g->warp.mask = g->warp.live = FULL_MASK;
	g->warp.worker = &g->worker;
	g->warp.block = &g->block;
	g->warp.grid = &g->grid;
	g->warp.frame = &g->frame;
}

const u8 *shapes_find(const struct code_flow *f, const struct native_sample *s)
{
	const u32 blocks = f->block_count + 1, insns = f->code->insn_count + 1;
	const u64 threads = (u64)s->block[0] * s->block[1] * s->block[2];
	struct stage *stage = calloc(1, sizeof *stage);
	u8 *rows = aligned_alloc(64, ((size_t)f->code->frame_bytes + 127) / 64 * 64);

	if (stage && rows) {
		struct trial t = {.f = f,
				  .rows = rows,
				  .shapes = ARENA_ARRAY(f->arena, insns, u8),
				  .unsure = ARENA_ARRAY(f->arena, insns, bool),
				  .partial = ARENA_ARRAY(f->arena, blocks, bool),
				  .visited = ARENA_ARRAY(f->arena, blocks, bool),
				  .rounds = ARENA_ARRAY(f->arena, blocks, u32),
				  .stack = ARENA_ARRAY(f->arena, blocks, u32),
				  .parts = s->parts,
				  .unknown = ARENA_ARRAY(f->arena, f->words, u64),
				  .w = &stage->warp};
		set_stage(stage, f->code, s, rows);
		for (u32 n = 0; n < WARPS && n * WARP_LANES < threads; n++)
			run_warp(&t, s, n);
		finish(&t);
		free(stage);
		free(rows);
		return t.shapes;
	}
	free(stage);
	free(rows);
	return NULL;
}
