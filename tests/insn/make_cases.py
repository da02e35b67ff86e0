#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the cases of forms that differ from one another by a word or two, one file a subject, beside this script or
in a folder that is given.

What each case expects is computed here, from what the PTX manual says of the instruction; nothing of the simulator is
asked. Run it after a change and look at what git says has changed: tests/unit/test_insn.c runs the files as they are.
README has the language of cases.
"""

import os
import struct
import sys

HERE = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
HEAD = "# Written by make_cases.py: change it there.\n"


class File:
    """One .cases file."""

    def __init__(self, name, about, names=()):
        self.name = name
        self.lines = [f"# {about}"]
        self.lines += [f"{name} := {text}" for name, text in names]

    def case(self, code, ins="", outs="", mode=""):
        self.lines.append(" ".join(f"{mode} {code} | {ins} | {outs}".split()))

    def note(self, text):
        self.lines.append(f"# {text}")

    def write(self):
        with open(os.path.join(HERE, self.name + ".cases"), "w") as f:
            f.write(HEAD + "\n".join(self.lines) + "\n")


def half(x):
    return struct.unpack("<H", struct.pack("<e", x))[0]


def bf16(x):
    return struct.unpack("<I", struct.pack("<f", x))[0] >> 16


def f32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def words(value, bits):
    """A value in memory as 32-bit words, the lowest first."""
    return [value >> 32 * k & 0xffffffff for k in range(max(1, bits // 32))]


def memory(first, values, kind="m"):
    return " ".join(f"{kind}{first + k}=0x{v:x}" for k, v in enumerate(values))


POLICY = ("POLICY", "createpolicy.fractional.L2::evict_first.b64 %d9")

# --- Atomic operations ---------------------------------------------------------------------------

INTEGER = {
    "add": lambda a, b: a + b, "min": min, "max": max, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b, "exch": lambda a, b: b, "inc": lambda a, b: 0 if a >= b else a + 1,
    "dec": lambda a, b: b if a == 0 or a > b else a - 1,
}


def atomics():
    f = File("atomic", "Atomic operations with a cache policy, which changes nothing that a program sees. One lane.", [POLICY])
    for name in ("atom", "red"):
        order = "relaxed.gpu" if name == "atom" else "release.sys"

        def scalar(op, type_, bits, a, b, result):
            register = {32: "r", 64: "d", 16: "h"}[bits]
            modifiers = f"{op}.L2::cache_hint.{type_}"
            to = f"%{register}4, " if name == "atom" else ""
            outs = memory(0, words(result, bits) if bits > 16 else [result | 0x10010000])
            if name == "atom":
                outs += f" {register}4=0x{a:x}"
            ins = memory(0, words(a, bits) if bits > 16 else [a | 0x10010000]) + f" {register}5=0x{b:x}"
            f.case(f"{{POLICY}}; {name}.{order}.global.{modifiers} {to}[%data], %{register}5, %d9", ins, outs, "1")

        for op, type_, bits in [("add", "u32", 32), ("min", "s32", 32), ("max", "u32", 32), ("and", "b32", 32),
                                ("or", "b32", 32), ("xor", "b64", 64), ("and", "b64", 64), ("inc", "u32", 32),
                                ("dec", "u32", 32), ("min", "u64", 64), ("max", "s64", 64), ("add", "u64", 64)]:
            a, b = 0x1234, 0x5239
            if bits == 64:
                a, b = a | 0x300000000, b | 0x200000000
            scalar(op, type_, bits, a, b, INTEGER[op](a, b))
        if name == "atom":
            scalar("exch", "b32", 32, 7, 9, 9)
            scalar("exch", "b64", 64, 7, 9, 9)
        scalar("add", "f32", 32, f32(1.5), f32(2.25), f32(3.75))
        scalar("add", "f64", 64, f64(1.5), f64(2.25), f64(3.75))
        scalar("add.noftz", "f16", 16, half(1.5), half(2.25), half(3.75))
        scalar("add.noftz", "bf16", 16, bf16(1.5), bf16(2.25), bf16(3.75))
        scalar("add.noftz", "f16x2", 32, half(1.5) | half(-2) << 16, half(2.25) | half(8) << 16, half(3.75) | half(6) << 16)
        scalar("add.noftz", "bf16x2", 32, bf16(1.5) | bf16(-2) << 16, bf16(2.25) | bf16(8) << 16, bf16(3.75) | bf16(6) << 16)
        # Vectors: element k of memory is k + 1, of the operand 10 k + 0.5.
        for op, type_, count in [("add", "f32", 2), ("add", "f32", 4), ("min.noftz", "f16x2", 2), ("max.noftz", "bf16x2", 4),
                                 ("add.noftz", "f16", 8), ("min.noftz", "bf16", 2), ("max.noftz", "f16", 4)]:
            code = {"f32": f32, "f16": half, "f16x2": half, "bf16": bf16, "bf16x2": bf16}[type_]
            elements = count * (2 if type_.endswith("x2") else 1)
            per_word = 1 if type_ == "f32" else 2
            do = {"add": lambda a, b: a + b, "min": min, "max": max}[op.split(".")[0]]

            def pack(values):
                return [sum(code(v) << 16 * i for i, v in enumerate(values[k:k + per_word]))
                        for k in range(0, elements, per_word)]

            before, with_ = [k + 1.0 for k in range(elements)], [10.0 * k + 0.5 for k in range(elements)]
            after = [do(a, b) for a, b in zip(before, with_)]
            kind = "h" if type_ in ("f16", "bf16") else "r"
            sources = ", ".join(f"%{kind}{10 + k}" for k in range(count))
            each = [code(v) for v in with_] if kind == "h" else pack(with_)
            ins = memory(0, pack(before)) + " " + " ".join(f"{kind}{10 + k}=0x{v:x}" for k, v in enumerate(each))
            outs = memory(0, pack(after))
            to = ""
            if name == "atom":
                old = [code(v) for v in before] if kind == "h" else pack(before)
                to = "{" + ", ".join(f"%{kind}{k}" for k in range(count)) + "}, "
                outs += " " + " ".join(f"{kind}{k}=0x{v:x}" for k, v in enumerate(old))
            f.case(f"{{POLICY}}; {name}.global.{op}.L2::cache_hint.v{count}.{type_} {to}[%data], {{{sources}}}, %d9", ins,
                   outs, "1")
    f.note("128 bits.")
    f.case("{POLICY}; mov.b128 %q0, {%d4, %d5}; atom.global.exch.L2::cache_hint.b128 %q1, [%data], %q0, %d9; "
           "mov.b128 {%d6, %d7}, %q1", "d4=1 d5=2", "m0=1 m1=0 m2=2 m3=0 d6=0x100100001000 d7=0x100300001002", "1")
    f.write()


# --- Loads, stores, moves, addresses -------------------------------------------------------------


def accesses():
    f = File("access", "Loads and stores with scopes, policies and hints, which change nothing that one thread sees.", [POLICY])
    for form in ["ld.relaxed.gpu.global{}", "ld.acquire.sys.global.L1::no_allocate{}.L2::128B", "ld.global.ca.nc{}",
                 "ld.global.nc.L1::evict_last{}.L2::64B", "ld.global.cg{}", "ld.weak.global.L1::evict_first{}.L2::256B"]:
        f.case("{POLICY}; " + form.format(".L2::cache_hint") + ".v2.u32 {%r4, %r5}, [%data+8], %d9", "",
               "r4=0x1002 r5=0x1003")
        if form != "ld.global.cg{}":
            f.case(form.format("") + ".s8 %r4, [%data+4]", "m1=0x80", "r4=-128")
    f.case("ld.volatile.global.L2::64B.u16 %h4, [%data+2]", "m0=0xabcd1234", "h4=0xabcd")
    f.case("ld.mmio.relaxed.sys.global.u64 %d4, [%data+8]", "", "d4=0x100300001002")
    f.case("ld.volatile.shared.v4.u32 {%r4, %r5, %r6, %r7}, [sh+16]", "s4=1 s5=2 s6=3 s7=4", "r4=1 r5=2 r6=3 r7=4")
    f.case("ld.acquire.cta.shared::cta.b32 %r4, [sh+4]", "s1=77", "r4=77")
    f.case("ldu.global.v2.u32 {%r4, %r5}, [%data]", "", "r4=0x1000 r5=0x1001")
    for form in ["st.relaxed.gpu.global{}", "st.release.sys.global.L1::evict_last{}", "st.global.wt{}",
                 "st.weak.global.L1::no_allocate{}"]:
        f.case("{POLICY}; " + form.format(".L2::cache_hint") + ".v2.u32 [%data+8], {%r4, %r5}, %d9", "r4=5 r5=6",
               "m1=0x1001 m2=5 m3=6 m4=0x1004")
        f.case(form.format("") + ".u8 [%data+5], %r4", "r4=0x1ab m1=0x11223344", "m1=0x1122ab44")
    f.case("st.volatile.global.u16 [%data+2], %h4", "h4=0xabcd m0=0x11223344", "m0=0xabcd3344")
    f.case("st.mmio.relaxed.sys.global.u64 [%data+8], %d4", "d4=0x500000004", "m2=4 m3=5")
    f.case("st.volatile.shared.v2.u32 [sh+8], {%r4, %r5}", "r4=5 r5=6", "s1=0 s2=5 s3=6")
    f.case("st.release.cta.shared::cta.u32 [sh+4], %r4", "r4=9", "s0=0 s1=9")
    f.note("Hints: nothing happens.")
    for code in ["prefetch.global.L1 [%data]", "prefetch.L2 [%data]", "prefetch.global.L2::evict_last [%data]",
                 "prefetchu.L1 [%data]", "prefetch.tensormap [%m2]", "applypriority.global.L2::evict_normal [%data], 128",
                 "cp.async.bulk.prefetch.L2.global [%data], 64",
                 "{POLICY}; cp.async.bulk.prefetch.L2.global.L2::cache_hint [%data], 64, %d9",
                 "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%m2, {%r1, %r2}]",
                 "{POLICY}; cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::cache_hint [%m2, {%r1, %r2}], %d9"]:
        f.case(code + "; add.u32 %r4, %r5, 1", "r1=0 r2=0 r5=1", "r4=2 m0=0x1000")
    f.note("What was discarded may hold anything, until it is written again.")
    f.case("discard.global.L2 [%data], 128; st.global.u32 [%data], %r4", "r4=7", "m0=7 m32=0x1020")
    f.case("createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %d8, [%data], 64, 128; "
           "ld.global.L2::cache_hint.u32 %r4, [%data], %d8", "", "r4=0x1000")
    f.case("{POLICY}; createpolicy.cvt.L2.b64 %d8, %d9; sub.u64 %d7, %d8, %d9", "", "d7=0")
    f.note("Addresses: a generic one of global memory is the address itself, one of shared memory is in its window.")
    f.case("cvta.global.u64 %d4, %data; sub.u64 %d5, %d4, %data; cvta.to.global.u64 %d6, %d4; sub.u64 %d7, %d6, %data", "",
           "d5=0 d7=0")
    f.case("cvta.const.u64 %d4, %d5; cvta.to.const.u64 %d6, %d4; cvta.param.u64 %d7, %d5; cvta.to.param.u64 %d8, %d7",
           "d5=64", "d6=64 d8=64")
    f.case("mov.u64 %d4, sh; cvta.shared.u64 %d5, %d4; cvta.to.shared.u64 %d6, %d5; sub.u64 %d7, %d6, %d4; "
           "st.u32 [%d5+4], %r5; isspacep.shared::cta %p1, %d5; isspacep.global %p2, %d5", "r5=6", "d7=0 s1=6 p1=1 p2=0")
    f.case("isspacep.global %p1, %data; isspacep.const %p2, %data; isspacep.param::entry %p3, %data", "", "p1=1 p2=0 p3=0")
    f.case("mov.u32 %r4, sh; mapa.shared::cluster.u32 %r5, %r4, 0; getctarank.shared::cluster.u32 %r6, %r5; "
           "ld.shared::cluster.u32 %r7, [%r5+8]", "s2=5", "r6=0 r7=5")
    f.note("Parts of registers: the first element is the lowest.")
    f.case("mov.b32 {%h1, %h2}, %r5; mov.b32 %r4, {%h2, %h1}", "r5=0x11112222", "h1=0x2222 h2=0x1111 r4=0x22221111")
    f.case("mov.b64 {%r4, %r5}, %d5; mov.b64 %d4, {%r5, %r4}", "d5=0x1111111122222222",
           "r4=0x22222222 r5=0x11111111 d4=0x2222222211111111")
    f.case("mov.b64 {%h1, %h2, %h3, %h4}, %d5; mov.b64 %d4, {%h4, %h3, %h2, %h1}", "d5=0x4444333322221111",
           "h1=0x1111 h2=0x2222 h3=0x3333 h4=0x4444 d4=0x1111222233334444")
    f.case("mov.b128 %q0, {%d4, %d5}; mov.b128 %q1, %q0; mov.b128 {%r4, %r5, %r6, %r7}, %q1; "
           "mov.b128 %q2, {%r7, %r6, %r5, %r4}; mov.b128 {%d6, %d7}, %q2", "d4=0x200000001 d5=0x400000003",
           "r4=1 r5=2 r6=3 r7=4 d6=0x300000004 d7=0x100000002")
    f.case("mov.b16 {%b1, %b2}, %h5; mov.b16 %h4, {%b2, %b1}", "h5=0x1234", "h4=0x3412")
    f.case("mov.b32 {%b1, %b2, %b3, %b4}, %r5; mov.b32 %r4, {%b4, %b3, %b2, %b1}", "r5=0x12345678", "r4=0x78563412")
    f.case("mov.v2.u32 %v2, {%r5, %r6}; mov.u32 %r4, %v2.y; mov.v4.u32 %v4, {%r5, %r6, %r5, %r4}; mov.u32 %r7, %v4.w",
           "r5=5 r6=6", "r4=6 r7=6")
    f.case("mov.pred %p1, %p2; mov.pred %p3, !%p2", "p2=1", "p1=1 p3=0")
    f.write()


# --- Barriers, fences, control flow --------------------------------------------------------------


def synchronization():
    f = File("barrier", "Barriers of a block of four warps: p2 holds in lane 5 of each; and what leaves no trace in one thread.")
    some = "setp.eq.u32 %p2, %lane, 5"
    for name in ["bar", "bar.cta", "barrier", "barrier.cta", "barrier.cta", "barrier"]:
        aligned = ".aligned" if name.startswith("barrier") and len(f.lines) % 2 else ""
        for count in ["", " 128,"]:
            f.case(f"{some}; {name}.red.popc{aligned if name[:4] != 'bar.' else ''}.u32 %r4, 1,{count} %p2" if not aligned else
                   f"{some}; {name}.red.aligned.popc.u32 %r4, 1,{count} %p2", "", "r4=4", "!4")
            al = ".aligned" if aligned else ""
            f.case(f"{some}; {name}.red{al}.and.pred %p3, 2,{count} %p2; {name}.red{al}.or.pred %p4, 3,{count} %p2; "
                   f"{name}.red{al}.and.pred %p5, 4,{count} !%p3", "", "p3=0 p4=1 p5=1", "!4")
    f.note("Warps 0 to 2 arrive, warp 3 waits for them, then tells the others.")
    for arrive, sync in [("bar.arrive", "bar.sync"), ("bar.cta.arrive", "bar.cta.sync"),
                         ("barrier.arrive", "barrier.sync"), ("barrier.cta.arrive.aligned", "barrier.cta.sync")]:
        f.case(f"mov.u32 %r8, %tid.x; setp.lt.u32 %p2, %r8, 96; @%p2 st.shared.u32 [sh], %r5; @%p2 {arrive} 1, 128; "
               f"@!%p2 {sync} 1, 128; @!%p2 ld.shared.u32 %r6, [sh]; @!%p2 st.shared.u32 [sh+4], %r6; {sync} 2; "
               f"ld.shared.u32 %r4, [sh+4]", "r5=9", "r4=9", "!4")
    f.case("bar.warp.sync 0xffffffff; add.u32 %r4, %r5, 1", "r5=lane r6=0", "r6=0", "!")
    for arrive, wait in [("", ""), (".release", ".acquire"), (".relaxed.aligned", ".acquire.aligned"), (".aligned", ".aligned")]:
        f.case(f"st.shared.u32 [sh], %r5; barrier.cluster.arrive{arrive}; barrier.cluster.wait{wait}; "
               "ld.shared.u32 %r4, [sh]", "r5=9", "r4=9", "!4")
    for code in ["membar.cta", "membar.gl", "membar.sys", "membar.proxy.alias", "fence.sc.gpu", "fence.acq_rel.cluster",
                 "fence.acquire.sync_restrict::shared::cluster.cluster", "fence.release.sync_restrict::shared::cta.cluster",
                 "fence.mbarrier_init.release.cluster", "fence.proxy.alias",
                 "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
                 "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
                 "fence.proxy.tensormap::generic.acquire.gpu [%m2], 128", "fence.proxy.tensormap::generic.release.sys",
                 "nanosleep.u32 20", "pmevent 3", "pmevent.mask 0x101", "griddepcontrol.wait",
                 "griddepcontrol.launch_dependents"]:
        f.case(f"{code}; add.u32 %r4, %r5, 1", "r5=1", "r4=2")
    f.case("setmaxnreg.dec.sync.aligned.u32 24; setmaxnreg.inc.sync.aligned.u32 40; add.u32 %r4, %r5, 1", "r5=1", "r4=2", "!4")
    f.case("bra.uni END; add.u32 %r4, %r5, 1; END: add.u32 %r6, %r5, 2", "r4=7 r5=1", "r4=7 r6=3", "!")
    f.case("and.b32 %r8, %lane, 1; TARGETS: .branchtargets EVEN, ODD; brx.idx %r8, TARGETS; EVEN: mov.u32 %r4, 0; bra END; "
           "ODD: mov.u32 %r4, 1; END: sub.u32 %r6, %r8, %r4", "", "r6=0", "!")
    f.case("call (%r8), twice, (%r5); ret; trap", "r5=21", "m0=0x1000", "!")
    f.case(".param .b32 one; .param .b32 three; st.param.b32 [one], %r5; call (three), thrice, (one); ld.param.b32 %r4, [three]",
           "r5=21", "r4=63", "!")
    f.case("call (%r4), twice, (%r5)", "r5=21", "r4=42")
    f.case("add.u32 %r4, %r5, 1; st.global.u32 [%data], %r4; exit; st.global.u32 [%data], %r5", "r5=1", "m0=2", "!")
    f.case("trap", "", "fault trap")
    f.case("stacksave.u64 %d4; alloca.u64 %d5, 16; st.local.u32 [%d5+12], %r5; ld.local.u32 %r4, [%d5+12]; stackrestore.u64 %d4; "
           "stacksave.u64 %d6; sub.u64 %d7, %d6, %d4", "r5=lane", "r4=lane d7=0", "!")
    f.write()


# --- Copies --------------------------------------------------------------------------------------


def copies():
    f = File("copy", "Copies that are complete when they have been waited for. Words of data are 0x1000 and on.", [
        POLICY, ("ALL", "cp.async.commit_group; cp.async.wait_all"), ("GROUP", "cp.async.commit_group; cp.async.wait_group 0"),
        ("INIT", "mbarrier.init.shared.b64 [bar], 1; fence.proxy.async"), ("TX", "mbarrier::complete_tx::bytes"),
        ("EXPECT", "mbarrier.arrive.expect_tx.shared.b64 %d7, [bar]"),
        ("WAIT", "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0"),
        ("BULK", "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0")])
    f.note("The last two operands: bytes to read, the others are zero; or a predicate that says to read none.")
    for level, bytes_ in [("ca", 8), ("cg", 16)]:
        n = bytes_ // 4
        for space in ["shared", "shared::cta"]:
            for prefetch in ["", ".L2::128B"]:
                for policy in ["", ".L2::cache_hint"]:
                    end = ", %d9" if policy else ""
                    start = "{POLICY}; " if policy else ""
                    form = f"cp.async.{level}.{space}.global{policy}{prefetch}"
                    f.case(f"{start}{form} [sh], [%data+{bytes_}], {bytes_}{end}; {{ALL}}", "s0=9",
                           memory(0, [0x1000 + n + k for k in range(n)] + [0], "s"), "1")
                    f.case(f"{start}{form} [sh], [%data], {bytes_}, %r5{end}; {{GROUP}}", "r5=6 s1=9",
                           memory(0, [0x1000, 0x1001] + [0] * (n - 2), "s"), "1")
                    f.case(f"{start}{form} [sh], [%data], {bytes_}, %p2{end}; {{GROUP}}", "p2=1 s0=9 s1=9",
                           memory(0, [0] * n, "s"), "1")
    f.note("Arrives when the thread's copies are complete: with .noinc it is one of those that the barrier counts on.")
    for space in ["", ".shared", ".shared::cta"]:
        f.case("mbarrier.init.shared.b64 [bar], 1; cp.async.ca.shared.global [sh], [%data], 4; "
               f"cp.async.mbarrier.arrive.noinc{space}.b64 [bar]; cp.async.wait_all; {{WAIT}}", "", "p1=1 s0=0x1000", "1")
    f.note("In bulk.")
    for to, more in [("shared::cluster.global.{TX}", ""), ("shared::cta.global.{TX}", ""),
                     ("shared::cluster.global.{TX}.multicast::cluster", ", %h9")]:
        for policy in ["", ".L2::cache_hint"]:
            start, end = ("{POLICY}; ", ", %d9") if policy else ("", "")
            f.case(f"{start}{{INIT}}; {{EXPECT}}, 32; cp.async.bulk.{to}{policy} [sh], [%data+16], 32, [bar]{more}{end}; {{WAIT}}",
                   "h9=1", "p1=1 s0=0x1004 s7=0x100b s8=0", "1")
    f.case("{INIT}; {EXPECT}, 16; cp.async.bulk.shared::cluster.shared::cta.{TX} [sh], [sh+64], 16, [bar]; {WAIT}",
           "s16=5 s19=6", "p1=1 s0=5 s3=6", "1")
    for policy in ["", ".L2::cache_hint"]:
        start, end = ("{POLICY}; ", ", %d9") if policy else ("", "")
        f.case(f"{start}cp.async.bulk.global.shared::cta.bulk_group{policy} [%data], [sh], 16{end}; {{BULK}}", "s0=1 s3=4",
               "m0=1 m1=0 m3=4 m4=0x1004", "1")
    f.note("With an operation on each element: the first of memory, then of what comes.")
    elements = {"u32": (32, int), "s32": (32, int), "b32": (32, int), "u64": (64, int), "s64": (64, int), "b64": (64, int),
                "f32": (32, f32), "f64": (64, f64), "f16": (16, half), "bf16": (16, bf16)}

    def fill(type_, values):
        """16 bytes of these elements, the last repeated, as words."""
        bits, code = elements[type_]
        count = 128 // bits
        values = (values + [values[-1]] * count)[:count]
        whole = sum((code(v) & (1 << bits) - 1) << bits * k for k, v in enumerate(values))
        return [whole >> 32 * k & 0xffffffff for k in range(4)]

    def result(op, a, b):
        do = INTEGER[op.split(".")[0]]
        return [do(x, y) for x, y in zip(a, b)]

    for op, types in [("add", "u32 s32 u64 f32 f64"), ("add.noftz", "f16 bf16"), ("min", "u32 s64 f16"), ("max", "s32 u64 bf16"),
                      ("inc", "u32"), ("dec", "u32"), ("and", "b32 b64"), ("or", "b32"), ("xor", "b64")]:
        for type_ in types.split():
            for policy in ["", ".L2::cache_hint"]:
                a, b = ([1.5, 8.0], [2.0, 0.25]) if type_[0] in "fb" and type_ not in ("b32", "b64") else ([12, 0x55], [10, 0x63])
                start, end = ("{POLICY}; ", ", %d9") if policy else ("", "")
                f.case(f"{start}cp.reduce.async.bulk.global.shared::cta.bulk_group{policy}.{op}.{type_} [%data], [sh], 16{end}; "
                       "{BULK}", memory(0, fill(type_, a)) + " " + memory(0, fill(type_, b), "s"),
                       memory(0, fill(type_, result(op, a, b))), "1")
    for op, type_ in [("add", "u32"), ("add", "u64"), ("min", "s32"), ("max", "u32"), ("inc", "u32"), ("dec", "u32"),
                      ("and", "b32"), ("or", "b32"), ("xor", "b32")]:
        a, b = [12, 0x55], [10, 0x63]
        f.case("{INIT}; {EXPECT}, 16; cp.reduce.async.bulk.shared::cluster.shared::cta.{TX}" + f".{op}.{type_} [sh], [sh+64], 16, "
               "[bar]; {WAIT}", memory(0, fill(type_, a), "s") + " " + memory(16, fill(type_, b), "s"),
               "p1=1 " + memory(0, fill(type_, result(op, a, b)), "s"), "1")
    f.note("A register to shared memory.")
    for space in ["", ".shared::cluster"]:
        for op, type_ in [("add", "u32"), ("min", "s32"), ("max", "u32"), ("inc", "u32"), ("dec", "u32"), ("and", "b32"),
                          ("or", "b32"), ("xor", "b32"), ("add", "u64")]:
            r = "d" if type_ == "u64" else "r"
            f.case("{INIT}; {EXPECT}, " + ("8" if r == "d" else "4") + f"; red.async.relaxed.cluster{space}.{{TX}}.{op}.{type_} "
                   f"[sh], %{r}5, [bar]; {{WAIT}}", f"s0=12 {r}5=10", f"p1=1 s0={INTEGER[op](12, 10)}", "1")
    f.case("{INIT}; {EXPECT}, 8; st.async.shared::cluster.{TX}.v2.u32 [sh], {%r5, %r6}, [bar]; {WAIT}", "r5=5 r6=6",
           "p1=1 s0=5 s1=6", "1")
    f.case("{INIT}; {EXPECT}, 8; st.async.{TX}.u64 [sh], %d5, [bar]; {WAIT}", "d5=0x600000005", "p1=1 s0=5 s1=6", "1")
    f.note("Tensors: the box at (8, 1) of rows of 16 words; the map's name tells its rank.")
    starts = {1: ("{%r1}", [0x1008 + k for k in range(8)], 32),
              2: ("{%r1, %r2}", [0x1018 + k for k in range(8)] + [0x1028 + k for k in range(8)], 64),
              3: ("{%r1, %r2, %r3}", [0x1018 + 64 + k for k in range(8)], 64),
              4: ("{%r1, %r2, %r3, %r4}", [0x1018 + 64 + 128 + k for k in range(8)], 64),
              5: ("{%r1, %r2, %r3, %r4, %r5}", [0x1018 + 64 + 128 + 256 + k for k in range(8)], 64)}
    at = "r1=8 r2=1 r3=1 r4=1 r5=1 h9=1"
    for rank, (place, data, size) in starts.items():
        variants = [("shared::cluster", "", ""), ("shared::cluster", ".multicast::cluster", ", %h9"), ("shared::cta", "", "")]
        for space, multicast, more in variants if rank == 2 else variants[:1]:
            for policy in ["", ".L2::cache_hint"]:
                start, end = ("{POLICY}; ", ", %d9") if policy else ("", "")
                f.case(f"{start}{{INIT}}; {{EXPECT}}, {size}; cp.async.bulk.tensor.{rank}d.{space}.global.tile.{{TX}}{multicast}"
                       f"{policy} [sh], [%m{rank}, {place}], [bar]{more}{end}; {{WAIT}}", at,
                       "p1=1 " + memory(0, data[:8], "s"), "1")
    for policy in ["", ".L2::cache_hint"]:
        start, end = ("{POLICY}; ", ", %d9") if policy else ("", "")
        f.case(f"{start}cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group{policy} [%m1, {{%r1}}], [sh]{end}; {{BULK}}",
               "r1=8 " + memory(0, range(1, 9), "s"), "m7=0x1007 " + memory(8, range(1, 9)), "1")
        for op in ["add", "min", "max", "inc", "dec", "and", "or", "xor"]:
            f.case(f"{start}cp.reduce.async.bulk.tensor.1d.global.shared::cta.{op}.tile.bulk_group{policy} [%m1, {{%r1}}], [sh]"
                   f"{end}; {{BULK}}", "r1=8 m8=12 m15=0x55 s0=10 s7=0x63",
                   f"m7=0x1007 m8={INTEGER[op](12, 10)} m15={INTEGER[op](0x55, 0x63)}", "1")
    f.note("Pixels of convolutions: tensor.cases has the reasons for these words.")
    pixels = {3: ("{%r1, %r2, %r3}", "{%h1}", "r1=0 r2=2 r3=0 h1=0", [0x1008, 0x100c, 0x1010]),
              4: ("{%r1, %r2, %r3, %r4}", "{%h1, %h2}", "r1=0 r2=1 r3=1 r4=0 h1=1 h2=0", [0x1018, 0x101c, 0]),
              5: ("{%r1, %r2, %r3, %r4, %r5}", "{%h1, %h2, %h3}", "r1=0 r2=0 r3=1 r4=0 r5=1 h1=0 h2=0 h3=1",
                  [0x1070, 0x1074, 0x1078])}
    for rank, (place, offsets, ins, data) in pixels.items():
        for space, multicast, more in [("shared::cluster", "", ""), ("shared::cluster", ".multicast::cluster", ", %h9"),
                                       ("shared::cta", "", "")]:
            for policy in ["", ".L2::cache_hint"]:
                start, end = ("{POLICY8}; ", ", %d8") if policy else ("", "")
                start = start.replace("{POLICY8}", "createpolicy.fractional.L2::evict_first.b64 %d8")
                f.case(f"{start}{{INIT}}; {{EXPECT}}, 64; cp.async.bulk.tensor.{rank}d.{space}.global.im2col.{{TX}}{multicast}{policy} "
                       f"[sh], [%i{rank}, {place}], [bar], {offsets}{more}{end}; {{WAIT}}", ins + " h9=1",
                       "p1=1 " + " ".join(f"s{4 * k}=0x{v:x}" for k, v in enumerate(data)), "1")
    f.write()


# --- mbarrier ------------------------------------------------------------------------------------


def mbarriers():
    f = File("mbarrier", "Arrivals that complete a phase of two, dropped arrivals, transactions, and asking. One lane.", [
        ("TWO", "mbarrier.init.shared.b64 [bar], 2"), ("ASK", "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0"),
        ("LEFT", "mbarrier.pending_count.b64 %r4, %d4")])
    f.note("The state that an arrival returns is that before it: two are pending.")
    spaces = ["", ".shared", ".shared::cta"]
    for name in ["arrive", "arrive_drop"]:
        for order in ["", ".release.cta", ".release.cluster", ".relaxed.cta"]:
            for space in spaces:
                f.case(f"{{TWO}}; mbarrier.{name}{order}{space}.b64 %d4, [bar]; {{LEFT}}; {{ASK}}", "", "r4=2 p1=0", "1")
                f.case(f"{{TWO}}; mbarrier.{name}{order}{space}.b64 %d4, [bar], 2; {{LEFT}}; {{ASK}}", "", "r4=2 p1=1", "1")
        for order in ["", ".release.cta"]:
            for space in spaces:
                f.case(f"{{TWO}}; mbarrier.{name}.noComplete{order}{space}.b64 %d4, [bar], 1; {{LEFT}}; {{ASK}}", "",
                       "r4=2 p1=0", "1")
        f.case(f"{{TWO}}; mbarrier.{name}.shared::cluster.b64 _, [bar], 2; {{ASK}}", "", "p1=1", "1")
        for order in ["", ".release.cta", ".relaxed.cluster"]:
            f.case(f"{{TWO}}; mbarrier.{name}.expect_tx{order}.shared.b64 %d4, [bar], 16; mbarrier.arrive.shared.b64 _, [bar]; {{ASK}}; "
                   "mbarrier.complete_tx.shared.b64 [bar], 16; mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0", "", "p1=0 p2=1",
                   "1")
    f.note("One that has dropped is counted no more: in the next phase a single arrival completes.")
    f.case("{TWO}; mbarrier.arrive_drop.shared.b64 %d4, [bar]; mbarrier.arrive.shared.b64 %d5, [bar]; mbarrier.arrive.shared.b64 %d6, "
           "[bar]; mbarrier.test_wait.shared.b64 %p1, [bar], %d6; mbarrier.pending_count.b64 %r4, %d6", "", "p1=1 r4=1", "1")
    f.note("The phase of a state, or a parity: is it over?")
    for name in ["test_wait", "try_wait"]:
        for order in ["", ".acquire.cta", ".acquire.cluster", ".relaxed.cta"]:
            for space in spaces:
                full = f"mbarrier.{name}{order}{space}.b64"
                parity = f"mbarrier.{name}.parity{order}{space}.b64"
                f.case(f"{{TWO}}; mbarrier.arrive.shared.b64 %d4, [bar]; mbarrier.arrive.shared.b64 %d5, [bar]; "
                       f"{full} %p1, [bar], %d4; mbarrier.arrive.shared.b64 %d6, [bar]; {full} %p2, [bar], %d6", "", "p1=1 p2=0", "1")
                f.case(f"{{TWO}}; {parity} %p1, [bar], 0; {parity} %p2, [bar], 1; mbarrier.arrive.shared.b64 %d4, [bar], 2; "
                       f"{parity} %p3, [bar], 0; {parity} %p4, [bar], 1", "", "p1=0 p2=1 p3=1 p4=0", "1")
    f.case("{TWO}; mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 8; mbarrier.arrive.shared.b64 %d4, [bar], 2; {ASK}; "
           "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [bar], 8; mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0", "",
           "p1=0 p2=1", "1")
    f.case("mbarrier.init.shared::cta.b64 [bar], 7; mbarrier.arrive.shared.b64 %d4, [bar]; {LEFT}", "", "r4=7", "1")
    f.note("Made invalid, the words are memory again.")
    for space in ["", ".shared", ".shared::cta"]:
        f.case(f"{{TWO}}; mbarrier.inval{space}.b64 [bar]; st.shared.u32 [bar], %r5; ld.shared.u32 %r4, [bar]", "r5=5", "r4=5", "1")
    f.write()


# --- Matrices ------------------------------------------------------------------------------------

# Rows of A and columns of B hold one number each, 1 to 4, so that an element of the product is K times the row's times the
# column's number, plus C. In a fragment (PTX manual, "Matrix fragments for mma") registers of A alternate between row
# `group` = lane / 4 and row group + 8; those of B are of column `group`; the two columns of D that a lane has are
# 2 (lane % 4) and the next. %r32: the number of row group, less 1; %r33 of row group + 8; %r34 of column group; %r31 of D's
# two columns.
NUMBERS = ("shr.u32 %r30, %lane, 2; and.b32 %r31, %lane, 3; and.b32 %r32, %r30, 3; sub.u32 %r33, 3, %r32; "
           "shr.u32 %r34, %r30, 1")
# The bytes of 1, 2, 3 and 4 in each format; of 16-bit floats the upper bytes.
BYTES = {"s8": 0x04030201, "u8": 0x04030201, "s4": 0x44332211, "u4": 0x44332211, "e4m3": 0x48444038, "e5m2": 0x4442403c,
         "f16": 0x4442403c, "e3m2": 0x1412100c, "e2m3": 0x18141008, "e2m1": 0x18141008, "e2m1x2": 0x66554422}
BITS = {"e3m2": 8, "e2m3": 8, "e2m1": 8, "e2m1x2": 4, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "e4m3": 8, "e5m2": 8, "f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "b1": 1}


def operand(to, number, type_):
    """Code that fills a register with the number 1 + %r<number> of a type."""
    if type_ == "b1":  # even numbers: every other half of a byte; odd ones: all
        return f"mul.lo.u32 %r29, %r{number}, 0x1111; prmt.b32 %r{to}, 0xff0fff0f, 0, %r29"
    if type_ == "f16":
        return f"mad.lo.u32 %r29, %r{number}, 0x1010, 0x0404; prmt.b32 %r{to}, 0x4442403c, 0, %r29"
    if type_ in BYTES:
        return f"mul.lo.u32 %r29, %r{number}, 0x1111; prmt.b32 %r{to}, 0x{BYTES[type_]:x}, 0, %r29"
    number = f"add.u32 %r29, %r{number}, 1; "
    if type_ == "f64":
        return number + f"cvt.rn.f64.u32 %d{to}, %r29"
    if type_ == "tf32":
        return number + f"cvt.rn.f32.u32 %r{to}, %r29"
    return number + f"cvt.rn.f32.u32 %r29, %r29; prmt.b32 %r{to}, %r29, %r29, 0x3232"


def expected(to, row, k, c, type_, column=31):
    """Code that makes k * (row's number) * (column's number) + c, as it stands in a register of D."""
    code = f"add.u32 %r29, %r{row}, 1; mul.lo.u32 %r29, %r29, {k}; "
    if column is not None:
        code += f"add.u32 %r28, %r{column}, 1; mul.lo.u32 %r29, %r29, %r28; "
    code += f"add.u32 %r{to}, %r29, {c}; "
    return code + {"s32": "", "f32": f"cvt.rn.f32.u32 %r{to}, %r{to}; ",
                   "f16": f"cvt.rn.f16.u32 %h1, %r{to}; mov.b32 %r{to}, {{%h1, %h1}}; ",
                   "f64": f"cvt.rn.f64.u32 %d{to}, %r{to}; "}[type_]


def constant(value, type_):
    return {"s32": value, "f32": f32(value), "f16": half(value) * 0x10001, "f64": f64(value)}[type_]


def vector(first, count, register="r"):
    return "{" + ", ".join(f"%{register}{first + k}" for k in range(count)) + "}"


def product(f, form, m, k, a, b, d, stored=None, after="", before=(), factor=None, mode="!"):
    """One mma: `stored` of the K elements of A's rows are there (.sp), the others are zero. `before`: code that fills
    operands of `after`; `factor`: what they make of K, twice as much in the lower rows."""
    stored = stored or k
    register = "d" if a == "f64" else "r"
    registers_a = max(1, m * stored * BITS[a] // (64 if a == "f64" else 32) // 32)
    registers_b = max(1, 8 * k * BITS[b] // (64 if a == "f64" else 32) // 32)
    registers_d = m * 8 * {"f16": 16, "f64": 64}.get(d, 32) // (64 if d == "f64" else 32) // 32
    first_b, first_c, first_e = (12, 16, 20) if a == "f64" else (8, 12, 20)
    code = ["{NUMBERS}", *before]
    code += [operand(4 + j, 33 if m == 16 and j & 1 else 32, a) for j in range(registers_a)]
    code += [operand(first_b + j, 34, b) for j in range(registers_b)]
    ins = " ".join(f"{register}{first_c + j}=0x{constant(3, d):x}" for j in range(registers_d)) + (" r16=0x44444444" if after else "")
    code.append(f"{form} {vector(0, registers_d, register)}, {vector(4, registers_a, register)}, "
                f"{vector(first_b, registers_b, register)}, {vector(first_c, registers_d, register)}{after}")
    for j in range(registers_d):
        row = 33 if m == 16 and j >= registers_d // 2 else 32
        if a == "b1":
            # A's row has all bits or half of them, as does B's column; where D's column has half, so has the common part.
            code.append(f"and.b32 %r29, %r{row}, %r31; and.b32 %r28, %r{row}, 1; and.b32 %r29, %r29, 1; "
                        + (f"mul.lo.u32 %r27, %r29, {k // 2}; add.u32 %r20, %r27, {k // 2 + 3}" if ".and." in form else
                           f"and.b32 %r27, %r31, 1; xor.b32 %r27, %r27, %r28; mul.lo.u32 %r20, %r27, {k // 2}; "
                           "add.u32 %r20, %r20, 3"))
            if ".and." in form:
                # all and all: K; half and anything: K / 2
                pass
        else:
            times = stored if factor is None else factor * (2 if row == 33 else 1)
            code.append(expected(first_e, row, times, 3, d).rstrip("; "))
        code.append(f"xor.b{64 if d == 'f64' else 32} %{register}{j}, %{register}{j}, %{register}{first_e}")
    f.case("; ".join(code), ins, " ".join(f"{register}{j}=0" for j in range(registers_d)), mode)


# Scales of the blocks: 1, 2, 4 and 2 in the bytes of A's register, 2, 1, 4 and 2 of B's. Lanes that are not selected hold
# NaNs; those of A's rows 8 to 15 twice the scales of rows 0 to 7.
POWERS_A, POWERS_B = (1, 2, 4, 2), (2, 1, 4, 2)


def scale_word(powers, type_):
    one, step = (0x7f, 1) if type_ == "ue8m0" else (0x38, 8)
    return sum((one + step * (p.bit_length() - 1)) << 8 * k for k, p in enumerate(powers)), step * 0x01010101


def scaled(f, form, k, a, b, count, type_, byte_a, thread_a, byte_b, thread_b, stored=None, after=""):
    """A product whose rows and columns have `count` scales each."""
    (word_a, double), (word_b, _) = scale_word(POWERS_A, type_), scale_word(POWERS_B, type_)
    before = [f"shr.u32 %r29, %r31, 1; setp.eq.u32 %p1, %r29, {thread_a}; and.b32 %r28, %lane, 1; "
              f"mad.lo.u32 %r17, %r28, 0x{double:x}, 0x{word_a:x}; selp.b32 %r17, %r17, -1, %p1; "
              f"setp.eq.u32 %p1, %r31, {thread_b}; selp.b32 %r18, 0x{word_b:x}, -1, %p1"]
    factor = (stored or k) // count * sum(POWERS_A[byte_a + j] * POWERS_B[byte_b + j] for j in range(count))
    product(f, form, 16, k, a, b, "f32", stored, f"{after}, %r17, {{{byte_a}, {thread_a}}}, %r18, {{{byte_b}, {thread_b}}}",
            before, factor, "! sm_120a")


def narrow_products(f):
    f.note("Narrow floats, then with scales of blocks; of a sparse A the first two of four elements, of e2m1 the first two pairs.")
    names = ["e4m3", "e5m2", "e3m2", "e2m3", "e2m1"]
    for sp, times, meta in [("mma", 1, ""), ("mma.sp::ordered_metadata", 2, ", %r16, 0")]:
        k = 32 * times
        stored = k // times
        for j, a in enumerate(names):
            b = names[(2 * j + 1) % 5]
            product(f, f"{sp}.sync.aligned.m16n8k{k}.row.col.kind::f8f6f4.f32.{a}.{b}.f32", 16, k, a, b, "f32", stored, meta, mode="! sm_120a")
            scaled(f, f"{sp}.sync.aligned.kind::mxf8f6f4.block_scale{['', '.scale_vec::1X'][j % 2]}.m16n8k{k}.row.col.f32.{b}.{a}.f32.ue8m0",
                   k, b, a, 1, "ue8m0", j % 4, j % 2, (j + 1) % 4, (j + 2) % 4, stored, meta)
        product(f, f"{sp}.sync.aligned.kind::f8f6f4.m16n8k{k}.row.col.f16.e2m1.e3m2.f16", 16, k, "e2m1", "e3m2", "f16", stored, meta, mode="! sm_120a")
        for kind, count, type_ in [("mxf4.block_scale", 2, "ue8m0"), ("mxf4nvf4.block_scale.scale_vec::2X", 2, "ue8m0"),
                                   ("mxf4nvf4.block_scale.scale_vec::4X", 4, "ue4m3"), ("mxf4nvf4.block_scale.scale_vec::4X", 4, "ue8m0")]:
            for byte, threads in [(0, (0, 3)), (2, (1, 0))][:1 if count == 4 else 2]:
                scaled(f, f"{sp}.sync.aligned.m16n8k{2 * k}.row.col.kind::{kind}.f32.e2m1.e2m1.f32.{type_}", 2 * k, "e2m1x2", "e2m1x2", count,
                       type_, byte, threads[0], 2 - byte if count == 2 else 0, threads[1], 2 * stored, meta)
    f.note("Selectors that the manual leaves undefined.")
    mx = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 " + \
        f"{vector(0, 4)}, {vector(4, 4)}, {vector(8, 2)}, {vector(12, 4)}, %r17, "
    for selectors, wrong in [("{1, 0}, %r18, {0, 0}", "{1, 0}"), ("{0, 2}, %r18, {0, 0}", "{0, 2}"), ("{0, 0}, %r18, {0, %h1}", "{0, 4}"),
                             ("{0, 0}, %r18, {4, 0}", "{4, 0}")]:
        f.lines.append(f"! sm_120a {mx}{selectors} | h1=4 | fault a selector of scales, {wrong}, is not one")


def mmas():
    f = File("mma", "Products whose rows and columns hold one number each: make_cases.py explains them. D is compared with "
             "K times row times column plus 3; 0 is equal.", [("NUMBERS", NUMBERS)])
    for m, k, types, d in [(16, 8, "f16 f16", "f16"), (16, 8, "f16 f16", "f32"), (16, 16, "f16 f16", "f16"), (16, 16, "f16 f16", "f32"),
                           (16, 8, "bf16 bf16", "f32"), (16, 16, "bf16 bf16", "f32"), (16, 4, "tf32 tf32", "f32"),
                           (16, 8, "tf32 tf32", "f32"), (8, 4, "f64 f64", "f64"), (16, 4, "f64 f64", "f64"), (16, 8, "f64 f64", "f64"),
                           (16, 16, "f64 f64", "f64"), (8, 16, "s8 u8", "s32"), (16, 16, "u8 s8", "s32"), (16, 32, "s8 s8", "s32"),
                           (8, 32, "s4 u4", "s32"), (16, 32, "u4 u4", "s32"), (16, 64, "s4 s4", "s32"), (16, 16, "e4m3 e5m2", "f32"),
                           (16, 32, "e5m2 e4m3", "f32"), (16, 16, "e4m3 e4m3", "f16"), (16, 32, "e5m2 e5m2", "f16")]:
        a, b = types.split()
        for round_ in [".rn", ".rz"] if a == "f64" else [".satfinite", ""] if d == "s32" else [""]:
            c = "s32" if d == "s32" else d
            before, last = ("", round_) if a == "f64" else (round_, "")
            product(f, f"mma.sync.aligned.m{m}n8k{k}.row.col{before}.{d}.{a}.{b}.{c}{last}", m, k, a, b, d)
    f.note("Single bits.")
    for m, k in [(8, 128), (16, 128), (16, 256)]:
        for op in ["and", "xor"]:
            product(f, f"mma.sync.aligned.m{m}n8k{k}.row.col.s32.b1.b1.s32.{op}.popc", m, k, "b1", "b1", "s32")
    f.note("Half of A stored: the first two elements of four, of tf32 the first of two.")
    for sp in ["mma.sp", "mma.sp::ordered_metadata"]:
        for k, types, d in [(16, "f16 f16", "f16"), (32, "f16 f16", "f32"), (16, "bf16 bf16", "f32"), (8, "tf32 tf32", "f32"),
                            (16, "tf32 tf32", "f32"), (32, "s8 u8", "s32"), (64, "u8 u8", "s32"), (64, "s4 s4", "s32"),
                            (128, "u4 s4", "s32"), (64, "e4m3 e5m2", "f32")]:
            a, b = types.split()
            product(f, f"{sp}.sync.aligned.m16n8k{k}.row.col.{d}.{a}.{b}.{d}", 16, k, a, b, d, k // 2, ", %r16, 0")
    narrow_products(f)
    f.note("Eight threads a product: all of A 2, of B 3.")
    for layout in ["row.col", "col.row"]:
        for d, c in [("f16", "f16"), ("f32", "f16"), ("f32", "f32")]:
            nd, nc = 4 if d == "f16" else 8, 4 if c == "f16" else 8
            ins = "r12=0x40004000 r13=0x40004000 r14=0x42004200 r15=0x42004200 " + \
                " ".join(f"r{16 + j}=0x{constant(1, c):x}" for j in range(nc))
            f.case(f"mma.sync.aligned.m8n8k4.{layout}.{d}.f16.f16.{c} {vector(0, nd)}, {vector(12, 2)}, {vector(14, 2)}, "
                   f"{vector(16, nc)}", ins, " ".join(f"r{j}=0x{constant(25, d):x}" for j in range(nd)), "!")
    f.note("8 by 8 halves: each lane gives two of a row; transposed, lane l gets (2 (l % 4), l / 4) and the one below.")
    f.case("{NUMBERS}; shl.b32 %r5, %r30, 4; shl.b32 %r6, %r31, 1; or.b32 %r5, %r5, %r6; add.u32 %r6, %r5, 1; shl.b32 %r6, %r6, 16; "
           "or.b32 %r5, %r5, %r6; movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r5; shl.b32 %r7, %r31, 5; or.b32 %r7, %r7, %r30; "
           "add.u32 %r8, %r7, 16; shl.b32 %r8, %r8, 16; or.b32 %r7, %r7, %r8; xor.b32 %r4, %r4, %r7", "", "r4=0", "!")
    for count in [1, 2, 4]:
        regs = vector(4, count)
        f.note(f"{count} matrices: lane l has the l-th word of a matrix in rows of 16 bytes.")
        f.case("shl.b32 %r30, %lane, 4; mov.u32 %r31, sh; add.u32 %r30, %r30, %r31; shl.b32 %r29, %lane, 2; add.u32 %r29, %r29, %r31; " +
               "; ".join(f"add.u32 %r28, %lane, {32 * k}; st.shared.u32 [%r29+{128 * k}], %r28" for k in range(4)) +
               f"; bar.warp.sync -1; ldmatrix.sync.aligned.m8n8.x{count}.shared.b16 {regs}, [%r30]; " +
               "; ".join(f"sub.u32 %r{4 + k}, %r{4 + k}, {32 * k}" for k in range(count)), "",
               " ".join(f"r{4 + k}=lane" for k in range(count)), "!")
        f.case("shl.b32 %r30, %lane, 4; mov.u32 %r31, sh; add.u32 %r30, %r30, %r31; " +
               "; ".join(f"add.u32 %r{4 + k}, %lane, {32 * k}" for k in range(count)) +
               f"; stmatrix.sync.aligned.m8n8.x{count}.shared.b16 [%r30], {regs}", "",
               " ".join(f"s{j}={j}" for j in sorted({0, 1, 9, 31, 32 * count - 1})), "!")
    f.write()


def wgmmas():
    one = {"f16": 0x3c003c00, "bf16": 0x3f803f80, "tf32": 0x3f800000, "s8": 0x01010101, "u8": 0x01010101, "e4m3": 0x38383838,
           "e5m2": 0x3c3c3c3c, "b1": 0xffffffff}
    fill = ("mov.u32 %r20, %tid.x; shl.b32 %r20, %r20, 5; mov.u32 %r21, sh; add.u32 %r20, %r20, %r21; "
            "st.shared.v4.b32 [%r20], {%r19, %r19, %r19, %r19}; st.shared.v4.b32 [%r20+16], {%r19, %r19, %r19, %r19}; "
            "fence.proxy.async; bar.sync 0; shr.u32 %r21, %r21, 4; cvt.u64.u32 %d20, %r21; or.b64 %d20, %d20, 0x1000080000; "
            "wgmma.fence.sync.aligned")
    f = File("wgmma", "Products of a warp group. Shared memory holds ones. A from there: K (of half of A K / 2) plus 3. From "
             "registers: K times the row's number plus 3, compared; 0 is equal.",
             [("FILL", fill), ("NUMBERS", NUMBERS), ("DONE", "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0")])
    for sp in ["", ".sp"]:
        for a, b, d in [("f16", "f16", "f16"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("tf32", "tf32", "f32"), ("e4m3", "e5m2", "f16"),
                        ("e5m2", "e4m3", "f32"), ("s8", "s8", "s32"), ("u8", "s8", "s32"), ("s8", "u8", "s32"), ("u8", "u8", "s32"),
                        ("b1", "b1", "s32")]:
            if sp and a in ("b1", "tf32"):
                continue  # tf32: matrix.cases
            stored = 256 // BITS[a]
            k = stored * (2 if sp else 1)
            nd = 2 if d == "f16" else 4
            # One number in both operands: shared memory holds the ones of B's type.
            if a != b and a in ("e4m3", "e5m2"):
                b = a
            types = f"{d}.{a}.{b}" + (".and.popc" if a == "b1" else "")
            scales = ", 1, 1" if d != "s32" else ""
            transposes = {False: ", 0, 0", True: ", 0"} if a in ("f16", "bf16") else {False: "", True: ""}
            meta = ", %r18, 0" if sp else ""
            ins = f"r19=0x{one[b]:x} p1=1 r18=0x44444444 " + " ".join(f"r{j}=0x{constant(3, d):x}" for j in range(nd))
            form = f"wgmma.mma_async{sp}.sync.aligned.m64n8k{k}.{types}"
            f.case(f"{{FILL}}; {form} {vector(0, nd)}, %d20, %d20{meta}, %p1{scales}{transposes[False]}; {{DONE}}", ins,
                   " ".join(f"r{j}=0x{constant(stored + 3, d):x}" for j in range(nd)), "!4")
            if a == "b1":
                f.case(f"{{FILL}}; {form} {vector(0, nd)}, {vector(4, 4)}, %d20, %p1; {{DONE}}",
                       ins + " r4=-1 r5=0x0f0f0f0f r6=-1 r7=0x0f0f0f0f", "r0=259 r1=259 r2=131 r3=131", "!4")
                continue
            code = ["{NUMBERS}"] + [operand(4 + j, 33 if j & 1 else 32, a) for j in range(4)]
            code += ["{FILL}", f"{form} {vector(0, nd)}, {vector(4, 4)}, %d20{meta}, %p1{scales}{transposes[True]}", "{DONE}"]
            for j in range(nd):
                code.append(expected(22, 33 if j >= nd // 2 else 32, stored, 3, d, None).rstrip("; "))
                code.append(f"xor.b32 %r{j}, %r{j}, %r22")
            f.case("; ".join(code), ins, " ".join(f"r{j}=0" for j in range(nd)), "!4")
    f.write()


def wmmas():
    f = File("wmma", "Fragments loaded, multiplied and stored: all of A 1, of B 2, of C 3.", [
        ("FILL", "mov.u32 %r30, sh; shl.b32 %r31, %lane, 5; add.u32 %r31, %r31, %r30; "
         "st.shared.v4.b32 [%r31], {%r20, %r20, %r20, %r20}; st.shared.v4.b32 [%r31+16], {%r20, %r20, %r20, %r20}; "
         "st.shared.v4.b32 [%r31+1024], {%r21, %r21, %r21, %r21}; st.shared.v4.b32 [%r31+1040], {%r21, %r21, %r21, %r21}; "
         "st.shared.v4.b32 [%r31+2048], {%r22, %r23, %r22, %r23}; st.shared.v4.b32 [%r31+2064], {%r22, %r23, %r22, %r23}; bar.warp.sync -1")])
    ab = {"f16": lambda v: half(v) * 0x10001, "bf16": lambda v: bf16(v) * 0x10001, "tf32": f32, "s8": lambda v: v * 0x01010101,
          "u8": lambda v: v * 0x01010101, "s4": lambda v: v * 0x11111111, "u4": lambda v: v * 0x11111111,
          "b1": lambda v: (0, 0x0f0f0f0f, 0xffffffff)[v]}
    counts = {("f16", "ab"): 8, ("f16", "cd"): 4, ("f32", "cd"): 8, ("s32", "cd"): 8, ("tf32", "ab"): 4, ("f64", "ab"): 1, ("f64", "cd"): 2}

    def case(shape, a, c, d, layouts=("row", "col", "row"), op="", last=""):
        m, n, k = shape
        na = nb = counts.get((a, "ab"))
        if a == "bf16":
            na, nb = {16: 4, 32: 8, 8: 2}[m], {16: 4, 32: 2, 8: 8}[m]
        elif a in ("s8", "u8"):
            na, nb = {16: 2, 32: 4, 8: 1}[m], {16: 2, 32: 1, 8: 4}[m]
        elif a in ("s4", "u4", "b1"):
            na = nb = 1
        nc = 2 if m == 8 and n == 8 else counts[c, "cd"]
        nd = 2 if m == 8 and n == 8 else counts[d, "cd"]
        wide = a == "f64"
        r = "d" if wide else "r"
        name = f"m{m}n{n}k{k}"
        types = {"s32": f"s32.{a}.{a}.s32", "f64": "f64.f64.f64.f64"}.get(d) or (
            f"{d}.{c}" if a == "f16" else f"f32.{a}.{a}.f32")
        a_row, b_col, order = layouts
        stride_a, stride_b = (k if a_row == "row" else m), (k if b_col == "col" else n)
        stride = n if order == "row" else m
        code = ["{FILL}"]
        if wide:  # all of A and B 1 and 2 by words of a double
            code = ["mov.u32 %r30, sh; shl.b32 %r31, %lane, 5; add.u32 %r31, %r31, %r30; " + "; ".join(
                f"st.shared.v2.b64 [%r31+{1024 * j + at}], {{%d{20 + j}, %d{20 + j}}}" for j in range(3) for at in (0, 16)),
                "bar.warp.sync -1"]
        fa = 8 if wide else 0
        code.append(f"wmma.load.a.sync.aligned.{a_row}.{name}.shared.{a} {vector(0, na, r)}, [%r30], {stride_a}")
        code.append(f"wmma.load.b.sync.aligned.{b_col}.{name}.shared.{a} {vector(8 if not wide else 4, nb, r)}, [%r30+1024], {stride_b}")
        code.append(f"wmma.load.c.sync.aligned.{order}.{name}.shared.{c} {vector(24 if not wide else 8, min(nc, 8), r)}, [%r30+2048], {stride}"
                    .replace("%r30+", "%r38+").replace("[%r30]", "[%r38]"))
        del fa
        first_d = 16 if not wide else 12
        # %r30 is taken by C's fragment: the base goes to %r38.
        code[0] = code[0] + "; mov.u32 %r38, %r30"
        code.append(f"wmma.mma{op}.sync.aligned.{a_row}.{b_col}.{name}.{types}{last} {vector(first_d if wide else 0, nd, r)}, {vector(0, na, r)}, "
                    f"{vector(8 if not wide else 4, nb, r)}, {vector(24 if not wide else 8, nc, r)}")
        code.append(f"wmma.store.d.sync.aligned.{order}.{name}.shared.{d} [%r38+8192], {vector(first_d if wide else 0, nd, r)}, {stride}")
        sums = {".and.popc": k // 2, ".xor.popc": k // 2}.get(op, 2 * k) + 3
        if wide:
            ins = f"d20=0x{f64(1):x} d21=0x{f64(2):x} d22=0x{f64(3):x}"
        else:
            cc = constant(3, c)
            ins = f"r20=0x{ab[a](1):x} r21=0x{ab[a](2):x} r22=0x{cc:x} r23=0x{cc:x}"
        size = m * n * {"f16": 16, "f64": 64}.get(d, 32) // 32
        value = constant(sums, d)
        w = words(value, 64) if d == "f64" else [value]
        outs = " ".join(f"s{2048 + j}=0x{w[j % len(w)]:x}" for j in sorted({0, 1, size // 2 + 1, size - 1})) + f" s{2048 + size}=0"
        f.case("; ".join(code), ins, outs, "!")

    for shape in [(16, 16, 16), (32, 8, 16), (8, 32, 16)]:
        for c, d in [("f16", "f16"), ("f16", "f32"), ("f32", "f16"), ("f32", "f32")]:
            case(shape, "f16", c, d, ("col", "row", "col") if shape[0] == 16 else ("row", "col", "row"))
        case(shape, "bf16", "f32", "f32")
        case(shape, "s8", "s32", "s32")
        case(shape, "u8", "s32", "s32", last=".satfinite")
    case((16, 16, 8), "tf32", "f32", "f32")
    case((8, 8, 4), "f64", "f64", "f64")
    case((8, 8, 32), "s4", "s32", "s32")
    case((8, 8, 32), "u4", "s32", "s32", last=".satfinite")
    case((8, 8, 128), "b1", "s32", "s32", op=".and.popc")
    case((8, 8, 128), "b1", "s32", "s32", op=".xor.popc")
    f.write()


# --- Textures and surfaces -----------------------------------------------------------------------


def textures():
    f = File("texel", "A texture of 8 by 4 words, 32-bit unsigned, unnormalized coordinates, nearest texel; channels that it lacks "
             "are 0. Texel (x, y) is word 8 y + x. Outside, coordinates are clamped.")
    d = "{%r4, %r5, %r6, %r7}"
    at2 = "[%tex, {%r10, %r11}]"
    ins, outs = "r10=2.5f r11=1.5f r12=0 r13=0 r14=0 r15=0 r16=1.0f r17=1", "r4=0x100a"
    f.case(f"tex.2d.v4.u32.f32 {d}, {at2}", ins, outs + " r5=0 r6=0")
    f.case(f"tex.2d.v4.s32.s32 {d}, {at2}", "r10=7 r11=3", "r4=0x101f")
    f.note("With offsets of one texel.")
    f.case(f"tex.2d.v4.u32.f32 {d}, {at2}, {{%r17, %r17}}", ins, "r4=0x1013")
    f.case(f"tex.level.2d.v4.u32.f32 {d}, {at2}, %r12", ins, outs)
    f.case(f"tex.level.2d.v4.u32.f32 {d}, {at2}, %r12, {{%r17, %r17}}", ins, "r4=0x1013")
    f.case(f"tex.grad.2d.v4.u32.f32 {d}, {at2}, {{%r12, %r13}}, {{%r14, %r15}}", ins, outs)
    f.case(f"txq.width.b32 %r4, [%tex]; txq.height.b32 %r5, [%tex]; txq.level.width.b32 %r6, [%tex], %r12", "r12=0", "r4=8 r5=4 r6=8")
    f.note("Other shapes. With one more operand, what a sampler that compares depths would compare; this one does not.")
    two, zero = "{%r17, %r17}", "%r12"
    for geometry, place, coordinates, texel, moved, offset, gradient in [
            ("1d", "[%t1, {%r10}]", "r10=10.5f", 10, 11, "{%r17}", "{%r12}, {%r12}"),
            ("a1d", "[%ta1, {%r16, %r10}]", "r16=2 r10=3.5f", 19, 20, "{%r17}", "{%r12}, {%r12}"),
            ("2d", "[%tex, {%r10, %r11}]", "r10=2.5f r11=1.5f", 10, 19, two, "{%r12, %r12}, {%r12, %r12}"),
            ("a2d", "[%ta2, {%r16, %r10, %r11, %r12}]", "r16=1 r10=2.5f r11=1.5f", 42, 51, two, "{%r12, %r12}, {%r12, %r12}"),
            ("3d", "[%t3, {%r10, %r11, %r16, %r12}]", "r10=1.5f r11=1.5f r16=2.5f", 37, 58, "{%r17, %r17, %r17, %r12}",
             "{%r12, %r12, %r12, %r12}, {%r12, %r12, %r12, %r12}"),
            ("cube", "[%tc, {%r10, %r11, %r16, %r12}]", "r10=0.5f r11=-1.0f r16=-0.5f", 15, 0, "",
             "{%r12, %r12, %r12, %r12}, {%r12, %r12, %r12, %r12}"),
            ("acube", "[%tc, {%r15, %r10, %r11, %r16}]", "r15=1 r10=1.0f r11=0.5f r16=0.5f", 24, 0, "",
             "{%r12, %r12, %r12, %r12}, {%r12, %r12, %r12, %r12}")]:
        ins = coordinates + " r12=0 r17=1 r18=0.5f"
        for name, more in [(f"tex.{geometry}", ""), (f"tex.level.{geometry}", f", {zero}"), (f"tex.grad.{geometry}", f", {gradient}")]:
            form = f"{name}.v4.u32.f32 {d}, {place}{more}"
            f.case(form, ins, f"r4=0x{0x1000 + texel:x}")
            if offset:
                f.case(f"{form}, {offset}", ins, f"r4=0x{0x1000 + moved:x}")
            if geometry != "3d":
                f.case(f"{form}, %r18", ins, f"r4=0x{0x1000 + texel:x}")
            if offset and geometry != "3d":
                f.case(f"{form}, {offset}, %r18", ins, f"r4=0x{0x1000 + moved:x}")
    f.case(f"tex.2dms.v4.u32.s32 {d}, [%tm, {{%r10, %r11, %r16, %r12}}]", "r10=1 r11=2 r16=1 r12=0", "r4=0x100d")
    f.case(f"tex.a2dms.v4.u32.s32 {d}, [%tm, {{%r10, %r15, %r11, %r16}}]", "r10=1 r15=1 r11=2 r16=1", "r4=0x102d")
    f.note("The four texels that a linear filter would blend: (0, 1), (1, 1), (1, 0), (0, 0) of them.")
    f.case(f"tld4.r.2d.v4.u32.f32 {d}, {at2}", "r10=2.0f r11=1.0f", "r4=0x1009 r5=0x100a r6=0x1002 r7=0x1001")
    f.case(f"tld4.r.2d.v4.u32.f32 {d}, {at2}, {{%r17, %r17}}", "r10=2.0f r11=1.0f r17=1", "r4=0x1012 r5=0x1013 r6=0x100b r7=0x100a")
    ins = "r10=2.0f r11=1.0f r12=0 r15=1 r17=1 r18=0.5f"
    f.case(f"tld4.r.2d.v4.u32.f32 {d}, {at2}, %r18", ins, "r4=0x1009 r5=0x100a r6=0x1002 r7=0x1001")
    f.case(f"tld4.r.2d.v4.u32.f32 {d}, {at2}, {two}, %r18", ins, "r4=0x1012 r5=0x1013 r6=0x100b r7=0x100a")
    f.case(f"tld4.r.a2d.v4.u32.f32 {d}, [%ta2, {{%r15, %r10, %r11, %r12}}]", ins, "r4=0x1029 r5=0x102a r6=0x1022 r7=0x1021")
    f.note("The middle of the face +x: its four texels.")
    f.case(f"tld4.r.cube.v4.u32.f32 {d}, [%tc, {{%r10, %r11, %r12, %r12}}]", "r10=1.0f r11=0 r12=0",
           "r4=0x1002 r5=0x1003 r6=0x1001 r7=0x1000")
    f.note("Surfaces go by bytes in x.")
    f.case("suld.b.2d.b32.trap %r4, [%surf, {%r10, %r11}]", "r10=8 r11=1", "r4=0x100a")
    f.case("suld.b.2d.v2.b32.zero {%r4, %r5}, [%surf, {%r10, %r11}]", "r10=40 r11=1", "r4=0 r5=0")
    f.case("sust.b.2d.b32.trap [%surf, {%r10, %r11}], %r5", "r5=6 r10=8 r11=1", "m9=0x1009 m10=6 m11=0x100b", "1")
    f.case("sust.b.2d.b32.clamp [%surf, {%r10, %r11}], %r5", "r5=6 r10=8 r11=9", "m26=6", "1")
    f.case("sust.p.2d.b32.trap [%surf, {%r10, %r11}], %r5", "r5=6 r10=2 r11=1", "m10=6 m11=0x100b", "1")
    f.case("suq.width.b32 %r4, [%surf]; suq.height.b32 %r5, [%surf]", "", "r4=8 r5=4")
    for op, type_ in [("add", "u32"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("or", "b32")]:
        f.case(f"sured.b.{op}.2d.{type_}.trap [%surf, {{%r10, %r11}}], %r5", "r5=10 r10=8 r11=1 m10=12",
               f"m10={INTEGER[op](12, 10)}", "1")
        f.case(f"sured.p.{op}.2d.b32.trap [%surf, {{%r10, %r11}}], %r5", "r5=10 r10=2 r11=1 m10=12",
               f"m10={INTEGER[op](12, 10)}", "1")
    f.write()


def maps():
    f = File("tensormap", "A map changed where it lies; the copy shows it. The map is of rows of 16 words, the box 8 by 2, here at (8, 0).", [
        ("COPY", "fence.proxy.tensormap::generic.release.gpu; fence.proxy.tensormap::generic.acquire.gpu [%m2], 128; "
         "mbarrier.init.shared.b64 [bar], 1; fence.proxy.async; mbarrier.arrive.expect_tx.shared.b64 %d9, [bar], 64; "
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sh], [%m2, {%r1, %r2}], [bar]; "
         "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0"), ("SET", "tensormap.replace.tile")])
    at = "r1=8 r2=0"
    f.case("add.u64 %d4, %data, 64; {SET}.global_address.global.b1024.b64 [%m2], %d4; {COPY}", at, "p1=1 s0=0x1018 s8=0x1028", "1")
    f.note("Rows 32 words apart.")
    f.case("{SET}.global_stride.global.b1024.b64 [%m2], 0, %d4; {COPY}", at + " d4=128", "p1=1 s0=0x1008 s8=0x1028", "1")
    f.note("Boxes of 4 by 4.")
    f.case("{SET}.box_dim.global.b1024.b32 [%m2], 0, %r4; {SET}.box_dim.global.b1024.b32 [%m2], 1, %r4; {COPY}", at + " r4=4",
           "p1=1 s0=0x1008 s4=0x1018 s12=0x1038", "1")
    f.note("Rows of 12 words: what is beyond is 0.")
    f.case("{SET}.global_dim.global.b1024.b32 [%m2], 0, %r4; {COPY}", at + " r4=12", "p1=1 s0=0x1008 s3=0x100b s4=0 s8=0x1018 s12=0", "1")
    f.note("Rank (less 1), type .s32, neither interleaved nor swizzled, zeros outside, each element: as it is.")
    f.case("{SET}.rank.global.b1024.b32 [%m2], %r4; {SET}.elemtype.global.b1024.b32 [%m2], 3; "
           "{SET}.interleave_layout.global.b1024.b32 [%m2], 0; {SET}.swizzle_mode.global.b1024.b32 [%m2], 0; "
           "{SET}.fill_mode.global.b1024.b32 [%m2], 0; {SET}.element_stride.global.b1024.b32 [%m2], 0, %r4; {COPY}", at + " r4=1",
           "p1=1 s0=0x1008 s8=0x1018", "1")
    f.note("128 bytes of shared memory to global memory, as a map is made known.")
    f.case("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%m1], [sh], 128; "
           "ld.global.u32 %r4, [%m1+124]", "s31=7", "r4=7", "!")
    f.write()


if __name__ == "__main__":
    atomics()
    accesses()
    synchronization()
    copies()
    mbarriers()
    mmas()
    wgmmas()
    wmmas()
    textures()
    maps()
