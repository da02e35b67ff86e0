#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Our declarations of CUDA's interfaces against those of a toolkit: parameters of every call, sizes of every structure. Skipped
# where there is no toolkit of CUDA 13 or no C++ compiler.
set -u

cd "$(dirname "$0")/../.." || exit 2
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
include=$(dirname "$nvcc")/../include
grep -q 'define CUDA_VERSION 13' "$include/cuda.h" 2>/dev/null || { echo "skipped: there is no toolkit of CUDA 13"; exit 77; }
command -v g++ >/dev/null || { echo "skipped: there is no C++ compiler"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# declared TABLE ROWS HEADERS...: the rows of calls that the headers declare.
declared() {
	table=$1 rows=$2
	shift 2
	grep -ohE '\b(cu|cuda)[A-Z][A-Za-z0-9_]*\(' "$@" | sort -u | sed 's/($//' >"$work/names"
	grep -E "^($rows)\(" "$table" | awk -F'[(,]' 'NR == FNR { known[$1]; next } $2 in known' "$work/names" -
}

# compare NAME: compiles and runs it.
compare() {
	g++ -std=c++17 -w -fpermissive -I"$include" -Isrc -Itests/cuda -I"$work" "$work/$1.cc" -o "$work/$1" &&
		"$work/$1" || failed=1
}

grep -hE '^CUresult CUDAAPI' "$include/cuda.h" "$include/cudaProfiler.h" >"$work/driver.h"
declared src/cuda/driver/calls.inc CALL "$work/driver.h" >"$work/driver.inc"
cat >"$work/driver.cc" <<'END'
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaProfiler.h>
#include "declarations.h"
namespace ours {
#include "cuda/driver/types.h"
#define CALL(symbol, handler, version, needs, params, args, format) int symbol params;
#define ABSENT(symbol, version)
#include "cuda/driver/calls.inc"
#undef CALL
}
#define CALL(symbol, handler, version, needs, params, args, format) COMPARE_CALL(symbol)
int main()
{
#include "driver.inc"
	COMPARE_SIZE(cu_copy_2d, CUDA_MEMCPY2D)
	COMPARE_SIZE(cu_copy_3d, CUDA_MEMCPY3D)
	COMPARE_SIZE(cu_array_2d, CUDA_ARRAY_DESCRIPTOR)
	COMPARE_SIZE(cu_array_3d, CUDA_ARRAY3D_DESCRIPTOR)
	COMPARE_SIZE(cu_resource, CUDA_RESOURCE_DESC)
	COMPARE_SIZE(cu_texture_description, CUDA_TEXTURE_DESC)
	COMPARE_SIZE(cu_resource_view, CUDA_RESOURCE_VIEW_DESC)
	COMPARE_SIZE(cu_launch_attribute, CUlaunchAttribute)
	COMPARE_SIZE(cu_launch_config, CUlaunchConfig)
	COMPARE_SIZE(cu_kernel_node, CUDA_KERNEL_NODE_PARAMS_v2)
	COMPARE_SIZE(cu_memset_node, CUDA_MEMSET_NODE_PARAMS)
	COMPARE_SIZE(cu_host_node, CUDA_HOST_NODE_PARAMS)
	COMPARE_SIZE(cu_pool_properties, CUmemPoolProps)
	COMPARE_SIZE(cu_allocation_properties, CUmemAllocationProp)
	COMPARE_SIZE(cu_access, CUmemAccessDesc)
	COMPARE_SIZE(cu_alloc_node, CUDA_MEM_ALLOC_NODE_PARAMS)
	COMPARE_SIZE(cu_node_params, CUgraphNodeParams)
	COMPARE_SIZE(cu_batch_node, CUDA_BATCH_MEM_OP_NODE_PARAMS)
	COMPARE_SIZE(cu_copy_batch, CUDA_MEMCPY3D_BATCH_OP)
	COMPARE_SIZE(cu_resource_part, CUdevResource)
	COMPARE_SIZE(cu_device_properties, CUdevprop)
	printf("driver: %d calls compared, %d differences\n", calls, differ);
	return differ != 0;
}
END
compare driver

grep -hE 'CUDARTAPI +cuda[A-Z]' "$include/cuda_runtime_api.h" >"$work/runtime.h"
declared src/cuda/runtime/calls.inc 'CALL|PASS|PLAIN' "$work/runtime.h" | sort -u >"$work/runtime.inc"
cat >"$work/runtime.cc" <<'END'
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>
#include "declarations.h"
namespace ours {
#define CUDART_MAJOR 13
#include "cuda/runtime/runtime.h"
#define CALL(symbol, handler, own, params, args) int symbol params;
#define PASS(symbol, own, params, call) int symbol params;
#define PLAIN(symbol, handler, params, args) int symbol params;
#define ABSENT(symbol)
#include "cuda/runtime/calls.inc"
#undef CALL
#undef PASS
#undef PLAIN
}
#define CALL(symbol, handler, own, params, args) COMPARE_CALL(symbol)
#define PASS(symbol, own, params, call) COMPARE_CALL(symbol)
#define PLAIN(symbol, handler, params, args) COMPARE_CALL(symbol)
int main()
{
#include "runtime.inc"
	COMPARE_SIZE(rt_pointer, cudaPointerAttributes)
	COMPARE_SIZE(rt_attributes, cudaFuncAttributes)
	COMPARE_SIZE(rt_copy_3d, cudaMemcpy3DParms)
	COMPARE_SIZE(rt_copy_peer, cudaMemcpy3DPeerParms)
	COMPARE_SIZE(rt_resource, cudaResourceDesc)
	COMPARE_SIZE(rt_texture, cudaTextureDesc)
	COMPARE_SIZE(rt_config, cudaLaunchConfig_t)
	COMPARE_SIZE(rt_memset_node, cudaMemsetParams)
	COMPARE_SIZE(rt_kernel_node, cudaKernelNodeParams)
	COMPARE_SIZE(rt_node_params, cudaGraphNodeParams)
	COMPARE_SIZE(cu_alloc_node, cudaMemAllocNodeParams)
	COMPARE_SIZE(cu_copy_batch, cudaMemcpy3DBatchOp)
	printf("runtime: %d calls compared, %d differences\n", calls, differ);
	return differ != 0;
}
END
compare runtime
exit $failed
