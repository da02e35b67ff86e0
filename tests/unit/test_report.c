/* SPDX-License-Identifier: Apache-2.0
 *
 * What reports say of launches: findings of each kind, each with a launch that has none; faults; the schema.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_schema.h"
#include "report/json.h"
#include "report/memory.h"
#include "report/summary.h"
#include "script/play.h"
#include "main.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define KERNEL(NAME, BODY)                                                                                            \
	".visible .entry " NAME "(.param .u64 out)\n{\n.reg .pred p, q; .reg .b32 t, n, x; .reg .b64 a;\n"            \
	".local .align 4 .b8 mine[64];\nld.param.u64 a, [out]; mov.u32 t, %tid.x; mov.u32 x, 1; mov.u32 n, 0;\n" BODY \
	"\nret;\n}\n"

/* Half the lanes run ten instructions that the others jump over. */
#define TEN                                                                                              \
	"add.u32 x, x, 1;\n add.u32 x, x, 2;\n add.u32 x, x, 3;\n add.u32 x, x, 4;\n add.u32 x, x, 5;\n" \
	"add.u32 x, x, 6;\n add.u32 x, x, 7;\n add.u32 x, x, 8;\n add.u32 x, x, 9;\n add.u32 x, x, 10;\n"

static const char text[] = HEAD KERNEL("straight", "mad.wide.u32 a, t, 4, a; st.global.u32 [a], x;")
	KERNEL("forked", "and.b32 n, t, 1; setp.eq.u32 p, n, 0; @p bra L;\n" TEN "L: st.global.u32 [a], x;")
		KERNEL("looping", "N: add.u32 n, n, 1; setp.lt.u32 p, n, t; @p bra N; st.global.u32 [a], x;")
			KERNEL("spilling", "st.local.u32 [mine], x; ld.local.u32 n, [mine]; st.global.u32 [a], n;")
				KERNEL("outside", "mad.wide.u32 a, t, 4, a; st.global.u32 [a+32], x;");

struct fixture {
	struct session session;
	struct script script;
	struct play play;
};

/* Plays the launch lines over the kernels above. */
static void play_lines(struct fixture *f, const char *lines)
{
	memset(f, 0, sizeof *f);
	ck_assert(session_open(&f->session));
	ck_assert(!SESSION_ENTER(&f->session));
	session_add_text(&f->session, "kernels.ptx", text, strlen(text));
	script_init(&f->script, &f->session.arena, &f->session.strings, &f->session.diags);
	script_read(&f->script, source_add(&f->session.sources, "lines", lines, strlen(lines)), true);
	ck_assert_msg(session_build(&f->session, &(struct lower_options){0}), "%s",
		      session_diagnostics(&f->session, false));
	f->play = (struct play){.session = &f->session, .script = &f->script, .options = {.account = true}};
	ck_assert_msg(play_run(&f->play), "%s", session_diagnostics(&f->session, false));
}

static void end(struct fixture *f)
{
	play_free(&f->play);
	session_close(&f->session);
}

static char *text_of_last(struct fixture *f)
{
	const struct play_launch *l = &f->play.launches.items[f->play.launches.count - 1];
	char *out = NULL;
	size_t size;
	FILE *to = open_memstream(&out, &size);

	ck_assert_ptr_nonnull(to);
	report_memory(to, &f->session.arena, f->play.accounting, l->account);
	fclose(to);
	return out;
}

static json_t *json_of(struct fixture *f)
{
	const struct account_run *runs[8];

	for (size_t k = 0; k < f->play.launches.count; k++)
		runs[k] = f->play.launches.items[k].account;
	json_t *o = report_object(&f->session.arena, f->play.accounting, runs, f->play.launches.count);
	ck_assert_ptr_nonnull(o);
	return o;
}

static const struct {
	const char *launch;
	const char *says[3]; /* none: nothing is to be said */
} findings[] = {
	{"straight(out) block=64", {NULL}},
	{"forked(out) block=64",
	 {"1 finding\n",
	  "`@p bra L`: divergence: 16.0 of 32 lanes active in the 20 instructions that it splits; 320 lanes",
	  "lanes of one warp went different ways 2 times of 2"}},
	{"looping(out) block=32", {"`@p bra N`: divergence: ", "of 32 lanes active in the 93 instructions"}},
	{"spilling(out) block=32",
	 {"local memory: 2 accesses move 8 sectors", "2 instructions access arrays of a thread"}},
	{"straight(out) block=33",
	 {"1 finding\n", "blocks of 33 threads leave 31 of 64 lanes without a thread", "Blocks of a multiple of 32"}},
	{"straight(out) block=1 grid=3", {"blocks of 1 thread leave 31 of 32 lanes"}},
};

START_TEST(the_worst_is_told)
{
	char lines[256];
	struct fixture f;

	snprintf(lines, sizeof lines, "buffer out u32[256]\nlaunch %s\n", findings[_i].launch);
	play_lines(&f, lines);
	char *said = text_of_last(&f);
	ck_assert_msg(!!strstr(said, "nothing costs more than it must") == !findings[_i].says[0], "%s", said);
	for (u32 k = 0; k < COUNT_OF(findings[_i].says) && findings[_i].says[k]; k++)
		ck_assert_msg(strstr(said, findings[_i].says[k]) != NULL, "no '%s' in %s", findings[_i].says[k], said);
	free(said);
	end(&f);
}
END_TEST

/* The launch ends in its second warp: what both have executed counts. */
START_TEST(faults_have_fields_and_counts)
{
	struct fixture f;
	json_int_t line, address, distance;
	const char *status, *kind, *name, *where;
	json_int_t thread[3];
	int lane;
	json_int_t instructions, threads;

	play_lines(&f, "buffer out u32[42]\nlaunch outside(out) block=64\nexpect fault \"out of bounds\"\n");
	json_t *o = json_of(&f), *launch = json_array_get(json_object_get(o, "launches"), 0);
	ck_assert(!json_unpack(launch, "{s:s, s:{s:s, s:I, s:I, s:i, s:[I, I, I], s:{s:s, s:s, s:I}}}", "status",
			       &status, "fault", "kind", &kind, "line", &line, "address", &address, "lane", &lane,
			       "thread", &thread[0], &thread[1], &thread[2], "allocation", "name", &name, "where",
			       &where, "distance", &distance));
	ck_assert_str_eq(status, "fault");
	ck_assert_str_eq(kind, "out_of_bounds");
	ck_assert_str_eq(name, "out");
	ck_assert_str_eq(where, "behind");
	ck_assert_int_eq(distance, 0);
	ck_assert_int_eq(lane, 2);
	ck_assert_int_eq(thread[0], 34);
	ck_assert_int_gt(line, 0);
	ck_assert_int_eq(address & 0xff, 42 * 4);
	ck_assert(!json_unpack(json_object_get(launch, "counters"), "{s:I, s:I}", "launch.instructions", &instructions,
			       "launch.thread_instructions", &threads));
	ck_assert_int_eq(instructions, 7 + 6);
	ck_assert_int_eq(threads, (7 + 6) * 32);
	ck_assert_uint_eq(f.play.launches.items[0].stats.warp_instructions, 7 + 6);
	json_decref(o);
	end(&f);
}
END_TEST

START_TEST(reports_follow_the_schema)
{
	const char *source = getenv("srcdir");
	char path[512], why[1024];
	struct fixture f;

	snprintf(path, sizeof path, "%s/docs/report.schema.json", source ? source : ".");
	json_t *schema = json_load_file(path, 0, NULL);
	ck_assert_msg(schema != NULL, "%s", path);
	play_lines(&f, "buffer out u32[42]\nlaunch straight(out) block=33\nlaunch forked(out) block=64\n"
		       "launch spilling(out) block=32\nlaunch outside(0) block=32\nexpect fault \"null pointer\"\n"
		       "launch outside(out) block=64\n");
	json_t *o = json_of(&f);
	ck_assert_uint_eq(json_array_size(json_object_get(o, "launches")), 5);
	ck_assert_msg(json_follows(schema, o, why, sizeof why), "%s", why);
	json_object_set_new(json_array_get(json_object_get(o, "launches"), 0), "status", json_string("odd"));
	ck_assert(!json_follows(schema, o, why, sizeof why));
	json_decref(o);
	json_decref(schema);
	end(&f);
}
END_TEST

/* Three digits, and never 1e+03 of a unit. */
static const struct {
	double seconds;
	u64 instructions;
	const char *time, *rate;
} scales[] = {
	{0.0009994, 999400, " 999 us ", " 1 Ginstr/s"}, {0.0009996, 999, " 1 ms ", " 999 kinstr/s"},
	{0.9996, 999600000, " 1 s ", " 1 Ginstr/s"},    {2, 1999400000, " 2 s ", " 1 Ginstr/s"},
	{2, 1998000000, " 2 s ", " 999 Minstr/s"},      {1, 999, " 1 s ", " 999 instr/s"},
	{999.7, 999, " 1000 s ", " 0.999 instr/s"},     {12345.4, 1, " 12345 s ", "8.1e-05 instr/s"},
};

START_TEST(times_and_rates_have_the_unit_that_fits)
{
	static const u32 one[3] = {1, 1, 1};
	const struct launch_stats stats = {
		.seconds = scales[_i].seconds, .thread_instructions = scales[_i].instructions, .blocks = 1, .jobs = 1};
	char said[1024] = "";
	FILE *to = fmemopen(said, sizeof said, "w");

	report_launch(to, "k", one, one, &stats);
	fclose(to);
	ck_assert_msg(strstr(said, scales[_i].time) && strstr(said, scales[_i].rate), "%s", said);
}
END_TEST

UNIT_TESTS("report", 0)
{
	tcase_add_loop_test(unit, times_and_rates_have_the_unit_that_fits, 0, COUNT_OF(scales));
	tcase_add_loop_test(unit, the_worst_is_told, 0, COUNT_OF(findings));
	UNIT_TEST(faults_have_fields_and_counts);
	UNIT_TEST(reports_follow_the_schema);
}
