/* SPDX-License-Identifier: Apache-2.0
 *
 * Motions of the Debug Adapter Protocol, and the events that tell how they ended.
 *
 * A request for a motion is answered first and moved after (s->next_motion), as the protocol wants it; dap_run() then
 * moves until something stops it, and sends the one `stopped` event. Messages that come in meanwhile interrupt the
 * engine, are answered, and the motion goes on.
 */
#include <stdlib.h>
#include <string.h>

#include "dap/dap.h"

/* --- Log points -------------------------------------------------------------------------------------- */

/* The message, with each {expression} replaced by its value in the lane that is in the focus. */
static void print_log(struct dap *s, const char *text)
{
	struct debug_value v;
	char value[128], *name = NULL;
	size_t size;
	FILE *out = open_memstream(&name, &size);

	if (!out)
		return;
	while (*text) {
		const char *end = *text == '{' ? strchr(text, '}') : NULL;
		if (!end) {
			fputc(*text++, out);
			continue;
		}
		char *expression = strndup(text + 1, (size_t)(end - text) - 1);
		if (expression && debug_evaluate(s->d, expression, debug_focus(s->d).lane, &v)) {
			debug_format(&v, 0, value, sizeof value);
			fputs(value, out);
		} else {
			fprintf(out, "{%s}", debug_message(s->d));
		}
		free(expression);
		text = end + 1;
	}
	fputc('\n', out);
	fclose(out);
	dap_output(s, "console", name, size);
	free(name);
}

/* Is the event a log point? Its message is out then. */
static bool is_log(struct dap *s, const struct debug_event *e)
{
	const struct dap_point *w = e->reason == DEBUG_AT_BREAKPOINT ? dap_point_of(s, e->number) : NULL;

	if (!w || !w->log)
		return false;
	print_log(s, w->log);
	return true;
}

/* --- Telling ------------------------------------------------------------------------------------------ */

static const char *point_reason(const struct dap *s, const struct debug_event *e)
{
	const struct debug_point *p = debug_point(s->d, e->number);

	if (e->reason == DEBUG_WATCHED)
		return "data breakpoint";
	if (e->reason == DEBUG_CAUGHT)
		return "exception";
	return p && strchr(p->what, '+')    ? "instruction breakpoint"
	       : p && !strchr(p->what, ':') ? "function breakpoint"
					    : "breakpoint";
}

static void tell_stopped(struct dap *s, const struct debug_event *e, const char *reason)
{
	const struct debug_focus f = debug_focus(s->d);
	json_t *body = json_pack("{s:s, s:I, s:b}", "reason", reason, "threadId",
				 (json_int_t)dap_thread_of(f.block, f.warp), "allThreadsStopped", 1);
	const struct debug_point *p = e->number ? debug_point(s->d, e->number) : NULL;
	const struct dap_point *w = p ? dap_point_of(s, p->number) : NULL;

	if (w)
		json_object_set_new(body, "hitBreakpointIds", json_pack("[i]", (int)w->id));
	if (e->text && *e->text) {
		json_object_set_new(body, "text", json_string(e->text));
		json_object_set_new(body, "description", json_string(e->text));
	} else if (p && p->kind == DEBUG_CATCH) {
		json_object_set_new(body, "description", json_string(debug_catch_name(p->catch)));
	}
	dap_event(s, "stopped", body);
}

/* Expectations of the launches that did not hold, and the end of the session. */
void dap_tell_end(struct dap *s)
{
	char *text = NULL;
	size_t size = 0;
	bool good = true;

	if (s->ended)
		return;
	s->ended = true;
	FILE *out = open_memstream(&text, &size);
	if (out) {
		good = debuggee_tell(&s->debuggee, out);
		fclose(out);
		if (size)
			dap_output(s, good ? "console" : "stderr", text, size);
		free(text);
	}
	dap_event(s, "exited", json_pack("{s:i}", "exitCode", good ? CLI_OK : CLI_FAILED));
	dap_event(s, "terminated", NULL);
}

/* --- Running ------------------------------------------------------------------------------------------ */

bool dap_is_end(const struct debug_event *e) { return e->reason == DEBUG_LAUNCH_ENDED || e->reason == DEBUG_OVER; }

bool dap_leaves_fault(const struct dap *s, bool backwards)
{
	return s->is_program && !backwards && debug_state(s->d) == DEBUG_FAULTED;
}

static struct debug_event move(struct dap *s, enum debug_motion motion, bool backwards)
{
	/* What came before the motion began would else wait for its end. */
	if (dap_has_request(s))
		return (struct debug_event){.reason = DEBUG_INTERRUPTED};
	if (s->link->interrupts)
		s->link->interrupts(s->link->context, s->d);
	const struct debug_event e = backwards ? debug_back(s->d, motion, 1) : debug_go(s->d, motion, 1);
	if (s->link->interrupts)
		s->link->interrupts(s->link->context, NULL);
	return e;
}

/* Launches begin and end without a stop, unless one is stepped into. */
static bool goes_on(struct dap *s, struct debug_event *e, enum debug_motion motion)
{
	/* A breakpoint may stand at the first instruction of all. */
	if (e->reason == DEBUG_LAUNCHED) {
		if (motion != DEBUG_CONTINUE || s->stop_on_entry)
			return false;
		if (!debug_breaks_here(s->d, e))
			return true;
	}
	return (e->reason == DEBUG_LAUNCH_ENDED && !s->is_program) || is_log(s, e);
}

static void tell(struct dap *s, const struct debug_event *e, bool backwards)
{
	switch (e->reason) {
	case DEBUG_OVER:
		dap_tell_end(s);
		break;
	case DEBUG_FAILED:
		dap_output(s, "console", e->text, strlen(e->text));
		dap_output(s, "console", "\n", 1);
		tell_stopped(s, e, "step");
		break;
	case DEBUG_FAULT:
		tell_stopped(s, e, "exception");
		break;
	case DEBUG_AT_BREAKPOINT:
	case DEBUG_WATCHED:
	case DEBUG_CAUGHT:
		tell_stopped(s, e, point_reason(s, e));
		break;
	case DEBUG_INTERRUPTED:
		tell_stopped(s, e, "pause");
		break;
	case DEBUG_LAUNCHED:
	case DEBUG_AT_START:
		tell_stopped(s, e, backwards ? "step" : "entry");
		break;
	default:
		tell_stopped(s, e, "step");
	}
}

/* A request that comes in while the engine runs is answered in between. */
void dap_run(struct dap *s, enum debug_motion motion, bool backwards)
{
	struct debug_event e;

	dap_forget_places(s);
	if (dap_leaves_fault(s, backwards)) {
		s->into_next = motion != DEBUG_CONTINUE;
		debug_end_launch(s->d);
		return;
	}
	for (;;) {
		s->pause_wanted = false;
		e = move(s, motion, backwards);
		s->event = e;
		if (s->leaving)
			return;
		if (e.reason == DEBUG_INTERRUPTED && !s->pause_wanted) {
			dap_answer_waiting(s);
			if (s->leaving)
				return;
			if (!s->pause_wanted)
				continue;
		}
		if (!goes_on(s, &e, motion))
			break;
	}
	s->stop_on_entry = false;
	/* What comes next is the program's: its own code, until it launches again. */
	if (s->is_program && dap_is_end(&e))
		s->into_next = motion != DEBUG_CONTINUE;
	else
		tell(s, &e, backwards);
}

void dap_begin(struct dap *s)
{
	dap_forget_places(s);
	if (goes_on(s, &s->event, DEBUG_CONTINUE)) {
		dap_run(s, DEBUG_CONTINUE, false);
		return;
	}
	s->stop_on_entry = false;
	tell(s, &s->event, false);
}

void dap_tell(struct dap *s, const struct debug_event *e) { tell(s, e, false); }

/* --- Requests ----------------------------------------------------------------------------------------- */

/* What is to be moved, once the answer is out. */
static json_t *start(struct dap *s, json_t *arguments, enum debug_motion motion, bool backwards, const char **error)
{
	if (!s->d) {
		*error = s->is_program ? "the program runs" : "nothing is launched";
		return NULL;
	}
	if (json_object_get(arguments, "threadId") && debug_state(s->d) == DEBUG_STOPPED &&
	    !dap_focus_thread(s, arguments, error))
		return NULL;
	struct debug_place here;
	debug_step_by_text(s->d, debug_focus_place(s->d, &here) && !dap_shows_source(s, &here));
	s->next_motion = motion;
	s->next_backwards = backwards;
	s->moves = true;
	return motion == DEBUG_CONTINUE ? json_pack("{s:b}", "allThreadsContinued", 1) : NULL;
}

static bool by_instruction(json_t *arguments)
{
	const char *grain = json_string_value(json_object_get(arguments, "granularity"));

	return grain && !strcmp(grain, "instruction");
}

static json_t *on_continue(struct dap *s, json_t *a, const char **error)
{
	return start(s, a, DEBUG_CONTINUE, false, error);
}

static json_t *on_next(struct dap *s, json_t *a, const char **error)
{
	return start(s, a, by_instruction(a) ? DEBUG_NEXT : DEBUG_NEXT_LINE, false, error);
}

static json_t *on_step_in(struct dap *s, json_t *a, const char **error)
{
	return start(s, a, by_instruction(a) ? DEBUG_STEP : DEBUG_STEP_LINE, false, error);
}

static json_t *on_step_out(struct dap *s, json_t *a, const char **error)
{
	return start(s, a, DEBUG_FINISH, false, error);
}

static json_t *on_step_back(struct dap *s, json_t *a, const char **error)
{
	return start(s, a, by_instruction(a) ? DEBUG_NEXT : DEBUG_NEXT_LINE, true, error);
}

static json_t *on_reverse(struct dap *s, json_t *a, const char **error)
{
	return start(s, a, DEBUG_CONTINUE, true, error);
}

static json_t *on_pause(struct dap *s, json_t *a, const char **error)
{
	static const char words[] = "ptxsim: the program executes its own code; it stops when it launches a kernel\n";

	(void)a;
	(void)error;
	s->pause_wanted = true;
	if (s->is_program && !s->d)
		dap_output(s, "console", words, sizeof words - 1);
	return NULL;
}

static json_t *on_restart(struct dap *s, json_t *a, const char **error)
{
	(void)a;
	if (!s->d || s->is_program) {
		*error = s->is_program ? "a program is started again by a new launch" : "nothing is launched";
		return NULL;
	}
	const struct debug_event e = debug_restart(s->d);
	if (e.reason == DEBUG_FAILED) {
		*error = e.text;
		return NULL;
	}
	s->ended = false;
	dap_forget_places(s);
	s->next_motion = DEBUG_CONTINUE;
	s->next_backwards = false;
	s->moves = !s->stop_at_entry;
	if (s->stop_at_entry)
		tell_stopped(s, &e, "entry");
	return NULL;
}

const struct dap_request dap_move_requests[] = {
	{"continue", on_continue}, {"next", on_next},          {"stepIn", on_step_in},
	{"stepOut", on_step_out},  {"stepBack", on_step_back}, {"reverseContinue", on_reverse},
	{"pause", on_pause},       {"restart", on_restart},    {0},
};
