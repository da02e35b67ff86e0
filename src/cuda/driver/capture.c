/* SPDX-License-Identifier: Apache-2.0
 *
 * Capturing streams into graphs. A stream joins a capture by waiting for an event that was recorded in it; the capture
 * ends where it began, when all others have come back.
 *
 *  struct capture   the graph that grows; `users`: the stream where it began, and events recorded in it
 *  stream->tips     nodes that the stream's next node has to wait for; event->tips: as they were when it was recorded
 *
 * Whatever a stream that captures is given becomes a node that needs the stream's tips, and is then its only tip. What
 * must not be done meanwhile breaks the capture: it goes on to take calls, all of which fail.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

/* Replaces the tips. False: no memory; they stay as they were. */
static bool tips_set(struct tips *t, struct cu_node *const *nodes, u32 count)
{
	struct cu_node **list = malloc((count + 1) * sizeof *list);

	if (!list)
		return false;
	if (count)
		memcpy(list, nodes, count * sizeof *list);
	free(t->list);
	*t = (struct tips){list, count};
	return true;
}

/* Adds those that are not there yet. */
static bool tips_add(struct tips *t, const struct tips *more)
{
	struct cu_node **list = realloc(t->list, (t->count + more->count + 1) * sizeof *list);

	if (!list)
		return false;
	t->list = list;
	for (u32 k = 0; k < more->count; k++) {
		u32 at = 0;
		while (at < t->count && t->list[at] != more->list[k])
			at++;
		if (at == t->count)
			t->list[t->count++] = more->list[k];
	}
	return true;
}

/* Calls that would wait for the whole context break the captures of streams that heed the legacy stream. */
int capture_forbids(struct cu_context *c)
{
	int result = CU_OK;

	for (struct cu_stream *s = c->streams; s && c->captures; s = s->next)
		if (s->capture && !(s->flags & 1) && s->capture->mode != 2) {
			s->capture->broken = true;
			result = CU_CAPTURE_UNSUPPORTED;
		}
	return result;
}

/* Calls that may wait for the device without saying so (allocations, queries of events) break captures, unless the thread
 * has asked for the relaxed mode: its own ones that are not relaxed, and other threads' global ones. */
int capture_forbids_unsafe(struct cu_context *c)
{
	enum { GLOBAL, OF_THREAD, RELAXED };
	int result = CU_OK;

	if (self.capture_mode == RELAXED)
		return CU_OK;
	for (struct cu_stream *s = c->streams; s && c->captures; s = s->next) {
		struct capture *k = s->capture;
		if (!k || k->mode == RELAXED)
			continue;
		if (k->thread != self.number && (k->mode != GLOBAL || self.capture_mode != GLOBAL))
			continue;
		k->broken = true;
		result = CU_CAPTURE_UNSUPPORTED;
	}
	return result;
}

/* Programs can ask for the graph under capture, and destroy it or nodes of it. Forgets nodes that are gone; false: the
 * capture cannot go on. */
static bool is_open(struct capture *c, struct tips *t)
{
	u32 kept = 0;

	if (!handle_is(c->graph, HANDLE_GRAPH)) {
		c->broken = true;
		c->graph = NULL;
	}
	for (u32 k = 0; k < t->count; k++)
		if (handle_is(t->list[k], HANDLE_NODE) && t->list[k]->graph == c->graph)
			t->list[kept++] = t->list[k];
	t->count = kept;
	return !c->broken;
}

int capture_give(struct cu_stream *s, const struct task *t, const void *params)
{
	struct capture *c = s->capture;

	if (!is_open(c, &s->tips))
		return CU_CAPTURE_INVALIDATED;
	struct cu_node *n = graph_add(c->graph, s->tips.list, s->tips.count, t, params);
	return n && tips_set(&s->tips, &n, 1) ? CU_OK : CU_OUT_OF_MEMORY;
}

int capture_allocate(struct cu_stream *s, size_t bytes, u64 *address)
{
	struct cu_node *n;

	if (!is_open(s->capture, &s->tips))
		return CU_CAPTURE_INVALIDATED;
	const int result = graph_add_memory(&n, s->capture->graph, s->tips.list, s->tips.count, s->context->device,
					    bytes, address);
	return result ? result : tips_set(&s->tips, &n, 1) ? CU_OK : CU_OUT_OF_MEMORY;
}

static void release(struct capture *c)
{
	if (--c->users)
		return;
	free(c->left.list);
	free(c);
}

void capture_leave(struct cu_event *e)
{
	if (e->capture)
		release(e->capture);
	e->capture = NULL;
}

int capture_record(struct cu_stream *s, struct cu_event *e)
{
	if (!is_open(s->capture, &s->tips))
		return CU_CAPTURE_INVALIDATED;
	s->capture->users++;
	capture_leave(e);
	e->capture = s->capture;
	return tips_set(&e->tips, s->tips.list, s->tips.count) ? CU_OK : CU_OUT_OF_MEMORY;
}

/* A stream that waits for an event of a capture joins it. Two captures cannot be joined. */
int capture_wait(struct cu_stream *s, struct cu_event *e)
{
	if (s->capture && s->capture != e->capture) {
		s->capture->broken = e->capture->broken = true;
		return CU_CAPTURE_ISOLATION;
	}
	if (!e->capture->graph)
		return CU_CAPTURED_EVENT;
	if (!is_open(e->capture, &e->tips))
		return CU_CAPTURE_INVALIDATED;
	if (!s->capture) {
		s->capture = e->capture;
		s->context->captures++;
		s->tips.count = 0;
	}
	return tips_add(&s->tips, &e->tips) ? CU_OK : CU_OUT_OF_MEMORY;
}

static int begin(struct cu_stream *h_stream, struct cu_graph *g, int mode)
{
	struct cu_stream *s = stream_of(h_stream);

	if (!s)
		return CU_INVALID_HANDLE;
	if (mode < 0 || mode > 2)
		return CU_INVALID_VALUE;
	if (s == s->context->legacy)
		return CU_CAPTURE_UNSUPPORTED;
	if (s->capture)
		return CU_ILLEGAL_STATE;
	struct capture *c = calloc(1, sizeof *c);
	if (!c)
		return CU_OUT_OF_MEMORY;
	const bool given = g != NULL;
	const int result = given ? CU_OK : drv_cuGraphCreate(&g, 0);
	if (result) {
		free(c);
		return result;
	}
	*c = (struct capture){.users = 1,
			      .graph = g,
			      .origin = s,
			      .id = ++driver.next_id,
			      .mode = mode,
			      .thread = self.number,
			      .given = given};
	s->capture = c;
	s->tips.count = 0;
	s->context->captures++;
	return CU_OK;
}

void capture_abandon(struct cu_stream *s)
{
	struct capture *c = s->capture;

	if (!c)
		return;
	/* The capture goes on, but somebody must wait for what the stream was given, as an H200 has it. */
	c->broken |= c->origin == s || !tips_add(&c->left, &s->tips);
	for (struct cu_stream *o = s->context->streams; o; o = o->next)
		if (o == s || (c->origin == s && o->capture == c)) {
			o->capture = NULL;
			o->tips.count = 0;
			o->context->captures--;
		}
	if (c->origin != s)
		return;
	if (!c->given && handle_is(c->graph, HANDLE_GRAPH))
		drv_cuGraphDestroy(c->graph);
	c->graph = NULL;
	release(c);
}

int drv_cuStreamBeginCapture_v2(struct cu_stream *h_stream, int mode) { return begin(h_stream, NULL, mode); }
int drv_cuStreamBeginCapture(struct cu_stream *h_stream) { return begin(h_stream, NULL, 0); }

int drv_cuStreamBeginCaptureToGraph(struct cu_stream *h_stream, struct cu_graph *h_graph, struct cu_node **dependencies,
				    const void *dependency_data, size_t num_dependencies, int mode)
{
	(void)dependency_data;
	if (!handle_is(h_graph, HANDLE_GRAPH))
		return CU_INVALID_HANDLE;
	if (num_dependencies && !dependencies)
		return CU_INVALID_VALUE;
	for (size_t k = 0; k < num_dependencies; k++)
		if (!handle_is(dependencies[k], HANDLE_NODE) || dependencies[k]->graph != h_graph)
			return CU_INVALID_VALUE;
	const int result = begin(h_stream, h_graph, mode);
	if (!result && num_dependencies && !tips_set(&stream_of(h_stream)->tips, dependencies, (u32)num_dependencies))
		return CU_OUT_OF_MEMORY;
	return result;
}

/* Has each of these nodes been waited for, by the stream or by a node? */
static bool are_needed(const struct cu_stream *s, const struct tips *nodes)
{
	for (u32 k = 0; k < nodes->count; k++) {
		bool needed = false;
		for (u32 t = 0; t < s->tips.count; t++)
			needed |= s->tips.list[t] == nodes->list[k];
		for (const struct cu_node *n = s->capture->graph->first; n && !needed; n = n->next)
			for (u32 d = 0; d < n->need_count; d++)
				needed |= n->needs[d] == nodes->list[k];
		if (!needed)
			return false;
	}
	return true;
}

/* Has every other stream's last node been waited for by the origin? */
static bool is_joined(const struct cu_stream *s)
{
	for (const struct cu_stream *o = s->context->streams; o; o = o->next)
		if (o != s && o->capture == s->capture && !are_needed(s, &o->tips))
			return false;
	return is_open(s->capture, &s->capture->left) && are_needed(s, &s->capture->left);
}

int drv_cuStreamEndCapture(struct cu_stream *h_stream, struct cu_graph **ph_graph)
{
	struct cu_stream *s = stream_of(h_stream);

	if (!s)
		return CU_INVALID_HANDLE;
	if (!ph_graph && !(s->capture && s->capture->given))
		return CU_INVALID_VALUE;
	if (!s->capture)
		return CU_ILLEGAL_STATE;
	struct capture *c = s->capture;
	if (c->origin != s)
		return CU_CAPTURE_UNMATCHED;
	if (c->mode != 2 && c->thread != self.number)
		return CU_CAPTURE_WRONG_THREAD;
	int result = !is_open(c, &s->tips) ? CU_CAPTURE_INVALIDATED : is_joined(s) ? CU_OK : CU_CAPTURE_UNJOINED;
	for (struct cu_stream *o = s->context->streams; o; o = o->next)
		if (o->capture == c) {
			o->capture = NULL;
			o->tips.count = 0;
			o->context->captures--;
		}
	if (ph_graph)
		*ph_graph = result ? NULL : c->graph;
	if (result && !c->given)
		drv_cuGraphDestroy(c->graph);
	c->graph = NULL;
	release(c);
	return result;
}

int drv_cuStreamIsCapturing(struct cu_stream *h_stream, int *capture_status)
{
	const struct cu_stream *s = stream_of(h_stream);

	if (!s)
		return CU_INVALID_HANDLE;
	if (!capture_status)
		return CU_INVALID_VALUE;
	*capture_status = !s->capture ? 0 : s->capture->broken ? 2 : 1;
	return CU_OK;
}

int drv_cuStreamGetCaptureInfo_v3(struct cu_stream *h_stream, int *capture_status_out, u64 *id_out,
				  struct cu_graph **graph_out, struct cu_node ***dependencies_out,
				  const void **edge_data_out, size_t *num_dependencies_out)
{
	struct cu_stream *s = stream_of(h_stream);
	if (s && s->capture)
		is_open(s->capture, &s->tips);
	const int result = drv_cuStreamIsCapturing(h_stream, capture_status_out);

	if (result)
		return result;
	if (edge_data_out)
		*edge_data_out = NULL;
	if (!s->capture)
		return CU_OK;
	if (id_out)
		*id_out = s->capture->id;
	if (graph_out)
		*graph_out = s->capture->graph;
	if (dependencies_out)
		*dependencies_out = s->tips.list;
	if (num_dependencies_out)
		*num_dependencies_out = s->tips.count;
	return CU_OK;
}

int drv_cuStreamGetCaptureInfo_v2(struct cu_stream *h_stream, int *capture_status_out, u64 *id_out,
				  struct cu_graph **graph_out, struct cu_node ***dependencies_out,
				  size_t *num_dependencies_out)
{
	return drv_cuStreamGetCaptureInfo_v3(h_stream, capture_status_out, id_out, graph_out, dependencies_out, NULL,
					     num_dependencies_out);
}

int drv_cuStreamGetCaptureInfo(struct cu_stream *h_stream, int *capture_status_out, u64 *id_out)
{
	return drv_cuStreamGetCaptureInfo_v3(h_stream, capture_status_out, id_out, NULL, NULL, NULL, NULL);
}

int drv_cuStreamUpdateCaptureDependencies(struct cu_stream *h_stream, struct cu_node **dependencies,
					  size_t num_dependencies, u32 flags)
{
	struct cu_stream *s = stream_of(h_stream);
	const struct tips more = {dependencies, (u32)num_dependencies};

	if (!s)
		return CU_INVALID_HANDLE;
	if (!s->capture)
		return CU_ILLEGAL_STATE;
	if (flags > 1 || (num_dependencies && !dependencies))
		return CU_INVALID_VALUE;
	for (size_t k = 0; k < num_dependencies; k++)
		if (!handle_is(dependencies[k], HANDLE_NODE) || dependencies[k]->graph != s->capture->graph)
			return CU_INVALID_VALUE;
	const bool ok = flags & 1 ? tips_set(&s->tips, dependencies, (u32)num_dependencies) : tips_add(&s->tips, &more);
	return ok ? CU_OK : CU_OUT_OF_MEMORY;
}

int drv_cuStreamUpdateCaptureDependencies_v2(struct cu_stream *h_stream, struct cu_node **dependencies,
					     const void *dependency_data, size_t num_dependencies, u32 flags)
{
	(void)dependency_data;
	return drv_cuStreamUpdateCaptureDependencies(h_stream, dependencies, num_dependencies, flags);
}

int drv_cuThreadExchangeStreamCaptureMode(int *mode)
{
	if (!mode || *mode < 0 || *mode > 2)
		return CU_INVALID_VALUE;
	const int before = self.capture_mode;
	self.capture_mode = *mode;
	*mode = before;
	return CU_OK;
}
