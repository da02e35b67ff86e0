/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver interface's types as its calls pass them: layouts and values of CUDA's documented interface (CUDA Driver
 * API 13.0, "Data types"), under names of our own, so that the build needs no CUDA header. tests/cuda compares them
 * with cuda.h where a toolkit is found.
 */
#ifndef PTXSIM_CUDA_DRIVER_TYPES_H
#define PTXSIM_CUDA_DRIVER_TYPES_H

#include <stddef.h>

#include "base/types.h"

struct cu_context;
struct cu_module;
struct cu_library;
struct cu_function;
struct cu_stream;
struct cu_event;
struct cu_array;
struct cu_mipmap;
struct cu_graph;
struct cu_node;
struct cu_exec;
struct cu_pool;
struct cu_link;
struct cu_texref;
struct cu_user_object;
struct cu_stream_operation;
struct cu_resources;
struct cu_green;
struct cu_notification;

/* CUresult, as far as the library gives them. */
enum {
	CU_OK = 0,
	CU_INVALID_VALUE = 1,
	CU_OUT_OF_MEMORY = 2,
	CU_NOT_INITIALIZED = 3,
	CU_INVALID_DEVICE = 101,
	CU_INVALID_IMAGE = 200,
	CU_INVALID_CONTEXT = 201,
	CU_NO_BINARY = 209,
	CU_UNSUPPORTED_LIMIT = 215,
	CU_PEER_UNSUPPORTED = 217,
	CU_INVALID_PTX = 218,
	CU_UNSUPPORTED_PTX_VERSION = 222,
	CU_UNSUPPORTED_AFFINITY = 224,
	CU_INVALID_SOURCE = 300,
	CU_FILE_NOT_FOUND = 301,
	CU_INVALID_HANDLE = 400,
	CU_ILLEGAL_STATE = 401,
	CU_NOT_FOUND = 500,
	CU_NOT_READY = 600,
	CU_ILLEGAL_ADDRESS = 700,
	CU_LAUNCH_OUT_OF_RESOURCES = 701,
	CU_LAUNCH_TIMEOUT = 702,
	CU_PEER_ALREADY = 704,
	CU_PEER_NOT_ENABLED = 705,
	CU_PRIMARY_ACTIVE = 708,
	CU_CONTEXT_DESTROYED = 709,
	CU_ASSERT = 710,
	CU_ALREADY_REGISTERED = 712,
	CU_NOT_REGISTERED = 713,
	CU_ILLEGAL_INSTRUCTION = 715,
	CU_MISALIGNED = 716,
	CU_INVALID_SPACE = 717,
	CU_INVALID_PC = 718,
	CU_LAUNCH_FAILED = 719,
	CU_COOPERATIVE_TOO_LARGE = 720,
	CU_NOT_PERMITTED = 800,
	CU_NOT_SUPPORTED = 801,
	CU_CAPTURE_UNSUPPORTED = 900,
	CU_CAPTURE_INVALIDATED = 901,
	CU_CAPTURE_UNMATCHED = 903,
	CU_CAPTURE_UNJOINED = 904,
	CU_CAPTURE_ISOLATION = 905,
	CU_CAPTURE_IMPLICIT = 906,
	CU_CAPTURED_EVENT = 907,
	CU_CAPTURE_WRONG_THREAD = 908,
	CU_GRAPH_UPDATE_FAILURE = 910,
	CU_INVALID_CLUSTER = 912,
	CU_INVALID_RESOURCE_TYPE = 914,
	CU_INVALID_RESOURCES = 915,
	CU_UNKNOWN = 999,
};

/* What a stream handle may be beside a stream. */
#define CU_STREAM_IS_LEGACY     ((struct cu_stream *)1)
#define CU_STREAM_IS_PER_THREAD ((struct cu_stream *)2)

enum { CU_MEMORY_HOST = 1, CU_MEMORY_DEVICE = 2, CU_MEMORY_ARRAY = 3, CU_MEMORY_UNIFIED = 4 };

struct cu_uuid {
	u8 bytes[16];
};

struct cu_device_properties {
	int max_threads, max_threads_dim[3], max_grid[3], shared_block, constant, warp, pitch, registers, clock,
		texture_align;
};

struct cu_location {
	int type; /* 0: none, 1: device, 2: host, 3: host NUMA node, 4: the current one */
	int id;
};

struct cu_copy_2d {
	size_t src_x, src_y;
	int src_type;
	const void *src_host;
	u64 src_device;
	struct cu_array *src_array;
	size_t src_pitch, dst_x, dst_y;
	int dst_type;
	void *dst_host;
	u64 dst_device;
	struct cu_array *dst_array;
	size_t dst_pitch, width, height;
};

/* CUDA_MEMCPY3D, and CUDA_MEMCPY3D_PEER with contexts. */
struct cu_copy_3d {
	size_t src_x, src_y, src_z, src_lod;
	int src_type;
	const void *src_host;
	u64 src_device;
	struct cu_array *src_array;
	void *src_context;
	size_t src_pitch, src_height, dst_x, dst_y, dst_z, dst_lod;
	int dst_type;
	void *dst_host;
	u64 dst_device;
	struct cu_array *dst_array;
	void *dst_context;
	size_t dst_pitch, dst_height, width, height, depth;
};

struct cu_array_2d {
	size_t width, height;
	int format;
	u32 channels;
};

struct cu_array_3d {
	size_t width, height, depth;
	int format;
	u32 channels, flags;
};

struct cu_resource {
	int type; /* 0: array, 1: mipmapped array, 2: linear, 3: pitched */
	union {
		struct cu_array *array;
		struct cu_mipmap *mipmap;
		struct {
			u64 at;
			int format;
			u32 channels;
			size_t bytes;
		} linear;
		struct {
			u64 at;
			int format;
			u32 channels;
			size_t width, height, pitch;
		} pitched;
		int reserved[32];
	};
	u32 flags;
};

struct cu_texture_description {
	int address[3], filter;
	u32 flags, anisotropy;
	int mipmap_filter;
	float level_bias, lowest_level, highest_level, border[4];
	int reserved[12];
};

struct cu_resource_view {
	int format;
	size_t width, height, depth;
	u32 first_level, last_level, first_layer, last_layer, reserved[16];
};

struct cu_launch_attribute {
	int id;
	char pad[4];
	union {
		char bytes[64];
		int integer;
		u32 cluster[3];
		struct {
			struct cu_event *event;
			int flags, trigger;
		} programmatic;
	};
};

struct cu_launch_config {
	u32 grid[3], block[3], shared_bytes;
	struct cu_stream *stream;
	struct cu_launch_attribute *attributes;
	u32 attribute_count;
};

struct cu_kernel_node {
	struct cu_function *function;
	u32 grid[3], block[3], shared_bytes;
	void **params, **extra;
	struct cu_function *kernel;
	struct cu_context *context;
};

struct cu_memset_node {
	u64 at;
	size_t pitch;
	u32 value, element_bytes;
	size_t width, height;
};

typedef void cu_host_fn(void *data);
/* CUlogsCallback */
typedef void cu_log_fn(void *data, int level, char *text, size_t length);
struct cu_log_callback;

struct cu_host_node {
	cu_host_fn *function;
	void *data;
};

struct cu_pool_properties {
	int type, handle_types;
	struct cu_location location;
	void *security;
	size_t most;
	u16 usage;
	u8 reserved[54];
};

/* CUmemPoolPtrExportData */
struct cu_pool_pointer {
	u8 bytes[64];
};

/* CUDA_MEM_ALLOC_NODE_PARAMS */
struct cu_alloc_node {
	struct cu_pool_properties pool;
	const struct cu_access *access;
	size_t access_count, bytes;
	u64 address;
};

struct cu_conditional_node {
	u64 handle;
	int type; /* 0: if, 1: while, 2: switch */
	u32 size;
	struct cu_graph **bodies;
	struct cu_context *context;
};

enum {
	NODE_KERNEL,
	NODE_MEMCPY,
	NODE_MEMSET,
	NODE_HOST,
	NODE_GRAPH,
	NODE_EMPTY,
	NODE_WAIT,
	NODE_RECORD,
	NODE_ALLOCATE = 10,
	NODE_FREE,
	NODE_BATCH,
	NODE_CONDITION
};

/* CUDA_BATCH_MEM_OP_NODE_PARAMS */
struct cu_batch_node {
	struct cu_context *context;
	u32 count;
	struct cu_stream_operation *list;
	u32 flags;
};

/* CUgraphNodeParams */
struct cu_node_params {
	int type, reserved[3];
	union {
		struct cu_kernel_node kernel;
		struct {
			int flags, reserved;
			struct cu_context *context;
			struct cu_copy_3d copy;
		} memcpy;
		struct cu_memset_node memset;
		struct cu_host_node host;
		struct cu_graph *graph;
		struct cu_event *event;
		struct cu_alloc_node allocate;
		u64 address;
		struct cu_conditional_node conditional;
		struct cu_batch_node batch;
		u64 room[29];
	};
	u64 reserved_2;
};

struct cu_allocation_properties {
	int type, handle_types;
	struct cu_location location;
	void *security;
	u8 compression, rdma;
	u16 usage;
	u8 reserved[4];
};

/* CUipcMemHandle, CUipcEventHandle */
struct cu_ipc_handle {
	u64 words[8];
};

struct cu_access {
	struct cu_location location;
	int flags;
};

/* CUmemcpy3DOperand and CUDA_MEMCPY3D_BATCH_OP: sizes in elements. */
struct cu_copy_operand {
	int type; /* 1: pointer, 2: array */
	union {
		struct {
			u64 at;
			size_t row, layer; /* length and height; 0: as the copy's */
			struct cu_location hint;
		} pointer;
		struct {
			struct cu_array *array;
			size_t at[3];
		} array;
	};
};
struct cu_copy_batch {
	struct cu_copy_operand src, dst;
	size_t width, height, depth;
	int order;
	u32 flags;
};

/* CUdevResource. The padding is the library's: what the resource is a part of. */
struct cu_resource_part {
	int type; /* 1: multiprocessors */
	int device;
	u64 split; /* of which call it came; 0: of none */
	u8 padding[80];
	u32 sms, least, alignment;
	u8 room[36];
};

typedef void cu_stream_fn(struct cu_stream *stream, int status, void *data);
typedef size_t cu_block_to_shared_fn(int block);

#endif
