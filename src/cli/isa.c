/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim isa: the instruction table as text, JSON or Markdown (docs/instructions.md), straight from the
 * rows, and how each row is verified.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "sass/table.h"

struct isa_options {
	bool json, markdown, sass;
	const char *opcode;
	enum colour_choice colour;
};

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "Print as JSON", 0},
	{"markdown", 'm', NULL, 0, "Print as Markdown tables", 0},
	{"sass", 's', NULL, 0,
	 "The machine's own instructions instead of PTX: of listings of Fermi, and the mnemonics of sm_75 to sm_120",
	 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct isa_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->colour;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'm':
		o->markdown = true;
		return 0;
	case 's':
		o->sass = true;
		return 0;
	case ARGP_KEY_END:
		if (o->sass && o->json)
			argp_error(state, "--sass prints text or Markdown");
		return 0;
	case ARGP_KEY_ARG:
		if (o->opcode)
			argp_error(state, "one opcode at most");
		o->opcode = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Do the modifiers behind the opcode fit the row's form, as far as they go? */
static bool fits(const struct isa_row *row, const char *modifiers)
{
	const char *list[FORM_TOKENS];
	char copy[256], *rest = copy;
	u32 count = 0, furthest = 0;

	snprintf(copy, sizeof copy, "%s", modifiers);
	for (char *word; (word = strsep(&rest, ".")) != NULL;)
		if (*word && count < COUNT_OF(list))
			list[count++] = word;
	return isa_match_words(row->form, list, count, &furthest) || furthest == count;
}

/* The row is for the opcode asked for ("ld", or "ld.global": with these modifiers), or none was. */
static bool wanted(const struct isa_options *o, const struct isa_row *row)
{
	const size_t length = strcspn(row->form, ".[( ");

	if (row->form[0] == '%')
		return false; /* only lowering makes these */
	if (!o->opcode)
		return true;
	const char *asked = o->opcode, *modifiers = asked + strcspn(asked, ".");
	return asked + length == modifiers && !memcmp(row->form, asked, length) &&
	       (!*modifiers || fits(row, modifiers + 1));
}

/* How rows are verified, in the order of `row`, "form;operands": tests/evidence finds it, and the build makes the list
 * from what it found. */
static const struct evidence {
	const char *row, *kinds;
} evidence[] = {
#define EVIDENCE(row, kinds) {row, kinds},
#include "src/cli/evidence.inc"
#undef EVIDENCE
};

static int compare_rows(const void *a, const void *b)
{
	return strcmp(((const struct evidence *)a)->row, ((const struct evidence *)b)->row);
}

/* "recording, case" and the like; "manual" would be a row without evidence, which a test does not allow. */
static const char *verified_by(const struct isa_row *row)
{
	char text[1024];
	const struct evidence key = {.row = text};

	if (row->flags & ISA_UNMODELLED)
		return "not modelled";
	snprintf(text, sizeof text, "%s;%s", row->form, row->operands ? row->operands : "");
	const struct evidence *e = bsearch(&key, evidence, COUNT_OF(evidence), sizeof *evidence, compare_rows);
	return e ? e->kinds : "manual";
}

/* A row of listings, with its operands: isa/sass.h has the words. */
static void print_sass_row(const struct isa_row *row)
{
	printf("  %s%s%s\n      sm_%u to sm_%u, %s. %s\n", row->form, *row->operands ? "  " : "", row->operands,
	       row->sm, row->last, verified_by(row), row->doc);
}

static void print_row(const struct isa_row *row)
{
	printf("  %s\n      PTX %u.%u, sm_%u%s, %s. %s\n", row->form, row->ptx / 10, row->ptx % 10, row->sm,
	       row->flags & ISA_A_TARGET ? "a" : "", verified_by(row), row->doc ? row->doc : "");
}

/* The wanted rows under their families' names; how many. */
static size_t print_families(const struct isa_options *o, const struct isa_family *const *families,
			     void (*print)(const struct isa_row *))
{
	size_t count = 0;

	for (const struct isa_family *const *f = families; *f; f++) {
		bool headed = false;
		for (u32 k = 0; k < (*f)->count; k++) {
			const struct isa_row *row = &(*f)->rows[k];
			if (!wanted(o, row))
				continue;
			if (!headed)
				printf("%s\n", (*f)->name);
			headed = true;
			count++;
			print(row);
		}
	}
	return count;
}

static size_t print_json(const struct isa_options *o)
{
	json_t *list = json_array();

	for (const struct isa_family *const *f = sem_families(NULL); *f; f++)
		for (u32 k = 0; k < (*f)->count; k++) {
			const struct isa_row *row = &(*f)->rows[k];
			if (!wanted(o, row))
				continue;
			json_array_append_new(
				list, json_pack("{s:s, s:s, s:s, s:f, s:i, s:b, s:s, s:s}", "family", (*f)->name,
						"form", row->form, "operands", row->operands ? row->operands : "",
						"ptx", (double)row->ptx / 10, "sm", (int)row->sm,
						"architecture_specific", (row->flags & ISA_A_TARGET) != 0, "verified",
						verified_by(row), "doc", row->doc ? row->doc : ""));
		}
	const size_t count = json_array_size(list);
	json_dumpf(list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(3));
	putchar('\n');
	json_decref(list);
	return count;
}

/* A bar divides a table's columns, in code, too. */
static void print_cell(const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			putchar('\\');
		putchar(*text);
	}
}

static void print_markdown_row(const struct isa_row *row)
{
	fputs("| `", stdout);
	print_cell(row->form);
	printf("` | %u.%u", row->ptx / 10, row->ptx % 10);
	if (row->last)
		printf(" to %u.%u", row->last / 10, row->last % 10);
	printf(" | sm_%u%s%s | %s | ", row->sm, row->flags & ISA_A_TARGET ? "a" : "",
	       row->flags & ISA_UNSYNCED ? " to sm_62" : "", verified_by(row));
	print_cell(row->doc ? row->doc : "");
	puts(" |");
}

static size_t print_markdown(const struct isa_options *o)
{
	size_t count = 0;

	puts("<!-- Made by `./dev docs` from the instruction table. -->\n"
	     "# Instructions\n\n"
	     "One row for each line of the instruction table. `.x` is written as it stands, `[.x|.y]` is one of these "
	     "or\n"
	     "none, `(.x|.y)` one of these. Since: the first PTX ISA version and the first target (modifiers can need "
	     "later\n"
	     "ones: the checks say so). Verified, as the tests find it: by *recording*s of an H200 in `tests/golden`; "
	     "by an "
	     "*oracle*,\n"
	     "arithmetic of its own in `tests/unit`; by a *case* worked out by hand in `tests/insn`.\n"
	     "*Not modelled*: known, checked, and an error before the kernel runs.");
	for (const struct isa_family *const *f = sem_families(NULL); *f; f++) {
		bool headed = false;
		for (u32 k = 0; k < (*f)->count; k++) {
			if (!wanted(o, &(*f)->rows[k]))
				continue;
			if (!headed)
				printf("\n## %s\n\n| form | PTX | target | verified | |\n| --- | --- | --- | --- | --- "
				       "|\n",
				       (*f)->name);
			headed = true;
			count++;
			print_markdown_row(&(*f)->rows[k]);
		}
	}
	return count;
}

/* --- Machine code of sm_75 and later ------------------------------------------------------------ */

static void print_mnemonic(const struct sass_mnemonic *m)
{
	printf("  %-16s", m->name);
	for (u32 t = 0; t < SASS_TARGETS; t++)
		if (m->targets >> t & 1)
			printf(" %3u", sass_targets[t]);
		else
			printf("   -");
	printf("  %-8s %3u form%s%s\n", m->family ? m->family : "", m->rows, m->rows == 1 ? " " : "s",
	       m->runs ? "" : "  prints only");
}

static void print_mnemonic_markdown(const struct sass_mnemonic *m)
{
	printf("| `%s` |", m->name);
	for (u32 t = 0; t < SASS_TARGETS; t++)
		printf(" %s |", m->targets >> t & 1 ? "x" : "");
	printf(" %u | %s |\n", m->rows, m->runs ? "yes" : "");
}

static void head_mnemonics(bool markdown)
{
	if (!markdown) {
		puts("Machine code of sm_75 to sm_120: mnemonics, targets, encodings");
		return;
	}
	printf("<!-- Made by `./dev docs` from the rows of the encodings. -->\n# Mnemonics of machine code\n\n"
	       "What `ptxsim disasm` prints, and what of it runs; forms are rows of `src/sass/rows_*.c`.\n\n"
	       "| mnemonic |");
	for (u32 t = 0; t < SASS_TARGETS; t++)
		printf(" sm_%u |", sass_targets[t]);
	printf(" forms | runs |\n| --- |");
	for (u32 t = 0; t < SASS_TARGETS; t++)
		printf(" :-: |");
	puts(" ---: | --- |");
}

/* How many fit the wanted opcode.
 * Machine code's mnemonics, with the targets that have them, and whether they run here. */
static size_t print_mnemonics(const struct isa_options *o)
{
	const char *name = o->opcode;
	struct sass_mnemonic m;
	size_t count = 0;

	for (u32 k = 0; sass_mnemonic_at(k, &m); k++) {
		if (!m.rows || (name && strcasecmp(name, m.name) != 0))
			continue;
		if (!count++)
			head_mnemonics(o->markdown);
		(o->markdown ? print_mnemonic_markdown : print_mnemonic)(&m);
	}
	return count;
}

static size_t print_sass(const struct isa_options *o)
{
	const size_t listed = o->markdown ? 0 : print_families(o, sem_sass_families(NULL), print_sass_row);

	return listed + print_mnemonics(o);
}

int cli_isa(int count, char **words)
{
	static const struct argp_child children[] = {{&front_common_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.args_doc = "[OPCODE]",
		.doc = "Lists the instructions that are known, with the first PTX version and target of each.",
	};
	struct isa_options o = {.json = false};

	front_parse(&argp, count, words, &o);
	const size_t found = o.sass       ? print_sass(&o)
			     : o.json     ? print_json(&o)
			     : o.markdown ? print_markdown(&o)
					  : print_families(&o, sem_families(NULL), print_row);
	if (found)
		return CLI_OK;
	fprintf(stderr, "ptxsim: unknown instruction '%s'\n", o.opcode);
	return CLI_FAILED;
}
