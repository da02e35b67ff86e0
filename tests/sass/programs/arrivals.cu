#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const int *in, int *out) {
  constexpr int S = 3;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, S> st;
  __shared__ int s[S][64];
  auto g = cg::this_thread_block();
  auto p = cuda::make_pipeline(g, &st);
  for (int i = 0, f = 0; i < 8; i++) {
    for (; f < 8 && f < i + S; f++) {
      p.producer_acquire();
      cuda::memcpy_async(g, s[f % S], in + f * 64, sizeof(int) * 64, p);
      p.producer_commit();
    }
    p.consumer_wait();
    out[i * 64 + threadIdx.x] = s[i % S][63 - threadIdx.x];
    p.consumer_release();
  }
}
extern "C" __global__ void own(const int *in, int *out) {
  __shared__ unsigned long long m;
  __shared__ int s[64];
  unsigned a = (unsigned)__cvta_generic_to_shared(&m), d = (unsigned)__cvta_generic_to_shared(s + threadIdx.x);
  unsigned long long token;
  int done = 0;
  if (!threadIdx.x) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(a));
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(d), "l"(in + threadIdx.x));
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(a));
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p;}" : "=r"(done) : "r"(a));
  out[threadIdx.x] = s[threadIdx.x ^ 1];
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(d), "l"(in + threadIdx.x + 9));
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(a));
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(a));
  for (done = 0; !done;)
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p;}" : "=r"(done) : "r"(a), "l"(token));
  out[64 + threadIdx.x] = s[threadIdx.x ^ 2];
  __syncthreads();
  if (!threadIdx.x) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(a));
}
