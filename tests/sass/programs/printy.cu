#include <cstdio>
#include <cassert>
extern "C" __global__ void k(const int *in, int *out) { int i = threadIdx.x; int *p = (int *)malloc(16 * (i + 1)); assert(p); for (int n = 0; n < 4 * (i + 1); n++) p[n] = in[i] + n; int s = 0; for (int n = 0; n < 4 * (i + 1); n++) s += p[n]; free(p); out[i] = s;
  if (i % 8 == 0) printf("lane %d: %d %s %.3f %lld\n", i, s, "text", i * 1.5, 1ll << i); }
