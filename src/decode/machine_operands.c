/* SPDX-License-Identifier: Apache-2.0
 *
 * An operand in the texts: > written, = read and written, & of an address, @ of a branch, $ goes to a surface; where its row stands: a field of the insn, a
 * letter from g on for a word of the list (g the first), + the row behind that of d, * the seven predicates from the row in c
 * on; its width: p 1, w 32, l 64, q 128 bits.
 */
#include "decode/machine_operands.h"

#define LANES(HANDLER, TEXT, WORDS)  [MACHINE_##HANDLER] = {TEXT, WORDS, true, false}
#define ACROSS(HANDLER, TEXT, WORDS) [MACHINE_##HANDLER] = {TEXT, WORDS, false, true}
#define OTHER(HANDLER, TEXT)         [MACHINE_##HANDLER] = {TEXT, 0, false, false}

static const struct machine_operands operands[MACHINE_COUNT] = {
	LANES(modify, ">dw aw", 0),
	LANES(modify_absolute, ">dw aw", 0),
	LANES(pair, ">dl aw bw", 0),
	LANES(part, ">dw >bw al", 0),
	LANES(quad, ">dq gw hw iw jw", 4),
	LANES(unquad, ">gw >hw >iw >jw aq", 4),
	LANES(logic_pred, ">dp ap bp", 0),
	LANES(sign_of_double, ">dl al", 0),
	LANES(fchk, ">dp aw bw", 0),
	LANES(mufu_circle, ">dw aw", 0),
	LANES(iadd3, ">dw aw bw cw", 0),
	LANES(iadd3_carry, ">dw >kp >lp aw bw cw ip jp", 6),
	LANES(imad, ">dw aw bw cw", 0),
	LANES(imad_wide, ">dw >+w aw bw cw gw", 1),
	LANES(imad_wide_signed, ">dw >+w aw bw cw gw", 1),
	LANES(imad_carry, ">dw >jp >kw aw bw cw hw ip", 5),
	LANES(imad_low_carry, ">dw aw bw cw hp", 2),
	LANES(lea_wide, ">dw >+w aw bw cw", 0),
	LANES(lea, ">dw aw bw", 0),
	LANES(lea_carry, ">dw >jp aw bw cw ip", 5),
	LANES(shf, ">dw aw bw cw", 0),
	LANES(isetp, ">gp >hp aw bw ip lp", 6),
	LANES(least_bytes, ">dw aw bw", 0),
	LANES(lop3_pred, ">gp aw hp", 3),
	LANES(fsetp, ">gp >hp aw bw ip", 5),
	LANES(dsetp, ">gp >hp al bl ip", 5),
	LANES(plop3, ">gp >hp ip jp kp", 7),
	LANES(p2r, ">dw aw bw *p", 0),
	LANES(r2p, ">*p aw bw *p", 0),
	LANES(sign, ">dp aw", 0),
	ACROSS(vote, ">hw >ip jp", 5),
	ACROSS(shfl, ">hw >gp iw jw kw", 6),
	ACROSS(redux, ">dw aw", 0),
	ACROSS(elect, ">dw >bp ap", 0),
	ACROSS(r2ur, ">dw aw", 0),
	ACROSS(differs, "=dp aw", 0),
	ACROSS(bssy, "=dw", 0),
	OTHER(match, ">hw >gp iw"),
	OTHER(nibbles, ">dw >bw aw"),
	OTHER(bank, ">dw &aw"),
	OTHER(turns, ">dp"),
	OTHER(arrive, ">gw >hw"),
	OTHER(texture, ">ip >jw >kw >lw >mw &hw &nw &ow &pw &qw &rw &sw &tw &uw &vw &ww &xw &yw &zw"),
	OTHER(texture_size, ">iw >jw >kw &gw &hw"),
	OTHER(suld, ">mw >nw >ow >pw &hw &jw &kw &lw"),
	OTHER(sust, "$mw $nw $ow $pw &hw &jw &kw &lw"),
	OTHER(sured, "$mw $nw $ow $pw &hw &jw &kw &lw"),
	OTHER(bra, "@ap @bp"),
	OTHER(bra_div, "@ap @bp"),
	OTHER(brx, "@ap @bp @dw"),
	OTHER(ends, "@ap @bp"),
	OTHER(leave, "@ap @bp"),
	OTHER(trap, "@ap @bp"),
	OTHER(apart, "@ap @bp"),
	OTHER(warpsync, "@dw"),
	OTHER(collect, ">cw"),
	OTHER(system_call, ""),
};

const struct machine_operands *machine_operands(u32 handler)
{
	return handler < MACHINE_COUNT && operands[handler].text ? &operands[handler] : NULL;
}

static u32 row_at(char place, const struct insn *i, const u32 *list)
{
	switch (place) {
	case 'a':
		return i->a;
	case 'b':
		return i->b;
	case 'c':
	case '*':
		return i->c;
	case 'd':
		return i->d;
	case '+':
		return i->d + MACHINE_ROW_BYTES;
	default:
		return list[place - 'g'];
	}
}

/* What follows from d follows its place. */
static u8 place_of(char place)
{
	switch (place) {
	case 'a':
		return MACHINE_IN_A;
	case 'b':
		return MACHINE_IN_B;
	case 'c':
	case '*':
		return MACHINE_IN_C;
	case 'd':
	case '+':
		return MACHINE_IN_D;
	default:
		return (u8)(MACHINE_IN_LIST + place - 'g');
	}
}

static u8 role_of(char prefix)
{
	return prefix == '>' || prefix == '=' ? MACHINE_RESULT
	       : prefix == '&'                ? MACHINE_BASE
	       : prefix == '@'                ? MACHINE_BRANCH
	       : prefix == '$'                ? MACHINE_TEXEL
					      : MACHINE_SOURCE;
}

static u8 bits_of(char width) { return width == 'p' ? 1 : width == 'w' ? 32 : width == 'l' ? 64 : 128; }

bool machine_operand_next(const char **text, const struct insn *i, const u32 *list, struct machine_operand *to)
{
	const char *p = *text + (**text == ' ');

	if (!*p)
		return false;
	to->role = role_of(*p);
	to->kept = *p == '=';
	p += to->role != MACHINE_SOURCE;
	to->place = place_of(*p);
	to->behind = *p == '+';
	to->row = row_at(*p, i, list);
	to->rows = *p == '*' ? MACHINE_PREDICATES : 1;
	to->bits = bits_of(p[1]);
	*text = p + 2;
	return true;
}
