/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code beside the interpreter where addresses are one number for all lanes plus a power of two times an index: how they may be
 * computed and what only looks like them, every kind of access, indices that lead to other allocations or to none, and what becomes of
 * base and index before the address is used, by the lanes that use it and by others.
 */
#include <check.h>
#include <stdio.h>

#include "main.h"
#include "native_there.h"
#include "scaled_trial.h"

/* What its part finds: r3 a thread's number, r1 its lane's, r4 a word that nobody knows, r5 and r6 below 1024; the parameters d0 to d4 and
 * r8. What it leaves in r9 to r14 is kept, so that no other register has their
 * places in the frame. */
static const char head[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry k(.param .u64 in, .param .u64 near, .param .u64 far, .param .u64 fixed, .param .u64 to, "
	".param .u32 lanes, "
	".param .u32 count)\n{\n"
	".shared .align 16 .b8 own[1024]; .reg .pred p, q, s; .reg .b16 h<4>; .reg .b32 r<24>; .reg .f32 f<4>; .reg "
	".f64 e<4>;\n"
	".reg .b64 d<24>;\n"
	"mov.u32 r0, %tid.x; and.b32 r1, r0, 31; mov.u32 r2, %ctaid.x; mad.lo.u32 r3, r2, 96, r0;\n"
	"ld.param.u64 d0, [in]; ld.param.u64 d1, [near]; ld.param.u64 d2, [far]; ld.param.u64 d3, [fixed]; "
	"ld.param.u64 d4, [to];\n"
	"ld.param.u32 r7, [lanes]; ld.param.u32 r8, [count]; mul.wide.u32 d20, r3, 4; add.u64 d20, d0, d20;\n"
	"ld.global.u32 r4, [d20]; and.b32 r5, r4, 1023; shr.u32 r6, r4, 22; mov.u32 r9, 0; mov.u32 r10, 0;\n"
	"mov.u32 r11, 0; mov.u32 r12, 0; mov.u32 r13, 0; mov.u32 r14, 0;\n";
static const char some[] = "shr.u32 r19, r7, r1; and.b32 r19, r19, 1; setp.eq.u32 p, r19, 0; @p bra over;\n";
static const char tail[] = "over: xor.b32 r10, r10, r5; xor.b32 r10, r10, r6; xor.b32 r10, r10, r11; add.u32 r10, r10, "
			   "r12; add.u32 r10, r10, r13; "
			   "xor.b32 r10, r10, r14; mul.wide.u32 d20, r3, 16; add.u64 d20, d4, d20; st.global.u32 "
			   "[d20], r9; st.global.u32 [d20+4], "
			   "r10; ret;\n}\n";

enum {
	PLAIN = 1,    /* nothing of it is scaled */
	ORDERED = 2,  /* the order of warps shows */
	TOGETHER = 4, /* all lanes of a warp must come */
	EITHER = 8,   /* whether any of it is scaled depends on what else is in the kernel */
};

struct part {
	u32 facts;
	const char *text;
};

/* p = base + 4 * index, in these registers. */
#define ADDRESS(p, base, index) "{ .reg .b64 o; mul.wide.u32 o, " index ", 4; add.u64 " p ", " base ", o; }\n"
/* Three times, so that the kernel's warps run one after the other, and atomic operations natively. */
#define THRICE(text) "mov.u32 r15, 0; again: " text " add.u32 r15, r15, 1; setp.lt.u32 q, r15, 3; @q bra again;"

/* clang-format off */
static const struct part computed[] = {
	{0, ADDRESS("d5", "d0", "r5") "ld.global.u32 r9, [d5]; ld.global.u32 r10, [d5+8];"},
	{0, "sub.s32 r11, r5, 500; add.s64 d6, d0, 4000; mul.wide.s32 d5, r11, 4; add.s64 d5, d5, d6; ld.global.u32 r9, [d5];"},
	{0, "add.u32 r11, r5, 1;" ADDRESS("d5", "d0", "r11") "ld.global.u32 r9, [d5+-4];"},
	{0, "add.u32 r11, r5, 0x10000;" ADDRESS("d5", "d0", "r11") "add.s64 d5, d5, -0x40000; ld.global.u32 r9, [d5];"},
	{0, "mad.wide.u32 d5, r5, 4, d0; ld.global.u32 r9, [d5+16]; mad.wide.s32 d6, r6, 8, d0; ld.global.u32 r10, [d6];"},
	{0, "cvt.u64.u32 d5, r5; shl.b64 d5, d5, 2; add.u64 d5, d0, d5; ld.global.u32 r9, [d5];"},
	{0, "cvt.s64.s32 d5, r5; mul.lo.s64 d5, d5, 8; add.s64 d5, d5, d0; ld.global.u32 r9, [d5];"},
	{0, "cvt.u64.u32 d5, r5; mad.lo.s64 d5, d5, 8, d0; ld.global.u64 d6, [d5]; cvt.u32.u64 r9, d6;"},
	{0, "cvt.s64.s32 d5, r5; add.s64 d5, d5, 3; shl.b64 d5, d5, 2; add.s64 d5, d0, d5; ld.global.u32 r9, [d5+-12];"},
	{0, "mov.b32 r11, r5; mul.wide.u32 d5, r11, 4; mov.u64 d6, d5; add.u64 d7, d6, d0; mov.u64 d8, d7;"
	    "ld.global.u32 r9, [d8];"},
	{0, "mul.wide.u32 d5, r5, 2; shl.b64 d5, d5, 1; sub.s64 d5, d5, 16; add.u64 d5, d5, d0; ld.global.u32 r9, [d5+16];"},
	{0, "mul.wide.u32 d5, r5, 4; add.u64 d6, d5, d0; add.u64 d7, d5, d2; ld.global.u32 r9, [d6]; ld.global.u32 r10, [d7];"},
	{0, "cvt.u16.u32 h0, r5; mul.wide.u16 r11, h0, 3; mul.wide.u32 d5, r11, 4; add.u64 d5, d0, d5; ld.global.u32 r9, [d5];"},
	{0, "mad.wide.u32 d5, r5, 16, d0; ld.global.u32 r9, [d5+4]; ld.global.u8 r10, [d5+3];"},
	/* Other kinds of sums; what else looks at one. */
	{PLAIN, "mad.wide.u32 d5, r5, 12, d0; ld.global.u32 r9, [d5];"},
	{PLAIN, "and.b32 r11, r5, 511; mad.wide.u32 d5, r11, 32, d0; ld.global.u32 r9, [d5];"},
	{PLAIN, "sub.u32 r11, 1024, r5; mul.wide.u32 d5, r11, 4; add.u64 d6, d0, 4096; sub.u64 d5, d6, d5; ld.global.u32 r9, [d5];"},
	{PLAIN, "mul.wide.u32 d5, r5, 4; mul.wide.u32 d6, r6, 4; add.u64 d5, d5, d6; add.u64 d5, d0, d5; ld.global.u32 r9, [d5];"},
	{PLAIN, "mad.wide.u32 d5, r5, r5, d0; ld.global.u8 r9, [d5];"},
	{PLAIN, "cvt.u64.u32 d5, r5; add.u64 d5, d5, d5; add.u64 d6, d0, d5; add.u64 d6, d6, d5; ld.global.u32 r9, [d6];"},
	{PLAIN, "and.b32 r11, r5, 1022; mad.wide.u32 d5, r11, 2, d0; ld.global.u32 r9, [d5];"},
	{PLAIN, "and.b32 r11, r5, 1020; cvt.u64.u32 d5, r11; add.u64 d5, d5, d0; ld.global.u32 r9, [d5];"},
	{PLAIN, "cvt.u64.u8 d5, r5; shl.b64 d5, d5, 2; add.u64 d5, d5, d0; ld.global.u32 r9, [d5];"},
	{PLAIN, ADDRESS("d5", "d0", "r5") "ld.u32 r9, [d5];"},
	{PLAIN, ADDRESS("d5", "d0", "r5") "ld.global.u32 r9, [d5]; sub.u64 d6, d5, d0; cvt.u32.u64 r10, d6;"},
	{PLAIN, ADDRESS("d5", "d0", "r5") "ld.global.u32 r9, [d5]; setp.gt.u64 q, d5, d1; selp.b32 r10, 1, 2, q;"},
	{PLAIN, "and.b32 r11, r5, 1020;" ADDRESS("d5", "d0", "r11")
	        "ld.global.v4.u32 {r9, r10, r12, r13}, [d5]; add.u32 r9, r9, r13;"},
	{PLAIN, "mul.wide.u32 d5, r5, 8; add.u64 d5, d5, d4; st.global.u64 [d5+8192], d5;"},
	{PLAIN, ADDRESS("d5", "d0", "r5") "add.s64 d5, d5, 0x7ffffff0; ld.global.u32 r9, [d5+16];"},
	{PLAIN, ADDRESS("d5", "d0", "r3") "ld.global.u32 r9, [d5];"},
};

static const struct part kinds[] = {
	/* Loads. */
	{0, "cvt.u64.u32 d5, r5; add.u64 d5, d0, d5; ld.global.u8 r9, [d5+1]; ld.global.s8 r10, [d5];"},
	{0, "mad.wide.u32 d5, r5, 2, d0; ld.global.u16 r9, [d5+2]; ld.global.s16 r10, [d5]; ld.global.s8 r11, [d5+3];"
	    "add.s32 r9, r9, r11;"},
	{0, "mad.wide.u32 d5, r5, 8, d0; ld.global.u64 d6, [d5+8]; ld.global.f64 e0, [d5]; mov.b64 d7, e0; add.u64 d6, d6, d7;"
	    "cvt.u32.u64 r9, d6; shr.u64 d6, d6, 32; cvt.u32.u64 r10, d6;"},
	{0, ADDRESS("d5", "d0", "r5") "ld.global.nc.u32 r9, [d5]; ld.global.nc.f32 f0, [d5+4]; mov.b32 r10, f0;"},
	{PLAIN, ADDRESS("d5", "d0", "r5") "ld.volatile.global.u32 r9, [d5]; ld.relaxed.gpu.global.u32 r10, [d5+4];"
	        "ld.acquire.gpu.global.u32 r11, [d5+8]; add.u32 r9, r9, r11;"},
	{0, ADDRESS("d5", "d0", "r5") "ld.global.s32 d6, [d5]; cvt.u32.u64 r9, d6; shr.u64 d6, d6, 32; cvt.u32.u64 r10, d6;"},
	{0, ADDRESS("d5", "d0", "r5") "ld.global.u32 r9, [d5]; and.b32 r11, r9, 1023;"
	    ADDRESS("d5", "d0", "r11") "ld.global.u32 r9, [d5];"},
	/* Stores: where several lanes have one place, which wins. */
	{ORDERED, ADDRESS("d5", "d1", "r5") "st.global.u32 [d5], r3;"},
	{ORDERED, "and.b32 r11, r5, 7;" ADDRESS("d5", "d1", "r11") "st.global.u32 [d5+12], r3;"},
	{ORDERED, "cvt.u64.u32 d5, r5; add.u64 d5, d1, d5; st.global.u8 [d5+1], r3; st.global.u8 [d5], r4;"},
	{ORDERED, "mad.wide.u32 d5, r5, 2, d1; st.global.u16 [d5], r3;"},
	{ORDERED, "and.b32 r11, r5, 255; mad.wide.u32 d5, r11, 8, d1; cvt.u64.u32 d6, r4; st.global.u64 [d5+8], d6;"
	          "st.global.u32 [d5], r3;"},
	{ORDERED | PLAIN, ADDRESS("d5", "d1", "r5") "st.volatile.global.u32 [d5], r3; st.release.gpu.global.u32 [d5], r4;"},
	{ORDERED, ADDRESS("d5", "d1", "r5") "cvt.rn.f32.u32 f0, r4; st.global.f32 [d5], f0; ld.global.u32 r9, [d5];"},
	{ORDERED, ADDRESS("d5", "d0", "r3") "and.b32 r11, r3, 31; xor.b32 r11, r11, r5;"
	          ADDRESS("d6", "d1", "r11") "st.global.u32 [d6], r3;"},
	/* Atomic operations: in kernels whose warps run one after the other, and sums without a load beside them. */
	{ORDERED, THRICE(ADDRESS("d5", "d1", "r5") "atom.global.add.u32 r9, [d5], r3;")},
	{ORDERED, THRICE("and.b32 r11, r5, 3;" ADDRESS("d5", "d1", "r11")
	          "atom.global.exch.b32 r9, [d5+4], r3; atom.global.add.u32 r10, [d5], 1; add.u32 r9, r9, r10;")},
	{ORDERED, THRICE("and.b32 r11, r5, 3;" ADDRESS("d5", "d1", "r11")
	          "ld.global.u32 r12, [d5]; atom.global.cas.b32 r9, [d5], r12, r3;")},
	{ORDERED, THRICE("and.b32 r11, r5, 255; mad.wide.u32 d5, r11, 8, d1; cvt.u64.u32 d6, r4; atom.global.add.u64 d7, [d5], d6;"
	          "atom.global.exch.b64 d8, [d5+8], d6; add.u64 d7, d7, d8; cvt.u32.u64 r9, d7;")},
	{ORDERED, THRICE(ADDRESS("d5", "d1", "r5") "cvt.rn.f32.u32 f0, r3; atom.global.add.f32 f1, [d5], f0; mov.b32 r9, f1;")},
	{ORDERED, THRICE(ADDRESS("d5", "d1", "r5") "atom.global.inc.u32 r9, [d5], 1000; atom.global.min.u32 r10, [d5], r4;")},
	{ORDERED, THRICE(ADDRESS("d5", "d1", "r5")
	          "atom.global.xor.b32 r9, [d5], r3; red.global.add.u32 [d5], r3; red.global.add.u32 [d5+8], 1;")},
	{ORDERED, THRICE("mov.b32 r9, r5;" ADDRESS("d5", "d1", "r9") "atom.global.add.u32 r9, [d5], r9;")},
	{ORDERED, THRICE(ADDRESS("d5", "d1", "r5")
	          "setp.lt.u32 s, r6, 20; @s st.global.u32 [d5], r3; @!s atom.global.add.u32 r10, [d5], r3;")},
	{TOGETHER, "bar.sync 0; mad.lo.u32 r11, r3, 0x9e3779b1, 77; shr.u32 r11, r11, 23;" ADDRESS("d5", "d1", "r11")
	           "red.global.add.u32 [d5], r3; red.global.add.u32 [d5+8], 1; bar.sync 0;"},
	{TOGETHER, "bar.sync 0; mad.lo.u32 r11, r3, 0x9e3779b1, 77; shr.u32 r11, r11, 23;" ADDRESS("d5", "d1", "r11")
	           "red.global.max.s32 [d5], r4; bar.sync 0;"},
	{TOGETHER, "bar.sync 0; mad.lo.u32 r11, r3, 0x9e3779b1, 77; shr.u32 r11, r11, 23;" ADDRESS("d5", "d1", "r11")
	           "atom.global.xor.b32 r20, [d5], r4; bar.sync 0;"},
	/* Over what tells its own place. */
	{0, "mov.b32 r9, r5;" ADDRESS("d5", "d0", "r9") "ld.global.u32 r9, [d5];"},
	{0, "mov.b32 r9, r5; mad.wide.u32 d5, r9, 8, d0; ld.global.u64 d5, [d5]; cvt.u32.u64 r10, d5;"},
	{ORDERED, "mov.b32 r9, r5;" ADDRESS("d5", "d1", "r9") "st.global.u32 [d5], r9;"},
	/* Guarded. */
	{0, ADDRESS("d5", "d0", "r5") "setp.lt.u32 q, r6, 500; @q ld.global.u32 r9, [d5]; @!q ld.global.u32 r9, [d5+64];"},
};

/* Indices that lead far away; faults, of which some lanes are at fault. */
static const struct part reaches[] = {
	{0, "or.b32 r11, r5, 0xC0000000;" ADDRESS("d5", "d0", "r11") "ld.global.u32 r9, [d5];"},
	{0, "or.b32 r11, r5, 0x40000000;" ADDRESS("d5", "d0", "r11") "ld.global.u32 r9, [d5];"},
	{0, "and.b32 r12, r4, 0xC0000000; setp.eq.u32 q, r12, 0x80000000; selp.b32 r12, 0xC0000000, r12, q; or.b32 r11, r5, r12;"
	    ADDRESS("d5", "d0", "r11") "ld.global.u32 r9, [d5]; ld.global.u32 r10, [d5+4];"},
	{ORDERED, THRICE("and.b32 r12, r4, 0x40000000; shl.b32 r13, r12, 1; or.b32 r12, r12, r13; and.b32 r11, r5, 511;"
	          "or.b32 r11, r11, r12;" ADDRESS("d5", "d0", "r11")
	          "st.global.u32 [d5+2048], r3; atom.global.add.u32 r9, [d5+2048], 7;")},
	{0, "or.b32 r11, r5, 0x80000000; mul.wide.s32 d5, r11, 4; add.s64 d5, d5, d2; ld.global.u32 r9, [d5];"},
	/* The next allocation. */
	{0, "sub.u64 d6, d1, d0; shr.u64 d6, d6, 2; cvt.u32.u64 r12, d6; and.b32 r13, r4, 4096; setp.eq.u32 q, r13, 0;"
	    "selp.b32 r12, r12, 0, q; add.u32 r11, r5, r12;" ADDRESS("d5", "d0", "r11")
	    "ld.global.u32 r9, [d5]; ld.global.u32 r10, [d5];"},
	{ORDERED, "sub.u64 d6, d1, d0; shr.u64 d6, d6, 2; cvt.u32.u64 r12, d6; and.b32 r13, r4, 4096; setp.eq.u32 q, r13, 0;"
	          "selp.b32 r12, r12, 0, q; and.b32 r11, r5, 511; add.u32 r11, r11, r12;"
	          THRICE(ADDRESS("d5", "d0", "r11") "st.global.u32 [d5+2048], r3; atom.global.add.u32 r10, [d5+2048], r3;")},
	/* Now here, now there. */
	{0, "mov.u32 r11, 0; again: and.b32 r12, r11, 1; mul.lo.u32 r12, r12, 0xC0000000; or.b32 r12, r12, r5;"
	    ADDRESS("d5", "d0", "r12") "ld.global.u32 r13, [d5]; add.u32 r9, r9, r13; xor.b32 r12, r12, 0xC0000000;"
	    "and.b32 r12, r12, 0xC00003ff;" ADDRESS("d6", "d0", "r12") "ld.global.u32 r13, [d6]; mad.lo.u32 r9, r9, 3, r13;"
	    "add.u32 r11, r11, 1; setp.lt.u32 q, r11, 9; @q bra again;"},
	/* What cannot be written, by all and by one. */
	{ORDERED, "or.b32 r11, r5, 0x40000000;" ADDRESS("d5", "d0", "r11") "st.global.u32 [d5+2048], r3;"},
	{ORDERED, "setp.eq.u32 q, r1, 9; selp.b32 r11, 0x40000003, r5, q;" ADDRESS("d5", "d0", "r11")
	          "st.global.u32 [d5+2048], r3;"},
	{ORDERED, ADDRESS("d5", "d3", "r5") "ld.global.u32 r9, [d5]; st.global.u32 [d5], r3;"},
	{ORDERED, THRICE(ADDRESS("d5", "d3", "r5") "ld.global.u32 r9, [d5]; atom.global.add.u32 r10, [d5], r3;")},
	{ORDERED, THRICE("setp.eq.u32 s, r1, 9; selp.b32 r11, 0x40000203, r5, s;" ADDRESS("d5", "d0", "r11")
	          "atom.global.add.u32 r10, [d5], r3;")},
	/* Far out of reach; just so, on both sides; where 32 bits would come back. */
	{ORDERED, ADDRESS("d6", "d1", "r5") "st.global.u32 [d6], r3; setp.eq.u32 q, r1, 9; selp.b32 r11, 0x50000, r5, q;"
	          ADDRESS("d5", "d0", "r11") "ld.global.u32 r9, [d5]; st.global.u32 [d6], r9;"},
	{ORDERED, "setp.eq.u32 q, r1, 9; selp.b32 r11, 0x50000, r5, q;" ADDRESS("d5", "d0", "r11") "st.global.u32 [d5+2048], r3;"},
	{ORDERED, THRICE("setp.eq.u32 s, r1, 9; selp.b32 r11, 0x50000, r5, s;" ADDRESS("d5", "d0", "r11")
	          "atom.global.add.u32 r9, [d5+2048], r3;")},
	{ORDERED, "setp.eq.u32 q, r1, 21; selp.b32 r11, 1024, r5, q;" ADDRESS("d5", "d2", "r11") "ld.global.u32 r9, [d5];"},
	{ORDERED, "setp.eq.u32 q, r1, 21; selp.b32 r11, 1023, r5, q;" ADDRESS("d5", "d2", "r11") "st.global.u32 [d5], r3;"},
	{ORDERED, "setp.eq.u32 q, r1, 21; selp.b32 r11, 0, r5, q;" ADDRESS("d5", "d2", "r11") "st.global.u32 [d5+-4], r3;"},
	{ORDERED, "setp.eq.u32 q, r1, 21; selp.b32 r11, -1, r5, q; mul.wide.s32 d5, r11, 4; add.s64 d5, d5, d2;"
	          "st.global.u32 [d5], r3;"},
	{ORDERED, "setp.eq.u32 q, r1, 21; selp.b32 r11, 1022, r5, q;" ADDRESS("d5", "d2", "r11") "ld.global.u32 r9, [d5+8];"},
	{ORDERED, "and.b32 r12, r5, 511; setp.eq.u32 q, r1, 21; selp.b32 r11, 511, r12, q; mad.wide.u32 d5, r11, 8, d2;"
	          "ld.global.u64 d6, [d5]; cvt.u32.u64 r9, d6; ld.global.u64 d6, [d5+8];"},
	{ORDERED, "setp.eq.u32 q, r1, 21; selp.b32 r11, 4095, r5, q; cvt.u64.u32 d5, r11; add.u64 d5, d5, d2;"
	          "st.global.u8 [d5], r4; st.global.u8 [d5+1], r3;"},
	{ORDERED, "setp.eq.u32 q, r1, 4; selp.b32 r11, 0xffffffff, r5, q;" ADDRESS("d5", "d2", "r11") "ld.global.u32 r9, [d5];"},
	{ORDERED, "setp.eq.u32 q, r1, 4; selp.b32 r11, 0x80000000, r5, q; mul.wide.s32 d5, r11, 4; add.u64 d5, d5, d0;"
	          "ld.global.u32 r9, [d5];"},
	/* Bases that are not multiples of the width; none at all. */
	{ORDERED, "add.u64 d6, d0, 2;" ADDRESS("d5", "d6", "r5") "ld.global.u32 r9, [d5];"},
	{ORDERED, "add.u64 d6, d0, 4; mad.wide.u32 d5, r5, 8, d6; ld.global.u32 r9, [d5]; ld.global.u64 d7, [d5];"
	          "cvt.u32.u64 r10, d7;"},
	{ORDERED, ADDRESS("d5", "d1", "r5") "st.global.u16 [d5+2], r3; st.global.u16 [d5+1], r9;"},
	{ORDERED | PLAIN, "mov.u64 d6, 0;" ADDRESS("d5", "d6", "r5") "ld.global.u32 r9, [d5];"},
	{ORDERED, "sub.u64 d6, d0, d0;" ADDRESS("d5", "d6", "r5") "ld.global.u32 r9, [d5];"},
	{ORDERED, "sub.u64 d6, d0, d0; sub.u64 d6, d6, 64;" ADDRESS("d5", "d6", "r5") "ld.global.u32 r9, [d5];"},
	/* A base from which addresses would go around the end of all; one below which all indices lie. */
	{0, "sub.u64 d6, d0, 8; sub.u64 d6, d6, 8; neg.s64 d7, 0x300000000; add.u64 d7, d7, d2; or.b32 r11, r5, 0xC0000000;"
	    "add.u32 r11, r11, 4; sub.u64 d7, d7, 16;" ADDRESS("d5", "d7", "r11") "ld.global.u32 r9, [d5];"},
	{0, "add.u64 d6, d0, 8192; add.u64 d6, d6, 4096; sub.u32 r11, r5, 2048; mul.wide.s32 d5, r11, 4; add.u64 d5, d5, d6;"
	    "ld.global.u32 r9, [d5]; ld.global.u32 r10, [d5+16];"},
	/* In the last turn of a loop, of some lanes. */
	{ORDERED, "mov.u32 r11, r5; mov.u32 r12, 0; again:" ADDRESS("d5", "d1", "r11") "ld.global.u32 r13, [d5];"
	          "add.u32 r13, r13, 1; st.global.u32 [d5], r13; add.u32 r11, r11, 97; add.u32 r12, r12, 1; setp.lt.u32 q, r12, 2000;"
	          "@q bra again;"},
};

/* What becomes of base and index before the address is used: other values in their registers, in all lanes or some. */
static const struct part changes[] = {
	{0, "xor.b32 r15, r5, 1;" ADDRESS("d5", "d0", "r15") "add.u32 r15, r15, 1; ld.global.u32 r9, [d5]; add.u32 r9, r9, r15;"},
	{0, "xor.b32 r15, r5, 1;" ADDRESS("d5", "d0", "r15")
	    "ld.global.u32 r15, [d5]; ld.global.u32 r10, [d5+4]; add.u32 r9, r15, r10;"},
	{EITHER, ADDRESS("d5", "d0", "r5") "add.u32 r5, r5, 1; ld.global.u32 r9, [d5]; add.u32 r9, r9, r5;"},
	{EITHER, "mov.u64 d6, d0;" ADDRESS("d5", "d6", "r5")
	        "add.u64 d6, d6, 64; ld.global.u32 r9, [d5]; ld.global.u32 r10, [d6];"},
	{EITHER, ADDRESS("d5", "d0", "r5") "ld.global.u32 r5, [d5]; ld.global.u32 r10, [d5+4]; add.u32 r9, r5, r10;"},
	{PLAIN, ADDRESS("d5", "d0", "r5") "setp.lt.u32 q, r6, 100; @q add.u32 r5, r5, 1; ld.global.u32 r9, [d5]; add.u32 r9, r9, r5;"},
	{PLAIN, ADDRESS("d5", "d0", "r5") "setp.lt.u32 q, r6, 500; @q add.u64 d5, d5, 64; ld.global.u32 r9, [d5];"},
	{PLAIN, "mov.u64 d5, d0; setp.lt.u32 q, r6, 500; mul.wide.u32 d6, r5, 4; @q add.u64 d5, d0, d6; ld.global.u32 r9, [d5];"},
	{PLAIN, "setp.lt.u32 q, r6, 500; selp.b64 d6, d0, d1, q;" ADDRESS("d5", "d6", "r5") "ld.global.u32 r9, [d5];"},
	{0, "setp.eq.u32 q, r2, 1; selp.b64 d6, d0, d1, q;" ADDRESS("d5", "d6", "r5") "ld.global.u32 r9, [d5];"},
	{0, "ld.global.u64 d6, [d2+4088];" ADDRESS("d5", "d6", "r5") "ld.global.u32 r9, [d5];"},
	{TOGETHER, "mov.u32 r11, own; st.shared.u64 [r11], d0; bar.sync 0; ld.shared.u64 d6, [r11];" ADDRESS("d5", "d6", "r5")
	           "ld.global.u32 r9, [d5];"},
	/* Many values in turn, which share places: of the index, too. */
	{0, "xor.b32 r15, r5, 1;" ADDRESS("d5", "d0", "r15") "xor.b32 r16, r5, 5; mul.lo.u32 r17, r16, 3; add.u32 r18, r17, r4;"
	        "xor.b32 r20, r18, 7; mul.lo.u32 r21, r20, r20; add.u32 r22, r21, 1; ld.global.u32 r9, [d5];"
	        "mad.lo.u32 r23, r22, 5, r9; xor.b32 r10, r23, 1;"},
	{0, ADDRESS("d5", "d0", "r5") "mul.wide.u32 d6, r6, 4; add.u64 d7, d6, 5; mul.lo.u64 d8, d7, d7; xor.b64 d9, d8, 77;"
	    "cvt.u32.u64 r10, d9; ld.global.u32 r9, [d5];"},
	/* Loops: the index that a load gives, or a sum; an address that is used behind them; bases that go on. */
	{0, "mov.u32 r11, 0; again:" ADDRESS("d5", "d0", "r5") "ld.global.u32 r12, [d5]; and.b32 r5, r12, 1023;"
	    "mad.lo.u32 r9, r9, 3, r12; add.u32 r11, r11, 1; setp.lt.u32 q, r11, r8; @q bra again;"},
	{0, "and.b32 r13, r4, 15; mov.u32 r11, 0; again:" ADDRESS("d5", "d0", "r5") "ld.global.u32 r12, [d5];"
	    "and.b32 r5, r12, 1023; mad.lo.u32 r9, r9, 3, r12; add.u32 r11, r11, 1; setp.lt.u32 q, r11, r13; @q bra again;"},
	{PLAIN, "and.b32 r13, r4, 15; mov.u32 r11, 0; again: mad.wide.u32 d5, r5, 4, d0; ld.global.u32 r12, [d5];"
	        "and.b32 r5, r12, 1023; mad.lo.u32 r9, r9, 3, r12; add.u32 r11, r11, 1; setp.lt.u32 q, r11, r13; @q bra again;"
	        "ld.global.u32 r10, [d5+4];"},
	{0, "and.b32 r13, r4, 15; mov.u32 r11, 0; again: xor.b32 r14, r5, r11; mad.wide.u32 d5, r14, 4, d0; ld.global.u32 r12, [d5];"
	    "mad.lo.u32 r9, r9, 3, r12; add.u32 r11, r11, 1; setp.lt.u32 q, r11, r13; @q bra again; ld.global.u32 r10, [d5+4];"},
	{0, "mov.u64 d6, d0; mov.u32 r11, 0; again:" ADDRESS("d5", "d6", "r5") "ld.global.u32 r12, [d5]; add.u32 r9, r9, r12;"
	    "add.u64 d6, d6, 64; add.u32 r11, r11, 1; setp.lt.u32 q, r11, r8; @q bra again;"},
	{0, "mov.u32 r15, 0; outer: xor.b32 r16, r5, r15;" ADDRESS("d5", "d0", "r16") "mov.u32 r11, 0; and.b32 r13, r6, 7;"
	    "inner: ld.global.u32 r12, [d5]; mad.lo.u32 r9, r9, 3, r12; shl.b32 r14, r11, 2; xor.b32 r14, r14, r12;"
	    "and.b32 r14, r14, 1023;" ADDRESS("d6", "d0", "r14") "ld.global.u32 r10, [d6]; add.u32 r11, r11, 1; setp.lt.u32 q, r11, r13;"
	    "@q bra inner; add.u32 r15, r15, 1; setp.lt.u32 q, r15, r8; @q bra outer;"},
	/* Lanes leave a loop with the base that they have had last, while others go on with the next one. */
	{PLAIN, "and.b32 r13, r4, 15; mov.u32 r11, 0; mov.u64 d6, d0; again: add.u64 d6, d6, 32; xor.b32 r14, r5, r11;"
	        "mad.wide.u32 d5, r14, 4, d6; add.u32 r11, r11, 1; setp.lt.u32 q, r11, r13; @q bra again;"
	        "ld.global.u32 r9, [d5]; ld.global.u32 r10, [d5+4];"},
	{TOGETHER | PLAIN, "and.b32 r13, r4, 15; mov.u32 r11, 0; mov.u64 d6, d0; again: add.u64 d6, d6, 32; xor.b32 r14, r5, r11;"
	        "mad.wide.u32 d5, r14, 4, d6; add.u32 r11, r11, 1; setp.lt.u32 q, r11, r13; @q bra again; bar.sync 0;"
	        "ld.global.u32 r9, [d5]; ld.global.u32 r10, [d5+4]; add.u32 r9, r9, r10;"},
	/* Lanes that wait while others change what their addresses are made of. */
	{0, "mov.b32 r11, r5; mov.u64 d6, d0; mad.wide.u32 d5, r11, 4, d6; setp.lt.u32 q, r6, 500; @q bra side; add.u32 r11, r11, 1;"
	    "xor.b32 r11, r11, 3; add.u64 d6, d6, 64; mad.wide.u32 d7, r11, 4, d6; ld.global.u32 r9, [d7]; ld.global.u32 r10, [d6];"
	    "bra over; side: ld.global.u32 r9, [d5]; ld.global.u32 r10, [d5+8];"},
	{0, "mov.b32 r11, r5;" ADDRESS("d5", "d0", "r11") "setp.lt.u32 q, r6, 500; @q bra side; ld.global.u32 r11, [d5];"
	    "and.b32 r11, r11, 1023;" ADDRESS("d7", "d0", "r11") "ld.global.u32 r9, [d7]; bra over;"
	    "side: ld.global.u32 r9, [d5]; ld.global.u32 r10, [d5+8];"},
	{0, ADDRESS("d5", "d0", "r5") "setp.lt.u32 q, r6, 500; @q bra side; ld.global.u32 r9, [d5]; bra meet;"
	    "side: ld.global.u32 r9, [d5+4]; meet: ld.global.u32 r10, [d5+8];"},
	{0, "mov.u32 r11, r5; setp.lt.u32 q, r6, 500; @q bra side; add.u32 r11, r5, 7;"
	    "side:" ADDRESS("d5", "d0", "r11") "ld.global.u32 r9, [d5];"},
	{0, "setp.lt.u32 q, r6, 500; @q bra side;" ADDRESS("d5", "d0", "r5") "bra meet; side:" ADDRESS("d6", "d0", "r6")
	    "ld.global.u32 r9, [d6]; bra over; meet: ld.global.u32 r10, [d5+8];"},
	/* Addresses that outlive a region; of the same places in memory. */
	{TOGETHER, ADDRESS("d5", "d0", "r5") "ld.global.u32 r9, [d5]; add.u32 r9, r9, 1; bar.sync 0; ld.global.u32 r10, [d5+4];"
	           "add.u32 r10, r10, r9; bar.sync 0; ld.global.u32 r11, [d5+8]; add.u32 r9, r10, r11;"},
	{TOGETHER, "mov.b32 r11, r5;" ADDRESS("d5", "d0", "r11") "and.b32 r13, r4, 7; bar.sync 0; again: ld.global.u32 r12, [d5];"
	           "mad.lo.u32 r9, r9, 3, r12; setp.gt.u32 q, r13, 0; sub.u32 r13, r13, 1; @q bra again; bar.sync 0;"
	           "ld.global.u32 r10, [d5+8];"},
	{TOGETHER, ADDRESS("d5", "d0", "r5") "shfl.sync.idx.b32 r11, r4, 3, 31, -1; ld.global.u32 r9, [d5]; add.u32 r9, r9, r11;"
	           "setp.lt.u32 q, r6, 500; vote.sync.ballot.b32 r12, q, -1; ld.global.u32 r10, [d5+4];"},
	/* Many ways at once. */
	{0, ADDRESS("d5", "d0", "r5") "mov.u32 r11, 0; again: setp.eq.u32 q, r11, r1; @q bra leave; setp.eq.u32 q, r11, r6;"
	    "@q bra leave; and.b32 r12, r11, 3; setp.eq.u32 q, r12, 2; @q bra next; ld.global.u32 r13, [d5]; mad.lo.u32 r9, r9, 5, r13;"
	    "next: add.u32 r11, r11, 1; bra again; leave: ld.global.u32 r10, [d5+8];"},
};
/* Addresses that are none of these, of which nothing is known: by 64 bits, here as 12 times an index, and within the warp's own part of
 * shared memory, of 256 bytes. */
#define FAR(p, base, index) "mad.wide.u32 " p ", " index ", 12, " base ";"
#define OWN_PART "mov.u32 r20, own; shr.u32 r21, r0, 5; mad.lo.u32 r20, r21, 256, r20;"
#define NEAR(p, size, most, index) "and.b32 r23, " index ", " #most "; mad.lo.u32 " p ", r23, " #size ", r20;"

static const struct part scattered[] = {
	/* Of every type, with narrow registers, too. */
	{PLAIN, FAR("d5", "d0", "r5") "ld.global.u8 r9, [d5+1]; ld.global.s8 r10, [d5+3]; ld.global.u8 h0, [d5]; ld.global.s8 h1, [d5+2];"
	        "cvt.u32.u16 r11, h0; cvt.u32.u16 r12, h1;"},
	{PLAIN, FAR("d5", "d0", "r5") "ld.global.u16 r9, [d5+2]; ld.global.s16 r10, [d5]; ld.global.u16 h0, [d5+4]; cvt.u32.u16 r11, h0;"},
	{PLAIN, FAR("d5", "d0", "r5") "ld.global.u32 r9, [d5+12]; ld.global.nc.f32 f0, [d5+8]; mov.b32 r10, f0;"},
	{PLAIN, "and.b32 r11, r5, 511; mad.wide.u32 d5, r11, 24, d0; ld.global.u64 d6, [d5+8]; cvt.u32.u64 r9, d6; shr.u64 d6, d6, 32;"
	        "cvt.u32.u64 r10, d6;"},
	{PLAIN, FAR("d5", "d0", "r5") "ld.u32 r9, [d5]; ld.u16 h0, [d5+4]; cvt.u32.u16 r10, h0;"},
	{PLAIN | ORDERED, "and.b32 r11, r5, 255;" FAR("d5", "d1", "r11")
	        "st.global.u8 [d5+3], r3; st.global.u16 [d5+6], r4; st.global.u32 [d5+8], r3; st.u8 [d5+1], r4;"},
	{PLAIN | ORDERED, "and.b32 r11, r5, 127; mad.wide.u32 d5, r11, 24, d1; cvt.u64.u32 d6, r4; st.global.u64 [d5+8], d6;"},
	{PLAIN | ORDERED, THRICE("and.b32 r11, r5, 255;" FAR("d5", "d1", "r11")
	        "atom.global.add.u32 r9, [d5], r3; atom.global.cas.b32 r10, [d5+4], r3, r4;")},
	/* Vectors. */
	{PLAIN, "and.b32 r11, r5, 255; mad.wide.u32 d5, r11, 48, d0; ld.global.v4.u32 {r9, r10, r12, r13}, [d5+16];"
	        "ld.global.v2.u32 {r15, r16}, [d5+8]; add.u32 r9, r9, r15; xor.b32 r13, r13, r16;"},
	{PLAIN | ORDERED, "and.b32 r11, r5, 63; mad.wide.u32 d5, r11, 48, d1;"
	        "st.global.v4.u32 [d5+16], {r3, r4, r5, r6}; st.global.v2.u32 [d5+8], {r6, r3};"},
	{PLAIN, "and.b32 r11, r5, 255; mad.wide.u32 d5, r11, 48, d0; ld.global.v2.u64 {d6, d7}, [d5+16]; add.u64 d6, d6, d7;"
	        "cvt.u32.u64 r9, d6;"},
	/* Shared memory. */
	{PLAIN | ORDERED, OWN_PART NEAR("r21", 4, 63, "r5") "st.shared.u32 [r21], r3;" NEAR("r22", 4, 63, "r6") "ld.shared.u32 r9, [r22];"},
	{PLAIN | ORDERED, OWN_PART NEAR("r21", 1, 255, "r5") "st.shared.u8 [r21], r3;" NEAR("r22", 1, 255, "r6")
	        "ld.shared.u8 r9, [r22]; ld.shared.s8 r10, [r22]; ld.shared.u8 h0, [r22]; cvt.u32.u16 r11, h0;"},
	{PLAIN | ORDERED, OWN_PART NEAR("r21", 2, 127, "r5") "st.shared.u16 [r21], r3;" NEAR("r22", 2, 127, "r6")
	        "ld.shared.u16 r9, [r22]; ld.shared.s16 r10, [r22]; ld.shared.u16 h0, [r22]; cvt.u32.u16 r11, h0;"},
	{PLAIN | ORDERED, OWN_PART NEAR("r21", 8, 31, "r5") "cvt.u64.u32 d6, r4; st.shared.u64 [r21], d6;" NEAR("r22", 8, 31, "r6")
	        "ld.shared.u64 d7, [r22]; cvt.u32.u64 r9, d7; shr.u64 d7, d7, 32; cvt.u32.u64 r10, d7;"},
	{PLAIN | ORDERED, OWN_PART NEAR("r21", 16, 15, "r5") "st.shared.v4.u32 [r21], {r3, r4, r5, r6};" NEAR("r22", 16, 15, "r6")
	        "ld.shared.v4.u32 {r9, r10, r12, r13}, [r22];"},
	{PLAIN | ORDERED, OWN_PART NEAR("r21", 8, 31, "r5") "st.shared.v2.u32 [r21], {r3, r4};" NEAR("r22", 8, 31, "r6")
	        "ld.shared.v2.u32 {r9, r10}, [r22];"},
	{PLAIN | ORDERED, OWN_PART NEAR("r21", 4, 63, "r5") "cvt.u64.u32 d5, r21; st.shared.u32 [d5], r3;" NEAR("r22", 4, 63, "r6")
	        "cvt.u64.u32 d6, r22; ld.shared.u32 r9, [d6]; ld.shared.u16 r10, [d6+2];"},
	/* Words near each other, up to the end of the block's memory, and in columns. */
	{PLAIN | TOGETHER, "mov.u32 r20, own; mad.lo.u32 r21, r0, 8, r20; st.shared.v2.u32 [r21], {r4, r3}; bar.sync 0; xor.b32 r22, r0, 1;"
	        "shl.b32 r22, r22, 3; add.u32 r22, r22, r20; ld.shared.u32 r9, [r22]; xor.b32 r22, r0, 16; shl.b32 r22, r22, 2;"
	        "add.u32 r22, r22, r20; ld.shared.u32 r10, [r22+256]; ld.shared.u32 r11, [r22+384];"
	        "and.b32 r22, r1, 7; shl.b32 r22, r22, 6; add.u32 r22, r22, r20; ld.shared.u32 r12, [r22+4];"
	        "ld.shared.v2.u32 {r13, r14}, [r22]; and.b32 r22, r1, 24; shl.b32 r22, r22, 1; add.u32 r22, r22, r20;"
	        "ld.shared.u32 r15, [r22+716]; add.u32 r9, r9, r15; ld.shared.v4.u32 {r15, r16, r17, r18}, [r22+640];"
	        "add.u32 r10, r10, r18; bar.sync 0;"},
	/* Other allocations, of all lanes, of one, and of each other lane; what cannot be written. */
	{PLAIN, "setp.eq.u32 q, r2, 1; selp.b64 d6, d0, d2, q; and.b32 r11, r5, 255;" FAR("d5", "d6", "r11") "ld.global.u32 r9, [d5];"},
	{PLAIN, "setp.eq.u32 q, r1, 21; selp.b64 d6, d0, d2, q; and.b32 r11, r5, 255;" FAR("d5", "d6", "r11") "ld.global.u32 r9, [d5];"},
	{PLAIN | ORDERED, "and.b32 r12, r4, 4; setp.eq.u32 q, r12, 0; selp.b64 d6, d1, d2, q; selp.b64 d7, d0, d3, q; and.b32 r11, r5, 127;"
	        FAR("d5", "d6", "r11") "st.global.u32 [d5], r3;" FAR("d8", "d7", "r11") "ld.global.u8 r9, [d8+1];"},
	{PLAIN | ORDERED, "and.b32 r11, r5, 127;" FAR("d5", "d3", "r11") "ld.global.u32 r9, [d5]; st.global.u32 [d5], r3;"},
	{PLAIN | ORDERED, "and.b32 r11, r5, 63; mad.wide.u32 d5, r11, 48, d3; ld.global.v4.u32 {r9, r10, r12, r13}, [d5];"
	        "st.global.v4.u32 [d5], {r3, r4, r5, r6};"},
	/* One lane that is misaligned, or just out of reach, on either side. */
	{PLAIN | ORDERED, FAR("d5", "d0", "r5") "setp.eq.u32 q, r1, 21; @q add.u64 d5, d5, 2; ld.global.u16 r10, [d5]; ld.global.u32 r9, [d5];"},
	{PLAIN | ORDERED, FAR("d5", "d0", "r5") "setp.eq.u32 q, r1, 9; @q add.u64 d5, d0, 16384; ld.global.u32 r10, [d5+-4];"
	        "ld.global.u32 r9, [d5];"},
	{PLAIN | ORDERED, "and.b32 r11, r5, 255;" FAR("d5", "d2", "r11") "setp.eq.u32 q, r1, 16; @q sub.u64 d5, d2, 1; st.global.u8 [d5+1], r3;"
	        "st.global.u8 [d5], r3;"},
	{PLAIN | ORDERED, "and.b32 r11, r5, 63; mad.wide.u32 d5, r11, 48, d0; mad.wide.u32 d6, r11, 48, d2; setp.eq.u32 q, r1, 9;"
	        "@q add.u64 d5, d5, 8; @q add.u64 d6, d6, 8; ld.global.v2.u32 {r9, r10}, [d5]; st.global.v4.u32 [d6], {r3, r4, r5, r6};"},
	{PLAIN | ORDERED, OWN_PART NEAR("r21", 4, 63, "r5") "setp.eq.u32 q, r1, 9; @q mov.u32 r21, own; @q add.u32 r21, r21, 1020;"
	        "ld.shared.u32 r9, [r21]; add.u32 r21, r21, 4; st.shared.u16 [r21], r3;"},
	{PLAIN | ORDERED, OWN_PART NEAR("r21", 4, 63, "r5") "setp.eq.u32 q, r1, 9; @q add.u32 r21, r21, 1; ld.shared.u8 r10, [r21];"
	        "ld.shared.u32 r9, [r21];"},
	{PLAIN | ORDERED, OWN_PART NEAR("r21", 8, 31, "r5") "setp.eq.u32 q, r1, 21; @q add.u32 r21, r21, 4; st.shared.u32 [r21], r3;"
	        "ld.shared.v2.u32 {r9, r10}, [r21];"},
};
/* clang-format on */

/* --- The tests ------------------------------------------------------------------------------------ */

static const u32 lanes[] = {0xffffffff, 0x00000080, 0x00210200, 0xffff0000, 0x55555555, 0xfffffeff};

static u32 write_kernel(char *to, size_t size, const struct part *x, bool few)
{
	const int length = snprintf(to, size, "%s%s%s\n%s", head, few ? some : "", x->text, tail);

	ck_assert(length > 0 && (size_t)length < size);
	return (u32)length;
}

/* Which warps have run before one of them is at fault is not the same. */
static void compare(struct trial *interpreted, struct trial *native, const struct trial_way *way, u32 own,
		    const char *source)
{
	static struct trial_end x, y;

	trial_run(interpreted, way, own, &x);
	trial_run(native, way, own, &y);
	const char *what = trial_difference(&x, &y, way->alone);
	ck_assert_msg(!what, "%s differ: lanes %x, %u threads, limit %u%s%s: %s\n%s\n%s", what, own, way->jobs,
		      (u32)way->limit, way->watched ? ", watched" : "", way->alone ? ", alone" : "", source, x.fault,
		      y.fault);
}

static void compare_part(const struct part *part, bool few, bool watched)
{
	static const struct trial_way ways[] = {
		{.jobs = 1}, {.jobs = 1, .alone = true}, {.jobs = 2}, {.jobs = 1, .watched = true}};
	const u32 count = watched ? COUNT_OF(ways) : COUNT_OF(ways) - 1;
	struct trial interpreted, native;
	char source[8192];
	const u32 length = write_kernel(source, sizeof source, part, few);

	trial_open(&interpreted, source, length, NATIVE_OFF);
	trial_open(&native, source, length, NATIVE_ALWAYS);
	ck_assert_msg(part->facts & EITHER || (trial_scaled_rows(&native) == 0) == !!(part->facts & PLAIN),
		      "%s scaled: %s", part->facts & PLAIN ? "something is" : "nothing is", part->text);
	for (u32 n = 0; n < (few ? COUNT_OF(lanes) : 1); n++)
		for (u32 k = 0; k < count; k++)
			if (ways[k].jobs == 1 || !(part->facts & ORDERED))
				compare(&interpreted, &native, &ways[k], lanes[n], source);
	for (u64 limit = 20; limit < 2000; limit += limit / 2)
		compare(&interpreted, &native, &(struct trial_way){.jobs = 1, .limit = limit, .alone = true},
			0x00ff0f0f, source);
	trial_close(&interpreted);
	trial_close(&native);
}

START_TEST(computed_addresses_agree)
{
	if (native_is_there())
		compare_part(&computed[_i], true, false);
}
END_TEST

START_TEST(kinds_of_accesses_agree)
{
	if (native_is_there())
		compare_part(&kinds[_i], !(kinds[_i].facts & TOGETHER), true);
}
END_TEST

/* By the library's functions, of every type, with places that others do not reach. */
START_TEST(scattered_accesses_agree)
{
	if (native_is_there())
		compare_part(&scattered[_i], !(scattered[_i].facts & TOGETHER), true);
}
END_TEST

START_TEST(reaches_agree)
{
	if (native_is_there())
		compare_part(&reaches[_i], true, false);
}
END_TEST

/* With lanes that wait behind the part, and without any. */
START_TEST(changes_agree)
{
	if (!native_is_there())
		return;
	compare_part(&changes[_i], false, false);
	if (!(changes[_i].facts & TOGETHER))
		compare_part(&changes[_i], true, false);
}
END_TEST

UNIT_TESTS("native_scaled", 60)
{
	tcase_add_loop_test(unit, computed_addresses_agree, 0, COUNT_OF(computed));
	tcase_add_loop_test(unit, kinds_of_accesses_agree, 0, COUNT_OF(kinds));
	tcase_add_loop_test(unit, scattered_accesses_agree, 0, COUNT_OF(scattered));
	tcase_add_loop_test(unit, reaches_agree, 0, COUNT_OF(reaches));
	tcase_add_loop_test(unit, changes_agree, 0, COUNT_OF(changes));
}
