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
g0 = __lowhigh2highlow(__hsub2(__hfma2(g0, g1, g0), __hmin2(g1, g0)));
if (abs((int)(i4 >> (i5 & 31))) > i0) {
arr[((short)(i2)) & 7] = ((int)__vabsdiffu4(i2, i2) / ((i3 & 1023) + 1));
i5 = i1;
f5 = 0.5f;
} else {
i3 = __vimin3_s32(i4, (int)__byte_perm(__clz(__popc(i2)), __float2int_rn(fminf(f3, f2)), i3), i5);
i4 = __hadd((int)__funnelshift_rc(i5, helper_i(i5, i5), i5), (int)((d1 * d1 + d1)));
}
atomicXor(&sacc[i1 & 7], i0);
i4 = i5;
i1 = __viaddmax_s32((int)(1.0f), __hadd((int)(min((long long)l0, (long long)l1) >> 0), __rhadd(i4, 32)), i0);
f2 = exp2f((logf(fmaxf(f0, f5)) < (float)(l1) ? logf(fmaxf(f0, f5)) : __saturatef(1.0f)));
if ((arr[(-1) & 7]) > i2) {
switch (__float2int_ru(f0) & 3) { case 0: i2 = __rhadd((signed char)(i2), __rhadd(__clz(i3), (int)__funnelshift_l((int)__brev(i1), (int)__vmaxs2(i5, i2), i4))); break; case 1: u3 = (((unsigned)(__hadd(i5, i1)) * 3u + ((u2 / 10u) * 3u + (u3 >> (u0 & 31)))) < __float2uint_rz(((f1 < f2 ? f1 : f5) / f1)) ? ((unsigned)(__hadd(i5, i1)) * 3u + ((u2 / 10u) * 3u + (u3 >> (u0 & 31)))) : 7u); case 2: g1 = __hmul2(__halves2half2(h1, h0), g1); break; default: i0 = i5; }
if (min((int)max((int)i0, (int)i3), (int)__mul24(i4, i3)) > __dp4a((int)i3, (int)i5, (int)i4)) {
i0 = (int)__vmaxs2(__hadd(__sad(__hadd(i1, i4), __mulhi(i4, i4), u3), i1), __vimin3_s32(helper_i(i0, i5), i2, i4));
f0 = __cosf((-f1));
f1 = f4;
} else {
l2 = l2;
f1 = __sinf((1e-41f / f1));
}
f2 = (floorf((float)(d0)) / (f1 * (-rintf(f2)) + erff(f0)));
} else {
d1 = (d2 < (d1 / (d1 < d2 ? d2 : d1)) ? (d1 / (d1 < d2 ? d2 : d1)) : d2);
for (unsigned c1 = 0, c1n = 2; c1 < c1n; c1++) {
i0 += c1 * 3;
for (unsigned c2 = 0, c2n = 2; c2 < c2n; c2++) {
i2 += c2 * 3;
l0 = __double2ll_rn(d1);
l0 = __float2ll_rz((-(float)(d0)));
if ((i3 % ((i3 & 255) + 3)) == 4) break;
}
for (unsigned c3 = 0, c3n = ((u2 & 7) + 1); c3 < c3n; c3++) {
i3 += c3 * 3;
i1 = i5;
i1 = i5;
}
}
}
h1 = __hadd_sat(__low2half(g1), __hneg(__low2half(g0)));
f1 = (__int_as_float((int)__brev(i4)) / helper_f((f5 * __fsqrt_rd(f4) + logf(f3)), fminf(rsqrtf(fabsf(f0) + 1.0f), floorf(f2))));
i1 = i4;
atomicAdd(&acc[i1 & 7], i1);
f5 = 1e10f;
l1 = min((long long)l0, (long long)(__float2ll_rz(f0) << 19));
if (__rhadd((int)__byte_perm(i4, i0, i1), __float2int_rz(f5)) > (i0 << (i1 & 31))) {
d2 = d0;
i2 = 0;
for (unsigned c4 = 0, c4n = ((u1 & 7) + 1); c4 < c4n; c4++) {
i1 += c4 * 3;
i0 = __viaddmax_s32(-1, (int)(d0), i2);
u1 = (unsigned)(l1);
if ((int)__byte_perm(i4, i4, i3) == 2) break;
}
}
i0 = i5;
if (i4 > (i5 == i2 && i5 > 3)) {
d1 = rsqrt(fabs((double)(f5)) + 0.1);
i0 = __float_as_int(__uint2float_rz((unsigned)((l0 << 52))));
i5 = (int)__vcmpgtu4(__ffs(65535), (i0 % ((i0 & 255) + 3)));
}
if (__clz((int)(d0)) > __dp4a((int)i4, (int)i0, (int)i5)) {
if (__rhadd(__double2loint(d2), (int)__vabsdiffu4(i1, i0)) > i5) {
h1 = h1;
u0 = (((u2 * (unsigned)(l2)) % (((u1 / 10u) / (u1 | 1u)) | 5u)) + ((unsigned)(l1) - u3));
f1 = f2;
}
d2 = exp(d2 * 1e-3);
u3 = umin(((((u2 >> 23) & 1048575u) < (unsigned)(l1) ? ((u2 >> 23) & 1048575u) : 7u) - (unsigned)(abs((int)i1))), u2);
}
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
