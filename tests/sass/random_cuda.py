#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_cuda.py SEED [ARCH]: prints a random kernel in CUDA C, whose PTX and machine code must leave the same bytes. For sm_75
and sm_80 it has only what they have.

Expressions and statements are templates. In them {i} stands for an expression of the type that the letter names (TYPES),
{I} for a variable of it, {#32} for a number below 32, and {a|b} for one of the words. NaNs and zeros lose their signs on the way
out, since which NaN comes out of f32 is not laid down; bits that are looked at in between still show them.
"""
import random
import re
import sys

# letter: C type, names of variables, how each begins (k: its number), chance of a variable, expressions
TYPES = {
    'i': ('int', ['i0', 'i1', 'i2', 'i3', 'i4'], 'in[(t * 7 + {k} * 37) & 1023]', .3, [
        '({i} + {i})', '({i} - {i})', '({i} * {i})', '({i} {&|^} {i})', '({i} >> ({i} & 31))', '({i} << ({i} & 31))',
        '(int)((unsigned){i} >> {#32})', '({i} < {i} ? {i} : {i})', '({i} == {i} && {i} > 3)', '!{i}', '({i} {/|%} (({i} & 1023) + 1))',
        '({i} {/|%} {7|-100|13|1000})', '(int)((unsigned){i} {/|%} {10|7|1000}u)', '{0|1|-1|255|0x7fffffff|0x80000000|12345|-77}',
        '(int)bits.{a|b|c|d|e|f}', '(int)many[{I} & 3].{x|y|w[2]|w[4]}', '(int)both.{u|h[0]|h[1]|b[1]|b[3]}', 'local[{i} & 15]', 'table[{i} & 31]',
        'recurse({I} & 7, {i})', 'pointers[{I} & 3]({i})', 'virtually(({I} & 1) ? (Base *)&left : ({I} & 1) ? (Base *)&right : &base, {i})', 'unrolled<{2|3|7}>({i})',
        '{min|max|__mulhi|__mul24|__hadd|__rhadd|__vimax_s32_relu}({i}, {i})', '{__popc|__clz|__ffs|abs|(int)__brev}({i})', '(int)__funnelshift_{l|r|lc|rc}({i}, {i}, {i})',
        '(int)__byte_perm({i}, {i}, {i})', '(int){__vavgs4|__vsads2|__vsetles2|__vsubss4|__vaddus2|__vmaxs2|__vcmpgtu4|__vabsdiffu4}({i}, {i})', '{__viaddmax_s32|__vimin3_s32|__dp4a}((int){i}, (int){i}, (int){i})',
        '{(short)|(signed char)|(int)(unsigned char)}({i})', '(int)({l} >> {#50})', '(int)({n} >> {#100})', '__float_as_int({f})', '__popcll({l})', '{(int)|__float2int_rd|__float2int_rn}({f})', '{(int)|__double2loint|__double2hiint}({d})',
        'ptx1<int>(({i}), [](int a) {{ int r; asm("{bfind.s32|bfind.u32|bfind.shiftamt.u32} %0, %1;" : "=r"(r) : "r"(a)); return r; }})',
        'ptx2<int>({i}, {i}, [](int a, int b) {{ int r; asm("{add.sat.s32|sub.sat.s32|mul24.hi.s32|mul24.hi.u32|szext.wrap.s32|szext.clamp.u32|bmsk.clamp.b32|cvt.pack.sat.u16.s32|cvt.pack.sat.s16.s32} %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }})',
        'ptx3<int>({i}, {i}, {i}, [](int a, int b, int c) {{ int r; asm("{bfe.s32|bfe.u32|prmt.b32.f4e|prmt.b32.b4e|prmt.b32.rc8|prmt.b32.ecl|shf.l.clamp.b32|shf.r.wrap.b32|mad24.hi.s32|mad.hi.sat.s32|slct.u32.s32|sad.s32|sad.u32|dp2a.lo.s32.u32|dp4a.u32.s32|fns.b32|vmad.s32.s32.s32.shr7|cvt.pack.sat.u8.s32.b32} %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b & 63), "r"(c & 31)); return r; }})',
        'ptx3<int>({i}, {i}, {i}, [](int a, int b, int c) {{ int r; asm("lop3.b32 %0, %1, %2, %3, {#256};" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }})',
        'ptx3<int>({i}, {i}, {i}, [](int a, int b, int c) {{ int r; asm("{vadd.s32.s32.u32.max|vsub.s32.s32.u32.min|vmin.s32.s32.s32.add|vabsdiff.u32.u32.s32.add} %0, %1.b{#4}, %2.h{#2}, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }})',
        'ptx3<int>({i}, {i}, {i}, [](int a, int b, int c) {{ int r; asm("{{ .reg .u32 t; {add.cc.u32 t, %1, %2; addc.cc.u32 t, t, %3; addc.u32 %0, t, %1|sub.cc.u32 t, %1, %2; subc.cc.u32 t, t, %3; subc.u32 %0, t, %2|mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, t}; }}" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }})',
        'ptx2<float>({f}, {f}, [](float a, float b) {{ int r; asm("{set.lt.u32.f32|set.nan.u32.f32|set.leu.u32.f32|cvt.rn.bf16x2.f32|cvt.rz.bf16x2.f32|cvt.rn.relu.f16x2.f32} %0, %1, %2;" : "=r"(r) : "f"(a), "f"(b)); return r; }})',
    ]),
    'l': ('long long', ['l0', 'l1'], '(long long)in[(t + {k}) & 1023] * in[(t + 3) & 1023]', .4, [
        '({l} + {l})', '({l} - {l})', '({l} * {l})', '({l} ^ {l})', '({l} << ({I} & 63))', '(long long)((unsigned long long){l} >> {#64})', '({l} >> ({I} & 63))', '({l} / ({l} | 1))', '({l} % {1000003|7})',
        '(long long){i} * {I}', '(long long)({n} >> {#64})', '(long long)({f})', '__double2ll_rn({d})', '__double_as_longlong({d})', '({l} < {l} ? {l} : {l} + 1)', '{min|max}({l}, {l})', 'llabs({l})', '(long long)__brevll({l})', '__mul64hi({l}, {l})', '(long long){__clzll|__popcll|__ffsll}({l})',
    ]),
    'n': ('__int128', ['n0'], '(__int128)l0 * l1', .6, ['({n} * {l} + {i})', '({n} / ({l} | 1))', '({n} + ((__int128){l} << 40))', '({n} % 1000000007)', '(({n} >> 7) ^ {l})', '({n} < 0 ? -{n} : {n})']),
    'f': ('float', ['f0', 'f1', 'f2', 'f3'], 'fin[(t * 5 + {k} * 29) & 1023]', .3, [
        '({f} + {f})', '({f} - {f})', '({f} * {f})', '({f} * {f} + {f})', '({f} * {f} - {f})', '({f} / {f})', '({f} < {f} ? {f} : {f})', '(-{f})', '{1.0f|-0.5f|3e20f|1e-40f|0.0f|100.0f|0.1f}', '({f} * {0.5f|2.0f|3.0f|0.1f})',
        'many[{I} & 3].z', 'both.f', '(float){i}', '(float)(unsigned char){i}', '(float)(short){i}', '(float)({d})', '(float)({l})', '(float)(unsigned long long)({l})', '__int_as_float({i})', '__low2float({g})', '__bfloat162float({B}.x)',
        '{sinf|cosf|tanf|expf|exp2f|erff|erfcf|cbrtf|tanhf|normcdff|floorf|ceilf|rintf|roundf|truncf|fabsf|__saturatef|__frcp_rn|__sinf|__cosf|__expf}({f})', '{sqrtf|logf|log2f|log1pf|rsqrtf|__logf|__frsqrt_rn|__fsqrt_rd}(fabsf({f}))', '{fminf|fmaxf|hypotf|fdimf|nextafterf|remainderf|fmodf|atan2f|copysignf|rhypotf|__fdividef|__fadd_rz|__fmul_ru|__fdiv_rd}({f}, {f})', 'powf(fabsf({f}), 0.37f)', 'fmaf({f}, {f}, {f})', '__fmaf_rz({f}, {f}, {f})', 'frexpf({f}, &exponent)', 'ldexpf({f}, {I} & 31)', 'lgammaf(fabsf({f}) + 0.5f)', 'sinhf({f} * 0.01f)', 'norm3df({f}, {f}, {f})', '(isnan({f}) ? 1.0f : {f})', 'scaled({f}, {f})',
        'ptx1<float>({f}, [](float a) {{ float r; asm("{ex2.approx.f32|ex2.approx.ftz.f32|lg2.approx.f32|tanh.approx.f32|rcp.approx.ftz.f32|rsqrt.approx.ftz.f32|cvt.rmi.ftz.f32.f32|cvt.rpi.f32.f32} %0, %1;" : "=f"(r) : "f"(a)); return r; }})',
        'ptx2<float>({f}, {f}, [](float a, float b) {{ float r; asm("{div.full.f32|add.rm.f32|add.sat.f32|add.rn.ftz.f32|min.NaN.f32|max.xorsign.abs.f32|set.equ.f32.f32} %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }})',
        'ptx3<float>({f}, {f}, {f}, [](float a, float b, float c) {{ float r; asm("{fma.rn.sat.f32|fma.rn.ftz.f32|fma.rp.f32} %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c)); return r; }})',
    ]),
    'd': ('double', ['d0', 'd1'], '(double)fin[(t + {k} * 13) & 1023] * 1.000001', .4, [
        '({d} + {d})', '({d} - {d})', '({d} * {d})', '({d} * {d} + {d})', '({d} / {d})', '({d} < {d} ? {d} : {d})', '(double)({f})', '(double)({i})', '(double)({l})', 'many[{I} & 3].q', 'constants[{I} & 3]', '__longlong_as_double({l})',
        '{sqrt|cbrt|atan|floor|rint|tanh|fabs}({d})', '{log|log2|rsqrt}(fabs({d}) + 1)', 'pow(fabs({d}), 0.3)', '{fmod|fmin|fmax|__dadd_rz|__ddiv_rz}({d}, {d})', '{fma|__fma_rd}({d}, {d}, {d})', '{sin|cos}({d} * 1e-5)', '{exp|exp10}({d} * 1e-9)', '__dsqrt_ru(fabs({d}))',
    ]),
    'g': ('__half2', ['g0', 'g1'], '__floats2half2_rn(f{k}, f{k})', .4, [
        '{__hadd2|__hsub2|__hmul2|__hmul2_sat|__hmax2|__hmin2_nan|__h2div|__heq2|__hgt2|__highs2half2}({g}, {g})', '{__hfma2|__hfma2_relu|__hcmadd}({g}, {g}, {g})', '{h2rcp|h2floor|h2rint|h2exp2|h2sin|__hneg2|__lowhigh2highlow}({g})', 'h2sqrt(__habs2({g}))', '__floats2half2_rn({f}, {f})', '__halves2half2(__int2half_rn({i}), __high2half({g}))',
    ]),
    'b': ('__nv_bfloat162', ['b0', 'b1'], '__floats2bfloat162_rn(f{k}, f2)', .4, ['{__hadd2|__hsub2|__hmul2|__hmin2|__hmax2_nan}({b}, {b})', '__hfma2({b}, {b}, {b})', '__floats2bfloat162_rn({f}, {f})', 'h2floor({b})']),
}

# weight, statement
ASSIGNMENTS = [(30, '{I} = {i};'), (9, '{L} = {l};'), (3, '{N} = {n};'), (20, '{F} = {f};'), (9, '{D} = {d};'), (5, '{G} = {g};'), (3, '{B} = {b};'),
    (4, 'bits.{a|b|c|d|e|f} = {i};'), (4, 'many[{I} & 3] = make({i}, {F}, many[{I} & 3]);'), (3, 'both.{u|h[0]|h[1]|b[0]|b[2]} = {i};'), (4, 'local[{i} & 15] = {i};'), (2, 'order(&local[{I} & 15], &{I});'), (1, '{F} = (float)atomicAdd(&shared[threadIdx.x], {I});')]
CONDITIONS = ['{i} > {i}', '{f} < {f}', '!({d} >= {d})', '{i} & 1 && {i} != 0 || {f} == 0', '{i} & 2']
LOOPS = ['for (int {v} = 0; {v} < {(i0 & 7)|5|(i1 & 3) + 2}; {v}++) {{ {I} += {v};', 'for (int {v} = {I} & 15; {v} > 0; {v} -= 1 + ({I} & 1)) {{']
LEAVES = ['', '', 'if ({i} == 3) break;', 'if ({I} & 4) continue; {I} += 2;']
LOADS = ['{{ int4 v = *(const int4 *)&in[({I} & 127) * 4]; {I} += v.x ^ v.w; {F} += v.y; }}', '{{ short2 v = *(const short2 *)&in[{I} & 511]; {I} += v.x * v.y; }}', '{{ uchar4 v = *(const uchar4 *)&in[{I} & 511]; {I} += v.x + v.y * 3 - v.w; }}', '{L} ^= __ldg((const long long *)in + ({I} & 255));',
    '{I} += *(volatile const signed char *)((const char *)in + ({I} & 1023));', '{D} += __ldcg(fin + ({I} & 511));', '{I} += ((const unsigned short *)in)[{I} & 1023];', 'atomicAdd(&sums[{I} & 7], {I} & 1);']
# Where all lanes of the block run. Which of them run together is laid down only behind a __syncwarp(): lanes that a virtual
# call has led apart need not have met again.
TOGETHER = ['shared[threadIdx.x] = {I}; __syncthreads(); {I} += shared[(threadIdx.x * {1|3|5|17} + {#256}) & 127]; __syncthreads();', '{I} += __shfl_xor_sync(~0u, {I}, {#32});', '{F} = __shfl_{up|down}_sync(~0u, {F}, {1|3|8}, {8|16|32});', '{L} = __shfl_sync(~0u, {L}, {I});', '{I} ^= __ballot_sync(~0u, {i} & 1);',
    '{{ int all; {I} += __match_all_sync(~0u, {I} & 1, &all) + all; }}', '{I} ^= __match_any_sync(~0u, {I} & 3);', '{I} = __reduce_{min|max|add}_sync(~0u, {I});', '__syncwarp(); if ({I} & 1) {{ auto g = cg::coalesced_threads(); {I} += g.thread_rank() * 3 + g.size(); {I} ^= g.shfl({I}, 0); }}',
    '{{ auto g = cg::tiled_partition<{2|4|8|16}>(cg::this_thread_block()); for (int q = g.size() / 2; q; q /= 2) {I} += g.shfl_down({I}, q); {I} += g.any({I} & 1); }}', '__syncwarp(); if (threadIdx.x & {1|2|4}) {I} += __popc(__activemask()); __syncwarp();']

HEAD = r'''#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct Bits { unsigned a:5, b:11, c:3, d:13; signed e:7; signed f:25; };
struct Many { char x; short y; float z; unsigned char w[5]; double q; };
union Both { unsigned u; float f; unsigned short h[2]; unsigned char b[4]; };
struct Base { int k; __device__ Base(int k) : k(k) {} __device__ virtual int f(int a) { return a + k; } };
struct Left : Base { __device__ Left(int k) : Base(k) {} __device__ int f(int a) override { return a * 3 - k; } };
struct Right : Base { __device__ Right(int k) : Base(k) {} __device__ int f(int a) override { return (a ^ k) + 9; } };
typedef int (*function)(int);
__constant__ int table[32] = {3,1,4,1,5,9,2,6,5,3,5,8,9,7,9,3,2,3,8,4,6,2,6,4,3,3,8,3,2,7,9,5};
__constant__ double constants[4] = {1.5, -2.25, 1e-3, 3e7};
__device__ int plus(int a) { return a * 7 + 1; }
__device__ int flip(int a) { return a ^ 0x55; }
__device__ int quarter(int a) { return a >> 2; }
__device__ int turn(int a) { return -a; }
__device__ function pointers[4] = {plus, flip, quarter, turn};
__device__ __noinline__ Many make(int a, float b, const Many &o) { Many s = o; s.x = a; s.y += a >> 3; s.z = b * 0.5f + o.z; s.w[a & 3] ^= a; s.q = o.q * 0.5 + a; return s; }
__device__ __noinline__ int recurse(int n, int a) { if (n <= 0) return a; int l[4] = {a, n, a ^ n, a + n}; return recurse(n - 1 - (a & 1), l[a & 3] * 3 + 1) ^ l[n & 3]; }
__device__ __noinline__ void order(int *a, int *b) { if (*a > *b) { int t = *a; *a = *b; *b = t; } else *a += 1; }
__device__ __noinline__ int virtually(Base *b, int a) { return b->f(a); }
__device__ __noinline__ float scaled(float a, float b) { return a < b ? a * b + 0.25f : a / (b * b + 1.0f); }
template <int N> __device__ int unrolled(int a) { int s = 0;
#pragma unroll
for (int k = 0; k < N; k++) s = s * 3 + (a >> k); return s; }
template <class T, class O> __device__ auto ptx1(T a, O o) { return o(a); }
template <class T, class O> __device__ auto ptx2(T a, T b, O o) { return o(a, b); }
template <class T, class O> __device__ auto ptx3(T a, T b, T c, O o) { return o(a, b, c); }
__device__ int word(float v) { return isnan(v) ? 0x7fffffff : v == 0 ? 0 : __float_as_int(v); }
__device__ int word(double v) { return isnan(v) ? 7 : v == 0 ? 0 : __double2loint(v) * 3 + __double2hiint(v); }
extern "C" __global__ void k(const int *in, const float *fin, int *out, int *sums)
{
__shared__ int shared[256];
int t = blockIdx.x * 64 + threadIdx.x, exponent = 0, local[16];
for (int q = threadIdx.x; q < 256; q += 64) shared[q] = blockIdx.x * 64 + q;
__syncthreads();
for (int q = 0; q < 16; q++) local[q] = in[(t + q * 5) & 1023];
Bits bits; bits.a = t; bits.b = t * 3; bits.c = t; bits.d = t * 7; bits.e = t; bits.f = t * 9;
Many many[4]; for (int q = 0; q < 4; q++) { many[q].x = t + q; many[q].y = t * q; many[q].z = fin[(t + q) & 1023]; for (int w = 0; w < 5; w++) many[q].w[w] = t + w; many[q].q = fin[(t * 2 + q) & 1023]; }
Both both; both.u = in[t & 1023]; Base base(t); Left left(t + 1); Right right(3);
'''
TAIL = r'''for (int q = 0; q < 5; q++) out[t * 12 + q] = q == 0 ? i0 : q == 1 ? i1 : q == 2 ? i2 : q == 3 ? i3 : i4;
out[t * 12 + 5] = (int)(l0 ^ (l0 >> 32)) * 31 + (int)(l1 ^ (l1 >> 32));
out[t * 12 + 6] = word(f0) * 3 + word(f1); out[t * 12 + 7] = word(f2) * 3 + word(f3); out[t * 12 + 8] = word(d0) * 5 + word(d1);
int s = 0; for (int q = 0; q < 16; q++) s = s * 3 + local[q];
for (int q = 0; q < 4; q++) { s = s * 5 + many[q].x + many[q].y * 3 + word(many[q].z) + word(many[q].q); for (int w = 0; w < 5; w++) s = s * 3 + many[q].w[w]; }
out[t * 12 + 9] = s;
out[t * 12 + 10] = word(__low2float(g0)) + 3 * word(__high2float(g0)) + 5 * word(__low2float(g1)) + 7 * word(__high2float(g1)) + 11 * word(__bfloat162float(b0.x)) + 13 * word(__bfloat162float(b1.y));
out[t * 12 + 11] = bits.a + bits.b * 3 + bits.c * 5 + bits.d * 7 + bits.e * 9 + bits.f * 11 + (both.u & 0xffff) + (int)(n0 >> 64) + (int)n0 + exponent + shared[threadIdx.x];
}
'''
# What sm_75 lacks, or nvcc for it.
NEWER = re.compile(r'bf16|\{b\}|bfloat162 *\(\{g\}|relu|_nan|NaN|xorsign|__reduce_|f16x2\.f32|\{B\}\.x|(?<!\w)__h(max2|min2)')
NEWER_86 = re.compile(r'xorsign')
PLACE = re.compile(r'\{\{|\}\}|\{([^{}]+)\}')


class Writer:
    def __init__(self, seed, arch):
        self.random = random.Random(seed)
        self.names = 0
        self.lacks = {'sm_75': [NEWER], 'sm_80': [NEWER_86]}.get(arch, [])

    def choose(self, texts, weights=None):
        """One of the texts, of those that the target has."""
        weights = weights or [1] * len(texts)
        left = [(t, w) for t, w in zip(texts, weights)
                if not any(newer.search(re.sub(r'\{[^{}]*\|[^{}]*\}', '', t)) for newer in self.lacks)]
        if not left:
            left = list(zip(texts, weights))
        return self.random.choices([t for t, _ in left], [w for _, w in left])[0]

    def fill(self, template, depth, name=''):
        """The template with its places filled; expressions end at three levels."""
        def place(match):
            what = match.group(1)
            if what is None:
                return match.group()[0]
            if what == 'v':
                return name
            if what in TYPES:
                return self.expression(what, depth + 1)
            if what.lower() in TYPES and len(what) == 1:
                return self.random.choice(TYPES[what.lower()][1])
            if what[0] == '#':
                return str(self.random.randrange(int(what[1:])))
            return self.choose(what.split('|'))
        return PLACE.sub(place, template)

    def expression(self, letter, depth):
        _, variables, _, chance, templates = TYPES[letter]
        if depth > 3 or self.random.random() < chance:
            return self.random.choice(variables)
        return self.fill(self.choose(templates), depth)

    def assignment(self):
        weights, templates = zip(*ASSIGNMENTS)
        return self.fill(self.choose(templates, weights), 0)

    def condition(self):
        return self.fill(self.random.choice(CONDITIONS), 1)

    def name(self):
        self.names += 1
        return f'v{self.names}'

    def branch(self, depth):
        text = [f'if ({self.condition()}) {{', *self.block(depth + 1, 3), '}']
        return text + ['else {', *self.block(depth + 1, 2), '}'] if self.random.random() < .6 else text

    def loop(self, depth):
        text = [self.fill(self.random.choice(LOOPS), 2, self.name()), *self.block(depth + 1, 2)]
        return text + [self.fill(self.random.choice(LEAVES), 2), '}']

    def switch(self, depth):
        text = [f'switch ({self.expression("i", 2)} & 7) {{']
        for k in range(self.random.randrange(4, 8)):
            text.append(f'case {k}: {self.assignment()}' + (' break;' if self.random.random() < .7 else ''))
        return text + [f'default: {self.assignment()} }}']

    def jump(self, depth):
        label = self.name()
        return [f'if ({self.condition()}) goto {label};', self.assignment(), f'{label}: ;']

    def block(self, depth, count):
        """Statements; at depth 0 all lanes of the block run them."""
        text = []
        for _ in range(count):
            kind = self.random.random()
            if kind < .5 or depth > 2:
                text.append(self.assignment())
            elif kind < .8:
                text += self.random.choice([self.branch, self.branch, self.loop, self.loop, self.switch, self.jump])(depth)
            elif kind < .88 or depth:
                text.append(self.fill(self.random.choice(LOADS), 1))
            else:
                text.append(self.fill(self.choose(TOGETHER), 1))
        return text


def kernel(seed, arch):
    writer = Writer(seed, arch)
    text = HEAD
    for kind, variables, begin, _, _ in TYPES.values():
        for k, name in enumerate(variables):
            text += f'{kind} {name} = {begin.replace("{k}", str(k))};\n'
    for line in writer.block(0, writer.random.randrange(9, 18)):
        text += line + '\n'
    return text + TAIL


if __name__ == '__main__':
    sys.stdout.write(kernel(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else 'sm_90a'))
