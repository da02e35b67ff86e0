/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous copies and stores (PTX ISA 9.7.9.25): cp.async, cp.async.bulk, cp.reduce.async.bulk,
 * st.async, red.async, st.bulk, and taking the work of clusters (clusterlaunchcontrol). Tensor copies are in
 * async_tensor.c.
 *
 * Each active lane carries out its own copy, lowest lane first. In eager mode it does so at the
 * instruction: groups then have nothing to wait for, and an mbarrier gets its bytes at once.
 *
 * An instruction's life, by the lane functions (..._lane) that the macros of src/sem/async.h make handlers of:
 *
 *      eager    the lanes act at once; arrivals and bytes reach their mbarrier at once
 *      strict   the same, but each operation is on record until it is waited for (observe/async_check.c)
 *      random   the lanes' arguments are kept, and act at a random later moment, before they are waited for (async_later.c)
 */
#include "sem/async.h"

/* --- cp.async ------------------------------------------------------------------------------- */

/* The bytes to read of `size`: none by ignore-src, as many as src-size says, or all. */
static u32 source_bytes(const struct operands *o, u32 size, u32 lane)
{
	if (!operand_given(o, 4) || o->form->operand_bits[4] == 64)
		return size;
	if (o->form->operand_bits[4] > 1)
		return (u32)operand_value(o, 4, lane);
	return operand_predicate(o, 4, lane) ? 0 : size;
}

/* Operands: destination, source, then src-size or ignore-src if given; the size is a constant. */
static bool cp_async_lane(struct operands *o, u32 l)
{
	const u32 size = (u32)o->form->immediates[0], count = source_bytes(o, size, l);
	const u64 from = operand_address(o, 2, l);
	u8 bytes[16] = {0};

	if (count > size) {
		warp_fault(o->w, o->i, FAULT_ILLEGAL_INSTRUCTION, 1u << l, "%u bytes of a source for %u bytes", count,
			   size);
		return false;
	}
	if (from % size) {
		warp_fault_address(o->w, o->i, FAULT_MISALIGNED, l, from, size, SPACE_GLOBAL, false);
		return false;
	}
	if (count) {
		const u8 *source = range_pointer(o, l, SPACE_GLOBAL, from, count, 1, false);
		if (!source)
			return false;
		memcpy(bytes, source, count);
	}
	u8 *to = range_pointer(o, l, SPACE_SHARED, operand_address(o, 0, l), size, size, true);
	if (!to)
		return false;
	memcpy(to, bytes, size);
	return true;
}

/* The lanes' addresses of operand k, as operand_address gives each. */
static void lane_addresses(const struct operands *o, u32 k, u64 address[WARP_LANES])
{
	const u8 *row = o->rows + o->list[k];
	const u32 offset = o->list[k + 1];

	if (o->form->operand_bits[k] > 32)
		EACH_LANE
			address[l] = ((const u64 *)(const void *)row)[l] + (u64)(s64)(s32)offset;
	else
		EACH_LANE
			address[l] = ((const u32 *)(const void *)row)[l] + offset;
}

/* Lane by lane in order: the last of those that write the same place counts. */
static void copy_pieces(u8 *to, const u64 to_at[WARP_LANES], const u8 *from, const u64 from_at[WARP_LANES], u32 mask,
			u32 size)
{
	if (size == 16)
		EACH_ACTIVE (l)
			memcpy(to + to_at[l], from + from_at[l], 16);
	else if (size == 8)
		EACH_ACTIVE (l)
			memcpy(to + to_at[l], from + from_at[l], 8);
	else
		EACH_ACTIVE (l)
			memcpy(to + to_at[l], from + from_at[l], 4);
}

/* Lanes that read less than they write: the rest is zeros. */
static void copy_parts(u8 *to, const u64 to_at[WARP_LANES], const u8 *from, const u64 from_at[WARP_LANES],
		       const u32 count[WARP_LANES], u32 mask, u32 size)
{
	EACH_ACTIVE (l) {
		u8 bytes[16] = {0};
		if (count[l])
			memcpy(bytes, from + from_at[l], count[l]);
		memcpy(to + to_at[l], bytes, size);
	}
}

/* The bytes that each lane reads; *reading: the lanes that read any. False: a lane asks for too many. */
static bool source_counts(const struct operands *o, u32 mask, u32 size, u32 count[WARP_LANES], u32 *reading)
{
	*reading = 0;
	EACH_ACTIVE (l) {
		count[l] = source_bytes(o, size, l);
		if (count[l] > size)
			return false;
		*reading |= (u32) !!count[l] << l;
	}
	return true;
}

/* All lanes' pieces at once, where their sources lie in one allocation and their destinations in the block's own memory,
 * as they mostly do. False: nothing has been done, and lane by lane tells why. */
static bool cp_async_together(const struct operands *o, u32 mask)
{
	const u32 size = (u32)o->form->immediates[0];
	u64 from[WARP_LANES], to[WARP_LANES];
	u32 count[WARP_LANES], reading = mask;
	const bool parts = operand_given(o, 4) && o->form->operand_bits[4] != 64;
	const u8 *source = NULL;

	lane_addresses(o, 0, to);
	lane_addresses(o, 2, from);
	const struct extent t = extent_of(to, mask), all = extent_of(from, mask);
	if ((t.bits | all.bits) & (size - 1) || (parts && !source_counts(o, mask, size, count, &reading)))
		return false;
	const struct extent f = reading == mask ? all : extent_of(from, reading);
	if (reading && !(source = space_range(o->w, o->i, SPACE_GLOBAL, f.low, f.high + size, false)))
		return false;
	u8 *target = space_range(o->w, o->i, SPACE_SHARED, t.low, t.high + size, true);
	if (!target)
		return false;
	EACH_LANE {
		from[l] -= f.low;
		to[l] -= t.low;
	}
	if (parts)
		copy_parts(target, to, source, from, count, mask, size);
	else
		copy_pieces(target, to, source, from, mask, size);
	return true;
}

MEANING_FUNCTION(cp_async)
{
	struct operands o = operands_of(w, i, rows);

	if (LIKELY(w->grid->async == ASYNC_EAGER && mask) && cp_async_together(&o, mask))
		return i + 1;
	return async_lanes(&o, mask, cp_async_lane, ASYNC_COPY, false) ? i + 1 : NULL;
}
ASYNC_MEANING_GANG(cp_async);

static const struct meaning *pick_cp_async(const struct form *f)
{
	const s64 size = f->immediates[0];

	if (!f->operand_count)
		return &cp_async;
	/* A constant number of bytes that are read is no more than that. */
	if (f->operand_bits[4] == 32 && f->constant_mask >> 4 & 1 && f->constants[4] > (u64)size)
		return NULL;
	return size == 16 || (!form_has(f, M_cg) && (size == 4 || size == 8)) ? &cp_async : NULL;
}

/* Prefetches. */
MEANING_FUNCTION(async_nothing)
{
	(void)w;
	(void)rows;
	(void)mask;
	return i + 1;
}
MEANING_EACH(async_nothing);
ASYNC_PICK_ONLY(async_nothing)

static enum async_kind group_kind(const struct form *f) { return form_has(f, M_bulk) ? ASYNC_BULK : ASYNC_COPY; }

MEANING_FUNCTION(async_commit_group)
{
	(void)rows;
	if (UNLIKELY(w->grid->async != ASYNC_EAGER))
		async_commit(w, group_kind(warp_form(w, i)), mask);
	return i + 1;
}
ASYNC_MEANING_GANG(async_commit_group);
ASYNC_PICK_ONLY(async_commit_group)

/* The kind is told apart, and not looked up in the form: one instruction of machine code waits for both, with one form. */
static const struct insn *wait_for_groups(struct warp *w, const struct insn *i, u32 mask, enum async_kind kind)
{
	if (LIKELY(w->grid->async == ASYNC_EAGER))
		return i + 1;
	const struct form *f = warp_form(w, i);
	const bool all = form_has(f, M_full_wait);
	return async_wait(w, kind, mask, all ? 0 : (u32)f->immediates[0], all, form_has(f, M_read)) ? i + 1 : NULL;
}

MEANING_FUNCTION(async_wait_group)
{
	(void)rows;
	return wait_for_groups(w, i, mask, ASYNC_COPY);
}
ASYNC_MEANING_GANG(async_wait_group);
ASYNC_PICK_ONLY(async_wait_group)

MEANING_FUNCTION(async_wait_bulk)
{
	(void)rows;
	return wait_for_groups(w, i, mask, ASYNC_BULK);
}
ASYNC_MEANING_GANG(async_wait_bulk);
ASYNC_PICK_ONLY(async_wait_bulk)

static enum ir_space arrival_space(const struct form *f)
{
	return form_pick(f, M_shared, M_shared_cta) == TOKEN_NONE ? SPACE_GENERIC : SPACE_SHARED;
}

/* The arrival itself: at once, or when the lane's copies are done (random). */
static bool cp_async_arrive_lane(struct operands *o, u32 l)
{
	struct mbarrier b;

	if (!mbarrier_load(o, l, arrival_space(o->form), operand_address(o, 0, l), &b))
		return false;
	if (!b.pending) {
		warp_fault(o->w, o->i, FAULT_ASYNC, 1u << l, "an arrival at an mbarrier that has none pending");
		return false;
	}
	b.pending--;
	mbarrier_store(o, &b);
	return true;
}

/* The arrival at the end of earlier cp.async of the thread; without .noinc the phase expects one more. */
MEANING_FUNCTION(cp_async_arrive)
{
	struct operands o = operands_of(w, i, rows);
	const bool one_more = !form_has(o.form, M_noinc);

	EACH_ACTIVE (l) {
		struct mbarrier b;
		if (!mbarrier_load(&o, l, arrival_space(o.form), operand_address(&o, 0, l), &b))
			return NULL;
		b.pending += one_more;
		const u64 word = mbarrier_word(&b);
		memcpy(b.at, &word, 8);
		if (UNLIKELY(w->grid->async == ASYNC_STRICT))
			async_bind(w, l, b.at);
		if (LIKELY(w->grid->async != ASYNC_RANDOM) && !cp_async_arrive_lane(&o, l))
			return NULL;
	}
	if (UNLIKELY(w->grid->async == ASYNC_RANDOM) && !async_arrivals_later(&o, mask, cp_async_arrive_lane))
		return NULL;
	return i + 1;
}
ASYNC_PICK(cp_async_arrive)

/* --- Bulk copies ---------------------------------------------------------------------------- */

enum { BULK_ALIGN = 16 };

static bool size_fits(const struct operands *o, u32 lane, u64 size)
{
	if (LIKELY(size % BULK_ALIGN == 0))
		return true;
	warp_fault(o->w, o->i, FAULT_ILLEGAL_INSTRUCTION, 1u << lane, "%llu bytes are not a multiple of %d",
		   (unsigned long long)size, BULK_ALIGN);
	return false;
}

/* Blocks of the cluster that a copy goes to: bits of a mask, or 0 for just the address as it is. */
static u32 multicast_mask(const struct operands *o, u32 operand, u32 lane)
{
	return form_has(o->form, M_multicast_cluster) ? (u32)operand_value(o, operand, lane) & 0xffff : 0;
}

/* One lane's copy into shared memory of one block, and the bytes to its mbarrier. */
static bool bulk_deliver(const struct operands *o, u32 lane, u64 to, u64 mbarrier, const u8 *from, u32 size)
{
	u8 *p = range_pointer(o, lane, SPACE_SHARED, to, size, BULK_ALIGN, true);

	if (!p)
		return false;
	memmove(p, from, size);
	return mbarrier_complete_tx(o, lane, mbarrier, size);
}

/* Into shared memory: destination, source, size, mbarrier, mask of blocks. */
static bool bulk_to_shared_lane(struct operands *o, u32 l)
{
	const enum ir_space source = form_has(o->form, M_global) ? SPACE_GLOBAL : SPACE_SHARED;
	const u64 to = operand_address(o, 0, l), mbarrier = operand_address(o, 5, l);
	const u32 size = (u32)operand_value(o, 4, l), ranks = multicast_mask(o, 7, l);

	if ((source == SPACE_SHARED && !needs_cluster(o)) || !size_fits(o, l, size))
		return false;
	const u8 *from = range_pointer(o, l, source, operand_address(o, 2, l), size, BULK_ALIGN, false);
	if (!from)
		return false;
	if (!form_has(o->form, M_multicast_cluster))
		return bulk_deliver(o, l, to, mbarrier, from, size);
	for (u32 left = ranks; left; left &= left - 1) {
		const u32 rank = (u32)__builtin_ctz(left);
		if (UNLIKELY(o->op) && left != ranks)
			o->op = async_again(o->w, o->op);
		if (!bulk_deliver(o, l, shared_of_rank(o->w, to, rank), shared_of_rank(o->w, mbarrier, rank), from,
				  size))
			return false;
	}
	return true;
}
ASYNC_MEANING(bulk_to_shared, ASYNC_BYTES, false)

/* Into global memory: destination, source, size, cache policy if hinted, mask of bytes if masked.
 * Byte k is written only if bit k mod 16 of the mask is set. */
static bool bulk_to_global_lane(struct operands *o, u32 l)
{
	const u32 mask_operand = form_has(o->form, M_L2_cache_hint) ? 6 : 5, size = (u32)operand_value(o, 4, l);
	const u32 bytes = form_has(o->form, M_cp_mask) ? (u32)operand_value(o, mask_operand, l) : 0xffff;

	if (!size_fits(o, l, size))
		return false;
	const u8 *from = range_pointer(o, l, SPACE_SHARED, operand_address(o, 2, l), size, BULK_ALIGN, false);
	u8 *to = from ? range_pointer(o, l, SPACE_GLOBAL, operand_address(o, 0, l), size, BULK_ALIGN, true) : NULL;
	if (!to)
		return false;
	for (u32 k = 0; k < size; k++)
		if (bytes >> k % 16 & 1)
			to[k] = from[k];
	return true;
}
ASYNC_MEANING(bulk_to_global, ASYNC_BULK, false)

/* The form's first type; operands as of the copies.
 * Element by element; on global memory by the host's atomic operations, as other host threads may reduce there, too. */
static void bulk_reduce(const struct operands *o, u8 *to, const u8 *from, u32 size, bool global)
{
	const int op = reduce_op(o->form), type = form_type(o->form, 0);
	const u32 bytes = type_bits(type) / 8;

	for (u32 at = 0; at < size; at += bytes)
		if (global)
			reduce_global(o->w, op, type, to + at, from + at);
		else
			reduce_element(op, type, to + at, from + at);
}

static bool bulk_reduce_shared_lane(struct operands *o, u32 l)
{
	const u32 size = (u32)operand_value(o, 4, l);

	if (!needs_cluster(o) || !size_fits(o, l, size))
		return false;
	const u8 *from = range_pointer(o, l, SPACE_SHARED, operand_address(o, 2, l), size, BULK_ALIGN, false);
	u8 *to = from ? range_pointer(o, l, SPACE_SHARED, operand_address(o, 0, l), size, BULK_ALIGN, true) : NULL;
	if (!to)
		return false;
	bulk_reduce(o, to, from, size, false);
	return mbarrier_complete_tx(o, l, operand_address(o, 5, l), size);
}
ASYNC_MEANING(bulk_reduce_shared, ASYNC_BYTES, true)

static bool bulk_reduce_global_lane(struct operands *o, u32 l)
{
	const u32 size = (u32)operand_value(o, 4, l);

	if (!size_fits(o, l, size))
		return false;
	const u8 *from = range_pointer(o, l, SPACE_SHARED, operand_address(o, 2, l), size, BULK_ALIGN, false);
	u8 *to = from ? range_pointer(o, l, SPACE_GLOBAL, operand_address(o, 0, l), size, BULK_ALIGN, true) : NULL;
	if (!to)
		return false;
	fp_enter(o->w, FP_RN);
	bulk_reduce(o, to, from, size, true);
	return true;
}
ASYNC_MEANING(bulk_reduce_global, ASYNC_BULK, true)

/* Zeros into own shared memory: address, size, the constant 0. */
MEANING_FUNCTION(st_bulk)
{
	const struct operands o = operands_of(w, i, rows);
	const enum ir_space space = form_has(o.form, M_shared_cta) ? SPACE_SHARED : SPACE_GENERIC;

	EACH_ACTIVE (l) {
		const u64 size = operand_value(&o, 2, l);
		if (size % 8)
			return warp_fault(w, i, FAULT_ILLEGAL_INSTRUCTION, 1u << l,
					  "%llu bytes are not a multiple of 8", (unsigned long long)size);
		u8 *p = range_pointer(&o, l, space, operand_address(&o, 0, l), size, 8, true);
		if (!p)
			return NULL;
		memset(p, 0, size);
	}
	return i + 1;
}
ASYNC_PICK(st_bulk)

/* --- The work of clusters that have not begun ------------------------------------------------- */

/* The response is opaque to kernels: the first block's three indices, and 1; or zeros. */
enum { RESPONSE_BYTES = 16, OFFSET_MASK = (1u << SHARED_RANK_SHIFT) - 1 };

/* Takes a window's begin off an address that is generic, because the form names no space. */
static bool in_own_shared(const struct operands *o, u32 lane, u64 *address, u64 *window)
{
	const u64 given = *address;

	*window = 0;
	if (form_has(o->form, M_shared_cta))
		return true;
	if (generic_space(o->w, address) != SPACE_SHARED) {
		warp_fault_address(o->w, o->i, FAULT_OUT_OF_BOUNDS, lane, given, RESPONSE_BYTES, SPACE_GENERIC, true);
		return false;
	}
	*window = given - *address;
	return true;
}

/* As ptxas takes it apart: x; y and z, 16 bits each; whether there was one. */
static void pack_response(u32 response[4])
{
	response[1] = (response[1] & 0xffff) | response[2] << 16;
	response[2] = 1;
}
static u32 first_ctaid(const u32 response[4], u32 axis)
{
	return axis == 0 ? response[0] : axis == 1 ? response[1] & 0xffff : response[1] >> 16;
}

/* Address of the response, mbarrier. */
static bool cancel_cluster_lane(struct operands *o, u32 l)
{
	u64 to = operand_address(o, 0, l), mbarrier = operand_address(o, 2, l), window, barriers;
	u32 response[4] = {0};

	if (!in_own_shared(o, l, &to, &window) || !in_own_shared(o, l, &mbarrier, &barriers))
		return false;
	if (worker_cancel_cluster(o->w->worker, response))
		pack_response(response);
	else
		memset(response, 0, sizeof response);
	if (!form_has(o->form, M_multicast_cluster_all))
		return bulk_deliver(o, l, to & OFFSET_MASK, barriers + mbarrier, (const u8 *)response, RESPONSE_BYTES);
	for (u32 rank = 0; rank < o->w->grid->blocks_per_cluster; rank++) {
		if (UNLIKELY(o->op) && rank)
			o->op = async_again(o->w, o->op);
		if (!bulk_deliver(o, l, shared_of_rank(o->w, to, rank), barriers + shared_of_rank(o->w, mbarrier, rank),
				  (const u8 *)response, RESPONSE_BYTES))
			return false;
	}
	return true;
}
ASYNC_MEANING(cancel_cluster, ASYNC_BYTES, false)

MEANING_FUNCTION(is_canceled)
{
	const u32 *from = (const u32 *)(const void *)(rows + i->a);
	u32 *to = (u32 *)(void *)(rows + i->d), yes = 0;

	(void)w;
	EACH_ACTIVE (l)
		yes |= (from[4 * l + 2] & 1) << l;
	*to = (*to & ~mask) | yes;
	return i + 1;
}
MEANING_EACH(is_canceled);
ASYNC_PICK_ONLY(is_canceled)

MEANING_FUNCTION(canceled_ctaid)
{
	const struct form *f = warp_form(w, i);
	const u32 axis = form_has(f, M_get_first_ctaid_x) ? 0 : form_has(f, M_get_first_ctaid_y) ? 1 : 2;
	const u32 *from = (const u32 *)(const void *)(rows + i->a);
	u32 *to = (u32 *)(void *)(rows + i->d);

	EACH_ACTIVE (l)
		to[l] = first_ctaid(from + 4 * l, axis);
	return i + 1;
}
MEANING_EACH(canceled_ctaid);
ASYNC_PICK_ONLY(canceled_ctaid)

/* Four destinations, of which the last is not defined, and the response. */
MEANING_FUNCTION(canceled_ctaids)
{
	const u32 *list = warp_operands(w, i), *from = (const u32 *)(const void *)(rows + list[4]);

	EACH_ACTIVE (l)
		for (u32 k = 0; k < 4; k++)
			if (list[k] != NO_OPERAND)
				((u32 *)(void *)(rows + list[k]))[l] = k < 3 ? first_ctaid(from + 4 * l, k) : 0;
	return i + 1;
}
MEANING_EACH(canceled_ctaids);
ASYNC_PICK_ONLY(canceled_ctaids)

/* --- Stores and reductions of registers ----------------------------------------------------- */

/* Address, value or values, mbarrier. */
static bool st_async_lane(struct operands *o, u32 l)
{
	const int v = form_pick(o->form, M_v2, M_v4);
	const u32 count = v == M_v2 ? 2 : v == M_v4 ? 4 : 1, bytes = type_bits(form_type(o->form, 0)) / 8;

	if (!needs_cluster(o))
		return false;
	u8 *p = range_pointer(o, l, cluster_space(o->form), operand_address(o, 0, l), count * bytes, count * bytes,
			      true);
	if (!p)
		return false;
	for (u32 k = 0; k < count; k++) {
		const u64 value = operand_value(o, 2 + k, l);
		memcpy(p + k * bytes, &value, bytes);
	}
	return mbarrier_complete_tx(o, l, operand_address(o, 2 + count, l), count * bytes);
}
ASYNC_MEANING(st_async, ASYNC_BYTES, false)

static bool red_async_lane(struct operands *o, u32 l)
{
	const int op = reduce_op(o->form), type = form_type(o->form, 0);
	const u32 bytes = type_bits(type) / 8;
	const u64 value = operand_value(o, 2, l);

	if (!needs_cluster(o))
		return false;
	u8 *p = range_pointer(o, l, cluster_space(o->form), operand_address(o, 0, l), bytes, bytes, true);
	if (!p)
		return false;
	reduce_element(op, type, p, (const u8 *)&value);
	return mbarrier_complete_tx(o, l, operand_address(o, 3, l), bytes);
}
ASYNC_MEANING(red_async, ASYNC_BYTES, true)

/* The forms that release: to global memory or by generic address, with no mbarrier. */
static enum ir_space release_space(const struct form *f)
{
	return form_has(f, M_global) ? SPACE_GLOBAL : form_has(f, M_shared_cluster) ? SPACE_SHARED : SPACE_GENERIC;
}

MEANING_FUNCTION(st_async_release)
{
	const struct operands o = operands_of(w, i, rows);
	const u32 bytes = type_bits(form_type(o.form, 0)) / 8;

	EACH_ACTIVE (l) {
		const u64 value = operand_value(&o, 2, l);
		if (!lane_write(w, i, l, release_space(o.form), operand_address(&o, 0, l), &value, bytes))
			return NULL;
	}
	return i + 1;
}
ASYNC_PICK(st_async_release)

MEANING_FUNCTION(red_async_release)
{
	const struct operands o = operands_of(w, i, rows);
	const int op = reduce_op(o.form), type = form_type(o.form, 0);
	const u32 bytes = type_bits(type) / 8;

	EACH_ACTIVE (l) {
		const u64 value = operand_value(&o, 2, l);
		u8 *p = lane_pointer(w, i, l, release_space(o.form), operand_address(&o, 0, l), bytes, true);
		if (!p)
			return NULL;
		reduce_global(w, op, type, p, (const u8 *)&value);
	}
	return i + 1;
}
ASYNC_PICK(red_async_release)

/* --- Rows ----------------------------------------------------------------------------------- */

#define ASYNC      WITH(TRAIT_ASYNC)
#define COPY       WITH(TRAIT_ASYNC | TRAIT_COPIES)
#define BULK       WITH(TRAIT_ASYNC | TRAIT_UNSEEN)
#define REMOTE     WITH(TRAIT_ASYNC | TRAIT_UNSEEN | TRAIT_ORDERS)
#define PREFETCHES "(.L2::64B|.L2::128B|.L2::256B)"
#define DOC_CP     "Copies 4, 8 or 16 bytes from global to shared memory."
#define CP_ROWS(NAME, SPACE, PTX)                                                                                     \
	ROW(NAME SPACE ".global", "@ @ #u32", PTX, 80, COPY, pick_cp_async, DOC_CP),                                  \
		ROW(NAME SPACE ".global", "@ @ #u32 u32", PTX, 80, COPY, pick_cp_async, DOC_CP),                      \
		ROW(NAME SPACE ".global", "@ @ #u32 pred", PTX < 75 ? 75 : PTX, 80, COPY, pick_cp_async, DOC_CP),     \
		ROW(NAME SPACE ".global" PREFETCHES, "@ @ #u32", PTX < 74 ? 74 : PTX, 80, COPY, pick_cp_async,        \
		    DOC_CP),                                                                                          \
		ROW(NAME SPACE ".global" PREFETCHES, "@ @ #u32 u32", PTX < 74 ? 74 : PTX, 80, COPY, pick_cp_async,    \
		    DOC_CP),                                                                                          \
		ROW(NAME SPACE ".global" PREFETCHES, "@ @ #u32 pred", PTX < 75 ? 75 : PTX, 80, COPY, pick_cp_async,   \
		    DOC_CP),                                                                                          \
		ROW(NAME SPACE ".global" HINT "[" PREFETCHES "]", "@ @ #u32 u64", PTX < 74 ? 74 : PTX, 80, COPY,      \
		    pick_cp_async, DOC_CP),                                                                           \
		ROW(NAME SPACE ".global" HINT "[" PREFETCHES "]", "@ @ #u32 u32 u64", PTX < 74 ? 74 : PTX, 80, COPY,  \
		    pick_cp_async, DOC_CP),                                                                           \
		ROW(NAME SPACE ".global" HINT "[" PREFETCHES "]", "@ @ #u32 pred u64", PTX < 75 ? 75 : PTX, 80, COPY, \
		    pick_cp_async, DOC_CP)

#define TX         ".mbarrier::complete_tx::bytes"
#define HINT       ".L2::cache_hint"
#define MULTICAST  ".multicast::cluster"
#define DOC_BULK   "Copies many bytes between global and shared memory."
#define DOC_REDUCE "Combines many elements of shared memory with memory."
#define DOC_ST     "Stores into shared memory of the cluster and tells an mbarrier."
#define DOC_RED    "Combines a value with shared memory of the cluster and tells an mbarrier."
#define BULK_BYTES "u32<0,1048560,16>"
#define DOC_FIRST  "The index of the first block whose work was taken."
#define DOC_GROUP  "Ends a group of copies, or waits for groups."
#define GLOBAL_REDUCE(WHAT)                                                                                           \
	ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group" WHAT, "@ @ " BULK_BYTES, 80, 90, ISA_ORDERED | BULK, \
	    pick_bulk_reduce_global, DOC_REDUCE),                                                                     \
		ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group" HINT WHAT, "@ @ " BULK_BYTES " u64", 80, 90, \
		    ISA_ORDERED | BULK, pick_bulk_reduce_global, DOC_REDUCE)
#define SHARED_REDUCE(WHAT)                                                                                   \
	ROW("cp.reduce.async.bulk.shared::cluster.shared::cta" TX WHAT, "@ @ " BULK_BYTES " @", 80, 90, BULK, \
	    pick_bulk_reduce_shared, DOC_REDUCE)
#define RED_ASYNC(WHAT)                                                                                             \
	ROW("red.async.relaxed.cluster.shared::cluster" TX WHAT, "@ 0 @", 81, 90, REMOTE, pick_red_async, DOC_RED), \
		ROW("red.async.relaxed.cluster" TX WHAT, "@ 0 @", 81, 90, REMOTE, pick_red_async, DOC_RED),         \
		ROW("red.async[.mmio].release(.gpu|.sys|.cluster)[.global]" WHAT, "@ 0", 87, 100,                   \
		    ISA_UNVERIFIED | ISA_ORDERED | REMOTE, pick_red_async_release,                                  \
		    "Combines a value with memory, after what came before.")

static const struct isa_row rows_async[] = {
	CP_ROWS("cp.async.ca", ".shared", 70),
	CP_ROWS("cp.async.ca", ".shared::cta", 78),
	CP_ROWS("cp.async.cg", ".shared", 70),
	CP_ROWS("cp.async.cg", ".shared::cta", 78),
	ROW("cp.async.commit_group", "", 70, 80, ASYNC, pick_async_commit_group, DOC_GROUP),
	ROW("cp.async.wait_group", "#u32", 70, 80, ASYNC, pick_async_wait_group, DOC_GROUP),
	ROW("cp.async.wait_all", "", 70, 80, ASYNC, pick_async_wait_group, DOC_GROUP),
	ROW("cp.async.mbarrier.arrive[.noinc][.shared].b64", "@", 70, 80, ASYNC, pick_cp_async_arrive,
	    "Arrives at an mbarrier once the thread's earlier copies are complete."),
	ROW("cp.async.mbarrier.arrive[.noinc].shared::cta.b64", "@", 78, 80, ASYNC, pick_cp_async_arrive,
	    "Arrives at an mbarrier once the thread's earlier copies are complete."),
	ROW("cp.async.bulk.shared::cta.global" TX, "@ @ " BULK_BYTES " @", 86, 90, BULK, pick_bulk_to_shared, DOC_BULK),
	ROW("cp.async.bulk.shared::cta.global" TX HINT, "@ @ " BULK_BYTES " @ u64", 86, 90, BULK, pick_bulk_to_shared,
	    DOC_BULK),
	ROW("cp.async.bulk.shared::cluster.global" TX, "@ @ " BULK_BYTES " @", 80, 90, BULK, pick_bulk_to_shared,
	    DOC_BULK),
	ROW("cp.async.bulk.shared::cluster.global" TX HINT, "@ @ " BULK_BYTES " @ u64", 80, 90, BULK,
	    pick_bulk_to_shared, DOC_BULK),
	ROW("cp.async.bulk.shared::cluster.global" TX MULTICAST, "@ @ " BULK_BYTES " @ u16", 80, 90, BULK,
	    pick_bulk_to_shared, DOC_BULK),
	ROW("cp.async.bulk.shared::cluster.global" TX MULTICAST HINT, "@ @ " BULK_BYTES " @ u16 u64", 80, 90, BULK,
	    pick_bulk_to_shared, DOC_BULK),
	ROW("cp.async.bulk.shared::cluster.shared::cta" TX, "@ @ " BULK_BYTES " @", 80, 90, BULK, pick_bulk_to_shared,
	    DOC_BULK),
	ROW("cp.async.bulk.global.shared::cta.bulk_group", "@ @ " BULK_BYTES, 80, 90, BULK, pick_bulk_to_global,
	    DOC_BULK),
	ROW("cp.async.bulk.global.shared::cta.bulk_group" HINT, "@ @ " BULK_BYTES " u64", 80, 90, BULK,
	    pick_bulk_to_global, DOC_BULK),
	ROW("cp.async.bulk.global.shared::cta.bulk_group.cp_mask", "@ @ " BULK_BYTES " u16", 86, 100,
	    ISA_UNVERIFIED | BULK, pick_bulk_to_global, DOC_BULK),
	ROW("cp.async.bulk.global.shared::cta.bulk_group" HINT ".cp_mask", "@ @ " BULK_BYTES " u64 u16", 86, 100,
	    ISA_UNVERIFIED | BULK, pick_bulk_to_global, DOC_BULK),
	ROW("cp.async.bulk.prefetch.L2.global", "@ " BULK_BYTES, 80, 90, BULK, pick_async_nothing,
	    "Brings global memory into the L2 cache."),
	ROW("cp.async.bulk.prefetch.L2.global" HINT, "@ " BULK_BYTES " u64", 80, 90, BULK, pick_async_nothing,
	    "Brings global memory into the L2 cache."),
	ROW("cp.async.bulk.commit_group", "", 80, 90, BULK, pick_async_commit_group, DOC_GROUP),
	ROW("cp.async.bulk.wait_group[.read]", "#u32", 80, 90, BULK, pick_async_wait_bulk, DOC_GROUP),
	SHARED_REDUCE("(.and|.or|.xor).b32"),
	SHARED_REDUCE(".add(.u32|.s32|.u64)"),
	SHARED_REDUCE("(.inc|.dec).u32"),
	SHARED_REDUCE("(.min|.max)(.u32|.s32)"),
	GLOBAL_REDUCE("(.and|.or|.xor)(.b32|.b64)"),
	GLOBAL_REDUCE(".add(.u32|.s32|.u64|.f32|.f64)"),
	GLOBAL_REDUCE(".add.noftz(.f16|.bf16)"),
	GLOBAL_REDUCE("(.inc|.dec).u32"),
	GLOBAL_REDUCE("(.min|.max)(.u32|.s32|.u64|.s64|.f16|.bf16)"),
	ROW("st.bulk[.weak][.shared::cta]", "@ u64 #u64", 86, 100, ISA_UNVERIFIED | WITH(TRAIT_UNSEEN), pick_st_bulk,
	    "Fills shared memory with zeros."),
	ROW("st.async[.weak][.shared::cluster|.shared::cta]" TX "[.v2|.v4](.b32|.u32|.s32|.f32)", "@ {v}0 @", 81, 90,
	    REMOTE, pick_st_async, DOC_ST),
	ROW("st.async[.weak][.shared::cluster|.shared::cta]" TX "[.v2](.b64|.u64|.s64|.f64)", "@ {v}0 @", 81, 90,
	    REMOTE, pick_st_async, DOC_ST),
	ROW("st.async[.mmio].release(.gpu|.sys|.cluster)[.global](.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|."
	    "s64|.f32|.f64)",
	    "@ 0", 87, 100, ISA_UNVERIFIED | ISA_ORDERED | REMOTE, pick_st_async_release,
	    "Stores to memory, after what came before."),
	RED_ASYNC(".add(.u32|.s32|.u64|.s64)"),
	RED_ASYNC("(.inc|.dec).u32"),
	RED_ASYNC("(.min|.max)(.u32|.s32)"),
	RED_ASYNC("(.and|.or|.xor).b32"),
	ROW("clusterlaunchcontrol.try_cancel.async[.shared::cta]" TX "[.multicast::cluster::all].b128", "@ @", 86, 100,
	    ISA_UNVERIFIED | ISA_ORDERED | BULK, pick_cancel_cluster,
	    "Takes the work of a cluster that has not begun, if there is one, and tells an mbarrier."),
	ROW("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128", "=pred b128", 86, 100, ISA_UNVERIFIED,
	    pick_is_canceled, "Whether the work of a cluster was taken."),
	ROW("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128", "={4}b32 b128", 86, 100, ISA_UNVERIFIED,
	    pick_canceled_ctaids, DOC_FIRST),
	ROW("clusterlaunchcontrol.query_cancel(.get_first_ctaid::x|.get_first_ctaid::y|.get_first_ctaid::z).b32.b128",
	    "=b32 b128", 86, 100, ISA_UNVERIFIED, pick_canceled_ctaid, DOC_FIRST),
};
FAMILY(family_async, "Asynchronous copies", CLASS_MEMORY, rows_async);
