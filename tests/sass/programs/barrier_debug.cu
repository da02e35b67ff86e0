extern "C" __global__ void k(unsigned *out)
{
	__shared__ unsigned long long bar;
	__shared__ unsigned words[64];
	unsigned b = (unsigned)__cvta_generic_to_shared(&bar), i = threadIdx.x, x = 0;
	if (i == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(64u) : "memory");
	__syncthreads();
	words[i] = i;
	for (int n = 0; n < 6; n++) {
		unsigned done = 0;
		asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(b) : "memory");
		while (!done)
			asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(b), "r"(n & 1) : "memory");
		if (n & 1) words[i] = x * 3 + i; else x = words[63 - i];
	}
	out[i] = words[i];
}
