// SPDX-License-Identifier: Apache-2.0
// a * b + c in one rounding or in two: nvcc contracts unless it is told not to.
extern "C" __global__ void contraction(const float *a, const float *b, float *one, float *two, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		one[i] = a[i] * a[i] - b[i];
		two[i] = __fsub_rn(__fmul_rn(a[i], a[i]), b[i]);
	}
}
