/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that launch kernels: with structures, in a chain, on a stream, at the end. */
struct many {
	int a[5];
	double d;
	char c;
};
extern "C" __global__ void add(int *o, int v) { atomicAdd(o + threadIdx.x, v + threadIdx.x); }
extern "C" __global__ void takes(int *o, many b, short s, const int *p)
{
	o[threadIdx.x] += b.a[threadIdx.x % 5] + (int)b.d + b.c + s + *p;
}
extern "C" __global__ void deep(int *o, int n)
{
	if (threadIdx.x == 0) {
		o[32 + n] = n + 1;
		if (n > 0)
			deep<<<1, 32>>>(o, n - 1);
	}
}
extern "C" __global__ void parent(int *o)
{
	const int i = threadIdx.x;
	if (i < 3)
		add<<<2, 32>>>(o, i + 1);
	if (i == 5) {
		cudaStream_t s;
		cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
		add<<<1, 16, 0, s>>>(o, 100);
		cudaStreamDestroy(s);
		add<<<1, 1, 0, cudaStreamTailLaunch>>>(o, 1000);
		add<<<1, 2000>>>(o, 1);
		o[60] = cudaGetLastError();
		const many b = {{1, 2, 3, 4, 5}, 7.5, 'c'};
		takes<<<1, 32>>>(o, b, -3, o + 60);
		deep<<<1, 32>>>(o, 5);
	}
}
