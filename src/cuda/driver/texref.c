/* SPDX-License-Identifier: Apache-2.0
 *
 * Texture and surface references: variables of modules that stand for a texture which the host binds. Each setting
 * makes a texture object anew and puts it into the variable.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/array.h"
#include "cuda/driver/driver.h"

/* Of textures and surfaces alike. */
struct cu_texref {
	struct cu_texref *next;
	struct cu_module *module; /* NULL: made by cuTexRefCreate, in no module */
	char *name;
	bool surface;
	struct cu_resource resource; /* type -1: not set yet */
	struct cu_texture_description texture;
	int format;
	u32 channels;
	u64 object; /* that it stands for now; 0: none */
};

enum { RESOURCE_NONE = -1, RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCHED };
enum { FORMAT_FLOAT = 0x20, OVERRIDE_FORMAT = 1, READ_AS_INTEGER = 1, CLAMP = 1 };

/* m: NULL for one that stands for no variable. */
static struct cu_texref *texref_new(struct cu_module *m, const char *name, bool surface)
{
	struct cu_texref *t = calloc(1, sizeof *t);

	if (!t || (name && !(t->name = strdup(name))) || !handle_add(t, HANDLE_TEXREF)) {
		free(t ? t->name : NULL);
		free(t);
		return NULL;
	}
	t->module = m;
	t->surface = surface;
	t->resource.type = RESOURCE_NONE;
	t->format = FORMAT_FLOAT;
	t->channels = 1;
	t->texture.highest_level = 15;
	if (m) {
		t->next = m->texrefs;
		m->texrefs = t;
	}
	return t;
}

static void drop_object(struct cu_texref *t)
{
	if (t->object && t->surface)
		drv_cuSurfObjectDestroy(t->object);
	else if (t->object)
		drv_cuTexObjectDestroy(t->object);
	t->object = 0;
}

static void texref_free(struct cu_texref *t)
{
	handle_drop(t);
	drop_object(t);
	free(t->name);
	free(t);
}

void texrefs_free(struct cu_module *m)
{
	while (m->texrefs) {
		struct cu_texref *t = m->texrefs;
		m->texrefs = t->next;
		texref_free(t);
	}
}

static int of_module(struct cu_texref **to, struct cu_module *m, const char *name, bool surface)
{
	uint64_t at, bytes;

	if (!to || !name)
		return CU_INVALID_VALUE;
	if (!handle_is(m, HANDLE_MODULE))
		return CU_INVALID_HANDLE;
	for (struct cu_texref *t = m->texrefs; t; t = t->next)
		if (!strcmp(t->name, name) && t->surface == surface) {
			*to = t;
			return CU_OK;
		}
	if (ptxsim_variable(m->module, name, &at, &bytes) || bytes != 8)
		return CU_NOT_FOUND;
	*to = texref_new(m, name, surface);
	return *to ? CU_OK : CU_OUT_OF_MEMORY;
}

int drv_cuModuleGetTexRef(struct cu_texref **to, struct cu_module *m, const char *name)
{
	return of_module(to, m, name, false);
}
int drv_cuModuleGetSurfRef(struct cu_texref **to, struct cu_module *m, const char *name)
{
	return of_module(to, m, name, true);
}

int drv_cuTexRefCreate(struct cu_texref **to)
{
	if (!to)
		return CU_INVALID_VALUE;
	*to = texref_new(NULL, NULL, false);
	return *to ? CU_OK : CU_OUT_OF_MEMORY;
}

int drv_cuTexRefDestroy(struct cu_texref *t)
{
	if (!handle_is(t, HANDLE_TEXREF) || t->module)
		return CU_INVALID_VALUE;
	texref_free(t);
	return CU_OK;
}

/* --- Setting ------------------------------------------------------------------------------------------ */

static bool is_texref(const struct cu_texref *t, bool surface)
{
	return handle_is(t, HANDLE_TEXREF) && t->surface == surface;
}

/* The variable stands for what is set now. */
static int rebind(struct cu_texref *t)
{
	u64 object;

	if (t->resource.type == RESOURCE_NONE || !t->module)
		return CU_OK;
	const int result = t->surface ? drv_cuSurfObjectCreate(&object, &t->resource)
				      : drv_cuTexObjectCreate(&object, &t->resource, &t->texture, NULL);
	if (result)
		return result;
	/* Kernels that were launched before read the old one. */
	context_finish(t->module->context);
	drop_object(t);
	t->object = object;
	return ptxsim_bind_texture(t->module->module, t->name, object) ? CU_INVALID_VALUE : CU_OK;
}

/* If it cannot be bound, the setting stays as it was. */
static int set_resource(struct cu_texref *t, const struct cu_resource *r)
{
	const struct cu_resource before = t->resource;

	t->resource = *r;
	const int result = rebind(t);
	if (result)
		t->resource = before;
	return result;
}

int drv_cuTexRefSetAddress_v2(size_t *byte_offset, struct cu_texref *t, u64 at, size_t bytes)
{
	struct cu_resource r = {.type = RESOURCE_LINEAR};

	if (!is_texref(t, false))
		return CU_INVALID_VALUE;
	r.linear.at = at;
	r.linear.format = t->format;
	r.linear.channels = t->channels;
	r.linear.bytes = bytes;
	if (byte_offset)
		*byte_offset = 0;
	return set_resource(t, &r);
}

int drv_cuTexRefSetAddress2D_v3(struct cu_texref *t, const struct cu_array_2d *desc, u64 at, size_t pitch)
{
	struct cu_resource r = {.type = RESOURCE_PITCHED};

	if (!is_texref(t, false) || !desc)
		return CU_INVALID_VALUE;
	r.pitched.at = at;
	r.pitched.format = desc->format;
	r.pitched.channels = desc->channels;
	r.pitched.width = desc->width;
	r.pitched.height = desc->height;
	r.pitched.pitch = pitch;
	return set_resource(t, &r);
}
int drv_cuTexRefSetAddress2D_v2(struct cu_texref *t, const struct cu_array_2d *desc, u64 at, size_t pitch)
{
	return drv_cuTexRefSetAddress2D_v3(t, desc, at, pitch);
}

int drv_cuTexRefSetArray(struct cu_texref *t, struct cu_array *array, u32 flags)
{
	struct cu_resource r = {.type = RESOURCE_ARRAY};

	if (!is_texref(t, false) || flags & ~(u32)OVERRIDE_FORMAT)
		return CU_INVALID_VALUE;
	if (!handle_is(array, HANDLE_ARRAY))
		return CU_INVALID_HANDLE;
	r.array = array;
	t->format = array->shape.format;
	t->channels = array->shape.channels;
	return set_resource(t, &r);
}

int drv_cuTexRefSetMipmappedArray(struct cu_texref *t, struct cu_mipmap *mipmap, u32 flags)
{
	struct cu_resource r = {.type = RESOURCE_MIPMAP};

	if (!is_texref(t, false) || flags & ~(u32)OVERRIDE_FORMAT)
		return CU_INVALID_VALUE;
	if (!handle_is(mipmap, HANDLE_MIPMAP))
		return CU_INVALID_HANDLE;
	r.mipmap = mipmap;
	return set_resource(t, &r);
}

int drv_cuSurfRefSetArray(struct cu_texref *t, struct cu_array *array, u32 flags)
{
	struct cu_resource r = {.type = RESOURCE_ARRAY};

	if (!is_texref(t, true) || flags)
		return CU_INVALID_VALUE;
	if (!handle_is(array, HANDLE_ARRAY))
		return CU_INVALID_HANDLE;
	r.array = array;
	return set_resource(t, &r);
}

int drv_cuTexRefSetFormat(struct cu_texref *t, int format, int channels)
{
	if (!is_texref(t, false) || channels < 1 || channels > 4)
		return CU_INVALID_VALUE;
	t->format = format;
	t->channels = (u32)channels;
	if (t->resource.type == RESOURCE_LINEAR) {
		t->resource.linear.format = format;
		t->resource.linear.channels = t->channels;
	}
	return rebind(t);
}

int drv_cuTexRefSetAddressMode(struct cu_texref *t, int dim, int mode)
{
	if (!is_texref(t, false) || dim < 0 || dim > 2 || mode < 0 || mode > 3)
		return CU_INVALID_VALUE;
	t->texture.address[dim] = mode;
	return rebind(t);
}

int drv_cuTexRefSetFilterMode(struct cu_texref *t, int mode)
{
	if (!is_texref(t, false) || mode < 0 || mode > 1)
		return CU_INVALID_VALUE;
	t->texture.filter = mode;
	return rebind(t);
}

int drv_cuTexRefSetMipmapFilterMode(struct cu_texref *t, int mode)
{
	if (!is_texref(t, false) || mode < 0 || mode > 1)
		return CU_INVALID_VALUE;
	t->texture.mipmap_filter = mode;
	return rebind(t);
}

int drv_cuTexRefSetMipmapLevelBias(struct cu_texref *t, float bias)
{
	if (!is_texref(t, false))
		return CU_INVALID_VALUE;
	t->texture.level_bias = bias;
	return rebind(t);
}

int drv_cuTexRefSetMipmapLevelClamp(struct cu_texref *t, float low, float high)
{
	if (!is_texref(t, false))
		return CU_INVALID_VALUE;
	t->texture.lowest_level = low;
	t->texture.highest_level = high;
	return rebind(t);
}

int drv_cuTexRefSetMaxAnisotropy(struct cu_texref *t, u32 most)
{
	if (!is_texref(t, false))
		return CU_INVALID_VALUE;
	t->texture.anisotropy = most;
	return CU_OK;
}

int drv_cuTexRefSetBorderColor(struct cu_texref *t, const float *colour)
{
	if (!is_texref(t, false) || !colour)
		return CU_INVALID_VALUE;
	memcpy(t->texture.border, colour, sizeof t->texture.border);
	return rebind(t);
}

int drv_cuTexRefSetFlags(struct cu_texref *t, u32 flags)
{
	if (!is_texref(t, false) || flags & ~0x77u)
		return CU_INVALID_VALUE;
	t->texture.flags = flags;
	return rebind(t);
}

/* --- Asking --------------------------------------------------------------------------------------------- */

int drv_cuTexRefGetAddress_v2(u64 *at, struct cu_texref *t)
{
	if (!at || !is_texref(t, false) || t->resource.type < RESOURCE_LINEAR)
		return CU_INVALID_VALUE;
	*at = t->resource.type == RESOURCE_LINEAR ? t->resource.linear.at : t->resource.pitched.at;
	return CU_OK;
}

int drv_cuTexRefGetArray(struct cu_array **array, struct cu_texref *t)
{
	if (!array || !is_texref(t, false) || t->resource.type != RESOURCE_ARRAY)
		return CU_INVALID_VALUE;
	*array = t->resource.array;
	return CU_OK;
}

int drv_cuTexRefGetMipmappedArray(struct cu_mipmap **mipmap, struct cu_texref *t)
{
	if (!mipmap || !is_texref(t, false) || t->resource.type != RESOURCE_MIPMAP)
		return CU_INVALID_VALUE;
	*mipmap = t->resource.mipmap;
	return CU_OK;
}

int drv_cuSurfRefGetArray(struct cu_array **array, struct cu_texref *t)
{
	if (!array || !is_texref(t, true) || t->resource.type != RESOURCE_ARRAY)
		return CU_INVALID_VALUE;
	*array = t->resource.array;
	return CU_OK;
}

int drv_cuTexRefGetAddressMode(int *mode, struct cu_texref *t, int dim)
{
	if (!mode || !is_texref(t, false) || dim < 0 || dim > 2)
		return CU_INVALID_VALUE;
	*mode = t->texture.address[dim];
	return CU_OK;
}

int drv_cuTexRefGetFormat(int *format, int *channels, struct cu_texref *t)
{
	if (!is_texref(t, false))
		return CU_INVALID_VALUE;
	if (format)
		*format = t->format;
	if (channels)
		*channels = (int)t->channels;
	return CU_OK;
}

int drv_cuTexRefGetMipmapLevelClamp(float *low, float *high, struct cu_texref *t)
{
	if (!low || !high || !is_texref(t, false))
		return CU_INVALID_VALUE;
	*low = t->texture.lowest_level;
	*high = t->texture.highest_level;
	return CU_OK;
}

int drv_cuTexRefGetBorderColor(float *colour, struct cu_texref *t)
{
	if (!colour || !is_texref(t, false))
		return CU_INVALID_VALUE;
	memcpy(colour, t->texture.border, sizeof t->texture.border);
	return CU_OK;
}

/* What is one field of the description. */
#define TEXREF_GETTER(call, type, field)              \
	int drv_##call(type *to, struct cu_texref *t) \
	{                                             \
		if (!to || !is_texref(t, false))      \
			return CU_INVALID_VALUE;      \
		*to = (type)t->texture.field;         \
		return CU_OK;                         \
	}
TEXREF_GETTER(cuTexRefGetFilterMode, int, filter)
TEXREF_GETTER(cuTexRefGetFlags, u32, flags)
TEXREF_GETTER(cuTexRefGetMaxAnisotropy, int, anisotropy)
TEXREF_GETTER(cuTexRefGetMipmapFilterMode, int, mipmap_filter)
TEXREF_GETTER(cuTexRefGetMipmapLevelBias, float, level_bias)
