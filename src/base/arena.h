/* SPDX-License-Identifier: Apache-2.0
 *
 * Arenas: all memory of one parse, one program or one run, freed together. An allocation never
 * returns NULL: when the host has no memory left, the arena unwinds to the `jmp_buf` its owner
 * (the API's door) set, after which the arena may only be freed.
 */
#ifndef PTXSIM_BASE_ARENA_H
#define PTXSIM_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>

#include "base/types.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* newest first */
	struct arena_chunk *aside;  /* chunks that a restored mark does not have, oldest first */
	u8 *next, *end;             /* free part of the newest chunk */
	size_t used_bytes;          /* sum of all chunks, for limits and reports */
	jmp_buf *out_of_memory;     /* where to unwind to; NULL ends the program with a message and status 2 */
	struct arena *children, *sibling;
};

void arena_init(struct arena *a, jmp_buf *out_of_memory);
void arena_free(struct arena *a);
/* An arena of its own that is freed with `parent`, should nobody do so before: for scratch memory that an
 * unwinding must not lose. */
struct arena *arena_child(struct arena *parent);
/* Forgets all allocations but keeps memory for the next ones. */
void arena_reset(struct arena *a);

/* Unwinds as an allocation that fails does: for whoever finds the host without memory otherwise. */
void arena_out_of_memory(struct arena *a) __attribute__((noreturn));

/* `bytes` of zeroed memory aligned to 64 bytes if bytes >= 64, else to 16. */
void *arena_alloc(struct arena *a, size_t bytes);
/* The same, aligned to `align`, a power of two. */
void *arena_aligned(struct arena *a, size_t bytes, size_t align);
/* count * bytes with the product checked; an overflow counts as out of memory. */
void *arena_array(struct arena *a, size_t count, size_t bytes);
char *arena_copy_text(struct arena *a, const char *text, size_t length);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list args);

#define ARENA_NEW(a, type)          ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, count, type) ((type *)arena_array((a), (count), sizeof(type)))

/* Going back: the arena as it was at a mark, its bytes apart. Whoever restores a mark puts the bytes
 * of its chunks back too. Chunks that are not of the mark are set aside, and used again when the
 * arena next grows by as much, so that what runs twice finds the same addresses. */
struct arena_mark {
	struct arena_chunk **chunks; /* newest first, in memory of the mark's owner */
	size_t count;
	u8 *next, *end;
	size_t used_bytes;
};
size_t arena_chunk_count(const struct arena *a);
/* mark->chunks must have room for arena_chunk_count() entries. */
void arena_mark(const struct arena *a, struct arena_mark *mark);
void arena_restore(struct arena *a, const struct arena_mark *mark);
/* The bytes that a chunk of a mark holds. */
u8 *arena_chunk_bytes(struct arena_chunk *c, size_t *bytes);

/* Growth of a vector kept as (items, count, capacity) inside an arena; the old block stays behind. */
void *arena_grow(struct arena *a, void *items, size_t count, size_t *capacity, size_t item_bytes);

/* Appends `value` to the vector struct `v` with members items, count, capacity. */
#define VEC_PUSH(a, v, value)                                                                                     \
	do {                                                                                                      \
		if ((v)->count == (v)->capacity)                                                                  \
			(v)->items = arena_grow((a), (v)->items, (v)->count, &(v)->capacity, sizeof *(v)->items); \
		(v)->items[(v)->count++] = (value);                                                               \
	} while (0)

/* Declares a vector struct of `type`. */
#define VEC_OF(type)                    \
	struct {                        \
		type *items;            \
		size_t count, capacity; \
	}

#endif
