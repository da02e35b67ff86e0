/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading reports back, and the comparison as text. What the program wrote is not trusted to have
 * stayed as it was: anything missing counts as 0 or empty.
 */
#include "report/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "observe/counters.h"

enum { VERSION = 2, TEXT_COLUMNS = 44, REPORT_MOST = 1 << 30 };

static bool is_launch(const json_t *l)
{
	return json_is_string(json_object_get(l, "kernel")) && json_is_object(json_object_get(l, "counters")) &&
	       json_is_array(json_object_get(l, "sites")) && json_is_object(json_object_get(l, "occupancy")) &&
	       json_array_size(json_object_get(l, "grid")) == 3 && json_array_size(json_object_get(l, "block")) == 3;
}

/* NULL after a message: not JSON, or not a report of this version. What follows relies on the parts that is_launch has
 * looked for. */
json_t *report_read(const char *name, const char *text, size_t length, FILE *to)
{
	json_error_t error;
	json_t *report = json_loadb(text, length, 0, &error), *launch;
	const json_t *launches = json_object_get(report, "launches");
	bool ok = json_is_array(launches) && json_is_string(json_object_get(report, "arch"));
	size_t k;

	if (!report) {
		if (error.line > 0)
			fprintf(to, "ptxsim: %s:%d:%d: %s\n", name, error.line, error.column, error.text);
		else
			fprintf(to, "ptxsim: %s: %s\n", name, error.text);
		return NULL;
	}
	json_array_foreach(launches, k, launch) ok &= is_launch(launch);
	if (ok && json_integer_value(json_object_get(report, "ptxsim_report")) == VERSION)
		return report;
	fprintf(to, "ptxsim: %s is not a report of this version: make it with 'ptxsim run --report json'\n", name);
	json_decref(report);
	return NULL;
}

json_t *report_load(const char *path)
{
	const char *message;
	size_t length;
	char *text = file_read_whole(path, REPORT_MOST, &length, &message);

	if (!text) {
		fprintf(stderr, "ptxsim: %s: %s\n", path, message);
		return NULL;
	}
	json_t *report = report_read(path, text, length, stderr);
	free(text);
	return report;
}

static double counter_of(const json_t *launch, const char *name)
{
	return json_number_value(json_object_get(json_object_get(launch, "counters"), name));
}

static bool has_counter(const json_t *launch, const char *name)
{
	return json_object_get(json_object_get(launch, "counters"), name) != NULL;
}

/* "+12.5 %", "same", or "new" where there was nothing. */
static const char *change(double a, double b, char *text, size_t size)
{
	if (a == b)
		return "same";
	if (a == 0)
		return "new";
	snprintf(text, size, "%+.1f %%", 100 * (b - a) / fabs(a));
	return text;
}

/* Only counters that differ; how many are the same is said at the end. */
static void compare_counters(FILE *to, json_t *const launches[2])
{
	u32 differ = 0, lacking = 0;

	for (u32 k = 0; k < counters_count(); k++) {
		const struct counter *c = counters_get(k);
		if (!has_counter(launches[0], c->name) || !has_counter(launches[1], c->name)) {
			lacking++;
			continue;
		}
		const double a = counter_of(launches[0], c->name), b = counter_of(launches[1], c->name);
		char text[32];
		if (a == b)
			continue;
		differ++;
		fprintf(to, "  %-38s %16.*f %16.*f %-12s %10s\n", c->name, c->scale != 0 ? 2 : 0, a,
			c->scale != 0 ? 2 : 0, b, c->unit, change(a, b, text, sizeof text));
	}
	fprintf(to, differ ? "  the other %u counters are the same\n" : "  all %u counters are the same\n",
		counters_count() - differ - lacking);
	if (lacking)
		fprintf(to, "  %u counters have no counterpart on the other architecture\n", lacking);
}

static const char *opcode_name(const json_t *c)
{
	const char *name = json_string_value(json_object_get(c, "name"));

	return name ? name : "";
}

static json_int_t opcode_of(const json_t *launch, const char *name)
{
	const json_t *list = json_object_get(launch, "opcodes");

	for (size_t k = 0; k < json_array_size(list); k++)
		if (!strcmp(opcode_name(json_array_get(list, k)), name))
			return json_integer_value(json_object_get(json_array_get(list, k), "executed"));
	return 0;
}

/* Two runs of machine code: opcodes that ran more or less often. */
static void compare_opcodes(FILE *to, json_t *const launches[2])
{
	const json_t *lists[2] = {json_object_get(launches[0], "opcodes"), json_object_get(launches[1], "opcodes")};
	char text[32];

	if (!json_array_size(lists[0]) || !json_array_size(lists[1]))
		return;
	for (u32 side = 0; side < 2; side++)
		for (size_t k = 0; k < json_array_size(lists[side]); k++) {
			const char *name = opcode_name(json_array_get(lists[side], k));
			const json_int_t a = opcode_of(launches[0], name), b = opcode_of(launches[1], name);
			if (a != b && (!side || !a))
				fprintf(to, "  %-38s %16lld %16lld %-12s %10s\n", name, (long long)a, (long long)b,
					"warps", change((double)a, (double)b, text, sizeof text));
		}
}

/* Excess of an instruction over the whole launch. */
static json_int_t excess_of(const json_t *site)
{
	const json_t *sums = json_object_get(site, "sums");
	static const char *const over[] = {"shared_wavefronts", "shared_load_wavefronts", "global_sectors",
					   "local_sectors", "const_requests"};
	static const char *const under[] = {"shared_ideal", "global_ideal_sectors", "local_ideal_sectors",
					    "const_instructions"};
	u64 n = 0; /* a file that was changed may hold anything */

	for (size_t k = 0; k < COUNT_OF(over); k++)
		n += (u64)json_integer_value(json_object_get(sums, over[k]));
	for (size_t k = 0; k < COUNT_OF(under); k++)
		n -= (u64)json_integer_value(json_object_get(sums, under[k]));
	return (json_int_t)n;
}

static const char *text_of(const json_t *site, const char *key)
{
	const char *text = json_string_value(json_object_get(site, key));

	return text ? text : "";
}

static bool same_text(const json_t *a, const json_t *b)
{
	return !strcmp(text_of(a, "function"), text_of(b, "function")) &&
	       !strcmp(text_of(a, "instruction"), text_of(b, "instruction"));
}

/* The other launch's site that stands for number `at` of `sites`: the one of its function and text
 * that comes as late among its like. NULL if there is none. */
static const json_t *partner(const json_t *sites, size_t at, const json_t *others)
{
	const json_t *site = json_array_get(sites, at);
	size_t before = 0;

	for (size_t k = 0; k < at; k++)
		before += same_text(json_array_get(sites, k), site);
	for (size_t k = 0; k < json_array_size(others); k++)
		if (same_text(json_array_get(others, k), site) && before-- == 0)
			return json_array_get(others, k);
	return NULL;
}

/* One that costs more or less than before; the heading comes before the first. */
static void print_site(FILE *to, const json_t *site, const json_t *a, const json_t *b, bool *headed)
{
	const json_int_t x = a ? excess_of(a) : 0, y = b ? excess_of(b) : 0;
	char left[24] = "not there", right[24] = "not there", text[32];

	if (x == y)
		return;
	if (!*headed)
		fprintf(to, "  %-55s %13s %13s %10s\n", "beyond what it must", "A", "B", "change");
	*headed = true;
	if (a)
		snprintf(left, sizeof left, "%lld", (long long)x);
	if (b)
		snprintf(right, sizeof right, "%lld", (long long)y);
	fprintf(to, "  line %-5lld %-*.*s %13s %13s %10s\n",
		(long long)json_integer_value(json_object_get(site, "line")), TEXT_COLUMNS, TEXT_COLUMNS,
		text_of(site, "instruction"), left, right,
		a && b ? change((double)x, (double)y, text, sizeof text) : "");
}

static void compare_sites(FILE *to, json_t *const launches[2])
{
	const json_t *a = json_object_get(launches[0], "sites"), *b = json_object_get(launches[1], "sites");
	bool headed = false;

	for (size_t k = 0; k < json_array_size(a); k++)
		print_site(to, json_array_get(a, k), json_array_get(a, k), partner(a, k, b), &headed);
	for (size_t k = 0; k < json_array_size(b); k++)
		if (!partner(b, k, a))
			print_site(to, json_array_get(b, k), NULL, json_array_get(b, k), &headed);
}

void report_comparison(FILE *to, const char *const names[2], json_t *const reports[2])
{
	const json_t *all[2] = {json_object_get(reports[0], "launches"), json_object_get(reports[1], "launches")};
	const size_t counts[2] = {json_array_size(all[0]), json_array_size(all[1])};

	for (size_t k = 0; k < counts[0] && k < counts[1]; k++) {
		json_t *const launches[2] = {json_array_get(all[0], k), json_array_get(all[1], k)};
		const char *other = text_of(launches[1], "kernel");
		fprintf(to, "%s", text_of(launches[0], "kernel"));
		if (strcmp(text_of(launches[0], "kernel"), other) != 0)
			fprintf(to, " and %s", other);
		fprintf(to, ": A is %s on %s, B is %s on %s\n", names[0], text_of(reports[0], "arch"), names[1],
			text_of(reports[1], "arch"));
		fprintf(to, "  %-38s %16s %16s %-12s %10s\n", "counter", "A", "B", "", "change");
		compare_counters(to, launches);
		compare_opcodes(to, launches);
		compare_sites(to, launches);
	}
	if (counts[0] != counts[1])
		fprintf(to, "%zu launches against %zu: those without a partner are left out\n", counts[0], counts[1]);
}
