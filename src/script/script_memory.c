/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing the statements about memory that the script gives and takes as a host program does: alloc, fill, read, free.
 */
#include <string.h>

#include "script/script.h"

void script_parse_alloc(struct script *s, struct lex *l, struct script_statement *st)
{
	struct buffer about = {.span = l->span, .is_allocated = true};

	if (!script_parse_new_name(s, l, &about, "alloc NAME TYPE[N]"))
		return;
	about.type = l->kind == LEX_NAME ? element_find(l->name, strlen(l->name)) : ELEMENT_TYPE_COUNT;
	if (about.type == ELEMENT_TYPE_COUNT) {
		lex_error(l, "an element type expected (u8 to u64, s8 to s64, b8 to b64, f16, bf16, f32, f64)");
		return;
	}
	lex_next(l);
	if (!script_parse_shape(s, l, &about))
		return;
	about.is_async = lex_take(l, "async");
	if (l->kind != LEX_END) {
		lex_error(l, "what is allocated has no contents yet: write them with fill %s GENERATOR", about.name);
		return;
	}
	st->buffer = script_add_buffer(s, about.name, about.span);
	*st->buffer = about;
}

/* A buffer that exists, by its name; NULL after an error. */
static struct buffer *parse_name(struct script *s, struct lex *l, const char *usage)
{
	struct buffer *b = l->kind == LEX_NAME ? script_find_buffer(s, l->name) : NULL;

	if (b)
		lex_next(l);
	else
		lex_error(l, "a buffer's name expected: %s", usage);
	return b;
}

/* NAME, of which all is meant, or NAME[A:B]: elements A to B - 1. */
static bool parse_part(struct script *s, struct lex *l, const struct buffer *b, struct script_statement *st)
{
	struct buffer *part = st->part = ARENA_NEW(s->arena, struct buffer);
	u64 end;

	st->buffer = (struct buffer *)(uintptr_t)b;
	*part = (struct buffer){.name = b->name, .type = b->type, .rank = b->rank, .count = b->count, .span = b->span};
	memcpy(part->dims, b->dims, sizeof part->dims);
	if (!lex_take(l, "["))
		return true;
	if (!script_parse_count(s, l, 0, b->count, &st->first) || !lex_expect(l, ":") ||
	    !script_parse_count(s, l, st->first, b->count, &end) || !lex_expect(l, "]"))
		return false;
	part->rank = 1;
	part->count = part->dims[0] = end - st->first;
	return true;
}

void script_parse_fill(struct script *s, struct lex *l, struct script_statement *st)
{
	const struct buffer *b = parse_name(s, l, "fill NAME[A:B] GENERATOR");

	if (!b)
		return;
	if (parse_part(s, l, b, st))
		script_parse_generator(s, l, st->part);
}

void script_parse_read(struct script *s, struct lex *l, struct script_statement *st)
{
	const struct buffer *b = parse_name(s, l, "read NAME, or read NAME[A:B]");

	if (b && parse_part(s, l, b, st) && l->kind != LEX_END)
		lex_error(l, "nothing may follow: read NAME[A:B]");
}

void script_parse_free(struct script *s, struct lex *l, struct script_statement *st)
{
	struct buffer *b = parse_name(s, l, "free NAME, or free NAME + BYTES");

	if (!b)
		return;
	if (!b->is_allocated) {
		lex_error(l, "'%s' is not the script's to free: make it with alloc", b->name);
		return;
	}
	st->buffer = b;
	if (lex_take(l, "+"))
		script_parse_count(s, l, 0, UINT32_MAX, &st->first);
}
