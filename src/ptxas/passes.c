/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes of the assembler in their order.
 */
#include "ptxas/ptxas.h"

static const struct {
	assemble_fn *run;
	bool in_debug_modules;
} passes[] = {
	{divide_by_constants, false}, {fold_constants, false}, {contract_products, false},
	{fold_instructions, false},   {place_constants, true}, {order_operands, false},
};

void ptxas_assemble(const struct assembling *a)
{
	for (u32 k = 0; k < COUNT_OF(passes); k++)
		if (a->optimises || passes[k].in_debug_modules)
			passes[k].run(a);
}
