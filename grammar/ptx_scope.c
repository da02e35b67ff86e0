/* SPDX-License-Identifier: Apache-2.0
 *
 * Names: what is declared in which { }, and what a name stands for where it is used. Registers,
 * variables and functions are declared before use; labels, prototypes and target lists may follow,
 * in the same or an outer scope, so an unknown name becomes a pending symbol of its scope, moves
 * outwards when the scope ends, and is an error when the function ends.
 */
#include <stdio.h>
#include <string.h>

#include "grammar/reader.h"

/* Used, not declared yet; only labels stay so after a declaration of another kind is told. */
static bool is_pending(const struct ir_symbol *symbol) { return symbol->kind == SYM_LABEL && !symbol->label->defined; }

/* Scopes of the parser are used again: a text of nothing but braces stays small. */
void scope_open(struct reader *r)
{
	struct open_scope *open;

	if (r->spare_scopes.count) {
		open = r->spare_scopes.items[--r->spare_scopes.count];
		open->pending.count = 0;
	} else {
		open = ARENA_NEW(r->arena, struct open_scope);
	}
	open->outer = r->scope;
	open->scope = ARENA_NEW(r->arena, struct ir_scope);
	open->scope->parent = r->scope ? r->scope->scope : NULL;
	if (r->function)
		open->scope->first_instruction = (u32)r->function->body.count;
	r->scope = open;
	if (r->function && r->function->scope)
		reader_mark(r, (struct ir_mark){.kind = MARK_OPEN, .scope = open->scope});
}

/* The symbol that operands hold until the name turns up. */
static struct ir_symbol *add_pending(struct reader *r, struct open_scope *in, const char *name, struct span at)
{
	struct pending *p = ARENA_NEW(r->arena, struct pending);

	p->symbol = (struct ir_symbol){.kind = SYM_LABEL, .name = name, .span = at};
	p->symbol.label = ARENA_NEW(r->arena, struct ir_label);
	p->symbol.label->name = name;
	p->symbol.label->span = at;
	ir_scope_enter(r->arena, in->scope, &p->symbol);
	VEC_PUSH(r->arena, &in->pending, p);
	return &p->symbol;
}

/* The number behind the prefix of a range, or -1 if `name` is none of its names, however large. */
static s64 range_number(const struct ir_range *range, const char *name)
{
	const size_t length = strlen(range->prefix);
	s64 number = 0;

	if (strncmp(name, range->prefix, length) != 0)
		return -1;
	name += length;
	if (!*name || (*name == '0' && name[1]))
		return -1;
	for (; *name; name++) {
		if (*name < '0' || *name > '9' || number > UINT32_MAX)
			return -1;
		number = number * 10 + (*name - '0');
	}
	return number;
}

/* The register of that name if a range of this scope has it: it comes into being now. */
static struct ir_symbol *range_register(struct reader *r, struct ir_scope *scope, const char *name)
{
	for (const struct ir_range *range = scope->ranges; range; range = range->next) {
		const s64 number = range_number(range, name);
		if (number < 0 || number >= range->count)
			continue;
		struct ir_symbol *symbol = ARENA_NEW(r->arena, struct ir_symbol);
		struct ir_register *reg = ARENA_NEW(r->arena, struct ir_register);
		*reg = (struct ir_register){name, range->type, range->vector, r->function->register_slots, range->span};
		*symbol = (struct ir_symbol){.kind = SYM_REGISTER, .name = name, .reg = reg, .span = range->span};
		r->function->register_slots += range->vector;
		VEC_PUSH(r->arena, &r->function->registers, reg);
		ir_scope_enter(r->arena, scope, symbol);
		return symbol;
	}
	return NULL;
}

void scope_tell_unknown(struct reader *r, const char *name, struct span at)
{
	if (r->head_lost)
		return;
	/* Beyond its range, as %r9 with .reg %r<9>? */
	for (const struct open_scope *s = r->scope; s; s = s->outer)
		for (const struct ir_range *range = s->scope->ranges; range; range = range->next)
			if (range_number(range, name) >= 0) {
				diag_error(r->diags, at, "'%s' is not declared: %s<%u> ends with %s%u", name,
					   range->prefix, range->count, range->prefix, range->count - 1);
				return;
			}
	diag_error(r->diags, at, "'%s' is not declared", name);
	scope_hint(r, name);
}

struct ir_symbol *scope_resolve(struct reader *r, const char *name, struct span at)
{
	for (struct open_scope *s = r->scope; s; s = s->outer) {
		struct ir_symbol *symbol = ir_scope_find(s->scope, name);
		if (symbol && (s == r->scope || !is_pending(symbol)))
			return symbol;
		if (s->scope->ranges && (symbol = range_register(r, s->scope, name)))
			return symbol;
	}
	if (name[0] == '%')
		return NULL;
	if (r->function && r->function->scope)
		return add_pending(r, r->scope, name, at);
	scope_tell_unknown(r, name, at);
	return NULL;
}

void scope_tell_twice(struct reader *r, const char *name, struct span at, struct span first)
{
	diag_error(r->diags, at, "'%s' is declared twice in one scope", name);
	diag_note(r->diags, first, "first declared here");
}

/* A declaration later than a use completes the pending symbol in place, so that operands see it.
 * Second parameters of one name wait: in a mere declaration ptxas takes them. */
bool scope_declare(struct reader *r, struct ir_symbol symbol)
{
	struct ir_symbol *old = ir_scope_find(r->scope->scope, symbol.name);

	if (!old && r->function)
		old = range_register(r, r->scope->scope, symbol.name);
	const bool late = symbol.kind == SYM_LABEL || symbol.kind == SYM_PROTOTYPE || symbol.kind == SYM_TARGETS;
	if (old && late && is_pending(old)) {
		if (symbol.kind == SYM_LABEL) { /* operands may hold the label: it stays */
			*old->label = *symbol.label;
			symbol.label = old->label;
		}
		*old = symbol;
		return true;
	}
	if (old && is_pending(old)) {
		diag_error(r->diags, old->span, "'%s' is used before its declaration", symbol.name);
		diag_note(r->diags, symbol.span, "declared here");
		*old = symbol;
		return true;
	}
	if (old) {
		if (r->function && !r->function->scope) {
			r->twice = symbol;
			r->twice_first = old->span;
		} else {
			scope_tell_twice(r, symbol.name, symbol.span, old->span);
		}
		return false;
	}
	struct ir_symbol *new = ARENA_NEW(r->arena, struct ir_symbol);
	*new = symbol;
	ir_scope_enter(r->arena, r->scope->scope, new);
	return true;
}

/* A label stands before the instruction that comes next. */
void scope_label(struct reader *r, const char *name, struct span at)
{
	struct ir_label *label = ARENA_NEW(r->arena, struct ir_label);

	*label = (struct ir_label){name, (u32)r->function->body.count, true, at};
	if (!scope_declare(r, (struct ir_symbol){.kind = SYM_LABEL, .name = name, .label = label, .span = at}))
		return;
	label = ir_scope_find(r->scope->scope, name)->label;
	VEC_PUSH(r->arena, &r->function->labels, label);
	reader_mark(r, (struct ir_mark){.kind = MARK_LABEL, .label = label});
}

/* Hands the names that are still unknown to the scope around; at the function's end, tells them. */
static void pass_outwards(struct reader *r, struct open_scope *from)
{
	struct open_scope *to = from->outer;

	for (size_t i = 0; i < from->pending.count; i++) {
		struct pending *p = from->pending.items[i];
		if (!is_pending(&p->symbol))
			continue;
		struct ir_symbol *found = ir_scope_find(to->scope, p->symbol.name);
		for (struct open_scope *s = to->outer; !found && s; s = s->outer) {
			found = ir_scope_find(s->scope, p->symbol.name);
			if (found && is_pending(found))
				found = NULL;
		}
		p->found = found ? found : add_pending(r, to, p->symbol.name, p->symbol.span);
		VEC_PUSH(r->arena, &r->found, p);
	}
}

void scope_close(struct reader *r)
{
	struct open_scope *closing = r->scope;

	closing->scope->end_instruction = (u32)r->function->body.count;
	reader_mark(r, (struct ir_mark){.kind = MARK_CLOSE, .scope = closing->scope});
	pass_outwards(r, closing);
	r->scope = closing->outer;
	VEC_PUSH(r->arena, &r->spare_scopes, closing);
}

void scope_settle(struct reader *r)
{
	struct open_scope *closing = r->scope;

	for (size_t i = 0; i < closing->pending.count; i++) {
		const struct ir_symbol *symbol = &closing->pending.items[i]->symbol;
		if (!is_pending(symbol))
			continue;
		scope_tell_unknown(r, symbol->name, symbol->span);
	}
	/* Outer scopes passed theirs on later, so from the end each needs one step only. */
	for (size_t i = r->found.count; i-- > 0;)
		r->found.items[i]->symbol = *r->found.items[i]->found;
	r->found.count = 0;
}

enum { HINT_LENGTH = 64, HINT_NAMES = 4000 }; /* beyond these a hint costs too much */

/* Edit distance (insert, delete, replace), at most `limit` + 1. */
static u32 edit_distance(const char *a, const char *b, u32 limit)
{
	u32 row[HINT_LENGTH + 1];
	const u32 la = (u32)strlen(a), lb = (u32)strlen(b);

	if (lb > HINT_LENGTH || la > lb + limit || lb > la + limit)
		return limit + 1;
	for (u32 j = 0; j <= lb; j++)
		row[j] = j;
	for (u32 i = 1; i <= la; i++) {
		u32 diagonal = row[0];
		row[0] = i;
		for (u32 j = 1; j <= lb; j++) {
			const u32 replaced = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			row[j] = min_u32(replaced, min_u32(row[j], row[j - 1]) + 1);
		}
	}
	return row[lb];
}

/* Names the declared name nearest to `name`, if one is near, under the newest diagnostic. */
void scope_hint(struct reader *r, const char *name)
{
	const char *best = NULL;
	const u32 length = (u32)strlen(name);
	u32 best_distance = length / 3 + 1, names = 0;

	for (const struct open_scope *s = r->scope; s; s = s->outer)
		names += s->scope->used;
	if (length > HINT_LENGTH || names > HINT_NAMES || reader_is_full(r))
		return;
	for (const struct open_scope *s = r->scope; s; s = s->outer) {
		for (u32 i = 0; i < s->scope->slot_count; i++) {
			const struct ir_symbol *symbol = s->scope->slots[i];
			if (!symbol || is_pending(symbol))
				continue;
			const u32 distance = edit_distance(name, symbol->name, best_distance);
			if (distance < best_distance ||
			    (distance == best_distance && best && strcmp(symbol->name, best) < 0)) {
				best_distance = distance;
				best = symbol->name;
			}
		}
	}
	if (best)
		diag_hint(r->diags, "did you mean '%s'?", best);
}
