/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code as PTX: memory and control.
 */
#include <stdio.h>
#include <string.h>

#include "sass/translate.h"

struct access {
	const char *type;
	u32 words; /* registers */
};

static const struct access sizes[] = {{"u8", 1}, {"s8", 1}, {"u16", 1}, {"s16", 1}, {"b32", 1}, {"b32", 2}, {"b32", 4}};

static u32 find_address(const struct translation *t)
{
	u32 k = 0;

	while (k < t->i->operand_count && t->i->operands[k].arg != ARG_ADDRESS)
		k++;
	return k;
}

/* The sum of an address' registers, of 64 bits for global and generic, 32 for shared and local. */
static struct text base_of(struct translation *t, const struct sass_operand *o, bool wide)
{
	const struct text sum = temporary(t, wide ? 'x' : 't');

	if (!wide) {
		emit_ptx(t, "mov.b32 %s, 0", sum.s);
		if (o->base != SASS_RZ)
			emit_ptx(t, "shl.b32 %s, %%r%u, %u", sum.s, o->base, o->part_of && o->part ? o->part + 1u : 0);
		if (o->uniform < SASS_NO_REGISTER)
			emit_ptx(t, "add.u32 %s, %s, %%u%u", sum.s, sum.s, o->uniform);
		return sum;
	}
	emit_ptx(t, "mov.b64 %s, 0", sum.s);
	if (o->base != SASS_RZ && o->flags & SASS_WIDE)
		emit_ptx(t, "mov.b64 %s, {%%r%u, %%r%u}", sum.s, o->base, o->base + 1);
	else if (o->base != SASS_RZ)
		emit_ptx(t, "cvt.u64.u32 %s, %%r%u", sum.s, o->base);
	if (o->uniform < SASS_NO_REGISTER) {
		const struct text x = temporary(t, 'x');

		emit_ptx(t, "mov.b64 %s, {%%u%u, %%u%u}", x.s, o->uniform, o->uniform + 1);
		emit_ptx(t, "add.u64 %s, %s, %s", sum.s, sum.s, x.s);
	}
	return sum;
}

const char *space_of(const struct translation *t)
{
	switch (t->i->opcode) {
	case SASS_OP_LDG:
	case SASS_OP_STG:
	case SASS_OP_ATOMG:
	case SASS_OP_REDG:
		return ".global";
	case SASS_OP_LDS:
	case SASS_OP_STS:
	case SASS_OP_ATOMS:
		return ".shared";
	case SASS_OP_LDL:
	case SASS_OP_STL:
		return ".local";
	default:
		return "";
	}
}

struct text address_of(struct translation *t, const char *space)
{
	struct sass_operand o = t->i->operands[find_address(t)];
	const bool wide = space[0] == 0 || space[1] == 'g';
	const s64 offset = (s64)o.value;
	struct text base, text;

	if (wide && o.uniform == SASS_NO_REGISTER && o.descriptor == SASS_NO_REGISTER)
		o.flags |= modifier(t, MOD_E) ? SASS_WIDE : 0;
	base = base_of(t, &o, wide);
	if (snprintf(text.s, sizeof text.s, "%s + %lld", base.s, (long long)offset) >= (int)sizeof text.s)
		fails(t);
	return text;
}

/* .STRONG and .MMIO; a weak access otherwise. */
static const char *order_of(const struct translation *t, const char *space)
{
	const u32 order = sass_modifier(t->i, MOD_ORDER) + sass_modifier(t->i, MOD_ATOM_ORDER);

	if (order == 0 || order == 4)
		return "";
	return space[0] == 0 || space[1] == 'g' ? order == 10  ? ".relaxed.sys"
						  : order == 5 ? ".relaxed.cta"
							       : ".relaxed.gpu"
						: "";
}

static const struct access *access_of(struct translation *t)
{
	const u32 size = sass_modifier(t->i, MOD_SIZE) + sass_modifier(t->i, MOD_SIZE_Q);

	if (size >= COUNT_OF(sizes)) {
		fails(t);
		return &sizes[4];
	}
	return &sizes[size];
}

void translate_load(struct translation *t)
{
	const u32 d = t->i->opcode == SASS_OP_LDG ? 1 : 0;
	const struct access *access = access_of(t);
	const char *space = space_of(t), *order = order_of(t, space);
	const struct text at = address_of(t, space);

	if ((d && !is_pt(t, 0)) ||
	    (t->i->operands[t->i->operand_count - 1].arg == ARG_PREDICATE && !is_pt(t, t->i->operand_count - 1)))
		fails(t);
	if (access->words == 1)
		emit_ptx(t, "ld%s%s.%s %s, [%s]", order, space, access->type, destination(t, d).s, at.s);
	else if (access->words == 2)
		emit_ptx(t, "ld%s%s.v2.b32 {%s, %s}, [%s]", order, space, register_at(t, d, 0).s,
			 register_at(t, d, 1).s, at.s);
	else
		emit_ptx(t, "ld%s%s.v4.b32 {%s, %s, %s, %s}, [%s]", order, space, register_at(t, d, 0).s,
			 register_at(t, d, 1).s, register_at(t, d, 2).s, register_at(t, d, 3).s, at.s);
}

struct text stored(struct translation *t, u32 k, u32 word)
{
	struct text zero;

	if (t->i->operands[k].number != SASS_RZ)
		return register_at(t, k, word);
	zero = temporary(t, 't');
	emit_ptx(t, "mov.b32 %s, 0", zero.s);
	return zero;
}

void translate_store(struct translation *t)
{
	const struct access *access = access_of(t);
	const char *space = space_of(t), *order = order_of(t, space);
	const struct text at = address_of(t, space);
	struct text v[4];

	for (u32 k = 0; k < access->words; k++)
		v[k] = stored(t, 1, k);
	if (access->words == 1)
		emit_ptx(t, "st%s%s.%s [%s], %s", order, space, access->type, at.s, v[0].s);
	else if (access->words == 2)
		emit_ptx(t, "st%s%s.v2.b32 [%s], {%s, %s}", order, space, at.s, v[0].s, v[1].s);
	else
		emit_ptx(t, "st%s%s.v4.b32 [%s], {%s, %s, %s, %s}", order, space, at.s, v[0].s, v[1].s, v[2].s, v[3].s);
}

/* Which space a generic address lies in: .D is another block's shared memory, too. */
void translate_qspc(struct translation *t)
{
	static const char *const spaces[] = {"global", "local", "shared::cta", "shared::cluster"};
	const struct text at = address_of(t, "");
	const struct text x = temporary(t, 'x');

	if (t->i->operands[1].number != SASS_RZ)
		fails(t);
	emit_ptx(t, "add.s64 %s, %.*s, %s", x.s, (int)(strchr(at.s, ' ') - at.s), at.s, strchr(at.s, '+') + 2);
	emit_ptx(t, "isspacep.%s %s, %s", spaces[modifier(t, MOD_QSPC)], destination_predicate(t, 0).s, x.s);
}

void translate_membar(struct translation *t)
{
	static const char *const scopes[] = {"cta", "cta", "gpu", "sys", NULL, "gpu"};
	const u32 scope = modifier(t, MOD_MEMBAR_SCOPE);

	if (scope >= COUNT_OF(scopes) || !scopes[scope])
		fails(t);
	else
		emit_ptx(t, "fence.%s.%s", modifier(t, MOD_MEMBAR) ? "acq_rel" : "sc", scopes[scope]);
}

/* --- Control -------------------------------------------------------------------------------- */

/* A barrier's number or count of threads: a number, a register. */
static struct text barrier_number(struct translation *t, u32 k)
{
	const struct sass_operand *o = &t->i->operands[k];
	struct text text;

	if (o->arg == ARG_REGISTER || o->arg == ARG_UREGISTER)
		return source(t, k);
	snprintf(text.s, sizeof text.s, "%llu", (unsigned long long)o->value);
	return text;
}

/* Reductions leave their result to the warp, B2R.RESULT reads it. */
static void reduce(struct translation *t, const char *id, const char *count)
{
	static const char *const ops[] = {"popc.u32", "and.pred", "or.pred"};
	const u32 op = modifier(t, MOD_BAR_RED);
	const struct text p = source_predicate(t, t->i->operand_count - 1);

	if (op >= COUNT_OF(ops))
		fails(t);
	else
		emit_ptx(t, "barrier.red.%s %s, %s%s%s, %s", ops[op], op ? "%agreed" : "%counted", id,
			 count[0] ? ", " : "", count, p.s);
}

void translate_bar(struct translation *t)
{
	const struct sass_operand *count = &t->i->operands[1];
	const u32 mode = modifier(t, MOD_BAR);
	const bool counts = t->i->operand_count > 1 && (count->arg == ARG_REGISTER || count->value);
	const struct text id = barrier_number(t, 0), threads = counts ? barrier_number(t, 1) : (struct text){""};

	if (mode == 2)
		reduce(t, id.s, threads.s);
	else if (mode > 2 || (mode == 1 && !counts))
		fails(t);
	else
		emit_ptx(t, "barrier.%s %s%s%s", mode ? "arrive" : "sync", id.s, counts ? ", " : "", threads.s);
}

void translate_b2r(struct translation *t)
{
	if (t->i->operands[t->i->operand_count - 1].arg == ARG_INTEGER)
		fails(t);
	emit_ptx(t, "mov.b32 %s, %%counted", destination(t, 0).s);
	if (t->i->operand_count > 1)
		emit_ptx(t, "mov.pred %s, %%agreed", destination_predicate(t, 1).s);
}

void translate_cluster_barrier(struct translation *t)
{
	emit_ptx(t, "barrier.cluster.%s", t->i->opcode == SASS_OP_UCGABAR_ARV ? "arrive" : "wait");
}

void translate_warpsync(struct translation *t)
{
	const bool has_mask = t->i->operand_count > 1;
	const struct text mask = has_mask ? source(t, 1) : (struct text){"-1"};

	if (modifier(t, MOD_COLLECTIVE))
		fails(t);
	emit_ptx(t, "bar.warp.sync %s", mask.s);
}

/* The guard together with the predicate that some control instructions have besides. */
static void taken(struct translation *t, const char *what, u64 target)
{
	const struct text p = source_predicate(t, 0);

	if (is_pt(t, 0)) {
		emit_ptx(t, "%s L%llu", what, (unsigned long long)target);
	} else {
		const struct text both = temporary(t, 'c');

		translate_text(t, "\tand.pred %s, %s, %s;\n", both.s, t->i->guard == SASS_PT ? "%true" : "%g", p.s);
		translate_text(t, "\t@%s %s L%llu;\n", both.s, what, (unsigned long long)target);
	}
}

static bool inside(const struct translation *t, u64 target)
{
	return target < t->function->code_bytes && target % SASS_INSN_BYTES == 0;
}

/* A branch to itself is the end that nothing reaches. */
void translate_bra(struct translation *t)
{
	const struct sass_operand *o = &t->i->operands[t->i->operand_count - 1];

	if (o->arg != ARG_TARGET || !inside(t, o->value) || t->i->operand_count > 2)
		fails(t);
	else if (o->value == t->i->address)
		emit_ptx(t, "trap");
	else
		taken(t, "bra", o->value);
}

/* One of the targets that the function's table has, bank 2: offsets of code, and other words, which lead nowhere. */
void translate_brx(struct translation *t)
{
	const struct cubin_function *f = t->function;
	const u32 k = t->i->operand_count - 2;
	const s64 distance = (s64)t->i->operands[k + 1].value + t->i->address + SASS_INSN_BYTES;
	const struct text from = source(t, k), to = temporary(t, 't'), same = temporary(t, 'c');

	if (!is_pt(t, 0) || t->i->guard != SASS_PT || modifier(t, MOD_INCDEC)) {
		fails(t);
		return;
	}
	emit_ptx(t, "add.s32 %s, %s, %lld", to.s, from.s, (long long)distance);
	for (u64 at = 0; f->banks[2] && at + 4 <= f->bank_bytes[2]; at += 4) {
		const u32 target = read_u32(f->banks[2] + at);
		u64 before = 0;

		while (read_u32(f->banks[2] + before) != target)
			before += 4;
		if (!inside(t, target) || before < at)
			continue;
		emit_ptx(t, "setp.eq.u32 %s, %s, %u", same.s, to.s, target);
		translate_text(t, "\t@%s bra L%u;\n", same.s, target);
	}
	emit_ptx(t, "trap");
}

void translate_exit(struct translation *t)
{
	if (is_pt(t, 0)) {
		emit_ptx(t, "exit");
	} else {
		const struct text p = source_predicate(t, 0), both = temporary(t, 'c');

		translate_text(t, "\tand.pred %s, %s, %s;\n\t@%s exit;\n", both.s,
			       t->i->guard == SASS_PT ? "%true" : "%g", p.s, both.s);
	}
}

/* A call in the kernel's own section leaves its return address to a register: a jump. */
void translate_call(struct translation *t)
{
	const struct sass_operand *o = &t->i->operands[t->i->operand_count - 1];

	if (o->arg != ARG_TARGET || t->i->operand_count != 2 || !inside(t, o->value) || !is_pt(t, 0))
		fails(t);
	else
		emit_ptx(t, "bra L%llu", (unsigned long long)o->value);
}

/* Back to the address in the register, which is that behind one of the section's calls. */
void translate_ret(struct translation *t)
{
	const struct cubin_function *f = t->function;
	const struct text p = temporary(t, 'c');
	const u32 reg = t->i->operands[1].number;

	if (modifier(t, MOD_RET) || t->i->operands[1].arg != ARG_REGISTER || !is_pt(t, 0) || t->i->guard != SASS_PT) {
		fails(t);
		return;
	}
	for (u64 at = 0; at + SASS_INSN_BYTES < f->code_bytes; at += SASS_INSN_BYTES) {
		struct sass_insn i;

		if (!sass_decode(t->decoder, read_u64(f->code + at), read_u64(f->code + at + 8), (u32)at, &i) ||
		    i.opcode != SASS_OP_CALL)
			continue;
		emit_ptx(t, "setp.eq.u32 %s, %%r%u, %llu", p.s, reg, (unsigned long long)at + SASS_INSN_BYTES);
		translate_text(t, "\t@%s bra L%llu;\n", p.s, (unsigned long long)at + SASS_INSN_BYTES);
	}
	emit_ptx(t, "trap");
}
