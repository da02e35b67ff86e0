/* SPDX-License-Identifier: Apache-2.0
 *
 * Operand words of a row, resolved for one form, and the selectors of video operands. Called by
 * lowering for each instruction, and by the documentation.
 */
#include "isa/form.h"
#include "isa/matrix.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The type of the same class and twice the width, for the results of mul.wide and its like. */
static u16 wider(int type)
{
	static const u16 pairs[][2] = {
		{T_u8, T_u16}, {T_u16, T_u32}, {T_u32, T_u64}, {T_s8, T_s16},   {T_s16, T_s32}, {T_s32, T_s64},
		{T_b8, T_b16}, {T_b16, T_b32}, {T_b32, T_b64}, {T_b64, T_b128}, {T_f16, T_f32}, {T_f32, T_f64},
	};
	for (u32 k = 0; k < COUNT_OF(pairs); k++)
		if (pairs[k][0] == type)
			return pairs[k][1];
	return TOKEN_NONE;
}

/* Reads TYPE at *p and moves behind it. */
static u16 read_type(const struct form *form, const char **p, char *kind)
{
	const char *at = *p;
	const size_t length = strcspn(at, "|< ");

	*p = at + length;
	*kind = 't';
	if (*at == '@') {
		*kind = '@';
		return length > 1 ? (u16)token_find_part(at + 1, length - 1) : TOKEN_NONE;
	}
	if (length == 1 && strchr("TLFVXS", *at)) {
		*kind = *at;
		return TOKEN_NONE;
	}
	if (length == 1 && *at >= '0' && *at <= '9')
		return (u16)form_type(form, (u32)(*at - '0'));
	if (length == 2 && *at == 'w' && at[1] >= '0' && at[1] <= '9')
		return wider(form_type(form, (u32)(at[1] - '0')));
	const int type = token_find_part(at, length);
	assert(token_is_type(type));
	return (u16)type;
}

/* Reads <low,high[,step]>, if it stands at *p. */
static void read_limits(struct operand_spec *spec, const char **p)
{
	char *end;

	if (**p != '<')
		return;
	spec->limited = true;
	spec->low = strtoull(*p + 1, &end, 0);
	spec->high = strtoull(end + 1, &end, 0);
	spec->step = *end == ',' ? (u32)strtoul(end + 1, &end, 0) : 1;
	*p = end + 1;
}

/* Takes the mark, if it stands at *p. */
static bool take_mark(const char **p, char mark)
{
	const bool is = **p == mark;

	*p += is;
	return is;
}

/* {4} registers, {v} as many as the form's vector has, {A} as many as the fragment has. */
static void read_vector(struct operand_spec *spec, const struct form *form, const char **p)
{
	char *end;

	spec->vector = (u8)strtoul(*p + 1, &end, 10);
	spec->braces = *end != 'v';
	spec->list = *end == 'v';
	if (*end == 'v')
		spec->vector = (u8)form_vector(form);
	else if (*end != '}')
		spec->vector = (u8)isa_fragment_registers(form, *end);
	*p = strchr(end, '}') + 1;
}

static struct operand_spec read_spec(const struct form *form, const char **p)
{
	struct operand_spec spec = {.read = true, .vector = 1};
	char second_kind;

	if (**p == '=' || **p == '+') {
		spec.written = true;
		spec.read = *(*p)++ == '+';
	}
	spec.droppable = take_mark(p, '_');
	spec.optional = take_mark(p, '?');
	spec.immediate = take_mark(p, '#');
	spec.special = take_mark(p, '$');
	spec.symbol = take_mark(p, '&');
	if (**p == '{')
		read_vector(&spec, form, p);
	spec.named = **p > '9' && **p != 'w'; /* neither a digit nor w and a digit */
	spec.type = read_type(form, p, &spec.kind);
	read_limits(&spec, p);
	if (**p == '|') {
		(*p)++;
		spec.needs_second = **p == '|';
		*p += spec.needs_second;
		spec.second = read_type(form, p, &second_kind);
	}
	return spec;
}

u32 isa_operand_specs(const struct form *form, struct operand_spec specs[FORM_OPERANDS])
{
	u32 count = 0;

	for (const char *p = form->row->operands; *p && count < FORM_OPERANDS;) {
		if (*p == ' ')
			p++;
		else
			specs[count++] = read_spec(form, &p);
	}
	return count;
}

/* 0 to 6 as SELECT_BITS has it, or -1. */
static int scalar_selector(const char *text)
{
	static const char *const names[] = {"b0", "b1", "b2", "b3", "h0", "h1"};

	if (!text)
		return 0;
	for (u32 k = 0; k < COUNT_OF(names); k++)
		if (!strcmp(text, names[k]))
			return (int)k + 1;
	return -1;
}

static bool pack_scalar(const struct isa_row *row, const char *const selectors[4], u32 minus, s32 *packed)
{
	s32 word = (s32)(minus >> 1) << SELECT_MINUS_A;

	if (minus & 1 || (minus && !(row->flags & ISA_MINUS)))
		return false;
	if (selectors[3])
		return false;
	for (u32 k = 0; k < 3; k++) {
		const int selector = scalar_selector(selectors[k]);
		if (selector < 0)
			return false;
		word |= selector << (SELECT_A - SELECT_D) * k;
	}
	*packed = word;
	return true;
}

/* The mask of elements that d's selector names: digits fall from left to right. */
static int destination_mask(const char *text, char letter, int elements)
{
	int mask = 0, below = elements;

	if (!text)
		return (1 << elements) - 1;
	if (*text++ != letter || !*text)
		return -1;
	for (; *text; text++) {
		const int digit = *text - '0';
		if (digit < 0 || digit >= below)
			return -1;
		mask |= 1 << digit;
		below = digit;
	}
	return mask;
}

/* The source of each element, lowest in the low bits; without a selector a's or b's own ones. */
static int source_elements(const char *text, char letter, int elements, int first)
{
	int packed = 0;

	if (text && (*text != letter || (int)strlen(text) != elements + 1))
		return -1;
	for (int k = 0; k < elements; k++) {
		const int digit = text ? text[elements - k] - '0' : first + k;
		if (digit < 0 || digit >= 2 * elements)
			return -1;
		packed |= digit << SIMD_BITS * k;
	}
	return packed;
}

bool isa_pack_selectors(const struct isa_row *row, const char *const selectors[4], u32 minus, s32 *packed)
{
	const int elements = row->flags & ISA_SELECT2 ? 2 : 4;
	const char letter = row->flags & ISA_SELECT2 ? 'h' : 'b';

	*packed = 0;
	if (row->flags & ISA_SELECT)
		return pack_scalar(row, selectors, minus, packed);
	if (minus || selectors[3])
		return false;
	if (!(row->flags & (ISA_SELECT2 | ISA_SELECT4)))
		return !selectors[0] && !selectors[1] && !selectors[2];
	const int mask = destination_mask(selectors[0], letter, elements);
	const int a = source_elements(selectors[1], letter, elements, 0);
	const int b = source_elements(selectors[2], letter, elements, elements);
	if (mask < 0 || a < 0 || b < 0)
		return false;
	*packed = mask << SIMD_D | a << SIMD_A | b << SIMD_B;
	return true;
}
