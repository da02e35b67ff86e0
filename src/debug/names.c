/* SPDX-License-Identifier: Apache-2.0
 *
 * What a name in an expression means: a variable of the source, a built-in one of CUDA C, a variable or
 * parameter of PTX, a register, a buffer of the host, an enumerator; in this order.
 */
#include <stdio.h>
#include <string.h>

#include "debug/machine.h"
#include "isa/sregs.h"

/* --- Variables of PTX -------------------------------------------------------------------------------- */

/* Where a shared or local variable or a parameter lies, as the frame sees it.
 * Parameters of a kernel lie in parameter space, but those of calls (.param inside a body) and of functions in local
 * memory, which starts at the frame's local_base. */
static bool place_of_variable(struct debug *d, const struct debug_frame *f, const char *name,
			      const struct ir_variable **variable, enum ir_space *space, u64 *address)
{
	const struct launch *l = debug_launch(d);
	const struct ir_function *here = f->frame->code->function;

	for (u32 k = 0; l && k < l->kernel->place_count; k++) {
		const struct place *p = &l->kernel->places[k];
		const struct ir_variable *v = p->variable;
		if (strcmp(v->name, name) || (v->owner && v->owner != here))
			continue;
		bool local = v->space == SPACE_LOCAL || (v->space == SPACE_PARAM && !here->is_entry);
		if (v->space == SPACE_PARAM && here->is_entry) {
			local = true;
			for (size_t n = 0; n < here->params.count; n++)
				local &= here->params.items[n] != v;
		}
		*variable = v;
		*space = local ? SPACE_LOCAL : v->space;
		*address = p->address + (local ? f->frame->local_base : 0);
		return true;
	}
	return false;
}

/* For `finish`: the value that the call's first result operand holds now, with the type that the source gives the
 * function. False, with a message: there is none. */
bool debug_returned(struct debug *d, const struct debug_place *call, const struct code *callee, u32 lane,
		    struct debug_object *o)
{
	const struct ir_instruction *x = place_instruction(call);
	const struct ir_operand *list = x && x->operand_count > 1 ? &x->operands[0] : NULL;
	const struct ir_operand *result =
		list && list->kind == OPERAND_LIST && list->item_count ? &list->items[0] : NULL;
	const struct dwarf_function *fn = debug_own_function(d, callee->function);
	const struct launch *l = debug_launch(d);
	struct term_reader r = {.d = d, .at = "", .lane = lane};
	struct term t = {.type = fn ? fn->returns : NULL};
	struct debug_frame f;

	if (!result || !result->symbol || !l || !debug_focus_frame(d, &f) || callee->function->returns.count != 1)
		return debug_fail(d, "the function returns no value");
	if (result->symbol->kind == SYM_REGISTER) {
		if (!register_in_frame(d, &f, result->symbol->name, &t.reg))
			return false;
		t.v = debug_register_lane(d, &t.reg, lane);
		const u16 token = token_of_type(d, t.type);
		t.v.type = token ? token : t.v.type;
	}
	for (u32 k = 0; result->symbol->kind == SYM_VARIABLE && k < l->kernel->place_count; k++)
		if (l->kernel->places[k].variable == result->symbol->variable)
			t = term_load(&r, SPACE_LOCAL, f.frame->local_base + l->kernel->places[k].address,
				      t.type ? t.type : type_of_variable(d, result->symbol->variable));
	*o = term_object(&t);
	return !r.failed && t.v.type != TOKEN_NONE;
}

/* The module's variable of that name; NULL: none. */
static const struct global_variable *global_variable(const struct debug *d, const char *name)
{
	for (u32 k = 0; k < d->program->variable_count; k++)
		if (!strcmp(d->program->variables[k].variable->name, name))
			return &d->program->variables[k];
	return NULL;
}

/* A parameter that holds a buffer's address points at its elements. */
static bool find_address_buffer(struct debug *d, const struct term *t, struct debug_buffer *b)
{
	return type_bits(t->v.type) == 64 && value_word(&t->v) && d->source.buffer &&
	       d->source.buffer(d->source.context, NULL, value_word(&t->v), b);
}

static bool find_placed(struct term_reader *r, const char *name, struct term *t)
{
	const struct ir_variable *v;
	const struct global_variable *g;
	struct debug_buffer b;
	struct debug_frame f;
	enum ir_space space;
	u64 address;

	if (debug_launch(r->d) && debug_focus_frame(r->d, &f) &&
	    place_of_variable(r->d, &f, name, &v, &space, &address)) {
		*t = term_load(r, space, address, type_of_variable(r->d, v));
		if (space == SPACE_PARAM && find_address_buffer(r->d, t, &b)) {
			t->type = type_pointer_to(r->d, type_of_token(r->d, b.type));
			t->v.type = T_b64;
			t->target = SPACE_GLOBAL;
		}
		return true;
	}
	g = global_variable(r->d, name);
	if (g)
		*t = term_load(r, g->space, g->address, type_of_variable(r->d, g->variable));
	return g != NULL;
}

/* Buffers of the host, by the name that they were made under. */
static bool find_buffer(struct term_reader *r, const char *name, struct term *t)
{
	const struct memory *m = r->d->launch.memory;
	struct debug_buffer b;

	if (r->d->source.buffer && r->d->source.buffer(r->d->source.context, name, 0, &b) && b.address) {
		*t = term_load(r, SPACE_GLOBAL, b.address, type_of_buffer(r->d, &b));
		return true;
	}
	for (u32 k = 0; m && k < m->count; k++)
		if (m->list[k].name && !strcmp(m->list[k].name, name)) {
			*t = term_pointer(r, SPACE_GLOBAL, m->list[k].base, type_of_token(r->d, T_b32));
			return true;
		}
	return false;
}

/* --- Variables of the source ---------------------------------------------------------------------------- */

/* The words of a register of PTX that machine code holds in registers of its own. Two that are a pair can be set. */
static bool read_words(struct term_reader *r, const struct debug_frame *f, const char *name, struct term *t)
{
	u16 words[SASS_WORDS];
	const u32 count = machine_words(f, name, words);
	struct debug_register part;

	for (u32 k = 0; k < count; k++) {
		if (!machine_register(r->d, f, words[k], false, &part))
			return false;
		if (!k) {
			t->v = debug_register_lane(r->d, &part, r->lane);
			t->reg = part;
		} else {
			memcpy(t->v.bytes + 4 * k, debug_register_lane(r->d, &part, r->lane).bytes, 4);
		}
	}
	if (count > 1)
		t->v.type = count > 2 ? T_b128 : T_b64;
	if (count == 2 && words[1] == words[0] + 1 && machine_register(r->d, f, words[0], true, &part))
		t->reg = part;
	t->where = count == 1 || (count == 2 && t->reg.pair) ? AT_REGISTER : AT_NOTHING;
	return count > 0;
}

/* The register's bits in the lane, as a value of a type. */
static bool read_register(struct term_reader *r, const struct debug_frame *f, const char *name, struct term *t)
{
	if (f->place.code->function->machine)
		return read_words(r, f, name, t);
	if (!register_in_frame(r->d, f, name, &t->reg))
		return false;
	t->where = AT_REGISTER;
	t->v = debug_register_lane(r->d, &t->reg, r->lane);
	return true;
}

/* Several pieces, or what is no scalar, next to one another. */
static struct term gather_pieces(struct term_reader *r, const struct debug_frame *f, const struct dwarf_location *l,
				 const struct dwarf_type *type)
{
	struct term t = {.type = type, .v.type = T_b128};
	u32 used = 0;

	for (; l; l = l->next) {
		const u32 bytes = l->bytes ? l->bytes : (u32)min_u64(type ? type->size : 0, 16);
		struct term one = {0};
		if (used + bytes > sizeof t.v.bytes)
			return term_fail(r, "its parts lie in several places");
		if (l->where == DWARF_IS_CONSTANT)
			one.v = value_of_integer(T_b64, l->value);
		else if (l->where == DWARF_IN_REGISTER && !read_register(r, f, l->name, &one))
			return term_fail(r, NULL);
		memcpy(t.v.bytes + used, one.v.bytes, bytes);
		used += bytes;
	}
	return t;
}

static struct term at_symbol(struct term_reader *r, const struct debug_frame *f, const struct dwarf_location *l,
			     const struct dwarf_type *type)
{
	const struct ir_variable *v;
	enum ir_space space;
	u64 address;

	if (!l->name) {
		if (f && machine_address(f, l, &space, &address))
			return term_load(r, space, address, type);
		return term_fail(r, "the memory where it lies is not known");
	}
	if (f && place_of_variable(r->d, f, l->name, &v, &space, &address))
		return term_load(r, space, address + l->value, type);
	const struct global_variable *g = global_variable(r->d, l->name);
	if (g)
		return term_load(r, g->space, g->address + l->value, type);
	debug_fail(r->d, "%s, where it lies, is not in this kernel", l->name);
	return term_fail(r, NULL);
}

/* Whether registers of machine code hold all of a place. */
static bool is_held(const struct debug_frame *f, const struct dwarf_location *l, const struct dwarf_type *type)
{
	const struct dwarf_type *plain = dwarf_plain(type);
	u16 words[SASS_WORDS];
	u64 bytes = l->where == DWARF_AT_REGISTER ? 8 : plain ? plain->size : 0;

	if (l->where != DWARF_IN_REGISTER && l->where != DWARF_AT_REGISTER)
		return true;
	const u32 count = machine_words(f, l->name, words);
	bytes = l->bytes ? l->bytes : bytes;
	return count && bytes <= 4 * (u64)count;
}

/* Where a variable is at the frame's place: DWARF_NOWHERE if it is not kept there, in machine code, too, if no register has
 * all of it any more. */
static struct dwarf_location locate(const struct debug_frame *f, const struct dwarf_variable *v)
{
	if (!f)
		return dwarf_locate(v, 0);
	const struct ir_function *fn = f->place.code->function;
	const struct dwarf_location l = dwarf_locate(v, machine_place(fn, f->place.instruction));
	for (const struct dwarf_location *p = &l; p && fn->machine; p = p->next)
		if (!is_held(f, p, v->type))
			return (struct dwarf_location){.where = DWARF_NOWHERE};
	return l;
}

struct term term_of_variable(struct term_reader *r, const struct debug_frame *f, const struct dwarf_variable *v)
{
	const struct dwarf_location l = locate(f, v);
	const u16 token = token_of_type(r->d, v->type);
	struct term t = {.type = v->type, .target = SPACE_GENERIC};
	u64 base;

	switch (l.where) {
	case DWARF_IN_MEMORY:
		return at_symbol(r, f, &l, v->type);
	case DWARF_AT_FRAME:
		if (!f || !machine_frame(r->d, f, r->lane, &base))
			return term_fail(r, NULL);
		return term_load(r, l.space, base + l.value, v->type);
	case DWARF_AT_REGISTER:
		if (!f || !read_register(r, f, l.name, &t))
			return term_fail(r, NULL);
		return term_load(r, l.space, (u64)value_integer(&t.v) + l.value, v->type);
	case DWARF_IS_CONSTANT:
		t.v = value_of_integer(token ? token : T_b64, l.value);
		return t;
	case DWARF_IN_REGISTER:
		break;
	default:
		debug_fail(r->d, "the compiler does not keep %s at this place", v->name);
		return term_fail(r, NULL);
	}
	if (!f || l.next || token == TOKEN_NONE)
		return f ? gather_pieces(r, f, &l, v->type) : term_fail(r, "no kernel is running");
	if (!read_register(r, f, l.name, &t))
		return term_fail(r, NULL);
	t.v.type = token;
	t.v = value_of_integer(token, value_word(&t.v));
	return t;
}

/* The innermost variable of that name that the place sees; NULL: none. One that is kept there goes before one
 * that is not. */
static const struct dwarf_variable *visible_variable(const struct dwarf_function *f, const struct debug_frame *at,
						     const char *name)
{
	const u32 place = machine_place(at->place.code->function, at->place.instruction);
	const struct dwarf_variable *found = NULL;

	for (const struct dwarf_scope *s = dwarf_scope_at(f, place); s; s = s->parent)
		for (size_t k = 0; k < s->variables.count; k++) {
			const struct dwarf_variable *v = s->variables.items[k];
			if (strcmp(v->name, name) && (!v->linkage || strcmp(v->linkage, name)))
				continue;
			if (locate(at, v).where != DWARF_NOWHERE)
				return v;
			found = found ? found : v;
		}
	return found;
}

static bool find_source_variable(struct term_reader *r, const char *name, struct term *t)
{
	struct debug_frame f;
	const bool framed = debug_focus_frame(r->d, &f) && f.place.code;
	const struct dwarf_function *fn =
		framed ? debug_source_function(r->d, f.place.code->function, f.place.instruction) : NULL;
	const struct dwarf_variable *v = fn ? visible_variable(fn, &f, name) : NULL;

	for (u32 m = 0; !v && m < r->d->program->module_count; m++) {
		const struct dwarf *w = debug_dwarf(r->d, r->d->program->modules[m]);
		v = w ? dwarf_global(w, name) : NULL;
	}
	if (v)
		*t = term_of_variable(r, framed ? &f : NULL, v);
	return v != NULL;
}

static bool find_enumerator(struct term_reader *r, const char *name, struct term *t)
{
	for (u32 m = 0; m < r->d->program->module_count; m++) {
		const struct dwarf *w = debug_dwarf(r->d, r->d->program->modules[m]);
		const struct dwarf_type *type = NULL;
		s64 value;
		if (!w || !dwarf_find_enumerator(w, name, &type, &value))
			continue;
		const u16 token = token_of_type(r->d, type);
		*t = (struct term){.type = type, .v = value_of_integer(token ? token : T_s32, (u64)value)};
		return true;
	}
	return false;
}

/* --- CUDA C's own --------------------------------------------------------------------------------------- */

static const struct {
	const char *name, *special;
} built_in[] = {{"threadIdx", "%tid"},  {"blockIdx", "%ctaid"},       {"blockDim", "%ntid"},
		{"gridDim", "%nctaid"}, {"clusterIdx", "%clusterid"}, {"clusterDim", "%cluster_nctaid"},
		{"warpSize", "WARP_SZ"}};

/* struct { unsigned x, y, z; }, which CUDA C calls uint3. */
static const struct dwarf_type *coordinates_type(struct debug *d)
{
	static const char *const names[] = {"x", "y", "z"};

	if (d->names.coordinates)
		return d->names.coordinates;
	struct dwarf_type *t = ARENA_NEW(d->arena, struct dwarf_type);
	t->kind = DWARF_STRUCT;
	t->name = "uint3";
	t->size = 12;
	for (u32 k = 0; k < COUNT_OF(names); k++) {
		const struct dwarf_member m = {.name = names[k], .type = type_of_token(d, T_u32), .offset = 4 * k};
		VEC_PUSH(d->arena, &t->members, m);
	}
	return d->names.coordinates = t;
}

static bool is_built_in(const char *name)
{
	for (size_t k = 0; k < COUNT_OF(built_in); k++)
		if (!strcmp(built_in[k].name, name))
			return true;
	return false;
}

static bool find_built_in(struct term_reader *r, const char *name, struct term *t)
{
	static const char *const dots[] = {".x", ".y", ".z"};
	struct debug_register special;
	size_t k = 0;

	while (k < COUNT_OF(built_in) && strcmp(built_in[k].name, name))
		k++;
	if (k == COUNT_OF(built_in))
		return false;
	*t = (struct term){.type = coordinates_type(r->d), .v.type = T_b128};
	if (built_in[k].special[0] != '%') {
		*t = (struct term){.v = value_of_integer(T_s32, WARP_LANES)};
		return true;
	}
	for (u32 e = 0; e < COUNT_OF(dots); e++) {
		char text[40];
		snprintf(text, sizeof text, "%s%s", built_in[k].special, dots[e]);
		if (!debug_find_register(r->d, text, &special)) {
			*t = term_fail(r, NULL);
			return true;
		}
		memcpy(t->v.bytes + 4 * e, debug_register_lane(r->d, &special, r->lane).bytes, 4);
	}
	return true;
}

/* --- Registers ------------------------------------------------------------------------------------------ */

/* A condition asks for the same register in lane after lane: what was found for the first one is kept as
 * long as the same warp stands at the same place. */
static bool find_known(struct term_reader *r, const char *name, struct debug_register *reg)
{
	struct standing *asking = &r->d->points.asking;
	struct found_register *known = &r->d->points.found_registers[(uintptr_t)r->at % FOUND_REGISTERS];

	const struct frame *frame = asking->w ? asking->w->frame : NULL;

	if (frame && known->reader == r->at && known->w == asking->w && known->frame == frame &&
	    known->code == asking->code && known->position == asking->position) {
		*reg = known->reg;
		return true;
	}
	if (!debug_find_register(r->d, name, reg))
		return false;
	*known = (struct found_register){r->at, asking->w, frame, asking->code, asking->position, *reg};
	return true;
}

bool term_register(struct term_reader *r, const char *name, struct term *t)
{
	struct debug_frame f;

	if (!debug_focus_frame(r->d, &f) || !f.frame->code->function->machine ||
	    !debug_find_register(r->d, name, &t->reg))
		return false;
	t->where = AT_REGISTER;
	t->v = debug_register_lane(r->d, &t->reg, r->lane);
	return true;
}

/* --- Without a kernel ------------------------------------------------------------------------------------ */

static bool scope_has(const struct dwarf_scope *s, const char *name)
{
	for (size_t k = 0; k < s->variables.count; k++)
		if (!strcmp(s->variables.items[k]->name, name))
			return true;
	for (size_t k = 0; k < s->inner.count; k++)
		if (scope_has(s->inner.items[k], name))
			return true;
	return false;
}

/* Has the function a register, variable, parameter or variable of the source of that name? Of machine code the function
 * that the instruction is of. Used before a kernel runs, to say whether a condition can be meant. */
static bool function_has(struct debug *d, const struct ir_function *f, u32 instruction, const char *name)
{
	const size_t length = strcspn(name, ".");
	const struct dwarf_function *fn = debug_source_function(d, f, instruction);

	for (size_t k = 0; k < f->registers.count; k++) {
		const char *have = f->registers.items[k]->name;
		if (!strcmp(have, name) || (strlen(have) == length && !memcmp(have, name, length)))
			return true;
	}
	for (size_t k = 0; k < f->variables.count; k++)
		if (!strcmp(f->variables.items[k]->name, name))
			return true;
	for (size_t k = 0; k < f->params.count; k++)
		if (f->params.items[k] && !strcmp(f->params.items[k]->name, name))
			return true;
	return fn && scope_has(fn->scope, name);
}

/* Asks the k-th of the reader's places, or kernel of the program. */
static bool has_name(struct term_reader *r, u32 k, const char *name)
{
	const struct ir_function *f = r->places ? r->places[k].code->function : r->d->program->codes[k]->function;

	return function_has(r->d, f, r->places ? r->places[k].instruction : machine_entry(f), name);
}

bool term_is_register(struct term_reader *r, const char *name)
{
	const struct program *p = r->d->program;
	bool found = false;

	for (u32 k = 0; !found && k < (r->places ? r->place_count : p->code_count); k++) {
		const struct ir_function *f = r->places ? r->places[k].code->function : p->codes[k]->function;
		for (size_t n = 0; f->machine && !found && n < f->registers.count; n++)
			found = !strcmp(f->registers.items[n]->name, name);
	}
	return found;
}

static bool known_everywhere(struct term_reader *r, const char *name)
{
	struct debug *d = r->d;
	struct debug_buffer b;
	struct term t;
	u8 element;

	if (is_built_in(name) || global_variable(d, name) || find_enumerator(r, name, &t) ||
	    (sreg_find(name, &element) != SREG_NONE && element != SREG_WHOLE))
		return true;
	for (u32 m = 0; m < d->program->module_count; m++) {
		const struct ir_module *module = d->program->modules[m];
		const struct dwarf *w = debug_dwarf(d, module);
		for (size_t k = 0; k < module->variables.count; k++)
			if (!strcmp(module->variables.items[k]->name, name))
				return true;
		if (w && dwarf_global(w, name))
			return true;
	}
	return d->source.buffer && d->source.buffer(d->source.context, name, 0, &b);
}

static struct term check_name(struct term_reader *r, const char *name)
{
	const struct program *p = r->d->program;
	bool known = known_everywhere(r, name);

	for (u32 k = 0; !known && k < (r->places ? r->place_count : p->code_count); k++)
		known = has_name(r, k, name);
	if (known)
		return (struct term){.v.type = T_s32, .unknown = true};
	debug_fail(r->d, "there is no register or variable '%s'%s", name, r->places ? " at this place" : "");
	return term_fail(r, NULL);
}

/* --- The door --------------------------------------------------------------------------------------------- */

/* What a name means, in this order: a variable of the source that is in scope, one of the PTX, what CUDA C has built
 * in, a register, a buffer of the host, an enumerator. Names that begin with % are registers only. */
struct term term_named(struct term_reader *r, const char *name)
{
	struct term t = {.v.type = T_s32};

	if (r->dry)
		return check_name(r, name);
	if (*name != '%' && (find_source_variable(r, name, &t) || find_placed(r, name, &t)))
		return t;
	if (*name != '%' && find_built_in(r, name, &t))
		return t;
	if (find_known(r, name, &t.reg)) {
		t.where = AT_REGISTER;
		t.v = debug_register_lane(r->d, &t.reg, r->lane);
		return t;
	}
	if (*name != '%' && (find_buffer(r, name, &t) || find_enumerator(r, name, &t)))
		return t;
	if (*name != '%')
		debug_fail(r->d, "there is no register or variable '%s' here", name);
	return term_fail(r, NULL);
}
