/* SPDX-License-Identifier: Apache-2.0
 *
 * A session in a running program (cuda/driver/debugging_editor.c): engines that come and go with its modules, and launches
 * that the program makes. Between them the program executes its own code, of which the editor sees nothing.
 */
#include <string.h>

#include "base/demangle.h"
#include "dap/dap.h"

/* --- Engines ------------------------------------------------------------------------------------------- */

void dap_engine_add(struct dap *s, struct debug *d, struct console *c)
{
	const struct dap_engine e = {s->engines_made++, d, c};

	VEC_PUSH(&s->arena, &s->engines, e);
	dap_points_bind(s, &e);
}

void dap_engine_drop(struct dap *s, const struct debug *d)
{
	size_t kept = 0;

	for (size_t k = 0; k < s->engines.count; k++)
		if (s->engines.items[k].d != d)
			s->engines.items[kept++] = s->engines.items[k];
	s->engines.count = kept;
	dap_points_drop(s, d);
}

FILE *dap_console(const struct dap *s) { return s->console_out; }
jmp_buf *dap_out_of_memory(struct dap *s) { return &s->session.out_of_memory; }

struct debug_options dap_engine_options(const struct dap *s)
{
	json_t *a = s->launch;

	return (struct debug_options){.no_history = json_is_false(json_object_get(a, "history")),
				      .history_bytes = (u64)json_integer_value(json_object_get(a, "historyLimit"))
						       << 20,
				      .history_spacing = (u64)json_integer_value(json_object_get(a, "historySpacing")),
				      .counters = json_is_true(json_object_get(a, "counters"))};
}

/* --- Launches ------------------------------------------------------------------------------------------ */

static bool is_kernel(struct dap *s, const char *kernel, json_t *name)
{
	const char *text = json_string_value(name);
	struct arena *scratch = arena_child(&s->arena);
	const bool is = text && demangle_matches(scratch, kernel, text, strlen(text));

	arena_free(scratch);
	return is;
}

/* "stopOnLaunch": true, a kernel's name, or several. */
static bool stops_in(struct dap *s, const char *kernel)
{
	json_t *wanted = json_object_get(s->launch, "stopOnLaunch"), *name;
	size_t k;

	if (json_is_true(wanted))
		return true;
	json_array_foreach(wanted, k, name)
	{
		if (is_kernel(s, kernel, name))
			return true;
	}
	return is_kernel(s, kernel, wanted);
}

/* Where the launch begins: a stop that has been asked for, or NULL. */
static const char *reason_to_stop(struct dap *s, const struct dap_launch *l)
{
	if (s->pause_wanted)
		return "pause";
	if (s->into_next)
		return "step";
	return s->stop_on_entry || l->is_chosen || stops_in(s, l->kernel) ? "entry" : NULL;
}

static void tell_launch(struct dap *s, const struct dap_launch *l, const char *reason)
{
	const struct launch *of = debug_launch(s->d);
	const struct debug_focus f = debug_focus(s->d);
	char words[512];

	snprintf(words, sizeof words, "launch %llu: %.300s<<<(%u,%u,%u), (%u,%u,%u)>>>", (unsigned long long)l->number,
		 debug_function_name(s->d, of->kernel->code), of->grid[0], of->grid[1], of->grid[2], of->block[0],
		 of->block[1], of->block[2]);
	dap_event(s, "stopped",
		  json_pack("{s:s, s:I, s:b, s:s, s:s}", "reason", reason, "threadId",
			    (json_int_t)dap_thread_of(f.block, f.warp), "allThreadsStopped", 1, "description", words,
			    "text", words));
}

static void begin(struct dap *s, const struct dap_launch *l)
{
	const struct dap_engine *e = dap_engine_of(s, l->d);

	if (l->number == 1)
		dap_event(s, "ptxsim_launched", NULL);
	s->d = l->d;
	s->console = e ? e->console : NULL;
	dap_forget_places(s);
	s->event = debug_go(s->d, DEBUG_CONTINUE, 1);
	if (s->event.reason != DEBUG_LAUNCHED)
		return;
	const char *reason = reason_to_stop(s, l);
	s->pause_wanted = s->into_next = s->stop_on_entry = false;
	/* A breakpoint at the first instruction says more. */
	if (reason && !debug_breaks_here(s->d, &s->event))
		tell_launch(s, l, reason);
	else
		dap_begin(s);
}

bool dap_launch_begin(struct dap *s, const struct dap_launch *l)
{
	if (SESSION_ENTER(&s->session))
		return false;
	begin(s, l);
	return true;
}

bool dap_launch_stands(struct dap *s)
{
	const enum debug_state state = s->d ? debug_state(s->d) : DEBUG_IDLE;

	if (state == DEBUG_STOPPED || state == DEBUG_FAULTED)
		return true;
	s->d = NULL;
	s->console = NULL;
	dap_forget_places(s);
	return false;
}

void dap_let_go(struct dap *s)
{
	for (size_t k = 0; k < s->engines.count; k++) {
		struct debug *d = s->engines.items[k].d;
		while (debug_first_point(d))
			debug_delete(d, debug_first_point(d));
	}
	if (SESSION_ENTER(&s->session))
		return;
	while (s->d && debug_state(s->d) == DEBUG_STOPPED)
		debug_go(s->d, DEBUG_CONTINUE, 1);
}
