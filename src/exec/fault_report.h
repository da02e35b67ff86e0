/* SPDX-License-Identifier: Apache-2.0
 *
 * A fault in names and numbers: what messages are printed from, and what reports and the library hand on. All
 * strings belong to the program's texts, its memory or the report itself; they are valid as long as these are.
 */
#ifndef PTXSIM_EXEC_FAULT_REPORT_H
#define PTXSIM_EXEC_FAULT_REPORT_H

#include "exec/launch.h"

/* An instruction of the text. */
struct fault_place {
	const char *file;        /* NULL: not known */
	u32 line, column;        /* from 1 */
	const char *function;    /* of PTX, as it stands there */
	const char *source;      /* what the compiler read, from .loc; or NULL */
	u32 source_line;         /* 0: none */
	const char *instruction; /* text, of `instruction_length` bytes */
	u32 instruction_length;
	const struct ir_module *module;
	const struct ir_loc *loc; /* or NULL */
};

/* How the address of the access lies to `memory`. */
enum fault_memory_kind {
	FAULT_MEMORY_NONE,     /* nothing is known */
	FAULT_MEMORY_NEAREST,  /* the nearest allocation, or variable of shared or local memory */
	FAULT_MEMORY_RELEASED, /* the address was in it before it was released */
};

struct fault_memory {
	enum fault_memory_kind kind;
	const char *name; /* NULL: unnamed */
	u64 base, size;   /* address of the first byte as the access's space has it; bytes */
	bool is_variable; /* of shared or local memory */
	s64 distance;     /* bytes from the end to the access's begin, if it lies behind; negative if it lies before the
			   * begin; within: bytes from the begin */
	enum { FAULT_BEFORE, FAULT_WITHIN, FAULT_BEHIND } where;
};

struct fault_thread {
	u32 block[3], thread[3];
};

struct fault_report {
	enum fault_kind kind;
	struct fault_place at;
	struct fault_thread thread;
	u32 warp, lane, lanes;
	bool has_access;
	bool is_store;
	u64 address;
	u32 size;
	const char *space; /* "global", as the instruction names it */
	struct fault_memory memory;
	enum fault_role role; /* of another thread's act, or an earlier one */
	bool other_is_host;   /* it was not a kernel's */
	struct fault_place other;
	struct fault_thread other_thread;
	u64 times;          /* of a finding, after which the launch has gone on: how often; 0: it is none */
	const char *detail; /* further words, or "" */
	const char *advice; /* what would mend it, or "" */
	char hint[256];     /* what would help, or why, or "" */
};

/* `launch` is the one that failed; `memory` as it left it. */
void fault_report(const struct memory *memory, const struct launch *launch, const struct fault *fault,
		  struct fault_report *report);
/* Resolves an instruction: index into the code's decoded instructions. */
void fault_find_place(const struct code *code, u32 insn, struct fault_place *place);
enum { FAULT_SOURCE_TEXT = 190, FAULT_PLACE_TEXT = 310 };
/* " (source:line)", " (header:line, inlined at source:line)", or "". */
void fault_place_source(const struct fault_place *p, char text[FAULT_SOURCE_TEXT]);
/* "file:line (source:line)"; the function's name if nothing else is known. */
void fault_place_text(const struct fault_place *p, char text[FAULT_PLACE_TEXT]);
/* The end of a path, from a folder on if one begins there: no longer than `most`. */
const char *fault_path_end(const char *path, size_t most);
enum { FAULT_LINE_TEXT = 300 };
/* A finding on one line: its kind and its places, in the source if that is known: "race k.cu:18 k.cu:12". */
void fault_line(const struct fault_report *r, char text[FAULT_LINE_TEXT]);
/* Do both tell of one thing at the same places? */
bool fault_is_same(const struct fault_report *a, const struct fault_report *b);
/* "frees", "reads", "writes", "waits". */
const char *fault_role_text(enum fault_role role);

#endif
