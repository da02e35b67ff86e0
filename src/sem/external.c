/* SPDX-License-Identifier: Apache-2.0
 *
 * System functions. vprintf formats as the CUDA run time does: %s takes a pointer to device
 * memory, %n nothing; numbers stand in the argument block at their natural alignment; the result is how many
 * were read (recorded: warp-system). malloc takes
 * from the launch's heap; free of anything else is a fault.
 */
#include "sem/external.h"

#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096, HEAP_DEFAULT = 8 << 20, HEAP_ALIGN = 16 };

/* Reads argument number k of the call for one lane. */
static u64 argument(const struct warp *w, const u8 *rows, const struct call_site *site, u32 k, u32 lane)
{
	const struct call_transfer *t = &site->in[k];
	u64 value = 0;

	for (u32 at = 0; at < t->bytes && at < 8; at += 4) {
		const u32 step = min_u32(4, t->bytes - at);
		if (t->from_kernel_param)
			memcpy((u8 *)&value + at, w->machine->launch->params + t->from + at, step);
		else if (t->from_register)
			memcpy((u8 *)&value + at, rows + t->from + (size_t)lane * (t->bytes <= 4 ? 4 : 8) + at, step);
		else
			memcpy((u8 *)&value + at, local_word(w, w->frame->local_base + t->from + at, lane), step);
	}
	return value;
}

static void give_result(struct warp *w, u8 *rows, const struct call_site *site, u32 lane, u64 value)
{
	if (!site->out_count)
		return;
	const struct call_transfer *t = &site->out[0];
	for (u32 at = 0; at < t->bytes && at < 8; at += 4) {
		if (t->to_register)
			memcpy(rows + t->to + (size_t)lane * (t->bytes <= 4 ? 4 : 8) + at, (u8 *)&value + at, 4);
		else
			memcpy(local_word(w, w->frame->local_base + t->to + at, lane), (u8 *)&value + at, 4);
	}
}

/* --- vprintf -------------------------------------------------------------------------------- */

struct output {
	char text[LINE_MAX_BYTES];
	size_t length;
};

static void put(struct output *o, const char *text, size_t length)
{
	if (length > sizeof o->text - o->length)
		length = sizeof o->text - o->length;
	memcpy(o->text + o->length, text, length);
	o->length += length;
}

/* A NUL-terminated text in guest memory; false: fault raised. */
static bool read_text(struct warp *w, const struct insn *i, u32 lane, u64 address, char *text, size_t size)
{
	for (size_t k = 0; k + 1 < size; k++) {
		if (!lane_read(w, i, lane, SPACE_GENERIC, address + k, &text[k], 1))
			return false;
		if (!text[k])
			return true;
	}
	text[size - 1] = 0;
	return true;
}

struct conversion {
	char spec[40]; /* as C's printf takes it, length modifier adapted */
	char letter;
	bool wide, is_short;
	const char *end; /* behind it in the format */
};

/* Parses what stands after '%'. False if it is no conversion the run time knows. */
static bool parse_conversion(const char *p, struct conversion *c)
{
	size_t n = 0;
	int longs = 0;

	c->is_short = false;
	c->spec[n++] = '%';
	while (*p && strchr("-+ #0123456789.*", *p) && n < 24)
		c->spec[n++] = *p++;
	for (; *p == 'l' || *p == 'h' || *p == 'j' || *p == 't' || *p == 'L'; p++) {
		longs += *p == 'l' || *p == 'j' || *p == 't';
		c->is_short |= *p == 'h';
	}
	if (!*p || !strchr("diouxXeEfFgGaAcspn", *p))
		return false;
	c->letter = *p;
	c->wide = longs > 0 || *p == 'p' || strchr("eEfFgGaAs", *p) != NULL;
	if (strchr("diouxX", *p) && c->wide)
		c->spec[n++] = 'l', c->spec[n++] = 'l';
	c->spec[n++] = *p == 'p' ? 'p' : *p;
	c->spec[n] = 0;
	c->end = p + 1;
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

/* Replaces each '*' of a conversion by the number that the arguments give. */
static bool fill_stars(struct warp *w, const struct insn *i, u32 lane, u64 *at, struct conversion *c, u64 *values)
{
	char *star;

	while ((star = strchr(c->spec, '*'))) {
		char number[12], rest[40];
		u64 value;
		if (!next_value(w, i, lane, at, 4, &value))
			return false;
		++*values;
		snprintf(number, sizeof number, "%d", (int)(u32)value % 10000);
		snprintf(rest, sizeof rest, "%s", star + 1);
		snprintf(star, (size_t)(c->spec + sizeof c->spec - star), "%s%s", number, rest);
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

static bool convert(struct warp *w, const struct insn *i, u32 lane, u64 *at, struct conversion *c, struct output *o,
		    u64 *values)
{
	char text[1200], string[1024];
	u64 value;
	int length;

	if (!fill_stars(w, i, lane, at, c, values) || !next_value(w, i, lane, at, c->wide ? 8 : 4, &value))
		return false;
	++*values;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	switch (c->letter) {
	case 's':
		if (!value)
			strcpy(string, "(null)");
		else if (!read_text(w, i, lane, value, string, sizeof string))
			return false;
		length = snprintf(text, sizeof text, c->spec, string);
		break;
	case 'n':
		return true;
	case 'p':
		length = snprintf(text, sizeof text, c->spec, (void *)(uintptr_t)value);
		break;
	case 'c':
		text[0] = (char)value;
		length = 1;
		break;
	case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
		length = snprintf(text, sizeof text, c->spec, f64_of_bits(value));
		break;
	default:
		length = c->wide ? snprintf(text, sizeof text, c->spec, (unsigned long long)value)
				 : snprintf(text, sizeof text, c->spec, shortened(c, (u32)value));
	}
#pragma GCC diagnostic pop
	if (length > 0)
		put(o, text, min_u64((u64)length, sizeof text - 1));
	return true;
}

static bool print(struct warp *w, const struct insn *i, u8 *rows, const struct call_site *site, u32 lane)
{
	struct output o = {.length = 0};
	char format[2048];
	u64 at = argument(w, rows, site, 1, lane);

	if (!read_text(w, i, lane, argument(w, rows, site, 0, lane), format, sizeof format))
		return false;
	u64 values = 0;
	for (const char *p = format; *p;) {
		struct conversion c;
		if (*p != '%' || p[1] == '%') {
			put(&o, p, 1);
			p += *p == '%' ? 2 : 1;
		} else if (!parse_conversion(p + 1, &c)) {
			put(&o, p++, 1);
		} else {
			if (!convert(w, i, lane, &at, &c, &o, &values))
				return false;
			p = c.end;
		}
	}
	if (w->machine->launch->print)
		w->machine->launch->print(w->machine->launch->print_context, o.text, o.length);
	give_result(w, rows, site, lane, values);
	return true;
}

/* --- malloc, free, __assertfail ------------------------------------------------------------- */

static void allocate(struct warp *w, u8 *rows, const struct call_site *site, u32 lane)
{
	struct memory *m = w->machine->memory;
	const u64 heap = w->machine->launch->heap_bytes ? w->machine->launch->heap_bytes : HEAP_DEFAULT;
	const u64 size = argument(w, rows, site, 0, lane);
	u64 address = 0;

	if (size && size <= heap && w->machine->heap_used + size <= heap) {
		address = memory_allocate(m, size, HEAP_ALIGN, "device heap", ALLOCATION_HEAP);
		if (address)
			w->machine->heap_used += size;
	}
	give_result(w, rows, site, lane, address);
}

static bool release(struct warp *w, const struct insn *i, u8 *rows, const struct call_site *site, u32 lane)
{
	struct memory *m = w->machine->memory;
	const u64 address = argument(w, rows, site, 0, lane);
	struct allocation a;

	if (!address)
		return true;
	if (!memory_look(m, address, 1, &a) || a.base != address || !(a.flags & ALLOCATION_HEAP)) {
		warp_fault_free(w, i, lane, address);
		return false;
	}
	w->machine->heap_used -= a.size;
	const struct code *code = w->frame->code;
	memory_release_by(m, address,
			  &(struct memory_act){code, (u32)(i - machine_entry(w->machine, code)), w->block->index,
					       w->index * WARP_LANES + lane});
	return true;
}

static bool assertion(struct warp *w, const struct insn *i, u8 *rows, const struct call_site *site, u32 lane)
{
	char message[160] = "?", file[160] = "?", function[160] = "?";

	if (!read_text(w, i, lane, argument(w, rows, site, 0, lane), message, sizeof message) ||
	    !read_text(w, i, lane, argument(w, rows, site, 1, lane), file, sizeof file) ||
	    !read_text(w, i, lane, argument(w, rows, site, 3, lane), function, sizeof function))
		return false;
	warp_fault(w, i, FAULT_ASSERT, 1u << lane, "%s:%u: %s: assertion `%s' failed", file,
		   (u32)argument(w, rows, site, 2, lane), function, message);
	return false;
}

const struct insn *external_call(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
				 const struct call_site *site)
{
	for (u32 lane = 0; lane < WARP_LANES; lane++) {
		bool ok = true;
		if (!(mask >> lane & 1))
			continue;
		if (!strcmp(site->external, "vprintf") && site->in_count >= 2)
			ok = print(w, i, rows, site, lane);
		else if (!strcmp(site->external, "malloc") && site->in_count >= 1)
			allocate(w, rows, site, lane);
		else if (!strcmp(site->external, "free") && site->in_count >= 1)
			ok = release(w, i, rows, site, lane);
		else if (!strcmp(site->external, "__assertfail") && site->in_count >= 4)
			ok = assertion(w, i, rows, site, lane);
		else
			return warp_fault(w, i, FAULT_UNMODELLED, mask, "system function '%s'", site->external);
		if (!ok)
			return NULL;
	}
	return i + 1;
}
