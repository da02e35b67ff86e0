/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor copies (PTX ISA 9.7.9.27): cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, and the
 * instructions that change tensor maps (9.7.9.28): tensormap.replace, tensormap.cp_fenceproxy.
 *
 * A tile is a sequence of rows along the innermost dimension. In shared memory the rows follow each
 * other, each as long as the swizzle's span if there is one, and 16-byte pieces change places within
 * a span by the bits of their address. What is not in the manual was recorded: WARP-NOTES.
 *
 * How the lanes of a box lie, for a map of rank 2 with a box of 4 rows and a swizzle of 128 bytes:
 *
 *  tensor, in global memory               shared memory: pieces of 16 bytes, 8 in a row of 128
 *
 *        start[0]                         row 0   0 1 2 3 4 5 6 7      address bits 7..9 are
 *   +------+----------+-----+             row 1   1 0 3 2 5 4 7 6      exclusive-ored to bits
 *   |      | row 0    |     |             row 2   2 3 0 1 6 7 4 5      4..6 (piece_place): a
 *   |      | row 1    |     |   ------>   row 3   3 2 1 0 7 6 5 4      column of the tile lies
 *   |      | row 2    |     |                                          in eight banks' groups
 *   |      | row 3    |     |             (the number: which piece of the row stands there)
 *   +------+----------+-----+
 *
 * What of the box lies outside the tensor is read as zero, or as NaN if the map says so, and is not written.
 */
#include "memory/tensormap.h"
#include "sem/async.h"

enum { PIECE = 16, TILE_ALIGN = 128, ROW_BYTES = 2048 };

/* A tile of one lane's copy.
 * A tile is worked on by one lane at a time: PTX ISA gives each lane its own copy. `start`, `at` and `shift` are
 * counted in elements, dimension 0 being the innermost. */
struct tile {
	const struct operands *o;
	u32 lane;
	struct tensor_map map;
	u32 element; /* bytes */
	u32 row_elements, row_bytes, pitch;
	u32 rows;
	s64 start[TENSOR_RANK]; /* coordinates; of gather and scatter: of the row, then of each line */
	s64 at[TENSOR_RANK];    /* coordinates of the row that the walk has reached */
	s64 shift[TENSOR_RANK]; /* im2col: what the offsets add to a pixel's place */
	u32 row;
	bool lines; /* gather4, scatter4 */
};

/* Maps are data: a program may build a wrong one at run time. The device ends the kernel with an illegal
 * instruction. */
static bool tile_wrong(const struct tile *t, const char *why)
{
	warp_fault(t->o->w, t->o->i, FAULT_ILLEGAL_INSTRUCTION, 1u << t->lane, "%s", why);
	return false;
}

/* How many rows along one outer dimension: a box counts the elements it spans, not those it takes. */
static u32 rows_along(const struct tensor_map *m, u32 d)
{
	return (m->box[d] + m->element_strides[d] - 1) / m->element_strides[d];
}

/* Computes how long rows are and how many there are. The limit ROW_BYTES is the longest row that a legal map can have:
 * 256 elements of 8 bytes. */
static bool tile_shape(struct tile *t)
{
	struct tensor_map *m = &t->map;

	t->element = tensor_type_bytes(m->type);
	t->row_elements = m->im2col ? m->channels : m->box[0];
	if (m->interleave && !m->im2col) {
		/* A row is a slice of channels. Recorded: of 32-byte slices twice as many come as the box says. */
		m->box[1] *= max_u32(1, m->box[0] * t->element / PIECE);
		t->row_elements = (8u << m->interleave) / t->element;
	}
	t->row_bytes = t->row_elements * t->element;
	t->pitch = max_u32(t->row_bytes, tensor_swizzle_span(m->swizzle));
	if (t->row_bytes > ROW_BYTES || t->row_bytes % PIECE)
		return tile_wrong(t, "a row of the box is not a multiple of 16 bytes");
	t->rows = m->im2col ? m->pixels : t->lines ? 4 : 1;
	for (u32 d = 1; d < m->rank && !m->im2col && !t->lines; d++)
		t->rows *= rows_along(m, d);
	return true;
}

/* Reads the map (operand k) and the coordinates behind it. `loads`: coordinates may be negative. */
static bool tile_open(struct tile *t, const struct operands *o, u32 k, u32 lane, bool loads)
{
	const struct form *f = o->form;
	const bool im2col = form_pick(f, M_im2col, M_im2col_no_offs) != TOKEN_NONE;
	const u32 rank = (u32)(form_pick(f, M_dim1, M_dim5) - M_dim1 + 1);
	const u8 *bytes =
		range_pointer(o, lane, SPACE_GENERIC, operand_address(o, k, lane), TENSOR_MAP_BYTES, 64, false);

	*t = (struct tile){.o = o, .lane = lane, .lines = form_has(f, M_gather4) || form_has(f, M_scatter4)};
	if (!bytes || (UNLIKELY(o->op) && !async_map_used(o->w, o->i, lane, operand_address(o, k, lane))))
		return false;
	if (!tensor_map_decode(bytes, &t->map))
		return tile_wrong(t, "there is no tensor map at the address");
	const char *wrong = tensor_map_wrong(&t->map);
	if (wrong)
		return tile_wrong(t, wrong);
	if (t->map.rank != rank || t->map.im2col != im2col)
		return tile_wrong(t, "the tensor map has another rank or mode than the instruction");
	for (u32 d = 0; d < (t->lines ? 5 : rank); d++) {
		t->start[d] = operand_s32(o, k + 2 + d, lane);
		if (!loads && t->start[d] < 0)
			return tile_wrong(t, "a store to a negative coordinate");
	}
	if (!tile_shape(t))
		return false;
	if (t->start[0] * t->element % PIECE)
		return tile_wrong(t, "the innermost coordinate is not a multiple of 16 bytes");
	memcpy(t->at, t->start, sizeof t->at);
	return true;
}

/* im2col: the next pixel in the bounding box, then in the next image. */
static void next_pixel(struct tile *t)
{
	const struct tensor_map *m = &t->map;

	for (u32 d = 1; d + 1 < m->rank; d++) {
		t->at[d] += m->element_strides[d];
		if (t->at[d] <= (s64)m->dims[d] - 1 + m->upper[d - 1])
			return;
		t->at[d] = m->lower[d - 1];
	}
	t->at[m->rank - 1]++;
}

/* Goes on to the next row: dimension 1 runs fastest. Element strides skip rows of the tensor, so `at` moves by them. */
static void next_row(struct tile *t)
{
	const struct tensor_map *m = &t->map;

	t->row++;
	if (t->lines) {
		t->at[1] = t->start[1 + min_u32(t->row, 3)];
		return;
	}
	if (m->im2col) {
		next_pixel(t);
		return;
	}
	for (u32 d = 1; d < m->rank; d++) {
		t->at[d] += m->element_strides[d];
		if (t->at[d] < t->start[d] + m->box[d])
			return;
		t->at[d] = t->start[d];
	}
}

/* The part of the current row that lies in the tensor: elements [*first, *last), at *address. */
static bool row_inside(const struct tile *t, u32 *first, u32 *last, u64 *address)
{
	const struct tensor_map *m = &t->map;
	const s64 begin = t->at[0], end = begin + t->row_elements;
	u64 base = m->address;

	for (u32 d = 1; d < m->rank; d++) {
		const s64 at = t->at[d] + t->shift[d];
		if (at < 0 || at >= (s64)m->dims[d])
			return false;
		base += (u64)at * m->strides[d - 1];
	}
	const s64 low = begin < 0 ? 0 : begin, high = end > (s64)m->dims[0] ? (s64)m->dims[0] : end;
	if (low >= high)
		return false;
	*first = (u32)(low - begin);
	*last = (u32)(high - begin);
	*address = base + (u64)low * t->element;
	return true;
}

/* Where piece number k of the current row lies in shared memory whose bytes start at `offset`. */
static u32 piece_place(const struct tile *t, u32 offset, u32 k)
{
	static const u8 bits[] = {0, 1, 3, 7};
	const u32 at = offset + t->row * t->pitch + k * PIECE;

	return at ^ ((at >> 7 & bits[t->map.swizzle]) << 4);
}

/* To 10 fraction bits, nearest even. Recorded: what NaN becomes, and that rounding comes before flushing.
 * The lower 13 bits of 23 go. Adding 0xfff and the lowest bit that stays rounds to nearest, ties to even. */
static u32 round_tf32(u32 value)
{
	if (f32_is_nan(value))
		return 0x7fffe000;
	return (value + 0xfff + (value >> 13 & 1)) & ~0x1fffu;
}

/* Elements that were loaded: tf32 is rounded, subnormal numbers of the flushing types become zero. */
static void convert_elements(const struct tile *t, u8 *elements, u32 bytes)
{
	const u32 type = t->map.type;

	if (type != TENSOR_F32_FTZ && type != TENSOR_TF32 && type != TENSOR_TF32_FTZ)
		return;
	for (u32 k = 0; k < bytes; k += 4) {
		u32 value;
		memcpy(&value, elements + k, 4);
		if (type != TENSOR_F32_FTZ)
			value = round_tf32(value);
		value = f32_flush_if(value, type != TENSOR_TF32);
		memcpy(elements + k, &value, 4);
	}
}

/* Fills a row with what stands for elements outside the tensor, then copies the part that is inside. 0x7ff7 as 16 bits
 * is the pattern that the device was recorded to fill with. */
static bool read_row(const struct tile *t, u8 row[ROW_BYTES])
{
	static const u8 nan[2] = {0xf7, 0x7f};
	u32 first, last;
	u64 address;

	for (u32 k = 0; k < t->row_bytes; k++)
		row[k] = t->map.fills_nan ? nan[k & 1] : 0;
	if (!row_inside(t, &first, &last, &address))
		return true;
	const u32 bytes = (last - first) * t->element;
	const u8 *from = range_pointer(t->o, t->lane, SPACE_GLOBAL, address, bytes, 1, false);
	if (!from)
		return false;
	memcpy(row + first * t->element, from, bytes);
	convert_elements(t, row + first * t->element, bytes);
	return true;
}

/* The block that holds a shared address, once the tile's bytes there are known to be within it. */
static struct block *tile_block(const struct tile *t, u64 address, u32 *offset, bool is_store)
{
	struct block *b = shared_target(t->o->w, t->o->i, SPACE_SHARED, address);
	const u64 bytes = (u64)(t->rows - 1) * t->pitch + (t->map.swizzle ? t->pitch : t->row_bytes);

	*offset = (u32)address & ((1u << SHARED_RANK_SHIFT) - 1);
	if (*offset % TILE_ALIGN) {
		warp_fault_address(t->o->w, t->o->i, FAULT_MISALIGNED, t->lane, address, (u32)bytes, SPACE_SHARED,
				   is_store);
		return NULL;
	}
	if (b && *offset + bytes <= b->shared_bytes)
		return b;
	warp_fault_address(t->o->w, t->o->i, FAULT_OUT_OF_BOUNDS, t->lane, address, (u32)bytes, SPACE_SHARED, is_store);
	return NULL;
}

/* Notes that a piece of the current row will be written or read. */
static bool piece_known(const struct tile *t, u64 address, u32 offset, u32 place, bool is_store)
{
	const struct operands *o = t->o;

	return LIKELY(!o->op) ||
	       async_range(o->w, o->i, o->op, t->lane, SPACE_SHARED, address - offset + place, PIECE, is_store);
}

/* --- Loads ---------------------------------------------------------------------------------- */

/* Writes a tile to shared memory and reports the bytes to the mbarrier: all of the box, also those that were filled in
 * since programs expect the box's size. */
static bool tile_load(struct tile *t, u64 to, u64 mbarrier)
{
	u32 offset;
	struct block *b = tile_block(t, to, &offset, true);
	u8 row[ROW_BYTES];

	if (!b)
		return false;
	memcpy(t->at, t->start, sizeof t->at);
	for (t->row = 0; t->row < t->rows; next_row(t)) {
		if (!read_row(t, row))
			return false;
		for (u32 k = 0; k < t->row_bytes / PIECE; k++) {
			const u32 place = piece_place(t, offset, k);
			if (!piece_known(t, to, offset, place, true))
				return false;
			memcpy(b->shared + place, row + k * PIECE, PIECE);
		}
		/* Row by row where programs expect fewer bytes than come. */
		if (t->map.interleave && !mbarrier_complete_tx(t->o, t->lane, mbarrier, t->row_bytes))
			return false;
	}
	return t->map.interleave || mbarrier_complete_tx(t->o, t->lane, mbarrier, t->rows * t->row_bytes);
}

/* Destination, map and coordinates, mbarrier, im2col offsets, mask of blocks.
 * With a mask of blocks, each gets the tile at the same offset of its own shared memory, and its own mbarrier there is
 * signalled. */
static bool tensor_load_lane(struct operands *o, u32 l)
{
	const bool multicast = form_has(o->form, M_multicast_cluster), shifted = form_has(o->form, M_im2col);
	struct tile t;

	if (!tile_open(&t, o, 2, l, true))
		return false;
	const u32 behind = 4 + (t.lines ? 5 : t.map.rank), shifts = shifted ? t.map.rank - 2u : 0;
	const u64 to = operand_address(o, 0, l), mbarrier = operand_address(o, behind, l);
	for (u32 d = 0; d < shifts; d++)
		t.shift[1 + d] = (u16)operand_value(o, behind + 2 + d, l);
	if (!multicast)
		return tile_load(&t, to, mbarrier);
	const u32 ranks = (u32)operand_value(o, behind + 2 + shifts, l) & 0xffff;
	for (u32 left = ranks; left; left &= left - 1) {
		const u32 rank = (u32)__builtin_ctz(left);
		if (UNLIKELY(o->op) && left != ranks)
			o->op = async_again(o->w, o->op);
		if (!tile_load(&t, shared_of_rank(o->w, to, rank), shared_of_rank(o->w, mbarrier, rank)))
			return false;
	}
	return true;
}
ASYNC_MEANING(tensor_load, ASYNC_BYTES, false)

/* --- Stores and reductions ------------------------------------------------------------------ */

/* The PTX type whose reductions an element type has, or TOKEN_NONE. */
static int reduced_type(u32 type)
{
	static const u16 types[TENSOR_TYPES] = {[TENSOR_U32] = T_u32,     [TENSOR_S32] = T_s32, [TENSOR_U64] = T_u64,
						[TENSOR_S64] = T_s64,     [TENSOR_F16] = T_f16, [TENSOR_F32] = T_f32,
						[TENSOR_F32_FTZ] = T_f32, [TENSOR_F64] = T_f64, [TENSOR_BF16] = T_bf16};

	return types[type];
}

static bool write_row(const struct tile *t, const u8 row[ROW_BYTES], int op)
{
	const int type = reduced_type(t->map.type);
	u32 first, last;
	u64 address;

	if (!row_inside(t, &first, &last, &address))
		return true;
	const u32 bytes = (last - first) * t->element;
	const u8 *from = row + first * t->element;
	u8 *to = range_pointer(t->o, t->lane, SPACE_GLOBAL, address, bytes, 1, true);
	if (!to)
		return false;
	if (op == TOKEN_NONE) {
		memcpy(to, from, bytes);
		return true;
	}
	for (u32 at = 0; at < bytes; at += t->element)
		reduce_global(t->o->w, op, type, to + at, from + at);
	return true;
}

static bool tile_store(struct tile *t, u64 from, int op)
{
	u32 offset;
	const struct block *b = tile_block(t, from, &offset, false);
	u8 row[ROW_BYTES];

	if (!b)
		return false;
	if (op != TOKEN_NONE && reduced_type(t->map.type) == TOKEN_NONE)
		return tile_wrong(t, "elements of the tensor's type cannot be reduced");
	for (t->row = 0; t->row < t->rows; next_row(t)) {
		for (u32 k = 0; k < t->row_bytes / PIECE; k++) {
			const u32 place = piece_place(t, offset, k);
			if (!piece_known(t, from, offset, place, false))
				return false;
			memcpy(row + k * PIECE, b->shared + place, PIECE);
		}
		if (!write_row(t, row, op))
			return false;
	}
	return true;
}

/* Map and coordinates, source.
 * Reductions round to nearest, whatever mode the warp was in. */
static bool tensor_store_lane(struct operands *o, u32 l)
{
	struct tile t;

	fp_enter(o->w, FP_RN);
	return tile_open(&t, o, 0, l, false) &&
	       tile_store(&t, operand_address(o, 2 + (t.lines ? 5 : t.map.rank), l), reduce_op(o->form));
}
MEANING_FUNCTION(tensor_store)
{
	struct operands o = operands_of(w, i, rows);

	return async_lanes(&o, mask, tensor_store_lane, ASYNC_BULK, reduce_op(o.form) != TOKEN_NONE) ? i + 1 : NULL;
}
ASYNC_PICK(tensor_store)

/* There is no L2 cache whose contents would be seen: a prefetch of a wrong map is not found out either. */
MEANING_FUNCTION(tensor_prefetch)
{
	(void)w;
	(void)rows;
	(void)mask;
	return i + 1;
}
ASYNC_PICK(tensor_prefetch)

/* --- Tensor maps ---------------------------------------------------------------------------- */

/* Sets the field that the form names; false if `ordinal` or `value` is no legal one. */
static bool replace_field(const struct form *f, struct tensor_map *m, u64 ordinal, u64 value)
{
	const int field = form_pick(f, M_global_address, M_fill_mode);

	if (ordinal >= TENSOR_RANK - (field == M_global_stride))
		return false;
	switch (field) {
	case M_global_address:
		m->address = value;
		return true;
	case M_rank:
		m->rank = (u8)(value + 1);
		return value < TENSOR_RANK;
	case M_box_dim:
		m->box[ordinal] = (u32)value;
		return value && value <= 256;
	case M_global_dim:
		m->dims[ordinal] = value;
		return value != 0;
	case M_global_stride:
		m->strides[ordinal] = value;
		return value % 16 == 0 && value < 1ull << 40;
	case M_element_stride:
		m->element_strides[ordinal] = (u32)value;
		return value && value <= 8;
	case M_elemtype:
		m->type = (u8)value;
		return value < TENSOR_TYPES;
	case M_interleave_layout:
		m->interleave = (u8)value;
		return value <= TENSOR_INTERLEAVE_32B;
	case M_swizzle_mode:
		m->swizzle = (u8)value;
		return value <= TENSOR_SWIZZLE_128B;
	case M_fill_mode:
		m->fills_nan = value;
		return value <= 1;
	default: /* .swizzle_atomicity: the 16-byte pieces are the only one before sm_100 */
		return value == 0;
	}
}

/* What sm_100 added: elements of 4 and 6 bits, and pieces of other sizes that the swizzle moves. */
static bool is_newer_value(const struct form *f, u64 value)
{
	return form_has(f, M_swizzle_atomicity) || (form_has(f, M_elemtype) && value >= TENSOR_TYPES) ||
	       (form_has(f, M_swizzle_mode) && value > TENSOR_SWIZZLE_128B);
}

/* Address; the new value in a register or a constant, of some fields behind a constant ordinal.
 * The map is changed in place, by each lane that runs. With the strict treatment of asynchronous copies, the change is
 * noted: a copy that uses the map needs a fence.proxy.tensormap in between. */
MEANING_FUNCTION(tensormap_replace)
{
	const struct operands o = operands_of(w, i, rows);
	const struct form *f = o.form;
	const enum ir_space space = form_has(f, M_global)       ? SPACE_GLOBAL
				    : form_has(f, M_shared_cta) ? SPACE_SHARED
								: SPACE_GENERIC;
	const bool in_register = f->operand_count > 2;
	const u64 ordinal = in_register && f->immediate_count ? (u64)f->immediates[0] : 0;

	EACH_ACTIVE (l) {
		struct tensor_map map;
		const u64 value = in_register ? operand_value(&o, 2, l) : (u64)f->immediates[0];
		u8 *bytes = range_pointer(&o, l, space, operand_address(&o, 0, l), TENSOR_MAP_BYTES, 64, true);
		if (!bytes)
			return NULL;
		if (!tensor_map_decode(bytes, &map))
			return warp_fault(w, i, FAULT_ILLEGAL_INSTRUCTION, 1u << l,
					  "there is no tensor map at the address");
		if (!replace_field(f, &map, ordinal, value))
			return warp_fault(w, i, is_newer_value(f, value) ? FAULT_UNMODELLED : FAULT_ILLEGAL_INSTRUCTION,
					  1u << l, "%llu as value for the field", (unsigned long long)value);
		tensor_map_store(&map, bytes);
		if (UNLIKELY(w->grid->async == ASYNC_STRICT) && space != SPACE_SHARED)
			async_map_changed(w, i, operand_address(&o, 0, l));
	}
	return i + 1;
}
MEANING(tensormap_replace);
/* A constant is the ordinal of a dimension if a value in a register follows, else the value: both are checked. */
static const struct meaning *pick_tensormap_replace(const struct form *f)
{
	struct tensor_map any = {.rank = 1};

	if (!f->immediate_count)
		return &tensormap_replace;
	const u64 number = (u64)f->immediates[0];
	const bool fits = f->operand_count > 2 ? number < TENSOR_RANK
					       : is_newer_value(f, number) || replace_field(f, &any, 0, number);
	return fits ? &tensormap_replace : NULL;
}

/* Destination, source; the size is a constant. The lanes name the same places. */
MEANING_FUNCTION(tensormap_copy)
{
	const struct operands o = operands_of(w, i, rows);

	EACH_ACTIVE (l) {
		const u8 *from =
			range_pointer(&o, l, SPACE_SHARED, operand_address(&o, 2, l), TENSOR_MAP_BYTES, 64, false);
		u8 *to =
			from ? range_pointer(&o, l, SPACE_GLOBAL, operand_address(&o, 0, l), TENSOR_MAP_BYTES, 64, true)
			     : NULL;
		if (!to)
			return NULL;
		memcpy(to, from, TENSOR_MAP_BYTES);
		if (UNLIKELY(w->grid->async == ASYNC_STRICT))
			async_map_changed(w, i, operand_address(&o, 0, l));
	}
	return i + 1;
}
MEANING(tensormap_copy);
static const struct meaning *pick_tensormap_copy(const struct form *f)
{
	return f->immediate_count && f->immediates[0] != TENSOR_MAP_BYTES ? NULL : &tensormap_copy;
}

/* --- Rows ----------------------------------------------------------------------------------- */

#define TX           ".mbarrier::complete_tx::bytes"
#define HINT         ".L2::cache_hint"
#define MULTICAST    ".multicast::cluster"
#define DIMS         "(.1d|.2d|.3d|.4d|.5d)"
#define DOC_LOAD     "Copies a tile of a tensor to shared memory."
#define DOC_STORE    "Copies a tile from shared memory to a tensor."
#define DOC_REDUCE   "Combines a tile of shared memory with a tensor."
#define DOC_PREFETCH "Brings a tile of a tensor into the L2 cache."
#define DOC_REPLACE  "Changes a field of a tensor map."
#define NEWER        (ISA_A_TARGET | ISA_UNVERIFIED)
/* DIM: dimensions; MODE: load mode; SHIFTS: im2col offsets, with a blank before. */
#define BULK WITH(TRAIT_ASYNC | TRAIT_UNSEEN)
#define LOAD_TO(SPACE, DIM, MODE, SHIFTS, PTX, SM, FLAGS)                                                    \
	ROW("cp.async.bulk.tensor" DIM SPACE ".global" MODE TX, "@ T @" SHIFTS, PTX, SM, (FLAGS) | BULK,     \
	    pick_tensor_load, DOC_LOAD),                                                                     \
		ROW("cp.async.bulk.tensor" DIM SPACE ".global" MODE TX HINT, "@ T @" SHIFTS " u64", PTX, SM, \
		    (FLAGS) | BULK, pick_tensor_load, DOC_LOAD)
/* In which block of a pair the mbarrier lies: its address says so, too. */
#define PAIR "(.cta_group::1|.cta_group::2)"
#define PAIR_TO(SPACE, DIM, MODE, SHIFTS, FLAGS)                                                                  \
	ROW("cp.async.bulk.tensor" DIM SPACE ".global" MODE TX PAIR, "@ T @" SHIFTS, 86, 100,                     \
	    NEWER | ISA_FAMILY_ONLY | (FLAGS) | BULK, pick_tensor_load, DOC_LOAD),                                \
		ROW("cp.async.bulk.tensor" DIM SPACE ".global" MODE TX PAIR HINT, "@ T @" SHIFTS " u64", 86, 100, \
		    NEWER | ISA_FAMILY_ONLY | (FLAGS) | BULK, pick_tensor_load, DOC_LOAD)
#define LOAD_ROWS(DIM, MODE, SHIFTS, PTX, SM, FLAGS)                                                                \
	PAIR_TO(".shared::cluster", DIM, MODE, SHIFTS, FLAGS), PAIR_TO(".shared::cta", DIM, MODE, SHIFTS, FLAGS),   \
		ROW("cp.async.bulk.tensor" DIM ".shared::cluster.global" MODE TX MULTICAST PAIR,                    \
		    "@ T @" SHIFTS " u16", 86, 100, NEWER | ISA_FAMILY_ONLY | (FLAGS) | BULK, pick_tensor_load,     \
		    DOC_LOAD),                                                                                      \
		ROW("cp.async.bulk.tensor" DIM ".shared::cluster.global" MODE TX MULTICAST PAIR HINT,               \
		    "@ T @" SHIFTS " u16 u64", 86, 100, NEWER | ISA_FAMILY_ONLY | (FLAGS) | BULK, pick_tensor_load, \
		    DOC_LOAD),                                                                                      \
		LOAD_TO(".shared::cluster", DIM, MODE, SHIFTS, PTX, SM, FLAGS),                                     \
		LOAD_TO(".shared::cta", DIM, MODE, SHIFTS, 86, SM, (FLAGS) & ~ISA_A_TARGET),                        \
		ROW("cp.async.bulk.tensor" DIM ".shared::cluster.global" MODE TX MULTICAST, "@ T @" SHIFTS " u16",  \
		    PTX, SM, (FLAGS) | BULK, pick_tensor_load, DOC_LOAD),                                           \
		ROW("cp.async.bulk.tensor" DIM ".shared::cluster.global" MODE TX MULTICAST HINT,                    \
		    "@ T @" SHIFTS " u16 u64", PTX, SM, (FLAGS) | BULK, pick_tensor_load, DOC_LOAD)
#define STORE_ROWS(DIM, MODE, PTX, SM, FLAGS)                                                                     \
	ROW("cp.async.bulk.tensor" DIM ".global.shared::cta" MODE ".bulk_group", "T @", PTX, SM, (FLAGS) | BULK,  \
	    pick_tensor_store, DOC_STORE),                                                                        \
		ROW("cp.async.bulk.tensor" DIM ".global.shared::cta" MODE ".bulk_group" HINT, "T @ u64", PTX, SM, \
		    (FLAGS) | BULK, pick_tensor_store, DOC_STORE)
#define PREFETCH_ROWS(DIM, MODE, SHIFTS, PTX, SM, FLAGS)                                                    \
	ROW("cp.async.bulk.prefetch.tensor" DIM ".L2.global" MODE, "T" SHIFTS, PTX, SM, (FLAGS) | BULK,     \
	    pick_tensor_prefetch, DOC_PREFETCH),                                                            \
		ROW("cp.async.bulk.prefetch.tensor" DIM ".L2.global" MODE HINT, "T" SHIFTS " u64", PTX, SM, \
		    (FLAGS) | BULK, pick_tensor_prefetch, DOC_PREFETCH)
#define OPERATIONS "(.add|.min|.max|.inc|.dec|.and|.or|.xor)"
#define REDUCE_ROWS(DIM, MODE, PTX, SM, FLAGS)                                                                     \
	ROW("cp.reduce.async.bulk.tensor" DIM ".global.shared::cta" OPERATIONS MODE ".bulk_group", "T @", PTX, SM, \
	    ISA_ORDERED | (FLAGS) | BULK, pick_tensor_store, DOC_REDUCE),                                          \
		ROW("cp.reduce.async.bulk.tensor" DIM ".global.shared::cta" OPERATIONS MODE ".bulk_group" HINT,    \
		    "T @ u64", PTX, SM, ISA_ORDERED | (FLAGS) | BULK, pick_tensor_store, DOC_REDUCE)
#define REPLACE(FIELD, TYPE, OPERANDS, FLAGS)                                                     \
	ROW("tensormap.replace.tile" FIELD "[.global|.shared::cta].b1024" TYPE, OPERANDS, 83, 90, \
	    ISA_A_TARGET | (FLAGS), pick_tensormap_replace, DOC_REPLACE)

#define REPLACE_NEWER(FIELD, OPERANDS, PTX, FLAGS)                                                                  \
	ROW("tensormap.replace.tile" FIELD "[.global|.shared::cta].b1024.b32", OPERANDS, PTX, 100, NEWER | (FLAGS), \
	    pick_tensormap_replace, DOC_REPLACE)

static const struct isa_row rows_async_tensor[] = {
	LOAD_ROWS(DIMS, "[.tile]", "", 80, 90, 0),
	LOAD_ROWS(".3d", ".im2col", " {1}u16", 80, 90, 0),
	LOAD_ROWS(".4d", ".im2col", " {2}u16", 80, 90, 0),
	LOAD_ROWS(".5d", ".im2col", " {3}u16", 80, 90, 0),
	LOAD_ROWS(".2d", ".tile::gather4", "", 86, 100, NEWER),
	LOAD_ROWS("(.3d|.4d|.5d)", "(.im2col::w|.im2col::w::128)", " {2}u16", 86, 100, NEWER | ISA_UNMODELLED),
	STORE_ROWS(DIMS, "[.tile]", 80, 90, 0),
	STORE_ROWS("(.3d|.4d|.5d)", ".im2col_no_offs", 80, 90, 0),
	STORE_ROWS(".2d", ".tile::scatter4", 86, 100, NEWER),
	PREFETCH_ROWS(DIMS, "[.tile]", "", 80, 90, 0),
	PREFETCH_ROWS(".3d", ".im2col", " {1}u16", 80, 90, 0),
	PREFETCH_ROWS(".4d", ".im2col", " {2}u16", 80, 90, 0),
	PREFETCH_ROWS(".5d", ".im2col", " {3}u16", 80, 90, 0),
	PREFETCH_ROWS(".2d", ".tile::gather4", "", 86, 100, NEWER),
	PREFETCH_ROWS("(.3d|.4d|.5d)", "(.im2col::w|.im2col::w::128)", " {2}u16", 86, 100, NEWER),
	REDUCE_ROWS(DIMS, "[.tile]", 80, 90, 0),
	REDUCE_ROWS("(.3d|.4d|.5d)", ".im2col_no_offs", 80, 90, 0),
	REDUCE_ROWS(".2d", ".tile::scatter4", 86, 100, NEWER),
	REPLACE(".global_address", ".b64", "@ b64", 0),
	REPLACE(".rank", ".b32", "@ b32", 0),
	REPLACE("(.box_dim|.global_dim|.element_stride)", ".b32", "@ #u32 b32", 0),
	REPLACE(".global_stride", ".b64", "@ #u32 b64", 0),
	REPLACE(".elemtype", ".b32", "@ #u32<0,12>", 0),
	REPLACE(".interleave_layout", ".b32", "@ #u32<0,2>", 0),
	REPLACE(".swizzle_mode", ".b32", "@ #u32<0,3>", 0),
	REPLACE(".fill_mode", ".b32", "@ #u32<0,1>", 0),
	REPLACE_NEWER(".elemtype", "@ #u32<13,15>", 86, ISA_UNMODELLED),
	REPLACE_NEWER(".swizzle_mode", "@ #u32<4,4>", 88, ISA_UNMODELLED),
	REPLACE_NEWER(".swizzle_atomicity", "@ #u32<0,3>", 86, 0),
	ROW("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release(.cta|.cluster|.gpu|.sys).sync."
	    "aligned",
	    "@ @ #u32", 83, 90, 0, pick_tensormap_copy, "Copies a tensor map and makes it known to tensor copies."),
};
FAMILY(family_async_tensor, "Tensor copies", CLASS_MEMORY, rows_async_tensor);
