/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing launch scripts: lines and statements; buffers and launches. Expectations are parsed in
 * script_expect.c.
 *
 * Reading comes first and is complete: a line with an error is reported with its place, and the next one is read. Only
 * a script without errors is played (script/play.c). Constants (`let`) are computed while reading, so they can be used
 * in shapes.
 */
#include "script/script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "script/npy.h"

/* Bytes of a file that a buffer is made from, unless said otherwise. */
static const u64 FILE_MOST = (u64)1 << 36;
/* More than any host has; keeps products of sizes within 64 bits. */
static const u64 COUNT_LIMIT = (u64)1 << 40;

void script_init(struct script *s, struct arena *arena, struct strings *strings, struct diags *diags)
{
	memset(s, 0, sizeof *s);
	s->arena = arena;
	s->strings = strings;
	s->diags = diags;
	s->folder = "";
	s->file_most = FILE_MOST;
}

/* A hash; different names may share it, so both lookups compare the names, too. */
static u64 name_key(const char *name)
{
	u64 key = 0;

	while (*name)
		key = (key ^ (u8)*name++) * 0x100000001b3u;
	return key;
}

struct buffer *script_find_buffer(const struct script *s, const char *name)
{
	const u64 key = name_key(name);
	u32 at;

	for (u32 k = lookup_first(&s->buffer_of, key, &at); k != LOOKUP_NONE; k = lookup_next(&s->buffer_of, key, &at))
		if (!strcmp(s->buffers.items[k]->name, name))
			return s->buffers.items[k];
	return NULL;
}

static struct script_constant *find_constant(const struct script *s, const char *name)
{
	const u64 key = name_key(name);
	u32 at;

	for (u32 k = lookup_first(&s->constant_of, key, &at); k != LOOKUP_NONE;
	     k = lookup_next(&s->constant_of, key, &at))
		if (!strcmp(s->constants.items[k].name, name))
			return &s->constants.items[k];
	return NULL;
}

/* A constant fixed by the command line (--set NAME=VALUE) keeps its value whatever the lines say. */
static void set_constant(struct script *s, const char *name, struct number value, bool fixed)
{
	struct script_constant *c = find_constant(s, name);

	if (c && c->fixed)
		return;
	if (c) {
		c->value = value;
		return;
	}
	lookup_add(s->arena, &s->constant_of, name_key(name), (u32)s->constants.count);
	VEC_PUSH(s->arena, &s->constants, ((struct script_constant){name, value, fixed}));
}

void script_fix_constant(struct script *s, const char *name, struct number value)
{
	set_constant(s, name, value, true);
}

static const struct buffer *scope_buffer(void *context, const char *name) { return script_find_buffer(context, name); }

static bool scope_constant(void *context, const char *name, struct number *value)
{
	const struct script_constant *c = find_constant(context, name);

	if (c)
		*value = c->value;
	return c != NULL;
}

struct expr_scope script_scope(struct script *s)
{
	return (struct expr_scope){.context = s, .find_buffer = scope_buffer, .find_constant = scope_constant};
}

/* Paths of //@ lines are relative to the file's folder and must stay below it: the file may come from anybody. Words of
 * the command line, and all with --allow-paths, may name any file. */
struct script_file script_file(const struct script *s, const char *path)
{
	struct script_file file = {.folder = s->folder, .path = path, .keeps = !s->own_words && !s->overwrite};

	if (s->own_words || s->allow_paths) {
		file.path = *path == '/' ? path : arena_printf(s->arena, "%s%s", s->folder, path);
		file.folder = NULL;
	}
	return file;
}

const char *script_file_shown(struct arena *arena, const struct script_file *file)
{
	return file->folder && *file->path != '/' ? arena_printf(arena, "%s%s", file->folder, file->path) : file->path;
}

char *script_file_read(struct arena *arena, const struct script_file *file, size_t limit, size_t *length,
		       const char **message)
{
	char *bytes;

	if (!file->folder)
		return file_read_whole(file->path, limit, length, message);
	bytes = file_read_below(file->folder, file->path, limit, length, message);
	if (!bytes)
		*message = arena_printf(arena,
					"%s; this file may read files below its own folder only, or any with "
					"--allow-paths",
					*message);
	return bytes;
}

/* Buffers are entered when their line is read: only lines after it can use the name. */
struct buffer *script_add_buffer(struct script *s, const char *name, struct span span)
{
	struct buffer *b = ARENA_NEW(s->arena, struct buffer);

	b->name = name;
	b->span = span;
	lookup_add(s->arena, &s->buffer_of, name_key(name), (u32)s->buffers.count);
	VEC_PUSH(s->arena, &s->buffers, b);
	return b;
}

/* A number that must be a whole one within limits. */
bool script_parse_count(struct script *s, struct lex *l, u64 low, u64 high, u64 *to)
{
	struct expr_scope scope = script_scope(s);
	struct number n;

	if (!expr_constant(l, &scope, &n))
		return false;
	if (n.is_float || n.i < 0 || (u64)n.i < low || (u64)n.i > high) {
		lex_error(l, "a whole number from %llu to %llu expected before this", (unsigned long long)low,
			  (unsigned long long)high);
		return false;
	}
	*to = (u64)n.i;
	return true;
}

/* --- Buffers -------------------------------------------------------------------------------- */

/* [N], [N,M] or [N,M,K]; `[` is ahead.
 * Products are checked for overflow: a shape of three numbers may exceed 64 bits. */
bool script_parse_shape(struct script *s, struct lex *l, struct buffer *b)
{
	if (!lex_expect(l, "["))
		return false;
	b->count = 1;
	do {
		if (b->rank == BUFFER_RANK) {
			lex_error(l, "a buffer has at most three dimensions");
			return false;
		}
		if (!script_parse_count(s, l, 0, COUNT_LIMIT, &b->dims[b->rank]))
			return false;
		if (__builtin_mul_overflow(b->count, b->dims[b->rank++], &b->count) || b->count > COUNT_LIMIT) {
			lex_error(l, "the buffer is too large");
			return false;
		}
	} while (lex_take(l, ","));
	return lex_expect(l, "]");
}

/* Up to `most` numbers after a generator's name, and seed=N as the last parameter if it has one.
 * Which generator's parameters mean what is in script/buffer.c; the seed is always parameters[2]. */
static bool parse_parameters(struct script *s, struct lex *l, struct generator *g, u32 most, bool has_seed)
{
	struct expr_scope scope = script_scope(s);
	struct expr_run run = {.error = NULL};

	for (u32 k = 0; k < most; k++) {
		if (l->kind == LEX_END || lex_is(l, ",") || lex_is(l, ")") || lex_is(l, "seed"))
			break;
		const struct expr *e = expr_parse_item(l, &scope);
		if (!e)
			return false;
		g->parameters[k] = expr_eval(e, &run);
		if (run.error) {
			lex_error(l, "%s", run.error);
			return false;
		}
	}
	if (has_seed && lex_take(l, "seed"))
		return lex_expect(l, "=") && expr_constant(l, &scope, &g->parameters[2]);
	return true;
}

static bool parse_values(struct script *s, struct lex *l, struct buffer *b)
{
	struct expr_scope scope = script_scope(s);
	VEC_OF(struct expr *) items = {0};

	while (l->kind != LEX_END && !lex_is(l, ")")) {
		struct expr *e = expr_parse_item(l, &scope);
		if (!e)
			return false;
		VEC_PUSH(s->arena, &items, e);
	}
	b->fill.items = items.items;
	b->fill.item_count = (u32)items.count;
	if (b->fill.item_count > b->count) {
		lex_error(l, "%u values for %llu elements", b->fill.item_count, (unsigned long long)b->count);
		return false;
	}
	return true;
}

/* An expression over i (and j, k), the element's index in each dimension. */
static bool parse_formula(struct script *s, struct lex *l, struct buffer *b)
{
	static const char *const names[] = {"i", "j", "k"};
	struct expr_scope scope = script_scope(s);

	for (u32 k = 0; k < b->rank; k++)
		scope.variables[scope.variable_count++] = strings_intern_text(s->strings, names[k]);
	struct expr *e = expr_parse(l, &scope);
	if (!e)
		return false;
	b->fill.items = ARENA_NEW(s->arena, struct expr *);
	b->fill.items[0] = e;
	b->fill.item_count = 1;
	return true;
}

static bool parse_load(struct script *s, struct lex *l, struct buffer *b)
{
	const char *path = lex_path(l);

	if (!path) {
		lex_error(l, "a file name expected after 'load'");
		return false;
	}
	b->fill.kind = GENERATE_LOAD;
	b->fill.file = script_file(s, path);
	return true;
}

/* Nothing at all means zero. The reader stands after it. */
bool script_parse_generator(struct script *s, struct lex *l, struct buffer *b)
{
	struct generator *g = &b->fill;

	if (l->kind == LEX_END || lex_is(l, ",") || lex_is(l, ")") || lex_take(l, "zero"))
		return true;
	if (lex_take(l, "=")) {
		g->kind = GENERATE_EXPR;
		return parse_formula(s, l, b);
	}
	if (lex_take(l, "load"))
		return parse_load(s, l, b);
	if (lex_take(l, "values")) {
		g->kind = GENERATE_VALUES;
		return parse_values(s, l, b);
	}
	if (lex_take(l, "const")) {
		g->kind = GENERATE_CONST;
		return parse_parameters(s, l, g, 1, false);
	}
	if (lex_take(l, "iota")) {
		g->kind = GENERATE_IOTA;
		g->parameters[1] = number_int(1);
		return parse_parameters(s, l, g, 2, false);
	}
	g->parameters[1] = number_int(1);
	if (lex_take(l, "uniform"))
		g->kind = GENERATE_UNIFORM;
	else if (lex_take(l, "normal"))
		g->kind = GENERATE_NORMAL;
	else if (lex_take(l, "random"))
		g->kind = GENERATE_RANDOM;
	else
		lex_error(l, "a generator expected: zero, const V, iota [START [STEP]], uniform [LOW HIGH], "
			     "normal [MEAN DEVIATION], random, values V..., = EXPRESSION, load FILE");
	return !l->failed && parse_parameters(s, l, g, g->kind == GENERATE_RANDOM ? 0 : 2, true);
}

/* A .npy file without a written type: type and shape are read from it now. */
static bool take_shape_of_file(struct script *s, struct lex *l, struct buffer *b)
{
	const char *message;
	size_t length;
	struct npy array;
	char *bytes = script_file_read(s->arena, &b->fill.file, s->file_most, &length, &message);

	if (bytes)
		message = npy_parse((const u8 *)bytes, length, &array);
	if (!message) {
		b->type = array.type;
		b->rank = array.rank;
		memcpy(b->dims, array.dims, sizeof b->dims);
		b->count = array.count;
	}
	free(bytes);
	if (message)
		lex_error(l, "%s: %s", script_file_shown(s->arena, &b->fill.file), message);
	return !message;
}

bool script_parse_contents(struct script *s, struct lex *l, struct buffer *b)
{
	if (lex_take(l, "load"))
		return parse_load(s, l, b) && take_shape_of_file(s, l, b);
	const enum element_type type =
		l->kind == LEX_NAME ? element_find(l->name, strlen(l->name)) : ELEMENT_TYPE_COUNT;
	if (type == ELEMENT_TYPE_COUNT) {
		lex_error(l, "an element type expected (u8 to u64, s8 to s64, b8 to b64, f16, bf16, f32, f64), "
			     "or load FILE.npy");
		return false;
	}
	b->type = type;
	lex_next(l);
	return script_parse_shape(s, l, b) && script_parse_generator(s, l, b);
}

bool script_parse_new_name(struct script *s, struct lex *l, struct buffer *b, const char *usage)
{
	if (l->kind != LEX_NAME) {
		lex_error(l, "a name expected: %s", usage);
		return false;
	}
	b->name = l->name;
	if (script_find_buffer(s, b->name)) {
		lex_error(l, "there is a buffer '%s' already", b->name);
		return false;
	}
	lex_next(l);
	return true;
}

static void parse_buffer(struct script *s, struct lex *l, bool is_variable, struct script_statement *st)
{
	struct buffer about = {.span = l->span, .is_variable = is_variable};

	if (!script_parse_new_name(s, l, &about, "buffer NAME TYPE[N] GENERATOR"))
		return;
	if (!script_parse_contents(s, l, &about))
		return;
	st->buffer = script_add_buffer(s, about.name, about.span);
	*st->buffer = about;
}

/* --- Launches ------------------------------------------------------------------------------- */

static bool parse_triple(struct script *s, struct lex *l, u32 to[3])
{
	u64 n;

	to[0] = to[1] = to[2] = 1;
	for (u32 k = 0; k < 3; k++) {
		if (!script_parse_count(s, l, 1, UINT32_MAX, &n))
			return false;
		to[k] = (u32)n;
		if (!lex_take(l, ","))
			break;
	}
	return true;
}

/* WORD( at the reader's place: both are taken. */
static bool take_call(struct lex *l, const char *word)
{
	const struct lex start = *l;

	if (lex_take(l, word) && lex_take(l, "("))
		return true;
	*l = start;
	return false;
}

static bool take_option(struct lex *l, const char *word)
{
	const struct lex start = *l;

	if (lex_take(l, word) && lex_take(l, "="))
		return true;
	*l = start;
	return false;
}

/* [at=BYTE] then a buffer, TYPE:value, tmap(...), texture(...) or zero. */
static bool parse_member(struct script *s, struct lex *l, struct script_member *m)
{
	struct expr_scope scope = script_scope(s);

	m->placed = take_option(l, "at");
	if (m->placed && !script_parse_count(s, l, 0, UINT16_MAX, &m->at))
		return false;
	if (take_call(l, "tmap"))
		return (m->map = script_parse_map(s, l)) != NULL;
	if (take_call(l, "texture"))
		return (m->texture = script_parse_texture(s, l)) != NULL;
	if (l->kind == LEX_NAME)
		m->buffer = script_find_buffer(s, l->name);
	if (m->buffer) {
		lex_next(l);
		return true;
	}
	if (lex_take(l, "zero"))
		return m->zeros = true;
	m->type = l->kind == LEX_NAME ? element_find(l->name, strlen(l->name)) : ELEMENT_TYPE_COUNT;
	if (m->type == ELEMENT_TYPE_COUNT) {
		lex_error(l,
			  "a member is a buffer, TYPE:VALUE, tmap(...), texture(...) or zero, perhaps behind at=BYTE");
		return false;
	}
	lex_next(l);
	return lex_expect(l, ":") && (m->value = expr_parse(l, &scope));
}

/* {MEMBER, ...}; `{` is behind us. */
static bool parse_struct(struct script *s, struct lex *l, struct script_arg *a)
{
	a->kind = SCRIPT_ARG_STRUCT;
	do {
		struct script_member m = {.type = ELEMENT_u64};
		if (!parse_member(s, l, &m))
			return false;
		VEC_PUSH(s->arena, &a->members, m);
	} while (lex_take(l, ","));
	return lex_expect(l, "}");
}

/* A name that starts an argument: a buffer, TYPE[...] or TYPE:value, NAME=TYPE[...]. True if it
 * was one of these. */
/* An argument may make its own buffer, with a name or without: it then gets a statement before the launch, as a
 * `buffer` line would. An unnamed one is called arg0, arg1, ... by its position. */
static bool parse_named_arg(struct script *s, struct lex *l, struct script_launch *launch, struct script_arg *a)
{
	struct expr_scope scope = script_scope(s);
	const struct lex start = *l;
	const char *name = l->name;
	const enum element_type type = element_find(name, strlen(name));

	a->buffer = script_find_buffer(s, name);
	a->kind = SCRIPT_ARG_BUFFER;
	lex_next(l);
	if (a->buffer && !lex_is(l, "[")) {
		if (lex_take(l, "+"))
			a->value = expr_parse(l, &scope);
		return true;
	}
	if (type != ELEMENT_TYPE_COUNT && lex_take(l, ":")) {
		a->kind = SCRIPT_ARG_VALUE;
		a->typed = true;
		a->type = type;
		a->value = expr_parse(l, &scope);
		return true;
	}
	const bool named = lex_take(l, "=");
	const bool contents = !strcmp(name, "load") || (type != ELEMENT_TYPE_COUNT && lex_is(l, "["));
	if (!named)
		*l = start;
	if (!named && !contents)
		return false;
	if (!named) {
		name = strings_intern_text(s->strings, arena_printf(s->arena, "arg%zu", launch->args.count));
	}
	struct buffer about = {.name = name, .span = start.span};
	if (a->buffer) {
		lex_error(l, "there is a buffer '%s' already", name);
		return true;
	}
	if (script_parse_contents(s, l, &about)) {
		a->buffer = script_add_buffer(s, name, start.span);
		*a->buffer = about;
		struct script_statement st = {.kind = SCRIPT_BUFFER, .span = start.span, .buffer = a->buffer};
		VEC_PUSH(s->arena, &s->statements, st);
	}
	return true;
}

/* multimem(BUFFER, ...); the bracket is behind us. */
static bool parse_multimem(struct script *s, struct lex *l, struct script_arg *a)
{
	a->kind = SCRIPT_ARG_MULTIMEM;
	do {
		struct buffer *b = l->kind == LEX_NAME ? script_find_buffer(s, l->name) : NULL;
		if (!b) {
			lex_error(l, "a buffer's name expected: multimem(BUFFER, ...)");
			return false;
		}
		lex_next(l);
		VEC_PUSH(s->arena, &a->places, b);
	} while (lex_take(l, ","));
	return lex_expect(l, ")");
}

static bool parse_arg(struct script *s, struct lex *l, struct script_launch *launch)
{
	struct expr_scope scope = script_scope(s);
	struct script_arg a = {.span = l->span};

	if (take_call(l, "tmap")) {
		a.kind = SCRIPT_ARG_MAP;
		a.map = script_parse_map(s, l);
		VEC_PUSH(s->arena, &launch->args, a);
		return !l->failed;
	}
	if (take_call(l, "texture")) {
		a.kind = SCRIPT_ARG_TEXTURE;
		a.texture = script_parse_texture(s, l);
		VEC_PUSH(s->arena, &launch->args, a);
		return !l->failed;
	}
	if (take_call(l, "multimem")) {
		if (!parse_multimem(s, l, &a))
			return false;
		VEC_PUSH(s->arena, &launch->args, a);
		return true;
	}
	if (lex_take(l, "{")) {
		if (!parse_struct(s, l, &a))
			return false;
	} else if (l->kind != LEX_NAME || !parse_named_arg(s, l, launch, &a)) {
		a.kind = SCRIPT_ARG_VALUE;
		a.value = expr_parse(l, &scope);
	}
	VEC_PUSH(s->arena, &launch->args, a);
	return !l->failed;
}

static bool parse_shape_option(struct script *s, struct lex *l, struct script_launch *launch)
{
	if (lex_take(l, "grid"))
		return lex_expect(l, "=") && parse_triple(s, l, launch->grid);
	if (lex_take(l, "block"))
		return lex_expect(l, "=") && parse_triple(s, l, launch->block);
	if (lex_take(l, "cluster"))
		return lex_expect(l, "=") && parse_triple(s, l, launch->cluster);
	if (lex_take(l, "shared"))
		return lex_expect(l, "=") && script_parse_count(s, l, 0, UINT32_MAX, &launch->shared_bytes);
	if (lex_take(l, "cooperative"))
		return launch->cooperative = true;
	if (lex_take(l, "any_order"))
		return launch->any_order = true;
	lex_error(l, "grid=X,Y,Z, block=X,Y,Z, cluster=X,Y,Z, shared=BYTES, cooperative or any_order expected here");
	return false;
}

/* Options come after the arguments in any order; the last one of a kind counts. */
static void parse_launch(struct script *s, struct lex *l, struct script_statement *st)
{
	struct script_launch *launch = &st->launch;

	for (u32 k = 0; k < 3; k++)
		launch->grid[k] = launch->block[k] = 1;
	if (l->kind != LEX_NAME) {
		lex_error(l, "a kernel's name expected: launch KERNEL(ARGUMENT, ...) grid=X,Y,Z block=X,Y,Z");
		return;
	}
	launch->kernel = lex_qualified_name(l);
	if (lex_take(l, "(") && !lex_take(l, ")")) {
		do {
			if (!parse_arg(s, l, launch))
				return;
		} while (lex_take(l, ","));
		if (!lex_expect(l, ")"))
			return;
	}
	while (l->kind != LEX_END && parse_shape_option(s, l, launch))
		;
	s->launch_count++;
}

/* --- Lines ---------------------------------------------------------------------------------- */

static void parse_let(struct script *s, struct lex *l)
{
	struct expr_scope scope = script_scope(s);
	struct number value;
	const char *name = l->name;

	if (l->kind != LEX_NAME) {
		lex_error(l, "a name expected: let NAME = EXPRESSION");
		return;
	}
	lex_next(l);
	if (lex_expect(l, "=") && expr_constant(l, &scope, &value))
		set_constant(s, name, value, false);
}

static void parse_save(struct script *s, struct lex *l, struct script_statement *st)
{
	st->buffer = l->kind == LEX_NAME ? script_find_buffer(s, l->name) : NULL;
	if (!st->buffer) {
		lex_error(l, "a buffer's name expected: save BUFFER FILE");
		return;
	}
	lex_next(l);
	const char *path = lex_path(l);
	if (!path)
		lex_error(l, "a file name expected: save BUFFER FILE");
	else
		st->file = script_file(s, path);
}

static void parse_bind(struct script *s, struct lex *l, struct script_statement *st)
{
	st->name = l->kind == LEX_NAME ? l->name : NULL;
	if (!st->name) {
		lex_error(l, "the name of a .texref, .samplerref or .surfref expected: bind NAME texture(BUFFER ...)");
		return;
	}
	lex_next(l);
	if (lex_expect(l, "texture") && lex_expect(l, "("))
		st->texture = script_parse_texture(s, l);
}

/* One line. After an error the statement is dropped, but a buffer that was entered stays known, so that later lines do
 * not fail for it, too. */
static void parse_statement(struct script *s, struct lex *l)
{
	struct script_statement st = {.span = l->span};

	st.span.end = l->end;
	if (l->kind == LEX_END)
		return;
	if (lex_take(l, "let")) {
		parse_let(s, l);
	} else if (lex_take(l, "arch")) {
		s->arch = lex_path(l);
	} else if (lex_take(l, "buffer")) {
		parse_buffer(s, l, false, &st);
	} else if (lex_take(l, "variable")) {
		parse_buffer(s, l, true, &st);
	} else if (lex_take(l, "alloc")) {
		script_parse_alloc(s, l, &st);
	} else if (lex_take(l, "fill")) {
		st.kind = SCRIPT_FILL;
		script_parse_fill(s, l, &st);
	} else if (lex_take(l, "free")) {
		st.kind = SCRIPT_FREE;
		script_parse_free(s, l, &st);
	} else if (lex_take(l, "read")) {
		st.kind = SCRIPT_READ;
		script_parse_read(s, l, &st);
	} else if (lex_take(l, "launch")) {
		st.kind = SCRIPT_LAUNCH;
		parse_launch(s, l, &st);
	} else if (lex_take(l, "expect")) {
		st.kind = SCRIPT_EXPECT;
		script_parse_expect(s, l, &st.expect);
	} else if (lex_take(l, "save")) {
		st.kind = SCRIPT_SAVE;
		parse_save(s, l, &st);
	} else if (lex_take(l, "bind")) {
		st.kind = SCRIPT_BIND;
		parse_bind(s, l, &st);
	} else {
		lex_error(l, "no such statement: let, arch, buffer, alloc, variable, fill, free, read, bind, launch, "
			     "expect or save");
	}
	if (l->kind != LEX_END)
		lex_error(l, "the line should end here");
	if (!l->failed && (st.kind != SCRIPT_BUFFER || st.buffer))
		VEC_PUSH(s->arena, &s->statements, st);
}

void script_read_module(struct script *s, const struct ir_module *m)
{
	const u32 source = m->launches ? m->launches - 1 : m->source;
	const char *name = s->diags->sources->files.items[source]->name, *dot = strrchr(name, '.');

	script_read(s, source, m->launches && dot && !strcmp(dot, ".launch"));
}

/* `plain`: a .launch file, whose lines need no //@; # starts a comment there. Positions are of the whole text, so that
 * messages show the line as it is. */
void script_read(struct script *s, u32 source, bool plain)
{
	const struct source *text = s->diags->sources->files.items[source];
	const char *slash = strrchr(text->name, '/');
	struct lex l = {
		.arena = s->arena, .strings = s->strings, .diags = s->diags, .file = source, .text = text->text};

	s->folder = slash ? arena_copy_text(s->arena, text->name, (size_t)(slash + 1 - text->name)) : "";
	for (u32 begin = 0; begin < text->length;) {
		const char *newline = memchr(text->text + begin, '\n', text->length - begin);
		const u32 end = newline ? (u32)(newline - text->text) : (u32)text->length;
		u32 at = begin;
		while (at < end && isspace((unsigned char)text->text[at]))
			at++;
		const bool marked = end - at >= 3 && !memcmp(text->text + at, "//@", 3);
		if (marked || (plain && at < end && text->text[at] != '#')) {
			lex_start(&l, marked ? at + 3 : at, end);
			parse_statement(s, &l);
		}
		begin = end + 1;
	}
}
