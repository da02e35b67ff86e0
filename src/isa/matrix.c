/* SPDX-License-Identifier: Apache-2.0
 *
 * From the words of a matrix instruction to the multiplication they name.
 */
#include "isa/matrix.h"

#include <stdlib.h>

static bool format_of(int type, enum tensor_format *format)
{
	static const struct {
		u16 type;
		enum tensor_format format;
	} formats[] = {
		{T_f16, TENSOR_F16},   {T_bf16, TENSOR_BF16}, {T_tf32, TENSOR_TF32}, {T_e4m3, TENSOR_E4M3},
		{T_e5m2, TENSOR_E5M2}, {T_f32, TENSOR_F32},   {T_f64, TENSOR_F64},   {T_s8, TENSOR_S8},
		{T_u8, TENSOR_U8},     {T_s4, TENSOR_S4},     {T_u4, TENSOR_U4},     {T_b1, TENSOR_B1},
		{T_s32, TENSOR_S32},   {T_e3m2, TENSOR_E3M2}, {T_e2m3, TENSOR_E2M3}, {T_e2m1, TENSOR_E2M1},
	};

	for (u32 k = 0; k < COUNT_OF(formats); k++)
		if (formats[k].type == type) {
			*format = formats[k].format;
			return true;
		}
	return false;
}

/* "m16n8k16" to its three numbers. */
static bool shape_of(const struct form *form, struct tensor_form *tensor)
{
	for (u32 k = 0; k < form->token_count; k++) {
		const char *text = token_text(form->tokens[k]);
		char *end;
		if (*text != 'm' || text[1] < '0' || text[1] > '9')
			continue;
		tensor->m = (u16)strtoul(text + 1, &end, 10);
		if (*end != 'n')
			continue;
		tensor->n = (u16)strtoul(end + 1, &end, 10);
		if (*end != 'k')
			continue;
		tensor->k = (u16)strtoul(end + 1, &end, 10);
		return true;
	}
	return false;
}

/* A wmma fragment alone: the other operands' formats are any that go with it. */
static bool fragment_formats(const struct form *form, struct tensor_form *t)
{
	enum tensor_format own;

	if (!format_of(form_type(form, 0), &own))
		return false;
	const bool factor = form_pick(form, M_a, M_b) != TOKEN_NONE;
	t->a = own;
	if (!factor && own == TENSOR_F32)
		t->a = t->k == 8 ? TENSOR_TF32 : TENSOR_F16;
	else if (!factor && own == TENSOR_S32)
		t->a = t->k == 128 ? TENSOR_B1 : t->k == 32 ? TENSOR_S4 : TENSOR_S8;
	t->b = t->a;
	t->c = own;
	if (factor)
		t->c = own == TENSOR_F64 ? TENSOR_F64 : tensor_format_bits(own) >= 16 ? TENSOR_F32 : TENSOR_S32;
	t->d = t->c;
	return true;
}

/* Types stand in the order d, a, b, c; wgmma has no c, wmma with f16 only d and c. */
static bool formats_of(const struct form *form, struct tensor_form *t)
{
	if (form->type_count == 2) {
		t->a = t->b = TENSOR_F16;
		return format_of(form->types[0], &t->d) && format_of(form->types[1], &t->c);
	}
	return form->type_count >= 3 && format_of(form->types[0], &t->d) && format_of(form->types[1], &t->a) &&
	       format_of(form->types[2], &t->b) && format_of(form->types[form->type_count == 3 ? 0 : 3], &t->c);
}

/* mma with .kind: e2m1 stands in bytes beside the wider formats; scales for blocks of elements, one, two or four of a row. */
static void describe_kind(const struct form *form, struct tensor_form *t)
{
	const int kind = form_pick(form, M_kind_f8f6f4, M_kind_mxf4nvf4),
		  size = form_pick(form, M_scale_vec_1X, M_scale_vec_4X);

	t->narrow = kind != TOKEN_NONE;
	if (kind == M_kind_f8f6f4 || kind == M_kind_mxf8f6f4) {
		t->a = t->a == TENSOR_E2M1 ? TENSOR_E2M1_CENTRAL : t->a;
		t->b = t->b == TENSOR_E2M1 ? TENSOR_E2M1_CENTRAL : t->b;
	}
	if (!form_has(form, M_block_scale))
		return;
	t->scales = size == M_scale_vec_4X ? 4 : size == M_scale_vec_2X || kind == M_kind_mxf4 ? 2 : 1;
	t->ue4m3 = form_type(form, form->type_count - 1) == T_ue4m3;
}

static enum round round_of(const struct form *form)
{
	switch (form_pick(form, M_rn, M_rp)) {
	case M_rz:
		return ROUND_RZ;
	case M_rm:
		return ROUND_RM;
	case M_rp:
		return ROUND_RP;
	default:
		return ROUND_RN;
	}
}

/* wgmma's imm-scale-a and imm-scale-b: products change sign if one of them is -1. */
static bool negates(const struct form *form, const struct tensor_form *t)
{
	const u32 first = t->sparse ? 1 : 0;

	return form->immediate_count >= first + 2 && (form->immediates[first] < 0) != (form->immediates[first + 1] < 0);
}

bool isa_tensor_form(const struct form *form, struct tensor_form *t)
{
	*t = (struct tensor_form){.family = form->opcode == OP_wmma    ? TENSOR_WMMA
					    : form->opcode == OP_wgmma ? TENSOR_WGMMA
								       : TENSOR_MMA};
	const bool fragment = form_has(form, M_load) || form_has(form, M_store);
	if (!shape_of(form, t) || !(fragment ? fragment_formats(form, t) : formats_of(form, t)))
		return false;
	t->sparse = form_has(form, M_sp) || form_has(form, M_spo);
	t->satfinite = form_has(form, M_satfinite);
	t->round = round_of(form);
	t->bit_op = form_has(form, M_and) ? TENSOR_AND_POPC : TENSOR_XOR_POPC;
	t->negate = t->family == TENSOR_WGMMA && negates(form, t);
	if (t->family == TENSOR_MMA)
		describe_kind(form, t);
	return tensor_form_resolve(t);
}

enum tensor_role isa_wmma_role(const struct form *form)
{
	switch (form_pick(form, M_a, M_d)) {
	case M_a:
		return TENSOR_ROLE_A;
	case M_b:
		return TENSOR_ROLE_B;
	case M_c:
		return TENSOR_ROLE_C;
	default:
		return TENSOR_ROLE_D;
	}
}

u32 isa_fragment_registers(const struct form *form, char letter)
{
	struct tensor_form t;

	return isa_tensor_form(form, &t) ? tensor_fragment_registers(&t, (enum tensor_role)(letter - 'A')) : 0;
}

u32 isa_matrix_rows(const struct form *form)
{
	const u32 matrices = form_has(form, M_x4) ? 4 : form_has(form, M_x2) ? 2 : 1;

	return matrices * (form_has(form, M_m16n16) ? 16 : 8);
}
