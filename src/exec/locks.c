/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks of shared words: 256 for a block, chosen by bits 2 to 9 of the address, so that words a
 * kilobyte apart have one lock. A lock-load asks for one and says by a predicate whether it came;
 * an unlock-store gives it back. Which of the lanes of one instruction gets a lock that several
 * want is not stated by anyone: the lowest here, or one by a seed.
 */
#include "exec/internal.h"

static u32 lock_index(u32 address) { return address >> 2 & (SHARED_LOCKS - 1); }

/* A number that is the same in every run of the same launch. */
static u32 chance(const struct warp *w, u32 below)
{
	u64 x = w->grid->launch->lock_order.seed ^ w->block->index * 0x9e3779b97f4a7c15ull ^ (u64)w->index << 40 ^
		(w->issued + w->lock_rounds) * 0xbf58476d1ce4e5b9ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (u32)((x ^ x >> 31) % below);
}

/* One of the lanes of `group`. */
static u32 winner(const struct warp *w, u32 group)
{
	if (w->grid->launch->lock_order.random)
		for (u32 skip = chance(w, (u32)__builtin_popcount(group)); skip; skip--)
			group &= group - 1;
	return (u32)__builtin_ctz(group);
}

static void note(struct warp *w, const struct insn *i, u32 mask, u32 got, u32 wrong_word)
{
	if (w->lock_loop != i) {
		w->lock_loop = i;
		w->lock_rounds = 0;
	}
	w->lock_rounds++;
	w->lock_tried = mask;
	w->lock_got = got;
	w->lock_false = wrong_word;
}

u32 locks_take(struct warp *w, const struct insn *i, u32 mask, const u32 address[WARP_LANES])
{
	struct block *b = w->block;
	u32 got = 0, wrong_word = 0;

	if (!b->locks)
		b->locks = ARENA_NEW(&w->worker->arena, struct shared_locks);
	/* A loop is over when all its lanes have got their lock: the next round is a new one's first. */
	if (w->lock_loop == i && !(w->lock_tried & ~w->lock_got))
		w->lock_loop = NULL;
	for (u32 left = mask; left;) {
		const u32 first = (u32)__builtin_ctz(left), index = lock_index(address[first]);
		struct shared_lock *lock = &b->locks->lock[index];
		u32 group = 0;
		for (u32 l = first; l < WARP_LANES; l++)
			group |= (u32)(left >> l & 1 && lock_index(address[l]) == index) << l;
		left &= ~group;
		if (!lock->held) {
			const u32 lane = winner(w, group);
			*lock = (struct shared_lock){true, (u8)lane, (u16)w->index, address[lane] & ~3u};
			b->locks->held++;
			got |= 1u << lane;
		}
		for (u32 l = first; l < WARP_LANES; l++)
			wrong_word |= (u32)(group >> l & 1 && (address[l] & ~3u) != lock->address) << l;
	}
	note(w, i, mask, got, wrong_word);
	return got;
}

bool locks_give(struct warp *w, const struct insn *i, u32 mask, const u32 address[WARP_LANES])
{
	struct block *b = w->block;

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left), index = lock_index(address[l]);
		struct shared_lock *lock = b->locks ? &b->locks->lock[index] : NULL;
		if (!lock || !lock->held) {
			warp_fault(w, i, FAULT_LOCK, 1u << l, "unlocks the word at 0x%x, whose lock %u nobody holds",
				   address[l], index);
			return false;
		}
		if (lock->warp != w->index || lock->lane != l) {
			warp_fault(
				w, i, FAULT_LOCK, 1u << l,
				"unlocks the word at 0x%x, whose lock %u lane %u of warp %u holds for the word at 0x%x",
				address[l], index, lock->lane, lock->warp, lock->address);
			return false;
		}
	}
	for (u32 left = mask; left; left &= left - 1) {
		b->locks->lock[lock_index(address[__builtin_ctz(left)])].held = false;
		b->locks->held--;
	}
	return true;
}

bool locks_none_held(struct warp *w, const struct insn *i, u32 lanes)
{
	const struct shared_locks *locks = w->block->locks;

	if (!locks || !locks->held)
		return true;
	for (u32 k = 0; k < SHARED_LOCKS; k++) {
		const struct shared_lock *lock = &locks->lock[k];
		if (!lock->held || lock->warp != w->index || !(lanes >> lock->lane & 1))
			continue;
		warp_fault(w, i, FAULT_LOCK, 1u << lock->lane,
			   "exits and still holds lock %u, taken for the word at 0x%x", k, lock->address);
		return false;
	}
	return true;
}
