/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of the launch language.
 *
 * One line is a text from `begin` to `end` of the file, so spans point into the file. After an error the line is at its
 * end, so that whoever parses it comes to an end as well.
 */
#include "script/lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void lex_start(struct lex *l, u32 begin, u32 end)
{
	l->at = begin;
	l->end = end;
	l->failed = false;
	lex_next(l);
}

/* The first error of a line counts. */
void lex_error(struct lex *l, const char *format, ...)
{
	va_list args;

	if (l->failed)
		return;
	va_start(args, format);
	diag_error(l->diags, l->span, "%s", arena_vprintf(l->arena, format, args));
	va_end(args);
	l->failed = true;
	l->at = l->end;
	l->kind = LEX_END;
}

static bool is_name_start(char c) { return isalpha((unsigned char)c) || c == '_' || c == '$'; }
static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.'; }

/* 0x10, 17, 1.5, 1e-3; a float if it has a point or an exponent. */
static void read_number(struct lex *l)
{
	const char *start = l->text + l->at, *end = l->text + l->end;
	const char *p = start;
	const bool hex = p[0] == '0' && p + 1 < end && (p[1] == 'x' || p[1] == 'X');
	bool is_float = false;

	for (; p < end && (isalnum((unsigned char)*p) || *p == '.' ||
			   ((*p == '+' || *p == '-') && !hex && (p[-1] == 'e' || p[-1] == 'E')));
	     p++)
		is_float |= !hex && (*p == '.' || *p == 'e' || *p == 'E');
	const char *word = arena_copy_text(l->arena, start, (size_t)(p - start));
	char *rest;
	errno = 0;
	l->number =
		is_float ? number_float(strtod(word, &rest)) : number_int((s64)strtoull(word, &rest, hex ? 16 : 10));
	l->kind = LEX_NUMBER;
	l->span = (struct span){l->file, l->at, (u32)(p - l->text)};
	l->at = (u32)(p - l->text);
	if (*rest || (errno == ERANGE && !is_float))
		lex_error(l, "'%s' is not a number", word);
}

static void read_string(struct lex *l)
{
	const u32 begin = l->at++;
	u32 end = l->at;

	while (end < l->end && l->text[end] != '"')
		end += l->text[end] == '\\' && end + 1 < l->end ? 2 : 1;
	char *to = arena_alloc(l->arena, end - begin), *p = to;
	while (l->at < l->end && l->text[l->at] != '"') {
		char c = l->text[l->at++];
		if (c == '\\' && l->at < l->end) {
			c = l->text[l->at++];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		*p++ = c;
	}
	l->span = (struct span){l->file, begin, l->at};
	if (l->at == l->end) {
		lex_error(l, "the string has no closing quote");
		return;
	}
	l->at++;
	l->kind = LEX_STRING;
	l->name = strings_intern(l->strings, to, (size_t)(p - to));
}

void lex_next(struct lex *l)
{
	static const char *const pairs[] = {"==", "!=", "<=", ">=", "<<", ">>", "&&", "||"};

	while (l->at < l->end && isspace((unsigned char)l->text[l->at]))
		l->at++;
	const char *p = l->text + l->at;
	l->span = (struct span){l->file, l->at, l->at};
	l->mark[0] = 0;
	l->kind = LEX_END;
	if (l->at >= l->end)
		return;
	if (is_name_start(*p)) {
		u32 end = l->at;
		while (end < l->end && (is_name(l->text[end]) || end == l->at))
			end++;
		l->kind = LEX_NAME;
		l->name = strings_intern(l->strings, p, end - l->at);
		l->span.end = l->at = end;
	} else if (isdigit((unsigned char)*p) || (*p == '.' && l->at + 1 < l->end && isdigit((unsigned char)p[1]))) {
		read_number(l);
	} else if (*p == '"') {
		read_string(l);
	} else {
		u32 length = 1;
		for (size_t k = 0; k < COUNT_OF(pairs); k++)
			if (l->at + 1 < l->end && !strncmp(p, pairs[k], 2))
				length = 2;
		l->kind = LEX_MARK;
		memcpy(l->mark, p, length);
		l->mark[length] = 0;
		l->span.end = l->at += length;
	}
}

bool lex_is(const struct lex *l, const char *text)
{
	if (l->kind == LEX_MARK)
		return !strcmp(l->mark, text);
	return l->kind == LEX_NAME && !strcmp(l->name, text);
}

bool lex_take(struct lex *l, const char *text)
{
	if (!lex_is(l, text))
		return false;
	lex_next(l);
	return true;
}

bool lex_expect(struct lex *l, const char *text)
{
	if (lex_take(l, text))
		return true;
	lex_error(l, "'%s' expected here", text);
	return false;
}

/* A C++ name with its template arguments, from the name that stands here on. */
const char *lex_qualified_name(struct lex *l)
{
	const u32 begin = l->span.begin;
	u32 at = l->span.end, depth = 0;

	while (at < l->end &&
	       (depth || is_name(l->text[at]) || l->text[at] == '<' || !strncmp(l->text + at, "::", 2))) {
		depth += l->text[at] == '<';
		depth -= l->text[at] == '>';
		at += l->text[at] == ':' && l->text[at + 1] == ':' ? 2 : 1;
	}
	const char *name = strings_intern(l->strings, l->text + begin, at - begin);
	l->at = at;
	lex_next(l);
	return name;
}

/* A file's name: a string, or all up to a blank, comma or closing parenthesis. NULL: the line ends here. */
const char *lex_path(struct lex *l)
{
	const char *path = NULL;

	if (l->kind == LEX_STRING) {
		path = l->name;
		lex_next(l);
	} else if (l->kind != LEX_END) {
		u32 end = l->span.begin;
		while (end < l->end && !isspace((unsigned char)l->text[end]) && l->text[end] != ',' &&
		       l->text[end] != ')')
			end++;
		path = arena_copy_text(l->arena, l->text + l->span.begin, end - l->span.begin);
		l->at = end;
		lex_next(l);
	}
	return path;
}
