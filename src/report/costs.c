/* SPDX-License-Identifier: Apache-2.0
 *
 * From the sums of an account to what an instruction or a line cost in each state space. The reports' tables (memory.c,
 * lines.c) and findings (findings.c) all go by these.
 */
#include "report/costs.h"

const char *memory_space_name(enum ir_space space)
{
	const bool other = space == SPACE_SHARED || space == SPACE_LOCAL || space == SPACE_CONST;

	return ir_space_name(other ? space : SPACE_GLOBAL);
}

/* One entry for each state space that the site has reached: a generic access may have several. */
u32 memory_costs(const struct account *account, struct memory_cost costs[MEMORY_SPACES])
{
	const u64 *n = account->n;
	const struct memory_cost all[MEMORY_SPACES] = {
		{SPACE_SHARED, "wavefront", n[ACCOUNT_shared_instructions],
		 n[ACCOUNT_shared_wavefronts] + n[ACCOUNT_shared_load_wavefronts], n[ACCOUNT_shared_ideal]},
		{SPACE_GLOBAL, "sector", n[ACCOUNT_global_instructions], n[ACCOUNT_global_sectors],
		 n[ACCOUNT_global_ideal_sectors]},
		{SPACE_LOCAL, "sector", n[ACCOUNT_local_instructions], n[ACCOUNT_local_sectors],
		 n[ACCOUNT_local_ideal_sectors]},
		{SPACE_CONST, "request", n[ACCOUNT_const_instructions], n[ACCOUNT_const_requests],
		 n[ACCOUNT_const_instructions]},
	};
	u32 count = 0;

	for (u32 k = 0; k < MEMORY_SPACES; k++)
		if (all[k].executed)
			costs[count++] = all[k];
	return count;
}

u64 memory_excess(const struct memory_cost *c) { return c->cost > c->ideal ? c->cost - c->ideal : 0; }
