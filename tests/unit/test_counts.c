/* SPDX-License-Identifier: Apache-2.0
 *
 * What is counted does not depend on how a launch is run: every sample and benchmark with gangs and without, by one host
 * thread and several, interpreted and natively, as several generations count. Kernels whose result depends on the order of
 * blocks run by one thread.
 */
#include <check.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/play.h"
#include "memory/slots.h"
#include "observe/alike.h"
#include "cache_folder.h"
#include "same_counts.h"
#include "main.h"
#include "native_there.h"

struct played {
	struct session session;
	struct script script;
	struct play play;
};

/* path: of a file, or the text itself. */
static void add_kernel(struct session *s, const char *path)
{
	const char *message;

	if (strchr(path, '\n'))
		session_add_text(s, "kernel.ptx", path, strlen(path));
	else
		ck_assert_msg(session_add_file(s, path, &message), "%s: %s", path, message);
}

/* script: the launches; NULL: those of the file. */
static bool play(struct played *p, const char *path, const char *script, const char *arch, bool one_warp,
		 enum native_mode native, u32 jobs)
{
	memset(p, 0, sizeof *p);
	ck_assert(session_open(&p->session));
	struct session *const s = &p->session;
	add_kernel(s, path);
	script_init(&p->script, &s->arena, &s->strings, &s->diags);
	script_read(&p->script,
		    script ? source_add(&s->sources, "script", script, strlen(script)) : s->modules.items[0]->source,
		    script != NULL);
	const struct lower_options options = {.arch = arch ? arch : p->script.arch, .one_warp = one_warp};
	p->play = (struct play){
		.session = s, .script = &p->script, .options = {.jobs = jobs, .account = true, .native = native}};
	return p->script.launch_count && session_build(s, &options) && play_run(&p->play);
}

static void end(struct played *p)
{
	play_free(&p->play);
	session_close(&p->session);
}

static void compare(const char *path, const char *script, const char *arch)
{
	static const struct {
		const char *name;
		bool one_warp;
		enum native_mode native;
		u32 jobs; /* 0: several if the kernel's results allow it */
	} ways[] = {{"without gangs", true, NATIVE_OFF, 1},
		    {"by three threads", false, NATIVE_OFF, 3},
		    {"natively", false, NATIVE_ALWAYS, 0}};
	struct played with, other;
	char what[512];

	if (play(&with, path, script, arch, false, NATIVE_OFF, 1))
		for (u32 k = 0; k < COUNT_OF(ways); k++) {
			const bool ordered = with.play.launches.items[0].kernel->order_dependent;
			const u32 jobs = ways[k].jobs ? ways[k].jobs : ordered ? 1 : 3;
			if ((ways[k].native == NATIVE_ALWAYS && !native_is_there()) || (ordered && jobs > 1))
				continue;
			ck_assert(play(&other, path, script, arch, ways[k].one_warp, ways[k].native, jobs));
			ck_assert_uint_eq(with.play.launches.count, other.play.launches.count);
			for (size_t n = 0; n < with.play.launches.count; n++) {
				const struct play_launch *x = &with.play.launches.items[n],
							 *y = &other.play.launches.items[n];
				snprintf(what, sizeof what, "%s, %s, launch %zu, %s", path, arch ? arch : "as written",
					 n, ways[k].name);
				ck_assert_msg(!x->fault == !y->fault, "%s: only one faults", what);
				if (!x->fault)
					same_counts(what, with.play.accounting, x->account, other.play.accounting,
						    y->account);
			}
			end(&other);
		}
	end(&with);
}

/* --- Samples -------------------------------------------------------------------------------- */

static const char *folder(const char *name, char path[512])
{
	const char *source = getenv("srcdir");

	snprintf(path, 512, "%s/%s", source ? source : "..", name);
	return path;
}

START_TEST(samples)
{
	static const char *const archs[] = {NULL, "sm_30"};
	char path[512];
	char *const paths[] = {(char *)folder("samples", path), NULL};
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	u32 found = 0;

	ck_assert_ptr_nonnull(tree);
	for (FTSENT *e; (e = fts_read(tree));) {
		const char *end = e->fts_info == FTS_F ? strrchr(e->fts_name, '.') : NULL;
		if (!end || (strcmp(end, ".ptx") && strcmp(end, ".sass")))
			continue;
		compare(e->fts_path, NULL, archs[_i]);
		found++;
	}
	fts_close(tree);
	ck_assert_uint_gt(found, 10);
}
END_TEST

/* --- Benchmarks ----------------------------------------------------------------------------- */

static const struct {
	const char *file, *script;
} benchmarks[] = {
	{"saxpy", "buffer x f32[4000] uniform 0 1\nbuffer y f32[4000] uniform 0 1\n"
		  "launch saxpy(x, y, 3.0, 4000) grid=16 block=256"},
	{"matmul", "buffer a f32[96,96] uniform 0 1\nbuffer b f32[96,96] uniform 0 1\nbuffer c f32[96,96]\n"
		   "launch matmul(a, b, c, 96) grid=6, 6 block=16,16"},
	{"mandel", "buffer r u32[96,96]\nlaunch mandel(r, 96, 100, -2.0, -1.5, 3.0 / 96) grid=6, 6 block=16,16"},
	{"hist", "buffer in u32[16384] random\nbuffer r u32[256]\nlaunch hist(in, r, 16384) grid=12 block=256"},
	{"transpose", "buffer a f32[128,128] uniform 0 1\nbuffer r f32[128,128]\n"
		      "launch transpose(a, r, 128) grid=4, 4 block=32,8"},
	{"sgemm", "buffer a f32[128,128] uniform 0 1\nbuffer b f32[128,128] uniform 0 1\nbuffer c f32[128,128]\n"
		  "launch sgemm(a, b, c, 128) grid=1 block=256"},
	{"nbody", "buffer x f32[512,4] uniform 0 1\nbuffer r f32[512,4]\nlaunch nbody(x, r, 512) grid=2 block=256"},
	{"stencil", "buffer a f32[5,32,96] uniform 0 1\nbuffer r f32[5,32,96]\n"
		    "launch stencil(a, r, 96, 32, 5, 0.4, 0.1) grid=3, 4 block=32,8"},
	{"bitonic", "buffer a u32[3,1024] random\nlaunch bitonic(a) grid=3 block=512"},
	{"reduce", "buffer x f32[30000] uniform 0 1\nbuffer r f32[20]\nlaunch reduce(x, r, 30000) grid=20 block=256"},
	{"xorshift", "buffer r u32[4000]\nlaunch xorshift(r, 64, 4000) grid=16 block=256"},
};

START_TEST(benchmark)
{
	static const char *const archs[] = {NULL, "sm_20", "sm_30", "sm_50", "sm_90"};
	char name[64], path[512];

	snprintf(name, sizeof name, "tests/bench/%s.ptx", benchmarks[_i].file);
	for (u32 k = 0; k < COUNT_OF(archs); k++)
		compare(folder(name, path), benchmarks[_i].script, archs[k]);
}
END_TEST

/* Stores to words by chance, in a region that goes through a gang's warps itself: the costliest is any warp's. */
static const char scattered[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
				".visible .entry scattered(.param .u64 in) {\n"
				".reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .align 4 .b8 words[4096];\n"
				"ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
				"mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;\n"
				"mad.wide.u32 %rd2, %r4, 4, %rd1; ld.global.u32 %r5, [%rd2];\n"
				"and.b32 %r5, %r5, 4092; mov.u32 %r6, words; add.s32 %r6, %r6, %r5;\n"
				"st.shared.u32 [%r6], %r1; ret; }\n";

START_TEST(scattered_stores)
{
	compare(scattered, "buffer in u32[65536] random\nlaunch scattered(in) grid=256 block=256", NULL);
}
END_TEST

/* Launches of which some blocks are interpreted and others run natively: scattered accesses of both are noted and counted together. */
START_TEST(by_turns)
{
	enum { LAUNCHES = 80 };
	static const char buffers[] = "buffer in u32[262144] random\nbuffer r u32[256]\n",
			  launch[] = "launch hist(in, r, 262144) grid=64 block=256\n";
	static char script[sizeof buffers + LAUNCHES * sizeof launch];
	struct played off, mixed;
	char path[512];

	strcpy(script, buffers);
	for (u32 k = 0; k < LAUNCHES; k++)
		strcat(script, launch);
	folder("tests/bench/hist.ptx", path);
	ck_assert(play(&off, path, script, NULL, false, NATIVE_OFF, 1));
	ck_assert(play(&mixed, path, script, NULL, false, NATIVE_AUTO, 1));
	for (u32 n = 0; n < LAUNCHES; n++)
		same_counts("hist by turns", off.play.accounting, off.play.launches.items[n].account,
			    mixed.play.accounting, mixed.play.launches.items[n].account);
	end(&mixed);
	end(&off);
}
END_TEST

/* --- Vector widths -------------------------------------------------------------------------- */

static u64 draw(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

static void fill_plainly(struct slots *s, u32 mask, const u32 key[WARP_LANES], u32 count)
{
	memset(s, 0, sizeof *s);
	for (u32 l = 0; l < WARP_LANES; l++) {
		bool first = true;
		if (!(mask >> l & 1))
			continue;
		for (u32 k = 0; k < l; k++)
			first &= !(mask >> k & 1) || key[k] != key[l];
		s->lanes[key[l] % count]++;
		s->keys[key[l] % count] += first;
	}
}

static void same_slots(slots_fn *fill, u32 mask, const u32 key[WARP_LANES], u32 count)
{
	struct slots wanted, s;

	fill_plainly(&wanted, mask, key, count);
	fill(&s, mask, key, count);
	ck_assert_msg(!memcmp(&s, &wanted, sizeof s), "mask %08x, %u slots", mask, count);
}

/* As slots_fill finds one row after the other. */
static void same_rows(slots_rows_fn *count, u64 *state, u32 range, u32 mask)
{
	static u32 base[SLOTS_ROWS][WARP_LANES] __attribute__((aligned(64)));
	u32 masks[SLOTS_ROWS], sum[SLOTS] = {0};
	struct slots_rows rows = {.base = base, .mask = masks, .addend = 4, .range = range};

	rows.count = 1 + (u32)draw(state) % SLOTS_ROWS;
	rows.most_keys = draw(state) & 1;
	rows.sum_keys = draw(state) & 1;
	for (u32 r = 0; r < SLOTS_ROWS; r++) {
		masks[r] = mask | (u32)draw(state);
		for (u32 l = 0; l < WARP_LANES; l++)
			base[r][l] = (u32)draw(state);
	}
	count(&rows);
	for (u32 r = 0; r < rows.count; r++) {
		struct slots s;
		u32 most = 0, key[WARP_LANES];
		for (u32 l = 0; l < WARP_LANES; l++)
			key[l] = (base[r][l] + 4) % range / 4;
		fill_plainly(&s, masks[r], key, SLOTS);
		for (u32 k = 0; k < SLOTS; k++) {
			most = max_u32(most, rows.most_keys ? s.keys[k] : s.lanes[k]);
			sum[k] += rows.sum_keys ? s.keys[k] : s.lanes[k];
		}
		ck_assert_uint_eq(rows.most[r], most);
	}
	ck_assert(!memcmp(rows.sum, sum, sizeof sum));
}

START_TEST(widths_agree)
{
	enum { ROWS = 6 };
	static const char *const variants[] = {"baseline", "avx2", "avx512"};
	static u64 wide[ROWS][WARP_LANES] __attribute__((aligned(64))),
		distance[WARP_LANES] __attribute__((aligned(64)));
	static u32 narrow[ROWS][WARP_LANES] __attribute__((aligned(64))),
		apart[WARP_LANES] __attribute__((aligned(64)));
	u32 key[WARP_LANES];
	struct alike alike;
	u64 state = 88172645463325252ull;

	for (u32 round = 0; round < 2000; round++) {
		/* Rows like the distances but for one lane of row `odd`, if there is such a row. */
		const u32 odd = (u32)draw(&state) % (ROWS + 2), lane = 1 + (u32)draw(&state) % (WARP_LANES - 1);
		for (u32 l = 1; l < WARP_LANES; l++) {
			distance[l] = draw(&state);
			apart[l] = (u32)distance[l];
		}
		for (u32 r = 0; r < ROWS; r++) {
			const u64 base = draw(&state) << 8;
			for (u32 l = 0; l < WARP_LANES; l++) {
				wide[r][l] = base + distance[l] + (r == odd && l == lane ? 1ull << round % 64 : 0);
				narrow[r][l] = (u32)base + apart[l] + (r == odd && l == lane ? 1u << round % 32 : 0);
			}
		}
		for (u32 l = 0; l < WARP_LANES; l++)
			key[l] = (u32)draw(&state) & ((4u << round % 28) - 1);
		for (u32 v = 0; v < COUNT_OF(variants); v++) {
			if (alike_choose(variants[v], &alike)) {
				ck_assert_uint_eq(alike.wide((const u8 *)wide, sizeof *wide, ROWS, distance),
						  min_u32(odd, ROWS));
				ck_assert_uint_eq(alike.narrow((const u8 *)narrow, sizeof *narrow, ROWS, apart),
						  min_u32(odd, ROWS));
			}
			if (slots_variant(variants[v]))
				same_slots(slots_variant(variants[v]), round % 3 ? FULL_MASK : (u32)draw(&state) | 1,
					   key, SLOTS >> round % 6);
			if (slots_rows_variant(variants[v]))
				same_rows(slots_rows_variant(variants[v]), &state, 16u << round % 28,
					  round % 3 ? FULL_MASK : 0);
		}
		same_slots(slots_fill, FULL_MASK, key, SLOTS);
		same_rows(slots_count_rows, &state, 1024, FULL_MASK);
	}
}
END_TEST

UNIT_TESTS("counts", 120)
{
	/* Generations count differently and share their code, which is compiled once. */
	tcase_add_unchecked_fixture(unit, cache_begin, cache_end);
	UNIT_TEST(widths_agree);
	tcase_add_loop_test(unit, samples, 0, 2);
	tcase_add_loop_test(unit, benchmark, 0, COUNT_OF(benchmarks));
	UNIT_TEST(by_turns);
	UNIT_TEST(scattered_stores);
}
