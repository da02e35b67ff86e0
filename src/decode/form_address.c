/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/form_address.h"

enum ir_space form_space(const struct form *f)
{
	switch (form_pick(f, M_const, M_shared_cluster)) {
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
