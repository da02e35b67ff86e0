#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef unsigned u;
/* Which of two pairs was taken, products of complex halves, tanh of bf16 (a minimum with an immediate pair), pairs negated. */
extern "C" __global__ void k(const u *in, u *out) { u t = blockIdx.x * blockDim.x + threadIdx.x, a = in[t], b = in[t + 64], c = in[t + 128]; bool p = 0, q = 0; u *o = out + 8 * t;
 o[0] = __vibmax_s16x2(a, b, &p, &q); o[1] = p + 2 * q; o[2] = __vibmin_u16x2(a, b, &p, &q); o[3] = p + 2 * q; __half2 x = *(__half2 *)&a, y = *(__half2 *)&b, z = *(__half2 *)&c; __half2 m = __hcmadd(x, y, z); o[4] = *(u *)&m; o[5] = __vnegss2(a); o[6] = __bfloat16_as_ushort(htanh(*(__nv_bfloat16 *)&a)); o[7] = __vneg2(a) + __vnegss4(b); }
