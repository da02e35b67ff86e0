/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts: primary ones, created ones, each thread's stack of them, limits.
 *
 * A context owns streams, modules and memory. A kernel's fault stays in the context as its error, and every later call
 * returns it, as on the card; only a new process goes on. Each host thread has a
 * stack of contexts, whose top is the current one.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

enum { FLAGS_KNOWN = 0xff, FLAG_MAP_HOST = 8 };

/* As an H200's driver gives them, by CUlimit. */
static const size_t limits_at_first[LIMITS] = {1024, 8650752, 8388608, 0, 2048, 64, 11796480, 232448, 0, 0};

static struct cu_context *context_new(int device, u32 flags)
{
	struct cu_context *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->device = device;
	c->flags = flags;
	c->id = ++driver.next_id;
	memcpy(c->limits, limits_at_first, sizeof c->limits);
	pthread_mutex_init(&c->print_lock, NULL);
	c->legacy = stream_new(c, 0, 0);
	if (!c->legacy || !handle_add(c, HANDLE_CONTEXT)) {
		free(c);
		return NULL;
	}
	return c;
}

/* Ends all that lives in it.
 * Modules of libraries are kept by the libraries, and forgotten by them first. */
static void context_empty(struct cu_context *c)
{
	context_finish(c);
	context_flush(c);
	while (c->modules) {
		module_forget_library(c->modules);
		drv_cuModuleUnload(c->modules);
	}
	blocks_remove_of(c);
	free(c->coredump);
	c->coredump = NULL;
	streams_delete(c);
}

/* --- Primary contexts ---------------------------------------------------------------------------- */

static struct cu_device *device_of(int dev)
{
	return dev >= 0 && dev < driver.device_count ? &driver.devices[dev] : NULL;
}

int drv_cuDevicePrimaryCtxRetain(struct cu_context **pctx, int dev)
{
	struct cu_device *d = device_of(dev);

	if (!pctx)
		return CU_INVALID_VALUE;
	if (!d)
		return CU_INVALID_DEVICE;
	if (d->lost)
		return driver_error();
	if (!d->primary) {
		d->primary = context_new(dev, FLAG_MAP_HOST);
		if (!d->primary)
			return CU_OUT_OF_MEMORY;
		d->primary->primary = true;
	} else if (!d->primary_users) {
		d->primary->destroyed = false;
	}
	d->primary->flags = d->primary_flags | FLAG_MAP_HOST;
	d->primary_users++;
	*pctx = d->primary;
	return CU_OK;
}

int drv_cuDevicePrimaryCtxRelease_v2(int dev)
{
	struct cu_device *d = device_of(dev);

	if (!d)
		return CU_INVALID_DEVICE;
	if (!d->primary_users)
		return CU_INVALID_CONTEXT;
	if (!--d->primary_users)
		context_empty(d->primary);
	return CU_OK;
}

/* A context with an error makes the device useless for the process. */
int drv_cuDevicePrimaryCtxReset_v2(int dev)
{
	struct cu_device *d = device_of(dev);

	if (!d)
		return CU_INVALID_DEVICE;
	if (!d->primary)
		return CU_OK;
	if (driver_error())
		d->lost = true;
	context_empty(d->primary);
	d->primary->destroyed = true;
	d->primary_users = 0;
	return CU_OK;
}

int drv_cuDevicePrimaryCtxSetFlags_v2(int dev, u32 flags)
{
	struct cu_device *d = device_of(dev);

	if (flags & ~(u32)FLAGS_KNOWN || (flags & 7) == 7)
		return CU_INVALID_VALUE;
	if (!d)
		return CU_INVALID_DEVICE;
	d->primary_flags = flags & ~(u32)FLAG_MAP_HOST;
	if (d->primary)
		d->primary->flags = flags | FLAG_MAP_HOST;
	return CU_OK;
}

int drv_cuDevicePrimaryCtxGetState(int dev, u32 *flags, int *active)
{
	const struct cu_device *d = device_of(dev);

	if (!flags || !active)
		return CU_INVALID_VALUE;
	if (!d)
		return CU_INVALID_DEVICE;
	*flags = d->primary_flags;
	*active = d->primary_users > 0;
	return CU_OK;
}

/* --- The thread's stack --------------------------------------------------------------------------- */

int drv_cuCtxGetCurrent(struct cu_context **pctx)
{
	if (!pctx)
		return CU_INVALID_VALUE;
	*pctx = context_current();
	return CU_OK;
}

int drv_cuCtxSetCurrent(struct cu_context *ctx)
{
	if (ctx && !handle_is(ctx, HANDLE_CONTEXT))
		return CU_INVALID_CONTEXT;
	if (ctx && ctx->destroyed && ctx->primary && driver.devices[ctx->device].primary_users)
		ctx->destroyed = false;
	if (!ctx) {
		if (self.depth)
			self.depth--;
		return CU_OK;
	}
	if (!self.depth)
		self.depth = 1;
	self.stack[self.depth - 1] = ctx;
	return CU_OK;
}

int drv_cuCtxPushCurrent_v2(struct cu_context *ctx)
{
	if (!handle_is(ctx, HANDLE_CONTEXT))
		return CU_INVALID_CONTEXT;
	if (self.depth == CONTEXT_STACK)
		return CU_OUT_OF_MEMORY;
	self.stack[self.depth++] = ctx;
	return CU_OK;
}

int drv_cuCtxPopCurrent_v2(struct cu_context **pctx)
{
	if (!self.depth)
		return CU_INVALID_CONTEXT;
	self.depth--;
	if (pctx)
		*pctx = self.stack[self.depth];
	return CU_OK;
}

int drv_cuCtxCreate_v4(struct cu_context **pctx, void *ctx_create_params, u32 flags, int dev)
{
	struct cu_device *d = device_of(dev);

	(void)ctx_create_params;
	if (!pctx || flags & ~(u32)FLAGS_KNOWN)
		return CU_INVALID_VALUE;
	if (!d)
		return CU_INVALID_DEVICE;
	if (driver_error())
		return driver_error();
	if (self.depth == CONTEXT_STACK)
		return CU_OUT_OF_MEMORY;
	struct cu_context *c = context_new(dev, flags | FLAG_MAP_HOST);
	if (!c)
		return CU_OUT_OF_MEMORY;
	self.stack[self.depth++] = c;
	*pctx = c;
	return CU_OK;
}

int drv_cuCtxCreate_v2(struct cu_context **pctx, u32 flags, int dev)
{
	return drv_cuCtxCreate_v4(pctx, NULL, flags, dev);
}

int drv_cuCtxCreate_v3(struct cu_context **pctx, void *params_array, int num_params, u32 flags, int dev)
{
	(void)num_params;
	return drv_cuCtxCreate_v4(pctx, params_array, flags, dev);
}

int drv_cuCtxDestroy_v2(struct cu_context *ctx)
{
	if (!handle_is(ctx, HANDLE_CONTEXT) || ctx->primary)
		return CU_INVALID_CONTEXT;
	context_empty(ctx);
	if (context_current() == ctx)
		self.depth--;
	ctx->destroyed = true;
	handle_drop(ctx);
	return CU_OK;
}

/* --- Queries --------------------------------------------------------------------------------------- */

/* The context meant by a handle that may be NULL for the current one. */
static struct cu_context *meant(struct cu_context *ctx)
{
	if (!ctx)
		return context_current();
	return handle_is(ctx, HANDLE_CONTEXT) ? ctx : NULL;
}

int drv_cuCtxGetDevice(int *device)
{
	if (!device)
		return CU_INVALID_VALUE;
	if (!context_current())
		return CU_INVALID_CONTEXT;
	*device = context_current()->device;
	return CU_OK;
}

int drv_cuCtxGetDevice_v2(int *device, struct cu_context *ctx)
{
	const struct cu_context *c = meant(ctx);

	if (!device)
		return CU_INVALID_VALUE;
	if (!c)
		return CU_INVALID_CONTEXT;
	*device = c->device;
	return CU_OK;
}

int drv_cuCtxGetFlags(u32 *flags)
{
	if (!flags)
		return CU_INVALID_VALUE;
	if (!context_current())
		return CU_INVALID_CONTEXT;
	*flags = context_current()->flags;
	return CU_OK;
}

int drv_cuCtxSetFlags(u32 flags)
{
	if (!context_current())
		return CU_INVALID_CONTEXT;
	if (flags & ~(u32)FLAGS_KNOWN)
		return CU_INVALID_VALUE;
	context_current()->flags = flags | FLAG_MAP_HOST;
	return CU_OK;
}

int drv_cuCtxGetId(struct cu_context *ctx, u64 *ctx_id)
{
	const struct cu_context *c = meant(ctx);

	if (!ctx_id)
		return CU_INVALID_VALUE;
	if (!c)
		return CU_INVALID_CONTEXT;
	*ctx_id = c->id;
	return CU_OK;
}

int drv_cuCtxGetApiVersion(struct cu_context *ctx, u32 *version)
{
	if (!version)
		return CU_INVALID_VALUE;
	if (!meant(ctx))
		return CU_INVALID_CONTEXT;
	*version = 3020;
	return CU_OK;
}

int drv_cuCtxSynchronize(void)
{
	struct cu_context *c = context_current();
	const int forbidden = capture_forbids(c);

	return forbidden ? forbidden : context_finish(c);
}

int drv_cuCtxSynchronize_v2(struct cu_context *ctx)
{
	struct cu_context *c = meant(ctx);

	if (!c)
		return CU_INVALID_CONTEXT;
	return c->destroyed ? CU_CONTEXT_DESTROYED : context_finish(c);
}

int drv_cuCtxGetLimit(size_t *pvalue, int limit)
{
	if (!pvalue || limit < 0 || limit >= LIMITS)
		return CU_INVALID_VALUE;
	if (limit == 3 || limit == 9)
		return CU_UNSUPPORTED_LIMIT;
	*pvalue = context_current()->limits[limit];
	return CU_OK;
}

enum { LIMIT_STACK, LIMIT_PRINTF, LIMIT_HEAP, LIMIT_SYNC_DEPTH };

int drv_cuCtxSetLimit(int limit, size_t value)
{
	enum { STACK_MOST = 512 << 10 };
	struct cu_context *c = context_current();

	if (limit < 0 || limit >= LIMITS || (limit == LIMIT_STACK && value > STACK_MOST))
		return CU_INVALID_VALUE;
	if (limit == LIMIT_SYNC_DEPTH || limit == 9)
		return CU_UNSUPPORTED_LIMIT;
	if ((limit == LIMIT_PRINTF && c->prints) || (limit == LIMIT_HEAP && c->has_heap))
		return CU_INVALID_VALUE;
	c->limits[limit] = value;
	return CU_OK;
}

int drv_cuCtxGetCacheConfig(int *pconfig)
{
	if (!pconfig)
		return CU_INVALID_VALUE;
	*pconfig = context_current()->cache_config;
	return CU_OK;
}

int drv_cuCtxSetCacheConfig(int config)
{
	if (config < 0 || config > 3)
		return CU_INVALID_VALUE;
	context_current()->cache_config = config;
	return CU_OK;
}

int drv_cuCtxGetSharedMemConfig(int *p_config)
{
	if (!p_config)
		return CU_INVALID_VALUE;
	*p_config = 1;
	return CU_OK;
}

int drv_cuCtxSetSharedMemConfig(int config) { return config < 0 || config > 2 ? CU_INVALID_VALUE : CU_OK; }

int drv_cuCtxResetPersistingL2Cache(void) { return CU_OK; }

int drv_cuCtxGetStreamPriorityRange(int *least_priority, int *greatest_priority)
{
	if (!context_current())
		return CU_INVALID_CONTEXT;
	if (least_priority)
		*least_priority = STREAM_LOWEST;
	if (greatest_priority)
		*greatest_priority = STREAM_HIGHEST;
	return CU_OK;
}

int drv_cuCtxEnablePeerAccess(struct cu_context *peer_context, u32 flags)
{
	struct cu_device *d = device_current();

	if (flags)
		return CU_INVALID_VALUE;
	if (!handle_is(peer_context, HANDLE_CONTEXT))
		return CU_INVALID_CONTEXT;
	if (peer_context->device == context_current()->device)
		return CU_PEER_UNSUPPORTED;
	if (d->peers >> peer_context->device & 1)
		return CU_PEER_ALREADY;
	d->peers |= (u64)1 << peer_context->device;
	peer_settle_all(peer_context->device);
	return CU_OK;
}

int drv_cuCtxDisablePeerAccess(struct cu_context *peer_context)
{
	struct cu_device *d = device_current();

	if (!handle_is(peer_context, HANDLE_CONTEXT))
		return CU_INVALID_CONTEXT;
	if (!(d->peers >> peer_context->device & 1))
		return CU_PEER_NOT_ENABLED;
	d->peers &= ~((u64)1 << peer_context->device);
	peer_settle_all(peer_context->device);
	return CU_OK;
}

/* 1: eager, 2: lazy. */
int drv_cuModuleGetLoadingMode(int *mode)
{
	const char *asked = getenv("CUDA_MODULE_LOADING");

	if (!mode)
		return CU_INVALID_VALUE;
	*mode = asked && !strcmp(asked, "EAGER") ? 1 : 2;
	return CU_OK;
}
