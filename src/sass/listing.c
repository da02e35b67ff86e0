/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading listings by their comments: an address, the low half of an instruction and on the next line the high one.
 *
 * A function begins with "Function : NAME" or ".text.NAME:".
 */
#include "sass/listing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* No function has more; a text that says so is broken. */
enum { MOST_CODE_BYTES = 1 << 28 };

struct reader {
	struct arena *arena;
	const char *at, *end; /* the current line, without its newline */
	const char *text_end;
	u32 line;
	struct cubin *to;
	u32 capacity;
	u64 code_capacity;
	u8 *code; /* of the last function */
	bool wants_high;
};

static bool next_line(struct reader *r)
{
	const char *newline;

	r->at = r->line ? r->end + 1 : r->at;
	if (r->at >= r->text_end)
		return false;
	newline = memchr(r->at, '\n', (size_t)(r->text_end - r->at));
	r->end = newline ? newline : r->text_end;
	r->line++;
	return true;
}

/* What follows a word on this line, or NULL. */
static const char *behind(const struct reader *r, const char *word)
{
	const char *found = memmem(r->at, (size_t)(r->end - r->at), word, strlen(word));

	return found ? found + strlen(word) : NULL;
}

static bool read_hex(const struct reader *r, const char *at, u64 *value)
{
	const char *p = at;

	*value = 0;
	while (p < r->end && isxdigit((unsigned char)*p) && p - at < 16) {
		const char digit = *p++;

		*value = *value << 4 | (u64)(isdigit((unsigned char)digit) ? digit - '0' : (digit | 32) - 'a' + 10);
	}
	return p > at;
}

static u32 read_target(const struct reader *r)
{
	const char *at = behind(r, "sm_");
	u32 sm = 0;

	while (at && at < r->end && isdigit((unsigned char)*at) && sm < 1000)
		sm = 10 * sm + (u32)(*at++ - '0');
	return sm;
}

static void add_function(struct reader *r, const char *name, size_t length)
{
	struct cubin *c = r->to;

	while (length && isspace((unsigned char)name[length - 1]))
		length--;
	if (c->function_count == r->capacity) {
		struct cubin_function *more = ARENA_ARRAY(r->arena, 2 * r->capacity + 8, struct cubin_function);

		if (c->function_count)
			memcpy(more, c->functions, c->function_count * sizeof *more);
		c->functions = more;
		r->capacity = 2 * r->capacity + 8;
	}
	c->functions[c->function_count++] =
		(struct cubin_function){.name = arena_copy_text(r->arena, name, length), .is_kernel = true};
	r->code = NULL;
	r->code_capacity = 0;
}

static void append(struct reader *r, u64 half)
{
	struct cubin_function *f = &r->to->functions[r->to->function_count - 1];

	if (f->code_bytes + 8 > r->code_capacity) {
		u8 *more = arena_alloc(r->arena, 2 * r->code_capacity + 1024);

		if (f->code_bytes)
			memcpy(more, r->code, f->code_bytes);
		r->code = more;
		r->code_capacity = 2 * r->code_capacity + 1024;
	}
	for (u32 k = 0; k < 8; k++)
		r->code[f->code_bytes + k] = (u8)(half >> 8 * k);
	f->code_bytes += 8;
	f->code = r->code;
}

/* Instructions that the disassembler left out leave a gap in the addresses: zeros, which are no instruction. */
static const char *read_instruction(struct reader *r, u64 address, u64 low)
{
	struct cubin_function *f = r->to->function_count ? &r->to->functions[r->to->function_count - 1] : NULL;

	if (!f)
		return "an instruction before the name of its function";
	if (address % SASS_INSN_BYTES || address < f->code_bytes || address >= MOST_CODE_BYTES)
		return "addresses do not ascend by 16";
	while (f->code_bytes < address)
		append(r, 0);
	append(r, low);
	r->wants_high = true;
	return NULL;
}

static const char *read_line(struct reader *r)
{
	const char *name = behind(r, "Function : "), *comment = behind(r, "/* 0x"), *address = behind(r, "/*");
	u64 low, at;

	if (!r->to->sm && behind(r, "sm_"))
		r->to->sm = read_target(r);
	if (name) {
		add_function(r, name, (size_t)(r->end - name));
		return NULL;
	}
	if (r->end - r->at > 7 && !strncmp(r->at, ".text.", 6) && r->end[-1] == ':') {
		add_function(r, r->at + 6, (size_t)(r->end - r->at) - 7);
		return NULL;
	}
	if (!comment || !read_hex(r, comment, &low))
		return NULL;
	if (r->wants_high) {
		r->wants_high = false;
		append(r, low);
		return NULL;
	}
	if (address == comment - 3 || !read_hex(r, address, &at))
		return "an encoding without an address";
	return read_instruction(r, at, low);
}

bool sass_listing_is(const char *text, u64 size)
{
	struct reader r = {.at = text, .text_end = text + size};

	for (u32 k = 0; k < 64 && next_line(&r); k++)
		if (behind(&r, "code for sm_") || behind(&r, ".target"))
			return read_target(&r) >= 75;
	return false;
}

bool sass_listing_read(struct arena *a, const char *text, u64 size, struct cubin *to, u32 *line, const char **why)
{
	struct reader r = {.arena = a, .at = text, .text_end = text + size, .to = to};

	memset(to, 0, sizeof *to);
	*why = NULL;
	while (!*why && next_line(&r))
		*why = read_line(&r);
	if (!*why && r.wants_high)
		*why = "the second half of the last instruction is missing";
	if (!*why && !to->function_count)
		*why = "no function with encodings (disassemble with their encodings: nvdisasm -hex)";
	*line = r.line;
	return !*why;
}
