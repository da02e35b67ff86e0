/* SPDX-License-Identifier: Apache-2.0
 *
 * Generic addresses of shared, local and global memory, by all lanes and by some, of one space and of several, within reach and outside: native
 * code beside the interpreter, by memory, counts and faults.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "main.h"
#include "native_there.h"
#include "same_outcome.h"
#include "session_of.h"

enum { WORDS = 2048 };

/* Its part has generic addresses of shared memory in d3, of local memory in d4, of global memory in d0, the thread's number in r0, its lane in
 * r7, and n in r8 and d8; lanes whose bit of x is not set have p. It makes r9. */
static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry k(.param .u64 to, .param .s32 n, .param .u32 x)\n{\n"
	".shared .align 16 .b8 near[1024]; .local .align 16 .b8 own[64]; .reg .pred p, q; .reg .b16 h<4>;\n"
	".reg .b32 r<24>; .reg .b64 d<14>; ld.param.u64 d0, [to]; ld.param.s32 r8, [n]; ld.param.u32 r15, [x];\n"
	"mov.u32 r0, %%tid.x; mov.u32 r7, %%laneid; mov.u32 r2, %%ntid.x; mov.u32 r1, %%ctaid.x; cvt.s64.s32 d8, r8;\n"
	"mov.u64 d3, near; cvta.shared.u64 d3, d3; mov.u64 d4, own; cvta.local.u64 d4, d4; shr.u32 r3, r15, r7;\n"
	"and.b32 r3, r3, 1; setp.eq.u32 p, r3, 0; mad.lo.u32 r10, r1, r2, r0; mul.wide.u32 d1, r10, 4;\n"
	"add.s64 d1, d0, d1; mul.wide.u32 d2, r0, 4; mov.u32 r9, r10; mov.u32 r5, 5; mov.u32 r6, 6;\n"
	"mov.u32 r11, 0; fill: st.local.u32 [own], r11; add.u32 r11, r11, 1; setp.lt.u32 q, r11, 2; @q bra fill;\n"
	"st.local.u32 [own+4], r0; st.local.u32 [own+8], r7; st.local.u32 [own+12], r10; mov.u32 r11, 0;\n"
	"%s\nend: bar.sync 0; st.global.u32 [d1], r9; ret;\n}\n";

static const char *const parts[] = {
	/* A row, one place, distances up and down, anywhere: shared memory, with all lanes and with some. */
	"add.s64 d5, d3, d2; st.u32 [d5], r10; bar.sync 0; add.s64 d6, d5, d8; @p bra end; ld.u32 r5, [d6]; ld.u32 r6, "
	"[d6+4]; mad.lo.u32 r9, r5, 3, r6; st.u32 [d6+512], r9;",
	"add.s64 d5, d3, d2; st.u32 [d5], r10; bar.sync 0; add.s64 d6, d3, d8; @p bra end; ld.u32 r5, [d6]; ld.u32 r6, "
	"[d6+16]; mad.lo.u32 r9, r5, 3, r6;",
	"add.s64 d5, d3, d2; st.u32 [d5], r10; bar.sync 0; mul.wide.u32 d6, r7, 12; add.s64 d6, d3, d6; add.s64 d6, "
	"d6, d8; ld.u32 r5, [d6]; ld.u32 r6, [d6+4]; mad.lo.u32 r9, r5, 3, r6; bar.sync 0; st.u32 [d6+8], r7;",
	"add.s64 d5, d3, d2; st.u32 [d5], r10; bar.sync 0; sub.u32 r4, 31, r7; mul.wide.u32 d6, r4, 4; add.s64 d6, d3, "
	"d6; add.s64 d6, d6, d8; @p bra end; ld.u32 r5, [d6]; ld.u32 r6, [d6+8]; mad.lo.u32 r9, r5, 3, r6;",
	"add.s64 d5, d3, d2; st.u32 [d5], r10; bar.sync 0; mul.lo.u32 r4, r7, 37; and.b32 r4, r4, 63; mul.wide.u32 d6, "
	"r4, 4; add.s64 d6, d3, d6; add.s64 d6, d6, d8; @p bra end; ld.u32 r5, [d6]; ld.u32 r6, [d6+4]; mad.lo.u32 r9, "
	"r5, 3, r6; mul.lo.u32 r9, r7, 5; st.u32 [d6+512], r9; ld.u32 r9, [d6+512];",
	/* Other types, and vectors. */
	"mad.lo.u32 r4, r0, 9, r8; cvt.u64.u32 d6, r0; add.s64 d6, d3, d6; add.s64 d6, d6, d8; @p bra end; st.u8 [d6], "
	"r4; ld.u8 r5, [d6]; add.s64 d6, d6, d6; sub.s64 d6, d6, d3; cvt.u16.u32 h0, r4; st.u16 [d6+256], h0; ld.u16 "
	"h1, [d6+256]; cvt.u32.u16 r6, h1; mad.lo.u32 r9, r5, 3, r6;",
	"mul.wide.u32 d6, r7, 8; add.s64 d6, d3, d6; add.s64 d6, d6, d8; mul.wide.u32 d7, r7, 77777; @p bra end; "
	"st.u64 "
	"[d6], d7; ld.u64 d9, [d6]; cvt.u32.u64 r5, d9; ld.v2.u32 {r6, r9}, [d6+256]; mad.lo.u32 r9, r5, 3, r9; "
	"add.u32 "
	"r9, r9, r6;",
	"mul.wide.u32 d6, r7, 16; add.s64 d6, d3, d6; add.s64 d6, d6, d8; st.v4.u32 [d6], {r7, r5, r6, r7}; ld.v4.u32 "
	"{r5, r6, r16, r17}, [d6]; mad.lo.u32 r9, r5, 3, r17; ld.v2.u32 {r5, r6}, [d6+8]; add.u32 r9, r9, r5;",
	/* Local memory at one place, of every type, by loops, and where each lane has its own. */
	"add.s64 d6, d4, d8; @p bra end; ld.u32 r5, [d6+4]; st.u32 [d6+8], r5; ld.u64 d9, [d6+8]; cvt.u32.u64 r6, d9; "
	"shr.u64 d9, d9, 32; cvt.u32.u64 r3, d9; mad.lo.u32 r9, r6, 3, r3; st.u64 [d6+16], d9; ld.u32 r3, [d6+16]; "
	"add.u32 r9, r9, r3;",
	"add.s64 d6, d4, d8; @p bra end; ld.u8 r5, [d6+4]; st.u8 [d6+9], r5; ld.u16 h0, [d6+8]; cvt.u32.u16 r6, h0; "
	"st.u16 [d6+20], h0; ld.u16 r3, [d6+20]; mad.lo.u32 r9, r6, 3, r3; ld.u8 r3, [d6+9]; add.u32 r9, r9, r3;",
	"turn: ld.u32 r5, [d4]; ld.u32 r6, [d4+4]; add.u32 r5, r5, 1; mad.lo.u32 r6, r6, 3, r5; st.u32 [d4], r5; "
	"st.u32 "
	"[d4+4], r6; setp.lt.u32 q, r5, 20; @q bra turn; @p bra end; add.s64 d6, d4, d8; ld.u32 r9, [d6+4];",
	"and.b32 r4, r7, 3; mul.wide.u32 d6, r4, 4; add.s64 d6, d4, d6; add.s64 d6, d6, d8; @p bra end; ld.u32 r5, "
	"[d6]; st.u32 [d6+16], r7; ld.u32 r6, [d4+20]; mad.lo.u32 r9, r5, 3, r6;",
	"add.s64 d6, d4, d8; st.v2.u32 [d6+8], {r7, r0}; ld.v2.u32 {r5, r6}, [d6+8]; ld.v4.u32 {r16, r17, r18, r19}, "
	"[d6]; mad.lo.u32 r9, r5, 3, r6; mad.lo.u32 r9, r19, 5, r9;",
	/* Global memory, and first one space, then another, by one access. */
	"add.s64 d6, d1, d8; @p bra end; ld.u32 r5, [d6+4096]; add.u32 r5, r5, r7; st.u32 [d6+4096], r5; ld.u32 r9, "
	"[d6+4096];",
	"add.s64 d5, d3, d2; st.u32 [d5], r10; bar.sync 0; turn: and.b32 r4, r11, 3; setp.eq.u32 q, r4, 1; selp.b64 "
	"d6, "
	"d4, d3, q; setp.eq.u32 q, r4, 2; selp.b64 d6, d0, d6, q; add.s64 d6, d6, d8; ld.u32 r5, [d6+4]; mad.lo.u32 "
	"r9, "
	"r9, 3, r5; add.u32 r11, r11, 1; setp.lt.u32 q, r11, 9; @q bra turn;",
	"add.s64 d5, d3, d2; st.u32 [d5], r10; bar.sync 0; add.s64 d7, d0, d2; selp.b64 d6, d7, d5, p; add.s64 d6, d6, "
	"d8; ld.u32 r5, [d6]; st.u32 [d6], r0; ld.u32 r6, [d6]; mad.lo.u32 r9, r5, 3, r6;",
	"add.s64 d5, d3, d2; st.u32 [d5], r10; bar.sync 0; add.s64 d7, d4, 4; selp.b64 d6, d7, d5, p; add.s64 d6, d6, "
	"d8; ld.u32 r5, [d6]; st.u32 [d6], r0; ld.u32 r6, [d6]; mad.lo.u32 r9, r5, 3, r6;",
};

static const u32 masks[] = {0xffffffff, 0x00ffff00, 0x5555aaaa, 0x80000001};
static const s32 offsets[] = {0, 4, 64, 8, 2, 1, -4, 1024 - 128, 1020, 1024, 1 << 20, -(1 << 26)};
static const u32 threads[] = {32, 64};
enum { RUNS = COUNT_OF(masks) * COUNT_OF(offsets), BLOCKS = 3 };

struct outcome {
	struct launch_end end;
	u32 memory[WORDS];
};
static struct outcome interpreted[RUNS], native[RUNS];

struct made {
	struct session session;
	struct {
		u64 to;
		s32 n;
		u32 x;
	} params;
};

static void run_one(struct made *m, enum native_mode mode, u32 block, u32 k, struct outcome *o)
{
	struct session *s = &m->session;
	u32 *words = (u32 *)(void *)memory_find(&s->memory, m->params.to, 4)->host;
	char message[256] = "";
	struct launch l = launch_in(s, mode, &m->params, 1);

	memcpy(l.grid, (const u32[]){BLOCKS, 1, 1}, sizeof l.grid);
	memcpy(l.block, (const u32[]){block, 1, 1}, sizeof l.block);
	m->params.n = offsets[k % COUNT_OF(offsets)];
	m->params.x = masks[k / COUNT_OF(offsets)];
	for (u32 n = 0; n < WORDS; n++)
		words[n] = 2654435761u * n;
	o->end.status = launch_run(&l, &o->end.stats, &o->end.fault, message, sizeof message);
	memcpy(o->memory, words, sizeof o->memory);
}

static void run(enum native_mode mode, const char *part, u32 block, struct outcome to[RUNS])
{
	struct made m;
	char source[4096];

	snprintf(source, sizeof source, text, part);
	session_of(&m.session, "generic.ptx", source);
	m.params.to = memory_allocate(&m.session.memory, sizeof(u32) * WORDS, 256, "memory", 0);
	for (u32 k = 0; k < RUNS; k++)
		run_one(&m, mode, block, k, &to[k]);
	session_close(&m.session);
}

/* What blocks of several warps have done before one of them faults is not compared. */
START_TEST(generic_addresses_agree)
{
	if (!native_is_there())
		return;
	for (u32 t = 0; t < COUNT_OF(threads); t++) {
		run(NATIVE_OFF, parts[_i], threads[t], interpreted);
		run(NATIVE_ALWAYS, parts[_i], threads[t], native);
		for (u32 k = 0; k < RUNS; k++) {
			const struct outcome *a = &interpreted[k], *b = &native[k];
			same_end(&a->end, &b->end, parts[_i]);
			if (a->end.status == LAUNCH_OK || threads[t] == 32)
				ck_assert_msg(!memcmp(a->memory, b->memory, sizeof a->memory),
					      "%u threads, lanes %08x, %d: %s", threads[t],
					      masks[k / COUNT_OF(offsets)], offsets[k % COUNT_OF(offsets)], parts[_i]);
		}
	}
}
END_TEST

UNIT_TESTS("native_generic", 60) { tcase_add_loop_test(unit, generic_addresses_agree, 0, COUNT_OF(parts)); }
