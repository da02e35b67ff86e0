/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows whose lanes are at known distances from the first (native/affine.h), of which a region keeps the first lane's number in a variable, and no row. Where an
 * instruction wants the row, it is made of that number, by a broadcast and an addition of constants. An instruction whose operands are
 * all such rows is its meaning's function as ever, on rows of which only the first lane counts: the others hold ones, and LLVM leaves out
 * what comes of them, until a scalar instruction is left.
 */
#include "native/llvm/emission.h"

#include "sem/native_proven.h"

static LLVMTypeRef lane_type(const struct emission *e, u32 row) { return e->r->rows[row].bits == 64 ? e->i64 : e->i32; }

bool is_kept_as_first(const struct emission *e, u32 row) { return e->firsts[row] != NULL; }

static LLVMValueRef first_in(struct emission *e, LLVMValueRef rows, u32 row)
{
	LLVMValueRef value = get(e, lane_type(e, row), at(e, rows, e->r->rows[row].offset));

	mark_constant(e, value);
	return value;
}

/* The first lane's number; of a predicate, whose lanes are all alike, its word. */
LLVMValueRef first_of(struct emission *e, u32 row)
{
	if (e->firsts[row])
		return get(e, lane_type(e, row), e->firsts[row]);
	return e->shared[row] ? e->shared[row] : first_in(e, e->rows, row);
}

void begin_shared(struct emission *e)
{
	LLVMValueRef rows = get(e, e->ptr, run_field(e, offsetof(struct native_run, block_rows)));

	for (u32 row = 0; row < e->r->row_count; row++)
		if (e->r->rows[row].of_block && !e->r->rows[row].written)
			e->shared[row] = first_in(e, rows, row);
}

void begin_firsts(struct emission *e)
{
	for (u32 row = 0; row < e->r->row_count; row++) {
		const struct region_row *r = &e->r->rows[row];
		if (!r->affine || !r->written)
			continue;
		LLVMTypeRef type = lane_type(e, row);
		LLVMValueRef value = r->enters ? get(e, type, place(e, row)) : LLVMGetPoison(type);
		e->firsts[row] = variable(e, type, value, "first");
	}
}

static u64 distance_of(const struct region_row *r, u32 lane)
{
	return r->distances ? r->distances[lane] : r->step * lane;
}

/* Lanes n * lanes and on of the row, as a vector. */
static LLVMValueRef piece_of(struct emission *e, u32 row, LLVMValueRef all, u32 n, u32 lanes)
{
	const struct region_row *r = &e->r->rows[row];
	LLVMValueRef distance[WARP_LANES];

	if (!r->step)
		return all;
	for (u32 l = 0; l < lanes; l++)
		distance[l] = LLVMConstInt(lane_type(e, row), distance_of(r, n * lanes + l), false);
	return LLVMBuildAdd(e->b, all, LLVMConstVector(distance, lanes), "");
}

/* The row as it stands in a frame. */
void put_affine(struct emission *e, LLVMValueRef to, u32 row)
{
	const struct region_row *r = &e->r->rows[row];
	const u32 lanes = e->vector_bytes * 8 / r->bits;
	LLVMValueRef first = first_of(e, row);

	if (r->bits == 1) {
		LLVMBuildStore(e->b, first, to);
		return;
	}
	LLVMValueRef all = splat(e, first, lanes);
	for (u32 n = 0; n < WARP_LANES / lanes; n++)
		LLVMSetAlignment(LLVMBuildStore(e->b, piece_of(e, row, all, n, lanes), at(e, to, n * e->vector_bytes)),
				 e->vector_bytes);
}

bool can_leave_affine(const struct emission *e, u32 row)
{
	const struct region_row *r = &e->r->rows[row];

	return is_kept_as_first(e, row) && r->bits > 1 && !r->distances && (s64)r->step == (s32)r->step;
}

void leave_affine(struct emission *e, u32 row, u32 n)
{
	const struct region_row *r = &e->r->rows[row];
	const size_t at = offsetof(struct native_run, along) + n * sizeof(struct native_along);
	const u64 what = (r->offset | (r->bits == 64)) | r->step << 32;

	LLVMBuildStore(e->b, LLVMConstInt(e->i64, what, false), run_field(e, at));
	LLVMBuildStore(e->b, LLVMBuildZExt(e->b, first_of(e, row), e->i64, ""),
		       run_field(e, at + offsetof(struct native_along, first)));
}

u64 scaled_how(const struct emission *e, u32 row)
{
	const struct region_row *r = &e->r->rows[row];

	return r->shift | (r->is_signed ? SCALED_SIGNED : 0);
}

LLVMValueRef scaled_start(struct emission *e, u32 row)
{
	const struct region_row *r = &e->r->rows[row];
	LLVMValueRef base = r->base == NO_OPERAND          ? LLVMConstInt(e->i64, 0, false)
			    : e->r->rows[r->base].constant ? LLVMConstInt(e->i64, e->r->rows[r->base].value, false)
							   : first_of(e, r->base);

	return LLVMBuildAdd(e->b, base, LLVMConstInt(e->i64, (u64)(s64)r->from, true), "");
}

static LLVMValueRef index_of(struct emission *e, u32 row)
{
	const u32 index = e->r->rows[row].index;

	return e->r->rows[index].written ? slot(e, index) : place(e, index);
}

void put_index(struct emission *e, u32 row) { copy(e, place(e, row), index_of(e, row), 32, false); }

/* Lanes n * lanes and on of the row, from those of its index. */
static LLVMValueRef scaled_piece(struct emission *e, u32 row, u32 n, u32 lanes)
{
	const struct region_row *r = &e->r->rows[row];
	LLVMTypeRef wide = LLVMVectorType(e->i64, lanes), narrow = LLVMVectorType(e->i32, lanes);
	LLVMValueRef index = get(e, narrow, at(e, index_of(e, row), 4 * n * lanes));

	LLVMSetAlignment(index, 4 * lanes);
	index = r->is_signed ? LLVMBuildSExt(e->b, index, wide, "") : LLVMBuildZExt(e->b, index, wide, "");
	index = LLVMBuildShl(e->b, index, splat(e, LLVMConstInt(e->i64, r->shift, false), lanes), "");
	return LLVMBuildAdd(e->b, index, splat(e, scaled_start(e, row), lanes), "");
}

void put_scaled(struct emission *e, LLVMValueRef to, u32 row)
{
	const u32 lanes = e->vector_bytes / 8;

	for (u32 n = 0; n < WARP_LANES / lanes; n++)
		LLVMSetAlignment(LLVMBuildStore(e->b, scaled_piece(e, row, n, lanes), at(e, to, n * e->vector_bytes)),
				 e->vector_bytes);
}

/* The row's first lane alone, in its slot. */
static void put_first(struct emission *e, u32 row)
{
	const struct region_row *r = &e->r->rows[row];
	const u32 lanes = e->vector_bytes * 8 / r->bits;
	LLVMValueRef first = first_of(e, row), ones[WARP_LANES];

	if (r->bits == 1) {
		LLVMBuildStore(e->b, first, slot(e, row));
		return;
	}
	for (u32 l = 0; l < lanes; l++)
		ones[l] = LLVMConstInt(lane_type(e, row), 1, false);
	LLVMValueRef piece = LLVMConstVector(ones, lanes);
	for (u32 n = WARP_LANES / lanes; n-- > 0;) {
		if (!n)
			piece = LLVMBuildInsertElement(e->b, piece, first, word(e, 0), "");
		LLVMSetAlignment(LLVMBuildStore(e->b, piece, at(e, slot(e, row), n * e->vector_bytes)),
				 e->vector_bytes);
	}
}

void fetch_firsts(struct emission *e, const struct region_insn *x)
{
	for (u32 o = 0; o < x->operand_count; o++)
		if (x->operands[o].read && e->r->rows[x->operands[o].row].affine)
			put_first(e, x->operands[o].row);
}

void take_firsts(struct emission *e, const struct region_insn *x)
{
	for (u32 o = 0; o < x->operand_count; o++) {
		const u32 row = x->operands[o].row, bits = e->r->rows[row].bits;
		if (!x->operands[o].written || !e->firsts[row])
			continue;
		LLVMValueRef value;
		if (bits == 1) {
			LLVMValueRef bit = LLVMBuildTrunc(e->b, get(e, e->i32, slot(e, row)), e->i1, "");
			value = LLVMBuildSExt(e->b, bit, e->i32, "");
		} else {
			LLVMTypeRef type = LLVMVectorType(lane_type(e, row), e->vector_bytes * 8 / bits);
			LLVMValueRef piece = get(e, type, slot(e, row));
			LLVMSetAlignment(piece, e->vector_bytes);
			value = LLVMBuildExtractElement(e->b, piece, word(e, 0), "");
		}
		LLVMBuildStore(e->b, value, e->firsts[row]);
	}
}

/* Of the lane that has most more than the first; all have the less, or all the more, if they are at equal distances. */
static s64 farthest(const struct region_row *r)
{
	s64 most = 0;

	if (!r->distances)
		return (s64)(s32)r->step * (WARP_LANES - 1);
	for (u32 l = 0; l < WARP_LANES; l++)
		most = max_s64(most, (s64)r->distances[l]);
	return most;
}

LLVMValueRef wraps_around(struct emission *e, const struct region_insn *x)
{
	LLVMValueRef any = NULL;

	for (u32 o = 0; o < x->operand_count; o++) {
		const struct region_operand *p = &x->operands[o];
		if (!p->widened)
			continue;
		const bool is_signed = p->widened == 's';
		const u64 way = (u64)farthest(&e->r->rows[p->row]);
		LLVMValueRef first = first_of(e, p->row);
		first = is_signed ? LLVMBuildSExt(e->b, first, e->i64, "") : LLVMBuildZExt(e->b, first, e->i64, "");
		LLVMValueRef last =
			LLVMBuildAdd(e->b, first, LLVMConstInt(e->i64, way + (is_signed ? 1ull << 31 : 0), false), "");
		LLVMValueRef off = LLVMBuildICmp(e->b, LLVMIntUGT, last, LLVMConstInt(e->i64, 0xffffffff, false), "");
		any = any ? LLVMBuildOr(e->b, any, off, "") : off;
	}
	return any;
}
