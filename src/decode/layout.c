/* SPDX-License-Identifier: Apache-2.0
 *
 * Layout: where variables, parameters and functions lie. Module-scope .global and .const variables
 * have one address for all kernels; shared variables are laid out for each kernel, over the
 * functions it can reach; local variables and function parameters for each frame.
 *
 *      64-bit addresses                        32-bit addresses
 *      0x110000000000  functions               0x00100000  functions
 *      0x120000000000  window of shared        0x01000000  window of shared
 *      0x121000000000  window of local         0x04000000  window of local
 *      0x122000000000  window of parameters    0x08000000  window of parameters
 *      0x130002000000  .const variables        0x0a000000  .const variables
 *      0x7f0002000000  .global, then buffers   0x10000000  .global, then buffers
 */
#include "decode/externals.h"
#include "decode/lowering.h"
#include "arch/arch.h"
#include "ir/link.h"
#include "isa/sregs.h"

#include <string.h>

/* The low words of first addresses are not 0, so that an address that lost its upper half is not null.
 * Linux gives programs no memory between 0x100000000000 and 0x550000000000, so that memory whose guest address is its
 * host address never lies in a window. */
static const struct address_map map64 = {.shared_window = 0x120000000000,
					 .local_window = 0x121000000000,
					 .param_window = 0x122000000000,
					 .const_base = 0x130002000000,
					 .global_base = 0x7f0002000000,
					 .function_base = 0x110000000000};
static const struct address_map map32 = {.shared_window = 0x01000000,
					 .local_window = 0x04000000,
					 .param_window = 0x08000000,
					 .const_base = 0x0a000000,
					 .global_base = 0x10000000,
					 .function_base = 0x00100000};

const struct address_map *address_map(u32 address_bits) { return address_bits == 32 ? &map32 : &map64; }

static u64 align_up(u64 value, u64 align) { return (value + align - 1) & ~(align - 1); }

static u64 variable_align(const struct ir_variable *v)
{
	const u64 natural = (u64)(type_bits(v->type) + 7) / 8 * (v->vector ? v->vector : 1);
	const u64 least = natural && !(natural & (natural - 1)) ? natural : 8;

	return v->align ? v->align : least;
}

/* Linked declarations share one place: that of the variable that stores them. */
static struct place *find_place(struct lowering *low, const struct ir_variable *v)
{
	const u32 k = lookup_find(&low->layout.place_of, lookup_address(ir_storage(v)));

	return k == LOOKUP_NONE ? NULL : &low->layout.places[k];
}

static void add_place(struct lowering *low, const struct ir_variable *v, u64 address)
{
	struct layout *y = &low->layout;

	if (y->count == y->capacity)
		y->places = arena_grow(low->scratch, y->places, y->count, &y->capacity, sizeof *y->places);
	lookup_add(low->scratch, &y->place_of, lookup_address(v), (u32)y->count);
	y->places[y->count++] = (struct place){v, address};
}

/* --- Module scope ------------------------------------------------------------------------------ */

static bool is_module_wide(const struct ir_variable *v)
{
	return v->space == SPACE_GLOBAL || v->space == SPACE_CONST || v->space == SPACE_TEX;
}

/* clang keeps truth values in bytes that it aligns as halves or words, and reads them as 16 bits. */
static u64 accessible_bytes(const struct ir_variable *v)
{
	return v->size == 1 && !v->rank && variable_align(v) >= 2 ? 2 : v->size;
}

enum { VARIABLE_ALIGN = 256, VARIABLE_GAP = 512 };

/* Aligned as the driver's are, with a gap, so that running off the end is a fault. */
static void add_module_variable(struct lowering *low, const struct ir_variable *v, u64 *global, u64 *constant)
{
	struct program *p = low->program;
	u64 *next = v->space == SPACE_CONST ? constant : global;
	const u64 align = max_u64(variable_align(v), VARIABLE_ALIGN);

	*next = align_up(*next, align);
	lookup_add(low->arena, &low->variable_of, lookup_address(v), p->variable_count);
	p->variables[p->variable_count++] = (struct global_variable){
		.variable = v, .space = v->space, .address = *next, .size = accessible_bytes(v)};
	*next += v->size + VARIABLE_GAP;
}

static const struct global_variable *find_global(const struct lowering *low, const struct ir_variable *v)
{
	const u32 k = lookup_find(&low->variable_of, lookup_address(ir_storage(v)));

	return k == LOOKUP_NONE ? NULL : &low->program->variables[k];
}

/* An initialiser's value: a number, or an address, of which a mask may take a part (mask(address) in the text). */
static u64 init_bits(struct lowering *low, const struct ir_init *init)
{
	u64 value = init->bits;

	if (init->kind == INIT_ADDRESS) {
		value = (u64)init->addend;
		if (init->symbol && init->symbol->kind == SYM_FUNCTION)
			value += layout_function_address(low, init->symbol->function);
		else if (init->symbol && init->symbol->kind == SYM_VARIABLE)
			value += layout_address(low, init->symbol->variable);
		if (init->mask)
			value = (value & init->mask) >> __builtin_ctzll(init->mask);
	}
	return value;
}

/* Neighbouring initialisers become one run of bytes; what has none stays zero. */
static void fill_initial(struct lowering *low, struct global_variable *g)
{
	const struct ir_variable *v = g->variable;

	if (!v->inits.count || !v->size)
		return;
	u8 *bytes = ARENA_ARRAY(low->arena, v->inits.count * sizeof(u64), u8);
	struct initial_run *run = NULL;
	VEC_OF(struct initial_run) runs = {0};
	for (size_t k = 0; k < v->inits.count; k++) {
		const struct ir_init *init = &v->inits.items[k];
		const u64 bits = init_bits(low, init);
		if (init->offset > v->size || init->size > sizeof bits || init->size > v->size - init->offset)
			continue;
		if (!run || run->offset + run->length != init->offset) {
			VEC_PUSH(low->arena, &runs, ((struct initial_run){.offset = init->offset, .bytes = bytes}));
			run = &runs.items[runs.count - 1];
		}
		memcpy(bytes, &bits, init->size);
		bytes += init->size;
		run->length += init->size;
	}
	g->initial = runs.items;
	g->initial_count = (u32)runs.count;
}

static u64 widest_alignment(const struct program *p)
{
	u64 widest = VARIABLE_ALIGN;

	for (u32 k = 0; k < p->variable_count; k++)
		widest = max_u64(widest, variable_align(p->variables[k].variable));
	return widest;
}

/* Moves the variables to where the caller has room for them, constants behind the others, and makes their initial bytes.
 * False: it has none. */
static bool place_variables(struct lowering *low, u64 global_bytes, u64 constant_bytes)
{
	struct program *p = low->program;
	const struct address_map *map = address_map(p->address_bits);
	const u64 align = widest_alignment(p);

	/* Either part may end anywhere, and what the caller gives is aligned as its allocations are, which is less than
	 * some variables ask. */
	global_bytes = align_up(global_bytes, align);

	if (low->options->place && p->variable_count) {
		u64 at = low->options->place(low->options->place_context, global_bytes + constant_bytes + align);
		if (!at)
			return false;
		at = align_up(at, align);
		for (u32 k = 0; k < p->variable_count; k++)
			p->variables[k].address += p->variables[k].space == SPACE_CONST
							   ? at + global_bytes - map->const_base
							   : at - map->global_base;
	}
	for (u32 k = 0; k < p->variable_count; k++)
		fill_initial(low, &p->variables[k]);
	return true;
}

/* Addresses are given before any code is lowered: instructions hold them as constants. */
bool layout_module_variables(struct lowering *low)
{
	struct program *p = low->program;
	const struct address_map *map = address_map(p->address_bits);
	/* The launcher's own allocations start above these. */
	const u64 global_start = map->global_base, constant_start = map->const_base;
	u64 global = global_start, constant = constant_start;
	size_t total = 0, functions = 0;

	for (u32 m = 0; m < p->module_count; m++) {
		total += p->modules[m]->variables.count;
		functions += p->modules[m]->functions.count;
		for (size_t f = 0; f < p->modules[m]->functions.count; f++)
			total += p->modules[m]->functions.items[f]->variables.count;
	}
	p->variables = ARENA_ARRAY(low->arena, total + 1, struct global_variable);
	low->all_functions = ARENA_ARRAY(low->arena, functions + 1, struct ir_function *);
	low->reached = ARENA_ARRAY(low->arena, functions + 1, u32);
	low->tried = ARENA_ARRAY(low->arena, functions + 1, bool);
	for (u32 m = 0; m < p->module_count; m++) {
		const struct ir_module *module = p->modules[m];
		for (size_t k = 0; k < module->variables.count; k++)
			if (is_module_wide(module->variables.items[k]) &&
			    module->variables.items[k]->linkage != LINK_EXTERN && !module->variables.items[k]->linked)
				add_module_variable(low, module->variables.items[k], &global, &constant);
		for (size_t f = 0; f < module->functions.count; f++) {
			struct ir_function *function = module->functions.items[f];
			lookup_add(low->arena, &low->function_of, lookup_address(function), low->all_function_count);
			low->all_functions[low->all_function_count++] = function;
			for (size_t k = 0; k < function->variables.count; k++)
				if (is_module_wide(function->variables.items[k]))
					add_module_variable(low, function->variables.items[k], &global, &constant);
		}
	}
	return place_variables(low, global - global_start, constant - constant_start);
}

struct ir_function *layout_definition(struct lowering *low, struct ir_function *f)
{
	(void)low;
	return (struct ir_function *)(uintptr_t)ir_definition(f);
}

u64 layout_function_address(void *context, const struct ir_function *f)
{
	const struct lowering *low = context;
	const u32 k = layout_function_number(low, ir_definition(f));

	if (k == LOOKUP_NONE)
		return 0;
	return address_map(low->program->address_bits)->function_base + (u64)(k + 1) * FUNCTION_STRIDE;
}

u32 layout_function_number(const struct lowering *low, const struct ir_function *f)
{
	return lookup_find(&low->function_of, lookup_address(f));
}

u64 layout_address(void *context, const struct ir_variable *v)
{
	struct lowering *low = context;

	if (is_module_wide(v)) {
		const struct global_variable *g = find_global(low, v);
		return g ? g->address : 0;
	}
	const struct place *p = find_place(low, v);
	if (p)
		return p->address;
	/* An extern array of shared memory starts where the static variables end. */
	return v->space == SPACE_SHARED ? align_up(low->layout.shared_end, max_u64(low->layout.dynamic_align, 16)) : 0;
}

/* --- Kernels ----------------------------------------------------------------------------------- */

bool layout_is_external(const char *name)
{
	static const char *const names[] = {
#define X(function) #function,
		EXTERNALS(X)
#undef X
	};

	for (size_t k = 0; k < COUNT_OF(names); k++)
		if (!strcmp(name, names[k]))
			return true;
	return false;
}

/* Breadth first over calls: what is added here is visited later by layout_kernel(). `reached` is reset at its end. */
static void reach(struct lowering *low, struct ir_function *f)
{
	struct layout *y = &low->layout;

	f = layout_definition(low, f);
	if (!f->has_body || f->is_prototype)
		return;
	const u32 number = layout_function_number(low, f);
	/* A kernel may have another's address, to launch it: it is not called. */
	if (low->reached[number] || (f->is_entry && y->function_count))
		return;
	if (y->function_count == y->function_capacity)
		y->functions = arena_grow(low->scratch, y->functions, y->function_count, &y->function_capacity,
					  sizeof *y->functions);
	y->functions[y->function_count++] = f;
	low->reached[number] = (u32)y->function_count;
}

/* An .extern array without a size, which no module defines, is the launch's dynamic shared memory; one with a size, the
 * program's own, as in ptxas. */
static void place_shared(struct lowering *low, const struct ir_variable *v)
{
	struct layout *y = &low->layout;

	v = ir_storage(v);
	if (find_place(low, v))
		return;
	if (v->unsized) {
		y->has_dynamic_shared = true;
		y->dynamic_align = max_u64(y->dynamic_align, variable_align(v));
		return;
	}
	const u64 at = align_up(y->shared_end, variable_align(v));
	add_place(low, v, at);
	y->shared_end = at + v->size;
}

static bool is_reserved_offset(const struct ir_operand *o)
{
	u8 element;

	if (o->symbol || !o->name || *o->name != '%')
		return false;
	const enum sreg sreg = sreg_find(o->name, &element);
	return sreg >= SREG_reserved_smem_offset_begin && sreg <= SREG_reserved_smem_offset_1;
}

static void visit_operand(struct lowering *low, const struct ir_operand *o)
{
	low->layout.reads_reserved |= is_reserved_offset(o);
	if (o->symbol && o->symbol->kind == SYM_FUNCTION)
		reach(low, o->symbol->function);
	if (o->symbol && o->symbol->kind == SYM_TARGETS)
		for (size_t k = 0; k < o->symbol->targets->list.count; k++)
			if (o->symbol->targets->list.items[k]->kind == SYM_FUNCTION)
				reach(low, o->symbol->targets->list.items[k]->function);
	if (o->symbol && o->symbol->kind == SYM_VARIABLE && o->symbol->variable->space == SPACE_SHARED)
		place_shared(low, o->symbol->variable);
	/* A call through a register may reach every function whose address anyone takes. */
	if (o->symbol && o->symbol->kind == SYM_PROTOTYPE && !low->layout.reaches_all) {
		low->layout.reaches_all = true;
		for (u32 k = 0; k < low->all_function_count; k++)
			if (!low->all_functions[k]->is_entry)
				reach(low, low->all_functions[k]);
	}
	for (u32 k = 0; k < o->item_count; k++)
		visit_operand(low, &o->items[k]);
}

enum { FRAME_ALIGN = 16 };

static void place_frame(struct lowering *low, const struct ir_variable *v, u64 *top, u64 *align)
{
	const u64 at = align_up(*top, max_u64(variable_align(v), 4));

	*align = max_u64(*align, variable_align(v));
	if (!find_place(low, v))
		add_place(low, v, at);
	*top = at + (v->unsized ? UNSIZED_BYTES : align_up(v->size, 4));
}

/* Results first, then parameters: the same for a prototype and for each function that fits it.
 * Bytes of a frame of f, and its alignment: results, parameters, then local variables. */
u64 layout_frame(struct lowering *low, struct ir_function *f, u64 *align)
{
	u64 top = 0;

	*align = FRAME_ALIGN;
	for (size_t k = 0; !f->is_entry && k < f->returns.count; k++)
		if (f->returns.items[k] && f->returns.items[k]->space == SPACE_PARAM)
			place_frame(low, f->returns.items[k], &top, align);
	for (size_t k = 0; !f->is_entry && k < f->params.count; k++)
		if (f->params.items[k] && f->params.items[k]->space == SPACE_PARAM)
			place_frame(low, f->params.items[k], &top, align);
	top = align_up(top, FRAME_ALIGN);
	for (size_t k = 0; k < f->variables.count; k++)
		if (f->variables.items[k]->space == SPACE_LOCAL || f->variables.items[k]->space == SPACE_PARAM)
			place_frame(low, f->variables.items[k], &top, align);
	return align_up(top, FRAME_ALIGN);
}

static void layout_params(struct lowering *low, const struct ir_function *f)
{
	u64 top = 0;

	for (size_t k = 0; k < f->params.count; k++) {
		top = align_up(top, variable_align(f->params.items[k]));
		add_place(low, f->params.items[k], top);
		top += f->params.items[k]->size;
	}
}

/* On hardware from sm_80 on, a kernel's variables always lie above the system's part of shared memory, and an index
 * below an array's start reaches into that unnoticed. Here only a kernel that asks for that part has one: for the
 * others, what lies below is outside. */
static void reserve_shared(struct lowering *low)
{
	struct layout *y = &low->layout;

	if (!y->reads_reserved)
		return;
	y->reserved_shared = low->program->arch->shared_reserved;
	y->shared_end += y->reserved_shared;
	for (size_t k = 0; k < y->count; k++)
		if (y->places[k].variable->space == SPACE_SHARED)
			y->places[k].address += y->reserved_shared;
}

/* Shared variables of all functions that the kernel reaches, in the order in which they are met; then, if the kernel
 * asks for it, the system's part before them. */
void layout_kernel(struct lowering *low, struct ir_function *kernel)
{
	struct layout *y = &low->layout;

	memset(y, 0, sizeof *y);
	layout_params(low, kernel);
	reach(low, kernel);
	for (u32 k = 0; k < y->function_count; k++) {
		const struct ir_function *f = y->functions[k];
		for (size_t v = 0; v < f->variables.count; v++)
			if (f->variables.items[v]->space == SPACE_SHARED)
				place_shared(low, f->variables.items[v]);
		for (size_t x = 0; x < f->body.count; x++)
			for (u32 o = 0; o < f->body.items[x].operand_count; o++)
				visit_operand(low, &f->body.items[x].operands[o]);
	}
	reserve_shared(low);
	y->codes = ARENA_ARRAY(low->scratch, y->function_count, struct code *);
	for (u32 k = 0; k < y->function_count; k++)
		low->reached[layout_function_number(low, y->functions[k])] = 0;
}
