/* SPDX-License-Identifier: Apache-2.0
 *
 * Checking a text, and running it at full speed with everything counted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "report/check_formats.h"
#include "report/html.h"
#include "report/json_parts.h"
#include "web/web.h"

/* What kernels print is kept up to here. */
enum { PRINTED_MAX = 1 << 20 };

/* --- Checking ---------------------------------------------------------------------------------------- */

static void check_text(struct session *s, json_t *request)
{
	const char *name = json_string_value(json_object_get(request, "name"));
	json_t *text = json_object_get(request, "text");
	const struct lower_options lower = {.arch = json_string_value(json_object_get(request, "arch")),
					    .allow_unmodelled = true,
					    .all_functions = true};
	struct script script;

	session_add_text(s, name ? name : "kernel.ptx", json_is_string(text) ? json_string_value(text) : "",
			 json_string_length(text));
	script_init(&script, &s->arena, &s->strings, &s->diags);
	for (size_t k = 0; k < s->modules.count; k++)
		script_read_module(&script, s->modules.items[k]);
	if (!s->diags.error_count)
		session_lower(s, &lower);
}

json_t *web_check(json_t *request)
{
	struct session s;
	json_t *volatile found = json_array();

	if (!front_open(&s)) {
		json_decref(found);
		return NULL;
	}
	if (SESSION_ENTER(&s)) {
		json_decref(found);
		found = NULL;
	} else {
		check_text(&s, request);
		check_add(found, CHECK_JSON, &s.diags);
	}
	session_close(&s);
	return found ? json_pack("{s:o}", "diagnostics", found) : NULL;
}

/* --- Running ----------------------------------------------------------------------------------------- */

struct printed {
	FILE *to;
	size_t left;
};

static void on_print(void *context, const char *text, size_t length)
{
	struct printed *p = context;
	const size_t kept = length < p->left ? length : p->left;

	fwrite(text, 1, kept, p->to);
	p->left -= kept;
}

/* A text that a function writes, as JSON. */
static json_t *text_of(struct session *s, char *text, size_t size)
{
	json_t *o = report_string(&s->arena, text ? text : "", size);

	free(text);
	return o;
}

static json_t *checks_array(struct session *s, const struct play *p)
{
	json_t *list = json_array();
	u32 line, column;

	for (size_t k = 0; k < p->checks.count; k++) {
		const struct play_check *c = &p->checks.items[k];
		const struct source *text = s->sources.files.items[c->span.file];
		source_place(text, c->span.begin, &line, &column);
		json_array_append_new(list,
				      json_pack("{s:i, s:b, s:o, s:o, s:s}", "line", (int)line, "passed", c->passed,
						"text", report_string(&s->arena, c->text, strlen(c->text)), "message",
						report_string(&s->arena, c->message ? c->message : "",
							      c->message ? strlen(c->message) : 0),
						"verdict", c->passed ? "holds" : play_verdict(c)));
	}
	return list;
}

static json_t *launches_array(struct session *s, const struct play *p)
{
	json_t *list = json_array();

	for (size_t k = 0; k < p->launches.count; k++) {
		const struct play_launch *l = &p->launches.items[k];
		json_t *faults = json_array();
		for (size_t n = 0; n < l->fault_texts.count && !l->fault_expected; n++)
			json_array_append_new(faults, report_string(&s->arena, l->fault_texts.items[n],
								    strlen(l->fault_texts.items[n])));
		json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:I, s:f, s:o}", "kernel",
						      demangle_short(&s->arena, l->kernel->name), "blocks",
						      (json_int_t)l->stats.blocks, "instructions",
						      (json_int_t)l->stats.warp_instructions, "threadInstructions",
						      (json_int_t)l->stats.thread_instructions, "seconds",
						      l->stats.seconds, "faults", faults));
	}
	return list;
}

static void put_report(json_t *to, struct session *s, const struct play *p, const char *kind, const char *title)
{
	const struct account_run **runs = ARENA_ARRAY(&s->arena, p->launches.count + 1, const struct account_run *);
	char *text = NULL;
	size_t size = 0;

	for (size_t k = 0; k < p->launches.count; k++)
		runs[k] = p->launches.items[k].account;
	if (!strcmp(kind, "json")) {
		json_object_set_new(to, "report", report_object(&s->arena, p->accounting, runs, p->launches.count));
		return;
	}
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return;
	report_html(out, &s->arena, p->accounting, title, runs, p->launches.count);
	fclose(out);
	json_object_set_new(to, "report", text_of(s, text, size));
}

static json_t *buffers_text(struct session *s, const struct script *script, u32 heads)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return json_null();
	script_print_buffers(out, script, heads);
	fclose(out);
	return text_of(s, text, size);
}

static bool play(struct session *s, const struct run_options *o, const char *kind, json_t *to, FILE *out)
{
	struct printed printed = {out, PRINTED_MAX};
	struct script script;

	script_init(&script, &s->arena, &s->strings, &s->diags);
	front_set_limits(&o->choices, s, &script);
	if (!front_read_files(s, o->files.items, o->files.count) || s->diags.error_count ||
	    !run_read_launches(s, &script, o))
		return false;
	const struct lower_options lower = {.arch = o->arch ? o->arch : script.arch};
	if (!session_build(s, &lower))
		return false;
	struct play play = {.session = s,
			    .script = &script,
			    .options = {.jobs = 1,
					.limit = o->limit,
					.async = o->choices.async,
					.seed = o->seed,
					.accounting = o->accounting,
					.check = o->choices.check,
					.account = kind != NULL,
					.print = on_print,
					.print_context = &printed}};
	const bool played = play_run(&play);
	if (played) {
		json_object_set_new(to, "launches", launches_array(s, &play));
		json_object_set_new(to, "checks", checks_array(s, &play));
		json_object_set_new(to, "buffers", buffers_text(s, &script, o->heads));
		if (kind)
			put_report(to, s, &play, kind, o->files.items[0]);
	}
	play_free(&play);
	return played;
}

static bool read_request(struct run_options *o, json_t *request)
{
	enum { ROOM = 256 };
	char **words = ARENA_ARRAY(&o->arena, ROOM, char *);
	json_t *word;
	int count = 1;
	size_t k;

	words[0] = "run";
	json_array_foreach(json_object_get(request, "args"), k, word)
	{
		if (json_is_string(word) && count < ROOM)
			words[count++] = arena_copy_text(&o->arena, json_string_value(word), json_string_length(word));
	}
	json_array_foreach(json_object_get(request, "files"), k, word)
	{
		if (json_is_string(word))
			VEC_PUSH(&o->arena, &o->files,
				 arena_copy_text(&o->arena, json_string_value(word), json_string_length(word)));
	}
	return web_read_options(o, count, words) && o->files.count;
}

json_t *web_run(json_t *request)
{
	struct run_options o = {.heads = 8, .choices.async.mode = ASYNC_STRICT};
	struct session s;
	json_t *volatile to = json_object();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out || !front_open(&s)) {
		json_decref(to);
		return NULL;
	}
	arena_init(&o.arena, &s.out_of_memory);
	if (SESSION_ENTER(&s)) {
		json_object_set_new(to, "error", json_string("no memory left"));
		fclose(out);
	} else {
		const bool good = read_request(&o, request) &&
				  play(&s, &o, json_string_value(json_object_get(request, "report")), to, out);
		json_t *found = json_array();
		check_add(found, CHECK_JSON, &s.diags);
		json_object_set_new(to, "diagnostics", found);
		json_object_set_new(to, "good", json_boolean(good));
		fclose(out);
		json_object_set_new(to, "printed", report_string(&s.arena, text ? text : "", size));
	}
	free(text);
	arena_free(&o.arena);
	session_close(&s);
	return to;
}
