/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of whole programs: each kernel with the functions it can reach becomes code of its own,
 * because the addresses of shared variables differ from kernel to kernel.
 *
 *      program_lower      options, target, linking, addresses of module variables
 *        lower_kernels    each kernel: layout_kernel (shared memory, parameters, functions reached)
 *          emit_function  each function that it reaches (decode/emit.c)
 *        take_codes       the program's list of codes, numbered by code->index
 *
 * Diagnostics are collected; NULL is returned after any. With `lazy`, kernels are lowered at first use
 * (program_compile).
 */
#include "decode/lower.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "decode/block_order.h"
#include "decode/lowering.h"
#include "decode/sass.h"
#include "ir/link.h"

/* Instructions of all code together, each function counting as some more. */
enum { LOWERED_MAX = 1 << 25, FUNCTION_COST = 16 };

/* Internal instructions (%guard, %join, ...) are rows like others, and found by opcode. `all` serves to find their gang
 * handlers. */
static meaning_fn *internal(struct lowering *low, enum opcode opcode)
{
	const struct meaning *m = isa_internal(low->isa, opcode);

	if (!m)
		return NULL;
	low->internal.all[low->internal.all_count++] = m;
	return m->run;
}
static meaning_fn *internal_sass(struct lowering *low, enum opcode opcode)
{
	const struct meaning *m = low->isa->sass ? isa_internal(low->isa->sass, opcode) : NULL;

	return m ? m->run : NULL;
}

static void find_internal_meanings(struct lowering *low)
{
	struct internal_meanings *in = &low->internal;

	in->count = internal(low, OP_internal_count);
	in->join = internal(low, OP_internal_join);
	in->guard = internal(low, OP_internal_guard);
	in->bra = internal(low, OP_internal_bra);
	in->bra_if = internal(low, OP_internal_bra_if);
	in->brx = internal(low, OP_internal_brx);
	in->call = internal(low, OP_internal_call);
	in->ret = internal(low, OP_internal_ret);
	in->exit = internal(low, OP_internal_exit);
	in->sreg_read = internal(low, OP_internal_sreg_read);
	in->element = internal(low, OP_internal_element);
	in->unmodelled = internal(low, OP_internal_unmodelled);
	in->skip = isa_internal(low->isa, OP_internal_skip);
	in->sass_modify = internal_sass(low, OP_internal_modify);
	in->sass_pair = internal_sass(low, OP_internal_pair);
	in->sass_condition = internal_sass(low, OP_internal_condition);
	in->sass_join = internal_sass(low, OP_internal_join);
	in->sass_end = internal_sass(low, OP_internal_end);
	in->cvt_wide = internal(low, OP_internal_cvt_wide);
}

/* Fills in direct call targets once every function of the kernel has its code. */
static void link_calls(const struct lowering *low, const struct kernel *k)
{
	for (u32 f = 0; f < k->function_count; f++)
		for (u32 c = 0; c < k->functions[f].code->call_count; c++) {
			struct call_site *site = &k->functions[f].code->calls[c];
			const u32 number = site->function ? layout_function_number(low, site->function) : LOOKUP_NONE;
			if (number != LOOKUP_NONE)
				site->target = kernel_function_code(k, number + 1);
		}
}

/* Functions are numbered over the whole program; kernels keep theirs sorted, for calls through addresses. */
static int by_number(const void *a, const void *b)
{
	const u32 x = ((const struct kernel_function *)a)->number, y = ((const struct kernel_function *)b)->number;

	return x < y ? -1 : x > y;
}

struct code *kernel_function_code(const struct kernel *k, u64 number)
{
	const struct kernel_function key = {.number = (u32)number};
	const struct kernel_function *found =
		number > UINT32_MAX ? NULL : bsearch(&key, k->functions, k->function_count, sizeof key, by_number);

	return found ? found->code : NULL;
}

/* A kernel shows the order of blocks if any function that it may call does; the first reason is kept. */
static void order_add(struct kernel *k, const struct code *code)
{
	struct block_order *to = &k->order;
	const struct block_order *from = &code->order;

	if (from->shows && !to->shows) {
		to->at = from->at;
		to->why = from->why;
		k->order_code = code;
	}
	to->shows |= from->shows;
	to->calls_system |= from->calls_system;
	to->reductions |= from->reductions;
}

/* Offsets and sizes in bytes. Dynamic shared memory begins after the static variables, aligned to 16 or to what its
 * variable asks for. */
static void fill_kernel(struct lowering *low, struct kernel *k, struct ir_function *f)
{
	struct layout *y = &low->layout;
	u64 top = 0;

	k->name = f->name;
	k->function = f;
	k->number = layout_function_number(low, f) + 1;
	k->code = y->codes[0];
	k->param_offsets = ARENA_ARRAY(low->arena, f->params.count + 1, u32);
	for (size_t p = 0; p < f->params.count; p++) {
		k->param_offsets[p] = (u32)layout_address(low, f->params.items[p]);
		top = k->param_offsets[p] + f->params.items[p]->size;
	}
	k->param_bytes = (u32)top;
	k->static_shared_bytes = y->shared_end - y->reserved_shared;
	k->reserved_shared = y->reserved_shared;
	k->dynamic_shared_offset = y->has_dynamic_shared ? (y->shared_end + max_u64(y->dynamic_align, 16) - 1) &
								   ~(max_u64(y->dynamic_align, 16) - 1)
							 : y->shared_end;
	k->uses_dynamic_shared = y->has_dynamic_shared;
	k->places = ARENA_ARRAY(low->arena, y->count + 1, struct place);
	if (y->count)
		memcpy(k->places, y->places, y->count * sizeof *k->places);
	k->place_count = (u32)y->count;
	k->functions = ARENA_ARRAY(low->arena, y->function_count, struct kernel_function);
	k->function_count = (u32)y->function_count;
	for (u32 c = 0; c < y->function_count; c++) {
		const u32 number = layout_function_number(low, y->functions[c]) + 1;
		order_add(k, y->codes[c]);
		k->functions[c] = (struct kernel_function){number, y->codes[c]};
	}
	k->order_dependent = block_order_matters(&k->order);
	k->calls_system = k->order.calls_system;
	qsort(k->functions, k->function_count, sizeof *k->functions, by_number);
}

/* A kernel of machine code: the code is in one piece, and holds all that it calls. */
static struct kernel machine_kernel(struct lowering *low, struct ir_function *f, struct code *code)
{
	code->index = low->code_count++;
	VEC_PUSH(low->arena, &low->codes, code);
	return (struct kernel){.name = f->name,
			       .function = f,
			       .code = code,
			       .order_dependent = block_order_matters(&code->order),
			       .uses_dynamic_shared = true,
			       .registers = code->machine_registers,
			       .param_offsets = ARENA_ARRAY(low->arena, f->params.count + 1, u32)};
}

/* A listing's function: its memory is as stated. */
static bool lower_listing(struct lowering *low, struct ir_function *f, struct kernel *k)
{
	struct code *code = sass_emit_function(low, f);
	u64 top = 0;

	arena_reset(low->scratch);
	if (!code)
		return false;
	*k = machine_kernel(low, f, code);
	k->order = code->order;
	k->order_code = code->order.shows ? code : NULL;
	k->static_shared_bytes = f->listing->shared_bytes;
	k->dynamic_shared_offset = (k->static_shared_bytes + 15) & ~15ull;
	for (size_t p = 0; p < f->params.count; p++) {
		const struct ir_variable *v = f->params.items[p];
		top = (top + v->align - 1) & ~(u64)(v->align - 1);
		k->param_offsets[p] = (u32)top;
		top += v->size;
	}
	k->param_bytes = (u32)top;
	return true;
}

/* Code for sm_80 to sm_89 finds the system's part of shared memory by these words of bank 0. */
static bool asks_for_system_part(const struct code *code)
{
	enum { RESERVED_BYTES = 0x114, RESERVED_END = 0x120, RESERVED_PART = 0x124 };
	const u32 sm = code->machine_banks->sm;

	for (u32 k = 0; k < code->bank_count && sm >= 80 && sm < 90; k++) {
		const u32 at = code->banks[k].bank ? 0 : code->banks[k].at;
		if (at == RESERVED_BYTES || at == RESERVED_END || at == RESERVED_PART)
			return true;
	}
	return false;
}

/* A kernel of a cubin. */
static bool lower_machine(struct lowering *low, struct ir_function *f, struct kernel *k)
{
	const struct ir_machine *m = f->machine;
	struct code *code = low->options->machine ? low->options->machine(low, f) : NULL;

	arena_reset(low->scratch);
	if (!code)
		return false;
	*k = machine_kernel(low, f, code);
	k->calls_system = code->order.calls_system;
	k->reserved_shared = m->sm >= 90 ? min_u64(m->shared_bytes, 1024) : 0;
	if (asks_for_system_part(code))
		k->reserved_above = low->program->arch->shared_reserved;
	k->static_shared_bytes = m->shared_bytes - k->reserved_shared;
	k->dynamic_shared_offset = (m->shared_bytes + 15) & ~15ull;
	k->param_bytes = m->param_bytes;
	memcpy(k->param_offsets, m->param_offsets, f->params.count * sizeof *k->param_offsets);
	return true;
}

/* Each kernel has code of its own for all that it calls: a short text of many kernels that call many functions
 * would fill any memory. True, and told the first time: it does. */
static bool is_too_much(struct lowering *low, const struct ir_function *f)
{
	const bool was = low->lowered > LOWERED_MAX;

	low->lowered += f->body.count + FUNCTION_COST;
	if (!was && low->lowered > LOWERED_MAX)
		diag_error(low->diags, f->span,
			   "all kernels together, each with the functions that it calls, are too large");
	return low->lowered > LOWERED_MAX;
}

static struct code *lower_function(struct lowering *low, struct ir_function *f)
{
	low->tried[layout_function_number(low, f)] = true;
	return is_too_much(low, f) ? NULL : emit_function(low, f);
}

static bool lower_kernel(struct lowering *low, struct ir_function *f, struct kernel *k)
{
	bool ok = true;

	layout_kernel(low, f);
	for (u32 c = 0; c < low->layout.function_count; c++) {
		low->layout.codes[c] = lower_function(low, low->layout.functions[c]);
		if (low->layout.codes[c])
			low->layout.codes[c]->index = low->code_count++;
		ok &= low->layout.codes[c] != NULL;
	}
	if (ok) {
		fill_kernel(low, k, f);
		link_calls(low, k);
		for (u32 c = 0; c < low->layout.function_count; c++)
			VEC_PUSH(low->arena, &low->codes, low->layout.codes[c]);
	}
	arena_reset(low->scratch);
	return ok;
}

/* Reports what is wrong with a function that no kernel calls. */
static void check_uncalled(struct lowering *low, struct ir_function *f)
{
	if (low->tried[layout_function_number(low, f)])
		return;
	layout_kernel(low, f);
	for (u32 c = 0; c < low->layout.function_count; c++)
		if (!low->tried[layout_function_number(low, low->layout.functions[c])])
			lower_function(low, low->layout.functions[c]);
	arena_reset(low->scratch);
}

/* Each function by itself: those that it calls may be in other texts. */
static void check_apart(struct lowering *low)
{
	const struct program *p = low->program;

	for (u32 m = 0; m < p->module_count; m++)
		for (size_t k = 0; k < p->modules[m]->functions.count && !p->modules[m]->is_sass; k++) {
			if (p->modules[m]->functions.items[k]->has_body)
				emit_check(low, p->modules[m]->functions.items[k]);
			arena_reset(low->scratch);
		}
}

static bool is_defined_elsewhere(const char *name)
{
	(void)name;
	return true;
}

/* Listings are for the machine that they name, and PTX cannot be linked with them. */
static bool one_language(const struct program *p, struct diags *diags)
{
	for (u32 m = 0; m < p->module_count; m++) {
		const struct ir_module *module = p->modules[m];
		const struct span all = {.file = module->source};
		if (module->is_sass != p->modules[0]->is_sass)
			return diag_error(diags, all, "a listing cannot be linked with PTX"), false;
		const struct arch *own = module->is_sass ? arch_find(module->target) : NULL;
		if (own && (own->cc / 10 != p->arch->cc / 10 || own->cc > p->arch->cc))
			return diag_error(diags, all, "machine code for %s does not run on %s", own->name,
					  p->arch->name),
			       false;
	}
	return true;
}

/* Found once: a launch has no time to look through all instructions. */
static bool is_asynchronous(const struct program *p)
{
	for (u32 c = 0; c < p->code_count; c++)
		for (u32 k = 0; k < p->codes[c]->function->body.count; k++) {
			const struct isa_row *row = p->codes[c]->forms[k].row;
			if (row && row->traits & TRAIT_ASYNC)
				return true;
		}
	return false;
}

/* The next kernel with a body, over all modules; *m and *f are where the search stands. NULL: there is none. */
static struct ir_function *kernel_at(struct ir_module **modules, u32 module_count, u32 *m, size_t *f)
{
	for (; *m < module_count; ++*m, *f = 0)
		for (; *f < modules[*m]->functions.count; ++*f) {
			struct ir_function *function = modules[*m]->functions.items[*f];
			if (function->is_entry && function->has_body)
				return ++*f, function;
		}
	return NULL;
}

static bool lower_any(struct lowering *low, struct ir_function *f, struct kernel *k)
{
	return (f->machine ? lower_machine : f->listing ? lower_listing : lower_kernel)(low, f, k);
}

/* Kernels with errors are left out; functions that no kernel calls are only checked, if that is wanted. */
static void lower_kernels(struct lowering *low)
{
	struct program *p = low->program;
	struct ir_function *f;
	u32 m = 0, kernels = 0;
	size_t at = 0;

	while (kernel_at(p->modules, p->module_count, &m, &at))
		kernels++;
	p->kernels = ARENA_ARRAY(low->arena, kernels + 1, struct kernel);
	for (m = 0, at = 0; (f = kernel_at(p->modules, p->module_count, &m, &at)) && low->lowered <= LOWERED_MAX;)
		if (low->options->lazy)
			p->kernels[p->kernel_count++] = (struct kernel){
				.name = f->name, .function = f, .number = layout_function_number(low, f) + 1};
		else if (lower_any(low, f, &p->kernels[p->kernel_count]))
			p->kernel_count++;
	for (m = 0; low->options->all_functions && m < p->module_count; m++)
		for (size_t k = 0; k < p->modules[m]->functions.count && low->lowered <= LOWERED_MAX; k++)
			if (p->modules[m]->functions.items[k]->has_body && !p->modules[m]->is_sass)
				check_uncalled(low, p->modules[m]->functions.items[k]);
}

static void take_codes(struct lowering *low)
{
	low->program->codes = low->codes.items;
	low->program->code_count = (u32)low->codes.count;
	low->program->asynchronous = is_asynchronous(low->program);
}

/* The target is the option's, else the first module's. */
static struct program *program_begin(struct lowering *low, struct ir_module **modules, u32 module_count)
{
	struct program *p = ARENA_NEW(low->arena, struct program);
	const char *arch = low->options->arch;
	const char *target = arch ? arch : module_count ? modules[0]->target : "sm_90";

	*p = (struct program){.arena = low->arena,
			      .isa = low->isa,
			      .diags = low->diags,
			      .modules = modules,
			      .module_count = module_count,
			      .arch = arch_find(target)};
	if (p->arch)
		return p;
	diag_error(low->diags, arch ? (struct span){.file = ~0u} : modules[0]->target_at, "target '%s' is not known",
		   target);
	diag_hint(low->diags, "known are those from sm_10 to sm_121: sm_75, sm_80, sm_90a, sm_100a and so on");
	return NULL;
}

/* With `lazy` the lowering outlives this call: options and scratch memory are kept in the arena. */
struct program *program_lower(struct arena *arena, const struct isa *isa, struct diags *diags,
			      struct ir_module **modules, u32 module_count, const struct lower_options *options)
{
	struct lowering *low = ARENA_NEW(arena, struct lowering);
	const u32 errors = diags->error_count;

	*low = (struct lowering){.arena = arena, .diags = diags, .isa = isa, .options = options};
	struct program *p = program_begin(low, modules, module_count);
	if (!p || !one_language(p, diags))
		return NULL;
	struct ir_link link;
	ir_link(arena, modules, module_count, options->apart ? is_defined_elsewhere : layout_is_external, diags, &link);
	if (diags->error_count != errors)
		return NULL;
	low->program = p;
	low->spellings = (struct spellings){.arena = arena, .isa = isa};
	low->arch = p->arch->cc;
	p->address_bits = module_count && modules[0]->address_bits ? modules[0]->address_bits : 64;
	find_internal_meanings(low);
	if (!layout_module_variables(low))
		return diag_error(diags, (struct span){.file = ~0u}, "there is not enough memory for the variables"),
		       NULL;
	low->scratch = arena_child(arena);
	if (options->apart)
		check_apart(low);
	else
		lower_kernels(low);
	take_codes(low);
	if (options->lazy) {
		struct lower_options *kept = ARENA_NEW(arena, struct lower_options);
		*kept = *options;
		low->options = kept;
		p->lowering = low;
	} else {
		arena_free(low->scratch);
	}
	return diags->error_count == errors ? p : NULL;
}

bool kernel_is_modelled(const struct kernel *k, struct diags *diags)
{
	if (!k->code || !k->code->refusal)
		return true;
	diag_error(diags, k->code->refusal_at, "%s", k->code->refusal);
	return false;
}

/* Gives the kernel a program of its own that shares variables and addresses with the whole one. The caller holds the
 * lock. */
const struct program *program_compile(struct program *p, u32 index)
{
	struct kernel *k = &p->kernels[index];
	struct lowering *low = p->lowering;

	if (k->compiled || !low)
		return low ? k->compiled : p;
	struct program *alone = ARENA_NEW(p->arena, struct program);
	*alone = *p;
	alone->lowering = NULL;
	alone->whole = p;
	alone->kernels = ARENA_NEW(p->arena, struct kernel);
	alone->kernel_count = 1;
	low->program = alone;
	low->code_count = 0;
	low->lowered = 0;
	memset(&low->codes, 0, sizeof low->codes);
	const bool ok = lower_any(low, (struct ir_function *)(uintptr_t)k->function, alone->kernels) &&
			kernel_is_modelled(alone->kernels, low->diags);
	if (ok)
		take_codes(low);
	low->program = p;
	return ok ? (k->compiled = alone) : NULL;
}

/* By the address that a kernel's name stands for in the text: for launches from the device. */
const struct kernel *program_kernel_at(const struct program *p, u64 address)
{
	const struct program *all = p->whole ? p->whole : p;
	const u64 base = address_map(p->address_bits)->function_base;

	for (u32 k = 0; k < all->kernel_count; k++) {
		const struct ir_machine *m = all->kernels[k].function->machine;
		if (address == base + (m ? m->address : (u64)all->kernels[k].number * FUNCTION_STRIDE))
			return &all->kernels[k];
	}
	return NULL;
}

const struct kernel *program_kernel(const struct program *p, const char *name)
{
	for (u32 k = 0; k < p->kernel_count; k++)
		if (!strcmp(p->kernels[k].name, name))
			return &p->kernels[k];
	return NULL;
}

static const struct ir_part *find_part(const struct ir_variable *v, const char *name)
{
	for (size_t k = 0; k < v->parts.count; k++)
		if (!strcmp(v->parts.items[k].name, name))
			return &v->parts.items[k];
	return NULL;
}

/* A linked variable of machine code may have parts with names of their own; *address and *size are then the part's. */
bool program_variable(const struct program *p, const char *name, u64 *address, u64 *size)
{
	const struct ir_part *part;

	for (u32 k = 0; k < p->variable_count; k++)
		if (!strcmp(p->variables[k].variable->name, name)) {
			*address = p->variables[k].address;
			*size = p->variables[k].size;
			return true;
		} else if ((part = find_part(p->variables[k].variable, name))) {
			*address = p->variables[k].address + part->offset;
			*size = part->size;
			return true;
		}
	return false;
}
