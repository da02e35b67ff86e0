/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers in shared memory (PTX ISA 9.7.13.15): mbarrier. The object's layout and its arithmetic are
 * in async.h. A wait never blocks: it tells whether the phase is complete, and programs ask again in a
 * loop, which decode knows by the waits' ISA_ATOMIC flag and the scheduler turns into letting others run.
 */
#include "sem/async.h"

enum { MBARRIER_COUNT_LIMIT = (1 << 20) - 1 };

static enum ir_space mbarrier_space(const struct form *f)
{
	return form_pick(f, M_shared, M_shared_cluster) == TOKEN_NONE ? SPACE_GENERIC : SPACE_SHARED;
}

/* A lane's 64-bit result; the sink and a missing result have rows of their own or none. */
static void write_state(const struct operands *o, u8 *rows, u32 lane, u64 state)
{
	if (o->list[0] != NO_OPERAND)
		((u64 *)(void *)(rows + o->list[0]))[lane] = state;
}

/* Has the launch been asked to tell of misuse? (grid->async is that of copies alone.) */
static bool is_strict(const struct warp *w) { return w->grid->launch->async.mode == ASYNC_STRICT; }

/* Who ends an mbarrier, or begins another in its place, is often the first to come from a wait on it. A card's other
 * warps wake at the same moment and have seen the phase end; here they ask in their turn, which they get first: of two,
 * as the first ends for all warps of a gang at once. Strict launches tell of it instead. */
static bool stands_aside(struct warp *w, const struct operands *o, u32 mask)
{
	enum { TURNS = 2 };
	const u32 lane = (u32)__builtin_ctz(mask);
	u64 word = 0;

	if (w->stood_aside < TURNS && !is_strict(w) && w->block->warp_count > 1) {
		const u8 *at =
			lane_pointer(w, o->i, lane, mbarrier_space(o->form), operand_address(o, 0, lane), 8, true);
		if (!at)
			return false;
		memcpy(&word, at, sizeof word);
	}
	w->stood_aside = word >> MBARRIER_VALID & 1 ? w->stood_aside + 1 : 0;
	return w->stood_aside;
}

MEANING_FUNCTION(mbarrier_init)
{
	const struct operands o = operands_of(w, i, rows);

	if (stands_aside(w, &o, mask))
		return warp_yield(w, i);

	EACH_ACTIVE (l) {
		struct mbarrier b = {0};
		const u64 count = operand_value(&o, 2, l);
		if (!count || count > MBARRIER_COUNT_LIMIT)
			return warp_fault(w, i, FAULT_ASYNC, 1u << l,
					  "an mbarrier counts 1 to 1048575 arrivals, not %llu",
					  (unsigned long long)count);
		b.at = lane_pointer(w, i, l, mbarrier_space(o.form), operand_address(&o, 0, l), 8, true);
		if (!b.at)
			return NULL;
		b.expected = b.pending = (u32)count;
		memset(b.at, 0, 8);
		mbarrier_store(&o, &b);
		if (UNLIKELY(w->grid->async == ASYNC_STRICT))
			async_made(w, i, b.at, true);
	}
	return i + 1;
}
ASYNC_PICK(mbarrier_init)

/* Where there is none, strict launches alone object: a card does not tell. */
MEANING_FUNCTION(mbarrier_inval)
{
	const struct operands o = operands_of(w, i, rows);

	if (stands_aside(w, &o, mask))
		return warp_yield(w, i);
	EACH_ACTIVE (l) {
		struct mbarrier b;
		const u64 address = operand_address(&o, 0, l);
		if (!is_strict(w))
			b.at = lane_pointer(w, i, l, mbarrier_space(o.form), address, 8, true);
		else if (!mbarrier_load(&o, l, mbarrier_space(o.form), address, &b))
			return NULL;
		if (!b.at)
			return NULL;
		memset(b.at, 0, 8);
		if (UNLIKELY(w->grid->async == ASYNC_STRICT))
			async_made(w, i, b.at, false);
	}
	return i + 1;
}
ASYNC_PICK(mbarrier_inval)

/* expect_tx and complete_tx. */
MEANING_FUNCTION(mbarrier_tx)
{
	const struct operands o = operands_of(w, i, rows);
	const bool expects = form_has(o.form, M_expect_tx);

	EACH_ACTIVE (l) {
		struct mbarrier b;
		const s32 bytes = operand_s32(&o, 2, l);
		if (!mbarrier_load(&o, l, mbarrier_space(o.form), operand_address(&o, 0, l), &b))
			return NULL;
		b.tx += expects ? bytes : -bytes;
		if (expects && UNLIKELY(w->grid->async == ASYNC_STRICT))
			async_expects(w, i, b.at);
		mbarrier_store(&o, &b);
	}
	return i + 1;
}
ASYNC_PICK(mbarrier_tx)

static const struct insn *refuse_arrival(struct warp *w, const struct insn *i, u32 lane, const struct mbarrier *b,
					 u32 count)
{
	char known[ASYNC_WAIT_TEXT];

	async_tell_mbarrier(w, b->at, known);
	return warp_fault(w, i, FAULT_ASYNC, 1u << lane, "%u arrival%s at an mbarrier that has %u of %u pending%s",
			  count, plural_s(count), b->pending, b->expected, known);
}

/* arrive and arrive_drop, with a count, with bytes to expect, or plain. */
MEANING_FUNCTION(mbarrier_arrive)
{
	const struct operands o = operands_of(w, i, rows);
	const bool expects = form_has(o.form, M_expect_tx), drops = form_has(o.form, M_arrive_drop);

	EACH_ACTIVE (l) {
		struct mbarrier b;
		const u32 number = operand_given(&o, 3) ? (u32)operand_value(&o, 3, l) : 1,
			  count = expects ? 1 : number;
		if (!mbarrier_load(&o, l, mbarrier_space(o.form), operand_address(&o, 1, l), &b))
			return NULL;
		const u64 before = mbarrier_word(&b);
		if (count > b.pending)
			return refuse_arrival(w, i, l, &b, count);
		b.tx += expects ? (s32)number : 0;
		if (expects && UNLIKELY(w->grid->async == ASYNC_STRICT))
			async_expects(w, i, b.at);
		b.pending -= count;
		b.expected -= drops ? count : 0;
		mbarrier_store(&o, &b);
		write_state(&o, rows, l, before);
	}
	return i + 1;
}
MEANING(mbarrier_arrive);
/* Another block's mbarrier gives no state back. */
static const struct meaning *pick_mbarrier_arrive(const struct form *f)
{
	return f->operand_count && form_has(f, M_shared_cluster) && f->operand_bits[0] ? NULL : &mbarrier_arrive;
}

/* test_wait and try_wait. By state: is the phase that it was taken in complete? By parity: is the
 * phase with that parity, the current one or the one before, complete? */
MEANING_FUNCTION(mbarrier_wait)
{
	const struct operands o = operands_of(w, i, rows);
	const bool by_parity = form_has(o.form, M_parity);
	u32 complete = 0;

	if (UNLIKELY(w->grid->async == ASYNC_RANDOM) && !async_poll(w))
		return NULL;
	EACH_ACTIVE (l) {
		struct mbarrier b;
		const u64 asked = operand_value(&o, 3, l);
		if (!mbarrier_load(&o, l, mbarrier_space(o.form), operand_address(&o, 1, l), &b))
			return NULL;
		if (b.phase != (by_parity ? asked & 1 : asked >> MBARRIER_PHASE))
			complete |= 1u << l;
		if (UNLIKELY(w->grid->async == ASYNC_STRICT))
			(complete >> l & 1 ? async_observed : async_missed)(w, b.at);
	}
	pred_write(rows, o.list[0], mask, complete);
	return i + 1;
}
ASYNC_PICK(mbarrier_wait)

LANE1(mbarrier_pending_count, b32, b64, mbarrier_pending(a));
static const struct meaning *pick_mbarrier_pending_count(const struct form *f)
{
	(void)f;
	return &mbarrier_pending_count;
}

/* --- Rows ----------------------------------------------------------------------------------- */

#define OWN        "[.shared]"
#define CTA        ".shared::cta"
#define RELAXED    ".relaxed(.cta|.cluster)"
#define ANYWHERE   "[.shared|.shared::cta|.shared::cluster]"
#define DOC_INIT   "Makes an mbarrier object that expects a count of arrivals in each phase."
#define DOC_INVAL  "Ends the life of an mbarrier object."
#define DOC_TX     "Adds to or takes from the bytes that the phase waits for."
#define DOC_ARRIVE "Arrives at an mbarrier; gives its state before."
#define DOC_DROP   "Arrives at an mbarrier and lowers the count of later phases."
#define DOC_EXPECT "Expects more bytes, then arrives."
#define DOC_TEST   "Tells whether a phase of an mbarrier is complete."
#define DOC_TRY    "Waits a while for a phase of an mbarrier, and tells whether it is complete."
/* The object in own shared memory, with or without the younger ::cta, and by generic address. */
#define OWN_ROWS(FORM, REST, OPERANDS, PTX, SM, FLAGS, PICK, DOC) \
	ROW(FORM OWN REST, OPERANDS, PTX, SM, FLAGS, PICK, DOC),  \
		ROW(FORM CTA REST, OPERANDS, PTX < 78 ? 78 : PTX, SM, FLAGS, PICK, DOC)
#define ARRIVE_ROWS(NAME, DOC)                                                                                        \
	OWN_ROWS(NAME, ".b64", "=_u64 @shared", 70, 80, ORDERS, pick_mbarrier_arrive, DOC),                           \
		OWN_ROWS(NAME, ".b64", "=_u64 @shared u32<1,0xffffffff>", 78, 90, ORDERS, pick_mbarrier_arrive, DOC), \
		OWN_ROWS(NAME ".noComplete", ".b64", "=_u64 @shared u32<1,0xffffffff>", 70, 80, ORDERS,               \
			 pick_mbarrier_arrive, DOC),                                                                  \
		OWN_ROWS(NAME ".noComplete.release.cta", ".b64", "=_u64 @shared u32<1,0xffffffff>", 80, 80, ORDERS,   \
			 pick_mbarrier_arrive, DOC),                                                                  \
		OWN_ROWS(NAME ".release.cta", ".b64", "=_u64 @shared", 80, 80, ORDERS, pick_mbarrier_arrive, DOC),    \
		OWN_ROWS(NAME ".release.cta", ".b64", "=_u64 @shared u32<1,0xffffffff>", 80, 90, ORDERS,              \
			 pick_mbarrier_arrive, DOC),                                                                  \
		OWN_ROWS(NAME ".release.cluster", ".b64", "=_u64 @shared ?u32<1,0xffffffff>", 80, 90, ORDERS,         \
			 pick_mbarrier_arrive, DOC),                                                                  \
		ROW(NAME "[.release(.cta|.cluster)].shared::cluster.b64", "=_u64 @shared ?u32<1,0xffffffff>", 80, 90, \
		    ORDERS, pick_mbarrier_arrive, DOC),                                                               \
		ROW(NAME RELAXED ANYWHERE ".b64", "=_u64 @shared ?u32<1,0xffffffff>", 86, 90, ORDERS,                 \
		    pick_mbarrier_arrive, DOC),                                                                       \
		ROW(NAME ".expect_tx[.release(.cta|.cluster)]" ANYWHERE ".b64", "=_u64 @shared u32", 80, 90, ORDERS,  \
		    pick_mbarrier_arrive, DOC_EXPECT),                                                                \
		ROW(NAME ".expect_tx" RELAXED ANYWHERE ".b64", "=_u64 @shared u32", 86, 90, ORDERS,                   \
		    pick_mbarrier_arrive, DOC_EXPECT)
#define OBJECT WITH(TRAIT_MBARRIER)
#define ORDERS WITH(TRAIT_MBARRIER | TRAIT_ORDERS)
#define WAIT   (ISA_ATOMIC | OBJECT)

static const struct isa_row rows_mbarrier[] = {
	OWN_ROWS("mbarrier.init", ".b64", "@shared u32", 70, 80, OBJECT, pick_mbarrier_init, DOC_INIT),
	OWN_ROWS("mbarrier.inval", ".b64", "@shared", 70, 80, OBJECT, pick_mbarrier_inval, DOC_INVAL),
	ROW("mbarrier(.expect_tx|.complete_tx)[" RELAXED "]" ANYWHERE ".b64", "@shared u32", 80, 90, ORDERS,
	    pick_mbarrier_tx, DOC_TX),
	ARRIVE_ROWS("mbarrier.arrive", DOC_ARRIVE),
	ARRIVE_ROWS("mbarrier.arrive_drop", DOC_DROP),
	OWN_ROWS("mbarrier.test_wait", ".b64", "=pred @shared u64", 70, 80, WAIT, pick_mbarrier_wait, DOC_TEST),
	OWN_ROWS("mbarrier.test_wait.parity", ".b64", "=pred @shared u32<0,1>", 71, 80, WAIT, pick_mbarrier_wait,
		 DOC_TEST),
	OWN_ROWS("mbarrier.test_wait.acquire.cta", ".b64", "=pred @shared u64", 80, 80, WAIT, pick_mbarrier_wait,
		 DOC_TEST),
	OWN_ROWS("mbarrier.test_wait.parity.acquire.cta", ".b64", "=pred @shared u32<0,1>", 80, 80, WAIT,
		 pick_mbarrier_wait, DOC_TEST),
	OWN_ROWS("mbarrier.test_wait.acquire.cluster", ".b64", "=pred @shared u64", 80, 90, WAIT, pick_mbarrier_wait,
		 DOC_TEST),
	OWN_ROWS("mbarrier.test_wait" RELAXED, ".b64", "=pred @shared u64", 86, 90, WAIT, pick_mbarrier_wait, DOC_TEST),
	OWN_ROWS("mbarrier.test_wait.parity.acquire.cluster", ".b64", "=pred @shared u32<0,1>", 80, 90, WAIT,
		 pick_mbarrier_wait, DOC_TEST),
	OWN_ROWS("mbarrier.test_wait.parity" RELAXED, ".b64", "=pred @shared u32<0,1>", 86, 90, WAIT,
		 pick_mbarrier_wait, DOC_TEST),
	OWN_ROWS("mbarrier.try_wait", ".b64", "=pred @shared u64 ?u32", 78, 90, WAIT, pick_mbarrier_wait, DOC_TRY),
	OWN_ROWS("mbarrier.try_wait.parity", ".b64", "=pred @shared u32<0,1> ?u32", 78, 90, WAIT, pick_mbarrier_wait,
		 DOC_TRY),
	OWN_ROWS("mbarrier.try_wait.acquire(.cta|.cluster)", ".b64", "=pred @shared u64 ?u32", 80, 90, WAIT,
		 pick_mbarrier_wait, DOC_TRY),
	OWN_ROWS("mbarrier.try_wait" RELAXED, ".b64", "=pred @shared u64 ?u32", 86, 90, WAIT, pick_mbarrier_wait,
		 DOC_TRY),
	OWN_ROWS("mbarrier.try_wait.parity.acquire(.cta|.cluster)", ".b64", "=pred @shared u32<0,1> ?u32", 80, 90, WAIT,
		 pick_mbarrier_wait, DOC_TRY),
	OWN_ROWS("mbarrier.try_wait.parity" RELAXED, ".b64", "=pred @shared u32<0,1> ?u32", 86, 90, WAIT,
		 pick_mbarrier_wait, DOC_TRY),
	ROW("mbarrier.pending_count.b64", "=u32 u64", 70, 80, OBJECT, pick_mbarrier_pending_count,
	    "The count of pending arrivals in a state that arrive gave."),
};
FAMILY(family_mbarrier, "Barriers in shared memory", CLASS_BARRIER, rows_mbarrier);
