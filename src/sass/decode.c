/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding: the rule of an encoding by its bits 0-11 and conditions, then each of its fields.
 *
 * From the bits of an instruction to its text, and to lowering:
 *
 *  127                                                       64 63                                     12 11     0
 *  +----------------------------------------------------------+----------------------------------------+----------+
 *  | control | modifiers, third source, predicates            | second, first source, destination, @P  | rule key |
 *  +----------------------------------------------------------+----------------------------------------+----------+
 *
 *  rules[first[key] .. + count[key]]  with mask and value over all 128 bits, in the order of the rows: first match wins
 *  rule -> fields                     each names its bits (up to three runs of them) and what it is
 *  fields -> struct sass_insn         operands, modifiers, guard, control; printed by print.c, lowered by lower*.c
 *
 * A decoder is made once for a target and is not changed by decoding: threads may share it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sass/encoding.h"

/* --- The table of a target ------------------------------------------------------------------ */

static const struct sass_family *const families[] = {
#define X(name) &sass_rows_##name,
	SASS_FAMILIES(X)
#undef X
};

static const u32 targets[] = {75, 80, 86, 89, 90, 100, 120};

/* The newest target whose encodings hold for sm; 0: none. sm_87 is decoded as sm_86 is. */
static u32 target_of(u32 sm)
{
	u32 found = 0;

	for (u32 k = 0; k < COUNT_OF(targets); k++)
		if (targets[k] <= sm)
			found = targets[k];
	return sm <= 121 ? found : 0;
}

static bool covers(const struct sass_row *row, u32 sm) { return row->since <= sm && sm <= row->until; }

/* Marks the values that the disassembler prints as ??? or INVALID, so that decoding need not look at words. */
static void mark_meaningless(struct sass_field *f)
{
	const struct sass_modifier_list *list = &sass_modifier_lists[f->list];

	for (u32 value = 0; value < 256; value++)
		if (value >= list->count || list->words[value][0] == '?' || list->words[value][0] == '!')
			f->meaningless[value / 64] |= 1ull << value % 64;
}

/* Makes a rule of each form of a row. A row that does not compile is an error of the table, found by the first test
 * that makes a decoder: hence abort. Forms 3 and 5 take a constant where arithmetic of sm_90 and later has none. */
static void add_row(struct arena *a, struct sass_decoder *d, const struct sass_family *family,
		    const struct sass_row *row, u32 number)
{
	const bool constants_ended = family->is_arithmetic && d->sm >= 90 && row->since < 90;

	for (const char *form = row->forms; *form; form++) {
		struct sass_rule *rule = &d->rules[d->rule_count];
		const char *why = NULL;

		if (*form < '0' || *form > '7' || (constants_ended && strchr("35", *form)))
			continue;
		memset(rule, 0, sizeof *rule);
		rule->number = (u16)number;
		if (!sass_compile(a, d->sm, row, (u32)(*form - '0'), rule, &why)) {
			fprintf(stderr, "ptxsim: row of %s, form %c: %s: %s\n", sass_opcode_names[row->opcode], *form,
				why, row->text);
			abort();
		}
		for (u32 k = 0; k < rule->field_count; k++) {
			struct sass_field *f = &rule->fields[k];
			f->has_flags = f->minus_bit || f->bars_bit || f->not_bit || f->reuse_bit || f->complement;
			if (f->kind == FIELD_MODIFIER || f->kind == FIELD_WORD)
				mark_meaningless(f);
		}
		d->rule_count++;
	}
}

/* Rules with the same bits 0-11 stand together, in the order of the rows. */
static void sort_rules(struct arena *a, struct sass_decoder *d)
{
	struct sass_rule *sorted = ARENA_ARRAY(a, d->rule_count, struct sass_rule);
	u32 next = 0;

	for (u32 k = 0; k < d->rule_count; k++)
		d->count[d->rules[k].low & 0xfff]++;
	for (u32 key = 0; key < 4096; key++) {
		d->first[key] = (u16)next;
		next += d->count[key];
		d->count[key] = 0;
	}
	for (u32 k = 0; k < d->rule_count; k++) {
		const u32 key = d->rules[k].low & 0xfff;

		sorted[d->first[key] + d->count[key]++] = d->rules[k];
	}
	d->rules = sorted;
}

/* NULL: there is no table for this target. */
struct sass_decoder *sass_decoder_new(struct arena *a, u32 sm)
{
	struct sass_decoder *d = ARENA_NEW(a, struct sass_decoder);
	u32 most = 0, number = 0;

	d->sm = target_of(sm);
	if (!d->sm)
		return NULL;
	for (u32 f = 0; f < COUNT_OF(families); f++)
		for (u32 k = 0; k < families[f]->count; k++)
			most += (u32)strlen(families[f]->rows[k].forms);
	d->rules = ARENA_ARRAY(a, most, struct sass_rule);
	for (u32 f = 0; f < COUNT_OF(families); f++)
		for (u32 k = 0; k < families[f]->count; k++, number++)
			if (covers(&families[f]->rows[k], d->sm))
				add_row(a, d, families[f], &families[f]->rows[k], number);
	sort_rules(a, d);
	return d;
}

/* `width` bits from bit `at` on. */
static inline u64 run_of(u64 low, u64 high, u32 at, u32 width)
{
	const u64 value = (u64)(((unsigned __int128)high << 64 | low) >> at);

	return width >= 64 ? value : value & ((1ull << width) - 1);
}

/* What a mask cannot say: values that a field must not have, and immediates that are powers of two. */
static bool holds(const struct sass_rule *rule, u64 low, u64 high)
{
	for (u32 k = 0; k < rule->excluded_count; k++)
		if (run_of(low, high, rule->excluded[k].low, rule->excluded[k].width) == rule->excluded[k].value)
			return false;
	return !rule->power_of_two || __builtin_popcount((u32)(low >> 32)) == 1;
}

static const struct sass_rule *find_rule(const struct sass_decoder *d, u64 low, u64 high)
{
	const struct sass_rule *rule = &d->rules[d->first[low & 0xfff]], *end = rule + d->count[low & 0xfff];

	for (; rule < end; rule++)
		if ((low & rule->mask_low) == rule->low && (high & rule->mask_high) == rule->high &&
		    holds(rule, low, high))
			return rule;
	return NULL;
}

/* --- Fields --------------------------------------------------------------------------------- */

static inline bool bit_of(u64 low, u64 high, u32 bit)
{
	return bit != NO_BIT && (bit < 64 ? low >> bit : high >> (bit - 64)) & 1;
}

/* The value of a field: its runs of bits together, the first lowest, extended by its sign and multiplied by its
 * scale. */
static inline u64 bits_of(u64 low, u64 high, const struct sass_bits *b)
{
	u64 value = run_of(low, high, b->low[0], b->width[0]);
	u32 width = b->width[0];

	if (!b->width[1] && !b->is_signed && b->scale == 1)
		return value;
	for (u32 k = 1; k < 3 && b->width[k]; k++) {
		value |= run_of(low, high, b->low[k], b->width[k]) << width;
		width += b->width[k];
	}
	if (b->is_signed && width < 64)
		value = (u64)((s64)(value << (64 - width)) >> (64 - width));
	return value * b->scale;
}

/* Six bits up to sm_90, whose 63 is URZ. */
static u8 uniform_at(const struct sass_decoder *d, u64 low, u64 high, u32 at)
{
	const u64 n = run_of(low, high, at, d->sm < 100 ? 6 : 8);

	return d->sm < 100 && n == 63 ? SASS_RZ : (u8)n;
}

/* Relative to the next instruction; up to sm_90 the low bits stand apart: ENCODING, branch targets. */
static u64 target_at(const struct sass_decoder *d, u64 low, u64 high)
{
	const s64 far = (s64)(run_of(low, high, 34, 48) << 16) >> 16;

	return (u64)(d->sm < 90 ? far * 4 : far * 1024 + (s64)(low >> 16 & 0xff) * 4);
}

/* [R2.64+UR4+0x10] and what else an address may have: base register, uniform register, descriptor, scale, offset. Bit
 * 91 says that the uniform field is used; as a descriptor it names a pair of registers and a 64-bit base. */
static void decode_address(const struct sass_decoder *d, const struct sass_address_form *f, struct sass_operand *o,
			   u64 low, u64 high)
{
	const bool uniform = bit_of(low, high, 91);

	o->base = f->base ? (u8)run_of(low, high, f->base, 8) : SASS_RZ;
	o->uniform = f->uniform && (uniform || f->always_uniform || !f->base) ? uniform_at(d, low, high, f->uniform)
									      : SASS_NO_REGISTER;
	if (f->next && o->uniform != SASS_RZ)
		o->uniform++;
	o->descriptor = SASS_NO_REGISTER;
	if (f->descriptor && uniform && d->sm >= 80 && bit_of(low, high, f->described)) {
		o->descriptor = o->uniform;
		o->flags |= SASS_WIDE;
		o->uniform = SASS_NO_REGISTER;
	}
	if (f->wide && uniform && o->descriptor == SASS_NO_REGISTER)
		o->flags |= f->wide == 255 || bit_of(low, high, f->wide) ? SASS_WIDE : SASS_U32;
	if (f->scale) {
		o->part_of = MOD_SCALE;
		o->part = (u8)run_of(low, high, f->scale, 2);
	}
	if (f->offset.width[0])
		o->value = bits_of(low, high, &f->offset);
}

/* c[bank][offset]; with bit 91 the bank is in a uniform register; +a: a register, +u: a uniform one beside the offset */
static void decode_constant(const struct sass_decoder *d, const struct sass_field *f, struct sass_operand *o, u64 low,
			    u64 high)
{
	o->number = (u8)run_of(low, high, 54, 5);
	o->base = f->register_beside ? (u8)run_of(low, high, 24, 8) : SASS_RZ;
	o->uniform = SASS_NO_REGISTER;
	o->value = bits_of(low, high, &f->bits);
	if (f->uniform_beside) {
		o->uniform = uniform_at(d, low, high, 24);
		o->uniform = o->uniform == SASS_RZ ? SASS_NO_REGISTER : o->uniform;
	} else if (bit_of(low, high, 91)) {
		o->arg = ARG_UCONSTANT;
		o->number = SASS_NO_REGISTER;
		o->uniform = uniform_at(d, low, high, 32);
	}
}

static void decode_operand(const struct sass_decoder *d, const struct sass_field *f, struct sass_operand *o,
			   const struct sass_insn *i)
{
	const u64 low = i->low, high = i->high;
	u64 number;

	memset(o, 0, sizeof *o);
	o->arg = f->arg;
	if (f->arg == ARG_ADDRESS) {
		decode_address(d, f->address, o, low, high);
		if (f->list) {
			o->part_of = f->list;
			o->part = (u8)bits_of(low, high, &f->part);
		}
		return;
	}
	if (f->arg == ARG_TARGET) {
		o->value = f->bits.width[0] ? bits_of(low, high, &f->bits) : target_at(d, low, high);
		o->value += f->type ? 0 : i->address + 16;
		return;
	}
	if (f->arg == ARG_CONSTANT) {
		decode_constant(d, f, o, low, high);
	} else {
		number = bits_of(low, high, &f->bits) ^ (f->inverted ? SASS_PT : 0);
		o->value = number;
		o->type = f->type;
		o->number = f->arg == ARG_UREGISTER && d->sm < 100 && number == 63 ? SASS_RZ : (u8)number;
	}
	if (f->has_flags)
		o->flags = (u8)((bit_of(low, high, f->minus_bit) ? SASS_MINUS : 0) |
				(bit_of(low, high, f->bars_bit) ? SASS_BARS : 0) |
				(bit_of(low, high, f->not_bit) ? SASS_NOT : 0) |
				(bit_of(low, high, f->reuse_bit) ? SASS_REUSE : 0) |
				(f->complement ? SASS_COMPLEMENT : 0));
	if (f->list) {
		o->part_of = f->list;
		o->part = (u8)bits_of(low, high, &f->part);
	}
}

/* Whether the disassembler leaves an operand out because it has its usual value: PT, RZ, 0. */
static bool is_hidden(const struct sass_decoder *d, const struct sass_field *f, const struct sass_operand *o)
{
	if (f->unprinted)
		return true;
	if (f->arg == ARG_CONSTANT || !(f->optional || (f->optional_old && d->sm < 100)))
		return false;
	if (o->arg == ARG_PREDICATE || o->arg == ARG_UPREDICATE)
		return o->number == SASS_PT && !(o->flags & SASS_NOT);
	return o->arg == ARG_REGISTER || o->arg == ARG_UREGISTER ? o->number == SASS_RZ : o->value == 0;
}

/* Lists have 256 words at most. */
static inline bool is_invalid(const struct sass_field *f, u32 value)
{
	return value >= 256 || (f->meaningless[value / 64] >> value % 64 & 1);
}

/* False: no rule matches. The struct holds numbers only and may be copied. */
bool sass_decode(const struct sass_decoder *d, u64 low, u64 high, u32 address, struct sass_insn *to)
{
	const struct sass_rule *rule = find_rule(d, low, high);

	if (!rule)
		return false;
	to->low = low;
	to->high = high;
	to->address = address;
	to->opcode = rule->row->opcode;
	to->row = (u16)(rule - d->rules);
	to->guard = low >> 12 & 7;
	to->guard_negated = low >> 15 & 1;
	to->guard_uniform = rule->uniform_guard;
	to->invalid = false;
	to->operand_count = to->modifier_count = 0;
	for (u32 k = 0; k < rule->field_count; k++) {
		const struct sass_field *f = &rule->fields[k];

		if (f->kind == FIELD_OPERAND) {
			struct sass_operand *o = &to->operands[to->operand_count++];

			decode_operand(d, f, o, to);
			if (is_hidden(d, f, o))
				o->flags |= SASS_HIDDEN;
		} else if (f->kind != FIELD_FIXED) {
			const u32 value = (u32)bits_of(low, high, &f->bits);

			to->modifier_kinds[to->modifier_count] = f->list;
			to->modifier_values[to->modifier_count++] = (u8)value;
			to->invalid |= is_invalid(f, value);
		}
	}
	return true;
}

/* Bits 105 to 121: stall (4), yield (1), barrier set on write and on read (3 each, 7: none), barriers waited for
 * (6). */
struct sass_control sass_control_of(const struct sass_insn *i)
{
	return (struct sass_control){
		.stall = i->high >> 41 & 15,
		.yield = i->high >> 45 & 1,
		.write_barrier = i->high >> 46 & 7,
		.read_barrier = i->high >> 49 & 7,
		.wait = i->high >> 52 & 63,
	};
}

const char *sass_row_text(const struct sass_decoder *d, const struct sass_insn *i)
{
	return d->rules[i->row].row->text;
}
