// SPDX-License-Identifier: Apache-2.0
// Division: a few instructions for most operands, and a routine for the rest.
extern "C" __global__ void division(const float *a, const float *b, float *quotient, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		quotient[i] = a[i] / b[i];
}
