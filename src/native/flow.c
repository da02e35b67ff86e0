/* SPDX-License-Identifier: Apache-2.0
 *
 * Classifies a kernel's instructions, finds its blocks, and solves liveness of rows by backward data flow.
 *
 * Each decoded instruction is a step of one kind: PLAIN can be compiled, BRANCH and BRANCH_IF are edges, COUNT, JOIN,
 * GUARD and NOTHING are dealt with by whoever compiles, and a WALL is left to the interpreter, so that no region
 * contains it.
 */
#include "native/flow.h"

#include <stdio.h>
#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/grid.h"
#include "isa/expanded.h"
#include "isa/form.h"
#include "isa/linear.h"
#include "native/webs.h"

enum { FRAME_BYTES_MAX = 1 << 20, INSNS_MAX = 60000, BLOCK_INSNS_MAX = 192, BLOCK_ACCESSES_MAX = 64, AUX_SPIN = 2 };

/* Handlers of the instructions that lowering puts in. */
struct internals {
	meaning_fn *count, *join, *guard, *bra, *bra_if, *exit;
};

static meaning_fn *internal(const struct isa *isa, enum opcode opcode)
{
	const struct meaning *m = isa_internal(isa, opcode);

	return m ? m->run : NULL;
}

/* --- Operands ---------------------------------------------------------------------------------- */

/* Rows are known by their offset in the frame; the widest use decides their width. */
static u32 row_number(struct code_flow *f, u32 offset, u32 bits)
{
	u32 *number = &f->row_numbers[offset / 4];

	if (*number == NO_OPERAND) {
		*number = f->row_count;
		f->rows[*number] = (struct flow_row){.offset = offset, .home = *number, .bits = (u8)bits};
		f->row_count++;
	}
	if (f->rows[*number].bits < bits)
		f->rows[*number].bits = (u8)bits;
	return *number;
}

static u8 row_bits(u32 bits) { return bits == 1 ? 1 : bits <= 32 ? 32 : bits <= 64 ? 64 : 128; }

/* Where the instruction names flattened operand k: see decode/operands.h. */
static u8 place_of(const struct form *f, u32 k)
{
	static const u8 direct[] = {PLACE_D, PLACE_A, PLACE_B, PLACE_C}, around[] = {PLACE_D, PLACE_B, PLACE_C};
	const bool is_memory = f->layout == LAYOUT_MEMORY || f->layout == LAYOUT_MEMORY_LIST;
	const u32 skip = f->has_result ? 0 : 1;

	if (is_memory && k == f->base_at)
		return PLACE_A;
	if (is_memory && k > f->base_at)
		k -= 2;
	if (f->layout == LAYOUT_DIRECT)
		return direct[(k + skip) % COUNT_OF(direct)];
	return f->layout == LAYOUT_MEMORY ? around[(k + skip) % COUNT_OF(around)] : (u8)(PLACE_LIST + k);
}

bool step_add(struct code_flow *f, struct step *s, u8 place, u32 offset, u32 bits, bool read, bool written)
{
	if (offset == NO_OPERAND || !bits)
		return true;
	if (!s->operands)
		s->operands = ARENA_ARRAY(f->arena, STEP_OPERANDS_MAX, struct step_operand);
	if (s->operand_count == STEP_OPERANDS_MAX || offset >= f->code->frame_bytes)
		return false;
	s->operands[s->operand_count++] = (struct step_operand){.row = row_number(f, offset, row_bits(bits)),
								.bits = row_bits(bits),
								.place = place,
								.read = read,
								.written = written};
	return true;
}

/* Whether second results stand among the operands: those of PTX do, if only as left out; machine code leaves them away. False: it
 * cannot be told. */
static bool find_seconds(const struct code_flow *f, const struct form *form, const struct operand_spec *specs,
			 u32 count, bool *there)
{
	u32 others = 0, seconds = 0;

	for (u32 k = 0; k < count; k++) {
		others += specs[k].immediate ? 0 : specs[k].kind == '@' ? 2 : specs[k].vector;
		seconds += !specs[k].immediate && specs[k].second != TOKEN_NONE;
	}
	*there = !f->code->steps || form->operand_count == others + seconds;
	return *there || !seconds || form->operand_count == others;
}

/* A result that is left out is written to a row that nobody reads, of any type; one without a row is no operand. */
static u32 operand_row_bits(const struct form *form, u32 operand, bool written)
{
	const u32 bits = form->operand_bits[operand];

	return bits || !written ? bits : 128;
}

/* False: there is an operand of a kind that only the handler understands. */
static bool read_operands(struct code_flow *f, struct step *s, const struct insn *i)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(s->form, specs);
	bool seconds;
	u32 at = 0;

	if (!find_seconds(f, s->form, specs, count, &seconds))
		return false;
	for (u32 k = 0; k < count; k++) {
		const bool address = specs[k].kind == '@';
		if (specs[k].immediate)
			continue;
		if (!address && specs[k].kind != 't')
			return false;
		const u32 width = address ? 2 : specs[k].vector + (seconds && specs[k].second != TOKEN_NONE);
		for (u32 e = 0; e < width && at + e < s->form->operand_count; e++) {
			const bool read = !specs[k].written || specs[k].read || address;
			if (address && e)
				continue;
			if (!step_add(f, s, place_of(s->form, at + e), insn_operand(f->code, s->form, i, at + e),
				      operand_row_bits(s->form, at + e, specs[k].written), read, specs[k].written))
				return false;
		}
		at += width;
	}
	return at >= s->form->operand_count;
}

bool form_has_floats(const struct form *f)
{
	for (u32 t = 0; t < f->type_count; t++)
		if (type_class(f->types[t]) == 'f')
			return true;
	return false;
}

/* --- What each instruction is ------------------------------------------------------------------- */

/* Accesses that other threads may wait for, or that have an order of their own. */
static bool is_ordered(const struct form *f)
{
	static const int tokens[] = {M_volatile, M_relaxed, M_acquire, M_release, M_mmio};

	for (size_t k = 0; k < COUNT_OF(tokens); k++)
		if (form_has(f, tokens[k]))
			return true;
	return false;
}

enum {
	BARRED = ISA_BRANCH | ISA_INDIRECT | ISA_CALL | ISA_RET | ISA_EXIT | ISA_ATOMIC | ISA_UNGUARDED | ISA_ORDERED |
		 ISA_UNMODELLED | ISA_LATE
};

/* Its effect on each lane depends on that lane alone, in any order, and nothing else can see when it happens. Traits that others ask
 * for say nothing against it. */
static bool runs_lane_by_lane(const struct step *s, const struct insn *i)
{
	const struct form *f = s->form;
	const u32 traits =
		TRAIT_LOADS | TRAIT_STORES | TRAIT_COMMUTES | TRAITS_ALGEBRAIC | TRAIT_EXPANDED | TRAIT_EXPANDED_WIDE;

	return !(f->row->flags & (BARRED | ISA_SYNC | ISA_CROSS_LANE)) && !(f->row->traits & ~traits) &&
	       s->meaning->gang && !is_ordered(f) && !i->run;
}

/* An atomic operation of which several leave the same in memory in whatever order they come; old values may still tell. */
static bool may_sum(const struct step *s, const struct insn *i)
{
	const struct form *f = s->form;
	const u32 traits = TRAIT_JOINS | TRAIT_REDUCES | TRAIT_ORDERS;

	return f->row->traits & TRAIT_JOINS && s->meaning->gang && !(f->row->flags & (BARRED & ~(u32)ISA_ATOMIC)) &&
	       !(f->row->traits & ~traits) && !form_has(f, M_acquire) && !form_has(f, M_release) &&
	       !form_has(f, M_acq_rel) && !i->run;
}

/* An atomic operation in a kernel whose warps run one after the other: natively, too. What it gives back is a row like others. */
static bool runs_in_turn(const struct code *code, const struct step *s, const struct insn *i)
{
	const struct form *f = s->form;
	const u32 traits = TRAIT_JOINS | TRAIT_REDUCES | TRAIT_ORDERS;

	return code->one_by_one && f->row->flags & ISA_ATOMIC && s->meaning->gang &&
	       !(f->row->flags & (BARRED & ~(u32)ISA_ATOMIC)) && !(f->row->traits & ~traits) &&
	       !form_has(f, M_acquire) && !form_has(f, M_release) && !form_has(f, M_acq_rel) && !i->run;
}

static bool is_full_mask(const struct code *code, u32 offset)
{
	for (u32 k = 0; k < code->constant_count; k++)
		if (code->constants[k].offset == offset)
			return !code->constants[k].frame_relative && code->constants[k].low == FULL_MASK;
	return false;
}

/* Exchanges of which all lanes of a warp are named as members, by the last operand. */
static bool runs_together(const struct code *code, const struct step *s, const struct insn *i)
{
	const struct form *f = s->form;

	return f->row->flags & ISA_SYNC && f->row->traits & (TRAIT_SHUFFLES | TRAIT_VOTES) &&
	       !(f->row->traits & ~(TRAIT_SHUFFLES | TRAIT_VOTES)) && !(f->row->flags & BARRED) && f->operand_count &&
	       is_full_mask(code, insn_operand(code, f, i, f->operand_count - 1u));
}

/* Why a step is left to the interpreter. */
const char *step_wall_reason(const struct step *s, const struct insn *i)
{
	const struct form *f = s->form;

	if (!f)
		return "control flow";
	if (f->row->flags & (ISA_CALL | ISA_RET))
		return "calls and returns";
	if (f->row->flags & ISA_EXIT)
		return "threads end";
	if (f->row->flags & (ISA_BRANCH | ISA_INDIRECT))
		return "a branch by index";
	if (f->row->flags & ISA_ATOMIC)
		return "atomic operations whose order may show";
	if (f->row->flags & ISA_SYNC)
		return "warps or some lanes may wait for others";
	if (f->row->flags & ISA_CROSS_LANE)
		return "lanes exchange values";
	if (is_ordered(f) || f->row->flags & ISA_ORDERED)
		return "others may see when it happens";
	if (!s->meaning || s->meaning->run != i->fn || s->opaque)
		return "operands that only its handler knows";
	return "only its handler does it";
}

/* `opaque` until proven otherwise: a step whose operands are not understood may read any row. */
void step_by_form(struct code_flow *f, struct step *s, const struct insn *i)
{
	const struct code *code = f->code;

	s->kind = STEP_WALL;
	s->opaque = true;
	if (!s->form)
		return;
	s->ends = s->form->row->flags & ISA_EXIT;
	if (s->form->row->flags & (ISA_BRANCH | ISA_CALL | ISA_RET | ISA_EXIT) || !s->form->row->meaning)
		return;
	s->meaning = s->form->row->meaning(s->form);
	if (!s->meaning || s->meaning->run != i->fn || !read_operands(f, s, i)) {
		s->operand_count = 0;
		return;
	}
	s->opaque = false;
	s->together = runs_together(code, s, i);
	s->sums = may_sum(s, i);
	if (s->together || runs_lane_by_lane(s, i) || runs_in_turn(code, s, i))
		s->kind = STEP_PLAIN;
}

static void classify_text(struct code_flow *f, u32 k, struct step *s)
{
	const u32 origin = f->code->origin[k];

	if (origin != NO_OPERAND && f->code->forms[origin].row)
		s->form = &f->code->forms[origin];
	step_by_form(f, s, &f->code->insns[k]);
}

/* A branch of PTX, or a guard, whose one operand is the predicate. */
static void classify_way(struct code_flow *f, const struct internals *in, struct step *s, u32 k)
{
	const struct insn *i = &f->code->insns[k];

	s->jumps = i->fn != in->guard;
	s->falls = i->fn != in->bra;
	s->negated = i->aux & 1;
	s->parts = i->fn == in->bra_if;
	if (s->parts && i->b != NO_OPERAND)
		s->join = k + i->b;
	if (i->fn != in->bra)
		step_add(f, s, PLACE_A, i->a, 1, true, false);
}

static void classify(struct code_flow *f, const struct internals *in, u32 k)
{
	const struct code *code = f->code;
	const struct insn *i = &code->insns[k];
	struct step *s = &f->steps[k];

	s->falls = true;
	s->join = NO_OPERAND;
	if (code->once && code->once[k]) {
		s->kind = STEP_NOTHING;
		classify_text(f, k, &f->hoisted[k]);
	} else if (i->fn == in->count)
		s->kind = STEP_COUNT;
	else if (i->fn == in->join)
		s->kind = STEP_JOIN;
	else if (i->fn == in->guard)
		s->kind = STEP_GUARD;
	else if (i->fn == in->bra)
		s->kind = i->aux & AUX_SPIN ? STEP_WALL : STEP_BRANCH;
	else if (i->fn == in->bra_if)
		s->kind = i->aux & AUX_SPIN || i->b == NO_OPERAND ? STEP_WALL : STEP_BRANCH_IF;
	else
		classify_text(f, k, s);
	s->branches = i->fn == in->bra_if;
	s->ends |= i->fn == in->exit;
	s->guarded = s->prefixed = k && code->insns[k - 1].fn == in->guard;
	if (s->together && s->guarded)
		s->kind = STEP_WALL;
	if (s->kind == STEP_WALL && i->fn != in->exit)
		s->reason = i->fn == in->bra || i->fn == in->bra_if ? "a loop that may wait for others"
								    : step_wall_reason(s, i);
	if (i->fn == in->guard || i->fn == in->bra || i->fn == in->bra_if)
		classify_way(f, in, s, k);
}

/* Of an instruction that observers watch in the interpreter. Lanes that wait for others at a join are refused below. */
static void leave_to_interpreter(struct step *s)
{
	if (s->kind == STEP_JOIN)
		return;
	s->kind = STEP_WALL;
	s->sums = false;
	s->reason = "observers must see it interpreted";
}

/* --- Barriers of one warp ------------------------------------------------------------------------ */

/* Which barrier of the block; NO_OPERAND: it is not known. */
static u32 number_of_barrier(const struct code *code, const struct insn *i)
{
	for (u32 k = 0; k < code->constant_count; k++)
		if (code->constants[k].offset == i->a)
			return code->constants[k].frame_relative ? NO_OPERAND : (u32)code->constants[k].low;
	return i->a == NO_OPERAND ? 0 : NO_OPERAND;
}

/* Whether it waits for all threads of the block, and nothing else. */
static bool awaits_block(const struct code *code, const struct step *s, const struct insn *i)
{
	const struct form *f = s->form;

	return f && f->row->traits & TRAIT_BARRIER && form_has(f, M_sync) && !s->opaque && f->layout == LAYOUT_DIRECT &&
	       i->b == NO_OPERAND && number_of_barrier(code, i) < BARRIERS_PER_BLOCK;
}

/* Where a block is one warp, all of whose lanes stand there, a barrier has nobody to wait for. A block some of whose threads have begun one, and
 * gone on, is no gang any more, and not run natively. */
static void pass_barriers(struct code_flow *f)
{
	const struct code *code = f->code;

	for (u32 k = 0; !code->steps && !code->call_count && k < code->insn_count; k++) {
		struct step *s = &f->steps[k];
		if (s->told == NATIVE_ENDS || s->guarded || !awaits_block(code, s, &code->insns[k]))
			continue;
		s->kind = STEP_PLAIN;
		s->together = s->alone = true;
		s->operand_count = 0;
		f->one_warp = true;
	}
}

/* A guard goes with what it guards: if that is a wall, both are. */
static void join_guards(struct code_flow *f)
{
	for (u32 k = 0; k + 1 < f->code->insn_count; k++)
		if (f->steps[k].kind == STEP_GUARD && f->steps[k + 1].kind != STEP_PLAIN)
			f->steps[k].kind = f->steps[k + 1].kind = STEP_WALL;
}

/* --- Blocks ------------------------------------------------------------------------------------- */

static bool in_code(const struct code_flow *f, s64 k) { return k >= 0 && k < f->code->insn_count; }

static bool is_access(const struct step *s)
{
	return s->kind == STEP_PLAIN && s->form && s->form->row->flags & ISA_MEMORY;
}

/* Blocks begin at targets, behind jumps, at walls, and where one would become too long to compile well. */
static void mark_leaders(struct code_flow *f, bool *leads)
{
	const struct code *code = f->code;
	u32 accesses = 0;

	leads[0] = true;
	for (u32 k = 0, last = 0; k < code->insn_count; k++) {
		const struct insn *i = &code->insns[k];
		const struct step *s = &f->steps[k];
		if ((s->kind == STEP_WALL && !s->prefixed) || s->kind == STEP_JOIN)
			leads[k] = true;
		if ((s->kind == STEP_WALL && !s[1].prefixed) || s->kind == STEP_COUNT || s->jumps)
			leads[k + 1] = true;
		if (s->jumps && in_code(f, (s64)k + i->imm))
			leads[k + (u32)i->imm] = true;
		if ((k - last >= BLOCK_INSNS_MAX || accesses >= BLOCK_ACCESSES_MAX) && !s->prefixed)
			leads[k] = true;
		last = leads[k] ? k : last;
		accesses = (leads[k] ? 0 : accesses) + is_access(&f->steps[k]);
	}
}

static void link_blocks(struct code_flow *f)
{
	for (u32 b = 0; b < f->block_count; b++) {
		struct code_block *x = &f->blocks[b];
		const u32 last = x->end - 1;
		const struct insn *i = &f->code->insns[last];
		const bool jumps = f->steps[last].jumps && in_code(f, (s64)last + i->imm);
		if (!(f->steps[last].ends || (jumps && !f->steps[last].falls)) && x->end < f->code->insn_count)
			x->successors[x->successor_count++] = b + 1;
		if (jumps)
			x->successors[x->successor_count++] = f->block_of[last + (u32)i->imm];
		for (u32 s = 0; s < x->successor_count; s++)
			f->blocks[x->successors[s]].predecessor_count++;
	}
	for (u32 b = 0; b < f->block_count; b++) {
		f->blocks[b].predecessors = ARENA_ARRAY(f->arena, f->blocks[b].predecessor_count + 1, u32);
		f->blocks[b].predecessor_count = 0;
	}
	for (u32 b = 0; b < f->block_count; b++)
		for (u32 s = 0; s < f->blocks[b].successor_count; s++) {
			struct code_block *to = &f->blocks[f->blocks[b].successors[s]];
			to->predecessors[to->predecessor_count++] = b;
		}
}

static void find_blocks(struct code_flow *f)
{
	const u32 count = f->code->insn_count;
	bool *leads = ARENA_ARRAY(f->arena, count + 1, bool);

	mark_leaders(f, leads);
	f->block_count = 0;
	for (u32 k = 0; k < count; k++)
		f->block_count += leads[k];
	f->blocks = ARENA_ARRAY(f->arena, f->block_count + 1, struct code_block);
	f->block_of = ARENA_ARRAY(f->arena, count + 1, u32);
	for (u32 k = 0, b = 0; k < count; k++) {
		b += leads[k] && k;
		if (leads[k])
			f->blocks[b].first = k;
		f->blocks[b].end = k + 1;
		f->blocks[b].wall |= f->steps[k].kind == STEP_WALL;
		f->block_of[k] = b;
	}
	f->block_of[count] = f->block_count;
	link_blocks(f);
}

struct block_walk block_walk_new(const struct code_flow *f)
{
	return (struct block_walk){.list = ARENA_ARRAY(f->arena, f->block_count + 1, u32),
				   .seen = ARENA_ARRAY(f->arena, f->block_count + 1, u32)};
}

u32 flow_blocks_between(const struct code_flow *f, struct block_walk *walk, u32 from, u32 until)
{
	u32 count = 0;

	if (from == until || from >= f->block_count)
		return 0;
	walk->seen[from] = ++walk->visit;
	walk->list[count++] = from;
	for (u32 done = 0; done < count; done++) {
		const struct code_block *x = &f->blocks[walk->list[done]];
		for (u32 s = 0; s < x->successor_count; s++) {
			const u32 to = x->successors[s];
			if (to == until || to >= f->block_count || walk->seen[to] == walk->visit)
				continue;
			walk->seen[to] = walk->visit;
			walk->list[count++] = to;
		}
	}
	return count;
}

bool *flow_named_by_opaque(const struct code_flow *f)
{
	bool *named = ARENA_ARRAY(f->arena, f->row_count + 1, bool);

	for (u32 k = 0; k < f->code->insn_count; k++) {
		const struct step *s = f->hoisted[k].form ? &f->hoisted[k] : &f->steps[k];
		for (u32 n = 0; s->opaque && s->form && n < s->form->operand_count; n++) {
			const u32 row = flow_row_at(f, insn_operand(f->code, s->form, &f->code->insns[k], n));
			if (row != NO_OPERAND)
				named[row] = true;
		}
	}
	return named;
}

/* --- Liveness ----------------------------------------------------------------------------------- */

/* From what is live behind step k to what is live before it. A guarded write may leave lanes as they were. */
void code_flow_before(const struct code_flow *f, u32 k, u64 *live)
{
	const struct step *s = &f->steps[k];

	if (s->ends)
		memset(live, 0, f->words * sizeof *live);
	else if (s->opaque)
		memset(live, 0xff, f->words * sizeof *live);
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].written && !s->guarded)
			row_remove(live, s->operands[o].row);
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].read && !is_part_of_scaled(&s->operands[o]))
			row_add(live, s->operands[o].row);
}

void code_flow_behind(const struct code_flow *f, const struct code_block *x, u64 *live)
{
	memset(live, 0, f->words * sizeof *live);
	for (u32 s = 0; s < x->successor_count; s++)
		for (u32 w = 0; w < f->words; w++)
			live[w] |= f->blocks[x->successors[s]].live[w];
}

/* Backwards, to a fixed point. */
static void solve(struct code_flow *f)
{
	u64 *live = ARENA_ARRAY(f->arena, f->words, u64);

	for (bool changed = true; changed;) {
		changed = false;
		for (u32 b = f->block_count; b-- > 0;) {
			struct code_block *x = &f->blocks[b];
			code_flow_behind(f, x, live);
			for (u32 k = x->end; k-- > x->first;)
				code_flow_before(f, k, live);
			if (memcmp(live, x->live, f->words * sizeof *live)) {
				memcpy(x->live, live, f->words * sizeof *live);
				changed = true;
			}
		}
	}
}

/* Takes away results that nobody reads. False: somebody does. */
static bool drop_results(struct step *s, const u64 *live)
{
	u32 kept = 0;

	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].written && row_in(live, s->operands[o].row))
			return false;
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].read)
			s->operands[kept++] = s->operands[o];
	s->operand_count = (u8)kept;
	return true;
}

/* Atomic operations of which no order shows are ordinary instructions; which they are needs liveness, and with them blocks
 * are others. */
static void find_sums(struct code_flow *f)
{
	u64 *live = ARENA_ARRAY(f->arena, f->words, u64);

	for (u32 b = 0; b < f->block_count; b++) {
		const struct code_block *x = &f->blocks[b];
		code_flow_behind(f, x, live);
		for (u32 k = x->end; k-- > x->first;) {
			struct step *s = &f->steps[k];
			if (s->sums) {
				s->sums = drop_results(s, live);
				s->kind = s->sums || f->code->one_by_one ? STEP_PLAIN : STEP_WALL;
			}
			code_flow_before(f, k, live);
		}
	}
}

void shared_use_add(struct shared_use *to, const struct shared_use *more)
{
	for (u32 k = 0; k < 2; k++) {
		const u32 kind = to->sums[k] ? to->sums[k] : more->sums[k];
		to->clashes |= more->sums[k] && more->sums[k] != kind;
		to->sums[k] = kind;
		to->other[k] |= more->other[k];
		to->clashes |= to->sums[k] && to->other[k];
	}
}

static struct shared_use use_of(const struct step *s)
{
	const enum ir_space space = form_space(s->form);
	struct shared_use use = {0};

	for (u32 k = 0; k < 2; k++) {
		if (space != SPACE_GENERIC && space != (k ? SPACE_GLOBAL : SPACE_SHARED))
			continue;
		if (s->sums)
			use.sums[k] = (u32)form_pick(s->form, M_and, M_cas) << 16 | ((u32)form_type(s->form, 0) + 1);
		else
			use.other[k] = !form_has(s->form, M_nc);
	}
	return use;
}

/* Sums in a block whose order would show are left to the interpreter. False: there are none. */
static bool part_clashes(struct code_flow *f)
{
	bool found = false;

	if (f->code->one_by_one)
		return false;
	for (u32 b = 0; b < f->block_count; b++) {
		struct code_block *x = &f->blocks[b];
		for (u32 k = x->first; k < x->end; k++) {
			const struct step *s = &f->steps[k];
			if (s->kind != STEP_PLAIN || !s->form || !(s->form->row->flags & ISA_MEMORY))
				continue;
			const struct shared_use use = use_of(s);
			shared_use_add(&x->use, &use);
		}
		for (u32 k = x->first; x->use.clashes && k < x->end; k++)
			if (f->steps[k].sums) {
				f->steps[k].sums = false;
				f->steps[k].kind = STEP_WALL;
				found = true;
			}
	}
	return found;
}

static void note_constants(struct code_flow *f)
{
	for (u32 k = 0; k < f->code->constant_count; k++) {
		const struct constant_row *c = &f->code->constants[k];
		const u32 number = f->row_numbers[c->offset / 4];
		if (number == NO_OPERAND || c->frame_relative || c->bits > 64)
			continue;
		f->rows[number].constant = true;
		f->rows[number].value = c->low;
	}
}

static void divide(struct code_flow *f)
{
	find_blocks(f);
	f->words = f->row_count / 64 + 1;
	for (u32 b = 0; b < f->block_count; b++)
		f->blocks[b].live = ARENA_ARRAY(f->arena, f->words, u64);
	solve(f);
	if (f->code->steps)
		flow_find_meetings(f);
}

bool code_flow_refuses(const struct code *code, char *message, size_t size)
{
	if (!code->gang_insns)
		snprintf(message, size, "functions that are called are interpreted");
	else if (code->frame_bytes > FRAME_BYTES_MAX)
		snprintf(message, size, "its registers take %u bytes a warp, more than %u", code->frame_bytes,
			 FRAME_BYTES_MAX);
	else if (code->insn_count > INSNS_MAX)
		snprintf(message, size, "it has %u decoded instructions, more than %u", code->insn_count, INSNS_MAX);
	else
		return false;
	return true;
}

struct code_flow *code_flow_build(struct arena *arena, const struct isa *isa, const struct code *code, const u8 *told,
				  bool one_warp)
{
	const struct internals in = {internal(isa, OP_internal_count),  internal(isa, OP_internal_join),
				     internal(isa, OP_internal_guard),  internal(isa, OP_internal_bra),
				     internal(isa, OP_internal_bra_if), internal(isa, OP_internal_exit)};
	struct code_flow *f = ARENA_NEW(arena, struct code_flow);
	bool sums = false;

	if (code_flow_refuses(code, NULL, 0))
		return NULL;
	*f = (struct code_flow){.arena = arena, .code = code};
	f->steps = ARENA_ARRAY(arena, code->insn_count + 1, struct step);
	f->hoisted = ARENA_ARRAY(arena, code->insn_count + 1, struct step);
	f->rows = ARENA_ARRAY(arena, code->frame_bytes / 4 + 1, struct flow_row);
	f->row_numbers = ARENA_ARRAY(arena, code->frame_bytes / 4 + 1, u32);
	memset(f->row_numbers, 0xff, ((size_t)code->frame_bytes / 4 + 1) * sizeof *f->row_numbers);
	for (u32 k = 0, repeats = 0; k < code->insn_count; k++) {
		if (code->steps)
			step_of_machine(f, isa, k);
		else
			classify(f, &in, k);
		sums |= f->steps[k].sums;
		f->steps[k].told = told ? told[k] : NATIVE_SILENT;
		if (f->steps[k].told == NATIVE_ENDS)
			leave_to_interpreter(&f->steps[k]);
		f->steps[k].repeat = repeats;
		repeats += native_repeats((enum native_telling)f->steps[k].told);
		if (f->steps[k].told && f->steps[k].kind == STEP_JOIN)
			return NULL;
	}
	if (code->steps && !flow_rows_are_apart(f))
		return NULL;
	if (one_warp)
		pass_barriers(f);
	note_constants(f);
	if (sums) {
		divide(f);
		find_sums(f);
	}
	do {
		join_guards(f);
		divide(f);
	} while (part_clashes(f));
	/* Machine code takes neighbouring rows for pairs. */
	if (!code->steps)
		webs_part(f);
	return f;
}
