#include <cuda_fp16.h>
extern "C" __global__ void k(const float *in, unsigned short *out) {
  __half2 p = __floats2half2_rn(in[threadIdx.x], in[threadIdx.x + 1]);
  out[threadIdx.x * 8] = __half_as_ushort(hfloor(p.x));
  out[threadIdx.x * 8 + 1] = __half_as_ushort(hfloor(p.y));
  out[threadIdx.x * 8 + 2] = __half_as_ushort(hceil(p.y));
  out[threadIdx.x * 8 + 3] = __half_as_ushort(hrint(p.y));
  __half2 q = h2trunc(p);
  out[threadIdx.x * 8 + 4] = __half_as_ushort(q.y);
  out[threadIdx.x * 8 + 5] = (unsigned short)__half2int_rd(p.y);
}
