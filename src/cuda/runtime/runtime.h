/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime interface over the driver's: what its files share. Layouts are those of CUDA's documented interface (CUDA
 * Runtime API 13.0, "Data types"), under names of our own.
 */
#ifndef PTXSIM_CUDA_RUNTIME_RUNTIME_H
#define PTXSIM_CUDA_RUNTIME_RUNTIME_H

#include "cuda/driver/types.h"

#ifndef CUDART_MAJOR
#define CUDART_MAJOR 13
#endif

struct rt_dim3 {
	u32 x, y, z;
};
struct rt_extent { /* of positions too */
	size_t x, y, z;
};
struct rt_pitched {
	void *at;
	size_t pitch, width, height;
};
struct rt_channels {
	int x, y, z, w, kind; /* bits; 0: signed, 1: unsigned, 2: float */
};
struct rt_pointer {
	int type, device;
	void *device_pointer, *host_pointer;
#if CUDART_MAJOR >= 13
	long reserved[8];
#endif
};
/* cudaFuncAttributes; sizes in bytes, versions as major * 10 + minor. */
struct rt_attributes {
	size_t shared, constant, local;
	int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic, carveout, cluster_must,
		cluster[3], cluster_policy, cluster_any, reserved[16];
};
/* cudaMemcpy3DParms: either side is an array or pitched memory. The extent is in elements where an array takes part,
 * else in bytes. */
struct rt_copy_3d {
	struct cu_array *src_array;
	struct rt_extent src_at;
	struct rt_pitched src;
	struct cu_array *dst_array;
	struct rt_extent dst_at;
	struct rt_pitched dst;
	struct rt_extent extent;
	int kind;
};
struct rt_copy_peer {
	struct cu_array *src_array;
	struct rt_extent src_at;
	struct rt_pitched src;
	int src_device;
	struct cu_array *dst_array;
	struct rt_extent dst_at;
	struct rt_pitched dst;
	int dst_device;
	struct rt_extent extent;
};
/* cudaResourceDesc: what a texture or surface object reads. */
struct rt_resource {
	int type;
	union {
		struct cu_array *array;
		struct cu_mipmap *mipmap;
		struct {
			void *at;
			struct rt_channels channels;
			size_t bytes;
		} linear;
		struct {
			void *at;
			struct rt_channels channels;
			size_t width, height, pitch;
		} pitched;
		int reserved[32];
	};
	u32 flags;
};
/* cudaTextureDesc: how it is read. */
struct rt_texture {
	int address[3], filter, read, srgb;
	float border[4];
	int normalized;
	u32 anisotropy;
	int mipmap_filter;
	float level_bias, lowest_level, highest_level;
	int no_trilinear, seamless;
};
/* cudaLaunchConfig_t. */
struct rt_config {
	struct rt_dim3 grid, block;
	size_t shared;
	struct cu_stream *stream;
	struct cu_launch_attribute *attributes;
	u32 attribute_count;
};
struct rt_memset_node {
	void *at;
	size_t pitch;
	u32 value, element;
	size_t width, height;
};
struct rt_kernel_node {
	void *function;
	struct rt_dim3 grid, block;
	u32 shared;
	void **params, **extra;
};

/* cudaGraphNodeParams */
struct rt_node_params {
	int type, reserved[3];
	union {
		struct rt_kernel_node kernel;
		struct {
			int flags, reserved[3];
			struct rt_copy_3d copy;
		} memcpy;
		struct rt_memset_node memset;
		struct cu_host_node host;
		struct cu_graph *graph;
		struct cu_event *event;
		struct cu_alloc_node allocate;
		u64 address;
		struct cu_conditional_node conditional;
		u64 room[29];
	};
	u64 reserved_2;
};

enum { COPY_HOST_HOST, COPY_HOST_DEVICE, COPY_DEVICE_HOST, COPY_DEVICE_DEVICE, COPY_DEFAULT };
enum {
	RT_OK = 0,
	RT_INVALID_VALUE = 1,
	RT_INVALID_SYMBOL = 13,
	RT_INVALID_DIRECTION = 21,
	RT_UNAVAILABLE = 46,
	RT_INVALID_FUNCTION = 98,
	RT_INVALID_DEVICE = 101,
	RT_INVALID_HANDLE = 400
};

#define ADDRESS(p) ((u64)(uintptr_t)(p))

/* Of the calling thread. */
struct rt_thread {
	int error; /* the last one */
	int device;
	bool own_stream; /* the call that runs means the thread's own default stream */
	u32 depth;
	struct {
		struct rt_dim3 grid, block;
		size_t shared;
		struct cu_stream *stream;
	} configurations[8];
};
extern __thread struct rt_thread rt_self;

/* The driver's stream for a handle. */
static inline struct cu_stream *STREAM(struct cu_stream *s)
{
	return s || !rt_self.own_stream ? s : CU_STREAM_IS_PER_THREAD;
}

/* Makes sure that the thread has a current context. */
int rt_begin(void);
/* Keeps an error as the thread's last one. */
int rt_end(int result);
/* The kernel that stands behind a host function, or one given as a kernel itself. */
int rt_kernel(const void *host, struct cu_function **kernel);
/* The host function that stands for a kernel; the kernel itself if there is none. */
void *rt_host_function(struct cu_function *kernel);
/* The variable that stands behind a host symbol. */
int rt_symbol(const void *host, u64 *address, size_t *bytes);
/* Loads what has managed variables, before anything can touch them. */
int rt_load_managed(void);
/* A copy as the driver takes it; RT_OK or why not. And back. */
int rt_driver_copy(const struct rt_copy_3d *p, struct cu_copy_3d *c);
void rt_runtime_copy(const struct cu_copy_3d *c, struct rt_copy_3d *p);

/* The driver's symbols. */
#define CALL(symbol, handler, version, needs, params, args, format) int symbol params;
#define ABSENT(symbol, version)
#include "cuda/driver/calls.inc"
#undef CALL
#undef ABSENT
/* The handlers. */
#define CALL(symbol, handler, own, params, args) int rt_##handler params;
#define PLAIN(symbol, handler, params, args)     int rt_##handler params;
#define PASS(symbol, own, params, call)
#define ABSENT(symbol)
#include "cuda/runtime/calls.inc"
#undef CALL
#undef PLAIN
#undef PASS
#undef ABSENT

#endif
