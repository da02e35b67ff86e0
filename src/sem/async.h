/* SPDX-License-Identifier: Apache-2.0
 *
 * What the asynchronous families share: their operands (always in a list: they have several
 * addresses), checked ranges of memory, mbarrier objects, and one step of a reduction.
 *
 * One lane's operation is a function of its operands, which async_lanes calls when it is to take effect:
 * at once, or later from operands that were kept (see exec/async.h).
 */
#ifndef PTXSIM_SEM_ASYNC_H
#define PTXSIM_SEM_ASYNC_H

#include "exec/async.h"
#include "sem/access.h"
#include "sem/floats.h"

/* --- Operands ------------------------------------------------------------------------------- */

/* An instruction's operand list, flattened; see decode/program.h. */
struct operands {
	struct warp *w;
	const struct insn *i;
	const u8 *rows;
	const struct form *form;
	const u32 *list;
	struct async_op *op; /* the record of what is being done, or NULL */
};

static inline struct operands operands_of(struct warp *w, const struct insn *i, const u8 *rows)
{
	return (struct operands){.w = w, .i = i, .rows = rows, .form = warp_form(w, i), .list = warp_operands(w, i)};
}

static inline bool operand_given(const struct operands *o, u32 k)
{
	return k < o->form->operand_count && o->list[k] != NO_OPERAND;
}

static inline u64 operand_value(const struct operands *o, u32 k, u32 lane)
{
	const u8 *row = o->rows + o->list[k];

	return o->form->operand_bits[k] > 32 ? ((const u64 *)(const void *)row)[lane]
					     : ((const u32 *)(const void *)row)[lane];
}

static inline s32 operand_s32(const struct operands *o, u32 k, u32 lane) { return (s32)operand_value(o, k, lane); }

/* The address whose base is operand k and whose offset is operand k + 1. */
static inline u64 operand_address(const struct operands *o, u32 k, u32 lane)
{
	const u64 sum = operand_value(o, k, lane) + (u64)(s64)(s32)o->list[k + 1];

	return o->form->operand_bits[k] > 32 ? sum : (u32)sum;
}

/* Operand k is a predicate, perhaps negated. */
static inline bool operand_predicate(const struct operands *o, u32 k, u32 lane)
{
	const u32 *row = (const u32 *)(const void *)(o->rows + o->list[k]);

	return (*row >> lane ^ o->i->aux) & 1;
}

/* --- When ----------------------------------------------------------------------------------- */

typedef bool async_lane_fn(struct operands *o, u32 lane);

/* Does, or puts off, each lane's operation with a record (sem/async_later.c). */
bool async_lanes_later(struct operands *o, u32 mask, async_lane_fn *lane, enum async_kind kind, bool reduces);
/* The same for an arrival that follows the lane's cp.async. */
bool async_arrivals_later(struct operands *o, u32 mask, async_lane_fn *lane);

#define EACH_ACTIVE(l) for (u32 left_ = mask, l; left_ && (l = (u32)__builtin_ctz(left_), true); left_ &= left_ - 1)

static inline bool async_lanes(struct operands *o, u32 mask, async_lane_fn *lane, enum async_kind kind, bool reduces)
{
	if (o->w->grid->async != ASYNC_EAGER)
		return async_lanes_later(o, mask, lane, kind, reduces);
	EACH_ACTIVE (l)
		if (!lane(o, l))
			return false;
	return true;
}

/* The meaning of an instruction that does NAME_lane for each lane. */
#define ASYNC_MEANING(NAME, KIND, REDUCES)                                               \
	MEANING_FUNCTION(NAME)                                                           \
	{                                                                                \
		struct operands o = operands_of(w, i, rows);                             \
		return async_lanes(&o, mask, NAME##_lane, KIND, REDUCES) ? i + 1 : NULL; \
	}                                                                                \
	ASYNC_PICK(NAME)

/* A gang runs what happens at once; where it would be put off, by chance or on record, the order of warps is that
 * of a run without gangs. */
static inline const struct insn *gang_eager(struct gang *g, const struct insn *i)
{
	return g->grid->async == ASYNC_EAGER ? gang_step(g, i) : gang_part(g, i, 0);
}
#define ASYNC_MEANING_GANG(NAME) static const struct meaning NAME = {.run = NAME##_run, .gang = gang_eager}

/* --- Memory --------------------------------------------------------------------------------- */

static inline u8 *range_find(const struct operands *o, u32 lane, enum ir_space space, u64 address, u64 size, u32 align,
			     bool is_store)
{
	if (address % align) {
		warp_fault_address(o->w, o->i, FAULT_MISALIGNED, lane, address, (u32)size, space, is_store);
		return NULL;
	}
	if (space == SPACE_GLOBAL || space == SPACE_SHARED) {
		u8 *all = space_range(o->w, o->i, space, address, address + size, is_store);
		if (all)
			return all;
	}
	u8 *first = lane_pointer(o->w, o->i, lane, space, address, 1, is_store);
	if (!first || size <= 1)
		return first;
	const u8 *last = lane_pointer(o->w, o->i, lane, space, address + size - 1, 1, is_store);
	if (!last)
		return NULL;
	if (last - first == (ptrdiff_t)(size - 1))
		return first;
	warp_fault_address(o->w, o->i, FAULT_OUT_OF_BOUNDS, lane, address, (u32)size, space, is_store);
	return NULL;
}

/* Host address of any number of bytes that must be aligned to `align`; NULL: a fault was raised. */
static inline u8 *range_pointer(const struct operands *o, u32 lane, enum ir_space space, u64 address, u64 size,
				u32 align, bool is_store)
{
	u8 *p = range_find(o, lane, space, address, size, align, is_store);

	if (UNLIKELY(o->op) && p && !async_range(o->w, o->i, o->op, lane, space, address, size, is_store))
		return NULL;
	return p;
}

/* The same block's offset in another block of the cluster; `address` itself if rank is the own's. */
static inline u64 shared_of_rank(const struct warp *w, u64 address, u32 rank)
{
	return (address & ((1u << SHARED_RANK_SHIFT) - 1)) | shared_rank_bits(w, rank);
}

/* Where an address in a cluster's shared memory lies: generic, unless the form names the space. */
static inline enum ir_space cluster_space(const struct form *f)
{
	return form_has(f, M_shared_cluster) || form_has(f, M_shared_cta) || form_has(f, M_shared) ? SPACE_SHARED
												   : SPACE_GENERIC;
}

/* Recorded (WARP-NOTES): copies into shared::cluster from registers or shared memory need a launch with
 * clusters. NULL: a fault was raised. */
static inline bool needs_cluster(const struct operands *o)
{
	if (o->w->grid->explicit_cluster)
		return true;
	warp_fault(o->w, o->i, FAULT_ILLEGAL_INSTRUCTION, 0, "the launch has no clusters");
	return false;
}

/* --- mbarrier objects ----------------------------------------------------------------------- */

struct mbarrier {
	u8 *at;
	u32 expected, pending;
	s32 tx;
	bool phase;
};

static inline u64 mbarrier_word(const struct mbarrier *b)
{
	return b->expected | (u64)b->pending << MBARRIER_PENDING |
	       ((u64)(u32)b->tx & ((1u << MBARRIER_TX_BITS) - 1)) << MBARRIER_TX | 1ull << MBARRIER_VALID |
	       (u64)b->phase << MBARRIER_PHASE;
}

/* Reads the object at an address; false: a fault was raised. */
static inline bool mbarrier_load(const struct operands *o, u32 lane, enum ir_space space, u64 address,
				 struct mbarrier *b)
{
	u64 word;

	b->at = lane_pointer(o->w, o->i, lane, space, address, 8, true);
	if (!b->at)
		return false;
	memcpy(&word, b->at, 8);
	if (!(word >> MBARRIER_VALID & 1)) {
		char known[ASYNC_WAIT_TEXT];
		async_tell_mbarrier(o->w, b->at, known);
		warp_fault(o->w, o->i, FAULT_ASYNC, 1u << lane, "no mbarrier was initialised at 0x%llx%s",
			   (unsigned long long)address, known);
		return false;
	}
	b->expected = (u32)word & MBARRIER_COUNT_MASK;
	b->pending = mbarrier_pending(word);
	b->tx = mbarrier_bytes(word);
	b->phase = word >> MBARRIER_PHASE;
	return true;
}

/* Writes the object back; a phase without pending arrivals and bytes is complete, and the next begins. */
static inline void mbarrier_store(const struct operands *o, struct mbarrier *b)
{
	if (UNLIKELY(o->w->grid->async == ASYNC_STRICT)) {
		u64 before;
		memcpy(&before, b->at, 8);
		if (b->pending < mbarrier_pending(before))
			async_arrived(o->w, o->i, b->at);
	}
	if (!b->pending && !b->tx) {
		b->pending = b->expected;
		b->phase = !b->phase;
		if (UNLIKELY(o->w->grid->async == ASYNC_STRICT))
			async_phase(o->w, b->at);
	}
	const u64 word = mbarrier_word(b);
	memcpy(b->at, &word, 8);
}

/* Bytes that a copy has brought. */
static inline bool mbarrier_complete_tx(const struct operands *o, u32 lane, u64 address, u32 bytes)
{
	struct mbarrier b;

	if (!mbarrier_load(o, lane, cluster_space(o->form), address, &b))
		return false;
	if (UNLIKELY(o->op))
		async_counts(o->w, o->op, b.at);
	b.tx -= (s32)bytes;
	mbarrier_store(o, &b);
	return true;
}

/* --- Reductions ----------------------------------------------------------------------------- */

/* Of integers extended to 64 bits by their sign; the caller keeps their low bits. */
static inline u64 reduce_integer(int op, bool is_signed, u64 a, u64 b)
{
	switch (op) {
	case M_add:
		return a + b;
	case M_and:
		return a & b;
	case M_or:
		return a | b;
	case M_xor:
		return a ^ b;
	case M_inc:
		return a >= b ? 0 : a + 1;
	case M_dec:
		return a == 0 || a > b ? b : a - 1;
	case M_min:
		return (is_signed ? (s64)b < (s64)a : b < a) ? b : a;
	default:
		return (is_signed ? (s64)b > (s64)a : b > a) ? b : a;
	}
}

/* memory = memory OP value, for one element of a PTX type. Unlike red.global's, additions of f32 keep
 * subnormal numbers in all spaces (recorded: warp-async). The caller has entered FP_RN. */
static inline void reduce_u32(int op, bool is_signed, u8 *to, const u8 *from)
{
	u32 a, b;

	memcpy(&a, to, 4);
	memcpy(&b, from, 4);
	a = is_signed ? (u32)reduce_integer(op, true, (u64)(s64)(s32)a, (u64)(s64)(s32)b)
		      : (u32)reduce_integer(op, false, a, b);
	memcpy(to, &a, 4);
}

static inline void reduce_u64(int op, bool is_signed, u8 *to, const u8 *from)
{
	u64 a, b;

	memcpy(&a, to, 8);
	memcpy(&b, from, 8);
	a = reduce_integer(op, is_signed, a, b);
	memcpy(to, &a, 8);
}

static inline void reduce_half(int op, bool is_bf16, u8 *to, const u8 *from)
{
	u16 a, b;

	memcpy(&a, to, 2);
	memcpy(&b, from, 2);
	if (is_bf16)
		a = op == M_add   ? bf16_add(a, b)
		    : op == M_min ? bf16_min(a, b, false, false)
				  : bf16_max(a, b, false, false);
	else
		a = op == M_add   ? f16_add(a, b, false, false)
		    : op == M_min ? f16_min(a, b, false, false, false)
				  : f16_max(a, b, false, false, false);
	memcpy(to, &a, 2);
}

static inline void reduce_float(u32 bits, u8 *to, const u8 *from)
{
	if (bits == 32) {
		u32 a, b;
		memcpy(&a, to, 4);
		memcpy(&b, from, 4);
		a = bits_of_f32(one_nan(f32_of_bits(a) + f32_of_bits(b)));
		memcpy(to, &a, 4);
		return;
	}
	/* Recorded (tests/unit/nan-reductions.tsv): a NaN stays as it stands, signalling too, that which is added first. */
	u64 x, y;
	memcpy(&x, to, 8);
	memcpy(&y, from, 8);
	const f64 sum = f64_of_bits(x) + f64_of_bits(y);
	x = f64_is_nan(y) ? y : f64_is_nan(x) ? x : sum == sum ? bits_of_f64(sum) : F64_NAN;
	memcpy(to, &x, 8);
}

static inline void reduce_element(int op, int type, u8 *to, const u8 *from)
{
	const u32 bits = type_bits(type);

	if (type == T_f16 || type == T_bf16)
		reduce_half(op, type == T_bf16, to, from);
	else if (type_class(type) == 'f')
		reduce_float(bits, to, from);
	else if (bits == 32)
		reduce_u32(op, type_class(type) == 's', to, from);
	else
		reduce_u64(op, type_class(type) == 's', to, from);
}

#define REDUCE_RACING(T)                                                                                         \
	static inline void reduce_racing_##T(int op, int type, T *to, const u8 *from)                            \
	{                                                                                                        \
		T new, old = __atomic_load_n(to, __ATOMIC_RELAXED);                                              \
		do {                                                                                             \
			new = old;                                                                               \
			reduce_element(op, type, (u8 *)&new, from);                                              \
		} while (!__atomic_compare_exchange_n(to, &old, new, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
	}
REDUCE_RACING(u16)
REDUCE_RACING(u32)
REDUCE_RACING(u64)

/* An element of global memory, which other host threads may change meanwhile. */
static inline void reduce_global(const struct warp *w, int op, int type, u8 *to, const u8 *from)
{
	if (!grid_shares_memory(w->grid))
		reduce_element(op, type, to, from);
	else if (type_bits(type) == 16)
		reduce_racing_u16(op, type, (u16 *)(void *)to, from);
	else if (type_bits(type) == 32)
		reduce_racing_u32(op, type, (u32 *)(void *)to, from);
	else
		reduce_racing_u64(op, type, (u64 *)(void *)to, from);
}

static inline int reduce_op(const struct form *f) { return form_pick(f, M_and, M_max); }

#define ASYNC_PICK(NAME) \
	MEANING(NAME);   \
	ASYNC_PICK_ONLY(NAME)
#define ASYNC_PICK_ONLY(NAME)                                          \
	static const struct meaning *pick_##NAME(const struct form *f) \
	{                                                              \
		(void)f;                                               \
		return &NAME;                                          \
	}

#endif
