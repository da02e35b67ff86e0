/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders of rank 0.
 */
#include "ranks/order.h"

#include <string.h>

void order_put_program(struct parcel *w, const struct session *s, const char *arch)
{
	parcel_put_number(w, ORDER_PROGRAM);
	parcel_put_text(w, arch);
	parcel_put_number(w, s->memory_limit);
	parcel_put_number(w, s->modules.count);
	for (size_t k = 0; k < s->modules.count; k++) {
		const struct ir_module *m = s->modules.items[k];
		const struct source *text = s->sources.files.items[m->source];
		parcel_put_text(w, text->name);
		parcel_put_number(w, m->image ? m->image_bytes : text->length);
		parcel_put(w, m->image ? (const char *)m->image : text->text, m->image ? m->image_bytes : text->length);
	}
}

void order_take_program(struct parcel *w, struct session *s)
{
	const char *arch = parcel_take_text(w);
	const struct lower_options lower = {.arch = arch};

	s->memory_limit = parcel_take_number(w);
	for (u64 left = parcel_take_number(w); left; left--) {
		const char *name = parcel_take_text(w);
		const u64 length = parcel_take_number(w);
		session_add_text(s, name, (const char *)parcel_take(w, length), length);
	}
	if (!session_build(s, &lower))
		rank_fails(w->transport, "the program cannot be built: %s", session_diagnostics(s, false));
}

void order_put_launch(struct parcel *w, const struct launch *l, u64 clusters, const struct play *p)
{
	struct ordered_launch o;

	memset(&o, 0, sizeof o);
	o.kernel = (u64)(l->kernel - l->program->kernels);
	memcpy(o.grid, l->grid, sizeof o.grid);
	memcpy(o.block, l->block, sizeof o.block);
	memcpy(o.cluster, l->cluster, sizeof o.cluster);
	o.jobs = p->options.jobs;
	o.native = p->options.native;
	o.clusters = clusters;
	o.dynamic_shared = l->dynamic_shared;
	o.heap_bytes = l->heap_bytes;
	o.local_limit_bytes = l->local_limit_bytes;
	o.async = l->async;
	o.lock_order = l->lock_order;
	o.counts = p->accounting != NULL;
	o.accounting = p->options.accounting;
	o.param_bytes = l->kernel->param_bytes;
	parcel_put_number(w, ORDER_LAUNCH);
	parcel_put(w, &o, sizeof o);
	parcel_put(w, l->params, o.param_bytes);
}
