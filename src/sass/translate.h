/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the translation to PTX share. Private to sass/: ptx.c writes modules and kernels, translate_*.c one
 * function for each mnemonic.
 */
#ifndef PTXSIM_SASS_TRANSLATE_H
#define PTXSIM_SASS_TRANSLATE_H

#include "sass/cubin.h"
#include "sass/instruction.h"

enum { TRANSLATE_TEXT = 48 };

/* An operand as PTX text: a register, an immediate. */
struct text {
	char s[TRANSLATE_TEXT];
};

struct translation {
	struct arena *arena;
	const struct cubin *cubin;
	const struct cubin_function *function;
	u32 number; /* of the function in the cubin */
	const struct sass_decoder *decoder;
	struct sass_insn *i; /* being translated */
	char *out;
	size_t length, capacity;
	u32 temporaries; /* used by this instruction */
	bool failed;     /* this instruction has no translation */
	u64 stack_bytes;
};

typedef void translate_fn(struct translation *t);
extern translate_fn *const translate_table[SASS_OP_COUNT];

/* --- Text: ptx.c ---------------------------------------------------------------------------- */

void translate_text(struct translation *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One PTX instruction under the guard of the machine's. */
void emit_ptx(struct translation *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A temporary register: kind 't' .b32, 'x' .b64, 'h' .b16, 'c' .pred. */
struct text temporary(struct translation *t, char kind);

/* --- Operands: ptx.c ------------------------------------------------------------------------ */

/* Operand `k` as a source of 32 bits, with its signs as those of an integer, or of a float. */
struct text source(struct translation *t, u32 k);
struct text source_float(struct translation *t, u32 k);
/* As a source of 64 bits: a pair, a constant of 64 bits, the upper half of a double; signs of a double. */
struct text source_wide(struct translation *t, u32 k);
struct text source_double(struct translation *t, u32 k);
/* A predicate, with its negation. */
struct text source_predicate(struct translation *t, u32 k);
/* Where operand `k` is written: a sink for RZ and PT. */
struct text destination(struct translation *t, u32 k);
struct text destination_predicate(struct translation *t, u32 k);
void write_wide(struct translation *t, u32 k, const char *value);
/* The register behind, of a pair or quad: number n of it. */
struct text register_at(const struct translation *t, u32 k, u32 n);
bool is_pt(const struct translation *t, u32 k);
/* A word that is stored: RZ is all zeros. */
struct text stored(struct translation *t, u32 k, u32 word);

/* --- Memory: translate_memory.c ------------------------------------------------------------- */

/* .global, .shared, .local or nothing. */
const char *space_of(const struct translation *t);
/* The address as PTX writes it, without brackets. Plain 32-bit bases of global memory are pairs, too. */
struct text address_of(struct translation *t, const char *space);

static inline u32 modifier(const struct translation *t, enum sass_modifier_kind kind)
{
	return sass_modifier(t->i, kind);
}
static inline bool fails(struct translation *t) { return t->failed = true; }

/* --- Families ------------------------------------------------------------------------------- */

translate_fn translate_fadd, translate_fmul, translate_ffma, translate_fsel, translate_fmnmx, translate_fset,
	translate_fsetp, translate_fchk, translate_dadd, translate_dmul, translate_dfma, translate_dsetp,
	translate_mufu, translate_i2f, translate_f2i, translate_f2f, translate_frnd, translate_mov, translate_sel,
	translate_prmt, translate_s2r, translate_cs2r, translate_r2ur, translate_plop3, translate_p2r, translate_r2p,
	translate_vote, translate_shfl, translate_iadd3, translate_viadd, translate_imad, translate_lea, translate_lop3,
	translate_shf, translate_isetp, translate_iabs, translate_popc, translate_flo, translate_brev, translate_sgxt,
	translate_bmsk, translate_idp, translate_vimnmx, translate_hadd2, translate_hmul2, translate_hfma2,
	translate_hsetp2, translate_hset2, translate_f2fp, translate_hmnmx2, translate_i2i, translate_i2ip,
	translate_vabsdiff, translate_viaddmnmx, translate_qspc, translate_load, translate_store, translate_ldc,
	translate_nothing, translate_membar, translate_bar, translate_warpsync, translate_exit, translate_bra,
	translate_brx, translate_call, translate_ret, translate_atom, translate_b2r, translate_cluster_barrier;

#endif
