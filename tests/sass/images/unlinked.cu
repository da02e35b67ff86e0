/* SPDX-License-Identifier: Apache-2.0 */
/* Not linked: nvcc -arch=sm_90 -rdc=true -cubin. A kernel launches others, which print. */
#include <cstdio>
extern "C" __global__ void kid(int *o, int n) { o[n + threadIdx.x] = 7; if (threadIdx.x == 0) printf("kid %d\n", n); }
extern "C" __global__ void boss(int *o, int n) { if (threadIdx.x == 0) { kid<<<1, 4>>>(o, n); kid<<<1,4>>>(o, 8); } }
