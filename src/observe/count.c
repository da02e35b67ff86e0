/* SPDX-License-Identifier: Apache-2.0
 *
 * One access: its addresses, what the rules say about them, and the sums. Most accesses of an
 * instruction look like the one before but for where they start; these are recognised by their
 * distances from the first lane, and only counted, until one comes that looks otherwise.
 */
#include "observe/count.h"

#include <stddef.h>
#include <string.h>

#include "exec/run.h"
#include "observe/sites.h"

struct event {
	const struct counting *a;
	const struct account_site *site;
	struct account *to;
	struct account_sample *worst;
	const struct warp *w;
	const u32 *shared; /* cp.async: where the lanes' bytes go */
	struct memo *memo; /* that the access is kept in, or NULL */
};

/* As wide as the site's base register. */
union lanes {
	u64 wide[WARP_LANES];
	u32 narrow[WARP_LANES];
};

/* What the last access of a site looked like. */
struct memo {
	bool valid;
	bool rotates; /* the same at every multiple of 4 bytes, but for which bank is which */
	u32 first;    /* active lane */
	u32 mask;
	u32 excess;
	u64 base;                     /* of the first active lane */
	u64 key;                      /* bits of `base` that matter */
	union lanes keep;             /* all ones for active lanes */
	union lanes distance;         /* from the first active lane */
	u64 repeats[WARP_LANES];      /* accesses like it, not yet added, by rotation in words */
	bool repeated;
	u32 misses, pause; /* in a row; accesses until the next try */
	struct account unit; /* what one such access adds */
};

static void add(struct account *to, enum account_field field, u64 n) { to->n[field] += n; }

/* For a choice of samples that does not depend on the workers. */
static u64 order_of(const struct warp *w) { return w->block->index << 8 | w->index; }

static void take_sample(const struct event *e, enum ir_space space, u32 mask, u32 cost, u32 excess,
                        const u64 address[WARP_LANES])
{
	struct account_sample *s = e->worst;
	const u64 order = order_of(e->w);

	if (e->memo)
		e->memo->excess = excess;
	if (s->taken && (excess < s->excess || (excess == s->excess && order >= s->order)))
		return;
	s->taken = true;
	s->space = space;
	s->mask = mask;
	s->cost = cost;
	s->excess = excess;
	s->order = order;
	memcpy(s->address, address, sizeof s->address);
}

/* An atomic that the assembler makes a lock loop of. */
static void add_lock_loop(struct account *to, const struct bank_count *n, u32 mask)
{
	add(to, ACCOUNT_lock_loops, 1);
	add(to, ACCOUNT_lock_rounds, n->rounds);
	add(to, ACCOUNT_lock_retries, n->rounds - 1u);
	add(to, ACCOUNT_lock_attempts, n->lock_attempts);
	add(to, ACCOUNT_lock_failures, n->lock_attempts - (u32)__builtin_popcount(mask));
	add(to, ACCOUNT_lock_false, n->lock_false);
	to->n[ACCOUNT_lock_worst] = max_u64(to->n[ACCOUNT_lock_worst], n->rounds);
}

static void count_shared(const struct event *e, u32 mask, const u64 address[WARP_LANES])
{
	const struct account_site *site = e->site;
	struct account *to = e->to;
	const struct bank_access access = {site->bank_kind, e->a->options->bank_mode, site->width,
	                                   mask & site->matrix_mask};
	u32 offset[WARP_LANES];
	struct bank_count n;

	for (u32 l = 0; l < WARP_LANES; l++)
		offset[l] = (u32)address[l] & ((1u << SHARED_RANK_SHIFT) - 1);
	banks_count(e->a->arch, &access, offset, &n, NULL);
	banks_add_words(e->a->arch, &access, offset, &n, to->banks);
	const u32 cost = n.wavefronts + n.load_wavefronts;
	add(to, ACCOUNT_shared_instructions, 1);
	add(to, ACCOUNT_shared_bytes_wanted, (u64)(u32)__builtin_popcount(access.mask) * site->width);
	add(to, ACCOUNT_shared_units, n.units);
	add(to, ACCOUNT_shared_wavefronts, n.wavefronts);
	add(to, ACCOUNT_shared_ideal, n.ideal);
	add(to, ACCOUNT_shared_conflicts, n.conflicts);
	to->degree[min_u32(n.degree, WARP_LANES)]++;
	if (site->bank_kind >= BANK_ATOM) {
		const bool cas = site->bank_kind == BANK_ATOM_CAS || site->bank_kind == BANK_ATOM_LOOP;
		add(to, ACCOUNT_shared_rounds, n.rounds);
		add(to, cas ? ACCOUNT_shared_rounds_cas : ACCOUNT_shared_rounds_alu, n.rounds);
		if (site->bank_kind == BANK_ATOM_LOOP)
			add(to, ACCOUNT_shared_loop_loads, n.rounds);
		add(to, ACCOUNT_shared_load_wavefronts, n.load_wavefronts);
		add(to, ACCOUNT_shared_load_conflicts, n.load_conflicts);
		if (n.lock_attempts)
			add_lock_loop(to, &n, access.mask);
	}
	take_sample(e, SPACE_SHARED, access.mask, cost, cost > n.ideal ? cost - n.ideal : 0, address);
}

/* first: the space's block of fields, in the order of ACCOUNT_SECTOR_FIELDS. */
static void add_sectors(const struct event *e, enum account_field first, enum ir_space space, u32 mask,
                        const struct sector_count *n, const u64 address[WARP_LANES])
{
	const u64 values[] = {1,
	                      n->requests,
	                      n->transactions,
	                      n->sectors,
	                      n->ideal_sectors,
	                      n->lines,
	                      n->tag_wavefronts,
	                      n->data_reads,
	                      n->data_writes,
	                      n->data_conflicts,
	                      n->bytes_wanted,
	                      n->bytes_moved};

	for (u32 k = 0; k < COUNT_OF(values); k++)
		e->to->n[first + k] += values[k];
	take_sample(e, space, mask, n->sectors, (u32)(n->sectors - n->ideal_sectors), address);
}

static void add_outcome(struct account *to, enum account_field hits, const struct cache_outcome *o)
{
	add(to, hits, o->l1.read_hits + o->l1.write_hits);
	add(to, hits + 1, o->l1.read_misses + o->l1.write_misses);
	add(to, ACCOUNT_l2_read_hits, o->l2.read_hits);
	add(to, ACCOUNT_l2_read_misses, o->l2.read_misses);
	add(to, ACCOUNT_l2_write_hits, o->l2.write_hits);
	add(to, ACCOUNT_l2_write_misses, o->l2.write_misses);
	add(to, ACCOUNT_l2_written_back, o->l2.written_back);
}

static void count_global(const struct event *e, u32 mask, const u64 address[WARP_LANES])
{
	const struct account_site *s = e->site;
	const struct sector_access access = {s->sector_kind, s->width, mask, s->through_l1};
	struct sector_count n;

	sectors_count_global(e->a->arch, &access, address, &n, NULL);
	if (s->sector_kind == SECTOR_ASYNC_BYPASS)
		sectors_place_bypass(mask, address, e->shared, &n);
	add_sectors(e, ACCOUNT_global_instructions, SPACE_GLOBAL, mask, &n, address);
	if (e->a->caches) {
		struct cache_outcome outcome = {0};
		caches_global(e->a->caches, e->w->block, &access, s->through_l1 && !s->past_l1, address,
		              &outcome);
		add_outcome(e->to, ACCOUNT_global_l1_hits, &outcome);
	}
}

static void count_local(const struct event *e, u32 mask, const u64 address[WARP_LANES])
{
	const struct account_site *s = e->site;
	const struct sector_access access = {s->sector_kind, s->width, mask, s->through_l1};
	struct sector_count n;
	u32 offset[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		offset[l] = (u32)address[l];
	sectors_count_local(e->a->arch, &access, offset, &n);
	add_sectors(e, ACCOUNT_local_instructions, SPACE_LOCAL, mask, &n, address);
	if (e->a->caches) {
		struct cache_outcome outcome = {0};
		caches_local(e->a->caches, e->w, &access, address, &outcome);
		add_outcome(e->to, ACCOUNT_local_l1_hits, &outcome);
	}
}

static void count_constant(const struct event *e, u32 mask, const u64 address[WARP_LANES])
{
	const u32 n = sectors_count_constant(e->a->arch, mask, address);

	add(e->to, ACCOUNT_const_instructions, 1);
	add(e->to, ACCOUNT_const_requests, n);
	add(e->to, ACCOUNT_const_divergent, n > 1);
	add(e->to, ACCOUNT_const_replays, n - 1);
	take_sample(e, SPACE_CONST, mask, n, n - 1, address);
}

static void count_space(const struct event *e, enum ir_space space, u32 mask, const u64 address[WARP_LANES])
{
	switch (space) {
	case SPACE_SHARED:
		count_shared(e, mask, address);
		break;
	case SPACE_LOCAL:
		count_local(e, mask, address);
		break;
	case SPACE_CONST:
	case SPACE_PARAM:
		count_constant(e, mask, address);
		break;
	default:
		count_global(e, mask, address);
	}
}

/* Each lane by where its address lies. */
static void count_generic(const struct event *e, u32 mask, u64 address[WARP_LANES])
{
	u32 masks[SPACE_COUNT] = {0};

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		masks[generic_space(e->w, &address[l])] |= 1u << l;
	}
	for (u32 space = 0; space < SPACE_COUNT; space++)
		if (masks[space])
			count_space(e, (enum ir_space)space, masks[space], address);
}

static void form_addresses(const u8 *rows, u32 base, s32 offset, bool wide, u64 address[WARP_LANES])
{
	if (wide) {
		const u64 *from = (const u64 *)(const void *)(rows + base);
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = from[l] + (u64)(s64)offset;
	} else {
		const u32 *from = (const u32 *)(const void *)(rows + base);
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = from[l] + (u32)offset;
	}
}

/* cp.async: the list starts with the shared address, then the global one. */
static void count_copy(struct event *e, const struct insn *i, const u8 *rows, u32 mask)
{
	const u32 *list = warp_operands(e->w, i);
	u64 address[WARP_LANES];
	u32 shared[WARP_LANES];

	form_addresses(rows, list[0], (s32)list[1], e->site->form->operand_bits[0] == 64, address);
	count_shared(e, mask, address);
	for (u32 l = 0; l < WARP_LANES; l++)
		shared[l] = (u32)address[l];
	e->shared = shared;
	form_addresses(rows, list[2], (s32)list[3], e->site->wide, address);
	count_global(e, mask, address);
}

static void count_anywhere(const struct event *e, u32 mask, u64 address[WARP_LANES])
{
	if (e->site->space == SPACE_GENERIC)
		count_generic(e, mask, address);
	else
		count_space(e, e->site->space, mask, address);
}

/* wmma.load and wmma.store: each of their accesses as one of its own. */
static void count_fragment(const struct event *e, const struct insn *i, const u8 *rows, u32 mask,
                           const u64 base[WARP_LANES])
{
	const struct fragment_accesses *f = e->site->fragment;
	const u64 stride = fragments_stride(f, e->w, i, rows, mask);

	for (u32 k = 0; k < f->count; k++) {
		struct account_site part = *e->site;
		const struct event one = {e->a, &part, e->to, e->worst, e->w, NULL, NULL};
		u64 address[WARP_LANES];
		part.width = f->access[k].bytes;
		fragments_address(f, k, base, stride, address);
		count_anywhere(&one, mask, address);
	}
}

/* --- Accesses like the last ------------------------------------------------------------------- */

enum { MISSES_MOST = 4, PAUSE = 64, SHARED_KEY = 1023, LINE_KEY = 127, GLOBAL_KEY = 65535 };

static void flush(struct memo *m, struct account *to)
{
	u64 times = 0;

	if (!m->repeated)
		return;
	for (u32 r = 0; r < WARP_LANES; r++) {
		const u64 n = m->repeats[r];
		if (!n)
			continue;
		times += n;
		for (u32 b = 0; b < COUNT_OF(to->banks); b++)
			to->banks[(b + r) % COUNT_OF(to->banks)] += m->unit.banks[b] * n;
		m->repeats[r] = 0;
	}
	for (u32 k = 0; k < ACCOUNT_FIELD_COUNT; k++)
		to->n[k] = account_takes_most((enum account_field)k) ? max_u64(to->n[k], m->unit.n[k])
		                                                     : to->n[k] + m->unit.n[k] * times;
	for (u32 k = 0; k <= WARP_LANES; k++)
		to->degree[k] += m->unit.degree[k] * times;
	m->repeated = false;
}

/* Whether every active lane is as far from the first as it was; with all lanes active, without asking
 * which are. */
static bool same_distances_wide(const struct memo *m, const u64 *row)
{
	typedef u64 vec __attribute__((vector_size(16)));
	const vec first = {row[m->first], row[m->first]};
	vec off = {0, 0}, v, distance, keep;

#pragma GCC unroll 16
	for (u32 l = 0; l < WARP_LANES; l += 2) {
		memcpy(&v, &row[l], sizeof v);
		memcpy(&distance, &m->distance.wide[l], sizeof distance);
		off |= (v - first) ^ distance;
	}
	if (m->mask == FULL_MASK || (off[0] | off[1]) == 0)
		return (off[0] | off[1]) == 0;
	off = (vec){0, 0};
	for (u32 l = 0; l < WARP_LANES; l += 2) {
		memcpy(&v, &row[l], sizeof v);
		memcpy(&distance, &m->distance.wide[l], sizeof distance);
		memcpy(&keep, &m->keep.wide[l], sizeof keep);
		off |= ((v - first) ^ distance) & keep;
	}
	return (off[0] | off[1]) == 0;
}

static bool same_distances_narrow(const struct memo *m, const u32 *row)
{
	typedef u32 vec __attribute__((vector_size(16)));
	const u32 base = row[m->first];
	const vec first = {base, base, base, base};
	vec off = {0, 0, 0, 0}, v, distance, keep;

#pragma GCC unroll 8
	for (u32 l = 0; l < WARP_LANES; l += 4) {
		memcpy(&v, &row[l], sizeof v);
		memcpy(&distance, &m->distance.narrow[l], sizeof distance);
		off |= (v - first) ^ distance;
	}
	if (m->mask == FULL_MASK || (off[0] | off[1] | off[2] | off[3]) == 0)
		return (off[0] | off[1] | off[2] | off[3]) == 0;
	off = (vec){0, 0, 0, 0};
	for (u32 l = 0; l < WARP_LANES; l += 4) {
		memcpy(&v, &row[l], sizeof v);
		memcpy(&distance, &m->distance.narrow[l], sizeof distance);
		memcpy(&keep, &m->keep.narrow[l], sizeof keep);
		off |= ((v - first) ^ distance) & keep;
	}
	return (off[0] | off[1] | off[2] | off[3]) == 0;
}

static u64 first_address(const struct account_site *s, const struct insn *i, const u8 *rows, u32 lane)
{
	const void *row = rows + i->a;

	return s->wide ? ((const u64 *)row)[lane] + (u64)(s64)i->imm : ((const u32 *)row)[lane] + (u32)i->imm;
}

/* Counts the access by what is known of the last one; false if it looks otherwise, or if it is to be
 * kept as a sample. */
static bool is_repeat(struct memo *m, const struct account_site *s, const struct insn *i, const u8 *rows, u32 mask,
                      const struct account_sample *worst, u64 order)
{
	const void *row = rows + i->a;

	if (!m->valid || m->mask != mask ||
	    (m->excess >= worst->excess && (m->excess > worst->excess || order < worst->order)))
		return false;
	const u64 base = first_address(s, i, rows, m->first), moved = base - m->base;
	if (m->rotates ? moved & 3 : (base ^ m->base) & m->key)
		return false;
	if (s->space == SPACE_GENERIC && (base ^ m->base) >> 32)
		return false;
	if (!(s->wide ? same_distances_wide(m, row) : same_distances_narrow(m, row)))
		return false;
	m->repeats[m->rotates ? moved / 4 % WARP_LANES : 0]++;
	m->repeated = true;
	return true;
}

/* The spaces that the unit reached: 1 if the access lay in one. */
static u32 spaces_of(const struct account *unit)
{
	return (unit->n[ACCOUNT_shared_instructions] != 0) + (unit->n[ACCOUNT_global_instructions] != 0) +
	       (unit->n[ACCOUNT_local_instructions] != 0) + (unit->n[ACCOUNT_const_instructions] != 0);
}

/* Which bits of the first address decide about the figures, given the distances. */
static void choose_key(const struct counting *a, struct memo *m)
{
	const u64 *n = m->unit.n;

	m->rotates = false;
	if (n[ACCOUNT_shared_instructions]) {
		m->rotates = a->arch->shared_rule == ARCH_SHARED_UNITS;
		m->key = SHARED_KEY;
	} else if (n[ACCOUNT_global_instructions]) {
		m->key = n[ACCOUNT_global_lines] == 1 ? LINE_KEY : GLOBAL_KEY;
	} else {
		m->key = n[ACCOUNT_const_instructions] ? 0 : ~0ull;
	}
}

/* The access was counted into m->unit: keeps what it looked like. */
static void keep_shape(const struct counting *a, struct memo *m, const struct account_site *s,
                       const struct insn *i, const u8 *rows, u32 mask)
{
	const u64 *wide = (const u64 *)(const void *)(rows + i->a);
	const u32 *narrow = (const u32 *)(const void *)(rows + i->a);

	m->first = (u32)__builtin_ctz(mask);
	m->mask = mask;
	m->base = first_address(s, i, rows, m->first);
	for (u32 l = 0; l < WARP_LANES; l++)
		if (s->wide) {
			m->keep.wide[l] = mask >> l & 1 ? ~0ull : 0;
			m->distance.wide[l] = wide[l] - wide[m->first];
		} else {
			m->keep.narrow[l] = mask >> l & 1 ? ~0u : 0;
			m->distance.narrow[l] = narrow[l] - narrow[m->first];
		}
	choose_key(a, m);
	m->valid = spaces_of(&m->unit) == 1;
	m->repeats[0] = 1;
	m->repeated = true;
}

/* Whether the next access may be kept: not while they all look different. */
static bool worth_keeping(const struct counting *a, struct memo *m, const struct account_site *s)
{
	if (a->caches || s->fragment || s->operation >= ACCOUNT_ASYNC ||
	    (s->space == SPACE_GENERIC && !s->wide))
		return false;
	if (m->pause) {
		m->pause--;
		return false;
	}
	if (++m->misses <= MISSES_MOST)
		return true;
	m->misses = 0;
	m->pause = PAUSE;
	return false;
}

static void count_one(struct event *e, const struct insn *i, const u8 *rows, u32 mask)
{
	const struct account_site *s = e->site;
	u64 address[WARP_LANES];

	add(e->to, ACCOUNT_executed, 1);
	add(e->to, ACCOUNT_lanes, (u64)(u32)__builtin_popcount(mask));
	if (s->one_lane)
		mask &= -mask;
	if (s->operation >= ACCOUNT_ASYNC) {
		count_copy(e, i, rows, mask);
		return;
	}
	form_addresses(rows, i->a, i->imm, s->wide, address);
	if (s->fragment)
		count_fragment(e, i, rows, mask, address);
	else
		count_anywhere(e, mask, address);
}

void count_access(const struct counting *a, const struct account_site *s, struct account *to, struct memo *memos,
                  u32 site, const struct warp *w, const struct insn *i, const u8 *rows, u32 mask, bool is_guard)
{
	struct memo *m = &memos[site];
	struct event e = {a, s, to, &to->worst, w, NULL, NULL};

	/* One that waits for other lanes comes again, with all of them. */
	if (s->sync && !w->resumed && mask != w->live)
		return;
	if (is_guard) {
		const u32 on = *(const u32 *)(const void *)(rows + i->a);
		add(to, ACCOUNT_executed_empty, !(mask & (i->aux ? ~on : on)));
		return;
	}
	if (is_repeat(m, s, i, rows, mask, &to->worst, order_of(w))) {
		m->misses = 0;
		return;
	}
	flush(m, to);
	m->valid = false;
	if (!worth_keeping(a, m, s)) {
		count_one(&e, i, rows, mask);
		return;
	}
	memset(&m->unit, 0, offsetof(struct account, worst));
	e.to = &m->unit;
	e.memo = m;
	count_one(&e, i, rows, mask);
	keep_shape(a, m, s, i, rows, mask);
}

size_t count_memo_bytes(void) { return sizeof(struct memo); }

void count_finish(struct memo *memos, struct account *sums, u32 count)
{
	for (u32 k = 0; k < count; k++)
		flush(&memos[k], &sums[k]);
}
