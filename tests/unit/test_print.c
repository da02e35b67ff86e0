/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernels print, beside what an H200's driver printed: every format in printf-formats.tsv (its head says what the
 * columns are), and failed assertions.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptxsim.h"
#include "main.h"

enum { BLOCK_BYTES = 64, TEXT_BYTES = 4096 };

static const char KERNELS[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
	".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
	".global .align 1 .b8 expression[16] = {120, 32, 60, 32, 37, 100, 0};\n"
	".global .align 1 .b8 file[8] = {97, 46, 99, 117, 0};\n"
	".global .align 1 .b8 function[8] = {102, 40, 41, 0};\n"
	".visible .entry print(.param .u64 format, .param .u64 block, .param .u64 result)\n"
	"{\n"
	"	.reg .b64 %a; .reg .b32 %r;\n"
	"	.param .b64 f, b; .param .b32 v;\n"
	"	ld.param.u64 %a, [format]; st.param.b64 [f], %a;\n"
	"	ld.param.u64 %a, [block]; st.param.b64 [b], %a;\n"
	"	call (v), vprintf, (f, b);\n"
	"	ld.param.b32 %r, [v]; ld.param.u64 %a, [result]; st.global.b32 [%a], %r;\n"
	"	ret;\n"
	"}\n"
	".visible .entry check(.param .u32 n)\n"
	"{\n"
	"	.reg .b64 %a; .reg .b32 %t, %n; .reg .pred %p;\n"
	"	.param .b64 e, f, g, s; .param .b32 l;\n"
	"	mov.u32 %t, %tid.x; ld.param.u32 %n, [n]; setp.lt.u32 %p, %t, %n;\n"
	"	@%p ret;\n"
	"	mov.u64 %a, expression; cvta.global.u64 %a, %a; st.param.b64 [e], %a;\n"
	"	mov.u64 %a, file; cvta.global.u64 %a, %a; st.param.b64 [f], %a;\n"
	"	st.param.b32 [l], 79;\n"
	"	mov.u64 %a, function; cvta.global.u64 %a, %a; st.param.b64 [g], %a;\n"
	"	st.param.b64 [s], 1;\n"
	"	call __assertfail, (e, f, l, g, s);\n"
	"	ret;\n"
	"}\n";

static char printed[TEXT_BYTES];
static size_t printed_length;

static void on_print(void *context, const char *text, size_t length)
{
	(void)context;
	ck_assert_uint_le(length, TEXT_BYTES - printed_length);
	memcpy(printed + printed_length, text, length);
	printed_length += length;
}

static ptxsim_context *built(void)
{
	ptxsim_context *c = ptxsim_context_create(NULL);
	ptxsim_module *m = ptxsim_module_create(c);

	ck_assert_int_eq(ptxsim_module_add_text(m, "print.ptx", KERNELS, strlen(KERNELS)), PTXSIM_OK);
	ck_assert_msg(ptxsim_module_build(m, NULL) == PTXSIM_OK, "%s", ptxsim_module_diagnostics(m));
	ptxsim_set_print(c, on_print, NULL);
	printed_length = 0;
	return c;
}

static ptxsim_status run(ptxsim_context *c, const char *kernel, const void *const *args, size_t count,
			 const uint32_t *shape)
{
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;

	l.args = args;
	l.arg_count = count;
	l.jobs = 1;
	memcpy(l.block, shape, sizeof l.block);
	return ptxsim_launch(c, ptxsim_find_function(ptxsim_get_module(c, 0), kernel), &l);
}

/* \\ \n \t \r \0 stand for one byte each. */
static size_t unescape(char *to, const char *from)
{
	static const char letters[] = "\\ntr0", bytes[] = "\\\n\t\r";
	size_t n = 0;

	for (; *from && *from != '\n'; from++) {
		const char *at = *from == '\\' ? strchr(letters, from[1]) : NULL;
		to[n++] = at ? bytes[at - letters] : *from;
		from += at != NULL;
	}
	to[n] = 0;
	return n;
}

struct guest {
	uint64_t format, block, result, hello;
};

static void check_line(ptxsim_context *c, const struct guest *g, char *line)
{
	static const uint32_t one[] = {1, 1, 1};
	const void *args[] = {&g->format, &g->block, &g->result};
	char *column[4], format[TEXT_BYTES], wanted[TEXT_BYTES];
	uint8_t block[BLOCK_BYTES] = {0};
	int32_t result;

	for (int k = 0; k < 4; k++)
		ck_assert_ptr_nonnull(column[k] = strsep(&line, "\t"));
	const size_t format_length = unescape(format, column[0]);
	if (*column[1] == 's')
		memcpy(block, &g->hello, 8);
	for (size_t k = 0; *column[1] != 's' && column[1][2 * k] && column[1][2 * k + 1]; k++)
		ck_assert_int_eq(sscanf(column[1] + 2 * k, "%2hhx", &block[k]), 1);
	ptxsim_write(c, g->format, format, format_length + 1);
	ptxsim_write(c, g->block, block, sizeof block);
	printed_length = 0;
	ck_assert_msg(run(c, "print", args, 3, one) == PTXSIM_OK, "%s: %s", format, ptxsim_message(c));
	ptxsim_read(c, &result, g->result, sizeof result);
	const size_t wanted_length = unescape(wanted, column[3]);
	ck_assert_msg(printed_length == wanted_length && !memcmp(printed, wanted, wanted_length),
		      "%s of %s: printed '%.*s', recorded '%s'", format, column[1], (int)printed_length, printed,
		      wanted);
	ck_assert_msg(result == atoi(column[2]), "%s: result %d, recorded %s", format, result, column[2]);
}

START_TEST(formats_as_the_driver_does)
{
	ptxsim_context *c = built();
	struct guest g;
	char line[TEXT_BYTES];
	FILE *f = fopen(UNIT_DIR "/printf-formats.tsv", "r");
	int lines = 0;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(ptxsim_alloc(c, TEXT_BYTES, &g.format), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_alloc(c, BLOCK_BYTES, &g.block), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_alloc(c, 4, &g.result), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_alloc(c, 6, &g.hello), PTXSIM_OK);
	ptxsim_write(c, g.hello, "hello", 6);
	while (fgets(line, sizeof line, f))
		if (*line != '#') {
			check_line(c, &g, line);
			lines++;
		}
	fclose(f);
	ck_assert_int_gt(lines, 4000);
	ptxsim_context_free(c);
}
END_TEST

/* Recorded: the words of an H200's driver, on standard error. */
START_TEST(assertions_as_the_driver_does)
{
	static const uint32_t shape[] = {4, 2, 1};
	static const char wanted[] = "a.cu:79: f(): block: [0,0,0], thread: [3,0,0] Assertion `x < %d` failed.\n"
				     "a.cu:79: f(): block: [0,0,0], thread: [3,1,0] Assertion `x < %d` failed.\n";
	ptxsim_context *c = built();
	uint32_t three = 3;
	const void *args[] = {&three};

	ck_assert_int_eq(run(c, "check", args, 1, shape), PTXSIM_ERROR_FAULT);
	printed[printed_length] = 0;
	ck_assert_str_eq(printed, wanted);
	ck_assert_ptr_nonnull(strstr(ptxsim_message(c), "a.cu:79: f(): assertion `x < %d' failed"));
	ptxsim_context_free(c);
}
END_TEST

UNIT_TESTS("print", 60)
{
	UNIT_TEST(formats_as_the_driver_does);
	UNIT_TEST(assertions_as_the_driver_does);
}
