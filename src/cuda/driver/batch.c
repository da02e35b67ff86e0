/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that are many others in one: waits and writes of streams, copies, prefetches. And events of whole contexts.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/array.h"
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

int batch_capture(struct cu_stream *s, bool waits, u64 address, u64 value, u32 bytes, u32 flags)
{
	struct cu_stream_operation o = {.operation = bytes == 4 ? waits ? OPERATION_WAIT_32 : OPERATION_WRITE_32
						     : waits    ? OPERATION_WAIT_64
								: OPERATION_WRITE_64,
					.address = address,
					.value = value,
					.flags = flags};

	return capture_give(s, &(struct task){.kind = TASK_BATCH, .batch = {&o, 1}}, NULL);
}

int drv_cuStreamBatchMemOp_v2(struct cu_stream *stream, u32 count, struct cu_stream_operation *list, u32 flags)
{
	struct cu_stream *s = stream_of(stream);
	int result = CU_OK;

	if (!list || !count || count > BATCH_MOST || flags)
		return CU_INVALID_VALUE;
	if (s && s->capture)
		return capture_give(s, &(struct task){.kind = TASK_BATCH, .batch = {list, count}}, NULL);
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

/* --- The same as a node of a graph --------------------------------------------------------------------- */

bool batch_copy(struct task *to, const struct task *from)
{
	const size_t bytes = from->batch.count * sizeof *from->batch.list;

	to->batch.list = malloc(bytes);
	if (to->batch.list)
		memcpy(to->batch.list, from->batch.list, bytes);
	return to->batch.list != NULL;
}

int batch_give(struct cu_stream *s, const struct task *t)
{
	return drv_cuStreamBatchMemOp_v2(s, t->batch.count, t->batch.list, 0);
}

/* A task that borrows the program's list. CU_OK or why it is none. */
static int batch_task(const struct cu_batch_node *n, struct task *t)
{
	if (!n || !n->list || !n->count || n->count > BATCH_MOST || n->flags)
		return CU_INVALID_VALUE;
	for (u32 k = 0; k < n->count; k++)
		if (n->list[k].operation < OPERATION_WAIT_32 || n->list[k].operation > OPERATION_BARRIER)
			return CU_INVALID_VALUE;
	*t = (struct task){.kind = TASK_BATCH, .batch = {n->list, n->count}};
	return CU_OK;
}

int drv_cuGraphAddBatchMemOpNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
				 const struct cu_batch_node *node)
{
	struct task t;
	const int result = batch_task(node, &t);

	return result ? result : node_add(made, g, needs, count, &t, NULL);
}

/* The list stays the node's. */
int drv_cuGraphBatchMemOpNodeGetParams(struct cu_node *n, struct cu_batch_node *to)
{
	const int result = to ? node_is(n, TASK_BATCH) : CU_INVALID_VALUE;

	if (!result)
		*to = (struct cu_batch_node){context_current(), n->task.batch.count, n->task.batch.list, 0};
	return result;
}

int drv_cuGraphBatchMemOpNodeSetParams(struct cu_node *n, const struct cu_batch_node *node)
{
	struct task t;
	int result = n ? node_is(n, TASK_BATCH) : CU_INVALID_VALUE;

	if (!result)
		result = batch_task(node, &t);
	return result ? result : node_replace(n, &t, NULL);
}

int drv_cuGraphExecBatchMemOpNodeSetParams(struct cu_exec *x, struct cu_node *n, const struct cu_batch_node *node)
{
	return drv_cuGraphBatchMemOpNodeSetParams(exec_node(x, n), node);
}

/* --- Copies and prefetches --------------------------------------------------------------------------------- */

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

enum { OPERAND_POINTER = 1, OPERAND_ARRAY, ORDER_STREAM = 1, ORDER_ANY = 3 };

/* Bytes of an array's element; 0: the operand is not an array. */
static size_t element_bytes(const struct cu_copy_operand *o)
{
	return o->type == OPERAND_ARRAY ? o->array.array->pitch / o->array.array->shape.width : 0;
}

/* A copy of elements as one of bytes. An array says how large they are, else they are bytes. */
static int deepen(const struct cu_copy_batch *b, struct cu_copy_3d *to)
{
	const struct cu_copy_operand *s = &b->src, *d = &b->dst;

	if (s->type < OPERAND_POINTER || s->type > OPERAND_ARRAY || d->type < OPERAND_POINTER ||
	    d->type > OPERAND_ARRAY || !b->width || !b->height || !b->depth || b->order < ORDER_STREAM ||
	    b->order > ORDER_ANY)
		return CU_INVALID_VALUE;
	if ((s->type == OPERAND_ARRAY && !handle_is(s->array.array, HANDLE_ARRAY)) ||
	    (d->type == OPERAND_ARRAY && !handle_is(d->array.array, HANDLE_ARRAY)))
		return CU_INVALID_VALUE;
	const size_t from = element_bytes(s), into = element_bytes(d), size = from ? from : into ? into : 1;
	if ((from && into && from != into) || b->width > SIZE_MAX / size)
		return CU_INVALID_VALUE;
	*to = (struct cu_copy_3d){.width = b->width * size, .height = b->height, .depth = b->depth};
	if (s->type == OPERAND_ARRAY) {
		to->src_type = CU_MEMORY_ARRAY;
		to->src_array = s->array.array;
		to->src_x = s->array.at[0] * size, to->src_y = s->array.at[1], to->src_z = s->array.at[2];
	} else {
		to->src_type = CU_MEMORY_UNIFIED;
		to->src_device = s->pointer.at;
		to->src_pitch = s->pointer.row * size, to->src_height = s->pointer.layer;
	}
	if (d->type == OPERAND_ARRAY) {
		to->dst_type = CU_MEMORY_ARRAY;
		to->dst_array = d->array.array;
		to->dst_x = d->array.at[0] * size, to->dst_y = d->array.at[1], to->dst_z = d->array.at[2];
	} else {
		to->dst_type = CU_MEMORY_UNIFIED;
		to->dst_device = d->pointer.at;
		to->dst_pitch = d->pointer.row * size, to->dst_height = d->pointer.layer;
	}
	return CU_OK;
}

int drv_cuMemcpy3DBatchAsync_v2(size_t count, struct cu_copy_batch *list, u64 flags, struct cu_stream *stream)
{
	struct cu_copy_3d c;
	int result = CU_OK;

	if (!list || !count || flags)
		return CU_INVALID_VALUE;
	for (size_t k = 0; k < count && !result; k++) {
		result = deepen(&list[k], &c);
		if (!result)
			result = drv_cuMemcpy3DAsync_v2(&c, stream);
	}
	return result;
}
int drv_cuMemcpy3DBatchAsync(size_t count, struct cu_copy_batch *list, size_t *failed, u64 flags,
			     struct cu_stream *stream)
{
	if (failed)
		*failed = ~(size_t)0;
	return drv_cuMemcpy3DBatchAsync_v2(count, list, flags, stream);
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
		if (!s->gone)
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
