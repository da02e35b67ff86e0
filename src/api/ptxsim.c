/* SPDX-License-Identifier: Apache-2.0
 *
 * The public API: doors around a session. Every door that may allocate sets the session's
 * out_of_memory, so that an arena that finds no memory ends here; the simulator is then spent.
 */
#include "config.h"

#include "ptxsim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "observe/async_check.h"
#include "memory/texture.h"

struct ptxsim {
	struct session session;
	bool spent; /* memory ran out */
	volatile bool stop;
	struct launch_stats stats;
	enum fault_kind fault;
	bool refused; /* the last launch was not even begun */
	char message[8192];
	u8 *params; /* of the launch, from malloc */
	size_t params_room;
	const char *diagnostics;
	size_t diagnostics_count;
	ptxsim_print_fn *print;
	void *print_context;
};

const char *ptxsim_version(void) { return PACKAGE_VERSION; }

const char *ptxsim_status_text(ptxsim_status status)
{
	static const char *const texts[] = {
		"success",
		"an argument is null or out of range",
		"the simulator is not in the right state for this call",
		"the file cannot be read",
		"the modules have errors",
		"there is none of that name",
		"the range is not within one allocation",
		"the launch's shape or arguments are wrong",
		"the kernel failed",
		"the launch was interrupted",
		"the host has no memory left",
	};

	return (size_t)status < COUNT_OF(texts) ? texts[status] : "no such status";
}

ptxsim *ptxsim_create(void)
{
	ptxsim *sim = calloc(1, sizeof *sim);

	if (sim && !session_open(&sim->session)) {
		free(sim);
		return NULL;
	}
	return sim;
}

void ptxsim_free(ptxsim *sim)
{
	if (!sim)
		return;
	session_close(&sim->session);
	free(sim->params);
	free(sim);
}

static ptxsim_status spend(ptxsim *sim)
{
	sim->spent = true;
	return PTXSIM_ERROR_MEMORY;
}

static bool is_built(const ptxsim *sim) { return sim->session.program != NULL; }

/* --- Modules -------------------------------------------------------------------------------- */

ptxsim_status ptxsim_add_text(ptxsim *sim, const char *name, const char *text, size_t length)
{
	if (!sim || !name || (!text && length) || length >= UINT32_MAX / 2)
		return PTXSIM_ERROR_ARGUMENT;
	if (sim->spent)
		return PTXSIM_ERROR_MEMORY;
	if (is_built(sim))
		return PTXSIM_ERROR_STATE;
	const u32 errors = sim->session.diags.error_count;
	if (SESSION_ENTER(&sim->session))
		return spend(sim);
	session_add_text(&sim->session, name, text ? text : "", length);
	return sim->session.diags.error_count > errors ? PTXSIM_ERROR_SYNTAX : PTXSIM_OK;
}

ptxsim_status ptxsim_add_file(ptxsim *sim, const char *path)
{
	const char *message;

	if (!sim || !path)
		return PTXSIM_ERROR_ARGUMENT;
	if (sim->spent)
		return PTXSIM_ERROR_MEMORY;
	if (is_built(sim))
		return PTXSIM_ERROR_STATE;
	const u32 errors = sim->session.diags.error_count;
	if (SESSION_ENTER(&sim->session))
		return spend(sim);
	if (!session_add_file(&sim->session, path, &message))
		return PTXSIM_ERROR_FILE;
	return sim->session.diags.error_count > errors ? PTXSIM_ERROR_SYNTAX : PTXSIM_OK;
}

ptxsim_status ptxsim_build(ptxsim *sim, const char *arch)
{
	const struct lower_options options = {.arch = arch};

	if (!sim)
		return PTXSIM_ERROR_ARGUMENT;
	if (sim->spent)
		return PTXSIM_ERROR_MEMORY;
	if (is_built(sim) || !sim->session.modules.count)
		return PTXSIM_ERROR_STATE;
	if (SESSION_ENTER(&sim->session))
		return spend(sim);
	if (session_build(&sim->session, &options))
		return PTXSIM_OK;
	return sim->session.diags.error_count ? PTXSIM_ERROR_SYNTAX : spend(sim);
}

const char *ptxsim_diagnostics(ptxsim *sim)
{
	if (!sim)
		return "";
	if (sim->spent || SESSION_ENTER(&sim->session)) {
		sim->spent = true;
		return ptxsim_status_text(PTXSIM_ERROR_MEMORY);
	}
	if (!sim->diagnostics || sim->diagnostics_count != sim->session.diags.list.count) {
		sim->diagnostics = session_diagnostics(&sim->session, false);
		sim->diagnostics_count = sim->session.diags.list.count;
	}
	return sim->diagnostics;
}

/* --- Memory --------------------------------------------------------------------------------- */

static ptxsim_status ready(const ptxsim *sim)
{
	if (!sim)
		return PTXSIM_ERROR_ARGUMENT;
	if (sim->spent)
		return PTXSIM_ERROR_MEMORY;
	return is_built(sim) ? PTXSIM_OK : PTXSIM_ERROR_STATE;
}

ptxsim_status ptxsim_alloc(ptxsim *sim, uint64_t bytes, uint64_t *address)
{
	const ptxsim_status status = ready(sim);

	if (status)
		return status;
	if (!address)
		return PTXSIM_ERROR_ARGUMENT;
	const u64 at = memory_allocate_buffer(&sim->session.memory, bytes, "ptxsim_alloc");
	if (!at)
		return PTXSIM_ERROR_MEMORY;
	*address = at;
	return PTXSIM_OK;
}

ptxsim_status ptxsim_map(ptxsim *sim, void *bytes, uint64_t size, uint64_t *address)
{
	const ptxsim_status status = ready(sim);

	if (status)
		return status;
	if (!bytes || !size || !address)
		return PTXSIM_ERROR_ARGUMENT;
	const u64 at = memory_attach(&sim->session.memory, bytes, size, "ptxsim_map");
	if (!at)
		return PTXSIM_ERROR_MEMORY;
	*address = at;
	return PTXSIM_OK;
}

/* The range if it lies in memory that the API gave out or in a variable. */
static u8 *find_bytes(const ptxsim *sim, uint64_t address, uint64_t bytes)
{
	const struct allocation *a = memory_find(&sim->session.memory, address, bytes);

	return a ? a->host + (address - a->base) : NULL;
}

ptxsim_status ptxsim_multicast(ptxsim *sim, const uint64_t *addresses, uint32_t count, uint64_t bytes,
			       uint64_t *address)
{
	const ptxsim_status status = ready(sim);

	if (status)
		return status;
	if (!addresses || !count || !bytes || !address)
		return PTXSIM_ERROR_ARGUMENT;
	for (uint32_t k = 0; k < count; k++)
		if (!find_bytes(sim, addresses[k], bytes))
			return PTXSIM_ERROR_ADDRESS;
	const u64 at = memory_multicast(&sim->session.memory, addresses, count, bytes);
	if (!at)
		return PTXSIM_ERROR_MEMORY;
	*address = at;
	return PTXSIM_OK;
}

ptxsim_status ptxsim_release(ptxsim *sim, uint64_t address)
{
	const ptxsim_status status = ready(sim);

	if (status)
		return status;
	const struct program *p = sim->session.program;
	for (u32 k = 0; k < p->variable_count; k++)
		if (p->variables[k].address == address)
			return PTXSIM_ERROR_ADDRESS;
	return memory_release(&sim->session.memory, address) ? PTXSIM_OK : PTXSIM_ERROR_ADDRESS;
}

ptxsim_status ptxsim_read(ptxsim *sim, void *to, uint64_t address, uint64_t bytes)
{
	const ptxsim_status status = ready(sim);

	if (status)
		return status;
	if (!to && bytes)
		return PTXSIM_ERROR_ARGUMENT;
	if (!bytes)
		return PTXSIM_OK;
	const u8 *from = find_bytes(sim, address, bytes);
	if (!from)
		return PTXSIM_ERROR_ADDRESS;
	memcpy(to, from, bytes);
	return PTXSIM_OK;
}

ptxsim_status ptxsim_write(ptxsim *sim, uint64_t address, const void *from, uint64_t bytes)
{
	const ptxsim_status status = ready(sim);

	if (status)
		return status;
	if (!from && bytes)
		return PTXSIM_ERROR_ARGUMENT;
	if (!bytes)
		return PTXSIM_OK;
	u8 *to = find_bytes(sim, address, bytes);
	if (!to)
		return PTXSIM_ERROR_ADDRESS;
	memcpy(to, from, bytes);
	return PTXSIM_OK;
}

ptxsim_status ptxsim_variable(ptxsim *sim, const char *name, uint64_t *address, uint64_t *bytes)
{
	const ptxsim_status status = ready(sim);
	u64 at, size;

	if (status)
		return status;
	if (!name)
		return PTXSIM_ERROR_ARGUMENT;
	if (!program_variable(sim->session.program, name, &at, &size))
		return PTXSIM_ERROR_NOT_FOUND;
	if (address)
		*address = at;
	if (bytes)
		*bytes = size;
	return PTXSIM_OK;
}

/* --- Textures and surfaces ------------------------------------------------------------------ */

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

ptxsim_status ptxsim_texture_object(ptxsim *sim, const struct ptxsim_texture *texture, uint64_t *handle)
{
	const ptxsim_status status = ready(sim);

	if (status)
		return status;
	if (!texture || !handle || !texture_is_possible(texture))
		return PTXSIM_ERROR_ARGUMENT;
	const struct texture t = texture_of(texture);
	if (!texture_is_sound(&t) || !memory_find(&sim->session.memory, t.data, texture_bytes(&t)))
		return PTXSIM_ERROR_ARGUMENT;
	const ptxsim_status made = ptxsim_alloc(sim, sizeof t, handle);
	return made ? made : ptxsim_write(sim, *handle, &t, sizeof t);
}

ptxsim_status ptxsim_bind_texture(ptxsim *sim, const char *name, uint64_t handle)
{
	uint64_t address, bytes;
	const ptxsim_status status = ptxsim_variable(sim, name, &address, &bytes);

	if (status)
		return status;
	return bytes == sizeof handle ? ptxsim_write(sim, address, &handle, sizeof handle) : PTXSIM_ERROR_NOT_FOUND;
}

/* --- Kernels -------------------------------------------------------------------------------- */

/* A public kernel is the program's own; the type is never defined. */
static const struct kernel *kernel_of(const ptxsim_kernel *kernel) { return (const struct kernel *)kernel; }

size_t ptxsim_kernel_count(const ptxsim *sim)
{
	return ready(sim) == PTXSIM_OK ? sim->session.program->kernel_count : 0;
}

const ptxsim_kernel *ptxsim_get_kernel(const ptxsim *sim, size_t index)
{
	if (index >= ptxsim_kernel_count(sim))
		return NULL;
	return (const ptxsim_kernel *)&sim->session.program->kernels[index];
}

const ptxsim_kernel *ptxsim_find_kernel(const ptxsim *sim, const char *name)
{
	if (ready(sim) != PTXSIM_OK || !name)
		return NULL;
	const struct kernel *k = program_kernel(sim->session.program, name);
	struct session *s = (struct session *)(uintptr_t)&sim->session;
	u32 count;
	if (k || SESSION_ENTER(s))
		return (const ptxsim_kernel *)k;
	const char *named = session_kernel_named(s, name, &count);
	return (const ptxsim_kernel *)(named ? program_kernel(s->program, named) : NULL);
}

const char *ptxsim_kernel_name(const ptxsim_kernel *kernel) { return kernel ? kernel_of(kernel)->name : ""; }

size_t ptxsim_kernel_param_count(const ptxsim_kernel *kernel)
{
	return kernel ? kernel_of(kernel)->function->params.count : 0;
}

ptxsim_status ptxsim_kernel_param(const ptxsim_kernel *kernel, size_t index, struct ptxsim_param *param)
{
	if (!param || index >= ptxsim_kernel_param_count(kernel))
		return PTXSIM_ERROR_ARGUMENT;
	const struct ir_variable *v = kernel_of(kernel)->function->params.items[index];
	*param = (struct ptxsim_param){.name = v->name,
				       .type = token_text(v->type),
				       .size = (uint32_t)v->size,
				       .alignment = v->align,
				       .offset = kernel_of(kernel)->param_offsets[index],
				       .is_pointer = v->is_pointer};
	return PTXSIM_OK;
}

/* --- Launching ------------------------------------------------------------------------------ */

static void print_to_output(void *context, const char *text, size_t length)
{
	(void)context;
	fwrite(text, 1, length, stdout);
}

/* The parameter block; false if there is no memory. */
static bool fill_params(ptxsim *sim, const struct kernel *k, const struct ptxsim_launch *launch)
{
	if (sim->params_room < (size_t)k->param_bytes + 1) {
		u8 *more = realloc(sim->params, (size_t)k->param_bytes + 1);
		if (!more)
			return false;
		sim->params = more;
		sim->params_room = (size_t)k->param_bytes + 1;
	}
	memset(sim->params, 0, k->param_bytes);
	for (size_t n = 0; n < launch->arg_count; n++)
		memcpy(sim->params + k->param_offsets[n], launch->args[n], k->function->params.items[n]->size);
	return true;
}

/* A caller that was compiled before the last fields were added does not have them. */
static bool take_launch(const struct ptxsim_launch *from, struct ptxsim_launch *to)
{
	const size_t size = from->struct_size;

	memset(to, 0, sizeof *to);
	if (size < offsetof(struct ptxsim_launch, cooperative) || size > sizeof *to)
		return false;
	memcpy(to, from, size);
	return true;
}

static ptxsim_status check_launch(ptxsim *sim, const struct kernel *k, const struct ptxsim_launch *launch)
{
	if ((launch->arg_count && !launch->args) || (unsigned)launch->async > PTXSIM_ASYNC_RANDOM)
		return PTXSIM_ERROR_ARGUMENT;
	for (size_t n = 0; n < launch->arg_count; n++)
		if (!launch->args[n])
			return PTXSIM_ERROR_ARGUMENT;
	if (launch->arg_count == k->function->params.count)
		return PTXSIM_OK;
	snprintf(sim->message, sizeof sim->message, "kernel '%s' has %zu parameters, %zu arguments were given", k->name,
		 k->function->params.count, launch->arg_count);
	return PTXSIM_ERROR_LAUNCH;
}

static ptxsim_status run(ptxsim *sim, struct launch *l)
{
	struct fault fault = {0};

	sim->stop = false;
	l->stop = &sim->stop;
	switch (launch_run(l, &sim->stats, &fault, sim->message, sizeof sim->message)) {
	case LAUNCH_OK:
		return PTXSIM_OK;
	case LAUNCH_FAULT:
		sim->fault = fault.kind;
		fault_describe(l->memory, l, &fault, sim->message, sizeof sim->message);
		return fault.kind == FAULT_OUT_OF_MEMORY ? PTXSIM_ERROR_MEMORY : PTXSIM_ERROR_FAULT;
	case LAUNCH_BAD_CONFIG:
		sim->refused = true;
		return PTXSIM_ERROR_LAUNCH;
	case LAUNCH_INTERRUPTED:
		return PTXSIM_ERROR_INTERRUPTED;
	case LAUNCH_NO_MEMORY:
		break;
	}
	return PTXSIM_ERROR_MEMORY;
}

ptxsim_status ptxsim_launch(ptxsim *sim, const ptxsim_kernel *kernel, const struct ptxsim_launch *launch)
{
	ptxsim_status status = ready(sim);

	if (status)
		return status;
	sim->message[0] = 0;
	sim->fault = FAULT_NONE;
	sim->refused = true;
	memset(&sim->stats, 0, sizeof sim->stats);
	struct ptxsim_launch whole;
	if (!kernel || !launch || !take_launch(launch, &whole))
		return PTXSIM_ERROR_ARGUMENT;
	launch = &whole;
	const struct kernel *k = kernel_of(kernel);
	status = check_launch(sim, k, launch);
	if (status)
		return status;
	sim->refused = false;
	if (!fill_params(sim, k, launch))
		return PTXSIM_ERROR_MEMORY;
	struct launch l = {
		.program = sim->session.program,
		.kernel = k,
		.memory = &sim->session.memory,
		.threads = &sim->session.threads,
		.dynamic_shared = launch->shared_bytes,
		.cooperative = launch->cooperative != 0,
		.params = sim->params,
		.jobs = launch->jobs,
		.jobs_given = launch->jobs != 0,
		.instruction_limit = launch->instruction_limit,
		.async = {(enum async_mode)launch->async, launch->async_seed},
		.async_checker = &async_strict_checker,
		.print = sim->print ? sim->print : print_to_output,
		.print_context = sim->print_context,
	};
	memcpy(l.grid, launch->grid, sizeof l.grid);
	memcpy(l.block, launch->block, sizeof l.block);
	memcpy(l.cluster, launch->cluster, sizeof l.cluster);
	return run(sim, &l);
}

const char *ptxsim_message(const ptxsim *sim) { return sim ? sim->message : ""; }

const char *ptxsim_cuda_error(const ptxsim *sim)
{
	return sim && sim->refused ? "CUDA_ERROR_INVALID_VALUE" : fault_cuda_name(sim ? sim->fault : FAULT_NONE);
}

ptxsim_status ptxsim_get_stats(const ptxsim *sim, struct ptxsim_stats *stats)
{
	const ptxsim_status status = ready(sim);

	if (status)
		return status;
	if (!stats)
		return PTXSIM_ERROR_ARGUMENT;
	const struct launch_stats *s = &sim->stats;
	*stats = (struct ptxsim_stats){.blocks = s->blocks,
				       .warps = s->warps,
				       .warp_instructions = s->warp_instructions,
				       .thread_instructions = s->thread_instructions,
				       .branches = s->branches,
				       .divergent_branches = s->divergent_branches,
				       .seconds = s->seconds,
				       .jobs = s->jobs};
	return PTXSIM_OK;
}

void ptxsim_stop(ptxsim *sim)
{
	if (sim)
		sim->stop = true;
}

ptxsim_status ptxsim_set_print(ptxsim *sim, ptxsim_print_fn *print, void *context)
{
	if (!sim)
		return PTXSIM_ERROR_ARGUMENT;
	sim->print = print;
	sim->print_context = context;
	return PTXSIM_OK;
}
