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
for (unsigned c1 = 0, c1n = ((u0 & 7) + 1); c1 < c1n; c1++) {
i1 += c1 * 3;
u3 = __umulhi(u0, u3);
f4 = (float)(l1);
if ((int)__vcmpgtu4(i4, i1) == 0) break;
if (__popc(i0) & 1) continue; i0 ^= 5;
}
if (i4 > (i5 & i3)) {
if (i5 > (i2 - i0)) {
i1 = (int)__vmaxs2(((int)__vabsdiffu4(i2, (int)(f4)) << (3 & 31)), (int)__brev(i1));
d0 = d0;
i5 = i0;
} else {
l2 = __mul64hi((l1 * (long long)i4 * i5), ((l1 / (__double2ll_rn(d2) | 9)) + (min((long long)l2, (long long)l2) << 35)));
d0 = fma(rsqrt(fabs(log(fabs(d2) + 1.0)) + 0.1), exp((d1 + d0) * 1e-3), d0);
}
u1 = (unsigned)((int)(sin(d0)));
if ((int)__vmaxs2(i4, __popc(i5)) > (int)(l2 >> 17)) {
i2 = i3;
switch ((int)__byte_perm(i5, i2, i5) & 3) { case 0: i2 = __vadd4(__double2loint(fmin(d1, d2)), (int)(__logf(fabsf(1e10f)))); break; case 1: i3 = (i3 - __ffs(i1)); case 2: i2 = ((short)(i2) | (int)__vmaxs2((int)__byte_perm((short)(i3), __ffs(i4), 38531), (short)(i1))); break; default: f3 = (float)(l2); }
if (i4 > (int)__vabsdiffu4(i5, i0)) {
l1 = (l2 << 43);
h1 = h1;
h0 = h1;
} else {
d1 = __longlong_as_double(l1);
i0 = 7;
}
} else {
if (i3 > __viaddmax_s32(i4, i2, i0)) {
i2 = __ffs((i3 & __dp4a((int)!(i5), (int)(int)__brev(i4), (int)i2)));
d0 = ((double)(f0) * d2 + d0);
f2 = 1.0f;
} else {
h1 = __low2half(g0);
d1 = log(fabs(fmin(rint(d1), d0)) + 1.0);
}
u3 = (__umulhi(((u3 * u1) * u1), ((umin(u2, u1) >> 28) & 4095u)) * 3u + u1);
}
}
i1 = (int)__vabsdiffu4(2147483647, 1);
i0 = i3;
for (unsigned c2 = 0, c2n = 2; c2 < c2n; c2++) {
i0 += c2 * 3;
l2 = (long long)__brevll(__double2ll_rn(__longlong_as_double(l0)));
arr[((i3 - i5)) & 7] = (int)__vmaxs2(i3, i4);
if (__mulhi(i2, i2) == 1) break;
}
h1 = __hsub(__int2half_rn(i1), h1);
i1 ^= __match_any_sync(~0u, i1 & 3);
g1 = g0;
l2 = min((long long)__double_as_longlong(d2), (long long)l1);
i0 = ((int)(unsigned char)((5 & i4)) + __ffs((i5 % ((32 & 255) + 3))));
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
