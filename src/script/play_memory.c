/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that a script gives and takes: filling parts, frees, and what was never freed.
 */
#include <string.h>

#include "exec/fault_report.h"
#include "script/play.h"

/* Fills a part of a buffer, as a host program writes it between launches. */
bool play_fill_part(struct play *p, const struct script_statement *st)
{
	if (!st->buffer->host) {
		diag_error(&p->session->diags, st->span, "'%s' has been freed", st->buffer->name);
		return false;
	}
	*st->part = (struct buffer){.name = st->part->name,
				    .type = st->part->type,
				    .rank = st->part->rank,
				    .dims = {st->part->dims[0], st->part->dims[1], st->part->dims[2]},
				    .count = st->part->count,
				    .fill = st->part->fill,
				    .span = st->part->span,
				    .host = st->buffer->host + st->first * element_bytes(st->buffer->type)};
	if (p->watch)
		checks_host_writes(p->watch, &p->session->memory,
				   st->buffer->address + st->first * element_bytes(st->buffer->type),
				   buffer_bytes(st->part));
	return play_generate(p, st->part);
}

/* With --check, the host's read of elements that nothing has written is a finding. */
void play_note_read(struct play *p, struct span at, const struct buffer *b, u64 first, u64 count)
{
	const u32 each = element_bytes(b->type);
	struct arena *a = &p->session->arena;

	if (!p->watch || !b->is_allocated || !b->host)
		return;
	const u64 byte = checks_first_unwritten(p->watch, &p->session->memory, b->address + first * each, count * each);
	if (byte < count * each)
		play_add_finding(p, at,
				 arena_printf(a, "the host reads element %llu of '%s', which nothing has written",
					      (unsigned long long)(first + byte / each), b->name));
}

bool play_read_buffer(struct play *p, const struct script_statement *st)
{
	if (!st->buffer->host) {
		diag_error(&p->session->diags, st->span, "'%s' has been freed", st->buffer->name);
		return false;
	}
	play_note_read(p, st->span, st->buffer, st->first, st->part->count);
	return true;
}

static u32 line_of(const struct play *p, struct span span)
{
	u32 line, column;

	source_place(p->session->sources.files.items[span.file], span.begin, &line, &column);
	return line;
}

/* A wrong free is a finding, with or without --check, and the script goes on. */
void play_free_buffer(struct play *p, const struct script_statement *st)
{
	struct arena *a = &p->session->arena;
	struct buffer *b = st->buffer;
	const char *message = NULL;

	if (st->first)
		message =
			arena_printf(a, "the address lies %llu byte%s inside '%s', and only its first one can be freed",
				     (unsigned long long)st->first, plural_s(st->first), b->name);
	else if (b->is_freed)
		message = arena_printf(a, "'%s' was freed before, at line %u", b->name, b->freed_line);
	if (message) {
		play_add_finding(p, st->span, message);
		return;
	}
	memory_release(&p->session->memory, b->address);
	b->host = NULL;
	b->is_freed = true;
	b->freed_line = line_of(p, st->span);
}

/* What one malloc of a kernel gave. */
struct heap_leak {
	const struct memory_act *by;
	u64 bytes;
	u32 count;
};

static void tell_heap_leak(struct play *p, struct span at, const struct heap_leak *leak)
{
	struct fault_place where;
	char place[FAULT_PLACE_TEXT] = "a kernel";

	if (leak->by->code) {
		fault_find_place(leak->by->code, leak->by->insn, &where);
		fault_place_text(&where, place);
	}
	play_add_finding(
		p, at,
		arena_printf(
			&p->session->arena,
			"%llu byte%s in %u block%s of the device heap leak%s: nothing frees what malloc gave at %s",
			(unsigned long long)leak->bytes, plural_s(leak->bytes), leak->count, plural_s(leak->count),
			leak->bytes == 1 ? "s" : "", place));
}

/* Blocks of the device heap that are still there, by the malloc that they come from. */
static void find_heap_leaks(struct play *p, struct span at)
{
	enum { PLACES = 16 };
	const struct memory *m = &p->session->memory;
	struct heap_leak leaks[PLACES];
	u32 count = 0;

	for (u32 k = 0; k < m->count; k++) {
		const struct allocation *a = &m->list[k];
		u32 n = 0;
		if (!a->size || !(a->flags & ALLOCATION_HEAP))
			continue;
		while (n < count && (leaks[n].by->code != a->by.code || leaks[n].by->insn != a->by.insn))
			n++;
		if (n == PLACES)
			continue;
		if (n == count)
			leaks[count++] = (struct heap_leak){.by = &a->by};
		leaks[n].bytes += a->size;
		leaks[n].count++;
	}
	for (u32 n = 0; n < count; n++)
		tell_heap_leak(p, at, &leaks[n]);
}

void play_find_leaks(struct play *p)
{
	struct arena *a = &p->session->arena;

	const struct script_statement *launch = NULL;

	for (size_t k = 0; k < p->script->statements.count; k++) {
		const struct script_statement *st = &p->script->statements.items[k];
		const struct buffer *b = st->buffer;
		if (st->kind == SCRIPT_LAUNCH)
			launch = st;
		if (st->kind == SCRIPT_BUFFER && b->is_allocated && !b->is_freed)
			play_add_finding(p, st->span,
					 arena_printf(a,
						      buffer_bytes(b) == 1
							      ? "%llu byte of '%s' leaks: nothing frees it"
							      : "%llu bytes of '%s' leak: nothing frees them",
						      (unsigned long long)buffer_bytes(b), b->name));
	}
	if (launch)
		find_heap_leaks(p, launch->span);
}
