/* SPDX-License-Identifier: Apache-2.0
 *
 * Occupancy: how many blocks of a kernel are resident together. The rules are arch.h's; the limits of dynamic shared memory
 * are those that the function was given.
 */
#include "arch/arch.h"
#include "cuda/driver/driver.h"

static const struct arch *arch_of(const struct cu_function *f)
{
	return device_arch(driver.devices[f->module->context->device].model);
}

static u32 blocks_of(const struct cu_function *f, int threads, size_t dynamic)
{
	const struct arch *a = arch_of(f);

	if (threads < 1 || (u32)threads > f->attributes.max_threads || dynamic > function_dynamic_most(f))
		return 0;
	return arch_occupancy(a, (u32)threads, f->attributes.registers, (u32)(f->attributes.shared_bytes + dynamic))
		.blocks;
}

int drv_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *num_blocks, struct cu_function *func, int block_size,
						    size_t dynamic_smem_size)
{
	struct cu_function *f;
	const int result = function_ready(func, &f);

	if (!num_blocks || block_size < 1)
		return CU_INVALID_VALUE;
	if (!result)
		*num_blocks = (int)blocks_of(f, block_size, dynamic_smem_size);
	return result;
}

int drv_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *num_blocks, struct cu_function *func, int block_size,
							     size_t dynamic_smem_size, u32 flags)
{
	return flags & ~1u ? CU_INVALID_VALUE
			   : drv_cuOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, func, block_size,
									     dynamic_smem_size);
}

int drv_cuOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size, struct cu_function *func,
					 cu_block_to_shared_fn *block_size_to_dynamic_smem_size,
					 size_t dynamic_smem_size, int block_size_limit)
{
	struct cu_function *f;
	const int result = function_ready(func, &f);
	u32 best = 0, best_blocks = 0;
	int best_size = 0;

	if (!min_grid_size || !block_size)
		return CU_INVALID_VALUE;
	if (result)
		return result;
	int most = (int)f->attributes.max_threads;
	if (block_size_limit > 0 && block_size_limit < most)
		most = block_size_limit;
	for (int size = most; size > 0; size = (size - 1) / 32 * 32) {
		const u32 blocks = blocks_of(f, size,
					     block_size_to_dynamic_smem_size ? block_size_to_dynamic_smem_size(size)
									     : dynamic_smem_size);
		if (blocks * (u32)size > best) {
			best = blocks * (u32)size;
			best_blocks = blocks;
			best_size = size;
		}
	}
	*min_grid_size = (int)best_blocks * driver.devices[f->module->context->device].model->sms;
	*block_size = best_size;
	return CU_OK;
}

int drv_cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid_size, int *block_size, struct cu_function *func,
						  cu_block_to_shared_fn *block_size_to_dynamic_smem_size,
						  size_t dynamic_smem_size, int block_size_limit, u32 flags)
{
	return flags & ~1u ? CU_INVALID_VALUE
			   : drv_cuOccupancyMaxPotentialBlockSize(min_grid_size, block_size, func,
								  block_size_to_dynamic_smem_size, dynamic_smem_size,
								  block_size_limit);
}

/* As an H100 answers: a block's share of the multiprocessor's memory, of which the system's part is not taken off (so fewer
 * blocks than asked for fit with all of it). */
int drv_cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_smem_size, struct cu_function *func, int num_blocks,
						int block_size)
{
	enum { DYNAMIC_ALIGN = 16 };
	struct cu_function *f;
	const int result = function_ready(func, &f);

	if (!dynamic_smem_size || num_blocks < 1 || block_size < 1)
		return CU_INVALID_VALUE;
	if (result)
		return result;
	*dynamic_smem_size = 0;
	if (blocks_of(f, block_size, 0) < (u32)num_blocks)
		return CU_INVALID_VALUE;
	const struct arch *a = arch_of(f);
	const u32 unit = a->shared_unit, share = a->shared_sm / (u32)num_blocks / unit * unit;
	const u64 taken = (f->attributes.shared_bytes + DYNAMIC_ALIGN - 1) & ~(u64)(DYNAMIC_ALIGN - 1);
	const u64 most = f->dynamic_most ? f->dynamic_most : a->shared_block - min_u64(a->shared_block, taken);
	*dynamic_smem_size = min_u64(share - min_u64(share, taken), most);
	return CU_OK;
}

/* Clusters run within a group of multiprocessors; of the H200's, as measured, each has room for so many. */
int drv_cuOccupancyMaxPotentialClusterSize(int *cluster_size, struct cu_function *func,
					   const struct cu_launch_config *config)
{
	enum { PORTABLE = 8, MOST = 16 };
	struct cu_function *f;
	const int result = function_ready(func, &f);

	if (!cluster_size || !config)
		return CU_INVALID_VALUE;
	if (!result)
		*cluster_size = arch_of(f)->cc < 90 ? 1 : f->cluster_size_any ? MOST : PORTABLE;
	return result;
}

int drv_cuOccupancyMaxActiveClusters(int *num_clusters, struct cu_function *func, const struct cu_launch_config *config)
{
	enum { CLUSTER = 4, GROUP_SMS = 16 };
	struct cu_function *f;
	const int result = function_ready(func, &f);
	u32 size = 1;

	if (!num_clusters || !config || (config->attribute_count && !config->attributes))
		return CU_INVALID_VALUE;
	if (result)
		return result;
	for (u32 k = 0; k < config->attribute_count; k++)
		if (config->attributes[k].id == CLUSTER)
			size = config->attributes[k].cluster[0] * max_u32(1, config->attributes[k].cluster[1]) *
			       max_u32(1, config->attributes[k].cluster[2]);
	if (!size)
		return CU_INVALID_VALUE;
	const u32 threads = config->block[0] * config->block[1] * config->block[2];
	const u32 blocks = blocks_of(f, (int)threads, config->shared_bytes);
	const u32 sms = driver.devices[f->module->context->device].model->sms;
	*num_clusters = (int)(sms / GROUP_SMS * (GROUP_SMS * blocks / size));
	return CU_OK;
}
