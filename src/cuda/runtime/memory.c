/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory: allocations, copies, fills, arrays, textures, symbols.
 *
 * The runtime's calls in terms of the driver's. The driver's results are returned as they are. What differs: sizes of 0 are
 * allowed, a copy has a direction (cudaMemcpyKind), positions in arrays count bytes in some calls and elements in others,
 * and symbols are host variables that stand for the device's (register.c).
 */
#include <string.h>

#include "cuda/runtime/runtime.h"

/* --- Allocations ------------------------------------------------------------------------------------------ */

int rt_cudaMalloc(void **dev_ptr, size_t size)
{
	u64 at;

	if (!dev_ptr)
		return RT_INVALID_VALUE;
	if (!size) {
		*dev_ptr = NULL;
		return RT_OK;
	}
	const int result = cuMemAlloc_v2(&at, size);
	if (!result)
		*dev_ptr = (void *)(uintptr_t)at;
	return result;
}

int rt_cudaMallocManaged(void **dev_ptr, size_t size, u32 flags)
{
	u64 at;

	if (!dev_ptr)
		return RT_INVALID_VALUE;
	if (!size) {
		*dev_ptr = NULL;
		return RT_OK;
	}
	const int result = cuMemAllocManaged(&at, size, flags);
	if (!result)
		*dev_ptr = (void *)(uintptr_t)at;
	return result;
}

int rt_cudaMallocHost(void **ptr, size_t size)
{
	if (ptr && !size) {
		*ptr = NULL;
		return RT_OK;
	}
	return cuMemHostAlloc(ptr, size, 0);
}
int rt_cudaHostAlloc(void **p_host, size_t size, u32 flags)
{
	if (p_host && !size) {
		*p_host = NULL;
		return RT_OK;
	}
	return cuMemHostAlloc(p_host, size, flags);
}
int rt_cudaFreeHost(void *ptr) { return ptr ? cuMemFreeHost(ptr) : RT_OK; }
int rt_cudaFree(void *dev_ptr) { return cuMemFree_v2(ADDRESS(dev_ptr)); }

int rt_cudaMallocPitch(void **dev_ptr, size_t *pitch, size_t width, size_t height)
{
	u64 at;

	if (!dev_ptr || !pitch)
		return RT_INVALID_VALUE;
	if (!width || !height) {
		*dev_ptr = NULL;
		*pitch = 0;
		return RT_OK;
	}
	const int result = cuMemAllocPitch_v2(&at, pitch, width, height, 4);
	if (!result)
		*dev_ptr = (void *)(uintptr_t)at;
	return result;
}

int rt_cudaMalloc3D(struct rt_pitched *to, struct rt_extent extent)
{
	if (!to)
		return RT_INVALID_VALUE;
	to->width = extent.x;
	to->height = extent.y;
	return rt_cudaMallocPitch(&to->at, &to->pitch, extent.x, extent.y * (extent.z ? extent.z : 1));
}

int rt_cudaPointerGetAttributes(struct rt_pointer *to, const void *ptr)
{
	u32 type = 0, managed = 0;
	int device = -2;

	if (!to || !ptr)
		return RT_INVALID_VALUE;
	memset(to, 0, sizeof *to);
	to->device = -2;
	to->host_pointer = (void *)(uintptr_t)ptr;
	if (cuPointerGetAttribute(&type, 2, ADDRESS(ptr)))
		return RT_OK;
	cuPointerGetAttribute(&managed, 8, ADDRESS(ptr));
	cuPointerGetAttribute(&device, 9, ADDRESS(ptr));
	to->type = managed ? 3 : type == CU_MEMORY_HOST ? 1 : 2;
	to->device = device;
	if (cuPointerGetAttribute(&to->device_pointer, 3, ADDRESS(ptr)))
		to->device_pointer = NULL;
	if (to->type == 2)
		to->host_pointer = NULL;
	return RT_OK;
}

/* --- Symbols ------------------------------------------------------------------------------------------------- */

int rt_cudaGetSymbolAddress(void **dev_ptr, const void *symbol)
{
	u64 at;
	size_t bytes;
	const int result = dev_ptr ? rt_symbol(symbol, &at, &bytes) : RT_INVALID_VALUE;

	if (!result)
		*dev_ptr = (void *)(uintptr_t)at;
	return result;
}

int rt_cudaGetSymbolSize(size_t *size, const void *symbol)
{
	u64 at;

	return size ? rt_symbol(symbol, &at, size) : RT_INVALID_VALUE;
}

/* --- Copies ---------------------------------------------------------------------------------------------------- */

/* A direction that there is. */
static bool is_kind(int kind) { return kind >= COPY_HOST_HOST && kind <= COPY_DEFAULT; }

static int source_type(int kind)
{
	return kind == COPY_DEFAULT                                 ? CU_MEMORY_UNIFIED
	       : kind == COPY_HOST_HOST || kind == COPY_HOST_DEVICE ? CU_MEMORY_HOST
								    : CU_MEMORY_DEVICE;
}
static int target_type(int kind)
{
	return kind == COPY_DEFAULT                                 ? CU_MEMORY_UNIFIED
	       : kind == COPY_HOST_HOST || kind == COPY_DEVICE_HOST ? CU_MEMORY_HOST
								    : CU_MEMORY_DEVICE;
}

/* Waits for a stream after a call that has given it work. */
static int finish(int result, struct cu_stream *s) { return result ? result : cuStreamSynchronize(s); }

int rt_cudaMemcpyAsync(void *dst, const void *src, size_t count, int kind, struct cu_stream *stream)
{
	struct cu_stream *s = STREAM(stream);

	if (!is_kind(kind))
		return RT_INVALID_DIRECTION;
	if (count && (!dst || !src))
		return RT_INVALID_VALUE;
	switch (kind) {
	case COPY_HOST_DEVICE:
		return cuMemcpyHtoDAsync_v2(ADDRESS(dst), src, count, s);
	case COPY_DEVICE_HOST:
		return cuMemcpyDtoHAsync_v2(dst, ADDRESS(src), count, s);
	case COPY_DEVICE_DEVICE:
		return cuMemcpyDtoDAsync_v2(ADDRESS(dst), ADDRESS(src), count, s);
	default:
		return cuMemcpyAsync(ADDRESS(dst), ADDRESS(src), count, s);
	}
}

/* The default stream is the legacy one, or the thread's own if the program was compiled so. */
int rt_cudaMemcpy(void *dst, const void *src, size_t count, int kind)
{
	if (!is_kind(kind))
		return RT_INVALID_DIRECTION;
	if (count && (!dst || !src))
		return RT_INVALID_VALUE;
	if (rt_self.own_stream)
		return finish(rt_cudaMemcpyAsync(dst, src, count, kind, NULL), CU_STREAM_IS_PER_THREAD);
	switch (kind) {
	case COPY_HOST_DEVICE:
		return cuMemcpyHtoD_v2(ADDRESS(dst), src, count);
	case COPY_DEVICE_HOST:
		return cuMemcpyDtoH_v2(dst, ADDRESS(src), count);
	case COPY_DEVICE_DEVICE:
		return cuMemcpyDtoD_v2(ADDRESS(dst), ADDRESS(src), count);
	default:
		return cuMemcpy(ADDRESS(dst), ADDRESS(src), count);
	}
}

/* Addresses tell where memory is; the devices only have to exist. */
static int check_devices(int dst, int src)
{
	int count;
	const int result = cuDeviceGetCount(&count);

	return result ? result : dst < 0 || dst >= count || src < 0 || src >= count ? RT_INVALID_DEVICE : RT_OK;
}

int rt_cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t count)
{
	struct cu_context *c;
	int result = check_devices(dst_device, src_device);

	if (!result)
		result = cuCtxGetCurrent(&c);
	return result ? result : cuMemcpyPeer(ADDRESS(dst), c, ADDRESS(src), c, count);
}
int rt_cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t count,
			   struct cu_stream *stream)
{
	struct cu_context *c;
	int result = check_devices(dst_device, src_device);

	if (!result)
		result = cuCtxGetCurrent(&c);
	return result ? result : cuMemcpyPeerAsync(ADDRESS(dst), c, ADDRESS(src), c, count, STREAM(stream));
}

/* The address of a part of a symbol, which must lie within it. */
static int symbol_range(const void *symbol, size_t count, size_t offset, u64 *at)
{
	size_t bytes;
	const int result = rt_symbol(symbol, at, &bytes);

	if (result)
		return result;
	*at += offset;
	return offset > bytes || count > bytes - offset ? RT_INVALID_VALUE : RT_OK;
}

int rt_cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset, int kind,
			       struct cu_stream *s)
{
	u64 at;
	const int result = symbol_range(symbol, count, offset, &at);

	return result ? result : rt_cudaMemcpyAsync((void *)(uintptr_t)at, src, count, kind, s);
}
int rt_cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset, int kind)
{
	u64 at;
	const int result = symbol_range(symbol, count, offset, &at);

	return result ? result : rt_cudaMemcpy((void *)(uintptr_t)at, src, count, kind);
}
int rt_cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset, int kind,
				 struct cu_stream *s)
{
	u64 at;
	const int result = symbol_range(symbol, count, offset, &at);

	return result ? result : rt_cudaMemcpyAsync(dst, (void *)(uintptr_t)at, count, kind, s);
}
int rt_cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset, int kind)
{
	u64 at;
	const int result = symbol_range(symbol, count, offset, &at);

	return result ? result : rt_cudaMemcpy(dst, (void *)(uintptr_t)at, count, kind);
}

/* A copy of rows: each side is linear memory or an array. */
struct sides {
	void *dst;
	size_t dst_pitch;
	struct cu_array *dst_array;
	size_t dst_x, dst_y;
	const void *src;
	size_t src_pitch;
	struct cu_array *src_array;
	size_t src_x, src_y;
};

/* One row between an array and linear memory needs no pitch. */
static size_t pitch_of(size_t given, const struct cu_array *other, size_t width, size_t height)
{
	return !given && other && height == 1 ? width : given;
}

/* A copy of rows, whichever the sides are. Positions and widths in bytes. 12 is cudaErrorInvalidPitchValue. */
static int rows(const struct sides *s, size_t width, size_t height, int kind, struct cu_stream *stream, bool waits)
{
	if (!is_kind(kind))
		return RT_INVALID_DIRECTION;
	const size_t src_pitch = pitch_of(s->src_pitch, s->dst_array, width, height);
	const size_t dst_pitch = pitch_of(s->dst_pitch, s->src_array, width, height);
	const struct cu_copy_2d c = {.src_x = s->src_x,
				     .src_y = s->src_y,
				     .src_type = s->src_array ? CU_MEMORY_ARRAY : source_type(kind),
				     .src_host = s->src,
				     .src_device = ADDRESS(s->src),
				     .src_array = s->src_array,
				     .src_pitch = src_pitch,
				     .dst_x = s->dst_x,
				     .dst_y = s->dst_y,
				     .dst_type = s->dst_array ? CU_MEMORY_ARRAY : target_type(kind),
				     .dst_host = s->dst,
				     .dst_device = ADDRESS(s->dst),
				     .dst_array = s->dst_array,
				     .dst_pitch = dst_pitch,
				     .width = width,
				     .height = height};
	if ((!s->src_array && src_pitch < width) || (!s->dst_array && dst_pitch < width))
		return 12;
	const int result = cuMemcpy2DAsync_v2(&c, STREAM(stream));
	return waits ? finish(result, STREAM(stream)) : result;
}

int rt_cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
			 int kind, struct cu_stream *s)
{
	return rows(&(struct sides){.dst = dst, .dst_pitch = dpitch, .src = src, .src_pitch = spitch}, width, height,
		    kind, s, false);
}
int rt_cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind)
{
	return rows(&(struct sides){.dst = dst, .dst_pitch = dpitch, .src = src, .src_pitch = spitch}, width, height,
		    kind, NULL, true);
}
int rt_cudaMemcpy2DToArrayAsync(struct cu_array *dst, size_t x, size_t y, const void *src, size_t spitch, size_t width,
				size_t height, int kind, struct cu_stream *s)
{
	return rows(&(struct sides){.dst_array = dst, .dst_x = x, .dst_y = y, .src = src, .src_pitch = spitch}, width,
		    height, kind, s, false);
}
int rt_cudaMemcpy2DToArray(struct cu_array *dst, size_t x, size_t y, const void *src, size_t spitch, size_t width,
			   size_t height, int kind)
{
	return rows(&(struct sides){.dst_array = dst, .dst_x = x, .dst_y = y, .src = src, .src_pitch = spitch}, width,
		    height, kind, NULL, true);
}
int rt_cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, struct cu_array *src, size_t x, size_t y, size_t width,
				  size_t height, int kind, struct cu_stream *s)
{
	return rows(&(struct sides){.dst = dst, .dst_pitch = dpitch, .src_array = src, .src_x = x, .src_y = y}, width,
		    height, kind, s, false);
}
int rt_cudaMemcpy2DFromArray(void *dst, size_t dpitch, struct cu_array *src, size_t x, size_t y, size_t width,
			     size_t height, int kind)
{
	return rows(&(struct sides){.dst = dst, .dst_pitch = dpitch, .src_array = src, .src_x = x, .src_y = y}, width,
		    height, kind, NULL, true);
}
int rt_cudaMemcpy2DArrayToArray(struct cu_array *dst, size_t dx, size_t dy, struct cu_array *src, size_t sx, size_t sy,
				size_t width, size_t height, int kind)
{
	return rows(
		&(struct sides){.dst_array = dst, .dst_x = dx, .dst_y = dy, .src_array = src, .src_x = sx, .src_y = sy},
		width, height, kind, NULL, true);
}
/* Bytes of an array's element. */
static size_t element_bytes(struct cu_array *a)
{
	struct cu_array_3d d;

	if (!a || cuArray3DGetDescriptor_v2(&d, a))
		return 1;
	const size_t channel = d.format == 1 || d.format == 8                     ? 1
			       : d.format == 2 || d.format == 9 || d.format == 16 ? 2
										  : 4;
	return channel * d.channels;
}

/* Bytes of an array's row. */
static size_t array_row(struct cu_array *a)
{
	struct cu_array_3d d;

	return cuArray3DGetDescriptor_v2(&d, a) ? 0 : d.width * element_bytes(a);
}

/* Bytes one behind the other to or from an array, whose rows they fill from (x, y) on: the rest of the first row, whole
 * rows, what is left. */
static int stretch(struct sides s, bool to_array, size_t count, int kind, struct cu_stream *stream, bool waits)
{
	const size_t row = array_row(to_array ? s.dst_array : s.src_array);
	size_t *x = to_array ? &s.dst_x : &s.src_x, *y = to_array ? &s.dst_y : &s.src_y;
	int result = RT_OK;

	if (!row)
		return RT_INVALID_HANDLE;
	if (*x >= row)
		return RT_INVALID_VALUE;
	while (count && !result) {
		const size_t left = row - *x, height = *x || count < row ? 1 : count / row;
		const size_t width = *x || count < row ? (count < left ? count : left) : row;
		s.src_pitch = s.dst_pitch = width;
		result = rows(&s, width, height, kind, stream, waits);
		if (to_array)
			s.src = (const u8 *)s.src + width * height;
		else
			s.dst = (u8 *)s.dst + width * height;
		count -= width * height;
		*x = 0;
		*y += height;
	}
	return result;
}

int rt_cudaMemcpyToArray(struct cu_array *dst, size_t x, size_t y, const void *src, size_t count, int kind)
{
	return stretch((struct sides){.dst_array = dst, .dst_x = x, .dst_y = y, .src = src}, true, count, kind, NULL,
		       true);
}
int rt_cudaMemcpyFromArray(void *dst, struct cu_array *src, size_t x, size_t y, size_t count, int kind)
{
	return stretch((struct sides){.dst = dst, .src_array = src, .src_x = x, .src_y = y}, false, count, kind, NULL,
		       true);
}
int rt_cudaMemcpyToArrayAsync(struct cu_array *dst, size_t x, size_t y, const void *src, size_t count, int kind,
			      struct cu_stream *stream)
{
	return stretch((struct sides){.dst_array = dst, .dst_x = x, .dst_y = y, .src = src}, true, count, kind, stream,
		       false);
}
int rt_cudaMemcpyFromArrayAsync(void *dst, const struct cu_array *src, size_t x, size_t y, size_t count, int kind,
				struct cu_stream *stream)
{
	return stretch(
		(struct sides){.dst = dst, .src_array = (struct cu_array *)(uintptr_t)src, .src_x = x, .src_y = y},
		false, count, kind, stream, false);
}

int rt_driver_copy(const struct rt_copy_3d *p, struct cu_copy_3d *c)
{
	if (!p)
		return RT_INVALID_VALUE;
	if (!is_kind(p->kind))
		return RT_INVALID_DIRECTION;
	/* Positions and extents count elements where an array takes part. */
	const size_t element = p->src_array ? element_bytes(p->src_array) : element_bytes(p->dst_array);
	const bool arrays = p->src_array || p->dst_array;
	*c = (struct cu_copy_3d){.src_x = p->src_at.x * (p->src_array ? element : 1),
				 .src_y = p->src_at.y,
				 .src_z = p->src_at.z,
				 .src_type = p->src_array ? CU_MEMORY_ARRAY : source_type(p->kind),
				 .src_host = p->src.at,
				 .src_device = ADDRESS(p->src.at),
				 .src_array = p->src_array,
				 .src_pitch = p->src.pitch,
				 .src_height = p->src.height,
				 .dst_x = p->dst_at.x * (p->dst_array ? element : 1),
				 .dst_y = p->dst_at.y,
				 .dst_z = p->dst_at.z,
				 .dst_type = p->dst_array ? CU_MEMORY_ARRAY : target_type(p->kind),
				 .dst_host = p->dst.at,
				 .dst_device = ADDRESS(p->dst.at),
				 .dst_array = p->dst_array,
				 .dst_pitch = p->dst.pitch,
				 .dst_height = p->dst.height,
				 .width = p->extent.x * (arrays ? element : 1),
				 .height = p->extent.y,
				 .depth = p->extent.z};
	return RT_OK;
}

int rt_cudaMemcpy3DAsync(const struct rt_copy_3d *p, struct cu_stream *stream)
{
	struct cu_copy_3d c;
	const int result = rt_driver_copy(p, &c);

	return result ? result : cuMemcpy3DAsync_v2(&c, STREAM(stream));
}
int rt_cudaMemcpy3D(const struct rt_copy_3d *p) { return finish(rt_cudaMemcpy3DAsync(p, NULL), STREAM(NULL)); }

int rt_cudaMemcpyArrayToArray(struct cu_array *dst, size_t dst_x, size_t dst_y, const struct cu_array *src,
			      size_t src_x, size_t src_y, size_t count, int kind)
{
	struct cu_array *from = (struct cu_array *)(uintptr_t)src;

	return is_kind(kind) ? cuMemcpyAtoA_v2(dst, dst_y * array_row(dst) + dst_x, from,
					       src_y * array_row(from) + src_x, count)
			     : RT_INVALID_DIRECTION;
}

static struct rt_copy_3d of_peer(const struct rt_copy_peer *p)
{
	return (struct rt_copy_3d){.src_array = p->src_array,
				   .src_at = p->src_at,
				   .src = p->src,
				   .dst_array = p->dst_array,
				   .dst_at = p->dst_at,
				   .dst = p->dst,
				   .extent = p->extent,
				   .kind = COPY_DEFAULT};
}
int rt_cudaMemcpy3DPeerAsync(const struct rt_copy_peer *p, struct cu_stream *stream)
{
	if (!p)
		return RT_INVALID_VALUE;
	const struct rt_copy_3d c = of_peer(p);
	return rt_cudaMemcpy3DAsync(&c, stream);
}
int rt_cudaMemcpy3DPeer(const struct rt_copy_peer *p)
{
	if (!p)
		return RT_INVALID_VALUE;
	const struct rt_copy_3d c = of_peer(p);
	return rt_cudaMemcpy3D(&c);
}

/* --- Fills ------------------------------------------------------------------------------------------------------- */

int rt_cudaMemsetAsync(void *dev_ptr, int value, size_t count, struct cu_stream *stream)
{
	return cuMemsetD8Async(ADDRESS(dev_ptr), (u8)value, count, STREAM(stream));
}
int rt_cudaMemset(void *dev_ptr, int value, size_t count) { return rt_cudaMemsetAsync(dev_ptr, value, count, NULL); }
int rt_cudaMemset2DAsync(void *dev_ptr, size_t pitch, int value, size_t width, size_t height, struct cu_stream *stream)
{
	return cuMemsetD2D8Async(ADDRESS(dev_ptr), pitch, (u8)value, width, height, STREAM(stream));
}
int rt_cudaMemset2D(void *dev_ptr, size_t pitch, int value, size_t width, size_t height)
{
	return rt_cudaMemset2DAsync(dev_ptr, pitch, value, width, height, NULL);
}
int rt_cudaMemset3DAsync(struct rt_pitched p, int value, struct rt_extent extent, struct cu_stream *stream)
{
	int result = RT_OK;
	size_t slice, all;

	if (!extent.x || !extent.y || !extent.z)
		return RT_OK;
	if ((extent.z > 1 && p.height < extent.y) || __builtin_mul_overflow(p.pitch, p.height, &slice) ||
	    __builtin_mul_overflow(slice, extent.z, &all))
		return RT_INVALID_VALUE;
	/* The last slice first: if that is not in memory, nothing is filled. */
	for (size_t z = extent.z; z-- && !result;)
		result = cuMemsetD2D8Async(ADDRESS(p.at) + z * slice, p.pitch, (u8)value, extent.x, extent.y,
					   STREAM(stream));
	return result;
}
int rt_cudaMemset3D(struct rt_pitched p, int value, struct rt_extent extent)
{
	return rt_cudaMemset3DAsync(p, value, extent, NULL);
}

/* --- Arrays and textures -------------------------------------------------------------------------------------------- */

static bool take_channels(const struct rt_channels *c, int *format, u32 *count)
{
	const int bits[] = {c->x, c->y, c->z, c->w};

	for (*count = 0; *count < 4 && bits[*count]; ++*count)
		;
	if (c->x == 8)
		*format = c->kind == 0 ? 8 : 1;
	else if (c->x == 16)
		*format = c->kind == 0 ? 9 : c->kind == 1 ? 2 : 16;
	else if (c->x == 32)
		*format = c->kind == 0 ? 10 : c->kind == 1 ? 3 : 32;
	else
		return false;
	return true;
}

static struct rt_channels channels_of(const struct cu_array_3d *d)
{
	const int bits = d->format == 1 || d->format == 8                      ? 8
			 : d->format == 2 || d->format == 9 || d->format == 16 ? 16
									       : 32;
	const int kind = d->format >= 16 ? 2 : d->format >= 8 ? 0 : 1;

	return (struct rt_channels){bits, d->channels > 1 ? bits : 0, d->channels > 2 ? bits : 0,
				    d->channels > 3 ? bits : 0, kind};
}

static int describe(const struct rt_channels *c, struct rt_extent e, u32 flags, struct cu_array_3d *d)
{
	*d = (struct cu_array_3d){.width = e.x, .height = e.y, .depth = e.z, .flags = flags};
	return c && take_channels(c, &d->format, &d->channels) ? RT_OK : 20;
}

int rt_cudaMalloc3DArray(struct cu_array **array, const struct rt_channels *desc, struct rt_extent extent, u32 flags)
{
	struct cu_array_3d d;
	const int result = describe(desc, extent, flags, &d);

	return result ? result : cuArray3DCreate_v2(array, &d);
}
int rt_cudaMallocArray(struct cu_array **array, const struct rt_channels *desc, size_t width, size_t height, u32 flags)
{
	return rt_cudaMalloc3DArray(array, desc, (struct rt_extent){width, height, 0}, flags);
}
int rt_cudaMallocMipmappedArray(struct cu_mipmap **mipmap, const struct rt_channels *desc, struct rt_extent extent,
				u32 levels, u32 flags)
{
	struct cu_array_3d d;
	const int result = describe(desc, extent, flags, &d);

	return result ? result : cuMipmappedArrayCreate(mipmap, &d, levels);
}
int rt_cudaFreeArray(struct cu_array *array) { return array ? cuArrayDestroy(array) : RT_OK; }

int rt_cudaArrayGetInfo(struct rt_channels *desc, struct rt_extent *extent, u32 *flags, struct cu_array *array)
{
	struct cu_array_3d d;
	const int result = cuArray3DGetDescriptor_v2(&d, array);

	if (result)
		return result;
	if (desc)
		*desc = channels_of(&d);
	if (extent)
		*extent = (struct rt_extent){d.width, d.height, d.depth};
	if (flags)
		*flags = d.flags;
	return RT_OK;
}
int rt_cudaGetChannelDesc(struct rt_channels *desc, struct cu_array *array)
{
	return desc ? rt_cudaArrayGetInfo(desc, NULL, NULL, array) : RT_INVALID_VALUE;
}

static int take_resource(const struct rt_resource *r, struct cu_resource *to)
{
	memset(to, 0, sizeof *to);
	to->type = r->type;
	switch (r->type) {
	case 0:
		to->array = r->array;
		return RT_OK;
	case 1:
		to->mipmap = r->mipmap;
		return RT_OK;
	case 2:
		to->linear.at = ADDRESS(r->linear.at);
		to->linear.bytes = r->linear.bytes;
		return take_channels(&r->linear.channels, &to->linear.format, &to->linear.channels) ? RT_OK : 20;
	case 3:
		to->pitched.at = ADDRESS(r->pitched.at);
		to->pitched.width = r->pitched.width;
		to->pitched.height = r->pitched.height;
		to->pitched.pitch = r->pitched.pitch;
		return take_channels(&r->pitched.channels, &to->pitched.format, &to->pitched.channels) ? RT_OK : 20;
	default:
		return RT_INVALID_VALUE;
	}
}

int rt_cudaCreateTextureObject(u64 *object, const struct rt_resource *resource, const struct rt_texture *t,
			       const struct cu_resource_view *view)
{
	struct cu_resource r;

	if (!object || !resource || !t)
		return RT_INVALID_VALUE;
	const int result = take_resource(resource, &r);
	if (result)
		return result;
	struct cu_texture_description d = {.filter = t->filter,
					   .flags = (t->read == 0 ? 1u : 0) | (t->normalized ? 2u : 0) |
						    (t->srgb ? 0x10u : 0) | (t->seamless ? 0x40u : 0),
					   .anisotropy = t->anisotropy,
					   .mipmap_filter = t->mipmap_filter,
					   .level_bias = t->level_bias,
					   .lowest_level = t->lowest_level,
					   .highest_level = t->highest_level};
	memcpy(d.address, t->address, sizeof d.address);
	memcpy(d.border, t->border, sizeof d.border);
	return cuTexObjectCreate(object, &r, &d, view);
}

int rt_cudaCreateSurfaceObject(u64 *object, const struct rt_resource *resource)
{
	struct cu_resource r;
	const int result = resource ? take_resource(resource, &r) : RT_INVALID_VALUE;

	return result ? result : cuSurfObjectCreate(object, &r);
}

static void give_resource(const struct cu_resource *r, struct rt_resource *to)
{
	memset(to, 0, sizeof *to);
	to->type = r->type;
	switch (r->type) {
	case 0:
		to->array = r->array;
		return;
	case 1:
		to->mipmap = r->mipmap;
		return;
	case 2:
		to->linear.at = (void *)(uintptr_t)r->linear.at;
		to->linear.bytes = r->linear.bytes;
		to->linear.channels =
			channels_of(&(struct cu_array_3d){.format = r->linear.format, .channels = r->linear.channels});
		return;
	default:
		to->pitched.at = (void *)(uintptr_t)r->pitched.at;
		to->pitched.width = r->pitched.width;
		to->pitched.height = r->pitched.height;
		to->pitched.pitch = r->pitched.pitch;
		to->pitched.channels = channels_of(
			&(struct cu_array_3d){.format = r->pitched.format, .channels = r->pitched.channels});
	}
}

int rt_cudaGetTextureObjectResourceDesc(struct rt_resource *to, u64 object)
{
	struct cu_resource r;
	const int result = to ? cuTexObjectGetResourceDesc(&r, object) : RT_INVALID_VALUE;

	if (!result)
		give_resource(&r, to);
	return result;
}
int rt_cudaGetSurfaceObjectResourceDesc(struct rt_resource *to, u64 object)
{
	struct cu_resource r;
	const int result = to ? cuSurfObjectGetResourceDesc(&r, object) : RT_INVALID_VALUE;

	if (!result)
		give_resource(&r, to);
	return result;
}

int rt_cudaGetTextureObjectTextureDesc(struct rt_texture *to, u64 object)
{
	struct cu_texture_description d;
	const int result = to ? cuTexObjectGetTextureDesc(&d, object) : RT_INVALID_VALUE;

	if (result)
		return result;
	memset(to, 0, sizeof *to);
	memcpy(to->address, d.address, sizeof to->address);
	memcpy(to->border, d.border, sizeof to->border);
	to->filter = d.filter;
	to->read = !(d.flags & 1);
	to->normalized = (d.flags & 2) != 0;
	to->srgb = (d.flags & 0x10) != 0;
	to->seamless = (d.flags & 0x40) != 0;
	to->anisotropy = d.anisotropy;
	to->mipmap_filter = d.mipmap_filter;
	to->level_bias = d.level_bias;
	to->lowest_level = d.lowest_level;
	to->highest_level = d.highest_level;
	return RT_OK;
}

int rt_cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct rt_channels *channels, int device)
{
	enum { MOST = 1 << 27 };
	int format, most;
	u32 count;

	if (!width || !channels || !take_channels(channels, &format, &count) || !count)
		return RT_INVALID_VALUE;
	const int result = cuDeviceGetAttribute(&most, 69, device);
	if (!result)
		*width = (size_t)most < MOST ? (size_t)most : MOST;
	return result;
}

/* --- Streams and events that are plainer than the driver's ------------------------------------------------------------- */

int rt_cudaStreamCreate(struct cu_stream **p_stream) { return cuStreamCreate(p_stream, 0); }
int rt_cudaEventCreate(struct cu_event **event) { return cuEventCreate(event, 0); }
