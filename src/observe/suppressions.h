/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings that nobody wants to hear of: a file with a line for each, as the finding itself prints it ("race k.cu:18
 * k.cu:12"). '*' stands for any text, '?' for any character; '#' begins a comment.
 */
#ifndef PTXSIM_OBSERVE_SUPPRESSIONS_H
#define PTXSIM_OBSERVE_SUPPRESSIONS_H

#include <stdio.h>

#include "base/arena.h"

struct suppressions {
	char **lines;
	size_t count;
};

/* Reads the file; false if it cannot be read. The lines live as long as the arena. */
bool suppressions_read(struct suppressions *s, struct arena *arena, const char *path);
/* Does a line cover the finding, whose own line is `text`? */
bool suppressions_cover(const struct suppressions *s, const char *text);
/* Warns on `to`, in lines that begin with the path and the line's number, of lines that no finding can have. */
void suppressions_warn(const char *path, FILE *to);

#endif
