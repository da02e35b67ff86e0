/* SPDX-License-Identifier: Apache-2.0
 *
 * See link_names.h. Each kind is kept in the order of names.
 */
#include "cuda/driver/link_names.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/driver/types.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct link_name *)a)->name, ((const struct link_name *)b)->name);
}

static const struct link_name *find(const struct link_names *n, const char *name)
{
	const struct link_name key = {(char *)(uintptr_t)name, 0};

	return n->count ? bsearch(&key, n->items, n->count, sizeof *n->items, by_name) : NULL;
}

static bool has_room(struct link_names *n)
{
	if (n->count < n->room)
		return true;
	const u32 room = n->room ? 2 * n->room : 16;
	struct link_name *items = room > n->room ? realloc(n->items, room * sizeof *items) : NULL;
	if (!items)
		return false;
	n->items = items;
	n->room = room;
	return true;
}

static void keep(struct link_names *n, const char *name, u32 text)
{
	char *copy = has_room(n) ? strdup(name) : NULL;

	if (copy)
		n->items[n->count++] = (struct link_name){copy, text};
	else
		n->failed = true;
}

/* From position `at` on. */
static void drop(struct link_names *n, u32 at)
{
	while (n->count > at)
		free(n->items[--n->count].name);
}

struct adding {
	struct linked_names new;
	u32 text;
};

static void take(void *context, const char *name, enum module_name kind)
{
	struct adding *a = context;

	keep(&a->new.of[kind], name, a->text);
}

/* Moves the names over. */
static void append(struct link_names *to, struct link_names *from)
{
	for (u32 k = 0; k < from->count; k++) {
		if (has_room(to))
			to->items[to->count++] = from->items[k];
		else
			to->failed = true, free(from->items[k].name);
	}
	from->count = 0;
}

/* The one of the names that is there already. */
static const struct link_name *find_twice(const struct link_names *known, const struct link_names *new)
{
	const struct link_name *found = NULL;

	for (u32 k = 0; k < new->count && !found; k++)
		found = find(known, new->items[k].name);
	return found;
}

static bool have_failed(const struct linked_names *n)
{
	return n->of[NAME_DEFINED].failed || n->of[NAME_WEAK].failed || n->of[NAME_WANTED].failed;
}

int linked_names_add(struct linked_names *n, ptxsim_module *m, u32 text, const struct link_name **twice)
{
	struct adding a = {.text = text};
	const bool failed = module_tell_names(m, take, &a) == PTXSIM_ERROR_MEMORY || have_failed(&a.new);

	*twice = find_twice(&n->of[NAME_DEFINED], &a.new.of[NAME_DEFINED]);
	for (u32 kind = 0; kind < NAME_KINDS && !failed && !*twice; kind++) {
		struct link_names *all = &n->of[kind];
		append(all, &a.new.of[kind]);
		if (all->count)
			qsort(all->items, all->count, sizeof *all->items, by_name);
	}
	linked_names_free(&a.new);
	return failed || have_failed(n) ? CU_OUT_OF_MEMORY : *twice ? CU_INVALID_SOURCE : CU_OK;
}

static void cut(struct link_names *n, u32 from)
{
	u32 kept = 0;

	for (u32 k = 0; k < n->count; k++) {
		const struct link_name this = n->items[k];
		if (this.text < from)
			n->items[kept++] = this;
		else
			free(this.name);
	}
	n->count = kept;
	n->failed = false;
}

void linked_names_cut(struct linked_names *n, u32 from)
{
	for (u32 kind = 0; kind < NAME_KINDS; kind++)
		cut(&n->of[kind], from);
}

const struct link_name *linked_names_undefined(const struct linked_names *n, u32 *at)
{
	const struct link_names *wanted = &n->of[NAME_WANTED];

	while (*at < wanted->count) {
		const struct link_name *w = &wanted->items[(*at)++];
		if (!find(&n->of[NAME_DEFINED], w->name) && !find(&n->of[NAME_WEAK], w->name))
			return w;
	}
	return NULL;
}

static void free_names(struct link_names *n)
{
	drop(n, 0);
	free(n->items);
	*n = (struct link_names){0};
}

void linked_names_free(struct linked_names *n)
{
	for (u32 kind = 0; kind < NAME_KINDS; kind++)
		free_names(&n->of[kind]);
}
