/* SPDX-License-Identifier: Apache-2.0
 *
 * Every instruction that ran gives an entry for its line, and one for each line that it was
 * inlined at; entries are sorted, and those of one line added up.
 */
#include "observe/lines.h"

#include <stdlib.h>
#include <string.h>

#include "observe/places.h"

enum { CALLS_MOST = 64 };

struct entry {
	const char *file;
	const char *text; /* of the instruction, where each stands for itself */
	u32 line, length, insn;
	const struct code *code;
	const char *function;
	const char *source; /* of a line of PTX */
	u32 source_line;
	u32 site; /* + 1, or 0 */
	bool inlined;
};

struct collector {
	const struct accounting *a;
	const struct account_run *run;
	struct arena *arena;
	struct place_names *names;
	enum line_kind kind;
	VEC_OF(struct entry) entries;
};

static void add_entry(struct collector *c, struct entry e) { VEC_PUSH(c->arena, &c->entries, e); }

static void add_instruction(struct collector *c, const struct code *code, u32 insn, u32 site)
{
	const struct place_of p = place_find(code, insn);
	struct entry e = {.code = code, .insn = insn, .site = site};

	if (c->kind != LINES_SOURCE) {
		if (c->kind == LINES_INSTRUCTION) {
			e.text = p.text;
			e.length = p.length;
		}
		e.source = p.loc_file;
		e.source_line = p.loc_line;
		e.file = p.file;
		e.line = p.line;
		add_entry(c, e);
		return;
	}
	const struct ir_loc *loc = p.loc;
	for (u32 depth = 0; loc && depth < CALLS_MOST; depth++) {
		e.file = ir_file_path(p.module, loc->file);
		e.line = loc->line;
		e.function = place_function(c->names, p.module, loc);
		e.inlined = depth > 0;
		if (e.file)
			add_entry(c, e);
		loc = ir_loc_caller(p.module, loc);
	}
}

/* By file, line, what was inlined last; then by instruction, so that sums have one order. */
static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	const int order = strcmp(a->file, b->file);

	if (order)
		return order;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->text != b->text)
		return a->text < b->text ? -1 : 1;
	if (a->inlined != b->inlined)
		return a->inlined ? 1 : -1;
	if (a->code != b->code)
		return a->code->index < b->code->index ? -1 : 1;
	return a->insn < b->insn ? -1 : a->insn > b->insn;
}

static bool same_line(const struct entry *a, const struct entry *b)
{
	return a->line == b->line && a->text == b->text && !strcmp(a->file, b->file);
}

static void add_line(const struct collector *c, const struct entry *e, struct account_line *line)
{
	const struct account_site *sites;
	struct account_run *to = e->inlined ? &line->inlined : &line->own;
	const struct flow_count *flow = &c->run->flow[e->code->index][e->insn];

	accounting_sites(c->a, &sites);
	facts_add_instruction(to->facts, flow, &accounting_facts(c->a, e->code)[e->insn]);
	if (e->site) {
		const struct account *account = &c->run->sites[e->site - 1];
		account_add(&to->operations[sites[e->site - 1].operation], account);
		if (!e->inlined)
			account_add(&line->total, account);
	}
	*(e->inlined ? &line->has_inlined : &line->has_own) = true;
	if (!e->inlined && e->function)
		line->function = e->function;
}

static void collect(struct collector *c)
{
	const struct program *program = accounting_program(c->a);
	const struct account_site *sites;
	const u32 site_count = accounting_sites(c->a, &sites);
	u32 site = 0;

	/* Sites come in the order of codes and instructions. */
	for (u32 k = 0; k < program->code_count; k++) {
		const struct code *code = program->codes[k];
		for (u32 n = 0; n < code->function->body.count; n++) {
			while (site < site_count &&
			       (sites[site].code->index < k ||
				(sites[site].code->index == k && code->origin[sites[site].insn] < n)))
				site++;
			const bool here = site < site_count && sites[site].code->index == k &&
					  code->origin[sites[site].insn] == n;
			if (c->run->flow[k][n].executed)
				add_instruction(c, code, n, here ? site + 1 : 0);
		}
	}
}

bool lines_visit(const struct accounting *a, const struct account_run *run, enum line_kind kind, struct arena *arena,
		 line_visitor *visit, void *context)
{
	struct collector c = {.a = a, .run = run, .arena = arena, .kind = kind};
	struct account_line *line = malloc(sizeof *line);

	if (!line)
		arena_out_of_memory(arena);
	c.names = place_names_new(arena);
	collect(&c);
	if (c.entries.count)
		qsort(c.entries.items, c.entries.count, sizeof *c.entries.items, compare_entries);
	for (size_t k = 0, end; k < c.entries.count; k = end) {
		const struct entry *e = &c.entries.items[k];
		memset(line, 0, sizeof *line);
		line->file = e->file;
		line->line = e->line;
		line->text = e->text;
		line->length = e->length;
		line->source = e->source;
		line->source_line = e->source_line;
		line->own.kernel = line->inlined.kernel = run->kernel;
		for (end = k; end < c.entries.count && same_line(e, &c.entries.items[end]); end++)
			add_line(&c, &c.entries.items[end], line);
		visit(context, line);
	}
	free(line);
	return true;
}
