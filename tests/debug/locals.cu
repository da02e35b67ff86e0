// What nvcc -G says of locals, arguments, structs, arrays, a template and a function that is called.
struct Body {
	float position[3];
	float mass;
	int id;
};

enum Kind { RED, GREEN = 5, BLUE };

__device__ int counter;
__constant__ float weights[4] = {0.5f, 0.25f, 0.125f, 0.125f};

__device__ __noinline__ float weigh(const Body *body, int power)
{
	float result = body->mass;
	for (int k = 0; k < power; k++) {
		float factor = weights[k & 3];
		result *= factor;
	}
	return result;
}

template <typename T>
__global__ void scale(T *values, T by, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		T value = values[i];
		values[i] = value * by;
	}
}

__global__ void fall(Body *bodies, float *out, int n, double step)
{
	__shared__ float part[64];
	int i = threadIdx.x;
	Kind kind = i & 1 ? GREEN : BLUE;
	Body mine = bodies[i];
	float samples[4];
	for (int k = 0; k < 4; k++)
		samples[k] = mine.mass * k;
	bool heavy = mine.mass > 2.0f;
	unsigned char tag = 'a' + i;
	long long wide = (long long)i << 33;
	part[i] = samples[i & 3];
	__syncthreads();
	float *where = &out[i];
	if (i < n)
		*where = weigh(&mine, 2) + part[i ^ 1] + (heavy ? 1 : 0) + kind + (float)step + tag + (float)wide;
	counter = n;
}

template __global__ void scale<float>(float *, float, int);
template __global__ void scale<double>(double *, double, int);
