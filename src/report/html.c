/* SPDX-License-Identifier: Apache-2.0
 *
 * Fills the page's frame.
 */
#include "report/html.h"

#include <string.h>

#include "observe/lines.h"
#include "report/json_parts.h"
#include "report/lines.h"
#include "report/page.h"

/* JSON within a script element: '<' could end it, and stands in strings only. */
static int write_escaped(const char *text, size_t length, void *context)
{
	FILE *to = context;

	for (size_t k = 0; k < length; k++)
		if (text[k] == '<')
			fputs("\\u003c", to);
		else
			putc(text[k], to);
	return ferror(to) ? -1 : 0;
}

static bool write_page(FILE *to, json_t *content)
{
	static const char *const marks[] = {"<!--style-->", "<!--data-->", "<!--script-->"};
	const char *at = page_html;
	bool ok = content != NULL;

	for (size_t k = 0; k < COUNT_OF(marks) && ok; k++) {
		const char *mark = strstr(at, marks[k]);
		fwrite(at, 1, (size_t)(mark - at), to);
		if (k == 1)
			ok = !json_dump_callback(content, write_escaped, to, JSON_COMPACT | JSON_REAL_PRECISION(17));
		else
			fputs(k ? page_js : page_css, to);
		at = mark + strlen(marks[k]);
	}
	fputs(at, to);
	json_decref(content);
	return ok && !ferror(to);
}

static json_t *definitions(void)
{
	json_t *list = json_array();

	for (u32 k = 0; k < counters_count(); k++) {
		const struct counter *c = counters_get(k);
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "name", c->name, "unit",
						      *c->unit ? c->unit : "ratio", "definition", c->definition,
						      "aliases", c->aliases));
	}
	return list;
}

struct files {
	struct arena *arena;
	const struct accounting *a;
	json_t *list;
};

/* A line's file, once; lines come by file. */
static void add_file(void *context, const struct account_line *line)
{
	const struct files *f = context;
	const size_t count = json_array_size(f->list);
	const json_t *last = json_array_get(f->list, count ? count - 1 : 0);

	for (size_t k = 0; k < count; k++) {
		last = json_array_get(f->list, k);
		if (!strcmp(json_string_value(json_object_get(last, "name")), line->file))
			return;
	}
	const char *text = report_find_source(f->arena, f->a, line->file);
	if (text)
		json_array_append_new(f->list, json_pack("{s:s, s:o}", "name", line->file, "text",
							 report_string(f->arena, text, strlen(text))));
}

json_t *report_sources(struct arena *arena, const struct accounting *a, const struct account_run *const *runs,
		       size_t count)
{
	const struct program *program = accounting_program(a);
	struct files f = {arena, a, json_array()};

	for (u32 k = 0; k < program->module_count; k++) {
		const struct source *s = program->modules[k]->sources->files.items[program->modules[k]->source];
		json_array_append_new(f.list, json_pack("{s:s, s:o}", "name", s->name, "text",
							report_string(arena, s->text, s->length)));
	}
	for (size_t k = 0; k < count; k++)
		if (!lines_visit(a, runs[k], LINES_SOURCE, arena, add_file, &f)) {
			json_decref(f.list);
			return NULL;
		}
	return f.list;
}

bool report_html_object(FILE *to, const char *title, json_t *report, json_t *sources)
{
	return write_page(to, json_pack("{s:s, s:s, s:o, s:o, s:o}", "kind", "report", "title", title, "report", report,
					"sources", sources, "counters", definitions()));
}

bool report_html(FILE *to, struct arena *arena, const struct accounting *a, const char *title,
		 const struct account_run *const *runs, size_t count)
{
	return report_html_object(to, title, report_object(arena, a, runs, count),
				  report_sources(arena, a, runs, count));
}

bool report_html_comparison(FILE *to, const char *const names[2], json_t *const reports[2])
{
	return write_page(to,
			  json_pack("{s:s, s:[s, s], s:[O, O], s:[], s:o}", "kind", "compare", "names", names[0],
				    names[1], "reports", reports[0], reports[1], "sources", "counters", definitions()));
}
