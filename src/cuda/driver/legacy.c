/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches as programs made them before CUDA 4: a function keeps its block's shape and its parameters between calls.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

enum { PARAMS_MOST = 4096 };

struct legacy_launch {
	u32 block[3], shared_bytes, param_bytes;
	u8 params[PARAMS_MOST];
};

static struct legacy_launch *launch_of(struct cu_function *f)
{
	if (!handle_is(f, HANDLE_FUNCTION))
		return NULL;
	if (!f->legacy && (f->legacy = calloc(1, sizeof *f->legacy)))
		f->legacy->block[0] = f->legacy->block[1] = f->legacy->block[2] = 1;
	return f->legacy;
}

int drv_cuFuncSetBlockShape(struct cu_function *f, int x, int y, int z)
{
	struct legacy_launch *l = launch_of(f);

	if (!l)
		return CU_INVALID_HANDLE;
	if (x <= 0 || y <= 0 || z <= 0)
		return CU_INVALID_VALUE;
	l->block[0] = (u32)x;
	l->block[1] = (u32)y;
	l->block[2] = (u32)z;
	return CU_OK;
}

int drv_cuFuncSetSharedSize(struct cu_function *f, u32 bytes)
{
	struct legacy_launch *l = launch_of(f);

	if (!l)
		return CU_INVALID_HANDLE;
	l->shared_bytes = bytes;
	return CU_OK;
}

int drv_cuParamSetSize(struct cu_function *f, u32 bytes)
{
	struct legacy_launch *l = launch_of(f);

	if (!l)
		return CU_INVALID_HANDLE;
	if (bytes > PARAMS_MOST)
		return CU_INVALID_VALUE;
	l->param_bytes = bytes;
	return CU_OK;
}

int drv_cuParamSetv(struct cu_function *f, int offset, void *bytes, u32 count)
{
	struct legacy_launch *l = launch_of(f);

	if (!l)
		return CU_INVALID_HANDLE;
	if (!bytes || offset < 0 || offset > PARAMS_MOST || count > (u32)(PARAMS_MOST - offset))
		return CU_INVALID_VALUE;
	memcpy(l->params + offset, bytes, count);
	l->param_bytes = max_u32(l->param_bytes, (u32)offset + count);
	return CU_OK;
}
int drv_cuParamSeti(struct cu_function *f, int offset, u32 value)
{
	return drv_cuParamSetv(f, offset, &value, sizeof value);
}
int drv_cuParamSetf(struct cu_function *f, int offset, float value)
{
	return drv_cuParamSetv(f, offset, &value, sizeof value);
}

/* The unit says nothing since PTX has texture variables. */
int drv_cuParamSetTexRef(struct cu_function *f, int unit, struct cu_texref *t)
{
	(void)unit;
	return handle_is(f, HANDLE_FUNCTION) && handle_is(t, HANDLE_TEXREF) ? CU_OK : CU_INVALID_HANDLE;
}

int drv_cuLaunchGridAsync(struct cu_function *f, int width, int height, struct cu_stream *stream)
{
	struct legacy_launch *l = launch_of(f);

	if (!l)
		return CU_INVALID_HANDLE;
	if (width <= 0 || height <= 0)
		return CU_INVALID_VALUE;
	size_t bytes = l->param_bytes;
	void *extra[] = {(void *)1, l->params, (void *)2, &bytes, NULL};
	return drv_cuLaunchKernel(f, (u32)width, (u32)height, 1, l->block[0], l->block[1], l->block[2], l->shared_bytes,
				  stream, NULL, extra);
}
int drv_cuLaunchGrid(struct cu_function *f, int width, int height)
{
	return drv_cuLaunchGridAsync(f, width, height, NULL);
}
int drv_cuLaunch(struct cu_function *f) { return drv_cuLaunchGridAsync(f, 1, 1, NULL); }
