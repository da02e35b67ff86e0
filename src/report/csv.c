/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of comma-separated values.
 */
#include "report/csv.h"

#include <string.h>

#include "observe/lines.h"

struct rows {
	FILE *to;
	size_t launch;
	const struct account_run *run;
	const struct arch *arch;
	enum line_kind kind;
};

static void print_field(FILE *to, const char *text, size_t length)
{
	bool quote = false;

	for (size_t k = 0; k < length; k++)
		quote |= text[k] == ',' || text[k] == '"' || text[k] == '\n' || text[k] == '\r';
	if (quote)
		putc('"', to);
	for (size_t k = 0; k < length; k++) {
		if (text[k] == '"')
			putc('"', to);
		putc(text[k], to);
	}
	fputs(quote ? "\"," : ",", to);
}

static void print_text(FILE *to, const char *text) { print_field(to, text ? text : "", text ? strlen(text) : 0); }

/* The columns before the counter. */
static void print_place(const struct rows *r, const char *scope, const struct account_line *line)
{
	fprintf(r->to, "%zu,", r->launch);
	print_text(r->to, r->run->kernel->name);
	print_text(r->to, scope);
	print_text(r->to, line ? line->file : NULL);
	if (line)
		fprintf(r->to, "%u", line->line);
	putc(',', r->to);
	print_text(r->to, line ? line->function : NULL);
	print_field(r->to, line && line->text ? line->text : "", line ? line->length : 0);
}

static void print_counters(const struct rows *r, const char *scope, const struct account_line *line,
			   const struct account_run *sums)
{
	for (u32 k = 0; k < counters_count(); k++) {
		const struct counter *c = counters_get(k);
		const double value = counter_value(c, sums);
		if (sums == r->run ? !counter_exists(c, r->arch) : value == 0)
			continue;
		print_place(r, scope, line);
		fprintf(r->to, "%s,%.17g\n", c->name, value);
	}
}

/* Those that are counted apart. */
static void print_blocks(const struct rows *r)
{
	char scope[32];

	for (u64 k = 0; k < r->run->block_count; k++) {
		snprintf(scope, sizeof scope, "block %llu", (unsigned long long)k);
		if (r->run->blocks[k])
			print_counters(r, scope, NULL, r->run->blocks[k]);
	}
}

static void visit(void *context, const struct account_line *line)
{
	static const char *const scopes[] = {"instruction", "line", "source_line"};
	const struct rows *r = context;

	if (line->has_own)
		print_counters(r, scopes[r->kind], line, &line->own);
	if (line->has_inlined)
		print_counters(r, "source_line_inlined", line, &line->inlined);
}

void report_csv_head(FILE *to) { fputs("launch,kernel,scope,file,line,function,instruction,counter,value\n", to); }

bool report_csv_launch(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run,
		       u64 launch)
{
	struct rows r = {.to = to, .launch = launch, .run = run, .arch = accounting_arch(a)};

	print_counters(&r, "launch", NULL, run);
	print_blocks(&r);
	for (enum line_kind kind = LINES_INSTRUCTION; kind <= LINES_SOURCE; kind++) {
		r.kind = kind;
		if (!lines_visit(a, run, kind, arena, visit, &r))
			return false;
	}
	return true;
}

bool report_csv(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *const *runs,
		size_t count)
{
	bool ok = true;

	report_csv_head(to);
	for (size_t k = 0; k < count && ok; k++)
		ok = report_csv_launch(to, arena, a, runs[k], k + 1);
	return ok;
}
