/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving data between registers (PTX ISA 9.7.9.2, 9.7.9.3) and between address spaces: mov, packing
 * and unpacking, cvta, isspacep, mapa, getctarank.
 *
 * A mov may vanish: lowering lets a row have two names where nothing writes either of them in between (decode/rows.c's
 * `same`). What is left is a copy of a row. Packing takes the parts of a register lane by lane, since parts and whole
 * have rows of different widths.
 */
#include "isa/linear.h"
#include "sem/pick.h"

/* --- mov ------------------------------------------------------------------------------------ */

/* These two say that they copy, so that lowering may let a row have two names; all else is LANE1's. */
#ifndef SEM_NATIVE
#undef MEANING_GANG_WORD
#define MEANING_GANG_WORD(NAME, WORD)        \
	static const struct meaning NAME = { \
		.run = NAME##_run, .gang = NAME##_gang, .copies = true, .name = MEANING_NAME(NAME)}
#endif
LANE1(mov_32, b32, b32, a);
LANE1(mov_64, b64, b64, a);
#ifndef SEM_NATIVE
#undef MEANING_GANG_WORD
#define MEANING_GANG_WORD(NAME, WORD)        \
	static const struct meaning NAME = { \
		.run = NAME##_run, .gang = NAME##_gang, .word = (WORD), .name = MEANING_NAME(NAME)}
#endif

MEANING_FUNCTION(mov_pred)
{
	(void)w;
	pred_write(rows, i->d, mask, PRED_SOURCE(i, i->a, 0));
	return i + 1;
}
MEANING_EACH(mov_pred);

MEANING_FUNCTION(mov_128)
{
	u128 *d = ROW_OF(b128, i->d);
	const u128 *a = ROW_OF(b128, i->a);

	(void)w;
	for (int l = 0; l < WARP_LANES; l++)
		if (mask >> l & 1)
			d[l] = a[l];
	return i + 1;
}
MEANING_EACH(mov_128);

static const struct meaning *pick_mov(const struct form *f)
{
	switch (type_bits(form_type(f, 0))) {
	case 1:
		return &mov_pred;
	case 64:
		return &mov_64;
	case 128:
		return &mov_128;
	default:
		return &mov_32;
	}
}

/* --- Packing -------------------------------------------------------------------------------- */

/* A lane's part: rows of up to 32 bits have words, others double words. */
static inline u64 part_read(const u8 *rows, u32 offset, u32 bits, u32 lane)
{
	return bits == 64 ? ((const u64 *)(rows + offset))[lane] : ((const u32 *)(rows + offset))[lane];
}

static inline void part_write(u8 *rows, u32 offset, u32 bits, u32 lane, u64 value)
{
	if (offset == NO_OPERAND)
		return;
	if (bits == 64)
		((u64 *)(rows + offset))[lane] = value;
	else
		((u32 *)(rows + offset))[lane] = (u32)value;
}

/* The low bits of a part, 64 at most. */
static inline u64 part_cut(u64 value, u32 bits) { return bits == 64 ? value : value & ((1ull << bits % 64) - 1); }

/* list[0] = {list[1] low, ...}: n parts of `bits`. */
ALWAYS_INLINE const struct insn *pack_parts(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 n, u32 bits)
{
	const u32 *list = warp_operands(w, i);

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u128 value = 0;
		for (u32 k = 0; k < n; k++)
			value |= (u128)part_cut(part_read(rows, list[1 + k], bits, l), bits) << k * bits;
		if (n * bits == 128)
			((u128 *)(rows + list[0]))[l] = value;
		else
			part_write(rows, list[0], n * bits, l, (u64)value);
	}
	return i + 1;
}

/* {list[0] low, ...} = list[n]. */
ALWAYS_INLINE const struct insn *unpack_parts(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 n, u32 bits)
{
	const u32 *list = warp_operands(w, i);

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u128 value =
			n * bits == 128 ? ((const u128 *)(rows + list[n]))[l] : part_read(rows, list[n], n * bits, l);
		for (u32 k = 0; k < n; k++)
			part_write(rows, list[k], bits, l, part_cut((u64)(value >> k * bits), bits));
	}
	return i + 1;
}

/* The common ones, of two words, for all lanes at once. */
MEANING_FUNCTION(pack_2x32)
{
	const u32 *list = warp_operands(w, i);
	const u32 *low = ROW_OF(u32, list[1]), *high = ROW_OF(u32, list[2]);
	u64 value[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		value[l] = low[l] | (u64)high[l] << 32;
	merge_row(rows + list[0], (const u8 *)value, sizeof *value, mask);
	return i + 1;
}
MEANING_EACH(pack_2x32);
PICK_ONE(pack_2x32)

MEANING_FUNCTION(unpack_2x32)
{
	const u32 *list = warp_operands(w, i);
	const u64 *value = ROW_OF(u64, list[2]);
	u32 part[2][WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE {
		part[0][l] = (u32)value[l];
		part[1][l] = (u32)(value[l] >> 32);
	}
	for (u32 k = 0; k < 2; k++)
		if (list[k] != NO_OPERAND)
			merge_row(rows + list[k], (const u8 *)part[k], sizeof **part, mask);
	return i + 1;
}
MEANING_EACH(unpack_2x32);
PICK_ONE(unpack_2x32)

#define PACK(NAME, N, BITS)                                                      \
	MEANING_FUNCTION(NAME) { return pack_parts(w, i, rows, mask, N, BITS); } \
	MEANING_EACH(NAME);                                                      \
	PICK_ONE(NAME)
#define UNPACK(NAME, N, BITS)                                                      \
	MEANING_FUNCTION(NAME) { return unpack_parts(w, i, rows, mask, N, BITS); } \
	MEANING_EACH(NAME);                                                        \
	PICK_ONE(NAME)
PACK(pack_2x8, 2, 8)
PACK(pack_4x8, 4, 8)
PACK(pack_2x16, 2, 16)
PACK(pack_4x16, 4, 16)
PACK(pack_4x32, 4, 32)
PACK(pack_2x64, 2, 64)
UNPACK(unpack_2x8, 2, 8)
UNPACK(unpack_4x8, 4, 8)
UNPACK(unpack_2x16, 2, 16)
UNPACK(unpack_4x16, 4, 16)
UNPACK(unpack_4x32, 4, 32)
UNPACK(unpack_2x64, 2, 64)

/* --- Address spaces ------------------------------------------------------------------------- */

/* Where the form's space begins in generic addresses; 0 for .global and .const, whose addresses are generic already. */
static u64 window_of(const struct warp *w, const struct form *f)
{
	const struct address_map *m = w->grid->map;

	switch (form_pick(f, M_const, M_shared_cluster)) {
	case M_shared:
	case M_shared_cta:
	case M_shared_cluster:
		return m->shared_window;
	case M_local:
		return m->local_window;
	case M_param:
	case M_param_entry:
		return m->param_window;
	default:
		return 0;
	}
}

#define CVTA(NAME, BITS, SIGN)                                                 \
	MEANING_FUNCTION(NAME)                                                 \
	{                                                                      \
		const u##BITS window = (u##BITS)window_of(w, warp_form(w, i)); \
		const u##BITS *pa = ROW_OF(u##BITS, i->a);                     \
		u##BITS *d = ROW_OF(u##BITS, i->d);                            \
		LANE_BODY(u##BITS, (void)0, pa[l] SIGN window)                 \
		return i + 1;                                                  \
	}                                                                      \
	MEANING_EACH(NAME);
CVTA(cvta_64, 64, +)
CVTA(cvta_32, 32, +)
CVTA(cvta_to_64, 64, -)
CVTA(cvta_to_32, 32, -)

/* Whether cvta changes the number. */
static bool moves_window(const struct form *f)
{
	const int space = form_pick(f, M_const, M_shared_cluster);

	return space != M_const && space != M_global;
}

/* Where it does not, it is a mov. */
static const struct meaning *pick_cvta(const struct form *f)
{
	const bool wide = type_bits(form_type(f, 0)) == 64;

	if (!moves_window(f))
		return wide ? &mov_64 : &mov_32;
	if (form_has(f, M_to))
		return wide ? &cvta_to_64 : &cvta_to_32;
	return wide ? &cvta_64 : &cvta_32;
}

/* Recorded (WARP-NOTES): .shared holds for the own block only; .global holds for 0 and for kernel
 * parameters too. */
static bool is_in_space(struct warp *w, u64 address, int space)
{
	u64 offset = address;
	const enum ir_space real = generic_space(w, &offset);
	struct allocation a;

	switch (space) {
	case M_shared:
	case M_shared_cta:
		return real == SPACE_SHARED && shared_owner(w, offset) == w->block;
	case M_shared_cluster:
		return real == SPACE_SHARED;
	case M_local:
		return real == SPACE_LOCAL;
	case M_param:
	case M_param_entry:
		return real == SPACE_PARAM;
	case M_const:
		return memory_look(w->grid->memory, address, 1, &a) && a.flags & ALLOCATION_CONST;
	default:
		if (memory_look(w->grid->memory, address, 1, &a) && a.flags & ALLOCATION_CONST)
			return false;
		return real == SPACE_GLOBAL || real == SPACE_PARAM;
	}
}

MEANING_FUNCTION(isspacep)
{
	const struct form *f = warp_form(w, i);
	const int space = form_pick(f, M_const, M_shared_cluster);
	u32 truth = 0;

	for (u32 l = 0; l < WARP_LANES; l++)
		if (mask >> l & 1 &&
		    is_in_space(w, part_read(rows, i->a, f->operand_bits[1] == 64 ? 64 : 32, l), space))
			truth |= 1u << l;
	pred_write(rows, i->d, mask, truth);
	return i + 1;
}
MEANING(isspacep);

/* mov.v2, mov.v4: all elements are read before any is written, so that they may change places. */
ALWAYS_INLINE const struct insn *move_vector(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 bytes,
					     u32 count)
{
	const u32 *o = warp_operands(w, i);
	u8 values[4][8 * WARP_LANES] __attribute__((aligned(64)));

	for (u32 k = 0; k < count; k++)
		memcpy(values[k], rows + o[count + k], (size_t)bytes * WARP_LANES);
	for (u32 k = 0; k < count; k++)
		if (o[k] != NO_OPERAND)
			merge_row(rows + o[k], values[k], bytes, mask);
	return i + 1;
}
#define MOVE_VECTOR(NAME, BYTES, COUNT)                                                \
	MEANING_FUNCTION(NAME) { return move_vector(w, i, rows, mask, BYTES, COUNT); } \
	MEANING_EACH(NAME)
MOVE_VECTOR(move_2x32, 4, 2);
MOVE_VECTOR(move_4x32, 4, 4);
MOVE_VECTOR(move_2x64, 8, 2);
static const struct meaning *pick_move_vector(const struct form *f)
{
	if (type_bits(form_type(f, 0)) == 64)
		return &move_2x64;
	return form_has(f, M_v2) ? &move_2x32 : &move_4x32;
}

/* The address of the same shared variable in block `rank` of the cluster. */
MEANING_FUNCTION(mapa)
{
	const struct form *f = warp_form(w, i);
	const bool wide = type_bits(form_type(f, 0)) == 64, is_offset = form_has(f, M_shared_cluster);
	const u64 window = is_offset ? 0 : w->grid->map->shared_window;

	for (u32 l = 0; l < WARP_LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		const u64 offset =
			(part_read(rows, i->a, wide ? 64 : 32, l) - window) & ((1u << SHARED_RANK_SHIFT) - 1);
		const u32 rank = ((const u32 *)(rows + i->b))[l];
		part_write(rows, i->d, wide ? 64 : 32, l, window + shared_rank_bits(w, rank) + offset);
	}
	return i + 1;
}
MEANING(mapa);

/* Above the offset stands the rank + 1, or 0 for the own block. */
MEANING_FUNCTION(getctarank)
{
	const struct form *f = warp_form(w, i);
	const bool wide = f->operand_bits[1] == 64;
	const u64 window = form_has(f, M_shared_cluster) ? 0 : w->grid->map->shared_window;

	for (u32 l = 0; l < WARP_LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		const u64 rank = (part_read(rows, i->a, wide ? 64 : 32, l) - window) >> SHARED_RANK_SHIFT;
		((u32 *)(rows + i->d))[l] = rank ? (u32)rank - 1 : w->block->cluster_rank;
	}
	return i + 1;
}
MEANING(getctarank);

PICK_ONE(isspacep)
PICK_ONE(mapa)
PICK_ONE(getctarank)

#define CVTA_ROWS(SPACES, PTX, SM)                                                 \
	ROW("cvta" SPACES "(.u32|.u64)", "=0 &0", PTX, SM, 0, pick_cvta,           \
	    "Converts an address of a state space to the generic one."),           \
		ROW("cvta.to" SPACES "(.u32|.u64)", "=0 0", PTX, SM, 0, pick_cvta, \
		    "Converts a generic address to one of a state space."),        \
		ROW("isspacep" SPACES, "=pred u64", PTX, SM, 0, pick_isspacep,     \
		    "Tests whether a generic address lies in a state space."),     \
		ROW("isspacep" SPACES, "=pred u32", PTX, SM, 0, pick_isspacep,     \
		    "Tests whether a generic address of 32 bits lies in a state space.")

static const struct isa_row rows_move[] = {
	ROW("mov.pred", "=0 $0", 10, 10, 0, pick_mov, "Copies a predicate."),
	ROW("mov(.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64)", "=0 $&0", 10, 10, WITH(TRAIT_LINEAR),
	    pick_mov, "Copies a value, or takes a variable's address."),
	ROW("mov.b128", "=0 0", 83, 70, 0, pick_mov, "Copies a value."),
	ROW("mov.v2(.b16|.u16|.s16|.b32|.u32|.s32|.f32|.b64|.u64|.s64|.f64)", "={v}0 ${v}0", 10, 10, 0,
	    pick_move_vector, "Copies two values."),
	ROW("mov.v4(.b16|.u16|.s16|.b32|.u32|.s32|.f32)", "={v}0 ${v}0", 10, 10, 0, pick_move_vector,
	    "Copies four values."),
	ROW("mov.b16", "=b16 {2}b8", 10, 10, 0, pick_pack_2x8, "Packs two bytes."),
	ROW("mov.b32", "=b32 {4}b8", 10, 10, 0, pick_pack_4x8, "Packs four bytes."),
	ROW("mov.b32", "=b32 {2}b16", 10, 10, 0, pick_pack_2x16, "Packs two halves."),
	ROW("mov.b64", "=b64 {4}b16", 10, 10, 0, pick_pack_4x16, "Packs four 16-bit values."),
	ROW("mov.b64", "=b64 ${2}b32", 10, 10, 0, pick_pack_2x32, "Packs two words."),
	ROW("mov.b128", "=b128 ${4}b32", 83, 70, 0, pick_pack_4x32, "Packs four words."),
	ROW("mov.b128", "=b128 ${2}b64", 83, 70, 0, pick_pack_2x64, "Packs two double words."),
	ROW("mov.b16", "={2}b8 b16", 10, 10, 0, pick_unpack_2x8, "Unpacks two bytes."),
	ROW("mov.b32", "={4}b8 b32", 10, 10, 0, pick_unpack_4x8, "Unpacks four bytes."),
	ROW("mov.b32", "={2}b16 $b32", 10, 10, 0, pick_unpack_2x16, "Unpacks two halves."),
	ROW("mov.b64", "={4}b16 $&b64", 10, 10, 0, pick_unpack_4x16, "Unpacks four 16-bit values."),
	ROW("mov.b64", "={2}b32 $&b64", 10, 10, 0, pick_unpack_2x32, "Unpacks two words."),
	ROW("mov.b128", "={4}b32 b128", 83, 70, 0, pick_unpack_4x32, "Unpacks four words."),
	ROW("mov.b128", "={2}b64 b128", 83, 70, 0, pick_unpack_2x64, "Unpacks two double words."),
	CVTA_ROWS("(.global|.local|.shared|.shared::cta|.shared::cluster)", 20, 20),
	CVTA_ROWS(".const", 31, 20),
	CVTA_ROWS("(.param|.param::entry)", 77, 70),
	ROW("mapa[.shared::cluster](.u32|.u64)", "=0 &0 u32", 78, 90, 0, pick_mapa,
	    "The address of a shared variable in another block of the cluster."),
	ROW("getctarank[.shared::cluster](.u32|.u64)", "=u32 &0", 78, 90, 0, pick_getctarank,
	    "The rank of the block whose shared memory an address lies in."),
};
FAMILY(family_move, "Data movement between registers", CLASS_MISC, rows_move);
