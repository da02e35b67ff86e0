/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules, libraries, kernels and their attributes. A library is texts; each context that uses it gets a module of its
 * own, built at first use, and a module's kernels are compiled at theirs.
 *
 *  cuModuleLoad...     image_read -> texts -> module_new: parsed, laid out, kept in the current context
 *  cuLibraryLoad...    image_read -> texts, kept; `instance` makes a module of them for each context that uses it
 *  cuModuleGetFunction a handle for a kernel of a module; cuLibraryGetKernel: one that finds its module by the context
 *
 * Handles live as long as what they belong to. Large modules are built lazily: a kernel is lowered when it is first
 * launched, since programs with large libraries load thousands of
 * kernels and launch a few. All of this runs under the driver's lock.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "cuda/driver/debugging.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/image.h"
#include "cuda/driver/jit.h"
#include "cuda/driver/watch.h"

enum { LAZY_FROM = 64 << 10 };

/* --- Building ---------------------------------------------------------------------------------------- */

/* What place() needs: variables of a module get their memory from the device's heap, so that their addresses are like
 * those of other allocations. */
struct placing {
	struct cu_module *module;
};

/* Called by the build, once it knows how much room the variables take. NULL: there is none. */
static void *place(void *context, u64 bytes)
{
	struct cu_module *m = ((struct placing *)context)->module;

	m->variables = heap_take(&driver.devices[m->context->device].heap, bytes);
	m->variable_bytes = m->variables ? bytes : 0;
	return m->variables;
}

/* Variables are allocations like others. */
static int book_variables(struct cu_module *m)
{
	const struct program *p = m->module->session.program;

	for (u32 k = 0; k < p->variable_count; k++) {
		const struct global_variable *g = &p->variables[k];
		if (g->size && !block_book(m->context, g->address, g->size,
					   g->variable->managed ? BLOCK_MANAGED_VARIABLE : BLOCK_VARIABLE))
			return CU_OUT_OF_MEMORY;
	}
	return CU_OK;
}

/* A module whose build has failed has no variables yet. */
static void unbook_variables(struct cu_module *m)
{
	const struct program *p = m->module->session.program;

	for (u32 k = 0; p && m->module->functions && k < p->variable_count; k++) {
		struct region *b = block_at(p->variables[k].address);
		if (b)
			block_unbook(b);
	}
}

/* From now on nothing can name the module and its functions. */
static void module_retire(const struct cu_module *m)
{
	for (struct cu_function *f = m->functions; f; f = f->next)
		handle_drop(f);
	handle_drop(m);
}

/* Nothing may run in the module any more: callers have waited for the context. */
static void module_free(struct cu_module *m)
{
	for (struct cu_module **at = &m->context->modules; *at; at = &(*at)->next)
		if (*at == m) {
			*at = m->next;
			break;
		}
	module_retire(m);
	texrefs_free(m);
	unbook_variables(m);
	debugging_forget(m->module->session.program);
	ptxsim_module_free(m->module);
	if (m->variables)
		heap_give(&driver.devices[m->context->device].heap, m->variables, m->variable_bytes);
	for (struct cu_function *f = m->functions, *next; f; f = next) {
		next = f->next;
		free(f->name);
		free(f->legacy);
		free(f);
	}
	free(m);
}

/* Parses and lays out a module's texts. Errors of the text go to the program's log, if it gave one (options of
 * cuModuleLoadDataEx). What is not modelled is no error here: only the launch of a kernel that has it is. */
static int build(struct cu_module *m, const struct image_texts *texts, struct image_log *log)
{
	const struct device *d = driver.devices[m->context->device].model;
	struct placing placing = {m};
	struct ptxsim_build options = PTXSIM_BUILD_INIT;
	ptxsim_status status = PTXSIM_OK;
	bool unfit = false;
	size_t bytes = 0;

	for (u32 k = 0; k < texts->count && status != PTXSIM_ERROR_MEMORY; k++) {
		status = ptxsim_module_add_text(m->module, texts->names[k], texts->texts[k], texts->lengths[k]);
		jit_limit(m->module, &texts->limits[k]);
		bytes += texts->lengths[k];
		unfit |= status == PTXSIM_ERROR_SYNTAX && image_is_machine_code(texts->texts[k], texts->lengths[k]);
	}
	/* Machine code that cannot be read is as if it were another GPU's. */
	if (unfit) {
		image_tell_unfit(d);
		return CU_NO_BINARY;
	}
	const int fits = jit_can_compile(m->module, device_arch(d));
	if (fits == CU_UNSUPPORTED_PTX_VERSION)
		return fits;
	options.arch = d->target;
	options.debug = debugging_is_on();
	options.lazy = bytes >= LAZY_FROM && !options.debug; /* an engine sees the code that there is when it begins */
	options.unmodelled = 1;
	options.writable_constants = !watch_checks(); /* a card lets stores pass, but no program means them */
	options.place = place;
	options.place_context = &placing;
	if (!status && !fits)
		status = ptxsim_module_build(m->module, &options);
	else if (!status)
		status = PTXSIM_ERROR_SYNTAX;
	image_log_module(log, m->module);
	return status == PTXSIM_OK             ? book_variables(m)
	       : status == PTXSIM_ERROR_MEMORY ? CU_OUT_OF_MEMORY
					       : CU_INVALID_PTX;
}

static int module_new(struct cu_context *c, const struct image_texts *texts, struct image_log *log,
		      struct cu_module **made)
{
	struct cu_module *m = calloc(1, sizeof *m);

	if (!m || !(m->module = ptxsim_module_create(driver.machine)) || !handle_add(m, HANDLE_MODULE)) {
		free(m);
		return CU_OUT_OF_MEMORY;
	}
	m->context = c;
	m->next = c->modules;
	c->modules = m;
	const int result = build(m, texts, log);
	if (result) {
		module_free(m);
		return result;
	}
	debugging_loaded(m->module->session.program);
	*made = m;
	return CU_OK;
}

/* Reads an image for the current context's device, or the first one, as the caller's options ask. */
static int read_for(const void *image, u32 n, int *options, void **values, struct image_texts *texts)
{
	const struct cu_context *c = context_current();
	const struct device *d = driver.devices[c ? c->device : 0].model;
	struct jit_options jit = {0};
	int result = jit_read(&jit, n, options, values, device_arch(d));

	if (!result && jit.target && !jit_target_fits(device_arch(d), jit.target))
		result = CU_NO_BINARY;
	if (!result)
		result = image_read(image, d, texts);
	if (!result)
		image_texts_limit(texts, 0, &jit.limits);
	return result;
}

/* The way of all calls that load a module; path: the file that the image is from, or NULL. */
static int load(struct cu_module **module, const void *image, const char *path, u32 n, int *options, void **values)
{
	struct image_texts texts = {0};
	struct image_log log = image_log_open(n, options, values);

	if (!module || !image)
		return CU_INVALID_VALUE;
	int result = read_for(image, n, options, values, &texts);
	/* A text that is the whole file has its name, in messages and for the debugger. */
	if (!result && path && texts.count == 1 && !memcmp(texts.texts[0], image, 4))
		result = image_texts_name(&texts, path) ? CU_OK : CU_OUT_OF_MEMORY;
	if (!result)
		result = module_new(context_current(), &texts, &log, module);
	image_log_close(&log);
	image_texts_free(&texts);
	return result;
}

int drv_cuModuleLoadDataEx(struct cu_module **module, const void *image, u32 num_options, int *options,
			   void **option_values)
{
	return load(module, image, NULL, num_options, options, option_values);
}
int drv_cuModuleLoadData(struct cu_module **module, const void *image)
{
	return load(module, image, NULL, 0, NULL, NULL);
}
int drv_cuModuleLoadFatBinary(struct cu_module **module, const void *fat_cubin)
{
	return load(module, fat_cubin, NULL, 0, NULL, NULL);
}

int drv_cuModuleLoad(struct cu_module **module, const char *fname)
{
	char *bytes;
	size_t size;

	if (!module || !fname)
		return CU_INVALID_VALUE;
	int result = image_read_file(fname, &bytes, &size);
	if (result)
		return result;
	result = load(module, bytes, fname, 0, NULL, NULL);
	free(bytes);
	return result;
}

/* Waits for all work of the context. The lock is let go meanwhile, so the module may be gone after that. */
int drv_cuModuleUnload(struct cu_module *hmod)
{
	if (!handle_is(hmod, HANDLE_MODULE) || hmod->library)
		return CU_INVALID_HANDLE;
	context_finish(hmod->context);
	if (handle_is(hmod, HANDLE_MODULE)) {
		module_retire(hmod);
		context_finish(hmod->context); /* what other threads have launched meanwhile */
		module_free(hmod);
	}
	return CU_OK;
}

/* --- Functions of modules ------------------------------------------------------------------------------- */

static struct cu_function *function_new(const char *name, struct cu_function **list)
{
	struct cu_function *f = calloc(1, sizeof *f);

	if (!f || !(f->name = strdup(name)) || !handle_add(f, HANDLE_FUNCTION)) {
		if (f)
			free(f->name);
		free(f->legacy);
		free(f);
		return NULL;
	}
	f->cluster_size_any = 0;
	f->carveout = -1;
	f->next = *list;
	*list = f;
	return f;
}

/* The handle of a module's function, made at first use: programs compare handles. */
static int find_function(struct cu_module *m, const char *name, struct cu_function **found)
{
	for (*found = m->functions; *found; *found = (*found)->next)
		if (!strcmp((*found)->name, name))
			return CU_OK;
	const ptxsim_function *function = NULL;
	const size_t count = ptxsim_function_count(m->module);
	for (size_t k = 0; k < count && !function; k++)
		if (!strcmp(ptxsim_function_name(ptxsim_get_function(m->module, k)), name))
			function = ptxsim_get_function(m->module, k);
	if (!function)
		return CU_NOT_FOUND;
	*found = function_new(name, &m->functions);
	if (!*found)
		return CU_OUT_OF_MEMORY;
	(*found)->module = m;
	(*found)->function = function;
	return CU_OK;
}

int drv_cuModuleGetFunction(struct cu_function **hfunc, struct cu_module *hmod, const char *name)
{
	struct cu_function *f;

	if (!hfunc || !name || !*name)
		return CU_INVALID_VALUE;
	if (!handle_is(hmod, HANDLE_MODULE))
		return CU_INVALID_HANDLE;
	const int result = find_function(hmod, name, &f);
	if (!result)
		*hfunc = f;
	return result;
}

int drv_cuModuleGetFunctionCount(u32 *count, struct cu_module *hmod)
{
	if (!count)
		return CU_INVALID_VALUE;
	if (!handle_is(hmod, HANDLE_MODULE))
		return CU_INVALID_HANDLE;
	*count = (u32)ptxsim_function_count(hmod->module);
	return CU_OK;
}

int drv_cuModuleEnumerateFunctions(struct cu_function **functions, u32 num_functions, struct cu_module *hmod)
{
	if (!functions)
		return CU_INVALID_VALUE;
	if (!handle_is(hmod, HANDLE_MODULE))
		return CU_INVALID_HANDLE;
	int result = CU_OK;
	for (u32 k = 0; k < num_functions && k < ptxsim_function_count(hmod->module) && !result; k++)
		result = find_function(hmod, ptxsim_function_name(ptxsim_get_function(hmod->module, k)), &functions[k]);
	return result;
}

static int variable(const struct cu_module *m, u64 *dptr, size_t *bytes, const char *name)
{
	u64 address, size;

	if (ptxsim_variable(m->module, name, &address, &size))
		return CU_NOT_FOUND;
	if (dptr)
		*dptr = address;
	if (bytes)
		*bytes = size;
	return CU_OK;
}

int drv_cuModuleGetGlobal_v2(u64 *dptr, size_t *bytes, struct cu_module *hmod, const char *name)
{
	if (!name || (!dptr && !bytes))
		return CU_INVALID_VALUE;
	if (!handle_is(hmod, HANDLE_MODULE))
		return CU_INVALID_HANDLE;
	return variable(hmod, dptr, bytes, name);
}

/* --- Libraries ------------------------------------------------------------------------------------------- */

/* A library's image is chosen for the device of the current context, or the first one: a library of several devices'
 * contexts is rare. */
static int library_load(struct cu_library **library, const void *code, u32 n, int *options, void **values)
{
	struct cu_library *l = calloc(1, sizeof *l);
	struct image_log log = image_log_open(n, options, values);

	if (!l || !library || !code) {
		free(l);
		return l ? CU_INVALID_VALUE : CU_OUT_OF_MEMORY;
	}
	int result = read_for(code, n, options, values, &l->texts);
	if (!result && !handle_add(l, HANDLE_LIBRARY))
		result = CU_OUT_OF_MEMORY;
	image_log_close(&log);
	if (result) {
		image_texts_free(&l->texts);
		free(l);
	} else {
		*library = l;
	}
	return result;
}

int drv_cuLibraryLoadData(struct cu_library **library, const void *code, int *jit_options, void **jit_options_values,
			  u32 num_jit_options, int *library_options, void **library_option_values,
			  u32 num_library_options)
{
	(void)library_options;
	(void)library_option_values;
	(void)num_library_options;
	return library_load(library, code, num_jit_options, jit_options, jit_options_values);
}

int drv_cuLibraryLoadFromFile(struct cu_library **library, const char *file_name, int *jit_options,
			      void **jit_options_values, u32 num_jit_options, int *library_options,
			      void **library_option_values, u32 num_library_options)
{
	char *bytes;
	size_t size;

	(void)library_options;
	(void)library_option_values;
	(void)num_library_options;
	if (!file_name)
		return CU_INVALID_VALUE;
	int result = image_read_file(file_name, &bytes, &size);
	if (result)
		return result;
	result = library_load(library, bytes, num_jit_options, jit_options, jit_options_values);
	free(bytes);
	return result;
}

int drv_cuLibraryUnload(struct cu_library *library)
{
	if (!handle_is(library, HANDLE_LIBRARY))
		return CU_INVALID_HANDLE;
	handle_drop(library);
	for (struct cu_function *k = library->kernels; k; k = k->next)
		handle_drop(k);
	for (const struct cu_module *m = library->instances; m; m = m->next_instance)
		module_retire(m);
	for (int d = 0; d < driver.device_count; d++)
		if (driver.devices[d].primary)
			context_finish(driver.devices[d].primary);
	for (struct cu_module *m; (m = library->instances);) {
		module_forget_library(m);
		module_free(m);
	}
	for (struct cu_function *k = library->kernels, *next; k; k = next) {
		next = k->next;
		handle_drop(k);
		free(k->name);
		free(k);
	}
	image_texts_free(&library->texts);
	free(library);
	return CU_OK;
}

/* The library's module of a context. */
static int instance(struct cu_library *l, struct cu_context *c, struct cu_module **m)
{
	struct image_log log = image_log_open(0, NULL, NULL);

	for (*m = l->instances; *m; *m = (*m)->next_instance)
		if ((*m)->context == c)
			return CU_OK;
	const int result = module_new(c, &l->texts, &log, m);
	if (result) {
		if (log.text)
			driver_tell("a module cannot be loaded: %.2000s", log.text);
	} else {
		(*m)->library = l;
		(*m)->next_instance = l->instances;
		l->instances = *m;
	}
	image_log_close(&log);
	return result;
}

/* Modules of libraries go with their context. */
void module_forget_library(struct cu_module *m)
{
	if (!m->library)
		return;
	for (struct cu_module **at = &m->library->instances; *at; at = &(*at)->next_instance)
		if (*at == m) {
			*at = m->next_instance;
			break;
		}
	for (struct cu_function *k = m->library->kernels; k; k = k->next)
		if (k->here && k->here->module == m)
			k->here = NULL;
	m->library = NULL;
}

int drv_cuLibraryGetModule(struct cu_module **p_mod, struct cu_library *library)
{
	if (!p_mod)
		return CU_INVALID_VALUE;
	if (!handle_is(library, HANDLE_LIBRARY))
		return CU_INVALID_HANDLE;
	return context_current() ? instance(library, context_current(), p_mod) : CU_INVALID_CONTEXT;
}

/* The kernel's name is looked for in the texts, so that asking for a handle builds nothing. */
int drv_cuLibraryGetKernel(struct cu_function **p_kernel, struct cu_library *library, const char *name)
{
	if (!p_kernel || !name)
		return CU_INVALID_VALUE;
	if (!handle_is(library, HANDLE_LIBRARY))
		return CU_INVALID_HANDLE;
	for (struct cu_function *k = library->kernels; k; k = k->next)
		if (!strcmp(k->name, name)) {
			*p_kernel = k;
			return CU_OK;
		}
	if (!image_texts_have(&library->texts, name))
		return CU_NOT_FOUND;
	struct cu_function *k = function_new(name, &library->kernels);
	if (!k)
		return CU_OUT_OF_MEMORY;
	k->library = library;
	*p_kernel = k;
	return CU_OK;
}

int drv_cuLibraryGetGlobal(u64 *dptr, size_t *bytes, struct cu_library *library, const char *name)
{
	struct cu_module *m;

	if (!name || (!dptr && !bytes))
		return CU_INVALID_VALUE;
	if (!handle_is(library, HANDLE_LIBRARY))
		return CU_INVALID_HANDLE;
	const int result = instance(library, context_current(), &m);
	return result ? result : variable(m, dptr, bytes, name);
}

int drv_cuLibraryGetManaged(u64 *dptr, size_t *bytes, struct cu_library *library, const char *name)
{
	return drv_cuLibraryGetGlobal(dptr, bytes, library, name);
}

/* No device here has functions that the host may call, too. */
int drv_cuLibraryGetUnifiedFunction(void **function, struct cu_library *library, const char *name)
{
	if (!function || !name)
		return CU_INVALID_VALUE;
	return handle_is(library, HANDLE_LIBRARY) ? CU_NOT_FOUND : CU_INVALID_HANDLE;
}

int drv_cuLibraryGetKernelCount(u32 *count, struct cu_library *lib)
{
	struct cu_module *m;

	if (!count)
		return CU_INVALID_VALUE;
	if (!handle_is(lib, HANDLE_LIBRARY))
		return CU_INVALID_HANDLE;
	if (!context_current())
		return CU_INVALID_CONTEXT;
	const int result = instance(lib, context_current(), &m);
	if (!result)
		*count = (u32)ptxsim_function_count(m->module);
	return result;
}

int drv_cuLibraryEnumerateKernels(struct cu_function **kernels, u32 num_kernels, struct cu_library *lib)
{
	struct cu_module *m;

	if (!kernels)
		return CU_INVALID_VALUE;
	if (!handle_is(lib, HANDLE_LIBRARY))
		return CU_INVALID_HANDLE;
	if (!context_current())
		return CU_INVALID_CONTEXT;
	int result = instance(lib, context_current(), &m);
	for (u32 k = 0; !result && k < num_kernels && k < ptxsim_function_count(m->module); k++)
		result = drv_cuLibraryGetKernel(&kernels[k], lib,
						ptxsim_function_name(ptxsim_get_function(m->module, k)));
	return result;
}

/* A kernel handle's function in a context, or the function itself. */
static int function_in(struct cu_function *handle, struct cu_context *context, struct cu_function **f)
{
	struct cu_module *m;

	if (!handle_is(handle, HANDLE_FUNCTION))
		return CU_INVALID_HANDLE;
	*f = handle;
	if (!handle->library)
		return CU_OK;
	if (!context)
		return CU_INVALID_CONTEXT;
	if (handle->here && handle->here_context == context->id) {
		*f = handle->here;
		return CU_OK;
	}
	int result = instance(handle->library, context, &m);
	if (!result)
		result = find_function(m, handle->name, f);
	if (result)
		return result;
	if (handle->dynamic_most > (*f)->dynamic_most)
		(*f)->dynamic_most = handle->dynamic_most;
	handle->here = *f;
	handle->here_context = context->id;
	return CU_OK;
}

int function_ready_in(struct cu_function *handle, struct cu_context *context, struct cu_function **f)
{
	const int result = function_in(handle, context, f);

	if (result || (*f)->known)
		return result;
	const ptxsim_status status = ptxsim_function_attributes((*f)->function, &(*f)->attributes);
	if (status) {
		driver_tell("kernel '%s' cannot be compiled: %.2000s", handle->name,
			    ptxsim_module_diagnostics((*f)->module->module));
		return status == PTXSIM_ERROR_MEMORY ? CU_OUT_OF_MEMORY : CU_INVALID_PTX;
	}
	(*f)->kernel = function_kernel((*f)->function);
	(*f)->known = true;
	return CU_OK;
}

int drv_cuKernelGetFunction(struct cu_function **p_func, struct cu_function *kernel)
{
	return p_func ? function_in(kernel, context_current(), p_func) : CU_INVALID_VALUE;
}

int drv_cuKernelGetLibrary(struct cu_library **p_lib, struct cu_function *kernel)
{
	if (!p_lib)
		return CU_INVALID_VALUE;
	if (!handle_is(kernel, HANDLE_FUNCTION) || !kernel->library)
		return CU_INVALID_HANDLE;
	*p_lib = kernel->library;
	return CU_OK;
}

int drv_cuFuncGetModule(struct cu_module **hmod, struct cu_function *hfunc)
{
	struct cu_function *f;

	if (!hmod)
		return CU_INVALID_VALUE;
	const int result = function_in(hfunc, context_current(), &f);
	if (!result)
		*hmod = f->module;
	return result;
}

int drv_cuFuncGetName(const char **name, struct cu_function *hfunc)
{
	if (!name)
		return CU_INVALID_VALUE;
	if (!handle_is(hfunc, HANDLE_FUNCTION))
		return CU_INVALID_HANDLE;
	*name = hfunc->name;
	return CU_OK;
}
int drv_cuKernelGetName(const char **name, struct cu_function *hfunc) { return drv_cuFuncGetName(name, hfunc); }

int drv_cuFuncGetParamInfo(struct cu_function *func, size_t param_index, size_t *param_offset, size_t *param_size)
{
	struct cu_function *f;
	struct ptxsim_param p;
	const int result = function_ready(func, &f);

	if (result)
		return result;
	if (!param_offset || ptxsim_function_param(f->function, param_index, &p))
		return CU_INVALID_VALUE;
	*param_offset = p.offset;
	if (param_size)
		*param_size = p.size;
	return CU_OK;
}
int drv_cuKernelGetParamInfo(struct cu_function *kernel, size_t param_index, size_t *param_offset, size_t *param_size)
{
	return drv_cuFuncGetParamInfo(kernel, param_index, param_offset, param_size);
}

int drv_cuFuncLoad(struct cu_function *hfunc)
{
	struct cu_function *f;

	return function_ready(hfunc, &f);
}

int drv_cuFuncIsLoaded(void *state, struct cu_function *hfunc)
{
	if (!state)
		return CU_INVALID_VALUE;
	if (!handle_is(hfunc, HANDLE_FUNCTION))
		return CU_INVALID_HANDLE;
	*(int *)state = hfunc->known;
	return CU_OK;
}

/* --- Attributes ---------------------------------------------------------------------------------------------- */

enum {
	ATTRIBUTE_DYNAMIC = 8,
	ATTRIBUTE_CARVEOUT = 9,
	ATTRIBUTE_CLUSTER_WIDTH = 11,
	ATTRIBUTE_CLUSTER_ANY = 14,
	ATTRIBUTE_CLUSTER_POLICY = 15
};

u32 function_dynamic_most(const struct cu_function *f)
{
	const struct arch *a = device_arch(driver.devices[f->module->context->device].model);

	if (f->dynamic_most)
		return f->dynamic_most;
	return a->shared_block > f->attributes.shared_bytes ? a->shared_block - (u32)f->attributes.shared_bytes : 0;
}

static u32 most_by_registers(const struct cu_function *f)
{
	const struct arch *a = device_arch(driver.devices[f->module->context->device].model);
	u32 threads = f->attributes.max_threads;

	while (threads > 32 && !arch_occupancy(a, threads, f->attributes.registers, 0).blocks)
		threads -= 32;
	return threads;
}

int drv_cuFuncGetAttribute(int *pi, int attrib, struct cu_function *hfunc)
{
	struct cu_function *f;

	if (!pi || attrib < 0 || attrib > ATTRIBUTE_CLUSTER_POLICY)
		return CU_INVALID_VALUE;
	const int result = function_ready(hfunc, &f);
	if (result)
		return result;
	const struct ptxsim_attributes *a = &f->attributes;
	const int values[] = {(int)most_by_registers(f),
			      (int)a->shared_bytes,
			      (int)a->constant_bytes,
			      (int)a->local_bytes,
			      (int)a->registers,
			      (int)a->ptx_target,
			      (int)a->arch,
			      0,
			      (int)function_dynamic_most(f),
			      f->carveout,
			      a->required_cluster[0] != 0,
			      (int)a->required_cluster[0],
			      (int)a->required_cluster[1],
			      (int)a->required_cluster[2],
			      f->cluster_size_any,
			      f->cluster_policy};
	*pi = values[attrib];
	return CU_OK;
}

static int set_dynamic(struct cu_function *f, int value)
{
	const struct arch *a = device_arch(driver.devices[f->module->context->device].model);
	const u32 most = a->shared_block_optin ? a->shared_block_optin : a->shared_block;

	if (value < 0 || (u64)value + f->attributes.shared_bytes > most)
		return CU_INVALID_VALUE;
	f->dynamic_most = max_u32((u32)value, 1);
	return CU_OK;
}

int drv_cuFuncSetAttribute(struct cu_function *hfunc, int attrib, int value)
{
	struct cu_function *f;
	const int result = function_ready(hfunc, &f);

	if (result)
		return result;
	switch (attrib) {
	case ATTRIBUTE_DYNAMIC:
		return set_dynamic(f, value);
	case ATTRIBUTE_CARVEOUT:
		if (value < -1 || value > 100)
			return CU_INVALID_VALUE;
		f->carveout = value;
		return CU_OK;
	case ATTRIBUTE_CLUSTER_WIDTH:
	case ATTRIBUTE_CLUSTER_WIDTH + 1:
	case ATTRIBUTE_CLUSTER_WIDTH + 2:
		if (value < 0)
			return CU_INVALID_VALUE;
		f->attributes.required_cluster[attrib - ATTRIBUTE_CLUSTER_WIDTH] = (u32)value;
		return CU_OK;
	case ATTRIBUTE_CLUSTER_ANY:
		f->cluster_size_any = value != 0;
		return CU_OK;
	case ATTRIBUTE_CLUSTER_POLICY:
		f->cluster_policy = value;
		return CU_OK;
	default:
		return CU_INVALID_VALUE;
	}
}

int drv_cuKernelGetAttribute(int *pi, int attrib, struct cu_function *kernel, int dev)
{
	return context_of(dev) ? drv_cuFuncGetAttribute(pi, attrib, kernel) : CU_INVALID_CONTEXT;
}
int drv_cuKernelSetAttribute(int attrib, int val, struct cu_function *kernel, int dev)
{
	return context_of(dev) ? drv_cuFuncSetAttribute(kernel, attrib, val) : CU_INVALID_CONTEXT;
}

int drv_cuFuncSetCacheConfig(struct cu_function *hfunc, int config)
{
	if (!handle_is(hfunc, HANDLE_FUNCTION))
		return CU_INVALID_HANDLE;
	return config < 0 || config > 3 ? CU_INVALID_VALUE : CU_OK;
}
int drv_cuFuncSetSharedMemConfig(struct cu_function *hfunc, int config)
{
	return drv_cuFuncSetCacheConfig(hfunc, config);
}
int drv_cuKernelSetCacheConfig(struct cu_function *kernel, int config, int dev)
{
	(void)dev;
	return drv_cuFuncSetCacheConfig(kernel, config);
}
