/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim check: reads and validates files, runs nothing. Every error and every instruction that
 * is not modelled is listed with its line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/check_formats.h"
#include "cli/cli.h"

struct reading_options {
	struct arena arena;
	VEC_OF(char *) files;
	const char *arch;
	bool together, quiet;
	enum check_format format;
	enum colour_choice colour;
	json_t *found; /* of CHECK_JSON and CHECK_SARIF */
};

static const struct argp_option options[] = {
	{"arch", 't', "sm_XX", 0, "Architecture to check for (default: each file's .target)", 0},
	{"link", 'l', NULL, 0, "Check the files as modules of one program", 0},
	{"format", 'f', "FORMAT", 0, "text (default), json, or sarif, on standard output", 0},
	{"quiet", 'q', NULL, 0, "Print errors and warnings only", 0},
	{0},
};

static enum check_format read_format(const struct argp_state *state, const char *text)
{
	static const char *const words[] = {[CHECK_TEXT] = "text", [CHECK_JSON] = "json", [CHECK_SARIF] = "sarif"};

	for (size_t k = 0; k < COUNT_OF(words); k++)
		if (!strcmp(text, words[k]))
			return (enum check_format)k;
	argp_error(state, "--format is text, json or sarif, not '%s'", text);
	return CHECK_TEXT;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct reading_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->colour;
		return 0;
	case 't':
		o->arch = text;
		return 0;
	case 'l':
		o->together = true;
		return 0;
	case 'f':
		o->format = read_format(state, text);
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		VEC_PUSH(&o->arena, &o->files, text);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no file given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void tell_contents(const struct session *s, const char *name)
{
	size_t kernels = 0, functions = 0, instructions = 0;

	for (size_t m = 0; m < s->modules.count; m++)
		for (size_t k = 0; k < s->modules.items[m]->functions.count; k++) {
			const struct ir_function *f = s->modules.items[m]->functions.items[k];
			if (!f->has_body)
				continue;
			kernels += f->is_entry;
			functions += !f->is_entry;
			instructions += f->body.count;
		}
	printf("%s: %zu kernel%s, %zu function%s, %zu instructions: ok\n", name, kernels, kernels == 1 ? "" : "s",
	       functions, functions == 1 ? "" : "s", instructions);
}

static bool read_files(struct session *s, const struct reading_options *o, char *const *files, size_t count)
{
	bool ok = true;

	if (o->format == CHECK_TEXT)
		return front_read_files(s, files, count);
	for (size_t k = 0; k < count; k++) {
		const char *message;
		if (session_add_file(s, files[k], &message))
			continue;
		check_add_unreadable(o->found, o->format, files[k], message);
		ok = false;
	}
	return ok;
}

static int check(struct session *s, const struct reading_options *o, char *const *files, size_t count)
{
	const struct lower_options lower = {.arch = o->arch, .allow_unmodelled = true, .all_functions = true};
	struct script script;

	if (!read_files(s, o, files, count))
		return CLI_WRONG;
	script_init(&script, &s->arena, &s->strings, &s->diags);
	for (size_t k = 0; k < s->modules.count; k++)
		script_read_module(&script, s->modules.items[k]);
	if (!session_lower(s, &lower))
		return CLI_WRONG;
	if (s->diags.list.count)
		return CLI_FAILED;
	if (!o->quiet && o->format == CHECK_TEXT)
		tell_contents(s, files[0]);
	return CLI_OK;
}

/* Files to check together. */
struct checked {
	const struct reading_options *options;
	char *const *files;
	size_t count;
};

static int check_some(struct session *s, void *checked)
{
	const struct checked *c = checked;
	const int status = check(s, c->options, c->files, c->count);

	if (c->options->format == CHECK_TEXT)
		return status;
	check_add(c->options->found, c->options->format, &s->diags);
	s->diags.list.count = s->diags.error_count = 0; /* told */
	return status;
}

static int check_all(struct reading_options *o)
{
	int worst = CLI_OK;

	if (o->together)
		return front_in_session(check_some, &(struct checked){o, o->files.items, o->files.count}, o->colour);
	for (size_t k = 0; k < o->files.count; k++) {
		const int status = front_in_session(check_some, &(struct checked){o, &o->files.items[k], 1}, o->colour);
		if (status > worst)
			worst = status;
	}
	return worst;
}

int cli_check(int count, char **words)
{
	static const struct argp_child children[] = {{&front_common_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.args_doc = "FILE...",
		.doc = "Reads and validates PTX files, and lists every error and every instruction that is not "
		       "modelled.\vExit status: 0 all is well; 1 something is not modelled; 2 errors."};
	struct reading_options o = {.arch = NULL};

	arena_init(&o.arena, NULL);
	front_parse(&argp, count, words, &o);
	if (o.format != CHECK_TEXT)
		o.found = json_array();
	int status = check_all(&o);
	if (o.format != CHECK_TEXT && !check_print(stdout, o.format, o.found))
		status = front_no_memory();
	arena_free(&o.arena);
	return status;
}
