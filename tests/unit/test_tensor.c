/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix units' arithmetic against what an H200 returned: every recorded block of every form,
 * in every vector width that this host runs. tests/golden/tensor/README.md tells the layout of the
 * recordings.
 */
#include "config.h"

#include <check.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "number/half.h"
#include "number/ieee.h"
#include "number/small.h"
#include "number/tensor.h"
#include "main.h"

enum { CORNER = 8, LINE = 256, NAME = 64 };

/* A line of tensor.idx, and what its name says. */
struct recording {
	char name[NAME];
	u32 k, sparse, blocks, offset;
	struct tensor_form form;
	bool chained; /* two instructions of half of K */
	bool no_c;    /* scale-d 0 */
};

/* The matrices of one instruction, larger than the recorded corner: rows and columns repeat. */
struct matrices {
	u64 a[TENSOR_MAX_WORDS * TENSOR_MAX_M], b[TENSOR_MAX_WORDS * TENSOR_MAX_N];
	u64 c[TENSOR_MAX_M * TENSOR_MAX_N], d[TENSOR_MAX_M * TENSOR_MAX_N];
	u8 meta[64 * TENSOR_MAX_M];
};

static u8 *vectors;
static size_t vectors_bytes;
static struct matrices matrices;

static const char *const format_names[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "f32", "f64",
					   "s8",  "u8",   "s4",   "u4",   "b1",   "s32"};

static void data_path(char *path, const char *file)
{
	const char *source = getenv("srcdir");
	snprintf(path, LINE, "%s/tests/golden/tensor/%s", source ? source : ".", file);
}

static void vectors_load(void)
{
	char path[LINE];
	data_path(path, "tensor.bin.gz");
	gzFile file = gzopen(path, "rb");
	ck_assert_msg(file != NULL, "cannot open %s", path);
	size_t room = 8 << 20;
	vectors = malloc(room);
	ck_assert_ptr_nonnull(vectors);
	int got;
	while ((got = gzread(file, vectors + vectors_bytes, (unsigned)(room - vectors_bytes))) > 0)
		vectors_bytes += (size_t)got;
	ck_assert_int_eq(got, 0);
	gzclose(file);
}

static enum tensor_format format_named(const char *name)
{
	for (u32 i = 0; i < COUNT_OF(format_names); i++) {
		if (!strcmp(name, format_names[i]))
			return (enum tensor_format)i;
	}
	ck_abort_msg("unknown format %s", name);
}

/* The shape stands in the name as m..n..k.. */
static void shape_parse(struct recording *r)
{
	for (const char *p = r->name; (p = strchr(p, '.')); p++) {
		u32 m, n, k;
		if (sscanf(p, ".m%un%uk%u", &m, &n, &k) == 3) {
			r->form.m = (u16)m;
			r->form.n = (u16)n;
			r->form.k = (u16)(r->chained ? k / 2 : k);
			return;
		}
	}
	ck_abort_msg("no shape in %s", r->name);
}

static bool recording_parse(struct recording *r, const char *line)
{
	char a[8], b[8], c[8], d[8];
	memset(r, 0, sizeof *r);
	if (sscanf(line, "%63s %u %7s %7s %7s %7s %u %u %u", r->name, &r->k, a, b, c, d, &r->sparse, &r->blocks,
		   &r->offset) != 9)
		return false;
	struct tensor_form *f = &r->form;
	f->family = !strncmp(r->name, "wgmma", 5) ? TENSOR_WGMMA : r->name[0] == 'w' ? TENSOR_WMMA : TENSOR_MMA;
	f->a = format_named(a);
	f->b = format_named(b);
	f->c = format_named(c);
	f->d = format_named(d);
	f->sparse = r->sparse != 0;
	f->satfinite = strstr(r->name, "satfinite") != NULL;
	f->negate = strstr(r->name, ".neg.") != NULL;
	f->bit_op = strstr(r->name, ".b1.and") ? TENSOR_AND_POPC : TENSOR_XOR_POPC;
	const char *end = r->name + strlen(r->name) - 3;
	f->round = !strcmp(end, ".rz")   ? ROUND_RZ
		   : !strcmp(end, ".rm") ? ROUND_RM
		   : !strcmp(end, ".rp") ? ROUND_RP
					 : ROUND_RN;
	r->chained = strstr(r->name, ".chain.") != NULL;
	r->no_c = strstr(r->name, ".zero.") != NULL;
	shape_parse(r);
	ck_assert_msg(tensor_form_resolve(f), "%s is refused", r->name);
	return true;
}

static u64 read_bytes(const u8 *p, u32 bytes)
{
	u64 x = 0;
	memcpy(&x, p, bytes);
	return x;
}

static void put(const struct tensor_form *f, void *array, u32 at, u64 value)
{
	if (f->a == TENSOR_F64)
		((u64 *)array)[at] = value;
	else
		((u32 *)array)[at] = (u32)value;
}

static u64 get(const struct tensor_form *f, const void *array, u32 at)
{
	return f->a == TENSOR_F64 ? ((const u64 *)array)[at] : ((const u32 *)array)[at];
}

/* Where the arrays of a block start; all of K, also when chained. */
struct block {
	const u8 *a, *b, *e, *c, *d;
	u32 a_row, b_row, e_row, c_bytes, d_bytes, size;
};

static struct block block_at(const struct recording *r, u32 index)
{
	struct block x;
	u32 bits = tensor_format_bits(r->form.a);
	x.b_row = r->k * bits / 8;
	x.a_row = r->sparse ? x.b_row / 2 : x.b_row;
	x.e_row = r->sparse ? r->k / r->sparse : 0;
	x.c_bytes = tensor_format_bits(r->form.c) / 8;
	x.d_bytes = tensor_format_bits(r->form.d) / 8;
	x.size = CORNER * (x.a_row + x.b_row + x.e_row) + CORNER * CORNER * (x.c_bytes + x.d_bytes);
	ck_assert(r->offset + (size_t)(index + 1) * x.size <= vectors_bytes);
	x.a = vectors + r->offset + (size_t)index * x.size;
	x.b = x.a + CORNER * x.a_row;
	x.e = x.b + CORNER * x.b_row;
	x.c = x.e + CORNER * x.e_row;
	x.d = x.c + CORNER * CORNER * x.c_bytes;
	return x;
}

/*
 * Part `part` of K (chained forms have two) of the block's A, B and metadata, repeated over the
 * whole shape.
 */
static void operands_fill(const struct recording *r, const struct block *x, u32 part)
{
	const struct tensor_form *f = &r->form;
	u32 bytes = f->a == TENSOR_F64 ? 8 : 4;
	for (u32 w = 0; w < f->a_words; w++) {
		for (u32 i = 0; i < f->m; i++)
			put(f, matrices.a, w * f->m + i,
			    read_bytes(x->a + i % CORNER * x->a_row + (part * f->a_words + w) * bytes, bytes));
	}
	for (u32 w = 0; w < f->b_words; w++) {
		for (u32 j = 0; j < f->n; j++)
			put(f, matrices.b, w * f->n + j,
			    read_bytes(x->b + j % CORNER * x->b_row + (part * f->b_words + w) * bytes, bytes));
	}
	for (u32 g = 0; g < x->e_row; g++) {
		for (u32 i = 0; i < f->m; i++)
			matrices.meta[g * f->m + i] = x->e[i % CORNER * x->e_row + g];
	}
}

static void block_check(const struct recording *r, u32 index, tensor_mma_fn *mma, const char *variant)
{
	const struct tensor_form *f = &r->form;
	struct block x = block_at(r, index);
	struct tensor_operands o = {.a = matrices.a,
				    .b = matrices.b,
				    .c = r->no_c ? NULL : matrices.c,
				    .d = matrices.d,
				    .meta = matrices.meta};
	for (u32 j = 0; j < f->n; j++) {
		for (u32 i = 0; i < f->m; i++)
			put(f, matrices.c, j * f->m + i,
			    read_bytes(x.c + (i % CORNER * CORNER + j % CORNER) * x.c_bytes, x.c_bytes));
	}
	operands_fill(r, &x, 0);
	mma(f, &o);
	if (r->chained) {
		o.c = o.d;
		operands_fill(r, &x, 1);
		mma(f, &o);
	}
	for (u32 j = 0; j < f->n; j++) {
		for (u32 i = 0; i < f->m; i++) {
			u64 want = read_bytes(x.d + (i % CORNER * CORNER + j % CORNER) * x.d_bytes, x.d_bytes);
			u64 got = get(f, matrices.d, j * f->m + i);
			ck_assert_msg(got == want, "%s (%s), block %u, row %u, column %u: %llx, the H200 has %llx",
				      r->name, variant, index, i, j, (unsigned long long)got, (unsigned long long)want);
		}
	}
}

static u32 check_all(tensor_mma_fn *mma, const char *variant)
{
	char path[LINE], line[LINE];
	u32 forms = 0;
	data_path(path, "tensor.idx");
	FILE *file = fopen(path, "r");
	ck_assert_msg(file != NULL, "cannot open %s", path);
	while (fgets(line, sizeof line, file)) {
		struct recording r;
		if (line[0] == '#' || !recording_parse(&r, line))
			continue;
		for (u32 i = 0; i < r.blocks; i++)
			block_check(&r, i, mma, variant);
		forms++;
	}
	fclose(file);
	return forms;
}

START_TEST(baseline_equals_hardware) { ck_assert_uint_eq(check_all(tensor_mma_baseline, "baseline"), 118); }
END_TEST

#ifdef HOST_X86_64
START_TEST(avx2_equals_hardware)
{
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		ck_assert_uint_eq(check_all(tensor_mma_avx2, "avx2"), 118);
}
END_TEST

START_TEST(avx512_equals_hardware)
{
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl"))
		ck_assert_uint_eq(check_all(tensor_mma_avx512, "avx512"), 118);
}
END_TEST
#endif

/* The host's rounding mode neither changes results nor gets lost. */
START_TEST(host_rounding_is_ignored_and_kept)
{
	fesetround(FE_UPWARD);
	u32 forms = check_all(tensor_mma_for_host(), "rounding up");
	int mode = fegetround();
	fesetround(FE_TONEAREST);
	ck_assert_int_eq(mode, FE_UPWARD);
	ck_assert_uint_eq(forms, 118);
}
END_TEST

static struct tensor_form half_form(void)
{
	return (struct tensor_form){.family = TENSOR_MMA, .m = 16, .n = 8, .k = 16, .c = TENSOR_F32, .d = TENSOR_F32};
}

/*
 * The largest products of one sign: the exact sum fills its 32 bits: 16 * 65504^2 and nearly 2^31,
 * cut to 24 bits.
 */
START_TEST(largest_sum_does_not_wrap)
{
	struct tensor_form f = half_form();
	ck_assert(tensor_form_resolve(&f));
	for (u32 i = 0; i < 8 * 16; i++)
		((u32 *)matrices.a)[i] = 0x7bff7bff;
	for (u32 i = 0; i < 8 * 8; i++)
		((u32 *)matrices.b)[i] = 0x7bff7bff;
	for (u32 i = 0; i < 16 * 8; i++)
		((u32 *)matrices.c)[i] = 0x4effffff;
	struct tensor_operands o = {.a = matrices.a, .b = matrices.b, .c = matrices.c, .d = matrices.d};
	tensor_mma_for_host()(&f, &o);
	for (u32 i = 0; i < 16 * 8; i++)
		ck_assert_uint_eq(((u32 *)matrices.d)[i], 0x5183e001);
}
END_TEST

/*
 * A place of a sparse row that stores nothing multiplies nothing: an infinity in B opposite to it
 * is not 0 * inf.
 */
START_TEST(absent_elements_meet_no_infinity)
{
	struct tensor_form f = half_form();
	f.sparse = true;
	ck_assert(tensor_form_resolve(&f));
	for (u32 i = 0; i < 4 * 16; i++) {
		((u32 *)matrices.a)[i] = 0x3c003c00; /* 1, 1 at places 0 and 1 of each group */
		matrices.meta[i] = 0x4;
	}
	for (u32 i = 0; i < 8 * 8; i++)
		((u32 *)matrices.b)[i] = i / 8 % 2 ? 0x7c007c00 : 0x40003c00;
	struct tensor_operands o = {.a = matrices.a, .b = matrices.b, .d = matrices.d, .meta = matrices.meta};
	tensor_mma_for_host()(&f, &o);
	for (u32 i = 0; i < 16 * 8; i++)
		ck_assert_uint_eq(((u32 *)matrices.d)[i], 0x41400000);
}
END_TEST

START_TEST(what_sm90_lacks_is_refused)
{
	struct tensor_form mixed = half_form();
	mixed.a = TENSOR_BF16;
	ck_assert(!tensor_form_resolve(&mixed));
	struct tensor_form sparse_fp8 = {.family = TENSOR_MMA,
					 .m = 16,
					 .n = 8,
					 .k = 64,
					 .a = TENSOR_E4M3,
					 .b = TENSOR_E4M3,
					 .c = TENSOR_F16,
					 .d = TENSOR_F16,
					 .sparse = true};
	ck_assert(!tensor_form_resolve(&sparse_fp8));
	struct tensor_form long_k = half_form();
	long_k.k = 32;
	ck_assert(!tensor_form_resolve(&long_k));
	struct tensor_form odd_m = half_form();
	odd_m.m = 12;
	ck_assert(!tensor_form_resolve(&odd_m));
}
END_TEST

/* A narrow format as number/small.h has it, and where an element lies. */
struct narrow_format {
	enum tensor_format tensor;
	enum small_format small;
	u32 codes, at;
};

static const struct narrow_format narrow_formats[] = {
	{TENSOR_E4M3, SMALL_E4M3, 256, 0}, {TENSOR_E5M2, SMALL_E5M2, 256, 0},        {TENSOR_E3M2, SMALL_E3M2, 64, 0},
	{TENSOR_E2M3, SMALL_E2M3, 64, 0},  {TENSOR_E2M1_CENTRAL, SMALL_E2M1, 16, 2}, {TENSOR_E2M1, SMALL_E2M1, 16, 0},
};

static f32 narrow_value(const struct narrow_format *f, u32 code)
{
	return f32_of_bits(f32_from_f16(f16_from_small(f->small, (u8)code, false)));
}

static struct tensor_form narrow_form(const struct narrow_format *a, const struct narrow_format *b, u32 scales)
{
	struct tensor_form f = {.family = TENSOR_MMA,
				.m = 16,
				.n = 8,
				.k = 32,
				.a = a->tensor,
				.b = b->tensor,
				.c = TENSOR_F32,
				.d = TENSOR_F32,
				.narrow = true,
				.scales = (u8)scales};

	ck_assert(tensor_form_resolve(&f));
	return f;
}

/* Each code of each format, infinities and NaNs too, times one and times zero. */
START_TEST(narrow_elements_are_their_values)
{
	for (u32 n = 0; n < COUNT_OF(narrow_formats); n++) {
		const struct narrow_format *a = &narrow_formats[n];
		const struct tensor_form f = narrow_form(a, a, 0);
		const u32 one = small_from_f32(a->small, bits_of_f32(1), false);
		for (u32 code = 0; code < a->codes; code++) {
			const f32 value = narrow_value(a, code);
			u32 words[2] = {code << a->at, one << a->at};
			memset(&matrices, 0, sizeof matrices);
			((u32 *)matrices.a)[0] = words[0];
			((u32 *)matrices.b)[0] = words[1];
			tensor_mma_for_host()(
				&f, &(struct tensor_operands){.a = matrices.a, .b = matrices.b, .d = matrices.d});
			const u32 *d = (const u32 *)matrices.d;
			if (value != value)
				ck_assert_uint_eq(d[0], 0x7fffffff);
			else
				ck_assert_uint_eq(d[0], value == 0 ? 0 : bits_of_f32(value));
			/* Column 1 of B is zero. */
			ck_assert_uint_eq(d[16], value - value == 0 ? 0 : 0x7fffffff);
		}
	}
}
END_TEST

/* Sums that f32 holds exactly are those of f64, with any scales: powers of two near one, and ue4m3 from 1 to 3.75. */
START_TEST(narrow_products_are_exact_where_f32_is)
{
	u32 seed = 1;

	for (u32 round = 0; round < 200; round++) {
		const struct narrow_format *b = &narrow_formats[3 + round % 2], *a = &narrow_formats[4 - round % 2];
		struct tensor_form f = narrow_form(a, b, 1u << round % 3);
		u8 scales[2][4 * 16];
		memset(&matrices, 0, sizeof matrices);
		f.ue4m3 = round & 4;
		for (u32 k = 0; k < sizeof scales; k++)
			scales[k / 64][k % 64] = (u8)((f.ue4m3 ? 0x38 : 0x7d) +
						      (seed = seed * 1664525 + 1013904223) % 16 / (f.ue4m3 ? 1 : 4));
		for (u32 k = 0; k < 8 * 16; k++)
			((u32 *)matrices.a)[k] = (seed = seed * 1664525 + 1013904223) & 0x3c3c3c3c;
		for (u32 k = 0; k < 8 * 8; k++)
			((u32 *)matrices.b)[k] = (seed = seed * 1664525 + 1013904223) & 0x3c3c3c3c;
		tensor_mma_for_host()(&f, &(struct tensor_operands){.a = matrices.a,
								    .b = matrices.b,
								    .d = matrices.d,
								    .a_scales = scales[0],
								    .b_scales = scales[1]});
		for (u32 e = 0; e < 16 * 8; e++) {
			const u32 row = e % 16, column = e / 16;
			f64 sum = 0;
			for (u32 k = 0; k < 32; k++) {
				const u32 block = k * f.scales / 32, x = scales[0][block * 16 + row],
					  y = scales[1][block * 8 + column];
				const f64 by = f.ue4m3 ? (f64)narrow_value(&narrow_formats[0], x) *
								 (f64)narrow_value(&narrow_formats[0], y)
						       : __builtin_ldexp(1, (s32)x + (s32)y - 254);
				sum += by *
				       (f64)narrow_value(a,
							 ((u32 *)matrices.a)[k / 4 * 16 + row] >> (k % 4 * 8 + a->at) &
								 (a->codes - 1)) *
				       (f64)narrow_value(b, ((u32 *)matrices.b)[k / 4 * 8 + column] >>
									    (k % 4 * 8 + b->at) &
								    (b->codes - 1));
			}
			ck_assert_uint_eq(((u32 *)matrices.d)[e], sum == 0 ? 0 : bits_of_f32((f32)sum));
		}
	}
}
END_TEST

UNIT_SUITE("tensor")
{
	TCase *recorded = unit_case(suite, "recorded", 120);
	tcase_add_unchecked_fixture(recorded, vectors_load, NULL);
	tcase_add_test(recorded, baseline_equals_hardware);
#ifdef HOST_X86_64
	tcase_add_test(recorded, avx2_equals_hardware);
	tcase_add_test(recorded, avx512_equals_hardware);
#endif
	tcase_add_test(recorded, host_rounding_is_ignored_and_kept);
	TCase *edges = unit_case(suite, "edges", 0);
	tcase_add_test(edges, largest_sum_does_not_wrap);
	tcase_add_test(edges, absent_elements_meet_no_infinity);
	tcase_add_test(edges, what_sm90_lacks_is_refused);
	TCase *narrow = unit_case(suite, "narrow", 0);
	tcase_add_test(narrow, narrow_elements_are_their_values);
	tcase_add_test(narrow, narrow_products_are_exact_where_f32_is);
}
