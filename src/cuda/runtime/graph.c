/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes of graphs, as the runtime interface describes them.
 *
 * Each call translates the runtime's struct to the driver's (cuda/driver/types.h) and calls the driver, which checks
 * handles and keeps the parameters; nothing of a graph is kept here. Handles of graphs and nodes are the driver's own.
 * Nodes that name kernels are in launch.c, beside the lookup of host functions.
 */
#include <string.h>

#include "cuda/runtime/runtime.h"

/* The two structs differ in the order of their fields. */
static struct cu_memset_node driver_fill(const struct rt_memset_node *n)
{
	return (struct cu_memset_node){ADDRESS(n->at), n->pitch, n->value, n->element, n->width, n->height};
}

int rt_cudaGraphAddMemsetNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
			      const struct rt_memset_node *node)
{
	if (!node)
		return RT_INVALID_VALUE;
	const struct cu_memset_node n = driver_fill(node);
	return cuGraphAddMemsetNode(made, g, needs, count, &n, NULL);
}
int rt_cudaGraphMemsetNodeSetParams(struct cu_node *h, const struct rt_memset_node *node)
{
	if (!node)
		return RT_INVALID_VALUE;
	const struct cu_memset_node n = driver_fill(node);
	return cuGraphMemsetNodeSetParams(h, &n);
}
int rt_cudaGraphExecMemsetNodeSetParams(struct cu_exec *x, struct cu_node *h, const struct rt_memset_node *node)
{
	if (!node)
		return RT_INVALID_VALUE;
	const struct cu_memset_node n = driver_fill(node);
	return cuGraphExecMemsetNodeSetParams(x, h, &n, NULL);
}

int rt_cudaGraphAddMemcpyNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
			      const struct rt_copy_3d *p)
{
	struct cu_copy_3d c;
	const int result = rt_driver_copy(p, &c);

	return result ? result : cuGraphAddMemcpyNode(made, g, needs, count, &c, NULL);
}

/* A copy of bytes as one row. */
static struct rt_copy_3d line(void *dst, const void *src, size_t count, int kind)
{
	return (struct rt_copy_3d){.src = {(void *)(uintptr_t)src, count, count, 1},
				   .dst = {dst, count, count, 1},
				   .extent = {count, 1, 1},
				   .kind = kind};
}

int rt_cudaGraphAddMemcpyNode1D(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
				void *dst, const void *src, size_t bytes, int kind)
{
	const struct rt_copy_3d p = line(dst, src, bytes, kind);

	return rt_cudaGraphAddMemcpyNode(made, g, needs, count, &p);
}
int rt_cudaGraphExecMemcpyNodeSetParams1D(struct cu_exec *x, struct cu_node *h, void *dst, const void *src,
					  size_t count, int kind)
{
	const struct rt_copy_3d p = line(dst, src, count, kind);
	struct cu_copy_3d c;
	const int result = rt_driver_copy(&p, &c);

	return result ? result : cuGraphExecMemcpyNodeSetParams(x, h, &c, NULL);
}
int rt_cudaGraphMemcpyNodeSetParams1D(struct cu_node *h, void *dst, const void *src, size_t count, int kind)
{
	const struct rt_copy_3d p = line(dst, src, count, kind);
	struct cu_copy_3d c;
	const int result = rt_driver_copy(&p, &c);

	return result ? result : cuGraphMemcpyNodeSetParams(h, &c);
}

int rt_cudaGraphMemsetNodeGetParams(struct cu_node *h, struct rt_memset_node *to)
{
	struct cu_memset_node n;
	const int result = to ? cuGraphMemsetNodeGetParams(h, &n) : RT_INVALID_VALUE;

	if (!result)
		*to = (struct rt_memset_node){(void *)(uintptr_t)n.at, n.pitch, n.value,
					      n.element_bytes,         n.width, n.height};
	return result;
}

/* The other way than rt_driver_copy: for programs that ask a node for its parameters. */
void rt_runtime_copy(const struct cu_copy_3d *c, struct rt_copy_3d *p)
{
	const void *from = c->src_type == CU_MEMORY_HOST ? c->src_host : (void *)(uintptr_t)c->src_device;
	void *to = c->dst_type == CU_MEMORY_HOST ? c->dst_host : (void *)(uintptr_t)c->dst_device;
	const bool host_from = c->src_type == CU_MEMORY_HOST, host_to = c->dst_type == CU_MEMORY_HOST;

	*p = (struct rt_copy_3d){.src_array = c->src_array,
				 .src_at = {c->src_x, c->src_y, c->src_z},
				 .src = {(void *)(uintptr_t)from, c->src_pitch, c->width, c->src_height},
				 .dst_array = c->dst_array,
				 .dst_at = {c->dst_x, c->dst_y, c->dst_z},
				 .dst = {to, c->dst_pitch, c->width, c->dst_height},
				 .extent = {c->width, c->height, c->depth},
				 .kind = host_from ? (host_to ? COPY_HOST_HOST : COPY_HOST_DEVICE)
					 : host_to ? COPY_DEVICE_HOST
						   : COPY_DEVICE_DEVICE};
}

int rt_cudaGraphMemcpyNodeGetParams(struct cu_node *h, struct rt_copy_3d *to)
{
	struct cu_copy_3d c;
	const int result = to ? cuGraphMemcpyNodeGetParams(h, &c) : RT_INVALID_VALUE;

	if (!result)
		rt_runtime_copy(&c, to);
	return result;
}
int rt_cudaGraphMemcpyNodeSetParams(struct cu_node *h, const struct rt_copy_3d *p)
{
	struct cu_copy_3d c;
	const int result = rt_driver_copy(p, &c);

	return result ? result : cuGraphMemcpyNodeSetParams(h, &c);
}
int rt_cudaGraphExecMemcpyNodeSetParams(struct cu_exec *x, struct cu_node *h, const struct rt_copy_3d *p)
{
	struct cu_copy_3d c;
	const int result = rt_driver_copy(p, &c);

	return result ? result : cuGraphExecMemcpyNodeSetParams(x, h, &c, NULL);
}

/* Copies that name a symbol: its address and an offset, which with `count` must stay inside the variable. The test is
 * written so that no sum can wrap. */
static int symbol_at(const void *symbol, size_t offset, size_t count, void **at)
{
	u64 address;
	size_t bytes;
	const int result = rt_symbol(symbol, &address, &bytes);

	if (result)
		return result;
	*at = (void *)(uintptr_t)(address + offset);
	return offset > bytes || count > bytes - offset ? RT_INVALID_VALUE : RT_OK;
}

int rt_cudaGraphAddMemcpyNodeToSymbol(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t n,
				      const void *symbol, const void *src, size_t count, size_t offset, int kind)
{
	void *at;
	const int result = symbol_at(symbol, offset, count, &at);

	return result ? result : rt_cudaGraphAddMemcpyNode1D(made, g, needs, n, at, src, count, kind);
}
int rt_cudaGraphAddMemcpyNodeFromSymbol(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t n,
					void *dst, const void *symbol, size_t count, size_t offset, int kind)
{
	void *at;
	const int result = symbol_at(symbol, offset, count, &at);

	return result ? result : rt_cudaGraphAddMemcpyNode1D(made, g, needs, n, dst, at, count, kind);
}
int rt_cudaGraphMemcpyNodeSetParamsToSymbol(struct cu_node *h, const void *symbol, const void *src, size_t count,
					    size_t offset, int kind)
{
	void *at;
	const int result = symbol_at(symbol, offset, count, &at);

	return result ? result : rt_cudaGraphMemcpyNodeSetParams1D(h, at, src, count, kind);
}
int rt_cudaGraphMemcpyNodeSetParamsFromSymbol(struct cu_node *h, void *dst, const void *symbol, size_t count,
					      size_t offset, int kind)
{
	void *at;
	const int result = symbol_at(symbol, offset, count, &at);

	return result ? result : rt_cudaGraphMemcpyNodeSetParams1D(h, dst, at, count, kind);
}
int rt_cudaGraphExecMemcpyNodeSetParamsToSymbol(struct cu_exec *x, struct cu_node *h, const void *symbol,
						const void *src, size_t count, size_t offset, int kind)
{
	void *at;
	const int result = symbol_at(symbol, offset, count, &at);

	return result ? result : rt_cudaGraphExecMemcpyNodeSetParams1D(x, h, at, src, count, kind);
}
int rt_cudaGraphExecMemcpyNodeSetParamsFromSymbol(struct cu_exec *x, struct cu_node *h, void *dst, const void *symbol,
						  size_t count, size_t offset, int kind)
{
	void *at;
	const int result = symbol_at(symbol, offset, count, &at);

	return result ? result : rt_cudaGraphExecMemcpyNodeSetParams1D(x, h, dst, at, count, kind);
}

/* --- Nodes of any kind ------------------------------------------------------------------------------------- */

/* Kinds whose parameters look the same in both interfaces are copied as they are. */
static int driver_params(const struct rt_node_params *p, struct cu_node_params *to)
{
	memset(to, 0, sizeof *to);
	to->type = p->type;
	switch (p->type) {
	case NODE_KERNEL:
		to->kernel = (struct cu_kernel_node){.grid = {p->kernel.grid.x, p->kernel.grid.y, p->kernel.grid.z},
						     .block = {p->kernel.block.x, p->kernel.block.y, p->kernel.block.z},
						     .shared_bytes = p->kernel.shared,
						     .params = p->kernel.params,
						     .extra = p->kernel.extra};
		return rt_kernel(p->kernel.function, &to->kernel.function);
	case NODE_MEMCPY:
		return rt_driver_copy(&p->memcpy.copy, &to->memcpy.copy);
	case NODE_MEMSET:
		to->memset = driver_fill(&p->memset);
		return RT_OK;
	default:
		memcpy(to->room, p->room, sizeof to->room);
		return RT_OK;
	}
}

static int add_node(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
		    struct rt_node_params *p)
{
	struct cu_node_params d;
	int result = p ? driver_params(p, &d) : RT_INVALID_VALUE;

	if (!result)
		result = cuGraphAddNode(made, g, needs, count, &d);
	if (result)
		return result;
	/* What the call gives back. */
	if (p->type == NODE_ALLOCATE)
		p->allocate.address = d.allocate.address;
	else if (p->type == NODE_CONDITION)
		p->conditional.bodies = d.conditional.bodies;
	return RT_OK;
}
/* The plain name has changed its meaning: since CUDA 13 it takes the edges' data, which had _v2 before. It is
 * ignored. */
#if CUDART_MAJOR >= 13
int rt_cudaGraphAddNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, const void *edges,
			size_t count, struct rt_node_params *p)
{
	(void)edges;
	return add_node(made, g, needs, count, p);
}
#else
int rt_cudaGraphAddNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
			struct rt_node_params *p)
{
	return add_node(made, g, needs, count, p);
}
int rt_cudaGraphAddNode_v2(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, const void *edges,
			   size_t count, struct rt_node_params *p)
{
	(void)edges;
	return add_node(made, g, needs, count, p);
}
#endif

int rt_cudaGraphNodeSetParams(struct cu_node *n, struct rt_node_params *p)
{
	struct cu_node_params d;
	const int result = p ? driver_params(p, &d) : RT_INVALID_VALUE;

	return result ? result : cuGraphNodeSetParams(n, &d);
}
int rt_cudaGraphExecNodeSetParams(struct cu_exec *x, struct cu_node *n, struct rt_node_params *p)
{
	struct cu_node_params d;
	const int result = p ? driver_params(p, &d) : RT_INVALID_VALUE;

	return result ? result : cuGraphExecNodeSetParams(x, n, &d);
}
