/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of marks.
 */
#include "observe/race_runs.h"

#include <string.h>

enum {
	LANE_MASK = (1 << RACE_LANE_BITS) - 1,
	FORM_MASK = (1 << RACE_BYTES_BITS) - 1,
	FORM_DOWN = 8, /* lanes go down as addresses go up */
	FORM_ONE = 7,  /* all bytes are of one lane */
	WORD_SHIFT = 2,
	WORD_BYTES = 1 << WORD_SHIFT,
	GROUP_WORDS = RACE_RUN_BYTES / WORD_BYTES,
};

static u32 form_of(u32 mark) { return mark >> RACE_LANE_BITS & FORM_MASK; }
static u32 event_of(u32 mark) { return mark >> RACE_EVENT_SHIFT; }

/* Each lane has 1 << form bytes. */
static u32 lane_of(u32 mark, u32 byte)
{
	const u32 form = form_of(mark), steps = byte >> (form & FORM_ONE);

	return (form & FORM_DOWN ? mark - steps : mark + steps) & LANE_MASK;
}

static u32 run_mark(u32 event, u32 form, u32 lane, u32 byte)
{
	const u32 steps = byte >> (form & FORM_ONE);

	return race_packed(event, form, form & FORM_DOWN ? lane + steps : lane - steps);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* The bytes `bytes` of the word, which the run has, by lanes. */
static u32 split(u32 mark, u32 at, u32 bytes, u32 *marks)
{
	u32 count = 0;

	while (bytes) {
		const u32 first = at + (u32)__builtin_ctz(bytes), lane = lane_of(mark, first);
		const u32 form = form_of(mark) & FORM_ONE, width = form < WORD_SHIFT ? 1u << form : WORD_BYTES;
		const u32 same = bytes & ((1u << width) - 1) << ((first - at) & ~(width - 1));
		marks[count++] = race_packed(event_of(mark), same, lane);
		bytes &= ~same;
	}
	return count;
}

/* The marks in any runs. */
static u32 look_through(const struct race_runs *r, u32 g, u32 at, u32 bytes, u32 *marks)
{
	u32 count = 0;

	for (u32 k = 0; k < RACE_RUNS && bytes && r->mark[g][k]; k++) {
		const u32 first = r->first[g][k], last = r->last[g][k];
		if (first >= at + WORD_BYTES || last < at)
			continue;
		u32 here = bytes;
		if (first > at)
			here &= (u32)RACE_ALL_BYTES << (first - at);
		if (last < at + WORD_BYTES - 1)
			here &= RACE_ALL_BYTES >> (at + WORD_BYTES - 1 - last);
		count += split(r->mark[g][k], at, here, marks + count);
		bytes &= ~here;
	}
	return count;
}

u32 race_runs_get(const struct race_runs *r, u32 word, u32 bytes, u32 marks[RACE_WORD_MARKS])
{
	const u32 g = word / GROUP_WORDS, at = word % GROUP_WORDS * WORD_BYTES;
	const u32 mark = r->mark[g][0], first = r->first[g][0], last = r->last[g][0];
	const bool is_apart = !mark || first >= at + WORD_BYTES || last < at;

	/* As it is nearly always. */
	if (is_apart && (!mark || !r->mark[g][1]))
		return 0;
	if (first <= at && last >= at + WORD_BYTES - 1 && (form_of(mark) & FORM_ONE) >= WORD_SHIFT) {
		marks[0] = race_packed(event_of(mark), bytes, lane_of(mark, at));
		return 1;
	}
	return look_through(r, g, at, bytes, marks);
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* Bytes first to last of one lane, to be added. */
struct piece {
	u32 event, lane, first, last;
};

/* How lanes go on from one lane's bytes, [first, last], to the neighbouring piece; FORM_ONE: in no way that can be told. */
static u32 form_between(u32 lane, u32 first, u32 last, const struct piece *p)
{
	const bool up = p->first > last, is_next = p->lane == (lane + 1) % (LANE_MASK + 1);
	const bool is_before = lane == (p->lane + 1) % (LANE_MASK + 1);

	for (u32 shift = 0; shift < FORM_ONE && (is_next || is_before); shift++)
		if (first >> shift == last >> shift && p->first >> shift == p->last >> shift &&
		    first >> shift != p->first >> shift)
			return shift | (is_next == up ? 0 : FORM_DOWN);
	return FORM_ONE;
}

/* Does the piece go on from the run, or lie in it? */
static bool extend(struct race_runs *r, u32 g, u32 k, const struct piece *p)
{
	const u32 mark = r->mark[g][k], first = r->first[g][k], last = r->last[g][k];

	if (event_of(mark) != p->event || p->first > last + 1 || first > p->last + 1)
		return false;
	if (lane_of(mark, p->first) != p->lane || lane_of(mark, p->last) != p->lane) {
		if (form_of(mark) != FORM_ONE || (p->first <= last && first <= p->last))
			return false;
		const u32 lane = mark & LANE_MASK, form = form_between(lane, first, last, p);
		if (form == FORM_ONE)
			return false;
		r->mark[g][k] = run_mark(p->event, form, lane, first);
	}
	if (p->first < first)
		r->first[g][k] = (u8)p->first;
	if (p->last > last)
		r->last[g][k] = (u8)p->last;
	return true;
}

/* Bits for bytes, in two halves. */
struct bytes {
	u64 half[2];
};

static struct bytes bytes_between(u32 first, u32 last)
{
	struct bytes b;

	for (u32 k = 0; k < 2; k++) {
		const u32 base = k * 64, low = first > base ? first - base : 0;
		const u32 high = last < base ? 0 : last - base < 64 ? last - base + 1 : 64;
		b.half[k] = low >= high ? 0 : (high == 64 ? ~0ull : (1ull << high) - 1) & ~0ull << low;
	}
	return b;
}

/* Leaves out the runs that newer ones have covered, and returns how many are left. */
static u32 drop_covered(struct race_runs *r, u32 g, const struct piece *p)
{
	struct bytes seen = bytes_between(p->first, p->last);
	u32 count = 0;

	for (u32 k = 0; k < RACE_RUNS && r->mark[g][k]; k++) {
		const struct bytes own = bytes_between(r->first[g][k], r->last[g][k]);
		if (!(own.half[0] & ~seen.half[0]) && !(own.half[1] & ~seen.half[1]))
			continue;
		seen.half[0] |= own.half[0];
		seen.half[1] |= own.half[1];
		r->mark[g][count] = r->mark[g][k];
		r->first[g][count] = r->first[g][k];
		r->last[g][count++] = r->last[g][k];
	}
	for (u32 k = count; k < RACE_RUNS; k++)
		r->mark[g][k] = 0;
	return count;
}

static bool begin_run(struct race_runs *r, u32 g, const struct piece *p)
{
	if (r->mark[g][RACE_RUNS - 1] && drop_covered(r, g, p) == RACE_RUNS)
		return false;
	memmove(&r->mark[g][1], &r->mark[g][0], (RACE_RUNS - 1) * sizeof r->mark[g][0]);
	memmove(&r->first[g][1], &r->first[g][0], RACE_RUNS - 1);
	memmove(&r->last[g][1], &r->last[g][0], RACE_RUNS - 1);
	r->mark[g][0] = race_packed(p->event, FORM_ONE, p->lane);
	r->first[g][0] = (u8)p->first;
	r->last[g][0] = (u8)p->last;
	return true;
}

bool race_runs_put(struct race_runs *r, u32 word, u32 mark)
{
	const u32 g = word / GROUP_WORDS, at = word % GROUP_WORDS * WORD_BYTES, bytes = form_of(mark);
	const u32 low = (u32)__builtin_ctz(bytes), high = 31 - (u32)__builtin_clz(bytes);
	const struct piece p = {event_of(mark), mark & LANE_MASK, at + low, at + high};

	if (bytes != ((u32)RACE_ALL_BYTES << low & (u32)RACE_ALL_BYTES >> (WORD_BYTES - 1 - high)))
		return false;
	return (r->mark[g][0] && extend(r, g, 0, &p)) || begin_run(r, g, &p);
}

void race_runs_take(struct race_runs *r, u32 word)
{
	const u32 g = word / GROUP_WORDS;

	memmove(&r->mark[g][0], &r->mark[g][1], (RACE_RUNS - 1) * sizeof r->mark[g][0]);
	memmove(&r->first[g][0], &r->first[g][1], RACE_RUNS - 1);
	memmove(&r->last[g][0], &r->last[g][1], RACE_RUNS - 1);
	r->mark[g][RACE_RUNS - 1] = 0;
}
