/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays, mipmaps, textures and surfaces.
 *
 * Arrays lie in memory row by row, without gaps: on the card they are tiled, but nothing of that can be seen. A mipmap
 * is one allocation with its levels one behind the other; each level is an array that programs may hold. Texture and
 * surface objects are made by the library (ptxsim_texture_object); what a program asked for is kept here, for it to ask
 * again.
 */
#include "cuda/driver/array.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

enum {
	FORMAT_U8 = 1,
	FORMAT_U16 = 2,
	FORMAT_U32 = 3,
	FORMAT_S8 = 8,
	FORMAT_S16 = 9,
	FORMAT_S32 = 10,
	FORMAT_HALF = 16,
	FORMAT_FLOAT = 32
};

static u32 format_bytes(int format)
{
	switch (format) {
	case FORMAT_U8:
	case FORMAT_S8:
		return 1;
	case FORMAT_U16:
	case FORMAT_S16:
	case FORMAT_HALF:
		return 2;
	case FORMAT_U32:
	case FORMAT_S32:
	case FORMAT_FLOAT:
		return 4;
	default:
		return 0;
	}
}

static ptxsim_texel format_texel(int format)
{
	return format == FORMAT_HALF || format == FORMAT_FLOAT ? PTXSIM_TEXEL_FLOAT
	       : format >= FORMAT_S8                           ? PTXSIM_TEXEL_SIGNED
							       : PTXSIM_TEXEL_UNSIGNED;
}

/* Whether there can be an array of that shape. */
static bool is_sound(const struct cu_array_3d *d)
{
	const u64 most = 131072;

	return d->width && d->width <= most && d->height <= most && d->depth <= 16384 && format_bytes(d->format) &&
	       (d->channels == 1 || d->channels == 2 || d->channels == 4) &&
	       (!d->depth || d->height || d->flags & ARRAY_LAYERED);
}

static void lay_out(struct cu_array *a, const struct cu_array_3d *shape)
{
	a->shape = *shape;
	a->pitch = shape->width * format_bytes(shape->format) * shape->channels;
	a->size = a->pitch * array_rows(a) * array_slices(a);
}

/* Memory for arrays; NULL: there is no room. */
static struct region *array_memory(u64 bytes)
{
	struct heap *h = &device_current()->heap;
	void *at = heap_take(h, bytes);
	struct region *b = at ? block_add(context_current(), (u64)(uintptr_t)at, bytes, BLOCK_DEVICE) : NULL;

	if (at && !b)
		heap_give(h, at, bytes);
	if (b)
		b->of_array = true;
	return b;
}

int drv_cuArray3DCreate_v2(struct cu_array **p_handle, const struct cu_array_3d *p_allocate_array)
{
	if (!p_handle || !p_allocate_array || !is_sound(p_allocate_array))
		return CU_INVALID_VALUE;
	struct cu_array *a = calloc(1, sizeof *a);
	if (!a)
		return CU_OUT_OF_MEMORY;
	lay_out(a, p_allocate_array);
	a->block = array_memory(a->size);
	if (!a->block || !handle_add(a, HANDLE_ARRAY)) {
		free(a);
		return CU_OUT_OF_MEMORY;
	}
	a->bytes = (u8 *)(uintptr_t)a->block->base;
	a->context = context_current();
	*p_handle = a;
	return CU_OK;
}

int drv_cuArrayCreate_v2(struct cu_array **p_handle, const struct cu_array_2d *p_allocate_array)
{
	if (!p_allocate_array)
		return CU_INVALID_VALUE;
	const struct cu_array_3d d = {.width = p_allocate_array->width,
				      .height = p_allocate_array->height,
				      .format = p_allocate_array->format,
				      .channels = p_allocate_array->channels};
	return drv_cuArray3DCreate_v2(p_handle, &d);
}

int drv_cuArrayDestroy(struct cu_array *h_array)
{
	if (!handle_is(h_array, HANDLE_ARRAY))
		return CU_INVALID_HANDLE;
	if (!h_array->block)
		return CU_INVALID_HANDLE;
	context_finish(h_array->context);
	handle_drop(h_array);
	block_remove(h_array->block);
	free(h_array);
	return CU_OK;
}

int drv_cuArray3DGetDescriptor_v2(struct cu_array_3d *p_array_descriptor, struct cu_array *h_array)
{
	if (!p_array_descriptor)
		return CU_INVALID_VALUE;
	if (!handle_is(h_array, HANDLE_ARRAY))
		return CU_INVALID_HANDLE;
	*p_array_descriptor = h_array->shape;
	return CU_OK;
}

int drv_cuArrayGetDescriptor_v2(struct cu_array_2d *p_array_descriptor, struct cu_array *h_array)
{
	if (!p_array_descriptor)
		return CU_INVALID_VALUE;
	if (!handle_is(h_array, HANDLE_ARRAY))
		return CU_INVALID_HANDLE;
	const struct cu_array_3d *d = &h_array->shape;
	*p_array_descriptor = (struct cu_array_2d){d->width, d->height, d->format, d->channels};
	return CU_OK;
}

/* CUDA_ARRAY_MEMORY_REQUIREMENTS: size, alignment, four words. */
static int requirements(u64 *to, u64 bytes)
{
	enum { ALIGNMENT = 512, WORDS = 4 };

	memset(to, 0, WORDS * sizeof *to);
	to[0] = bytes;
	to[1] = ALIGNMENT;
	return CU_OK;
}

int drv_cuArrayGetMemoryRequirements(u64 *to, struct cu_array *array, int device)
{
	(void)device;
	if (!to)
		return CU_INVALID_VALUE;
	return handle_is(array, HANDLE_ARRAY) ? requirements(to, array->size) : CU_INVALID_HANDLE;
}

int drv_cuMipmappedArrayGetMemoryRequirements(u64 *to, struct cu_mipmap *mipmap, int device)
{
	(void)device;
	if (!to)
		return CU_INVALID_VALUE;
	return handle_is(mipmap, HANDLE_MIPMAP) ? requirements(to, mipmap->block->size) : CU_INVALID_HANDLE;
}

/* No format of several planes can be made here, and no array without memory. */
int drv_cuArrayGetPlane(struct cu_array **plane, struct cu_array *array, u32 index)
{
	(void)index;
	return !plane ? CU_INVALID_VALUE : handle_is(array, HANDLE_ARRAY) ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
}

int drv_cuArrayGetSparseProperties(void *to, struct cu_array *array)
{
	return to && !handle_is(array, HANDLE_ARRAY) ? CU_INVALID_HANDLE : CU_INVALID_VALUE;
}

int drv_cuMipmappedArrayGetSparseProperties(void *to, struct cu_mipmap *mipmap)
{
	return to && !handle_is(mipmap, HANDLE_MIPMAP) ? CU_INVALID_HANDLE : CU_INVALID_VALUE;
}

/* --- Mipmaps ------------------------------------------------------------------------------------------ */

static size_t halved(size_t n, u32 level) { return n ? (n >> level ? n >> level : 1) : 0; }

int drv_cuMipmappedArrayCreate(struct cu_mipmap **p_handle, const struct cu_array_3d *p_mipmapped_array_desc,
			       u32 num_mipmap_levels)
{
	const struct cu_array_3d *d = p_mipmapped_array_desc;
	u64 bytes = 0;

	if (!p_handle || !d || !is_sound(d) || !num_mipmap_levels)
		return CU_INVALID_VALUE;
	struct cu_mipmap *m = calloc(1, sizeof *m);
	if (!m)
		return CU_OUT_OF_MEMORY;
	size_t longest = d->width > d->height ? d->width : d->height;
	m->shape = *d;
	m->context = context_current();
	for (; m->level_count < num_mipmap_levels && m->level_count < 16 && longest >> m->level_count;
	     m->level_count++) {
		struct cu_array_3d level = *d;
		level.width = halved(d->width, m->level_count);
		level.height = halved(d->height, m->level_count);
		level.depth = d->flags & ARRAY_LAYERED ? d->depth : halved(d->depth, m->level_count);
		lay_out(&m->levels[m->level_count], &level);
		m->levels[m->level_count].context = m->context;
		bytes += m->levels[m->level_count].size;
	}
	m->block = array_memory(bytes);
	if (!m->block || !handle_add(m, HANDLE_MIPMAP)) {
		free(m);
		return CU_OUT_OF_MEMORY;
	}
	u8 *at = (u8 *)(uintptr_t)m->block->base;
	for (u32 k = 0; k < m->level_count; k++) {
		m->levels[k].bytes = at;
		at += m->levels[k].size;
		handle_add(&m->levels[k], HANDLE_ARRAY);
	}
	*p_handle = m;
	return CU_OK;
}

int drv_cuMipmappedArrayGetLevel(struct cu_array **p_level_array, struct cu_mipmap *h_mipmapped_array, u32 level)
{
	if (!p_level_array)
		return CU_INVALID_VALUE;
	if (!handle_is(h_mipmapped_array, HANDLE_MIPMAP))
		return CU_INVALID_HANDLE;
	if (level >= h_mipmapped_array->level_count)
		return CU_INVALID_VALUE;
	*p_level_array = &h_mipmapped_array->levels[level];
	return CU_OK;
}

int drv_cuMipmappedArrayDestroy(struct cu_mipmap *h_mipmapped_array)
{
	if (!handle_is(h_mipmapped_array, HANDLE_MIPMAP))
		return CU_INVALID_HANDLE;
	context_finish(h_mipmapped_array->context);
	handle_drop(h_mipmapped_array);
	for (u32 k = 0; k < h_mipmapped_array->level_count; k++)
		handle_drop(&h_mipmapped_array->levels[k]);
	block_remove(h_mipmapped_array->block);
	free(h_mipmapped_array);
	return CU_OK;
}

/* --- Objects ------------------------------------------------------------------------------------------- */

static int take_array(const struct cu_array *a, struct ptxsim_texture *t)
{
	t->data = (u64)(uintptr_t)a->bytes;
	t->width = (u32)a->shape.width;
	t->height = (u32)a->shape.height;
	if (a->shape.flags & (ARRAY_LAYERED | ARRAY_CUBEMAP))
		t->layers = (u32)array_slices(a);
	else
		t->depth = (u32)a->shape.depth;
	t->channels = a->shape.channels;
	t->channel_bits = 8 * format_bytes(a->shape.format);
	t->texel = format_texel(a->shape.format);
	return CU_OK;
}

/* The memory and format of a texture, from an array, a mipmap, linear or pitched memory (CUresourcetype 0 to 3). */
static int take_resource(const struct cu_resource *r, struct ptxsim_texture *t)
{
	switch (r->type) {
	case 0:
		return handle_is(r->array, HANDLE_ARRAY) ? take_array(r->array, t) : CU_INVALID_HANDLE;
	case 1:
		if (!handle_is(r->mipmap, HANDLE_MIPMAP))
			return CU_INVALID_HANDLE;
		t->levels = r->mipmap->level_count;
		return take_array(&r->mipmap->levels[0], t);
	case 2:
		if (!format_bytes(r->linear.format) || !r->linear.channels || r->linear.channels > 4)
			return CU_INVALID_VALUE;
		t->data = r->linear.at;
		t->channels = r->linear.channels;
		t->channel_bits = 8 * format_bytes(r->linear.format);
		t->texel = format_texel(r->linear.format);
		t->width = (u32)(r->linear.bytes / (format_bytes(r->linear.format) * r->linear.channels));
		return CU_OK;
	case 3:
		if (!format_bytes(r->pitched.format))
			return CU_INVALID_VALUE;
		t->data = r->pitched.at;
		t->channels = r->pitched.channels;
		t->channel_bits = 8 * format_bytes(r->pitched.format);
		t->texel = format_texel(r->pitched.format);
		t->width = (u32)r->pitched.width;
		t->height = (u32)r->pitched.height;
		t->pitch = r->pitched.pitch;
		return CU_OK;
	default:
		return CU_INVALID_VALUE;
	}
}

static int make_object(u64 *handle, const struct ptxsim_texture *t)
{
	switch (ptxsim_texture_object(driver.machine, t, handle)) {
	case PTXSIM_OK:
		return CU_OK;
	case PTXSIM_ERROR_MEMORY:
		return CU_OUT_OF_MEMORY;
	default:
		return CU_INVALID_VALUE;
	}
}

/* What a program asks of its objects. */
struct object {
	struct object *next;
	u64 handle;
	bool surface;
	struct cu_resource resource;
	struct cu_texture_description texture;
	struct cu_resource_view view;
};
static struct object *objects;

static struct object **object_at(u64 handle, bool surface)
{
	struct object **at = &objects;

	while (*at && ((*at)->handle != handle || (*at)->surface != surface))
		at = &(*at)->next;
	return at;
}

static int keep_object(u64 *to, const struct ptxsim_texture *t, const struct object *about)
{
	struct object *o = malloc(sizeof *o);

	if (!o)
		return CU_OUT_OF_MEMORY;
	*o = *about;
	const int result = make_object(&o->handle, t);
	if (result) {
		free(o);
		return result;
	}
	o->next = objects;
	objects = o;
	*to = o->handle;
	return CU_OK;
}

/* Addresses that wrap or mirror need normalized coordinates: without them the card clamps. */
int drv_cuTexObjectCreate(u64 *p_tex_object, const struct cu_resource *p_res_desc,
			  const struct cu_texture_description *p_tex_desc,
			  const struct cu_resource_view *p_res_view_desc)
{
	enum { READ_AS_INTEGER = 1, NORMALIZED = 2, SRGB = 0x10, SEAMLESS = 0x40 };
	struct ptxsim_texture t = PTXSIM_TEXTURE_INIT;
	struct object about = {.surface = false};

	if (!p_tex_object || !p_res_desc || !p_tex_desc)
		return CU_INVALID_VALUE;
	const int result = take_resource(p_res_desc, &t);
	if (result)
		return result;
	t.linear = p_tex_desc->filter == 1;
	t.normalized_coordinates = (p_tex_desc->flags & NORMALIZED) != 0;
	t.normalized_values =
		!(p_tex_desc->flags & READ_AS_INTEGER) && t.texel != PTXSIM_TEXEL_FLOAT && t.channel_bits < 32;
	if (p_tex_desc->flags & SRGB && t.normalized_values && t.channel_bits == 8) {
		driver_tell("sRGB textures are not modelled");
		return CU_NOT_SUPPORTED;
	}
	t.seamless_cube = (p_tex_desc->flags & SEAMLESS) != 0;
	for (int d = 0; d < 3; d++) {
		static const ptxsim_address_mode modes[] = {PTXSIM_ADDRESS_WRAP, PTXSIM_ADDRESS_CLAMP,
							    PTXSIM_ADDRESS_MIRROR, PTXSIM_ADDRESS_BORDER};
		if (p_tex_desc->address[d] < 0 || p_tex_desc->address[d] > 3)
			return CU_INVALID_VALUE;
		t.address[d] = modes[p_tex_desc->address[d]];
		if (!t.normalized_coordinates && p_tex_desc->address[d] != 3)
			t.address[d] = PTXSIM_ADDRESS_CLAMP;
	}
	memcpy(t.border, p_tex_desc->border, sizeof t.border);
	if (t.levels) {
		t.linear_levels = p_tex_desc->mipmap_filter == 1;
		t.level_bias = p_tex_desc->level_bias;
		t.lowest_level = p_tex_desc->lowest_level;
		t.highest_level = p_tex_desc->highest_level;
	}
	about.resource = *p_res_desc;
	about.texture = *p_tex_desc;
	if (p_res_view_desc)
		about.view = *p_res_view_desc;
	return keep_object(p_tex_object, &t, &about);
}

int drv_cuSurfObjectCreate(u64 *p_surf_object, const struct cu_resource *p_res_desc)
{
	struct ptxsim_texture t = PTXSIM_TEXTURE_INIT;
	struct object about = {.surface = true};

	if (!p_surf_object || !p_res_desc || p_res_desc->type != 0)
		return CU_INVALID_VALUE;
	const int result = take_resource(p_res_desc, &t);
	if (result)
		return result;
	about.resource = *p_res_desc;
	return keep_object(p_surf_object, &t, &about);
}

static int drop_object(u64 handle, bool surface)
{
	struct object **at = object_at(handle, surface), *o = *at;

	if (!handle)
		return CU_OK;
	if (!o)
		return CU_INVALID_VALUE;
	context_finish(context_current());
	at = object_at(handle, surface);
	if (*at == o) {
		*at = o->next;
		ptxsim_release(driver.machine, handle);
		free(o);
	}
	return CU_OK;
}

int drv_cuTexObjectDestroy(u64 tex_object) { return drop_object(tex_object, false); }
int drv_cuSurfObjectDestroy(u64 surf_object) { return drop_object(surf_object, true); }

int drv_cuTexObjectGetResourceDesc(struct cu_resource *p_res_desc, u64 tex_object)
{
	const struct object *o = *object_at(tex_object, false);

	if (!p_res_desc || !o)
		return CU_INVALID_VALUE;
	*p_res_desc = o->resource;
	return CU_OK;
}

int drv_cuTexObjectGetTextureDesc(struct cu_texture_description *p_tex_desc, u64 tex_object)
{
	const struct object *o = *object_at(tex_object, false);

	if (!p_tex_desc || !o)
		return CU_INVALID_VALUE;
	*p_tex_desc = o->texture;
	return CU_OK;
}

int drv_cuTexObjectGetResourceViewDesc(struct cu_resource_view *p_res_view_desc, u64 tex_object)
{
	const struct object *o = *object_at(tex_object, false);

	if (!p_res_view_desc || !o)
		return CU_INVALID_VALUE;
	*p_res_view_desc = o->view;
	return CU_OK;
}

int drv_cuSurfObjectGetResourceDesc(struct cu_resource *p_res_desc, u64 surf_object)
{
	const struct object *o = *object_at(surf_object, true);

	if (!p_res_desc || !o)
		return CU_INVALID_VALUE;
	*p_res_desc = o->resource;
	return CU_OK;
}
