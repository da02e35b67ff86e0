/* SPDX-License-Identifier: Apache-2.0
 *
 * Linking, with one scope for all names that modules show each other. A .visible definition wins
 * over .weak and .common ones, the first .weak over later ones, the largest .common over smaller.
 */
#include "ir/link.h"

#include <string.h>

struct linker {
	struct arena *arena;
	struct ir_module *const *modules;
	u32 count;
	bool (*is_supplied)(const char *name);
	struct diags *diags;
	struct ir_link *result;
	struct ir_scope names; /* of winning definitions */
	struct ir_scope told;  /* undefined names, so that each is told or listed once */
};

const struct ir_function *ir_definition(const struct ir_function *f)
{
	/* An alias may be linked, and its aim an alias; a ring of aliases ends after as many steps. */
	for (u32 step = 0; step < 16 && (f->alias_of || f->linked); step++)
		f = f->alias_of ? f->alias_of : f->linked;
	return f;
}

const struct ir_variable *ir_storage(const struct ir_variable *v) { return v->linked ? v->linked : v; }

struct ir_function *ir_link_find(struct ir_module *const *modules, u32 count, const char *name)
{
	struct ir_function *found = NULL;

	for (u32 i = 0; i < count; i++) {
		struct ir_function *f = ir_find_function(modules[i], name);
		if (f && (f->has_body || f->alias_of))
			return f;
		found = found ? found : f;
	}
	return found;
}

/* Other modules see it. */
static bool is_shown(enum ir_linkage linkage)
{
	return linkage == LINK_VISIBLE || linkage == LINK_WEAK || linkage == LINK_COMMON;
}

static enum ir_linkage linkage_of(const struct ir_symbol *s)
{
	return s->kind == SYM_FUNCTION ? s->function->linkage : s->variable->linkage;
}

static u64 size_of(const struct ir_symbol *s) { return s->kind == SYM_VARIABLE ? s->variable->size : 0; }

/* True if a definition `new` takes the place of `old`. */
static bool wins_over(const struct ir_symbol *new, const struct ir_symbol *old)
{
	if (linkage_of(new) == LINK_VISIBLE)
		return linkage_of(old) != LINK_VISIBLE;
	return linkage_of(new) == LINK_COMMON && linkage_of(old) == LINK_COMMON && size_of(new) > size_of(old);
}

/* A definition enters the race for its name. */
static void offer(struct linker *l, struct ir_symbol *new)
{
	struct ir_symbol *old = ir_scope_find(&l->names, new->name);

	if (!old) {
		struct ir_symbol *copy = ARENA_NEW(l->arena, struct ir_symbol);
		*copy = *new;
		ir_scope_enter(l->arena, &l->names, copy);
		return;
	}
	if (old->kind != new->kind || (linkage_of(old) == LINK_VISIBLE && linkage_of(new) == LINK_VISIBLE)) {
		diag_error(l->diags, new->span, "'%s' is defined in two modules", new->name);
		diag_note(l->diags, old->span, "also defined here");
	} else if (wins_over(new, old)) {
		*old = *new;
	}
}

/* All definitions of a module that others may see. */
static void offer_module(struct linker *l, const struct ir_module *m)
{
	for (size_t i = 0; i < m->functions.count; i++) {
		struct ir_function *f = m->functions.items[i];
		if ((f->has_body || f->alias_of) && is_shown(f->linkage))
			offer(l, &(struct ir_symbol){
					 .kind = SYM_FUNCTION, .name = f->name, .function = f, .span = f->span});
	}
	for (size_t i = 0; i < m->variables.count; i++) {
		struct ir_variable *v = m->variables.items[i];
		if (is_shown(v->linkage))
			offer(l, &(struct ir_symbol){
					 .kind = SYM_VARIABLE, .name = v->name, .variable = v, .span = v->span});
	}
}

bool ir_same_parameters(const struct ir_function *a, const struct ir_function *b)
{
	if (a->params.count != b->params.count || a->returns.count != b->returns.count)
		return false;
	for (size_t i = 0; i < a->params.count; i++)
		if (a->params.items[i]->size != b->params.items[i]->size)
			return false;
	for (size_t i = 0; i < a->returns.count; i++)
		if (a->returns.items[i]->size != b->returns.items[i]->size)
			return false;
	return true;
}

/* A declaration, or a definition that lost, points at the winner. */
static void join_function(struct linker *l, struct ir_function *f)
{
	const struct ir_symbol *winner = ir_scope_find(&l->names, f->name);

	if (!winner || (winner->kind == SYM_FUNCTION && winner->function == f))
		return;
	if (winner->kind != SYM_FUNCTION || !ir_same_parameters(f, winner->function)) {
		diag_error(l->diags, f->span, "'%s' differs from its definition in another module", f->name);
		diag_note(l->diags, winner->span, "defined here");
		return;
	}
	f->linked = winner->function;
}

/* The same for variables; an open array fits any size. */
static void join_variable(struct linker *l, struct ir_variable *v)
{
	const struct ir_symbol *winner = ir_scope_find(&l->names, v->name);
	const struct ir_variable *w = winner && winner->kind == SYM_VARIABLE ? winner->variable : NULL;

	if (!winner || w == v)
		return;
	const bool sized = w && v->linkage == LINK_EXTERN && !v->unsized;
	if (!w || w->space != v->space || (sized && v->size != w->size)) {
		diag_error(l->diags, v->span, "'%s' differs from its definition in another module", v->name);
		diag_note(l->diags, winner->span, "defined here");
		return;
	}
	v->linked = winner->variable;
}

/* Names without linkage stay within their module. */
static void join_module(struct linker *l, const struct ir_module *m)
{
	for (size_t i = 0; i < m->functions.count; i++) {
		struct ir_function *f = m->functions.items[i];
		if (!f->alias_of && (f->has_body ? is_shown(f->linkage) : f->linkage != LINK_NONE))
			join_function(l, f);
	}
	for (size_t i = 0; i < m->variables.count; i++)
		if (m->variables.items[i]->linkage != LINK_NONE)
			join_variable(l, m->variables.items[i]);
}

/* An .extern shared variable that nobody defines: dynamic shared memory, or the only module's own. */
static bool is_in_this_program(const struct linker *l, const struct ir_variable *v)
{
	return v->space == SPACE_SHARED && (v->unsized || l->count == 1);
}

static bool is_defined(const struct linker *l, const struct ir_variable *v)
{
	return v->linkage != LINK_EXTERN || v->linked || is_in_this_program(l, v);
}

/* A use of a symbol at `at`: its definition must be somewhere. */
static void check_use(struct linker *l, struct ir_symbol *s, struct span at)
{
	const bool is_function = s->kind == SYM_FUNCTION;
	const struct ir_variable *v = s->kind == SYM_VARIABLE ? s->variable : NULL;

	if (is_function ? ir_definition(s->function)->has_body : !v || is_defined(l, v))
		return;
	if (ir_scope_find(&l->told, s->name))
		return;
	ir_scope_enter(l->arena, &l->told, s);
	if (l->is_supplied && l->is_supplied(s->name)) {
		VEC_PUSH(l->arena, &l->result->externals, s->name);
		return;
	}
	diag_error(l->diags, at, "%s '%s' is declared but defined in no module", is_function ? "function" : "variable",
		   s->name);
	if (is_function && !strncmp(s->name, "__cudaCDP", strlen("__cudaCDP")))
		diag_hint(l->diags, "kernels that launch kernels (dynamic parallelism) are not modelled");
	diag_note(l->diags, s->span, "declared here");
}

/* Operands nest a few levels: vectors in texture lists, lists of calls. */
static void check_operands(struct linker *l, const struct ir_operand *items, u32 count)
{
	for (u32 i = 0; i < count; i++) {
		if (items[i].symbol)
			check_use(l, items[i].symbol, items[i].span);
		check_operands(l, items[i].items, items[i].item_count);
	}
}

/* Addresses in initial values are uses too. */
static void check_initials(struct linker *l, const struct ir_variable *v)
{
	for (size_t i = 0; i < v->inits.count; i++)
		if (v->inits.items[i].symbol)
			check_use(l, v->inits.items[i].symbol, v->inits.items[i].span);
}

/* Whether the module declares anything that nobody defines. Mostly nothing is, and then no operand need be looked at. */
static bool lacks_definitions(const struct linker *l, const struct ir_module *m)
{
	for (size_t i = 0; i < m->variables.count; i++)
		if (!is_defined(l, m->variables.items[i]))
			return true;
	for (size_t i = 0; i < m->functions.count; i++) {
		const struct ir_function *f = m->functions.items[i];
		if (!ir_definition(f)->has_body)
			return true;
		for (size_t k = 0; k < f->variables.count; k++)
			if (!is_defined(l, f->variables.items[k]))
				return true;
	}
	return false;
}

/* Only uses count: unused declarations of other modules' functions are common. */
static void check_module(struct linker *l, const struct ir_module *m)
{
	for (size_t i = 0; i < m->variables.count; i++)
		check_initials(l, m->variables.items[i]);
	for (size_t i = 0; i < m->functions.count; i++) {
		const struct ir_function *f = m->functions.items[i];
		for (size_t k = 0; k < f->variables.count; k++)
			check_initials(l, f->variables.items[k]);
		for (size_t k = 0; k < f->body.count; k++)
			check_operands(l, f->body.items[k].operands, f->body.items[k].operand_count);
	}
}

void ir_link(struct arena *arena, struct ir_module *const *modules, u32 count, bool (*is_supplied)(const char *name),
	     struct diags *diags, struct ir_link *result)
{
	struct linker l = {.arena = arena,
			   .modules = modules,
			   .count = count,
			   .is_supplied = is_supplied,
			   .diags = diags,
			   .result = result};

	*result = (struct ir_link){0};
	for (u32 i = 0; i < count; i++) {
		if (modules[i]->address_bits != modules[0]->address_bits)
			diag_error(diags, (struct span){modules[i]->source, 0, 0},
				   "this module has %u-bit addresses, the first one %u-bit", modules[i]->address_bits,
				   modules[0]->address_bits);
		offer_module(&l, modules[i]);
	}
	for (u32 i = 0; i < count; i++)
		join_module(&l, modules[i]);
	for (u32 i = 0; i < count; i++)
		if (lacks_definitions(&l, modules[i]))
			check_module(&l, modules[i]);
}
