/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim isa: the instruction table as text or JSON, straight from the rows.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

struct isa_options {
	bool json;
	const char *opcode;
};

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "Print as JSON", 0},
    {0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct isa_options *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
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

/* The row is for the opcode asked for, or none was. */
static bool wanted(const struct isa_options *o, const struct isa_row *row)
{
	const size_t length = strcspn(row->form, ".[( ");

	if (row->form[0] == '%')
		return false; /* only lowering makes these */
	return !o->opcode || (strlen(o->opcode) == length && !strncmp(row->form, o->opcode, length));
}

static const char *state_of(const struct isa_row *row)
{
	if (row->flags & ISA_UNMODELLED)
		return "not modelled";
	return row->flags & ISA_UNVERIFIED ? "by the manual" : "modelled";
}

static size_t print_text(const struct isa_options *o)
{
	size_t count = 0;

	for (const struct isa_family *const *f = sem_families(NULL); *f; f++) {
		bool headed = false;
		for (u32 k = 0; k < (*f)->count; k++) {
			const struct isa_row *row = &(*f)->rows[k];
			if (!wanted(o, row))
				continue;
			if (!headed)
				printf("%s\n", (*f)->name);
			headed = true;
			count++;
			printf("  %s\n      PTX %u.%u, sm_%u%s, %s. %s\n", row->form, row->ptx / 10,
			       row->ptx % 10, row->sm, row->flags & ISA_A_TARGET ? "a" : "", state_of(row),
			       row->doc ? row->doc : "");
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
			                    "architecture_specific", (row->flags & ISA_A_TARGET) != 0,
			                    "state", state_of(row), "doc", row->doc ? row->doc : ""));
		}
	const size_t count = json_array_size(list);
	json_dumpf(list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(3));
	putchar('\n');
	json_decref(list);
	return count;
}

int cli_isa(int count, char **words)
{
	static const struct argp argp = {
	    .options = options,
	    .parser = parse_option,
	    .args_doc = "[OPCODE]",
	    .doc = "Lists the instructions that are known, with the first PTX version and target of each.",
	};
	struct isa_options o = {.json = false};

	argp_parse(&argp, count, words, 0, NULL, &o);
	const size_t found = o.json ? print_json(&o) : print_text(&o);
	if (found)
		return CLI_OK;
	fprintf(stderr, "ptxsim: there is no instruction '%s'\n", o.opcode);
	return CLI_FAILED;
}
