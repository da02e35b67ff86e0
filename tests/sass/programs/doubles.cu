extern "C" __global__ void k(const int *in, double *out, long long *q) {
  int i = threadIdx.x; double x = in[i] * 1.25 - 20.0, y = i + 0.5;
  out[8*i] = x / y; out[8*i+1] = sqrt(fabs(x)); out[8*i+2] = fmod(x, y); out[8*i+3] = pow(fabs(x) + 0.1, 1.7); out[8*i+4] = sin(x); out[8*i+5] = exp(x * 0.1);
  out[8*i+6] = __fma_rn(x, y, -1.0) ; out[8*i+7] = (double)(sinf((float)x) / cosf((float)y) + powf(1.5f, (float)x) + tanhf((float)x));
  __int128 a = (__int128)in[i] * 0x123456789abcdefLL + i; a = a * a / (i * 12345 + 77) ; q[4*i] = (long long)a; q[4*i+1] = (long long)(a >> 64);
  long long d = in[i] * 1234567891234LL; q[4*i+2] = d / (i * 3 + 7) + d % (i + 11); q[4*i+3] = (long long)(x * 1e12) ^ (unsigned long long)(y * 1e9) ;
}
