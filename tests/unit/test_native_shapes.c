/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code is made for what a kernel's addresses look like in a trial (native/shapes.h): later launches whose addresses look otherwise,
 * shapes at the edges of shared memory, and what the trial gets to see.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "main.h"
#include "native/build.h"
#include "native/flow.h"
#include "native/shapes.h"
#include "native_there.h"
#include "session_of.h"

enum { WORDS = 4096 };

/* Lane's words by parameters: (tid * times + tid / 8 * more + plus) ^ flip, in shared memory, at offsets of 4 to 12 and 1 KiB, and in global memory. */
static const char turning_text[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to, "
				   ".param .u32 times, .param .u32 more, .param "
				   ".u32 plus, .param .u32 flip, .param .u32 rounds)\n{\n"
				   ".shared .align 16 .b8 near[8192]; .reg .pred p; .reg .b32 r<24>; .reg .b64 d<8>;\n"
				   "mov.u32 r0, %tid.x; ld.param.u64 d0, [to]; ld.param.u32 r1, [times]; ld.param.u32 "
				   "r2, [more]; ld.param.u32 r3, [plus];\n"
				   "ld.param.u32 r4, [flip]; ld.param.u32 r20, [rounds]; mov.u32 r5, near; mad.lo.u32 "
				   "r6, r0, 4, r5; mul.lo.u32 r7, r0, 77; mov.b32 r8, "
				   "0;\n"
				   "fill: mad.lo.u32 r7, r7, 1664525, 1013904223; st.shared.u32 [r6], r7; add.u32 r6, "
				   "r6, 512; add.u32 r8, r8, 1;\n"
				   "setp.lt.u32 p, r8, 16; @p bra fill; bar.sync 0;\n"
				   "shr.u32 r9, r0, 3; mul.lo.u32 r9, r9, r2; mad.lo.u32 r9, r0, r1, r9; add.u32 r9, "
				   "r9, r3; xor.b32 r9, r9, r4; mov.b32 r19, 0;\n"
				   "shl.b32 r10, r9, 2; add.u32 r10, r10, r5; mul.wide.u32 d1, r9, 4; add.u64 d1, d1, "
				   "d0; shl.b32 r11, r9, 4; and.b32 r11, r11, "
				   "4095; add.u32 r11, r11, r5;\n"
				   "again: ld.shared.u32 r12, [r10+4]; ld.shared.u32 r13, [r10+12]; ld.shared.u32 r14, "
				   "[r10+1024]; add.u32 r12, r12, r13;\n"
				   "ld.shared.v4.u32 {r15, r16, r17, r18}, [r11+1024]; mad.lo.u32 r12, r12, 3, r14; "
				   "mad.lo.u32 r12, r12, 5, r15; mad.lo.u32 r12, r12, "
				   "7, r16;\n"
				   "mad.lo.u32 r12, r12, 11, r17; mad.lo.u32 r12, r12, 13, r18; st.global.u32 [d1], "
				   "r12; ld.global.u32 r13, [d1]; st.shared.u32 "
				   "[r10+8], r13;\n"
				   "add.u32 r19, r19, 1; setp.lt.u32 p, r19, r20; @p bra again; ret;\n}\n";

struct turning {
	u64 to;
	u32 times, more, plus, flip, rounds;
};
static const struct turning turnings[] = {
	{.times = 1},                     /* a row, */
	{.times = 2},                     /* every second word, */
	{.times = 0, .plus = 9},          /* one place, */
	{.times = 0, .more = 3},          /* quarters at one place each, */
	{.times = 1, .more = 5},          /* quarters in a row each, */
	{.times = 1, .flip = 21},         /* near, in disorder, */
	{.times = 31},                    /* far apart, */
	{.times = 1, .plus = 100000},     /* out of reach */
	{.times = 1, .plus = 2048 - 128}, /* of the last access alone */
};

struct turned {
	u32 out[2 * WORDS];
	struct fault fault;
};

/* One launch after the other of one session, by each of the parameters from `first` on. */
static void turn(enum native_mode mode, u32 first, struct turned *t)
{
	struct launch_stats stats;
	struct session s;
	char message[256] = "";

	session_of(&s, "turning.ptx", turning_text);
	const u64 to = memory_allocate(&s.memory, 8 * WORDS, 256, "to", 0);
	for (u32 k = 0; k < COUNT_OF(turnings); k++) {
		struct turning params = turnings[(first + k) % COUNT_OF(turnings)];
		params.to = to;
		params.rounds = 3;
		memset(&t[k], 0, sizeof t[k]);
		memset(memory_find(&s.memory, to, 1)->host, 0, 8 * WORDS);
		struct launch l = {.program = s.program,
				   .kernel = program_kernel(s.program, "k"),
				   .memory = &s.memory,
				   .grid = {1, 1, 1},
				   .block = {32, 1, 1},
				   .params = (const u8 *)&params,
				   .jobs = 1};
		l.native = session_native(&s, s.program, l.kernel, mode);
		launch_run(&l, &stats, &t[k].fault, message, sizeof message);
		memcpy(t[k].out, memory_find(&s.memory, to, 1)->host, sizeof t[k].out);
	}
	session_close(&s);
}

/* Code made for what the first launch's accesses look like is right for all others, and tells their faults. */
START_TEST(later_launches_have_other_shapes)
{
	static struct turned interpreted[COUNT_OF(turnings)], native[COUNT_OF(turnings)];

	if (!native_is_there())
		return;
	turn(NATIVE_OFF, (u32)_i, interpreted);
	turn(NATIVE_ALWAYS, (u32)_i, native);
	for (u32 k = 0; k < COUNT_OF(turnings); k++) {
		ck_assert_int_eq(interpreted[k].fault.kind, native[k].fault.kind);
		ck_assert_uint_eq(interpreted[k].fault.address, native[k].fault.address);
		ck_assert_uint_eq(interpreted[k].fault.lanes, native[k].fault.lanes);
		ck_assert_msg(!memcmp(interpreted[k].out, native[k].out, sizeof native[k].out), "launch %u after %d", k,
			      _i);
	}
}
END_TEST

/* Where most accesses are mistaken, the kernel gets code for all shapes, and stays right. */
START_TEST(mistaken_code_is_replaced)
{
	static const u32 rounds = 10000;
	const struct native_code *made[4] = {NULL};
	struct launch_stats stats;
	struct session s;
	struct fault fault;
	char message[256] = "";

	if (!native_is_there())
		return;
	session_of(&s, "turning.ptx", turning_text);
	struct turning params = {.to = memory_allocate(&s.memory, 8 * WORDS, 256, "to", 0), .rounds = rounds};
	for (u32 k = 0; k < COUNT_OF(made); k++) {
		params.times = k ? 7 : 1;
		struct launch l = {.program = s.program,
				   .kernel = program_kernel(s.program, "k"),
				   .memory = &s.memory,
				   .grid = {1, 1, 1},
				   .block = {32, 1, 1},
				   .params = (const u8 *)&params,
				   .jobs = 1};
		l.native = session_native(&s, s.program, l.kernel, NATIVE_ALWAYS);
		ck_assert_int_eq(launch_run(&l, &stats, &fault, message, sizeof message), LAUNCH_OK);
		made[k] = native_ready(l.native);
		ck_assert_ptr_nonnull(made[k]);
	}
	ck_assert_ptr_eq(made[0], made[1]);
	ck_assert_ptr_ne(made[1], made[2]);
	ck_assert_ptr_eq(made[2], made[3]);
	session_close(&s);
}
END_TEST

/* Lanes beyond n end. Launches: of the first none do; later some of each warp, until there is code in which lanes may part. */
START_TEST(code_for_lanes_that_agreed_is_replaced)
{
	static const char text[] =
		".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to, .param .u32 n)\n{\n"
		".reg .pred p; .reg .b32 r<4>; .reg .b64 d<3>;\n"
		"mov.u32 r0, %tid.x; ld.param.u64 d0, [to]; ld.param.u32 r1, [n]; setp.ge.u32 p, r0, r1; @p bra end;\n"
		"mul.wide.u32 d1, r0, 4; add.u64 d2, d0, d1; ld.global.u32 r2, [d2]; add.u32 r2, r2, 1; st.global.u32 "
		"[d2], r2;\n"
		"end: ret;\n}\n";
	static const u32 bounds[] = {32, 32, 7, 20, 20, 32};
	const struct kernel_code *made[COUNT_OF(bounds)];
	u64 stops[COUNT_OF(bounds)];
	struct launch_stats stats;
	struct session s;
	struct fault fault;
	char message[256] = "";

	if (!native_is_there())
		return;
	session_of(&s, "agreed.ptx", text);
	struct {
		u64 to;
		u32 n;
	} params = {.to = memory_allocate(&s.memory, 4 * 32, 256, "to", 0)};
	for (u32 k = 0; k < COUNT_OF(bounds); k++) {
		params.n = bounds[k];
		struct launch l = {.program = s.program,
				   .kernel = program_kernel(s.program, "k"),
				   .memory = &s.memory,
				   .grid = {200, 1, 1},
				   .block = {32, 1, 1},
				   .params = (const u8 *)&params,
				   .jobs = 1};
		l.native = session_native(&s, s.program, l.kernel, NATIVE_ALWAYS);
		ck_assert_int_eq(launch_run(&l, &stats, &fault, message, sizeof message), LAUNCH_OK);
		made[k] = (const struct kernel_code *)(const void *)native_ready(l.native);
		ck_assert_ptr_nonnull(made[k]);
		stops[k] = made[k]->stops;
	}
	const u32 *words = (const u32 *)(const void *)memory_find(&s.memory, params.to, 1)->host;
	ck_assert_uint_eq(words[0], 1200);
	ck_assert_uint_eq(words[7], 1000);
	ck_assert_uint_eq(words[20], 600);
	ck_assert_uint_eq(stops[1], 0);
	ck_assert_ptr_eq(made[0], made[2]);
	ck_assert_uint_eq(stops[2], 200);
	ck_assert_ptr_ne(made[2], made[4]);
	ck_assert_uint_eq(made[5]->stops, 0);
	ck_assert_uint_eq(made[5]->mistakes, 0);
	session_close(&s);
}
END_TEST

/* Words of a small shared array: one for all lanes, and a row of which only those lanes load that have a place there. */
static const char edge_text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to)\n{\n"
	".shared .align 16 .b8 near[64]; .reg .pred p, q; .reg .b32 r<9>; .reg .b64 d<3>;\n"
	"mov.u32 r0, %tid.x; ld.param.u64 d0, [to]; mul.wide.u32 d1, r0, 4; add.u64 d0, d0, d1; mov.u32 r1, near;\n"
	"mad.lo.u32 r2, r0, 4, r1; mul.lo.u32 r3, r0, 77; setp.lt.u32 p, r0, 16; @p st.shared.u32 [r2], r3; bar.sync "
	"0;\n"
	"sub.u32 r4, r0, 3; setp.lt.u32 p, r4, 16; mov.u32 r5, 0; mov.u32 r6, 0;\n"
	"again: ld.shared.u32 r7, [near+60]; add.u32 r6, r6, r7; mov.u32 r8, 5; @!p bra over;\n"
	"ld.shared.u32 r8, [r2+-12]; mad.lo.u32 r8, r8, 3, r5; xor.b32 r8, r8, r6; add.u32 r6, r6, 9;\n"
	"over: mad.lo.u32 r6, r6, 5, r8; add.u32 r5, r5, 1; setp.lt.u32 q, r5, 60000; @q bra again;\n"
	"st.global.u32 [d0], r6; ret;\n}\n";

/* What the kernel leaves after its third launch; *kept: all three by the same code. */
static void run_edge(enum native_mode mode, u32 out[32], bool *kept)
{
	const struct native_code *made[3] = {NULL};
	struct launch_stats stats;
	struct session s;
	struct fault fault;
	char message[256] = "";

	session_of(&s, "edge.ptx", edge_text);
	const u64 to = memory_allocate(&s.memory, 4 * 32, 256, "to", 0);
	for (u32 k = 0; k < COUNT_OF(made); k++) {
		struct launch l = {.program = s.program,
				   .kernel = program_kernel(s.program, "k"),
				   .memory = &s.memory,
				   .grid = {1, 1, 1},
				   .block = {32, 1, 1},
				   .params = (const u8 *)&to,
				   .jobs = 1};
		l.native = session_native(&s, s.program, l.kernel, mode);
		ck_assert_int_eq(launch_run(&l, &stats, &fault, message, sizeof message), LAUNCH_OK);
		made[k] = l.native ? native_ready(l.native) : NULL;
	}
	memcpy(out, memory_find(&s.memory, to, 1)->host, 4 * 32);
	*kept = made[0] && made[0] == made[2];
	session_close(&s);
}

START_TEST(edges_of_shared_memory_are_in_line)
{
	u32 interpreted[32], native[32];
	bool kept;

	if (!native_is_there())
		return;
	run_edge(NATIVE_OFF, interpreted, &kept);
	run_edge(NATIVE_ALWAYS, native, &kept);
	ck_assert(!memcmp(interpreted, native, sizeof native));
	ck_assert(kept);
}
END_TEST

/* --- Ways in line ---------------------------------------------------------------------------------- */

/* Addresses that are known from the thread's number, by which lanes go to one place, along a row, or at other equal distances: bytes are those of the
 * access, r0 is %tid.x, r1 the same in all lanes. Their sum with the array's address is r4. */
static const char *const known_places[] = {
	"and.b32 r4, r1, 7; mul.lo.u32 r4, r4, %u;",
	"mul.lo.u32 r4, r0, %u;",
	"mad.lo.u32 r4, r0, %u, 64;",
	"mul.lo.u32 r4, r0, %u; shl.b32 r4, r4, 1;",
	"shr.u32 r4, r0, 5; mul.lo.u32 r4, r4, %u;",
};
static const struct {
	const char *name, *list;
	u32 bytes;
} known_types[] = {{"u8", "h0", 1},  {"s8", "h0", 1},  {"u16", "h0", 2},          {"u32", "r8", 4},
		   {"f32", "f0", 4}, {"u64", "d4", 8}, {"v2.u32", "{r8, r9}", 8}, {"v4.f32", "{f0, f1, f2, f3}", 16}};
enum { KNOWN_PLACES = COUNT_OF(known_places), KNOWN_TYPES = COUNT_OF(known_types) };

/* Loads, and stores if lanes go to places of their own, in a loop of a few turns. */
static void write_known(char *source, size_t size, bool shared, u32 place, u32 type)
{
	const bool stores = place && place + 1 < KNOWN_PLACES;
	char where[256], store[256] = "";

	snprintf(where, sizeof where, known_places[place], known_types[type].bytes);
	if (stores)
		snprintf(store, sizeof store, "st.%s.%s [%s], %s;", shared ? "shared" : "global",
			 known_types[type].name, shared ? "r5" : "d3", known_types[type].list);
	ck_assert_int_lt(
		snprintf(source, size,
			 ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to)\n{\n"
			 ".shared .align 16 .b8 near[4096]; .reg .pred q; .reg .b16 h<2>; .reg .b32 r<12>; .reg .f32 "
			 "f<4>; .reg .b64 d<6>;\n"
			 "mov.u32 r0, %%tid.x; mov.u32 r1, %%ctaid.x; ld.param.u64 d0, [to]; mov.u32 r2, near; mov.u32 "
			 "r7, 0;\n"
			 "%s\nadd.u32 r5, r2, r4; cvt.u64.u32 d2, r4; add.u64 d3, d0, d2;\n"
			 "again: ld.%s.%s %s, [%s]; %s add.u32 r7, r7, 1; setp.lt.u32 q, r7, 8; @q bra "
			 "again;\nret;\n}\n",
			 where, shared ? "shared" : "global", known_types[type].name, known_types[type].list,
			 shared ? "r5" : "d3", store),
		(int)size);
}

/* No warp leaves a region, and no handler is tried. */
START_TEST(known_places_are_in_line)
{
	const bool shared = _i / KNOWN_TYPES / KNOWN_PLACES;
	struct launch_stats stats;
	struct session s;
	struct fault fault;
	char message[256] = "", source[4096];

	if (!native_is_there())
		return;
	write_known(source, sizeof source, shared, (u32)_i / KNOWN_TYPES % KNOWN_PLACES, (u32)_i % KNOWN_TYPES);
	session_of(&s, "known.ptx", source);
	const u64 to = memory_allocate(&s.memory, 4096, 256, "to", 0);
	struct launch l = {.program = s.program,
			   .kernel = program_kernel(s.program, "k"),
			   .memory = &s.memory,
			   .grid = {2, 1, 1},
			   .block = {64, 1, 1},
			   .params = (const u8 *)&to,
			   .jobs = 1};
	l.native = session_native(&s, s.program, l.kernel, NATIVE_ALWAYS);
	ck_assert_int_eq(launch_run(&l, &stats, &fault, message, sizeof message), LAUNCH_OK);
	const struct kernel_code *code = (const struct kernel_code *)(const void *)native_ready(l.native);
	ck_assert_ptr_nonnull(code);
	ck_assert_msg(!code->stops && !code->mistakes, "%llu stops, %llu mistakes: %s", (unsigned long long)code->stops,
		      (unsigned long long)code->mistakes, source);
	session_close(&s);
}
END_TEST

/* A loop that runs often enough to take all steps of the trial. */
static u32 write_long_loop(char *source, size_t size)
{
	size_t used = (size_t)snprintf(
		source, size, "%s",
		".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
		".reg .b32 r<4>; .reg .b64 d<4>; .reg .pred q; ld.param.u64 d0, [p]; mov.u32 r0, %tid.x;\n"
		"mul.wide.u32 d1, r0, 4; add.u64 d0, d0, d1; mov.u32 r1, 0; mov.u32 r2, 0;\nagain:\n");
	for (u32 k = 0; k < 400; k++)
		used += (size_t)snprintf(source + used, size - used, "add.u32 r2, r2, r1;\n");
	used += (size_t)snprintf(source + used, size - used, "%s",
				 "add.u32 r1, r1, 1; setp.lt.u32 q, r1, 1000; @q bra again;\n"
				 "st.global.u32 [d0], r2; ret;\n}\n");
	ck_assert_uint_lt(used, size);
	return (u32)used;
}

START_TEST(shapes_behind_a_long_loop_are_known)
{
	const struct lower_options options = {0};
	static char source[16 << 10];
	u8 params[8] = {0};
	struct session s;
	u32 known = 0;

	ck_assert(session_open(&s));
	session_add_text(&s, "loop.ptx", source, write_long_loop(source, sizeof source));
	ck_assert(session_build(&s, &options));
	const struct kernel *kernel = program_kernel(s.program, "k");
	const struct native_sample sample = {
		.taken = true, .block = {32, 1, 1}, .grid = {1, 1, 1}, .kernel = kernel, .params = params};
	const struct code_flow *f = code_flow_build(&s.arena, s.program->isa, kernel->code, NULL, false);
	ck_assert_ptr_nonnull(f);
	const u8 *shapes = shapes_find(f, &sample);
	ck_assert_ptr_nonnull(shapes);
	for (u32 k = 0; k < kernel->code->insn_count; k++)
		known += shapes[k] == (SHAPE_KNOWN | SHAPE_ROW);
	ck_assert_uint_eq(known, 1);
	session_close(&s);
}
END_TEST

/* The trial runs loads of parameters, but has no memory to tell of a fault. */
START_TEST(a_load_beyond_the_parameters_faults)
{
	static const char text[] =
		".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 p)\n{\n"
		".reg .b32 r<3>; .reg .b64 d<2>;\n"
		"ld.param.u64 d1, [p]; cvt.u32.u64 r1, d1; add.u32 r2, r1, 1; st.global.u32 [d1], r2; ret;\n}\n";
	const enum native_mode modes[] = {NATIVE_OFF, NATIVE_ALWAYS};
	const u32 params[2] = {0};

	if (!native_is_there())
		return;
	for (u32 k = 0; k < COUNT_OF(modes); k++) {
		struct session s;
		struct launch_stats stats;
		struct fault fault;
		char message[256] = "";
		session_of(&s, "beyond.ptx", text);
		struct launch l = launch_in(&s, modes[k], params, 1);
		memcpy(l.grid, (const u32[]){1, 1, 1}, sizeof l.grid);
		memcpy(l.block, (const u32[]){32, 1, 1}, sizeof l.block);
		ck_assert_int_eq(launch_run(&l, &stats, &fault, message, sizeof message), LAUNCH_FAULT);
		ck_assert_int_eq(fault.kind, FAULT_OUT_OF_BOUNDS);
		ck_assert_uint_eq(fault.lanes, 1);
		session_close(&s);
	}
}
END_TEST

UNIT_TESTS("native_shapes", 300)
{
	tcase_add_loop_test(unit, later_launches_have_other_shapes, 0, COUNT_OF(turnings));
	UNIT_TEST(mistaken_code_is_replaced);
	UNIT_TEST(code_for_lanes_that_agreed_is_replaced);
	UNIT_TEST(edges_of_shared_memory_are_in_line);
	tcase_add_loop_test(unit, known_places_are_in_line, 0, 2 * KNOWN_PLACES * KNOWN_TYPES);
	UNIT_TEST(shapes_behind_a_long_loop_are_known);
	UNIT_TEST(a_load_beyond_the_parameters_faults);
}
