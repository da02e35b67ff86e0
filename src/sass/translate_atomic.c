/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code as PTX: atomic operations.
 */
#include "sass/translate.h"

/* Where an atomic operation has its operands, and with what it computes. */
struct atomic {
	const char *space, *scope;
	struct text at;
	u32 d, value; /* operands; d NONE: without a result */
};

enum { NONE = ~0u };

static const char *scope_of(struct translation *t)
{
	switch (modifier(t, MOD_ATOM_ORDER)) {
	case 4:
	case 5:
		return ".cta";
	case 10:
		return ".sys";
	default:
		return ".gpu";
	}
}

static struct atomic atomic_of(struct translation *t)
{
	const bool shared = t->i->opcode == SASS_OP_ATOMS, without = t->i->opcode == SASS_OP_REDG;
	struct atomic a = {.space = space_of(t)};

	a.scope = shared ? ".cta" : scope_of(t);
	a.at = address_of(t, a.space);
	a.d = without ? NONE : shared ? 0 : 1;
	a.value = without ? 1 : a.d + 2;
	/* Generic ones say whether they were done; the code behind is for those that were not. */
	if (!shared && !without && !is_pt(t, 0))
		emit_ptx(t, "mov.pred %s, %%true", destination_predicate(t, 0).s);
	return a;
}

/* The operand's value of 32 or 64 bits. */
static struct text value_of(struct translation *t, u32 k, bool wide)
{
	const struct text low = stored(t, k, 0);
	struct text pair;

	if (!wide)
		return low;
	pair = temporary(t, 'x');
	emit_ptx(t, "mov.b64 %s, {%s, %s}", pair.s, low.s, stored(t, k, 1).s);
	return pair;
}

static void write_result(struct translation *t, const struct atomic *a, const struct text *value, bool wide)
{
	if (a->d == NONE)
		return;
	if (wide)
		write_wide(t, a->d, value->s);
	else
		emit_ptx(t, "mov.b32 %s, %s", destination(t, a->d).s, value->s);
}

static void atom(struct translation *t, const char *op, const char *type, bool wide)
{
	const struct atomic a = atomic_of(t);
	const struct text value = value_of(t, a.value, wide), old = temporary(t, wide ? 'x' : 't');

	emit_ptx(t, "atom.relaxed%s%s.%s.%s %s, [%s], %s", a.scope, a.space, op, type, old.s, a.at.s, value.s);
	write_result(t, &a, &old, wide);
}

/* Several words: vectors of packed halves, and of floats. */
static void atom_vector(struct translation *t, const char *op, const char *type, u32 words)
{
	const struct atomic a = atomic_of(t);
	struct text v[4], old[4];

	for (u32 k = 0; k < words; k++) {
		v[k] = stored(t, a.value, k);
		old[k] = temporary(t, 't');
	}
	if (words == 2)
		emit_ptx(t, "atom.relaxed%s%s.%s.v2.%s {%s, %s}, [%s], {%s, %s}", a.scope, a.space, op, type, old[0].s,
			 old[1].s, a.at.s, v[0].s, v[1].s);
	else
		emit_ptx(t, "atom.relaxed%s%s.%s.v4.%s {%s, %s, %s, %s}, [%s], {%s, %s, %s, %s}", a.scope, a.space, op,
			 type, old[0].s, old[1].s, old[2].s, old[3].s, a.at.s, v[0].s, v[1].s, v[2].s, v[3].s);
	for (u32 k = 0; a.d != NONE && t->i->operands[a.d].number != SASS_RZ && k < words; k++)
		emit_ptx(t, "mov.b32 %s, %s", register_at(t, a.d, k).s, old[k].s);
}

/* Two halves: PTX has minima and maxima of them as vectors only. */
static void atom_halves(struct translation *t, const char *op, bool brain)
{
	const struct atomic a = atomic_of(t);
	const struct text value = value_of(t, a.value, false), old = temporary(t, 't');
	const struct text v[2] = {temporary(t, 'h'), temporary(t, 'h')}, w[2] = {temporary(t, 'h'), temporary(t, 'h')};

	emit_ptx(t, "mov.b32 {%s, %s}, %s", v[0].s, v[1].s, value.s);
	emit_ptx(t, "atom.relaxed%s.global.%s.v2.%s {%s, %s}, [%s], {%s, %s}", a.scope, op, brain ? "bf16" : "f16",
		 w[0].s, w[1].s, a.at.s, v[0].s, v[1].s);
	emit_ptx(t, "mov.b32 %s, {%s, %s}", old.s, w[0].s, w[1].s);
	write_result(t, &a, &old, false);
}

static void atom_float(struct translation *t)
{
	static const struct {
		const char *type;
		u32 words;
	} types[] = {{"f16x2", 1},  {"f16x2", 2}, {"f16x2", 4}, {"bf16x2", 1}, {"bf16x2", 2},
		     {"bf16x2", 4}, {0},          {0},          {0},           {"f32", 1},
		     {"f32", 2},    {"f32", 4},   {"f32", 1},   {"f32", 2},    {"f32", 4}};
	static const char *const ops[] = {"add", "min", "max"};
	static const char *const half_ops[] = {"add.noftz", "min.noftz", "max.noftz"};
	const u32 op = modifier(t, MOD_ATOM_FLOAT_OP), type = modifier(t, MOD_ATOM_REAL);

	if (op >= COUNT_OF(ops) || (type < COUNT_OF(types) && !types[type].type))
		fails(t);
	else if (type >= COUNT_OF(types))
		atom(t, ops[op], "f64", true);
	else if (op && types[type].words == 1 && type < 6)
		atom_halves(t, half_ops[op], type == 3);
	else if (types[type].words == 1)
		atom(t, type < 6 ? half_ops[op] : ops[op], types[type].type, false);
	else
		atom_vector(t, type < 6 ? half_ops[op] : ops[op], types[type].type, types[type].words);
}

/* Sums of either sign are alike. */
static void atom_integer(struct translation *t, u32 type)
{
	static const char *const ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch"};
	static const char *const types[] = {"u32", "s32", "u64", "s64"};
	const u32 op = modifier(t, MOD_ATOM) + modifier(t, MOD_ATOM3);

	if (op >= COUNT_OF(ops) || type >= COUNT_OF(types))
		fails(t);
	else if (op >= 5)
		atom(t, ops[op], type < 2 ? "b32" : "b64", type >= 2);
	else
		atom(t, ops[op], op == 1 || op == 2 ? types[type] : types[type & ~1u], type >= 2);
}

/* CAST has not the old value but whether it was exchanged. */
static void compare_and_swap(struct translation *t)
{
	const u32 type = modifier(t, MOD_CAS_TYPE);
	const bool wide = type == 2, tests = modifier(t, MOD_CAS);
	const char *bits = wide ? "b64" : "b32";
	const struct atomic a = atomic_of(t);
	const struct text compare = value_of(t, a.value, wide), value = value_of(t, a.value + 1, wide),
			  old = temporary(t, wide ? 'x' : 't'), same = temporary(t, 'c');

	if (type > 2)
		fails(t);
	emit_ptx(t, "atom.relaxed%s%s.cas.%s %s, [%s], %s, %s", a.scope, a.space, bits, old.s, a.at.s, compare.s,
		 value.s);
	if (tests) {
		emit_ptx(t, "setp.eq.%s %s, %s, %s", bits, same.s, old.s, compare.s);
		emit_ptx(t, "selp.%s %s, 1, 0, %s", bits, old.s, same.s);
	}
	write_result(t, &a, &old, wide);
}

static bool is_float(const struct translation *t)
{
	for (u32 k = 0; k < t->i->modifier_count; k++)
		if (t->i->modifier_kinds[k] == MOD_ATOM_FLOAT_OP)
			return true;
	return false;
}

void translate_atom(struct translation *t)
{
	if (is_float(t))
		atom_float(t);
	else if (t->i->operand_count == (t->i->opcode == SASS_OP_ATOMS ? 4 : 5))
		compare_and_swap(t);
	else
		atom_integer(t, modifier(t, MOD_ATOM_TYPE) + modifier(t, MOD_CAS_TYPE));
}
