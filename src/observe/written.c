/* SPDX-License-Identifier: Apache-2.0
 *
 * Written bytes, by bits.
 */
#include "observe/written.h"

#include <string.h>

void written_init(struct written *w, struct arena *arena, u64 size)
{
	*w = (struct written){.size = size, .left = size, .bits = ARENA_ARRAY(arena, size / 8 + 8, u8)};
}

void written_clear(struct written *w)
{
	memset(w->bits, 0, w->size / 8 + 8);
	w->left = w->size;
	if (w->undefined)
		memset(w->undefined, 0, w->size);
}

/* The bits of bytes [offset, offset + count) within the eight bytes that they are in. */
static u32 part(u64 offset, u64 count) { return ((1u << count) - 1) << (offset & 7); }

void written_mark(struct written *w, u64 offset, u64 bytes)
{
	if (w->undefined)
		memset(w->undefined + offset, 0, bytes);
	if (!w->left)
		return;
	for (u64 at = offset, end = offset + bytes, count; at < end; at += count) {
		count = min_u64(8 - (at & 7), end - at);
		const u8 now = (u8)part(at, count), before = w->bits[at / 8];
		w->left -= (u64)__builtin_popcount(now & ~before);
		w->bits[at / 8] = before | now;
	}
}

void written_forget(struct written *w, u64 offset, u64 bytes)
{
	if (w->undefined)
		memset(w->undefined + offset, 0, bytes);
	for (u64 at = offset, end = offset + bytes, count; at < end; at += count) {
		count = min_u64(8 - (at & 7), end - at);
		const u8 gone = (u8)part(at, count), before = w->bits[at / 8];
		w->left += (u64)__builtin_popcount(gone & before);
		w->bits[at / 8] = before & (u8)~gone;
	}
}

bool written_misses(const struct written *w, u64 offset, u64 bytes)
{
	if (w->left)
		for (u64 at = offset, end = offset + bytes, count; at < end; at += count) {
			count = min_u64(8 - (at & 7), end - at);
			const u32 wanted = part(at, count);
			if ((w->bits[at / 8] & wanted) != wanted)
				return true;
		}
	return false;
}

bool written_lacks(const struct written *w, u64 offset, u64 bytes)
{
	if (written_misses(w, offset, bytes))
		return true;
	for (u64 k = 0; w->undefined && k < bytes; k++)
		if (w->undefined[offset + k])
			return true;
	return false;
}

void written_get(const struct written *w, u64 offset, u32 bytes, u8 *mask, u32 *origin)
{
	for (u32 k = 0; k < bytes; k++) {
		const u64 at = offset + k;
		const bool is_written = !w->left || w->bits[at / 8] >> (at & 7) & 1;
		mask[k] = !is_written ? 0xff : w->undefined ? w->undefined[at] : 0;
		if (is_written && mask[k])
			*origin = w->origins[at / 4];
	}
}

void written_put(struct written *w, struct arena *arena, u64 offset, u32 bytes, const u8 *mask, u32 origin)
{
	written_mark(w, offset, bytes);
	for (u32 k = 0; k < bytes; k++) {
		if (!mask[k])
			continue;
		if (!w->undefined) {
			w->undefined = ARENA_ARRAY(arena, w->size + 1, u8);
			w->origins = ARENA_ARRAY(arena, w->size / 4 + 1, u32);
		}
		w->undefined[offset + k] = mask[k];
		w->origins[(offset + k) / 4] = origin;
	}
}

void written_copy(struct written *to, struct arena *arena, u64 offset, const struct written *from, u64 from_offset,
		  u64 bytes, u32 origin)
{
	u8 mask[WRITTEN_MOST];

	if (!from || !written_lacks(from, from_offset, bytes)) {
		written_mark(to, offset, bytes);
		return;
	}
	for (u64 at = 0; at < bytes; at += WRITTEN_MOST) {
		const u32 count = (u32)min_u64(WRITTEN_MOST, bytes - at);
		u32 from_where = origin;
		written_get(from, from_offset + at, count, mask, &from_where);
		written_put(to, arena, offset + at, count, mask, from_where);
	}
}

void written_take(struct written *to, struct arena *arena, u64 offset, const struct written *from, u64 from_offset,
		  u64 bytes)
{
	for (u64 k = 0; k < bytes; k++) {
		u8 mask;
		u32 origin = 0;
		if (from->left && !(from->bits[(from_offset + k) / 8] >> ((from_offset + k) & 7) & 1))
			continue;
		written_get(from, from_offset + k, 1, &mask, &origin);
		written_put(to, arena, offset + k, 1, &mask, origin);
	}
}

/* --- All lanes of a warp at once ------------------------------------------------------------------ */

enum { LANES = 32 };
#define ALL_LANES 0xffffffffu

static bool are_inside(const struct written *w, const u64 *offset, u32 lanes, u32 bytes)
{
	u64 most = 0;

	if (lanes == ALL_LANES)
		for (u32 l = 0; l < LANES; l++)
			most = offset[l] > most ? offset[l] : most;
	else
		for (u32 left = lanes; left; left &= left - 1)
			most = max_u64(most, offset[__builtin_ctz(left)]);
	return !w->undefined && bytes && bytes <= 8 && bytes <= w->size && most <= w->size - bytes;
}

/* Do all lanes access one run of bytes, each those behind the lane's before, whose bits begin in a byte of their own? */
static bool are_run(const u64 *offset, u32 lanes, u32 bytes)
{
	u64 differs = offset[0] & 7;

	if (lanes != ALL_LANES)
		return false;
	for (u32 l = 1; l < LANES; l++)
		differs |= offset[l] - offset[0] - (u64)l * bytes;
	return !differs;
}

/* 32 lanes have four bytes of bits for each byte that a lane accesses. */
static bool has_run(const struct written *w, u64 offset, u32 bytes)
{
	u32 all = ALL_LANES;

	for (u32 k = 0; k < bytes; k++) {
		u32 bits;
		memcpy(&bits, w->bits + offset / 8 + 4 * k, sizeof bits);
		all &= bits;
	}
	return all == ALL_LANES;
}

static void mark_run(struct written *w, u64 offset, u32 bytes)
{
	for (u32 k = 0; k < bytes; k++) {
		u32 bits;
		memcpy(&bits, w->bits + offset / 8 + 4 * k, sizeof bits);
		w->left -= (u64)__builtin_popcount(~bits);
	}
	memset(w->bits + offset / 8, 0xff, 4 * bytes);
}

static u32 lacks(const struct written *w, u64 offset, u32 wanted)
{
	u16 bits;

	memcpy(&bits, w->bits + offset / 8, sizeof bits);
	return ~((u32)bits >> (offset & 7)) & wanted;
}

bool written_has_lanes(const struct written *w, const u64 *offset, u32 lanes, u32 bytes)
{
	const u32 wanted = (1u << bytes) - 1;
	u32 lacking = 0;

	if (!are_inside(w, offset, lanes, bytes))
		return false;
	if (are_run(offset, lanes, bytes))
		return has_run(w, offset[0], bytes);
	if (lanes == ALL_LANES)
		for (u32 l = 0; l < LANES; l++)
			lacking |= lacks(w, offset[l], wanted);
	else
		for (u32 left = lanes; left; left &= left - 1)
			lacking |= lacks(w, offset[__builtin_ctz(left)], wanted);
	return !lacking;
}

bool written_mark_lanes(struct written *w, const u64 *offset, u32 lanes, u32 bytes)
{
	if (!are_inside(w, offset, lanes, bytes))
		return false;
	if (are_run(offset, lanes, bytes)) {
		mark_run(w, offset[0], bytes);
		return true;
	}
	for (u32 left = lanes; left; left &= left - 1) {
		const u64 at = offset[__builtin_ctz(left)];
		const u16 now = (u16)(((1u << bytes) - 1) << (at & 7));
		u16 bits;
		memcpy(&bits, w->bits + at / 8, sizeof bits);
		w->left -= (u64)__builtin_popcount(now & ~bits & 0xffff);
		bits |= now;
		memcpy(w->bits + at / 8, &bits, sizeof bits);
	}
	return true;
}

void written_add(struct written *w, const struct written *more)
{
	if (w->size != more->size || !w->left)
		return;
	for (u64 k = 0; k < (w->size + 7) / 8; k++) {
		const u8 now = more->bits[k], before = w->bits[k];
		w->left -= (u64)__builtin_popcount(now & ~before);
		w->bits[k] = before | now;
	}
}
