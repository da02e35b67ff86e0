// SPDX-License-Identifier: Apache-2.0
// Functions of constants that the front end leaves alone: the assembler computes them, with rounded results where the machine
// approximates, and goes on with sums and products of what it has computed before it contracts any.
extern "C" __global__ void constant_chains(const float *in, float *out)
{
	const int t = threadIdx.x;
	const float x = in[t], root = rsqrtf(3.0f), one = rsqrtf(1.0f);
	int row = 0;
	const auto put = [&](float v) { out[t + 64 * row++] = v; };

	put(tanhf(root));
	put(tanhf(one));
	put(expf(root) * x + 1.0f);
	put(logf(root + 2.0f) * x);
	put(powf(root, 0.3f));
	put(powf(x, root));
	put(root * 0.1f + x);
	put(sinf(root) + x * root);
	put(erff(root) * x);
	put(__expf(root * 3.1f) - x);
	put(__fdividef(x, root * 0.3f));
	put(fminf(root, 0.1f) * x + root);
	put(__fadd_rz(root, x) * one);
	put(sqrtf(root) * x);
}
