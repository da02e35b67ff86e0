/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of graphs. It has its address and its bytes from the node's making on, and keeps them as long as a graph has the
 * node, or a launch has left it unfreed. What the card would map to it is reckoned, because programs read it: "pages"
 * that a graph gets by its first launch or upload, that graphs of one stream share as long as nobody holds what is in
 * them, and that stay reserved until they are trimmed.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

/* --- Pages ---------------------------------------------------------------------------------------- */

struct graph_pages {
	struct graph_pages *next;
	u64 bytes;
	u32 mapped;                  /* memories that have them */
	bool trimmed;                /* no longer reserved: whoever has them needs others */
	struct graph_memory *holder; /* that was launched last; NULL: none that is there still */
	const struct cu_stream *stream;
	struct cu_exec *exec;
};

enum { PAGE = 2 << 20 };

static u64 whole_pages(u64 bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

static void pages_leave(struct graph_memory *m)
{
	struct graph_pages *p = m->pages;

	if (!p)
		return;
	m->pages = NULL;
	if (p->holder == m)
		p->holder = NULL;
	if (!--p->mapped && p->trimmed)
		free(p);
}

static bool pages_fit(const struct graph_pages *p, const struct graph_memory *m, const struct cu_stream *s,
		      const struct cu_exec *x)
{
	if (p->trimmed || p->bytes != whole_pages(m->bytes))
		return false;
	return !p->holder || p->holder == m || (!p->holder->live && p->stream == s && p->exec != x);
}

static u64 pages_used(const struct graph_account *a)
{
	u64 bytes = 0;

	for (const struct graph_pages *p = a->pages; p; p = p->next)
		bytes += p->mapped ? p->bytes : 0;
	return bytes;
}

static u64 pages_reserved(const struct graph_account *a)
{
	u64 bytes = 0;

	for (const struct graph_pages *p = a->pages; p; p = p->next)
		bytes += p->bytes;
	return bytes;
}

static struct graph_pages *pages_new(struct graph_account *a, u64 bytes)
{
	struct graph_pages *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	*p = (struct graph_pages){.next = a->pages, .bytes = bytes};
	a->pages = p;
	return p;
}

/* For a launch of x in stream s. CU_OK or why not. */
static int pages_take(struct graph_memory *m, const struct cu_stream *s, struct cu_exec *x)
{
	struct graph_account *a = &driver.devices[m->device].graphs;
	struct graph_pages *p = m->pages;

	if (!p || !pages_fit(p, m, s, x)) {
		for (p = a->pages; p && !pages_fit(p, m, s, x); p = p->next)
			;
		if (!p && !(p = pages_new(a, whole_pages(m->bytes))))
			return CU_OUT_OF_MEMORY;
		pages_leave(m);
		m->pages = p;
		p->mapped++;
	}
	p->holder = m;
	p->stream = s;
	p->exec = x;
	a->used_high = max_u64(a->used_high, pages_used(a));
	a->reserved_high = max_u64(a->reserved_high, pages_reserved(a));
	return CU_OK;
}

/* Whether somebody needs what is in the pages: memory that is not freed, or a launch that has not ended. */
static bool pages_active(const struct graph_pages *p)
{
	enum { USERS_AT_REST = 1 };

	return p->holder && (p->holder->live || (p->exec && p->exec->users > USERS_AT_REST));
}

int drv_cuDeviceGraphMemTrim(int device)
{
	if (device < 0 || device >= driver.device_count)
		return CU_INVALID_DEVICE;
	for (struct graph_pages **at = &driver.devices[device].graphs.pages; *at;) {
		struct graph_pages *p = *at;
		if (pages_active(p)) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		p->trimmed = true;
		if (!p->mapped)
			free(p);
	}
	return CU_OK;
}

enum { MEMORY_USED, MEMORY_USED_HIGH, MEMORY_RESERVED, MEMORY_RESERVED_HIGH };

int drv_cuDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
	if (device < 0 || device >= driver.device_count)
		return CU_INVALID_DEVICE;
	if (!value || attribute < MEMORY_USED || attribute > MEMORY_RESERVED_HIGH)
		return CU_INVALID_VALUE;
	const struct graph_account *a = &driver.devices[device].graphs;
	*(u64 *)value = attribute == MEMORY_USED        ? pages_used(a)
			: attribute == MEMORY_USED_HIGH ? a->used_high
			: attribute == MEMORY_RESERVED  ? pages_reserved(a)
							: a->reserved_high;
	return CU_OK;
}

/* The highest values can be set back to what is now. */
int drv_cuDeviceSetGraphMemAttribute(int device, int attribute, void *value)
{
	if (device < 0 || device >= driver.device_count)
		return CU_INVALID_DEVICE;
	if (!value || *(u64 *)value || (attribute != MEMORY_USED_HIGH && attribute != MEMORY_RESERVED_HIGH))
		return CU_INVALID_VALUE;
	struct graph_account *a = &driver.devices[device].graphs;
	if (attribute == MEMORY_USED_HIGH)
		a->used_high = pages_used(a);
	else
		a->reserved_high = pages_reserved(a);
	return CU_OK;
}

/* --- Memory ---------------------------------------------------------------------------------------- */

/* Copies of a node share its memory, and what a launch has left unfreed is another user; the last one frees it. */
void graph_memory_let_go(struct graph_memory *m)
{
	if (--m->users)
		return;
	struct region *b = block_at(m->address);
	pages_leave(m);
	if (b && b->of_graph == m) {
		b->of_graph = NULL;
		block_remove(b);
	}
	free(m);
}

void graph_memory_free(struct graph_memory *m)
{
	if (!m->live)
		return;
	m->live = false;
	if (m->pages && !m->pages->exec)
		pages_leave(m);
	graph_memory_let_go(m);
}

bool graph_memory_free_later(struct region *b)
{
	struct graph_memory *m = b->of_graph;

	if (m->users == 1)
		b->of_graph = NULL;
	graph_memory_free(m);
	return b->of_graph != NULL;
}

static struct graph_memory *graph_memory_new(int device, size_t bytes)
{
	struct graph_memory *m = calloc(1, sizeof *m);

	if (!m || block_allocate_on(device, &m->address, bytes)) {
		free(m);
		return NULL;
	}
	struct region *b = block_at(m->address);
	b->kind = BLOCK_ASYNC;
	b->of_graph = m;
	peer_settle(b);
	m->users = 1;
	m->bytes = bytes;
	m->device = b->device;
	return m;
}

/* --- Launches ------------------------------------------------------------------------------------ */

static struct graph_memory *freed_by(const struct task *t)
{
	const struct region *b = t->kind == TASK_FREE ? block_at(t->free.address) : NULL;

	return b ? b->of_graph : NULL;
}

/* Whether a launch would allocate what an earlier one has left unfreed. */
static bool holds_unfreed(const struct cu_graph *g)
{
	for (const struct cu_node *n = g->first; n; n = n->next)
		if ((n->task.kind == TASK_ALLOCATE && n->task.memory->live) ||
		    (n->task.kind == TASK_CHILD && holds_unfreed(n->task.graph)))
			return true;
	return false;
}

static int take_all(const struct cu_graph *g, const struct cu_stream *s, struct cu_exec *x)
{
	int result = CU_OK;

	for (const struct cu_node *n = g->first; n && !result; n = n->next)
		result = n->task.kind == TASK_ALLOCATE ? pages_take(n->task.memory, s, x)
			 : n->task.kind == TASK_CHILD  ? take_all(n->task.graph, s, x)
						       : CU_OK;
	return result;
}

int graph_memory_upload(struct cu_exec *x, const struct cu_stream *s) { return take_all(x->graph, s, x); }

/* What nodes allocate and free, in an order that the edges allow. */
static void follow(struct cu_node *const *order, u32 count)
{
	for (u32 k = 0; k < count; k++) {
		const struct task *t = &order[k]->task;
		struct graph_memory *m = t->kind == TASK_ALLOCATE ? t->memory : freed_by(t);
		if (t->kind == TASK_ALLOCATE && !m->live) {
			m->live = true;
			m->users++;
		} else if (m && t->kind == TASK_FREE) {
			graph_memory_free(m);
		}
	}
}

int graph_memory_launch(struct cu_exec *x, const struct cu_stream *s)
{
	if (!(x->flags & GRAPH_AUTO_FREE) && holds_unfreed(x->graph))
		return CU_INVALID_VALUE;
	const int result = take_all(x->graph, s, x);
	if (!result)
		follow(x->order, x->graph->count);
	return result;
}

void graph_memory_exec_ends(const struct cu_exec *x)
{
	for (int d = 0; d < driver.device_count; d++)
		for (struct graph_pages *p = driver.devices[d].graphs.pages; p; p = p->next) {
			if (p->exec != x)
				continue;
			p->exec = NULL;
			if (p->holder && !p->holder->live)
				pages_leave(p->holder);
		}
}

/* --- Nodes ---------------------------------------------------------------------------------------- */

/* Marks the nodes behind which `needs` stand, these included. */
static bool mark_before(struct cu_graph *g, struct cu_node **needs, size_t count)
{
	struct cu_node **open = calloc((size_t)g->count + 1, sizeof *open);
	size_t depth = 0;

	if (!open)
		return false;
	for (struct cu_node *n = g->first; n; n = n->next)
		n->mark = 0;
	for (;; count = open[depth]->need_count, needs = open[depth]->needs) {
		for (size_t k = 0; k < count; k++)
			if (!needs[k]->mark) {
				needs[k]->mark = 1;
				open[depth++] = needs[k];
			}
		if (!depth--)
			break;
	}
	free(open);
	return true;
}

/* Of that device and size, and freed before a node with these needs each time that the graph allocates it; or NULL. */
static struct graph_memory *freed_before(struct cu_graph *g, struct cu_node **needs, size_t count, int device,
					 size_t bytes)
{
	struct graph_memory *m, *found = NULL;

	if (!count || !mark_before(g, needs, count))
		return NULL;
	for (struct cu_node *n = g->first; n; n = n->next)
		if (n->task.kind == TASK_ALLOCATE)
			n->task.memory->allocated = n->task.memory->freed = 0;
	for (struct cu_node *n = g->first; n; n = n->next)
		if (n->task.kind == TASK_ALLOCATE)
			n->task.memory->allocated++;
		else if (n->mark && (m = freed_by(&n->task)))
			m->freed++;
	for (struct cu_node *n = g->first; n && !found; n = n->next) {
		m = n->task.kind == TASK_ALLOCATE ? n->task.memory : NULL;
		if (m && m->device == device && m->bytes == bytes && m->allocated == m->freed)
			found = m;
	}
	return found;
}

int graph_add_memory(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count, int device,
		     size_t bytes, u64 *address)
{
	struct task t = {.kind = TASK_ALLOCATE};
	const int wrong = bytes ? node_needs_fit(g, needs, count) : CU_INVALID_VALUE;

	if (wrong)
		return wrong;
	t.memory = freed_before(g, needs, count, device, bytes);
	if (t.memory)
		t.memory->users++;
	else if (!(t.memory = graph_memory_new(device, bytes)))
		return CU_OUT_OF_MEMORY;
	const int result = node_add(made, g, needs, count, &t, NULL);
	if (!result)
		*address = t.memory->address;
	graph_memory_let_go(t.memory);
	return result;
}

int drv_cuGraphAddMemAllocNode(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count,
			       struct cu_alloc_node *node)
{
	if (!node || node->pool.type != 1 || (node->access_count && !node->access))
		return CU_INVALID_VALUE;
	const struct cu_location *at = &node->pool.location;
	const int device = at->type == 1 ? at->id : context_current()->device;
	if (device < 0 || device >= driver.device_count)
		return CU_INVALID_VALUE;
	const int result = graph_add_memory(made, g, needs, count, device, node->bytes, &node->address);
	struct region *b = result ? NULL : block_at(node->address);
	for (size_t k = 0; b && k < node->access_count; k++) {
		const struct cu_location *to = &node->access[k].location;
		if (to->type == 1 && to->id >= 0 && to->id < driver.device_count && node->access[k].flags)
			b->granted |= 1u << to->id;
	}
	if (b)
		peer_settle(b);
	return result;
}

int drv_cuGraphMemAllocNodeGetParams(struct cu_node *n, struct cu_alloc_node *to)
{
	const int result = to ? node_is(n, TASK_ALLOCATE) : CU_INVALID_VALUE;

	if (result)
		return result;
	memset(to, 0, sizeof *to);
	to->pool.type = 1;
	to->pool.location.type = 1;
	to->pool.location.id = n->task.memory->device;
	to->bytes = n->task.memory->bytes;
	to->address = n->task.memory->address;
	return CU_OK;
}

int drv_cuGraphMemFreeNodeGetParams(struct cu_node *n, u64 *address)
{
	const int result = address ? node_is(n, TASK_FREE) : CU_INVALID_VALUE;

	if (!result)
		*address = n->task.free.address;
	return result;
}
