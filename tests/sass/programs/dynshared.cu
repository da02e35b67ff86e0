extern __shared__ int sm[];
extern "C" __global__ void k(const int *in, int *out, int n) {
  int i = threadIdx.x; sm[i] = in[blockIdx.x * blockDim.x + i]; __syncthreads();
  for (int d = 1; d < n; d *= 2) { int v = i >= d ? sm[i - d] : 0; __syncthreads(); sm[i] += v; __syncthreads(); }
  int w = __syncthreads_count(sm[i] & 1) + __syncthreads_and(i < 200) + __syncthreads_or(i == 5);
  w += __shfl_xor_sync(~0u, w, 5) + __ballot_sync(~0u, i & 4) % 1000 + __reduce_max_sync(~0u, i);
  out[blockIdx.x * blockDim.x + i] = sm[i] + w + __any_sync(~0u, sm[i] == 3) + (int)__match_any_sync(~0u, i / 4) % 100;
}
