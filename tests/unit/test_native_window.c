/* SPDX-License-Identifier: Apache-2.0
 *
 * Random kernels natively and interpreted whose rows are at distances from the first lane that are known, though not equal: sums and bits of
 * the thread's number; and accesses of shared memory by such rows, of all lanes and of some, within reach and beyond. Each warp has words
 * of its own.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "isa/form.h"
#include "main.h"
#include "native/affine.h"
#include "native/window.h"
#include "native_there.h"

enum {
	KERNELS = 36,
	CASES = 6,
	FIRST = 4, /* of the registers a0 and on, those before are given */
	ROWS = 14,
	ACCESSES = 7,
	THREADS_MOST = 128,
	BLOCKS = 2,
	SHAPES = 4,
	WARP_BYTES = 1024,
	NEAR_BYTES = 4 * WARP_BYTES
};

static const u32 shapes[SHAPES][3] = {{128, 1, 1}, {64, 2, 1}, {16, 8, 1}, {20, 3, 1}};

struct writer {
	char text[32768];
	size_t length;
	u64 state;
	u32 rows, labels;
};

#include "random_writer.h"

/* --- Kernels -------------------------------------------------------------------------------------- */

/* Few rows vary, so most of what is made of them does not. */
static u32 row(struct writer *g) { return draw(g, 8) ? draw(g, g->rows) : draw(g, 2); }

static u32 number(struct writer *g)
{
	static const u32 odd[] = {0,  1,    3,    4,          5,          7,          12,        31,
				  32, 0x55, 0xf0, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff};

	return draw(g, 3) ? odd[draw(g, COUNT_OF(odd))] : draw(g, 64);
}

/* a<to> of rows before it. */
static void put_row(struct writer *g, u32 to)
{
	static const char *const two[] = {"add.u32", "sub.u32", "and.b32", "or.b32", "xor.b32", "mul.lo.u32"};
	static const char *const shifts[] = {"shl.b32", "shr.u32", "shr.s32"};

	switch (draw(g, 8)) {
	case 0:
	case 1:
		put(g, "%s a%u, a%u, a%u;\n", two[draw(g, COUNT_OF(two))], to, row(g), row(g));
		break;
	case 2:
	case 3:
		put(g, "%s a%u, a%u, %u;\n", two[draw(g, COUNT_OF(two))], to, row(g), number(g));
		break;
	case 4:
		put(g, "%s a%u, a%u, %u;\n", shifts[draw(g, COUNT_OF(shifts))], to, row(g), draw(g, 9));
		break;
	case 5:
		put(g, "mad.lo.u32 a%u, a%u, %u, a%u;\n", to, row(g), number(g), row(g));
		break;
	case 6:
		put(g, "lop3.b32 a%u, a%u, a%u, %u, %u;\n", to, row(g), row(g), number(g), draw(g, 256));
		break;
	default:
		put(g, "sub.u32 a%u, %u, a%u;\n", to, number(g), row(g));
	}
}

/* A row as a wide number, as a narrow one that is folded into the sum. */
static void put_wide(struct writer *g)
{
	static const char *const ways[] = {"cvt.u64.u32 d0, a%u;", "cvt.s64.s32 d0, a%u;", "mul.wide.u32 d0, a%u, 12;",
					   "mul.wide.s32 d0, a%u, 5;", "mad.wide.u32 d0, a%u, 4, wide;"};
	static const char *const more[] = {"", "add.u64 d0, d0, wide;", "and.b64 d0, d0, 0xffff0000ffff00f0;",
					   "shl.b64 d0, d0, 3;"};

	put(g, ways[draw(g, COUNT_OF(ways))], row(g));
	put(g, " %s shr.u64 d1, d0, %u; cvt.u32.u64 x, d1; mad.lo.u32 sum, sum, 31, x;\n",
	    more[draw(g, COUNT_OF(more))], draw(g, 34));
}

/* An address within the warp's own words, mostly: the row's lowest bits, or all that it has, go to at most 63 words. */
static void put_address(struct writer *g)
{
	static const u32 masks[] = {63, 63, 31, 42, 21, 48, 15};

	put(g, "and.b32 x, a%u, %u; shl.b32 x, x, %u; add.u32 at, own, x;\n", row(g), masks[draw(g, COUNT_OF(masks))],
	    draw(g, 40) ? 2 : 1);
	if (!draw(g, 4))
		put(g, "sub.u32 at, own, x; add.u32 at, at, 252;\n");
	if (!draw(g, 24))
		put(g, "add.u32 at, at, %u;\n", draw(g, 3) ? 4 * draw(g, 2 * NEAR_BYTES / 4) : draw(g, 8));
}

static void put_access(struct writer *g)
{
	const u32 label = g->labels++, how = draw(g, 5), offset = 4 * draw(g, 64);
	const bool orders = draw(g, 2);

	put_address(g);
	if (how < 2)
		put(g, "mad.lo.u32 x, sum, 0x9e3779b1, a0; setp.gt.s32 p, x, %d;\n", draw(g, 4) ? 0 : 1 << 30);
	if (!how)
		put(g, "@p bra L%u;\n", label);
	const char *guard = how == 1 ? "@p " : "";
	if (orders)
		put(g, "%sst.shared.u32 [at+%u], sum; %sst.shared.f32 [at+%u], f;\n", guard, offset, guard, offset + 4);
	put(g, "%sld.shared.u32 x, [at+%u]; %sld.shared.u32 y, [at+%u];\n", guard, offset, guard, 4 * draw(g, 64));
	put(g, "mad.lo.u32 sum, sum, 31, x; xor.b32 sum, sum, y;\n");
	if (!orders)
		put(g, "%sst.shared.u32 [at], sum;\n", guard);
	if (!how)
		put(g, "L%u:\n", label);
	if (draw(g, 2))
		put(g, "bar.sync 0;\n");
}

static void kernel_of(struct writer *g, u64 seed)
{
	memset(g, 0, sizeof *g);
	g->state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	g->rows = FIRST;
	put(g,
	    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to, .param .u64 width)\n{\n"
	    ".shared .align 16 .b8 near[%u]; .reg .pred p; .reg .f32 f; .reg .b64 d0, d1, wide, ends;\n"
	    ".reg .b32 a<%u>, t<4>, x, y, at, own, sum, thread;\n"
	    "mov.u32 a0, %%tid.x; mov.u32 a1, %%laneid; mov.u32 a2, %%ctaid.x; mov.u32 a3, %%tid.y; mov.u32 t0, "
	    "%%ntid.x;\n"
	    "mad.lo.u32 thread, a3, t0, a0; mov.u32 t1, %%warpid; mov.u32 own, near; mad.lo.u32 own, t1, %u, own;\n"
	    "ld.param.u64 ends, [to]; ld.param.u64 wide, [width]; mov.u32 sum, thread; cvt.rn.f32.u32 f, thread;\n"
	    "mov.u32 x, 0; mov.u32 y, 0;\n",
	    NEAR_BYTES, FIRST + ROWS, WARP_BYTES);
	for (u32 k = 0; k < 8; k++)
		put(g, "shl.b32 x, a1, 2; add.u32 x, own, x; mad.lo.u32 y, sum, %u, a1; st.shared.u32 [x+%u], y;\n",
		    2 * k + 1, 128 * k);
	put(g, "bar.sync 0;\n");
	while (g->rows < FIRST + ROWS) {
		put_row(g, g->rows++);
		put(g, "mad.lo.u32 sum, sum, 31, a%u;\n", g->rows - 1);
		if (!draw(g, 4))
			put_wide(g);
	}
	for (u32 k = 0; k < ACCESSES; k++)
		put_access(g);
	put(g,
	    "mad.lo.u32 thread, a2, %u, thread; mad.wide.u32 ends, thread, 4, ends; st.global.u32 [ends], sum; "
	    "ret;\n}\n",
	    THREADS_MOST);
}

/* --- Runs ------------------------------------------------------------------------------------------ */

struct end {
	u32 out[THREADS_MOST * BLOCKS];
	char fault[128];
};

static void open_kernel(struct session *s, const struct writer *g)
{
	const struct lower_options options = {0};

	ck_assert(session_open(s));
	session_add_text(s, "window.ptx", g->text, g->length);
	ck_assert_msg(session_build(s, &options), "%.2000s", session_diagnostics(s, false));
	ck_assert(session_reset_memory(s));
}

static void run(struct session *s, enum native_mode mode, const u32 shape[3], struct end *end)
{
	u64 params[2] = {0, 0x123456789abull};
	struct launch_stats stats;
	struct fault fault = {0};
	char message[256] = "";

	memset(end, 0, sizeof *end);
	ck_assert(session_reset_memory(s));
	params[0] = memory_allocate(&s->memory, sizeof end->out, 256, "to", 0);
	struct launch l = {.program = s->program,
			   .kernel = program_kernel(s->program, "k"),
			   .memory = &s->memory,
			   .grid = {BLOCKS, 1, 1},
			   .params = (const u8 *)params,
			   .jobs = 1};
	memcpy(l.block, shape, sizeof l.block);
	l.native = session_native(s, s->program, l.kernel, mode);
	if (launch_run(&l, &stats, &fault, message, sizeof message) != LAUNCH_OK)
		snprintf(end->fault, sizeof end->fault, "%s: %llx of warp %u, lanes %x", fault_name(fault.kind),
			 (unsigned long long)fault.address, fault.warp, fault.lanes);
	else
		memcpy(end->out, memory_find(&s->memory, params[0], 1)->host, sizeof end->out);
}

/* How many accesses are by a row at other than equal distances, and within a window, where blocks are of whole rows. */
static u32 windows_in(const struct session *s)
{
	struct arena arena;
	u32 count = 0;

	arena_init(&arena, NULL);
	struct code_flow *f =
		code_flow_build(&arena, s->program->isa, program_kernel(s->program, "k")->code, NULL, false);
	ck_assert_ptr_nonnull(f);
	affine_find(f, WARP_LANES);
	for (u32 k = 0; k < f->code->insn_count; k++)
		for (u32 o = 0; o < f->steps[k].operand_count; o++) {
			const struct step *step = &f->steps[k];
			const struct flow_row *address = &f->rows[step->operands[o].row];
			if (step->form && step->form->row->flags & ISA_MEMORY && step->operands[o].place == PLACE_A)
				count += address->distances && window_fits(step, address);
		}
	arena_free(&arena);
	return count;
}

static u32 compare(u64 seed)
{
	static struct end x, y;
	static struct writer g;
	struct session interpreted, native;

	kernel_of(&g, seed);
	open_kernel(&interpreted, &g);
	open_kernel(&native, &g);
	for (u32 n = 0; n < SHAPES; n++) {
		const u32 k = (n + (u32)seed) % SHAPES; /* the first tells for which blocks code is made */
		run(&interpreted, NATIVE_OFF, shapes[k], &x);
		run(&native, NATIVE_ALWAYS, shapes[k], &y);
		ck_assert_msg(!strcmp(x.fault, y.fault) && !memcmp(x.out, y.out, sizeof x.out),
			      "kernel %llu, blocks of %u x %u:\n%.6000s\n%s\n%s", (unsigned long long)seed,
			      shapes[k][0], shapes[k][1], g.text, x.fault, y.fault);
	}
	const u32 windows = windows_in(&native);
	session_close(&interpreted);
	session_close(&native);
	return windows;
}

START_TEST(random_kernels_agree)
{
	u32 windows = 0;

	if (!native_is_there())
		return;
	for (u32 k = 0; k < KERNELS / CASES; k++)
		windows += compare((u64)_i * (KERNELS / CASES) + k);
	ck_assert_uint_gt(windows, 0);
}
END_TEST

UNIT_TESTS("native_window", 120) { tcase_add_loop_test(unit, random_kernels_agree, 0, CASES); }
