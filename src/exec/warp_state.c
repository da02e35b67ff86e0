/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashing of a warp's state, each time when a slice ends in a loop that may wait: some kilobytes. So eight chains of
 * multiplications run side by side, and do not wait for one another's results.
 */
#include "exec/warp_state.h"

#include <string.h>

enum { CHAINS = 8 };

static u64 mixed(u64 h, u64 word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

static u64 hash_rows(u64 h, const u8 *rows, size_t bytes)
{
	u64 chain[CHAINS], word[CHAINS];
	size_t at = 0;

	for (u32 k = 0; k < CHAINS; k++)
		chain[k] = h + k;
	for (; at + sizeof word <= bytes; at += sizeof word) {
		memcpy(word, rows + at, sizeof word);
		for (u32 k = 0; k < CHAINS; k++)
			chain[k] = mixed(chain[k], word[k]);
	}
	memset(word, 0, sizeof word);
	memcpy(word, rows + at, bytes - at);
	for (u32 k = 0; k < CHAINS; k++)
		h = mixed(mixed(h, chain[k]), word[k]);
	return h;
}

static u64 hash_place(const struct insn *pc, u32 mask) { return mixed((u64)(uintptr_t)pc, mask); }

/* A sum: of several splits that spin, another one is the first after each slice. */
u64 warp_hash(const struct warp *w)
{
	u64 sum = w->live;

	for (const struct split *s = w->ready_head; s; s = s->next)
		sum += hash_rows(hash_place(s->pc, s->mask), s->frame->rows, s->frame->code->register_bytes);
	for (const struct split *s = w->waiting; s; s = s->next)
		sum += hash_place(s->pc, s->mask);
	for (size_t k = 0; k < w->stack_depth; k++)
		sum += mixed(hash_place(w->stack[k].pc, w->stack[k].mask), k);
	return sum;
}
