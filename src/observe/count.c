/* SPDX-License-Identifier: Apache-2.0
 *
 * One access: its addresses, what the rules say about them, and the sums.
 */
#include "observe/count.h"

#include <string.h>

#include "exec/gang.h"
#include "memory/copies.h"
#include "memory/slots.h"
#include "observe/memo.h"
#include "observe/sites.h"

struct event {
	const struct counting *a;
	const struct account_site *site;
	struct account *to;
	struct account_sample *worst;
	const struct warp *w;
	u64 order;                     /* of the warp, by warp_order */
	const u32 *shared;             /* cp.async: where the lanes' bytes go */
	const u64 *other;              /* and the addresses on the other side */
	const struct copy_count *copy; /* of cp.async; no units: not of its wavefronts */
	u32 *excess;                   /* to be noted here, too, if not NULL */
};

static void add(struct account *to, enum account_field field, u64 n) { to->n[field] += n; }

/* Addresses as 32-bit words for the rules of shared memory, and back. */
static void narrow(const u64 from[WARP_LANES], u32 to[WARP_LANES])
{
	for (u32 l = 0; l < WARP_LANES; l++)
		to[l] = (u32)from[l];
}

static void widen(const u32 from[WARP_LANES], u64 to[WARP_LANES])
{
	for (u32 l = 0; l < WARP_LANES; l++)
		to[l] = from[l];
}

/* Whether an access of such excess is to be kept as the sample. */
static bool is_sample(const struct event *e, u32 excess)
{
	const struct account_sample *s = e->worst;

	if (e->excess)
		*e->excess = max_u32(*e->excess, excess);
	return !s->taken || excess > s->excess || (excess == s->excess && e->order < s->order);
}

static void take_sample(const struct event *e, enum ir_space space, u32 mask, u32 cost, u32 excess,
			const u64 address[WARP_LANES])
{
	struct account_sample *s = e->worst;

	if (!is_sample(e, excess))
		return;
	s->taken = true;
	s->space = space;
	s->mask = mask;
	s->cost = cost;
	s->excess = excess;
	s->order = e->order;
	memcpy(s->address, address, sizeof s->address);
	if (e->other)
		memcpy(s->other, e->other, sizeof s->other);
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

/* `times` accesses of cost *n by so many lanes altogether. */
static void add_shared(struct account *to, const struct account_site *site, const struct bank_count *n, u32 lanes,
		       u64 times)
{
	add(to, ACCOUNT_shared_instructions, times);
	add(to, ACCOUNT_shared_named, site->space != SPACE_GENERIC ? times : 0);
	add(to, ACCOUNT_shared_bytes_wanted, (u64)lanes * site->width);
	add(to, ACCOUNT_shared_units, times * n->units);
	add(to, ACCOUNT_shared_wavefronts, times * n->wavefronts);
	add(to, ACCOUNT_shared_ideal, times * n->ideal);
	add(to, ACCOUNT_shared_conflicts, times * n->conflicts);
	add(to, ACCOUNT_shared_load_source, times * n->load_source);
	to->degree[min_u32(n->degree, WARP_LANES)] += times;
	if (site->bank_kind >= BANK_ATOM) {
		const bool cas = site->bank_kind != BANK_ATOM && site->bank_kind != BANK_ATOM_COUNT;
		const u64 named = site->space != SPACE_GENERIC ? times * n->rounds : 0;
		add(to, ACCOUNT_shared_rounds, times * n->rounds);
		add(to, ACCOUNT_shared_rounds_named, named);
		add(to, cas ? ACCOUNT_shared_rounds_cas : ACCOUNT_shared_rounds_alu, named);
		add(to, ACCOUNT_shared_loop_loads, times * n->loads);
		add(to, ACCOUNT_shared_load_wavefronts, times * n->load_wavefronts);
		add(to, ACCOUNT_shared_load_conflicts, times * n->load_conflicts);
	}
}

static u32 excess_of(const struct bank_count *n)
{
	const u32 cost = n->wavefronts + n->load_wavefronts;

	return cost > n->ideal ? cost - n->ideal : 0;
}

static void take_shared_sample(const struct event *e, u32 mask, const struct bank_count *n,
			       const u32 address[WARP_LANES])
{
	u64 wide[WARP_LANES];

	if (!is_sample(e, excess_of(n)))
		return;
	widen(address, wide);
	take_sample(e, SPACE_SHARED, mask, n->wavefronts + n->load_wavefronts, excess_of(n), wide);
}

static void count_shared(const struct event *e, u32 mask, const u32 address[WARP_LANES])
{
	const struct account_site *site = e->site;
	struct account *to = e->to;
	const struct bank_access access = {site->bank_kind, e->a->options->bank_mode, site->width,
					   mask & site->matrix_mask};
	const u32 lanes = lanes_of(access.mask);
	u32 offset[WARP_LANES];
	struct bank_count n;

	for (u32 l = 0; l < WARP_LANES; l++)
		offset[l] = address[l] & ((1u << SHARED_RANK_SHIFT) - 1);
	banks_count_words(e->a->arch, &access, offset, &n, to->banks);
	if (e->copy)
		add(to, ACCOUNT_shared_moved_conflicts, e->copy->conflicts);
	if (e->copy && e->copy->units) {
		n.wavefronts = e->copy->wavefronts;
		n.conflicts = e->copy->wavefronts - e->copy->units;
		n.degree = e->copy->degree;
	}
	add_shared(to, site, &n, lanes, 1);
	if (site->bank_kind >= BANK_ATOM && n.lock_attempts)
		add_lock_loop(to, &n, access.mask);
	take_shared_sample(e, access.mask, &n, address);
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

/* hits: the field of first-level hits; that of misses stands behind it. */
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

/* With an estimate of caches, whether all sectors hit decides how the tag stage is charged. */
static void count_global(const struct event *e, u32 mask, const u64 address[WARP_LANES])
{
	const struct account_site *s = e->site;
	struct sector_access access = {s->sector_kind, s->width, mask, s->through_l1, false};
	struct cache_outcome outcome = {0};
	struct sector_count n;

	if (e->a->caches) {
		caches_global(e->a->caches, e->w->block, &access, s->through_l1 && !s->past_l1, address, &outcome);
		add_outcome(e->to, ACCOUNT_global_l1_hits, &outcome);
		access.hits = outcome.l1.read_hits && !outcome.l1.read_misses;
	}
	sectors_count_global(e->a->arch, &access, address, &n, NULL);
	if (s->sector_kind == SECTOR_ASYNC_BYPASS && e->shared)
		sectors_place_bypass(mask, address, e->shared, &n);
	if (e->copy && e->copy->units)
		n.data_conflicts = e->copy->data_conflicts;
	add_sectors(e, ACCOUNT_global_instructions, SPACE_GLOBAL, mask, &n, address);
	add(e->to, ACCOUNT_global_touched_sectors, n.touched_sectors);
	add(e->to, ACCOUNT_global_touched_lines, n.touched_lines);
	add(e->to, ACCOUNT_global_named, s->space != SPACE_GENERIC);
	if (n.load_sectors) {
		add(e->to, ACCOUNT_global_loop_loads, 1);
		add(e->to, ACCOUNT_global_loop_sectors, n.load_sectors);
		add(e->to, ACCOUNT_global_loop_tag_wavefronts, n.load_tag_wavefronts);
	}
}

static void count_local(const struct event *e, u32 mask, const u64 address[WARP_LANES])
{
	const struct account_site *s = e->site;
	const struct sector_access access = {s->sector_kind, s->width, mask, s->through_l1, false};
	struct sector_count n;
	u32 offset[WARP_LANES];

	narrow(address, offset);
	sectors_count_local(e->a->arch, &access, offset, &n);
	add_sectors(e, ACCOUNT_local_instructions, SPACE_LOCAL, mask, &n, address);
	add(e->to, ACCOUNT_local_named, s->space != SPACE_GENERIC);
	if (e->a->caches) {
		struct cache_outcome outcome = {0};
		caches_local(e->a->caches, e->w, &access, address, &outcome);
		add_outcome(e->to, ACCOUNT_local_l1_hits, &outcome);
	}
}

/* A constant access takes one pass for each different address. */
static void count_constant(const struct event *e, u32 mask, const u64 address[WARP_LANES])
{
	const u32 n = sectors_count_constant(e->a->arch, mask, address);
	/* The assembler loads 16 bytes word by word, and vectors in parts. */
	const u32 loads = e->site->width == 16 && !e->site->in_bank ? 4 : 1;

	add(e->to, ACCOUNT_const_instructions, loads);
	add(e->to, ACCOUNT_const_requests, loads * n);
	add(e->to, ACCOUNT_const_divergent, n > 1 ? loads : 0);
	add(e->to, ACCOUNT_const_replays, loads * (n - 1));
	take_sample(e, SPACE_CONST, mask, n, n - 1, address);
}

static void count_space(const struct event *e, enum ir_space space, u32 mask, const u64 address[WARP_LANES])
{
	u32 offset[WARP_LANES];

	switch (space) {
	case SPACE_SHARED:
		narrow(address, offset);
		count_shared(e, mask, offset);
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

/* cp.async: lanes whose source has fewer bytes than that, or is to be ignored. */
static u32 lanes_below(u32 bytes, const struct account_site *s, const struct insn *i, const u8 *rows)
{
	enum { SOURCE = 4 };
	u32 lanes = 0;

	if (s->form->operand_count <= SOURCE || s->form->operand_bits[SOURCE] == 64 ||
	    insn_operand(s->code, s->form, i, SOURCE) == NO_OPERAND)
		return 0;
	const u32 *row = (const u32 *)(const void *)(rows + insn_operand(s->code, s->form, i, SOURCE));
	if (s->form->operand_bits[SOURCE] == 1)
		return i->aux ? ~*row : *row;
	for (u32 l = 0; l < WARP_LANES; l++)
		lanes |= row[l] < bytes ? 1u << l : 0;
	return lanes;
}

/* cp.async: first the shared address, then the global one. */
static void count_copy(const struct event *e, const struct insn *i, const u8 *rows, u32 mask)
{
	const struct account_site *s = e->site;
	const u32 reads = mask & ~lanes_below(1, s, i, rows);
	struct event side = *e;
	struct copy_count copy;
	u64 from[WARP_LANES], to[WARP_LANES];
	u32 shared[WARP_LANES];

	operand_addresses(s, i, rows, 0, to);
	operand_addresses(s, i, rows, 2, from);
	narrow(to, shared);
	if (s->operation == ACCOUNT_ASYNC) {
		copies_count(e->a->arch, s->width, reads, mask & ~reads, from, shared, &copy);
	} else {
		const u32 zeros = mask & lanes_below(s->width, s, i, rows);
		copy = (struct copy_count){.conflicts = (u16)copies_bypass_conflicts(zeros, shared)};
	}
	side.copy = &copy;
	side.shared = shared;
	side.other = from;
	count_shared(&side, mask, shared);
	side.other = to;
	if (reads)
		count_global(&side, reads, from);
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
	const u64 stride = fragments_stride(f, e->site->code, e->site->form, i, rows, mask);

	for (u32 k = 0; k < f->count; k++) {
		struct account_site part = *e->site;
		const struct event one = {e->a, &part, e->to, e->worst, e->w, e->order, NULL, NULL, NULL, NULL};
		u64 address[WARP_LANES];
		part.width = f->access[k].bytes;
		fragments_address(f, k, base, stride, address);
		count_anywhere(&one, mask, address);
	}
}

/* A load of a vector that the assembler cuts: likewise. */
static void count_parts(const struct event *e, u32 mask, const u64 base[WARP_LANES])
{
	const struct narrow *parts = &e->site->parts;

	for (u32 k = 0; k < parts->count; k++) {
		struct account_site part = *e->site;
		struct event one = *e;
		u64 address[WARP_LANES];
		one.site = &part;
		part.width = parts->part[k].bytes;
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = base[l] + parts->part[k].offset;
		count_anywhere(&one, mask, address);
	}
}

/* The commonest without a pattern: no wider than it is. */
static void count_narrow_shared(const struct event *e, const struct insn *i, const u8 *rows, u32 mask)
{
	const u32 *restrict from = (const u32 *)(const void *)(rows + i->a);
	const u32 offset = (u32)i->imm;
	u32 address[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = from[l] + offset;
	count_shared(e, mask, address);
}

static void count_bank(const struct event *e, const struct insn *i, const u8 *rows, u32 mask)
{
	const u32 *from = (const u32 *)(const void *)(rows + i->a);
	u64 address[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = e->site->bank_offset + (e->site->at_fixed_place ? 0 : from[l]);
	count_constant(e, mask, address);
}

/* One execution by one warp: counted in full. Called where nothing known is like it. */
static void count_one(struct event *e, const struct insn *i, const u8 *rows, u32 mask)
{
	const struct account_site *s = e->site;
	u64 address[WARP_LANES];

	add(e->to, ACCOUNT_executed, 1);
	add(e->to, ACCOUNT_lanes, lanes_of(mask));
	add(e->to, ACCOUNT_global_data_writes, s->order_passes);
	if (s->one_lane)
		mask &= -mask;
	if (s->operation >= ACCOUNT_ASYNC) {
		count_copy(e, i, rows, mask);
		return;
	}
	if (s->in_bank) {
		count_bank(e, i, rows, mask);
		return;
	}
	if (s->space == SPACE_SHARED && !s->wide && !s->fragment && !s->parts.count) {
		count_narrow_shared(e, i, rows, mask);
		return;
	}
	row_addresses(rows, i->a, i->imm, s->wide, address);
	if (s->fragment)
		count_fragment(e, i, rows, mask, address);
	else if (s->parts.count)
		count_parts(e, mask, address);
	else
		count_anywhere(e, mask, address);
}

/* --- Accesses counted together ------------------------------------------------------------------- */

/* Whether accesses of the site may wait in a log: words of shared memory whose cost has a measure. */
bool count_logs(const struct counting *a, const struct account_site *s)
{
	return !a->caches && s->space == SPACE_SHARED && !s->wide && !s->fragment && !s->parts.count && !s->one_lane &&
	       !s->in_bank && !s->order_passes && s->operation <= ACCOUNT_RED &&
	       banks_measure(a->arch, s->bank_kind, s->width) != BANK_MEASURE_NONE;
}

static void take_logged_sample(struct event *e, const struct native_log *log, u32 k, const struct bank_count *n)
{
	u32 address[WARP_LANES];

	e->order = log->order[k];
	if (!is_sample(e, excess_of(n)))
		return;
	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = log->base[k][l] + log->addend;
	take_shared_sample(e, log->mask[k], n, address);
}

/* Sums of bytes, which vectors do. */
static u32 lanes_in(const u32 mask[NATIVE_LOG], u32 count)
{
	u32 even = 0, odd = 0;

	for (u32 k = 0; k < NATIVE_LOG; k++) {
		const u32 own = k < count ? mask[k] : 0, pairs = own - (own >> 1 & 0x55555555);
		const u32 quads = (pairs & 0x33333333) + (pairs >> 2 & 0x33333333);
		const u32 bytes = (quads + (quads >> 4)) & 0x0f0f0f0f;
		even += bytes & 0x00ff00ff;
		odd += bytes >> 8 & 0x00ff00ff;
	}
	return ((even + odd) & 0xffff) + ((even + odd) >> 16);
}

/* How many of them have which measure, and the costs of those that there are. Returns the greatest. */
static u32 sort_log(const struct account_site *s, const struct slots_rows *rows, u32 times[WARP_LANES + 1],
		    struct bank_count n[WARP_LANES + 1])
{
	u32 greatest = 0;

	for (u32 k = 0; k < rows->count; k++) {
		times[rows->most[k]]++;
		greatest = max_u32(greatest, rows->most[k]);
	}
	for (u32 most = 0; most <= greatest; most++)
		if (times[most])
			banks_count_measured(s->bank_kind, most, &n[most]);
	return greatest;
}

/* Counts what the log holds, in the order in which it came. */
static void count_log(const struct counting *a, const struct account_site *s, struct account *to,
		      const struct native_log *log, u32 count)
{
	_Static_assert((int)SLOTS_ROWS == (int)NATIVE_LOG, "a log is counted at once");
	const enum bank_measure measure = banks_measure(a->arch, s->bank_kind, s->width);
	struct event e = {a, s, to, &to->worst, NULL, 0, NULL, NULL, NULL, NULL};
	const u32 lanes = lanes_in(log->mask, count);
	struct slots_rows rows; /* the answer's part need not be cleared */
	u32 times[WARP_LANES + 1] = {0};
	struct bank_count n[WARP_LANES + 1];

	rows.base = log->base;
	rows.mask = log->mask;
	rows.count = count;
	rows.addend = log->addend;
	rows.range = 1u << SHARED_RANK_SHIFT;
	rows.most_keys = measure == BANK_MEASURE_WORDS;
	rows.sum_keys = !banks_take_lanes(s->bank_kind);
	slots_count_rows(&rows);
	const u32 greatest = sort_log(s, &rows, times, n);
	/* The greater the measure, the greater the excess. */
	if (!to->worst.taken || excess_of(&n[greatest]) >= to->worst.excess)
		for (u32 k = 0; k < count; k++)
			take_logged_sample(&e, log, k, &n[rows.most[k]]);
	add(to, ACCOUNT_executed, count);
	add(to, ACCOUNT_lanes, lanes);
	for (u32 most = 0; most <= greatest; most++)
		if (times[most])
			add_shared(to, s, &n[most], 0, times[most]);
	add(to, ACCOUNT_shared_bytes_wanted, (u64)lanes * s->width);
	for (u32 b = 0; b < SLOTS; b++)
		to->banks[b] += rows.sum[b];
}

static void empty_log(const struct counting *a, const struct account_site *s, struct account *to, struct memo *m)
{
	struct native_pattern *p = &m->pattern;

	m->pause += p->log_end - p->logged;
	if (p->logged)
		count_log(a, s, to, p->log, p->logged);
	p->logged = p->log_end = 0;
}

/* As many accesses as the log has room for, as native code notes them. */
static u32 note_accesses(struct native_pattern *p, const struct accesses *x)
{
	const u32 count = min_u32(x->count, p->log_end - p->logged);

	for (u32 k = 0; k < count; k++, p->logged++) {
		memcpy(p->log->base[p->logged], x->rows + k * x->stride + x->insn->a, sizeof p->log->base[0]);
		p->log->mask[p->logged] = x->mask;
		p->log->order[p->logged] = x->order + k;
	}
	return count;
}

/* For accesses that the memo does not want, of which x's first is one: an empty log. */
static void begin_log(struct memo *m, const struct accesses *x)
{
	struct native_pattern *p = &m->pattern;

	p->log->addend = (u32)x->insn->imm;
	p->log_end = 1 + min_u32(m->pause, NATIVE_LOG - 1);
	m->pause -= p->log_end - 1;
}

/* The first of them, which looks like none that is known, or more, where there is a log.
 * Counts into a new unit of the memo if the site is worth remembering, else directly into the account. */
static u32 count_unknown(const struct counting *a, struct account *to, struct memo *m, const struct accesses *x,
			 const struct warp *w)
{
	struct event e = {a, x->site, to, &to->worst, w, x->order, NULL, NULL, NULL, NULL};

	if (m->miss == MEMO_SAMPLE) {
		count_one(&e, x->insn, x->rows, x->mask);
		return 1;
	}
	if (a->caches || !memo_wants(m, x->site)) {
		memo_drop(m, to);
		if (m->pattern.log) {
			begin_log(m, x);
			return note_accesses(&m->pattern, x);
		}
		count_one(&e, x->insn, x->rows, x->mask);
		return 1;
	}
	struct memo_unit *u = memo_room(m, to);
	e.to = &u->account;
	e.excess = &u->excess;
	count_one(&e, x->insn, x->rows, x->mask);
	memo_keep(m, a->arch, x, u, to);
	return 1;
}

/* How many of the first accesses are counted, or noted in the log. w: the first warp.
 * As many as the memo knows are only counted, then one in full. */
static u32 count_some(const struct counting *a, struct account *to, struct memo *m, const struct accesses *x,
		      const struct warp *w)
{
	struct accesses rest = *x;

	if (m->pattern.logged < m->pattern.log_end)
		return note_accesses(&m->pattern, x);
	if (m->pattern.log_end)
		empty_log(a, x->site, to, m);
	const u32 known = memo_repeat(m, &a->alike, x, &to->worst);
	if (known == x->count)
		return known;
	rest.rows += known * x->stride;
	rest.order += known;
	rest.count -= known;
	return known + count_unknown(a, to, m, &rest, w + known);
}

/* All accesses of x in turn. w: the first warp. */
static void count_all(const struct counting *a, struct account *to, struct memo *m, struct accesses x,
		      const struct warp *w)
{
	while (x.count) {
		const u32 done = count_some(a, to, m, &x, w);
		x.rows += done * x.stride;
		x.order += done;
		x.count -= done;
		w += done;
	}
}

static void count_guard(struct account *to, const struct insn *i, const u8 *rows, u32 mask)
{
	const u32 on = *(const u32 *)(const void *)(rows + i->a);

	add(to, ACCOUNT_executed_empty, !(mask & (i->aux ? ~on : on)));
}

/* Entered for each watched instruction of a warp that runs alone. */
void count_access(const struct counting *a, const struct account_site *s, struct account *to, struct memo *m,
		  const struct warp *w, const struct insn *i, const u8 *rows, u32 mask, bool is_guard)
{
	const struct accesses x = {s, i, rows, 0, 1, mask, warp_order(w)};

	/* One that waits for other lanes comes again, with all of them. */
	if (s->sync && !w->resumed && mask != w->live)
		return;
	if (is_guard)
		count_guard(to, i, rows, mask);
	else
		count_all(a, to, m, x, w);
}

/* Without a memo: for blocks that are counted apart, whose figures cannot wait for count_finish(). */
void count_alone(const struct counting *a, const struct account_site *s, struct account *to, const struct warp *w,
		 const struct insn *i, const u8 *rows, u32 mask, bool is_guard)
{
	struct event e = {a, s, to, &to->worst, w, warp_order(w), NULL, NULL, NULL, NULL};

	if (s->sync && !w->resumed && mask != w->live)
		return;
	if (is_guard)
		count_guard(to, i, rows, mask);
	else
		count_one(&e, i, rows, mask);
}

void count_repeated(const struct counting *a, const struct account_site *s, struct account *to, const struct warp *w,
		    const struct insn *i, const u8 *rows, u64 times)
{
	struct account unit = {0};
	struct event e = {a, s, &unit, &unit.worst, w, warp_order(w), NULL, NULL, NULL, NULL};

	count_one(&e, i, rows, FULL_MASK);
	account_add_times(to, &unit, times, 0);
}

/* What a given access costs by itself, for the debugger: nothing is added to any account. */
void count_cost(const struct counting *a, const struct account_site *s, const struct warp *w,
		struct account_sample *sample)
{
	const struct counting alone = {.arch = a->arch, .options = a->options};
	struct account unused = {0};
	const struct event e = {&alone, s, &unused, &unused.worst, w, warp_order(w), NULL, NULL, NULL, NULL};

	count_space(&e, sample->space, sample->mask, sample->address);
	sample->taken = true;
	sample->order = unused.worst.order;
	sample->cost = unused.worst.cost;
	sample->excess = unused.worst.excess;
}

/* The addresses of a site whose base is the same in every block, by warp: what all of a block's warps add is
 * counted once. A block before the one that this was may have a sample to keep. */
static bool count_fixed(const struct counting *a, const struct account_site *s, struct account *to,
			struct fixed_count *f, const struct gang *g, const struct insn *i)
{
	const struct warp *w = g->warps;
	struct event e = {a, s, &f->unit, &to->worst, w, warp_order(w), NULL, NULL, NULL, NULL};

	if (g->count != g->block->warp_count || (f->times && g->block->index < f->block))
		return false;
	if (f->times++)
		return true;
	f->block = g->block->index;
	EACH_WARP (g) {
		e.w = w;
		e.order = warp_order(w++);
		count_one(&e, i, rows, FULL_MASK);
	}
	return true;
}

/* Where its warps take part with some of their lanes. */
static void count_members(const struct counting *a, const struct account_site *s, struct account *to, struct memo *m,
			  const struct gang *g, const struct insn *i, bool is_guard)
{
	EACH_MEMBER (g, one)
		if (is_guard)
			count_guard(to, i, one->rows, one->mask);
		else
			count_access(a, s, to, m, one->warp, i, one->rows, one->mask, false);
}

/* Entered once for all warps of a gang. `f` is NULL unless the site's base is the same in every block. */
void count_gang(const struct counting *a, const struct account_site *s, struct account *to, struct memo *m,
		struct fixed_count *f, const struct gang *g, const struct insn *i, bool is_guard)
{
	const struct accesses x = {s, i, g->rows, g->stride, g->count, FULL_MASK, warp_order(g->warps)};

	if (g->on)
		count_members(a, s, to, m, g, i, is_guard);
	else if (is_guard)
		EACH_WARP (g)
			count_guard(to, i, rows, FULL_MASK);
	else if (!f || !count_fixed(a, s, to, f, g, i))
		count_all(a, to, m, x, g->warps);
}

/* At the end of a launch, or before figures are read: what was only numbered so far becomes sums. */
void count_finish(const struct counting *a, const struct account_site *s, struct memo *m, struct fixed_count *f,
		  struct account *to)
{
	if (m->pattern.log_end)
		empty_log(a, s, to, m);
	memo_flush(m, to);
	if (f && f->times) {
		account_add_times(to, &f->unit, f->times, 0);
		memset(f, 0, sizeof *f);
	}
}
