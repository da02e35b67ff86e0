/* SPDX-License-Identifier: Apache-2.0
 *
 * Diagnostics as JSON and as SARIF results. Jansson's packing functions give NULL when memory runs out, and adding
 * NULL fails, which check_print notices by the count.
 */
#include "config.h"

#include "report/check_formats.h"

#include <string.h>

static const char *const words[] = {[DIAG_ERROR] = "error", [DIAG_WARNING] = "warning", [DIAG_NOTE] = "note"};

struct region {
	const char *file;
	u32 line, column, end_line, end_column;
};

/* Columns count characters from 1, ends lie behind the last. */
static struct region region_of(const struct diags *d, const struct diag *g)
{
	struct region r = {.file = NULL};

	if (g->span.file >= d->sources->files.count)
		return r;
	const struct source *s = d->sources->files.items[g->span.file];
	r.file = s->name;
	source_place(s, g->span.begin, &r.line, &r.column);
	source_place(s, g->span.end > g->span.begin ? g->span.end : g->span.begin, &r.end_line, &r.end_column);
	return r;
}

/* Bytes that are no UTF-8 become question marks. */
static json_t *text_of(const char *text)
{
	json_t *o = json_string(text);
	char copy[1024];

	if (o)
		return o;
	snprintf(copy, sizeof copy, "%.*s", (int)sizeof copy - 1, text);
	for (char *c = copy; *c; c++)
		if ((u8)*c & 0x80)
			*c = '?';
	return json_string(copy);
}

static json_t *plain_object(const char *severity, const struct region *r, const char *message, const char *hint)
{
	json_t *o = json_pack("{s:s, s:o}", "severity", severity, "message", text_of(message));

	if (o && r->file)
		json_object_set_new(o, "file", text_of(r->file));
	if (o && r->line) {
		json_object_set_new(o, "line", json_integer(r->line));
		json_object_set_new(o, "column", json_integer(r->column));
		json_object_set_new(o, "end_line", json_integer(r->end_line));
		json_object_set_new(o, "end_column", json_integer(r->end_column));
	}
	if (o && hint)
		json_object_set_new(o, "hint", text_of(hint));
	return o;
}

static json_t *sarif_object(const char *level, const struct region *r, const char *message, const char *hint)
{
	char text[4096];

	snprintf(text, sizeof text, "%s%s%s", message, hint ? "\nhint: " : "", hint ? hint : "");
	json_t *o = json_pack("{s:s, s:s, s:{s:o}}", "ruleId", !strcmp(level, "warning") ? "not-modelled" : "ptx",
			      "level", level, "message", "text", text_of(text));
	if (!o || !r->file)
		return o;
	json_t *place = json_pack("{s:{s:o}}", "artifactLocation", "uri", text_of(r->file));
	if (place && r->line)
		json_object_set_new(place, "region",
				    json_pack("{s:i, s:i, s:i, s:i}", "startLine", (int)r->line, "startColumn",
					      (int)r->column, "endLine", (int)r->end_line, "endColumn",
					      (int)r->end_column));
	json_object_set_new(o, "locations", json_pack("[{s:o}]", "physicalLocation", place));
	return o;
}

static void add(json_t *list, enum check_format format, const char *severity, const struct region *r,
		const char *message, const char *hint)
{
	json_array_append_new(list, (format == CHECK_SARIF ? sarif_object : plain_object)(severity, r, message, hint));
}

void check_add(json_t *list, enum check_format format, const struct diags *d)
{
	for (size_t k = 0; k < d->list.count; k++) {
		const struct diag *g = &d->list.items[k];
		const struct region r = region_of(d, g);
		add(list, format, words[g->severity], &r, g->message, g->hint);
	}
}

void check_add_unreadable(json_t *list, enum check_format format, const char *path, const char *why)
{
	add(list, format, "error", &(struct region){.file = path}, why, NULL);
}

bool check_print(FILE *to, enum check_format format, json_t *list)
{
	json_t *o =
		format == CHECK_JSON
			? json_pack("{s:i, s:o}", "ptxsim_check", 1, "diagnostics", list)
			: json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:[{s:s, s:{s:s}}, {s:s, s:{s:s}}]}}, s:s, s:o}]}",
				    "$schema", "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
				    "runs", "tool", "driver", "name", "ptxsim", "version", PACKAGE_VERSION, "rules",
				    "id", "ptx", "shortDescription", "text", "The text is not PTX that is valid", "id",
				    "not-modelled", "shortDescription", "text",
				    "The text is valid, and ptxsim does not model it", "columnKind",
				    "unicodeCodePoints", "results", list);
	const bool ok = o && !json_dumpf(o, to, JSON_INDENT(1));

	json_decref(o);
	fputc('\n', to);
	return ok;
}
