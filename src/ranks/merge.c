/* SPDX-License-Identifier: Apache-2.0
 *
 * Merging written pages, word of 64 bytes' masks by word.
 *
 * After a launch that ranks have shared, rank 0 puts memory together, and finds out whether that was legitimate:
 *
 *      each rank        masks of bytes that its blocks read, wrote, reduced; and written pages      (merge_put_written)
 *      rank 0           all masks of a page side by side: struct part, a list by rank
 *      question         which pages were written by whom; ranks answer with what they read there    (merge_put_answer)
 *      merge_check      a byte written with different values, or read by one and written by another: the launch must run again
 *      merge_apply      else the bytes of all ranks, reductions combined
 */
#include "ranks/merge.h"

#include <stdio.h>
#include <string.h>

#include "decode/program.h"

/* What one rank did to a page. */
struct part {
	struct part *next; /* of the page, by rank */
	u32 rank;
	const u64 *read, *written, *reduced;
	const u8 *bytes; /* the page as the rank left it; of bytes that it did not write nothing is known */
	const u8 *image; /* of rank 0: as it was; NULL: it is unchanged */
};

struct merge {
	struct arena *arena;
	const struct touched_range *ranges;
	u32 count;
	u64 reductions;
	struct part ***parts; /* by range and page; NULL for a range where no rank wrote */
};

static const u64 none[TOUCHED_WORDS];

static u64 page_bytes(const struct touched_range *r, u64 page)
{
	return min_u64(TOUCHED_PAGE, r->size - page * TOUCHED_PAGE);
}

static bool is_any(const u64 bits[TOUCHED_WORDS])
{
	u64 any = 0;

	for (u32 k = 0; k < TOUCHED_WORDS; k++)
		any |= bits[k];
	return any != 0;
}

static bool changes(const struct touched_page *p) { return p && (is_any(p->written) || is_any(p->reduced)); }

/* --- Parts ---------------------------------------------------------------------------------- */

/* Parts of a page stand in the order of ranks, so that results do not depend on who answered first. */
static struct part *part_of(struct merge *m, u64 range, u64 page, u32 rank)
{
	if (!m->parts[range])
		m->parts[range] = ARENA_ARRAY(m->arena, m->ranges[range].page_count, struct part *);
	struct part **at = &m->parts[range][page];
	while (*at && (*at)->rank < rank)
		at = &(*at)->next;
	if (*at && (*at)->rank == rank)
		return *at;
	struct part *p = ARENA_NEW(m->arena, struct part);
	*p = (struct part){.next = *at, .rank = rank, .read = none, .written = none, .reduced = none};
	*at = p;
	return p;
}

struct merge *merge_new(struct arena *arena, const struct touched *own, u64 reductions)
{
	struct merge *m = ARENA_NEW(arena, struct merge);

	m->arena = arena;
	m->ranges = touched_ranges(own, &m->count);
	m->reductions = reductions;
	m->parts = ARENA_ARRAY(arena, m->count + 1, struct part **);
	for (u32 r = 0; r < m->count; r++)
		for (u64 p = 0; p < m->ranges[r].page_count; p++) {
			const struct touched_page *page = m->ranges[r].pages[p];
			if (!changes(page))
				continue;
			struct part *part = part_of(m, r, p, 0);
			part->read = page->read;
			part->written = page->written;
			part->reduced = page->reduced;
			part->bytes = m->ranges[r].host + p * TOUCHED_PAGE;
			part->image = page->image;
		}
	return m;
}

/* --- in parcels: a head, masks unless all is written, and the bytes that the masks have -------- */

enum { PAGE_WHOLE = 1, PAGE_REDUCED = 2 };

struct page_head {
	u32 range, flags;
	u64 page;
};

/* Every byte was written: masks need not be sent. */
static bool is_whole(const struct touched_page *p, u64 bytes)
{
	for (u32 k = 0; k < TOUCHED_WORDS; k++) {
		const u64 left = bytes > 64ull * k ? min_u64(64, bytes - 64ull * k) : 0;
		const u64 all = left == 64 ? ~0ull : (1ull << left) - 1;
		if ((p->written[k] & all) != all)
			return false;
	}
	return true;
}

/* Copies the bytes that the masks have, one behind the other; returns how many. */
static size_t pack(u8 *to, const u8 *from, const u64 *written, const u64 *reduced)
{
	size_t count = 0;

	for (u32 k = 0; k < TOUCHED_WORDS; k++) {
		const u64 bits = written[k] | reduced[k];
		if (bits == ~0ull) {
			memcpy(to + count, from + 64ull * k, 64);
			count += 64;
			continue;
		}
		for (u64 left = bits; left; left &= left - 1)
			to[count++] = from[64ull * k + (u32)__builtin_ctzll(left)];
	}
	return count;
}

static void unpack(u8 *to, const u8 *from, const u64 *written, const u64 *reduced)
{
	size_t count = 0;

	for (u32 k = 0; k < TOUCHED_WORDS; k++) {
		const u64 bits = written[k] | reduced[k];
		if (bits == ~0ull) {
			memcpy(to + 64ull * k, from + count, 64);
			count += 64;
			continue;
		}
		for (u64 left = bits; left; left &= left - 1)
			to[64ull * k + (u32)__builtin_ctzll(left)] = from[count++];
	}
}

/* The masks say which bytes follow; unpack() puts them back in place. */
static void put_page(struct parcel *w, const struct touched_range *r, u32 range, u64 page)
{
	const struct touched_page *p = r->pages[page];
	const u64 bytes = page_bytes(r, page);
	const u8 *host = r->host + page * TOUCHED_PAGE;
	const bool reduced = is_any(p->reduced);
	const struct page_head head = {range,
				       !reduced && is_whole(p, bytes) ? PAGE_WHOLE
				       : reduced                      ? PAGE_REDUCED
								      : 0,
				       page};
	u8 packed[TOUCHED_PAGE];

	parcel_put(w, &head, sizeof head);
	if (head.flags & PAGE_WHOLE) {
		parcel_put(w, host, bytes);
		return;
	}
	parcel_put(w, p->written, sizeof p->written);
	if (reduced)
		parcel_put(w, p->reduced, sizeof p->reduced);
	const size_t count = pack(packed, host, p->written, p->reduced);
	parcel_put_number(w, count);
	parcel_put(w, packed, count);
}

void merge_put_written(struct parcel *w, const struct touched *t)
{
	u32 count;
	const struct touched_range *ranges = touched_ranges(t, &count);
	u64 pages = 0;

	parcel_put_number(w, 0);
	const size_t at = w->count - sizeof pages;
	for (u32 r = 0; r < count; r++)
		for (u64 p = 0; p < ranges[r].page_count; p++)
			if (changes(ranges[r].pages[p])) {
				put_page(w, &ranges[r], r, p);
				pages++;
			}
	memcpy(w->bytes + at, &pages, sizeof pages);
}

/* All ranks have the same ranges. */
static void check_place(const struct merge *m, const struct parcel *w, u64 range, u64 page)
{
	if (range >= m->count || page >= m->ranges[range].page_count)
		rank_fails(w->transport, "a rank tells of memory that is not there");
}

static const u64 *take_mask(struct parcel *w)
{
	return (const u64 *)(const void *)parcel_take(w, TOUCHED_WORDS * sizeof(u64));
}

/* All bytes of a page, the last of which may be shorter. */
static const u64 *whole_mask(struct merge *m, u64 bytes)
{
	static const u64 all[TOUCHED_WORDS] = {[0 ... TOUCHED_WORDS - 1] = ~0ull};

	if (bytes == TOUCHED_PAGE)
		return all;
	u64 *mask = ARENA_ARRAY(m->arena, TOUCHED_WORDS, u64);
	for (u64 k = 0; k < bytes; k++)
		mask[k / 64] |= 1ull << (k % 64);
	return mask;
}

void merge_take_written(struct merge *m, struct parcel *w, u32 rank)
{
	for (u64 left = parcel_take_number(w); left; left--) {
		const struct page_head head = *(const struct page_head *)(const void *)parcel_take(w, sizeof head);
		check_place(m, w, head.range, head.page);
		struct part *p = part_of(m, head.range, head.page, rank);
		if (head.flags & PAGE_WHOLE) {
			const u64 bytes = page_bytes(&m->ranges[head.range], head.page);
			p->written = whole_mask(m, bytes);
			p->bytes = parcel_take(w, bytes);
			continue;
		}
		p->written = take_mask(w);
		if (head.flags & PAGE_REDUCED)
			p->reduced = take_mask(w);
		const u64 count = parcel_take_number(w);
		u8 *bytes = arena_alloc(m->arena, TOUCHED_PAGE);
		unpack(bytes, parcel_take(w, count), p->written, p->reduced);
		p->bytes = bytes;
	}
}

/* --- What was read of written pages ---------------------------------------------------------- */

enum { SEVERAL_WRITERS = UINT32_MAX };

struct question {
	u32 range, writer; /* the only one, or SEVERAL_WRITERS */
	u64 page;
};

/* A page that only one rank wrote concerns all others; rank UINT32_MAX stands for several writers. */
void merge_put_question(const struct merge *m, struct parcel *w)
{
	for (u32 r = 0; r < m->count; r++)
		for (u64 p = 0; m->parts[r] && p < m->ranges[r].page_count; p++) {
			const struct part *first = m->parts[r][p];
			if (!first)
				continue;
			const struct question q = {r, first->next ? SEVERAL_WRITERS : first->rank, p};
			parcel_put(w, &q, sizeof q);
		}
}

struct answer {
	u64 range, page;
};

void merge_put_answer(struct parcel *answer, struct parcel *question, const struct touched *t, u32 rank)
{
	u32 count;
	const struct touched_range *ranges = touched_ranges(t, &count);

	while (question->at < question->count) {
		const struct question q =
			*(const struct question *)(const void *)parcel_take(question, sizeof(struct question));
		if (q.writer == rank || q.range >= count || q.page >= ranges[q.range].page_count)
			continue;
		const struct touched_page *p = ranges[q.range].pages[q.page];
		if (!p || !is_any(p->read))
			continue;
		const struct answer a = {q.range, q.page};
		parcel_put(answer, &a, sizeof a);
		parcel_put(answer, p->read, sizeof p->read);
	}
}

void merge_take_answer(struct merge *m, struct parcel *w, u32 rank)
{
	while (w->at < w->count) {
		const struct answer a = *(const struct answer *)(const void *)parcel_take(w, sizeof a);
		check_place(m, w, a.range, a.page);
		part_of(m, a.range, a.page, rank)->read = take_mask(w);
	}
}

/* Rank 0 asks nobody for its own. */
static void add_own_reads(struct merge *m)
{
	for (u32 r = 0; r < m->count; r++)
		for (u64 p = 0; m->parts[r] && p < m->ranges[r].page_count; p++) {
			const struct touched_page *own = m->ranges[r].pages[p];
			if (m->parts[r][p] && own && m->parts[r][p]->rank && is_any(own->read))
				part_of(m, r, p, 0)->read = own->read;
		}
}

/* --- Conflicts ------------------------------------------------------------------------------ */

/* Of 64 bytes, by how many ranks they were touched; a bit for each byte. */
struct sums {
	u64 written, written_twice, touched, touched_twice, reduced, plain;
};

/* Over the parts up to rank `last`: later ranks' blocks may not count, as after a fault. */
static struct sums sum_up(const struct part *p, u32 last, u32 word)
{
	struct sums s = {0};

	for (; p && p->rank <= last; p = p->next) {
		const u64 written = p->written[word], any = written | p->read[word] | p->reduced[word];
		s.written_twice |= s.written & written;
		s.written |= written;
		s.touched_twice |= s.touched & any;
		s.touched |= any;
		s.reduced |= p->reduced[word];
		s.plain |= written | p->read[word];
	}
	return s;
}

static bool has_byte(const struct part *p, u32 at) { return p->written[at / 64] >> (at % 64) & 1; }

/* Bytes of the word that two ranks wrote with different values. */
static u64 differing(const struct part *first, u32 last, u32 word, u64 twice)
{
	u64 differ = 0;

	for (u64 left = twice; left; left &= left - 1) {
		const u32 at = word * 64 + (u32)__builtin_ctzll(left);
		const struct part *one = NULL;
		for (const struct part *p = first; p && p->rank <= last; p = p->next) {
			if (!has_byte(p, at))
				continue;
			if (one && one->bytes[at] != p->bytes[at])
				differ |= left & -left;
			one = one ? one : p;
		}
	}
	return differ;
}

static u64 read_from_others(const struct part *first, u32 last, u32 word, const struct sums *s)
{
	u64 bytes = 0;

	for (const struct part *p = first; p && p->rank <= last; p = p->next)
		bytes |= p->read[word] & (s->written_twice | (s->written & ~p->written[word]));
	return bytes;
}

/* The first conflict of a word: which byte, and what it is; NULL: there is none. */
static const char *find_conflict(const struct part *first, u32 last, u32 word, u32 *byte)
{
	const struct sums s = sum_up(first, last, word);
	const u64 mixed = s.reduced & s.plain & s.touched_twice;
	const u64 read = s.written ? read_from_others(first, last, word, &s) : 0;
	const u64 differ = s.written_twice ? differing(first, last, word, s.written_twice) : 0;
	const u64 any = mixed ? mixed : read ? read : differ;

	if (!any)
		return NULL;
	*byte = word * 64 + (u32)__builtin_ctzll(any);
	return mixed  ? "is changed by atomic operations in one rank's blocks, and read or written in another's"
	       : read ? "is written by one rank's blocks and read by another's"
		      : "is written by several ranks' blocks, with different values";
}

static const char *find_in_page(const struct part *first, u32 last, u32 *byte)
{
	const char *what = NULL;

	/* Most pages are one rank's alone. */
	if (!first->next)
		return NULL;
	for (u32 word = 0; word < TOUCHED_WORDS && !what; word++)
		what = find_conflict(first, last, word, byte);
	return what;
}

bool merge_check(struct merge *m, u32 last, char *why, size_t size)
{
	add_own_reads(m);
	for (u32 r = 0; r < m->count; r++)
		for (u64 p = 0; m->parts[r] && p < m->ranges[r].page_count; p++) {
			u32 byte;
			const char *what = m->parts[r][p] ? find_in_page(m->parts[r][p], last, &byte) : NULL;
			if (!what)
				continue;
			snprintf(why, size, "the byte at 0x%llx %s",
				 (unsigned long long)(m->ranges[r].base + p * TOUCHED_PAGE + byte), what);
			return false;
		}
	return true;
}

/* --- Putting together ------------------------------------------------------------------------ */

struct reduction {
	enum reduction_operation operation;
	u32 bytes;
	bool is_signed;
};

/* A kernel that is shared has reductions of one kind only: operation, width and sign. */
static struct reduction reduction_of(u64 kinds)
{
	const u32 bit = kinds ? (u32)__builtin_ctzll(kinds) : 0;

	return (struct reduction){(enum reduction_operation)(bit / 4), bit & 2 ? 8 : 4, bit & 1};
}

static u64 load(const u8 *from, const struct reduction *k)
{
	u32 low;
	u64 whole;

	if (k->bytes == 8)
		return memcpy(&whole, from, sizeof whole), whole;
	memcpy(&low, from, sizeof low);
	return k->is_signed ? (u64)(s64)(s32)low : low;
}

static u64 smaller(const struct reduction *k, u64 a, u64 b)
{
	return k->is_signed ? (u64)((s64)a < (s64)b ? (s64)a : (s64)b) : min_u64(a, b);
}

/* What one rank has made of `before`, put to what others have.
 * From the value before the launch, each rank's own change is added to those of others. */
static u64 combined(const struct reduction *k, u64 sum, u64 before, u64 after)
{
	switch (k->operation) {
	case REDUCTION_ADD:
		return sum + (after - before);
	case REDUCTION_MIN:
		return smaller(k, sum, after);
	case REDUCTION_MAX:
		return smaller(k, sum, after) == sum ? after : sum;
	case REDUCTION_AND:
		return sum & after;
	case REDUCTION_OR:
		return sum | after;
	case REDUCTION_XOR:
		break;
	}
	return sum ^ after ^ before;
}

/* Elements that several ranks reduced. */
static void reduce(const struct part *first, u32 last, u32 word, u64 shared, const struct reduction *k, u8 *page)
{
	const u8 *before = first->rank == 0 && first->image ? first->image : page;

	for (u32 at = word * 64; at < word * 64 + 64; at += k->bytes) {
		const u64 bits = (k->bytes == 8 ? 0xffull : 0xfull) << (at % 64);
		if (!(shared & bits))
			continue;
		const u64 start = load(before + at, k);
		u64 sum = start;
		for (const struct part *p = first; p && p->rank <= last; p = p->next)
			if (p->reduced[word] & bits)
				sum = combined(k, sum, start, load(p->bytes + at, k));
		memcpy(page + at, &sum, k->bytes);
	}
}

static void copy_bytes(u8 *to, const u8 *from, u64 bits)
{
	if (bits == ~0ull)
		memcpy(to, from, 64);
	else
		for (u64 left = bits; left; left &= left - 1)
			to[__builtin_ctzll(left)] = from[__builtin_ctzll(left)];
}

static void apply_page(const struct part *first, u32 last, const struct reduction *k, u8 *page)
{
	for (u32 word = 0; word < TOUCHED_WORDS; word++) {
		const struct sums s = sum_up(first, last, word);
		const u64 shared = s.reduced & s.touched_twice;
		if (shared)
			reduce(first, last, word, shared, k, page);
		for (const struct part *p = first; p && p->rank <= last; p = p->next)
			if (p->rank)
				copy_bytes(page + word * 64, p->bytes ? p->bytes + word * 64 : page + word * 64,
					   (p->written[word] | p->reduced[word]) & ~shared);
	}
}

void merge_apply(struct merge *m, u32 last)
{
	const struct reduction k = reduction_of(m->reductions);

	for (u32 r = 0; r < m->count; r++)
		for (u64 p = 0; m->parts[r] && p < m->ranges[r].page_count; p++)
			if (m->parts[r][p])
				apply_page(m->parts[r][p], last, &k, m->ranges[r].host + p * TOUCHED_PAGE);
}

void merge_written(const struct merge *m, void (*tell)(void *context, u64 base, u64 page), void *context)
{
	for (u32 r = 0; r < m->count; r++)
		for (u64 p = 0; m->parts[r] && p < m->ranges[r].page_count; p++)
			if (m->parts[r][p])
				tell(context, m->ranges[r].base, p);
}
