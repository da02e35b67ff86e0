/* SPDX-License-Identifier: Apache-2.0
 *
 * Watched launches: observers live for one launch, in an arena of their own.
 */
#include "api/watching.h"

#include <string.h>

#include "observe/async_check.h"

enum { FINDINGS_MOST = 256, MESSAGE_BYTES = 8192 };

void watching_forget_program(struct watching *w)
{
	if (w->accounting)
		accounting_free(w->accounting);
	if (w->checks)
		checks_free(w->checks);
	if (w->team)
		checks_team_free(w->team);
	w->accounting = NULL;
	w->checks = NULL;
	w->team = NULL;
}

void watching_free(struct watching *w)
{
	watching_forget_program(w);
	if (w->used)
		arena_free(&w->arena);
	footprint_free(w->footprint);
	*w = (struct watching){.wanted = w->wanted, .extra = w->extra, .kept = w->kept, .footprints = w->footprints};
}

static bool looks_for_something(const struct ptxsim_watching *wanted)
{
	return wanted->races || wanted->unwritten || wanted->sync || wanted->plain_reads || wanted->strict_unwritten ||
	       (wanted->checks && *wanted->checks);
}

bool watching_is_wanted(const struct ptxsim_watching *wanted) { return wanted->count || looks_for_something(wanted); }

/* A launch in which there is nothing to watch runs as without checks. */
static u32 make_checks(struct watching *w, struct launch *l, const struct check_options *options, u32 count)
{
	w->checks = checks_new(&w->arena, l->program, options);
	/* What kernels before this one have left in their heap is not known: it counts as written. */
	for (u32 k = 0; k < l->memory->count; k++)
		if (l->memory->list[k].flags & ALLOCATION_HEAP)
			checks_host_writes(w->checks, l->memory, l->memory->list[k].base, l->memory->list[k].size);
	if (w->kept)
		checks_take_written(w->checks, w->kept);
	checks_begin(w->checks, l);
	if (!checks_watch(w->checks, l))
		return 0;
	/* Others that watch want all of the launch. */
	if (!count && !options->footprints)
		w->team = checks_team_new(&w->arena, l->program, options, l->jobs);
	l->jobs = 1;
	l->async_checker = &checks_strict(w->checks)->checker;
	return checks_observers(w->checks, w->observers + count);
}

static void make_observers(struct watching *w, struct launch *l, const struct told_launch *told)
{
	const struct accounting_options plain = {0};
	u32 count = 0;

	if (w->wanted.count) {
		w->accounting = accounting_new(&w->arena, l->program, &plain);
		accounting_begin(w->accounting);
		w->observers[count++] = accounting_observer(w->accounting);
	}
	if (looks_for_something(&w->wanted)) {
		struct check_options options = {.races = w->wanted.races != 0,
						.unwritten = w->wanted.unwritten != 0,
						.sync = w->wanted.sync != 0,
						.plain_reads = w->wanted.plain_reads != 0,
						.strict_unwritten = w->wanted.strict_unwritten != 0,
						.footprints = w->footprints,
						.most = min_u32(w->wanted.max_findings, FINDINGS_MOST),
						.suppress = w->wanted.suppress};
		if (w->wanted.checks && *w->wanted.checks)
			check_options_read(w->wanted.checks, &options);
		count += make_checks(w, l, &options, count);
	}
	if (told) {
		w->observing = observing_new(&w->arena, l, told);
		w->observers[count++] = observing_observer(w->observing);
	}
	if (told || w->extra)
		w->team = NULL;
	if (w->extra)
		w->observers[count++] = w->extra;
	l->observers = w->observers;
}

bool watching_begin(struct watching *w, struct launch *l, const struct told_launch *told)
{
	watching_free(w);
	if (!w->wanted.count && !looks_for_something(&w->wanted) && !told && !w->extra)
		return true;
	arena_init(&w->arena, &w->out_of_memory);
	w->used = true;
	if (setjmp(w->out_of_memory)) {
		watching_free(w);
		return false;
	}
	make_observers(w, l, told);
	return true;
}

/* Everything that is wrong, in words and for reports: the fault that ended the launch, if any, then what was found. */
static void keep_faults(struct watching *w, const struct launch *l, const struct fault *ended)
{
	struct fault_report *reports = ARENA_ARRAY(&w->arena, FINDINGS_MOST + 2, struct fault_report);
	const char **texts = ARENA_ARRAY(&w->arena, FINDINGS_MOST + 2, const char *);
	const struct fault *f = ended;
	struct fault explained;
	char text[MESSAGE_BYTES];
	u32 count = 0, found = 0;

	if (f && w->checks) {
		explained = *f;
		checks_explain(w->checks, l, &explained);
		f = &explained;
	}
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

bool watching_run(struct watching *w, const struct launch *l, struct launch_stats *stats)
{
	if (!w->team)
		return false;
	if (setjmp(w->out_of_memory))
		return false;
	return checks_team_run(w->team, w->checks, l, stats);
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
	if (w->checks && w->kept)
		checks_give_written(w->checks, w->kept);
	if (w->checks)
		w->footprint = checks_footprint(w->checks);
	if (w->checks)
		*found = checks_finding(w->checks, 0, l);
	return true;
}
