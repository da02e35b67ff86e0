/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor maps for kernels' parameters.
 */
#include "memory/tensormap.h"

#include <string.h>

#include "api/error.h"

/* Why a number does not fit the map; NULL: all do. The encoder checks the rest. */
static const char *impossible(const struct ptxsim_tensor_map *x)
{
	if (x->struct_size != sizeof *x)
		return "struct_size is not that of this version";
	if (!x->rank || x->rank > TENSOR_RANK)
		return "a tensor has 1 to 5 dimensions";
	if (x->type >= TENSOR_TYPES || x->interleave > TENSOR_INTERLEAVE_32B || x->swizzle > TENSOR_SWIZZLE_128B)
		return "the element type, the interleave or the swizzle is not known";
	return NULL;
}

ptxsim_status ptxsim_tensor_map(const struct ptxsim_tensor_map *map, void *bytes, const char **why)
{
	const char *wrong = map && bytes ? impossible(map) : "no map, or no place for it";

	if (!wrong) {
		struct tensor_map m = {.address = map->address,
				       .rank = (u8)map->rank,
				       .type = (u8)map->type,
				       .interleave = (u8)map->interleave,
				       .swizzle = (u8)map->swizzle,
				       .fills_nan = map->fills_nan != 0,
				       .im2col = map->im2col != 0,
				       .channels = map->channels,
				       .pixels = map->pixels};
		memcpy(m.dims, map->dims, sizeof m.dims);
		memcpy(m.strides, map->strides, sizeof m.strides);
		memcpy(m.box, map->box, sizeof m.box);
		memcpy(m.element_strides, map->element_strides, sizeof m.element_strides);
		memcpy(m.lower, map->lower, sizeof m.lower);
		memcpy(m.upper, map->upper, sizeof m.upper);
		wrong = tensor_map_encode(&m, bytes);
	}
	if (why)
		*why = wrong ? wrong : "";
	return wrong ? call_fails(__func__, PTXSIM_ERROR_ARGUMENT, "%s", wrong) : PTXSIM_OK;
}
