/* SPDX-License-Identifier: Apache-2.0
 *
 * Making the engine and ending it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "debug/internal.h"

struct debug *debug_new(struct arena *arena, const struct program *program, const struct debug_source *source,
			const struct debug_options *options)
{
	struct debug *d = ARENA_NEW(arena, struct debug);

	d->arena = arena;
	d->program = program;
	d->source = *source;
	if (options)
		d->options = *options;
	d->accounting = accounting_new(arena, program, &d->options.accounting);
	arena_init(&d->counter_arena, arena->out_of_memory);
	d->names.functions = ARENA_ARRAY(arena, program->code_count + 1, const char *);
	d->names.seen = ARENA_NEW(arena, struct seen_registers);
	stops_build(d);
	access_build(d);
	d->state = DEBUG_IDLE;
	return d;
}

void debug_free(struct debug *d)
{
	run_close(d);
	accounting_free(d->accounting);
	arena_free(&d->counter_arena);
	free(d->output.text);
	d->output.text = NULL;
}

const struct program *debug_program(const struct debug *d) { return d->program; }

bool debug_fail(struct debug *d, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(d->message, sizeof d->message, format, args);
	va_end(args);
	return false;
}

const char *debug_message(const struct debug *d) { return d->message; }
