/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types: names, reading, writing, printing, distance.
 */
#include "script/element.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number/convert.h"

static const struct {
	const char *name;
	u32 bytes;
	char kind;
} types[] = {
#define X(name, bytes, kind) {#name, bytes, kind},
	ELEMENT_TYPES(X)
#undef X
};

enum element_type element_find(const char *name, size_t length)
{
	for (u32 k = 0; k < ELEMENT_TYPE_COUNT; k++)
		if (strlen(types[k].name) == length && !memcmp(types[k].name, name, length))
			return (enum element_type)k;
	return ELEMENT_TYPE_COUNT;
}

const char *element_name(enum element_type type) { return types[type].name; }
u32 element_bytes(enum element_type type) { return types[type].bytes; }
char element_class(enum element_type type) { return types[type].kind; }

static u64 read_bits(enum element_type type, const u8 *from)
{
	u64 bits = 0;

	memcpy(&bits, from, types[type].bytes);
	return bits;
}

struct number element_read(enum element_type type, const u8 *from)
{
	const u64 bits = read_bits(type, from);
	const u32 spare = 64 - 8 * types[type].bytes;

	switch (type) {
	case ELEMENT_f16:
		return number_float(f64_of_bits(f64_from_f16((u16)bits)));
	case ELEMENT_bf16:
		return number_float(f64_of_bits(f64_from_bf16((u16)bits)));
	case ELEMENT_f32:
		return number_float(f32_of_bits((u32)bits));
	case ELEMENT_f64:
		return number_float(f64_of_bits(bits));
	default:
		if (types[type].kind == 's')
			return number_int((s64)(bits << spare) >> spare);
		return number_int((s64)bits);
	}
}

s64 number_as_int(struct number n)
{
	if (!n.is_float)
		return n.i;
	if (!(n.f >= -0x1p63 && n.f < 0x1p64))
		return 0;
	return n.f < 0x1p63 ? (s64)n.f : (s64)(u64)n.f;
}

void element_write(enum element_type type, u8 *to, struct number n)
{
	const f64 f = number_as_float(n);
	u64 bits;

	switch (type) {
	case ELEMENT_f16:
		bits = f16_from_f64(bits_of_f64(f), ROUND_RN);
		break;
	case ELEMENT_bf16:
		bits = bf16_from_f64(bits_of_f64(f), ROUND_RN);
		break;
	case ELEMENT_f32:
		bits = bits_of_f32((f32)f);
		break;
	case ELEMENT_f64:
		bits = bits_of_f64(f);
		break;
	default:
		bits = (u64)number_as_int(n);
	}
	memcpy(to, &bits, types[type].bytes);
}

/* "%g" gives numbers with fewer digits than stand before the point an exponent. */
static int digits_before_point(f64 value)
{
	int digits = 1;

	for (f64 power = 10; power <= 1e6 && fabs(value) >= power; power *= 10)
		digits++;
	return fabs(value) < 1e7 ? digits : 1;
}

/* The fewest digits that read back as the same element; no exponent for numbers below ten million. */
static int print_float(enum element_type type, const u8 *from, f64 value, char *text, size_t size)
{
	int length = 0;

	if (isnan(value))
		return snprintf(text, size, "nan");
	for (int digits = digits_before_point(value); digits <= 17; digits++) {
		u8 back[8];
		length = snprintf(text, size, "%.*g", digits, value);
		element_write(type, back, number_float(strtod(text, NULL)));
		if (!memcmp(back, from, types[type].bytes))
			break;
	}
	return length;
}

int element_print(enum element_type type, const u8 *from, char *text, size_t size)
{
	const struct number n = element_read(type, from);

	if (n.is_float)
		return print_float(type, from, n.f, text, size);
	if (types[type].name[0] == 'b')
		return snprintf(text, size, "0x%0*llx", (int)types[type].bytes * 2, (unsigned long long)n.i);
	if (types[type].kind == 'u')
		return snprintf(text, size, "%llu", (unsigned long long)n.i);
	return snprintf(text, size, "%lld", (long long)n.i);
}

/* Bits as a point on a line where neighbouring values are neighbouring integers. */
static s128 line_position(enum element_type type, u64 bits)
{
	const u64 sign = (u64)1 << (8 * types[type].bytes - 1);

	if (types[type].kind == 'f')
		return bits & sign ? -(s128)(bits & (sign - 1)) : (s128)bits;
	if (types[type].kind == 's')
		return (s128)(bits & (sign - 1)) - (bits & sign ? (s128)sign : 0);
	return bits;
}

u64 element_distance(enum element_type type, const u8 *a, const u8 *b)
{
	if (types[type].kind == 'f') {
		const bool a_nan = isnan(element_read(type, a).f), b_nan = isnan(element_read(type, b).f);
		if (a_nan || b_nan)
			return a_nan && b_nan ? 0 : UINT64_MAX;
	}
	const s128 d = line_position(type, read_bits(type, a)) - line_position(type, read_bits(type, b));
	const s128 size = d < 0 ? -d : d;
	return size > (s128)UINT64_MAX ? UINT64_MAX : (u64)size;
}
