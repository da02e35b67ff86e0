/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages between ranks: bytes that are put one after another, sent whole, and taken out in the same order. All ranks
 * run the same program on the same kind of host, so numbers travel as they are. Everything begins at a multiple of 8.
 *
 * A rank that has no memory for a message ends the run, as does one that gets a message that is too short.
 */
#ifndef PTXSIM_RANKS_PARCEL_H
#define PTXSIM_RANKS_PARCEL_H

#include "ranks/transport.h"

struct parcel {
	const struct transport *transport;
	u8 *bytes; /* from malloc */
	size_t count, room, at;
};

void parcel_free(struct parcel *w);
/* For another message; keeps the memory. */
void parcel_empty(struct parcel *w);

/* Room for `count` bytes at the end, to be filled in before the next call. */
u8 *parcel_room(struct parcel *w, size_t count);
void parcel_put(struct parcel *w, const void *bytes, size_t count);
void parcel_put_number(struct parcel *w, u64 number);
void parcel_put_text(struct parcel *w, const char *text);
/* The next bytes; valid until the message is emptied or freed. */
u8 *parcel_take(struct parcel *w, size_t count);
u64 parcel_take_number(struct parcel *w);
/* NULL is NULL again. */
const char *parcel_take_text(struct parcel *w);

void parcel_send(struct parcel *w, u32 to);
/* Replaces what is in it. */
void parcel_receive(struct parcel *w, u32 from);
/* On rank 0 sends it to all others, which replace what is in theirs. */
void parcel_broadcast(struct parcel *w);

/* Ends all ranks with a message that names this one. */
void rank_fails(const struct transport *t, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

#endif
