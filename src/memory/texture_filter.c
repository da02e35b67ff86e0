/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights and sums of filters, as recordings of an H200 show them (tests/golden/texture*).
 */
#include "memory/texture_filter.h"

#include <math.h>
#include <string.h>

#include "number/ieee.h"

/* Split by x, then by y, each rounding at the side that is given here. */
u32 filter_weights(struct taps *taps, u32 share, u32 part_x, u32 part_y)
{
	const u32 right = weight_times(share, part_x), left = share - right, first = taps->count;
	const u32 lower_left = weight_times(left, WEIGHT_STEPS - part_y), upper_right = weight_times(right, part_y);
	const u32 weight[TAP_GROUP] = {lower_left, right - upper_right, left - lower_left, upper_right};

	for (u32 k = 0; k < TAP_GROUP; k++) {
		taps->weight[first + k] = weight[k];
		taps->takes_part[first + k] = (part_x || !(k & 1)) && (part_y || !(k & 2));
	}
	taps->count += TAP_GROUP;
	return first;
}

/* What differs between the two formats of floats. */
struct float_format {
	int fraction, least; /* bits of fraction, exponent of the least normal number */
	int kept;            /* bits below the greatest exponent that a sum keeps */
	f64 most;            /* greater ones are infinite */
	u32 nan;
};
static const struct float_format single = {23, -126, 27, 0x1.ffffffp127, 0x7fffffff},
				 half = {10, -14, 14, 65520, 0x7fffe000};

/* ilogb() and ldexp() of normal numbers, which all here are or 0: its exponent is less than any format's least. */
static int exponent_of(f64 value) { return (int)(bits_of_f64(value) >> 52 & 0x7ff) - 1023; }
static f64 power_of_two(int exponent) { return f64_of_bits((u64)(exponent + 1023) << 52); }

/* Toward zero, of what is far below 2^63; keeps the sign of zero. */
static f64 cut(f64 value) { return copysign((f64)(s64)value, value); }

/* To nearest, ties away from zero. */
static f64 rounded(const struct float_format *f, f64 value)
{
	if (value == 0)
		return value;
	const int exponent = exponent_of(value) < f->least ? f->least : exponent_of(value);
	const f64 scaled = value * power_of_two(f->fraction - exponent), low = cut(scaled);
	const f64 whole = fabs(scaled - low) >= 0.5 ? low + copysign(1, value) : low;
	const f64 near = whole * power_of_two(exponent - f->fraction);

	return fabs(near) >= f->most ? copysign(INFINITY, value) : copysign(near, value);
}

static int greatest_exponent(const struct float_format *f, const u32 weight[TAP_GROUP], const f64 value[TAP_GROUP])
{
	int top = f->least;

	for (u32 k = 0; k < TAP_GROUP; k++)
		if (weight[k] && exponent_of(value[k]) > top)
			top = exponent_of(value[k]);
	return top;
}

/* The values of a group are brought to the place of the greatest and cut toward zero. (Sums of groups that differ much
 * in size are rounded otherwise, 1 in 1000, by no rule that was found.) */
static f64 sum_of(const struct float_format *f, const struct taps *taps, const f64 value[TAPS])
{
	f64 sum = -0.0;

	for (u32 group = 0; group < taps->count; group += TAP_GROUP) {
		const int place = greatest_exponent(f, &taps->weight[group], &value[group]) - f->kept;
		const f64 up = power_of_two(-place), down = power_of_two(place);
		for (u32 k = group; k < group + TAP_GROUP; k++)
			if (taps->weight[k])
				sum += taps->weight[k] * (cut(value[k] * up) * down);
	}
	return sum;
}

static u32 mix_floats(const struct texture *t, const struct taps *taps, u32 channel)
{
	const struct float_format *f = t->channel_bits == 16 ? &half : &single;
	f64 value[TAPS], special = 0;

	for (u32 k = 0; k < taps->count; k++) {
		value[k] = f32_of_bits(taps->value[k][channel]);
		special += taps->takes_part[k] && !isfinite(value[k]) ? value[k] : 0;
	}
	if (special != 0)
		return isnan(special) ? f->nan : bits_of_f32((f32)special);
	if (taps->weight[0] == WEIGHT_STEPS && t->channel_bits == 32) /* the middle of a texel */
		return taps->value[0][channel];
	return bits_of_f32((f32)rounded(f, sum_of(f, taps, value) / WEIGHT_STEPS));
}

/* The sum in 1 / 256 of stored integers, as one of 16 bits. */
static s64 widened(const struct texture *t, s64 sum)
{
	if (t->channel_bits == 16)
		return (sum + WEIGHT_STEPS / 2) >> WEIGHT_BITS;
	if (t->kind == TEXEL_UNSIGNED)
		return (sum * 257 + WEIGHT_STEPS / 2) >> WEIGHT_BITS;
	/* Times 32767 / 32512, nearly: every sum was recorded. */
	const s64 coarse = sum >> 4;
	return sum + ((coarse + (coarse >> 8) + 4) >> 3);
}

static u32 mix_integers(const struct texture *t, const struct taps *taps, u32 channel)
{
	const s64 top = t->kind == TEXEL_SIGNED ? 32767 : 65535;
	s64 sum = 0;

	for (u32 k = 0; k < taps->count; k++)
		sum += t->kind == TEXEL_SIGNED ? (s64)taps->weight[k] * (s32)taps->value[k][channel]
					       : (s64)taps->weight[k] * taps->value[k][channel];
	const s64 whole = widened(t, sum);
	return bits_of_f32((f32)(whole < -top ? -top : whole) / (f32)top);
}

/* Of a channel that does not exist only borders are other than 0. */
static bool is_nothing(const struct texture *t, const struct taps *taps, u32 channel)
{
	u32 any = channel < t->channels;

	for (u32 k = 0; k < taps->count; k++)
		any |= taps->value[k][channel];
	return !any;
}

void filter_mix(const struct texture *t, const struct taps *taps, u32 result[4])
{
	for (u32 k = 0; k < 4; k++)
		result[k] = is_nothing(t, taps, k)   ? 0
			    : t->kind == TEXEL_FLOAT ? mix_floats(t, taps, k)
						     : mix_integers(t, taps, k);
}
