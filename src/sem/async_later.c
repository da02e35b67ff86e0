/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous operations that are not just done at once: with a record that checks the program (strict),
 * or later, from operands that are kept (random). Called by the meanings, for one instruction.
 */
#include "sem/async.h"

/* A lane's operation with values of its own: operand k's lies where operand_value finds it. */
struct kept {
	struct operands operands;
	async_lane_fn *lane_fn;
	u32 lane;
	u32 list[FORM_USES];
	u64 values[WARP_LANES + FORM_USES];
};

/* Coordinates behind a tensor map's address. */
static u32 coordinates(const struct form *f)
{
	const bool lines = form_has(f, M_gather4) || form_has(f, M_scatter4);

	return lines ? 5 : (u32)(form_pick(f, M_dim1, M_dim5) - M_dim1 + 1);
}

/* Marks the entries of the flattened operand list that are no rows but offsets of addresses. */
static void find_offsets(const struct form *f, bool is_offset[FORM_USES])
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(f, specs);
	u32 at = 0;

	memset(is_offset, 0, FORM_USES * sizeof *is_offset);
	for (u32 k = 0; k < count && at + 1 < FORM_USES; k++) {
		if (specs[k].immediate)
			continue;
		const bool address = specs[k].kind == '@' || specs[k].kind == 'T';
		if (address)
			is_offset[at + 1] = true;
		at += address ? 2 + (specs[k].kind == 'T' ? coordinates(f) : 0)
			      : specs[k].vector + (specs[k].second != TOKEN_NONE ? 1u : 0u);
	}
}

static void keep(struct kept *k, const struct operands *o, u32 lane)
{
	const struct form *f = o->form;
	bool is_offset[FORM_USES];

	find_offsets(f, is_offset);
	k->operands = *o;
	k->operands.rows = (const u8 *)k->values;
	k->operands.list = k->list;
	k->lane = lane;
	for (u32 n = 0; n < f->operand_count; n++) {
		const u32 bits = f->operand_bits[n], at = (WARP_LANES + n) * 8;
		k->list[n] = o->list[n];
		if (is_offset[n] || o->list[n] == NO_OPERAND || !bits)
			continue;
		k->list[n] = bits == 1 ? at : at - lane * (bits > 32 ? 8 : 4);
		k->values[WARP_LANES + n] =
			bits == 1 ? *(const u32 *)(const void *)(o->rows + o->list[n]) : operand_value(o, n, lane);
	}
}

static bool run_kept(void *data)
{
	struct kept *k = data;

	return k->lane_fn(&k->operands, k->lane);
}

/* The record of a cp.async is its warp's, since groups are; others stand alone. */
static bool with_record(struct operands *o, u32 mask, async_lane_fn *lane, enum async_kind kind, bool reduces)
{
	const u32 together = kind == ASYNC_COPY ? mask : 0;

	if (together)
		o->op = async_issue(o->w, o->i, together, kind, reduces);
	EACH_ACTIVE (l) {
		if (!together)
			o->op = async_issue(o->w, o->i, 1u << l, kind, reduces);
		if (!lane(o, l))
			return false;
		async_issued(o->w, o->op);
	}
	return true;
}

bool async_lanes_later(struct operands *o, u32 mask, async_lane_fn *lane, enum async_kind kind, bool reduces)
{
	if (o->w->grid->async == ASYNC_STRICT)
		return with_record(o, mask, lane, kind, reduces);
	if (!async_poll(o->w))
		return false;
	EACH_ACTIVE (l) {
		struct kept *k = async_defer(o->w, l, kind, run_kept, sizeof *k);
		if (k) {
			keep(k, o, l);
			k->lane_fn = lane;
		} else if (!lane(o, l)) {
			return false;
		}
	}
	return true;
}

bool async_arrivals_later(struct operands *o, u32 mask, async_lane_fn *lane)
{
	EACH_ACTIVE (l) {
		struct kept *k = async_defer_arrival(o->w, l, run_kept, sizeof *k);
		keep(k, o, l);
		k->lane_fn = lane;
	}
	return true;
}
