/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: moves, predicates, special registers, exchange between lanes.
 *
 * Sources are read before the destination is written where both are of several registers, since they may overlap.
 */
#include <string.h>

#include "isa/sregs.h"
#include "sass/lower.h"

/* Instructions that change nothing that can be seen here: prefetches, hints, waits for the scoreboard. */
void lower_nothing(struct lower *l) { (void)l; }

static void copy(struct lower *l, u32 d, u32 a) { PTX(l, "mov.b32", TO32(d), ROW32(a)); }

/* A copy in those lanes of each quad whose bits are set. */
static void move_in_quads(struct lower *l, u32 from, u32 lanes)
{
	const struct use own = {.sreg = SREG_laneid, .bits = 32};
	const u32 bit = lower_word(l), chosen = lower_truth(l), to = lower_to(l, 0, 0);

	PTX(l, "and.b32", TO32(bit), ROW32(emit_sreg(&l->e, &own)), ROW32(lower_number(l, 3)));
	PTX(l, "shr.u32", TO32(bit), ROW32(lower_number(l, lanes)), ROW32(bit));
	PTX(l, "and.b32", TO32(bit), ROW32(bit), ROW32(lower_number(l, 1)));
	PTX(l, "setp.ne.u32", TO1(chosen), ROW32(bit), ROW32(l->zero));
	PTX(l, "selp.b32", TO32(to), ROW32(from), ROW32(to), TRUTH(((struct predicate){chosen, false})));
}

/* MOV of 32 or 64 bits; a mask other than 15 names lanes of each quad. */
void lower_mov(struct lower *l)
{
	const bool wide = sass_modifier(l->i, MOD_MOV64) || strstr(sass_row_text(l->m->decoder, l->i), ".64 ");
	const u32 a = lower_source(l, 1);

	if (l->i->operand_count > 2 && l->i->opcode == SASS_OP_MOV && l->i->operands[2].value != 15) {
		move_in_quads(l, a, (u32)l->i->operands[2].value & 15);
		return;
	}
	if (!wide) {
		copy(l, lower_to(l, 0, 0), a);
		return;
	}
	const u32 high = lower_plain(l, 1, 1), kept = lower_word(l);
	copy(l, kept, high);
	copy(l, lower_to(l, 0, 0), a);
	copy(l, lower_to(l, 0, 1), kept);
}

void lower_sel(struct lower *l)
{
	const u32 a = lower_source(l, 1), b = lower_source(l, 2);
	const struct predicate p = lower_predicate(l, 3);

	if (strstr(sass_row_text(l->m->decoder, l->i), ".64 "))
		PTX(l, "selp.b32", TO32(lower_to(l, 0, 1)), ROW32(lower_plain(l, 1, 1)), ROW32(lower_plain(l, 2, 1)),
		    TRUTH(p));
	PTX(l, "selp.b32", TO32(lower_to(l, 0, 0)), ROW32(a), ROW32(b), TRUTH(p));
}

/* PTX has the selector last, machine code in the middle. */
void lower_prmt(struct lower *l)
{
	static const char *const modes[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
	const u32 a = lower_source(l, 1), b = lower_source(l, 2), c = lower_source(l, 3),
		  mode = sass_modifier(l->i, MOD_PRMT);

	if (mode >= COUNT_OF(modes)) {
		lower_fails(l);
		return;
	}
	PTX(l, lower_text(l, "prmt.b32%s", modes[mode]), TO32(lower_to(l, 0, 0)), ROW32(a), ROW32(c), ROW32(b));
}

/* Rpc is where a call will return to; code that calls nobody keeps values there. */
void lower_rpcmov(struct lower *l)
{
	const bool high = strstr(sass_row_text(l->m->decoder, l->i), ".HI"), to = l->i->operands[0].arg == ARG_WORD;

	copy(l, to ? l->rpc_rows + high * LOWER_ROW : lower_to(l, 0, 0),
	     to ? lower_source(l, 1) : l->rpc_rows + high * LOWER_ROW);
}

/* --- Special registers ---------------------------------------------------------------------- */

/* Special registers by their number in the encoding, which is the same in all generations. */
static const struct {
	u8 number;
	u16 sreg;
	u8 element;
} specials[] = {{0, SREG_laneid, 0},       {33, SREG_tid, 0},         {34, SREG_tid, 1},
		{35, SREG_tid, 2},         {37, SREG_ctaid, 0},       {38, SREG_ctaid, 1},
		{39, SREG_ctaid, 2},       {56, SREG_lanemask_eq, 0}, {57, SREG_lanemask_lt, 0},
		{58, SREG_lanemask_le, 0}, {59, SREG_lanemask_gt, 0}, {60, SREG_lanemask_ge, 0},
		{80, SREG_clock, 0},       {81, SREG_clock_hi, 0},    {136, SREG_cluster_ctarank, 0}};

/* A special register's word as a row; false: not known. */
static bool special_row(struct lower *l, u32 number, u32 *row)
{
	if (number == 255) {
		*row = l->zero;
		return true;
	}
	for (u32 k = 0; k < COUNT_OF(specials); k++) {
		if (specials[k].number != number)
			continue;
		const struct use u = {.sreg = specials[k].sreg, .element = specials[k].element, .bits = 32};
		*row = sreg_info(u.sreg)->kind == SREG_DYNAMIC ? emit_sreg_read(&l->e, &u) : emit_sreg(&l->e, &u);
		return true;
	}
	return false;
}

/* Names of special registers that no PTX register is: %s of the disassembler. */
static bool named_special(struct lower *l, const char *name, u32 *row)
{
	static const struct {
		const char *name;
		u16 sreg;
		u8 element;
	} names[] = {{"SR_CgaCtaId", SREG_cluster_ctarank, 0},
		     {"SR_CLUSTERID.X", SREG_clusterid, 0},
		     {"SR_CLUSTERID.Y", SREG_clusterid, 1},
		     {"SR_CLUSTERID.Z", SREG_clusterid, 2},
		     {"SR_CLUSTER_CTAID.X", SREG_cluster_ctaid, 0},
		     {"SR_CLUSTER_CTAID.Y", SREG_cluster_ctaid, 1},
		     {"SR_CLUSTER_CTAID.Z", SREG_cluster_ctaid, 2},
		     {"SR_GLOBALTIMERLO", SREG_globaltimer_lo, 0},
		     {"SR_GLOBALTIMERHI", SREG_globaltimer_hi, 0},
		     {"SR_VIRTUALSMID", SREG_smid, 0},
		     {"SR_CLOCKLO", SREG_clock, 0},
		     {"SR_CLOCKHI", SREG_clock_hi, 0},
		     {"SR_NWARPID", SREG_nwarpid, 0},
		     {"SR_WARPID", SREG_warpid, 0}};

	for (u32 k = 0; name && k < COUNT_OF(names); k++) {
		if (strcmp(name, names[k].name))
			continue;
		const struct use u = {.sreg = names[k].sreg, .element = names[k].element, .bits = 32};
		*row = sreg_info(u.sreg)->kind == SREG_DYNAMIC ? emit_sreg_read(&l->e, &u) : emit_sreg(&l->e, &u);
		return true;
	}
	return false;
}

/* SR_VIRTID has the warp's number from bit 8 on and the multiprocessor's from bit 20 on, SR_VIRTCFG how many warps an SM
 * holds, from bit 8 on. */
static u32 virtual_row(struct lower *l, bool id)
{
	const struct use warp = {.sreg = id ? SREG_warpid : SREG_nwarpid, .bits = 32},
			 sm = {.sreg = SREG_smid, .bits = 32};
	const u32 row = lower_word(l), more = lower_word(l);

	PTX(l, "shl.b32", TO32(row), ROW32(emit_sreg(&l->e, &warp)), ROW32(lower_number(l, 8)));
	if (!id)
		return row;
	PTX(l, "shl.b32", TO32(more), ROW32(emit_sreg(&l->e, &sm)), ROW32(lower_number(l, 20)));
	PTX(l, "or.b32", TO32(row), ROW32(row), ROW32(more));
	return row;
}

/* Bytes of shared memory in units, with the system's. */
static u32 shared_size(struct lower *l)
{
	const struct use own = {.sreg = SREG_total_smem_size, .bits = 32};
	const u32 row = lower_word(l);

	PTX(l, "add.u32", TO32(row), ROW32(emit_sreg(&l->e, &own)), ROW32(lower_number(l, l->sm >= 80 ? 1024 : 0)));
	return row;
}

/* S2UR takes the value of the warp's lowest lane that runs: r2ur. */
void lower_s2r(struct lower *l)
{
	enum { SWINHI = 47 };
	const u32 number = l->i->operands[1].number, d = lower_to(l, 0, 0);
	u32 row;

	const char *name = sass_special_name(number);
	if (name && !strcmp(name, "SR_LMEMHIOFF"))
		row = l->zero; /* where the stack ends */
	else if (name && (!strcmp(name, "SR_VIRTID") || !strcmp(name, "SR_VIRTCFG")))
		row = virtual_row(l, !strcmp(name, "SR_VIRTID"));
	else if (name && !strcmp(name, "SR_SMEMSZ"))
		row = shared_size(l);
	else if (number == SWINHI)
		row = lower_number(l, (u32)(address_map(64)->shared_window >> 32));
	else if (!special_row(l, number, &row) && !named_special(l, sass_special_name(number), &row)) {
		lower_fails(l);
		return;
	}
	if (l->i->opcode == SASS_OP_S2UR)
		lower_machine(l, MACHINE_r2ur, (struct insn){.d = d, .a = row});
	else
		copy(l, d, row);
}

/* CS2R reads a register that is the same for the warp, or a clock's two words at once. */
void lower_cs2r(struct lower *l)
{
	const u32 number = l->i->operands[1].number;
	const char *name = sass_special_name(number);
	u32 row[2] = {l->zero, l->zero};
	/* SR_CgaSize chooses between two copies of bank 0's words about clusters: the first one. */
	bool known = number == 255 || (name && !strcmp(name, "SR_CgaSize")) || special_row(l, number, &row[0]) ||
		     named_special(l, name, &row[0]);

	if (known && number != 255 && modifier(l, MOD_CS2R) != 0) {
		const bool timer = name && strstr(name, "GLOBALTIMER");
		const struct use u = {.sreg = timer ? SREG_globaltimer_hi : SREG_clock_hi, .bits = 32};
		row[1] = emit_sreg_read(&l->e, &u);
		known = timer || (name && strstr(name, "CLOCK"));
	}
	if (!known) {
		lower_fails(l);
		return;
	}
	for (u32 k = 0; k < (modifier(l, MOD_CS2R) ? 2u : 1u); k++)
		copy(l, lower_to(l, 0, k), row[k]);
}

/* The predicate says which lanes have another value than the uniform register got; .OR: or had so before. Code loops until all
 * lanes were served. */
void lower_r2ur(struct lower *l)
{
	const bool more = strstr(sass_row_text(l->m->decoder, l->i), ".OR");

	if (l->i->operand_count < 3) {
		lower_fails(l);
		return;
	}
	if (!lower_is_pt(l, 0))
		lower_machine(l, MACHINE_differs,
			      (struct insn){.d = lower_to_predicate(l, 0), .a = lower_source(l, 2), .c = more});
	lower_machine(l, MACHINE_r2ur, (struct insn){.d = lower_to(l, 1, 0), .a = lower_source(l, 2)});
}

/* --- Predicates ----------------------------------------------------------------------------- */

void lower_plop3(struct lower *l)
{
	struct predicate p[3];

	for (u32 k = 0; k < 3; k++) {
		const u32 arg = l->i->operands[2 + k].arg;
		if (arg == ARG_REGISTER || arg == ARG_UREGISTER || arg == ARG_CONSTANT) {
			p[k] = (struct predicate){lower_truth(l), false};
			lower_machine(l, MACHINE_sign, (struct insn){.d = p[k].row, .a = lower_source(l, 2 + k)});
		} else {
			p[k] = lower_predicate(l, 2 + k);
		}
	}
	const u32 list[] = {lower_to_predicate(l, 0),     lower_to_predicate(l, 1),    p[0].row, p[1].row, p[2].row,
			    (u32)l->i->operands[5].value, (u32)l->i->operands[6].value};
	lower_machine_list(
		l, MACHINE_plop3,
		(struct insn){.d = list[0], .aux = (u8)(p[0].negated | p[1].negated << 1 | p[2].negated << 2)}, list,
		COUNT_OF(list));
}

/* Bytes of a register that predicates are packed into. */
static u32 byte_of(const struct lower *l)
{
	const u32 byte = modifier(l, MOD_BYTE);

	return byte & 3;
}

void lower_p2r(struct lower *l)
{
	const u32 a = lower_source(l, 2), mask = lower_source(l, 3);

	lower_machine(
		l, MACHINE_p2r,
		(struct insn){
			.d = lower_to(l, 0, 0), .a = a, .b = mask, .c = LOWER_PREDICATES, .imm = (s32)byte_of(l)});
}

static void to_predicates(struct lower *l, u32 from, u32 mask, u32 part, u32 predicates)
{
	lower_machine(l, MACHINE_r2p,
		      (struct insn){.d = 0, .a = from, .b = mask, .c = predicates, .imm = (s32)(8 * part)});
}

void lower_r2p(struct lower *l)
{
	const u32 part = l->i->operands[1].part_of ? l->i->operands[1].part : 0;

	to_predicates(l, lower_plain(l, 1, 0), lower_source(l, 2), part, LOWER_PREDICATES);
}

void lower_up2ur(struct lower *l)
{
	const u32 a = lower_source(l, 2), mask = lower_source(l, 3);

	lower_machine(
		l, MACHINE_p2r,
		(struct insn){
			.d = lower_to(l, 0, 0), .a = a, .b = mask, .c = LOWER_UPREDICATES, .imm = (s32)byte_of(l)});
}

void lower_ur2up(struct lower *l)
{
	const u32 part = l->i->operands[1].part_of ? l->i->operands[1].part : 0;
	const u32 mask = l->i->operand_count > 2 ? lower_source(l, 2) : lower_number(l, 0x7f);

	to_predicates(l, lower_plain(l, 1, 0), mask, part, LOWER_UPREDICATES);
}

/* --- Lanes that run together ---------------------------------------------------------------- */

void lower_vote(struct lower *l)
{
	const bool ballot = l->i->operand_count == 3, uniform = l->i->opcode == SASS_OP_VOTEU;
	const struct predicate p = lower_predicate(l, ballot ? 2 : 1);
	const u32 mode = modifier(l, MOD_VOTE);
	const u32 list[] = {mode, ballot ? lower_to(l, 0, 0) : l->sink, lower_to_predicate(l, ballot ? 1 : 0), p.row,
			    uniform};

	if (mode > 2)
		lower_fails(l);
	lower_machine_list(l, MACHINE_vote, (struct insn){.aux = p.negated}, list, COUNT_OF(list));
}

void lower_shfl(struct lower *l)
{
	const u32 list[] = {lower_to_predicate(l, 0), lower_to(l, 1, 0),  lower_source(l, 2),
			    lower_source(l, 3),       lower_source(l, 4), modifier(l, MOD_SHFL)};

	lower_machine_list(l, MACHINE_shfl, (struct insn){.d = 0}, list, COUNT_OF(list));
}

void lower_match(struct lower *l)
{
	const bool all = l->i->operand_count == 3;
	const u32 a = all ? 2 : 1;
	const u32 list[] = {all ? lower_to_predicate(l, 0) : l->pred_sink, lower_to(l, a - 1, 0), lower_plain(l, a, 0),
			    modifier(l, MOD_U64), all};

	lower_machine_list(l, MACHINE_match, (struct insn){.d = 0}, list, COUNT_OF(list));
}

void lower_redux(struct lower *l)
{
	const u32 how = modifier(l, MOD_REDUX);

	if (how > 5)
		lower_fails(l);
	lower_machine(l, MACHINE_redux,
		      (struct insn){.d = lower_to(l, 0, 0),
				    .a = lower_source(l, 1),
				    .imm = (s32)(how | (modifier(l, MOD_S32) ? 8u : 0))});
}

/* The same for numbers that REDUX leaves out from sm_100 on. */
void lower_credux(struct lower *l)
{
	enum { LEAST = 4, GREATEST = 5, IS_SIGNED = 8, IS_FLOAT = 16, ABSOLUTE = 32, KEEPS_NAN = 64 };
	static const u8 types[] = {0, IS_SIGNED, IS_FLOAT};
	const u32 op = modifier(l, MOD_CREDUX), type = modifier(l, MOD_CREDUX_TYPE), absolute = op & 1 ? ABSOLUTE : 0,
		  nan = modifier(l, MOD_CREDUX_NAN) ? KEEPS_NAN : 0;

	if (type >= COUNT_OF(types) || (absolute && types[type] != IS_FLOAT)) {
		lower_fails(l);
		return;
	}
	lower_machine(l, MACHINE_redux,
		      (struct insn){.d = lower_to(l, 0, 0),
				    .a = lower_source(l, 1),
				    .imm = (s32)((op < 2 ? GREATEST : LEAST) | types[type] | absolute | nan)});
}

void lower_elect(struct lower *l)
{
	const struct predicate p = lower_predicate(l, 2);

	lower_machine(
		l, MACHINE_elect,
		(struct insn){.d = lower_to(l, 1, 0), .a = p.row, .b = lower_to_predicate(l, 0), .aux = p.negated});
}

/* Registers do not run out: an attempt to get more succeeds. */
void lower_setmaxreg(struct lower *l)
{
	if (l->i->operands[0].arg == ARG_UPREDICATE)
		lower_machine(l, MACHINE_logic_pred,
			      (struct insn){.d = lower_to_predicate(l, 0), .a = l->true_row, .b = l->true_row});
}
