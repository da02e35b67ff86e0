/* SPDX-License-Identifier: Apache-2.0
 *
 * The slice is found backwards from the loop's exits, without regard to order: the registers that an instruction of the slice
 * reads, and the branches that decide whether it is executed. Too large a slice only gives the answer "may wait". A slice
 * without a register that steps on from its own last value does not count: its loop goes round until something else changes.
 */
#include "decode/counting.h"

#include <string.h>

struct slice {
	const struct counting_step *steps;
	u32 count;
	bool *registers; /* decide when lanes leave */
	bool *places;    /* by step: whether it is executed decides it */
	bool grown, counts;
	u64 *work;
};

enum { WORK_OF_A_STEP = 16 }; /* to describe it, beside looking at it */

static bool draw(u64 *work, u64 steps)
{
	const bool enough = steps <= *work;

	*work -= enough ? steps : *work;
	return enough;
}

struct counting_step *counting_steps(struct arena *scratch, u32 count, u64 *work)
{
	return draw(work, (u64)count * WORK_OF_A_STEP) ? ARENA_ARRAY(scratch, count, struct counting_step) : NULL;
}

/* Whether the step is executed decides when lanes leave, and so does what it reads. */
static void need(struct slice *s, u32 k)
{
	const struct counting_step *x = &s->steps[k];

	if (s->places[k])
		return;
	s->places[k] = s->grown = true;
	for (u32 r = 0; r < x->read_count; r++)
		s->registers[x->reads[r]] = true;
}

static bool writes_needed(const struct slice *s, const struct counting_step *x)
{
	for (u32 r = 0; r < x->write_count; r++)
		if (s->registers[x->writes[r]])
			return true;
	return false;
}

/* Does a branch of step k to `target` decide whether some place of the slice is executed, or how often? */
static bool decides(const struct slice *s, u32 k, u32 target)
{
	const u32 from = target > k ? k + 1 : target, to = target > k ? target : k + 1;

	if (!draw(s->work, to - from))
		return true;
	for (u32 p = from; p < to; p++)
		if (s->places[p])
			return true;
	return false;
}

/* A branch out of the loop, back to its start, or around a place of the slice. */
static bool matters(const struct slice *s, u32 k)
{
	const struct counting_step *x = &s->steps[k];

	if (k == s->count - 1)
		return true;
	for (u32 t = 0; t < x->target_count; t++)
		if (x->targets[t] >= s->count || decides(s, k, x->targets[t]))
			return true;
	return false;
}

static void follow(struct slice *s, u32 k)
{
	const struct counting_step *x = &s->steps[k];

	if (writes_needed(s, x)) {
		s->counts &= x->computes;
		need(s, k);
	}
	if (x->leaves || (x->branches && matters(s, k)))
		need(s, k);
}

static bool reads_one_of(const struct counting_step *x, const bool *registers)
{
	for (u32 r = 0; r < x->read_count; r++)
		if (registers[x->reads[r]])
			return true;
	return false;
}

/* Leaves in `open` the registers whose next value comes from their last one, by whatever way: what does not come from one of
 * them is taken out until nothing is left to take. */
static void find_cycles(const struct slice *s, bool *open, bool *next, u32 registers)
{
	bool changed = true;

	for (u32 k = 0; k < s->count; k++)
		for (u32 r = 0; s->places[k] && r < s->steps[k].write_count; r++)
			open[s->steps[k].writes[r]] = true;
	while (changed && draw(s->work, (u64)s->count + registers)) {
		changed = false;
		memset(next, 0, registers * sizeof *next);
		for (u32 k = 0; k < s->count; k++)
			for (u32 r = 0; s->places[k] && reads_one_of(&s->steps[k], open) && r < s->steps[k].write_count;
			     r++)
				next[s->steps[k].writes[r]] = true;
		for (u32 r = 0; r < registers; r++) {
			changed |= open[r] && !next[r];
			open[r] &= next[r];
		}
	}
}

/* Does what decides depend on how often the loop has gone round? */
static bool goes_on(const struct slice *s, struct arena *scratch, u32 registers)
{
	bool *open = ARENA_ARRAY(scratch, registers + 1ull, bool), *next = ARENA_ARRAY(scratch, registers + 1ull, bool);

	find_cycles(s, open, next, registers);
	for (u32 r = 0; r < registers; r++)
		if (open[r])
			return *s->work > 0;
	return false;
}

bool counting_loop(struct arena *scratch, const struct counting_step *steps, u32 count, u32 registers, u64 *work)
{
	struct slice s = {.steps = steps, .count = count, .grown = true, .counts = true, .work = work};

	if (!draw(work, registers))
		return false;
	s.registers = ARENA_ARRAY(scratch, registers + 1ull, bool);
	s.places = ARENA_ARRAY(scratch, count + 1ull, bool);
	while (s.grown && s.counts) {
		s.counts = draw(work, count);
		s.grown = false;
		for (u32 k = count; k-- > 0;)
			follow(&s, k);
	}
	return s.counts && goes_on(&s, scratch, registers);
}
