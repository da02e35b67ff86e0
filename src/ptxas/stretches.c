/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the assembler parts straight code before it looks for products: behind what it has made several blocks of by then.
 * Read off the machine code of a product, each of 206 instructions (tests/sass/programs/stretches) and a sum, for sm_75 and sm_90a:
 * - divisions, reciprocals and roots that round as IEEE 754 says, and rsqrt.approx.f64, which have a slow path;
 * - integer divisions but those of u32, also by constants; bfind of 64 bits; calls; pmevent; setmaxnreg;
 * - fences but those of proxies, and before sm_80 atomics that release;
 * - under a guard, what reads or writes memory other than constants, has no result, or regards other lanes: a branch goes
 *   around it.
 * Atomics that become loops and waits for barriers come later and part nothing.
 */
#include "isa/expanded.h"
#include "ptxas/ptxas.h"

static bool divides_in_line(const struct form *f)
{
	const u16 type = form_type(f, 0);

	return type == T_f32 || type == T_f64 ? !form_pick(f, M_rn, M_rp) : type == T_u32;
}

static bool is_fence(const struct form *f)
{
	return f->row->traits == TRAIT_ORDERS && !f->row->flags && !form_has(f, M_proxy) &&
	       !form_has(f, M_mbarrier_init);
}

static bool is_expanded(const struct form *f, u32 arch)
{
	const u16 type = f->type_count ? form_type(f, 0) : TOKEN_NONE;
	const u32 traits = f->row->traits;

	if ((traits & TRAIT_EXPANDED && type != T_u32) || (traits & TRAIT_EXPANDED_WIDE && type_bits(type) == 64) ||
	    f->row->flags & ISA_CALL || is_fence(f))
		return true;
	switch ((int)f->opcode) {
	case OP_div:
		return !divides_in_line(f);
	case OP_rcp:
	case OP_sqrt:
		return form_pick(f, M_rn, M_rp) != TOKEN_NONE;
	case OP_rsqrt:
		return type == T_f64 && !form_has(f, M_ftz);
	case OP_setmaxnreg:
		return true;
	default:
		return f->row->flags & ISA_ATOMIC && arch < 80 && (form_has(f, M_release) || form_has(f, M_acq_rel));
	}
}

/* Does a branch go around the guarded instruction? */
static bool is_gone_around(const struct matched *m)
{
	const u32 flags = m->form.row->flags;

	if (flags & ISA_PARAM || (matched_is(m, OP_ld) && form_has(&m->form, M_const)))
		return false;
	return flags & (ISA_MEMORY | ISA_STORE | ISA_ATOMIC | ISA_SYNC | ISA_CROSS_LANE | ISA_RET | ISA_EXIT) ||
	       !m->use_count || !m->uses[0].written;
}

bool *stretches_end(const struct assembling *a)
{
	const struct ir_function *f = a->function;
	bool *ends = ARENA_ARRAY(a->rewriting.arena, f->body.count + 1, bool);

	for (u32 k = 0; k < f->body.count; k++) {
		const struct matched *m = &a->matched[k];
		ends[k] = m->form.row &&
			  (is_expanded(&m->form, a->rewriting.arch) || (f->body.items[k].guard && is_gone_around(m)));
	}
	return ends;
}

/* --- Blocks that end there, too ------------------------------------------------------------------- */

static u32 *one_block(struct arena *arena, u32 b)
{
	u32 *list = ARENA_ARRAY(arena, 1, u32);

	list[0] = b;
	return list;
}

/* The parts of block `from`, which begin at number b. Returns how many. */
static u32 part_block(struct flow *to, u32 b, const struct flow_block *from, const bool *ends, struct arena *arena)
{
	const u32 first = b;

	to->blocks[b] = *from;
	for (u32 k = from->first; k < from->end; k++) {
		to->block_of[k] = b;
		if (!ends[k] || k + 1 == from->end)
			continue;
		to->blocks[b].end = k + 1;
		to->blocks[b].successors = one_block(arena, b + 1);
		to->blocks[b].successor_count = 1;
		to->blocks[++b] = *from;
		to->blocks[b].first = k + 1;
		to->blocks[b].predecessors = one_block(arena, b - 1);
		to->blocks[b].predecessor_count = 1;
	}
	return b + 1 - first;
}

/* The numbers of the list's blocks in the parted flow. */
static u32 *renumber(const u32 *list, u32 count, const u32 *numbers, struct arena *arena)
{
	u32 *to = ARENA_ARRAY(arena, count + 1, u32);

	for (u32 k = 0; k < count; k++)
		to[k] = numbers[list[k]];
	return to;
}

struct flow *stretches_part(const struct assembling *a, const bool *ends)
{
	const struct flow *flow = a->flow;
	const u32 count = (u32)a->function->body.count;
	struct arena *arena = a->rewriting.arena;
	struct flow *to = ARENA_NEW(arena, struct flow);
	u32 *first = ARENA_ARRAY(arena, flow->block_count + 1, u32),
	    *last = ARENA_ARRAY(arena, flow->block_count + 1, u32);
	u32 most = flow->block_count + 1;

	for (u32 k = 0; k < count; k++)
		most += ends[k];
	to->blocks = ARENA_ARRAY(arena, most, struct flow_block);
	to->block_of = ARENA_ARRAY(arena, count + 1, u32);
	to->block_of[count] = NO_BLOCK;
	for (u32 b = 0; b < flow->block_count; b++) {
		first[b] = to->block_count;
		to->block_count += part_block(to, first[b], &flow->blocks[b], ends, arena);
		last[b] = to->block_count - 1;
	}
	for (u32 b = 0; b < flow->block_count; b++) {
		const struct flow_block *from = &flow->blocks[b];
		struct flow_block *head = &to->blocks[first[b]], *tail = &to->blocks[last[b]];
		head->predecessors = renumber(from->predecessors, from->predecessor_count, last, arena);
		tail->successors = renumber(from->successors, from->successor_count, first, arena);
	}
	return to;
}
