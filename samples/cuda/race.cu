// SPDX-License-Identifier: Apache-2.0
// A reduction that forgets a barrier: the sum is right most of the time on a card.
//
//     nvcc -arch=sm_90 -lineinfo -cudart shared race.cu -o race
//     ptxsim exec --check ./race
//
// tells both lines that access the same bytes, and the threads. With -DBARRIER it finds nothing.
#include <cstdio>

__global__ void sum(const int *in, int *out)
{
	__shared__ int part[256];
	const int t = threadIdx.x;

	part[t] = in[t];
	__syncthreads();
	for (int step = 128; step; step /= 2) {
		if (t < step)
			part[t] += part[t + step];
#ifdef BARRIER
		__syncthreads();
#endif
	}
	if (t == 0)
		*out = part[0];
}

int main()
{
	int *in, *out;

	cudaMallocManaged(&in, 256 * sizeof *in);
	cudaMallocManaged(&out, sizeof *out);
	for (int k = 0; k < 256; k++)
		in[k] = k;
	sum<<<1, 256>>>(in, out);
	const cudaError_t error = cudaDeviceSynchronize();
	printf("%s: the sum is %d, it should be %d\n", cudaGetErrorString(error), *out, 255 * 256 / 2);
	cudaFree(in);
	cudaFree(out);
	return error != cudaSuccess;
}
