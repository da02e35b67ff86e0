/* SPDX-License-Identifier: Apache-2.0
 *
 * The debugged launches: a launch script played for the engine.
 */
#include "front/debuggee.h"

#include <stdio.h>
#include <string.h>

static bool on_next(void *context, struct launch *l)
{
	struct debuggee *b = context;

	if (!play_next(&b->play, &b->launch))
		return false;
	*l = b->launch;
	return true;
}

static void on_done(void *context, enum launch_status status, const struct launch_stats *stats,
		    const struct fault *fault)
{
	struct debuggee *b = context;

	/* One that was left in the middle leaves nothing to expect. */
	if (status == LAUNCH_INTERRUPTED)
		b->play.failed = true;
	else
		play_done(&b->play, &b->launch, status, stats, fault, "");
}

static void start_play(struct debuggee *b)
{
	b->play.failed = b->play.faulted = false;
	b->play.checks.count = 0;
	b->play.checks_failed = 0;
	b->told = false;
}

static bool on_restart(void *context)
{
	struct debuggee *b = context;

	play_free(&b->play);
	start_play(b);
	return session_reset_memory(b->session);
}

static bool on_buffer(void *context, const char *name, u64 address, struct debug_buffer *to)
{
	const struct debuggee *b = context;

	for (size_t k = 0; k < b->script.buffers.count; k++) {
		const struct buffer *from = b->script.buffers.items[k];
		if (name ? strcmp(from->name, name) != 0 : from->address != address)
			continue;
		*to = (struct debug_buffer){.type = (u16)token_find(element_name(from->type)),
					    .rank = from->rank,
					    .address = from->address};
		for (u32 n = 0; n < from->rank; n++)
			to->dims[n] = from->dims[n];
		return true;
	}
	return false;
}

static void on_print(void *context, const char *text, size_t length)
{
	struct debuggee *b = context;

	/* The script's expectations see it too. */
	b->launch.print(b->launch.print_context, text, length);
}

bool debuggee_open(struct debuggee *b, struct session *s, const struct run_options *o,
		   const struct debug_options *options)
{
	const struct debug_source source = {.context = b,
					    .next = on_next,
					    .done = on_done,
					    .restart = on_restart,
					    .buffer = on_buffer,
					    .print = on_print};

	b->session = s;
	script_init(&b->script, &s->arena, &s->strings, &s->diags);
	front_set_limits(&o->choices, s, &b->script);
	if (!front_read_files(s, o->files.items, o->files.count) || s->diags.error_count ||
	    !run_read_launches(s, &b->script, o))
		return false;
	const struct lower_options lower = {
		.arch = o->arch ? o->arch : b->script.arch, .keep_registers = true, .one_warp = true};
	if (!session_build(s, &lower))
		return false;
	b->play = (struct play){.session = s,
				.script = &b->script,
				.options = {.limit = o->limit,
					    .seed = o->seed,
					    .async = o->choices.async,
					    .lock_order = o->choices.lock_order,
					    .schedule = o->choices.schedule,
					    .no_counters = true,
					    .print = b->print,
					    .print_context = b->print_context}};
	struct debug_options all = *options;
	all.accounting = o->accounting;
	all.accounting.caches = ACCOUNT_CACHES_NONE;
	b->debug = debug_new(&s->arena, s->program, &source, &all);
	return true;
}

bool debuggee_tell(struct debuggee *b, FILE *to)
{
	const struct play *p = &b->play;
	u32 failed = 0;

	for (size_t k = 0; k < p->checks.count; k++) {
		const struct play_check *c = &p->checks.items[k];
		u32 line, column;
		failed += !c->passed;
		if (c->passed || b->told)
			continue;
		const struct source *text = p->session->sources.files.items[c->span.file];
		source_place(text, c->span.begin, &line, &column);
		fprintf(to, "%s:%u: %s %s: %s\n", text->name, line, c->text, play_verdict(c), c->message);
	}
	if (p->checks.count && !b->told)
		fprintf(to, "%zu of %zu expectations hold\n", p->checks.count - failed, p->checks.count);
	b->told = true;
	return !failed && !p->faulted;
}

void debuggee_close(struct debuggee *b)
{
	if (b->debug)
		debug_free(b->debug);
	play_free(&b->play);
}
