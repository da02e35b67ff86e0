struct Base { __device__ virtual int f(int x) const { return x + 1; } __device__ virtual ~Base() {} };
struct A : Base { int m; __device__ A(int m) : m(m) {} __device__ int f(int x) const override { return x * m; } };
struct B : Base { __device__ int f(int x) const override { return x < 2 ? x : f(x - 1) + f(x - 2); } };
__device__ __noinline__ int sq(int x) { return x * x; } __device__ __noinline__ int neg(int x) { return -x; }
__device__ int (*table[2])(int) = {sq, neg};
extern "C" __global__ void k(const int *in, int *out) {
  int i = threadIdx.x, v = in[i]; Base *p = i % 2 ? (Base *)new A(i) : (Base *)new B;
  out[i] = p->f(v % 12) + table[i / 3 % 2](v); delete p;
}
