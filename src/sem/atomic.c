/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic operations (PTX ISA 9.7.13.5 and 9.7.13.6): atom, red.
 *
 * The lanes of a warp take their turns in ascending order, and each gets the value before its own
 * operation. Shared memory belongs to one host thread. Global memory is updated by the host's atomic
 * instructions if several host threads run the launch, and plainly otherwise. Order and scope change
 * nothing: every operation is sequentially consistent.
 */
#include "decode/form_address.h"
#include "isa/form.h"
#include "sem/access.h"
#include "sem/atomic_ops.h"
#ifdef SEM_NATIVE
#include "sem/native_scattered.h"
#include "sem/scattered_places.h"
#endif

/* --- One lane ------------------------------------------------------------------------------- */

/* exchange_T: *p becomes op(old, b, c); gives back the old value. `racing`: other host threads may do the same. */
#define EXCHANGE(T)                                                                                                    \
	ALWAYS_INLINE T exchange_##T(T *p, T b, T c, bool racing, op_##T *op)                                          \
	{                                                                                                              \
		T old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                          \
		if (!racing)                                                                                           \
			*p = op(old, b, c);                                                                            \
		while (racing &&                                                                                       \
		       !__atomic_compare_exchange_n(p, &old, op(old, b, c), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) \
			;                                                                                              \
		return old;                                                                                            \
	}
EXCHANGE(u16)
EXCHANGE(u32)
EXCHANGE(u64)

/* Hosts need not have a 16-byte compare and exchange: `racing` callers hold the grid's lock. */
ALWAYS_INLINE u128 exchange_u128(u128 *p, u128 b, u128 c, bool racing, op_u128 *op)
{
	const u128 was = *p;

	(void)racing;
	*p = op(was, b, c);
	return was;
}

static inline bool is_racing(const struct warp *w, enum ir_space space)
{
	return space != SPACE_SHARED && grid_shares_memory(w->grid) && !w->worker->exclusive;
}

/* --- A warp --------------------------------------------------------------------------------- */

/* The address operand's place among the form's operands: after the destinations. */
static u32 atom_address_index(const struct form *f) { return strncmp(f->row->form, "red", 3) ? form_vector(f) : 0; }

/* Floating-point additions differ between global and shared memory: the operation learns it in c. Those of
 * f32 flush subnormal operands and results in global memory only (recorded: warp-atomics). */
static inline bool is_global(struct warp *w, enum ir_space space, u64 address)
{
	return (space == SPACE_GENERIC ? generic_space(w, &address) : space) != SPACE_SHARED;
}

#define TYPE u16
#include "sem/atomic_type.h"
#define TYPE u32
#include "sem/atomic_type.h"
#define TYPE u64
#include "sem/atomic_type.h"
#define TYPE u128
#include "sem/atomic_type.h"

#ifdef SEM_NATIVE
#define ATOMIC_WORD "sem/native_atomic.h"
#else
#define ATOMIC_WORD "sem/atomic_word.h"
#include "sem/atomic_race.h"
#endif
#define TYPE u32
#include ATOMIC_WORD
#define TYPE u64
#include ATOMIC_WORD

/* Gangs run them warp by warp. Which warp comes before which then is the order of one instruction after the other,
 * not of one warp after the other: it shows in old values and in sums of floats. */
SEPARATE bool atom_try(struct gang *g, const struct insn *i, struct warp *w, u8 *rows, u32 mask, u32 bytes,
		       meaning_fn *run)
{
	const struct insn *const plain = gang_plain(g, i);
	const struct form *f = warp_form(w, plain);
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	addresses_of(rows, plain, f->operand_bits[atom_address_index(f)] == 64, address);
	if (!gang_reaches(g, i, w, mask, form_space(f), address, bytes))
		return false;
	run(w, plain, rows, mask);
	return true;
}
/* Where the fast way gives up; in native code the handler is called then. */
#ifdef SEM_NATIVE
#define GANG_ATOM(NAME, T, ANY_RUN) MEANING_STEP(NAME);
#define ATOM_SLOW(NAME)             NULL
#else
#define GANG_ATOM(NAME, T, ANY_RUN) GANG_ACCESS(NAME, atom_try(g, i, w, rows, mask, sizeof(T), ANY_RUN))
#define ATOM_SLOW(NAME)             NAME##_any_run(w, i, rows, mask)
#endif

static const struct insn *gang_atom(struct gang *g, const struct insn *i, u32 bytes, meaning_fn *run)
{
	struct warp *w = g->warps;

	if (g->on) {
		EACH_MEMBER (g, m)
			if (!atom_try(g, i, m->warp, m->rows, m->mask, bytes, run))
				return gang_part(g, i, (u32)(m->warp - g->warps));
		return i + 1;
	}
	EACH_WARP (g) {
		if (!atom_try(g, i, w, rows, FULL_MASK, bytes, run))
			return gang_part(g, i, (u32)(w - g->warps));
		w++;
	}
	return i + 1;
}

#define ATOM_ANY(NAME, T, ADDS_FLOAT)                                                    \
	MEANING_FUNCTION(NAME##_any)                                                     \
	{                                                                                \
		if (ADDS_FLOAT)                                                          \
			fp_enter(w, FP_RN);                                              \
		return any_##T(w, i, rows, mask, NAME##_op, ADDS_FLOAT);                 \
	}                                                                                \
	GANG_FUNCTION(NAME##_any) { return gang_atom(g, i, sizeof(T), NAME##_any_run); } \
	MEANING_GANG(NAME##_any);
/* What NAME_fast does not do, NAME_any does. */
#define ATOM_FAST(NAME, PLACE, T, PRE, DONE)                                                               \
	ALWAYS_INLINE bool NAME##_##PLACE##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask) \
	{                                                                                                  \
		PRE;                                                                                       \
		return DONE;                                                                               \
	}                                                                                                  \
	MEANING_FUNCTION(NAME##_##PLACE)                                                                   \
	{                                                                                                  \
		return LIKELY(NAME##_##PLACE##_fast(w, i, rows, mask)) ? i + 1 : ATOM_SLOW(NAME);          \
	}                                                                                                  \
	GANG_ATOM(NAME##_##PLACE, T, NAME##_any_run)
/* NAME_race: see atomic_race.h. */
#ifdef SEM_NATIVE
#define ATOM_RACE(NAME, T, TAKES_C, OP)
#define RACE(NAME) scattered_race_##NAME
#else
#define ATOM_RACE(NAME, T, TAKES_C, OP) SEPARATE ATOMIC_RACE_FUNCTION(NAME##_race, T, TAKES_C, OP)
#define RACE(NAME)                      NAME##_race
#endif
#define ATOM_PLACES(NAME, T, TAKES_C, JOINS, PRE, GLOBAL_OP)                              \
	ATOM_RACE(NAME, T, TAKES_C, GLOBAL_OP)                                            \
	ATOM_FAST(NAME, shared, T, PRE, shared_##T(w, i, rows, mask, NAME##_op, TAKES_C)) \
	ATOM_FAST(NAME, global, T, PRE, global_##T(w, i, rows, mask, GLOBAL_OP, TAKES_C, JOINS, RACE(NAME)))
#define ATOM_INTEGER(NAME, T, TAKES_C, JOINS, EXPR) \
	ATOM_ANY(NAME, T, false)                    \
	ATOM_PLACES(NAME, T, TAKES_C, JOINS, , NAME##_op)
#define ATOM_FLOAT(NAME, T, EXPR) \
	ATOM_ANY(NAME, T, true)   \
	ATOM_PLACES(NAME, T, false, false, fp_enter(w, FP_RN), NAME##_global_op)
/* Those that have no other way. */
#define ATOM_REST(NAME, T, ADDS_FLOAT, EXPR) \
	ATOMIC_OPERATION(NAME, T, EXPR)      \
	ATOM_ANY(NAME, T, ADDS_FLOAT)

ATOMIC_INTEGERS(ATOM_INTEGER)
ATOMIC_FLOATS(ATOM_FLOAT)
/* clang-format off */
ATOM_REST(cas_16, u16, false, old == b ? c : old)
ATOM_REST(exch_128, u128, false, b)
ATOM_REST(cas_128, u128, false, old == b ? c : old)
ATOM_REST(add_f16, u16, true, f16_add(old, b, false, false))
ATOM_REST(add_bf16, u16, true, bf16_add(old, b))
ATOM_REST(min_f16, u16, false, f16_min(old, b, false, false, false))
ATOM_REST(max_f16, u16, false, f16_max(old, b, false, false, false))
ATOM_REST(min_bf16, u16, false, bf16_min(old, b, false, false))
ATOM_REST(max_bf16, u16, false, bf16_max(old, b, false, false))
ATOM_REST(min_f16x2, u32, false, HALVES(f16_min, false, false, false))
ATOM_REST(max_f16x2, u32, false, HALVES(f16_max, false, false, false))
ATOM_REST(min_bf16x2, u32, false, HALVES(bf16_min, false, false))
ATOM_REST(max_bf16x2, u32, false, HALVES(bf16_max, false, false))
/* clang-format on */

/* --- Vectors -------------------------------------------------------------------------------- */

#define VECTOR_MEANING(NAME, T)                                                             \
	MEANING_FUNCTION(NAME##_vector) { return vector_##T(w, i, rows, mask, NAME##_op); } \
	MEANING(NAME##_vector);
VECTOR_MEANING(add_f32, u32)
VECTOR_MEANING(add_f16, u16)
VECTOR_MEANING(min_f16, u16)
VECTOR_MEANING(max_f16, u16)
VECTOR_MEANING(add_bf16, u16)
VECTOR_MEANING(min_bf16, u16)
VECTOR_MEANING(max_bf16, u16)
VECTOR_MEANING(add_f16x2, u32)
VECTOR_MEANING(min_f16x2, u32)
VECTOR_MEANING(max_f16x2, u32)
VECTOR_MEANING(add_bf16x2, u32)
VECTOR_MEANING(min_bf16x2, u32)
VECTOR_MEANING(max_bf16x2, u32)

/* --- Choice --------------------------------------------------------------------------------- */

/* One operation's meanings by place; only those of 32 and 64 bits have all three. */
struct choices {
	int op, type; /* type: of a kind of 32 or 64 bits: its signedness counts for min and max only */
	const struct meaning *any, *shared, *global, *vector;
};
#define BY_PLACE(OP, TYPE, NAME)                                                    \
	{                                                                           \
		M_##OP, T_##TYPE, &NAME##_any, &NAME##_shared, &NAME##_global, NULL \
	}
#define BY_FORM(OP, TYPE, NAME)                                 \
	{                                                       \
		M_##OP, T_##TYPE, &NAME##_any, NULL, NULL, NULL \
	}
#define BY_BOTH(OP, TYPE, NAME)                                           \
	{                                                                 \
		M_##OP, T_##TYPE, &NAME##_any, NULL, NULL, &NAME##_vector \
	}
#define BY_ALL(OP, TYPE, NAME)                                                                \
	{                                                                                     \
		M_##OP, T_##TYPE, &NAME##_any, &NAME##_shared, &NAME##_global, &NAME##_vector \
	}
static const struct choices choices[] = {
	BY_PLACE(add, u32, add_32),       BY_PLACE(add, s32, add_32),      BY_PLACE(add, u64, add_64),
	BY_PLACE(and, b32, and_32),       BY_PLACE(and, b64, and_64),      BY_PLACE(or, b32, or_32),
	BY_PLACE(or, b64, or_64),         BY_PLACE(xor, b32, xor_32),      BY_PLACE(xor, b64, xor_64),
	BY_PLACE(inc, u32, inc_32),       BY_PLACE(dec, u32, dec_32),      BY_PLACE(exch, b32, exch_32),
	BY_PLACE(exch, b64, exch_64),     BY_FORM(exch, b128, exch_128),   BY_PLACE(cas, b32, cas_32),
	BY_PLACE(cas, b64, cas_64),       BY_FORM(cas, b16, cas_16),       BY_FORM(cas, b128, cas_128),
	BY_PLACE(min, u32, min_u32),      BY_PLACE(min, s32, min_s32),     BY_PLACE(min, u64, min_u64),
	BY_PLACE(min, s64, min_s64),      BY_PLACE(max, u32, max_u32),     BY_PLACE(max, s32, max_s32),
	BY_PLACE(max, u64, max_u64),      BY_PLACE(max, s64, max_s64),     BY_ALL(add, f32, add_f32),
	BY_PLACE(add, f64, add_f64),      BY_BOTH(add, f16, add_f16),      BY_ALL(add, f16x2, add_f16x2),
	BY_BOTH(add, bf16, add_bf16),     BY_ALL(add, bf16x2, add_bf16x2), BY_BOTH(min, f16, min_f16),
	BY_BOTH(min, f16x2, min_f16x2),   BY_BOTH(min, bf16, min_bf16),    BY_BOTH(min, bf16x2, min_bf16x2),
	BY_BOTH(max, f16, max_f16),       BY_BOTH(max, f16x2, max_f16x2),  BY_BOTH(max, bf16, max_bf16),
	BY_BOTH(max, bf16x2, max_bf16x2),
};

static const struct meaning *pick_atom(const struct form *f)
{
	const int op = form_pick(f, M_and, M_cas), type = form_type(f, 0);
	const u32 address_bits = f->operand_bits[atom_address_index(f)];
	const enum ir_space space = form_space(f);

	for (u32 k = 0; k < COUNT_OF(choices); k++) {
		const struct choices *c = &choices[k];
		if (c->op != op || c->type != type)
			continue;
		if (form_pick(f, M_v2, M_v8))
			return c->vector;
		if (c->shared && space == SPACE_SHARED && !form_has(f, M_shared_cluster) && address_bits == 32)
			return c->shared;
		return c->global && space == SPACE_GLOBAL && address_bits == 64 ? c->global : c->any;
	}
	return NULL;
}

/* --- Rows ----------------------------------------------------------------------------------- */

#define SEM      "[.relaxed|.acquire|.release|.acq_rel]"
#define RED_SEM  "[.relaxed|.release]"
#define SCOPE    "[.cta|.cluster|.gpu|.sys]"
#define SHARED   "(.shared|.shared::cta|.shared::cluster)"
#define HINT     ".L2::cache_hint"
#define FLAGS    (ISA_MEMORY | ISA_STORE | ISA_ATOMIC | WITH(TRAIT_ORDERS))
#define DOC_ATOM "Changes memory atomically, and gives back the old value."
#define DOC_RED  "Changes memory atomically."

#define ATOM_(TRAITS, PLACE, WHAT, OPERANDS, PTX, SM) \
	ROW("atom" SEM SCOPE PLACE WHAT, OPERANDS, PTX, SM, FLAGS | WITH(TRAITS), pick_atom, DOC_ATOM)
#define RED_(TRAITS, PLACE, WHAT, OPERANDS, PTX, SM)                                                              \
	ROW("red" RED_SEM SCOPE PLACE WHAT, OPERANDS, PTX, SM, FLAGS | WITH(TRAIT_REDUCES | (TRAITS)), pick_atom, \
	    DOC_RED)
/* In global memory, in shared memory, and by generic addresses: since when. A cache policy (whose word
 * stands between operation and type) is for the first and the last. */
#define ATOMS(TRAITS, OPERATION, TYPES, G_PTX, G_SM, S_PTX, S_SM, ANY_PTX, ANY_SM) \
	ATOM_(TRAITS, ".global", OPERATION TYPES, "=_0 @ 0", G_PTX, G_SM),         \
		ATOM_(TRAITS, SHARED, OPERATION TYPES, "=_0 @ 0", S_PTX, S_SM),    \
		ATOM_(TRAITS, "", OPERATION TYPES, "=_0 @ 0", ANY_PTX, ANY_SM),    \
		ATOM_(TRAITS, "[.global]", OPERATION HINT TYPES, "=_0 @ 0 u64", ANY_PTX, ANY_SM)
#define REDS(TRAITS, OPERATION, TYPES, G_PTX, G_SM, S_PTX, S_SM, ANY_PTX, ANY_SM) \
	RED_(TRAITS, ".global", OPERATION TYPES, "@ 0", G_PTX, G_SM),             \
		RED_(TRAITS, SHARED, OPERATION TYPES, "@ 0", S_PTX, S_SM),        \
		RED_(TRAITS, "", OPERATION TYPES, "@ 0", ANY_PTX, ANY_SM),        \
		RED_(TRAITS, "[.global]", OPERATION HINT TYPES, "@ 0 u64", ANY_PTX, ANY_SM)
#define ATOMS_SINCE(TRAITS, OPERATION, TYPES, PTX, SM) ATOMS(TRAITS, OPERATION, TYPES, PTX, SM, PTX, SM, PTX, SM)
#define REDS_SINCE(TRAITS, OPERATION, TYPES, PTX, SM)  REDS(TRAITS, OPERATION, TYPES, PTX, SM, PTX, SM, PTX, SM)
#define COMPARE_AND_SWAP(TYPE, G_PTX, G_SM, S_PTX, S_SM, ANY_PTX, ANY_SM) \
	ATOM_(0, ".global", ".cas" TYPE, "=_0 @ 0 0", G_PTX, G_SM),       \
		ATOM_(0, SHARED, ".cas" TYPE, "=_0 @ 0 0", S_PTX, S_SM),  \
		ATOM_(0, "", ".cas" TYPE, "=_0 @ 0 0", ANY_PTX, ANY_SM)
#define VECTORS(OPERATION, TYPES)                                                         \
	ATOM_(0, "[.global]", OPERATION TYPES, "=_{v}0 @ {v}0", 81, 90),                  \
		ATOM_(0, "[.global]", OPERATION HINT TYPES, "=_{v}0 @ {v}0 u64", 81, 90), \
		RED_(0, "[.global]", OPERATION TYPES, "@ {v}0", 81, 90),                  \
		RED_(0, "[.global]", OPERATION HINT TYPES, "@ {v}0 u64", 81, 90)

static const struct isa_row rows_atomic[] = {
	ATOMS(TRAIT_JOINS, "(.and|.or|.xor)", ".b32", 11, 11, 12, 12, 20, 20),
	ATOMS(TRAIT_JOINS, "(.add|.min|.max)", "(.u32|.s32)", 11, 11, 12, 12, 20, 20),
	ATOMS(0, "(.inc|.dec)", ".u32", 11, 11, 12, 12, 20, 20),
	ATOMS(0, ".exch", ".b32", 11, 11, 12, 12, 20, 20),
	COMPARE_AND_SWAP(".b32", 11, 11, 12, 12, 20, 20),
	ATOMS(TRAIT_JOINS, ".add", ".u64", 12, 12, 20, 20, 20, 20),
	ATOMS(0, ".exch", ".b64", 12, 12, 20, 20, 20, 20),
	COMPARE_AND_SWAP(".b64", 12, 12, 20, 20, 20, 20),
	ATOMS_SINCE(TRAIT_JOINS, "(.and|.or|.xor)", ".b64", 31, 32),
	ATOMS_SINCE(TRAIT_JOINS, "(.min|.max)", "(.u64|.s64)", 31, 32),
	ATOMS_SINCE(0, ".add", ".f32", 20, 20),
	ATOMS_SINCE(0, ".add", ".f64", 50, 60),
	ATOMS_SINCE(0, ".add.noftz", ".f16x2", 62, 60),
	ATOMS_SINCE(0, ".add.noftz", ".f16", 63, 70),
	ATOMS_SINCE(0, ".add.noftz", "(.bf16|.bf16x2)", 78, 90),
	COMPARE_AND_SWAP(".b16", 63, 70, 63, 70, 63, 70),
	ATOMS_SINCE(0, ".exch", ".b128", 83, 90),
	COMPARE_AND_SWAP(".b128", 83, 90, 83, 90, 83, 90),
	VECTORS(".add", "(.v2|.v4).f32"),
	VECTORS("(.add|.min|.max).noftz", "(.v2|.v4|.v8)(.f16|.bf16)"),
	VECTORS("(.add|.min|.max).noftz", "(.v2|.v4)(.f16x2|.bf16x2)"),
	REDS(TRAIT_JOINS, "(.and|.or|.xor)", ".b32", 12, 11, 12, 12, 20, 20),
	REDS(TRAIT_JOINS, "(.add|.min|.max)", "(.u32|.s32)", 12, 11, 12, 12, 20, 20),
	REDS(0, "(.inc|.dec)", ".u32", 12, 11, 12, 12, 20, 20),
	REDS(TRAIT_JOINS, ".add", ".u64", 12, 12, 20, 20, 20, 20),
	REDS_SINCE(TRAIT_JOINS, "(.and|.or|.xor)", ".b64", 31, 32),
	REDS_SINCE(TRAIT_JOINS, "(.min|.max)", "(.u64|.s64)", 31, 32),
	REDS_SINCE(0, ".add", ".f32", 20, 20),
	REDS_SINCE(0, ".add", ".f64", 50, 60),
	REDS_SINCE(0, ".add.noftz", ".f16x2", 62, 60),
	REDS_SINCE(0, ".add.noftz", ".f16", 63, 70),
	REDS_SINCE(0, ".add.noftz", "(.bf16|.bf16x2)", 78, 90),
};
FAMILY(family_atomic, "Atomic operations", CLASS_MEMORY, rows_atomic);
