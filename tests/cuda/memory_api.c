/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's memory beyond plain allocations, without any toolkit: of graphs, in pools, and virtual. Linked with the
 * library as a program would be.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cuda/graph_fixture.h"
#include "tests/unit/main.h"

/* --- Of graphs --------------------------------------------------------------------------------------- */

START_TEST(a_graph_has_memory_of_its_own)
{
	struct fixture f = begin();
	struct cu_node *take, *fill, *give;
	struct cu_alloc_node told;
	struct cu_node_params p = {.type = NODE_ALLOCATE,
				   .allocate = {.pool = {.type = 1, .location = {1, 0}}, .bytes = 64}};
	u64 address, used = 0;

	OK(cuGraphAddNode(&take, f.graph, NULL, 0, &p));
	ck_assert_uint_ne(p.allocate.address, 0);
	address = p.allocate.address;
	OK(cuGraphMemAllocNodeGetParams(take, &told));
	ck_assert_uint_eq(told.bytes, 64);
	ck_assert_uint_eq(told.address, address);
	p = (struct cu_node_params){
		.type = NODE_MEMSET,
		.memset = {.at = address, .value = 9, .element_bytes = 4, .width = 16, .height = 1}};
	OK(cuGraphAddNode(&fill, f.graph, &take, 1, &p));
	p = (struct cu_node_params){.type = NODE_FREE, .address = address};
	OK(cuGraphAddNode(&give, f.graph, &fill, 1, &p));
	OK(cuGraphMemFreeNodeGetParams(give, &used));
	ck_assert_uint_eq(used, address);
	FAILS(cuGraphMemFreeNodeGetParams(take, &used), INVALID_VALUE);
	OK(cuDeviceGetGraphMemAttribute(0, 0, &used));
	FAILS(cuDeviceGetGraphMemAttribute(0, 4, &used), INVALID_VALUE);
	FAILS(cuDeviceGetGraphMemAttribute(7, 0, &used), INVALID_DEVICE);
	used = 0;
	OK(cuDeviceSetGraphMemAttribute(0, 1, &used));
	FAILS(cuDeviceSetGraphMemAttribute(0, 0, &used), INVALID_VALUE);
	OK(cuDeviceGraphMemTrim(0));
	FAILS(cuDeviceGraphMemTrim(7), INVALID_DEVICE);
	run_graph(f.graph);
	OK(cuGraphDestroy(f.graph));
}
END_TEST

enum { MEMORY_USED, MEMORY_USED_HIGH, MEMORY_RESERVED, MEMORY_RESERVED_HIGH };

static u64 graph_bytes(int attribute)
{
	u64 value = 99;

	OK(cuDeviceGetGraphMemAttribute(0, attribute, &value));
	return value;
}

/* A node that allocates a granule, and, of `given`, one that frees it. */
static u64 take_granule(struct cu_graph *g, struct cu_node **behind, bool given)
{
	struct cu_node *node;
	struct cu_node_params p = {.type = NODE_ALLOCATE,
				   .allocate = {.pool = {.type = 1, .location = {1, 0}}, .bytes = GRANULE}};

	OK(cuGraphAddNode(&node, g, behind && *behind ? behind : NULL, behind && *behind, &p));
	const u64 address = p.allocate.address;
	p = (struct cu_node_params){.type = NODE_FREE, .address = address};
	if (given)
		OK(cuGraphAddNode(&node, g, &node, 1, &p));
	if (behind)
		*behind = node;
	return address;
}

static struct cu_exec *granule_graph(u64 *address, bool given)
{
	struct cu_graph *g;
	struct cu_exec *x;

	OK(cuGraphCreate(&g, 0));
	*address = take_granule(g, NULL, given);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphDestroy(g));
	return x;
}

START_TEST(graphs_of_one_stream_share_what_is_mapped)
{
	struct fixture f = begin();
	u64 address[3], zero = 0;
	struct cu_exec *x[3];
	struct cu_stream *side;

	for (int k = 0; k < 3; k++)
		x[k] = granule_graph(&address[k], true);
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 0);
	ck_assert_uint_eq(graph_bytes(MEMORY_RESERVED_HIGH), 0);
	ck_assert(address[0] != address[1] && address[1] != address[2]);
	OK(cuGraphLaunch(x[0], NULL));
	OK(cuGraphLaunch(x[0], NULL));
	OK(cuGraphUpload(x[1], NULL));
	OK(cuGraphLaunch(x[1], NULL));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), GRANULE);
	OK(cuStreamCreate(&side, 1));
	OK(cuGraphUpload(x[2], side));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 2 * GRANULE);
	OK(cuCtxSynchronize());
	for (int k = 0; k < 3; k++)
		OK(cuGraphExecDestroy(x[k]));
	/* Unmapped, but still reserved. */
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 0);
	ck_assert_uint_eq(graph_bytes(MEMORY_RESERVED), 2 * GRANULE);
	OK(cuDeviceGraphMemTrim(0));
	ck_assert_uint_eq(graph_bytes(MEMORY_RESERVED), 0);
	ck_assert_uint_eq(graph_bytes(MEMORY_USED_HIGH), 2 * GRANULE);
	OK(cuDeviceSetGraphMemAttribute(0, MEMORY_USED_HIGH, &zero));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED_HIGH), 0);
	ck_assert_uint_eq(graph_bytes(MEMORY_RESERVED_HIGH), 2 * GRANULE);
	OK(cuStreamDestroy_v2(side));
	OK(cuGraphDestroy(f.graph));
}
END_TEST

START_TEST(what_a_graph_leaves_is_the_programs_to_free)
{
	struct fixture f = begin();
	u64 address[2];
	struct cu_exec *x[2];

	for (int k = 0; k < 2; k++)
		x[k] = granule_graph(&address[k], false);
	FAILS(cuMemFree_v2(address[0]), INVALID_VALUE);
	for (int k = 0; k < 2; k++)
		OK(cuGraphLaunch(x[k], NULL));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 2 * GRANULE);
	OK(cuDeviceGraphMemTrim(0));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 2 * GRANULE);
	/* It is there already. */
	FAILS(cuGraphLaunch(x[0], NULL), INVALID_VALUE);
	OK(cuMemFree_v2(address[0]));
	FAILS(cuMemFree_v2(address[0]), INVALID_VALUE);
	launch(x[0]);
	/* It stays when the graph goes. */
	OK(cuGraphExecDestroy(x[0]));
	OK(cuMemsetD32_v2(address[0], 3, 1));
	ck_assert_uint_eq(word(address[0]), 3);
	OK(cuMemFreeAsync(address[0], NULL));
	OK(cuCtxSynchronize());
	FAILS(cuMemsetD32_v2(address[0], 3, 1), INVALID_VALUE);
	OK(cuMemFreeAsync(address[1], NULL));
	FAILS(cuMemFreeAsync(address[1], NULL), INVALID_VALUE);
	OK(cuDeviceGraphMemTrim(0));
	ck_assert_uint_eq(graph_bytes(MEMORY_USED), 0);
	OK(cuGraphExecDestroy(x[1]));
	OK(cuGraphDestroy(f.graph));
}
END_TEST

START_TEST(a_graph_gives_an_address_again_behind_its_free)
{
	struct fixture f = begin();
	struct cu_node *behind = NULL;
	struct cu_exec *x;
	const u64 first = take_granule(f.graph, &behind, true);

	ck_assert_uint_eq(take_granule(f.graph, &behind, true), first);
	ck_assert_uint_ne(take_granule(f.graph, NULL, true), first);
	ck_assert_uint_eq(take_granule(f.graph, &behind, false), first);
	ck_assert_uint_ne(take_granule(f.graph, &behind, true), first);
	OK(cuGraphInstantiateWithFlags(&x, f.graph, 0));
	launch(x);
	FAILS(cuGraphLaunch(x, NULL), INVALID_VALUE);
	OK(cuMemFree_v2(first));
	launch(x);
	OK(cuGraphExecDestroy(x));
	/* With the flag the next launch frees it. */
	OK(cuGraphInstantiateWithFlags(&x, f.graph, 1));
	launch(x);
	launch(x);
	OK(cuMemFree_v2(first));
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(f.graph));
}
END_TEST

/* --- Pools and virtual memory ------------------------------------------------------------------------- */

START_TEST(pools_count_what_is_taken)
{
	const struct cu_pool_properties wanted = {.type = 1, .location = {1, 0}};
	struct cu_location device = {1, 0}, host = {2, 0};
	struct fixture f = begin();
	struct cu_pool *pool, *before, *found;
	u64 a, b, value;
	int flag = 0, access;

	OK(cuMemPoolCreate(&pool, &wanted));
	OK(cuDeviceGetMemPool(&before, 0));
	OK(cuMemSetMemPool(&device, 1, pool));
	OK(cuMemGetMemPool(&found, &device, 1));
	ck_assert_ptr_eq(found, pool);
	OK(cuMemGetDefaultMemPool(&found, &device, 1));
	ck_assert_ptr_eq(found, before);
	FAILS(cuMemGetMemPool(&found, &host, 1), NOT_SUPPORTED);
	FAILS(cuMemSetMemPool(&host, 1, pool), NOT_SUPPORTED);
	FAILS(cuMemGetDefaultMemPool(&found, &host, 1), NOT_SUPPORTED);
	FAILS(cuMemGetDefaultMemPool(&found, &device, 2), INVALID_VALUE);
	OK(cuMemPoolSetAttribute(pool, 1, &flag));
	flag = 5;
	OK(cuMemPoolGetAttribute(pool, 1, &flag));
	ck_assert_int_eq(flag, 0);
	OK(cuMemAllocAsync(&a, 1000, NULL));
	OK(cuMemAllocFromPoolAsync(&b, 3000, pool, NULL));
	OK(cuMemPoolGetAttribute(pool, 7, &value)); /* used */
	ck_assert_uint_eq(value, 4000);
	OK(cuMemFreeAsync(a, NULL));
	OK(cuMemFreeAsync(0, NULL));
	OK(cuMemPoolGetAttribute(pool, 7, &value));
	ck_assert_uint_eq(value, 3000);
	OK(cuMemPoolGetAttribute(pool, 8, &value)); /* the most */
	ck_assert_uint_eq(value, 4000);
	value = 0;
	OK(cuMemPoolSetAttribute(pool, 8, &value));
	OK(cuMemPoolGetAttribute(pool, 8, &value));
	ck_assert_uint_eq(value, 3000);
	value = 0;
	OK(cuMemPoolSetAttribute(pool, 6, &value));
	value = 1;
	FAILS(cuMemPoolSetAttribute(pool, 8, &value), INVALID_VALUE);
	FAILS(cuMemPoolGetAttribute(pool, 9, &value), INVALID_VALUE);
	OK(cuMemPoolGetAccess((void *)&access, pool, &device));
	ck_assert_int_eq(access, 3);
	OK(cuMemPoolGetAccess((void *)&access, pool, &host));
	ck_assert_int_eq(access, 0);
	OK(cuMemPoolSetAccess(pool, NULL, 0));
	OK(cuMemPoolTrimTo(pool, 0));
	OK(cuMemFreeAsync(b, NULL));
	FAILS(cuMemFreeAsync(b + 4, NULL), INVALID_VALUE);
	OK(cuMemPoolDestroy(pool));
	FAILS(cuMemPoolDestroy(before), INVALID_VALUE);
	OK(cuDeviceGetMemPool(&found, 0));
	ck_assert_ptr_eq(found, before);
	OK(cuMemFree_v2(f.at));
}
END_TEST

START_TEST(virtual_memory_is_mapped_where_it_is_wanted)
{
	const struct cu_allocation_properties device = {
		.type = 1, .handle_types = 1, .location = {1, 0}, .compression = 1};
	const struct cu_access both = {{1, 0}, 3}, none = {{1, 0}, 0};
	const struct cu_location here = {1, 0};
	struct cu_allocation_properties told;
	struct fixture f = begin();
	u64 at, handle, again, imported, flags;
	size_t granule;
	u32 n = 2;
	int file;

	OK(cuMemGetAllocationGranularity(&granule, &device, 0));
	ck_assert_uint_eq(granule, GRANULE);
	OK(cuMemAddressReserve(&at, 2 * GRANULE, 0, 0, 0));
	FAILS(cuMemAddressReserve(&at, 100, 0, 0, 0), INVALID_VALUE);
	OK(cuMemCreate(&handle, GRANULE, &device, 0));
	FAILS(cuMemCreate(&again, 100, &device, 0), INVALID_VALUE);
	OK(cuMemMap(at, GRANULE, 0, handle, 0));
	FAILS(cuMemMap(at, GRANULE, 0, handle, 0), INVALID_VALUE);
	/* The same memory at two addresses, the second by way of a file. */
	OK(cuMemExportToShareableHandle(&file, handle, 1, 0));
	FAILS(cuMemExportToShareableHandle(&file, handle, 2, 0), NOT_SUPPORTED);
	OK(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)file, 1));
	FAILS(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)STDERR_FILENO, 1), INVALID_VALUE);
	FAILS(cuMemImportFromShareableHandle(&again, NULL, 2), NOT_SUPPORTED);
	close(file);
	OK(cuMemMap(at + GRANULE, GRANULE, 0, imported, 0));
	OK(cuMemGetAccess(&flags, &here, at));
	ck_assert_uint_eq(flags, 0);
	OK(cuMemSetAccess(at, 2 * GRANULE, &both, 1));
	OK(cuMemGetAccess(&flags, &here, at));
	ck_assert_uint_eq(flags, 3);
	void *args[] = {&at, &n};
	OK(cuLaunchKernel(f.add, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(word(at + GRANULE), 2);
	OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)at));
	ck_assert_uint_eq(again, handle);
	OK(cuMemGetAllocationPropertiesFromHandle(&told, again));
	ck_assert_int_eq(told.location.id, 0);
	ck_assert_int_eq(told.handle_types, 1);
	ck_assert_int_eq(told.compression, 1);
	OK(cuMemRelease(again));
	OK(cuMemRelease(handle));
	OK(cuMemRelease(imported));
	OK(cuMemSetAccess(at, GRANULE, &none, 1));
	/* Whole mappings only: parts stay, and nothing goes where some of the range cannot. */
	FAILS(cuMemUnmap(at, GRANULE / 2), INVALID_VALUE);
	FAILS(cuMemUnmap(at + GRANULE / 2, GRANULE), INVALID_VALUE);
	FAILS(cuMemUnmap(at, 2 * GRANULE + 512), INVALID_VALUE);
	FAILS(cuMemUnmap(at, 0), INVALID_VALUE);
	FAILS(cuMemUnmap(at, UINT64_MAX - 4), INVALID_VALUE);
	OK(cuMemGetAccess(&flags, &here, at));
	OK(cuMemUnmap(at, 2 * GRANULE));
	FAILS(cuMemUnmap(at, GRANULE), INVALID_VALUE);
	FAILS(cuMemRelease(handle), INVALID_VALUE);
	FAILS(cuMemAddressFree(at, GRANULE), INVALID_VALUE);
	OK(cuMemAddressFree(at, 2 * GRANULE));
}
END_TEST

START_TEST(what_is_mapped_outlives_the_context)
{
	const struct cu_allocation_properties device = {.type = 1, .location = {1, 0}};
	const struct cu_access both = {{1, 0}, 3};
	struct cu_context *made;
	u64 at, handle, own;

	begin();
	OK(cuCtxCreate_v2(&made, 0, 0));
	OK(cuMemAddressReserve(&at, GRANULE, 0, 0, 0));
	OK(cuMemCreate(&handle, GRANULE, &device, 0));
	OK(cuMemMap(at, GRANULE, 0, handle, 0));
	OK(cuMemRelease(handle));
	OK(cuMemSetAccess(at, GRANULE, &both, 1));
	OK(cuMemAlloc_v2(&own, 64));
	OK(cuMemsetD32_v2(at, 7, 1));
	OK(cuCtxDestroy_v2(made));
	FAILS(cuMemFree_v2(own), INVALID_VALUE);
	ck_assert_uint_eq(word(at), 7);
	OK(cuMemUnmap(at, GRANULE));
	OK(cuMemAddressFree(at, GRANULE));
}
END_TEST

UNIT_TESTS("memory_api", 60)
{
	UNIT_TEST(a_graph_has_memory_of_its_own);
	UNIT_TEST(graphs_of_one_stream_share_what_is_mapped);
	UNIT_TEST(what_a_graph_leaves_is_the_programs_to_free);
	UNIT_TEST(a_graph_gives_an_address_again_behind_its_free);
	UNIT_TEST(pools_count_what_is_taken);
	UNIT_TEST(virtual_memory_is_mapped_where_it_is_wanted);
	UNIT_TEST(what_is_mapped_outlives_the_context);
}
