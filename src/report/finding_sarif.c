/* SPDX-License-Identifier: Apache-2.0
 *
 * SARIF results of faults and findings. The place is that in the source if the text names it, and the instruction in PTX
 * stands beside the other thread's among the related ones. Jansson's functions pass NULL on when memory runs out.
 */
#include "config.h"

#include "report/finding_sarif.h"

#include <string.h>

/* Bytes that are not UTF-8 become question marks. */
static json_t *text_of(const char *text)
{
	json_t *o = json_string(text);
	char copy[8192];

	if (o)
		return o;
	snprintf(copy, sizeof copy, "%s", text);
	for (char *c = copy; *c; c++)
		if ((u8)*c & 0x80)
			*c = '?';
	return json_string(copy);
}

/* A path as a reference (RFC 3986): what has a meaning there, or none, is written as its bytes. */
static json_t *uri_of(const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=@";
	char uri[8192];
	size_t used = 0;

	for (const char *c = path; *c && used + 4 < sizeof uri; c++)
		if (strchr(plain, *c))
			uri[used++] = *c;
		else
			used += (size_t)snprintf(uri + used, 4, "%%%02X", (unsigned)(u8)*c);
	uri[used] = 0;
	return json_string(uri);
}

static json_t *location(const char *file, u32 line, u32 column, const char *function, const char *words)
{
	json_t *region = json_pack("{s:i}", "startLine", (int)max_u32(line, 1));
	json_t *place = json_pack("{s:{s:{s:o}, s:o}}", "physicalLocation", "artifactLocation", "uri", uri_of(file),
				  "region", region);

	if (region && column)
		json_object_set_new(region, "startColumn", json_integer(column));
	if (place && function)
		json_object_set_new(place, "logicalLocations",
				    json_pack("[{s:o, s:s}]", "name", text_of(function), "kind", "function"));
	if (place && words)
		json_object_set_new(place, "message", json_pack("{s:o}", "text", text_of(words)));
	return place;
}

static json_t *source_location(const struct fault_place *p, const char *words)
{
	return p->source ? location(p->source, p->source_line, 0, p->function, words)
			 : location(p->file, p->line, p->column, p->function, words);
}

static json_t *thread_text(const struct fault_thread *t)
{
	return json_sprintf("block (%u,%u,%u), thread (%u,%u,%u)", t->block[0], t->block[1], t->block[2], t->thread[0],
			    t->thread[1], t->thread[2]);
}

static void add_related(json_t *o, const struct fault_report *r)
{
	json_t *related = json_array();

	if (r->at.source && r->at.file)
		json_array_append_new(
			related, location(r->at.file, r->at.line, r->at.column, r->at.function, "the instruction"));
	if (r->other.file) {
		char words[64];
		snprintf(words, sizeof words, "the other thread %s", fault_role_text(r->role));
		json_array_append_new(related, source_location(&r->other, words));
	}
	if (json_array_size(related))
		json_object_set(o, "relatedLocations", related);
	json_decref(related);
}

static void add_properties(json_t *o, const struct fault_report *r, u64 times)
{
	json_t *p = json_object();

	json_object_set_new(p, "thread", thread_text(&r->thread));
	if (r->other.file)
		json_object_set_new(p, "otherThread", thread_text(&r->other_thread));
	if (r->has_access)
		json_object_set_new(p, "address", json_sprintf("0x%llx", (unsigned long long)r->address));
	if (times)
		json_object_set_new(p, "times", json_integer((json_int_t)times));
	if (r->advice[0])
		json_object_set_new(p, "suggestion", text_of(r->advice));
	if (r->times) {
		char line[FAULT_LINE_TEXT];
		fault_line(r, line);
		json_object_set_new(p, "suppression", text_of(line));
	}
	json_object_set_new(o, "properties", p);
}

json_t *sarif_finding(const struct fault_report *r, const char *message, u64 times)
{
	json_t *o = json_pack("{s:s, s:s, s:{s:o}}", "ruleId", fault_name(r->kind), "level", "error", "message", "text",
			      text_of(message));

	if (!o)
		return NULL;
	if (r->at.file)
		json_object_set_new(o, "locations", json_pack("[o]", source_location(&r->at, NULL)));
	add_related(o, r);
	add_properties(o, r, times);
	return o;
}

static const char *const host_rule = "host";

json_t *sarif_host(const char *file, u32 line, const char *message)
{
	json_t *o = json_pack("{s:s, s:s, s:{s:o}}", "ruleId", host_rule, "level", "error", "message", "text",
			      text_of(message));

	if (o && file)
		json_object_set_new(o, "locations", json_pack("[o]", location(file, line, 0, NULL, NULL)));
	return o;
}

static json_t *rules(void)
{
	json_t *list = json_array();

	for (u32 k = FAULT_NONE + 1; k < FAULT_COUNT; k++)
		json_array_append_new(list, json_pack("{s:s, s:{s:s}}", "id", fault_name((enum fault_kind)k),
						      "shortDescription", "text", fault_text((enum fault_kind)k)));
	json_array_append_new(list, json_pack("{s:s, s:{s:s}}", "id", host_rule, "shortDescription", "text",
					      "memory that the host frees, reads or forgets wrongly"));
	return list;
}

bool sarif_print(FILE *to, json_t *results)
{
	json_t *o = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:s, s:o}]}", "$schema",
			      "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool",
			      "driver", "name", "ptxsim", "version", PACKAGE_VERSION, "rules", rules(), "columnKind",
			      "unicodeCodePoints", "results", results);
	const bool ok = o && !json_dumpf(o, to, JSON_INDENT(1));

	json_decref(o);
	fputc('\n', to);
	return ok;
}
