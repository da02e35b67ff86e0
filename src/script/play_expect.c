/* SPDX-License-Identifier: Apache-2.0
 *
 * Checking a script's expectations: which element differs first, by how much, how many do.
 *
 * Elements are compared in the buffer's own type: equal bits always hold (NaN, too); then .ulps, then tolerance and
 * relative distance. Only the first difference is described, and the rest are counted. With --check, an expectation is
 * a read by the host: elements that no kernel has written are a finding, once for the expectation.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/npy.h"
#include "script/play.h"
#include "observe/counters.h"

/* One expectation while its elements are compared. */
struct comparison {
	struct play *play;
	const struct script_expect *e;
	u64 compared, differing;
	u64 first_unwritten; /* element; UINT64_MAX: none */
	const char *first;   /* about the first element that differs */
	struct expr_run run;
};

static const char *say(struct play *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *say(struct play *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	const char *text = arena_vprintf(&p->session->arena, format, args);
	va_end(args);
	return text;
}

/* row,column of an element as the text writes it, dimension 0 outermost. */
static const char *index_text(struct play *p, const struct buffer *b, u64 index)
{
	u64 at[BUFFER_RANK] = {0};

	for (u32 k = b->rank; k-- > 0;) {
		at[k] = index % b->dims[k];
		index /= b->dims[k];
	}
	if (b->rank == 3)
		return say(p, "%llu,%llu,%llu", (unsigned long long)at[0], (unsigned long long)at[1],
			   (unsigned long long)at[2]);
	if (b->rank == 2)
		return say(p, "%llu,%llu", (unsigned long long)at[0], (unsigned long long)at[1]);
	return say(p, "%llu", (unsigned long long)at[0]);
}

/* apart: distance in units of the last place, UINT64_MAX where there is none. */
static bool close_enough(const struct script_expect *e, enum element_type type, const u8 *got, const u8 *wanted,
			 u64 apart)
{
	if (apart == 0 || apart <= e->ulps)
		return true;
	const f64 g = number_as_float(element_read(type, got)), w = number_as_float(element_read(type, wanted));
	const f64 room = e->tolerance + e->relative * fabs(w);
	return room > 0 && fabs(g - w) <= room;
}

static const char *describe(struct comparison *c, u64 index, const u8 *wanted, u64 apart)
{
	const struct buffer *b = c->e->buffer;
	const u8 *got = b->host + index * element_bytes(b->type);
	char got_text[64], wanted_text[64];

	element_print(b->type, got, got_text, sizeof got_text);
	element_print(b->type, wanted, wanted_text, sizeof wanted_text);
	const f64 distance =
		fabs(number_as_float(element_read(b->type, got)) - number_as_float(element_read(b->type, wanted)));
	if (element_class(b->type) == 'f' && apart != UINT64_MAX)
		return say(c->play, "%s[%s]: got %s, wanted %s: %.6g apart, %llu ulp", b->name,
			   index_text(c->play, b, index), got_text, wanted_text, distance, (unsigned long long)apart);
	return say(c->play, "%s[%s]: got %s, wanted %s: %.6g apart", b->name, index_text(c->play, b, index), got_text,
		   wanted_text, distance);
}

/* Element `index` against bytes of the buffer's own type. */
static void compare_bytes(struct comparison *c, u64 index, const u8 *wanted)
{
	const struct buffer *b = c->e->buffer;
	const u8 *got = b->host + index * element_bytes(b->type);
	const u64 apart = element_distance(b->type, got, wanted);
	const u32 each = element_bytes(b->type);
	struct play *p = c->play;

	c->compared++;
	if (p->watch && b->is_allocated &&
	    checks_first_unwritten(p->watch, &p->session->memory, b->address + index * each, each) < each)
		c->first_unwritten = min_u64(c->first_unwritten, index);
	if (close_enough(c->e, b->type, got, wanted, apart))
		return;
	if (c->differing++ == 0)
		c->first = describe(c, index, wanted, apart);
}

static void compare_number(struct comparison *c, u64 index, struct number wanted)
{
	const struct buffer *b = c->e->buffer;
	u8 bytes[8];

	/* A fraction is no value of an integer element, even where its whole part is right. */
	if (wanted.is_float && element_class(b->type) != 'f' && wanted.f != trunc(wanted.f)) {
		c->compared++;
		if (c->differing++ == 0)
			c->first = say(c->play, "%s[%s]: expected %.17g, which is not a whole number", b->name,
				       index_text(c->play, b, index), wanted.f);
		return;
	}
	element_write(b->type, bytes, wanted);
	compare_bytes(c, index, bytes);
}

/* Loops over the index variables from dimension `k` on. */
static void compare_each(struct comparison *c, u32 k, u64 index)
{
	const struct script_expect *e = c->e;
	const struct buffer *b = e->buffer;

	if (c->run.error)
		return;
	if (k == e->index_count) {
		if (e->where && !number_as_float(expr_eval(e->where, &c->run)))
			return;
		const struct number wanted = expr_eval(e->value, &c->run);
		if (!c->run.error)
			compare_number(c, index, wanted);
		return;
	}
	const struct script_index *i = &e->indices[k];
	const u64 limit = e->index_count == 1 ? b->count : b->dims[k];
	u64 low = 0, high = limit;
	if (!i->is_variable) {
		const struct number n = expr_eval(i->value, &c->run);
		if (n.is_float || (u64)n.i >= limit) {
			c->run.error = "the index is out of range";
			return;
		}
		low = (u64)n.i;
		high = low + 1;
	}
	for (u64 at = low; at < high && !c->run.error; at++) {
		if (i->is_variable)
			c->run.variables[i->variable] = number_int((s64)at);
		compare_each(c, k + 1, index * limit + at);
	}
}

static void compare_list(struct comparison *c)
{
	const struct script_expect *e = c->e;

	for (u64 k = e->low; k < e->high && !c->run.error; k++) {
		const struct expr *item = e->values.items[e->values.count == 1 ? 0 : k - e->low];
		compare_number(c, k, expr_eval(item, &c->run));
	}
}

static const char *compare_file(struct comparison *c)
{
	const struct buffer *b = c->e->buffer;
	const char *message;
	size_t length;
	struct npy array;
	struct arena *arena = &c->play->session->arena;
	const char *shown = script_file_shown(arena, &c->e->file);
	char *bytes = script_file_read(arena, &c->e->file, buffer_file_most(b), &length, &message);

	if (!bytes)
		return say(c->play, "%s: %s", shown, message);
	if (npy_begins((const u8 *)bytes, length)) {
		const char *why = npy_parse((const u8 *)bytes, length, &array);
		if (why)
			message = say(c->play, "%s: %s", shown, why);
	} else {
		array = (struct npy){
			.type = b->type, .count = length / element_bytes(b->type), .data = (const u8 *)bytes};
		if (length % element_bytes(b->type))
			message = say(c->play, "%s holds %zu byte%s, '%s' %llu", shown, length, plural_s(length),
				      b->name, (unsigned long long)buffer_bytes(b));
	}
	if (!message && array.count != b->count)
		message = say(c->play, "%s holds %llu element%s, '%s' %llu", shown, (unsigned long long)array.count,
			      plural_s(array.count), b->name, (unsigned long long)b->count);
	for (u64 k = 0; k < b->count && !message; k++) {
		const u8 *wanted = array.data + k * element_bytes(array.type);
		if (array.type == b->type)
			compare_bytes(c, k, wanted);
		else
			compare_number(c, k, element_read(array.type, wanted));
	}
	free(bytes);
	return message;
}

static void compare_buffers(struct comparison *c)
{
	const struct buffer *other = c->e->other;

	for (u64 k = 0; k < other->count; k++)
		compare_number(c, k, element_read(other->type, other->host + k * element_bytes(other->type)));
}

/* NULL if everything is as wanted. */
static const char *check_buffer(struct play *p, const struct script_expect *e, u64 *first_unwritten)
{
	struct comparison c = {.play = p, .e = e, .first_unwritten = UINT64_MAX};

	switch (e->kind) {
	case EXPECT_EACH:
		compare_each(&c, 0, 0);
		break;
	case EXPECT_LIST:
		compare_list(&c);
		break;
	case EXPECT_BUFFER:
		compare_buffers(&c);
		break;
	default: {
		const char *message = compare_file(&c);
		if (message)
			return message;
	}
	}
	*first_unwritten = c.first_unwritten;
	if (c.run.error)
		return c.run.error;
	if (c.differing > 1)
		return say(p, "%s; %llu of %llu elements differ", c.first, (unsigned long long)c.differing,
			   (unsigned long long)c.compared);
	return c.first;
}

bool play_counter(const struct launch_stats *s, const char *name, u64 *value)
{
	const struct {
		const char *name;
		u64 value;
	} counters[] = {
		{"blocks", s->blocks},
		{"warps", s->warps},
		{"warp_instructions", s->warp_instructions},
		{"thread_instructions", s->thread_instructions},
		{"branches", s->branches},
		{"divergent_branches", s->divergent_branches},
	};

	for (size_t k = 0; k < COUNT_OF(counters); k++)
		if (!strcmp(counters[k].name, name)) {
			*value = counters[k].value;
			return true;
		}
	return false;
}

static bool holds(const char *comparison, f64 got, f64 wanted)
{
	switch (comparison[0]) {
	case '<':
		return comparison[1] ? got <= wanted : got < wanted;
	case '>':
		return comparison[1] ? got >= wanted : got > wanted;
	case '!':
		return got != wanted;
	default:
		return got == wanted;
	}
}

static const char *check_counter(struct play *p, const struct script_expect *e, const struct play_launch *l)
{
	struct expr_run run = {.error = NULL};
	const struct number wanted = expr_eval(e->value, &run);
	const struct counter *counter = counters_find(e->text);
	u64 count;
	f64 got;

	if (run.error)
		return run.error;
	if (play_counter(&l->stats, e->text, &count))
		got = (f64)count;
	else if (counter && l->account)
		got = counter_value(counter, l->account);
	else
		return say(p, "unknown counter '%s'", e->text);
	if (holds(e->comparison, got, number_as_float(wanted)))
		return NULL;
	return say(p, "%s is %.17g, wanted %s %.17g", e->text, got, e->comparison, number_as_float(wanted));
}

/* The newest launch of the script; a grid that it launched, if that has failed. */
static const struct play_launch *last_launch(const struct play *p)
{
	size_t k = p->launches.count;

	while (k && p->launches.items[k - 1].is_child && !p->launches.items[k - 1].fault)
		k--;
	return k ? &p->launches.items[k - 1] : NULL;
}

/* What does not hold, or NULL. Expectations of faults, prints and counters are about the launch before them. */
static const char *check(struct play *p, const struct script_expect *e, u64 *first_unwritten)
{
	const struct play_launch *last = last_launch(p);

	if (e->kind <= EXPECT_BUFFER)
		return e->buffer->host       ? check_buffer(p, e, first_unwritten)
		       : e->buffer->is_freed ? "the buffer has been freed"
					     : "the buffer does not exist yet";
	if (!last)
		return "nothing was launched before";
	switch (e->kind) {
	case EXPECT_FAULT:
		if (!last->fault)
			return "the launch did not fail";
		for (size_t k = 0; k < last->fault_texts.count; k++)
			if (strstr(last->fault_texts.items[k], e->text))
				return NULL;
		return say(p, "the launch failed otherwise: %s", last->fault);
	case EXPECT_PRINT:
		if (last->printed_length == strlen(e->text) &&
		    (!last->printed_length || !memcmp(last->printed, e->text, last->printed_length)))
			return NULL;
		return say(p, "printed \"%.*s\"", (int)min_u64(last->printed_length, 1000),
			   last->printed ? last->printed : "");
	default:
		return check_counter(p, e, last);
	}
}

/* Keeps an expectation with its text, without blanks at the end, to be quoted in messages. is_finding: it came from a
 * check, not from an expect line. */
static void add_check(struct play *p, struct span at, const char *message, bool is_finding)
{
	const struct source *text = p->session->sources.files.items[at.file];
	u32 end = at.end;

	while (end > at.begin && (u8)text->text[end - 1] <= ' ')
		end--;
	VEC_PUSH(
		&p->session->arena, &p->checks,
		((struct play_check){.span = at,
				     .passed = !message,
				     .is_finding = is_finding,
				     .text = arena_copy_text(&p->session->arena, text->text + at.begin, end - at.begin),
				     .message = message}));
	p->checks_failed += message != NULL;
}

void play_expect(struct play *p, const struct script_statement *st)
{
	u64 unwritten = UINT64_MAX;

	add_check(p, st->span, check(p, &st->expect, &unwritten), false);
	if (unwritten != UINT64_MAX)
		play_note_read(p, st->span, st->expect.buffer, unwritten, 1);
}

void play_add_finding(struct play *p, struct span at, const char *message) { add_check(p, at, message, true); }
