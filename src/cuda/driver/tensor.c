/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor maps, which kernels take as parameters for bulk copies of tensors (CUDA Driver API, "Tensor Map Object Management").
 */
#include <string.h>

#include "cuda/driver/driver.h"
#include "memory/tensormap.h"

enum { ALIGNMENT = 64, ELEMENT_TYPES = 13, ELEMENT_TYPES_KNOWN = 16 };

/* CUtensorMapDataType, as tensormap.replace numbers the types. */
static bool take_type(int type, u32 *to)
{
	static const u8 types[ELEMENT_TYPES] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12};

	if (type < 0 || type >= ELEMENT_TYPES)
		return false;
	*to = types[type];
	return true;
}

/* What both kinds of map say. */
struct common {
	int type;
	u32 rank;
	void *address;
	const u64 *dims, *strides;
	const u32 *element_strides;
	int interleave, swizzle, promotion, fill;
};

static int take_common(const struct common *c, struct ptxsim_tensor_map *m)
{
	if (!c->rank || c->rank > 5 || !c->address || !c->dims || !c->element_strides || (c->rank > 1 && !c->strides) ||
	    c->interleave < 0 || c->interleave > 2 || c->swizzle < 0 || c->promotion < 0 || c->promotion > 3 ||
	    c->fill < 0 || c->fill > 1)
		return CU_INVALID_VALUE;
	/* Elements of 4 and 6 bits. */
	if (c->type >= ELEMENT_TYPES && c->type < ELEMENT_TYPES_KNOWN)
		return CU_NOT_SUPPORTED;
	/* Swizzles of smaller atoms. */
	if (c->swizzle > 3)
		return CU_NOT_SUPPORTED;
	if (!take_type(c->type, &m->type))
		return CU_INVALID_VALUE;
	m->address = (u64)(uintptr_t)c->address;
	m->rank = c->rank;
	memcpy(m->dims, c->dims, c->rank * sizeof *m->dims);
	if (c->rank > 1)
		memcpy(m->strides, c->strides, (c->rank - 1) * sizeof *m->strides);
	memcpy(m->element_strides, c->element_strides, c->rank * sizeof *m->element_strides);
	m->interleave = (u32)c->interleave;
	m->swizzle = (u32)c->swizzle;
	m->fills_nan = c->fill;
	return CU_OK;
}

static int encode(const struct ptxsim_tensor_map *m, void *to)
{
	const char *why;

	if (!to || (uintptr_t)to % ALIGNMENT)
		return CU_INVALID_VALUE;
	if (!ptxsim_tensor_map(m, to, &why))
		return CU_OK;
	driver_tell("a tensor map is refused: %s", why);
	return CU_INVALID_VALUE;
}

int drv_cuTensorMapEncodeTiled(void *map, int type, u32 rank, void *address, const u64 *dims, const u64 *strides,
			       const u32 *box, const u32 *element_strides, int interleave, int swizzle, int promotion,
			       int fill)
{
	struct ptxsim_tensor_map m = PTXSIM_TENSOR_MAP_INIT;
	const int result = take_common(&(struct common){type, rank, address, dims, strides, element_strides, interleave,
							swizzle, promotion, fill},
				       &m);

	if (result || !box)
		return result ? result : CU_INVALID_VALUE;
	memcpy(m.box, box, rank * sizeof *m.box);
	return encode(&m, map);
}

int drv_cuTensorMapEncodeIm2col(void *map, int type, u32 rank, void *address, const u64 *dims, const u64 *strides,
				const int *lower, const int *upper, u32 channels, u32 pixels,
				const u32 *element_strides, int interleave, int swizzle, int promotion, int fill)
{
	struct ptxsim_tensor_map m = PTXSIM_TENSOR_MAP_INIT;
	const int result = take_common(&(struct common){type, rank, address, dims, strides, element_strides, interleave,
							swizzle, promotion, fill},
				       &m);

	if (result || !lower || !upper || rank < 3)
		return result ? result : CU_INVALID_VALUE;
	m.im2col = 1;
	m.channels = channels;
	m.pixels = pixels;
	memcpy(m.lower, lower, (rank - 2) * sizeof *m.lower);
	memcpy(m.upper, upper, (rank - 2) * sizeof *m.upper);
	return encode(&m, map);
}

int drv_cuTensorMapReplaceAddress(void *map, void *address)
{
	struct tensor_map m;

	if (!map || (uintptr_t)map % ALIGNMENT || !tensor_map_decode(map, &m))
		return CU_INVALID_VALUE;
	m.address = (u64)(uintptr_t)address;
	return tensor_map_encode(&m, map) ? CU_INVALID_VALUE : CU_OK;
}
