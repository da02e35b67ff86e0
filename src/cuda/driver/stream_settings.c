/* SPDX-License-Identifier: Apache-2.0
 *
 * What a stream is: priority, flags, number, context, device, attributes.
 */
#include <string.h>

#include "cuda/driver/driver.h"

int drv_cuStreamGetPriority(struct cu_stream *h_stream, int *priority)
{
	const struct cu_stream *s = stream_of(h_stream);

	if (!s || !priority)
		return s ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
	*priority = s->priority;
	return CU_OK;
}

int drv_cuStreamGetFlags(struct cu_stream *h_stream, u32 *flags)
{
	const struct cu_stream *s = stream_of(h_stream);

	if (!s || !flags)
		return s ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
	*flags = s->flags;
	return CU_OK;
}

int drv_cuStreamGetId(struct cu_stream *h_stream, u64 *stream_id)
{
	enum { ID_LEGACY = 7, ID_PER_THREAD = 14 };
	const struct cu_stream *s = stream_of(h_stream);

	if (!s || !stream_id)
		return s ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
	*stream_id = s == s->context->legacy ? ID_LEGACY : s->thread ? ID_PER_THREAD : s->id;
	return CU_OK;
}

int drv_cuStreamGetCtx(struct cu_stream *h_stream, struct cu_context **pctx)
{
	const struct cu_stream *s = stream_of(h_stream);

	if (!s || !pctx)
		return s ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
	*pctx = s->context;
	return CU_OK;
}

int drv_cuStreamGetCtx_v2(struct cu_stream *h_stream, struct cu_context **pctx, struct cu_green **p_green_ctx)
{
	const int result = p_green_ctx ? drv_cuStreamGetGreenCtx(h_stream, p_green_ctx) : CU_OK;

	return result ? result : drv_cuStreamGetCtx(h_stream, pctx);
}

int drv_cuStreamGetDevice(struct cu_stream *h_stream, int *device)
{
	const struct cu_stream *s = stream_of(h_stream);

	if (!s || !device)
		return s ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
	*device = s->context->device;
	return CU_OK;
}

/* CUlaunchAttributeID, as far as streams have them. */
enum { PRIORITY = 8 };
static const int kept_attributes[STREAM_ATTRIBUTES] = {1 /* access policy window */, 3 /* synchronization policy */,
						       9 /* memory domain map */, 10 /* memory domain */};

static u8 *attribute_of(struct cu_stream *s, int attr)
{
	for (u32 k = 0; k < STREAM_ATTRIBUTES; k++)
		if (kept_attributes[k] == attr)
			return s->attributes[k];
	return NULL;
}

int drv_cuStreamGetAttribute(struct cu_stream *h_stream, int attr, void *value)
{
	struct cu_stream *s = stream_of(h_stream);
	const u8 *kept = s ? attribute_of(s, attr) : NULL;

	if (!s || !value || (!kept && attr != PRIORITY))
		return s ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
	if (kept)
		memcpy(value, kept, ATTRIBUTE_BYTES);
	else
		memset(value, 0, ATTRIBUTE_BYTES);
	if (attr == PRIORITY)
		memcpy(value, &s->priority, sizeof s->priority);
	return CU_OK;
}

int drv_cuStreamSetAttribute(struct cu_stream *h_stream, int attr, const void *param)
{
	struct cu_stream *s = stream_of(h_stream);
	u8 *kept = s ? attribute_of(s, attr) : NULL;

	if (!s || !param || (!kept && attr != PRIORITY))
		return s ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
	if (kept)
		memcpy(kept, param, ATTRIBUTE_BYTES);
	else
		memcpy(&s->priority, param, sizeof s->priority);
	return CU_OK;
}

int drv_cuStreamCopyAttributes(struct cu_stream *dst_stream, struct cu_stream *src_stream)
{
	struct cu_stream *to = stream_of(dst_stream), *from = stream_of(src_stream);

	if (!to || !from)
		return CU_INVALID_HANDLE;
	to->priority = from->priority;
	memcpy(to->attributes, from->attributes, sizeof to->attributes);
	return CU_OK;
}
