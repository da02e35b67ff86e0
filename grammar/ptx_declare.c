/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations of registers and variables: qualifiers are gathered first, then each name becomes a
 * register, a range of registers, a parameter, or a variable with its size and alignment.
 *
 * The grammar calls in the order of the text, for   .visible .global .align 8 .f32 table[4][8], other = 1.0:
 *
 *  declare_begin(visible)              r->declaration: qualifiers so far
 *  declare_space, declare_align,
 *  declare_word("f32")                 ... each checked for itself
 *  declare_name("table")               r->variable takes the qualifiers
 *  declare_dimension(4), (8)           and its shape
 *  (the end of a name)                 checks, sizes, puts it into its scope
 *  declare_name("other") ...           the same qualifiers again
 *
 * Qualifiers that do not fit are reported once (`failed`), and the names still get declared where that is possible:
 * else every use would be a further error.
 */
#include <string.h>

#include "grammar/reader.h"

/* Everything beyond this cannot be allocated on any GPU and would overflow sums of sizes. */
static const u64 size_limit = 1ull << 40;
enum { ALIGN_LIMIT = 1 << 30, OPAQUE_BYTES = 8, RANGE_VARIABLES = 1 << 16 };

static const char *const space_words[SPACE_COUNT] = {".generic", ".reg",   ".sreg",   ".const", ".global",
						     ".local",   ".param", ".shared", ".tex"};

/* Types of instructions alone, such as .bf16 or .e4m3, declare nothing: registers of their width do. */
static bool is_declarable(u16 type)
{
	static const u16 types[] = {T_b8,    T_b16, T_b32, T_b64,    T_b128,       T_u8,     T_u16,
				    T_u32,   T_u64, T_s8,  T_s16,    T_s32,        T_s64,    T_f16,
				    T_f16x2, T_f32, T_f64, T_texref, T_samplerref, T_surfref};

	for (u32 i = 0; i < COUNT_OF(types); i++)
		if (types[i] == type)
			return true;
	return false;
}

/* Types of handles: their variables hold a handle of 8 bytes, whatever the module's addresses. */
bool declare_is_opaque(u16 type) { return type == T_texref || type == T_samplerref || type == T_surfref; }

/* What PTX 1.x had and later versions have no more. */
static void tell_gone(struct reader *r, u32 version, const char *what, struct span at)
{
	if (r->module->version >= version)
		diag_error(r->diags, at, "%s left PTX with version %u.%u; this module is .version %u.%u", what,
			   version / 10, version % 10, r->module->version / 10, r->module->version % 10);
}

/* Forgets the qualifiers of the declaration before. */
void declare_begin(struct reader *r, enum ir_linkage linkage, struct span at)
{
	r->declaration = (struct declaration){.linkage = linkage, .vector = 1, .span = at};
}

/* The first is the space of the variable; one behind .ptr is where a pointer parameter points. */
void declare_space(struct reader *r, enum ir_space space, struct span at)
{
	struct declaration *d = &r->declaration;

	if (d->is_pointer && d->has_space) {
		d->pointer_space = space;
		return;
	}
	if (d->has_space)
		diag_error(r->diags, at, "second state space '%s'", space_words[space]);
	d->has_space = true;
	d->space = space;
	d->span = at;
	if (space == SPACE_TEX)
		tell_gone(r, 15, "'.tex'", at);
}

void declare_const_bank(struct reader *r, u64 bank, struct span at)
{
	tell_gone(r, 22, "a bank of '.const'", at);
	if (r->declaration.space != SPACE_CONST || bank > 10)
		diag_error(r->diags, at, "only .const takes a bank, from 0 to 10");
	else
		r->declaration.const_bank = (u32)bank;
}

/* Of the variable, or behind .ptr of what the parameter points at. */
void declare_align(struct reader *r, u64 align, struct span at)
{
	if (!align || (align & (align - 1)) || align > ALIGN_LIMIT) {
		diag_error(r->diags, at, "alignment must be a power of two, at most %d", ALIGN_LIMIT);
		align = 1;
	}
	if (r->declaration.is_pointer)
		r->declaration.pointer_align = (u32)align;
	else
		r->declaration.align = (u32)align;
}

/* A type or .v2, .v4 */
void declare_word(struct reader *r, const char *word, struct span at)
{
	struct declaration *d = &r->declaration;

	if (word[0] == 'v' && (word[1] == '2' || word[1] == '4') && !word[2]) {
		if (d->has_type)
			diag_error(r->diags, at, "'.%s' must come before the type", word);
		d->vector = (u32)(word[1] - '0');
		return;
	}
	/* Linkers are to keep the name to themselves: for parameters only, and nothing here sees their names. */
	if (!strcmp(word, "hidden") && r->function && !r->function->scope)
		return;
	for (u16 type = 1; type < TYPE_COUNT; type++)
		if (r->type_texts[type] == word) {
			/* .u64 .ptr .texref: what the handle is of. */
			if (d->is_pointer && declare_is_opaque(type))
				return;
			if (d->has_type && !d->failed)
				diag_error(r->diags, at, "second type '.%s'", word);
			d->has_type = true;
			d->type = type;
			return;
		}
	if (!d->failed)
		diag_error(r->diags, at, "'.%.60s' is not a %s", word,
			   d->has_space ? "type" : "directive or state space");
	d->failed = true;
}

/* Without a space the pointer is generic; without an alignment 4 bytes are sure (PTX ISA, .ptr). */
void declare_pointer(struct reader *r, struct span at)
{
	struct declaration *d = &r->declaration;

	if (d->space != SPACE_PARAM || !d->has_type)
		diag_error(r->diags, at, "'.ptr' must follow the type of a .param");
	d->is_pointer = true;
	d->pointer_space = SPACE_GENERIC;
	d->pointer_align = 4;
}

/* .attribute(.managed) and .attribute(.unified(A, B)). */
void declare_attribute(struct reader *r, const char *word, u32 numbers, struct span at)
{
	if (!strcmp(word, "managed") && !numbers) {
		r->declaration.managed = true;
	} else if (!strcmp(word, "unified") && numbers == 2) {
		r->declaration.unified = true;
		memcpy(r->declaration.unified_id, r->numbers, sizeof r->declaration.unified_id);
	} else {
		diag_error(r->diags, at, "unknown attribute '.%.60s'%s", word,
			   strcmp(word, "unified") ? "" : " without its two numbers");
		diag_hint(r->diags, "attributes are .managed and .unified(a, b)");
	}
}

/* The variable takes shape from the qualifiers; dimensions and initial value follow. */
void declare_name(struct reader *r, const char *name, struct span at)
{
	const struct declaration *d = &r->declaration;
	struct ir_variable *v = ARENA_NEW(r->arena, struct ir_variable);

	v->name = name;
	v->space = d->space;
	v->linkage = d->linkage;
	/* What PTX 1.x declared as a number in texture space is its texture. */
	v->type = d->space == SPACE_TEX && (d->type == T_u32 || d->type == T_u64) ? T_texref : d->type;
	v->align = d->align;
	v->vector = d->vector;
	v->is_pointer = d->is_pointer;
	v->pointer_space = d->pointer_space;
	v->pointer_align = d->pointer_align;
	v->const_bank = d->const_bank;
	v->managed = d->managed;
	v->unified = d->unified;
	memcpy(v->unified_id, d->unified_id, sizeof v->unified_id);
	v->owner = r->function;
	v->span = at;
	r->variable = v;
}

/* [n] or []. A first dimension of 0 counts as open, as in ptxas. */
void declare_dimension(struct reader *r, bool sized, u64 size, struct span at)
{
	struct ir_variable *v = r->variable;

	if (v->rank == COUNT_OF(v->dims)) {
		diag_error(r->diags, at, "more than %zu dimensions", COUNT_OF(v->dims));
		return;
	}
	if (!sized && v->rank)
		diag_error(r->diags, at, "only the first dimension may be left open");
	if (sized && !size && v->rank) {
		diag_error(r->diags, at, "a dimension of 0");
		size = 1;
	}
	v->unsized |= !sized || !size;
	v->dims[v->rank++] = size;
}

/* True if the qualifiers are complete and fit each other and the place. */
static bool check_qualifiers(struct reader *r, struct span at)
{
	const struct declaration *d = &r->declaration;

	if (d->failed)
		return false;
	if (!d->has_space) {
		diag_error(r->diags, at, "declaration without a state space, such as .global or .reg");
		return false;
	}
	if (!d->has_type) {
		diag_error(r->diags, at, "declaration without a type, such as .b32");
		return false;
	}
	if (d->type == T_pred) {
		if (d->space != SPACE_REG)
			diag_error(r->diags, at, "a predicate must be a .reg");
	} else if (!is_declarable(d->type)) {
		diag_error(r->diags, at, "'.%s' is a type of instructions only", r->type_texts[d->type]);
		diag_hint(r->diags, "declare .b%u", type_bits(d->type) < 8 ? 8 : type_bits(d->type));
	} else if (declare_is_opaque(d->type) && d->space == SPACE_REG) {
		diag_error(r->diags, at, "a register cannot be '.%s'", r->type_texts[d->type]);
	} else if (d->vector * type_bits(d->type) > 128) {
		diag_error(r->diags, at, "a vector has at most 128 bits, not %u of .%s", d->vector,
			   r->type_texts[d->type]);
	}
	if (d->linkage == LINK_COMMON && d->space != SPACE_GLOBAL)
		diag_error(r->diags, at, "only a .global variable can be .common");
	if (d->managed && d->space != SPACE_GLOBAL)
		diag_error(r->diags, at, "only a .global variable can be .managed");
	return true;
}

/* Element count of the dimensions from `first` on. */
static u64 dimension_product(const struct ir_variable *v, u32 first)
{
	u64 product = 1;

	for (u32 i = first; i < v->rank; i++)
		if (__builtin_mul_overflow(product, v->dims[i], &product) || product > size_limit)
			return size_limit + 1;
	return product;
}

/* Size and alignment from type, vector and dimensions. */
static void complete_variable(struct reader *r, struct ir_variable *v)
{
	const u32 element = declare_is_opaque(v->type) ? OPAQUE_BYTES : type_bits(v->type) / 8 * v->vector;
	const u64 count = v->unsized ? 0 : dimension_product(v, 0);

	if (!v->align)
		v->align = element ? element : 1;
	if (count > size_limit || count * element > size_limit) {
		diag_error(r->diags, v->span, "'%s' is larger than 2^40 bytes", v->name);
		return;
	}
	v->size = count * element;
}

/* Numbers are given in the order of declaration or first use; a vector takes one for each element. */
static void declare_register(struct reader *r, const char *name, struct span at)
{
	const struct declaration *d = &r->declaration;
	struct ir_register *reg = ARENA_NEW(r->arena, struct ir_register);

	*reg = (struct ir_register){name, d->type, d->vector, r->function->register_slots, at};
	if (!scope_declare(r, (struct ir_symbol){.kind = SYM_REGISTER, .name = name, .reg = reg, .span = at}))
		return;
	r->function->register_slots += d->vector;
	VEC_PUSH(r->arena, &r->function->registers, reg);
	if (r->function->scope)
		reader_mark(r, (struct ir_mark){.kind = MARK_REGISTER, .reg = reg});
}

/* What a parameter in the .param space may look like. */
static void check_parameter(struct reader *r, const struct ir_variable *v)
{
	const struct ir_function *f = r->function;

	if (v->space != SPACE_PARAM)
		return;
	if (v->vector > 1 || v->type == T_f16x2)
		diag_error(r->diags, v->span, "a parameter cannot be %s.%s", v->vector > 1 ? "a vector of " : "",
			   r->type_texts[v->type]);
	if (v->rank > 1)
		diag_error(r->diags, v->span, "a parameter has at most one dimension");
	if (f->is_entry && v->unsized)
		diag_error(r->diags, v->span, "a kernel's parameter needs a size");
	if (!f->is_entry && (declare_is_opaque(v->type) || v->is_pointer))
		diag_error(r->diags, v->span, "only a kernel's parameter can be %s",
			   v->is_pointer ? "'.ptr'" : "a texture, sampler or surface");
	if (v->type == T_samplerref && !r->module->texmode_independent)
		diag_error(r->diags, v->span, "samplers are for .target texmode_independent");
}

/* A parameter or return value of the function or prototype whose head is being read. */
static void declare_parameter(struct reader *r, struct ir_variable *v)
{
	struct ir_function *f = r->function;
	struct ir_register *reg = NULL;
	const bool nameless = v->name == r->underscore;

	if (v->space != SPACE_PARAM && v->space != SPACE_REG) {
		diag_error(r->diags, v->span, "a parameter is .param or .reg, not %s", space_words[v->space]);
		return;
	}
	if (nameless && !f->is_prototype)
		diag_error(r->diags, v->span, "only parameters of a .callprototype may be called '_'");
	if (v->space == SPACE_REG && f->is_entry)
		diag_error(r->diags, v->span, "a kernel's parameters are .param");
	check_parameter(r, v);
	if (v->space == SPACE_REG && !nameless) {
		declare_register(r, v->name, v->span);
		const struct ir_symbol *symbol = ir_scope_find(r->scope->scope, v->name);
		reg = symbol && symbol->kind == SYM_REGISTER ? symbol->reg : NULL;
	} else if (!nameless) {
		scope_declare(
			r, (struct ir_symbol){.kind = SYM_VARIABLE, .name = v->name, .variable = v, .span = v->span});
	}
	if (r->in_returns) {
		v->index = (u32)f->returns.count;
		VEC_PUSH(r->arena, &f->returns, v);
		VEC_PUSH(r->arena, &f->return_registers, reg);
	} else {
		v->index = (u32)f->params.count;
		VEC_PUSH(r->arena, &f->params, v);
		VEC_PUSH(r->arena, &f->param_registers, reg);
	}
}

/* Whether two declarations can mean one variable: an open array fits any size. */
static bool same_shape(const struct ir_variable *a, const struct ir_variable *b)
{
	return a->space == b->space && type_bits(a->type) == type_bits(b->type) && a->vector == b->vector &&
	       a->rank == b->rank && (a->unsized || b->unsized || a->size == b->size);
}

/* A second declaration of a module's variable: allowed if one of them is .extern or both .common
 * or .weak. The first object stays and takes over what the definition says. */
static void merge_variable(struct reader *r, struct ir_symbol *old, struct ir_variable *v)
{
	struct ir_variable *first = old->kind == SYM_VARIABLE ? old->variable : NULL;
	const bool again = first && (first->linkage == LINK_EXTERN || v->linkage == LINK_EXTERN ||
				     (first->linkage == v->linkage && v->linkage == LINK_COMMON));

	if (!again) {
		diag_error(r->diags, v->span, "'%s' is defined twice", v->name);
		diag_note(r->diags, old->span, "first defined here");
	} else if (!same_shape(first, v)) {
		diag_error(r->diags, v->span, "'%s' is declared with another space, type or size before", v->name);
		diag_note(r->diags, old->span, "declared here");
	} else if (v->linkage != LINK_EXTERN) {
		v->index = first->index;
		*first = *v;
	}
}

/* Functions without a stack shared them with their callers; here they are declared in kernels alone. */
static bool declare_common_register(struct reader *r, const char *name, u64 count, struct span at)
{
	if (r->function || r->declaration.space != SPACE_REG || r->module->version >= 20)
		return false;
	VEC_PUSH(r->arena, &r->common, ((struct common){NULL, r->declaration, name, count, at}));
	return true;
}

static void declare_module_variable(struct reader *r, struct ir_variable *v)
{
	struct ir_symbol *old = ir_scope_find(r->scope->scope, v->name);

	if (v->space == SPACE_LOCAL && r->module->arch < 20) {
		VEC_PUSH(r->arena, &r->common, ((struct common){.variable = v}));
		return;
	}
	if (v->space == SPACE_REG || v->space == SPACE_PARAM || v->space == SPACE_LOCAL) {
		diag_error(r->diags, v->span, "%s variables are declared inside functions", space_words[v->space]);
		return;
	}
	if (old) {
		merge_variable(r, old, v);
		return;
	}
	scope_declare(r, (struct ir_symbol){.kind = SYM_VARIABLE, .name = v->name, .variable = v, .span = v->span});
	v->index = (u32)r->module->variables.count;
	VEC_PUSH(r->arena, &r->module->variables, v);
	reader_mark(r, (struct ir_mark){.kind = MARK_VARIABLE, .variable = v});
}

/* Inside a function: .local, .param, and .shared, .global or .const ones with that scope. */
static void declare_local_variable(struct reader *r, struct ir_variable *v)
{
	if (!scope_declare(r,
			   (struct ir_symbol){.kind = SYM_VARIABLE, .name = v->name, .variable = v, .span = v->span}))
		return;
	v->index = (u32)r->function->variables.count;
	VEC_PUSH(r->arena, &r->function->variables, v);
	reader_mark(r, (struct ir_mark){.kind = MARK_VARIABLE, .variable = v});
}

/* What only a variable outside of registers and parameters must hold. */
static void check_variable(struct reader *r, const struct ir_variable *v, bool initialised)
{
	if (v->space == SPACE_SREG)
		diag_error(r->diags, v->span, "special registers are not declared");
	if (initialised && v->space != SPACE_GLOBAL && v->space != SPACE_CONST)
		diag_error(r->diags, v->span, "a %s variable cannot have an initial value", space_words[v->space]);
	if (initialised && v->linkage == LINK_EXTERN)
		diag_error(r->diags, v->span, "an .extern variable cannot have an initial value");
	if (v->unsized && !initialised && v->linkage != LINK_EXTERN) {
		diag_error(r->diags, v->span, "array '%s' has no size", v->name);
		diag_hint(r->diags, "only .extern arrays and initialised ones may be open");
	}
}

/* Qualifiers without a name, which ptxas passes over in silence. */
void declare_nothing(struct reader *r, struct span at) { diag_warning(r->diags, at, "this declares nothing"); }

/* All of a declarator is read: sort it by where it stands. */
void declare_end(struct reader *r, bool initialised, struct span at)
{
	struct ir_variable *v = r->variable;
	const bool is_parameter = r->function && !r->function->scope;

	(void)at;
	if (!check_qualifiers(r, v->span))
		return;
	complete_variable(r, v);
	if (v->space == SPACE_REG && (v->rank || initialised))
		diag_error(r->diags, v->span, "a register has neither dimensions nor an initial value");
	if (is_parameter) {
		declare_parameter(r, v);
		return;
	}
	if (v->name == r->underscore)
		diag_error(r->diags, v->span, "only a parameter of a .callprototype may be named '_'");
	if (v->space == SPACE_REG && r->function) {
		declare_register(r, v->name, v->span);
		return;
	}
	if (declare_common_register(r, v->name, 0, v->span))
		return;
	check_variable(r, v, initialised);
	if (r->function)
		declare_local_variable(r, v);
	else
		declare_module_variable(r, v);
}

struct ir_register *declare_hidden_register(struct reader *r, u16 type, struct span at)
{
	struct ir_function *f = r->function;
	struct ir_register *reg = ARENA_NEW(r->arena, struct ir_register);
	const char *name = arena_printf(r->arena, "%%plus_%u", f->register_slots);

	*reg = (struct ir_register){strings_intern_text(r->strings, name), type, 1, f->register_slots++, at};
	VEC_PUSH(r->arena, &f->registers, reg);
	reader_mark(r, (struct ir_mark){.kind = MARK_REGISTER, .reg = reg});
	return reg;
}

static void declare_register_range(struct reader *r, const char *prefix, u64 count, struct span at)
{
	const struct declaration *d = &r->declaration;
	struct ir_range *range = ARENA_NEW(r->arena, struct ir_range);

	if (count > UINT32_MAX) {
		diag_error(r->diags, at, "a range has at most 4294967295 registers");
		return;
	}
	*range = (struct ir_range){prefix, (u32)count, d->type, d->vector, at};
	scope_add_range(r, range);
}

/* Variables have storage each: all of them are declared at once. */
void declare_range(struct reader *r, const char *prefix, u64 count, struct span at)
{
	if (r->declaration.space == SPACE_REG && r->function) {
		if (check_qualifiers(r, at))
			declare_register_range(r, prefix, count, at);
		return;
	}
	if (check_qualifiers(r, at) && declare_common_register(r, prefix, count, at))
		return;
	if (count > RANGE_VARIABLES) {
		diag_error(r->diags, at, "a range has at most %d variables", RANGE_VARIABLES);
		return;
	}
	const u32 errors = r->diags->error_count;
	for (u64 k = 0; k < count && r->diags->error_count == errors; k++) {
		const char *name = arena_printf(r->arena, "%s%llu", prefix, (unsigned long long)k);
		declare_name(r, strings_intern_text(r->strings, name), at);
		declare_end(r, false, at);
	}
}

void declare_common(struct reader *r)
{
	const struct declaration kept = r->declaration;

	for (size_t k = 0; k < r->common.count; k++) {
		const struct common *c = &r->common.items[k];
		r->declaration = c->declaration;
		if (c->variable) {
			struct ir_variable *v = ARENA_NEW(r->arena, struct ir_variable);
			*v = *c->variable;
			v->owner = r->function;
			declare_local_variable(r, v);
		} else if (c->count) {
			declare_register_range(r, c->name, c->count, c->span);
		} else {
			declare_register(r, c->name, c->span);
		}
	}
	r->declaration = kept;
}
