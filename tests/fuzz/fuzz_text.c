/* SPDX-License-Identifier: Apache-2.0
 *
 * One damaged text. Launch lines are read but not played: they could name files.
 */
#include "fuzz_text.h"

#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "script/script.h"
#include "exec/launch.h"

enum { KERNELS = 4, INSTRUCTIONS = 3000, BUFFER = 4096, SHARED = 1024, THREADS = 40, PARAM = 3 };

static void print_nothing(void *context, const char *text, size_t length)
{
	(void)context;
	(void)text;
	(void)length;
}

/* Wide parameters point to a buffer, all others are a small number. */
static u8 *fill_params(struct session *s, const struct kernel *k, u64 buffer)
{
	u8 *params = ARENA_ARRAY(&s->arena, k->param_bytes + 8, u8);

	for (size_t p = 0; p < k->function->params.count; p++) {
		const u64 value = k->function->params.items[p]->size == 8 ? buffer : PARAM;
		const u64 size = k->function->params.items[p]->size;
		memcpy(params + k->param_offsets[p], &value, size < 8 ? size : 8);
	}
	return params;
}

static void run_kernel(struct session *s, const struct kernel *k)
{
	const struct ir_limits *limits = &k->function->limits;
	const u64 buffer = memory_allocate(&s->memory, BUFFER, 256, "fuzz", 0);
	struct launch l = {.program = s->program,
			   .kernel = k,
			   .memory = &s->memory,
			   .grid = {2, 1, 1},
			   .block = {THREADS, 1, 1},
			   .dynamic_shared = SHARED,
			   .jobs = 1,
			   .jobs_given = true,
			   .instruction_limit = INSTRUCTIONS,
			   .print = print_nothing};
	struct launch_stats stats;
	struct fault fault;
	char text[1000];

	if (!buffer)
		return;
	for (int d = 0; d < 3; d++)
		if (limits->required_threads[d] && limits->required_threads[d] <= 64)
			l.block[d] = limits->required_threads[d];
	for (int d = 0; d < 3; d++)
		if (limits->required_cluster[d] && limits->required_cluster[d] <= 4)
			l.grid[d] = limits->required_cluster[d];
	l.params = fill_params(s, k, buffer);
	if (launch_run(&l, &stats, &fault, text, sizeof text) == LAUNCH_FAULT)
		fault_describe(&s->memory, &l, &fault, text, sizeof text);
}

static void read_build_run(struct session *s, const char *bytes, size_t length)
{
	const struct lower_options options = {.allow_unmodelled = true};
	struct script script;

	session_add_text(s, "fuzz.ptx", bytes, length);
	const u32 errors = s->diags.error_count;
	script_init(&script, &s->arena, &s->strings, &s->diags);
	script_read(&script, s->modules.items[0]->source, false);
	if (!errors)
		s->diags.error_count = 0; /* launch lines with errors keep nothing from being built */
	const bool built = session_build(s, &options);
	/* What is refused must be told. */
	if (!built && !s->diags.error_count)
		abort();
	session_diagnostics(s, false);
	for (u32 k = 0; built && k < s->program->kernel_count && k < KERNELS; k++)
		run_kernel(s, &s->program->kernels[k]);
}

void fuzz_text(const char *bytes, size_t length)
{
	struct session s;

	if (!session_open(&s))
		abort();
	if (!SESSION_ENTER(&s))
		read_build_run(&s, bytes, length);
	session_close(&s);
}
