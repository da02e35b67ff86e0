/* SPDX-License-Identifier: Apache-2.0
 *
 * Which arithmetic each form of matrix instruction has, and which variant of it this host runs. The
 * arithmetic is in tensor_variant.c.
 */
#include "config.h"

#include "number/tensor.h"

u32 tensor_format_bits(enum tensor_format format)
{
	static const u8 bits[] = {
		[TENSOR_F16] = 16, [TENSOR_BF16] = 16,        [TENSOR_TF32] = 32, [TENSOR_E4M3] = 8, [TENSOR_E5M2] = 8,
		[TENSOR_F32] = 32, [TENSOR_F64] = 64,         [TENSOR_S8] = 8,    [TENSOR_U8] = 8,   [TENSOR_S4] = 4,
		[TENSOR_U4] = 4,   [TENSOR_B1] = 1,           [TENSOR_S32] = 32,  [TENSOR_E3M2] = 8, [TENSOR_E2M3] = 8,
		[TENSOR_E2M1] = 4, [TENSOR_E2M1_CENTRAL] = 8,
	};
	return bits[format];
}

static bool is_fp8(enum tensor_format f) { return f == TENSOR_E4M3 || f == TENSOR_E5M2; }

static bool is_narrow(enum tensor_format f)
{
	return is_fp8(f) || f == TENSOR_E3M2 || f == TENSOR_E2M3 || f == TENSOR_E2M1 || f == TENSOR_E2M1_CENTRAL;
}

static bool is_integer(enum tensor_format f)
{
	return f == TENSOR_S8 || f == TENSOR_U8 || f == TENSOR_S4 || f == TENSOR_U4;
}

static bool is_float_result(enum tensor_format f) { return f == TENSOR_F16 || f == TENSOR_F32; }

/*
 * A and B of formats that multiply each other, C and D of formats that such products are summed in.
 */
static bool formats_fit(const struct tensor_form *f)
{
	if (f->narrow)
		return is_narrow(f->a) && is_narrow(f->b) && tensor_format_bits(f->a) == tensor_format_bits(f->b) &&
		       f->c == f->d && is_float_result(f->d);
	if (is_integer(f->a) && is_integer(f->b))
		return tensor_format_bits(f->a) == tensor_format_bits(f->b) && f->c == TENSOR_S32 && f->d == TENSOR_S32;
	if (is_fp8(f->a) && is_fp8(f->b))
		return f->c == f->d && is_float_result(f->d) &&
		       !(f->family == TENSOR_MMA && f->sparse && f->d == TENSOR_F16);
	if (f->a != f->b)
		return false;
	switch (f->a) {
	case TENSOR_F16:
		return is_float_result(f->c) && is_float_result(f->d);
	case TENSOR_BF16:
	case TENSOR_TF32:
		return f->c == TENSOR_F32 && f->d == TENSOR_F32;
	case TENSOR_F64:
		return f->c == TENSOR_F64 && f->d == TENSOR_F64;
	case TENSOR_B1:
		return f->c == TENSOR_S32 && f->d == TENSOR_S32;
	default:
		return false;
	}
}

static enum tensor_arith arith_of(const struct tensor_form *f)
{
	if (f->narrow)
		return TENSOR_NARROW;
	if (f->a == TENSOR_F64)
		return TENSOR_FMA_F64;
	if (f->a == TENSOR_B1)
		return TENSOR_BITS;
	if (is_integer(f->a))
		return TENSOR_INTEGER;
	if (is_fp8(f->a))
		return f->family == TENSOR_WGMMA ? TENSOR_FUSED_NARROW : TENSOR_FP8_PAIRS;
	if (f->family == TENSOR_WMMA && f->a == TENSOR_TF32)
		return TENSOR_FUSED_HALVES;
	if (f->family == TENSOR_MMA && f->m == 8)
		return TENSOR_FMA_F32;
	return TENSOR_FUSED;
}

/* M, N and K within what the arithmetic and its arrays take. */
static bool shape_fits(const struct tensor_form *f)
{
	u32 bits = tensor_format_bits(f->a);
	u32 limit = f->a == TENSOR_F64 ? 16 : TENSOR_MAX_WORDS * 32 / bits;
	if (f->m == 0 || f->m > TENSOR_MAX_M || f->m % 8 || f->n == 0 || f->n > TENSOR_MAX_N || f->n % 8)
		return false;
	if (f->k == 0 || f->k > limit || (bits < 32 && f->k % (32 / bits)))
		return false;
	switch (f->arith) {
	case TENSOR_FMA_F32:
		return f->m == 8 && f->n == 8 && f->k == 4 && !f->sparse;
	case TENSOR_FUSED:
	case TENSOR_FUSED_HALVES:
	case TENSOR_FP8_PAIRS:
		/* The exact sum of a step has room for 16 products. */
		if (f->k > (f->arith == TENSOR_FUSED ? 16 : 32) << f->sparse)
			return false;
		return f->m % 16 == 0 || (f->n % 16 == 0 && f->m * f->n <= 256 && !f->sparse);
	case TENSOR_FUSED_NARROW:
		return f->m % 16 == 0;
	case TENSOR_NARROW:
		return f->m == 16 && f->n == 8 && f->family == TENSOR_MMA && (!f->scales || f->k % f->scales == 0);
	default:
		return true;
	}
}

bool tensor_form_resolve(struct tensor_form *form)
{
	if (!formats_fit(form))
		return false;
	form->arith = arith_of(form);
	if (!shape_fits(form))
		return false;
	u32 bits = tensor_format_bits(form->a);
	u32 words = form->a == TENSOR_F64 ? form->k : form->k * bits / 32;
	form->group = 0;
	form->b_words = (u8)words;
	form->a_words = (u8)words;
	if (form->sparse) {
		if (form->a == TENSOR_F64 || form->a == TENSOR_B1 || words % 2)
			return false;
		form->group = form->a == TENSOR_TF32 ? 2 : bits == 4 ? 8 : 4;
		form->a_words = (u8)(words / 2);
	}
	return true;
}

tensor_mma_fn *tensor_mma_for_host(void)
{
#ifdef HOST_X86_64
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("fma"))
		return tensor_mma_avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return tensor_mma_avx2;
#endif
	return tensor_mma_baseline;
}
