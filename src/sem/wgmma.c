/* SPDX-License-Identifier: Apache-2.0
 *
 * Multiplication by a warpgroup (PTX ISA 9.7.15): wgmma.mma_async, dense and sparse, and the
 * instructions that order it. Each of the four warps computes its 16 of the 64 rows when it gets
 * to the instruction, or later: see exec/async.h. In eager mode fences, groups and waits have nothing to do.
 */
#include "exec/async.h"
#include "number/tensor_shared.h"
#include "sem/matrix.h"
#include "sem/pick.h"

enum { GROUP_WARPS = 4, WARP_ROWS = 16 };

struct wgmma_plan {
	struct tensor_form form; /* of one warp: m is 16 */
	u8 a, d;                 /* registers; a 0: A in shared memory */
	u8 selector;
	bool transpose_a, transpose_b;
};

/* Immediates in order: the metadata selector if sparse; the signs of A and B; with 16-bit elements
 * transposes, of A only if it is in shared memory, and of B. */
static const void *wgmma_plan(struct arena *arena, const struct form *f)
{
	struct wgmma_plan *p = ARENA_NEW(arena, struct wgmma_plan);
	const bool in_registers = strstr(f->row->operands, "{A}") != NULL;
	u32 k = 0;

	isa_tensor_form(f, &p->form);
	p->a = in_registers ? (u8)tensor_fragment_registers(&p->form, TENSOR_ROLE_A) : 0;
	p->d = (u8)tensor_fragment_registers(&p->form, TENSOR_ROLE_D);
	p->form.m = WARP_ROWS;
	if (p->form.sparse)
		p->selector = (u8)(f->immediates[k++] & 3);
	k += 2;
	if (!in_registers && k < f->immediate_count)
		p->transpose_a = f->immediates[k++] & 1;
	if (k < f->immediate_count)
		p->transpose_b = f->immediates[k] & 1;
	return p;
}

/* One warp's product, with what it takes from rows of lanes that may change: descriptors, metadata, whether
 * d is added, and A's registers. */
struct product {
	struct warp *w;
	const struct insn *i;
	const struct wgmma_plan *plan;
	struct async_op *op; /* its record, or NULL */
	u8 *rows;
	const u32 *d; /* rows of d */
	u64 a_descriptor, b_descriptor;
	bool add;
	u32 a[TENSOR_MAX_WORDS * WARP_ROWS]; /* if A is in registers */
	u8 meta[WARP_ROWS * WARP_ROWS];
};

/* Notes all of a matrix as read; false after a fault. */
static bool matrix_known(const struct product *x, enum tensor_role role, u32 first, const struct wgmma_descriptor *d,
			 bool transposed)
{
	const struct tensor_form *f = &x->plan->form;
	const u32 lines = role == TENSOR_ROLE_A ? f->m : f->n,
		  halves = 2 * (role == TENSOR_ROLE_A ? f->a_words : f->b_words);
	u32 offset;

	/* Elements of 16 bits stand for all: eight make a chunk, along K or along the lines. */
	for (u32 line = 0; line < lines; line += transposed ? 8 : 1)
		for (u32 k = 0; k < halves; k += transposed ? 1 : 8)
			if (!async_range(x->w, x->i, x->op, 0, SPACE_SHARED,
					 wgmma_chunk_address(d, 16, transposed, first + line, k, &offset), 16, false))
				return false;
	return true;
}

/* The rows of A, or all of B, that a descriptor points to; false after a fault. */
static bool load_shared(const struct product *x, enum tensor_role role, u64 descriptor, u32 *matrix)
{
	const struct wgmma_plan *p = x->plan;
	const struct wgmma_descriptor d = wgmma_descriptor_decode(descriptor);
	const bool is_a = role == TENSOR_ROLE_A, transposed = is_a ? p->transpose_a : p->transpose_b;
	const u32 first = is_a ? x->w->index % GROUP_WARPS * WARP_ROWS : 0;
	const struct block *b = x->w->block;
	u32 fault = 0;

	if (LIKELY(wgmma_matrix_load(&p->form, role, first, &d, transposed, b->shared, (u32)b->shared_bytes, matrix,
				     &fault)))
		return LIKELY(!x->op) || matrix_known(x, role, first, &d, transposed);
	warp_fault_address(x->w, x->i, FAULT_OUT_OF_BOUNDS, 0, fault, 16, SPACE_SHARED, false);
	return false;
}

static bool group_together(struct warp *w, const struct insn *i, u32 mask)
{
	if (!matrix_together(w, i, mask))
		return false;
	if (LIKELY((w->index | (GROUP_WARPS - 1)) < w->block->warp_count))
		return true;
	warp_fault(w, i, FAULT_ILLEGAL_INSTRUCTION, mask,
		   "wgmma needs the four warps of a warpgroup; the block has %u warps", w->block->warp_count);
	return false;
}

static bool multiply(void *data)
{
	struct product *x = data;
	const struct wgmma_plan *p = x->plan;
	u32 a[TENSOR_MAX_WORDS * WARP_ROWS], b[TENSOR_MAX_WORDS * TENSOR_MAX_N], c[TENSOR_MAX_N * WARP_ROWS];
	void *d[TENSOR_MAX_REGISTERS];

	matrix_rows(x->rows, x->d, p->d, d);
	if (!p->a && !load_shared(x, TENSOR_ROLE_A, x->a_descriptor, a))
		return false;
	if (!load_shared(x, TENSOR_ROLE_B, x->b_descriptor, b))
		return false;
	if (x->add)
		tensor_fragment_gather(&p->form, TENSOR_ROLE_C, 0, (const void *const *)d, c);
	SEM_NAME(tensor_mma)
	(&p->form,
	 &(struct tensor_operands){.a = p->a ? x->a : a, .b = b, .c = x->add ? c : NULL, .d = c, .meta = x->meta});
	tensor_fragment_scatter(&p->form, 0, c, d);
	return true;
}

/* Operands: d, a (registers or a descriptor), b's descriptor, metadata if sparse, and the predicate
 * that lets d be added. */
static void take_operands(struct product *x, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct wgmma_plan *p = matrix_plan(w, i);
	const u32 *list = warp_operands(w, i);
	const u32 lane = (u32)__builtin_ctz(mask);
	void *from[TENSOR_MAX_FACTOR_REGISTERS];

	x->w = w;
	x->i = i;
	x->plan = p;
	x->op = NULL;
	x->rows = rows;
	x->d = list;
	list += p->d;
	if (p->a) {
		list = matrix_rows(rows, list, p->a, from);
		tensor_fragment_gather(&p->form, TENSOR_ROLE_A, 0, (const void *const *)from, x->a);
	} else {
		x->a_descriptor = ROW_OF(u64, *list++)[lane];
	}
	x->b_descriptor = ROW_OF(u64, *list++)[lane];
	if (p->form.sparse)
		tensor_metadata_gather(&p->form, 0, ROW_OF(u32, *list++), p->selector, x->meta);
	x->add = PRED_SOURCE(i, *list, 0) >> lane & 1;
}

/* Not at once: later, in the order of the warp's others; or with a record. */
static bool multiply_otherwise(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct product x;

	if (w->grid->async == ASYNC_RANDOM) {
		struct product *kept = async_poll(w) ? async_defer(w, 0, ASYNC_WGMMA, multiply, sizeof *kept) : NULL;
		if (w->stop == STOP_FAULT)
			return false;
		if (kept) {
			take_operands(kept, w, i, rows, mask);
			return true;
		}
		if (!async_wait(w, ASYNC_WGMMA, 1, 0, true, false))
			return false;
	}
	take_operands(&x, w, i, rows, mask);
	if (w->grid->async == ASYNC_STRICT) {
		x.op = async_issue(w, i, 1, ASYNC_WGMMA, false);
		if (!async_registers(w, i, x.op))
			return false;
	}
	return multiply(&x);
}

MEANING_FUNCTION(wgmma)
{
	struct product x;

	if (!group_together(w, i, mask))
		return NULL;
	if (UNLIKELY(w->grid->async != ASYNC_EAGER))
		return multiply_otherwise(w, i, rows, mask) ? i + 1 : NULL;
	take_operands(&x, w, i, rows, mask);
	return multiply(&x) ? i + 1 : NULL;
}
static const struct meaning wgmma = {.run = wgmma_run, .plan = wgmma_plan};

static const struct meaning *pick_wgmma(const struct form *f)
{
	struct tensor_form form;
	u32 k = 0;

	if (!isa_tensor_form(f, &form))
		return NULL;
	if (form.sparse && f->immediate_count && !matrix_selector_fits(&form, f->immediates[k++]))
		return NULL;
	/* Signs, then transposes. */
	for (u32 n = 0; k < f->immediate_count; k++, n++)
		if (n < 2 ? f->immediates[k] != 1 && f->immediates[k] != -1 : f->immediates[k] & ~1ll)
			return NULL;
	return &wgmma;
}

/* fence, commit_group, wait_group. */
MEANING_FUNCTION(order)
{
	(void)rows;
	if (!matrix_together(w, i, mask))
		return NULL;
	if (LIKELY(w->grid->async == ASYNC_EAGER))
		return i + 1;
	const struct form *f = warp_form(w, i);
	if (form_has(f, M_commit_group))
		async_commit(w, ASYNC_WGMMA, 1);
	return !form_has(f, M_wait_group) || async_wait(w, ASYNC_WGMMA, 1, (u32)f->immediates[0], false, false) ? i + 1
														: NULL;
}
MEANING(order);
static const struct meaning *pick_order(const struct form *f)
{
	return f->immediate_count && f->immediates[0] < 0 ? NULL : &order;
}

/* --- Rows ----------------------------------------------------------------------------------- */

#define N_TO_64(K) ".m64n8" K "|.m64n16" K "|.m64n24" K "|.m64n32" K "|.m64n40" K "|.m64n48" K "|.m64n56" K "|.m64n64" K
#define N_TO_128(K) \
	".m64n72" K "|.m64n80" K "|.m64n88" K "|.m64n96" K "|.m64n104" K "|.m64n112" K "|.m64n120" K "|.m64n128" K
#define N_TO_192(K) \
	".m64n136" K "|.m64n144" K "|.m64n152" K "|.m64n160" K "|.m64n168" K "|.m64n176" K "|.m64n184" K "|.m64n192" K
#define N_TO_256(K) \
	".m64n200" K "|.m64n208" K "|.m64n216" K "|.m64n224" K "|.m64n232" K "|.m64n240" K "|.m64n248" K "|.m64n256" K
#define SHAPES(K) "(" N_TO_64(K) "|" N_TO_128(K) "|" N_TO_192(K) "|" N_TO_256(K) ")"
/* Integers: fewer N. */
#define INTEGER_SHAPES(K)                                                                                      \
	"(.m64n8" K "|.m64n16" K "|.m64n24" K "|.m64n32" K "|.m64n48" K "|.m64n64" K "|.m64n80" K "|.m64n96" K \
	"|.m64n112" K "|.m64n128" K "|.m64n144" K "|.m64n160" K "|.m64n176" K "|.m64n192" K "|.m64n208" K      \
	"|.m64n224" K "|.m64n240" K "|.m64n256" K ")"

#define ORDER (ISA_A_TARGET | ISA_FAMILY_ONLY | WITH(TRAIT_ASYNC))
#define LATER (ORDER | ISA_LATE | WITH(TRAIT_MULTIPLIES))
/* A from shared memory, then from registers. BEFORE and AFTER stand around scale-d; A_LAST is the
 * transpose of A. */
#define BOTH(NAME, WORDS, D, A, BEFORE, AFTER, A_LAST, LAST, PTX, DOC)                                             \
	ROW(NAME ".sync.aligned" WORDS, "+{D}" D " u64 u64" BEFORE " pred<0,1>" AFTER A_LAST LAST, PTX, 90, LATER, \
	    pick_wgmma, DOC),                                                                                      \
		ROW(NAME ".sync.aligned" WORDS, "+{D}" D " {A}" A " u64" BEFORE " pred<0,1>" AFTER LAST, PTX, 90,  \
		    LATER, pick_wgmma, DOC)
#define SIGNS  " #s32 #s32"
#define FLAG   " #s32"
#define DENSE  "wgmma.mma_async"
#define SPARSE "wgmma.mma_async.sp"
#define CHOICE " b32 #s32" /* metadata and its selector */

#define HALVES(NAME, K, META, PTX, DOC)                                                                             \
	BOTH(NAME, SHAPES(K) ".f16.f16.f16", "f16x2", "f16x2", META, SIGNS, FLAG, FLAG, PTX, DOC),                  \
		BOTH(NAME, SHAPES(K) "(.f32.f16.f16|.f32.bf16.bf16)", "f32", "f16x2", META, SIGNS, FLAG, FLAG, PTX, \
		     DOC)
#define WORDS(NAME, K, META, PTX, DOC) \
	BOTH(NAME, SHAPES(K) ".f32.tf32.tf32", "f32", "b32", META, SIGNS, "", "", PTX, DOC)
#define FP8(NAME, K, META, PTX, DOC)                                                                             \
	BOTH(NAME, SHAPES(K) ".f16(.e4m3|.e5m2)(.e4m3|.e5m2)", "f16x2", "f16x2", META, SIGNS, "", "", PTX, DOC), \
		BOTH(NAME, SHAPES(K) ".f32(.e4m3|.e5m2)(.e4m3|.e5m2)", "f32", "f16x2", META, SIGNS, "", "", PTX, DOC)
/* .satfinite before the types or behind them, as the assembler takes it. */
#define CLAMPED(T) "([.satfinite]" T "|" T ".satfinite)"
#define INTEGERS(NAME, K, META, PTX, DOC)                                                                            \
	BOTH(NAME, INTEGER_SHAPES(K) CLAMPED("(.s32.s8.s8|.s32.u8.u8)"), "s32", "b32", META, "", "", "", PTX, DOC),  \
		BOTH(NAME, INTEGER_SHAPES(K) CLAMPED("(.s32.s8.u8|.s32.u8.s8)"), "s32", "b32", META, "", "", "", 84, \
		     DOC)

static const struct isa_row wgmma_table[] = {
	HALVES(DENSE, "k16", "", 80, "Product of matrices of 16-bit floats by a warpgroup."),
	WORDS(DENSE, "k8", "", 80, "Product of tf32 matrices by a warpgroup."),
	FP8(DENSE, "k32", "", 80, "Product of matrices of 8-bit floats by a warpgroup."),
	INTEGERS(DENSE, "k32", "", 80, "Product of matrices of 8-bit integers by a warpgroup."),
	BOTH(DENSE, INTEGER_SHAPES("k256") ".s32.b1.b1.and.popc", "s32", "b32", "", "", "", "", 80,
	     "Counts of bits that are both set, by a warpgroup."),
	HALVES(SPARSE, "k32", CHOICE, 82, "Product by a sparse matrix of 16-bit floats by a warpgroup."),
	WORDS(SPARSE, "k16", CHOICE, 82, "Product by a sparse tf32 matrix by a warpgroup."),
	FP8(SPARSE, "k64", CHOICE, 82, "Product by a sparse matrix of 8-bit floats by a warpgroup."),
	INTEGERS(SPARSE, "k64", CHOICE, 82, "Product by a sparse matrix of 8-bit integers by a warpgroup."),
	ROW("wgmma.fence.sync.aligned", "", 80, 90, ORDER | WITH(TRAIT_REGISTER_FENCE), pick_order,
	    "Orders register accesses before later multiplications."),
	ROW("wgmma.commit_group.sync.aligned", "", 80, 90, ORDER, pick_order, "Closes a group of multiplications."),
	ROW("wgmma.wait_group.sync.aligned", "#u32", 80, 90, ORDER, pick_order,
	    "Waits until no more than so many groups are open."),
};
FAMILY(family_wgmma, "Warpgroup matrix", CLASS_MATRIX, wgmma_table);
