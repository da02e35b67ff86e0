/* SPDX-License-Identifier: Apache-2.0
 *
 * A session of the Debug Adapter Protocol: launching, and one message after the other.
 *
 * A session, as an editor drives it; each line is a message and what it calls:
 *
 *      initialize          what can be done                          on_initialize
 *      launch              files and options, first launch begins    on_launch, launch_files
 *                          or a program, which starts later          launch_program
 *      setBreakpoints ...  dap_points.c
 *      configurationDone   now it may run
 *      continue, next ...  dap_move.c; ends in a `stopped` event
 *      threads ... variables   dap_state.c
 *
 * Answers carry the request's number; events have numbers of their own. The page in a browser uses the same messages
 * (src/web).
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dap/dap.h"
#include "observe/counters.h"

enum { CAPTURE_MAX = 8192 };

/* --- Sending ----------------------------------------------------------------------------------------- */

/* Messages are numbered here and nowhere else; the link owns the connection, and takes the message over. */
void dap_send(struct dap *s, json_t *message)
{
	json_object_set_new(message, "seq", json_integer(++s->sequence));
	s->link->send(s->link->context, message);
}

bool dap_has_request(const struct dap *s) { return s->link->has_request && s->link->has_request(s->link->context); }

void dap_event(struct dap *s, const char *name, json_t *body)
{
	json_t *message = json_pack("{s:s, s:s}", "type", "event", "event", name);

	if (body)
		json_object_set_new(message, "body", body);
	dap_send(s, message);
}

json_t *dap_output_body(const char *category, const char *text, size_t length)
{
	json_t *words = json_stringn(text, length);

	/* What a kernel prints need not be UTF-8. */
	if (!words) {
		char *ascii = malloc(length + 1);
		for (size_t k = 0; ascii && k < length; k++)
			ascii[k] = text[k] & 0x80 ? '?' : text[k];
		words = ascii ? json_stringn(ascii, length) : json_string("");
		free(ascii);
	}
	return json_pack("{s:s, s:o}", "category", category, "output", words);
}

void dap_output(struct dap *s, const char *category, const char *text, size_t length)
{
	dap_event(s, "output", dap_output_body(category, text, length));
}

static void on_print(void *context, const char *text, size_t length) { dap_output(context, "stdout", text, length); }

void dap_put_counters(struct account_run *run, json_t *list)
{
	char value[40];

	for (u32 k = 0; k < counters_count(); k++) {
		const struct counter *c = counters_get(k);
		const double v = counter_value(c, run);
		if (v == 0)
			continue;
		snprintf(value, sizeof value, "%.6g", v);
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:i}", "name", c->name, "value", value, "variablesReference", 0));
	}
}

/* --- Initialising and launching ------------------------------------------------------------------------ */

/* Every kind of catchpoint, faults on by default; two of them take a bound as their condition. */
static json_t *exception_filters(void)
{
	json_t *list = json_array();

	for (int k = 0; k < DEBUG_CATCH_COUNT; k++) {
		const bool above = k == DEBUG_CATCH_CONFLICT || k == DEBUG_CATCH_SECTORS;
		const char *name = debug_catch_name((enum debug_catch)k);
		json_t *filter = json_pack("{s:s, s:s, s:b, s:b}", "filter", name, "label", name, "default",
					   k == DEBUG_CATCH_FAULT, "supportsCondition", above);
		if (above)
			json_object_set_new(filter, "conditionDescription",
					    json_string(k == DEBUG_CATCH_CONFLICT ? "more than so many extra wavefronts"
										  : "more than so many sectors"));
		json_array_append_new(list, filter);
	}
	return list;
}

static json_t *on_initialize(struct dap *s, json_t *a, const char **error)
{
	static const char *const can[] = {
		"supportsConfigurationDoneRequest",
		"supportsFunctionBreakpoints",
		"supportsConditionalBreakpoints",
		"supportsHitConditionalBreakpoints",
		"supportsEvaluateForHovers",
		"supportsStepBack",
		"supportsSetVariable",
		"supportsRestartRequest",
		"supportsExceptionInfoRequest",
		"supportsExceptionFilterOptions",
		"supportsLogPoints",
		"supportsTerminateRequest",
		"supportsDataBreakpoints",
		"supportsReadMemoryRequest",
		"supportsWriteMemoryRequest",
		"supportsDisassembleRequest",
		"supportsSteppingGranularity",
		"supportsInstructionBreakpoints",
		"supportsSetExpression",
		"supportsCompletionsRequest",
		"supportsBreakpointLocationsRequest",
	};
	json_t *body = json_object();
	json_t *from_1 = json_object_get(a, "linesStartAt1");

	(void)error;
	s->lines_from_0 = json_is_false(from_1);
	for (size_t k = 0; k < COUNT_OF(can); k++)
		json_object_set_new(body, can[k], json_true());
	json_object_set_new(body, "exceptionBreakpointFilters", exception_filters());
	return body;
}

/* To the output, and given back.
 * Shows the diagnostics in the editor's output and clears them: a second launch begins with none. */
static const char *tell_diagnostics(struct dap *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return "";
	diags_print(&s->session.diags, out, false);
	fclose(out);
	if (size)
		dap_output(s, "stderr", text, size);
	const char *copy = arena_copy_text(&s->arena, text ? text : "", size);
	free(text);
	s->session.diags.list.count = s->session.diags.error_count = 0;
	return copy;
}

/* The words of a command line: those of "args", then the files of "program". */
static bool collect_words(struct dap *s, json_t *a, char **words, int room, int *count)
{
	json_t *program = json_object_get(a, "program"), *file;
	size_t k;

	words[(*count)++] = arena_copy_text(&s->arena, "ptxsim dap", 10);
	json_array_foreach(json_object_get(a, "args"), k, file)
	{
		if (!json_is_string(file) || *count >= room)
			return false;
		words[(*count)++] = arena_copy_text(&s->arena, json_string_value(file), json_string_length(file));
	}
	if (json_is_string(program) && *count < room)
		words[(*count)++] = arena_copy_text(&s->arena, json_string_value(program), json_string_length(program));
	json_array_foreach(program, k, file)
	{
		if (!json_is_string(file) || *count >= room)
			return false;
		words[(*count)++] = arena_copy_text(&s->arena, json_string_value(file), json_string_length(file));
	}
	words[*count] = NULL;
	return *count > 1;
}

static bool read_words(struct dap *s, json_t *a, struct run_options *o)
{
	enum { ROOM = 256 };
	char **words = ARENA_ARRAY(&s->arena, ROOM + 1, char *);
	int count = 0;

	return collect_words(s, a, words, ROOM, &count) && s->link->read_options(o, count, words) && o->files.count;
}

/* --- What goes to standard error meanwhile ------------------------------------------------------------- */

struct capture {
	FILE *file;
	int before;
};

/* Code that the command line shares writes to standard error, which an editor does not show: it is collected in a file
 * meanwhile. */
static void begin_capture(struct capture *c)
{
	fflush(stderr);
	c->file = tmpfile();
	c->before = c->file ? dup(STDERR_FILENO) : -1;
	if (c->before >= 0)
		dup2(fileno(c->file), STDERR_FILENO);
}

/* What was written, in the arena. */
static const char *end_capture(struct capture *c, struct arena *a)
{
	char *text = arena_alloc(a, CAPTURE_MAX + 1);

	fflush(stderr);
	if (c->before >= 0) {
		dup2(c->before, STDERR_FILENO);
		close(c->before);
	}
	if (c->file) {
		rewind(c->file);
		text[fread(text, 1, CAPTURE_MAX, c->file)] = 0;
		fclose(c->file);
	}
	return text;
}

/* All that was said, without the program's name and the last line's end. */
static const char *why(struct dap *s, const char *captured, const char *diagnostics, const char *message)
{
	if (!strncmp(captured, "ptxsim: ", 8))
		captured += 8;
	char *text = arena_printf(&s->arena, "%s%s%s", captured, diagnostics, message);
	for (size_t n = strlen(text); n && (text[n - 1] == '\n' || text[n - 1] == ' ');)
		text[--n] = 0;
	return text;
}

/* The words of the request are read as a command line, so an editor has every option of `ptxsim run`. */
static bool opened(struct dap *s, json_t *a)
{
	struct run_options *o = &s->options;
	struct debug_options options = {
		.no_history = json_is_false(json_object_get(a, "history")),
		.history_bytes = (u64)json_integer_value(json_object_get(a, "historyLimit")) << 20,
		.history_spacing = (u64)json_integer_value(json_object_get(a, "historySpacing")),
		.counters = json_is_true(json_object_get(a, "counters"))};

	arena_free(&o->arena);
	*o = (struct run_options){.heads = 8, .choices.async.mode = ASYNC_STRICT};
	arena_init(&o->arena, &s->session.out_of_memory);
	s->debuggee.print = on_print;
	s->debuggee.print_context = s;
	return read_words(s, a, o) && debuggee_open(&s->debuggee, &s->session, o, &options);
}

/* Reads, builds and begins the first launch; NULL, or why that is not possible. */
static const char *begin_launch(struct dap *s, json_t *a)
{
	struct capture capture;

	begin_capture(&capture);
	bool good = opened(s, a);
	if (good) {
		s->event = debug_go(s->debuggee.debug, DEBUG_CONTINUE, 1);
		good = s->event.reason != DEBUG_FAILED && s->event.reason != DEBUG_OVER;
	}
	const char *captured = end_capture(&capture, &s->arena), *diagnostics = tell_diagnostics(s);
	if (*captured)
		dap_output(s, "stderr", captured, strlen(captured));
	if (good)
		return NULL;
	if (*captured || *diagnostics)
		return why(s, captured, diagnostics, "");
	if (s->debuggee.debug)
		return why(s, "", "", debug_message(s->debuggee.debug));
	return "\"program\" names the file or files to launch, \"args\" holds options of 'ptxsim run'";
}

/* In constant time: how long a wrong guess took must tell nothing of the token. */
bool dap_token_is(const char *token, const char *given)
{
	const size_t length = strlen(token);
	u8 differs = 0;

	if (!given || strlen(given) != length)
		return false;
	for (size_t k = 0; k < length; k++)
		differs |= (u8)(token[k] ^ given[k]);
	return !differs;
}

/* Why a launch is not to be looked at; NULL: it is. */
static const char *refusal(struct dap *s, json_t *a)
{
	const char *folder = json_string_value(json_object_get(a, "cwd"));

	if (s->link->token && !dap_token_is(s->link->token, json_string_value(json_object_get(a, "token")))) {
		s->leaving = true;
		return "launch needs the \"token\" that 'ptxsim dap --port' has printed";
	}
	if (s->d || s->is_program)
		return "something is launched already";
	const char *wrong = dap_wrong_key(s, a);
	if (wrong)
		return arena_printf(&s->arena, "nothing can be launched: %s", wrong);
	return folder && !s->link->is_inside && chdir(folder) ? "the folder of \"cwd\" cannot be entered" : NULL;
}

/* A program: it starts when the editor has said where it is to stop. Others start it again for themselves. */
static void launch_program(struct dap *s, json_t *a)
{
	s->is_program = true;
	s->launch = json_incref(a);
	s->stop_on_entry = json_is_true(json_object_get(a, "stopOnEntry"));
	dap_event(s, "capabilities", json_pack("{s:{s:b}}", "capabilities", "supportsRestartRequest", 0));
}

static const char *launch_files(struct dap *s, json_t *a)
{
	const char *failure = s->debuggee.session ? "one launch has failed: start again" : begin_launch(s, a);

	if (failure)
		return arena_printf(&s->arena, "nothing can be launched: %s", failure);
	s->d = s->debuggee.debug;
	s->stop_at_entry = s->stop_on_entry = json_is_true(json_object_get(a, "stopOnEntry"));
	const struct console_options plain = {.confined = true};
	s->console = console_new(&s->arena, s->d, s->console_out, &plain);
	dap_engine_add(s, s->d, s->console);
	return NULL;
}

static json_t *on_launch(struct dap *s, json_t *a, const char **error)
{
	const char *level = json_string_value(json_object_get(a, "sourceLevel")), *why_not = NULL;

	*error = refusal(s, a);
	if (*error)
		return NULL;
	if (!s->console_out && !(s->console_out = open_memstream(&s->console_text, &s->console_size))) {
		*error = "no memory left";
		return NULL;
	}
	s->by_text = level && !strcmp(level, "text");
	const bool is_program =
		s->link->is_inside || (s->link->find_program && s->link->find_program(s->link->context, a, &why_not));
	if (why_not) {
		*error = arena_printf(&s->arena, "nothing can be launched: %s", why_not);
	} else if (is_program) {
		launch_program(s, a);
	} else {
		dap_tell_program_keys(s, a);
		*error = launch_files(s, a);
	}
	/* Breakpoints can be set from now on. */
	if (!*error)
		dap_event(s, "initialized", NULL);
	return NULL;
}

static json_t *on_configured(struct dap *s, json_t *a, const char **error)
{
	(void)a;
	if (!s->d && !s->is_program) {
		*error = "nothing is launched";
		return NULL;
	}
	if (s->is_program && s->is_configured) {
		*error = "the program runs already";
		return NULL;
	}
	s->is_configured = true;
	s->begins = true;
	return NULL;
}

static json_t *on_disconnect(struct dap *s, json_t *a, const char **error)
{
	(void)a;
	(void)error;
	s->leaving = true;
	return NULL;
}

static json_t *on_terminate(struct dap *s, json_t *a, const char **error)
{
	(void)a;
	(void)error;
	s->pause_wanted = true;
	s->terminating |= !s->is_program;
	return NULL;
}

static const struct dap_request own_requests[] = {
	{"initialize", on_initialize}, {"launch", on_launch},       {"configurationDone", on_configured},
	{"disconnect", on_disconnect}, {"terminate", on_terminate}, {0},
};

/* --- The loop ------------------------------------------------------------------------------------------- */

static const struct dap_request *find_request(const char *name)
{
	const struct dap_request *const tables[] = {own_requests,        dap_point_requests, dap_state_requests,
						    dap_memory_requests, dap_move_requests,  dap_view_requests,
						    dap_source_requests};

	for (size_t t = 0; t < COUNT_OF(tables); t++)
		for (const struct dap_request *r = tables[t]; r->name; r++)
			if (!strcmp(r->name, name))
				return r;
	return NULL;
}

static void answer(struct dap *s, json_t *message)
{
	const char *name = json_string_value(json_object_get(message, "command"));
	const struct dap_request *r = name ? find_request(name) : NULL;
	const char *error = r ? NULL : "this request is not known here";
	json_t *body = r ? r->answer(s, json_object_get(message, "arguments"), &error) : NULL;
	json_t *reply = json_pack("{s:s, s:I, s:s, s:b}", "type", "response", "request_seq",
				  json_integer_value(json_object_get(message, "seq")), "command", name ? name : "",
				  "success", !error);

	if (error)
		json_object_set_new(reply, "message", json_string(error));
	if (error)
		json_decref(body);
	else if (body)
		json_object_set_new(reply, "body", body);
	dap_send(s, reply);
	json_decref(message);
}

void dap_answer_waiting(struct dap *s)
{
	while (dap_has_request(s) && !s->leaving && !s->pause_wanted) {
		json_t *message = s->link->receive(s->link->context);
		if (message)
			answer(s, message);
		else
			s->leaving = true;
	}
}

/* What an answer has announced, once it is out. */
static void follow(struct dap *s)
{
	if (s->moved) {
		s->moved = false;
		dap_forget_places(s);
		if (s->is_program && dap_is_end(&s->event))
			dap_event(s, "continued", json_pack("{s:i, s:b}", "threadId", 1, "allThreadsContinued", 1));
		else
			dap_tell(s, &s->event);
	}
	if (s->begins) {
		s->begins = false;
		if (!s->is_program)
			dap_begin(s);
		else if (s->link->start_program)
			s->link->start_program(s->link->context);
	}
	if (s->moves) {
		s->moves = false;
		dap_run(s, s->next_motion, s->next_backwards);
	}
	if (s->terminating)
		dap_tell_end(s);
}

bool dap_take(struct dap *s, json_t *message)
{
	if (SESSION_ENTER(&s->session))
		return false;
	answer(s, message);
	follow(s);
	return true;
}

bool dap_is_over(const struct dap *s) { return s->leaving; }

struct dap *dap_open(const struct dap_link *link)
{
	struct dap *s = calloc(1, sizeof *s);

	if (!s) {
		front_no_memory();
		return NULL;
	}
	if (!front_open(&s->session)) {
		free(s);
		return NULL;
	}
	s->link = link;
	arena_init(&s->arena, &s->session.out_of_memory);
	arena_init(&s->options.arena, &s->session.out_of_memory);
	return s;
}

void dap_close(struct dap *s)
{
	if (s->console_out)
		fclose(s->console_out);
	free(s->console_text);
	json_decref(s->launch);
	debuggee_close(&s->debuggee);
	session_close(&s->session);
	arena_free(&s->options.arena);
	arena_free(&s->arena);
	free(s);
}
