/* SPDX-License-Identifier: Apache-2.0
 *
 * Diagnostics: kept in an arena, printed in the order found, with the line and a caret.
 */
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

enum { ERROR_LIMIT = 1000, SHOWN_COLUMNS = 160 };

void diags_init(struct diags *d, struct arena *arena, struct sources *sources)
{
	memset(d, 0, sizeof *d);
	d->arena = arena;
	d->sources = sources;
	d->error_limit = ERROR_LIMIT;
}

static void diag_add(struct diags *d, enum diag_severity severity, struct span at, const char *format, va_list args)
{
	if (severity == DIAG_ERROR)
		d->error_count++;
	if (d->list.count >= d->error_limit)
		return;
	struct diag new = {.severity = severity, .span = at, .message = arena_vprintf(d->arena, format, args)};
	VEC_PUSH(d->arena, &d->list, new);
}

#define DIAG_FUNCTION(name, severity)                                       \
	void name(struct diags *d, struct span at, const char *format, ...) \
	{                                                                   \
		va_list args;                                               \
		va_start(args, format);                                     \
		diag_add(d, severity, at, format, args);                    \
		va_end(args);                                               \
	}
DIAG_FUNCTION(diag_error, DIAG_ERROR)
DIAG_FUNCTION(diag_warning, DIAG_WARNING)
DIAG_FUNCTION(diag_note, DIAG_NOTE)

void diag_hint(struct diags *d, const char *format, ...)
{
	va_list args;

	if (!d->list.count || d->list.count >= d->error_limit)
		return;
	va_start(args, format);
	d->list.items[d->list.count - 1].hint = arena_vprintf(d->arena, format, args);
	va_end(args);
}

/* The source line, cut around the caret if it is very long, tabs as single blanks. */
static void print_line(const struct source *s, const struct span *at, u32 line, u32 column, const char *colour,
		       FILE *to)
{
	const u32 begin = s->line_starts[line - 1];
	const char *text = s->text + begin;
	const size_t wanted = (size_t)column + 2 * SHOWN_COLUMNS; /* a line may be the whole file */
	const size_t rest = s->length - begin < wanted ? s->length - begin : wanted;
	const char *newline = memchr(text, '\n', rest);
	size_t length = newline ? (size_t)(newline - text) : rest;
	size_t skip = column > SHOWN_COLUMNS ? column - SHOWN_COLUMNS / 2 : 0;

	if (skip > length)
		skip = length;
	if (length - skip > SHOWN_COLUMNS)
		length = skip + SHOWN_COLUMNS;
	fputs("    ", to);
	for (size_t i = skip; i < length; i++)
		fputc((u8)text[i] < ' ' || text[i] == 127 ? ' ' : text[i], to);
	fputs("\n    ", to);
	for (size_t i = skip; i + 1 < column; i++)
		fputc(' ', to);
	fprintf(to, "%s^", colour ? colour : "");
	for (u32 i = at->begin + 1; i < at->end && i < begin + length; i++)
		fputc('~', to);
	fputs(colour ? "\033[0m\n" : "\n", to);
}

static void print_one(const struct diags *d, const struct diag *g, FILE *to, bool colour)
{
	static const char *const words[] = {"error", "warning", "note"};
	static const char *const colours[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};
	u32 line, column;

	if (g->span.file >= d->sources->files.count) {
		fprintf(to, "ptxsim: %s%s:%s %s\n", colour ? colours[g->severity] : "", words[g->severity],
			colour ? "\033[0m" : "", g->message);
	} else {
		const struct source *s = d->sources->files.items[g->span.file];
		source_place(s, g->span.begin, &line, &column);
		fprintf(to, "%s:%u:%u: %s%s:%s %s\n", s->name, line, column, colour ? colours[g->severity] : "",
			words[g->severity], colour ? "\033[0m" : "", g->message);
		print_line(s, &g->span, line, column, colour ? colours[g->severity] : NULL, to);
	}
	if (g->hint)
		fprintf(to, "    %shint:%s %s\n", colour ? "\033[1m" : "", colour ? "\033[0m" : "", g->hint);
}

void diags_print(const struct diags *d, FILE *to, bool colour)
{
	for (size_t i = 0; i < d->list.count; i++)
		print_one(d, &d->list.items[i], to, colour);
	if (d->error_count > d->error_limit)
		fprintf(to, "ptxsim: %u further errors not shown\n", d->error_count - d->error_limit);
}
