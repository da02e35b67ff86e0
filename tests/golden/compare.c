/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of comparison: bytes, units in the last place, absolute distance, multisets.
 */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A binary floating-point format of up to 64 bits. */
struct format {
	u32 bits, exponent_bits, fraction_bits;
};

static const struct format F16 = {16, 5, 10}, BF16 = {16, 8, 7}, F32 = {32, 8, 23}, F64 = {64, 11, 52};

enum { MAX_RULES = 8 };

/* One alternative of a rule. */
struct rule {
	bool absolute; /* within 2^-limit; else within `limit` units in the last place */
	const struct format *format;
	double limit;
};

static u64 magnitude_of(const struct format *f, u64 bits) { return bits & (((u64)1 << (f->bits - 1)) - 1); }
static bool sign_of(const struct format *f, u64 bits) { return bits >> (f->bits - 1) & 1; }
static u64 infinity_of(const struct format *f) { return (((u64)1 << f->exponent_bits) - 1) << f->fraction_bits; }
static bool is_nan(const struct format *f, u64 bits) { return magnitude_of(f, bits) > infinity_of(f); }

static double value_of(const struct format *f, u64 bits)
{
	const u64 m = magnitude_of(f, bits), fraction = m & (((u64)1 << f->fraction_bits) - 1);
	const int exponent = (int)(m >> f->fraction_bits), bias = (1 << (f->exponent_bits - 1)) - 1;
	double v;

	if (m >= infinity_of(f))
		v = m == infinity_of(f) ? HUGE_VAL : (double)NAN;
	else if (exponent == 0)
		v = ldexp((double)fraction, 1 - bias - (int)f->fraction_bits);
	else
		v = ldexp((double)(fraction | (u64)1 << f->fraction_bits), exponent - bias - (int)f->fraction_bits);
	return sign_of(f, bits) ? -v : v;
}

static bool within(const struct rule *r, u64 got, u64 wanted)
{
	const struct format *f = r->format;

	if (is_nan(f, got) || is_nan(f, wanted))
		return is_nan(f, got) && is_nan(f, wanted);
	if (r->absolute) {
		const double a = value_of(f, got), b = value_of(f, wanted);
		return a == b || fabs(a - b) <= exp2(-r->limit);
	}
	/* Patterns as signed magnitudes: neighbours differ by one, both zeros are 0. */
	const s64 a = (s64)magnitude_of(f, got), b = (s64)magnitude_of(f, wanted);
	const s128 distance = (sign_of(f, got) ? -(s128)a : a) - (sign_of(f, wanted) ? -(s128)b : b);
	return (distance < 0 ? -distance : distance) <= (s128)r->limit;
}

/* The alternatives of a rule's text; 0 if one is of no known kind. */
static u32 parse_rules(const char *text, struct rule rules[MAX_RULES])
{
	static const struct {
		const char *name;
		bool absolute;
		const struct format *format;
	} kinds[] = {
		{"ulp16:", false, &F16}, {"ulp32:", false, &F32}, {"ulp64:", false, &F64}, {"ulpb16:", false, &BF16},
		{"abs16:", true, &F16},  {"abs32:", true, &F32},  {"abs64:", true, &F64},  {"absb16:", true, &BF16},
	};
	u32 count = 0;

	while (count < MAX_RULES) {
		size_t k = 0;
		while (k < COUNT_OF(kinds) && strncmp(text, kinds[k].name, strlen(kinds[k].name)))
			k++;
		if (k == COUNT_OF(kinds))
			return 0;
		char *end;
		rules[count] =
			(struct rule){kinds[k].absolute, kinds[k].format, strtod(text + strlen(kinds[k].name), &end)};
		if (rules[count++].format->bits != rules[0].format->bits)
			return 0;
		if (*end == 0)
			return count;
		if (*end != '|')
			return 0;
		text = end + 1;
	}
	return 0;
}

/* Width of the last type that the form names; 4 where it names none. */
static u32 width_of_form(const char *form)
{
	u32 width = 4;

	for (const char *dot = strchr(form, '.'); dot; dot = strchr(dot + 1, '.')) {
		char *end;
		const char *digits = dot + 1 + (dot[1] == 'b' && dot[2] == 'f');
		if (!*digits || !strchr("bfsu", *digits))
			continue;
		const long bits = strtol(digits + 1, &end, 10);
		const u32 lanes = *end == 'x' && end[1] == '2' ? 2 : *end == 'x' && end[1] == '4' ? 4 : 1;
		if (bits == 8 || bits == 16 || bits == 32 || bits == 64)
			width = (u32)bits / 8 * lanes > 8 ? 8 : (u32)bits / 8 * lanes;
	}
	return width;
}

static u64 element(const u8 *at, size_t index, u32 bytes)
{
	u64 v = 0;

	memcpy(&v, at + index * bytes, bytes);
	return v;
}

static void differ(struct difference *d, size_t index, u64 got, u64 wanted)
{
	if (d->differing++ == 0) {
		d->index = index;
		d->got = got;
		d->wanted = wanted;
	}
}

static int by_word(const void *a, const void *b)
{
	u32 x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return x < y ? -1 : x > y;
}

static enum compare_result compare_sets(const u8 *got, const u8 *wanted, size_t length, struct difference *d)
{
	u8 *a = malloc(length + 1), *b = malloc(length + 1);

	d->element_bytes = 4;
	d->count = length / 4;
	if (a && b) {
		memcpy(a, got, length);
		memcpy(b, wanted, length);
		qsort(a, d->count, 4, by_word);
		qsort(b, d->count, 4, by_word);
		for (size_t k = 0; k < d->count; k++)
			if (element(a, k, 4) != element(b, k, 4))
				differ(d, k, element(a, k, 4), element(b, k, 4));
	} else {
		d->differing = 1;
	}
	free(a);
	free(b);
	return d->differing ? COMPARE_DIFFERENT : COMPARE_SAME;
}

enum compare_result compare_buffers(const char *rule, const char *form, const u8 *got, const u8 *wanted, size_t length,
				    struct difference *d)
{
	struct rule rules[MAX_RULES];
	u32 rule_count = 0;

	*d = (struct difference){.element_bytes = width_of_form(form)};
	if (!strcmp(rule, "set32"))
		return compare_sets(got, wanted, length, d);
	if (strcmp(rule, "exact")) {
		rule_count = parse_rules(rule, rules);
		if (!rule_count)
			return COMPARE_UNKNOWN;
		d->element_bytes = rules[0].format->bits / 8;
	}
	if (length % d->element_bytes)
		d->element_bytes = 1;
	d->count = length / d->element_bytes;
	for (size_t k = 0; k < d->count; k++) {
		const u64 a = element(got, k, d->element_bytes), b = element(wanted, k, d->element_bytes);
		bool same = a == b;
		for (u32 r = 0; !same && r < rule_count; r++)
			same = within(&rules[r], a, b);
		if (!same)
			differ(d, k, a, b);
	}
	return d->differing ? COMPARE_DIFFERENT : COMPARE_SAME;
}

/* The next line of a text, with its length; moves *at past it. */
static bool next_line(const u8 **at, const u8 *end, const u8 **line, size_t *length)
{
	if (*at >= end)
		return false;
	const u8 *newline = memchr(*at, '\n', (size_t)(end - *at));
	*line = *at;
	*length = (size_t)((newline ? newline : end) - *at);
	*at = newline ? newline + 1 : end;
	return true;
}

static size_t count_line(const u8 *text, size_t size, const u8 *wanted, size_t wanted_length)
{
	const u8 *at = text, *line;
	size_t length, count = 0;

	while (next_line(&at, text + size, &line, &length))
		count += length == wanted_length && !memcmp(line, wanted, length);
	return count;
}

bool compare_lines(const u8 *a, size_t a_size, const u8 *b, size_t b_size)
{
	const u8 *at = a, *line;
	size_t length;

	if (a_size != b_size)
		return false;
	while (next_line(&at, a + a_size, &line, &length))
		if (count_line(a, a_size, line, length) != count_line(b, b_size, line, length))
			return false;
	return true;
}

void compare_print_element(char *to, size_t size, const char *rule, const char *form, u64 bits, u32 bytes)
{
	struct rule rules[MAX_RULES];
	const struct format *f = NULL;
	const bool brain = strstr(form, ".bf16") != NULL;

	if (strcmp(rule, "exact") && strcmp(rule, "set32") && parse_rules(rule, rules))
		f = rules[0].format;
	else if ((brain || strstr(form, ".f16")) && bytes == 2)
		f = brain ? &BF16 : &F16;
	else if (strstr(form, ".f32") && bytes == 4)
		f = &F32;
	else if (strstr(form, ".f64") && bytes == 8)
		f = &F64;
	if (f)
		snprintf(to, size, "0x%0*llx (%.*g)", (int)bytes * 2, (unsigned long long)bits, f == &F64 ? 17 : 9,
			 value_of(f, bits));
	else
		snprintf(to, size, "0x%0*llx", (int)bytes * 2, (unsigned long long)bits);
}
