/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: a kernel's frame, its body, and the emission of what instructions become.
 *
 * What becomes of an instruction, in lower_instruction():
 *
 *      decode            lower_decode_at: fields to operands and modifiers
 *      guard             begin_instruction, keep_guard; lower_emit puts a guard before each insn that needs one
 *      lower_table       lower_fadd() and the like: PTX() for what a row of PTX computes, lower_machine() for the rest
 *      failed            what it has emitted is taken back; an insn that stops the run there instead
 *
 * Addresses of jumps are resolved at the end (resolve_jumps); registers of the machine are rows at fixed places
 * (sass/lower_rows.c), so that pairs and quads are neighbours.
 */
#include "sass/lower.h"

#include <stdio.h>
#include <string.h>

#include "isa/sregs.h"

enum {
	RUN_LONGEST = 60000,
	STACK_SPARE = 1024,
	STACK_OF_RECURSION = 1 << 16,
	STACK_ALIGN = 64,
	FRAME_LONGEST = 1 << 30
};

/* Where a row of PTX computes the same, an opcode becomes that row (lower_ptx), whose arithmetic recordings and oracles have
 * tried; only what PTX lacks has a handler of its own (lower_machine). An opcode without an entry is not modelled. What only
 * warms a cache, orders what is in order here, or marks code for profilers is `nothing`. */
lower_fn *const lower_table[SASS_OP_COUNT] = {
#define OP(OPCODE, NAME) [SASS_OP_##OPCODE] = lower_##NAME
	OP(FADD, fadd),
	OP(FMUL, fmul),
	OP(FFMA, ffma),
	OP(FSEL, fsel),
	OP(FSWZADD, fswzadd),
	OP(FMNMX, fmnmx),
	OP(FSET, fset),
	OP(FSETP, fsetp),
	OP(FCHK, fchk),
	OP(DADD, dadd),
	OP(DMUL, dmul),
	OP(DFMA, dfma),
	OP(DSETP, dsetp),
	OP(MUFU, mufu),
	OP(I2F, i2f),
	OP(I2FP, i2f),
	OP(F2I, f2i),
	OP(F2F, f2f),
	OP(FRND, frnd),
	OP(MOV, mov),
	OP(UMOV, mov),
	OP(SEL, sel),
	OP(USEL, sel),
	OP(PRMT, prmt),
	OP(UPRMT, prmt),
	OP(S2R, s2r),
	OP(S2UR, s2r),
	OP(CS2R, cs2r),
	OP(CS2UR, cs2r),
	OP(R2UR, r2ur),
	OP(PLOP3, plop3),
	OP(UPLOP3, plop3),
	OP(P2R, p2r),
	OP(R2P, r2p),
	OP(VOTE, vote),
	OP(VOTEU, vote),
	OP(SHFL, shfl),
	OP(MATCH, match),
	OP(REDUX, redux),
	OP(CREDUX, credux),
	OP(ELECT, elect),
	OP(IADD3, iadd3),
	OP(UIADD3, iadd3),
	OP(VIADD, viadd),
	OP(IADD, iadd),
	OP(FMNMX3, fmnmx3),
	OP(UI2F, i2f),
	OP(UI2FP, i2f),
	OP(UF2I, f2i),
	OP(UF2FP, f2fp),
	OP(FADD2, fadd2),
	OP(FMUL2, fmul2),
	OP(FFMA2, ffma2),
	OP(FHADD, fhadd),
	OP(FHFMA, fhfma),
	OP(UFHADD, fhadd),
	OP(UFHFMA, fhfma),
	OP(UFADD, fadd),
	OP(UFRND, frnd),
	OP(UFMNMX, fmnmx),
	OP(UFSEL, fsel),
	OP(UFSET, fset),
	OP(UFSETP, fsetp),
	OP(UFMUL, fmul),
	OP(UFFMA, ffma),
	OP(UVIMNMX, vimnmx),
	OP(UIMNMX, vimnmx),
	OP(QMMA, qmma),
	OP(OMMA, omma),
	OP(IMAD, imad),
	OP(UIMAD, imad),
	OP(LEA, lea),
	OP(ULEA, lea),
	OP(LOP3, lop3),
	OP(ULOP3, lop3),
	OP(SHF, shf),
	OP(USHF, shf),
	OP(ISETP, isetp),
	OP(UISETP, isetp),
	OP(IABS, iabs),
	OP(POPC, popc),
	OP(UPOPC, popc),
	OP(FLO, flo),
	OP(UFLO, flo),
	OP(BREV, brev),
	OP(UBREV, brev),
	OP(SGXT, sgxt),
	OP(USGXT, sgxt),
	OP(BMSK, bmsk),
	OP(UBMSK, bmsk),
	OP(IDP, idp),
	OP(VIMNMX, vimnmx),
	OP(IMNMX, vimnmx),
	OP(HADD2, hadd2),
	OP(HMUL2, hmul2),
	OP(HFMA2, hfma2),
	OP(HSETP2, hsetp2),
	OP(HSET2, hset2),
	OP(F2FP, f2fp),
	OP(HMNMX2, hmnmx2),
	OP(VHMNMX, vhmnmx),
	OP(I2I, i2i),
	OP(I2IP, i2ip),
	OP(VABSDIFF, vabsdiff),
	OP(VIADDMNMX, viaddmnmx),
	OP(QSPC, qspc),
	OP(LDG, load),
	OP(LD, load),
	OP(LDS, load),
	OP(LDL, load),
	OP(STG, store),
	OP(ST, store),
	OP(STS, store),
	OP(STL, store),
	OP(ATOM, atom),
	OP(ATOMG, atom),
	OP(ATOMS, atom),
	OP(REDG, atom),
	OP(RED, atom),
	OP(LDC, ldc),
	OP(ULDC, ldc),
	OP(LDCU, ldc),
	OP(NOP, nothing),
	OP(BSSY, bssy),
	OP(BSYNC, bsync),
	OP(YIELD, yield),
	OP(BREAK, leave),
	OP(FENCE, fence),
	OP(UTMACCTL, nothing),
	OP(MEMBAR, membar),
	OP(ERRBAR, nothing),
	OP(CGAERRBAR, nothing),
	OP(CCTL, nothing),
	OP(CCTLL, nothing),
	OP(PMTRIG, nothing),
	OP(DEPBAR, depbar),
	OP(USETMAXREG, setmaxreg),
	OP(F2IP, f2ip),
	OP(SYNCS, syncs),
	OP(ARRIVES, arrives),
	OP(LDGSTS, ldgsts),
	OP(LDGMC, ldgmc),
	OP(USTGR, ustgr),
	OP(UREDGR, uredgr),
	OP(UGETNEXTWORKID, ugetnextworkid),
	OP(LDGDEPBAR, ldgdepbar),
	OP(STAS, stas),
	OP(REDAS, redas),
	OP(UBLKCP, ublkcp),
	OP(UBLKRED, ublkred),
	OP(UTMALDG, utmaldg),
	OP(UTMASTG, utmastg),
	OP(UTMAREDG, utmaredg),
	OP(UTMACMDFLUSH, utmacmdflush),
	OP(UTMAPF, nothing),
	OP(UBLKPF, nothing),
	OP(VIMNMX3, vimnmx3),
	OP(VABSDIFF4, vabsdiff4),
	OP(HMMA, hmma),
	OP(IMMA, imma),
	OP(BMMA, bmma),
	OP(DMMA, dmma),
	OP(MOVM, movm),
	OP(LDSM, matrix_rows),
	OP(STSM, matrix_rows),
	OP(HGMMA, gmma),
	OP(IGMMA, gmma),
	OP(QGMMA, gmma),
	OP(BGMMA, gmma),
	OP(WARPGROUP, warpgroup),
	OP(PREEXIT, nothing),
	OP(ACQBULK, nothing),
	OP(B2R, b2r),
	OP(UCGABAR_ARV, cluster_barrier),
	OP(UCGABAR_WAIT, cluster_barrier),
	OP(BAR, bar),
	OP(WARPSYNC, warpsync),
	OP(ENDCOLLECTIVE, endcollective),
	OP(EXIT, exit),
	OP(BRA, bra),
	OP(BRX, brx),
	OP(CALL, call),
	OP(RET, ret),
	OP(BMOV, bmov),
	OP(LEPC, lepc),
	OP(BPT, bpt),
	OP(NANOSLEEP, nanosleep),
	OP(UP2UR, up2ur),
	OP(UR2UP, ur2up),
	OP(TEX, tex),
	OP(TLD, tex),
	OP(TLD4, tex),
	OP(TXD, txd),
	OP(TXQ, txq),
	OP(SULD, suld),
	OP(SUST, sust),
	OP(SURED, sured),
	OP(RPCMOV, rpcmov),
};

/* --- Emission ------------------------------------------------------------------------------- */

/* Rows that hold a value only within one instruction of the text. */
static bool is_temporary(const struct lower *l, u32 row)
{
	return row >= l->first_temporary && row < l->last_temporary;
}

/* What the insn emitted last is; those before it that nobody has spoken for are nobody's. */
static void note_step(struct lower *l, struct machine_step step)
{
	static const struct machine_step none = {.handler = MACHINE_STEP_NONE};

	while (l->steps.count + 1 < l->e.insns.count)
		VEC_PUSH(l->e.low->scratch, &l->steps, none);
	VEC_PUSH(l->e.low->scratch, &l->steps, step);
}

static void emit_step(struct lower *l, struct insn i, struct machine_step step)
{
	emit(&l->e, i);
	note_step(l, step);
}

/* One instruction of the text may become several. Those that write temporaries alone need no guard: nobody reads what they
 * leave in other lanes, and without the guard's insn they cost half. Uniform ones act for all lanes of the warp, whichever
 * run, as their registers are the warp's. */
void lower_emit(struct lower *l, struct insn i, u32 writes, struct machine_step step)
{
	const struct meaning *const *all = l->e.low->isa->machine;
	gang_fn *gang = l->e.gang;

	if (l->single) {
		l->e.gang = all[MACHINE_one]->gang;
		emit_step(l,
			  (struct insn){.fn = l->e.low->isa->machine[MACHINE_one]->run,
					.a = l->guarded ? l->guard_row : l->true_row,
					.aux = l->guarded && l->guard_negated},
			  (struct machine_step){.handler = MACHINE_one});
	} else if (l->uniform || (l->guarded && !is_temporary(l, writes))) {
		const struct insn prefix = {.fn = l->uniform ? all[MACHINE_all]->run : l->e.low->internal.guard,
					    .a = l->guarded ? l->guard_row : l->true_row,
					    .aux = (u8)((l->guarded && l->guard_negated) | (l->guarded ? 0 : 2))};
		l->e.gang = l->uniform ? all[MACHINE_all]->gang : NULL; /* of a guard: that of PTX */
		emit_step(l, prefix, (struct machine_step){.handler = l->uniform ? MACHINE_all : MACHINE_STEP_GUARD});
	}
	l->e.gang = gang;
	emit_step(l, i, step);
}

/* A handler that stands for itself (src/sem/machine_*.c); i.d is the row that it writes, for the guard. */
void lower_machine(struct lower *l, enum machine_handler handler, struct insn i)
{
	const struct meaning *m = l->e.low->isa->machine[handler];

	i.fn = m->run;
	l->e.gang = m->gang;
	lower_emit(l, i, i.d, (struct machine_step){.handler = (u8)handler});
}

/* Operands beyond four go to a list, of which the insn holds the place. */
static u32 push_words(struct lower *l, const u32 *list, u32 count)
{
	const u32 at = (u32)l->e.operands.count;

	for (u32 k = 0; k < count; k++)
		VEC_PUSH(l->e.low->scratch, &l->e.operands, list[k]);
	return at;
}

void lower_machine_list(struct lower *l, enum machine_handler handler, struct insn i, const u32 *list, u32 count)
{
	i.imm = (s32)push_words(l, list, count);
	lower_machine(l, handler, i);
}

u32 lower_list(struct lower *l, const u32 *list, u32 count) { return push_words(l, list, count); }

/* A handler that moves the program counter: it reads the guard itself, and a straight run ends with it. */
void lower_control(struct lower *l, enum machine_handler handler, struct insn i, struct predicate second)
{
	const struct meaning *m = l->e.low->isa->machine[handler];

	i.fn = m->run;
	i.a = l->guarded ? l->guard_row : l->true_row;
	i.b = second.row;
	i.aux |= (u8)((l->guarded && l->guard_negated ? MACHINE_NOT_GUARD : 0) |
		      (second.negated ? MACHINE_NOT_SECOND : 0));
	i.run = (u16)emit_take_run(&l->e);
	l->e.gang = m->gang;
	emit_step(l, i, (struct machine_step){.handler = (u8)handler});
}

/* The insn emitted last jumps to that address of the text; its distance is filled in when all places are known. */
void lower_jump_to(struct lower *l, u32 address)
{
	const struct lower_jump jump = {(u32)l->e.insns.count - 1, address};

	VEC_PUSH(l->e.low->scratch, &l->jumps, jump);
}

/* Two rows of 32 bits as one of 64; lower_split() is the way back. */
u32 lower_join(struct lower *l, u32 low, u32 high)
{
	const u32 to = lower_long(l);

	lower_machine(l, MACHINE_pair, (struct insn){.d = to, .a = low, .b = high});
	return to;
}

void lower_split(struct lower *l, u32 low, u32 high, u32 from)
{
	lower_machine(l, MACHINE_part, (struct insn){.d = low, .a = from, .b = high});
}

void lower_write_wide(struct lower *l, u32 k, u32 from) { lower_split(l, lower_to(l, k, 0), lower_to(l, k, 1), from); }

/* What waits must see its lanes as a split of their own, or lanes that the guard leaves out would wait, too. A guard that only
 * narrows the mask of the next insn would not do: so they are jumped around, up to lower_apart_end. */
u32 lower_apart(struct lower *l)
{
	if (!l->guarded)
		return NO_OPERAND;
	lower_control(l, MACHINE_apart, (struct insn){.d = 0}, (struct predicate){l->true_row, false});
	l->guarded = false;
	return (u32)l->e.insns.count - 1;
}

void lower_apart_end(struct lower *l, u32 apart)
{
	if (apart != NO_OPERAND)
		l->e.insns.items[apart].imm = (s32)(l->e.insns.count - apart);
}

/* --- One instruction ------------------------------------------------------------------------ */

/* What cannot be lowered stops the run where it is reached, and launches of the kernel; others of the file may run. */
static void emit_not_known(struct lower *l, const char *what, bool known)
{
	char text[SASS_TEXT];
	const struct span at = l->e.function->body.items[l->e.body_index].span;

	if (known)
		sass_print(l->m->decoder, l->i, text);
	else
		snprintf(text, sizeof text, "bits 0-11 are 0x%03x", (u32)l->i->low & 0xfff);
	const char *told = arena_printf(l->e.low->arena, "%s: %s (0x%016llx 0x%016llx)", what, text,
					(unsigned long long)l->i->low, (unsigned long long)l->i->high);
	if (!l->e.low->options->allow_unmodelled && !l->e.code->refusal) {
		l->e.code->refusal = told;
		l->e.code->refusal_at = at;
	}
	const struct insn i = {.c = (u32)l->e.plans.count};
	VEC_PUSH(l->e.low->scratch, &l->e.plans, told);
	lower_control(l, MACHINE_not_known, i, (struct predicate){l->true_row, false});
}

/* Whether an instruction acts once for the warp: its guard is a uniform predicate, its destinations uniform registers. */
static bool is_uniform(const struct sass_insn *i)
{
	switch (i->opcode) {
	case SASS_OP_UMOV:
	case SASS_OP_UIADD3:
	case SASS_OP_UIMAD:
	case SASS_OP_ULEA:
	case SASS_OP_ULOP3:
	case SASS_OP_USHF:
	case SASS_OP_UISETP:
	case SASS_OP_USEL:
	case SASS_OP_UPRMT:
	case SASS_OP_UPOPC:
	case SASS_OP_UFLO:
	case SASS_OP_USGXT:
	case SASS_OP_UBMSK:
	case SASS_OP_UPLOP3:
	case SASS_OP_ULDC:
	case SASS_OP_LDCU:
	case SASS_OP_UP2UR:
	case SASS_OP_UR2UP:
	case SASS_OP_UI2F:
	case SASS_OP_UI2FP:
	case SASS_OP_UF2I:
	case SASS_OP_UF2FP:
	case SASS_OP_UFHADD:
	case SASS_OP_UFHFMA:
	case SASS_OP_UBREV:
	case SASS_OP_UFADD:
	case SASS_OP_UFMNMX:
	case SASS_OP_UFSET:
	case SASS_OP_UFRND:
	case SASS_OP_UFSEL:
	case SASS_OP_UFSETP:
	case SASS_OP_UFMUL:
	case SASS_OP_UFFMA:
	case SASS_OP_UVIMNMX:
	case SASS_OP_UIMNMX:
		return true;
	default:
		return false;
	}
}

/* Temporaries are free again, and the guard is that of this instruction. */
static void begin_instruction(struct lower *l)
{
	const struct sass_insn *i = l->i;

	l->used_words = l->used_longs = l->used_truths = l->used_quads = 0;
	l->failed = false;
	l->form = NULL;
	l->form_insn = NO_OPERAND;
	l->guarded = i->guard != SASS_PT;
	l->guard_negated = i->guard_negated;
	l->guard_row = (i->guard_uniform ? LOWER_UPREDICATES : LOWER_PREDICATES) + i->guard * 4u;
	l->uniform = is_uniform(i);
	l->single = false;
}

/* Several insns of one instruction must not see the guard that an earlier one of them has written. */
static void keep_guard(struct lower *l)
{
	for (u32 k = 0; k < l->i->operand_count; k++) {
		const struct sass_operand *o = &l->i->operands[k];
		const bool same = o->arg == (l->i->guard_uniform ? ARG_UPREDICATE : ARG_PREDICATE);
		if (!l->guarded || !same || o->number != l->i->guard)
			continue;
		const u32 row = l->guard_row;
		l->guarded = false;
		lower_machine(l, MACHINE_logic_pred, (struct insn){.d = l->guard_copy, .a = row, .b = row});
		l->guarded = true;
		l->guard_row = l->guard_copy;
		return;
	}
}

static void lower_instruction(struct lower *l)
{
	const size_t insns = l->e.insns.count, jumps = l->jumps.count, meetings = l->meetings.count;
	const u32 run = l->e.run;

	begin_instruction(l);
	if (l->i->guard == SASS_PT && l->i->guard_negated)
		return;
	if (l->i->invalid || !lower_table[l->i->opcode]) {
		emit_not_known(l, "not modelled", true);
		return;
	}
	if (l->relocation) {
		emit_not_known(
			l,
			lower_text(l, "relocation %u is of a symbol that the file lacks, or not known", l->relocation),
			true);
		return;
	}
	keep_guard(l);
	lower_table[l->i->opcode](l);
	if (!l->failed)
		return;
	/* Half of an instruction must not stay: what it has emitted is taken back, and the run stops there instead. */
	l->e.insns.count = l->e.origin.count = l->e.gangs.count = insns;
	l->steps.count = l->steps.count < insns ? l->steps.count : insns;
	l->jumps.count = jumps;
	l->meetings.count = meetings;
	l->e.run = run;
	begin_instruction(l);
	emit_not_known(l, "not modelled", true);
}

/* --- The body ------------------------------------------------------------------------------- */

/* Sections lie one behind the other in the kernel's numbering; `base` is where each begins. */
static const struct sass_section *section_of(const struct sass_module *m, u32 address)
{
	u32 k = m->section_count - 1;

	while (k && m->sections[k].base > address)
		k--;
	return &m->sections[k];
}

bool lower_decode_at(struct lower *l, u32 index, struct sass_insn *i)
{
	const u32 address = l->e.function->body.items[index].address;
	u8 code[SASS_INSN_BYTES];

	l->section = section_of(l->m, address);
	l->relocation = sass_code_at(l->m, l->section, address - l->section->base, layout_address, l->e.low, code);
	memset(i, 0, sizeof *i);
	i->low = read_u64(code);
	i->high = read_u64(code + 8);
	return sass_decode(l->m->decoder, read_u64(code), read_u64(code + 8), address - l->section->base, i);
}

static void resolve_jumps(struct lower *l)
{
	for (size_t k = 0; k < l->jumps.count; k++) {
		const struct lower_jump *j = &l->jumps.items[k];
		u32 index = 0;
		if (!ir_find_address(l->e.function, j->address, &index) && sass_system_name(l->m, j->address))
			index = (u32)l->e.function->body.count + 1 +
				(j->address - MACHINE_SYSTEM_BASE) / MACHINE_SYSTEM_STEP;
		l->e.insns.items[j->insn].imm = (s32)l->start[index] - (s32)j->insn;
	}
}

/* The body may begin with other functions than the kernel. */
static void emit_entry(struct lower *l)
{
	l->e.body_index = NO_OPERAND;
	l->e.gang = l->e.low->internal.skip->gang;
	emit(&l->e, (struct insn){.fn = l->e.low->internal.skip->run});
	lower_jump_to(l, l->m->sections[l->kernel->section].base);
}

/* The functions that the system supplies and that the code asks for, a bit each. */
static u64 find_system_calls(const struct sass_module *m)
{
	const struct elf *e = &m->cubin->elf;
	u64 found = 0;

	for (u32 k = 0; k < e->symbol_count; k++)
		for (u32 n = 0; n < MACHINE_SYSTEM_FUNCTIONS && m->system[n]; n++)
			if (sass_is_supplied(&e->symbols[k]) && !strcmp(e->symbols[k].name, m->system[n]))
				found |= 1ull << n;
	return found;
}

static void keep_steps(struct lower *l)
{
	const size_t count = l->e.insns.count;
	struct machine_step *steps = ARENA_ARRAY(l->e.low->arena, count, struct machine_step);

	for (size_t k = 0; k < count; k++)
		steps[k] = k < l->steps.count ? l->steps.items[k] : (struct machine_step){.handler = MACHINE_STEP_NONE};
	l->e.code->steps = steps;
}

/* Instructions in the order of the text; then the end, and functions of the system that the code calls (vprintf,
 * malloc, ...). */
static void emit_code(struct lower *l)
{
	struct emitter *e = &l->e;
	struct sass_insn i;

	l->i = &i;
	l->start = ARENA_ARRAY(e->low->arena, e->function->body.count + 1 + MACHINE_SYSTEM_FUNCTIONS, u32);
	l->form_insns = ARENA_ARRAY(e->low->arena, e->function->body.count + 1, u32);
	l->counted = ARENA_ARRAY(e->low->scratch, e->function->body.count + 1, u32);
	emit_entry(l);
	for (u32 k = 0; k < e->function->body.count; k++) {
		const bool known = lower_decode_at(l, k, &i);
		e->body_index = k;
		l->counted[k] = (u32)e->insns.count;
		/* A run's length has 16 bits. */
		if (l->leads[k] || e->run >= RUN_LONGEST)
			emit_count(e);
		l->start[k] = (u32)e->insns.count;
		e->run++;
		if (known) {
			lower_instruction(l);
		} else {
			i = (struct sass_insn){.guard = SASS_PT, .opcode = SASS_OP_NOP, .low = i.low, .high = i.high};
			begin_instruction(l);
			emit_not_known(l, "unknown encoding", false);
		}
		e->forms[k] = l->form ? *l->form : (struct form){.row = l->neutral, .operand_bits = l->no_bits};
		l->form_insns[k] = l->form_insn;
		l->form = NULL;
	}
	e->body_index = NO_OPERAND;
	const struct insn end = {.fn = e->low->isa->machine[MACHINE_end]->run, .run = (u16)emit_take_run(e)};
	emit(e, end);
	l->start[e->function->body.count] = (u32)e->insns.count - 1;
	i = (struct sass_insn){.guard = SASS_PT, .opcode = SASS_OP_NOP};
	for (u32 k = 0; k < MACHINE_SYSTEM_FUNCTIONS; k++) {
		begin_instruction(l);
		l->start[e->function->body.count + 1 + k] = (u32)e->insns.count;
		if (l->calls_system >> k & 1)
			lower_system(l, l->m->system[k]);
		if (l->form)
			e->forms[e->function->body.count + 1 + k] = *l->form;
	}
	resolve_jumps(l);
	lower_resolve_meetings(l);
	lower_keep_barriers(l);
	keep_steps(l);
}

/* --- Kernels -------------------------------------------------------------------------------- */

static u64 local_bytes(const struct lower *l)
{
	const struct ir_machine *m = l->e.function->machine;
	bool calls = false;

	for (u32 k = 0; k < l->m->section_count; k++)
		calls |= !l->m->sections[k].function->is_kernel;
	/* The kernel's own need is stated; how deep recursion and calls by pointers go, nobody knows. */
	if (calls || (!m->stack_bytes && l->uses_local))
		return (m->stack_bytes + STACK_OF_RECURSION + STACK_ALIGN - 1) & ~(STACK_ALIGN - 1ull);
	return m->stack_bytes ? (m->stack_bytes + STACK_SPARE + STACK_ALIGN - 1) & ~(STACK_ALIGN - 1ull) : 0;
}

/* The counterpart of emit_function() for machine code. NULL after an error, which has been told. */
struct code *sass_lower_function(struct lowering *low, struct ir_function *f)
{
	struct lower l = {.e = {.low = low, .function = f, .counting_work = COUNTING_WORK},
			  .kernel = f->machine->kernel};
	const u32 errors = low->diags->error_count;

	l.m = l.kernel->module;
	l.sm = l.m->cubin->sm;
	l.neutral = low->isa->machine_row;
	l.no_bits = ARENA_ARRAY(low->arena, FORM_OPERANDS, u8);
	l.e.code = ARENA_NEW(low->arena, struct code);
	l.e.code->function = f;
	l.e.code->name = f->name;
	l.e.code->local_align = 16;
	l.e.code->machine_registers = f->machine->registers;
	l.e.code->machine_banks = lower_banks(&l);
	l.e.forms = ARENA_ARRAY(low->arena, f->body.count + 1 + MACHINE_SYSTEM_FUNCTIONS, struct form);
	l.e.matched = ARENA_ARRAY(low->scratch, f->body.count + 1, struct matched);
	l.calls_system = find_system_calls(l.m);
	lower_find_ways(&l);
	l.e.code->local_bytes = local_bytes(&l);
	lower_plan_rows(&l);
	emit_code(&l);
	if (l.e.frame_top > FRAME_LONGEST) {
		diag_error(low->diags, f->span, "'%s' needs more than 1 GiB for a warp's registers and constants",
			   f->name);
		return NULL;
	}
	for (u32 k = 0; k < f->body.count; k++)
		l.e.matched[k] = (struct matched){.form = l.e.forms[k], .ok = true};
	l.e.code->starts = l.start;
	l.e.code->form_insns = l.form_insns;
	l.e.reads_clock = l.shows_order;
	emit_finish(&l.e);
	l.e.code->order.calls_system |= l.calls_system != 0;
	l.e.code->order.shows |= l.calls_system != 0;
	return low->diags->error_count == errors ? l.e.code : NULL;
}
