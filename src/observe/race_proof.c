/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of accesses, the threads for which they meet, and the barriers between.
 *
 * Before a launch, with its shape and parameters: which accesses can meet another that makes a race of it? Those that
 * cannot are `quiet`, and the check does not look at them. A pair is harmless if
 *
 *  neither writes                                        may_race
 *  they are of different memory                          may_alias
 *  no two threads can have addresses that overlap        meet: a search over differences of indices
 *  threads of one block meet only, and a barrier lies
 *    between the two in every run                        intervals
 *  both are strong and reach one another                 roles
 *
 * Addresses are sums base + constant + index * factor (observe/affine.h). What is not known may be anything: the proof
 * fails to the side of looking.
 */
#include "observe/race_proof.h"

#include <stdlib.h>
#include <string.h>

#include "decode/flow.h"
#include "isa/form.h"
#include "observe/affine.h"
#include "observe/phases.h"

/* So many accesses are looked at; kernels with more are checked as they run. */
enum { ACCESSES_MOST = 1024, NODES_MOST = 4096, DIMENSIONS = AFFINE_INDICES + 1 };

/* Of two accesses: which threads can meet there. */
enum meeting { MEET_NONE, MEET_IN_BLOCK, MEET_ANYWHERE };

struct proof_access {
	u32 insn; /* of the text */
	enum ir_space space;
	bool reads, writes;
	bool reaches_cluster; /* .shared::cluster */
	bool is_whole;        /* each lane accesses `width` bytes at its address, and nothing else */
	u32 width;
	const struct ir_operand *address;
	u64 intervals; /* by what barriers come last before it, a bit for each class of them */
	struct affine at;
	bool may_race;
};

struct race_proof {
	const struct kernel *kernel;
	const struct race_proof_role *roles;
	struct affine_values *values;
	struct proof_access *accesses;
	u32 count;
	bool *quiet; /* by instruction of the text */
	bool orders; /* strong accesses may order others */
};

/* Gives each access the classes of barriers that may come last before it: two accesses without one in common are
 * separated. */
static void find_intervals(struct race_proof *p, struct arena *arena)
{
	struct arena *scratch = arena_child(arena);
	const struct code *code = p->kernel->code;
	const struct flow *flow = flow_build(scratch, code->function, code->forms);
	bool *separates = ARENA_ARRAY(scratch, code->function->body.count + 1, bool);

	for (u32 k = 0; k < code->function->body.count; k++)
		separates[k] = p->roles[k].separates;
	const struct phases *phases = phases_find(scratch, code, flow, separates);
	for (u32 k = 0; k < p->count; k++)
		p->accesses[k].intervals = phases ? phases->after[p->accesses[k].insn] : 1;
	arena_free(scratch);
}

/* --- Accesses ----------------------------------------------------------------------------------- */

static const struct ir_operand *address_of(const struct ir_instruction *x, u32 number)
{
	for (u32 k = 0; k < x->operand_count; k++)
		if (x->operands[k].kind == OPERAND_ADDRESS && number-- == 0)
			return &x->operands[k];
	return NULL;
}

static void add(struct race_proof *p, const struct account_site *s, u32 address, enum ir_space space, bool reads,
		bool writes)
{
	const u32 insn = s->code->origin[s->insn];
	const struct ir_instruction *x = &s->code->function->body.items[insn];
	p->accesses[p->count++] = (struct proof_access){.insn = insn,
							.space = space,
							.reads = reads,
							.writes = writes,
							.reaches_cluster = form_has(s->form, M_shared_cluster),
							.is_whole = !s->fragment && s->operation != ACCOUNT_STMATRIX &&
								    s->operation != ACCOUNT_LDMATRIX,
							.width = s->width,
							.address = address_of(x, address)};
}

/* The kernel's own accesses to global, shared or generic memory. */
static bool is_looked_at(const struct account_site *s, const struct kernel *k)
{
	return s->code == k->code && s->code->origin[s->insn] != NO_OPERAND &&
	       (s->space == SPACE_GENERIC || s->space == SPACE_GLOBAL || s->space == SPACE_SHARED);
}

/* False: too many for pairs to be looked at. */
static bool find_accesses(struct race_proof *p, struct arena *arena, const struct site_list *sites)
{
	p->accesses = ARENA_ARRAY(arena, ACCESSES_MOST + 2, struct proof_access);
	for (u32 k = 0; k < sites->count; k++) {
		const struct account_site *s = &sites->items[k];
		if (!is_looked_at(s, p->kernel))
			continue;
		if (p->count >= ACCESSES_MOST)
			return false;
		if (s->operation >= ACCOUNT_ASYNC) {
			add(p, s, 0, SPACE_SHARED, false, true);
			add(p, s, 1, SPACE_GLOBAL, true, false);
			continue;
		}
		const bool loads = s->operation == ACCOUNT_LOAD || s->operation == ACCOUNT_LDMATRIX;
		const bool changes = s->operation == ACCOUNT_ATOM || s->operation == ACCOUNT_RED;
		add(p, s, 0, s->space, loads || changes, !loads);
	}
	return true;
}

/* NULL: nothing can be proved of this kernel (calls, listings, machine code, registers that nothing may have written). */
struct race_proof *race_proof_new(struct arena *arena, const struct program *program, const struct kernel *k,
				  const struct site_list *sites, const struct race_proof_role *roles)
{
	struct race_proof *p = ARENA_NEW(arena, struct race_proof);

	/* A register that is read before it is written may hold anything then. */
	if (k->code->function->listing || k->code->function->machine || k->function_count > 1 ||
	    k->code->undefined_count || k->function->limits.blocks_are_clusters)
		return NULL;
	p->kernel = k;
	p->roles = roles;
	if (!find_accesses(p, arena, sites))
		return NULL;
	p->values = affine_new(arena, program, k);
	p->quiet = ARENA_ARRAY(arena, k->function->body.count + 1, bool);
	for (u32 n = 0; n < k->function->body.count; n++)
		p->orders |= roles[n].orders;
	find_intervals(p, arena);
	return p;
}

/* --- Two accesses --------------------------------------------------------------------------------- */

/* Where the addresses of two threads meet: the search for differences of their indices. */
struct search {
	s64 factor[DIMENSIONS];                     /* the largest first */
	s64 extent[DIMENSIONS];                     /* differences up to here, and as far below 0 */
	bool in_block[DIMENSIONS], own[DIMENSIONS]; /* an index of a thread in its block; no index, but a step */
	u32 count, nodes;
	bool free_thread, free_block; /* indices that addresses do not depend on */
	enum meeting found;
};

/* Two threads meet whose indices differ as told; free indices can differ without changing the address. */
static void found(struct search *s, bool threads, bool blocks)
{
	if (blocks || s->free_block)
		s->found = MEET_ANYWHERE;
	else if ((threads || s->free_thread) && s->found == MEET_NONE)
		s->found = MEET_IN_BLOCK;
}

/* The sum of factors and differences from `k` on must lie within [low, high]. */
static void look(struct search *s, u32 k, __int128 low, __int128 high, bool threads, bool blocks)
{
	__int128 rest = 0;

	if (s->found == MEET_ANYWHERE)
		return;
	if (s->nodes++ >= NODES_MOST) {
		s->found = MEET_ANYWHERE;
		return;
	}
	if (k == s->count) {
		if (low <= 0 && high >= 0)
			found(s, threads, blocks);
		return;
	}
	for (u32 n = k + 1; n < s->count; n++)
		rest += (__int128)s->factor[n] * s->extent[n];
	const __int128 f = s->factor[k];
	__int128 first = (low - rest) / f - 1, last = (high + rest) / f + 1;
	if (first < -s->extent[k])
		first = -s->extent[k];
	if (last > s->extent[k])
		last = s->extent[k];
	if (last - first >= NODES_MOST) {
		s->found = MEET_ANYWHERE;
		return;
	}
	for (__int128 d = first; d <= last; d++)
		if (f * d + rest >= low && f * d - rest <= high)
			look(s, k + 1, low - f * d, high - f * d, threads || (d && s->in_block[k] && !s->own[k]),
			     blocks || (d && !s->in_block[k] && !s->own[k]));
}

/* Keeps the factors in order, the largest first: then the search is cut off early. */
static void insert(struct search *s, s64 factor, s64 extent, bool in_block, bool own)
{
	u32 k = s->count++;

	for (; k && s->factor[k - 1] < factor; k--) {
		s->factor[k] = s->factor[k - 1];
		s->extent[k] = s->extent[k - 1];
		s->in_block[k] = s->in_block[k - 1];
		s->own[k] = s->own[k - 1];
	}
	s->factor[k] = factor;
	s->extent[k] = extent;
	s->in_block[k] = in_block;
	s->own[k] = own;
}

/* Addresses of shared memory are sums modulo 2^32: what could wrap on the way from one to the other is not solved for. */
static bool may_wrap(const struct search *s, __int128 apart)
{
	enum { SHARED_MOST = 1 << 20 };
	__int128 most = apart < 0 ? -apart : apart;

	for (u32 k = 0; k < s->count; k++) {
		if (s->own[k] && s->factor[k] > SHARED_MOST)
			return true;
		most += s->own[k] ? 0 : (__int128)s->factor[k] * s->extent[k];
	}
	return most > INT32_MAX;
}

/* Whether two different threads can access overlapping bytes by a and b. Factors that differ between the two are not
 * solved for. */
static enum meeting meet(const struct race_proof *p, const struct proof_access *a, const struct proof_access *b,
			 bool is_shared, u64 bytes)
{
	struct search s = {.found = MEET_NONE};
	const u64 step = common_divisor(a->at.step, b->at.step);
	const u32 indices = is_shared ? AFFINE_THREAD : AFFINE_INDICES;

	if (!a->at.known || !b->at.known || !a->is_whole || !b->is_whole || step > INT64_MAX)
		return is_shared ? MEET_IN_BLOCK : MEET_ANYWHERE;
	for (u32 k = 0; k < AFFINE_INDICES; k++) {
		const s64 per = a->at.per[k], extent = (s64)affine_extent(p->values, k) - 1;
		if (per != b->at.per[k] || per == INT64_MIN)
			return is_shared ? MEET_IN_BLOCK : MEET_ANYWHERE;
		if (!extent || k >= indices)
			continue;
		if (per)
			insert(&s, per < 0 ? -per : per, extent, k < AFFINE_THREAD, false);
		else if (k < AFFINE_THREAD)
			s.free_thread = true;
		else
			s.free_block = true;
	}
	if (step)
		insert(&s, (s64)step, (s64)(bytes / step) + 1, false, true);
	const __int128 apart = (__int128)b->at.constant - a->at.constant;
	if (is_shared && may_wrap(&s, apart))
		return MEET_IN_BLOCK;
	look(&s, 0, apart - (s64)a->width + 1, apart + (s64)b->width - 1, false, false);
	return s.found;
}

/* Could both be shared memory, or the same allocation? *bytes: as large as it is at most. */
static bool may_alias(const struct proof_access *a, const struct proof_access *b, bool *is_shared, u64 *bytes)
{
	const struct affine *x = &a->at, *y = &b->at;
	const bool shared_a = a->space == SPACE_SHARED || (a->space == SPACE_GENERIC && x->base == AFFINE_SHARED);
	const bool shared_b = b->space == SPACE_SHARED || (b->space == SPACE_GENERIC && y->base == AFFINE_SHARED);

	*is_shared = shared_a && shared_b;
	*bytes = UINT32_MAX;
	if (*is_shared)
		return true;
	if (x->base == AFFINE_PRIVATE || y->base == AFFINE_PRIVATE)
		return false;
	if (shared_a || shared_b) {
		const struct proof_access *other = shared_a ? b : a;
		*is_shared = true;
		return other->space == SPACE_GENERIC && other->at.base != AFFINE_MEMORY;
	}
	if (x->base != AFFINE_MEMORY || y->base != AFFINE_MEMORY)
		return true;
	*bytes = x->memory->size;
	return x->memory == y->memory;
}

static bool has_clusters(const struct launch *l)
{
	const u32 *shape = l->cluster[0] ? l->cluster : l->kernel->function->limits.required_cluster;

	return (u64)max_u32(1, shape[0]) * max_u32(1, shape[1]) * max_u32(1, shape[2]) > 1;
}

/* Offsets count from one place for both if they have one base, or within shared memory. */
static bool is_placed(const struct proof_access *a, const struct proof_access *b, bool is_shared)
{
	if (is_shared)
		return a->space == SPACE_SHARED || a->at.base == AFFINE_SHARED;
	return a->at.base == b->at.base && a->at.base != AFFINE_ANYWHERE;
}

/* In a cluster: what may be memory of another block, which could have ended. That is looked for even where nothing writes. */
static bool may_have_ended(const struct proof_access *a)
{
	if (a->space == SPACE_GENERIC)
		return a->at.base == AFFINE_ANYWHERE || (a->at.base == AFFINE_SHARED && !a->at.known);
	return a->reaches_cluster && !(a->at.base == AFFINE_SHARED && a->at.known);
}

static bool may_race(const struct race_proof *p, const struct launch *l, const struct proof_access *a,
		     const struct proof_access *b)
{
	const struct race_proof_role *x = &p->roles[a->insn], *y = &p->roles[b->insn];
	bool is_shared;
	u64 bytes;

	if (!(a->writes || b->writes) || !may_alias(a, b, &is_shared, &bytes))
		return false;
	if (is_shared && has_clusters(l))
		return true;
	struct proof_access here = *a, there = *b;
	here.at.known &= is_placed(a, b, is_shared);
	there.at.known &= is_placed(b, a, is_shared);
	enum meeting m = meet(p, &here, &there, is_shared, bytes);
	/* A thread of its own may have written what it reads so. */
	if (x->read_only || y->read_only)
		m = MEET_ANYWHERE;
	if (m == MEET_NONE || (m == MEET_IN_BLOCK && !(a->intervals & b->intervals)))
		return false;
	return !(x->strong && y->strong && (m == MEET_IN_BLOCK || (x->reaches_grid && y->reaches_grid)));
}

/* Pairs of each access with itself and those before it. The result is by instruction of the text, valid until the next
 * call. */
const bool *race_proof_find(struct race_proof *p, const struct launch *l, bool *any)
{
	const bool clusters = has_clusters(l);

	affine_begin(p->values, l);
	*any = false;
	memset(p->quiet, 0, p->kernel->function->body.count + (size_t)1);
	for (u32 k = 0; k < p->count; k++) {
		struct proof_access *a = &p->accesses[k];
		a->at = a->address ? affine_address(p->values, a->address) : (struct affine){.base = AFFINE_ANYWHERE};
		a->may_race = (p->orders && p->roles[a->insn].strong) || (clusters && may_have_ended(a));
	}
	for (u32 k = 0; k < p->count; k++)
		for (u32 n = 0; n <= k; n++) {
			struct proof_access *a = &p->accesses[k], *b = &p->accesses[n];
			if (!(a->may_race && b->may_race) && may_race(p, l, a, b))
				a->may_race = b->may_race = true;
		}
	/* A copy is two accesses. */
	for (u32 k = 0; k < p->count; k++)
		p->quiet[p->accesses[k].insn] = true;
	for (u32 k = 0; k < p->count; k++) {
		p->quiet[p->accesses[k].insn] &= !p->accesses[k].may_race;
		*any |= p->accesses[k].may_race;
	}
	return p->quiet;
}
