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
l0 = __mul64hi((__float2ll_rz(0.5f) >> (i2 & 63)), (l0 - ((l1 / (l1 | 9)) * l0)));
l2 = l0;
i2 += cst[i2 & 15];
if ((i2 & (i5 * i3)) > i1) {
if (__vimin3_s32(i2, __ffs(i3), i3) > __clz(i1)) {
f0 = rsqrtf(fabsf(f0) + 1.0f);
f0 = __uint2float_rz((u1 * 3u + (unsigned)(i3)));
for (unsigned c1 = 0, c1n = ((u1 & 7) + 1); c1 < c1n; c1++) {
i3 += c1 * 3;
u3 = ((((u3 < u3 ? u3 : 7u) * 3u + u0) + __umulhi((u2 / 10u), (unsigned)(i4))) % 7u);
f4 = f3;
}
} else {
u3 = u1;
if (__double2loint(d0) > max((int)i4, (int)i3)) {
f4 = f3;
i5 = __rhadd(i2, -1);
f5 = f2;
}
}
i3 = ((65535 << (i3 & 31)) >> ((signed char)((int)(d0)) & 31));
f5 = -2.25f;
}
for (unsigned c2 = 0, c2n = 2; c2 < c2n; c2++) {
i2 += c2 * 3;
l0 = (__double2ll_rn(d0) - (l0 + l0));
u1 = u1;
}
i3 = __float2int_ru(fabsf(__uint2float_rz(u1)));
if (i5 > i3) {
h1 = __hdiv(h0, __hadd_sat(__hmax(h0, h0), __hfma(h1, h0, h1)));
if (i1 > i5) {
i2 = (__popc(i4) << ((int)((u3 < u3 ? u3 : 7u)) & 31));
d2 = rsqrt(fabs(d2) + 0.1);
for (unsigned c3 = 0, c3n = 2; c3 < c3n; c3++) {
i0 += c3 * 3;
u2 = (u0 < u1 ? u0 : 7u);
d2 = fmin(log(fabs(d0) + 1.0), exp(d1 * 1e-3));
if (i3 == 4) break;
if (__mulhi(i0, i5) & 1) continue; i1 ^= 5;
}
}
if (-7 > i0) {
arr[((i2 >> (i3 & 31))) & 7] = i5;
u3 = (unsigned)(__float_as_int(logf((f1 / f2))));
i2 = (i1 * __ffs(i1));
} else {
i1 = __clz(i0);
d1 = d2;
}
}
if ((int)(unsigned char)(i3) > i1) {
i2 = i2;
f2 = fmaf(1e-38f, (float)(d2), f0);
i1 = (short)(__mulhi(1, (__hadd(i4, i0) % (((i2 < i2 ? i0 : i1) & 255) + 3))));
} else {
i0 = __vadd4((int)__funnelshift_l((signed char)(i3), ((short)(i2) >> ((int)(u0) & 31)), i0), (0 & (int)(__float2uint_rz(f4))));
u2 = (((u2 >> 22) & 32767u) + (__float2uint_rz(ceilf(f3)) * (u2 + (u3 >> (u2 & 31)))));
}
if (i5 > i1) {
l0 = l0;
for (unsigned c4 = 0, c4n = 2; c4 < c4n; c4++) {
i2 += c4 * 3;
f3 = (isnan(f3) ? 1.0f : f0);
for (unsigned c5 = 0, c5n = 5; c5 < c5n; c5++) {
i5 += c5 * 3;
u1 = u2;
g0 = __hmul2(__hgt2(__lowhigh2highlow(g1), g1), g1);
}
if (__float2int_rd(f2) == 1) break;
if (i0 & 1) continue; i5 ^= 5;
}
if ((int)__funnelshift_rc(i1, i4, i1) > 2147483647) {
i2 = (int)(l2 >> 3);
i4 = __vadd4(32, i2);
u3 = ((__float2uint_rz(__sinf(f5)) * 3u + ((u2 >> (u0 & 31)) * 3u + u3)) < ((u2 < u2 ? u2 : 7u) % 7u) ? (__float2uint_rz(__sinf(f5)) * 3u + ((u2 >> (u0 & 31)) * 3u + u3)) : 7u);
} else {
h1 = __float2half_rn(f4);
f3 = f5;
}
} else {
i0 = (int)(unsigned char)(__viaddmax_s32(i4, 5, i5));
for (unsigned c6 = 0, c6n = 3; c6 < c6n; c6++) {
i5 += c6 * 3;
for (unsigned c7 = 0, c7n = 3; c7 < c7n; c7++) {
i2 += c7 * 3;
d2 = (double)(i1);
g1 = __hmin2(__lowhigh2highlow(g1), __halves2half2(h0, h1));
if ((i3 % ((i5 & 255) + 3)) == 7) break;
if (i3 & 1) continue; i4 ^= 5;
}
for (unsigned c8 = 0, c8n = ((u1 & 7) + 1); c8 < c8n; c8++) {
i2 += c8 * 3;
h0 = h0;
u3 = u0;
}
if (i5 & 1) continue; i1 ^= 5;
}
}
i4 = i1;
f2 = f0;
i4 = __vadd4(i5, i1);
u0 = ((u3 * u3) * u1);
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
