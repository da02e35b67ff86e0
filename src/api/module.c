/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules of a context: their texts, their variables in its memory, and their functions, which may be compiled at
 * first use. Every door that may allocate sets the session's out_of_memory, so that an arena that finds no memory ends
 * here; the module is then spent.
 *
 * A module goes through three states: texts are added (parsed at once), it is built (lowered, its variables mapped into
 * the context's memory), and its functions are used. With `lazy` a kernel is lowered at its first use, under the
 * module's lock: many threads may launch at once.
 */
#include "api/context.h"

#include <stdlib.h>
#include <string.h>

#include "api/error.h"
#include "arch/arch.h"
#include "decode/externals.h"
#include "decode/lower.h"
#include "decode/resources.h"
#include "ir/link.h"
#include "sass/module.h"

/* Appended at the context's end: variables are found in the order of creation. */
ptxsim_module *ptxsim_module_create(ptxsim_context *context)
{
	ptxsim_module *m = context ? calloc(1, sizeof *m) : NULL;

	if (!m || !session_open_with(&m->session, &context->tables)) {
		free(m);
		call_fails(__func__, context ? PTXSIM_ERROR_MEMORY : PTXSIM_ERROR_ARGUMENT, NULL);
		return NULL;
	}
	m->context = context;
	pthread_mutex_init(&m->lock, NULL);
	pthread_mutex_lock(&context->lock);
	*context->last_module = m;
	context->last_module = &m->next;
	pthread_mutex_unlock(&context->lock);
	return m;
}

static void forget(ptxsim_module *m)
{
	ptxsim_context *c = m->context;

	pthread_mutex_lock(&c->lock);
	for (ptxsim_module **at = &c->modules; *at; at = &(*at)->next)
		if (*at == m) {
			*at = m->next;
			if (c->last_module == &m->next)
				c->last_module = at;
			break;
		}
	pthread_mutex_unlock(&c->lock);
}

/* Variables leave the context's memory. Launches of the module must have ended. */
void ptxsim_module_free(ptxsim_module *module)
{
	if (!module)
		return;
	forget(module);
	records_forget_module(module);
	module_unmap_variables(module);
	memory_forget_acts(&module->context->memory);
	session_close(&module->session);
	pthread_mutex_destroy(&module->lock);
	free(module->functions);
	free(module);
}

/* After memory ran out in an arena its session cannot be trusted: every later call says so. */
static ptxsim_status spend(ptxsim_module *m)
{
	m->spent = true;
	return PTXSIM_ERROR_MEMORY;
}

/* The status of a call, kept with its words if it failed; of a text with errors those of the module. */
static ptxsim_status tell(const char *call, ptxsim_module *m, ptxsim_status status)
{
	if (status == PTXSIM_ERROR_SYNTAX)
		return call_fails(call, status, "%s", ptxsim_module_diagnostics(m));
	return status ? call_fails(call, status, NULL) : status;
}

/* Whether the module still takes texts: it has not been built, and memory has not run out for it. */
static ptxsim_status may_add(const char *call, const ptxsim_module *m)
{
	if (m->spent)
		return call_fails(call, PTXSIM_ERROR_MEMORY, "memory ran out for this module before");
	return m->session.program ? call_fails(call, PTXSIM_ERROR_STATE, "the module is built already") : PTXSIM_OK;
}

ptxsim_status ptxsim_module_add_text(ptxsim_module *module, const char *name, const char *text, size_t length)
{
	if (!module || !name || (!text && length) || length >= UINT32_MAX / 2)
		return WRONG_ARGUMENT("the module, the name or the text is NULL, or the text has 2 GiB or more");
	const ptxsim_status status = may_add(__func__, module);
	if (status)
		return status;
	const u32 errors = module->session.diags.error_count;
	if (SESSION_ENTER(&module->session))
		return tell(__func__, module, spend(module));
	session_add_text(&module->session, name, text ? text : "", length);
	return tell(__func__, module, module->session.diags.error_count > errors ? PTXSIM_ERROR_SYNTAX : PTXSIM_OK);
}

ptxsim_status ptxsim_module_add_file(ptxsim_module *module, const char *path)
{
	const char *message;

	if (!module || !path)
		return WRONG_ARGUMENT("the module or the path is NULL");
	const ptxsim_status status = may_add(__func__, module);
	if (status)
		return status;
	const u32 errors = module->session.diags.error_count;
	if (SESSION_ENTER(&module->session))
		return tell(__func__, module, spend(module));
	if (!session_add_file(&module->session, path, &message))
		return call_fails(__func__, PTXSIM_ERROR_FILE, "%s: %s", path, message);
	return tell(__func__, module, module->session.diags.error_count > errors ? PTXSIM_ERROR_SYNTAX : PTXSIM_OK);
}

/* --- Variables ------------------------------------------------------------------------------ */

static u32 flags_of(const ptxsim_module *m, const struct global_variable *g)
{
	if (g->space != SPACE_CONST)
		return ALLOCATION_VARIABLE;
	return ALLOCATION_VARIABLE | ALLOCATION_CONST | (m->writable_constants ? 0 : ALLOCATION_READ_ONLY);
}

/* With `place` in the build options the caller's bytes are the memory, and guest addresses are host addresses
 * (libcuda). */
bool module_map_variables(ptxsim_module *m)
{
	const struct program *p = m->session.program;

	for (u32 k = 0; k < p->variable_count; k++) {
		const struct global_variable *g = &p->variables[k];
		u8 *host = m->variables ? (u8 *)(uintptr_t)g->address : NULL;
		struct allocation a;
		if (!g->size)
			continue;
		if (!memory_map(&m->context->memory, g->address, global_variable_bytes(&m->context->memory, g), host,
				g->variable->name, flags_of(m, g)) ||
		    !memory_look(&m->context->memory, g->address, g->size, &a))
			return false;
		if (host)
			memset(a.host, 0, g->size);
		global_variable_fill(g, a.host);
	}
	return true;
}

/* The name is compared by pointer: another module's variable may have come to the address since. */
void module_unmap_variables(ptxsim_module *m)
{
	const struct program *p = m->session.program;
	struct allocation a;

	for (u32 k = 0; p && k < p->variable_count; k++)
		if (memory_look(&m->context->memory, p->variables[k].address, 1, &a) &&
		    a.name == p->variables[k].variable->name)
			memory_release(&m->context->memory, p->variables[k].address);
}

struct placing {
	ptxsim_module *module;
	const struct ptxsim_build *build;
};

/* Where the module's variables go: the caller's bytes, or after what the context has given out. */
static u64 place(void *context, u64 bytes)
{
	const struct placing *p = context;

	if (!p->build->place)
		return memory_reserve(&p->module->context->memory, bytes);
	p->module->variables = p->build->place(p->build->place_context, bytes);
	return (u64)(uintptr_t)p->module->variables;
}

/* --- Building ------------------------------------------------------------------------------- */

/* All modules of a context have addresses of one width, since they share its memory. */
static bool build(ptxsim_module *m, const struct ptxsim_build *b)
{
	const struct device *device = m->context->device;
	const u32 bits = m->session.modules.items[0]->address_bits;
	struct placing placing = {m, b};
	const struct lower_options options = {.arch = b->arch  ? b->arch
						      : device ? device->target
							       : NULL,
					      .lazy = b->lazy != 0,
					      .allow_unmodelled = b->unmodelled != 0,
					      .keep_registers = b->debug != 0,
					      .one_warp = b->debug != 0,
					      .place = place,
					      .place_context = &placing};

	if (!m->session.diags.error_count && !context_take_bits(m->context, bits ? bits : 64)) {
		diag_error(&m->session.diags, (struct span){.file = ~0u},
			   "a module of %u-bit addresses cannot be loaded into a context of other addresses", bits);
		return false;
	}
	return session_lower(&m->session, &options);
}

/* The list of functions, which is what says that the module is built. */
static ptxsim_status take_functions(ptxsim_module *m)
{
	const struct program *p = m->session.program;

	m->functions = calloc(p->kernel_count + (size_t)1, sizeof *m->functions);
	if (!m->functions)
		return spend(m);
	for (u32 k = 0; k < p->kernel_count; k++)
		m->functions[k] = (ptxsim_function){m, k};
	return module_map_variables(m) ? PTXSIM_OK : spend(m);
}

ptxsim_status module_check_apart(ptxsim_module *m, const char *arch)
{
	const struct lower_options options = {.arch = arch, .allow_unmodelled = true, .apart = true};

	if (m->spent || SESSION_ENTER(&m->session))
		return spend(m);
	return session_lower(&m->session, &options) ? PTXSIM_OK : PTXSIM_ERROR_SYNTAX;
}

static bool may_be_defined(const char *name)
{
	(void)name;
	return true;
}

static void tell_definition(const char *name, enum ir_linkage linkage, name_teller *taker, void *context)
{
	if (linkage == LINK_VISIBLE)
		taker(context, name, NAME_DEFINED);
	else if (linkage == LINK_WEAK || linkage == LINK_COMMON)
		taker(context, name, NAME_WEAK);
}

static void tell_defined(const struct ir_module *m, name_teller *taker, void *context)
{
	for (size_t k = 0; k < m->functions.count; k++) {
		const struct ir_function *f = m->functions.items[k];
		if (f->has_body || f->alias_of)
			tell_definition(f->name, f->linkage, taker, context);
	}
	for (size_t k = 0; k < m->variables.count; k++)
		tell_definition(m->variables.items[k]->name, m->variables.items[k]->linkage, taker, context);
}

ptxsim_status module_tell_names(ptxsim_module *m, name_teller *taker, void *context)
{
	struct session *s = &m->session;
	struct ir_link names;

	if (m->spent || SESSION_ENTER(s))
		return spend(m);
	tell_defined(s->modules.items[0], taker, context);
	ir_link(&s->arena, s->modules.items, (u32)s->modules.count, may_be_defined, &s->diags, &names);
	for (size_t k = 0; k < names.externals.count; k++)
		if (!layout_is_external(names.externals.items[k]))
			taker(context, names.externals.items[k], NAME_WANTED);
	return PTXSIM_OK;
}

static ptxsim_status build_or_spend(ptxsim_module *module, const struct ptxsim_build *b)
{
	module->writable_constants = b->writable_constants != 0;
	if (SESSION_ENTER(&module->session))
		return spend(module);
	if (build(module, b))
		return take_functions(module);
	return module->session.diags.error_count ? PTXSIM_ERROR_SYNTAX : spend(module);
}

ptxsim_status ptxsim_module_build(ptxsim_module *module, const struct ptxsim_build *options)
{
	static const struct ptxsim_build defaults = PTXSIM_BUILD_INIT;
	const struct ptxsim_build *b = options ? options : &defaults;

	if (!module || b->struct_size != sizeof *b)
		return WRONG_ARGUMENT(module ? "struct_size is not that of struct ptxsim_build" : "there is no module");
	const ptxsim_status status = may_add(__func__, module);
	if (status)
		return status;
	if (!module->session.modules.count)
		return call_fails(__func__, PTXSIM_ERROR_STATE, "no text has been added to the module");
	return tell(__func__, module, build_or_spend(module, b));
}

/* Printed anew only if there are more errors than before: programs may hold the text. */
const char *ptxsim_module_diagnostics(ptxsim_module *module)
{
	if (!module)
		return "";
	if (module->spent || SESSION_ENTER(&module->session)) {
		module->spent = true;
		return ptxsim_status_text(PTXSIM_ERROR_MEMORY);
	}
	pthread_mutex_lock(&module->lock);
	if (!module->diagnostics || module->diagnostics_count != module->session.diags.list.count) {
		module->diagnostics = session_diagnostics(&module->session, false);
		module->diagnostics_count = module->session.diags.list.count;
	}
	pthread_mutex_unlock(&module->lock);
	return module->diagnostics;
}

ptxsim_status ptxsim_variable(const ptxsim_module *module, const char *name, uint64_t *address, uint64_t *bytes)
{
	u64 at, size;

	if (!module || !name)
		return WRONG_ARGUMENT("the module or the name is NULL");
	if (!module->functions)
		return call_fails(__func__, PTXSIM_ERROR_STATE, "the module is not built");
	if (!program_variable(module->session.program, name, &at, &size))
		return call_fails(__func__, PTXSIM_ERROR_NOT_FOUND, "the module has no variable '%s'", name);
	if (address)
		*address = at;
	if (bytes)
		*bytes = size;
	return PTXSIM_OK;
}

/* --- Functions ------------------------------------------------------------------------------ */

size_t ptxsim_function_count(const ptxsim_module *module)
{
	return module && module->functions ? module->session.program->kernel_count : 0;
}

const ptxsim_function *ptxsim_get_function(const ptxsim_module *module, size_t index)
{
	return index < ptxsim_function_count(module) ? &module->functions[index] : NULL;
}

static const ptxsim_function *function_named(const ptxsim_module *m, const char *name)
{
	const size_t count = ptxsim_function_count(m);

	for (size_t k = 0; name && k < count; k++)
		if (!strcmp(m->session.program->kernels[k].name, name))
			return &m->functions[k];
	return NULL;
}

/* By symbol, or by a C++ name that fits one kernel. */
const ptxsim_function *ptxsim_find_function(const ptxsim_module *module, const char *name)
{
	const ptxsim_function *f = module && name ? function_named(module, name) : NULL;
	ptxsim_module *m = (ptxsim_module *)(uintptr_t)module;
	u32 count = 0;

	if (f || !name || !ptxsim_function_count(module)) {
		if (!f)
			call_fails(__func__, name && module ? PTXSIM_ERROR_NOT_FOUND : PTXSIM_ERROR_ARGUMENT, NULL);
		return f;
	}
	pthread_mutex_lock(&m->lock);
	const char *volatile named = NULL;
	if (!SESSION_ENTER(&m->session))
		named = session_kernel_named(&m->session, name, &count);
	pthread_mutex_unlock(&m->lock);
	if (!named)
		call_fails(__func__, PTXSIM_ERROR_NOT_FOUND,
			   count ? "the module has several kernels '%s'" : "the module has no kernel '%s'", name);
	return function_named(module, named);
}

/* What is known of it without compiling. */
static const struct kernel *declared(const ptxsim_function *f)
{
	return &f->module->session.program->kernels[f->index];
}

const char *ptxsim_function_name(const ptxsim_function *function) { return function ? declared(function)->name : ""; }

ptxsim_module *ptxsim_function_module(const ptxsim_function *function) { return function ? function->module : NULL; }

size_t ptxsim_function_param_count(const ptxsim_function *function)
{
	return function ? declared(function)->function->params.count : 0;
}

/* The program to launch the function from; lazily its own. NULL: it cannot be compiled, and diagnostics say why. The
 * first look is without the lock: `compiled` is set when all of it is there. */
const struct program *function_program(const ptxsim_function *f)
{
	ptxsim_module *m = f->module;
	struct kernel *k = &m->session.program->kernels[f->index];

	if (!m->session.program->lowering)
		return m->session.program;
	const struct program *known = __atomic_load_n(&k->compiled, __ATOMIC_ACQUIRE);
	if (known || m->spent)
		return known;
	pthread_mutex_lock(&m->lock);
	const struct program *volatile p = NULL;
	if (SESSION_ENTER(&m->session))
		m->spent = true;
	else
		p = program_compile(m->session.program, f->index);
	pthread_mutex_unlock(&m->lock);
	return p;
}

const struct kernel *function_kernel(const ptxsim_function *f)
{
	const struct program *p = function_program(f);

	return !p ? NULL : f->module->session.program->lowering ? p->kernels : &p->kernels[f->index];
}

ptxsim_status ptxsim_function_compile(const ptxsim_function *function)
{
	if (!function)
		return WRONG_ARGUMENT("there is no function");
	if (function_program(function))
		return PTXSIM_OK;
	return tell(__func__, function->module, function->module->spent ? PTXSIM_ERROR_MEMORY : PTXSIM_ERROR_SYNTAX);
}

ptxsim_status ptxsim_function_param(const ptxsim_function *function, size_t index, struct ptxsim_param *param)
{
	if (!param || index >= ptxsim_function_param_count(function))
		return WRONG_ARGUMENT("there is no function, no parameter of that number, or no place for it");
	const struct kernel *k = function_kernel(function);
	if (!k)
		return ptxsim_function_compile(function);
	const struct ir_variable *v = k->function->params.items[index];
	*param = (struct ptxsim_param){.name = v->name,
				       .type = token_text(v->type),
				       .size = (uint32_t)v->size,
				       .alignment = v->align,
				       .offset = k->param_offsets[index],
				       .is_pointer = v->is_pointer};
	return PTXSIM_OK;
}

/* Whether some function that it may call is the device runtime's. */
static bool launches_kernels(const struct kernel *k)
{
	static const char *const runtime[] = {
#define NAME(name) #name,
		DEVICE_RUNTIME(NAME)
#undef NAME
	};

	for (u32 f = 0; f < k->function_count; f++)
		for (u32 c = 0; c < k->functions[f].code->call_count; c++) {
			const char *name = k->functions[f].code->calls[c].external;
			for (size_t n = 0; name && n < COUNT_OF(runtime); n++)
				if (!strcmp(name, runtime[n]))
					return true;
		}
	return false;
}

ptxsim_status ptxsim_function_attributes(const ptxsim_function *function, struct ptxsim_attributes *attributes)
{
	if (!function || !attributes)
		return WRONG_ARGUMENT("the function or the place for its attributes is NULL");
	const struct program *p = function_program(function);
	if (!p)
		return ptxsim_function_compile(function);
	const struct kernel *k = function_kernel(function);
	const struct ir_limits *limits = &k->function->limits;
	const struct ir_machine *machine = k->function->machine;
	const u32 stated = machine ? sass_stated_registers(machine) : 0;
	*attributes = (struct ptxsim_attributes){.shared_bytes = k->static_shared_bytes,
						 .constant_bytes = program_constant_bytes(p),
						 .local_bytes = kernel_local_bytes(k),
						 .registers = stated ? stated : kernel_registers(k, p->arch),
						 .max_threads = kernel_threads_most(k, p->arch),
						 .param_bytes = k->param_bytes,
						 .ptx_target = k->function->module->arch,
						 .arch = p->arch->cc,
						 .uses_dynamic_shared = k->uses_dynamic_shared,
						 .launches_kernels = launches_kernels(k)};
	memcpy(attributes->required_threads, limits->required_threads, sizeof attributes->required_threads);
	memcpy(attributes->required_cluster, limits->required_cluster, sizeof attributes->required_cluster);
	return PTXSIM_OK;
}
