/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads and stores of one register: for a space, a type in memory and a register width, LOAD_SCALAR and
 * STORE define the meanings for 32- and 64-bit addresses. Included by the family of loads and stores.
 */
#ifndef PTXSIM_SEM_LOAD_STORE_H
#define PTXSIM_SEM_LOAD_STORE_H

#include "sem/access.h"

/* A meaning that tries NAME##_fast first, and where that gives up goes on with LANES. */
#define FAST_OR(NAME, LANES)                                                                           \
	MEANING_FUNCTION(NAME)                                                                         \
	{                                                                                              \
		if (LIKELY(NAME##_fast(w, i, rows, mask)))                                             \
			return i + 1;                                                                  \
		return LANES;                                                                          \
	}                                                                                              \
	GANG_FAST(NAME)

/* An access that is tried as a row of neighbours, then by its shape, then lane by lane. */
#define ACCESS_WIDTH(NAME, ROW, SHAPE, LANES)                                                          \
	ALWAYS_INLINE bool NAME##_row(struct warp *w, const struct insn *i, u8 *rows, u32 mask)        \
	{                                                                                              \
		ROW                                                                                    \
	}                                                                                              \
	SEPARATE bool NAME##_shape(struct warp *w, const struct insn *i, u8 *rows, u32 mask)           \
	{                                                                                              \
		SHAPE                                                                                  \
	}                                                                                              \
	ALWAYS_INLINE bool NAME##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask)       \
	{                                                                                              \
		return NAME##_row(w, i, rows, mask) || NAME##_shape(w, i, rows, mask);                 \
	}                                                                                              \
	FAST_OR(NAME, LANES)

/* --- Loads ---------------------------------------------------------------------------------- */

/* Lane by lane, with diagnosis. `bytes` of memory, sign-extended if asked, into `row_bits` lanes. No register
 * changes before all is read: who has a fault may run it again. */
static const struct insn *load_lanes(struct warp *w, const struct insn *i, u8 *rows, u32 mask, bool wide,
				     enum ir_space space, u32 bytes, bool is_signed, u32 register_bits)
{
	u64 address[WARP_LANES] __attribute__((aligned(64))), value[WARP_LANES] = {0};

	addresses_of(rows, i, wide, address);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (!lane_read(w, i, l, space, address[l], &value[l], bytes))
			return NULL;
	}
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 v = is_signed ? (u64)((s64)(value[l] << (64 - 8 * bytes)) >> (64 - 8 * bytes)) : value[l];
		if (register_bits == 64)
			((u64 *)(rows + i->d))[l] = v;
		else
			((u32 *)(rows + i->d))[l] = register_bits == 16 ? (u16)v : (u32)v;
	}
	return i + 1;
}

#define SIGNED_u8  false
#define SIGNED_u16 false
#define SIGNED_u32 false
#define SIGNED_u64 false
#define SIGNED_s8  true
#define SIGNED_s16 true
#define SIGNED_s32 true

/* T: type in memory; R: type that fills the register (u16, u32, u64). A whole warp's row of neighbouring
 * places, or two half rows, is a copy. Other shapes stand in a function of their own, whose stack frame
 * the common case would pay for. */
#define LOAD_ROW(SPACE, T, R, WIDE)                                                                    \
	ROW_##R *d = ROW_OF(R, i->d);                                                                  \
	const T *from;                                                                                 \
	u64 start;                                                                                     \
	if (UNLIKELY(mask != FULL_MASK) || !is_row(rows, i, WIDE, sizeof(T), &start) || start % sizeof(T)) \
		return false;                                                                          \
	from = (const T *)(const void *)space_range(w, i, SPACE, start, start + WARP_LANES * sizeof(T), false); \
	if (UNLIKELY(!from))                                                                           \
		return false;                                                                          \
	if (SPACE == SPACE_GLOBAL)                                                                     \
		fetch_ahead(from, WARP_LANES * sizeof(T));                                             \
	EACH_LANE d[l] = KEEP_##R((R)from[l]);                                                         \
	return true;

/* Local memory: a lane's word w stands at w * WARP_LANES + lane; a value has one word or two, or lies within one. */
#define LOAD_LOCAL(T, R, WIDE)                                                                 \
	ROW_##R *d = ROW_OF(R, i->d);                                                          \
	u64 address[WARP_LANES] __attribute__((aligned(64)));                                  \
	addresses_of(rows, i, WIDE, address);                                                  \
	const struct extent e = extent_of(address, mask);                                      \
	const u32 *words = (const u32 *)(const void *)w->local;                                \
	if (UNLIKELY(!local_reaches(w, &e, sizeof(T))))                                        \
		return false;                                                                  \
	if (e.low == e.high && sizeof(T) >= 4) {                                               \
		const u32 *from = words + e.low / 4 * WARP_LANES;                              \
		if (sizeof(T) == 8)                                                            \
			EACH_LANE d[l] = LANE_ON(R, mask, l) ? KEEP_##R(from[l] | (u64)from[l + 32] << 32) : d[l]; \
		else                                                                           \
			EACH_LANE d[l] = LANE_ON(R, mask, l) ? KEEP_##R((R)(T)from[l]) : d[l]; \
		return true;                                                                   \
	}                                                                                      \
	for (u32 left = mask; left; left &= left - 1) {                                        \
		const u32 l = (u32)__builtin_ctz(left);                                        \
		const u32 *from = words + address[l] / 4 * WARP_LANES + l;                     \
		const u64 value = sizeof(T) == 8 ? *from | (u64)from[WARP_LANES] << 32 : *from >> address[l] % 4 * 8; \
		d[l] = KEEP_##R((R)(T)value);                                                  \
	}                                                                                      \
	return true;

#define LOAD_SHAPE(SPACE, T, R, WIDE)                                                                  \
	ROW_##R *d = ROW_OF(R, i->d);                                                                  \
	u64 address[WARP_LANES] __attribute__((aligned(64)));                                          \
	addresses_of(rows, i, WIDE, address);                                                          \
	const struct shape s = shape_of(address, mask, sizeof(T));                                     \
	u64 offset = 0;                                                                                \
	if (s.contiguous && LIKELY(s.first % sizeof(T) == 0)) {                                        \
		const u32 span = (32 - (u32)__builtin_clz(mask) - s.lane) * (u32)sizeof(T);            \
		const u8 *p = space_range(w, i, SPACE, s.first, s.first + span, false);                \
		if (LIKELY(p != NULL)) {                                                               \
			const T *from = (const T *)(const void *)(p - s.lane * sizeof(T));             \
			if (mask == FULL_MASK)                                                         \
				EACH_LANE d[l] = KEEP_##R((R)from[l]);                                 \
			else                                                                           \
				EACH_LANE if (mask & lane_bit[l]) d[l] = KEEP_##R((R)from[l]);         \
			return true;                                                                      \
		}                                                                                      \
	} else if (s.uniform && s.first % sizeof(T) == 0) {                                            \
		const u8 *p = space_range(w, i, SPACE, s.first, s.first + sizeof(T), false);           \
		if (LIKELY(p != NULL)) {                                                               \
			T one;                                                                         \
			memcpy(&one, p, sizeof one);                                                   \
			const ROW_##R value = KEEP_##R((R)one);                                        \
			EACH_LANE d[l] = LANE_ON(R, mask, l) ? value : d[l];                           \
			return true;                                                                      \
		}                                                                                      \
		if (local_uniform(w, SPACE, &s, sizeof(T), &offset)) {                                 \
			const u32 *from = (const u32 *)(const void *)local_word(w, offset, 0);         \
			if (sizeof(T) == 8)                                                            \
				EACH_LANE d[l] = LANE_ON(R, mask, l)                                   \
							 ? KEEP_##R(from[l] | (u64)from[l + 32] << 32) \
							 : d[l];                                       \
			else                                                                           \
				EACH_LANE d[l] = LANE_ON(R, mask, l) ? KEEP_##R((R)(T)from[l]) : d[l]; \
			return true;                                                                      \
		}                                                                                      \
	} else if (mask == FULL_MASK && is_two_rows(address, sizeof(T)) && !((address[0] | address[16]) % sizeof(T))) { \
		const u64 half = WARP_LANES / 2 * sizeof(T);                                           \
		const u8 *low = space_range(w, i, SPACE, address[0], address[0] + half, false);        \
		const u8 *high = low ? space_range(w, i, SPACE, address[16], address[16] + half, false) : NULL; \
		if (LIKELY(high != NULL)) {                                                            \
			const T *from = (const T *)(const void *)low, *more = (const T *)(const void *)high; \
			for (int l = 0; l < WARP_LANES / 2; l++)                                       \
				d[l] = KEEP_##R((R)from[l]);                                           \
			for (int l = 0; l < WARP_LANES / 2; l++)                                       \
				d[l + WARP_LANES / 2] = KEEP_##R((R)more[l]);                          \
			return true;                                                                   \
		}                                                                                      \
	} else {                                                                                       \
		const struct extent e = extent_of(address, mask);                                      \
		const u8 *p = e.bits % sizeof(T) ? NULL                                                \
						 : space_range(w, i, SPACE, e.low, e.high + sizeof(T), false); \
		if (LIKELY(p != NULL)) {                                                               \
			const T *from = (const T *)(const void *)p;                                    \
			EACH_LANE address[l] = (address[l] - e.low) / sizeof(T);                       \
			if (mask == FULL_MASK)                                                         \
				EACH_LANE d[l] = KEEP_##R((R)from[(s64)address[l]]);                   \
			else                                                                           \
				EACH_LANE if (mask & lane_bit[l]) d[l] = KEEP_##R((R)from[(s64)address[l]]); \
			return true;                                                                      \
		}                                                                                      \
	}                                                                                              \
	return false;

#define LOAD_LOCAL_WIDTH(NAME, T, R, WIDE)                                                             \
	ALWAYS_INLINE bool NAME##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask)       \
	{                                                                                              \
		LOAD_LOCAL(T, R, WIDE)                                                                 \
	}                                                                                              \
	FAST_OR(NAME, load_lanes(w, i, rows, mask, WIDE, SPACE_LOCAL, sizeof(T), false, 8 * sizeof(R)))
#define LOAD_LOCAL_SCALAR(NAME, T, R)                                                                  \
	LOAD_LOCAL_WIDTH(NAME##_64, T, R, true)                                                        \
	LOAD_LOCAL_WIDTH(NAME##_32, T, R, false)
#define LOAD_WIDTH(NAME, SPACE, T, R, WIDE)                                                            \
	ACCESS_WIDTH(NAME, LOAD_ROW(SPACE, T, R, WIDE), LOAD_SHAPE(SPACE, T, R, WIDE),                 \
		     load_lanes(w, i, rows, mask, WIDE, SPACE, sizeof(T), SIGNED_##T, 8 * sizeof(R)))
#define LOAD_SCALAR(NAME, SPACE, T, R)                                                                 \
	LOAD_WIDTH(NAME##_64, SPACE, T, R, true)                                                       \
	LOAD_WIDTH(NAME##_32, SPACE, T, R, false)

/* --- Stores --------------------------------------------------------------------------------- */

static const struct insn *store_lanes(struct warp *w, const struct insn *i, u8 *rows, u32 mask, bool wide,
				      enum ir_space space, u32 bytes, u32 register_bits)
{
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	addresses_of(rows, i, wide, address);
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u8 *from = rows + i->b + (size_t)l * (register_bits == 64 ? 8 : 4);
		if (mask >> l & 1 && !lane_write(w, i, l, space, address[l], from, bytes))
			return NULL;
	}
	return i + 1;
}

/* R: type of the register's lanes (u32, u64). Several lanes at one address: the highest lane wins. */
#define STORE_ROW(SPACE, T, R, WIDE)                                                                   \
	const ROW_##R *s = ROW_OF(R, i->b);                                                            \
	u64 start;                                                                                     \
	T *to;                                                                                         \
	if (UNLIKELY(mask != FULL_MASK) || !is_row(rows, i, WIDE, sizeof(T), &start) || start % sizeof(T)) \
		return false;                                                                          \
	to = (T *)(void *)space_range(w, i, SPACE, start, start + WARP_LANES * sizeof(T), true);       \
	if (UNLIKELY(!to))                                                                             \
		return false;                                                                          \
	EACH_LANE to[l] = (T)s[l];                                                                     \
	return true;

#define STORE_SHAPE(SPACE, T, R, WIDE)                                                                 \
	const ROW_##R *s = ROW_OF(R, i->b);                                                            \
	u64 address[WARP_LANES] __attribute__((aligned(64)));                                          \
	addresses_of(rows, i, WIDE, address);                                                          \
	const struct shape shape = shape_of(address, mask, sizeof(T));                                 \
	u64 offset = 0;                                                                                \
	if (shape.contiguous && LIKELY(shape.first % sizeof(T) == 0)) {                                \
		const u32 span = (32 - (u32)__builtin_clz(mask) - shape.lane) * (u32)sizeof(T);        \
		u8 *p = space_range(w, i, SPACE, shape.first, shape.first + span, true);               \
		if (LIKELY(p != NULL)) {                                                               \
			T *to = (T *)(void *)(p - shape.lane * sizeof(T));                             \
			if (mask == FULL_MASK)                                                         \
				EACH_LANE to[l] = (T)s[l];                                             \
			else                                                                           \
				EACH_LANE if (mask & lane_bit[l]) to[l] = (T)s[l];                     \
			return true;                                                                      \
		}                                                                                      \
	} else if (local_uniform(w, SPACE, &shape, sizeof(T), &offset) && sizeof(T) >= 4) {            \
		u32 *to = (u32 *)(void *)local_word(w, offset, 0);                                     \
		EACH_LANE to[l] = mask & lane_bit[l] ? (u32)s[l] : to[l];                              \
		if (sizeof(T) == 8)                                                                    \
			EACH_LANE to[l + 32] = mask & lane_bit[l] ? (u32)((u64)s[l] >> 32) : to[l + 32]; \
		return true;                                                                              \
	} else if (mask == FULL_MASK && is_two_rows(address, sizeof(T)) && !((address[0] | address[16]) % sizeof(T))) { \
		const u64 half = WARP_LANES / 2 * sizeof(T);                                           \
		u8 *low = space_range(w, i, SPACE, address[0], address[0] + half, true);               \
		u8 *high = low ? space_range(w, i, SPACE, address[16], address[16] + half, true) : NULL; \
		if (LIKELY(high != NULL)) {                                                            \
			T *to = (T *)(void *)low, *more = (T *)(void *)high;                           \
			for (int l = 0; l < WARP_LANES / 2; l++)                                       \
				to[l] = (T)s[l];                                                       \
			for (int l = 0; l < WARP_LANES / 2; l++)                                       \
				more[l] = (T)s[l + WARP_LANES / 2];                                    \
			return true;                                                                   \
		}                                                                                      \
	} else {                                                                                       \
		const struct extent e = extent_of(address, mask);                                      \
		u8 *p = e.bits % sizeof(T) ? NULL : space_range(w, i, SPACE, e.low, e.high + sizeof(T), true); \
		if (LIKELY(p != NULL)) {                                                               \
			for (u32 left = mask; left; left &= left - 1) {                                \
				const u32 l = (u32)__builtin_ctz(left);                                \
				*(T *)(void *)(p + (address[l] - e.low)) = (T)s[l];                    \
			}                                                                              \
			return true;                                                                      \
		}                                                                                      \
	}                                                                                              \
	return false;

#define STORE_LOCAL(T, R, WIDE)                                                                \
	const ROW_##R *s = ROW_OF(R, i->b);                                                    \
	u64 address[WARP_LANES] __attribute__((aligned(64)));                                  \
	addresses_of(rows, i, WIDE, address);                                                  \
	const struct extent e = extent_of(address, mask);                                      \
	u32 *words = (u32 *)(void *)w->local;                                                  \
	if (UNLIKELY(!local_reaches(w, &e, sizeof(T))))                                        \
		return false;                                                                  \
	if (e.low == e.high && sizeof(T) >= 4) {                                               \
		u32 *to = words + e.low / 4 * WARP_LANES;                                      \
		EACH_LANE to[l] = mask & lane_bit[l] ? (u32)s[l] : to[l];                      \
		if (sizeof(T) == 8)                                                            \
			EACH_LANE to[l + 32] = mask & lane_bit[l] ? (u32)((u64)s[l] >> 32) : to[l + 32]; \
		return true;                                                                   \
	}                                                                                      \
	for (u32 left = mask; left; left &= left - 1) {                                        \
		const u32 l = (u32)__builtin_ctz(left);                                        \
		u32 *to = words + address[l] / 4 * WARP_LANES + l;                             \
		const u32 shift = sizeof(T) < 4 ? (u32)(address[l] % 4 * 8) : 0;               \
		const u32 bits = (u32)(T)UINT64_MAX << shift;                                  \
		*to = (*to & ~bits) | ((u32)s[l] << shift & bits);                             \
		if (sizeof(T) == 8)                                                            \
			to[WARP_LANES] = (u32)((u64)s[l] >> 32);                               \
	}                                                                                      \
	return true;

#define STORE_LOCAL_WIDTH(NAME, T, R, WIDE)                                                    \
	ALWAYS_INLINE bool NAME##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask) \
	{                                                                                      \
		STORE_LOCAL(T, R, WIDE)                                                        \
	}                                                                                      \
	FAST_OR(NAME, store_lanes(w, i, rows, mask, WIDE, SPACE_LOCAL, sizeof(T), 8 * sizeof(R)))
#define STORE_LOCAL_SCALAR(NAME, T, R)                                                                 \
	STORE_LOCAL_WIDTH(NAME##_64, T, R, true)                                                       \
	STORE_LOCAL_WIDTH(NAME##_32, T, R, false)
#define STORE_WIDTH(NAME, SPACE, T, R, WIDE)                                                           \
	ACCESS_WIDTH(NAME, STORE_ROW(SPACE, T, R, WIDE), STORE_SHAPE(SPACE, T, R, WIDE),               \
		     store_lanes(w, i, rows, mask, WIDE, SPACE, sizeof(T), 8 * sizeof(R)))
#define STORE(NAME, SPACE, T, R)                                                                       \
	STORE_WIDTH(NAME##_64, SPACE, T, R, true)                                                      \
	STORE_WIDTH(NAME##_32, SPACE, T, R, false)

#endif
