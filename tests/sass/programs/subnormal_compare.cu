// SPDX-License-Identifier: Apache-2.0
// Compiled with -ftz=true: comparisons of f64, and of f32 in PTX that does not flush, beside f32 arithmetic that does.
extern "C" __global__ void subnormal_compare(const float *in, const double *wide, unsigned *out)
{
	const int t = threadIdx.x;
	float sum = in[t];
	unsigned bits = 0, plain;

	for (int k = 0; k < 8; k++) {
		sum = sum * 0.5f + in[(t + k) & 63];
		const double d = wide[(t * 5 + k) & 63];
		bits = bits * 3 + (d == 0 ? 1 : d > 4e-310 ? 2 : 0) + (sum > 1e-39f) + (d != wide[(t + k) & 63]);
		asm volatile("{ .reg .pred p; setp.neu.f32 p, %1, 0f00000000; selp.u32 %0, 5, 7, p; }" : "=r"(plain) : "f"(in[(t * 3 + k) & 63]));
		bits ^= plain << (k & 3);
	}
	out[t] = bits;
	out[t + 64] = __float_as_int(sum);
}
