/* SPDX-License-Identifier: Apache-2.0
 *
 * bench-run KERNEL SCALE REPETITIONS THREADS FOLDER: runs FOLDER/KERNEL.ptx through the library,
 * once to warm up and then the repetitions; checks the result's bits and the instruction count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"
#include "ptxsim.h"

struct bench {
	struct problem *p;
	ptxsim_context *sim;
	const ptxsim_function *kernel;
	uint64_t addresses[PROBLEM_BUFFERS];
	void *contents[PROBLEM_BUFFERS]; /* the buffers' bytes, mapped into the simulator */
};

static bool open_bench(struct bench *b, const char *name, const char *folder)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s.ptx", folder, name);
	b->sim = ptxsim_context_create(NULL);
	ptxsim_module_create(b->sim);
	if (!b->sim || ptxsim_module_add_file(ptxsim_get_module(b->sim, 0), path) ||
	    ptxsim_module_build(ptxsim_get_module(b->sim, 0), NULL)) {
		fprintf(stderr, "bench-run: %s\n%s", path, ptxsim_module_diagnostics(ptxsim_get_module(b->sim, 0)));
		return false;
	}
	b->kernel = ptxsim_find_function(ptxsim_get_module(b->sim, 0), name);
	for (uint32_t k = 0; k < b->p->buffer_count; k++) {
		if (posix_memalign(&b->contents[k], 4096, b->p->bytes[k] + 64) ||
		    ptxsim_map(b->sim, b->contents[k], b->p->bytes[k], &b->addresses[k]))
			return false;
	}
	return b->kernel != NULL;
}

/* Seconds of one launch; negative after a message if it failed. */
static double run_once(struct bench *b, uint32_t threads, bool *right)
{
	const void *args[PROBLEM_ARGS];
	struct ptxsim_launch launch = PTXSIM_LAUNCH_INIT;
	struct ptxsim_stats stats;

	for (uint32_t k = 0; k < b->p->buffer_count; k++)
		problem_fill(b->p, k, b->contents[k]);
	for (uint32_t k = 0; k < b->p->arg_count; k++) {
		const struct argument *a = &b->p->args[k];
		args[k] = a->kind == ARGUMENT_BUFFER ? (const void *)&b->addresses[a->number]
			  : a->kind == ARGUMENT_U32  ? (const void *)&a->number
						     : (const void *)&a->value;
	}
	for (uint32_t k = 0; k < 2; k++) {
		launch.grid[k] = b->p->grid[k];
		launch.block[k] = b->p->block[k];
	}
	launch.args = args;
	launch.arg_count = b->p->arg_count;
	launch.jobs = threads;
	const double start = problem_now();
	const ptxsim_status status = ptxsim_launch(b->sim, b->kernel, &launch);
	const double seconds = problem_now() - start;
	if (status) {
		fprintf(stderr, "bench-run: %s: %s\n", b->p->name, ptxsim_message(b->sim));
		return -1;
	}
	ptxsim_get_stats(b->sim, &stats);
	*right = problem_check(b->p, b->contents[b->p->output]);
	if (stats.thread_instructions != b->p->thread_instructions) {
		fprintf(stderr, "bench-run: %s executed %llu thread-instructions, not %llu\n", b->p->name,
			(unsigned long long)stats.thread_instructions, (unsigned long long)b->p->thread_instructions);
		*right = false;
	}
	return seconds;
}

int main(int count, char **words)
{
	struct bench b = {.sim = NULL};
	bool right = false;

	if (count != 6) {
		fprintf(stderr, "usage: bench-run KERNEL SCALE REPETITIONS THREADS FOLDER\n");
		return 2;
	}
	const unsigned scale = (unsigned)atoi(words[2]);
	b.p = problem_make(words[1], scale);
	if (!b.p || !open_bench(&b, words[1], words[5]))
		return 2;
	for (int k = -1; k < atoi(words[3]); k++) {
		const double seconds = run_once(&b, (uint32_t)atoi(words[4]), &right);
		if (seconds < 0)
			return 1;
		if (k >= 0)
			problem_report(b.p, "ptxsim", scale, words[4], k, seconds, right);
	}
	ptxsim_context_free(b.sim);
	for (uint32_t k = 0; k < b.p->buffer_count; k++)
		free(b.contents[k]);
	problem_free(b.p);
	return right ? 0 : 1;
}
