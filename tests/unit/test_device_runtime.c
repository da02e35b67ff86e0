/* SPDX-License-Identifier: Apache-2.0
 *
 * The run time that kernels call: what CUDA's device library makes of cudaMalloc, cudaMemcpyAsync, cudaDeviceGetAttribute and
 * their like in device code. One thread asks; out[] holds what it was told, out2 what copies and fills left.
 */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_fixture.h"
#include "main.h"

enum { ARGUMENTS = 8, STATUS_BYTE = 512, BYTES = 1024 };

/* A call: types of its parameters ("dw": 64 bits, then 32), and the values; "out+N" and "loc+N" are addresses there. */
static const struct call {
	const char *name, *types, *values[ARGUMENTS];
	uint32_t status;
} calls[] = {
	{"GetDeviceCount", "d", {"out+0"}, 0},
	{"GetDevice", "d", {"out+4"}, 0},
	{"DeviceGetAttribute", "dww", {"out+8", "39", "0"}, 0}, /* threads of a multiprocessor */
	{"DeviceGetAttribute", "dww", {"out+12", "9999", "0"}, 1},
	{"RuntimeGetVersion", "d", {"out+16"}, 0},
	{"DeviceGetCacheConfig", "d", {"out+20"}, 0},
	{"StreamCreateWithFlags", "dw", {"out+24", "0"}, 0},
	{"EventCreateWithFlags", "dw", {"out+32", "0"}, 0},
	{"EventRecord", "dd", {"0", "0"}, 0},
	{"PeekAtLastError", "", {NULL}, 1}, /* of the attribute that is not there */
	{"GetLastError", "", {NULL}, 1},
	{"GetLastError", "", {NULL}, 0},
	{"GetDeviceCount", "d", {"loc+0"}, 0},
	{"GetDeviceCount", "d", {"0"}, 1},
	{"DeviceGetLimit", "dw", {"out+256", "0"}, 0}, /* the stack's */
	{"DeviceGetLimit", "dw", {"out+264", "4"}, 0}, /* launches pending */
	{"DeviceGetLimit", "dw", {"out+272", "3"}, 215},
	{"FuncGetAttributes", "dd", {"out+280", "4"}, 98}, /* not a kernel */
	{"OccupancyMaxActiveBlocksPerMultiprocessor", "ddwd", {"out+280", "4", "32", "0"}, 98},
	{"Malloc", "dd", {"out+40", "64"}, 0},
	{"Malloc", "dd", {"out+48", "0x10000000000"}, 2},
	{"Free", "d", {"0"}, 0},
	{"Free", "d", {"out+40"}, 1}, /* not of the heap */
	{"MemsetAsync", "dwdd", {"out+128", "0x5a", "16", "0"}, 0},
	{"Memset2DAsync", "ddwddd", {"out+160", "16", "0x11", "4", "2", "0"}, 0},
	{"MemcpyAsync", "dddwd", {"out+192", "out+0", "4", "3", "0"}, 0},
	{"Memcpy2DAsync", "ddddddwd", {"out+224", "8", "out+0", "4", "4", "2", "3", "0"}, 0},
};

static size_t add(char *text, size_t used, const char *format, const char *a, const char *b)
{
	return used + (size_t)sprintf(text + used, format, a, b);
}

/* One block of instructions for the call, with its status stored. */
static size_t add_call(char *text, size_t used, const struct call *c, size_t number)
{
	char name[32];

	used = add(text, used, "	{ .param .b32 r;\n", "", "");
	for (size_t k = 0; c->types[k]; k++) {
		const char *value = c->values[k], *type = c->types[k] == 'd' ? "b64" : "b32";
		const bool is_address = !strncmp(value, "out+", 4) || !strncmp(value, "loc+", 4);
		sprintf(name, "p%zu", k);
		used = add(text, used, "	.param .%s %s;\n", type, name);
		if (is_address)
			used = add(text, used, "	add.s64 %%a, %s, %s;\n", *value == 'o' ? "%out" : "%loc",
				   value + 4);
		used = add(text, used, is_address ? "	st.param.b64 [%s], %%a;\n" : "", name, "");
		if (!is_address)
			used += (size_t)sprintf(text + used, "	st.param.%s [%s], %s;\n", type, name, value);
	}
	used = add(text, used, "	call.uni (r), __cudaCDP2%s, (", c->name, "");
	for (size_t k = 0; c->types[k]; k++) {
		sprintf(name, "%sp%zu", k ? ", " : "", k);
		used = add(text, used, "%s", name, "");
	}
	used += (size_t)sprintf(text + used, ");\n	ld.param.b32 %%r, [r]; st.global.u32 [%%out+%zu], %%r; }\n",
				STATUS_BYTE + 4 * number);
	return used;
}

static char *make_kernel(void)
{
	char *text = malloc(1 << 16);
	size_t used = add(text, 0, ".version 8.0\n.target sm_90\n.address_size 64\n", "", "");

	for (size_t n = 0; n < sizeof calls / sizeof *calls; n++) {
		size_t before = 0;
		while (before < n && strcmp(calls[before].name, calls[n].name))
			before++;
		if (before < n)
			continue;
		used = add(text, used, ".extern .func (.param .b32 r) __cudaCDP2%s(", calls[n].name, "");
		for (size_t k = 0; calls[n].types[k]; k++) {
			const char name[] = {(char)('a' + k), 0};
			used += (size_t)sprintf(text + used, "%s.param .%s %s", k ? ", " : "",
						calls[n].types[k] == 'd' ? "b64" : "b32", name);
		}
		used = add(text, used, ");\n", "", "");
	}
	used = add(text, used,
		   ".visible .entry ask(.param .u64 o)\n{\n	.local .align 8 .b8 l[16];\n	.reg .b32 %%r;\n"
		   "	.reg .b64 %%out, %%loc, %%a;\n	ld.param.u64 %%out, [o];\n	mov.u64 %%loc, l;\n"
		   "	cvta.local.u64 %%loc, %%loc;\n",
		   "", "");
	for (size_t n = 0; n < sizeof calls / sizeof *calls; n++)
		used = add_call(text, used, &calls[n], n);
	add(text, used, "	ld.local.u32 %%r, [l]; st.global.u32 [%%out+60], %%r; ret;\n}\n", "", "");
	return text;
}

static void run_kernel(const struct fixture *f, const char *kernel, uint32_t threads)
{
	const void *args[] = {&f->out};
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;

	l.args = args;
	l.arg_count = 1;
	l.block[0] = threads;
	ck_assert_msg(ptxsim_launch(f->context, ptxsim_find_function(f->module, kernel), &l) == PTXSIM_OK, "%s",
		      ptxsim_message(f->context));
}

static void check_answers(const struct fixture *f, uint32_t sm_threads)
{
	uint8_t got[BYTES];
	uint32_t words[BYTES / 4];
	uint64_t handle[2];

	run_kernel(f, "ask", 1);
	ck_assert_int_eq(ptxsim_read(f->context, got, f->out, sizeof got), PTXSIM_OK);
	memcpy(words, got, sizeof words);
	for (size_t n = 0; n < sizeof calls / sizeof *calls; n++)
		ck_assert_msg(words[STATUS_BYTE / 4 + n] == calls[n].status, "call %zu, %s: status %u", n,
			      calls[n].name, words[STATUS_BYTE / 4 + n]);
	ck_assert_uint_eq(words[0], 1);
	ck_assert_uint_eq(words[1], 0);
	ck_assert_uint_eq(words[2], sm_threads);
	ck_assert_uint_eq(words[4], 13000);
	ck_assert_uint_eq(words[15], 1); /* by way of local memory */
	memcpy(handle, got + 24, sizeof handle);
	ck_assert_uint_ne(handle[0], handle[1]);
	for (size_t k = 0; k < 16; k++)
		ck_assert_uint_eq(got[128 + k], 0x5a);
	ck_assert_uint_eq(words[40], 0x11111111);
	ck_assert_uint_eq(words[41], 0);
	ck_assert_uint_eq(words[44], 0x11111111);
	ck_assert_uint_eq(words[48], 1);
	ck_assert_uint_eq(words[56], 1);
	ck_assert_uint_eq(words[58], 0);
}

START_TEST(calls_answer_as_on_the_host)
{
	char *text = make_kernel();
	struct fixture f = open_fixture_on("h200", "ask.ptx", text, BYTES);

	check_answers(&f, 2048);
	ptxsim_context_free(f.context);
	free(text);
}
END_TEST

/* A file of tests/sass/images for its own target. */
static struct fixture open_image(const char *name, const char *device)
{
	struct fixture f = {.context = ptxsim_context_create(ptxsim_device_find(device))};
	char path[1024];

	snprintf(path, sizeof path, "%s/tests/sass/images/%s", getenv("srcdir") ? getenv("srcdir") : ".", name);
	f.module = ptxsim_module_create(f.context);
	ck_assert_int_eq(ptxsim_module_add_file(f.module, path), PTXSIM_OK);
	ck_assert_msg(ptxsim_module_build(f.module, NULL) == PTXSIM_OK, "%s", ptxsim_module_diagnostics(f.module));
	ck_assert_int_eq(ptxsim_alloc(f.context, BYTES, &f.out), PTXSIM_OK);
	return f;
}

/* The kernel above as machine code: arguments lie in registers and on the stack. ptxas -c -arch=sm_XX ask.ptx */
START_TEST(machine_code_asks_alike)
{
	static const struct {
		const char *name, *device;
		uint32_t sm_threads;
	} images[] = {{"ask.sm_75.cubin", "t4", 1024},
		      {"ask.sm_90.cubin", "h200", 2048},
		      {"ask.sm_120.cubin", "sm_120", 1536}};

	for (size_t k = 0; k < sizeof images / sizeof *images; k++) {
		struct fixture f = open_image(images[k].name, images[k].device);
		check_answers(&f, images[k].sm_threads);
		ptxsim_context_free(f.context);
	}
}
END_TEST

/* images/launches.cu: nvcc -rdc=true. Kernels that machine code launches leave what those of the PTX leave, and that is
 * what its text says: lane i of two blocks adds 3 i + 6, sixteen lanes add 100 + i, and so on. */
START_TEST(machine_code_launches_kernels)
{
	static const char *const images[][2] = {{"launches.ptx", "t4"},
						{"launches.sm_75.cubin", "t4"},
						{"launches.sm_90.cubin", "h200"},
						{"launches.sm_120.cubin", "sm_120"}};
	static const int32_t texts[] = {1, 2, 3, 4, 5};
	int32_t words[BYTES / 4];

	for (size_t k = 0; k < sizeof images / sizeof *images; k++) {
		struct fixture f = open_image(images[k][0], images[k][1]);
		const int32_t zeros[BYTES / 4] = {0};
		ck_assert_int_eq(ptxsim_write(f.context, f.out, zeros, sizeof zeros), PTXSIM_OK);
		run_kernel(&f, "parent", 64);
		ck_assert_int_eq(ptxsim_read(f.context, words, f.out, sizeof words), PTXSIM_OK);
		for (int32_t i = 0; i < 32; i++)
			ck_assert_int_eq(words[i], 2 * (3 * i + 6) + (i < 16 ? 100 + i : 0) + (i ? 0 : 1000) +
							   texts[i % 5] + 7 + 'c' - 3 + 9);
		for (int32_t i = 0; i < 6; i++)
			ck_assert_int_eq(words[32 + i], i + 1);
		ck_assert_int_eq(words[60], 9); /* cudaErrorInvalidConfiguration */
		ptxsim_context_free(f.context);
	}
}
END_TEST

/* What takes structures, texts and kernels: one thread copies and fills boxes of 2 x 2 x 2 bytes, asks about the kernel
 * itself, and stores the first bytes of an error's name and text. */
static const char rest[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".extern .func (.param .b32 r) __cudaCDP2Memcpy3DAsync(.param .b64 a, .param .b64 b);\n"
	".extern .func (.param .b32 r) __cudaCDP2Memset3DAsync(.param .align 8 .b8 a[32], .param .b32 b,"
	" .param .align 8 .b8 c[24], .param .b64 d);\n"
	".extern .func (.param .b32 r) __cudaCDP2FuncGetAttributes(.param .b64 a, .param .b64 b);\n"
	".extern .func (.param .b32 r) __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor(.param .b64 a, .param .b64 "
	"b,"
	" .param .b32 c, .param .b64 d);\n"
	".extern .func (.param .b64 r) __cudaCDP2GetErrorName(.param .b32 a);\n"
	".extern .func (.param .b64 r) __cudaCDP2GetErrorString(.param .b32 a);\n"
	".visible .entry ask(.param .u64 o) .maxntid 256\n{\n	.local .align 8 .b8 l[160];\n	.shared .b8 s[64];\n"
	"	.reg .b32 %r;\n	.reg .b64 %o, %l, %a, %t;\n	ld.param.u64 %o, [o];\n	mov.u64 %l, l;\n"
	/* from out+0: pitch 4, 3 rows to a slice; to out+64: pitch 2, 2 rows */
	"	st.local.u64 [l], 0; st.local.u64 [l+8], 1; st.local.u64 [l+16], 1; st.local.u64 [l+24], 0;\n"
	"	st.local.u64 [l+32], %o; st.local.u64 [l+40], 4; st.local.u64 [l+48], 4; st.local.u64 [l+56], 3;\n"
	"	st.local.u64 [l+64], 0; st.local.u64 [l+72], 0; st.local.u64 [l+80], 0; st.local.u64 [l+88], 0;\n"
	"	add.s64 %a, %o, 64; st.local.u64 [l+96], %a; st.local.u64 [l+104], 2; st.local.u64 [l+112], 2;\n"
	"	st.local.u64 [l+120], 2; st.local.u64 [l+128], 2; st.local.u64 [l+136], 2; st.local.u64 [l+144], 2;\n"
	"	cvta.local.u64 %t, %l;\n"
	"	{ .param .b32 r; .param .b64 p, q; st.param.b64 [p], %t; st.param.b64 [q], 0;\n"
	"	call.uni (r), __cudaCDP2Memcpy3DAsync, (p, q); ld.param.b32 %r, [r]; st.global.u32 [%o+256], %r; }\n"
	"	add.s64 %a, %o, 96;\n"
	"	{ .param .b32 r; .param .align 8 .b8 p[32]; .param .b32 v; .param .align 8 .b8 e[24]; .param .b64 q;\n"
	"	st.param.b64 [p], %a; st.param.b64 [p+8], 4; st.param.b64 [p+16], 4; st.param.b64 [p+24], 2;\n"
	"	st.param.b32 [v], 0x5a; st.param.b64 [e], 2; st.param.b64 [e+8], 2; st.param.b64 [e+16], 2;\n"
	"	st.param.b64 [q], 0;\n"
	"	call.uni (r), __cudaCDP2Memset3DAsync, (p, v, e, q); ld.param.b32 %r, [r]; st.global.u32 [%o+260], %r; "
	"}\n"
	"	mov.u64 %t, ask; add.s64 %a, %o, 320;\n"
	"	{ .param .b32 r; .param .b64 p, q; st.param.b64 [p], %a; st.param.b64 [q], %t;\n"
	"	call.uni (r), __cudaCDP2FuncGetAttributes, (p, q); ld.param.b32 %r, [r]; st.global.u32 [%o+264], %r; "
	"}\n"
	"	add.s64 %a, %o, 280;\n"
	"	{ .param .b32 r, n; .param .b64 p, q, d; st.param.b64 [p], %a; st.param.b64 [q], %t; st.param.b32 [n], "
	"256;\n"
	"	st.param.b64 [d], 0; call.uni (r), __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor, (p, q, n, d);\n"
	"	ld.param.b32 %r, [r]; st.global.u32 [%o+268], %r; }\n"
	"	{ .param .b64 r; .param .b32 n; st.param.b32 [n], 9;\n"
	"	call.uni (r), __cudaCDP2GetErrorName, (n); ld.param.b64 %a, [r]; }\n"
	"	ld.u64 %a, [%a]; st.global.u64 [%o+288], %a;\n"
	"	{ .param .b64 r; .param .b32 n; st.param.b32 [n], 12345;\n"
	"	call.uni (r), __cudaCDP2GetErrorString, (n); ld.param.b64 %a, [r]; }\n"
	"	ld.u64 %a, [%a]; st.global.u64 [%o+296], %a; st.shared.u8 [s], 0; ret;\n}\n";

START_TEST(boxes_texts_and_kernels)
{
	struct fixture f = open_fixture_on("h200", "ask.ptx", rest, BYTES);
	const void *args[] = {&f.out};
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	static const uint8_t copied[] = {5, 6, 9, 10, 17, 18, 21, 22};
	static const uint8_t filled[] = {0x5a, 0x5a, 0, 0, 0x5a, 0x5a, 0, 0, 0x5a, 0x5a, 0, 0, 0x5a, 0x5a, 0, 0};
	uint8_t bytes[BYTES] = {0};
	uint32_t words[BYTES / 4];

	for (uint8_t k = 0; k < 24; k++)
		bytes[k] = k;
	ck_assert_int_eq(ptxsim_write(f.context, f.out, bytes, sizeof bytes), PTXSIM_OK);
	l.args = args;
	l.arg_count = 1;
	ck_assert_msg(ptxsim_launch(f.context, ptxsim_find_function(f.module, "ask"), &l) == PTXSIM_OK, "%s",
		      ptxsim_message(f.context));
	ck_assert_int_eq(ptxsim_read(f.context, bytes, f.out, sizeof bytes), PTXSIM_OK);
	memcpy(words, bytes, sizeof words);
	for (size_t k = 64; k < 68; k++)
		ck_assert_uint_eq(words[k], 0);
	ck_assert_mem_eq(bytes + 64, copied, sizeof copied);
	ck_assert_mem_eq(bytes + 96, filled, sizeof filled);
	ck_assert_uint_eq(words[80], 64);  /* static shared memory */
	ck_assert_uint_eq(words[86], 256); /* threads of a block */
	ck_assert_uint_eq(words[88], 90);  /* its target */
	ck_assert_uint_eq(words[70], 8);   /* blocks of 256 threads on a multiprocessor of 2048 */
	ck_assert_mem_eq(bytes + 288, "cudaErro", 8);
	ck_assert_mem_eq(bytes + 296, "unrecogn", 8);
	ptxsim_context_free(f.context);
}
END_TEST

/* A result that would lie behind the thread's local memory, or in what another part of its word takes. */
START_TEST(pointers_are_checked)
{
	static const char *const wrong[] = {"0x7ffff000", "0x10000", "1"};
	static const char form[] =
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".extern .func (.param .b32 r) __cudaCDP2GetDeviceCount(.param .b64 a);\n"
		".visible .entry ask(.param .u64 o)\n{\n	.local .align 8 .b8 l[16];\n	.reg .b64 %%l;\n"
		"	mov.u64 %%l, l;\n	cvta.local.u64 %%l, %%l; add.s64 %%l, %%l, %s;\n"
		"	{ .param .b32 r; .param .b64 p; st.param.b64 [p], %%l;\n"
		"	call.uni (r), __cudaCDP2GetDeviceCount, (p); }\n	ret;\n}\n";
	char text[sizeof form + 32];

	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		snprintf(text, sizeof text, form, wrong[k]);
		struct fixture f = open_fixture_on("h200", "ask.ptx", text, BYTES);
		const void *args[] = {&f.out};
		struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
		l.args = args;
		l.arg_count = 1;
		ck_assert_int_eq(ptxsim_launch(f.context, ptxsim_find_function(f.module, "ask"), &l),
				 PTXSIM_ERROR_FAULT);
		ck_assert_msg(strstr(ptxsim_message(f.context), "__cudaCDP2GetDeviceCount stores its result at") !=
				      NULL,
			      "%s", ptxsim_message(f.context));
		ptxsim_context_free(f.context);
	}
}
END_TEST

UNIT_TESTS("device_runtime", 0)
{
	UNIT_TEST(pointers_are_checked);
	UNIT_TEST(boxes_texts_and_kernels);
	UNIT_TEST(calls_answer_as_on_the_host);
	UNIT_TEST(machine_code_asks_alike);
	UNIT_TEST(machine_code_launches_kernels);
}
