/* SPDX-License-Identifier: Apache-2.0
 *
 * From the text of a row to the fields that decoding and printing go through: see sass/encoding.h for the language.
 *
 * A row's text is read from left to right, once for each form of the instruction (which of its sources is an immediate,
 * a constant or a uniform register), and becomes a list of fields:
 *
 *      FFMA   ".fmz.round.sat d, -|a, -|b:f32, -|c:f32"
 *             `--- modifiers: one field each (read_modifiers)
 *                             `--- operands: sign bits, place, type (read_operand)
 *
 * The same list serves decoding (sass/decode.c) and printing (sass/print.c), so the two cannot disagree. An error in a
 * row is reported by a test, not to users.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sass/encoding.h"

#define OFFSET23                    \
	{                           \
		{40}, {23}, 1, true \
	}
#define OFFSET                      \
	{                           \
		{40}, {24}, 1, true \
	}
/* What stands between brackets, by name. */
static const struct sass_address_form sass_addresses[] = {
	{.name = "[a]", .base = 24, .offset = OFFSET},
	{.name = "[a:32]", .base = 24, .offset = {{32}, {32}, 1, true}},
	{.name = "[a+32]", .base = 24, .uniform = 32, .offset = OFFSET},
	{.name = "[a+64]", .base = 24, .uniform = 64, .offset = OFFSET},
	{.name = "[a+16]", .base = 24, .uniform = 16, .offset = OFFSET},
	{.name = "[x]", .base = 24, .offset = OFFSET, .scale = 78},
	{.name = "[x+32]", .base = 24, .uniform = 32, .offset = OFFSET, .scale = 78},
	{.name = "[x+64]", .base = 24, .uniform = 64, .offset = OFFSET, .scale = 78},
	{.name = "[xu+64]", .base = 24, .uniform = 64, .offset = OFFSET, .scale = 78, .always_uniform = true},
	{.name = "[g+32]", .base = 24, .uniform = 32, .descriptor = 32, .offset = OFFSET, .wide = 90, .described = 76},
	{.name = "[g+64]", .base = 24, .uniform = 64, .descriptor = 64, .offset = OFFSET, .wide = 90, .described = 76},
	{.name = "[t+64]", .base = 24, .uniform = 64, .descriptor = 64, .offset = OFFSET, .wide = 70, .described = 71},
	{.name = "[r+64]", .base = 24, .uniform = 64, .descriptor = 64, .offset = OFFSET, .wide = 90, .described = 71},
	{.name = "[t100+64]",
	 .base = 24,
	 .uniform = 64,
	 .descriptor = 64,
	 .offset = OFFSET23,
	 .wide = 63,
	 .described = 76},
	{.name = "[f100+64]",
	 .base = 24,
	 .uniform = 64,
	 .descriptor = 64,
	 .offset = OFFSET23,
	 .wide = 63,
	 .described = 90},
	{.name = "[r100+64]",
	 .base = 24,
	 .uniform = 64,
	 .descriptor = 64,
	 .offset = OFFSET,
	 .wide = 90,
	 .described = 81},
	{.name = "[copy+64]",
	 .base = 24,
	 .uniform = 64,
	 .descriptor = 64,
	 .offset = {{32}, {12}, 1, true},
	 .wide = 255,
	 .described = 76},
	{.name = "[copy+65]",
	 .base = 24,
	 .uniform = 64,
	 .next = true,
	 .descriptor = 64,
	 .offset = {{32}, {12}, 1, true},
	 .wide = 255,
	 .described = 76},
	{.name = "[copy16]", .base = 16, .offset = {{44}, {20}, 1, true}},
	{.name = "[copyu16]", .base = 16, .uniform = 64, .offset = {{44}, {20}, 1, true}, .always_uniform = true},
	{.name = "[m100+64]",
	 .base = 24,
	 .uniform = 64,
	 .descriptor = 64,
	 .offset = OFFSET,
	 .wide = 81,
	 .described = 90},
	{.name = "[e+32]",
	 .base = 24,
	 .uniform = 32,
	 .descriptor = 32,
	 .offset = {{40}, {17}, 32, true},
	 .wide = 255,
	 .described = 76},
	{.name = "[e+64]",
	 .base = 24,
	 .uniform = 64,
	 .descriptor = 64,
	 .offset = {{40}, {19}, 32, true},
	 .wide = 255,
	 .described = 76},
	{.name = "[w+64]", .base = 24, .uniform = 64, .offset = OFFSET, .wide = 90},
	{.name = "[w72+64]", .base = 24, .uniform = 64, .offset = OFFSET, .wide = 72},
	{.name = "[s+64]", .base = 24, .uniform = 64, .offset = OFFSET, .always_uniform = true},
	{.name = "[u24]", .uniform = 24, .offset = OFFSET},
	{.name = "[u24.]", .uniform = 24},
	{.name = "[u24+1]", .uniform = 24, .next = true},
	{.name = "[u32]", .uniform = 32, .offset = OFFSET},
	{.name = "[u32.]", .uniform = 32},
	{.name = "[u64]", .uniform = 64, .offset = OFFSET},
	{.name = "[a.]", .base = 24},
	{.name = "gdesc[24]", .prefix = "gdesc", .uniform = 24},
	{.name = "gdesc[32]", .prefix = "gdesc", .uniform = 32},
	{.name = "idesc[40]", .prefix = "idesc", .uniform = 40, .next = true},
	{.name = "tmem[24+40]", .prefix = "tmem", .uniform = 24, .offset = OFFSET},
	{.name = "tmem[64+40]", .prefix = "tmem", .uniform = 64, .offset = OFFSET},
	{.name = "tmem[24]", .prefix = "tmem", .uniform = 24},
	{.name = "tmem[32]", .prefix = "tmem", .uniform = 32, .offset = OFFSET},
	{.name = "tmem[64]", .prefix = "tmem", .uniform = 64},
	{.name = "tmem[40]", .prefix = "tmem", .uniform = 40},
	{.name = "tmem[48]", .prefix = "tmem", .uniform = 48},
	{.name = "desc[16]", .prefix = "desc", .uniform = 16},
	{.name = "desc[40]", .prefix = "desc", .uniform = 40},
	{.name = "[16]", .base = 16, .offset = OFFSET},
};

struct reader {
	const char *at;
	u32 sm, form;
	bool uniform;
	const char *why;
};

/* The first reason is kept. Always false. */
static bool fail(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return false;
}

/* Takes the word if it stands here. */
static bool eat(struct reader *r, const char *word)
{
	const size_t length = strlen(word);

	if (strncmp(r->at, word, length))
		return false;
	r->at += length;
	return true;
}

static u32 read_number(struct reader *r)
{
	char *end;
	const unsigned long n = strtoul(r->at, &end, 10);

	if (end == r->at || n > 127)
		return fail(r, "a bit number is missing or too large");
	r->at = end;
	return (u32)n;
}

/* 80, 78:2, 64:3+72:5, 40:24s*4 */
static struct sass_bits read_bits(struct reader *r)
{
	struct sass_bits b = {.scale = 1};

	for (u32 k = 0; k < 3; k++) {
		b.low[k] = (u8)read_number(r);
		b.width[k] = 1;
		if (eat(r, ":"))
			b.width[k] = (u8)read_number(r);
		if (!eat(r, "+"))
			break;
	}
	if (eat(r, "s"))
		b.is_signed = true;
	if (eat(r, "*"))
		b.scale = (u8)read_number(r);
	return b;
}

static u32 find_list(struct reader *r)
{
	size_t length = 0;

	while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_')
		length++;
	for (u32 k = 1; k < MOD_COUNT; k++)
		if (!strncmp(sass_modifier_lists[k].name, r->at, length) && !sass_modifier_lists[k].name[length]) {
			r->at += length;
			return k;
		}
	fail(r, "no such list of modifiers");
	return MOD_NONE;
}

/* A list and its bits: those after @, or the usual ones. */
static u16 read_list(struct reader *r, struct sass_bits *bits)
{
	const u32 list = find_list(r);
	struct reader usual = {.at = sass_modifier_lists[list].bits};

	if (list == MOD_NONE)
		return MOD_NONE;
	*bits = eat(r, "@") ? read_bits(r) : read_bits(&usual);
	return (u16)list;
}

/* Fields are cleared by sass_compile(). */
static struct sass_field *new_field(struct reader *r, struct sass_rule *to)
{
	if (to->field_count == SASS_FIELDS) {
		fail(r, "too many fields");
		to->field_count--;
	}
	return &to->fields[to->field_count++];
}

static void read_modifiers(struct reader *r, struct sass_rule *to)
{
	while (!r->why && *r->at == '.') {
		struct sass_field *f = new_field(r, to);

		r->at++;
		if (islower((unsigned char)*r->at)) {
			f->kind = FIELD_MODIFIER;
			f->list = read_list(r, &f->bits);
			continue;
		}
		f->kind = FIELD_FIXED;
		f->text = r->at;
		while (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == 'x')
			r->at++;
		f->length = (u8)(r->at - f->text);
	}
}

/* --- Operands ------------------------------------------------------------------------------- */

static struct sass_bits one_run(u32 low, u32 width)
{
	return (struct sass_bits){.low = {(u8)low}, .width = {(u8)width}, .scale = 1};
}

/* Uniform registers have numbers of 6 bits before sm_100. Sources at the usual places have a bit that asks for
 * reuse. */
static void set_register(struct reader *r, struct sass_field *f, u32 low, bool uniform)
{
	f->arg = uniform ? ARG_UREGISTER : ARG_REGISTER;
	f->bits = one_run(low, uniform && r->sm < 100 ? 6 : 8);
	if (!uniform && (low == 24 || low == 32 || low == 64))
		f->reuse_bit = low == 24 ? 122 : low == 32 ? 123 : 124;
}

static void set_constant(struct sass_field *f)
{
	f->arg = ARG_CONSTANT;
	f->bits = (struct sass_bits){{38}, {16}, 1, false};
}

/* Where the second and third source of a form stand: a slot, or what is not a register.
 * In which of the forms 1 to 7 an immediate, a constant or a uniform register takes the place of source b or c is the
 * same for all arithmetic of the machine. */
static void set_source(struct reader *r, struct sass_field *f, char which)
{
	const u32 form = r->form;
	const bool special =
		which == 's' || (which == 'b' ? form >= 4 && form <= 6 : form == 2 || form == 3 || form == 7);

	if (form == 1 || !special) {
		const u32 low = form == 1 && which != 'c' ? 32 : which == 'c' && form != 1 ? 64 : form == 1 ? 64 : 64;

		set_register(r, f, low, r->uniform);
		f->reuse_bit = r->uniform ? NO_BIT : which == 'c' ? 124 : 123;
	} else if (form == 2 || form == 4) {
		f->arg = ARG_INTEGER;
		f->bits = one_run(32, 32);
	} else if (form == 3 || form == 5) {
		set_constant(f);
	} else {
		set_register(r, f, 32, true);
	}
}

static bool read_predicate(struct reader *r, struct sass_field *f)
{
	static const struct {
		char name;
		u8 low, not_bit;
	} places[] = {{'u', 81, 0}, {'v', 84, 0}, {'p', 87, 90}, {'q', 77, 80}, {'r', 68, 71}};

	for (u32 k = 0; k < COUNT_OF(places); k++)
		if (r->at[0] == 'p' && r->at[1] == places[k].name) {
			r->at += 2;
			f->bits = one_run(places[k].low, 3);
			f->not_bit = places[k].not_bit;
			return true;
		}
	return false;
}

/* An operand at a place of its own: a kind, @, and its lowest bit. */
static bool read_placed(struct reader *r, struct sass_field *f)
{
	static const struct {
		const char *name;
		u8 arg, width;
	} kinds[] = {{"R@", ARG_REGISTER, 8},      {"UR@", ARG_UREGISTER, 8}, {"P@", ARG_PREDICATE, 3},
		     {"UP@", ARG_UPREDICATE, 3},   {"B@", ARG_BARRIER, 4},    {"SB@", ARG_SCOREBOARD, 3},
		     {"SBS@", ARG_SCOREBOARDS, 6}, {"Pi@", ARG_PREDICATE, 3}, {"UPi@", ARG_UPREDICATE, 3}};

	for (u32 k = 0; k < COUNT_OF(kinds); k++)
		if (eat(r, kinds[k].name)) {
			const char *place = r->at;
			const u32 low = read_number(r);

			if (k < 2)
				set_register(r, f, low, k);
			f->arg = kinds[k].arg;
			f->inverted = strchr(kinds[k].name, 'i');
			if (f->inverted)
				f->not_bit = (u8)(low + 3);
			f->bits = one_run(low, k == 1 && r->sm < 100 ? 6 : kinds[k].width);
			if (*r->at == ':') {
				r->at = place;
				f->bits = read_bits(r);
			}
			return true;
		}
	return false;
}

static bool read_address(struct reader *r, struct sass_field *f)
{
	for (u32 k = 0; k < COUNT_OF(sass_addresses); k++)
		if (eat(r, sass_addresses[k].name)) {
			f->arg = ARG_ADDRESS;
			f->address = &sass_addresses[k];
			return true;
		}
	return fail(r, "no such form of address");
}

static bool read_register(struct reader *r, struct sass_field *f)
{
	const bool uniform = r->at[0] == 'u' && strchr("abcdsp", r->at[1]) && r->at[1];
	const bool kept = r->uniform;

	r->at += uniform;
	if (read_predicate(r, f)) {
		f->arg = uniform ? ARG_UPREDICATE : ARG_PREDICATE;
		return true;
	}
	r->uniform = uniform;
	if (eat(r, "d"))
		set_register(r, f, 16, uniform);
	else if (eat(r, "a"))
		set_register(r, f, 24, uniform);
	else if (*r->at == 'b' || *r->at == 'c' || *r->at == 's')
		set_source(r, f, *r->at++);
	else
		return fail(r, "no such operand");
	r->uniform = kept;
	return true;
}

static bool read_name(struct reader *r, struct sass_field *f)
{
	if (eat(r, "#")) {
		f->arg = ARG_INTEGER;
		f->bits = read_bits(r);
		f->decimal = eat(r, "d");
		return true;
	}
	if (eat(r, "goto")) {
		f->arg = ARG_TARGET;
		return true;
	}
	if (eat(r, "sreg")) {
		f->arg = ARG_SPECIAL;
		f->bits = one_run(72, 8);
		return true;
	}
	if (eat(r, "const")) { /* c[bank][register + offset] */
		set_constant(f);
		f->register_beside = eat(r, "+a");
		f->uniform_beside = eat(r, "+u");
		if (f->uniform_beside && r->form == 3)
			f->bits = one_run(37, 17);
		f->bits.is_signed = f->register_beside;
		return true;
	}
	if (eat(r, "near")) { /* in bytes */
		f->arg = ARG_TARGET;
		f->bits = eat(r, "@24") ? one_run(24, 58) : one_run(32, 32);
		f->bits.is_signed = true;
		return true;
	}
	if (eat(r, "raw")) { /* a target's distance, counted from the next instruction and 0: BRX */
		f->arg = ARG_TARGET;
		f->type = 1;
		return true;
	}
	if (eat(r, "'")) {
		const char *end = strchr(r->at, '\'');

		if (!end)
			return fail(r, "a word without end");
		f->arg = ARG_WORD;
		f->text = r->at;
		f->length = (u8)(end - r->at);
		r->at = end + 1;
		return true;
	}
	if (strchr("[gti", *r->at) || !strncmp(r->at, "desc", 4))
		return read_address(r, f);
	return read_placed(r, f) || read_register(r, f);
}

/* The bits of the sign and the bars of what stands at a slot. */
static void usual_signs(struct sass_field *f, bool minus, bool bars)
{
	const u32 low = f->arg == ARG_CONSTANT ? 32 : f->bits.low[0];

	if (f->arg == ARG_INTEGER)
		return;
	if (minus && !f->minus_bit)
		f->minus_bit = low == 24 ? 72 : low == 32 ? 63 : 75;
	if (bars && !f->bars_bit)
		f->bars_bit = low == 24 ? 73 : low == 32 ? 62 : 74;
}

static void read_type(struct reader *r, struct sass_field *f)
{
	static const struct {
		const char *name;
		u8 type;
	} types[] = {{":f32", SASS_F32}, {":f64", SASS_F64}, {":f16", SASS_F16X2}, {":bf16", SASS_BF16X2}};
	const bool immediate = f->arg == ARG_INTEGER;

	if (eat(r, ":s")) {
		f->bits.is_signed = immediate;
		return;
	}
	for (u32 k = 0; k < COUNT_OF(types); k++)
		if (eat(r, types[k].name) && immediate) {
			f->arg = ARG_FLOAT;
			f->type = types[k].type;
		}
}

/* Signs first, each with the bit that switches it if it is not the usual one; then what stands there, its part, type
 * and reuse. */
static bool read_operand(struct reader *r, struct sass_rule *to, bool comma)
{
	struct sass_field *f = new_field(r, to);
	bool minus = false, bars = false;

	f->comma = comma;
	if (eat(r, "=")) {
		f->kind = FIELD_WORD;
		f->list = read_list(r, &f->bits);
		return !r->why;
	}
	f->kind = FIELD_OPERAND;
	for (;;) {
		if (eat(r, "-")) {
			minus = true;
			f->minus_bit = isdigit((unsigned char)*r->at) ? (u8)read_number(r) : NO_BIT;
		} else if (eat(r, "|")) {
			bars = true;
			f->bars_bit = isdigit((unsigned char)*r->at) ? (u8)read_number(r) : NO_BIT;
		} else if (eat(r, "~")) {
			minus = true;
			f->complement = true;
		} else if (eat(r, "!")) {
			f->not_bit = isdigit((unsigned char)*r->at) ? (u8)read_number(r) : NO_BIT;
		} else {
			break;
		}
	}
	const u8 not_bit = f->not_bit;

	if (!read_name(r, f))
		return false;
	if (not_bit)
		f->not_bit = not_bit;
	usual_signs(f, minus, bars);
	if (eat(r, ".")) {
		f->list = read_list(r, &f->part);
		if (f->arg == ARG_INTEGER && f->bits.low[0] == 32)
			f->list = MOD_NONE;
	}
	read_type(r, f);
	if (eat(r, "^"))
		f->reuse_bit = (u8)read_number(r);
	if (eat(r, "?*"))
		f->unprinted = true;
	else if (eat(r, "?-"))
		f->optional_old = true;
	else if (eat(r, "?"))
		f->optional = true;
	return !r->why;
}

/* --- Conditions ----------------------------------------------------------------------------- */

/* These bits must have that value for the row to match: `mask` and `want`, which decoding compares. */
static void require(struct sass_rule *to, u32 low, u32 width, u64 value)
{
	for (u32 k = 0; k < width; k++) {
		const u32 bit = low + k;
		u64 *mask = bit < 64 ? &to->mask_low : &to->mask_high, *want = bit < 64 ? &to->low : &to->high;

		*mask |= 1ull << (bit & 63);
		*want = (*want & ~(1ull << (bit & 63))) | (value >> k & 1) << (bit & 63);
	}
}

static u64 read_value(struct reader *r)
{
	char *end;
	const u64 value = strtoul(r->at, &end, 10);

	r->at = end;
	return value;
}

static void read_condition(struct reader *r, struct sass_rule *to)
{
	while (*r->at && !r->why) {
		const struct sass_bits b = read_bits(r);
		u64 value;

		if (eat(r, "^")) {
			to->power_of_two = true;
			eat(r, " ");
			continue;
		}
		if (eat(r, "!") && to->excluded_count < COUNT_OF(to->excluded)) {
			to->excluded[to->excluded_count].low = b.low[0];
			to->excluded[to->excluded_count].width = b.width[0];
			to->excluded[to->excluded_count++].value = (u8)read_value(r);
			eat(r, " ");
			continue;
		}
		if (!eat(r, "=")) {
			fail(r, "a condition needs '='");
			return;
		}
		value = read_value(r);
		for (u32 k = 0; k < 3 && b.width[k]; k++) {
			require(to, b.low[k], b.width[k], value);
			value >>= b.width[k];
		}
		while (*r->at == ' ')
			r->at++;
	}
}

/* False, with the reason in *why: the row's text is wrong. */
bool sass_compile(struct arena *a, u32 sm, const struct sass_row *row, u32 form, struct sass_rule *to, const char **why)
{
	struct reader r = {.at = row->when, .sm = sm, .form = form};
	const bool uniform = strpbrk(row->forms, "ug");
	struct sass_field fields[SASS_FIELDS];

	to->row = row;
	to->uniform_guard = uniform;
	to->fields = fields;
	memset(fields, 0, sizeof fields);
	require(to, 0, 12, row->bits | form << 9);
	if (!strchr(row->forms, 'x') && form != 3 && form != 5)
		require(to, 91, 1, strchr(row->forms, 'u') || form >= 6);
	read_condition(&r, to);
	r.at = row->text;
	read_modifiers(&r, to);
	while (!r.why && *r.at) {
		const bool comma = eat(&r, ", ");

		if (!comma && !eat(&r, " "))
			fail(&r, "expected a blank or a comma before an operand");
		else
			read_operand(&r, to, comma);
	}
	to->fields = ARENA_ARRAY(a, to->field_count, struct sass_field);
	memcpy(to->fields, fields, to->field_count * sizeof *fields);
	*why = r.why;
	return !r.why;
}
