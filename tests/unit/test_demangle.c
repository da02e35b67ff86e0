/* SPDX-License-Identifier: Apache-2.0
 *
 * Demangled names and what is asked for by them.
 */
#include <check.h>
#include <string.h>

#include "base/demangle.h"
#include "main.h"

struct example {
	const char *name, *whole, *brief;
};

static const struct example examples[] = {
	{"saxpy", "saxpy", "saxpy"},
	{"_Z3onePi", "one(int*)", "one"},
	{"_Z5scaleIfEvPT_S0_i", "void scale<float>(float*, float, int)", "scale<float>"},
	{"_ZN6shapes4areaILi3EEEiPKNS_5PointE", "int shapes::area<3>(shapes::Point const*)", "shapes::area<3>"},
	{"_ZN12_GLOBAL__N_16hiddenEv", "(anonymous namespace)::hidden()", "(anonymous namespace)::hidden"},
	{"_ZNK3MapclEi", "Map::operator()(int) const", "Map::operator()"},
	{"_ZN3MapltERKS_", "Map::operator<(Map const&)", "Map::operator<"},
	{"_ZN3MapcvbEv", "Map::operator bool()", "Map::operator bool"},
	{"_Zgarbage", "_Zgarbage", "_Zgarbage"},
};

START_TEST(names_and_their_short_forms)
{
	struct arena a;

	arena_init(&a, NULL);
	ck_assert_str_eq(demangle(&a, examples[_i].name), examples[_i].whole);
	ck_assert_str_eq(demangle_short(&a, examples[_i].name), examples[_i].brief);
	arena_free(&a);
}
END_TEST

static bool matches(const char *name, const char *wanted)
{
	struct arena a;

	arena_init(&a, NULL);
	const bool result = demangle_matches(&a, name, wanted, strlen(wanted));
	arena_free(&a);
	return result;
}

START_TEST(what_a_name_may_be_called)
{
	static const char scale[] = "_Z5scaleIfEvPT_S0_i", area[] = "_ZN6shapes4areaILi3EEEiPKNS_5PointE";

	ck_assert(matches("saxpy", "saxpy"));
	ck_assert(!matches("saxpy", "sax"));
	ck_assert(matches(scale, scale));
	ck_assert(matches(scale, "scale<float>"));
	ck_assert(matches(scale, "scale< float >"));
	ck_assert(matches(scale, "scale"));
	ck_assert(matches(scale, "scale<float>(float*,float,int)"));
	ck_assert(matches(scale, "void scale<float>(float*, float, int)"));
	ck_assert(!matches(scale, "scale<double>"));
	ck_assert(!matches(scale, "scal"));
	ck_assert(matches(area, "shapes::area<3>"));
	ck_assert(matches(area, "shapes::area"));
	ck_assert(matches(area, "area<3>"));
	ck_assert(matches(area, "area"));
	ck_assert(!matches(area, "shapes"));
	ck_assert(matches("_ZN12_GLOBAL__N_16hiddenEv", "hidden"));
	ck_assert(matches("_ZN12_GLOBAL__N_16hiddenEv", "hidden()"));
	ck_assert(!matches("_Z3onePi", ""));
}
END_TEST

UNIT_TESTS("demangle", 0)
{
	tcase_add_loop_test(unit, names_and_their_short_forms, 0, COUNT_OF(examples));
	UNIT_TEST(what_a_name_may_be_called);
}
