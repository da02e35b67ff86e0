/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch's counts by instruction, by line of the PTX text, or by line of the source that it was
 * compiled from. They come one at a time, by file and number, so that memory holds one.
 */
#ifndef PTXSIM_OBSERVE_LINES_H
#define PTXSIM_OBSERVE_LINES_H

#include "observe/accounting.h"

enum line_kind { LINES_INSTRUCTION, LINES_PTX, LINES_SOURCE };

struct account_line {
	const char *file;
	u32 line;
	const char *function; /* that the line's code was inlined from, as mangled; or NULL */
	const char *text;     /* LINES_INSTRUCTION: the instruction's, `length` bytes; else NULL */
	u32 length;
	const char *source; /* LINES_PTX: the file and line of its first .loc; or NULL */
	u32 source_line;
	/* Sums over the line's instructions: operations and facts, which counter_value reads; the rest
	 * is empty. A launch's own facts (blocks, occupancy) are 0. */
	struct account_run own;
	/* What was inlined at the line from elsewhere, counted under its own lines too. */
	struct account_run inlined;
	bool has_own, has_inlined;
	struct account total; /* own operations together, with the costliest execution */
};

typedef void line_visitor(void *context, const struct account_line *line);

/* Visits every line that ran; the visitor's line lives for the call. Scratch memory comes from the
 * arena. False if memory ran out. */
bool lines_visit(const struct accounting *a, const struct account_run *run, enum line_kind kind, struct arena *arena,
		 line_visitor *visit, void *context);

#endif
