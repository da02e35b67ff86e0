/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches, functions and their attributes, occupancy.
 *
 * Kernels come as addresses of host functions (the stubs that nvcc writes); rt_kernel in register.c finds the driver's
 * handle and loads the image at the first use. The rest is a change of layout and one call of the driver.
 */
#include <string.h>

#include "cuda/runtime/runtime.h"

#define EXPORT __attribute__((visibility("default")))

/* The driver counts bytes of dynamic shared memory in 32 bits. */
int rt_cudaLaunchKernel(const void *func, struct rt_dim3 g, struct rt_dim3 b, void **args, size_t shared,
			struct cu_stream *stream)
{
	struct cu_function *f;
	int result = rt_load_managed();

	if (!result)
		result = rt_kernel(func, &f);
	if (result)
		return result;
	if (shared > UINT32_MAX)
		return RT_INVALID_VALUE;
	return cuLaunchKernel(f, g.x, g.y, g.z, b.x, b.y, b.z, (u32)shared, STREAM(stream), args, NULL);
}

/* What nvcc 13 makes host code call: kernels by handles. */
EXPORT int __cudaGetKernel(struct cu_function **kernel, const void *host);
int __cudaGetKernel(struct cu_function **kernel, const void *host)
{
	const int result = rt_begin();

	return rt_end(result ? result : rt_kernel(host, kernel));
}

/* These are exported by hand, not through calls.inc, since they are not in the documented interface; so they call
 * rt_begin and rt_end themselves. */
EXPORT int __cudaLaunchKernel(struct cu_function *kernel, struct rt_dim3 g, struct rt_dim3 b, void **args,
			      size_t shared, struct cu_stream *stream);
int __cudaLaunchKernel(struct cu_function *kernel, struct rt_dim3 g, struct rt_dim3 b, void **args, size_t shared,
		       struct cu_stream *stream)
{
	int result = rt_begin();

	if (!result)
		result = rt_load_managed();
	return rt_end(result ? result
		      : shared > UINT32_MAX
			      ? RT_INVALID_VALUE
			      : cuLaunchKernel(kernel, g.x, g.y, g.z, b.x, b.y, b.z, (u32)shared, stream, args, NULL));
}

/* For host code compiled with --default-stream per-thread. */
EXPORT int __cudaLaunchKernel_ptsz(struct cu_function *kernel, struct rt_dim3 g, struct rt_dim3 b, void **args,
				   size_t shared, struct cu_stream *stream);
int __cudaLaunchKernel_ptsz(struct cu_function *kernel, struct rt_dim3 g, struct rt_dim3 b, void **args, size_t shared,
			    struct cu_stream *stream)
{
	return __cudaLaunchKernel(kernel, g, b, args, shared, stream ? stream : CU_STREAM_IS_PER_THREAD);
}

EXPORT int __cudaGetProcAddress(const char *symbol, void **pfn, int version, u64 flags, int *status);
int __cudaGetProcAddress(const char *symbol, void **pfn, int version, u64 flags, int *status)
{
	return cuGetProcAddress_v2(symbol, pfn, version, flags, status);
}

int rt_cudaLaunchCooperativeKernel(const void *func, struct rt_dim3 g, struct rt_dim3 b, void **args, size_t shared,
				   struct cu_stream *stream)
{
	struct cu_function *f;
	const int result = rt_kernel(func, &f);

	return result ? result
		      : cuLaunchCooperativeKernel(f, g.x, g.y, g.z, b.x, b.y, b.z, (u32)shared, STREAM(stream), args);
}

/* The attributes have the same layout in both interfaces and are handed on as they are. */
static struct cu_launch_config driver_config(const struct rt_config *c)
{
	return (struct cu_launch_config){.grid = {c->grid.x, c->grid.y, c->grid.z},
					 .block = {c->block.x, c->block.y, c->block.z},
					 .shared_bytes = (u32)c->shared,
					 .stream = STREAM(c->stream),
					 .attributes = c->attributes,
					 .attribute_count = c->attribute_count};
}

int rt_cudaLaunchKernelExC(const struct rt_config *config, const void *func, void **args)
{
	struct cu_function *f;

	if (!config)
		return RT_INVALID_VALUE;
	const struct cu_launch_config c = driver_config(config);
	const int result = rt_kernel(func, &f);
	return result ? result : cuLaunchKernelEx(&c, f, args, NULL);
}

/* --- Functions ------------------------------------------------------------------------------------------- */

/* The driver's attributes 0 to 15, in the runtime's struct. */
int rt_cudaFuncGetAttributes(struct rt_attributes *attr, const void *func)
{
	struct cu_function *f;
	int v[16] = {0};

	if (!attr)
		return RT_INVALID_VALUE;
	int result = rt_kernel(func, &f);
	for (int k = 0; k < 16 && !result; k++)
		result = cuFuncGetAttribute(&v[k], k, f);
	if (result)
		return result;
	memset(attr, 0, sizeof *attr);
	attr->max_threads = v[0];
	attr->shared = (size_t)v[1];
	attr->constant = (size_t)v[2];
	attr->local = (size_t)v[3];
	attr->registers = v[4];
	attr->ptx_version = v[5];
	attr->binary_version = v[6];
	attr->cache_mode = v[7];
	attr->max_dynamic = v[8];
	attr->carveout = v[9];
	attr->cluster_must = v[10];
	memcpy(attr->cluster, &v[11], sizeof attr->cluster);
	attr->cluster_any = v[14];
	attr->cluster_policy = v[15];
	return RT_OK;
}

int rt_cudaFuncSetAttribute(const void *func, int attr, int value)
{
	struct cu_function *f;
	const int result = rt_kernel(func, &f);

	return result ? result : cuFuncSetAttribute(f, attr, value);
}

int rt_cudaFuncSetCacheConfig(const void *func, int cache_config)
{
	struct cu_function *f;
	const int result = rt_kernel(func, &f);

	return result ? result : cuFuncSetCacheConfig(f, cache_config);
}
int rt_cudaFuncSetSharedMemConfig(const void *func, int config) { return rt_cudaFuncSetCacheConfig(func, config); }

int rt_cudaFuncGetName(const char **name, const void *func)
{
	struct cu_function *f;
	const int result = rt_kernel(func, &f);

	return result ? result : cuFuncGetName(name, f);
}

int rt_cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *size)
{
	struct cu_function *f;
	const int result = rt_kernel(func, &f);

	return result ? result : cuFuncGetParamInfo(f, index, offset, size);
}

int rt_cudaGetFuncBySymbol(struct cu_function **function, const void *symbol)
{
	struct cu_function *k;
	const int result = function ? rt_kernel(symbol, &k) : RT_INVALID_VALUE;

	return result ? result : cuKernelGetFunction(function, k);
}

int rt_cudaGetKernel(struct cu_function **kernel, const void *entry)
{
	return kernel ? rt_kernel(entry, kernel) : RT_INVALID_VALUE;
}

/* Here the handle is the driver's already, from cudaGetKernel. */
int rt_cudaKernelSetAttributeForDevice(struct cu_function *kernel, int attr, int value, int device)
{
	return cuKernelSetAttribute(attr, value, kernel, device);
}

/* --- Occupancy -------------------------------------------------------------------------------------------- */

int rt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int block, size_t dynamic,
							      u32 flags)
{
	struct cu_function *f;
	const int result = rt_kernel(func, &f);

	return result ? result : cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, block, dynamic, flags);
}
int rt_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int block, size_t dynamic)
{
	return rt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, block, dynamic, 0);
}

int rt_cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks, int block)
{
	struct cu_function *f;
	const int result = rt_kernel(func, &f);

	return result ? result : cuOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, block);
}

int rt_cudaOccupancyMaxPotentialClusterSize(int *size, const void *func, const struct rt_config *config)
{
	struct cu_function *f;

	if (!config)
		return RT_INVALID_VALUE;
	const struct cu_launch_config c = driver_config(config);
	const int result = rt_kernel(func, &f);
	return result ? result : cuOccupancyMaxPotentialClusterSize(size, f, &c);
}

int rt_cudaOccupancyMaxActiveClusters(int *clusters, const void *func, const struct rt_config *config)
{
	struct cu_function *f;

	if (!config)
		return RT_INVALID_VALUE;
	const struct cu_launch_config c = driver_config(config);
	const int result = rt_kernel(func, &f);
	return result ? result : cuOccupancyMaxActiveClusters(clusters, f, &c);
}

/* --- Nodes of graphs that name kernels ---------------------------------------------------------------------- */

/* As driver_params of graph.c for this kind, from the older struct that has no type in front. */
static int driver_node(const struct rt_kernel_node *n, struct cu_kernel_node *to)
{
	if (!n)
		return RT_INVALID_VALUE;
	*to = (struct cu_kernel_node){.grid = {n->grid.x, n->grid.y, n->grid.z},
				      .block = {n->block.x, n->block.y, n->block.z},
				      .shared_bytes = n->shared,
				      .params = n->params,
				      .extra = n->extra};
	return rt_kernel(n->function, &to->function);
}

int rt_cudaGraphAddKernelNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
			      const struct rt_kernel_node *node)
{
	struct cu_kernel_node n;
	const int result = driver_node(node, &n);

	return result ? result : cuGraphAddKernelNode_v2(made, g, needs, count, &n);
}

int rt_cudaGraphKernelNodeSetParams(struct cu_node *h, const struct rt_kernel_node *node)
{
	struct cu_kernel_node n;
	const int result = driver_node(node, &n);

	return result ? result : cuGraphKernelNodeSetParams_v2(h, &n);
}

int rt_cudaGraphExecKernelNodeSetParams(struct cu_exec *x, struct cu_node *h, const struct rt_kernel_node *node)
{
	struct cu_kernel_node n;
	const int result = driver_node(node, &n);

	return result ? result : cuGraphExecKernelNodeSetParams_v2(x, h, &n);
}

int rt_cudaGraphKernelNodeGetParams(struct cu_node *h, struct rt_kernel_node *to)
{
	struct cu_kernel_node n;
	const int result = to ? cuGraphKernelNodeGetParams_v2(h, &n) : RT_INVALID_VALUE;

	if (!result)
		*to = (struct rt_kernel_node){.function = rt_host_function(n.function),
					      .grid = {n.grid[0], n.grid[1], n.grid[2]},
					      .block = {n.block[0], n.block[1], n.block[2]},
					      .shared = n.shared_bytes,
					      .params = n.params};
	return result;
}
