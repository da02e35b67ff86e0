/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's linker: gathers texts into one image that stands alone, since programs store it in files.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/image.h"

enum { INPUT_CUBIN = 0, INPUT_PTX = 1, INPUT_FATBINARY = 2, INPUT_OBJECT = 3, INPUT_LIBRARY = 4 };

struct cu_link {
	struct image_texts texts;
	struct image_log log;
	void *image;
};

int drv_cuLinkCreate_v2(u32 num_options, int *options, void **option_values, struct cu_link **state_out)
{
	if (!state_out)
		return CU_INVALID_VALUE;
	struct cu_link *l = calloc(1, sizeof *l);
	if (!l || !handle_add(l, HANDLE_LINK)) {
		free(l);
		return CU_OUT_OF_MEMORY;
	}
	l->log = image_log_open(num_options, options, option_values);
	*state_out = l;
	return CU_OK;
}

/* Told at once whether it is right. */
static int check_text(struct cu_link *l, const char *name, const char *text, size_t length)
{
	ptxsim_module *m = ptxsim_module_create(driver.machine);

	if (!m)
		return CU_OUT_OF_MEMORY;
	const ptxsim_status status = ptxsim_module_add_text(m, name, text, length);
	if (status) {
		image_log_module(&l->log, m);
		image_log_write(&l->log);
	}
	ptxsim_module_free(m);
	return status == PTXSIM_OK ? CU_OK : status == PTXSIM_ERROR_MEMORY ? CU_OUT_OF_MEMORY : CU_INVALID_PTX;
}

int drv_cuLinkAddData_v2(struct cu_link *state, int type, void *data, size_t size, const char *name, u32 num_options,
			 int *options, void **option_values)
{
	(void)num_options;
	(void)options;
	(void)option_values;
	if (!handle_is(state, HANDLE_LINK))
		return CU_INVALID_HANDLE;
	if (!data || !size)
		return CU_INVALID_VALUE;
	if (type != INPUT_PTX)
		return image_read(data, driver.devices[context_current()->device].model, &state->texts);
	size_t length = size;
	while (length && !((const char *)data)[length - 1])
		length--;
	const int result = check_text(state, name ? name : "input.ptx", data, length);
	if (result)
		return result;
	return image_texts_add(&state->texts, name, data, length) ? CU_OK : CU_OUT_OF_MEMORY;
}

int drv_cuLinkAddFile_v2(struct cu_link *state, int type, const char *path, u32 num_options, int *options,
			 void **option_values)
{
	char *bytes;

	if (!handle_is(state, HANDLE_LINK))
		return CU_INVALID_HANDLE;
	if (!path)
		return CU_INVALID_VALUE;
	/* NVIDIA's device runtime is the simulator's own. */
	if (type == INPUT_LIBRARY && strstr(path, "cudadevrt"))
		return CU_OK;
	int result = image_read_file(path, &bytes);
	if (result)
		return result;
	result = drv_cuLinkAddData_v2(state, type, bytes, strlen(bytes), path, num_options, options, option_values);
	free(bytes);
	return result;
}

int drv_cuLinkComplete(struct cu_link *state, void **cubin_out, size_t *size_out)
{
	size_t size;

	if (!handle_is(state, HANDLE_LINK))
		return CU_INVALID_HANDLE;
	if (!cubin_out || !state->texts.count)
		return CU_INVALID_VALUE;
	free(state->image);
	state->image = image_write(&state->texts, &size);
	if (!state->image)
		return CU_OUT_OF_MEMORY;
	image_log_write(&state->log);
	*cubin_out = state->image;
	if (size_out)
		*size_out = size;
	return CU_OK;
}

int drv_cuLinkDestroy(struct cu_link *state)
{
	if (!handle_is(state, HANDLE_LINK))
		return CU_INVALID_HANDLE;
	handle_drop(state);
	/* Programs may have released the buffers since cuLinkComplete. */
	image_log_free(&state->log);
	image_texts_free(&state->texts);
	free(state->image);
	free(state);
	return CU_OK;
}
