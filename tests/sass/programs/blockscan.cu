#include <cub/block/block_scan.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
extern "C" __global__ void k(const int *in, int *out) {
  typedef cub::BlockScan<int, 128> Scan; typedef cub::BlockRadixSort<int, 128, 2> Sort; typedef cub::WarpReduce<int> WR;
  __shared__ union { Scan::TempStorage a; Sort::TempStorage b; WR::TempStorage w[4]; } t;
  int i = blockIdx.x * 128 + threadIdx.x, v = in[i], s, total;
  Scan(t.a).ExclusiveSum(v, s, total); __syncthreads();
  int key[2] = {(v * 7919) ^ 0x5a5a, (v * 104729) & 0xffff}; Sort(t.b).Sort(key); __syncthreads();
  int w = WR(t.w[threadIdx.x / 32]).Sum(v);
  out[4*i] = s + total; out[4*i+1] = key[0]; out[4*i+2] = key[1]; out[4*i+3] = threadIdx.x % 32 ? 0 : w;
}
