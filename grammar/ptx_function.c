/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions, kernels, prototypes and target lists. A function may be declared often and defined
 * once; all declarations share one object, which calls point at. While its head is read,
 * reader.function has no scope yet: names declared then are parameters.
 */
#include <string.h>

#include "grammar/reader.h"
#include "ir/link.h"

enum { PARAMETER_LIMIT = 0x7ffc, RANGE_TARGETS = 1 << 20 };

/* At .entry or .func: what follows declares parameters in a scope of their own, the body's. */
void function_begin(struct reader *r, bool is_entry, struct span at)
{
	struct ir_function *f = ARENA_NEW(r->arena, struct ir_function);

	f->is_entry = is_entry;
	f->linkage = r->declaration.linkage;
	f->module = r->module;
	f->span = at;
	f->name = r->underscore;
	r->function = f;
	r->in_returns = false;
	r->twice.name = NULL;
	r->head_lost = false;
	scope_open(r);
}

void function_name(struct reader *r, const char *name, struct span at)
{
	r->function->name = name;
	r->function->span = at;
}

/* Exactly `wanted` numbers that fit into 32 bits, the missing ones 1, or a complaint. Those of `positive` directives are
 * not 0. */
static bool take_numbers(struct reader *r, u32 *to, u32 least, u32 most, u32 given, bool positive, struct span at)
{
	if (given < least || given > most) {
		diag_error(r->diags, at, "this directive takes %u%s%u numbers", least, least == most ? " = " : " to ",
			   most);
		return false;
	}
	for (u32 i = 0; i < most; i++) {
		const u64 value = i < given ? r->numbers[i] : 1;
		if (value > UINT32_MAX) {
			diag_error(r->diags, at, "number too large");
			return false;
		}
		if (positive && !value) {
			diag_error(r->diags, at, "this directive takes positive numbers");
			return false;
		}
		to[i] = (u32)value;
	}
	return true;
}

/* Whether the directive is there in the module's version, and for what it stands behind: a function or a kernel. */
static void check_tuning(struct reader *r, enum tuning which, bool of_function, struct span at)
{
	if ((which == TUNE_ABI_PRESERVE || which == TUNE_ABI_PRESERVE_CONTROL) && r->module->version < 90)
		diag_error(r->diags, at, "this directive needs PTX 9.0 or later; this module is .version %u.%u",
			   r->module->version / 10, r->module->version % 10);
	if (of_function == r->function->is_entry)
		diag_error(r->diags, at, "this directive is for %s", of_function ? "functions" : "kernels");
	if (which == TUNE_MAX_BLOCKS && r->module->version >= 21)
		diag_error(r->diags, at, "'.maxnctapersm' left PTX with version 2.1: write .minnctapersm");
}

/* .maxntid and its like. A directive given twice counts with its last numbers. */
void function_tuning(struct reader *r, enum tuning which, u32 numbers, struct span at)
{
	struct ir_limits *l = &r->function->limits;
	const bool of_function =
		which == TUNE_ABI_PRESERVE || which == TUNE_ABI_PRESERVE_CONTROL || which == TUNE_NORETURN;
	bool *flag = NULL;
	u32 *one = NULL;

	check_tuning(r, which, of_function, at);
	switch (which) {
	case TUNE_MAX_THREADS:
		take_numbers(r, l->max_threads, 1, 3, numbers, true, at);
		return;
	case TUNE_REQUIRED_THREADS:
		take_numbers(r, l->required_threads, 1, 3, numbers, true, at);
		return;
	case TUNE_REQUIRED_CLUSTER:
		take_numbers(r, l->required_cluster, 1, 3, numbers, true, at);
		return;
	case TUNE_MIN_BLOCKS:
		one = &l->min_blocks_per_sm;
		break;
	case TUNE_MAX_BLOCKS:
		one = &l->max_blocks_per_sm;
		break;
	case TUNE_MAX_REGISTERS:
		one = &l->max_registers;
		break;
	case TUNE_MAX_CLUSTER:
		one = &l->max_cluster_rank;
		break;
	case TUNE_ABI_PRESERVE:
		one = &l->abi_preserve;
		l->has_abi_preserve = true;
		break;
	case TUNE_ABI_PRESERVE_CONTROL:
		one = &l->abi_preserve_control;
		l->has_abi_preserve_control = true;
		break;
	case TUNE_EXPLICIT_CLUSTER:
		flag = &l->explicit_cluster;
		break;
	case TUNE_BLOCKS_ARE_CLUSTERS:
		flag = &l->blocks_are_clusters;
		break;
	case TUNE_NORETURN:
		flag = &l->noreturn;
		break;
	}
	if (flag && numbers)
		diag_error(r->diags, at, "this directive takes no number");
	else if (flag)
		*flag = true;
	else
		take_numbers(r, one, 1, 1, numbers, !of_function, at);
}

/* .func .attribute(.unified(a, b)): kept for printing, without meaning here. */
void function_attribute(struct reader *r, const char *word, u32 numbers, struct span at)
{
	if (strcmp(word, "unified") || numbers != 2) {
		diag_error(r->diags, at, "unknown function attribute '.%.60s'", word);
		diag_hint(r->diags, "functions have the attribute .unified(a, b)");
		return;
	}
	r->function->unified = true;
	memcpy(r->function->unified_id, r->numbers, sizeof r->function->unified_id);
}

/* The parameters of the definition now belong to the object of the first declaration. */
static void own_parameters(struct ir_function *f)
{
	for (size_t i = 0; i < f->params.count; i++)
		f->params.items[i]->owner = f;
	for (size_t i = 0; i < f->returns.count; i++)
		f->returns.items[i]->owner = f;
}

/* Enters the function just read into the module, or joins it with its earlier declaration; the
 * object that stands for it from now on becomes reader.function. */
static void join_function(struct reader *r, bool has_body)
{
	struct ir_function *f = r->function;
	struct ir_scope *module_scope = r->scope->outer->scope;
	struct ir_symbol *old = f->name == r->underscore ? NULL : ir_scope_find(module_scope, f->name);

	if (f->name == r->underscore)
		return; /* its head was wrong and told */
	if (!old) {
		struct ir_symbol *symbol = ARENA_NEW(r->arena, struct ir_symbol);
		*symbol = (struct ir_symbol){.kind = SYM_FUNCTION, .name = f->name, .function = f, .span = f->span};
		ir_scope_enter(r->arena, module_scope, symbol);
		VEC_PUSH(r->arena, &r->module->functions, f);
		return;
	}
	struct ir_function *first = old->kind == SYM_FUNCTION ? old->function : NULL;
	if (!first || (first->has_body && has_body)) {
		diag_error(r->diags, f->span, "'%s' is defined twice", f->name);
		diag_note(r->diags, old->span, "first defined here");
		return;
	}
	if (first->is_entry != f->is_entry || !ir_same_parameters(first, f)) {
		diag_error(r->diags, f->span, "'%s' differs from its earlier declaration", f->name);
		diag_note(r->diags, old->span, "declared here");
		return;
	}
	if (has_body) {
		if (f->linkage == LINK_NONE && first->linkage != LINK_EXTERN)
			f->linkage = first->linkage;
		*first = *f;
		own_parameters(first);
	}
	r->function = first;
}

/* The function's scope is done, whether a body followed or not. */
static void leave_head_scope(struct reader *r)
{
	VEC_PUSH(r->arena, &r->spare_scopes, r->scope);
	r->scope = r->scope->outer;
}

/* What the directives of a kernel, or the parameters and results of a function, cannot be together. */
static void check_head(struct reader *r, const struct ir_function *f, bool has_body)
{
	const struct ir_limits *l = &f->limits;
	u64 bytes = 0;

	if (l->max_threads[0] && l->required_threads[0])
		diag_error(r->diags, f->span, ".maxntid and .reqntid exclude each other");
	if (l->blocks_are_clusters && !(l->required_threads[0] && l->required_cluster[0]))
		diag_error(r->diags, f->span, ".blocksareclusters needs .reqntid and .reqnctapercluster");
	if (f->linkage == LINK_COMMON || (f->linkage == LINK_EXTERN && has_body))
		diag_error(r->diags, f->span, "%s",
			   has_body ? "what has a body is neither .extern nor .common"
				    : "a function cannot be .common");
	if (f->returns.count > 1 && f->returns.items[0]->space == SPACE_PARAM)
		diag_error(r->diags, f->span, "several results must be registers");
	for (size_t k = 0; f->is_entry && k < f->params.count; k++) {
		const struct ir_variable *v = f->params.items[k];
		bytes = ((bytes + v->align - 1) & ~(u64)(v->align - 1)) + v->size;
	}
	if (bytes > PARAMETER_LIMIT)
		diag_error(r->diags, f->span, "the parameters take %llu bytes, %u are the most",
			   (unsigned long long)bytes, PARAMETER_LIMIT);
}

/* A head without a body. */
void function_declare(struct reader *r, struct span end)
{
	(void)end;
	check_head(r, r->function, false);
	join_function(r, false);
	struct ir_function *f = r->function;
	r->function = NULL;
	leave_head_scope(r);
	reader_mark(r, (struct ir_mark){.kind = MARK_DECLARATION, .function = f});
}

/* A head with its body: labels and registers from here on. */
void function_open(struct reader *r, struct span at)
{
	(void)at;
	if (r->twice.name)
		scope_tell_twice(r, r->twice.name, r->twice.span, r->twice_first);
	check_head(r, r->function, true);
	join_function(r, true);
	struct ir_function *f = r->function;
	r->function = NULL;
	reader_mark(r, (struct ir_mark){.kind = MARK_FUNCTION, .function = f});
	r->function = f;
	f->has_body = true;
	f->scope = r->scope->scope;
	f->body.items = r->spare_body;
	f->body.capacity = r->spare_capacity;
	r->spare_body = NULL;
	r->spare_capacity = 0;
	r->loc = 0;
	if (f->is_entry)
		declare_common(r);
}

/* The body moves to memory that is as long as it: what it has grown in is the next one's. */
static void keep_body(struct reader *r, struct ir_function *f)
{
	struct ir_instruction *const grown = f->body.items;

	r->spare_body = grown;
	r->spare_capacity = f->body.capacity;
	f->body.capacity = f->body.count;
	f->body.items = ARENA_ARRAY(r->arena, f->body.count, struct ir_instruction);
	if (f->body.count)
		memcpy(f->body.items, grown, f->body.count * sizeof *grown);
}

void function_close(struct reader *r, struct span end)
{
	struct ir_function *f = r->function;

	(void)end;
	scope_settle(r);
	f->scope->end_instruction = (u32)f->body.count;
	keep_body(r, f);
	leave_head_scope(r);
	r->function = NULL;
	r->head_lost = false;
	r->loc = 0;
}

/* Inside a body: the prototype is a function of its own that only calls refer to. */
void prototype_begin(struct reader *r, const char *name, struct span at)
{
	struct ir_function *f = ARENA_NEW(r->arena, struct ir_function);

	f->name = name;
	f->is_prototype = true;
	f->module = r->module;
	f->span = at;
	r->caller = r->function;
	r->function = f;
	r->in_returns = false;
	scope_open(r);
}

void prototype_end(struct reader *r)
{
	struct ir_function *f = r->function;

	leave_head_scope(r);
	r->function = r->caller;
	r->caller = NULL;
	if (scope_declare(r,
			  (struct ir_symbol){.kind = SYM_PROTOTYPE, .name = f->name, .function = f, .span = f->span}))
		reader_mark(r, (struct ir_mark){.kind = MARK_PROTOTYPE, .function = f});
}

void prototype_abandon(struct reader *r)
{
	if (!r->caller)
		return;
	leave_head_scope(r);
	r->function = r->caller;
	r->caller = NULL;
}

/* The list is entered first, so that a wrong name in it leaves the list declared. */
void targets_begin(struct reader *r, const char *name, bool calls, struct span at)
{
	struct ir_targets *t = ARENA_NEW(r->arena, struct ir_targets);

	t->name = name;
	t->calls = calls;
	t->span = at;
	if (scope_declare(r, (struct ir_symbol){.kind = SYM_TARGETS, .name = name, .targets = t, .span = at}))
		reader_mark(r, (struct ir_mark){.kind = MARK_TARGETS, .targets = t});
	r->targets = t;
}

/* Labels may follow later; functions are declared before. */
void targets_add(struct reader *r, const char *name, struct span at)
{
	struct ir_symbol *symbol = scope_resolve(r, name, at);

	if (!symbol) {
		scope_tell_unknown(r, name, at);
		return;
	}
	if (r->targets->calls ? symbol->kind != SYM_FUNCTION : symbol->kind != SYM_LABEL) {
		diag_error(r->diags, at, "'%s' is not a %s", name, r->targets->calls ? "function" : "label");
		return;
	}
	VEC_PUSH(r->arena, &r->targets->list, symbol);
}

/* L<3>: L0, L1 and L2. */
void targets_add_range(struct reader *r, const char *prefix, u64 count, struct span at)
{
	if (!count || count > RANGE_TARGETS) {
		diag_error(r->diags, at, "a range has 1 to %d labels", RANGE_TARGETS);
		return;
	}
	for (u64 k = 0; k < count; k++)
		targets_add(r,
			    strings_intern_text(r->strings,
						arena_printf(r->arena, "%s%llu", prefix, (unsigned long long)k)),
			    at);
}
