/* SPDX-License-Identifier: Apache-2.0
 *
 * Texture lookups against what an H200 returned (tests/golden/texture.bin.gz and .txt.gz): 1, 2 and 3 dimensions,
 * layers, cubes, nearest and linear, four address modes, gathers, nine formats. A line of the text is a configuration:
 * format, shape, linear, address mode (as CUDA numbers them), normalized coordinates, gather, width, height,
 * depth or layers, lookups, offset, bytes of texels; at the offset stand texels, coordinates (four floats each), layers
 * and results (four words each). And the public interface.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "memory/texture.h"
#include "memory/texture_lanes.h"
#include "ptxsim.h"
#include "main.h"

enum { DATA_MAX = 1 << 20 };

struct recording {
	char format[8], shape[8];
	int linear, mode, normalized, gather, width, height, depth, count;
	size_t offset, bytes;
};

static u8 *data;

static gzFile open_recorded(const char *name)
{
	const char *source = getenv("srcdir");
	char path[512];

	snprintf(path, sizeof path, "%s/tests/golden/%s", source ? source : ".", name);
	return gzopen(path, "rb");
}

static void load(void)
{
	gzFile file = open_recorded("texture.bin.gz");

	data = malloc(DATA_MAX);
	ck_assert(file && data);
	ck_assert_int_gt(gzread(file, data, DATA_MAX), 500000);
	gzclose(file);
}

static void unload(void) { free(data); }

static struct texture texture_of(const struct recording *r)
{
	static const u8 modes[] = {ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER};
	static const f32 border[4] = {0.5f, -0.25f, 2, 1.5f};
	static const u32 whole_border[4] = {7, 8, 9, 10};
	const bool layered = r->shape[0] == 'a' || !strcmp(r->shape, "cube");
	struct texture t = {.magic = TEXTURE_MAGIC,
			    .width = (u32)r->width,
			    .height = (u32)r->height,
			    .depth = layered ? 0 : (u32)r->depth,
			    .layers = layered ? (u32)r->depth : 0,
			    .channels = (u8)atoi(strchr(r->format, 'x') + 1),
			    .channel_bits = (u8)atoi(r->format + 1),
			    .linear = r->linear != 0,
			    .normalized_coordinates = r->normalized != 0};
	const char last = r->format[strlen(r->format) - 1];

	t.kind = r->format[0] == 'f' ? TEXEL_FLOAT : r->format[0] == 'u' ? TEXEL_UNSIGNED : TEXEL_SIGNED;
	t.normalized_values = last == 'n';
	t.pitch = (u64)t.width * texture_texel_bytes(&t);
	t.slice = t.pitch * (t.height ? t.height : 1);
	memset(t.address, modes[r->mode], sizeof t.address);
	if (last == 'i')
		memcpy(t.border, whole_border, sizeof t.border);
	else
		memcpy(t.border, border, sizeof t.border);
	return t;
}

static u32 dimensions_of(const char *shape)
{
	return strstr(shape, "1d") ? 1 : strstr(shape, "2d") ? 2 : 3; /* 3 for a cube's direction, too */
}

static void compare(const struct recording *r)
{
	const struct texture t = texture_of(r);
	const u8 *texels = data + r->offset, *at = texels + r->bytes;
	const u8 *layers = at + (size_t)r->count * 16, *results = layers + (size_t)r->count * 4;

	for (int k = 0; k < r->count; k++) {
		struct texture_query q = {.dimensions = dimensions_of(r->shape)};
		u32 got[4], recorded[4];
		memcpy(q.at, at + k * 16, sizeof q.at);
		q.cube = !strcmp(r->shape, "cube");
		if (!q.cube)
			memcpy(&q.layer, layers + k * 4, sizeof q.layer);
		memcpy(recorded, results + k * 16, sizeof recorded);
		if (r->gather)
			texture_gather(&t, texels, &q, 0, got);
		else
			texture_lookup(&t, texels, &q, got);
		for (u32 c = 0; c < 4; c++) {
			ck_assert_msg(got[c] == recorded[c],
				      "%s %s linear %d mode %d normalized %d gather %d lookup %d at %g %g %g channel "
				      "%u: got %08x, recorded %08x",
				      r->format, r->shape, r->linear, r->mode, r->normalized, r->gather, k, q.at[0],
				      q.at[1], q.at[2], c, got[c], recorded[c]);
		}
	}
}

START_TEST(lookups_are_the_recorded_ones)
{
	gzFile file = open_recorded("texture.txt.gz");
	char line[200];
	u32 configurations = 0, lookups = 0;

	ck_assert(file != NULL);
	while (gzgets(file, line, sizeof line)) {
		struct recording r;
		ck_assert_int_eq(sscanf(line, "%7s %7s %d %d %d %d %d %d %d %d %zu %zu", r.format, r.shape, &r.linear,
					&r.mode, &r.normalized, &r.gather, &r.width, &r.height, &r.depth, &r.count,
					&r.offset, &r.bytes),
				 12);
		compare(&r);
		configurations++;
		lookups += (u32)r.count;
	}
	gzclose(file);
	ck_assert_uint_eq(configurations, 222);
	ck_assert_uint_eq(lookups, 8880);
}
END_TEST

/* --- The public interface ------------------------------------------------------------------------------- */

static const char kernel_text[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
				  ".global .texref image;\n"
				  ".entry look(.param .u64 out) {\n"
				  " .reg .b64 %rd<2>; .reg .f32 %f<6>;\n"
				  " ld.param.u64 %rd1, [out]; mov.f32 %f5, 0f3F800000;\n"
				  " tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5}];\n"
				  " st.global.f32 [%rd1], %f1; ret; }\n";

START_TEST(a_texref_is_bound)
{
	const float texels[3] = {4, 8, 16};
	struct ptxsim_texture t = PTXSIM_TEXTURE_INIT;
	struct ptxsim_launch launch = PTXSIM_LAUNCH_INIT;
	uint64_t handle, out;
	float got = 0;
	ptxsim_context *sim = ptxsim_context_create(NULL);
	ptxsim_module_create(sim);
	const void *args[] = {&out};

	ck_assert(sim != NULL);
	ck_assert_int_eq(
		ptxsim_module_add_text(ptxsim_get_module(sim, 0), "look.ptx", kernel_text, strlen(kernel_text)),
		PTXSIM_OK);
	ck_assert_int_eq(ptxsim_module_build(ptxsim_get_module(sim, 0), NULL), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_alloc(sim, sizeof texels, &t.data), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_write(sim, t.data, texels, sizeof texels), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_alloc(sim, 4, &out), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_texture_object(sim, &t, &handle), PTXSIM_ERROR_ARGUMENT); /* no width */
	t.width = 3;
	t.linear = 1;
	ck_assert_int_eq(ptxsim_texture_object(sim, &t, &handle), PTXSIM_OK);
	t.width = t.height = t.layers = 1 << 27; /* more bytes than 64 bits count */
	ck_assert_int_eq(ptxsim_texture_object(sim, &t, &out), PTXSIM_ERROR_ARGUMENT);
	t.height = t.layers = 0;
	t.width = 4000;
	ck_assert_int_eq(ptxsim_texture_object(sim, &t, &out), PTXSIM_ERROR_ARGUMENT); /* beyond its memory */
	ck_assert_int_eq(ptxsim_bind_texture(ptxsim_get_module(sim, 0), "picture", handle), PTXSIM_ERROR_NOT_FOUND);
	ck_assert_int_eq(ptxsim_bind_texture(ptxsim_get_module(sim, 0), "image", handle), PTXSIM_OK);
	launch.block[0] = 1;
	launch.args = args;
	launch.arg_count = 1;
	ck_assert_int_eq(ptxsim_launch(sim, ptxsim_find_function(ptxsim_get_module(sim, 0), "look"), &launch),
			 PTXSIM_OK);
	ck_assert_int_eq(ptxsim_read(sim, &got, out, sizeof got), PTXSIM_OK);
	ck_assert(got == 6); /* half way between texels 0 and 1 */
	ptxsim_context_free(sim);
}
END_TEST

/* --- A warp at once ------------------------------------------------------------------------------------- */

enum { PLANE_WIDTH = 13, PLANE_HEIGHT = 7, PLANE_DEPTH = 5, PLANE_WARPS = 4 };

static u64 seed;
static u32 draw(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(seed >> 32);
}

/* Mostly near the texture, in one of sixteen lanes anything: far away, tiny, infinite, not a number. */
static f32 random_coordinate(const struct texture *t, bool wild)
{
	const f32 size = t->normalized_coordinates ? 1 : PLANE_WIDTH;

	if (wild && draw() % 16 == 0)
		return f32_of_bits(draw());
	if (draw() % 4 == 0) /* edges, middles and quarters */
		return size * (f32)((s32)(draw() % 200) - 80) / (4 * PLANE_WIDTH);
	return size * ((f32)draw() * 0x1p-30f - 1.5f);
}

/* Floats of any size, some of them equal or special. */
static void fill_texels(const struct texture *t, u8 *texels, size_t bytes, bool wild)
{
	for (size_t k = 0; k < bytes; k++)
		texels[k] = (u8)draw();
	for (size_t k = 0; t->kind == TEXEL_FLOAT && t->channel_bits == 32 && k < bytes / 4; k++) {
		u32 word = draw();
		if (draw() % 2)
			word = (word & 0x80ffffff) | 0x3f000000;
		else if (!wild && (word & 0x7f800000) == 0x7f800000)
			word &= 0xbfffffff;
		else if (draw() % 16 == 0)
			word &= 0x80000000;
		memcpy(texels + 4 * k, &word, sizeof word);
	}
}

/* How many warps were looked up at once; each lane of them as by itself. */
static u32 compare_lanes(const struct texture *t, u32 dimensions, bool wild)
{
	u8 texels[PLANE_WIDTH * PLANE_HEIGHT * PLANE_DEPTH * 16];
	u32 at_once = 0;

	fill_texels(t, texels, sizeof texels, wild);
	for (u32 warp = 0; warp < PLANE_WARPS; warp++) {
		struct plane_texels found;
		f32 at[PLANE_DIMENSIONS][WARP_LANES];
		const u32 mask = warp % 2 ? FULL_MASK : draw();
		for (u32 l = 0; l < WARP_LANES; l++)
			for (u32 d = 0; d < PLANE_DIMENSIONS; d++)
				at[d][l] = random_coordinate(t, wild);
		if (!plane_lookup(t, texels, dimensions, (const f32(*)[WARP_LANES])at, mask, &found))
			continue;
		at_once++;
		for (u32 l = 0; l < WARP_LANES; l++) {
			struct texture_query q = {.dimensions = dimensions, .at = {at[0][l], at[1][l], at[2][l]}};
			u32 want[4];
			texture_lookup(t, texels, &q, want);
			for (u32 k = 0; k < 4 && mask >> l & 1; k++)
				if (found.value[k][l] != want[k])
					ck_abort_msg(
						"%uD, %u bits, kind %u, linear %u, mode %u: %a, %a, %a: %08x, not %08x",
						dimensions, t->channel_bits, t->kind, t->linear, t->address[0],
						(f64)at[0][l], (f64)at[1][l], (f64)at[2][l], found.value[k][l],
						want[k]);
		}
	}
	return at_once;
}

/* All formats, filters and address modes. */
static void each_plane(u32 choice, struct texture *t)
{
	static const u8 bits[] = {32, 32, 16, 16, 16, 8, 8, 32}, channels[] = {1, 2, 4};
	static const u8 kinds[] = {TEXEL_FLOAT,  TEXEL_UNSIGNED, TEXEL_FLOAT,  TEXEL_UNSIGNED,
				   TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_SIGNED, TEXEL_SIGNED};

	*t = (struct texture){.magic = TEXTURE_MAGIC, .width = PLANE_WIDTH, .height = PLANE_HEIGHT};
	t->channel_bits = bits[choice % 8];
	t->kind = kinds[choice % 8];
	t->linear = choice / 8 % 2;
	t->normalized_coordinates = choice / 16 % 2;
	t->normalized_values = choice / 32 % 2;
	t->address[0] = choice / 64 % 4;
	t->address[1] = choice / 256 % 4;
	t->address[2] = (choice / 64 + choice / 256) % 4;
	t->channels = channels[choice / 1024 % 3];
	t->pitch = texture_row_bytes(t);
	t->slice = t->pitch * PLANE_HEIGHT;
	for (u32 k = 0; k < 4; k++)
		t->border[k] = 0.3f * (f32)k - 0.2f;
}
enum { PLANE_CHOICES = 1024 * 3 };

START_TEST(a_warp_is_looked_up_as_its_lanes)
{
	u32 at_once = 0, planes = 0;

	seed = 1;
	for (u32 choice = 0; choice < PLANE_CHOICES; choice++)
		for (u32 dimensions = 1; dimensions <= 3; dimensions++) {
			struct texture t;
			each_plane(choice, &t);
			if (dimensions == 1 && choice % 3 == 0)
				t.height = 0;
			if (dimensions == 3)
				t.depth = PLANE_DEPTH;
			ck_assert(texture_is_sound(&t));
			if (!plane_is_there(&t, dimensions))
				continue;
			planes++;
			at_once += compare_lanes(&t, dimensions, choice % 2);
			at_once += compare_lanes(&t, dimensions, false);
		}
	ck_assert_int_gt(planes, 6000);
	ck_assert_int_gt(at_once, planes * PLANE_WARPS);
}
END_TEST

static const char levels_text[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".entry look(.param .u64 mips, .param .u64 samples, .param .u64 out) {\n"
	" .reg .b64 %rd<4>; .reg .f32 %f<6>; .reg .b32 %r<6>; .reg .pred %p<3>;\n"
	" ld.param.u64 %rd1, [mips]; ld.param.u64 %rd2, [samples]; ld.param.u64 %rd3, [out];\n"
	" mov.f32 %f5, 0f3FA00000; mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 0;\n"
	" tex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1}], %f5; st.global.f32 [%rd3], %f1;\n"
	" tex.level.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}], %r2; st.global.f32 [%rd3+4], %f1;\n"
	" tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}|%p1, [%rd2, {%r2, %r1, %r1, %r3}]; st.global.f32 [%rd3+8], %f1;\n"
	" tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r3, %r2, %r1, %r3}]; st.global.f32 [%rd3+12], %f1;\n"
	" txq.num_mipmap_levels.b32 %r4, [%rd1]; txq.num_samples.b32 %r5, [%rd2]; st.global.v2.u32 [%rd3+16], {%r4, "
	"%r5};\n"
	" txq.level.width.b32 %r4, [%rd1], %r2; txq.level.width.b32 %r5, [%rd1], 3; st.global.v2.u32 [%rd3+24], {%r4, "
	"%r5};\n"
	" ret; }\n";

/* Levels of 4, 2 and 1 texels one after the other; 2 x 2 texels of four samples. */
START_TEST(levels_and_samples)
{
	const float mips[7] = {0, 0, 0, 0, 8, 8, 24};
	float samples[16], got[4];
	uint32_t asked[4];
	struct ptxsim_texture m = PTXSIM_TEXTURE_INIT, s = PTXSIM_TEXTURE_INIT;
	struct ptxsim_launch launch = PTXSIM_LAUNCH_INIT;
	uint64_t mip_handle, sample_handle, out;
	ptxsim_context *sim = ptxsim_context_create(NULL);
	ptxsim_module_create(sim);
	const void *args[] = {&mip_handle, &sample_handle, &out};

	for (int k = 0; k < 16; k++)
		samples[k] = (float)k;
	ck_assert_int_eq(
		ptxsim_module_add_text(ptxsim_get_module(sim, 0), "look.ptx", levels_text, strlen(levels_text)),
		PTXSIM_OK);
	ck_assert_int_eq(ptxsim_module_build(ptxsim_get_module(sim, 0), NULL), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_alloc(sim, sizeof mips, &m.data), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_write(sim, m.data, mips, sizeof mips), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_alloc(sim, sizeof samples, &s.data), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_write(sim, s.data, samples, sizeof samples), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_alloc(sim, 32, &out), PTXSIM_OK);
	m.width = 4;
	m.linear_levels = 1;
	m.levels = 17;
	ck_assert_int_eq(ptxsim_texture_object(sim, &m, &mip_handle), PTXSIM_ERROR_ARGUMENT);
	m.levels = 5; /* two more texels than there are */
	ck_assert_int_eq(ptxsim_texture_object(sim, &m, &mip_handle), PTXSIM_ERROR_ARGUMENT);
	m.levels = 3;
	ck_assert_int_eq(ptxsim_texture_object(sim, &m, &mip_handle), PTXSIM_OK);
	s.width = s.height = 2;
	s.samples = 4;
	s.levels = 2;
	ck_assert_int_eq(ptxsim_texture_object(sim, &s, &sample_handle), PTXSIM_ERROR_ARGUMENT); /* levels of samples */
	s.levels = 0;
	ck_assert_int_eq(ptxsim_texture_object(sim, &s, &sample_handle), PTXSIM_OK);
	launch.args = args;
	launch.arg_count = 3;
	ck_assert_int_eq(ptxsim_launch(sim, ptxsim_find_function(ptxsim_get_module(sim, 0), "look"), &launch),
			 PTXSIM_OK);
	ck_assert_int_eq(ptxsim_read(sim, got, out, sizeof got), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_read(sim, asked, out + 16, sizeof asked), PTXSIM_OK);
	ck_assert(got[0] == 12 && got[1] == 24); /* a quarter of the way from 8 to 24; the only texel, bounded */
	ck_assert(got[2] == 14 && got[3] == 0);  /* texel (1, 1), sample 2; outside */
	ck_assert(asked[0] == 3 && asked[1] == 4 && asked[2] == 1 && asked[3] == 0);
	ptxsim_context_free(sim);
}
END_TEST

UNIT_SUITE("texture")
{
	TCase *recorded = unit_case(suite, "recorded", 0), *interface = unit_case(suite, "interface", 0);

	tcase_add_checked_fixture(recorded, load, unload);
	tcase_add_test(recorded, lookups_are_the_recorded_ones);
	tcase_add_test(interface, a_texref_is_bound);
	tcase_add_test(interface, levels_and_samples);
	tcase_add_test(unit_case(suite, "planes", 60), a_warp_is_looked_up_as_its_lanes);
}
