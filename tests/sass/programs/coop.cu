#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const int *in, int *out) {
  cg::thread_block b = cg::this_thread_block(); auto t = cg::tiled_partition<16>(b);
  int i = b.group_index().x * b.size() + b.thread_rank(), v = in[i];
  int r = cg::reduce(t, v, cg::plus<int>()), s = cg::inclusive_scan(t, v);
  if (v % 3 == 0) { auto c = cg::coalesced_threads(); r += c.shfl(v, 0) * c.size(); }
  auto l = cg::labeled_partition(t, v % 5); s += l.size();
  out[2*i] = r; out[2*i+1] = s; b.sync();
}
