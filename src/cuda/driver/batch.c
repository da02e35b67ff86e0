/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that are many others in one: waits and writes of streams, copies, prefetches. And events of whole contexts.
 */
#include <string.h>

#include "cuda/driver/driver.h"

enum { BATCH_MOST = 256, BATCH_UNION_WORDS = 6 };
enum {
	OPERATION_WAIT_32 = 1,
	OPERATION_WRITE_32 = 2,
	OPERATION_WAIT_64 = 4,
	OPERATION_WRITE_64 = 5,
	OPERATION_FLUSH = 3,
	OPERATION_BARRIER = 6
};

/* CUstreamBatchMemOpParams */
struct cu_stream_operation {
	int operation, pad;
	u64 address, value;
	u32 flags, pad_2;
	u64 alias, more;
};
_Static_assert(sizeof(struct cu_stream_operation) == BATCH_UNION_WORDS * sizeof(u64),
	       "its size is part of the interface");

int drv_cuStreamBatchMemOp_v2(struct cu_stream *stream, u32 count, struct cu_stream_operation *list, u32 flags)
{
	int result = CU_OK;

	if (!list || !count || count > BATCH_MOST || flags)
		return CU_INVALID_VALUE;
	for (u32 k = 0; k < count && !result; k++) {
		const struct cu_stream_operation *o = &list[k];
		switch (o->operation) {
		case OPERATION_WAIT_32:
			result = drv_cuStreamWaitValue32_v2(stream, o->address, (u32)o->value, o->flags);
			break;
		case OPERATION_WAIT_64:
			result = drv_cuStreamWaitValue64_v2(stream, o->address, o->value, o->flags);
			break;
		case OPERATION_WRITE_32:
			result = drv_cuStreamWriteValue32_v2(stream, o->address, (u32)o->value, o->flags);
			break;
		case OPERATION_WRITE_64:
			result = drv_cuStreamWriteValue64_v2(stream, o->address, o->value, o->flags);
			break;
		case OPERATION_FLUSH:
		case OPERATION_BARRIER:
			break;
		default:
			result = CU_INVALID_VALUE;
		}
	}
	return result;
}
int drv_cuStreamBatchMemOp(struct cu_stream *stream, u32 count, struct cu_stream_operation *list, u32 flags)
{
	return drv_cuStreamBatchMemOp_v2(stream, count, list, flags);
}

/* One after another in the stream's order, which is one of those that are allowed. */
int drv_cuMemcpyBatchAsync_v2(u64 *dsts, u64 *srcs, size_t *sizes, size_t count, void *attributes, size_t *indices,
			      size_t attribute_count, struct cu_stream *stream)
{
	int result = CU_OK;

	if (!dsts || !srcs || !sizes || !count || (attribute_count && (!attributes || !indices)))
		return CU_INVALID_VALUE;
	for (size_t k = 0; k < count && !result; k++)
		result = drv_cuMemcpyAsync(dsts[k], srcs[k], sizes[k], stream);
	return result;
}
int drv_cuMemcpyBatchAsync(u64 *dsts, u64 *srcs, size_t *sizes, size_t count, void *attributes, size_t *indices,
			   size_t attribute_count, size_t *failed, struct cu_stream *stream)
{
	if (failed)
		*failed = ~(size_t)0;
	return drv_cuMemcpyBatchAsync_v2(dsts, srcs, sizes, count, attributes, indices, attribute_count, stream);
}

int drv_cuMemPrefetchBatchAsync(u64 *at, size_t *sizes, size_t count, struct cu_location *locations, size_t *indices,
				size_t location_count, u64 flags, struct cu_stream *stream)
{
	int result = CU_OK;

	if (!at || !sizes || !count || !locations || !indices || !location_count || flags)
		return CU_INVALID_VALUE;
	for (size_t k = 0, l = 0; k < count && !result; k++) {
		while (l + 1 < location_count && indices[l + 1] <= k)
			l++;
		result = drv_cuMemPrefetchAsync_v2(at[k], sizes[k], locations[l], 0, stream);
	}
	return result;
}

/* What is discarded may be anything; that it stays what it was is a part of that. */
int drv_cuMemDiscardBatchAsync(u64 *at, size_t *sizes, size_t count, u64 flags, struct cu_stream *stream)
{
	if (!at || !sizes || !count || flags)
		return CU_INVALID_VALUE;
	if (!stream_of(stream))
		return CU_INVALID_HANDLE;
	for (size_t k = 0; k < count; k++)
		if (!block_of(at[k]) || block_of(at[k])->kind != BLOCK_MANAGED)
			return CU_INVALID_VALUE;
	return CU_OK;
}
int drv_cuMemDiscardAndPrefetchBatchAsync(u64 *at, size_t *sizes, size_t count, struct cu_location *locations,
					  size_t *indices, size_t location_count, u64 flags, struct cu_stream *stream)
{
	const int result = drv_cuMemDiscardBatchAsync(at, sizes, count, flags, stream);

	return result ? result
		      : drv_cuMemPrefetchBatchAsync(at, sizes, count, locations, indices, location_count, flags,
						    stream);
}

/* --- Whole contexts --------------------------------------------------------------------------------- */

/* The legacy stream waits for all others, and they for it. */
int drv_cuCtxRecordEvent(struct cu_context *c, struct cu_event *e)
{
	if (!handle_is(c, HANDLE_CONTEXT) || c != context_current())
		return CU_INVALID_CONTEXT;
	return drv_cuEventRecord(e, CU_STREAM_IS_LEGACY);
}

int drv_cuCtxWaitEvent(struct cu_context *c, struct cu_event *e)
{
	int result = CU_OK;

	if (!handle_is(c, HANDLE_CONTEXT) || c != context_current())
		return CU_INVALID_CONTEXT;
	for (struct cu_stream *s = c->streams; s && !result; s = s->next)
		result = drv_cuStreamWaitEvent(s, e, 0);
	return result;
}

/* --- Contexts of before CUDA 4 ------------------------------------------------------------------------ */

int drv_cuCtxAttach(struct cu_context **pctx, u32 flags)
{
	if (!pctx || flags)
		return CU_INVALID_VALUE;
	if (!context_current())
		return CU_INVALID_CONTEXT;
	*pctx = context_current();
	(*pctx)->attached++;
	return CU_OK;
}

int drv_cuCtxDetach(struct cu_context *ctx)
{
	if (!handle_is(ctx, HANDLE_CONTEXT))
		return CU_INVALID_CONTEXT;
	if (!ctx->attached)
		return drv_cuCtxDestroy_v2(ctx);
	ctx->attached--;
	return CU_OK;
}

int drv_cuFlushGPUDirectRDMAWrites(int target, int scope)
{
	return target || (scope != 100 && scope != 200) ? CU_INVALID_VALUE : CU_OK;
}
