/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's log of errors, settings of coredumps, and calls that only tell what a device has not. Linked with the library
 * as a program would be.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/driver/types.h"
#include "tests/unit/main.h"

#define CALL(symbol, handler, version, needs, params, args, format) int symbol params;
#define ABSENT(symbol, version)
#include "cuda/driver/calls.inc"

#define OK(call)          ck_assert_int_eq(call, 0)
#define FAILS(call, code) ck_assert_int_eq(call, code)

enum { INVALID_VALUE = 1, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_FOUND = 500 };
enum { NOT_PERMITTED = 800, NOT_SUPPORTED = 801 };
enum { ON_EXCEPTION = 1, TRIGGER_HOST, LIGHTWEIGHT, USER_TRIGGER, DUMP_FILE, PIPE, FLAGS };

static struct cu_context *begin(void)
{
	struct cu_context *c;

	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&c, 0));
	OK(cuCtxSetCurrent(c));
	return c;
}

static void fail_calls(int times)
{
	while (times--)
		FAILS(cuMemAlloc_v2(NULL, 64), INVALID_VALUE);
}

static int lines_of(const char *text)
{
	int count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

struct heard {
	int calls, level;
	char last[300];
};

static void on_log(void *data, int level, char *text, size_t length)
{
	struct heard *h = data;

	h->calls++;
	h->level = level;
	snprintf(h->last, sizeof h->last, "%.*s", (int)length, text);
}

START_TEST(calls_that_fail_are_logged)
{
	struct heard one = {0}, two = {0};
	struct cu_log_callback *first, *second;
	char text[30000];
	size_t size = sizeof text;
	u32 at;

	begin();
	OK(cuLogsCurrent(&at, 0));
	FAILS(cuLogsCurrent(NULL, 0), INVALID_VALUE);
	FAILS(cuLogsCurrent(&at, 1), INVALID_VALUE);
	OK(cuLogsRegisterCallback(on_log, &one, &first));
	OK(cuLogsRegisterCallback(on_log, &two, &second));
	FAILS(cuLogsRegisterCallback(NULL, NULL, NULL), INVALID_VALUE);
	one.calls = two.calls = 0;
	fail_calls(3);
	ck_assert_int_eq(one.calls, 3);
	ck_assert_int_eq(one.level, 0);
	ck_assert_ptr_nonnull(strstr(one.last, "[CUDA][E][cuMemAlloc_v2] Returning 1 (CUDA_ERROR_INVALID_VALUE)\n"));
	OK(cuLogsUnregisterCallback(first));
	FAILS(cuLogsUnregisterCallback(first), INVALID_VALUE);
	fail_calls(1);
	ck_assert_int_eq(one.calls, 3);
	ck_assert_int_eq(two.calls, 5);
	OK(cuLogsUnregisterCallback(second));

	/* From the iterator on, which moves to the end; nothing is nothing. */
	OK(cuLogsDumpToMemory(&at, text, &size, 0));
	ck_assert_uint_eq(size, strlen(text));
	ck_assert_int_eq(lines_of(text), 8);
	size = sizeof text;
	OK(cuLogsDumpToMemory(&at, text, &size, 0));
	ck_assert_uint_eq(size, 0);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(logs_are_cut_where_there_is_no_room)
{
	char text[30000], *end;
	size_t size = 4;
	u32 at, start = 0;

	begin();
	OK(cuLogsCurrent(&at, 0));
	fail_calls(5);
	FAILS(cuLogsDumpToMemory(NULL, text, &size, 0), INVALID_VALUE);
	ck_assert_uint_eq(size, 0);
	size = 300;
	OK(cuLogsDumpToMemory(&at, text, &size, 0));
	ck_assert_uint_lt(size, 300);
	ck_assert_uint_eq(size, strlen(text));
	ck_assert_ptr_nonnull(strstr(text, "no room"));
	ck_assert_int_ge(lines_of(text), 2);
	/* The memory of the log is limited: the oldest go, and that is said. */
	fail_calls(2000);
	size = sizeof text;
	OK(cuLogsDumpToMemory(&start, text, &size, 0));
	ck_assert_uint_le(size, 25600 + 100);
	ck_assert_ptr_nonnull(strstr(text, "dropped"));
	FAILS(cuLogsDumpToMemory(NULL, NULL, &size, 0), INVALID_VALUE);
	FAILS(cuLogsDumpToMemory(NULL, text, NULL, 0), INVALID_VALUE);
	size = sizeof text;
	FAILS(cuLogsDumpToMemory(NULL, text, &size, 1), INVALID_VALUE);

	char path[] = "/tmp/ptxsim-logs-XXXXXX";
	const int file = mkstemp(path);
	OK(cuLogsCurrent(&at, 0));
	fail_calls(2);
	OK(cuLogsDumpToFile(&at, path, 0));
	const ssize_t got = read(file, text, sizeof text - 1);
	ck_assert_int_gt(got, 0);
	text[got] = 0;
	ck_assert_int_eq(lines_of(text), 2);
	end = strstr(text, "cuMemAlloc_v2");
	ck_assert_ptr_nonnull(end);
	FAILS(cuLogsDumpToFile(NULL, "/nowhere/at/all", 0), INVALID_VALUE);
	FAILS(cuLogsDumpToFile(NULL, NULL, 0), INVALID_VALUE);
	close(file);
	unlink(path);
}
END_TEST

START_TEST(waiting_is_no_error)
{
	void *stream;
	u32 before, after;

	begin();
	OK(cuStreamCreate((void *)&stream, 1));
	OK(cuLogsCurrent(&before, 0));
	OK(cuStreamQuery(stream));
	OK(cuLogsCurrent(&after, 0));
	ck_assert_uint_eq(before, after);
	OK(cuStreamDestroy_v2(stream));
}
END_TEST

START_TEST(coredumps_have_settings)
{
	char text[1024], own[] = "dumps/%h";
	size_t size = 0;
	bool truth = true;
	int flags = 0;

	FAILS(cuCoredumpGetAttributeGlobal(FLAGS, &flags, &size), 3);
	begin();
	OK(cuCoredumpGetAttribute(DUMP_FILE, NULL, &size));
	ck_assert_uint_eq(size, sizeof text);
	OK(cuCoredumpGetAttribute(FLAGS, NULL, &size));
	ck_assert_uint_eq(size, sizeof flags);
	OK(cuCoredumpSetAttribute(ON_EXCEPTION, NULL, &size));
	ck_assert_uint_eq(size, sizeof truth);
	OK(cuCoredumpGetAttribute(ON_EXCEPTION, &truth, &size));
	ck_assert(!truth);
	OK(cuCoredumpGetAttribute(TRIGGER_HOST, &truth, &size));
	ck_assert(truth);
	size = sizeof text;
	OK(cuCoredumpGetAttributeGlobal(DUMP_FILE, text, &size));
	ck_assert_ptr_eq(strstr(text, "core.cuda."), text);
	size = 5;
	FAILS(cuCoredumpGetAttributeGlobal(DUMP_FILE, text, &size), INVALID_VALUE);

	/* A context's settings are its own. */
	size = sizeof own;
	OK(cuCoredumpSetAttribute(DUMP_FILE, own, &size));
	size = sizeof text;
	OK(cuCoredumpGetAttribute(DUMP_FILE, text, &size));
	ck_assert_str_eq(text, own);
	OK(cuCoredumpGetAttributeGlobal(DUMP_FILE, text, &size));
	ck_assert_str_ne(text, own);

	/* The flags that make a dump light are the older setting. */
	size = sizeof truth;
	truth = true;
	OK(cuCoredumpSetAttributeGlobal(LIGHTWEIGHT, &truth, &size));
	size = sizeof flags;
	OK(cuCoredumpGetAttributeGlobal(FLAGS, &flags, &size));
	ck_assert_int_eq(flags, 0x2f);
	flags = 1 << 12;
	FAILS(cuCoredumpSetAttributeGlobal(FLAGS, &flags, &size), INVALID_VALUE);

	/* No dump is written here, and what asks for one says so. */
	size = sizeof truth;
	FAILS(cuCoredumpSetAttribute(ON_EXCEPTION, &truth, &size), NOT_SUPPORTED);
	FAILS(cuCoredumpSetAttributeGlobal(USER_TRIGGER, &truth, &size), NOT_SUPPORTED);
	FAILS(cuCoredumpSetAttribute(PIPE, text, &size), NOT_PERMITTED);
	FAILS(cuCoredumpSetAttribute(0, &truth, &size), INVALID_VALUE);
	FAILS(cuCoredumpSetAttribute(99, &truth, &size), INVALID_VALUE);
	FAILS(cuCoredumpGetAttribute(FLAGS, &flags, NULL), INVALID_VALUE);
	memset(text, 'x', sizeof text);
	size = sizeof text;
	FAILS(cuCoredumpSetAttribute(DUMP_FILE, text, &size), INVALID_VALUE);
	OK(cuCtxSetCurrent(NULL));
	FAILS(cuCoredumpGetAttribute(FLAGS, &flags, &size), INVALID_CONTEXT);
}
END_TEST

START_TEST(atomic_operations_of_links)
{
	const int operations[] = {0, 9, 10, 12}, wrong[] = {0, 13};
	u32 can[4] = {9, 9, 9, 9};

	setenv("PTXSIM_DEVICES", "h200,h200", 1);
	begin();
	OK(cuDeviceGetHostAtomicCapabilities(can, operations, 4, 0));
	for (int k = 0; k < 4; k++)
		ck_assert_uint_eq(can[k], 0);
	OK(cuDeviceGetP2PAtomicCapabilities(can, operations, 4, 0, 1));
	ck_assert_uint_eq(can[0], 31);
	ck_assert_uint_eq(can[1], 2 | 8 | 16 | 32);
	ck_assert_uint_eq(can[2], 1 | 4 | 8 | 16 | 64);
	ck_assert_uint_eq(can[3], 0);
	FAILS(cuDeviceGetP2PAtomicCapabilities(can, operations, 4, 0, 0), INVALID_DEVICE);
	FAILS(cuDeviceGetHostAtomicCapabilities(can, operations, 4, 2), INVALID_DEVICE);
	FAILS(cuDeviceGetHostAtomicCapabilities(can, wrong, 2, 0), INVALID_VALUE);
	FAILS(cuDeviceGetHostAtomicCapabilities(can, operations, 0, 0), INVALID_VALUE);
	FAILS(cuDeviceGetHostAtomicCapabilities(NULL, operations, 1, 0), INVALID_VALUE);
}
END_TEST

START_TEST(what_an_array_or_a_library_has_not)
{
	static char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
	const struct cu_array_2d shape = {.width = 16, .height = 16, .format = 0x20, .channels = 1};
	struct cu_library *library;
	struct cu_array *array, *plane;
	u8 properties[64];
	void *function;

	begin();
	OK(cuArrayCreate_v2(&array, &shape));
	FAILS(cuArrayGetPlane(&plane, array, 0), INVALID_VALUE);
	FAILS(cuArrayGetPlane(&plane, (void *)properties, 0), INVALID_HANDLE);
	FAILS(cuArrayGetPlane(NULL, array, 0), INVALID_VALUE);
	FAILS(cuArrayGetSparseProperties(properties, array), INVALID_VALUE);
	FAILS(cuMipmappedArrayGetSparseProperties(properties, (void *)array), INVALID_HANDLE);
	OK(cuArrayDestroy(array));
	OK(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
	FAILS(cuLibraryGetUnifiedFunction(&function, library, "k"), NOT_FOUND);
	FAILS(cuLibraryGetUnifiedFunction(NULL, library, "k"), INVALID_VALUE);
	OK(cuLibraryUnload(library));
	FAILS(cuLibraryGetUnifiedFunction(&function, library, "k"), INVALID_HANDLE);
}
END_TEST

UNIT_TESTS("settings", 0)
{
	UNIT_TEST(calls_that_fail_are_logged);
	UNIT_TEST(logs_are_cut_where_there_is_no_room);
	UNIT_TEST(waiting_is_no_error);
	UNIT_TEST(coredumps_have_settings);
	UNIT_TEST(atomic_operations_of_links);
	UNIT_TEST(what_an_array_or_a_library_has_not);
}
