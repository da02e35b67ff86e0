/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim compare: two JSON reports beside each other.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "report/comparison.h"
#include "report/html.h"

struct compare_options {
	const char *files[2];
	int count;
	bool html;
	enum colour_choice colour;
};

static const struct argp_option options[] = {
	{"report", 'r', "KIND", 0, "text (default) or html, on standard output", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct compare_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->colour;
		return 0;
	case 'r':
		if (strcmp(text, "text") && strcmp(text, "html"))
			argp_error(state, "unknown kind of comparison '%s': expected text or html", text);
		o->html = *text == 'h';
		return 0;
	case ARGP_KEY_ARG:
		if (o->count == 2)
			argp_error(state, "more than two files given");
		o->files[o->count++] = text;
		return 0;
	case ARGP_KEY_END:
		if (o->count < 2)
			argp_error(state, "two files must be given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cli_compare(int count, char **words)
{
	static const struct argp_child children[] = {{&front_common_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {.options = options,
					 .parser = parse_option,
					 .children = children,
					 .args_doc = "A.json B.json",
					 .doc = "Compares two reports that 'ptxsim run --report json' made: of two "
						"runs, or of two architectures."};
	struct compare_options o = {.count = 0};
	bool ok = false;

	front_parse(&argp, count, words, &o);
	json_t *const reports[2] = {report_load(o.files[0]), report_load(o.files[1])};
	if (reports[0] && reports[1] && o.html) {
		ok = report_html_comparison(stdout, o.files, reports);
	} else if (reports[0] && reports[1]) {
		report_comparison(stdout, o.files, reports);
		ok = true;
	}
	json_decref(reports[0]);
	json_decref(reports[1]);
	return ok && !fflush(stdout) ? CLI_OK : CLI_WRONG;
}
