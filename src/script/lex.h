/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of the launch language, one line at a time. Errors go to diagnostics with their place in
 * the text; after one, the rest of the line is skipped.
 */
#ifndef PTXSIM_SCRIPT_LEX_H
#define PTXSIM_SCRIPT_LEX_H

#include "base/diag.h"
#include "base/strings.h"
#include "script/element.h"

enum lex_kind { LEX_END, LEX_NAME, LEX_NUMBER, LEX_STRING, LEX_MARK };

struct lex {
	struct arena *arena;
	struct strings *strings;
	struct diags *diags;
	u32 file;         /* number of the text */
	const char *text; /* the whole text */
	u32 at, end;      /* rest of the line, byte offsets */
	bool failed;      /* an error was reported on this line */
	/* The word ahead. */
	enum lex_kind kind;
	struct span span;
	const char *name;     /* NAME and STRING: interned text */
	struct number number; /* NUMBER */
	char mark[3];         /* MARK: one or two characters */
};

/* Starts on bytes [begin, end) of the text and reads the first word. */
void lex_start(struct lex *l, u32 begin, u32 end);
void lex_next(struct lex *l);
bool lex_is(const struct lex *l, const char *mark_or_name);
/* Goes past the word if it is that mark or name. */
bool lex_take(struct lex *l, const char *mark_or_name);
/* The same; an error if it is another. */
bool lex_expect(struct lex *l, const char *mark_or_name);
void lex_error(struct lex *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The name ahead, which C++ may have given parts: "scale<float>", "shapes::area<3>". Interned. */
const char *lex_qualified_name(struct lex *l);
/* The rest of the line up to a blank, as a file name: it may be quoted. NULL at the end. */
const char *lex_path(struct lex *l);

#endif
