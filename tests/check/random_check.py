#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_check.py SEED [--watched]: prints a random kernel over shared memory, with its launches, in which threads may race and
values may be unwritten. What the checks say of it must not depend on what they prove before a launch: with --watched, a call that
is never made keeps them from proving anything. Either text has the same lines.
"""
import random
import sys

SHAPES = [(32, 1, 1), (64, 1, 1), (33, 1, 1), (48, 1, 1), (16, 4, 1), (8, 3, 3), (96, 1, 1), (7, 5, 1), (128, 1, 1)]
# weight, width in bytes, type, what is stored
STORES = [(11, 4, 'u32', '%r5'), (2, 1, 'u8', '%r5'), (2, 2, 'u16', '%rs1'), (2, 8, 'v2.u32', '{%r5, %r1}'),
          (1, 16, 'v4.u32', '{%r5, %r1, %r5, %r1}'), (2, 8, 'u64', '%rd1')]


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.shape = self.pick(SHAPES)
        self.threads = self.shape[0] * self.shape[1] * self.shape[2]
        self.size = self.pick([256, 512, 1024])
        self.dynamic = self.chance(.3)
        self.cluster = 2 if self.chance(.2) else 0
        self.lines = []
        self.loops = []
        self.numbers = {'r': 20, 'p': 0, 'label': 0}

    def pick(self, choices):
        return self.random.choice(choices)

    def chance(self, probability):
        return self.random.random() < probability

    def write(self, text):
        self.lines.append('\t' + text)

    def number(self, kind):
        self.numbers[kind] += 1
        return self.numbers[kind]

    def register(self):
        return f'%r{self.number("r")}'

    def index(self, width):
        """An offset in bytes, a multiple of the width: mostly a thread's own, inside of the memory."""
        r = self.register()
        base = self.pick(['%r5', '%r5', '%r5', '%r1', '%r2', '%r4'] + self.loops)
        by = self.pick([width, width, width, 2 * width, 4 * width])
        more = self.pick([0, 0, 0, width, 4 * width, 64])
        backwards, mixed = self.chance(.15), self.chance(.15)
        if backwards:
            self.write(f'sub.u32 {r}, {self.threads - 1}, {base};')
            base = r
        self.write(self.pick([f'mul.lo.s32 {r}, {base}, {by};', f'shl.b32 {r}, {base}, {by.bit_length() - 1};']))
        if mixed:
            self.write(f'xor.b32 {r}, {r}, {self.pick([width, 2 * width, 32])};')
        self.write(f'add.s32 {r}, {r}, {more};')
        if backwards or mixed or base in self.loops or self.threads * by + more > self.size - 16 or self.chance(.3):
            self.write(f'and.b32 {r}, {r}, {self.size - max(width, 1)};')
        return r

    def address(self, width):
        """The address, and the space that an instruction names for it."""
        r = self.index(width)
        self.write(f'add.u32 {r}, %r7, {r};')
        if self.cluster and self.chance(.3):
            self.write(f'mapa.shared::cluster.u32 {r}, {r}, {self.pick(["%r8", "%r9", "0"])};')
            return r, '.shared::cluster'
        if self.chance(.15):
            wide = f'%rd{self.numbers["r"]}'
            self.write(f'cvt.u64.u32 {wide}, {r}; cvta.shared.u64 {wide}, {wide};')
            return wide, ''
        return r, self.pick(['.shared'] * 9 + ['.volatile.shared'])

    def predicate(self):
        p = f'%p{self.number("p")}'
        a, compare, kind = self.pick(['%r5', '%r5', '%r1', '%r2', '%r4', '%r6']), self.pick('lt le gt ge eq ne'.split()), self.pick(['u32', 's32'])
        b = self.pick(['%r6', '%r6', str(self.pick([0, 1, self.threads, self.threads - 1, self.threads // 2, 32, 500]))])
        self.write(f'setp.{compare}.{kind} {p}, {a}, {b};')
        if self.chance(.2):
            other = f'%p{self.number("p")}'
            self.write(f'setp.lt.u32 {other}, %r5, {self.pick([self.threads, self.threads // 2, 1])};')
            self.write(f'{self.pick(["and", "or", "xor"])}.pred {p}, {p}, {other};')
        return p

    def guard(self):
        return '' if self.chance(.6) else f'@{self.pick(["", "!"])}{self.predicate()} '

    def store(self):
        _, width, kind, value = self.random.choices(STORES, [s[0] for s in STORES])[0]
        guard = self.guard()
        address, space = self.address(width)
        self.write(f'{guard}st{space}.{kind} [{address}], {value};')

    def load(self):
        guard, d, second = self.guard(), self.register(), self.register()
        width, kind = self.pick([(4, 'u32'), (4, 'u32'), (4, 'u32'), (1, 'u8'), (8, 'v2.u32')])
        address, space = self.address(width)
        self.write(f'mov.u32 {d}, 0; mov.u32 {second}, 0;')
        self.write(f'{guard}ld{space}.{kind} {f"{{{d}, {second}}}" if width == 8 else d}, [{address}];')
        self.write(f'xor.b32 %r10, %r10, {d}; xor.b32 %r10, %r10, {second};')

    def atomic(self):
        guard, d, r = self.guard(), self.register(), self.index(4)
        self.write(f'add.u32 {r}, %r7, {r};')
        self.write(f'mov.u32 {d}, 0;')
        self.write(guard + self.pick([f'atom.shared.add.u32 {d}, [{r}], 1;', f'red.shared.max.u32 [{r}], 1;']))
        self.write(f'xor.b32 %r10, %r10, {d};')

    def copy(self):
        guard, r = self.guard(), self.index(4)
        self.write(f'add.u32 {r}, %r7, {r};')
        self.write(f'{guard}cp.async.ca.shared.global [{r}], [%rd2], 4;')
        self.write('cp.async.wait_all;')

    def barrier(self):
        self.write(self.pick(['barrier.cluster.arrive; barrier.cluster.wait;', 'bar.sync 0;']) if self.cluster else 'bar.sync 0;')

    def loop(self, depth):
        label, i, rounds = self.number('label'), self.register(), self.register()
        start, step = self.pick([0, 1, 3, 8]), self.pick([1, 2, 3, -1])
        self.write(f'mov.u32 {i}, {start + (8 if step < 0 else 0)}; mov.u32 {rounds}, 0;')
        self.lines.append(f'L{label}:')
        self.loops.append(i)
        self.body(depth + 1, self.random.randint(1, 3))
        self.loops.pop()
        self.write(f'add.s32 {i}, {i}, {step}; add.u32 {rounds}, {rounds}, 1; setp.lt.u32 %p{200 + label}, {rounds}, {self.random.randint(1, 3)};')
        self.write(f'@%p{200 + label} bra L{label};')

    def branch(self):
        label = self.number('label')
        self.write(f'@{self.pick(["", "!"])}{self.predicate()} bra E{label};')
        self.body(3, self.random.randint(1, 2))
        self.lines.append(f'E{label}:')

    def body(self, depth, count):
        for _ in range(count):
            what = self.random.choices(['store', 'load', 'atomic', 'copy', 'barrier', 'loop', 'branch', 'return'], [30, 22, 5, 5, 17, 8, 10, 3])[0]
            if what == 'loop' and depth < 2:
                self.loop(depth)
            elif what == 'branch' and depth < 2:
                self.branch()
            elif what == 'return':
                self.write(f'@{self.predicate()} ret;')
            elif what == 'barrier' and depth < 3:
                self.barrier()
            elif what in ('store', 'load', 'atomic', 'copy'):
                getattr(self, what)()

    def launches(self):
        shape = ','.join(map(str, self.shape))
        more = (f' shared={self.size}' if self.dynamic else '') + (f' cluster={self.cluster}' if self.cluster else '')
        for n in [self.pick([0, 1, self.threads // 2, self.threads, self.threads - 1, self.threads + 5, 1000]) for _ in range(3)]:
            yield f'//@ launch k(b, in, {n}) grid={self.pick([2, 2, 16])} block={shape}{more}'

    def text(self, watched):
        place = '.extern .shared .align 16 .b8 s[];' if self.dynamic else ''
        inside = '' if self.dynamic else f'.shared .align 16 .b8 s[{self.size}];'
        self.body(0, self.random.randint(3, 9))
        call = ' @%p300 call never;' if watched else ''
        x, y, _ = self.shape
        return '\n'.join([f'//@ buffer b u32[{16 * self.threads}]', '//@ buffer in u32[4] = 7', *self.launches(), f'''.version 8.0
.target sm_90
.address_size 64
.func never;
{place}
.visible .entry k(.param .u64 k_b, .param .u64 k_in, .param .u32 k_n)
{{
	.reg .pred %p<400>; .reg .b16 %rs<4>; .reg .b32 %r<600>; .reg .b64 %rd<600>;
	{inside}
	mov.u32 %r0, %ntid.x; mov.u16 %rs1, 3; mov.u64 %rd1, 5; ld.param.u64 %rd2, [k_in];
	setp.eq.u32 %p300, %r0, 77;{call}
	mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ctaid.x;
	mad.lo.u32 %r5, %r2, {x}, %r1; mad.lo.u32 %r5, %r3, {x * y}, %r5;
	ld.param.u32 %r6, [k_n]; mov.u32 %r7, s; mov.u32 %r10, 0;
	mov.u32 %r8, %cluster_ctarank; {"xor.b32 %r9, %r8, 1;" if self.cluster else ""}''', *self.lines, f'''	mad.lo.u32 %r11, %r4, {self.threads}, %r5; mul.wide.u32 %rd5, %r11, 4; ld.param.u64 %rd4, [k_b]; add.s64 %rd5, %rd4, %rd5;
	st.global.u32 [%rd5], %r10;
	ret;
}}
.func never
{{
	ret;
}}'''])


print(Kernel(int(sys.argv[1])).text('--watched' in sys.argv[2:]))
