/* SPDX-License-Identifier: Apache-2.0
 *
 * Names: what is declared in which { }, and what a name stands for where it is used. Registers,
 * variables and functions are declared before use; labels, prototypes and target lists may follow,
 * in the same or an outer scope, so an unknown name becomes a pending symbol of its scope, which a declaration
 * there or around completes, and is an error when the function ends.
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
		open->range_of = (struct lookup){0};
	} else {
		open = ARENA_NEW(r->arena, struct open_scope);
	}
	open->outer = r->scope;
	open->first_pending = (u32)r->pendings.count;
	open->scope = ARENA_NEW(r->arena, struct ir_scope);
	open->scope->parent = r->scope ? r->scope->scope : NULL;
	if (r->function)
		open->scope->first_instruction = (u32)r->function->body.count;
	r->scope = open;
	if (r->function && r->function->scope)
		reader_mark(r, (struct ir_mark){.kind = MARK_OPEN, .scope = open->scope});
}

static struct unknown *find_unknown(const struct reader *r, const char *name)
{
	const u32 k = lookup_find(&r->unknown_of, lookup_address(name));

	return k == LOOKUP_NONE ? NULL : r->unknowns.items[k];
}

/* The symbol that operands hold until the name turns up. */
static struct ir_symbol *add_pending(struct reader *r, const char *name, struct span at)
{
	struct pending *p = ARENA_NEW(r->arena, struct pending);
	struct unknown *unknown = find_unknown(r, name);

	if (!unknown) {
		unknown = ARENA_NEW(r->arena, struct unknown);
		lookup_add(r->arena, &r->unknown_of, lookup_address(name), (u32)r->unknowns.count);
		VEC_PUSH(r->arena, &r->unknowns, unknown);
	}
	p->number = (u32)r->pendings.count;
	p->name = unknown;
	p->older = unknown->newest;
	unknown->newest = p;
	p->symbol = (struct ir_symbol){.kind = SYM_LABEL, .name = name, .span = at};
	p->symbol.label = ARENA_NEW(r->arena, struct ir_label);
	p->symbol.label->name = name;
	p->symbol.label->span = at;
	ir_scope_enter(r->arena, r->scope->scope, &p->symbol);
	VEC_PUSH(r->arena, &r->pendings, p);
	return &p->symbol;
}

/* Completes all uses of a name that is declared now, in this scope and those that were inside it. */
static void complete_pendings(struct reader *r, const struct ir_symbol *symbol)
{
	struct unknown *unknown = find_unknown(r, symbol->name);

	while (unknown && unknown->newest && unknown->newest->number >= r->scope->first_pending) {
		unknown->newest->symbol = *symbol;
		unknown->newest = unknown->newest->older;
	}
}

/* The first of the uses that complete_pendings would complete, or NULL. */
static const struct ir_symbol *first_use(const struct reader *r, const char *name)
{
	const struct unknown *unknown = find_unknown(r, name);
	const struct ir_symbol *first = NULL;

	for (const struct pending *p = unknown ? unknown->newest : NULL; p && p->number >= r->scope->first_pending;
	     p = p->older)
		first = &p->symbol;
	return first;
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

/* The key of a prefix, a letter more each time. */
static u64 prefix_key(u64 key, char letter) { return (key ^ (u8)letter) * 0x100000001b3u; }

/* The newest range of this scope that has a register of that name, or that would if it were longer. What stands
 * before any of the name's last digits may be its prefix. */
static const struct ir_range *find_range(const struct reader *r, const struct open_scope *s, const char *name,
					 bool longer)
{
	u32 newest = LOOKUP_NONE, at;
	u64 key = 0;
	size_t digits = strlen(name);

	if (!s->range_of.used)
		return NULL;
	while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	for (size_t length = 0; name[length]; key = prefix_key(key, name[length++])) {
		if (length < digits)
			continue;
		for (u32 k = lookup_first(&s->range_of, key, &at); k != LOOKUP_NONE;
		     k = lookup_next(&s->range_of, key, &at)) {
			const s64 number = range_number(r->ranges.items[k], name);
			if (number >= 0 && (longer || number < r->ranges.items[k]->count) &&
			    (newest == LOOKUP_NONE || k > newest))
				newest = k;
		}
	}
	return newest == LOOKUP_NONE ? NULL : r->ranges.items[newest];
}

void scope_add_range(struct reader *r, struct ir_range *range)
{
	u64 key = 0;
	u32 at;

	for (const char *p = range->prefix; *p; p++)
		key = prefix_key(key, *p);
	for (u32 k = lookup_first(&r->scope->range_of, key, &at); k != LOOKUP_NONE;
	     k = lookup_next(&r->scope->range_of, key, &at))
		if (r->ranges.items[k]->prefix == range->prefix) {
			diag_error(r->diags, range->span, "'%s<n>' is declared twice in one scope", range->prefix);
			diag_note(r->diags, r->ranges.items[k]->span, "first declared here");
			return;
		}
	lookup_add(r->arena, &r->scope->range_of, key, (u32)r->ranges.count);
	VEC_PUSH(r->arena, &r->ranges, range);
	reader_mark(r, (struct ir_mark){.kind = MARK_RANGE, .range = range});
}

/* The register of that name if a range of this scope has it: it comes into being now. */
static struct ir_symbol *range_register(struct reader *r, const struct open_scope *s, const char *name)
{
	const struct ir_range *range = find_range(r, s, name, false);

	if (!range)
		return NULL;
	struct ir_symbol *symbol = ARENA_NEW(r->arena, struct ir_symbol);
	struct ir_register *reg = ARENA_NEW(r->arena, struct ir_register);
	*reg = (struct ir_register){name, range->type, range->vector, r->function->register_slots, range->span};
	*symbol = (struct ir_symbol){.kind = SYM_REGISTER, .name = name, .reg = reg, .span = range->span};
	r->function->register_slots += range->vector;
	VEC_PUSH(r->arena, &r->function->registers, reg);
	ir_scope_enter(r->arena, s->scope, symbol);
	return symbol;
}

void scope_tell_unknown(struct reader *r, const char *name, struct span at)
{
	if (r->head_lost)
		return;
	/* Beyond its range, as %r9 with .reg %r<9>? */
	for (const struct open_scope *s = r->scope; s; s = s->outer) {
		const struct ir_range *range = find_range(r, s, name, true);
		if (range) {
			diag_error(r->diags, at, "'%s' is not declared: %s<%u> ends with %s%u", name, range->prefix,
				   range->count, range->prefix, range->count - 1);
			return;
		}
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
		if ((symbol = range_register(r, s, name)))
			return symbol;
	}
	if (name[0] == '%')
		return NULL;
	if (r->function && r->function->scope)
		return add_pending(r, name, at);
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
		old = range_register(r, r->scope, symbol.name);
	const bool late = symbol.kind == SYM_LABEL || symbol.kind == SYM_PROTOTYPE || symbol.kind == SYM_TARGETS;
	const struct ir_symbol *use = old && !is_pending(old) ? NULL : first_use(r, symbol.name);
	if (use) {
		if (!late) {
			diag_error(r->diags, use->span, "'%s' is used before its declaration", symbol.name);
			diag_note(r->diags, symbol.span, "declared here");
		}
		complete_pendings(r, &symbol);
		if (old)
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

void scope_close(struct reader *r)
{
	struct open_scope *closing = r->scope;

	closing->scope->end_instruction = (u32)r->function->body.count;
	reader_mark(r, (struct ir_mark){.kind = MARK_CLOSE, .scope = closing->scope});
	r->scope = closing->outer;
	VEC_PUSH(r->arena, &r->spare_scopes, closing);
}

void scope_settle(struct reader *r)
{
	for (size_t i = 0; i < r->pendings.count; i++) {
		struct pending *p = r->pendings.items[i];
		if (is_pending(&p->symbol) && !p->name->told) {
			p->name->told = true;
			scope_tell_unknown(r, p->symbol.name, p->symbol.span);
		}
	}
	r->pendings.count = r->unknowns.count = 0;
	r->unknown_of = (struct lookup){0};
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
