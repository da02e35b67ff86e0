/* SPDX-License-Identifier: Apache-2.0
 *
 * Colours, and the options that all commands have.
 */
#include "front/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_COLOUR = 0x5000, COMMON_GROUP = -1 };

static const struct argp_option options[] = {
	{"color", OPTION_COLOUR, "WHEN", OPTION_ARG_OPTIONAL,
	 "Colour messages: auto (default: on a terminal, unless NO_COLOR is set), always, never", COMMON_GROUP},
	{"colour", OPTION_COLOUR, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, COMMON_GROUP},
	{NULL, 'h', NULL, OPTION_HIDDEN, "The same as --help", COMMON_GROUP},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	static const char *const words[] = {
		[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never"};
	enum colour_choice *choice = state->input;

	switch (key) {
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case OPTION_COLOUR:
		for (size_t k = 0; k < COUNT_OF(words); k++)
			if (!strcmp(text ? text : "always", words[k])) {
				*choice = (enum colour_choice)k;
				return 0;
			}
		argp_error(state, "--color is auto, always or never, not '%s'", text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp front_common_argp = {.options = options, .parser = parse};

bool colour_for(enum colour_choice choice, FILE *to)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (choice != COLOUR_AUTO)
		return choice == COLOUR_ALWAYS;
	return isatty(fileno(to)) && !(none && *none) && !(terminal && !strcmp(terminal, "dumb"));
}

const char *colour_failure(bool colour) { return colour ? "\033[1;31m" : ""; }
const char *colour_success(bool colour) { return colour ? "\033[32m" : ""; }
const char *colour_end(bool colour) { return colour ? "\033[0m" : ""; }

void colour_fault(FILE *to, const char *message, bool colour)
{
	const int first = (int)strcspn(message, "\n");

	fprintf(to, "%s%.*s%s%s\n", colour_failure(colour), first, message, colour_end(colour), message + first);
}
