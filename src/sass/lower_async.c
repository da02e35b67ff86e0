/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: asynchronous copies, and barriers that count their bytes.
 *
 * What EXCH stores is made of a count: it becomes the barrier's initialisation. A token of SYNCS has what code reads in it
 * (write_token); barriers in memory are those of PTX (exec/async.h).
 */
#include <string.h>

#include "isa/sregs.h"
#include "sass/effects.h"
#include "sass/lower.h"

enum { TENSOR_ARGS = 20 };
/* Of SYNCS.ARRIVE. */
enum { SYNCS_TMASK = 1, SYNCS_RED = 2 };

static bool says(const struct lower *l, const char *word)
{
	return strstr(sass_row_text(l->m->decoder, l->i), word) != NULL;
}

/* Shared: the sum of a register and a uniform one, of 32 bits. */
static u32 shared_base(struct lower *l, const struct sass_operand *o)
{
	const u32 row = o->base == SASS_RZ ? l->zero : lower_register(l, o->base);

	if (o->uniform >= SASS_NO_REGISTER)
		return row;
	if (row == l->zero)
		return lower_uniform(l, o->uniform);
	const u32 sum = lower_word(l);
	PTX(l, "add.u32", TO32(sum), ROW32(row), ROW32(lower_uniform(l, o->uniform)));
	return sum;
}

/* --- Barriers ------------------------------------------------------------------------------- */

/* The words of a fresh barrier hold its count n as 2 * (2^20 - n) in the lower one: n is taken back out of them. */
static void initialise(struct lower *l, u32 base, u64 offset, u32 low)
{
	const u32 count = lower_word(l);

	PTX(l, "shr.u32", TO32(count), ROW32(low), ROW32(lower_number(l, 1)));
	PTX(l, "sub.u32", TO32(count), ROW32(lower_number(l, 0x100000)), ROW32(count));
	PTX(l, "mbarrier.init.shared.b64", ROW32(base), OFFSET(offset), ROW32(count));
}

static void exchange(struct lower *l)
{
	const struct sass_operand *at = &l->i->operands[1];

	if (lower_is_rz(l, 0))
		initialise(l, lower_uniform(l, at->uniform), at->value, lower_plain(l, 2, 0));
	else
		lower_fails(l);
}

/* From sm_100 on barriers are initialised, where lanes may have addresses of their own and in code for debugging, by stores of these words:
 * STS.64 of 2 * (2^20 - n) and (2^20 - n) << 11. Behind the last one in straight code stand FENCE.VIEW.ASYNC and SYNCS.CCTL.IVALL,
 * which nothing else has; each has a uniform register in its address, which other stores have, too, if it is not URZ. */
enum { STRAIGHT_MOST = 256, UPPER_SHIFT = 11 };

static bool decode_at(const struct lower *l, u32 address, struct sass_insn *i)
{
	const u8 *code = l->section->code + address;

	return (u64)address + SASS_INSN_BYTES <= l->section->function->code_bytes &&
	       sass_decode(l->m->decoder, read_u64(code), read_u64(code + 8), address, i);
}

static bool ends_straight_code(const struct sass_insn *i)
{
	static const u16 ends[] = {SASS_OP_BRA,  SASS_OP_BRX, SASS_OP_CALL,  SASS_OP_RET,
				   SASS_OP_EXIT, SASS_OP_BAR, SASS_OP_BSYNC, SASS_OP_SYNCS};

	for (u32 k = 0; k < COUNT_OF(ends); k++)
		if (i->opcode == ends[k])
			return true;
	return false;
}

static bool comes_to_fence(const struct lower *l)
{
	struct sass_insn i;

	for (u32 k = 1; k <= STRAIGHT_MOST && decode_at(l, l->i->address + k * SASS_INSN_BYTES, &i); k++) {
		if (ends_straight_code(&i))
			return false;
		if (i.opcode == SASS_OP_FENCE)
			return decode_at(l, i.address + SASS_INSN_BYTES, &i) && i.opcode == SASS_OP_SYNCS &&
			       strstr(sass_row_text(l->m->decoder, &i), "syncscctl");
	}
	return false;
}

static bool writes_index(const struct lower *l, const struct sass_insn *i, u32 index)
{
	struct sass_effects effects;

	sass_effects_of(l->m->decoder, i, &effects);
	for (u32 k = 0; k < effects.count; k++)
		if (effects.items[k].written && effects.items[k].first <= index &&
		    index < effects.items[k].first + effects.items[k].count)
			return true;
	return false;
}

/* Has the instruction that wrote register `number` last shifted something to where the upper word has its count? */
static bool has_upper_word(const struct lower *l, u32 number)
{
	struct sass_insn i;

	for (u32 k = 1; k <= STRAIGHT_MOST && k * SASS_INSN_BYTES <= l->i->address; k++) {
		if (!decode_at(l, l->i->address - k * SASS_INSN_BYTES, &i))
			return false;
		if (writes_index(l, &i, SASS_INDEX_R + number))
			return i.opcode == SASS_OP_SHF && i.operands[2].arg == ARG_INTEGER &&
			       i.operands[2].value == UPPER_SHIFT;
	}
	return false;
}

bool lower_initialises(struct lower *l)
{
	const struct sass_operand *at = &l->i->operands[0];

	if (l->i->opcode != SASS_OP_STS || l->sm < 100 || at->uniform == SASS_NO_REGISTER || !comes_to_fence(l) ||
	    !(at->uniform == SASS_RZ || has_upper_word(l, l->i->operands[1].number + 1u)))
		return false;
	initialise(l, shared_base(l, at), at->value, lower_stored(l, 1, 0));
	return true;
}

/* The phase's parity is in the upper bit of the operand. */
static void test_phase(struct lower *l)
{
	const struct sass_operand *at = &l->i->operands[1];
	const u32 parity = lower_word(l), base = shared_base(l, at);
	const bool sleeps = modifier(l, MOD_TRYWAIT);
	const u32 apart = sleeps ? lower_apart(l) : NO_OPERAND;

	PTX(l, "shr.u32", TO32(parity), ROW32(lower_plain(l, 2, 0)), ROW32(lower_number(l, 31)));
	if (sleeps)
		lower_machine(l, MACHINE_await, (struct insn){.a = base, .b = parity, .imm = (s32)at->value});
	PTX(l, sleeps ? "mbarrier.try_wait.parity.shared.b64" : "mbarrier.test_wait.parity.shared.b64",
	    TO1(lower_to_predicate(l, 0)), ROW32(base), OFFSET(at->value), ROW32(parity));
	lower_apart_end(l, apart);
}

/* The token that code takes apart: bits 43 to 62 are 2^20 less the arrivals that were pending, bit 63 the phase. The lower word
 * names, with .TMASK, the lanes that arrived together, whose tokens code tells apart by their order: each arrives alone here. */
static void write_token(struct lower *l, u32 state)
{
	const struct use alone = {.sreg = SREG_lanemask_eq, .bits = 32};
	const u32 pending = lower_word(l), low = lower_word(l), high = lower_word(l);

	PTX(l, "mbarrier.pending_count.b64", TO32(pending), ROW64(state));
	lower_split(l, low, high, state);
	PTX(l, "sub.u32", TO32(pending), ROW32(l->zero), ROW32(pending));
	PTX(l, "and.b32", TO32(pending), ROW32(pending), ROW32(lower_number(l, 0xfffff)));
	PTX(l, "shl.b32", TO32(pending), ROW32(pending), ROW32(lower_number(l, 11)));
	PTX(l, "and.b32", TO32(high), ROW32(high), ROW32(lower_number(l, 0x80000000)));
	PTX(l, "mov.b32", TO32(lower_to(l, 0, 0)),
	    ROW32(modifier(l, MOD_SYNCS_RED) == SYNCS_TMASK ? emit_sreg(&l->e, &alone) : l->zero));
	PTX(l, "or.b32", TO32(lower_to(l, 0, 1)), ROW32(high), ROW32(pending));
}

/* What an arrival adds: arrivals (A) and bytes (T), each 0, 1, or what the register says (R; X: with the other sign). .RED: to
 * another block's barrier, too; there is no token. */
static void arrive(struct lower *l)
{
	enum { BOTH, A1T0, A0T1, A0TR, A0TX, ART0 };
	const struct sass_operand *at = &l->i->operands[1];
	const u32 how = modifier(l, MOD_TRANSACTION), base = shared_base(l, at), value = lower_plain(l, 2, 0);
	const bool drops = modifier(l, MOD_OPTOUT), remote = modifier(l, MOD_SYNCS_RED) == SYNCS_RED;
	const char *name = drops ? "arrive_drop" : "arrive", *space = remote ? "shared::cluster" : "shared";
	const u32 state = lower_long(l);
	const struct lower_arg b = ROW32(base), o = OFFSET(at->value), absent = {.row = NO_OPERAND, .written = true},
			       token = remote ? absent : TO64(state);

	switch (how) {
	case BOTH:
		PTX(l, lower_text(l, "mbarrier.%s.expect_tx.%s.b64", name, space), token, b, o, ROW32(value));
		break;
	case A1T0:
		PTX(l, lower_text(l, "mbarrier.%s.%s.b64", name, space), token, b, o);
		break;
	case ART0:
		PTX(l, lower_text(l, "mbarrier.%s.%s.b64", name, space), token, b, o, ROW32(value));
		break;
	case A0T1:
	case A0TR:
		PTX(l, lower_text(l, "mbarrier.expect_tx.relaxed.cta.%s.b64", space), b, o,
		    ROW32(how == A0T1 ? lower_number(l, 1) : value));
		break;
	case A0TX:
		PTX(l, lower_text(l, "mbarrier.complete_tx.relaxed.cluster.%s.b64", space), b, o, ROW32(value));
		break;
	default:
		lower_fails(l);
		break;
	}
	if (lower_is_rz(l, 0))
		return;
	if (remote || how == A0T1 || how == A0TR || how == A0TX)
		lower_fails(l);
	write_token(l, state);
}

/* All of them are one opcode; the row of the table says which. */
void lower_syncs(struct lower *l)
{
	l->shows_order = true;
	if (says(l, "exch"))
		exchange(l);
	else if (says(l, "phasechk"))
		test_phase(l);
	else if (says(l, "syncsarrive"))
		arrive(l);
	else if (says(l, "syncscctl")) /* caches, which results do not depend on */
		l->failed |= modifier(l, MOD_SYNCS_CCTL) || modifier(l, MOD_SYNCS_IV);
	else if (says(l, ".CCTL.IV"))
		PTX(l, "mbarrier.inval.shared.b64", ROW32(shared_base(l, &l->i->operands[0])),
		    OFFSET(l->i->operands[0].value));
	else
		lower_fails(l);
}

/* Before sm_90 the code changes the barrier's words itself, too: the copies end here at the latest, and their thread arrives. */
static void arrive_in_memory(struct lower *l)
{
	const struct sass_operand *at = &l->i->operands[0];
	const u32 list[] = {l->sink, l->sink + LOWER_ROW, 0, (u32)at->value};

	lower_ptx(l, "cp.async.wait_all", NULL, 0);
	lower_machine_list(l, MACHINE_arrive, (struct insn){.a = shared_base(l, at)}, list, COUNT_OF(list));
}

/* The arrival of a thread's earlier copies. With .TRANSCNT it takes back a byte that SYNCS.ARRIVE.A0T1 has made the phase wait
 * for: the copies' own arrival keeps the phase open from here on. */
void lower_arrives(struct lower *l)
{
	enum { INCREMENTS, ARVCNT, TRANSCNT };
	const struct sass_operand *at = &l->i->operands[0];
	const u32 count = modifier(l, MOD_ARRIVES_COUNT);
	const struct lower_arg base = ROW32(lower_uniform(l, at->uniform)), offset = OFFSET(at->value);

	if (modifier(l, MOD_ARRIVES_BAR) || count > TRANSCNT || (l->sm < 90 && count)) {
		lower_fails(l);
		return;
	}
	if (l->sm < 90) {
		arrive_in_memory(l);
		return;
	}
	PTX(l, count == ARVCNT ? "cp.async.mbarrier.arrive.noinc.shared.b64" : "cp.async.mbarrier.arrive.shared.b64",
	    base, offset);
	if (count == TRANSCNT)
		PTX(l, "mbarrier.complete_tx.relaxed.cta.shared.b64", base, offset, ROW32(lower_number(l, 1)));
}

/* --- Copies of threads ---------------------------------------------------------------------- */

/* The address says how many bytes there are: as far as it is from a multiple of the size, so many are missing. Where the
 * predicate does not hold, all are. */
static void fill(struct lower *l, const char *text, struct lower_arg d, struct lower_arg d_offset,
		 const struct lower_place *from, u32 bytes, struct predicate p)
{
	const u32 at = lower_long(l), low = lower_word(l), high = lower_word(l), size = lower_word(l),
		  kept = lower_word(l), mask = lower_number(l, bytes - 1);

	PTX(l, "add.u64", TO64(at), ROW64(from->base), ROW64(lower_number64(l, (u64)(s64)from->offset)));
	lower_split(l, low, high, at);
	PTX(l, "and.b32", TO32(size), ROW32(low), ROW32(mask));
	PTX(l, "sub.u32", TO32(kept), ROW32(low), ROW32(size));
	PTX(l, "sub.u32", TO32(size), ROW32(lower_number(l, bytes)), ROW32(size));
	PTX(l, "selp.b32", TO32(size), ROW32(size), ROW32(l->zero), TRUTH(p));
	const u32 whole = lower_join(l, kept, high);
	PTX(l, text, d, d_offset, ROW64(whole), OFFSET(0), IMMEDIATE(bytes), ROW32(size));
}

/* With .ZFILL, zeros are written where the predicate does not hold; without, nothing is copied there. */
void lower_ldgsts(struct lower *l)
{
	static const u8 sizes[] = {0, 0, 0, 0, 4, 8, 16}, sizes100[] = {4, 8, 16};
	const struct sass_operand *to = &l->i->operands[0];
	const bool from_100 = l->sm >= 100, fills = modifier(l, MOD_ZFILL);
	const u32 code = from_100 ? modifier(l, MOD_LDGSTS_SIZE100) : modifier(l, MOD_LDGSTS_SIZE);
	const u32 bytes = from_100 ? (code < 3 ? sizes100[code] : 0) : code < 7 ? sizes[code] : 0;
	struct predicate p = l->i->operand_count > 2 ? lower_predicate(l, 2) : (struct predicate){l->true_row, false};
	const struct lower_place from = lower_place_of(l, &l->i->operands[1], ".global");
	const struct lower_arg d = ROW32(shared_base(l, to)), d_offset = OFFSET(to->value),
			       s = from.wide ? ROW64(from.base) : ROW32(from.base), s_offset = OFFSET(from.offset);
	const char *text =
		bytes == 16 && !modifier(l, MOD_BYPASS) ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global";

	if (!bytes) {
		lower_fails(l);
		return;
	}
	if (p.row == l->true_row && !p.negated && !fills) {
		PTX(l, text, d, d_offset, s, s_offset, IMMEDIATE(bytes));
		return;
	}
	if (fills) {
		fill(l, text, d, d_offset, &from, bytes, p);
		return;
	}
	p.negated = !p.negated;
	PTX(l, text, d, d_offset, s, s_offset, IMMEDIATE(bytes), TRUTH(p));
}

void lower_ldgdepbar(struct lower *l) { lower_ptx(l, "cp.async.commit_group", NULL, 0); }

/* Groups of copies, of threads' or in bulk; scoreboards of other instructions order nothing here. */
void lower_depbar(struct lower *l)
{
	if (l->i->operand_count < 2 || l->i->operands[0].arg != ARG_SCOREBOARD || l->i->operands[0].number)
		return;
	PTX(l, "cp.async.wait_group", IMMEDIATE(l->i->operands[1].value));
	if (l->sm >= 90)
		PTX(l, "cp.async.bulk.wait_group", IMMEDIATE(l->i->operands[1].value));
}

/* Stores and reductions into another block's memory: the barrier's address is the register behind the address. */
static u32 remote_barrier(struct lower *l) { return lower_register(l, l->i->operands[0].base + 1u); }

void lower_stas(struct lower *l)
{
	static const char *const kinds[] = {"b32", "v2.b32", "v4.b32"};
	const u32 code = modifier(l, MOD_STAS_SIZE), words = code == 4 ? 1 : code == 5 ? 2 : 4;
	const struct sass_operand *at = &l->i->operands[0];
	struct lower_arg args[8] = {ROW32(lower_register(l, at->base)), OFFSET(at->value)};
	u32 count = 2;

	if (code < 4 || code > 6 || at->uniform < SASS_NO_REGISTER) {
		lower_fails(l);
		return;
	}
	for (u32 k = 0; k < words; k++)
		args[count++] = ROW32(lower_stored(l, 1, k));
	args[count++] = ROW32(remote_barrier(l));
	args[count++] = OFFSET(0);
	lower_ptx(l, lower_text(l, "st.async.shared::cluster.mbarrier::complete_tx::bytes.%s", kinds[code - 4]), args,
		  count);
}

void lower_redas(struct lower *l)
{
	static const char *const ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
	const u32 op = modifier(l, MOD_ATOM), type = modifier(l, MOD_REDAS_TYPE);
	const struct sass_operand *at = &l->i->operands[0];
	const char *kind = type == 2 ? "u64" : op >= 5 ? "b32" : type == 1 ? "s32" : "u32";

	if (op >= COUNT_OF(ops) || type > 2 || at->uniform < SASS_NO_REGISTER) {
		lower_fails(l);
		return;
	}
	const struct lower_arg value = type == 2 ? ROW64(lower_join(l, lower_stored(l, 1, 0), lower_stored(l, 1, 1)))
						 : ROW32(lower_stored(l, 1, 0));
	PTX(l,
	    lower_text(l, "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.%s.%s", ops[op],
		       kind),
	    ROW32(lower_register(l, at->base)), OFFSET(at->value), value, ROW32(remote_barrier(l)), OFFSET(0));
}

/* --- Bulk copies ---------------------------------------------------------------------------- */

/* Word `word` of the uniform registers that operand k begins with. */
static struct lower_arg uniform_at(struct lower *l, u32 k, u32 word)
{
	return ROW32(lower_uniform(l, l->i->operands[k].uniform + word));
}
static struct lower_arg uniform_pair(struct lower *l, u32 k)
{
	return ROW64(lower_join(l, uniform_at(l, k, 0).row, uniform_at(l, k, 1).row));
}

/* The mask of a copy to several blocks, or of bytes, is in the upper half of a uniform register, whose lower half says something
 * else. */
static struct lower_arg multicast_mask(struct lower *l, u32 k)
{
	const u32 mask = lower_word(l);

	PTX(l, "shr.u32", TO32(mask), ROW32(lower_plain(l, k, 0)), ROW32(lower_number(l, 16)));
	return ROW16(mask);
}

/* Sizes are in units of 16 bytes. */
static struct lower_arg bulk_bytes(struct lower *l, u32 k, bool half)
{
	const u32 bytes = lower_word(l);

	PTX(l, "shl.b32", TO32(bytes), ROW32(lower_plain(l, k, 0)), ROW32(lower_number(l, 4)));
	if (half)
		PTX(l, "and.b32", TO32(bytes), ROW32(bytes), ROW32(lower_number(l, 0xffff0)));
	return ROW32(bytes);
}

/* Once for the warp: the lowest lane that runs. */
static void once(struct lower *l) { l->single = true; }

/* From global to shared memory, of one block or several, from shared to global, or from block to block. Operand 0 holds
 * the destination and, if that is shared memory, the barrier behind it. */
void lower_ublkcp(struct lower *l)
{
	const bool to_shared = modifier(l, MOD_COPY_TO), from_shared = modifier(l, MOD_COPY_FROM),
		   several = modifier(l, MOD_MULTICAST), masked = modifier(l, MOD_BYTE_MASK) == 1;
	const struct lower_arg bytes = bulk_bytes(l, 2, several || masked), zero = OFFSET(0);

	if (modifier(l, MOD_SEQUENCED) || modifier(l, MOD_BYTE_MASK) > 1 || (several && (!to_shared || from_shared)) ||
	    (masked && (to_shared || several))) {
		lower_fails(l);
		return;
	}
	const struct lower_arg to = to_shared ? uniform_at(l, 0, 0) : uniform_pair(l, 0),
			       from = from_shared ? uniform_at(l, 1, 0) : uniform_pair(l, 1),
			       barrier = uniform_at(l, 0, 1), mask = several || masked ? multicast_mask(l, 2) : zero;
	once(l);
	if (masked)
		PTX(l, "cp.async.bulk.global.shared::cta.bulk_group.cp_mask", to, zero, from, zero, bytes, mask);
	else if (!to_shared)
		PTX(l, "cp.async.bulk.global.shared::cta.bulk_group", to, zero, from, zero, bytes);
	else if (several)
		PTX(l, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster", to, zero,
		    from, zero, bytes, barrier, zero, mask);
	else
		PTX(l,
		    lower_text(l, "cp.async.bulk.shared::cluster.%s.mbarrier::complete_tx::bytes",
			       from_shared ? "shared::cta" : "global"),
		    to, zero, from, zero, bytes, barrier, zero);
}

void lower_ublkred(struct lower *l)
{
	static const char *const ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
	static const char *const types[] = {"u32", "s32", "u64", "s64", "f16", "f32", NULL, "f64", "bf16"};
	const bool to_shared = modifier(l, MOD_COPY_TO);
	const u32 op = modifier(l, MOD_BULK_RED), type = modifier(l, MOD_BULK_TYPE);
	const struct lower_arg bytes = bulk_bytes(l, 2, false), zero = OFFSET(0);

	if (type >= COUNT_OF(types) || !types[type] || modifier(l, MOD_COUNTED)) {
		lower_fails(l);
		return;
	}
	const bool half = type == 4 || type == 8;
	const char *kind = op >= 5 ? (type == 2 ? "b64" : "b32") : types[type];
	const char *what = lower_text(l, "%s%s.%s", ops[op], half && op == 0 ? ".noftz" : "", kind);
	const struct lower_arg to = to_shared ? uniform_at(l, 0, 0) : uniform_pair(l, 0), from = uniform_at(l, 1, 0);
	once(l);
	if (to_shared)
		PTX(l,
		    lower_text(l, "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.%s",
			       what),
		    to, zero, from, zero, bytes, uniform_at(l, 0, 1), zero);
	else
		PTX(l, lower_text(l, "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s", what), to, zero, from,
		    zero, bytes);
}

/* --- Tensors -------------------------------------------------------------------------------- */

/* The map's address, and coordinates from word `first` of operand 0 on: of a gather or scatter a column and four rows. */
static u32 push_map(struct lower *l, struct lower_arg *args, u32 first, bool lines)
{
	const u32 dims = lines ? 5 : modifier(l, MOD_DIMENSIONS) + 1;
	u32 count = 0;

	args[count++] = uniform_pair(l, 1);
	args[count++] = OFFSET(0);
	for (u32 k = 0; k < dims; k++)
		args[count++] = uniform_at(l, 0, first + k);
	return count;
}

/* im2col's offsets, in the lower half of operand 2: of 16, 8, 5 bits, for 3, 4, 5 dimensions. */
static u32 push_offsets(struct lower *l, struct lower_arg *args, u32 dims)
{
	static const u8 widths[] = {16, 8, 5};
	const u32 count = dims - 2, width = widths[count - 1];

	for (u32 k = 0; k < count; k++) {
		const u32 offset = lower_word(l);
		PTX(l, "bfe.u32", TO32(offset), ROW32(lower_plain(l, 2, 0)), ROW32(lower_number(l, k * width)),
		    ROW32(lower_number(l, width)));
		args[k] = ROW16(offset);
	}
	return count;
}

/* Operand 0: shared memory, the barrier, the coordinates. */
void lower_utmaldg(struct lower *l)
{
	const u32 dims = modifier(l, MOD_DIMENSIONS) + 1;
	const u32 mode = modifier(l, MOD_IM2COL) + modifier(l, MOD_IM2COL100);
	const bool im2col = mode == 1, several = modifier(l, MOD_MULTICAST), gathers = modifier(l, MOD_GATHER4);
	struct lower_arg args[TENSOR_ARGS] = {uniform_at(l, 0, 0), OFFSET(0)};
	u32 count = 2;

	if (dims > 5 || mode > 1 || modifier(l, MOD_CTA2) || (im2col && dims < 3) ||
	    (gathers && (im2col || dims != 2))) {
		lower_fails(l);
		return;
	}
	count += push_map(l, args + count, 2, gathers);
	args[count++] = uniform_at(l, 0, 1);
	args[count++] = OFFSET(0);
	if (im2col)
		count += push_offsets(l, args + count, dims);
	if (several)
		args[count++] = multicast_mask(l, 2);
	once(l);
	lower_ptx(l,
		  lower_text(l, "cp.async.bulk.tensor.%ud.shared::cluster.global.%s.mbarrier::complete_tx::bytes%s",
			     dims,
			     gathers  ? "tile::gather4"
			     : im2col ? "im2col"
				      : "tile",
			     several ? ".multicast::cluster" : ""),
		  args, count);
}

/* Operand 0: shared memory, the coordinates. */
static void to_tensor(struct lower *l, const char *text, bool lines)
{
	struct lower_arg args[TENSOR_ARGS];
	u32 count = push_map(l, args, 1, lines);

	args[count++] = uniform_at(l, 0, 0);
	args[count++] = OFFSET(0);
	once(l);
	lower_ptx(l, text, args, count);
}

void lower_utmastg(struct lower *l)
{
	enum { SCATTER = 2 };
	static const char *const modes[] = {"tile", "im2col_no_offs", "tile::scatter4"};
	const u32 mode = modifier(l, MOD_SCATTER4), dims = modifier(l, MOD_DIMENSIONS) + 1;

	if (mode > SCATTER || dims > 5 || (mode == SCATTER && dims != 2))
		lower_fails(l);
	else
		to_tensor(l,
			  lower_text(l, "cp.async.bulk.tensor.%ud.global.shared::cta.%s.bulk_group", dims, modes[mode]),
			  mode == SCATTER);
}

void lower_utmaredg(struct lower *l)
{
	static const char *const ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

	if (modifier(l, MOD_DIMENSIONS) > 4)
		lower_fails(l);
	else
		to_tensor(l,
			  lower_text(l, "cp.reduce.async.bulk.tensor.%ud.global.shared::cta.%s.%s.bulk_group",
				     modifier(l, MOD_DIMENSIONS) + 1, ops[modifier(l, MOD_BULK_RED) & 7],
				     modifier(l, MOD_IM2COL90) ? "im2col_no_offs" : "tile"),
			  false);
}

/* FENCE.VIEW.ASYNC: .S is what fence.proxy.async becomes for whatever space, behind a MEMBAR. */
void lower_fence(struct lower *l)
{
	enum { GLOBAL = 1 };

	lower_ptx(l, modifier(l, MOD_FENCE_SPACE) == GLOBAL ? "fence.proxy.async.global" : "fence.proxy.async", NULL,
		  0);
}

/* UTMACMDFLUSH closes a group of copies as commit_group does. */
void lower_utmacmdflush(struct lower *l) { lower_ptx(l, "cp.async.bulk.commit_group", NULL, 0); }

/* --- What the warp stores once, behind what came before, and the work of other clusters ------- */

static struct lower_arg uniform_value(struct lower *l, u32 k, bool wide)
{
	return wide ? ROW64(lower_join(l, lower_plain(l, k, 0), lower_plain(l, k, 1))) : ROW32(lower_plain(l, k, 0));
}

void lower_ustgr(struct lower *l)
{
	enum { MMIO_GPU = 8, STRONG_SYS = 10, MMIO_SYS = 12 };
	static const char *const types[] = {"u8", "s8", "u16", "s16", "b32", "b64"};
	const u32 size = modifier(l, MOD_SIZE), order = modifier(l, MOD_STORE_ORDER100);

	if (size >= COUNT_OF(types)) {
		lower_fails(l);
		return;
	}
	const struct lower_arg at = uniform_pair(l, 0);
	const u32 bits = size < 2 ? 8 : size < 4 ? 16 : 32;
	const struct lower_arg whole = uniform_value(l, 1, size == 5);
	const struct lower_arg value = bits == 32 ? whole : ROW16(whole.row);
	once(l);
	PTX(l,
	    lower_text(l, "st.async%s.release.%s.global.%s", order == MMIO_GPU || order == MMIO_SYS ? ".mmio" : "",
		       order == STRONG_SYS || order == MMIO_SYS ? "sys" : "gpu", types[size]),
	    at, OFFSET(l->i->operands[0].value), value);
}

void lower_uredgr(struct lower *l)
{
	enum { STRONG_SYS = 10 };
	static const char *const ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"}, *const types[] = {
													  "u32", "s32",
													  "u64", "s64"};
	const u32 op = modifier(l, MOD_ATOM), type = modifier(l, MOD_ATOM_TYPE);

	if (op >= COUNT_OF(ops) || type >= COUNT_OF(types)) {
		lower_fails(l);
		return;
	}
	const struct lower_arg at = uniform_pair(l, 0), value = uniform_value(l, 1, type >= 2);
	once(l);
	PTX(l,
	    lower_text(l, "red.async.release.%s.global.%s.%s",
		       modifier(l, MOD_STORE_ORDER100) == STRONG_SYS ? "sys" : "gpu", ops[op],
		       op >= 5 ? "b32" : types[type]),
	    at, OFFSET(l->i->operands[0].value), value);
}

/* The answer goes to the first address, and the barrier at the second counts its bytes. */
void lower_ugetnextworkid(struct lower *l)
{
	const struct lower_arg to = uniform_at(l, 0, 0), barrier = uniform_at(l, 1, 0), zero = OFFSET(0);

	once(l);
	PTX(l, "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128", to, zero, barrier,
	    zero);
}
