// Lanes that only count wait for nobody: those that have left their loop wait where lanes meet, although the loop has atomics.
// A loop that waits for what another lane of its warp writes behind that place must not keep it there.
extern "C" __global__ void counts(int *sum, unsigned *met, int rounds)
{
	const int t = threadIdx.x;

	if (t < 16)
		for (int k = 0; k < rounds; k++)
			atomicExch(&sum[(k + t) & 63], k);
	met[t] = __activemask();
}

extern "C" __global__ void leaves_inside(int *sum, unsigned *met, int rounds)
{
	const int t = threadIdx.x;

	if (t & 1)
		for (int k = 0;;) {
			atomicAdd(&sum[t & 3], 1);
			if (k > rounds)
				break;
			k += (k & 4) + 1;
		}
	met[t] = __activemask();
}

extern "C" __global__ void locks(int *lock, int *sum)
{
	bool done = false;

	while (!done)
		if (atomicCAS(lock, 0, 1) == 0) {
			*(volatile int *)sum += 1;
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
}
