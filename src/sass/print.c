/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of an instruction, as the vendor's disassembler spells it. The same fields that decoded it, in the same order.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "number/half.h"
#include "sass/encoding.h"

const char *const sass_opcode_names[SASS_OP_COUNT] = {
#define X(name) [SASS_OP_##name] = #name,
	SASS_OPCODES(X)
#undef X
};

struct writer {
	char *text;
	u32 length;
	const struct sass_decoder *decoder;
};

/* What does not fit into SASS_TEXT is cut off. */
static void put(struct writer *w, const char *text, size_t length)
{
	if (length > SASS_TEXT - 1 - w->length)
		length = SASS_TEXT - 1 - w->length;
	memcpy(w->text + w->length, text, length);
	w->length += (u32)length;
}

static void put_text(struct writer *w, const char *text) { put(w, text, strlen(text)); }

static void __attribute__((format(printf, 2, 3))) putf(struct writer *w, const char *format, ...)
{
	char text[64];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	put(w, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

/* --- Words ---------------------------------------------------------------------------------- */

/* A word of a list, and what stands for a value without one: ???5, INVALID5. */
static void put_word(struct writer *w, u32 list, u32 value, const char *before)
{
	const struct sass_modifier_list *l = &sass_modifier_lists[list];
	const char *word = value < l->count ? l->words[value] : "!";

	if (!*word)
		return;
	put_text(w, before);
	if (*word == '?')
		putf(w, "???%u", value);
	else if (*word == '!')
		putf(w, "INVALID%u", value);
	else
		put_text(w, word);
}

static void put_signed(struct writer *w, s64 value)
{
	if (value < 0)
		putf(w, "-0x%" PRIx64, (u64)-value);
	else
		putf(w, "0x%" PRIx64, (u64)value);
}

/* As nvdisasm prints floats: 20 digits, +QNAN and -INF with a blank behind. */
static void put_real(struct writer *w, f64 x)
{
	if (isnan(x))
		put_text(w, signbit(x) ? "-QNAN " : "+QNAN ");
	else if (isinf(x))
		put_text(w, x < 0 ? "-INF " : "+INF ");
	else if (x == 0 && signbit(x))
		put_text(w, "-0.0 ");
	else
		putf(w, fabs(x) >= 1e9 ? "%.20e" : "%.20g", x);
}

/* A half that is not a number keeps its sign. */
static void put_half(struct writer *w, u16 half)
{
	const u32 bits = f32_from_f16(half) & 0x7fffffff;

	put_real(w, (f64)f32_of_bits(bits | (u32)(half >> 15) << 31));
}

/* Immediates as the encoding holds them: upper halves of doubles, pairs of halves. */
static void put_float(struct writer *w, const struct sass_operand *o)
{
	const u32 bits = (u32)o->value;

	switch (o->type) {
	case SASS_F32:
		put_real(w, (f64)f32_of_bits(bits));
		return;
	case SASS_F64:
		put_real(w, f64_of_bits((u64)bits << 32));
		return;
	case SASS_F16X2:
		put_half(w, (u16)(bits >> 16));
		put_text(w, ", ");
		put_half(w, (u16)bits);
		return;
	default:
		put_real(w, (f64)f32_of_bits(bits & 0xffff0000));
		put_text(w, ", ");
		put_real(w, (f64)f32_of_bits(bits << 16));
	}
}

/* --- Operands ------------------------------------------------------------------------------- */

static void put_register(struct writer *w, const char *name, u32 number)
{
	if (number == SASS_RZ)
		putf(w, "%sZ", name);
	else
		putf(w, "%s%u", name, number);
}

static void put_predicate(struct writer *w, const char *name, u32 number)
{
	if (number == SASS_PT)
		putf(w, "%sT", name);
	else
		putf(w, "%s%u", name, number);
}

/* A base of RZ is left out where something else stands there and no suffix hangs on it. */
static bool shows_base(const struct writer *w, const struct sass_operand *o, bool more)
{
	const bool suffix = o->part || o->flags & (SASS_WIDE | SASS_U32);

	if (o->base != SASS_RZ)
		return true;
	if (w->decoder->sm < 90 && o->uniform != SASS_NO_REGISTER)
		return false;
	return !more || suffix;
}

/* Parts that are zero are left out, as nvdisasm does: [R2], [UR4], [R2+UR4+0x10], desc[UR4][R2.64]. */
static void put_address(struct writer *w, const struct sass_insn *i, const struct sass_operand *o,
			const struct sass_address_form *f)
{
	const bool hides_descriptor = w->decoder->sm < 90 && !(i->high >> 37 & 1);
	const bool has_uniform =
		o->uniform != SASS_NO_REGISTER && !(f->wide && !f->descriptor && o->uniform == SASS_RZ);
	const bool more = has_uniform || o->value;
	const char *plus = "";

	if (f->prefix)
		put_text(w, f->prefix);
	if (o->descriptor != SASS_NO_REGISTER && !hides_descriptor) {
		put_text(w, "desc[");
		put_register(w, "UR", o->descriptor);
		put_text(w, "]");
	}
	put_text(w, "[");
	if (f->base && shows_base(w, o, more)) {
		if (o->base == SASS_RZ && o->flags & SASS_WIDE)
			put_text(w, "???255");
		else
			put_register(w, "R", o->base);
		if (o->part && (o->base != SASS_RZ || has_uniform))
			put_word(w, MOD_SCALE, o->part, ".");
		put_text(w, o->flags & SASS_WIDE ? ".64" : o->flags & SASS_U32 ? ".U32" : "");
		plus = "+";
	}
	if (has_uniform) {
		put_text(w, plus);
		put_register(w, "UR", o->uniform);
		plus = "+";
	}
	if (o->value) {
		put_text(w, plus);
		put_signed(w, *plus || f->offset.width[0] != 24 ? (s64)o->value : (s64)(o->value & 0xffffff));
	}
	put_text(w, "]");
}

static void put_constant(struct writer *w, const struct sass_operand *o, const struct sass_field *f)
{
	if (o->arg == ARG_UCONSTANT) {
		put_text(w, "cx[");
		put_register(w, "UR", o->uniform);
	} else {
		putf(w, "c[0x%x", o->number);
	}
	/* The vendor's tool has a blank where half of the word may be meant. */
	put_text(w, o->part_of ? "] [" : "][");
	if (o->base != SASS_RZ)
		putf(w, o->value ? "R%u+" : "R%u", o->base);
	else if (o->arg == ARG_CONSTANT && o->uniform != SASS_NO_REGISTER)
		putf(w, o->value ? "UR%u+" : "UR%u", o->uniform);
	else if (!o->value && (f->register_beside || f->uniform_beside))
		put_text(w, f->register_beside ? "RZ" : "URZ");
	if (o->value || !(f->register_beside || f->uniform_beside))
		put_signed(w, (s64)o->value);
	put_text(w, "]");
}

static void put_scoreboards(struct writer *w, u32 mask)
{
	const char *before = "{";

	for (u32 k = 6; k-- > 0;)
		if (mask >> k & 1) {
			putf(w, "%s%u", before, k);
			before = ",";
		}
	put_text(w, "}");
}

static void put_special(struct writer *w, u32 number)
{
	const char *name = sass_special_name(number);

	if (name)
		put_text(w, name);
	else
		putf(w, "SR%u", number);
}

static void put_value(struct writer *w, const struct sass_insn *i, const struct sass_operand *o,
		      const struct sass_field *f)
{
	switch ((enum sass_arg)o->arg) {
	case ARG_REGISTER:
		put_register(w, "R", o->number);
		return;
	case ARG_UREGISTER:
		put_register(w, "UR", o->number);
		return;
	case ARG_PREDICATE:
		put_predicate(w, "P", o->number);
		return;
	case ARG_UPREDICATE:
		put_predicate(w, "UP", o->number);
		return;
	case ARG_BARRIER:
		putf(w, "B%u", o->number);
		return;
	case ARG_SCOREBOARD:
		putf(w, "SB%u", o->number);
		return;
	case ARG_SCOREBOARDS:
		put_scoreboards(w, (u32)o->value);
		return;
	case ARG_SPECIAL:
		put_special(w, o->number);
		return;
	case ARG_FLOAT:
		put_float(w, o);
		return;
	case ARG_CONSTANT:
	case ARG_UCONSTANT:
		put_constant(w, o, f);
		return;
	case ARG_ADDRESS:
		put_address(w, i, o, f->address);
		return;
	case ARG_TARGET:
		put_signed(w, (s64)o->value);
		return;
	case ARG_WORD:
		put(w, f->text, f->length);
		return;
	case ARG_INTEGER:
		if (f->decimal)
			putf(w, "%" PRIu64, o->value);
		else if (f->bits.is_signed)
			put_signed(w, (s64)o->value);
		else
			putf(w, "0x%" PRIx64, o->value);
		return;
	case ARG_NONE:
		return;
	}
}

static void put_operand(struct writer *w, const struct sass_insn *i, const struct sass_operand *o,
			const struct sass_field *f)
{
	if (o->flags & SASS_NOT)
		put_text(w, "!");
	if (o->arg != ARG_ADDRESS && o->flags & SASS_MINUS)
		put_text(w, o->flags & SASS_COMPLEMENT ? "~" : "-");
	if (o->arg != ARG_ADDRESS && o->flags & SASS_BARS)
		put_text(w, "|");
	put_value(w, i, o, f);
	const bool barred = o->arg != ARG_ADDRESS && o->flags & SASS_BARS;
	const bool inside = barred && o->part_of == MOD_PART_H1; /* |R2.H1|, but |R2|.H1_H1 */
	if (inside)
		put_word(w, o->part_of, o->part, ".");
	if (barred)
		put_text(w, "|");
	if (o->flags & SASS_REUSE)
		put_text(w, ".reuse");
	if (!inside && o->part_of && o->part_of != MOD_SCALE)
		put_word(w, o->part_of, o->part, ".");
}

static void put_guard(struct writer *w, const struct sass_insn *i)
{
	if (i->guard == SASS_PT && !i->guard_negated)
		return;
	put_text(w, i->guard_negated ? "@!" : "@");
	put_predicate(w, i->guard_uniform ? "UP" : "P", i->guard);
	put_text(w, " ");
}

/* Fields in the row's order: modifiers behind the opcode, then operands. A blank before the first operand, commas
 * before others. */
u32 sass_print(const struct sass_decoder *d, const struct sass_insn *i, char text[SASS_TEXT])
{
	struct writer w = {text, 0, d};
	const struct sass_rule *rule = &d->rules[i->row];
	u32 operand = 0, modifier = 0;
	bool first = true;

	put_guard(&w, i);
	put_text(&w, sass_opcode_names[i->opcode]);
	for (u32 k = 0; k < rule->field_count; k++) {
		const struct sass_field *f = &rule->fields[k];

		if (f->kind == FIELD_FIXED) {
			put_text(&w, ".");
			put(&w, f->text, f->length);
			continue;
		}
		if (f->kind == FIELD_MODIFIER) {
			put_word(&w, f->list, i->modifier_values[modifier++], ".");
			continue;
		}
		if (f->kind == FIELD_OPERAND && i->operands[operand].flags & SASS_HIDDEN) {
			operand++;
			continue;
		}
		if (f->kind == FIELD_WORD) {
			put_word(&w, f->list, i->modifier_values[modifier++], first ? " " : ", ");
			continue;
		}
		put_text(&w, !first && f->comma ? ", " : " ");
		first = false;
		if (f->kind == FIELD_OPERAND)
			put_operand(&w, i, &i->operands[operand++], f);
	}
	w.length -= w.length && text[w.length - 1] == ' ';
	text[w.length] = 0;
	return w.length;
}
