/* SPDX-License-Identifier: Apache-2.0
 *
 * Undefined bits, instruction by instruction.
 *
 * Rules (enum defined_rule) say how undefined bits of sources reach the result: bit by bit for logic, upwards for sums,
 * whole for everything else. They err towards undefined only where the value could really differ.
 */
#include "observe/defined.h"

#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/run.h"
#include "isa/form.h"
#include "observe/defined_machine.h"
#include "observe/defined_matrix.h"
#include "observe/sites.h"

static u64 full(u32 bits) { return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1; }

/* --- Before the run: what an instruction is ----------------------------------------------------- */

static bool is_integer(const struct form *f)
{
	const char class = (char)type_class(form_type(f, 0));

	return class != 'f';
}

static enum defined_rule logic_rule(const struct form *f)
{
	switch ((enum opcode)f->opcode) {
	case OP_and:
		return DEFINED_AND;
	case OP_or:
		return DEFINED_OR;
	case OP_shl:
		return DEFINED_SHIFT_LEFT;
	case OP_shr:
		return DEFINED_SHIFT_RIGHT;
	case OP_bfe:
		return DEFINED_FIELD;
	case OP_bfi:
		return DEFINED_INSERT;
	case OP_prmt:
		return DEFINED_PERMUTE;
	case OP_selp:
		return DEFINED_SELECT;
	case OP_lop3:
		return f->operand_count == 4 && f->immediate_count ? DEFINED_TABLE : DEFINED_BITS;
	default:
		return DEFINED_BITS; /* xor, not */
	}
}

static u32 elements_of(int type)
{
	switch (type) {
	case T_u16x2:
	case T_s16x2:
	case T_f16x2:
	case T_bf16x2:
	case T_f32x2:
	case T_e4m3x2:
	case T_e5m2x2:
	case T_e3m2x2:
	case T_e2m3x2:
	case T_e2m1x2:
	case T_ue8m0x2:
		return 2;
	case T_u8x4:
	case T_s8x4:
	case T_e4m3x4:
	case T_e5m2x4:
	case T_e3m2x4:
	case T_e2m3x4:
	case T_e2m1x4:
		return 4;
	default:
		return 1;
	}
}

/* Of arithmetic on packed types. */
static enum defined_rule packed_rule(const struct form *f)
{
	if (f->opcode == OP_setp)
		return DEFINED_ANY;
	if (f->opcode != OP_cvt || elements_of(form_type(f, 1)) == elements_of(form_type(f, 0)))
		return DEFINED_ELEMENTS;
	return f->operand_count == 1 + elements_of(form_type(f, 0)) ? DEFINED_PACK : DEFINED_ANY;
}

/* Of integers: 1 less, 4 greater, 2 or equal; 0: of equality. */
static u32 comparison(const struct form *f)
{
	static const struct {
		int word;
		u8 outcomes;
	} words[] = {{M_lt, 1}, {M_lo, 1}, {M_le, 3}, {M_ls, 3}, {M_gt, 4}, {M_hi, 4}, {M_ge, 6}, {M_hs, 6}};

	for (u32 k = 0; k < COUNT_OF(words); k++)
		if (form_has(f, words[k].word))
			return words[k].outcomes;
	return 0;
}

static enum defined_rule value_rule(const struct form *f)
{
	if (elements_of(form_type(f, 0)) > 1)
		return packed_rule(f);
	switch ((enum opcode)f->opcode) {
	case OP_mov:
		return DEFINED_COPY;
	case OP_and:
	case OP_or:
	case OP_xor:
	case OP_not:
	case OP_lop3:
	case OP_shl:
	case OP_shr:
	case OP_bfe:
	case OP_bfi:
	case OP_prmt:
	case OP_selp:
		return logic_rule(f);
	case OP_add:
	case OP_sub:
	case OP_mul:
	case OP_mad:
		return is_integer(f) && !form_has(f, M_hi) && !form_has(f, M_sat) ? DEFINED_SUM : DEFINED_ANY;
	case OP_shf:
		return DEFINED_FUNNEL;
	case OP_szext:
		return DEFINED_EXTEND;
	case OP_cvt:
		return is_integer(f) && type_class(form_type(f, 1)) != 'f' && !form_has(f, M_sat) ? DEFINED_CONVERT
												  : DEFINED_ANY;
	case OP_setp:
		return !is_integer(f) ? DEFINED_ANY : comparison(f) ? DEFINED_ORDER : DEFINED_EQUAL;
	default:
		return DEFINED_ANY;
	}
}

/* By what the row says of the instruction; value_rule() looks at single opcodes. */
static enum defined_rule rule_of(const struct form *f)
{
	const u32 traits = f->row->traits, flags = f->row->flags;

	if (flags & ISA_MEMORY || traits & TRAIT_MBARRIER)
		return flags & ISA_ATOMIC ? DEFINED_ATOMIC : flags & ISA_STORE ? DEFINED_STORE : DEFINED_LOAD;
	if (traits & (TRAIT_ASYNC | TRAIT_ORDERS | TRAIT_BARRIER) ||
	    flags & (ISA_CALL | ISA_BRANCH | ISA_RET | ISA_EXIT))
		return DEFINED_RESULT;
	if (traits & TRAIT_SHUFFLES)
		return DEFINED_SHUFFLE;
	if (defined_is_product(f))
		return DEFINED_PRODUCT;
	if (traits & TRAIT_VOTES || traits & TRAIT_MULTIPLIES || flags & ISA_CROSS_LANE)
		return DEFINED_ACROSS;
	return value_rule(f);
}

static void add_operand(struct defined_insn *d, u32 row, u32 bits, u32 role)
{
	if (d->count < DEFINED_OPERANDS)
		d->operands[d->count++] = (struct defined_operand){row, (u8)bits, role};
}

static u32 row_of(const struct code *code, const struct form *f, const struct insn *i, u32 at)
{
	return f->operand_bits[at] ? insn_operand(code, f, i, at) : NO_OPERAND;
}

/* Those of a vector, a value, or a pair of results. Returns how many. */
static u32 add_values(struct defined_insn *d, const struct code *code, const struct form *f, const struct insn *i,
		      const struct operand_spec *s, u32 at)
{
	const u32 entries = max_u32(1, s->vector) + (s->second != TOKEN_NONE);
	u32 n = 0;

	for (; n < entries && at + n < f->operand_count; n++) {
		const u32 row = row_of(code, f, i, at + n), bits = f->operand_bits[at + n];
		const bool second = s->second != TOKEN_NONE && n == entries - 1;
		if (s->read && !second)
			add_operand(d, row, bits, d->is_surface ? DEFINED_TEXEL : DEFINED_SOURCE);
		if (s->written || second)
			add_operand(d, row, bits, DEFINED_RESULT_OF);
	}
	return n;
}

/* The flattened operands, by the specs of the text's. False: there are some of another kind. */
static bool add_operands(struct defined_insn *d, const struct code *code, const struct form *f, const struct insn *i)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(f, specs);
	u32 at = 0;

	for (u32 k = 0; k < count && at < f->operand_count; k++) {
		const struct operand_spec *s = &specs[k];
		if (s->immediate)
			continue;
		if (s->kind == 't') {
			at += add_values(d, code, f, i, s, at);
			continue;
		}
		if (s->kind == '@') {
			add_operand(d, row_of(code, f, i, at), f->operand_bits[at], DEFINED_BASE);
			at += 2;
			continue;
		}
		if (s->kind != 'X' && s->kind != 'S')
			return false;
		/* An object, its sampler, and where. */
		d->is_surface |= s->kind == 'S';
		for (u32 n = 2 + form_coordinates(f); n && at < f->operand_count; n--, at++)
			add_operand(d, row_of(code, f, i, at), f->operand_bits[at], DEFINED_BASE);
	}
	return at == f->operand_count;
}

/* Only the first decoded instruction of a statement looks at the guard. */
static void describe_guard(struct defined_insn *d, const struct code *code, u32 insn)
{
	const struct ir_instruction *x = &code->function->body.items[code->origin[insn]];
	const bool first = insn == 0 || code->origin[insn - 1] != code->origin[insn];

	if (first && x->guard && x->guard->kind == SYM_REGISTER)
		d->guard = code->registers[x->guard->reg->index].offset;
}

/* A move between a vector and a wide register: bits travel by position. */
static bool is_packing(const struct defined_insn *d)
{
	u32 results = 0, sources = 0;

	for (u32 k = 0; k < d->count; k++) {
		results += d->operands[k].role == DEFINED_RESULT_OF;
		sources += d->operands[k].role == DEFINED_SOURCE;
	}
	return results > 1 || sources > 1;
}

static bool is_zero(const struct code *code, u32 row)
{
	for (u32 k = 0; k < code->constant_count; k++)
		if (code->constants[k].offset == row && !code->constants[k].low)
			return true;
	return false;
}

/* What beside the values decides about the result. */
static u32 table_of(const struct form *f, u32 rule)
{
	if (rule == DEFINED_TABLE)
		return (u32)f->immediates[0] & 0xff;
	if (rule == DEFINED_ORDER)
		return comparison(f);
	return (form_has(f, M_l) ? 1u : 0) | (form_has(f, M_wrap) ? 2u : 0);
}

static void describe_row(struct defined_insn *d, struct arena *arena, const struct code *code, u32 insn,
			 const struct form *f)
{
	const struct insn *i = &code->insns[insn];

	d->operands = ARENA_ARRAY(arena, DEFINED_OPERANDS, struct defined_operand);
	d->rule = (u8)rule_of(f);
	d->table = (u8)table_of(f, d->rule);
	if (f->row->flags & (ISA_BRANCH | ISA_CALL | ISA_RET | ISA_EXIT) || !add_operands(d, code, f, i))
		d->count = 0;
	/* A product that became part of a sum leaves it a third source. */
	if (!code->steps && f->layout == LAYOUT_DIRECT && i->c != NO_OPERAND && f->operand_count == f->has_result + 2u)
		add_operand(d, i->c, d->count ? d->operands[0].bits : 32, DEFINED_SOURCE);
	const int type = form_type(f, f->opcode == OP_cvt ? 1 : 0);
	d->is_signed = type_class(type) == 's';
	d->modes = f->opcode == OP_prmt && form_pick(f, M_f4e, M_rc16) != TOKEN_NONE;
	d->negated = i->aux != 0;
	d->from_bits = (u8)min_u32(64, type_bits(form_type(f, 1)));
	d->to_bits = (u8)min_u32(64, type_bits(form_type(f, 0)));
	d->elements = (u8)elements_of(form_type(f, 0));
	if (f->opcode != OP_cvt && d->elements > 1)
		d->from_bits = d->to_bits;
	d->computes = d->rule == DEFINED_ANY || d->rule == DEFINED_SUM || d->rule == DEFINED_EQUAL ||
		      d->rule == DEFINED_ELEMENTS || d->rule == DEFINED_PACK;
	if (d->rule == DEFINED_SUM && (f->opcode == OP_add || f->opcode == OP_sub) && d->count == 3)
		d->second = f->opcode == OP_add ? 1 : -1;
	if (code->steps && d->second && (is_zero(code, i->a) || is_zero(code, i->b)))
		d->computes = false; /* how machine code copies */
	if (d->rule == DEFINED_COPY && is_packing(d))
		d->rule = DEFINED_VECTOR;
}

/* An insn of machine code is a row of PTX, which is its own, or a handler; one of PTX has its form with the others that lowering
 * made of the statement. */
void defined_describe(struct defined_insn *d, struct arena *arena, const struct code *code, u32 insn)
{
	const u32 origin = code->origin[insn];

	*d = (struct defined_insn){.known = true, .guard = NO_OPERAND, .selects = NO_OPERAND, .rule = DEFINED_RESULT};
	if (code->steps) {
		d->own = true;
		defined_machine_guard(d, code, insn);
		if (code->steps[insn].form)
			describe_row(d, arena, code, insn, code->steps[insn].form);
		else
			defined_machine_describe(d, arena, code, insn);
		return;
	}
	if (origin == NO_OPERAND || !code->forms[origin].row)
		return;
	d->own = sites_is_own(code, insn);
	describe_guard(d, code, insn);
	if (d->own)
		describe_row(d, arena, code, insn, &code->forms[origin]);
}

/* --- During the run: one lane -------------------------------------------------------------------- */

u64 defined_value(const u8 *rows, const struct defined_operand *o, u32 lane)
{
	const u8 *row = rows + o->row;

	if (o->row == NO_OPERAND)
		return 0;
	if (o->bits == 1)
		return *(const u32 *)(const void *)row >> lane & 1;
	return o->bits <= 32 ? ((const u32 *)(const void *)row)[lane] : ((const u64 *)(const void *)row)[lane];
}

struct lane {
	u64 value[4], mask[4]; /* of the first sources */
	u32 bits[4], name[4];
	u32 count;
	bool any;
};

static u64 sign_extended(u64 value, u32 bits)
{
	return bits && bits < 64 && value >> (bits - 1) & 1 ? value | ~full(bits) : value & full(bits);
}

static u64 shift(const struct defined_insn *d, const struct lane *l)
{
	const u64 amount = l->value[1] & UINT32_MAX;

	if (l->mask[1])
		return UINT64_MAX;
	if (d->rule == DEFINED_SHIFT_LEFT)
		return amount >= l->bits[0] ? 0 : l->mask[0] << amount;
	if (!d->is_signed)
		return amount >= l->bits[0] ? 0 : l->mask[0] >> amount;
	const u64 wide = sign_extended(l->mask[0], l->bits[0]);
	return (u64)((s64)wide >> (amount > 63 ? 63 : amount));
}

static u64 field(const struct defined_insn *d, const struct lane *l)
{
	const u32 from = (u32)l->value[1] & 0xff, count = (u32)l->value[2] & 0xff;

	if (l->mask[1] || l->mask[2])
		return UINT64_MAX;
	if (!count)
		return 0;
	const u64 taken = (from > 63 ? 0 : l->mask[0] >> from) & full(count);
	return d->is_signed ? sign_extended(taken, count) : taken;
}

static u64 insertion(const struct lane *l)
{
	const u32 at = (u32)l->value[2] & 0xff, count = (u32)l->value[3] & 0xff;

	if (l->mask[2] || l->mask[3])
		return UINT64_MAX;
	const u64 hole = at > 63 ? 0 : full(count) << at;
	return (l->mask[1] & ~hole) | (at > 63 ? 0 : (l->mask[0] << at) & hole);
}

static u64 permutation(const struct defined_insn *d, const struct lane *l)
{
	const u64 both = l->mask[0] | l->mask[1] << 32;
	u64 result = 0;

	if (l->mask[2] || d->modes)
		return UINT64_MAX;
	for (u32 k = 0; k < 4; k++) {
		const u32 pick = (u32)(l->value[2] >> 4 * k) & 15;
		const u64 byte = both >> 8 * (pick & 7) & 0xff;
		result |= (pick & 8 ? (byte & 0x80 ? 0xffull : 0) : byte) << 8 * k;
	}
	return result;
}

static u64 conversion(const struct defined_insn *d, const struct lane *l)
{
	const u64 from = l->mask[0] & full(d->from_bits);

	return (d->is_signed ? sign_extended(from, d->from_bits) : from) & full(d->to_bits);
}

/* Of packed types: an element is undefined if one of its sources' is. */
static u64 packed(const struct defined_insn *d, const struct lane *l)
{
	const u32 to = d->to_bits / d->elements, from = d->from_bits / d->elements;
	u64 result = 0;

	for (u32 n = 0; n < d->elements; n++) {
		u64 any = d->rule == DEFINED_PACK ? l->mask[d->elements - 1 - n] : 0;
		for (u32 k = 0; d->rule == DEFINED_ELEMENTS && k < l->count; k++)
			any |= l->mask[k] >> n * from & full(from);
		result |= any ? full(to) << n * to : 0;
	}
	return result;
}

/* Each bit of the result for all that undefined bits of the sources may be. */
static u64 looked_up(const struct defined_insn *d, const struct lane *l)
{
	u64 any = 0, all = UINT64_MAX;

	for (u32 k = 0; k < 8; k++) {
		u64 from[3], result = 0;
		for (u32 n = 0; n < 3; n++)
			from[n] = (l->value[n] & ~l->mask[n]) | (k >> n & 1 ? l->mask[n] : 0);
		for (u32 entry = 0; entry < 8; entry++)
			if (d->table >> entry & 1)
				result |= (entry & 4 ? from[0] : ~from[0]) & (entry & 2 ? from[1] : ~from[1]) &
					  (entry & 1 ? from[2] : ~from[2]);
		any |= result;
		all &= result;
	}
	return any & ~all;
}

/* The lower word of {b, a} shifted right, or the upper one of it shifted left. */
static u64 funnel(const struct defined_insn *d, const struct lane *l)
{
	const u64 both = (l->mask[0] & UINT32_MAX) | l->mask[1] << 32;
	const u32 given = (u32)l->value[2], count = d->table & 2 ? given & 31 : min_u32(given, 32);

	if (l->mask[2] & (d->table & 2 ? 31 : UINT32_MAX))
		return UINT64_MAX;
	return d->table & 1 ? both << count >> 32 : both >> count & UINT32_MAX;
}

static u64 extension(const struct defined_insn *d, const struct lane *l)
{
	const u32 count = (u32)l->value[1] & 31;

	if (l->mask[1])
		return UINT64_MAX;
	if (l->value[1] >= 32 && !(d->table & 2))
		return l->mask[0];
	return !count ? 0 : d->is_signed ? sign_extended(l->mask[0], count) : l->mask[0] & full(count);
}

static bool holds(u32 outcomes, u64 a, u64 b) { return outcomes & (a < b ? 1u : a == b ? 2u : 4u); }

/* The least of one against the greatest of the other, and the other way round: if both say the same, so do all. */
static u64 order(const struct defined_insn *d, const struct lane *l)
{
	const u64 sign = d->is_signed && l->bits[0] > 1 ? 1ull << (l->bits[0] - 1) : 0;
	const u64 a = l->value[0] ^ sign, b = l->value[1] ^ sign;

	return l->mask[2] || holds(d->table, a & ~l->mask[0], b | l->mask[1]) !=
				       holds(d->table, a | l->mask[0], b & ~l->mask[1])
		       ? UINT64_MAX
		       : 0;
}

static bool differs_by_defined(const struct defined_insn *d, const struct lane *l)
{
	const u32 opposite = d->second < 0 ? 0 : DEFINED_NEGATED;

	return d->second && l->name[0] && l->name[0] == (l->name[1] ^ opposite);
}

/* Of two, exact; of products and of more, all from the lowest undefined bit up. */
static u64 sum(const struct defined_insn *d, const struct lane *l)
{
	const u64 all = l->mask[0] | l->mask[1] | l->mask[2];

	if (differs_by_defined(d, l))
		return 0;
	if (d->second > 0)
		return defined_sum(l->value[0], l->mask[0], l->value[1], l->mask[1], 0);
	if (d->second < 0)
		return defined_sum(l->value[0], l->mask[0], ~l->value[1], l->mask[1], 1);
	return all | (0 - all);
}

static u64 result_of(const struct defined_insn *d, const struct lane *l)
{
	const u64 either = l->mask[0] | l->mask[1];

	switch ((enum defined_rule)d->rule) {
	case DEFINED_COPY:
		return l->mask[0];
	case DEFINED_AND:
		return either & (l->value[0] | l->mask[0]) & (l->value[1] | l->mask[1]);
	case DEFINED_OR:
		return either & (~l->value[0] | l->mask[0]) & (~l->value[1] | l->mask[1]);
	case DEFINED_BITS:
		return either | l->mask[2];
	case DEFINED_SHIFT_LEFT:
	case DEFINED_SHIFT_RIGHT:
		return shift(d, l);
	case DEFINED_FIELD:
		return field(d, l);
	case DEFINED_INSERT:
		return insertion(l);
	case DEFINED_PERMUTE:
		return permutation(d, l);
	case DEFINED_SELECT:
		return l->mask[2]                         ? either | (l->value[0] ^ l->value[1])
		       : (l->value[2] != 0) != d->negated ? l->mask[0]
							  : l->mask[1];
	case DEFINED_TABLE:
		return looked_up(d, l);
	case DEFINED_FUNNEL:
		return funnel(d, l);
	case DEFINED_EXTEND:
		return extension(d, l);
	case DEFINED_SUM:
		return sum(d, l);
	case DEFINED_ORDER:
		return order(d, l);
	case DEFINED_CONVERT:
		return conversion(d, l);
	case DEFINED_ELEMENTS:
	case DEFINED_PACK:
		return packed(d, l);
	case DEFINED_EQUAL:
		return !l->mask[2] && (l->value[0] ^ l->value[1]) & ~either & full(l->bits[0]) ? 0 : UINT64_MAX;
	default:
		return UINT64_MAX;
	}
}

/* Which of the undefined sources the result still is, but for something defined; 0: none. */
static u32 name_of(const struct defined_insn *d, const struct lane *l)
{
	if (d->rule == DEFINED_COPY)
		return l->name[0];
	if (d->rule == DEFINED_SELECT)
		return l->mask[2] ? 0 : l->name[(l->value[2] != 0) == d->negated];
	if (!d->second || (l->mask[0] && l->mask[1]))
		return 0;
	return l->mask[0] ? l->name[0] : d->second > 0 ? l->name[1] : 0;
}

/* Reads the sources; the origin is that of the first one which is undefined. */
static struct lane read_lane(const struct defined_insn *d, const struct frame *f, const u8 *rows, u32 lane, u32 *origin)
{
	struct lane l = {.count = 0};

	for (u32 k = 0; k < d->count; k++) {
		const struct defined_operand *o = &d->operands[k];
		if (o->role != DEFINED_SOURCE)
			continue;
		const u64 mask = defined_get(f, o, lane);
		if (mask && !l.any)
			*origin = *defined_origin(f, o->row);
		l.any |= mask != 0;
		if (l.count < 4) {
			l.value[l.count] = defined_value(rows, o, lane);
			l.mask[l.count] = mask;
			l.name[l.count] = mask ? defined_name(f, o, lane) : 0;
			l.bits[l.count++] = o->bits;
		}
	}
	return l;
}

/* name: 0: a new one. */
static void write_results(const struct defined_insn *d, const struct frame *f, u32 lane, u64 mask, u32 origin, u32 name)
{
	for (u32 k = 0; k < d->count; k++) {
		if (d->operands[k].role != DEFINED_RESULT_OF)
			continue;
		defined_put(f, &d->operands[k], lane, mask, origin);
		defined_rename(f, &d->operands[k], lane, name);
	}
}

/* --- All lanes -------------------------------------------------------------------------------- */

bool defined_sources_are_clean(const struct defined_insn *d, const struct frame *f)
{
	for (u32 k = 0; k < d->count; k++)
		if (d->operands[k].role == DEFINED_SOURCE && !defined_is_clean(f, &d->operands[k]))
			return false;
	return true;
}

void defined_clear_results(const struct defined_insn *d, const struct frame *f, u32 mask)
{
	for (u32 k = 0; k < d->count; k++)
		if (d->operands[k].role == DEFINED_RESULT_OF && !defined_is_clean(f, &d->operands[k]))
			defined_clear(f, &d->operands[k], mask);
}

/* The sources' bits one after the other are those of the results. */
static void step_vector(const struct defined_insn *d, const struct frame *f, u32 lane, u32 site)
{
	u64 bits[4] = {0};
	u32 at = 0, origin = site;

	for (u32 k = 0; k < d->count; k++) {
		const struct defined_operand *o = &d->operands[k];
		if (o->role != DEFINED_SOURCE || at + o->bits > 256)
			continue;
		const u64 mask = defined_get(f, o, lane);
		if (mask)
			origin = *defined_origin(f, o->row);
		bits[at / 64] |= mask << at % 64;
		at += o->bits;
	}
	at = 0;
	for (u32 k = 0; k < d->count; k++) {
		const struct defined_operand *o = &d->operands[k];
		if (o->role != DEFINED_RESULT_OF || at + o->bits > 256)
			continue;
		const u64 mask =
			o->bits > 64 ? bits[at / 64] | bits[at / 64 + 1] : bits[at / 64] >> at % 64 & full(o->bits);
		defined_put(f, o, lane, mask, origin == NO_SITE ? site : origin);
		at += o->bits;
	}
}

/* Which lane each takes its value from, as shfl.sync says it. */
static u32 shuffle_source(const struct form *f, u32 lane, u64 b, u64 c)
{
	const u32 segment = (u32)c >> 8 & 31, last = (lane & segment) | ((u32)c & 31 & ~segment), by = (u32)b & 31;
	s32 j;

	switch (form_pick(f, M_up, M_idx)) {
	case M_up:
		j = (s32)lane - (s32)by;
		return j >= (s32)last ? (u32)j & 31 : lane;
	case M_down:
		j = (s32)(lane + by);
		break;
	case M_bfly:
		j = (s32)(lane ^ by);
		break;
	default:
		j = (s32)((lane & segment) | (by & ~segment));
	}
	return j <= (s32)last ? (u32)j & 31 : lane;
}

static void step_shuffle(const struct defined_insn *d, const struct warp *w, const struct frame *f,
			 const struct form *form, const u8 *rows, u32 mask, u32 site)
{
	const u32 members = form_has(form, M_sync) && w->resumed ? w->member_mask : mask;
	const struct defined_operand *source[3], *result = NULL;
	u64 undefined[WARP_LANES];
	u32 origin[WARP_LANES], name[WARP_LANES], count = 0;

	for (u32 k = 0; k < d->count; k++) {
		if (d->operands[k].role == DEFINED_SOURCE && count < 3)
			source[count++] = &d->operands[k];
		else if (d->operands[k].role == DEFINED_RESULT_OF && !result)
			result = &d->operands[k];
	}
	if (count < 3 || !result)
		return;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u32 from =
			shuffle_source(form, l, defined_value(rows, source[1], l), defined_value(rows, source[2], l));
		const bool absent = !(members >> from & 1);
		undefined[l] = absent ? UINT64_MAX : defined_get(f, source[0], from);
		name[l] = absent ? 0 : defined_name(f, source[0], from);
		origin[l] = absent || *defined_origin(f, source[0]->row) == NO_SITE
				    ? site
				    : *defined_origin(f, source[0]->row);
	}
	defined_clear_results(d, f, mask);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		defined_put(f, result, l, undefined[l], origin[l]);
		defined_rename(f, result, l, name[l]);
	}
}

static void step_across(const struct defined_insn *d, const struct frame *f, u32 mask, u32 site)
{
	u32 origin = site;
	bool any = false;

	for (u32 k = 0; k < d->count; k++)
		if (d->operands[k].role == DEFINED_SOURCE && defined_lanes(f, &d->operands[k], mask)) {
			any = true;
			origin = *defined_origin(f, d->operands[k].row);
		}
	for (u32 left = mask; left; left &= left - 1)
		write_results(d, f, (u32)__builtin_ctz(left), any ? UINT64_MAX : 0, origin == NO_SITE ? site : origin,
			      0);
}

void defined_step(const struct defined_insn *d, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
		  u32 site)
{
	const struct frame *f = w->frame;

	if (d->rule == DEFINED_GUARD)
		return;
	if (d->rule == DEFINED_MACHINE) {
		defined_machine_step(d, w, i, rows, mask, site);
		return;
	}
	if (d->rule == DEFINED_SHUFFLE) {
		step_shuffle(d, w, f, warp_form(w, i), rows, mask, site);
		return;
	}
	if (d->rule == DEFINED_RESULT || defined_sources_are_clean(d, f)) {
		defined_clear_results(d, f, mask);
		return;
	}
	if (d->rule == DEFINED_PRODUCT && defined_product(d, f, warp_form(w, i), site))
		return;
	if (d->rule == DEFINED_ACROSS || d->rule == DEFINED_PRODUCT) {
		step_across(d, f, mask, site);
		return;
	}
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u32 origin = site;
		if (d->rule == DEFINED_VECTOR) {
			step_vector(d, f, l, site);
			continue;
		}
		const struct lane x = read_lane(d, f, rows, l, &origin);
		/* A register that nothing has written: whoever reads it first is told of. */
		if (origin == NO_SITE)
			origin = site;
		write_results(d, f, l, x.any ? result_of(d, &x) : 0, d->computes ? origin | DEFINED_COMPUTED : origin,
			      x.any ? name_of(d, &x) : 0);
	}
}
