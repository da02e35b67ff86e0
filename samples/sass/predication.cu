// SPDX-License-Identifier: Apache-2.0
// A short way that is predicated, and a long one that is branched around.
extern "C" __global__ void predication(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = in[i];

	if (x < 0.0f)
		x = x * 0.5f;
	if (i % 4 == 0) {
#pragma unroll 1
		for (int k = 0; k < 8; k++)
			x = x * x + 0.25f * (float)k - sqrtf(fabsf(x));
	}
	out[i] = x;
}
