/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports and lines of a record, made when they are first asked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "api/error.h"
#include "api/record.h"
#include "observe/lines.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/json.h"
#include "report/memory.h"

/* Why there is nothing to report; NULL: there is. */
static const char *why_nothing(const ptxsim_record *r)
{
	if (!r->watching.run)
		return "the launch was not counted: ptxsim_watch asks for it, before the launch";
	return r->watching.accounting ? NULL : "the launch's module has been freed";
}

/* --- Reports -------------------------------------------------------------------------------- */

static bool write_report(FILE *to, struct watching *w, const char *title, ptxsim_report_format format)
{
	const struct account_run *const runs[] = {w->run};

	switch (format) {
	case PTXSIM_REPORT_JSON:
		return report_json(to, &w->arena, w->accounting, runs, 1);
	case PTXSIM_REPORT_HTML:
		return report_html(to, &w->arena, w->accounting, title, runs, 1);
	case PTXSIM_REPORT_CSV:
		return report_csv(to, &w->arena, w->accounting, runs, 1);
	default:
		report_memory(to, &w->arena, w->accounting, w->run);
		return true;
	}
}

/* From malloc; NULL: no memory. */
static char *make_report(ptxsim_record *r, ptxsim_report_format format)
{
	char *text = NULL;
	size_t size;
	bool volatile ok = false;
	FILE *volatile to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	if (!setjmp(r->watching.out_of_memory))
		ok = write_report(to, &r->watching, r->kernel, format);
	if (fclose(to) || !ok) {
		free(text);
		return NULL;
	}
	return text;
}

const char *ptxsim_record_report(ptxsim_record *record, ptxsim_report_format format)
{
	const char *why = NULL;

	if (!record || (unsigned)format >= RECORD_FORMATS) {
		WRONG_ARGUMENT("there is no record, or no such format");
		return "";
	}
	if (record->reports[format])
		return record->reports[format];
	if ((why = why_nothing(record)))
		call_fails(__func__, PTXSIM_ERROR_STATE, "%s", why);
	else if (!(record->reports[format] = make_report(record, format)))
		call_fails(__func__, PTXSIM_ERROR_MEMORY, NULL);
	return record->reports[format] ? record->reports[format] : "";
}

const char *ptxsim_report(const ptxsim_context *context)
{
	return context && context->record ? ptxsim_record_report(context->record, PTXSIM_REPORT_TEXT) : "";
}

/* --- Lines ---------------------------------------------------------------------------------- */

struct line_collector {
	struct arena *arena;
	struct record_lines *to;
};

static const char *keep(struct arena *arena, const char *text)
{
	return text ? arena_copy_text(arena, text, strlen(text)) : NULL;
}

/* Neighbouring lines are of one file. */
static const char *keep_file(struct line_collector *c, const char *file)
{
	const struct record_lines *l = c->to;
	const char *last = l->list.count ? l->list.items[l->list.count - 1].file : NULL;

	return last && !strcmp(last, file) ? last : keep(c->arena, file);
}

static void add_line(void *context, const struct account_line *line)
{
	struct line_collector *c = context;

	/* What was inlined there stands under its own lines. */
	if (!line->has_own)
		return;
	double *counters = ARENA_ARRAY(c->arena, counters_count(), double);
	for (u32 k = 0; k < counters_count(); k++)
		counters[k] = counter_value(counters_get(k), &line->own);
	const struct ptxsim_line l = {.file = keep_file(c, line->file),
				      .line = line->line,
				      .function = keep(c->arena, line->function),
				      .text = line->text ? arena_copy_text(c->arena, line->text, line->length) : NULL,
				      .source = keep(c->arena, line->source),
				      .source_line = line->source_line,
				      .counters = counters};
	VEC_PUSH(c->arena, &c->to->list, l);
}

/* False: no memory. */
static bool find_lines(ptxsim_record *r, ptxsim_lines kind)
{
	static const enum line_kind kinds[] = {[PTXSIM_LINES_SOURCE] = LINES_SOURCE,
					       [PTXSIM_LINES_PTX] = LINES_PTX,
					       [PTXSIM_LINES_INSTRUCTIONS] = LINES_INSTRUCTION};
	struct watching *w = &r->watching;
	struct line_collector c = {&w->arena, &r->lines[kind]};

	c.to->list.count = 0;
	if (setjmp(w->out_of_memory))
		return false;
	c.to->found = lines_visit(w->accounting, w->run, kinds[kind], &w->arena, add_line, &c);
	return c.to->found;
}

ptxsim_status ptxsim_record_line(ptxsim_record *record, ptxsim_lines kind, size_t index, struct ptxsim_line *line)
{
	if (!record || !line || (unsigned)kind >= RECORD_LINE_KINDS)
		return WRONG_ARGUMENT("the record or the place for the line is NULL, or there is no such kind");
	if (line->struct_size != sizeof *line)
		return WRONG_ARGUMENT("struct_size is not that of struct ptxsim_line");
	struct record_lines *l = &record->lines[kind];
	const char *why = l->found ? NULL : why_nothing(record);
	if (why)
		return call_fails(__func__, PTXSIM_ERROR_STATE, "%s", why);
	if (!l->found && !find_lines(record, kind))
		return call_fails(__func__, PTXSIM_ERROR_MEMORY, NULL);
	if (index >= l->list.count)
		return call_fails(__func__, PTXSIM_ERROR_NOT_FOUND, "there are %zu lines", l->list.count);
	*line = l->list.items[index];
	line->struct_size = sizeof *line;
	return PTXSIM_OK;
}
