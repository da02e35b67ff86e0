/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches: what a card's driver refuses is refused, the rest becomes a piece of work with its parameters packed.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/watch.h"

enum { PARAMS_MOST = 32768, EXTRA_END = 0, EXTRA_BUFFER = 1, EXTRA_SIZE = 2 };
enum {
	ATTRIBUTE_COOPERATIVE = 2,
	ATTRIBUTE_CLUSTER = 4,
	ATTRIBUTE_LOOSE = 6, /* "programmatic stream serialization" */
	ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
	ATTRIBUTE_UPDATABLE = 13
};

static const struct arch *arch_of(const struct cu_function *f)
{
	return device_arch(driver.devices[f->module->context->device].model);
}

/* The block of parameters, from where the program has them.
 * `params`: a pointer for each parameter; or `extra`: a list of keys and values that holds a packed buffer and its
 * size. */
static int pack(const struct cu_function *f, void **params, void **extra, u8 *to, u32 *bytes)
{
	const struct kernel *k = f->kernel;

	*bytes = k->param_bytes;
	if (k->param_bytes > PARAMS_MOST)
		return CU_INVALID_VALUE;
	if (params) {
		for (size_t n = 0; n < k->function->params.count; n++)
			if (!params[n])
				return CU_INVALID_VALUE;
		function_pack(k, (const void *const *)params, to);
		return CU_OK;
	}
	const void *buffer = NULL;
	size_t size = 0;
	for (u32 n = 0; extra && n < 8 && extra[n] != (void *)EXTRA_END; n += 2)
		if (extra[n] == (void *)EXTRA_BUFFER)
			buffer = extra[n + 1];
		else if (extra[n] == (void *)EXTRA_SIZE && extra[n + 1])
			size = *(const size_t *)extra[n + 1];
	if (!k->param_bytes)
		return CU_OK;
	if (!buffer || size < k->param_bytes)
		return CU_INVALID_VALUE;
	memcpy(to, buffer, k->param_bytes);
	return CU_OK;
}

/* Limits of the card and of the kernel (.reqntid, .maxntid, dynamic shared memory). */
static int check_shape(const struct cu_function *f, const struct ptxsim_launch *l)
{
	const struct arch *a = arch_of(f);
	u64 threads = 1;

	for (int d = 0; d < 3; d++) {
		if (!l->grid[d] || !l->block[d] || l->grid[d] > a->max_grid[d] || l->block[d] > a->max_block[d])
			return CU_INVALID_VALUE;
		const u32 required = f->attributes.required_threads[d];
		if (required && required != l->block[d])
			return CU_INVALID_VALUE;
		threads *= l->block[d];
	}
	if (threads > f->attributes.max_threads || l->shared_bytes > function_dynamic_most(f))
		return CU_INVALID_VALUE;
	/* What a kernel in PTX needs is an estimate, by which no launch may be refused. */
	const u32 registers = f->kernel ? f->kernel->registers : 0;
	return arch_occupancy(a, (u32)threads, registers, 0).blocks ? CU_OK : CU_LAUNCH_OUT_OF_RESOURCES;
}

/* More than 8 blocks only for kernels that allow it, 16 at most. */
static int check_cluster(const struct cu_function *f, struct ptxsim_launch *l)
{
	enum { PORTABLE = 8, MOST = 16 };
	const u32 *required = f->attributes.required_cluster;
	u32 size = 1;

	if (!l->cluster[0] && required[0])
		memcpy(l->cluster, required, sizeof l->cluster);
	if (!l->cluster[0])
		return CU_OK;
	if (arch_of(f)->cc < 90)
		return CU_NOT_SUPPORTED;
	for (int d = 0; d < 3; d++) {
		l->cluster[d] = max_u32(1, l->cluster[d]);
		if (l->grid[d] % l->cluster[d])
			return CU_INVALID_CLUSTER;
		size *= l->cluster[d];
	}
	return size > (f->cluster_size_any ? MOST : PORTABLE) ? CU_INVALID_CLUSTER : CU_OK;
}

/* All blocks of a cooperative launch must fit on the device at once. */
static int check_cooperative(const struct cu_function *f, const struct ptxsim_launch *l)
{
	int blocks = 0;

	if (!l->cooperative)
		return CU_OK;
	const u32 threads = l->block[0] * l->block[1] * l->block[2];
	const int result = drv_cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (struct cu_function *)(uintptr_t)f,
									   (int)threads, l->shared_bytes);
	if (result)
		return result;
	const struct device *d = driver.devices[f->module->context->device].model;
	const u64 grid = (u64)l->grid[0] * l->grid[1] * l->grid[2];
	return grid > (u64)max_u32((u32)blocks, 0) * d->sms ? CU_COOPERATIVE_TOO_LARGE : CU_OK;
}

static int prepare(struct cu_function *f, struct ptxsim_launch *l)
{
	int result = check_shape(f, l);

	if (!result)
		result = check_cluster(f, l);
	return result ? result : check_cooperative(f, l);
}

static bool code_calls(const struct code *c, const char *name)
{
	for (u32 k = 0; k < c->call_count; k++)
		if (c->calls[k].external && !strcmp(c->calls[k].external, name))
			return true;
	return false;
}

/* Of machine code it is known only whether anything in its image does. */
static bool calls(const struct kernel *k, const char *name)
{
	bool does = code_calls(k->code, name);

	for (u32 f = 0; f < k->function_count && !does; f++)
		does = code_calls(k->functions[f].code, name);
	return does;
}

/* What its kernels print into and allocate from is laid out, in its size, for the first one that calls for it. */
static void fix_limits(struct cu_function *f)
{
	f->launched = true;
	if (!f->kernel->calls_system)
		return;
	f->module->context->prints |= calls(f->kernel, "vprintf");
	f->module->context->has_heap |= calls(f->kernel, "malloc") || calls(f->kernel, "free");
}

/* The way of all launches, with the driver's lock held: nothing runs here, the work is given to the stream. */
static int launch(struct cu_function *handle, struct ptxsim_launch *l, bool loose, struct cu_stream *stream,
		  void **params, void **extra)
{
	struct cu_stream *s = stream_of(stream);
	struct task t = {.kind = TASK_KERNEL};
	struct cu_function *f;
	u8 packed[4096], *block = packed;

	/* A kernel of a library runs where its stream is: on another device than the current one, too, as on an H200. */
	int result = function_ready_in(handle, s ? s->context : context_current(), &f);
	if (result)
		return result;
	if (!s || f->module->context != s->context)
		return CU_INVALID_HANDLE;
	if (f->kernel->param_bytes > sizeof packed && !(block = malloc(f->kernel->param_bytes)))
		return CU_OUT_OF_MEMORY;
	if (!params && !extra && f->kernel->function->params.count)
		result = CU_INVALID_VALUE;
	if (!result)
		result = prepare(f, l);
	if (!result)
		result = pack(f, params, extra, block, &t.kernel.param_bytes);
	if (!result) {
		t.kernel.function = f;
		t.kernel.handle = handle;
		t.kernel.launch = *l;
		t.kernel.loose = loose;
		t.kernel.from = watch_place();
		if (!f->launched)
			fix_limits(f);
		result = stream_give(s, &t, block);
	}
	if (block != packed)
		free(block);
	return result;
}

static struct ptxsim_launch shape(const u32 grid[3], const u32 block[3], u32 shared)
{
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;

	memcpy(l.grid, grid, sizeof l.grid);
	memcpy(l.block, block, sizeof l.block);
	l.shared_bytes = shared;
	return l;
}

int drv_cuLaunchKernel(struct cu_function *f, u32 gx, u32 gy, u32 gz, u32 bx, u32 by, u32 bz, u32 shared,
		       struct cu_stream *stream, void **params, void **extra)
{
	struct ptxsim_launch l = shape((const u32[]){gx, gy, gz}, (const u32[]){bx, by, bz}, shared);

	return launch(f, &l, false, stream, params, extra);
}

int drv_cuLaunchCooperativeKernel(struct cu_function *f, u32 gx, u32 gy, u32 gz, u32 bx, u32 by, u32 bz, u32 shared,
				  struct cu_stream *stream, void **params)
{
	struct ptxsim_launch l = shape((const u32[]){gx, gy, gz}, (const u32[]){bx, by, bz}, shared);

	l.cooperative = 1;
	return launch(f, &l, false, stream, params, NULL);
}

int drv_cuLaunchKernelEx(const struct cu_launch_config *config, struct cu_function *f, void **params, void **extra)
{
	struct cu_event *event = NULL;
	void *updatable = NULL;
	bool loose = false;

	if (!config || (config->attribute_count && !config->attributes))
		return CU_INVALID_VALUE;
	struct ptxsim_launch l = shape(config->grid, config->block, config->shared_bytes);
	for (u32 k = 0; k < config->attribute_count; k++) {
		const struct cu_launch_attribute *a = &config->attributes[k];
		if (a->id == ATTRIBUTE_COOPERATIVE)
			l.cooperative = a->integer != 0;
		else if (a->id == ATTRIBUTE_CLUSTER)
			memcpy(l.cluster, a->cluster, sizeof l.cluster);
		else if (a->id == ATTRIBUTE_LOOSE)
			loose = a->integer != 0;
		else if (a->id == ATTRIBUTE_PROGRAMMATIC_EVENT)
			event = a->programmatic.event;
		else if (a->id == ATTRIBUTE_UPDATABLE && a->integer)
			updatable = config->attributes[k].bytes;
	}
	const struct cu_stream *s = updatable ? stream_of(config->stream) : NULL;
	if (updatable && (!s || !s->capture))
		return CU_INVALID_VALUE;
	int result = launch(f, &l, loose, config->stream, params, extra);
	if (!result && updatable)
		result = node_make_updatable(s->tips.list[0], updatable);
	return result || !event ? result : drv_cuEventRecord(event, config->stream);
}

int kernel_task(const struct cu_kernel_node *n, struct task *t, u8 *params, size_t room)
{
	struct cu_function *f;

	int result = function_ready(n->function ? n->function : n->kernel, &f);
	if (result)
		return result;
	if (f->kernel->param_bytes > room)
		return CU_OUT_OF_MEMORY;
	*t = (struct task){.kind = TASK_KERNEL};
	t->kernel.function = f;
	t->kernel.handle = n->function ? n->function : n->kernel;
	t->kernel.launch = shape(n->grid, n->block, n->shared_bytes);
	result = prepare(f, &t->kernel.launch);
	return result ? result : pack(f, n->params, n->extra, params, &t->kernel.param_bytes);
}
