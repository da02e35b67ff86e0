/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's linker: gathers texts into one image that stands alone, since programs store it in files.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/device.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/image.h"
#include "cuda/driver/jit.h"
#include "cuda/driver/link_names.h"

enum { INPUT_CUBIN = 0, INPUT_PTX = 1, INPUT_FATBINARY = 2, INPUT_OBJECT = 3, INPUT_LIBRARY = 4 };

struct cu_link {
	struct image_texts texts;
	struct linked_names names; /* of the texts, but for those of machine code */
	struct image_log log;
	struct text_limits limits; /* of inputs that come without their own */
	const struct arch *target;
	bool was_given; /* something, even if it was refused */
	void *image;
};

int drv_cuLinkCreate_v2(u32 num_options, int *options, void **option_values, struct cu_link **state_out)
{
	const struct arch *gpu = device_arch(driver.devices[context_current()->device].model);
	struct jit_options jit = {0};

	if (!state_out)
		return CU_INVALID_VALUE;
	const int result = jit_read(&jit, num_options, options, option_values, gpu);
	if (result)
		return result;
	struct cu_link *l = calloc(1, sizeof *l);
	if (!l || !handle_add(l, HANDLE_LINK)) {
		free(l);
		return CU_OUT_OF_MEMORY;
	}
	l->log = image_log_open(num_options, options, option_values);
	l->limits = jit.limits;
	l->target = jit.target ? jit.target : gpu;
	*state_out = l;
	return CU_OK;
}

/* What is wrong with a module of one text, but for what other texts may bring. Machine code that cannot be read is as if it
 * were another GPU's. */
static int check_module(const struct cu_link *l, ptxsim_module *m, const char *name, const char *text, size_t length)
{
	const ptxsim_status added = ptxsim_module_add_text(m, name, text, length);

	if (added == PTXSIM_ERROR_MEMORY)
		return CU_OUT_OF_MEMORY;
	if (image_is_machine_code(text, length))
		return added ? CU_NO_BINARY : CU_OK;
	if (added)
		return CU_INVALID_PTX;
	const int fits = jit_can_compile(m, l->target);
	if (fits)
		return fits;
	const ptxsim_status status = module_check_apart(m, l->target->name);
	return status == PTXSIM_OK ? CU_OK : status == PTXSIM_ERROR_MEMORY ? CU_OUT_OF_MEMORY : CU_INVALID_PTX;
}

/* What other texts may use of it, and it of them. */
static int take_names(struct cu_link *l, ptxsim_module *m, u32 number)
{
	const struct image_texts *t = &l->texts;
	const struct link_name *twice;

	if (image_is_machine_code(t->texts[number], t->lengths[number]))
		return CU_OK;
	const int result = linked_names_add(&l->names, m, number, &twice);
	if (twice)
		image_log_line(&l->log, "error   : Multiple definition of '%s' in '%s', first defined in '%s'",
			       twice->name, t->names[number], t->names[twice->text]);
	return result;
}

/* Told at once whether it is right. */
static int check_text(struct cu_link *l, u32 number)
{
	const struct image_texts *t = &l->texts;
	ptxsim_module *m = ptxsim_module_create(driver.machine);

	if (!m)
		return CU_OUT_OF_MEMORY;
	int result = check_module(l, m, t->names[number], t->texts[number], t->lengths[number]);
	if (result)
		image_log_module(&l->log, m);
	else
		result = take_names(l, m, number);
	if (result)
		image_log_write(&l->log);
	ptxsim_module_free(m);
	return result;
}

/* The texts from `from` on have come with one input: all of them stay, or none. */
static int keep_texts(struct cu_link *l, u32 from, const struct text_limits *limits)
{
	struct image_texts *t = &l->texts;
	int result = CU_OK;

	for (u32 k = from; k < t->count && !result; k++)
		result = check_text(l, k);
	if (result) {
		linked_names_cut(&l->names, from);
		image_texts_cut(t, from);
	} else
		image_texts_limit(t, from, limits);
	return result;
}

static int add_ptx(struct cu_link *l, const char *text, size_t size, const char *name)
{
	const size_t length = strnlen(text, size);

	if (image_is_machine_code(text, length))
		return CU_INVALID_PTX;
	return image_texts_add(&l->texts, name ? name : "input.ptx", text, length) ? CU_OK : CU_OUT_OF_MEMORY;
}

/* in_place: the bytes are the caller's, not a file's. */
static int add(struct cu_link *l, int type, const void *bytes, size_t size, bool in_place, const char *name,
	       const struct jit_options *jit)
{
	const u32 from = l->texts.count;
	int result;

	if (type < INPUT_CUBIN || type > INPUT_LIBRARY || !size)
		return CU_INVALID_VALUE;
	if (jit->target && jit->target != l->target)
		return CU_INVALID_VALUE;
	l->was_given = true;
	if (type == INPUT_PTX)
		result = add_ptx(l, bytes, size, name);
	else
		result = image_read_input(bytes, size, in_place && type == INPUT_FATBINARY, l->target, &l->texts);
	return result ? result : keep_texts(l, from, &jit->limits);
}

int drv_cuLinkAddData_v2(struct cu_link *state, int type, void *data, size_t size, const char *name, u32 num_options,
			 int *options, void **option_values)
{
	if (!handle_is(state, HANDLE_LINK))
		return CU_INVALID_HANDLE;
	if (!data)
		return CU_INVALID_VALUE;
	struct jit_options jit = {.limits = state->limits};
	const int result = jit_read(&jit, num_options, options, option_values, state->target);
	return result ? result : add(state, type, data, size, true, name, &jit);
}

int drv_cuLinkAddFile_v2(struct cu_link *state, int type, const char *path, u32 num_options, int *options,
			 void **option_values)
{
	char *bytes;
	size_t size;

	if (!handle_is(state, HANDLE_LINK))
		return CU_INVALID_HANDLE;
	if (!path)
		return CU_INVALID_VALUE;
	/* NVIDIA's device runtime is the simulator's own. */
	if (type == INPUT_LIBRARY && strstr(path, "cudadevrt")) {
		state->was_given = true;
		return CU_OK;
	}
	struct jit_options jit = {.limits = state->limits};
	int result = jit_read(&jit, num_options, options, option_values, state->target);
	if (!result)
		result = image_read_file(path, &bytes, &size);
	if (result)
		return result;
	result = add(state, type, bytes, size, false, path, &jit);
	free(bytes);
	return result;
}

/* Machine code may define anything. */
static bool has_machine_code(const struct image_texts *t)
{
	for (u32 k = 0; k < t->count; k++)
		if (image_is_machine_code(t->texts[k], t->lengths[k]))
			return true;
	return false;
}

static bool is_complete(struct cu_link *l)
{
	const struct link_name *name;
	u32 at = 0, count = 0;

	while (!has_machine_code(&l->texts) && (name = linked_names_undefined(&l->names, &at))) {
		image_log_line(&l->log, "error   : Undefined reference to '%s' in '%s'", name->name,
			       l->texts.names[name->text]);
		count++;
	}
	return !count;
}

int drv_cuLinkComplete(struct cu_link *state, void **cubin_out, size_t *size_out)
{
	size_t size;

	if (!handle_is(state, HANDLE_LINK))
		return CU_INVALID_HANDLE;
	if (!cubin_out || !state->was_given)
		return CU_INVALID_VALUE;
	if (!is_complete(state)) {
		image_log_write(&state->log);
		return CU_UNKNOWN;
	}
	free(state->image);
	state->image = image_write(&state->texts, state->target, &size);
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
	linked_names_free(&state->names);
	free(state->image);
	free(state);
	return CU_OK;
}
