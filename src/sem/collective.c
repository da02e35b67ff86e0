/* SPDX-License-Identifier: Apache-2.0
 *
 * Warp-wide data exchange (PTX ISA 9.7.9.6, 9.7.13.8 to 9.7.13.12): shfl, vote, match, redux, activemask,
 * elect.
 *
 * A .sync form names the lanes that take part. Lanes of one split may name different masks (tiles of a
 * warp): every mask is then served on its own. Lanes of one mask that stand at different places meet
 * through warp_sync(), and their operands come from the exchange instead of their rows. Exited lanes
 * count as arrived and contribute nothing.
 */
#include "sem/extremes.h"
#include "sem/meet.h"
#include "sem/pick.h"
#include "sem/shuffle.h"

/* The operands of the members, from their rows or from where the lanes left them. */
static inline void operands32(const u8 *rows, u32 operand, const u64 *exchange, u32 value[WARP_LANES])
{
	const u32 *a = ROW_OF(u32, operand);

	if (exchange)
		EACH_LANE
			value[l] = (u32)exchange[l];
	else
		EACH_LANE
			value[l] = a[l];
}

static inline void write_all32(u8 *rows, u32 offset, u32 mask, u32 value)
{
	u32 *d = ROW_OF(u32, offset);

	EACH_LANE {
		const u32 old = d[l];
		d[l] = mask & lane_bit[l] ? value : old;
	}
}

/* --- shfl ----------------------------------------------------------------------------------- */

ALWAYS_INLINE void shfl_begin(struct shuffle *s, const u8 *rows, const u32 *list, u32 members, const u64 *exchange)
{
	operands32(rows, list[2], exchange, s->a);
	if (members != FULL_MASK)
		EACH_LANE
			s->a[l] &= 0u - (members >> l & 1);
}

ALWAYS_INLINE void shfl_end(const struct shuffle *s, u8 *rows, const u32 *list, u32 mask)
{
	u32 value[WARP_LANES] __attribute__((aligned(64)));

	permute_lanes(value, s->a, s->from);
	write_lanes(ROW_OF(u32, list[0]), value, mask);
	pred_write(rows, list[1], mask, pack_lanes32(s->inside));
}

#define SHFL_LANES(MODE, SOURCE, INSIDE)                                                                       \
	static void shfl_##MODE##_group(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 members, \
					const u64 *exchange)                                                   \
	{                                                                                                      \
		const u32 *list = warp_operands(w, i);                                                         \
		const u32 *pb = ROW_OF(u32, list[3]), *pc = ROW_OF(u32, list[4]);                              \
		struct shuffle s, *const to = &s;                                                              \
		shfl_begin(&s, rows, list, members, exchange);                                                 \
		EACH_LANE                                                                                      \
			SHFL_LANE(to, SOURCE, INSIDE)                                                          \
		shfl_end(&s, rows, list, mask);                                                                \
	}
#define SHFL(MODE, SOURCE, INSIDE)                                                                         \
	SHFL_LANES(MODE, SOURCE, INSIDE)                                                                   \
	MEANING_FUNCTION(shfl_##MODE) { return shfl_##MODE##_group(w, i, rows, mask, mask, NULL), i + 1; } \
	MEANING(shfl_##MODE);                                                                              \
	MEANING_FUNCTION(shfl_sync_##MODE)                                                                 \
	{                                                                                                  \
		const u32 *list = warp_operands(w, i);                                                     \
		return meet(w, i, rows, mask, list[5], list[2], 32, true, shfl_##MODE##_group);            \
	}                                                                                                  \
	MEANING_MEET(shfl_sync_##MODE, GANG_OPERAND(5), shfl_##MODE##_group);
SHFL_MODES(SHFL)

static const struct meaning *pick_shfl(const struct form *f)
{
	const bool sync = form_has(f, M_sync);

	switch (form_pick(f, M_up, M_idx)) {
	case M_up:
		return sync ? &shfl_sync_up : &shfl_up;
	case M_down:
		return sync ? &shfl_sync_down : &shfl_down;
	case M_bfly:
		return sync ? &shfl_sync_bfly : &shfl_bfly;
	default:
		return sync ? &shfl_sync_idx : &shfl_idx;
	}
}

/* --- vote ----------------------------------------------------------------------------------- */

/* `p`: the members' predicates. */
static inline u32 vote_ballot_of(u32 p, u32 members) { return p & members; }
static inline u32 vote_all_of(u32 p, u32 members) { return (p & members) == members ? FULL_MASK : 0; }
static inline u32 vote_any_of(u32 p, u32 members) { return p & members ? FULL_MASK : 0; }
static inline u32 vote_uni_of(u32 p, u32 members) { return (p & members) == members || !(p & members) ? FULL_MASK : 0; }

static inline u32 members_truth(const struct insn *i, const u8 *rows, const u64 *exchange)
{
	u32 p = 0;

	if (!exchange)
		return *(const u32 *)(rows + i->a) ^ (0u - (i->aux & 1u));
	for (u32 l = 0; l < WARP_LANES; l++)
		p |= (u32)(exchange[l] & 1) << l;
	return p;
}

#define VOTE(MODE, WRITE)                                                                                      \
	static void vote_##MODE##_group(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 members, \
					const u64 *exchange)                                                   \
	{                                                                                                      \
		(void)w;                                                                                       \
		WRITE(rows, i->d, mask, vote_##MODE##_of(members_truth(i, rows, exchange), members));          \
	}                                                                                                      \
	MEANING_FUNCTION(vote_##MODE) { return vote_##MODE##_group(w, i, rows, mask, mask, NULL), i + 1; }     \
	MEANING(vote_##MODE);                                                                                  \
	MEANING_MEET_AB(vote_sync_##MODE, 1, vote_##MODE##_group);
VOTE(ballot, write_all32)
VOTE(all, pred_write)
VOTE(any, pred_write)
VOTE(uni, pred_write)

static const struct meaning *pick_vote(const struct form *f)
{
	const bool sync = form_has(f, M_sync);

	if (form_has(f, M_ballot))
		return sync ? &vote_sync_ballot : &vote_ballot;
	if (form_has(f, M_all))
		return sync ? &vote_sync_all : &vote_all;
	if (form_has(f, M_any))
		return sync ? &vote_sync_any : &vote_any;
	return sync ? &vote_sync_uni : &vote_uni;
}

/* --- match ---------------------------------------------------------------------------------- */

#define VALUE u32
#define TRUTH s32
#include "sem/match_type.h"
#define VALUE u64
#define TRUTH s64
#include "sem/match_type.h"

#define MATCH(BITS)                                                                              \
	MEANING_MEET_AB(match_any_##BITS, BITS, match_any_u##BITS);                              \
	MEANING_FUNCTION(match_all_##BITS)                                                       \
	{                                                                                        \
		const u32 *list = warp_operands(w, i);                                           \
		return meet(w, i, rows, mask, list[3], list[2], BITS, false, match_all_u##BITS); \
	}                                                                                        \
	MEANING_MEET(match_all_##BITS, GANG_OPERAND(3), match_all_u##BITS);
MATCH(32)
MATCH(64)

static const struct meaning *pick_match(const struct form *f)
{
	const bool wide = type_bits(form_type(f, 0)) == 64;

	if (form_has(f, M_any))
		return wide ? &match_any_64 : &match_any_32;
	return wide ? &match_all_64 : &match_all_32;
}

/* --- redux ---------------------------------------------------------------------------------- */

/* The members' operands, and the value that changes nothing in the other lanes. */
ALWAYS_INLINE void redux_operands(const struct warp *w, const struct insn *i, const u8 *rows, u32 members,
				  const u64 *exchange, u32 neutral, u32 value[WARP_LANES])
{
	(void)w;
	operands32(rows, i->a, exchange, value);
	EACH_LANE
		value[l] = members & lane_bit[l] ? value[l] : neutral;
}
#define REDUX(NAME, T, START, STEP)                                                                             \
	static void redux_##NAME##_group(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 members, \
					 const u64 *exchange)                                                   \
	{                                                                                                       \
		u32 value[WARP_LANES] __attribute__((aligned(64)));                                             \
		T r = (T)(START), x;                                                                            \
		redux_operands(w, i, rows, members, exchange, (u32)(START), value);                             \
		for (int l = 0; l < WARP_LANES; l++)                                                            \
			x = (T)value[l], r = (STEP);                                                            \
		write_all32(rows, i->d, mask, (u32)r);                                                          \
	}                                                                                                       \
	MEANING_MEET_AB(redux_##NAME, 32, redux_##NAME##_group);
REDUX(add, u32, 0, r + x)
REDUX(and, u32, ~0u, r &x)
REDUX(or, u32, 0, r | x)
REDUX(xor, u32, 0, r ^ x)
REDUX(min_u32, u32, UINT32_MAX, x < r ? x : r)
REDUX(max_u32, u32, 0, x > r ? x : r)
REDUX(min_s32, s32, INT32_MAX, x < r ? x : r)
REDUX(max_s32, s32, INT32_MIN, x > r ? x : r)

static void redux_float(const struct insn *i, u8 *rows, u32 mask, u32 members, const u64 *exchange, bool is_max,
			bool absolute, bool keep_nan)
{
	u32 value[WARP_LANES] __attribute__((aligned(64)));

	operands32(rows, i->a, exchange, value);
	write_all32(rows, i->d, mask, extreme_of_floats(value, members, is_max, absolute, keep_nan));
}

#define REDUX_FLOAT(NAME, IS_MAX, ABS, NAN)                                                                     \
	static void redux_##NAME##_group(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 members, \
					 const u64 *exchange)                                                   \
	{                                                                                                       \
		(void)w;                                                                                        \
		redux_float(i, rows, mask, members, exchange, IS_MAX, ABS, NAN);                                \
	}                                                                                                       \
	MEANING_MEET_AB(redux_##NAME, 32, redux_##NAME##_group);
REDUX_FLOAT(min_f32, false, false, false)
REDUX_FLOAT(min_abs_f32, false, true, false)
REDUX_FLOAT(min_nan_f32, false, false, true)
REDUX_FLOAT(min_abs_nan_f32, false, true, true)
REDUX_FLOAT(max_f32, true, false, false)
REDUX_FLOAT(max_abs_f32, true, true, false)
REDUX_FLOAT(max_nan_f32, true, false, true)
REDUX_FLOAT(max_abs_nan_f32, true, true, true)

static const struct meaning *pick_redux(const struct form *f)
{
	const bool is_signed = form_type(f, 0) == T_s32;

	switch (form_pick(f, M_and, M_max)) {
	case M_and:
		return &redux_and;
	case M_or:
		return &redux_or;
	case M_xor:
		return &redux_xor;
	case M_add:
		return &redux_add;
	case M_min:
		return is_signed ? &redux_min_s32 : &redux_min_u32;
	default:
		return is_signed ? &redux_max_s32 : &redux_max_u32;
	}
}

static const struct meaning *pick_redux_float(const struct form *f)
{
	const bool absolute = form_has(f, M_abs), keep_nan = form_has(f, M_NaN);

	if (form_has(f, M_min))
		return absolute   ? keep_nan ? &redux_min_abs_nan_f32 : &redux_min_abs_f32
		       : keep_nan ? &redux_min_nan_f32
				  : &redux_min_f32;
	return absolute   ? keep_nan ? &redux_max_abs_nan_f32 : &redux_max_abs_f32
	       : keep_nan ? &redux_max_nan_f32
			  : &redux_max_f32;
}

/* --- activemask, elect ---------------------------------------------------------------------- */

MEANING_FUNCTION(activemask)
{
	(void)w;
	write_all32(rows, i->d, mask, mask);
	return i + 1;
}
MEANING_EACH(activemask);

/* The lowest lane of the mask is elected, and every lane of the mask learns its number (recorded). */
static void elect_group(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 members, const u64 *exchange)
{
	const u32 *list = warp_operands(w, i), leader = (u32)__builtin_ctz(members);

	(void)exchange;
	write_all32(rows, list[0], mask, leader);
	pred_write(rows, list[1], mask, 1u << leader);
}
MEANING_FUNCTION(elect) { return meet(w, i, rows, mask, warp_operands(w, i)[2], NO_OPERAND, 32, false, elect_group); }
MEANING_MEET(elect, GANG_OPERAND(2), elect_group);

PICK_ONE(activemask)
PICK_ONE(elect)

#define SYNC     (ISA_SYNC | ISA_CROSS_LANE)
#define UNSYNCED (ISA_CROSS_LANE | ISA_UNSYNCED)
#define SHUFFLE  WITH(TRAIT_SHUFFLES)
#define VOTES    WITH(TRAIT_VOTES)

static const struct isa_row rows_collective[] = {
	ROW("shfl(.up|.down|.bfly|.idx).b32", "=0|pred 0 b32 b32", 30, 30, UNSYNCED | SHUFFLE, pick_shfl,
	    "Takes another lane's value."),
	ROW("shfl.sync(.up|.down|.bfly|.idx).b32", "=0|pred 0 b32 b32 u32", 60, 30, SYNC | SHUFFLE, pick_shfl,
	    "Takes another lane's value, once the lanes of the mask have met."),
	ROW("vote(.all|.any|.uni).pred", "=0 0", 12, 12, UNSYNCED | VOTES, pick_vote,
	    "Tests a predicate over the active lanes."),
	ROW("vote.ballot.b32", "=0 pred", 20, 20, UNSYNCED | VOTES, pick_vote,
	    "The active lanes whose predicate holds."),
	ROW("vote.sync(.all|.any|.uni).pred", "=0 0 u32", 60, 30, SYNC | VOTES, pick_vote,
	    "Tests a predicate over the lanes of the mask."),
	ROW("vote.sync.ballot.b32", "=0 pred u32", 60, 30, SYNC | VOTES, pick_vote,
	    "The lanes of the mask whose predicate holds."),
	ROW("match.any.sync(.b32|.b64)", "=u32 0 u32", 60, 70, SYNC | VOTES, pick_match,
	    "The lanes of the mask that hold the same value."),
	ROW("match.all.sync(.b32|.b64)", "=_u32|pred 0 u32", 60, 70, SYNC | VOTES, pick_match,
	    "The mask, if all its lanes hold the same value."),
	ROW("redux.sync(.add|.min|.max)(.u32|.s32)", "=0 0 u32", 70, 80, SYNC | VOTES, pick_redux,
	    "Reduces over the lanes of the mask."),
	ROW("redux.sync(.and|.or|.xor).b32", "=u32 u32 u32", 70, 80, SYNC | VOTES, pick_redux,
	    "Reduces over the lanes of the mask."),
	ROW("redux.sync(.min|.max)[.abs][.NaN].f32", "=0 0 b32", 86, 100, SYNC | VOTES | ISA_A_TARGET | ISA_UNVERIFIED,
	    pick_redux_float, "Reduces over the lanes of the mask."),
	ROW("activemask.b32", "=0", 62, 30, ISA_CROSS_LANE | VOTES, pick_activemask,
	    "The lanes that execute this instruction together."),
	ROW("elect.sync", "=_u32||pred u32", 80, 90, SYNC | VOTES, pick_elect, "Elects one lane of the mask."),
};
FAMILY(family_collective, "Warp-wide exchange", CLASS_EXCHANGE, rows_collective);
