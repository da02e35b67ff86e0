// SPDX-License-Identifier: Apache-2.0
// More values alive than registers granted: some live in local memory for a while.
extern "C" __global__ void __maxnreg__(24) spill(const float *in, float *out)
{
	float v[32], sum = 0.0f;

#pragma unroll
	for (int k = 0; k < 32; k++)
		v[k] = in[k * 32 + threadIdx.x];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 32; k++)
		sum = sum * 0.5f + v[k];
#pragma unroll
	for (int k = 31; k >= 0; k--)
		sum = sum * v[k] + 1.0f;
	out[threadIdx.x] = sum;
}
