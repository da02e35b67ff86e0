/* SPDX-License-Identifier: Apache-2.0
 *
 * Watched launches: observers live for one launch, in an arena of their own.
 */
#include "api/watching.h"

#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "report/memory.h"

enum { FINDINGS_MOST = 256, MESSAGE_BYTES = 8192 };

void watching_free(struct watching *w)
{
	if (w->accounting)
		accounting_free(w->accounting);
	if (w->checks)
		checks_free(w->checks);
	if (w->used)
		arena_free(&w->arena);
	free(w->report);
	*w = (struct watching){.wanted = w->wanted, .extra = w->extra};
}

static void make_observers(struct watching *w, struct launch *l)
{
	const struct accounting_options plain = {0};
	u32 count = 0;

	if (w->wanted.count) {
		w->accounting = accounting_new(&w->arena, l->program, &plain);
		accounting_begin(w->accounting);
		w->observers[count++] = accounting_observer(w->accounting);
	}
	if (w->wanted.races || w->wanted.unwritten) {
		const struct check_options options = {.races = w->wanted.races != 0,
						      .unwritten = w->wanted.unwritten != 0};
		w->checks = checks_new(&w->arena, l->program, &options);
		checks_begin(w->checks, l);
		count += checks_observers(w->checks, w->observers + count);
		l->jobs = 1;
	}
	if (w->extra)
		w->observers[count++] = w->extra;
	l->observers = w->observers;
}

bool watching_begin(struct watching *w, struct launch *l)
{
	watching_free(w);
	if (!w->wanted.count && !w->wanted.races && !w->wanted.unwritten && !w->extra)
		return true;
	arena_init(&w->arena, &w->out_of_memory);
	w->used = true;
	if (setjmp(w->out_of_memory)) {
		watching_free(w);
		return false;
	}
	make_observers(w, l);
	return true;
}

/* Everything that is wrong, in words and for reports: the fault that ended the launch, if any, then what was found. */
static void keep_faults(struct watching *w, const struct launch *l, const struct fault *ended)
{
	struct fault_report *reports = ARENA_ARRAY(&w->arena, FINDINGS_MOST + 2, struct fault_report);
	const char **texts = ARENA_ARRAY(&w->arena, FINDINGS_MOST + 2, const char *);
	const struct fault *f = ended;
	char text[MESSAGE_BYTES];
	u32 count = 0, found = 0;

	if (!f && w->checks)
		f = checks_finding(w->checks, found++, l);
	while (f && found <= FINDINGS_MOST) {
		fault_report(l->memory, l, f, &reports[count]);
		fault_describe(l->memory, l, f, text, sizeof text);
		texts[count++] = arena_copy_text(&w->arena, text, strlen(text));
		f = w->checks ? checks_finding(w->checks, found++, l) : NULL;
	}
	w->findings = texts + (ended != NULL);
	w->faults = reports;
	w->fault_texts = texts;
	w->fault_count = count;
	if (w->run) {
		w->run->faults = reports;
		w->run->fault_texts = texts;
		w->run->fault_count = count;
	}
}

static void keep_report(struct watching *w)
{
	size_t size;
	FILE *to = open_memstream(&w->report, &size);

	if (!to)
		return;
	report_memory(to, &w->arena, w->accounting, w->run);
	fclose(to);
}

bool watching_end(struct watching *w, const struct launch *l, const struct launch_stats *stats,
		  const struct fault *ended, const struct fault **found)
{
	*found = NULL;
	if (!w->used)
		return true;
	if (setjmp(w->out_of_memory)) {
		watching_free(w);
		return false;
	}
	if (w->accounting)
		w->run = accounting_end(w->accounting, &w->arena, l, stats);
	keep_faults(w, l, ended);
	if (w->run)
		keep_report(w);
	if (w->checks)
		*found = checks_finding(w->checks, 0, l);
	return true;
}

/* --- The interface -------------------------------------------------------------------------- */

ptxsim_status ptxsim_watch(ptxsim_context *context, const struct ptxsim_watching *watching)
{
	if (!context || (watching && watching->struct_size != sizeof *watching))
		return PTXSIM_ERROR_ARGUMENT;
	context->watching.wanted = watching ? *watching : (struct ptxsim_watching){0};
	return PTXSIM_OK;
}

ptxsim_status ptxsim_counter(const ptxsim_context *context, const char *name, double *value)
{
	if (!context || !name || !value)
		return PTXSIM_ERROR_ARGUMENT;
	if (!context->watching.run)
		return PTXSIM_ERROR_STATE;
	const struct counter *c = counters_find(name);
	if (!c)
		return PTXSIM_ERROR_NOT_FOUND;
	*value = counter_value(c, context->watching.run);
	return PTXSIM_OK;
}

const char *ptxsim_report(const ptxsim_context *context)
{
	return context && context->watching.report ? context->watching.report : "";
}

const char *ptxsim_finding(const ptxsim_context *context, size_t index)
{
	if (!context || !context->watching.findings)
		return NULL;
	for (size_t k = 0; context->watching.findings[k]; k++)
		if (k == index)
			return context->watching.findings[k];
	return NULL;
}
