/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic on the debugger's values.
 */
#include "debug/arithmetic.h"

#include <math.h>
#include <string.h>

#include "number/half.h"

bool value_is_float(const struct debug_value *v) { return type_class(v->type) == 'f'; }
static bool is_unsigned(const struct debug_value *v) { return type_class(v->type) == 'u'; }

/* The value's bits, up to 64, without what stands above them. */
u64 value_word(const struct debug_value *v)
{
	const u32 bits = type_bits(v->type);
	u64 word;

	memcpy(&word, v->bytes, 8);
	return bits < 64 ? word & ((1ull << bits) - 1) : word;
}

f64 value_float(const struct debug_value *v)
{
	const u64 word = value_word(v);

	switch (v->type) {
	case T_f64:
		return f64_of_bits(word);
	case T_f32:
	case T_tf32:
		return (f64)f32_of_bits((u32)word);
	case T_f16:
		return (f64)f32_of_bits(f32_from_f16((u16)word));
	case T_bf16:
		return (f64)f32_of_bits(f32_from_bf16((u16)word));
	default:
		return is_unsigned(v) ? (f64)word : (f64)value_integer(v);
	}
}

/* The value as a whole number; of floats cut toward zero, INT64_MIN where it does not fit. */
s64 value_integer(const struct debug_value *v)
{
	const u32 bits = type_bits(v->type);
	const char class = type_class(v->type);

	if (class == 'f' && type_bits(v->type) >= 16 && v->type != T_f16x2 && v->type != T_bf16x2) {
		const f64 x = value_float(v);
		return x >= 9.2e18 || x <= -9.2e18 || isnan(x) ? INT64_MIN : (s64)x;
	}
	if (class == 'u' || class == 'p' || bits >= 64)
		return (s64)value_word(v);
	return (s64)(value_word(v) << (64 - bits)) >> (64 - bits);
}

/* A value of the type from the low bits of a word. */
struct debug_value value_of_integer(u16 type, u64 word)
{
	struct debug_value v = {.type = type};

	memcpy(v.bytes, &word, 8);
	word = value_word(&v);
	memcpy(v.bytes, &word, 8);
	return v;
}

struct debug_value value_of_float(u16 type, f64 x)
{
	switch (type) {
	case T_f64:
		return value_of_integer(type, bits_of_f64(x));
	case T_f16:
		return value_of_integer(type, f16_from_f64_rn(bits_of_f64(x)));
	case T_bf16:
		return value_of_integer(type, bf16_from_f64_rn(bits_of_f64(x)));
	default:
		return value_of_integer(type, bits_of_f32((f32)x));
	}
}

/* As a cast does; types of bits (.b32) change the type and keep the bits. */
struct debug_value value_convert(const struct debug_value *v, u16 type)
{
	const char from = type_class(v->type), to = type_class(type);

	if (type == T_pred)
		return value_of_integer(type, debug_value_true(v));
	if (from == 'b' || to == 'b' || type_bits(type) > 64 || type_bits(v->type) > 64) {
		struct debug_value same = *v;
		same.type = type;
		if (type_bits(type) <= 64)
			return value_of_integer(type, from == 'b' && type_bits(v->type) <= 64 ? value_word(v)
											      : value_word(&same));
		return same;
	}
	if (to == 'f')
		return value_of_float(type, value_float(v));
	return value_of_integer(type, (u64)value_integer(v));
}

struct debug_value value_negate(const struct debug_value *v)
{
	if (value_is_float(v))
		return value_of_float(v->type, -value_float(v));
	return value_of_integer(type_bits(v->type) == 64 ? T_s64 : T_s32, -(u64)value_integer(v));
}

/* In f32 unless an operand is f64; literals take the other's width. NULL, or what is wrong. */
static const char *float_operation(const char *op, const struct debug_value *a, bool a_literal,
				   const struct debug_value *b, bool b_literal, struct debug_value *r)
{
	const bool wide =
		(a->type == T_f64 && !a_literal) || (b->type == T_f64 && !b_literal) || (a_literal && b_literal);
	const u16 type = wide ? T_f64 : T_f32;
	const f64 x = wide ? value_float(a) : (f64)(f32)value_float(a),
		  y = wide ? value_float(b) : (f64)(f32)value_float(b);

	switch (op[0] << 8 | op[1]) {
	case '+' << 8:
		*r = value_of_float(type, x + y);
		break;
	case '-' << 8:
		*r = value_of_float(type, x - y);
		break;
	case '*' << 8:
		*r = value_of_float(type, x * y);
		break;
	case '/' << 8:
		*r = value_of_float(type, x / y);
		break;
	case '<' << 8:
		*r = value_of_integer(T_s32, x < y);
		break;
	case '>' << 8:
		*r = value_of_integer(T_s32, x > y);
		break;
	case '<' << 8 | '=':
		*r = value_of_integer(T_s32, x <= y);
		break;
	case '>' << 8 | '=':
		*r = value_of_integer(T_s32, x >= y);
		break;
	case '=' << 8 | '=':
		*r = value_of_integer(T_s32, x == y);
		break;
	case '!' << 8 | '=':
		*r = value_of_integer(T_s32, x != y);
		break;
	default:
		return "the operator takes whole numbers";
	}
	return NULL;
}

static const char *divide(char op, u16 type, bool u, s64 x, s64 y, struct debug_value *r)
{
	if (!y)
		return "division by zero";
	if (u)
		*r = value_of_integer(type, op == '/' ? (u64)x / (u64)y : (u64)x % (u64)y);
	else if (y == -1)
		*r = value_of_integer(type, op == '/' ? -(u64)x : 0);
	else
		*r = value_of_integer(type, (u64)(op == '/' ? x / y : x % y));
	return NULL;
}

static const char *integer_operation(const char *op, const struct debug_value *a, const struct debug_value *b,
				     struct debug_value *r)
{
	const bool wide = type_bits(a->type) > 32 || type_bits(b->type) > 32;
	const bool u = (is_unsigned(a) && type_bits(a->type) >= (wide ? 64 : 32)) ||
		       (is_unsigned(b) && type_bits(b->type) >= (wide ? 64 : 32));
	const u16 type = wide ? (u ? T_u64 : T_s64) : u ? T_u32 : T_s32;
	const struct debug_value left = value_of_integer(type, (u64)value_integer(a)),
				 right = value_of_integer(type, (u64)value_integer(b));
	const s64 x = value_integer(&left), y = value_integer(&right);
	const u64 p = (u64)x, q = (u64)y, count = q & (wide ? 63 : 31);
	const bool less = u ? p < q : x < y;

	switch (op[0] << 8 | op[1]) {
	case '/' << 8:
	case '%' << 8:
		return divide(op[0], type, u, x, y, r);
	case '+' << 8:
		*r = value_of_integer(type, p + q);
		break;
	case '-' << 8:
		*r = value_of_integer(type, p - q);
		break;
	case '*' << 8:
		*r = value_of_integer(type, p * q);
		break;
	case '&' << 8:
		*r = value_of_integer(type, p & q);
		break;
	case '|' << 8:
		*r = value_of_integer(type, p | q);
		break;
	case '^' << 8:
		*r = value_of_integer(type, p ^ q);
		break;
	case '<' << 8 | '<':
		*r = value_of_integer(type, p << count);
		break;
	case '>' << 8 | '>':
		*r = value_of_integer(type, u ? p >> count : (u64)(x >> count));
		break;
	case '<' << 8:
		*r = value_of_integer(T_s32, less);
		break;
	case '>' << 8 | '=':
		*r = value_of_integer(T_s32, !less);
		break;
	case '=' << 8 | '=':
		*r = value_of_integer(T_s32, x == y);
		break;
	case '!' << 8 | '=':
		*r = value_of_integer(T_s32, x != y);
		break;
	case '>' << 8:
		*r = value_of_integer(T_s32, !less && x != y);
		break;
	default:
		*r = value_of_integer(T_s32, less || x == y);
	}
	return NULL;
}

const char *value_operation(const char *op, const struct debug_value *a, bool a_literal, const struct debug_value *b,
			    bool b_literal, struct debug_value *result)
{
	if (value_is_float(a) || value_is_float(b))
		return float_operation(op, a, a_literal, b, b_literal, result);
	return integer_operation(op, a, b, result);
}

s64 debug_value_whole(const struct debug_value *v) { return value_integer(v); }
f64 debug_value_number(const struct debug_value *v) { return value_float(v); }
