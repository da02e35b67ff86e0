/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses whose lanes go to scattered places, for native code to call: see native_scattered.h. Compiled once for each width of vectors
 * that native code uses, whichever the families are compiled for.
 */
#include "sem/native_scattered.h"
#include "sem/few_lanes.h"
#include "sem/vector_access.h"

#define SCATTERED_NAME_(name) SCATTERED_NAME(name)

/* --- Rows in registers -------------------------------------------------------------------------- */

/* Lanes, whose lowest bit in the mask is the first one's, become v. */
ALWAYS_INLINE void merge_register(void *d, row_register v, u32 mask, u32 bytes)
{
#if defined __AVX512F__
	const __m512i old = _mm512_load_si512(d);
	_mm512_store_si512(d, bytes == 8 ? _mm512_mask_mov_epi64(old, (__mmask8)mask, v)
					 : _mm512_mask_mov_epi32(old, (__mmask16)mask, v));
#else
	const __m256i bit = _mm256_load_si256(bytes == 8 ? (const void *)lane_bit64 : (const void *)lane_bit);
	const __m256i on = bytes == 8 ? _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask), bit), bit)
				      : _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((s32)mask), bit), bit);
	_mm256_store_si256(d, _mm256_blendv_epi8(_mm256_load_si256(d), v, on));
#endif
}

/* Values, as many as there are in an array, in a register. */
ALWAYS_INLINE row_register register_of_words(const u32 *v)
{
	const __m256i low = _mm256_setr_epi32((s32)v[0], (s32)v[1], (s32)v[2], (s32)v[3], (s32)v[4], (s32)v[5],
					      (s32)v[6], (s32)v[7]);
#if defined __AVX512F__
	const __m256i high = _mm256_setr_epi32((s32)v[8], (s32)v[9], (s32)v[10], (s32)v[11], (s32)v[12], (s32)v[13],
					       (s32)v[14], (s32)v[15]);
	return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
#else
	return low;
#endif
}
ALWAYS_INLINE row_register register_of_pairs(const u64 *v)
{
	const __m256i low = _mm256_setr_epi64x((s64)v[0], (s64)v[1], (s64)v[2], (s64)v[3]);
#if defined __AVX512F__
	const __m256i high = _mm256_setr_epi64x((s64)v[4], (s64)v[5], (s64)v[6], (s64)v[7]);
	return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
#else
	return low;
#endif
}
#define REGISTER_OF(v) _Generic(&(v)[0], u32 * : register_of_words, u64 * : register_of_pairs)(v)

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
			FUNCTION(scattered_find_places),
	FUNCTION(scattered_find_scaled),
	FUNCTION(scattered_load_vector),
	FUNCTION(scattered_load_vector_near),
	FUNCTION(scattered_store_vector),
	FUNCTION(scattered_store_vector_near),
};
