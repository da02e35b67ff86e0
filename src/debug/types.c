/* SPDX-License-Identifier: Apache-2.0
 *
 * Types: those of PTX as if the source had them, pointers and arrays that expressions make, and their names.
 *
 * Expressions have dwarf types, whether the program has debug information or not: types of PTX stand in a table, one
 * for each token, and pointers to and arrays of any type are made when an expression needs them.
 */
#include <ctype.h>
#include <string.h>

#include "base/lookup.h"
#include "debug/term.h"

/* A type made from another: kept, so that a condition which is asked a million times makes it once. */
struct derived_type {
	struct dwarf_type type;
	const void *from; /* a type or a variable */
	enum dwarf_kind kind;
	u64 count;
};

struct type_table {
	struct dwarf_type tokens[TYPE_COUNT];
	struct lookup derived; /* by `from` */
	VEC_OF(struct derived_type *) list;
};

static struct type_table *table(struct debug *d)
{
	if (d->names.types)
		return d->names.types;
	struct type_table *t = d->names.types = ARENA_NEW(d->arena, struct type_table);
	for (u16 k = TOKEN_NONE + 1; k < TYPE_COUNT; k++)
		t->tokens[k] = (struct dwarf_type){
			.kind = DWARF_BASE, .name = token_text(k), .size = type_bits(k) < 8 ? 1 : type_bits(k) / 8};
	return t;
}

const struct dwarf_type *type_of_token(struct debug *d, u16 token)
{
	return token_is_type(token) ? &table(d)->tokens[token] : NULL;
}

/* Whether the type is one of PTX's own, of that table. */
bool type_is_token(const struct debug *d, const struct dwarf_type *t)
{
	const uintptr_t at = (uintptr_t)t, first = d->names.types ? (uintptr_t)d->names.types->tokens : 0;

	return first && at >= first && at < first + sizeof d->names.types->tokens;
}

/* Of four tokens, the one of that many bytes. */
static u16 sized(u64 bytes, u16 b1, u16 b2, u16 b4, u16 b8)
{
	return bytes == 1 ? b1 : bytes == 2 ? b2 : bytes == 4 ? b4 : bytes == 8 ? b8 : TOKEN_NONE;
}

/* The PTX type that a value of the type is computed with; TOKEN_NONE for structures, arrays and the like. */
u16 token_of_type(const struct debug *d, const struct dwarf_type *t)
{
	t = dwarf_plain(t);
	if (!t)
		return TOKEN_NONE;
	if (type_is_token(d, t))
		return (u16)(t - d->names.types->tokens);
	if (t->kind == DWARF_POINTER || t->kind == DWARF_REFERENCE)
		return t->size == 4 ? T_b32 : T_b64;
	if (t->kind == DWARF_ENUM)
		return sized(t->size, T_s8, T_s16, T_s32, T_s64);
	if (t->kind != DWARF_BASE)
		return TOKEN_NONE;
	switch (t->encoding) {
	case DWARF_FLOAT:
		return sized(t->size, TOKEN_NONE, T_f16, T_f32, T_f64);
	case DWARF_SIGNED:
	case DWARF_CHAR:
		return sized(t->size, T_s8, T_s16, T_s32, T_s64);
	default:
		return t->size == 16 ? T_b128 : sized(t->size, T_u8, T_u16, T_u32, T_u64);
	}
}

/* --- Derived types ----------------------------------------------------------------------------------- */

/* *is_new: it has just been made, and its fields have to be filled in. */
static struct dwarf_type *derive(struct debug *d, const void *from, enum dwarf_kind kind, u64 count, bool *is_new)
{
	struct type_table *t = table(d);
	u32 at;

	*is_new = false;
	for (u32 k = lookup_first(&t->derived, lookup_address(from), &at); k != LOOKUP_NONE;
	     k = lookup_next(&t->derived, lookup_address(from), &at))
		if (t->list.items[k]->kind == kind && t->list.items[k]->count == count)
			return &t->list.items[k]->type;
	struct derived_type *made = ARENA_NEW(d->arena, struct derived_type);
	*made = (struct derived_type){.type.kind = kind, .from = from, .kind = kind, .count = count};
	lookup_add(d->arena, &t->derived, lookup_address(from), (u32)t->list.count);
	VEC_PUSH(d->arena, &t->list, made);
	*is_new = true;
	return &made->type;
}

const struct dwarf_type *type_pointer_to(struct debug *d, const struct dwarf_type *t)
{
	bool is_new;
	struct dwarf_type *made = derive(d, t, DWARF_POINTER, 0, &is_new);

	made->of = t;
	made->size = d->program->address_bits / 8;
	return made;
}

const struct dwarf_type *type_array_of(struct debug *d, const struct dwarf_type *t, u64 count)
{
	bool is_new;
	struct dwarf_type *made = derive(d, t, DWARF_ARRAY, count, &is_new);

	made->of = t;
	made->count = count;
	if (t && __builtin_mul_overflow(t->size, count, &made->size))
		made->size = made->count = 0;
	return made;
}

/* Dimensions from the innermost outwards. An unsized one is what is left of `size`. */
static const struct dwarf_type *arrays_of(struct debug *d, const struct dwarf_type *element, const u64 *dims, u32 rank)
{
	while (rank-- > 0)
		element = type_array_of(d, element, dims[rank]);
	return element;
}

/* A variable of PTX as the source might have declared it: .v4 as an array, too. */
const struct dwarf_type *type_of_variable(struct debug *d, const struct ir_variable *v)
{
	const struct dwarf_type *element = type_of_token(d, v->type);

	if (!element)
		return NULL;
	if (v->vector > 1)
		element = type_array_of(d, element, v->vector);
	if (v->rank)
		return arrays_of(d, element, v->dims, v->rank);
	return v->size > element->size ? type_array_of(d, element, v->size / element->size) : element;
}

const struct dwarf_type *type_of_buffer(struct debug *d, const struct debug_buffer *b)
{
	return arrays_of(d, type_of_token(d, b->type), b->dims, b->rank);
}

/* --- Names of types ------------------------------------------------------------------------------------ */

static size_t word_length(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || at[n] == '_')
		n++;
	return n;
}

static void skip_blanks(const char **at)
{
	while (isspace((unsigned char)**at))
		++*at;
}

static bool is_word(const char *at, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(at, word, length);
}

/* "unsigned long long int": any number of C's words, in any order. TOKEN_NONE: none of them. */
static u16 read_c_words(const char **at)
{
	static const char *const words[] = {"unsigned", "signed", "int",    "char", "short",
					    "long",     "float",  "double", "bool"};
	u32 seen[COUNT_OF(words)] = {0}, total = 0;

	for (;;) {
		const size_t length = word_length(*at);
		size_t k = 0;
		while (k < COUNT_OF(words) && !is_word(*at, length, words[k]))
			k++;
		if (k == COUNT_OF(words))
			break;
		seen[k]++;
		total++;
		*at += length;
		skip_blanks(at);
	}
	if (!total)
		return TOKEN_NONE;
	if (seen[6])
		return T_f32;
	if (seen[7])
		return T_f64;
	if (seen[8])
		return T_u8;
	if (seen[3])
		return seen[0] ? T_u8 : T_s8;
	if (seen[4])
		return seen[0] ? T_u16 : T_s16;
	if (seen[5])
		return seen[0] ? T_u64 : T_s64;
	return seen[0] ? T_u32 : T_s32;
}

/* A name with namespaces and template arguments: "shapes::Pair<int, 3>". */
static size_t qualified_length(const char *at)
{
	size_t n = 0;
	u32 depth = 0;

	if (!isalpha((unsigned char)*at) && *at != '_')
		return 0;
	while (at[n] && (depth || isalnum((unsigned char)at[n]) || strchr("_<", at[n]) || !strncmp(at + n, "::", 2) ||
			 (n && !strncmp(at + n - 1, "::", 2)))) {
		depth += at[n] == '<';
		depth -= at[n] == '>';
		n++;
		if (at[n - 1] == '>' && !depth)
			break;
	}
	return n;
}

static const struct dwarf_type *read_source_type(struct term_reader *r, const char **at)
{
	static const char *const keys[] = {"struct", "class", "union", "enum"};
	size_t length = word_length(*at);

	for (size_t k = 0; k < COUNT_OF(keys); k++)
		if (is_word(*at, length, keys[k])) {
			*at += length;
			skip_blanks(at);
		}
	length = qualified_length(*at);
	/* Templates' names have no blanks to count on; namespaces are not part of a type's name. */
	const char *name = *at;
	for (const char *colons;
	     length && (colons = memmem(name, length, "::", 2)) && !memchr(name, '<', (size_t)(colons - name));) {
		length -= (size_t)(colons + 2 - name);
		name = colons + 2;
	}
	const struct dwarf_type *t = NULL;
	for (u32 m = 0; length && !t && m < r->d->program->module_count; m++) {
		const struct dwarf *w = debug_dwarf(r->d, r->d->program->modules[m]);
		t = w ? dwarf_named_type(w, name, length) : NULL;
	}
	*at = t ? name + length : *at;
	return t;
}

/* Reads a type at r->at and moves on behind it: C's words, PTX's (.f32: *as_bits, the bits are to be read as that
 * type), or one of the source; const and volatile before it, stars behind. NULL: there is no type, and r->at stays. */
const struct dwarf_type *type_read(struct term_reader *r, bool *as_bits)
{
	const char *at = r->at;
	const struct dwarf_type *t = NULL;

	skip_blanks(&at);
	*as_bits = *at == '.';
	at += *as_bits;
	while (is_word(at, word_length(at), "const") || is_word(at, word_length(at), "volatile")) {
		at += word_length(at);
		skip_blanks(&at);
	}
	const size_t length = word_length(at);
	const int token = length ? token_find_part(at, length) : TOKEN_NONE;
	const u16 c = *as_bits ? TOKEN_NONE : read_c_words(&at);
	if (c != TOKEN_NONE) {
		t = type_of_token(r->d, c);
	} else if (token_is_type(token)) {
		t = type_of_token(r->d, (u16)token);
		at += length;
	} else if (!*as_bits) {
		t = read_source_type(r, &at);
	}
	if (!t)
		return NULL;
	for (skip_blanks(&at); *at == '*'; skip_blanks(&at)) {
		t = type_pointer_to(r->d, t);
		at++;
	}
	r->at = at;
	return t;
}

const struct dwarf_type *debug_find_type(struct debug *d, const char *text)
{
	struct term_reader r = {.d = d, .at = text};
	bool as_bits;
	const struct dwarf_type *t = type_read(&r, &as_bits);

	skip_blanks(&r.at);
	return *r.at ? NULL : t;
}
