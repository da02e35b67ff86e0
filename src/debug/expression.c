/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions as in C, over one lane's registers and memory. Read and computed in one go; a dry run
 * only reads, so that a condition can be checked before there is a kernel.
 *
 * Untyped values (.b32) count as signed, unless they meet unsigned ones. A cast of one takes its bits as
 * they are, and so does any cast that is written with a dot, (.f32); others convert.
 *
 * A recursive descent over the text, one function for each level of C's grammar:
 *
 *      ternary -> binary (by levels of `operators`) -> unary -> primary -> number, named, cast, [index], .member
 *
 * Each returns a struct term: a value with its type, and where it came from (register, memory, variable), so that the
 * same reader serves assignments, & and watchpoints. A first error sets `failed`; everything after it reads on without
 * effect.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/term.h"

enum { NAME_MAX_LENGTH = 512, DEPTH_MAX = 200, REPEAT_MAX = 1 << 20 };

static struct term nothing(void) { return (struct term){.v.type = T_s32}; }
static struct term unknown(void) { return (struct term){.v.type = T_s32, .unknown = true}; }
static struct term of_value(struct debug_value v) { return (struct term){.v = v}; }

struct term term_fail(struct term_reader *r, const char *what)
{
	if (!r->failed && what)
		debug_fail(r->d, "%s", what);
	r->failed = true;
	return nothing();
}

static void skip(struct term_reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

static bool take(struct term_reader *r, const char *word)
{
	skip(r);
	if (strncmp(r->at, word, strlen(word)))
		return false;
	r->at += strlen(word);
	return true;
}

/* --- Memory -------------------------------------------------------------------------------------- */

struct term term_pointer(struct term_reader *r, enum ir_space target, u64 address, const struct dwarf_type *to)
{
	return (struct term){
		.v = value_of_integer(T_b64, address), .type = type_pointer_to(r->d, to), .target = target};
}

/* What lies at an address, as a term that remembers the address. Structures and arrays have no value of their own:
 * theirs is the address. A reference is followed at once. */
struct term term_load(struct term_reader *r, enum ir_space space, u64 address, const struct dwarf_type *type)
{
	const u16 token = token_of_type(r->d, type);
	struct term t = {.where = AT_MEMORY,
			 .space = space,
			 .address = address,
			 .target = SPACE_GENERIC,
			 .type = type,
			 .v = value_of_integer(T_b64, address)};

	if (r->dry)
		return unknown();
	if (token == TOKEN_NONE)
		return t;
	t.v = (struct debug_value){.type = token};
	if (!debug_read(r->d, space, address, r->lane, t.v.bytes, type_bits(token) < 8 ? 1 : type_bits(token) / 8))
		return term_fail(r, NULL);
	if (!type_is(type, DWARF_REFERENCE))
		return t;
	return ++r->depth > DEPTH_MAX ? term_fail(r, "the expression is nested too deep")
				      : term_load(r, SPACE_GENERIC, value_word(&t.v), dwarf_plain(type)->of);
}

/* An array stands for the address of its first element. */
static struct term decay(struct term_reader *r, const struct term *t)
{
	if (!type_is(t->type, DWARF_ARRAY) || t->where != AT_MEMORY)
		return *t;
	return term_pointer(r, t->space, t->address, dwarf_plain(t->type)->of);
}

/* What the pointer points at, or the array begins with, `by` elements further on. */
static struct term dereference(struct term_reader *r, const struct term *from, s64 by)
{
	const struct term t = decay(r, from);

	if (r->dry || t.unknown)
		return unknown();
	if (!type_is(t.type, DWARF_POINTER))
		return term_fail(r, "indexed value is neither an array nor a pointer");
	const struct dwarf_type *to = dwarf_plain(t.type)->of;
	if (!dwarf_plain(to))
		return term_fail(r, "the pointer's target has no type: cast it first");
	return term_load(r, t.target, value_word(&t.v) + (u64)by * to->size, to);
}

/* --- Primaries ----------------------------------------------------------------------------------- */

static struct term ternary(struct term_reader *r);
static struct term unary(struct term_reader *r);

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static bool read_name(struct term_reader *r, char name[NAME_MAX_LENGTH])
{
	size_t n = 0;

	if (!isalpha((unsigned char)*r->at) && !strchr("_$%", *r->at))
		return false;
	do {
		name[n++] = *r->at++;
		if (n > 1 && n + 5 < NAME_MAX_LENGTH && r->at[0] == ':' && r->at[1] == ':' && is_name(r->at[2])) {
			name[n++] = *r->at++;
			name[n++] = *r->at++;
		}
	} while (n + 3 < NAME_MAX_LENGTH && is_name(*r->at));
	/* %tid.x, %v.y */
	if (name[0] == '%' && *r->at == '.' && r->at[1] && strchr("xyzwrgba", r->at[1]) && !is_name(r->at[2])) {
		name[n++] = *r->at++;
		name[n++] = *r->at++;
	}
	name[n] = 0;
	return true;
}

/* PTX's 0fXXXXXXXX and 0dXXXX... are bits; other numbers are C's. A number that both readers accept is an integer. */
static struct term number(struct term_reader *r)
{
	struct term t = nothing();
	char *end_integer, *end_float;

	t.literal = true;
	if (r->at[0] == '0' && (r->at[1] == 'f' || r->at[1] == 'F' || r->at[1] == 'd' || r->at[1] == 'D')) {
		const bool wide = tolower((unsigned char)r->at[1]) == 'd';
		const u64 bits = strtoull(r->at + 2, &end_integer, 16);
		r->at = end_integer;
		t.v = value_of_integer(wide ? T_f64 : T_f32, bits);
		t.literal = false;
		return t;
	}
	const u64 n = strtoull(r->at, &end_integer, 0);
	const f64 x = strtod(r->at, &end_float);
	if (end_float > end_integer && strncasecmp(r->at, "0x", 2)) {
		t.v = value_of_float(T_f64, x);
		r->at = *end_float == 'f' ? end_float + 1 : end_float;
		return t;
	}
	r->at = end_integer;
	const bool u = *r->at == 'u' || *r->at == 'U';
	r->at += u;
	t.v = value_of_integer(n > INT32_MAX ? (u || n > INT64_MAX ? T_u64 : T_s64) : u ? T_u32 : T_s32, n);
	return t;
}

/* 'a', '\n' */
static struct term character(struct term_reader *r)
{
	char c = r->at[1];

	if (c == '\\') {
		c = r->at[2] == 'n' ? '\n' : r->at[2] == 't' ? '\t' : r->at[2] == '0' ? 0 : r->at[2];
		r->at += r->at[2] != 0;
	}
	if (!r->at[1] || r->at[2] != '\'')
		return term_fail(r, "a character between quotes expected");
	r->at += 3;
	return of_value(value_of_integer(T_s32, (u64)(s64)c));
}

/* $name: a variable of the user's, else a register ($R4, as cuda-gdb writes it). An unknown one is 0 until it is
 * assigned to. */
static struct term convenience(struct term_reader *r, const char *name)
{
	struct term t = nothing();

	t.where = AT_VARIABLE;
	for (size_t k = 0; k < r->d->names.variables.count; k++)
		if (!strcmp(r->d->names.variables.items[k].name, name)) {
			const struct debug_object *o = &r->d->names.variables.items[k].object;
			t.v = o->value;
			t.type = o->type;
			t.name = r->d->names.variables.items[k].name;
			t.target = SPACE_GENERIC;
			t.repeat = o->repeat;
			if (o->in_memory && token_of_type(r->d, o->type) == TOKEN_NONE) {
				t.where = AT_MEMORY;
				t.space = o->space;
				t.address = o->address;
			}
			return t;
		}
	if (r->dry ? term_is_register(r, name + 1) : term_register(r, name + 1, &t))
		return r->dry ? unknown() : t;
	t.name = arena_copy_text(r->d->arena, name, strlen(name));
	return t;
}

/* SPACE[address], SPACE:address */
static struct term in_space(struct term_reader *r, enum ir_space space)
{
	if (take(r, ":")) {
		const struct term t = number(r);
		return term_pointer(r, space, value_word(&t.v), type_of_token(r->d, T_b32));
	}
	if (!take(r, "["))
		return term_fail(r, "expected '[' or ':' and an address after a state space");
	const struct term t = ternary(r);
	if (!take(r, "]"))
		return term_fail(r, "']' expected");
	struct term loaded = term_load(r, space, (u64)value_integer(&t.v), type_of_token(r->d, T_b32));
	loaded.untyped_memory = true;
	return loaded;
}

static struct term size_of(struct term_reader *r)
{
	const char *before = r->at;
	bool as_bits;

	const struct dwarf_type *type = take(r, "(") ? type_read(r, &as_bits) : NULL;
	if (type && take(r, ")"))
		return of_value(value_of_integer(T_u64, type->size));
	r->at = before;
	const struct term t = unary(r);
	return of_value(value_of_integer(T_u64, t.type ? t.type->size : (type_bits(t.v.type) + 7) / 8));
}

static struct term named(struct term_reader *r)
{
	char name[NAME_MAX_LENGTH];
	enum ir_space space;

	read_name(r, name);
	skip(r);
	if ((*r->at == '[' || (*r->at == ':' && isdigit((unsigned char)r->at[1]))) &&
	    ir_space_find(name, strlen(name), &space))
		return in_space(r, space);
	if (*name == '$')
		return convenience(r, name);
	if (!strcmp(name, "sizeof"))
		return size_of(r);
	if (!strcmp(name, "true") || !strcmp(name, "false"))
		return of_value(value_of_integer(T_s32, *name == 't'));
	return term_named(r, name);
}

/* (TYPE), (.TYPE), (TYPE*): NULL if the parenthesis, which has been read, is no cast. */
static const struct dwarf_type *read_cast(struct term_reader *r, bool *as_bits)
{
	const char *before = r->at;
	const struct dwarf_type *type = type_read(r, as_bits);

	if (type && take(r, ")"))
		return type;
	r->at = before;
	return NULL;
}

/* A cast of untyped memory (space[address]) reads it anew at the cast's width; other values are converted, or, with a
 * dot, taken as they are. */
static struct term cast(struct term_reader *r, const struct dwarf_type *type, bool as_bits)
{
	struct term t = unary(r);
	const u16 token = token_of_type(r->d, type);

	if (r->failed || r->dry || t.unknown)
		return r->failed ? t : unknown();
	if (type_is(type, DWARF_POINTER)) {
		t = decay(r, &t);
		const enum ir_space target = type_is(t.type, DWARF_POINTER) ? t.target : SPACE_GENERIC;
		return (struct term){
			.v = value_of_integer(T_b64, (u64)value_integer(&t.v)), .type = type, .target = target};
	}
	if (token == TOKEN_NONE)
		return term_fail(r, "a cast to an array or a structure is not possible");
	if (t.untyped_memory)
		return term_load(r, t.space, t.address, type);
	if (as_bits && type_bits(t.v.type) <= 64)
		t.v.type = type_bits(t.v.type) == 64 ? T_b64 : T_b32;
	return (struct term){.v = value_convert(&t.v, token), .type = type_is_token(r->d, type) ? NULL : type};
}

static struct term index_of(struct term_reader *r, const struct term *t)
{
	const struct term n = ternary(r);

	if (!take(r, "]"))
		return term_fail(r, "']' expected");
	return dereference(r, t, value_integer(&n.v));
}

/* --- Members --------------------------------------------------------------------------------------- */

/* Finds a member, in unnamed parts and base classes, too; *offset counts from the outermost. */
static const struct dwarf_member *find_member(const struct dwarf_type *t, const char *name, u64 *offset, u32 depth)
{
	t = dwarf_plain(t);
	for (size_t k = 0; t && depth < 16 && k < t->members.count; k++) {
		const struct dwarf_member *m = &t->members.items[k];
		u64 inner = 0;
		const struct dwarf_member *found =
			m->name && !strcmp(m->name, name)
				? m
				: find_member(m->name ? NULL : m->type, name, &inner, depth + 1);
		if (!found)
			continue;
		*offset += m->offset + inner;
		return found;
	}
	return NULL;
}

/* A member: loaded from memory at its offset, or cut out of a value in a register (16 bytes at most). Bit fields are
 * extended by their sign and have no address. */
struct term term_part(struct term_reader *r, const struct term *t, const struct dwarf_member *m, u64 offset)
{
	const u16 token = token_of_type(r->d, m->type);
	struct term part = {.type = m->type, .target = SPACE_GENERIC, .v.type = token ? token : T_b128};

	if (t->where == AT_MEMORY) {
		part = term_load(r, t->space, t->address + offset, m->type);
	} else {
		const u64 size = m->type ? m->type->size : 0;
		if (offset > 16 || size > 16 - offset)
			return term_fail(r, "the member lies elsewhere");
		memcpy(part.v.bytes, t->v.bytes + offset, size);
	}
	if (!m->bit_size || r->failed)
		return part;
	const u64 bits = value_word(&part.v) >> m->bit_offset & (m->bit_size < 64 ? (1ull << m->bit_size) - 1 : ~0ull);
	const u32 spare = 64 - m->bit_size;
	const bool is_signed = type_class(token) == 's';
	part.v = value_of_integer(token, is_signed ? (u64)((s64)(bits << spare) >> spare) : bits);
	part.where = AT_NOTHING;
	return part;
}

/* "R4.f64": what is in a register of machine code, which has no type of its own, or in it and the next one. */
static bool read_as(struct term_reader *r, struct term *t, const char *name)
{
	const int token = token_find(name);
	const u32 bits = token_is_type(token) ? type_bits((u16)token) : 0;

	if (t->where != AT_REGISTER || !t->reg.frame || !t->reg.frame->code->function->machine ||
	    t->reg.place.bits != 32 || !bits || bits > 64)
		return false;
	t->reg.type = (u16)token;
	t->reg.pair = bits == 64;
	t->type = NULL;
	t->v = debug_register_lane(r->d, &t->reg, r->lane);
	return true;
}

static struct term member_of(struct term_reader *r, struct term t, bool through_pointer)
{
	char name[NAME_MAX_LENGTH];
	u64 offset = 0;

	skip(r);
	if (!isalpha((unsigned char)*r->at) && *r->at != '_')
		return term_fail(r, "a member's name expected");
	read_name(r, name);
	if (r->dry || t.unknown)
		return unknown();
	if (!through_pointer && read_as(r, &t, name))
		return t;
	/* As gdb does, a dot goes through a pointer, too. */
	if (through_pointer || type_is(t.type, DWARF_POINTER))
		t = dereference(r, &t, 0);
	if (r->failed)
		return t;
	const struct dwarf_member *m = find_member(t.type, name, &offset, 0);
	if (m)
		return term_part(r, &t, m, offset);
	debug_fail(r->d,
		   type_is(t.type, DWARF_STRUCT) || type_is(t.type, DWARF_UNION)
			   ? "there is no member '%s'"
			   : "'.%s' of something that is not a structure",
		   name);
	return term_fail(r, NULL);
}

static struct term primary(struct term_reader *r)
{
	struct term t;
	bool as_bits;

	skip(r);
	if (take(r, "(")) {
		const struct dwarf_type *type = read_cast(r, &as_bits);
		if (type)
			return cast(r, type, as_bits);
		t = ternary(r);
		if (!take(r, ")"))
			return term_fail(r, "')' expected");
	} else if (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1]))) {
		t = number(r);
	} else if (*r->at == '\'') {
		t = character(r);
	} else if (isalpha((unsigned char)*r->at) || (*r->at && strchr("_$%", *r->at))) {
		t = named(r);
	} else {
		return term_fail(r, *r->at ? "a value expected" : "the expression ends too early");
	}
	while (!r->failed) {
		if (take(r, "["))
			t = index_of(r, &t);
		else if (take(r, "->"))
			t = member_of(r, t, true);
		else if (take(r, "."))
			t = member_of(r, t, false);
		else
			break;
	}
	return t;
}

static struct term address_of(struct term_reader *r, const struct term *t)
{
	if (t->where == AT_MEMORY)
		return term_pointer(r, t->space, t->address, t->type ? t->type : type_of_token(r->d, t->v.type));
	return r->dry ? unknown() : term_fail(r, "operand of '&' has no address");
}

static struct term apply_unary(struct term_reader *r, char c, const struct term *t)
{
	switch (c) {
	case '-':
		return (struct term){.v = value_negate(&t->v), .literal = t->literal && value_is_float(&t->v)};
	case '!':
		return of_value(value_of_integer(T_s32, !debug_value_true(&t->v)));
	case '~':
		return of_value(value_of_integer(t->v.type, ~value_word(&t->v)));
	case '*':
		if (type_is(decay(r, t).type, DWARF_POINTER) || t->unknown)
			return dereference(r, t, 0);
		return term_load(r, SPACE_GENERIC, (u64)value_integer(&t->v), type_of_token(r->d, T_b32));
	case '&':
		return address_of(r, t);
	default:
		return *t;
	}
}

static struct term unary(struct term_reader *r)
{
	struct term t;

	if (r->failed || ++r->depth > DEPTH_MAX)
		return term_fail(r, "the expression is nested too deep");
	skip(r);
	const char c = *r->at;
	if (c && strchr("-!~*&+", c) && !(c == '&' && r->at[1] == '&')) {
		r->at++;
		t = unary(r);
		t = r->failed ? t : apply_unary(r, c, &t);
	} else {
		t = primary(r);
	}
	r->depth--;
	return t;
}

/* --- Operators ----------------------------------------------------------------------------------- */

static const struct {
	char text[3];
	u8 level;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8},
		 {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"@", 9},
		 {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};

/* Longer operators come first in the table, so that "<<" is not read as "<". -1: none of at least this level. */
static int next_operator(struct term_reader *r, u8 level)
{
	skip(r);
	for (size_t k = 0; k < COUNT_OF(operators); k++)
		if (!strncmp(r->at, operators[k].text, strlen(operators[k].text)))
			return operators[k].level >= level ? (int)k : -1;
	return -1;
}

/* A pointer and a number, or two pointers; false: neither. */
static bool pointer_operation(char op, const struct term *a, const struct term *b, struct term *t)
{
	const bool first = type_is(a->type, DWARF_POINTER), second = type_is(b->type, DWARF_POINTER);
	const struct dwarf_type *to = first ? dwarf_plain(a->type)->of : NULL;
	const u64 size = to && to->size ? to->size : 1;

	if (!first || (op != '+' && op != '-') || (second && op == '+'))
		return false;
	if (second) {
		*t = of_value(value_of_integer(T_s64, (u64)((s64)(value_word(&a->v) - value_word(&b->v)) / (s64)size)));
		return true;
	}
	const u64 by = (u64)value_integer(&b->v) * size;
	*t = *a;
	t->where = AT_NOTHING;
	t->v = value_of_integer(T_b64, op == '+' ? value_word(&a->v) + by : value_word(&a->v) - by);
	return true;
}

static struct term repeated(struct term_reader *r, const struct term *a, const struct term *b)
{
	const s64 n = value_integer(&b->v);
	struct term t = *a;

	if (r->dry)
		return unknown();
	if (a->where != AT_MEMORY)
		return term_fail(r, "the left operand of '@' must be in memory");
	if (n < 1 || n > REPEAT_MAX)
		return term_fail(r, "the right operand of '@' is a count: 1 or more");
	t.repeat = (u32)n;
	return t;
}

/* Both sides of `&&` and `||` are always computed: a load that fails on either side is an error. */
static struct term operation(struct term_reader *r, const char *op, const struct term *left, const struct term *right)
{
	const struct term a = decay(r, left), b = decay(r, right);
	struct term t;

	if (!strcmp(op, "@"))
		return repeated(r, left, right);
	if (!strcmp(op, "&&"))
		return of_value(value_of_integer(T_s32, debug_value_true(&a.v) && debug_value_true(&b.v)));
	if (!strcmp(op, "||"))
		return of_value(value_of_integer(T_s32, debug_value_true(&a.v) || debug_value_true(&b.v)));
	if (a.unknown || b.unknown)
		return unknown();
	if (pointer_operation(*op, &a, &b, &t))
		return t;
	const char *wrong = value_operation(op, &a.v, a.literal, &b.v, b.literal, &t.v);
	if (wrong)
		return r->dry ? unknown() : term_fail(r, wrong);
	return of_value(t.v);
}

/* Precedence climbing: the right operand takes operators that bind more tightly, so equal ones group from the left. */
static struct term binary(struct term_reader *r, u8 level)
{
	struct term a = unary(r);

	for (int k; !r->failed && (k = next_operator(r, level)) >= 0;) {
		r->at += strlen(operators[k].text);
		const struct term b = binary(r, operators[k].level + 1);
		a = r->failed ? a : operation(r, operators[k].text, &a, &b);
	}
	return a;
}

static struct term ternary(struct term_reader *r)
{
	const struct term condition = binary(r, 1);

	if (r->failed || !take(r, "?"))
		return condition;
	const struct term yes = ternary(r);
	if (!r->failed && !take(r, ":"))
		return term_fail(r, "':' expected");
	const struct term no = r->failed ? yes : ternary(r);
	return debug_value_true(&condition.v) ? yes : no;
}

/* --- The door ------------------------------------------------------------------------------------ */

struct term term_read_all(struct term_reader *r)
{
	const struct term t = ternary(r);

	skip(r);
	if (!r->failed && *r->at) {
		debug_fail(r->d, "the expression should end before '%s'", r->at);
		r->failed = true;
	}
	return t;
}

/* Names are looked up in `places`, where a breakpoint is to be set: nothing is read from registers or memory. */
bool expression_check(struct debug *d, const char *text, const struct debug_place *places, u32 count)
{
	struct term_reader r = {.d = d, .at = text, .dry = true, .places = places, .place_count = count};

	term_read_all(&r);
	return !r.failed;
}

bool debug_evaluate(struct debug *d, const char *text, u32 lane, struct debug_value *v)
{
	struct term_reader r = {.d = d, .at = text, .lane = lane};
	const struct term t = term_read_all(&r);

	*v = t.v;
	return !r.failed;
}

/* --- Assigning ------------------------------------------------------------------------------------- */

/* The '=' of an assignment, outside of comparisons; NULL: none. */
const char *debug_find_equals(const char *text)
{
	for (const char *at = text; *at; at++) {
		if (*at != '=')
			continue;
		if (at[1] == '=')
			at++;
		else if (at > text && strchr("!<>", at[-1]))
			continue;
		else
			return at;
	}
	return NULL;
}

static void set_convenience(struct debug *d, const char *name, const struct debug_object *o)
{
	for (size_t k = 0; k < d->names.variables.count; k++)
		if (!strcmp(d->names.variables.items[k].name, name)) {
			d->names.variables.items[k].object = *o;
			return;
		}
	VEC_PUSH(d->arena, &d->names.variables, ((struct convenience){name, *o}));
}

void debug_keep_value(struct debug *d, const char *name, const struct debug_object *o)
{
	set_convenience(d, arena_copy_text(d->arena, name, strlen(name)), o);
}

/* Assigns in one lane. *once: the target is a variable of the user's, which is the same for all lanes. */
static bool assign_lane(struct debug *d, const char *left, const char *right, u32 lane, bool *once)
{
	struct term_reader l = {.d = d, .at = left, .lane = lane};
	const struct term to = term_read_all(&l);
	struct debug_object o;

	if (l.failed || !debug_evaluate_object(d, right, lane, &o))
		return false;
	*once = to.where == AT_VARIABLE;
	if (to.where == AT_VARIABLE) {
		set_convenience(d, to.name, &o);
		return true;
	}
	const u16 token = to.type ? token_of_type(d, to.type) : to.v.type;
	if (to.where == AT_NOTHING || token == TOKEN_NONE)
		return debug_fail(d, "'%s' is nothing that can be assigned to", left);
	struct debug_value v = value_convert(&o.value, token);
	if (to.where == AT_REGISTER) {
		/* A narrow variable of the source may live in a wider register. */
		if (to.type)
			v.type = to.reg.type;
		return debug_set_register(d, &to.reg, 1u << lane, &v);
	}
	return debug_write(d, to.space, to.address, lane, v.bytes, type_bits(token) < 8 ? 1 : type_bits(token) / 8);
}

/* The right side is computed for each lane by itself, so that "%r1 = %tid.x" gives each its own. */
bool debug_assign(struct debug *d, const char *text, u32 lanes)
{
	const char *equals = debug_find_equals(text);
	char left[NAME_MAX_LENGTH];
	bool once = false;

	if (!equals || (size_t)(equals - text) >= sizeof left)
		return debug_fail(d, "an assignment 'LEFT = RIGHT' expected");
	snprintf(left, sizeof left, "%.*s", (int)(equals - text), text);
	for (size_t n = strlen(left); n && isspace((unsigned char)left[n - 1]);)
		left[--n] = 0;
	for (u32 k = 0; k < WARP_LANES && !once; k++)
		if (lanes >> k & 1 && !assign_lane(d, left, equals + 1, k, &once))
			return false;
	return true;
}
