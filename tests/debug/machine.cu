// A few lines of everything that a debugger shows of machine code: a branch, an inlined function, a call, local memory.
__device__ float twice(float x)
{
	return x * 2.0f + 1.0f;
}

__global__ void scale(float a, const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		float t = twice(x[i]);
		y[i] = a * t + y[i];
		if (i % 3 == 0)
			y[i] = y[i] / t;
	}
}
