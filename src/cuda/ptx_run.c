/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_run, the one function by which tinygrad runs PTX on a simulator (its CUDA device with CUDA emulation, which was
 * gpuocelot's). Arguments are addresses of the host's own memory, which kernels use as they are. Nothing says how long
 * that memory is: kernels may reach all that this process has mapped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"

__attribute__((visibility("default"))) int ptx_run(char *ptx, int n, void **args, int bx, int by, int bz, int gx,
						   int gy, int gz, int shared);

/* Everything that the process has mapped and may write to becomes memory of the context. */
static bool map_process(ptxsim_context *c)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	if (!maps)
		return false;
	while (fgets(line, sizeof line, maps)) {
		unsigned long long low, high;
		char how[8];
		if (sscanf(line, "%llx-%llx %7s", &low, &high, how) == 3 && how[0] == 'r' && how[1] == 'w' &&
		    !strstr(line, "[stack]") && !strstr(line, "[v"))
			ptxsim_map_at(c, (void *)(uintptr_t)low, high - low, low);
	}
	fclose(maps);
	return true;
}

static int fail(const char *text)
{
	fprintf(stderr, "ptx_run: %s\n", text);
	return -1;
}

static int run(ptxsim_context *c, const char *ptx, int n, void **args, const struct ptxsim_launch *shape)
{
	ptxsim_module *m = ptxsim_module_create(c);

	if (!m || ptxsim_module_add_text(m, "ptx_run.ptx", ptx, strlen(ptx)) || ptxsim_module_build(m, NULL))
		return fail(m ? ptxsim_module_diagnostics(m) : "no memory");
	const ptxsim_function *f = ptxsim_get_function(m, 0);
	const struct kernel *k = f ? function_kernel(f) : NULL;
	if (!k)
		return fail("the PTX has no kernel");
	if (n < 0 || (size_t)n != k->function->params.count)
		return fail("the kernel has another number of parameters");
	/* The values themselves stand in `args`: addresses, and integers widened. */
	const void **pointers = calloc((size_t)n + 1, sizeof *pointers);
	if (!pointers)
		return fail("no memory");
	for (int p = 0; p < n; p++)
		pointers[p] = &args[p];
	struct ptxsim_launch l = *shape;
	l.args = pointers;
	l.arg_count = (size_t)n;
	const ptxsim_status status = map_process(c) ? ptxsim_launch(c, f, &l) : PTXSIM_ERROR_FILE;
	free(pointers);
	return status ? fail(ptxsim_message(c)) : 0;
}

int ptx_run(char *ptx, int n, void **args, int bx, int by, int bz, int gx, int gy, int gz, int shared)
{
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;

	if (!ptx || (n && !args) || bx < 1 || by < 1 || bz < 1 || gx < 1 || gy < 1 || gz < 1 || shared < 0)
		return fail("an argument is null or out of range");
	ptxsim_context *c = ptxsim_context_create(NULL);
	if (!c)
		return fail("no memory");
	l.block[0] = (uint32_t)bx, l.block[1] = (uint32_t)by, l.block[2] = (uint32_t)bz;
	l.grid[0] = (uint32_t)gx, l.grid[1] = (uint32_t)gy, l.grid[2] = (uint32_t)gz;
	l.shared_bytes = (uint64_t)shared;
	const int result = run(c, ptx, n, args, &l);
	ptxsim_context_free(c);
	return result;
}
