/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/form_address.h"

enum ir_space form_token_space(int token)
{
	switch (token) {
	case M_const:
		return SPACE_CONST;
	case M_global:
		return SPACE_GLOBAL;
	case M_local:
		return SPACE_LOCAL;
	case M_param:
	case M_param_entry:
	case M_param_func:
		return SPACE_PARAM;
	case M_shared:
	case M_shared_cta:
	case M_shared_cluster:
		return SPACE_SHARED;
	default:
		return SPACE_GENERIC;
	}
}

enum ir_space form_space_of(const struct form *f, u32 address)
{
	u32 seen = 0;

	for (u32 k = 0; k < f->token_count; k++)
		if (f->tokens[k] >= M_const && f->tokens[k] <= M_shared_cluster && seen++ == address)
			return form_token_space(f->tokens[k]);
	return seen ? SPACE_SHARED : SPACE_GENERIC;
}

enum ir_space form_space(const struct form *f) { return form_space_of(f, 0); }

u32 form_base_bits(const struct form *f)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(f, specs);
	u32 at = 0;

	/* An address counts two flattened operands: its base comes first. */
	for (u32 k = 0; k < count && specs[k].kind != '@'; k++)
		at += specs[k].vector + (specs[k].second != TOKEN_NONE);
	return at < f->operand_count ? f->operand_bits[at] : 0;
}

u32 form_coordinates(const struct form *f)
{
	if (form_has(f, M_dim1))
		return 1;
	if (form_has(f, M_dim2) || form_has(f, M_a1d))
		return 2;
	return form_has(f, M_dim3) || form_pick(f, M_a2d, M_a2dms) ? 4 : 0;
}
