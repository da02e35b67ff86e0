/* SPDX-License-Identifier: Apache-2.0
 *
 * Linking modules: who wins, what is told, what the run time is asked for.
 */
#include <check.h>
#include <string.h>

#include "grammar/read.h"
#include "ir/link.h"
#include "main.h"

enum { MODULES = 3 };

struct linked {
	struct arena arena;
	struct sources sources;
	struct strings strings;
	struct diags diags;
	struct ir_module *modules[MODULES];
	struct ir_link link;
};

static bool is_supplied(const char *name) { return !strcmp(name, "vprintf"); }

static void link_texts(struct linked *l, const char *a, const char *b, const char *c)
{
	const char *const texts[MODULES] = {a, b, c};
	char text[2000];

	memset(l, 0, sizeof *l);
	arena_init(&l->arena, NULL);
	l->sources.arena = &l->arena;
	strings_init(&l->strings, &l->arena);
	diags_init(&l->diags, &l->arena, &l->sources);
	for (u32 i = 0; i < MODULES; i++) {
		const int length =
			snprintf(text, sizeof text, ".version 9.0 .target sm_90 .address_size 64 %s", texts[i]);
		l->modules[i] =
			ptx_read(&l->arena, &l->strings, &l->diags, source_add(&l->sources, "m", text, (size_t)length));
	}
	ck_assert_uint_eq(l->diags.error_count, 0);
	ir_link(&l->arena, l->modules, MODULES, is_supplied, &l->diags, &l->link);
}

static const struct ir_function *function(struct linked *l, u32 module, const char *name)
{
	return ir_find_function(l->modules[module], strings_intern_text(&l->strings, name));
}

static const char *message(const struct linked *l, size_t i)
{
	ck_assert_uint_lt(i, l->diags.list.count);
	return l->diags.list.items[i].message;
}

START_TEST(externs_find_definitions)
{
	struct linked l;

	link_texts(&l,
		   ".extern .func f(.param .b32 a); .extern .global .b32 x[]; .entry k() { .param .b32 p; "
		   "call f, (p); ret; }",
		   ".visible .func f(.param .b32 a) { ret; } .visible .global .b32 x[4] = {1};",
		   ".func f(.param .b32 a) { exit; } .extern .shared .b8 s[]; .entry j() { .reg .b64 d; "
		   "mov.u64 d, s; ret; }");
	ck_assert_uint_eq(l.diags.error_count, 0);
	ck_assert_ptr_eq(ir_definition(function(&l, 0, "f")), function(&l, 1, "f"));
	ck_assert_ptr_eq(ir_definition(function(&l, 2, "f")), function(&l, 2, "f"));
	ck_assert_ptr_eq(ir_storage(l.modules[0]->variables.items[0]), l.modules[1]->variables.items[0]);
	ck_assert_ptr_eq(ir_link_find(l.modules, MODULES, strings_intern_text(&l.strings, "j")), function(&l, 2, "j"));
	arena_free(&l.arena);
}
END_TEST

START_TEST(visible_wins_over_weak)
{
	struct linked l;

	link_texts(&l, ".weak .func f { ret; } .common .global .b32 c[2]; .weak .global .b32 w = 1;",
		   ".visible .func f { exit; } .common .global .b32 c[4]; .weak .global .b32 w = 2;",
		   ".weak .func f { ret; }");
	ck_assert_uint_eq(l.diags.error_count, 0);
	for (u32 i = 0; i < MODULES; i++)
		ck_assert_ptr_eq(ir_definition(function(&l, i, "f")), function(&l, 1, "f"));
	ck_assert_uint_eq(ir_storage(l.modules[0]->variables.items[0])->size, 16);
	ck_assert_ptr_eq(ir_storage(l.modules[1]->variables.items[1]), l.modules[0]->variables.items[1]);
	arena_free(&l.arena);
}
END_TEST

START_TEST(faults_are_told)
{
	struct linked l;

	link_texts(&l,
		   ".visible .func f { ret; } .extern .func g; .extern .func unused; .func h { call g; call "
		   "g; ret; }",
		   ".visible .func f { ret; }",
		   ".extern .func f(.param .b32 a); .extern .global .b32 v; .extern .func (.param .b32 s) "
		   "vprintf(.param .b64 a, .param .b64 b);\n"
		   ".func i { .reg .b64 d; .param .b32 s; .param .b64 a; mov.u64 d, v; call (s), vprintf, "
		   "(a, a); ret; }");
	ck_assert_uint_eq(l.diags.error_count, 4);
	ck_assert_str_eq(message(&l, 0), "'f' is defined in two modules");
	ck_assert_str_eq(message(&l, 2), "'f' differs from its definition in another module");
	ck_assert_str_eq(message(&l, 4), "function 'g' is declared but defined in no module");
	ck_assert_str_eq(message(&l, 6), "variable 'v' is declared but defined in no module");
	ck_assert_uint_eq(l.link.externals.count, 1);
	ck_assert_str_eq(l.link.externals.items[0], "vprintf");
	arena_free(&l.arena);
}
END_TEST

UNIT_TESTS("ir_link", 0)
{
	UNIT_TEST(externs_find_definitions);
	UNIT_TEST(visible_wins_over_weak);
	UNIT_TEST(faults_are_told);
}
