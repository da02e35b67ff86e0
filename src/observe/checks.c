/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks of a launch.
 *
 * Each check is an observer of its own, made once for a program, begun anew for each launch (checks_begin); all report
 * to one `findings`, which keeps each kind at each pair of places once, with a count. After the launch checks_finding
 * gives them in the order in which a reader wants them.
 */
#include "observe/checks.h"

#include <stdlib.h>
#include <string.h>

#include "exec/fault_report.h"
#include "observe/check_findings.h"
#include "observe/numbers.h"
#include "observe/objects.h"
#include "observe/overflow.h"
#include "observe/races.h"
#include "observe/suppressions.h"
#include "observe/sync_check.h"
#include "observe/unwritten.h"

struct checks {
	struct check_options options;
	struct suppressions suppressions;
	struct check_sites sites;
	struct site_list accesses;
	struct observer keeper; /* makes the launch's arena: told of its blocks before the others */
	struct arena arena;     /* of a launch; begins with its first block */
	bool has_arena;
	struct check_findings findings;
	struct races *races;
	struct sync_check *sync;
	struct objects *objects;
	struct numbers *numbers;
	struct overflow *overflow;
	struct unwritten *unwritten;
	struct footprints *footprints;
	struct fault **sorted; /* once asked for */
	u32 sorted_count;
};

/* The keeper wants blocks' beginnings only. */
static bool wants_none(void *context, const struct code *code, u32 insn)
{
	(void)context;
	(void)code;
	(void)insn;
	return false;
}

static void block_start(void *context, struct block *b)
{
	struct checks *c = context;

	if (c->has_arena)
		return;
	arena_init(&c->arena, &b->worker->out_of_memory);
	c->has_arena = true;
}

struct checks *checks_new(struct arena *arena, const struct program *program, const struct check_options *options)
{
	static const struct accounting_options as_written = {.as_written = true};
	struct checks *c = ARENA_NEW(arena, struct checks);

	c->options = *options;
	if (!c->options.most)
		c->options.most = CHECK_FINDINGS;
	if (options->suppress)
		suppressions_read(&c->suppressions, arena, options->suppress);
	c->sites = (struct check_sites){program, check_site_bases(arena, program)};
	c->keeper = (struct observer){.context = c, .wants = wants_none, .block_start = block_start};
	c->accesses = sites_find(arena, program, &as_written);
	if (options->races || options->plain_reads || options->lane_stores)
		c->races = races_new(arena, &c->sites, &c->accesses, &c->options);
	if (options->unwritten || options->strict_unwritten)
		c->unwritten = unwritten_new(arena, &c->sites, &c->accesses, &c->options);
	if (options->neighbours || options->provenance)
		c->objects = objects_new(arena, &c->sites, &c->accesses, &c->options);
	if (options->nan || options->denormals)
		c->numbers = numbers_new(arena, &c->sites, &c->options);
	if (options->overflow)
		c->overflow = overflow_new(arena, &c->sites);
	if (options->footprints)
		c->footprints = footprints_new(arena, &c->sites, &c->accesses);
	if (c->footprints && c->races)
		races_tell_footprints(c->races, c->footprints);
	if (options->sync)
		c->sync = sync_check_new(arena, &c->sites, &c->accesses);
	return c;
}

void checks_free(struct checks *c)
{
	if (c->footprints)
		footprints_free(c->footprints);
	if (c->has_arena)
		arena_free(&c->arena);
	c->has_arena = false;
	free(c->sorted);
	c->sorted = NULL;
	c->sorted_count = 0;
	c->findings = (struct check_findings){.arena = &c->arena, .sites = &c->sites, .most = c->options.most};
}

void checks_begin(struct checks *c, const struct launch *l)
{
	checks_free(c);
	if (c->races)
		races_begin(c->races, &c->findings, l);
	if (c->sync)
		sync_check_begin(c->sync, &c->findings);
	if (c->objects)
		objects_begin(c->objects, &c->findings, l);
	if (c->numbers)
		numbers_begin(c->numbers, &c->findings);
	if (c->overflow)
		overflow_begin(c->overflow, &c->findings);
	if (c->unwritten)
		unwritten_begin(c->unwritten, &c->findings, l);
}

/* All that were asked for, the keeper first. */
u32 checks_observers(struct checks *c, struct observer *to[CHECKS_OBSERVERS])
{
	u32 count = 0;

	to[count++] = &c->keeper;
	if (c->races)
		to[count++] = races_observer(c->races);
	if (c->sync)
		to[count++] = sync_check_observer(c->sync);
	if (c->objects)
		to[count++] = objects_observer(c->objects);
	if (c->numbers)
		to[count++] = numbers_observer(c->numbers);
	if (c->overflow)
		to[count++] = overflow_observer(c->overflow);
	if (c->unwritten)
		to[count++] = unwritten_observer(c->unwritten);
	if (c->footprints)
		to[count++] = footprints_observer(c->footprints);
	return count;
}

const struct async_strict *checks_strict(const struct checks *c)
{
	return c->races ? races_strict(c->races) : &async_strict;
}

static bool watches(const struct observer *o, const struct code *code)
{
	for (u32 k = 0; code && k < code->insn_count; k++)
		if (o->wants(o->context, code, k))
			return true;
	return false;
}

bool checks_watch(struct checks *c, const struct launch *l)
{
	struct observer *list[CHECKS_OBSERVERS];
	const u32 count = checks_observers(c, list);
	const struct kernel *k = l->kernel;

	for (u32 n = 0; n < count; n++) {
		if (watches(list[n], k->code))
			return true;
		for (u32 f = 0; f < k->function_count; f++)
			if (watches(list[n], k->functions[f].code))
				return true;
	}
	return false;
}

/* A value that nothing has written when it is read, but something writes without any order, is a race. */
static bool is_race(const struct checks *c, const struct check_finding *x)
{
	const u32 origin = x->other == NO_SITE ? x->site : x->other;

	return x->fault.kind == FAULT_UNWRITTEN && c->races && races_have(c->races, origin);
}

static bool is_suppressed(const struct checks *c, const struct fault *f, const struct launch *l)
{
	struct fault_report r;
	char line[FAULT_LINE_TEXT];

	if (!c->suppressions.count)
		return false;
	fault_report(l->memory, l, f, &r);
	fault_line(&r, line);
	return suppressions_cover(&c->suppressions, line);
}

/* By place in the text, then by kind. */
static int compare(const void *a, const void *b)
{
	const struct fault *x = *(const struct fault *const *)a, *y = *(const struct fault *const *)b;

	if (x->code != y->code)
		return x->code->index < y->code->index ? -1 : 1;
	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->other.insn < y->other.insn ? -1 : x->other.insn > y->other.insn;
}

/* A loop that the compiler has unrolled finds the same again for each copy of a line. */
static void merge(struct checks *c, const struct launch *l)
{
	char(*lines)[FAULT_LINE_TEXT] = malloc((c->sorted_count + (size_t)1) * sizeof *lines);
	u32 used = 0;

	for (u32 k = 0; lines && k < c->sorted_count; k++) {
		struct fault_report r;
		u32 same = 0;
		fault_report(l->memory, l, c->sorted[k], &r);
		fault_line(&r, lines[used]);
		while (strcmp(lines[same], lines[used]))
			same++;
		if (same < used)
			c->sorted[same]->times += c->sorted[k]->times;
		else
			c->sorted[used++] = c->sorted[k];
	}
	if (lines)
		c->sorted_count = used;
	free(lines);
}

static void sort(struct checks *c, const struct launch *l)
{
	const size_t most = c->findings.items.count + (c->races ? races_count(c->races) : 0);

	c->sorted = malloc((most + 1) * sizeof *c->sorted);
	if (!c->sorted)
		return;
	for (size_t k = 0; k < c->findings.items.count; k++)
		if (!is_race(c, &c->findings.items.items[k]) && !is_suppressed(c, &c->findings.items.items[k].fault, l))
			c->sorted[c->sorted_count++] = &c->findings.items.items[k].fault;
	struct fault *f;
	for (u32 k = 0; c->races && (f = races_finding(c->races, k, l)) != NULL; k++)
		if (f->kind != FAULT_NONE && !is_suppressed(c, f, l))
			c->sorted[c->sorted_count++] = f;
	qsort(c->sorted, c->sorted_count, sizeof *c->sorted, compare);
	merge(c, l);
}

const struct fault *checks_finding(const struct checks *c, u32 k, const struct launch *l)
{
	if (!c->sorted)
		sort((struct checks *)(uintptr_t)c, l);
	return k < c->sorted_count ? c->sorted[k] : NULL;
}

void checks_explain(const struct checks *c, const struct launch *l, struct fault *f)
{
	if (c->races)
		races_explain(c->races, l, f);
}

u64 checks_more(const struct checks *c) { return c->findings.more + (c->races ? races_more(c->races) : 0); }

void checks_host_writes(struct checks *c, const struct memory *m, u64 address, u64 bytes)
{
	if (c->unwritten)
		unwritten_host_writes(c->unwritten, m, address, bytes);
}

u64 checks_first_unwritten(const struct checks *c, const struct memory *m, u64 address, u64 bytes)
{
	return c->unwritten ? unwritten_first(c->unwritten, m, address, bytes) : bytes;
}

void checks_take_written(struct checks *c, struct written_kept *kept)
{
	if (c->unwritten)
		unwritten_take(c->unwritten, kept);
}

/* What is not followed counts as written. */
void checks_give_written(const struct checks *c, struct written_kept *kept)
{
	if (c->unwritten)
		unwritten_give(c->unwritten);
	else
		written_kept_all(kept);
}

struct footprint *checks_footprint(struct checks *c) { return c->footprints ? footprints_take(c->footprints) : NULL; }

bool checks_may_share(const struct checks *c) { return !c->unwritten || unwritten_may_share(c->unwritten); }

void checks_join_team(struct checks *c, struct checks *own, const struct launch *l)
{
	if (c->unwritten)
		unwritten_join_team(c->unwritten, own->unwritten, l);
}

void checks_leave_team(const struct checks *c, struct checks *own)
{
	if (c->unwritten)
		unwritten_leave_team(c->unwritten, own->unwritten);
}

bool checks_have_found(const struct checks *c)
{
	return c->findings.items.count || c->findings.more || (c->unwritten && unwritten_gave_up(c->unwritten)) ||
	       (c->races && races_count(c->races));
}

bool checks_meet(const struct checks *c, const struct checks *other)
{
	return c->races && races_meet(c->races, other->races);
}
