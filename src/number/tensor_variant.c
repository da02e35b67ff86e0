/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole matrix multiplications: takes operands apart, walks over tiles, and holds the arithmetic of
 * the forms that the matrix unit does not do itself. Compiled once for each vector width, with
 * TENSOR_VARIANT naming the function it defines (tensor_mma_baseline, _avx2, _avx512); results are
 * the same for all.
 */
#include "number/tensor.h"

#include <assert.h>
#include <string.h>

#include "number/half.h"
#include "number/ieee.h"
#include "number/tensor_fused.h"
#include "number/tensor_narrow.h"

#if !defined(__SSE2__)
#include <fenv.h>
#endif

#ifndef TENSOR_VARIANT
#error "TENSOR_VARIANT must name the function to define"
#endif

enum { MAX_TILES = TENSOR_MAX_M / TILE, MAX_PAIRS = 64 };

/* One word of 16 rows (or columns), or of the last 8 and zeros. */
static inline void tile_words(u32 *tile, const u32 *words, u32 rows)
{
	memset(tile, 0, TILE * sizeof *tile);
	memcpy(tile, words, 8 * sizeof *tile);
	if (rows == TILE)
		memcpy(tile + 8, words + 8, 8 * sizeof *tile);
}

/* The places in the group that a metadata nibble names. */
static u32 nibble_first(const struct tensor_form *form, u32 nibble)
{
	return form->group == 2 ? nibble >> 3 & 1 : nibble & 3;
}

static u32 nibble_second(const struct tensor_form *form, u32 nibble)
{
	return form->group == 2 ? nibble >> 3 & 1 : nibble >> 2 & 3;
}

/* Where the halves of 64 bits, a spread group or two of a row, go. */
static inline void wide_store(u32 (*wide)[TILE], u32 word, u32 row, u64 bits)
{
	wide[2 * word][row] = (u32)bits;
	wide[2 * word + 1][row] = (u32)(bits >> 32);
}

/* A stored word is one group of two 16-bit elements in four places. */
static void expand_halves(const struct tensor_form *form, const u32 *stored, const u8 *meta, u32 rows,
			  u32 (*wide)[TILE])
{
	for (u32 w = 0; w < form->a_words; w++) {
		for (u32 row = 0; row < rows; row++) {
			u32 nibble = meta[w * form->m + row];
			u64 word = stored[w * form->m + row];
			wide_store(wide, w, row,
				   (word & 0xffff) << (16 * (nibble & 3)) | (word >> 16) << (16 * (nibble >> 2 & 3)));
		}
	}
}

/* A stored word is two groups of two bytes (or pairs of 4-bit elements) in four places. */
static void expand_bytes(const struct tensor_form *form, const u32 *stored, const u8 *meta, u32 rows, u32 (*wide)[TILE])
{
	for (u32 w = 0; w < form->a_words; w++) {
		for (u32 row = 0; row < rows; row++) {
			u32 low = meta[2 * w * form->m + row];
			u32 high = meta[(2 * w + 1) * form->m + row];
			u32 word = stored[w * form->m + row];
			wide[2 * w][row] = (word & 0xff) << (8 * (low & 3)) | (word >> 8 & 0xff)
										      << (8 * (low >> 2 & 3));
			wide[2 * w + 1][row] =
				(word >> 16 & 0xff) << (8 * (high & 3)) | (word >> 24) << (8 * (high >> 2 & 3));
		}
	}
}

/* A stored word is a group of one 32-bit element in two places. */
static void expand_words(const struct tensor_form *form, const u32 *stored, const u8 *meta, u32 rows, u32 (*wide)[TILE])
{
	for (u32 w = 0; w < form->a_words; w++) {
		for (u32 row = 0; row < rows; row++) {
			u32 at = meta[w * form->m + row] >> 3 & 1;
			wide_store(wide, w, row, (u64)stored[w * form->m + row] << (32 * at));
		}
	}
}

/* Spreads the stored words of 16 rows over all of K, zeros between. */
static void tile_expand(const struct tensor_form *form, const u32 *stored, const u8 *meta, u32 rows, u32 (*wide)[TILE])
{
	u32 bits = tensor_format_bits(form->a);
	if (bits == 32)
		expand_words(form, stored, meta, rows, wide);
	else if (bits == 16)
		expand_halves(form, stored, meta, rows, wide);
	else
		expand_bytes(form, stored, meta, rows, wide);
}

/* The words of 16 rows of A or columns of B, all of K. */
static void tile_load(const struct tensor_form *form, const struct tensor_operands *o, bool is_a, u32 start,
		      u32 (*wide)[TILE])
{
	u32 total = is_a ? form->m : form->n;
	u32 rows = min_u32(total - start, TILE);
	if (is_a && form->sparse) {
		memset(wide, 0, form->b_words * sizeof *wide);
		tile_expand(form, (const u32 *)o->a + start, o->meta + start, rows, wide);
		return;
	}
	const u32 *words = (const u32 *)(is_a ? o->a : o->b) + start;
	for (u32 w = 0; w < form->b_words; w++)
		tile_words(wide[w], words + w * total, rows);
}

/* Where the words of a tile lie: word w of row r at [w * stride + r]. */
struct tile {
	const u32 *words;
	u32 stride, width;
};

/*
 * The words of a tile of A or B, all of K: in place where 16 lie side by side (or 8, if that is all
 * there are and `narrow` allows), else copied into `wide`.
 */
static struct tile tile_find(const struct tensor_form *form, const struct tensor_operands *o, bool is_a, u32 start,
			     bool narrow, u32 (*wide)[TILE])
{
	u32 total = is_a ? form->m : form->n;
	if (!(is_a && form->sparse)) {
		const u32 *words = (const u32 *)(is_a ? o->a : o->b) + start;
		if (total - start >= TILE)
			return (struct tile){words, total, TILE};
		if (total == 8 && narrow)
			return (struct tile){words, 8, 8};
	}
	tile_load(form, o, is_a, start, wide);
	return (struct tile){wide[0], TILE, TILE};
}

/*
 * Places of sparse rows that hold no element. The emulated fp8 forms have words of even number
 * first.
 */
static void factors_mark_absent(struct factors *f, const struct tensor_form *form, const u8 *meta, u32 halves)
{
	u32 per_word = 32 / tensor_format_bits(form->a), words = form->b_words / halves;
	for (u32 k = 0; k < form->k; k++) {
		u32 w = k / per_word, at = k % form->group;
		u32 place = w % halves * (form->k / halves) + k % per_word * words + w / halves;
		const u8 *nibbles = meta + k / form->group * form->m;
		for (u32 row = 0; row < TILE; row++) {
			if (nibble_first(form, nibbles[row]) != at && nibble_second(form, nibbles[row]) != at)
				f->data[place * TILE + row] = EXP_ABSENT;
		}
	}
}

/*
 * Takes apart `words` words of a tile, every `step`th from the first on; places are element in
 * word, then word.
 */
static inline __attribute__((always_inline)) void factors_decode(struct factors *f, const struct tile *t, u32 place,
								 u32 words, u32 step, struct float_layout layout,
								 u32 skip, u32 sig_bits)
{
	u32 bits = layout.fraction_bits + layout.exponent_bits + 1 + skip;
	u32 row_step = t->width < LANES ? LANES / t->width : 1;
	vs32 special[TILE / LANES] = {{0}};
	for (u32 w = 0; w < words; w += row_step) {
		for (u32 row = 0; row < t->width; row += LANES) {
			vu32 x = (vu32)vs32_load(t->words + (size_t)w * step * t->stride + row);
			for (u32 i = 0; i < 32 / bits; i++) {
				s32 *at = f->data + (size_t)(place + i * words + w) * t->width + row;
				special[row / LANES] |=
					factor_decode(at, f->plane, x >> (i * bits + skip), &layout, sig_bits);
			}
		}
	}
	for (u32 row = 0; row < TILE; row += LANES)
		vs32_store(&f->special[row], vs32_load(&f->special[row]) | special[row / LANES]);
}

/* The formats' layouts as constants, so that each has its own code. */
static __attribute__((noinline)) void factors_decode_as(struct factors *f, const struct tile *t, u32 place, u32 words,
							u32 step, enum tensor_format format, bool normalise,
							u32 sig_bits)
{
	switch (format) {
	case TENSOR_F16:
		factors_decode(f, t, place, words, step, (struct float_layout){10, 5, 15, true, false}, 0, sig_bits);
		break;
	case TENSOR_BF16:
		factors_decode(f, t, place, words, step, (struct float_layout){7, 8, 127, true, false}, 0, sig_bits);
		break;
	case TENSOR_TF32:
		factors_decode(f, t, place, words, step, (struct float_layout){10, 8, 127, true, false}, 13, sig_bits);
		break;
	case TENSOR_E5M2:
		factors_decode(f, t, place, words, step, (struct float_layout){2, 5, 15, true, false}, 0, sig_bits);
		break;
	default:
		factors_decode(f, t, place, words, step, (struct float_layout){3, 4, 7, false, normalise}, 0, sig_bits);
		break;
	}
}

/*
 * Where 8 columns stand two words to a vector, the upper half of the flags belongs to the same
 * columns.
 */
static void factors_fold_special(struct factors *f)
{
	for (u32 i = 0; i < 8; i++)
		f->special[i] |= f->special[i + 8];
}

static void factors_load(struct factors *f, const struct tensor_form *form, const struct tensor_operands *o, bool is_a,
			 u32 start)
{
	u32 wide[TENSOR_MAX_WORDS][TILE];
	enum tensor_format format = is_a ? form->a : form->b;
	bool emulated = form->arith == TENSOR_FP8_PAIRS, narrow = form->arith == TENSOR_FUSED_NARROW;
	u32 sig_bits = (narrow ? 7 : 13) + is_a;
	u32 halves = emulated && form->sparse ? 2 : 1, words = form->b_words / halves;
	struct tile t = tile_find(form, o, is_a, start, halves == 1 && !narrow, wide);

	f->width = t.width;
	f->plane = form->k * t.width + PLANE_GAP;
	memset(f->special, 0, sizeof f->special);
	for (u32 h = 0; h < halves; h++) {
		factors_decode_as(f, &t, h * form->k / halves, words, halves, format, emulated, sig_bits);
		t.words += t.stride;
	}
	if (t.width < TILE)
		factors_fold_special(f);
}

/*
 * Opposite to an infinity or a NaN in B it matters that a place of A holds nothing rather than
 * zero. Rare, so the places are marked only then.
 */
static void factors_mark_if_special(struct factors *a, const struct factors *b, const struct tensor_form *form,
				    const u8 *meta)
{
	s32 special = 0;
	for (u32 i = 0; i < TILE; i++)
		special |= b->special[i];
	if (special)
		factors_mark_absent(a, form, meta, form->arith == TENSOR_FP8_PAIRS ? 2 : 1);
}

/*
 * Scalar binary floating point as the host does it, to nearest unless `round` says otherwise, no
 * flushing, whatever the caller had set; the caller's control is put back. What runs between the
 * two calls must be in functions that are not inlined. Where the host has one, the control word of
 * its vector unit is all that matters.
 */
#if defined(__SSE2__)
typedef u32 host_float;

static host_float host_float_enter(enum round round)
{
	static const u32 modes[] = {
		[ROUND_RN] = _MM_ROUND_NEAREST,
		[ROUND_RZ] = _MM_ROUND_TOWARD_ZERO,
		[ROUND_RM] = _MM_ROUND_DOWN,
		[ROUND_RP] = _MM_ROUND_UP,
	};
	host_float saved = _mm_getcsr();
	_mm_setcsr(_MM_MASK_MASK | modes[round]);
	return saved;
}

static void host_float_leave(host_float saved) { _mm_setcsr(saved); }
#else
typedef fenv_t host_float;

static host_float host_float_enter(enum round round)
{
	static const int modes[] = {
		[ROUND_RN] = FE_TONEAREST,
		[ROUND_RZ] = FE_TOWARDZERO,
		[ROUND_RM] = FE_DOWNWARD,
		[ROUND_RP] = FE_UPWARD,
	};
	host_float saved;
	fegetenv(&saved);
	fesetenv(FE_DFL_ENV);
	fesetround(modes[round]);
	return saved;
}

static void host_float_leave(host_float saved) { fesetenv(&saved); }
#endif

/*
 * d = c + t, to nearest, in f32 or in f16 (whose sum in f32 rounds a second time without harm: 24
 * >= 2 * 11 + 2).
 */
static __attribute__((noinline)) void column_add(u32 *d, const u32 *c, const u32 *t, u32 rows, bool half)
{
	for (u32 i = 0; i < rows; i++) {
		u32 x = c ? c[i] : 0;
		f32 sum = half ? f32_of_bits(f32_from_f16((u16)x)) + f32_of_bits(f32_from_f16((u16)t[i]))
			       : f32_of_bits(x) + f32_of_bits(t[i]);
		u32 bits = f32_canonical(bits_of_f32(sum));
		d[i] = half ? f16_from_f32_rn(bits) : bits;
	}
}

/* fp8 without fp8 hardware: two steps over half of K's pairs each, from zero, then C. */
static void tile_fp8_pairs(struct step *s, bool half)
{
	u32 t[TILE * TILE];
	struct step pair = *s;
	pair.c = NULL;
	pair.d = t;
	pair.stride = TILE;
	pair.count = s->count / 2;
	step_run(&pair, false, half);
	pair.c = t;
	pair.first = pair.count;
	step_run(&pair, false, half);
	host_float saved = host_float_enter(ROUND_RN);
	for (u32 column = 0; column < s->columns; column++) {
		size_t at = (size_t)column * s->stride;
		column_add(s->d + at, s->c ? s->c + at : NULL, t + column * TILE, TILE, half);
	}
	host_float_leave(saved);
}

static __attribute__((noinline)) void column_widen(u32 *wide, const u32 *c)
{
	for (u32 i = 0; i < TILE; i++)
		wide[i] = f32_from_f16((u16)c[i]);
}

static __attribute__((noinline)) void column_narrow(u32 *d, const u32 *wide)
{
	for (u32 i = 0; i < TILE; i++)
		d[i] = f16_from_f32_rn(wide[i]);
}

/* C and D of different formats (wmma): the step runs in f32 on a copy. */
static void tile_mixed(const struct step *s, bool half_c)
{
	u32 t[TILE * TILE] = {0};
	struct step wide = *s;
	host_float saved = host_float_enter(ROUND_RN);
	for (u32 column = 0; s->c && column < s->columns; column++) {
		const u32 *c = s->c + (size_t)column * s->stride;
		half_c ? column_widen(t + column * TILE, c) : (void)memcpy(t + column * TILE, c, TILE * sizeof *c);
	}
	wide.c = wide.d = t;
	wide.stride = TILE;
	step_run(&wide, false, false);
	for (u32 column = 0; column < s->columns; column++) {
		u32 *d = s->d + (size_t)column * s->stride;
		half_c ? (void)memcpy(d, t + column * TILE, TILE * sizeof *d) : column_narrow(d, t + column * TILE);
	}
	host_float_leave(saved);
}

static void tile_fused(const struct tensor_form *form, struct step *s)
{
	bool half = form->d == TENSOR_F16;
	if (form->arith == TENSOR_FP8_PAIRS) {
		tile_fp8_pairs(s, half);
	} else if (form->c != form->d) {
		tile_mixed(s, form->c == TENSOR_F16);
	} else if (form->arith == TENSOR_FUSED_HALVES) {
		struct step second = *s;
		s->count /= 2;
		step_run(s, false, half);
		second.first = s->count;
		second.count = s->count;
		second.c = s->d;
		step_run(&second, false, half);
	} else {
		step_run(s, form->arith == TENSOR_FUSED_NARROW, half);
	}
}

static void negate_products(struct factors *a, u32 places)
{
	s32 *neg = a->data + 2 * a->plane;
	for (u32 i = 0; i < places * TILE; i++)
		neg[i] = ~neg[i];
}

static void mma_fused(const struct tensor_form *form, const struct tensor_operands *o)
{
	struct factors a[MAX_TILES], b;
	for (u32 i = 0; i * TILE < form->m; i++) {
		factors_load(&a[i], form, o, true, i * TILE);
		if (form->negate)
			negate_products(&a[i], form->k);
	}
	for (u32 column = 0; column < form->n; column += TILE) {
		factors_load(&b, form, o, false, column);
		for (u32 i = 0; i * TILE < form->m; i++) {
			size_t at = (size_t)column * form->m + i * TILE;
			if (form->sparse)
				factors_mark_if_special(&a[i], &b, form, o->meta + i * TILE);
			struct step s = {
				.a = &a[i],
				.b = &b,
				.c = o->c ? (const u32 *)o->c + at : NULL,
				.d = (u32 *)o->d + at,
				.stride = form->m,
				.columns = min_u32(form->n - column, TILE),
				.count = form->k,
			};
			tile_fused(form, &s);
		}
	}
}

/*
 * Few rows and many columns (m8n32): the product of the transposes, whose arithmetic is the same.
 */
static void mma_fused_transposed(const struct tensor_form *form, const struct tensor_operands *o)
{
	u32 t[32 * 8];
	const u32 *c = o->c;
	u32 *d = o->d;
	u32 m = form->m, n = form->n;
	struct tensor_form turned = *form;
	struct tensor_operands operands = {.a = o->b, .b = o->a, .c = c ? t : NULL, .d = t};
	turned.m = form->n;
	turned.n = form->m;
	turned.a = form->b;
	turned.b = form->a;
	assert(m * n <= COUNT_OF(t) && !form->sparse);
	if (c) {
		for (u32 i = 0; i < m * n; i++)
			t[i % m * n + i / m] = c[i];
	}
	mma_fused(&turned, &operands);
	for (u32 i = 0; i < m * n; i++)
		d[i] = t[i % m * n + i / m];
}

/*
 * One column of m8n8k4, D f32: C + (the chain of products from +0). Products of f16 are exact in
 * f32.
 */
static __attribute__((noinline)) void chain_f32(const f32 (*a)[8], const f32 *b, const f32 *c, f32 *d)
{
	for (u32 i = 0; i < 8; i++) {
		f32 sum = 0;
		for (u32 k = 0; k < 4; k++)
			sum += a[k][i] * b[k];
		d[i] = c[i] + sum;
	}
}

/* The same with D f16: two pairs, one after the other; rounded to f16 by the caller. */
static __attribute__((noinline)) void pairs_f32(const f32 (*a)[8], const f32 *b, const f32 *c, f32 *d)
{
	for (u32 i = 0; i < 8; i++) {
		f32 low = a[0][i] * b[0] + a[1][i] * b[1];
		f32 high = a[2][i] * b[2] + a[3][i] * b[3];
		d[i] = (c[i] + low) + high;
	}
}

static f32 half_element(const u32 *words, u32 row, u32 k)
{
	return f32_of_bits(f32_from_f16((u16)(words[k / 2 * 8 + row] >> (k % 2 * 16))));
}

static __attribute__((noinline)) void mma_f32_columns(const struct tensor_form *form, const struct tensor_operands *o)
{
	f32 a[4][8], b[4], c[8], d[8];
	const u32 *c_bits = o->c;
	u32 *d_bits = o->d;
	for (u32 i = 0; i < 32; i++)
		a[i / 8][i % 8] = half_element(o->a, i % 8, i / 8);
	for (u32 n = 0; n < 8; n++) {
		for (u32 k = 0; k < 4; k++)
			b[k] = half_element(o->b, n, k);
		for (u32 i = 0; i < 8; i++) {
			u32 bits = c_bits ? c_bits[8 * n + i] : 0;
			c[i] = f32_of_bits(form->c == TENSOR_F16 ? f32_from_f16((u16)bits) : bits);
		}
		if (form->d == TENSOR_F16)
			pairs_f32(a, b, c, d);
		else
			chain_f32(a, b, c, d);
		for (u32 i = 0; i < 8; i++) {
			u32 bits = f32_canonical(bits_of_f32(d[i]));
			d_bits[8 * n + i] = form->d == TENSOR_F16 ? f16_from_f32_rn(bits) : bits;
		}
	}
}

static void mma_f32_chain(const struct tensor_form *form, const struct tensor_operands *o)
{
	host_float saved = host_float_enter(ROUND_RN);
	mma_f32_columns(form, o);
	host_float_leave(saved);
}

/*
 * One result in integers; also where a NaN came out, whose payload this chooses as the matrix unit
 * does.
 */
static f64 chain_exact_f64(const struct tensor_form *form, const f64 *a, const f64 *b, f64 acc)
{
	u64 sum = bits_of_f64(acc);
	for (u32 k = 0; k < form->k; k++)
		sum = f64_fma(bits_of_f64(a[k * form->m]), bits_of_f64(b[k * form->n]), sum, form->round);
	return f64_of_bits(sum);
}

/* Eight rows of a column. */
static __attribute__((noinline)) void column_f64(const struct tensor_form *form, const f64 *a, const f64 *b,
						 const f64 *c, f64 *d)
{
	f64 start[8] = {0}, sum[8];
	if (c)
		memcpy(start, c, sizeof start);
	memcpy(sum, start, sizeof sum);
	for (u32 k = 0; k < form->k; k++) {
		for (u32 i = 0; i < 8; i++)
			sum[i] = __builtin_fma(a[k * form->m + i], b[k * form->n], sum[i]);
	}
	for (u32 i = 0; i < 8; i++)
		d[i] = f64_is_nan(bits_of_f64(sum[i])) ? chain_exact_f64(form, a + i, b, start[i]) : sum[i];
}

/*
 * The same in integers: for hosts without a fused multiply-add, whose substitute knows only one
 * rounding mode.
 */
static __attribute__((noinline)) void column_exact_f64(const struct tensor_form *form, const f64 *a, const f64 *b,
						       const f64 *c, f64 *d)
{
	for (u32 i = 0; i < 8; i++)
		d[i] = chain_exact_f64(form, a + i, b, c ? c[i] : 0);
}

#ifdef __FMA__
enum { HOST_HAS_FMA = 1 };
#else
enum { HOST_HAS_FMA = 0 };
#endif

static void mma_f64_chain(const struct tensor_form *form, const struct tensor_operands *o)
{
	bool exact = !HOST_HAS_FMA && form->round != ROUND_RN;
	host_float saved = host_float_enter(form->round);
	for (u32 n = 0; n < form->n; n++) {
		for (u32 i = 0; i < form->m; i += 8) {
			const f64 *a = (const f64 *)o->a + i, *b = (const f64 *)o->b + n, *c = o->c;
			size_t at = (size_t)n * form->m + i;
			(exact ? column_exact_f64 : column_f64)(form, a, b, c ? c + at : NULL, (f64 *)o->d + at);
		}
	}
	host_float_leave(saved);
}

/*
 * Elements i and i + half of a word (bytes 0 and 2, nibbles 1 and 5) as two signed 16-bit numbers.
 */
static inline vs32 integer_pair(enum tensor_format format, vs32 word, u32 i)
{
	u32 bits = tensor_format_bits(format);
	vs16 up = (vs16)((vu16)word << (16 - bits - bits * i));
	if (format == TENSOR_S8 || format == TENSOR_S4)
		return (vs32)(up >> (16 - bits));
	return (vs32)((vu16)up >> (16 - bits));
}

/* 16 rows of A or columns of B: pairs of elements of K. */
struct integer_factors {
	_Alignas(64) s32 pair[MAX_PAIRS][TILE];
};

static void integer_factors_load(struct integer_factors *f, const struct tensor_form *form,
				 const struct tensor_operands *o, bool is_a, u32 start)
{
	u32 wide[TENSOR_MAX_WORDS][TILE];
	enum tensor_format format = is_a ? form->a : form->b;
	u32 pairs = 16 / tensor_format_bits(format);
	tile_load(form, o, is_a, start, wide);
	for (u32 w = 0; w < form->b_words; w++) {
		for (u32 i = 0; i < pairs; i++) {
			for (u32 row = 0; row < TILE; row += LANES)
				vs32_store(&f->pair[w * pairs + i][row],
					   integer_pair(format, vs32_load(&wide[w][row]), i));
		}
	}
}

/* c + sum modulo 2^32, or clamped to s32: only the last addition can leave its range. */
static inline vs32 integer_finish(vs32 sum, vs32 c, bool satfinite)
{
	vs32 d = (vs32)((vu32)sum + (vu32)c);
	if (!satfinite)
		return d;
	vs32 overflow = ((d ^ c) & (d ^ sum)) >> 31;
	return vs32_select(overflow, (c >> 31) ^ INT32_MAX, d);
}

static vs32 integer_sum(const struct integer_factors *a, const struct integer_factors *b, u32 row, u32 column,
			u32 pairs)
{
	vs32 sum = {0};
	for (u32 i = 0; i < pairs; i++)
		sum += vs32_dot16(vs32_load(&a->pair[i][row]), vs32_all(b->pair[i][column]));
	return sum;
}

/* Bits set in each lane. */
static inline vs32 vector_popcount(vu32 x)
{
	x -= (x >> 1) & 0x55555555;
	x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f;
	x += x >> 8;
	return (vs32)((x + (x >> 16)) & 63);
}

static vs32 bits_sum(const struct integer_factors *a, const struct integer_factors *b, u32 row, u32 column, u32 words,
		     enum tensor_bit_op op)
{
	vs32 sum = {0};
	for (u32 i = 0; i < words; i++) {
		vs32 x = vs32_load(&a->pair[i][row]);
		s32 y = b->pair[i][column];
		sum += vector_popcount((vu32)(op == TENSOR_XOR_POPC ? x ^ y : x & y));
	}
	return sum;
}

static void integer_load(struct integer_factors *f, const struct tensor_form *form, const struct tensor_operands *o,
			 bool is_a, u32 start)
{
	if (form->arith == TENSOR_BITS)
		tile_load(form, o, is_a, start, (u32(*)[TILE])f->pair);
	else
		integer_factors_load(f, form, o, is_a, start);
}

/* One column of a tile, of 8 or 16 rows. */
static void integer_column(const struct tensor_form *form, const struct integer_factors *a,
			   const struct integer_factors *b, u32 column, const u32 *c, u32 *d, u32 rows)
{
	u32 padded[TILE] = {0}, out[TILE];
	if (c)
		tile_words(padded, c, rows);
	for (u32 row = 0; row < TILE; row += LANES) {
		vs32 sum = form->arith == TENSOR_BITS ? bits_sum(a, b, row, column, form->b_words, form->bit_op)
						      : integer_sum(a, b, row, column, form->k / 2);
		vs32_store(&out[row], integer_finish(sum, vs32_load(&padded[row]), form->satfinite));
	}
	memcpy(d, out, 8 * sizeof *d);
	if (rows == TILE)
		memcpy(d + 8, out + 8, 8 * sizeof *d);
}

static void mma_integer(const struct tensor_form *form, const struct tensor_operands *o)
{
	struct integer_factors a[MAX_TILES], b;
	for (u32 i = 0; i * TILE < form->m; i++)
		integer_load(&a[i], form, o, true, i * TILE);
	for (u32 n = 0; n < form->n; n++) {
		if (n % TILE == 0)
			integer_load(&b, form, o, false, n);
		for (u32 i = 0; i * TILE < form->m; i++) {
			size_t at = (size_t)n * form->m + i * TILE;
			integer_column(form, &a[i], &b, n % TILE, o->c ? (const u32 *)o->c + at : NULL,
				       (u32 *)o->d + at, min_u32(form->m - i * TILE, TILE));
		}
	}
}

void TENSOR_VARIANT(const struct tensor_form *form, const struct tensor_operands *o)
{
	switch (form->arith) {
	case TENSOR_FUSED:
	case TENSOR_FUSED_NARROW:
	case TENSOR_FUSED_HALVES:
	case TENSOR_FP8_PAIRS:
		if (form->m % TILE == 0)
			mma_fused(form, o);
		else
			mma_fused_transposed(form, o);
		break;
	case TENSOR_FMA_F32:
		mma_f32_chain(form, o);
		break;
	case TENSOR_FMA_F64:
		mma_f64_chain(form, o);
		break;
	case TENSOR_INTEGER:
	case TENSOR_BITS:
		mma_integer(form, o);
		break;
	case TENSOR_NARROW:
		tensor_mma_narrow(form, o);
		break;
	}
}
