// SPDX-License-Identifier: Apache-2.0
// A tile through shared memory, with rows of 32 words and with rows of 33.
template <int PAD> __device__ void tile_transpose(const float *in, float *out, int n)
{
	__shared__ float tile[32][32 + PAD];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

	for (int k = 0; k < 32; k += 8)
		tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (int k = 0; k < 32; k += 8)
		out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void transpose_32(const float *in, float *out, int n) { tile_transpose<0>(in, out, n); }
extern "C" __global__ void transpose_33(const float *in, float *out, int n) { tile_transpose<1>(in, out, n); }
