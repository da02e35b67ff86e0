/* SPDX-License-Identifier: Apache-2.0
 *
 * Scripts for programs: the public call over a session of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/error.h"
#include "ptxsim_script.h"
#include "script/play.h"

static void tell(FILE *to, const struct play *p)
{
	for (size_t k = 0; k < p->launches.count; k++) {
		const struct play_launch *l = &p->launches.items[k];
		for (size_t n = 0; n < l->fault_texts.count && !l->fault_expected; n++)
			fprintf(to, "%s\n", l->fault_texts.items[n]);
	}
	for (size_t k = 0; k < p->checks.count; k++) {
		const struct play_check *c = &p->checks.items[k];
		u32 line, column;
		if (c->passed)
			continue;
		const struct source *text = p->session->sources.files.items[c->span.file];
		source_place(text, c->span.begin, &line, &column);
		fprintf(to, "%s:%u: %s does not hold: %s\n", text->name, line, c->text, c->message);
	}
}

static void count(const struct play *p, struct ptxsim_script_result *r)
{
	if (!r)
		return;
	r->launches = (uint32_t)p->launches.count;
	for (size_t k = 0; k < p->launches.count; k++)
		r->faults += p->launches.items[k].fault && !p->launches.items[k].fault_expected;
	r->expectations = (uint32_t)p->checks.count;
	r->failed = p->checks_failed;
}

static bool read_module(struct session *s, const struct ptxsim_script *given, const char **why)
{
	if (!given->text)
		return session_add_file(s, given->path, why);
	session_add_text(s, given->path ? given->path : "<text>", given->text, given->length);
	return true;
}

static ptxsim_status play(struct session *s, const struct ptxsim_script *given, struct ptxsim_script_result *r,
			  FILE *to)
{
	struct script script;
	const char *why;

	if (!read_module(s, given, &why)) {
		fprintf(to, "%s: %s\n", given->path, why);
		return PTXSIM_ERROR_FILE;
	}
	script_init(&script, &s->arena, &s->strings, &s->diags);
	script_read_module(&script, s->modules.items[0]);
	if (!script.launch_count && !s->diags.error_count)
		fprintf(to, "%s has no //@ launch lines\n", s->sources.files.items[s->modules.items[0]->source]->name);
	const struct lower_options lower = {.arch = given->arch ? given->arch : script.arch};
	struct play p = {.session = s,
			 .script = &script,
			 .options = {.jobs = given->jobs,
				     .async = {.mode = ASYNC_STRICT},
				     .check = {.races = given->races != 0, .unwritten = given->unwritten != 0},
				     .print = given->print,
				     .print_context = given->print_context}};
	const bool played = script.launch_count && session_build(s, &lower) && play_run(&p);
	tell(to, &p);
	count(&p, r);
	diags_print(&s->diags, to, false);
	const bool failed = p.faulted || p.checks_failed;
	play_free(&p);
	return !played ? PTXSIM_ERROR_SYNTAX : failed ? PTXSIM_ERROR_FAULT : PTXSIM_OK;
}

ptxsim_status ptxsim_run_script(const struct ptxsim_script *script, struct ptxsim_script_result *result, char **message)
{
	struct session s;
	size_t size;
	char *text = NULL;
	ptxsim_status status;

	if (message)
		*message = NULL;
	if (!script || script->struct_size != sizeof *script || (!script->text && !script->path) ||
	    (result && result->struct_size != sizeof *result))
		return WRONG_ARGUMENT("there is no script, path or text, or a struct_size is wrong");
	if (result)
		*result = (struct ptxsim_script_result){.struct_size = sizeof *result};
	FILE *to = open_memstream(&text, &size);
	if (!to || !session_open(&s)) {
		if (to)
			fclose(to);
		free(text);
		return call_fails(__func__, PTXSIM_ERROR_MEMORY, NULL);
	}
	if (SESSION_ENTER(&s))
		status = PTXSIM_ERROR_MEMORY;
	else
		status = play(&s, script, result, to);
	session_close(&s);
	if (fclose(to) && status == PTXSIM_OK)
		status = PTXSIM_ERROR_MEMORY;
	if (status)
		call_fails(__func__, status, text && *text ? "%s" : NULL, text);
	if (message)
		*message = text;
	else
		free(text);
	return status;
}
