// SPDX-License-Identifier: Apache-2.0
// Kernels that launch kernels: a tree of grids, each of which counts itself.
//
//     nvcc -arch=sm_90 -rdc=true -cudart shared tree.cu -lcudadevrt -o tree
//     ptxsim exec --report text ./tree
#include <cstdio>

__global__ void visit(int depth, int *visited)
{
	atomicAdd(visited, 1);
	if (depth > 0)
		visit<<<1, 2>>>(depth - 1, visited);
}

int main()
{
	int *visited, count;

	cudaMalloc(&visited, sizeof *visited);
	cudaMemset(visited, 0, sizeof *visited);
	visit<<<1, 1>>>(4, visited);
	cudaMemcpy(&count, visited, sizeof count, cudaMemcpyDeviceToHost);
	printf("%d threads have visited a grid, of %d\n", count, 1 + 2 + 4 + 8 + 16);
	cudaFree(visited);
	return count != 31;
}
