/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing the `expect` statement of launch scripts.
 */
#include "script/script.h"

#include <string.h>

/* An index of a buffer: a new name becomes a variable that runs over the dimension. */
static bool parse_index(struct lex *l, struct expr_scope *scope, struct script_index *index)
{
	struct number known;
	bool is_new = l->kind == LEX_NAME && !scope->find_constant(scope->context, l->name, &known);

	for (u32 k = 0; k < scope->variable_count; k++)
		is_new &= scope->variables[k] != l->name;
	if (is_new) {
		const struct lex start = *l;
		const char *name = l->name;
		lex_next(l);
		if (lex_is(l, ",") || lex_is(l, "]")) {
			index->is_variable = true;
			index->variable = scope->variable_count;
			scope->variables[scope->variable_count++] = name;
			return true;
		}
		*l = start;
	}
	index->value = expr_parse(l, scope);
	return index->value != NULL;
}

static bool bound(struct lex *l, struct expr_scope *scope, u64 most, u64 *to)
{
	struct number n;

	if (!expr_constant(l, scope, &n))
		return false;
	if (n.is_float || n.i < 0 || (u64)n.i > most) {
		lex_error(l, "the range goes outside the buffer's %llu elements", (unsigned long long)most);
		return false;
	}
	*to = (u64)n.i;
	return true;
}

/* Tells buffer[low:high] by its colon outside brackets and choices. */
static bool is_range(const struct lex *l)
{
	for (u32 k = l->span.begin; k < l->end && l->text[k] != ']' && l->text[k] != '?'; k++)
		if (l->text[k] == ':')
			return true;
	return false;
}

/* [low:high] = values; `[` is behind us. */
static bool parse_range(struct script *s, struct lex *l, struct script_expect *e)
{
	struct expr_scope scope = script_scope(s);

	e->kind = EXPECT_LIST;
	e->high = e->buffer->count;
	if (!lex_is(l, ":") && !bound(l, &scope, e->buffer->count, &e->low))
		return false;
	if (!lex_expect(l, ":") || (!lex_is(l, "]") && !bound(l, &scope, e->buffer->count, &e->high)) ||
	    !lex_expect(l, "]"))
		return false;
	if (!lex_take(l, "==") && !lex_expect(l, "="))
		return false;
	while (l->kind != LEX_END && !lex_is(l, "tol") && !lex_is(l, "rel") && !lex_is(l, "ulp")) {
		struct expr *item = expr_parse_item(l, &scope);
		if (!item)
			return false;
		VEC_PUSH(s->arena, &e->values, item);
		lex_take(l, ",");
	}
	if (e->low > e->high || (e->values.count != 1 && e->values.count != e->high - e->low)) {
		lex_error(l, "%zu values for the elements %llu:%llu", e->values.count, (unsigned long long)e->low,
			  (unsigned long long)e->high);
		return false;
	}
	return true;
}

/* [index, ...] = expression [where condition]; `[` is behind us. */
static bool parse_each(struct script *s, struct lex *l, struct script_expect *e)
{
	struct expr_scope scope = script_scope(s);

	e->kind = EXPECT_EACH;
	do {
		if (e->index_count == e->buffer->rank) {
			lex_error(l, "'%s' has %u dimension%s", e->buffer->name, e->buffer->rank,
				  e->buffer->rank == 1 ? "" : "s");
			return false;
		}
		if (!parse_index(l, &scope, &e->indices[e->index_count++]))
			return false;
	} while (lex_take(l, ","));
	if (!lex_expect(l, "]"))
		return false;
	if (e->index_count != e->buffer->rank && e->index_count != 1) {
		lex_error(l, "'%s' has %u dimensions", e->buffer->name, e->buffer->rank);
		return false;
	}
	if (!lex_take(l, "==") && !lex_expect(l, "="))
		return false;
	e->value = expr_parse(l, &scope);
	if (e->value && lex_take(l, "where"))
		e->where = expr_parse(l, &scope);
	return !l->failed;
}

static bool parse_whole(struct script *s, struct lex *l, struct script_expect *e)
{
	if (!lex_take(l, "=") && !lex_expect(l, "=="))
		return false;
	if (l->kind == LEX_NAME && (e->other = script_find_buffer(s, l->name)) != NULL) {
		e->kind = EXPECT_BUFFER;
		lex_next(l);
		if (e->other->count == e->buffer->count)
			return true;
		lex_error(l, "'%s' and '%s' differ in size", e->buffer->name, e->other->name);
		return false;
	}
	e->kind = EXPECT_FILE;
	const char *path = lex_path(l);
	if (!path) {
		lex_error(l, "a buffer or a file name expected after '=='");
		return false;
	}
	e->file = script_file(s, path);
	return true;
}

/* tol=X: the largest distance; rel=X: as a part of the wanted value; ulp=N: in representable values. */
static bool parse_tolerances(struct script *s, struct lex *l, struct script_expect *e)
{
	struct expr_scope scope = script_scope(s);
	struct number n;

	while (l->kind == LEX_NAME) {
		const char *name = l->name;
		if (strcmp(name, "tol") && strcmp(name, "rel") && strcmp(name, "ulp"))
			break;
		lex_next(l);
		if (!lex_expect(l, "=") || !expr_constant(l, &scope, &n))
			return false;
		if (*name == 't')
			e->tolerance = number_as_float(n);
		else if (*name == 'r')
			e->relative = number_as_float(n);
		else
			e->ulps = n.is_float || n.i < 0 ? 0 : (u64)n.i;
	}
	return true;
}

/* count NAME == EXPRESSION. */
static bool parse_counter(struct script *s, struct lex *l, struct script_expect *e)
{
	static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">=", "="};
	struct expr_scope scope = script_scope(s);

	e->kind = EXPECT_COUNT;
	e->text = l->name;
	if (l->kind != LEX_NAME) {
		lex_error(l, "a counter's name expected");
		return false;
	}
	lex_next(l);
	for (size_t k = 0; k < COUNT_OF(comparisons); k++) {
		if (l->kind != LEX_MARK || !lex_is(l, comparisons[k]))
			continue;
		strcpy(e->comparison, comparisons[k]);
		lex_next(l);
		e->value = expr_parse(l, &scope);
		return e->value != NULL;
	}
	lex_error(l, "a comparison expected: == != < <= > >=");
	return false;
}

bool script_parse_expect(struct script *s, struct lex *l, struct script_expect *e)
{
	if (l->kind == LEX_NAME && (e->buffer = script_find_buffer(s, l->name)) != NULL) {
		lex_next(l);
		bool ok;
		if (!lex_take(l, "["))
			ok = parse_whole(s, l, e);
		else
			ok = is_range(l) ? parse_range(s, l, e) : parse_each(s, l, e);
		return ok && parse_tolerances(s, l, e);
	}
	if (lex_take(l, "count"))
		return parse_counter(s, l, e);
	const bool fault = lex_take(l, "fault");
	if (fault || lex_take(l, "print")) {
		e->kind = fault ? EXPECT_FAULT : EXPECT_PRINT;
		e->text = l->kind == LEX_STRING ? l->name : "";
		if (l->kind == LEX_STRING)
			lex_next(l);
		else
			lex_error(l, "a text in quotes expected here");
		return !l->failed;
	}
	lex_error(l, "a buffer's name, 'count', 'fault' or 'print' expected after 'expect'");
	return false;
}
