/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes that leave a switch early wait behind it for those that call functions by address there: of two warps that run together,
 * too. */
typedef int (*function)(int);
__device__ int plus(int a) { return a * 7 + 1; }
__device__ int flip(int a) { return a ^ 0x55; }
__device__ int quarter(int a) { return a >> 2; }
__device__ int turn(int a) { return -a; }
__device__ function pointers[4] = {plus, flip, quarter, turn};
extern "C" __global__ void k(const int *in, int *out)
{
	const int t = threadIdx.x;
	int x = in[t], y = 0, z = in[t + 64];
	switch (x & 7) {
	case 0: y = x; break;
	case 1: z += in[x & 63]; /* falls through */
	case 2: break;
	case 3: y = pointers[z & 3](x); break;
	case 4: y = (x / (z | 1)) > 3; break;
	case 5: z = x; break;
	default: y = x % (z | 1);
	}
	out[2 * t] = __activemask();
	out[2 * t + 1] = y + z;
}
