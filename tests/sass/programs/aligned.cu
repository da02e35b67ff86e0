struct alignas(16) quad { float x, y, z, w; };
__device__ __noinline__ float sum(const quad *q, int n) { return n < 1 ? 0 : q->x + 2 * q->y + 3 * q->z + 4 * q->w + sum(q, n - 1); }
extern "C" __global__ void k(const float *in, float *out) {
  volatile int odd = threadIdx.x;
  quad q = *(const quad *)(in + 4 * threadIdx.x);
  quad r[3] = {q, q, q};
  r[odd % 3].x = 1;
  out[threadIdx.x] = sum(&r[odd % 2], odd & 3);
}
