#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void k(const int *in, float *out) {
  int i = threadIdx.x; __half h = __int2half_rn(in[i]), g = __float2half(i * 0.3f); __half2 p = __halves2half2(h, g);
  __nv_bfloat16 b = __float2bfloat16(i * 1.7f); __nv_bfloat162 c = __floats2bfloat162_rn(i * 0.1f, in[i]);
  out[8*i] = __half2float(__hadd(h, g)); out[8*i+1] = __half2float(__hdiv(h, __hadd(g, __float2half(1.f)))); out[8*i+2] = __half2float(hsqrt(g)); out[8*i+3] = __low2float(__hfma2(p, p, p));
  out[8*i+4] = __bfloat162float(__hmul(b, b)); out[8*i+5] = __high2float(__hmax2(p, __hneg2(p))); out[8*i+6] = __bfloat162float(__hadd2(c, c).x); out[8*i+7] = __half2float(hexp(g)) + __hgt(h, g) + __hbeq2(p, p);
}
