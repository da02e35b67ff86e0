/* SPDX-License-Identifier: Apache-2.0
 *
 * Texture and surface objects: descriptors in the context's memory.
 */
#include "memory/texture.h"

#include <string.h>

#include "api/context.h"
#include "api/error.h"

static struct texture texture_of(const struct ptxsim_texture *x)
{
	struct texture t = {.magic = TEXTURE_MAGIC,
			    .data = x->data,
			    .width = x->width,
			    .height = x->height,
			    .depth = x->depth,
			    .layers = x->layers,
			    .channels = (u8)x->channels,
			    .channel_bits = (u8)x->channel_bits,
			    .kind = (u8)x->texel,
			    .linear = x->linear != 0,
			    .normalized_coordinates = x->normalized_coordinates != 0,
			    .normalized_values = x->normalized_values != 0,
			    .levels = (u8)x->levels,
			    .mixes_levels = x->linear_levels != 0,
			    .samples = (u8)x->samples,
			    .seamless = x->seamless_cube != 0,
			    .level_bias = x->level_bias,
			    .level_low = x->lowest_level,
			    .level_high = x->highest_level};

	t.pitch = x->pitch ? x->pitch : texture_row_bytes(&t);
	t.slice = x->slice ? x->slice : t.pitch * (t.height ? t.height : 1);
	for (u32 d = 0; d < 3; d++)
		t.address[d] = (u8)x->address[d];
	memcpy(t.border, x->border, sizeof t.border);
	return t;
}

/* What fits the descriptor; texture_is_sound has the rest. */
static bool texture_is_possible(const struct ptxsim_texture *x)
{
	const u32 most = 1 << 27;

	return x->struct_size == sizeof *x && x->width <= most && x->height <= most && x->depth <= most &&
	       x->layers <= most && !(x->depth && x->layers) && x->pitch < 1ull << 34 && x->slice < 1ull << 34 &&
	       x->channels <= 4 && x->channel_bits <= 32 && x->levels <= TEXTURE_LEVELS &&
	       x->samples <= TEXTURE_SAMPLES && (u32)x->texel <= PTXSIM_TEXEL_FLOAT &&
	       (u32)x->address[0] <= PTXSIM_ADDRESS_BORDER && (u32)x->address[1] <= PTXSIM_ADDRESS_BORDER &&
	       (u32)x->address[2] <= PTXSIM_ADDRESS_BORDER;
}

ptxsim_status ptxsim_texture_object(ptxsim_context *context, const struct ptxsim_texture *texture, uint64_t *handle)
{
	if (!context || !texture || !handle)
		return WRONG_ARGUMENT("the context, the texture or the place for the handle is NULL");
	if (!texture_is_possible(texture))
		return WRONG_ARGUMENT("struct_size, a dimension, a format or a mode is out of range");
	const struct texture t = texture_of(texture);
	struct allocation a;
	if (!texture_is_sound(&t))
		return WRONG_ARGUMENT("there is no texture of such a format, shape and filter");
	if (!memory_look(&context->memory, t.data, texture_bytes(&t), &a))
		return WRONG_ARGUMENT("its texels are not within one allocation");
	const ptxsim_status made = ptxsim_alloc(context, sizeof t, handle);
	return made ? made : ptxsim_write(context, *handle, &t, sizeof t);
}

ptxsim_status ptxsim_bind_texture(ptxsim_module *module, const char *name, uint64_t handle)
{
	uint64_t address, bytes;
	const ptxsim_status status = ptxsim_variable(module, name, &address, &bytes);

	if (status)
		return status;
	if (bytes == sizeof handle)
		return ptxsim_write(module->context, address, &handle, sizeof handle);
	return call_fails(__func__, PTXSIM_ERROR_NOT_FOUND, "'%s' is not a .texref, .samplerref or .surfref variable",
			  name);
}
