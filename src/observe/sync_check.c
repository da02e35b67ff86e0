/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of barriers.
 *
 * What is looked for, and when it is told:
 *
 *      aligned barrier in divergent code        a part of the warp comes to another barrier than the rest
 *      thread count                             two arrivals at one barrier name different counts
 *      cluster barrier                          wait without arrive, or arrive twice
 *      mbarrier                                 init of a live one; test by a state two phases old
 *      shared memory of an ended block          an access into a block all of whose threads have exited
 *      st.async, red.async                      what is stored and the mbarrier lie in different blocks
 *      wgmma, setmaxnreg                        warps of a group execute different numbers
 *
 * Faults that stop the launch anyway (exec/barrier.c) are not repeated here.
 */
#include "observe/sync_check.h"

#include <stdio.h>
#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/async.h"
#include "exec/gang.h"
#include "isa/form.h"
#include "observe/sites.h"

enum { BUCKETS = 256, WARPS = 32, GROUP_WARPS = 4 };

/* What an instruction is to this check. */
enum sync_role {
	SYNC_NONE,
	SYNC_BARRIER,
	SYNC_CLUSTER_ARRIVE,
	SYNC_CLUSTER_WAIT,
	SYNC_TOGETHER,
	SYNC_MBARRIER_INIT,
	SYNC_MBARRIER_INVAL,
	SYNC_MBARRIER_ARRIVE,
	SYNC_MBARRIER_TEST, /* by state */
	SYNC_REMOTE,        /* an access that may reach another block of the cluster */
	SYNC_SIGNAL,        /* a store that signals an mbarrier */
};

struct sync_site {
	u8 role;
	bool aligned;
	bool reduces; /* SYNC_BARRIER: barrier.red */
	u8 count;     /* SYNC_BARRIER: the flattened operand that is the thread count; 0: none */
	u8 address;   /* of an mbarrier: the operand that its address is; SYNC_SIGNAL: that of what is stored is 0 */
	u8 state;     /* and its state */
	bool wide;    /* its address has 64 bits */
	u8 together;  /* SYNC_TOGETHER: enum sync_together */
};

/* What the four warps of a group execute together. */
enum sync_together { SYNC_PRODUCTS, SYNC_REGISTERS, SYNC_TOGETHERS };

struct sync_count {
	u32 times, site, lanes; /* of the newest */
};

/* Lanes of a warp that have come to an aligned barrier without the others. */
struct sync_part {
	u32 lanes, site;
};

struct sync_warp {
	struct sync_part block, cluster;
	u32 arrived; /* lanes, at the cluster's barrier */
	u32 arrived_site;
	struct sync_count together[SYNC_TOGETHERS];
};

struct sync_mbarrier {
	struct sync_mbarrier *next;
	u64 offset;
	bool live;
	u32 init_site;
	u64 init_thread;
	u32 phases; /* completed */
	bool phase; /* as last seen */
};

/* A state that arrive gave to a thread: which phase it was. */
struct sync_state {
	const struct sync_mbarrier *mbarrier;
	u32 thread;
	u64 word;
	u32 phase, site;
};

struct sync_block {
	struct sync_block *next; /* of the bucket */
	const struct block *block;
	struct {
		u32 site, thread, threads;
		bool reduces;
	} first[BARRIERS_PER_BLOCK]; /* who came first in this phase */
	struct sync_warp warps[WARPS];
	struct sync_mbarrier *mbarriers;
	VEC_OF(struct sync_state) states;
};

struct sync_check {
	const struct site_list *accesses;
	struct observer observer;
	const struct check_sites *sites;
	struct sync_site **about; /* by code and decoded instruction */
	struct check_findings *findings;
	struct sync_block *buckets[BUCKETS];
};

/* --- Before the run ------------------------------------------------------------------------- */

static u8 first_address(const struct form *f)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(f, specs);
	u32 k = 0;

	while (k < count && specs[k].kind != '@')
		k++;
	return (u8)k;
}

static struct sync_site mbarrier_site(const struct form *f)
{
	struct sync_site s = {.address = first_address(f)};

	if (s.address >= f->operand_count)
		return s;
	s.wide = f->operand_bits[s.address] == 64;
	s.state = s.address + 2;
	if (form_has(f, M_init))
		s.role = SYNC_MBARRIER_INIT;
	else if (form_has(f, M_inval))
		s.role = SYNC_MBARRIER_INVAL;
	else if (form_has(f, M_test_wait) || form_has(f, M_try_wait))
		s.role = form_has(f, M_parity) ? SYNC_NONE : SYNC_MBARRIER_TEST;
	else
		s.role = SYNC_MBARRIER_ARRIVE;
	return s;
}

/* What is stored, one or more values, and the mbarrier. */
static struct sync_site signal_site(const struct form *f)
{
	const u32 mbarrier = 2 + max_u32(1, form_vector(f));

	return f->operand_count < mbarrier + 2 ? (struct sync_site){.role = SYNC_NONE}
					       : (struct sync_site){.role = SYNC_SIGNAL, .address = (u8)mbarrier};
}

/* What the row says of the instruction: found once, before the launch. */
static struct sync_site site_of(const struct form *f)
{
	const u32 traits = f->row->traits;
	struct sync_site s = {.aligned = f->opcode == OP_bar || form_has(f, M_aligned)};

	if (traits & TRAIT_MBARRIER)
		return mbarrier_site(f);
	if (form_signals_mbarrier(f))
		return signal_site(f);
	if (traits & TRAIT_CLUSTER_BARRIER) {
		s.role = form_has(f, M_wait) ? SYNC_CLUSTER_WAIT : SYNC_CLUSTER_ARRIVE;
	} else if (traits & TRAIT_BARRIER) {
		const u32 number = f->has_result;
		const bool reduces = form_has(f, M_red);
		s.role = SYNC_BARRIER;
		s.reduces = reduces;
		s.count =
			f->operand_count > number + 1u + reduces && f->operand_bits[number + 1] ? (u8)(number + 1) : 0;
	} else if (f->opcode == OP_wgmma && traits & TRAIT_MULTIPLIES) {
		s.role = SYNC_TOGETHER;
	} else if (f->opcode == OP_setmaxnreg) {
		s.role = SYNC_TOGETHER;
		s.together = SYNC_REGISTERS;
	}
	return s;
}

/* --- During the run --------------------------------------------------------------------------- */

/* Block objects are used again for later blocks; block_start() clears the record. */
static struct sync_block *record_of(struct sync_check *s, const struct block *b)
{
	struct sync_block *x = s->buckets[((uintptr_t)b / sizeof *b) % BUCKETS];

	while (x && x->block != b)
		x = x->next;
	return x;
}

static u32 thread_of(const struct warp *w, u32 lanes) { return w->index * WARP_LANES + (u32)__builtin_ctz(lanes); }

static void tell_other_barrier(struct sync_check *s, const struct warp *w, u32 site, u32 mask,
			       const struct sync_part *part)
{
	char place[CHECK_PLACE_TEXT];
	struct fault *f = check_tell(s->findings, FAULT_BAD_BARRIER, w, site, mask, part->site);

	if (!f)
		return;
	check_site_place(s->sites, part->site, place);
	snprintf(f->detail, sizeof f->detail,
		 "lanes 0x%08x come to an aligned barrier in divergent code: lanes 0x%08x of the warp have come to "
		 "another one at %s, and all lanes of a warp must execute the same one",
		 mask, part->lanes, place);
	check_tell_other(f, s->sites, FAULT_ROLE_WAITS, part->site, w->block->index, thread_of(w, part->lanes));
}

/* Lanes may come one after the other, as long as they come to the same barrier.
 * `part` gathers the lanes that came without the others; complete, or come to together, it is empty again. */
static void check_aligned(struct sync_check *s, const struct warp *w, u32 site, u32 mask, struct sync_part *part)
{
	part->lanes &= w->live;
	if (mask == w->live) {
		part->lanes = 0;
		return;
	}
	if (part->lanes && part->site != site && !(part->lanes & mask))
		tell_other_barrier(s, w, site, mask, part);
	part->lanes = part->lanes && part->site == site && !(part->lanes & mask) ? part->lanes | mask : mask;
	part->site = site;
	if (part->lanes == w->live)
		part->lanes = 0;
}

static u32 threads_of(const struct block *b, u32 given)
{
	return given ? given : (b->thread_count + WARP_LANES - 1) / WARP_LANES * WARP_LANES;
}

/* Rounded up to warps, as the hardware counts. */
static void check_count(struct sync_check *s, struct sync_block *r, const struct warp *w, u32 site, u32 mask,
			u32 number, u32 threads)
{
	const struct barrier *b = &w->block->barriers[number];
	char place[CHECK_PLACE_TEXT];

	if (!b->arrived) {
		r->first[number].site = site;
		r->first[number].thread = thread_of(w, mask);
		r->first[number].threads = threads;
		return;
	}
	const u32 before = r->first[number].threads;
	if (threads_of(w->block, before) == threads_of(w->block, threads))
		return;
	struct fault *f = check_tell(s->findings, FAULT_BAD_BARRIER, w, site, mask, r->first[number].site);
	if (!f)
		return;
	check_site_place(s->sites, r->first[number].site, place);
	snprintf(f->detail, sizeof f->detail,
		 "barrier %u waits for %u threads here, but for %u at %s, where a warp has arrived before", number,
		 threads_of(w->block, threads), threads_of(w->block, before), place);
	check_tell_other(f, s->sites, FAULT_ROLE_WAITS, r->first[number].site, w->block->index,
			 r->first[number].thread);
}

/* Those that reduce and those that do not come to one phase of a barrier: what happens is not said. */
static void check_kind(struct sync_check *s, const struct sync_block *r, const struct warp *w, u32 site, u32 mask,
		       u32 number, bool reduces)
{
	char place[CHECK_PLACE_TEXT];
	struct fault *f;

	if (!w->block->barriers[number].arrived || r->first[number].reduces == reduces)
		return;
	f = check_tell(s->findings, FAULT_BAD_BARRIER, w, site, mask, r->first[number].site);
	if (!f)
		return;
	check_site_place(s->sites, r->first[number].site, place);
	snprintf(f->detail, sizeof f->detail,
		 "comes to barrier %u with a barrier that %s, but a warp has arrived before at one that %s, at %s: the "
		 "two "
		 "must not meet in one phase",
		 number, reduces ? "reduces" : "does not reduce", reduces ? "does not" : "does", place);
	check_tell_other(f, s->sites, FAULT_ROLE_WAITS, r->first[number].site, w->block->index,
			 r->first[number].thread);
}

static void barrier(struct sync_check *s, struct sync_block *r, const struct sync_site *a, const struct warp *w,
		    const struct insn *i, const u8 *rows, u32 mask)
{
	const struct code *code = w->frame->code;
	const u32 site = check_site(s->sites, w, i), lane = (u32)__builtin_ctz(mask);
	const struct form *f = &code->forms[code->origin[i - grid_entry(w->grid, code)]];
	const u32 number_row = insn_operand(code, f, i, f->has_result);
	const u32 count_row = a->count ? insn_operand(code, f, i, a->count) : NO_OPERAND;
	const u32 number = ((const u32 *)(const void *)(rows + number_row))[lane];
	const u32 threads = count_row == NO_OPERAND ? 0 : ((const u32 *)(const void *)(rows + count_row))[lane];

	if (number >= BARRIERS_PER_BLOCK)
		return;
	if (a->aligned && w->grid->independent)
		check_aligned(s, w, site, mask, &r->warps[w->index].block);
	check_kind(s, r, w, site, mask, number, a->reduces);
	check_count(s, r, w, site, mask, number, threads);
	if (!w->block->barriers[number].arrived)
		r->first[number].reduces = a->reduces;
}

static void cluster_barrier(struct sync_check *s, struct sync_block *r, const struct sync_site *a, const struct warp *w,
			    u32 site, u32 mask)
{
	struct sync_warp *me = &r->warps[w->index];
	const bool waits = a->role == SYNC_CLUSTER_WAIT;
	const u32 wrong = waits ? mask & ~me->arrived : mask & me->arrived;
	struct fault *f;

	if (a->aligned)
		check_aligned(s, w, site, mask, &me->cluster);
	f = wrong ? check_tell(s->findings, FAULT_BAD_BARRIER, w, site, wrong, waits ? NO_SITE : me->arrived_site)
		  : NULL;
	if (f)
		snprintf(f->detail, sizeof f->detail, "%s",
			 waits ? "waits for the cluster's barrier without having arrived at it"
			       : "arrives at the cluster's barrier a second time without having waited for it");
	if (f && !waits)
		check_tell_other(f, s->sites, FAULT_ROLE_WAITS, me->arrived_site, w->block->index, thread_of(w, wrong));
	if (waits) {
		me->arrived &= ~mask;
	} else {
		me->arrived |= mask;
		me->arrived_site = site;
	}
}

/* --- mbarriers ------------------------------------------------------------------------------- */

/* Where a lane's mbarrier is, and what is known of it; NULL: nothing, or no such address. */
static struct sync_mbarrier *mbarrier_at(struct sync_check *s, const struct sync_site *a, struct warp *w,
					 const struct insn *i, const u8 *rows, u32 lane, const u64 **word)
{
	const struct code *code = w->frame->code;
	const struct form *f = &code->forms[code->origin[i - grid_entry(w->grid, code)]];
	u64 at = row_address(rows, insn_operand(code, f, i, a->address), (s32)insn_operand(code, f, i, a->address + 1u),
			     a->wide, lane);

	if (form_space(f) == SPACE_GENERIC && generic_space(w, &at) != SPACE_SHARED)
		return NULL;
	struct block *owner = shared_owner(w, at);
	struct sync_block *r = owner ? record_of(s, owner) : NULL;
	at &= (1u << SHARED_RANK_SHIFT) - 1;
	if (!r || at + 8 > owner->shared_bytes || at % 8)
		return NULL;
	*word = (const u64 *)(const void *)(owner->shared + at);
	struct sync_mbarrier *m = r->mbarriers;
	while (m && m->offset != at)
		m = m->next;
	if (m)
		return m;
	m = ARENA_NEW(s->findings->arena, struct sync_mbarrier);
	m->offset = at;
	m->next = r->mbarriers;
	return r->mbarriers = m;
}

/* Phases are counted by watching the phase bit: it flips once for each. */
static void look(struct sync_mbarrier *m, u64 word)
{
	const bool phase = word >> MBARRIER_PHASE;

	m->phases += phase != m->phase;
	m->phase = phase;
}

static void initialise(struct sync_check *s, struct sync_mbarrier *m, const struct warp *w, u32 site, u32 lane,
		       u64 word)
{
	const u64 thread = w->block->index * w->block->thread_count + thread_of(w, 1u << lane);
	char place[CHECK_PLACE_TEXT];

	if (m->live && word >> MBARRIER_VALID & 1) {
		struct fault *f = check_tell(s->findings, FAULT_ASYNC, w, site, 1u << lane, m->init_site);
		if (f) {
			check_site_place(s->sites, m->init_site, place);
			snprintf(f->detail, sizeof f->detail,
				 "initialises the mbarrier at shared address 0x%llx, which was initialised at %s and "
				 "not invalidated (mbarrier.inval) since",
				 (unsigned long long)m->offset, place);
			check_tell_other(f, s->sites, FAULT_ROLE_WRITES, m->init_site,
					 m->init_thread / w->block->thread_count,
					 (u32)(m->init_thread % w->block->thread_count));
		}
	}
	m->live = true;
	m->init_site = site;
	m->init_thread = thread;
	m->phases = 0;
	m->phase = false;
}

/* A state says in which phase its arrival was; only that phase and the one before can be told apart by one bit. */
static void test_state(struct sync_check *s, const struct sync_block *r, const struct sync_mbarrier *m,
		       const struct warp *w, u32 site, u32 lane, u64 word)
{
	const u32 thread = thread_of(w, 1u << lane);
	const struct sync_state *x = NULL;
	char place[CHECK_PLACE_TEXT];

	for (size_t k = r->states.count; k-- > 0 && !x;)
		if (r->states.items[k].mbarrier == m && r->states.items[k].thread == thread &&
		    r->states.items[k].word == word)
			x = &r->states.items[k];
	if (!x || m->phases - x->phase < 2)
		return;
	struct fault *f = check_tell(s->findings, FAULT_ASYNC, w, site, 1u << lane, x->site);
	if (!f)
		return;
	check_site_place(s->sites, x->site, place);
	snprintf(f->detail, sizeof f->detail,
		 "tests the mbarrier at shared address 0x%llx by a state from %u phases ago (arrive at %s): only the "
		 "current phase and the one before can be tested",
		 (unsigned long long)m->offset, m->phases - x->phase, place);
	check_tell_other(f, s->sites, FAULT_ROLE_WRITES, x->site, w->block->index, thread);
}

static u64 state_operand(const struct sync_site *a, const struct warp *w, const struct insn *i, const u8 *rows,
			 u32 operand, u32 lane, bool *given)
{
	const struct code *code = w->frame->code;
	const struct form *f = &code->forms[code->origin[i - grid_entry(w->grid, code)]];
	const u32 row = operand < f->operand_count && f->operand_bits[operand] == 64 ? insn_operand(code, f, i, operand)
										     : NO_OPERAND;

	(void)a;
	*given = row != NO_OPERAND;
	return *given ? ((const u64 *)(const void *)(rows + row))[lane] : 0;
}

static void mbarrier(struct sync_check *s, struct sync_block *r, const struct sync_site *a, struct warp *w,
		     const struct insn *i, const u8 *rows, u32 mask)
{
	const u32 site = check_site(s->sites, w, i);

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 *word;
		bool given;
		struct sync_mbarrier *m = mbarrier_at(s, a, w, i, rows, l, &word);
		if (!m)
			continue;
		if (a->role == SYNC_MBARRIER_INIT)
			initialise(s, m, w, site, l, *word);
		else if (a->role == SYNC_MBARRIER_INVAL)
			m->live = false;
		else
			look(m, *word);
		if (a->role != SYNC_MBARRIER_TEST)
			continue;
		const u64 state = state_operand(a, w, i, rows, a->state, l, &given);
		if (given)
			test_state(s, r, m, w, site, l, state);
	}
}

/* Threads keep what arrive gave them.
 * Bounded: programs that test by parity never look at theirs. */
static void keep_states(struct sync_check *s, struct sync_block *r, const struct sync_site *a, struct warp *w,
			const struct insn *i, const u8 *rows, u32 mask)
{
	enum { STATES_MOST = 4096 };
	const u32 site = check_site(s->sites, w, i);

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 *word;
		bool given;
		struct sync_mbarrier *m = mbarrier_at(s, a, w, i, rows, l, &word);
		if (!m)
			continue;
		look(m, *word);
		const u64 state = state_operand(a, w, i, rows, 0, l, &given);
		if (!given || a->address == 0)
			continue;
		if (r->states.count == STATES_MOST)
			r->states.count = 0;
		const struct sync_state x = {m, thread_of(w, 1u << l), state,
					     m->phases - ((state >> MBARRIER_PHASE) != m->phase), site};
		VEC_PUSH(s->findings->arena, &r->states, x);
	}
}

/* --- Shared memory of other blocks ------------------------------------------------------------- */

static void tell_ended(struct sync_check *s, const struct warp *w, const struct account_site *a, u32 lane,
		       const struct block *owner, u64 address)
{
	const u32 *size = w->grid->size;
	struct fault *f =
		check_tell(s->findings, FAULT_FREED, w, s->sites->bases[a->code->index] + a->insn, 1u << lane, NO_SITE);

	if (!f)
		return;
	f->address = address;
	f->size = a->width;
	f->space = (int)a->space;
	f->is_store = a->operation != ACCOUNT_LOAD;
	snprintf(
		f->detail, sizeof f->detail,
		"reaches the shared memory of block (%llu,%llu,%llu) of the cluster, all of whose threads have exited: "
		"a cluster barrier before they do keeps it",
		(unsigned long long)(owner->index % size[0]), (unsigned long long)(owner->index / size[0] % size[1]),
		(unsigned long long)(owner->index / size[0] / size[1]));
}

static void remote_access(struct sync_check *s, struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	const struct code *code = w->frame->code;
	const struct account_site *a =
		&s->accesses->items[s->accesses->slots[code->index][i - grid_entry(w->grid, code)] - 1];
	u64 address[WARP_LANES];

	if (w->block->cluster->count == 1)
		return;
	row_addresses(rows, i->a, i->imm, a->wide, address);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u64 at = address[l];
		if (a->space == SPACE_GENERIC && generic_space(w, &at) != SPACE_SHARED)
			continue;
		const struct block *owner = shared_owner(w, at);
		if (owner && owner != w->block && !owner->live_threads)
			tell_ended(s, w, a, l, owner, address[l]);
	}
}

static void report_mbarrier_elsewhere(struct sync_check *s, const struct warp *w, u32 site, u32 lane, u32 rank,
				      u32 mbarrier_rank)
{
	struct fault *f = check_tell(s->findings, FAULT_BAD_BARRIER, w, site, 1u << lane, NO_SITE);

	if (!f)
		return;
	snprintf(
		f->detail, sizeof f->detail,
		"stores to shared memory of the cluster's block %u, but signals an mbarrier of its block %u: both must "
		"lie in one block",
		rank, mbarrier_rank);
}

/* The bytes arrive in one block, and the count of those that are awaited goes down in another. */
static void signalling_store(struct sync_check *s, struct warp *w, const struct sync_site *a, const struct insn *i,
			     const u8 *rows, u32 mask)
{
	const struct code *code = w->frame->code;
	const struct form *f = warp_form(w, i);
	const u32 at[] = {0, a->address};

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const struct block *owner[COUNT_OF(at)];
		for (u32 k = 0; k < COUNT_OF(at); k++) {
			u64 address =
				row_address(rows, insn_operand(code, f, i, at[k]),
					    (s32)insn_operand(code, f, i, at[k] + 1), f->operand_bits[at[k]] == 64, l);
			const bool is_shared =
				form_space(f) != SPACE_GENERIC || generic_space(w, &address) == SPACE_SHARED;
			owner[k] = is_shared ? shared_owner(w, address) : NULL;
		}
		if (owner[0] && owner[1] && owner[0] != owner[1])
			report_mbarrier_elsewhere(s, w, check_site(s->sites, w, i), l, owner[0]->cluster_rank,
						  owner[1]->cluster_rank);
	}
}

/* Of loads, stores and atomic operations, in code that can name another block's memory. */
static bool may_be_remote(const struct site_list *accesses, const struct code *code, u32 insn)
{
	const u32 slot = accesses->slots[code->index][insn];

	if (!slot || slot & SITE_GUARD)
		return false;
	const struct account_site *a = &accesses->items[slot - 1];
	return a->operation < ACCOUNT_ASYNC && !a->fragment &&
	       (a->space == SPACE_GENERIC || form_has(a->form, M_shared_cluster));
}

/* Code that never forms an address of another block needs no look at its accesses. */
static bool maps_addresses(const struct code *code)
{
	bool any = false;

	for (u32 k = 0; k < code->function->body.count; k++)
		any |= code->forms[k].row && (code->forms[k].row->traits & TRAIT_CLUSTER_BARRIER ||
					      form_has(&code->forms[k], M_shared_cluster));
	return any;
}

/* --- The observer ----------------------------------------------------------------------------- */

static const struct sync_site *about(const struct sync_check *s, const struct warp *w, const struct insn *i)
{
	const struct code *code = w->frame->code;

	return &s->about[code->index][i - grid_entry(w->grid, code)];
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct sync_check *s = context;
	const struct sync_site *a = about(s, w, i);
	struct sync_block *r = record_of(s, w->block);

	if (!mask || !r)
		return;
	switch ((enum sync_role)a->role) {
	case SYNC_BARRIER:
		barrier(s, r, a, w, i, rows, mask);
		return;
	case SYNC_CLUSTER_ARRIVE:
	case SYNC_CLUSTER_WAIT:
		cluster_barrier(s, r, a, w, check_site(s->sites, w, i), mask);
		return;
	case SYNC_REMOTE:
		remote_access(s, w, i, rows, mask);
		return;
	case SYNC_SIGNAL:
		signalling_store(s, w, a, i, rows, mask);
		return;
	case SYNC_TOGETHER: {
		struct sync_count *n = &r->warps[w->index].together[a->together];
		*n = (struct sync_count){n->times + 1, check_site(s->sites, w, i), mask};
		return;
	}
	default:
		mbarrier(s, r, a, w, i, rows, mask);
	}
}

static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	gang_before_each(g, i, before, context);
}

static void after(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct sync_check *s = context;
	const struct sync_site *a = about(s, w, i);
	struct sync_block *r = record_of(s, w->block);

	if (mask && r && a->role == SYNC_MBARRIER_ARRIVE && w->stop != STOP_FAULT)
		keep_states(s, r, a, w, i, rows, mask);
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct sync_check *s = context;

	return s->about[code->index][insn].role != SYNC_NONE;
}

static void block_start(void *context, struct block *b)
{
	struct sync_check *s = context;
	struct sync_block **bucket = &s->buckets[((uintptr_t)b / sizeof *b) % BUCKETS], *r = record_of(s, b);

	if (!r) {
		r = ARENA_NEW(s->findings->arena, struct sync_block);
		r->next = *bucket;
		*bucket = r;
	}
	*r = (struct sync_block){.next = r->next, .block = b, .states = r->states};
	r->states.count = 0;
}

/* The four warps of a group, from `first` on, execute each of these instructions together. */
static void check_group(struct sync_check *s, const struct sync_block *r, const struct block *b, u32 first,
			enum sync_together kind)
{
	u32 most = first, least = first, insn;
	char name[100];

	for (u32 k = first; k < first + GROUP_WARPS && k < WARPS; k++) {
		most = r->warps[k].together[kind].times > r->warps[most].together[kind].times ? k : most;
		least = r->warps[k].together[kind].times < r->warps[least].together[kind].times ? k : least;
	}
	const struct sync_count *x = &r->warps[most].together[kind], *y = &r->warps[least].together[kind];
	if (x->times == y->times)
		return;
	struct fault *f =
		check_tell(s->findings, FAULT_ILLEGAL_INSTRUCTION, &b->warps[most], x->site, x->lanes, NO_SITE);
	if (!f)
		return;
	const struct code *code = check_site_code(s->sites, x->site, &insn);
	isa_form_text(&code->forms[code->origin[insn]], name, sizeof name);
	snprintf(
		f->detail, sizeof f->detail,
		"warp %u executes %u %s, warp %u of its warpgroup (warps %u to %u) only %u: all four must execute each "
		"one",
		most, x->times, name, least, first, first + GROUP_WARPS - 1, y->times);
}

static void block_end(void *context, struct block *b)
{
	struct sync_check *s = context;
	const struct sync_block *r = record_of(s, b);

	for (u32 first = 0; r && first < b->warp_count; first += GROUP_WARPS)
		for (u32 kind = 0; kind < SYNC_TOGETHERS; kind++)
			check_group(s, r, b, first, (enum sync_together)kind);
}

struct sync_check *sync_check_new(struct arena *arena, const struct check_sites *sites,
				  const struct site_list *accesses)
{
	struct sync_check *s = ARENA_NEW(arena, struct sync_check);
	const struct program *program = sites->program;

	s->sites = sites;
	s->accesses = accesses;
	s->observer = (struct observer){
		.context = s, .wants = wants, .before = before, .block_start = block_start, .block_end = block_end};
	bool keeps_states = false;
	s->about = ARENA_ARRAY(arena, program->code_count + 1, struct sync_site *);
	for (u32 c = 0; c < program->code_count; c++) {
		const struct code *code = program->codes[c];
		const bool maps = maps_addresses(code);
		s->about[c] = ARENA_ARRAY(arena, code->insn_count + 1, struct sync_site);
		for (u32 k = 0; k < code->insn_count && !code->function->listing; k++)
			if (code->origin[k] != NO_OPERAND && code->forms[code->origin[k]].row && sites_is_own(code, k))
				s->about[c][k] = site_of(&code->forms[code->origin[k]]);
		for (u32 k = 0; k < code->insn_count && !code->function->listing && maps; k++)
			if (s->about[c][k].role == SYNC_NONE && may_be_remote(accesses, code, k))
				s->about[c][k].role = SYNC_REMOTE;
		for (u32 k = 0; k < code->insn_count; k++)
			keeps_states |= s->about[c][k].role == SYNC_MBARRIER_TEST;
	}
	/* States, if any is tested, come from arrivals, which give them back afterwards: gangs do not tell of that. */
	if (keeps_states)
		s->observer.after = after;
	else
		s->observer.gang_before = gang_before;
	return s;
}

void sync_check_begin(struct sync_check *s, struct check_findings *findings)
{
	s->findings = findings;
	memset(s->buckets, 0, sizeof s->buckets);
}

struct observer *sync_check_observer(struct sync_check *s) { return &s->observer; }
