/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of unwritten values: copies that complete later, and others of many bytes.
 */
#include "observe/unwritten_copies.h"

#include "decode/form_address.h"
#include "decode/operands.h"
#include "isa/form.h"
#include "observe/unwritten_origin.h"

/* Written bits go along with a copy. */
static void copy(struct unwritten *u, struct warp *w, u32 lane, u64 to, enum ir_space from_space, u64 from, u64 bytes,
		 u32 site)
{
	struct unwritten_place d, s;

	if (!bytes || !unwritten_spot(u, w, lane, SPACE_SHARED, to, bytes, &d) || !d.written)
		return;
	const bool found = unwritten_spot(u, w, lane, from_space, from, bytes, &s);
	written_copy(d.written, u->findings->arena, d.offset, found ? s.written : NULL, found ? s.offset : 0, bytes,
		     site);
}

/* cp.async: the shared address comes first; fewer bytes may be read than written, and the rest is zeros. */
void unwritten_copy_small(struct unwritten *u, struct warp *w, const struct account_site *s, const struct insn *i,
			  const u8 *rows, u32 mask)
{
	u64 to[WARP_LANES], from[WARP_LANES];
	struct unwritten_place d;

	operand_addresses(s, i, rows, 0, to);
	operand_addresses(s, i, rows, 2, from);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (unwritten_spot(u, w, l, SPACE_SHARED, to[l], s->width, &d) && d.written)
			written_mark(d.written, d.offset, s->width);
		copy(u, w, l, to[l], SPACE_GLOBAL, from[l], copy_source_bytes(s, i, rows, l),
		     check_site(u->where, w, i));
	}
}

/* What an operation of many bytes, or one that completes later, does to memory. */
enum hidden { HIDDEN_NOTHING, HIDDEN_COPY, HIDDEN_STORE, HIDDEN_TENSOR, HIDDEN_ZEROS, HIDDEN_UNKNOWN };

/* By the form alone. HIDDEN_UNKNOWN: what it writes is not followed, and counts as written. */
static enum hidden hidden_of(const struct form *f)
{
	const bool is_plain = form_has(f, M_bulk) && !form_has(f, M_tensor) && !form_has(f, M_multicast_cluster);

	if (!f->operand_count || form_has(f, M_wait_group) || form_has(f, M_prefetch))
		return HIDDEN_NOTHING;
	if (form_has(f, M_bulk) && !(f->row->traits & TRAIT_ASYNC))
		return HIDDEN_ZEROS;
	if (form_space(f) == SPACE_GLOBAL)
		return is_plain ? HIDDEN_STORE : form_has(f, M_tensor) ? HIDDEN_TENSOR : HIDDEN_NOTHING;
	return is_plain && form_space(f) == SPACE_SHARED && !form_has(f, M_add) ? HIDDEN_COPY : HIDDEN_UNKNOWN;
}

struct hidden_lane {
	const struct code *code;
	const struct form *f;
	const struct insn *i;
	const u8 *rows;
	u32 lane;
};

static u64 hidden_address(const struct hidden_lane *h, u32 operand)
{
	return row_address(h->rows, insn_operand(h->code, h->f, h->i, operand),
			   (s32)insn_operand(h->code, h->f, h->i, operand + 1), h->f->operand_bits[operand] == 64,
			   h->lane);
}

static u64 hidden_bytes(const struct hidden_lane *h, u32 operand)
{
	const u8 *row = h->rows + insn_operand(h->code, h->f, h->i, operand);

	return h->f->operand_bits[operand] == 64 ? ((const u64 *)(const void *)row)[h->lane]
						 : ((const u32 *)(const void *)row)[h->lane];
}

/* From shared memory to a buffer. */
static void store_many(struct unwritten *u, struct warp *w, const struct hidden_lane *h, u32 site)
{
	const u64 bytes = hidden_bytes(h, 4);
	struct unwritten_place from, to;
	u8 mask[WRITTEN_MOST];
	u32 origin = site;
	u64 at = 0;

	if (!bytes || !unwritten_spot(u, w, h->lane, SPACE_SHARED, hidden_address(h, 2), bytes, &from) ||
	    !from.written || !unwritten_spot(u, w, h->lane, SPACE_GLOBAL, hidden_address(h, 0), bytes, &to))
		return;
	if (!written_lacks(from.written, from.offset, bytes)) {
		if (to.written)
			written_mark(to.written, to.offset, bytes);
		return;
	}
	if (u->in_team) {
		u->gave_up = true;
		return;
	}
	if (unwritten_came(to.memory) && to.written && !form_has(h->f, M_reduce)) {
		written_copy(to.written, u->arena, to.offset, from.written, from.offset, bytes, site);
		return;
	}
	while (!written_lacks(from.written, from.offset + at, 1))
		at++;
	written_get(from.written, from.offset + at, 1, mask, &origin);
	unwritten_tell(u, w, site, 1u << h->lane, origin, "what a bulk copy takes from shared memory to a buffer");
}

static void write_unknown(struct unwritten *u, const struct warp *w)
{
	const struct cluster *c = w->block->cluster;

	for (u32 k = 0; k < c->count; k++) {
		struct unwritten_block *r = unwritten_record(u, c->blocks[k]);
		if (r)
			written_mark(&r->shared, 0, r->shared.size);
	}
}

/* What observers are not told of in detail counts as written: all shared memory of the cluster. */
void unwritten_copy_many(struct unwritten *u, struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	struct hidden_lane h = {w->frame->code, warp_form(w, i), i, rows, 0};
	const u32 site = check_site(u->where, w, i);
	const enum hidden what = hidden_of(h.f);
	struct unwritten_place s;

	if (what == HIDDEN_UNKNOWN)
		write_unknown(u, w);
	for (u32 left = what == HIDDEN_UNKNOWN || what == HIDDEN_NOTHING ? 0 : mask; left; left &= left - 1) {
		h.lane = (u32)__builtin_ctz(left);
		if (what == HIDDEN_COPY)
			copy(u, w, h.lane, hidden_address(&h, 0), form_space_of(h.f, 1), hidden_address(&h, 2),
			     hidden_bytes(&h, 4), site);
		else if (what == HIDDEN_STORE)
			store_many(u, w, &h, site);
		else if (what == HIDDEN_TENSOR)
			unwritten_tensor_store(u, w, hidden_address(&h, 0));
		else if (unwritten_spot(u, w, h.lane, SPACE_GENERIC, hidden_address(&h, 0), hidden_bytes(&h, 2), &s) &&
			 s.written)
			written_mark(s.written, s.offset, hidden_bytes(&h, 2));
	}
}
