/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses whose lanes go to scattered places, for native code to call: see native_scattered.h. Compiled once for each width of vectors
 * that native code uses, whichever the families are compiled for.
 */
#include "sem/native_scattered.h"
#include "sem/atomic_race.h"
#include "sem/few_lanes.h"
#include "sem/scattered_whole.h"
#include "sem/vector_access.h"

#define SCATTERED_NAME_(name) SCATTERED_NAME(name)

/* --- Words ---------------------------------------------------------------------------------------- */

#define LOAD_TEMPLATE "sem/scattered_load.h"
#include "sem/each_load.h"

#define MEMORY u8
#include "sem/scattered_store.h"
#define MEMORY u16
#include "sem/scattered_store.h"
#define MEMORY u32
#include "sem/scattered_store.h"
#define MEMORY u64
#include "sem/scattered_store.h"

/* --- Atomic operations ---------------------------------------------------------------------------- */

ALWAYS_INLINE bool find_few(u8 *place[WARP_LANES], const struct reach *r, enum lane_number by, const void *numbers,
			    u32 mask, u32 bytes)
{
	if (!all_reach(r, by, numbers, mask, bytes))
		return false;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		place[l] = r->host + place_within(r, by, numbers, l);
	}
	return true;
}
ALWAYS_INLINE bool find_many(u8 *place[WARP_LANES], struct warp *w, const struct insn *i, enum numbered by,
			     const struct scattered *s)
{
	struct places p;

	if (!find_places(&p, w, i, by, s) && !(remember_allocation(w, i, by, s) && find_places(&p, w, i, by, s)))
		return false;
	EACH_LANE
		place[l] = p.host + ((by == BY_ADDRESS ? p.far[l] : (u64)p.near_[l]) << p.shift);
	return true;
}

SEPARATE bool find_far_many(struct warp *w, const struct insn *i, const u64 *base, u8 *place[WARP_LANES], u32 mask,
			    u32 bytes)
{
	const struct scattered s = {.row = base, .space = SPACE_GLOBAL, .mask = mask, .bytes = bytes, .is_store = true};

	return find_many(place, w, i, BY_ADDRESS, &s);
}
bool SCATTERED_NAME(scattered_find_places)(struct warp *w, const struct insn *i, const u64 *base, u8 *place[WARP_LANES],
					   u32 mask, u32 bytes)
{
	const struct reach r = reach_of(w, i, REACH_STORE, 0, bytes);

	return (are_few(mask) && find_few(place, &r, FAR_ADDRESS, base, mask, bytes)) ||
	       find_far_many(w, i, base, place, mask, bytes);
}

SEPARATE bool find_scaled_many(struct warp *w, const struct insn *i, const u32 *index, u8 *place[WARP_LANES], u32 mask,
			       u32 bytes, u64 base)
{
	const struct scattered s = {
		.row = index, .space = SPACE_GLOBAL, .base = base, .mask = mask, .bytes = bytes, .is_store = true};

	return find_many(place, w, i, BY_INDEX, &s);
}
bool SCATTERED_NAME(scattered_find_scaled)(struct warp *w, const struct insn *i, const u32 *index,
					   u8 *place[WARP_LANES], u32 mask, u32 bytes, u64 base)
{
	const struct reach r = reach_of(w, i, REACH_STORE, base, bytes);

	return (are_few(mask) && !is_signed_index(i) && find_few(place, &r, INDEX, index, mask, bytes)) ||
	       find_scaled_many(w, i, index, place, mask, bytes, base);
}

#define X(NAME, T, TAKES_C, ...) ATOMIC_RACE_FUNCTION(SCATTERED_NAME_(scattered_race_##NAME), T, TAKES_C, NAME##_op)
ATOMIC_INTEGERS(X)
#undef X
#define X(NAME, T, ...) ATOMIC_RACE_FUNCTION(SCATTERED_NAME_(scattered_race_##NAME), T, false, NAME##_global_op)
ATOMIC_FLOATS(X)
#undef X

/* --- Vectors ---------------------------------------------------------------------------------------- */

/* The lanes that do not run get any value. */
ALWAYS_INLINE void load_vector_at(u32 value[SCATTERED_WORDS][WARP_LANES], const struct places *p, enum numbered by,
				  u32 n)
{
	for (u32 k = 0; k < PARTS; k++) {
		part v[4];
#define OF_PART(L) place_of(p, by, PART *k + (L))
		_Pragma("GCC unroll 4") for (u32 l = 0; l < 4; l++) v[l] =
			n == 4 ? PIECES_AT(OF_PART, l, 4) : PIECES_AT(OF_PART, l, 2);
#undef OF_PART
		set_parts_of_pieces(value, v, k, n);
	}
}
ALWAYS_INLINE bool load_vector_by(struct warp *w, const struct insn *i, enum numbered by, const struct scattered *s,
				  u32 value[SCATTERED_WORDS][WARP_LANES], u32 n)
{
	struct places p;

	if (!find_places(&p, w, i, by, s) && !(remember_allocation(w, i, by, s) && find_places(&p, w, i, by, s)))
		return false;
	if (n == 4)
		load_vector_at(value, &p, by, 4);
	else
		load_vector_at(value, &p, by, 2);
	return true;
}
bool SCATTERED_NAME(scattered_load_vector)(struct warp *w, const struct insn *i, const u64 *base,
					   u32 value[SCATTERED_WORDS][WARP_LANES], u32 mask, enum ir_space space, u32 n)
{
	const struct scattered s = {.row = base, .space = space, .mask = mask, .bytes = 4 * n};

	return load_vector_by(w, i, BY_ADDRESS, &s, value, n);
}
bool SCATTERED_NAME(scattered_load_vector_near)(struct warp *w, const struct insn *i, const u32 *base,
						u32 value[SCATTERED_WORDS][WARP_LANES], u32 mask, u32 n)
{
	const struct scattered s = {.row = base, .mask = mask, .bytes = 4 * n};

	return load_vector_by(w, i, BY_NEAR, &s, value, n);
}

ALWAYS_INLINE bool store_vector_at(u32 value[SCATTERED_WORDS][WARP_LANES], const struct lane_pieces *p, u32 mask, u32 n)
{
	u8 *const from[VECTOR_ROWS] = {(u8 *)value[0], (u8 *)value[1], (u8 *)value[2], (u8 *)value[3]};

	if (UNLIKELY(!p->host))
		return false;
	for (u32 l = 0; l < WARP_LANES; l += 4)
		if (n == 2)
			store_two_words(from, p, l, mask);
		else
			store_four_words(from, p, l, mask);
	return true;
}

bool SCATTERED_NAME(scattered_store_vector)(struct warp *w, const struct insn *i, const u64 *base,
					    u32 value[SCATTERED_WORDS][WARP_LANES], u32 mask, enum ir_space space,
					    u32 n)
{
	struct lane_pieces p;

	find_pieces_64(&p, w, i, base, mask, space, 4 * n, true);
	return store_vector_at(value, &p, mask, n);
}
bool SCATTERED_NAME(scattered_store_vector_near)(struct warp *w, const struct insn *i, const u32 *base,
						 u32 value[SCATTERED_WORDS][WARP_LANES], u32 mask, u32 n)
{
	struct lane_pieces p;

	find_pieces_32(&p, w, i, base, mask, SPACE_SHARED, 4 * n, true);
	return store_vector_at(value, &p, mask, n);
}

/* --- Their names ---------------------------------------------------------------------------------- */

#define FUNCTION(NAME)                                       \
	{                                                    \
#NAME, (void (*)(void))SCATTERED_NAME_(NAME) \
	}
const struct scattered_function SEM_NAME(scattered_list)[SCATTERED_COUNT] = {
#define X(T, R)                                                                      \
	FUNCTION(scattered_load_##T##_##R), FUNCTION(scattered_load_near_##T##_##R), \
		FUNCTION(scattered_load_scaled_##T##_##R),
	SCATTERED_LOADS(X)
#undef X
#define X(T) FUNCTION(scattered_store_##T), FUNCTION(scattered_store_near_##T), FUNCTION(scattered_store_scaled_##T),
		SCATTERED_STORES(X)
#undef X
#define X(NAME, ...) FUNCTION(scattered_race_##NAME),
			ATOMIC_INTEGERS(X) ATOMIC_FLOATS(X)
#undef X
				FUNCTION(scattered_find_places),
	FUNCTION(scattered_find_scaled),
	FUNCTION(scattered_load_vector),
	FUNCTION(scattered_load_vector_near),
	FUNCTION(scattered_store_vector),
	FUNCTION(scattered_store_vector_near),
};
