__device__ __noinline__ int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
extern "C" __global__ void k(const int *in, int *out) { int i = threadIdx.x; int loc[24]; for (int n = 0; n < 24; n++) loc[(n * 7 + i) % 24] = in[i] * n; int s = 0; for (int n = 0; n < 24; n++) s = s * 3 + loc[(in[i] + n) % 24]; out[i] = s + ack(i % 3, i % 4); }
