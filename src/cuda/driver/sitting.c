/* SPDX-License-Identifier: Apache-2.0
 *
 * See sitting.h.
 */
#include "cuda/driver/sitting.h"

#include <stdlib.h>

static bool on_next(void *context, struct launch *l)
{
	struct sitting *s = context;

	if (s->taken)
		return false;
	s->taken = true;
	*l = *s->launch;
	l->native = NULL;
	l->threads = NULL;
	return true;
}

static void on_done(void *context, enum launch_status status, const struct launch_stats *stats,
		    const struct fault *fault)
{
	struct sitting *s = context;

	s->is_done = true;
	s->status = status;
	s->stats = *stats;
	s->fault = *fault;
}

static void on_print(void *context, const char *text, size_t length)
{
	const struct launch *l = ((struct sitting *)context)->launch;

	if (l->print)
		l->print(l->print_context, text, length);
}

/* False: no memory. */
static bool open_engine(struct sitting *s, const struct debug_options *options, FILE *out,
			const struct console_options *console)
{
	const struct debug_source source = {.context = s, .next = on_next, .done = on_done, .print = on_print};

	arena_init(&s->arena, &s->out_of_memory);
	if (setjmp(s->out_of_memory))
		return false;
	s->debug = debug_new(&s->arena, s->program, &source, options);
	s->console = console_new(&s->arena, s->debug, out, console);
	return true;
}

struct sitting *sitting_new(const struct program *p, const struct debug_options *options, FILE *out,
			    const struct console_options *console)
{
	struct sitting *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->program = p;
	if (open_engine(s, options, out, console))
		return s;
	arena_free(&s->arena);
	free(s);
	return NULL;
}

void sitting_free(struct sitting *s)
{
	debug_free(s->debug);
	arena_free(&s->arena);
	free(s);
}

void sitting_take(struct sitting *s, struct launch *l)
{
	s->launch = l;
	s->taken = s->is_done = false;
	s->status = LAUNCH_NO_MEMORY;
}

enum launch_status sitting_end(struct sitting *s, struct launch_stats *stats, struct fault *fault, char *message,
			       size_t size)
{
	debug_end_launch(s->debug);
	s->launch = NULL;
	if (s->is_done) {
		*stats = s->stats;
		*fault = s->fault;
		return s->status;
	}
	if (debug_no_memory(s->debug))
		return LAUNCH_NO_MEMORY;
	snprintf(message, size, "%s", debug_message(s->debug));
	return LAUNCH_BAD_CONFIG;
}
