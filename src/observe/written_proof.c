/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores that all threads of a block have behind them, and what they cover together.
 *
 * A store counts behind a barrier if no way leads to the barrier but through the store, all threads of the block meet at that
 * barrier and at no other one then (observe/phases.h), and no thread can exit before the store while another comes to it: a
 * thread that has exited is not waited for.
 *
 *      covers(mask)    the bytes of all stores that count behind one of the barriers in `mask`
 *      a read          is proved if one of the barriers lies on every way to it, and what it reads is covered
 *
 * A read whose address is not known may read anything, so all of the block's shared memory must be covered.
 */
#include "observe/written_proof.h"

#include <string.h>

#include "exec/launch.h"
#include "isa/form.h"
#include "observe/decided.h"
#include "observe/phases.h"
#include "observe/unwritten_products.h"
#include "observe/written.h"

/* Kernels with more accesses, and launches in which more must be compared, are checked as they run. */
enum { ACCESSES_MOST = 1024, LANES_MOST = 1 << 21, KEY_WORDS = AFFINE_THREAD + 2 };

struct proof_access {
	u32 insn; /* of the text */
	bool reads, stores;
	bool is_plain; /* each lane accesses `width` bytes at its address, and nothing else */
	bool generic;
	bool runs; /* in this launch its guard holds */
	u32 width;
	const struct ir_operand *address;
	struct affine at;
	u64 behind; /* barriers: of a store those behind which it counts, of a read those that lie before it */
	bool proved;
};

/* How a block of the text ends in this launch. */
struct ways {
	bool jumps, falls; /* to the first successor; to the last */
	bool exits;
	bool uniform; /* all threads of a block go the same way, each time */
};

struct written_proof {
	const struct kernel *kernel;
	struct affine_values *values;
	struct flow *flow;
	struct phases *phases;
	struct proof_access *accesses;
	u32 count;
	struct ways *ways;
	bool *entered, *escapes, *leads; /* by block, of a walk */
	u32 *stack;
	u64 left; /* lanes that may still be compared */
	struct written cover;
	u64 cover_of; /* what `cover` is: the barriers */
	bool *quiet;  /* by instruction of the text */
	/* What the result depends on, of the launch before. */
	s64 *key;
	size_t key_words;
	bool has_key, all;
	struct arena *arena;
	u64 room; /* bytes that `cover` has been made for */
};

/* --- What the text says --------------------------------------------------------------------------- */

static const struct ir_operand *address_of(const struct ir_instruction *x)
{
	for (u32 k = 0; k < x->operand_count; k++)
		if (x->operands[k].kind == OPERAND_ADDRESS)
			return &x->operands[k];
	return NULL;
}

/* False: too many. */
static bool find_accesses(struct written_proof *p, struct arena *arena, const struct site_list *sites)
{
	p->accesses = ARENA_ARRAY(arena, ACCESSES_MOST + 1, struct proof_access);
	for (u32 k = 0; k < sites->count; k++) {
		const struct account_site *s = &sites->items[k];
		if (s->code != p->kernel->code || s->code->origin[s->insn] == NO_OPERAND ||
		    (s->space != SPACE_SHARED && s->space != SPACE_GENERIC) || s->operation >= ACCOUNT_ASYNC)
			continue;
		if (p->count == ACCESSES_MOST)
			return false;
		const u32 insn = s->code->origin[s->insn];
		const bool stores = s->operation == ACCOUNT_STORE || s->operation == ACCOUNT_STMATRIX;
		p->accesses[p->count++] =
			(struct proof_access){.insn = insn,
					      .reads = !stores,
					      .stores = s->operation == ACCOUNT_STORE,
					      .is_plain = !s->fragment && s->operation != ACCOUNT_STMATRIX &&
							  s->operation != ACCOUNT_LDMATRIX,
					      .generic = s->space == SPACE_GENERIC,
					      .width = s->width,
					      .address = address_of(&s->code->function->body.items[insn])};
	}
	return true;
}

static bool is_barrier_of_all(const struct ir_instruction *x, const struct form *f)
{
	const u32 number = f->has_result, behind = number + 1u;
	const bool counts = f->operand_count > behind + form_has(f, M_red) && f->operand_bits[behind];

	return !form_has(f, M_arrive) && !counts && !x->guard && number < x->operand_count &&
	       x->operands[number].kind == OPERAND_INTEGER && !x->operands[number].value;
}

/* False: what the text does cannot be followed: other barriers, copies and products that read shared memory unseen. */
static bool find_barriers(const struct code *code, bool *separates)
{
	for (u32 k = 0; k < code->function->body.count; k++) {
		const struct form *f = &code->forms[k];
		if (!f->row || f->row->traits & (TRAIT_UNSEEN | TRAIT_CLUSTER_BARRIER) || unwritten_is_product(f))
			return false;
		if (!(f->row->traits & TRAIT_BARRIER))
			continue;
		separates[k] = is_barrier_of_all(&code->function->body.items[k], f);
		if (!separates[k])
			return false;
	}
	return true;
}

static void make_room(struct written_proof *p, struct arena *arena)
{
	const u32 blocks = p->flow->block_count;

	p->ways = ARENA_ARRAY(arena, blocks + 1, struct ways);
	p->entered = ARENA_ARRAY(arena, blocks + 1, bool);
	p->escapes = ARENA_ARRAY(arena, blocks + 1, bool);
	p->leads = ARENA_ARRAY(arena, blocks + 1, bool);
	p->stack = ARENA_ARRAY(arena, blocks + 1, u32);
	p->quiet = ARENA_ARRAY(arena, p->kernel->function->body.count + 1, bool);
	p->key_words = AFFINE_THREAD + 1 + blocks + (size_t)KEY_WORDS * p->count;
	p->key = ARENA_ARRAY(arena, p->key_words, s64);
}

struct written_proof *written_proof_new(struct arena *arena, const struct program *program, const struct kernel *k,
					const struct site_list *sites)
{
	struct written_proof *p = ARENA_NEW(arena, struct written_proof);
	const struct code *code = k->code;

	if (code->function->listing || code->function->machine || k->function_count > 1 ||
	    k->function->limits.blocks_are_clusters || !code->function->body.count)
		return NULL;
	bool *separates = ARENA_ARRAY(arena, code->function->body.count + 1, bool);
	p->arena = arena;
	p->kernel = k;
	if (!find_barriers(code, separates) || !find_accesses(p, arena, sites))
		return NULL;
	p->flow = flow_build(arena, code->function, code->forms);
	p->phases = phases_find(arena, code, p->flow, separates);
	if (!p->phases)
		return NULL;
	p->values = affine_new(arena, program, k);
	make_room(p, arena);
	return p;
}

/* --- Ways through the text ------------------------------------------------------------------------ */

/* The targets of a branch by an index; NULL: it is none. */
static const struct ir_targets *targets_of(const struct ir_instruction *x, u32 flags)
{
	const struct ir_symbol *s =
		flags & ISA_BRANCH && x->operand_count ? x->operands[x->operand_count - 1].symbol : NULL;

	return s && s->kind == SYM_TARGETS ? s->targets : NULL;
}

static bool leads_to_end(const struct ir_function *f, const struct ir_targets *targets)
{
	bool any = false;

	for (size_t k = 0; k < targets->list.count; k++) {
		const struct ir_symbol *s = targets->list.items[k];
		any |= s && s->kind == SYM_LABEL && s->label->target >= f->body.count;
	}
	return any;
}

static struct ways ways_of(struct written_proof *p, u32 b)
{
	const struct code *code = p->kernel->code;
	const struct flow_block *block = &p->flow->blocks[b];
	const struct ir_instruction *last = &code->function->body.items[block->end - 1];
	const u32 flags = code->forms[block->end - 1].row->flags;
	const struct decided d = decided_guard(p->values, code, last);
	const bool leaves = flags & (ISA_RET | ISA_EXIT);
	struct ways w = {.jumps = true, .falls = true, .uniform = block->successor_count + leaves < 2 || d.uniform};

	/* Each thread has an index of its own. */
	const struct ir_targets *targets = targets_of(last, flags);
	if (targets)
		return (struct ways){.jumps = true, .falls = true, .exits = leads_to_end(code->function, targets)};
	/* A branch to the function's end has no successor there. */
	w.exits = leaves || block->successor_count < (flags & ISA_BRANCH && last->guard ? 2u : 1u);
	if (!d.known || !last->guard)
		return w;
	if (leaves) {
		w.exits = d.value;
		w.jumps = w.falls = !d.value;
	} else if (flags & ISA_BRANCH && block->successor_count == 2) {
		w.jumps = d.value;
		w.falls = !d.value;
	}
	return w;
}

static bool is_open(const struct written_proof *p, u32 block, u32 successor)
{
	const struct ways *w = &p->ways[block];

	if (!successor && p->flow->blocks[block].successor_count > 1)
		return w->jumps;
	return successor + 1 == p->flow->blocks[block].successor_count ? w->falls : w->jumps;
}

/* Marks the blocks that the entry leads to without passing that instruction. */
static void walk(struct written_proof *p, u32 without)
{
	const u32 stop = p->flow->block_of[without];
	u32 depth = 0;

	memset(p->entered, 0, p->flow->block_count);
	p->entered[0] = true;
	p->stack[depth++] = 0;
	while (depth) {
		const u32 b = p->stack[--depth];
		const struct flow_block *block = &p->flow->blocks[b];
		for (u32 s = 0; b != stop && s < block->successor_count; s++) {
			const u32 to = block->successors[s];
			if (p->entered[to] || !is_open(p, b, s))
				continue;
			p->entered[to] = true;
			p->stack[depth++] = to;
		}
	}
}

/* After that walk: do all ways to the instruction pass `without`? */
static bool is_behind(const struct written_proof *p, u32 insn, u32 without)
{
	const u32 b = p->flow->block_of[insn];

	return !p->entered[b] || (b == p->flow->block_of[without] && insn > without);
}

/* Marks those of the entered blocks that lead to one that is marked, but not through `stop`. */
static void spread(struct written_proof *p, bool *marked, u32 stop)
{
	u32 depth = 0;

	for (u32 b = 0; b < p->flow->block_count; b++)
		if (marked[b])
			p->stack[depth++] = b;
	while (depth) {
		const u32 to = p->stack[--depth];
		const struct flow_block *block = &p->flow->blocks[to];
		for (u32 k = 0; k < block->predecessor_count; k++) {
			const u32 from = block->predecessors[k];
			bool open = false;
			for (u32 s = 0; s < p->flow->blocks[from].successor_count; s++)
				open |= p->flow->blocks[from].successors[s] == to && is_open(p, from, s);
			if (!open || marked[from] || !p->entered[from] || from == stop)
				continue;
			marked[from] = true;
			p->stack[depth++] = from;
		}
	}
}

/* After a walk without the instruction: can one thread of a block exit before it, and another come to it? They part at a branch
 * on which lanes or warps may differ. */
static bool may_be_left_out(struct written_proof *p, u32 insn)
{
	const u32 stop = p->flow->block_of[insn];

	for (u32 b = 0; b < p->flow->block_count; b++) {
		p->escapes[b] = p->entered[b] && b != stop && p->ways[b].exits;
		p->leads[b] = b == stop;
	}
	spread(p, p->escapes, stop);
	spread(p, p->leads, stop);
	for (u32 b = 0; b < p->flow->block_count; b++) {
		bool escapes = p->ways[b].exits;
		if (b == stop || !p->entered[b] || !p->leads[b] || p->ways[b].uniform)
			continue;
		for (u32 s = 0; s < p->flow->blocks[b].successor_count; s++)
			escapes |= is_open(p, b, s) && p->escapes[p->flow->blocks[b].successors[s]];
		if (escapes)
			return true;
	}
	return false;
}

/* --- Accesses of a launch ------------------------------------------------------------------------- */

/* Shared memory at a place that the thread's index alone decides. */
static bool is_placed(const struct proof_access *a)
{
	bool placed = a->is_plain && a->at.base == AFFINE_SHARED && a->at.known && !a->at.step && !a->at.loop;

	for (u32 k = AFFINE_THREAD; k < AFFINE_INDICES; k++)
		placed &= !a->at.per[k];
	return placed;
}

static bool is_shared(const struct proof_access *a)
{
	return !a->generic || (a->at.base != AFFINE_MEMORY && a->at.base != AFFINE_PRIVATE);
}

/* Both by one thread: has it stored what it reads? */
static bool is_own(const struct proof_access *store, const struct proof_access *read)
{
	for (u32 k = 0; k < AFFINE_THREAD; k++)
		if (store->at.per[k] != read->at.per[k])
			return false;
	return is_placed(store) && is_placed(read) && read->at.constant >= store->at.constant &&
	       read->at.constant + read->width <= store->at.constant + store->width;
}

static u64 threads_of(const struct written_proof *p)
{
	u64 threads = 1;

	for (u32 k = 0; k < AFFINE_THREAD; k++)
		threads *= affine_extent(p->values, k);
	return threads;
}

/* The thread's address, or false: it is not inside. */
static bool address_at(const struct written_proof *p, const struct proof_access *a, u64 thread, u64 *address)
{
	__int128 at = a->at.constant;

	for (u32 k = 0; k < AFFINE_THREAD; k++) {
		at += (__int128)a->at.per[k] * (s64)(thread % affine_extent(p->values, k));
		thread /= affine_extent(p->values, k);
	}
	*address = (u64)at;
	return at >= 0 && a->width <= p->cover.size && at <= (__int128)(p->cover.size - a->width);
}

/* The bytes of all stores that count behind one of the barriers. False: there are too many lanes. */
static bool cover(struct written_proof *p, u64 barriers)
{
	const u64 threads = threads_of(p);
	u64 address;

	if (p->cover_of == barriers)
		return true;
	written_clear(&p->cover);
	written_mark(&p->cover, 0, min_u64(p->kernel->reserved_shared, p->cover.size));
	p->cover_of = 0;
	for (u32 k = 0; k < p->count; k++) {
		const struct proof_access *a = &p->accesses[k];
		if (!(a->stores && a->behind & barriers))
			continue;
		if (p->left < threads)
			return false;
		p->left -= threads;
		for (u64 t = 0; t < threads; t++)
			if (address_at(p, a, t, &address))
				written_mark(&p->cover, address, a->width);
	}
	p->cover_of = barriers;
	return true;
}

static bool is_covered(struct written_proof *p, const struct proof_access *a)
{
	const u64 threads = threads_of(p);
	u64 address;

	if (!a->behind || !cover(p, a->behind))
		return false;
	if (written_is_whole(&p->cover))
		return true;
	if (!is_placed(a) || p->left < threads)
		return false;
	p->left -= threads;
	for (u64 t = 0; t < threads; t++)
		if (!address_at(p, a, t, &address) || written_lacks(&p->cover, address, a->width))
			return false;
	return true;
}

/* --- A launch ------------------------------------------------------------------------------------- */

/* Finds behind which barriers the store counts, and who reads what its own thread has stored. */
static void look_at_store(struct written_proof *p, struct proof_access *a)
{
	a->behind = 0;
	if (!is_placed(a) || !a->runs)
		return;
	walk(p, a->insn);
	for (u32 k = 0; k < p->count; k++) {
		struct proof_access *r = &p->accesses[k];
		r->proved |= r->reads && is_own(a, r) && is_behind(p, r->insn, a->insn);
	}
	for (u32 k = 0; k < p->phases->count; k++)
		if (p->phases->alone[k] && is_behind(p, p->phases->barriers[k], a->insn))
			a->behind |= 1ull << k;
	if (a->behind && may_be_left_out(p, a->insn))
		a->behind = 0;
}

static void look_at_barrier(struct written_proof *p, u32 number)
{
	const u32 insn = p->phases->barriers[number];

	walk(p, insn);
	for (u32 k = 0; k < p->count; k++)
		if (p->accesses[k].reads && is_behind(p, p->accesses[k].insn, insn))
			p->accesses[k].behind |= 1ull << number;
}

static void prove(struct written_proof *p)
{
	p->left = LANES_MOST;
	p->all = true;
	memset(p->quiet, 0, p->kernel->function->body.count);
	for (u32 k = 0; k < p->count; k++) {
		p->accesses[k].behind = 0;
		p->accesses[k].proved = false;
	}
	for (u32 k = 0; k < p->count; k++)
		if (p->accesses[k].stores)
			look_at_store(p, &p->accesses[k]);
	for (u32 k = 0; k < p->phases->count; k++)
		if (p->phases->alone[k])
			look_at_barrier(p, k);
	for (u32 k = 0; k < p->count; k++) {
		struct proof_access *a = &p->accesses[k];
		if (!a->reads || !is_shared(a))
			continue;
		a->proved = a->proved || is_covered(p, a);
		p->quiet[a->insn] = a->proved && !a->generic;
		p->all &= a->proved;
	}
}

static bool has_clusters(const struct launch *l)
{
	const u32 *shape = l->cluster[0] ? l->cluster : l->kernel->function->limits.required_cluster;

	return (u64)max_u32(1, shape[0]) * max_u32(1, shape[1]) * max_u32(1, shape[2]) > 1;
}

static bool differs(struct written_proof *p, size_t at, s64 now)
{
	const bool differs = p->key[at] != now;

	p->key[at] = now;
	return differs;
}

/* Is all that the proof goes by as it was in the launch before? Keeps it. */
static bool is_as_before(struct written_proof *p)
{
	bool same = p->has_key;
	size_t n = 0;

	p->has_key = true;
	same &= !differs(p, n++, (s64)p->cover.size);
	for (u32 k = 0; k < AFFINE_THREAD; k++)
		same &= !differs(p, n++, affine_extent(p->values, k));
	for (u32 b = 0; b < p->flow->block_count; b++) {
		const struct ways *w = &p->ways[b];
		same &= !differs(p, n++, w->jumps | w->falls << 1 | w->exits << 2 | w->uniform << 3);
	}
	for (u32 k = 0; k < p->count; k++) {
		const struct proof_access *a = &p->accesses[k];
		same &= !differs(p, n++, is_placed(a) | is_shared(a) << 1 | a->runs << 2);
		same &= !differs(p, n++, a->at.constant);
		for (u32 d = 0; d < AFFINE_THREAD; d++)
			same &= !differs(p, n++, a->at.per[d]);
	}
	return same;
}

/* Room for as much shared memory as a block has. */
static void size_cover(struct written_proof *p, u64 bytes)
{
	if (bytes > p->room || !p->cover.bits) {
		p->room = max_u64(bytes, 2 * p->room);
		written_init(&p->cover, p->arena, p->room);
	}
	p->cover.size = bytes;
	p->cover_of = 0;
}

static void look_at_access(struct written_proof *p, struct proof_access *a)
{
	const struct code *code = p->kernel->code;
	const struct decided guard = decided_guard(p->values, code, &code->function->body.items[a->insn]);

	a->at = a->address ? affine_address(p->values, a->address) : (struct affine){.base = AFFINE_ANYWHERE};
	a->runs = guard.known && guard.value;
}

const bool *written_proof_find(struct written_proof *p, const struct launch *l, bool *all)
{
	affine_begin(p->values, l);
	size_cover(p, launch_shared_bytes(l));
	for (u32 b = 0; b < p->flow->block_count; b++)
		p->ways[b] = ways_of(p, b);
	for (u32 k = 0; k < p->count; k++)
		look_at_access(p, &p->accesses[k]);
	if (!is_as_before(p))
		prove(p);
	*all = p->all && !has_clusters(l);
	return has_clusters(l) ? NULL : p->quiet;
}
