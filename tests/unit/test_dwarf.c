/* SPDX-License-Identifier: Apache-2.0
 *
 * What is read from the debug sections of tests/debug/locals.ptx, of other texts by nvcc -G, and of damaged ones.
 */
#include <check.h>
#include <string.h>

#include "api/session.h"
#include "dwarf/dwarf.h"
#include "main.h"

struct fixture {
	struct session session;
	const struct ir_module *module;
	const struct dwarf *dwarf;
};

static void open_file(struct fixture *f, const char *path)
{
	const char *message = NULL;

	ck_assert(session_open(&f->session));
	ck_assert_int_eq(SESSION_ENTER(&f->session), 0);
	ck_assert_msg(session_add_file(&f->session, path, &message), "%s: %s", path, message);
	ck_assert_uint_eq(f->session.diags.error_count, 0);
	f->module = f->session.modules.items[0];
	f->dwarf = dwarf_read(&f->session.arena, f->module);
}

static const struct dwarf_function *function(struct fixture *f, const char *name)
{
	const struct ir_function *code = ir_find_function(f->module, strings_intern_text(&f->session.strings, name));

	ck_assert_ptr_nonnull(code);
	const struct dwarf_function *found = dwarf_function(f->dwarf, code);
	ck_assert_msg(found != NULL, "nothing is said of %s", name);
	return found;
}

static const struct dwarf_variable *variable(const struct dwarf_scope *s, const char *name)
{
	for (size_t k = 0; k < s->variables.count; k++)
		if (!strcmp(s->variables.items[k]->name, name))
			return s->variables.items[k];
	for (size_t k = 0; k < s->inner.count; k++) {
		const struct dwarf_variable *v = variable(s->inner.items[k], name);
		if (v)
			return v;
	}
	return NULL;
}

static void check_type(struct fixture *f, const struct dwarf_function *in, const char *name, const char *type, u64 size)
{
	const struct dwarf_variable *v = variable(in->scope, name);

	ck_assert_msg(v != NULL, "there is no %s", name);
	ck_assert_str_eq(dwarf_type_name(&f->session.arena, v->type, name), type);
	ck_assert_uint_eq(v->type->size, size);
}

START_TEST(types_are_those_of_the_source)
{
	struct fixture f;

	open_file(&f, LOCALS);
	ck_assert_ptr_nonnull(f.dwarf);
	ck_assert_ptr_null(dwarf_problem(f.dwarf));
	const struct dwarf_function *fall = function(&f, "_Z4fallP4BodyPfid");
	ck_assert_str_eq(fall->name, "fall");
	check_type(&f, fall, "bodies", "Body *bodies", 8);
	check_type(&f, fall, "n", "int n", 4);
	check_type(&f, fall, "step", "double step", 8);
	check_type(&f, fall, "mine", "Body mine", 20);
	check_type(&f, fall, "samples", "float samples[4]", 16);
	check_type(&f, fall, "kind", "Kind kind", 4);
	check_type(&f, fall, "tag", "unsigned char tag", 1);
	check_type(&f, fall, "wide", "long long wide", 8);
	check_type(&f, fall, "where", "float *where", 8);
	check_type(&f, fall, "part", "float part[64]", 256);
	const struct dwarf_type *body = dwarf_named_type(f.dwarf, "Body", 4);
	ck_assert_ptr_nonnull(body);
	ck_assert_uint_eq(body->members.count, 3);
	ck_assert_str_eq(body->members.items[1].name, "mass");
	ck_assert_uint_eq(body->members.items[1].offset, 12);
	const struct dwarf_function *weigh = function(&f, "_Z5weighPK4Bodyi");
	check_type(&f, weigh, "body", "const Body *body", 8);
	ck_assert_str_eq(dwarf_type_name(&f.session.arena, weigh->returns, NULL), "float");
	ck_assert_str_eq(function(&f, "_Z5scaleIdEvPT_S0_i")->name, "scale<double>");
	ck_assert_ptr_nonnull(dwarf_global(f.dwarf, "weights"));
	session_close(&f.session);
}
END_TEST

START_TEST(locations_follow_the_instructions)
{
	struct fixture f;

	open_file(&f, LOCALS);
	const struct dwarf_function *weigh = function(&f, "_Z5weighPK4Bodyi");
	const struct dwarf_variable *result = variable(weigh->scope, "result");
	ck_assert_ptr_nonnull(result);
	/* After the two loads of parameters, the load of the mass and its move: then %f1. */
	ck_assert_int_eq(dwarf_locate(result, 2).where, DWARF_NOWHERE);
	ck_assert_int_eq(dwarf_locate(result, 4).where, DWARF_IN_REGISTER);
	ck_assert_str_eq(dwarf_locate(result, 4).name, "%f1");
	const struct dwarf_variable *factor = variable(weigh->scope, "factor");
	const struct dwarf_scope *inside = dwarf_scope_at(weigh, 20);
	ck_assert_ptr_eq(inside->variables.items[0], factor);
	const struct dwarf_function *fall = function(&f, "_Z4fallP4BodyPfid");
	const struct dwarf_location bodies = dwarf_locate(variable(fall->scope, "bodies"), 0);
	ck_assert_int_eq(bodies.where, DWARF_IN_MEMORY);
	ck_assert_int_eq(bodies.space, SPACE_PARAM);
	ck_assert_str_eq(bodies.name, "_Z4fallP4BodyPfid_param_0");
	const struct dwarf_location samples = dwarf_locate(variable(fall->scope, "samples"), 9);
	ck_assert_int_eq(samples.space, SPACE_LOCAL);
	ck_assert_str_eq(samples.name, "__local_depot1");
	ck_assert_uint_eq(samples.value, 20);
	ck_assert_int_eq(dwarf_locate(variable(fall->scope, "part"), 9).space, SPACE_SHARED);
	session_close(&f.session);
}
END_TEST

static u64 next_random(u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static void walk_scope(const struct dwarf_scope *s, struct arena *a, u32 depth)
{
	ck_assert_uint_lt(depth, 1000);
	for (size_t k = 0; k < s->variables.count; k++) {
		dwarf_locate(s->variables.items[k], 10);
		dwarf_type_name(a, s->variables.items[k]->type, s->variables.items[k]->name);
	}
	for (size_t k = 0; k < s->inner.count; k++)
		walk_scope(s->inner.items[k], a, depth + 1);
}

/* Digits of the sections become others: whatever comes out, it can be walked through. */
START_TEST(damaged_sections_do_no_harm)
{
	u64 state = (u64)_i + 1;
	struct fixture f;

	open_file(&f, LOCALS);
	for (size_t k = 0; k < f.module->sections.count; k++) {
		const struct span at = f.module->sections.items[k]->content;
		char *text = (char *)(uintptr_t)f.module->sources->files.items[at.file]->text;
		for (u32 n = 0; n < 20; n++) {
			const u32 place = at.begin + (u32)(next_random(&state) % (at.end - at.begin));
			if (text[place] >= '0' && text[place] <= '9')
				text[place] = (char)('0' + next_random(&state) % 10);
		}
	}
	const struct dwarf *d = dwarf_read(&f.session.arena, f.module);
	for (size_t k = 0; d && k < f.module->functions.count; k++) {
		const struct dwarf_function *fn = dwarf_function(d, f.module->functions.items[k]);
		if (fn)
			walk_scope(fn->scope, &f.session.arena, 0);
	}
	session_close(&f.session);
}
END_TEST

UNIT_TESTS("dwarf", 0)
{
	UNIT_TEST(types_are_those_of_the_source);
	UNIT_TEST(locations_follow_the_instructions);
	tcase_add_loop_test(unit, damaged_sections_do_no_harm, 0, 200);
}
