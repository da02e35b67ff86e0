#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const int *in, int *out) {
  auto g = cg::this_grid();
  out[g.thread_rank()] = in[g.thread_rank()];
  g.sync();
  int v = out[g.thread_rank() * 7 % g.size()];
  g.sync();
  out[g.size() + g.thread_rank()] = v + (int)g.block_rank();
}
extern "C" __global__ void big(const int *in, int *out) {
  __shared__ cg::block_tile_memory<256> sh;
  auto t = cg::tiled_partition<128>(cg::this_thread_block(sh));
  out[threadIdx.x] = cg::reduce(t, in[threadIdx.x], cg::plus<int>());
  t.sync();
  out[256 + threadIdx.x] = t.shfl(in[threadIdx.x], 77);
}
