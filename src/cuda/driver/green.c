/* SPDX-License-Identifier: Apache-2.0
 *
 * Green contexts: parts of a device's multiprocessors, and streams that belong to them.
 *
 * A green context shares the primary context's memory, modules and errors, which is what cuCtxFromGreenCtx gives. Its part
 * of the device is kept for programs that ask; where kernels run is not modelled, so that a kernel in a green context's
 * stream sees all multiprocessors. (CUDA Driver API 13.0, "Green Contexts")
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

enum { RESOURCE_NONE, RESOURCE_SM };
enum { SPLIT_FINE = 1, SPLIT_LARGE_CLUSTERS = 2, LARGEST_CLUSTER = 16, FINEST = 2 };
enum { GREEN_DEFAULT_STREAM = 1, STREAM_NON_BLOCKING = 1 };

/* A descriptor: what a green context is to have. Programs cannot free one; they are kept for the process. */
struct cu_resources {
	struct cu_resource_part part;
};

struct cu_green {
	struct cu_resource_part part;
	struct cu_context *context;
	struct cu_stream *own; /* its default stream */
	u64 id;
};

/* --- Resources ------------------------------------------------------------------------------------ */

/* The least part and what its size is a multiple of, by compute capability, as the manual's guideline has them. */
static void sizes_of(int device, u32 *least, u32 *alignment)
{
	enum { MAJOR = 75 };
	s32 major = 0;

	device_attribute(driver.devices[device].model, MAJOR, &major);
	*least = major >= 9 ? 8 : major == 8 ? 4 : 2;
	*alignment = major >= 9 ? 8 : 2;
}

static int whole_device(int device, struct cu_resource_part *to, int type)
{
	if (!to)
		return CU_INVALID_VALUE;
	if (type != RESOURCE_SM)
		return CU_INVALID_RESOURCE_TYPE;
	*to = (struct cu_resource_part){.type = type, .device = device, .sms = driver.devices[device].model->sms};
	sizes_of(device, &to->least, &to->alignment);
	return CU_OK;
}

int drv_cuDeviceGetDevResource(int device, struct cu_resource_part *to, int type)
{
	return device >= 0 && device < driver.device_count ? whole_device(device, to, type) : CU_INVALID_DEVICE;
}

int drv_cuCtxGetDevResource(struct cu_context *c, struct cu_resource_part *to, int type)
{
	return handle_is(c, HANDLE_CONTEXT) ? whole_device(c->device, to, type) : CU_INVALID_CONTEXT;
}

int drv_cuGreenCtxGetDevResource(struct cu_green *g, struct cu_resource_part *to, int type)
{
	if (!handle_is(g, HANDLE_GREEN))
		return CU_INVALID_CONTEXT;
	if (!to)
		return CU_INVALID_VALUE;
	if (type != RESOURCE_SM)
		return CU_INVALID_RESOURCE_TYPE;
	*to = g->part;
	to->split = 0;
	return CU_OK;
}

/* The multiprocessors of each group of at least `count`. */
static u32 group_size(const struct cu_resource_part *whole, u32 flags, u32 count)
{
	const u32 step = flags & SPLIT_LARGE_CLUSTERS ? LARGEST_CLUSTER
			 : flags & SPLIT_FINE         ? FINEST
						      : whole->alignment;
	const u32 least = flags & SPLIT_FINE ? FINEST : whole->least;

	if (count < least)
		count = least;
	return (count + step - 1) / step * step;
}

/* Groups of equal size, as many as fit and are asked for; what is left becomes `rest`. With `groups` NULL only says how
 * many there would be. */
int drv_cuDevSmResourceSplitByCount(struct cu_resource_part *groups, u32 *count, const struct cu_resource_part *whole,
				    struct cu_resource_part *rest, u32 flags, u32 least)
{
	if (!count || !whole || flags & ~(u32)(SPLIT_FINE | SPLIT_LARGE_CLUSTERS))
		return CU_INVALID_VALUE;
	if (whole->type != RESOURCE_SM)
		return CU_INVALID_RESOURCE_TYPE;
	if (whole->split || !whole->alignment || least > whole->sms)
		return CU_INVALID_RESOURCES;
	struct cu_resource_part part = *whole;
	part.sms = group_size(whole, flags, least);
	part.split = ++driver.next_id;
	const u32 fit = whole->sms / part.sms;
	if (!groups || *count > fit)
		*count = fit;
	for (u32 k = 0; groups && k < *count; k++)
		groups[k] = part;
	part.sms = whole->sms - *count * part.sms;
	if (!part.sms)
		part = (struct cu_resource_part){.type = RESOURCE_NONE};
	if (rest)
		*rest = part;
	return CU_OK;
}

int drv_cuDevResourceGenerateDesc(struct cu_resources **made, struct cu_resource_part *parts, u32 count)
{
	if (!made || !parts || !count)
		return CU_INVALID_VALUE;
	for (u32 k = 0; k < count; k++) {
		if (parts[k].type != RESOURCE_SM)
			return CU_INVALID_RESOURCE_TYPE;
		if (parts[k].device != parts[0].device || parts[k].split != parts[0].split || (k && !parts[k].split) ||
		    parts[k].device < 0 || parts[k].device >= driver.device_count)
			return CU_INVALID_RESOURCES;
	}
	struct cu_resources *r = calloc(1, sizeof *r);
	if (!r || !handle_add(r, HANDLE_RESOURCES)) {
		free(r);
		return CU_OUT_OF_MEMORY;
	}
	r->part = parts[0];
	for (u32 k = 1; k < count; k++)
		r->part.sms += parts[k].sms;
	*made = r;
	return CU_OK;
}

/* --- Green contexts ----------------------------------------------------------------------------------- */

int drv_cuGreenCtxCreate(struct cu_green **made, struct cu_resources *r, int device, u32 flags)
{
	if (!made || !(flags & GREEN_DEFAULT_STREAM) || flags & ~(u32)GREEN_DEFAULT_STREAM)
		return CU_INVALID_VALUE;
	if (!handle_is(r, HANDLE_RESOURCES))
		return CU_INVALID_VALUE;
	if (device < 0 || device >= driver.device_count)
		return CU_INVALID_DEVICE;
	if (r->part.device != device)
		return CU_INVALID_RESOURCES;
	struct cu_context *c;
	const int result = drv_cuDevicePrimaryCtxRetain(&c, device);
	if (result)
		return result;
	struct cu_green *g = calloc(1, sizeof *g);
	if (g)
		*g = (struct cu_green){r->part, c, stream_new(c, STREAM_NON_BLOCKING, 0), ++driver.next_id};
	if (!g || !g->own || !handle_add(g, HANDLE_GREEN)) {
		free(g);
		drv_cuDevicePrimaryCtxRelease_v2(device);
		return CU_OUT_OF_MEMORY;
	}
	g->own->green = g;
	*made = g;
	return CU_OK;
}

/* Streams that the program has left become streams of a destroyed context. */
int drv_cuGreenCtxDestroy(struct cu_green *g)
{
	if (!handle_is(g, HANDLE_GREEN))
		return CU_INVALID_CONTEXT;
	handle_drop(g);
	context_finish(g->context);
	for (struct cu_stream *s = g->context->streams; s; s = s->next)
		if (s->green == g)
			s->green = NULL;
	stream_delete(g->own);
	const int device = g->context->device;
	free(g);
	return drv_cuDevicePrimaryCtxRelease_v2(device);
}

int drv_cuCtxFromGreenCtx(struct cu_context **to, struct cu_green *g)
{
	if (!to)
		return CU_INVALID_VALUE;
	if (!handle_is(g, HANDLE_GREEN))
		return CU_INVALID_CONTEXT;
	*to = g->context;
	return CU_OK;
}

int drv_cuGreenCtxGetId(struct cu_green *g, u64 *id)
{
	if (!id)
		return CU_INVALID_VALUE;
	if (!handle_is(g, HANDLE_GREEN))
		return CU_INVALID_CONTEXT;
	*id = g->id;
	return CU_OK;
}

int drv_cuGreenCtxStreamCreate(struct cu_stream **made, struct cu_green *g, u32 flags, int priority)
{
	if (!made || flags != STREAM_NON_BLOCKING)
		return CU_INVALID_VALUE;
	if (!handle_is(g, HANDLE_GREEN))
		return CU_INVALID_CONTEXT;
	*made = stream_new(g->context, flags, priority);
	if (!*made)
		return CU_OUT_OF_MEMORY;
	(*made)->green = g;
	return CU_OK;
}

int drv_cuStreamGetGreenCtx(struct cu_stream *h, struct cu_green **to)
{
	const struct cu_stream *s = stream_of(h);

	if (!s || !to)
		return s ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
	*to = s->green;
	return CU_OK;
}

/* The green context's own stream waits for the others, and records for all. */
int drv_cuGreenCtxRecordEvent(struct cu_green *g, struct cu_event *e)
{
	if (!handle_is(g, HANDLE_GREEN))
		return CU_INVALID_CONTEXT;
	for (struct cu_stream *s = g->context->streams; s; s = s->next) {
		if (s->green != g || s == g->own)
			continue;
		if (s->capture) {
			s->capture->broken = true;
			return CU_CAPTURE_UNSUPPORTED;
		}
		order_after(g->own->queue, s->queue, queue_given(s->queue));
		const int result = stream_give_wait(g->own, s->queue, queue_given(s->queue), NULL);
		if (result)
			return result;
	}
	return drv_cuEventRecord(e, g->own);
}

int drv_cuGreenCtxWaitEvent(struct cu_green *g, struct cu_event *e)
{
	int result = CU_OK;

	if (!handle_is(g, HANDLE_GREEN))
		return CU_INVALID_CONTEXT;
	for (struct cu_stream *s = g->context->streams; s && !result; s = s->next)
		if (s->green == g && !s->gone)
			result = drv_cuStreamWaitEvent(s, e, 0);
	return result;
}

/* --- Related calls -------------------------------------------------------------------------------------- */

/* Only contexts under NVIDIA's multi-process service have an affinity. */
int drv_cuCtxGetExecAffinity(void *affinity, int type)
{
	return !affinity || type ? CU_INVALID_VALUE : CU_UNSUPPORTED_AFFINITY;
}

/* Nobody sets this process a budget of memory, so that a notification never comes. */
struct cu_notification {
	int device;
};

int drv_cuDeviceRegisterAsyncNotification(int device, cu_host_fn *function, void *data, struct cu_notification **made)
{
	(void)data;
	if (!function || !made)
		return CU_INVALID_VALUE;
	if (device < 0 || device >= driver.device_count)
		return CU_INVALID_DEVICE;
	struct cu_notification *n = calloc(1, sizeof *n);
	if (!n || !handle_add(n, HANDLE_NOTIFICATION)) {
		free(n);
		return CU_OUT_OF_MEMORY;
	}
	n->device = device;
	*made = n;
	return CU_OK;
}

int drv_cuDeviceUnregisterAsyncNotification(int device, struct cu_notification *n)
{
	if (device < 0 || device >= driver.device_count)
		return CU_INVALID_DEVICE;
	if (!handle_is(n, HANDLE_NOTIFICATION) || n->device != device)
		return CU_INVALID_VALUE;
	handle_drop(n);
	free(n);
	return CU_OK;
}
