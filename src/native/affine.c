/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows whose lanes are at known distances from the first, mostly at equal ones, by data flow over the whole kernel: a row has the distances that
 * everything gives it that writes it.
 *
 *      %tid.x                1        (blocks of 32 threads along x, or a multiple; of 16, for example, 0 to 15 twice, and %tid.y then
 *                                     0 sixteen times and 1)
 *      %ctaid.x, 4, [n]      0        one number for all lanes, likewise what a load from one place of memory gives all of them
 *      mad.lo i, b, 256, t   1        linear: the step follows from those of its operands
 *      mul.wide.u32 o, i, 4  4        likewise, if i does not wrap around among the lanes, which native code asks
 *      shr.u32 w, t, 5       0        bit by bit: the lowest five of %tid.x are zero in the first lane, and the lane's number in others
 *      and.b32 l, t, 31      1        likewise
 *      and.b32 h, t, 1       0 1 0 1 ..   likewise: at other than equal distances
 *      xor.b32 x, t, 5       varies   but of uniform rows alone every instruction makes uniform ones
 *
 * It begins with the hope that all rows have distances, and gives up what is not so until nothing changes. What an instruction does to
 * them its own handler says. A sum of products (TRAIT_LINEAR) is known by what it is for operands that are 0 or 1, or, as so many bits of
 * them are zero, for the least that they may be besides 0. What goes bit by bit (TRAIT_BITWISE) is known by what it is where all bits
 * that are not known are clear, and all set: lanes differ in the others alone.
 *
 * Where lanes have parted, what some of them write leaves the others' lanes as they were. A row that these will read again varies.
 */
#include "native/affine.h"

#include <stdlib.h>
#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/warp.h"
#include "isa/form.h"
#include "isa/linear.h"
#include "isa/sregs.h"

enum { UNKNOWN_MOST = 3, FRAME_ALIGN = 64, ZEROS_ALL = 64, ZEROS_OF_WARP = 5 };

/* What is known of a row so far. */
enum row_state { ROW_UNSEEN, ROW_AFFINE, ROW_VARIES };

struct analysis {
	struct code_flow *f;
	u8 *state;     /* by row: enum row_state; the distances stand in the flow's row, */
	u8 *zeros;     /* and here how many bits of the first lane's number are zero, from the lowest on */
	bool *hoisted; /* by row: a hoisted instruction gives it its value */
	bool *parted;  /* by block: its branch has been found to part lanes */
	struct block_walk walk;
	u8 *frame; /* to try instructions on */
	struct warp *warp;
	bool changed;
};

/* --- Rows --------------------------------------------------------------------------------------- */

static void note_varies(struct analysis *a, u32 row)
{
	a->changed |= a->state[row] != ROW_VARIES;
	a->state[row] = ROW_VARIES;
}

/* What the lanes of a row have more than the first. */
struct distances {
	u64 of[WARP_LANES];
};

static u64 all_bits(u32 bits) { return bits == 64 ? ~0ull : 0xffffffff; }

static struct distances by_step(u64 step)
{
	struct distances d;

	for (u32 l = 0; l < WARP_LANES; l++)
		d.of[l] = step * l;
	return d;
}
static struct distances distances_of(const struct flow_row *r)
{
	struct distances d;

	for (u32 l = 0; l < WARP_LANES; l++)
		d.of[l] = lane_distance(r, l);
	return d;
}

/* Whether each lane is as far from the one before it as the second from the first. */
static bool are_equal(const struct distances *d, u32 bits)
{
	for (u32 l = 1; l < WARP_LANES; l++)
		if ((d->of[l] - d->of[l - 1] - d->of[1]) & all_bits(bits))
			return false;
	return true;
}

static bool has_distances(const struct flow_row *r, const struct distances *d)
{
	const struct distances own = distances_of(r);

	for (u32 l = 0; l < WARP_LANES; l++)
		if ((own.of[l] - d->of[l]) & all_bits(r->bits))
			return false;
	return true;
}

static void set_distances(struct arena *arena, struct flow_row *r, const struct distances *d)
{
	const bool equal = are_equal(d, r->bits);
	u64 *own = equal ? NULL : ARENA_ARRAY(arena, WARP_LANES, u64);

	if (own)
		memcpy(own, d->of, sizeof d->of);
	r->distances = own;
	r->step = equal ? d->of[1] : 1;
}

static void note_distances(struct analysis *a, u32 row, const struct distances *d, u32 zeros)
{
	struct flow_row *r = &a->f->rows[row];

	a->changed |= a->state[row] == ROW_AFFINE && zeros < a->zeros[row];
	if (a->state[row] == ROW_UNSEEN || zeros < a->zeros[row])
		a->zeros[row] = (u8)zeros;
	if (r->bits == 128 || (a->state[row] == ROW_AFFINE && !has_distances(r, d))) {
		note_varies(a, row);
	} else if (a->state[row] == ROW_UNSEEN) {
		a->state[row] = ROW_AFFINE;
		set_distances(a->f->arena, r, d);
		a->changed = true;
	}
}

static void note_step(struct analysis *a, u32 row, u64 step, u32 zeros)
{
	const struct distances d = by_step(step);

	note_distances(a, row, &d, zeros);
}

static u32 zeros_of(u64 value) { return value ? (u32)__builtin_ctzll(value) : ZEROS_ALL; }

/* Along x, y or z. In rows of less than a warp the first lane is the first of its row, and all rows of a warp are in one plane. */
static void note_thread_number(struct analysis *a, u32 row, u32 along)
{
	const u32 row_threads = a->f->row_threads;
	struct distances d;

	if (row_threads == WARP_LANES || along > 1) {
		note_step(a, row, along == 0, along ? 0 : ZEROS_OF_WARP);
		return;
	}
	for (u32 l = 0; l < WARP_LANES; l++)
		d.of[l] = along ? l / row_threads : l % row_threads;
	note_distances(a, row, &d, along ? zeros_of(WARP_LANES / row_threads) : ZEROS_ALL);
}

static void note_register(struct analysis *a, const struct sreg_row *s)
{
	const u32 row = flow_row_at(a->f, s->offset);
	const enum sreg_kind kind = sreg_info((enum sreg)s->sreg)->kind;

	if (row == NO_OPERAND)
		return;
	if (kind == SREG_PER_WARP || kind == SREG_PER_BLOCK || kind == SREG_PER_GRID)
		note_step(a, row, 0, 0);
	else if (s->sreg == SREG_laneid)
		note_step(a, row, 1, ZEROS_ALL);
	else if (s->sreg == SREG_tid && a->f->row_threads)
		note_thread_number(a, row, s->element);
	else
		note_varies(a, row);
}

/* What only its handler understands may write whatever it names. */
static void note_opaque(struct analysis *a)
{
	const bool *named = flow_named_by_opaque(a->f);

	for (u32 row = 0; row < a->f->row_count; row++)
		if (named[a->f->rows[row].home])
			note_varies(a, row);
}

/* Rows that no instruction writes, and those that may be read before one does: they are zero then. */
static void note_first_values(struct analysis *a)
{
	const struct code_flow *f = a->f;
	const struct code *code = f->code;

	for (u32 row = 0; row < f->row_count; row++)
		if (f->rows[row].constant)
			note_step(a, row, 0, zeros_of(f->rows[row].value));
	for (u32 k = 0; k < code->sreg_count; k++)
		note_register(a, &code->sregs[k]);
	for (u32 k = 0; k < code->undefined_count; k++) {
		const u32 row = flow_row_at(f, code->undefined[k].offset);
		if (row != NO_OPERAND)
			note_step(a, row, 0, ZEROS_ALL);
	}
	for (u32 k = 0; k < code->insn_count; k++)
		for (u32 o = 0; o < f->hoisted[k].operand_count; o++)
			if (f->hoisted[k].operands[o].written)
				a->hoisted[f->hoisted[k].operands[o].row] = true;
	for (u32 row = 0; row < f->row_count && f->block_count; row++)
		if (row_in(f->blocks[0].live, row) && a->state[row] == ROW_UNSEEN && !a->hoisted[row])
			note_varies(a, row);
}

/* --- Linear instructions ------------------------------------------------------------------------ */

static u64 lane_get(const u8 *row, u32 bits, u32 lane)
{
	return bits == 64 ? ((const u64 *)(const void *)row)[lane] : ((const u32 *)(const void *)row)[lane];
}

static void row_fill(u8 *row, u32 bits, u64 first, const struct distances *d)
{
	for (u32 l = 0; l < WARP_LANES; l++)
		if (bits == 64)
			((u64 *)(void *)row)[l] = first + d->of[l];
		else
			((u32 *)(void *)row)[l] = (u32)(first + d->of[l]);
}

/* Widths are those of the types: narrow numbers wrap around elsewhere, and relaxed registers are wider. */
static bool has_plain_widths(const struct step *s)
{
	for (u32 t = 0; t < s->form->type_count; t++)
		if (type_bits(s->form->types[t]) < 32)
			return false;
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].bits != 32 && s->operands[o].bits != 64)
			return false;
	if (!(s->form->row->flags & ISA_RELAXED))
		return true;
	return s->form->type_count == 2 && s->operand_count == 2 &&
	       s->operands[0].bits == type_bits(s->form->types[0]) &&
	       s->operands[1].bits == type_bits(s->form->types[1]);
}

/* The rows that it reads, each once, whose first lane is not known. False: too many. */
static bool find_unknown(const struct code_flow *f, const struct step *s, u32 rows[UNKNOWN_MOST], u32 *count)
{
	*count = 0;
	for (u32 o = 0; o < s->operand_count; o++) {
		const u32 row = s->operands[o].row;
		bool known = !s->operands[o].read || f->rows[row].constant;
		for (u32 n = 0; n < *count; n++)
			known |= rows[n] == row;
		if (known)
			continue;
		if (*count == UNKNOWN_MOST)
			return false;
		rows[(*count)++] = row;
	}
	return true;
}

/* Fills row n of the unknown: its first lane is 0, or what may be set of it is: of sums one such bit stands for all. */
static void fill_unknown(const struct analysis *a, u32 row, bool set, bool bitwise)
{
	const struct flow_row *r = &a->f->rows[row];
	const u64 highest = a->zeros[row] < r->bits ? ~0ull << a->zeros[row] : 0;
	const struct distances d = distances_of(r);

	row_fill(a->frame + r->offset, r->bits, !set ? 0 : bitwise ? highest : highest & -highest, &d);
}

/* Bit by bit, lanes must differ only in bits that are zero in the first one, so that these are known of each. */
static bool is_apart(const struct analysis *a, u32 row)
{
	const struct distances d = distances_of(&a->f->rows[row]);
	u64 any = 0;

	for (u32 l = 0; l < WARP_LANES; l++)
		any |= d.of[l] & all_bits(a->f->rows[row].bits);
	return a->zeros[row] == ZEROS_ALL || any < 1ull << a->zeros[row];
}

/* Whether lanes of a narrow row count less than the first: as a wide number, if that is small, they count more. */
static bool widens_less(const struct code_flow *f, const struct step *s, const struct step_operand *written)
{
	for (u32 o = 0; o < s->operand_count && written->bits == 64; o++) {
		const struct flow_row *r = &f->rows[s->operands[o].row];
		const struct distances d = distances_of(r);
		for (u32 l = 0; s->operands[o].read && r->bits == 32 && !r->constant && l < WARP_LANES; l++)
			if (d.of[l] & 1u << 31)
				return true;
	}
	return false;
}

/* What an instruction has made of one choice of first lanes. */
struct trial {
	struct distances apart;
	u64 other[WARP_LANES]; /* the bits in which lanes are not as the first */
};

static void try_choice(struct analysis *a, u32 k, const struct step *s, const u32 *rows, u32 count, u32 choice)
{
	const struct code_flow *f = a->f;
	const struct distances none = by_step(0);

	for (u32 o = 0; o < s->operand_count; o++) {
		const struct flow_row *r = &f->rows[s->operands[o].row];
		if (r->constant)
			row_fill(a->frame + r->offset, r->bits, r->value, &none);
	}
	for (u32 n = 0; n < count; n++)
		fill_unknown(a, rows[n], choice >> n & 1, s->form->row->traits & TRAIT_BITWISE);
	s->meaning->run(a->warp, &f->code->insns[k], a->frame, FULL_MASK);
}

static struct trial result_of(const u8 *result, u32 bits)
{
	const u64 first = lane_get(result, bits, 0);
	struct trial t;

	for (u32 l = 0; l < WARP_LANES; l++) {
		t.apart.of[l] = (lane_get(result, bits, l) - first) & all_bits(bits);
		t.other[l] = lane_get(result, bits, l) ^ first;
	}
	return t;
}

/* What lanes of the result of instruction k have more than the first, whatever the first lanes of its operands are; false: it depends on
 * them, or there is none. If so many bits differ always, and by as much, each differs always in one way. */
static bool find_distances(struct analysis *a, u32 k, const struct step *s, const struct step_operand *written,
			   struct distances *d, u32 *zeros)
{
	const struct code_flow *f = a->f;
	const bool bitwise = s->form->row->traits & TRAIT_BITWISE;
	u32 rows[UNKNOWN_MOST], count;
	struct trial first;

	if (!has_plain_widths(s) || s->form->layout != LAYOUT_DIRECT || !find_unknown(f, s, rows, &count))
		return false;
	for (u32 n = 0; bitwise && n < count; n++)
		if (!is_apart(a, rows[n]))
			return false;
	*zeros = ZEROS_ALL;
	for (u32 choice = 0; choice < 1u << count; choice++) {
		try_choice(a, k, s, rows, count, choice);
		const u8 *result = a->frame + f->rows[written->row].offset;
		const struct trial own = result_of(result, written->bits);
		if (!choice)
			first = own;
		if (memcmp(&own.apart, &first.apart, sizeof own.apart) ||
		    (bitwise && memcmp(own.other, first.other, sizeof own.other)))
			return false;
		*zeros = min_u32(*zeros, zeros_of(lane_get(result, written->bits, 0)));
	}
	*d = first.apart;
	return are_equal(d, written->bits) || !widens_less(f, s, written);
}

/* --- Instructions ------------------------------------------------------------------------------- */

/* A load of one number by each lane from memory that all lanes share: from one place they get one number. */
static bool loads_shared(const struct step *s)
{
	const struct isa_row *row = s->form->row;

	if (!(row->flags & ISA_MEMORY) || row->flags & ISA_ATOMIC || !(row->traits & TRAIT_LOADS) ||
	    s->form->layout != LAYOUT_MEMORY || form_vector(s->form) != 1)
		return false;
	const enum ir_space space = form_space(s->form);
	return space == SPACE_GLOBAL || space == SPACE_SHARED;
}

/* Each lane's result follows from that lane of the rows it reads alone, or is the same for all: of whole numbers, a kernel's
 * parameters, and what lies at one place. */
static bool is_pure(const struct step *s, bool hoisted)
{
	const u32 flags = s->form->row->flags;
	u32 written = 0;

	for (u32 o = 0; o < s->operand_count; o++)
		written += s->operands[o].written;
	if (s->kind != STEP_PLAIN || s->guarded || s->together || written != 1 ||
	    flags & (ISA_SYNC | ISA_CROSS_LANE | ISA_ATOMIC))
		return false;
	if (flags & ISA_MEMORY)
		return loads_shared(s) || (hoisted && flags & ISA_PARAM && s->form->row->traits & TRAIT_LOADS);
	return !form_has_floats(s->form);
}

static bool reads(const struct analysis *a, const struct step *s, enum row_state state, bool uniform)
{
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].read &&
		    (a->state[s->operands[o].row] != state || (uniform && a->f->rows[s->operands[o].row].step)))
			return false;
	return true;
}

static bool reads_any(const struct analysis *a, const struct step *s, enum row_state state)
{
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].read && a->state[s->operands[o].row] == state)
			return true;
	return false;
}

static void note_result(struct analysis *a, u32 k, const struct step *s, bool pure, const struct step_operand *o)
{
	const u64 *merged = a->f->merged[a->f->block_of[k]];
	struct distances d;
	u32 zeros = 0;

	if (!pure || o->bits != a->f->rows[o->row].bits || (merged && row_in(merged, o->row)) ||
	    !reads(a, s, ROW_AFFINE, false))
		note_varies(a, o->row);
	else if (s->form->row->traits & TRAITS_ALGEBRAIC && o->bits > 1 && find_distances(a, k, s, o, &d, &zeros))
		note_distances(a, o->row, &d, zeros);
	else if (reads(a, s, ROW_AFFINE, true))
		note_step(a, o->row, 0, 0);
	else
		note_varies(a, o->row);
}

static void note_insn(struct analysis *a, u32 k)
{
	const struct step *hoisted = &a->f->hoisted[k];
	const struct step *s = hoisted->form ? hoisted : &a->f->steps[k];

	if (!s->form || s->opaque)
		return;
	const bool pure = is_pure(s, s == hoisted);
	if (pure && reads_any(a, s, ROW_UNSEEN) && !reads_any(a, s, ROW_VARIES))
		return; /* it may become one or the other */
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].written)
			note_result(a, k, s, pure, &s->operands[o]);
		else if (s->operands[o].bits != a->f->rows[s->operands[o].row].bits)
			note_varies(a, s->operands[o].row);
}

/* --- Lanes that part ---------------------------------------------------------------------------- */

/* In all blocks from `from` on, up to `join`, lanes wait that will read what is live at block `at`. */
static void note_waiting(struct analysis *a, u32 from, u32 join, u32 at)
{
	const struct code_flow *f = a->f;
	const u32 count = at < f->block_count ? flow_blocks_between(f, &a->walk, from, join) : 0;

	for (u32 k = 0; k < count; k++) {
		u64 **merged = &f->merged[a->walk.list[k]];
		if (!*merged)
			*merged = ARENA_ARRAY(f->arena, f->words, u64);
		for (u32 w = 0; w < f->words; w++)
			(*merged)[w] |= f->blocks[at].live[w];
	}
	a->changed |= count;
}

static void note_branch(struct analysis *a, u32 b)
{
	const struct code_flow *f = a->f;
	const u32 last = f->blocks[b].end - 1;
	const struct step *s = &f->steps[last];
	const struct insn *i = &f->code->insns[last];

	if (!s->branches || a->parted[b] || a->state[s->operands[0].row] != ROW_VARIES)
		return;
	const u32 join = f->block_of[last + i->b], target = f->block_of[last + (u32)i->imm];
	a->parted[b] = true;
	note_waiting(a, b + 1, join, join);
	note_waiting(a, target, join, join);
	if (target != join)
		note_waiting(a, b + 1, join, target);
}

/* Whether every way that lanes may part is known. */
static bool is_understood(const struct code_flow *f)
{
	const u32 others = ISA_BRANCH | ISA_INDIRECT | ISA_CALL;

	if (f->code->call_count || f->code->steps)
		return false;
	for (u32 k = 0; k < f->code->insn_count; k++) {
		const struct step *s = &f->steps[k];
		if (s->form && s->form->row->flags & others)
			return false;
		if (s->branches && (f->code->insns[k].b == NO_OPERAND || !s->operand_count))
			return false;
	}
	return true;
}

/* --- The whole ---------------------------------------------------------------------------------- */

static void solve(struct analysis *a)
{
	const struct code_flow *f = a->f;

	note_opaque(a);
	note_first_values(a);
	do {
		a->changed = false;
		for (u32 b = 0; b < f->block_count; b++) {
			for (u32 k = f->blocks[b].first; k < f->blocks[b].end; k++)
				note_insn(a, k);
			note_branch(a, b);
		}
	} while (a->changed);
	for (u32 row = 0; row < f->row_count; row++)
		f->rows[row].affine = a->state[row] == ROW_AFFINE;
}

/* By row: whether an instruction writes it that is not hoisted. */
static bool *find_written(const struct code_flow *f)
{
	bool *written = ARENA_ARRAY(f->arena, f->row_count + 1, bool);

	for (u32 k = 0; k < f->code->insn_count; k++)
		for (u32 o = 0; o < f->steps[k].operand_count; o++)
			written[f->steps[k].operands[o].row] |= f->steps[k].operands[o].written;
	return written;
}

/* What is the same in all warps of a block: special registers, and what hoisted instructions make of such rows, which stand in the order in
 * which they need each other. */
static void find_block_rows(const struct analysis *a)
{
	const struct code_flow *f = a->f;
	const bool *written = find_written(f);

	for (u32 row = 0; row < f->row_count; row++)
		f->rows[row].of_block = f->rows[row].constant;
	for (u32 k = 0; k < f->code->sreg_count; k++) {
		const u32 row = flow_row_at(f, f->code->sregs[k].offset);
		const enum sreg_kind kind = sreg_info((enum sreg)f->code->sregs[k].sreg)->kind;
		if (row != NO_OPERAND)
			f->rows[row].of_block = (kind == SREG_PER_BLOCK || kind == SREG_PER_GRID) && !written[row];
	}
	for (u32 k = 0; k < f->code->insn_count; k++) {
		const struct step *s = &f->hoisted[k];
		bool same = s->form && is_pure(s, true);
		for (u32 o = 0; o < s->operand_count; o++)
			same &= s->operands[o].written || f->rows[s->operands[o].row].of_block;
		for (u32 o = 0; o < s->operand_count; o++) {
			struct flow_row *r = &f->rows[s->operands[o].row];
			if (s->operands[o].written)
				r->of_block = same && r->affine && !r->step && !written[s->operands[o].row];
		}
	}
}

static bool reads_thread_number(const struct code *code)
{
	for (u32 k = 0; k < code->sreg_count; k++)
		if (code->sregs[k].sreg == SREG_tid)
			return true;
	return false;
}

u32 affine_row_threads(const u32 block[3])
{
	if (block[0] && block[0] % WARP_LANES == 0)
		return WARP_LANES;
	return block[0] && WARP_LANES % block[0] == 0 && has_rows_of(block, block[0]) ? block[0] : 0;
}

void affine_find(struct code_flow *f, u32 row_threads)
{
	const u32 blocks = f->block_count + 1;
	struct warp *warp = calloc(1, sizeof *warp);
	u8 *frame = aligned_alloc(FRAME_ALIGN, ((size_t)f->code->frame_bytes / FRAME_ALIGN + 2) * FRAME_ALIGN);

	f->row_threads = 0;
	if (warp && frame && is_understood(f)) {
		f->row_threads = reads_thread_number(f->code) ? row_threads : 0;
		f->merged = ARENA_ARRAY(f->arena, blocks, u64 *);
		struct analysis a = {.f = f,
				     .state = ARENA_ARRAY(f->arena, f->row_count + 1, u8),
				     .zeros = ARENA_ARRAY(f->arena, f->row_count + 1, u8),
				     .hoisted = ARENA_ARRAY(f->arena, f->row_count + 1, bool),
				     .parted = ARENA_ARRAY(f->arena, blocks, bool),
				     .walk = block_walk_new(f),
				     .frame = frame,
				     .warp = warp};
		solve(&a);
		find_block_rows(&a);
	}
	free(warp);
	free(frame);
}

bool affine_step(const struct code_flow *f, const struct step *s)
{
	bool any = false;

	if (s->kind != STEP_PLAIN || !s->form || (s->form->row->flags & ISA_MEMORY && !loads_shared(s)))
		return false;
	for (u32 o = 0; o < s->operand_count; o++) {
		const struct flow_row *row = &f->rows[s->operands[o].row];
		any |= s->operands[o].written;
		if (!row->affine || (row->step && s->form->row->flags & ISA_MEMORY))
			return false;
	}
	return any;
}

char affine_widened(const struct code_flow *f, const struct step *s, const struct step_operand *read)
{
	bool wide = false;

	for (u32 o = 0; o < s->operand_count; o++)
		wide |= s->operands[o].written && s->operands[o].bits == 64;
	if (!wide || !read->read || read->bits != 32 || !f->rows[read->row].step)
		return 0;
	return type_class(s->form->types[s->form->type_count - 1]) == 's' ? 's' : 'u';
}
