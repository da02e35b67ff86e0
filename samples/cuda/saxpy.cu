// SPDX-License-Identifier: Apache-2.0
// The first CUDA program. To run it without a GPU:
//
//     nvcc -arch=sm_90 -cudart shared saxpy.cu -o saxpy && ptxsim exec ./saxpy
//
#include <cstdio>
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] += a * x[i];
}

int main()
{
	const int n = 10000;
	float *x, *y;

	cudaMallocManaged(&x, n * sizeof *x);
	cudaMallocManaged(&y, n * sizeof *y);
	for (int i = 0; i < n; i++) {
		x[i] = i;
		y[i] = 1;
	}
	saxpy<<<(n + 255) / 256, 256>>>(n, 2, x, y);
	const cudaError_t error = cudaDeviceSynchronize();
	printf("%s: y[%d] = %g\n", cudaGetErrorString(error), n - 1, y[n - 1]);
	return error != cudaSuccess;
}
