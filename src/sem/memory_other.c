/* SPDX-License-Identifier: Apache-2.0
 *
 * The other memory instructions: prefetch, prefetchu, discard, applypriority, createpolicy (PTX ISA
 * 9.7.9), and the stack: stacksave, stackrestore, alloca (9.7.14). Caches have no influence on results:
 * hints do nothing.
 */
#include "sem/access.h"
#include "sem/pick.h"

MEANING_FUNCTION(hint)
{
	(void)w;
	(void)rows;
	(void)mask;
	return i + 1;
}
MEANING(hint);

/* --- Cache policies ------------------------------------------------------------------------- */

/* A policy is opaque. The words are those that CUTLASS keeps as constants for a fraction of one (first
 * 0x12f0..., last 0x14f0...); other fractions, ranges and conversions are not recorded. */
enum { POLICY_TAG = 0x10, POLICY_CODE_SHIFT = 57, POLICY_FRACTION_SHIFT = 52 };

static u64 policy_word(const struct form *f, u32 sixteenths)
{
	static const u16 codes[][2] = {{M_L2_evict_first, 1}, {M_L2_evict_last, 2}, {M_L2_evict_unchanged, 3}};
	const int primary = form_pick(f, M_L2_evict_normal, M_L2_evict_unchanged);
	u64 code = 0;

	for (u32 k = 0; k < COUNT_OF(codes); k++)
		if (codes[k][0] == primary)
			code = codes[k][1];
	return (u64)POLICY_TAG << 56 | code << POLICY_CODE_SHIFT | (u64)(sixteenths - 1) << POLICY_FRACTION_SHIFT;
}

MEANING_FUNCTION(policy_fraction)
{
	const struct form *f = warp_form(w, i);
	const u32 *fraction = i->a == NO_OPERAND ? NULL : ROW_OF(u32, i->a);
	u64 *d = ROW_OF(u64, i->d);

	for (u32 l = 0; l < WARP_LANES; l++) {
		f32 part = 1.0f;
		if (!(mask >> l & 1))
			continue;
		if (fraction)
			memcpy(&part, &fraction[l], sizeof part);
		d[l] = policy_word(f, part >= 1.0f ? 16 : part > 0.0625f ? (u32)(part * 16.0f) : 1);
	}
	return i + 1;
}
MEANING(policy_fraction);

MEANING_FUNCTION(policy_range)
{
	u64 *d = ROW_OF(u64, warp_operands(w, i)[0]);
	const u64 word = policy_word(warp_form(w, i), 16);

	EACH_LANE
		d[l] = mask & lane_bit[l] ? word : d[l];
	return i + 1;
}
MEANING(policy_range);

LANE1(policy_cvt, b64, b64, a);

/* --- The stack ------------------------------------------------------------------------------ */

/* The lanes of a frame share one top: an allocation is as large as the largest that a lane asks for. */
enum { STACK_ALIGN = 16 };

static inline u64 lane_value(const u8 *rows, u32 offset, bool wide, u32 l)
{
	return wide ? ((const u64 *)(rows + offset))[l] : ((const u32 *)(rows + offset))[l];
}

static void write_address(u8 *rows, u32 offset, bool wide, u32 mask, u64 value)
{
	for (u32 l = 0; l < WARP_LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		if (wide)
			((u64 *)(rows + offset))[l] = value;
		else
			((u32 *)(rows + offset))[l] = (u32)value;
	}
}

MEANING_FUNCTION(stack_take)
{
	const struct form *f = warp_form(w, i);
	const bool wide = type_bits(form_type(f, 0)) == 64;
	const u64 align = f->immediate_count && f->immediates[0] > STACK_ALIGN ? (u64)f->immediates[0] : STACK_ALIGN;
	u64 bytes = 0;

	for (u32 l = 0; l < WARP_LANES; l++)
		if (mask >> l & 1)
			bytes = max_u64(bytes, lane_value(rows, i->a, wide, l));
	const u64 at = (w->frame->local_top + align - 1) / align * align;
	if (bytes > UINT32_MAX || !warp_local_reserve(w, i, at + bytes))
		return bytes > UINT32_MAX ? warp_fault(w, i, FAULT_STACK_OVERFLOW, 0, "alloca of %llu bytes",
						       (unsigned long long)bytes)
					  : NULL;
	w->frame->local_top = at + bytes;
	write_address(rows, i->d, wide, mask, at);
	return i + 1;
}
MEANING(stack_take);

MEANING_FUNCTION(stacksave)
{
	write_address(rows, i->d, type_bits(form_type(warp_form(w, i), 0)) == 64, mask, w->frame->local_top);
	return i + 1;
}
MEANING(stacksave);

/* Lanes that are elsewhere may still use what lies above: then nothing is given back. */
MEANING_FUNCTION(stackrestore)
{
	const bool wide = type_bits(form_type(warp_form(w, i), 0)) == 64;
	u64 top = 0;

	if (mask != w->live)
		return i + 1;
	for (u32 l = 0; l < WARP_LANES; l++)
		if (mask >> l & 1)
			top = max_u64(top, lane_value(rows, i->a, wide, l));
	if (top < w->frame->local_top && top >= w->frame->local_base + w->frame->code->local_bytes)
		w->frame->local_top = top;
	return i + 1;
}
MEANING(stackrestore);

PICK_ONE(hint)
static const struct meaning *pick_policy_fraction(const struct form *f)
{
	const f32 part = f->constant_mask & 2 ? f32_of_bits((u32)f->constants[1]) : 1.0f;

	return part > 0.0f && part <= 1.0f ? &policy_fraction : NULL;
}
/* A constant part is no more than a constant whole. */
static const struct meaning *pick_policy_range(const struct form *f)
{
	const bool constant = f->constant_mask >> 3 & 1 && f->constant_mask >> 4 & 1;

	return constant && f->constants[3] > f->constants[4] ? NULL : &policy_range;
}
PICK_ONE(policy_cvt)
/* An alignment is a power of two. */
static const struct meaning *pick_stack_take(const struct form *f)
{
	const s64 align = f->immediate_count ? f->immediates[0] : 8;

	return align > 0 && align <= 1 << 23 && !(align & (align - 1)) ? &stack_take : NULL;
}
PICK_ONE(stacksave)
PICK_ONE(stackrestore)

#define PRIMARY      "(.L2::evict_last|.L2::evict_normal|.L2::evict_first|.L2::evict_unchanged)"
#define SECONDARY    "[.L2::evict_first|.L2::evict_unchanged]"
#define DOC_PREFETCH "Brings a line into a cache; no effect here."

static const struct isa_row rows_memory_other[] = {
	ROW("prefetch[.global|.local](.L1|.L2)", "@", 20, 20, 0, pick_hint, DOC_PREFETCH),
	ROW("prefetch[.global](.L2::evict_last|.L2::evict_normal)", "@", 74, 80, 0, pick_hint, DOC_PREFETCH),
	ROW("prefetch[.const|.param].tensormap", "@", 80, 90, 0, pick_hint, DOC_PREFETCH),
	ROW("prefetchu.L1", "@global", 20, 20, 0, pick_hint, DOC_PREFETCH),
	ROW("discard[.global].L2", "@ #u32<128,128>", 74, 80, 0, pick_hint,
	    "Gives up the data of cache lines; no effect here."),
	ROW("applypriority[.global].L2::evict_normal", "@ #u32<128,128>", 74, 80, 0, pick_hint,
	    "Changes the eviction priority of cache lines; no effect here."),
	ROW("createpolicy.fractional" PRIMARY SECONDARY ".b64", "=u64 ?f32", 74, 80, 0, pick_policy_fraction,
	    "Makes a cache policy."),
	ROW("createpolicy.range[.global]" PRIMARY SECONDARY ".b64", "=u64 @ u32 u32", 74, 80, 0, pick_policy_range,
	    "Makes a cache policy."),
	ROW("createpolicy.cvt.L2.b64", "=u64 u64", 74, 80, 0, pick_policy_cvt, "Makes a cache policy."),
	ROW("alloca(.u32|.u64)", "=0 0 ?#u32", 73, 52, 0, pick_stack_take, "Takes space from the thread's stack."),
	ROW("stacksave(.u32|.u64)", "=0", 73, 52, 0, pick_stacksave, "The stack's top."),
	ROW("stackrestore(.u32|.u64)", "0", 73, 52, 0, pick_stackrestore, "Sets the stack's top."),
};
FAMILY(family_memory_other, "Caches, stack", CLASS_MEMORY, rows_memory_other);
