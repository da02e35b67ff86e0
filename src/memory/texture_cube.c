/* SPDX-License-Identifier: Apache-2.0
 *
 * Cubes: six square layers as the faces +x -x +y -y +z -z, looked up by a direction (CUDA programming guide,
 * "Cubemap Textures"). Which face takes an edge, and what lies beyond one, are recorded.
 */
#include "memory/texture_filter.h"

#include <math.h>
#include <string.h>

#include "number/ieee.h"

/* A direction's place: the face, and across it from -1 to 1. */
struct spot {
	u32 face;
	f64 at[2];
};

/* The component over the greatest, by the reciprocal of that: infinite for a denormal, flushed for a huge one. What
 * is not a number is 0. */
static f64 part_of(f64 component, f64 greatest)
{
	const f64 part = greatest < 0x1p-126  ? component * INFINITY
			 : greatest > 0x1p126 ? component * 0.0
					      : component / greatest;

	return part > 1 ? 1 : part < -1 ? -1 : part == part ? part : 0;
}

/* Of equal components z goes before y before x. */
static struct spot spot_of(const f64 v[3])
{
	const f64 greatest = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
	const f64 x = part_of(v[0], greatest), y = part_of(v[1], greatest), z = part_of(v[2], greatest);

	if (fabs(z) >= fabs(x) && fabs(z) >= fabs(y))
		return z >= 0 ? (struct spot){4, {x, -y}} : (struct spot){5, {-x, -y}};
	if (fabs(y) >= fabs(x))
		return y >= 0 ? (struct spot){2, {x, z}} : (struct spot){3, {x, -z}};
	return x >= 0 ? (struct spot){0, {-z, -y}} : (struct spot){1, {z, -y}};
}

/* The way back: where on the cube a place is, `up` from its middle. */
static void direction_of(u32 face, f64 s, f64 t, f64 up, f64 v[3])
{
	const f64 all[6][3] = {{up, -t, -s}, {-up, -t, s}, {s, up, t}, {s, -up, -t}, {s, -t, up}, {-s, -t, -up}};

	memcpy(v, all[face], sizeof all[face]);
}

/* Outside of the face the address modes hold. */
static void face_texel(const struct texture *t, const u8 *host, const struct texture_query *q, u32 face, s64 x, s64 y,
		       bool as_stored, u32 value[4])
{
	const u32 cubes = t->layers / 6, cube = q->layer < cubes ? q->layer : cubes - 1;

	x = texture_place(t, x, t->width, 0);
	y = texture_place(t, y, t->width, 1);
	if (x < 0 || y < 0) {
		texture_read_border(t, as_stored, value);
		return;
	}
	const u8 *texel = host + texture_offset(t, (u32)x, (u32)y, cube * 6 + face);
	if (q->visit)
		q->visit(q->context, texel);
	texture_read(t, texel, as_stored, value);
}

static s64 inside(const struct texture *t, s64 x) { return x < 0 ? 0 : x >= (s64)t->width ? (s64)t->width - 1 : x; }

static s64 texel_place(const struct texture *t, f64 at) { return inside(t, (s64)floor((at + 1) / 2 * t->width)); }

/* The texel next to an edge, on the other side of it: one coordinate lies outside of the face. */
static void across(const struct texture *t, const u8 *host, const struct texture_query *q, u32 face, s64 x, s64 y,
		   bool as_stored, u32 value[4])
{
	const f64 size = t->width, step = 1 / size;
	f64 s = (2 * (f64)x + 1) * step - 1, r = (2 * (f64)y + 1) * step - 1, v[3];

	s = s < -1 ? -1 : s > 1 ? 1 : s;
	r = r < -1 ? -1 : r > 1 ? 1 : r;
	direction_of(face, s, r, 1 - step, v);
	const struct spot spot = spot_of(v);
	face_texel(t, host, q, spot.face, texel_place(t, spot.at[0]), texel_place(t, spot.at[1]), as_stored, value);
}

/* At a corner of the cube three texels meet where a filter wants four: they share the weight of the fourth. */
static void share_corner(struct taps *taps, u32 first, u32 corner)
{
	u32 *weight = &taps->weight[first];
	const u32 third = (weight[corner] + 1) / 3;

	weight[corner ^ 3] += weight[corner] - 2 * third;
	weight[corner ^ 1] += third;
	weight[corner ^ 2] += third;
	weight[corner] = 0;
	taps->takes_part[first + corner] = false;
}

/* The four texels of a filter and the one of them that is beyond a corner of the cube, or none: TAP_GROUP. */
static u32 filter_texels(const struct texture *t, const u8 *host, const struct texture_query *q, u32 face, s64 x, s64 y,
			 bool as_stored, u32 value[TAP_GROUP][4])
{
	const s64 size = t->width;
	u32 beyond = TAP_GROUP;

	for (u32 k = 0; k < TAP_GROUP; k++) {
		const s64 at_x = x + (k & 1), at_y = y + (k >> 1);
		const bool out_x = at_x < 0 || at_x >= size, out_y = at_y < 0 || at_y >= size;
		if (!t->seamless || (!out_x && !out_y))
			face_texel(t, host, q, face, at_x, at_y, as_stored, value[k]);
		else if (!out_x || !out_y)
			across(t, host, q, face, at_x, at_y, as_stored, value[k]);
		else
			beyond = k;
	}
	return beyond;
}

/* The lower corner of a filter in steps of 1 / 256 of a texel. */
static s64 filter_place(const struct texture *t, f64 at)
{
	return (s64)floor(((at + 1) / 2 * t->width - 0.5) * WEIGHT_STEPS + 0.5);
}

void cube_nearest(const struct texture *t, const u8 *host, const struct texture_query *q, bool as_stored, u32 value[4])
{
	const struct spot spot = spot_of((f64[]){q->at[0], q->at[1], q->at[2]});

	face_texel(t, host, q, spot.face, texel_place(t, spot.at[0]), texel_place(t, spot.at[1]), as_stored, value);
}

void cube_taps(const struct texture *t, const u8 *host, const struct texture_query *q, u32 share, struct taps *taps)
{
	const struct spot spot = spot_of((f64[]){q->at[0], q->at[1], q->at[2]});
	const s64 x = filter_place(t, spot.at[0]), y = filter_place(t, spot.at[1]);
	const u32 first = filter_weights(taps, share, (u32)x & (WEIGHT_STEPS - 1), (u32)y & (WEIGHT_STEPS - 1));
	const u32 beyond =
		filter_texels(t, host, q, spot.face, x >> WEIGHT_BITS, y >> WEIGHT_BITS, true, &taps->value[first]);

	if (beyond < TAP_GROUP)
		share_corner(taps, first, beyond);
}

void cube_gather(const struct texture *t, const u8 *host, const struct texture_query *q, u32 channel, u32 result[4])
{
	static const u8 order[TAP_GROUP] = {2, 3, 1, 0};
	const struct spot spot = spot_of((f64[]){q->at[0], q->at[1], q->at[2]});
	const s64 x = filter_place(t, spot.at[0]) >> WEIGHT_BITS, y = filter_place(t, spot.at[1]) >> WEIGHT_BITS;
	struct taps taps = {.count = TAP_GROUP, .takes_part = {true, true, true, true}};
	u32 value[TAP_GROUP][4];
	const u32 beyond = filter_texels(t, host, q, spot.face, x, y, false, value);

	if (beyond < TAP_GROUP) {
		filter_texels(t, host, q, spot.face, x, y, true, taps.value);
		taps.weight[beyond] = WEIGHT_STEPS;
		share_corner(&taps, 0, beyond);
		filter_mix(t, &taps, value[beyond]);
	}
	for (u32 k = 0; k < TAP_GROUP; k++)
		result[k] = value[order[k]][channel];
}

void cube_step(const f32 direction[3], f64 step[3])
{
	u32 major = fabs(direction[1]) >= fabs(direction[0]) ? 1 : 0;

	if (fabs(direction[2]) >= fabs(direction[major]))
		major = 2;
	const f64 along = direction[major], change = step[major];
	for (u32 d = 0; d < 3; d++)
		step[d] = along != 0 ? (step[d] * along - direction[d] * change) / (2 * along * along) : 0;
}
