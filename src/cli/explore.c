/* SPDX-License-Identifier: Apache-2.0
 *
 * Outcomes of schedules: what stopped or was found in the launches, and the buffers afterwards. Each kind of outcome is
 * told once, with the first schedule that leads there and how many do.
 */
#include "cli/explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/front.h"

/* Where another schedule runs for so many times the usual one's instructions, and these more, it does not end. */
enum { LONGER = 20, LONGER_BY = 100000, DIFFERENCE_TEXT = 400 };

/* The usual run. */
struct usual {
	u8 **bytes; /* of each buffer, or NULL */
	char fault[DIFFERENCE_TEXT];
	u64 instructions; /* of the longest launch */
};

struct difference {
	char text[DIFFERENCE_TEXT];
	struct schedule_choice first;
	u32 times;
	struct difference *next;
};

static void first_line(const struct play *p, char text[DIFFERENCE_TEXT])
{
	*text = 0;
	for (size_t k = 0; k < p->launches.count && !*text; k++) {
		const struct play_launch *l = &p->launches.items[k];
		if (l->fault && !l->fault_expected)
			snprintf(text, DIFFERENCE_TEXT, "%s: %.*s", l->kernel->name,
				 (int)min_u64(strcspn(l->fault, "\n"), 300), l->fault);
	}
}

/* A fault's numbers differ from schedule to schedule: up to the first of them it is the same. */
static bool same_fault(const char *a, const char *b)
{
	size_t k = 0;

	while (a[k] && a[k] == b[k])
		k++;
	return a[k] == b[k] || strcspn(a, "0123456789") <= k;
}

static bool keep_usual(const struct play *p, struct usual *u)
{
	const size_t count = p->script->buffers.count;

	first_line(p, u->fault);
	for (size_t k = 0; k < p->launches.count; k++)
		u->instructions = max_u64(u->instructions, p->launches.items[k].stats.warp_instructions);
	u->bytes = calloc(count + 1, sizeof *u->bytes);
	for (size_t k = 0; u->bytes && k < count; k++) {
		const struct buffer *b = p->script->buffers.items[k];
		if (!b->host || b->is_freed || !buffer_bytes(b))
			continue;
		u->bytes[k] = malloc(buffer_bytes(b));
		if (!u->bytes[k])
			return false;
		memcpy(u->bytes[k], b->host, buffer_bytes(b));
	}
	return u->bytes != NULL;
}

static void tell_buffer(const struct buffer *b, const u8 *usual, char text[DIFFERENCE_TEXT])
{
	const u64 each = element_bytes(b->type);
	u64 first = b->count, differing = 0, was = 0, is = 0;

	for (u64 k = 0; k < b->count; k++)
		if (memcmp(usual + k * each, b->host + k * each, each)) {
			first = min_u64(first, k);
			differing++;
		}
	memcpy(&was, usual + first * each, min_u64(each, sizeof was));
	memcpy(&is, b->host + first * each, min_u64(each, sizeof is));
	snprintf(text, DIFFERENCE_TEXT,
		 "%s differs from the usual result in %" PRIu64 " of %" PRIu64 " elements: element %" PRIu64
		 " is 0x%" PRIx64 ", not 0x%" PRIx64,
		 b->name, differing, b->count, first, is, was);
}

/* What is not as in the usual run; false: nothing. */
static bool differs(const struct play *p, const struct usual *u, char text[DIFFERENCE_TEXT])
{
	char fault[DIFFERENCE_TEXT];

	first_line(p, fault);
	if (!same_fault(fault, u->fault)) {
		snprintf(text, DIFFERENCE_TEXT, "%s", *fault ? fault : "no fault, where the usual schedule has one");
		return true;
	}
	for (size_t k = 0; !*fault && k < p->script->buffers.count; k++) {
		const struct buffer *b = p->script->buffers.items[k];
		if (u->bytes[k] && b->host && !b->is_freed && memcmp(u->bytes[k], b->host, buffer_bytes(b))) {
			tell_buffer(b, u->bytes[k], text);
			return true;
		}
	}
	return false;
}

/* Of buffers the name counts, of faults the words up to the first number. */
static bool same_kind(const char *a, const char *b)
{
	const size_t length = strcspn(a, "0123456789");

	return strcspn(b, "0123456789") == length && !strncmp(a, b, length);
}

static bool note(struct difference **list, const char *text, struct schedule_choice choice)
{
	for (; *list; list = &(*list)->next)
		if (same_kind((*list)->text, text)) {
			(*list)->times++;
			return true;
		}
	struct difference *d = calloc(1, sizeof *d);
	if (!d)
		return false;
	*d = (struct difference){.first = choice, .times = 1};
	snprintf(d->text, sizeof d->text, "%s", text);
	*list = d;
	return true;
}

static bool again(struct play *p)
{
	play_free(p);
	p->failed = p->faulted = p->stopped = false;
	p->checks.count = 0;
	p->checks_failed = 0;
	return session_reset_memory(p->session);
}

static u32 print_and_free(struct difference *list)
{
	u32 kinds = 0;

	for (struct difference *d = list, *next; d; d = next) {
		next = d->next;
		kinds++;
		fprintf(stderr, "%s\n  %u schedule%s, the first --schedule=%s:%" PRIu64 "\n", d->text, d->times,
			d->times == 1 ? "" : "s", d->first.mode == SCHEDULE_RANDOM ? "random" : "priority",
			d->first.seed);
		free(d);
	}
	return kinds;
}

int explore_schedules(struct play *p, u32 count)
{
	struct usual usual = {.bytes = NULL};
	struct difference *list = NULL;
	bool ok = true;

	p->options.print = NULL;
	p->options.account = false;
	p->options.jobs = 1;
	ok = play_run(p) && keep_usual(p, &usual);
	if (!p->options.limit)
		p->options.limit = usual.instructions * LONGER + LONGER_BY;
	if (*usual.fault)
		fprintf(stderr, "the usual schedule: %s\n", usual.fault);
	for (u32 k = 1; ok && k <= count; k++) {
		char text[DIFFERENCE_TEXT];
		p->options.schedule = (struct schedule_choice){k % 2 ? SCHEDULE_RANDOM : SCHEDULE_PRIORITY, k};
		ok = again(p) && play_run(p);
		if (ok && differs(p, &usual, text))
			ok = note(&list, text, p->options.schedule);
	}
	for (size_t k = 0; usual.bytes && k < p->script->buffers.count; k++)
		free(usual.bytes[k]);
	free(usual.bytes);
	play_free(p);
	const u32 kinds = print_and_free(list);
	if (!ok)
		return CLI_WRONG;
	printf("%u schedules: %s\n", count, kinds ? "some differ" : "all as the usual one");
	return kinds || *usual.fault ? CLI_FAILED : CLI_OK;
}
