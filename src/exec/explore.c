/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of warps, and where they give way: before an instruction that other warps can notice.
 */
#include "exec/explore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exec/internal.h"
#include "exec/launch.h"

bool schedule_choice_read(const char *text, struct schedule_choice *choice)
{
	static const char *const words[] = {
		[SCHEDULE_USUAL] = "usual", [SCHEDULE_RANDOM] = "random", [SCHEDULE_PRIORITY] = "priority"};
	const size_t length = strcspn(text, ":");
	char *end;

	for (size_t k = 0; k < COUNT_OF(words); k++) {
		if (strlen(words[k]) != length || strncmp(text, words[k], length))
			continue;
		*choice = (struct schedule_choice){(enum schedule_mode)k, 1};
		if (!text[length])
			return true;
		errno = 0;
		choice->seed = strtoull(text + length + 1, &end, 10);
		return k != SCHEDULE_USUAL && text[length + 1] >= '0' && text[length + 1] <= '9' && !*end && !errno;
	}
	return false;
}

/* --- Chance --------------------------------------------------------------------------------- */

static u64 mix(u64 x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static u64 draw(struct worker *k)
{
	struct schedule_state *s = &k->schedule;
	const u64 seed = k->grid->launch->schedule.seed;

	if (!s->random) {
		s->random = mix(seed) | 1;
		/* No one knows how long the launch will be: points at any order of magnitude. */
		for (u32 n = 0; n < SCHEDULE_CHANGES; n++) {
			const u64 x = mix(s->random + n + 1);
			s->changes[n] = 1 + (x >> 8) % (2ull << x % 12);
		}
	}
	s->random += 2;
	return mix(s->random);
}

/* --- Order ---------------------------------------------------------------------------------- */

static u64 priority_of(const struct warp *w)
{
	const u64 seed = w->grid->launch->schedule.seed;

	return w->fell_behind ? w->fell_behind - 1 : mix(mix(seed ^ w->block->index) + w->index) | 1ull << 63;
}

static u32 by_priority(const struct block *b, u32 turn)
{
	for (u32 n = 0; n < b->warp_count; n++) {
		const u64 own = priority_of(&b->warps[n]);
		u32 before = 0;
		for (u32 k = 0; k < b->warp_count; k++) {
			const u64 other = priority_of(&b->warps[k]);
			before += other > own || (other == own && k < n);
		}
		if (before == turn)
			return n;
	}
	return turn;
}

u32 explore_turn(struct block *b, u32 turn)
{
	struct block_turns *t = &b->turns;

	if (b->grid->launch->schedule.mode == SCHEDULE_PRIORITY)
		return by_priority(b, turn);
	if (!t->order)
		t->order = draw(b->worker) | 1;
	/* Warps in a circle from any of them, this way round or that. */
	const u32 first = (u32)(t->order >> 8) % b->warp_count, count = b->warp_count;
	return t->order & 2 ? (first + turn) % count : (first + count - turn) % count;
}

void explore_begin(struct warp *w)
{
	static const u32 lengths[] = {1, 1, 2, 3, 5, 9, 20, UINT32_MAX};

	w->steps_left = UINT32_MAX;
	w->gave_way = false;
	if (w->grid->launch->schedule.mode == SCHEDULE_RANDOM)
		w->steps_left = lengths[draw(w->worker) % COUNT_OF(lengths)];
}

u32 explore_place(struct worker *k, u32 count) { return (u32)(draw(k) % (count + 1)); }

/* --- Giving way ------------------------------------------------------------------------------- */

static bool gives_way(struct warp *w)
{
	struct worker *k = w->worker;
	struct schedule_state *s = &k->schedule;

	if (k->grid->launch->schedule.mode == SCHEDULE_RANDOM) {
		if (w->steps_left == UINT32_MAX)
			return false;
		return !w->steps_left--;
	}
	if (!s->random)
		draw(k);
	s->steps++;
	for (u32 n = 0; n < SCHEDULE_CHANGES; n++)
		if (s->steps == s->changes[n]) {
			w->fell_behind = SCHEDULE_CHANGES - n;
			return true;
		}
	return false;
}

static const struct insn *explored(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct grid *grid = w->grid;
	const u32 code = w->frame->code->index;

	if (!w->resumed && gives_way(w)) {
		w->gave_way = true;
		return warp_yield(w, i);
	}
	return grid->unexplored[code][i - grid->insns[code]](w, i, rows, mask);
}

/* Guards belong to what they guard: a warp gives way before the first of what an instruction of the text became. */
static bool is_noticed(const struct code *code, u32 k)
{
	const u32 origin = code->origin[k], flags = ISA_MEMORY | ISA_ATOMIC | ISA_SYNC;

	if (origin == NO_OPERAND || code->function->listing || (k && code->origin[k - 1] == origin))
		return false;
	const struct form *f = &code->forms[origin];
	return f->row && f->row->flags & flags && f->param == PARAM_BY_REGISTER;
}

void explore_watch(struct grid *grid, struct arena *arena)
{
	const u32 codes = grid->program->code_count;

	if (!grid->launch->schedule.mode)
		return;
	grid->unexplored = ARENA_ARRAY(arena, codes + 1, meaning_fn **);
	for (u32 c = 0; c < codes; c++) {
		const struct code *code = grid->program->codes[c];
		grid->unexplored[c] = ARENA_ARRAY(arena, code->insn_count + 1, meaning_fn *);
		for (u32 k = 0; k < code->insn_count; k++) {
			grid->unexplored[c][k] = grid->insns[c][k].fn;
			if (is_noticed(code, k))
				grid->insns[c][k].fn = explored;
		}
	}
}
