/* SPDX-License-Identifier: Apache-2.0
 *
 * bench-micro FOLDER: single costs, each with a kernel of micro.ptx: launches, divergence, gathers
 * and so on, and how fast text becomes a program. One thread; best of three.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "ptxsim.h"

enum { REPETITIONS = 3, GATHER_BYTES = 64 << 20, OUT_BYTES = 1 << 20, LAUNCHES = 10000 };

struct micro {
	ptxsim_context *sim;
	uint64_t out, in;
};

struct measurement {
	const char *what, *kernel;
	uint32_t grid, block, turns;
	uint32_t launches;
	uint32_t split;      /* third parameter of `divergent` */
	uint32_t operations; /* matrix products of a warp and turn; 0: count instructions */
};

static const struct measurement measurements[] = {
	{"divergent, half the lanes", "divergent", 8, 256, 20000, 1, 16, 0},
	{"divergent, one lane", "divergent", 8, 256, 20000, 1, 1, 0},
	{"gather over 64 MB", "gather", 8, 256, 2000, 1, 0, 0},
	{"shuffles", "shuffles", 8, 256, 20000, 1, 0, 0},
	{"f64", "doubles", 8, 256, 20000, 1, 0, 0},
	{"64-bit addresses", "addresses", 8, 256, 20000, 1, 0, 0},
	{"barriers, 16 warps", "barriers", 4, 512, 10000, 1, 0, 0},
	{"matrix m16n8k16, f16 to f32", "matrix", 1, 128, 2000, 1, 0, 16},
	{"blocks of one warp", "tiny", 1 << 20, 32, 0, 1, 0, 0},
	{"launches of a tiny kernel", "tiny", 1, 32, 0, LAUNCHES, 0, 0},
};

/* Of a clock that only goes forward. */
static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds for all launches of the measurement; negative if one failed. */
static double run_once(struct micro *m, const struct measurement *what, uint64_t *instructions)
{
	const ptxsim_function *kernel = ptxsim_find_function(ptxsim_get_module(m->sim, 0), what->kernel);
	const uint32_t mask = GATHER_BYTES / 4 - 1;
	const void *args[4] = {&m->out, &what->turns, &m->in, &mask};
	struct ptxsim_launch launch = PTXSIM_LAUNCH_INIT;
	struct ptxsim_stats stats;

	if (!strcmp(what->kernel, "divergent"))
		args[2] = &what->split;
	launch.grid[0] = what->grid;
	launch.block[0] = what->block;
	launch.args = args;
	launch.arg_count = ptxsim_function_param_count(kernel);
	launch.jobs = 1;
	*instructions = 0;
	const double start = seconds_now();
	for (uint32_t k = 0; k < what->launches; k++) {
		if (ptxsim_launch(m->sim, kernel, &launch)) {
			fprintf(stderr, "bench-micro: %s: %s\n", what->kernel, ptxsim_message(m->sim));
			return -1;
		}
		ptxsim_get_stats(m->sim, &stats);
		*instructions += stats.thread_instructions;
	}
	return seconds_now() - start;
}

static bool measure(struct micro *m, const struct measurement *what)
{
	double best = 1e9;
	uint64_t instructions = 0;

	for (int k = 0; k < REPETITIONS; k++) {
		const double seconds = run_once(m, what, &instructions);
		if (seconds < 0)
			return false;
		best = seconds < best ? seconds : best;
	}
	if (what->operations)
		printf("%-28s %10.3f ms %10.3f M matrix products a second\n", what->what, best * 1e3,
		       (double)what->grid * what->block / 32 * what->turns * what->operations / best / 1e6);
	else if (what->launches > 1)
		printf("%-28s %10.3f us a launch\n", what->what, best / what->launches * 1e6);
	else
		printf("%-28s %10.3f ms %10.3f G thread-instructions a second\n", what->what, best * 1e3,
		       (double)instructions / best / 1e9);
	return true;
}

/* Text to program, with the largest recorded module. */
static bool measure_reading(const char *folder)
{
	char path[4096];
	const size_t room = 8 << 20;
	char *text = malloc(room);
	double best = 1e9;

	snprintf(path, sizeof path, "%s/../golden/warp-control-programs.ptx.gz", folder);
	gzFile f = gzopen(path, "rb");
	const int length = f ? gzread(f, text, (unsigned)room) : -1;
	if (length <= 0) {
		fprintf(stderr, "bench-micro: %s cannot be read\n", path);
		return false;
	}
	gzclose(f);
	for (int k = 0; k < REPETITIONS; k++) {
		const double start = seconds_now();
		ptxsim_context *sim = ptxsim_context_create(NULL);
		ptxsim_module_create(sim);
		const bool ok = !ptxsim_module_add_text(ptxsim_get_module(sim, 0), path, text, (size_t)length) &&
				!ptxsim_module_build(ptxsim_get_module(sim, 0), NULL);
		const double seconds = seconds_now() - start;
		best = seconds < best ? seconds : best;
		if (!ok)
			fprintf(stderr, "%.600s", ptxsim_module_diagnostics(ptxsim_get_module(sim, 0)));
		ptxsim_context_free(sim);
		if (!ok)
			return false;
	}
	printf("%-28s %10.3f ms %10.3f MB of PTX a second\n", "reading and lowering", best * 1e3, length / best / 1e6);
	free(text);
	return true;
}

int main(int count, char **words)
{
	struct micro m = {.sim = ptxsim_context_create(NULL)};
	ptxsim_module_create(m.sim);
	char path[4096];
	bool ok = true;

	if (count != 2 || !m.sim)
		return 2;
	snprintf(path, sizeof path, "%s/micro.ptx", words[1]);
	if (ptxsim_module_add_file(ptxsim_get_module(m.sim, 0), path) ||
	    ptxsim_module_build(ptxsim_get_module(m.sim, 0), NULL) || ptxsim_alloc(m.sim, OUT_BYTES, &m.out) ||
	    ptxsim_alloc(m.sim, GATHER_BYTES, &m.in)) {
		fprintf(stderr, "%s", ptxsim_module_diagnostics(ptxsim_get_module(m.sim, 0)));
		return 1;
	}
	for (size_t k = 0; k < sizeof measurements / sizeof *measurements; k++)
		ok &= measure(&m, &measurements[k]);
	ok &= measure_reading(words[1]);
	ptxsim_context_free(m.sim);
	return ok ? 0 : 1;
}
