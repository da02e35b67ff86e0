/* SPDX-License-Identifier: Apache-2.0
 *
 * Text and CSV are printed into memory as launches come; JSON and HTML grow as an object.
 */
#include "cuda/driver/launch_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/file_new.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/memory.h"

enum format { FORMAT_NONE, FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_HTML };

/* A report of more launches would neither be read nor fit into memory. */
enum { LAUNCHES_MOST = 256 };

static struct {
	enum format format;
	u64 counted, left_out;
	json_t *object, *sources; /* object: of all launches; sources: each once */
	FILE *text;               /* of text and CSV reports */
	char *bytes;
	size_t length;
} report;

bool launch_report_open(const char *format)
{
	static const char *const names[] = {
		[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_CSV] = "csv", [FORMAT_HTML] = "html"};

	for (u32 k = FORMAT_TEXT; format && k < COUNT_OF(names); k++)
		if (!strcmp(format, names[k]))
			report.format = (enum format)k;
	if (format && !report.format) {
		fprintf(stderr, "ptxsim: PTXSIM_REPORT: '%s' is not text, json, csv or html\n", format);
		return false;
	}
	launch_report_begin();
	return true;
}

bool launch_report_is_wanted(void) { return report.format != FORMAT_NONE; }

void launch_report_begin(void)
{
	if (report.text)
		fclose(report.text);
	free(report.bytes);
	report.text = NULL;
	report.bytes = NULL;
	if (report.format == FORMAT_TEXT || report.format == FORMAT_CSV)
		report.text = open_memstream(&report.bytes, &report.length);
	if (report.text && report.format == FORMAT_CSV)
		report_csv_head(report.text);
	json_decref(report.object);
	json_decref(report.sources);
	report.object = NULL;
	report.sources = report.format == FORMAT_HTML ? json_array() : NULL;
	report.counted = report.left_out = 0;
}

u64 launch_report_number(void)
{
	if (report.counted < LAUNCHES_MOST)
		return ++report.counted;
	report.left_out++;
	return 0;
}

/* --- A launch ------------------------------------------------------------------------------------------ */

/* A source that several launches name is kept once. */
static void add_sources(json_t *more)
{
	size_t k;
	json_t *one;

	json_array_foreach(more, k, one)
	{
		size_t n;
		json_t *known;
		bool is_known = false;
		json_array_foreach(report.sources, n, known) is_known |= json_equal(known, one);
		if (!is_known)
			json_array_append(report.sources, one);
	}
	json_decref(more);
}

static void add_object(struct watching *w)
{
	const struct account_run *const runs[] = {w->run};
	json_t *object = report_object(&w->arena, w->accounting, runs, 1);

	if (object && report.format == FORMAT_HTML)
		add_sources(report_sources(&w->arena, w->accounting, runs, 1));
	if (!report.object) {
		report.object = object;
		return;
	}
	json_array_extend(json_object_get(report.object, "launches"), json_object_get(object, "launches"));
	json_decref(object);
}

void launch_report_add(struct watching *seen, u64 number)
{
	if (!report.format || !seen->run || setjmp(seen->out_of_memory))
		return;
	if (report.format == FORMAT_JSON || report.format == FORMAT_HTML)
		add_object(seen);
	else if (report.format == FORMAT_CSV && report.text)
		report_csv_launch(report.text, &seen->arena, seen->accounting, seen->run, number);
	else if (report.text)
		report_memory(report.text, &seen->arena, seen->accounting, seen->run);
}

/* --- The end ------------------------------------------------------------------------------------------- */

static bool print_html(FILE *to)
{
	char title[256] = "CUDA program";
	FILE *f = fopen("/proc/self/comm", "re");

	if (f && fgets(title, sizeof title, f))
		title[strcspn(title, "\n")] = 0;
	if (f)
		fclose(f);
	return report_html_object(to, title, json_incref(report.object), json_incref(report.sources));
}

static bool print_report(FILE *to)
{
	switch (report.format) {
	case FORMAT_JSON:
		if (json_dumpf(report.object, to, JSON_INDENT(1) | JSON_REAL_PRECISION(17)))
			return false;
		fputc('\n', to);
		return true;
	case FORMAT_HTML:
		return print_html(to);
	default:
		if (!report.text)
			return false;
		fflush(report.text);
		return fwrite(report.bytes, 1, report.length, to) == report.length;
	}
}

void launch_report_write(void)
{
	const char *path = getenv("PTXSIM_REPORT_FILE"), *message = "memory ran out";
	struct file_new file;

	if (!report.format)
		return;
	if (report.left_out)
		fprintf(stderr,
			"ptxsim: the first %u launches are reported, %llu more were not counted (--launch chooses)\n",
			LAUNCHES_MOST, (unsigned long long)report.left_out);
	if (!report.counted) {
		fputs("ptxsim: no launch was counted\n", stderr);
		return;
	}
	if (!path || !*path) {
		fflush(stdout);
		print_report(stdout);
		return;
	}
	if (!file_new_begin(&file, path, true, &message)) {
		fprintf(stderr, "ptxsim: %s: %s\n", path, message);
		return;
	}
	const bool printed = print_report(file.to);
	if (!file_new_end(&file, &message) || !printed)
		fprintf(stderr, "ptxsim: %s: %s\n", path, message);
}
