/* SPDX-License-Identifier: Apache-2.0 */
#include "native/window.h"

#include "decode/form_address.h"
#include "exec/warp.h"
#include "isa/form.h"
#include "sem/native_proven.h"

/* Bytes from the first lane's word to another's. */
static s32 way(const struct flow_row *address, u32 lane) { return (s32)(u32)lane_distance(address, lane); }

/* The window that holds all of them. */
static struct word_window window_of(const struct flow_row *address)
{
	s32 least = 0, most = 0;

	for (u32 l = 0; l < WARP_LANES; l++) {
		least = way(address, l) < least ? way(address, l) : least;
		most = way(address, l) > most ? way(address, l) : most;
	}
	return (struct word_window){.from = least, .words = ((u32)most - (u32)least) / 4 + 1};
}

static u32 slot(const struct flow_row *address, const struct word_window *at, u32 lane)
{
	return ((u32)way(address, lane) - (u32)at->from) / 4;
}

/* All lanes at words of their own: of several at one the highest would win. */
static bool are_apart(const struct flow_row *address, const struct word_window *at)
{
	u64 taken = 0;

	for (u32 l = 0; l < WARP_LANES; l++) {
		const u64 bit = 1ull << slot(address, at, l);
		if (taken & bit)
			return false;
		taken |= bit;
	}
	return true;
}

static bool is_word(const struct form *f)
{
	return f->type_count && type_bits(form_type(f, 0)) == 32 && form_vector(f) == 1 && f->layout == LAYOUT_MEMORY;
}

bool window_fits(const struct step *s, const struct flow_row *address)
{
	const struct word_window at = window_of(address);

	if (address->bits != 32 || form_space(s->form) != SPACE_SHARED || !is_word(s->form) || at.words > WINDOW_WORDS)
		return false;
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].bits != 32)
			return false;
	for (u32 l = 0; l < WARP_LANES; l++)
		if (way(address, l) % 4)
			return false;
	return !(s->form->row->traits & TRAIT_STORES) || are_apart(address, &at);
}

static void fill_load(struct window_load *z, const struct flow_row *address)
{
	z->at = window_of(address);
	for (u32 l = 0; l < WARP_LANES; l++) {
		z->slot[l] = slot(address, &z->at, l);
		z->used[l / WINDOW_PIECE] |= 1u << z->slot[l] / WINDOW_PIECE;
	}
}

static void fill_store(struct window_store *z, const struct flow_row *address)
{
	z->at = window_of(address);
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u32 word = slot(address, &z->at, l);
		z->lane[word] = l;
		z->bit[word] = 1u << l;
		z->used[word / WINDOW_PIECE] |= 1u << l / WINDOW_PIECE;
	}
}

const u32 *window_make(const struct code_flow *f, const struct step *s, const struct flow_row *address, u32 *count)
{
	const bool stores = s->form->row->traits & TRAIT_STORES;
	const size_t bytes = stores ? sizeof(struct window_store) : sizeof(struct window_load);
	void *z = ARENA_ARRAY(f->arena, bytes / 4, u32);

	*count = bytes / 4;
	if (stores)
		fill_store(z, address);
	else
		fill_load(z, address);
	return z;
}
