// SPDX-License-Identifier: Apache-2.0
// Random statements, put together by a program: instructions and forms of them that few kernels have.
#include <cuda_fp16.h>
__constant__ int cst[16] = {1,-2,3,5,-8,13,21,34,55,89,144,233,377,610,987,1597};
__device__ __noinline__ int helper_i(int a, int b) { if (a > b) return a * 3 + (b >> 2); int s = 0; for (int k = 0; k < (b & 3); k++) s += a ^ k; return s; }
__device__ __noinline__ float helper_f(float a, float b) { return a < b ? a * b + 0.25f : a / (b * b + 1.0f); }
extern "C" __global__ void k(const int *in, const float *fin, int *out, int *acc)
{
__shared__ int tile[64]; __shared__ int sacc[8];
int t = blockIdx.x * 64 + threadIdx.x;
if (threadIdx.x < 8) sacc[threadIdx.x] = 0;
__syncthreads();
int arr[8];
for (int q = 0; q < 8; q++) arr[q] = in[(t + q * 11) & 1023];
int i0 = in[(t * 7 + 0) & 1023];
int i1 = in[(t * 7 + 37) & 1023];
int i2 = in[(t * 7 + 74) & 1023];
int i3 = in[(t * 7 + 111) & 1023];
int i4 = in[(t * 7 + 148) & 1023];
int i5 = in[(t * 7 + 185) & 1023];
unsigned u0 = in[(t * 3 + 0) & 1023];
unsigned u1 = in[(t * 3 + 91) & 1023];
unsigned u2 = in[(t * 3 + 182) & 1023];
unsigned u3 = in[(t * 3 + 273) & 1023];
long long l0 = (long long)in[(t + 0) & 1023] * in[(t + 3) & 1023];
long long l1 = (long long)in[(t + 5) & 1023] * in[(t + 20) & 1023];
long long l2 = (long long)in[(t + 10) & 1023] * in[(t + 37) & 1023];
float f0 = fin[(t * 5 + 0) & 1023];
float f1 = fin[(t * 5 + 29) & 1023];
float f2 = fin[(t * 5 + 58) & 1023];
float f3 = fin[(t * 5 + 87) & 1023];
float f4 = fin[(t * 5 + 116) & 1023];
float f5 = fin[(t * 5 + 145) & 1023];
double d0 = (double)fin[(t + 0) & 1023] * 1.000001;
double d1 = (double)fin[(t + 13) & 1023] * 1.000001;
double d2 = (double)fin[(t + 26) & 1023] * 1.000001;
__half h0 = __float2half_rn(fin[(t + 1) & 1023]);
__half h1 = __float2half_rn(fin[(t + 4) & 1023]);
__half2 g0 = __floats2half2_rn(fin[(t + 1) & 1023], fin[(t + 99) & 1023]);
__half2 g1 = __floats2half2_rn(fin[(t + 4) & 1023], fin[(t + 100) & 1023]);
g0 = __hmul2(g1, __hmin2(__hfma2(g1, g0, g1), __hmin2(g1, g0)));
__syncwarp(); i3 += __activemask() & 1;
switch (i5 & 3) { case 0: i0 = __mulhi(i5, __popc(i4)); break; case 1: l0 = l0; case 2: i4 = __viaddmax_s32((int)__funnelshift_rc((int)__vcmpgtu4((int)(unsigned char)(i3), (i0 << (i1 & 31))), ((int)__byte_perm(i5, i4, i4) / ((i2 & 1023) + 1)), i1), -1, i3); break; default: h1 = h1; }
tile[threadIdx.x] = i0; __syncthreads(); i4 += tile[(threadIdx.x * 3 + 36) & 63]; __syncthreads();
i4 = __popc(i4);
i5 = ((int)(tanhf(__fsqrt_rd(f4))) | 2147483647);
u3 = u1;
for (unsigned c1 = 0, c1n = ((u1 & 7) + 1); c1 < c1n; c1++) {
i0 += c1 * 3;
i3 = (arr[(__float_as_int(expf((isnan(f5) ? 1.0f : f0)))) & 7]);
i2 = __ffs(i2);
if (__clz(i4) == 2) break;
}
f3 = f2;
f4 = f4;
if ((short)(__hadd(i4, i1)) > (int)__vcmpgtu4(i5, i1)) {
if (min((int)i5, (int)(i4 & i5)) > i5) {
i1 = i0;
f4 = __int_as_float(max((int)__float2int_rz(rsqrtf(fabsf(f4) + 1.0f)), (int)__hadd(i1, i2)));
i0 = __ffs((int)(f5));
}
d0 = __dadd_rz(d2, sqrt(fabs(d0)));
i2 = i3;
} else {
f0 = fmaxf(fmaf(__saturatef(1e10f), __expf(__int_as_float(i1)), f5), __saturatef(atan2f(-2.25f, (f2 < f3 ? f2 : f4))));
u0 = u2;
}
f5 = (sinf(fminf(f1, f4)) * logf((float)(d0)) + fmaxf((__sinf(f3) < expf(f1) ? __sinf(f3) : fmaf(f3, f1, f0)), powf(fabsf(__half2float(h1)), 0.37f)));
i1 = (arr[(i0) & 7]);
int h = 0;
h = h * 31 + (int)i0;
h = h * 31 + (int)i1;
h = h * 31 + (int)i2;
h = h * 31 + (int)i3;
h = h * 31 + (int)i4;
h = h * 31 + (int)i5;
h = h * 31 + (int)u0;
h = h * 31 + (int)u1;
h = h * 31 + (int)u2;
h = h * 31 + (int)u3;
h = h * 31 + (int)(l0 ^ (l0 >> 32));
h = h * 31 + (int)(l1 ^ (l1 >> 32));
h = h * 31 + (int)(l2 ^ (l2 >> 32));
out[t * 12] = h;
out[t * 12 + 1] = __float_as_int(f0);
out[t * 12 + 2] = __float_as_int(f1);
out[t * 12 + 3] = __float_as_int(f2);
out[t * 12 + 4] = __float_as_int(f3);
out[t * 12 + 5] = __float_as_int(f4);
out[t * 12 + 6] = __float_as_int(f5);
out[t * 12 + 7] = __double2hiint(d0) * 7 + __double2loint(d0);
out[t * 12 + 8] = __double2hiint(d1) * 7 + __double2loint(d1);
out[t * 12 + 9] = __double2hiint(d2) * 7 + __double2loint(d2);
int hh = 0;
hh = hh * 31 + __half_as_ushort(h0);
hh = hh * 31 + __half_as_ushort(h1);
hh = hh * 31 + __half_as_ushort(__low2half(g0)) + 3 * __half_as_ushort(__high2half(g0));
hh = hh * 31 + __half_as_ushort(__low2half(g1)) + 3 * __half_as_ushort(__high2half(g1));
out[t * 12 + 10] = hh;
for (int q = 0; q < 8; q++) hh = hh * 5 + arr[q];
__syncthreads();
out[t * 12 + 11] = hh + sacc[threadIdx.x & 7];
}
