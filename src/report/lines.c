/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables by source line, and the annotated source.
 */
#include "report/lines.h"

#include <stdlib.h>
#include <string.h>

#include "ir/origin.h"
#include "report/costs.h"
#include "report/summary.h"

enum { ROWS = 20, PLACE_COLUMNS = 40 };

struct row {
	const char *file;
	u32 line;
	bool own; /* code of the line itself, not only what was inlined there */
	u64 executed, inlined, lanes;
	struct memory_cost costs[MEMORY_SPACES];
	u32 cost_count;
};

struct table {
	struct arena *arena;
	VEC_OF(struct row) rows;
};

static void collect(void *context, const struct account_line *line)
{
	struct table *t = context;
	struct row row = {.file = line->file, .line = line->line, .own = line->has_own};

	row.executed = line->own.facts[FACT_instructions];
	row.lanes = line->own.facts[FACT_lanes];
	row.inlined = line->inlined.facts[FACT_instructions];
	row.cost_count = memory_costs(&line->total, row.costs);
	VEC_PUSH(t->arena, &t->rows, row);
}

static u64 row_excess(const struct row *r)
{
	u64 sum = 0;

	for (u32 k = 0; k < r->cost_count; k++)
		sum += memory_excess(&r->costs[k]);
	return sum;
}

static int by_excess(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	const u64 x = row_excess(a), y = row_excess(b);

	if (x != y)
		return x < y ? 1 : -1;
	if (a->executed != b->executed)
		return a->executed < b->executed ? 1 : -1;
	return a->line < b->line ? -1 : a->line > b->line;
}

/* "name.cu:41", from the left cut short. */
static const char *place_text(const struct row *r, char text[PLACE_COLUMNS])
{
	const size_t length = strlen(r->file), room = PLACE_COLUMNS - sizeof "...:4294967295";

	snprintf(text, PLACE_COLUMNS, "%s%.*s:%u", length > room ? "..." : "", (int)room,
		 r->file + (length > room ? length - room : 0), r->line);
	return text;
}

static void print_row(FILE *to, const struct row *r)
{
	char place[PLACE_COLUMNS], a[32], b[32], c[32];

	place_text(r, place);
	for (u32 k = 0; k < max_u32(r->cost_count, 1); k++) {
		fprintf(to, "  %-*s %13s", PLACE_COLUMNS - 1, k ? "" : place,
			k ? "" : report_count(r->executed, a, sizeof a));
		if (k < r->cost_count)
			fprintf(to, " %-8s %14s %14s", memory_space_name(r->costs[k].space),
				report_count(r->costs[k].cost, b, sizeof b),
				report_count(memory_excess(&r->costs[k]), c, sizeof c));
		fprintf(to, "\n");
	}
}

void report_source_lines(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run)
{
	struct table t = {.arena = arena};
	size_t shown = 0;

	if (!lines_visit(a, run, LINES_SOURCE, arena, collect, &t) || !t.rows.count)
		return;
	qsort(t.rows.items, t.rows.count, sizeof *t.rows.items, by_excess);
	fprintf(to, "  %-*s %13s %-8s %14s %14s\n", PLACE_COLUMNS - 1, "source line", "instructions", "space", "cost",
		"excess");
	for (size_t k = 0; k < t.rows.count && shown < ROWS; k++)
		if (t.rows.items[k].own) {
			print_row(to, &t.rows.items[k]);
			shown++;
		}
}

/* --- The annotated source ------------------------------------------------------------------- */

const char *report_find_source(struct arena *arena, const struct accounting *a, const char *path)
{
	const struct program *program = accounting_program(a);
	struct origin found;

	return origin_find(arena, (const struct ir_module *const *)program->modules, program->module_count, path,
			   &found)
		       ? found.text
		       : NULL;
}

/* What a line cost, in the space where that was most. */
static void print_costs(FILE *to, const struct row *r)
{
	const struct memory_cost *most = NULL;
	char a[32], b[32], c[32];

	for (u32 k = 0; r && k < r->cost_count; k++)
		if (!most || memory_excess(&r->costs[k]) > memory_excess(most))
			most = &r->costs[k];
	if (!r || !(r->executed + r->inlined)) {
		fprintf(to, "%55s", "");
		return;
	}
	fprintf(to, "%12s ", report_count(r->executed ? r->executed : r->inlined, a, sizeof a));
	if (r->executed)
		fprintf(to, "%5.1f ", (double)r->lanes / (double)r->executed);
	else
		fprintf(to, "%5s ", "(in)");
	if (most)
		fprintf(to, "%12s %-10s %12s ", report_count(most->cost, b, sizeof b), most->unit,
			report_count(memory_excess(most), c, sizeof c));
	else
		fprintf(to, "%37s", "");
}

static void print_heading(FILE *to, const char *file, const char *more)
{
	fprintf(to, "%s%s\n%12s %5s %12s %-10s %12s\n", file, more, "instructions", "lanes", "cost", "in", "excess");
}

/* Lines `first` to `last` of a text that is there, with the rows that lie among them. */
static void print_lines(FILE *to, const struct row *rows, size_t count, const char *text, u32 first, u32 last)
{
	size_t next = 0;

	while (next < count && rows[next].line < first)
		next++;
	for (u32 line = 1; line <= last; line++) {
		const size_t length = strcspn(text, "\n");
		const struct row *r = next < count && rows[next].line == line ? &rows[next++] : NULL;
		if (line >= first) {
			print_costs(to, r);
			fprintf(to, "%5u  %.*s\n", line, (int)length, text);
		}
		text += length + (text[length] == '\n');
	}
}

void report_annotate_source(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run)
{
	struct table t = {.arena = arena};

	if (!lines_visit(a, run, LINES_SOURCE, arena, collect, &t))
		return;
	for (size_t k = 0, end; k < t.rows.count; k = end) {
		const struct row *rows = &t.rows.items[k];
		const char *text = report_find_source(arena, a, rows->file);
		for (end = k; end < t.rows.count && !strcmp(t.rows.items[end].file, rows->file); end++)
			continue;
		print_heading(to, rows->file, text ? "" : " (not found)");
		if (text)
			print_lines(to, rows, end - k, text, rows->line, t.rows.items[end - 1].line);
		for (size_t r = k; r < end && !text; r++) {
			print_costs(to, &t.rows.items[r]);
			fprintf(to, "%5u\n", t.rows.items[r].line);
		}
	}
}

static bool has_run(const struct account_run *run, const struct code *code)
{
	for (size_t k = 0; k < code->function->body.count; k++)
		if (run->flow[code->index][k].executed)
			return true;
	return false;
}

void report_annotate(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run)
{
	const struct program *program = accounting_program(a);
	struct table t = {.arena = arena};

	if (!lines_visit(a, run, LINES_PTX, arena, collect, &t))
		return;
	for (u32 c = 0; c < program->code_count; c++) {
		const struct ir_function *f = program->codes[c]->function;
		const struct source *s = f->module->sources->files.items[f->span.file];
		size_t first = 0, end;
		u32 from, last, column;
		if (!has_run(run, program->codes[c]))
			continue;
		source_place(s, f->span.begin, &from, &column);
		source_place(s, f->body.items[f->body.count - 1].span.end, &last, &column);
		while (first < t.rows.count && strcmp(t.rows.items[first].file, s->name) != 0)
			first++;
		for (end = first; end < t.rows.count && !strcmp(t.rows.items[end].file, s->name); end++)
			continue;
		print_heading(to, arena_printf(arena, "%s, %s", s->name, f->name), "");
		print_lines(to, &t.rows.items[first], end - first, s->text, from, last);
	}
}
