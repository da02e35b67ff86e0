#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(const int *in, float *out, int *iout) {
  __shared__ half a[256], b[256]; __shared__ signed char c[256], d[256];
  for (int i = threadIdx.x; i < 256; i += 32) { a[i] = __float2half((in[i] % 17) * 0.25f - 2.f); b[i] = __float2half((in[i] % 13) * 0.5f - 3.f); c[i] = in[i] % 100 - 50; d[i] = in[i] % 37 - 18; }
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa; wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb; wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 1.5f); wmma::load_matrix_sync(fa, a, 16); wmma::load_matrix_sync(fb, b, 16); wmma::mma_sync(fc, fa, fb, fc); wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> ga; wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> gb; wmma::fragment<wmma::accumulator, 16, 16, 16, int> gc;
  wmma::fill_fragment(gc, 5); wmma::load_matrix_sync(ga, c, 16); wmma::load_matrix_sync(gb, d, 16); wmma::mma_sync(gc, ga, gb, gc); wmma::store_matrix_sync(iout, gc, 16, wmma::mem_row_major);
}
