/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "native/key.h"

#include <stdlib.h>
#include <string.h>

#include "native/load.h"
#include "native/plugin.h"
#include "native/processor.h"

struct key_writer {
	struct native_key *key;
	size_t room;
	bool full; /* no memory */
};

static void put(struct key_writer *w, const void *from, size_t bytes)
{
	struct native_key *key = w->key;

	if (w->full)
		return;
	if (bytes > w->room - key->count) {
		const size_t room = 2 * w->room + bytes + 4096;
		u8 *grown = realloc(key->bytes, room);
		w->full = !grown;
		if (!grown)
			return;
		key->bytes = grown;
		w->room = room;
	}
	if (bytes)
		memcpy(key->bytes + key->count, from, bytes);
	key->count += bytes;
}

static void put_word(struct key_writer *w, u64 value) { put(w, &value, sizeof value); }

static void put_text(struct key_writer *w, const char *text)
{
	const size_t length = text ? strlen(text) : 0;

	put_word(w, text ? length + 1 : 0);
	put(w, text, length);
}

/* NULL is not the same as no rows. */
static void put_rows(struct key_writer *w, const struct region *r, const u64 *rows)
{
	put_word(w, rows != NULL);
	if (rows)
		put(w, rows, r->words * sizeof *rows);
}

static void put_insn(struct key_writer *w, const struct region *r, const struct region_insn *x)
{
	const struct insn *i = x->plain;
	const u32 words[] = {i->d,
			     i->a,
			     i->b,
			     i->c,
			     (u32)i->imm,
			     i->run,
			     i->fp,
			     i->aux,
			     x->number,
			     x->list_count,
			     x->operand_count,
			     x->guard,
			     x->guard_negated,
			     x->prefixed,
			     x->whole,
			     x->merges,
			     x->accesses,
			     x->of_floats,
			     x->other_mode,
			     x->together,
			     x->hoisted,
			     x->shapes,
			     x->affine,
			     x->proven,
			     x->reach,
			     x->place,
			     x->spot,
			     x->finds_spot,
			     x->told,
			     x->guard_told,
			     x->repeat,
			     x->scales,
			     x->leaves,
			     x->ahead ? x->ahead->number + 1 : 0};

	put(w, words, sizeof words);
	put_text(w, x->meaning);
	put(w, x->list, x->list_count * sizeof *x->list);
	for (u32 k = 0; k < x->operand_count; k++) {
		const struct region_operand *o = &x->operands[k];
		const u32 operand[] = {o->row, o->bits, o->read, o->written, (u32)o->widened, o->place};
		put(w, operand, sizeof operand);
	}
	put_rows(w, r, x->live);
}

static void put_block(struct key_writer *w, const struct region *r, const struct region_block *x)
{
	const u32 words[] = {
		x->at,      x->insn_count,     x->joins,  x->end,         x->run,      x->end_told, x->condition,
		x->negated, x->next,           x->target, x->join,        x->backward, x->at_end,   x->join_run,
		x->second,  x->second_negated, x->parts,  x->fewer_first, x->uniform};

	put(w, words, sizeof words);
	for (u32 k = 0; k < x->insn_count; k++)
		put_insn(w, r, &x->insns[k]);
	put_rows(w, r, x->live);
	put_rows(w, r, x->live_end);
}

static void put_region(struct key_writer *w, const struct region *r)
{
	const u32 words[] = {r->first, r->end,        r->size, r->fp,   r->block_count, r->row_count,
			     r->words, r->of_machine, r->lean, r->left, r->is_last,     r->through_warps};

	put(w, words, sizeof words);
	for (u32 k = 0; k < r->row_count; k++) {
		const struct region_row *row = &r->rows[k];
		const u32 facts[] = {row->offset,    row->bits,    row->written,   row->enters,   row->leaves,
				     row->constant,  row->barrier, row->affine,    row->of_block, row->scaled,
				     row->is_signed, row->shift,   (u32)row->from, row->index,    row->base};
		put(w, facts, sizeof facts);
		put_word(w, row->value);
		put_word(w, row->step);
		put_word(w, row->distances != NULL);
		if (row->distances)
			put(w, row->distances, WARP_LANES * sizeof *row->distances);
	}
	for (u32 k = 0; k < r->block_count; k++)
		put_block(w, r, &r->blocks[k]);
}

bool key_make(struct native_key *key, const struct regions *regions, bool choosy)
{
	struct key_writer w = {.key = key};
	u64 plugin[FILE_IDENTITY_WORDS];
	u32 processor[PROCESSOR_WORDS];

	*key = (struct native_key){0};
	if (!plugin_identity(plugin))
		return false;
	processor_identity(processor);
	put_text(&w, VERSION);
	put_word(&w, NATIVE_VERSION);
	put(&w, plugin, sizeof plugin);
	put(&w, processor, sizeof processor);
	put_word(&w, choosy);
	put_word(&w, regions->count);
	put_word(&w, regions->row_threads);
	put_word(&w, regions->one_warp);
	for (u32 k = 0; k < regions->count; k++)
		put_region(&w, &regions->items[k]);
	return !w.full;
}

void key_free(struct native_key *key) { free(key->bytes); }
