// A semaphore that three of 64 threads may have at a time: those that wait poll it, yield and sleep, while those that have
// it wait where the warp meets.
#include <cuda/semaphore>
extern "C" __global__ void k(int *out)
{
	using semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 8>;
	__shared__ semaphore *s;
	__shared__ __align__(16) char room[64];
	__shared__ int in, most, all;

	if (threadIdx.x == 0) {
		s = new (room) semaphore(3);
		in = most = all = 0;
	}
	__syncthreads();
	for (int r = 0; r < 3; r++) {
		s->acquire();
		atomicMax(&most, atomicAdd(&in, 1) + 1);
		atomicAdd(&all, (int)threadIdx.x);
		atomicSub(&in, 1);
		s->release();
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		out[0] = all;
		out[1] = in;
		out[2] = most <= 3;
	}
}
