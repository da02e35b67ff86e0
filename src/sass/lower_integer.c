/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: integers, logic, shifts, predicates.
 *
 * Sources stand where the disassembly has them: operand 0 is the destination, predicates that are written come next. A
 * minus on an integer source is a two's complement only if no carry comes in; with one (.X) it is a complement of bits,
 * and the carry makes up for the one.
 */
#include <string.h>

#include "sass/lower.h"

static bool is_pair_row(const struct lower *l, const char *word)
{
	return strstr(sass_row_text(l->m->decoder, l->i), word);
}

/* --- Sums ----------------------------------------------------------------------------------- */

/* Sources of sums with carries: a minus is a complement, and one more unless a carry comes in. */
static u32 complemented(struct lower *l, u32 k, u32 flag, u32 *flags, u32 *more, bool carries)
{
	if (l->i->operands[k].flags & SASS_MINUS && l->i->operands[k].arg != ARG_INTEGER) {
		*flags |= flag;
		*more += !carries;
	}
	return lower_plain(l, k, 0);
}

/* A predicate that is carried in: its negation becomes the flag. */
static u32 carry_in(struct lower *l, u32 k, u32 flag, u32 *flags)
{
	const struct predicate p = lower_predicate(l, k);

	*flags |= p.negated ? flag : 0;
	return p.row;
}

/* Sums of pairs: without carries as one addition of 64 bits, else the instruction is not modelled. */
static void sum64(struct lower *l, bool carries)
{
	const u32 x = lower_long(l), a = lower_wide(l, 3), b = lower_wide(l, 4), c = lower_wide(l, 5);

	if (carries || !lower_is_pt(l, 1) || !lower_is_pt(l, 2)) {
		lower_fails(l);
		return;
	}
	PTX(l, "add.u64", TO64(x), ROW64(a), ROW64(b));
	PTX(l, "add.u64", TO64(x), ROW64(x), ROW64(c));
	lower_write_wide(l, 0, x);
}

/* Without carries a plain sum; with carries out or in a handler that takes complements, predicates and their negations
 * as a list. */
void lower_iadd3(struct lower *l)
{
	const bool carries = modifier(l, MOD_X);
	u32 flags = 0, more = 0;

	if (is_pair_row(l, ".64")) {
		sum64(l, carries);
		return;
	}
	if (!carries && lower_is_pt(l, 1) && lower_is_pt(l, 2)) {
		const u32 a = lower_source(l, 3), b = lower_source(l, 4), c = lower_source(l, 5), d = lower_to(l, 0, 0);
		if (c == l->zero)
			PTX(l, "add.u32", TO32(d), ROW32(a), ROW32(b));
		else
			lower_machine(l, MACHINE_iadd3, (struct insn){.d = d, .a = a, .b = b, .c = c});
		return;
	}
	const u32 a = complemented(l, 3, MACHINE_NOT_A, &flags, &more, carries),
		  b = complemented(l, 4, MACHINE_NOT_B, &flags, &more, carries),
		  c = complemented(l, 5, MACHINE_NOT_C, &flags, &more, carries);
	const u32 x = carries ? carry_in(l, 6, MACHINE_NOT_X, &flags) : l->false_row,
		  y = carries ? carry_in(l, 7, MACHINE_NOT_Y, &flags) : l->false_row;
	const u32 list[] = {flags, more, x, y, lower_to_predicate(l, 1), lower_to_predicate(l, 2)};
	lower_machine_list(l, MACHINE_iadd3_carry, (struct insn){.d = lower_to(l, 0, 0), .a = a, .b = b, .c = c}, list,
			   COUNT_OF(list));
}

/* Both words of a sum of pairs, each with up to two carries out, which the upper word takes in. */
static void sum_of_pairs(struct lower *l, u32 flags, u32 more, u32 x)
{
	const u32 low = lower_word(l), high = lower_word(l), one = lower_truth(l), two = lower_truth(l);
	const u32 complements = flags & (MACHINE_NOT_A | MACHINE_NOT_B);
	const u32 below[] = {flags, more, x, l->false_row, one, two};
	const u32 above[] = {complements, 0, one, two, lower_to_predicate(l, 1), l->pred_sink};

	lower_machine_list(l, MACHINE_iadd3_carry,
			   (struct insn){.d = low, .a = lower_plain(l, 2, 0), .b = lower_plain(l, 3, 0), .c = l->zero},
			   below, COUNT_OF(below));
	lower_machine_list(l, MACHINE_iadd3_carry,
			   (struct insn){.d = high, .a = lower_plain(l, 2, 1), .b = lower_plain(l, 3, 1), .c = l->zero},
			   above, COUNT_OF(above));
	PTX(l, "mov.b32", TO32(lower_to(l, 0, 0)), ROW32(low));
	PTX(l, "mov.b32", TO32(lower_to(l, 0, 1)), ROW32(high));
}

/* From sm_120 on: of two sources, of 32 or 64 bits. */
void lower_iadd(struct lower *l)
{
	const bool wide = modifier(l, MOD_B64), carries = modifier(l, MOD_X);
	u32 flags = 0, more = 0;

	if (!carries && lower_is_pt(l, 1) && wide) {
		const u32 x = lower_wide(l, 2);
		PTX(l, "add.u64", TO64(x), ROW64(x), ROW64(lower_wide(l, 3)));
		lower_write_wide(l, 0, x);
		return;
	}
	if (!carries && lower_is_pt(l, 1)) {
		PTX(l, "add.u32", TO32(lower_to(l, 0, 0)), ROW32(lower_source(l, 2)), ROW32(lower_source(l, 3)));
		return;
	}
	const u32 a = complemented(l, 2, MACHINE_NOT_A, &flags, &more, carries),
		  b = complemented(l, 3, MACHINE_NOT_B, &flags, &more, carries),
		  x = carries ? carry_in(l, 4, MACHINE_NOT_X, &flags) : l->false_row;
	if (wide) {
		sum_of_pairs(l, flags, more, x);
		return;
	}
	const u32 list[] = {flags, more, x, l->false_row, lower_to_predicate(l, 1), l->pred_sink};
	lower_machine_list(l, MACHINE_iadd3_carry, (struct insn){.d = lower_to(l, 0, 0), .a = a, .b = b, .c = l->zero},
			   list, COUNT_OF(list));
}

/* The bytes of both, each for itself: carries stay out of the next byte. */
static void add_bytes(struct lower *l, u32 a, u32 b)
{
	const u32 low = lower_number(l, 0x7f7f7f7f), sum = lower_word(l), x = lower_word(l), y = lower_word(l);

	PTX(l, "and.b32", TO32(x), ROW32(a), ROW32(low));
	PTX(l, "and.b32", TO32(y), ROW32(b), ROW32(low));
	PTX(l, "add.u32", TO32(sum), ROW32(x), ROW32(y));
	PTX(l, "xor.b32", TO32(x), ROW32(a), ROW32(b));
	PTX(l, "and.b32", TO32(x), ROW32(x), ROW32(lower_number(l, 0x80808080)));
	PTX(l, "xor.b32", TO32(lower_to(l, 0, 0)), ROW32(sum), ROW32(x));
}

/* a - b of each field, whose uppermost bits `top` has. */
static void subtract_fields(struct lower *l, u32 a, u32 b, u32 top)
{
	const u32 difference = lower_word(l), x = lower_word(l), y = lower_word(l), high = lower_number(l, top);

	PTX(l, "or.b32", TO32(x), ROW32(a), ROW32(high));
	PTX(l, "and.b32", TO32(y), ROW32(b), ROW32(lower_number(l, ~top)));
	PTX(l, "sub.u32", TO32(difference), ROW32(x), ROW32(y));
	PTX(l, "not.b32", TO32(x), ROW32(b));
	PTX(l, "xor.b32", TO32(x), ROW32(a), ROW32(x));
	PTX(l, "and.b32", TO32(x), ROW32(x), ROW32(high));
	PTX(l, "xor.b32", TO32(lower_to(l, 0, 0)), ROW32(difference), ROW32(x));
}

/* Sums of a word, two halves or four bytes; saturating only for signed words. */
void lower_viadd(struct lower *l)
{
	enum { WORD, HALVES, SIGNED_WORD, SIGNED_HALVES, BYTES, SIGNED_BYTES };
	const u32 type = sass_modifier(l->i, MOD_VADD) + sass_modifier(l->i, MOD_VADD_WIDE);
	const bool saturates = sass_modifier(l->i, MOD_ISAT),
		   minus = l->i->operands[2].flags & SASS_MINUS && l->i->operands[2].arg != ARG_INTEGER;
	const bool minus_first = l->i->operands[1].flags & SASS_MINUS, words = type == WORD || type == SIGNED_WORD;
	const u32 a = words && !saturates ? lower_source(l, 1) : lower_plain(l, 1, 0), d = lower_to(l, 0, 0);

	if ((minus && minus_first) || type > SIGNED_BYTES || (saturates && type != SIGNED_WORD))
		lower_fails(l);
	else if (saturates && minus_first)
		PTX(l, "sub.sat.s32", TO32(d), ROW32(lower_plain(l, 2, 0)), ROW32(a));
	else if (saturates)
		PTX(l, minus ? "sub.sat.s32" : "add.sat.s32", TO32(d), ROW32(a), ROW32(lower_plain(l, 2, 0)));
	else if (minus && !words)
		subtract_fields(l, a, lower_plain(l, 2, 0), type >= BYTES ? 0x80808080 : 0x80008000);
	else if (minus_first && !words)
		subtract_fields(l, lower_plain(l, 2, 0), a, type >= BYTES ? 0x80808080 : 0x80008000);
	else if (type == WORD || type == SIGNED_WORD)
		PTX(l, "add.u32", TO32(d), ROW32(a), ROW32(lower_source(l, 2)));
	else if (type == HALVES || type == SIGNED_HALVES)
		PTX(l, "add.u16x2", TO32(d), ROW32(a), ROW32(lower_plain(l, 2, 0)));
	else
		add_bytes(l, a, lower_plain(l, 2, 0));
}

static bool is_power(const struct sass_operand *o)
{
	const u32 value = (u32)o->value;

	return o->arg == ARG_INTEGER && value && !(value & (value - 1));
}

/* MOV and shifts are products too: the assembler balances the pipes. */
static bool simple_product(struct lower *l, u32 first)
{
	const u32 d = lower_to(l, 0, 0);
	const struct sass_operand *b = &l->i->operands[first + 1];
	const bool by_power = is_power(b);

	if (lower_is_rz(l, first)) {
		PTX(l, "mov.b32", TO32(d), ROW32(lower_source(l, first + 2)));
		return true;
	}
	if (!by_power)
		return false;
	lower_machine(l, MACHINE_lea,
		      (struct insn){.d = d,
				    .a = lower_source(l, first),
				    .b = lower_source(l, first + 2),
				    .imm = __builtin_ctz((u32)b->value)});
	return true;
}

/* The 64-bit or upper product plus an addend of one or two words, with carry in and out. */
static void product_carry(struct lower *l, u32 first, u32 how, bool carries)
{
	const u32 a = lower_source(l, first), b = lower_source(l, first + 1);
	u32 flags = how, more = 0, c, high;

	if (l->i->operands[first + 2].flags & SASS_MINUS && !carries) {
		const u32 x = lower_wide(l, first + 2);
		c = lower_word(l);
		high = lower_word(l);
		lower_split(l, c, high, x);
	} else {
		c = complemented(l, first + 2, MACHINE_NOT_C, &flags, &more, carries);
		high = how & (MACHINE_WIDE | MACHINE_HIGH) ? lower_plain(l, first + 2, 1) : l->zero;
	}
	const u32 x = carries ? carry_in(l, first + 3, MACHINE_NOT_X, &flags) : l->false_row;
	if (first == 1) {
		const u32 list[] = {flags, x};
		lower_machine_list(l, MACHINE_imad_low_carry,
				   (struct insn){.d = lower_to(l, 0, 0), .a = a, .b = b, .c = c}, list, COUNT_OF(list));
		return;
	}
	const u32 list[] = {flags, high, x, lower_to_predicate(l, 1), lower_to(l, 0, 1)};
	lower_machine_list(l, MACHINE_imad_carry, (struct insn){.d = lower_to(l, 0, 0), .a = a, .b = b, .c = c}, list,
			   COUNT_OF(list));
}

/* Addresses are of elements whose size is a power of two. */
static void product_wide(struct lower *l, u32 first, bool is_signed)
{
	const struct sass_operand *factor = &l->i->operands[first + 1];
	const u32 a = lower_source(l, first), low = lower_plain(l, first + 2, 0), high = lower_plain(l, first + 2, 1);

	if (is_power(factor) && !(is_signed && (u32)factor->value >> 31)) {
		lower_machine(l, MACHINE_lea_wide,
			      (struct insn){.d = lower_to(l, 0, 0),
					    .a = a,
					    .b = low,
					    .c = high,
					    .imm = __builtin_ctz((u32)factor->value),
					    .aux = is_signed});
		return;
	}
	lower_machine_list(l, is_signed ? MACHINE_imad_wide_signed : MACHINE_imad_wide,
			   (struct insn){.d = lower_to(l, 0, 0), .a = a, .b = lower_source(l, first + 1), .c = low},
			   &high, 1);
}

void lower_imad(struct lower *l)
{
	const bool wide = is_pair_row(l, ".WIDE"), high = is_pair_row(l, ".HI"), carries = modifier(l, MOD_X);
	const u32 first = wide || high ? 2 : 1;
	const bool is_signed = modifier(l, MOD_U32);

	if (!wide && !high && !carries) {
		if (simple_product(l, first))
			return;
		const u32 a = lower_source(l, first), b = lower_source(l, first + 1), c = lower_source(l, first + 2);
		lower_machine(l, MACHINE_imad, (struct insn){.d = lower_to(l, 0, 0), .a = a, .b = b, .c = c});
		return;
	}
	if (wide && !carries && lower_is_pt(l, 1) && !(l->i->operands[first + 2].flags & SASS_MINUS) &&
	    !lower_is_rz(l, 0)) {
		product_wide(l, first, is_signed);
		return;
	}
	product_carry(l, first,
		      (wide ? MACHINE_WIDE : 0u) | (high ? MACHINE_HIGH : 0u) | (is_signed ? MACHINE_SIGNED : 0u),
		      carries);
}

/* (a << n) + b; .HI: the upper word of {c, a} << n. */
void lower_lea(struct lower *l)
{
	const bool high = modifier(l, MOD_HI), extends = modifier(l, MOD_SX32), carries = modifier(l, MOD_X);
	const u32 count = high && !extends ? 5 : 4, shift = (u32)l->i->operands[count].value & 31;
	u32 flags = high ? MACHINE_HIGH : 0, more = 0, c = l->zero, a = lower_plain(l, 2, 0);

	if (l->i->operands[2].flags & SASS_MINUS && (high || l->i->operands[2].flags & SASS_COMPLEMENT))
		lower_fails(l);
	if (!high && !carries && lower_is_pt(l, 1)) {
		a = lower_source(l, 2);
		lower_machine(
			l, MACHINE_lea,
			(struct insn){.d = lower_to(l, 0, 0), .a = a, .b = lower_source(l, 3), .imm = (s32)shift});
		return;
	}
	/* The carry is that of the shifted word's complement: 0 taken away carries. */
	complemented(l, 2, MACHINE_NOT_A, &flags, &more, carries);
	if (extends) {
		c = lower_word(l);
		PTX(l, "shr.s32", TO32(c), ROW32(a), ROW32(lower_number(l, 31)));
	} else if (high) {
		c = lower_source(l, 4);
	}
	const u32 b = complemented(l, 3, MACHINE_NOT_B, &flags, &more, carries);
	const u32 x = carries ? carry_in(l, count + 1, MACHINE_NOT_X, &flags) : l->false_row;
	const u32 list[] = {flags, more, x, lower_to_predicate(l, 1), shift};
	lower_machine_list(l, MACHINE_lea_carry, (struct insn){.d = lower_to(l, 0, 0), .a = a, .b = b, .c = c}, list,
			   COUNT_OF(list));
}

/* --- Logic, shifts, bits -------------------------------------------------------------------- */

void lower_lop3(struct lower *l)
{
	static const struct {
		u8 table;
		const char *text;
	} simple[] = {{0xc0, "and.b32"}, {0xfc, "or.b32"}, {0x3c, "xor.b32"}};
	const bool sets = l->i->operands[0].arg == ARG_PREDICATE || l->i->operands[0].arg == ARG_UPREDICATE;
	const u32 first = sets, table = (u32)l->i->operands[first + 4].value;
	const u32 a = lower_source(l, first + 1), b = lower_source(l, first + 2), c = lower_source(l, first + 3);
	const u32 d = sets ? lower_word(l) : lower_to(l, first, 0);
	const char *text = NULL;

	for (u32 k = 0; k < COUNT_OF(simple); k++)
		if (simple[k].table == table)
			text = simple[k].text;
	if (text)
		PTX(l, text, TO32(d), ROW32(a), ROW32(b));
	else
		PTX(l, "lop3.b32", TO32(d), ROW32(a), ROW32(b), ROW32(c), IMMEDIATE(table));
	if (!sets)
		return;
	const struct predicate p = lower_predicate(l, first + 5);
	const u32 list[] = {lower_to_predicate(l, 0), p.row, modifier(l, MOD_PAND)};
	lower_machine_list(l, MACHINE_lop3_pred, (struct insn){.d = list[0], .a = d, .aux = p.negated}, list,
			   COUNT_OF(list));
	if (!lower_is_rz(l, first))
		PTX(l, "mov.b32", TO32(lower_to(l, first, 0)), ROW32(d));
}

void lower_shf(struct lower *l)
{
	const u32 type = modifier(l, MOD_SHIFT_TYPE); /* S64, U64, S32, U32 */
	const bool right = modifier(l, MOD_SHIFT), high = modifier(l, MOD_HI);
	const u32 low = lower_source(l, 1), count = lower_source(l, 2), up = lower_source(l, 3), d = lower_to(l, 0, 0);
	const struct sass_operand *n = &l->i->operands[2];

	/* The word that bits leave does not depend on the other one; that which they enter is a funnel shift's. */
	if (right == high && (!modifier(l, MOD_WRAP) || (n->arg == ARG_INTEGER && n->value < 32))) {
		const char *text = !right ? "shl.b32" : type & 1 ? "shr.u32" : "shr.s32";
		PTX(l, text, TO32(d), ROW32(right ? up : low), ROW32(count));
		return;
	}
	if (right != high && type >= 2) {
		PTX(l, lower_text(l, "shf.%s.%s.b32", right ? "r" : "l", modifier(l, MOD_WRAP) ? "wrap" : "clamp"),
		    TO32(d), ROW32(low), ROW32(up), ROW32(count));
		return;
	}
	const u32 how = (right ? 1u : 0) | (modifier(l, MOD_WRAP) ? 2u : 0) | (high ? 4u : 0) | (type & 1 ? 0 : 8u) |
			(type < 2 ? 16u : 0);
	lower_machine(l, MACHINE_shf, (struct insn){.d = d, .a = low, .b = count, .c = up, .imm = (s32)how});
}

/* Of 64 bits, from sm_120 on. */
static void compare_wide(struct lower *l, bool is_signed)
{
	static const char *const names[] = {NULL, "lt", "eq", "le", "gt", "ne", "ge", NULL};
	const u32 comparison = modifier(l, MOD_ICMP), how = modifier(l, MOD_BOOL) % 3, a = lower_wide(l, 2),
		  b = lower_wide(l, 3), outcome = lower_truth(l), p = lower_truth(l), q = lower_truth(l);
	const struct predicate with = lower_predicate(l, 4);
	const u32 from[] = {p, q}, row = names[comparison & 7] ? outcome : comparison ? l->true_row : l->false_row;

	if (modifier(l, MOD_EX))
		lower_fails(l);
	if (row == outcome)
		PTX(l, lower_text(l, "setp.%s.%s", names[comparison & 7], is_signed ? "s64" : "u64"), TO1(outcome),
		    ROW64(a), ROW64(b));
	for (u32 k = 0; k < 2; k++)
		lower_machine(
			l, MACHINE_logic_pred,
			(struct insn){
				.d = from[k], .a = row, .b = with.row, .c = how, .aux = (u8)(k | with.negated << 1)});
	for (u32 k = 0; k < 2; k++)
		lower_machine(l, MACHINE_logic_pred,
			      (struct insn){.d = lower_to_predicate(l, k), .a = from[k], .b = from[k]});
}

/* A comparison to one predicate, maybe combined with another one: as PTX has it. */
bool lower_plain_setp(struct lower *l, u32 comparison, const char *type, u32 a, u32 b)
{
	static const char *const names[] = {NULL,  "lt",  "eq",  "le",  "gt",  "ne",  "ge",  "num",
					    "nan", "ltu", "equ", "leu", "gtu", "neu", "geu", NULL};
	const u32 how = modifier(l, MOD_BOOL) % 3, to = lower_to_predicate(l, 0);
	const bool is_real = type[0] == 'f' || type[0] == '.', both = l->i->operands[1].number != SASS_PT;

	if (both || !names[comparison] || (!is_real && comparison > 6))
		return false;
	const struct predicate with = lower_predicate(l, 4);
	const bool alone = how == 0 && with.row == l->true_row && !with.negated;
	const u32 outcome = alone ? to : lower_truth(l);
	PTX(l, lower_text(l, "setp.%s%s%s", names[comparison], is_real && type[0] == '.' ? "" : ".", type),
	    TO1(outcome), ROW32(a), ROW32(b));
	if (!alone)
		lower_machine(
			l, MACHINE_logic_pred,
			(struct insn){
				.d = to, .a = outcome, .b = with.row, .c = how, .aux = (u8)(with.negated ? 2 : 0)});
	return true;
}

/* With .EX, the outcome of the lower words decides where the upper ones are equal. */
void lower_isetp(struct lower *l)
{
	if (sass_modifier(l->i, MOD_ITYPE64) > 1) {
		compare_wide(l, sass_modifier(l->i, MOD_ITYPE64) == 3);
		return;
	}
	const u32 a = lower_source(l, 2), b = lower_source(l, 3);
	const bool extends = modifier(l, MOD_EX),
		   is_signed = sass_modifier(l->i, MOD_U32) || sass_modifier(l->i, MOD_ITYPE64) == 1;

	if (!extends && lower_plain_setp(l, modifier(l, MOD_ICMP) & 7, is_signed ? "s32" : "u32", a, b))
		return;
	const struct predicate with = lower_predicate(l, 4);
	struct predicate below = {l->true_row, false};
	if (extends)
		below = lower_predicate(l, 5);
	const u32 how = modifier(l, MOD_ICMP) | (is_signed ? 8u : 0) | (extends ? 16u : 0);
	const u32 list[] = {lower_to_predicate(l, 0),
			    lower_to_predicate(l, 1),
			    with.row,
			    modifier(l, MOD_BOOL) % 3,
			    how,
			    below.row};
	lower_machine_list(l, MACHINE_isetp,
			   (struct insn){.d = list[0], .a = a, .b = b, .aux = (u8)(with.negated | below.negated << 1)},
			   list, COUNT_OF(list));
}

void lower_iabs(struct lower *l) { PTX(l, "abs.s32", TO32(lower_to(l, 0, 0)), ROW32(lower_source(l, 1))); }
void lower_popc(struct lower *l) { PTX(l, "popc.b32", TO32(lower_to(l, 0, 0)), ROW32(lower_source(l, 1))); }
void lower_brev(struct lower *l) { PTX(l, "brev.b32", TO32(lower_to(l, 0, 0)), ROW32(lower_source(l, 1))); }

void lower_flo(struct lower *l)
{
	if (!lower_is_pt(l, 1))
		lower_fails(l);
	PTX(l,
	    lower_text(l, "bfind%s.%s", modifier(l, MOD_SH) ? ".shiftamt" : "", modifier(l, MOD_U32) ? "s32" : "u32"),
	    TO32(lower_to(l, 0, 0)), ROW32(lower_source(l, 2)));
}

void lower_sgxt(struct lower *l)
{
	PTX(l,
	    lower_text(l, "szext.%s.%s", modifier(l, MOD_WRAP) ? "wrap" : "clamp",
		       modifier(l, MOD_U32) ? "s32" : "u32"),
	    TO32(lower_to(l, 0, 0)), ROW32(lower_source(l, 1)), ROW32(lower_source(l, 2)));
}

void lower_bmsk(struct lower *l)
{
	PTX(l, modifier(l, MOD_WRAP) ? "bmsk.wrap.b32" : "bmsk.clamp.b32", TO32(lower_to(l, 0, 0)),
	    ROW32(lower_source(l, 1)), ROW32(lower_source(l, 2)));
}

void lower_idp(struct lower *l)
{
	const u32 a = lower_source(l, 1), b = lower_source(l, 2), c = lower_source(l, 3), mode = modifier(l, MOD_DP);
	const char *ta = sass_modifier(l->i, MOD_DP8A) || sass_modifier(l->i, MOD_DP16A) ? "s32" : "u32",
		   *tb = modifier(l, MOD_DP8B) ? "s32" : "u32";
	const char *text = mode == 0 ? lower_text(l, "dp4a.%s.%s", ta, tb)
				     : lower_text(l, "dp2a.%s.%s.%s", mode == 1 ? "lo" : "hi", ta, tb);

	PTX(l, text, TO32(lower_to(l, 0, 0)), ROW32(a), ROW32(b), ROW32(c));
}

static const char *vector_type(const struct lower *l)
{
	static const char *const types[] = {"u32", "s32", "u16x2", "s16x2"};

	if (l->i->opcode == SASS_OP_IMNMX)
		return sass_modifier(l->i, MOD_U32) ? "s32" : "u32";
	return types[(sass_modifier(l->i, MOD_X2) + sass_modifier(l->i, MOD_VTYPE)) & 3];
}

/* Of four bytes each. */
static bool least_bytes(struct lower *l, u32 a, u32 b, struct predicate p)
{
	enum { U8X4 = 4, S8X4 = 5 };
	const u32 type = sass_modifier(l->i, MOD_VTYPE);

	if (type < U8X4)
		return false;
	if (type > S8X4 || modifier(l, MOD_VRELU) || (p.row != l->true_row && p.row != l->false_row))
		lower_fails(l);
	lower_machine(
		l, MACHINE_least_bytes,
		(struct insn){.d = lower_to(l, 0, 0), .a = a, .b = b, .c = p.row != l->true_row, .imm = type == S8X4});
	return true;
}

/* The lesser where the predicate holds. */
static void least(struct lower *l, u32 d, u32 a, u32 b, struct predicate p)
{
	const u32 less = lower_word(l), more = lower_word(l);
	const char *type = vector_type(l), *relu = modifier(l, MOD_VRELU) ? ".relu" : "";
	const bool is_min = p.row == l->true_row, is_max = p.row == l->false_row;

	if (!is_max)
		PTX(l, lower_text(l, "min%s.%s", relu, type), TO32(is_min ? d : less), ROW32(a), ROW32(b));
	if (!is_min)
		PTX(l, lower_text(l, "max%s.%s", relu, type), TO32(is_max ? d : more), ROW32(a), ROW32(b));
	if (!is_min && !is_max)
		PTX(l, "selp.b32", TO32(d), ROW32(less), ROW32(more), TRUTH(p));
}

/* From sm_120 on: P, Q, d, the sources, the predicate, another one. */
static void least_wide(struct lower *l)
{
	static const char *const types[] = {"u32", "s32", "u64", "s64"};
	const u32 type = modifier(l, MOD_MNMX64);
	const struct predicate p = lower_predicate(l, 5);
	const bool wide = type >= 2;
	const u32 a = wide ? lower_wide(l, 3) : lower_source(l, 3), b = wide ? lower_wide(l, 4) : lower_source(l, 4),
		  less = wide ? lower_long(l) : lower_word(l), more = wide ? lower_long(l) : lower_word(l);
	const u8 bits = wide ? 64 : 32;
	struct lower_arg to[] = {{.row = less, .bits = bits, .written = true},
				 {.row = more, .bits = bits, .written = true}},
			 from[] = {{.row = a, .bits = bits}, {.row = b, .bits = bits}};

	if (!lower_is_pt(l, 0) || !lower_is_pt(l, 1) || lower_predicate(l, 6).row != l->false_row)
		lower_fails(l);
	PTX(l, lower_text(l, "min.%s", types[type & 3]), to[0], from[0], from[1]);
	PTX(l, lower_text(l, "max.%s", types[type & 3]), to[1], from[0], from[1]);
	from[0].row = less;
	from[1].row = more;
	if (wide) {
		PTX(l, "selp.b64", to[0], from[0], from[1], TRUTH(p));
		lower_write_wide(l, 2, less);
	} else {
		to[0].row = lower_to(l, 2, 0);
		PTX(l, "selp.b32", to[0], from[0], from[1], TRUTH(p));
	}
}

void lower_vimnmx(struct lower *l)
{
	if (is_pair_row(l, "mnmx64")) {
		least_wide(l);
		return;
	}
	const bool has_predicates = l->i->operand_count > 5, pairs = modifier(l, MOD_X2) & 2;
	const u32 first = has_predicates ? 3 : 1;
	const u32 a = lower_source(l, first), b = lower_source(l, first + 1), d = lower_to(l, 0, 0);
	const struct predicate p = lower_predicate(l, first + 2);

	if (!has_predicates || (lower_is_pt(l, 1) && lower_is_pt(l, 2))) {
		if (!least_bytes(l, a, b, p))
			least(l, d, a, b, p);
		return;
	}
	/* Whether the first source is what was taken, of the lower and of the upper half. */
	const u32 taken = lower_word(l), differing = lower_word(l), half = lower_word(l);
	if (!pairs || modifier(l, MOD_VRELU))
		lower_fails(l);
	least(l, taken, a, b, p);
	PTX(l, "xor.b32", TO32(differing), ROW32(taken), ROW32(a));
	PTX(l, "mov.b32", TO32(d), ROW32(taken));
	PTX(l, "and.b32", TO32(half), ROW32(differing), ROW32(lower_number(l, 0xffff)));
	PTX(l, "setp.eq.u32", TO1(lower_to_predicate(l, 1)), ROW32(half), ROW32(l->zero));
	PTX(l, "setp.lt.u32", TO1(lower_to_predicate(l, 2)), ROW32(differing), ROW32(lower_number(l, 0x10000)));
}

void lower_viaddmnmx(struct lower *l)
{
	const u32 a = lower_source(l, 1), b = lower_source(l, 2), c = lower_source(l, 3), sum = lower_word(l);
	const bool pairs = modifier(l, MOD_X2) & 2;

	if (pairs && l->i->operands[2].flags & SASS_MINUS)
		lower_fails(l);
	PTX(l, pairs ? "add.u16x2" : "add.u32", TO32(sum), ROW32(a), ROW32(b));
	least(l, lower_to(l, 0, 0), sum, c, lower_predicate(l, 4));
}

/* |a - b| + c */
void lower_vabsdiff(struct lower *l)
{
	if (!lower_is_pt(l, 1))
		lower_fails(l);
	PTX(l, modifier(l, MOD_U32) ? "sad.s32" : "sad.u32", TO32(lower_to(l, 0, 0)), ROW32(lower_source(l, 2)),
	    ROW32(lower_source(l, 3)), ROW32(lower_source(l, 4)));
}

/* The least or greatest of three. */
void lower_vimnmx3(struct lower *l)
{
	const struct predicate p = lower_predicate(l, 4);
	const u32 a = lower_source(l, 1), b = lower_source(l, 2), c = lower_source(l, 3), first = lower_word(l);
	const char *name = p.row == l->true_row ? "min" : "max", *type = vector_type(l);

	if (p.row != l->true_row && p.row != l->false_row)
		lower_fails(l);
	PTX(l, lower_text(l, "%s.%s", name, type), TO32(first), ROW32(a), ROW32(b));
	PTX(l, lower_text(l, "%s%s.%s", name, modifier(l, MOD_VRELU) ? ".relu" : "", type), TO32(lower_to(l, 0, 0)),
	    ROW32(first), ROW32(c));
}

/* Of four bytes each: |a - b|, or with .ACC their sum and c, which is not looked at without. */
void lower_vabsdiff4(struct lower *l)
{
	const u32 a = lower_plain(l, 2, 0), b = lower_plain(l, 3, 0), c = lower_plain(l, 4, 0), sum = lower_word(l);
	const char *extract = modifier(l, MOD_U8) ? "bfe.s32" : "bfe.u32";

	if (!lower_is_pt(l, 1)) {
		lower_fails(l);
		return;
	}
	PTX(l, "mov.b32", TO32(sum), ROW32(modifier(l, MOD_ACC) ? c : l->zero));
	for (u32 k = 0; k < 4; k++) {
		const u32 x = lower_word(l), y = lower_word(l), at = lower_number(l, 8 * k), bits = lower_number(l, 8);
		PTX(l, extract, TO32(x), ROW32(a), ROW32(at), ROW32(bits));
		PTX(l, extract, TO32(y), ROW32(b), ROW32(at), ROW32(bits));
		PTX(l, modifier(l, MOD_U8) ? "sad.s32" : "sad.u32", TO32(x), ROW32(x), ROW32(y), ROW32(l->zero));
		if (!modifier(l, MOD_ACC))
			PTX(l, "shl.b32", TO32(x), ROW32(x), ROW32(at));
		PTX(l, "add.u32", TO32(sum), ROW32(sum), ROW32(x));
	}
	PTX(l, "mov.b32", TO32(lower_to(l, 0, 0)), ROW32(sum));
}
