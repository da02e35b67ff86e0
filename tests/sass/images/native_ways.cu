/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels whose lanes part and meet, for tests/unit/test_native_machine.c: native_ways.sm_XX.cubin is what
 * nvcc 13.0 -arch=sm_XX -cubin makes of this file.
 */
typedef unsigned u;
typedef unsigned long long ull;

#define KERNEL(NAME) extern "C" __global__ void NAME(const u *__restrict__ in, u *out, u words)
#define THREAD       const u t = blockIdx.x * blockDim.x + threadIdx.x
#define LANE         (threadIdx.x & 31)

__device__ static u mixed(u x) { return (x ^ x >> 13) * 0x9e3779b1u; }

/* Loops that lanes leave in different rounds, at their head, in the middle, at the end. */
KERNEL(loops)
{
	THREAD;
	u x = in[t], sum = 0;

	for (u n = 0; n < (x & 15); n++)
		sum += mixed(x + n);
	while (x != 1 && sum < 0xf0000000u) {
		if (x & 1) {
			x = x * 3 + 1;
			sum += 7;
		} else {
			x >>= 1;
		}
		if ((x & 0x1f) == 9)
			break;
		if ((++sum & 0xff) == 3)
			x = 1;
	}
	do
		sum = mixed(sum);
	while (sum >> 30 == LANE >> 4);
	out[t] = sum + x;
}

/* For longer than a time slice, with lanes underway in different rounds. */
KERNEL(turns)
{
	THREAD;
	u x = in[t] | 1, sum = 0;

	for (u n = 0; n < 2000 + (in[t] & 8191); n++) {
		x = mixed(x + n);
		if (x & 64)
			for (u k = 0; k < (x & 3); k++)
				sum = mixed(sum + k);
		else if (x & 128)
			sum += __brev(x);
	}
	out[t] = sum;
}

/* Branches inside branches, and one that jumps over several. */
KERNEL(nested)
{
	THREAD;
	const u x = in[t];
	u y = mixed(x);

	if (x & 1) {
		if (x & 2) {
			y += in[(t + 7) % words];
			if (x & 4)
				y ^= in[y % words];
			else
				y = __brev(y);
		} else if (x & 8) {
			y *= 5;
		}
		y += 11;
	} else {
		switch (x >> 1 & 7) {
		case 0:
			y = __popc(y);
			break;
		case 1:
			y = y / (x | 1);
			/* falls */
		case 3:
			y += in[y % words];
			break;
		case 6:
			for (u n = 0; n < LANE; n++)
				y = mixed(y);
			break;
		default:
			y = ~y;
		}
	}
	out[t] = y;
}

/* Sums with carries, products of pairs, comparisons of 64 bits. */
KERNEL(wide)
{
	THREAD;
	ull x = in[t] * 0x100000001b3ull + in[(t + 1) % words], y = (ull)in[(t + 2) % words] << 32 | in[(t + 3) % words];

	for (u n = 0; n < 9; n++) {
		x += y * (n + 1);
		y = (y << 7 | y >> 57) - x;
		if ((long long)x < (long long)y)
			x ^= y >> 3;
		if (x > y)
			y += __umul64hi(x, y);
	}
	out[t] = (u)(x ^ y ^ x >> 32 ^ y >> 32);
}

/* What lanes tell each other, all of them or those that are together. */
KERNEL(exchange)
{
	THREAD;
	u x = in[t], y = 0;

	for (int d = 16; d; d >>= 1)
		x += __shfl_xor_sync(0xffffffffu, x, d);
	y = __ballot_sync(0xffffffffu, in[t] & 1) + __shfl_up_sync(0xffffffffu, in[t], 3);
	if (in[t] & 4) {
		const u together = __activemask();
		y += __popc(together) + __shfl_sync(together, x + LANE, __ffs(together) - 1);
		y += __any_sync(together, x & 2) ? 100 : 10;
	}
	out[t] = x ^ y;
}

/* Floating point, with a division that most lanes have a short way of. */
KERNEL(floats)
{
	THREAD;
	float x = (float)(in[t] & 0xffff) * 0.25f + 1, y = __uint_as_float(0x3f800000u | in[t] >> 9);

	for (u n = 0; n < 6; n++) {
		x = x / y + 0.5f;
		y = __fsqrt_rn(y) * 1.25f + (float)n;
		if (x > 100)
			x = __expf(-x * 0.01f);
	}
	const double z = (double)x * y + 1e-3;
	out[t] = __float_as_uint(x) ^ __float_as_uint(y) ^ (u)(__double_as_longlong(z) >> 20);
}

/* Shared memory, barriers, sums in any order. */
KERNEL(shared)
{
	__shared__ u near[256], sums[32];
	THREAD;
	const u x = in[t];

	if (threadIdx.x < 32)
		sums[threadIdx.x] = 0;
	near[threadIdx.x] = x;
	__syncthreads();
	for (u s = blockDim.x / 2; s; s >>= 1) {
		if (threadIdx.x < s)
			near[threadIdx.x] += near[threadIdx.x + s];
		__syncthreads();
	}
	if (x & 3)
		atomicAdd(&sums[x & 31], x >> 3);
	__syncthreads();
	out[t] = near[0] + near[x % blockDim.x] + sums[LANE];
}

/* Words of in, of which one lane's is out of reach: in[0] says which, and where it goes. */
KERNEL(faults)
{
	THREAD;
	u x = in[t], sum = 0;

	for (u n = 0; n < 5; n++) {
		const bool far = n == 3 && t == in[0] % words;
		if (x & 1)
			for (u k = 0; k <= (x >> 2 & 3); k++)
				sum = mixed(sum) + in[(t + n + k) % words + (far ? 1u << 28 : 0)];
		else
			sum ^= x;
		x = mixed(x) | (t == in[0] % words);
	}
	out[t] = sum;
}
