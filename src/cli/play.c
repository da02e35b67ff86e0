/* SPDX-License-Identifier: Apache-2.0
 *
 * Playing launch scripts: the statements in turn.
 */
#include "cli/play.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/npy.h"

/* Printed text kept for expectations. */
static const size_t PRINT_KEPT = 1 << 20;

/* What the print callback of one launch needs. */
struct printing {
	struct play *play;
	struct play_launch *launch;
};

static void on_print(void *context, const char *text, size_t length)
{
	const struct printing *to = context;
	struct play_launch *l = to->launch;
	const struct play_options *o = &to->play->options;

	if (o->print)
		o->print(o->print_context, text, length);
	if (length > PRINT_KEPT - l->printed_length)
		length = PRINT_KEPT - l->printed_length;
	char *more = length ? realloc(l->printed, l->printed_length + length) : NULL;
	if (!more)
		return;
	memcpy(more + l->printed_length, text, length);
	l->printed = more;
	l->printed_length += length;
}

static const struct kernel *find_kernel(struct play *p, const struct script_statement *st)
{
	const struct program *program = p->session->program;
	const struct kernel *k = program_kernel(program, st->launch.kernel);

	if (k)
		return k;
	diag_error(&p->session->diags, st->span, "there is no kernel '%s'", st->launch.kernel);
	char *names = NULL;
	for (u32 n = 0; n < program->kernel_count && n < 20; n++)
		names = arena_printf(&p->session->arena, "%s%s%s", names ? names : "", names ? ", " : "",
		                     program->kernels[n].name);
	diag_hint(&p->session->diags, "kernels: %s", names ? names : "none");
	return NULL;
}

static bool launch(struct play *p, const struct script_statement *st)
{
	struct session *s = p->session;
	const struct kernel *k = find_kernel(p, st);
	const u8 *params = k ? play_params(p, &st->launch, st->span, k) : NULL;
	struct play_launch result = {.statement = st, .kernel = k};
	struct printing printing = {p, &result};
	struct fault fault = {0};
	struct observer *observers[3] = {NULL, NULL, NULL};
	u32 observer_count = 0;
	/* Caches see accesses in one order. */
	const bool one_thread = p->accounting && p->options.accounting.caches != ACCOUNT_CACHES_NONE;
	char text[8192] = "";

	if (!params)
		return false;
	if (p->options.observer)
		observers[observer_count++] = p->options.observer;
	if (p->accounting)
		observers[observer_count++] = accounting_observer(p->accounting);
	struct launch l = {
	    .program = s->program,
	    .kernel = k,
	    .memory = &s->memory,
	    .dynamic_shared = st->launch.shared_bytes,
	    .params = params,
	    .jobs = one_thread ? 1 : p->options.jobs,
	    .jobs_given = one_thread || p->options.jobs != 0,
	    .instruction_limit = p->options.limit,
	    .async = p->options.async,
	    .observers = observer_count ? observers : NULL,
	    .print = on_print,
	    .print_context = &printing,
	};
	memcpy(l.grid, st->launch.grid, sizeof l.grid);
	memcpy(l.block, st->launch.block, sizeof l.block);
	memcpy(l.cluster, st->launch.cluster, sizeof l.cluster);
	if (p->options.launching)
		p->options.launching(p->options.launching_context, &l);
	if (p->accounting)
		accounting_begin(p->accounting);
	result.status = launch_run(&l, &result.stats, &fault, text, sizeof text);
	if (p->accounting)
		result.account = accounting_end(p->accounting, &s->arena, &l, &result.stats);
	if (result.status == LAUNCH_FAULT) {
		fault_describe(&s->memory, &l, &fault, text, sizeof text);
		result.fault = arena_copy_text(&s->arena, text, strlen(text));
	}
	VEC_PUSH(&s->arena, &p->launches, result);
	if (result.status == LAUNCH_BAD_CONFIG)
		diag_error(&s->diags, st->span, "%s", text);
	else if (result.status == LAUNCH_NO_MEMORY)
		diag_error(&s->diags, st->span, "no memory left to run the kernel");
	return result.status == LAUNCH_OK || result.status == LAUNCH_FAULT;
}

/* Whether the expectations right after statement `at` speak of its fault. */
static bool fault_expected(const struct script *s, size_t at)
{
	for (size_t k = at + 1; k < s->statements.count; k++) {
		const struct script_statement *st = &s->statements.items[k];
		if (st->kind != SCRIPT_EXPECT)
			return false;
		if (st->expect.kind == EXPECT_FAULT)
			return true;
	}
	return false;
}

static bool save(struct play *p, const struct script_statement *st)
{
	const struct buffer *b = st->buffer;
	const size_t length = strlen(st->path);
	FILE *f = fopen(st->path, "wb");
	bool ok = f != NULL;

	if (ok && length > 4 && !strcmp(st->path + length - 4, ".npy"))
		ok = npy_write(f, b->type, b->rank, b->dims, b->host);
	else if (ok)
		ok = fwrite(b->host, 1, buffer_bytes(b), f) == buffer_bytes(b);
	if (f && fclose(f))
		ok = false;
	if (!ok)
		diag_error(&p->session->diags, st->span, "%s: %s", st->path, strerror(errno));
	return ok;
}

/* Whether an expectation speaks of a counter that plain runs do not have. */
static bool wants_accounting(const struct play *p)
{
	static const struct launch_stats none;

	for (size_t k = 0; k < p->script->statements.count; k++) {
		const struct script_statement *st = &p->script->statements.items[k];
		u64 value;
		if (st->kind == SCRIPT_EXPECT && st->expect.kind == EXPECT_COUNT &&
		    !play_counter(&none, st->expect.text, &value))
			return true;
	}
	return p->options.account;
}

bool play_run(struct play *p)
{
	if (wants_accounting(p))
		p->accounting =
		    accounting_new(&p->session->arena, p->session->program, &p->options.accounting);
	for (size_t k = 0; k < p->script->statements.count; k++) {
		const struct script_statement *st = &p->script->statements.items[k];
		struct play_launch *last;
		switch (st->kind) {
		case SCRIPT_BUFFER:
			if (!play_fill(p, st->buffer))
				return false;
			break;
		case SCRIPT_LAUNCH:
			if (!launch(p, st))
				return false;
			last = &p->launches.items[p->launches.count - 1];
			last->fault_expected = last->fault && fault_expected(p->script, k);
			p->faulted = last->fault && !last->fault_expected;
			if (p->faulted)
				return true;
			break;
		case SCRIPT_EXPECT:
			play_expect(p, st);
			break;
		case SCRIPT_SAVE:
			if (!save(p, st))
				return false;
			break;
		}
	}
	return true;
}

void play_free(struct play *p)
{
	for (size_t k = 0; k < p->launches.count; k++)
		free(p->launches.items[k].printed);
	p->launches.count = 0;
	if (p->accounting)
		accounting_free(p->accounting);
	p->accounting = NULL;
}
