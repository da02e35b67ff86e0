/* SPDX-License-Identifier: Apache-2.0
 *
 * Printing. A format has what CUDA's manual lists: flags "-+ #0", the width as digits or '*', the precision as digits,
 * the sizes h, l and ll, and the letters of C. Where a '%' begins nothing of that kind, such as %zu, %hhd or %.*f, it is
 * text, and no number is read for it, which the result shows (recorded: tests/unit/printf-formats.tsv). The driver hands
 * what follows such a '%' to the host's printf, with whatever numbers stand there; here it stays text.
 */
#include "sem/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sregs.h"

/* As much as the driver's buffer holds. */
enum { TEXT_MAX = 1 << 20, STAR_LIMIT = 100000 };

/* A text that grows: within itself while it is short, so that kernels that print much do not fill the arena. */
struct output {
	struct arena *arena;
	char *text, *heap; /* heap: to be freed */
	size_t length, room;
	char small[512];
};

/* Short texts need no allocation. */
static void output_open(struct output *o, const struct warp *w)
{
	o->arena = &w->worker->arena;
	o->text = o->small;
	o->heap = NULL;
	o->length = 0;
	o->room = sizeof o->small;
}

static void output_close(struct output *o) { free(o->heap); }

/* By doubling. Without memory the arena unwinds to the launch, as everywhere. */
static void reserve(struct output *o, size_t more)
{
	if (more <= o->room - o->length)
		return;
	const size_t room = 2 * (o->length + more);
	char *heap = malloc(room);
	char *text = heap ? heap : arena_alloc(o->arena, room); /* which says that memory ran out */
	memcpy(text, o->text, o->length);
	free(o->heap);
	o->text = text;
	o->heap = heap;
	o->room = room;
}

static void put(struct output *o, const char *text, size_t length)
{
	if (length > TEXT_MAX - o->length)
		length = TEXT_MAX - o->length;
	reserve(o, length);
	memcpy(o->text + o->length, text, length);
	o->length += length;
}

/* Adds the NUL-terminated text at a generic address, with its NUL. False: fault raised. */
static bool read_text(struct warp *w, const struct insn *i, u32 lane, u64 address, struct output *o)
{
	char letter = 1;

	for (u64 at = address; letter; at++) {
		if (!lane_read(w, i, lane, SPACE_GENERIC, at, &letter, 1))
			return false;
		if (o->length == TEXT_MAX - 1)
			letter = 0;
		put(o, &letter, 1);
	}
	return true;
}

/* --- vprintf ---------------------------------------------------------------------------------- */

struct conversion {
	char spec[16]; /* as C's printf takes it, width and precision given as '*' */
	char letter;
	bool wide, is_short;
	bool has_width, has_precision, star_width;
	int width, precision;
	const char *end; /* behind it in the format */
};

static int read_digits(const char **p)
{
	int value = 0;

	for (; **p >= '0' && **p <= '9'; ++*p)
		value = value < STAR_LIMIT ? value * 10 + (**p - '0') : value;
	return value;
}

static void read_size(const char **p, struct conversion *c)
{
	if (**p == 'h') {
		c->is_short = true;
		++*p;
	} else if (**p == 'l') {
		c->wide = true;
		*p += (*p)[1] == 'l' ? 2 : 1;
	}
}

/* Flags may be repeated; each stands once in the C format. */
static const char *read_flags(const char *p, struct conversion *c)
{
	size_t n = strlen(c->spec);

	for (; *p && strchr("-+ #0", *p); p++)
		if (!strchr(c->spec, *p)) {
			c->spec[n++] = *p;
			c->spec[n] = 0;
		}
	return p;
}

/* Parses what stands after '%'. False if it is no conversion the driver knows. */
static bool parse_conversion(const char *p, struct conversion *c)
{
	*c = (struct conversion){.spec = "%"};
	p = read_flags(p, c);
	c->star_width = *p == '*';
	c->has_width = c->star_width || (*p >= '1' && *p <= '9');
	if (c->star_width)
		p++;
	else
		c->width = read_digits(&p);
	c->has_precision = *p == '.';
	if (c->has_precision) {
		p++;
		c->precision = read_digits(&p);
	}
	read_size(&p, c);
	if (!*p || !strchr("diouxXeEfFgGaAcspn", *p))
		return false;
	c->letter = *p;
	c->end = p + 1;
	strcat(c->spec, c->has_width ? "*" : "");
	strcat(c->spec, c->has_precision ? ".*" : "");
	strcat(c->spec, strchr("diouxX", *p) && c->wide ? "ll" : "");
	strncat(c->spec, p, 1);
	c->wide = *p != 'c' && (c->wide || *p == 'p' || strchr("eEfFgGaAs", *p));
	return true;
}

/* Reads the next number of the argument block, aligned to its size. */
static bool next_value(struct warp *w, const struct insn *i, u32 lane, u64 *at, u32 size, u64 *value)
{
	*at = (*at + size - 1) & ~(u64)(size - 1);
	*value = 0;
	if (!lane_read(w, i, lane, SPACE_GENERIC, *at, value, size))
		return false;
	*at += size;
	return true;
}

/* The number for '*', which counts as read. */
static bool read_star(struct warp *w, const struct insn *i, u32 lane, u64 *at, struct conversion *c, u64 *read)
{
	u64 value;

	if (c->star_width) {
		if (!next_value(w, i, lane, at, 4, &value))
			return false;
		c->width = (int)value % STAR_LIMIT;
		++*read;
	}
	return true;
}

/* %hd and its like take the low half of the number. */
static unsigned shortened(const struct conversion *c, u32 value)
{
	if (!c->is_short)
		return value;
	return strchr("di", c->letter) ? (u32)(s32)(s16)value : (u16)value;
}

/* The C library does the work; VALUE is of the type that the conversion takes. */
#define FORMAT(VALUE)                                                                                    \
	(c->has_width && c->has_precision ? snprintf(text, size, c->spec, c->width, c->precision, VALUE) \
	 : c->has_width                   ? snprintf(text, size, c->spec, c->width, VALUE)               \
	 : c->has_precision               ? snprintf(text, size, c->spec, c->precision, VALUE)           \
					  : snprintf(text, size, c->spec, VALUE))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int format_value(const struct conversion *c, char *text, size_t size, u64 value, const char *string)
{
	switch (c->letter) {
	case 's':
		return FORMAT(string);
	case 'p':
		return FORMAT((void *)(uintptr_t)value);
	case 'c':
		return FORMAT((int)(unsigned char)value);
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		return FORMAT(f64_of_bits(value));
	default:
		return c->wide ? FORMAT((unsigned long long)value) : FORMAT(shortened(c, (u32)value));
	}
}
#pragma GCC diagnostic pop

static void add_value(struct output *o, const struct conversion *c, u64 value, const char *string)
{
	const int length = format_value(c, NULL, 0, value, string);

	if (length <= 0 || (size_t)length > TEXT_MAX - o->length)
		return;
	reserve(o, (size_t)length + 1);
	format_value(c, o->text + o->length, (size_t)length + 1, value, string);
	o->length += (size_t)length;
}

static bool convert(struct warp *w, const struct insn *i, u32 lane, u64 *at, struct conversion *c, struct output *o,
		    u64 *read)
{
	struct output string;
	bool ok = true;
	u64 value;

	if (!read_star(w, i, lane, at, c, read) || !next_value(w, i, lane, at, c->wide ? 8 : 4, &value))
		return false;
	++*read;
	output_open(&string, w);
	if (c->letter == 's' && value)
		ok = read_text(w, i, lane, value, &string);
	if (ok && c->letter != 'n')
		add_value(o, c, value, value ? string.text : NULL);
	output_close(&string);
	return ok;
}

static void hand_over(const struct warp *w, bool is_error, const char *text, size_t length)
{
	const struct launch *l = w->grid->launch;

	pthread_mutex_lock(&w->grid->print_lock);
	if (is_error && l->print_error)
		l->print_error(l->print_context, text, length);
	else if (l->print)
		l->print(l->print_context, text, length);
	pthread_mutex_unlock(&w->grid->print_lock);
}

/* The whole format, into *o. */
static bool format_all(struct warp *w, const struct insn *i, u32 lane, const char *p, u64 block, struct output *o,
		       u64 *read)
{
	while (*p) {
		struct conversion c;
		if (*p != '%' || p[1] == '%') {
			put(o, p, 1);
			p += *p == '%' ? 2 : 1;
		} else if (!parse_conversion(p + 1, &c)) {
			put(o, p++, 1);
		} else {
			if (!convert(w, i, lane, &block, &c, o, read))
				return false;
			p = c.end;
		}
	}
	return true;
}

bool print_format(struct warp *w, const struct insn *i, u32 lane, u64 format, u64 block, u64 *read)
{
	struct output text, words;

	*read = 0;
	output_open(&text, w);
	output_open(&words, w);
	const bool ok = read_text(w, i, lane, format, &words) && format_all(w, i, lane, words.text, block, &text, read);
	if (ok)
		hand_over(w, false, text.text, text.length);
	output_close(&words);
	output_close(&text);
	return ok;
}

/* --- Assertions ------------------------------------------------------------------------------- */

static void put_format(struct output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_format(struct output *o, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	const int length = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	put(o, text, min_u64((u64)length, sizeof text - 1));
}

/* Takes back the NUL behind the last text. */
static void put_text(struct output *o, const char *text)
{
	o->length--;
	put(o, text, strlen(text));
}

bool print_assertion(struct warp *w, const struct insn *i, u32 lane, const struct assertion *a)
{
	struct output o;
	bool ok;

	output_open(&o, w);
	ok = read_text(w, i, lane, a->file, &o);
	if (ok)
		put_text(&o, "");
	put_format(&o, ":%u: ", a->line);
	ok = ok && read_text(w, i, lane, a->function, &o);
	if (ok)
		put_text(&o, ": block: [");
	for (u32 k = 0; k < 3; k++)
		put_format(&o, "%u%s", (u32)sreg_value(w, SREG_ctaid, k, lane), k < 2 ? "," : "], thread: [");
	for (u32 k = 0; k < 3; k++)
		put_format(&o, "%u%s", (u32)sreg_value(w, SREG_tid, k, lane), k < 2 ? "," : "] Assertion `");
	ok = ok && read_text(w, i, lane, a->expression, &o);
	if (ok) {
		put_text(&o, "` failed.\n");
		hand_over(w, true, o.text, o.length);
	}
	output_close(&o);
	return ok;
}

bool print_string(struct warp *w, const struct insn *i, u32 lane, u64 address, char *text, size_t size)
{
	struct output o;

	output_open(&o, w);
	const bool ok = read_text(w, i, lane, address, &o);
	if (ok)
		snprintf(text, size, "%s", o.text);
	output_close(&o);
	return ok;
}
