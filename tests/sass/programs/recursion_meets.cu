// SPDX-License-Identifier: Apache-2.0
// Lanes wait at one place of a recursive function for different others, at each depth: none may go on with those of another,
// or a shuffle behind the call finds lanes missing. Two warps in a block, which go through this together.
__device__ __noinline__ int descend(int depth, int value)
{
	if (depth <= 0)
		return value;
	int local[4] = {value, depth, value ^ depth, value + depth};
	return descend(depth - 1 - (value & 1), local[value & 3] * 3 + 1) ^ local[depth & 3];
}

extern "C" __global__ void recursion_meets(const int *in, int *out)
{
	const int t = blockIdx.x * 64 + threadIdx.x;
	int sum = 0, trips = in[t] & 7, depth = in[t + 512] & 7;

	for (int k = 0; k < trips; k++)
		sum = sum * 5 + descend(depth, sum + k);
	out[t] = __shfl_sync(~0u, sum, in[t + 1024]);
	if (in[t + 1536] & 1)
		sum += descend(depth ^ 3, sum);
	out[t + 512] = __shfl_xor_sync(~0u, sum, 5) + __ballot_sync(~0u, sum & 1);
}
