/* SPDX-License-Identifier: Apache-2.0
 *
 * Records: their making and end, and what they say without their module's program.
 *
 * A record is what a launch leaves behind for the program to ask: how it ended, counters, findings, reports. It may live
 * longer than its module: then what needs the program can no longer be made (records_forget_module), and the rest stays.
 * Records of a module are a list under the context's lock.
 */
#include "api/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "api/error.h"
#include "observe/counters.h"

/* --- Making and ending ---------------------------------------------------------------------- */

static void link_record(ptxsim_record *r, ptxsim_module *m)
{
	pthread_mutex_lock(&m->context->lock);
	r->next = m->records;
	if (r->next)
		r->next->at = &r->next;
	r->at = &m->records;
	m->records = r;
	pthread_mutex_unlock(&m->context->lock);
}

static void unlink_record(ptxsim_record *r)
{
	if (!r->context)
		return;
	pthread_mutex_lock(&r->context->lock);
	*r->at = r->next;
	if (r->next)
		r->next->at = r->at;
	pthread_mutex_unlock(&r->context->lock);
}

void records_forget_module(ptxsim_module *m)
{
	pthread_mutex_lock(&m->context->lock);
	for (ptxsim_record *r = m->records; r; r = r->next) {
		watching_forget_program(&r->watching);
		r->context = NULL;
	}
	m->records = NULL;
	pthread_mutex_unlock(&m->context->lock);
}

ptxsim_record *record_new(const ptxsim_function *f, const struct ptxsim_watching *wanted)
{
	ptxsim_record *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->watching.wanted = *wanted;
	r->context = f->module->context;
	r->last_grid = &r->grids;
	snprintf(r->kernel, sizeof r->kernel, "%s", ptxsim_function_name(f));
	link_record(r, f->module);
	return r;
}

/* A grid that the kernel itself has launched has a record of its own, behind its parent's. */
ptxsim_record *record_add_grid(ptxsim_record *r, const ptxsim_function *f)
{
	ptxsim_record *grid = record_new(f, &r->watching.wanted);

	if (!grid)
		return NULL;
	*r->last_grid = grid;
	r->last_grid = &grid->sibling;
	return grid;
}

const ptxsim_record *record_find_grid(const ptxsim_record *r)
{
	for (const ptxsim_record *g = r->grids; g; g = g->sibling)
		if (g->outcome.ended && g->outcome.status)
			return g;
	return NULL;
}

static void free_one(ptxsim_record *r)
{
	unlink_record(r);
	watching_free(&r->watching);
	for (size_t k = 0; k < COUNT_OF(r->reports); k++)
		free(r->reports[k]);
	free(r);
}

void ptxsim_record_free(ptxsim_record *record)
{
	ptxsim_record *grid = record ? record->grids : NULL;

	if (!record)
		return;
	while (grid) {
		ptxsim_record *next = grid->sibling;
		free_one(grid);
		grid = next;
	}
	free_one(record);
}

/* --- How it ended --------------------------------------------------------------------------- */

ptxsim_status ptxsim_record_status(const ptxsim_record *record)
{
	return record ? record->outcome.status : WRONG_ARGUMENT("there is no record");
}

const char *ptxsim_record_message(const ptxsim_record *record) { return record ? record->outcome.message : ""; }

ptxsim_status ptxsim_record_fault(const ptxsim_record *record, struct ptxsim_fault *fault)
{
	if (!record || !fault)
		return WRONG_ARGUMENT("the record or the place for the fault is NULL");
	const ptxsim_status status = outcome_fault(&record->outcome, fault);
	return status ? call_fails(__func__, status, "the launch did not fault") : status;
}

ptxsim_status ptxsim_record_stats(const ptxsim_record *record, struct ptxsim_stats *stats)
{
	if (!record || !stats)
		return WRONG_ARGUMENT("the record or the place for the counts is NULL");
	*stats = outcome_stats(&record->outcome);
	return PTXSIM_OK;
}

ptxsim_record *ptxsim_record_grid(const ptxsim_record *record, size_t index)
{
	ptxsim_record *grid = record ? record->grids : NULL;

	while (grid && index--)
		grid = grid->sibling;
	return grid;
}

const char *ptxsim_record_finding(const ptxsim_record *record, size_t index)
{
	const char **found = record ? record->watching.findings : NULL;

	while (found && *found && index--)
		found++;
	return found ? *found : NULL;
}

/* --- Counters ------------------------------------------------------------------------------- */

/* Of a record that may be NULL: nothing has been watched. */
static ptxsim_status counter(const char *call, const ptxsim_record *record, const char *name, double *value)
{
	if (!record || !record->watching.run)
		return call_fails(call, PTXSIM_ERROR_STATE,
				  "the launch was not counted: ptxsim_watch asks for it, before the launch");
	const struct counter *c = counters_find(name);
	if (!c)
		return call_fails(call, PTXSIM_ERROR_NOT_FOUND, "there is no counter '%s'", name);
	*value = counter_value(c, record->watching.run);
	return PTXSIM_OK;
}

ptxsim_status ptxsim_record_counter(const ptxsim_record *record, const char *name, double *value)
{
	if (!record || !name || !value)
		return WRONG_ARGUMENT("the record, the name or the place for the value is NULL");
	return counter(__func__, record, name, value);
}

size_t ptxsim_counter_count(void) { return counters_count(); }

const char *ptxsim_counter_name(size_t index)
{
	return index < counters_count() ? counters_get((u32)index)->name : NULL;
}

const char *ptxsim_counter_unit(size_t index)
{
	return index < counters_count() ? counters_get((u32)index)->unit : NULL;
}

const char *ptxsim_counter_definition(size_t index)
{
	return index < counters_count() ? counters_get((u32)index)->definition : NULL;
}

/* --- The last launch ------------------------------------------------------------------------ */

/* The struct has grown: programs that were compiled with an older header give its older size. */
static bool is_size_of_watching(size_t size)
{
	return size == offsetof(struct ptxsim_watching, sync) || size == offsetof(struct ptxsim_watching, checks) ||
	       size == sizeof(struct ptxsim_watching);
}

/* What is to be watched in a launch: what the launch says, else what the context was asked for. */
ptxsim_status watching_take(ptxsim_context *c, const struct ptxsim_watching *given, struct ptxsim_watching *wanted)
{
	*wanted = (struct ptxsim_watching){.struct_size = sizeof *wanted};
	if (given && !is_size_of_watching(given->struct_size))
		return PTXSIM_ERROR_ARGUMENT;
	if (given) {
		struct check_options checks = {0};
		memcpy(wanted, given, given->struct_size);
		return !wanted->checks || !*wanted->checks || check_options_read(wanted->checks, &checks)
			       ? PTXSIM_OK
			       : PTXSIM_ERROR_ARGUMENT;
	}
	pthread_mutex_lock(&c->lock);
	*wanted = c->wanted;
	pthread_mutex_unlock(&c->lock);
	return PTXSIM_OK;
}

ptxsim_status ptxsim_watch(ptxsim_context *context, const struct ptxsim_watching *watching)
{
	static const struct ptxsim_watching nothing = {.struct_size = sizeof nothing};
	struct ptxsim_watching wanted;

	if (!context)
		return WRONG_ARGUMENT("there is no context");
	if (watching_take(context, watching ? watching : &nothing, &wanted))
		return WRONG_ARGUMENT("struct_size is not that of struct ptxsim_watching, or its checks are not known");
	pthread_mutex_lock(&context->lock);
	context->wanted = wanted;
	pthread_mutex_unlock(&context->lock);
	return PTXSIM_OK;
}

ptxsim_status ptxsim_counter(const ptxsim_context *context, const char *name, double *value)
{
	if (!context || !name || !value)
		return WRONG_ARGUMENT("the context, the name or the place for the value is NULL");
	return counter(__func__, context->record, name, value);
}

const char *ptxsim_finding(const ptxsim_context *context, size_t index)
{
	return context ? ptxsim_record_finding(context->record, index) : NULL;
}

ptxsim_status ptxsim_observe(ptxsim_context *context, const struct ptxsim_observer *observer)
{
	if (!context)
		return WRONG_ARGUMENT("there is no context");
	if (observer && observer->struct_size != sizeof *observer)
		return WRONG_ARGUMENT("struct_size is not that of struct ptxsim_observer");
	context->is_observed = observer != NULL;
	context->observer = observer ? *observer : (struct ptxsim_observer){0};
	return PTXSIM_OK;
}
