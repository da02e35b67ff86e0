/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of launches, at once and in streams, as a user sees them; and the words of what fails.
 */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_fixture.h"
#include "main.h"
#include "ptxsim_observe.h"

static const char KERNELS[] = ".version 8.0\n"
			      ".target sm_90\n"
			      ".address_size 64\n"
#include "column_and_shift.inc"
			      ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f,\n"
			      "	.param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
			      ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
			      ".visible .entry parent(.param .u64 out)\n"
			      "{\n"
			      "	.reg .b64 %f, %p, %o;\n"
			      "	.reg .b32 %r, %one, %n;\n"
			      "	mov.u64 %f, shift;\n"
			      "	mov.u32 %one, 1;\n"
			      "	mov.u32 %n, 64;\n"
			      "	{ .param .b64 a; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;\n"
			      "	.param .b64 r;\n"
			      "	st.param.b64 [a], %f;\n"
			      "	st.param.b32 [g], %one; st.param.b32 [g+4], %one; st.param.b32 [g+8], %one;\n"
			      "	st.param.b32 [b], %n; st.param.b32 [b+4], %one; st.param.b32 [b+8], %one;\n"
			      "	st.param.b32 [s], 0;\n"
			      "	call.uni (r), __cudaCDP2GetParameterBufferV2, (a, g, b, s);\n"
			      "	ld.param.b64 %p, [r]; }\n"
			      "	ld.param.u64 %o, [out];\n"
			      "	st.u64 [%p], %o;\n"
			      "	{ .param .b64 a; .param .b64 s; .param .b32 r;\n"
			      "	st.param.b64 [a], %p; st.param.b64 [s], 0;\n"
			      "	call.uni (r), __cudaCDP2LaunchDeviceV2, (a, s);\n"
			      "	ld.param.b32 %r, [r]; }\n"
			      "	ret;\n"
			      "}\n";

static void watch(const struct fixture *f, int count, int races)
{
	const struct ptxsim_watching watching = {.struct_size = sizeof watching, .count = count, .races = races};

	ck_assert_int_eq(ptxsim_watch(f->context, &watching), PTXSIM_OK);
}

/* In the stream, if there is one. */
static ptxsim_status run(const struct fixture *f, ptxsim_stream *stream, const char *kernel, uint64_t out,
			 uint32_t threads, ptxsim_record **record)
{
	const void *args[] = {&out};
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	const ptxsim_function *function = ptxsim_find_function(f->module, kernel);

	l.block[0] = threads;
	l.args = args;
	l.arg_count = 1;
	l.record = record;
	return stream ? ptxsim_stream_launch(stream, function, &l) : ptxsim_launch(f->context, function, &l);
}

static double counter(const ptxsim_record *record, const char *name)
{
	double value = -1;

	ck_assert_msg(ptxsim_record_counter(record, name, &value) == PTXSIM_OK, "%s", ptxsim_last_error());
	return value;
}

static void assert_has(const char *text, const char *words)
{
	ck_assert_msg(strstr(text, words) != NULL, "'%s' is not in:\n%.2000s", words, text);
}

/* --- Records --------------------------------------------------------------------------------- */

START_TEST(records_keep_what_was_counted)
{
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	ptxsim_record *first, *second;
	struct ptxsim_stats stats;

	watch(&f, 1, 0);
	ck_assert_int_eq(run(&f, NULL, "column", f.out, 32, &first), PTXSIM_OK);
	ck_assert_int_eq(run(&f, NULL, "shift", f.out, 64, &second), PTXSIM_OK);
	ck_assert(counter(first, "launch.instructions") == 7);
	ck_assert(counter(first, "shared.conflicts") == 1);
	ck_assert(counter(second, "launch.instructions") == 24);
	ck_assert(counter(second, "smsp__inst_executed.sum") == 24);
	ck_assert_int_eq(ptxsim_record_stats(first, &stats), PTXSIM_OK);
	ck_assert_uint_eq(stats.warp_instructions, 7);
	ck_assert_int_eq(ptxsim_record_status(first), PTXSIM_OK);
	ck_assert_str_eq(ptxsim_record_message(first), "");
	/* The caller has them, so the context does not. */
	double value;
	ck_assert_int_eq(ptxsim_counter(f.context, "launch.instructions", &value), PTXSIM_ERROR_STATE);
	ck_assert_str_eq(ptxsim_report(f.context), "");
	ptxsim_record_free(first);
	ptxsim_record_free(second);
	ptxsim_record_free(NULL);
	ptxsim_context_free(f.context);
}
END_TEST

START_TEST(reports_have_four_formats)
{
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	ptxsim_record *r;

	watch(&f, 1, 0);
	ck_assert_int_eq(run(&f, NULL, "column", f.out, 32, &r), PTXSIM_OK);
	assert_has(ptxsim_record_report(r, PTXSIM_REPORT_TEXT), "2-way bank conflict");
	assert_has(ptxsim_record_report(r, PTXSIM_REPORT_JSON), "\"ptxsim_report\": 2");
	assert_has(ptxsim_record_report(r, PTXSIM_REPORT_JSON), "\"shared.conflicts\": 1");
	assert_has(ptxsim_record_report(r, PTXSIM_REPORT_HTML), "<!DOCTYPE html>");
	assert_has(ptxsim_record_report(r, PTXSIM_REPORT_HTML), "st.shared.u32");
	assert_has(ptxsim_record_report(r, PTXSIM_REPORT_CSV), "shared.conflicts");
	ck_assert_ptr_eq(ptxsim_record_report(r, PTXSIM_REPORT_HTML), ptxsim_record_report(r, PTXSIM_REPORT_HTML));
	ck_assert_str_eq(ptxsim_record_report(r, (ptxsim_report_format)4), "");
	assert_has(ptxsim_last_error(), "no such format");
	ptxsim_record_free(r);
	ptxsim_context_free(f.context);
}
END_TEST

START_TEST(lines_have_counters)
{
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	ptxsim_record *r;
	struct ptxsim_line line = {.struct_size = sizeof line};
	size_t conflicts = 0, n = 0;
	double sum = 0;

	while (strcmp(ptxsim_counter_name(conflicts), "shared.conflicts"))
		conflicts++;
	ck_assert_str_ne(ptxsim_counter_definition(conflicts), "");
	ck_assert_ptr_nonnull(ptxsim_counter_unit(conflicts));
	ck_assert_ptr_null(ptxsim_counter_name(ptxsim_counter_count()));
	watch(&f, 1, 0);
	ck_assert_int_eq(run(&f, NULL, "column", f.out, 32, &r), PTXSIM_OK);
	for (; !ptxsim_record_line(r, PTXSIM_LINES_PTX, n, &line); n++) {
		ck_assert_str_eq(line.file, "k.ptx");
		ck_assert_ptr_null(line.text);
		ck_assert(line.counters[conflicts] == (line.line == 13));
		sum += line.counters[conflicts];
	}
	ck_assert_uint_eq(n, 7);
	ck_assert(sum == 1);
	ck_assert_int_eq(ptxsim_record_line(r, PTXSIM_LINES_PTX, n, &line), PTXSIM_ERROR_NOT_FOUND);
	ck_assert_int_eq(ptxsim_record_line(r, PTXSIM_LINES_SOURCE, 0, &line), PTXSIM_ERROR_NOT_FOUND);
	ck_assert_int_eq(ptxsim_record_line(r, PTXSIM_LINES_INSTRUCTIONS, 5, &line), PTXSIM_OK);
	ck_assert_str_eq(line.text, "st.shared.u32 [%a], %t");
	line.struct_size = 1;
	ck_assert_int_eq(ptxsim_record_line(r, PTXSIM_LINES_PTX, 0, &line), PTXSIM_ERROR_ARGUMENT);
	ptxsim_record_free(r);
	ptxsim_context_free(f.context);
}
END_TEST

START_TEST(records_outlive_modules_and_contexts)
{
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	struct ptxsim_line line = {.struct_size = sizeof line};
	ptxsim_record *told, *untold;

	watch(&f, 1, 0);
	ck_assert_int_eq(run(&f, NULL, "column", f.out, 32, &told), PTXSIM_OK);
	ck_assert_int_eq(run(&f, NULL, "column", f.out, 32, &untold), PTXSIM_OK);
	assert_has(ptxsim_record_report(told, PTXSIM_REPORT_TEXT), "bank conflict");
	ck_assert_int_eq(ptxsim_record_line(told, PTXSIM_LINES_PTX, 0, &line), PTXSIM_OK);
	ptxsim_module_free(f.module);
	ptxsim_context_free(f.context);
	assert_has(ptxsim_record_report(told, PTXSIM_REPORT_TEXT), "bank conflict");
	ck_assert_int_eq(ptxsim_record_line(told, PTXSIM_LINES_PTX, 1, &line), PTXSIM_OK);
	ck_assert(counter(untold, "launch.instructions") == 7);
	ck_assert_str_eq(ptxsim_record_report(untold, PTXSIM_REPORT_TEXT), "");
	assert_has(ptxsim_last_error(), "module has been freed");
	ck_assert_int_eq(ptxsim_record_line(untold, PTXSIM_LINES_PTX, 0, &line), PTXSIM_ERROR_STATE);
	ptxsim_record_free(told);
	ptxsim_record_free(untold);
}
END_TEST

START_TEST(unwatched_launches_have_records_if_asked)
{
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	ptxsim_record *r;
	struct ptxsim_fault fault;
	double value;

	ck_assert_int_eq(run(&f, NULL, "shift", f.out, 32, &r), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_record_fault(r, &fault), PTXSIM_ERROR_STATE);
	ck_assert_int_eq(ptxsim_record_counter(r, "launch.instructions", &value), PTXSIM_ERROR_STATE);
	ck_assert_str_eq(ptxsim_record_report(r, PTXSIM_REPORT_HTML), "");
	assert_has(ptxsim_last_error(), "was not counted");
	ptxsim_record_free(r);
	ck_assert_int_eq(run(&f, NULL, "shift", f.out + 128, 64, &r), PTXSIM_ERROR_FAULT);
	ck_assert_int_eq(ptxsim_record_fault(r, &fault), PTXSIM_OK);
	ck_assert_str_eq(fault.kind, "address out of bounds");
	ck_assert_uint_eq(fault.line, 30);
	ck_assert_str_eq(ptxsim_record_message(r), ptxsim_message(f.context));
	ptxsim_record_free(r);
	/* A launch that could not begin has one, too; a wrong call has none. */
	ck_assert_int_eq(run(&f, NULL, "shift", f.out, 2000, &r), PTXSIM_ERROR_LAUNCH);
	ck_assert_int_eq(ptxsim_record_status(r), PTXSIM_ERROR_LAUNCH);
	ptxsim_record_free(r);
	ptxsim_context_free(f.context);
}
END_TEST

START_TEST(streams_are_watched)
{
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	ptxsim_stream *stream = ptxsim_stream_create(f.context);
	ptxsim_record *r[4];

	watch(&f, 1, 1);
	ck_assert_int_eq(run(&f, stream, "column", f.out, 32, &r[0]), PTXSIM_OK);
	ck_assert_int_eq(run(&f, stream, "shift", f.out, 32, &r[1]), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_stream_synchronize(stream), PTXSIM_OK);
	ck_assert(counter(r[0], "shared.conflicts") == 1);
	ck_assert(counter(r[1], "launch.instructions") == 12);
	ck_assert_int_eq(run(&f, stream, "shift", f.out, 64, &r[2]), PTXSIM_OK);
	ck_assert_int_eq(run(&f, stream, "column", f.out, 32, &r[3]), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_stream_synchronize(stream), PTXSIM_ERROR_FAULT);
	assert_has(ptxsim_last_error(), "ptxsim_stream_synchronize: race");
	ck_assert_int_eq(ptxsim_record_status(r[2]), PTXSIM_ERROR_FAULT);
	assert_has(ptxsim_record_finding(r[2], 0), "no barrier (bar.sync, __syncthreads) comes between");
	assert_has(ptxsim_record_report(r[2], PTXSIM_REPORT_JSON), "\"kind\": \"race\"");
	ck_assert_ptr_null(r[3]);
	/* The context's own message is that of its last launch, of which there was none. */
	ck_assert_str_eq(ptxsim_message(f.context), "");
	/* Without a place for the record it is dropped. */
	ck_assert_int_eq(run(&f, stream, "shift", f.out, 32, NULL), PTXSIM_OK);
	ptxsim_stream_free(stream);
	for (int k = 0; k < 4; k++)
		ptxsim_record_free(r[k]);
	ptxsim_context_free(f.context);
}
END_TEST

START_TEST(grids_that_kernels_launch_are_watched)
{
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	struct ptxsim_attributes a;
	ptxsim_record *r;

	ck_assert_int_eq(ptxsim_function_attributes(ptxsim_find_function(f.module, "parent"), &a), PTXSIM_OK);
	ck_assert(a.launches_kernels);
	ck_assert_int_eq(ptxsim_function_attributes(ptxsim_find_function(f.module, "shift"), &a), PTXSIM_OK);
	ck_assert(!a.launches_kernels);
	watch(&f, 1, 0);
	ck_assert_int_eq(run(&f, NULL, "parent", f.out, 1, &r), PTXSIM_OK);
	ck_assert_ptr_nonnull(ptxsim_record_grid(r, 0));
	ck_assert_ptr_null(ptxsim_record_grid(r, 1));
	ck_assert(counter(ptxsim_record_grid(r, 0), "launch.instructions") == 24);
	ptxsim_record_free(r);
	watch(&f, 0, 1);
	ck_assert_int_eq(run(&f, NULL, "parent", f.out, 1, &r), PTXSIM_ERROR_FAULT);
	assert_has(ptxsim_record_message(r), "race");
	assert_has(ptxsim_record_finding(ptxsim_record_grid(r, 0), 0), "race");
	ptxsim_record_free(r);
	ptxsim_context_free(f.context);
}
END_TEST

/* --- Words ----------------------------------------------------------------------------------- */

START_TEST(failures_have_words)
{
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	ptxsim_module *other = ptxsim_module_create(f.context);
	uint64_t address;
	char byte;

	ck_assert_int_eq(ptxsim_module_add_file(other, "/no/such/file.ptx"), PTXSIM_ERROR_FILE);
	ck_assert_str_eq(ptxsim_last_error(), "ptxsim_module_add_file: /no/such/file.ptx: No such file or directory");
	ck_assert_int_eq(ptxsim_module_add_file(other, "/"), PTXSIM_ERROR_FILE);
	assert_has(ptxsim_last_error(), strerror(EISDIR));
	ck_assert_int_eq(ptxsim_module_build(other, NULL), PTXSIM_ERROR_STATE);
	assert_has(ptxsim_last_error(), "no text has been added");
	ck_assert_int_eq(ptxsim_module_add_text(other, "bad.ptx", "nonsense\n", 9), PTXSIM_ERROR_SYNTAX);
	assert_has(ptxsim_last_error(), "bad.ptx:1:1: error: ");
	ck_assert_int_eq(ptxsim_alloc(f.context, UINT64_MAX, &address), PTXSIM_ERROR_MEMORY);
	assert_has(ptxsim_last_error(), "ptxsim_alloc: ");
	ck_assert_int_eq(ptxsim_read(f.context, &byte, 12345, 1), PTXSIM_ERROR_ADDRESS);
	ck_assert_str_eq(ptxsim_last_error(), "ptxsim_read: 1 byte at 0x3039 is not within one allocation");
	ck_assert_int_eq(ptxsim_variable(f.module, "nothing", &address, NULL), PTXSIM_ERROR_NOT_FOUND);
	assert_has(ptxsim_last_error(), "no variable 'nothing'");
	ck_assert_ptr_null(ptxsim_find_function(f.module, "nothing"));
	assert_has(ptxsim_last_error(), "no kernel 'nothing'");
	ck_assert_ptr_null(ptxsim_device_find("nothing"));
	assert_has(ptxsim_last_error(), "no device 'nothing'");
	/* A launch's failure is told once it is the last one, and not behind another call's. */
	ck_assert_int_eq(run(&f, NULL, "shift", 0, 32, NULL), PTXSIM_ERROR_FAULT);
	assert_has(ptxsim_last_error(), "ptxsim_launch: null pointer: store");
	ck_assert_int_eq(ptxsim_release(f.context, 5), PTXSIM_ERROR_ADDRESS);
	ck_assert_str_eq(ptxsim_last_error(), "ptxsim_release: no memory begins at 0x5");
	ck_assert_int_eq(run(&f, NULL, "shift", f.out, 32, NULL), PTXSIM_OK);
	ck_assert_str_eq(ptxsim_last_error(), "ptxsim_release: no memory begins at 0x5");
	ptxsim_context_free(f.context);
}
END_TEST

START_TEST(a_variant_that_is_not_there_has_words)
{
	setenv("PTXSIM_VARIANT", "mmx", 1);
	ck_assert_ptr_null(ptxsim_context_create(NULL));
	assert_has(ptxsim_last_error(), "PTXSIM_VARIANT is 'mmx'");
	unsetenv("PTXSIM_VARIANT");
}
END_TEST

/* --- Threads --------------------------------------------------------------------------------- */

static void *count_in_a_context(void *own)
{
	const uint32_t threads = *(const uint32_t *)own;
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);

	watch(&f, 1, 1);
	for (int k = 0; k < 20; k++) {
		ptxsim_record *r;
		ck_assert_int_eq(run(&f, NULL, "shift", f.out, threads, &r),
				 threads == 64 ? PTXSIM_ERROR_FAULT : PTXSIM_OK);
		ck_assert(counter(r, "launch.instructions") == (threads == 64 ? 24 : 12));
		assert_has(ptxsim_record_report(r, PTXSIM_REPORT_JSON), "\"launch.instructions\"");
		if (threads == 64)
			assert_has(ptxsim_last_error(), "ptxsim_launch: race");
		else
			ck_assert_str_eq(ptxsim_last_error(), "");
		ptxsim_record_free(r);
	}
	ptxsim_context_free(f.context);
	return NULL;
}

START_TEST(two_threads_have_records_and_words_of_their_own)
{
	static const uint32_t sizes[] = {32, 64};
	pthread_t threads[2];

	for (int k = 0; k < 2; k++)
		ck_assert_int_eq(pthread_create(&threads[k], NULL, count_in_a_context, (void *)(uintptr_t)&sizes[k]),
				 0);
	for (int k = 0; k < 2; k++)
		pthread_join(threads[k], NULL);
}
END_TEST

START_TEST(a_launch_may_say_what_is_watched)
{
	const struct ptxsim_watching counted = {.struct_size = sizeof counted, .count = 1}, wrong = {.struct_size = 3};
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	const void *args[] = {&f.out};
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	ptxsim_record *r;

	watch(&f, 0, 1);
	l.block[0] = 64;
	l.args = args;
	l.arg_count = 1;
	l.watching = &counted;
	l.record = &r;
	/* It has a race, which the context would look for. */
	ck_assert_int_eq(ptxsim_launch(f.context, ptxsim_find_function(f.module, "shift"), &l), PTXSIM_OK);
	ck_assert(counter(r, "launch.instructions") == 24);
	ptxsim_record_free(r);
	l.watching = &wrong;
	ck_assert_int_eq(ptxsim_launch(f.context, ptxsim_find_function(f.module, "shift"), &l), PTXSIM_ERROR_ARGUMENT);
	ck_assert_ptr_null(r);
	assert_has(ptxsim_last_error(), "launch.watching");
	l.watching = NULL;
	l.record = NULL;
	ck_assert_int_eq(ptxsim_launch(f.context, ptxsim_find_function(f.module, "shift"), &l), PTXSIM_ERROR_FAULT);
	ck_assert_ptr_nonnull(ptxsim_finding(f.context, 0));
	ptxsim_context_free(f.context);
}
END_TEST

/* One context, two threads: each has the result and the words of its own launches. */
static void *launch_beside(void *given)
{
	struct fixture f = *(const struct fixture *)given;
	const struct ptxsim_watching counted = {.struct_size = sizeof counted, .count = 1};
	uint64_t out;
	const void *args[] = {&out};
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;

	ck_assert_int_eq(ptxsim_alloc(f.context, 256, &out), PTXSIM_OK);
	l.args = args;
	l.arg_count = 1;
	l.watching = &counted;
	for (int k = 0; k < 200; k++) {
		ptxsim_record *r;
		l.block[0] = k % 2 ? 64 : 96; /* 96 threads leave the allocation */
		l.record = k % 3 ? &r : NULL;
		const ptxsim_status status = ptxsim_launch(f.context, ptxsim_find_function(f.module, "shift"), &l);
		ck_assert_int_eq(status, k % 2 ? PTXSIM_OK : PTXSIM_ERROR_FAULT);
		if (status)
			assert_has(ptxsim_last_error(), "address out of bounds");
		if (!l.record)
			continue;
		ck_assert_int_eq(ptxsim_record_status(r), status);
		ptxsim_record_free(r);
	}
	return NULL;
}

START_TEST(two_threads_launch_in_one_context)
{
	struct fixture f = open_fixture("k.ptx", KERNELS, 256);
	pthread_t threads[2];

	for (int k = 0; k < 2; k++)
		ck_assert_int_eq(pthread_create(&threads[k], NULL, launch_beside, &f), 0);
	for (int k = 0; k < 2; k++)
		pthread_join(threads[k], NULL);
	ptxsim_context_free(f.context);
}
END_TEST

UNIT_TESTS("api_record", 0)
{
	UNIT_TEST(records_keep_what_was_counted);
	UNIT_TEST(reports_have_four_formats);
	UNIT_TEST(lines_have_counters);
	UNIT_TEST(records_outlive_modules_and_contexts);
	UNIT_TEST(unwatched_launches_have_records_if_asked);
	UNIT_TEST(streams_are_watched);
	UNIT_TEST(grids_that_kernels_launch_are_watched);
	UNIT_TEST(failures_have_words);
	UNIT_TEST(a_variant_that_is_not_there_has_words);
	UNIT_TEST(two_threads_have_records_and_words_of_their_own);
	UNIT_TEST(a_launch_may_say_what_is_watched);
	UNIT_TEST(two_threads_launch_in_one_context);
}
