/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: what lanes that run together tell one another, and what they give to the warp's uniform registers, whose
 * rows hold the same value in all lanes, whether these run or not.
 */
#include "exec/async.h"
#include "exec/converge.h"
#include "memory/banks.h"
#include "sem/extremes.h"
#include "sem/machine.h"
#include "sem/shuffle.h"

/* List: the mode (0 all, 1 any, 2 the same in all), rows of the ballot and the outcome, the predicate, whether the
 * results are the warp's. aux bit 0: its negation. */
MEANING_FUNCTION(vote)
{
	const u32 *list = warp_operands(w, i);
	const u32 p = PRED_SOURCE(i, list[3], 0) & mask, to = list[4] ? FULL_MASK : mask;
	const bool holds = list[0] == 0 ? p == mask : list[0] == 1 ? p != 0 : p == mask || !p;
	u32 ballot[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		ballot[l] = p;
	write_lanes(ROW_OF(u32, list[1]), ballot, to);
	pred_write(rows, list[2], to, holds ? FULL_MASK : 0);
	return i + 1;
}
MEANING_EACH(vote);

#define MACHINE_SHFL(MODE, SOURCE, INSIDE)                                                                    \
	static void shfl_##MODE##_from(struct shuffle *s, const u32 pb[WARP_LANES], const u32 pc[WARP_LANES]) \
	{                                                                                                     \
		EACH_LANE                                                                                     \
			SHFL_LANE(s, SOURCE, INSIDE)                                                          \
	}
SHFL_MODES(MACHINE_SHFL)

/* List: P, d, the value, the two sources, the mode (0 idx, 1 up, 2 down, 3 bfly). */
LANES_FUNCTION(shfl)
{
	const u32 *pa = ROW_OF(u32, list[2]), *pb = ROW_OF(u32, list[3]), *pc = ROW_OF(u32, list[4]);
	u32 value[WARP_LANES] __attribute__((aligned(64)));
	struct shuffle s;

	(void)i;
	EACH_LANE {
		const u32 own = pa[l];
		s.a[l] = mask & lane_bit[l] ? own : 0;
	}
	if (list[5] == 0)
		shfl_idx_from(&s, pb, pc);
	else if (list[5] == 1)
		shfl_up_from(&s, pb, pc);
	else if (list[5] == 2)
		shfl_down_from(&s, pb, pc);
	else
		shfl_bfly_from(&s, pb, pc);
	permute_lanes(value, s.a, s.from);
	write_lanes(ROW_OF(u32, list[1]), value, mask);
	pred_write(rows, list[0], mask, pack_lanes32(s.inside));
}
MEANING_LANES(shfl);

/* Those of the running lanes whose value is lane l's; two rows if there are 64 bits. */
static u32 alike(const u32 *a, const u32 *high, u32 mask, u32 l)
{
	u32 lanes = 0;

	for (u32 k = 0; k < WARP_LANES; k++)
		lanes |= (u32)((mask >> k & 1) && a[k] == a[l] && (!high || high[k] == high[l])) << k;
	return lanes;
}

/* List: P, d, the value, whether it has 64 bits, whether all must be alike: then d is their mask, or 0, and P says so. */
MEANING_FUNCTION(match)
{
	const u32 *list = warp_operands(w, i);
	const u32 *pa = ROW_OF(u32, list[2]), *high = list[3] ? pa + WARP_LANES : NULL;
	u32 value[WARP_LANES] __attribute__((aligned(64))) = {0};
	u32 all = mask;

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		value[l] = alike(pa, high, mask, l);
		all &= value[l];
	}
	if (list[4])
		EACH_LANE
			value[l] = all == mask ? mask : 0;
	write_lanes(ROW_OF(u32, list[1]), value, mask);
	pred_write(rows, list[0], mask, all == mask ? FULL_MASK : 0);
	return i + 1;
}
MEANING_EACH(match);

/* Eight rows of 32 numbers of 4 bits, eight in a lane, as the matrix unit takes them as bytes: d has columns 0 to 15,
 * four in a lane, b those from 16 on. */
MEANING_FUNCTION(nibbles)
{
	const u32 *pa = ROW_OF(u32, i->a);
	u32 values[2][WARP_LANES] __attribute__((aligned(64))) = {{0}};

	(void)w;
	for (u32 l = 0; l < WARP_LANES; l++)
		for (u32 k = 0; k < 8; k++) {
			const u32 from = (l & ~3u) + 2 * (k / 4) + (l & 3) / 2, nibble = 4 * (l & 1) + k % 4;
			values[k / 4][l] |= (pa[from] >> 4 * nibble & 15) << 8 * (k % 4);
		}
	write_lanes(ROW_OF(u32, i->d), values[0], mask);
	write_lanes(ROW_OF(u32, i->b), values[1], mask);
	return i + 1;
}
MEANING_EACH(nibbles);

/* The value of the lowest lane that runs. Native code has rows in registers, of which no lane can be named while it runs. */
static inline u32 value_of_first(const u32 *row, u32 mask)
{
#ifdef SEM_NATIVE
	const u32 first = mask & (0 - mask);
	u32 value = 0;

	EACH_LANE {
		const u32 own = row[l];
		value |= first & lane_bit[l] ? own : 0;
	}
	return value;
#else
	return row[__builtin_ctz(mask)];
#endif
}

static void write_uniform(u8 *rows, u32 offset, u32 value)
{
	u32 *d = ROW_OF(u32, offset);

	EACH_LANE
		d[l] = value;
}

/* imm: 0 and, 1 or, 2 xor, 3 sum, 4 least, 5 greatest; 8: signed. 16: of f32; 32: of their absolute values; 64: a NaN makes
 * the result one. */
MEANING_FUNCTION(redux)
{
	const u32 *pa = ROW_OF(u32, i->a), how = (u32)i->imm & 7, flip = i->imm & 8 ? 0x80000000 : 0;
	u32 value = pa[__builtin_ctz(mask)];

	(void)w;
	if (i->imm & 16) {
		write_uniform(rows, i->d, extreme_of_floats(pa, mask, how == 5, i->imm & 32, i->imm & 64));
		return i + 1;
	}
	for (u32 left = mask & (mask - 1); left; left &= left - 1) {
		const u32 x = pa[__builtin_ctz(left)];
		value = how == 0   ? value & x
			: how == 1 ? value | x
			: how == 2 ? value ^ x
			: how == 3 ? value + x
				   : ((((x ^ flip) < (value ^ flip)) == (how == 4)) ? x : value);
	}
	write_uniform(rows, i->d, value);
	return i + 1;
}
MEANING_EACH(redux);

/* Predicate b: the lane that is chosen, the lowest for which predicate a holds; its number to d. aux bit 0: negation. */
MEANING_FUNCTION(elect)
{
	const u32 lanes = PRED_SOURCE(i, i->a, 0) & mask;

	(void)w;
	pred_write(rows, i->b, mask, lanes & (0 - lanes));
	write_uniform(rows, i->d, lanes ? (u32)__builtin_ctz(lanes) : 0);
	return i + 1;
}
MEANING_EACH(elect);

/* The value of the lowest running lane; what lanes that differ give is not recorded. */
MEANING_FUNCTION(r2ur)
{
	(void)w;
	write_uniform(rows, i->d, value_of_first(ROW_OF(u32, i->a), mask));
	return i + 1;
}
MEANING_EACH(r2ur);

/* Predicate d: lanes whose value is not that of the lowest running one; c: or for which it holds already. */
MEANING_FUNCTION(differs)
{
	const u32 *pa = ROW_OF(u32, i->a), first = value_of_first(pa, mask);

	(void)w;
	pred_write(rows, i->d, mask, MASK_OF(pa[l] != first) | (i->c ? PRED_OF(i->d) : 0));
	return i + 1;
}
MEANING_EACH(differs);

/* A constant at a computed place: d; a the row of offsets; list: the bank, the offset, bytes, whether they have a sign. */
MEANING_FUNCTION(bank)
{
	const u32 *list = warp_operands(w, i), *pa = ROW_OF(u32, i->a), bytes = list[2];
	u32 *d = ROW_OF(u32, i->d);

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left), at = pa[l] + list[1];
		if (at % bytes)
			return warp_fault_address(w, i, FAULT_MISALIGNED, l, at, bytes, SPACE_CONST, false);
		for (u32 k = 0; k < (bytes + 3) / 4; k++) {
			u32 value;
			if (!bank_word(w->grid, w->frame->code, list[0], (at & ~3u) + 4 * k, &value))
				return warp_fault(w, i, FAULT_OUT_OF_BOUNDS, 1u << l,
						  "constant bank %u has no byte 0x%x", list[0], at + 4 * k);
			if (bytes < 4) {
				const u32 up = 32 - 8 * bytes, moved = value >> at % 4 * 8 << up;
				value = list[3] ? (u32)((s32)moved >> up) : moved >> up;
			}
			d[l + k * WARP_LANES] = value;
		}
	}
	return i + 1;
}
MEANING_STEP(bank);

/* Predicate d: those lanes that take part in a round of compare and swap (banks_first_lanes), of b bytes at a + offset, and no
 * others of the warp. */
MEANING_FUNCTION(turns)
{
	const u32 *pa = ROW_OF(u32, i->a);
	u32 address[WARP_LANES];

	(void)w;
	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = pa[l] + (u32)i->imm;
	PRED_OF(i->d) = banks_first_lanes(i->b, mask, address);
	return i + 1;
}
MEANING_EACH(turns);

/* An arrival at an mbarrier of sm_80 to sm_89, two words in shared memory: 2^30 less the arrivals that a phase expects,
 * and 2^31 less those that are pending, with the phase in the uppermost bit, which the last arrival's carry changes. a:
 * base; list: the rows of the words as they were, whether the base has 64 bits, the offset. */
MEANING_FUNCTION(arrive)
{
	const u32 *list = warp_operands(w, i);
	const enum ir_space space = list[2] ? SPACE_GENERIC : SPACE_SHARED;

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 base = list[2] ? ROW_OF(u64, i->a)[l] : ROW_OF(u32, i->a)[l],
			  sum = base + (u64)(s64)(s32)list[3];
		u8 *at = lane_pointer(w, i, l, space, list[2] ? sum : (u32)sum, 8, true);
		u32 words[2];
		if (!at)
			return NULL;
		memcpy(words, at, sizeof words);
		ROW_OF(u32, list[0])[l] = words[0];
		ROW_OF(u32, list[1])[l] = words[1]++;
		if (!(words[1] & 0x7fffffff))
			words[1] |= (words[0] & 0x3fffffff) + 0x40000000;
		memcpy(at, words, sizeof words);
	}
	return i + 1;
}
MEANING_STEP(arrive);

/* Whether a lane's mbarrier is there and has not ended the phase whose parity the lane names. What is wrong with it the wait
 * itself tells. a: base; imm: offset; b: row of parities. */
static bool has_to_wait(struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	const u32 *base = ROW_OF(u32, i->a), *parity = ROW_OF(u32, i->b);
	const u32 first = (u32)__builtin_ctz(mask);
	bool waits = false, known = true;

	w->worker->probing = true;
	for (u32 left = mask; left && known; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (l != first && base[l] == base[first] && parity[l] == parity[first])
			continue;
		const u8 *at = lane_pointer(w, i, l, SPACE_SHARED, base[l] + (u32)i->imm, sizeof(u64), false);
		u64 word = 0;
		if (at)
			memcpy(&word, at, sizeof word);
		known = at && word >> MBARRIER_VALID & 1;
		waits |= known && word >> MBARRIER_PHASE == (parity[l] & 1);
	}
	w->worker->probing = false;
	if (w->stop == STOP_FAULT)
		w->stop = STOP_NONE;
	return waits && known;
}

/* SYNCS.TRYWAIT lets its warp sleep until the phase has ended or time is up: programs count how often they ask, and on a card
 * that is hardly ever more than once. Time is up when nothing else in the launch moves, and after PATIENCE instructions of
 * others. */
static bool sleeps_on(struct warp *w, const struct insn *i, u32 mask)
{
	enum { PATIENCE = 1 << 24, VAIN_TURNS = 8 };
	const struct worker *k = w->worker;

	if (!w->asleep_since)
		w->asleep_since = k->elapsed + 1;
	if (k->still.passes || k->elapsed >= w->asleep_since + PATIENCE)
		return false;
	if (warp_spins_in_vain(w, i, mask, VAIN_TURNS)) /* for lanes that are parked, maybe */
		converge_give_up(w);
	return true;
}

/* How a launch explores schedules, or delays copies, is up to the loop around the wait. */
static bool may_sleep(const struct grid *grid)
{
	return grid->async == ASYNC_EAGER && grid->launch->schedule.mode == SCHEDULE_USUAL;
}

/* Before the wait itself: comes again in each turn until it need not sleep. */
MEANING_FUNCTION(await)
{
	if (!may_sleep(w->grid) || !has_to_wait(w, i, rows, mask) || !sleeps_on(w, i, mask)) {
		w->asleep_since = 0;
		return i + 1;
	}
	const struct insn *next = warp_yield(w, i);
	w->spins += !w->spins;
	return next;
}
/* Warps that need not sleep do not wait for those that must. */
GANG_FUNCTION(await)
{
	const struct insn *plain = gang_plain(g, i);
	u32 sleeping = 0, k = 0;

	if (!may_sleep(g->grid))
		return i + 1;
	if (g->on)
		EACH_MEMBER (g, m)
			sleeping += has_to_wait(m->warp, plain, m->rows, m->mask) && sleeps_on(m->warp, plain, m->mask);
	else
		EACH_WARP (g) {
			struct warp *w = &g->warps[k++];
			sleeping += has_to_wait(w, plain, rows, FULL_MASK) && sleeps_on(w, plain, FULL_MASK);
		}
	if (!sleeping)
		return i + 1;
	if (sleeping < (g->on ? (u32)(g->on_end - g->on) : g->count))
		return gang_part(g, i, 0);
	g->spins += !g->spins;
	return gang_yield(g, i);
}
MEANING_GANG(await);

const struct machine_entry SEM_NAME(machine_exchange)[] = {
	ENTRY(vote), ENTRY(shfl),   ENTRY(match), ENTRY(redux),   ENTRY(elect), ENTRY(r2ur),          ENTRY(differs),
	ENTRY(bank), ENTRY(arrive), ENTRY(await), ENTRY(nibbles), ENTRY(turns), {MACHINE_COUNT, NULL}};
