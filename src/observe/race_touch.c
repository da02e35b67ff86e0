/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses word by word: conflicts with marks, synchronisation, and the marks that are left (race_words.h).
 */
#include "observe/race_touch.h"

#include <string.h>

#include "decode/operands.h"
#include "exec/gang.h"
#include "exec/run.h"
#include "isa/form.h"
#include "observe/race_ends.h"

struct race_block *race_block_of(const struct race_memory *r, const struct block *b)
{
	struct race_block *x = r->buckets[((uintptr_t)b / sizeof *b) % RACE_BUCKETS];

	while (x->block != b)
		x = x->next;
	return x;
}

static bool is_one_store(const struct race_mark *m, const struct race_mark *mine)
{
	return m->site == mine->site && m->time == mine->time && m->warp == mine->warp && m->block == mine->block;
}

/* Lanes that one instruction has store to one address: the highest wins, which programs rely on. With `lane-stores`,
 * values that differ are told of. */
static bool is_same_store(const struct race_touch *a, const struct race_mark *m, const struct race_mark *mine)
{
	if (!is_one_store(m, mine))
		return false;
	if (!a->r->lane_stores || !a->values || m->lane == RACE_ANY_LANE)
		return true;
	return !memcmp(a->values + (size_t)m->lane * a->value_bytes, a->values + (size_t)mine->lane * a->value_bytes,
		       a->value_bytes);
}

/* A store that leaves what is there does no harm, whoever else stores the same. */
static bool changes(const struct race_touch *a, const struct race_place *p)
{
	const u8 *value = a->values ? a->values + (size_t)p->lane * a->value_bytes : NULL;

	return !value || !p->host || memcmp(value, p->host, p->size) != 0;
}

/* Does another lane of this very store put the same value there? */
static bool stored_alike(const struct race_touch *a, const struct race_mark *m, const struct race_mark *mine)
{
	if (!is_one_store(m, mine) || !a->values || a->scope)
		return false;
	return m->lane == RACE_ANY_LANE || !memcmp(a->values + (size_t)m->lane * a->value_bytes,
						   a->values + (size_t)mine->lane * a->value_bytes, a->value_bytes);
}

/* The rows of a warp that executes the instruction with the accessing one, and its lanes; 0: it does not. */
static u32 lanes_of_member(const struct gang *g, u32 warp, const u8 **rows)
{
	const u32 first = g->warps[0].index;

	if (!g->on) {
		*rows = g->rows + (warp - first) * g->stride;
		return warp >= first && warp - first < g->count ? FULL_MASK : 0;
	}
	EACH_MEMBER (g, m)
		if (m->warp->index == warp) {
			*rows = m->rows;
			return m->mask;
		}
	return 0;
}

/* Warps of a gang store together: does the one that left the mark put the same value there? */
static bool gang_stores_alike(const struct race_touch *a, const struct race_place *p, const struct race_mark *m,
			      const struct race_mark *mine)
{
	const u8 *rows;

	if (!a->gang || !a->values || m->site != mine->site || m->time != mine->time || m->block != mine->block)
		return false;
	const size_t values = (size_t)(a->values - a->rows);
	for (u32 left = lanes_of_member(a->gang, m->warp, &rows); left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (row_address(rows, a->i->a, a->i->imm, a->wide, l) == p->address)
			return !memcmp(rows + values + (size_t)l * a->value_bytes,
				       a->values + (size_t)p->lane * a->value_bytes, p->size);
	}
	return false;
}

/* Two strong accesses whose scopes take in both threads do not race. */
static bool are_strong(const struct race_touch *a, const struct race_mark *m)
{
	const u32 other = race_mark_block(m);

	return race_reaches(a->w, a->is_mbarrier && a->scope ? RACE_GPU : a->scope, other) &&
	       race_reaches(a->w, (enum race_scope)m->scope, other);
}

/* A volatile load and a volatile store by two lanes of a warp, to shared memory: programs that count on lanes that step
 * together. Whether it is a flag that is asked for is found when it is told of (race_tell.c). */
static bool are_volatile(const struct race_touch *a, const struct race_place *p, const struct race_mark *m,
			 bool is_write)
{
	u32 insn;

	if (!a->is_volatile || p->space != SPACE_SHARED || m->warp != a->w->index ||
	    m->block != (u32)a->w->block->index || a->writes == is_write)
		return false;
	const struct code *code = check_site_code(a->r->findings.sites, m->site, &insn);
	return code->origin[insn] != NO_OPERAND && form_has(&code->forms[code->origin[insn]], M_volatile);
}

/* An ordinary store, and no fence of the async proxy by anybody since. */
static bool is_unfenced(const struct race_touch *a, const struct race_mark *m)
{
	return a->by_proxy && !race_mark_is_async(m) && m->time >= a->r->proxy_fence;
}

static bool is_conflict(const struct race_touch *a, const struct race_place *p, const struct race_mark *m,
			const struct race_mark *mine, bool is_write)
{
	if (!(m->bytes & mine->bytes))
		return false;
	/* Who touches what an operation still has in hand: the fault says so (observe/async_check.c). */
	if (race_mark_is_async(m) && a->w->stop == STOP_FAULT)
		return false;
	if (a->read_only)
		return true;
	if ((are_strong(a, m) && !are_volatile(a, p, m, is_write)) || race_ordered(a->own, a->w, p->lane, m))
		return is_unfenced(a, m);
	if (!is_write && race_was_read(a->own, a->w, p->lane, m) && race_uses_first(&a->r->findings, m->site))
		return false;
	return m->reads || !(is_write && a->writes && !a->reads &&
			     (is_same_store(a, m, mine) || !changes(a, p) || gang_stores_alike(a, p, m, mine)));
}

/* Who has drawn a value from a word, by an atomic operation, and acts on it, or those whom it lets in behind a barrier,
 * comes after those who drew before: the last one to come may reset the counter. */
static bool has_drawn(const struct race_touch *a, const struct race_place *p, struct race_word word)
{
	struct race_mark last;
	u32 insn;

	if (!a->writes || a->scope || !race_mark_get(&a->r->events, word, RACE_STRONG_WRITE, &last) ||
	    !race_ordered(a->own, a->w, p->lane, &last))
		return false;
	const struct code *code = check_site_code(a->r->findings.sites, last.site, &insn);
	const struct form *f = code->origin[insn] == NO_OPERAND ? NULL : &code->forms[code->origin[insn]];
	return f && f->row->flags & ISA_ATOMIC && f->has_result;
}

/* The newest mark of planes [first, end) that the access races with. */
static bool conflict(const struct race_touch *a, const struct race_place *p, struct race_word word,
		     const struct race_mark *mine, u32 first, u32 end, struct race_mark *with)
{
	struct race_mark marks[RACE_WORD_MARKS];

	with->time = 0;
	for (u32 left = race_planes_of(word) & ((1u << end) - 1) & ~0u << first; left; left &= left - 1) {
		const u32 n = (u32)__builtin_ctz(left);
		const u32 count = race_marks_get(&a->r->events, word, (enum race_plane)n, mine->bytes, marks);
		for (u32 k = 0; k < count; k++)
			if (marks[k].time >= with->time && is_conflict(a, p, &marks[k], mine, n < RACE_READ) &&
			    !(n == RACE_OTHER_STRONG && has_drawn(a, p, word)))
				*with = marks[k];
	}
	return with->time;
}

/* Tells of the newest write that the access races with, and, if it writes, of the newest read. */
static void tell_conflicts(const struct race_touch *a, const struct race_place *p, struct race_word word,
			   const struct race_mark *mine)
{
	struct race_access access = {a->site,       a->writes, a->scope != RACE_WEAK, a->read_only, a->frees,
				     a->agent != 0, false};
	struct race_mark with;

	if (conflict(a, p, word, mine, 0, RACE_READ, &with)) {
		access.unfenced = is_unfenced(a, &with) && race_ordered(a->own, a->w, p->lane, &with);
		race_tell(&a->r->findings, a->w, &access, p, &with, true);
	}
	if (a->writes && conflict(a, p, word, mine, RACE_READ, RACE_PLANES, &with))
		race_tell(&a->r->findings, a->w, &access, p, &with, false);
}

/* Has a strong write left what is there? */
static bool is_strong_last(const struct race_touch *a, struct race_word word)
{
	struct race_mark strong, weak;

	return race_mark_get(&a->r->events, word, RACE_STRONG_WRITE, &strong) &&
	       (!race_mark_get(&a->r->events, word, RACE_WRITE, &weak) || strong.time >= weak.time);
}

/* A strong access learns what has been released there, and releases. */
static void synchronise(const struct race_touch *a, const struct race_place *p, struct race_word word, u32 life)
{
	struct race_clocks *c = &a->r->clocks;
	const u64 key = life ? (u64)(uintptr_t)p->host : p->offset;
	struct race_location *at = race_location_find(c, key, life);

	const bool passes = a->r->polls && !life && a->scope == RACE_GPU;

	if (at && a->waited)
		race_learn(c, a->own, a->w, 1u << p->lane, at->done);
	if (at && a->reads && is_strong_last(a, word)) {
		race_strong_read(c, a->own, a->w, p->lane, at, a->scope, a->acquires, a->writes);
		if (passes && !a->writes)
			race_learn_reads(c, a->own, a->w, p->lane, at);
	}
	if (!a->writes)
		return;
	if (!at && (passes || a->releases || race_has_fence(a->own, a->w, p->lane)))
		at = race_location_new(c, key, life);
	if (at)
		race_strong_write(c, a->own, a->w, p->lane, at, a->scope, a->releases, a->reads);
	if (passes)
		race_pass_reads(c, a->own, a->w, p->lane, at, a->reads);
}

static bool is_same_thread(const struct race_mark *a, const struct race_mark *b)
{
	return a->block == b->block && a->warp == b->warp && a->lane == b->lane;
}

/* A mark whose place another thread's takes stays beside it, if nothing orders the two: rather one of another warp. */
static void keep_beside(const struct race_touch *a, const struct race_place *p, struct race_word word,
			enum race_plane other, const struct race_mark *last, const struct race_mark *mine)
{
	struct race_events *e = &a->r->events;
	struct race_mark before;

	if (!is_same_thread(last, mine) && !race_ordered(a->own, a->w, p->lane, last) &&
	    (last->warp != mine->warp || last->block != mine->block || !race_mark_get(e, word, other, &before) ||
	     (before.warp == mine->warp && before.block == mine->block)))
		race_mark_put(e, word, other, last);
}

/* The mark takes the place of the last ones of its kind. */
static void leave(const struct race_touch *a, const struct race_place *p, struct race_word word, enum race_plane plane,
		  enum race_plane other, const struct race_mark *mine)
{
	struct race_events *e = &a->r->events;
	struct race_mark last[RACE_WORD_MARKS];
	const u32 count = race_marks_get(e, word, plane, mine->bytes, last);

	for (u32 k = 0; k < count; k++) {
		if (race_keeps_bytes(word, plane))
			last[k].bytes &= mine->bytes;
		if (last[k].bytes)
			keep_beside(a, p, word, other, &last[k], mine);
	}
	race_mark_put(e, word, plane, mine);
}

/* Of a word's bytes that the store leaves alone, the last one stays known. */
static void leave_write(const struct race_touch *a, struct race_word word, const struct race_mark *mine)
{
	struct race_events *e = &a->r->events;
	struct race_mark last[RACE_WORD_MARKS], mark = *mine;
	const u32 count = race_marks_get(e, word, RACE_WRITE, mine->bytes, last);

	for (u32 k = 0; k < count; k++) {
		if (last[k].bytes & mine->bytes && stored_alike(a, &last[k], mine))
			mark.lane = RACE_ANY_LANE;
		mark.reads |= mark.lane == RACE_ANY_LANE && last[k].reads;
		last[k].bytes &= (u8)~mine->bytes;
		if (last[k].bytes && !race_keeps_bytes(word, RACE_WRITE))
			race_mark_put(e, word, RACE_OTHER_WRITE, &last[k]);
	}
	race_mark_put(e, word, RACE_WRITE, &mark);
}

/* What a thread reads and then writes, as sums in place are: whoever races with the read does so with the write, which stands for
 * both. Where kernels poll, a read may be known to be over before the write is (race_pass_reads). */
static bool replaces_read(const struct race_touch *a, struct race_word word, const struct race_mark *mine)
{
	return !a->agent && !a->r->polls && race_mark_take(&a->r->events, word, RACE_READ, mine);
}

/* One word of a lane's access. */
static void touch(const struct race_touch *a, const struct race_place *p, struct race_word word, u8 bytes, u32 life)
{
	struct race_mark mine = {.time = a->agent ? a->began : a->r->clocks.now,
				 .block = a->agent ? a->agent : (u32)a->w->block->index,
				 .site = a->site,
				 .warp = (u8)a->w->index,
				 .lane = (u8)p->lane,
				 .bytes = bytes,
				 .scope = (u8)(a->is_mbarrier && a->scope ? RACE_GPU : a->scope)};

	tell_conflicts(a, p, word, &mine);
	if (a->frees) {
		for (u32 n = 0; n < RACE_PLANES; n++)
			race_mark_remove(&a->r->events, word, (enum race_plane)n);
		return;
	}
	if (a->scope && !a->apart)
		synchronise(a, p, word, life);
	/* What changes a word is remembered as its write: who races with the one does so with the other. */
	if (a->reads && !a->writes)
		leave(a, p, word, RACE_READ, RACE_OTHER_READ, &mine);
	if (a->writes && mine.scope)
		leave(a, p, word, RACE_STRONG_WRITE, RACE_OTHER_STRONG, &mine);
	else if (a->writes) {
		mine.reads = replaces_read(a, word, &mine);
		leave_write(a, word, &mine);
	}
}

static void touch_words(const struct race_touch *a, const struct race_place *p, struct race_block *owner)
{
	for (u64 at = p->offset & ~3ull; at < p->offset + p->size; at += 4) {
		const struct race_word word =
			owner ? race_shared_word(owner->words, &a->r->events, at, owner->life)
			      : race_global_word(&a->r->global, &a->r->events, at, p->with_neighbours);
		const u64 low = max_u64(at, p->offset), high = min_u64(at + 4, p->offset + p->size);
		const u8 bytes = (u8)(((1u << (high - low)) - 1) << (low - at));
		touch(a, p, word, bytes, owner ? owner->life : 0);
	}
}

static void touch_remote(const struct race_touch *a, const struct race_place *p, struct race_block *owner)
{
	const struct race_mark mark = {.time = a->r->clocks.now,
				       .block = (u32)a->w->block->index,
				       .site = a->site,
				       .warp = (u8)a->w->index,
				       .lane = (u8)p->lane};

	race_remote_access(a->r->arena, owner, &a->own->warps[a->w->index], &mark, p->address, p->size, a->writes);
}

static void touch_lane(const struct race_touch *a, u32 lane, enum ir_space space, u64 address, u32 size,
		       bool with_neighbours)
{
	struct race_place p = {
		.lane = lane, .address = address, .offset = address, .size = size, .with_neighbours = with_neighbours};

	if (!(size & (size - 1)) && address & (size - 1))
		return;

	p.space = space == SPACE_GENERIC ? generic_space(a->w, &p.offset) : space;
	if (p.space == SPACE_SHARED) {
		struct block *owner = shared_owner(a->w, p.offset);
		p.offset &= (1u << SHARED_RANK_SHIFT) - 1;
		if (!owner || p.offset >= owner->shared_bytes || size > owner->shared_bytes - p.offset)
			return;
		p.host = owner->shared + p.offset;
		touch_words(a, &p, race_block_of(a->r, owner));
		if (owner != a->w->block && !a->agent)
			touch_remote(a, &p, race_block_of(a->r, owner));
		return;
	}
	if (p.space != SPACE_GLOBAL)
		return;
	p.memory = memory_find(a->w->grid->memory, p.offset, size);
	if (!p.memory || p.memory->flags & ALLOCATION_READ_ONLY)
		return;
	p.host = p.memory->host + (p.offset - p.memory->base);
	touch_words(a, &p, NULL);
}

/* Do the lanes access most of the bytes from the first to the last of them? */
static bool are_neighbours(u32 mask, const u64 address[WARP_LANES], u32 size)
{
	enum { FEWEST_BYTES = 32 };
	u64 first = address[__builtin_ctz(mask)], last = first;

	for (u32 left = mask & (mask - 1); left; left &= left - 1) {
		const u64 at = address[__builtin_ctz(left)];
		first = min_u64(first, at);
		last = max_u64(last, at);
	}
	const u64 bytes = last - first + size;
	return bytes >= FEWEST_BYTES && bytes * 2 <= (u64)size * 3 * (u32)__builtin_popcount(mask);
}

void race_touch_lanes(const struct race_touch *a, u32 mask, enum ir_space space, const u64 address[WARP_LANES],
		      u32 size)
{
	const bool with_neighbours = mask && are_neighbours(mask, address, size);

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		touch_lane(a, l, space, address[l], size, with_neighbours);
	}
}

/* As synchronise(), for the warp. is_last: a strong write has left what is there. */
static void synchronise_whole(const struct race_touch *a, u32 mask, u64 key, u32 life, bool is_last)
{
	struct race_clocks *c = &a->r->clocks;
	struct race_location *at = race_location_find(c, key, life);

	if (at && a->waited)
		race_learn(c, a->own, a->w, mask, at->done);
	if (at && a->reads && is_last)
		race_strong_read_whole(c, a->own, a->w, mask, at, a->scope, a->acquires, a->writes);
	if (!a->writes)
		return;
	if (!at)
		at = race_location_new(c, key, life);
	race_strong_write_whole(c, a->own, a->w, mask, at, a->scope);
}

/* Lanes that know the same differ only in what they have done themselves: two stand for all. */
void race_touch_whole(const struct race_touch *a, u32 mask, enum ir_space space, u64 address, u32 size)
{
	struct race_touch apart = *a;
	u64 addresses[WARP_LANES], at = address;
	const u32 ends = (mask & -mask) | 1u << (31 - __builtin_clz(mask));

	if (space == SPACE_GENERIC && generic_space(a->w, &at) != SPACE_SHARED)
		return;
	struct block *owner = shared_owner(a->w, at);
	at &= (1u << SHARED_RANK_SHIFT) - 1;
	if (!owner || at % 8 || at >= owner->shared_bytes || size > owner->shared_bytes - at)
		return;
	struct race_block *r = race_block_of(a->r, owner);
	const bool is_last = is_strong_last(a, race_shared_word(r->words, &a->r->events, at, r->life));
	for (u32 l = 0; l < WARP_LANES; l++)
		addresses[l] = address;
	apart.apart = true;
	race_touch_lanes(&apart, a->own->warps[a->w->index].alone ? mask : ends, space, addresses, size);
	synchronise_whole(a, mask, (u64)(uintptr_t)(owner->shared + at), r->life, is_last);
}

void race_touch_shared(const struct race_touch *a, u32 lane, u64 address, u64 bytes)
{
	struct race_place p = {.lane = lane, .space = SPACE_SHARED};
	const struct block *owner = shared_owner(a->w, address);
	const u64 end = (address & ((1u << SHARED_RANK_SHIFT) - 1)) + bytes;

	if (!owner || end > owner->shared_bytes)
		return;
	for (u64 at = end - bytes; at < end; at += p.size) {
		p.offset = at;
		p.address = address + (at - (end - bytes));
		p.size = (u32)min_u64(4 - at % 4, end - at);
		p.host = owner->shared + at;
		touch_words(a, &p, race_block_of(a->r, owner));
	}
}

void race_touch_range(const struct race_touch *a, u32 lane, u64 address, u64 bytes)
{
	enum { LONG = 128 };
	struct race_place p = {.lane = lane, .space = SPACE_GLOBAL, .size = 4, .with_neighbours = bytes >= LONG};

	for (u64 at = address; at < address + bytes; at += p.size) {
		p.address = p.offset = at;
		p.size = (u32)min_u64(4, address + bytes - at);
		p.memory = memory_find(a->w->grid->memory, at, p.size);
		if (!p.memory)
			return;
		p.host = p.memory->host + (at - p.memory->base);
		touch_words(a, &p, NULL);
	}
}
