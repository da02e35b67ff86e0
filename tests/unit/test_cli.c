/* SPDX-License-Identifier: Apache-2.0
 *
 * The launch language: elements, expressions, statements, .npy files. Each text is parsed as a
 * user would write it.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "script/npy.h"
#include "script/script.h"
#include "main.h"

struct fixture {
	struct arena arena;
	struct strings strings;
	struct sources sources;
	struct diags diags;
	struct script script;
};

static void open_fixture(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	arena_init(&f->arena, NULL);
	strings_init(&f->strings, &f->arena);
	f->sources.arena = &f->arena;
	diags_init(&f->diags, &f->arena, &f->sources);
	script_init(&f->script, &f->arena, &f->strings, &f->diags);
}

static void read_text(struct fixture *f, const char *text)
{
	script_read(&f->script, source_add(&f->sources, "test.ptx", text, strlen(text)), false);
}

/* The value of a constant expression; the first error's text if it has one. */
static struct number eval(const char *text, char *error, size_t size)
{
	struct fixture f;
	struct number n = number_int(0);

	open_fixture(&f);
	struct lex l = {.arena = &f.arena, .strings = &f.strings, .diags = &f.diags, .text = text};
	l.file = source_add(&f.sources, "expression", text, strlen(text));
	struct expr_scope scope = script_scope(&f.script);
	lex_start(&l, 0, (u32)strlen(text));
	*error = 0;
	if (!expr_constant(&l, &scope, &n))
		snprintf(error, size, "%s", f.diags.list.items[0].message);
	arena_free(&f.arena);
	return n;
}

static const struct {
	const char *text;
	s64 value;
} integers[] = {
	{"1 + 2 * 3", 7},
	{"(1 + 2) * 3", 9},
	{"10 - 2 - 3", 5},
	{"7 / 2", 3},
	{"-7 / 2", -3},
	{"-7 % 3", -1},
	{"1 << 4 | 1", 17},
	{"0xff ^ 0x0f", 0xf0},
	{"1 < 2 && 2 < 1 || 1", 1},
	{"2 > 1 ? 10 : 20", 10},
	{"0 ? 1 : 0 ? 2 : 3", 3},
	{"~0", -1},
	{"!3", 0},
	{"- - 4", 4},
	{"sum(k, 0, 5, k * k)", 30},
	{"sum(k, 0, 3, sum(j, 0, k, 10 * k + j))", 51},
	{"min(3, -4) + max(3, 4)", 0},
	{"popc(0xf0f)", 8},
	{"u8(300)", 44},
	{"s8(200)", -56},
	{"abs(-5)", 5},
	{"1 << 63 >> 63", -1},
	{"-1 >> 63", -1},
	{"9223372036854775807 + 1 < 0", 1},
	{"7 == 7.0", 1},
};

START_TEST(integer_expressions)
{
	char error[256];
	const struct number n = eval(integers[_i].text, error, sizeof error);

	ck_assert_str_eq(error, "");
	ck_assert_msg(!n.is_float, "%s", integers[_i].text);
	ck_assert_msg(n.i == integers[_i].value, "%s is %lld", integers[_i].text, (long long)n.i);
}
END_TEST

static const struct {
	const char *text;
	f64 value;
} floats[] = {
	{"7 / 2.0", 3.5},     {"1e3 - .5", 999.5}, {"sqrt(2.25)", 1.5},
	{"pow(2, 10)", 1024}, {"-2.5", -2.5},      {"f32(0.1) - 0.1", (f64)0.1f - 0.1},
	{"fma(2, 3, 4)", 10}, {"5.5 % 2", 1.5},    {"1 ? 2.0 : 3", 2},
};

START_TEST(float_expressions)
{
	char error[256];
	const struct number n = eval(floats[_i].text, error, sizeof error);

	ck_assert_str_eq(error, "");
	ck_assert_msg(n.is_float && n.f == floats[_i].value, "%s is %.17g", floats[_i].text, n.f);
}
END_TEST

static const struct {
	const char *text, *error;
} wrong[] = {
	{"1 +", "a number, name or '(' expected here"},
	{"(1", "')' expected here"},
	{"1 / 0", "division by zero"},
	{"1 << 64", "a shift by less than 0 or more than 63 bits"},
	{"-1 >> 70", "a shift by less than 0 or more than 63 bits"},
	{"1 << -1", "a shift by less than 0 or more than 63 bits"},
	{"x", "'x' is not known here"},
	{"f(1)", "there is no function 'f'"},
	{"min(1)", "'min' takes 2 arguments"},
	{"b[1]", "there is no buffer 'b'"},
	{"1.5 & 1", "the operator wants integers"},
	{"0x", "'0x' is not a number"},
	{"12abc", "'12abc' is not a number"},
	{"sum(1, 2, 3, 4)", "sum wants a variable: sum(k, low, high, term)"},
};

START_TEST(wrong_expressions)
{
	char error[256];

	eval(wrong[_i].text, error, sizeof error);
	ck_assert_str_eq(error, wrong[_i].error);
}
END_TEST

START_TEST(deep_expressions_are_refused)
{
	char text[4001], error[256];

	memset(text, '(', 4000);
	text[4000] = 0;
	eval(text, error, sizeof error);
	ck_assert_str_eq(error, "the expression is nested too deeply");
	memset(text, '-', 4000);
	eval(text, error, sizeof error);
	ck_assert_str_eq(error, "the expression is nested too deeply");
}
END_TEST

START_TEST(statements)
{
	struct fixture f;

	open_fixture(&f);
	read_text(&f, "//@ let n = 4 * 8\n"
		      "  //@ buffer a f32[n] iota 1 0.5\n"
		      "//@ buffer t u8[n, 2] = i * 2 + j\n"
		      "mov.u32 %r1, 0; //@ launch not_this()\n"
		      "//@ launch k(a, t + 4, n, f32:1.5, {u32:1, a}, x=s16[3] values 1 -2 3) grid=n,2 "
		      "block=64 shared=16\n"
		      "//@ expect a[i] = 2 * a[i] where i < 3 tol=1e-3\n"
		      "//@ expect t[y,x] = 0\n"
		      "//@ expect x[0:3] = 1 -2 3\n"
		      "//@ save a out.npy\n");
	ck_assert_uint_eq(f.diags.error_count, 0);
	ck_assert_uint_eq(f.script.statements.count, 8);
	const struct script_statement *launch = &f.script.statements.items[3];
	ck_assert_int_eq(launch->kind, SCRIPT_LAUNCH);
	ck_assert_str_eq(launch->launch.kernel, "k");
	ck_assert_uint_eq(launch->launch.grid[0], 32);
	ck_assert_uint_eq(launch->launch.grid[1], 2);
	ck_assert_uint_eq(launch->launch.grid[2], 1);
	ck_assert_uint_eq(launch->launch.shared_bytes, 16);
	ck_assert_uint_eq(launch->launch.args.count, 6);
	ck_assert_int_eq(launch->launch.args.items[1].kind, SCRIPT_ARG_BUFFER);
	ck_assert_ptr_nonnull(launch->launch.args.items[1].value);
	ck_assert(launch->launch.args.items[3].typed);
	ck_assert_uint_eq(launch->launch.args.items[4].members.count, 2);
	const struct buffer *x = script_find_buffer(&f.script, "x");
	ck_assert_ptr_nonnull(x);
	ck_assert_uint_eq(x->fill.item_count, 3);
	ck_assert_uint_eq(script_find_buffer(&f.script, "t")->count, 64);
	ck_assert_double_eq(f.script.statements.items[4].expect.tolerance, 1e-3);
	ck_assert_uint_eq(f.script.statements.items[5].expect.index_count, 2);
	arena_free(&f.arena);
}
END_TEST

static const struct {
	const char *text, *error;
} bad_statements[] = {
	{"//@ lunch k()\n",
	 "no such statement: let, arch, buffer, alloc, variable, fill, free, read, bind, launch, expect or save"},
	{"//@ buffer a f33[4]\n",
	 "an element type expected (u8 to u64, s8 to s64, b8 to b64, f16, bf16, f32, f64), or load FILE.npy"},
	{"//@ buffer a f32[4\n", "']' expected here"},
	{"//@ buffer a f32[-4]\n", "a whole number from 0 to 1099511627776 expected before this"},
	{"//@ buffer a f32[4] const 1 2\n", "the line should end here"},
	{"//@ buffer a f32[2] values 1 2 3\n", "3 values for 2 elements"},
	{"//@ buffer a f32[1099511627776,1099511627776]\n", "the buffer is too large"},
	{"//@ launch k(1 grid=1\n", "')' expected here"},
	{"//@ launch k() grid=0\n", "a whole number from 1 to 4294967295 expected before this"},
	{"//@ expect b[i] = 1\n", "a buffer's name, 'count', 'fault' or 'print' expected after 'expect'"},
	{"//@ buffer a f32[4]\n//@ buffer a f32[4]\n", "there is a buffer 'a' already"},
	{"//@ buffer a f32[4]\n//@ expect a[2:9] = 1\n", "the range goes outside the buffer's 4 elements"},
	{"//@ buffer a f32[4]\n//@ expect a[i,j] = 1\n", "'a' has 1 dimension"},
	{"//@ expect print hello\n", "a text in quotes expected here"},
	{"//@ expect fault \"open\n", "the string has no closing quote"},
};

START_TEST(wrong_statements)
{
	struct fixture f;

	open_fixture(&f);
	read_text(&f, bad_statements[_i].text);
	ck_assert_uint_eq(f.diags.error_count, 1);
	ck_assert_str_eq(f.diags.list.items[0].message, bad_statements[_i].error);
	arena_free(&f.arena);
}
END_TEST

START_TEST(elements_survive_printing)
{
	static const struct {
		enum element_type type;
		u64 bits;
		const char *text;
	} cases[] = {
		{ELEMENT_f32, 0x3dcccccd, "0.1"},
		{ELEMENT_f32, 0xff800000, "-inf"},
		{ELEMENT_f32, 0x7fc00000, "nan"},
		{ELEMENT_f32, 0x00000001, "1e-45"},
		{ELEMENT_f64, 0x3fb999999999999a, "0.1"},
		{ELEMENT_f16, 0x3c00, "1"},
		{ELEMENT_bf16, 0x3f80, "1"},
		{ELEMENT_s8, 0x80, "-128"},
		{ELEMENT_u64, UINT64_MAX, "18446744073709551615"},
		{ELEMENT_b16, 0xab, "0x00ab"},
	};
	char text[64];
	u8 bytes[8];

	for (size_t k = 0; k < COUNT_OF(cases); k++) {
		memcpy(bytes, &cases[k].bits, 8);
		element_print(cases[k].type, bytes, text, sizeof text);
		ck_assert_str_eq(text, cases[k].text);
	}
}
END_TEST

START_TEST(distances)
{
	const f32 one = 1, next = nextafterf(1, 2), minus = -0.0f, plus = 0.0f, nan = NAN;
	const s32 low = INT32_MIN, high = INT32_MAX;

	ck_assert_uint_eq(element_distance(ELEMENT_f32, (const u8 *)&one, (const u8 *)&next), 1);
	ck_assert_uint_eq(element_distance(ELEMENT_f32, (const u8 *)&minus, (const u8 *)&plus), 0);
	ck_assert_uint_eq(element_distance(ELEMENT_f32, (const u8 *)&nan, (const u8 *)&one), UINT64_MAX);
	ck_assert_uint_eq(element_distance(ELEMENT_f32, (const u8 *)&nan, (const u8 *)&nan), 0);
	ck_assert_uint_eq(element_distance(ELEMENT_s32, (const u8 *)&low, (const u8 *)&high), UINT32_MAX);
}
END_TEST

START_TEST(npy_round_trip)
{
	const f32 data[6] = {1, 2, 3, 4, 5, 6};
	const u64 dims[] = {2, 3};
	char *bytes = NULL;
	size_t size = 0;
	struct npy array;
	FILE *f = open_memstream(&bytes, &size);

	ck_assert(npy_write(f, ELEMENT_f32, 2, dims, (const u8 *)data));
	fclose(f);
	ck_assert_uint_eq(size, 64 * 2 + sizeof data);
	ck_assert_ptr_null(npy_parse((const u8 *)bytes, size, &array));
	ck_assert_int_eq(array.type, ELEMENT_f32);
	ck_assert_uint_eq(array.rank, 2);
	ck_assert_uint_eq(array.dims[1], 3);
	ck_assert_mem_eq(array.data, data, sizeof data);
	for (size_t cut = 0; cut < size; cut++)
		ck_assert_ptr_nonnull(npy_parse((const u8 *)bytes, cut, &array));
	free(bytes);
}
END_TEST

UNIT_TESTS("cli", 0)
{
	tcase_add_loop_test(unit, integer_expressions, 0, COUNT_OF(integers));
	tcase_add_loop_test(unit, float_expressions, 0, COUNT_OF(floats));
	tcase_add_loop_test(unit, wrong_expressions, 0, COUNT_OF(wrong));
	UNIT_TEST(deep_expressions_are_refused);
	UNIT_TEST(statements);
	tcase_add_loop_test(unit, wrong_statements, 0, COUNT_OF(bad_statements));
	UNIT_TEST(elements_survive_printing);
	UNIT_TEST(distances);
	UNIT_TEST(npy_round_trip);
}
