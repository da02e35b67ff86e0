/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: atomic operations.
 *
 * Each becomes PTX's atom with relaxed order: where code wants more, it has fences around, and says so by MEMBAR and
 * the like. What PTX has no word for is computed behind the atom from the old value.
 */
#include <string.h>

#include "sass/lower.h"

/* Where an atomic operation has its operands, and with what it computes. */
struct atomic {
	const char *space, *scope;
	struct lower_place at;
	u32 d, value; /* operands; d NONE: without a result */
};

enum { NONE = ~0u };

/* The scope as PTX writes it; ATOM's words for order name it from sm_80 on, a field of its own before. */
static const char *scope_of(const struct lower *l)
{
	static const char *const scopes75[] = {".cta", ".cta", ".gpu", ".sys"};

	if (l->sm < 80)
		return scopes75[sass_modifier(l->i, MOD_SCOPE75) & 3];
	switch (modifier(l, MOD_ATOM_ORDER)) {
	case 4:
	case 5:
		return ".cta";
	case 10:
		return ".sys";
	default:
		return ".gpu";
	}
}

/* Finds address, operands and scope. Operand 0 of ATOM and ATOMG is the predicate that says whether it was done.
 * Operations on global memory may show in what order blocks ran. */
static struct atomic atomic_of(struct lower *l)
{
	const bool shared = l->i->opcode == SASS_OP_ATOMS,
		   without = l->i->opcode == SASS_OP_REDG || l->i->opcode == SASS_OP_RED;
	struct atomic a = {.space = lower_space(l)};

	a.scope = shared ? ".cta" : scope_of(l);
	a.at = lower_address_of(l, a.space);
	a.d = without ? NONE : shared ? 0 : 1;
	a.value = without ? 1 : a.d + 2;
	l->shows_order |= !shared;
	return a;
}

/* Generic ones say whether they were done; the code behind is for those that were not. */
static void say_done(struct lower *l, const struct atomic *a)
{
	if (a->d == 1 && !lower_is_pt(l, 0))
		lower_machine(l, MACHINE_logic_pred,
			      (struct insn){.d = lower_to_predicate(l, 0), .a = l->true_row, .b = l->true_row});
}

/* Operand k, joined to 64 bits if it is wide. */
static u32 value_of(struct lower *l, u32 k, bool wide)
{
	return wide ? lower_join(l, lower_stored(l, k, 0), lower_stored(l, k, 1)) : lower_stored(l, k, 0);
}

/* Splits the old value to its pair of registers, and sets the predicate. */
static void finish(struct lower *l, const struct atomic *a, u32 old, bool wide)
{
	if (wide && a->d != NONE && !lower_is_rz(l, a->d))
		lower_write_wide(l, a->d, old);
	say_done(l, a);
}

static struct lower_arg base_of(const struct atomic *a) { return a->at.wide ? ROW64(a->at.base) : ROW32(a->at.base); }

/* Where the old value goes; nobody may want it. */
static u32 old_row(struct lower *l, const struct atomic *a, bool wide)
{
	if (a->d == NONE || lower_is_rz(l, a->d))
		return NO_OPERAND;
	return wide ? lower_long(l) : lower_to(l, a->d, 0);
}

static void atom(struct lower *l, const char *op, const char *type, bool wide)
{
	const struct atomic a = atomic_of(l);
	const u32 value = value_of(l, a.value, wide), old = old_row(l, &a, wide);
	const char *text = lower_text(l, "atom.relaxed%s%s.%s.%s", a.scope, a.space, op, type);

	if (wide)
		PTX(l, text, TO64(old), base_of(&a), OFFSET(a.at.offset), ROW64(value));
	else
		PTX(l, text, TO32(old), base_of(&a), OFFSET(a.at.offset), ROW32(value));
	finish(l, &a, old, wide);
}

/* A row of 128 bits of four words of operand k. */
static u32 value_of_quad(struct lower *l, u32 k)
{
	const u32 to = lower_quad(l);
	const u32 words[] = {lower_stored(l, k, 0), lower_stored(l, k, 1), lower_stored(l, k, 2),
			     lower_stored(l, k, 3)};

	lower_machine_list(l, MACHINE_quad, (struct insn){.d = to}, words, COUNT_OF(words));
	return to;
}

/* Exchanges of 128 bits; compared: with the value of the next operand. */
static void atom_quad(struct lower *l, bool compares)
{
	const struct atomic a = atomic_of(l);
	const u32 value = value_of_quad(l, a.value), other = compares ? value_of_quad(l, a.value + 1) : NO_OPERAND,
		  old = lower_quad(l);
	const struct lower_arg args[] = {TO128(old), base_of(&a), OFFSET(a.at.offset), ROW128(value), ROW128(other)};

	if (a.d == NONE) {
		lower_fails(l);
		return;
	}
	lower_ptx(l, lower_text(l, "atom.relaxed%s%s.%s.b128", a.scope, a.space, compares ? "cas" : "exch"), args,
		  compares ? 5 : 4);
	const u32 words[] = {lower_to(l, a.d, 0), lower_to(l, a.d, 1), lower_to(l, a.d, 2), lower_to(l, a.d, 3)};
	lower_machine_list(l, MACHINE_unquad, (struct insn){.a = old, .d = words[0]}, words, COUNT_OF(words));
	say_done(l, &a);
}

/* Several words: vectors of packed halves, and of floats. */
static void atom_vector(struct lower *l, const char *op, const char *type, u32 words)
{
	const struct atomic a = atomic_of(l);
	struct lower_arg args[10];
	u32 count = 0;

	for (u32 k = 0; k < words; k++)
		args[count++] = TO32(a.d == NONE ? l->sink + k * LOWER_ROW : lower_to(l, a.d, k));
	args[count++] = base_of(&a);
	args[count++] = OFFSET(a.at.offset);
	for (u32 k = 0; k < words; k++)
		args[count++] = ROW32(lower_stored(l, a.value, k));
	lower_ptx(l, lower_text(l, "atom.relaxed%s%s.%s.v%u.%s", a.scope, a.space, op, words, type), args, count);
	finish(l, &a, 0, false);
}

/* Two halves: PTX has minima and maxima of them as vectors only. */
static void atom_halves(struct lower *l, const char *op, bool brain)
{
	const struct atomic a = atomic_of(l);
	const u32 value = value_of(l, a.value, false);
	const u32 v[2] = {lower_word(l), lower_word(l)}, w[2] = {lower_word(l), lower_word(l)};

	PTX(l, "and.b32", TO32(v[0]), ROW32(value), ROW32(lower_number(l, 0xffff)));
	PTX(l, "shr.u32", TO32(v[1]), ROW32(value), ROW32(lower_number(l, 16)));
	PTX(l, lower_text(l, "atom.relaxed%s.global.%s.v2.%s", a.scope, op, brain ? "bf16" : "f16"), TO16(w[0]),
	    TO16(w[1]), base_of(&a), OFFSET(a.at.offset), ROW16(v[0]), ROW16(v[1]));
	if (a.d != NONE && !lower_is_rz(l, a.d)) {
		PTX(l, "shl.b32", TO32(w[1]), ROW32(w[1]), ROW32(lower_number(l, 16)));
		PTX(l, "or.b32", TO32(lower_to(l, a.d, 0)), ROW32(w[0]), ROW32(w[1]));
	}
	finish(l, &a, 0, false);
}

static void atom_float(struct lower *l)
{
	static const struct {
		const char *type;
		u32 words;
	} types[] = {{"f16x2", 1},  {"f16x2", 2}, {"f16x2", 4}, {"bf16x2", 1}, {"bf16x2", 2},
		     {"bf16x2", 4}, {0},          {0},          {0},           {"f32", 1},
		     {"f32", 2},    {"f32", 4},   {"f32", 1},   {"f32", 2},    {"f32", 4}};
	static const char *const ops[] = {"add", "min", "max"};
	static const char *const half_ops[] = {"add.noftz", "min.noftz", "max.noftz"};
	const u32 op = modifier(l, MOD_ATOM_FLOAT_OP), type = modifier(l, MOD_ATOM_REAL);

	if (op >= COUNT_OF(ops) || (type < COUNT_OF(types) && !types[type].type))
		lower_fails(l);
	else if (type >= COUNT_OF(types))
		atom(l, ops[op], "f64", true);
	else if (op && types[type].words == 1 && type < 6)
		atom_halves(l, half_ops[op], type == 3);
	else if (types[type].words == 1)
		atom(l, type < 6 ? half_ops[op] : ops[op], types[type].type, false);
	else
		atom_vector(l, type < 6 ? half_ops[op] : ops[op], types[type].type, types[type].words);
}

/* Sums of either sign are alike. */
static void atom_integer(struct lower *l, u32 type)
{
	static const char *const ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch"};
	static const char *const types[] = {"u32", "s32", "u64", "s64"};
	const u32 op = modifier(l, MOD_ATOM) + modifier(l, MOD_ATOMG) + modifier(l, MOD_ATOM3);
	enum { EXCH = 8, QUAD = 4 };

	if (op == EXCH && type == QUAD)
		atom_quad(l, false);
	else if (op >= COUNT_OF(ops) || type >= COUNT_OF(types))
		lower_fails(l);
	else if (op >= 5)
		atom(l, ops[op], type < 2 ? "b32" : "b64", type >= 2);
	else
		atom(l, ops[op], op == 1 || op == 2 ? types[type] : types[type & ~1u], type >= 2);
}

/* Types as sm_75 to sm_89 number them, floats among them. */
static void atom_before_90(struct lower *l)
{
	enum { F32_FTZ = 3, F16X2 = 4, S64 = 5, F64 = 6 };
	const u32 type = sass_modifier(l->i, MOD_ATOM_TYPE75) + sass_modifier(l->i, MOD_ATOM_TYPE80);

	if (type == F32_FTZ)
		atom(l, "add", "f32", false);
	else if (type == F16X2)
		atom(l, "add.noftz", "f16x2", false);
	else if (type == F64)
		atom(l, "add", "f64", true);
	else
		atom_integer(l, type == S64 ? 3 : type);
}

/* .SPIN, in a loop that tries again: one lane of each bank takes part, and the compare and swap of the others fails. Gives the
 * lanes that do. */
static struct predicate take_turns(struct lower *l, const struct atomic *a, bool wide)
{
	const struct meaning *m = l->e.low->isa->machine[MACHINE_turns];
	const struct predicate turns = {lower_truth(l), false};

	l->e.gang = m->gang;
	lower_emit(l,
		   (struct insn){.fn = m->run, .d = turns.row, .a = a->at.base, .b = wide ? 8 : 4, .imm = a->at.offset},
		   0, /* lanes that the guard leaves out must not take a turn */
		   (struct machine_step){.handler = MACHINE_turns});
	return turns;
}

/* By the lanes of `turns` alone, which are some of the guard's. */
static void swap(struct lower *l, const struct atomic *a, struct predicate turns, u32 old, u32 compare, u32 value,
		 bool wide)
{
	const char *text = lower_text(l, "atom.relaxed%s%s.cas.%s", a->scope, a->space, wide ? "b64" : "b32");
	const bool guarded = l->guarded, negated = l->guard_negated, spins = turns.row != l->true_row;
	const u32 row = l->guard_row, first = (u32)l->e.insns.count - 1;

	if (spins) {
		l->guarded = true;
		l->guard_negated = false;
		l->guard_row = turns.row;
	}
	if (wide)
		PTX(l, text, TO64(old), base_of(a), OFFSET(a->at.offset), ROW64(compare), ROW64(value));
	else
		PTX(l, text, TO32(old), base_of(a), OFFSET(a->at.offset), ROW32(compare), ROW32(value));
	l->guarded = guarded;
	l->guard_negated = negated;
	l->guard_row = row;
	/* Those that look at the access see all lanes that wait, as the hardware does: at the same base and offset. */
	if (spins)
		l->form_insn = first;
}

/* CAST has not the old value but whether it was exchanged: as a number, from sm_100 on as a predicate. */
static void say_swapped(struct lower *l, const struct atomic *a, struct predicate turns, u32 old, u32 compare,
			bool wide)
{
	const bool says = l->i->operands[0].arg == ARG_PREDICATE;
	const u32 same = says ? lower_to_predicate(l, 0) : lower_truth(l);

	PTX(l, lower_text(l, "setp.eq.and.%s", wide ? "b64" : "b32"), TO1(same), wide ? ROW64(old) : ROW32(old),
	    wide ? ROW64(compare) : ROW32(compare), TRUTH(turns));
	if (says)
		return;
	const struct predicate swapped = {same, false};
	if (!lower_is_rz(l, a->d)) {
		PTX(l, "selp.b32", TO32(lower_to(l, a->d, 0)), ROW32(lower_number(l, 1)), ROW32(l->zero),
		    TRUTH(swapped));
		if (wide)
			PTX(l, "mov.b32", TO32(lower_to(l, a->d, 1)), ROW32(l->zero));
	}
	say_done(l, a);
}

static void compare_and_swap(struct lower *l)
{
	enum { QUAD = 4 };
	const u32 type = modifier(l, MOD_CAS_TYPE);
	const bool wide = type == 2, tests = modifier(l, MOD_CAS) | modifier(l, MOD_CAST);

	if (type == QUAD && !tests) {
		atom_quad(l, true);
		return;
	}
	if (type > 2 || (modifier(l, MOD_SPIN) && !tests)) {
		lower_fails(l);
		return;
	}
	const struct atomic a = atomic_of(l);
	const u32 compare = value_of(l, a.value, wide), value = value_of(l, a.value + 1, wide),
		  old = wide ? lower_long(l) : lower_word(l);
	const struct predicate turns =
		modifier(l, MOD_SPIN) ? take_turns(l, &a, wide) : (struct predicate){l->true_row, false};

	swap(l, &a, turns, old, compare, value, wide);
	if (tests) {
		say_swapped(l, &a, turns, old, compare, wide);
		return;
	}
	if (!wide && !lower_is_rz(l, a.d))
		PTX(l, "mov.b32", TO32(lower_to(l, a.d, 0)), ROW32(old));
	finish(l, &a, old, wide);
}

/* .POPC.INC: the hardware adds up the lanes that want one word. What it gives back is not recorded. */
static void count_lanes(struct lower *l)
{
	const struct lower_place at = lower_address_of(l, ".shared");

	if (!lower_is_rz(l, 0))
		lower_fails(l);
	PTX(l, "atom.relaxed.cta.shared.add.u32", TO32(NO_OPERAND), ROW32(at.base), OFFSET(at.offset),
	    ROW32(lower_number(l, 1)));
}

/* ATOMS.ARRIVE and ATOM.ARRIVE of sm_80 to sm_89: an mbarrier is two words in memory there. */
static void arrive(struct lower *l)
{
	const struct atomic a = atomic_of(l);
	const u32 list[] = {lower_to(l, a.d, 0), lower_to(l, a.d, 1), a.at.wide, (u32)a.at.offset};

	l->shows_order = true;
	lower_machine_list(l, MACHINE_arrive, (struct insn){.a = a.at.base}, list, COUNT_OF(list));
	say_done(l, &a);
}

static bool has_modifier(const struct lower *l, enum sass_modifier_kind kind)
{
	for (u32 k = 0; k < l->i->modifier_count; k++)
		if (l->i->modifier_kinds[k] == kind)
			return true;
	return false;
}

void lower_atom(struct lower *l)
{
	enum { ARRIVE = 9 };

	if (sass_counts_lanes(l->i))
		count_lanes(l);
	else if (modifier(l, MOD_POPC_INC) == ARRIVE ||
		 (l->i->opcode == SASS_OP_ATOM && strstr(sass_row_text(l->m->decoder, l->i), ".ARRIVE")))
		arrive(l);
	else if (has_modifier(l, MOD_POPC_INC) || has_modifier(l, MOD_POPC_INC90))
		lower_fails(l);
	else if (has_modifier(l, MOD_ATOM_FLOAT_OP))
		atom_float(l);
	else if (l->i->operand_count == (l->i->opcode == SASS_OP_ATOMS ? 4 : 5))
		compare_and_swap(l);
	else if (has_modifier(l, MOD_ATOM_TYPE75) || has_modifier(l, MOD_ATOM_TYPE80))
		atom_before_90(l);
	else
		atom_integer(l, modifier(l, MOD_ATOM_TYPE) + modifier(l, MOD_CAS_TYPE));
}

/* --- Memory of several devices --------------------------------------------------------------- */

struct combined {
	const char *type;
	u32 words;
	bool pairs; /* of 64 bits each */
};

/* MC_REAL. What eight bits wide floats sum to has no definition here. */
static const struct combined combined_floats[] = {
	{"f16x2", 1, false},     {"v2.f16x2", 2, false},  {"v4.f16x2", 4, false}, {"bf16x2", 1, false},
	{"v2.bf16x2", 2, false}, {"v4.bf16x2", 4, false}, {NULL, 0, false},       {NULL, 0, false},
	{NULL, 0, false},        {NULL, 0, false},        {NULL, 0, false},       {NULL, 0, false},
	{"f32", 1, false},       {"v2.f32", 2, false},    {"v4.f32", 4, false},   {"f64", 2, true}};
static const struct combined combined_integers[] = {
	{"u32", 1, false}, {"s32", 1, false}, {"u64", 2, true}, {"s64", 2, true}};

/* Loads from several devices and combines what they hold. */
void lower_ldgmc(struct lower *l)
{
	enum { WIDE_SUM = 3 };
	static const char *const integer_ops[] = {"add", "min", "max", NULL, NULL, "and", "or", "xor"};
	static const char *const float_ops[] = {"add", "min", "max", "add.acc::f32"};
	const bool is_float = has_modifier(l, MOD_MC_REAL);
	const u32 op = is_float ? sass_modifier(l->i, MOD_MC_OP) + sass_modifier(l->i, MOD_MC_OP90)
				: modifier(l, MOD_ATOM),
		  type = is_float ? modifier(l, MOD_MC_REAL) : modifier(l, MOD_MC_TYPE);
	const char *name = is_float ? (op < COUNT_OF(float_ops) ? float_ops[op] : NULL)
				    : (op < COUNT_OF(integer_ops) ? integer_ops[op] : NULL);
	const struct combined *what = is_float ? (type < COUNT_OF(combined_floats) ? &combined_floats[type] : NULL)
					       : (type < COUNT_OF(combined_integers) ? &combined_integers[type] : NULL);

	if (!name || !what || !what->type) {
		lower_fails(l);
		return;
	}
	const struct lower_place at = lower_place_of(l, &l->i->operands[1], ".global");
	const char *kind = op < 5 || is_float ? what->type : what->pairs ? "b64" : "b32";
	struct lower_arg args[6];
	const u32 wide = what->pairs ? lower_long(l) : 0;
	u32 count = 0;
	for (u32 k = 0; k < (what->pairs ? 1 : what->words); k++)
		args[count++] = what->pairs ? TO64(wide) : TO32(lower_to(l, 0, k));
	args[count++] = at.wide ? ROW64(at.base) : ROW32(at.base);
	args[count++] = OFFSET(at.offset);
	l->shows_order = true;
	lower_ptx(l, lower_text(l, "multimem.ld_reduce.weak.global.%s.%s", name, kind), args, count);
	if (what->pairs)
		lower_write_wide(l, 0, wide);
}
