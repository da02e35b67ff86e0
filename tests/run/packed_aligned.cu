// SPDX-License-Identifier: Apache-2.0
#pragma pack(push,1)
struct P { unsigned char a; unsigned short b; int c; double d; };
#pragma pack(pop)
struct alignas(64) V { int v[16]; };
struct alignas(32) W { double x[4]; };
// a: packed by value argument
__device__ __noinline__ double useP(P p){ return p.a+p.b+p.c+p.d; }
extern "C" __global__ void ka(double*o){ int t=threadIdx.x; P p; p.a=t;p.b=t*2;p.c=t*3;p.d=t*.5; o[t]=useP(p); }
// b: packed kernel parameter
extern "C" __global__ void kb(double*o,P p){ o[threadIdx.x]=p.a+p.b+p.c+p.d+threadIdx.x; }
// c: packed return through a function pointer
typedef P(*FP)(int); __device__ __noinline__ P mk(int i){ P p; p.a=i;p.b=i*2;p.c=i*3;p.d=i*.5; return p; } __device__ FP tab[2]={mk,mk};
extern "C" __global__ void kc(double*o){ int t=threadIdx.x; P p=tab[t&1](t); o[t]=p.a+p.b+p.c+p.d; }
// d: alignas(64) by value argument and return
__device__ __noinline__ V mkV(int i){ V v; for(int k=0;k<16;k++)v.v[k]=i+k; return v; }
__device__ __noinline__ int useV(V v,int i){ unsigned long long q=(unsigned long long)&v; asm volatile("and.b64 %0,%0,63;":"+l"(q)::"memory"); return v.v[i&15]+(q?100000:0); }
extern "C" __global__ void kd(double*o){ int t=threadIdx.x; V v=mkV(t); o[t]=useV(v,t); }
// e: kernel local
extern "C" __global__ void ke(double*o){ V v; unsigned long long q=(unsigned long long)&v; asm volatile("and.b64 %0,%0,63;":"+l"(q)::"memory"); o[threadIdx.x]=q; }
// f: shared, global, const alignment
__shared__ char s0; struct alignas(1024) B{char c[1024];}; __device__ char g0; __device__ B gb; __constant__ char c0; __constant__ V cv;
extern "C" __global__ void kf(double*o){ __shared__ char s1; __shared__ B sb; s1=1; sb.c[threadIdx.x]=s1; o[0]=(unsigned long long)__cvta_generic_to_shared(&sb)%1024; o[1]=(unsigned long long)&gb%1024; o[2]=(unsigned long long)&cv%64; o[3]=g0+c0; }
// g: alloca
extern "C" __global__ void kg(double*o,int n){ int t=threadIdx.x; char*p=(char*)__builtin_alloca(n+t); for(int i=0;i<n+t;i++)p[i]=i; int s=0; for(int i=0;i<n+t;i++)s+=p[i]; o[t]=s; }
// h: a local in a recursion, alignas(32)
__device__ __noinline__ int rec(int n){ W w; for(int i=0;i<4;i++)w.x[i]=n+i; unsigned long long q=(unsigned long long)&w; asm volatile("and.b64 %0,%0,31;":"+l"(q)::"memory"); int bad=q!=0; return n==0?bad:bad+rec(n-1)+(w.x[n&3]<0); }
extern "C" __global__ void kh(double*o){ o[threadIdx.x]=rec(threadIdx.x+3); }
