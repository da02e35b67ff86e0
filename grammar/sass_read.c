/* SPDX-License-Identifier: Apache-2.0
 *
 * The door of the reader of listings: which machine a listing is for, complaints, functions, and
 * the directives that say what a disassembler leaves out.
 *
 * The parser (sass.y) calls what is declared in sass_reader.h; none of it returns an error: complaints are collected in
 * diags, and the parser goes on with the next line. A listing looks like this:
 *
 *  	code for sm_20                              the machine: one for each file
 *  		Function : saxpy
 *  		.param .u32 n                           what the disassembler leaves out, by hand
 *      MOV R1, c[0x1][0x100];                     an instruction; its address stands before it in a comment
 *  	.L_1:                                       labels count instructions, not addresses
 *  		...........
 *
 * Functions end where the next begins or the text does: end_function settles what could only be known then.
 */
#include <ctype.h>
#include <stdlib.h>

#include "grammar/sass_reader.h"

enum {
	TEXT_LIMIT = 1 << 30,
	SHOWN_TEXT = 40,
	MEMORY_LIMIT = 512 << 10,
	BANKS = 17,
	BANK_BYTES = 65536,
	PARAMS_AT = 0x20
};

/* The scanner's last word: leaves sass_parse for read_text. */
void sass_abort(struct sass_reader *r, const char *message)
{
	diag_error(r->diags, (struct span){r->module->source, r->offset, r->offset},
		   "internal limit of the scanner: %s", message);
	longjmp(r->escape, 1);
}

/* --- Complaints ----------------------------------------------------------------------------- */

bool sass_is_full(const struct sass_reader *r) { return r->diags->error_count > r->diags->error_limit; }

void sass_launch_line(struct sass_reader *r, struct span at, const char *text, size_t length)
{
	while (length && strchr(" \t\r", text[length - 1]))
		length--;
	const struct ir_launch_line line = {arena_copy_text(r->arena, text, length), at};
	VEC_PUSH(r->arena, &r->module->launch_lines, line);
}

void sass_open_comment(struct sass_reader *r)
{
	diag_error(r->diags, r->comment, "comment without an end: expected '*/'");
}

/* Those of a line are one error. */
bool sass_bad_character(struct sass_reader *r, struct span at)
{
	const char *text = r->source->text;
	const u8 c = (u8)text[at.begin];
	const bool same_line = r->bad_end && !memchr(text + r->bad_end, '\n', at.begin - r->bad_end);

	r->bad_end = at.end;
	if (same_line)
		return sass_is_full(r);
	if (c > ' ' && c < 127)
		diag_error(r->diags, at, "unexpected character '%c'", c);
	else
		diag_error(r->diags, at, "unexpected character with code %u", c);
	return sass_is_full(r);
}

void sass_bad_number(struct sass_reader *r, struct span at, const char *text)
{
	diag_error(r->diags, at, "malformed number '%.40s'", text);
}

void sass_too_deep(struct sass_reader *r, struct span at)
{
	diag_error(r->diags, at, "nested too deeply: reading stops here");
}

static bool has_word(const char *const *words, u32 count, const char *word)
{
	for (u32 i = 0; i < count; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

/* What was expected, in the words of those who write listings: the parser's own list of tokens would have dozens.
 * Tokens that come together give away what kind of place it is. */
static const char *expectation(struct sass_reader *r, const char *const *words, u32 count)
{
	const char *text = "";
	u32 listed = 0;

	if (has_word(words, count, "'Function :'"))
		return "an instruction or 'Function : NAME'";
	if (has_word(words, count, "'~'") && has_word(words, count, "a word after a dot"))
		return "a modifier, an operand or ';'";
	if (has_word(words, count, "'~'"))
		return "an operand";
	if (has_word(words, count, "'@'"))
		return "an instruction";
	if (has_word(words, count, "','") && has_word(words, count, "';'"))
		return "',' or ';'";
	for (u32 i = 0; i < count && ++listed <= 5; i++)
		text = *text ? arena_printf(r->arena, "%s or %s", text, words[i]) : words[i];
	return listed && listed <= 5 ? text : NULL;
}

void sass_unexpected(struct sass_reader *r, struct span at, const char *const *expected, u32 count)
{
	const u32 length = at.end - at.begin;
	const char *what = "end of file";

	if (r->diags->error_count >= r->diags->error_limit) {
		diag_error(r->diags, at, "syntax error");
		return;
	}
	if (at.begin < r->source->length)
		what = arena_printf(r->arena, length <= SHOWN_TEXT ? "'%.*s'" : "'%.*s...'",
				    (int)min_u32(length, SHOWN_TEXT), r->source->text + at.begin);
	const char *wanted = expectation(r, expected, count);
	if (wanted)
		diag_error(r->diags, at, "unexpected %s, expected %s", what, wanted);
	else
		diag_error(r->diags, at, "unexpected %s", what);
}

/* Behind an error: half an instruction is dropped. */
void sass_lost(struct sass_reader *r)
{
	r->operands.count = r->modifiers.count = 0;
	r->instruction = (struct ir_instruction){0};
}

/* --- Numbers -------------------------------------------------------------------------------- */

void sass_address(struct sass_reader *r, struct sass_token *t, const char *digits)
{
	(void)r;
	t->bits = strtoul(digits, NULL, 16); /* at most eight digits, said the scanner */
}

/* Encodings have no numbers of more than 32 bits. */
void sass_integer(struct sass_reader *r, struct sass_token *t, struct span at, const char *digits, u32 base)
{
	u64 value = 0;
	bool too_large = false;

	for (; isxdigit((u8)*digits); digits++) {
		const u32 digit = isdigit((u8)*digits) ? (u32)(*digits - '0') : (u32)((*digits | 32) - 'a') + 10;
		too_large |= __builtin_mul_overflow(value, base, &value);
		too_large |= __builtin_add_overflow(value, digit, &value);
	}
	if (too_large || value >> 32)
		diag_error(r->diags, at, "number too large: 32 bits are the most");
	t->bits = too_large || value >> 32 ? 0 : value;
}

/* A second "code for" line: it may repeat the target, not change it. False and reported otherwise. */
bool sass_code_for(struct sass_reader *r, const char *text, struct span at)
{
	text += strspn(text, " \t");
	if (!strcmp(text, r->module->target))
		return true;
	diag_error(r->diags, at, "this file has code for %s, and for %s above: use one file for each", text,
		   r->module->target);
	return false;
}

/* --- Functions and directives --------------------------------------------------------------- */

static void add_param(struct sass_reader *r, const char *name, u16 type, struct span at)
{
	struct ir_function *f = r->function;
	struct ir_variable *v = ARENA_NEW(r->arena, struct ir_variable);

	*v = (struct ir_variable){.name = name,
				  .space = SPACE_PARAM,
				  .type = type,
				  .align = type_bits(type) / 8,
				  .vector = 1,
				  .size = type_bits(type) / 8,
				  .owner = f,
				  .index = (u32)f->params.count,
				  .span = at};
	VEC_PUSH(r->arena, &f->params, v);
}

/* Where a listing does not say what its parameters are: words, up to the last that the code reads. */
static void infer_params(struct sass_reader *r)
{
	const struct ir_function *f = r->function;
	s64 end = PARAMS_AT;

	for (size_t k = 0; k < f->body.count; k++)
		for (u32 o = 0; o < f->body.items[k].operand_count; o++) {
			const struct ir_operand *x = &f->body.items[k].operands[o];
			if (x->kind == OPERAND_BANK && !x->value && x->addend < BANK_BYTES && x->addend + 4 > end)
				end = (x->addend & ~(s64)3) + 4;
		}
	for (s64 at = PARAMS_AT; at < end; at += 4)
		add_param(r, arena_printf(r->arena, "c0x%x", (u32)at), T_b32, f->span);
}

static void end_function(struct sass_reader *r)
{
	struct ir_function *f = r->function;

	if (!f)
		return;
	sass_settle(r);
	if (!f->body.count) {
		diag_error(r->diags, f->span, "function '%s' has no instruction", f->name);
	} else {
		f->scope->end_instruction = (u32)f->body.count;
		if (!f->listing->has_params)
			infer_params(r);
	}
	r->function = NULL;
}

/* Begins a function: a kernel, since listings do not say which functions are called by others. */
void sass_function(struct sass_reader *r, const char *name, struct span at)
{
	struct ir_function *f = ARENA_NEW(r->arena, struct ir_function);

	end_function(r);
	if (ir_find_function(r->module, name))
		diag_error(r->diags, at, "second function '%s'", name);
	f->name = name;
	f->is_entry = f->has_body = true;
	f->linkage = LINK_VISIBLE;
	f->module = r->module;
	f->span = at;
	f->register_slots = SASS_REGISTERS;
	f->listing = ARENA_NEW(r->arena, struct ir_listing);
	f->scope = ARENA_NEW(r->arena, struct ir_scope);
	f->scope->parent = r->module->scope;
	VEC_PUSH(r->arena, &r->module->functions, f);
	struct ir_symbol *symbol = ARENA_NEW(r->arena, struct ir_symbol);
	*symbol = (struct ir_symbol){.kind = SYM_FUNCTION, .name = name, .function = f, .span = at};
	if (!ir_scope_find(r->module->scope, name))
		ir_scope_enter(r->arena, r->module->scope, symbol);
	r->function = f;
	r->next_address = 0;
}

/* Whether a function has begun. If not, that is reported once, not for each line. */
static bool inside(struct sass_reader *r, struct span at)
{
	if (r->function)
		return true;
	if (!r->told_outside)
		diag_error(r->diags, at, "expected 'Function : NAME' before this");
	r->told_outside = true;
	return false;
}

/* A label may be used before it is defined: then its symbol is there already, without a target. */
void sass_label(struct sass_reader *r, const char *name, struct span at)
{
	if (!inside(r, at))
		return;
	struct ir_symbol *s = ir_scope_find(r->function->scope, name);
	if (s && s->label->defined) {
		diag_error(r->diags, at, "second label '.%s'", name);
		return;
	}
	if (!s) {
		s = ARENA_NEW(r->arena, struct ir_symbol);
		*s = (struct ir_symbol){.kind = SYM_LABEL, .name = name, .label = ARENA_NEW(r->arena, struct ir_label)};
		s->label->name = name;
		ir_scope_enter(r->arena, r->function->scope, s);
		VEC_PUSH(r->arena, &r->function->labels, s->label);
	}
	s->span = s->label->span = at;
	s->label->defined = true;
	s->label->target = (u32)r->function->body.count;
}

/* .shared N, .local N: bytes; .reg N: registers of a thread. */
void sass_directive(struct sass_reader *r, const char *name, u64 value, struct span at)
{
	if (!inside(r, at))
		return;
	struct ir_listing *l = r->function->listing;
	u32 *const to = !strcmp(name, "shared")  ? &l->shared_bytes
			: !strcmp(name, "local") ? &l->local_bytes
			: !strcmp(name, "reg")   ? &l->register_count
						 : NULL;
	const u32 most = to == &l->register_count ? SASS_REGISTER_ZERO : MEMORY_LIMIT;

	if (!to) {
		diag_error(r->diags, at, "there is no directive '.%s' with a number", name);
		diag_hint(r->diags, "directives: .param .u32 NAME; .shared N; .local N; .reg N; .bank B [N] = N, ...;");
	} else if (value > most) {
		diag_error(r->diags, at, ".%s %llu is too much: %u is the most", name, (unsigned long long)value, most);
	} else {
		*to = (u32)value;
	}
}

static u16 param_type(const char *name)
{
	for (u16 t = TOKEN_NONE + 1; t <= T_f64; t++)
		if (!strcmp(token_text(t), name) && type_bits(t) >= 8 && type_bits(t) <= 64)
			return t;
	return TOKEN_NONE;
}

void sass_param(struct sass_reader *r, const char *directive, const char *type, const char *name, struct span at,
		struct span type_at)
{
	const u16 token = param_type(type);

	if (!inside(r, at))
		return;
	if (strcmp(directive, "param") || token == TOKEN_NONE) {
		diag_error(r->diags, strcmp(directive, "param") ? at : type_at,
			   "expected .param and a type of 8 to 64 bits, such as .u32");
		return;
	}
	add_param(r, name, token, at);
	r->function->listing->has_params = true;
}

/* .bank B [OFFSET] = N, ...: words of a constant bank. Bank 0 holds the launch's parameters, bank 1 the compiler's
 * constants of the launch, so they cannot be set. BANKS as r->bank: the words that follow belong nowhere, and have been
 * complained about. */
void sass_bank(struct sass_reader *r, const char *directive, u64 bank, u64 offset, struct span at)
{
	if (!inside(r, at))
		return;
	r->bank = BANKS;
	if (strcmp(directive, "bank"))
		diag_error(r->diags, at, "there is no directive '.%s' with a place", directive);
	else if (bank < 2 || bank >= BANKS)
		diag_error(r->diags, at, "banks 2 to %d hold constants; %llu does not", BANKS - 1,
			   (unsigned long long)bank);
	else if (offset % 4 || offset >= BANK_BYTES)
		diag_error(r->diags, at, "a bank's words stand at multiples of 4 below 0x%x", BANK_BYTES);
	else
		r->bank = (u32)bank;
	r->bank_offset = (u32)offset;
}

/* The next word of the bank that sass_bank named. */
void sass_bank_number(struct sass_reader *r, u64 value, struct span at)
{
	if (!r->function || r->bank == BANKS)
		return;
	if (r->bank_offset >= BANK_BYTES) {
		diag_error(r->diags, at, "the bank ends at 0x%x", BANK_BYTES);
		r->bank = BANKS;
		return;
	}
	const struct ir_bank_word word = {r->bank, r->bank_offset, (u32)value};
	VEC_PUSH(r->arena, &r->function->listing->words, word);
	r->bank_offset += 4;
}

/* --- Which machine -------------------------------------------------------------------------- */

/* The place of `sm_` and digits behind one of the words that name a listing's machine, or NULL. */
static const char *find_target(const char *text)
{
	static const char *const leads[] = {"code for sm_", ".target\tsm_", ".target sm_", "arch = sm_"};
	const char *first = NULL;

	for (size_t k = 0; k < COUNT_OF(leads); k++) {
		const char *p = strstr(text, leads[k]);
		if (p && (!first || p < first) && isdigit((u8)p[strlen(leads[k])]))
			first = p;
	}
	return first ? strstr(first, "sm_") : NULL;
}

/* Whether a text is a listing, by its name or its first words; PTX has .version. */
bool sass_is_listing(const char *name, const char *text)
{
	const size_t length = strlen(name);

	if (length > 5 && !strcmp(name + length - 5, ".sass"))
		return true;
	if (strstr(text, ".version "))
		return false;
	return strstr(text, "code for sm_") || strstr(text, "Function :") ||
	       (strstr(text, "\t.section\t.text.") && strstr(text, ".elftype"));
}

/* False and told: a machine that is not modelled. */
static bool set_target(struct sass_reader *r)
{
	const char *p = find_target(r->source->text);
	struct ir_module *m = r->module;
	char name[16] = "sm_20";

	for (u32 k = 3; p && k < 7 && isalnum((u8)p[k]); k++) {
		name[k] = p[k];
		name[k + 1] = 0;
	}
	m->target = strings_intern_text(r->strings, name);
	m->arch = (u32)strtoul(name + 3, NULL, 10);
	if (m->arch == 20 || m->arch == 21)
		return true;
	const u32 at = (u32)(p - r->source->text);
	diag_error(r->diags, (struct span){m->source, at, at + (u32)strlen(name)},
		   "machine code for %s is not modelled: listings of sm_20 and sm_21 are", name);
	return false;
}

/* The scanner ends at a byte of 0, so those in the text become 1, which is reported as a bad character. */
static void read_text(struct sass_reader *r)
{
	const size_t length = r->source->length;

	if (length > TEXT_LIMIT) {
		diag_error(r->diags, (struct span){r->module->source, 0, 0}, "the text is larger than 1 GiB");
		return;
	}
	if (!set_target(r))
		return;
	char *copy = arena_alloc(r->arena, length + 2);
	memcpy(copy, r->source->text, length);
	for (char *p = copy; (p = memchr(p, 0, length - (size_t)(p - copy)));)
		*p = 1;
	if (!setjmp(r->escape))
		sass_parse(r, copy, length);
	end_function(r);
	if (!r->module->functions.count && !r->diags->error_count)
		diag_error(r->diags, (struct span){r->module->source, 0, 0},
			   "expected 'Function : NAME' and instructions");
}

struct ir_module *sass_read(struct arena *arena, struct strings *strings, struct diags *diags, u32 source)
{
	struct sass_reader *r = ARENA_NEW(arena, struct sass_reader);
	struct ir_module *m = ARENA_NEW(arena, struct ir_module);

	*m = (struct ir_module){.arena = arena,
				.strings = strings,
				.sources = diags->sources,
				.source = source,
				.is_sass = true,
				.target = "",
				.address_bits = 32};
	m->scope = ARENA_NEW(arena, struct ir_scope);
	r->arena = arena;
	r->strings = strings;
	r->diags = diags;
	r->module = m;
	r->source = diags->sources->files.items[source];
	read_text(r);
	return m;
}
