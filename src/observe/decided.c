/* SPDX-License-Identifier: Apache-2.0
 *
 * A comparison is decided if the difference of its two sides has one sign in all threads. What a register holds is the sum
 * modulo its width: only sums that fit are compared.
 */
#include "observe/decided.h"

#include "isa/form.h"

enum { LOGIC_DEPTH = 16 };

static const struct decided undecided;

static struct decided constant(bool value) { return (struct decided){true, value, true}; }

static struct decided inverted(struct decided d)
{
	d.value = d.known && !d.value;
	return d;
}

/* A number that all threads know without going around a loop, and that a register of the type holds as it is. */
static bool is_exact(const struct affine_values *v, const struct affine *a, int type)
{
	const bool is_signed = type_class(type) == 's', wide = type_bits(type) == 64;
	s64 low, high;

	if (!a->known || a->base != AFFINE_NUMBER || a->step || a->loop || !affine_range(v, a, &low, &high))
		return false;
	return is_signed ? wide || (low >= INT32_MIN && high <= INT32_MAX) : low >= 0 && (wide || high <= UINT32_MAX);
}

/* The same in all threads of a block. */
static bool is_uniform(const struct affine *a)
{
	for (u32 k = 0; k < AFFINE_THREAD; k++)
		if (a->per[k])
			return false;
	return true;
}

/* By the least and the greatest difference of the two sides. */
static struct decided by_difference(int compare, s64 low, s64 high)
{
	const bool less = high<0, greater = low> 0, equal = !low && !high;

	switch (compare) {
	case M_eq:
		return equal ? constant(true) : less || greater ? constant(false) : undecided;
	case M_ne:
		return equal ? constant(false) : less || greater ? constant(true) : undecided;
	case M_lt:
	case M_lo:
		return less ? constant(true) : low >= 0 ? constant(false) : undecided;
	case M_le:
	case M_ls:
		return high <= 0 ? constant(true) : greater ? constant(false) : undecided;
	case M_gt:
	case M_hi:
		return greater ? constant(true) : high <= 0 ? constant(false) : undecided;
	case M_ge:
	case M_hs:
		return low >= 0 ? constant(true) : less ? constant(false) : undecided;
	default:
		return undecided;
	}
}

static struct decided compared(struct affine_values *v, const struct ir_instruction *x, const struct form *f)
{
	const int type = form_type(f, 0);
	s64 low, high;

	if (x->operand_count != 3 || type_class(type) == 'f' || (type_bits(type) != 32 && type_bits(type) != 64))
		return undecided;
	struct affine a = affine_operand(v, &x->operands[1]);
	const struct affine b = affine_operand(v, &x->operands[2]);
	if (!is_exact(v, &a, type) || !is_exact(v, &b, type))
		return undecided;
	for (u32 k = 0; k < AFFINE_INDICES; k++)
		if (__builtin_sub_overflow(a.per[k], b.per[k], &a.per[k]))
			return undecided;
	if (__builtin_sub_overflow(a.constant, b.constant, &a.constant) || !affine_range(v, &a, &low, &high))
		return undecided;
	struct decided d = by_difference(form_pick(f, M_eq, M_nan), low, high);
	d.uniform = d.known || is_uniform(&a);
	return d;
}

static struct decided predicate(struct affine_values *v, const struct code *code, const struct ir_register *r,
				u32 depth);

static struct decided operand(struct affine_values *v, const struct code *code, const struct ir_operand *o, u32 depth)
{
	if (o->kind != OPERAND_REGISTER || !o->symbol || o->symbol->kind != SYM_REGISTER)
		return undecided;
	const struct decided d = predicate(v, code, o->symbol->reg, depth);
	return o->negated ? inverted(d) : d;
}

/* One side may decide alone. */
static struct decided joined(struct decided a, struct decided b, bool decides)
{
	if ((a.known && a.value == decides) || (b.known && b.value == decides))
		return constant(decides);
	return a.known && b.known ? constant(!decides) : (struct decided){.uniform = a.uniform && b.uniform};
}

static struct decided predicate(struct affine_values *v, const struct code *code, const struct ir_register *r,
				u32 depth)
{
	const u32 insn = depth < LOGIC_DEPTH ? affine_writer(v, r) : NO_OPERAND;

	if (insn == NO_OPERAND || r->type != T_pred)
		return undecided;
	const struct ir_instruction *x = &code->function->body.items[insn];
	const struct form *f = &code->forms[insn];
	const struct ir_operand *d = x->operands;
	/* A comparison may write a second predicate: the first operand alone holds what it asks. */
	if (!f->row || x->operand_count < 2 || d->kind != OPERAND_REGISTER || !d->symbol || d->symbol->reg != r)
		return undecided;
	if (f->opcode == OP_setp)
		return compared(v, x, f);
	const struct decided a = operand(v, code, &x->operands[1], depth + 1);
	if (f->opcode == OP_not)
		return inverted(a);
	if (x->operand_count != 3 || (f->opcode != OP_and && f->opcode != OP_or))
		return undecided;
	return joined(a, operand(v, code, &x->operands[2], depth + 1), f->opcode == OP_or);
}

struct decided decided_guard(struct affine_values *v, const struct code *code, const struct ir_instruction *x)
{
	if (!x->guard)
		return constant(true);
	if (x->guard->kind != SYM_REGISTER || x->guard->reg->vector != 1)
		return undecided;
	const struct decided d = predicate(v, code, x->guard->reg, 0);
	return x->guard_negated ? inverted(d) : d;
}
