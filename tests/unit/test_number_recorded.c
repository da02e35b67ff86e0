/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic against what an H200 returned: every case of the scalar-float, scalar-half,
 * scalar-cvt and approx packs whose instruction number/ computes, bit for bit. A form that nothing
 * here computes fails the test, so no recording can go by unread.
 */
#include "number_pack.h"

#include "number/convert.h"
#include "number/half.h"
#include "number/ieee.h"
#include "number/mufu.h"
#include "number/small.h"
#include "main.h"

/* What all evaluators take: the form and up to three operands. */
struct job {
	const struct form *f;
	u64 a, b, c;
	bool ftz, sat, relu, nan, xorsign, satfinite;
	enum round round;
};

static enum round round_of(const struct form *f)
{
	static const struct {
		const char *word;
		enum round round;
	} names[] = {
		{"rz", ROUND_RZ},  {"rm", ROUND_RM},  {"rp", ROUND_RP},  {"rna", ROUND_RNA},
		{"rzi", ROUND_RZ}, {"rmi", ROUND_RM}, {"rpi", ROUND_RP},
	};
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (form_has(f, names[i].word))
			return names[i].round;
	return ROUND_RN;
}

static bool is(const struct job *j, const char *op) { return !strcmp(j->f->word[0], op); }
static bool type_is(const char *type, const char *name) { return !strcmp(type, name); }

static bool eval_f32(const struct job *j, u64 *d)
{
	u32 a = (u32)j->a, b = (u32)j->b, c = (u32)j->c;
	if (form_has(j->f, "approx") || form_has(j->f, "full"))
		return false;
	if (is(j, "add"))
		*d = f32_add(a, b, j->round, j->ftz, j->sat);
	else if (is(j, "sub"))
		*d = f32_sub(a, b, j->round, j->ftz, j->sat);
	else if (is(j, "mul"))
		*d = f32_mul(a, b, j->round, j->ftz, j->sat);
	else if (is(j, "fma") || is(j, "mad"))
		*d = f32_fma(a, b, c, j->round, j->ftz, j->sat);
	else if (is(j, "div"))
		*d = f32_div(a, b, j->round, j->ftz);
	else if (is(j, "rcp"))
		*d = f32_rcp(a, j->round, j->ftz);
	else if (is(j, "sqrt"))
		*d = f32_sqrt(a, j->round, j->ftz);
	else if (is(j, "min"))
		*d = f32_min(a, b, j->ftz, j->nan, j->xorsign);
	else if (is(j, "max"))
		*d = f32_max(a, b, j->ftz, j->nan, j->xorsign);
	else if (is(j, "abs"))
		*d = f32_abs(a, j->ftz);
	else if (is(j, "neg"))
		*d = f32_neg(a, j->ftz);
	else if (is(j, "copysign"))
		*d = f32_copysign(a, b);
	else
		return false;
	return true;
}

static bool eval_f64(const struct job *j, u64 *d)
{
	if (form_has(j->f, "approx"))
		return false;
	if (is(j, "add"))
		*d = f64_add(j->a, j->b, j->round);
	else if (is(j, "sub"))
		*d = f64_sub(j->a, j->b, j->round);
	else if (is(j, "mul"))
		*d = f64_mul(j->a, j->b, j->round);
	else if (is(j, "fma") || is(j, "mad"))
		*d = f64_fma(j->a, j->b, j->c, j->round);
	else if (is(j, "div"))
		*d = f64_div(j->a, j->b, j->round);
	else if (is(j, "rcp"))
		*d = f64_rcp(j->a, j->round);
	else if (is(j, "sqrt"))
		*d = f64_sqrt(j->a, j->round);
	else if (is(j, "min"))
		*d = f64_min(j->a, j->b);
	else if (is(j, "max"))
		*d = f64_max(j->a, j->b);
	else if (is(j, "abs"))
		*d = f64_abs(j->a);
	else if (is(j, "neg"))
		*d = f64_neg(j->a);
	else if (is(j, "copysign"))
		*d = f64_copysign(j->a, j->b);
	else
		return false;
	return true;
}

static bool eval_testp(const struct job *j, u64 *d)
{
	static const char *const names[] = {
		[TESTP_FINITE] = "finite",         [TESTP_INFINITE] = "infinite", [TESTP_NUMBER] = "number",
		[TESTP_NOTANUMBER] = "notanumber", [TESTP_NORMAL] = "normal",     [TESTP_SUBNORMAL] = "subnormal",
	};
	for (unsigned p = 0; p < COUNT_OF(names); p++)
		if (form_has(j->f, names[p])) {
			*d = type_is(form_last(j->f, 0), "f64") ? f64_testp(j->a, p) : f32_testp((u32)j->a, p);
			return true;
		}
	return false;
}

static bool eval_f16(const struct job *j, u64 *d)
{
	u16 a = (u16)j->a, b = (u16)j->b, c = (u16)j->c;
	if (is(j, "add"))
		*d = f16_add(a, b, j->ftz, j->sat);
	else if (is(j, "sub"))
		*d = f16_sub(a, b, j->ftz, j->sat);
	else if (is(j, "mul"))
		*d = f16_mul(a, b, j->ftz, j->sat);
	else if (is(j, "fma"))
		*d = form_has(j->f, "oob") ? f16_fma_oob(a, b, c, j->relu) : f16_fma(a, b, c, j->ftz, j->sat, j->relu);
	else if (is(j, "min"))
		*d = f16_min(a, b, j->ftz, j->nan, j->xorsign);
	else if (is(j, "max"))
		*d = f16_max(a, b, j->ftz, j->nan, j->xorsign);
	else if (is(j, "abs"))
		*d = f16_abs(a, j->ftz);
	else if (is(j, "neg"))
		*d = f16_neg(a, j->ftz);
	else if (is(j, "ex2"))
		*d = f16_ex2_approx(a);
	else if (is(j, "tanh"))
		*d = f16_tanh_approx(a);
	else
		return false;
	return true;
}

static bool eval_bf16(const struct job *j, u64 *d)
{
	u16 a = (u16)j->a, b = (u16)j->b, c = (u16)j->c;
	if (is(j, "add"))
		*d = bf16_add(a, b);
	else if (is(j, "sub"))
		*d = bf16_sub(a, b);
	else if (is(j, "mul"))
		*d = bf16_mul(a, b);
	else if (is(j, "fma"))
		*d = form_has(j->f, "oob") ? bf16_fma_oob(a, b, c, j->relu) : bf16_fma(a, b, c, j->relu);
	else if (is(j, "min"))
		*d = bf16_min(a, b, j->nan, j->xorsign);
	else if (is(j, "max"))
		*d = bf16_max(a, b, j->nan, j->xorsign);
	else if (is(j, "abs"))
		*d = bf16_abs(a);
	else if (is(j, "neg"))
		*d = bf16_neg(a);
	else if (is(j, "ex2"))
		*d = bf16_ex2_approx(a);
	else if (is(j, "tanh"))
		*d = bf16_tanh_approx(a);
	else
		return false;
	return true;
}

/* The approximate functions of f32 and f64. */
static bool eval_approx(const struct job *j, u64 *d)
{
	u32 a = (u32)j->a, b = (u32)j->b;
	bool wide = type_is(form_last(j->f, 0), "f64");
	if (is(j, "rcp"))
		*d = wide ? f64_rcp_approx_ftz(j->a) : f32_rcp_approx(a, j->ftz);
	else if (is(j, "rsqrt") && wide)
		*d = j->ftz ? f64_rsqrt_approx_ftz(j->a) : f64_rsqrt_approx(j->a);
	else if (is(j, "rsqrt"))
		*d = f32_rsqrt_approx(a, j->ftz);
	else if (is(j, "sqrt"))
		*d = f32_sqrt_approx(a, j->ftz);
	else if (is(j, "lg2"))
		*d = f32_lg2_approx(a, j->ftz);
	else if (is(j, "ex2"))
		*d = f32_ex2_approx(a, j->ftz);
	else if (is(j, "sin"))
		*d = f32_sin_approx(a);
	else if (is(j, "cos"))
		*d = f32_cos_approx(a);
	else if (is(j, "tanh"))
		*d = f32_tanh_approx(a);
	else if (is(j, "div") && form_has(j->f, "approx"))
		*d = f32_div_approx(a, b, j->ftz);
	else if (is(j, "div"))
		*d = f32_div_full(a, b, j->ftz);
	else
		return false;
	return true;
}

/* u8 to s64: the width, 0 for other types. */
static unsigned int_bits(const char *type) { return type[0] == 'u' || type[0] == 's' ? (unsigned)atoi(type + 1) : 0; }

static bool cvt_from_int(const struct job *j, const char *to, const char *from, u64 *d)
{
	unsigned spare = 64 - int_bits(from);
	bool is_signed = from[0] == 's';
	s64 s = (s64)(j->a << spare) >> spare;
	u64 u = j->a << spare >> spare;
	if (type_is(to, "f16"))
		*d = is_signed ? f16_from_s64(s, j->round) : f16_from_u64(u, j->round);
	else if (type_is(to, "bf16"))
		*d = is_signed ? bf16_from_s64(s, j->round) : bf16_from_u64(u, j->round);
	else if (type_is(to, "f32"))
		*d = is_signed ? f32_from_s64(s, j->round) : f32_from_u64(u, j->round);
	else
		*d = is_signed ? f64_from_s64(s, j->round) : f64_from_u64(u, j->round);
	return true;
}

/* f16 and bf16 as f32. */
static u32 widened(const char *type, u64 a)
{
	return type_is(type, "f16") ? f32_from_f16((u16)a) : type_is(type, "bf16") ? f32_from_bf16((u16)a) : (u32)a;
}

static bool cvt_to_int(const struct job *j, const char *to, const char *from, u64 *d)
{
	unsigned bits = int_bits(to);
	bool is_signed = to[0] == 's';
	if (type_is(from, "f64"))
		*d = int_from_f64(j->a, bits, is_signed, j->round);
	else
		*d = int_from_f32(widened(from, j->a), bits, is_signed, j->round, j->ftz);
	return true;
}

/* Same type: rounding to integral values, or the bits as they are. */
static u64 cvt_same(const struct job *j, const char *type)
{
	bool integral =
		form_has(j->f, "rni") || form_has(j->f, "rzi") || form_has(j->f, "rmi") || form_has(j->f, "rpi");
	if (type_is(type, "f16"))
		return integral ? f16_round_integral((u16)j->a, j->round) : f16_canonical((u16)j->a);
	if (type_is(type, "bf16"))
		return integral ? bf16_round_integral((u16)j->a, j->round) : j->a;
	if (type_is(type, "f64"))
		return integral ? f64_round_integral(j->a, j->round) : j->a;
	return integral ? f32_round_integral((u32)j->a, j->round, j->ftz) : f32_flush_if((u32)j->a, j->ftz);
}

static bool cvt_to_f32(const struct job *j, const char *from, u64 *d)
{
	if (type_is(from, "f64"))
		*d = f32_from_f64(j->a, j->round, j->ftz);
	else if (type_is(from, "bf16"))
		*d = j->ftz ? f32_from_bf16_ftz((u16)j->a) : f32_from_bf16((u16)j->a);
	else if (type_is(from, "f16"))
		*d = f32_from_f16((u16)j->a);
	else
		return false;
	return true;
}

static bool cvt_to_half(const struct job *j, const char *to, const char *from, u64 *d)
{
	bool f16 = type_is(to, "f16");
	if (type_is(from, "f64"))
		*d = f16 ? f16_from_f64(j->a, j->round) : bf16_from_f64(j->a, j->round);
	else if (type_is(from, "f16"))
		*d = bf16_from_f16((u16)j->a, j->round);
	else if (type_is(from, "bf16"))
		*d = f16_from_bf16((u16)j->a, j->round);
	else
		*d = f16 ? f16_from_f32((u32)j->a, j->round) : bf16_from_f32(f32_flush_if((u32)j->a, j->ftz), j->round);
	if (j->satfinite)
		*d = f16 ? f16_satfinite((u16)*d) : bf16_satfinite((u16)*d);
	if (j->relu)
		*d = f16 ? f16_relu((u16)*d) : bf16_relu((u16)*d);
	return true;
}

static bool cvt_to_f64(const struct job *j, const char *from, u64 *d)
{
	if (type_is(from, "f32"))
		*d = f64_from_f32((u32)j->a, j->ftz);
	else
		*d = type_is(from, "f16") ? f64_from_f16((u16)j->a) : f64_from_bf16((u16)j->a);
	return true;
}

static u64 cvt_saturate(const char *to, u64 d)
{
	return type_is(to, "f16")    ? f16_saturate((u16)d)
	       : type_is(to, "bf16") ? bf16_saturate((u16)d)
	       : type_is(to, "f32")  ? f32_saturate((u32)d)
				     : f64_saturate(d);
}

/* One element from `from` to `to`. */
static bool eval_cvt(const struct job *j, const char *to, const char *from, u64 *d)
{
	static const char *const small[] = {[SMALL_E4M3] = "e4m3", [SMALL_E5M2] = "e5m2"};
	bool ok = true;
	for (unsigned s = 0; s < COUNT_OF(small); s++) {
		if (type_is(to, small[s])) {
			*d = type_is(from, "f32") ? small_from_f32(s, (u32)j->a, j->relu)
						  : small_from_f16(s, (u16)j->a, j->relu);
			return true;
		}
		if (type_is(from, small[s])) {
			*d = f16_from_small(s, (u8)j->a, j->relu);
			return true;
		}
	}
	if (type_is(to, "tf32")) {
		*d = tf32_from_f32((u32)j->a, j->round, j->satfinite, j->relu);
		return true;
	}
	if (int_bits(to))
		return cvt_to_int(j, to, from, d);
	if (int_bits(from))
		ok = cvt_from_int(j, to, from, d);
	else if (type_is(to, from))
		*d = cvt_same(j, to);
	else if (type_is(to, "f32"))
		ok = cvt_to_f32(j, from, d);
	else if (type_is(to, "f64"))
		ok = cvt_to_f64(j, from, d);
	else
		ok = cvt_to_half(j, to, from, d);
	if (j->sat)
		*d = cvt_saturate(to, *d);
	return ok;
}

/* Without x2 at its end. */
static const char *single(const char *type, char to[FORM_WORD])
{
	snprintf(to, FORM_WORD, "%s", type);
	size_t n = strlen(to);
	if (n > 2 && !strcmp(to + n - 2, "x2"))
		to[n - 2] = 0;
	return to;
}

static unsigned type_bits(const char *type)
{
	return strstr(type, "64") ? 64 : strstr(type, "32") ? 32 : type[0] == 'e' ? 8 : 16;
}

/* cvt to or from a pair: a is the upper element, b (of two operands) the lower. */
static bool eval_cvt_pair(const struct job *j, u64 *d)
{
	char to[FORM_WORD], from[FORM_WORD];
	single(form_last(j->f, 1), to);
	single(form_last(j->f, 0), from);
	struct job upper = *j, lower = *j;
	unsigned from_bits = type_bits(from);
	u64 high, low;
	if (strstr(form_last(j->f, 0), "x2"))
		upper.a = j->a >> from_bits;
	else
		lower.a = j->b;
	lower.a &= from_bits == 32 ? 0xffffffff : (1ull << from_bits) - 1;
	bool ok = eval_cvt(&upper, to, from, &high) && eval_cvt(&lower, to, from, &low);
	*d = ok ? high << type_bits(to) | low : 0;
	return ok;
}

static bool eval_half(const struct job *j, const char *type, u64 *d)
{
	char name[FORM_WORD];
	bool pair = strstr(type, "x2") != NULL;
	bool (*eval)(const struct job *, u64 *) = type_is(single(type, name), "f16") ? eval_f16 : eval_bf16;
	if (!pair)
		return eval(j, d);
	struct job upper = *j;
	u64 high, low;
	upper.a >>= 16, upper.b >>= 16, upper.c >>= 16;
	if (!eval(j, &low) || !eval(&upper, &high))
		return false;
	*d = high << 16 | low;
	return true;
}

static bool evaluate(const struct job *j, u64 *d)
{
	const char *type = form_last(j->f, 0);
	if (is(j, "cvt") && (strstr(type, "x2") || strstr(form_last(j->f, 1), "x2")))
		return eval_cvt_pair(j, d);
	if (is(j, "cvt"))
		return eval_cvt(j, form_last(j->f, 1), type, d);
	if (is(j, "testp"))
		return eval_testp(j, d);
	if (strstr(type, "f16"))
		return eval_half(j, type, d);
	if (type_is(type, "f32"))
		return eval_f32(j, d) || eval_approx(j, d);
	return type_is(type, "f64") && (eval_f64(j, d) || eval_approx(j, d));
}

/* Bytes of one operand, so that a, b and c can be told apart. */
static size_t operand_size(const struct recorded *r)
{
	const struct form *f = &r->form;
	const char *type = form_last(f, 0);
	if (!strcmp(f->word[0], "cvt"))
		return !strcmp(type, "f32") ? 4 : r->in_size;
	return strstr(type, "64") ? 8 : strstr(type, "32") || strstr(type, "x2") ? 4 : 2;
}

/* The kernels of these uses have two constants beside the one operand that they read. */
static void place_constants(struct job *j)
{
	u64 read = j->a;
	if (strstr(j->f->use, "=every-NaN")) {
		j->a = j->f->use[0] == 'a' ? read : 0x3c00;
		j->b = j->f->use[0] == 'b' ? read : 0x3c00;
		j->c = j->f->use[0] == 'c' ? read : 0x3d00;
	}
}

/* Integer to integer and packing are not this folder's. */
static bool is_ours(const struct form *f)
{
	return strcmp(f->word[0], "cvt") != 0 ||
	       (!form_has(f, "pack") && !(int_bits(form_last(f, 0)) && int_bits(form_last(f, 1))));
}

static int checked;

static void check_case(const struct recorded *r)
{
	const struct form *f = &r->form;
	const size_t size = operand_size(r);
	const u64 mask = r->out_size == 8 ? ~0ull : (1ull << (8 * r->out_size)) - 1;
	if (!is_ours(f))
		return;
	checked++;
	for (size_t i = 0; i < r->elements; i++) {
		const u8 *in = r->in + i * r->in_size;
		struct job j = {
			.f = f,
			.a = bytes_at(in, size),
			.b = r->in_size >= 2 * size ? bytes_at(in + size, size) : 0,
			.c = r->in_size >= 3 * size ? bytes_at(in + 2 * size, size) : 0,
			.ftz = form_has(f, "ftz"),
			.sat = form_has(f, "sat"),
			.relu = form_has(f, "relu"),
			.nan = form_has(f, "NaN"),
			.xorsign = form_has(f, "xorsign"),
			.satfinite = form_has(f, "satfinite"),
			.round = round_of(f),
		};
		place_constants(&j);
		u64 d = 0, want = bytes_at(r->out + i * r->out_size, r->out_size);
		ck_assert_msg(evaluate(&j, &d), "%s: nothing computes this form", f->name);
		ck_assert_msg((d & mask) == want, "%s: element %zu: a=%llx b=%llx c=%llx gives %llx, recorded %llx",
			      f->name, i, (unsigned long long)j.a, (unsigned long long)j.b, (unsigned long long)j.c,
			      (unsigned long long)(d & mask), (unsigned long long)want);
	}
}

/* The packs, and how many of their cases are arithmetic of this folder. */
static const struct {
	const char *stem;
	int cases;
} packs[] = {{"scalar-float", 156}, {"scalar-half", 123}, {"scalar-cvt", 622}, {"approx", 36}};

START_TEST(recorded_results_are_reproduced)
{
	checked = 0;
	pack_each(packs[_i].stem, check_case);
	ck_assert_int_eq(checked, packs[_i].cases);
}
END_TEST

UNIT_TESTS("number/recorded", 0) { tcase_add_loop_test(unit, recorded_results_are_reproduced, 0, COUNT_OF(packs)); }
