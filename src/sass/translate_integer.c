/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code as PTX: moves, integer arithmetic, logic, predicates. Sums with carries are computed in 64 bits.
 */
#include <string.h>

#include "sass/translate.h"

/* --- Moves ---------------------------------------------------------------------------------- */

void translate_nothing(struct translation *t) { (void)t; }

void translate_mov(struct translation *t)
{
	const struct text a = source(t, 1);

	if (t->i->operand_count > 2 && t->i->opcode == SASS_OP_MOV)
		fails(t);
	emit_ptx(t, "mov.b32 %s, %s", destination(t, 0).s, a.s);
}

void translate_sel(struct translation *t)
{
	const struct text a = source(t, 1), b = source(t, 2), p = source_predicate(t, 3);

	emit_ptx(t, "selp.b32 %s, %s, %s, %s", destination(t, 0).s, a.s, b.s, p.s);
}

void translate_prmt(struct translation *t)
{
	static const char *const modes[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
	const struct text a = source(t, 1), b = source(t, 2), c = source(t, 3);
	const u32 mode = sass_modifier(t->i, MOD_PRMT);

	if (mode >= COUNT_OF(modes))
		fails(t);
	else
		emit_ptx(t, "prmt.b32%s %s, %s, %s, %s", modes[mode], destination(t, 0).s, a.s, c.s, b.s);
}

void translate_s2r(struct translation *t)
{
	static const struct {
		u8 number;
		const char *name;
	} names[] = {{0, "%laneid"},
		     {33, "%tid.x"},
		     {34, "%tid.y"},
		     {35, "%tid.z"},
		     {37, "%ctaid.x"},
		     {38, "%ctaid.y"},
		     {39, "%ctaid.z"},
		     {56, "%lanemask_eq"},
		     {57, "%lanemask_lt"},
		     {58, "%lanemask_le"},
		     {59, "%lanemask_gt"},
		     {60, "%lanemask_ge"},
		     {80, "%clock"},
		     {136, "%cluster_ctarank"},
		     {255, "0"}};

	if (t->i->operands[1].number == 47) { /* SR_SWINHI */
		const struct text x = temporary(t, 'x');

		emit_ptx(t, "mov.u64 %s, 0", x.s);
		emit_ptx(t, "cvta.shared.u64 %s, %s", x.s, x.s);
		emit_ptx(t, "mov.b64 {%%sink, %s}, %s", destination(t, 0).s, x.s);
		return;
	}
	for (u32 k = 0; k < COUNT_OF(names); k++)
		if (names[k].number == t->i->operands[1].number) {
			emit_ptx(t, "mov.u32 %s, %s", destination(t, 0).s, names[k].name);
			return;
		}
	fails(t);
}

void translate_cs2r(struct translation *t)
{
	if (t->i->operands[1].number != 255) {
		fails(t);
		return;
	}
	for (u32 k = 0; k < (modifier(t, MOD_CS2R) ? 2 : 1); k++)
		emit_ptx(t, "mov.b32 %s, 0", register_at(t, 0, k).s);
}

void translate_r2ur(struct translation *t)
{
	const struct text a = source(t, 2);

	if (t->i->operand_count < 3 || !is_pt(t, 0))
		fails(t);
	emit_ptx(t, "mov.b32 %s, %s", destination(t, 1).s, a.s);
}

/* --- Predicates ----------------------------------------------------------------------------- */

/* A table of three predicates: all ones and zeros through LOP3. */
static struct text look_up(struct translation *t, const struct text words[3], u32 table)
{
	const struct text value = temporary(t, 't'), p = temporary(t, 'c');

	emit_ptx(t, "lop3.b32 %s, %s, %s, %s, 0x%x", value.s, words[0].s, words[1].s, words[2].s, table);
	emit_ptx(t, "setp.ne.u32 %s, %s, 0", p.s, value.s);
	return p;
}

void translate_plop3(struct translation *t)
{
	struct text words[3];
	struct text u, v;

	for (u32 k = 0; k < 3; k++) {
		words[k] = temporary(t, 't');
		if (t->i->operands[2].arg == ARG_REGISTER)
			emit_ptx(t, "shr.s32 %s, %s, 31", words[k].s, source(t, 2 + k).s);
		else
			emit_ptx(t, "selp.b32 %s, -1, 0, %s", words[k].s, source_predicate(t, 2 + k).s);
	}
	u = look_up(t, words, (u32)t->i->operands[5].value);
	v = look_up(t, words, (u32)t->i->operands[6].value);
	emit_ptx(t, "mov.pred %s, %s", destination_predicate(t, 0).s, u.s);
	emit_ptx(t, "mov.pred %s, %s", destination_predicate(t, 1).s, v.s);
}

void translate_p2r(struct translation *t)
{
	const struct text a = source(t, 2), mask = source(t, 3), value = temporary(t, 't'), bit = temporary(t, 't');

	if (modifier(t, MOD_BYTE))
		fails(t);
	emit_ptx(t, "mov.b32 %s, 0", value.s);
	for (u32 k = 0; k < 7; k++) {
		emit_ptx(t, "selp.b32 %s, %u, 0, %%p%u", bit.s, 1u << k, k);
		emit_ptx(t, "or.b32 %s, %s, %s", value.s, value.s, bit.s);
	}
	emit_ptx(t, "lop3.b32 %s, %s, %s, %s, 0xe2", destination(t, 0).s, value.s, mask.s, a.s);
}

void translate_r2p(struct translation *t)
{
	const struct sass_operand *mask = &t->i->operands[2];
	const struct text a = source(t, 1), bit = temporary(t, 't');
	const u32 shift = t->i->operands[1].part_of ? 8 * t->i->operands[1].part : 0;

	if (mask->arg != ARG_INTEGER)
		fails(t);
	for (u32 k = 0; k < 7; k++)
		if (mask->value >> k & 1) {
			emit_ptx(t, "and.b32 %s, %s, 0x%x", bit.s, a.s, 1u << (k + shift));
			emit_ptx(t, "setp.ne.u32 %%p%u, %s, 0", k, bit.s);
		}
}

void translate_vote(struct translation *t)
{
	static const char *const modes[] = {"all", "any", "uni"};
	const bool ballot = t->i->operand_count == 3;
	const struct text p = source_predicate(t, ballot ? 2 : 1), mask = temporary(t, 't');
	const u32 mode = modifier(t, MOD_VOTE);

	if (mode > 2) {
		fails(t);
		return;
	}
	emit_ptx(t, "activemask.b32 %s", mask.s);
	if (ballot && t->i->operands[0].number != SASS_RZ)
		emit_ptx(t, "vote.sync.ballot.b32 %s, %s, %s", destination(t, 0).s, p.s, mask.s);
	emit_ptx(t, "vote.sync.%s.pred %s, %s, %s", modes[mode], destination_predicate(t, ballot ? 1 : 0).s, p.s,
		 mask.s);
}

void translate_shfl(struct translation *t)
{
	static const char *const modes[] = {"idx", "up", "down", "bfly"};
	const struct text a = source(t, 2), b = source(t, 3), c = source(t, 4), mask = temporary(t, 't');

	emit_ptx(t, "activemask.b32 %s", mask.s);
	emit_ptx(t, "shfl.sync.%s.b32 %s|%s, %s, %s, %s, %s", modes[modifier(t, MOD_SHFL)], destination(t, 1).s,
		 destination_predicate(t, 0).s, a.s, b.s, c.s, mask.s);
}

/* --- Sums ----------------------------------------------------------------------------------- */

/* A source as 64 bits without sign; a minus is a complement, and one more. */
static struct text term(struct translation *t, u32 k, bool carries)
{
	const struct sass_operand *o = &t->i->operands[k];
	struct sass_operand *changed = (struct sass_operand *)(uintptr_t)o;
	const u8 flags = o->flags;
	const struct text x = temporary(t, 'x');
	struct text a;

	changed->flags = flags & SASS_MINUS ? (u8)(flags | SASS_COMPLEMENT) : flags;
	a = source(t, k);
	changed->flags = flags;
	emit_ptx(t, "cvt.u64.u32 %s, %s", x.s, a.s);
	if (flags & SASS_MINUS && !carries)
		emit_ptx(t, "add.u64 %s, %s, 1", x.s, x.s);
	return x;
}

static void add_carry(struct translation *t, const char *sum, u32 k)
{
	const struct text p = source_predicate(t, k), x = temporary(t, 'x');

	emit_ptx(t, "selp.b64 %s, 1, 0, %s", x.s, p.s);
	emit_ptx(t, "add.u64 %s, %s, %s", sum, sum, x.s);
}

/* Both carries stand for bits 32 and up of the sum: the second is set where it reaches 2. */
static void write_sum(struct translation *t, u32 d, u32 first_carry, u32 carries, const char *sum)
{
	const struct text high = temporary(t, 'x');

	emit_ptx(t, "shr.u64 %s, %s, 32", high.s, sum);
	emit_ptx(t, "cvt.u32.u64 %s, %s", destination(t, d).s, sum);
	for (u32 k = 0; k < carries; k++)
		emit_ptx(t, "setp.gt.u64 %s, %s, %u", destination_predicate(t, first_carry + k).s, high.s, k);
}

void translate_iadd3(struct translation *t)
{
	const bool carries = modifier(t, MOD_X);
	const struct text sum = temporary(t, 'x');

	if (strstr(sass_row_text(t->decoder, t->i), ".64"))
		fails(t);
	emit_ptx(t, "mov.b64 %s, 0", sum.s);
	for (u32 k = 3; k < 6; k++)
		emit_ptx(t, "add.u64 %s, %s, %s", sum.s, sum.s, term(t, k, carries).s);
	if (carries) {
		add_carry(t, sum.s, 6);
		add_carry(t, sum.s, 7);
	}
	write_sum(t, 0, 1, 2, sum.s);
}

void translate_viadd(struct translation *t)
{
	const struct text a = source(t, 1), b = source(t, 2);

	if (modifier(t, MOD_VADD) && t->i->operands[2].flags & SASS_MINUS)
		fails(t);
	emit_ptx(t, "add.%s %s, %s, %s", modifier(t, MOD_VADD) ? "u16x2" : "s32", destination(t, 0).s, a.s, b.s);
}

/* .HI keeps the upper word of the product and the 64 bits that are added to it. */
static void write_product(struct translation *t, bool high, const char *sum)
{
	if (high)
		emit_ptx(t, "mov.b64 {%%sink, %s}, %s", destination(t, 0).s, sum);
	else
		write_wide(t, 0, sum);
}

void translate_imad(struct translation *t)
{
	const char *text = sass_row_text(t->decoder, t->i), *type = modifier(t, MOD_U32) ? "s" : "u";
	const bool wide = strstr(text, ".WIDE"), high = strstr(text, ".HI"), carries = modifier(t, MOD_X);
	const u32 first = wide || high ? 2 : 1;
	const struct text a = source(t, first), b = source(t, first + 1);

	if (!wide && !high) {
		const struct text product = temporary(t, 't'), sum = temporary(t, 'x');

		emit_ptx(t, "mul.lo.u32 %s, %s, %s", product.s, a.s, b.s);
		emit_ptx(t, "cvt.u64.u32 %s, %s", sum.s, product.s);
		emit_ptx(t, "add.u64 %s, %s, %s", sum.s, sum.s, term(t, first + 2, carries).s);
		if (carries)
			add_carry(t, sum.s, first + 3);
		write_sum(t, 0, 0, 0, sum.s);
		return;
	}
	const struct text product = temporary(t, 'x'), c = source_wide(t, first + 2), sum = temporary(t, 'x');

	emit_ptx(t, "mul.wide.%s32 %s, %s, %s", type, product.s, a.s, b.s);
	emit_ptx(t, "add.u64 %s, %s, %s", sum.s, product.s, c.s);
	if (carries)
		add_carry(t, sum.s, first + 3);
	if (!is_pt(t, 1)) {
		const struct text p = temporary(t, 'c');

		if (carries)
			fails(t);
		emit_ptx(t, "setp.lt.u64 %s, %s, %s", p.s, sum.s, product.s);
		write_product(t, high, sum.s);
		emit_ptx(t, "mov.pred %s, %s", destination_predicate(t, 1).s, p.s);
		return;
	}
	write_product(t, high, sum.s);
}

/* (a << n) + b; .HI: the upper word of {c, a} << n. */
void translate_lea(struct translation *t)
{
	const bool high = modifier(t, MOD_HI), extends = modifier(t, MOD_SX32), carries = modifier(t, MOD_X);
	const u32 count = high && !extends ? 5 : 4, shift = (u32)t->i->operands[count].value;
	const struct text x = temporary(t, 'x'), sum = temporary(t, 'x'), word = temporary(t, 't');
	struct text a = source(t, 2);

	if (high && t->i->operands[2].flags & SASS_MINUS)
		fails(t);
	if (!high) {
		emit_ptx(t, "shl.b32 %s, %s, %u", word.s, a.s, shift);
	} else {
		if (extends) {
			emit_ptx(t, "cvt.s64.s32 %s, %s", x.s, a.s);
		} else {
			const struct text c = source(t, 4);

			emit_ptx(t, "mov.b64 %s, {%s, %s}", x.s, a.s, c.s);
		}
		emit_ptx(t, "shl.b64 %s, %s, %u", x.s, x.s, shift);
		emit_ptx(t, "shr.u64 %s, %s, 32", x.s, x.s);
		emit_ptx(t, "cvt.u32.u64 %s, %s", word.s, x.s);
	}
	emit_ptx(t, "cvt.u64.u32 %s, %s", sum.s, word.s);
	emit_ptx(t, "add.u64 %s, %s, %s", sum.s, sum.s, term(t, 3, carries).s);
	if (carries)
		add_carry(t, sum.s, count + 1);
	write_sum(t, 0, 1, 1, sum.s);
}

/* --- Logic, shifts, bits -------------------------------------------------------------------- */

void translate_lop3(struct translation *t)
{
	const bool sets = t->i->operands[0].arg == ARG_PREDICATE || t->i->operands[0].arg == ARG_UPREDICATE;
	const u32 first = sets;
	const struct text a = source(t, first + 1), b = source(t, first + 2), c = source(t, first + 3),
			  d = temporary(t, 't');

	emit_ptx(t, "lop3.b32 %s, %s, %s, %s, 0x%x", d.s, a.s, b.s, c.s, (u32)t->i->operands[first + 4].value);
	if (sets) {
		const struct text p = source_predicate(t, first + 5), u = temporary(t, 'c');

		emit_ptx(t, "setp.ne.u32 %s, %s, 0", u.s, d.s);
		emit_ptx(t, "%s.pred %s, %s, %s", modifier(t, MOD_PAND) ? "and" : "or", destination_predicate(t, 0).s,
			 u.s, p.s);
	}
	emit_ptx(t, "mov.b32 %s, %s", destination(t, first).s, d.s);
}

void translate_shf(struct translation *t)
{
	const u32 type = modifier(t, MOD_SHIFT_TYPE); /* S64, U64, S32, U32 */
	const bool right = modifier(t, MOD_SHIFT), high = modifier(t, MOD_HI);
	const struct text low = source(t, 1), count = source(t, 2), up = source(t, 3), x = temporary(t, 'x'),
			  n = temporary(t, 't');

	emit_ptx(t, "mov.b64 %s, {%s, %s}", x.s, low.s, up.s);
	emit_ptx(t, modifier(t, MOD_WRAP) ? "and.b32 %s, %s, %u" : "min.u32 %s, %s, %u", n.s, count.s,
		 (type < 2 ? 64u : 32u) - (modifier(t, MOD_WRAP) ? 1 : 0));
	if (right)
		emit_ptx(t, "shr.%s64 %s, %s, %s", type & 1 ? "u" : "s", x.s, x.s, n.s);
	else
		emit_ptx(t, "shl.b64 %s, %s, %s", x.s, x.s, n.s);
	if (high)
		emit_ptx(t, "shr.u64 %s, %s, 32", x.s, x.s);
	emit_ptx(t, "cvt.u32.u64 %s, %s", destination(t, 0).s, x.s);
}

/* With .EX, the outcome of the lower words decides where the upper ones are equal. */
void translate_isetp(struct translation *t)
{
	static const char *const names[] = {NULL, "lt", "eq", "le", "gt", "ne", "ge"};
	static const char *const strict[] = {NULL, "lt", "eq", "lt", "gt", "ne", "gt"};
	static const char *const combinations[] = {"and", "or", "xor"};
	const struct text a = source(t, 2), b = source(t, 3), with = source_predicate(t, 4), c = temporary(t, 'c'),
			  not = temporary(t, 'c');
	const u32 comparison = modifier(t, MOD_ICMP);
	const char *type = modifier(t, MOD_U32) ? "s32" : "u32", *combination = combinations[modifier(t, MOD_BOOL) % 3];
	const bool extends = modifier(t, MOD_EX);
	const struct text u = temporary(t, 'c'), v = temporary(t, 'c');

	if (comparison == 0 || comparison == 7) {
		emit_ptx(t, "mov.pred %s, %s", c.s, comparison ? "%true" : "%false");
	} else {
		emit_ptx(t, "setp.%s.%s %s, %s, %s", extends ? strict[comparison] : names[comparison], type, c.s, a.s,
			 b.s);
		if (extends) {
			const struct text below = source_predicate(t, 5), equal = temporary(t, 'c');

			emit_ptx(t, "setp.eq.u32 %s, %s, %s", equal.s, a.s, b.s);
			emit_ptx(t, "and.pred %s, %s, %s", equal.s, equal.s, below.s);
			if (comparison == 2)
				emit_ptx(t, "mov.pred %s, %s", c.s, equal.s);
			else if (comparison == 5)
				emit_ptx(t, "or.pred %s, %s, %s", c.s, c.s, below.s);
			else
				emit_ptx(t, "or.pred %s, %s, %s", c.s, c.s, equal.s);
		}
	}
	emit_ptx(t, "not.pred %s, %s", not .s, c.s);
	emit_ptx(t, "%s.pred %s, %s, %s", combination, u.s, c.s, with.s);
	emit_ptx(t, "%s.pred %s, %s, %s", combination, v.s, not .s, with.s);
	emit_ptx(t, "mov.pred %s, %s", destination_predicate(t, 0).s, u.s);
	emit_ptx(t, "mov.pred %s, %s", destination_predicate(t, 1).s, v.s);
}

void translate_iabs(struct translation *t)
{
	const struct text a = source(t, 1);

	emit_ptx(t, "abs.s32 %s, %s", destination(t, 0).s, a.s);
}

static struct text complemented(struct translation *t, u32 k) { return source(t, k); }

void translate_popc(struct translation *t)
{
	const struct text a = complemented(t, 1);

	emit_ptx(t, "popc.b32 %s, %s", destination(t, 0).s, a.s);
}

void translate_flo(struct translation *t)
{
	const struct text a = complemented(t, 2);

	if (!is_pt(t, 1))
		fails(t);
	emit_ptx(t, "bfind%s.%s %s, %s", modifier(t, MOD_SH) ? ".shiftamt" : "", modifier(t, MOD_U32) ? "s32" : "u32",
		 destination(t, 0).s, a.s);
}

void translate_brev(struct translation *t)
{
	const struct text a = source(t, 1);

	emit_ptx(t, "brev.b32 %s, %s", destination(t, 0).s, a.s);
}

void translate_sgxt(struct translation *t)
{
	const struct text a = source(t, 1), b = source(t, 2);

	emit_ptx(t, "szext.%s.%s %s, %s, %s", modifier(t, MOD_WRAP) ? "wrap" : "clamp",
		 modifier(t, MOD_U32) ? "s32" : "u32", destination(t, 0).s, a.s, b.s);
}

void translate_bmsk(struct translation *t)
{
	const struct text a = source(t, 1), b = source(t, 2);

	emit_ptx(t, "bmsk.%s.b32 %s, %s, %s", modifier(t, MOD_WRAP) ? "wrap" : "clamp", destination(t, 0).s, a.s, b.s);
}

void translate_idp(struct translation *t)
{
	const struct text a = source(t, 1), b = source(t, 2), c = source(t, 3);
	const u32 mode = modifier(t, MOD_DP);
	const char *ta = sass_modifier(t->i, MOD_DP8A) || sass_modifier(t->i, MOD_DP16A) ? "s32" : "u32",
		   *tb = modifier(t, MOD_DP8B) ? "s32" : "u32";

	if (mode == 0)
		emit_ptx(t, "dp4a.%s.%s %s, %s, %s, %s", ta, tb, destination(t, 0).s, a.s, b.s, c.s);
	else
		emit_ptx(t, "dp2a.%s.%s.%s %s, %s, %s, %s", mode == 1 ? "lo" : "hi", ta, tb, destination(t, 0).s, a.s,
			 b.s, c.s);
}

/* The lesser where the predicate holds. */
void translate_vimnmx(struct translation *t)
{
	static const char *const types[] = {"u32", "s32", "u16x2", "s16x2"};
	const struct text a = source(t, 1), b = source(t, 2), p = source_predicate(t, 3), less = temporary(t, 't'),
			  more = temporary(t, 't');
	const char *type = types[modifier(t, MOD_X2) & 3], *relu = modifier(t, MOD_VRELU) ? ".relu" : "";

	emit_ptx(t, "min%s.%s %s, %s, %s", relu, type, less.s, a.s, b.s);
	emit_ptx(t, "max%s.%s %s, %s, %s", relu, type, more.s, a.s, b.s);
	emit_ptx(t, "selp.b32 %s, %s, %s, %s", destination(t, 0).s, less.s, more.s, p.s);
}

void translate_viaddmnmx(struct translation *t)
{
	static const char *const types[] = {"u32", "s32", "u16x2", "s16x2"};
	const struct text a = source(t, 1), b = source(t, 2), c = source(t, 3), p = source_predicate(t, 4);
	const struct text sum = temporary(t, 't'), less = temporary(t, 't'), more = temporary(t, 't');
	const u32 type = modifier(t, MOD_X2) & 3;
	const char *relu = modifier(t, MOD_VRELU) ? ".relu" : "";

	if (type >= 2 && t->i->operands[2].flags & SASS_MINUS)
		fails(t);
	emit_ptx(t, "add.%s %s, %s, %s", type < 2 ? "s32" : "u16x2", sum.s, a.s, b.s);
	emit_ptx(t, "min%s.%s %s, %s, %s", relu, types[type], less.s, sum.s, c.s);
	emit_ptx(t, "max%s.%s %s, %s, %s", relu, types[type], more.s, sum.s, c.s);
	emit_ptx(t, "selp.b32 %s, %s, %s, %s", destination(t, 0).s, less.s, more.s, p.s);
}

/* |a - b| + c */
void translate_vabsdiff(struct translation *t)
{
	const struct text a = source(t, 2), b = source(t, 3), c = source(t, 4);

	if (!is_pt(t, 1))
		fails(t);
	emit_ptx(t, "sad.%s %s, %s, %s, %s", modifier(t, MOD_U32) ? "s32" : "u32", destination(t, 0).s, a.s, b.s, c.s);
}
