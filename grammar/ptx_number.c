/* SPDX-License-Identifier: Apache-2.0
 *
 * Literals of PTX: integers in four bases, floats as bits, decimals rounded to the nearest double
 * in integer arithmetic, so that neither the host's rounding mode nor its locale matters.
 */
#include <string.h>

#include "grammar/number.h"
#include "grammar/reader.h"
#include "number/ieee.h"

static u32 digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (u32)(c - '0');
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (u32)((c | 32) - 'a') + 10;
	return 99;
}

void reader_integer(struct reader *r, struct token *t, struct span at, const char *digits, u32 base)
{
	u64 value = 0;
	bool too_large = false;

	for (; digit_value(*digits) < base; digits++) {
		too_large |= __builtin_mul_overflow(value, base, &value);
		too_large |= __builtin_add_overflow(value, digit_value(*digits), &value);
	}
	if (too_large)
		diag_warning(r->diags, at, "integer does not fit into 64 bits: the upper bits are lost");
	*t = (struct token){.bits = value, .is_unsigned = *digits == 'U' || value >> 63};
}

void reader_float_bits(struct token *t, const char *digits, u8 bits)
{
	u64 value = 0;

	for (; *digits; digits++)
		value = value << 4 | digit_value(*digits);
	*t = (struct token){.bits = value, .float_bits = bits};
}

/* Words that start with a digit and are no number; the usual slips get a hint. */
void reader_bad_number(struct reader *r, struct span at, const char *text)
{
	diag_error(r->diags, at, "malformed number '%.40s'", text);
	if ((text[1] | 32) == 'f')
		diag_hint(r->diags, "0f takes exactly 8 hexadecimal digits");
	else if ((text[1] | 32) == 'd')
		diag_hint(r->diags, "0d takes exactly 16 hexadecimal digits");
	else if (text[0] == '0' && digit_value(text[1]) < 10)
		diag_hint(r->diags, "a leading 0 makes the number octal");
}

/* Natural numbers for the decimal conversion: 800 digits times a power of ten up to 10^1200. */
enum { LIMBS = 160, DIGITS_KEPT = 800, EXPONENT_LIMIT = 400 };
struct natural {
	u32 limbs[LIMBS];
	u32 count;
};

/* n = n * factor + add. A carry beyond the last limb cannot happen within the limits above. */
static void natural_multiply_add(struct natural *n, u32 factor, u32 add)
{
	u64 carry = add;

	for (u32 i = 0; i < n->count; i++) {
		carry += (u64)n->limbs[i] * factor;
		n->limbs[i] = (u32)carry;
		carry >>= 32;
	}
	if (carry && n->count < LIMBS)
		n->limbs[n->count++] = (u32)carry;
}

static void natural_times_ten_to(struct natural *n, u32 exponent)
{
	for (; exponent >= 9; exponent -= 9)
		natural_multiply_add(n, 1000000000, 0);
	for (; exponent; exponent--)
		natural_multiply_add(n, 10, 0);
}

/* Position of the highest bit set, from 1; 0 for zero. */
static s32 natural_bits(const struct natural *n)
{
	return n->count ? (s32)(n->count * 32) - __builtin_clz(n->limbs[n->count - 1]) : 0;
}

static void natural_shift_left(struct natural *n, u32 by)
{
	for (; by >= 16; by -= 16)
		natural_multiply_add(n, 1 << 16, 0);
	natural_multiply_add(n, 1u << by, 0);
}

static int natural_compare(const struct natural *a, const struct natural *b)
{
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	for (u32 i = a->count; i-- > 0;)
		if (a->limbs[i] != b->limbs[i])
			return a->limbs[i] < b->limbs[i] ? -1 : 1;
	return 0;
}

/* a -= b, where a >= b */
static void natural_subtract(struct natural *a, const struct natural *b)
{
	s64 borrow = 0;

	for (u32 i = 0; i < a->count; i++) {
		borrow += (s64)a->limbs[i] - (i < b->count ? b->limbs[i] : 0);
		a->limbs[i] = (u32)borrow;
		borrow >>= 32;
	}
	while (a->count && !a->limbs[a->count - 1])
		a->count--;
}

/* n / m to the nearest double, ties to even; n and m are used up. */
static u64 quotient_bits(struct natural *n, struct natural *m)
{
	s32 exponent = natural_bits(n) - natural_bits(m);

	natural_shift_left(exponent > 0 ? m : n, (u32)(exponent > 0 ? exponent : -exponent));
	if (natural_compare(n, m) < 0) {
		natural_shift_left(n, 1);
		exponent--;
	}
	if (exponent > 1023)
		return F64_INF;
	const s32 precision = exponent < -1022 ? 53 + 1022 + exponent : 53;
	if (precision < 0)
		return 0;
	u64 q = 0;
	for (s32 i = 0; i < precision; i++) {
		q <<= 1;
		if (natural_compare(n, m) >= 0) {
			natural_subtract(n, m);
			q |= 1;
		}
		natural_shift_left(n, 1);
	}
	const int half = natural_compare(n, m);
	if (half > 0 || (half == 0 && (q & 1)))
		q++;
	return exponent < -1022 ? q : ((u64)(exponent + 1022) << 52) + q;
}

/* Digits, point and exponent become digits * 10^exponent, a quotient of two naturals; that is
 * rounded once. The exponent is cut off where the result is surely zero or too large. */
u64 decimal_bits(const char *text)
{
	struct natural n = {.count = 0}, m = {.limbs = {1}, .count = 1};
	s64 exponent = 0, written = 0;
	u32 kept = 0;
	bool point = false, minus = false;

	for (; *text && (*text | 32) != 'e'; text++) {
		if (*text == '.') {
			point = true;
			continue;
		}
		exponent -= point;
		if (!kept && *text == '0')
			continue;
		if (kept < DIGITS_KEPT)
			natural_multiply_add(&n, 10, digit_value(*text)), kept++;
		else {
			exponent++;
			n.limbs[0] |= *text != '0'; /* only whether anything follows matters */
		}
	}
	if (*text && text[1]) {
		minus = text[1] == '-';
		for (text += text[1] == '-' || text[1] == '+' ? 2 : 1; *text; text++)
			written = written > 1000000 ? written : written * 10 + digit_value(*text);
	}
	exponent += minus ? -written : written;
	if (!n.count || exponent + kept < -EXPONENT_LIMIT)
		return 0;
	if (exponent + kept > EXPONENT_LIMIT)
		return F64_INF;
	natural_times_ten_to(exponent < 0 ? &m : &n, (u32)(exponent < 0 ? -exponent : exponent));
	return quotient_bits(&n, &m);
}

void reader_decimal(struct reader *r, struct token *t, struct span at, const char *text)
{
	*t = (struct token){.float_bits = 64, .bits = decimal_bits(text)};
	if (t->bits == F64_INF)
		diag_error(r->diags, at, "number too large for a double");
}
