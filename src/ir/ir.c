/* SPDX-License-Identifier: Apache-2.0
 *
 * Scopes: a hash table of symbols by the address of their interned name, grown at three quarters.
 * Nothing is ever listed in table order, which depends on host addresses.
 */
#include "ir/ir.h"

enum { SLOTS_AT_FIRST = 8 };

static u32 hash_name(const char *name) { return (u32)(((u64)(uintptr_t)name >> 4) * 0x9e3779b97f4a7c15u >> 32); }

struct ir_symbol *ir_scope_find(const struct ir_scope *scope, const char *name)
{
	if (!scope->slot_count)
		return NULL;
	u32 at = hash_name(name) & (scope->slot_count - 1);
	for (; scope->slots[at]; at = (at + 1) & (scope->slot_count - 1))
		if (scope->slots[at]->name == name)
			return scope->slots[at];
	return NULL;
}

static void place_symbol(struct ir_scope *scope, struct ir_symbol *symbol)
{
	u32 at = hash_name(symbol->name) & (scope->slot_count - 1);

	while (scope->slots[at])
		at = (at + 1) & (scope->slot_count - 1);
	scope->slots[at] = symbol;
}

void ir_scope_enter(struct arena *arena, struct ir_scope *scope, struct ir_symbol *symbol)
{
	if ((scope->used + 1) * 4 > scope->slot_count * 3) {
		struct ir_symbol **old = scope->slots;
		const u32 old_count = scope->slot_count;
		scope->slot_count = old_count ? old_count * 2 : SLOTS_AT_FIRST;
		scope->slots = ARENA_ARRAY(arena, scope->slot_count, struct ir_symbol *);
		for (u32 i = 0; i < old_count; i++)
			if (old[i])
				place_symbol(scope, old[i]);
	}
	place_symbol(scope, symbol);
	scope->used++;
}

struct ir_symbol *ir_lookup(const struct ir_scope *scope, const char *name)
{
	for (; scope; scope = scope->parent) {
		struct ir_symbol *symbol = ir_scope_find(scope, name);
		if (symbol)
			return symbol;
	}
	return NULL;
}

struct ir_function *ir_find_function(const struct ir_module *m, const char *name)
{
	const struct ir_symbol *symbol = m->scope ? ir_scope_find(m->scope, name) : NULL;

	return symbol && symbol->kind == SYM_FUNCTION ? symbol->function : NULL;
}

u32 ir_guard_slot(const struct ir_instruction *x)
{
	const struct ir_register *r = x->guard->reg;

	return r->index + (r->vector > 1 ? x->guard_element : 0);
}

bool ir_find_address(const struct ir_function *f, u64 address, u32 *index)
{
	u32 low = 0, high = (u32)f->body.count;

	while (low < high) {
		const u32 middle = (low + high) / 2;
		if (f->body.items[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	*index = low;
	return low < f->body.count && f->body.items[low].address == address;
}
