/* SPDX-License-Identifier: Apache-2.0
 *
 * Random kernels natively and interpreted, most of whose accesses are by a base and an index: indices that loads give, in loops and
 * branches that lanes leave at different times, with bases that change meanwhile, and addresses that are used long after. No warp writes
 * what another one reads.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "main.h"
#include "native_there.h"
#include "scaled_trial.h"

enum { KERNELS = 24, CASES = 6, WORDS = 6, INDICES = 3, BASES = 3, POINTERS_MOST = 200, DEPTH_MOST = 4 };

struct writer {
	char text[32768];
	size_t length;
	u64 state;
	u32 fresh, labels, depth, left;
	u32 pointers[POINTERS_MOST], count; /* that have been computed on every way here */
	u32 stores[POINTERS_MOST], store_count;
	u32 loop[DEPTH_MOST], loops;
	bool faults, orders;
};

#include "random_writer.h"

static u32 word(struct writer *g) { return draw(g, WORDS); }

/* --- Addresses ------------------------------------------------------------------------------------ */

/* An index below 256, in i<fresh>; or one that other instructions change, too. */
static void put_index(struct writer *g, char name[16])
{
	if (draw(g, 3)) {
		snprintf(name, 16, "i%u", g->fresh++);
		if (draw(g, 4))
			put(g, "and.b32 %s, w%u, 255;\n", name, word(g));
		else
			put(g, "add.u32 %s, x%u, %u;\n", name, draw(g, INDICES), draw(g, 64));
	} else {
		snprintf(name, 16, "x%u", draw(g, INDICES));
	}
}

/* p<pointer> = base + index * 4 or 8, in one of many ways. */
static void put_address(struct writer *g, u32 pointer, const char *base)
{
	const u32 scale = draw(g, 4) || *base == 'o' ? 4 : 8, o = g->fresh++, from = 8 * draw(g, 8);
	char index[16];

	put_index(g, index);
	switch (draw(g, 6)) {
	case 0:
		put(g, "mul.wide.%s o%u, %s, %u; add.u64 p%u, %s, o%u;\n", draw(g, 2) ? "u32" : "s32", o, index, scale,
		    pointer, base, o);
		break;
	case 1:
	case 2:
		put(g, "mad.wide.%s p%u, %s, %u, %s;\n", draw(g, 2) ? "u32" : "s32", pointer, index, scale, base);
		break;
	case 3:
		put(g, "cvt.%s o%u, %s; mad.lo.u64 p%u, o%u, %u, %s;\n", draw(g, 2) ? "u64.u32" : "s64.s32", o, index,
		    pointer, o, scale, base);
		break;
	case 4:
		put(g, "cvt.%s o%u, %s; shl.b64 o%u, o%u, %u; add.u64 o%u, o%u, %u; add.u64 p%u, o%u, %s;\n",
		    draw(g, 2) ? "u64.u32" : "s64.s32", o, index, o + 1, o, scale == 4 ? 2 : 3, o + 2, o + 1, from,
		    pointer, o + 2, base);
		g->fresh += 2;
		break;
	default:
		put(g, "mad.wide.u32 o%u, %s, %u, %s; add.u64 p%u, o%u, %u;\n", o, index, scale, base, pointer, o,
		    from);
	}
}

static void new_pointer(struct writer *g)
{
	const u32 pointer = g->fresh++;
	char base[16];

	if (g->count == POINTERS_MOST || g->store_count == POINTERS_MOST)
		return;
	if (!draw(g, 3)) {
		put_address(g, pointer, "own");
		g->stores[g->store_count++] = pointer;
	} else {
		snprintf(base, sizeof base, "b%u", draw(g, BASES));
		put_address(g, pointer, draw(g, 3) ? base : "in");
		g->pointers[g->count++] = pointer;
	}
}

/* --- Statements ----------------------------------------------------------------------------------- */

static void compute(struct writer *g)
{
	static const char *const two[] = {"add.u32", "sub.s32", "mul.lo.u32", "xor.b32", "and.b32", "min.s32"};

	if (draw(g, 4))
		put(g, "%s w%u, w%u, w%u;\n", two[draw(g, COUNT_OF(two))], word(g), word(g), word(g));
	else
		put(g, "mad.lo.u32 w%u, w%u, %u, %u;\n", word(g), word(g), 2 * draw(g, 1000) + 1, draw(g, 1000));
}

static void change(struct writer *g)
{
	const u32 x = draw(g, INDICES), b = draw(g, BASES);

	switch (draw(g, 12)) {
	case 0:
		put(g, "and.b32 x%u, w%u, 255;\n", x, word(g));
		break;
	case 1:
		put(g, "xor.b32 x%u, x%u, %u;\n", x, x, draw(g, 256));
		break;
	case 2:
		put(g, "setp.lt.u32 q, w%u, w%u; selp.b64 b%u, b%u, in, q;\n", word(g), word(g), b, draw(g, BASES));
		break;
	case 3:
	case 4:
	case 5:
		if (g->loops)
			put(g, "mad.wide.u32 b%u, t%u, %u, in;\n", b, g->loop[draw(g, g->loops)], 8 * draw(g, 8));
		else
			put(g, "mad.wide.u32 b%u, block, %u, in;\n", b, 8 * draw(g, 16));
		break;
	default:
		put(g, "add.u64 b%u, %s, %u;\n", b, draw(g, 2) ? "in" : "in2", 8 * draw(g, 64));
	}
}

static void load(struct writer *g)
{
	static const char *const types[] = {"u32", "u32", "u32", "u32", "s8", "u16", "f32"};
	const bool own = g->store_count && !draw(g, 4);
	const u32 w = word(g), offset = 4 * draw(g, 16), kind = draw(g, COUNT_OF(types) + 2);

	if (!own && !g->count)
		return;
	const u32 p = own ? g->stores[draw(g, g->store_count)] : g->pointers[draw(g, g->count)];
	const char *guard = draw(g, 6) ? "" : draw(g, 2) ? "@q " : "@!q ";
	if (*guard)
		put(g, "setp.gt.s32 q, w%u, w%u;\n", word(g), word(g));
	if (kind > COUNT_OF(types))
		put(g, "%sld.global.u64 e, [p%u]; cvt.u32.u64 w%u, e;\n", guard, p, w);
	else if (kind == COUNT_OF(types))
		put(g, "%sld.global.nc.u32 w%u, [p%u+%u];\n", guard, w, p, own ? 0 : offset);
	else if (kind == COUNT_OF(types) - 1)
		put(g, "%sld.global.f32 f, [p%u+%u]; mov.b32 w%u, f;\n", guard, p, offset, w);
	else
		put(g, "%sld.global.%s w%u, [p%u+%u];\n", guard, types[kind], w, p, offset);
}

static void store(struct writer *g)
{
	static const char *const types[] = {"u32", "u32", "u8", "u16"};

	if (!g->store_count)
		return;
	const u32 p = g->stores[draw(g, g->store_count)], offset = 4 * draw(g, 16);
	if (g->orders && !draw(g, 2))
		put(g, "atom.global.%s w%u, [p%u+%u], w%u;\n", draw(g, 2) ? "add.u32" : "exch.b32", word(g), p, offset,
		    word(g));
	else
		put(g, "st.global.%s [p%u+%u], w%u;\n", types[draw(g, COUNT_OF(types))], p, offset, word(g));
}

static void statements(struct writer *g, u32 count);

static void choice(struct writer *g)
{
	const u32 label = g->labels++, count = g->count, store_count = g->store_count;
	const bool other = draw(g, 2);

	put(g, "setp.%s c%u, w%u, %u; @c%u bra L%u;\n", draw(g, 2) ? "lt.u32" : "gt.s32", label, word(g),
	    draw(g, 2) ? 0x80000000 : draw(g, 0x7fffffff), label, label);
	statements(g, 2 + draw(g, 5));
	g->count = count;
	g->store_count = store_count;
	if (other)
		put(g, "bra M%u;\n", label);
	put(g, "L%u:\n", label);
	if (other) {
		statements(g, 2 + draw(g, 5));
		put(g, "M%u:\n", label);
	}
	g->count = count;
	g->store_count = store_count;
}

/* Lanes go around it a number of times that they do not share, or all do. What its body computes is there behind it, too. */
static void loop(struct writer *g)
{
	const u32 label = g->labels++;

	if (draw(g, 4))
		put(g, "and.b32 n%u, w%u, 7;\n", label, word(g));
	else
		put(g, "mov.u32 n%u, %s;\n", label, draw(g, 2) ? "block" : "3");
	put(g, "mov.u32 t%u, 0;\nL%u:\n", label, label);
	g->loop[g->loops++] = label;
	statements(g, 3 + draw(g, 6));
	g->loops--;
	put(g, "add.u32 t%u, t%u, 1; setp.le.u32 c%u, t%u, n%u; @c%u bra L%u;\n", label, label, label, label, label,
	    label, label);
}

static void statement(struct writer *g)
{
	const u32 what = draw(g, 24);

	g->left--;
	if (what < 5)
		compute(g);
	else if (what < 8)
		change(g);
	else if (what < 12)
		new_pointer(g);
	else if (what < 17)
		load(g);
	else if (what < 19)
		store(g);
	else if (what < 21 && !g->depth)
		put(g, draw(g, 2) ? "bar.sync 0;\n" : "shfl.sync.bfly.b32 w0, w1, 3, 31, -1;\n");
	else if (g->depth < DEPTH_MOST) {
		g->depth++;
		what & 1 ? choice(g) : loop(g);
		g->depth--;
	}
}

static void statements(struct writer *g, u32 count)
{
	for (; count && g->left; count--)
		statement(g);
}

/* An index that may lead anywhere, of few lanes. */
static void stray(struct writer *g)
{
	static const char *const what[] = {"ld.global.u32 w0, [e];", "st.global.u32 [e], w0;",
					   "ld.global.u64 e, [e+8];", "atom.global.add.u32 w1, [e], w0;"};

	put(g, "setp.lt.u32 q, w%u, %u; selp.b32 y, w%u, x0, q;\nmad.wide.%s e, y, 4, own; %s\n", word(g),
	    draw(g, 0x10000000), word(g), draw(g, 2) ? "u32" : "s32", what[draw(g, COUNT_OF(what))]);
}

static void write_kernel(struct writer *g, const char *body)
{
	put(g,
	    ".version 8.0\n.target sm_80\n.address_size 64\n"
	    ".visible .entry k(.param .u64 pin, .param .u64 near, .param .u64 far, .param .u64 fixed, .param .u64 to, "
	    ".param "
	    ".u32 lanes, .param .u32 count)\n{\n"
	    ".reg .pred q, c<100>; .reg .b32 column, row, columns, tid, lane, block, first, warp, thread, y, w<6>, "
	    "x<3>, i<400>, n<100>, "
	    "t<100>;\n"
	    ".reg .f32 f; .reg .b64 all, ends, wide, one, two, in, in2, own, last, e, b<3>, p<400>, o<400>;\n"
	    "mov.u32 column, %%tid.x; mov.u32 row, %%tid.y; mov.u32 columns, %%ntid.x; mad.lo.u32 tid, row, columns, "
	    "column; mov.u32 block, %%ctaid.x; shr.u32 first, tid, 5; mad.lo.u32 thread, block, 96, "
	    "tid;\n"
	    "ld.param.u64 all, [pin]; ld.param.u64 ends, [near]; ld.param.u64 wide, [to]; mad.lo.u32 warp, block, 3, "
	    "first;\n"
	    "mad.wide.u32 own, warp, 1792, wide; add.u64 in, all, 1024; ld.global.u64 one, [all+128]; and.b64 two, "
	    "one, 504;\n"
	    "add.u64 in2, two, in; mov.f32 f, 0f00000000; mov.b64 e, 0;\n");
	for (u32 k = 0; k < WORDS; k++)
		put(g,
		    "mad.lo.u32 w%u, thread, 0x%x, %u; shr.u32 y, w%u, 13; xor.b32 w%u, w%u, y; mul.lo.u32 w%u, w%u, "
		    "0x9e3779b1; "
		    "shr.u32 y, w%u, 11; xor.b32 w%u, w%u, y;\n",
		    k, 2 * draw(g, 1 << 30) + 1, draw(g, 1000), k, k, k, k, k, k, k, k);
	for (u32 k = 0; k < INDICES; k++)
		put(g, "and.b32 x%u, w%u, 255;\n", k, k);
	for (u32 k = 0; k < BASES; k++)
		put(g, "add.u64 b%u, in, %u;\n", k, 64 * k);
	put(g, "%s", body);
	for (u32 k = 1; k < WORDS; k++)
		put(g, "mad.lo.u32 w0, w0, 31, w%u;\n", k);
	put(g, "mad.wide.u32 last, thread, 4, ends; st.global.u32 [last], w0; ret;\n}\n");
}

static void kernel_of(struct writer *g, u64 seed)
{
	static struct writer body;

	memset(&body, 0, sizeof body);
	memset(g, 0, sizeof *g);
	g->state = body.state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	body.orders = seed % 4 == 3;
	body.faults = seed % 3 == 2;
	body.left = 12 + draw(&body, 30);
	new_pointer(&body);
	new_pointer(&body);
	while (body.left && body.fresh < 300)
		statements(&body, 5);
	if (body.faults)
		stray(&body);
	write_kernel(g, body.text);
}

/* --- The tests ------------------------------------------------------------------------------------ */

static u32 compare(u64 seed)
{
	static const struct trial_way ways[] = {{.jobs = 1},
						{.jobs = 1, .alone = true},
						{.jobs = 2},
						{.jobs = 1, .alone = true, .limit = 300},
						{.jobs = 1, .folded = true}};
	static struct trial_end x, y;
	static struct writer g;
	struct trial interpreted, native;

	kernel_of(&g, seed);
	trial_open(&interpreted, g.text, g.length, NATIVE_OFF);
	trial_open(&native, g.text, g.length, NATIVE_ALWAYS);
	for (u32 n = 0; n < COUNT_OF(ways); n++) {
		const u32 k =
			seed % 2 ? n : (u32)COUNT_OF(ways) - 1 - n; /* the first tells for which blocks code is made */
		trial_run(&interpreted, &ways[k], 0, &x);
		trial_run(&native, &ways[k], 0, &y);
		const char *what = trial_difference(&x, &y, ways[k].alone);
		ck_assert_msg(!what, "%s of kernel %llu differ, way %u:\n%s\n%s\n%s", what, (unsigned long long)seed, k,
			      g.text, x.fault, y.fault);
	}
	const u32 scaled = trial_scaled_rows(&native);
	trial_close(&interpreted);
	trial_close(&native);
	return scaled;
}

START_TEST(random_kernels_agree)
{
	u32 scaled = 0;

	if (!native_is_there())
		return;
	for (u32 k = 0; k < KERNELS / CASES; k++)
		scaled += compare((u64)_i * (KERNELS / CASES) + k);
	ck_assert_uint_gt(scaled, 0);
}
END_TEST

UNIT_TESTS("native_scaled_random", 120) { tcase_add_loop_test(unit, random_kernels_agree, 0, CASES); }
