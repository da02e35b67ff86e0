/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters, reports, checks and scripts through the library, as a user sees them.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_fixture.h"
#include "main.h"
#include "ptxsim_observe.h"
#include "ptxsim_script.h"

static const char KERNELS[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
#include "column_and_shift.inc"
	;

static ptxsim_status run(const struct fixture *f, const char *kernel, uint64_t out, uint32_t threads)
{
	const void *args[] = {&out};
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;

	l.block[0] = threads;
	l.args = args;
	l.arg_count = 1;
	return ptxsim_launch(f->context, ptxsim_find_function(f->module, kernel), &l);
}

START_TEST(launches_are_counted)
{
	const struct ptxsim_watching watching = {.struct_size = sizeof watching, .count = 1};
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	double value;

	ck_assert_int_eq(run(&f, "shift", f.out, 64), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_counter(f.context, "launch.instructions", &value), PTXSIM_ERROR_STATE);
	ck_assert_str_eq(ptxsim_report(f.context), "");
	ck_assert_int_eq(ptxsim_watch(f.context, &watching), PTXSIM_OK);
	ck_assert_int_eq(run(&f, "column", f.out, 32), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_counter(f.context, "launch.instructions", &value), PTXSIM_OK);
	ck_assert(value == 7);
	ck_assert_int_eq(ptxsim_counter(f.context, "shared.conflicts", &value), PTXSIM_OK);
	ck_assert(value == 1);
	ck_assert_int_eq(ptxsim_counter(f.context, "no.such", &value), PTXSIM_ERROR_NOT_FOUND);
	ck_assert_msg(strstr(ptxsim_report(f.context), "2-way bank conflict") != NULL, "%s", ptxsim_report(f.context));
	/* A fault: what was counted so far. */
	ck_assert_int_eq(run(&f, "shift", f.out + 128, 64), PTXSIM_ERROR_FAULT);
	ck_assert_int_eq(ptxsim_counter(f.context, "launch.instructions", &value), PTXSIM_OK);
	ck_assert(value == 12 + 11); /* the second warp fails at its eleventh */
	ck_assert_msg(strstr(ptxsim_report(f.context), "stopped by a fault") != NULL, "%s", ptxsim_report(f.context));
	ck_assert_int_eq(ptxsim_watch(f.context, NULL), PTXSIM_OK);
	ck_assert_int_eq(run(&f, "column", f.out, 32), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_counter(f.context, "launch.instructions", &value), PTXSIM_ERROR_STATE);
	ptxsim_context_free(f.context);
}
END_TEST

/* A launch with findings has run to its end. */
START_TEST(findings_stop_nothing)
{
	const struct ptxsim_watching watching = {.struct_size = sizeof watching, .count = 1, .races = 1};
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);

	ck_assert_int_eq(ptxsim_watch(f.context, &watching), PTXSIM_OK);
	ck_assert_int_eq(run(&f, "shift", f.out, 64), PTXSIM_ERROR_FAULT);
	ck_assert_ptr_nonnull(ptxsim_finding(f.context, 0));
	ck_assert_msg(strstr(ptxsim_report(f.context), "stopped by a fault") == NULL, "%s", ptxsim_report(f.context));
	ptxsim_context_free(f.context);
}
END_TEST

static void find_a_race(struct ptxsim_watching watching)
{
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	struct ptxsim_fault fault;

	ck_assert_int_eq(ptxsim_watch(f.context, &watching), PTXSIM_OK);
	ck_assert_int_eq(run(&f, "shift", f.out, 32), PTXSIM_OK);
	ck_assert_ptr_null(ptxsim_finding(f.context, 0));
	ck_assert_int_eq(run(&f, "shift", f.out, 64), PTXSIM_ERROR_FAULT);
	ck_assert_ptr_nonnull(ptxsim_finding(f.context, 0));
	ck_assert_msg(strstr(ptxsim_finding(f.context, 0), "no barrier (bar.sync, __syncthreads) comes between") !=
			      NULL,
		      "%s", ptxsim_finding(f.context, 0));
	ck_assert_str_eq(ptxsim_message(f.context), ptxsim_finding(f.context, 0));
	ck_assert_int_eq(ptxsim_get_fault(f.context, &fault), PTXSIM_OK);
	ck_assert_str_eq(fault.kind, "race");
	watching.struct_size--;
	ck_assert_int_eq(ptxsim_watch(f.context, &watching), PTXSIM_ERROR_ARGUMENT);
	ptxsim_context_free(f.context);
}

/* Asked for by their field, or by name as --check has it. */
START_TEST(checks_find_races)
{
	find_a_race((struct ptxsim_watching){.struct_size = sizeof(struct ptxsim_watching), .races = 1});
	find_a_race((struct ptxsim_watching){.struct_size = sizeof(struct ptxsim_watching), .checks = "races"});
}
END_TEST

static ptxsim_status play(const char *lines, struct ptxsim_script_result *result, char **message)
{
	char text[4096];

	snprintf(text, sizeof text, "%s%s", lines, KERNELS);
	const struct ptxsim_script script = {
		.struct_size = sizeof script, .path = "lines.ptx", .text = text, .length = strlen(text)};
	*result = (struct ptxsim_script_result){.struct_size = sizeof *result};
	return ptxsim_run_script(&script, result, message);
}

START_TEST(scripts_are_played)
{
	struct ptxsim_script_result r;
	char *message;

	ck_assert_int_eq(
		play("//@ buffer b u32[64]\n//@ launch shift(b) block=64\n//@ expect b[40] = 8\n", &r, &message),
		PTXSIM_OK);
	ck_assert_uint_eq(r.launches, 1);
	ck_assert_uint_eq(r.expectations, 1);
	ck_assert_uint_eq(r.failed + r.faults, 0);
	ck_assert_str_eq(message, "");
	free(message);
	ck_assert_int_eq(play("//@ buffer b u32[64]\n//@ launch column(b)\n//@ expect b[1] = 5\n", &r, &message),
			 PTXSIM_ERROR_FAULT);
	ck_assert_uint_eq(r.failed, 1);
	ck_assert_msg(strstr(message, "lines.ptx:3: ") != NULL, "%s", message);
	free(message);
	ck_assert_int_eq(play("//@ launch shift(0) block=64\n", &r, &message), PTXSIM_ERROR_FAULT);
	ck_assert_uint_eq(r.faults, 1);
	ck_assert_msg(strstr(message, "null pointer: store") != NULL, "%s", message);
	free(message);
	ck_assert_int_eq(play("//@ lunch shift(0)\n", &r, &message), PTXSIM_ERROR_SYNTAX);
	ck_assert_msg(strstr(message, "lines.ptx:1:5: error: no such statement") != NULL, "%s", message);
	free(message);
	const struct ptxsim_script nothing = {.struct_size = sizeof nothing, .path = "/no/such/file.ptx"};
	ck_assert_int_eq(ptxsim_run_script(&nothing, NULL, &message), PTXSIM_ERROR_FILE);
	ck_assert_msg(strstr(message, "No such file or directory") != NULL, "%s", message);
	free(message);
	ck_assert_int_eq(ptxsim_run_script(NULL, NULL, NULL), PTXSIM_ERROR_ARGUMENT);
}
END_TEST

UNIT_TESTS("api_watch", 0)
{
	UNIT_TEST(launches_are_counted);
	UNIT_TEST(findings_stop_nothing);
	UNIT_TEST(checks_find_races);
	UNIT_TEST(scripts_are_played);
}
