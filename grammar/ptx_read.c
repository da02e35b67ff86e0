/* SPDX-License-Identifier: Apache-2.0
 *
 * The door of the PTX reader: sets a reader up, runs the parser, words what scanner and parser
 * complain about, and keeps the directives of a module that declare nothing.
 *
 * Reading never stops at an error: complaints are collected in diags, up to a limit, and the parser goes on behind the
 * next semicolon or brace (reader_statement_lost). A module with errors is returned as well, and whoever asked looks at
 * diags. The order of calls is the text's: the grammar's actions call reader_*, declare_*, scope_* and operand_* as
 * soon as they have seen enough, so that a declaration is known where the next line uses it.
 */
#include "grammar/read.h"

#include <string.h>

#include "arch/arch.h"
#include "grammar/foreign.h"
#include "grammar/reader.h"

enum { TEXT_LIMIT = 1 << 30, NEWEST_VERSION = 92, SHOWN_TEXT = 40 };

/* Why reading ended before the text did. */
enum escape { ESCAPE_NONE, ESCAPE_ABORTED, ESCAPE_TO_EXACT };

/* The scanner's last word, as when it has no buffer left: leaves reader_parse for read_text. */
void reader_abort(struct reader *r, const char *message)
{
	diag_error(r->diags, (struct span){r->module->source, r->offset, r->offset},
		   "internal limit of the scanner: %s", message);
	longjmp(r->escape, ESCAPE_ABORTED);
}

void reader_leave_quick(struct reader *r)
{
	if (r->quick)
		longjmp(r->escape, ESCAPE_TO_EXACT);
}

/* After this many errors nothing useful follows. */
bool reader_is_full(const struct reader *r) { return r->diags->error_count > r->diags->error_limit; }

/* Marks of a body count instructions; those of a module only keep the order. */
void reader_mark(struct reader *r, struct ir_mark mark)
{
	if (r->function) {
		mark.at = (u32)r->function->body.count;
		VEC_PUSH(r->arena, &r->function->marks, mark);
	} else {
		VEC_PUSH(r->arena, &r->module->marks, mark);
	}
}

/* The launch language has its own reader: here the text is kept. */
void reader_launch_line(struct reader *r, struct span at, const char *text, size_t length)
{
	while (length && (text[length - 1] == '\r' || text[length - 1] == ' ' || text[length - 1] == '\t'))
		length--;
	const struct ir_launch_line line = {arena_copy_text(r->arena, text, length), at};
	VEC_PUSH(r->arena, &r->module->launch_lines, line);
}

/* Warned of once for a file. */
void reader_comment(struct reader *r, struct span at, const char *text, size_t length)
{
	for (size_t k = 0; k < length && !r->told_foreign; k++)
		if ((u8)text[k] >= 0x80) {
			r->told_foreign = true;
			diag_warning(r->diags, at, "ptxas refuses characters outside of ASCII, in comments too");
		}
}

void reader_open_comment(struct reader *r)
{
	diag_error(r->diags, r->comment, "comment without an end: expected '*/'");
}

void reader_open_string(struct reader *r, struct span at)
{
	diag_error(r->diags, at, "string without an end: expected '\"' on the same line");
}

/* A run of characters that no token has is one error, and so are all of a line: it may be of another language. */
bool reader_bad_characters(struct reader *r, struct span at)
{
	const char *text = r->source->text;
	const u8 first = (u8)text[at.begin];
	const char *many = at.end - at.begin > 1 ? "characters, the first" : "character";
	const bool same_line = r->bad_end && !memchr(text + r->bad_end, '\n', at.begin - r->bad_end);

	r->bad_end = at.end;
	if (same_line)
		return reader_is_full(r);
	if (first > ' ' && first < 127)
		diag_error(r->diags, at, "unexpected %s '%c'", many, first);
	else
		diag_error(r->diags, at, "unexpected %s with code %u", many, first);
	return reader_is_full(r);
}

static bool has_word(const char *const *words, u32 count, const char *word)
{
	for (u32 i = 0; i < count; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

/* What was expected, in words: a class of words where most of one could follow, else the list. */
static const char *expectation(struct reader *r, const char *const *words, u32 count)
{
	static const char *const operators[] = {
		"'*'",  "'/'",  "'%'",  "'+'",  "'-'",  "'&'",  "'^'",  "'|'",  "'<'", "'>'", "'?'",
		"'<<'", "'>>'", "'<='", "'>='", "'=='", "'!='", "'&&'", "'||'", "'('", "'['", "a word after a dot"};
	const bool at_operand = has_word(words, count, "'~'") && has_word(words, count, "an integer");
	const bool after_operand = has_word(words, count, "'&&'");
	const char *text = "";
	u32 listed = 0;

	if (has_word(words, count, "'@'"))
		return "an instruction, a declaration or '}'";
	if (has_word(words, count, "'.version'") && has_word(words, count, "end of file"))
		return "a directive, such as '.version', '.global' or '.entry'";
	if (has_word(words, count, "'.version'"))
		return at_operand ? "a modifier, an operand or ';'" : "a modifier";
	if (has_word(words, count, "'.align'"))
		return has_word(words, count, "a name") ? "a name" : "a state space, a type or an alignment";
	if (at_operand)
		return has_word(words, count, "'['")   ? "an operand"
		       : has_word(words, count, "'{'") ? "a value or '{'"
						       : "an expression";
	for (u32 i = 0; i < count; i++) {
		if (after_operand && has_word(operators, COUNT_OF(operators), words[i]))
			continue;
		if (++listed > 6)
			break;
		const char *word = strcmp(words[i], "'} '") ? words[i] : "'}'";
		text = *text ? arena_printf(r->arena, "%s or %s", text, word) : word;
	}
	return listed && listed <= 6 ? text : NULL;
}

/* A statement that goes on where the next line begins has most often lost its semicolon. */
static void hint_at_semicolon(struct reader *r, u32 begin)
{
	const char *text = r->source->text;
	u32 end = begin, line, column;
	bool crossed = false;

	while (end && strchr(" \t\r\n", text[end - 1]))
		crossed |= text[--end] == '\n';
	u32 start = end;
	while (start && text[start - 1] != '\n')
		start--;
	const char *comment = memmem(text + start, end - start, "//", 2);
	if (!crossed || comment || !end || strchr(";/", text[end - 1]))
		return;
	source_place(r->source, end - 1, &line, &column);
	diag_hint(r->diags, "line %u ends without a ';'", line);
}

/* The parser's complaint. Beyond the limit only the count matters, so no text is made. */
void reader_unexpected(struct reader *r, struct span at, const char *const *expected, u32 expected_count)
{
	const u32 length = at.end - at.begin;
	const char *text = r->source->text + at.begin;
	const char *what;

	if (r->diags->error_count >= r->diags->error_limit) {
		diag_error(r->diags, at, "syntax error");
		return;
	}
	if (at.begin >= r->source->length)
		what = "end of file";
	else if (length <= SHOWN_TEXT)
		what = arena_printf(r->arena, "'%.*s'", (int)length, text);
	else
		what = arena_printf(r->arena, "'%.*s...'", SHOWN_TEXT, text);
	const char *wanted = expectation(r, expected, expected_count);
	if (wanted)
		diag_error(r->diags, at, "unexpected %s, expected %s", what, wanted);
	else
		diag_error(r->diags, at, "unexpected %s", what);
	if (has_word(expected, expected_count, "';'"))
		hint_at_semicolon(r, at.begin);
}

void reader_too_deep(struct reader *r, struct span at)
{
	diag_error(r->diags, at, "nested too deeply: reading stops here");
}

/* Behind an error: half an instruction, half a prototype are dropped. */
void reader_statement_lost(struct reader *r)
{
	prototype_abandon(r);
	r->terms.count = 0;
	r->instruction = (struct ir_instruction){0};
}

/* .version MAJOR.MINOR, kept as 10 * MAJOR + MINOR: 78 for 7.8. */
void reader_version(struct reader *r, struct span at)
{
	u32 major = 0, minor = 0, digits = 0;
	const char *p = r->source->text + at.begin, *end = r->source->text + at.end;

	for (; p < end && *p >= '0' && *p <= '9' && major < 1000; p++)
		major = major * 10 + (u32)(*p - '0');
	if (p < end && *p == '.')
		for (p++; p < end && *p >= '0' && *p <= '9'; p++, digits++)
			minor = (u32)(*p - '0');
	if (p != end || digits != 1 || !major) {
		diag_error(r->diags, at, "a version is written as 9.0");
		r->has_version = true;
		return;
	}
	if (r->has_version)
		diag_error(r->diags, at, "second '.version'");
	else if (!r->told_header && (r->module->marks.count || r->has_target))
		diag_error(r->diags, at, "'.version' must come first");
	r->has_version = true;
	r->module->version = major * 10 + minor;
	if (r->module->version > NEWEST_VERSION)
		diag_warning(r->diags, at, "PTX %u.%u is newer than %d.%d, the newest version known", major, minor,
			     NEWEST_VERSION / 10, NEWEST_VERSION % 10);
}

/* Reported once, where the first line that needs the header stands. */
void reader_need_header(struct reader *r, struct span at)
{
	if (r->told_header || (r->has_version && r->has_target))
		return;
	r->told_header = true;
	diag_error(r->diags, at, "'%s' must come first", r->has_version ? ".target" : ".version");
	diag_hint(r->diags, "a PTX file begins with .version 9.0 and .target sm_90, say");
}

/* 90 of sm_90, sm_90a and compute_90f; 0 if the word is no target. */
static u32 target_number(const char *word)
{
	const size_t prefix = !strncmp(word, "sm_", 3) ? 3 : !strncmp(word, "compute_", 8) ? 8 : 0;
	u32 number = 0, digits = 0;

	if (!prefix)
		return 0;
	for (word += prefix; *word >= '0' && *word <= '9' && digits < 4; word++, digits++)
		number = number * 10 + (u32)(*word - '0');
	if ((*word == 'a' || *word == 'f') && !word[1])
		word++;
	return *word || digits < 2 ? 0 : number;
}

void reader_target(struct reader *r, struct span at)
{
	if (r->has_target)
		diag_error(r->diags, at, "second '.target'");
}

/* Is the target as old as the module's version? Unknown ones are told when the code is lowered. */
static void check_target(struct reader *r, struct span at)
{
	const struct arch *arch = arch_find(r->module->target);
	const u32 version = r->module->version;

	if (arch && version && version < arch->ptx_version)
		diag_error(r->diags, at, "'%s' needs PTX ISA %u.%u or later; this module is .version %u.%u", arch->name,
			   arch->ptx_version / 10, arch->ptx_version % 10, version / 10, version % 10);
}

/* What the words of .target cannot say together. */
void reader_target_end(struct reader *r, struct span at)
{
	const struct ir_module *m = r->module;

	if (m->texmode_independent && m->texmode_unified)
		diag_error(r->diags, at, "texmode_independent and texmode_unified exclude each other");
	if (m->map_f64_to_f32 && m->arch >= 13)
		diag_error(r->diags, at, "map_f64_to_f32 is for targets without .f64, sm_10 to sm_12");
}

/* A target of hardware or one of the options beside it. */
void reader_target_word(struct reader *r, const char *word, struct span at)
{
	struct ir_module *m = r->module;

	if (!r->has_version)
		reader_need_header(r, at);
	if (!strcmp(word, "debug")) {
		m->debug = true;
	} else if (!strcmp(word, "texmode_independent")) {
		m->texmode_independent = true;
	} else if (!strcmp(word, "texmode_unified")) {
		m->texmode_unified = true;
	} else if (!strcmp(word, "map_f64_to_f32")) {
		m->map_f64_to_f32 = true;
	} else if (target_number(word)) {
		m->target = word[0] == 's' ? word : arena_printf(r->arena, "sm_%s", word + strlen("compute_"));
		m->target_at = at;
		m->arch = target_number(word);
		r->has_target = true;
		check_target(r, at);
	} else {
		diag_error(r->diags, at, "unknown target '%.60s'", word);
		diag_hint(r->diags, "expected sm_NN, debug, texmode_independent, texmode_unified or map_f64_to_f32");
		r->has_target = true;
	}
}

/* 32 or 64, before anything that has an address. */
void reader_address_size(struct reader *r, u64 bits, struct span at)
{
	if (r->module->version && r->module->version < 23)
		diag_error(r->diags, at, "'.address_size' needs PTX ISA 2.3 or later; this module is .version %u.%u",
			   r->module->version / 10, r->module->version % 10);
	if (bits != 32 && bits != 64)
		diag_error(r->diags, at, "the address size is 32 or 64");
	else if (r->has_address_size || r->module->marks.count)
		diag_error(r->diags, at, "%s",
			   r->has_address_size ? "second '.address_size'"
					       : "'.address_size' stands before functions and variables");
	else
		r->module->address_bits = (u32)bits;
	r->has_address_size = true;
}

/* Collects the numbers of a directive, up to the four that any takes. */
void reader_number(struct reader *r, u64 value, struct span at)
{
	if (r->number_count == TUNING_NUMBERS)
		diag_error(r->diags, at, "too many numbers");
	if (r->number_count < TUNING_NUMBERS)
		r->numbers[r->number_count] = value;
	r->number_count++;
}

/* .file NUMBER "PATH"[, TIME, BYTES]: sources that .loc lines refer to. */
void reader_file(struct reader *r, u64 number, const char *path, u32 numbers)
{
	struct ir_file file = {.number = (u32)number, .path = path};

	if (numbers == 2) {
		file.has_time = true;
		file.timestamp = r->numbers[0];
		file.bytes = r->numbers[1];
	}
	VEC_PUSH(r->arena, &r->module->files, file);
	reader_mark(r, (struct ir_mark){.kind = MARK_FILE, .index = r->module->files.count - 1});
}

/* Sections are kept as text: only printing and a debugger look inside. */
void reader_section_end(struct reader *r, const char *name, struct span close)
{
	struct ir_section *section = ARENA_NEW(r->arena, struct ir_section);

	section->name = arena_printf(r->arena, ".%s", name);
	section->content = (struct span){close.file, r->section_begin, close.begin};
	VEC_PUSH(r->arena, &r->module->sections, section);
	reader_mark(r, (struct ir_mark){.kind = MARK_SECTION, .section = section});
}

/* Between a kernel's head and body it belongs to the function, else to the place it stands at. */
void reader_pragma(struct reader *r, const char *text)
{
	if (r->function && !r->function->scope)
		VEC_PUSH(r->arena, &r->function->pragmas, text);
	else
		reader_mark(r, (struct ir_mark){.kind = MARK_PRAGMA, .text = text});
}

static struct ir_loc make_loc(struct reader *r, u64 file, u64 line, u64 column, struct span at)
{
	if (file > UINT32_MAX || line > UINT32_MAX || column > UINT32_MAX)
		diag_error(r->diags, at, "number too large");
	return (struct ir_loc){.file = (u32)file, .line = (u32)line, .column = (u32)column, .span = at};
}

/* Holds for the instructions up to the next .loc. */
void reader_loc(struct reader *r, u64 file, u64 line, u64 column, struct span at)
{
	const struct ir_loc loc = make_loc(r, file, line, column, at);

	VEC_PUSH(r->arena, &r->module->locs, loc);
	r->loc = (u32)r->module->locs.count;
	reader_mark(r, (struct ir_mark){.kind = MARK_LOC, .index = r->loc - 1});
}

void reader_loc_attribute(struct reader *r, const char *key, const char *name, u64 addend, struct span at)
{
	struct ir_loc *loc = &r->module->locs.items[r->loc - 1];

	if (strcmp(key, "function_name")) {
		diag_error(r->diags, at, "unknown attribute '%.60s' of .loc, expected function_name or inlined_at",
			   key);
		return;
	}
	loc->function = name;
	loc->function_addend = addend;
}

/* The call site gets an entry of its own, behind the one that names it. */
void reader_loc_inlined(struct reader *r, const char *key, u64 file, u64 line, u64 column, struct span at)
{
	const struct ir_loc site = make_loc(r, file, line, column, at);

	if (strcmp(key, "inlined_at")) {
		diag_error(r->diags, at, "unknown attribute '%.60s' of .loc, expected function_name or inlined_at",
			   key);
		return;
	}
	VEC_PUSH(r->arena, &r->module->locs, site);
	r->module->locs.items[r->loc - 1].inlined_at = (u32)r->module->locs.count;
}

/* Both are declared before; the alias has no body of its own. */
void reader_alias(struct reader *r, const char *name, const char *of, struct span at, struct span of_at)
{
	struct ir_function *alias = ir_find_function(r->module, name), *function = ir_find_function(r->module, of);

	if (!alias || !function) {
		diag_error(r->diags, alias ? of_at : at, "'%s' is not a declared function", alias ? of : name);
		scope_hint(r, alias ? of : name);
		return;
	}
	if (alias->has_body || !function->has_body) {
		diag_error(r->diags, alias->has_body ? at : of_at, "'%s' %s a body", alias->has_body ? name : of,
			   alias->has_body ? "is an alias but has" : "is aliased but has not");
		return;
	}
	alias->alias_of = function;
	reader_mark(r, (struct ir_mark){.kind = MARK_ALIAS, .function = alias});
}

/* The bits of the register that an instruction's address starts from, if the space is one whose
 * addresses are as wide as the module's; else 0. */
static u32 address_register_bits(const struct ir_instruction *x)
{
	bool wide_space = false;

	for (u32 k = 0; k < x->modifier_count; k++)
		wide_space |= !strcmp(x->modifiers[k].text, "global") || !strcmp(x->modifiers[k].text, "const");
	for (u32 k = 0; wide_space && k < x->operand_count; k++) {
		const struct ir_operand *o = &x->operands[k];
		if (o->kind == OPERAND_ADDRESS && o->items[0].kind == OPERAND_REGISTER)
			return type_bits(o->items[0].symbol->reg->type);
	}
	return 0;
}

/* Without .address_size, as in PTX before 2.3, the registers that hold addresses tell: ptxas does so. */
static void infer_address_bits(struct ir_module *m)
{
	bool narrow = false;

	for (size_t i = 0; i < m->functions.count; i++)
		for (size_t k = 0; k < m->functions.items[i]->body.count; k++) {
			const u32 bits = address_register_bits(&m->functions.items[i]->body.items[k]);
			if (bits == 64)
				return;
			narrow |= bits == 32;
		}
	if (narrow)
		m->address_bits = 32;
}

/* Types and the few other words that are compared as addresses. */
static void fill_words(struct reader *r)
{
	static const char *const texts[] = {"",
#define X(name, text, bits, kind) text,
					    ISA_TYPES(X)
#undef X
	};

	_Static_assert(COUNT_OF(texts) <= COUNT_OF(r->type_texts), "more types than the reader has room for");
	for (u32 i = 1; i < COUNT_OF(texts); i++)
		r->type_texts[i] = strings_intern_text(r->strings, texts[i]);
	r->underscore = strings_intern_text(r->strings, "_");
	r->generic = strings_intern_text(r->strings, "generic");
	r->warp_size = strings_intern_text(r->strings, "WARP_SZ");
}

/* The text with NULs replaced (the scanner would rescan a word for each) and two NULs behind it. */
static char *scanner_buffer(struct reader *r)
{
	const size_t length = r->source->length;
	char *copy = arena_alloc(r->arena, length + 2);

	memcpy(copy, r->source->text, length);
	for (char *p = copy; (p = memchr(p, 0, length - (size_t)(p - copy)));)
		*p = 1;
	return copy;
}

/* One message is better than one for each byte, or line. */
static bool is_foreign(struct reader *r)
{
	const struct foreign *f = foreign_find(r->source);
	const char *name;

	if (!f)
		return false;
	name = strstr(f->hint, "%s");
	diag_error(r->diags, (struct span){.file = ~0u}, "'%s' is %s%s", r->source->name, f->what,
		   strcmp(f->what, "no text") ? ", not PTX" : "");
	diag_hint(r->diags, "%.*s%s%s", (int)(name ? name - f->hint : (ptrdiff_t)strlen(f->hint)), f->hint,
		  name ? r->source->name : "", name ? name + 2 : "");
	r->told_header = true;
	return true;
}

/* A text that is empty or only comments is told like one without a header. False: the exact parser must read it. */
static bool read_text(struct reader *r)
{
	if (r->source->length > TEXT_LIMIT) {
		diag_error(r->diags, (struct span){r->module->source, 0, 0}, "the text is larger than 1 GiB");
		return true;
	}
	if (is_foreign(r))
		return true;
	char *copy = scanner_buffer(r);
	switch (setjmp(r->escape)) {
	case ESCAPE_NONE:
		reader_parse(r, copy, r->source->length);
		break;
	case ESCAPE_TO_EXACT:
		return false;
	default:
		break;
	}
	if (!r->told_header && !r->diags->error_count && !(r->has_version && r->has_target))
		reader_need_header(r, (struct span){r->module->source, 0, 0});
	return true;
}

static struct reader *make_reader(struct arena *arena, struct strings *strings, struct diags *diags, u32 source)
{
	struct reader *r = ARENA_NEW(arena, struct reader);
	struct ir_module *m = ARENA_NEW(arena, struct ir_module);

	m->arena = arena;
	m->strings = strings;
	m->sources = diags->sources;
	m->source = source;
	m->target = "";
	m->address_bits = 64;
	r->arena = arena;
	r->strings = strings;
	r->diags = diags;
	r->module = m;
	r->source = diags->sources->files.items[source];
	fill_words(r);
	scope_open(r);
	m->scope = r->scope->scope;
	return r;
}

/* The module lives in `arena` or a child of it; names are interned in `strings`, so that they can be compared as addresses.
 * `source` is the number of the text in diags->sources. */
struct ir_module *ptx_read(struct arena *arena, struct strings *strings, struct diags *diags, u32 source)
{
	const struct diags before = *diags;
	struct arena *quick = arena_child(arena);
	struct reader *r = make_reader(quick, strings, diags, source);

	r->quick = true;
	if (!read_text(r)) {
		arena_free(quick);
		*diags = before; /* what the quick parser told is told again */
		r = make_reader(arena, strings, diags, source);
		read_text(r);
	}
	if (!r->has_address_size)
		infer_address_bits(r->module);
	return r->module;
}
