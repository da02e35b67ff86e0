/* SPDX-License-Identifier: Apache-2.0
 *
 * Row allocation: liveness by the usual backward data-flow over blocks, then linear scan.
 *
 * Liveness is that of one thread. It holds for a warp because every write is masked: lanes on
 * another path keep what the shared row held for them.
 *
 * The frame that comes out of it:
 *
 *  base[0]  predicates, a word each          rows[0] * 4 bytes, up to the next multiple of 64; row 0 stays free
 *  base[1]  registers up to 32 bits          rows[1] rows of 128 bytes
 *  base[2]  of 64 bits                       rows[2] rows of 256
 *  base[3]  of 128 bits                      rows[3] rows of 512
 *
 * Registers whose intervals do not overlap share a row of their class.
 */
#include "decode/rows.h"

#include <stdlib.h>
#include <string.h>

/* Above this many bits of liveness sets, registers are not shared: the analysis would cost more than
 * the rows. */
#define LIVENESS_BITS_MAX (1ull << 30)

struct interval {
	u32 slot;
	u32 start, end; /* positions: 2 * instruction for reads, + 1 for writes */
	u8 class;       /* index into row_classes */
};

static const u8 class_bits[] = {1, 32, 64, 128};
static const u32 class_bytes[] = {4, 128, 256, 512};

static u8 class_of(u32 bits) { return bits == 1 ? 0 : bits <= 32 ? 1 : bits <= 64 ? 2 : 3; }

struct liveness {
	u32 words, blocks;
	u64 *in, *out, *uses, *kills; /* by block, `words` each */
};

static bool test_bit(const u64 *set, u32 bit) { return set[bit / 64] >> bit % 64 & 1; }
static void set_bit(u64 *set, u32 bit) { set[bit / 64] |= 1ull << bit % 64; }

/* uses: read in the block before it is written there; kills: written for sure. */
static void block_sets(const struct ir_function *f, const struct flow *g, const struct matched *matched,
		       struct liveness *l)
{
	for (u32 b = 0; b < g->block_count; b++) {
		u64 *uses = l->uses + (size_t)b * l->words, *kills = l->kills + (size_t)b * l->words;
		for (u32 k = g->blocks[b].first; k < g->blocks[b].end; k++) {
			const struct matched *x = &matched[k];
			const bool guarded = f->body.items[k].guard;
			if (guarded && !test_bit(kills, ir_guard_slot(&f->body.items[k])))
				set_bit(uses, ir_guard_slot(&f->body.items[k]));
			for (u32 u = 0; u < x->use_count; u++)
				if (x->uses[u].kind == USE_REGISTER && x->uses[u].read &&
				    !test_bit(kills, x->uses[u].reg))
					set_bit(uses, x->uses[u].reg);
			/* A guarded write keeps the old value in other lanes: no kill, and a use. */
			for (u32 u = 0; u < x->use_count; u++) {
				if (x->uses[u].kind != USE_REGISTER || !x->uses[u].written)
					continue;
				if (!guarded)
					set_bit(kills, x->uses[u].reg);
				else if (!test_bit(kills, x->uses[u].reg))
					set_bit(uses, x->uses[u].reg);
			}
		}
	}
}

/* Backwards until nothing changes: in = uses or (out without kills), out = what successors have in. */
static void solve(const struct flow *g, struct liveness *l)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 b = g->block_count; b-- > 0;) {
			u64 *in = l->in + (size_t)b * l->words, *out = l->out + (size_t)b * l->words;
			const u64 *uses = l->uses + (size_t)b * l->words, *kills = l->kills + (size_t)b * l->words;
			for (u32 s = 0; s < g->blocks[b].successor_count; s++) {
				const u64 *from = l->in + (size_t)g->blocks[b].successors[s] * l->words;
				for (u32 w = 0; w < l->words; w++)
					out[w] |= from[w];
			}
			for (u32 w = 0; w < l->words; w++) {
				const u64 now = uses[w] | (out[w] & ~kills[w]);
				changed |= now != in[w];
				in[w] = now;
			}
		}
	}
}

static void extend(struct interval *v, u32 from, u32 to)
{
	if (from < v->start)
		v->start = from;
	if (to > v->end)
		v->end = to;
}

/* The slots whose bits are set: few of many live at the end of a block. */
static void extend_all(struct interval *v, const u64 *bits, u32 words, u32 from, u32 to)
{
	for (u32 w = 0; w < words; w++)
		for (u64 left = bits[w]; left; left &= left - 1)
			extend(&v[64 * w + (u32)__builtin_ctzll(left)], from, to);
}

/* May a destination of x take over the row of a source that dies in x? Only where each lane is
 * computed from its own lane and all sources are read before the one result is written. */
static bool may_overlap(const struct matched *x)
{
	u32 written = 0;

	for (u32 u = 0; u < x->use_count; u++)
		written += x->uses[u].written;
	return written <= 1 && x->form.row && !x->has_list_shape &&
	       !(x->form.row->flags & (ISA_CROSS_LANE | ISA_SYNC | ISA_CALL | ISA_MEMORY | ISA_ATOMIC));
}

/* From the first position where a register is live to the last. ISA_LATE: written after the instruction is done, at any
 * time. */
static void find_intervals(const struct ir_function *f, const struct flow *g, const struct matched *matched,
			   const struct liveness *l, struct interval *v)
{
	for (u32 b = 0; b < g->block_count; b++) {
		const u64 *in = l->in + (size_t)b * l->words, *out = l->out + (size_t)b * l->words;
		extend_all(v, in, l->words, 2 * g->blocks[b].first, 2 * g->blocks[b].first);
		extend_all(v, out, l->words, 2 * g->blocks[b].end - 1, 2 * g->blocks[b].end);
	}
	for (u32 k = 0; k < f->body.count; k++) {
		const struct matched *x = &matched[k];
		const u32 read_end = 2 * k + (may_overlap(x) ? 0 : 1);
		if (f->body.items[k].guard)
			extend(&v[ir_guard_slot(&f->body.items[k])], 2 * k, 2 * k + 1);
		for (u32 u = 0; u < x->use_count; u++) {
			if (x->uses[u].kind != USE_REGISTER)
				continue;
			if (x->uses[u].read)
				extend(&v[x->uses[u].reg], 2 * k, read_end);
			if (x->uses[u].written)
				extend(&v[x->uses[u].reg], f->body.items[k].guard ? 2 * k : 2 * k + 1, 2 * k + 1);
			if (x->uses[u].written && x->form.row && x->form.row->flags & ISA_LATE)
				extend(&v[x->uses[u].reg], 0, 2 * (u32)f->body.count);
		}
	}
}

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) : (x->slot > y->slot) - (x->slot < y->slot);
}

/* Gives each interval a row number within its class; returns how many rows each class needs. */
static void scan(struct arena *arena, struct interval *list, u32 count, u32 *row_of, u32 rows[4], bool share)
{
	struct interval **active = ARENA_ARRAY(arena, count + 1, struct interval *);
	u32 *free_rows[4], free_count[4] = {0}, active_count = 0, soonest = ~0u;

	for (int c = 0; c < 4; c++)
		free_rows[c] = ARENA_ARRAY(arena, count + 1, u32);
	qsort(list, count, sizeof *list, by_start);
	for (u32 k = 0; k < count; k++) {
		struct interval *v = &list[k];
		/* Where many are live and none of them ends, there is nothing to look for. */
		if (share && soonest < v->start) {
			u32 kept = 0;
			soonest = ~0u;
			for (u32 a = 0; a < active_count; a++) {
				const struct interval *x = active[a];
				if (x->end < v->start) {
					free_rows[x->class][free_count[x->class]++] = row_of[x->slot];
				} else {
					soonest = min_u32(soonest, x->end);
					active[kept++] = active[a];
				}
			}
			active_count = kept;
		}
		soonest = min_u32(soonest, v->end);
		row_of[v->slot] = free_count[v->class] ? free_rows[v->class][--free_count[v->class]] : rows[v->class]++;
		active[active_count++] = v;
	}
}

static u8 *slot_classes(struct arena *arena, const struct ir_function *f)
{
	u8 *classes = ARENA_ARRAY(arena, f->register_slots + 1, u8);

	for (size_t k = 0; k < f->registers.count; k++) {
		const struct ir_register *r = f->registers.items[k];
		for (u32 e = 0; e < (r->vector ? r->vector : 1); e++)
			classes[r->index + e] = class_of(type_bits(r->type));
	}
	return classes;
}

/* NULL: too large; then every register has a row of its own. */
struct liveness *liveness_find(struct arena *arena, const struct ir_function *f, const struct flow *g,
			       const struct matched *matched)
{
	struct liveness *l = ARENA_NEW(arena, struct liveness);

	l->words = f->register_slots / 64 + 1;
	if ((u64)l->words * 64 * g->block_count > LIVENESS_BITS_MAX)
		return NULL;
	const size_t total = (size_t)l->words * g->block_count;
	l->in = ARENA_ARRAY(arena, 4 * total + 1, u64);
	l->out = l->in + total;
	l->uses = l->out + total;
	l->kills = l->uses + total;
	l->blocks = g->block_count;
	block_sets(f, g, matched, l);
	solve(g, l);
	return l;
}

bool liveness_at_entry(const struct liveness *l, u32 slot) { return l->blocks && test_bit(l->in, slot); }

/* Words of the registers that are live together, at most: a word counts from an interval's start to its end. */
static u32 live_words(struct arena *arena, const struct interval *intervals, u32 slots, u32 body)
{
	s32 *change = ARENA_ARRAY(arena, 2 * (size_t)body + 3, s32), now = 0, most = 0;

	for (u32 s = 0; s < slots; s++) {
		if (intervals[s].start == ~0u)
			continue;
		change[intervals[s].start] += class_bits[intervals[s].class] / 32;
		change[intervals[s].end + 1] -= class_bits[intervals[s].class] / 32;
	}
	for (u32 k = 0; k < 2 * body + 2; k++) {
		now += change[k];
		most = now > most ? now : most;
	}
	return (u32)most;
}

/* kept: registers that keep their row for the whole function (the debugger); same: those that are another name of an
 * operand. `undefined` lists registers that may be read before they are written: their rows are cleared when a frame is
 * entered. */
struct row_plan *rows_plan(struct arena *arena, const struct ir_function *f, const struct flow *g,
			   const struct matched *matched, const struct liveness *live, const bool *kept,
			   const struct use *const *same)
{
	struct row_plan *plan = ARENA_NEW(arena, struct row_plan);
	const u32 slots = f->register_slots;
	const u8 *classes = slot_classes(arena, f);
	struct interval *intervals = ARENA_ARRAY(arena, slots + 1, struct interval);
	u32 *row_of = ARENA_ARRAY(arena, slots + 1, u32), rows[4] = {1, 0, 0, 0}, used = 0;
	u64 base[4];

	for (u32 s = 0; s < slots; s++)
		intervals[s] = (struct interval){.slot = s, .start = ~0u, .class = classes[s]};
	if (live)
		find_intervals(f, g, matched, live, intervals);
	if (live)
		plan->live_words = live_words(arena, intervals, slots, (u32)f->body.count);
	for (u32 s = 0; s < slots; s++) {
		if (kept && kept[s])
			extend(&intervals[s], 0, 2 * (u32)f->body.count);
		if ((!live || intervals[s].start != ~0u) && !(same && same[s]))
			intervals[used++] = intervals[s];
	}
	scan(arena, intervals, used, row_of, rows, live != NULL);

	base[0] = 0;
	plan->predicate_bytes = (rows[0] * 4 + 63) & ~63u;
	base[1] = plan->predicate_bytes;
	base[2] = base[1] + (u64)rows[1] * class_bytes[1];
	base[3] = base[2] + (u64)rows[2] * class_bytes[2];
	plan->used_bytes = base[3] + (u64)rows[3] * class_bytes[3];
	plan->places = ARENA_ARRAY(arena, slots + 1, struct row_place);
	plan->undefined = ARENA_ARRAY(arena, used + 1, struct row_place);
	for (u32 k = 0; k < used; k++) {
		const struct interval *v = &intervals[k];
		plan->places[v->slot] =
			(struct row_place){.offset = (u32)(base[v->class] + row_of[v->slot] * class_bytes[v->class]),
					   .bits = class_bits[v->class]};
		plan->live_words += live ? 0 : class_bits[v->class] / 32;
		if (!live || liveness_at_entry(live, v->slot))
			plan->undefined[plan->undefined_count++] = plan->places[v->slot];
	}
	return plan;
}
