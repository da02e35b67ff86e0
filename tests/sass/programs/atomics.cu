#include <cuda_fp16.h>

__device__ int g[16]; __device__ unsigned long long gl[4]; __device__ float gf[4]; __device__ __half2 gh;
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[16]; __shared__ float f; __shared__ unsigned long long u; __shared__ double d;
  int i = threadIdx.x, v = in[blockIdx.x * 64 + i]; if (i < 16) s[i] = 0; if (!i) { f = 0; u = 0; d = 0; } __syncthreads();
  atomicAdd(&s[v % 16], v); atomicMax(&g[0], v); atomicMin(&g[1], -v); atomicAnd(&g[2], ~v); atomicOr(&g[3], v); atomicXor(&g[4], v); atomicInc((unsigned *)&g[5], 17); atomicDec((unsigned *)&g[6], 9);
  atomicAdd(&f, (float)v); atomicAdd(&u, (unsigned long long)v << 20); atomicMax(&gl[0], (unsigned long long)v * v); atomicAdd(&gl[1], 3ull); atomicAdd(&gf[0], 1.0f); atomicAdd(&d, 1.5);
  atomicCAS(&g[7], 0, 42); atomicExch(&g[8], 7); atomicAdd(&gh, __floats2half2_rn(1, 2)); atomicAdd_block(&g[9], 1); atomicAdd_system(&g[10], 2);
  atomicAdd(&g[11], v);
  __syncthreads();
  if (i < 16) out[blockIdx.x * 32 + i] = s[i]; if (!i) { out[blockIdx.x * 32 + 16] = f; out[blockIdx.x * 32 + 17] = (int)(u >> 20); out[blockIdx.x * 32 + 18] = (int)d; }
}
extern "C" __global__ void show(int *out) { if (threadIdx.x < 12) out[threadIdx.x] = g[threadIdx.x]; else if (threadIdx.x < 14) out[threadIdx.x] = (int)gl[threadIdx.x - 12]; else out[threadIdx.x] = threadIdx.x == 14 ? (int)gf[0] : (int)__low2float(gh); }
