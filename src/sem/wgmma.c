/* SPDX-License-Identifier: Apache-2.0
 *
 * Multiplication by a warpgroup (PTX ISA 9.7.15): wgmma.mma_async, dense and sparse, and the
 * instructions that order it. Each of the four warps computes its 16 of the 64 rows when it gets
 * to the instruction: results are there at once, so fences, groups and waits have nothing to do.
 */
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

/* The rows of A, or all of B, that a descriptor points to; false after a fault. */
static bool load_shared(struct warp *w, const struct insn *i, const struct wgmma_plan *p, enum tensor_role role,
			u64 descriptor, u32 *matrix)
{
	const struct wgmma_descriptor d = wgmma_descriptor_decode(descriptor);
	const bool is_a = role == TENSOR_ROLE_A;
	const u32 first = is_a ? w->index % GROUP_WARPS * WARP_ROWS : 0;
	u32 fault = 0;

	if (LIKELY(wgmma_matrix_load(&p->form, role, first, &d, is_a ? p->transpose_a : p->transpose_b,
				     w->block->shared, (u32)w->block->shared_bytes, matrix, &fault)))
		return true;
	warp_fault_address(w, i, FAULT_OUT_OF_BOUNDS, 0, fault, 16, SPACE_SHARED, false);
	return false;
}

static bool group_together(struct warp *w, const struct insn *i, u32 mask)
{
	if (!matrix_together(w, i, mask))
		return false;
	if (LIKELY((w->index | (GROUP_WARPS - 1)) < w->block->warp_count))
		return true;
	warp_fault(w, i, FAULT_ILLEGAL_INSTRUCTION, mask, "wgmma needs the four warps of a warpgroup; the block has %u warps",
		   w->block->warp_count);
	return false;
}

/* Operands: d, a (registers or a descriptor), b's descriptor, metadata if sparse, and the predicate
 * that lets d be added. */
MEANING_FUNCTION(wgmma)
{
	const struct wgmma_plan *p = matrix_plan(w, i);
	u32 a[TENSOR_MAX_WORDS * WARP_ROWS], b[TENSOR_MAX_WORDS * TENSOR_MAX_N], c[TENSOR_MAX_N * WARP_ROWS];
	u8 meta[WARP_ROWS * WARP_ROWS];
	void *d[TENSOR_MAX_REGISTERS], *from[TENSOR_MAX_FACTOR_REGISTERS];
	const u32 *list = warp_operands(w, i);
	const u32 lane = (u32)__builtin_ctz(mask);

	if (!group_together(w, i, mask))
		return NULL;
	list = matrix_rows(rows, list, p->d, d);
	if (p->a) {
		list = matrix_rows(rows, list, p->a, from);
		tensor_fragment_gather(&p->form, TENSOR_ROLE_A, 0, (const void *const *)from, a);
	} else if (!load_shared(w, i, p, TENSOR_ROLE_A, ROW_OF(u64, *list++)[lane], a)) {
		return NULL;
	}
	if (!load_shared(w, i, p, TENSOR_ROLE_B, ROW_OF(u64, *list++)[lane], b))
		return NULL;
	if (p->form.sparse)
		tensor_metadata_gather(&p->form, 0, ROW_OF(u32, *list++), p->selector, meta);
	const bool add = PRED_SOURCE(i, *list, 0) >> lane & 1;
	if (add)
		tensor_fragment_gather(&p->form, TENSOR_ROLE_C, 0, (const void *const *)d, c);
	SEM_NAME(tensor_mma)(&p->form, &(struct tensor_operands){.a = a, .b = b, .c = add ? c : NULL, .d = c, .meta = meta});
	tensor_fragment_scatter(&p->form, 0, c, d);
	return i + 1;
}
static const struct meaning wgmma = {.run = wgmma_run, .plan = wgmma_plan};

static const struct meaning *pick_wgmma(const struct form *f)
{
	struct tensor_form form;

	return isa_tensor_form(f, &form) ? &wgmma : NULL;
}

MEANING_FUNCTION(order)
{
	(void)rows;
	return matrix_together(w, i, mask) ? i + 1 : NULL;
}
MEANING(order);
PICK_ONE(order)

/* --- Rows ----------------------------------------------------------------------------------- */

#define N_TO_64(K)                                                                                     \
	".m64n8" K "|.m64n16" K "|.m64n24" K "|.m64n32" K "|.m64n40" K "|.m64n48" K "|.m64n56" K "|.m64n64" K
#define N_TO_128(K)                                                                                    \
	".m64n72" K "|.m64n80" K "|.m64n88" K "|.m64n96" K "|.m64n104" K "|.m64n112" K "|.m64n120" K "|.m64n128" K
#define N_TO_192(K)                                                                                    \
	".m64n136" K "|.m64n144" K "|.m64n152" K "|.m64n160" K "|.m64n168" K "|.m64n176" K "|.m64n184" K "|.m64n192" K
#define N_TO_256(K)                                                                                    \
	".m64n200" K "|.m64n208" K "|.m64n216" K "|.m64n224" K "|.m64n232" K "|.m64n240" K "|.m64n248" K "|.m64n256" K
#define SHAPES(K) "(" N_TO_64(K) "|" N_TO_128(K) "|" N_TO_192(K) "|" N_TO_256(K) ")"
/* Integers: fewer N. */
#define INTEGER_SHAPES(K)                                                                              \
	"(.m64n8" K "|.m64n16" K "|.m64n24" K "|.m64n32" K "|.m64n48" K "|.m64n64" K "|.m64n80" K "|.m64n96" K \
	"|.m64n112" K "|.m64n128" K "|.m64n144" K "|.m64n160" K "|.m64n176" K "|.m64n192" K "|.m64n208" K \
	"|.m64n224" K "|.m64n240" K "|.m64n256" K ")"

/* A from shared memory, then from registers. BEFORE and AFTER stand around scale-d; A_LAST is the
 * transpose of A. */
#define BOTH(NAME, WORDS, D, BEFORE, AFTER, A_LAST, LAST, PTX, DOC)                                    \
	ROW(NAME ".sync.aligned" WORDS, "+{D}" D " b64 b64" BEFORE " pred" AFTER A_LAST LAST, PTX, 90, ISA_A_TARGET, \
	    pick_wgmma, DOC),                                                                          \
	ROW(NAME ".sync.aligned" WORDS, "+{D}" D " {A}b32 b64" BEFORE " pred" AFTER LAST, PTX, 90, ISA_A_TARGET, \
	    pick_wgmma, DOC)
#define SIGNS " #s32 #s32"
#define FLAG  " #s32"
#define DENSE  "wgmma.mma_async"
#define SPARSE "wgmma.mma_async.sp"
#define CHOICE " b32 #s32" /* metadata and its selector */

#define HALVES(NAME, K, META, PTX, DOC)                                                                \
	BOTH(NAME, SHAPES(K) ".f16.f16.f16", "b32", META, SIGNS, FLAG, FLAG, PTX, DOC),                \
	BOTH(NAME, SHAPES(K) "(.f32.f16.f16|.f32.bf16.bf16)", "f32", META, SIGNS, FLAG, FLAG, PTX, DOC)
#define WORDS(NAME, K, META, PTX, DOC)                                                                 \
	BOTH(NAME, SHAPES(K) ".f32.tf32.tf32", "f32", META, SIGNS, "", "", PTX, DOC)
#define FP8(NAME, K, META, PTX, DOC)                                                                   \
	BOTH(NAME, SHAPES(K) ".f16(.e4m3|.e5m2)(.e4m3|.e5m2)", "b32", META, SIGNS, "", "", PTX, DOC),  \
	BOTH(NAME, SHAPES(K) ".f32(.e4m3|.e5m2)(.e4m3|.e5m2)", "f32", META, SIGNS, "", "", PTX, DOC)
/* .satfinite before the types or behind them, as the assembler takes it. */
#define CLAMPED(T) "([.satfinite]" T "|" T ".satfinite)"
#define INTEGERS(NAME, K, META, PTX, DOC)                                                              \
	BOTH(NAME, INTEGER_SHAPES(K) CLAMPED("(.s32.s8.s8|.s32.u8.u8)"), "s32", META, "", "", "", PTX, DOC), \
	BOTH(NAME, INTEGER_SHAPES(K) CLAMPED("(.s32.s8.u8|.s32.u8.s8)"), "s32", META, "", "", "", 84, DOC)

static const struct isa_row wgmma_table[] = {
	HALVES(DENSE, "k16", "", 80, "Product of matrices of 16-bit floats by a warpgroup."),
	WORDS(DENSE, "k8", "", 80, "Product of tf32 matrices by a warpgroup."),
	FP8(DENSE, "k32", "", 80, "Product of matrices of 8-bit floats by a warpgroup."),
	INTEGERS(DENSE, "k32", "", 80, "Product of matrices of 8-bit integers by a warpgroup."),
	BOTH(DENSE, INTEGER_SHAPES("k256") ".s32.b1.b1.and.popc", "s32", "", "", "", "", 80,
	     "Counts of bits that are both set, by a warpgroup."),
	HALVES(SPARSE, "k32", CHOICE, 82, "Product by a sparse matrix of 16-bit floats by a warpgroup."),
	WORDS(SPARSE, "k16", CHOICE, 82, "Product by a sparse tf32 matrix by a warpgroup."),
	FP8(SPARSE, "k64", CHOICE, 82, "Product by a sparse matrix of 8-bit floats by a warpgroup."),
	INTEGERS(SPARSE, "k64", CHOICE, 82, "Product by a sparse matrix of 8-bit integers by a warpgroup."),
	ROW("wgmma.fence.sync.aligned", "", 80, 90, ISA_A_TARGET, pick_order,
	    "Orders register accesses before later multiplications."),
	ROW("wgmma.commit_group.sync.aligned", "", 80, 90, ISA_A_TARGET, pick_order,
	    "Closes a group of multiplications."),
	ROW("wgmma.wait_group.sync.aligned", "#u32", 80, 90, ISA_A_TARGET, pick_order,
	    "Waits until no more than so many groups are open."),
};
FAMILY(family_wgmma, "Warpgroup matrix", wgmma_table);
