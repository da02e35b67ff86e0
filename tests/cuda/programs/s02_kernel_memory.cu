/* SPDX-License-Identifier: Apache-2.0 */
// Memory that kernels allocate with the device runtime: its pointers in global, shared and local memory, used by later
// launches and released by others. Built with -rdc=true -lcudadevrt.
#include "self.h"

struct queue {
	float *items;
	int count;
};

__global__ void fill(queue *queues, int number)
{
	const int k = threadIdx.x;

	if (k < queues[number].count)
		queues[number].items[k] = number * 100 + k;
}

__global__ void make(queue *queues, int count)
{
	const int k = threadIdx.x;

	if (k >= count)
		return;
	queues[k].count = 4 + k;
	cudaMalloc((void **)&queues[k].items, queues[k].count * sizeof(float));
	fill<<<1, 32>>>(queues, k);
}

__global__ void drain(queue *queues, float *sums, int count)
{
	const int k = threadIdx.x;
	float sum = 0;

	if (k >= count)
		return;
	for (int i = 0; i < queues[k].count; i++)
		sum += queues[k].items[i];
	sums[k] = sum;
	cudaFree(queues[k].items);
}

// One buffer for the block: thread 0 has its address written to shared memory.
__global__ void together(int *out)
{
	__shared__ int *buffer;

	if (threadIdx.x == 0)
		cudaMalloc((void **)&buffer, blockDim.x * sizeof(int));
	__syncthreads();
	buffer[threadIdx.x] = threadIdx.x * threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
	__syncthreads();
	if (threadIdx.x == 0)
		cudaFree(buffer);
}

__global__ void alone(int *out)
{
	int *mine = nullptr;

	out[threadIdx.x] = cudaMalloc((void **)&mine, sizeof(int)) == cudaSuccess && mine;
	*mine = 3;
	out[threadIdx.x] += *mine;
	cudaFree(mine);
}

int main()
{
	const int count = 20;
	queue *queues;
	float *sums, sum[count];
	int *out, value[64];

	CHECK(cudaMalloc(&queues, count * sizeof *queues));
	CHECK(cudaMalloc(&sums, sizeof sum));
	CHECK(cudaMalloc(&out, sizeof value));
	make<<<1, 32>>>(queues, count);
	drain<<<1, 32>>>(queues, sums, count);
	CHECK(cudaMemcpy(sum, sums, sizeof sum, cudaMemcpyDeviceToHost));
	for (int k = 0; k < count; k++)
		WANT(sum[k] == (4 + k) * k * 100 + (3 + k) * (4 + k) / 2);
	together<<<1, 64>>>(out);
	CHECK(cudaMemcpy(value, out, sizeof value, cudaMemcpyDeviceToHost));
	for (int k = 0; k < 64; k++)
		WANT(value[k] == (63 - k) * (63 - k));
	alone<<<1, 64>>>(out);
	CHECK(cudaMemcpy(value, out, sizeof value, cudaMemcpyDeviceToHost));
	for (int k = 0; k < 64; k++)
		WANT(value[k] == 4);
	CHECK(cudaFree(queues));
	CHECK(cudaFree(sums));
	CHECK(cudaFree(out));
	puts("PASSED");
}
