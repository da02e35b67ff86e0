/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies and fills of every shape. Whatever the call, it becomes a copy of rows and slices between host addresses, since
 * guest addresses are such; ranges are checked against allocations first.
 */
#include "memory/memory.h"

#include <string.h>

#include "cuda/driver/array.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/finding.h"

/* Is a range within one allocation that kernels can reach, or in several that were mapped side by side? */
static bool is_device_range(u64 at, u64 bytes)
{
	struct allocation a;

	while (!memory_look(&driver.machine->memory, at, bytes, &a)) {
		const struct region *b = memory_look(&driver.machine->memory, at, 1, &a) ? block_at(a.base) : NULL;
		if (!b || b->kind != BLOCK_MAPPED)
			return false;
		bytes -= a.base + a.size - at;
		at = a.base + a.size;
	}
	return true;
}

/* A host address may be any; but if it lies in an allocation, the range must stay in it. */
static bool is_host_range(u64 at, u64 bytes)
{
	enum { ADDRESS_BITS = 47 }; /* of a process */
	struct allocation a;

	return at && at < 1ull << ADDRESS_BITS && bytes <= (1ull << ADDRESS_BITS) - at &&
	       (!memory_look(&driver.machine->memory, at, 1, &a) || is_device_range(at, bytes));
}

/* Gives the copy to the stream; waits, unless the call is asynchronous. */
static int give(const struct copy *c, struct cu_stream *s, bool waits)
{
	const struct task t = {.kind = TASK_COPY, .copy = *c};

	if (!s)
		return CU_INVALID_HANDLE;
	if (waits) {
		if (capture_forbids(s->context))
			return CU_CAPTURE_IMPLICIT;
	}
	const int result = stream_give(s, &t, NULL);
	return result || !waits ? result : stream_finish(s);
}

enum side { SIDE_HOST, SIDE_DEVICE, SIDE_ANY };

/* Whether the side's bytes can be accessed. SIDE_ANY takes what the host can reach, which is everything. */
static bool is_range(enum side side, u64 at, u64 bytes)
{
	const bool reaches = side == SIDE_DEVICE ? is_device_range(at, bytes) : is_host_range(at, bytes);

	if (!reaches)
		finding_refused(at, bytes, "cuMemcpy");
	return reaches;
}

static bool is_fillable(u64 at, u64 bytes)
{
	const bool reaches = is_device_range(at, bytes);

	if (!reaches)
		finding_refused(at, bytes, "cuMemset");
	return reaches;
}

/* A copy of bytes. The legacy rules of when a call returns, since programs rely on them:
 *
 *  host memory that is not pinned    taken, or filled, before the call returns, also by asynchronous calls
 *  pinned and device memory          asynchronous calls return at once */
static int between(u64 to, enum side to_side, u64 from, enum side from_side, u64 bytes, struct cu_stream *s, bool waits)
{
	const struct copy c = {.to = (u8 *)(uintptr_t)to,
			       .from = (const u8 *)(uintptr_t)from,
			       .width = bytes,
			       .height = 1,
			       .depth = 1};
	/* What the host may change after the call returns must be taken now, if it is not pinned. */
	if (!waits && from_side == SIDE_HOST && !is_device_range(from, 1))
		waits = !s->capture;
	/* And what is not pinned has the bytes when the call returns, as on the card. */
	if (!waits && to_side != SIDE_DEVICE && !is_device_range(to, 1))
		waits = !s->capture;
	return give(&c, s, waits);
}

/* The same, of what the stream's device may copy. */
static int linear(u64 to, enum side to_side, u64 from, enum side from_side, u64 bytes, struct cu_stream *s, bool waits)
{
	if (!s)
		return CU_INVALID_HANDLE;
	if (!bytes)
		return CU_OK;
	if (!is_range(to_side, to, bytes) || !is_range(from_side, from, bytes) ||
	    !peer_may_copy(to, s->context->device, true) || !peer_may_copy(from, s->context->device, false))
		return CU_INVALID_VALUE;
	finding_overlap(to, from, bytes);
	return between(to, to_side, from, from_side, bytes, s, waits);
}

static u64 address(const void *p) { return (u64)(uintptr_t)p; }

#define HERE stream_of(NULL)

int drv_cuMemcpy(u64 dst, u64 src, size_t n) { return linear(dst, SIDE_ANY, src, SIDE_ANY, n, HERE, true); }
int drv_cuMemcpyAsync(u64 dst, u64 src, size_t n, struct cu_stream *s)
{
	return linear(dst, SIDE_ANY, src, is_device_range(src, 1) ? SIDE_DEVICE : SIDE_HOST, n, stream_of(s), false);
}
int drv_cuMemcpyHtoD_v2(u64 dst, const void *src, size_t n)
{
	return linear(dst, SIDE_DEVICE, address(src), SIDE_HOST, n, HERE, true);
}
int drv_cuMemcpyHtoDAsync_v2(u64 dst, const void *src, size_t n, struct cu_stream *s)
{
	return linear(dst, SIDE_DEVICE, address(src), SIDE_HOST, n, stream_of(s), false);
}
int drv_cuMemcpyDtoH_v2(void *dst, u64 src, size_t n)
{
	return linear(address(dst), SIDE_HOST, src, SIDE_DEVICE, n, HERE, true);
}
int drv_cuMemcpyDtoHAsync_v2(void *dst, u64 src, size_t n, struct cu_stream *s)
{
	return linear(address(dst), SIDE_HOST, src, SIDE_DEVICE, n, stream_of(s), false);
}
int drv_cuMemcpyDtoD_v2(u64 dst, u64 src, size_t n)
{
	return linear(dst, SIDE_DEVICE, src, SIDE_DEVICE, n, HERE, true);
}
int drv_cuMemcpyDtoDAsync_v2(u64 dst, u64 src, size_t n, struct cu_stream *s)
{
	return linear(dst, SIDE_DEVICE, src, SIDE_DEVICE, n, stream_of(s), false);
}
/* Between two contexts: whoever's the memory is. */
static int across(u64 to, u64 from, size_t bytes, struct cu_stream *s, bool waits)
{
	if (!s)
		return CU_INVALID_HANDLE;
	if (!bytes)
		return CU_OK;
	return is_device_range(to, bytes) && is_device_range(from, bytes)
		       ? between(to, SIDE_DEVICE, from, SIDE_DEVICE, bytes, s, waits)
		       : CU_INVALID_VALUE;
}

int drv_cuMemcpyPeer(u64 dst, struct cu_context *to, u64 src, struct cu_context *from, size_t n)
{
	if (!handle_is(to, HANDLE_CONTEXT) || !handle_is(from, HANDLE_CONTEXT))
		return CU_INVALID_CONTEXT;
	return across(dst, src, n, HERE, true);
}
int drv_cuMemcpyPeerAsync(u64 dst, struct cu_context *to, u64 src, struct cu_context *from, size_t n,
			  struct cu_stream *s)
{
	if (!handle_is(to, HANDLE_CONTEXT) || !handle_is(from, HANDLE_CONTEXT))
		return CU_INVALID_CONTEXT;
	return across(dst, src, n, stream_of(s), false);
}

/* --- Shapes --------------------------------------------------------------------------------------- */

/* One side of a copy in three dimensions. */
struct end {
	u8 *at;
	u64 pitch, slice;
};

/* at + count <= most, whatever the numbers. */
static bool is_within(u64 at, u64 count, u64 most) { return at <= most && count <= most - at; }

/* Where linear memory's part begins, and how many bytes lie between its ends; false: no memory is that large. */
static bool span(const struct end *e, const size_t at[3], const struct cu_copy_3d *c, u64 *first, u64 *bytes)
{
	u64 slices, rows, last_slice, last_row;

	return !__builtin_mul_overflow(at[2], e->slice, &slices) && !__builtin_mul_overflow(at[1], e->pitch, &rows) &&
	       !__builtin_add_overflow(slices, rows, first) && !__builtin_add_overflow(*first, at[0], first) &&
	       !__builtin_mul_overflow(c->depth - 1, e->slice, &last_slice) &&
	       !__builtin_mul_overflow(c->height - 1, e->pitch, &last_row) &&
	       !__builtin_add_overflow(last_slice, last_row, bytes) && !__builtin_add_overflow(*bytes, c->width, bytes);
}

/* One side of a copy with a shape: where its first byte is and how far rows and slices lie apart; checked against the
 * array or the allocation. */
static int find_end(int type, const void *host, u64 device, struct cu_array *array, const size_t at[3], size_t pitch,
		    size_t rows, const struct cu_copy_3d *c, struct end *e)
{
	if (type == CU_MEMORY_ARRAY) {
		if (!handle_is(array, HANDLE_ARRAY))
			return CU_INVALID_HANDLE;
		if (!is_within(at[0], c->width, array->pitch) || !is_within(at[1], c->height, array_rows(array)) ||
		    !is_within(at[2], c->depth, array_slices(array)))
			return CU_INVALID_VALUE;
		e->pitch = array->pitch;
		e->slice = array->pitch * array_rows(array);
		e->at = array->bytes + at[2] * e->slice + at[1] * e->pitch + at[0];
		return CU_OK;
	}
	if (type < CU_MEMORY_HOST || type > CU_MEMORY_UNIFIED)
		return CU_INVALID_VALUE;
	const u64 base = type == CU_MEMORY_HOST ? address(host) : device;
	u64 first, bytes;
	if (!is_within(at[0], c->width, SIZE_MAX) || !is_within(at[1], c->height, SIZE_MAX))
		return CU_INVALID_VALUE;
	e->pitch = pitch ? pitch : at[0] + c->width;
	if (__builtin_mul_overflow(e->pitch, rows ? rows : at[1] + c->height, &e->slice) ||
	    (e->pitch < at[0] + c->width && (c->height > 1 || c->depth > 1)) || !base ||
	    !span(e, at, c, &first, &bytes) ||
	    !is_range(type == CU_MEMORY_HOST     ? SIDE_HOST
		      : type == CU_MEMORY_DEVICE ? SIDE_DEVICE
						 : SIDE_ANY,
		      base + first, bytes))
		return CU_INVALID_VALUE;
	e->at = (u8 *)(uintptr_t)(base + first);
	return CU_OK;
}

int copy_resolve(const struct cu_copy_3d *c, struct copy *to)
{
	const size_t from_at[3] = {c->src_x, c->src_y, c->src_z}, to_at[3] = {c->dst_x, c->dst_y, c->dst_z};
	struct end from = {0}, dst = {0};

	int result = find_end(c->src_type, c->src_host, c->src_device, c->src_array, from_at, c->src_pitch,
			      c->src_height, c, &from);
	if (!result)
		result = find_end(c->dst_type, c->dst_host, c->dst_device, c->dst_array, to_at, c->dst_pitch,
				  c->dst_height, c, &dst);
	*to = (struct copy){.to = dst.at,
			    .from = from.at,
			    .to_pitch = dst.pitch,
			    .to_slice = dst.slice,
			    .from_pitch = from.pitch,
			    .from_slice = from.slice,
			    .width = c->width,
			    .height = c->height,
			    .depth = c->depth};
	return result;
}

static int shaped(const struct cu_copy_3d *c, struct cu_stream *s, bool waits)
{
	struct copy copy;

	if (!c)
		return CU_INVALID_VALUE;
	if (!s)
		return CU_INVALID_HANDLE;
	if (!c->width || !c->height || !c->depth)
		return CU_OK;
	const int result = copy_resolve(c, &copy);
	return result ? result : give(&copy, s, waits || (c->src_type == CU_MEMORY_HOST && !s->capture));
}

static struct cu_copy_3d deepened(const struct cu_copy_2d *c)
{
	return (struct cu_copy_3d){.src_x = c->src_x,
				   .src_y = c->src_y,
				   .src_type = c->src_type,
				   .src_host = c->src_host,
				   .src_device = c->src_device,
				   .src_array = c->src_array,
				   .src_pitch = c->src_pitch,
				   .dst_x = c->dst_x,
				   .dst_y = c->dst_y,
				   .dst_type = c->dst_type,
				   .dst_host = c->dst_host,
				   .dst_device = c->dst_device,
				   .dst_array = c->dst_array,
				   .dst_pitch = c->dst_pitch,
				   .width = c->width,
				   .height = c->height,
				   .depth = 1};
}

static int flat(const struct cu_copy_2d *c, struct cu_stream *s, bool waits)
{
	if (!c)
		return CU_INVALID_VALUE;
	const struct cu_copy_3d deep = deepened(c);
	return shaped(&deep, s, waits);
}

int drv_cuMemcpy2D_v2(const struct cu_copy_2d *c) { return flat(c, HERE, true); }
int drv_cuMemcpy2DUnaligned_v2(const struct cu_copy_2d *c) { return flat(c, HERE, true); }
int drv_cuMemcpy2DAsync_v2(const struct cu_copy_2d *c, struct cu_stream *s) { return flat(c, stream_of(s), false); }
int drv_cuMemcpy3D_v2(const struct cu_copy_3d *c) { return shaped(c, HERE, true); }
int drv_cuMemcpy3DAsync_v2(const struct cu_copy_3d *c, struct cu_stream *s) { return shaped(c, stream_of(s), false); }
int drv_cuMemcpy3DPeer(const struct cu_copy_3d *c) { return shaped(c, HERE, true); }
int drv_cuMemcpy3DPeerAsync(const struct cu_copy_3d *c, struct cu_stream *s) { return shaped(c, stream_of(s), false); }

/* Between an array, from a byte offset on, and linear memory. */
static int along(struct cu_array *to, struct cu_array *from, size_t to_at, size_t from_at, int type, u64 memory,
		 size_t n, struct cu_stream *s, bool waits)
{
	struct cu_array *const arrays[] = {to, from};

	for (int k = 0; k < 2; k++)
		if (arrays[k] && !handle_is(arrays[k], HANDLE_ARRAY))
			return CU_INVALID_HANDLE;
	if (!s)
		return CU_INVALID_HANDLE;
	if (!n)
		return CU_OK;
	const u64 other = type == CU_MEMORY_ARRAY ? 0 : memory;
	if ((to && (to_at > to->size || n > to->size - to_at)) ||
	    (from && (from_at > from->size || n > from->size - from_at)) ||
	    (other && !is_range(type == CU_MEMORY_HOST ? SIDE_HOST : SIDE_DEVICE, other, n)) ||
	    (type != CU_MEMORY_ARRAY && !other))
		return CU_INVALID_VALUE;
	const struct copy c = {.to = to ? to->bytes + to_at : (u8 *)(uintptr_t)other,
			       .from = from ? from->bytes + from_at : (const u8 *)(uintptr_t)other,
			       .width = n,
			       .height = 1,
			       .depth = 1};
	return give(&c, s, waits);
}

int drv_cuMemcpyHtoA_v2(struct cu_array *a, size_t at, const void *src, size_t n)
{
	return along(a, NULL, at, 0, CU_MEMORY_HOST, address(src), n, a ? HERE : NULL, true);
}
int drv_cuMemcpyHtoAAsync_v2(struct cu_array *a, size_t at, const void *src, size_t n, struct cu_stream *s)
{
	return along(a, NULL, at, 0, CU_MEMORY_HOST, address(src), n, a ? stream_of(s) : NULL, true);
}
int drv_cuMemcpyAtoH_v2(void *dst, struct cu_array *a, size_t at, size_t n)
{
	return along(NULL, a, 0, at, CU_MEMORY_HOST, address(dst), n, a ? HERE : NULL, true);
}
int drv_cuMemcpyAtoHAsync_v2(void *dst, struct cu_array *a, size_t at, size_t n, struct cu_stream *s)
{
	return along(NULL, a, 0, at, CU_MEMORY_HOST, address(dst), n, a ? stream_of(s) : NULL, false);
}
int drv_cuMemcpyDtoA_v2(struct cu_array *a, size_t at, u64 src, size_t n)
{
	return along(a, NULL, at, 0, CU_MEMORY_DEVICE, src, n, a ? HERE : NULL, true);
}
int drv_cuMemcpyAtoD_v2(u64 dst, struct cu_array *a, size_t at, size_t n)
{
	return along(NULL, a, 0, at, CU_MEMORY_DEVICE, dst, n, a ? HERE : NULL, true);
}
int drv_cuMemcpyAtoA_v2(struct cu_array *to, size_t to_at, struct cu_array *from, size_t from_at, size_t n)
{
	return along(to, from, to_at, from_at, CU_MEMORY_ARRAY, 0, n, to && from ? HERE : NULL, true);
}

/* --- Fills ------------------------------------------------------------------------------------------- */

static int fill(u64 at, size_t pitch, u32 value, u32 element, size_t width, size_t height, struct cu_stream *s,
		bool waits)
{
	if (!s)
		return CU_INVALID_HANDLE;
	if (!width || !height)
		return CU_OK;
	if (at % element || pitch % element || width > SIZE_MAX / element || (height > 1 && pitch < width * element) ||
	    (height > 1 && height - 1 > SIZE_MAX / 2 / pitch) ||
	    !is_fillable(at, (height - 1) * pitch + width * element) ||
	    (!s->capture && !peer_may_fill(at, s->context->device)))
		return CU_INVALID_VALUE;
	const struct task t = {.kind = TASK_FILL,
			       .fill = {.to = (u8 *)(uintptr_t)at,
					.pitch = pitch,
					.value = value,
					.element = element,
					.width = width,
					.height = height}};
	if (waits) {
		if (capture_forbids(s->context))
			return CU_CAPTURE_IMPLICIT;
	}
	/* The driver's fills of device memory do not wait either. */
	return stream_give(s, &t, NULL);
}

int drv_cuMemsetD8_v2(u64 at, u8 value, size_t n) { return fill(at, n, value, 1, n, 1, HERE, true); }
int drv_cuMemsetD16_v2(u64 at, u16 value, size_t n) { return fill(at, 2 * n, value, 2, n, 1, HERE, true); }
int drv_cuMemsetD32_v2(u64 at, u32 value, size_t n) { return fill(at, 4 * n, value, 4, n, 1, HERE, true); }
int drv_cuMemsetD8Async(u64 at, u8 value, size_t n, struct cu_stream *s)
{
	return fill(at, n, value, 1, n, 1, stream_of(s), false);
}
int drv_cuMemsetD16Async(u64 at, u16 value, size_t n, struct cu_stream *s)
{
	return fill(at, 2 * n, value, 2, n, 1, stream_of(s), false);
}
int drv_cuMemsetD32Async(u64 at, u32 value, size_t n, struct cu_stream *s)
{
	return fill(at, 4 * n, value, 4, n, 1, stream_of(s), false);
}
int drv_cuMemsetD2D8_v2(u64 at, size_t pitch, u8 value, size_t w, size_t h)
{
	return fill(at, pitch, value, 1, w, h, HERE, true);
}
int drv_cuMemsetD2D16_v2(u64 at, size_t pitch, u16 value, size_t w, size_t h)
{
	return fill(at, pitch, value, 2, w, h, HERE, true);
}
int drv_cuMemsetD2D32_v2(u64 at, size_t pitch, u32 value, size_t w, size_t h)
{
	return fill(at, pitch, value, 4, w, h, HERE, true);
}
int drv_cuMemsetD2D8Async(u64 at, size_t pitch, u8 value, size_t w, size_t h, struct cu_stream *s)
{
	return fill(at, pitch, value, 1, w, h, stream_of(s), false);
}
int drv_cuMemsetD2D16Async(u64 at, size_t pitch, u16 value, size_t w, size_t h, struct cu_stream *s)
{
	return fill(at, pitch, value, 2, w, h, stream_of(s), false);
}
int drv_cuMemsetD2D32Async(u64 at, size_t pitch, u32 value, size_t w, size_t h, struct cu_stream *s)
{
	return fill(at, pitch, value, 4, w, h, stream_of(s), false);
}
