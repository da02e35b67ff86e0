/* Barriers whose number, or number and count, a register holds, when one warp has ended: those of the whole block wait for
 * no more than the warps that are left. */
extern "C" __global__ void k(unsigned *out, unsigned number)
{
	__shared__ unsigned words[96];
	const unsigned i = threadIdx.x;

	if (i >= 96)
		return;
	words[i] = i * i;
	asm volatile("barrier.sync %0;" ::"r"(number) : "memory");
	const unsigned left = words[95 - i];
	asm volatile("barrier.sync %0, %1;" ::"r"(number + 1), "r"(number * 12) : "memory");
	words[i] = left + 1;
	asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(number * 0) : "memory");
	out[i] = words[(i + 32) % 96];
}
