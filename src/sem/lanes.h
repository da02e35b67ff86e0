/* SPDX-License-Identifier: Apache-2.0
 *
 * The machinery that turns one expression over lanes into handlers. Included by every family.
 *
 * The families are compiled once for each vector width (SEM_VARIANT), so everything here is
 * static or carries the variant's name; the loops are plain C that the compiler vectorises.
 * Rule: compute every lane, then merge by the mask; what can trap checks first.
 *
 * Expressions see `a`, `b`, `c` as values of the operand types given, and must have no effects.
 */
#ifndef PTXSIM_SEM_LANES_H
#define PTXSIM_SEM_LANES_H

#include <string.h>
#if defined __SSE2__
#include <immintrin.h>
#endif

#include "exec/gang.h"
#include "exec/run.h"
#include "exec/warp.h"
#include "sem/host_floats.h"

#define SEM_JOIN2(a, b) a##_##b
#define SEM_JOIN(a, b)  SEM_JOIN2(a, b)
#define SEM_NAME(name)  SEM_JOIN(name, SEM_VARIANT)

#define LIKELY(x)     __builtin_expect(!!(x), 1)
#define UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
/* A function in its own right, so that its caller's common way needs no stack frame. */
#define SEPARATE static __attribute__((noinline))
/* Lanes never depend on each other; it is harmless if the compiler still fails to vectorise a loop. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < WARP_LANES; l++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < WARP_LANES; l++)
#endif

/* Bit l of a mask, as a vector constant: testing against it is one instruction on every host. */
#define BIT4(n)  1u << (n), 1u << ((n) + 1), 1u << ((n) + 2), 1u << ((n) + 3)
#define BIT16(n) BIT4(n), BIT4((n) + 4), BIT4((n) + 8), BIT4((n) + 12)
static const u32 lane_bit[WARP_LANES] __attribute__((aligned(64), unused)) = {BIT16(0), BIT16(16)};
/* The same in 64-bit lanes: mixing widths in one loop would cost shuffles. */
#define BIT4L(n)  1ull << (n), 1ull << ((n) + 1), 1ull << ((n) + 2), 1ull << ((n) + 3)
#define BIT16L(n) BIT4L(n), BIT4L((n) + 4), BIT4L((n) + 8), BIT4L((n) + 12)
static const u64 lane_bit64[WARP_LANES] __attribute__((aligned(64), unused)) = {BIT16L(0), BIT16L(16)};

/* How a value of a type stands in its row: lanes are 32 or 64 bits wide (or 128), narrow values
 * zero-extended. ROW_x is the lane's C type, LOAD_x(lane) gives the value, KEEP_x(value) the lane. */
#define ROW_u8       u32
#define ROW_s8       u32
#define ROW_b8       u32
#define ROW_u16      u32
#define ROW_s16      u32
#define ROW_b16      u32
#define ROW_u32      u32
#define ROW_s32      s32
#define ROW_b32      u32
#define ROW_u64      u64
#define ROW_s64      s64
#define ROW_b64      u64
#define ROW_f32      f32
#define ROW_f64      f64
#define ROW_b128     u128
#define KEEP_u8(v)   ((u32)(u8)(v))
#define KEEP_s8(v)   ((u32)(u8)(v))
#define KEEP_b8(v)   ((u32)(u8)(v))
#define KEEP_u16(v)  ((u32)(u16)(v))
#define KEEP_s16(v)  ((u32)(u16)(v))
#define KEEP_b16(v)  ((u32)(u16)(v))
#define KEEP_u32(v)  ((u32)(v))
#define KEEP_s32(v)  ((s32)(v))
#define KEEP_b32(v)  ((u32)(v))
#define KEEP_u64(v)  ((u64)(v))
#define KEEP_s64(v)  ((s64)(v))
#define KEEP_b64(v)  ((u64)(v))
#define KEEP_f32(v)  (v)
#define KEEP_f64(v)  (v)
#define KEEP_b128(v) (v)
typedef u8 b8;
typedef u16 b16;
typedef u32 b32;
typedef u64 b64;
typedef u128 b128;
#define LOAD(T, lane) ((T)(lane))

#define ROW_OF(T, offset) ((ROW_##T *)__builtin_assume_aligned(rows + (offset), 64))
#define PRED_OF(offset)   (*(u32 *)(rows + (offset)))
/* Source predicate number k of the instruction, negated if the text says so. */
#define PRED_SOURCE(i, offset, k) (PRED_OF(offset) ^ (0u - ((u32)(i)->aux >> (k)&1u)))

static inline void pred_write(u8 *rows, u32 offset, u32 mask, u32 value)
{
	if (offset != NO_OPERAND)
		PRED_OF(offset) = (PRED_OF(offset) & ~mask) | (value & mask);
}

/* One bit from each lane's truth: t[l] is 0 or -1. */
static inline u32 pack_lanes32(const s32 t[WARP_LANES])
{
#if defined __AVX512F__ && defined __AVX512DQ__
	const __m512i low = _mm512_load_si512(t), high = _mm512_load_si512(t + 16);
	return (u32)_mm512_movepi32_mask(low) | (u32)_mm512_movepi32_mask(high) << 16;
#elif defined __AVX2__
	u32 m = 0;
	for (int k = 0; k < 4; k++)
		m |= (u32)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_load_si256((const __m256i *)(t + 8 * k))))
		     << 8 * k;
	return m;
#elif defined __SSE2__
	u32 m = 0;
	for (int k = 0; k < 8; k++)
		m |= (u32)_mm_movemask_ps(_mm_castsi128_ps(_mm_load_si128((const __m128i *)(t + 4 * k)))) << 4 * k;
	return m;
#else
	u32 m = 0;
	for (int l = 0; l < WARP_LANES; l++)
		m |= (u32)(t[l] & 1) << l;
	return m;
#endif
}
static inline u32 pack_lanes64(const s64 t[WARP_LANES])
{
#if defined __AVX512F__ && defined __AVX512DQ__
	u32 m = 0;
	for (int k = 0; k < 4; k++)
		m |= (u32)_mm512_movepi64_mask(_mm512_load_si512(t + 8 * k)) << 8 * k;
	return m;
#elif defined __AVX2__
	u32 m = 0;
	for (int k = 0; k < 8; k++)
		m |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_load_si256((const __m256i *)(t + 4 * k))))
		     << 4 * k;
	return m;
#else
	u32 m = 0;
	for (int l = 0; l < WARP_LANES; l++)
		m |= (u32)(t[l] & 1) << l;
	return m;
#endif
}

/* Whether lane l is of the mask, tested in a vector of the width of the lanes of type T. */
#define LANE_SET(bytes, m, l) ((bytes) == 8 ? ((u64)(m)&lane_bit64[l]) != 0 : ((m)&lane_bit[l]) != 0)
#define LANE_ON(T, m, l)      LANE_SET(sizeof(ROW_##T), m, l)

/* Under which the native tier finds NAME_run in the bitcode of its family. */
#define MEANING_NAME(NAME) __FILE__ ":" #NAME
#define MEANING_FUNCTION(NAME) \
	static const struct insn *NAME##_run(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
#define MEANING(NAME) static const struct meaning NAME = {.run = NAME##_run, .name = MEANING_NAME(NAME)}
/* Lane by lane and without faults: a gang runs it warp by warp. */
#define MEANING_EACH(NAME) \
	static const struct meaning NAME = {.run = NAME##_run, .gang = gang_each, .name = MEANING_NAME(NAME)}
/* It may fault, and can then run again: see gang_step. */
#define MEANING_STEP(NAME) \
	static const struct meaning NAME = {.run = NAME##_run, .gang = gang_step, .name = MEANING_NAME(NAME)}
/* With a handler of its own for gangs. */
#define GANG_FUNCTION(NAME) static const struct insn *NAME##_gang(struct gang *g, const struct insn *i)
#define MEANING_GANG(NAME) \
	static const struct meaning NAME = {.run = NAME##_run, .gang = NAME##_gang, .name = MEANING_NAME(NAME)}

static __attribute__((noinline, unused)) const struct insn *lane_run_switched(struct warp *w, const struct insn *i,
									      u8 *rows, u32 mask, meaning_fn *run)
{
	fp_switch(w->worker, i->fp);
	return run(w, i, rows, mask);
}

/* Makes a gang's floating-point mode the instruction's, and runs it again. */
static __attribute__((noinline, unused)) const struct insn *gang_run_switched(struct gang *g, const struct insn *i,
									      gang_fn *run)
{
	fp_switch(g->worker, i->fp);
	return run(g, i);
}

/* --- From an expression to handlers ---
 *
 *     LANE2(add_32, u32, u32, u32, a + b);
 *
 * defines add_32_values(), which computes the expression for all 32 lanes and is the only place where it stands; three
 * handlers, which inline it and differ in whose lanes they write:
 *
 *     add_32_run     one warp: the lanes of a mask
 *     add_32_gang    all warps of a gang, with all their lanes
 *     add_32_some    the warps and lanes of a gang that take part (gang->on) where its lanes went different ways
 *
 * and add_32, the struct meaning that holds them. With all macros replaced, the first two are:
 *
 *     void add_32_values(const struct insn *i, const u8 *rows, void *row)
 *     {
 *             u32 *const d = row;
 *             const u32 *const pa = rows + i->a, *const pb = rows + i->b;          ROWS2
 *             for (int l = 0; l < 32; l++) {                                       EACH_LANE
 *                     const u32 a = pa[l], b = pb[l];                              LANES2
 *                     d[l] = (u32)(a + b);                                         KEEP_u32
 *             }
 *     }
 *     const struct insn *add_32_run(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
 *     {
 *             if (mask == FULL_MASK)
 *                     add_32_values(i, rows, rows + i->d);
 *             else                                                                 add_32_merged: into a row of its own,
 *                     ...                                                          then merge_row by the mask
 *             return i + 1;
 *     }
 *
 * Everything that a lane-wise handler calls is inlined, however large, or its loop is not vector code; gcc does so for calls
 * that stand in the handler itself, not for those by a pointer. */
#ifdef SEM_NATIVE
/* A native region runs under one mode, which it makes sure of where it begins. */
#define OTHER_MODE(of, i) (native_under_mode(), false)
#else
#define OTHER_MODE(of, i) ((of)->worker->fp != (i)->fp)
#endif
#define LANE_FUNCTION(NAME) __attribute__((flatten)) MEANING_FUNCTION(NAME)
#define LANE_GANG(NAME)     __attribute__((flatten)) GANG_FUNCTION(NAME)
#define LANE_SOME(NAME) \
	__attribute__((flatten)) SEPARATE const struct insn *NAME##_some(struct gang *g, const struct insn *i)

#if defined __AVX512F__ && defined __AVX512BW__
ALWAYS_INLINE void merge_words(void *d, const void *kept, __mmask16 words)
{
	_mm512_store_si512(d, _mm512_mask_mov_epi32(_mm512_load_si512(d), words, _mm512_load_si512(kept)));
}
ALWAYS_INLINE void merge_pairs(void *d, const void *kept, __mmask8 pairs)
{
	_mm512_store_si512(d, _mm512_mask_mov_epi64(_mm512_load_si512(d), pairs, _mm512_load_si512(kept)));
}
#endif

/* Lane l of d becomes that of `kept` if `is_on`. Both are read first: of a choice between them clang makes one of their
 * addresses, and a gather. */
#define MERGED_LANE(T, d, kept, is_on)                                     \
	const T old_ = ((const T *)(d))[l], new_ = ((const T *)(kept))[l]; \
	((T *)(d))[l] = (is_on) ? new_ : old_

/* Lane l of `row` becomes that of `kept` where the mask says so. bytes of a lane: 4, 8 or 16. */
ALWAYS_INLINE void merge_row(void *row, const void *kept, u32 bytes, u32 mask)
{
	void *const d = __builtin_assume_aligned(row, 64);
#if defined __AVX512F__ && defined __AVX512BW__
	if (bytes == 4) {
		merge_words(d, kept, (__mmask16)mask);
		merge_words((u8 *)d + 64, (const u8 *)kept + 64, (__mmask16)(mask >> 16));
	}
	for (u32 k = 0; bytes == 8 && k < 4; k++)
		merge_pairs((u8 *)d + 64 * k, (const u8 *)kept + 64 * k, (__mmask8)(mask >> 8 * k));
#else
	if (bytes == 4)
		EACH_LANE {
			MERGED_LANE(u32, d, kept, mask & lane_bit[l]);
		}
	if (bytes == 8)
		EACH_LANE {
			MERGED_LANE(u64, d, kept, mask & lane_bit64[l]);
		}
#endif
	if (bytes == 16)
		EACH_LANE {
			MERGED_LANE(u128, d, kept, mask & lane_bit[l]);
		}
}

/* d[l] = value[l] for the lanes of the mask. */
static inline __attribute__((unused)) void write_lanes(u32 *restrict d, const u32 *restrict value, u32 mask)
{
	if (LIKELY(mask == FULL_MASK))
		EACH_LANE
			d[l] = value[l];
	else
		EACH_LANE {
			MERGED_LANE(u32, d, value, mask & lane_bit[l]);
		}
}

/* An instruction's operands a, b, c as rows pa, pb, pc, and their values in a lane. */
#define ROWS1(TA) const ROW_##TA *const pa = ROW_OF(TA, i->a)
#define ROWS2(TA, TB) \
	ROWS1(TA);    \
	const ROW_##TB *const pb = ROW_OF(TB, i->b)
#define ROWS3(TA, TB, TC) \
	ROWS2(TA, TB);    \
	const ROW_##TC *const pc = ROW_OF(TC, i->c)
#define LANES1(TA) const TA a = (TA)pa[l]
#define LANES2(TA, TB) \
	LANES1(TA);    \
	const TB b = (TB)pb[l]
#define LANES3(TA, TB, TC) \
	LANES2(TA, TB);    \
	const TC c = (TC)pc[l]

/* The same under the instruction's floating-point mode, which may flush operands. */
#define FLANES1(TA) const TA a = SEEN(i, (TA)pa[l])
#define FLANES2(TA, TB) \
	FLANES1(TA);    \
	const TB b = SEEN(i, (TB)pb[l])
#define FLANES3(TA, TB, TC) \
	FLANES2(TA, TB);    \
	const TC c = SEEN(i, (TC)pc[l])

/* NAME_values: the values of all lanes, into a row. NAME_merged: into the destination, by a mask, in a loop of its own:
 * within the first, the compiler would compute under the condition, lane by lane. */
#define LANE_VALUES(NAME, TD, ROWS, LANES, EXPR)                                          \
	ALWAYS_INLINE void NAME##_values(const struct insn *i, const u8 *rows, void *row) \
	{                                                                                 \
		ROW_##TD *const d = __builtin_assume_aligned(row, 64);                    \
		ROWS;                                                                     \
		(void)i;                                                                  \
		EACH_LANE {                                                               \
			LANES;                                                            \
			d[l] = KEEP_##TD(EXPR);                                           \
		}                                                                         \
	}
#define LANE_MERGED(NAME, RD)                                                      \
	ALWAYS_INLINE void NAME##_merged(const struct insn *i, u8 *rows, u32 mask) \
	{                                                                          \
		RD kept[WARP_LANES] __attribute__((aligned(64)));                  \
		NAME##_values(i, rows, kept);                                      \
		merge_row(rows + i->d, kept, sizeof kept[0], mask);                \
	}

#define LANE_RUN(NAME)                                       \
	LANE_FUNCTION(NAME)                                  \
	{                                                    \
		(void)w;                                     \
		if (LIKELY(mask == FULL_MASK))               \
			NAME##_values(i, rows, rows + i->d); \
		else                                         \
			NAME##_merged(i, rows, mask);        \
		return i + 1;                                \
	}
/* Under the instruction's floating-point mode. The rare switch is a call in tail position, so the usual way has no
 * registers to save. */
#define FLANE_RUN(NAME)                                                         \
	LANE_FUNCTION(NAME)                                                     \
	{                                                                       \
		if (UNLIKELY(OTHER_MODE(w, i)))                                 \
			return lane_run_switched(w, i, rows, mask, NAME##_run); \
		if (LIKELY(mask == FULL_MASK))                                  \
			NAME##_values(i, rows, rows + i->d);                    \
		else                                                            \
			NAME##_merged(i, rows, mask);                           \
		return i + 1;                                                   \
	}
/* Gangs copy the instruction: for all that the compiler knows, stores to rows could change it. */
#define LANE_SOME_RUN(NAME)                                    \
	LANE_SOME(NAME)                                        \
	{                                                      \
		const struct insn own = *i;                    \
		EACH_MEMBER (g, m)                             \
			NAME##_merged(&own, m->rows, m->mask); \
		return i + 1;                                  \
	}
#define LANE_GANG_RUN(NAME, SOME)                                \
	LANE_GANG(NAME)                                          \
	{                                                        \
		const struct insn own = *i;                      \
		if (UNLIKELY(g->on != NULL))                     \
			return SOME(g, i);                       \
		EACH_WARP (g)                                    \
			NAME##_values(&own, rows, rows + own.d); \
		return i + 1;                                    \
	}
#define FLANE_GANG_RUN(NAME, SOME)                                   \
	LANE_GANG(NAME)                                              \
	{                                                            \
		const struct insn own = *i;                          \
		if (UNLIKELY(OTHER_MODE(g, &own)))                   \
			return gang_run_switched(g, i, NAME##_gang); \
		if (UNLIKELY(g->on != NULL))                         \
			return SOME(g, i);                           \
		EACH_WARP (g)                                        \
			NAME##_values(&own, rows, rows + own.d);     \
		return i + 1;                                        \
	}

/* A family whose expressions are so large that dispatch does not matter defines LANES_LARGE: one handler each. */
#if defined LANES_LARGE || defined SEM_NATIVE
#define LANE_HANDLERS_WORD(NAME, TD, WORD) \
	LANE_MERGED(NAME, ROW_##TD)        \
	LANE_RUN(NAME) static const struct meaning NAME = {.run = NAME##_run, .gang = gang_each, .word = (WORD)}
#define LANE_HANDLERS(NAME, TD)  LANE_MERGED(NAME, ROW_##TD) LANE_RUN(NAME) MEANING_EACH(NAME)
#define FLANE_HANDLERS(NAME, TD) LANE_MERGED(NAME, ROW_##TD) FLANE_RUN(NAME) MEANING_EACH(NAME)
#else
#define MEANING_GANG_WORD(NAME, WORD)        \
	static const struct meaning NAME = { \
		.run = NAME##_run, .gang = NAME##_gang, .word = (WORD), .name = MEANING_NAME(NAME)}
#define LANE_HANDLERS_WORD(NAME, TD, WORD) \
	LANE_MERGED(NAME, ROW_##TD)        \
	LANE_RUN(NAME)                     \
	LANE_SOME_RUN(NAME)                \
	LANE_GANG_RUN(NAME, NAME##_some)   \
	MEANING_GANG_WORD(NAME, WORD)
#define LANE_HANDLERS(NAME, TD) LANE_HANDLERS_WORD(NAME, TD, NULL)
#define FLANE_HANDLERS(NAME, TD)          \
	LANE_MERGED(NAME, ROW_##TD)       \
	FLANE_RUN(NAME)                   \
	LANE_SOME_RUN(NAME)               \
	FLANE_GANG_RUN(NAME, NAME##_some) \
	MEANING_GANG(NAME)
#endif

/* LANEn(name, type of d, types of the n sources, expression): integer and bit operations. LANE1_WORD: the same with
 * the word that a form gives in insn.imm. */
#define LANE1_WORD(NAME, TD, TA, WORD, EXPR) \
	LANE_VALUES(NAME, TD, ROWS1(TA), LANES1(TA), EXPR) LANE_HANDLERS_WORD(NAME, TD, WORD)
#define LANE1(NAME, TD, TA, EXPR)     LANE_VALUES(NAME, TD, ROWS1(TA), LANES1(TA), EXPR) LANE_HANDLERS(NAME, TD)
#define LANE2(NAME, TD, TA, TB, EXPR) LANE_VALUES(NAME, TD, ROWS2(TA, TB), LANES2(TA, TB), EXPR) LANE_HANDLERS(NAME, TD)
#define LANE3(NAME, TD, TA, TB, TC, EXPR) \
	LANE_VALUES(NAME, TD, ROWS3(TA, TB, TC), LANES3(TA, TB, TC), EXPR) LANE_HANDLERS(NAME, TD)
/* FLANEn: the same under the instruction's floating-point mode; host float operations allowed. */
#define FLANE1(NAME, TD, TA, EXPR) LANE_VALUES(NAME, TD, ROWS1(TA), FLANES1(TA), EXPR) FLANE_HANDLERS(NAME, TD)
#define FLANE2(NAME, TD, TA, TB, EXPR) \
	LANE_VALUES(NAME, TD, ROWS2(TA, TB), FLANES2(TA, TB), EXPR) FLANE_HANDLERS(NAME, TD)
#define FLANE3(NAME, TD, TA, TB, TC, EXPR) \
	LANE_VALUES(NAME, TD, ROWS3(TA, TB, TC), FLANES3(TA, TB, TC), EXPR) FLANE_HANDLERS(NAME, TD)

typedef u32 truth_fn(const struct insn *i, const u8 *rows);

/* PLANEn_w(name, types of the n sources, truth): writes predicate d. w, 32 or 64, is the sources' width: the truth of a
 * lane has it too, so that the comparison stays in one vector width. FPLANEn_w: under the floating-point mode. */
#define PLANE_TRUTH(NAME, W, ROWS, LANES, EXPR)                              \
	ALWAYS_INLINE u32 NAME##_truth(const struct insn *i, const u8 *rows) \
	{                                                                    \
		s##W t[WARP_LANES] __attribute__((aligned(64)));             \
		ROWS;                                                        \
		EACH_LANE {                                                  \
			LANES;                                               \
			t[l] = (EXPR) ? -1 : 0;                              \
		}                                                            \
		return pack_lanes##W(t);                                     \
	}
#define PLANE_RUN(NAME)                                              \
	LANE_FUNCTION(NAME)                                          \
	{                                                            \
		(void)w;                                             \
		pred_write(rows, i->d, mask, NAME##_truth(i, rows)); \
		return i + 1;                                        \
	}
#define FPLANE_RUN(NAME)                                                        \
	LANE_FUNCTION(NAME)                                                     \
	{                                                                       \
		if (UNLIKELY(OTHER_MODE(w, i)))                                 \
			return lane_run_switched(w, i, rows, mask, NAME##_run); \
		pred_write(rows, i->d, mask, NAME##_truth(i, rows));            \
		return i + 1;                                                   \
	}
ALWAYS_INLINE const struct insn *plane_gang(struct gang *g, const struct insn *i, truth_fn *truth)
{
	const struct insn own = *i;

	if (UNLIKELY(g->on != NULL)) {
		EACH_MEMBER (g, m)
			pred_write(m->rows, own.d, m->mask, truth(&own, m->rows));
		return i + 1;
	}
	EACH_WARP (g)
		pred_write(rows, own.d, FULL_MASK, truth(&own, rows));
	return i + 1;
}
ALWAYS_INLINE const struct insn *fplane_gang(struct gang *g, const struct insn *i, truth_fn *truth, gang_fn *gang)
{
	return UNLIKELY(OTHER_MODE(g, i)) ? gang_run_switched(g, i, gang) : plane_gang(g, i, truth);
}
#define PLANE_HANDLERS(NAME)                                           \
	PLANE_RUN(NAME)                                                \
	GANG_FUNCTION(NAME) { return plane_gang(g, i, NAME##_truth); } \
	MEANING_GANG(NAME)
#define FPLANE_HANDLERS(NAME)                                                        \
	FPLANE_RUN(NAME)                                                             \
	GANG_FUNCTION(NAME) { return fplane_gang(g, i, NAME##_truth, NAME##_gang); } \
	MEANING_GANG(NAME)
#define PLANE1(W, NAME, TA, EXPR)      PLANE_TRUTH(NAME, W, ROWS1(TA), LANES1(TA), EXPR) PLANE_HANDLERS(NAME)
#define PLANE2(W, NAME, TA, TB, EXPR)  PLANE_TRUTH(NAME, W, ROWS2(TA, TB), LANES2(TA, TB), EXPR) PLANE_HANDLERS(NAME)
#define FPLANE2(W, NAME, TA, TB, EXPR) PLANE_TRUTH(NAME, W, ROWS2(TA, TB), FLANES2(TA, TB), EXPR) FPLANE_HANDLERS(NAME)
#define PLANE1_32(NAME, TA, EXPR)      PLANE1(32, NAME, TA, EXPR)
#define PLANE1_64(NAME, TA, EXPR)      PLANE1(64, NAME, TA, EXPR)
#define PLANE2_32(NAME, TA, TB, EXPR)  PLANE2(32, NAME, TA, TB, EXPR)
#define PLANE2_64(NAME, TA, TB, EXPR)  PLANE2(64, NAME, TA, TB, EXPR)
#define FPLANE2_32(NAME, TA, TB, EXPR) FPLANE2(32, NAME, TA, TB, EXPR)
#define FPLANE2_64(NAME, TA, TB, EXPR) FPLANE2(64, NAME, TA, TB, EXPR)

/* For handlers of more operands or results than three: row d, of type TD, becomes the expression of each lane. */
#define LANE_BODY(TD, LANES, EXPR)                                          \
	{                                                                   \
		ROW_##TD kept[WARP_LANES] __attribute__((aligned(64)));     \
		ROW_##TD *const out = LIKELY(mask == FULL_MASK) ? d : kept; \
		EACH_LANE {                                                 \
			LANES;                                              \
			out[l] = KEEP_##TD(EXPR);                           \
		}                                                           \
		if (UNLIKELY(mask != FULL_MASK))                            \
			merge_row(d, kept, sizeof kept[0], mask);           \
	}

/* A row of the instruction table. Stands next to the meanings it names. FLAGS: those of isa_flag, and WITH() traits. */
#define ROW(FORM, OPERANDS, PTX, SM, FLAGS, PICK, DOC) ROW_UNTIL(0, FORM, OPERANDS, PTX, SM, FLAGS, PICK, DOC)
#define ROW_UNTIL(UNTIL, FORM, OPERANDS, PTX, SM, FLAGS, PICK, DOC)                                \
	{                                                                                          \
		FORM, OPERANDS, PTX, SM, (u32)(FLAGS), PICK, DOC, UNTIL, (u32)((u64)(FLAGS) >> 32) \
	}
#define FAMILY(NAME, HEADING, CLASS, ROWS) \
	const struct isa_family SEM_NAME(NAME) = {HEADING, CLASS, ROWS, COUNT_OF(ROWS)}

#endif
