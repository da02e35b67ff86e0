/* SPDX-License-Identifier: Apache-2.0
 *
 * Colours of messages.
 */
#include "front/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool colour_for(enum colour_choice choice, FILE *to)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (choice != COLOUR_AUTO)
		return choice == COLOUR_ALWAYS;
	return isatty(fileno(to)) && !(none && *none) && !(terminal && !strcmp(terminal, "dumb"));
}

enum colour_choice colour_of_ranks(enum colour_choice choice) { return choice == COLOUR_AUTO ? COLOUR_NEVER : choice; }

const char *colour_failure(bool colour) { return colour ? "\033[1;31m" : ""; }
const char *colour_success(bool colour) { return colour ? "\033[32m" : ""; }
const char *colour_end(bool colour) { return colour ? "\033[0m" : ""; }

void colour_fault(FILE *to, const char *message, bool colour)
{
	const int first = (int)strcspn(message, "\n");

	fprintf(to, "%s%.*s%s%s\n", colour_failure(colour), first, message, colour_end(colour), message + first);
}
