#include <cuda_pipeline.h>
extern "C" __global__ void k(const float4 *in, float *out) {
  __shared__ float4 s[2][64]; int i = threadIdx.x; float acc = 0;
  __pipeline_memcpy_async(&s[0][i], &in[i], 16); __pipeline_commit();
  for (int n = 0; n < 4; n++) { if (n < 3) { __pipeline_memcpy_async(&s[(n + 1) & 1][i], &in[(n + 1) * 64 + i], 16); __pipeline_commit(); }
    __pipeline_wait_prior(n < 3 ? 1 : 0); __syncthreads(); float4 v = s[n & 1][63 - i]; acc += v.x * v.y - v.z + v.w; __syncthreads(); }
  out[i] = acc;
}
