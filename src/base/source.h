/* SPDX-License-Identifier: Apache-2.0
 *
 * Source texts and places in them. A place is a byte range of one text; line and column are
 * computed when something is printed.
 */
#ifndef PTXSIM_BASE_SOURCE_H
#define PTXSIM_BASE_SOURCE_H

#include "base/arena.h"

/* A byte range of text number `file`; begin == end marks a point. */
struct span {
	u32 file, begin, end;
};

struct source {
	const char *name; /* as the user gave it */
	const char *text; /* `length` bytes, then a NUL */
	size_t length;
	u32 *line_starts; /* byte offset of each line's first byte */
	u32 line_count;
};

struct sources {
	struct arena *arena;
	VEC_OF(struct source *) files;
	VEC_OF(const char *) folders; /* where files that texts name as their sources may lie, too: ir/origin.h */
};

/* Adds a text (copied) and returns its number. Texts over 1 GiB are the caller's to refuse. */
u32 source_add(struct sources *s, const char *name, const char *text, size_t length);

/* Line and column of a byte, both from 1; the column counts bytes. */
void source_place(const struct source *s, u32 offset, u32 *line, u32 *column);

#endif
