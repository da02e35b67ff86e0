// The sum of 256 numbers by halves. The barrier within the loop is missing.
extern "C" __global__ void sum(const float *in, float *out)
{
	__shared__ float part[256];
	int t = threadIdx.x;

	part[t] = in[t];
	__syncthreads();
	for (int half = 128; half > 0; half /= 2)
		if (t < half)
			part[t] += part[t + half];
	if (t == 0)
		*out = part[0];
}
