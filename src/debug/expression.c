/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions as in C, over one lane's registers and memory. Read and computed in one go; a dry run
 * only reads, so that a condition can be checked before there is a kernel.
 *
 * Untyped values (.b32) count as signed, unless they meet unsigned ones. A cast of one takes its bits as
 * they are, and so does any cast that is written with a dot, (.f32); others convert.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/internal.h"
#include "number/half.h"

enum where { AT_NOTHING, AT_REGISTER, AT_MEMORY, AT_VARIABLE };

struct term {
	struct debug_value v;
	enum where where;
	struct debug_register reg;
	enum ir_space space; /* MEMORY, and of what a pointer points at */
	u64 address;
	u16 points_to; /* a pointer: type of what it points at; else TOKEN_NONE */
	bool literal, untyped_memory;
	const struct ir_variable *array; /* an array, indexed `indexed` times */
	u32 indexed;
	const char *name; /* VARIABLE */
};

struct reader {
	struct debug *d;
	const char *at;
	u32 lane;
	bool dry, failed;
	u32 depth;
};

enum { NAME_MAX_LENGTH = 512, DEPTH_MAX = 200 };

static struct term nothing(void) { return (struct term){.v.type = T_s32}; }

static struct term fail(struct reader *r, const char *what)
{
	if (!r->failed && what)
		debug_fail(r->d, "%s", what);
	r->failed = true;
	return nothing();
}

static void skip(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

static bool take(struct reader *r, const char *word)
{
	skip(r);
	if (strncmp(r->at, word, strlen(word)))
		return false;
	r->at += strlen(word);
	return true;
}

/* --- Numbers ------------------------------------------------------------------------------------ */

static bool is_float(const struct debug_value *v) { return type_class(v->type) == 'f'; }
static bool is_unsigned(const struct debug_value *v) { return type_class(v->type) == 'u'; }

static u64 word_of(const struct debug_value *v)
{
	const u32 bits = type_bits(v->type);
	u64 word;

	memcpy(&word, v->bytes, 8);
	return bits < 64 ? word & ((1ull << bits) - 1) : word;
}

static s64 integer_of(const struct debug_value *v);

static f64 float_of(const struct debug_value *v)
{
	const u64 word = word_of(v);

	switch (v->type) {
	case T_f64:
		return f64_of_bits(word);
	case T_f32:
	case T_tf32:
		return (f64)f32_of_bits((u32)word);
	case T_f16:
		return (f64)f32_of_bits(f32_from_f16((u16)word));
	case T_bf16:
		return (f64)f32_of_bits(f32_from_bf16((u16)word));
	default:
		return is_unsigned(v) ? (f64)word : (f64)integer_of(v);
	}
}

static s64 integer_of(const struct debug_value *v)
{
	const u32 bits = type_bits(v->type);
	const char class = type_class(v->type);

	if (class == 'f' && type_bits(v->type) >= 16 && v->type != T_f16x2 && v->type != T_bf16x2) {
		const f64 x = float_of(v);
		return x >= 9.2e18 || x <= -9.2e18 || isnan(x) ? INT64_MIN : (s64)x;
	}
	if (class == 'u' || class == 'p' || bits >= 64)
		return (s64)word_of(v);
	return (s64)(word_of(v) << (64 - bits)) >> (64 - bits);
}

static struct debug_value of_integer(u16 type, u64 word)
{
	struct debug_value v = {.type = type};

	memcpy(v.bytes, &word, 8);
	word = word_of(&v);
	memcpy(v.bytes, &word, 8);
	return v;
}

static struct debug_value of_float(u16 type, f64 x)
{
	switch (type) {
	case T_f64:
		return of_integer(type, bits_of_f64(x));
	case T_f16:
		return of_integer(type, f16_from_f64_rn(bits_of_f64(x)));
	case T_bf16:
		return of_integer(type, bf16_from_f64_rn(bits_of_f64(x)));
	default:
		return of_integer(type, bits_of_f32((f32)x));
	}
}

static struct debug_value convert(const struct debug_value *v, u16 type)
{
	const char from = type_class(v->type), to = type_class(type);

	if (type == T_pred)
		return of_integer(type, debug_value_true(v));
	if (from == 'b' || to == 'b' || type_bits(type) > 64 || type_bits(v->type) > 64) {
		struct debug_value same = *v;
		same.type = type;
		if (type_bits(type) <= 64)
			return of_integer(type, from == 'b' && type_bits(v->type) <= 64 ? word_of(v) : word_of(&same));
		return same;
	}
	if (to == 'f')
		return of_float(type, float_of(v));
	return of_integer(type, (u64)integer_of(v));
}

/* --- Memory -------------------------------------------------------------------------------------- */

static u32 bytes_of(u16 type) { return type_bits(type) < 8 ? 1 : type_bits(type) / 8; }

static struct term load(struct reader *r, enum ir_space space, u64 address, u16 type)
{
	struct term t = {.where = AT_MEMORY, .space = space, .address = address, .v.type = type};

	if (!r->dry && !debug_read(r->d, space, address, r->lane, t.v.bytes, bytes_of(type)))
		return fail(r, NULL);
	return t;
}

static struct term pointer(enum ir_space space, u64 address, u16 type)
{
	return (struct term){.v = of_integer(T_u64, address), .space = space, .address = address, .points_to = type};
}

/* An array stands for its address; what has no dimensions for its value. */
static struct term of_variable(struct reader *r, const struct ir_variable *v, enum ir_space space, u64 address)
{
	if (v->rank || v->unsized || bytes_of(v->type) * (v->vector ? v->vector : 1) < v->size) {
		struct term t = pointer(space, address, v->type);
		t.array = v;
		return t;
	}
	return load(r, space, address, v->type);
}

static bool find_module_variable(struct reader *r, const char *name, struct term *t)
{
	const struct program *p = r->d->program;

	for (u32 k = 0; k < p->variable_count; k++)
		if (!strcmp(p->variables[k].variable->name, name)) {
			*t = of_variable(r, p->variables[k].variable, p->variables[k].space, p->variables[k].address);
			return true;
		}
	return false;
}

/* Shared and local variables and parameters of the focused function, of its kernel. */
static bool find_placed(struct reader *r, const char *name, struct term *t)
{
	const struct launch *l = debug_launch(r->d);
	struct debug_frame f;

	if (!l || !debug_focus_frame(r->d, &f))
		return false;
	const struct ir_function *here = f.frame->code->function;
	for (u32 k = 0; k < l->kernel->place_count; k++) {
		const struct place *p = &l->kernel->places[k];
		const struct ir_variable *v = p->variable;
		const bool is_local = v->space == SPACE_LOCAL || (v->space == SPACE_PARAM && !here->is_entry);
		if (strcmp(v->name, name) || (v->owner && v->owner != here))
			continue;
		if (v->space == SPACE_PARAM && here->is_entry) {
			bool formal = false;
			for (size_t n = 0; n < here->params.count; n++)
				formal |= here->params.items[n] == v;
			*t = formal ? of_variable(r, v, SPACE_PARAM, p->address)
				    : of_variable(r, v, SPACE_LOCAL, f.frame->local_base + p->address);
			return true;
		}
		*t = of_variable(r, v, is_local ? SPACE_LOCAL : v->space,
				 p->address + (is_local ? f.frame->local_base : 0));
		return true;
	}
	return false;
}

/* Buffers of the host, by the name that they were made under. */
static bool find_buffer(struct reader *r, const char *name, struct term *t)
{
	const struct memory *m = r->d->launch.memory;

	for (u32 k = 0; m && k < m->count; k++)
		if (m->list[k].name && !strcmp(m->list[k].name, name)) {
			*t = pointer(SPACE_GLOBAL, m->list[k].base, T_b32);
			return true;
		}
	return false;
}

/* --- Primaries ----------------------------------------------------------------------------------- */

static struct term ternary(struct reader *r);

static bool read_name(struct reader *r, char name[NAME_MAX_LENGTH])
{
	size_t n = 0;

	if (!isalpha((unsigned char)*r->at) && !strchr("_$%", *r->at))
		return false;
	do
		name[n++] = *r->at++;
	while (n + 3 < NAME_MAX_LENGTH && (isalnum((unsigned char)*r->at) || (*r->at && strchr("_$", *r->at))));
	/* %tid.x, %v.y */
	if (name[0] == '%' && *r->at == '.' && r->at[1] && strchr("xyzwrgba", r->at[1]) &&
	    !isalnum((unsigned char)r->at[2]) && r->at[2] != '_') {
		name[n++] = *r->at++;
		name[n++] = *r->at++;
	}
	name[n] = 0;
	return true;
}

static struct term number(struct reader *r)
{
	struct term t = nothing();
	char *end_integer, *end_float;

	t.literal = true;
	if (r->at[0] == '0' && (r->at[1] == 'f' || r->at[1] == 'F' || r->at[1] == 'd' || r->at[1] == 'D')) {
		const bool wide = tolower((unsigned char)r->at[1]) == 'd';
		const u64 bits = strtoull(r->at + 2, &end_integer, 16);
		r->at = end_integer;
		t.v = of_integer(wide ? T_f64 : T_f32, bits);
		t.literal = false;
		return t;
	}
	const u64 n = strtoull(r->at, &end_integer, 0);
	const f64 x = strtod(r->at, &end_float);
	if (end_float > end_integer && strncasecmp(r->at, "0x", 2)) {
		t.v = of_float(T_f64, x);
		r->at = *end_float == 'f' ? end_float + 1 : end_float;
		return t;
	}
	r->at = end_integer;
	const bool u = *r->at == 'u' || *r->at == 'U';
	r->at += u;
	t.v = of_integer(n > INT32_MAX ? (u || n > INT64_MAX ? T_u64 : T_s64) : u ? T_u32 : T_s32, n);
	return t;
}

static struct term convenience(struct reader *r, const char *name)
{
	struct term t = nothing();

	t.where = AT_VARIABLE;
	for (size_t k = 0; k < r->d->variables.count; k++)
		if (!strcmp(r->d->variables.items[k].name, name)) {
			t.v = r->d->variables.items[k].value;
			t.name = r->d->variables.items[k].name;
			return t;
		}
	t.name = arena_copy_text(r->d->arena, name, strlen(name));
	return t;
}

/* SPACE[address], SPACE:address */
static struct term in_space(struct reader *r, enum ir_space space)
{
	if (take(r, ":")) {
		const struct term t = number(r);
		return pointer(space, word_of(&t.v), T_b32);
	}
	if (!take(r, "["))
		return fail(r, "'[' or ':' and an address expected behind a space");
	const struct term t = ternary(r);
	if (!take(r, "]"))
		return fail(r, "']' expected");
	struct term loaded = load(r, space, (u64)integer_of(&t.v), T_b32);
	loaded.untyped_memory = true;
	return loaded;
}

/* A condition asks for the same register in lane after lane: what was found for the first one is kept as
 * long as the same warp stands at the same place. */
static bool find_known(struct reader *r, const char *name, struct debug_register *reg)
{
	struct standing *asking = &r->d->asking;
	struct found_register *known = &r->d->found_registers[(uintptr_t)r->at % FOUND_REGISTERS];

	if (asking->w && known->reader == r->at && known->w == asking->w && known->position == asking->position) {
		*reg = known->reg;
		return true;
	}
	if (!debug_find_register(r->d, name, reg))
		return false;
	*known = (struct found_register){r->at, asking->w, asking->position, *reg};
	return true;
}

static struct term named(struct reader *r)
{
	char name[NAME_MAX_LENGTH];
	enum ir_space space;
	struct term t = nothing();

	read_name(r, name);
	skip(r);
	if ((*r->at == '[' || (*r->at == ':' && isdigit((unsigned char)r->at[1]))) &&
	    ir_space_find(name, strlen(name), &space))
		return in_space(r, space);
	if (*name == '$')
		return convenience(r, name);
	if (r->dry)
		return t;
	if (*name != '%' && (find_placed(r, name, &t) || find_module_variable(r, name, &t)))
		return t;
	if (find_known(r, name, &t.reg)) {
		t.where = AT_REGISTER;
		t.v = debug_register_lane(r->d, &t.reg, r->lane);
		return t;
	}
	if (*name != '%' && find_buffer(r, name, &t))
		return t;
	if (*name != '%')
		debug_fail(r->d, "there is no register or variable '%s' here", name);
	return fail(r, NULL);
}

/* (TYPE), (.TYPE), (TYPE*): true if the parenthesis is a cast. */
static bool read_cast(struct reader *r, u16 *type, bool *is_pointer, bool *as_it_is)
{
	const char *at = r->at;
	size_t n = 0;

	while (*at == ' ')
		at++;
	*as_it_is = *at == '.';
	if (*at == '.')
		at++;
	while (isalnum((unsigned char)at[n]))
		n++;
	const int token = n ? token_find_part(at, n) : TOKEN_NONE;
	static const struct {
		const char *name;
		u16 type;
	} words[] = {{"int", T_s32}, {"unsigned", T_u32}, {"float", T_f32}, {"double", T_f64},
		     {"char", T_s8}, {"short", T_s16},    {"long", T_s64}};
	*type = token_is_type(token) ? (u16)token : TOKEN_NONE;
	for (size_t k = 0; k < COUNT_OF(words); k++)
		if (strlen(words[k].name) == n && !memcmp(words[k].name, at, n))
			*type = words[k].type;
	at += n;
	while (*at == ' ')
		at++;
	*is_pointer = *at == '*';
	at += *is_pointer;
	while (*at == ' ')
		at++;
	if (*type == TOKEN_NONE || *at != ')')
		return false;
	r->at = at + 1;
	return true;
}

static struct term unary(struct reader *r);

static struct term cast(struct reader *r, u16 type, bool is_pointer, bool as_it_is)
{
	struct term t = unary(r);

	if (r->failed)
		return t;
	if (is_pointer)
		return pointer(t.points_to ? t.space : SPACE_GENERIC, (u64)integer_of(&t.v), type);
	if (t.untyped_memory)
		return load(r, t.space, t.address, type);
	if (as_it_is && type_bits(t.v.type) <= 64)
		t.v.type = type_bits(t.v.type) == 64 ? T_b64 : T_b32;
	return (struct term){.v = convert(&t.v, type)};
}

static struct term index_of(struct reader *r, struct term t)
{
	const struct term n = ternary(r);

	if (!take(r, "]"))
		return fail(r, "']' expected");
	if (r->dry)
		return t;
	if (!t.points_to)
		return fail(r, "what is indexed is no array and no pointer");
	u64 stride = bytes_of(t.points_to) * (t.array && t.array->vector ? t.array->vector : 1);
	u32 left = 0;
	if (t.array)
		for (u32 k = t.indexed + 1; k < t.array->rank; k++, left++)
			stride *= t.array->dims[k];
	const u64 address = t.address + (u64)integer_of(&n.v) * stride;
	if (!left)
		return load(r, t.space, address, t.points_to);
	struct term row = pointer(t.space, address, t.points_to);
	row.array = t.array;
	row.indexed = t.indexed + 1;
	return row;
}

static struct term primary(struct reader *r)
{
	struct term t;
	u16 type;
	bool is_pointer, as_it_is;

	skip(r);
	if (take(r, "(")) {
		if (read_cast(r, &type, &is_pointer, &as_it_is))
			return cast(r, type, is_pointer, as_it_is);
		t = ternary(r);
		if (!take(r, ")"))
			return fail(r, "')' expected");
	} else if (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1]))) {
		t = number(r);
	} else if (isalpha((unsigned char)*r->at) || (*r->at && strchr("_$%", *r->at))) {
		t = named(r);
	} else {
		return fail(r, *r->at ? "a value expected" : "the expression ends too early");
	}
	while (!r->failed && take(r, "["))
		t = index_of(r, t);
	return t;
}

static struct term negate(const struct term *t)
{
	if (is_float(&t->v))
		return (struct term){.v = of_float(t->v.type, -float_of(&t->v)), .literal = t->literal};
	const u16 type = type_bits(t->v.type) == 64 ? T_s64 : T_s32;
	return (struct term){.v = of_integer(type, -(u64)integer_of(&t->v))};
}

static struct term unary(struct reader *r)
{
	struct term t;

	if (r->failed || ++r->depth > DEPTH_MAX)
		return fail(r, "the expression is nested too deep");
	skip(r);
	const char c = *r->at;
	if (c && strchr("-!~*&+", c) && !(c == '&' && r->at[1] == '&')) {
		r->at++;
		t = unary(r);
		r->depth--;
		switch (c) {
		case '-':
			return negate(&t);
		case '!':
			return (struct term){.v = of_integer(T_s32, !debug_value_true(&t.v))};
		case '~':
			return (struct term){.v = of_integer(t.v.type, ~word_of(&t.v))};
		case '*':
			return t.points_to ? load(r, t.space, t.address, t.points_to)
					   : load(r, SPACE_GENERIC, (u64)integer_of(&t.v), T_b32);
		case '&':
			if (t.where == AT_MEMORY)
				return pointer(t.space, t.address, t.v.type);
			return t.points_to || r->dry ? t : fail(r, "what '&' is before has no address");
		default:
			return t;
		}
	}
	t = primary(r);
	r->depth--;
	return t;
}

/* --- Operators ----------------------------------------------------------------------------------- */

static const struct {
	char text[3];
	u8 level;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},
		 {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static int next_operator(struct reader *r, u8 level)
{
	skip(r);
	for (size_t k = 0; k < COUNT_OF(operators); k++)
		if (!strncmp(r->at, operators[k].text, strlen(operators[k].text)))
			return operators[k].level >= level ? (int)k : -1;
	return -1;
}

static struct term float_operation(struct reader *r, const char *op, const struct term *a, const struct term *b)
{
	const bool wide = (a->v.type == T_f64 && !a->literal) || (b->v.type == T_f64 && !b->literal) ||
			  (a->literal && b->literal);
	const u16 type = wide ? T_f64 : T_f32;
	const f64 x = wide ? float_of(&a->v) : (f64)(f32)float_of(&a->v),
		  y = wide ? float_of(&b->v) : (f64)(f32)float_of(&b->v);

	switch (op[0] << 8 | op[1]) {
	case '+' << 8:
		return (struct term){.v = of_float(type, x + y)};
	case '-' << 8:
		return (struct term){.v = of_float(type, x - y)};
	case '*' << 8:
		return (struct term){.v = of_float(type, x * y)};
	case '/' << 8:
		return (struct term){.v = of_float(type, x / y)};
	case '<' << 8:
		return (struct term){.v = of_integer(T_s32, x < y)};
	case '>' << 8:
		return (struct term){.v = of_integer(T_s32, x > y)};
	case '<' << 8 | '=':
		return (struct term){.v = of_integer(T_s32, x <= y)};
	case '>' << 8 | '=':
		return (struct term){.v = of_integer(T_s32, x >= y)};
	case '=' << 8 | '=':
		return (struct term){.v = of_integer(T_s32, x == y)};
	case '!' << 8 | '=':
		return (struct term){.v = of_integer(T_s32, x != y)};
	default:
		return fail(r, "the operator takes whole numbers");
	}
}

static struct term divide(struct reader *r, char op, u16 type, bool u, s64 x, s64 y)
{
	if (!y)
		return r->dry ? nothing() : fail(r, "division by zero");
	if (u)
		return (struct term){.v = of_integer(type, op == '/' ? (u64)x / (u64)y : (u64)x % (u64)y)};
	if (y == -1)
		return (struct term){.v = of_integer(type, op == '/' ? -(u64)x : 0)};
	return (struct term){.v = of_integer(type, (u64)(op == '/' ? x / y : x % y))};
}

static struct term integer_operation(struct reader *r, const char *op, const struct term *a, const struct term *b)
{
	const bool wide = type_bits(a->v.type) > 32 || type_bits(b->v.type) > 32;
	const bool u = (is_unsigned(&a->v) && type_bits(a->v.type) >= (wide ? 64 : 32)) ||
		       (is_unsigned(&b->v) && type_bits(b->v.type) >= (wide ? 64 : 32));
	const u16 type = wide ? (u ? T_u64 : T_s64) : u ? T_u32 : T_s32;
	const struct debug_value left = of_integer(type, (u64)integer_of(&a->v)),
				 right = of_integer(type, (u64)integer_of(&b->v));
	const s64 x = integer_of(&left), y = integer_of(&right);
	const u64 count = (u64)y & (wide ? 63 : 31);
	const bool less = u ? (u64)x < (u64)y : x < y;

	switch (op[0] << 8 | op[1]) {
	case '+' << 8:
		return (struct term){.v = of_integer(type, (u64)x + (u64)y)};
	case '-' << 8:
		return (struct term){.v = of_integer(type, (u64)x - (u64)y)};
	case '*' << 8:
		return (struct term){.v = of_integer(type, (u64)x * (u64)y)};
	case '/' << 8:
	case '%' << 8:
		return divide(r, op[0], type, u, x, y);
	case '&' << 8:
		return (struct term){.v = of_integer(type, (u64)x & (u64)y)};
	case '|' << 8:
		return (struct term){.v = of_integer(type, (u64)x | (u64)y)};
	case '^' << 8:
		return (struct term){.v = of_integer(type, (u64)x ^ (u64)y)};
	case '<' << 8 | '<':
		return (struct term){.v = of_integer(type, (u64)x << count)};
	case '>' << 8 | '>':
		return (struct term){.v = of_integer(type, u ? (u64)x >> count : (u64)(x >> count))};
	case '<' << 8:
		return (struct term){.v = of_integer(T_s32, less)};
	case '>' << 8 | '=':
		return (struct term){.v = of_integer(T_s32, !less)};
	case '=' << 8 | '=':
		return (struct term){.v = of_integer(T_s32, x == y)};
	case '!' << 8 | '=':
		return (struct term){.v = of_integer(T_s32, x != y)};
	case '>' << 8:
		return (struct term){.v = of_integer(T_s32, !less && x != y)};
	default:
		return (struct term){.v = of_integer(T_s32, less || x == y)};
	}
}

static struct term operation(struct reader *r, const char *op, const struct term *a, const struct term *b)
{
	if (!strcmp(op, "&&"))
		return (struct term){.v = of_integer(T_s32, debug_value_true(&a->v) && debug_value_true(&b->v))};
	if (!strcmp(op, "||"))
		return (struct term){.v = of_integer(T_s32, debug_value_true(&a->v) || debug_value_true(&b->v))};
	if (a->points_to && (*op == '+' || *op == '-') && !b->points_to) {
		const u64 by = (u64)integer_of(&b->v) * bytes_of(a->points_to);
		return pointer(a->space, *op == '+' ? a->address + by : a->address - by, a->points_to);
	}
	if (is_float(&a->v) || is_float(&b->v))
		return float_operation(r, op, a, b);
	return integer_operation(r, op, a, b);
}

static struct term binary(struct reader *r, u8 level)
{
	struct term a = unary(r);

	for (int k; !r->failed && (k = next_operator(r, level)) >= 0;) {
		r->at += strlen(operators[k].text);
		const struct term b = binary(r, operators[k].level + 1);
		a = r->failed ? a : operation(r, operators[k].text, &a, &b);
	}
	return a;
}

static struct term ternary(struct reader *r)
{
	const struct term condition = binary(r, 1);

	if (r->failed || !take(r, "?"))
		return condition;
	const struct term yes = ternary(r);
	if (!r->failed && !take(r, ":"))
		return fail(r, "':' expected");
	const struct term no = r->failed ? yes : ternary(r);
	return debug_value_true(&condition.v) ? yes : no;
}

/* --- The door ------------------------------------------------------------------------------------ */

static struct term read_all(struct reader *r)
{
	const struct term t = ternary(r);

	skip(r);
	if (!r->failed && *r->at) {
		debug_fail(r->d, "the expression should end before '%s'", r->at);
		r->failed = true;
	}
	return t;
}

bool expression_check(struct debug *d, const char *text)
{
	struct reader r = {.d = d, .at = text, .dry = true};

	read_all(&r);
	return !r.failed;
}

bool debug_evaluate(struct debug *d, const char *text, u32 lane, struct debug_value *v)
{
	struct reader r = {.d = d, .at = text, .lane = lane};
	const struct term t = read_all(&r);

	*v = t.v;
	if (t.points_to)
		v->type = T_b64;
	return !r.failed;
}

bool debug_find_address(struct debug *d, const char *text, u32 lane, enum ir_space *space, u64 *address, u16 *type,
			u64 *size)
{
	struct reader r = {.d = d, .at = text, .lane = lane};
	const struct term t = read_all(&r);

	if (r.failed)
		return false;
	if (t.where == AT_MEMORY || t.points_to) {
		*space = t.space;
		*address = t.address;
		*type = t.points_to ? t.points_to : t.v.type;
		*size = t.array && !t.indexed && t.array->size ? t.array->size : bytes_of(*type);
	} else {
		*space = SPACE_GENERIC;
		*address = (u64)integer_of(&t.v);
		*type = T_b32;
		*size = 4;
	}
	return true;
}

/* The '=' of an assignment, outside of comparisons; NULL: none. */
static const char *find_equals(const char *text)
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

static void set_convenience(struct debug *d, const char *name, const struct debug_value *v)
{
	for (size_t k = 0; k < d->variables.count; k++)
		if (!strcmp(d->variables.items[k].name, name)) {
			d->variables.items[k].value = *v;
			return;
		}
	VEC_PUSH(d->arena, &d->variables, ((struct convenience){name, *v}));
}

static bool assign_lane(struct debug *d, const char *left, const char *right, u32 lane, bool *once)
{
	struct reader l = {.d = d, .at = left, .lane = lane};
	const struct term to = read_all(&l);
	struct debug_value v;

	if (l.failed || !debug_evaluate(d, right, lane, &v))
		return false;
	*once = to.where == AT_VARIABLE;
	if (to.where == AT_VARIABLE) {
		set_convenience(d, to.name, &v);
		return true;
	}
	if (to.where == AT_NOTHING)
		return debug_fail(d, "'%s' is nothing that can be assigned to", left);
	v = convert(&v, to.where == AT_REGISTER ? to.reg.type : to.v.type);
	if (to.where == AT_REGISTER)
		return debug_set_register(d, &to.reg, 1u << lane, &v);
	return debug_write(d, to.space, to.address, lane, v.bytes, bytes_of(to.v.type));
}

bool debug_assign(struct debug *d, const char *text, u32 lanes)
{
	const char *equals = find_equals(text);
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
