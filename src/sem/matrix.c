/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix instructions of one warp on registers (PTX ISA 9.7.14 and 9.7.15): mma.sync, mma.sp,
 * wmma.mma, and ldmatrix, stmatrix, movmatrix. What is in which register and how sums are formed
 * is in number/tensor*.h; here are the rows and the way from the instruction to those.
 *
 * The decoder finds a row here, plans once (mma_plan, move_plan: which form, how many registers) and the plan is
 * reached from the insn. Running is then: find the rows of the operands' registers, give them to number/tensor.
 *
 *  ldmatrix.x4: lane l holds the address of row l % 8 of matrix l / 8; each row is 16 bytes, 8 elements
 *
 *             matrix 0          matrix 1          register k of lane 4r + c holds the elements 2c
 *   row 0   lane 0's address  lane 8's address    and 2c + 1 of row r of matrix k:
 *   row 1   lane 1's          lane 9's              row r:  | 4r | 4r+1 | 4r+2 | 4r+3 |   lanes
 *    ...
 *   row 7   lane 7's          lane 15's           with .trans of column r instead
 */
#include "sem/matrix.h"
#include "decode/form_address.h"
#include "sem/pick.h"

/* --- Multiplication ------------------------------------------------------------------------- */

struct mma_plan {
	struct tensor_form form;
	u8 a, b, c, d; /* registers of the fragments */
	u8 selector;   /* which lanes hold the metadata, see tensor_fragments.h */
	bool a_column_major, b_row_major;
};

/* What does not change between executions of one instruction. The first .row or .col is A's layout, the second B's;
 * each is usual for its matrix if A's is .row and B's .col. */
static const void *mma_plan(struct arena *arena, const struct form *f)
{
	struct mma_plan *p = ARENA_NEW(arena, struct mma_plan);
	u32 layouts = 0;

	isa_tensor_form(f, &p->form);
	p->a = (u8)tensor_fragment_registers(&p->form, TENSOR_ROLE_A);
	p->b = (u8)tensor_fragment_registers(&p->form, TENSOR_ROLE_B);
	p->c = (u8)tensor_fragment_registers(&p->form, TENSOR_ROLE_C);
	p->d = (u8)tensor_fragment_registers(&p->form, TENSOR_ROLE_D);
	p->selector = p->form.sparse && f->immediate_count ? (u8)(f->immediates[0] & 3) : 0;
	for (u32 k = 0; k < f->token_count; k++) {
		if (f->tokens[k] != M_row && f->tokens[k] != M_col)
			continue;
		if (layouts++ == 0)
			p->a_column_major = f->tokens[k] == M_col;
		else
			p->b_row_major = f->tokens[k] == M_row;
	}
	return p;
}

/* The scales of A or B from a list of operands: the register, the first byte of it, and which lanes of four. Selectors are
 * the same in all lanes; the manual defines no others than these. */
static const u32 *scales_of(const struct tensor_form *form, u8 *rows, const u32 *list, u32 threads,
			    struct tensor_scales *s)
{
	s->lanes = ROW_OF(u32, list[0]);
	s->byte = ROW_OF(u32, list[1])[0] & 0xffff;
	s->thread = ROW_OF(u32, list[2])[0] & 0xffff;
	return s->byte % form->scales == 0 && s->byte < 4 && s->thread < threads ? list + 3 : NULL;
}

/* Finds the scales of A and B, if the form has such. A's are held by one pair of lanes of each four, B's by one lane of
 * four, hence the limits 2 and 4. A selector that is not in range is an illegal instruction. */
static bool has_scales(struct warp *w, const struct insn *i, const u32 *list, u8 *rows, u32 mask,
		       struct tensor_registers *r)
{
	const struct mma_plan *p = matrix_plan(w, i);

	if (!p->form.scales)
		return true;
	list = scales_of(&p->form, rows, list, 2, &r->a_scales);
	if (list && scales_of(&p->form, rows, list, 4, &r->b_scales))
		return true;
	warp_fault(
		w, i, FAULT_ILLEGAL_INSTRUCTION, mask,
		"a selector of scales, {%u, %u}, is not one: the byte is a multiple of %u below 4, the thread below %u",
		list ? r->b_scales.byte : r->a_scales.byte, list ? r->b_scales.thread : r->a_scales.thread,
		p->form.scales, list ? 4 : 2);
	return false;
}

/* Operands: d, a, b, c, the metadata of a sparse A, and the scales of A and B with their selectors. */
MEANING_FUNCTION(mma)
{
	const struct mma_plan *p = matrix_plan(w, i);
	void *a[TENSOR_MAX_FACTOR_REGISTERS], *b[TENSOR_MAX_FACTOR_REGISTERS], *c[TENSOR_MAX_FACTOR_REGISTERS];
	void *d[TENSOR_MAX_FACTOR_REGISTERS];
	const u32 *list = warp_operands(w, i);

	if (!matrix_together(w, i, mask))
		return NULL;
	list = matrix_rows(rows, list, p->d, d);
	list = matrix_rows(rows, list, p->a, a);
	list = matrix_rows(rows, list, p->b, b);
	list = matrix_rows(rows, list, p->c, c);
	struct tensor_registers r = {
		.a = (const void *const *)a,
		.b = (const void *const *)b,
		.c = (const void *const *)c,
		.d = d,
		.meta = p->form.sparse ? ROW_OF(u32, *list) : NULL,
		.selector = p->selector,
		.a_column_major = p->a_column_major,
		.b_row_major = p->b_row_major,
	};
	if (!has_scales(w, i, list + p->form.sparse, rows, mask, &r))
		return NULL;
	tensor_warp_mma(&p->form, SEM_NAME(tensor_mma), &r);
	return i + 1;
}
static const struct meaning mma = {.run = mma_run, .gang = gang_step, .plan = mma_plan};

/* NULL: there is no such combination of shape and types, or the metadata's selector is out of range. */
static const struct meaning *pick_mma(const struct form *f)
{
	struct tensor_form form;

	if (!isa_tensor_form(f, &form))
		return NULL;
	return !form.sparse || !f->immediate_count || matrix_selector_fits(&form, f->immediates[0]) ? &mma : NULL;
}

/* --- ldmatrix, stmatrix, movmatrix ---------------------------------------------------------- */

enum { MATRIX_ROWS = 8, MATRIX_ROW_BYTES = 16, MATRIX_MAX = 4 };

/* wide: addresses are 64 bits; is_shared: the form names .shared, so that addresses are offsets in it, not generic. */
struct move_plan {
	u8 count; /* matrices */
	u8 rows;  /* of all of them in memory */
	u8 bits;  /* of the elements of matrices of bytes */
	bool transposed, wide, is_shared;
};

static const void *move_plan(struct arena *arena, const struct form *f)
{
	struct move_plan *p = ARENA_NEW(arena, struct move_plan);
	const int number = form_pick(f, M_x1, M_x4);

	p->count = number == M_x1 ? 1 : number == M_x2 ? 2 : 4;
	p->rows = (u8)isa_matrix_rows(f);
	p->bits = form_has(f, M_b4x16_p64) ? 4 : form_has(f, M_b6x16_p32) ? 6 : 8;
	p->transposed = form_has(f, M_trans);
	p->wide = form_base_bits(f) == 64;
	p->is_shared = form_pick(f, M_shared, M_shared_cta) != TOKEN_NONE;
	return p;
}

/* Host address of a matrix row that lane `lane` names, or NULL after a fault. */
static u8 *matrix_row(struct warp *w, const struct insn *i, u32 lane, bool is_shared, u64 address, bool is_store)
{
	const struct block *b = w->block;

	if (!is_shared && generic_space(w, &address) != SPACE_SHARED) {
		warp_fault_address(w, i, FAULT_WRONG_SPACE, lane, address, MATRIX_ROW_BYTES, SPACE_GENERIC, is_store);
		return NULL;
	}
	if (UNLIKELY(address % MATRIX_ROW_BYTES)) {
		warp_fault_address(w, i, FAULT_MISALIGNED, lane, address, MATRIX_ROW_BYTES, SPACE_SHARED, is_store);
		return NULL;
	}
	if (LIKELY(address < b->near_bytes && b->near_bytes - address >= MATRIX_ROW_BYTES))
		return b->shared + address;
	return lane_pointer(w, i, lane, SPACE_SHARED, address, MATRIX_ROW_BYTES, is_store);
}

/* Finds the rows of all matrices: lane l names row l % 8 of matrix l / 8. `spare` stands in for the rows of lanes that
 * do not run: what is read from there is zero, and what is written to it is lost. */
static bool move_rows(struct warp *w, const struct insn *i, const u8 *rows, u32 mask, u8 *spare, u8 **pointers)
{
	const struct move_plan *p = matrix_plan(w, i);
	const bool is_store = warp_form(w, i)->row->flags & ISA_STORE;
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	addresses_of(rows, i, p->wide, address);
	for (u32 l = 0; l < p->rows; l++) {
		pointers[l] = mask >> l & 1 ? matrix_row(w, i, l, p->is_shared, address[l], is_store) : spare;
		if (UNLIKELY(!pointers[l]))
			return false;
	}
	return true;
}

MEANING_FUNCTION(ldmatrix)
{
	const struct move_plan *p = matrix_plan(w, i);
	const u32 *list = w->frame->code->operands + i->b;
	u8 spare[MATRIX_ROW_BYTES] = {0}, *from[MATRIX_MAX * MATRIX_ROWS];

	if (!matrix_together(w, i, mask) || !move_rows(w, i, rows, mask, spare, from))
		return NULL;
	for (u32 k = 0; k < p->count; k++)
		tensor_matrix_to_lanes((const u8 *const *)from + MATRIX_ROWS * k, p->transposed, ROW_OF(u32, list[k]));
	return i + 1;
}
static const struct meaning ldmatrix = {.run = ldmatrix_run, .gang = gang_step, .plan = move_plan};

MEANING_FUNCTION(stmatrix)
{
	const struct move_plan *p = matrix_plan(w, i);
	const u32 *list = w->frame->code->operands + i->b;
	u8 spare[MATRIX_ROW_BYTES], *to[MATRIX_MAX * MATRIX_ROWS];

	if (!matrix_together(w, i, mask) || !move_rows(w, i, rows, mask, spare, to))
		return NULL;
	for (u32 k = 0; k < p->count; k++)
		tensor_matrix_from_lanes(ROW_OF(u32, list[k]), p->transposed, to + MATRIX_ROWS * k);
	return i + 1;
}
static const struct meaning stmatrix = {.run = stmatrix_run, .gang = gang_step, .plan = move_plan};

/* Matrices of bytes (PTX ISA, ldmatrix): lane 4r + c has, of row r, the four bytes from column 4c on, a 16x16 matrix, which
 * is transposed on the way, in a second register the same of row r + 8. Narrower elements lie without gaps at the
 * beginning of their row, and come to stand in the low bits of a byte. */
static u8 narrow_element(const u8 *row, u32 bits, u32 column)
{
	const u32 at = bits * column;

	return (u8)((row[at / 8] | (u32)row[at / 8 + (at % 8 + bits > 8)] << 8) >> at % 8 & ((1u << bits) - 1));
}

MEANING_FUNCTION(ldmatrix_bytes)
{
	const struct move_plan *p = matrix_plan(w, i);
	const u32 *list = w->frame->code->operands + i->b;
	const u32 halves = p->transposed ? 2 : 1;
	u8 spare[MATRIX_ROW_BYTES] = {0}, *from[MATRIX_MAX * MATRIX_ROWS];

	if (!matrix_together(w, i, mask) || !move_rows(w, i, rows, mask, spare, from))
		return NULL;
	for (u32 k = 0; k < p->count * halves; k++) {
		u8 *const *matrix = from + k / halves * halves * MATRIX_ROWS;
		u32 *to = ROW_OF(u32, list[k]);
		for (u32 l = 0; l < WARP_LANES; l++) {
			const u32 row = l / 4 + k % halves * MATRIX_ROWS, column = l % 4 * 4;
			to[l] = 0;
			for (u32 n = 0; n < 4; n++)
				to[l] |= (u32)(p->transposed ? narrow_element(matrix[column + n], p->bits, row)
							     : narrow_element(matrix[row], p->bits, column + n))
					 << 8 * n;
		}
	}
	return i + 1;
}
static const struct meaning ldmatrix_bytes = {.run = ldmatrix_bytes_run, .gang = gang_step, .plan = move_plan};

/* Lane 4r + c has of rows r and r + 8 the bytes of columns 2c and 2c + 1, as a product's accumulators lie. */
MEANING_FUNCTION(stmatrix_bytes)
{
	const struct move_plan *p = matrix_plan(w, i);
	const u32 *list = w->frame->code->operands + i->b;
	u8 spare[MATRIX_ROW_BYTES], *to[MATRIX_MAX * MATRIX_ROWS];

	if (!matrix_together(w, i, mask) || !move_rows(w, i, rows, mask, spare, to))
		return NULL;
	for (u32 k = 0; k < p->count; k++) {
		const u32 *from = ROW_OF(u32, list[k]);
		for (u32 l = 0; l < WARP_LANES; l++)
			for (u32 n = 0; n < 4; n++)
				to[k * MATRIX_ROWS + l % 4 * 2 + n % 2][l / 4 + n / 2 * 8] = (u8)(from[l] >> 8 * n);
	}
	return i + 1;
}
static const struct meaning stmatrix_bytes = {.run = stmatrix_bytes_run, .gang = gang_step, .plan = move_plan};

MEANING_FUNCTION(movmatrix)
{
	if (!matrix_together(w, i, mask))
		return NULL;
	tensor_matrix_transpose(ROW_OF(u32, i->a), ROW_OF(u32, i->d));
	return i + 1;
}
MEANING(movmatrix);

PICK_ONE(ldmatrix)
PICK_ONE(stmatrix)
PICK_ONE(ldmatrix_bytes)
PICK_ONE(stmatrix_bytes)
PICK_ONE(movmatrix)

/* --- Rows ----------------------------------------------------------------------------------- */

#define MMA                                  "mma.sync.aligned"
#define MULTIPLY                             WITH(TRAIT_MULTIPLIES)
#define LOADS                                WITH(TRAIT_LOADS | TRAIT_MATRIX_ROWS)
#define STORES                               (ISA_STORE | WITH(TRAIT_STORES | TRAIT_MATRIX_ROWS))
#define DENSE(WORDS, OPERANDS, PTX, SM, DOC) ROW(MMA WORDS, OPERANDS, PTX, SM, MULTIPLY, pick_mma, DOC)
/* Operands by the types of the accumulator and, for f16, of the factors: those of other types are .b32. */
#define IN_F32     "={D}f32 {A}b32 {B}b32 {C}f32"
#define IN_F16     "={D}f16x2 {A}b32 {B}b32 {C}f16x2"
#define F16_IN_F32 "={D}f32 {A}f16x2 {B}f16x2 {C}f32"
#define F16_IN_F16 "={D}f16x2 {A}f16x2 {B}f16x2 {C}f16x2"
#define IN_S32     "={D}s32 {A}b32 {B}b32 {C}s32"
#define S32_IN_S32 "={D}s32 {A}s32 {B}s32 {C}s32"
#define IN_F64     "={D}f64 {A}f64 {B}f64 {C}f64"

#define FP8_PAIRS(T) "." T "(.e4m3|.e5m2)(.e4m3|.e5m2)." T
/* The assembler takes .satfinite and rounding before the types or behind them. */
#define CLAMPED(T) "([.satfinite]" T "|" T ".satfinite)"
#define S8_PAIRS   CLAMPED(".s32(.s8|.u8)(.s8|.u8).s32")
#define S4_PAIRS   CLAMPED(".s32(.s4|.u4)(.s4|.u4).s32")
#define POPC(OPS)  ".s32.b1.b1.s32" OPS ".popc"
#define ROUNDINGS  ".rn|.rz|.rm|.rp"
#define F64        "([" ROUNDINGS "].f64.f64.f64.f64|.f64.f64.f64.f64(" ROUNDINGS "))"

#define SPARSE(WORDS, OPERANDS, PTX, SM, DOC)                                                                        \
	ROW("mma.sp.sync.aligned" WORDS, OPERANDS " b32 #s32", PTX, SM, MULTIPLY, pick_mma, DOC),                    \
		ROW("mma.sp::ordered_metadata.sync.aligned" WORDS, OPERANDS " b32 #s32", 85, SM, MULTIPLY, pick_mma, \
		    DOC " Indices in the metadata rise.")

#define WMMA_SHAPES                         "(.m16n16k16|.m32n8k16|.m8n32k16)"
#define LAYOUTS                             "(.row|.col)(.row|.col)"
#define WMMA(WORDS, OPERANDS, PTX, SM, DOC) ROW("wmma.mma" WORDS, OPERANDS, PTX, SM, MULTIPLY, pick_mma, DOC)

#define SPACES "([.trans][.shared|.shared::cta]|(.shared|.shared::cta).trans)"
#define MOVES(N, COUNT)                                                                                             \
	ROW("ldmatrix.sync.aligned.m8n8." N SPACES ".b16", "={" COUNT "}b32 @", 65, 75, ISA_MEMORY | LOADS,         \
	    pick_ldmatrix, "Loads 8x8 matrices of 16-bit elements, a row from each lane's address."),               \
		ROW("stmatrix.sync.aligned.m8n8." N SPACES ".b16", "@ {" COUNT "}b32", 78, 90, ISA_MEMORY | STORES, \
		    pick_stmatrix, "Stores 8x8 matrices of 16-bit elements, a row to each lane's address.")
#define NEWER (ISA_MEMORY | ISA_A_TARGET | ISA_UNVERIFIED)
#define NEWER_LOADS(WORDS, COUNT, TYPES)                                                                               \
	ROW("ldmatrix.sync.aligned" WORDS "[.shared|.shared::cta]" TYPES, "={" COUNT "}b32 @", 86, 100, NEWER | LOADS, \
	    pick_ldmatrix_bytes, "Loads matrices of bytes or of narrower elements.")
#define NEWER_STORES(N, COUNT)                                                                               \
	ROW("stmatrix.sync.aligned.m16n8." N ".trans[.shared|.shared::cta].b8", "@ {" COUNT "}b32", 86, 100, \
	    NEWER | STORES, pick_stmatrix_bytes, "Stores matrices of bytes by their columns.")

/* Narrow floats of sm_120, with a scale for each block of elements: SCALES is which bytes and lanes hold those. */
#define NARROW "(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1)"
#define SCALES " {v}b32 {2}b16 {v}b32 {2}b16"
#define NARROW_ROW(NAME, KIND, SHAPE, TYPES, OPERANDS, PTX)                                                        \
	ROW(NAME ".sync.aligned(" KIND "." SHAPE ".row.col|." SHAPE ".row.col" KIND ")" TYPES, OPERANDS, PTX, 120, \
	    ISA_A_TARGET | ISA_UNVERIFIED | MULTIPLY, pick_mma, "Product of matrices of narrow floats.")
#define MX_ROW(NAME, KIND, SHAPE, TYPES, FACTORS, PTX) \
	NARROW_ROW(NAME, KIND, SHAPE, ".f32" TYPES, "={4}f32 " FACTORS SCALES, PTX)
#define NARROW_ROWS(NAME, SHORT, LONG, FACTORS, META)                                                                  \
	NARROW_ROW(NAME, ".kind::f8f6f4", SHORT, ".f32" NARROW NARROW ".f32", "={4}f32 " FACTORS " {4}f32" META, 87),  \
		NARROW_ROW(NAME, ".kind::f8f6f4", SHORT, ".f16" NARROW NARROW ".f16",                                  \
			   "={2}b32 " FACTORS " {2}b32" META, 87),                                                     \
		MX_ROW(NAME, ".kind::mxf8f6f4.block_scale[.scale_vec::1X]", SHORT, NARROW NARROW ".f32.ue8m0",         \
		       FACTORS " {4}f32" META, 87),                                                                    \
		MX_ROW(NAME, ".kind::mxf4.block_scale[.scale_vec::2X]", LONG, E2M1 ".ue8m0", FACTORS " {4}f32" META,   \
		       87),                                                                                            \
		MX_ROW(NAME, ".kind::mxf4nvf4.block_scale.scale_vec::2X", LONG, E2M1 ".ue8m0", FACTORS " {4}f32" META, \
		       87),                                                                                            \
		MX_ROW(NAME, ".kind::mxf4nvf4.block_scale.scale_vec::4X", LONG, E2M1 ".ue8m0", FACTORS " {4}f32" META, \
		       91),                                                                                            \
		MX_ROW(NAME, ".kind::mxf4nvf4.block_scale.scale_vec::4X", LONG, E2M1 ".ue4m3", FACTORS " {4}f32" META, \
		       87)
#define E2M1 ".e2m1.e2m1.f32"

static const struct isa_row matrix_table[] = {
	NARROW_ROWS("mma", "m16n8k32", "m16n8k64", "{4}b32 {2}b32", ""),
	NARROW_ROWS("mma.sp::ordered_metadata", "m16n8k64", "m16n8k128", "{4}b32 {4}b32", " b32 #s32"),
	DENSE(".m8n8k4" LAYOUTS "(.f16.f16.f16.f16)", F16_IN_F16, 64, 70, "Four products, each by eight lanes."),
	DENSE(".m8n8k4" LAYOUTS "(.f32.f16.f16.f16)", "={D}f32 {A}f16x2 {B}f16x2 {C}f16x2", 64, 70,
	      "Four products, each by eight lanes."),
	DENSE(".m8n8k4" LAYOUTS "(.f32.f16.f16.f32)", F16_IN_F32, 64, 70, "Four products, each by eight lanes."),
	DENSE(".m16n8k8.row.col.f16.f16.f16.f16", F16_IN_F16, 65, 75, "Product of f16 matrices, summed in f16."),
	DENSE(".m16n8k8.row.col.f32.f16.f16.f32", F16_IN_F32, 65, 75, "Product of f16 matrices, summed in f32."),
	DENSE(".m16n8k16.row.col.f16.f16.f16.f16", F16_IN_F16, 70, 80, "Product of f16 matrices, summed in f16."),
	DENSE(".m16n8k16.row.col.f32.f16.f16.f32", F16_IN_F32, 70, 80, "Product of f16 matrices, summed in f32."),
	DENSE("(.m16n8k8|.m16n8k16).row.col.f32.bf16.bf16.f32", IN_F32, 70, 80, "Product of bf16 matrices."),
	DENSE("(.m16n8k4|.m16n8k8).row.col.f32.tf32.tf32.f32", IN_F32, 70, 80, "Product of tf32 matrices."),
	DENSE("(.m16n8k16|.m16n8k32).row.col" FP8_PAIRS("f16"), IN_F16, 87, 89, "Product of 8-bit floats."),
	DENSE(".m16n8k16.row.col" FP8_PAIRS("f32"), IN_F32, 87, 89, "Product of 8-bit floats."),
	DENSE(".m16n8k32.row.col" FP8_PAIRS("f32"), IN_F32, 84, 89, "Product of 8-bit floats."),
	DENSE(".m8n8k4.row.col" F64, IN_F64, 70, 80, "Product of f64 matrices."),
	DENSE("(.m16n8k4|.m16n8k8|.m16n8k16).row.col" F64, IN_F64, 78, 90, "Product of f64 matrices."),
	DENSE(".m8n8k16.row.col" S8_PAIRS, IN_S32, 65, 75, "Product of 8-bit integers."),
	DENSE("(.m16n8k16|.m16n8k32).row.col" S8_PAIRS, IN_S32, 70, 80, "Product of 8-bit integers."),
	DENSE(".m8n8k32.row.col" S4_PAIRS, IN_S32, 65, 75, "Product of 4-bit integers."),
	DENSE("(.m16n8k32|.m16n8k64).row.col" S4_PAIRS, IN_S32, 70, 80, "Product of 4-bit integers."),
	DENSE(".m8n8k128.row.col" POPC(".xor"), IN_S32, 70, 75, "Counts of bits that differ."),
	DENSE("(.m16n8k128|.m16n8k256).row.col" POPC(".xor"), IN_S32, 70, 80, "Counts of bits that differ."),
	DENSE("(.m8n8k128|.m16n8k128|.m16n8k256).row.col" POPC(".and"), IN_S32, 71, 80,
	      "Counts of bits that are both set."),

	SPARSE("(.m16n8k16|.m16n8k32).row.col.f16.f16.f16.f16", F16_IN_F16, 71, 80, "Product by a sparse f16 matrix."),
	SPARSE("(.m16n8k16|.m16n8k32).row.col.f32.f16.f16.f32", F16_IN_F32, 71, 80, "Product by a sparse f16 matrix."),
	SPARSE("(.m16n8k16|.m16n8k32).row.col.f32.bf16.bf16.f32", IN_F32, 71, 80, "Product by a sparse bf16 matrix."),
	SPARSE("(.m16n8k8|.m16n8k16).row.col.f32.tf32.tf32.f32", IN_F32, 71, 80, "Product by a sparse tf32 matrix."),
	SPARSE(".m16n8k64.row.col" FP8_PAIRS("f32"), IN_F32, 84, 89, "Product by a sparse matrix of 8-bit floats."),
	SPARSE("(.m16n8k32|.m16n8k64).row.col" S8_PAIRS, IN_S32, 71, 80,
	       "Product by a sparse matrix of 8-bit integers."),
	SPARSE("(.m16n8k64|.m16n8k128).row.col" S4_PAIRS, IN_S32, 71, 80,
	       "Product by a sparse matrix of 4-bit integers."),

	/* Until PTX 6.4 .satfinite was allowed here, of which the assembler makes nothing for sm_70 and later. */
	WMMA(".sync.aligned" LAYOUTS WMMA_SHAPES ".f16.f16[.satfinite]", F16_IN_F16, 63, 70,
	     "Product of f16 matrices."),
	WMMA(".sync.aligned" LAYOUTS WMMA_SHAPES ".f16.f32[.satfinite]", "={D}f16x2 {A}f16x2 {B}f16x2 {C}f32", 63, 70,
	     "Product of f16 matrices."),
	WMMA(".sync.aligned" LAYOUTS WMMA_SHAPES ".f32.f16[.satfinite]", "={D}f32 {A}f16x2 {B}f16x2 {C}f16x2", 63, 70,
	     "Product of f16 matrices."),
	WMMA(".sync.aligned" LAYOUTS WMMA_SHAPES ".f32.f32[.satfinite]", F16_IN_F32, 63, 70,
	     "Product of f16 matrices."),
	WMMA(".sync.aligned" LAYOUTS WMMA_SHAPES ".f32.bf16.bf16.f32", F16_IN_F32, 70, 80, "Product of bf16 matrices."),
	WMMA(".sync.aligned" LAYOUTS ".m16n16k8.f32.tf32.tf32.f32", F16_IN_F32, 70, 80, "Product of tf32 matrices."),
	WMMA(".sync.aligned" LAYOUTS ".m8n8k4" F64, IN_F64, 70, 80, "Product of f64 matrices."),
	WMMA(".sync.aligned" LAYOUTS WMMA_SHAPES "(.s32.s8.s8.s32|.s32.u8.u8.s32)[.satfinite]", S32_IN_S32, 63, 72,
	     "Product of 8-bit integers."),
	WMMA(".sync.aligned.row.col.m8n8k32(.s32.s4.s4.s32|.s32.u4.u4.s32)[.satfinite]", S32_IN_S32, 63, 75,
	     "Product of 4-bit integers."),
	WMMA(".xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", S32_IN_S32, 63, 75,
	     "Counts of bits that differ."),
	WMMA(".and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", S32_IN_S32, 71, 80,
	     "Counts of bits that are both set."),

	MOVES("x1", "1"),
	MOVES("x2", "2"),
	MOVES("x4", "4"),
	ROW("movmatrix.sync.aligned.m8n8.trans.b16", "=b32 b32", 78, 75, 0, pick_movmatrix,
	    "Transposes an 8x8 matrix of 16-bit elements across the warp."),
	NEWER_LOADS(".m8n16.x1", "1", "(.b8x16.b6x16_p32|.b8x16.b4x16_p64)"),
	NEWER_LOADS(".m8n16.x2", "2", "(.b8x16.b6x16_p32|.b8x16.b4x16_p64)"),
	NEWER_LOADS(".m8n16.x4", "4", "(.b8x16.b6x16_p32|.b8x16.b4x16_p64)"),
	NEWER_LOADS(".m16n16.x1.trans", "2", "(.b8|.b8x16.b6x16_p32|.b8x16.b4x16_p64)"),
	NEWER_LOADS(".m16n16.x2.trans", "4", "(.b8|.b8x16.b6x16_p32|.b8x16.b4x16_p64)"),
	NEWER_STORES("x1", "1"),
	NEWER_STORES("x2", "2"),
	NEWER_STORES("x4", "4"),
};
FAMILY(family_matrix, "Matrix", CLASS_MATRIX, matrix_table);
