/* SPDX-License-Identifier: Apache-2.0
 *
 * The machinery that turns one expression over lanes into a meaning. Included by every family.
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

#define SEM_JOIN2(a, b) a##_##b
#define SEM_JOIN(a, b)  SEM_JOIN2(a, b)
#define SEM_NAME(name)  SEM_JOIN(name, SEM_VARIANT)

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
/* A function in its own right, so that its caller's common way needs no stack frame. */
#define SEPARATE      static __attribute__((noinline))
/* Lanes never depend on each other; a loop that the compiler cannot vectorise all the same is no fault. */
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
#define BIT4L(n) 1ull << (n), 1ull << ((n) + 1), 1ull << ((n) + 2), 1ull << ((n) + 3)
#define BIT16L(n) BIT4L(n), BIT4L((n) + 4), BIT4L((n) + 8), BIT4L((n) + 12)
static const u64 lane_bit64[WARP_LANES] __attribute__((aligned(64), unused)) = {BIT16L(0), BIT16L(16)};

/* How a value of a type stands in its row: lanes are 32 or 64 bits wide (or 128), narrow values
 * zero-extended. ROW_x is the lane's C type, LOAD_x(lane) gives the value, KEEP_x(value) the lane. */
#define ROW_u8    u32
#define ROW_s8    u32
#define ROW_b8    u32
#define ROW_u16   u32
#define ROW_s16   u32
#define ROW_b16   u32
#define ROW_u32   u32
#define ROW_s32   s32
#define ROW_b32   u32
#define ROW_u64   u64
#define ROW_s64   s64
#define ROW_b64   u64
#define ROW_f32   f32
#define ROW_f64   f64
#define ROW_b128  u128
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
#define PRED_SOURCE(i, offset, k) (PRED_OF(offset) ^ (0u - ((u32)(i)->aux >> (k) & 1u)))

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
		m |= (u32)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_load_si256((const __m256i *)(t + 8 * k)))) << 8 * k;
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
		m |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_load_si256((const __m256i *)(t + 4 * k)))) << 4 * k;
	return m;
#else
	u32 m = 0;
	for (int l = 0; l < WARP_LANES; l++)
		m |= (u32)(t[l] & 1) << l;
	return m;
#endif
}

/* Width of a lane, for choosing the mask vector of the same width. */
#define LANE_ON(T, m, l) (sizeof(ROW_##T) == 8 ? ((u64)(m) & lane_bit64[l]) != 0 : ((m) & lane_bit[l]) != 0)

#define MEANING_FUNCTION(NAME)                                                                         \
	static const struct insn *NAME##_run(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
#define MEANING(NAME) static const struct meaning NAME = {.run = NAME##_run}
/* Lane by lane and without faults: a gang runs it warp by warp. */
#define MEANING_EACH(NAME) static const struct meaning NAME = {.run = NAME##_run, .gang = gang_each}
/* It may fault, and can then run again: see gang_step. */
#define MEANING_STEP(NAME) static const struct meaning NAME = {.run = NAME##_run, .gang = gang_step}
/* With a handler of its own for gangs. */
#define GANG_FUNCTION(NAME)   static const struct insn *NAME##_gang(struct gang *g, const struct insn *i)
#define MEANING_GANG(NAME)    static const struct meaning NAME = {.run = NAME##_run, .gang = NAME##_gang}

static __attribute__((noinline, unused)) const struct insn *
lane_run_switched(struct warp *w, const struct insn *i, u8 *rows, u32 mask, meaning_fn *run)
{
	fp_switch(w->worker, i->fp);
	return run(w, i, rows, mask);
}

/* Makes a gang's floating-point mode the instruction's, and runs it again. */
static __attribute__((noinline, unused)) const struct insn *
gang_run_switched(struct gang *g, const struct insn *i, gang_fn *run)
{
	fp_switch(g->worker, i->fp);
	return run(g, i);
}

/* A meaning over lanes: everything it calls is inlined, however large, or the loop is no vector code. */
#define LANE_FUNCTION(NAME) __attribute__((flatten)) MEANING_FUNCTION(NAME)
#define LANE_GANG(NAME)     __attribute__((flatten)) GANG_FUNCTION(NAME)

/* d[l] becomes kept[l] for the lanes of a mask; lanes are 4 or 8 bytes wide, or more. */
#if defined __AVX512F__ && defined __AVX512BW__
ALWAYS_INLINE void merge_vector(void *d, const void *kept, __mmask16 words)
{
	_mm512_store_si512(d, _mm512_mask_mov_epi32(_mm512_load_si512(d), words, _mm512_load_si512(kept)));
}
ALWAYS_INLINE void merge_vector64(void *d, const void *kept, __mmask8 words)
{
	_mm512_store_si512(d, _mm512_mask_mov_epi64(_mm512_load_si512(d), words, _mm512_load_si512(kept)));
}
#define MERGE(TD, d, kept, mask)                                                                       \
	if (sizeof(ROW_##TD) == 4) {                                                                   \
		merge_vector(d, kept, (__mmask16)(mask));                                              \
		merge_vector((d) + 16, (kept) + 16, (__mmask16)((mask) >> 16));                        \
	} else if (sizeof(ROW_##TD) == 8) {                                                            \
		_Pragma("GCC unroll 4") for (u32 at_ = 0; at_ < WARP_LANES; at_ += 8)                  \
			merge_vector64((d) + at_, (kept) + at_, (__mmask8)((mask) >> at_));            \
	} else {                                                                                       \
		EACH_LANE (d)[l] = LANE_ON(TD, mask, l) ? (kept)[l] : (d)[l];                          \
	}
#else
#define MERGE(TD, d, kept, mask) EACH_LANE (d)[l] = LANE_ON(TD, mask, l) ? (kept)[l] : (d)[l];
#endif

/* Computes all lanes, and merges by mask in a loop of its own: within the first, the compiler would compute
 * under the condition, lane by lane. */
#define LANE_BODY_SOME(TD, LOADS, EXPR)                                                                \
	ROW_##TD kept[WARP_LANES] __attribute__((aligned(64)));                                        \
	EACH_LANE                                                                                      \
	{                                                                                              \
		LOADS;                                                                                 \
		kept[l] = KEEP_##TD(EXPR);                                                             \
	}                                                                                              \
	MERGE(TD, d, kept, mask)
/* The same, into d at once if all lanes are active. */
#define LANE_BODY(TD, LOADS, EXPR)                                                                     \
	if (LIKELY(mask == FULL_MASK)) {                                                               \
		EACH_LANE                                                                              \
		{                                                                                      \
			LOADS;                                                                         \
			d[l] = KEEP_##TD(EXPR);                                                        \
		}                                                                                      \
	} else {                                                                                       \
		LANE_BODY_SOME(TD, LOADS, EXPR)                                                        \
	}

/* The operands of an instruction `at`, which expressions may name too, as rows d, pa, pb, pc, and their values in a lane. */
#define ROWS1(TD, TA) ROW_##TD *d = ROW_OF(TD, at->d); const ROW_##TA *pa = ROW_OF(TA, at->a)
#define ROWS2(TD, TA, TB) ROWS1(TD, TA); const ROW_##TB *pb = ROW_OF(TB, at->b)
#define ROWS3(TD, TA, TB, TC) ROWS2(TD, TA, TB); const ROW_##TC *pc = ROW_OF(TC, at->c)
#define LANES1(TA) const TA a = (TA)pa[l]
#define LANES2(TA, TB) LANES1(TA); const TB b = (TB)pb[l]
#define LANES3(TA, TB, TC) LANES2(TA, TB); const TC c = (TC)pc[l]

/* The handlers of NAME for one warp and for gangs. A gang's instruction is copied, since stores to rows could
 * change it for all that the compiler knows; where not all lanes take part, each warp's mask counts. A family
 * whose expressions are so large that dispatch does not matter defines LANES_LARGE: one function each. */
#define LANE_RUN(NAME, PRE, TD, ROWS, LOADS, EXPR)                                              \
	LANE_FUNCTION(NAME)                                                                    \
	{                                                                                      \
		const struct insn *const at = i;                                               \
		ROWS;                                                                          \
		(void)w;                                                                       \
		PRE;                                                                           \
		LANE_BODY(TD, LOADS, EXPR)                                                     \
		return i + 1;                                                                  \
	}
#ifdef LANES_LARGE
#define LANE_HANDLERS(NAME, PRE, GANG_PRE, TD, ROWS, LOADS, EXPR)                              \
	LANE_RUN(NAME, PRE, TD, ROWS, LOADS, EXPR)                                             \
	MEANING_EACH(NAME)
#else
#define LANE_HANDLERS(NAME, PRE, GANG_PRE, TD, ROWS, LOADS, EXPR)                              \
	LANE_RUN(NAME, PRE, TD, ROWS, LOADS, EXPR)                                             \
	__attribute__((flatten)) SEPARATE const struct insn *NAME##_some(struct gang *g, const struct insn *i) \
	{                                                                                      \
		const struct insn own = *i, *const at = &own;                                  \
		EACH_MEMBER(g, m) {                                                            \
			u8 *const rows = m->rows;                                              \
			const u32 mask = m->mask;                                              \
			ROWS;                                                                  \
			LANE_BODY(TD, LOADS, EXPR)                                             \
		}                                                                              \
		return i + 1;                                                                  \
	}                                                                                      \
	LANE_GANG(NAME)                                                                        \
	{                                                                                      \
		const struct insn own = *i, *const at = &own;                                  \
		GANG_PRE;                                                                      \
		if (UNLIKELY(g->on != NULL))                                                   \
			return NAME##_some(g, i);                                              \
		EACH_WARP(g) {                                                                 \
			ROWS;                                                                  \
			EACH_LANE                                                              \
			{                                                                      \
				LOADS;                                                         \
				d[l] = KEEP_##TD(EXPR);                                        \
			}                                                                      \
		}                                                                              \
		return i + 1;                                                                  \
	}                                                                                      \
	MEANING_GANG(NAME)
#endif

/* LANEn(name, type of d, types of the n sources, expression): integer and bit operations.
 * FLANEn: the same under the instruction's floating-point mode; host float operations allowed. */
#define LANE1_(NAME, PRE, GANG_PRE, TD, TA, EXPR)                                                      \
	LANE_HANDLERS(NAME, PRE, GANG_PRE, TD, ROWS1(TD, TA), LANES1(TA), EXPR)
#define LANE2_(NAME, PRE, GANG_PRE, TD, TA, TB, EXPR)                                                  \
	LANE_HANDLERS(NAME, PRE, GANG_PRE, TD, ROWS2(TD, TA, TB), LANES2(TA, TB), EXPR)
#define LANE3_(NAME, PRE, GANG_PRE, TD, TA, TB, TC, EXPR)                                              \
	LANE_HANDLERS(NAME, PRE, GANG_PRE, TD, ROWS3(TD, TA, TB, TC), LANES3(TA, TB, TC), EXPR)

#define NO_FP   (void)0
#define WITH_FP fp_enter(w, i->fp)
#define GANG_FP(NAME)                                                                                  \
	if (UNLIKELY(g->worker->fp != i->fp))                                                          \
	return gang_run_switched(g, i, NAME##_gang)
/* The same for a whole meaning: the rare switch is a call in tail position, so the usual way has no
 * registers to save. */
#define UNDER_FP(NAME)                                                                                 \
	if (UNLIKELY(w->worker->fp != i->fp))                                                          \
	return lane_run_switched(w, i, rows, mask, NAME##_run)
#define LANE1(NAME, TD, TA, EXPR)          LANE1_(NAME, NO_FP, NO_FP, TD, TA, EXPR)
#define LANE2(NAME, TD, TA, TB, EXPR)      LANE2_(NAME, NO_FP, NO_FP, TD, TA, TB, EXPR)
#define LANE3(NAME, TD, TA, TB, TC, EXPR)  LANE3_(NAME, NO_FP, NO_FP, TD, TA, TB, TC, EXPR)
#define FLANE1(NAME, TD, TA, EXPR)         LANE1_(NAME, UNDER_FP(NAME), GANG_FP(NAME), TD, TA, EXPR)
#define FLANE2(NAME, TD, TA, TB, EXPR)     LANE2_(NAME, UNDER_FP(NAME), GANG_FP(NAME), TD, TA, TB, EXPR)
#define FLANE3(NAME, TD, TA, TB, TC, EXPR) LANE3_(NAME, UNDER_FP(NAME), GANG_FP(NAME), TD, TA, TB, TC, EXPR)

/* PLANE2(name, source types, truth): writes predicate d: setp without a boolean operator.
 * Truth has the sources' width (_32, _64) so that the comparison stays in one vector width. */
#define SOURCE_ROWS1(TA) const ROW_##TA *pa = ROW_OF(TA, at->a)
#define SOURCE_ROWS2(TA, TB) SOURCE_ROWS1(TA); const ROW_##TB *pb = ROW_OF(TB, at->b)
#define PLANE_HANDLERS(NAME, PRE, GANG_PRE, W, ROWS, LOADS, EXPR)                              \
	ALWAYS_INLINE u32 NAME##_truth(const struct insn *i, const struct insn *at, u8 *rows)  \
	{                                                                                      \
		s##W t[WARP_LANES] __attribute__((aligned(64)));                               \
		ROWS;                                                                          \
		(void)i;                                                                       \
		EACH_LANE                                                                      \
		{                                                                              \
			LOADS;                                                                 \
			t[l] = (EXPR) ? -1 : 0;                                                \
		}                                                                              \
		return pack_lanes##W(t);                                                       \
	}                                                                                      \
	MEANING_FUNCTION(NAME)                                                                 \
	{                                                                                      \
		(void)w;                                                                       \
		PRE;                                                                           \
		pred_write(rows, i->d, mask, NAME##_truth(i, i, rows));                        \
		return i + 1;                                                                  \
	}                                                                                      \
	GANG_FUNCTION(NAME)                                                                    \
	{                                                                                      \
		const struct insn own = *i;                                                    \
		GANG_PRE;                                                                      \
		if (UNLIKELY(g->on != NULL)) {                                                 \
			EACH_MEMBER(g, m)                                                      \
				pred_write(m->rows, own.d, m->mask, NAME##_truth(i, &own, m->rows)); \
			return i + 1;                                                          \
		}                                                                              \
		EACH_WARP(g)                                                                   \
			pred_write(rows, own.d, FULL_MASK, NAME##_truth(i, &own, rows));       \
		return i + 1;                                                                  \
	}                                                                                      \
	MEANING_GANG(NAME)
#define PLANE2_(NAME, PRE, GANG_PRE, W, TA, TB, EXPR)                                                  \
	PLANE_HANDLERS(NAME, PRE, GANG_PRE, W, SOURCE_ROWS2(TA, TB), LANES2(TA, TB), EXPR)
#define PLANE2_32(NAME, TA, TB, EXPR)  PLANE2_(NAME, NO_FP, NO_FP, 32, TA, TB, EXPR)
#define PLANE2_64(NAME, TA, TB, EXPR)  PLANE2_(NAME, NO_FP, NO_FP, 64, TA, TB, EXPR)
#define FPLANE2_32(NAME, TA, TB, EXPR) PLANE2_(NAME, UNDER_FP(NAME), GANG_FP(NAME), 32, TA, TB, EXPR)
#define FPLANE2_64(NAME, TA, TB, EXPR) PLANE2_(NAME, UNDER_FP(NAME), GANG_FP(NAME), 64, TA, TB, EXPR)

/* PLANE1: the same for one source: testp. */
#define PLANE1_(NAME, PRE, GANG_PRE, W, TA, EXPR)                                                      \
	PLANE_HANDLERS(NAME, PRE, GANG_PRE, W, SOURCE_ROWS1(TA), LANES1(TA), EXPR)
#define PLANE1_32(NAME, TA, EXPR) PLANE1_(NAME, NO_FP, NO_FP, 32, TA, EXPR)
#define PLANE1_64(NAME, TA, EXPR) PLANE1_(NAME, NO_FP, NO_FP, 64, TA, EXPR)

/* A row of the instruction table. Stands next to the meanings it names. FLAGS: those of isa_flag, and WITH() traits. */
#define ROW(FORM, OPERANDS, PTX, SM, FLAGS, PICK, DOC) ROW_UNTIL(0, FORM, OPERANDS, PTX, SM, FLAGS, PICK, DOC)
#define ROW_UNTIL(UNTIL, FORM, OPERANDS, PTX, SM, FLAGS, PICK, DOC)                                    \
	{FORM, OPERANDS, PTX, SM, (u32)(FLAGS), PICK, DOC, UNTIL, (u32)((u64)(FLAGS) >> 32)}
#define FAMILY(NAME, HEADING, CLASS, ROWS)                                                             \
	const struct isa_family SEM_NAME(NAME) = {HEADING, CLASS, ROWS, COUNT_OF(ROWS)}

#endif
