/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads and stores of one register: for a space, a type in memory and a register width, LOAD_SCALAR and
 * STORE define the meanings for 32- and 64-bit addresses. Included by the family of loads and stores.
 */
#ifndef PTXSIM_SEM_LOAD_STORE_H
#define PTXSIM_SEM_LOAD_STORE_H

#include "sem/access.h"
#ifdef SEM_NATIVE
#include "sem/native_steps.h"
#endif

/* A meaning that tries NAME##_fast first, and where that gives up goes on with LANES. Native code has the first part
 * alone: where NAME_run gives NULL, it calls the interpreter's handler. */
#ifdef SEM_NATIVE
#define LANES_OR_NULL(LANES) NULL
#else
#define LANES_OR_NULL(LANES) LANES
#endif
#define FAST_OR(NAME, LANES)                               \
	MEANING_FUNCTION(NAME)                             \
	{                                                  \
		if (LIKELY(NAME##_fast(w, i, rows, mask))) \
			return i + 1;                      \
		return LANES_OR_NULL(LANES);               \
	}                                                  \
	GANG_FAST(NAME)

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

/* load_row_T_R and its like: T, the type in memory; R, the type that fills the register. */
#define LOAD_TEMPLATE "sem/load_type.h"
#include "sem/each_load.h"

/* Tried as a row of neighbours, then by its shape, then lane by lane. Other shapes than rows stand in a function of
 * their own, whose stack frame the common case would pay for. */
#ifdef SEM_NATIVE
#define ACCESS_FAST(NAME, ROW, SHAPE) \
	ALWAYS_INLINE bool NAME##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask) { return ROW; }
#else
#define ACCESS_FAST(NAME, ROW, SHAPE)                                                                          \
	SEPARATE bool NAME##_shape(struct warp *w, const struct insn *i, u8 *rows, u32 mask) { return SHAPE; } \
	ALWAYS_INLINE bool NAME##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask)               \
	{                                                                                                      \
		return ROW || NAME##_shape(w, i, rows, mask);                                                  \
	}
#endif

#ifdef SEM_NATIVE
#define LOAD_FIRST(T, R, SPACE, WIDE) load_native_##T##_##R(w, i, rows, mask, SPACE, WIDE)
#define STORE_FIRST(T, SPACE, WIDE)   store_native_##T(w, i, rows, mask, SPACE, WIDE)
#else
#define LOAD_FIRST(T, R, SPACE, WIDE) load_row_##T##_##R(w, i, rows, mask, SPACE, WIDE)
#define STORE_FIRST(T, SPACE, WIDE)   store_row_##T(w, i, rows, mask, SPACE, WIDE)
#endif
#define LOAD_WIDTH(NAME, SPACE, T, R, WIDE)                                                                   \
	ACCESS_FAST(NAME, LOAD_FIRST(T, R, SPACE, WIDE), load_shape_##T##_##R(w, i, rows, mask, SPACE, WIDE)) \
	FAST_OR(NAME, load_lanes(w, i, rows, mask, WIDE, SPACE, sizeof(T), SIGNED_##T, 8 * sizeof(R)))
#define LOAD_SCALAR(NAME, SPACE, T, R)           \
	LOAD_WIDTH(NAME##_64, SPACE, T, R, true) \
	LOAD_WIDTH(NAME##_32, SPACE, T, R, false)

#define LOAD_LOCAL_WIDTH(NAME, T, R, WIDE)                                                       \
	ALWAYS_INLINE bool NAME##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask) \
	{                                                                                        \
		return load_local_##T##_##R(w, i, rows, mask, WIDE);                             \
	}                                                                                        \
	FAST_OR(NAME, load_lanes(w, i, rows, mask, WIDE, SPACE_LOCAL, sizeof(T), false, 8 * sizeof(R)))
#define LOAD_LOCAL_SCALAR(NAME, T, R)           \
	LOAD_LOCAL_WIDTH(NAME##_64, T, R, true) \
	LOAD_LOCAL_WIDTH(NAME##_32, T, R, false)

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

/* store_row_T and its like. */
#define MEMORY u8
#include "sem/store_type.h"
#define MEMORY u16
#include "sem/store_type.h"
#define MEMORY u32
#include "sem/store_type.h"
#define MEMORY u64
#include "sem/store_type.h"

#define STORE_WIDTH(NAME, SPACE, T, R, WIDE)                                                           \
	ACCESS_FAST(NAME, STORE_FIRST(T, SPACE, WIDE), store_shape_##T(w, i, rows, mask, SPACE, WIDE)) \
	FAST_OR(NAME, store_lanes(w, i, rows, mask, WIDE, SPACE, sizeof(T), 8 * sizeof(R)))
#define STORE(NAME, SPACE, T, R)                  \
	STORE_WIDTH(NAME##_64, SPACE, T, R, true) \
	STORE_WIDTH(NAME##_32, SPACE, T, R, false)

#define STORE_LOCAL_WIDTH(NAME, T, R, WIDE)                                                      \
	ALWAYS_INLINE bool NAME##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask) \
	{                                                                                        \
		return store_local_##T(w, i, rows, mask, WIDE);                                  \
	}                                                                                        \
	FAST_OR(NAME, store_lanes(w, i, rows, mask, WIDE, SPACE_LOCAL, sizeof(T), 8 * sizeof(R)))
#define STORE_LOCAL_SCALAR(NAME, T, R)           \
	STORE_LOCAL_WIDTH(NAME##_64, T, R, true) \
	STORE_LOCAL_WIDTH(NAME##_32, T, R, false)

#endif
