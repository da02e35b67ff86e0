/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages between ranks.
 *
 * A message is bytes in pieces, each filled up to a multiple of 8, so that structs in it are aligned. It is sent as its
 * length and its bytes. Nothing is converted: ranks run the same program on machines of one kind. Whatever goes wrong
 * ends all ranks.
 */
#include "ranks/parcel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILURE_STATUS = 2 };

/* Ends the whole run: a rank that is missing would keep the others waiting. */
void rank_fails(const struct transport *t, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "ptxsim: rank %u of %u (%s): ", t->rank, t->count, t->host);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; the run has ended without a result\n");
	fflush(stderr);
	t->abort(FAILURE_STATUS);
	exit(FAILURE_STATUS);
}

void parcel_free(struct parcel *w)
{
	free(w->bytes);
	w->bytes = NULL;
	w->count = w->room = w->at = 0;
}

void parcel_empty(struct parcel *w) { w->count = w->at = 0; }

static size_t padded(size_t count) { return (count + 7) & ~(size_t)7; }

static void make_room(struct parcel *w, size_t count)
{
	if (count <= w->room)
		return;
	const size_t room = count < w->room * 2 ? w->room * 2 : count;
	u8 *bytes = count > SIZE_MAX / 4 ? NULL : realloc(w->bytes, room);
	if (!bytes)
		rank_fails(w->transport, "no memory for a message of %zu bytes", count);
	w->bytes = bytes;
	w->room = room;
}

/* Room for a piece, to be filled by the caller before the next call. */
u8 *parcel_room(struct parcel *w, size_t count)
{
	make_room(w, w->count + padded(count));
	u8 *at = w->bytes + w->count;
	if (padded(count) != count)
		memset(at + padded(count) - 8, 0, 8);
	w->count += padded(count);
	return at;
}

void parcel_put(struct parcel *w, const void *bytes, size_t count)
{
	u8 *to = parcel_room(w, count);

	if (count)
		memcpy(to, bytes, count);
}

void parcel_put_number(struct parcel *w, u64 number) { parcel_put(w, &number, sizeof number); }

void parcel_put_text(struct parcel *w, const char *text)
{
	const size_t length = text ? strlen(text) + 1 : 0;

	parcel_put_number(w, length);
	parcel_put(w, text, length);
}

/* The next piece; it stays valid until the parcel is received into again. */
u8 *parcel_take(struct parcel *w, size_t count)
{
	if (padded(count) < count || padded(count) > w->count - w->at)
		rank_fails(w->transport, "a message is too short");
	u8 *at = w->bytes + w->at;
	w->at += padded(count);
	return at;
}

u64 parcel_take_number(struct parcel *w)
{
	u64 number;

	memcpy(&number, parcel_take(w, sizeof number), sizeof number);
	return number;
}

const char *parcel_take_text(struct parcel *w)
{
	const u64 length = parcel_take_number(w);

	return length ? (const char *)parcel_take(w, length) : NULL;
}

void parcel_send(struct parcel *w, u32 to)
{
	u64 count = w->count;

	w->transport->send(to, &count, sizeof count);
	w->transport->send(to, w->bytes, count);
}

void parcel_receive(struct parcel *w, u32 from)
{
	u64 count;

	parcel_empty(w);
	w->transport->receive(from, &count, sizeof count);
	make_room(w, count);
	w->transport->receive(from, w->bytes, count);
	w->count = count;
}

/* From rank 0 to all. */
void parcel_broadcast(struct parcel *w)
{
	u64 count = w->count;

	w->transport->broadcast(&count, sizeof count);
	if (w->transport->rank) {
		parcel_empty(w);
		make_room(w, count);
		w->count = count;
	}
	w->transport->broadcast(w->bytes, count);
	w->at = 0;
}
