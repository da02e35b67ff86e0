/* SPDX-License-Identifier: Apache-2.0
 *
 * Named arrays of a launch script: type, shape, how they are filled, where they lie.
 */
#ifndef PTXSIM_SCRIPT_BUFFER_H
#define PTXSIM_SCRIPT_BUFFER_H

#include "base/source.h"
#include "script/element.h"

enum { BUFFER_RANK = 3 };

enum generator_kind {
	GENERATE_ZERO,
	GENERATE_CONST,   /* parameters: value */
	GENERATE_IOTA,    /* start, step */
	GENERATE_UNIFORM, /* low, high, seed */
	GENERATE_NORMAL,  /* mean, deviation, seed */
	GENERATE_RANDOM,  /* seed: every bit pattern alike */
	GENERATE_VALUES,  /* items; the rest is zero */
	GENERATE_EXPR,    /* an expression over the index */
	GENERATE_LOAD,    /* a file */
};

/* A file as a line names it. */
struct script_file {
	const char
		*folder; /* that the path may not leave ("": the working one); NULL: the path is the user's own word */
	const char *path;
	bool keeps; /* an existing file of that name is not replaced */
};

struct expr;

struct generator {
	enum generator_kind kind;
	struct number parameters[3];
	struct expr **items; /* VALUES; EXPR: one */
	u32 item_count;
	struct script_file file;
};

struct buffer {
	const char *name;
	enum element_type type;
	u32 rank;
	u64 dims[BUFFER_RANK]; /* outermost first */
	u64 count;             /* elements */
	struct generator fill;
	struct span span;
	bool is_variable;  /* a module-scope variable: not allocated, not filled */
	bool is_allocated; /* by `alloc`: nothing is written to it at first, and it is the script's to free */
	bool is_async;     /* as from cudaMallocAsync */
	bool is_freed;
	u32 freed_line;
	u64 address; /* guest; 0 before it is made */
	u8 *host;
};

static inline u64 buffer_bytes(const struct buffer *b) { return b->count * element_bytes(b->type); }

/* No file with the buffer's elements and a header is longer. */
static inline u64 buffer_file_most(const struct buffer *b) { return buffer_bytes(b) + (1 << 17); }

#endif
