/* SPDX-License-Identifier: Apache-2.0
 *
 * Roles, by forms.
 */
#include "observe/race_roles.h"

#include "isa/form.h"
#include "observe/texels.h"

static enum race_scope scope_of(const struct form *f, enum race_scope otherwise)
{
	switch (form_pick(f, M_cta, M_gl)) {
	case TOKEN_NONE:
		return otherwise;
	case M_cta:
		return RACE_CTA;
	case M_cluster:
		return RACE_CLUSTER;
	default:
		return RACE_GPU;
	}
}

/* Of instructions that can do either: what their text says, or both. */
static u32 orders_of(const struct form *f, u32 otherwise)
{
	if (form_has(f, M_acq_rel) || form_has(f, M_sc))
		return RACE_ACQUIRES | RACE_RELEASES;
	if (form_has(f, M_acquire))
		return RACE_ACQUIRES;
	if (form_has(f, M_release))
		return RACE_RELEASES;
	return form_has(f, M_relaxed) ? 0 : otherwise;
}

static struct race_role mbarrier_role(const struct form *f)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(f, specs);
	struct race_role role = {.scope = (u8)scope_of(f, RACE_CTA)};

	while (role.address < count && specs[role.address].kind != '@')
		role.address++;
	if (role.address == count)
		return (struct race_role){0};
	role.does = RACE_MBARRIER | RACE_STRONG;
	if (form_has(f, M_init) || form_has(f, M_inval))
		role.does = RACE_MBARRIER | RACE_MBARRIER_INIT;
	else if (form_has(f, M_test_wait) || form_has(f, M_try_wait))
		role.does |= RACE_MBARRIER_WAIT | orders_of(f, RACE_ACQUIRES);
	else
		role.does |= orders_of(f, RACE_RELEASES);
	return role;
}

/* cp.async.mbarrier.arrive: it comes when the thread's copies are complete, and tells of them. */
static bool arrives_for_copies(const struct form *f)
{
	return f->row->traits & TRAIT_ASYNC && form_has(f, M_mbarrier) && form_has(f, M_arrive);
}

static bool is_fence(const struct form *f)
{
	const u32 others = TRAIT_BARRIER | TRAIT_WARP_BARRIER | TRAIT_CLUSTER_BARRIER | TRAIT_MBARRIER |
			   TRAIT_PROXY_FENCE | TRAIT_MAP_FENCE | TRAIT_ASYNC;

	return f->row->traits & TRAIT_ORDERS && !(f->row->traits & others) && !(f->row->flags & ISA_MEMORY) &&
	       !form_has(f, M_proxy);
}

/* Barriers that give a count of threads: behind the number, where it may be left out. */
static bool counts_threads(const struct form *f)
{
	const u32 at = f->has_result + 1u;

	return f->operand_count > at + form_has(f, M_red) && f->operand_bits[at];
}

static struct race_role texel_role(enum texel_use use)
{
	return (struct race_role){.does = RACE_TEXELS | (use == TEXEL_LOOKUP   ? RACE_READ_ONLY
							 : use == TEXEL_REDUCE ? RACE_STRONG
									       : 0),
				  .scope = RACE_GPU};
}

/* Bulk and tensor copies, stores to other blocks that an mbarrier counts, and wgmma. */
static bool goes_on(const struct form *f)
{
	return f->row->traits & TRAIT_ASYNC && f->row->traits & (TRAIT_UNSEEN | TRAIT_MULTIPLIES);
}

struct race_role race_role_of(const struct form *f)
{
	const u32 traits = f->row->traits;
	const enum texel_use use = texels_use(f);

	if (use != TEXEL_NONE)
		return texel_role(use);
	if (traits & TRAIT_CLUSTER_BARRIER)
		return (struct race_role){.does = form_has(f, M_wait)      ? RACE_CLUSTER_WAIT
						  : form_has(f, M_relaxed) ? RACE_CLUSTER_RELAXED
									   : RACE_CLUSTER_ARRIVE};
	if (traits & TRAIT_MBARRIER || arrives_for_copies(f))
		return mbarrier_role(f);
	if (traits & TRAIT_WARP_BARRIER)
		return (struct race_role){.does = RACE_LANES};
	if (traits & TRAIT_BARRIER)
		return (struct race_role){.does = form_has(f, M_arrive) ? RACE_ARRIVE : RACE_BARRIER,
					  .counts = counts_threads(f)};
	/* A tensor map that was changed has a fence of its own, which the strict checker asks for. */
	if (traits & (TRAIT_PROXY_FENCE | TRAIT_MAP_FENCE))
		return (struct race_role){
			.does = form_pick(f, M_shared_cta, M_shared_cluster) == TOKEN_NONE ? RACE_PROXY_FENCE : 0};
	if (is_fence(f))
		return (struct race_role){.does = RACE_FENCE | orders_of(f, RACE_ACQUIRES | RACE_RELEASES),
					  .scope = (u8)scope_of(f, RACE_GPU)};
	if (f->row->flags & ISA_ATOMIC || form_has(f, M_volatile) || form_has(f, M_relaxed) || form_has(f, M_acquire) ||
	    form_has(f, M_release) || form_has(f, M_mmio))
		return (struct race_role){.does = RACE_STRONG | orders_of(f, 0) |
						  (form_has(f, M_volatile) ? RACE_VOLATILE : 0),
					  .scope = (u8)scope_of(f, RACE_GPU)};
	if (form_has(f, M_launch_dependents))
		return (struct race_role){.does = RACE_GRID_LETS};
	if (form_has(f, M_wait) && !f->operand_count)
		return (struct race_role){.does = RACE_GRID_WAIT};
	if (form_has(f, M_nc))
		return (struct race_role){.does = RACE_READ_ONLY};
	return (struct race_role){.does = (form_has(f, M_sync) ? RACE_EXCHANGE : 0) | (goes_on(f) ? RACE_ASYNC : 0)};
}
